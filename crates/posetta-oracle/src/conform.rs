//! Recorded runs against systems of components, by enumeration of the orders of a trace.
//!
//! An event stands for the action that is called `<process>.<event name>` if there is one, else for the one called `<event name>`; otherwise
//! it is no step and left out. *Seen* are the observable actions, and internal ones that some event of the trace stands for. A trace
//! conforms if, for some order, the sequence of its steps is what is left of some finite run of the system without the actions that are not seen.

use posetta_base::{ActionId, ComponentId, EventId};
use posetta_trace::Trace;

use crate::order::{EventSet, Order, contains, singleton};
use crate::system::Space;

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conformance {
    /// Whether the trace conforms.
    pub conforms: bool,
    /// The largest number of step events that some order can take.
    pub steps: usize,
    /// The sets of so many step events that some order can take first, ascending.
    pub furthest: Vec<EventSet>,
}

/// The action that an event stands for.
#[must_use]
pub fn action(space: &Space<'_>, trace: &Trace, event: EventId) -> Option<ActionId> {
    let name = trace.event_name(event)?;
    let process = trace.process_name(trace.process(event));
    let called = |name: &str| space.system.action_ids().find(|&a| *space.system.action(a).name == *name);
    called(&format!("{process}.{name}")).or_else(|| called(name))
}

/// The actions that are seen.
#[must_use]
pub fn seen(space: &Space<'_>, trace: &Trace) -> Vec<ActionId> {
    let stood_for: Vec<ActionId> = trace.events().filter_map(|e| action(space, trace, e)).collect();
    let is_seen = |a: &ActionId| !space.system.action(*a).internal || stood_for.contains(a);
    space.system.action_ids().filter(is_seen).collect()
}

/// The states that the system may be in when it has taken a set of steps, in some order of the trace, and anything that is not seen besides.
#[must_use]
pub fn reached(space: &Space<'_>, trace: &Trace, cut: EventSet) -> Vec<usize> {
    let seen = seen(space, trace);
    let mut all = Vec::new();
    Order::of(trace).for_each_run(|run| {
        let steps = run.iter().filter_map(|&e| Some((e, action(space, trace, e)?)));
        let steps: Vec<(EventId, ActionId)> = steps.take(cut.count_ones() as usize).collect();
        if steps.iter().all(|(event, _)| contains(cut, *event)) {
            all.extend(after(space, &seen, steps.iter().map(|(_, action)| *action)));
        }
    });
    all.sort_unstable();
    all.dedup();
    all
}

/// The states after these actions, in this order, and anything that is not seen between and behind them.
#[must_use]
pub fn after(space: &Space<'_>, seen: &[ActionId], actions: impl Iterator<Item = ActionId>) -> Vec<usize> {
    let mut states = space.silently_reached(&[0], seen);
    for action in actions {
        let next: Vec<usize> =
            states.iter().flat_map(|&s| &space.steps[s]).filter(|s| s.action == action).map(|s| s.to).collect();
        states = space.silently_reached(&next, seen);
    }
    states
}

/// What could come next in the trace after a set of steps, and for each the components that take part in it and cannot in any of the states
/// that the system may be in; by the places of the events.
#[must_use]
pub fn refused(space: &Space<'_>, trace: &Trace, cut: EventSet) -> Vec<(EventId, ActionId, Vec<ComponentId>)> {
    let (order, states) = (Order::of(trace), reached(space, trace, cut));
    let open: Vec<(EventId, ActionId)> =
        trace.events().filter(|e| !contains(cut, *e)).filter_map(|e| Some((e, action(space, trace, e)?))).collect();
    let is_next = |event: EventId| !open.iter().any(|(other, _)| order.before(*other, event));
    let next = open.iter().filter(|(event, _)| is_next(*event));
    next.map(|&(event, action)| {
        let refuses = |c: &ComponentId| !states.iter().any(|&s| space.can_take_part(s, *c, action));
        (event, action, space.system.action(action).parts.iter().copied().filter(refuses).collect())
    })
    .collect()
}

/// Holds a trace against a system.
#[must_use]
pub fn conform(space: &Space<'_>, trace: &Trace) -> Conformance {
    let seen = seen(space, trace);
    let mut best = Conformance { conforms: false, steps: 0, furthest: vec![0] };
    Order::of(trace).for_each_run(|run| {
        let steps: Vec<(EventId, ActionId)> = run.iter().filter_map(|&e| Some((e, action(space, trace, e)?))).collect();
        let mut states = space.silently_reached(&[0], &seen);
        let (mut taken, mut cut) = (0, 0);
        for (event, action) in &steps {
            let next: Vec<usize> =
                states.iter().flat_map(|&s| &space.steps[s]).filter(|s| s.action == *action).map(|s| s.to).collect();
            if next.is_empty() {
                break;
            }
            states = space.silently_reached(&next, &seen);
            taken += 1;
            cut |= singleton(*event);
        }
        best.conforms |= taken == steps.len();
        if taken > best.steps {
            best.steps = taken;
            best.furthest.clear();
        }
        if taken == best.steps {
            best.furthest.push(cut);
        }
    });
    best.furthest.sort_unstable();
    best.furthest.dedup();
    best
}
