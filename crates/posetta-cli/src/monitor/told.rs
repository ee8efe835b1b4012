//! What is told about the properties of a stream, and how.
//!
//! A line for each answer, numbered from 1, goes to standard output or to the file of `--out`; mistakes and what is known at the end
//! go to standard error. The watchdog sees the board too: past a limit it reports from here while the work may sit in a step that
//! never returns.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;

use posetta_base::{Diagnostic, Limit, OverBudget, Place};
use posetta_monitor::{Answers, Completions, Prospect};
use posetta_tell::json::{self, Schema};
use posetta_tell::page::fit;
use posetta_tell::report::{Answer, Block, Report, Subject, Title};
use posetta_tell::{Word, text};
use serde_json::{Value, json};

use crate::amounts::{counted, grouped};
use crate::output::Written;
use crate::paint::{self, Paint, clean, short};
use crate::problem::{Problem, diagnostic_json, system_error, warning_json};
use crate::progress::Now;
use crate::properties::Named;
use crate::{carets, deny, output};

/// Of the keys whose stream violates a property so many are named.
const SHOWN: usize = 5;
/// So many mistakes are shown to people; the others are counted.
const MISTAKES_SHOWN: u64 = 20;
/// Lines are written when there is so much, or nothing to read.
const FULL: usize = 1 << 16;
/// So many warnings of the reader are kept.
const WARNINGS: usize = 20;
/// Columns of a key.
const KEY_WIDTH: usize = 60;

/// A property on the board.
#[derive(Debug)]
pub struct Entry {
    name: String,
    /// The name as JSON.
    quoted: String,
    /// What it says, if its name does not.
    formula: Option<[String; 2]>,
    state: State,
    /// On how many streams it is positively determined, and on how many negatively.
    holds: u64,
    violated: u64,
    /// The keys of the first streams that violate it.
    violated_keys: Vec<String>,
    /// The position and line at which it was determined, on the only stream.
    since: Option<(u64, u64)>,
}

#[derive(Debug)]
enum State {
    Followed,
    /// A limit was reached.
    Unknown(OverBudget),
    /// It is none that can be followed, or does not fit the stream.
    Failed,
}

impl Entry {
    fn new(property: &Named) -> Self {
        let formula = property.has_name.then(|| [property.logic().to_owned(), property.formula.clone()]);
        Self {
            name: property.name.clone(),
            quoted: Value::String(property.name.clone()).to_string(),
            formula,
            state: State::Followed,
            holds: 0,
            violated: 0,
            violated_keys: Vec::new(),
            since: None,
        }
    }
}

/// What open streams of a property count as when the stream is over.
#[derive(Clone, Debug, Default)]
pub struct AtEnd {
    pub satisfied: u64,
    pub unsatisfied: u64,
    /// The keys of the first that are not satisfied.
    keys: Vec<String>,
}

impl AtEnd {
    pub fn count(&mut self, satisfied: bool, key: &str) {
        if satisfied {
            self.satisfied += 1;
            return;
        }
        self.unsatisfied += 1;
        if self.keys.len() < SHOWN {
            self.keys.push(key.to_owned());
        }
    }
}

/// Which answer is told.
pub struct Told<'a> {
    pub property: usize,
    pub key: Option<&'a str>,
    pub position: u64,
    pub line: u64,
    pub answers: Answers,
    /// Since this record no continuation is determined.
    pub hopeless: bool,
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
    keyed: bool,
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
    malformed: u64,
    /// Records that a property could not take.
    mistyped: u64,
    /// Records without a key, and the line of the first.
    keyless: Option<(u64, u64)>,
    /// What the reader has warned of; it is told at the end.
    warned: Vec<Diagnostic>,
    /// Something else was wrong.
    mistaken: bool,
    /// The limit that was reached before the properties were read.
    unprepared: Option<OverBudget>,
    /// Nobody reads what is told.
    pub unheard: bool,
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

    /// Nothing has been told, and nothing found.
    pub fn start_anew(&mut self, properties: &[Named]) {
        self.properties = properties.iter().map(Entry::new).collect();
        (self.lines, self.malformed, self.mistyped, self.keyless) = (0, 0, 0, None);
        self.mistaken = false;
        self.warned.clear();
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
        let cancelled = |entry: &Entry| matches!(&entry.state, State::Unknown(over) if over.limit == Limit::Cancelled);
        self.properties.iter().any(cancelled)
    }

    /// Whether a property is followed.
    pub fn is_followed(&self, property: usize) -> bool {
        matches!(self.properties[property].state, State::Followed)
    }

    /// The length of the file, if lines go to one.
    pub fn length(&self) -> Option<u64> {
        self.bytes
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
    pub fn answer(&mut self, told: &Told<'_>, facts: impl FnOnce() -> String) {
        self.lines = self.lines.saturating_add(1);
        if self.muted {
            return;
        }
        if self.json {
            self.answer_json(told);
        } else {
            self.answer_human(told, &facts());
        }
        self.end_line();
    }

    fn answer_json(&mut self, told: &Told<'_>) {
        let Told { property, key, position, line, answers, .. } = told;
        let out = &mut self.pending;
        let monitorable = match answers.monitorable {
            None => "null",
            Some(true) => "true",
            Some(false) => "false",
        };
        let _ = write!(
            out,
            "{{\"position\":{position},\"property\":{},\"satisfied\":{},\"verdict\":\"{}\",\"monitorable\":{monitorable}",
            self.properties[*property].quoted,
            answers.satisfied,
            answers.prospect.word(),
        );
        if let Some(key) = key {
            let _ = write!(out, ",\"key\":{}", Value::String((*key).to_owned()));
        }
        let _ = write!(out, ",\"line\":{line},\"number\":{},\"schema\":\"{}\"}}", self.lines, self.schema);
    }

    fn answer_human(&mut self, told: &Told<'_>, facts: &str) {
        let paint = match self.out {
            Out::Stdout => paint::stdout(),
            Out::File { .. } => Paint::plain(),
        };
        let Answers { satisfied, prospect, .. } = told.answers;
        let which = match self.completions {
            Completions::Finite => "finite continuation",
            Completions::Infinite => "infinite continuation",
            Completions::Both => "continuation",
        };
        let word = prospect.word();
        let (word, reason) = match prospect {
            Prospect::Holds => (paint.green(word), format!("every {which} satisfies it")),
            Prospect::Violated => (paint.red(word), format!("no {which} can satisfy it")),
            Prospect::Open => {
                let so_far = if satisfied { "satisfied so far" } else { "not satisfied so far" };
                let never = if told.hopeless { ", and no continuation will determine it" } else { "" };
                (paint.yellow(word), format!("{so_far}{never}"))
            }
        };
        if self.numbered && matches!(self.out, Out::Stdout) {
            let _ = write!(self.pending, "#{}  ", self.lines);
        }
        let _ = write!(self.pending, "{}: {} ", told.position, clean(&self.properties[told.property].name));
        if let Some(key) = told.key {
            let _ = write!(self.pending, "[{}] ", short(key, KEY_WIDTH));
        }
        let _ = write!(self.pending, "{word}: {reason} (line {}{facts})", told.line);
    }

    /// A property is determined on a stream.
    pub fn determine(&mut self, property: usize, holds: bool, key: &str, position: u64, line: u64) {
        let entry = &mut self.properties[property];
        match holds {
            true => entry.holds = entry.holds.saturating_add(1),
            false => entry.violated = entry.violated.saturating_add(1),
        }
        if !self.keyed {
            entry.since = Some((position, line));
        } else if !holds && entry.violated_keys.len() < SHOWN {
            entry.violated_keys.push(key.to_owned());
        }
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
    pub fn mistype(&mut self, property: &Named, mistakes: Vec<Diagnostic>, line: u64) {
        self.mistyped = self.mistyped.saturating_add(1);
        let problem = |diagnostic| Problem {
            trace: Some(format!("{}:{line}", self.name)),
            file: property.file.clone(),
            property: Some(property.name.clone()),
            diagnostic,
        };
        let problems: Vec<Problem> = mistakes.into_iter().map(problem).collect();
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
    pub fn fail(&mut self, i: usize, property: &Named, mistakes: Vec<Diagnostic>) {
        self.properties[i].state = State::Failed;
        self.mistaken = true;
        let problem = |diagnostic| Problem {
            trace: Some(self.name.clone()),
            file: property.file.clone(),
            property: Some(property.name.clone()),
            diagnostic,
        };
        let problems: Vec<Problem> = mistakes.into_iter().map(problem).collect();
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

    /// A record has no key.
    pub fn miss_key(&mut self, line: u64) {
        let (count, first) = self.keyless.unwrap_or((0, line));
        self.keyless = Some((count.saturating_add(1), first));
    }

    /// A property has become too much.
    pub fn give_up(&mut self, property: usize, over: OverBudget) {
        self.properties[property].state = State::Unknown(over);
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
            let entry = &self.properties[property];
            let determined = !self.keyed && (entry.holds > 0 || entry.violated > 0);
            if self.is_followed(property) && !determined {
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
        let over = self.properties.iter().find_map(|entry| match entry.state {
            State::Unknown(over) => Some(over),
            _ => None,
        });
        let mut told = String::new();
        if let Some(over) = over {
            told.push_str(&text::stopped(over, paint::stderr()));
        }
        if self.properties.iter().any(|entry| !matches!(entry.state, State::Failed)) {
            told.push_str(&text::report(&self.summary(ends, remark), paint::stderr()));
        }
        output::note(&fit(told, paint::stderr().width));
        self.status(ends)
    }

    /// The exit status, where open streams count as given.
    pub fn status(&self, ends: &[AtEnd]) -> u8 {
        let unsatisfied = |i: usize| ends.get(i).map_or(0, |end| end.unsatisfied);
        let violated = |(i, entry): (usize, &Entry)| {
            entry.violated > 0 || (unsatisfied(i) > 0 && matches!(entry.state, State::Followed))
        };
        let is_unknown = |entry: &Entry| matches!(entry.state, State::Unknown(_));
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

    fn summary(&self, ends: &[AtEnd], remark: Option<&str>) -> Report<'static> {
        let records = counted(self.records, "record", "records");
        let mut subject = Subject::new(Title::Name(self.name.clone()), vec![records]);
        let none = AtEnd::default();
        for (i, entry) in self.properties.iter().enumerate() {
            subject.answers.push(self.last_line(entry, ends.get(i).unwrap_or(&none), ends.is_empty()));
        }
        let left_out = |n: u64, what: &str| match n {
            1 => format!("1 {what} was left out"),
            n => format!("{} {what}s were left out", grouped(n)),
        };
        let mut remarks = Vec::new();
        if self.malformed > 0 {
            remarks.push(format!("{} because of a mistake", left_out(self.malformed, "line")));
        }
        if self.mistyped > 0 {
            remarks.push(format!("{} for a property that cannot take it", left_out(self.mistyped, "record")));
        }
        if let Some((count, first)) = self.keyless {
            let what = if count == 1 { "record without the key was" } else { "records without the key were" };
            remarks.push(format!("{} {what} left out; the first is line {first}", grouped(count)));
        }
        remarks.extend(remark.map(str::to_owned));
        subject.rest.extend(remarks.into_iter().map(Block::Remark));
        Report { subjects: vec![subject], summary: None }
    }

    /// What became of a property; `unended` if the stream was left before its end.
    fn last_line(&self, entry: &Entry, end: &AtEnd, unended: bool) -> Answer<'static> {
        let failed = matches!(entry.state, State::Failed);
        let bad = !failed && (entry.violated > 0 || end.unsatisfied > 0);
        let open = (!self.keyed || unended) && entry.since.is_none() && end.satisfied + end.unsatisfied == 0;
        let (word, sentence) = match (&entry.state, bad) {
            (State::Failed, _) => (Word::Unknown, "not followed, because of a mistake".to_owned()),
            (State::Unknown(over), false) => (Word::Unknown, format!("unknown: {over}")),
            (_, true) => (Word::Violated, self.sentence(entry, end)),
            (State::Followed, false) if open && self.records == 0 => (Word::Unknown, "nothing was read".to_owned()),
            (State::Followed, false) if open => (Word::Unknown, "open when reading stopped".to_owned()),
            (State::Followed, false) => (Word::Holds, self.sentence(entry, end)),
        };
        let mut answer = Answer::new(entry.name.clone(), word, sentence);
        answer.is_named = true;
        answer.formula = entry.formula.clone().filter(|_| bad);
        answer
    }

    /// How a property stands when everything is over.
    fn sentence(&self, entry: &Entry, end: &AtEnd) -> String {
        if !self.keyed {
            return match entry.since {
                Some((position, line)) => {
                    let word = if entry.violated > 0 { "violated" } else { "holds" };
                    format!("{word}: determined at position {position} (line {line})")
                }
                None if end.unsatisfied > 0 => "violated: not satisfied at the end".to_owned(),
                None => "holds: satisfied at the end".to_owned(),
            };
        }
        let named = |keys: &[String], of: u64| {
            let keys: Vec<String> = keys.iter().map(|key| short(key, KEY_WIDTH)).collect();
            let more = if of > keys.len() as u64 { ", ..." } else { "" };
            format!(" ({}{more})", keys.join(", "))
        };
        let mut parts = Vec::new();
        if entry.violated > 0 {
            let keys = named(&entry.violated_keys, entry.violated);
            parts.push(format!("{} violated{keys}", counted(entry.violated, "key", "keys")));
        }
        if end.unsatisfied > 0 {
            let keys = named(&end.keys, end.unsatisfied);
            parts.push(format!("{} not satisfied at the end{keys}", counted(end.unsatisfied, "key", "keys")));
        }
        if entry.holds > 0 {
            parts.push(format!("{} determined to hold", counted(entry.holds, "key", "keys")));
        }
        if end.satisfied > 0 {
            parts.push(format!("{} satisfied at the end", counted(end.satisfied, "key", "keys")));
        }
        if let State::Unknown(over) = &entry.state {
            parts.push(format!("the others unknown: {over}"));
        }
        if parts.is_empty() { "no key has come".to_owned() } else { parts.join("; ") }
    }

    /// What a checkpoint keeps of it.
    pub fn save(&self) -> Value {
        let entry = |entry: &Entry| {
            let lost = match &entry.state {
                State::Unknown(over) => Some(over.limit == Limit::Memory),
                State::Followed | State::Failed => None,
            };
            json!({
                "failed": matches!(entry.state, State::Failed),
                "lost_to_memory": lost,
                "holds": entry.holds,
                "violated": entry.violated,
                "violated_keys": entry.violated_keys,
                "since": entry.since,
            })
        };
        json!({
            "properties": self.properties.iter().map(entry).collect::<Vec<Value>>(),
            "malformed": self.malformed,
            "mistyped": self.mistyped,
            "keyless": self.keyless,
            "warned": self.warned.iter().map(diagnostic_json).collect::<Vec<Value>>(),
            "mistaken": self.mistaken,
        })
    }

    /// Takes what [`Self::save`] kept when so many `records` had come, in so many lines. `None` if it is something else, or cannot be.
    pub fn restore(&mut self, saved: &Value, records: u64, lines: u64) -> Option<()> {
        let of = |object: &Value, fields: usize| object.as_object().filter(|o| o.len() == fields).map(|_| ());
        // A count and a line, or a position and a line.
        let pair = |value: &Value| match value {
            Value::Null => Some(None),
            pair => {
                let [first, line] = pair.as_array()?.as_slice() else { return None };
                let (first, line) = (first.as_u64()?, line.as_u64()?);
                (first <= records && (1..=lines).contains(&line)).then_some(Some((first, line)))
            }
        };
        of(saved, 6)?;
        let properties = saved["properties"].as_array()?;
        if properties.len() != self.properties.len() {
            return None;
        }
        self.mistaken = saved["mistaken"].as_bool()?;
        for (entry, saved) in self.properties.iter_mut().zip(properties) {
            of(saved, 6)?;
            match &saved["lost_to_memory"] {
                Value::Null => {}
                memory => {
                    let limit = if memory.as_bool()? { Limit::Memory } else { Limit::Time };
                    let what = "following the stream before the checkpoint";
                    entry.state = State::Unknown(OverBudget { what, limit });
                }
            }
            if saved["failed"].as_bool()? {
                entry.state = State::Failed;
                self.mistaken.then_some(())?;
            }
            entry.holds = saved["holds"].as_u64()?;
            entry.violated = saved["violated"].as_u64()?;
            let key = |key: &Value| key.as_str().map(str::to_owned);
            entry.violated_keys = saved["violated_keys"].as_array()?.iter().map(key).collect::<Option<_>>()?;
            entry.since = pair(&saved["since"])?;
            let determined = entry.holds.checked_add(entry.violated)?;
            let fits = match self.keyed {
                true => entry.since.is_none() && entry.violated_keys.len() as u64 == entry.violated.min(SHOWN as u64),
                false => determined == u64::from(entry.since.is_some()) && entry.violated_keys.is_empty(),
            };
            (fits && determined <= records).then_some(())?;
        }
        self.malformed = saved["malformed"].as_u64()?;
        self.mistyped = saved["mistyped"].as_u64()?;
        self.keyless = pair(&saved["keyless"])?;
        self.warned = saved["warned"].as_array()?.iter().map(|w| warning(w, lines)).collect::<Option<_>>()?;
        let most = records.saturating_mul(self.properties.len() as u64);
        let fits = self.malformed <= lines && self.mistyped <= most && (self.keyed || self.keyless.is_none());
        fits.then_some(())
    }

    /// On how many streams a property holds for good, and on how many it is violated; the keys of the first of these.
    pub fn determined(&self, property: usize) -> (u64, u64, &[String]) {
        let entry = &self.properties[property];
        (entry.holds, entry.violated, &entry.violated_keys)
    }

    /// How many properties do not fit the stream.
    pub fn failures(&self) -> usize {
        self.properties.iter().filter(|entry| matches!(entry.state, State::Failed)).count()
    }

    /// How many records a property could not take, at most.
    pub fn mistyped(&self) -> u64 {
        self.mistyped
    }

    /// How many records had no key.
    pub fn keyless(&self) -> u64 {
        self.keyless.map_or(0, |(count, _)| count)
    }
}

/// A warning of the reader that a checkpoint kept, about one of so many lines. `None` if it is something else.
fn warning(saved: &Value, lines: u64) -> Option<Diagnostic> {
    saved.as_object().filter(|fields| fields.len() == 6)?;
    let text = |name: &str| match &saved[name] {
        Value::Null => Some(None),
        text => Some(Some(text.as_str()?.to_owned())),
    };
    let mut warning = Diagnostic::new(deny::kind_called(saved["kind"].as_str()?)?, saved["message"].as_str()?);
    if !saved["line"].is_null() {
        let (line, column) = (saved["line"].as_u64()?, saved["column"].as_u64()?);
        ((1..=lines).contains(&line) && column >= 1).then_some(())?;
        warning = warning.at(Place { column, ..Place::line_only(line) });
    }
    (warning.label, warning.help) = (text("label")?, text("help")?);
    Some(warning)
}
