//! How many tuples a tree has, and which of them is the nearest.

use dashu_int::UBig;
use dashu_int::ops::BitTest;
use rustc_hash::FxHashMap;

use super::operations::{Call, Op};
use super::scratch::Scratch;
use super::store::Family;
use super::{Tree, Trees};
use posetta_base::OverBudget;

const SEEKING: &str = "looking for a tuple of an interval sharing tree";
const COUNTING: &str = "counting the tuples of an interval sharing tree";

/// About how many bytes a family with a count takes in the table, beside the digits of the count.
const PER_FAMILY: u64 = 80;

impl Trees {
    /// The number of tuples in `a`, exactly.
    ///
    /// Siblings overlap, so a sum over them would count tuples twice. They are brought apart first, layer by layer from the
    /// root; that may make as many new families as there are sets of siblings that share a number.
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn count(&mut self, a: Tree) -> Result<UBig, OverBudget> {
        let mut counts: FxHashMap<Family, UBig> = FxHashMap::default();
        counts.insert(Family::NOTHING, UBig::ZERO);
        counts.insert(Family::END, UBig::ONE);
        let mut claim = self.budget.claim(0, COUNTING)?;
        let mut bytes = 0;
        let mut open = Scratch::new();
        open.push(a.0, &self.budget)?;
        while let Some(&family) = open.last() {
            if counts.contains_key(&family) {
                open.pop();
                continue;
            }
            self.budget.step(0, COUNTING)?;
            let apart = self.run(Call::unary(Op::Disjoint, family))?;
            let entries = self.store.entries(apart);
            let already = open.len();
            for entry in entries.iter().filter(|entry| !counts.contains_key(&entry.below)) {
                open.push(entry.below, &self.budget)?;
            }
            if open.len() > already {
                continue;
            }
            let mut sum = UBig::ZERO;
            for entry in entries {
                sum += (UBig::from(entry.hi - entry.lo) + UBig::ONE) * &counts[&entry.below];
            }
            bytes += PER_FAMILY + sum.bit_len() as u64 / 8;
            claim.grow_to(bytes, COUNTING)?;
            counts.insert(family, sum);
        }
        Ok(counts.remove(&a.0).expect("a family leaves the list when it is counted"))
    }

    /// A tuple of `a` that is at least `least` in every layer, with the smallest sum that such a tuple has.
    ///
    /// # Errors
    /// When the budget is used up.
    ///
    /// # Panics
    /// When `least` has not one number for each layer.
    pub fn nearest(&mut self, a: Tree, least: &[u32]) -> Result<Option<Vec<u32>>, OverBudget> {
        assert_eq!(least.len(), self.layers(), "a tuple has one number for each layer");
        let families = self.store.below([a.0]);
        let _claim = self.budget.claim(families.len() as u64 * PER_FAMILY, SEEKING)?;
        // For each family the smallest sum from its layer on, with the number and the family that it goes on with. Overlapping
        // siblings do no harm here: every path is looked at through its families.
        let mut best: FxHashMap<Family, (u64, u32, Family)> = FxHashMap::default();
        best.insert(Family::END, (0, 0, Family::END));
        for &family in families.iter().rev() {
            self.budget.step(0, SEEKING)?;
            let least = least[self.store.layer(family) as usize];
            let reaching = self.store.entries(family).iter().filter(|entry| entry.hi >= least);
            let sums = reaching.filter_map(|entry| {
                let number = entry.lo.max(least);
                best.get(&entry.below).map(|&(sum, ..)| (sum + u64::from(number), number, entry.below))
            });
            if let Some(smallest) = sums.min() {
                best.insert(family, smallest);
            }
        }
        let mut tuple = Vec::with_capacity(self.layers());
        let mut at = a.0;
        while at != Family::END {
            let Some(&(_, number, below)) = best.get(&at) else { return Ok(None) };
            tuple.push(number);
            at = below;
        }
        Ok(Some(tuple))
    }
}
