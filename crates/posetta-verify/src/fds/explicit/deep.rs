//! A product of a model and what reads its states that is searched as it is found, where it is too large to be laid out.
//!
//! Depth first, strongly connected parts on the way (Gabow 2000), until one is fair (Couvreur 1999). What owes least comes first. A state of the reader
//! that owes all that another one does, and more, accepts fewer words: where that one has none from a state of the model on, neither has this one. So
//! what is denied of a SERE, a set of places, is not gone through set by set (as in antichains: De Wulf, Doyen, Henzinger and Raskin 2006).

use rustc_hash::{FxHashMap, FxHashSet};

use super::graph::{Fairness, Graph};
use super::linear::{Beside, Found, NODE, Reader, WHAT};
use posetta_base::OverBudget;

/// More sets that have to be met than this are not told apart.
const MOST_SETS: usize = 64;

/// So many sets of two or more that accept nothing are compared with, for each state of the model.
const FEW: usize = 16;

/// A node that is gone through.
struct Call {
    node: u32,
    next: usize,
}

/// A strongly connected part that may grow: its first node, by the order of discovery, and the sets that it meets.
struct Part {
    first: u32,
    met: u64,
}

struct Deep<'s, 'r> {
    beside: &'s Beside<'s>,
    reader: &'r mut dyn Reader,
    ids: FxHashMap<(u32, u64), u32>,
    nodes: Vec<(u32, u64)>,
    arcs: Vec<Vec<u32>>,
    /// By node: its place in the order of discovery, from 1.
    order: Vec<u32>,
    /// By node: no fair part can be reached from it.
    is_dead: Vec<bool>,
    /// By state of the model: what is owed alone and accepts nothing, and what is owed together and does not.
    lone: FxHashSet<(u32, u32)>,
    joint: FxHashMap<u32, Vec<Vec<u32>>>,
    arcs_made: u64,
}

/// A computation that the reader accepts, of those that do not end.
pub(super) fn search(beside: &Beside<'_>, reader: &mut dyn Reader) -> Result<Option<Found>, OverBudget> {
    let mut deep = Deep {
        beside,
        reader,
        ids: FxHashMap::default(),
        nodes: Vec::new(),
        arcs: Vec::new(),
        order: Vec::new(),
        is_dead: Vec::new(),
        lone: FxHashSet::default(),
        joint: FxHashMap::default(),
        arcs_made: 0,
    };
    let mut initial = Vec::new();
    for state in 0..beside.initial as u32 {
        for bits in deep.reader.start(beside.letters[state as usize])?.to_vec() {
            initial.push(deep.node(state, bits));
        }
    }
    deep.lightest_first(&mut initial);
    let Some(part) = deep.find(&initial)? else { return Ok(None) };
    deep.show(&initial, &part)
}

impl Deep<'_, '_> {
    fn node(&mut self, state: u32, bits: u64) -> u32 {
        let new = self.nodes.len() as u32;
        let id = *self.ids.entry((state, bits)).or_insert(new);
        if id == new {
            self.nodes.push((state, bits));
            self.arcs.push(Vec::new());
            self.order.push(0);
            self.is_dead.push(false);
        }
        id
    }

    fn lightest_first(&self, nodes: &mut Vec<u32>) {
        nodes.sort_unstable();
        nodes.dedup();
        let weight = |node: &u32| self.reader.owed(self.nodes[*node as usize].1).map_or(0, |owed| owed.len());
        nodes.sort_by_cached_key(weight);
    }

    fn expand(&mut self, node: u32) -> Result<(), OverBudget> {
        let Beside { graph, letters, budget, .. } = *self.beside;
        let (state, bits) = self.nodes[node as usize];
        let letter = letters[state as usize];
        let mut next = Vec::new();
        for &to in graph.to(state) {
            for after in self.reader.step(bits, letter, letters[to as usize])?.to_vec() {
                next.push(self.node(to, after));
            }
        }
        budget.step(1, WHAT)?;
        budget.effort(NODE * (1 + next.len() as u64), WHAT)?;
        self.lightest_first(&mut next);
        self.arcs_made += next.len() as u64;
        self.arcs[node as usize] = next;
        Ok(())
    }

    /// Which sets a node is in: the reader's, then those of the model.
    fn met(&mut self, node: u32) -> u64 {
        let (state, bits) = self.nodes[node as usize];
        let letter = self.beside.letters[state as usize];
        let own = self.reader.fair_sets();
        let mut met = 0;
        for set in 0..own {
            met |= u64::from(self.reader.is_fair(set, bits, letter)) << set;
        }
        for (i, set) in self.beside.fairness.justice.iter().enumerate() {
            met |= u64::from(set[state as usize]) << (own + i);
        }
        met
    }

    /// Whether what a node owes is known to accept nothing.
    fn is_hopeless(&self, node: u32) -> bool {
        let (state, bits) = self.nodes[node as usize];
        let Some(owed) = self.reader.owed(bits) else { return false };
        owed.iter().any(|&one| self.lone.contains(&(state, one)))
            || self
                .joint
                .get(&state)
                .is_some_and(|sets| sets.iter().any(|set| set.iter().all(|one| owed.contains(one))))
    }

    fn bury(&mut self, node: u32) {
        self.is_dead[node as usize] = true;
        let (state, bits) = self.nodes[node as usize];
        match self.reader.owed(bits) {
            Some(owed) if owed.len() == 1 => {
                self.lone.insert((state, owed[0]));
            }
            Some(owed) if owed.len() > 1 => {
                let sets = self.joint.entry(state).or_default();
                if sets.len() == FEW {
                    sets.remove(0);
                }
                sets.push(owed);
            }
            _ => {}
        }
    }

    /// The nodes of a fair part.
    fn find(&mut self, initial: &[u32]) -> Result<Option<Vec<u32>>, OverBudget> {
        let budget = self.beside.budget;
        let sets = self.reader.fair_sets() + self.beside.fairness.justice.len();
        if sets > MOST_SETS {
            return Err(OverBudget::new(WHAT, posetta_base::Limit::Memory));
        }
        let all = u64::MAX.checked_shr(64 - sets as u32).unwrap_or(0);
        let strong = !self.beside.fairness.compassion.is_empty();
        let mut claim = budget.claim(0, WHAT)?;
        let (mut calls, mut parts, mut stack): (Vec<Call>, Vec<Part>, Vec<u32>) = (Vec::new(), Vec::new(), Vec::new());
        let mut count = 0;
        for &from in initial {
            if self.order[from as usize] > 0 || self.is_dead[from as usize] {
                continue;
            }
            let mut enter = Some(from);
            loop {
                if let Some(node) = enter.take() {
                    count += 1;
                    self.order[node as usize] = count;
                    self.expand(node)?;
                    stack.push(node);
                    parts.push(Part { first: count, met: self.met(node) });
                    calls.push(Call { node, next: 0 });
                    if count.is_multiple_of(256) {
                        let tables = 112 * self.ids.capacity() as u64 + 16 * self.arcs_made + self.reader.bytes();
                        claim.grow_to(2 * tables + 4096, WHAT)?;
                    }
                }
                let Some(call) = calls.last_mut() else { break };
                let node = call.node;
                if let Some(&to) = self.arcs[node as usize].get(call.next) {
                    call.next += 1;
                    let order = self.order[to as usize];
                    if self.is_dead[to as usize] {
                        continue;
                    }
                    if order == 0 {
                        if self.is_hopeless(to) {
                            self.is_dead[to as usize] = true;
                        } else {
                            enter = Some(to);
                        }
                    } else {
                        // What lies between is one part.
                        let mut met = 0;
                        while let Some(part) = parts.last_mut() {
                            part.met |= met;
                            if part.first <= order {
                                break;
                            }
                            met = part.met;
                            parts.pop();
                        }
                        if let Some(part) = parts.last()
                            && part.met == all
                            && !strong
                        {
                            let first = part.first;
                            stack.retain(|&node| self.order[node as usize] >= first);
                            return Ok(Some(stack));
                        }
                    }
                    continue;
                }
                calls.pop();
                if parts.last().is_some_and(|part| part.first == self.order[node as usize]) {
                    let met = parts.pop().map_or(0, |part| part.met);
                    let from = stack.iter().rposition(|&member| member == node).unwrap_or(0);
                    let members = stack.split_off(from);
                    let goes_round = members.len() > 1 || self.arcs[node as usize].contains(&node);
                    if strong && goes_round && met == all {
                        let (graph, both) = (self.graph(), self.fairness(budget)?);
                        let mut within = vec![false; graph.len()];
                        members.iter().for_each(|&member| within[member as usize] = true);
                        if let Some(part) = both.cycles(&graph, &within, budget)?.into_iter().next() {
                            return Ok(Some(part));
                        }
                    }
                    members.into_iter().for_each(|member| self.bury(member));
                }
            }
        }
        Ok(None)
    }

    /// What has been found, as a graph.
    fn graph(&self) -> Graph {
        let mut graph = Graph::default();
        for arcs in &self.arcs {
            arcs.iter().for_each(|&to| graph.push(to));
            graph.close();
        }
        graph
    }

    fn fairness(&mut self, budget: &posetta_base::Budget) -> Result<Fairness, OverBudget> {
        budget.effort(NODE * self.nodes.len() as u64, WHAT)?;
        let Beside { fairness, letters, .. } = *self.beside;
        let spread = |set: &[bool]| -> Vec<bool> { self.nodes.iter().map(|&(state, _)| set[state as usize]).collect() };
        let mut both = Fairness::default();
        both.justice.extend(fairness.justice.iter().map(|set| spread(set)));
        both.compassion.extend(fairness.compassion.iter().map(|(p, q)| (spread(p), spread(q))));
        for set in 0..self.reader.fair_sets() {
            let truths = self.nodes.iter().map(|&(state, bits)| (state, bits));
            let truths: Vec<bool> =
                truths.map(|(state, bits)| self.reader.is_fair(set, bits, letters[state as usize])).collect();
            both.justice.push(truths);
        }
        Ok(both)
    }

    /// The shortest way to a fair part, as far as ways have been found, and a round in it.
    fn show(&mut self, initial: &[u32], part: &[u32]) -> Result<Option<Found>, OverBudget> {
        let budget = self.beside.budget;
        let sets = self.reader.fair_sets() + self.beside.fairness.justice.len() + 4;
        let _claim = budget.claim(((sets + 16) * self.nodes.len()) as u64 + 8 * self.arcs_made, WHAT)?;
        let (graph, both) = (self.graph(), self.fairness(budget)?);
        let mut goal = vec![false; graph.len()];
        part.iter().for_each(|&node| goal[node as usize] = true);
        let mut came: Vec<Option<u32>> = vec![None; graph.len()];
        let mut open: std::collections::VecDeque<u32> = initial.iter().copied().collect();
        initial.iter().for_each(|&node| came[node as usize] = Some(node));
        while let Some(node) = open.pop_front() {
            budget.effort(NODE, WHAT)?;
            if goal[node as usize] {
                let mut path = vec![node];
                while let Some(&last) = path.last()
                    && let Some(before) = came[last as usize]
                    && before != last
                {
                    path.push(before);
                }
                path.reverse();
                let cycle = path.len() - 1;
                path.extend(both.round(&graph, part, node, budget)?);
                let states = path.into_iter().map(|node| self.nodes[node as usize].0).collect();
                return Ok(Some(Found { states, cycle: Some(cycle) }));
            }
            for &to in graph.to(node) {
                if came[to as usize].is_none() {
                    came[to as usize] = Some(node);
                    open.push_back(to);
                }
            }
        }
        Ok(None)
    }
}
