//! What every linear property becomes: an automaton on finite words, built as far as a search asks for it.

use posetta_automata::StateId;
use posetta_base::{Budget, OverBudget};
use posetta_logic::AtomId;

/// A nondeterministic automaton that reads truth vectors: `letter[i]` says whether atom `i` holds. A run without a
/// successor has died.
pub trait Automaton {
    /// The state before the first letter.
    fn start(&self) -> StateId;

    /// The states after a letter, ascending.
    ///
    /// # Errors
    /// When the budget is spent.
    fn step(&mut self, state: StateId, letter: &[bool], budget: &Budget) -> Result<Vec<StateId>, OverBudget>;

    /// Whether a word may end here.
    fn accepts(&self, state: StateId) -> bool;

    /// Whether every continuation is known to be accepted.
    fn is_universal(&self, state: StateId) -> bool;

    /// Whether all states are known beforehand, so that a step is a look into a list.
    fn is_listed(&self) -> bool {
        false
    }

    /// About how many bytes the states take.
    fn bytes(&self) -> u64;
}

impl<A: Automaton + ?Sized> Automaton for &mut A {
    fn start(&self) -> StateId {
        (**self).start()
    }

    fn step(&mut self, state: StateId, letter: &[bool], budget: &Budget) -> Result<Vec<StateId>, OverBudget> {
        (**self).step(state, letter, budget)
    }

    fn accepts(&self, state: StateId) -> bool {
        (**self).accepts(state)
    }

    fn is_universal(&self, state: StateId) -> bool {
        (**self).is_universal(state)
    }

    fn is_listed(&self) -> bool {
        (**self).is_listed()
    }

    fn bytes(&self) -> u64 {
        (**self).bytes()
    }
}

/// An automaton that is given the truth of some of its atoms only, the others being false.
pub struct Restricted {
    automaton: Box<dyn Automaton>,
    atoms: Vec<AtomId>,
    letter: Vec<bool>,
}

impl Restricted {
    /// Reads the truth of these of all `count` atoms.
    #[must_use]
    pub fn new(automaton: Box<dyn Automaton>, atoms: Vec<AtomId>, count: usize) -> Self {
        Self { automaton, atoms, letter: vec![false; count] }
    }
}

impl Automaton for Restricted {
    fn start(&self) -> StateId {
        self.automaton.start()
    }

    fn step(&mut self, state: StateId, letter: &[bool], budget: &Budget) -> Result<Vec<StateId>, OverBudget> {
        for (atom, &truth) in self.atoms.iter().zip(letter) {
            self.letter[atom.0 as usize] = truth;
        }
        self.automaton.step(state, &self.letter, budget)
    }

    fn accepts(&self, state: StateId) -> bool {
        self.automaton.accepts(state)
    }

    fn is_universal(&self, state: StateId) -> bool {
        self.automaton.is_universal(state)
    }

    fn is_listed(&self) -> bool {
        self.automaton.is_listed()
    }

    fn bytes(&self) -> u64 {
        self.automaton.bytes()
    }
}
