//! What CTL can still say of a run, by trying what can come: the verdicts on runs that a prefix may become.
//!
//! Of what can come only some is tried, so a verdict that is not found here may still come; one that is found, may.

use std::collections::BTreeSet;

use fastrand::Rng;
use posetta_base::{EventId, ProcessId, Value};
use posetta_logic::Ctl;
use posetta_trace::Trace;

use crate::ctl;
use crate::order::{EventSet, Order, contains, singleton};
use crate::random::{Kind, Plan, PlannedEvent};

/// A run as far as it has come.
pub struct Prefix {
    plan: Plan,
    /// What events of each process will come after, in places of the plan; the last one is a process that has not shown up.
    sources: Vec<(usize, EventSet)>,
}

impl Prefix {
    /// The events of a plan that have been seen. `initial` has the value of each variable before any event, `sources` what events to come
    /// will come after.
    #[must_use]
    pub fn new(plan: &Plan, initial: &[Value], seen: EventSet, sources: &[(Option<ProcessId>, EventSet)]) -> Self {
        let places: Vec<usize> = (0..plan.events.len()).filter(|&e| contains(seen, event(e))).collect();
        let place = |e: usize| places.iter().position(|&p| p == e);
        let moved = |set: EventSet| {
            let kept = places.iter().enumerate().filter(|(_, e)| contains(set, event(**e)));
            kept.fold(0, |set, (to, _)| set | singleton(event(to)))
        };
        let mut processes = plan.processes.clone();
        processes.push("another".to_owned());
        let stranger = plan.processes.len();
        let prefix = Plan {
            processes,
            variables: plan.variables.clone(),
            initial: initial.iter().cloned().enumerate().collect(),
            events: places.iter().map(|&e| plan.events[e].clone()).collect(),
            edges: plan.edges.iter().filter_map(|&(a, b)| place(a).zip(place(b))).collect(),
            sequence: plan.sequence,
        };
        let source =
            |(process, set): &(Option<ProcessId>, EventSet)| (process.map_or(stranger, ProcessId::index), moved(*set));
        Self { plan: prefix, sources: sources.iter().map(source).collect() }
    }

    /// The run, were it the whole.
    ///
    /// # Panics
    /// When the plan is no run.
    #[must_use]
    pub fn trace(&self) -> Trace {
        self.plan.build().expect("part of a run")
    }

    /// The verdict, were it the whole run; `None` if CTL rejects the formula.
    #[must_use]
    pub fn verdict(&self, formula: &Ctl) -> Option<bool> {
        ctl::holds(&self.trace(), formula)
    }

    /// Where a formula is true.
    ///
    /// # Panics
    /// When CTL rejects it.
    #[must_use]
    pub fn has_cut(&self, formula: &Ctl, is_meant: impl Fn(&Order, EventSet) -> bool) -> bool {
        let trace = self.trace();
        let order = Order::of(&trace);
        let truth = ctl::truth(&trace, formula).expect("determined");
        truth.iter().any(|(&cut, &value)| value && is_meant(&order, cut))
    }

    /// Verdicts on runs that it may become, with up to two more events.
    pub fn verdicts(&self, rng: &mut Rng, formula: &Ctl, tries: usize) -> BTreeSet<bool> {
        let mut found: BTreeSet<bool> = self.verdict(formula).into_iter().collect();
        if self.sources.is_empty() {
            return found;
        }
        for _ in 0..tries {
            if found.len() == 2 {
                break;
            }
            let mut longer = Self { plan: self.plan.clone(), sources: self.sources.clone() };
            for _ in 0..1 + rng.usize(..2) {
                longer.grow(rng);
            }
            found.extend(longer.verdict(formula));
        }
        found
    }

    /// Some event comes.
    fn grow(&mut self, rng: &mut Rng) {
        let i = rng.usize(..self.sources.len());
        let (process, source) = self.sources[i];
        let count = self.plan.events.len();
        let causes: Vec<usize> = match rng.u8(..3) {
            0 => (0..count).filter(|&e| contains(source, event(e))).collect(),
            1 => (0..count).collect(),
            _ => (0..count).filter(|&e| contains(source, event(e)) || rng.u8(..3) == 0).collect(),
        };
        let mut sets = Vec::new();
        for (var, (_, kind)) in self.plan.variables.iter().enumerate() {
            if rng.u8(..3) > 0 {
                sets.push((var, value(rng, *kind)));
            }
        }
        self.plan.events.push(PlannedEvent { process, name: None, sets, time: None, attributes: Vec::new() });
        let others = causes.into_iter().filter(|&e| self.plan.events[e].process != process);
        self.plan.edges.extend(others.map(|e| (e, count)));
        for event in &mut self.plan.events {
            event.time = None;
        }
        self.sources[i].1 |= singleton(event(count));
    }
}

/// A value of this kind, now and then a large one.
fn value(rng: &mut Rng, kind: Kind) -> Value {
    match kind.is_numeric() && rng.u8(..4) == 0 {
        true => Value::Number(rng.i64(-20..20).into()),
        false => kind.value(rng),
    }
}

fn event(place: usize) -> EventId {
    EventId::from_raw(place as u32)
}
