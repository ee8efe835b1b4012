//! From logics to automata.
//!
//! [`Normal`] is a linear formula with negations at its atoms, every subformula stored once. [`Obligations`] reads it as
//! a nondeterministic automaton on finite words, built as far as a search asks for it.

mod normal;
mod obligations;

pub use normal::{Node, NodeId, Normal};
pub use obligations::{Obligations, StateId};
