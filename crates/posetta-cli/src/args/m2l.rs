//! What `posetta m2l` takes.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::{MemoryArgs, ReportArgs};
use crate::amounts;
use crate::root::RootArgs;

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  posetta m2l examples/m2l/addition.mona
  posetta m2l examples/m2l/bus.mona --json --timeout 1m
  echo 'm2l-str; var2 X; ~empty(X) => max X in X;' | posetta m2l -
  posetta m2l examples/m2l/addition.mona --dot > addition.dot

Files are those of MONA 1.4 for strings: `ws1s` (finite sets of natural numbers, \
the default) and `m2l-str` (sets of positions of a string). Formulas end with `;` \
and are joined by `and`.

Exit status:
  0  the formula is valid, and so is every `verify`
  1  it is not valid
  2  bad usage or bad input
  3  a limit was reached before the answer was known")]
pub struct M2lArgs {
    /// The file; - for standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    #[command(flatten)]
    pub root: RootArgs,

    /// Print the automaton for Graphviz
    #[arg(long, help_heading = "Output", group = "shown", conflicts_with_all = ["format", "json", "report"])]
    pub dot: bool,

    /// Print the automaton in the HOA format
    #[arg(long, hide_short_help = true, help_heading = "Output", group = "shown", conflicts_with_all = ["format", "json", "report"])]
    pub hoa: bool,

    /// Print the automaton in MONA's own format
    #[arg(long, hide_short_help = true, help_heading = "Output", group = "shown", conflicts_with_all = ["format", "json", "report"])]
    pub mona: bool,

    #[command(flatten)]
    pub report: ReportArgs,

    /// Show the cost of the answer
    #[arg(long, help_heading = "Output")]
    pub stats: bool,

    /// How the formula is decided
    #[arg(long, value_enum, default_value_t, value_name = "ENGINE", hide_short_help = true, help_heading = "Limits")]
    pub engine: M2lEngine,

    /// Stop after this long (500ms, 5s, 2m); what is not decided by then is `unknown`
    #[arg(long, value_name = "TIME", value_parser = amounts::duration, help_heading = "Limits")]
    pub timeout: Option<Duration>,

    #[command(flatten)]
    pub memory: MemoryArgs,
}

/// How a formula of M2L is decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum M2lEngine {
    /// all of them side by side, until one has the answer
    #[default]
    Auto,
    /// by its automaton, built in the order that seems cheapest
    Eager,
    /// step by step, without an automaton for the outermost part of the formula
    Lazy,
    /// by its automaton, built as the formula is written, as MONA does
    Written,
}
