//! The infinite words that satisfy a PSL formula, or those that do not, as a nondeterministic Büchi automaton that is built on demand.
//!
//! The automaton of [`tableau`](super::tableau), letter by letter. Where a tester (module `tester`) has a variable for each place of a SERE, a
//! state here is what one guess owes, so that a count of n costs n states and not n variables. What is denied of a SERE is a set of places,
//! of which there may be exponentially many.

use rustc_hash::FxHashMap;

use super::tableau::combine;
use crate::residual::clauses::NOTHING;
use crate::residual::{Cache, ClauseId, Context, DnfId, Evaluator, Horizon, Leaf, Letterwise, NodeId, Store};
use posetta_automata::StateId;
use posetta_base::{Budget, OverBudget};
use posetta_logic::{AtomId, Psl};

/// An automaton on infinite words: accepted is what comes again and again through [noted](Self::is_noted) states.
#[derive(Debug)]
pub struct Endless {
    store: Store,
    root: NodeId,
    /// What is owed after the letters so far, and what of it has to come before it is asked again.
    states: Vec<(ClauseId, Box<[Leaf]>)>,
    ids: FxHashMap<(ClauseId, Box<[Leaf]>), StateId>,
    caches: FxHashMap<Box<[bool]>, Cache<u32>>,
}

impl Endless {
    /// The automaton of the words that satisfy a formula, `negated` of the others, without any states.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn new(formula: &Psl<AtomId>, negated: bool, budget: &Budget) -> Result<Self, OverBudget> {
        let mut store = Store::new(Horizon::Infinite, budget)?;
        let root = store.psl(formula, !negated, budget)?;
        Ok(Self { store, root, states: Vec::new(), ids: FxHashMap::default(), caches: FxHashMap::default() })
    }

    /// The states after the first letter.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn start(&mut self, letter: &[bool], budget: &Budget) -> Result<Vec<StateId>, OverBudget> {
        let mut reading = Letterwise(letter);
        let cache = self.caches.entry(letter.into()).or_default();
        let value = Evaluator::new(&mut self.store, &mut reading, cache, Context::Start, budget).value(self.root)?;
        let clauses = self.store.clauses_of(DnfId(value)).to_vec();
        self.numbered(clauses.into_iter().map(|clause| (clause, None)).collect(), budget)
    }

    /// The states after one more letter.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn step(&mut self, state: StateId, letter: &[bool], budget: &Budget) -> Result<Vec<StateId>, OverBudget> {
        let (clause, marked) = self.states[state.0 as usize].clone();
        let leaves = self.store.leaves_of(clause).to_vec();
        let mut reading = Letterwise(letter);
        let cache = self.caches.entry(letter.into()).or_default();
        let mut evaluator = Evaluator::new(&mut self.store, &mut reading, cache, Context::After(&[]), budget);
        let mut rests = Vec::with_capacity(leaves.len());
        for &leaf in &leaves {
            rests.push(DnfId(evaluator.leaf(leaf)?));
        }
        let mut choices: Box<[(ClauseId, Box<[Leaf]>)]> = [(NOTHING, [].into())].into();
        for (leaf, rest) in leaves.into_iter().zip(rests) {
            let is_marked = marked.binary_search(&leaf).is_ok();
            choices = combine(&mut self.store, &choices, rest, is_marked, budget)?;
        }
        // Nothing was marked: a new round.
        let fresh = marked.is_empty();
        let found = choices.into_iter().map(|(clause, marks)| (clause, (!fresh).then_some(marks))).collect();
        self.numbered(found, budget)
    }

    /// Whether all that had to come has come, before it is asked again.
    #[must_use]
    pub fn is_noted(&self, state: StateId) -> bool {
        self.states[state.0 as usize].1.is_empty()
    }

    /// What is owed in a state, as numbers: what is owed and more has fewer words.
    #[must_use]
    pub fn owed(&self, state: StateId) -> Vec<u32> {
        let (clause, _) = &self.states[state.0 as usize];
        self.store.leaves_of(*clause).iter().map(|leaf| leaf.number()).collect()
    }

    /// About how many bytes the states take.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.store.bytes() + 120 * self.states.len() as u64
    }

    /// States by their numbers; without marks, all that has to come is marked.
    fn numbered(
        &mut self,
        found: Vec<(ClauseId, Option<Box<[Leaf]>>)>,
        budget: &Budget,
    ) -> Result<Vec<StateId>, OverBudget> {
        let mut next = Vec::with_capacity(found.len());
        for (clause, marks) in found {
            let marks = marks.unwrap_or_else(|| {
                let leaves = self.store.leaves_of(clause).iter().copied();
                leaves.filter(|&leaf| self.store.is_eventual_leaf(leaf)).collect()
            });
            let key = (clause, marks);
            let new = StateId(self.states.len() as u32);
            let id = match self.ids.get(&key) {
                Some(&id) => id,
                None => {
                    self.store.charge(2 * (48 + 4 * key.1.len() as u64), budget)?;
                    self.states.push(key.clone());
                    self.ids.insert(key, new);
                    new
                }
            };
            next.push(id);
        }
        next.sort_unstable();
        next.dedup();
        Ok(next)
    }
}
