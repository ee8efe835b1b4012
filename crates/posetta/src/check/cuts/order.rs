//! Which chain is which layer.
//!
//! Below some layers, the cuts that are possible depend on the counts chosen above only through chains that communicate with
//! one below. So a diagram stays narrow if few chains do, wherever it is divided: the chains of a ring one after another,
//! a hub first. That is the vertex separation of the communication graph, and finding the best is hard; greedy choices from
//! every start find the ones that matter here (rings, lines, stars, trees).

use crate::base::{Budget, OverBudget};
use crate::trace::Slice;

const WHAT: &str = "ordering the layers";

/// Above so many chains only one start is tried.
const MANY: usize = 64;

/// The chain of each layer.
pub(super) fn of_layers(slice: &Slice, budget: &Budget) -> Result<Vec<usize>, OverBudget> {
    let width = slice.width();
    if width <= 2 {
        return Ok((0..width).collect());
    }
    let messages = messages(slice, budget)?;
    let starts: Vec<usize> = if width <= MANY {
        (0..width).collect()
    } else {
        let partners = |chain: &usize| (0..width).filter(|&other| messages[chain * width + other] > 0).count();
        (0..width).min_by_key(partners).into_iter().collect()
    };
    let mut best: Option<((usize, usize), Vec<usize>)> = None;
    for start in starts {
        budget.step(0, WHAT)?;
        let (cost, order) = from(start, width, &messages);
        if best.as_ref().is_none_or(|(known, _)| cost < *known) {
            best = Some((cost, order));
        }
    }
    Ok(best.map(|(_, order)| order).unwrap_or_default())
}

/// How many direct causes chains have on each other, in both directions.
fn messages(slice: &Slice, budget: &Budget) -> Result<Vec<u32>, OverBudget> {
    let width = slice.width();
    let mut messages = vec![0u32; width * width];
    let mut news = Vec::new();
    for chain in 0..width {
        for position in 1..=slice.len(chain) {
            if position % 256 == 0 {
                budget.step(0, WHAT)?;
            }
            let clock = slice.clock(slice.place(chain, position));
            let before = |other: usize| match position {
                1 => 0,
                _ => slice.clock(slice.place(chain, position - 1))[other],
            };
            news.clear();
            news.extend((0..width).filter(|&other| other != chain && clock[other] > before(other)));
            for &other in &news {
                // What another one brought along is no message of its own.
                let brought = news
                    .iter()
                    .any(|&by| by != other && slice.clock(slice.place(by, clock[by]))[other] >= clock[other]);
                if !brought {
                    messages[chain * width + other] += 1;
                    messages[other * width + chain] += 1;
                }
            }
        }
    }
    Ok(messages)
}

/// Takes the chain that leaves the fewest behind with partners to come; of these, the one with most messages to those
/// taken. Answers with the largest and the total number left behind.
fn from(start: usize, width: usize, messages: &[u32]) -> ((usize, usize), Vec<usize>) {
    let row = |chain: usize| &messages[chain * width..][..width];
    // Partners that have not been taken, for each chain.
    let mut open: Vec<usize> = (0..width).map(|c| row(c).iter().filter(|&&m| m > 0).count()).collect();
    let mut taken = vec![false; width];
    let mut order = Vec::with_capacity(width);
    let (mut largest, mut total, mut behind) = (0, 0, 0usize);
    let mut next = start;
    loop {
        taken[next] = true;
        order.push(next);
        for (other, _) in row(next).iter().enumerate().filter(|&(_, &m)| m > 0) {
            open[other] -= 1;
            if taken[other] && other != next && open[other] == 0 {
                behind -= 1;
            }
        }
        behind += usize::from(open[next] > 0);
        largest = largest.max(behind);
        total += behind;
        let cost = |chain: usize| {
            let partners = || row(chain).iter().enumerate().filter(|&(_, &m)| m > 0);
            let closes = partners().filter(|&(other, _)| taken[other] && open[other] == 1).count();
            let stays = usize::from(open[chain] > 0);
            let strength: u64 = partners().filter(|&(other, _)| taken[other]).map(|(_, &m)| u64::from(m)).sum();
            (behind + stays - closes, std::cmp::Reverse(strength), chain)
        };
        match (0..width).filter(|&chain| !taken[chain]).min_by_key(|&chain| cost(chain)) {
            Some(chain) => next = chain,
            None => return ((largest, total), order),
        }
    }
}
