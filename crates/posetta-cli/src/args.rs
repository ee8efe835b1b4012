//! The command line. What `explain` takes is in [`explain`].

mod explain;
mod refine;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use posetta::formats::Format;
use posetta::monitor::Completions;

pub use explain::{Emit, ExplainArgs, Of};
pub use refine::{AbstractionName, RefineArgs, RefineEngineName};

use crate::r#gen::{Deps, Workload};
use crate::root::RootArgs;
use crate::sampling::SamplingArgs;
use crate::{amounts, deny, inputs};

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

    /// Warnings that count as mistakes, with exit status 2: all of them, or a kind (may be given several times). For CI:
    /// --deny warnings
    #[arg(
        long,
        global = true,
        value_name = "KIND",
        value_delimiter = ',',
        hide_possible_values = true,
        value_parser = deny::parser(),
        help_heading = "Output"
    )]
    pub deny: Vec<deny::Deny>,
}

const EXAMPLES: &str = "\
Examples:
  posetta check run.trace --ltl 'G !(c0 == 1 && c1 == 1)'   can both be in at once, in any order?
  posetta check runs/ --spec mutex.props --json             every run of a directory, for a program
  posetta verify mutex.smv                                  does the design itself have its properties?
  posetta refine design.sys service.sys                     does the design do only what the service allows?
  my-system | posetta monitor --spec protocol.props         watch a stream
  posetta m2l adder.mona                                    is the formula true of every string?
  posetta info run.trace                                    how many orders are there?
  posetta explain 'G (req -> F resp)'                       what does this say, and what kind of property is it?

Exit status: 0 every property holds; 1 some property is violated; 2 bad usage or bad input;
3 none violated, but a limit was reached before some answer was known.";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Decide properties on runs
    Check(CheckArgs),
    /// Decide properties of a model
    Verify(VerifyArgs),
    /// Decide a formula of M2L, MONA's logic of strings
    M2l(M2lArgs),
    /// Decide whether one system of components implements another
    Refine(RefineArgs),
    /// Watch a stream, and tell after each record what has changed
    Monitor(MonitorArgs),
    /// Say what is in a run: processes, events, and how many orders it has
    Info(InfoArgs),
    /// Check one order of a run, such as a witness, by the definition
    Replay(ReplayArgs),
    /// Write a run in another format
    Convert(ConvertArgs),
    /// Write a run of a known protocol, to try Posetta on
    Gen(GenArgs),
    /// Say what a property means and what kind of property it is, with examples and its automaton
    Explain(ExplainArgs),
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
  posetta check run.jsonl --psl 'always {req; !ack[*]; ack} |=> done'
  posetta check run.trace --ctl 'EF (leader_a == 1 && leader_b == 1)'
  posetta check run.jsonl --m2l 'all1 p: p in `event(send)` => ex1 q: p < q & q in `event(recv)`'
  posetta check run.trace --monitor mutex.props
  posetta check run.jsonl --model protocol.sys                 does some order follow the design?
  posetta check runs/ 'more/*.jsonl' --spec protocol.props --timeout 30s --memory 2GiB
  posetta check node1.jsonl node2.jsonl --join --spec p.props  the logs of the nodes are one run
  posetta check runs/ --spec protocol.props --deny warnings    in CI: a property that asks for nothing is a mistake
  generate-run | posetta check - --from jsonl --spec protocol.props --json
  my-system | posetta check --follow --spec protocol.props     verdicts while the run happens
  posetta check waves.vcd --clock clk --ltl 'G (req == 1 -> F ack == 1)'

Exit status: 0 every property holds; 1 some property is violated; 2 bad usage or bad input;
3 none violated, but a limit was reached before some answer was known.")]
pub struct CheckArgs {
    #[arg(required_unless_present = "follow", value_name = "RUN", help = runs_help())]
    pub runs: Vec<PathBuf>,

    /// Read one run in JSON lines while it is written, and tell each verdict as soon as it is certain [default run: -]
    #[arg(
        long,
        help_heading = "Input",
        conflicts_with_all = ["regex", "delimiter", "set", "clock", "unknown", "witness", "jobs", "engine", "verdict_only", "no_slice", "counts", "trace", "model", "join"]
    )]
    pub follow: bool,

    /// A file with properties (may be given several times)
    #[arg(long, value_name = "FILE", help_heading = "Properties")]
    pub spec: Vec<PathBuf>,

    /// An LTL formula that every order must satisfy (may be given several times)
    #[arg(long, value_name = "FORMULA", help_heading = "Properties")]
    pub ltl: Vec<String>,

    /// A CTL formula about the global states that could occur (may be given several times)
    #[arg(long, value_name = "FORMULA", help_heading = "Properties")]
    pub ctl: Vec<String>,

    /// A PSL formula that every order must satisfy (may be given several times)
    #[arg(long, value_name = "FORMULA", help_heading = "Properties")]
    pub psl: Vec<String>,

    /// A formula of M2L that every order must satisfy; its free sets are atoms in backquotes (may be given several times)
    #[arg(long, value_name = "FORMULA", help_heading = "Properties")]
    pub m2l: Vec<String>,

    /// A file with a monitor, or an automaton in the HOA format (may be given several times)
    #[arg(long, value_name = "FILE", help_heading = "Properties")]
    pub monitor: Vec<PathBuf>,

    /// A system of components (.sys, .aut or .pnml) that some order of each run must follow
    #[arg(long, value_name = "FILE", help_heading = "Properties")]
    pub model: Option<PathBuf>,

    /// Which system, or component, of the model's file [default: the last system]
    #[arg(long, value_name = "NAME", requires = "model", help_heading = "Properties")]
    pub system: Option<String>,

    /// What the positions of --ltl, --psl and --m2l formulas are: the states (the initial one first), or the events only; also those of an
    /// automaton that does not say so [default: states; events for an automaton]
    #[arg(long, value_enum, value_name = "VIEW", help_heading = "Properties")]
    pub over: Option<Over>,

    #[command(flatten)]
    pub join: JoinArgs,

    #[command(flatten)]
    pub input: InputArgs,

    #[command(flatten)]
    pub root: RootArgs,

    /// How to report
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", help_heading = "Output")]
    pub format: Report,

    /// Short for --format json
    #[arg(long, conflicts_with = "format", help_heading = "Output")]
    pub json: bool,

    /// When to show an order or a path as evidence: for violations, also for CTL properties and models that hold, or never
    #[arg(long, value_enum, default_value_t, value_name = "WHEN", help_heading = "Output")]
    pub witness: WitnessWhen,

    /// Stop after this long (500ms, 5s, 2m); what is not decided by then is `unknown`
    #[arg(long, value_name = "TIME", value_parser = amounts::duration, help_heading = "Limits")]
    pub timeout: Option<Duration>,

    #[command(flatten)]
    pub memory: MemoryArgs,

    /// How many processors to use [default: all of them]
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub jobs: Option<std::num::NonZeroUsize>,

    /// How properties are decided. No choice changes an answer
    #[arg(long, value_enum, default_value_t, value_name = "ENGINE", help_heading = "Engine")]
    pub engine: EngineName,

    /// Stop when the verdict is known; do not look for an order that satisfies what the recorded one violates, nor for parts that ask
    /// for nothing
    #[arg(long, help_heading = "Engine")]
    pub verdict_only: bool,

    /// Keep events that cannot matter to a property
    #[arg(long, help_heading = "Engine")]
    pub no_slice: bool,

    /// For CTL: count the cuts at which each part of a property holds
    #[arg(long, help_heading = "Output")]
    pub counts: bool,

    /// Show which parts of a property are true where, along the order or path that is shown, else the recorded order
    #[arg(long, help_heading = "Output")]
    pub trace: bool,

    /// Say for each answer what it cost
    #[arg(long, help_heading = "Output")]
    pub stats: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  posetta verify mutex.smv
  posetta verify mutex.smv --ltl 'G (p0.at == try -> F p0.at == critical)' --only-given
  posetta verify protocol.smv --spec protocol.props --timeout 1m --json
  posetta verify protocol.smv --deadlock --property delivered
  posetta verify philosophers.sys --deadlock --ltl 'G (hungry[0] -> F take[0][1])'
  posetta verify net.pnml --spec LTLFireability.xml --engine modular
  posetta verify buffer.sys --observe put,get --graph buffer.dot

What is decided: the properties that the model states (LTLSPEC, CTLSPEC, PSLSPEC, INVARSPEC), then those that are given.
Where nothing is asked, the states are counted and deadlocks are looked for.

Exit status: 0 every property holds; 1 some property is violated; 2 bad usage or bad input;
3 none violated, but a limit was reached before some answer was known.")]
pub struct VerifyArgs {
    /// The model: a file in SMV (.smv), a system of components (.sys), a transition system (.aut) or a Petri net (.pnml), or - for
    /// standard input
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,

    /// A file with properties, or for a net with formulas of the Model Checking Contest (may be given several times)
    #[arg(long, value_name = "FILE", help_heading = "Properties")]
    pub spec: Vec<PathBuf>,

    /// An LTL formula that every computation, or run, must satisfy (may be given several times)
    #[arg(long, value_name = "FORMULA", help_heading = "Properties")]
    pub ltl: Vec<String>,

    /// A CTL formula that every initial state must satisfy (may be given several times)
    #[arg(long, value_name = "FORMULA", help_heading = "Properties")]
    pub ctl: Vec<String>,

    /// A PSL formula that every computation must satisfy (may be given several times)
    #[arg(long, value_name = "FORMULA", help_heading = "Properties")]
    pub psl: Vec<String>,

    /// A formula of M2L. It speaks of words that end, so it is refused, with what to write instead; recorded runs are for `check`
    #[arg(long, value_name = "FORMULA", help_heading = "Properties")]
    pub m2l: Vec<String>,

    /// Leave out the properties that the model itself states
    #[arg(long, help_heading = "Properties")]
    pub only_given: bool,

    /// Only the property with this name (may be given several times)
    #[arg(long = "property", value_name = "NAME", help_heading = "Properties")]
    pub only: Vec<String>,

    /// Ask also whether every reachable state has a next one or is final
    #[arg(long, help_heading = "Properties")]
    pub deadlock: bool,

    /// Ask also whether every run that goes on forever does so with observed actions
    #[arg(long, help_heading = "Systems of components")]
    pub livelock: bool,

    /// Ask also whether some reachable state satisfies this condition (may be given several times)
    #[arg(long, value_name = "CONDITION", help_heading = "Systems of components")]
    pub reach: Vec<String>,

    /// Ask also whether every reachable state satisfies this condition (may be given several times)
    #[arg(long, value_name = "CONDITION", help_heading = "Systems of components")]
    pub invariant: Vec<String>,

    /// Ask also how many tokens there can be in each place, and in all of them
    #[arg(long, help_heading = "Systems of components")]
    pub bound: bool,

    /// Observe these actions besides those that a formula names, or all with '*' (may be given several times)
    #[arg(long, value_name = "ACTION,…", help_heading = "Systems of components")]
    pub observe: Vec<String>,

    /// The system, or the component, that is meant, of a file that has several [default: the last system]
    #[arg(long, value_name = "NAME", help_heading = "Systems of components")]
    pub system: Option<String>,

    /// How properties are decided. No choice changes an answer [default: auto]
    #[arg(long, value_enum, value_name = "ENGINE", help_heading = "Systems of components")]
    pub engine: Option<SystemEngineName>,

    /// Write the observation graph to this file, for Graphviz; with - to standard output, and the report to standard error
    #[arg(long, value_name = "FILE.dot", help_heading = "Systems of components")]
    pub graph: Option<PathBuf>,

    #[command(flatten)]
    pub root: RootArgs,

    /// How to report
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", help_heading = "Output")]
    pub format: Report,

    /// Short for --format json
    #[arg(long, conflicts_with = "format", help_heading = "Output")]
    pub json: bool,

    /// When to show states or runs as evidence
    #[arg(long, value_enum, default_value_t, value_name = "WHEN", help_heading = "Output")]
    pub witness: TrailWhen,

    /// Say for each answer what it cost
    #[arg(long, help_heading = "Output")]
    pub stats: bool,

    /// Find all reachable states only if a property needs them: they are not counted then, and deadlocks are not looked for
    #[arg(long, help_heading = "Engine")]
    pub no_explore: bool,

    /// Stop after this long (500ms, 5s, 2m); what is not decided by then is `unknown`
    #[arg(long, value_name = "TIME", value_parser = amounts::duration, help_heading = "Limits")]
    pub timeout: Option<Duration>,

    #[command(flatten)]
    pub memory: MemoryArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  posetta m2l adder.mona
  echo 'm2l-str; var2 X; ~empty(X) => max X in X;' | posetta m2l -
  posetta m2l adder.mona --json --timeout 1m
  posetta m2l adder.mona --dot | dot -Tsvg -o adder.svg
  posetta m2l adder.mona --mona > adder.dfa

Files are those of MONA 1.4 for strings: `ws1s` (finite sets of natural numbers, the default) and
`m2l-str` (sets of positions of a string). Formulas end with `;` and are joined by `and`.

Exit status: 0 the formula is valid, and so is every `verify`; 1 it is not; 2 bad usage or bad
input; 3 a limit was reached before the answer was known.")]
pub struct M2lArgs {
    /// The file (`-`: standard input)
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    #[command(flatten)]
    pub root: RootArgs,

    /// Print the automaton for Graphviz
    #[arg(long, help_heading = "Output", group = "shown")]
    pub dot: bool,

    /// Print the automaton in the HOA format
    #[arg(long, help_heading = "Output", group = "shown")]
    pub hoa: bool,

    /// Print the automaton in MONA's format for other programs
    #[arg(long, help_heading = "Output", group = "shown")]
    pub mona: bool,

    /// Print one JSON object
    #[arg(long, help_heading = "Output", group = "shown")]
    pub json: bool,

    /// Say what the answer cost
    #[arg(long, help_heading = "Output")]
    pub stats: bool,

    /// How the formula is decided
    #[arg(long, value_enum, default_value_t, value_name = "ENGINE", help_heading = "Limits")]
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
    /// Both by turns, each with more memory than before
    #[default]
    Auto,
    /// By its automaton, as MONA does
    Eager,
    /// Letter by letter: no automaton is made for the top of the formula
    Lazy,
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
    /// also the whole path or run to a deadlock that nobody asked about
    Always,
    /// not at all
    Never,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  my-system | posetta monitor --ltl 'G (req == 1 -> F ack == 1)'
  posetta monitor service.jsonl --follow --spec protocol.props --json
  posetta monitor orders.jsonl --key order --spec orders.props
  posetta monitor service.jsonl --spec protocol.props --out answers.txt --checkpoint place.json

A line is told when an answer changes: whether what has come satisfies the property, and whether it is determined:
`holds` or `violated` whatever comes, else `open`. What is known at the end goes to standard error.

Exit status: 0 every property holds; 1 some property is violated; 2 bad usage or bad input, such as a line that was left
out; 3 none violated, but a limit was reached. At the end, what is open counts by whether it is satisfied.")]
pub struct MonitorArgs {
    /// The stream: a file, or - for standard input
    #[arg(value_name = "SOURCE")]
    pub source: Option<PathBuf>,

    /// A file with properties (may be given several times)
    #[arg(long, value_name = "FILE", help_heading = "Properties")]
    pub spec: Vec<PathBuf>,

    /// An LTL formula (may be given several times)
    #[arg(long, value_name = "FORMULA", help_heading = "Properties")]
    pub ltl: Vec<String>,

    /// A PSL formula (may be given several times)
    #[arg(long, value_name = "FORMULA", help_heading = "Properties")]
    pub psl: Vec<String>,

    /// A formula of M2L, whose free sets are atoms in backquotes (may be given several times)
    #[arg(long, value_name = "FORMULA", help_heading = "Properties")]
    pub m2l: Vec<String>,

    /// A file with a monitor, or an automaton in the HOA format (may be given several times)
    #[arg(long, value_name = "FILE", help_heading = "Properties")]
    pub monitor: Vec<PathBuf>,

    /// Only the property with this name (may be given several times)
    #[arg(long = "property", value_name = "NAME", help_heading = "Properties")]
    pub only: Vec<String>,

    /// What the positions of --ltl, --psl and --m2l formulas are: the states (the initial one first), or the events only; also those
    /// of an automaton that does not say so [default: states; events for an automaton]
    #[arg(long, value_enum, value_name = "VIEW", help_heading = "Properties")]
    pub over: Option<Over>,

    /// Which continuations of what has come count for `holds` and `violated`
    #[arg(long, value_enum, default_value_t, value_name = "WHICH", help_heading = "Properties")]
    pub completions: CompletionsName,

    /// The format of the stream, instead of finding it out [default: jsonl if nothing shows it]
    #[arg(long, value_name = "FORMAT", value_parser = format_parser(), help_heading = "Input")]
    pub from: Option<Format>,

    #[command(flatten)]
    pub sampling: SamplingArgs,

    /// At the end of the file wait for more, until interrupted, or the file is removed or cut
    #[arg(long, help_heading = "Input")]
    pub follow: bool,

    /// A stream of its own for each value of this field: a variable, an attribute, or process, name, id
    #[arg(long, value_name = "FIELD", help_heading = "Input")]
    pub key: Option<String>,

    /// Stop at the first mistake in the stream, instead of leaving out the line
    #[arg(long, help_heading = "Input")]
    pub strict: bool,

    #[command(flatten)]
    pub root: RootArgs,

    /// How to report
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", help_heading = "Output")]
    pub format: Report,

    /// Short for --format json
    #[arg(long, conflicts_with = "format", help_heading = "Output")]
    pub json: bool,

    /// A line for every record, not only for changes
    #[arg(long, help_heading = "Output")]
    pub every: bool,

    /// Write the lines to this file instead of standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub out: Option<PathBuf>,

    /// Keep a place to go on from in this file, and go on from it if it is there
    #[arg(long, value_name = "FILE", help_heading = "Checkpoints")]
    pub checkpoint: Option<PathBuf>,

    /// Records between two checkpoints [default: 10000]
    #[arg(long, value_name = "N", requires = "checkpoint", help_heading = "Checkpoints")]
    pub checkpoint_every: Option<std::num::NonZeroU64>,

    /// Stop after this long (500ms, 5s, 2m); what is open then is `unknown`
    #[arg(long, value_name = "TIME", value_parser = amounts::duration, help_heading = "Limits")]
    pub timeout: Option<Duration>,

    #[command(flatten)]
    pub memory: MemoryArgs,
}

impl MonitorArgs {
    /// Whether programs are told.
    pub fn is_json(&self) -> bool {
        self.json || self.format == Report::Json
    }
}

/// Which completions of a prefix count.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum CompletionsName {
    /// those that end, at once or later
    Finite,
    /// those that go on for ever
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

    #[command(flatten)]
    pub sampling: SamplingArgs,
}

#[derive(Debug, Args)]
pub struct JoinArgs {
    /// The files are the parts of one run, such as the logs of its nodes
    #[arg(long, help_heading = "Input")]
    pub join: bool,
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
#[command(after_help = "\
Examples:
  posetta check run.trace --ltl 'G !(c0 == 1 && c1 == 1)' --json > report.json
  posetta replay run.trace --witness report.json --ltl 'G !(c0 == 1 && c1 == 1)'
  echo '[\"A.1\", \"B.1\", \"A.2\", \"B.2\"]' | posetta replay run.trace --witness - --ltl 'F (c0 == 1)'

Exit status: 0 the order satisfies the property; 1 it violates it; 2 it is no order of this run, or bad input;
3 a limit was reached first, or a path by itself settles nothing about a CTL property.")]
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

    /// What the positions of an --ltl, --psl or --m2l formula are [default: states], or of an automaton that does not say so
    /// [default: events]
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
#[command(after_help = "\
Examples:
  posetta convert server.log -o run.trace
  posetta convert run.jsonl -o run.dot && dot -Tsvg run.dot > run.svg
  posetta convert run.trace -o - --to mermaid
  posetta convert 'tests.log#second run' -o run.jsonl
  posetta convert node1.jsonl node2.jsonl --join -o run.jsonl

What the format of OUT cannot hold is named on standard error; the order of the events and their values are kept by all.

Exit status: 0 written; 2 bad usage or bad input, nothing is written; 3 a limit was reached first.")]
pub struct ConvertArgs {
    /// The run: a file, a run of it (FILE#LABEL), or - for standard input; with --join the parts of it
    #[arg(required = true, value_name = "IN")]
    pub run: Vec<PathBuf>,

    /// Where to write; - for standard output
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,

    /// The format to write, instead of the one that the extension of OUT means
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
#[command(after_help = "\
Examples:
  posetta gen peterson --events 10000 -o run.jsonl
  posetta gen peterson --props -o peterson.props
  posetta check run.jsonl --spec peterson.props
  posetta gen philosophers --processes 10 --faulty --seed 3 | posetta info -
  posetta gen random --processes 8 --coupling 0.1 --events 40 --to text
  posetta gen sat formula.cnf -o run.jsonl && posetta gen sat formula.cnf --props -o sat.props

The same arguments give the same bytes on every machine, and the same events in every version.
A run in JSON lines is written as it is simulated, so any length fits in memory; for other formats
it is gathered first. What a format cannot hold is named on standard error.")]
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

    /// Put the fault into the protocol that the papers look for
    #[arg(long, help_heading = "Workload")]
    pub faulty: bool,

    /// What orders the uses of shared variables [default: read-from]
    #[arg(long, value_enum, value_name = "DEPS", help_heading = "Workload")]
    pub deps: Option<Deps>,

    /// For random: the probability, from 0 to 1, that an event receives a message [default: 0.2]
    #[arg(long, value_name = "P", help_heading = "Workload")]
    pub coupling: Option<f64>,

    /// Print the properties that the papers check on this workload, instead of a run
    #[arg(long, conflicts_with_all = ["events", "to"], help_heading = "Output")]
    pub props: bool,

    /// The file to write [default: standard output]
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,

    /// The format of the run [default: what the extension of FILE says, jsonl without one]
    #[arg(long, value_name = "FORMAT", value_parser = simulated_parser(), help_heading = "Output")]
    pub to: Option<Format>,
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

/// How linear properties are decided.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum EngineName {
    /// what fits the property and the run
    #[default]
    Auto,
    /// cut by cut, with every event
    Explicit,
    /// by intervals of cuts; CTL whose shape does not allow it by diagrams
    Symbolic,
    /// CTL by interval decision diagrams, whatever its shape
    Diagrams,
    /// CTL by interval sharing trees and fixpoints, as first published; slow, for comparison
    Ist,
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
    parser_of(|_| true)
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
