//! What one record says, whoever takes it in: a run as a whole, one that is followed, or a stream.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use super::messages::Way;
use super::paths::{Field, Record};
use super::{Choice, Found, Mapping, Order, Piece, Template, first, holds, stamps};
use crate::ignored::Ignored;
use crate::lines::{Mistake, Parsed};
use crate::records::RecordBuffer;
use crate::tree::{Tree, push_quoted};
use posetta_base::{Diagnostic, Kind, Number, Place, Value};
use posetta_logic::nearest;
use posetta_trace::{Builder, Feed};

/// Of so many records the paths are gathered, to find what a path that none has may have meant; and so many paths.
const LOOKED_AT: u64 = 200;
const KNOWN: usize = 2000;
const LEVELS: usize = 8;

/// After so many records without a process, and none with one, the rest is not worth reading.
const ENOUGH_NAMELESS: u64 = 3;

type Taken<T> = Result<T, Box<Diagnostic>>;

/// What takes in a record whose process is known.
pub(super) trait Taker {
    fn name(&mut self, name: &str) -> Taken<()>;
    fn time(&mut self, time: Number);
    /// `false` if the record has assigned the variable before.
    fn assign(&mut self, variable: &str, value: Value) -> Taken<bool>;
    /// The value is a JSON text.
    fn attribute(&mut self, key: &str, json: &str) -> Taken<()>;
}

impl Taker for Builder {
    fn name(&mut self, name: &str) -> Taken<()> {
        Builder::name(self, name)
    }

    fn time(&mut self, time: Number) {
        Builder::time(self, time);
    }

    fn assign(&mut self, variable: &str, value: Value) -> Taken<bool> {
        let value = self.value(value)?;
        let variable = self.variable(variable)?;
        Builder::assign(self, variable, value)
    }

    fn attribute(&mut self, key: &str, json: &str) -> Taken<()> {
        Builder::attribute(self, key, json)
    }
}

impl Taker for Feed {
    fn name(&mut self, name: &str) -> Taken<()> {
        Feed::name(self, name);
        Ok(())
    }

    /// Nobody asks when an event of a live run happened.
    fn time(&mut self, _time: Number) {}

    fn assign(&mut self, variable: &str, value: Value) -> Taken<bool> {
        let variable = self.variable(variable)?;
        Ok(Feed::assign(self, variable, value))
    }

    fn attribute(&mut self, key: &str, json: &str) -> Taken<()> {
        Feed::attribute(self, key, json);
        Ok(())
    }
}

impl Taker for RecordBuffer {
    fn name(&mut self, name: &str) -> Taken<()> {
        self.set_name(name);
        self.key_text("name", name);
        Ok(())
    }

    fn time(&mut self, time: Number) {
        if self.is_key_field("time") {
            self.set_key(&time.to_string());
        }
    }

    fn assign(&mut self, variable: &str, value: Value) -> Taken<bool> {
        let variable = self.variable(variable)?;
        Ok(RecordBuffer::assign(self, variable, value))
    }

    fn attribute(&mut self, key: &str, json: &str) -> Taken<()> {
        RecordBuffer::attribute(self, key, json);
        self.key_json(key, json);
        Ok(())
    }
}

/// What the records so far had, and what was left out of them.
pub(super) struct Fields {
    /// Which paths some record has.
    found: Vec<bool>,
    /// Paths of the first records.
    known: BTreeSet<String>,
    pub(super) records: u64,
    /// Records with a process.
    named: u64,
    /// Records without a process.
    nameless: u64,
    /// Records that are left out, and the line of the first.
    skipped: u64,
    first_skipped: u64,
    ignored: Ignored,
    scratch: String,
}

impl Fields {
    pub(super) fn new(mapping: &Mapping) -> Self {
        Self {
            found: vec![false; mapping.paths],
            known: BTreeSet::new(),
            records: 0,
            named: 0,
            nameless: 0,
            skipped: 0,
            first_skipped: 0,
            ignored: Ignored::default(),
            scratch: String::new(),
        }
    }

    /// Whether the mapping is probably that of other records.
    pub(super) fn is_hopeless(&self) -> bool {
        self.nameless >= ENOUGH_NAMELESS && self.named == 0
    }

    /// Whether any record was an event.
    pub(super) fn has_events(&self) -> bool {
        self.named > 0
    }

    /// The process of a record, or nothing if the record is left out. Spans of mistakes are those of its text.
    pub(super) fn process<'a>(
        &mut self,
        mapping: &'a Mapping,
        record: &Record<'a>,
        line: u64,
    ) -> Parsed<Option<Cow<'a, str>>> {
        self.records += 1;
        if self.records <= LOOKED_AT && self.known.len() < KNOWN {
            let known = &mut self.known;
            record.paths(LEVELS, &mut |path| {
                if known.len() < KNOWN && !known.contains(path) {
                    known.insert(path.to_owned());
                }
            });
        }
        if !holds(&mapping.keep, record, &mut self.found) {
            if self.skipped == 0 {
                self.first_skipped = line;
            }
            self.skipped += 1;
            return Ok(None);
        }
        let Some(found) = first(&mapping.process, record, &mut self.found) else {
            self.nameless += 1;
            let near = mapping.process.iter().filter_map(path).find_map(|path| self.near(path));
            return Err(no_process(mapping, near.filter(|_| self.named == 0)));
        };
        let name = found.text().filter(|name| !name.is_empty()).ok_or_else(|| {
            Mistake::new(Kind::Process, span(&found), "the process of a record has no name")
                .label("expected a string or a number")
        })?;
        self.named += 1;
        Ok(Some(name))
    }

    /// The vector clock of a record: its text, the bytes of the record that it stands in, and whether it is an object of its own there.
    pub(super) fn clock<'a>(
        &mut self,
        mapping: &'a Mapping,
        record: &Record<'a>,
    ) -> Parsed<(Cow<'a, str>, Range<usize>, bool)> {
        let Some(found) = first(&mapping.clock, record, &mut self.found) else {
            return Err(Mistake::new(Kind::Clock, 0..1, "a record without a vector clock")
                .help("every event needs one; leave others out with `keep`"));
        };
        let place = span(&found);
        Ok(match &found {
            Found::Field(Field::Node { text, tree, at }) if tree.is_object(*at) => {
                (text[tree.span(*at)].into(), place, true)
            }
            found => (found.text().unwrap_or_default(), place, false),
        })
    }

    /// Name, time, variables and attributes of an event of `process`. Answers with the time.
    pub(super) fn take(
        &mut self,
        mapping: &Mapping,
        record: &Record<'_>,
        process: &str,
        line: u64,
        taker: &mut impl Taker,
    ) -> Parsed<Option<Number>> {
        let called = first(&mapping.name, record, &mut self.found).and_then(|found| found.text());
        if let Some(name) = called.filter(|name| !name.is_empty()) {
            taker.name(&name).map_err(refused)?;
        }
        let time = self.time(mapping, record)?;
        if let Some(time) = time.clone() {
            taker.time(time);
        }
        self.values(mapping, record, process, line, taker)?;
        for (key, choice) in &mapping.attrs {
            match first(std::slice::from_ref(choice), record, &mut self.found) {
                None => {}
                Some(Found::Field(field)) => taker.attribute(key, &field.json()).map_err(refused)?,
                Some(Found::Constant(text)) => {
                    self.scratch.clear();
                    push_quoted(&mut self.scratch, text);
                    taker.attribute(key, &self.scratch).map_err(refused)?;
                }
            }
        }
        Ok(time)
    }

    fn time(&mut self, mapping: &Mapping, record: &Record<'_>) -> Parsed<Option<Number>> {
        let found = first(&mapping.time, record, &mut self.found);
        match &found {
            None if mapping.order == Order::Time => {
                Err(Mistake::syntax(0..1, "a record without a time, by which events are ordered")
                    .help("leave such records out with `keep`, or write order = \"line\""))
            }
            None => Ok(None),
            Some(found) => match stamps::time(found, mapping.unit) {
                Some(time) => Ok(Some(time)),
                None => Err(Mistake::syntax(span(found), "this is not a time")
                    .label("expected a number, or a date such as 2024-04-05T14:28:49.602Z")),
            },
        }
    }

    fn values(
        &mut self,
        mapping: &Mapping,
        record: &Record<'_>,
        process: &str,
        line: u64,
        taker: &mut impl Taker,
    ) -> Parsed<()> {
        for (template, choice) in &mapping.set {
            let Some(found) = first(std::slice::from_ref(choice), record, &mut self.found) else { continue };
            if !fill(template, record, process, &mut self.found, &mut self.scratch) {
                continue;
            }
            let Some(value) = found.value() else {
                let noun = match &found {
                    Found::Field(field) => field.noun(),
                    Found::Constant(_) => "number",
                };
                self.ignored.add(path(choice).unwrap_or_default(), noun, line);
                continue;
            };
            if !taker.assign(&self.scratch, value).map_err(refused)? {
                return Err(assigned_twice(&self.scratch, template, &found));
            }
        }
        Ok(())
    }

    /// The ends of messages that a record is, each with what it matches by, or nothing if the record lacks that.
    pub(super) fn ends(
        &mut self,
        mapping: &Mapping,
        record: &Record<'_>,
        mut each: impl FnMut(usize, Way, Option<&str>) -> Parsed<()>,
    ) -> Parsed<()> {
        for (i, message) in mapping.messages.iter().enumerate() {
            for (way, end) in [(Way::Send, &message.send), (Way::Recv, &message.recv)] {
                if !holds(&end.when, record, &mut self.found) {
                    continue;
                }
                self.scratch.clear();
                let mut whole = true;
                for choice in &end.matches {
                    match first(std::slice::from_ref(choice), record, &mut self.found) {
                        Some(Found::Field(field)) => field.write_key(&mut self.scratch),
                        Some(Found::Constant(text)) => push_quoted(&mut self.scratch, text),
                        None => whole = false,
                    }
                    self.scratch.push(' ');
                }
                each(i, way, whole.then(|| self.scratch.trim_end()))?;
            }
        }
        Ok(())
    }

    /// What was left out.
    pub(super) fn left_out(&self) -> impl Iterator<Item = Diagnostic> {
        self.skipped_records().into_iter().chain(self.ignored.warning())
    }

    /// The same, and what the mapping names and no record has. Only who asks for all of it can say that.
    pub(super) fn warnings(&self, mapping: &Mapping) -> Vec<Diagnostic> {
        self.left_out().chain(self.unknown_paths(mapping)).collect()
    }

    /// A path of the first records that is near to one that none has.
    fn near(&self, path: &str) -> Option<&str> {
        if self.known.contains(path) {
            return None;
        }
        let last = |path: &str| path.rsplit('.').next().map(str::to_owned);
        nearest(path, self.known.iter().map(String::as_str))
            // The right field in the wrong place.
            .or_else(|| self.known.iter().map(String::as_str).find(|known| last(known) == last(path)))
    }

    /// Why there is no event.
    pub(super) fn nothing(&self, mapping: &Mapping) -> Diagnostic {
        if self.records == 0 {
            return Diagnostic::new(Kind::Syntax, "there is no record").help("was the file written?");
        }
        let paths: Vec<&str> = mapping.keep.iter().map(|condition| condition.path.text.as_str()).collect();
        let known = mapping.keep.iter().find(|condition| !self.found[condition.path.number]);
        let message = match known {
            Some(condition) => format!("no record has `{}`, so that `keep` leaves nothing", condition.path.text),
            None => format!("`keep` leaves no record: none has `{}` like that", paths.join("`, `")),
        };
        let mistake = Diagnostic::new(Kind::Unmatched, message).at(Place::line_only(self.first_skipped.max(1)));
        match known.and_then(|condition| self.near(&condition.path.text)) {
            Some(near) => mistake.help(format!("did you mean `{near}`?")),
            None => mistake,
        }
    }

    fn skipped_records(&self) -> Option<Diagnostic> {
        if self.skipped == 0 {
            return None;
        }
        let are = if self.skipped == 1 { "is" } else { "are" };
        let message = format!("{} of {} records {are} left out by `keep`", self.skipped, self.records);
        Some(
            Diagnostic::new(Kind::Ignored, message)
                .at(Place::line_only(self.first_skipped))
                .label(if self.skipped == 1 { "this one" } else { "the first is here" }),
        )
    }

    /// Paths of the mapping that no record has.
    fn unknown_paths(&self, mapping: &Mapping) -> Vec<Diagnostic> {
        let mut paths: Vec<&super::Path> = Vec::new();
        let choices = [&mapping.process, &mapping.name, &mapping.time, &mapping.clock].into_iter().flatten();
        let ends = mapping.messages.iter().flat_map(|message| [&message.send, &message.recv]);
        let choices = choices
            .chain(mapping.set.iter().map(|(_, choice)| choice))
            .chain(mapping.attrs.iter().map(|(_, choice)| choice))
            .chain(ends.clone().flat_map(|end| &end.matches));
        paths.extend(choices.filter_map(|choice| match choice {
            Choice::Path(path) => Some(path),
            Choice::Constant(_) => None,
        }));
        paths.extend(ends.flat_map(|end| &end.when).map(|condition| &condition.path));
        let parts = mapping.set.iter().flat_map(|(template, _)| &template.0);
        paths.extend(parts.filter_map(|part| match part {
            Piece::Path(path) => Some(path),
            Piece::Text(_) | Piece::Process => None,
        }));
        let mut told = BTreeSet::new();
        let missing = paths.into_iter().filter(|path| !self.found[path.number]);
        let missing = missing.filter(|path| told.insert(path.text.clone()));
        let one = |path: &super::Path| {
            let warning = Diagnostic::new(Kind::Unmatched, format!("no record has `{}`", path.text));
            match self.near(&path.text) {
                Some(near) => warning.help(format!("did you mean `{near}`?")),
                None => warning,
            }
        };
        missing.map(one).collect()
    }
}

pub(super) fn not_an_object(tree: &Tree) -> Box<Mistake> {
    Mistake::syntax(tree.span(0), "not an object").label("expected a record: a JSON object")
}

/// A record has no process; perhaps a field that is near was meant.
fn no_process(mapping: &Mapping, near: Option<&str>) -> Box<Mistake> {
    let paths: Vec<String> = mapping.process.iter().filter_map(path).map(|path| format!("`{path}`")).collect();
    let help = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => "leave such records out with `keep`, or give a constant for them: process = [\"FIELD\", \"=NAME\"]"
            .to_owned(),
    };
    Mistake::new(Kind::Process, 0..1, format!("a record without {}: its process", paths.join(" or "))).help(help)
}

fn assigned_twice(variable: &str, template: &Template, found: &Found<'_>) -> Box<Mistake> {
    let message = format!("the variable `{variable}` is assigned twice by one record");
    Mistake::new(Kind::AssignedTwice, span(found), message).label(format!("`{template}` means it, too"))
}

/// Writes the name of a variable. `false` if the record lacks a field of it.
fn fill(template: &Template, record: &Record<'_>, process: &str, found: &mut [bool], out: &mut String) -> bool {
    out.clear();
    for part in &template.0 {
        match part {
            Piece::Text(text) => out.push_str(text),
            Piece::Process => out.push_str(process),
            Piece::Path(path) => {
                let Some(field) = record.find(path) else { return false };
                found[path.number] = true;
                let Some(text) = field.text() else { return false };
                out.push_str(&text);
            }
        }
    }
    !out.is_empty()
}

fn path(choice: &Choice) -> Option<&str> {
    match choice {
        Choice::Path(path) => Some(&path.text),
        Choice::Constant(_) => None,
    }
}

/// The bytes of the record that are shown for what was found.
fn span(found: &Found<'_>) -> Range<usize> {
    match found {
        Found::Field(Field::Node { tree, at, .. }) => tree.span(*at),
        Found::Field(Field::Cell(_)) | Found::Constant(_) => 0..1,
    }
}

#[expect(clippy::boxed_local, reason = "the builder refuses with a box")]
pub(super) fn refused(diagnostic: Box<Diagnostic>) -> Box<Mistake> {
    Mistake::new(diagnostic.kind, 0..1, diagnostic.message)
}
