//! Which runs the arguments mean.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::io::BufRead;
use std::path::{Path, PathBuf};

use posetta_base::{Diagnostic, Kind};
use posetta_files::runs::extension_of;
pub use posetta_files::runs::{extension, packing};
use posetta_formats::{self as formats, Format};

use crate::paint;
use crate::problem::{Problem, system_error};
use crate::read::{self, Reading};
use crate::root::{Links, Refused, RootArgs};
use crate::{carets, output};

/// Where a run comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
    /// A pipe or a device among the runs of a command that reads several: it may never end, and is read once.
    Stream(PathBuf),
    /// What was received, in a file that nobody has named.
    Received(PathBuf),
    /// One run of a file with several.
    Part(PathBuf, String),
    /// Files that are one run together.
    Joined(Vec<Input>),
}

impl Input {
    /// One argument, taken literally.
    pub fn named(argument: &Path) -> Self {
        if argument.as_os_str() == "-" {
            return Self::Stdin;
        }
        part(argument).unwrap_or_else(|| Self::File(argument.to_owned()))
    }

    /// Whether it can be read from its beginning a second time.
    pub fn can_be_read_again(&self) -> bool {
        match self {
            Self::File(_) | Self::Received(_) | Self::Part(..) => true,
            Self::Stdin | Self::Stream(_) => false,
            Self::Joined(parts) => parts.iter().all(Self::can_be_read_again),
        }
    }

    /// The arguments of a command that reads one run: one of them, or the parts of one.
    pub fn one(arguments: &[PathBuf], join: bool, reading: &Reading) -> Result<Self, Vec<Problem>> {
        match arguments {
            many if join => {
                let (mut inputs, problems) = expand(many, join, reading, &RootArgs::default());
                inputs.pop().filter(|_| problems.is_empty()).ok_or(problems)
            }
            [one] => Ok(Self::named(one)),
            many => {
                let message = format!("{} runs, and this command reads one", many.len());
                let help = "if the files are the parts of one run, say --join";
                Err(vec![Problem::in_text("--join", Diagnostic::new(Kind::Input, message).help(help))])
            }
        }
    }

    /// The file it is in, `-` for standard input.
    pub fn file(&self) -> String {
        match self {
            Self::Joined(_) => self.name(),
            Self::Stdin => "-".to_owned(),
            Self::Received(_) => RECEIVED.to_owned(),
            Self::File(path) | Self::Stream(path) | Self::Part(path, _) => path.to_string_lossy().into_owned(),
        }
    }

    /// As reports call it: `-`, or the path.
    pub fn name(&self) -> String {
        match self {
            Self::Stdin => "-".to_owned(),
            Self::Received(_) => RECEIVED.to_owned(),
            Self::File(path) | Self::Stream(path) => path.to_string_lossy().into_owned(),
            Self::Part(path, label) => format!("{}#{label}", path.display()),
            Self::Joined(parts) => {
                let mut names: Vec<String> = parts.iter().take(NAMED).map(Self::name).collect();
                if parts.len() > NAMED {
                    names.push(format!("{} more", parts.len() - NAMED));
                }
                names.join(" + ")
            }
        }
    }
}

/// `FILE#LABEL`, if there is no file of that whole name but there is FILE.
fn part(argument: &Path) -> Option<Input> {
    if argument.exists() {
        return None;
    }
    let text = argument.to_str()?;
    let mut places = text.match_indices('#').map(|(at, _)| at);
    let at = places.find(|&at| Path::new(&text[..at]).is_file())?;
    Some(Input::Part(PathBuf::from(&text[..at]), text[at + 1..].to_owned()))
}

/// What reports call what was received and has no file that outlives the program.
const RECEIVED: &str = "received";

/// So many parts of a run are named.
const NAMED: usize = 4;

/// Directories below each other more deeply than this are taken for a mistake of the file system.
const DEPTH: usize = 64;

/// The runs that the arguments mean, in the order of the arguments, each once: a file is itself whatever it is called,
/// a directory is its files with known extensions and exports in JSON (sorted, hidden ones left out), a pattern is what it matches (sorted).
/// A pipe or a device is a run only if it is named itself. A link in a directory stays in its root. With `join` all of that is one run.
pub fn expand(arguments: &[PathBuf], join: bool, reading: &Reading, roots: &RootArgs) -> (Vec<Input>, Vec<Problem>) {
    let any_log = reading.from == Some(Format::Shiviz);
    let any_json = reading.options.mapping.is_some() || reading.from.is_some_and(is_exported_as_json);
    let is_one_directory = matches!(arguments, [only] if only.is_dir());
    let seen = (!is_one_directory).then(HashSet::new);
    let mut found = Found { any_log, any_json, seen, roots: roots.clone(), ..Found::default() };
    for argument in arguments {
        found.add(argument);
    }
    for path in &found.skipped {
        let name = path.display().to_string();
        let warning =
            Diagnostic::of_input(Kind::Input, format!("`{name}` is neither a file nor a directory, and is skipped"))
                .help("name it itself to read it");
        output::note(&carets::warning(&name, None, &warning, paint::stderr()));
    }
    if let Some(first) = found.others.first() {
        let message = format!("{} skipped: a directory is searched by extension", some_of(&found.others));
        let warning = Diagnostic::new(Kind::Unmatched, message).help("name a file itself to read it");
        output::note(&carets::warning(&first.display().to_string(), None, &warning, paint::stderr()));
    }
    if let Some(first) = found.other_logs.first() {
        let one = found.other_logs.len() == 1;
        let message = format!(
            "{} skipped: {} no record with a vector clock that is known",
            some_of(&found.other_logs),
            if one { "it has" } else { "they have" },
        );
        let warning = Diagnostic::new(Kind::Unmatched, message)
            .help("--from shiviz, or --regex EXPR, takes every log of a directory; so does naming it itself");
        output::note(&carets::warning(&first.display().to_string(), None, &warning, paint::stderr()));
    }
    // A run that lacks a part is another run.
    match join && !found.inputs.is_empty() {
        true if found.problems.is_empty() => (vec![Input::Joined(found.inputs)], found.problems),
        true => (Vec::new(), found.problems),
        false => (found.inputs, found.problems),
    }
}

/// The files that a pattern matches, sorted; `None` if it is none, but a name.
pub fn matching(argument: &Path, roots: &RootArgs) -> Option<Result<Vec<PathBuf>, Vec<Problem>>> {
    let pattern = argument.to_str().filter(|name| name.contains(['*', '?', '[']) && !argument.exists())?;
    let mut found = Found { roots: roots.clone(), ..Found::default() };
    let mut files = Vec::new();
    match (glob::glob(pattern), Links::of(roots, &before_wildcards(argument))) {
        (Err(error), _) => found.problem(argument, format!("`{pattern}` is not a pattern: {}", error.msg)),
        (Ok(matches), Ok(links)) => {
            files.extend(matches.filter_map(Result::ok).filter(|path| found.stays(&links, path) && path.is_file()));
        }
        (Ok(_), Err(_)) => {}
    }
    if files.is_empty() && found.problems.is_empty() {
        found.problem(argument, format!("no file matches `{pattern}`"));
    }
    Some(if found.problems.is_empty() { Ok(files) } else { Err(found.problems) })
}

/// The places of the inputs in the order in which to read them: a pipe may never end, so files come before it.
pub fn reading_order(inputs: &[Input]) -> Vec<usize> {
    let is_file = |input: &Input| matches!(input, Input::File(_) | Input::Part(..));
    let (mut places, last): (Vec<usize>, Vec<usize>) = (0..inputs.len()).partition(|&i| is_file(&inputs[i]));
    places.extend(last);
    places
}

#[derive(Default)]
struct Found {
    inputs: Vec<Input>,
    /// Without a leading `./`, so that `check . run.trace` reads the run once; nothing if all are in one directory.
    seen: Option<HashSet<PathBuf>>,
    problems: Vec<Problem>,
    /// Pipes and devices that nobody named.
    skipped: Vec<PathBuf>,
    /// Files of directories that may be runs, but are not called so.
    others: Vec<PathBuf>,
    /// Logs of directories without records that are known.
    other_logs: Vec<PathBuf>,
    /// Whether every log of a directory is meant, and not only those with clocks.
    any_log: bool,
    /// Whether every file called `.json` is meant, and not only those that show what they are.
    any_json: bool,
    roots: RootArgs,
}

impl Found {
    fn add(&mut self, argument: &Path) {
        if argument.as_os_str() == "-" {
            return self.push(Input::Stdin);
        }
        match fs::metadata(argument) {
            Ok(meta) if meta.is_dir() => self.directory(argument),
            Ok(meta) if meta.is_file() => self.push(Input::File(argument.to_owned())),
            Ok(_) => self.push(Input::Stream(argument.to_owned())),
            Err(_) if part(argument).is_some() => self.push(Input::named(argument)),
            Err(error) => match argument.to_str() {
                Some(pattern) if pattern.contains(['*', '?', '[']) => self.pattern(argument, pattern),
                _ => self.cannot_read(argument, &error),
            },
        }
    }

    fn cannot_read(&mut self, path: &Path, error: &std::io::Error) {
        self.problem(path, format!("cannot read `{}`: {}", path.display(), system_error(error)));
    }

    fn push(&mut self, input: Input) {
        let Some(seen) = &mut self.seen else { return self.inputs.push(input) };
        let key = match &input {
            Input::Stdin => PathBuf::from("-"),
            Input::File(path) | Input::Stream(path) => path.strip_prefix(".").unwrap_or(path).to_owned(),
            Input::Part(..) | Input::Received(_) | Input::Joined(_) => PathBuf::from(input.name()),
        };
        if seen.insert(key) {
            self.inputs.push(input);
        }
    }

    fn problem(&mut self, path: &Path, message: String) {
        let name = path.display().to_string();
        self.problems.push(Problem::in_run(&name, Diagnostic::of_input(Kind::Input, message)));
    }

    fn directory(&mut self, path: &Path) {
        let before = self.inputs.len();
        let problems = self.problems.len();
        let mut files = 0;
        match Links::of(&self.roots, path) {
            Ok(links) => self.walk(&links, path, 0, &mut files),
            Err(error) => self.cannot_read(path, &error),
        }
        if self.inputs.len() == before && files == 0 && self.problems.len() == problems {
            let known: Vec<&str> = Format::ALL.iter().map(|f| f.name()).collect();
            let diagnostic = Diagnostic::of_input(Kind::Input, format!("no run in the directory `{}`", path.display()))
                .help(format!(
                    "files are taken by extension ({}); name a file with another one itself, with --from {}",
                    extensions().join(", "),
                    known.join("|")
                ));
            self.problems.push(Problem::in_run(&path.display().to_string(), diagnostic));
        }
    }

    fn walk(&mut self, links: &Links, directory: &Path, depth: usize, files: &mut usize) {
        let entries = match fs::read_dir(directory) {
            Ok(entries) => entries,
            Err(error) => {
                let message = format!("cannot list `{}`: {}", directory.display(), system_error(&error));
                return self.problem(directory, message);
            }
        };
        // Directories say what their entries are, so most of them need not be asked.
        let kind_of = |entry: &fs::DirEntry| entry.file_type().ok();
        let mut names: Vec<(OsString, Option<fs::FileType>)> =
            entries.filter_map(|entry| entry.ok().map(|entry| (entry.file_name(), kind_of(&entry)))).collect();
        names.sort_by(|(a, _), (b, _)| a.cmp(b));
        for (name, kind) in names {
            if name.as_encoded_bytes().starts_with(b".") {
                continue;
            }
            let (path, own) = (directory.join(&name), name.to_str().and_then(extension_of));
            let is = |test: fn(&fs::FileType) -> bool| kind.as_ref().is_some_and(test);
            // A link to a directory may lead back up; only real ones are entered.
            if is(fs::FileType::is_dir) {
                if depth < DEPTH {
                    self.walk(links, &path, depth + 1, files);
                }
            } else if is_probably_a_run(&path, own) && !self.is_export(&path) {
                self.others.push(path);
            } else if (formats::by_extension(own).is_some() || is_json(own))
                && (!is(fs::FileType::is_symlink) || self.stays(links, &path))
            {
                let kind = match kind.filter(fs::FileType::is_file) {
                    Some(kind) => Ok(kind),
                    None => fs::metadata(&path).map(|meta| meta.file_type()),
                };
                match kind {
                    // Most logs of most directories have no clocks.
                    Ok(kind) if kind.is_file() && !self.any_log && is_other_log(&path, own) => {
                        self.other_logs.push(path)
                    }
                    Ok(kind) if kind.is_file() => {
                        *files += 1;
                        self.push(Input::File(path));
                    }
                    Ok(kind) if kind.is_dir() => {}
                    Ok(_) => self.skipped.push(path),
                    Err(error) => self.cannot_read(&path, &error),
                }
            }
        }
    }

    /// Whether a file called `.json`, a name that many have, is what some tool exports of runs.
    fn is_export(&self, path: &Path) -> bool {
        is_json(extension(path)) && path.is_file() && (self.any_json || begins_as_export(path))
    }

    /// Whether what was found stays in the root. Leaving it out without a word would hide a run.
    fn stays(&mut self, links: &Links, path: &Path) -> bool {
        match links.check(path) {
            Ok(()) => true,
            Err(Refused::Missing(error)) => {
                self.cannot_read(path, &error);
                false
            }
            Err(Refused::Unfit(why)) => {
                self.problem(path, format!("cannot read `{}`: {why}", path.display()));
                false
            }
            Err(Refused::Outside) => {
                let name = path.display().to_string();
                let message = format!("`{name}` leads outside of {} by a link", links.called());
                let help = "to allow it, name a directory that it is in with --root";
                self.problems.push(Problem::in_run(&name, Diagnostic::of_input(Kind::Input, message).help(help)));
                false
            }
        }
    }

    fn pattern(&mut self, argument: &Path, pattern: &str) {
        let matches = match glob::glob(pattern) {
            Ok(matches) => matches,
            Err(error) => return self.problem(argument, format!("`{pattern}` is not a pattern: {}", error.msg)),
        };
        let links = match Links::of(&self.roots, &before_wildcards(argument)) {
            Ok(links) => links,
            Err(_) => return self.problem(argument, format!("nothing matches `{pattern}`")),
        };
        let (mut any, mut skipped) = (false, false);
        for path in matches.filter_map(Result::ok) {
            if !self.stays(&links, &path) {
                any = true;
                continue;
            }
            match fs::metadata(&path) {
                Ok(meta) if meta.is_dir() => self.directory(&path),
                Ok(meta) if meta.is_file() => self.push(Input::File(path)),
                Ok(_) => {
                    skipped = true;
                    self.skipped.push(path);
                    continue;
                }
                Err(error) => self.cannot_read(&path, &error),
            }
            any = true;
        }
        match (any, skipped) {
            (true, _) => {}
            (false, true) => self.problem(argument, format!("no file or directory matches `{pattern}`")),
            (false, false) => self.problem(argument, format!("nothing matches `{pattern}`")),
        }
    }
}

/// The directory that a pattern is about.
fn before_wildcards(pattern: &Path) -> PathBuf {
    let parts = pattern.components();
    parts.take_while(|part| !part.as_os_str().to_string_lossy().contains(['*', '?', '['])).collect()
}

/// Some of many files, and that something is done with them.
fn some_of(paths: &[PathBuf]) -> String {
    let names: Vec<String> = paths.iter().take(5).map(|path| format!("`{}`", path.display())).collect();
    let more = paths.len() - names.len();
    let names = if more > 0 { format!("{} and {more} more", names.join(", ")) } else { names.join(", ") };
    format!("{names} {}", if paths.len() == 1 { "is" } else { "are" })
}

/// Whether a file with this extension, which is not that of a run, is probably one all the same: packed, an export, or a log that was
/// put away.
fn is_probably_a_run(path: &Path, own: Option<&str>) -> bool {
    let Some(own) = own else { return false };
    let is_export = ["json", "xz", "bz2", "lz4"].iter().any(|known| own.eq_ignore_ascii_case(known));
    let is_packed = || packing(path).is_some() && formats::by_extension(Some(own)).is_none();
    let is_put_away = || {
        let inside = || path.file_stem().and_then(|stem| extension(Path::new(stem)));
        own.bytes().all(|b| b.is_ascii_digit()) && formats::by_extension(inside()).is_some()
    };
    is_export || is_packed() || is_put_away()
}

/// Whether it is that of a file called `.json`, packed or not.
fn is_json(extension: Option<&str>) -> bool {
    extension.is_some_and(|own| own.eq_ignore_ascii_case("json"))
}

/// Whether a file begins like what some tool exports of runs. What cannot be read is reported when it is.
fn begins_as_export(path: &Path) -> bool {
    let known = |start: &[u8]| matches!(formats::detect(start, None), Ok(Some(found)) if is_exported_as_json(found));
    fs::File::open(path).and_then(read::begun).is_ok_and(|mut reader| reader.fill_buf().is_ok_and(known))
}

/// Whether a file may be a run, by its name.
pub fn may_be_run(path: &Path) -> bool {
    let own = extension(path);
    is_json(own) || formats::by_extension(own).is_some()
}

/// Whether such a file is one that a directory of runs is read for.
pub fn is_run(path: &Path) -> bool {
    let own = extension(path);
    if is_json(own) { begins_as_export(path) } else { formats::by_extension(own).is_some() && !is_other_log(path, own) }
}

/// Whether files of a format are usually called `.json`.
fn is_exported_as_json(format: Format) -> bool {
    matches!(format, Format::Otlp | Format::Jaeger | Format::Zipkin | Format::Itf | Format::Jepsen)
}

/// Whether a file called a log does not look like one with vector clocks.
fn is_other_log(path: &Path, own: Option<&str>) -> bool {
    if own.is_none_or(|e| !e.eq_ignore_ascii_case("log")) {
        return false;
    }
    let Ok(mut reader) = fs::File::open(path).and_then(read::begun) else { return false };
    // What cannot be read is reported when it is.
    let start = reader.fill_buf();
    start.is_ok_and(|start| matches!(formats::detect(start, None), Ok(Some(Format::Text | Format::Csv) | None)))
}

/// The extensions by which a directory's files are taken, with their dots.
pub fn extensions() -> Vec<String> {
    Format::ALL.iter().flat_map(|f| f.extensions()).map(|e| format!(".{e}")).collect()
}
