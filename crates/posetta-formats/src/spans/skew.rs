//! The order that wall clocks give, if they are never further apart than so much.
//!
//! An event comes before all that are later by more than the skew. Of these pairs only those are made edges that do not follow from
//! others: there is no event that is later than the one and earlier than the other by more than the skew, and they are the last and
//! the first of their spans for which it is so.

use super::clock::Stamped;
use posetta_base::{Budget, EventId, OverBudget};

/// Edges between events that are further apart than the clocks, which are all events of a run in any order.
pub(crate) fn order(
    events: &mut [Stamped],
    skew: u64,
    budget: &Budget,
    mut edge: impl FnMut(EventId, EventId),
) -> Result<(), OverBudget> {
    events.sort_unstable_by_key(|e| (e.time, e.event));
    let mut place = vec![0; events.iter().map(|e| e.event.index() + 1).max().unwrap_or(0)];
    for (i, event) in events.iter().enumerate() {
        place[event.event.index()] = i;
    }
    // Events of one span have consecutive numbers.
    let neighbour = |i: usize, step: i64| {
        let raw = i64::from(events[i].event.raw()) + step;
        let other = *place.get(usize::try_from(raw).ok()?)?;
        Some(other).filter(|&o| events[o].member == events[i].member && i64::from(events[o].event.raw()) == raw)
    };
    // How many events come before those at a time.
    let before = |time: u64| {
        let limit = time.saturating_sub(skew);
        events.partition_point(|e| e.time < limit)
    };
    for (i, event) in events.iter().enumerate() {
        let end = before(event.time);
        let Some(last) = end.checked_sub(1) else { continue };
        let implied = before(events[last].time).max(neighbour(i, -1).map_or(0, |own| before(events[own].time)));
        budget.step((end - implied.min(end)) as u64, "ordering events by wall clocks")?;
        for (from, earlier) in events[..end].iter().enumerate().skip(implied) {
            if neighbour(from, 1).is_none_or(|next| next >= end) {
                edge(earlier.event, event.event);
            }
        }
    }
    Ok(())
}
