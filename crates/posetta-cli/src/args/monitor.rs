//! What `posetta monitor` takes.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use posetta_formats::Format;
use posetta_monitor::Completions;

use super::{AutomatonArgs, Form, MemoryArgs, PropertyArgs, ReportArgs, format_parser};
use crate::amounts;
use crate::root::RootArgs;
use crate::sampling::SamplingArgs;

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  cat examples/thermostat/night.jsonl | posetta monitor --ltl 'G temp < 22'
  posetta monitor examples/chat/run.jsonl --ltl 'F us_answer == 1' --json
  posetta monitor examples/chat/run.jsonl --ltl 'F us_answer == 1' --key process
  posetta monitor examples/chat/run.jsonl --ltl 'F us_answer == 1' -o out.txt

A line is printed whenever an answer changes. It says whether the records so far \
satisfy the property, and whether that can still change: `holds` and `violated` \
are final, `open` is not. The summary at the end goes to standard error.

Exit status:
  0  every property holds; what is open at the end counts as it stands
  1  some property is violated
  2  bad usage or bad input, such as a line that was skipped
  3  none is violated, but a limit was reached")]
pub struct MonitorArgs {
    /// The stream: a file, or - for standard input
    #[arg(value_name = "SOURCE")]
    pub source: Option<PathBuf>,

    #[command(flatten)]
    pub properties: PropertyArgs,

    #[command(flatten)]
    pub automata: AutomatonArgs,

    /// Which continuations of the stream count before `holds` or `violated` is final
    #[arg(
        long,
        value_enum,
        default_value_t,
        value_name = "WHICH",
        hide_short_help = true,
        help_heading = "Properties"
    )]
    pub completions: CompletionsName,

    /// The format of the stream [default: found from its first bytes, else jsonl]
    #[arg(long, value_name = "FORMAT", value_parser = format_parser(), help_heading = "Input")]
    pub from: Option<Format>,

    /// What the fields of JSON objects mean: a mapping file, or one key of it (process=node, set.x=state.x), which goes
    /// before the file
    #[arg(long, value_name = "FILE|KEY=FIELD", hide_short_help = true, help_heading = "Input")]
    pub map: Vec<String>,

    #[command(flatten)]
    pub sampling: SamplingArgs,

    /// At the end of the file wait for more, until interrupted or until the file is removed or truncated
    #[arg(long, help_heading = "Input")]
    pub follow: bool,

    /// Treat the records with the same value of this field as a stream of their own. FIELD is a variable, an attribute, or
    /// one of process, name, id
    #[arg(long, value_name = "FIELD", help_heading = "Input")]
    pub key: Option<String>,

    /// Stop at the first mistake in the stream instead of skipping the line
    #[arg(long, hide_short_help = true, help_heading = "Input")]
    pub strict: bool,

    #[command(flatten)]
    pub root: RootArgs,

    #[command(flatten)]
    pub report: ReportArgs,

    /// Print a line for every record, not only for changes
    #[arg(long, help_heading = "Output")]
    pub every: bool,

    /// Write the lines to this file instead of standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub out: Option<PathBuf>,

    /// Save the progress in this file, and continue from it if it exists
    #[arg(long, value_name = "FILE", help_heading = "Checkpoints")]
    pub checkpoint: Option<PathBuf>,

    /// Records between two checkpoints [default: 10000]
    #[arg(long, value_name = "N", requires = "checkpoint", hide_short_help = true, help_heading = "Checkpoints")]
    pub checkpoint_every: Option<std::num::NonZeroU64>,

    /// Stop after this long (500ms, 5s, 2m); what is open then is `unknown`
    #[arg(long, value_name = "TIME", value_parser = amounts::duration, help_heading = "Limits")]
    pub timeout: Option<Duration>,

    #[command(flatten)]
    pub memory: MemoryArgs,
}

impl MonitorArgs {
    /// Whether the report is for programs.
    pub fn is_json(&self) -> bool {
        self.report.stdout() == Form::Json
    }
}

/// Which continuations of a prefix count.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum CompletionsName {
    /// those that end, now or later
    Finite,
    /// those that never end
    Infinite,
    /// all of them
    #[default]
    Both,
}

impl From<CompletionsName> for Completions {
    fn from(name: CompletionsName) -> Self {
        match name {
            CompletionsName::Finite => Self::Finite,
            CompletionsName::Infinite => Self::Infinite,
            CompletionsName::Both => Self::Both,
        }
    }
}
