//! Deterministic automata.

use super::{Alphabet, StateId};
use posetta_base::LetterId;

/// A deterministic automaton: one state after each letter that may come there. Its start is state 0.
///
/// Invariant: if the letters of the first position differ from the later ones, the start is never entered again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dfa {
    pub(super) alphabet: Alphabet,
    /// For each state, the states after its letters in their order.
    pub(super) rows: Vec<Box<[StateId]>>,
    pub(super) accepting: Vec<bool>,
}

impl Dfa {
    /// The state before the first letter.
    #[must_use]
    pub fn start(&self) -> StateId {
        StateId(0)
    }

    /// How many states there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Never: there is always the start.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The letters of its words.
    #[must_use]
    pub fn alphabet(&self) -> &Alphabet {
        &self.alphabet
    }

    /// Every state.
    pub fn states(&self) -> impl Iterator<Item = StateId> + use<> {
        (0..self.rows.len() as u32).map(StateId)
    }

    /// Whether words that end here are accepted. At the start this is about the empty word, if there is one.
    #[must_use]
    pub fn accepts(&self, state: StateId) -> bool {
        self.accepting[state.0 as usize]
    }

    /// The letters that are read in a state.
    #[must_use]
    pub fn letters(&self, state: StateId) -> &[LetterId] {
        if state == self.start() { &self.alphabet.first } else { &self.alphabet.later }
    }

    /// The states after the letters of a state, in their order.
    #[must_use]
    pub fn row(&self, state: StateId) -> &[StateId] {
        &self.rows[state.0 as usize]
    }

    /// The state after a letter; `None` for a letter that cannot come there.
    #[must_use]
    pub fn after(&self, state: StateId, letter: LetterId) -> Option<StateId> {
        let place = self.letters(state).binary_search(&letter).ok()?;
        Some(self.row(state)[place])
    }

    /// The automaton of the words that this one does not accept.
    #[must_use]
    pub fn complement(mut self) -> Self {
        self.accepting.iter_mut().for_each(|a| *a = !*a);
        self
    }
}
