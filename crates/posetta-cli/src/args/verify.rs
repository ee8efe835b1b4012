//! What `posetta verify` takes.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::{BranchingArgs, MemoryArgs, PropertyArgs, ReportArgs};
use crate::amounts;
use crate::root::RootArgs;

#[derive(Debug, Default, Args)]
#[command(after_long_help = "\
Examples:
  posetta verify examples/models/peterson.smv
  posetta verify examples/models/abp-faulty.smv --timeout 1m --json
  posetta verify examples/systems/philosophers-deadlock.sys --deadlock
  posetta verify examples/systems/crossing.pnml --bound

First the properties that the model states (LTLSPEC, CTLSPEC, PSLSPEC, INVARSPEC) \
are decided, then those that are given. Without any property the states are \
counted, and deadlocks are looked for.

An LTL or PSL formula must hold on every computation, a CTL formula in every \
initial state. An M2L formula is about runs that end: it is for systems of \
components, and is refused for a model in SMV.

Exit status:
  0  every property holds
  1  some property is violated
  2  bad usage or bad input, or a warning that --deny names
  3  none is violated, but a limit was reached before some answer was known")]
pub struct VerifyArgs {
    /// The model: a file in SMV (.smv), a system of components (.sys), a transition system (.aut) or a Petri net (.pnml);
    /// - for standard input
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,

    #[command(flatten)]
    pub properties: PropertyArgs,

    #[command(flatten)]
    pub branching: BranchingArgs,

    /// Leave out the properties that the model itself states
    #[arg(long, help_heading = "Properties")]
    pub only_given: bool,

    /// Check also that every reachable state has a next one or is final
    #[arg(long, help_heading = "Properties")]
    pub deadlock: bool,

    /// Check also that every infinite run has infinitely many observed actions
    #[arg(long, hide_short_help = true, help_heading = "Systems of components")]
    pub livelock: bool,

    /// Check also that some reachable state satisfies this condition (may be repeated)
    #[arg(long, value_name = "CONDITION", hide_short_help = true, help_heading = "Systems of components")]
    pub reach: Vec<String>,

    /// Check also that every reachable state satisfies this condition (may be repeated)
    #[arg(long, value_name = "CONDITION", hide_short_help = true, help_heading = "Systems of components")]
    pub invariant: Vec<String>,

    /// Find also how many tokens there can be in each place, and in all of them
    #[arg(long, hide_short_help = true, help_heading = "Systems of components")]
    pub bound: bool,

    /// Observe these actions besides those that a formula names, or all with '*' (may be repeated)
    #[arg(long, value_name = "ACTION,...", hide_short_help = true, help_heading = "Systems of components")]
    pub observe: Vec<String>,

    /// Which system, or component, of the file [default: the last system]
    #[arg(long, value_name = "NAME", help_heading = "Systems of components")]
    pub system: Option<String>,

    /// How properties are decided. No choice changes an answer [default: auto]
    #[arg(long, value_enum, value_name = "ENGINE", hide_short_help = true, help_heading = "Systems of components")]
    pub engine: Option<SystemEngineName>,

    /// Write the observation graph to this file, for Graphviz. With - it goes to standard output, and the report to standard
    /// error
    #[arg(long, value_name = "FILE.dot", hide_short_help = true, help_heading = "Systems of components")]
    pub graph: Option<PathBuf>,

    #[command(flatten)]
    pub root: RootArgs,

    #[command(flatten)]
    pub report: ReportArgs,

    /// When to show states or runs as evidence
    #[arg(long, value_enum, default_value_t, value_name = "WHEN", help_heading = "Output")]
    pub witness: TrailWhen,

    /// Show the cost of each answer
    #[arg(long, help_heading = "Output")]
    pub stats: bool,

    /// Do not count the reachable states and do not look for deadlocks, unless a property needs it
    #[arg(long, hide_short_help = true, help_heading = "Engine")]
    pub no_explore: bool,

    /// Stop after this long (500ms, 5s, 2m); what is not decided by then is `unknown`
    #[arg(long, value_name = "TIME", value_parser = amounts::duration, help_heading = "Limits")]
    pub timeout: Option<Duration>,

    #[command(flatten)]
    pub memory: MemoryArgs,
}

/// How properties of systems of components are decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SystemEngineName {
    /// what is likely to be quickest
    #[default]
    Auto,
    /// state by state
    Explicit,
    /// by the symbolic observation graph of the whole system
    Sog,
    /// by the observation graphs of the components, synchronised
    Modular,
}

/// When the states of a counterexample are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum TrailWhen {
    /// for violations
    #[default]
    Auto,
    /// also the whole path to a deadlock that no property asks about
    Always,
    /// not at all
    Never,
}
