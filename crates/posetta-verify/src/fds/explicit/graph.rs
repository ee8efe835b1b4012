//! A graph of numbered nodes, and the searches in it.

use std::collections::VecDeque;

use crate::arcs::sort_last;
use posetta_base::{Budget, Claim, OverBudget};

const WHAT: &str = "searching among the states of a model";

/// The effort of a node that is looked at, with its arcs, in units of the budget.
const NODE: u64 = 3;

/// The effort of nodes and arcs that are looked at. Arcs stand one after the other, and many take less than a node.
fn work(nodes: usize, arcs: usize) -> u64 {
    NODE * nodes as u64 + arcs as u64 / 4
}

/// Nodes by number; the arcs of each are known in the order of the nodes.
#[derive(Default)]
pub(super) struct Graph {
    /// By node: where its arcs begin. One more than there are nodes, once there is one.
    starts: Vec<usize>,
    arcs: Vec<u32>,
}

/// What leads to each node.
pub(super) struct Back {
    graph: Graph,
    _claim: Claim,
}

impl Graph {
    /// An arc of the node after the last one.
    pub(super) fn push(&mut self, to: u32) {
        self.arcs.push(to);
    }

    /// The node after the last one has all its arcs.
    pub(super) fn close(&mut self) {
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        let first = self.starts[self.starts.len() - 1];
        sort_last(&mut self.arcs, first);
        self.starts.push(self.arcs.len());
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    pub(super) fn to(&self, node: u32) -> &[u32] {
        &self.arcs[self.starts[node as usize]..self.starts[node as usize + 1]]
    }

    /// Whether the next arc or node may take more memory.
    pub(super) fn is_crowded(&self) -> bool {
        self.arcs.len() == self.arcs.capacity() || self.starts.len() == self.starts.capacity()
    }

    /// What it takes, and will take when it grows.
    pub(super) fn bytes(&self) -> u64 {
        (12 * self.arcs.capacity() + 24 * self.starts.capacity()) as u64
    }

    /// The same arcs from their ends.
    pub(super) fn back(&self, budget: &Budget) -> Result<Back, OverBudget> {
        let claim = budget.claim((4 * self.arcs.len() + 16 * self.starts.len() + 16) as u64, WHAT)?;
        budget.effort(work(self.len(), 4 * self.arcs.len()), WHAT)?;
        let mut starts = vec![0; self.len() + 1];
        self.arcs.iter().for_each(|&to| starts[to as usize + 1] += 1);
        for i in 0..self.len() {
            starts[i + 1] += starts[i];
        }
        let (mut at, mut arcs) = (starts.clone(), vec![0; self.arcs.len()]);
        for node in 0..self.len() as u32 {
            for &to in self.to(node) {
                arcs[at[to as usize]] = node;
                at[to as usize] += 1;
            }
        }
        Ok(Back { graph: Self { starts, arcs }, _claim: claim })
    }

    /// The shortest way from a node, with one step at least, to one of `goal` inside `within`; without its first node.
    pub(super) fn walk(
        &self,
        from: u32,
        within: &[bool],
        goal: &[bool],
        budget: &Budget,
    ) -> Result<Option<Vec<u32>>, OverBudget> {
        let _claim = budget.claim(4 * self.len() as u64, WHAT)?;
        let mut came: Vec<Option<u32>> = vec![None; self.len()];
        let mut open = VecDeque::from([from]);
        while let Some(node) = open.pop_front() {
            budget.effort(work(1, self.to(node).len()), WHAT)?;
            for &to in self.to(node) {
                if !within[to as usize] || came[to as usize].is_some() {
                    continue;
                }
                came[to as usize] = Some(node);
                if goal[to as usize] {
                    let mut way = vec![to];
                    let mut at = node;
                    while at != from {
                        way.push(at);
                        let Some(before) = came[at as usize] else { break };
                        at = before;
                    }
                    way.reverse();
                    return Ok(Some(way));
                }
                open.push_back(to);
            }
        }
        Ok(None)
    }

    /// The strongly connected parts of a zone, whose nodes these are. (Tarjan 1972, without recursion.)
    fn components(&self, zone: &[u32], of: u32, nodes: &[u32], budget: &Budget) -> Result<Vec<Vec<u32>>, OverBudget> {
        let _claim = budget.claim(9 * self.len() as u64, WHAT)?;
        let (mut index, mut low) = (vec![0_u32; self.len()], vec![0_u32; self.len()]);
        let mut on_stack = vec![false; self.len()];
        let (mut count, mut stack, mut found) = (0, Vec::new(), Vec::new());
        let mut calls: Vec<(u32, usize)> = Vec::new();
        for &root in nodes {
            if index[root as usize] != 0 {
                continue;
            }
            calls.push((root, 0));
            while let Some(&(node, next)) = calls.last() {
                let at = node as usize;
                if next == 0 {
                    budget.effort(work(2, self.to(node).len()), WHAT)?;
                    count += 1;
                    (index[at], low[at]) = (count, count);
                    stack.push(node);
                    on_stack[at] = true;
                }
                if let Some(&to) = self.to(node).get(next) {
                    if let Some(call) = calls.last_mut() {
                        call.1 += 1;
                    }
                    if zone[to as usize] == of {
                        if index[to as usize] == 0 {
                            calls.push((to, 0));
                        } else if on_stack[to as usize] {
                            low[at] = low[at].min(index[to as usize]);
                        }
                    }
                    continue;
                }
                calls.pop();
                if let Some(&(parent, _)) = calls.last() {
                    low[parent as usize] = low[parent as usize].min(low[at]);
                }
                if low[at] == index[at] {
                    let mut part = Vec::new();
                    while let Some(member) = stack.pop() {
                        on_stack[member as usize] = false;
                        part.push(member);
                        if member == node {
                            break;
                        }
                    }
                    found.push(part);
                }
            }
        }
        Ok(found)
    }
}

impl Back {
    /// The nodes of `within` from which a path inside it leads to `goal`, which need not lie inside: E[within U goal].
    pub(super) fn until(&self, within: &[bool], goal: &[bool], budget: &Budget) -> Result<Vec<bool>, OverBudget> {
        let mut found = goal.to_vec();
        let mut open: Vec<u32> = (0..found.len() as u32).filter(|&node| found[node as usize]).collect();
        budget.effort(found.len() as u64, WHAT)?;
        while let Some(node) = open.pop() {
            budget.effort(work(1, self.graph.to(node).len()), WHAT)?;
            for &from in self.graph.to(node) {
                if within[from as usize] && !std::mem::replace(&mut found[from as usize], true) {
                    open.push(from);
                }
            }
        }
        Ok(found)
    }
}

/// What must come again and again.
#[derive(Default)]
pub(super) struct Fairness {
    /// By assertion, by node.
    pub(super) justice: Vec<Vec<bool>>,
    pub(super) compassion: Vec<(Vec<bool>, Vec<bool>)>,
}

impl Fairness {
    /// Strongly connected sets inside `within` whose nodes can all be visited again and again, fairly; every fair cycle lies in one that is found here or has been
    /// cut down to it. (For compassion: Emerson and Lei 1987; a set with p and without q is searched again without its nodes with p.)
    pub(super) fn cycles(&self, graph: &Graph, within: &[bool], budget: &Budget) -> Result<Vec<Vec<u32>>, OverBudget> {
        let _claim = budget.claim(8 * graph.len() as u64, WHAT)?;
        let mut zone: Vec<u32> = within.iter().map(|&inside| u32::from(inside)).collect();
        let mut open = vec![(0..graph.len() as u32).filter(|&node| within[node as usize]).collect::<Vec<u32>>()];
        let (mut zones, mut fair) = (1, Vec::new());
        while let Some(nodes) = open.pop() {
            let Some(&first) = nodes.first() else { continue };
            let of = zone[first as usize];
            for part in graph.components(&zone, of, &nodes, budget)? {
                let goes_round = part.len() > 1 || graph.to(part[0]).contains(&part[0]);
                let meets = |set: &[bool]| part.iter().any(|&node| set[node as usize]);
                if !goes_round || !self.justice.iter().all(|set| meets(set)) {
                    continue;
                }
                let unanswered: Vec<&Vec<bool>> =
                    self.compassion.iter().filter(|(p, q)| meets(p) && !meets(q)).map(|(p, _)| p).collect();
                if unanswered.is_empty() {
                    fair.push(part);
                    continue;
                }
                zones += 1;
                let kept: Vec<u32> =
                    part.into_iter().filter(|&node| unanswered.iter().all(|p| !p[node as usize])).collect();
                kept.iter().for_each(|&node| zone[node as usize] = zones);
                open.push(kept);
            }
        }
        Ok(fair)
    }

    /// A cycle through a node of a set that [`cycles`](Self::cycles) found, which is fair; without the node itself.
    pub(super) fn round(
        &self,
        graph: &Graph,
        part: &[u32],
        from: u32,
        budget: &Budget,
    ) -> Result<Vec<u32>, OverBudget> {
        let mut inside = vec![false; graph.len()];
        part.iter().for_each(|&node| inside[node as usize] = true);
        let both = |set: &[bool]| -> Vec<bool> { set.iter().zip(&inside).map(|(a, b)| *a && *b).collect() };
        let mut goals: Vec<Vec<bool>> = self.justice.iter().map(|set| both(set)).collect();
        for (p, q) in &self.compassion {
            if part.iter().any(|&node| p[node as usize]) {
                goals.push(both(q));
            }
        }
        goals.retain(|goal| !goal[from as usize]);
        let (mut cycle, mut at): (Vec<u32>, u32) = (Vec::new(), from);
        while let Some(goal) = goals.pop() {
            if cycle.iter().any(|&node| goal[node as usize]) {
                continue;
            }
            let Some(way) = graph.walk(at, &inside, &goal, budget)? else { continue };
            at = way[way.len() - 1];
            cycle.extend(way);
        }
        if at != from || cycle.is_empty() {
            let mut home = vec![false; graph.len()];
            home[from as usize] = true;
            if let Some(way) = graph.walk(at, &inside, &home, budget)? {
                cycle.extend(way);
            }
        }
        // The last one is the node itself again.
        cycle.pop();
        Ok(cycle)
    }
}
