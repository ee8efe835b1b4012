//! Records as events.

use std::collections::BTreeSet;
use std::io::BufRead;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::messages::{Messages, Way};
use super::paths::{Field, Record};
use super::{Choice, Found, Mapping, Order, Part, Template, first, holds, stamps};
use crate::csv::Table;
use crate::documents::Documents;
use crate::ignored::Ignored;
use crate::lines::{Mistake, Parsed, READING};
use crate::shiviz::clocks::{Clocks, Entry};
use crate::states::States;
use crate::tree::{Tree, push_quoted};
use crate::{Format, ReadOptions, Run, skew};
use posetta_base::{Budget, Diagnostic, Error, EventId, Kind, Number, Place, ProcessId};
use posetta_logic::nearest;
use posetta_trace::{Builder, ENOUGH};

/// Of so many records the paths are gathered, to find what a path that none has may have meant; and so many paths.
const LOOKED_AT: u64 = 200;
const KNOWN: usize = 2000;
const LEVELS: usize = 8;

/// After so many records without a process, and none with one, the rest is not worth reading.
const ENOUGH_NAMELESS: u64 = 3;

/// Records between two looks at how much the run has grown.
const STRIDE: u64 = 256;

/// Reads a run: JSON objects, or for the format CSV the rows of a table.
///
/// # Errors
/// With every mistake found, or when the budget is spent.
pub(crate) fn read(
    format: Format,
    reader: impl BufRead,
    mapping: &Mapping,
    options: &ReadOptions,
    budget: &Budget,
) -> Result<Run, Error> {
    let mut mapper = Mapper::new(mapping, options)?;
    if format == Format::Csv {
        rows(&mut mapper, reader, budget)?;
    } else {
        objects(&mut mapper, reader, budget)?;
    }
    mapper.finish(options, true, budget)
}

/// Reads a run of JSON objects that stand in several files: their order says nothing.
///
/// # Errors
/// As [`read`](fn@read).
pub(crate) fn read_lines(
    reader: impl BufRead,
    mapping: &Mapping,
    options: &ReadOptions,
    budget: &Budget,
) -> Result<Run, Error> {
    let mut mapper = Mapper::new(mapping, options)?;
    objects(&mut mapper, reader, budget)?;
    mapper.finish(options, false, budget)
}

fn objects(mapper: &mut Mapper<'_>, reader: impl BufRead, budget: &Budget) -> Result<(), Error> {
    let mut documents = Documents::new(reader, budget)?;
    let mut tree = Tree::default();
    loop {
        match documents.advance(mapper.weight() as usize + tree.weight()) {
            Ok(true) => {}
            Ok(false) => return Ok(()),
            Err(Error::Invalid(mistakes)) => {
                mapper.builder.lose_event();
                if mistakes.into_iter().all(|mistake| mapper.builder.report(mistake)) {
                    continue;
                }
                return Ok(());
            }
            Err(over) => return Err(over),
        }
        let text = documents.text();
        let taken = tree.parse(text).and_then(|()| {
            if !tree.is_object(0) {
                return Err(not_an_object(&tree));
            }
            mapper.record(&Record::Object { text, tree: &tree }, documents.line())
        });
        if let Err(mistake) = taken {
            mapper.builder.lose_event();
            if !mapper.builder.report(documents.diagnose(*mistake)) || mapper.is_hopeless() {
                return Ok(());
            }
        }
    }
}

fn rows(mapper: &mut Mapper<'_>, reader: impl BufRead, budget: &Budget) -> Result<(), Error> {
    let mut claim = budget.claim(0, READING)?;
    let mut table = Table::new(reader, false, budget)?;
    loop {
        match table.next_cells() {
            Ok(true) => {}
            Ok(false) => return Ok(()),
            Err(Error::Invalid(mistakes)) => {
                mapper.builder.lose_event();
                if mistakes.into_iter().all(|mistake| mapper.builder.report(mistake)) {
                    continue;
                }
                return Ok(());
            }
            Err(over) => return Err(over),
        }
        let cells: Vec<_> = table.cells().collect();
        let line = table.line();
        if let Err(mistake) = mapper.record(&Record::Row { names: table.names(), cells: &cells }, line) {
            mapper.builder.lose_event();
            let mut diagnostic = Diagnostic::new(mistake.kind, mistake.message).at(Place::line_only(line));
            (diagnostic.label, diagnostic.help) = (mistake.label, mistake.help);
            if !mapper.builder.report(diagnostic) || mapper.is_hopeless() {
                return Ok(());
            }
        }
        if mapper.records.is_multiple_of(STRIDE) {
            claim.grow_to(mapper.weight(), READING)?;
        }
    }
}

/// What the records so far have said.
struct Mapper<'m> {
    mapping: &'m Mapping,
    builder: Builder,
    /// Which paths some record has.
    found: Vec<bool>,
    /// Paths of the first records.
    known: BTreeSet<String>,
    records: u64,
    /// Records without a process.
    nameless: u64,
    /// Records that are left out, and the line of the first.
    skipped: u64,
    first_skipped: u64,
    ignored: Ignored,
    clocks: Clocks,
    entries: Vec<Entry>,
    /// The last own entry of each host, where lines say the order.
    last_own: FxHashMap<u32, u32>,
    /// The events of each process, in the order of reading.
    chains: Vec<Vec<EventId>>,
    /// The time of each event, if they are asked for.
    times: Vec<Option<Number>>,
    keeps_times: bool,
    messages: Messages,
    scratch: String,
}

impl<'m> Mapper<'m> {
    fn new(mapping: &'m Mapping, options: &ReadOptions) -> Result<Self, Error> {
        let mut builder = Builder::new();
        for (name, value) in &mapping.initial {
            let value = builder.value(value.clone())?;
            let var = builder.variable(name)?;
            builder.declare(var, value);
        }
        Ok(Self {
            builder,
            found: vec![false; mapping.paths],
            known: BTreeSet::new(),
            records: 0,
            nameless: 0,
            skipped: 0,
            first_skipped: 0,
            ignored: Ignored::default(),
            clocks: Clocks::default(),
            entries: Vec::new(),
            last_own: FxHashMap::default(),
            chains: Vec::new(),
            times: Vec::new(),
            keeps_times: mapping.order == Order::Time || options.skew.is_some(),
            messages: Messages::new(mapping),
            scratch: String::new(),
            mapping,
        })
    }

    /// Whether the mapping is probably that of other records.
    fn is_hopeless(&self) -> bool {
        self.nameless >= ENOUGH_NAMELESS && self.builder.is_empty()
    }

    fn weight(&self) -> u64 {
        let own = self.times.len() * size_of::<Option<Number>>() + self.builder.len() * 4;
        self.builder.weight() + self.messages.weight() + self.clocks.weight() + own as u64
    }

    /// Takes a record. Spans of mistakes are those of its text.
    fn record(&mut self, record: &Record<'_>, line: u64) -> Parsed<()> {
        self.records += 1;
        if self.records <= LOOKED_AT && self.known.len() < KNOWN {
            let known = &mut self.known;
            record.paths(LEVELS, &mut |path| {
                if known.len() < KNOWN && !known.contains(path) {
                    known.insert(path.to_owned());
                }
            });
        }
        let mapping = self.mapping;
        if !holds(&mapping.keep, record, &mut self.found) {
            if self.skipped == 0 {
                self.first_skipped = line;
            }
            self.skipped += 1;
            return Ok(());
        }
        let name = match first(&mapping.process, record, &mut self.found) {
            None => {
                self.nameless += 1;
                let near = self.mapping.process.iter().filter_map(path).find_map(|path| self.near(path));
                return Err(no_process(self.mapping, near.filter(|_| self.builder.is_empty())));
            }
            Some(found) => found.text().filter(|name| !name.is_empty()).ok_or_else(|| {
                Mistake::new(Kind::Process, span(&found), "the process of a record has no name")
                    .label("expected a string or a number")
            })?,
        };
        let process = if mapping.clock.is_empty() {
            let process = self.builder.process(&name).map_err(refused)?;
            self.builder.event(process, line).map_err(refused)?;
            process
        } else {
            self.clocked(record, &name, line)?
        };
        let event = self.builder.last_event();
        self.chains.resize_with(self.chains.len().max(process.index() + 1), Vec::new);
        self.chains[process.index()].push(event);
        let called = first(&mapping.name, record, &mut self.found).and_then(|found| found.text());
        if let Some(name) = called.filter(|name| !name.is_empty()) {
            self.builder.name(&name).map_err(refused)?;
        }
        self.time(record)?;
        self.values(record, &name, line)?;
        for (key, choice) in &mapping.attrs {
            match first(std::slice::from_ref(choice), record, &mut self.found) {
                None => {}
                Some(Found::Field(field)) => self.builder.attribute(key, &field.json()).map_err(refused)?,
                Some(Found::Constant(text)) => {
                    self.scratch.clear();
                    push_quoted(&mut self.scratch, text);
                    self.builder.attribute(key, &self.scratch).map_err(refused)?;
                }
            }
        }
        self.ends(record, event, line)
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

    /// The event of a record with a vector clock.
    fn clocked(&mut self, record: &Record<'_>, host: &str, line: u64) -> Parsed<ProcessId> {
        let Some(found) = first(&self.mapping.clock, record, &mut self.found) else {
            return Err(Mistake::new(Kind::Clock, 0..1, "a record without a vector clock")
                .help("every event needs one; leave others out with `keep`"));
        };
        let host = self.clocks.host(host).ok_or_else(|| Mistake::new(Kind::Input, 0..1, "too many hosts"))?;
        let place = span(&found);
        let text = match &found {
            Found::Field(Field::Node { text, tree, at }) if tree.is_object(*at) => text[tree.span(*at)].into(),
            found => found.text().unwrap_or_default(),
        };
        let inside = matches!(&found, Found::Field(Field::Node { tree, at, .. }) if tree.is_object(*at));
        let own = self.clocks.read(host, &text, &mut self.entries).map_err(|mut mistake| {
            // A clock in a string has its escapes.
            let shifted = place.start + mistake.span.start..place.start + mistake.span.end;
            mistake.span = if inside { shifted } else { place.clone() };
            mistake
        })?;
        let before = self.last_own.insert(host, own);
        if let Some(before) = before.filter(|&before| before >= own && self.mapping.order == Order::Line) {
            let name = self.clocks.name(host);
            let message = format!("event {own} of `{name}` stands after its event {before}");
            return Err(Mistake::new(Kind::Clock, place, message)
                .label("the lines of a process are in another order than its clocks")
                .help("if the lines are not in order, write order = \"clock\""));
        }
        let process = self.clocks.process(host, &mut self.builder).map_err(refused)?;
        self.builder.event(process, line).map_err(refused)?;
        self.clocks.push(host, own, &self.entries, line);
        Ok(process)
    }

    fn time(&mut self, record: &Record<'_>) -> Parsed<()> {
        let found = first(&self.mapping.time, record, &mut self.found);
        let time = match &found {
            None if self.mapping.order == Order::Time => {
                return Err(Mistake::syntax(0..1, "a record without a time, by which events are ordered")
                    .help("leave such records out with `keep`, or write order = \"line\""));
            }
            None => None,
            Some(found) => match stamps::time(found, self.mapping.unit) {
                Some(time) => Some(time),
                None => {
                    return Err(Mistake::syntax(span(found), "this is not a time")
                        .label("expected a number, or a date such as 2024-04-05T14:28:49.602Z"));
                }
            },
        };
        if self.keeps_times {
            self.times.push(time.clone());
        }
        if let Some(time) = time {
            self.builder.time(time);
        }
        Ok(())
    }

    fn values(&mut self, record: &Record<'_>, process: &str, line: u64) -> Parsed<()> {
        for (template, choice) in &self.mapping.set {
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
            let value = self.builder.value(value).map_err(refused)?;
            let var = self.builder.variable(&self.scratch).map_err(refused)?;
            if !self.builder.assign(var, value).map_err(refused)? {
                return Err(assigned_twice(&self.scratch, template, &found));
            }
        }
        Ok(())
    }

    /// The ends of messages that a record is.
    fn ends(&mut self, record: &Record<'_>, event: EventId, line: u64) -> Parsed<()> {
        for (i, message) in self.mapping.messages.iter().enumerate() {
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
                if !whole {
                    self.messages.lacks_match(i, line);
                } else if self.messages.add(i, way, self.scratch.trim_end(), event).is_none() {
                    return Err(Mistake::new(Kind::Input, 0..1, "too many messages"));
                }
            }
        }
        Ok(())
    }

    fn finish(mut self, options: &ReadOptions, sequence: bool, budget: &Budget) -> Result<Run, Error> {
        if self.builder.is_empty() && !self.builder.has_mistakes() {
            return Err(self.nothing().into());
        }
        if self.builder.has_mistakes() {
            return self.builder.finish(false, budget).map(|trace| Run { label: None, trace, warnings: Vec::new() });
        }
        let mut warnings: Vec<Diagnostic> = self.skipped_records().into_iter().chain(self.ignored.warning()).collect();
        warnings.extend(self.unknown_paths());
        let _claim = budget.claim(12 * self.builder.len() as u64, READING)?;
        if !self.mapping.clock.is_empty() {
            self.chains_by(|mapper, event| mapper.clocks.own(event));
            let clocks = std::mem::take(&mut self.clocks);
            warnings.extend(clocks.settle(&mut self.builder, budget)?);
        } else if self.mapping.order == Order::Time {
            self.chains_by(|mapper, event| mapper.times.get(event.index()).cloned().flatten());
            for (process, chain) in self.chains.iter().enumerate() {
                if !chain.is_sorted() {
                    self.builder.rechain(ProcessId::from_raw(process as u32), chain.clone());
                }
            }
        }
        let mut places = vec![(0, 0); self.builder.len()];
        for (process, chain) in self.chains.iter().enumerate() {
            for (position, event) in chain.iter().enumerate() {
                places[event.index()] = (process as u32, position as u32);
            }
        }
        warnings.extend(self.messages.link(self.mapping, &mut self.builder, &|event| places[event.index()]));
        if let Some(skew) = &options.skew {
            let timed = |chain: &Vec<EventId>| {
                let timed = chain.iter().filter_map(|&event| Some((event, self.times[event.index()].clone()?)));
                timed.collect::<Vec<(EventId, Number)>>()
            };
            let chains: Vec<_> = self.chains.iter().map(timed).collect();
            for wrong in skew::link(&mut self.builder, &chains, skew, budget)? {
                let name = self.builder.process_of(chains[wrong][0].0);
                let message = format!("the clock of `{name}` jumps back by more than the skew, so it orders nothing");
                warnings.push(Diagnostic::new(Kind::Ignored, message));
            }
        }
        self.builder.keep_nearest_times();
        warnings.truncate(ENOUGH);
        let trace = self.builder.finish(sequence, budget)?;
        Ok(Run { label: None, trace, warnings })
    }

    /// Sorts the events of each process, those that are alike in the order of reading.
    fn chains_by<K: Ord>(&mut self, key: impl Fn(&Self, EventId) -> K) {
        let mut chains = std::mem::take(&mut self.chains);
        for chain in &mut chains {
            chain.sort_by_cached_key(|&event| key(self, event));
        }
        self.chains = chains;
    }

    /// Why there is no event.
    fn nothing(&self) -> Diagnostic {
        if self.records == 0 {
            return Diagnostic::new(Kind::Syntax, "there is no record").help("was the file written?");
        }
        let paths: Vec<&str> = self.mapping.keep.iter().map(|condition| condition.path.text.as_str()).collect();
        let known = self.mapping.keep.iter().find(|condition| !self.found[condition.path.number]);
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
    fn unknown_paths(&self) -> Vec<Diagnostic> {
        let mapping = self.mapping;
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
            Part::Path(path) => Some(path),
            Part::Text(_) | Part::Process => None,
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
pub(super) fn no_process(mapping: &Mapping, near: Option<&str>) -> Box<Mistake> {
    let paths: Vec<String> = mapping.process.iter().filter_map(path).map(|path| format!("`{path}`")).collect();
    let help = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => "leave such records out with `keep`, or give a constant for them: process = [\"FIELD\", \"=NAME\"]"
            .to_owned(),
    };
    Mistake::new(Kind::Process, 0..1, format!("a record without {}: its process", paths.join(" or "))).help(help)
}

pub(super) fn assigned_twice(variable: &str, template: &Template, found: &Found<'_>) -> Box<Mistake> {
    let message = format!("the variable `{variable}` is assigned twice by one record");
    Mistake::new(Kind::AssignedTwice, span(found), message).label(format!("`{template}` means it, too"))
}

/// Writes the name of a variable. `false` if the record lacks a field of it.
pub(super) fn fill(
    template: &Template,
    record: &Record<'_>,
    process: &str,
    found: &mut [bool],
    out: &mut String,
) -> bool {
    out.clear();
    for part in &template.0 {
        match part {
            Part::Text(text) => out.push_str(text),
            Part::Process => out.push_str(process),
            Part::Path(path) => {
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
fn refused(diagnostic: Box<Diagnostic>) -> Box<Mistake> {
    Mistake::new(diagnostic.kind, 0..1, diagnostic.message)
}
