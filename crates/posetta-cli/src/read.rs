//! From an input to a trace.

use std::fs::File;
use std::io::{BufRead, Read};
use std::path::Path;
use std::time::Duration;

use posetta_base::{Budget, Diagnostic, Error, Kind, Number, Subject};
use posetta_files::Wording;
pub use posetta_files::runs::{NamedRun, NamedRuns, begun, is_blank};
use posetta_files::runs::{beside, mapped_format_of, part, quoted, several};
pub use posetta_files::text::{cannot_read, text};
use posetta_formats::shiviz::{Delimiter, Expression};
use posetta_formats::{self as formats, Format, ReadOptions, Run, Runs};

use crate::args::InputArgs;
use crate::cache;
use crate::files;
use crate::inputs::{Input, extension};
use crate::mapping;
use crate::problem::Problem;
use crate::sampling::SamplingArgs;

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

    /// The same, if of waveforms only these variables are asked for.
    pub fn wanting<'a>(self, variables: impl Iterator<Item = &'a String>) -> Self {
        Self { options: self.options.wanted(Some(variables.cloned().collect())), ..self }
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
        match self.options.mapping {
            None => format_of(name, start, extension, self.from),
            Some(_) => mapped_format_of(name, start, extension, self.from, Wording::Flags),
        }
    }
}

/// A duration as the times of events are counted.
fn seconds(duration: Duration) -> Number {
    let nanoseconds = i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX);
    let exact = Number::from(nanoseconds).div(&Number::from(1_000_000_000));
    exact.unwrap_or(Number::ZERO)
}

/// The same for a file, with the hash of what was read, if it could be read to its end.
pub fn open_hashed(input: &Input, reading: &Reading, budget: &Budget) -> Result<(NamedRuns, Option<[u8; 32]>), Error> {
    let (Input::File(path) | Input::Part(path, _)) = input else { return Ok((open(input, reading, budget)?, None)) };
    let file = input.file();
    let hasher = cache::hasher();
    let beside = cache::hash_beside(path);
    let opened = files::open(path).map_err(|e| cannot_read(&file, &e))?;
    // Both stand at the same place of the file.
    let rest = opened.try_clone();
    let reader = begun(cache::Hashed::new(opened, &hasher)).map_err(|e| cannot_read(&file, &e))?;
    let runs = NamedRuns::new(&file, buffered(reader, Origin::Hashed(path), &file, reading, budget)?)?;
    let hash = rest.ok().and_then(|mut rest| cache::whole_hash(&mut rest, &hasher));
    // What stands beside it may have changed while it was read.
    let hash = hash.filter(|_| cache::hash_beside(path) == beside).map(|hash| cache::with_beside(hash, beside));
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
            buffered(reader, Origin::Nowhere, "-", reading, budget)?
        }
        Input::Joined(parts) => Box::new(std::iter::once(Ok(joined(parts, reading, budget)?))),
        Input::File(path) | Input::Stream(path) | Input::Received(path) | Input::Part(path, _) => {
            let opened = files::open(path).map_err(|e| cannot_read(&file, &e))?;
            let reader = begun(opened).map_err(|e| cannot_read(&file, &e))?;
            buffered(reader, Origin::File(path), &file, reading, budget)?
        }
    };
    let runs = NamedRuns::new(&file, runs)?;
    match input {
        Input::Part(_, label) => part(&file, runs, label).map(NamedRuns::only),
        Input::Stdin | Input::File(_) | Input::Stream(_) | Input::Received(_) | Input::Joined(_) => Ok(runs),
    }
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

/// Reads the only run of an input.
pub fn one_run(input: &Input, reading: &Reading, budget: &Budget) -> Result<NamedRun, Error> {
    let mut runs = open(input, reading, budget)?;
    if runs.several {
        return Err(several(&input.name(), runs));
    }
    runs.next().unwrap_or_else(|| Err(Diagnostic::new(Kind::Input, "there is no run").into()))
}

/// Where an input is.
#[derive(Clone, Copy)]
enum Origin<'a> {
    /// In a file that may be opened again.
    File(&'a Path),
    /// In a file of which every byte has to come by.
    Hashed(&'a Path),
    Nowhere,
}

fn buffered(
    mut reader: impl BufRead,
    place: Origin<'_>,
    name: &str,
    reading: &Reading,
    budget: &Budget,
) -> Result<Runs, Error> {
    let path = match place {
        Origin::File(path) | Origin::Hashed(path) => Some(path),
        Origin::Nowhere => None,
    };
    let start = reader.fill_buf().map_err(|e| cannot_read(name, &e))?;
    let format = reading.format_of(name, start, path.and_then(extension))?;
    if let Some(message) = reading.sampling.useless_for(format) {
        let diagnostic = Diagnostic::new(Kind::Input, message).help("waveforms are files in the formats vcd and fst");
        return Err(called(name, diagnostic.into()));
    }
    if !format.holds_waves() {
        return formats::open_runs(format, reader, &reading.options, budget);
    }
    let options = reading.options.clone().names(path.map(beside));
    let again = match place {
        Origin::File(path) => anywhere(path, format),
        Origin::Hashed(_) | Origin::Nowhere => None,
    };
    let read = match again {
        Some(file) => match formats::open_file(format, file, &options, budget) {
            Ok(None) => formats::open_runs(format, reader, &options, budget),
            Ok(Some(runs)) => Ok(runs),
            Err(failure) => Err(failure),
        },
        None => formats::open_runs(format, reader, &options, budget),
    };
    // A packed file has no lines to point to.
    read.map_err(|failure| called(name, failure))
}

/// The file once more, if it can be read anywhere and holds the format as it is, not packed.
fn anywhere(path: &Path, format: Format) -> Option<File> {
    let mut file = files::open(path).ok().filter(|file| file.metadata().is_ok_and(|data| data.is_file()))?;
    let mut start = [0; 64];
    let length = file.read(&mut start).ok()?;
    (formats::detect(&start[..length], None) == Ok(Some(format))).then_some(file)
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

/// The format of an input that begins so: the one that was said, else the one that is found.
pub fn format_of(
    name: &str,
    start: &[u8],
    extension: Option<&str>,
    from: Option<Format>,
) -> Result<Format, Diagnostic> {
    posetta_files::runs::format_of(name, start, extension, from, Wording::Flags)
}
