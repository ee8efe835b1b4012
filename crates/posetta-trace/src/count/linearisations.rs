//! The number of linearisations: paths through the cuts of each connected group, and the ways to interleave the groups.

use dashu_int::UBig;
use dashu_int::ops::BitTest;

use super::constraints::Constraints;
use super::product_of;
use crate::cut::Lattice;
use crate::event::Trace;
use posetta_base::{Budget, Limit, Natural, OverBudget, PackedSet};

/// A million decimal digits in bits: longer numbers are not worth their digits.
const MAX_BITS: usize = 3_321_929;

const WHAT: &str = "counting the linearisations";

/// How many runs (linear extensions) the trace has.
///
/// # Errors
/// When the budget is spent, or the number has more than a million digits.
pub fn count_linearisations(trace: &Trace, budget: &Budget) -> Result<Natural, OverBudget> {
    let constraints = Constraints::new(trace, budget, WHAT)?;
    let groups = constraints.groups();
    let sizes: Vec<u64> =
        groups.iter().map(|group| group.iter().map(|&p| u64::from(constraints.lengths[p])).sum()).collect();
    // The ways to interleave the groups are a factor of the answer: how long it is can be told beforehand.
    let bits_of_factorial = |n: u64| (1..=n).map(|i| (i as f64).log2()).sum::<f64>();
    let bits = bits_of_factorial(sizes.iter().sum()) - sizes.iter().map(|&n| bits_of_factorial(n)).sum::<f64>();
    if bits > MAX_BITS as f64 * 1.001 {
        return Err(TOO_LONG);
    }
    let mut lattice = None;
    let mut factors = Vec::new();
    let mut placed = 0u64;
    for (group, &size) in groups.iter().zip(&sizes).filter(|&(_, &size)| size > 0) {
        if group.iter().filter(|&&p| constraints.lengths[p] > 0).count() > 1 {
            let lattice = match &lattice {
                Some(lattice) => lattice,
                None => &*lattice.insert(Lattice::new(trace, budget)?),
            };
            factors.push(paths(lattice, group, size, budget)?);
        }
        if placed > 0 {
            let smaller = placed.min(size);
            let top = product(placed + size - smaller + 1, placed + size, budget)?;
            factors.push(top / product(1, smaller, budget)?);
        }
        placed += size;
    }
    let bits: usize = factors.iter().map(|f| f.bit_len().saturating_sub(1)).sum();
    if bits > MAX_BITS {
        return Err(TOO_LONG);
    }
    let total = product_of(factors, budget, WHAT)?;
    if total.bit_len() > MAX_BITS { Err(TOO_LONG) } else { Ok(total.into()) }
}

const TOO_LONG: OverBudget = OverBudget::new(WHAT, Limit::Digits);

/// `low * … * high`, halves first so that the factors are of like size.
pub(super) fn product(low: u64, high: u64, budget: &Budget) -> Result<UBig, OverBudget> {
    budget.step(0, WHAT)?;
    if high < low + 16 {
        return Ok((low..=high).map(UBig::from).product());
    }
    let middle = low + (high - low) / 2;
    Ok(product(low, middle, budget)? * product(middle + 1, high, budget)?)
}

/// Paths through the cuts of one connected group of processes.
fn paths(lattice: &Lattice<'_>, group: &[usize], size: u64, budget: &Budget) -> Result<UBig, OverBudget> {
    let packing = lattice.packing();
    let words = packing.words();
    let mut claim = budget.claim(0, WHAT)?;
    let (mut level, mut next) = (PackedSet::<0>::new(words), PackedSet::<0>::new(words));
    let (mut ways, mut next_ways) = (vec![UBig::ONE], Vec::new());
    let mut cut = vec![0; words];
    level.insert(&cut);
    let mut work = 0usize;
    for _ in 0..size {
        next.clear();
        next_ways.clear();
        let mut polled = 0;
        // Each way to here is the beginning of a run.
        if ways.iter().any(|ways| ways.bit_len() > MAX_BITS) {
            return Err(TOO_LONG);
        }
        for i in 0..level.len() as u32 {
            work += group.len() * (1 + ways[i as usize].bit_len() / 1024);
            if i.is_multiple_of(256) || work >= 4096 {
                budget.step(u64::from(i - polled), WHAT)?;
                (work, polled) = (0, i);
                let digits = ways[i as usize].bit_len() as u64 / 8 + 32;
                let rows = (level.len() + next.len()) as u64 * digits;
                claim.grow_to(level.bytes() + next.bytes() + rows, WHAT)?;
                if next.is_full() {
                    return Err(OverBudget::new(WHAT, Limit::Memory));
                }
            }
            cut.copy_from_slice(level.row(i));
            for &process in group {
                if lattice.next(&cut, process).is_none() {
                    continue;
                }
                packing.add(&mut cut, process);
                let (at, new) = next.insert(&cut);
                packing.remove(&mut cut, process);
                if new {
                    next_ways.push(ways[i as usize].clone());
                } else {
                    next_ways[at as usize] += &ways[i as usize];
                }
            }
        }
        std::mem::swap(&mut level, &mut next);
        std::mem::swap(&mut ways, &mut next_ways);
    }
    Ok(ways.pop().unwrap_or(UBig::ZERO))
}
