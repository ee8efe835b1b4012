//! From what a file says to a partial order.
//!
//! A reader calls [`Builder::event`] and then says more about that event; references to other events may point
//! anywhere in the file and are resolved by [`Builder::finish`], which refuses dangling references, cycles and clocks
//! that contradict the rest, each with its line.

mod signs;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::assumed::{Contradicted, without_contradictions};
use super::clock::Clocks;
use super::cycle::find_cycle;
use super::edges::{Tables, sorted_in};
use super::event::{Assignment, Attribute, Event, Facts, NONE, Timing, Trace, split_label};
use super::lack::Lack;
use super::linearize;
use super::mistakes::{self, full};
use super::names::OtherNames;
use super::reason::Reason;
use posetta_base::{
    Budget, Diagnostic, Error, EventId, Interner, Kind, Number, Place, ProcessId, Symbol, Value, ValueId, ValueTable,
    VarId,
};

/// A reference to an event that may not have been read yet.
#[derive(Clone, Copy, Debug)]
enum Target {
    /// `<process>.<position>`, the position from 0.
    Position(ProcessId, u32),
    /// An id, interned in `references`.
    Id(Symbol),
    /// Known already.
    Event(EventId),
}

/// A cause of `to`, as `to`'s own line names it. A run may have more of these than events, so they are packed.
#[derive(Clone, Copy, Debug)]
struct PendingCause {
    /// The process of a [`Target::Position`], [`NONE`] for a [`Target::Id`], [`KNOWN`] for a [`Target::Event`].
    process: u32,
    /// The index of a [`Target::Position`], the symbol of a [`Target::Id`], or the event.
    place: u32,
    to: EventId,
    /// The column, and the [`Reason`] in the upper bits.
    column: u32,
}

/// The bits of a [`PendingCause`] that hold its column.
const COLUMN_BITS: u32 = 28;

/// No process has this id: the last but one is never given out.
const KNOWN: u32 = NONE - 1;

impl PendingCause {
    fn new(target: Target, to: EventId, column: usize, reason: Reason) -> Self {
        let (process, place) = match target {
            Target::Position(process, index) => (process.raw(), index),
            Target::Id(symbol) => (NONE, symbol.raw()),
            Target::Event(event) => (KNOWN, event.raw()),
        };
        let column = column.min((1 << COLUMN_BITS) - 1) as u32;
        Self { process, place, to, column: column | u32::from(reason as u8) << COLUMN_BITS }
    }

    fn column(self) -> u32 {
        self.column & ((1 << COLUMN_BITS) - 1)
    }

    fn reason(self) -> Reason {
        Reason::from_raw((self.column >> COLUMN_BITS) as u8)
    }

    fn target(self) -> Target {
        match self.process {
            KNOWN => Target::Event(EventId::from_raw(self.place)),
            NONE => Target::Id(Symbol::from_raw(self.place)),
            process => Target::Position(ProcessId::from_raw(process), self.place),
        }
    }
}

/// An edge on a line of its own: both ends may be missing.
#[derive(Clone, Copy, Debug)]
struct PendingEdge {
    ends: [Target; 2],
    line: u32,
    columns: [u32; 2],
}

#[derive(Clone, Copy, Debug)]
struct PendingClock {
    event: EventId,
    end: u32,
    column: u32,
}

/// Gathers the events of one trace.
#[derive(Debug, Default)]
pub struct Builder {
    events: Vec<Event>,
    chains: Vec<Vec<EventId>>,
    assignments: Vec<Assignment>,
    times: Vec<Option<Number>>,
    /// Bytes behind times that are not small.
    heavy_times: usize,
    attributes: Vec<Attribute>,
    causes: Vec<PendingCause>,
    edges: Vec<PendingEdge>,
    clock_entries: Vec<(ProcessId, u32)>,
    clocks: Vec<PendingClock>,
    processes: Interner,
    variables: Interner,
    symbols: Interner,
    ids: Interner,
    id_events: Vec<EventId>,
    id_columns: Vec<u32>,
    /// Some id looks like `<process>.<index>`, so references of that shape may mean it.
    label_like_ids: bool,
    references: Interner,
    values: ValueTable,
    initial: Vec<Option<ValueId>>,
    /// How many events there were when the variable was last assigned: a second assignment is seen at once.
    assigned_at: Vec<u32>,
    /// How many clocks there were when the process was last counted by one.
    counted_at: Vec<u32>,
    /// Assignments to events that are not the last, in any order.
    late: Vec<(EventId, Assignment)>,
    state_records: bool,
    timing: Option<Timing>,
    other_names: OtherNames,
    /// The processes were declared: there are no others.
    processes_declared: bool,
    /// What processes said between their events, in the order of reading.
    signs: Vec<signs::Sign>,
    sign_weight: usize,
    events_lost: bool,
    /// The [`Symbol`] of each process's group, or [`NONE`]; as far as there are any.
    groups: Vec<u32>,
    nearest_times: bool,
    lacks: Vec<Lack>,
    /// Found while reading; reported together with what `finish` finds.
    diagnostics: Vec<Diagnostic>,
}

/// Edges between events that are known, as (cause, effect). Most runs have no other reason than that the file says so.
#[derive(Debug, Default)]
struct Edges {
    stated: Vec<(EventId, EventId)>,
    others: Vec<(EventId, EventId, Reason)>,
}

/// After this many mistakes of one file the rest is not worth reading.
pub const ENOUGH: usize = 20;

fn place(line: u32, column: u32, width: usize) -> Place {
    Place::line_only(u64::from(line)).column(u64::from(column.max(1))).width(width.max(1) as u64)
}

impl Builder {
    /// An empty trace.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The process with this name, added if it is new.
    ///
    /// # Errors
    /// When all ids are taken; so for every method here that adds something.
    pub fn process(&mut self, name: &str) -> Result<ProcessId, Box<Diagnostic>> {
        let symbol = self.processes.intern(name).filter(|s| s.raw() < KNOWN).ok_or_else(|| full("processes"))?;
        if symbol.index() == self.chains.len() {
            self.chains.push(Vec::new());
            self.counted_at.push(0);
        }
        Ok(ProcessId::from_raw(symbol.raw()))
    }

    /// The variable with this name, added if it is new.
    pub fn variable(&mut self, name: &str) -> Result<VarId, Box<Diagnostic>> {
        let symbol = self.variables.intern(name).ok_or_else(|| full("variables"))?;
        if symbol.index() == self.initial.len() {
            self.initial.push(None);
            self.assigned_at.push(0);
        }
        Ok(VarId::from_raw(symbol.raw()))
    }

    /// Gives a variable a further name, which means it wherever no variable has that name itself.
    pub fn alias(&mut self, name: &str, var: VarId) -> Result<(), Box<Diagnostic>> {
        if self.other_names.add(name, var) { Ok(()) } else { Err(full("names")) }
    }

    /// A name may leave out its beginning up to a dot where that means no other variable.
    pub fn shorten_names(&mut self) {
        self.other_names.shorten = true;
    }

    /// The id of a value.
    pub fn value(&mut self, value: Value) -> Result<ValueId, Box<Diagnostic>> {
        self.values.intern(value).ok_or_else(|| full("values"))
    }

    /// The id of a string value.
    pub fn text(&mut self, text: &str) -> Result<ValueId, Box<Diagnostic>> {
        self.values.text(text).ok_or_else(|| full("values"))
    }

    /// The id of an integer value.
    pub fn integer(&mut self, n: i64) -> Result<ValueId, Box<Diagnostic>> {
        self.values.integer(n).ok_or_else(|| full("values"))
    }

    /// Declares the value of a variable before any event. A second declaration replaces the first and is answered with
    /// `false`; whether that is a mistake depends on the format.
    pub fn declare(&mut self, var: VarId, value: ValueId) -> bool {
        self.initial[var.index()].replace(value).is_none()
    }

    /// The next event of a process.
    pub fn event(&mut self, process: ProcessId, line: u64) -> Result<EventId, Box<Diagnostic>> {
        let event = EventId::new(self.events.len()).ok_or_else(|| full("events"))?;
        let chain = &mut self.chains[process.index()];
        self.events.push(Event {
            process,
            index: chain.len() as u32,
            name: NONE,
            id: NONE,
            line: u32::try_from(line).unwrap_or(u32::MAX),
            assignments_end: self.assignments.len() as u32,
            causes_end: 0,
            effects_end: 0,
        });
        chain.push(event);
        Ok(event)
    }

    fn last(&mut self) -> &mut Event {
        self.events.last_mut().expect("a reader adds an event before it describes it")
    }

    /// The last event assigns `value` to `var`. Answers `false` if it already assigned that variable.
    pub fn assign(&mut self, var: VarId, value: ValueId) -> Result<bool, Box<Diagnostic>> {
        let now = self.events.len() as u32;
        if std::mem::replace(&mut self.assigned_at[var.index()], now) == now {
            return Ok(false);
        }
        self.assignments.push(Assignment { var, value });
        if self.assignments.len() >= NONE as usize {
            return Err(full("assignments"));
        }
        self.last().assignments_end = self.assignments.len() as u32;
        Ok(true)
    }

    /// Names the last event.
    pub fn name(&mut self, name: &str) -> Result<(), Box<Diagnostic>> {
        let symbol = self.symbols.intern(name).ok_or_else(|| full("names"))?;
        self.last().name = symbol.raw();
        Ok(())
    }

    /// Gives the last event an id of its own.
    pub fn id(&mut self, id: &str, column: usize) -> Result<(), Box<Diagnostic>> {
        let symbol = self.ids.intern(id).ok_or_else(|| full("ids"))?;
        let event = EventId::from_raw(self.events.len() as u32 - 1);
        let line = self.last().line;
        if symbol.index() < self.id_events.len() {
            let first = self.events[self.id_events[symbol.index()].index()].line;
            let at = place(line, column as u32, id.chars().count());
            return Err(mistakes::duplicate_id(id, &format!("first given in line {first}"), at).into());
        }
        self.id_events.push(event);
        self.id_columns.push(column as u32);
        self.label_like_ids |= split_label(id).is_some();
        self.last().id = symbol.raw();
        Ok(())
    }

    /// The wall-clock time of the last event.
    pub fn time(&mut self, time: Number) {
        self.times.resize(self.events.len(), None);
        self.heavy_times += time.heap_bytes();
        if let Some(last) = self.times.last_mut() {
            *last = Some(time);
        }
    }

    /// Keeps something the file says about the last event, as JSON text.
    pub fn attribute(&mut self, key: &str, json: &str) -> Result<(), Box<Diagnostic>> {
        let key = self.symbols.intern(key).ok_or_else(|| full("attributes"))?;
        let json = self.symbols.intern(json).ok_or_else(|| full("attributes"))?;
        let event = EventId::from_raw(self.events.len() as u32 - 1);
        self.attributes.push(Attribute { event, key, json });
        Ok(())
    }

    fn target(&mut self, label: &str) -> Result<Target, Box<Diagnostic>> {
        // Causes mostly stand before their effects, and an id is one whatever it looks like.
        if let Some(id) = self.ids.get(label) {
            return Ok(Target::Event(self.id_events[id.index()]));
        }
        // Whether an id or a position is meant is known only at the end; a label of the common shape costs no string.
        if let Some((process, index)) = split_label(label)
            && let Some(process) = self.processes.get(process)
            && let Ok(index) = u32::try_from(index)
        {
            return Ok(Target::Position(ProcessId::from_raw(process.raw()), index - 1));
        }
        Ok(Target::Id(self.references.intern(label).ok_or_else(|| full("references"))?))
    }

    /// The event called `label` is a cause of the last event.
    pub fn cause(&mut self, label: &str, column: usize) -> Result<(), Box<Diagnostic>> {
        self.cause_because(label, column, Reason::Stated)
    }

    /// The same, and why.
    pub fn cause_because(&mut self, label: &str, column: usize, reason: Reason) -> Result<(), Box<Diagnostic>> {
        let target = self.target(label)?;
        let to = EventId::from_raw(self.events.len() as u32 - 1);
        self.causes.push(PendingCause::new(target, to, column, reason));
        Ok(())
    }

    /// The event at position `from.1` (from 0) of process `from.0` is a cause of the other. The columns are those of
    /// the two ends.
    pub fn edge(&mut self, from: (ProcessId, u32), to: (ProcessId, u32), line: u64, columns: [usize; 2]) {
        self.edges.push(PendingEdge {
            ends: [Target::Position(from.0, from.1), Target::Position(to.0, to.1)],
            line: u32::try_from(line).unwrap_or(u32::MAX),
            columns: columns.map(|c| c as u32),
        });
    }

    /// `from`, an event of this builder, is a cause of `to`, another.
    pub fn link_events(&mut self, from: EventId, to: EventId) {
        self.link_because(from, to, Reason::Stated);
    }

    /// The same, and why. Edges that are assumed and contradict what is known are left out by [`Self::finish`] and counted
    /// ([`Trace::contradicted`]).
    pub fn link_because(&mut self, from: EventId, to: EventId, reason: Reason) {
        self.causes.push(PendingCause::new(Target::Event(from), to, 0, reason));
    }

    /// The group of a process: the service whose span it is, say. Reports draw and properties name groups like processes.
    pub fn group(&mut self, process: ProcessId, name: &str) -> Result<(), Box<Diagnostic>> {
        let symbol = self.symbols.intern(name).ok_or_else(|| full("groups"))?;
        self.groups.resize(self.chains.len(), NONE);
        self.groups[process.index()] = symbol.raw();
        Ok(())
    }

    /// The records that the run is read from lack something. What lacks nothing is left out.
    pub fn lacks(&mut self, lack: Lack) {
        self.lacks.extend(Some(lack).filter(|lack| lack.count > 0));
    }

    /// Causes may contradict the clocks of some events through no fault of the others: the observed order is then the run
    /// that comes nearest to the times of the events, the earliest first.
    pub fn keep_nearest_times(&mut self) {
        self.nearest_times = true;
    }

    /// Puts the events of a process into another order than that of the calls of [`Self::event`]. `chain` has the same
    /// events; others are left out of account.
    pub fn rechain(&mut self, process: ProcessId, mut chain: Vec<EventId>) {
        chain.retain(|e| self.events.get(e.index()).is_some_and(|event| event.process == process));
        for (index, event) in chain.iter().enumerate() {
            self.events[event.index()].index = index as u32;
        }
        self.chains[process.index()] = chain;
    }

    /// As [`Self::assign`], of any event of this builder. A variable that the event already assigns is a mistake, told by
    /// [`Self::finish`].
    pub fn assign_to(&mut self, event: EventId, var: VarId, value: ValueId) {
        self.late.push((event, Assignment { var, value }));
    }

    /// As [`Self::attribute`], of any event of this builder.
    pub fn attribute_of(&mut self, event: EventId, key: &str, json: &str) -> Result<(), Box<Diagnostic>> {
        let key = self.symbols.intern(key).ok_or_else(|| full("attributes"))?;
        let json = self.symbols.intern(json).ok_or_else(|| full("attributes"))?;
        self.attributes.push(Attribute { event, key, json });
        Ok(())
    }

    /// Sorts what was said of events that were not the last.
    fn settle(&mut self) -> Result<(), Box<Diagnostic>> {
        if !self.attributes.is_sorted_by_key(|a| a.event) {
            self.attributes.sort_by_key(|a| a.event);
        }
        if self.late.is_empty() {
            return Ok(());
        }
        if self.assignments.len() + self.late.len() >= NONE as usize {
            return Err(full("assignments"));
        }
        let mut late = std::mem::take(&mut self.late);
        late.sort_by_key(|(event, _)| *event);
        let mut late = late.into_iter().peekable();
        let mut all = Vec::with_capacity(self.assignments.len() + late.len());
        let mut start = 0;
        for (at, event) in self.events.iter_mut().enumerate() {
            let end = event.assignments_end as usize;
            let first = all.len();
            all.extend_from_slice(&self.assignments[start..end]);
            start = end;
            while let Some((_, assignment)) = late.next_if(|(event, _)| event.index() == at) {
                if all[first..].iter().any(|a: &Assignment| a.var == assignment.var) {
                    let name = self.variables.resolve(Symbol::from_raw(assignment.var.raw()));
                    let message = format!("`{name}` is assigned twice by one event");
                    return Err(Diagnostic::new(Kind::AssignedTwice, message)
                        .at(Place::line_only(u64::from(event.line)))
                        .into());
                }
                all.push(assignment);
            }
            event.assignments_end = all.len() as u32;
        }
        self.assignments = all;
        Ok(())
    }

    /// The last event has a vector clock; its entries follow through [`Self::clock_entry`].
    pub fn clock(&mut self, column: usize) {
        let event = EventId::from_raw(self.events.len() as u32 - 1);
        self.clocks.push(PendingClock { event, end: self.clock_entries.len() as u32, column: column as u32 });
    }

    /// The last event's clock knows of the first `count` events of a process, which it answers. `false` if it already said so.
    pub fn clock_entry(&mut self, process: &str, count: u32) -> Result<(ProcessId, bool), Box<Diagnostic>> {
        let process = self.process(process)?;
        let now = self.clocks.len() as u32;
        if std::mem::replace(&mut self.counted_at[process.index()], now) == now {
            return Ok((process, false));
        }
        self.clock_entries.push((process, count));
        if self.clock_entries.len() >= NONE as usize {
            return Err(full("clock entries"));
        }
        if let Some(clock) = self.clocks.last_mut() {
            clock.end = self.clock_entries.len() as u32;
        }
        Ok((process, true))
    }

    /// The processes that there are so far are all.
    pub fn close_processes(&mut self) {
        self.processes_declared = true;
    }

    /// The file is a sequence of states; its first record was declared, the rest are events.
    pub fn mark_state_records(&mut self) {
        self.state_records = true;
    }

    /// The states are those of a waveform, which counts its times so.
    pub fn tell_timing(&mut self, timing: Timing) {
        self.timing = Some(timing);
    }

    /// Notes a mistake and goes on. Answers whether reading on is still worth it.
    pub fn report(&mut self, diagnostic: Diagnostic) -> bool {
        self.diagnostics.push(diagnostic);
        self.diagnostics.len() < ENOUGH
    }

    /// An event of the file could not be read, which a reported mistake says. Others may refer to it through no fault
    /// of theirs, so dangling references are not reported any more.
    pub fn lose_event(&mut self) {
        self.events_lost = true;
    }

    /// Whether a mistake was reported.
    #[must_use]
    pub fn has_mistakes(&self) -> bool {
        !self.diagnostics.is_empty()
    }

    /// The name of the process of an event of this builder.
    #[must_use]
    pub fn process_of(&self, event: EventId) -> &str {
        self.process_name(self.events[event.index()].process)
    }

    /// The last event. There is one.
    #[must_use]
    pub fn last_event(&self) -> EventId {
        EventId::from_raw((self.events.len() as u32).saturating_sub(1))
    }

    /// The position of the last event on its process, from 1.
    #[must_use]
    pub fn last_position(&self) -> usize {
        self.events.last().map_or(0, |event| event.index as usize + 1)
    }

    /// How many events there are so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Whether there is no event so far.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// About how many bytes the tables take, for [`Budget::claim`].
    #[must_use]
    pub fn weight(&self) -> u64 {
        (self.events.len() * (size_of::<Event>() + 12)
            + self.assignments.len() * size_of::<Assignment>()
            // Beside the table that they are sorted into.
            + self.late.len() * (size_of::<(EventId, Assignment)>() + size_of::<Assignment>())
            + self.times.len() * size_of::<Number>()
            + self.attributes.len() * size_of::<Attribute>()
            // Sixteen bytes while they are gathered, eight and eight while they are sorted.
            + self.causes.len() * size_of::<PendingCause>()
            + self.edges.len() * (size_of::<PendingEdge>() + 16)
            + self.clock_entries.len() * 8
            + self.clocks.len() * size_of::<PendingClock>()
            + self.heavy_times
            + self.sign_weight
            + self.chains.len() * (size_of::<Vec<EventId>>() + 8)
            + self.values.bytes()
            + self.other_names.bytes()
            + self.ids.len() * 8
            + self.groups.len() * 4
            + [&self.processes, &self.variables, &self.symbols, &self.ids, &self.references]
                .map(Interner::bytes)
                .iter()
                .sum::<usize>()) as u64
    }

    /// The trace. `sequence` says that the format is one sequence of events, so that the order of the lines is the
    /// observed order if it respects happened-before.
    ///
    /// # Errors
    /// With every mistake found, or when the budget is spent.
    pub fn finish(mut self, sequence: bool, budget: &Budget) -> Result<Trace, Error> {
        let claim = budget.claim(self.weight(), "building the run")?;
        self.settle()?;
        let edges = if self.events_lost { Edges::default() } else { self.resolve_edges() };
        if !self.diagnostics.is_empty() {
            return Err(Error::Invalid(self.diagnostics));
        }
        let Tables { causes, effects, reasons } = self.link(edges, budget)?;
        let initial = self.initial_values()?;
        let declared = self.initial.iter().map(Option::is_some).collect();
        let facts = Facts {
            chains: self.chains,
            assignments: self.assignments,
            times: self.times,
            attribute_keys: self.attributes.iter().map(|a| a.key).collect(),
            attributes: self.attributes,
            processes: self.processes,
            variables: self.variables,
            symbols: self.symbols,
            ids: self.ids,
            id_events: self.id_events,
            values: self.values,
            initial,
            declared,
            state_records: self.state_records,
            timing: self.timing,
            parts: Vec::new(),
            other_names: self.other_names,
            processes_declared: self.processes_declared,
            groups: self.groups,
            lacks: self.lacks,
            _claim: claim,
        };
        let mut trace = Trace {
            events: self.events,
            causes,
            effects,
            reasons,
            contradicted: Contradicted::default(),
            lag: None,
            linear: Vec::new(),
            has_observed: false,
            facts: Arc::new(facts),
            projection: None,
            _claim: None,
        };
        check_labels(&trace, &self.id_columns)?;
        match linearize::topological(&trace, budget)? {
            Some(order) => trace.linear = order,
            None => match without_contradictions(&mut trace, budget)? {
                Some(order) => trace.linear = order,
                None => return Err(find_cycle(&trace).into()),
            },
        }
        check_clocks(&trace, &self.clocks, &self.clock_entries, &self.signs, budget)?;
        if let Some((order, lag)) = linearize::by_time(&trace, self.nearest_times) {
            trace.linear = order;
            trace.lag = lag;
            trace.has_observed = true;
        } else {
            // A linear extension in the order of reading is the observed run of a format that is one sequence.
            trace.has_observed = sequence && linearize::reading_order_is_causal(&trace);
        }
        Ok(trace)
    }

    fn locate(&self, target: Target) -> Result<EventId, String> {
        match target {
            Target::Event(event) => Ok(event),
            Target::Position(process, index) => {
                let chain = &self.chains[process.index()];
                // An id that was given later in the file may look like a position.
                if self.label_like_ids {
                    let label = format!("{}.{}", self.process_name(process), index + 1);
                    if let Some(id) = self.ids.get(&label) {
                        return Ok(self.id_events[id.index()]);
                    }
                }
                chain
                    .get(index as usize)
                    .copied()
                    .ok_or_else(|| mistakes::too_few(self.process_name(process), chain.len()))
            }
            Target::Id(symbol) => {
                let label = self.references.resolve(symbol);
                if let Some(id) = self.ids.get(label) {
                    return Ok(self.id_events[id.index()]);
                }
                if let Some((process, index)) = split_label(label) {
                    return match self.processes.get(process) {
                        Some(p) => self.locate(Target::Position(
                            ProcessId::from_raw(p.raw()),
                            u32::try_from(index).unwrap_or(u32::MAX) - 1,
                        )),
                        None => Err(mistakes::no_process(process)),
                    };
                }
                Err(mistakes::NO_SUCH_ID.to_owned())
            }
        }
    }

    fn process_name(&self, process: ProcessId) -> &str {
        self.processes.resolve(Symbol::from_raw(process.raw()))
    }

    fn target_label(&self, target: Target) -> String {
        match target {
            Target::Position(process, index) => format!("{}.{}", self.process_name(process), index + 1),
            Target::Id(symbol) => self.references.resolve(symbol).to_owned(),
            Target::Event(event) => format!("#{}", event.index() + 1),
        }
    }

    /// Every edge between different processes, from `after`, edge lines and clocks, as (cause, effect).
    fn resolve_edges(&mut self) -> Edges {
        let mut missing = Vec::new();
        let mut others = Vec::new();
        // `collect` reuses the memory of the references, and what is left over is given back.
        let mut stated: Vec<(EventId, EventId)> = std::mem::take(&mut self.causes)
            .into_iter()
            .filter_map(|cause| match self.locate(cause.target()) {
                Ok(from) if cause.reason() == Reason::Stated => Some((from, cause.to)),
                Ok(from) => {
                    others.push((from, cause.to, cause.reason()));
                    None
                }
                Err(why) => {
                    if missing.len() < ENOUGH {
                        let line = self.events[cause.to.index()].line;
                        missing.push(self.missing_event(cause.target(), line, cause.column(), why));
                    }
                    None
                }
            })
            .collect();
        stated.shrink_to_fit();
        let mut edges = Edges { stated, others };
        for edge in std::mem::take(&mut self.edges) {
            let ends = edge.ends.map(|end| self.locate(end));
            if let [Ok(from), Ok(to)] = ends {
                edges.stated.push((from, to));
                continue;
            }
            for ((end, target), column) in ends.into_iter().zip(edge.ends).zip(edge.columns) {
                if let Err(why) = end {
                    missing.push(self.missing_event(target, edge.line, column, why));
                }
            }
            if missing.len() >= ENOUGH {
                break;
            }
        }
        self.diagnostics.append(&mut missing);
        self.diagnostics.truncate(ENOUGH);
        if self.diagnostics.len() < ENOUGH {
            self.clock_edges(&mut edges);
        }
        if self.diagnostics.len() < ENOUGH && !self.signs.is_empty() {
            self.sign_edges(&mut edges);
        }
        edges
    }

    fn missing_event(&self, target: Target, line: u32, column: u32, why: String) -> Diagnostic {
        let label = self.target_label(target);
        let at = place(line, column, label.chars().count());
        mistakes::missing_event(&label, why, at)
    }

    /// A clock entry that grew since the process's previous clock is an edge from the last event it counts.
    fn clock_edges(&mut self, edges: &mut Edges) {
        let mut known: FxHashMap<(ProcessId, ProcessId), u32> = FxHashMap::default();
        let mut start = 0;
        for clock in &self.clocks {
            let entries = &self.clock_entries[start..clock.end as usize];
            start = clock.end as usize;
            let event = self.events[clock.event.index()];
            for &(process, count) in entries {
                if process == event.process || count == 0 {
                    continue;
                }
                let before = known.entry((event.process, process)).or_insert(0);
                if count <= *before {
                    continue; // Regressions surface when the clocks are compared with the closed order.
                }
                *before = count;
                match self.chains[process.index()].get(count as usize - 1) {
                    Some(&cause) => edges.others.push((cause, clock.event, Reason::Clock)),
                    None => {
                        let name = self.processes.resolve(Symbol::from_raw(process.raw()));
                        let have = self.chains[process.index()].len();
                        let at = place(event.line, clock.column, 1);
                        self.diagnostics.push(mistakes::clock_of_missing(name, count, have, at));
                    }
                }
                if self.diagnostics.len() >= ENOUGH {
                    return;
                }
            }
        }
    }

    /// Sorts the edges into causes and effects per event, each once, those inside a process left out if they follow
    /// its order. One that runs against it makes a cycle, which is kept for [`find_cycle`]. Reasons come with the causes, unless
    /// all edges are stated.
    fn link(&mut self, mut edges: Edges, budget: &Budget) -> Result<Tables, Error> {
        let events = &self.events;
        let is_kept = |from: EventId, to: EventId| {
            let (a, b) = (events[from.index()], events[to.index()]);
            a.process != b.process || a.index >= b.index
        };
        edges.stated.retain(|&(from, to)| is_kept(from, to));
        edges.others.retain(|&(from, to, _)| is_kept(from, to));
        if edges.stated.len() + edges.others.len() >= NONE as usize {
            return Err(full("edges").into());
        }
        budget.step((edges.stated.len() + edges.others.len()) as u64, "building the run")?;
        if edges.others.is_empty() {
            let mut stated = edges.stated;
            stated.sort_unstable_by_key(|&(from, to)| (to, from));
            stated.dedup();
            let (causes, effects) = sorted_in(&mut self.events, stated.iter().copied());
            return Ok(Tables { causes, effects, reasons: Vec::new() });
        }
        let mut all = edges.others;
        all.extend(edges.stated.into_iter().map(|(from, to)| (from, to, Reason::Stated)));
        all.sort_unstable_by_key(|&(from, to, reason)| (to, from, reason));
        all.dedup_by_key(|&mut (from, to, _)| (from, to));
        let (causes, effects) = sorted_in(&mut self.events, all.iter().map(|&(from, to, _)| (from, to)));
        Ok(Tables { causes, effects, reasons: all.iter().map(|&(.., reason)| reason).collect() })
    }

    /// Declared values; else `""` for a variable that only ever takes strings, else 0.
    fn initial_values(&mut self) -> Result<Vec<ValueId>, Box<Diagnostic>> {
        let mut takes = vec![(false, false); self.initial.len()];
        for a in &self.assignments {
            let seen = &mut takes[a.var.index()];
            if self.values.get(a.value).is_text() {
                seen.0 = true;
            } else {
                seen.1 = true;
            }
        }
        let mut initial = Vec::with_capacity(takes.len());
        for (declared, (text, number)) in self.initial.iter().zip(takes) {
            initial.push(match declared {
                Some(value) => *value,
                None if text && !number => {
                    self.values.intern(Value::Text(String::new())).ok_or_else(|| full("values"))?
                }
                None => self.values.intern(Value::Number(Number::ZERO)).ok_or_else(|| full("values"))?,
            });
        }
        Ok(initial)
    }
}

/// An id must not be what another event, which has none, is called by default.
fn check_labels(trace: &Trace, columns: &[u32]) -> Result<(), Error> {
    for ((id, &event), &column) in trace.facts.ids.iter().zip(&trace.facts.id_events).zip(columns) {
        let Some((process, index)) = split_label(id) else { continue };
        let Some(process) = trace.find_process(process) else { continue };
        let Some(&other) = trace.chain(process).get(index - 1) else { continue };
        if other != event && trace.own_id(other).is_none() {
            let at = place(trace.line(event) as u32, column, id.chars().count());
            let other = mistakes::event_of(trace.line(other), index, trace.process_name(process));
            return Err(mistakes::id_means_another(id, &other, at).into());
        }
    }
    Ok(())
}

/// What a given clock says must be what the closed order computes.
///
/// An entry that is left out says "none" as far as clocks can know: the direct causes of the event, and the clocks of the
/// events that it does count, must not tell otherwise. What it may lack is knowledge that came through events without a
/// clock, which whoever kept the clocks never saw. In a file where every event has one, left out means 0.
fn check_clocks(
    trace: &Trace,
    clocks: &[PendingClock],
    entries: &[(ProcessId, u32)],
    signs: &[signs::Sign],
    budget: &Budget,
) -> Result<(), Error> {
    if clocks.is_empty() && signs.is_empty() {
        return Ok(());
    }
    let closed = Clocks::compute(trace, budget)?;
    let given = GivenClocks { clocks, entries };
    let mut found = Vec::new();
    let mut row: Vec<Option<u32>> = vec![None; trace.process_count()];
    for (at, clock) in clocks.iter().enumerate() {
        let event = clock.event;
        let own = trace.process(event);
        row.fill(None);
        for &(process, count) in given.entries(at) {
            row[process.index()] = Some(count);
        }
        let order = std::iter::once(own).chain(trace.processes().filter(|&p| p != own));
        for process in order {
            let is = closed.count(event, process);
            let said = row[process.index()];
            let fine = match said {
                Some(count) => count == is,
                None => process != own && (is == 0 || !given.should_know(trace, at, process)),
            };
            if fine {
                continue;
            }
            let name = trace.process_name(process);
            let says = said.unwrap_or(0);
            let why =
                if process == own { mistakes::own_entry(says, is, name) } else { mistakes::says_but(says, name, is) };
            let whose = format!("`{}`", trace.label(event));
            found.push(mistakes::clock_disagrees(&whose, &why, place(trace.line(event) as u32, clock.column, 1)));
            break;
        }
        if found.len() >= ENOUGH {
            break;
        }
    }
    if !found.is_empty() {
        return Err(Error::Invalid(found));
    }
    signs::check_clocks(trace, signs, &given, &closed, budget)
}

/// The clocks of a file, in the order of reading.
struct GivenClocks<'a> {
    clocks: &'a [PendingClock],
    entries: &'a [(ProcessId, u32)],
}

impl GivenClocks<'_> {
    fn entries(&self, at: usize) -> &[(ProcessId, u32)] {
        let start = if at == 0 { 0 } else { self.clocks[at - 1].end };
        &self.entries[start as usize..self.clocks[at].end as usize]
    }

    fn entry(&self, at: usize, process: ProcessId) -> Option<u32> {
        self.entries(at).iter().find(|(p, _)| *p == process).map(|(_, count)| *count)
    }

    /// Whether the clock, which has no entry for the process, should have one: a direct cause is of that process, or an
    /// event that the clock counts, or the one before on its own process, has a clock with such an entry.
    fn should_know(&self, trace: &Trace, at: usize, process: ProcessId) -> bool {
        let event = self.clocks[at].event;
        let before = trace.position(event).checked_sub(1).map(|i| trace.chain(trace.process(event))[i]);
        let counted = self.entries(at).iter().filter(|(p, count)| *count > 0 && *p != trace.process(event));
        let sources = counted.filter_map(|&(p, count)| trace.chain(p).get(count as usize - 1).copied()).chain(before);
        trace.causes(event).iter().any(|&cause| trace.process(cause) == process)
            || sources.into_iter().any(|source| self.knows_of(source, process))
    }

    /// Whether an event has a clock that counts events of a process.
    fn knows_of(&self, event: EventId, process: ProcessId) -> bool {
        let clock = self.clocks.binary_search_by_key(&event, |c| c.event);
        clock.is_ok_and(|at| self.entry(at, process).is_some_and(|count| count > 0))
    }
}
