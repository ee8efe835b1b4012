//! Names the events on a cycle of happened-before.

use super::event::Trace;
use super::mistakes;
use super::reason::Reason;
use posetta_base::{Diagnostic, EventId};

/// Of longer cycles only the beginning and the end are named.
const LONGEST: usize = 12;

/// The mistake to report for a trace that has no linear extension.
///
/// From an event that can never happen we walk to a cause that can never happen either; the first event seen twice
/// closes a cycle. Steps along one process are joined, so the report names only the events at which it turns.
pub(super) fn find_cycle(trace: &Trace) -> Diagnostic {
    let cycle = walk(trace);
    // Of a cycle without assumptions each edge is a mistake somewhere, so its reason is worth knowing.
    let reasons: Vec<_> = (0..cycle.len()).map(|i| trace.reason(cycle[i], cycle[(i + 1) % cycle.len()])).collect();
    let turns = turning_points(trace, &cycle);
    let named: Vec<Named> = turns
        .iter()
        .map(|&i| Named { label: trace.label(cycle[i]), line: trace.line(cycle[i]), reason: reasons[i] })
        .collect();
    shortened(&named)
}

/// An event of a cycle as it is named.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) label: String,
    pub(super) line: u64,
    /// Why the next one comes after it, if that is on another process.
    pub(super) reason: Option<Reason>,
}

/// The mistake for a cycle of which each event can be named.
pub(super) fn shortened(cycle: &[Named]) -> Diagnostic {
    let shown = if cycle.len() <= LONGEST { cycle.len() } else { LONGEST / 2 };
    let mut named = cycle[..shown].to_vec();
    if shown < cycle.len() {
        named.extend_from_slice(&cycle[cycle.len() - shown..]);
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

/// The places of a cycle that are not in the middle of a stretch along one process.
fn turning_points(trace: &Trace, cycle: &[EventId]) -> Vec<usize> {
    let n = cycle.len();
    let follows =
        |a: EventId, b: EventId| trace.process(a) == trace.process(b) && trace.position(a) + 1 == trace.position(b);
    (0..n).filter(|&i| !(follows(cycle[(i + n - 1) % n], cycle[i]) && follows(cycle[i], cycle[(i + 1) % n]))).collect()
}
