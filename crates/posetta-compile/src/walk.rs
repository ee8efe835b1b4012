//! The words of a formula as walks: through its deterministic automaton, step by step as steps can follow each other.
//!
//! A node is a state of the automaton and what the last step leaves to respect. Nodes are numbered breadth first, so the
//! way to a node that was first found is a shortest word, and of the shortest the one with the smallest letters.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use posetta_automata::{Dfa, StateId};
use posetta_base::{Budget, Claim, OverBudget};
use posetta_logic::{Letters, Memory, StepId};

const WHAT: &str = "following the words of the property";

/// A place in a [`Walk`]'s table.
pub(super) type Node = u32;

/// Everything that can be reached.
pub(super) struct Walk<'a> {
    pub(super) dfa: &'a Dfa,
    letters: &'a Letters,
    nodes: Vec<(StateId, Option<Memory>)>,
    edges: Vec<Vec<(StepId, Node)>>,
    parents: Vec<Option<(Node, StepId)>>,
}

/// How far the nodes of a walk are from what was looked for.
pub(super) struct Distances {
    /// By node; `None` if there is no way.
    steps: Vec<Option<u32>>,
    _held: Claim,
}

impl Distances {
    pub(super) fn from(&self, node: Node) -> Option<u32> {
        self.steps[node as usize]
    }
}

impl<'a> Walk<'a> {
    pub(super) fn new(dfa: &'a Dfa, letters: &'a Letters, budget: &Budget) -> Result<Self, OverBudget> {
        let mut walk = Self { dfa, letters, nodes: vec![(dfa.start(), None)], edges: Vec::new(), parents: vec![None] };
        let mut ids: FxHashMap<(StateId, Option<Memory>), Node> = FxHashMap::default();
        let mut enabled: FxHashMap<Option<Memory>, Vec<StepId>> = FxHashMap::default();
        let mut claim = budget.claim(0, WHAT)?;
        let mut bytes = 0u64;
        while let Some(&(state, memory)) = walk.nodes.get(walk.edges.len()) {
            let node = walk.edges.len() as Node;
            let steps = enabled.entry(memory).or_insert_with(|| letters.steps_after(memory).collect());
            bytes += 64 + 8 * steps.len() as u64;
            claim.grow_to(bytes, WHAT)?;
            budget.step(1 + steps.len() as u64 / 16, WHAT)?;
            let mut out = Vec::with_capacity(steps.len());
            for &step in &*steps {
                let Some(next) = dfa.after(state, letters.letter(step)) else { continue };
                let key = (next, Some(letters.after(step)));
                let fresh = walk.nodes.len() as Node;
                let target = *ids.entry(key).or_insert_with(|| {
                    walk.nodes.push(key);
                    walk.parents.push(Some((node, step)));
                    fresh
                });
                out.push((step, target));
            }
            walk.edges.push(out);
        }
        Ok(walk)
    }

    /// Whether the words that lead to a node satisfy the formula.
    pub(super) fn accepts(&self, node: Node) -> bool {
        self.dfa.accepts(self.nodes[node as usize].0)
    }

    /// The nodes of words with at least one position, in the order in which they were found.
    pub(super) fn words(&self) -> impl Iterator<Item = Node> + use<> {
        1..self.nodes.len() as Node
    }

    /// A shortest word that leads to a node.
    pub(super) fn word_to(&self, mut node: Node) -> Vec<StepId> {
        let mut word = Vec::new();
        while let Some((before, step)) = self.parents[node as usize] {
            word.push(step);
            node = before;
        }
        word.reverse();
        word
    }

    /// How many steps it takes from each node to one that accepts, or to one that does not.
    ///
    /// # Errors
    /// When the budget is spent.
    pub(super) fn distances(&self, accepting: bool, budget: &Budget) -> Result<Distances, OverBudget> {
        let nodes = self.nodes.len() as u64;
        let edges: u64 = self.edges.iter().map(|out| out.len() as u64).sum();
        let held = budget.claim(nodes * size_of::<Option<u32>>() as u64, WHAT)?;
        // The lists of predecessors and the queue grow by doubling.
        let node = size_of::<Vec<Node>>() + 2 * size_of::<Node>();
        let _for_now = budget.claim(nodes * node as u64 + 2 * edges * size_of::<Node>() as u64, WHAT)?;
        let mut before: Vec<Vec<Node>> = vec![Vec::new(); self.nodes.len()];
        for (node, out) in self.edges.iter().enumerate() {
            budget.step(1 + out.len() as u64 / 16, WHAT)?;
            for &(_, target) in out {
                if before[target as usize].last() != Some(&(node as Node)) {
                    before[target as usize].push(node as Node);
                }
            }
        }
        let mut steps: Vec<Option<u32>> = vec![None; self.nodes.len()];
        let mut queue: VecDeque<Node> = self.words().filter(|&n| self.accepts(n) == accepting).collect();
        queue.iter().for_each(|&n| steps[n as usize] = Some(0));
        while let Some(node) = queue.pop_front() {
            let next = steps[node as usize].map(|d| d + 1);
            budget.step(1 + before[node as usize].len() as u64 / 16, WHAT)?;
            for &b in &before[node as usize] {
                if steps[b as usize].is_none() {
                    steps[b as usize] = next;
                    queue.push_back(b);
                }
            }
        }
        Ok(Distances { steps, _held: held })
    }

    /// A shortest way on, by the distances.
    pub(super) fn way_on(&self, mut node: Node, distances: &Distances) -> Vec<StepId> {
        let mut way = Vec::new();
        while let Some(d @ 1..) = distances.from(node) {
            let closer = self.edges[node as usize].iter().find(|(_, t)| distances.from(*t) == Some(d - 1));
            let Some(&(step, target)) = closer else { break };
            way.push(step);
            node = target;
        }
        way
    }

    /// A word, and the position that can be repeated in it so that the answer changes: the shortest such word by its
    /// last letters, if there is one.
    ///
    /// # Errors
    /// When the budget is spent.
    pub(super) fn repetition_that_matters(&self, budget: &Budget) -> Result<Option<(Vec<StepId>, usize)>, OverBudget> {
        type Pair = (StateId, StateId, Memory);
        struct Found {
            pair: Pair,
            from: Result<u32, (Node, StepId)>,
            step: StepId,
        }
        let mut seen: FxHashSet<Pair> = FxHashSet::default();
        let mut all: Vec<Found> = Vec::new();
        let mut repeats: FxHashMap<StepId, Option<StepId>> = FxHashMap::default();
        let mut claim = budget.claim(0, WHAT)?;
        for (node, out) in self.edges.iter().enumerate() {
            budget.step(1 + out.len() as u64 / 16, WHAT)?;
            for &(step, target) in out {
                let (once, memory) = self.nodes[target as usize];
                let again = *repeats.entry(step).or_insert_with(|| self.letters.again(step));
                let (Some(again), Some(memory)) = (again, memory) else { continue };
                let Some(twice) = self.dfa.after(once, self.letters.letter(again)) else { continue };
                let pair = (once, twice, memory);
                if once != twice && seen.insert(pair) {
                    all.push(Found { pair, from: Err((node as Node, step)), step: again });
                }
            }
        }
        let mut at = 0;
        while at < all.len() {
            budget.step(1, WHAT)?;
            claim.grow_to(64 * all.len() as u64, WHAT)?;
            let (once, twice, memory) = all[at].pair;
            if self.dfa.accepts(once) != self.dfa.accepts(twice) {
                let mut suffix = Vec::new();
                let mut here = at;
                loop {
                    match all[here].from {
                        Ok(before) => {
                            suffix.push(all[here].step);
                            here = before as usize;
                        }
                        Err((node, step)) => {
                            let mut word = self.word_to(node);
                            let position = word.len();
                            word.push(step);
                            word.push(all[here].step);
                            word.extend(suffix.into_iter().rev());
                            return Ok(Some((word, position)));
                        }
                    }
                }
            }
            for step in self.letters.steps_after(Some(memory)) {
                let letter = self.letters.letter(step);
                let (Some(a), Some(b)) = (self.dfa.after(once, letter), self.dfa.after(twice, letter)) else {
                    continue;
                };
                let pair = (a, b, self.letters.after(step));
                if a != b && seen.insert(pair) {
                    all.push(Found { pair, from: Ok(at as u32), step });
                }
            }
            at += 1;
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::deterministic;
    use posetta_base::Limit;
    use posetta_logic::{View, parse_ltl};

    #[test]
    fn distances_stay_inside_their_limits() {
        let budget = Budget::unlimited();
        let (formula, letters) = Letters::new(&parse_ltl("X X a").unwrap(), View::States, &budget).unwrap();
        let dfa = deterministic(&crate::Linear::Ltl(formula), &letters, &budget).unwrap();
        let walk = Walk::new(&dfa, &letters, &budget).unwrap();
        let distances = walk.distances(true, &budget).unwrap();
        assert_eq!(distances.from(0), Some(3));
        assert_eq!(walk.way_on(0, &distances).len(), 3);
        let stopped = Budget::unlimited();
        stopped.stop_handle().raise(Limit::Time);
        for (budget, limit) in [(Budget::with_memory(100), Limit::Memory), (stopped, Limit::Time)] {
            assert_eq!(walk.distances(true, &budget).err().map(|over| over.limit), Some(limit));
        }
        // What lives on keeps its claim, and nothing else does.
        let limit = 10_000;
        let budget = Budget::with_memory(limit);
        let distances = walk.distances(true, &budget).unwrap();
        let held = 8 * walk.nodes.len() as u64;
        assert!(budget.claim(limit - held + 1, "testing").is_err());
        assert!(budget.claim(limit - held, "testing").is_ok());
        drop(distances);
        assert!(budget.claim(limit, "testing").is_ok());
    }
}
