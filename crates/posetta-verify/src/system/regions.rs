//! A linear formula over states by diagrams: for each state of the automaton of the words that violate it, a set of states of the system.
//!
//! First what can be reached together, then the greatest part of it in which from everywhere every mark can be met again and again (Emerson
//! and Lei 1986). If something is left, a run through it is found state by state, which nowhere leaves what leads there.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use super::explicit::Explicit;
use super::linear::{self, Formula, Violations};
use super::space::Space;
use posetta_automata::StateId;
use posetta_automata::recurrent::Marks;
use posetta_base::{Budget, Error, OverBudget};
use posetta_dd::idd::Set;
use posetta_model::system::{Predicate, Run};

const WHAT: &str = "searching for a run that violates the property";

/// For states of the automaton, states of the system. None is empty.
type Pairs = BTreeMap<StateId, Set>;

/// From a state of the automaton, where the system is in a class of states, to a state of the automaton.
struct Edge {
    from: StateId,
    class: usize,
    to: StateId,
    marks: Marks,
}

struct Product<'a, 's> {
    space: &'a mut Space<'s>,
    budget: &'a Budget,
    /// States that look the same to the formula.
    classes: Vec<Set>,
    dead: Set,
    edges: Vec<Edge>,
}

/// The states that look the same to the formula, with what they look like.
fn classes(space: &mut Space<'_>, reached: Set, atoms: &[Predicate]) -> Result<Vec<(Vec<bool>, Set)>, OverBudget> {
    let mut classes = vec![(Vec::new(), reached)];
    for atom in atoms {
        let mut finer = Vec::with_capacity(classes.len());
        for (letter, set) in classes {
            let yes = space.satisfying(set, atom)?;
            let no = space.diagrams.difference(set, yes)?;
            for (truth, part) in [(true, yes), (false, no)] {
                if !space.diagrams.is_empty(part) {
                    let mut letter: Vec<bool> = letter.clone();
                    letter.push(truth);
                    finer.push((letter, part));
                }
            }
        }
        classes = finer;
    }
    Ok(classes)
}

impl Product<'_, '_> {
    fn union(&mut self, pairs: &mut Pairs, state: StateId, set: Set) -> Result<(), OverBudget> {
        let before = pairs.get(&state).copied().unwrap_or(self.space.diagrams.empty());
        let both = self.space.diagrams.union(before, set)?;
        if !self.space.diagrams.is_empty(both) {
            pairs.insert(state, both);
        }
        Ok(())
    }

    /// The states of `within` at the source of an edge that lead along it into `pairs`.
    fn before(&mut self, edge: usize, pairs: &Pairs, within: &Pairs) -> Result<Set, OverBudget> {
        let Edge { from, class, to, .. } = self.edges[edge];
        let (Some(&target), Some(&source)) = (pairs.get(&to), within.get(&from)) else {
            return Ok(self.space.diagrams.empty());
        };
        let source = self.space.diagrams.intersection(source, self.classes[class])?;
        let going = self.space.before_any(target, source, &|_| true)?;
        let stopped = self.space.diagrams.intersection(source, self.dead)?;
        let stopped = self.space.diagrams.intersection(stopped, target)?;
        self.space.diagrams.union(going, stopped)
    }

    /// The pairs of `within` from which a path inside leads to `goal`, which lies inside. Where edges lead back to the same state of the
    /// automaton, whole paths along these are followed at once, action by action ([`Space::backwards`]).
    fn backwards(&mut self, within: &Pairs, goal: &Pairs) -> Result<Pairs, OverBudget> {
        let mut all = goal.clone();
        let mut staying = Pairs::new();
        for at in 0..self.edges.len() {
            let Edge { from, class, to, .. } = self.edges[at];
            if let Some(&inside) = within.get(&from).filter(|_| from == to) {
                let here = self.space.diagrams.intersection(inside, self.classes[class])?;
                self.union(&mut staying, from, here)?;
            }
        }
        let (mut at, mut idle) = (0, 0);
        while idle < self.edges.len() {
            self.budget.step(1, WHAT)?;
            let found = self.before(at, &all, within)?;
            let from = self.edges[at].from;
            let known = all.get(&from).copied();
            self.union(&mut all, from, found)?;
            if let (Some(&here), Some(&inside)) = (all.get(&from), staying.get(&from))
                && Some(here) != known
            {
                let found = self.space.backwards(inside, here)?;
                self.union(&mut all, from, found)?;
            }
            idle = if all.get(&from).copied() == known { idle + 1 } else { 0 };
            at = (at + 1) % self.edges.len();
        }
        Ok(all)
    }

    /// The largest part of `within` in which every pair has a step to one of it: what is left when ends are taken away, again and again.
    fn trimmed(&mut self, within: Pairs) -> Result<Pairs, OverBudget> {
        let mut changed: BTreeSet<StateId> = within.keys().copied().collect();
        let mut kept = within;
        while !changed.is_empty() {
            self.budget.step(1, WHAT)?;
            // A pair may have lost its last step only where an edge leads to a state that has lost some.
            let lost = |edge: &Edge| changed.contains(&edge.to) && kept.contains_key(&edge.from);
            let from: BTreeSet<StateId> = self.edges.iter().filter(|edge| lost(edge)).map(|edge| edge.from).collect();
            let mut next = Pairs::new();
            for edge in (0..self.edges.len()).filter(|&edge| from.contains(&self.edges[edge].from)).collect::<Vec<_>>()
            {
                let found = self.before(edge, &kept, &kept)?;
                self.union(&mut next, self.edges[edge].from, found)?;
            }
            changed.clear();
            for state in from {
                let left = next.get(&state).copied();
                if left != kept.get(&state).copied() {
                    changed.insert(state);
                    match left {
                        Some(set) => _ = kept.insert(state, set),
                        None => _ = kept.remove(&state),
                    }
                }
            }
        }
        Ok(kept)
    }

    /// The largest part of `within` in which from every pair every mark can be met again and again.
    fn recurrent(&mut self, within: Pairs, all: Marks) -> Result<Pairs, OverBudget> {
        let marks: Vec<Marks> = (0..Marks::BITS).map(|i| 1 << i).filter(|m| all & m != 0).collect();
        // Without marks some step is enough.
        let rounds = if marks.is_empty() { vec![0] } else { marks };
        // Whole searches for marks would take away an end each.
        let mut kept = self.trimmed(within)?;
        loop {
            let before = kept.clone();
            for &mark in &rounds {
                let mut goal = Pairs::new();
                for edge in 0..self.edges.len() {
                    if self.edges[edge].marks & mark == mark {
                        let found = self.before(edge, &kept, &kept)?;
                        self.union(&mut goal, self.edges[edge].from, found)?;
                    }
                }
                kept = self.backwards(&kept, &goal)?;
            }
            if kept != before {
                kept = self.trimmed(kept)?;
            }
            if kept == before {
                return Ok(kept);
            }
        }
    }
}

/// A run whose states violate the formula, if there is one.
pub(super) fn violation(
    space: &mut Space<'_>,
    reached: Set,
    formula: &Formula,
    budget: &Budget,
) -> Result<Option<Run>, Error> {
    let mut violations = Violations::new(formula)?;
    let letters = classes(space, reached, &formula.atoms)?;
    let dead = space.satisfying(reached, &Predicate::Dead)?;
    let (initial, system) = (space.initial, space.system);
    let (letters, classes): (Vec<Vec<bool>>, Vec<Set>) = letters.into_iter().unzip();
    let mut product = Product { space, budget, classes, dead, edges: Vec::new() };
    let start = violations.start();
    let mut pairs = Pairs::from([(start, initial)]);
    // For each state of the automaton what its steps have not been followed from.
    let mut open = pairs.clone();
    let mut steps: BTreeMap<(StateId, usize), Vec<StateId>> = BTreeMap::new();
    while let Some((state, new)) = open.pop_first() {
        budget.step(1, WHAT)?;
        for (class, letter) in letters.iter().enumerate() {
            let here = product.space.diagrams.intersection(new, product.classes[class])?;
            if product.space.diagrams.is_empty(here) {
                continue;
            }
            if let Entry::Vacant(unknown) = steps.entry((state, class)) {
                let mut targets = Vec::new();
                for (to, marks) in violations.step(state, letter, budget)? {
                    product.edges.push(Edge { from: state, class, to, marks });
                    targets.push(to);
                }
                targets.dedup();
                unknown.insert(targets);
            }
            let mut after = product.space.diagrams.intersection(here, product.dead)?;
            for action in product.space.actions() {
                let fired = product.space.after(here, action)?;
                after = product.space.diagrams.union(after, fired)?;
            }
            for &to in &steps[&(state, class)] {
                let known = pairs.get(&to).copied().unwrap_or(product.space.diagrams.empty());
                let more = product.space.diagrams.difference(after, known)?;
                product.union(&mut pairs, to, more)?;
                product.union(&mut open, to, more)?;
            }
        }
    }
    let kept = product.recurrent(pairs.clone(), violations.all)?;
    if kept.is_empty() {
        return Ok(None);
    }
    let leading = product.backwards(&pairs, &kept)?;
    let mut explicit = Explicit::new(system, &vec![false; system.actions.len()], budget)?;
    let space = &*product.space;
    let within = |state: &[u32], at: StateId| leading.get(&at).is_some_and(|&set| space.contains(set, state));
    let found = linear::violation(&mut explicit, formula, &mut violations, Some(&within), budget)?;
    Ok(Some(found.expect("from where every mark can be met again and again a run does so")))
}
