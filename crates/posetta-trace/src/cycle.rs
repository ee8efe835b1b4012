//! Names the events on a cycle of happened-before.

use super::event::Trace;
use super::mistakes;
use posetta_base::{Diagnostic, EventId};

/// Of longer cycles only the beginning and the end are named.
const LONGEST: usize = 12;

/// The mistake to report for a trace that has no linear extension.
///
/// From an event that can never happen we walk to a cause that can never happen either; the first event seen twice
/// closes a cycle. Steps along one process are joined, so the report names only the events at which it turns.
pub(super) fn find_cycle(trace: &Trace) -> Diagnostic {
    let cycle = turning_points(trace, &walk(trace));
    let name = |&e: &EventId| (trace.label(e), trace.line(e));
    shortened(&cycle, name)
}

/// The mistake for a cycle of which each event can be named.
pub(super) fn shortened<E>(cycle: &[E], name: impl Fn(&E) -> (String, u64)) -> Diagnostic {
    let shown = if cycle.len() <= LONGEST { cycle.len() } else { LONGEST / 2 };
    let mut named: Vec<(String, u64)> = cycle[..shown].iter().map(&name).collect();
    if shown < cycle.len() {
        named.extend(cycle[cycle.len() - shown..].iter().map(&name));
    }
    mistakes::cycle(&named, cycle.len() - named.len())
}

/// The events of a cycle, each a cause of the next, the last a cause of the first.
fn walk(trace: &Trace) -> Vec<EventId> {
    let mut stuck = vec![true; trace.len()];
    super::linearize::remove_sources(trace, |e| stuck[e.index()] = false);
    let first = trace.events().find(|e| stuck[e.index()]).expect("called only when some event can never happen");
    let mut seen_at = vec![usize::MAX; trace.len()];
    let mut path = Vec::new();
    let mut at = first;
    while seen_at[at.index()] == usize::MAX {
        seen_at[at.index()] = path.len();
        path.push(at);
        let before = trace.position(at).checked_sub(1).map(|i| trace.chain(trace.process(at))[i]);
        at = trace
            .causes(at)
            .iter()
            .copied()
            .chain(before)
            .find(|c| stuck[c.index()])
            .expect("an event that can never happen has a cause that can never happen");
    }
    let mut cycle = path.split_off(seen_at[at.index()]);
    cycle.reverse();
    cycle
}

/// Drops events in the middle of a stretch along one process.
fn turning_points(trace: &Trace, cycle: &[EventId]) -> Vec<EventId> {
    let n = cycle.len();
    let follows =
        |a: EventId, b: EventId| trace.process(a) == trace.process(b) && trace.position(a) + 1 == trace.position(b);
    (0..n)
        .filter(|&i| !(follows(cycle[(i + n - 1) % n], cycle[i]) && follows(cycle[i], cycle[(i + 1) % n])))
        .map(|i| cycle[i])
        .collect()
}
