//! Runs as bytes: one room per format, over [`BufRead`] and [`Write`].
//!
//! [`text`] is for people, [`jsonl`] for programs, [`shiviz`] for logs, [`dot`] and [`mermaid`] for pictures,
//! [`csv`], [`vcd`], [`fst`] and [`itf`] for sequences of states, `otlp`, `jaeger` and `zipkin` for spans, [`history`] and
//! [`prove`] for what others record, and [`mapping`] for records of any shape; docs/formats has their grammars. A reader streams: it
//! holds one line and what the line adds to the run. It gathers the mistakes of a file, each with line and column, and answers with a
//! run only if there is none. [`records`] reads streams, record by record. A writer answers with what its format cannot carry ([`Lost`]).

mod derived;
mod document;
mod documents;
mod facts;
mod foreign;
mod ignored;
mod jaeger;
mod join;
mod json;
mod line_reader;
mod lines;
mod otlp;
mod packed;
mod quote;
mod skew;
mod source;
mod spans;
mod states;
mod suspects;
mod tree;
mod whole;
mod zipkin;

pub mod csv;
pub mod dot;
pub mod fst;
pub mod history;
pub mod itf;
pub mod jsonl;
pub mod mapping;
pub mod mermaid;
pub mod prove;
pub mod records;
pub mod shiviz;
pub mod text;
pub mod vcd;
pub mod waves;

use std::fmt;
use std::io::{self, BufRead, Read, Seek, Write};
use std::ops::ControlFlow;
use std::sync::Arc;

pub use foreign::Foreign;
pub use join::{Part, read_joined};
pub use mapping::Mapping;
pub use packed::{Packing, Unpacked};

use posetta_base::{Budget, Diagnostic, Error, Kind, Number, OverBudget};
use posetta_trace::{Feed, Heard, Trace};

/// A format that runs are read from and written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Native text, `.trace`.
    Text,
    /// Native JSON lines, `.jsonl`.
    JsonLines,
    /// JSON lines whose objects are the states of one sequence, whatever their fields are called. No file is recognised as this:
    /// somebody has to say it.
    States,
    /// Logs with vector clocks, `.log`.
    Shiviz,
    /// Graphs, `.dot`.
    Dot,
    /// Sequence diagrams, `.mmd`.
    Mermaid,
    /// Tables of states, `.csv`.
    Csv,
    /// Waveforms as text, `.vcd`.
    Vcd,
    /// Waveforms, packed, `.fst`.
    Fst,
    /// Spans of OpenTelemetry in JSON; those of Grafana Tempo, too.
    Otlp,
    /// Spans of OpenTelemetry as protocol buffers.
    OtlpProto,
    /// Spans of Jaeger in JSON.
    Jaeger,
    /// Spans of Zipkin in JSON.
    Zipkin,
    /// Traces of Apalache and Quint, `.itf.json`.
    Itf,
    /// Histories of Jepsen and Elle, `.edn` or JSON.
    Jepsen,
    /// Tables of the checker PROVE.
    Prove,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 16] = [
        Self::Text,
        Self::JsonLines,
        Self::States,
        Self::Shiviz,
        Self::Dot,
        Self::Mermaid,
        Self::Csv,
        Self::Vcd,
        Self::Fst,
        Self::Otlp,
        Self::OtlpProto,
        Self::Jaeger,
        Self::Zipkin,
        Self::Itf,
        Self::Jepsen,
        Self::Prove,
    ];

    /// What the format is called on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::JsonLines => "jsonl",
            Self::States => "states",
            Self::Shiviz => "shiviz",
            Self::Dot => "dot",
            Self::Mermaid => "mermaid",
            Self::Csv => "csv",
            Self::Vcd => "vcd",
            Self::Fst => "fst",
            Self::Otlp => "otlp",
            Self::OtlpProto => "otlp-proto",
            Self::Jaeger => "jaeger",
            Self::Zipkin => "zipkin",
            Self::Itf => "itf",
            Self::Jepsen => "jepsen",
            Self::Prove => "prove",
        }
    }

    /// The format with a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|f| f.name() == name)
    }

    /// The extensions of its files, the usual one first.
    #[must_use]
    pub fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::Text => &["trace"],
            Self::JsonLines => &["jsonl", "ndjson"],
            Self::States | Self::Otlp | Self::Jaeger | Self::Zipkin | Self::Prove => &[],
            Self::Shiviz => &["log", "shiviz"],
            Self::Dot => &["dot", "gv"],
            Self::Mermaid => &["mmd", "mermaid"],
            Self::Csv => &["csv", "tsv"],
            Self::Vcd => &["vcd"],
            Self::Fst => &["fst"],
            Self::OtlpProto => &["binpb", "otlp"],
            Self::Itf => &["itf.json"],
            Self::Jepsen => &["edn"],
        }
    }

    /// Whether runs are written in it, too.
    #[must_use]
    pub fn is_written(self) -> bool {
        !matches!(self, Self::States | Self::Vcd | Self::Fst | Self::Itf | Self::Jepsen | Self::Prove)
            && !self.holds_spans()
    }

    /// Whether it holds spans: the order of their events follows from rules, some of which are [assumptions](Trust).
    #[must_use]
    pub fn holds_spans(self) -> bool {
        matches!(self, Self::Otlp | Self::OtlpProto | Self::Jaeger | Self::Zipkin)
    }

    /// Whether it holds waveforms, which are [sampled](waves::Sampling).
    #[must_use]
    pub fn holds_waves(self) -> bool {
        matches!(self, Self::Vcd | Self::Fst)
    }

    /// Whether one file holds several runs.
    #[must_use]
    pub fn holds_several(self) -> bool {
        self == Self::Shiviz || self.holds_spans()
    }
}

/// The format of a file that begins with `start` and has this extension. The content decides where it can; `None` if neither
/// says anything.
///
/// # Errors
/// When the content is that of a format that is not read.
pub fn detect(start: &[u8], extension: Option<&str>) -> Result<Option<Format>, Foreign> {
    match foreign::recognise(start) {
        // A log may begin with anything in brackets.
        Some(Err(Foreign::JsonArray)) if shiviz::looks_like(start) => Ok(known(start, extension)),
        Some(found) => found.map(Some),
        None => Ok(known(start, extension)),
    }
}

/// The format of others that a file begins like, if it is one that is not read.
#[must_use]
pub fn foreign(start: &[u8]) -> Option<Foreign> {
    foreign::recognise(start)?.err()
}

fn known(start: &[u8], extension: Option<&str>) -> Option<Format> {
    if fst::looks_like(start) {
        return Some(Format::Fst);
    }
    if otlp::looks_like(start) {
        return Some(Format::OtlpProto);
    }
    if vcd::looks_like(start) {
        return Some(Format::Vcd);
    }
    if mermaid::looks_like(start) {
        return Some(Format::Mermaid);
    }
    if dot::looks_like(start) {
        return Some(Format::Dot);
    }
    for line in lines::without_mark(start).split(|&b| b == b'\n') {
        match line.trim_ascii_start() {
            // Comments alone may be those of anything: a script, a heading, a program.
            [] | [b'#', ..] => {}
            [b'{', ..] => return Some(Format::JsonLines),
            line => {
                // The last character may be cut in two.
                let known =
                    str::from_utf8(line).unwrap_or_else(|e| str::from_utf8(&line[..e.valid_up_to()]).unwrap_or(""));
                // A table says little about itself: its names may look like a line of text, and its cells like records of a log.
                if by_extension(extension) == Some(Format::Csv) {
                    return Some(Format::Csv);
                }
                // The texts of a log's events may look like lines of text, and strings in a text like records of a log.
                if shiviz::looks_like(start) {
                    let is_text = text::looks_like(known) && text::is_written_in(&String::from_utf8_lossy(start));
                    return Some(if is_text { Format::Text } else { Format::Shiviz });
                }
                // Logs often begin with a time, and `12:00 started` might be a process called 12.
                let by_extension = by_extension(extension);
                let is_text = match by_extension {
                    Some(Format::Shiviz) => false,
                    Some(Format::Text) => text::looks_like(known),
                    // `name: value` is a line of many files.
                    _ => text::looks_like(known) && text::is_likely(&String::from_utf8_lossy(start)),
                };
                return match by_extension {
                    _ if is_text => Some(Format::Text),
                    _ if csv::looks_like(start) => Some(Format::Csv),
                    by_extension => by_extension,
                };
            }
        }
    }
    by_extension(extension)
}

/// The format that an extension means.
#[must_use]
pub fn by_extension(extension: Option<&str>) -> Option<Format> {
    let extension = extension?;
    Format::ALL.into_iter().find(|f| f.extensions().iter().any(|e| e.eq_ignore_ascii_case(extension)))
}

/// How to read what a format leaves open. Only logs and waveforms leave anything open.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ReadOptions {
    /// What a record looks like, instead of what the log itself says or shows.
    pub expression: Option<shiviz::Expression>,
    /// What stands between two runs.
    pub delimiter: Option<shiviz::Delimiter>,
    /// Groups of the expression that are variables.
    pub set: Vec<String>,
    /// When waveforms are looked at.
    pub sampling: waves::Sampling,
    /// Of waveforms only these variables are asked for, so that the run need not have the others.
    pub wanted: Option<Arc<[String]>>,
    /// The file beside one of the format FST, which has the names of its signals if it is unfinished.
    pub names: Option<fst::Beside>,
    /// What is assumed beside causes where records have times.
    pub trust: Trust,
    /// Clocks are at most so many seconds apart; what is further apart is ordered by them.
    pub skew: Option<Number>,
    /// What the fields of records of others mean: JSON objects, or with the format CSV the rows of a table.
    pub mapping: Option<Arc<mapping::Mapping>>,
    /// The format was found by looking at the input. Then a table whose columns look like those of events is refused; if somebody
    /// has said the format, it is taken as it is.
    pub guessed: bool,
}

posetta_base::setters! {
    ReadOptions {
        expression: Option<shiviz::Expression>,
        delimiter: Option<shiviz::Delimiter>,
        set: Vec<String>,
        sampling: waves::Sampling,
        wanted: Option<Arc<[String]>>,
        names: Option<fst::Beside>,
        trust: Trust,
        skew: Option<Number>,
        mapping: Option<Arc<mapping::Mapping>>,
        guessed: bool,
    }
}

/// What is assumed about spans and records beside what caused what. Each assumes all that those before it do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[non_exhaustive]
pub enum Trust {
    /// Causes alone.
    None,
    /// A span ends after the spans inside of it, where that was so.
    Nesting,
    /// The clock of a chain of local calls does not run backwards.
    #[default]
    Segment,
    /// Nor does the clock of an instance of a service.
    Instance,
    /// Nor does the clock of a host.
    Host,
}

impl Trust {
    /// Every level, from the weakest.
    pub const ALL: [Self; 5] = [Self::None, Self::Nesting, Self::Segment, Self::Instance, Self::Host];

    /// What it is called on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Nesting => "nesting",
            Self::Segment => "segment",
            Self::Instance => "instance",
            Self::Host => "host",
        }
    }
}

/// A run of a file.
#[derive(Debug)]
#[non_exhaustive]
pub struct Run {
    /// What the file calls it, if it has several.
    pub label: Option<String>,
    /// The run itself.
    pub trace: Trace,
    /// What was read with a definite meaning, but should be known.
    pub warnings: Vec<Diagnostic>,
}

/// The runs of a file, one after the other. A file may have more of them than fit into memory together, so that each is built
/// when it is asked for.
pub type Runs = Box<dyn Iterator<Item = Result<Run, Error>> + Send>;

/// Reads a file and answers with its runs: one, unless the format [holds several](Format::holds_several).
///
/// # Errors
/// With every mistake found, or when the budget is spent.
pub fn open_runs(
    format: Format,
    mut reader: impl BufRead,
    options: &ReadOptions,
    budget: &Budget,
) -> Result<Runs, Error> {
    open_any(format, &mut reader, options, budget)
}

/// The same of a file that can be read anywhere: of formats where that helps, only what is needed of it is read. `None` if it does not
/// help; then nothing was read.
///
/// # Errors
/// As [`open_runs`].
pub fn open_file(
    format: Format,
    file: impl Read + Seek,
    options: &ReadOptions,
    budget: &Budget,
) -> Result<Option<Runs>, Error> {
    if format != Format::Fst || options.mapping.is_some() {
        return Ok(None);
    }
    let (wanted, names) = (options.wanted.as_deref(), options.names.as_ref());
    Ok(Some(only(fst::read_file(Box::new(file), &options.sampling, wanted, names, budget)?)))
}

/// The same of any reader. Behind this door there is one type of readers, so that every format is compiled once and here, not again
/// for each type of readers in each program (docs/decisions/build-profiles.md). A reader is asked once for a line or for many bytes, so
/// asking it through a pointer should cost little; that was not measured by itself.
fn open_any(format: Format, reader: &mut dyn BufRead, options: &ReadOptions, budget: &Budget) -> Result<Runs, Error> {
    if let Some(mapping) = &options.mapping {
        return Ok(only(mapping::read(format, reader, mapping, options, budget)?));
    }
    let trace = match format {
        Format::Text => text::read(reader, budget)?,
        Format::JsonLines | Format::States => {
            return Ok(only(jsonl::read_run(reader, format == Format::States, budget)?));
        }
        Format::Shiviz => return Ok(Box::new(shiviz::read(reader, options, budget)?.into_iter().map(Ok))),
        Format::Dot => dot::read(reader, budget)?,
        Format::Mermaid => mermaid::read(reader, budget)?,
        Format::Csv => csv::read(reader, options.guessed, budget)?,
        Format::Vcd => return Ok(only(vcd::read(reader, &options.sampling, options.wanted.as_deref(), budget)?)),
        Format::Fst => {
            let (wanted, names) = (options.wanted.as_deref(), options.names.as_ref());
            return Ok(only(fst::read(reader, &options.sampling, wanted, names, budget)?));
        }
        Format::Otlp | Format::OtlpProto | Format::Jaeger | Format::Zipkin => {
            return spans::runs(format, reader, options, budget);
        }
        Format::Itf => return Ok(only(itf::read(reader, budget)?)),
        Format::Jepsen => history::read(reader, budget)?,
        Format::Prove => return Ok(only(prove::read(reader, options, budget)?)),
    };
    Ok(only(Run { label: None, trace, warnings: Vec::new() }))
}

/// Whoever hears the events of a run that is followed, and says whether to go on.
pub(crate) type Listener<'a> = dyn FnMut(Heard<'_>, &Feed) -> Result<ControlFlow<()>, Error> + 'a;

/// How many spans an input has, if it can be read. A part of what will be one input may have none.
///
/// # Errors
/// With what is wrong in it, when the format holds no spans, or when the budget is spent.
pub fn count_spans(format: Format, mut reader: impl BufRead, budget: &Budget) -> Result<usize, Error> {
    if !format.holds_spans() {
        let message = format!("the format {} holds no spans", format.name());
        return Err(Diagnostic::new(Kind::Unsupported, message).into());
    }
    count_any(format, &mut reader, budget)
}

/// See [`open_any`].
fn count_any(format: Format, reader: &mut dyn BufRead, budget: &Budget) -> Result<usize, Error> {
    spans::count(format, reader, budget)
}

fn only(run: Run) -> Runs {
    Box::new(std::iter::once(Ok(run)))
}

/// The same, all at once.
///
/// # Errors
/// As [`open_runs`].
pub fn read_runs(
    format: Format,
    reader: impl BufRead,
    options: &ReadOptions,
    budget: &Budget,
) -> Result<Vec<Run>, Error> {
    open_runs(format, reader, options, budget)?.collect()
}

/// Reads the only run of a file.
///
/// # Errors
/// As [`read_runs`], and when the file has several runs.
pub fn read(format: Format, reader: impl BufRead, budget: &Budget) -> Result<Trace, Error> {
    let mut runs = read_runs(format, reader, &ReadOptions::default(), budget)?;
    match (runs.pop(), runs.len()) {
        (Some(run), 0) => Ok(run.trace),
        (_, others) => Err(Diagnostic::new(Kind::Input, format!("the file has {} runs", others + 1)).into()),
    }
}

/// Writes one run, and says what the format left out.
///
/// # Errors
/// As [`write_runs`].
pub fn write(format: Format, trace: &Trace, out: &mut dyn Write, budget: &Budget) -> Result<Lost, WriteError> {
    write_runs(format, &[(None, trace)], out, budget)
}

/// Writes runs with their labels, and says what the format left out.
///
/// # Errors
/// When writing fails, a value cannot be written exactly, the budget is spent, or there is not one run and the format
/// does not [hold several](Format::holds_several).
pub fn write_runs(
    format: Format,
    runs: &[(Option<&str>, &Trace)],
    mut out: &mut dyn Write,
    budget: &Budget,
) -> Result<Lost, WriteError> {
    let out = &mut out;
    match (format, runs) {
        (Format::Shiviz, runs) => shiviz::write(runs, out, budget),
        (Format::Text, [(_, trace)]) => text::write(trace, out, budget),
        (Format::JsonLines, [(_, trace)]) => jsonl::write(trace, out, budget),
        (Format::Dot, [(_, trace)]) => dot::write(trace, out, budget),
        (Format::Mermaid, [(_, trace)]) => mermaid::write(trace, out, budget),
        (Format::Csv, [(_, trace)]) => csv::write(trace, out, budget),
        (format, _) if !format.is_written() => {
            Err(WriteError::Unfit { format, why: "it is only read, not written".to_owned() })
        }
        (_, runs) => Err(WriteError::Several { format, runs: runs.len() }),
    }
}

/// What a written run lacks, because the format has no place for it. None of it is part of happened-before or of the
/// values of variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Lost {
    /// Ids of events. Events are then called `<process>.<index>`.
    pub ids: usize,
    /// Wall-clock times of events.
    pub times: usize,
    /// Further facts about events.
    pub attributes: usize,
    /// Processes without events.
    pub processes: usize,
    /// The order in which the events were observed.
    pub observed_order: bool,
    /// Names of processes that had to be changed.
    pub names: usize,
    /// The declared values of a run without events.
    pub initial: bool,
    /// That the run was a sequence of states. It is now a sequence of events with the same states.
    pub state_records: bool,
}

impl Lost {
    /// Whether all was written.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// Why a run could not be written.
#[derive(Debug)]
#[non_exhaustive]
pub enum WriteError {
    /// The output failed.
    Io(io::Error),
    /// A number that the format can only round, which would change the run.
    Inexact {
        /// Whose number: a variable, or `time`.
        what: String,
        /// The event that has it; `None` for a value before any event.
        event: Option<String>,
        /// The number, as far as it is worth showing.
        number: String,
    },
    /// The format cannot hold this run.
    Unfit {
        /// The format.
        format: Format,
        /// Why not.
        why: String,
    },
    /// A file of this format holds one run.
    Several {
        /// The format.
        format: Format,
        /// How many runs there are.
        runs: usize,
    },
    /// A limit was reached first.
    OverBudget(OverBudget),
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<OverBudget> for WriteError {
    fn from(over: OverBudget) -> Self {
        Self::OverBudget(over)
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "the output could not be written: {error}"),
            Self::Inexact { what, event, number } => {
                write!(f, "JSON cannot write {number} exactly: it is the value of `{what}` ")?;
                match event {
                    Some(event) => write!(f, "at `{event}`")?,
                    None => write!(f, "before any event")?,
                }
                write!(f, "; the text format can")
            }
            Self::Unfit { format, why } => write!(f, "the format {} cannot hold this run: {why}", format.name()),
            Self::Several { format, runs } => {
                write!(f, "a file of the format {} holds one run, and there are {runs}", format.name())
            }
            Self::OverBudget(over) => over.fmt(f),
        }
    }
}

impl std::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::OverBudget(over) => Some(over),
            Self::Inexact { .. } | Self::Unfit { .. } | Self::Several { .. } => None,
        }
    }
}

const WRITING: &str = "writing the run";

/// A finite decimal that a reader takes back; `None` for 1/3 and for what is too long.
fn decimal(number: &Number) -> Option<String> {
    let text = number.to_decimal()?;
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    (digits <= posetta_base::MAX_DIGITS).then_some(text)
}

#[cfg(test)]
mod damaged;
#[cfg(test)]
mod samples;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_known_by_name() {
        for format in Format::ALL {
            assert_eq!(Format::from_name(format.name()), Some(format));
        }
        assert_eq!(Format::from_name("json"), None);
    }

    #[test]
    fn content_decides_before_the_extension() {
        use Format::{Csv, Dot, Fst, JsonLines, Mermaid, Shiviz, Text, Vcd};
        for (start, extension, format) in [
            ("{\"process\":", Some("trace"), Some(JsonLines)),
            ("\u{feff} \n\n  {", None, Some(JsonLines)),
            ("# made by hand\n{", None, Some(JsonLines)),
            ("P1: x=1", Some("jsonl"), Some(Text)),
            ("# only a comment\n", None, None),
            ("# only a comment\n", Some("trace"), Some(Text)),
            ("#include <x.h>\n", Some("h"), None),
            ("#!/bin/sh\n\n# a\n", Some("sh"), None),
            ("# only a comment\n", Some("jsonl"), Some(JsonLines)),
            ("initial: x=0", None, Some(Text)),
            ("\"a b\": x=0", None, Some(Text)),
            ("\"a b\".1 -> c.2", None, Some(Text)),
            ("P2.2 -> P1.2", None, Some(Text)),
            ("P2.2->P1.2", None, Some(Text)),
            ("P1: start -> stop", None, Some(Text)),
            ("P1: start\nP2: stop\n", Some("trace"), Some(Text)),
            ("P1: @a\n", None, Some(Text)),
            ("P1: x @a\n", Some("txt"), Some(Text)),
            ("mail: a@b\n", None, None),
            ("name: value\nother: value\n", Some("yaml"), None),
            ("INFO: started\nWARN: retry n=1\n", None, None),
            ("", Some("TRACE"), Some(Text)),
            ("", Some("ndjson"), Some(JsonLines)),
            ("", Some("csv"), Some(Csv)),
            ("", Some("txt"), None),
            ("", None, None),
            ("x,y,z\n1,2,3", Some("csv"), Some(Csv)),
            ("x,y,z\n1,2,3\n", None, Some(Csv)),
            ("x;y;z\r\n1;2,5;3\r\n", Some("txt"), Some(Csv)),
            ("x\ty\n\"a\tb\"\t1\n", None, Some(Csv)),
            ("x,y\n", None, None),
            ("Dear all, hello\nSo, it is\n", None, None),
            ("Dear all, hello\nSo, 3\n", None, None),
            ("import a, b\nx = 1, 2\n", None, None),
            ("int a, b;\nint c, d;\n", None, None),
            ("from a import b, c\nfor x in y, 1\nfor z in y, 2\n", None, None),
            ("Well, yes\nOne, 1\nTwo or more, many\n", None, None),
            ("a door,n\non the latch,1\nopen,2\n", None, Some(Csv)),
            ("\"a\",\"b, or c\"\n\"x\",\"y\"\n", None, Some(Csv)),
            ("door,up\nopen,TRUE\nshut,\n", None, Some(Csv)),
            ("door,state\nopen,on\nshut,off\n", None, None),
            ("door,state\nopen,on\nshut,off\n", Some("csv"), Some(Csv)),
            ("x,y\n1,2,3\n", None, None),
            ("1,2\n3,4\n", None, None),
            ("x\n1\n", None, None),
            ("x\n1\n", Some("csv"), Some(Csv)),
            ("t: s,y\n1,2\n", Some("csv"), Some(Csv)),
            ("{\"x\": 1}", Some("csv"), Some(JsonLines)),
            ("$date today $end", None, Some(Vcd)),
            ("\n  $timescale\n1 ps $end", Some("txt"), Some(Vcd)),
            ("$dollar: x=1", None, None),
            ("", Some("vcd"), Some(Vcd)),
            ("", Some("fst"), Some(Fst)),
            ("\0\0\0\0\0\0\0\u{1}\u{49}", None, Some(Fst)),
            ("<xml/>", None, None),
            ("digraph { a -> b }", None, Some(Dot)),
            ("// made\nstrict digraph \"a b\" {", None, Some(Dot)),
            ("digraph: x=1", None, Some(Text)),
            ("sequenceDiagram\nA->>B: x", None, Some(Mermaid)),
            ("---\ntitle: x\n---\n%% made\nsequenceDiagram", Some("md"), Some(Mermaid)),
            ("sequenceDiagram: x=1", None, Some(Text)),
            ("a -> b", None, None),
            ("a {\"a\":1}\nx\n", None, Some(Shiviz)),
            ("Server: up\na {\"a\":1}\n", Some("trace"), Some(Shiviz)),
            ("(?<host>.*) (?<clock>.*) (?<event>.*)", None, Some(Shiviz)),
            ("12:00 started", Some("log"), Some(Shiviz)),
            ("12:00 started", None, None),
        ] {
            assert_eq!(detect(start.as_bytes(), extension), Ok(format), "{start:?} {extension:?}");
        }
        assert_eq!(detect(b"\xff\xfe\x00", None), Ok(None));
        assert_eq!(detect(b"P\xc3", Some("trace")), Ok(Some(Format::Text)));
        assert_eq!(detect(b"{\"resourceSpans\":[]}", Some("jsonl")), Ok(Some(Format::Otlp)));
        assert_eq!(detect(b"{\"resourceLogs\":[]}", Some("jsonl")), Err(Foreign::OtlpLogs));
    }
}
