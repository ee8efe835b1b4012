//! What `posetta refine` takes.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::{MemoryArgs, ReportArgs};
use crate::amounts;
use crate::root::RootArgs;

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  posetta refine examples/refine/milner.sys --impl P --spec S
  posetta refine examples/refine/milner.sys examples/refine/milner-asked.sys
  posetta refine examples/refine/milner.sys --impl P --spec S --equivalent
  posetta refine examples/refine/milner.sys --impl P --spec S --abstraction

IMPL implements SPEC if every observable trace of IMPL is one of SPEC. A trace is \
what is seen of a finite run: its actions without the `internal` ones. Both must \
have the same observable actions. For a violation a shortest trace is shown that \
SPEC does not have, and a run of IMPL with this trace.

A trace abstraction is a proof of that. It relates each behaviour of IMPL to one \
of SPEC with the same observable events at the same positions. With --part the \
proof has parts: if each part has an abstraction and all of them agree, the parts \
together implement their specifications together. A proof that fails decides \
nothing: the answer is `unknown`.

Exit status:
  0  it does
  1  it does not
  2  bad usage or bad input
  3  unknown: a limit was reached, or the proof fails")]
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

    /// Check also that SPEC implements IMPL: both must have the same observable traces
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

    /// Prove it in parts, of which this is one: IMPL and SPEC are systems of the two files (may be repeated)
    #[arg(
        long,
        value_name = "IMPL=SPEC",
        conflicts_with_all = ["equivalent", "engine"],
        help_heading = "Abstraction",
        hide_short_help = true
    )]
    pub part: Vec<String>,

    /// A further condition on two related behaviours: an M2L formula, or a file (.m2l) with one. With IMPL= it is only for
    /// that part
    #[arg(
        long,
        value_name = "[IMPL=]FORMULA",
        conflicts_with_all = ["equivalent", "engine"],
        help_heading = "Abstraction",
        hide_short_help = true
    )]
    pub constraint: Vec<String>,

    /// How it is decided. No choice changes the answer
    #[arg(long, value_enum, default_value_t, value_name = "ENGINE", hide_short_help = true, help_heading = "Engine")]
    pub engine: RefineEngineName,

    #[command(flatten)]
    pub root: RootArgs,

    #[command(flatten)]
    pub report: ReportArgs,

    /// Show the cost of the answer
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
