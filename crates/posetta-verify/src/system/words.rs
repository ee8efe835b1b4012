//! A formula over actions against a graph with observed and silent arcs.
//!
//! The word of a run is what is observed of it. The search goes over pairs of a node and a state of the automaton of the words that violate
//! the formula; a silent arc leaves the automaton where it is. Of an infinite run infinitely many actions are observed, which is one more
//! mark; or it stops, and the automaton reads `deadlock` forever; or from some node on it is silent, and the automaton reads
//! `divergence` forever: then what is left to find is a silent cycle, or a node that is divergent in itself (errata to paper 003,
//! algorithm 4, which merges nodes instead).

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::numbers::{self, Numbers};
use super::observed::{Arc, Ending, NodeId, Observed, Path};
use posetta_automata::StateId;
use posetta_automata::recurrent::{self, Edge, Lasso, Marked, Marks};
use posetta_base::{ActionId, Budget, Error, Limit, OverBudget, Tally};
use posetta_compile::{Advance, Automaton as _, Normal, Obligations};
use posetta_logic::eval::{self, Word};
use posetta_logic::{AtomId, Ltl};
use posetta_model::system::{Letter, Move};

const WHAT: &str = "searching for a run that violates the property";

/// A formula over letters with its letters numbered.
pub(super) struct Formula {
    formula: Ltl<AtomId>,
    letters: Vec<Letter>,
}

impl Formula {
    pub(super) fn new(formula: &Ltl<Letter>) -> Self {
        let mut letters: Vec<Letter> = Vec::new();
        let formula = formula.map_atoms(&mut |&letter| {
            let place = letters.iter().position(|&l| l == letter).unwrap_or_else(|| {
                letters.push(letter);
                letters.len() - 1
            });
            AtomId(place as u32)
        });
        Self { formula, letters }
    }

    /// Which atoms are true where a letter stands: one at most.
    fn vector(&self, letter: Letter) -> Vec<bool> {
        self.letters.iter().map(|&l| l == letter).collect()
    }

    /// Whether a word satisfies it that goes back from its last letter to `cycle`, by definition.
    pub(super) fn holds(&self, word: &[Letter], cycle: usize, budget: &Budget) -> Result<bool, OverBudget> {
        let rows = self.letters.iter().map(|letter| word.iter().map(|l| l == letter).collect()).collect();
        eval::ltl_on_lasso(&self.formula, &Word::from_rows(rows, word.len()), cycle, budget)
    }
}

/// The effort of an edge, in units of the budget: its pair is looked up, mostly far away in memory.
const EDGE: u64 = 12;

/// Steps of the automaton, with what they do not put off.
type Steps = Rc<[(StateId, Marks)]>;

/// The automaton of the words that violate a formula.
pub(super) struct Violations {
    automaton: Obligations,
    /// Every mark: one per `U`, and the last for observed actions.
    all: Marks,
    /// By state and letter: where it leads, and what is not put off on the way.
    steps: FxHashMap<(StateId, Letter), Steps>,
    forever: FxHashMap<(StateId, Letter), bool>,
    formula: Formula,
}

impl Violations {
    pub(super) fn new(formula: &Ltl<Letter>) -> Result<Self, OverBudget> {
        let formula = Formula::new(formula);
        let automaton = Obligations::on_infinite_words(Normal::new(&formula.formula, true));
        let untils = automaton.untils().len();
        if untils > 120 {
            return Err(OverBudget::new("following more than 120 parts that have to come", Limit::Memory));
        }
        let all = (1 << (untils + 1)) - 1;
        Ok(Self { automaton, all, steps: FxHashMap::default(), forever: FxHashMap::default(), formula })
    }

    fn step(&mut self, state: StateId, letter: Letter, budget: &Budget) -> Result<&Steps, OverBudget> {
        // Letters that the formula does not name look the same.
        let known = self.formula.letters.contains(&letter);
        let key = (state, if known { letter } else { Letter::Action(ActionId::from_raw(u32::MAX)) });
        if !self.steps.contains_key(&key) {
            let advances = self.automaton.advance(state, &self.formula.vector(letter), budget)?;
            let steps = advances.iter().map(|a| (a.to, self.marks(a))).collect();
            self.steps.insert(key, steps);
        }
        Ok(&self.steps[&key])
    }

    /// After how many steps a word is seen to be accepted however it goes on.
    pub(super) fn settled(
        &mut self,
        steps: &[Move],
        observed: &[bool],
        budget: &Budget,
    ) -> Result<Option<usize>, OverBudget> {
        let mut states = vec![self.automaton.start()];
        for (i, step) in steps.iter().enumerate().filter(|(_, step)| observed[step.action.index()]) {
            let mut next: Vec<StateId> = Vec::new();
            for state in states {
                next.extend(self.step(state, Letter::Action(step.action), budget)?.iter().map(|&(to, _)| to));
            }
            if next.iter().any(|&state| self.automaton.is_universal(state)) {
                return Ok(Some(i + 1));
            }
            next.sort_unstable();
            next.dedup();
            states = next;
        }
        Ok(None)
    }

    /// What a step does not put off.
    fn marks(&self, advance: &Advance) -> Marks {
        advance.put_off.iter().fold(self.all, |marks, &i| marks & !(1 << i))
    }

    /// Whether a letter that is read forever is accepted from a state.
    fn accepts_forever(&mut self, state: StateId, letter: Letter, budget: &Budget) -> Result<bool, OverBudget> {
        if let Some(&known) = self.forever.get(&(state, letter)) {
            return Ok(known);
        }
        struct Forever<'a>(&'a mut Violations, Letter, &'a Budget);
        impl Marked for Forever<'_> {
            type Stop = OverBudget;
            fn edges(&mut self, node: u32, edges: &mut Vec<Edge>) -> Result<(), OverBudget> {
                let steps = self.0.step(StateId(node), self.1, self.2)?;
                edges.extend(steps.iter().map(|&(to, marks)| Edge { to: to.0, marks, label: 0 }));
                Ok(())
            }
        }
        let all = self.all;
        let found = recurrent::find(&mut Forever(self, letter, budget), state.0, all, budget)?.is_some();
        self.forever.insert((state, letter), found);
        Ok(found)
    }
}

/// A node of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Pair {
    /// A node of the graph and a state of the automaton.
    At(NodeId, StateId),
    /// Silent from here on.
    Silent(NodeId),
    /// The run has stopped.
    Stopped,
}

/// Labels of edges that are not arcs: the run stops, it is silent from now on, it stays inside.
const STOPS: u32 = u32::MAX;
const FALLS_SILENT: u32 = u32::MAX - 1;
const STAYS: u32 = u32::MAX - 2;

struct Search<'a, G> {
    graph: &'a mut G,
    violations: &'a mut Violations,
    budget: &'a Budget,
    pairs: Vec<Pair>,
    /// The states of the automaton are counted from one; with 0 a node stands alone.
    ids: Numbers,
    stopped: Option<u32>,
    /// Arcs of the node at hand.
    arcs: Vec<Arc>,
    tally: Tally,
    claim: posetta_base::Claim,
}

impl<G: Observed> Search<'_, G> {
    /// The arcs of a node, in a list that is used again.
    fn arcs_of(&mut self, node: NodeId) -> Result<Vec<Arc>, Error> {
        let mut arcs = std::mem::take(&mut self.arcs);
        arcs.clear();
        self.graph.add_arcs(node, &mut arcs)?;
        Ok(arcs)
    }

    fn id(&mut self, pair: Pair) -> Result<u32, OverBudget> {
        let new = self.pairs.len() as u32;
        let id = match pair {
            Pair::At(node, state) => self.ids.of((node, state.0 + 1), new),
            Pair::Silent(node) => self.ids.of((node, 0), new),
            Pair::Stopped => *self.stopped.get_or_insert(new),
        };
        if id == new {
            if new == u32::MAX - 1 {
                return Err(OverBudget::new(WHAT, Limit::Memory));
            }
            self.pairs.push(pair);
            if new.is_multiple_of(numbers::LOOK) {
                let pairs = 2 * size_of::<Pair>() * self.pairs.capacity();
                self.claim.grow_to(pairs as u64 + self.ids.bytes_soon(), WHAT)?;
            }
        }
        Ok(id)
    }
}

impl<G: Observed> Marked for Search<'_, G> {
    type Stop = Error;

    fn edges(&mut self, node: u32, edges: &mut Vec<Edge>) -> Result<(), Error> {
        let (all, first) = (self.violations.all, edges.len());
        match self.pairs[node as usize] {
            Pair::Stopped => edges.push(Edge { to: node, marks: all, label: STOPS }),
            Pair::Silent(at) => {
                if self.graph.is_divergent(at)? {
                    edges.push(Edge { to: node, marks: all, label: STAYS });
                }
                let mut arcs = self.arcs_of(at)?;
                for arc in arcs.drain(..) {
                    if !self.graph.observes(arc.action) {
                        let to = self.id(Pair::Silent(arc.to))?;
                        edges.push(Edge { to, marks: all, label: arc.action.raw() });
                    }
                }
                self.arcs = arcs;
            }
            Pair::At(at, state) => {
                if self.violations.accepts_forever(state, Letter::Deadlock, self.budget)? && self.graph.is_dead(at)? {
                    let to = self.id(Pair::Stopped)?;
                    edges.push(Edge { to, marks: 0, label: STOPS });
                }
                let mut arcs = self.arcs_of(at)?;
                if self.violations.accepts_forever(state, Letter::Divergence, self.budget)? {
                    let silent = arcs.iter().any(|arc| !self.graph.observes(arc.action));
                    if silent || self.graph.is_divergent(at)? {
                        let to = self.id(Pair::Silent(at))?;
                        edges.push(Edge { to, marks: 0, label: FALLS_SILENT });
                    }
                }
                for arc in arcs.drain(..) {
                    let label = arc.action.raw();
                    if !self.graph.observes(arc.action) {
                        let to = self.id(Pair::At(arc.to, state))?;
                        edges.push(Edge { to, marks: 0, label });
                        continue;
                    }
                    let steps = Rc::clone(self.violations.step(state, Letter::Action(arc.action), self.budget)?);
                    for &(to, marks) in steps.iter() {
                        let to = self.id(Pair::At(arc.to, to))?;
                        edges.push(Edge { to, marks, label });
                    }
                }
                self.arcs = arcs;
            }
        }
        Ok(self.tally.effort(EDGE * (edges.len() - first) as u64, WHAT)?)
    }
}

/// A run whose word violates the formula, if there is one.
pub(super) fn violation<G: Observed>(
    graph: &mut G,
    violations: &mut Violations,
    budget: &Budget,
) -> Result<Option<Path>, Error> {
    let start = graph.start()?;
    let first = violations.automaton.start();
    let all = violations.all;
    let claim = budget.claim(0, WHAT)?;
    let (pairs, ids, tally) = (Vec::new(), Numbers::default(), Tally::new(budget));
    let mut search = Search { graph, violations, budget, pairs, ids, stopped: None, arcs: Vec::new(), tally, claim };
    let from = search.id(Pair::At(start, first))?;
    let Some(Lasso { prefix, cycle }) = recurrent::find(&mut search, from, all, budget)? else { return Ok(None) };
    // Edges that are no arcs leave the node as it is.
    let arcs = |edges: &[Edge]| -> Vec<Arc> {
        let taken = edges.iter().filter(|e| e.label < STAYS);
        taken
            .filter_map(|e| match search.pairs[e.to as usize] {
                Pair::At(to, _) | Pair::Silent(to) => Some(Arc { action: ActionId::from_raw(e.label), to }),
                Pair::Stopped => None,
            })
            .collect()
    };
    let end = match cycle.first().map(|e| e.label) {
        Some(STOPS) => Ending::Dead,
        _ if cycle.iter().any(|e| e.label == STAYS) && cycle.len() == 1 => Ending::Divergent,
        _ => Ending::Cycle(arcs(&cycle)),
    };
    Ok(Some(Path { prefix: arcs(&prefix), end }))
}
