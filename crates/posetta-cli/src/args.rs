//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use posetta::formats::Format;

use crate::{amounts, inputs};

/// Checks temporal properties over every order in which a distributed run could have happened.
#[derive(Debug, Parser)]
#[command(
    name = "posetta",
    version,
    about,
    long_about = "Your test saw one order of events. Posetta checks every order that could have happened.\n\n\
                  It reads a recorded run of a distributed system as a partial order (each process in its own order, each \
                  message before its receipt, everything else free) and decides temporal properties over all of its possible \
                  orders. For a violation it shows an order that fails.",
    after_help = EXAMPLES,
    arg_required_else_help = true,
    subcommand_required = true,
    disable_help_subcommand = true,
    max_term_width = 100
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  posetta check run.trace --ltl 'G !(c0 == 1 && c1 == 1)'   can both be in at once, in any order?
  posetta check runs/ --spec mutex.props --json             every run of a directory, for a program
  posetta info run.trace                                    how many orders are there?

Exit status: 0 every property holds; 1 some property is violated; 2 bad usage or bad input;
3 none violated, but a limit was reached before some answer was known.";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Decide properties on runs
    Check(CheckArgs),
    /// Say what is in a run: processes, events, and how many orders it has
    Info(InfoArgs),
    /// Check one order of a run, such as a witness, by the definition
    Replay(ReplayArgs),
    /// Write a run in another format
    Convert(ConvertArgs),
    /// Print a completion script for a shell
    #[command(after_help = "\
Examples:
  posetta completions bash > ~/.local/share/bash-completion/completions/posetta
  posetta completions zsh > \"${fpath[1]}/_posetta\"
  posetta completions fish > ~/.config/fish/completions/posetta.fish")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  posetta check run.trace --ltl 'G !(c0 == 1 && c1 == 1)'
  posetta check run.jsonl --ltl 'G (on(req == 1) -> F on(resp == 1))' --over events
  posetta check run.trace --ctl 'EF (leader_a == 1 && leader_b == 1)'
  posetta check runs/ 'more/*.jsonl' --spec protocol.props --timeout 30s --memory 2GiB
  generate-run | posetta check - --from jsonl --spec protocol.props --json

Exit status: 0 every property holds; 1 some property is violated; 2 bad usage or bad input;
3 none violated, but a limit was reached before some answer was known.")]
pub struct CheckArgs {
    #[arg(required = true, value_name = "RUN", help = runs_help())]
    pub runs: Vec<PathBuf>,

    /// A file with properties (may be given several times)
    #[arg(long, value_name = "FILE", help_heading = "Properties")]
    pub spec: Vec<PathBuf>,

    /// An LTL formula that every order must satisfy (may be given several times)
    #[arg(long, value_name = "FORMULA", help_heading = "Properties")]
    pub ltl: Vec<String>,

    /// A CTL formula about the global states that could occur (may be given several times)
    #[arg(long, value_name = "FORMULA", help_heading = "Properties")]
    pub ctl: Vec<String>,

    /// What the positions of --ltl formulas are: the states (the initial one first), or the events only
    #[arg(long, value_enum, default_value_t, value_name = "VIEW", help_heading = "Properties")]
    pub over: Over,

    #[command(flatten)]
    pub input: InputArgs,

    /// How to report
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", help_heading = "Output")]
    pub format: Report,

    /// Short for --format json
    #[arg(long, conflicts_with = "format", help_heading = "Output")]
    pub json: bool,

    /// When to show an order or a path as evidence: for violations, also for CTL properties that hold, or never
    #[arg(long, value_enum, default_value_t, value_name = "WHEN", help_heading = "Output")]
    pub witness: WitnessWhen,

    /// Stop after this long (500ms, 5s, 2m); what is not decided by then is `unknown`
    #[arg(long, value_name = "TIME", value_parser = amounts::duration, help_heading = "Limits")]
    pub timeout: Option<Duration>,

    #[command(flatten)]
    pub memory: MemoryArgs,

    /// How many checks run side by side [default: the number of processors]
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub jobs: Option<std::num::NonZeroUsize>,
}

#[derive(Debug, Args)]
pub struct InputArgs {
    /// The format of the runs, instead of finding it out
    #[arg(long, value_name = "FORMAT", value_parser = format_parser(), help_heading = "Input")]
    pub from: Option<Format>,

    /// What a record of a log looks like: an expression with the groups host, clock and event
    #[arg(long, value_name = "EXPR", help_heading = "Input")]
    pub regex: Option<String>,

    /// What stands between two runs of a log; a group `trace` names the run that follows
    #[arg(long, value_name = "EXPR", help_heading = "Input")]
    pub delimiter: Option<String>,

    /// Further groups of the log's expression that are variables: HOST.GROUP
    #[arg(long, value_name = "GROUP", value_delimiter = ',', help_heading = "Input")]
    pub set: Vec<String>,
}

#[derive(Debug, Args)]
pub struct MemoryArgs {
    /// Stay below this much memory (500MB, 2GiB); what does not fit is `unknown` [default: 80% of what is free]
    #[arg(long, value_name = "SIZE", value_parser = amounts::size, help_heading = "Limits")]
    pub memory: Option<u64>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  posetta info run.trace
  posetta info runs/ --json --timeout 1m

A cut is a global state that could have occurred; a linearisation is one possible order of all events. What did not
fit the limits is shown as `not known`, in JSON as null.")]
pub struct InfoArgs {
    #[arg(required = true, value_name = "RUN", help = runs_help())]
    pub runs: Vec<PathBuf>,

    #[command(flatten)]
    pub input: InputArgs,

    /// Print one JSON object
    #[arg(long, help_heading = "Output")]
    pub json: bool,

    /// Stop after this long (500ms, 5s, 2m) [default: 10s for the counts]
    #[arg(long, value_name = "TIME", value_parser = amounts::duration, help_heading = "Limits")]
    pub timeout: Option<Duration>,

    #[command(flatten)]
    pub memory: MemoryArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  posetta check run.trace --ltl 'G !(c0 == 1 && c1 == 1)' --json > report.json
  posetta replay run.trace --witness report.json --ltl 'G !(c0 == 1 && c1 == 1)'
  echo '[\"A.1\", \"B.1\", \"A.2\", \"B.2\"]' | posetta replay run.trace --witness - --ltl 'F (c0 == 1)'

Exit status: 0 the order satisfies the property; 1 it violates it; 2 it is no order of this run, or bad input;
3 a limit was reached first, or a path by itself settles nothing about a CTL property.")]
pub struct ReplayArgs {
    /// The run
    #[arg(value_name = "RUN")]
    pub run: PathBuf,

    /// The order: a JSON array of event ids, a report of `check --json`, or one id per line; - for standard input
    #[arg(long, value_name = "FILE")]
    pub witness: PathBuf,

    #[command(flatten)]
    pub input: InputArgs,

    /// The LTL formula
    #[arg(long, value_name = "FORMULA", help_heading = "Property", group = "formula")]
    pub ltl: Option<String>,

    /// The CTL formula
    #[arg(long, value_name = "FORMULA", help_heading = "Property", group = "formula")]
    pub ctl: Option<String>,

    /// A file with the property
    #[arg(long, value_name = "FILE", help_heading = "Property", group = "formula")]
    pub spec: Option<PathBuf>,

    /// Which property of the file, or of the report
    #[arg(long, value_name = "NAME", help_heading = "Property")]
    pub property: Option<String>,

    /// What the positions of an --ltl formula are
    #[arg(long, value_enum, default_value_t, value_name = "VIEW", help_heading = "Property")]
    pub over: Over,

    /// Print one JSON object
    #[arg(long, help_heading = "Output")]
    pub json: bool,

    /// Stop after this long (500ms, 5s, 2m)
    #[arg(long, value_name = "TIME", value_parser = amounts::duration, help_heading = "Limits")]
    pub timeout: Option<Duration>,

    #[command(flatten)]
    pub memory: MemoryArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  posetta convert server.log -o run.trace
  posetta convert run.jsonl -o run.dot && dot -Tsvg run.dot > run.svg
  posetta convert run.trace -o - --to mermaid
  posetta convert 'tests.log#second run' -o run.jsonl

What the format of OUT cannot hold is named on standard error; the order of the events and their values are kept by all.

Exit status: 0 written; 2 bad usage or bad input, nothing is written; 3 a limit was reached first.")]
pub struct ConvertArgs {
    /// The run: a file, a run of it (FILE#LABEL), or - for standard input
    #[arg(value_name = "IN")]
    pub run: PathBuf,

    /// Where to write; - for standard output
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,

    /// The format to write, instead of the one that the extension of OUT means
    #[arg(long, value_name = "FORMAT", value_parser = format_parser(), help_heading = "Output")]
    pub to: Option<Format>,

    #[command(flatten)]
    pub input: InputArgs,

    /// Stop after this long (500ms, 5s, 2m)
    #[arg(long, value_name = "TIME", value_parser = amounts::duration, help_heading = "Limits")]
    pub timeout: Option<Duration>,

    #[command(flatten)]
    pub memory: MemoryArgs,
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

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Report {
    /// for people
    #[default]
    Human,
    /// one JSON object
    Json,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum WitnessWhen {
    /// for violations
    #[default]
    Auto,
    /// also for CTL properties that hold
    Always,
    /// not at all
    Never,
}

/// What a run may be.
fn runs_help() -> String {
    let extensions = inputs::extensions();
    format!(
        "Runs: files, directories (searched for files that end in {}), quoted patterns such as 'runs/*.jsonl', \
         or - for standard input",
        extensions.join(", ")
    )
}

/// Offers the names of the formats in help and completions.
fn format_parser() -> impl clap::builder::TypedValueParser<Value = Format> {
    use clap::builder::{PossibleValuesParser, TypedValueParser};
    PossibleValuesParser::new(Format::ALL.iter().map(|f| f.name()))
        .try_map(|name| Format::from_name(&name).ok_or_else(|| format!("there is no format `{name}`")))
}
