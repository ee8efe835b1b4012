//! How many tuples a tree has.

use dashu_int::UBig;
use dashu_int::ops::BitTest;
use rustc_hash::FxHashMap;

use super::operations::{Call, Op};
use super::scratch::Scratch;
use super::store::Family;
use super::{Tree, Trees};
use crate::base::OverBudget;

const WHAT: &str = "counting the tuples of an interval sharing tree";

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
        let mut claim = self.budget.claim(0, WHAT)?;
        let mut bytes = 0;
        let mut open = Scratch::new();
        open.push(a.0, &self.budget)?;
        while let Some(&family) = open.last() {
            if counts.contains_key(&family) {
                open.pop();
                continue;
            }
            self.budget.step(0, WHAT)?;
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
            claim.grow_to(bytes, WHAT)?;
            counts.insert(family, sum);
        }
        Ok(counts.remove(&a.0).expect("a family leaves the list when it is counted"))
    }
}
