//! From the spans of one trace to a run.
//!
//! A span is a process of its own: its start, its events, its end. Its service is its group. Every edge to another span has a
//! reason; docs/formats/spans.md lists the rules and what each rests on. Start at [`build`].

use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};

use super::cells::Cells;
use super::clock::{Stamped, Sweep};
use super::family::Family;
use super::noticed::Noticed;
use super::statistics::{Statistics, may_nest};
use super::store::{Attribute, Marks, NO_TIME, NONE, Sealed, SpanKind, Status, Store};
use crate::{Run, Trust, quote, skew};
use posetta_base::{Budget, Diagnostic, Error, EventId, Number, ProcessId, Symbol};
use posetta_trace::{Builder, Lack, Missing, Reason};

/// What is assumed beside causes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Assumed {
    pub(crate) trust: Trust,
    /// Nanoseconds that wall clocks are apart at most.
    pub(crate) skew: Option<u64>,
}

/// The run of these records.
pub(crate) fn build(
    sealed: &Sealed,
    statistics: &Statistics,
    records: &[u32],
    assumed: Assumed,
    budget: &Budget,
) -> Result<Run, Error> {
    let store = &sealed.store;
    budget.step(records.len() as u64, "building the run")?;
    let family = Family::new(store, records);
    let room = family.len() * 200 + records.len() * 16;
    let _claim = budget.claim(room as u64, "building the run")?;
    let mut making = Making {
        store,
        family: &family,
        statistics,
        builder: Builder::new(),
        starts: Vec::with_capacity(family.len()),
        ends: Vec::with_capacity(family.len()),
        events: Vec::new(),
        names: Vec::with_capacity(family.len()),
        noticed: Noticed::default(),
    };
    making.builder.keep_nearest_times();
    making.add_events()?;
    making.tell_lacks(sealed);
    making.add_causes();
    if assumed.trust >= Trust::Nesting {
        making.add_nesting();
    }
    if assumed.trust >= Trust::Segment {
        making.add_clocks(assumed.trust, budget)?;
    }
    if let Some(skew) = assumed.skew {
        // Each span is a chain, whose times do not fall.
        making.events.sort_unstable_by_key(|stamped| (stamped.member, stamped.event));
        let of_span = making.events.chunk_by(|a, b| a.member == b.member);
        let chains: Vec<Vec<_>> = of_span.map(|chain| chain.iter().map(|s| (s.event, s.time)).collect()).collect();
        let builder = &mut making.builder;
        skew::link(&chains, &skew, budget, |from, to| builder.link_because(from, to, Reason::Skew))?;
    }
    let Making { builder, mut noticed, names, .. } = making;
    noticed.of_family(store, &family, &names);
    let trace = builder.finish(false, budget).map_err(|error| without_lines(error, store.has_lines))?;
    noticed.of_run(&trace);
    Ok(Run { label: None, trace, warnings: noticed.warnings() })
}

/// Where there are no lines, spans are numbered, and a mistake has no place.
fn without_lines(mut error: Error, has_lines: bool) -> Error {
    if let (Error::Invalid(mistakes), false) = (&mut error, has_lines) {
        mistakes.iter_mut().for_each(|mistake| mistake.place = None);
    }
    error
}

/// A run while it is made.
struct Making<'a> {
    store: &'a Store,
    family: &'a Family,
    statistics: &'a Statistics,
    builder: Builder,
    /// The first event of each member.
    starts: Vec<EventId>,
    /// The last one, if the end is known.
    ends: Vec<Option<EventId>>,
    /// Every event, those of a member together.
    events: Vec<Stamped>,
    /// What the process of each member is called.
    names: Vec<String>,
    noticed: Noticed,
}

type Made<T> = Result<T, Box<Diagnostic>>;

/// Seconds, exactly.
fn seconds(nanoseconds: u64) -> Number {
    Number::fraction(nanoseconds, 1_000_000_000)
}

fn quoted(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len() + 2);
    // Writing to memory does not fail, and what is written is UTF-8.
    let _ = quote::write(&mut out, text);
    String::from_utf8(out).unwrap_or_default()
}

impl Making<'_> {
    fn add_events(&mut self) -> Made<()> {
        let mut seen: FxHashMap<u32, u32> = FxHashMap::default();
        for member in 0..self.family.len() as u32 {
            *seen.entry(self.family.span(self.store, member).operation).or_default() += 1;
        }
        let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
        let mut further = self.family.further.iter().copied().peekable();
        for member in 0..self.family.len() as u32 {
            let operation = self.family.span(self.store, member).operation;
            let number = numbers.entry(operation).or_default();
            *number += 1;
            let several = seen.get(&operation).is_some_and(|&count| count > 1);
            let process = self.process(member, several.then_some(*number))?;
            let mut records = vec![self.family.spans[member as usize]];
            records.extend(std::iter::from_fn(|| further.next_if(|&(of, _)| of == member)).map(|(_, record)| record));
            self.add_span(member, process, &records)?;
        }
        Ok(())
    }

    /// A process of its own for a span: `service:operation`, with a number if there are several.
    fn process(&mut self, member: u32, number: Option<u32>) -> Made<ProcessId> {
        let span = self.family.span(self.store, member);
        let (store, operation) = (self.store, self.store.names.resolve(span.name));
        let service = store.resolve(store.service(span));
        let name = match service {
            Some(service) => format!("{service}:{operation}"),
            None => operation.to_owned(),
        };
        let mut tried = number.map_or_else(|| name.clone(), |number| format!("{name}#{number}"));
        let mut next = number.unwrap_or(1);
        let process = loop {
            let process = self.builder.process(&tried)?;
            if process.index() == member as usize {
                break process;
            }
            // An operation that is called like another one with its number.
            next += 1;
            tried = format!("{name}#{next}");
        };
        if let Some(service) = service {
            self.builder.group(process, service)?;
        }
        self.names.push(tried);
        Ok(process)
    }

    fn add_span(&mut self, member: u32, process: ProcessId, records: &[u32]) -> Made<()> {
        let store = self.store;
        let span = self.family.span(store, member);
        let operation = store.names.resolve(span.name);
        let resource = store.resources[span.resource as usize];
        let mut attributes: Vec<Attribute> =
            records.iter().flat_map(|&record| store.attributes(record)).copied().collect();
        if let Some(key) = keep_first(&mut attributes) {
            self.noticed.twice.add(|| format!("`{}` in `{}`", store.names.resolve(key), self.names[member as usize]));
        }
        let start = self.event(member, process, operation, span.start)?;
        self.starts.push(start);
        let told = [
            ("service", store.resolve(resource.service)),
            ("service.instance.id", store.resolve(resource.instance)),
            ("host.name", store.resolve(resource.host)),
            ("kind", span.kind.word()),
        ];
        for (key, value) in told {
            if let Some(value) = value {
                self.builder.attribute(key, &quoted(value))?;
            }
        }
        self.builder.attribute("span.id", &format!("\"{}\"", span.id))?;
        self.attributes(&attributes)?;
        // Events in time; what lies outside is moved to the border.
        let mut inside: Vec<(u64, Symbol, &[Attribute])> = Vec::new();
        let mut latest = span.start;
        for (event, attributes) in records.iter().flat_map(|&record| store.events(record)) {
            let time = if event.time == NO_TIME { latest } else { event.time };
            let clamped = time.clamp(span.start, span.end);
            if clamped != time {
                let name = &self.names[member as usize];
                self.noticed.clamped.add(|| format!("`{}` in `{name}`", store.names.resolve(event.name)));
            }
            latest = clamped;
            inside.push((clamped, event.name, attributes));
        }
        inside.sort_by_key(|&(time, ..)| time);
        for (time, name, attributes) in inside {
            self.event(member, process, store.names.resolve(name), time)?;
            let mut attributes = attributes.to_vec();
            if let Some(key) = keep_first(&mut attributes) {
                let (key, name) = (store.names.resolve(key), &self.names[member as usize]);
                self.noticed.twice.add(|| format!("`{key}` in `{name}`"));
            }
            for (key, json) in attributes {
                self.builder.attribute(store.names.resolve(key), store.names.resolve(json))?;
            }
        }
        let end = match span.has_end() {
            true => Some(self.event(member, process, &format!("{operation} end"), span.end)?),
            false => None,
        };
        if end.is_some() {
            for (key, value) in [("service", store.resolve(resource.service)), ("kind", span.kind.word())] {
                if let Some(value) = value {
                    self.builder.attribute(key, &quoted(value))?;
                }
            }
            if let Some(status) = span.status.word() {
                self.builder.attribute("status", &quoted(status))?;
            }
            self.attributes(&attributes)?;
        }
        self.ends.push(end);
        Ok(())
    }

    /// What a span says of itself is said of its start and of its end. What we say is not said again.
    fn attributes(&mut self, attributes: &[Attribute]) -> Made<()> {
        const OURS: [&str; 6] = ["service", "service.instance.id", "host.name", "kind", "span.id", "status"];
        for &(key, json) in attributes {
            let key = self.store.names.resolve(key);
            if !OURS.contains(&key) {
                self.builder.attribute(key, self.store.names.resolve(json))?;
            }
        }
        Ok(())
    }

    fn event(&mut self, member: u32, process: ProcessId, name: &str, time: u64) -> Made<EventId> {
        let line = self.family.span(self.store, member).line;
        let event = self.builder.event(process, u64::from(line))?;
        self.builder.name(name)?;
        self.builder.time(seconds(time));
        self.events.push(Stamped { time, event, member });
        Ok(event)
    }

    fn tell_lacks(&mut self, sealed: &Sealed) {
        let [mut parents, mut linked, mut dropped, mut ends] =
            [Missing::Parents, Missing::Linked, Missing::Dropped, Missing::Ends].map(Lack::new);
        for &orphan in &self.family.orphans {
            parents.add(|| self.names[orphan as usize].clone());
        }
        for member in 0..self.family.len() as u32 {
            let span = self.family.span(self.store, member);
            let name = || self.names[member as usize].clone();
            for link in self.store.links(self.family.spans[member as usize]) {
                if self.family.with_id(link.trace, link.id).next().is_none() {
                    if sealed.is_linked_elsewhere(link) {
                        self.noticed.links_elsewhere.add(name);
                    } else {
                        linked.add(name);
                    }
                }
            }
            if span.lost > 0 {
                dropped.add(name);
                dropped.count += span.lost as usize - 1;
            }
            // Who sends a message may say only when.
            let one_way = span.marks.has(Marks::SHARES_ID) && span.kind.is_messaging();
            if !span.has_end() && !one_way {
                ends.add(name);
            }
        }
        [parents, linked, dropped, ends].into_iter().for_each(|lack| self.builder.lacks(lack));
    }

    /// What caused what: parents, calls, messages and links.
    fn add_causes(&mut self) {
        let (family, store) = (self.family, self.store);
        for member in 0..family.len() as u32 {
            let span = family.span(store, member);
            if let Some(parent) = family.parent(member) {
                let outer = family.span(store, parent);
                let reason = match (outer.kind, span.kind) {
                    (SpanKind::Client, SpanKind::Server) => Reason::Call,
                    (SpanKind::Producer, SpanKind::Consumer) => Reason::Message,
                    _ => Reason::Parent,
                };
                self.builder.link_because(self.starts[parent as usize], self.starts[member as usize], reason);
                if reason == Reason::Call {
                    self.add_return(parent, member);
                }
            }
            for link in store.links(family.spans[member as usize]) {
                // A span that receives may begin before what it receives, and ends after it.
                if let (Some(from), Some(to)) = (self.linked(link.trace, link.id), self.ends[member as usize]) {
                    self.builder.link_because(self.starts[from as usize], to, Reason::Link);
                }
            }
        }
    }

    /// The member that a link means: of two halves of a call the one that called.
    fn linked(&self, trace: u32, id: super::ids::SpanId) -> Option<u32> {
        let all = self.family.with_id(trace, id);
        let is_caller =
            |&m: &u32| matches!(self.family.span(self.store, m).kind, SpanKind::Client | SpanKind::Producer);
        let only =
            |mut members: Box<dyn Iterator<Item = u32> + '_>| members.next().filter(|_| members.next().is_none());
        only(Box::new(all.clone())).or_else(|| only(Box::new(all.filter(is_caller))))
    }

    /// A client ends after its server, unless it did not wait for it.
    fn add_return(&mut self, client: u32, server: u32) {
        let [caller, called] = [client, server].map(|member| self.family.span(self.store, member));
        let (Some(from), Some(to)) = (self.ends[server as usize], self.ends[client as usize]) else { return };
        // Durations do not depend on whose clock is right.
        let fits = called.duration() <= caller.duration();
        if fits && caller.status != Status::Error && called.start <= caller.end {
            self.builder.link_because(from, to, Reason::Call);
        } else {
            self.noticed.timeouts.add(|| format!("`{}`", self.names[client as usize]));
        }
    }

    /// A span ends after those inside of it, where that was so here and nearly everywhere.
    fn add_nesting(&mut self) {
        for &member in &self.family.order {
            let Some(parent) = self.family.parent(member) else { continue };
            let (Some(from), Some(to)) = (self.ends[member as usize], self.ends[parent as usize]) else { continue };
            let [outer, inner] = [parent, member].map(|member| self.family.span(self.store, member));
            if may_nest(self.store, self.family, parent, member)
                && inner.end <= outer.end
                && self.statistics.is_waited_for(outer.operation, inner.operation)
            {
                self.builder.link_because(from, to, Reason::Nesting);
            }
        }
    }

    fn add_clocks(&mut self, trust: Trust, budget: &Budget) -> Result<(), Error> {
        let (family, store) = (self.family, self.store);
        let cells = Cells::new(store, family, self.statistics);
        let _claim = budget.claim(cells.weight(), "ordering events by a clock")?;
        let mut sweep = Sweep::new(&cells, self.statistics, self.events.len());
        let segments = family.segments(store, self.statistics);
        // What goes on by itself is started by its parent, and from then on in nobody's order.
        let is_detached = |member: &u32| family.is_detached(store, self.statistics, *member);
        let started: Vec<((u32, u32), u32)> = (0..family.len() as u32)
            .filter(is_detached)
            .filter_map(|member| Some(((segments[family.parent(member)? as usize], NONE), member)))
            .collect();
        self.sweep(&mut sweep, Reason::Segment, budget, &started, |member| Some((segments[member as usize], NONE)))?;
        let resource = |member: u32| store.resources[family.span(store, member).resource as usize];
        // Where a task that nobody waits for was among all else on its instance was luck.
        let adrift = family.adrift(store, self.statistics);
        if trust >= Trust::Instance {
            self.sweep(&mut sweep, Reason::Instance, budget, &[], |member| {
                let of = resource(member);
                // On one host, a service has one clock.
                let instance = if of.instance == NONE { of.host } else { of.instance };
                let is_known = of.service != NONE && instance != NONE && !adrift[member as usize];
                is_known.then_some((of.service, instance))
            })?;
        }
        if trust >= Trust::Host {
            let host = |member: u32| {
                let of = resource(member);
                (of.host != NONE && !adrift[member as usize]).then_some((of.host, NONE))
            };
            self.sweep(&mut sweep, Reason::Host, budget, &[], host)?;
        }
        self.noticed.too_many = sweep.left_out;
        Ok(())
    }

    /// Orders the events of each clock; `clock` says which one stamped a member, and `started` which others only its start.
    fn sweep(
        &mut self,
        sweep: &mut Sweep<'_>,
        reason: Reason,
        budget: &Budget,
        started: &[((u32, u32), u32)],
        clock: impl Fn(u32) -> Option<(u32, u32)>,
    ) -> Result<(), Error> {
        let family = self.family;
        let mut by_clock: Vec<((u32, u32), u32, usize)> =
            (0..family.len() as u32).filter_map(|member| Some((clock(member)?, member, usize::MAX))).collect();
        by_clock.extend(started.iter().map(|&(clock, member)| (clock, member, 1)));
        by_clock.sort_unstable();
        let (mut events, mut doubts): (Vec<Stamped>, Vec<(u64, u64)>) = (Vec::new(), Vec::new());
        // Ends of spans after which a child of theirs starts, by a coarse clock. Who reads one when a span starts measures from there
        // on with another, a little later: an end can be too early by however long the program did not run in between. So such
        // an end says nothing.
        let mut left_early: FxHashSet<EventId> = FxHashSet::default();
        for members in by_clock.chunk_by(|a, b| a.0 == b.0).filter(|members| members.len() > 1) {
            events.clear();
            doubts.clear();
            left_early.clear();
            for &(own, member, most) in members {
                // Events of a member are consecutive.
                let first = self.starts[member as usize].index();
                let own_events = self.events[first..].iter().take_while(|e| e.member == member).take(most);
                // What lies within one step of a coarse clock is not ordered by it.
                let grain = self.statistics.grain(family.span(self.store, member).resource);
                if grain > 1 {
                    doubts.extend(own_events.clone().map(|e| (e.time, e.time.saturating_add(grain - 1))));
                }
                events.extend(own_events);
                if let Some(parent) = family.parent(member).filter(|&parent| clock(parent) == Some(own)) {
                    let outer = family.span(self.store, parent);
                    let (before, after) = (outer.start, family.span(self.store, member).start);
                    if outer.end < after && self.statistics.is_coarse(outer.resource) {
                        left_early.extend(self.ends[parent as usize]);
                    }
                    if after < before {
                        doubts.push((after, before));
                        if reason == Reason::Segment {
                            self.noticed.early.add(|| format!("`{}`", self.names[member as usize]));
                        }
                    }
                }
            }
            if !left_early.is_empty() {
                events.retain(|e| !left_early.contains(&e.event));
            }
            doubts.sort_unstable();
            doubts.dedup_by(|next, last| {
                let overlap = next.0 <= last.1;
                last.1 = if overlap { last.1.max(next.1) } else { last.1 };
                overlap
            });
            let builder = &mut self.builder;
            sweep.order(&mut events, &doubts, budget, |from, to| builder.link_because(from, to, reason))?;
        }
        Ok(())
    }
}

/// Of several attributes with one key the first stays. Answers with the key of one that said something else.
fn keep_first(attributes: &mut Vec<Attribute>) -> Option<Symbol> {
    const FEW: usize = 32;
    let mut differs = None;
    if attributes.len() <= FEW {
        let mut at = 0;
        while at < attributes.len() {
            let (key, json) = attributes[at];
            match attributes[..at].iter().find(|&&(k, _)| k == key) {
                Some(&(_, first)) => {
                    differs = differs.or((first != json).then_some(key));
                    attributes.remove(at);
                }
                None => at += 1,
            }
        }
        return differs;
    }
    let mut seen: FxHashMap<Symbol, Symbol> = FxHashMap::default();
    attributes.retain(|&(key, json)| match seen.entry(key) {
        Entry::Vacant(free) => {
            free.insert(json);
            true
        }
        Entry::Occupied(first) => {
            differs = differs.or((*first.get() != json).then_some(key));
            false
        }
    });
    differs
}
