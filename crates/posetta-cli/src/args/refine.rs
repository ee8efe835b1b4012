//! What `posetta refine` takes.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::{MemoryArgs, Report};
use crate::amounts;
use crate::root::RootArgs;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  posetta refine central.sys ring.sys
  posetta refine milner.sys --impl P --spec S                 two systems of one file
  posetta refine two-buffers.sys queue.aut --equivalent --json
  posetta refine design.sys service.sys --timeout 1m --stats
  posetta refine rpc.sys --impl P1 --spec S1 --abstraction
  posetta refine rpc.sys --part P1=S1 --part P2=S2 --constraint P1=one.m2l --constraint P2=two.m2l

IMPL implements SPEC if every observable trace of IMPL is one of SPEC: what is seen of a finite run, its actions without those
that are `internal`. Both must have the same observable actions. For a violation a shortest trace is shown that SPEC lacks,
and a run of IMPL with it.

A trace abstraction is a proof of that: it relates each behaviour of IMPL to one of SPEC with the same observable events at the
same positions. With --part the proof is made of parts: if each has an abstraction and all of them agree, the parts together
implement their specifications together. What a proof that fails does not tell is `unknown`.

Exit status: 0 it does; 1 it does not; 2 bad usage or bad input; 3 unknown: a limit was reached, or the abstraction does not
tell.")]
pub struct RefineArgs {
    /// The system that should implement the other: a file (.sys, .aut or .pnml), or - for standard input
    #[arg(value_name = "IMPL")]
    pub implementation: PathBuf,

    /// What it should implement [default: another system of the same file]
    #[arg(value_name = "SPEC")]
    pub specification: Option<PathBuf>,

    /// Which system, or component, of the file IMPL [default: the last system]
    #[arg(long = "impl", value_name = "NAME", help_heading = "Question")]
    pub implementation_name: Option<String>,

    /// Which system, or component, of the file SPEC [default: the last system]
    #[arg(long = "spec", value_name = "NAME", help_heading = "Question")]
    pub specification_name: Option<String>,

    /// Ask also whether SPEC implements IMPL: both must have the same observable traces
    #[arg(long, help_heading = "Question")]
    pub equivalent: bool,

    /// Prove it by a trace abstraction: which behaviours of SPEC go with one of IMPL
    #[arg(
        long,
        value_enum,
        value_name = "RELATION",
        num_args = 0..=1,
        default_missing_value = "canonical",
        conflicts_with_all = ["equivalent", "engine"],
        help_heading = "Abstraction"
    )]
    pub abstraction: Option<AbstractionName>,

    /// Prove it in parts, of which this is one: IMPL and SPEC are systems of the two files (may be given several times)
    #[arg(
        long,
        value_name = "IMPL=SPEC",
        conflicts_with_all = ["equivalent", "engine"],
        help_heading = "Abstraction"
    )]
    pub part: Vec<String>,

    /// What else is asked of two related behaviours, a formula of M2L or a file (.m2l) with one; with IMPL= only for that part
    #[arg(
        long,
        value_name = "[IMPL=]FORMULA",
        conflicts_with_all = ["equivalent", "engine"],
        help_heading = "Abstraction"
    )]
    pub constraint: Vec<String>,

    /// How it is decided. No choice changes an answer
    #[arg(long, value_enum, default_value_t, value_name = "ENGINE", help_heading = "Engine")]
    pub engine: RefineEngineName,

    #[command(flatten)]
    pub root: RootArgs,

    /// How to report
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", help_heading = "Output")]
    pub format: Report,

    /// Short for --format json
    #[arg(long, conflicts_with = "format", help_heading = "Output")]
    pub json: bool,

    /// Say what the answer cost
    #[arg(long, help_heading = "Output")]
    pub stats: bool,

    /// Stop after this long (500ms, 5s, 2m); what is not decided by then is `unknown`
    #[arg(long, value_name = "TIME", value_parser = amounts::duration, help_heading = "Limits")]
    pub timeout: Option<Duration>,

    #[command(flatten)]
    pub memory: MemoryArgs,
}

/// How traces of systems are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum RefineEngineName {
    /// what is likely to be quickest
    #[default]
    Auto,
    /// pair by pair of a state of IMPL and a set of states of SPEC
    Explicit,
    /// by sets of states, where a trace determines what SPEC can do
    Symbolic,
}

/// Which behaviours are related.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum AbstractionName {
    /// all with the same observable events at the same positions
    #[default]
    Canonical,
    /// only those that are the same, internal events included
    Identity,
}
