//! A linear property as an automaton over the letters that can come.

use super::{Automaton, Linear};
use posetta_automata::{Alphabet, Dfa, Nfa, StateId, Successors, determinize, minimize};
use posetta_base::{Budget, LetterId, OverBudget};
use posetta_logic::{Letters, View};

/// The automaton of a property, reading letters by their numbers.
struct Reader<'a> {
    automaton: Box<dyn Automaton>,
    letters: &'a Letters,
}

impl Successors for Reader<'_> {
    fn start(&self) -> StateId {
        self.automaton.start()
    }

    fn step(&mut self, state: StateId, letter: LetterId, budget: &Budget) -> Result<Vec<StateId>, OverBudget> {
        self.automaton.step(state, self.letters.vector(letter), budget)
    }

    fn accepts(&self, state: StateId) -> bool {
        self.automaton.accepts(state)
    }

    fn is_universal(&self, state: StateId) -> bool {
        self.automaton.is_universal(state)
    }
}

fn alphabet(letters: &Letters) -> Alphabet {
    Alphabet {
        first: letters.letters_at(true),
        later: letters.letters_at(false),
        empty_word: letters.view() == View::Events,
    }
}

/// The smallest deterministic automaton of the words that satisfy a property. Every letter that can come may follow every
/// other here; what an event keeps is not its business.
///
/// # Errors
/// When the budget is spent.
pub fn deterministic(property: &Linear, letters: &Letters, budget: &Budget) -> Result<Dfa, OverBudget> {
    let automaton = property.automaton(false);
    let dfa = determinize(&mut Reader { automaton, letters }, &alphabet(letters), budget)?;
    minimize(&dfa, budget)
}

/// The automaton that the search follows: of the words that satisfy a property, or of those that do not.
///
/// # Errors
/// When the budget is spent.
pub fn nondeterministic(
    property: &Linear,
    letters: &Letters,
    negated: bool,
    budget: &Budget,
) -> Result<Nfa, OverBudget> {
    let automaton = property.automaton(negated);
    Nfa::explore(&mut Reader { automaton, letters }, &alphabet(letters), budget)
}
