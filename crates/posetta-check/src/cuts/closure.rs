//! The heaviest set of nodes that has everything its nodes require (Picard 1976).
//!
//! Weights flow from nodes that add to nodes that take away, along what the first require; what is left over in the end can be had. The
//! flow is found by pushing (Goldberg, Tarjan 1988), with exact distances from time to time. Requirements carry any amount, so there is
//! no source, no sink and no capacity to look at: a node has too much, or it can take so much.
//!
//! Weights are exact. Requirements may go round in circles.

use std::collections::VecDeque;

use posetta_base::{Budget, OverBudget};

const WHAT: &str = "looking for the heaviest cut";

/// What nodes require, as an adjacency list.
#[derive(Debug, Default)]
pub(super) struct Requirements {
    /// Pairs of a node and another one that it requires.
    pub(super) pairs: Vec<(u32, u32)>,
}

impl Requirements {
    /// Some nodes, and what they require; or else those that require them.
    pub(super) fn spread(&self, nodes: &[bool], forward: bool) -> Vec<bool> {
        let mut all = nodes.to_vec();
        if !nodes.contains(&true) {
            return all;
        }
        let mut next: Vec<Vec<u32>> = vec![Vec::new(); nodes.len()];
        for &(from, to) in &self.pairs {
            let (from, to) = if forward { (from, to) } else { (to, from) };
            next[from as usize].push(to);
        }
        let mut open: Vec<u32> = (0..nodes.len() as u32).filter(|&node| nodes[node as usize]).collect();
        while let Some(node) = open.pop() {
            for &other in &next[node as usize] {
                if !std::mem::replace(&mut all[other as usize], true) {
                    open.push(other);
                }
            }
        }
        all
    }
}

/// No way to a node that can take something.
const FAR: u32 = u32::MAX;

struct Flow<'b> {
    /// By node: where its arcs begin; one more at the end.
    starts: Vec<u32>,
    /// The other end of each arc.
    heads: Vec<u32>,
    /// The place of the same arc seen from the other end.
    twins: Vec<u32>,
    /// What may still be carried, by arc; an arc to something required carries anything.
    rooms: Vec<Room>,
    /// By node: what it has too much, if positive, or can take, if negative.
    balance: Vec<i128>,
    distance: Vec<u32>,
    /// By node: the arc to look at next.
    current: Vec<u32>,
    budget: &'b Budget,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Room {
    Any,
    /// What was carried the other way.
    Back(i128),
}

impl Room {
    fn is_open(self) -> bool {
        self != Self::Back(0)
    }
}

/// Which nodes are in the heaviest set; of several such sets, the smallest.
pub(super) fn heaviest(
    weights: &[i128],
    requirements: &Requirements,
    budget: &Budget,
) -> Result<Vec<bool>, OverBudget> {
    let bytes = 16 * 8 * requirements.pairs.len() as u64 + 64 * weights.len() as u64;
    let _claim = budget.claim(bytes, WHAT)?;
    let mut flow = Flow::new(weights, requirements, budget);
    flow.push_all()?;
    Ok(flow.left_over())
}

impl<'b> Flow<'b> {
    fn new(weights: &[i128], requirements: &Requirements, budget: &'b Budget) -> Self {
        let (nodes, arcs) = (weights.len(), 2 * requirements.pairs.len());
        let mut starts = vec![0u32; nodes + 1];
        for &(from, to) in &requirements.pairs {
            starts[from as usize + 1] += 1;
            starts[to as usize + 1] += 1;
        }
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        let mut next = starts.clone();
        let mut place = |node: u32| {
            let place = next[node as usize];
            next[node as usize] += 1;
            place
        };
        let (mut heads, mut twins, mut rooms) = (vec![0; arcs], vec![0; arcs], vec![Room::Any; arcs]);
        for &(from, to) in &requirements.pairs {
            let (there, back) = (place(from), place(to));
            (heads[there as usize], heads[back as usize]) = (to, from);
            (twins[there as usize], twins[back as usize]) = (back, there);
            rooms[back as usize] = Room::Back(0);
        }
        let current = starts[..nodes].to_vec();
        Self { starts, heads, twins, rooms, balance: weights.to_vec(), distance: vec![FAR; nodes], current, budget }
    }

    fn arcs(&self, node: u32) -> std::ops::Range<usize> {
        self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize
    }

    fn push_all(&mut self) -> Result<(), OverBudget> {
        let nodes = self.balance.len();
        let mut active: VecDeque<u32> = VecDeque::new();
        let mut is_active = vec![false; nodes];
        let (mut relabels, mut rounds) = (usize::MAX, 0u64);
        loop {
            // Distances age as nodes are lifted.
            if relabels > nodes {
                relabels = 0;
                self.measure()?;
                active.clear();
                for (node, is_active) in is_active.iter_mut().enumerate() {
                    *is_active = self.balance[node] > 0 && self.distance[node] != FAR;
                    if *is_active {
                        active.push_back(node as u32);
                    }
                }
            }
            let Some(node) = active.pop_front() else { return Ok(()) };
            is_active[node as usize] = false;
            // A step is about as long as making a node of a diagram.
            rounds += 1;
            if rounds % 64 == 0 {
                self.budget.step(8, WHAT)?;
            }
            while self.balance[node as usize] > 0 && self.distance[node as usize] != FAR {
                let at = self.current[node as usize] as usize;
                if at == self.arcs(node).end {
                    self.lift(node);
                    relabels += 1;
                    continue;
                }
                let head = self.heads[at];
                if self.rooms[at].is_open()
                    && self.distance[head as usize] != FAR
                    && self.distance[node as usize] == self.distance[head as usize] + 1
                {
                    self.carry(node, at);
                    if self.balance[head as usize] > 0 && !std::mem::replace(&mut is_active[head as usize], true) {
                        active.push_back(head);
                    }
                } else {
                    self.current[node as usize] += 1;
                }
            }
        }
    }

    /// Carries as much as possible along an arc.
    fn carry(&mut self, node: u32, arc: usize) {
        let head = self.heads[arc] as usize;
        let mut amount = self.balance[node as usize];
        if let Room::Back(most) = &mut self.rooms[arc] {
            amount = amount.min(*most);
            *most -= amount;
        }
        if let Room::Back(carried) = &mut self.rooms[self.twins[arc] as usize] {
            *carried += amount;
        }
        self.balance[node as usize] -= amount;
        self.balance[head] += amount;
    }

    /// The distance of a node from all that it can carry to, anew.
    fn lift(&mut self, node: u32) {
        let open = self.arcs(node).filter(|&at| self.rooms[at].is_open());
        let nearest = open.map(|at| self.distance[self.heads[at] as usize]).min().unwrap_or(FAR);
        let nodes = self.balance.len() as u32;
        self.distance[node as usize] = if nearest >= nodes { FAR } else { nearest + 1 };
        self.current[node as usize] = self.starts[node as usize];
    }

    /// How far each node is from one that can take something.
    fn measure(&mut self) -> Result<(), OverBudget> {
        self.budget.step(0, WHAT)?;
        self.distance.fill(FAR);
        self.current.copy_from_slice(&self.starts[..self.balance.len()]);
        let mut queue: Vec<u32> = (0..self.balance.len() as u32).filter(|&n| self.balance[n as usize] < 0).collect();
        queue.iter().for_each(|&node| self.distance[node as usize] = 0);
        let mut at = 0;
        while let Some(&node) = queue.get(at) {
            at += 1;
            for arc in self.arcs(node) {
                let other = self.heads[arc] as usize;
                if self.distance[other] == FAR && self.rooms[self.twins[arc] as usize].is_open() {
                    self.distance[other] = self.distance[node as usize] + 1;
                    queue.push(other as u32);
                }
            }
        }
        Ok(())
    }

    /// The nodes that have too much, and what they could carry it to.
    fn left_over(&self) -> Vec<bool> {
        let mut inside: Vec<bool> = self.balance.iter().map(|&balance| balance > 0).collect();
        let mut open: Vec<u32> = (0..inside.len() as u32).filter(|&node| inside[node as usize]).collect();
        while let Some(node) = open.pop() {
            for arc in self.arcs(node) {
                let head = self.heads[arc];
                if self.rooms[arc].is_open() && !std::mem::replace(&mut inside[head as usize], true) {
                    open.push(head);
                }
            }
        }
        inside
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heaviest_by_trying(weights: &[i128], pairs: &[(u32, u32)]) -> i128 {
        let is_closed = |set: u32| pairs.iter().all(|&(from, to)| set >> from & 1 == 0 || set >> to & 1 == 1);
        let weight = |set: u32| (0..weights.len()).filter(|i| set >> i & 1 == 1).map(|i| weights[i]).sum();
        (0..1u32 << weights.len()).filter(|&set| is_closed(set)).map(weight).max().unwrap_or(0)
    }

    #[test]
    fn no_set_is_heavier() {
        let mut state = 7u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for case in 0..3_000 {
            let nodes = 1 + random(9) as usize;
            let weights: Vec<i128> = (0..nodes).map(|_| random(11) as i128 - 5).collect();
            let pairs: Vec<(u32, u32)> = (0..random(2 * nodes as u64))
                .map(|_| (random(nodes as u64) as u32, random(nodes as u64) as u32))
                .filter(|(a, b)| a != b)
                .collect();
            let requirements = Requirements { pairs: pairs.clone() };
            let found = heaviest(&weights, &requirements, &Budget::unlimited()).unwrap();
            let about = format!("case {case}: {weights:?} {pairs:?} gives {found:?}");
            assert!(pairs.iter().all(|&(a, b)| !found[a as usize] || found[b as usize]), "{about}");
            let weight: i128 = weights.iter().zip(&found).filter(|(_, inside)| **inside).map(|(w, _)| w).sum();
            assert_eq!(weight, heaviest_by_trying(&weights, &pairs), "{about}");
        }
    }
}
