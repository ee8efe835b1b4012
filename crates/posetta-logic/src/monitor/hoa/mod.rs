//! Monitors in the Hanoi Omega-Automata format, version 1 (Babiak and others 2015).
//!
//! That format is for infinite words. An automaton on finite words says so with the header `FiniteWords`, whose capital tells
//! readers that do not know it to refuse; behind it may stand `over states` or `over events`. Its states marked `{0}` are the
//! bad ones, its atomic propositions are guards of ours, and a path of states without an edge to follow dies. [`read`] takes
//! a file apart, [`lex`] its words, [`write`] prints a monitor.

mod lex;
mod read;
mod write;

pub use read::{is_hoa, read_hoa};
pub use write::write_hoa;

#[cfg(test)]
mod tests;
