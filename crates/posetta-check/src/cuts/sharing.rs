//! Sets of cuts as interval sharing trees: CTL as in section 5 of paper 001, for comparison.
//!
//! The constructions are the paper's, lemma by lemma, over the layers of a [`Space`] instead of processes. They differ from what
//! is printed where that would be wrong or is not said:
//!
//! - The full cut has no successor. So `EG f` is the greatest X = f ∩ (pre∃ X ∪ {E}), where the print has no {E} and X is empty;
//!   and `A[f U g]` the least X = g ∪ (f ∩ pre∀ X ∖ {E}), where the print lets the full cut in, which is in every pre∀ X.
//! - The last block of writes is `A(e_{s_ℓ})`, not `A(e_{s_m})`.
//! - Writes of the same value need not be ordered here. Those of one block then begin with several first writes: a cut is in
//!   the block if it has one of them and none of the next block.
//! - A predicate over several variables is taken apart by the values of one variable after the other.
//! - W and R are not in the paper. Their equations are the usual ones; a step adds an event, so no cut comes before itself and
//!   each equation has one solution.

use std::ops::Range;

use dashu_int::UBig;

use super::atoms::{CutAtom, cut_atom};
use super::sets::CutSets;
use super::space::Space;
use crate::show::Graph;
use posetta_base::{Budget, OverBudget, ValueId};
use posetta_dd::ist::{Tree, Trees};
use posetta_logic::branching::StateSets;
use posetta_logic::eval::{self, Notes};
use posetta_logic::{Atom, AtomId, Condition, CtlBinary, CtlUnary, Path, Slot};

const WHAT: &str = "building interval sharing trees";

/// An edge between layers that no others imply, as the paper's Hasse diagram has them: the effect needs so many events
/// of the cause's layer.
struct Edge {
    cause: usize,
    needed: u32,
    effect: usize,
    /// The position of the effect on its layer, from 1.
    position: u32,
}

pub(super) struct SharingSets<'s, 't> {
    space: &'s Space<'t>,
    atoms: &'s [Atom<Slot>],
    pub(super) trees: Trees,
    edges: Vec<Edge>,
    all: Tree,
    /// The full cut alone.
    full: Tree,
    /// For each layer, the cuts at which it has no next event or cannot add it; once they are asked for.
    blocked: Vec<Tree>,
    /// What was handed out since it was last said what is needed: to be kept when a fixpoint needs room.
    handed: Vec<Tree>,
    notes: &'s mut Notes,
    budget: &'s Budget,
}

impl<'s, 't> SharingSets<'s, 't> {
    pub(super) fn new(
        space: &'s Space<'t>,
        atoms: &'s [Atom<Slot>],
        notes: &'s mut Notes,
        budget: &'s Budget,
    ) -> Result<Self, OverBudget> {
        let lengths = space.lengths();
        let mut trees = Trees::new(&lengths, budget)?;
        let point: Vec<(u32, u32)> = lengths.iter().map(|&n| (n, n)).collect();
        let full = trees.box_of(&point)?;
        let edges = edges(space, budget)?;
        let (blocked, handed) = (Vec::new(), Vec::new());
        let mut sets = Self { space, atoms, all: trees.empty(), trees, edges, full, blocked, handed, notes, budget };
        sets.all = sets.lattice()?;
        Ok(sets)
    }

    /// Lemma 1: all tuples, without those that have an effect and not its cause.
    fn lattice(&mut self) -> Result<Tree, OverBudget> {
        let mut all = self.restricted(&[])?;
        for i in 0..self.edges.len() {
            let Edge { cause, needed, effect, position } = self.edges[i];
            // A(effect) ∩ B(cause)
            let wrong = self.restricted(&[(effect, position..u32::MAX), (cause, 0..needed)])?;
            all = self.trees.difference(all, wrong)?;
            self.make_room(&[all]);
        }
        Ok(all)
    }

    /// All tuples whose numbers in some layers lie in ranges.
    fn restricted(&mut self, ranges: &[(usize, Range<u32>)]) -> Result<Tree, OverBudget> {
        let mut sides: Vec<(u32, u32)> = vec![(0, u32::MAX); self.space.layers()];
        for (layer, range) in ranges {
            let (lo, hi) = &mut sides[*layer];
            *lo = range.start.max(*lo);
            match range.end.checked_sub(1) {
                Some(last) => *hi = last.min(*hi),
                None => return Ok(self.trees.empty()),
            }
        }
        self.trees.box_of(&sides)
    }

    /// By halves, so that no tree is gone through many times.
    fn unite(&mut self, mut trees: Vec<Tree>) -> Result<Tree, OverBudget> {
        while trees.len() > 1 {
            for i in 0..trees.len() / 2 {
                trees[i] = self.trees.union(trees[2 * i], trees[2 * i + 1])?;
            }
            if trees.len() % 2 == 1 {
                let last = trees.len() - 1;
                trees[last / 2] = trees[last];
            }
            trees.truncate(trees.len().div_ceil(2));
        }
        Ok(trees.first().copied().unwrap_or(self.trees.empty()))
    }

    /// Gives back what is neither among these nor handed out, if that may pay.
    fn make_room(&mut self, more: &[Tree]) {
        if self.trees.is_crowded() {
            let own = [self.all, self.full];
            let roots: Vec<Tree> = [&own[..], &self.blocked, &self.handed, more].concat();
            self.trees.collect(&roots);
        }
    }

    /// Lemma 2: the cuts whose last write of a variable is one of those that `chosen` takes, by rank.
    ///
    /// Ranks are taken in blocks, the longest stretches of chosen ones. A cut is in a block if it has a first write of it, and no
    /// first write after it: writes on both sides of a border leave different values, so they are ordered.
    fn after_writes(&mut self, slot: Slot, chosen: &[bool]) -> Result<Tree, OverBudget> {
        let mut found = Vec::new();
        let mut rank = 0;
        while rank < chosen.len() {
            let same = chosen[rank..].iter().take_while(|&&c| c == chosen[rank]).count();
            if chosen[rank] {
                let next = rank + same;
                let before: Vec<_> = self.first_writes(slot, next as u32).map(|(layer, n)| (layer, 0..n)).collect();
                if rank == 0 {
                    // Before the first write, too.
                    found.push(self.restricted(&before)?);
                } else {
                    let firsts: Vec<_> = self.first_writes(slot, rank as u32).collect();
                    for (layer, first) in firsts {
                        let after = (layer, first..u32::MAX);
                        found.push(self.restricted(&[&before[..], &[after]].concat())?);
                    }
                }
            }
            rank += same;
        }
        let found = self.unite(found)?;
        self.trees.intersection(found, self.all)
    }

    /// For each layer that has one, the position of its first write of a rank or a higher one.
    fn first_writes(&self, slot: Slot, rank: u32) -> impl Iterator<Item = (usize, u32)> + '_ {
        let writers = &self.space.variables[slot.0 as usize].writers;
        writers.iter().filter_map(move |(layer, writes)| {
            let first = writes.partition_point(|&(_, r)| r < rank);
            writes.get(first).map(|&(position, _)| (*layer, position))
        })
    }

    /// The cuts among `inside` at which a condition holds, given the values of all variables but `slots`.
    fn by_values(
        &mut self,
        condition: &Condition<Slot>,
        slots: &[Slot],
        values: &mut [Option<ValueId>],
        inside: Tree,
    ) -> Result<Tree, OverBudget> {
        self.budget.step(0, WHAT)?;
        let Some((&slot, rest)) = slots.split_first() else {
            let holds = eval::condition(condition, self.space.trace, values, self.notes)?;
            return Ok(if holds { inside } else { self.trees.empty() });
        };
        let by_rank = self.space.variables[slot.0 as usize].values.clone();
        let mut distinct = by_rank.clone();
        distinct.sort_unstable();
        distinct.dedup();
        if rest.is_empty() {
            // One variable is left: the paper's case. Its values are sorted by what they make true.
            let mut truths = Vec::with_capacity(distinct.len());
            for &value in &distinct {
                values[slot.0 as usize] = value;
                truths.push(eval::condition(condition, self.space.trace, values, self.notes)?);
            }
            let holds = |value| distinct.binary_search(value).is_ok_and(|at| truths[at]);
            let chosen: Vec<bool> = by_rank.iter().map(holds).collect();
            let found = self.after_writes(slot, &chosen)?;
            return self.trees.intersection(found, inside);
        }
        let mut found = Vec::new();
        for value in distinct {
            let chosen: Vec<bool> = by_rank.iter().map(|&other| other == value).collect();
            let here = self.after_writes(slot, &chosen)?;
            let here = self.trees.intersection(here, inside)?;
            if !self.trees.is_empty(here) {
                values[slot.0 as usize] = value;
                found.push(self.by_values(condition, rest, values, here)?);
            }
        }
        self.unite(found)
    }

    /// Definition 3: the cuts with a successor in `f`.
    fn exists_next(&mut self, f: Tree) -> Result<Tree, OverBudget> {
        let mut before = Vec::with_capacity(self.space.layers());
        for layer in 0..self.space.layers() {
            let moved = self.trees.shift(f, layer, -1)?;
            before.push(self.trees.intersection(moved, self.all)?);
        }
        self.unite(before)
    }

    /// Definition 4: the cuts with all their successors in `f`.
    fn all_next(&mut self, f: Tree) -> Result<Tree, OverBudget> {
        if self.blocked.len() < self.space.layers() {
            self.blocked = (0..self.space.layers()).map(|layer| self.blocked(layer)).collect::<Result<_, _>>()?;
        }
        let mut before = self.all;
        for layer in 0..self.space.layers() {
            let moved = self.trees.shift(f, layer, -1)?;
            let moved = self.trees.intersection(moved, self.all)?;
            let here = self.trees.union(moved, self.blocked[layer])?;
            before = self.trees.intersection(before, here)?;
        }
        Ok(before)
    }

    /// Lemma 8: a layer is at its end, or one of the causes of its next event is missing.
    fn blocked(&mut self, layer: usize) -> Result<Tree, OverBudget> {
        let length = self.space.len(layer);
        let mut waiting = vec![self.restricted(&[(layer, length..u32::MAX)])?];
        for i in 0..self.edges.len() {
            let Edge { cause, needed, effect, position } = self.edges[i];
            if effect == layer {
                waiting.push(self.restricted(&[(layer, position - 1..position), (cause, 0..needed)])?);
            }
        }
        let waiting = self.unite(waiting)?;
        self.trees.intersection(waiting, self.all)
    }

    /// Goes on from a set until nothing changes.
    fn fixpoint(
        &mut self,
        keep: &[Tree],
        start: Tree,
        step: impl Fn(&mut Self, Tree) -> Result<Tree, OverBudget>,
    ) -> Result<Tree, OverBudget> {
        let mut last = start;
        loop {
            let next = step(self, last)?;
            if self.trees.equals(next, last)? {
                return Ok(last);
            }
            last = next;
            self.make_room(&[keep, &[last]].concat());
        }
    }

    /// The least X = g ∪ (f ∩ pre∃ X).
    fn exists_until(&mut self, f: Tree, g: Tree) -> Result<Tree, OverBudget> {
        self.fixpoint(&[f, g], g, |sets, x| {
            let before = sets.exists_next(x)?;
            let before = sets.trees.intersection(f, before)?;
            sets.trees.union(g, before)
        })
    }

    /// The least X = g ∪ (f ∩ pre∀ X), with the full cut in pre∀ X only if `ends`.
    fn all_until(&mut self, f: Tree, g: Tree, ends: bool) -> Result<Tree, OverBudget> {
        let along = if ends { f } else { self.trees.difference(f, self.full)? };
        self.fixpoint(&[along, g], g, |sets, x| {
            let before = sets.all_next(x)?;
            let before = sets.trees.intersection(along, before)?;
            sets.trees.union(g, before)
        })
    }

    fn some_path(&mut self, op: CtlUnary, f: Tree) -> Result<Tree, OverBudget> {
        match op {
            CtlUnary::Next => self.exists_next(f),
            // Lemma 10.
            CtlUnary::Finally => {
                let below = self.trees.down_closure(f)?;
                self.trees.intersection(below, self.all)
            }
            CtlUnary::Globally => self.fixpoint(&[f], f, |sets, x| {
                let before = sets.exists_next(x)?;
                let before = sets.trees.union(before, sets.full)?;
                sets.trees.intersection(f, before)
            }),
        }
    }

    fn every_path(&mut self, op: CtlUnary, f: Tree) -> Result<Tree, OverBudget> {
        match op {
            CtlUnary::Next => self.all_next(f),
            CtlUnary::Finally => self.all_until(self.all, f, false),
            // As the paper does it: not EF not, which takes no fixpoint.
            CtlUnary::Globally => {
                let not_f = self.trees.difference(self.all, f)?;
                let reaches = self.some_path(CtlUnary::Finally, not_f)?;
                self.trees.difference(self.all, reaches)
            }
        }
    }

    fn hand(&mut self, set: Tree) -> Tree {
        self.handed.push(set);
        set
    }
}

impl StateSets<AtomId> for SharingSets<'_, '_> {
    type Set = Tree;

    fn all(&self) -> Tree {
        self.all
    }

    fn none(&self) -> Tree {
        self.trees.empty()
    }

    fn atom(&mut self, atom: &AtomId) -> Result<Tree, OverBudget> {
        let atom = &self.atoms[atom.0 as usize];
        let set = match (cut_atom(self.space, atom, self.notes, self.budget)?, atom) {
            (CutAtom::Constant(true), _) => self.all,
            (CutAtom::Local(layer, changes), _) => {
                let ends = changes.iter().skip(1).map(|&(next, _)| next).chain([u32::MAX]);
                let holds = changes.iter().zip(ends).filter(|((_, truth), _)| *truth);
                let blocks = holds.map(|(&(start, _), end)| self.restricted(&[(layer, start..end)]));
                let blocks = blocks.collect::<Result<Vec<_>, _>>()?;
                let blocks = self.unite(blocks)?;
                self.trees.intersection(blocks, self.all)?
            }
            (CutAtom::Joint(_), Atom::State(condition)) => {
                let mut values: Vec<_> = self.space.variables.iter().map(|variable| variable.values[0]).collect();
                self.by_values(condition, &atom.slots(), &mut values, self.all)?
            }
            (CutAtom::Constant(false) | CutAtom::Joint(_), _) => self.trees.empty(),
        };
        Ok(self.hand(set))
    }

    fn union(&mut self, f: &Tree, g: &Tree) -> Result<Tree, OverBudget> {
        let set = self.trees.union(*f, *g)?;
        Ok(self.hand(set))
    }

    fn intersection(&mut self, f: &Tree, g: &Tree) -> Result<Tree, OverBudget> {
        let set = self.trees.intersection(*f, *g)?;
        Ok(self.hand(set))
    }

    fn not(&mut self, f: &Tree) -> Result<Tree, OverBudget> {
        let set = self.trees.difference(self.all, *f)?;
        Ok(self.hand(set))
    }

    fn some_next(&mut self, f: &Tree) -> Result<Tree, OverBudget> {
        let set = self.exists_next(*f)?;
        Ok(self.hand(set))
    }

    fn some_until(&mut self, f: &Tree, g: &Tree) -> Result<Tree, OverBudget> {
        let set = self.exists_until(*f, *g)?;
        Ok(self.hand(set))
    }

    fn some_globally(&mut self, f: &Tree) -> Result<Tree, OverBudget> {
        let set = self.some_path(CtlUnary::Globally, *f)?;
        Ok(self.hand(set))
    }

    // All paths have algorithms of their own here: a complement can be large.
    fn unary(&mut self, path: Path, op: CtlUnary, f: &Tree) -> Result<Tree, OverBudget> {
        let f = *f;
        let set = match path {
            Path::Some => self.some_path(op, f)?,
            Path::All => self.every_path(op, f)?,
        };
        Ok(self.hand(set))
    }

    fn binary(&mut self, path: Path, op: CtlBinary, f: &Tree, g: &Tree) -> Result<Tree, OverBudget> {
        let (f, g) = (*f, *g);
        let set = match (path, op) {
            (Path::Some, CtlBinary::Until) => self.exists_until(f, g)?,
            (Path::Some, CtlBinary::WeakUntil) => {
                let end = self.trees.intersection(f, self.full)?;
                let goal = self.trees.union(g, end)?;
                self.exists_until(f, goal)?
            }
            (Path::Some, CtlBinary::Release) => {
                let stop = self.trees.union(f, self.full)?;
                let goal = self.trees.intersection(g, stop)?;
                self.exists_until(g, goal)?
            }
            (Path::All, CtlBinary::Until) => self.all_until(f, g, false)?,
            (Path::All, CtlBinary::WeakUntil) => self.all_until(f, g, true)?,
            // X = g ∩ (f ∪ pre∀ X) = (g ∩ f) ∪ (g ∩ pre∀ X)
            (Path::All, CtlBinary::Release) => {
                let goal = self.trees.intersection(f, g)?;
                self.all_until(g, goal, true)?
            }
        };
        Ok(self.hand(set))
    }

    fn is_crowded(&self) -> bool {
        self.trees.is_crowded()
    }

    fn collect(&mut self, needed: &[Tree]) -> bool {
        self.handed = needed.to_vec();
        let own = [self.all, self.full];
        self.trees.collect(&[&own[..], &self.blocked, needed].concat());
        true
    }
}

impl CutSets for SharingSets<'_, '_> {
    fn contains(&self, set: Tree, cut: &[u32]) -> bool {
        self.trees.contains(set, cut)
    }

    fn count(&mut self, set: Tree) -> Result<UBig, OverBudget> {
        self.trees.count(set)
    }

    fn nearest(&mut self, set: Tree, cut: &[u32]) -> Result<Option<Vec<u32>>, OverBudget> {
        self.trees.nearest(set, cut)
    }
}

/// The edges between layers that are not implied by others.
fn edges(space: &Space<'_>, budget: &Budget) -> Result<Vec<Edge>, OverBudget> {
    let layers = space.layers();
    let mut edges = Vec::new();
    for effect in 0..layers {
        for position in 1..=space.len(effect) {
            budget.step(0, WHAT)?;
            for cause in (0..layers).filter(|&cause| cause != effect) {
                let needed = space.needs(effect, position, cause);
                // What the event before on the layer needs comes through that one.
                if needed == space.needs(effect, position - 1, cause) {
                    continue;
                }
                let through = |other: usize| {
                    other != effect && other != cause && {
                        let there = space.needs(effect, position, other);
                        space.needs(other, there, cause) >= needed
                    }
                };
                if !(0..layers).any(through) {
                    edges.push(Edge { cause, needed, effect, position });
                }
            }
        }
    }
    Ok(edges)
}
