//! `posetta init`: what is here, and what to ask of it.
//!
//! Every file is looked at and sorted ([`Kind`]); runs of one kind are a [`Group`], and properties are proposed for the largest. Nothing is
//! read past the limits below, and what was left out is said. The proposals themselves are made by the library
//! (`posetta_propose`, `posetta_formats::mapping`), and put in words by `posetta_tell::proposed`.

use std::fs;
use std::io::{BufRead, Cursor, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use posetta_base::{Budget, Diagnostic, Error, Kind as Mistake};
use posetta_formats::mapping::{Confidence, Proposal, propose as propose_mapping};
use posetta_formats::{self as formats, Foreign, Format, Mapping, ReadOptions};
use posetta_propose::propose;
use posetta_tell::counted;
use posetta_tell::json::Schema;
use posetta_tell::proposed::{self, Chosen, Found};
use posetta_trace::Trace;

use crate::args::InitArgs;
use crate::inputs::{Input, extension};
use crate::limited::{self, OneObject, Stopped, Work};
use crate::limits::Limits;
use crate::models::Kind as Model;
use crate::paint;
use crate::problem::{Problem, system_error};
use crate::read::{self, Reading};
use crate::{files, output};

/// So many files are looked at, and so deep below the directory.
const FILES: usize = 1000;
const DEPTH: usize = 8;
/// So much is read in all, and so many runs and events of it are held.
const BYTES: u64 = 64 << 20;
const RUNS: usize = 256;
const EVENTS: usize = 1 << 18;
/// Directories that tools fill, and nobody records runs in.
const OTHERS: [&str; 6] = ["target", "node_modules", "__pycache__", "venv", "dist", "vendor"];

const SPEC: &str = "checks.props";
const MAP: &str = "map.toml";

/// Runs the command and answers with the exit status.
pub fn run(args: &InitArgs, started: Instant) -> u8 {
    let limits = Limits::new(started, args.timeout, args.memory.memory);
    let (refused, stopped) = (proposed::refused, proposed::stopped);
    let ending = Arc::new(OneObject { json: args.json, schema: Schema::Init, refused, stopped });
    let done = limited::run(limits, "looking at the files", &ending, |work| init(args, work));
    match done {
        Err(status) => status,
        Ok((found, files)) => {
            let text = if args.json {
                Schema::Init.object(found.to_json(&files))
            } else {
                let show = |(path, text): &(String, String)| format!("\n--- {path}\n{text}");
                let shown: String = files.iter().filter(|_| args.dry_run).map(show).collect();
                found.text(paint::stdout()) + &shown
            };
            if output::print(&text) && found.chosen.is_some() { 0 } else { 2 }
        }
    }
}

/// What was found, and the files that are proposed, by their names.
fn init(args: &InitArgs, work: &Work<'_>) -> Result<(Found, Vec<(String, String)>), Stopped> {
    let directory = args.output.as_deref().unwrap_or(Path::new("."));
    let (spec, map) = (beside(directory, SPEC), beside(directory, MAP));
    // It would be a pity to find that out at the end.
    if !args.dry_run && !args.force {
        refuse(&spec)?;
    }
    let mut look = Look { found: Found { place: place(&args.paths), ..Found::default() }, ..Look::default() };
    for path in &args.paths {
        look.add(path)?;
    }
    let Some(group) = look.sort(work.budget)? else { return Ok((look.found, Vec::new())) };
    work.begin("reading the runs");
    let (runs, read) = look.read(&group, work.budget)?;
    work.begin("looking for properties");
    let traces: Vec<&Trace> = runs.iter().collect();
    let (survey, proposals) = propose(&traces, work.budget)?;
    let mapping = group.mapping.as_ref().map(|(proposal, _)| proposal);
    let command = look.command(&group, mapping.map(|_| map.as_path()), &spec);
    let chosen = Chosen {
        what: what(group.format, mapping.is_some()),
        files: read,
        runs: runs.len(),
        survey,
        proposals,
        spec: spec.display().to_string(),
        mapping: mapping.map(|_| map.display().to_string()),
        written: !args.dry_run,
        command,
    };
    let mut texts = vec![(spec, chosen.property_file())];
    texts.extend(mapping.map(|proposal| (map, mapping_file(proposal, &group))));
    look.found.chosen = Some(chosen);
    if !args.dry_run {
        if !args.force {
            texts.iter().try_for_each(|(path, _)| refuse(path))?;
        }
        for (path, text) in &texts {
            files::write(path, text).map_err(|error| cannot_write(path, &error))?;
        }
    }
    let named = |(path, text): (PathBuf, String)| (path.display().to_string(), text);
    Ok((look.found, texts.into_iter().map(named).collect()))
}

/// A file in a directory, without a dot before it.
fn beside(directory: &Path, name: &str) -> PathBuf {
    if directory == Path::new(".") { PathBuf::from(name) } else { directory.join(name) }
}

fn refuse(path: &Path) -> Result<(), Stopped> {
    if path.symlink_metadata().is_err() {
        return Ok(());
    }
    let name = path.display().to_string();
    let diagnostic = Diagnostic::of_input(Mistake::Input, format!("`{name}` is there already, and is not replaced"))
        .help("--force replaces it, --dry-run only prints what would be written, --output DIR writes elsewhere");
    Err(Problem::in_text(&name, diagnostic).into())
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Stopped {
    let name = path.display().to_string();
    let message = format!("cannot write `{name}`: {}", system_error(error));
    Problem::in_text(&name, Diagnostic::of_input(Mistake::Input, message)).into()
}

/// What was looked at, in a sentence.
fn place(paths: &[PathBuf]) -> String {
    match paths {
        [one] if one == Path::new(".") => "this directory".to_owned(),
        many => many.iter().map(|path| format!("`{}`", path.display())).collect::<Vec<_>>().join(", "),
    }
}

/// What runs are, as people call them.
fn what(format: Format, mapped: bool) -> String {
    match format {
        Format::Csv if mapped => "a table with a mapping".to_owned(),
        _ if mapped => "JSON objects with a mapping".to_owned(),
        Format::Otlp | Format::OtlpProto => format!("spans of OpenTelemetry ({})", format.name()),
        Format::Jaeger | Format::Zipkin => format!("spans ({})", format.name()),
        Format::Shiviz => "logs with vector clocks (shiviz)".to_owned(),
        format => format!("runs in the format {}", format.name()),
    }
}

/// The mapping with a heading.
fn mapping_file(proposal: &Proposal, group: &Group) -> String {
    let first = group.files.first().map(|file| file.display().to_string()).unwrap_or_default();
    format!(
        "# What the fields of the records mean, guessed by `posetta init` from the first\n# {} of {first}.\n# Correct what \
         is wrong: docs/formats/mapping.md has all keys. A line behind # is off.\n{}",
        counted(proposal.records as u64, "record", "records"),
        proposal.to_toml()
    )
}

/// What a file is.
enum Kind {
    Run(Format),
    /// Objects or rows of an unknown shape, and what is said if nothing can be made of them.
    Records(Format, Option<Foreign>),
    Foreign(Foreign),
    Model,
    Spec,
    Empty,
    Unknown,
}

/// Files of one kind.
struct Group {
    format: Format,
    files: Vec<PathBuf>,
    /// The mapping that they are read with.
    mapping: Option<(Proposal, Reading)>,
    /// They are parts of one run.
    join: bool,
}

impl Group {
    /// Files with one process each, all of them different, are the logs of the nodes of one run: messages lead from one to another.
    fn join_parts(&mut self, budget: &Budget) -> Result<(), Stopped> {
        let Some((_, reading)) = self.mapping.as_ref().filter(|_| self.files.len() > 1) else { return Ok(()) };
        let mut names: Vec<String> = Vec::new();
        let mut together = Vec::new();
        for file in &self.files {
            let Ok(bytes) = first_lines(file) else { return Ok(()) };
            together.extend_from_slice(&bytes);
            let runs = formats::read_runs(self.format, Cursor::new(bytes), &reading.options, budget);
            let Ok([run]) = runs.as_deref() else { return Ok(()) };
            let mut processes = run.trace.processes().map(|process| run.trace.process_name(process).to_owned());
            match (processes.next(), processes.next()) {
                (Some(only), None) if !names.contains(&only) => names.push(only),
                _ => return Ok(()),
            }
        }
        self.join = true;
        // All of them tell more about messages than one.
        if self.format == Format::JsonLines
            && let Some(mapping) = mapping_from(self.format, together, budget)?
        {
            self.mapping = Some(mapping);
        }
        Ok(())
    }
}

/// What was looked at.
#[derive(Default)]
struct Look {
    files: Vec<PathBuf>,
    more: usize,
    found: Found,
    bytes: u64,
}

impl Look {
    /// Adds a file, or what is in a directory.
    fn add(&mut self, path: &Path) -> Result<(), Stopped> {
        let name = path.display().to_string();
        let found = fs::metadata(path).map_err(|error| {
            Problem::in_text(
                &name,
                Diagnostic::of_input(Mistake::Input, format!("cannot read `{name}`: {}", system_error(&error))),
            )
        })?;
        if found.is_dir() {
            self.walk(path, 0)
        } else {
            self.push(path.to_owned())
        }
        Ok(())
    }

    fn push(&mut self, path: PathBuf) {
        let path = path.strip_prefix(".").map(Path::to_owned).unwrap_or(path);
        if self.files.len() == FILES {
            self.more += 1;
        } else if !self.files.contains(&path) {
            self.files.push(path);
        }
    }

    fn walk(&mut self, directory: &Path, depth: usize) {
        let Ok(entries) = fs::read_dir(directory) else {
            return self.found.left.push(format!("`{}` cannot be listed", directory.display()));
        };
        let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        for path in paths {
            let path = path.strip_prefix(".").map(Path::to_owned).unwrap_or(path);
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            // A link may lead anywhere.
            let Ok(found) = path.symlink_metadata() else { continue };
            if name.starts_with('.') || found.is_symlink() {
                continue;
            }
            match found.is_dir() {
                true if OTHERS.contains(&name.as_str()) => {
                    self.found.left.push(format!("`{}` is not looked at: tools fill it", path.display()));
                }
                true if depth == DEPTH => {
                    self.found.left.push(format!("`{}` is not looked at: it is too deep", path.display()));
                }
                true => self.walk(&path, depth + 1),
                false if found.is_file() => self.push(path),
                false => {}
            }
        }
    }

    /// Sorts the files, and answers with the largest group of runs.
    fn sort(&mut self, budget: &Budget) -> Result<Option<Group>, Stopped> {
        let mut groups: Vec<Group> = Vec::new();
        for path in std::mem::take(&mut self.files) {
            budget.step(1, "looking at the files")?;
            let name = path.display().to_string();
            match kind(&path) {
                Err(error) => self.found.unread.push((name, system_error(&error))),
                Ok(Kind::Run(format)) => match groups.iter_mut().find(|g| g.format == format && g.mapping.is_none()) {
                    Some(group) => group.files.push(path.clone()),
                    None => groups.push(Group { format, files: vec![path.clone()], mapping: None, join: false }),
                },
                Ok(Kind::Records(format, foreign)) => match mapping_of(format, &path, budget)? {
                    Some(mapping) => {
                        // The process tells which files are of one shape.
                        let is_like = |group: &&mut Group| {
                            let own = group.mapping.as_ref().and_then(|(proposal, _)| proposal.guesses.first());
                            group.format == format && own.map(|g| &g.toml) == mapping.0.guesses.first().map(|g| &g.toml)
                        };
                        match groups.iter_mut().find(is_like) {
                            Some(group) => group.files.push(path.clone()),
                            None => {
                                let files = vec![path.clone()];
                                groups.push(Group { format, files, mapping: Some(mapping), join: false });
                            }
                        }
                    }
                    None => match foreign {
                        Some(foreign) => self.found.foreign.push((name, foreign.what(), foreign.advice())),
                        None => {
                            let reading = Reading::default();
                            let why = match read::open(&Input::File(path.clone()), &reading, budget) {
                                Err(error @ Error::Invalid(_)) => first_line(&error),
                                _ => "no field looks like the process of an event".to_owned(),
                            };
                            self.found.unread.push((name, why));
                        }
                    },
                },
                Ok(Kind::Foreign(foreign)) => self.found.foreign.push((name, foreign.what(), foreign.advice())),
                Ok(Kind::Model) => self.found.models.push(name),
                Ok(Kind::Spec) => self.found.specs.push(name),
                Ok(Kind::Empty) => self.found.unread.push((name, "it is empty".to_owned())),
                Ok(Kind::Unknown) => self.found.unknown.push(name),
            }
            self.files.push(path);
        }
        if self.more > 0 {
            self.found.left.push(format!("{} more are not looked at: past the first {FILES}", self.more));
        }
        // Of equal ones the first.
        let Some(best) = (0..groups.len()).max_by_key(|&i| (groups[i].files.len(), std::cmp::Reverse(i))) else {
            return Ok(None);
        };
        let mut chosen = groups.remove(best);
        chosen.join_parts(budget)?;
        for other in &groups {
            let what = what(other.format, other.mapping.is_some());
            self.found.others.push((what, other.files.len(), quoted(&other.files[0])));
        }
        Ok(Some(chosen))
    }

    /// Reads the runs of a group, as far as the limits allow. Answers with how many files that took, too.
    fn read(&mut self, group: &Group, budget: &Budget) -> Result<(Vec<Trace>, usize), Stopped> {
        let default = Reading { options: ReadOptions::default().guessed(true), ..Reading::default() };
        let reading = group.mapping.as_ref().map_or(&default, |(_, reading)| reading);
        let inputs: Vec<Input> = match group.join {
            true => vec![Input::Joined(group.files.iter().cloned().map(Input::File).collect())],
            false => group.files.iter().cloned().map(Input::File).collect(),
        };
        let (mut traces, mut events, mut left, mut files) = (Vec::new(), 0, 0, 0);
        'inputs: for input in &inputs {
            let size = |input: &Input| match input {
                Input::File(path) => fs::metadata(path).map_or(0, |found| found.len()),
                _ => group.files.iter().filter_map(|file| Some(fs::metadata(file).ok()?.len())).sum(),
            };
            if traces.len() >= RUNS || events >= EVENTS || self.bytes + size(input) > BYTES {
                left += 1;
                continue;
            }
            self.bytes += size(input);
            let runs = match read::open(input, reading, budget) {
                Ok(runs) => runs,
                Err(Error::OverBudget(over)) => return Err(over.into()),
                Err(error) => {
                    self.found.unread.push((input.name(), first_line(&error)));
                    continue;
                }
            };
            files += if group.join { group.files.len() } else { 1 };
            for run in runs {
                match run {
                    Ok(_) if traces.len() >= RUNS || events >= EVENTS => {
                        left += 1;
                        continue 'inputs;
                    }
                    Ok(run) => {
                        events += run.trace.len();
                        traces.push(run.trace);
                    }
                    Err(Error::OverBudget(over)) => return Err(over.into()),
                    Err(error) => self.found.unread.push((input.name(), first_line(&error))),
                }
            }
        }
        if left > 0 {
            let size = format!("{RUNS} runs, {EVENTS} events or {} MiB", BYTES >> 20);
            self.found
                .left
                .push(format!("{} not read, or not to the end: past {size}", counted(left, "file is", "files are")));
        }
        if traces.is_empty() {
            let problems: Vec<Problem> = self
                .found
                .unread
                .iter()
                .map(|(file, why)| {
                    Problem::in_text(file, Diagnostic::of_input(Mistake::Input, format!("cannot read `{file}`: {why}")))
                })
                .collect();
            return Err(problems.into());
        }
        Ok((traces, files))
    }

    /// The line that checks the properties.
    fn command(&self, group: &Group, map: Option<&Path>, spec: &Path) -> String {
        let mut command = format!("posetta check {}", self.pattern(&group.files));
        if group.join {
            command.push_str(" --join");
        }
        if let Some(map) = map {
            command.push_str(&format!(" --map {}", quoted(map)));
        }
        command.push_str(&format!(" --spec {}", quoted(spec)));
        command
    }

    /// The shortest way to say which files: a pattern if it means exactly these.
    fn pattern(&self, files: &[PathBuf]) -> String {
        let all = || files.iter().map(|file| quoted(file)).collect::<Vec<_>>().join(" ");
        let [first, _, ..] = files else { return all() };
        let Some(own) = first.extension().and_then(|e| e.to_str()) else { return all() };
        let mut above = first.parent().unwrap_or(Path::new("")).to_owned();
        while !files.iter().all(|file| file.starts_with(&above)) {
            above.pop();
        }
        let has = |file: &&PathBuf| file.starts_with(&above) && file.extension().is_some_and(|e| e == own);
        let is_flat = files.iter().all(|file| file.parent() == Some(&above));
        let meant = self.files.iter().filter(has).filter(|file| !is_flat || file.parent() == Some(&above)).count();
        if meant != files.len() || files.iter().any(|file| !has(&file)) {
            return all();
        }
        let pattern = above.join(if is_flat { format!("*.{own}") } else { format!("**/*.{own}") });
        format!("'{}'", pattern.display().to_string().replace('\'', "'\\''"))
    }
}

/// What a shell takes for one word.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._/+-".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

/// What is wrong with a file, in one line.
fn first_line(error: &Error) -> String {
    let text = error.diagnostics().first().map(|d| match &d.help {
        Some(help) => format!("{} ({help})", d.message),
        None => d.message.clone(),
    });
    text.unwrap_or_else(|| error.to_string())
}

/// What a file is, by its first bytes and its name.
fn kind(path: &Path) -> std::io::Result<Kind> {
    let own = extension(path).map(str::to_ascii_lowercase);
    // What may be written later is not opened: an input is never replaced.
    match own.as_deref() {
        Some("props") => return Ok(Kind::Spec),
        // What tools keep their own settings in.
        Some("md" | "toml" | "yaml" | "yml" | "lock" | "html" | "xml" | "svg") => return Ok(Kind::Unknown),
        _ => {}
    }
    let mut reader = files::open(path).and_then(read::begun)?;
    let start = match reader.fill_buf() {
        Ok(start) => start,
        // It is called packed, and is not.
        Err(error) if error.kind() == ErrorKind::InvalidData => return Ok(Kind::Unknown),
        Err(error) => return Err(error),
    };
    Ok(match own.as_deref() {
        Some("smv") => Kind::Model,
        _ if read::is_blank(start) => Kind::Empty,
        _ if Model::of(path, &String::from_utf8_lossy(start)).is_some() => match own.as_deref() {
            Some("sys" | "aut" | "pnml") => Kind::Model,
            _ => Kind::Unknown,
        },
        own => match formats::detect(start, own) {
            Ok(Some(format @ (Format::JsonLines | Format::Csv))) if !reads(format, path) => Kind::Records(format, None),
            Ok(Some(format)) => Kind::Run(format),
            Err(foreign @ (Foreign::JsonArray | Foreign::JsonDocument)) => {
                Kind::Records(Format::JsonLines, Some(foreign))
            }
            Err(foreign) => Kind::Foreign(foreign),
            Ok(None) => Kind::Unknown,
        },
    })
}

/// So much of a file is read to see whether it is a run, and to guess a mapping.
const SOME: u64 = 1 << 20;

/// The first lines of a file.
fn first_lines(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    read::begun(files::open(path)?)?.take(SOME).read_to_end(&mut bytes)?;
    // The last line may be cut.
    if bytes.len() as u64 == SOME {
        let end = bytes.iter().rposition(|&b| b == b'\n').map_or(bytes.len(), |at| at + 1);
        bytes.truncate(end);
    }
    Ok(bytes)
}

/// Whether lines or a table are a run by themselves: they are not if a field looks like one of an event that needs a mapping. States among
/// whose fields one surely is a process are records of others, too.
fn reads(format: Format, path: &Path) -> bool {
    let Ok(bytes) = first_lines(path) else { return true };
    let (options, budget) = (ReadOptions::default().guessed(true), Budget::with_memory(BYTES * 4));
    let mut runs = match formats::open_runs(format, Cursor::new(&bytes), &options, &budget) {
        Ok(runs) => runs,
        Err(Error::Invalid(mistakes)) => return !mistakes.iter().any(|mistake| mistake.kind == Mistake::Format),
        Err(_) => return true,
    };
    let has_states = matches!(runs.next(), Some(Ok(run)) if run.trace.has_state_records());
    let is_sure = |proposal: &Proposal| {
        let guessed =
            |key: &str| proposal.guesses.iter().find(|g| g.key == key).map_or(Confidence::Low, |g| g.confidence);
        // The log of one node has one process.
        let has_all = ["process", "name", "time"].iter().all(|key| guessed(key) > Confidence::Low);
        guessed("process") == Confidence::High || has_all
    };
    !(has_states
        && propose_mapping(format, Cursor::new(&bytes), &budget).is_ok_and(|p| p.as_ref().is_some_and(is_sure)))
}

/// A mapping for a file, if one can be guessed and the file can be read with it.
fn mapping_of(format: Format, path: &Path, budget: &Budget) -> Result<Option<(Proposal, Reading)>, Stopped> {
    let Ok(bytes) = first_lines(path) else { return Ok(None) };
    mapping_from(format, bytes, budget)
}

/// A mapping for records.
fn mapping_from(format: Format, bytes: Vec<u8>, budget: &Budget) -> Result<Option<(Proposal, Reading)>, Stopped> {
    let proposal = match propose_mapping(format, Cursor::new(bytes), budget) {
        Ok(Some(proposal)) => proposal,
        Err(Error::OverBudget(over)) => return Err(over.into()),
        Ok(None) | Err(_) => return Ok(None),
    };
    let Ok(mapping) = Mapping::new(&[&proposal.to_toml()]) else { return Ok(None) };
    let options = ReadOptions::default().guessed(true).mapping(Some(Arc::new(mapping)));
    Ok(Some((proposal, Reading { from: Some(format), options, ..Reading::default() })))
}
