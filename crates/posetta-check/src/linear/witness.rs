//! From the events that a search fired to an order of all events of the slice.
//!
//! Lemma 3 of paper 000 says that every cut between t and w is reached in mode m; its proof, read backwards, is a run. From
//! the end: what is in the cut but was not yet in w when the last event was fired was stayed on after it; the event was fired
//! last among the rest; and without it the cut lies between the t and w before.

use super::modes::Modes;
use super::search::Way;
use super::space::Space;
use posetta_base::{Budget, OverBudget};
use posetta_trace::Trace;

const WHAT: &str = "ordering the events of a run that was found";

/// The places of the slice in an order that leads along the way, ties as in [`Trace::linearisation`].
pub(super) fn order<M: Modes>(
    space: &Space<'_>,
    modes: &mut M,
    way: &Way,
    trace: &Trace,
    budget: &Budget,
) -> Result<Vec<u32>, OverBudget> {
    let slice = space.slice;
    let width = space.width();
    let _claim =
        budget.claim(4 * (way.fired.len() * width + trace.len() + 2 * slice.places() as usize) as u64, WHAT)?;
    // What may have happened right after each event was fired.
    let mut reached: Vec<u32> = Vec::with_capacity(way.fired.len() * width);
    let mut config = space.start(modes, way.start)?;
    let mut next = space.blank();
    for (i, &(place, mode)) in way.fired.iter().enumerate() {
        if i % 256 == 0 {
            budget.step(0, WHAT)?;
        }
        let (chain, position) = slice.position(place);
        let start = reached.len();
        reached.resize(start + width, 0);
        space.reach(&config, chain, position, &mut reached[start..]);
        next.mode = mode;
        space.fire(modes, &config, chain, position, &mut next)?;
        std::mem::swap(&mut config, &mut next);
    }
    // Backwards: each gap is a range of positions on every chain.
    let mut rank = vec![0u32; trace.len()];
    for (i, event) in trace.linearisation().iter().enumerate() {
        rank[event.index()] = i as u32 + 1;
    }
    // Where nothing can go right any more, what need not have happened before comes after, as it was recorded.
    let mut cut = if modes.accepts_all(config.mode) { config.t.clone() } else { space.lengths.clone() };
    let mut rest: Vec<u32> = (0..width)
        .flat_map(|chain| (cut[chain] + 1..=space.lengths[chain]).map(move |position| slice.place(chain, position)))
        .collect();
    let ranked = |place: u32| slice.event(place).map_or(0, |e| rank[e.index()]);
    rest.sort_unstable_by_key(|&place| ranked(place));
    let mut reversed: Vec<u32> = Vec::with_capacity(slice.places() as usize);
    let mut gap: Vec<u32> = Vec::new();
    let mut leave = |cut: &mut [u32], down_to: &dyn Fn(usize) -> u32, reversed: &mut Vec<u32>| {
        for (chain, end) in cut.iter_mut().enumerate() {
            let floor = down_to(chain).min(*end);
            gap.extend((floor + 1..=*end).map(|position| slice.place(chain, position)));
            *end = floor;
        }
        // A tick comes before everything else.
        gap.sort_unstable_by_key(|&place| std::cmp::Reverse(ranked(place)));
        reversed.append(&mut gap);
    };
    for (i, &(place, _)) in way.fired.iter().enumerate().rev() {
        let reached = &reached[i * width..][..width];
        leave(&mut cut, &|chain| reached[chain], &mut reversed);
        reversed.push(place);
        cut[slice.position(place).0] -= 1;
    }
    leave(&mut cut, &|_| 0, &mut reversed);
    let mut order = reversed;
    order.reverse();
    order.append(&mut rest);
    Ok(order)
}
