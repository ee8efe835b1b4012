//! Atoms over variables of several layers: `n1.commit <= n2.commit + 1`, `x == y`, a variable that several processes write.
//!
//! The set of cuts is followed from the first layer down, with what has to be remembered of the counts above: for a variable that
//! is written below, too, the rank of its last write so far; for the others their values, or, where the atom compares sums,
//! only the sum of what is known. As soon as nothing that can come makes a difference, the answer is everything that is left,
//! or nothing.

use std::cmp::Ordering;

use rustc_hash::FxHashMap;

use super::space::Space;
use crate::show::Graph;
use posetta_base::{Budget, Claim, Limit, Number, NumberError, OverBudget, PackedSet, Value, ValueId};
use posetta_dd::idd::{Diagrams, Set};
use posetta_logic::eval::{self, Notes};
use posetta_logic::{Arith, Compare, Condition, Slot, Term};
use posetta_trace::Trace;

const WHAT: &str = "building decision diagrams";
const TOO_LARGE: OverBudget = OverBudget::new("evaluating an atom", Limit::Digits);

/// An atom whose variables are written on several layers.
pub(super) struct JointAtom {
    condition: Condition<Slot>,
    slots: Vec<Slot>,
    linear: Option<Linear>,
}

/// A comparison of a sum with 0.
pub(super) struct Linear {
    pub(super) compare: Compare,
    pub(super) constant: Number,
    /// By place in the slots.
    pub(super) factors: Vec<Number>,
    /// What each variable can add, at least and at most.
    ranges: Vec<(Number, Number)>,
    /// For each variable that one layer writes and that only grows or only falls, as counters do: what it adds after each
    /// write, by rank, and whether that grows.
    steady: Vec<Option<(Vec<Number>, bool)>>,
}

impl JointAtom {
    pub(super) fn new(space: &Space<'_>, condition: &Condition<Slot>, slots: Vec<Slot>) -> Self {
        let linear = Linear::new(space, condition, &slots);
        Self { condition: condition.clone(), slots, linear }
    }

    /// Its variables.
    pub(super) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// The comparison of a sum with 0 that it is, if it is one.
    pub(super) fn linear(&self) -> Option<&Linear> {
        self.linear.as_ref()
    }
}

impl Linear {
    /// `None` if the condition is not such a comparison.
    fn new(space: &Space<'_>, condition: &Condition<Slot>, slots: &[Slot]) -> Option<Self> {
        let (compare, sum) = Sum::compared(condition, slots)?;
        let mut ranges = Vec::with_capacity(slots.len());
        let mut steady = Vec::with_capacity(slots.len());
        for (slot, factor) in slots.iter().zip(&sum.factors) {
            let variable = &space.variables[slot.0 as usize];
            let adds = |value: &Option<ValueId>| number(space.trace, *value)?.mul(factor).ok();
            let parts = variable.values.iter().map(adds).collect::<Option<Vec<Number>>>()?;
            ranges.push((parts.iter().min()?.clone(), parts.iter().max()?.clone()));
            let grows = parts.is_sorted();
            let is_steady = variable.writers.len() == 1 && (grows || parts.iter().rev().is_sorted());
            steady.push(is_steady.then_some((parts, grows)));
        }
        Some(Self { compare, constant: sum.constant, factors: sum.factors, ranges, steady })
    }

    /// The truth for a sum to which something between two numbers is still to be added, if that does not matter.
    fn decided(&self, low: &Number, high: &Number) -> Option<bool> {
        let zero = &Number::ZERO;
        let (surely, never) = match self.compare {
            Compare::Lt => (high < zero, low >= zero),
            Compare::Le => (high <= zero, low > zero),
            Compare::Gt => (low > zero, high <= zero),
            Compare::Ge => (low >= zero, high < zero),
            Compare::Eq => (low == zero && high == zero, low > zero || high < zero),
            Compare::Ne => (low > zero || high < zero, low == zero && high == zero),
        };
        surely.then_some(true).or(never.then_some(false))
    }
}

/// The number that a value is; `None` for a string.
pub(super) fn number(trace: &Trace, value: Option<ValueId>) -> Option<Number> {
    match value.map(|id| trace.value(id)) {
        None => Some(Number::ZERO),
        Some(Value::Number(n)) => Some(n.clone()),
        Some(Value::Text(_)) => None,
    }
}

/// A constant and a factor for each slot.
pub(crate) struct Sum {
    pub(crate) constant: Number,
    pub(crate) factors: Vec<Number>,
}

impl Sum {
    /// The comparison of a sum with 0 that a condition on these slots is. `None` if it is none: strings, products of variables,
    /// division by one.
    pub(crate) fn compared(condition: &Condition<Slot>, slots: &[Slot]) -> Option<(Compare, Self)> {
        let (compare, left, right) = match condition {
            Condition::Compare(compare, left, right) => (*compare, left, Some(right)),
            Condition::Nonzero(term) => (Compare::Ne, term, None),
            _ => return None,
        };
        let mut sum = Self { constant: Number::ZERO, factors: vec![Number::ZERO; slots.len()] };
        sum.add(left, &Number::ONE, slots)?;
        if let Some(right) = right {
            sum.add(right, &Number::from(-1), slots)?;
        }
        Some((compare, sum))
    }

    /// Adds a term, times a number.
    fn add(&mut self, term: &Term<Slot>, times: &Number, slots: &[Slot]) -> Option<()> {
        match term {
            Term::Number(n) => self.constant = self.constant.add(&n.mul(times).ok()?).ok()?,
            Term::Text(..) => return None,
            Term::Var(slot) => {
                let at = slots.iter().position(|s| s == slot)?;
                self.factors[at] = self.factors[at].add(times).ok()?;
            }
            Term::Neg(t) => self.add(t, &times.neg().ok()?, slots)?,
            Term::Binary(Arith::Add, a, b) => {
                self.add(a, times, slots)?;
                self.add(b, times, slots)?;
            }
            Term::Binary(Arith::Sub, a, b) => {
                self.add(a, times, slots)?;
                self.add(b, &times.neg().ok()?, slots)?;
            }
            Term::Binary(Arith::Mul, a, b) => match (constant(a), constant(b)) {
                (Some(n), _) => self.add(b, &n.mul(times).ok()?, slots)?,
                (_, Some(n)) => self.add(a, &n.mul(times).ok()?, slots)?,
                _ => return None,
            },
            Term::Binary(Arith::Div, a, b) => self.add(a, &times.div(&constant(b)?).ok()?, slots)?,
        }
        Some(())
    }
}

/// The value of a term without variables, if it has one.
fn constant(term: &Term<Slot>) -> Option<Number> {
    match term {
        Term::Number(n) => Some(n.clone()),
        Term::Text(..) | Term::Var(_) => None,
        Term::Neg(t) => constant(t)?.neg().ok(),
        Term::Binary(op, a, b) => {
            let (a, b) = (constant(a)?, constant(b)?);
            match op {
                Arith::Add => a.add(&b),
                Arith::Sub => a.sub(&b),
                Arith::Mul => a.mul(&b),
                Arith::Div => a.div(&b),
            }
            .ok()
        }
    }
}

/// What is remembered of the counts above: a word for each slot, and one for the sum.
///
/// A slot's word is the rank of its last write so far; or [`SETTLED`], and its value, if that matters by itself. The sum is the
/// place in [`JointSets::sums`] of the constant and what settled variables add, if only that matters.
type Known = Vec<u64>;

/// The mark of a variable whose value has been taken account of.
const SETTLED: u64 = 1 << 63;

fn is_settled(word: u64) -> bool {
    word & SETTLED != 0
}

fn settled(value: Option<ValueId>) -> u64 {
    SETTLED | value.map_or(0, |id| u64::from(id.raw()) + 1)
}

fn settled_value(word: u64) -> Option<ValueId> {
    ((word & !SETTLED) as u32).checked_sub(1).map(ValueId::from_raw)
}

pub(super) struct JointSets<'j, 't> {
    space: &'j Space<'t>,
    dd: &'j mut Diagrams,
    atom: &'j JointAtom,
    /// For each slot, the last layer that writes it; `None` if none does.
    last: Vec<Option<usize>>,
    /// For each layer, the counts from which on a slot changes.
    changes: Vec<Vec<u32>>,
    known: PackedSet<0>,
    sums: Vec<Number>,
    sum_ids: FxHashMap<Number, u32>,
    memo: FxHashMap<(Set, u32), Set>,
    /// The values of all slots of the formula, to evaluate with.
    scratch: Vec<Option<ValueId>>,
    notes: &'j mut Notes,
    budget: &'j Budget,
    claim: Claim,
    rounds: u32,
}

/// What is known after a layer, or the answer.
enum After {
    Decided(bool),
    Open(u32),
}

impl<'j, 't> JointSets<'j, 't> {
    pub(super) fn new(
        space: &'j Space<'t>,
        dd: &'j mut Diagrams,
        atom: &'j JointAtom,
        notes: &'j mut Notes,
        budget: &'j Budget,
    ) -> Result<Self, OverBudget> {
        let last = atom.slots.iter().map(|s| space.variables[s.0 as usize].writers.last().map(|(l, _)| *l)).collect();
        let mut changes: Vec<Vec<u32>> = vec![Vec::new(); space.layers()];
        for slot in &atom.slots {
            for (layer, writes) in &space.variables[slot.0 as usize].writers {
                changes[*layer].extend(writes.iter().map(|&(count, _)| count));
            }
        }
        for counts in &mut changes {
            counts.sort_unstable();
            counts.dedup();
        }
        let scratch = space.variables.iter().map(|v| v.values[0]).collect();
        let claim = budget.claim(0, WHAT)?;
        let known = PackedSet::new(atom.slots.len() + 1);
        let (sums, sum_ids, memo) = (Vec::new(), FxHashMap::default(), FxHashMap::default());
        Ok(Self {
            space,
            dd,
            atom,
            last,
            changes,
            known,
            sums,
            sum_ids,
            memo,
            scratch,
            notes,
            budget,
            claim,
            rounds: 0,
        })
    }

    /// The cuts of `all` that satisfy the atom.
    pub(super) fn build(mut self, all: Set) -> Result<Set, OverBudget> {
        let constant = self.atom.linear.as_ref().map_or(Number::ZERO, |linear| linear.constant.clone());
        let mut start = vec![0; self.atom.slots.len() + 1];
        start[self.atom.slots.len()] = u64::from(self.sum_id(constant));
        match self.settle(start, None)? {
            After::Decided(true) => Ok(all),
            After::Decided(false) => Ok(self.dd.empty()),
            After::Open(known) => self.below(all, 0, known),
        }
    }

    fn below(&mut self, set: Set, layer: usize, known: u32) -> Result<Set, OverBudget> {
        if self.dd.is_empty(set) {
            return Ok(set);
        }
        if let Some(&result) = self.memo.get(&(set, known)) {
            return Ok(result);
        }
        let parts: Vec<(u32, Set)> = self.dd.parts(set).collect();
        let mut chosen: Vec<(u32, Set)> = Vec::with_capacity(parts.len());
        for (i, &(start, child)) in parts.iter().enumerate() {
            let Some(&(end, _)) = parts.get(i + 1) else {
                chosen.push((start, child));
                break;
            };
            if self.dd.is_empty(child) || self.changes[layer].is_empty() {
                chosen.push((start, self.below(child, layer + 1, known)?));
                continue;
            }
            if let Some(truths) = self.steadily(layer, known) {
                let first = truths.partition_point(|&(from, _)| from <= start).saturating_sub(1);
                for &(from, truth) in truths[first..].iter().take_while(|&&(from, _)| from < end) {
                    chosen.push((from.max(start), if truth { child } else { self.dd.empty() }));
                }
                continue;
            }
            let mut from = start;
            while from < end {
                let inside = match self.after(layer, from, known)? {
                    After::Decided(true) => child,
                    After::Decided(false) => self.dd.empty(),
                    After::Open(next) => self.below(child, layer + 1, next)?,
                };
                chosen.push((from, inside));
                let changes = &self.changes[layer];
                from = changes.get(changes.partition_point(|&c| c <= from)).copied().unwrap_or(end);
            }
        }
        let result = self.dd.node_of(chosen.into_iter())?;
        self.memo.insert((set, known), result);
        Ok(result)
    }

    /// If one steady variable of this layer is all that is missing: from which counts on the atom is true and false. The
    /// comparison changes twice at most, so the counts between are not gone through.
    fn steadily(&self, layer: usize, known: u32) -> Option<Vec<(u32, bool)>> {
        let linear = self.atom.linear.as_ref()?;
        let row = self.known.row(known);
        let mut open = (0..self.atom.slots.len()).filter(|&at| !is_settled(row[at]));
        let (at, None) = (open.next()?, open.next()) else { return None };
        let (parts, grows) = linear.steady[at].as_ref()?;
        let [(writer, writes)] = self.space.variables[self.atom.slots[at].0 as usize].writers.as_slice() else {
            return None;
        };
        if *writer != layer {
            return None;
        }
        let sum = &self.sums[row[self.atom.slots.len()] as usize];
        let sign = |part: &Number| sum.add(part).map(|total| total.cmp(&Number::ZERO));
        // Ranks are places in `parts`; rank 0 is the initial value, and the i-th write has rank i.
        let reaches = |wanted: Ordering| -> Option<usize> {
            let mut failed = false;
            let place = parts.partition_point(|part| match sign(part) {
                Ok(sign) => {
                    if *grows {
                        sign < wanted
                    } else {
                        sign > wanted
                    }
                }
                Err(_) => {
                    failed = true;
                    false
                }
            });
            (!failed).then_some(place)
        };
        let (first, last) =
            if *grows { (Ordering::Equal, Ordering::Greater) } else { (Ordering::Equal, Ordering::Less) };
        let borders = [0, reaches(first)?, reaches(last)?];
        let mut truths: Vec<(u32, bool)> = Vec::with_capacity(3);
        for (i, &rank) in borders.iter().enumerate() {
            let until = borders.get(i + 1).copied().unwrap_or(parts.len());
            if rank == until {
                continue;
            }
            let from = if rank == 0 { 0 } else { writes[rank - 1].0 };
            let total = sum.add(&parts[rank]).ok()?;
            truths.push((from, linear.decided(&total, &total)?));
        }
        Some(truths)
    }

    /// What is known after so many events of a layer.
    fn after(&mut self, layer: usize, count: u32, known: u32) -> Result<After, OverBudget> {
        // Long before the first node is made there may be very much to remember.
        self.rounds = self.rounds.wrapping_add(1);
        if self.rounds.is_multiple_of(256) {
            self.budget.step(256, WHAT)?;
            let tables = 26 * self.memo.capacity() + 160 * self.sums.capacity();
            self.claim.grow_to(tables as u64 + self.known.bytes(), WHAT)?;
            if self.known.is_full() {
                return Err(OverBudget::new(WHAT, Limit::Memory));
            }
        }
        let mut next = self.known.row(known).to_vec();
        for (slot, word) in self.atom.slots.iter().zip(&mut next) {
            if !is_settled(*word) {
                *word = (*word).max(u64::from(self.space.variables[slot.0 as usize].rank(layer, count)));
            }
        }
        self.settle(next, Some(layer))
    }

    fn sum_id(&mut self, sum: Number) -> u32 {
        let next = self.sums.len() as u32;
        let id = *self.sum_ids.entry(sum.clone()).or_insert(next);
        if id == next {
            self.sums.push(sum);
        }
        id
    }

    /// Takes account of the variables that no later layer writes, and sees whether that decides.
    fn settle(&mut self, mut known: Known, layer: Option<usize>) -> Result<After, OverBudget> {
        let slots = self.atom.slots.len();
        let mut open = false;
        let mut sum = self.sums[known[slots] as usize].clone();
        for (at, slot) in self.atom.slots.iter().enumerate() {
            if is_settled(known[at]) {
                continue;
            }
            if self.last[at] > layer {
                open = true;
                continue;
            }
            let value = self.space.variables[slot.0 as usize].values[known[at] as usize];
            match &self.atom.linear {
                Some(linear) => {
                    let part = number(self.space.trace, value).unwrap_or(Number::ZERO).mul(&linear.factors[at]);
                    sum = part.and_then(|part| sum.add(&part)).map_err(too_large)?;
                    known[at] = settled(None);
                }
                None => known[at] = settled(value),
            }
        }
        match &self.atom.linear {
            Some(linear) => {
                let (mut low, mut high) = (sum.clone(), sum.clone());
                for (at, (least, most)) in linear.ranges.iter().enumerate() {
                    if !is_settled(known[at]) {
                        low = low.add(least).map_err(too_large)?;
                        high = high.add(most).map_err(too_large)?;
                    }
                }
                if let Some(truth) = linear.decided(&low, &high) {
                    return Ok(After::Decided(truth));
                }
                known[slots] = u64::from(self.sum_id(sum));
            }
            None if !open => {
                for (slot, &word) in self.atom.slots.iter().zip(&known) {
                    self.scratch[slot.0 as usize] = settled_value(word);
                }
                let truth = eval::condition(&self.atom.condition, self.space.trace, &self.scratch, self.notes)?;
                return Ok(After::Decided(truth));
            }
            None => {}
        }
        Ok(After::Open(self.known.insert(&known).0))
    }
}

fn too_large(_: NumberError) -> OverBudget {
    TOO_LARGE
}
