//! The words that an automaton does not accept: the subset construction (Rabin and Scott 1959), one set at a time.
//!
//! A state is the set of states in which the automaton may be. A set with a universal member has no continuation outside
//! the automaton, so the complement dies there; the empty set accepts all that follows.

use rustc_hash::FxHashMap;

use super::automaton::Automaton;
use posetta_automata::StateId;
use posetta_base::{Budget, OverBudget};

/// The deterministic automaton of the other words, built as far as it is asked for.
#[derive(Debug)]
pub(crate) struct Complement<A> {
    automaton: A,
    sets: Vec<Box<[StateId]>>,
    ids: FxHashMap<Box<[StateId]>, StateId>,
    /// How many members all sets have together.
    held: usize,
}

const WHAT: &str = "building the automaton of the property";

impl<A: Automaton> Complement<A> {
    /// The complement, with its start only.
    #[must_use]
    pub fn new(automaton: A) -> Self {
        let start = automaton.start();
        let mut complement = Self { automaton, sets: Vec::new(), ids: FxHashMap::default(), held: 0 };
        complement.intern([start].into());
        complement
    }

    fn intern(&mut self, set: Box<[StateId]>) -> StateId {
        if let Some(&id) = self.ids.get(&set) {
            return id;
        }
        let id = StateId(self.sets.len() as u32);
        self.held += set.len();
        self.sets.push(set.clone());
        self.ids.insert(set, id);
        id
    }
}

impl<A: Automaton> Automaton for Complement<A> {
    fn start(&self) -> StateId {
        StateId(0)
    }

    fn step(&mut self, state: StateId, letter: &[bool], budget: &Budget) -> Result<Vec<StateId>, OverBudget> {
        let set = self.sets[state.0 as usize].clone();
        let mut next = Vec::new();
        for (i, &member) in set.iter().enumerate() {
            if i % 256 == 255 {
                budget.step(0, WHAT)?;
            }
            if self.automaton.is_universal(member) {
                return Ok(Vec::new());
            }
            next.extend(self.automaton.step(member, letter, budget)?);
        }
        next.sort_unstable();
        next.dedup();
        if next.iter().any(|&s| self.automaton.is_universal(s)) {
            return Ok(Vec::new());
        }
        Ok(vec![self.intern(next.into())])
    }

    fn accepts(&self, state: StateId) -> bool {
        !self.sets[state.0 as usize].iter().any(|&s| self.automaton.accepts(s))
    }

    fn is_universal(&self, state: StateId) -> bool {
        self.sets[state.0 as usize].is_empty()
    }

    fn bytes(&self) -> u64 {
        (self.sets.len() * 80 + self.held * 8) as u64 + self.automaton.bytes()
    }
}
