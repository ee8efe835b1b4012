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

/// LTL could take this way as well; [`Obligations`](super::Obligations) has it. docs/decisions/ltl-obligations-and-residuals.md compares the
/// two, with the figures of these tests.
#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Normal, Obligations};
    use posetta_logic::{Atoms, Guard, parse_ltl};
    use rustc_hash::FxHashSet;

    /// A formula that holds where all of these do.
    fn all(parts: impl Iterator<Item = String>) -> String {
        parts.map(|part| format!("({part})")).collect::<Vec<_>>().join(" && ")
    }

    fn nested(depth: usize, operator: &str) -> String {
        (0..depth).rev().fold(format!("p{depth}"), |inner, i| format!("(p{i} {operator} {inner})"))
    }

    fn mixed(count: usize) -> String {
        all((0..count).map(|i| match i % 4 {
            0 => format!("G (p{} -> F p{})", i % 5, (i + 1) % 5),
            1 => format!("F p{}", i % 6),
            2 => format!("G (p{} || !p{})", i % 5, (i + 2) % 5),
            _ => format!("!p{} W p{}", i % 5, (i + 3) % 5),
        }))
    }

    /// A name, and formulas.
    fn sets() -> Vec<(&'static str, Vec<String>)> {
        let patterns = [
            "G !p0",
            "F p0",
            "G (p0 -> F p1)",
            "!p1 W p0",
            "G (p0 -> (!p1 W p2))",
            "F p0 -> (!p1 U p0)",
            "G (p0 -> X p1)",
            "G (p0 -> WX (p1 U p2))",
            "G ((p0 && F p1) -> (!p2 U p1))",
            "F (p0 && X F p1)",
            "G (p0 -> F (p1 && F p2))",
            "G F p0 -> G F p1",
            "F G p0",
            "G (p0 -> X (!p0 W p1))",
        ];
        let nested = (2..=6).flat_map(|depth| [nested(depth, "U"), nested(depth, "R")]);
        let others = ["((p0 U p1) R (p2 U p3)) U (p1 R p3)", "G ((p0 U p1) || (p2 R p3))", "((p0 U p1) U p2) U p3"];
        vec![
            ("patterns", patterns.map(str::to_owned).to_vec()),
            ("nested", nested.chain(others.map(str::to_owned)).collect()),
            ("mixed 5", vec![mixed(5)]),
            ("mixed 10", vec![mixed(10)]),
            ("mixed 60", vec![mixed(60)]),
            ("responses 6", vec![all((0..6).map(|i| format!("G (p{i} -> F p{})", i + 1)))]),
            ("eventually 8", vec![all((0..8).map(|i| format!("F p{i}")))]),
        ]
    }

    fn both(text: &str, negated: bool) -> (Obligations, Progression, usize) {
        let mut atoms = Atoms::default();
        let formula = parse_ltl(text).unwrap().map_atoms(&mut |atom| atoms.add(atom));
        let normal = Normal::new(&formula, negated);
        let mut residual = Progression::new(&Psl::Bool(Guard::True), false);
        residual.empty = normal.on_empty();
        residual.root = Some(residual.store.ltl(&normal, &Budget::unlimited()).unwrap());
        (Obligations::new(normal), residual, atoms.atoms().len())
    }

    fn letter(bits: u32, atoms: usize) -> Vec<bool> {
        (0..atoms).map(|i| bits >> i & 1 == 1).collect()
    }

    /// How many states there are and how many steps between them, over all letters.
    fn explore(automaton: &mut dyn Automaton, atoms: usize) -> (usize, usize) {
        let (mut seen, mut steps) = (FxHashSet::from_iter([automaton.start()]), 0);
        let mut open = vec![automaton.start()];
        while let Some(state) = open.pop() {
            for bits in 0..1 << atoms {
                let next = automaton.step(state, &letter(bits, atoms), &Budget::unlimited()).unwrap();
                steps += next.len();
                open.extend(next.into_iter().filter(|&state| seen.insert(state)));
            }
        }
        (seen.len(), steps)
    }

    #[test]
    fn ltl_has_the_same_words_by_residuals() {
        let mut rng = fastrand::Rng::with_seed(5);
        for text in sets().into_iter().flat_map(|(_, formulas)| formulas) {
            let (mut one, mut other, atoms) = both(&text, rng.bool());
            for _ in 0..20 {
                let (mut here, mut there) = (vec![one.start()], vec![other.start()]);
                for _ in 0..6 {
                    let read = letter(rng.u32(..), atoms);
                    let follow = |automaton: &mut dyn Automaton, from: &[StateId]| {
                        let next = from.iter().map(|&s| automaton.step(s, &read, &Budget::unlimited()).unwrap());
                        let next: std::collections::BTreeSet<StateId> = next.flatten().collect();
                        next.into_iter().collect::<Vec<_>>()
                    };
                    (here, there) = (follow(&mut one, &here), follow(&mut other, &there));
                    let accepts = |automaton: &dyn Automaton, at: &[StateId]| at.iter().any(|&s| automaton.accepts(s));
                    assert_eq!(accepts(&one, &here), accepts(&other, &there), "{text}");
                }
            }
        }
    }

    /// States and steps of all formulas of each set and of their negations.
    fn counted(residuals: bool) -> Vec<(&'static str, usize, usize)> {
        let sets = sets().into_iter().map(|(name, formulas)| {
            let (mut states, mut steps) = (0, 0);
            for (text, negated) in formulas.iter().flat_map(|text| [(text, true), (text, false)]) {
                let (mut one, mut other, atoms) = both(text, negated);
                let found = if residuals { explore(&mut other, atoms) } else { explore(&mut one, atoms) };
                (states, steps) = (states + found.0, steps + found.1);
            }
            (name, states, steps)
        });
        sets.collect()
    }

    #[test]
    fn states_and_steps_by_obligations() {
        assert_eq!(
            counted(false),
            [
                ("patterns", 103, 499),
                ("nested", 363, 16720),
                ("mixed 5", 15, 425),
                ("mixed 10", 47, 1976),
                ("mixed 60", 28, 1272),
                ("responses 6", 78, 10624),
                ("eventually 8", 266, 67840)
            ]
        );
    }

    #[test]
    fn states_and_steps_by_residuals() {
        assert_eq!(
            counted(true),
            [
                ("patterns", 103, 499),
                ("nested", 162, 5894),
                ("mixed 5", 15, 425),
                ("mixed 10", 42, 1792),
                ("mixed 60", 23, 1102),
                ("responses 6", 78, 10624),
                ("eventually 8", 266, 67840)
            ]
        );
    }
}
