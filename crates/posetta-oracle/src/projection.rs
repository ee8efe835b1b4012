//! A run for each value, by the definition.

use std::collections::BTreeMap;

use posetta_base::{EventId, Value};
use posetta_trace::Trace;

use crate::order::Order;
use crate::random::{Plan, PlannedEvent};

/// "The run projected on the events whose attribute F is k (order induced; variables as they are set by those events, initial values those
/// of the run)", in the order of their first events, each with its events. An event without a value is in none.
///
/// # Panics
/// When the plan is no run.
#[must_use]
pub fn projected(
    plan: &Plan,
    trace: &Trace,
    value: &dyn Fn(EventId) -> Option<Value>,
) -> Vec<(Value, Vec<EventId>, Trace)> {
    let order = Order::of(trace);
    let mut all: Vec<(Value, Vec<EventId>)> = Vec::new();
    for event in trace.events() {
        let Some(value) = value(event) else { continue };
        match all.iter_mut().find(|(known, _)| *known == value) {
            Some((_, events)) => events.push(event),
            None => all.push((value, vec![event])),
        }
    }
    let initial: BTreeMap<usize, Value> = (0..plan.variables.len())
        .map(|place| {
            let var = trace.find_variable(&plan.variables[place].0).expect("a variable of the plan");
            (place, trace.value(trace.initial(var)).clone())
        })
        .collect();
    let project = |(value, events): (Value, Vec<EventId>)| {
        let own: Vec<PlannedEvent> = events.iter().map(|e| plan.events[e.index()].clone()).collect();
        let mut edges = Vec::new();
        for (to, f) in events.iter().enumerate() {
            for (from, e) in events.iter().enumerate() {
                if own[from].process != own[to].process && order.before(*e, *f) {
                    edges.push((from, to));
                }
            }
        }
        let part = Plan { initial: initial.clone(), events: own, edges, ..plan.clone() };
        (value, events, part.build().expect("part of a run"))
    };
    all.into_iter().map(project).collect()
}
