//! Linear extensions: some run of a trace, the observed one, and a prefix completed to a run.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::event::Trace;
use posetta_base::{Budget, EventId, Number, OverBudget};

/// Visits every event after its causes, as far as that goes; events on or behind a cycle are never visited.
pub(super) fn remove_sources(trace: &Trace, mut visit: impl FnMut(EventId)) {
    let mut missing: Vec<u32> = trace.events().map(|e| causes_of(trace, e)).collect();
    let mut ready: Vec<EventId> = trace.events().filter(|e| missing[e.index()] == 0).collect();
    ready.reverse(); // So that the earliest read is taken first.
    while let Some(event) = ready.pop() {
        visit(event);
        for_each_effect(trace, event, |next| {
            missing[next.index()] -= 1;
            if missing[next.index()] == 0 {
                ready.push(next);
            }
        });
    }
}

/// Direct causes of an event, its predecessor on the chain included.
pub(super) fn causes_of(trace: &Trace, event: EventId) -> u32 {
    trace.causes(event).len() as u32 + u32::from(trace.position(event) > 0)
}

pub(super) fn for_each_effect(trace: &Trace, event: EventId, mut f: impl FnMut(EventId)) {
    if let Some(&next) = trace.chain(trace.process(event)).get(trace.position(event) + 1) {
        f(next);
    }
    trace.effects(event).iter().copied().for_each(f);
}

/// Whether the order of reading respects happened-before. Most files do.
pub(super) fn reading_order_is_causal(trace: &Trace) -> bool {
    trace.facts.chains.iter().all(|chain| chain.is_sorted())
        && trace.events().all(|e| trace.causes(e).iter().all(|&c| c < e))
}

/// A linear extension, or `None` if happened-before has a cycle.
pub(super) fn topological(trace: &Trace, budget: &Budget) -> Result<Option<Vec<EventId>>, OverBudget> {
    budget.step(0, "ordering the events")?;
    if reading_order_is_causal(trace) {
        return Ok(Some(trace.events().collect()));
    }
    let mut order = Vec::with_capacity(trace.len());
    remove_sources(trace, |e| order.push(e));
    budget.step(0, "ordering the events")?;
    Ok((order.len() == trace.len()).then_some(order))
}

/// The order by time stamp, if every event has one and they respect happened-before, or if the `nearest` order will do:
/// then the earliest of what can come next comes next, and the answer says by how much an event came too late.
///
/// Equal time stamps leave their events in an order that respects happened-before, by line where that is free.
pub(super) fn by_time(trace: &Trace, nearest: bool) -> Option<(Vec<EventId>, Option<Number>)> {
    if trace.facts.times.is_empty() || trace.facts.times.len() != trace.len() {
        return None;
    }
    let rank = time_ranks(trace)?;
    let mut missing: Vec<u32> = trace.events().map(|e| causes_of(trace, e)).collect();
    let mut ready: BinaryHeap<_> =
        trace.events().filter(|e| missing[e.index()] == 0).map(|e| Reverse((rank[e.index()], e))).collect();
    let mut order: Vec<EventId> = Vec::with_capacity(trace.len());
    // The latest event so far, and the most by which one came after it.
    let mut latest: Option<(u32, EventId)> = None;
    let mut lag: Option<Number> = None;
    while let Some(Reverse((time, event))) = ready.pop() {
        match latest {
            Some((now, last)) if time < now => {
                if !nearest {
                    return None;
                }
                let late = trace.time(last)?.sub(trace.time(event)?).ok()?;
                lag = lag.max(Some(late));
            }
            _ => latest = Some((time, event)),
        }
        order.push(event);
        for_each_effect(trace, event, |next| {
            missing[next.index()] -= 1;
            if missing[next.index()] == 0 {
                ready.push(Reverse((rank[next.index()], next)));
            }
        });
    }
    Some((order, lag))
}

/// Equal times share a rank. `None` if some event has no time.
fn time_ranks(trace: &Trace) -> Option<Vec<u32>> {
    let mut by_time = Vec::with_capacity(trace.len());
    for event in trace.events() {
        by_time.push((trace.time(event)?, event));
    }
    by_time.sort();
    let mut ranks = vec![0; trace.len()];
    let mut rank = 0;
    for i in 0..by_time.len() {
        if i > 0 && by_time[i].0 != by_time[i - 1].0 {
            rank += 1;
        }
        ranks[by_time[i].1.index()] = rank;
    }
    Some(ranks)
}

/// A run that starts with `prefix` and goes on in the order of [`Trace::linearisation`]. The prefix must be the events
/// of a cut in an order that respects happened-before.
#[must_use]
pub fn complete(trace: &Trace, prefix: &[EventId]) -> Vec<EventId> {
    let mut taken = vec![false; trace.len()];
    for e in prefix {
        taken[e.index()] = true;
    }
    let rest = trace.linearisation().iter().copied().filter(|e| !taken[e.index()]);
    prefix.iter().copied().chain(rest).collect()
}

/// Where `order` stops being the beginning of a run: the first place whose event came before or lacks a cause, and that
/// missing cause. `None` if all of it is fine.
#[must_use]
pub fn first_misplaced(trace: &Trace, order: &[EventId]) -> Option<(usize, Option<EventId>)> {
    let mut done = vec![false; trace.len()];
    for (at, &event) in order.iter().enumerate() {
        if done[event.index()] {
            return Some((at, None));
        }
        let before = trace.position(event).checked_sub(1).map(|i| trace.chain(trace.process(event))[i]);
        if let Some(cause) = trace.causes(event).iter().copied().chain(before).find(|c| !done[c.index()]) {
            return Some((at, Some(cause)));
        }
        done[event.index()] = true;
    }
    None
}
