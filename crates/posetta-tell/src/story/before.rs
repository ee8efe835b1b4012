//! Which events of a picture happened before which others.

use std::collections::BTreeMap;

use posetta_base::EventId;
use posetta_trace::Trace;

/// How many events can be drawn: one bit each.
pub(super) const EVENTS: usize = 128;

/// Which of these events, each with its row, happened before which others, as rows: no order that follows from others. `order` is
/// the order of those that have happened, the others come behind. `None` if there are too many.
///
/// One pass over the order: each event has a bit for each event of the list that is in its past.
pub(super) fn happened_before(
    trace: &Trace,
    order: &[EventId],
    events: &[(usize, EventId)],
) -> Option<Vec<(usize, usize)>> {
    if events.len() > EVENTS {
        return None;
    }
    let bits: BTreeMap<EventId, u128> = events.iter().enumerate().map(|(i, &(_, event))| (event, 1 << i)).collect();
    let mut past: Vec<u128> = vec![0; trace.len()];
    let follow = |event: EventId, past: &mut Vec<u128>| {
        let before = trace.position(event).checked_sub(1).map(|i| trace.chain(trace.process(event))[i]);
        let own = |e: EventId| bits.get(&e).copied().unwrap_or(0);
        past[event.index()] =
            before.iter().chain(trace.causes(event)).fold(0, |all, &cause| all | past[cause.index()] | own(cause));
    };
    let mut met = 0;
    for &event in order {
        follow(event, &mut past);
        met |= bits.get(&event).copied().unwrap_or(0);
    }
    events.iter().filter(|(_, e)| bits[e] & met == 0).for_each(|&(_, event)| follow(event, &mut past));
    let mut pairs = Vec::new();
    for &(to, event) in events {
        let all = past[event.index()];
        let here: Vec<(usize, EventId)> =
            events.iter().enumerate().filter(|(i, _)| all >> i & 1 == 1).map(|(_, &pair)| pair).collect();
        // What is in the past of another that is.
        let implied = here.iter().fold(0, |implied, (_, e)| implied | past[e.index()]);
        let direct = here.into_iter().filter(|(_, e)| bits[e] & implied == 0);
        pairs.extend(direct.filter(|&(_, e)| trace.process(e) != trace.process(event)).map(|(from, _)| (from, to)));
    }
    Some(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_through_events_that_are_left_out_is_drawn() {
        let text = "A: a=1 -> a=2 -> a=3\nB: b=1 -> b=2\nC: c=1 -> c=2\nA.1 -> B.1\nB.2 -> C.1\nA.2 -> C.2\n";
        let trace = posetta_formats::text::read(text.as_bytes(), &posetta_base::Budget::unlimited()).unwrap();
        let order = trace.linearisation();
        for (shown, expected) in [
            // Through B, and nothing that follows from that.
            ("A.1 C.1 C.2", vec![("A.1", "C.1")]),
            ("A.1 A.2 C.2", vec![("A.2", "C.2")]),
            ("A.1 A.2 B.1 C.2", vec![("A.2", "C.2"), ("B.1", "C.2"), ("A.1", "B.1")]),
            ("A.3 B.1", vec![]),
        ] {
            let event = |label: &str| trace.find_event(label).unwrap();
            let shown: Vec<&str> = shown.split(' ').collect();
            let rows: Vec<(usize, EventId)> = shown.iter().enumerate().map(|(i, l)| (i, event(l))).collect();
            let mut found: Vec<(&str, &str)> = happened_before(&trace, order, &rows)
                .unwrap()
                .into_iter()
                .map(|(from, to)| (shown[from], shown[to]))
                .collect();
            let mut expected = expected;
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "{shown:?}");
        }
    }
}
