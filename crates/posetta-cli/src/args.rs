//! The command line. Each command has a file of its own; what they share is here, in [`properties`] and in [`terminal`].

mod check;
mod door;
mod explain;
mod init;
mod later;
mod lsp;
mod m2l;
mod monitor;
mod properties;
mod receive;
mod refine;
mod report;
mod runs;
mod serve;
mod show;
mod terminal;
mod verify;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use posetta_formats::{Format, Trust};

pub use check::{CheckArgs, EngineName, WitnessWhen};
pub use door::DoorArgs;
pub use explain::{Emit, ExplainArgs, Of};
pub use init::InitArgs;
pub use later::Later;
pub use lsp::LspArgs;
pub use m2l::{M2lArgs, M2lEngine};
pub use monitor::{CompletionsName, MonitorArgs};
pub use properties::{AutomatonArgs, BranchingArgs, Given, PropertyArgs};
pub use receive::{CollectArgs, ReceiveArgs, TestArgs};
pub use refine::{AbstractionName, RefineArgs, RefineEngineName};
pub use report::{FileReport, Form, ReportArgs};
pub use runs::{ConvertArgs, GenArgs, InfoArgs, ReplayArgs};
pub use serve::ServeArgs;
pub use show::{PictureForm, ShowArgs};
pub use terminal::{ColorWhen, ProgressWhen, TerminalArgs};
pub use verify::{SystemEngineName, TrailWhen, VerifyArgs};

use crate::sampling::SamplingArgs;
use crate::unsaved::UnsavedArgs;
use crate::{amounts, deny, inputs};

/// Checks temporal properties over every order in which a distributed run could have happened.
#[derive(Debug, Parser)]
#[command(
    name = "posetta",
    version,
    about,
    long_about = "Your test saw one order of events. Posetta checks every order that could have happened.\n\n\
                  It reads a recorded run of a distributed system as a partial order: each process in its own order, each \
                  message before its receipt, everything else in any order. It decides temporal properties over all \
                  possible orders of the run. For a violation it shows an order that fails.",
    after_long_help = EXAMPLES,
    arg_required_else_help = true,
    subcommand_required = true
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,

    #[command(flatten)]
    pub terminal: TerminalArgs,

    /// Warnings that count as errors, with exit status 2: `warnings` for all of them, or a kind (may be repeated)
    #[arg(
        long,
        global = true,
        value_name = "KIND",
        value_delimiter = ',',
        hide_possible_values = true,
        value_parser = deny::Words,
        help_heading = "Output",
        hide_short_help = true
    )]
    pub deny: Vec<deny::Deny>,

    #[command(flatten)]
    pub unsaved: UnsavedArgs,

    /// End when standard input ends: for whoever starts this program and may be gone before it.
    #[arg(long, global = true, hide = true)]
    pub tied: bool,

    /// Read only files in these directories: for whoever starts this program for others.
    #[arg(long, global = true, hide = true, value_name = "DIR")]
    pub confine: Vec<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  posetta check examples/mutex/race.trace --spec examples/mutex/mutex.props
  posetta verify examples/models/peterson.smv
  posetta info examples/chat/run.jsonl
  posetta explain 'G (req -> F resp)'

`posetta help COMMAND` explains a command, with examples.

Exit status of most commands:
  0  every property holds
  1  some property is violated
  2  bad usage or bad input
  3  none is violated, but a limit was reached before some answer was known";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Look at the files here, and propose a mapping and first properties
    Init(Later<InitArgs>),
    /// Check properties on recorded runs
    Check(Later<CheckArgs>),
    /// Run a command, such as your tests, and check the traces that it exports by OpenTelemetry
    Test(Later<TestArgs>),
    /// Receive spans from OpenTelemetry, and write them to a file
    Collect(Later<CollectArgs>),
    /// Look at the files of a folder in a browser, and check properties of them there
    Serve(Later<ServeArgs>),
    /// Check properties of a model
    Verify(Later<VerifyArgs>),
    /// Decide whether an M2L formula is valid (the logic of MONA on strings)
    M2l(Later<M2lArgs>),
    /// Check whether one system of components implements another
    Refine(Later<RefineArgs>),
    /// Watch a stream, and report after each record what has changed
    Monitor(Later<MonitorArgs>),
    /// Draw a run or a model, and how a property fails
    Show(Later<ShowArgs>),
    /// Show what is in a run: processes, events, and how many orders it has
    Info(Later<InfoArgs>),
    /// Check one order of a run, such as one that a report shows
    Replay(Later<ReplayArgs>),
    /// Write a run in another format
    Convert(Later<ConvertArgs>),
    /// Simulate a known protocol, to try Posetta on its runs
    Gen(Later<GenArgs>),
    /// Explain a property: what it means, what kind it is, examples, its automaton
    Explain(Later<ExplainArgs>),
    /// Help an editor with property files and system files: a language server on standard input and output
    Lsp(Later<LspArgs>),
    /// Write the manual pages, for whoever makes a package
    #[command(hide = true)]
    Man {
        /// The directory for them
        directory: PathBuf,
    },
    /// Print a script that completes command lines in a shell
    #[command(after_long_help = "\
Examples:
  posetta completions bash > posetta.bash
  posetta completions zsh > _posetta
  posetta completions fish > posetta.fish

Where the script belongs: for bash ~/.local/share/bash-completion/completions/posetta, \
for zsh a file _posetta in a directory of $fpath, for fish \
~/.config/fish/completions/posetta.fish.")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

#[derive(Debug, Args)]
pub struct InputArgs {
    /// The format of the runs [default: found from the name and the first bytes]
    #[arg(long, value_name = "FORMAT", value_parser = format_parser(), help_heading = "Input")]
    pub from: Option<Format>,

    /// What a record of a log looks like: a regular expression with the groups host, clock and event
    #[arg(long, value_name = "EXPR", hide_short_help = true, help_heading = "Input")]
    pub regex: Option<String>,

    /// What separates two runs of a log: a regular expression. Its group `trace` names the run that follows
    #[arg(long, value_name = "EXPR", hide_short_help = true, help_heading = "Input")]
    pub delimiter: Option<String>,

    /// Further groups of the expression that are variables, called HOST.GROUP
    #[arg(long, value_name = "GROUP", value_delimiter = ',', hide_short_help = true, help_heading = "Input")]
    pub set: Vec<String>,

    /// What to assume of spans beside what caused what: nothing, that a span ends after those inside of it (nesting), that the
    /// clock of a chain of local calls (segment), of an instance or of a host does not run backwards. Each assumes what those before
    /// it do [default: segment]
    #[arg(long, value_name = "LEVEL", value_parser = trust_parser(), hide_short_help = true, help_heading = "Input")]
    pub trust: Option<Trust>,

    /// Assume that no two clocks are further apart than this (5ms): events that are further apart are ordered by them
    #[arg(long, value_name = "TIME", value_parser = amounts::duration, hide_short_help = true, help_heading = "Input")]
    pub skew: Option<Duration>,

    /// What the fields of JSON objects or the columns of a table mean: a mapping file, or one key of it (process=node,
    /// set.x=state.x), which goes before the file
    #[arg(long, value_name = "FILE|KEY=FIELD", hide_short_help = true, help_heading = "Input")]
    pub map: Vec<String>,

    #[command(flatten)]
    pub sampling: SamplingArgs,
}

#[derive(Debug, Args)]
pub struct JoinArgs {
    /// Read the files as parts of one run, such as the logs of its nodes
    #[arg(long, help_heading = "Input")]
    pub join: bool,
}

#[derive(Clone, Debug, Default, Args)]
pub struct MemoryArgs {
    /// Use at most this much memory (500MB, 2GiB); what does not fit is `unknown` [default: 80% of what is free]
    #[arg(long, value_name = "SIZE", value_parser = amounts::size, hide_short_help = true, help_heading = "Limits")]
    pub memory: Option<u64>,
}

/// Which positions a formula on the command line reads.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum Over {
    /// the initial state and the state after each event
    #[default]
    States,
    /// the events only
    Events,
}

/// What a run may be.
fn runs_help() -> String {
    let extensions = inputs::extensions();
    format!(
        "Runs: files, directories (searched for files that end in {}, and for exports that end in .json), quoted \
         patterns such as 'runs/*.jsonl', or - for standard input",
        extensions.join(", ")
    )
}

/// Offers the names of the formats in help and completions.
fn format_parser() -> impl clap::builder::TypedValueParser<Value = Format> {
    parser_of(|_| true)
}

/// Offers what can be assumed.
fn trust_parser() -> impl clap::builder::TypedValueParser<Value = Trust> {
    use clap::builder::{PossibleValuesParser, TypedValueParser};
    PossibleValuesParser::new(Trust::ALL.map(Trust::name)).try_map(|name| {
        Trust::ALL.into_iter().find(|level| level.name() == name).ok_or_else(|| format!("there is no level `{name}`"))
    })
}

/// The same for formats to write.
fn written_parser() -> impl clap::builder::TypedValueParser<Value = Format> {
    parser_of(Format::is_written)
}

/// The same for runs of several processes, which no table holds.
fn simulated_parser() -> impl clap::builder::TypedValueParser<Value = Format> {
    parser_of(|format| format.is_written() && format != Format::Csv)
}

fn parser_of(offers: impl Fn(Format) -> bool) -> impl clap::builder::TypedValueParser<Value = Format> {
    use clap::builder::{PossibleValuesParser, TypedValueParser};
    PossibleValuesParser::new(Format::ALL.iter().filter(|f| offers(**f)).map(|f| f.name()))
        .try_map(|name| Format::from_name(&name).ok_or_else(|| format!("there is no format `{name}`")))
}
