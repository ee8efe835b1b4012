//! Direct edges as constraints between the counts of two processes.

use crate::event::Trace;
use posetta_base::{Budget, Claim, EventId, OverBudget};

/// A stretch of counts of one process that mean the same bounds for a neighbour.
pub(super) struct Step {
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) low: u32,
    pub(super) high: u32,
}

/// Direct edges as constraints between counts.
pub(super) struct Constraints {
    pub(super) lengths: Vec<u32>,
    pub(super) neighbours: Vec<Vec<usize>>,
    /// For each process, its edges, sorted by the other process and the own count.
    edges: Vec<Vec<Edge>>,
    _claim: Claim,
}

/// An edge as one of its processes sees it: own count, other process, other's count, whether the other is the effect.
struct Edge {
    own: u32,
    other: u32,
    count: u32,
    other_is_effect: bool,
}

impl Constraints {
    pub(super) fn new(trace: &Trace, budget: &Budget, what: &'static str) -> Result<Self, OverBudget> {
        let n = trace.process_count();
        let claim = budget.claim(trace.causes.len() as u64 * 64 + n as u64 * 80, what)?;
        let mut edges: Vec<Vec<Edge>> = (0..n).map(|_| Vec::new()).collect();
        let at = |e: EventId| (trace.process(e).raw(), trace.position(e) as u32 + 1);
        for effect in trace.events() {
            if effect.index() % 4096 == 0 {
                budget.step(0, what)?;
            }
            let (q, b) = at(effect);
            for &cause in trace.causes(effect) {
                let (p, a) = at(cause);
                edges[p as usize].push(Edge { own: a, other: q, count: b, other_is_effect: true });
                edges[q as usize].push(Edge { own: b, other: p, count: a, other_is_effect: false });
            }
        }
        let mut neighbours = Vec::with_capacity(n);
        for list in &mut edges {
            list.sort_unstable_by_key(|e| (e.other, e.own));
            let mut all: Vec<usize> = list.iter().map(|e| e.other as usize).collect();
            all.dedup();
            neighbours.push(all);
        }
        let lengths = trace.processes().map(|p| trace.chain(p).len() as u32).collect();
        Ok(Self { lengths, neighbours, edges, _claim: claim })
    }

    /// What each count of `process` means for its neighbour `other`.
    pub(super) fn steps(&self, process: usize, other: usize) -> Vec<Step> {
        let edges = &self.edges[process];
        let from = edges.partition_point(|e| (e.other as usize) < other);
        let edges = &edges[from..];
        let edges = &edges[..edges.partition_point(|e| e.other as usize == other)];
        let mut steps = vec![Step { first: 0, last: 0, low: 0, high: self.lengths[other] }];
        // With count c: an edge from the other is binding if c >= own, an edge to it if c < own.
        for edge in edges {
            let before = steps.last_mut().expect("never empty");
            if before.first < edge.own {
                before.last = edge.own - 1;
                let low = before.low;
                steps.push(Step { first: edge.own, last: edge.own, low, high: self.lengths[other] });
            }
            if let [.., before, step] = &mut steps[..] {
                if edge.other_is_effect {
                    before.high = before.high.min(edge.count - 1);
                } else {
                    step.low = step.low.max(edge.count);
                }
            }
        }
        steps.last_mut().expect("never empty").last = self.lengths[process];
        for i in (1..steps.len()).rev() {
            steps[i - 1].high = steps[i - 1].high.min(steps[i].high);
        }
        // Neighbouring stretches that mean the same are one.
        steps.dedup_by(|next, kept| {
            let same = (kept.low, kept.high) == (next.low, next.high);
            if same {
                kept.last = next.last;
            }
            same
        });
        steps
    }

    /// The connected groups of processes.
    pub(super) fn groups(&self) -> Vec<Vec<usize>> {
        let mut seen = vec![false; self.lengths.len()];
        let mut groups = Vec::new();
        for start in 0..seen.len() {
            if std::mem::replace(&mut seen[start], true) {
                continue;
            }
            let mut group = vec![start];
            let mut at = 0;
            while at < group.len() {
                for &p in &self.neighbours[group[at]] {
                    if !std::mem::replace(&mut seen[p], true) {
                        group.push(p);
                    }
                }
                at += 1;
            }
            groups.push(group);
        }
        groups
    }
}
