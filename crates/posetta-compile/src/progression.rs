//! A PSL formula as a nondeterministic automaton on finite words, built on demand: a state is a clause of a [residual](super::residual).

use rustc_hash::FxHashMap;

use super::automaton::Automaton;
use super::residual::clauses::NOTHING;
use super::residual::{Cache, ClauseId, Context, DnfId, Evaluator, Horizon, Letterwise, NodeId, Store, on_empty};
use posetta_automata::StateId;
use posetta_base::{Budget, OverBudget};
use posetta_logic::{AtomId, Psl};

/// So many letters are remembered with what they do.
const LETTERS: usize = 4096;

/// The automaton of the words that satisfy a formula, or of the others.
#[derive(Debug)]
pub struct Progression {
    formula: Psl<AtomId>,
    positive: bool,
    empty: bool,
    store: Store,
    /// `None` before the first step.
    root: Option<NodeId>,
    caches: FxHashMap<Box<[bool]>, Cache<u32>>,
    /// The clause of each state; the start, before any letter, has none and comes first.
    states: Vec<ClauseId>,
    ids: FxHashMap<ClauseId, StateId>,
}

const START: StateId = StateId(0);

impl Progression {
    /// The automaton, with its start state only.
    #[must_use]
    pub fn new(formula: &Psl<AtomId>, negated: bool) -> Self {
        Self {
            formula: formula.clone(),
            positive: !negated,
            empty: on_empty(formula) != negated,
            store: Store::unclaimed(Horizon::Finite),
            root: None,
            caches: FxHashMap::default(),
            states: vec![NOTHING],
            ids: FxHashMap::default(),
        }
    }

    fn state(&mut self, clause: ClauseId) -> StateId {
        let next = StateId(self.states.len() as u32);
        *self.ids.entry(clause).or_insert_with(|| {
            self.states.push(clause);
            next
        })
    }
}

impl Automaton for Progression {
    fn start(&self) -> StateId {
        START
    }

    fn step(&mut self, state: StateId, letter: &[bool], budget: &Budget) -> Result<Vec<StateId>, OverBudget> {
        let root = match self.root {
            Some(root) => root,
            None => *self.root.insert(self.store.psl(&self.formula, self.positive, budget)?),
        };
        if self.caches.len() > LETTERS {
            self.caches.clear();
        }
        if !self.caches.contains_key(letter) {
            self.caches.insert(letter.into(), Cache::default());
        }
        let cache = self.caches.get_mut(letter).expect("just put in");
        let mut reading = Letterwise(letter);
        let mut evaluator = Evaluator::new(&mut self.store, &mut reading, cache, Context::Start, budget);
        let rest = if state == START {
            evaluator.value(root)?
        } else {
            evaluator.progress_clause(self.states[state.0 as usize])?
        };
        let clauses = self.store.clauses_of(DnfId(rest)).to_vec();
        let mut next: Vec<StateId> = clauses.into_iter().map(|clause| self.state(clause)).collect();
        next.sort_unstable();
        Ok(next)
    }

    fn accepts(&self, state: StateId) -> bool {
        if state == START { self.empty } else { self.store.may_end(self.states[state.0 as usize]) }
    }

    fn is_universal(&self, state: StateId) -> bool {
        state != START && self.states[state.0 as usize] == NOTHING
    }

    fn bytes(&self) -> u64 {
        self.store.bytes() + 40 * self.states.len() as u64 + 160 * self.caches.len() as u64
    }
}
