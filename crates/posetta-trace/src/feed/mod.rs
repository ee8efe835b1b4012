//! A run while it happens: events one after another, each after its causes.
//!
//! A reader tells a [`Feed`] what a line says, as it would tell a [`Builder`](super::Builder), and then lets it
//! [advance](Feed::advance): the feed hands on [`Arrival`]s and keeps of the past only what later events can ask for.
//! [`Frontier`] is what is known about events that have not come yet.
//!
//! A record whose causes have not all come waits, and so does every later one of its process: each process has a queue, whose
//! head waits for one event at a time ([`Want`]). What arrives wakes the heads that wait for it; they are worked off from a
//! list, never by recursion. The heads and what they wait for make a graph with one way out of each process, so a cycle
//! is seen when it closes.
//!
//! `trace/feed/past.rs` has the clocks that are kept, `ids.rs` the ids, `record.rs` what a line says.

mod frontier;
mod ids;
mod past;
mod record;
mod wait;

use std::collections::VecDeque;
use std::ops::ControlFlow;

pub use frontier::Frontier;

use super::event::split_label;
use super::lack::Lack;
use super::mistakes::{self, full};
use ids::Ids;
use past::Past;
use posetta_base::{Attributes, Diagnostic, Error, Interner, Place, ProcessId, Symbol, Value, VarId, WantedAttributes};
use record::{Cause, EntryKind, Record, Target};
use rustc_hash::FxHashMap;
use wait::Want;

/// What an event gives a variable.
#[derive(Clone, Debug)]
pub struct Assigned<'a> {
    /// The variable: the same number for the same name.
    pub var: VarId,
    /// Its name.
    pub name: &'a str,
    /// Its value from this event on.
    pub value: &'a Value,
}

/// An event all of whose causes have come.
#[derive(Clone, Debug)]
pub struct Arrival<'a> {
    /// Its process.
    pub process: ProcessId,
    /// The name of its process.
    pub process_name: &'a str,
    /// How many events of each process are this one or happened before it; past the end of the list none. Its own entry is its
    /// position, from 1.
    pub clock: &'a [u32],
    /// Its name.
    pub name: Option<&'a str>,
    /// What it assigns, each variable once.
    pub assigned: &'a [Assigned<'a>],
    /// The attributes that somebody [asked for](Feed::want).
    pub attributes: Attributes<'a>,
    /// The line it was read from.
    pub line: u64,
}

/// What a feed hands on.
#[derive(Debug)]
pub enum Heard<'a> {
    /// What was declared before anything else; the first that is heard, once.
    Start {
        /// Values of variables before any event.
        initial: &'a [(String, Value)],
        /// All processes, if they are declared.
        processes: Option<&'a [String]>,
    },
    /// An event. The frontier knows of it already.
    Event(Arrival<'a>),
    /// A process is alive, or has ended, which the frontier knows; by the record in this line.
    Sign {
        /// The line it was read from.
        line: u64,
    },
    /// A value before any event that was declared after the first.
    Late {
        /// The variable.
        name: &'a str,
        /// Its value before any event.
        value: &'a Value,
        /// The line it was read from.
        line: u64,
    },
}

/// Who holds things back: what it does not know of yet cannot be forgotten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Laggard<'a> {
    /// The process.
    pub process: &'a str,
    /// The line of the last record of it, if there is any.
    pub line: Option<u64>,
    /// How many events of all have come that it does not know of.
    pub behind: u64,
}

/// What is known of a process.
#[derive(Debug, Default)]
struct Lane {
    /// How many of its events have been read.
    read: u32,
    /// How many of its events have been handed on.
    arrived: u32,
    /// What waits. Invariant: `wants` says for what, unless the process is on the list of the woken.
    queue: VecDeque<Record>,
    wants: Option<Want>,
    /// Whose heads wait for which position of this process.
    awaited: Vec<(u32, ProcessId)>,
    /// The processes whose events the signs of life since its last event have named.
    carried: Vec<ProcessId>,
    /// The line of its last record; 0 before the first.
    line: u64,
}

/// Orders the records of a live run, and gives each event its clock.
#[derive(Debug, Default)]
pub struct Feed {
    processes: Interner,
    lanes: Vec<Lane>,
    variables: Interner,
    initial: Vec<(String, Value)>,
    /// Values that were declared after the start, and are not handed on yet.
    late: Vec<(VarId, Value, u64)>,
    declared: Option<Vec<String>>,
    frontier: Frontier,
    ids: Ids,
    /// Some id looks like `<process>.<index>`.
    label_like_ids: bool,
    past: Past,
    /// The record that is being told; `filled` if there is one.
    current: Record,
    filled: bool,
    started: bool,
    /// How many records and clocks were begun, to see at once what is assigned or counted twice.
    begun: u64,
    assigned_at: Vec<u64>,
    counted_at: Vec<u64>,
    /// Whose heads wait for an event that has not been read.
    labels: FxHashMap<Box<str>, Vec<ProcessId>>,
    woken: Vec<ProcessId>,
    waiting: usize,
    waiting_bytes: usize,
    /// The records are states.
    states: bool,
    frontier_cells: usize,
    events: u64,
    /// The clock of a record, by process; [`UNSAID`] where it says nothing.
    said: Vec<u32>,
    wanted: WantedAttributes,
    /// Events that waited in vain for one with a mark.
    unmarked: Option<Lack>,
    diagnostics: Vec<Diagnostic>,
}

const UNSAID: u32 = u32::MAX;

fn place(line: u64, column: u32, width: usize) -> Place {
    Place::line_only(line).column(u64::from(column.max(1))).width(width.max(1) as u64)
}

impl Feed {
    /// Nothing has been read.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The process with this name, added if it is new.
    ///
    /// # Errors
    /// When all ids are taken; so for every method here that adds something.
    pub fn process(&mut self, name: &str) -> Result<ProcessId, Box<Diagnostic>> {
        let symbol = self.processes.intern(name).ok_or_else(|| full("processes"))?;
        let process = ProcessId::from_raw(symbol.raw());
        if symbol.index() == self.lanes.len() {
            self.lanes.push(Lane::default());
            self.counted_at.push(0);
            self.frontier.enter(process);
            self.past.enter(process);
        }
        Ok(process)
    }

    /// The processes so far are all there will be.
    pub fn close_processes(&mut self) {
        let mut frontier = Frontier::new(true);
        (0..self.lanes.len() as u32).for_each(|p| frontier.enter(ProcessId::from_raw(p)));
        self.frontier = frontier;
        self.declared = Some(self.processes.iter().map(str::to_owned).collect());
    }

    /// The variable with this name, added if it is new.
    pub fn variable(&mut self, name: &str) -> Result<VarId, Box<Diagnostic>> {
        let symbol = self.variables.intern(name).ok_or_else(|| full("variables"))?;
        if symbol.index() == self.assigned_at.len() {
            self.assigned_at.push(0);
        }
        Ok(VarId::from_raw(symbol.raw()))
    }

    /// Declares the value of a variable before any event, which was not declared before.
    pub fn declare(&mut self, var: VarId, value: Value, line: u64) {
        if self.started {
            self.late.push((var, value, line));
        } else {
            self.initial.push((self.variable_name(var).to_owned(), value));
        }
    }

    /// Begins an event of a process. What else is to be said of it follows.
    pub fn event(&mut self, process: ProcessId, line: u64) -> Result<(), Box<Diagnostic>> {
        if self.lanes[process.index()].read >= u32::MAX - 1 {
            return Err(full("events"));
        }
        self.current.begin(process, line);
        self.filled = true;
        self.begun += 1;
        Ok(())
    }

    /// It is no event but a sign of life, or, if it `ends`, the last of its process.
    pub fn heartbeat(&mut self, ends: bool) {
        self.current.kind = if ends { EntryKind::End } else { EntryKind::Heartbeat };
    }

    /// The event assigns a value. Answers `false` if it already assigned that variable.
    pub fn assign(&mut self, var: VarId, value: Value) -> bool {
        let new = std::mem::replace(&mut self.assigned_at[var.index()], self.begun) != self.begun;
        if new {
            self.current.assigned.push((var, value));
        }
        new
    }

    /// Somebody asks for these attributes of events.
    pub fn want(&mut self, attributes: WantedAttributes) {
        self.wanted = attributes;
    }

    /// The event has an attribute, a JSON text.
    pub fn attribute(&mut self, key: &str, json: &str) {
        if !self.wanted.is_empty() {
            self.wanted.take(key, json, &mut self.current.attributes);
        }
    }

    /// Names the event.
    pub fn name(&mut self, name: &str) {
        self.current.named = true;
        self.current.name.clear();
        self.current.name.push_str(name);
    }

    /// Gives the event an id of its own.
    pub fn id(&mut self, id: &str, column: usize) -> Result<(), Box<Diagnostic>> {
        if let Some((process, position)) = self.ids.get(id) {
            let first = match self.line_of(process, position) {
                Some(line) => format!("first given in line {line}"),
                None => format!("first given by event {position} of process {}", self.process_name(process)),
            };
            let at = place(self.current.line, column as u32, id.chars().count());
            return Err(mistakes::duplicate_id(id, &first, at).into());
        }
        self.current.id_column = Some(column as u32);
        self.current.id.clear();
        self.current.id.push_str(id);
        Ok(())
    }

    /// The event called `label` is a cause.
    pub fn cause(&mut self, label: &str, column: usize) {
        let target = match self.find(label) {
            Some((process, position)) => Target::Event(process, position),
            None => Target::Label(label.into()),
        };
        self.current.causes.push(Cause { target, column: column as u32 });
    }

    /// Others may come [after](Self::after_mark) this event by this mark, which no other event has.
    pub fn mark(&mut self, mark: &str) {
        self.current.marks.push(mark.into());
    }

    /// The event comes after the one with a mark, if there is any: it waits for that, at most until the end.
    pub fn after_mark(&mut self, mark: &str) {
        self.current.causes.push(Cause { target: Target::Mark(mark.into()), column: 1 });
    }

    /// No event comes after another by a mark that begins so, whoever waits for it. It must not have been let through after one.
    pub fn drop_marks(&mut self, prefix: &str) {
        self.release(Some(prefix));
    }

    /// The events that came after no event by a mark, because none had it when the stream ended.
    #[must_use]
    pub fn unmarked(&self) -> Option<&Lack> {
        self.unmarked.as_ref().filter(|lack| lack.count > 0)
    }

    /// The event has a vector clock; its entries follow.
    pub fn clock(&mut self, column: usize) {
        self.current.clock_column = Some(column as u32);
    }

    /// The clock knows of the first `count` events of a process, which it answers. `false` if it already said so.
    pub fn clock_entry(&mut self, process: &str, count: u32) -> Result<(ProcessId, bool), Box<Diagnostic>> {
        let process = self.process(process)?;
        let new = std::mem::replace(&mut self.counted_at[process.index()], self.begun) != self.begun;
        if new {
            self.current.entries.push((process, count));
        }
        Ok((process, new))
    }

    /// Notes a mistake. Answers whether there is room for more.
    pub fn report(&mut self, diagnostic: Diagnostic) -> bool {
        self.diagnostics.push(diagnostic);
        self.diagnostics.len() < super::ENOUGH
    }

    /// Whether a mistake was noted.
    #[must_use]
    pub fn has_mistakes(&self) -> bool {
        !self.diagnostics.is_empty()
    }

    /// The mistakes that were noted.
    pub fn take_mistakes(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.diagnostics)
    }

    /// The record that was told is complete: hands on what can be handed on now. `each` says whether to go on.
    ///
    /// # Errors
    /// With mistakes in the order of events, and with what `each` fails with.
    pub fn advance(
        &mut self,
        each: &mut impl FnMut(Heard<'_>, &Feed) -> Result<ControlFlow<()>, Error>,
    ) -> Result<ControlFlow<()>, Error> {
        for (var, value, line) in std::mem::take(&mut self.late) {
            let late = Heard::Late { name: self.variable_name(var), value: &value, line };
            if each(late, self)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        if !std::mem::take(&mut self.filled) {
            return Ok(ControlFlow::Continue(()));
        }
        if self.start(each)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
        let mut record = std::mem::take(&mut self.current);
        self.register(&mut record)?;
        let process = record.process;
        if !self.lanes[process.index()].queue.is_empty() {
            self.put_behind(record)?;
        } else if let Some(want) = self.unmet(&mut record) {
            self.put_behind(record)?;
            self.wait(process, want)?;
        } else {
            let flow = self.hand_on(&mut record, each)?;
            self.current = record;
            if flow.is_break() {
                return Ok(flow);
            }
        }
        self.work_off_woken(each)
    }

    /// Those who wait look again at what they lack.
    fn work_off_woken(
        &mut self,
        each: &mut impl FnMut(Heard<'_>, &Feed) -> Result<ControlFlow<()>, Error>,
    ) -> Result<ControlFlow<()>, Error> {
        while let Some(process) = self.woken.pop() {
            if self.work_off(process, each)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// The stream has ended.
    ///
    /// # Errors
    /// When something waits for an event that never came; and with what `each` fails with.
    pub fn finish(
        &mut self,
        each: &mut impl FnMut(Heard<'_>, &Feed) -> Result<ControlFlow<()>, Error>,
    ) -> Result<(), Error> {
        let _ = self.start(each)?;
        if self.waiting > 0 {
            self.unmarked = Some(self.unmarked_events());
            self.release(None);
            if self.work_off_woken(each)?.is_break() {
                return Ok(());
            }
        }
        if self.waiting == 0 { Ok(()) } else { Err(Error::Invalid(self.never_came())) }
    }

    fn start(
        &mut self,
        each: &mut impl FnMut(Heard<'_>, &Feed) -> Result<ControlFlow<()>, Error>,
    ) -> Result<ControlFlow<()>, Error> {
        if std::mem::replace(&mut self.started, true) {
            return Ok(ControlFlow::Continue(()));
        }
        let start = Heard::Start { initial: &self.initial, processes: self.declared.as_deref() };
        each(start, self)
    }

    /// Gives a record its position and makes its names known.
    fn register(&mut self, record: &mut Record) -> Result<(), Error> {
        let lane = &mut self.lanes[record.process.index()];
        lane.line = record.line;
        lane.read += u32::from(record.kind == EntryKind::Event);
        record.position = lane.read;
        if record.clock_column.is_some() {
            self.check_own_entry(record)?;
        }
        if record.kind != EntryKind::Event {
            return Ok(());
        }
        let here = (record.process, record.position);
        let position = record.position as usize;
        match record.id_column {
            None if self.label_like_ids => {
                let label = self.label(record.process, record.position);
                if let Some(other) = self.ids.get(&label).filter(|&other| other != here) {
                    let line = self.line_of(other.0, other.1).unwrap_or(record.line);
                    let this = mistakes::event_of(record.line, position, self.process_name(record.process));
                    return Err(mistakes::id_means_another(&label, &this, place(line, 1, 1)).into());
                }
            }
            None => {}
            Some(column) => {
                self.check_id(record, column)?;
                self.label_like_ids |= split_label(&record.id).is_some();
                self.ids.add(&record.id, record.process, record.position);
                if let Some(waiting) = self.labels.remove(record.id.as_str()) {
                    self.wake(waiting);
                }
            }
        }
        for mark in record.marks.drain(..) {
            self.ids.add(&mark, record.process, record.position);
            if let Some(waiting) = self.labels.remove(&mark) {
                self.wake(waiting);
            }
        }
        if !self.labels.is_empty() {
            let label = self.label(record.process, record.position);
            if let Some(waiting) = self.labels.remove(label.as_str()) {
                self.wake(waiting);
            }
        }
        Ok(())
    }

    /// An id must not be what another event is called by default, if that has come: it may have been called so.
    fn check_id(&self, record: &Record, column: u32) -> Result<(), Error> {
        let Some((process, index)) = split_label(&record.id) else { return Ok(()) };
        let Some(process) = self.find_process(process) else { return Ok(()) };
        let Some(other) = u32::try_from(index).ok().filter(|&i| i <= self.lanes[process.index()].read) else {
            return Ok(());
        };
        if (process, other) == (record.process, record.position) {
            return Ok(());
        }
        let name = self.process_name(process);
        let other = match self.line_of(process, other) {
            Some(line) => mistakes::event_of(line, index, name),
            None => format!("it is the event {index} of process {name}"),
        };
        Err(mistakes::id_means_another(&record.id, &other, place(record.line, column, record.id.chars().count()))
            .into())
    }

    /// The first thing that a record lacks.
    fn unmet(&self, record: &mut Record) -> Option<Want> {
        for (i, cause) in record.causes.iter_mut().enumerate() {
            if let Target::Label(label) = &cause.target {
                match self.find(label) {
                    Some((process, position)) => cause.target = Target::Event(process, position),
                    None => return Some(Want::Label(i)),
                }
            }
            if let Target::Mark(mark) = &cause.target {
                match self.ids.get(mark) {
                    Some((process, position)) => cause.target = Target::Event(process, position),
                    None => return Some(Want::Label(i)),
                }
            }
            if let Target::Event(process, position) = cause.target
                && self.lanes[process.index()].arrived < position
            {
                return Some(Want::Event(process, position));
            }
        }
        let lacks = |&(process, count): &(ProcessId, u32)| {
            process != record.process && self.lanes[process.index()].arrived < count
        };
        record.entries.iter().copied().find(lacks).map(|(process, count)| Want::Counted(process, count))
    }

    /// Hands on a record that lacks nothing.
    fn hand_on(
        &mut self,
        record: &mut Record,
        each: &mut impl FnMut(Heard<'_>, &Feed) -> Result<ControlFlow<()>, Error>,
    ) -> Result<ControlFlow<()>, Error> {
        let process = record.process;
        let clock = self.close_clock(record);
        if record.clock_column.is_some() {
            self.check_clock(record, &clock)?;
        }
        let known_before = self.frontier.known(process).len();
        self.frontier.learn(process, &clock);
        self.frontier_cells += self.frontier.known(process).len() - known_before;
        if record.kind != EntryKind::Event {
            self.past.reuse(clock);
            let named = record.causes.iter().filter_map(|cause| match cause.target {
                Target::Event(other, _) => Some(other),
                Target::Label(_) | Target::Mark(_) | Target::Nothing => None,
            });
            let named = named.chain(record.entries.iter().map(|(other, _)| *other)).filter(|&other| other != process);
            let lane = &mut self.lanes[process.index()];
            lane.carried.extend(named);
            lane.carried.sort_unstable();
            lane.carried.dedup();
            if record.kind == EntryKind::End {
                self.frontier.end(process);
            }
            self.past.forget(&self.frontier);
            return each(Heard::Sign { line: record.line }, self);
        }
        let lane = &mut self.lanes[process.index()];
        lane.carried.clear();
        lane.arrived += 1;
        self.events += 1;
        let assigned: Vec<Assigned<'_>> = record
            .assigned
            .iter()
            .map(|(var, value)| Assigned { var: *var, name: self.variable_name(*var), value })
            .collect();
        let arrival = Arrival {
            process,
            process_name: self.process_name(process),
            clock: &clock,
            name: record.named.then_some(record.name.as_str()),
            assigned: &assigned,
            attributes: record.attributes.of(&self.wanted),
            line: record.line,
        };
        let flow = each(Heard::Event(arrival), self)?;
        let given = record.clock_column.map(|_| &record.entries[..]);
        self.past.add(process, clock, given, record.line);
        self.past.forget(&self.frontier);
        self.arrived(process);
        Ok(flow)
    }

    /// The clock of a record: what its process knew, and what its causes knew.
    fn close_clock(&mut self, record: &Record) -> Vec<u32> {
        let own = record.process.index();
        let mut clock = self.past.clock();
        clock.extend_from_slice(self.frontier.known(record.process));
        if clock.len() <= own {
            clock.resize(own + 1, 0);
        }
        let named = record.causes.iter().filter_map(|cause| match cause.target {
            Target::Event(process, position) => Some((process, position)),
            Target::Label(_) | Target::Mark(_) | Target::Nothing => None,
        });
        for (process, position) in named.chain(record.entries.iter().copied()) {
            // What the process knows already, or is itself, adds nothing; neither does what is forgotten.
            if process == record.process || clock.get(process.index()).is_some_and(|&known| known >= position) {
                continue;
            }
            let Some(held) = self.past.get(process, position) else { continue };
            if clock.len() < held.clock.len() {
                clock.resize(held.clock.len(), 0);
            }
            clock.iter_mut().zip(&held.clock).for_each(|(known, &count)| *known = (*known).max(count));
        }
        clock[own] = record.position;
        clock
    }

    fn check_own_entry(&self, record: &Record) -> Result<(), Error> {
        let says = record.entries.iter().find(|(process, _)| *process == record.process).map_or(0, |(_, count)| *count);
        if says == record.position {
            return Ok(());
        }
        let name = self.process_name(record.process);
        let why = match record.kind {
            EntryKind::Event => mistakes::own_entry(says, record.position, name),
            EntryKind::Heartbeat | EntryKind::End => mistakes::own_entry_of_sign(says, record.position as usize, name),
        };
        Err(self.clock_mistake(record, &why).into())
    }

    /// What the clock of a record says must be what the closed order computes, as `Builder::finish` has it.
    fn check_clock(&mut self, record: &Record, clock: &[u32]) -> Result<(), Error> {
        let mut said = std::mem::take(&mut self.said);
        said.clear();
        said.resize(self.lanes.len(), UNSAID);
        record.entries.iter().for_each(|&(process, count)| said[process.index()] = count);
        let wrong = (0..said.len()).find(|&i| {
            let is = clock.get(i).copied().unwrap_or(0);
            let process = ProcessId::from_raw(i as u32);
            said[i] != is
                && process != record.process
                && (said[i] != UNSAID || (is > 0 && self.should_know(record, process)))
        });
        let mistake = wrong.map(|i| {
            let is = clock.get(i).copied().unwrap_or(0);
            let says = if said[i] == UNSAID { 0 } else { said[i] };
            let why = mistakes::says_but(says, self.process_name(ProcessId::from_raw(i as u32)), is);
            self.clock_mistake(record, &why)
        });
        self.said = said;
        mistake.map_or(Ok(()), |mistake| Err(mistake.into()))
    }

    /// Whether the clock of a record, which says nothing of a process, should: a cause that it names is of that process, or
    /// an event that the clock counts, or the one before on its own process, has a clock that counts events of it.
    fn should_know(&self, record: &Record, process: ProcessId) -> bool {
        let names = |cause: &Cause| matches!(cause.target, Target::Event(other, _) if other == process);
        let before = record.position - u32::from(record.kind == EntryKind::Event);
        let counted = record.entries.iter().copied().filter(|(other, _)| *other != record.process);
        record.causes.iter().any(names)
            || self.lanes[record.process.index()].carried.binary_search(&process).is_ok()
            || counted
                .chain(std::iter::once((record.process, before)))
                .filter_map(|(other, position)| self.past.get(other, position))
                .any(|held| held.knows_of(process))
    }

    fn clock_mistake(&self, record: &Record, why: &str) -> Diagnostic {
        let whose = match record.kind {
            EntryKind::Event if record.id_column.is_some() => format!("`{}`", record.id),
            EntryKind::Event => format!("`{}`", self.label(record.process, record.position)),
            EntryKind::Heartbeat | EntryKind::End => format!("a heartbeat of `{}`", self.process_name(record.process)),
        };
        mistakes::clock_disagrees(&whose, why, place(record.line, record.clock_column.unwrap_or(1), 1))
    }

    /// The event that a label means, if it has been read: an id, whatever it looks like, or a position.
    fn find(&self, label: &str) -> Option<(ProcessId, u32)> {
        if let Some(event) = self.ids.get(label) {
            return Some(event);
        }
        let (process, index) = split_label(label)?;
        let process = self.find_process(process)?;
        let position = u32::try_from(index).ok()?;
        (position <= self.lanes[process.index()].read).then_some((process, position))
    }

    fn find_process(&self, name: &str) -> Option<ProcessId> {
        self.processes.get(name).map(|symbol| ProcessId::from_raw(symbol.raw()))
    }

    fn process_name(&self, process: ProcessId) -> &str {
        self.processes.resolve(Symbol::from_raw(process.raw()))
    }

    fn variable_name(&self, var: VarId) -> &str {
        self.variables.resolve(Symbol::from_raw(var.raw()))
    }

    fn label(&self, process: ProcessId, position: u32) -> String {
        format!("{}.{position}", self.process_name(process))
    }

    /// The line of an event, if it is remembered or waits.
    fn line_of(&self, process: ProcessId, position: u32) -> Option<u64> {
        let of_event = |record: &&Record| record.kind == EntryKind::Event && record.position == position;
        let waiting = || self.lanes[process.index()].queue.iter().find(of_event).map(|record| record.line);
        self.past.get(process, position).map(|held| held.line).or_else(waiting)
    }

    /// What is known about events that have not come yet.
    #[must_use]
    pub fn frontier(&self) -> &Frontier {
        &self.frontier
    }

    /// The records are a sequence of states, of one process.
    pub fn mark_state_records(&mut self) {
        self.states = true;
        self.close_processes();
    }

    /// Whether the records are a sequence of states, so that there is one order.
    #[must_use]
    pub fn has_state_records(&self) -> bool {
        self.states
    }

    /// How many events were handed on.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.events
    }

    /// How many records wait for a cause.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.waiting
    }

    /// How many events are kept: those that wait, and those that later ones may be compared with.
    #[must_use]
    pub fn held(&self) -> usize {
        self.past.len() + self.waiting
    }

    /// About how many bytes it takes, for [`Budget::claim`](posetta_base::Budget::claim).
    #[must_use]
    pub fn weight(&self) -> u64 {
        (self.past.bytes()
            + self.waiting_bytes
            + self.ids.bytes()
            + 4 * self.frontier_cells
            + self.lanes.len() * (size_of::<Lane>() + 48)
            + self.assigned_at.len() * 8
            + self.processes.bytes()
            + self.variables.bytes()) as u64
    }

    /// The process that knows of the fewest events, if it can still have any.
    #[must_use]
    pub fn laggard(&self) -> Option<Laggard<'_>> {
        let mut last = None;
        for (i, lane) in self.lanes.iter().enumerate() {
            let process = ProcessId::from_raw(i as u32);
            if self.frontier.has_ended(process) {
                continue;
            }
            let known = self.frontier.known(process).iter().map(|&count| u64::from(count)).sum::<u64>();
            if last.is_none_or(|(least, _, _)| known < least) {
                last = Some((known, process, lane.line));
            }
        }
        let (known, process, line) = last?;
        let line = Some(line).filter(|&line| line > 0);
        Some(Laggard { process: self.process_name(process), line, behind: self.events - known })
    }
}
