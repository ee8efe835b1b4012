//! A linear formula over states, state by state: pairs of a state and a state of the automaton of the words that violate the formula.
//!
//! The automaton reads a state when the run leaves it. A run that stops repeats its last state forever.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::explicit::Explicit;
use super::numbers::{self, Numbers};
use super::observed::{Arc, Ending, NodeId, Observed as _, Path};
use posetta_automata::StateId;
use posetta_automata::recurrent::{self, Edge, Lasso, Marked, Marks};
use posetta_base::{ActionId, Budget, Error, Limit, OverBudget, Tally};
use posetta_compile::{Advance, Automaton as _, Normal, Obligations};
use posetta_logic::eval::{self, Word};
use posetta_logic::{AtomId, Ltl};
use posetta_model::system::{End, Predicate, Run, System};

const WHAT: &str = "searching for a run that violates the property";

/// A formula with its predicates numbered.
pub(super) struct Formula {
    pub(super) formula: Ltl<AtomId>,
    pub(super) atoms: Vec<Predicate>,
}

impl Formula {
    pub(super) fn new(formula: &Ltl<Predicate>) -> Self {
        let mut atoms: Vec<Predicate> = Vec::new();
        let formula = formula.map_atoms(&mut |predicate| {
            let place = atoms.iter().position(|p| p == predicate).unwrap_or_else(|| {
                atoms.push(predicate.clone());
                atoms.len() - 1
            });
            AtomId(place as u32)
        });
        Self { formula, atoms }
    }

    /// Whether the states of a run satisfy it, by definition.
    pub(super) fn holds(
        &self,
        system: &System,
        run: &Run,
        states: &[Vec<u32>],
        budget: &Budget,
    ) -> Result<bool, OverBudget> {
        // The last state of a cycle is its first one again.
        let (states, cycle) = match run.end {
            End::Cycle(to) => (&states[..states.len() - 1], to),
            End::Open | End::Dead => (states, states.len() - 1),
        };
        let row = |p: &Predicate| states.iter().map(|state| p.holds(system, state)).collect();
        let word = Word::from_rows(self.atoms.iter().map(row).collect(), states.len());
        eval::ltl_on_lasso(&self.formula, &word, cycle, budget)
    }
}

/// The automaton of the words that violate a formula, with marks for what is not put off.
pub(super) struct Violations {
    automaton: Obligations,
    pub(super) all: Marks,
}

impl Violations {
    pub(super) fn new(formula: &Formula) -> Result<Self, OverBudget> {
        let automaton = Obligations::on_infinite_words(Normal::new(&formula.formula, true));
        let untils = automaton.untils().len();
        if untils > 120 {
            return Err(OverBudget::new("following more than 120 parts that have to come", Limit::Memory));
        }
        Ok(Self { automaton, all: (1 << untils) - 1 })
    }

    /// After how many steps the states of a run are seen to be accepted however it goes on.
    pub(super) fn settled(
        &mut self,
        formula: &Formula,
        system: &System,
        states: &[Vec<u32>],
        budget: &Budget,
    ) -> Result<Option<usize>, OverBudget> {
        let mut at = vec![self.automaton.start()];
        for (i, state) in states.iter().enumerate() {
            let letter: Vec<bool> = formula.atoms.iter().map(|p| p.holds(system, state)).collect();
            let mut next: Vec<StateId> = Vec::new();
            for before in at {
                next.extend(self.automaton.advance(before, &letter, budget)?.iter().map(|a| a.to));
            }
            if next.iter().any(|&state| self.automaton.is_universal(state)) {
                return Ok(Some(i));
            }
            next.sort_unstable();
            next.dedup();
            at = next;
        }
        Ok(None)
    }

    pub(super) fn start(&self) -> StateId {
        self.automaton.start()
    }

    pub(super) fn step(
        &mut self,
        state: StateId,
        letter: &[bool],
        budget: &Budget,
    ) -> Result<Vec<(StateId, Marks)>, OverBudget> {
        let marks = |a: &Advance| a.put_off.iter().fold(self.all, |marks, &i| marks & !(1 << i));
        Ok(self.automaton.advance(state, letter, budget)?.iter().map(|a| (a.to, marks(a))).collect())
    }
}

/// The label of an edge on which the run has stopped.
const STOPPED: u32 = u32::MAX;

/// Steps of the automaton, with what they do not put off.
type Steps = Rc<[(StateId, Marks)]>;

/// Pairs outside are not looked at.
pub(super) type Within<'a> = dyn Fn(&[u32], StateId) -> bool + 'a;

/// The effort of an edge, in units of the budget: its pair is looked up, mostly far away in memory.
const EDGE: u64 = 12;

/// No class is known of a state.
const UNREAD: u32 = u32::MAX;

struct Search<'a, 's> {
    explicit: &'a mut Explicit<'s>,
    formula: &'a Formula,
    violations: &'a mut Violations,
    within: Option<&'a Within<'a>>,
    budget: &'a Budget,
    pairs: Vec<(NodeId, StateId)>,
    ids: Numbers,
    /// By node: which of the letters it is.
    letter_of: Vec<u32>,
    letters: FxHashMap<Box<[bool]>, u32>,
    /// By state of the automaton and letter: where it leads, and what is not put off on the way.
    steps: FxHashMap<(StateId, u32), Steps>,
    tally: Tally,
    claim: posetta_base::Claim,
}

impl Search<'_, '_> {
    fn id(&mut self, pair: (NodeId, StateId)) -> Result<u32, OverBudget> {
        let new = self.pairs.len() as u32;
        let id = self.ids.of((pair.0, pair.1.0), new);
        if id == new {
            if new == UNREAD - 1 {
                return Err(OverBudget::new(WHAT, Limit::Memory));
            }
            self.pairs.push(pair);
            if new.is_multiple_of(numbers::LOOK) {
                let letters = 4 * self.explicit.len() as u64;
                let pairs = 16 * self.pairs.capacity() as u64;
                self.claim.grow_to(2 * letters + pairs + self.ids.bytes_soon(), WHAT)?;
            }
        }
        Ok(id)
    }

    /// The letter of a node.
    fn letter(&mut self, node: NodeId) -> Result<u32, Error> {
        if self.letter_of.len() <= node.index() {
            self.letter_of.resize(self.explicit.len(), UNREAD);
        }
        if self.letter_of[node.index()] == UNREAD {
            let mut letter = Vec::with_capacity(self.formula.atoms.len());
            for atom in &self.formula.atoms {
                letter.push(self.explicit.satisfies(node, atom)?);
            }
            let new = self.letters.len() as u32;
            self.letter_of[node.index()] = *self.letters.entry(letter.into()).or_insert(new);
        }
        Ok(self.letter_of[node.index()])
    }

    /// Where the automaton goes when it reads the letter of a node.
    fn steps(&mut self, state: StateId, node: NodeId) -> Result<Steps, Error> {
        let letter = self.letter(node)?;
        if let Some(known) = self.steps.get(&(state, letter)) {
            return Ok(Rc::clone(known));
        }
        let (explicit, formula) = (&mut *self.explicit, self.formula);
        let values = formula.atoms.iter().map(|p| explicit.satisfies(node, p)).collect::<Result<Vec<bool>, Error>>()?;
        let steps: Steps = self.violations.step(state, &values, self.budget)?.into();
        self.steps.insert((state, letter), Rc::clone(&steps));
        Ok(steps)
    }
}

impl Marked for Search<'_, '_> {
    type Stop = Error;

    fn edges(&mut self, node: u32, edges: &mut Vec<Edge>) -> Result<(), Error> {
        let (at, state) = self.pairs[node as usize];
        let steps = self.steps(state, at)?;
        self.explicit.expand(at)?;
        let count = self.explicit.known_arcs(at).len();
        self.tally.effort(EDGE * (steps.len() * count) as u64, WHAT)?;
        for i in 0..count.max(1) {
            let arc = self.explicit.known_arcs(at).get(i);
            let (to, label) = arc.map_or((at, STOPPED), |arc| (arc.to, arc.action.raw()));
            for &(state, marks) in steps.iter() {
                if self.within.is_none_or(|within| within(&self.explicit.state(to), state)) {
                    edges.push(Edge { to: self.id((to, state))?, marks, label });
                }
            }
        }
        Ok(())
    }
}

/// A run whose states violate the formula, if there is one, through pairs of a state and a state of the automaton that lie `within`.
pub(super) fn violation(
    explicit: &mut Explicit<'_>,
    formula: &Formula,
    violations: &mut Violations,
    within: Option<&Within<'_>>,
    budget: &Budget,
) -> Result<Option<Run>, Error> {
    let (start, first, all) = (explicit.start()?, violations.start(), violations.all);
    let claim = budget.claim(0, WHAT)?;
    let mut search = Search {
        explicit,
        formula,
        violations,
        within,
        budget,
        pairs: Vec::new(),
        ids: Numbers::default(),
        letter_of: Vec::new(),
        letters: FxHashMap::default(),
        steps: FxHashMap::default(),
        tally: Tally::new(budget),
        claim,
    };
    let from = search.id((start, first))?;
    let Some(Lasso { prefix, cycle }) = recurrent::find(&mut search, from, all, budget)? else { return Ok(None) };
    let arcs = |edges: &[Edge]| -> Vec<Arc> {
        let taken = edges.iter().filter(|e| e.label != STOPPED);
        taken.map(|e| Arc { action: ActionId::from_raw(e.label), to: search.pairs[e.to as usize].0 }).collect()
    };
    let (prefix, cycle) = (arcs(&prefix), arcs(&cycle));
    let end = if cycle.is_empty() { Ending::Dead } else { Ending::Cycle(cycle) };
    search.explicit.run(&Path { prefix, end }).map(Some)
}
