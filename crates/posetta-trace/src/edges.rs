//! The same run with more order: what it would have been with a message, a lock or a wait that it lacks.

use std::sync::Arc;

use super::event::{Event, NONE, Trace};
use super::reason::Reason;
use posetta_base::{Budget, EventId, Limit, OverBudget};

const WHAT: &str = "adding edges to a run";

impl Trace {
    /// The same events with more edges, between events of different processes. `run` is to be a run of the result and becomes
    /// its [`Self::linearisation`]; it is the observed order if it was that before. Ids of events, variables and values stay
    /// what they are, so that a property bound to one is bound to the other.
    ///
    /// Linear in events and edges; names, values and assignments are shared.
    ///
    /// # Errors
    /// When the tables do not fit the budget.
    pub fn with_edges(
        &self,
        edges: &[(EventId, EventId)],
        run: Vec<EventId>,
        budget: &Budget,
    ) -> Result<Self, OverBudget> {
        let bytes = size_of::<Event>() * self.len() + 4 * run.len() + 8 * (self.causes.len() + edges.len());
        let claim = budget.claim(bytes as u64, WHAT)?;
        if self.causes.len() + edges.len() >= NONE as usize {
            return Err(OverBudget::new(WHAT, Limit::Memory));
        }
        let mut new: Vec<(EventId, EventId)> = edges.to_vec();
        new.sort_unstable();
        new.dedup();
        let mut events = self.events.clone();
        let effects =
            merged(&new, &self.events, |e| self.effects(e), &mut |event, end| events[event].effects_end = end);
        new.iter_mut().for_each(|edge| *edge = (edge.1, edge.0));
        new.sort_unstable();
        let causes = merged(&new, &self.events, |e| self.causes(e), &mut |event, end| events[event].causes_end = end);
        let has_observed = self.has_observed && run == self.linear;
        let mut reasons = Vec::new();
        if !self.reasons.is_empty() {
            // Of each event, what was there comes first.
            for (event, own) in self.events().zip(&events) {
                reasons.extend(self.reasons(event));
                reasons.resize(own.causes_end as usize, Reason::Stated);
            }
        }
        Ok(Self {
            events,
            causes,
            effects,
            reasons,
            contradicted: self.contradicted,
            lag: self.lag.clone().filter(|_| has_observed),
            linear: run,
            has_observed,
            facts: Arc::clone(&self.facts),
            projection: self.projection.clone(),
            _claim: Some(claim),
        })
    }
}

/// The edges of a run, as [`Trace`] holds them.
pub(super) struct Tables {
    pub(super) causes: Vec<EventId>,
    pub(super) effects: Vec<EventId>,
    pub(super) reasons: Vec<Reason>,
}

/// Sorts edges into causes and effects and tells each event where its own end. The edges are sorted by effect, then cause.
pub(super) fn sorted_in(
    events: &mut [Event],
    edges: impl ExactSizeIterator<Item = (EventId, EventId)> + Clone,
) -> (Vec<EventId>, Vec<EventId>) {
    for event in events.iter_mut() {
        (event.causes_end, event.effects_end) = (0, 0);
    }
    let causes = edges.clone().map(|(from, _)| from).collect();
    for (from, to) in edges.clone() {
        events[to.index()].causes_end += 1;
        events[from.index()].effects_end += 1;
    }
    let (mut causes_end, mut effects_end) = (0, 0);
    for event in events.iter_mut() {
        causes_end += event.causes_end;
        event.causes_end = causes_end;
        // For the moment the start of the event's effects; filling moves it to their end.
        effects_end += std::mem::replace(&mut event.effects_end, effects_end);
    }
    let mut effects = vec![EventId::from_raw(0); edges.len()];
    for (from, to) in edges {
        let slot = &mut events[from.index()].effects_end;
        effects[*slot as usize] = to;
        *slot += 1;
    }
    (causes, effects)
}

/// For each event what it was linked with and what it is linked with now, each once; `new` is sorted. Says where each ends.
fn merged<'t>(
    new: &[(EventId, EventId)],
    events: &[Event],
    old: impl Fn(EventId) -> &'t [EventId],
    end: &mut dyn FnMut(usize, u32),
) -> Vec<EventId> {
    let mut all = Vec::new();
    let mut new = new.iter().peekable();
    for index in 0..events.len() {
        let event = EventId::from_raw(index as u32);
        let known = old(event);
        all.extend_from_slice(known);
        while let Some(&(_, other)) = new.next_if(|(of, _)| *of == event) {
            if !known.contains(&other) {
                all.push(other);
            }
        }
        end(index, all.len() as u32);
    }
    all
}

#[cfg(test)]
mod tests {
    use crate::first_misplaced;
    use crate::sketch;
    use posetta_base::{Budget, EventId};

    #[test]
    fn edges_are_added_once_and_nothing_else_changes() {
        let source = "A: x=1 -> @a\nB: y=2\nC: @c\nA.1 -> B.1\n";
        let budget = Budget::unlimited();
        let trace = sketch::read_within(source, true, &budget);
        let at = |label: &str| trace.find_event(label).unwrap();
        let edges = [("A.2", "B.1"), ("C.1", "B.1"), ("A.2", "B.1"), ("A.1", "B.1")].map(|(a, b)| (at(a), at(b)));
        let run: Vec<EventId> = ["C.1", "A.1", "A.2", "B.1"].map(at).to_vec();
        let more = trace.with_edges(&edges, run.clone(), &budget).unwrap();
        let labels = |events: &[EventId]| events.iter().map(|&e| more.label(e)).collect::<Vec<_>>();
        assert_eq!(labels(more.causes(at("B.1"))), ["A.1", "A.2", "C.1"]);
        assert_eq!(labels(more.effects(at("A.2"))), ["B.1"]);
        assert_eq!(labels(more.effects(at("A.1"))), ["B.1"]);
        assert_eq!(labels(more.effects(at("B.1"))), [""; 0]);
        assert_eq!(more.linearisation(), run);
        assert_eq!(first_misplaced(&more, &run), None);
        assert_eq!((trace.observed().is_some(), more.observed()), (true, None));
        assert_eq!(more.assignments(at("B.1")), trace.assignments(at("B.1")));
        let same = trace.with_edges(&[], trace.linearisation().to_vec(), &budget).unwrap();
        assert_eq!(same.observed(), trace.observed());
    }

    #[test]
    fn a_copy_counts_as_memory() {
        let budget = Budget::with_memory(1_000_000);
        let lines: String = (0..5000).map(|i| format!("P{}: @a\n", i % 7)).collect();
        let trace = sketch::read_within(&lines, true, &budget);
        let mut copies = Vec::new();
        while let Ok(copy) = trace.with_edges(&[], trace.linearisation().to_vec(), &budget) {
            copies.push(copy);
        }
        assert!((1..6).contains(&copies.len()), "{}", copies.len());
    }
}
