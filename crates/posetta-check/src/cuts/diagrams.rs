//! Sets of cuts as interval decision diagrams.
//!
//! Every set stays inside the set of all cuts, which is built first. `E[f U g]` is one pass over the diagrams
//! ([`Diagrams::exists_until`]); the other operators follow from it, with the full cut, which has no successor, taken care of:
//! the fixpoints printed in paper 001 for `EG` and `A[f U g]` are wrong there.

use dashu_int::UBig;
use rustc_hash::FxHashMap;

use super::atoms::{CutAtom, cut_atom};
use super::joint::JointSets;
use super::sets::CutSets;
use super::space::Space;
use crate::show::Graph;
use posetta_base::{Budget, Claim, Limit, OverBudget, PackedSet};
use posetta_dd::idd::{Diagrams, Set};
use posetta_logic::branching::StateSets;
use posetta_logic::eval::Notes;
use posetta_logic::{Atom, AtomId, Slot};

const WHAT: &str = "building decision diagrams";

pub(super) struct DiagramSets<'s, 't> {
    pub(super) space: &'s Space<'t>,
    atoms: &'s [Atom<Slot>],
    pub(super) dd: Diagrams,
    all: Set,
    /// The full cut alone.
    full: Set,
    pub(super) notes: &'s mut Notes,
    budget: &'s Budget,
}

impl<'s, 't> DiagramSets<'s, 't> {
    pub(super) fn new(
        space: &'s Space<'t>,
        atoms: &'s [Atom<Slot>],
        notes: &'s mut Notes,
        budget: &'s Budget,
    ) -> Result<Self, OverBudget> {
        let lengths = space.lengths();
        let mut dd = Diagrams::new(&lengths, budget)?;
        let all = Lattice::new(space, &mut dd, budget)?.build()?;
        let point: Vec<(u32, u32)> = lengths.iter().map(|&n| (n, n)).collect();
        let full = dd.box_of(&point)?;
        Ok(Self { space, atoms, dd, all, full, notes, budget })
    }

    fn minus_from_all(&mut self, f: Set) -> Result<Set, OverBudget> {
        self.dd.difference(self.all, f)
    }

    /// f, and the path may end there only if the trace does.
    fn at_the_end(&mut self, f: Set) -> Result<Set, OverBudget> {
        self.dd.intersection(f, self.full)
    }
}

impl StateSets<AtomId> for DiagramSets<'_, '_> {
    type Set = Set;

    fn all(&self) -> Set {
        self.all
    }

    fn none(&self) -> Set {
        self.dd.empty()
    }

    fn atom(&mut self, atom: &AtomId) -> Result<Set, OverBudget> {
        match cut_atom(self.space, &self.atoms[atom.0 as usize], self.notes, self.budget)? {
            CutAtom::Constant(true) => Ok(self.all),
            CutAtom::Constant(false) => Ok(self.dd.empty()),
            CutAtom::Local(layer, changes) => {
                let claim = self.budget.claim(0, WHAT)?;
                let (memo, budget) = (FxHashMap::default(), self.budget);
                Restriction { dd: &mut self.dd, changes: &changes, memo, claim, budget }.of(self.all, layer)
            }
            CutAtom::Joint(atom) => {
                JointSets::new(self.space, &mut self.dd, &atom, self.notes, self.budget)?.build(self.all)
            }
        }
    }

    fn union(&mut self, f: &Set, g: &Set) -> Result<Set, OverBudget> {
        self.dd.union(*f, *g)
    }

    fn intersection(&mut self, f: &Set, g: &Set) -> Result<Set, OverBudget> {
        self.dd.intersection(*f, *g)
    }

    fn not(&mut self, f: &Set) -> Result<Set, OverBudget> {
        self.minus_from_all(*f)
    }

    fn some_next(&mut self, f: &Set) -> Result<Set, OverBudget> {
        let before = self.dd.exists_next(*f)?;
        self.dd.intersection(before, self.all)
    }

    fn some_until(&mut self, f: &Set, g: &Set) -> Result<Set, OverBudget> {
        self.dd.exists_until(*f, *g)
    }

    // Every path ends in the full cut, so what goes on forever gets there.
    fn some_globally(&mut self, f: &Set) -> Result<Set, OverBudget> {
        let end = self.at_the_end(*f)?;
        self.dd.exists_until(*f, end)
    }

    fn some_weak_until(&mut self, f: &Set, g: &Set) -> Result<Set, OverBudget> {
        let end = self.at_the_end(*f)?;
        let goal = self.dd.union(*g, end)?;
        self.dd.exists_until(*f, goal)
    }

    fn is_crowded(&self) -> bool {
        self.dd.is_crowded()
    }

    fn collect(&mut self, needed: &[Set]) -> bool {
        let mut roots = needed.to_vec();
        roots.extend([self.all, self.full]);
        self.dd.collect(&roots);
        true
    }
}

impl CutSets for DiagramSets<'_, '_> {
    fn contains(&self, set: Set, cut: &[u32]) -> bool {
        self.dd.contains(set, cut)
    }

    fn count(&mut self, set: Set) -> Result<UBig, OverBudget> {
        self.dd.count(set)
    }

    fn nearest(&mut self, set: Set, cut: &[u32]) -> Result<Option<Vec<u32>>, OverBudget> {
        self.dd.nearest(set, cut)
    }
}

/// The tuples of a set whose number on a layer lies where `changes` says true: from each start on, until the next.
struct Restriction<'r> {
    dd: &'r mut Diagrams,
    changes: &'r [(u32, bool)],
    memo: FxHashMap<Set, Set>,
    claim: Claim,
    budget: &'r Budget,
}

impl Restriction<'_> {
    /// Of a set, so many layers above the one that is restricted.
    fn of(&mut self, set: Set, layers: usize) -> Result<Set, OverBudget> {
        if self.dd.is_empty(set) {
            return Ok(set);
        }
        if let Some(&known) = self.memo.get(&set) {
            return Ok(known);
        }
        let parts: Vec<(u32, Set)> = self.dd.parts(set).collect();
        let mut chosen: Vec<(u32, Set)> = Vec::with_capacity(parts.len());
        if layers > 0 {
            for &(start, child) in &parts {
                chosen.push((start, self.of(child, layers - 1)?));
            }
        } else {
            self.choose(&parts, &mut chosen);
        }
        let result = self.dd.node_of(chosen.into_iter())?;
        if self.memo.len() == self.memo.capacity() {
            self.claim.grow_to(2 * 9 * (self.memo.capacity() as u64 + 4), WHAT)?;
        }
        if self.memo.len().is_multiple_of(1024) {
            self.budget.step(0, WHAT)?;
        }
        self.memo.insert(set, result);
        Ok(result)
    }

    fn choose(&self, parts: &[(u32, Set)], chosen: &mut Vec<(u32, Set)>) {
        for pair in parts.windows(2) {
            let ((start, child), (end, _)) = (pair[0], pair[1]);
            if self.dd.is_empty(child) {
                chosen.push((start, child));
                continue;
            }
            let mut at = self.changes.partition_point(|&(from, _)| from <= start).saturating_sub(1);
            let mut from = start;
            while from < end {
                chosen.push((from, if self.changes[at].1 { child } else { self.dd.empty() }));
                at += 1;
                from = self.changes.get(at).map_or(end, |&(next, _)| next);
            }
        }
        chosen.extend(parts.last());
    }
}

/// Builds the set of all cuts from the first layer down.
///
/// Given counts of the layers above, what is possible below is a lattice with a least and a greatest cut: what the counts need,
/// and what can happen without the event after them. With clocks closed under happened-before, these two are the bounds
/// that the counts put on each layer by itself, every count between them is possible, and different bounds are different sets.
/// So the bounds are the key of a memo with one entry for each node, and nothing is built in vain.
struct Lattice<'l, 't> {
    space: &'l Space<'t>,
    dd: &'l mut Diagrams,
    /// By layer: the bounds from there on, a least and a greatest count in a word, and the sets between them. Flat, because a
    /// hundred thousand boxes take longer to give back than to fill.
    memo: Vec<(PackedSet<0>, Vec<Set>)>,
    entries: u64,
    budget: &'l Budget,
    claim: Claim,
}

impl<'l, 't> Lattice<'l, 't> {
    fn new(space: &'l Space<'t>, dd: &'l mut Diagrams, budget: &'l Budget) -> Result<Self, OverBudget> {
        let memo = (0..space.layers()).map(|layer| (PackedSet::new(space.layers() - layer), Vec::new())).collect();
        Ok(Self { space, dd, memo, entries: 0, budget, claim: budget.claim(0, WHAT)? })
    }

    fn build(mut self) -> Result<Set, OverBudget> {
        let bounds: Vec<u64> = self.space.lengths().into_iter().map(|most| bound(0, most)).collect();
        self.below(0, &bounds)
    }

    /// The cuts of the layers from `layer` on, between bounds.
    fn below(&mut self, layer: usize, bounds: &[u64]) -> Result<Set, OverBudget> {
        let rest = self.space.layers() - layer;
        match rest {
            0 => return Ok(self.dd.unit()),
            // As cheap to make as to look up.
            1 => {
                let unit = self.dd.unit();
                return self.dd.interval(least(bounds[0]), most(bounds[0]), unit);
            }
            _ => {}
        }
        if let Some(at) = self.memo[layer].0.find(bounds) {
            return Ok(self.memo[layer].1[at as usize]);
        }
        let mut parts: Vec<(u32, Set)> = Vec::new();
        let mut inner = vec![0; rest - 1];
        let mut last: Option<(Vec<u64>, Set)> = None;
        for count in least(bounds[0])..=most(bounds[0]) {
            if count % 256 == 0 {
                self.budget.step(0, WHAT)?;
            }
            for i in 1..rest {
                inner[i - 1] = bound(
                    least(bounds[i]).max(self.space.needs(layer, count, layer + i)),
                    most(bounds[i]).min(self.space.allows(layer, count, layer + i)),
                );
            }
            if let Some((same, child)) = &last
                && *same == inner
            {
                parts.push((count, *child));
                continue;
            }
            let child = self.below(layer + 1, &inner)?;
            parts.push((count, child));
            last = Some((inner.clone(), child));
        }
        parts.push((most(bounds[0]) + 1, self.dd.empty()));
        let set = self.dd.node_of(parts.into_iter())?;
        self.entries += 1;
        if self.entries.is_multiple_of(256) {
            self.budget.step(0, WHAT)?;
            let bytes = |(keys, sets): &(PackedSet<0>, Vec<Set>)| keys.bytes() + 4 * sets.capacity() as u64;
            self.claim.grow_to(self.memo.iter().map(bytes).sum(), WHAT)?;
            if self.memo[layer].0.is_full() {
                return Err(OverBudget::new(WHAT, Limit::Memory));
            }
        }
        self.memo[layer].0.insert(bounds);
        self.memo[layer].1.push(set);
        Ok(set)
    }
}

/// What a layer may have, as a word.
fn bound(least: u32, most: u32) -> u64 {
    u64::from(least) << 32 | u64::from(most)
}

fn least(bound: u64) -> u32 {
    (bound >> 32) as u32
}

fn most(bound: u64) -> u32 {
    bound as u32
}
