//! M2L by automata.
//!
//! [`decide`] is what MONA does (Klarlund and Møller 2001): a formula becomes an automaton over its free variables, which says of every string yes,
//! no, or nothing. `elaborate` puts definitions in and makes a `core` formula of few constructs, every one stored once; `order` says in which order
//! diagrams ask for tracks; `build` makes automata from the bottom up, of `atoms`, of what is `local` to a position, and of their
//! combinations; `shape` finds formulas that have the same automaton; `lazy` follows the top of a formula without making its automaton (`memo` keeps what it combines). As a property
//! of runs a formula becomes a [`monitor`]; `letters` lists the states of an automaton over few letters.

mod atoms;
mod build;
mod core;
mod decide;
mod elaborate;
mod lazy;
mod letters;
mod local;
mod memo;
mod monitor;
mod order;
mod shape;

pub use build::Effort;
pub use decide::{Answer, Automaton, Decision, Engine, Example, automaton, decide, language};
pub use letters::{Listed, over_letters};
pub use monitor::monitor;
