//! What has been told about the properties of a stream, and to whom.
//!
//! A line for each answer, numbered from 1, goes to standard output or to the file of `--out`; mistakes and what is known at the end
//! go to standard error. The watchdog sees the board too: past a limit it reports from here while the work may sit in a step that
//! never returns. So it has a copy of what the watcher has counted.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;

use posetta_base::{Diagnostic, Limit, OverBudget};
use posetta_monitor::{Answered, AtEnd, Bookmark, Completions, Counts, State, Tally, Watcher};
use posetta_tell::json::{self, Schema};
use posetta_tell::page::fit;
use posetta_tell::text;
use serde_json::{Value, json};

use super::lines;
use crate::amounts::counted;
use crate::output::Written;
use crate::paint::{self, Paint};
use crate::problem::{Problem, system_error, warning_json};
use crate::progress::Now;
use crate::properties::Named;
use crate::{carets, output};

/// So many mistakes are shown to people; the others are counted.
const MISTAKES_SHOWN: u64 = 20;
/// Lines are written when there is so much, or nothing to read.
const FULL: usize = 1 << 16;
/// So many warnings of the reader are kept.
const WARNINGS: usize = 20;

/// A property on the board.
#[derive(Debug)]
pub struct Entry {
    pub(super) name: String,
    /// The name as JSON.
    quoted: String,
    /// What it says, if its name does not.
    pub(super) formula: Option<[String; 2]>,
    /// What has become of it.
    pub(super) tally: Tally,
}

impl Entry {
    fn new(property: &Named) -> Self {
        let formula = property.has_name.then(|| [property.spelled_logic(), property.formula.clone()]);
        Self {
            name: property.name.clone(),
            quoted: Value::String(property.name.clone()).to_string(),
            formula,
            tally: Tally::default(),
        }
    }
}

/// Where the lines go.
pub enum Out {
    Stdout,
    File { file: File, name: String },
}

/// What is told, and to whom.
pub struct Board {
    json: bool,
    /// What every object says that it is.
    schema: String,
    pub(super) keyed: bool,
    /// Lines for people begin with their number.
    numbered: bool,
    completions: Completions,
    out: Out,
    pending: String,
    /// How many lines have been told.
    pub lines: u64,
    /// The length of the file, if lines go to one.
    bytes: Option<u64>,
    /// Nothing is told: it has been before.
    pub muted: bool,
    /// The stream: a file, or `-`.
    pub name: String,
    pub properties: Vec<Entry>,
    /// What is being done, as a phrase that follows "while".
    pub doing: &'static str,
    pub records: u64,
    /// Lines that were left out because of a mistake.
    pub(super) malformed: u64,
    /// Records that a property could not take.
    pub(super) mistyped: u64,
    /// Records without a key, and the line of the first.
    pub(super) keyless: Option<(u64, u64)>,
    /// What the reader has warned of; it is told at the end.
    warned: Vec<Diagnostic>,
    /// Something else was wrong.
    mistaken: bool,
    /// The limit that was reached before the properties were read.
    unprepared: Option<OverBudget>,
    /// Nobody reads what is told.
    unheard: bool,
    unwritten: bool,
}

impl Board {
    pub fn new(json: bool, keyed: bool, numbered: bool, completions: Completions) -> Self {
        Self {
            json,
            schema: Schema::Monitor.text(),
            keyed,
            numbered,
            completions,
            out: Out::Stdout,
            pending: String::new(),
            lines: 0,
            bytes: None,
            muted: false,
            name: String::new(),
            properties: Vec::new(),
            doing: "reading the properties",
            records: 0,
            malformed: 0,
            mistyped: 0,
            keyless: None,
            warned: Vec::new(),
            mistaken: false,
            unprepared: None,
            unheard: false,
            unwritten: false,
        }
    }

    pub fn begin(&mut self, name: &str, properties: &[Named]) {
        name.clone_into(&mut self.name);
        self.properties = properties.iter().map(Entry::new).collect();
        self.doing = "waiting for the stream";
    }

    /// Everything is as it was at a checkpoint.
    pub fn take_back(&mut self, watcher: &Watcher, bookmark: &Bookmark) {
        for (i, entry) in self.properties.iter_mut().enumerate() {
            entry.tally.clone_from(watcher.tally(i));
            self.mistaken |= entry.tally.state == State::Failed;
        }
        let counts = watcher.counts();
        (self.records, self.lines, self.mistyped) = (counts.records, bookmark.lines, counts.mistyped);
        self.miss_key(counts);
        self.malformed = bookmark.malformed;
        self.warned.clone_from(&bookmark.warned);
        self.muted = false;
    }

    /// What a checkpoint keeps of it, where the source is.
    pub fn bookmark(&self, offset: u64, reader: Option<String>) -> Bookmark {
        let (malformed, warned) = (self.malformed, self.warned.clone());
        Bookmark { offset, reader, lines: self.lines, bytes: self.bytes, malformed, warned }
    }

    /// Lines go to a file that is so many bytes long; to a device or a pipe, which has no length, if `None`.
    pub fn write_to(&mut self, file: File, name: String, bytes: Option<u64>) {
        self.out = Out::File { file, name };
        self.bytes = bytes;
    }

    /// What is being done, for whoever waits.
    pub fn progress(&self) -> Now {
        match self.records {
            0 => self.doing.into(),
            records => {
                let what = format!("following the stream, {}", counted(records, "record", "records"));
                Now { what, run: Some(self.name.clone()), ..Now::default() }
            }
        }
    }

    /// Whether an interruption made a property be given up.
    pub fn is_cancelled(&self) -> bool {
        let cancelled =
            |entry: &Entry| matches!(&entry.tally.state, State::GivenUp(over) if over.limit == Limit::Cancelled);
        self.properties.iter().any(cancelled)
    }

    /// Whether what is told gets anywhere.
    pub fn is_heard(&self) -> bool {
        !self.unheard && !self.unwritten
    }

    fn end_line(&mut self) {
        self.pending.push('\n');
        if self.pending.len() >= FULL {
            self.flush();
        }
    }

    /// Writes what has been told.
    pub fn flush(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        match &mut self.out {
            Out::Stdout => match output::print_to_somebody(&self.pending) {
                Written::Yes => {}
                Written::ToNobody => self.unheard = true,
                Written::Failed => self.unwritten = true,
            },
            Out::File { file, name } => match output::Watched(file).write_all(self.pending.as_bytes()) {
                Ok(()) => self.bytes = self.bytes.map(|bytes| bytes.saturating_add(self.pending.len() as u64)),
                Err(error) => {
                    output::note(&format!("error: cannot write `{name}`: {}\n", system_error(&error)));
                    self.unwritten = true;
                }
            },
        }
        self.pending.clear();
    }

    /// Brings what has been told to the disk, if it goes there.
    pub fn sync(&mut self) -> std::io::Result<()> {
        self.flush();
        match &mut self.out {
            Out::File { file, .. } if self.bytes.is_some() => file.sync_data(),
            Out::File { .. } | Out::Stdout => Ok(()),
        }
    }

    /// Tells an answer. `facts` says what the record has to do with it.
    pub fn answer(&mut self, told: &Answered, key: Option<&str>, facts: impl FnOnce() -> String) {
        self.lines = self.lines.saturating_add(1);
        if self.muted {
            return;
        }
        let Entry { name, quoted, .. } = &self.properties[told.property];
        if self.json {
            lines::answer_json(&mut self.pending, quoted, told, key, self.lines, &self.schema);
        } else {
            let paint = match self.out {
                Out::Stdout => paint::stdout(),
                Out::File { .. } => Paint::plain(),
            };
            if self.numbered && matches!(self.out, Out::Stdout) {
                let _ = write!(self.pending, "#{}  ", self.lines);
            }
            lines::answer_human(&mut self.pending, name, told, key, self.completions, &facts(), paint);
        }
        self.end_line();
    }

    /// What has become of a property.
    pub fn count(&mut self, property: usize, tally: &Tally) {
        self.properties[property].tally.clone_from(tally);
    }

    /// Mistakes in what was given: nothing is followed.
    pub fn refuse(&mut self, problems: &[Problem]) {
        self.mistaken = true;
        self.tell(problems);
    }

    /// Whether a mistake was told.
    pub fn has_mistakes(&self) -> bool {
        self.mistaken || self.malformed > 0
    }

    /// A line was left out.
    pub fn leave_out(&mut self, mistakes: Vec<Diagnostic>) {
        self.malformed = self.malformed.saturating_add(1);
        let problems: Vec<Problem> = mistakes.into_iter().map(|d| Problem::in_run(&self.name, d)).collect();
        self.tell_one_of_many(&problems, self.left_out());
    }

    /// A property could not take the record of a line.
    pub fn mistype(&mut self, property: &Named, mistakes: &[Diagnostic], line: u64) {
        self.mistyped = self.mistyped.saturating_add(1);
        let problem = |diagnostic: &Diagnostic| Problem {
            trace: Some(format!("{}:{line}", self.name)),
            file: property.file.clone(),
            property: Some(property.name.clone()),
            diagnostic: diagnostic.clone(),
        };
        let problems: Vec<Problem> = mistakes.iter().map(problem).collect();
        self.tell_one_of_many(&problems, self.left_out());
    }

    /// How many lines and records were left out.
    fn left_out(&self) -> u64 {
        self.malformed.saturating_add(self.mistyped)
    }

    /// People see the first mistakes of many; programs see all.
    fn tell_one_of_many(&mut self, problems: &[Problem], number: u64) {
        if number <= MISTAKES_SHOWN || self.muted {
            return self.tell(problems);
        }
        if number == MISTAKES_SHOWN + 1 {
            output::remark("further mistakes are only counted\n\n");
        }
        self.tell_programs(problems);
    }

    fn tell(&mut self, problems: &[Problem]) {
        if !self.muted {
            // Both may go to one terminal.
            self.flush();
            output::note(&problems.iter().map(|p| carets::error(p, paint::stderr())).collect::<String>());
        }
        self.tell_programs(problems);
    }

    fn tell_programs(&mut self, problems: &[Problem]) {
        if !self.json {
            return;
        }
        for problem in problems {
            self.object(json!({ "error": problem.to_json() }));
        }
    }

    /// Tells a program something that is no answer.
    fn object(&mut self, mut object: Value) {
        self.lines = self.lines.saturating_add(1);
        if self.muted {
            return;
        }
        object["number"] = json!(self.lines);
        self.pending.push_str(Schema::Monitor.line(object).trim_end());
        self.end_line();
    }

    /// A property does not fit the stream.
    pub fn fail(&mut self, i: usize, property: &Named, mistakes: &[Diagnostic]) {
        self.properties[i].tally.state = State::Failed;
        self.mistaken = true;
        let problem = |diagnostic: &Diagnostic| Problem {
            trace: Some(self.name.clone()),
            file: property.file.clone(),
            property: Some(property.name.clone()),
            diagnostic: diagnostic.clone(),
        };
        let problems: Vec<Problem> = mistakes.iter().map(problem).collect();
        self.tell(&problems);
    }

    /// Something worth knowing that changes nothing.
    pub fn warn(&mut self, file: &str, property: Option<&str>, warning: &Diagnostic) {
        let stream = Some(self.name.as_str()).filter(|name| *name != file);
        output::note(&carets::warning(file, stream, warning, paint::stderr()));
        if self.json {
            let warning = warning_json(warning);
            self.object(json!({ "warning": { "property": property, "warning": warning } }));
        }
    }

    /// The reader warns. A reader that counts warns of the same place again, with a larger count.
    pub fn gather(&mut self, warnings: Vec<Diagnostic>) {
        let place = |w: &Diagnostic| (w.kind, w.place.as_ref().map(|p| (p.line, p.column)), w.label.clone());
        for warning in warnings {
            // Who goes on from many checkpoints is not told of each, but of every kind.
            let room = self.warned.len() < WARNINGS || self.warned.iter().all(|w| w.kind != warning.kind);
            match self.warned.iter_mut().find(|known| place(known) == place(&warning)) {
                Some(known) => *known = warning,
                None if room => self.warned.push(warning),
                None => {}
            }
        }
    }

    /// Tells what the reader has warned of.
    pub fn warn_of_the_stream(&mut self) {
        let name = self.name.clone();
        for warning in std::mem::take(&mut self.warned) {
            self.warn(&name, None, &warning);
        }
    }

    /// Records have no key.
    pub fn miss_key(&mut self, counts: Counts) {
        self.keyless = counts.first_keyless.map(|first| (counts.keyless, first));
    }

    /// A property has become too much.
    pub fn give_up(&mut self, property: usize, over: OverBudget) {
        self.properties[property].tally.state = State::GivenUp(over);
        self.tell_unknown(Some(property), over);
    }

    fn tell_unknown(&mut self, property: Option<usize>, over: OverBudget) {
        if !self.json {
            return;
        }
        self.object(json!({
            "position": null,
            "property": property.map(|property| self.properties[property].name.clone()),
            "satisfied": null,
            "verdict": "unknown",
            "monitorable": null,
            "limit": json::limit(over, self.records),
        }));
    }

    /// A limit was reached: what is open is unknown.
    pub fn stop(&mut self, over: OverBudget) {
        self.muted = false;
        for property in 0..self.properties.len() {
            let tally = &self.properties[property].tally;
            let determined = !self.keyed && (tally.holds > 0 || tally.violated > 0);
            if tally.state == State::Followed && !determined {
                self.give_up(property, over);
            }
        }
        if self.properties.is_empty() {
            self.unprepared = Some(over);
            output::note(&text::stopped(over, paint::stderr()));
            self.tell_unknown(None, over);
        }
    }

    /// Tells what is known at the end, where open streams count as given, and answers with the exit status.
    pub fn deliver(&mut self, ends: &[AtEnd], remark: Option<&str>) -> u8 {
        self.flush();
        let over = self.properties.iter().find_map(|entry| match entry.tally.state {
            State::GivenUp(over) => Some(over),
            _ => None,
        });
        let mut told = String::new();
        if let Some(over) = over {
            told.push_str(&text::stopped(over, paint::stderr()));
        }
        if self.properties.iter().any(|entry| entry.tally.state != State::Failed) {
            told.push_str(&text::report(&self.summary(ends, remark), paint::stderr()));
        }
        output::note(&fit(told, paint::stderr().width));
        self.status(ends)
    }

    /// The exit status, where open streams count as given.
    pub fn status(&self, ends: &[AtEnd]) -> u8 {
        let unsatisfied = |i: usize| ends.get(i).map_or(0, |end| end.unsatisfied);
        let violated = |(i, entry): (usize, &Entry)| {
            entry.tally.violated > 0 || (unsatisfied(i) > 0 && entry.tally.state == State::Followed)
        };
        let is_unknown = |entry: &Entry| matches!(entry.tally.state, State::GivenUp(_));
        if self.mistaken || self.unwritten || self.left_out() > 0 {
            2
        } else if self.properties.iter().enumerate().any(violated) {
            1
        } else if self.properties.iter().any(is_unknown) || self.unprepared.is_some() {
            3
        } else {
            0
        }
    }
}
