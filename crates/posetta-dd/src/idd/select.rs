//! Tuples chosen by sums of their numbers.

use rustc_hash::FxHashMap;

use super::store::{Diagrams, EMPTY, Edge, Set, UNIT, WHAT};
use posetta_base::{Claim, OverBudget};

/// Tuples by a sum.
struct Sums<'a> {
    /// The factor of each layer.
    factors: &'a [i64],
    /// The first layer from which on all factors are 0.
    end: usize,
    chosen: &'a dyn Fn(i128) -> bool,
    known: FxHashMap<(Set, i128), Set>,
    claim: Claim,
}

impl Diagrams {
    /// The tuples of a set whose numbers, each times the factor of its layer, have a sum that is chosen.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn select(&mut self, set: Set, factors: &[i64], chosen: &dyn Fn(i128) -> bool) -> Result<Set, OverBudget> {
        let end = factors.iter().rposition(|&f| f != 0).map_or(0, |last| last + 1);
        let claim = self.claim(0)?;
        let mut sums = Sums { factors, end, chosen, known: FxHashMap::default(), claim };
        self.select_from(set, 0, 0, &mut sums)
    }

    fn select_from(&mut self, set: Set, layer: usize, sum: i128, sums: &mut Sums<'_>) -> Result<Set, OverBudget> {
        if set == EMPTY {
            return Ok(EMPTY);
        }
        if layer == sums.end {
            return Ok(if (sums.chosen)(sum) { set } else { EMPTY });
        }
        if let Some(&known) = sums.known.get(&(set, sum)) {
            return Ok(known);
        }
        self.poll()?;
        if sums.known.len() == sums.known.capacity() {
            sums.claim.grow_to(2 * 48 * (sums.known.len() as u64 + 4), WHAT)?;
        }
        let factor = i128::from(sums.factors[layer]);
        let from = self.scratch.len();
        let mut work = |this: &mut Self| {
            for i in 0..this.degree(set) {
                let Edge { start, child } = this.edge(set, i);
                if child == EMPTY {
                    this.push(from, start, EMPTY);
                    continue;
                }
                if factor == 0 {
                    let chosen = this.select_from(child, layer + 1, sum, sums)?;
                    this.push(from, start, chosen);
                    continue;
                }
                for number in start..this.edge(set, i + 1).start {
                    let chosen = this.select_from(child, layer + 1, sum + factor * i128::from(number), sums)?;
                    this.push(from, number, chosen);
                }
            }
            this.node(from)
        };
        let result = work(self);
        self.scratch.truncate(from);
        let result = result?;
        sums.known.insert((set, sum), result);
        Ok(result)
    }

    /// The largest sum of the numbers in some layers that a tuple of the set has; `None` if it is empty.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn largest_sum(&mut self, set: Set, counted: &[bool]) -> Result<Option<u64>, OverBudget> {
        let mut known = FxHashMap::default();
        let mut claim = self.claim(0)?;
        self.largest_from(set, 0, counted, &mut known, &mut claim)
    }

    fn largest_from(
        &mut self,
        set: Set,
        layer: usize,
        counted: &[bool],
        known: &mut FxHashMap<Set, Option<u64>>,
        claim: &mut Claim,
    ) -> Result<Option<u64>, OverBudget> {
        if set == EMPTY {
            return Ok(None);
        }
        if set == UNIT {
            return Ok(Some(0));
        }
        if let Some(&found) = known.get(&set) {
            return Ok(found);
        }
        self.poll()?;
        if known.len() == known.capacity() {
            claim.grow_to(2 * 32 * (known.len() as u64 + 4), WHAT)?;
        }
        let mut largest = None;
        for i in 0..self.degree(set).saturating_sub(1) {
            let (child, end) = (self.edge(set, i).child, self.edge(set, i + 1).start);
            let below = self.largest_from(child, layer + 1, counted, known, claim)?;
            let here = if counted[layer] { u64::from(end - 1) } else { 0 };
            largest = largest.max(below.map(|below| below + here));
        }
        known.insert(set, largest);
        Ok(largest)
    }

    /// The first tuple of a set, in the order of its numbers.
    #[must_use]
    pub fn first(&self, set: Set) -> Option<Vec<u32>> {
        if set == EMPTY {
            return None;
        }
        let mut tuple = Vec::with_capacity(self.layers());
        let mut at = set;
        while at != UNIT {
            // The first child of a node is not empty.
            let edge = self.edges(at).first()?;
            tuple.push(edge.start);
            at = edge.child;
        }
        Some(tuple)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use posetta_base::Budget;

    #[test]
    fn sums_of_numbers() {
        let mut diagrams = Diagrams::new(&[3, 3, 3], &Budget::unlimited()).unwrap();
        let all = diagrams.box_of(&[(0, 3), (1, 2), (0, 3)]).unwrap();
        let chosen = diagrams.select(all, &[2, -1, 0], &|sum| sum >= 4).unwrap();
        for x in 0..4 {
            for y in 0..4 {
                for z in 0..4 {
                    let expected = (1..=2).contains(&y) && 2 * i64::from(x) - i64::from(y) >= 4;
                    assert_eq!(diagrams.contains(chosen, &[x, y, z]), expected, "{x} {y} {z}");
                }
            }
        }
        assert_eq!(diagrams.first(chosen), Some(vec![3, 1, 0]));
        assert_eq!(diagrams.largest_sum(chosen, &[true, true, false]).unwrap(), Some(5));
        let none = diagrams.select(all, &[0, 0, 0], &|sum| sum == 1).unwrap();
        assert_eq!((none, diagrams.first(none)), (diagrams.empty(), None));
        assert_eq!(diagrams.largest_sum(none, &[true; 3]).unwrap(), None);
    }
}
