//! What `posetta check` takes.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::{AutomatonArgs, BranchingArgs, InputArgs, JoinArgs, MemoryArgs, PropertyArgs, ReportArgs, runs_help};
use crate::amounts;
use crate::receive::Received;
use crate::root::RootArgs;
use crate::shard::Shard;

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  posetta check examples/mutex/race.trace --ltl 'G !(c0 == 1 && c1 == 1)'
  posetta check examples/chat --spec examples/chat/chat.props --property by_bob
  posetta check examples/mutex --spec examples/mutex/mutex.props --format junit
  posetta check --follow --ltl 'F us_answer == 1' < examples/chat/run.jsonl

A property holds on a run if every possible order satisfies it. For a violation \
an order that fails is shown. A CTL formula is about the global states that could \
have occurred.

With --model some order of each run must follow a system of components.

Exit status:
  0  every property holds
  1  some property is violated, and --baseline does not have it
  2  bad usage or bad input, or a warning that --deny names
  3  none is violated, but a limit was reached before some answer was known")]
pub struct CheckArgs {
    #[arg(required_unless_present = "follow", value_name = "RUN", help = runs_help())]
    pub runs: Vec<PathBuf>,

    /// Read one run in JSON lines while it is written, and report each verdict as soon as it is final. Without RUN: standard
    /// input
    #[arg(
        long,
        help_heading = "Input",
        conflicts_with_all = ["regex", "delimiter", "set", "clock", "unknown", "witness", "jobs", "engine", "verdict_only", "no_slice", "counts", "trace", "model", "join", "shard", "cache", "baseline"]
    )]
    pub follow: bool,

    #[command(flatten)]
    pub properties: PropertyArgs,

    #[command(flatten)]
    pub branching: BranchingArgs,

    #[command(flatten)]
    pub automata: AutomatonArgs,

    /// A system of components (.sys, .aut or .pnml) that some order of each run must follow
    #[arg(long, value_name = "FILE", help_heading = "Properties")]
    pub model: Option<PathBuf>,

    /// Which system, or component, of the model's file [default: the last system]
    #[arg(long, value_name = "NAME", requires = "model", hide_short_help = true, help_heading = "Properties")]
    pub system: Option<String>,

    #[command(flatten)]
    pub join: JoinArgs,

    #[command(flatten)]
    pub input: InputArgs,

    #[command(flatten)]
    pub root: RootArgs,

    #[command(flatten)]
    pub report: ReportArgs,

    /// When to show an order or a path as evidence
    #[arg(long, value_enum, default_value_t, value_name = "WHEN", help_heading = "Output")]
    pub witness: WitnessWhen,

    /// Stop after this long (500ms, 5s, 2m); what is not decided by then is `unknown`
    #[arg(long, value_name = "TIME", value_parser = amounts::duration, help_heading = "Limits")]
    pub timeout: Option<Duration>,

    #[command(flatten)]
    pub memory: MemoryArgs,

    /// How many processors to use [default: all of them]
    #[arg(long, value_name = "N", value_parser = amounts::at_least_one, hide_short_help = true, help_heading = "Limits")]
    pub jobs: Option<std::num::NonZeroUsize>,

    /// How properties are decided. No choice changes an answer
    #[arg(long, value_enum, default_value_t, value_name = "ENGINE", hide_short_help = true, help_heading = "Engine")]
    pub engine: EngineName,

    /// Stop when the verdict is known. Do not look for an order that satisfies what the recorded one violates, nor for parts
    /// of a property that have no effect
    #[arg(long, hide_short_help = true, help_heading = "Engine")]
    pub verdict_only: bool,

    /// Keep events that cannot affect a property
    #[arg(long, hide_short_help = true, help_heading = "Engine")]
    pub no_slice: bool,

    /// For CTL: count the global states (cuts) at which each part of a property holds
    #[arg(long, hide_short_help = true, help_heading = "Output")]
    pub counts: bool,

    /// Show where each part of a property is true, along the order or path that is shown, or else the recorded order
    #[arg(long, hide_short_help = true, help_heading = "Output")]
    pub trace: bool,

    /// Show the cost of each answer
    #[arg(long, help_heading = "Output")]
    pub stats: bool,

    /// What was received instead of runs, for `test`.
    #[arg(skip)]
    pub received: Option<Received>,
    /// Check one of N parts of the run files: --shard 2/4. All parts together are all files
    #[arg(long, value_name = "I/N", conflicts_with = "join", hide_short_help = true, help_heading = "Many runs")]
    pub shard: Option<Shard>,

    /// Keep answers in this directory, and check only what has changed since
    #[arg(long, value_name = "DIR", conflicts_with = "trace", hide_short_help = true, help_heading = "Many runs")]
    pub cache: Option<PathBuf>,

    /// Violations that are known: those in this file do not fail the check, others do
    #[arg(long, value_name = "FILE", hide_short_help = true, help_heading = "Many runs")]
    pub baseline: Option<PathBuf>,

    /// Write the violations that are found to the file of --baseline
    #[arg(long, requires = "baseline", hide_short_help = true, help_heading = "Many runs")]
    pub update_baseline: bool,
}

/// How linear properties are decided.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum EngineName {
    /// what fits the property and the run
    #[default]
    Auto,
    /// one global state at a time, with every event
    Explicit,
    /// by intervals of global states; CTL that does not fit by decision diagrams
    Symbolic,
    /// Sets of cuts, also for linear properties that ask for no more than a branching one
    Cuts,
    /// CTL by interval decision diagrams
    Diagrams,
    /// linear properties by algorithm 1 of Genon, Massart, Meuter 2006, as printed; for comparison
    Paper,
    /// linear properties one global state at a time, with partial-order reduction; for comparison
    Por,
    /// CTL by interval sharing trees, as first published; slow, for comparison
    Ist,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum WitnessWhen {
    /// for violations
    #[default]
    Auto,
    /// also for CTL properties and models that hold
    Always,
    /// not at all
    Never,
}
