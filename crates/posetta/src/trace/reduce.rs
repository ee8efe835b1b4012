//! Transitive reduction: the fewest edges with the same happened-before.

use super::clock::Clocks;
use super::event::Trace;
use crate::base::EventId;

/// The edges between different processes that no other path implies, sorted by effect. Together with the order of each
/// process they generate happened-before, and none can be left out. `forward` are the trace's forward clocks.
pub fn reduced_edges<'a>(trace: &'a Trace, forward: &'a Clocks) -> impl Iterator<Item = (EventId, EventId)> + 'a {
    trace.events().flat_map(move |effect| {
        let before = trace.position(effect).checked_sub(1).map(|i| trace.chain(trace.process(effect))[i]);
        trace.causes(effect).iter().copied().filter_map(move |cause| {
            let mut others = trace.causes(effect).iter().copied().filter(|&c| c != cause).chain(before);
            let implied = others.any(|other| forward.before_or_equal(trace, cause, other));
            (!implied).then_some((cause, effect))
        })
    })
}
