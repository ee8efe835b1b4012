//! From a file to runs: what format it has, and what its runs are called.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read};
use std::iter::Peekable;
use std::path::{Path, PathBuf};

use posetta_base::{Diagnostic, Error, Kind};
use posetta_formats::fst::Beside;
use posetta_formats::{self as formats, Foreign, Format, Packing, Run, Runs, Unpacked};
use posetta_tell::about;
use posetta_trace::Trace;

use crate::Wording;
use crate::opened::open_known;
use crate::text::cannot_read;
pub use crate::text::quoted;

/// Large enough that reading is bound by the reader, small enough for one per worker.
const BUFFER: usize = 1 << 18;

/// So much of a pipe is waited for before its format is looked for: its writer may begin with a single byte.
const START: usize = 1 << 14;

/// A run of an input.
#[derive(Debug)]
pub struct NamedRun {
    /// As reports call it: the input, and which run of it if it has several.
    pub name: String,
    /// As its file calls it.
    pub label: Option<String>,
    /// The run.
    pub trace: Trace,
    /// What is worth knowing about it.
    pub warnings: Vec<Diagnostic>,
}

/// The runs of an input, one after the other: each is built when it is asked for.
pub struct NamedRuns {
    runs: Peekable<Box<dyn Iterator<Item = Result<NamedRun, Error>> + Send>>,
    /// Whether there are several.
    pub several: bool,
}

impl NamedRuns {
    /// Names the runs of a file.
    ///
    /// # Errors
    /// When the first of them cannot be built.
    pub fn new(file: &str, mut runs: Runs) -> Result<Self, Error> {
        let first = runs.next().transpose()?;
        let second = runs.next();
        let several = second.is_some();
        let mut names = Names { file: file.to_owned(), several, count: 0, taken: HashSet::new() };
        let all = first.map(Ok).into_iter().chain(second).chain(runs);
        let named: Box<dyn Iterator<Item = _> + Send> = Box::new(all.map(move |run| run.map(|run| names.give(run))));
        Ok(Self { runs: named.peekable(), several })
    }

    /// A single one.
    #[must_use]
    pub fn only(run: NamedRun) -> Self {
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

/// A reader of what an input holds, unpacked, whose first buffer has enough to tell the format by, if there is so much.
///
/// # Errors
/// When the system does not give it, or it is not packed as it says.
pub fn begun<'a>(input: impl Read + 'a) -> std::io::Result<impl BufRead + 'a> {
    let mut input = Unpacked::new(BufReader::with_capacity(BUFFER, input))?;
    let mut start = Vec::with_capacity(START);
    input.by_ref().take(START as u64).read_to_end(&mut start)?;
    Ok(std::io::Cursor::new(start).chain(input))
}

/// Where a simulator keeps the names of the signals of a waveform until it ends.
#[must_use]
pub fn path_beside(path: &Path) -> PathBuf {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".hier");
    beside.into()
}

/// What a simulator keeps there, read when it is asked for.
#[must_use]
pub fn beside(path: &Path) -> Beside {
    let path = path_beside(path);
    Beside::new(move |budget| {
        // Opening a pipe would wait for a writer.
        let is_there = std::fs::metadata(&path).is_ok_and(|found| found.is_file());
        let Some((file, found)) = is_there.then(|| open_known(&path).ok()).flatten() else { return Ok(None) };
        let mut names = Vec::new();
        let _claim = budget.claim(found.len(), "reading the names of the signals")?;
        names.reserve_exact(usize::try_from(found.len()).unwrap_or_default());
        let read = file.take(found.len()).read_to_end(&mut names);
        read.map_err(|error| cannot_read(&path.to_string_lossy(), &error))?;
        Ok(Some(names))
    })
}

/// Whether there is nothing but white space, and perhaps a byte order mark before it.
#[must_use]
pub fn is_blank(start: &[u8]) -> bool {
    start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii().is_empty()
}

/// The format of an input that begins so: the one that was said, else the one that is found.
///
/// # Errors
/// When it is in none that is read, or not in the one that was said.
pub fn format_of(
    name: &str,
    start: &[u8],
    extension: Option<&str>,
    from: Option<Format>,
    wording: Wording,
) -> Result<Format, Diagnostic> {
    if is_blank(start) {
        let message = format!("{} is empty", quoted(name));
        return Err(Diagnostic::of_input(Kind::Input, message)
            .help("was it written? an empty file is not a run without events"));
    }
    let Some(from) = from else {
        return match formats::detect(start, extension) {
            Ok(found) => found.ok_or_else(|| unknown_format(name, wording)),
            Err(foreign) => Err(refusal(name, foreign)),
        };
    };
    // Saying that it is another format does not make it one. A log may hold anything between its records.
    let of_lines = matches!(from, Format::JsonLines | Format::States | Format::Csv);
    if let (true, Ok(Some(found))) = (of_lines, formats::detect(start, None))
        && found.holds_spans()
    {
        let message = format!("{} holds spans, in the format {}", quoted(name), found.name());
        return Err(Diagnostic::of_input(Kind::Format, message).help(format!("leave out {}", wording.called("from"))));
    }
    let foreign = formats::foreign(start).filter(|foreign| match from {
        Format::JsonLines | Format::States | Format::Csv => true,
        _ => matches!(foreign, Foreign::Compressed(_)),
    });
    foreign.map_or(Ok(from), |foreign| Err(refusal(name, foreign)))
}

/// The same of an input with a mapping, which says what the fields mean, whoever wrote them.
///
/// # Errors
/// When there is nothing, or it is packed in a way that is not read.
pub fn mapped_format_of(
    name: &str,
    start: &[u8],
    extension: Option<&str>,
    from: Option<Format>,
    wording: Wording,
) -> Result<Format, Diagnostic> {
    if is_blank(start) {
        return format_of(name, start, extension, from, wording);
    }
    if let Some(foreign @ Foreign::Compressed(_)) = formats::foreign(start) {
        return Err(refusal(name, foreign));
    }
    let first = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start().first();
    let found = if matches!(first, Some(b'{' | b'[')) { Format::JsonLines } else { Format::Csv };
    Ok(from.unwrap_or(found))
}

/// That an input is in a format that is not read.
fn refusal(name: &str, foreign: Foreign) -> Diagnostic {
    Diagnostic::of_input(Kind::Format, format!("{} is {}", quoted(name), foreign.what())).help(foreign.advice())
}

fn unknown_format(name: &str, wording: Wording) -> Diagnostic {
    let known: Vec<&str> = Format::ALL.iter().map(|f| f.name()).collect();
    let unknown = Diagnostic::of_input(Kind::Format, format!("cannot tell what format {} has", quoted(name)));
    match extension(Path::new(name)).map(str::to_ascii_lowercase).as_deref() {
        Some("smv") => unknown.help("a model in SMV is for `posetta verify`"),
        Some("sys" | "aut" | "pnml") => {
            let model = wording.called("model");
            unknown.help(format!("a system is for `posetta verify`; to hold a run against it, give it with {model}"))
        }
        _ => {
            let known = wording.choice("from", &known);
            unknown.help(format!("if it is in one of the formats that are read, say which: {known}"))
        }
    }
}

/// The extension of a path, if it can be one of ours: that of what is inside, if the name says that it is packed. It may have two parts, as
/// `itf.json` has.
#[must_use]
pub fn extension(path: &Path) -> Option<&str> {
    path.file_name().and_then(|name| name.to_str()).and_then(extension_of)
}

/// The same of a name.
#[must_use]
pub fn extension_of(name: &str) -> Option<&str> {
    // A name that begins with its only dot has none.
    let split = |name: &str| name.rfind('.').filter(|&at| at > 0);
    let mut name = name;
    let mut at = split(name)?;
    if packed_as(&name[at + 1..]).is_some()
        && let Some(inside) = split(&name[..at])
    {
        (name, at) = (&name[..at], inside);
    }
    let two = name[..at].rfind('.').map(|before| &name[before + 1..]);
    Some(two.filter(|two| formats::by_extension(Some(two)).is_some()).unwrap_or(&name[at + 1..]))
}

/// What a path says that it is packed with.
#[must_use]
pub fn packing(path: &Path) -> Option<Packing> {
    path.extension().and_then(|own| own.to_str()).and_then(packed_as)
}

fn packed_as(extension: &str) -> Option<Packing> {
    Packing::ALL.into_iter().find(|packing| packing.extension().eq_ignore_ascii_case(extension))
}

/// The run of a file that is called so, or that has this number.
///
/// # Errors
/// When there is none, or a run before it cannot be built.
pub fn part(file: &str, runs: NamedRuns, label: &str) -> Result<NamedRun, Error> {
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

/// That a file has several runs, where one is meant.
#[must_use]
pub fn several(name: &str, runs: NamedRuns) -> Error {
    let (mut names, mut count) = (Vec::new(), 0);
    for run in runs {
        count += 1;
        if names.len() <= NAMED {
            match run {
                Ok(run) => names.push(format!("'{}'", run.name)),
                Err(error) => return error,
            }
        }
    }
    let diagnostic = Diagnostic::of_input(Kind::Input, format!("`{name}` has {count} runs"));
    diagnostic.help(format!("choose one: {}", list(&names, count))).into()
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
