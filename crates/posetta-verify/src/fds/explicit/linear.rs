//! Linear properties on listed states: something reads the atoms of each state beside the model, and a computation is looked for that violates the
//! property.
//!
//! For LTL that is the tester of the property: a node of the product is a state of the model and the truth values of the tester's variables. For PSL it
//! is what is left of the negation: a tester has a variable for each place of a SERE, and with a count of 300 that is too many to list their values.
//! Which values or residuals can come next depends on the truth of the atoms alone, so it is found once for each combination of these.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use super::deep;
use super::graph::{Fairness, Graph};
use crate::fds::property::{Formula, Linear};
use posetta_automata::StateId;
use posetta_base::{Budget, OverBudget};
use posetta_compile::tester::{Assertion, AssertionId, Module, Tester};
use posetta_compile::{Automaton as _, Endless, Progression};

pub(super) const WHAT: &str = "searching for a computation state by state";

/// More variables of a tester, or atoms, are left to diagrams.
const MOST: usize = 62;

/// The effort of an assertion that is worked out, and of a node of the product.
const LOOK: u64 = 1;
pub(super) const NODE: u64 = 8;

/// That of a residual that is worked out, and of each that it may become.
const REST: u64 = 40;

/// Values of a tester's variables, of which some are known.
#[derive(Clone, Copy)]
struct Half {
    bits: u64,
    known: u64,
    letter: u64,
}

/// A position, and the next one where there is one.
struct Position<'t> {
    tester: &'t Tester,
    now: Half,
    next: Half,
    looks: u64,
    /// Assertions are shared. What was worked out is known until another value is tried.
    memo: FxHashMap<(AssertionId, bool), (u64, Option<bool>)>,
    time: u64,
}

impl<'t> Position<'t> {
    fn new(tester: &'t Tester, now: Half, next: Half) -> Self {
        Self { tester, now, next, looks: 0, memo: FxHashMap::default(), time: 0 }
    }

    /// Whether an assertion is true; `None` as long as that is open.
    fn truth(&mut self, id: AssertionId, later: bool) -> Option<bool> {
        self.looks += 1;
        let tester = self.tester;
        let half = if later { self.next } else { self.now };
        let assertion = tester.assertions.get(id);
        let large = matches!(assertion, Assertion::And(_) | Assertion::Or(_) | Assertion::Iff(..));
        if large
            && let Some(&(time, truth)) = self.memo.get(&(id, later))
            && time == self.time
        {
            return truth;
        }
        let truth = match assertion {
            Assertion::Constant(value) => Some(*value),
            Assertion::Atom(atom) => Some(half.letter >> atom.0 & 1 == 1),
            Assertion::Var(var) => (half.known >> var.0 & 1 == 1).then_some(half.bits >> var.0 & 1 == 1),
            Assertion::Next(a) => self.truth(*a, true),
            Assertion::Not(a) => self.truth(*a, later).map(|b| !b),
            Assertion::And(parts) => self.chain(parts, later, false),
            Assertion::Or(parts) => self.chain(parts, later, true),
            Assertion::Iff(a, b) => {
                let (a, b) = (self.truth(*a, later), self.truth(*b, later));
                a.zip(b).map(|(a, b)| a == b)
            }
        };
        if large {
            self.memo.insert((id, later), (self.time, truth));
        }
        truth
    }

    fn chain(&mut self, parts: &[AssertionId], later: bool, decides: bool) -> Option<bool> {
        let mut open = false;
        for &part in parts {
            match self.truth(part, later) {
                Some(value) if value == decides => return Some(decides),
                Some(_) => {}
                None => open = true,
            }
        }
        if open { None } else { Some(!decides) }
    }

    /// All values of one half that make these assertions true, and these false.
    fn solve(
        &mut self,
        later: bool,
        wanted: &[(AssertionId, bool)],
        vars: usize,
        budget: &Budget,
        found: &mut Vec<u64>,
    ) -> Result<(), OverBudget> {
        budget.effort(std::mem::take(&mut self.looks) * LOOK, WHAT)?;
        let mut open = Vec::with_capacity(wanted.len());
        for &(id, value) in wanted {
            match self.truth(id, false) {
                Some(truth) if truth == value => {}
                Some(_) => return Ok(()),
                None => open.push((id, value)),
            }
        }
        let half = if later { self.next } else { self.now };
        let var = half.known.trailing_ones() as usize;
        if var >= vars {
            found.push(half.bits);
            return Ok(());
        }
        for value in [0, 1] {
            let tried = Half { bits: half.bits | value << var, known: half.known | 1 << var, ..half };
            self.set(later, tried);
            self.solve(later, &open, vars, budget, found)?;
        }
        self.set(later, half);
        Ok(())
    }

    fn set(&mut self, later: bool, half: Half) {
        self.time += 1;
        if later { self.next = half } else { self.now = half }
    }
}

/// A computation: states of the model, and where the last one goes back to, if it does.
pub(super) struct Found {
    pub(super) states: Vec<u32>,
    pub(super) cycle: Option<usize>,
}

/// The model that a tester runs beside.
pub(super) struct Beside<'s> {
    pub(super) graph: &'s Graph,
    pub(super) initial: usize,
    pub(super) fairness: &'s Fairness,
    /// Where finite computations end.
    pub(super) finals: &'s [bool],
    /// By state: the atoms that are true, as bits.
    pub(super) letters: &'s [u64],
    /// With more nodes than this, a product that can be searched as it is found is not laid out.
    pub(super) broad: usize,
    pub(super) budget: &'s Budget,
}

/// Whether this is a property for here.
pub(super) fn fits(linear: &Linear) -> bool {
    let is_psl = matches!(linear.formula, Formula::Psl(_));
    let is_small = is_psl || linear.tester.as_ref().is_some_and(|tester| tester.vars.len() <= MOST);
    !linear.inputs && linear.atoms.len() <= MOST && is_small
}

/// What runs beside a model, and reads the atoms of each of its states: numbered states, of which several may come next.
pub(super) trait Reader {
    /// The states after the first letter.
    fn start(&mut self, letter: u64) -> Result<&[u64], OverBudget>;

    /// The states after one more letter.
    fn step(&mut self, state: u64, letter: u64, next: u64) -> Result<&[u64], OverBudget>;

    /// Whether a computation may end here.
    fn may_end(&mut self, state: u64, letter: u64) -> bool;

    /// How many sets of states have to be met again and again, and whether a state is in one.
    fn fair_sets(&self) -> usize;
    fn is_fair(&mut self, set: usize, state: u64, letter: u64) -> bool;

    /// What a state owes, if that is known: with more of it, it accepts fewer words.
    fn owed(&self, _state: u64) -> Option<Vec<u32>> {
        None
    }

    /// About how many bytes it takes.
    fn bytes(&self) -> u64;
}

/// The values of a tester's variables, for computations that it says no to.
struct Values<'t> {
    tester: &'t Tester,
    budget: &'t Budget,
    first: Vec<(AssertionId, bool)>,
    trans: Vec<(AssertionId, bool)>,
    ends: Vec<(AssertionId, bool)>,
    justice: Vec<AssertionId>,
    firsts: FxHashMap<u64, Vec<u64>>,
    nexts: FxHashMap<(u64, u64, u64), Vec<u64>>,
}

fn unknown(letter: u64) -> Half {
    Half { bits: 0, known: 0, letter }
}

impl<'t> Values<'t> {
    fn new(tester: &'t Tester, budget: &'t Budget) -> Self {
        let all = |part: fn(&Module) -> &Vec<AssertionId>| -> Vec<(AssertionId, bool)> {
            tester.modules.iter().flat_map(part).map(|&id| (id, true)).collect()
        };
        let (mut first, trans, ends) = (all(|m| &m.init), all(|m| &m.trans), all(|m| &m.finals));
        first.push((tester.output, false));
        let justice = tester.modules.iter().flat_map(|m| &m.justice).copied().collect();
        let (firsts, nexts) = (FxHashMap::default(), FxHashMap::default());
        Self { tester, budget, first, trans, ends, justice, firsts, nexts }
    }

    fn known(&self, bits: u64, letter: u64) -> Half {
        Half { bits, known: (1_u64 << self.tester.vars.len()) - 1, letter }
    }

    fn is_true(&self, id: AssertionId, bits: u64, letter: u64) -> bool {
        Position::new(self.tester, self.known(bits, letter), unknown(0)).truth(id, false) == Some(true)
    }
}

impl Reader for Values<'_> {
    fn start(&mut self, letter: u64) -> Result<&[u64], OverBudget> {
        if let Entry::Vacant(slot) = self.firsts.entry(letter) {
            let mut found = Vec::new();
            let mut at = Position::new(self.tester, unknown(letter), unknown(0));
            at.solve(false, &self.first, self.tester.vars.len(), self.budget, &mut found)?;
            slot.insert(found);
        }
        Ok(&self.firsts[&letter])
    }

    fn step(&mut self, bits: u64, letter: u64, next: u64) -> Result<&[u64], OverBudget> {
        let key = (bits, letter, next);
        let known = self.known(bits, letter);
        if let Entry::Vacant(slot) = self.nexts.entry(key) {
            let mut found = Vec::new();
            let mut here = Position::new(self.tester, known, unknown(next));
            here.solve(true, &self.trans, self.tester.vars.len(), self.budget, &mut found)?;
            slot.insert(found);
        }
        Ok(&self.nexts[&key])
    }

    fn may_end(&mut self, bits: u64, letter: u64) -> bool {
        self.ends.iter().all(|&(id, _)| self.is_true(id, bits, letter))
    }

    fn fair_sets(&self) -> usize {
        self.justice.len()
    }

    fn is_fair(&mut self, set: usize, bits: u64, letter: u64) -> bool {
        self.is_true(self.justice[set], bits, letter)
    }

    fn bytes(&self) -> u64 {
        96 * (self.nexts.len() + self.firsts.len()) as u64
    }
}

/// What is left of the negation of a PSL formula, for computations that end or for those that do not.
struct Rest<'b> {
    automaton: Which,
    /// How many atoms there are.
    atoms: usize,
    budget: &'b Budget,
    firsts: FxHashMap<u64, Vec<u64>>,
    nexts: FxHashMap<(u64, u64), Vec<u64>>,
}

enum Which {
    Finite(Progression),
    Endless(Endless),
}

impl Rest<'_> {
    fn letter(&self, bits: u64) -> Vec<bool> {
        (0..self.atoms).map(|atom| bits >> atom & 1 == 1).collect()
    }
}

impl Reader for Rest<'_> {
    fn start(&mut self, letter: u64) -> Result<&[u64], OverBudget> {
        let vector = self.letter(letter);
        if let Entry::Vacant(slot) = self.firsts.entry(letter) {
            let found = match &mut self.automaton {
                Which::Finite(automaton) => automaton.step(automaton.start(), &vector, self.budget)?,
                Which::Endless(automaton) => automaton.start(&vector, self.budget)?,
            };
            slot.insert(found.into_iter().map(|state| u64::from(state.0)).collect());
        }
        Ok(&self.firsts[&letter])
    }

    fn step(&mut self, state: u64, _: u64, next: u64) -> Result<&[u64], OverBudget> {
        let (key, vector) = ((state, next), self.letter(next));
        if let Entry::Vacant(slot) = self.nexts.entry(key) {
            let from = StateId(state as u32);
            let found = match &mut self.automaton {
                Which::Finite(automaton) => automaton.step(from, &vector, self.budget)?,
                Which::Endless(automaton) => automaton.step(from, &vector, self.budget)?,
            };
            self.budget.effort(REST * (1 + found.len() as u64), WHAT)?;
            slot.insert(found.into_iter().map(|state| u64::from(state.0)).collect());
        }
        Ok(&self.nexts[&key])
    }

    fn may_end(&mut self, state: u64, _: u64) -> bool {
        match &self.automaton {
            Which::Finite(automaton) => automaton.accepts(StateId(state as u32)),
            Which::Endless(_) => false,
        }
    }

    fn fair_sets(&self) -> usize {
        1
    }

    fn is_fair(&mut self, _: usize, state: u64, _: u64) -> bool {
        match &self.automaton {
            Which::Finite(_) => false,
            Which::Endless(automaton) => automaton.is_noted(StateId(state as u32)),
        }
    }

    fn owed(&self, state: u64) -> Option<Vec<u32>> {
        match &self.automaton {
            Which::Finite(_) => None,
            Which::Endless(automaton) => Some(automaton.owed(StateId(state as u32))),
        }
    }

    fn bytes(&self) -> u64 {
        // What residuals take is announced by their automaton, or here.
        let own = match &self.automaton {
            Which::Finite(automaton) => automaton.bytes(),
            Which::Endless(_) => 0,
        };
        own + 96 * (self.nexts.len() + self.firsts.len()) as u64
    }
}

/// A computation that violates a property.
pub(super) fn violation(beside: &Beside<'_>, linear: &Linear) -> Result<Option<Found>, OverBudget> {
    let budget = beside.budget;
    let Formula::Psl(formula) = &linear.formula else {
        let tester = linear.tester.as_ref().expect("whoever asks for LTL has its tester");
        return beside.search(&mut Values::new(tester, budget));
    };
    let rest = |automaton| Rest {
        automaton,
        atoms: linear.atoms.len(),
        budget,
        firsts: FxHashMap::default(),
        nexts: FxHashMap::default(),
    };
    if beside.finals.contains(&true) {
        let found = beside.search(&mut rest(Which::Finite(Progression::new(formula, true))))?;
        if found.is_some() {
            return Ok(found);
        }
    }
    beside.search(&mut rest(Which::Endless(Endless::new(formula, true, budget)?)))
}

impl Beside<'_> {
    /// A computation that a reader accepts.
    fn search(&self, reader: &mut dyn Reader) -> Result<Option<Found>, OverBudget> {
        let Beside { graph: model, initial, fairness, finals, letters, budget, .. } = *self;
        let mut claim = budget.claim(0, WHAT)?;
        let mut ids: FxHashMap<(u32, u64), u32> = FxHashMap::default();
        let (mut nodes, mut came): (Vec<(u32, u64)>, Vec<u32>) = (Vec::new(), Vec::new());
        let mut graph = Graph::default();
        for state in 0..initial as u32 {
            for &bits in reader.start(letters[state as usize])? {
                ids.insert((state, bits), nodes.len() as u32);
                came.push(nodes.len() as u32);
                nodes.push((state, bits));
            }
        }
        let path_to = |came: &[u32], node: u32| {
            let mut path = vec![node];
            while let Some(&last) = path.last()
                && came[last as usize] != last
            {
                path.push(came[last as usize]);
            }
            path.reverse();
            path
        };
        let mut at = 0;
        while at < nodes.len() {
            if nodes.len() > self.broad
                && let Some(&(_, any)) = nodes.first()
                && reader.owed(any).is_some()
            {
                drop((claim, ids, nodes, came, graph));
                return deep::search(self, reader);
            }
            let (state, bits) = nodes[at];
            let letter = letters[state as usize];
            if finals[state as usize] && reader.may_end(bits, letter) {
                let states = path_to(&came, at as u32).into_iter().map(|node| nodes[node as usize].0).collect();
                return Ok(Some(Found { states, cycle: None }));
            }
            for &to in model.to(state) {
                for &next in reader.step(bits, letter, letters[to as usize])? {
                    let new = nodes.len() as u32;
                    let id = *ids.entry((to, next)).or_insert(new);
                    if id == new {
                        nodes.push((to, next));
                        came.push(at as u32);
                    }
                    graph.push(id);
                }
            }
            graph.close();
            budget.step(1, WHAT)?;
            budget.effort(NODE * (1 + model.to(state).len() as u64), WHAT)?;
            if at.is_multiple_of(256) || graph.is_crowded() {
                let tables = 40 * ids.capacity() + 24 * nodes.capacity() + 12 * came.capacity();
                claim.grow_to(2 * (tables as u64 + reader.bytes()) + graph.bytes() + 4096, WHAT)?;
            }
            at += 1;
        }
        let sets = reader.fair_sets() + fairness.justice.len() + 2 * fairness.compassion.len() + 4;
        let _claim = budget.claim((sets * nodes.len()) as u64, WHAT)?;
        let spread = |set: &[bool]| -> Vec<bool> { nodes.iter().map(|&(state, _)| set[state as usize]).collect() };
        let mut both = Fairness::default();
        both.justice.extend(fairness.justice.iter().map(|set| spread(set)));
        both.compassion.extend(fairness.compassion.iter().map(|(p, q)| (spread(p), spread(q))));
        for set in 0..reader.fair_sets() {
            budget.effort(NODE * nodes.len() as u64, WHAT)?;
            let truths = nodes.iter().map(|&(state, bits)| reader.is_fair(set, bits, letters[state as usize]));
            both.justice.push(truths.collect());
        }
        let parts = both.cycles(&graph, &vec![true; nodes.len()], budget)?;
        // The one that is met first.
        let nearest = parts.iter().filter_map(|part| Some((part.iter().min().copied()?, part))).min();
        let Some((node, part)) = nearest else { return Ok(None) };
        let mut path = path_to(&came, node);
        let cycle = path.len() - 1;
        path.extend(both.round(&graph, part, node, budget)?);
        let states = path.into_iter().map(|node| nodes[node as usize].0).collect();
        Ok(Some(Found { states, cycle: Some(cycle) }))
    }
}
