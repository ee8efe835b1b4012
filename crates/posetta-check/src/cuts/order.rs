//! Which chain is which layer.
//!
//! Below some layers, the cuts that are possible depend on the counts chosen above only through chains that communicate with
//! one below. So a diagram stays narrow if few chains do, wherever it is divided: the chains of a ring one after another,
//! a hub first. That is the vertex separation of the communication graph, and finding the best is hard; greedy choices from
//! every start find the ones that matter here (rings, lines, stars, trees).

use rustc_hash::FxHashMap;

use posetta_base::{Budget, OverBudget};
use posetta_trace::Slice;

const WHAT: &str = "ordering the layers";

/// Above so many chains only one start is tried.
const MANY: usize = 64;

/// The chain of each layer.
pub(super) fn of_layers(slice: &Slice, budget: &Budget) -> Result<Vec<usize>, OverBudget> {
    let width = slice.width();
    if width <= 2 {
        return Ok((0..width).collect());
    }
    let partners = partners(slice, budget)?;
    let starts: Vec<usize> = if width <= MANY {
        (0..width).collect()
    } else {
        (0..width).min_by_key(|&chain| partners[chain].len()).into_iter().collect()
    };
    let mut best: Option<((usize, usize), Vec<usize>)> = None;
    for start in starts {
        let (cost, order) = from(start, &partners, budget)?;
        if best.as_ref().is_none_or(|(known, _)| cost < *known) {
            best = Some((cost, order));
        }
    }
    Ok(best.map(|(_, order)| order).unwrap_or_default())
}

/// For each chain, those that it communicates with, and how many direct causes the two have on each other.
type Partners = Vec<Vec<(usize, u64)>>;

fn partners(slice: &Slice, budget: &Budget) -> Result<Partners, OverBudget> {
    let width = slice.width();
    let mut messages: Vec<FxHashMap<usize, u64>> = vec![FxHashMap::default(); width];
    // How much each place knows: who knows another one knows more.
    let knows: Vec<u64> =
        (0..slice.places()).map(|place| slice.clock(place).iter().map(|&n| u64::from(n)).sum()).collect();
    let mut news = Vec::new();
    let mut brought = vec![0; width];
    for chain in 0..width {
        for position in 1..=slice.len(chain) {
            if position % 64 == 1 {
                budget.step(0, WHAT)?;
            }
            let clock = slice.clock(slice.place(chain, position));
            let before = match position {
                1 => None,
                _ => Some(slice.clock(slice.place(chain, position - 1))),
            };
            let is_new = |other: usize| other != chain && clock[other] > before.map_or(0, |clock| clock[other]);
            news.clear();
            news.extend((0..width).filter(|&other| is_new(other)));
            // What another one brought along is no message of its own.
            news.sort_unstable_by_key(|&other| std::cmp::Reverse(knows[slice.place(other, clock[other]) as usize]));
            brought.fill(0);
            for &other in &news {
                if brought[other] < clock[other] {
                    *messages[chain].entry(other).or_default() += 1;
                    *messages[other].entry(chain).or_default() += 1;
                    let along = slice.clock(slice.place(other, clock[other]));
                    brought.iter_mut().zip(along).for_each(|(known, &n)| *known = n.max(*known));
                }
            }
        }
    }
    let sorted = |row: FxHashMap<usize, u64>| {
        let mut row: Vec<(usize, u64)> = row.into_iter().collect();
        row.sort_unstable();
        row
    };
    Ok(messages.into_iter().map(sorted).collect())
}

/// Takes the chain that leaves the fewest behind with partners to come; of these, the one with most messages to those
/// taken. Answers with the largest and the total number left behind.
fn from(start: usize, partners: &Partners, budget: &Budget) -> Result<((usize, usize), Vec<usize>), OverBudget> {
    let width = partners.len();
    // Partners that have not been taken, for each chain.
    let mut open: Vec<usize> = partners.iter().map(Vec::len).collect();
    let mut taken = vec![false; width];
    let mut order = Vec::with_capacity(width);
    let (mut largest, mut total, mut behind) = (0, 0, 0usize);
    let mut next = start;
    loop {
        budget.step(0, WHAT)?;
        taken[next] = true;
        order.push(next);
        for &(other, _) in &partners[next] {
            open[other] -= 1;
            if taken[other] && open[other] == 0 {
                behind -= 1;
            }
        }
        behind += usize::from(open[next] > 0);
        largest = largest.max(behind);
        total += behind;
        let cost = |chain: usize| {
            let known = || partners[chain].iter().filter(|(other, _)| taken[*other]);
            let closes = known().filter(|(other, _)| open[*other] == 1).count();
            let stays = usize::from(open[chain] > 0);
            let strength: u64 = known().map(|(_, messages)| messages).sum();
            (behind + stays - closes, std::cmp::Reverse(strength), chain)
        };
        match (0..width).filter(|&chain| !taken[chain]).min_by_key(|&chain| cost(chain)) {
            Some(chain) => next = chain,
            None => return Ok(((largest, total), order)),
        }
    }
}
