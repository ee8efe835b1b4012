//! From an input to a trace.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use posetta_base::{Budget, Diagnostic, Error, Kind, Subject};
use posetta_formats::shiviz::{Delimiter, Expression};
use posetta_formats::{self as formats, Foreign, Format, ReadOptions, Run};
use posetta_trace::Trace;

use crate::args::InputArgs;
use crate::files;
use crate::inputs::{Input, extension};
use crate::problem::{Problem, system_error};
use crate::sampling::SamplingArgs;

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
}

impl Reading {
    /// Compiles the expressions of the arguments.
    pub fn new(args: &InputArgs) -> Result<Self, Box<Problem>> {
        let in_flag = |flag: &'static str| move |d: Box<Diagnostic>| Box::new(Problem::in_text(flag, *d));
        let options = ReadOptions::default()
            .expression(args.regex.as_deref().map(Expression::new).transpose().map_err(in_flag("--regex"))?)
            .delimiter(args.delimiter.as_deref().map(Delimiter::new).transpose().map_err(in_flag("--delimiter"))?)
            .set(args.set.clone())
            .sampling(args.sampling.sampling())
            .guessed(args.from.is_none());
        let sampling = args.sampling.clone();
        let flag = match args {
            InputArgs { regex: Some(_), .. } => Some("--regex"),
            InputArgs { delimiter: Some(_), .. } => Some("--delimiter"),
            InputArgs { set, .. } if !set.is_empty() => Some("--set"),
            _ => None,
        };
        match (flag, args.from) {
            (Some(flag), Some(from)) if from != Format::Shiviz => {
                let message = format!("{flag} is for logs, and --from says that the format is {}", from.name());
                Err(Box::new(Problem::in_text(flag, Diagnostic::new(Kind::Input, message))))
            }
            // Whoever says how a log is cut says that it is one.
            (Some(_), _) => Ok(Self { from: Some(Format::Shiviz), options, sampling }),
            (None, from) => Ok(Self { from, options, sampling }),
        }
    }
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

/// Reads the runs of an input in the format given, else in the one its content or its extension shows.
pub fn runs(input: &Input, reading: &Reading, budget: &Budget) -> Result<Vec<NamedRun>, Error> {
    let file = input.file();
    let runs = match input {
        Input::Stdin => {
            let reader = begun(std::io::stdin().lock()).map_err(|e| cannot_read("-", &e))?;
            buffered(reader, "-", None, reading, budget)?
        }
        Input::Joined(parts) => vec![joined(parts, reading, budget)?],
        Input::File(path) | Input::Part(path, _) => {
            let opened = files::open(path).map_err(|e| cannot_read(&file, &e))?;
            let reader = begun(opened).map_err(|e| cannot_read(&file, &e))?;
            buffered(reader, &file, extension(path), reading, budget)?
        }
    };
    let mut runs = named(&file, runs);
    if let Input::Part(_, label) = input {
        let names: Vec<String> = runs.iter().map(|run| format!("`{}`", run.name)).collect();
        let wanted = format!("{file}#{label}");
        let ordinal = label.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
        let at =
            runs.iter().position(|run| run.name == wanted || (names.len() == 1 && run.label.as_ref() == Some(label)));
        let at = at.or(ordinal.filter(|&n| n < runs.len()));
        let Some(at) = at else {
            let diagnostic = Diagnostic::of_input(Kind::Input, format!("`{file}` has no run `{label}`"));
            return Err(diagnostic.help(format!("it has {}", list(&names))).into());
        };
        runs = vec![runs.swap_remove(at)];
    }
    Ok(runs)
}

/// Reads the parts of one run, which must have one format.
fn joined(parts: &[Input], reading: &Reading, budget: &Budget) -> Result<Run, Error> {
    let mut readers: Vec<formats::Part<'_>> = Vec::with_capacity(parts.len());
    let mut format: Option<(Format, String)> = None;
    for part in parts {
        let name = part.name();
        let (mut reader, extension): (Box<dyn BufRead>, _) = match part {
            Input::Stdin => (Box::new(begun(std::io::stdin().lock()).map_err(|e| cannot_read("-", &e))?), None),
            Input::File(path) => {
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
        let own = format_of(&name, start, extension, reading.from)?;
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

/// A reader whose first buffer has enough to tell the format by, if the input has so much.
fn begun(mut input: impl Read) -> std::io::Result<impl BufRead> {
    let mut start = Vec::with_capacity(START);
    input.by_ref().take(START as u64).read_to_end(&mut start)?;
    Ok(std::io::Cursor::new(start).chain(BufReader::with_capacity(BUFFER, input)))
}

/// Reads the only run of an input.
pub fn one_run(input: &Input, reading: &Reading, budget: &Budget) -> Result<NamedRun, Error> {
    let mut all = runs(input, reading, budget)?;
    if all.len() > 1 {
        let names: Vec<String> = all.iter().map(|run| format!("'{}'", run.name)).collect();
        let diagnostic = Diagnostic::of_input(Kind::Input, format!("`{}` has {} runs", input.name(), all.len()));
        return Err(diagnostic.help(format!("choose one: {}", list(&names))).into());
    }
    all.pop().ok_or_else(|| Diagnostic::new(Kind::Input, "there is no run").into())
}

/// The first of many names.
fn list(names: &[String]) -> String {
    let mut shown: Vec<String> = names.iter().take(8).cloned().collect();
    if names.len() > 8 {
        shown.push(format!("and {} more", names.len() - 8));
    }
    shown.join(", ")
}

/// Names the runs of a file: its own name for one, else `FILE#LABEL`, or `FILE#2` for a run without a label of its own.
fn named(file: &str, runs: Vec<Run>) -> Vec<NamedRun> {
    let several = runs.len() > 1;
    let mut taken = HashSet::new();
    let name = |(i, run): (usize, Run)| {
        let labelled = run.label.as_ref().map(|label| format!("{file}#{label}")).filter(|n| taken.insert(n.clone()));
        let name = match labelled {
            _ if !several => file.to_owned(),
            Some(name) => name,
            // A label may be a number, too; then the next one that is free.
            None => (i + 1..).map(|n| format!("{file}#{n}")).find(|n| taken.insert(n.clone())).unwrap_or_default(),
        };
        NamedRun { name, label: run.label, trace: run.trace, warnings: run.warnings }
    };
    runs.into_iter().enumerate().map(name).collect()
}

fn buffered(
    mut reader: impl BufRead,
    name: &str,
    extension: Option<&str>,
    reading: &Reading,
    budget: &Budget,
) -> Result<Vec<Run>, Error> {
    let start = reader.fill_buf().map_err(|e| cannot_read(name, &e))?;
    let format = format_of(name, start, extension, reading.from)?;
    if let Some(message) = reading.sampling.useless_for(format) {
        let diagnostic = Diagnostic::new(Kind::Input, message).help("waveforms are files in the formats vcd and fst");
        return Err(called(name, diagnostic.into()));
    }
    let read = formats::read_runs(format, reader, &reading.options, budget);
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
    text_of(&name, files::open(path).map_err(|e| cannot_read(&name, &e))?)
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
