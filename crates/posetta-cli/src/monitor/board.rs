//! What has been told about the properties of a stream, and to whom.
//!
//! A line for each answer, numbered from 1, goes to standard output or to the file of `--out`; mistakes and what is known at the end
//! go to standard error. The watchdog sees the board too: past a limit it reports from here while the work may sit in a step that
//! never returns. So it has a copy of what the watcher has counted.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;

use posetta_base::{Diagnostic, OverBudget, When};
use posetta_monitor::{Answered, AtEnd, Bookmark, PropertyId, State, Tally, Watcher};
use posetta_tell::json::Schema;
use posetta_tell::page::fit;
use posetta_tell::report::{Remark, Report};
use posetta_tell::watched::{self, Outcome, Stopped, Stream};
use posetta_tell::{text, warning_line};
use serde_json::Value;

use crate::amounts::counted;
use crate::output::Written;
use crate::paint::{self, Paint};
use crate::problem::{Problem, system_error};
use crate::progress::Now;
use crate::properties::Named;
use crate::reports::{Reports, Told};
use crate::{carets, deny, output, reports};

/// So many mistakes are shown to people; the others are counted.
const MISTAKES_SHOWN: u64 = 20;
/// Lines are written when there is so much, or nothing to read.
const FULL: usize = 1 << 16;
/// So many warnings of the reader are kept.
const WARNINGS: usize = 20;

/// Where the lines go.
pub enum Out {
    Stdout,
    File { file: File, name: String },
}

/// What is told, and to whom.
pub struct Board {
    json: bool,
    /// Lines for people begin with their number.
    numbered: bool,
    out: Out,
    /// How lines are drawn. Asking the environment again for each line took a twentieth of the time of a stream with many answers.
    paint: Paint,
    pending: String,
    /// How many lines have been told.
    pub lines: u64,
    /// The length of the file, if lines go to one.
    bytes: Option<u64>,
    /// Nothing is told: it has been before, as the watcher knows.
    pub muted: bool,
    /// What there is to tell.
    pub stream: Stream,
    /// What is written at the end, and what is told there beside the answers.
    reports: Option<Reports>,
    remarks: Vec<Remark>,
    /// What is being done, as a phrase that follows "while".
    pub doing: &'static str,
    /// What the reader has warned of; it is told at the end.
    warned: Vec<Diagnostic>,
    /// Something was wrong that is no line or record left out.
    mistaken: bool,
    /// The limit that was reached before the properties were read.
    unprepared: Option<OverBudget>,
    /// Nobody reads what is told.
    unheard: bool,
    unwritten: bool,
}

impl Board {
    pub fn new(json: bool, numbered: bool, stream: Stream, reports: Option<Reports>) -> Self {
        Self {
            json,
            numbered,
            out: Out::Stdout,
            paint: paint::stdout(),
            pending: String::new(),
            lines: 0,
            bytes: None,
            muted: false,
            stream,
            reports,
            remarks: Vec::new(),
            doing: "reading the properties",
            warned: Vec::new(),
            mistaken: false,
            unprepared: None,
            unheard: false,
            unwritten: false,
        }
    }

    pub fn begin(&mut self, name: &str, properties: &[Named]) {
        self.stream.begin(name, properties);
        self.doing = "waiting for the stream";
    }

    /// Everything is as it was at a checkpoint.
    pub fn take_back(&mut self, watcher: &Watcher, bookmark: &Bookmark) {
        for (outcome, property) in self.stream.outcomes.iter_mut().zip(watcher.properties()) {
            outcome.tally.clone_from(watcher.tally(property));
            self.mistaken |= outcome.tally.state == State::Failed;
        }
        let counts = watcher.counts();
        (self.stream.records, self.stream.mistyped) = (counts.records, counts.mistyped);
        self.stream.miss_key(counts);
        self.stream.malformed = bookmark.malformed;
        self.lines = bookmark.lines;
        self.warned.clone_from(&bookmark.warned);
    }

    /// What a checkpoint keeps of it, where the source is.
    pub fn bookmark(&self, offset: u64, reader: Option<String>) -> Bookmark {
        let bookmark = Bookmark::new(offset).reader(reader).lines(self.lines, self.bytes);
        bookmark.malformed(self.stream.malformed).warned(self.warned.clone())
    }

    /// Lines go to a file that is so many bytes long; to a device or a pipe, which has no length, if `None`.
    pub fn write_to(&mut self, file: File, name: String, bytes: Option<u64>) {
        self.out = Out::File { file, name };
        self.paint = Paint::plain();
        self.bytes = bytes;
    }

    /// What is being done, for whoever waits.
    pub fn progress(&self) -> Now {
        match self.stream.records {
            0 => self.doing.into(),
            records => {
                let what = format!("following the stream, {}", counted(records, "record", "records"));
                Now { what, run: Some(self.stream.name.clone()), ..Now::default() }
            }
        }
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
    pub fn answer(&mut self, told: &Answered, key: Option<&str>, when: Option<When>, facts: impl FnOnce() -> String) {
        let when = when.as_ref();
        if told.determines() && key.is_none() {
            self.stream.outcomes[told.property.index()].since = when.cloned();
        }
        // What is not told has no number.
        if !self.json && paint::is_quiet() && !watched::is_worth_it(told) {
            return;
        }
        self.lines = self.lines.saturating_add(1);
        if self.muted {
            return;
        }
        if self.json {
            self.stream.write_json(&mut self.pending, told, key, when, self.lines);
        } else {
            if self.numbered && matches!(self.out, Out::Stdout) {
                let _ = write!(self.pending, "#{}  ", self.lines);
            }
            self.stream.write_text(&mut self.pending, told, key, when, &facts(), self.paint);
        }
        self.end_line();
    }

    /// What has become of a property.
    pub fn count(&mut self, property: PropertyId, tally: &Tally) {
        self.stream.outcomes[property.index()].tally.clone_from(tally);
    }

    /// Mistakes in what was given: nothing is followed.
    pub fn refuse(&mut self, problems: &[Problem]) {
        self.mistaken = true;
        self.tell(problems);
    }

    /// Whether a mistake was told.
    pub fn has_mistakes(&self) -> bool {
        self.mistaken || self.stream.malformed > 0
    }

    /// A line was left out.
    pub fn leave_out(&mut self, mistakes: Vec<Diagnostic>) {
        self.stream.malformed = self.stream.malformed.saturating_add(1);
        let problems: Vec<Problem> = mistakes.into_iter().map(|d| Problem::in_run(&self.stream.name, d)).collect();
        self.tell_one_of_many(&problems, self.stream.left_out());
    }

    /// A property could not take the record of a line.
    pub fn mistype(&mut self, property: &Named, mistakes: &[Diagnostic], line: u64) {
        self.stream.mistyped = self.stream.mistyped.saturating_add(1);
        let problem = |diagnostic: &Diagnostic| Problem {
            trace: Some(format!("{}:{line}", self.stream.name)),
            file: property.file.clone(),
            property: Some(property.name.clone()),
            diagnostic: diagnostic.clone(),
        };
        let problems: Vec<Problem> = mistakes.iter().map(problem).collect();
        self.tell_one_of_many(&problems, self.stream.left_out());
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
            self.remarks.extend(problems.iter().map(reports::mistake));
        }
        self.tell_programs(problems);
    }

    fn tell_programs(&mut self, problems: &[Problem]) {
        if self.json {
            problems.iter().for_each(|problem| self.object(problem.to_line()));
        }
    }

    /// Tells a program something that is no answer.
    fn object(&mut self, mut object: Value) {
        self.lines = self.lines.saturating_add(1);
        if self.muted {
            return;
        }
        object["number"] = self.lines.into();
        self.pending.push_str(Schema::Monitor.line(object).trim_end());
        self.end_line();
    }

    /// A property does not fit the stream.
    pub fn fail(&mut self, i: PropertyId, property: &Named, mistakes: &[Diagnostic]) {
        self.stream.outcomes[i.index()].tally.state = State::Failed;
        self.mistaken = true;
        let problem = |diagnostic: &Diagnostic| Problem {
            trace: Some(self.stream.name.clone()),
            file: property.file.clone(),
            property: Some(property.name.clone()),
            diagnostic: diagnostic.clone(),
        };
        let problems: Vec<Problem> = mistakes.iter().map(problem).collect();
        self.tell(&problems);
    }

    /// Something worth knowing that changes nothing.
    pub fn warn(&mut self, file: &str, property: Option<&str>, warning: &Diagnostic) {
        let stream = Some(self.stream.name.as_str()).filter(|name| *name != file);
        output::note(&carets::warning(file, stream, warning, paint::stderr()));
        let (trace, property_name) = (Some(self.stream.name.clone()), property.map(str::to_owned));
        let problem = Problem { trace, file: file.to_owned(), property: property_name, diagnostic: warning.clone() };
        self.remarks.push(reports::warning(problem, None));
        if self.json {
            self.object(warning_line(property, warning, deny::see(warning.kind)));
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
        let name = self.stream.name.clone();
        for warning in std::mem::take(&mut self.warned) {
            self.warn(&name, None, &warning);
        }
    }

    /// A property has become too much.
    pub fn give_up(&mut self, property: usize, over: OverBudget) {
        self.stream.outcomes[property].tally.state = State::GivenUp(over);
        self.tell_unknown(Some(property), over);
    }

    fn tell_unknown(&mut self, property: Option<usize>, over: OverBudget) {
        if self.json {
            self.object(self.stream.unknown(property, over));
        }
    }

    /// A limit was reached: what is open is unknown.
    pub fn stop(&mut self, over: OverBudget) {
        self.muted = false;
        for property in self.stream.open() {
            self.give_up(property, over);
        }
        if self.stream.outcomes.is_empty() {
            self.unprepared = Some(over);
            output::note(&text::stopped(over, paint::stderr()));
            self.tell_unknown(None, over);
        }
    }

    /// Tells what is known at the end, where open streams count as given, and answers with the exit status.
    pub fn deliver(&mut self, ends: &[AtEnd], stopped: Option<Stopped>) -> u8 {
        self.flush();
        let paint = paint::stderr();
        let mut told = String::new();
        if let Some(over) = self.stream.given_up() {
            told.push_str(&text::stopped(over, paint));
        }
        let mut report = Report::default();
        if self.stream.outcomes.iter().any(|outcome| outcome.tally.state != State::Failed) {
            report = self.stream.report(ends, stopped);
            // What holds is not listed then, but counted.
            report.summary = paint.quiet.then(|| self.stream.summary());
            told.push_str(&text::report(&report, paint));
            report.summary = Some(self.stream.summary());
        }
        output::note(&fit(told, paint.width));
        if let Some(reports) = self.reports.take() {
            let report = Report { remarks: std::mem::take(&mut self.remarks), stopped: self.unprepared, ..report };
            let told = Told { report, human: &text::report, json: &String::new };
            self.unwritten |= !reports.deliver_to_files(&told);
        }
        self.status(ends)
    }

    /// The exit status, where open streams count as given.
    pub fn status(&self, ends: &[AtEnd]) -> u8 {
        let (none, outcomes) = (AtEnd::default(), &self.stream.outcomes);
        let violated = |(i, outcome): (usize, &Outcome)| outcome.is_violated(ends.get(i).unwrap_or(&none));
        if self.mistaken || self.unwritten || self.stream.left_out() > 0 {
            2
        } else if outcomes.iter().enumerate().any(violated) {
            1
        } else if self.stream.given_up().is_some() || self.unprepared.is_some() {
            3
        } else {
            0
        }
    }
}
