//! Why a linear property is violated: what a person would change.

use crate::base::EventId;

/// What would have prevented a violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// How many exchanges of concurrent neighbours lead from the trace's own order ([`Trace::linearisation`]) to the witness:
    /// 0 if that order itself fails.
    ///
    /// [`Trace::linearisation`]: crate::trace::Trace::linearisation
    pub exchanges: u64,
    /// No failing order is closer; if not, a limit was reached before that was known.
    pub closest: bool,
    /// The last exchange on a shortest way from the observed order to the witness: the first of the two comes first in the
    /// observed order, the second one in the witness. `None` if the observed order itself fails, or if there is none.
    pub swapped: Option<(EventId, EventId)>,
    /// Edges between concurrent events that, added to the run, make the property hold, and none of which can be left out;
    /// compatible with the observed order if that satisfies the property. `None` if no run satisfies the property, or past a
    /// limit.
    pub missing_edges: Option<Vec<(EventId, EventId)>>,
    /// No smaller set of edges would do.
    pub minimum: bool,
}
