//! The width of a trace: the size of its largest set of pairwise concurrent events.
//!
//! By Dilworth the width is the least number of chains that cover the events. We start from the processes, or from the
//! chains that a first-fit pass over some run makes if those are fewer, and merge `k` chains into `k - 1` as long as
//! that is possible: Bogart & Magagnosc's generalised merge, in the queue form of Tomlinson & Garg (1996, "Monitoring
//! functions on global states of distributed programs"). It compares only heads of queues and stops when a queue has
//! run dry, or at the first antichain that has one event of every chain. A moved event costs O(k): at most `k`
//! comparisons and one walk over a tree of `k` nodes, so one merge is O(k n + k²); there are as many merges as chains to
//! be saved. A totally ordered trace is one chain after the first-fit pass.

use std::collections::VecDeque;

use super::clock::Clocks;
use super::event::Trace;
use posetta_base::{Budget, EventId, OverBudget};

/// The largest number of pairwise concurrent events; 0 for a trace without events.
///
/// # Errors
/// When the budget is spent.
pub fn width(trace: &Trace, forward: &Clocks, budget: &Budget) -> Result<usize, OverBudget> {
    // The events twice over: the chains and what they are merged into.
    let _claim = budget.claim(trace.len() as u64 * 8 + trace.process_count() as u64 * 96, WHAT)?;
    let mut chains = match first_fit(trace, forward, budget)? {
        Some(chains) => chains,
        None => trace.processes().map(|p| trace.chain(p).to_vec()).filter(|c| !c.is_empty()).collect(),
    };
    while chains.len() > 1 {
        match merge(trace, forward, &chains, budget)? {
            Some(fewer) => chains = fewer,
            None => break,
        }
    }
    Ok(chains.len())
}

const WHAT: &str = "computing the width";

/// Each event of a run goes on its process's chain if that ends in its predecessor, else on the first chain whose last
/// event happened before it. `None` if that makes no fewer chains than there are processes.
fn first_fit(trace: &Trace, forward: &Clocks, budget: &Budget) -> Result<Option<Vec<Vec<EventId>>>, OverBudget> {
    let most = trace.processes().filter(|&p| !trace.chain(p).is_empty()).count();
    let mut chains: Vec<Vec<EventId>> = Vec::new();
    // Where the last event of each process was put.
    let mut place = vec![usize::MAX; trace.process_count()];
    let mut work = 0usize;
    for &event in trace.linearisation() {
        let process = trace.process(event);
        let mut at = place[process.index()];
        if at == usize::MAX || chains[at].last().is_none_or(|&e| trace.process(e) != process) {
            let fits = |chain: &Vec<EventId>| chain.last().is_some_and(|&e| forward.before_or_equal(trace, e, event));
            at = chains.iter().position(fits).unwrap_or(chains.len());
            work += at;
        }
        work += 1;
        if work >= 4096 {
            budget.step(0, WHAT)?;
            work = 0;
        }
        if at == chains.len() {
            if at + 1 >= most {
                return Ok(None);
            }
            chains.push(Vec::new());
        }
        chains[at].push(event);
        place[process.index()] = at;
    }
    Ok(Some(chains))
}

/// A spanning tree over the input queues whose edges are the output queues.
struct Tree {
    /// The queues that each edge joins.
    ends: Vec<(usize, usize)>,
    /// The edges at each queue.
    at: Vec<Vec<usize>>,
    /// Scratch: queues to walk on from, each with the edge it was reached by.
    walk: Vec<(usize, usize)>,
}

const ROOT: usize = usize::MAX;

impl Tree {
    fn path(k: usize) -> Self {
        let at = (0..k).map(|i| (i.saturating_sub(1)..k.min(i + 2) - 1).collect()).collect();
        Self { ends: (1..k).map(|i| (i - 1, i)).collect(), at, walk: Vec::new() }
    }

    /// Visits every queue but `root` with the edge towards `root`, until `visit` says that it has seen enough.
    fn walk(&mut self, root: usize, mut visit: impl FnMut(usize, usize) -> bool) {
        self.walk.clear();
        self.walk.push((root, ROOT));
        while let Some((node, from)) = self.walk.pop() {
            if from != ROOT && visit(node, from) {
                return;
            }
            for &edge in self.at[node].iter().filter(|&&edge| edge != from) {
                let (a, b) = self.ends[edge];
                self.walk.push((if a == node { b } else { a }, edge));
            }
        }
    }

    /// Joins `from` and `to` by the edge at `from` on the path between them, which leaves a tree. Returns that edge.
    fn join(&mut self, from: usize, to: usize) -> usize {
        let mut edge = ROOT;
        self.walk(to, |node, by| {
            edge = by;
            node == from
        });
        let (a, b) = self.ends[edge];
        let other = if a == from { b } else { a };
        let place = self.at[other].iter().position(|&e| e == edge).expect("an edge is at both its ends");
        self.at[other].swap_remove(place);
        self.at[to].push(edge);
        self.ends[edge] = (from, to);
        edge
    }
}

/// The same events on one chain less, or `None` if the heads of the queues become an antichain.
///
/// Invariant: an output's last event happened before both heads that its edge of the tree joins. When head `i` happened
/// before head `j`, the edge (i, j) closes a cycle; the event goes to the output on the cycle's other edge at `i`, which
/// then becomes (i, j).
fn merge(
    trace: &Trace,
    forward: &Clocks,
    chains: &[Vec<EventId>],
    budget: &Budget,
) -> Result<Option<Vec<Vec<EventId>>>, OverBudget> {
    let k = chains.len();
    let mut heads = vec![0usize; k];
    let mut outputs: Vec<Vec<EventId>> = vec![Vec::new(); k - 1];
    let mut tree = Tree::path(k);
    // A queue waits in `to_compare` until its head has been compared with all others.
    let mut to_compare: VecDeque<usize> = (0..k).collect();
    let mut waits = vec![true; k];
    let mut steps = 0usize;
    while let Some(a) = to_compare.pop_front() {
        waits[a] = false;
        for b in (0..k).filter(|&b| b != a) {
            let (x, y) = (chains[a][heads[a]], chains[b][heads[b]]);
            steps += 1;
            if steps >= 4096 {
                budget.step(0, WHAT)?;
                steps = 0;
            }
            let (smaller, larger) = if forward.before_or_equal(trace, x, y) {
                (a, b)
            } else if forward.before_or_equal(trace, y, x) {
                (b, a)
            } else {
                continue;
            };
            steps += k;
            outputs[tree.join(smaller, larger)].push(chains[smaller][heads[smaller]]);
            heads[smaller] += 1;
            if heads[smaller] == chains[smaller].len() {
                // What is left of each other queue goes, whole, to the output on its edge towards the dry one.
                tree.walk(smaller, |queue, edge| {
                    outputs[edge].extend_from_slice(&chains[queue][heads[queue]..]);
                    false
                });
                return Ok(Some(outputs));
            }
            if !std::mem::replace(&mut waits[smaller], true) {
                to_compare.push_back(smaller);
            }
            if smaller == a {
                break;
            }
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch;
    use posetta_base::Limit;

    fn width_of(text: &str, budget: &Budget) -> Result<usize, OverBudget> {
        let trace = sketch::read(text);
        let forward = Clocks::compute(&trace, &Budget::unlimited()).unwrap();
        width(&trace, &forward, budget)
    }

    /// `lanes` rows of `length` processes with one event each; the events of a row are ordered, and nothing else is.
    fn lanes(lanes: usize, length: usize) -> String {
        let name = |lane, i| format!("P{}", (i * 7 % length) * lanes + lane);
        let mut text: String = (0..lanes * length).map(|i| format!("P{i}: @a\n")).collect();
        for lane in 0..lanes {
            for i in 1..length {
                text.push_str(&format!("{}.1 -> {}.1\n", name(lane, i - 1), name(lane, i)));
            }
        }
        text
    }

    #[test]
    fn many_processes_on_few_chains() {
        let budget = Budget::unlimited();
        assert_eq!(width_of(&lanes(1, 600), &budget), Ok(1));
        assert_eq!(width_of(&lanes(3, 200), &budget), Ok(3));
        assert_eq!(width_of(&lanes(150, 2), &budget), Ok(150));
        assert_eq!(width_of("", &budget), Ok(0));
    }

    #[test]
    fn merging_alone_finds_the_width() {
        let budget = Budget::unlimited();
        let trace = sketch::read(&lanes(3, 100));
        let forward = Clocks::compute(&trace, &budget).unwrap();
        let mut chains: Vec<Vec<EventId>> = trace.processes().map(|p| trace.chain(p).to_vec()).collect();
        while let Some(fewer) = merge(&trace, &forward, &chains, &budget).unwrap() {
            assert_eq!(fewer.len() + 1, chains.len());
            assert!(fewer.iter().all(|c| c.windows(2).all(|e| forward.before_or_equal(&trace, e[0], e[1]))));
            assert_eq!(fewer.iter().map(Vec::len).sum::<usize>(), trace.len());
            chains = fewer;
        }
        assert_eq!(chains.len(), 3);
    }

    #[test]
    fn a_stop_is_seen() {
        let budget = Budget::unlimited();
        budget.stop_handle().raise(Limit::Time);
        assert_eq!(width_of(&lanes(100, 2), &budget).unwrap_err().limit, Limit::Time);
    }
}
