//! The answer to a question about a run.

use super::{EventId, OverBudget};

/// Events in order: a complete run for a linear property, a path from the empty cut for a branching one.
pub type Witness = Vec<EventId>;

/// What was decided.
#[must_use]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The property is true of the trace.
    Holds,
    /// It is not, and the witness shows it.
    Violated(Witness),
    /// A limit was reached before the answer was known.
    Unknown(OverBudget),
}

impl Verdict {
    /// `holds`, `violated` or `unknown`.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Violated(_) => "violated",
            Self::Unknown(_) => "unknown",
        }
    }
}
