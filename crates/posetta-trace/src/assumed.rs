//! Edges that are assumed: given up where they contradict causes, and taken away to see what rests on them.

use super::edges::{Tables, sorted_in};
use super::event::{Event, Trace};
use super::linearize;
use super::reason::Reason;
use posetta_base::{Budget, EventId, OverBudget};
use std::sync::Arc;

/// How many edges of each assumption contradicted causes, in the order of [`Reason::assumed`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Contradicted([u32; 5]);

impl Trace {
    /// How many edges there are for each reason, those that have any.
    #[must_use]
    pub fn edges_by_reason(&self) -> Vec<(Reason, usize)> {
        let mut counts = [0; Reason::ALL.len()];
        if self.reasons.is_empty() {
            counts[Reason::Stated as usize] = self.causes.len();
        }
        for &reason in &self.reasons {
            counts[reason as usize] += 1;
        }
        Reason::ALL.into_iter().zip(counts).filter(|(_, count)| *count > 0).collect()
    }

    /// Whether some edge has another reason than that the file says so.
    #[must_use]
    pub fn states_reasons(&self) -> bool {
        !self.reasons.is_empty()
    }

    /// The assumptions that some edge rests on, in the order in which they are given up.
    #[must_use]
    pub fn assumptions(&self) -> Vec<Reason> {
        let counts = self.edges_by_reason();
        Reason::assumed().into_iter().filter(|a| counts.iter().any(|(reason, _)| reason == a)).collect()
    }

    /// How many edges were left out, because what is assumed contradicted what is known.
    #[must_use]
    pub fn contradicted(&self) -> Vec<(Reason, usize)> {
        let counts = Reason::assumed().into_iter().zip(self.contradicted.0);
        counts.filter(|(_, count)| *count > 0).map(|(reason, count)| (reason, count as usize)).collect()
    }

    /// The same events without the edges that rest on one of these assumptions. Ids of events, variables and values stay what
    /// they are, and so does the observed order.
    ///
    /// Linear in events and edges; names, values and assignments are shared.
    ///
    /// # Errors
    /// When the tables do not fit the budget.
    pub fn without(&self, gone: &[Reason], budget: &Budget) -> Result<Self, OverBudget> {
        const WHAT: &str = "taking edges away from a run";
        let bytes = size_of::<Event>() * self.len() + 4 * self.linear.len() + 20 * self.causes.len();
        let claim = budget.claim(bytes as u64, WHAT)?;
        let mut events = self.events.clone();
        let tables = kept(self, &mut events, |_, _, reason| !gone.contains(&reason));
        Ok(Self {
            events,
            causes: tables.causes,
            effects: tables.effects,
            reasons: tables.reasons,
            contradicted: self.contradicted,
            lag: self.lag.clone(),
            linear: self.linear.clone(),
            has_observed: self.has_observed,
            facts: Arc::clone(&self.facts),
            projection: self.projection.clone(),
            _claim: Some(claim),
        })
    }
}

/// The edges that stay. `events` are those of the run, and are told where their edges end now.
fn kept(trace: &Trace, events: &mut [Event], stays: impl Fn(EventId, EventId, Reason) -> bool) -> Tables {
    let mut edges: Vec<(EventId, EventId)> = Vec::new();
    let mut reasons = Vec::new();
    for effect in trace.events() {
        for (&cause, reason) in trace.causes(effect).iter().zip(trace.reasons(effect)) {
            if stays(cause, effect, reason) {
                edges.push((cause, effect));
                reasons.push(reason);
            }
        }
    }
    let (causes, effects) = sorted_in(events, edges.iter().copied());
    Tables { causes, effects, reasons }
}

/// Happened-before has a cycle. Where edges of it are assumed, those lose: of each part in which every event comes before every
/// other, the assumed ones go, the weakest assumption first, until no cycle is left. A linear extension then; `None` if causes
/// alone are a cycle.
pub(super) fn without_contradictions(trace: &mut Trace, budget: &Budget) -> Result<Option<Vec<EventId>>, OverBudget> {
    for (at, assumption) in Reason::assumed().into_iter().enumerate() {
        if !trace.reasons.contains(&assumption) {
            continue;
        }
        let _claim = budget.claim(trace.len() as u64 * 24 + trace.causes.len() as u64 * 20, "ordering the events")?;
        let part = components(trace);
        let mut events = std::mem::take(&mut trace.events);
        // The ends are read while the new ones are made.
        trace.events = events.clone();
        let loses = |a: EventId, b: EventId, why| why == assumption && part[a.index()] == part[b.index()];
        let tables = kept(trace, &mut events, |cause, effect, reason| !loses(cause, effect, reason));
        trace.contradicted.0[at] = (trace.causes.len() - tables.causes.len()) as u32;
        trace.events = events;
        (trace.causes, trace.effects, trace.reasons) = (tables.causes, tables.effects, tables.reasons);
        if let Some(order) = linearize::topological(trace, budget)? {
            return Ok(Some(order));
        }
    }
    Ok(None)
}

/// For each event the number of its strongly connected component (Tarjan 1972, without recursion).
fn components(trace: &Trace) -> Vec<u32> {
    const UNSEEN: u32 = u32::MAX;
    let mut component = vec![UNSEEN; trace.len()];
    let mut seen = vec![UNSEEN; trace.len()];
    let mut low = vec![0; trace.len()];
    let (mut clock, mut found) = (0, 0);
    let mut open: Vec<EventId> = Vec::new();
    // An event, and how many of its effects have been looked at.
    let mut path: Vec<(EventId, usize)> = Vec::new();
    for root in trace.events() {
        if seen[root.index()] != UNSEEN {
            continue;
        }
        path.push((root, 0));
        while let Some((event, looked)) = path.last_mut() {
            let event = *event;
            if *looked == 0 {
                (seen[event.index()], low[event.index()]) = (clock, clock);
                clock += 1;
                open.push(event);
            }
            let next = effect(trace, event, *looked);
            *looked += 1;
            match next {
                Some(next) if seen[next.index()] == UNSEEN => path.push((next, 0)),
                Some(next) if component[next.index()] == UNSEEN => {
                    low[event.index()] = low[event.index()].min(seen[next.index()]);
                }
                Some(_) => {}
                None => {
                    path.pop();
                    if let Some((before, _)) = path.last() {
                        low[before.index()] = low[before.index()].min(low[event.index()]);
                    }
                    if low[event.index()] == seen[event.index()] {
                        while let Some(member) = open.pop() {
                            component[member.index()] = found;
                            if member == event {
                                break;
                            }
                        }
                        found += 1;
                    }
                }
            }
        }
    }
    component
}

/// The events that come directly after an event, by number: the next one of its process is the first.
fn effect(trace: &Trace, event: EventId, at: usize) -> Option<EventId> {
    let next = trace.chain(trace.process(event)).get(trace.position(event) + 1);
    let (first, rest) = (next.copied(), trace.effects(event));
    match first {
        Some(first) if at == 0 => Some(first),
        Some(_) => rest.get(at - 1).copied(),
        None => rest.get(at).copied(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Builder;
    use posetta_base::Error;

    /// One event for each process, and edges between them.
    fn run(processes: usize, edges: &[(usize, usize, Reason)]) -> Result<Trace, Error> {
        let mut builder = Builder::new();
        let mut events = Vec::new();
        for i in 0..processes {
            let process = builder.process(&format!("P{i}"))?;
            events.push(builder.event(process, i as u64 + 1)?);
        }
        for &(from, to, reason) in edges {
            builder.link_because(events[from], events[to], reason);
        }
        builder.finish(false, &Budget::unlimited())
    }

    fn edges(trace: &Trace) -> Vec<(usize, usize, Reason)> {
        let of = |e: EventId| trace.causes(e).iter().zip(trace.reasons(e)).map(move |(c, r)| (c.index(), e.index(), r));
        trace.events().flat_map(of).collect()
    }

    #[test]
    fn of_two_reasons_for_an_edge_what_is_known_stays() {
        let two = [(0, 1, Reason::Segment), (0, 1, Reason::Parent), (0, 1, Reason::Nesting)];
        let trace = run(2, &two).unwrap();
        assert_eq!(edges(&trace), [(0, 1, Reason::Parent)]);
        assert_eq!(trace.edges_by_reason(), [(Reason::Parent, 1)]);
        assert!(trace.assumptions().is_empty());
    }

    #[test]
    fn what_is_assumed_loses_to_what_is_known_and_only_there() {
        use Reason::{Nesting, Parent, Segment, Skew};
        let all = [(0, 1, Parent), (1, 0, Segment), (1, 2, Segment), (2, 3, Nesting), (3, 2, Skew), (3, 4, Skew)];
        let trace = run(5, &all).unwrap();
        assert_eq!(edges(&trace), [(0, 1, Parent), (1, 2, Segment), (2, 3, Nesting), (3, 4, Skew)]);
        assert_eq!(trace.contradicted(), [(Skew, 1), (Segment, 1)]);
        assert_eq!(trace.assumptions(), [Skew, Segment, Nesting]);
    }

    #[test]
    fn causes_that_contradict_each_other_are_a_mistake_whatever_is_assumed() {
        let cycle = [(0, 1, Reason::Parent), (1, 0, Reason::Message), (1, 0, Reason::Segment)];
        assert!(matches!(run(2, &cycle), Err(Error::Invalid(_))));
    }

    #[test]
    fn edges_are_taken_away_by_reason() {
        use Reason::{Clock, Nesting, Segment};
        let trace = run(3, &[(0, 1, Clock), (1, 2, Segment), (0, 2, Nesting)]).unwrap();
        let budget = Budget::unlimited();
        assert_eq!(edges(&trace.without(&[Segment], &budget).unwrap()), [(0, 1, Clock), (0, 2, Nesting)]);
        let bare = trace.without(&Reason::assumed(), &budget).unwrap();
        assert_eq!(edges(&bare), [(0, 1, Clock)]);
        assert_eq!(bare.effects(EventId::from_raw(0)), [EventId::from_raw(1)]);
        assert_eq!(bare.reason(EventId::from_raw(0), EventId::from_raw(1)), Some(Clock));
        // More edges know their reasons, too.
        let more = [(EventId::from_raw(1), EventId::from_raw(2))];
        let more = bare.with_edges(&more, bare.linearisation().to_vec(), &budget).unwrap();
        assert_eq!(edges(&more), [(0, 1, Clock), (1, 2, Reason::Stated)]);
    }
}
