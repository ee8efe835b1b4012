//! Is there a completion? A nondeterministic automaton whose states are clauses, for infinite words with what must still come before it is
//! asked again.
//!
//! Along an infinite word nothing may be owed for ever that has to come (`F p`, a match of a strong expression). A state therefore marks
//! such leaves; what becomes of marked leaves is marked, and once none is left, that is noted, and all that have to come are marked anew
//! (Miyano and Hayashi 1984; the paper's double representation, section 8.1). A word is accepted if that is noted again and again.

use rustc_hash::FxHashMap;

use super::situation::{Core, Situation};
use super::supply::Supply;
use crate::linear::Linear;
use crate::residual::{
    Cache, ClauseId, Context, DnfId, Evaluator, Horizon, Leaf, Letterwise, Reading, Store, Symbolic, Translation,
};
use posetta_automata::StateId;
use posetta_automata::buchi::{Feasibility, Goal, Graph};
use posetta_base::{Budget, Limit, OverBudget};
use posetta_dd::mtbdd::{Function, Mtbdd};
use posetta_logic::Memory;

const WHAT: &str = "looking for words that satisfy the property";

/// So many clauses are looked at for a way that one letter opens, before there is a search.
const QUICK: usize = 16;

/// Feasibility of situations, over one horizon.
#[derive(Debug)]
pub(super) struct Tableau {
    branches: Branches,
    known: Feasibility,
    translation: Translation,
}

/// What is owed and marked, and what is remembered.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    clause: ClauseId,
    marked: Box<[Leaf]>,
    /// A place in `contexts`.
    context: u32,
    /// What values rule out; only where letters are listed.
    memory: Memory,
}

/// A clause and its marked leaves, while it is put together.
type Choice = (ClauseId, Box<[Leaf]>);

#[derive(Debug)]
struct Branches {
    store: Store,
    states: Vec<State>,
    ids: FxHashMap<State, StateId>,
    tables: Tables,
    letters: Alphabet,
    /// So many states are looked at, if there is a limit.
    most: Option<usize>,
}

/// What letters lead to, numbered.
#[derive(Debug)]
struct Tables {
    contexts: Table<Box<[DnfId]>>,
    choices: Table<Box<[Choice]>>,
    /// Choices together with a context.
    outcomes: Table<(u32, u32)>,
}

#[derive(Debug)]
enum Alphabet {
    /// For each memory the letters that may come and what they leave; for each letter its vector and what is known of it.
    Listed {
        later: Vec<Vec<(u32, Memory)>>,
        vectors: Vec<Box<[bool]>>,
        caches: Vec<Cache<u32>>,
    },
    Diagram {
        dd: Mtbdd,
        care: Function,
        cache: Cache<Function>,
    },
}

/// Things with numbers.
#[derive(Debug)]
struct Table<T> {
    all: Vec<T>,
    ids: FxHashMap<T, u32>,
}

impl<T: Clone + Eq + std::hash::Hash> Table<T> {
    fn new() -> Self {
        Self { all: Vec::new(), ids: FxHashMap::default() }
    }

    fn add(&mut self, thing: T) -> u32 {
        let next = self.all.len() as u32;
        *self.ids.entry(thing).or_insert_with_key(|thing| {
            self.all.push(thing.clone());
            next
        })
    }
}

impl Tableau {
    pub(super) fn new(
        property: &Linear,
        supply: &Supply,
        horizon: Horizon,
        most: Option<usize>,
        budget: &Budget,
    ) -> Result<Self, OverBudget> {
        // The same subformulas in the same order, so that what is remembered has the same places.
        let store = Core::new(property, horizon, true, budget)?.store;
        let letters = match supply {
            Supply::Listed(book) => Alphabet::Listed {
                later: book.later.iter().map(|all| all.iter().map(|(l, m)| (l.raw(), *m)).collect()).collect(),
                vectors: book.letters.iter().map(|l| book.letters.vector(l).into()).collect(),
                caches: book.letters.iter().map(|_| Cache::default()).collect(),
            },
            Supply::Diagram(vectors) => {
                let mut dd = Mtbdd::new(budget)?;
                let care = vectors.function(false, &mut dd, budget)?;
                Alphabet::Diagram { dd, care, cache: Cache::default() }
            }
        };
        let goal = match horizon {
            Horizon::Finite => Goal::Reach,
            Horizon::Infinite => Goal::Repeat,
        };
        let branches = Branches {
            store,
            states: Vec::new(),
            ids: FxHashMap::default(),
            tables: Tables { contexts: Table::new(), choices: Table::new(), outcomes: Table::new() },
            letters,
            most,
        };
        Ok(Self { branches, known: Feasibility::new(goal), translation: Translation::default() })
    }

    /// Gives up after so much work.
    pub(super) fn with_patience(mut self, most: u64) -> Self {
        self.branches.store.limit_work(most);
        self
    }

    /// Whether it has looked at as many states as it may.
    pub(super) fn is_full(&self) -> bool {
        self.branches.most.is_some_and(|most| self.branches.states.len() >= most)
    }

    /// Whether some completion satisfies a residual; `from` are its tables.
    pub(super) fn is_feasible(
        &mut self,
        from: &Store,
        rest: DnfId,
        situation: &Situation,
        memory: Memory,
        budget: &Budget,
    ) -> Result<bool, OverBudget> {
        if rest == DnfId::FALSE || rest == DnfId::TRUE {
            return Ok(rest == DnfId::TRUE);
        }
        let Self { branches, known, translation } = self;
        let rest = branches.store.import(from, rest, translation, budget)?;
        let mut context = Vec::with_capacity(situation.memory.len());
        for &residual in &situation.memory {
            context.push(branches.store.import(from, residual, translation, budget)?);
        }
        let context = branches.tables.contexts.add(context.into());
        let clauses = branches.store.clauses_of(rest).to_vec();
        for &clause in clauses.iter().take(QUICK) {
            if branches.is_quickly_feasible(clause, context, budget)? {
                return Ok(true);
            }
        }
        for clause in clauses {
            let marked = branches.all_marked(clause);
            let state = branches.state(State { clause, marked, context, memory }, budget)?;
            if known.is_feasible(branches, state, budget)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Branches {
    fn state(&mut self, state: State, budget: &Budget) -> Result<StateId, OverBudget> {
        if let Some(&known) = self.ids.get(&state) {
            return Ok(known);
        }
        if self.most.is_some_and(|most| self.states.len() >= most) {
            return Err(OverBudget::new(WHAT, Limit::Memory));
        }
        self.store.charge(2 * (48 + 4 * state.marked.len() as u64), budget)?;
        let id = StateId(self.states.len() as u32);
        self.states.push(state.clone());
        self.ids.insert(state, id);
        Ok(id)
    }

    /// Whether one letter is seen to settle a clause: after it a word may end, or go on with that letter for ever. Only where letters are
    /// not listed, since then looking at all states after one may be too much.
    fn is_quickly_feasible(&mut self, clause: ClauseId, context: u32, budget: &Budget) -> Result<bool, OverBudget> {
        let Alphabet::Diagram { dd, care, cache } = &mut self.letters else { return Ok(false) };
        let store = &mut self.store;
        let leaves = store.leaves_of(clause).to_vec();
        let before = self.tables.contexts.all[context as usize].clone();
        let finite = store.is_finite();
        if !finite && !before.is_empty() {
            return Ok(false);
        }
        // For ever: with what is owed already, and nothing of it has to come.
        let stays = |store: &Store, rest: ClauseId| {
            let owed = store.leaves_of(rest);
            owed.iter().all(|leaf| leaves.binary_search(leaf).is_ok() && !store.is_eventual_leaf(*leaf))
        };
        let mut all = *care;
        for &leaf in &leaves {
            let mut reading = Symbolic(dd);
            let value = Evaluator::new(store, &mut reading, cache, Context::After(&before), budget).leaf(leaf)?;
            let settled = dd.map(value, budget, &mut |rest| {
                let mut clauses = store.clauses_of(DnfId(rest)).iter();
                let any = clauses.any(|&c| if finite { store.may_end(c) } else { stays(store, c) });
                Ok(u32::from(any))
            })?;
            all = dd.zip(all, settled, budget, &mut |x, y| Ok(x & y))?;
            if all == Function::constant(0) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The leaves of a clause that must not be owed for ever.
    fn all_marked(&self, clause: ClauseId) -> Box<[Leaf]> {
        if self.store.is_finite() {
            return [].into();
        }
        self.store.leaves_of(clause).iter().copied().filter(|&leaf| self.store.is_eventual_leaf(leaf)).collect()
    }
}

/// What a letter makes of a state, in whatever way letters are read: an outcome.
fn branch<R: Reading>(
    store: &mut Store,
    tables: &mut Tables,
    state: &State,
    reading: &mut R,
    cache: &mut Cache<R::Value>,
    budget: &Budget,
) -> Result<R::Value, OverBudget> {
    let Tables { contexts, choices, outcomes } = tables;
    let leaves = store.leaves_of(state.clause).to_vec();
    let before = contexts.all[state.context as usize].clone();
    let mut evaluator = Evaluator::new(store, reading, cache, Context::After(&before), budget);
    let mut values = Vec::with_capacity(leaves.len());
    for &leaf in &leaves {
        values.push(evaluator.leaf(leaf)?);
    }
    let memory = if before.is_empty() { Vec::new() } else { evaluator.memory()? };

    let nothing: Box<[Choice]> = [(crate::residual::clauses::NOTHING, [].into())].into();
    let mut all = reading.constant(choices.add(nothing));
    for (leaf, value) in leaves.into_iter().zip(values) {
        let marked = state.marked.binary_search(&leaf).is_ok();
        all = reading.zip(all, value, budget, &mut |so_far, rest| {
            let so_far = choices.all[so_far as usize].clone();
            let next = combine(store, &so_far, DnfId(rest), marked, budget)?;
            Ok(choices.add(next))
        })?;
    }
    let mut context = reading.constant(contexts.add([].into()));
    for value in memory {
        context = reading.zip(context, value, budget, &mut |so_far, residual| {
            let mut longer = contexts.all[so_far as usize].to_vec();
            longer.push(DnfId(residual));
            Ok(contexts.add(longer.into()))
        })?;
    }
    reading.zip(all, context, budget, &mut |choice, context| Ok(outcomes.add((choice, context))))
}

/// Each choice with each clause of what is left of one more leaf; those that owe and mark more than others are left out.
pub(super) fn combine(
    store: &mut Store,
    so_far: &[Choice],
    rest: DnfId,
    marked: bool,
    budget: &Budget,
) -> Result<Box<[Choice]>, OverBudget> {
    let mut all: Vec<Choice> = Vec::new();
    for (clause, marks) in so_far {
        for more in store.clauses_of(rest).to_vec() {
            budget.step(1, WHAT)?;
            store.charge(1, budget)?;
            let joined = store.join(*clause, more, budget)?;
            let mut marks = marks.to_vec();
            if marked {
                marks.extend(store.leaves_of(more).iter().copied().filter(|&leaf| store.is_eventual_leaf(leaf)));
            }
            // A leaf that is not kept is marked in the one that stays for it.
            let mut moved: Vec<Leaf> = Vec::with_capacity(marks.len());
            for leaf in marks {
                if store.leaves_of(joined).binary_search(&leaf).is_ok() {
                    moved.push(leaf);
                } else {
                    for other in store.leaves_of(joined).to_vec() {
                        if store.makes_needless(other, leaf) {
                            moved.push(other);
                        }
                    }
                }
            }
            moved.sort_unstable();
            moved.dedup();
            all.push((joined, moved.into()));
        }
    }
    all.sort_unstable();
    all.dedup();
    let covers = |a: &Choice, b: &Choice| {
        let within = |a: &[Leaf], b: &[Leaf]| a.iter().all(|leaf| b.binary_search(leaf).is_ok());
        within(store.leaves_of(a.0), store.leaves_of(b.0)) && within(&a.1, &b.1)
    };
    let kept: Vec<Choice> = if all.len() > 256 {
        all
    } else {
        let goes = |b: usize| (0..all.len()).any(|a| a != b && covers(&all[a], &all[b]));
        (0..all.len()).filter(|&b| !goes(b)).map(|b| all[b].clone()).collect()
    };
    Ok(kept.into())
}

impl Graph for Branches {
    fn successors(&mut self, state: StateId, budget: &Budget) -> Result<Vec<StateId>, OverBudget> {
        let state = self.states[state.0 as usize].clone();
        let Self { store, tables, letters, .. } = self;
        let mut found: Vec<(u32, Memory)> = Vec::new();
        match letters {
            Alphabet::Listed { later, vectors, caches } => {
                for &(letter, memory) in &later[state.memory.0 as usize] {
                    let (vector, cache) = (&vectors[letter as usize], &mut caches[letter as usize]);
                    let mut reading = Letterwise(vector);
                    let outcome = branch(store, tables, &state, &mut reading, cache, budget)?;
                    found.push((outcome, memory));
                }
            }
            Alphabet::Diagram { dd, care, cache } => {
                let outcome = branch(store, tables, &state, &mut Symbolic(dd), cache, budget)?;
                let none = tables.outcomes.add((u32::MAX, u32::MAX));
                let possible = dd.zip(outcome, *care, budget, &mut |o, c| Ok(if c == 1 { o } else { none }))?;
                found.extend(dd.values(possible).into_iter().filter(|&o| o != none).map(|o| (o, state.memory)));
            }
        }
        let mut seen = rustc_hash::FxHashSet::default();
        let mut next = Vec::new();
        for (outcome, memory) in found {
            if !seen.insert((outcome, memory)) {
                continue;
            }
            let (choice, context) = self.tables.outcomes.all[outcome as usize];
            for (clause, marks) in self.tables.choices.all[choice as usize].clone() {
                // Nothing was marked: a new round.
                let marked = if state.marked.is_empty() { self.all_marked(clause) } else { marks };
                next.push(self.state(State { clause, marked, context, memory }, budget)?);
            }
        }
        // What owes least is most likely to come to an end.
        next.sort_unstable();
        next.dedup();
        next.sort_by_key(|s| {
            let state = &self.states[s.0 as usize];
            (state.marked.len(), self.store.leaves_of(state.clause).len())
        });
        Ok(next)
    }

    fn accepts(&self, state: StateId) -> bool {
        let state = &self.states[state.0 as usize];
        if self.store.is_finite() { self.store.may_end(state.clause) } else { state.marked.is_empty() }
    }
}
