//! From an input to a trace.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read};
use std::iter::Peekable;
use std::path::Path;
use std::time::Duration;

use posetta_base::{Budget, Diagnostic, Error, Kind, Number, Subject};
use posetta_formats::shiviz::{Delimiter, Expression};
use posetta_formats::{self as formats, Foreign, Format, ReadOptions, Run, Runs, Unpacked};
use posetta_tell::about;
use posetta_trace::Trace;

use crate::args::InputArgs;
use crate::cache;
use crate::files;
use crate::inputs::{Input, extension};
use crate::mapping;
use crate::problem::{Problem, system_error};
use crate::sampling::SamplingArgs;
use crate::unsaved;

/// Large enough that reading is bound by the reader, small enough for one per worker.
const BUFFER: usize = 1 << 18;

/// Property files and witnesses are written by people; this much is a run given by mistake.
const TEXT_LIMIT: u64 = 64 << 20;

/// So much of a pipe is waited for before its format is looked for: its writer may begin with a single byte.
const START: usize = 1 << 14;

/// How the arguments say that runs are to be read.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    pub from: Option<Format>,
    pub options: ReadOptions,
    pub sampling: SamplingArgs,
    /// Somebody said what to assume of spans.
    pub trusts: bool,
}

impl Reading {
    /// The same with another sampling of waveforms.
    pub fn sampled(self, sampling: SamplingArgs) -> Self {
        Self { options: self.options.sampling(sampling.sampling()), sampling, ..self }
    }

    /// Compiles the expressions of the arguments.
    pub fn new(args: &InputArgs) -> Result<Self, Box<Problem>> {
        let in_flag = |flag: &'static str| move |d: Box<Diagnostic>| Box::new(Problem::in_text(flag, *d));
        let options = ReadOptions::default()
            .expression(args.regex.as_deref().map(Expression::new).transpose().map_err(in_flag("--regex"))?)
            .delimiter(args.delimiter.as_deref().map(Delimiter::new).transpose().map_err(in_flag("--delimiter"))?)
            .set(args.set.clone())
            .sampling(args.sampling.sampling())
            .trust(args.trust.unwrap_or_default())
            .skew(args.skew.map(seconds))
            .guessed(args.from.is_none());
        let (sampling, trusts) = (args.sampling.clone(), args.trust.is_some());
        let flag = match args {
            InputArgs { regex: Some(_), .. } => Some("--regex"),
            InputArgs { delimiter: Some(_), .. } => Some("--delimiter"),
            InputArgs { set, .. } if !set.is_empty() => Some("--set"),
            _ => None,
        };
        let options = options.mapping(mapping::read(&args.map)?);
        if !args.map.is_empty() {
            let other = args.from.filter(|from| !matches!(from, Format::JsonLines | Format::Csv));
            let message = match (flag, other) {
                (Some(flag), _) => format!("--map is for JSON and tables, and {flag} is for logs"),
                (_, Some(from)) => {
                    format!("--map is for JSON and tables, and --from says that the format is {}", from.name())
                }
                (None, None) => return Ok(Self { from: args.from, options, sampling, trusts }),
            };
            return Err(Box::new(Problem::in_text("--map", Diagnostic::new(Kind::Input, message))));
        }
        match (flag, args.from) {
            (Some(flag), Some(from)) if from != Format::Shiviz => {
                let message = format!("{flag} is for logs, and --from says that the format is {}", from.name());
                Err(Box::new(Problem::in_text(flag, Diagnostic::new(Kind::Input, message))))
            }
            // Whoever says how a log is cut says that it is one.
            (Some(_), _) => Ok(Self { from: Some(Format::Shiviz), options, sampling, trusts }),
            (None, from) => Ok(Self { from, options, sampling, trusts }),
        }
    }
}

impl Reading {
    /// The format of an input that begins so, if the flags mean anything for it.
    fn format_of(&self, name: &str, start: &[u8], extension: Option<&str>) -> Result<Format, Diagnostic> {
        let format = self.found_format(name, start, extension)?;
        let has_clocks = format.holds_spans() || format == Format::Prove || self.options.mapping.is_some();
        let flag = match () {
            () if self.trusts && !format.holds_spans() => Some("--trust is for spans"),
            () if self.options.skew.is_some() && !has_clocks => {
                Some("--skew is for spans, tables of PROVE and mappings")
            }
            () => None,
        };
        match flag {
            None => Ok(format),
            Some(flag) => {
                let message = format!("{flag}, and the format of {} is {}", quoted(name), format.name());
                Err(Diagnostic::of_input(Kind::Input, message))
            }
        }
    }

    fn found_format(&self, name: &str, start: &[u8], extension: Option<&str>) -> Result<Format, Diagnostic> {
        if self.options.mapping.is_none() || is_blank(start) {
            return format_of(name, start, extension, self.from);
        }
        // A mapping says what the fields mean, whoever wrote them.
        if let Some(foreign @ Foreign::Compressed(_)) = formats::foreign(start) {
            return Err(refusal(name, foreign));
        }
        let first = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start().first();
        let found = if matches!(first, Some(b'{' | b'[')) { Format::JsonLines } else { Format::Csv };
        Ok(self.from.unwrap_or(found))
    }
}

/// A duration as the times of events are counted.
fn seconds(duration: Duration) -> Number {
    let nanoseconds = i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX);
    let exact = Number::from(nanoseconds).div(&Number::from(1_000_000_000));
    exact.unwrap_or(Number::ZERO)
}

/// A run of an input.
#[derive(Debug)]
pub struct NamedRun {
    /// As reports call it: the input, and which run of it if it has several.
    pub name: String,
    pub label: Option<String>,
    pub trace: Trace,
    pub warnings: Vec<Diagnostic>,
}

/// The runs of an input, one after the other: each is built when it is asked for.
pub struct NamedRuns {
    runs: Peekable<Box<dyn Iterator<Item = Result<NamedRun, Error>> + Send>>,
    /// Whether there are several.
    pub several: bool,
}

impl NamedRuns {
    fn new(file: &str, mut runs: Runs) -> Result<Self, Error> {
        let first = runs.next().transpose()?;
        let second = runs.next();
        let several = second.is_some();
        let mut names = Names { file: file.to_owned(), several, count: 0, taken: HashSet::new() };
        let all = first.map(Ok).into_iter().chain(second).chain(runs);
        let named: Box<dyn Iterator<Item = _> + Send> = Box::new(all.map(move |run| run.map(|run| names.give(run))));
        Ok(Self { runs: named.peekable(), several })
    }

    fn only(run: NamedRun) -> Self {
        let run: Box<dyn Iterator<Item = _> + Send> = Box::new(std::iter::once(Ok(run)));
        Self { runs: run.peekable(), several: false }
    }

    /// Whether there are no more.
    pub fn is_done(&mut self) -> bool {
        self.runs.peek().is_none()
    }
}

impl Iterator for NamedRuns {
    type Item = Result<NamedRun, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.runs.next()
    }
}

/// Names the runs of a file: its own name for one, else `FILE#LABEL`, or `FILE#2` for a run without a label of its own.
struct Names {
    file: String,
    several: bool,
    count: usize,
    taken: HashSet<String>,
}

impl Names {
    fn give(&mut self, run: Run) -> NamedRun {
        self.count += 1;
        let (file, taken) = (&self.file, &mut self.taken);
        let mut free = |name: &String| taken.insert(name.clone());
        let labelled = run.label.as_ref().map(|label| format!("{file}#{label}"));
        let name = match labelled.filter(|name| self.several && free(name)) {
            _ if !self.several => file.clone(),
            Some(name) => name,
            // A label may be a number, too; then the next one that is free.
            None => (self.count..).map(|n| format!("{file}#{n}")).find(free).unwrap_or_default(),
        };
        let mut warnings = run.warnings;
        warnings.extend(about::lacking(run.trace.lacks()));
        NamedRun { name, label: run.label, trace: run.trace, warnings }
    }
}

/// The same for a file, with the hash of what was read, if it could be read to its end.
pub fn open_hashed(input: &Input, reading: &Reading, budget: &Budget) -> Result<(NamedRuns, Option<[u8; 32]>), Error> {
    let (Input::File(path) | Input::Part(path, _)) = input else { return Ok((open(input, reading, budget)?, None)) };
    let file = input.file();
    let hasher = cache::hasher();
    let opened = files::open(path).map_err(|e| cannot_read(&file, &e))?;
    // Both stand at the same place of the file.
    let rest = opened.try_clone();
    let reader = begun(cache::Hashed::new(opened, &hasher)).map_err(|e| cannot_read(&file, &e))?;
    let runs = NamedRuns::new(&file, buffered(reader, &file, extension(path), reading, budget)?)?;
    let hash = rest.ok().and_then(|mut rest| cache::whole_hash(&mut rest, &hasher));
    match input {
        Input::Part(_, label) => Ok((part(&file, runs, label).map(NamedRuns::only)?, hash)),
        _ => Ok((runs, hash)),
    }
}

/// Reads an input in the format given, else in the one its content or its extension shows, and answers with its runs.
pub fn open(input: &Input, reading: &Reading, budget: &Budget) -> Result<NamedRuns, Error> {
    let file = input.file();
    let runs = match input {
        Input::Stdin => {
            let reader = begun(std::io::stdin().lock()).map_err(|e| cannot_read("-", &e))?;
            buffered(reader, "-", None, reading, budget)?
        }
        Input::Joined(parts) => Box::new(std::iter::once(Ok(joined(parts, reading, budget)?))),
        Input::File(path) | Input::Stream(path) | Input::Received(path) | Input::Part(path, _) => {
            let opened = files::open(path).map_err(|e| cannot_read(&file, &e))?;
            let reader = begun(opened).map_err(|e| cannot_read(&file, &e))?;
            buffered(reader, &file, extension(path), reading, budget)?
        }
    };
    let runs = NamedRuns::new(&file, runs)?;
    match input {
        Input::Part(_, label) => part(&file, runs, label).map(NamedRuns::only),
        Input::Stdin | Input::File(_) | Input::Stream(_) | Input::Received(_) | Input::Joined(_) => Ok(runs),
    }
}

/// The run of a file that is called so, or that has this number.
fn part(file: &str, runs: NamedRuns, label: &str) -> Result<NamedRun, Error> {
    let wanted = format!("{file}#{label}");
    let several = runs.several;
    let ordinal = label.parse::<usize>().ok();
    let (mut names, mut by_number, mut count) = (Vec::new(), None, 0);
    for run in runs {
        let run = run?;
        count += 1;
        if run.name == wanted || (!several && run.label.as_deref() == Some(label)) {
            return Ok(run);
        }
        if names.len() <= NAMED {
            names.push(format!("`{}`", run.name));
        }
        if ordinal == Some(count) {
            by_number = Some(run);
        }
    }
    by_number.ok_or_else(|| {
        let diagnostic = Diagnostic::of_input(Kind::Input, format!("`{file}` has no run `{label}`"));
        diagnostic.help(format!("it has {}", list(&names, count))).into()
    })
}

/// The runs of an input, all at once.
pub fn runs(input: &Input, reading: &Reading, budget: &Budget) -> Result<Vec<NamedRun>, Error> {
    open(input, reading, budget)?.collect()
}

/// Reads the parts of one run, which must have one format.
fn joined(parts: &[Input], reading: &Reading, budget: &Budget) -> Result<Run, Error> {
    let mut readers: Vec<formats::Part<'_>> = Vec::with_capacity(parts.len());
    let mut format: Option<(Format, String)> = None;
    for part in parts {
        let name = part.name();
        let (mut reader, extension): (Box<dyn BufRead>, _) = match part {
            Input::Stdin => (Box::new(begun(std::io::stdin().lock()).map_err(|e| cannot_read("-", &e))?), None),
            Input::File(path) | Input::Stream(path) | Input::Received(path) => {
                let opened = files::open(path).and_then(begun).map_err(|e| cannot_read(&name, &e))?;
                (Box::new(opened), extension(path))
            }
            Input::Part(..) | Input::Joined(_) => {
                let message = format!("`{name}` is a run of a file, and --join joins files");
                return Err(Diagnostic::new(Kind::Input, message)
                    .help("write the run to a file with `posetta convert`")
                    .into());
            }
        };
        let start = reader.fill_buf().map_err(|e| cannot_read(&name, &e))?;
        let own = reading.format_of(&name, start, extension)?;
        match &format {
            Some((first, whose)) if *first != own => {
                let message = format!(
                    "the parts of a run have one format: `{whose}` is {}, and `{name}` is {}",
                    first.name(),
                    own.name()
                );
                return Err(Diagnostic::new(Kind::Input, message)
                    .help("bring them into one with `posetta convert`")
                    .into());
            }
            _ => format = Some((own, name.clone())),
        }
        readers.push((name, reader));
    }
    let format = format.map_or(Format::JsonLines, |(format, _)| format);
    formats::read_joined(format, readers, &reading.options, budget)
}

/// A reader of what an input holds, unpacked, whose first buffer has enough to tell the format by, if there is so much.
pub fn begun<'a>(input: impl Read + 'a) -> std::io::Result<impl BufRead + 'a> {
    let mut input = Unpacked::new(BufReader::with_capacity(BUFFER, input))?;
    let mut start = Vec::with_capacity(START);
    input.by_ref().take(START as u64).read_to_end(&mut start)?;
    Ok(std::io::Cursor::new(start).chain(input))
}

/// Reads the only run of an input.
pub fn one_run(input: &Input, reading: &Reading, budget: &Budget) -> Result<NamedRun, Error> {
    let mut runs = open(input, reading, budget)?;
    if runs.several {
        let (mut names, mut count) = (Vec::new(), 0);
        for run in runs {
            count += 1;
            if names.len() <= NAMED {
                names.push(format!("'{}'", run?.name));
            }
        }
        let diagnostic = Diagnostic::of_input(Kind::Input, format!("`{}` has {count} runs", input.name()));
        return Err(diagnostic.help(format!("choose one: {}", list(&names, count))).into());
    }
    runs.next().unwrap_or_else(|| Err(Diagnostic::new(Kind::Input, "there is no run").into()))
}

/// So many runs are named.
const NAMED: usize = 8;

/// The first of many names.
fn list(names: &[String], count: usize) -> String {
    let mut shown: Vec<String> = names.iter().take(NAMED).cloned().collect();
    if count > NAMED {
        shown.push(format!("and {} more", count - NAMED));
    }
    shown.join(", ")
}

fn buffered(
    mut reader: impl BufRead,
    name: &str,
    extension: Option<&str>,
    reading: &Reading,
    budget: &Budget,
) -> Result<Runs, Error> {
    let start = reader.fill_buf().map_err(|e| cannot_read(name, &e))?;
    let format = reading.format_of(name, start, extension)?;
    if let Some(message) = reading.sampling.useless_for(format) {
        let diagnostic = Diagnostic::new(Kind::Input, message).help("waveforms are files in the formats vcd and fst");
        return Err(called(name, diagnostic.into()));
    }
    let read = formats::open_runs(format, reader, &reading.options, budget);
    // A packed file has no lines to point to.
    if format.holds_waves() { read.map_err(|failure| called(name, failure)) } else { read }
}

/// A failure whose mistakes name the file where they have no place in it.
fn called(name: &str, failure: Error) -> Error {
    let Error::Invalid(mut mistakes) = failure else { return failure };
    let name = quoted(name);
    for mistake in mistakes.iter_mut().filter(|mistake| mistake.place.is_none()) {
        mistake.message = format!("{name}: {}", mistake.message);
        *mistake = mistake.clone().about(Subject::Input, None);
    }
    Error::Invalid(mistakes)
}

/// That the system does not give an input.
pub fn cannot_read(name: &str, error: &std::io::Error) -> Diagnostic {
    Diagnostic::of_input(Kind::Input, format!("cannot read {}: {}", quoted(name), system_error(error)))
}

/// Whether there is nothing but white space, and perhaps a byte order mark before it.
pub fn is_blank(start: &[u8]) -> bool {
    start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii().is_empty()
}

/// The format of an input that begins so: the one that was said, else the one that is found.
pub fn format_of(
    name: &str,
    start: &[u8],
    extension: Option<&str>,
    from: Option<Format>,
) -> Result<Format, Diagnostic> {
    if is_blank(start) {
        let message = format!("{} is empty", quoted(name));
        return Err(Diagnostic::of_input(Kind::Input, message)
            .help("was it written? an empty file is not a run without events"));
    }
    let Some(from) = from else {
        return match formats::detect(start, extension) {
            Ok(found) => found.ok_or_else(|| unknown_format(name)),
            Err(foreign) => Err(refusal(name, foreign)),
        };
    };
    // Saying that it is another format does not make it one. A log may hold anything between its records.
    let of_lines = matches!(from, Format::JsonLines | Format::States | Format::Csv);
    if let (true, Ok(Some(found))) = (of_lines, formats::detect(start, None))
        && found.holds_spans()
    {
        let message = format!("{} holds spans, in the format {}", quoted(name), found.name());
        return Err(Diagnostic::of_input(Kind::Format, message).help("leave out --from"));
    }
    let foreign = formats::foreign(start).filter(|foreign| match from {
        Format::JsonLines | Format::States | Format::Csv => true,
        _ => matches!(foreign, Foreign::Compressed(_)),
    });
    foreign.map_or(Ok(from), |foreign| Err(refusal(name, foreign)))
}

/// That an input is in a format that is not read.
fn refusal(name: &str, foreign: Foreign) -> Diagnostic {
    Diagnostic::of_input(Kind::Format, format!("{} is {}", quoted(name), foreign.what())).help(foreign.advice())
}

/// What an input is called in a sentence.
fn quoted(name: &str) -> String {
    if name == "-" { "standard input".to_owned() } else { format!("`{name}`") }
}

fn unknown_format(name: &str) -> Diagnostic {
    let known: Vec<&str> = Format::ALL.iter().map(|f| f.name()).collect();
    let unknown = Diagnostic::of_input(Kind::Format, format!("cannot tell what format {} has", quoted(name)));
    match extension(Path::new(name)).map(str::to_ascii_lowercase).as_deref() {
        Some("smv") => unknown.help("a model in SMV is for `posetta verify`"),
        Some("sys" | "aut" | "pnml") => {
            unknown.help("a system is for `posetta verify`; to hold a run against it, give it with --model")
        }
        _ => {
            let known = known.join("|");
            unknown.help(format!("if it is in one of the formats that are read, say which: --from {known}"))
        }
    }
}

/// A text that is held whole: a property file or a witness. `-` is standard input.
pub fn text(path: &Path) -> Result<String, Diagnostic> {
    let name = path.display().to_string();
    if path.as_os_str() == "-" {
        return text_of(&name, std::io::stdin().lock());
    }
    let place = unsaved::copy_of(path).unwrap_or(path);
    text_of(&name, files::open(place).map_err(|e| cannot_read(&name, &e))?)
}

/// The same of what is open already.
pub fn text_of(name: &str, reader: impl Read) -> Result<String, Diagnostic> {
    let mut bytes = Vec::new();
    reader.take(TEXT_LIMIT + 1).read_to_end(&mut bytes).map_err(|e| cannot_read(name, &e))?;
    if bytes.len() as u64 > TEXT_LIMIT {
        return Err(Diagnostic::of_input(
            Kind::Input,
            format!("{} is larger than {} MiB", quoted(name), TEXT_LIMIT >> 20),
        ));
    }
    String::from_utf8(bytes).map_err(|error| not_utf8(error.as_bytes(), error.utf8_error().valid_up_to()))
}

fn not_utf8(bytes: &[u8], at: usize) -> Diagnostic {
    let line = 1 + bytes[..at].iter().filter(|&&b| b == b'\n').count() as u64;
    let start = bytes[..at].iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
    let end = bytes[at..].iter().position(|&b| b == b'\n').map_or(bytes.len(), |i| at + i);
    let text = String::from_utf8_lossy(&bytes[start..end]);
    let place = posetta_base::Place::in_line(line, &text, at - start, at - start + 1);
    Diagnostic::new(Kind::Encoding, "the file is not UTF-8 text")
        .at(place)
        .label("this byte is not part of a character")
}
