//! A run projected on some of its events: what happened before what among them, and nothing else.
//!
//! [`Projections`] cuts a run into many, one for each key that events have, in one pass over it. Along a linear extension each process has a
//! clock: how many events of every other process it knows of, without those that it knows nothing of. Clocks are shared until somebody
//! learns something new, and one that waits for an effect of its event is kept only until the last effect has come. An event comes after
//! the last event of its key that it knows of, on every other process that has such events; that is an edge unless the event of its key
//! before it on its own process knew as much. So the cost is that of the clocks, at worst events × processes, plus one binary search for
//! each event and each other process of its key; a run of many processes that seldom communicate costs little more than its events.
//!
//! A projection is a [`Trace`] of its own, made when it is asked for, in the size of its events. Names, values, attributes and initial values
//! are those of the whole run, so what is bound to that is bound to the projection.

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::clock::Clocks;
use super::event::{Assignment, Event, NONE, Trace};
use posetta_base::{Budget, Claim, EventId, OverBudget, ProcessId};

const WHAT: &str = "projecting the run on its keys";

/// What a projection has instead of the whole run.
#[derive(Debug)]
pub(super) struct Projection {
    /// The events in the whole run, ascending.
    pub(super) origin: Vec<EventId>,
    /// Where they are on the chains of the whole run.
    pub(super) positions: Vec<u32>,
    /// The processes in the whole run, ascending.
    pub(super) processes: Vec<ProcessId>,
    pub(super) chains: Vec<Vec<EventId>>,
    pub(super) assignments: Vec<Assignment>,
}

/// A run, cut into one projection for each key.
#[derive(Debug)]
pub struct Projections<'t> {
    trace: &'t Trace,
    /// The events with a key, by key and then as in the linearisation of the run; where those of each key end.
    events: Vec<EventId>,
    event_ends: Vec<u32>,
    /// Edges that order them beside the chains, by key; where those of each key end.
    edges: Vec<(EventId, EventId)>,
    edge_ends: Vec<u32>,
    _claim: Claim,
}

/// What projections on two keys need beside those on one: when each event comes, and what it knows.
#[derive(Debug)]
pub struct Times {
    clocks: Clocks,
    /// The place of each event in the linearisation.
    ranks: Vec<u32>,
    _claim: Claim,
}

impl Times {
    /// Those of a run.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn new(trace: &Trace, budget: &Budget) -> Result<Self, OverBudget> {
        let claim = budget.claim(4 * trace.len() as u64, WHAT)?;
        let mut ranks = vec![0; trace.len()];
        for (rank, event) in trace.linearisation().iter().enumerate() {
            ranks[event.index()] = rank as u32;
        }
        Ok(Self { clocks: Clocks::compute(trace, budget)?, ranks, _claim: claim })
    }
}

/// What a process knows of others: process and number of events, ascending.
type Clock = Rc<[(u32, u32)]>;

/// The events of one key on one process.
struct Line {
    process: u32,
    /// How many events of the process there are up to each of them.
    counts: Vec<u32>,
    events: Vec<EventId>,
    /// How many events of each other line the last of them knows of; nothing past the end.
    known: Vec<u32>,
    /// What it knows, if there are too many lines to count.
    clock: Clock,
}

/// The lines of a key are looked through, and what each knows of the others is counted, if there are at most so many; else what its clock
/// has is looked for among them.
const FEW: usize = 16;

impl<'t> Projections<'t> {
    /// Cuts a run. `key` gives the key of an event, below `keys`, if it has one.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn new(
        trace: &'t Trace,
        keys: usize,
        key: impl Fn(EventId) -> Option<usize>,
        budget: &Budget,
    ) -> Result<Self, OverBudget> {
        let base = 8 * (trace.len() + keys) as u64;
        let mut claim = budget.claim(base, WHAT)?;
        let mut event_ends = vec![0_u32; keys];
        // The process of each key, as long as it has only one.
        let mut only: Vec<u32> = vec![NONE; keys];
        let mut crosses = false;
        for event in trace.events() {
            if let Some(key) = key(event) {
                event_ends[key] += 1;
                let process = trace.process(event).raw();
                crosses |= only[key] != NONE && only[key] != process;
                only[key] = process;
            }
        }
        drop(only);
        let mut places = starts(&mut event_ends);
        let mut events = vec![EventId::from_raw(0); event_ends.last().map_or(0, |&end| end as usize)];
        for &event in trace.linearisation() {
            if let Some(key) = key(event) {
                events[places[key] as usize] = event;
                places[key] += 1;
            }
        }
        let found = if crosses { induced(trace, &key, (&mut claim, base), budget)? } else { Vec::new() };
        let mut edge_ends = vec![0_u32; keys];
        found.iter().for_each(|(key, _)| edge_ends[*key as usize] += 1);
        let mut places = starts(&mut edge_ends);
        let mut edges = vec![(EventId::from_raw(0), EventId::from_raw(0)); found.len()];
        for (key, edge) in found {
            edges[places[key as usize] as usize] = edge;
            places[key as usize] += 1;
        }
        Ok(Self { trace, events, event_ends, edges, edge_ends, _claim: claim })
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.event_ends.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.event_ends.is_empty()
    }

    /// How many events a projection has.
    #[must_use]
    pub fn events(&self, key: usize) -> usize {
        part(&self.event_ends, key).len()
    }

    /// The run projected on the events of a key.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn trace(&self, key: usize, budget: &Budget) -> Result<Trace, OverBudget> {
        self.of(self.linear(key), &self.edges[part(&self.edge_ends, key)], budget)
    }

    /// The run projected on the events of two different keys, the events of which come in `times`.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn two(&self, keys: (usize, usize), times: &Times, budget: &Budget) -> Result<Trace, OverBudget> {
        let mut linear = [self.linear(keys.0), self.linear(keys.1)].concat();
        linear.sort_unstable_by_key(|event| times.ranks[event.index()]);
        let mut lines: Vec<(ProcessId, Vec<EventId>)> = Vec::new();
        let mut known: Vec<Vec<usize>> = Vec::new();
        let mut edges = Vec::new();
        for &event in &linear {
            let process = self.trace.process(event);
            let own = lines.iter().position(|(other, _)| *other == process).unwrap_or_else(|| {
                lines.push((process, Vec::new()));
                known.push(Vec::new());
                lines.len() - 1
            });
            known[own].resize(lines.len(), 0);
            for (other, (_, events)) in lines.iter().enumerate().filter(|(other, _)| *other != own) {
                let last = events.partition_point(|&e| times.clocks.before_or_equal(self.trace, e, event));
                if last > known[own][other] {
                    edges.push((events[last - 1], event));
                    known[own][other] = last;
                }
            }
            lines[own].1.push(event);
        }
        self.of(&linear, &edges, budget)
    }

    /// The events of a key, as in the linearisation of the run.
    fn linear(&self, key: usize) -> &[EventId] {
        &self.events[part(&self.event_ends, key)]
    }

    /// The run projected on some events, which come in the order of its linearisation, and with edges beside the chains.
    fn of(&self, linear: &[EventId], edges: &[(EventId, EventId)], budget: &Budget) -> Result<Trace, OverBudget> {
        let whole = self.trace;
        let claim = budget.claim((linear.len() * 80 + edges.len() * 8) as u64, WHAT)?;
        let mut origin = linear.to_vec();
        origin.sort_unstable();
        let local = |event: EventId| {
            let place = origin.binary_search(&event).expect("edges and the linearisation are of the key's events");
            EventId::from_raw(place as u32)
        };
        let mut processes: Vec<ProcessId> = origin.iter().map(|&e| whole.process(e)).collect();
        processes.sort_unstable();
        processes.dedup();
        let mut chains: Vec<Vec<EventId>> = vec![Vec::new(); processes.len()];
        let mut assignments = Vec::new();
        let mut events: Vec<Event> = Vec::with_capacity(origin.len());
        for (i, &event) in origin.iter().enumerate() {
            assignments.extend_from_slice(whole.assignments(event));
            let process = processes.binary_search(&whole.process(event)).expect("gathered from the events");
            chains[process].push(EventId::from_raw(i as u32));
            events.push(Event {
                process: ProcessId::from_raw(process as u32),
                index: 0,
                assignments_end: assignments.len() as u32,
                causes_end: 0,
                effects_end: 0,
                ..whole.events[event.index()]
            });
        }
        let positions: Vec<u32> = origin.iter().map(|&e| whole.position(e) as u32).collect();
        for chain in &mut chains {
            chain.sort_unstable_by_key(|e| positions[e.index()]);
            for (index, event) in chain.iter().enumerate() {
                events[event.index()].index = index as u32;
            }
        }
        let mut pairs: Vec<(EventId, EventId)> = edges.iter().map(|&(from, to)| (local(from), local(to))).collect();
        let effects = linked(&mut pairs, events.len(), &mut |event, end| events[event].effects_end = end);
        pairs.iter_mut().for_each(|pair| *pair = (pair.1, pair.0));
        let causes = linked(&mut pairs, events.len(), &mut |event, end| events[event].causes_end = end);
        let linear = linear.iter().map(|&event| local(event)).collect();
        Ok(Trace {
            events,
            causes,
            effects,
            // What a projected order comes about through is not kept.
            reasons: Vec::new(),
            contradicted: whole.contradicted,
            lag: whole.lag.clone(),
            linear,
            has_observed: whole.has_observed,
            facts: Arc::clone(&whole.facts),
            projection: Some(Arc::new(Projection { origin, positions, processes, chains, assignments })),
            _claim: Some(claim),
        })
    }
}

/// The other ends of sorted pairs, by first end; says where those of each end.
fn linked(pairs: &mut [(EventId, EventId)], count: usize, end: &mut dyn FnMut(usize, u32)) -> Vec<EventId> {
    pairs.sort_unstable();
    let mut at = 0;
    for event in 0..count {
        while pairs.get(at).is_some_and(|(of, _)| of.index() == event) {
            at += 1;
        }
        end(event, at as u32);
    }
    pairs.iter().map(|&(_, other)| other).collect()
}

/// Turns counts into ends, and answers with the starts.
fn starts(counts: &mut [u32]) -> Vec<u32> {
    let mut end = 0;
    let start = |count: &mut u32| {
        let start = end;
        end += *count;
        *count = end;
        start
    };
    counts.iter_mut().map(start).collect()
}

fn part(ends: &[u32], key: usize) -> std::ops::Range<usize> {
    let start = if key == 0 { 0 } else { ends[key - 1] };
    start as usize..ends[key] as usize
}

/// An edge between events of a key.
type Keyed = (u32, (EventId, EventId));

/// The edges between events of one key, on different processes. `base` is what has been claimed.
fn induced(
    trace: &Trace,
    key: &impl Fn(EventId) -> Option<usize>,
    (claim, base): (&mut Claim, u64),
    budget: &Budget,
) -> Result<Vec<Keyed>, OverBudget> {
    let nothing: Clock = Rc::from([]);
    let mut clocks: Vec<Clock> = vec![Rc::clone(&nothing); trace.process_count()];
    // What was known at events whose effects have not all come, and how many have not.
    let mut kept: FxHashMap<EventId, (Clock, usize)> = FxHashMap::default();
    let mut places: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    let mut by_key: Vec<Vec<Line>> = Vec::new();
    let mut edges: Vec<Keyed> = Vec::new();
    let mut fresh = Vec::new();
    // Entries of the clocks that are held, as if nothing were shared.
    let mut entries = 0;
    for (i, &event) in trace.linearisation().iter().enumerate() {
        if i % 256 == 0 {
            budget.step(0, WHAT)?;
            let held = 8 * entries + 12 * edges.len() + 96 * places.len() + 48 * kept.len() + 12 * i;
            claim.grow_to(base + held as u64, WHAT)?;
        }
        let process = trace.process(event);
        let own = process.index();
        for cause in trace.causes(event) {
            let Some((known, left)) = kept.get_mut(cause) else { continue };
            let place = (trace.process(*cause).raw(), trace.position(*cause) as u32 + 1);
            if learn(&clocks[own], known, place, process.raw(), &mut fresh) {
                entries = entries + fresh.len() - clocks[own].len();
                clocks[own] = Rc::from(&fresh[..]);
            }
            *left -= 1;
            if *left == 0 {
                entries -= known.len();
                kept.remove(cause);
            }
        }
        let effects = trace.effects(event).len();
        if effects > 0 {
            entries += clocks[own].len();
            kept.insert(event, (Rc::clone(&clocks[own]), effects));
        }
        let Some(key) = key(event) else { continue };
        if by_key.len() <= key {
            by_key.resize_with(key + 1, Vec::new);
        }
        let lines = &mut by_key[key];
        let line = *places.entry((key as u32, process.raw())).or_insert_with(|| {
            let (counts, events, known) = (Vec::new(), Vec::new(), Vec::new());
            lines.push(Line { process: process.raw(), counts, events, known, clock: Rc::clone(&nothing) });
            lines.len() as u32 - 1
        }) as usize;
        let clock = &clocks[own];
        if lines.len() <= FEW {
            let mut known = std::mem::take(&mut lines[line].known);
            known.resize(lines.len(), 0);
            for (other, known) in lines.iter().zip(&mut known).filter(|(other, _)| other.process != process.raw()) {
                let last = other.before(count_of(clock, other.process));
                if last as u32 > *known {
                    edges.push((key as u32, (other.events[last - 1], event)));
                    *known = last as u32;
                }
            }
            lines[line].known = known;
        } else if !Rc::ptr_eq(&lines[line].clock, clock) {
            for &(process, count) in clock.iter() {
                let Some(&other) = places.get(&(key as u32, process)) else { continue };
                let other = &lines[other as usize];
                let last = other.before(count);
                if last > other.before(count_of(&lines[line].clock, process)) {
                    edges.push((key as u32, (other.events[last - 1], event)));
                }
            }
            entries = entries + clock.len() - lines[line].clock.len();
            lines[line].clock = Rc::clone(clock);
        }
        let line = &mut lines[line];
        line.counts.push(trace.position(event) as u32 + 1);
        line.events.push(event);
    }
    Ok(edges)
}

impl Line {
    /// How many of its events are among the first `count` of the process.
    fn before(&self, count: u32) -> usize {
        self.counts.partition_point(|&c| c <= count)
    }
}

fn count_of(clock: &[(u32, u32)], process: u32) -> u32 {
    clock.binary_search_by_key(&process, |&(p, _)| p).map_or(0, |place| clock[place].1)
}

/// What a process knows when it hears of an event on another process, and of what was known there; into `all`. Answers `false` if it knew
/// that.
fn learn(clock: &[(u32, u32)], heard: &[(u32, u32)], place: (u32, u32), own: u32, all: &mut Vec<(u32, u32)>) -> bool {
    let new = |&(process, count): &(u32, u32)| process != own && count > count_of(clock, process);
    if !new(&place) && !heard.iter().any(new) {
        return false;
    }
    all.clear();
    let mut add = |(process, count): (u32, u32)| match all.last_mut() {
        _ if process == own => {}
        Some(last) if last.0 == process => last.1 = last.1.max(count),
        _ => all.push((process, count)),
    };
    let (mut mine, mut theirs, mut one) = (clock.iter().peekable(), heard.iter().peekable(), Some(place));
    loop {
        let first = [mine.peek().map(|e| e.0), theirs.peek().map(|e| e.0), one.map(|e| e.0)];
        let Some(least) = first.into_iter().flatten().min() else { return true };
        if first[0] == Some(least) {
            mine.next().into_iter().for_each(|&e| add(e));
        } else if first[1] == Some(least) {
            theirs.next().into_iter().for_each(|&e| add(e));
        } else if let Some(place) = one.take() {
            add(place);
        }
    }
}
