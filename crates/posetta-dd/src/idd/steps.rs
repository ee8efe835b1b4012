//! The graph in which a step adds 1 to one coordinate.
//!
//! Numbers only grow along a path, so a layer is worked through from the largest number down, once, and no fixpoint is
//! iterated.

use rustc_hash::FxHashMap;

use super::store::{Diagrams, EMPTY, Edge, Operation, Set, UNIT};
use posetta_base::{Claim, OverBudget};

/// Results of one `exists_until`. They are asked for again and again, so none is forgotten.
struct Memo {
    results: FxHashMap<(Set, Set), Set>,
    claim: Claim,
}

impl Diagrams {
    /// The tuples one step before a tuple of the set.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn exists_next(&mut self, a: Set) -> Result<Set, OverBudget> {
        if a == EMPTY || a == UNIT {
            return Ok(EMPTY);
        }
        if let Some(known) = self.recall(Operation::ExistsNext, a, a) {
            return Ok(known);
        }
        self.poll()?;
        let from = self.scratch.len();
        let count = self.degree(a);
        let work = |this: &mut Self| {
            let (mut child, mut next_below) = (EMPTY, EMPTY);
            // Where the current interval begins, if it has not been pushed.
            let mut at = 0;
            for i in 0..count {
                let Edge { start, child: then } = this.edge(a, i);
                // Inside the interval a step of this coordinate stays in it; from its last number it leads to the next one.
                if start > at {
                    if start - 1 > at {
                        let stay = this.union(next_below, child)?;
                        this.push(from, at, stay);
                    }
                    let leave = this.union(next_below, then)?;
                    this.push(from, start - 1, leave);
                }
                child = then;
                next_below = this.exists_next(child)?;
                at = start;
            }
            this.push(from, at, EMPTY);
            this.node(from)
        };
        let result = work(self);
        self.scratch.truncate(from);
        let result = result?;
        self.remember(Operation::ExistsNext, a, a, result);
        Ok(result)
    }

    /// The tuples below (in every coordinate) some tuple of the set, itself included.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn down_closure(&mut self, a: Set) -> Result<Set, OverBudget> {
        if a == EMPTY || a == UNIT {
            return Ok(a);
        }
        if let Some(known) = self.recall(Operation::DownClosure, a, a) {
            return Ok(known);
        }
        self.poll()?;
        let from = self.scratch.len();
        let work = |this: &mut Self| {
            let mut closed = EMPTY;
            for i in (0..this.degree(a)).rev() {
                let Edge { start, child } = this.edge(a, i);
                let below = this.down_closure(child)?;
                closed = this.union(closed, below)?;
                this.push_downwards(from, start, closed);
            }
            // Below the first interval as in it.
            if let Some(lowest) = this.scratch.last_mut() {
                lowest.start = 0;
            }
            this.node_downwards(from)
        };
        let result = work(self);
        self.scratch.truncate(from);
        let result = result?;
        self.remember(Operation::DownClosure, a, a, result);
        Ok(result)
    }

    /// The tuples from which a path leads to `q`, inside `p` before it gets there: the least X with X = q ∪ (p ∩ pre X).
    ///
    /// With the first number x going down, the tuples of X at x are those from which the other coordinates lead, inside p,
    /// to q or to a tuple of p that is in X at x + 1. Where p and q do not change with x, neither does X: what it has at x it
    /// has at x − 1.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn exists_until(&mut self, p: Set, q: Set) -> Result<Set, OverBudget> {
        let mut memo = Memo { results: FxHashMap::default(), claim: self.claim(0)? };
        self.until(p, q, &mut memo)
    }

    fn until(&mut self, p: Set, q: Set, memo: &mut Memo) -> Result<Set, OverBudget> {
        if q == EMPTY || q == UNIT || p == EMPTY || p == q {
            return Ok(q);
        }
        if let Some(&known) = memo.results.get(&(p, q)) {
            return Ok(known);
        }
        self.poll()?;
        let from = self.scratch.len();
        let result = self.until_downwards(from, p, q, memo);
        self.scratch.truncate(from);
        let result = result?;
        if memo.results.len() == memo.results.capacity() {
            memo.claim.grow_to(2 * 13 * (memo.results.capacity() as u64 + 4), super::store::WHAT)?;
        }
        memo.results.insert((p, q), result);
        Ok(result)
    }

    fn until_downwards(&mut self, from: usize, p: Set, q: Set, memo: &mut Memo) -> Result<Set, OverBudget> {
        let (mut i, mut j) = (self.degree(p), self.degree(q));
        let mut reached = EMPTY;
        while i > 0 || j > 0 {
            // The interval that begins at the larger of the two starts.
            let edge = |this: &Self, set: Set, at: usize| (at > 0).then(|| this.edge(set, at - 1));
            let (in_p, in_q) = (edge(self, p, i), edge(self, q, j));
            let start = in_p.map_or(0, |e| e.start).max(in_q.map_or(0, |e| e.start));
            let (p_here, q_here) = (in_p.map_or(EMPTY, |e| e.child), in_q.map_or(EMPTY, |e| e.child));
            i -= usize::from(in_p.is_some_and(|e| e.start == start));
            j -= usize::from(in_q.is_some_and(|e| e.start == start));
            // Nothing here and nothing to come from above: an interval of p that leads nowhere.
            if q_here == EMPTY && reached == EMPTY {
                self.push_downwards(from, start, EMPTY);
                continue;
            }
            let above = self.intersection(p_here, reached)?;
            let goal = self.union(q_here, above)?;
            reached = self.until(p_here, goal, memo)?;
            self.push_downwards(from, start, reached);
        }
        self.node_downwards(from)
    }

    /// Like `push`, for edges that come from the last to the first.
    #[inline]
    fn push_downwards(&mut self, from: usize, start: u32, child: Set) {
        if self.scratch.len() > from
            && let Some(last) = self.scratch.last_mut()
            && last.child == child
        {
            last.start = start;
            return;
        }
        self.scratch.push(Edge { start, child });
    }

    /// Like `node`, for edges that came from the last to the first.
    fn node_downwards(&mut self, from: usize) -> Result<Set, OverBudget> {
        if self.scratch.len() > from && self.scratch.last().is_some_and(|lowest| lowest.child == EMPTY) {
            self.scratch.pop();
        }
        self.scratch[from..].reverse();
        self.node(from)
    }

    /// The set with a number added to one coordinate; tuples that leave the range of their layer are dropped.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn shift(&mut self, a: Set, layer: usize, by: i64) -> Result<Set, OverBudget> {
        let mut memo = FxHashMap::default();
        self.shift_below(a, layer, by, self.largest.get(layer).copied().unwrap_or(0), &mut memo)
    }

    fn shift_below(
        &mut self,
        a: Set,
        layers: usize,
        by: i64,
        largest: u32,
        memo: &mut FxHashMap<Set, Set>,
    ) -> Result<Set, OverBudget> {
        if a == EMPTY || a == UNIT {
            return Ok(a);
        }
        if let Some(&known) = memo.get(&a) {
            return Ok(known);
        }
        self.poll()?;
        let from = self.scratch.len();
        let mut work = |this: &mut Self| {
            for i in 0..this.degree(a) {
                let Edge { start, child } = this.edge(a, i);
                if layers > 0 {
                    let child = this.shift_below(child, layers - 1, by, largest, memo)?;
                    this.push(from, start, child);
                    continue;
                }
                let start = i64::from(start).saturating_add(by);
                if start > i64::from(largest) {
                    break;
                }
                // What begins below 0 begins at 0, and the last of these hides the others.
                let start = u32::try_from(start.max(0)).unwrap_or(0);
                this.scratch.truncate(from + this.scratch[from..].partition_point(|e| e.start < start));
                this.push(from, start, child);
            }
            if this.scratch.len() > from && this.scratch.last().is_some_and(|e| e.child != EMPTY) {
                this.push(from, largest + 1, EMPTY);
            }
            this.node(from)
        };
        let result = work(self);
        self.scratch.truncate(from);
        let result = result?;
        memo.insert(a, result);
        Ok(result)
    }
}
