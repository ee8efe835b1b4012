//! From some order of a language to one near the reference order.
//!
//! A contiguous block of a run, sorted by the reference order, gives a run again, with fewer inversions. Blocks of halving sizes are
//! sorted, each if the order stays in the language, and at last pairs of neighbours until none can be exchanged any more. Then
//! each exchange that is left decides: undo it, and the order leaves the language.
//!
//! Whether an order is in the language is known from the sets of modes along it. Behind a block that was changed they mostly
//! meet those that were there before within a few events.

use rustc_hash::FxHashMap;

use super::allowance::Allowance;
use super::language::Language;
use crate::machine::Mode;
use posetta_base::{Budget, EventId, OverBudget};

const WHAT: &str = "looking for a closer order";

/// What following an event costs, in steps of the allowance.
const FOLLOW: u64 = 3;

/// What a new set of modes costs.
const SET: u64 = 50;

/// Brings an order of the language, as ranks, closer to the reference order, as far as the allowance goes.
pub(super) fn settle(
    order: &mut [u32],
    reference: &[EventId],
    language: &mut Language<'_>,
    allowance: &mut Allowance,
    budget: &Budget,
) -> Result<(), OverBudget> {
    let n = order.len();
    let _claim = budget.claim(16 * n as u64, WHAT)?;
    let mut settling = Settling { order, reference, sets: Sets::new(language, budget)?, along: vec![START; n + 1] };
    if !settling.read(allowance, budget)? {
        return Ok(());
    }
    let mut size = n;
    let mut block = Vec::new();
    while size > 2 {
        for start in (0..n).step_by(size) {
            let end = (start + size).min(n);
            if settling.order[start..end].is_sorted() {
                continue;
            }
            block.clear();
            block.extend_from_slice(&settling.order[start..end]);
            block.sort_unstable();
            if !allowance.spend(4 * (end - start) as u64)
                || settling.try_block(start, &block, allowance, budget)?.is_none()
            {
                return Ok(());
            }
        }
        if !allowance.spend(n as u64 / 8) {
            return Ok(());
        }
        size = size.div_ceil(2);
    }
    settling.exchange_neighbours(allowance, budget)
}

/// The set of the modes at the start.
const START: u32 = 0;

struct Settling<'s, 'l> {
    order: &'s mut [u32],
    reference: &'s [EventId],
    sets: Sets<'s, 'l>,
    /// The set after so many events of the order.
    along: Vec<u32>,
}

impl Settling<'_, '_> {
    /// The sets along the order. Answers whether the allowance was enough.
    fn read(&mut self, allowance: &mut Allowance, budget: &Budget) -> Result<bool, OverBudget> {
        for at in 0..self.order.len() {
            match self.sets.after(self.along[at], self.reference[self.order[at] as usize], allowance, budget)? {
                Some(set) => self.along[at + 1] = set,
                None => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Replaces the events from `start` on by the same events in another order, if the run stays in the language. Answers
    /// whether it did, or nothing if the allowance is spent.
    fn try_block(
        &mut self,
        start: usize,
        block: &[u32],
        allowance: &mut Allowance,
        budget: &Budget,
    ) -> Result<Option<bool>, OverBudget> {
        let mut after = Vec::with_capacity(block.len());
        let mut set = self.along[start];
        let mut met = false;
        for at in start..self.order.len() {
            let behind = at - start >= block.len();
            let rank = if behind { self.order[at] } else { block[at - start] };
            let Some(next) = self.sets.after(set, self.reference[rank as usize], allowance, budget)? else {
                return Ok(None);
            };
            set = next;
            // Both go the same way from here, and the order was in the language.
            if at + 1 >= start + block.len() && set == self.along[at + 1] {
                met = true;
                break;
            }
            after.push(set);
        }
        if !met && !self.sets.accepts(set) {
            return Ok(Some(false));
        }
        self.order[start..start + block.len()].copy_from_slice(block);
        self.along[start + 1..][..after.len()].copy_from_slice(&after);
        Ok(Some(true))
    }

    fn exchange_neighbours(&mut self, allowance: &mut Allowance, budget: &Budget) -> Result<(), OverBudget> {
        loop {
            let mut changed = false;
            let mut at = 0;
            while at + 1 < self.order.len() {
                let (one, other) = (self.order[at], self.order[at + 1]);
                if one < other {
                    at += 1;
                    continue;
                }
                match self.try_block(at, &[other, one], allowance, budget)? {
                    None => return Ok(()),
                    Some(false) => at += 1,
                    Some(true) => {
                        changed = true;
                        at = at.saturating_sub(1);
                    }
                }
            }
            // What decided before may not after an exchange further on.
            if !changed || !allowance.spend(self.order.len() as u64 / 8) {
                return Ok(());
            }
        }
    }
}

/// Sets of modes, built as they are met (Rabin and Scott 1959).
struct Sets<'s, 'l> {
    language: &'s mut Language<'l>,
    sets: Vec<Vec<Mode>>,
    ids: FxHashMap<Vec<Mode>, u32>,
    steps: FxHashMap<(u32, u32), u32>,
    accepting: Vec<bool>,
    claim: posetta_base::Claim,
    modes: u64,
}

impl<'s, 'l> Sets<'s, 'l> {
    fn new(language: &'s mut Language<'l>, budget: &Budget) -> Result<Self, OverBudget> {
        let starts = language.starts().to_vec();
        let (ids, steps) = (FxHashMap::default(), FxHashMap::default());
        let claim = budget.claim(0, WHAT)?;
        let mut sets = Self { language, sets: Vec::new(), ids, steps, accepting: Vec::new(), claim, modes: 0 };
        sets.set(starts);
        Ok(sets)
    }

    fn set(&mut self, mut modes: Vec<Mode>) -> u32 {
        modes.sort_unstable();
        modes.dedup();
        // Whatever follows is accepted, so nothing else matters.
        if let Some(&all) = modes.iter().find(|&&mode| self.language.accepts_all(mode)) {
            modes = vec![all];
        }
        if let Some(&id) = self.ids.get(&modes) {
            return id;
        }
        let id = self.sets.len() as u32;
        self.accepting.push(modes.iter().any(|&mode| self.language.accepts(mode)));
        self.modes += 1 + modes.len() as u64;
        self.sets.push(modes.clone());
        self.ids.insert(modes, id);
        id
    }

    fn accepts(&self, set: u32) -> bool {
        self.accepting[set as usize]
    }

    /// The set after an event; nothing if the allowance is spent.
    fn after(
        &mut self,
        set: u32,
        event: EventId,
        allowance: &mut Allowance,
        budget: &Budget,
    ) -> Result<Option<u32>, OverBudget> {
        if !allowance.spend(FOLLOW) {
            return Ok(None);
        }
        let class = self.language.class(event);
        if let Some(&known) = self.steps.get(&(set, class)) {
            return Ok(Some(known));
        }
        budget.step(0, WHAT)?;
        if !allowance.spend(self.language.step * (SET + self.sets[set as usize].len() as u64)) {
            return Ok(None);
        }
        let mut modes = Vec::new();
        for place in 0..self.sets[set as usize].len() {
            self.language.follow(self.sets[set as usize][place], class, &mut modes)?;
        }
        let next = self.set(modes);
        self.steps.insert((set, class), next);
        self.claim.grow_to(
            8 * self.modes + 100 * (self.sets.len() + self.steps.len()) as u64 + self.language.bytes(),
            WHAT,
        )?;
        Ok(Some(next))
    }
}
