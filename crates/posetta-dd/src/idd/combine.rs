//! Union, intersection, difference, complement.

use super::store::{Diagrams, EMPTY, Edge, Operation, Set};
use posetta_base::OverBudget;

impl Diagrams {
    /// The tuples in either set.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn union(&mut self, a: Set, b: Set) -> Result<Set, OverBudget> {
        match () {
            () if a == b || b == EMPTY => Ok(a),
            () if a == EMPTY => Ok(b),
            // One entry of the cache for both orders.
            () if a < b => self.combine(Operation::Union, a, b),
            () => self.combine(Operation::Union, b, a),
        }
    }

    /// The tuples in both sets.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn intersection(&mut self, a: Set, b: Set) -> Result<Set, OverBudget> {
        match () {
            () if a == b => Ok(a),
            () if a == EMPTY || b == EMPTY => Ok(EMPTY),
            () if a < b => self.combine(Operation::Intersection, a, b),
            () => self.combine(Operation::Intersection, b, a),
        }
    }

    /// The tuples in `a` that are not in `b`.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn difference(&mut self, a: Set, b: Set) -> Result<Set, OverBudget> {
        match () {
            () if a == b || a == EMPTY => Ok(EMPTY),
            () if b == EMPTY => Ok(a),
            () => self.combine(Operation::Difference, a, b),
        }
    }

    /// The tuples that are not in a set, among all that the layers allow.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn complement(&mut self, a: Set) -> Result<Set, OverBudget> {
        let sides: Vec<(u32, u32)> = self.largest.iter().map(|&n| (0, n)).collect();
        let all = self.box_of(&sides)?;
        self.difference(all, a)
    }

    /// Two different sets, neither empty, interval by interval. Neither is the unit: then they would be equal.
    fn combine(&mut self, operation: Operation, a: Set, b: Set) -> Result<Set, OverBudget> {
        if let Some(known) = self.recall(operation, a, b) {
            return Ok(known);
        }
        self.poll()?;
        let from = self.scratch.len();
        let (count_a, count_b) = (self.degree(a), self.degree(b));
        let (mut i, mut j) = (0, 0);
        let (mut in_a, mut in_b) = (EMPTY, EMPTY);
        // Outside of a side that decides, the other side is skipped: it may be thousands of intervals long where the first
        // has two.
        let (skips_b, skips_a) = match operation {
            Operation::Intersection => (true, true),
            Operation::Difference => (true, false),
            _ => (false, false),
        };
        while i < count_a || j < count_b {
            if skips_b && in_a == EMPTY {
                if i == count_a {
                    break;
                }
                let start = self.edge(a, i).start;
                (j, in_b) = self.skip_to(b, j, in_b, start);
            }
            if skips_a && in_b == EMPTY {
                if j == count_b {
                    break;
                }
                let start = self.edge(b, j).start;
                (i, in_a) = self.skip_to(a, i, in_a, start);
            }
            let next_a = if i < count_a { self.edge(a, i) } else { Edge { start: u32::MAX, child: EMPTY } };
            let next_b = if j < count_b { self.edge(b, j) } else { Edge { start: u32::MAX, child: EMPTY } };
            let start = next_a.start.min(next_b.start);
            if next_a.start == start {
                in_a = next_a.child;
                i += 1;
            }
            if next_b.start == start {
                in_b = next_b.child;
                j += 1;
            }
            let child = match operation {
                Operation::Union => self.union(in_a, in_b),
                Operation::Intersection => self.intersection(in_a, in_b),
                _ => self.difference(in_a, in_b),
            };
            match child {
                Ok(child) => self.push(from, start, child),
                Err(over) => {
                    self.scratch.truncate(from);
                    return Err(over);
                }
            }
        }
        let result = self.node(from)?;
        self.remember(operation, a, b, result);
        Ok(result)
    }

    /// The first edge from `at` on that starts at or after `start`, and the child just before it.
    #[inline]
    fn skip_to(&self, set: Set, at: usize, child: Set, start: u32) -> (usize, Set) {
        let edges = self.edges(set);
        // Most often there is nothing, or little, to skip.
        let mut to = at;
        let mut width = 1;
        while to + width <= edges.len() && edges[to + width - 1].start < start {
            to += width;
            width *= 2;
        }
        let end = (to + width).min(edges.len());
        to += edges[to..end].partition_point(|e| e.start < start);
        if to > at { (to, edges[to - 1].child) } else { (at, child) }
    }
}
