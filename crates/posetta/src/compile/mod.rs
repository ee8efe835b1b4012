//! From logics to automata.
//!
//! [`Normal`] is a linear formula with negations at its atoms, every subformula stored once. [`Obligations`] reads it as
//! a nondeterministic automaton on finite words ([`Automaton`]), built as far as a search asks for it. Over the letters that can come
//! ([`Letters`](crate::logic::Letters)) it is made [deterministic] and small, and [`character`] says what kind of property it
//! is; [`shape`] says what can be seen without an automaton.

mod automaton;
mod character;
mod language;
mod normal;
mod obligations;
pub mod shape;
mod split;
mod walk;

pub use automaton::Automaton;
pub use character::{Character, Finding, Proof, Reason, character};
pub use language::{deterministic, nondeterministic};
pub use normal::{Node, NodeId, Normal};
pub use obligations::Obligations;
pub use split::Part;
