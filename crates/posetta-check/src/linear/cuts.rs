//! Cut by cut, where intervals do not pay.
//!
//! Intervals that overlap without containing each other can be more than there are cuts. On a slice with few cuts the search
//! is then begun again, breadth first over (cut, mode).

use super::modes::Modes;
use super::search::Cost;
use super::space::{Rows, Space};
use crate::machine::Mode;
use posetta_base::{Budget, Limit, OverBudget};

const WHAT: &str = "searching the orders";

/// At most so many cuts are few.
const FEW: u64 = 1 << 22;

/// How many cuts a slice has at most, if they are few.
pub(super) fn at_most(space: &Space<'_>) -> Option<u64> {
    let mut counts = space.lengths.iter().map(|&n| u64::from(n) + 1);
    counts.try_fold(1u64, |all, n| all.checked_mul(n)).filter(|&n| n <= FEW)
}

/// The places of the slice in an order that ends badly, if there is one. Counts as cancelled when there are more cuts, each with
/// a mode, than `most`.
pub(super) fn find<M: Modes>(
    space: &Space<'_>,
    modes: &mut M,
    most: Option<u64>,
    cost: &mut Cost,
    budget: &Budget,
) -> Result<Option<Vec<u32>>, OverBudget> {
    let words = space.packing.words();
    let mut rows = Rows::new(words + 1);
    // The entry before each, and the place between them.
    let mut steps: Vec<(u32, u32)> = Vec::new();
    let mut claim = budget.claim(0, WHAT)?;
    let mut row = vec![0; words + 1];
    for mode in modes.starts().to_vec() {
        row[words] = u64::from(mode);
        rows.insert(&row);
        steps.push((u32::MAX, 0));
    }
    let mut at = 0u32;
    let mut cut = vec![0; space.width()];
    while (at as usize) < rows.len() {
        if at.is_multiple_of(256) {
            budget.step(256, WHAT)?;
            claim.grow_to(space.bytes() + rows.bytes() + 16 * steps.capacity() as u64 + modes.bytes(), WHAT)?;
            if rows.is_full() {
                return Err(OverBudget::new(WHAT, Limit::Memory));
            }
        }
        if most.is_some_and(|most| u64::from(at) >= most) {
            return Err(OverBudget::new(WHAT, Limit::Cancelled));
        }
        cost.configurations += 1;
        row.copy_from_slice(rows.row(at));
        let mode = row[words] as Mode;
        for (chain, count) in cut.iter_mut().enumerate() {
            *count = space.packing.count(&row, chain);
        }
        if space.is_full(&cut) && modes.accepts(mode) {
            return Ok(Some(way(&steps, at)));
        }
        for chain in 0..space.width() {
            if cut[chain] == space.lengths[chain] {
                continue;
            }
            let place = space.slice.place(chain, cut[chain] + 1);
            let clock = space.slice.clock(place);
            if !clock.iter().zip(&cut).enumerate().all(|(j, (needs, has))| j == chain || needs <= has) {
                continue;
            }
            let moves = modes.moves(mode, space.class(chain, cut[chain] + 1))?;
            cost.divides |= moves.divides;
            space.packing.add(&mut row, chain);
            let stays = moves.stay.then_some(mode);
            let others = (moves.first..moves.first + moves.count).map(|target| modes.target(target));
            for target in stays.into_iter().chain(others) {
                row[words] = u64::from(target);
                if rows.insert(&row).1 {
                    steps.push((at, place));
                }
            }
            space.packing.remove(&mut row, chain);
        }
        at += 1;
    }
    Ok(None)
}

fn way(steps: &[(u32, u32)], mut at: u32) -> Vec<u32> {
    let mut places = Vec::new();
    while steps[at as usize].0 != u32::MAX {
        places.push(steps[at as usize].1);
        at = steps[at as usize].0;
    }
    places.reverse();
    places
}
