//! M2L by automata.
//!
//! [`decide`] is what MONA does (Klarlund and Møller 2001): a formula becomes an automaton over its free variables, which says of every string yes,
//! no, or nothing. `elaborate` puts definitions in and makes a `core` formula of few constructs, every one stored once; `order` says in which order
//! diagrams ask for tracks; `build` makes automata from the bottom up, of `atoms`, of what is `local` to a position, and of their
//! combinations, the cheapest of the `pairs` first; `care` knows which strings count; `shape` finds formulas that have the same automaton; `lazy` follows the top of a formula without making its automaton (`memo` keeps what it combines). Which way is best is not known before, so they are
//! tried side by side (`race`). As a property
//! of runs a formula becomes a [`monitor`]; `letters` lists the states of an automaton over few letters.
//!
//! # M2L: where it is
//!
//! | what | where |
//! | --- | --- |
//! | the language: words, trees, names and types, printing | [`posetta_logic::m2l`] |
//! | a formula on one word, by definition | [`posetta_logic::eval`], file `m2l.rs` |
//! | from trees to automata and answers | here |
//! | automata on strings of bit vectors, and what is done with them | [`posetta_automata::tracks`] |
//! | the diagrams that their transitions share | [`posetta_dd::mtbdd`] |
//! | formulas as properties of runs and streams | [`monitor`](monitor()), asked by [`Linear::of`](crate::Linear::of) |
//! | formulas as components of systems | `posetta_model::sys`, file `m2l.rs`, which asks [`over_letters`] |
//! | formulas as relations between behaviours | `posetta_verify::abstraction`, which asks [`language`] |
//! | `posetta m2l`: answers for people and programs, drawings | `posetta_tell::m2l`; the program, `src/m2l` |
//!
//! ARCHITECTURE.md walks one formula through all of it ("The walk of a formula of M2L").

mod atoms;
mod build;
mod care;
mod core;
mod decide;
mod elaborate;
mod lazy;
mod letters;
mod local;
mod memo;
mod monitor;
mod order;
mod pairs;
mod race;
mod shape;

pub use build::Effort;
pub use decide::{Answer, Automaton, Decision, Engine, Example, automaton, decide, language};
pub use letters::{LetterTable, over_letters};
pub use monitor::monitor;
