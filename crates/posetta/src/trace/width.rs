//! The width of a trace: the size of its largest set of pairwise concurrent events.
//!
//! By Dilworth the width is the least number of chains that cover the events. We start from the processes and merge
//! `k` chains into `k - 1` as long as that is possible: Bogart & Magagnosc's generalised merge, in the queue form of
//! Tomlinson & Garg (1996, "Monitoring functions on global states of distributed programs"). It compares only heads of
//! queues, O(k² n) for one merge, and stops at the first antichain that has one event of every chain.

use std::collections::VecDeque;

use super::clock::Clocks;
use super::event::Trace;
use crate::base::{Budget, EventId, OverBudget};

/// The largest number of pairwise concurrent events; 0 for a trace without events.
///
/// # Errors
/// When the budget is spent.
pub fn width(trace: &Trace, forward: &Clocks, budget: &Budget) -> Result<usize, OverBudget> {
    let mut chains: Vec<Vec<EventId>> =
        trace.processes().map(|p| trace.chain(p).to_vec()).filter(|c| !c.is_empty()).collect();
    while chains.len() > 1 {
        match merge(trace, forward, &chains, budget)? {
            Some(fewer) => chains = fewer,
            None => break,
        }
    }
    Ok(chains.len())
}

/// The same events on one chain less, or `None` if the heads of the queues become an antichain.
///
/// `tree` is a spanning tree over the input queues whose edges are the output queues. Invariant: an output's last event
/// happened before both heads that its edge joins. When head `i` happened before head `j`, the edge (i, j) closes a
/// cycle; the event goes to the output on the cycle's other edge at `i`, which then becomes (i, j).
fn merge(
    trace: &Trace,
    forward: &Clocks,
    chains: &[Vec<EventId>],
    budget: &Budget,
) -> Result<Option<Vec<Vec<EventId>>>, OverBudget> {
    const WHAT: &str = "computing the width";
    let k = chains.len();
    let mut heads = vec![0usize; k];
    let mut outputs: Vec<Vec<EventId>> = vec![Vec::new(); k - 1];
    let mut tree: Vec<(usize, usize)> = (0..k - 1).map(|i| (i, i + 1)).collect();
    let mut to_compare: VecDeque<usize> = (0..k).collect();
    let mut steps = 0u64;
    // A queue waits in `to_compare` until its head has been compared with all others.
    while let Some(a) = to_compare.pop_front() {
        let mut a_moved = false;
        for b in 0..k {
            if a == b {
                continue;
            }
            let (Some(&x), Some(&y)) = (chains[a].get(heads[a]), chains[b].get(heads[b])) else { continue };
            steps += 1;
            if steps.is_multiple_of(4096) {
                budget.step(0, WHAT)?;
            }
            let (smaller, larger) = if forward.before_or_equal(trace, x, y) {
                (a, b)
            } else if forward.before_or_equal(trace, y, x) {
                (b, a)
            } else {
                continue;
            };
            let edge = cycle_edge(&tree, smaller, larger);
            outputs[edge].push(chains[smaller][heads[smaller]]);
            tree[edge] = (smaller, larger);
            heads[smaller] += 1;
            if smaller == a {
                a_moved = true;
                break;
            }
            if !to_compare.contains(&smaller) {
                to_compare.push_back(smaller);
            }
        }
        if a_moved {
            to_compare.push_back(a);
        }
    }
    if (0..k).all(|i| heads[i] < chains[i].len()) {
        return Ok(None);
    }
    drain(chains, &mut heads, &mut outputs, &mut tree);
    Ok(Some(outputs))
}

/// Some queue has run dry, and the heads that are left are pairwise concurrent: each remaining queue goes, whole, to an
/// output of its own. Rooted at a dry queue, every other queue owns the edge to its parent.
fn drain(chains: &[Vec<EventId>], heads: &mut [usize], outputs: &mut [Vec<EventId>], tree: &mut [(usize, usize)]) {
    let k = chains.len();
    let root = (0..k).find(|&i| heads[i] >= chains[i].len()).expect("checked by the caller");
    let mut reached = vec![false; k];
    reached[root] = true;
    let mut queue = vec![root];
    while let Some(at) = queue.pop() {
        for (edge, &(a, b)) in tree.iter().enumerate() {
            let other = if a == at {
                b
            } else if b == at {
                a
            } else {
                continue;
            };
            if !std::mem::replace(&mut reached[other], true) {
                outputs[edge].extend_from_slice(&chains[other][heads[other]..]);
                heads[other] = chains[other].len();
                queue.push(other);
            }
        }
    }
}

/// The tree edge at `from` on the path from `from` to `to`.
fn cycle_edge(tree: &[(usize, usize)], from: usize, to: usize) -> usize {
    // Breadth first from `to`: the edge through which `from` is reached.
    let mut reached = vec![to];
    let mut at = 0;
    while at < reached.len() {
        let node = reached[at];
        at += 1;
        for (edge, &(a, b)) in tree.iter().enumerate() {
            let other = if a == node {
                b
            } else if b == node {
                a
            } else {
                continue;
            };
            if reached.contains(&other) {
                continue;
            }
            if other == from {
                return edge;
            }
            reached.push(other);
        }
    }
    unreachable!("a spanning tree joins every two queues")
}
