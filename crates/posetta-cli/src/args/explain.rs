//! What `posetta explain` takes.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::{CompletionsName, InputArgs, MemoryArgs, Over};
use crate::amounts;
use crate::root::RootArgs;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  posetta explain 'G (req == 1 -> F resp == 1)'
  posetta explain mutex.props --property never_both
  posetta explain mutex.props run.trace                what will decide it on this run?
  posetta explain --ltl '!on(resp) W on(req)' --over events --dot | dot -Tsvg -o precedence.svg
  posetta explain --ltl 'G !(a && b)' --hoa --of bad -o bad.hoa
  posetta explain --ltl 'G (req -> F ack)' --tester

Exit status: 0 explained; 2 bad usage or bad input, or the run does not fit the property; 3 a limit was reached before
everything was known.")]
pub struct ExplainArgs {
    /// A file of properties, or a formula; then, if wanted, a run. With --ltl, --ctl, --psl, --m2l, --spec or --monitor
    /// only a run
    #[arg(value_name = "PROPERTY|RUN")]
    pub property_and_run: Vec<String>,

    /// A file with properties (may be given several times)
    #[arg(long, value_name = "FILE", help_heading = "Properties")]
    pub spec: Vec<PathBuf>,

    /// An LTL formula (may be given several times)
    #[arg(long, value_name = "FORMULA", help_heading = "Properties")]
    pub ltl: Vec<String>,

    /// A CTL formula (may be given several times)
    #[arg(long, value_name = "FORMULA", help_heading = "Properties")]
    pub ctl: Vec<String>,

    /// A PSL formula (may be given several times)
    #[arg(long, value_name = "FORMULA", help_heading = "Properties")]
    pub psl: Vec<String>,

    /// A formula of M2L, whose free sets are atoms in backquotes (may be given several times)
    #[arg(long, value_name = "FORMULA", help_heading = "Properties")]
    pub m2l: Vec<String>,

    /// A file with a monitor, or an automaton in the HOA format (may be given several times)
    #[arg(long, value_name = "FILE", help_heading = "Properties")]
    pub monitor: Vec<PathBuf>,

    /// Only the property with this name
    #[arg(long = "property", value_name = "NAME", help_heading = "Properties")]
    pub only: Option<String>,

    /// What the positions of LTL, PSL and M2L formulas on the command line are [default: states], or of an automaton that does not say so
    /// [default: events]
    #[arg(long, value_enum, value_name = "VIEW", help_heading = "Properties")]
    pub over: Option<Over>,

    /// Say also what will decide the property on this run
    #[arg(long, value_name = "RUN", help_heading = "Input")]
    pub run: Option<PathBuf>,

    #[command(flatten)]
    pub input: InputArgs,

    #[command(flatten)]
    pub root: RootArgs,

    /// Print the automaton for Graphviz
    #[arg(long, help_heading = "Output", group = "shown")]
    pub dot: bool,

    /// Print the automaton in the HOA format
    #[arg(long, help_heading = "Output", group = "shown")]
    pub hoa: bool,

    /// Print a monitor that needs nothing else: a Rust module, a C header, or a table as JSON
    #[arg(long, value_enum, value_name = "LANGUAGE", help_heading = "Output", group = "shown")]
    pub emit: Option<Emit>,

    /// Print the temporal tester that `verify` runs beside a model; with --json in parts
    #[arg(long, help_heading = "Output", conflicts_with_all = ["dot", "hoa", "emit", "run"])]
    pub tester: bool,

    /// With --emit, and for what is said about monitoring: which completions of a prefix count
    #[arg(long, value_enum, default_value_t, value_name = "WHICH", help_heading = "Output")]
    pub completions: CompletionsName,

    /// Print one JSON object
    #[arg(long, help_heading = "Output", group = "shown")]
    pub json: bool,

    /// With --dot and --hoa: of which words
    #[arg(long, value_enum, default_value_t, value_name = "WORDS", help_heading = "Output")]
    pub of: Of,

    /// With --dot and --hoa: the nondeterministic automaton that the search follows
    #[arg(long, help_heading = "Output")]
    pub nfa: bool,

    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,

    /// Stop after this long (500ms, 5s, 2m) [default: 10s]
    #[arg(long, value_name = "TIME", value_parser = amounts::duration, help_heading = "Limits")]
    pub timeout: Option<Duration>,

    #[command(flatten)]
    pub memory: MemoryArgs,
}

/// Which words an automaton accepts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Of {
    /// those that satisfy the property
    #[default]
    Good,
    /// those that violate it
    Bad,
}

/// What a monitor is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Emit {
    /// A module without dependencies
    Rust,
    /// One file of C99 to include
    C,
    /// One JSON object
    Table,
}
