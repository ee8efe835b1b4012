//! Interval sharing trees.
//!
//! Paper 001 (Kalyon, Massart, Meuter, Van Begin 2007), definition 2: an acyclic graph with a root, one layer of nodes per
//! number of a tuple, and an end. A node is labelled with an interval; a tuple is in the set if it lies in the labels along
//! some path from the root to the end. (i, ii) Successors are in the next layer and only the end has none; (iii) siblings have
//! different labels, which *may overlap*; (iv) no two nodes of a layer have the same label and the same successors. One set
//! has many trees: equality of sets is a question ([`Trees::equals`]), not identity of handles.
//!
//! [`Trees`] holds the trees of one universe of tuples, with everything shared that can be; a [`Tree`] is a handle. Nodes lie
//! in *families*, the sets of successors, each stored once ([`store`]). The empty set, for which definition 2 has no tree, is
//! the empty family.
//!
//! The paper names the operations and leaves the algorithms to a report (Ganty et al., ULB 570). Here every operation is a
//! memoised function on families, [`operations`]; no path and no tuple is enumerated. Union, shift and closure leave labels as
//! they are, overlapping or not; intersection and difference bring the siblings apart that they look at. Siblings that come to
//! have the same label are united, and those with the same successors whose labels touch are put together ([`siblings`]).
//!
//! Nothing here recurses: an operation keeps what it still has to do on a list, so there may be thousands of layers. Start
//! reading at [`Trees`], then `Trees::run`.

mod dot;
mod operations;
mod read;
mod scratch;
mod siblings;
mod store;
#[cfg(test)]
mod tests;

use std::cell::Cell;

use rustc_hash::{FxHashMap, FxHashSet};

use self::operations::{Call, Op};
use self::store::{Entry, Family, Store, table_bytes};
use posetta_base::{Budget, Claim, Limit, OverBudget};

/// What a limit interrupts.
const WHAT: &str = "combining interval sharing trees";

/// A set of tuples: a handle into the [`Trees`] that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tree(Family);

/// Sets of tuples of naturals, one number per layer, none larger than its layer allows.
///
/// Handles are valid in the manager that gave them, until a [`Trees::collect`] that does not name them. An operation that a
/// limit interrupts leaves all handles as they were.
#[derive(Debug)]
pub struct Trees {
    largest: Vec<u32>,
    store: Store,
    /// Results of operations on families; see [`Trees::run`].
    memo: FxHashMap<Call, Family>,
    /// All tuples.
    full: Family,
    budget: Budget,
    claim: Claim,
    /// Pairs of nodes looked at since the stop was polled.
    ticks: Cell<u32>,
    /// How many nodes the last collection left.
    kept: usize,
}

impl Trees {
    /// The sets of tuples whose number in layer `i` is at most `largest[i]`. Without layers there is one tuple, the empty one.
    ///
    /// # Errors
    /// When the budget has no room for one tree.
    pub fn new(largest: &[u32], budget: &Budget) -> Result<Self, OverBudget> {
        let claim = budget.claim(size_of_val(largest) as u64, WHAT)?;
        let mut trees = Self {
            largest: largest.to_vec(),
            store: Store::new(),
            memo: FxHashMap::default(),
            full: Family::NOTHING,
            budget: budget.clone(),
            claim,
            ticks: Cell::new(0),
            kept: 0,
        };
        let sides: Vec<(u32, u32)> = largest.iter().map(|&largest| (0, largest)).collect();
        trees.full = trees.box_of(&sides)?.0;
        Ok(trees)
    }

    /// How many numbers a tuple has.
    #[must_use]
    pub fn layers(&self) -> usize {
        self.largest.len()
    }

    /// No tuple.
    #[must_use]
    pub fn empty(&self) -> Tree {
        Tree(Family::NOTHING)
    }

    /// The tuples with each number between the two of its side, both included: the paper's multi-rectangle. A side whose
    /// first number is the larger one is empty, and so is the box; what lies above the largest number of a layer is not part of it.
    ///
    /// # Errors
    /// When the budget is used up.
    ///
    /// # Panics
    /// When there is not one side for each layer.
    pub fn box_of(&mut self, sides: &[(u32, u32)]) -> Result<Tree, OverBudget> {
        assert_eq!(sides.len(), self.layers(), "a box has one side for each layer");
        let clipped = |(&(lo, hi), &largest): (&(u32, u32), &u32)| (lo, hi.min(largest));
        if sides.iter().zip(&self.largest).map(clipped).any(|(lo, hi)| lo > hi) {
            return Ok(self.empty());
        }
        let mut below = Family::END;
        for layer in (0..sides.len()).rev() {
            let (lo, hi) = clipped((&sides[layer], &self.largest[layer]));
            below = self.intern(&[Entry { lo, hi, below }], layer as u32)?;
        }
        Ok(Tree(below))
    }

    /// The tuples in `a` or in `b`.
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn union(&mut self, a: Tree, b: Tree) -> Result<Tree, OverBudget> {
        self.run(Call::binary(Op::Union, a.0, b.0)).map(Tree)
    }

    /// The tuples in `a` and in `b`.
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn intersection(&mut self, a: Tree, b: Tree) -> Result<Tree, OverBudget> {
        self.run(Call::binary(Op::Intersection, a.0, b.0)).map(Tree)
    }

    /// The tuples in `a` that are not in `b`.
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn difference(&mut self, a: Tree, b: Tree) -> Result<Tree, OverBudget> {
        self.run(Call::binary(Op::Difference, a.0, b.0)).map(Tree)
    }

    /// The tuples that are not in `a`, within what the layers allow.
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn complement(&mut self, a: Tree) -> Result<Tree, OverBudget> {
        self.difference(Tree(self.full), a)
    }

    /// The tuples of `a` with `by` added to the number in `layer`. Those that would leave the layer are dropped.
    ///
    /// # Errors
    /// When the budget is used up.
    ///
    /// # Panics
    /// When there is no such layer.
    pub fn shift(&mut self, a: Tree, layer: usize, by: i64) -> Result<Tree, OverBudget> {
        assert!(layer < self.layers(), "there are {} layers, and this is layer {layer} from 0", self.layers());
        let Some(amount) = u32::try_from(by.unsigned_abs()).ok().filter(|&amount| amount <= self.largest[layer]) else {
            return Ok(self.empty());
        };
        let layer = layer as u32;
        let op = if by < 0 { Op::Lower { layer, by: amount } } else { Op::Raise { layer, by: amount } };
        self.run(Call::unary(op, a.0)).map(Tree)
    }

    /// The tuples that are at most as large, number by number, as some tuple of `a`.
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn down_closure(&mut self, a: Tree) -> Result<Tree, OverBudget> {
        self.run(Call::unary(Op::Down, a.0)).map(Tree)
    }

    /// Whether there is no tuple in `a`.
    #[must_use]
    pub fn is_empty(&self, a: Tree) -> bool {
        a.0 == Family::NOTHING
    }

    /// Whether a tuple is in `a`. A tuple of another length is in no set.
    #[must_use]
    pub fn contains(&self, a: Tree, tuple: &[u32]) -> bool {
        if tuple.len() != self.layers() {
            return false;
        }
        // Labels overlap, so the tuple may lead to several families of a layer; each is looked at once.
        let (mut here, mut next) = (vec![a.0], Vec::new());
        for number in tuple {
            for &family in &here {
                let reached = self.store.entries(family).iter().take_while(|entry| entry.lo <= *number);
                next.extend(reached.filter(|entry| entry.hi >= *number).map(|entry| entry.below));
            }
            next.sort_unstable();
            next.dedup();
            std::mem::swap(&mut here, &mut next);
            next.clear();
        }
        here.contains(&Family::END)
    }

    /// Whether two sets have the same tuples.
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn equals(&mut self, a: Tree, b: Tree) -> Result<bool, OverBudget> {
        Ok(self.difference(a, b)? == self.empty() && self.difference(b, a)? == self.empty())
    }

    /// How many nodes the tree has, as definition 2 counts them: the root and the end included. The empty set has none.
    #[must_use]
    pub fn nodes(&self, a: Tree) -> usize {
        if self.is_empty(a) {
            return 0;
        }
        // Equal entries of different families are one node; they are in the same layer, because what follows them is.
        let families = self.store.below([a.0]);
        let nodes: FxHashSet<Entry> = families.iter().flat_map(|&family| self.store.entries(family)).copied().collect();
        2 + nodes.len()
    }

    /// The tree as a graph for Graphviz, a rank for each layer with its name. A layer without a name has its number, from 0.
    #[must_use]
    pub fn dot(&self, a: Tree, layer_names: &[String]) -> String {
        dot::draw(&self.store, self.layers(), a.0, layer_names)
    }

    /// How many nodes are stored, needed or not.
    #[must_use]
    pub fn stored(&self) -> usize {
        self.store.len()
    }

    /// Whether nodes and remembered results have become so many that a collection may pay.
    #[must_use]
    pub fn is_crowded(&self) -> bool {
        self.stored() + self.memo.len() > (1 << 18).max(4 * self.kept)
    }

    /// Gives back the memory of all that is not part of one of `roots`. Handles of the roots stay valid; any other handle no
    /// longer means the set that it meant.
    pub fn collect(&mut self, roots: &[Tree]) {
        self.memo = FxHashMap::default();
        self.store.keep(roots.iter().map(|root| root.0).chain([self.full]));
        self.kept = self.stored();
        // A claim never shrinks: it is given back and a smaller one is taken. Should another holder of the budget take the
        // room in between, then the next growth, which asks for all that is held, is refused.
        self.claim = self.budget.claim(0, WHAT).expect("nothing is always granted");
        let _ = self.claim.grow_to(self.bytes(), WHAT);
    }

    /// About how many bytes everything takes.
    fn bytes(&self) -> u64 {
        self.store.bytes() + self.bytes_beside(self.memo.capacity())
    }

    /// Bytes outside of the store, with a memo for `calls` results.
    fn bytes_beside(&self, calls: usize) -> u64 {
        size_of_val(&*self.largest) as u64 + table_bytes(calls, size_of::<(Call, Family)>())
    }

    /// The family with these entries, which satisfy the invariant of [`store`].
    fn intern(&mut self, entries: &[Entry], layer: u32) -> Result<Family, OverBudget> {
        if let Some(family) = self.store.find(entries) {
            return Ok(family);
        }
        self.budget.step(1, WHAT)?;
        if let Some(bytes) = self.store.growth(entries.len()) {
            self.claim.grow_to(bytes + self.bytes_beside(self.memo.capacity()), WHAT)?;
        }
        self.store.insert(entries, layer).ok_or(OverBudget::new(WHAT, Limit::Memory))
    }

    /// Notes the result of an operation.
    fn remember(&mut self, call: Call, result: Family) -> Result<(), OverBudget> {
        if self.memo.len() == self.memo.capacity() {
            // The table that grows stands beside the old one until all is moved.
            let calls = 3 * self.memo.capacity().max(8);
            self.claim.grow_to(self.store.bytes() + self.bytes_beside(calls), WHAT)?;
        }
        self.memo.insert(call, result);
        Ok(())
    }

    /// Called for each pair of nodes that is looked at: polls the stop now and then.
    fn tick(&self) -> Result<(), OverBudget> {
        let ticks = self.ticks.get() + 1;
        self.ticks.set(ticks % 1024);
        if ticks == 1024 { self.budget.step(0, WHAT) } else { Ok(()) }
    }
}
