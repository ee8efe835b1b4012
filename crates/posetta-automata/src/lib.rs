//! Automata on finite words, whatever logic they come from.
//!
//! A letter is a number here; what it looks like is known to whoever made the alphabet. A word may start with the letters of
//! [`Alphabet::first`] and goes on with those of [`Alphabet::later`], which differ where the first position of a run has
//! no event. [`Successors`] is a nondeterministic automaton that is built as far as it is asked for; [`Nfa`] holds one
//! whole; [`Dfa`] is deterministic and complete; a [`Moore`] machine says something in every state, not only yes or no. One algorithm
//! per file: [`determinize`], [`minimize`], [`cover`]; [`refine`] is the one that finds states that do the same, of any kind of automaton. [`inclusion`] compares two automata that
//! are found as far as needed. [`buchi`] and [`recurrent`] look for infinite words. [`tracks`]
//! has automata whose letters are vectors of bits, too many to number.

pub mod buchi;
mod cover;
mod determinize;
mod dfa;
pub mod inclusion;
mod minimize;
mod moore;
mod nfa;
mod partition;
pub mod recurrent;
pub mod tracks;

pub use cover::{Cube, cover};
pub use determinize::determinize;
pub use dfa::Dfa;
pub use minimize::minimize;
pub use moore::NONE;
pub use moore::{Cells, Moore};
pub use nfa::{Nfa, Successors};
pub use partition::{refine, sign_set};

use posetta_base::LetterId;

/// A state of an automaton: a place in its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(pub u32);

/// The letters of words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alphabet {
    /// The letters that may come first, ascending.
    pub first: Vec<LetterId>,
    /// The letters that may come later, ascending.
    pub later: Vec<LetterId>,
    /// Whether there is a word without letters.
    pub empty_word: bool,
}
