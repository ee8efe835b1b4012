//! What `posetta explain` takes.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::{AutomatonArgs, BranchingArgs, CompletionsName, InputArgs, MemoryArgs, PropertyArgs};
use crate::amounts;
use crate::root::RootArgs;

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  posetta explain 'G (req == 1 -> F resp == 1)'
  posetta explain examples/mutex/mutex.props examples/mutex/race.trace
  posetta explain --ltl '!on(resp == 1) W on(req == 1)' --over events --emit c
  posetta explain --library

With a run it also says what will decide the property on that run.

Exit status:
  0  explained
  2  bad usage or bad input, or the run does not fit the property
  3  a limit was reached before everything was known")]
pub struct ExplainArgs {
    /// A file of properties, or a formula; then optionally a run. If a flag gives the property, only a run
    #[arg(value_name = "PROPERTY|RUN")]
    pub property_and_run: Vec<String>,

    #[command(flatten)]
    pub properties: PropertyArgs,

    #[command(flatten)]
    pub branching: BranchingArgs,

    #[command(flatten)]
    pub automata: AutomatonArgs,

    /// Say also what will decide the property on this run
    #[arg(long, value_name = "RUN", help_heading = "Input")]
    pub run: Option<PathBuf>,

    #[command(flatten)]
    pub input: InputArgs,

    #[command(flatten)]
    pub root: RootArgs,

    /// List the library of properties (`import "std/NAME"`); with a NAME, print that part of it
    #[arg(
        long,
        value_name = "NAME",
        num_args = 0..=1,
        help_heading = "Output",
        conflicts_with_all = ["property_and_run", "run", "shown", "tester", "output"]
    )]
    #[expect(clippy::option_option, reason = "not given, given, given with a name")]
    pub library: Option<Option<String>>,

    /// Print the automaton for Graphviz
    #[arg(long, help_heading = "Output", group = "shown")]
    pub dot: bool,

    /// Draw the automaton as SVG, with what is known in each state
    #[arg(long, help_heading = "Output", group = "shown")]
    pub svg: bool,

    /// Print the automaton in the HOA format
    #[arg(long, help_heading = "Output", group = "shown")]
    pub hoa: bool,

    /// Print monitors without dependencies: Rust, C, SystemVerilog, VHDL, or a table as JSON
    #[arg(long, value_enum, value_name = "LANGUAGE", hide_short_help = true, help_heading = "Output", group = "shown")]
    pub emit: Option<Emit>,

    /// With --emit: what the monitor is called, or what the names of several start with [default: as the property]
    #[arg(long, value_name = "NAME", hide_short_help = true, help_heading = "Output", requires = "emit")]
    pub monitor_name: Option<String>,

    /// Print the temporal tester that `verify` runs beside a model; with --json its parts
    #[arg(long, hide_short_help = true, help_heading = "Output", conflicts_with_all = ["dot", "svg", "hoa", "emit", "run"])]
    pub tester: bool,

    /// With --emit, and in what is said about monitoring: which continuations of a stream count
    #[arg(long, value_enum, default_value_t, value_name = "WHICH", hide_short_help = true, help_heading = "Output")]
    pub completions: CompletionsName,

    /// Print one JSON object
    #[arg(long, help_heading = "Output", group = "shown")]
    pub json: bool,

    /// With --dot, --svg and --hoa: which sequences the automaton accepts
    #[arg(long, value_enum, default_value_t, value_name = "WHICH", hide_short_help = true, help_heading = "Output")]
    pub of: Of,

    /// With --dot, --svg and --hoa: print the nondeterministic automaton that the search uses
    #[arg(long, hide_short_help = true, help_heading = "Output")]
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

/// Which sequences an automaton accepts.
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
    /// a module
    Rust,
    /// one file to include, in C99 or C++
    C,
    /// an automaton for one monitor per task, in C, as the Linux kernel has them
    Kernel,
    /// a module of SystemVerilog
    Sv,
    /// an entity of VHDL
    Vhdl,
    /// one JSON object
    Table,
}
