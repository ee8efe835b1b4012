//! Where in an order it shows what became of a property.

/// A place in an order: 0 is before the first event, i is after the i-th.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// After this, whatever follows, the answer is clear.
    At(usize),
    /// From here on the property waits for something that does not come before the end.
    Waits(usize),
}
