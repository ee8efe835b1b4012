//! Linear properties on listed states: the tester of a property runs beside the model, and a computation is looked for that it says no to.
//!
//! A node of the product is a state of the model and the truth values of the tester's variables. Which values can come next depends on the truth of the
//! atoms alone, so it is found once for each combination of these.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use super::graph::{Fairness, Graph};
use crate::fds::property::Linear;
use posetta_base::{Budget, OverBudget};
use posetta_compile::tester::{Assertion, AssertionId, Module, Tester};

const WHAT: &str = "searching for a computation state by state";

/// More variables of a tester, or atoms, are left to diagrams.
const MOST: usize = 62;

/// The effort of an assertion that is worked out, and of a node of the product.
const LOOK: u64 = 1;
const NODE: u64 = 8;

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
    pub(super) budget: &'s Budget,
}

/// Whether this is a property for here.
pub(super) fn fits(linear: &Linear) -> bool {
    !linear.inputs && linear.atoms.len() <= MOST && linear.tester.vars.len() <= MOST
}

/// A computation that the tester says no to.
pub(super) fn violation(beside: &Beside<'_>, tester: &Tester) -> Result<Option<Found>, OverBudget> {
    let Beside { graph: model, initial, fairness, finals, letters, budget } = *beside;
    let vars = tester.vars.len();
    let everything = (1_u64 << vars) - 1;
    let all = |part: fn(&Module) -> &Vec<AssertionId>| -> Vec<(AssertionId, bool)> {
        tester.modules.iter().flat_map(part).map(|&id| (id, true)).collect()
    };
    let (mut first, trans, ends) = (all(|m| &m.init), all(|m| &m.trans), all(|m| &m.finals));
    first.push((tester.output, false));
    let justice: Vec<AssertionId> = tester.modules.iter().flat_map(|m| &m.justice).copied().collect();
    let unknown = |letter: u64| Half { bits: 0, known: 0, letter };
    let known = |bits: u64, letter: u64| Half { bits, known: everything, letter };
    let is_true = |id: AssertionId, bits: u64, letter: u64| {
        let mut at = Position::new(tester, known(bits, letter), unknown(0));
        at.truth(id, false) == Some(true)
    };
    let mut claim = budget.claim(0, WHAT)?;
    let mut ids: FxHashMap<(u32, u64), u32> = FxHashMap::default();
    let (mut nodes, mut came): (Vec<(u32, u64)>, Vec<u32>) = (Vec::new(), Vec::new());
    let mut firsts: FxHashMap<u64, Vec<u64>> = FxHashMap::default();
    let mut nexts: FxHashMap<(u64, u64, u64), Vec<u64>> = FxHashMap::default();
    let mut graph = Graph::default();
    for state in 0..initial as u32 {
        let letter = letters[state as usize];
        if let Entry::Vacant(slot) = firsts.entry(letter) {
            let mut found = Vec::new();
            let mut at = Position::new(tester, unknown(letter), unknown(0));
            at.solve(false, &first, vars, budget, &mut found)?;
            slot.insert(found);
        }
        for &bits in &firsts[&letter] {
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
        let (state, bits) = nodes[at];
        let letter = letters[state as usize];
        if finals[state as usize] && ends.iter().all(|&(id, _)| is_true(id, bits, letter)) {
            let states = path_to(&came, at as u32).into_iter().map(|node| nodes[node as usize].0).collect();
            return Ok(Some(Found { states, cycle: None }));
        }
        for &to in model.to(state) {
            let key = (bits, letter, letters[to as usize]);
            if let Entry::Vacant(slot) = nexts.entry(key) {
                let mut found = Vec::new();
                let mut here = Position::new(tester, known(bits, letter), unknown(key.2));
                here.solve(true, &trans, vars, budget, &mut found)?;
                slot.insert(found);
            }
            for &next in &nexts[&key] {
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
            let memory = tables + 96 * (nexts.len() + firsts.len());
            claim.grow_to(2 * memory as u64 + graph.bytes() + 4096, WHAT)?;
        }
        at += 1;
    }
    let sets = justice.len() + fairness.justice.len() + 2 * fairness.compassion.len() + 4;
    let _claim = budget.claim((sets * nodes.len()) as u64, WHAT)?;
    let spread = |set: &[bool]| -> Vec<bool> { nodes.iter().map(|&(state, _)| set[state as usize]).collect() };
    let mut both = Fairness::default();
    both.justice.extend(fairness.justice.iter().map(|set| spread(set)));
    both.compassion.extend(fairness.compassion.iter().map(|(p, q)| (spread(p), spread(q))));
    for id in justice {
        budget.effort(NODE * nodes.len() as u64, WHAT)?;
        let truths = nodes.iter().map(|&(state, bits)| is_true(id, bits, letters[state as usize]));
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
