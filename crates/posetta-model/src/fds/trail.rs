//! States one after the other: what a counterexample is made of.

use super::Value;

/// A path of states, perhaps one that goes round forever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trail {
    /// The states, each with one value per variable of the model. At least one. The value of an input belongs to the step from that
    /// state on, and means nothing in the last state of a finite path.
    pub states: Vec<Vec<Value>>,
    /// Where the last state goes back to: the first state of the cycle. `None`: the path is finite.
    pub cycle: Option<usize>,
}
