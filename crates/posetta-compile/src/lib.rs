//! From logics to automata.
//!
//! [`Normal`] is a linear formula with negations at its atoms, every subformula stored once. [`Obligations`] reads it as
//! a nondeterministic automaton on finite words ([`Automaton`]), built as far as a search asks for it. Over the letters that can come
//! ([`Letters`](posetta_logic::Letters)) it is made [deterministic] and small, and [`character`] says what kind of property it
//! is; [`shape`] says what can be seen without an automaton, and [`Outlook`] what can still become of a word. `Watch` is the automaton of a monitor, and `Complement` of what
//! another one does not accept: [`Linear::automaton`] has them. [`m2l`] decides M2L.

mod automaton;
mod character;
mod complement;
mod language;
mod linear;
pub mod m2l;
mod machine;
mod monitor;
mod normal;
mod obligations;
mod outlook;
mod past;
mod paths;
mod progression;
mod residual;
pub mod shape;
mod split;
pub mod tester;
mod walk;

pub use automaton::{Automaton, Restricted};
pub use character::{Character, Finding, Proof, Reason, character};
pub use language::{deterministic, nondeterministic};
pub use linear::Linear;
pub use machine::{
    Answers, Bytes, Completions, CountBits, CountedProgram, Diagram, Endless, Keeps, Listed, Machine, MachineState,
    Operand, Operation, Prospect, Reached, Register,
};
pub use normal::{NodeId, Normal};
pub use obligations::{Advance, Obligations};
pub use outlook::{Outlook, Pair};
pub use progression::Progression;
pub use split::Part;
