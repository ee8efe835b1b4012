//! Nondeterministic automata.

use rustc_hash::FxHashMap;

use super::{Alphabet, StateId};
use posetta_base::{Budget, LetterId, OverBudget};

const WHAT: &str = "building the automaton of the property";

/// A nondeterministic automaton, built as far as it is asked for. Its start is never entered again.
pub trait Successors {
    /// The state before the first letter.
    fn start(&self) -> StateId;

    /// The states after a letter, ascending.
    ///
    /// # Errors
    /// When the budget is spent.
    fn step(&mut self, state: StateId, letter: LetterId, budget: &Budget) -> Result<Vec<StateId>, OverBudget>;

    /// Whether a word may end here.
    fn accepts(&self, state: StateId) -> bool;

    /// Whether every continuation is known to be accepted.
    fn is_universal(&self, state: StateId) -> bool;
}

/// A nondeterministic automaton, with its states numbered in the order in which a search from the start meets them.
#[derive(Clone, Debug)]
pub struct Nfa {
    alphabet: Alphabet,
    /// For each state and each of its letters, the successors.
    rows: Vec<Vec<Vec<StateId>>>,
    accepting: Vec<bool>,
}

impl Nfa {
    /// All of an automaton that can be reached.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn explore(source: &mut impl Successors, alphabet: &Alphabet, budget: &Budget) -> Result<Self, OverBudget> {
        let mut nfa = Self { alphabet: alphabet.clone(), rows: Vec::new(), accepting: Vec::new() };
        let mut ids: FxHashMap<StateId, StateId> = FxHashMap::default();
        let mut states = vec![source.start()];
        ids.insert(source.start(), StateId(0));
        let mut claim = budget.claim(0, WHAT)?;
        let mut bytes = 0;
        while let Some(&state) = states.get(nfa.rows.len()) {
            let letters = if nfa.rows.is_empty() { &alphabet.first } else { &alphabet.later };
            let mut row = Vec::with_capacity(letters.len());
            for &letter in letters {
                budget.step(1, WHAT)?;
                let targets = source.step(state, letter, budget)?;
                bytes += 24 + 4 * targets.len() as u64;
                row.push(
                    targets
                        .into_iter()
                        .map(|target| {
                            let next = StateId(states.len() as u32);
                            *ids.entry(target).or_insert_with(|| {
                                states.push(target);
                                next
                            })
                        })
                        .collect(),
                );
            }
            claim.grow_to(bytes, WHAT)?;
            nfa.accepting.push(source.accepts(state));
            nfa.rows.push(row);
        }
        Ok(nfa)
    }

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

    /// Whether a word may end here.
    #[must_use]
    pub fn accepts(&self, state: StateId) -> bool {
        self.accepting[state.0 as usize]
    }

    /// The letters that are read in a state.
    #[must_use]
    pub fn letters(&self, state: StateId) -> &[LetterId] {
        if state == self.start() { &self.alphabet.first } else { &self.alphabet.later }
    }

    /// For each of a state's letters, the successors.
    #[must_use]
    pub fn row(&self, state: StateId) -> &[Vec<StateId>] {
        &self.rows[state.0 as usize]
    }
}
