//! Where in an order it shows that a property fails.

use posetta::base::EventId;
use posetta::trace::Trace;

use crate::properties::Named;

/// A position of an order: 0 is before the first event, i is after the i-th.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    pub position: usize,
    /// Whether nothing that comes later matters.
    pub is_final: bool,
}

/// Where the violation shows.
pub fn of_witness(_trace: &Trace, _property: &Named, _order: &[EventId]) -> Option<Moment> {
    None
}
