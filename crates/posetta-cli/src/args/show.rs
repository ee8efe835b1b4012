//! What `posetta show` takes.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::{AutomatonArgs, BranchingArgs, InputArgs, JoinArgs, MemoryArgs, PropertyArgs};
use crate::amounts;
use crate::root::RootArgs;

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  posetta show examples/chat/run.jsonl > run.svg
  posetta show examples/mutex/race.trace --spec examples/mutex/mutex.props -o race.html
  posetta show examples/chat/run.jsonl -o run.mmd
  posetta show examples/models/philosophers.sys --deadlock -o deadlock.png

The picture has a lane for each process, its events from top to bottom, and an \
arrow for each cause on another process. For a property that fails it shows the \
recorded order beside the closest order that fails. An HTML file is complete in \
itself: it loads nothing, and can be sent to somebody.

Of a model the picture shows for each property that fails a run that does not \
satisfy it, with a lane for each component.

A picture of a violation is drawn like any other; use `check` or `verify` for an \
exit status.

Exit status:
  0  the picture is written
  2  bad usage or bad input; nothing is written
  3  a limit was reached before the run was read, and nothing is written; or
     before some answer was known, and the picture says so")]
pub struct ShowArgs {
    /// The run: a file, a run of it (FILE#LABEL), or - for standard input; with --join the parts of it. Or a model
    /// (.smv, .sys, .aut or .pnml)
    #[arg(required = true, value_name = "RUN")]
    pub run: Vec<PathBuf>,

    /// Where to write: a file that ends in .html, .svg, .png, .json, .mmd or .dot [default: standard output]
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,

    /// The format of the picture [default: what the extension of FILE says, svg without one]
    #[arg(long = "to", alias = "format", value_enum, value_name = "FORMAT", help_heading = "Output")]
    pub to: Option<PictureForm>,

    #[command(flatten)]
    pub properties: PropertyArgs,

    #[command(flatten)]
    pub branching: BranchingArgs,

    #[command(flatten)]
    pub automata: AutomatonArgs,

    /// Of a model: ask also whether every reachable state has a next one or is final
    #[arg(long, help_heading = "Models")]
    pub deadlock: bool,

    /// Of a file with several systems of components: which one [default: the last]
    #[arg(long, value_name = "NAME", help_heading = "Models")]
    pub system: Option<String>,

    #[command(flatten)]
    pub join: JoinArgs,

    #[command(flatten)]
    pub input: InputArgs,

    #[command(flatten)]
    pub root: RootArgs,

    /// Stop after this long (500ms, 5s, 2m)
    #[arg(long, value_name = "TIME", value_parser = amounts::duration, help_heading = "Limits")]
    pub timeout: Option<Duration>,

    #[command(flatten)]
    pub memory: MemoryArgs,
}

/// The form of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PictureForm {
    /// a page to explore the run in a browser
    Html,
    /// a drawing
    Svg,
    /// the drawing in pixels
    Png,
    /// the data of the page
    Json,
    /// a sequence diagram for Mermaid, of the run alone
    #[value(alias = "mmd")]
    Mermaid,
    /// a graph for Graphviz, of the run alone
    Dot,
}
