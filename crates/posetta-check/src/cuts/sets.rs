//! What a representation of sets of cuts has to offer, besides what CTL takes ([`StateSets`]).

use dashu_int::UBig;

use posetta_base::OverBudget;
use posetta_logic::AtomId;
use posetta_logic::branching::StateSets;

/// Sets of cuts of one trace. A cut is one count per layer.
pub(super) trait CutSets: StateSets<AtomId, Set: Copy> {
    fn contains(&self, set: Self::Set, cut: &[u32]) -> bool;

    fn count(&mut self, set: Self::Set) -> Result<UBig, OverBudget>;

    /// A cut of the set that contains another one and has as few events as any.
    fn nearest(&mut self, set: Self::Set, cut: &[u32]) -> Result<Option<Vec<u32>>, OverBudget>;
}
