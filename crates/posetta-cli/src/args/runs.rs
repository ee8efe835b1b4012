//! What the commands take that read, write and make runs: `info`, `replay`, `convert` and `gen`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use posetta_formats::Format;

use super::{InputArgs, JoinArgs, MemoryArgs, Over, runs_help, simulated_parser, written_parser};
use crate::amounts;
use crate::r#gen::{Deps, Workload};
use crate::root::RootArgs;

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  posetta info examples/mutex/race.trace
  posetta info examples/chat examples/valve --json --timeout 1m

A cut is a global state that could have occurred. A linearisation is one possible \
order of all events. What did not fit the limits is shown as `not known`, in JSON \
as null.

Exit status:
  0  every run was read
  2  bad usage or bad input
  3  a limit was reached before every run was read")]
pub struct InfoArgs {
    #[arg(required = true, value_name = "RUN", help = runs_help())]
    pub runs: Vec<PathBuf>,

    #[command(flatten)]
    pub join: JoinArgs,

    #[command(flatten)]
    pub input: InputArgs,

    #[command(flatten)]
    pub root: RootArgs,

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
#[command(after_long_help = "\
Examples:
  posetta check examples/mutex/race.trace --ltl 'G c0+c1 < 2' --json > r.json
  posetta replay examples/mutex/race.trace --ltl 'G c0+c1 < 2' --witness r.json
  echo 'A.1 B.1 A.2 B.2' | tr ' ' '\\n' > order.txt
  posetta replay examples/mutex/race.trace --ltl 'F c0 == 1' --witness order.txt

Exit status:
  0  the order satisfies the property
  1  the order violates the property
  2  it is not an order of this run, or bad usage or bad input
  3  a limit was reached first, or a path decides nothing about a CTL formula")]
pub struct ReplayArgs {
    /// The run; with --join the parts of it
    #[arg(required = true, value_name = "RUN")]
    pub run: Vec<PathBuf>,

    /// The order: a JSON array of event ids, a report of `check --json`, or one id per line; - for standard input
    #[arg(long, value_name = "FILE")]
    pub witness: PathBuf,

    #[command(flatten)]
    pub join: JoinArgs,

    #[command(flatten)]
    pub input: InputArgs,

    #[command(flatten)]
    pub root: RootArgs,

    /// The LTL formula
    #[arg(long, value_name = "FORMULA", help_heading = "Property", group = "formula")]
    pub ltl: Option<String>,

    /// The CTL formula
    #[arg(long, value_name = "FORMULA", help_heading = "Property", group = "formula")]
    pub ctl: Option<String>,

    /// The PSL formula
    #[arg(long, value_name = "FORMULA", help_heading = "Property", group = "formula")]
    pub psl: Option<String>,

    /// The formula of M2L
    #[arg(long, value_name = "FORMULA", help_heading = "Property", group = "formula")]
    pub m2l: Option<String>,

    /// A file with the property
    #[arg(long, value_name = "FILE", help_heading = "Property", group = "formula")]
    pub spec: Option<PathBuf>,

    /// A file with a monitor, or an automaton in the HOA format
    #[arg(long, value_name = "FILE", help_heading = "Property", group = "formula")]
    pub monitor: Option<PathBuf>,

    /// Which property of the file, or of the report
    #[arg(long, value_name = "NAME", help_heading = "Property")]
    pub property: Option<String>,

    /// What the positions of an --ltl, --psl or --m2l formula are: states, the initial one first, or events. Also for an
    /// automaton that does not say it [default: states; for an automaton events]
    #[arg(long, value_enum, value_name = "VIEW", help_heading = "Property")]
    pub over: Option<Over>,

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
#[command(after_long_help = "\
Examples:
  posetta convert 'examples/cache/cache.log#repaired' -o cache.jsonl
  posetta convert examples/mutex/race.trace -o race.dot
  posetta convert examples/chat/run.jsonl -o - --to mermaid

Every format keeps the order of the events and their values. What else OUT cannot \
hold is named on standard error.

Exit status:
  0  the run is written
  2  bad usage or bad input; nothing is written
  3  a limit was reached first; nothing is written")]
pub struct ConvertArgs {
    /// The run: a file, a run of it (FILE#LABEL), or - for standard input; with --join the parts of it
    #[arg(required = true, value_name = "IN")]
    pub run: Vec<PathBuf>,

    /// Where to write; - for standard output
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,

    /// The format to write [default: what the extension of OUT says]
    #[arg(long, value_name = "FORMAT", value_parser = written_parser(), help_heading = "Output")]
    pub to: Option<Format>,

    #[command(flatten)]
    pub join: JoinArgs,

    #[command(flatten)]
    pub input: InputArgs,

    /// Stop after this long (500ms, 5s, 2m)
    #[arg(long, value_name = "TIME", value_parser = amounts::duration, help_heading = "Limits")]
    pub timeout: Option<Duration>,

    #[command(flatten)]
    pub memory: MemoryArgs,
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  posetta gen peterson --events 1000 -o peterson.jsonl
  posetta gen peterson --props -o peterson.props
  posetta check peterson.jsonl --spec peterson.props --timeout 10s
  posetta gen philosophers --processes 5 --faulty --seed 3 | posetta info -

The same arguments give the same bytes on every machine, and the same events in \
every version. A run in JSON lines is written while it is simulated, so it may be \
longer than memory; for other formats it is collected first. What a format cannot \
hold is named on standard error.

Exit status:
  0  the run is written
  2  bad usage or bad input")]
pub struct GenArgs {
    /// What to simulate
    #[arg(value_enum, value_name = "WORKLOAD")]
    pub workload: Workload,

    /// For sat: the formula, a file in the DIMACS format; - for standard input
    #[arg(value_name = "FILE")]
    pub formula: Option<PathBuf>,

    /// How many processes [default: 2; 5 for philosophers, 8 for fig4, 4 for random]
    #[arg(long, value_name = "K", help_heading = "Workload")]
    pub processes: Option<usize>,

    /// How many events the run has, over all processes [default: 1000; fig4 has two for each process]
    #[arg(long, value_name = "N", help_heading = "Workload")]
    pub events: Option<u64>,

    /// Which run: decides who moves next, and what is lost
    #[arg(long, value_name = "S", default_value_t = 1, help_heading = "Workload")]
    pub seed: u64,

    /// Put the fault that the papers look for into the protocol
    #[arg(long, help_heading = "Workload")]
    pub faulty: bool,

    /// What orders the uses of shared variables [default: read-from]
    #[arg(long, value_enum, value_name = "DEPS", help_heading = "Workload")]
    pub deps: Option<Deps>,

    /// For random: the probability, from 0 to 1, that an event receives a message [default: 0.2]
    #[arg(long, value_name = "P", help_heading = "Workload")]
    pub coupling: Option<f64>,

    /// Print the properties that the papers check on this workload instead of a run
    #[arg(long, conflicts_with_all = ["events", "to"], help_heading = "Output")]
    pub props: bool,

    /// The file to write [default: standard output]
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,

    /// The format of the run [default: what the extension of FILE says, jsonl without one]
    #[arg(long, value_name = "FORMAT", value_parser = simulated_parser(), help_heading = "Output")]
    pub to: Option<Format>,
}
