//! The answer to a question, whatever was asked of what.

use super::{EventId, OverBudget};

/// Events in order: a complete run for a linear property, a path from the empty cut for a branching one.
pub type Witness = Vec<EventId>;

/// What was decided. `E` is what shows a violation: of a run, events in order.
#[must_use]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict<E = Witness> {
    /// The property is true.
    Holds,
    /// It is not, and the evidence shows it.
    Violated(E),
    /// A limit was reached before the answer was known.
    Unknown(OverBudget),
}

impl<E> Verdict<E> {
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
