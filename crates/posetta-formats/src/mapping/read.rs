//! Records as events.

use std::io::BufRead;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::cut::Cut;
use super::fields::{Fields, not_an_object, refused};
use super::messages::Messages;
use super::paths::Record;
use super::{Mapping, Order};
use crate::csv::Table;
use crate::documents::Documents;
use crate::line_reader::LineReader;
use crate::lines::{Mistake, Parsed, READING};
use crate::shiviz::clocks::{Clocks, Entry};
use crate::states::States;
use crate::tree::Tree;
use crate::{Format, ReadOptions, Run, skew};
use posetta_base::{Budget, Diagnostic, Error, EventId, Kind, Number, Place, ProcessId};
use posetta_trace::{Builder, ENOUGH, Reason};

/// Records between two looks at how much the run has grown.
const STRIDE: u64 = 256;

/// Reads a run: JSON objects, for the format CSV the rows of a table, or lines of text if the mapping says how they are cut.
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
    if let Some(cut) = &mapping.lines {
        lines(&mut mapper, cut, reader, budget)?;
    } else if format == Format::Csv {
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
    match &mapping.lines {
        Some(cut) => lines(&mut mapper, cut, reader, budget)?,
        None => objects(&mut mapper, reader, budget)?,
    }
    mapper.finish(options, false, budget)
}

impl Mapper<'_> {
    /// A record is no record. Answers whether the next one is worth looking at.
    fn goes_on(&mut self, error: Error) -> Result<bool, Error> {
        let Error::Invalid(mistakes) = error else { return Err(error) };
        self.builder.lose_event();
        Ok(mistakes.into_iter().all(|mistake| self.builder.report(mistake)))
    }
}

fn objects(mapper: &mut Mapper<'_>, reader: impl BufRead, budget: &Budget) -> Result<(), Error> {
    let mut documents = Documents::new(reader, budget)?;
    let mut tree = Tree::default();
    loop {
        match documents.advance(mapper.weight() as usize + tree.weight()) {
            Ok(true) => {}
            Ok(false) => return Ok(()),
            Err(error) => match mapper.goes_on(error)? {
                true => continue,
                false => return Ok(()),
            },
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
            if !mapper.builder.report(documents.diagnose(*mistake)) || mapper.fields.is_hopeless() {
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
            Err(error) => match mapper.goes_on(error)? {
                true => continue,
                false => return Ok(()),
            },
        }
        let cells: Vec<_> = table.cells().collect();
        let line = table.line();
        if let Err(mistake) = mapper.record(&Record::Row { names: table.names(), cells: &cells }, line) {
            mapper.builder.lose_event();
            let mut diagnostic = Diagnostic::new(mistake.kind, mistake.message).at(Place::line_only(line));
            (diagnostic.label, diagnostic.help) = (mistake.label, mistake.help);
            if !mapper.builder.report(diagnostic) || mapper.fields.is_hopeless() {
                return Ok(());
            }
        }
        if mapper.fields.records.is_multiple_of(STRIDE) {
            claim.grow_to(mapper.weight(), READING)?;
        }
    }
}

fn lines(mapper: &mut Mapper<'_>, cut: &Cut, reader: impl BufRead, budget: &Budget) -> Result<(), Error> {
    let mut source = LineReader::new_at(reader, 0, 0, budget);
    let pairs = mapper.mapping.pairs.as_deref();
    // Lines that are no records: how many, and the first.
    let mut others: Option<(u64, u64)> = None;
    loop {
        let weight = mapper.weight();
        let mut more = true;
        let read = source.next(
            || weight,
            |line| {
                let fields = match cut.record(line.text, pairs) {
                    Ok(Some(fields)) => fields,
                    Ok(None) => {
                        // Comments, as tracers write them above their events, are none either.
                        if !line.text.trim().is_empty() && !line.text.starts_with('#') {
                            others.get_or_insert((0, line.number)).0 += 1;
                        }
                        return;
                    }
                    Err(mistake) => {
                        mapper.builder.lose_event();
                        more = mapper.builder.report(line.diagnose(*mistake));
                        return;
                    }
                };
                let record = Record::Row { names: &fields.names, cells: &fields.cells };
                if let Err(mistake) = mapper.record(&record, line.number) {
                    mapper.builder.lose_event();
                    let mut diagnostic =
                        Diagnostic::new(mistake.kind, mistake.message).at(Place::line_only(line.number));
                    (diagnostic.label, diagnostic.help) = (mistake.label, mistake.help);
                    more = mapper.builder.report(diagnostic) && !mapper.fields.is_hopeless();
                }
            },
        );
        match read {
            Ok(Some(())) if more => {}
            Ok(_) => break,
            Err(error) => match mapper.goes_on(error)? {
                true => {}
                false => break,
            },
        }
    }
    if let Some((count, first)) = others {
        let what = if count == 1 { "1 line is".to_owned() } else { format!("{count} lines are") };
        let message = format!("{what} no record: `lines` does not match");
        mapper.unmatched = Some(Diagnostic::new(Kind::Unmatched, message).at(Place::line_only(first)));
        if mapper.builder.is_empty() && !mapper.builder.has_mistakes() {
            let names = cut.names().iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            let nothing = Diagnostic::new(Kind::Input, "no line is a record: `lines` matches none of them");
            let nothing = nothing.at(Place::line_only(first)).label(format!("expected a line with {names}"));
            return Err(nothing.into());
        }
    }
    Ok(())
}

/// What the records so far have said.
struct Mapper<'m> {
    mapping: &'m Mapping,
    builder: Builder,
    fields: Fields,
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
    /// That lines of text were left out.
    unmatched: Option<Diagnostic>,
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
            fields: Fields::new(mapping),
            clocks: Clocks::default(),
            entries: Vec::new(),
            last_own: FxHashMap::default(),
            chains: Vec::new(),
            times: Vec::new(),
            keeps_times: mapping.order == Order::Time || options.skew.is_some(),
            messages: Messages::new(mapping),
            unmatched: None,
            mapping,
        })
    }

    fn weight(&self) -> u64 {
        let own = self.times.len() * size_of::<Option<Number>>() + self.builder.len() * 4;
        self.builder.weight() + self.messages.weight() + self.clocks.weight() + own as u64
    }

    /// Takes a record. Spans of mistakes are those of its text.
    fn record(&mut self, record: &Record<'_>, line: u64) -> Parsed<()> {
        let mapping = self.mapping;
        let Some(name) = self.fields.process(mapping, record, line)? else { return Ok(()) };
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
        let time = self.fields.take(mapping, record, &name, line, &mut self.builder)?;
        if self.keeps_times {
            self.times.push(time);
        }
        let messages = &mut self.messages;
        self.fields.ends(mapping, record, |message, way, key| match key {
            None => {
                messages.lacks_match(message, line);
                Ok(())
            }
            Some(key) => messages.add(message, way, key, event).ok_or_else(too_many_messages),
        })
    }

    /// The event of a record with a vector clock.
    fn clocked(&mut self, record: &Record<'_>, host: &str, line: u64) -> Parsed<ProcessId> {
        let (text, place, inside) = self.fields.clock(self.mapping, record)?;
        let host = self.clocks.host(host).ok_or_else(|| Mistake::new(Kind::Input, 0..1, "too many hosts"))?;
        let own = self.clocks.read(host, &text, &mut self.entries).map_err(|mistake| moved(mistake, &place, inside))?;
        let before = self.last_own.insert(host, own);
        if let Some(before) = before.filter(|&before| before >= own && self.mapping.order == Order::Line) {
            return Err(out_of_order(self.clocks.name(host), own, before, place));
        }
        let process = self.clocks.process(host, &mut self.builder).map_err(refused)?;
        self.builder.event(process, line).map_err(refused)?;
        self.clocks.push(host, own, &self.entries, line);
        Ok(process)
    }

    fn finish(mut self, options: &ReadOptions, sequence: bool, budget: &Budget) -> Result<Run, Error> {
        if self.builder.is_empty() && !self.builder.has_mistakes() {
            return Err(self.fields.nothing(self.mapping).into());
        }
        if self.builder.has_mistakes() {
            return self.builder.finish(false, budget).map(|trace| Run { label: None, trace, warnings: Vec::new() });
        }
        let mut warnings = self.fields.warnings(self.mapping);
        warnings.extend(self.unmatched.take());
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
            let builder = &mut self.builder;
            let edge = |from, to| builder.link_because(from, to, Reason::Skew);
            for wrong in skew::link(&chains, skew, budget, edge)? {
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
}

/// A mistake of a clock, where the record has it.
pub(super) fn moved(mut mistake: Box<Mistake>, place: &Range<usize>, inside: bool) -> Box<Mistake> {
    // A clock in a string has its escapes.
    let shifted = place.start + mistake.span.start..place.start + mistake.span.end;
    mistake.span = if inside { shifted } else { place.clone() };
    mistake
}

/// The clocks of a process say another order than its lines.
pub(super) fn out_of_order(name: &str, own: u32, before: u32, place: Range<usize>) -> Box<Mistake> {
    let message = format!("event {own} of `{name}` stands after its event {before}");
    Mistake::new(Kind::Clock, place, message)
        .label("the lines of a process are in another order than its clocks")
        .help("if the lines are not in order, write order = \"clock\"")
}

pub(super) fn too_many_messages() -> Box<Mistake> {
    Mistake::new(Kind::Input, 0..1, "too many messages")
}
