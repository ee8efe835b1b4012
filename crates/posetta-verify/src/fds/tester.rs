//! A tester's assertions as diagrams.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use posetta_base::OverBudget;
use posetta_compile::tester::{Assertion, AssertionId, Tester};
use posetta_dd::bdd::{Bdd, Bdds, Bit};

use super::layout::Slot;
use super::steps::Frame;

/// Spells assertions out over the bits of one layout.
pub(super) struct Spelling<'t> {
    bdds: &'t Bdds,
    tester: &'t Tester,
    /// What the atoms are, by their ids.
    atoms: &'t [Bdd],
    /// The bits that they may depend on, now and next.
    atom_bits: &'t [[BTreeSet<Bit>; 2]],
    slots: &'t [Slot],
    frame: &'t Frame,
    known: FxHashMap<(AssertionId, bool), Bdd>,
}

impl<'t> Spelling<'t> {
    pub(super) fn new(
        bdds: &'t Bdds,
        tester: &'t Tester,
        atoms: &'t [Bdd],
        atom_bits: &'t [[BTreeSet<Bit>; 2]],
        slots: &'t [Slot],
        frame: &'t Frame,
    ) -> Self {
        Self { bdds, tester, atoms, atom_bits, slots, frame, known: FxHashMap::default() }
    }

    pub(super) fn holds(&mut self, id: AssertionId) -> Result<Bdd, OverBudget> {
        self.at(id, false)
    }

    fn at(&mut self, id: AssertionId, next: bool) -> Result<Bdd, OverBudget> {
        if let Some(known) = self.known.get(&(id, next)) {
            return Ok(known.clone());
        }
        let bdds = self.bdds;
        let holds = match self.tester.assertions.get(id) {
            Assertion::Constant(value) => bdds.constant(*value),
            Assertion::Atom(atom) => {
                let now = &self.atoms[atom.0 as usize];
                if next { bdds.rename(now, &self.frame.prime)? } else { now.clone() }
            }
            Assertion::Var(var) => {
                let slot = &self.slots[var.index()];
                bdds.var(if next { slot.next[0] } else { slot.now[0] })?
            }
            Assertion::Next(a) => self.at(*a, true)?,
            Assertion::Not(a) => bdds.not(&self.at(*a, next)?),
            Assertion::And(parts) => {
                let parts = parts.clone();
                parts.iter().try_fold(bdds.top(), |all, &part| bdds.and(&all, &self.at(part, next)?))?
            }
            Assertion::Or(parts) => {
                let parts = parts.clone();
                parts.iter().try_fold(bdds.bottom(), |any, &part| bdds.or(&any, &self.at(part, next)?))?
            }
            Assertion::Iff(a, b) => {
                let (a, b) = (self.at(*a, next)?, self.at(*b, next)?);
                bdds.iff(&a, &b)?
            }
        };
        self.known.insert((id, next), holds.clone());
        Ok(holds)
    }

    /// The bits that an assertion may depend on.
    pub(super) fn bits(&self, id: AssertionId) -> BTreeSet<Bit> {
        let mut bits = BTreeSet::new();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut open = vec![(id, false)];
        while let Some((id, next)) = open.pop() {
            if !seen.insert((id, next)) {
                continue;
            }
            match self.tester.assertions.get(id) {
                Assertion::Constant(_) => {}
                Assertion::Atom(atom) => {
                    bits.extend(self.atom_bits[atom.0 as usize][usize::from(next)].iter().copied())
                }
                Assertion::Var(var) => {
                    let slot = &self.slots[var.index()];
                    bits.extend(if next { &slot.next } else { &slot.now }.iter().copied());
                }
                Assertion::Next(a) => open.push((*a, true)),
                Assertion::Not(a) => open.push((*a, next)),
                Assertion::And(parts) | Assertion::Or(parts) => open.extend(parts.iter().map(|&p| (p, next))),
                Assertion::Iff(a, b) => open.extend([(*a, next), (*b, next)]),
            }
        }
        bits
    }
}
