//! The data of a trace.
//!
//! Events lie in one table in the order of reading, with the ends of their assignments, causes and effects in three
//! flat arrays: 40 bytes an event, 8 an assignment, 8 an edge (9 if the edges of the run have different reasons). Times and attributes have tables only when a file has
//! any. `causes` and `effects` hold direct edges between *different* processes; the order inside a process is that of
//! its chain and is not repeated there. What does not depend on edges is shared between a run and the same run with more of
//! them ([`Facts`]).

use std::fmt;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::assumed::Contradicted;
use super::lack::Lack;
use super::names::OtherNames;
use super::project::Projection;
use super::reason::Reason;
use posetta_base::{
    Claim, EventId, Interner, Number, ProcessId, Symbol, TimeUnit, Value, ValueId, ValueTable, VarId, When,
};

/// An event gives a variable a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Assignment {
    /// The variable.
    pub var: VarId,
    /// Its value from this event on.
    pub value: ValueId,
}

/// Something a file says of an event that is not part of its semantics. The value is JSON text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attribute {
    pub(super) event: EventId,
    pub(super) key: Symbol,
    pub(super) json: Symbol,
}

pub(super) const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub(super) process: ProcessId,
    /// Place on the process's chain, from 0.
    pub(super) index: u32,
    /// [`Symbol`] of the name, or [`NONE`].
    pub(super) name: u32,
    /// [`Symbol`] of the id in `ids`, or [`NONE`].
    pub(super) id: u32,
    /// Source line, from 1; saturating.
    pub(super) line: u32,
    pub(super) assignments_end: u32,
    pub(super) causes_end: u32,
    pub(super) effects_end: u32,
}

/// What is known of a run whatever its edges are.
#[derive(Debug)]
pub(super) struct Facts {
    pub(super) chains: Vec<Vec<EventId>>,
    pub(super) assignments: Vec<Assignment>,
    /// Each event's time, up to the last event that has one. Not interned: nearly all are different.
    pub(super) times: Vec<Option<Number>>,
    /// Sorted by event.
    pub(super) attributes: Vec<Attribute>,
    /// The names of attributes.
    pub(super) attribute_keys: FxHashSet<Symbol>,
    pub(super) processes: Interner,
    pub(super) variables: Interner,
    pub(super) symbols: Interner,
    pub(super) ids: Interner,
    /// The event of each id.
    pub(super) id_events: Vec<EventId>,
    pub(super) values: ValueTable,
    pub(super) initial: Vec<ValueId>,
    pub(super) declared: Vec<bool>,
    pub(super) state_records: bool,
    /// How a waveform counts its times.
    pub(super) timing: Option<Timing>,
    /// The parts of a run that was joined of several, each with its first event; none if it was not.
    pub(super) parts: Vec<(Arc<str>, u32)>,
    pub(super) other_names: OtherNames,
    pub(super) processes_declared: bool,
    /// The [`Symbol`] of each process's group, or [`NONE`]; none if there are no groups.
    pub(super) groups: Vec<u32>,
    pub(super) lacks: Vec<Lack>,
    /// For these and for the tables of the run that was built with them.
    pub(super) _claim: Claim,
}

/// A finite partial order of events. Built by [`Builder`](super::Builder).
#[derive(Debug)]
pub struct Trace {
    pub(super) events: Vec<Event>,
    pub(super) causes: Vec<EventId>,
    pub(super) effects: Vec<EventId>,
    /// Why each of `causes` is there; none if the file says so of all.
    pub(super) reasons: Vec<Reason>,
    pub(super) contradicted: Contradicted,
    /// How far the observed order is from the times.
    pub(super) lag: Option<Number>,
    /// A linear extension: the observed order if there is one.
    pub(super) linear: Vec<EventId>,
    pub(super) has_observed: bool,
    pub(super) facts: Arc<Facts>,
    /// For a [projection](super::Projections): which of the events it has.
    pub(super) projection: Option<Arc<Projection>>,
    /// For a run with more edges, or a projection: its own tables.
    pub(super) _claim: Option<Claim>,
}

fn range(ends: impl Fn(usize) -> u32, index: usize) -> std::ops::Range<usize> {
    let start = if index == 0 { 0 } else { ends(index - 1) };
    start as usize..ends(index) as usize
}

impl Trace {
    /// How many events there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Whether there is no event.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Every event, in the order of reading.
    pub fn events(&self) -> impl ExactSizeIterator<Item = EventId> + Clone + use<> {
        (0..self.events.len() as u32).map(EventId::from_raw)
    }

    /// How many processes there are, those without events included.
    #[must_use]
    pub fn process_count(&self) -> usize {
        self.chains().len()
    }

    #[inline]
    fn chains(&self) -> &[Vec<EventId>] {
        match &self.projection {
            None => &self.facts.chains,
            Some(own) => &own.chains,
        }
    }

    /// The process in the whole run.
    fn whole_process(&self, process: ProcessId) -> ProcessId {
        self.projection.as_ref().map_or(process, |own| own.processes[process.index()])
    }

    /// The event in the whole run, of which this may be a [projection](super::Projections).
    #[must_use]
    #[inline]
    pub fn origin(&self, event: EventId) -> EventId {
        match &self.projection {
            None => event,
            Some(own) => own.origin[event.index()],
        }
    }

    /// Every process, by first mention.
    pub fn processes(&self) -> impl ExactSizeIterator<Item = ProcessId> + use<> {
        (0..self.chains().len() as u32).map(ProcessId::from_raw)
    }

    /// The name of a process.
    #[must_use]
    pub fn process_name(&self, process: ProcessId) -> &str {
        let process = self.whole_process(process);
        self.facts.processes.resolve(Symbol::from_raw(process.raw()))
    }

    /// The process with a name.
    #[must_use]
    pub fn find_process(&self, name: &str) -> Option<ProcessId> {
        let process = self.facts.processes.get(name).map(|s| ProcessId::from_raw(s.raw()))?;
        match &self.projection {
            None => Some(process),
            Some(own) => own.processes.binary_search(&process).ok().map(|place| ProcessId::from_raw(place as u32)),
        }
    }

    /// The group of a process, if it has one: of a span its service, say.
    #[must_use]
    pub fn group(&self, process: ProcessId) -> Option<&str> {
        let process = self.whole_process(process);
        let raw = self.facts.groups.get(process.index()).copied().filter(|&raw| raw != NONE)?;
        Some(self.facts.symbols.resolve(Symbol::from_raw(raw)))
    }

    /// What the records lack that the run was read from.
    #[must_use]
    pub fn lacks(&self) -> &[Lack] {
        &self.facts.lacks
    }

    /// Whether some process has a group.
    #[must_use]
    pub fn has_groups(&self) -> bool {
        !self.facts.groups.is_empty()
    }

    /// Whether a process, or its group, is called so.
    #[must_use]
    pub fn is_called(&self, process: ProcessId, name: &str) -> bool {
        self.process_name(process) == name || self.group(process) == Some(name)
    }

    /// The events of a process, in order.
    #[must_use]
    #[inline]
    pub fn chain(&self, process: ProcessId) -> &[EventId] {
        &self.chains()[process.index()]
    }

    /// The process of an event.
    #[must_use]
    #[inline]
    pub fn process(&self, event: EventId) -> ProcessId {
        self.events[event.index()].process
    }

    /// The place of an event on its process's chain, from 0.
    #[must_use]
    #[inline]
    pub fn position(&self, event: EventId) -> usize {
        self.events[event.index()].index as usize
    }

    /// What the event assigns.
    #[must_use]
    #[inline]
    pub fn assignments(&self, event: EventId) -> &[Assignment] {
        let all = match &self.projection {
            None => &self.facts.assignments,
            Some(own) => &own.assignments,
        };
        &all[range(|i| self.events[i].assignments_end, event.index())]
    }

    /// Direct causes of the event on other processes.
    #[must_use]
    #[inline]
    pub fn causes(&self, event: EventId) -> &[EventId] {
        &self.causes[range(|i| self.events[i].causes_end, event.index())]
    }

    /// Why each of [`Self::causes`] is one, in the same order.
    pub fn reasons(&self, event: EventId) -> impl Iterator<Item = Reason> {
        let range = range(|i| self.events[i].causes_end, event.index());
        range.map(|i| self.reasons.get(i).copied().unwrap_or(Reason::Stated))
    }

    /// Why the event is a direct cause of another on another process, if it is.
    #[must_use]
    pub fn reason(&self, cause: EventId, effect: EventId) -> Option<Reason> {
        let at = self.causes(effect).iter().position(|&c| c == cause)?;
        self.reasons(effect).nth(at)
    }

    /// Events on other processes of which the event is a direct cause.
    #[must_use]
    #[inline]
    pub fn effects(&self, event: EventId) -> &[EventId] {
        &self.effects[range(|i| self.events[i].effects_end, event.index())]
    }

    /// The name of an event, if it has one.
    #[must_use]
    pub fn event_name(&self, event: EventId) -> Option<&str> {
        let raw = self.events[event.index()].name;
        (raw != NONE).then(|| self.facts.symbols.resolve(Symbol::from_raw(raw)))
    }

    /// The event's own id, if the file gives one.
    #[must_use]
    pub fn own_id(&self, event: EventId) -> Option<&str> {
        let raw = self.events[event.index()].id;
        (raw != NONE).then(|| self.facts.ids.resolve(Symbol::from_raw(raw)))
    }

    /// What the event is called in reports: its id, else `<process>.<index from 1>`.
    #[must_use]
    pub fn label(&self, event: EventId) -> String {
        match self.own_id(event) {
            Some(id) => id.to_owned(),
            None => {
                // That of the whole run.
                let position = match &self.projection {
                    None => self.position(event),
                    Some(own) => own.positions[event.index()] as usize,
                };
                format!("{}.{}", self.process_name(self.process(event)), position + 1)
            }
        }
    }

    /// The event that a report or an `after` calls so: an id, else `<process>.<index from 1>`.
    #[must_use]
    pub fn find_event(&self, label: &str) -> Option<EventId> {
        let event = match self.facts.ids.get(label) {
            Some(id) => self.facts.id_events[id.index()],
            None => {
                let (process, index) = split_label(label)?;
                let process = self.facts.processes.get(process)?;
                *self.facts.chains[process.index()].get(index.checked_sub(1)?)?
            }
        };
        match &self.projection {
            None => Some(event),
            Some(own) => own.origin.binary_search(&event).ok().map(|place| EventId::from_raw(place as u32)),
        }
    }

    /// The source line of an event, from 1.
    #[must_use]
    pub fn line(&self, event: EventId) -> u64 {
        u64::from(self.events[event.index()].line)
    }

    /// The part that an event is in, of a run that was joined of several.
    #[must_use]
    pub fn part(&self, event: EventId) -> Option<&str> {
        Some(&*self.facts.parts[self.part_index(event)?].0)
    }

    /// The same, as a number: two parts may be called alike.
    pub fn part_index(&self, event: EventId) -> Option<usize> {
        self.facts.parts.partition_point(|(_, first)| *first <= self.origin(event).raw()).checked_sub(1)
    }

    /// Where an event is, for people: `line 7`, or `line 7 of a.jsonl`; of a waveform when: `135 ns, cycle 12`.
    #[must_use]
    pub fn whereabouts(&self, event: EventId) -> Whereabouts<'_> {
        let when = self.when(self.position(event) + 1);
        Whereabouts { line: self.line(event), part: self.part(event), when }
    }

    /// When a position of a waveform is: 0 is before the first event, i is after the i-th. `None` if the run is no waveform, or
    /// if there is no such position.
    #[must_use]
    pub fn when(&self, position: usize) -> Option<When> {
        let timing = self.facts.timing.as_ref()?;
        let time = match position.checked_sub(1) {
            None => &timing.start,
            Some(before) => self.time(*self.linear.get(before)?)?,
        };
        let cycle = timing.clocked.then_some(position as u64);
        Some(When { time: time.clone(), unit: timing.unit, cycle })
    }

    /// The run was joined of these parts, each with the line of all in which it begins. From now on a line counts within its part.
    pub fn tell_parts(&mut self, parts: Vec<(Arc<str>, u64)>) {
        let Some(facts) = Arc::get_mut(&mut self.facts) else { return };
        let mut firsts: Vec<(Arc<str>, u32)> = Vec::new();
        let mut at = 0;
        // Events are numbered in the order of reading.
        for (i, event) in self.events.iter_mut().enumerate() {
            while parts.get(at + 1).is_some_and(|(_, first)| u64::from(event.line) >= *first) {
                at += 1;
            }
            let Some((name, first)) = parts.get(at) else { return };
            if firsts.last().is_none_or(|(last, _)| !Arc::ptr_eq(last, name)) {
                firsts.push((Arc::clone(name), i as u32));
            }
            event.line = u32::try_from(u64::from(event.line) + 1 - first).unwrap_or(event.line);
        }
        facts.parts = firsts;
    }

    /// The wall-clock time of an event, if it has one.
    #[must_use]
    pub fn time(&self, event: EventId) -> Option<&Number> {
        self.facts.times.get(self.origin(event).index())?.as_ref()
    }

    /// Further facts about the event: key and JSON text.
    pub fn attributes(&self, event: EventId) -> impl Iterator<Item = (&str, &str)> {
        let event = self.origin(event);
        let start = self.facts.attributes.partition_point(|a| a.event < event);
        self.facts.attributes[start..]
            .iter()
            .take_while(move |a| a.event == event)
            .map(|a| (self.facts.symbols.resolve(a.key), self.facts.symbols.resolve(a.json)))
    }

    /// Every variable, by first mention.
    pub fn variables(&self) -> impl ExactSizeIterator<Item = VarId> + use<> {
        (0..self.facts.variables.len() as u32).map(VarId::from_raw)
    }

    /// The name of a variable.
    #[must_use]
    pub fn variable_name(&self, var: VarId) -> &str {
        self.facts.variables.resolve(Symbol::from_raw(var.raw()))
    }

    /// The variable that a name means: its own, an alias, or one that leaves out its beginning where the format allows that.
    #[must_use]
    pub fn find_variable(&self, name: &str) -> Option<VarId> {
        self.meant_by(name).ok()
    }

    /// As [`Self::find_variable`], with the names of all that it could be if it is not clear which.
    ///
    /// # Errors
    /// When no variable, or more than one, is called so.
    pub fn meant_by(&self, name: &str) -> Result<VarId, Vec<&str>> {
        match self.facts.variables.get(name) {
            Some(symbol) => Ok(VarId::from_raw(symbol.raw())),
            None => self.facts.other_names.find(&self.facts.variables, name),
        }
    }

    /// The value of a variable before any event.
    #[must_use]
    pub fn initial(&self, var: VarId) -> ValueId {
        self.facts.initial[var.index()]
    }

    /// Whether the file declares the variable's initial value.
    #[must_use]
    pub fn is_declared(&self, var: VarId) -> bool {
        self.facts.declared[var.index()]
    }

    /// A value of this trace.
    #[must_use]
    #[inline]
    pub fn value(&self, id: ValueId) -> &Value {
        self.facts.values.get(id)
    }

    /// Whether some variable takes this string as a value.
    #[must_use]
    pub fn has_text(&self, text: &str) -> bool {
        self.facts.values.has_text(text)
    }

    /// The run that was observed: by time stamp, else by line, if that respects happened-before.
    #[must_use]
    pub fn observed(&self) -> Option<&[EventId]> {
        self.has_observed.then_some(&self.linear[..])
    }

    /// How far the observed order is from the times of the events, where causes contradict them: the most by which an event
    /// comes after one that is later by its time.
    #[must_use]
    pub fn lag(&self) -> Option<&Number> {
        self.lag.as_ref()
    }

    /// Some run: the observed one if there is one.
    #[must_use]
    pub fn linearisation(&self) -> &[EventId] {
        &self.linear
    }

    /// Whether the file is a sequence of states rather than of events.
    #[must_use]
    pub fn has_state_records(&self) -> bool {
        self.facts.state_records
    }

    /// Whether the file declared the processes, those without events included.
    #[must_use]
    pub fn declares_processes(&self) -> bool {
        self.facts.processes_declared
    }
}

/// `<process>.<index>` at the last dot; the index is plain decimal without leading zeros.
pub(super) fn split_label(label: &str) -> Option<(&str, usize)> {
    // Called for every reference of a file, so it looks at each byte once, from the end.
    let digits = label.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (rest, index) = label.split_at(label.len() - digits);
    let process = rest.strip_suffix('.').filter(|p| !p.is_empty())?;
    if index.starts_with('0') {
        return None;
    }
    let number = match index.len() {
        // So few digits cannot overflow.
        1..=9 => index.bytes().fold(0, |n, digit| n * 10 + usize::from(digit - b'0')),
        _ => index.parse().ok()?,
    };
    Some((process, number))
}

/// How a waveform counts its times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timing {
    /// What it counts in, if it says so.
    pub unit: Option<TimeUnit>,
    /// The time of its first state.
    pub start: Number,
    /// Its states are the edges of a clock.
    pub clocked: bool,
}

/// Where an event is, as people are told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Whereabouts<'a> {
    line: u64,
    part: Option<&'a str>,
    when: Option<When>,
}

impl fmt::Display for Whereabouts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.when, self.part) {
            (Some(when), _) => when.fmt(f),
            (None, None) => write!(f, "line {}", self.line),
            (None, Some(part)) => write!(f, "line {} of {part}", self.line),
        }
    }
}
