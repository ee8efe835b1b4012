//! Smallest sets that meet every one of some sets.
//!
//! Branch and bound by iterative deepening: of the sets that are not met, one with the fewest members has one in every
//! solution. Sets without a common member, counted greedily, say how many more are needed at least.

use super::allowance::Allowance;

/// Comparisons that cost one step of the allowance.
const COMPARED: u64 = 8;

/// A smallest set of numbers that meets each of `sets`, and whether it is known to be smallest. Numbers that come first in a set
/// are preferred. Every set has members, and no smallest set has fewer than `at_least`. Takes at most half of the allowance.
pub(super) fn hitting_set(sets: &[Vec<u32>], at_least: usize, allowance: &mut Allowance) -> (Vec<u32>, bool) {
    let total: usize = sets.iter().map(Vec::len).sum();
    let each = 1 + (total * sets.len()) as u64 / COMPARED;
    let most = allowance.left() / 2 / each;
    let mut nodes = most;
    let greedy = greedy(sets);
    let found = deepen(sets, at_least, &greedy, &mut nodes);
    allowance.spend(each * (most - nodes));
    match found {
        Some(smallest) => (smallest, true),
        None => (greedy, false),
    }
}

/// A smallest set, or nothing if there was no time to find out.
fn deepen(sets: &[Vec<u32>], at_least: usize, greedy: &[u32], nodes: &mut u64) -> Option<Vec<u32>> {
    let mut chosen = Vec::new();
    let mut size = at_least.max(disjoint(sets, &[]));
    while size < greedy.len() {
        if branch(sets, size, &mut chosen, nodes)? {
            return Some(chosen);
        }
        size += 1;
    }
    Some(greedy.to_vec())
}

/// Whether `chosen` can be completed with `more` numbers; nothing if there was no time to find out.
fn branch(sets: &[Vec<u32>], more: usize, chosen: &mut Vec<u32>, nodes: &mut u64) -> Option<bool> {
    *nodes = nodes.checked_sub(1)?;
    let Some(open) = sets.iter().filter(|set| !meets(set, chosen)).min_by_key(|set| set.len()) else {
        return Some(true);
    };
    if disjoint(sets, chosen) > more {
        return Some(false);
    }
    for &number in open {
        chosen.push(number);
        if branch(sets, more - 1, chosen, nodes)? {
            return Some(true);
        }
        chosen.pop();
    }
    Some(false)
}

fn meets(set: &[u32], chosen: &[u32]) -> bool {
    chosen.iter().any(|c| set.contains(c))
}

/// How many numbers are needed at least for the sets that `chosen` does not meet.
fn disjoint(sets: &[Vec<u32>], chosen: &[u32]) -> usize {
    let mut met: Vec<u32> = Vec::new();
    let mut count = 0;
    for set in sets.iter().filter(|set| !meets(set, chosen)) {
        if !meets(set, &met) {
            count += 1;
            met.extend_from_slice(set);
        }
    }
    count
}

/// The number that meets most, again and again.
fn greedy(sets: &[Vec<u32>]) -> Vec<u32> {
    let mut chosen = Vec::new();
    let mut open: Vec<&Vec<u32>> = sets.iter().collect();
    while let Some(first) = open.first() {
        let count = |number: u32| open.iter().filter(|set| set.contains(&number)).count();
        // The first of the best: members of a set come in the order of preference.
        let best = first.iter().rev().copied().max_by_key(|&number| count(number)).unwrap_or_default();
        chosen.push(best);
        open.retain(|set| !set.is_empty() && !set.contains(&best));
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smallest_set_is_found() {
        let mut rng = fastrand::Rng::with_seed(3);
        for _ in 0..500 {
            let sets: Vec<Vec<u32>> = (0..rng.usize(..7))
                .map(|_| {
                    let mut set: Vec<u32> = (0..8).filter(|_| rng.u8(..10) < 3).collect();
                    set.push(rng.u32(..8));
                    set.dedup();
                    set
                })
                .collect();
            let smallest = (0..1u32 << 8)
                .filter(|bits| sets.iter().all(|set| set.iter().any(|n| bits >> n & 1 == 1)))
                .map(u32::count_ones)
                .min();
            let (found, exact) = hitting_set(&sets, 0, &mut Allowance::new(1 << 30));
            assert!(exact && sets.iter().all(|set| meets(set, &found)), "{sets:?} {found:?}");
            assert_eq!(Some(found.len() as u32), smallest, "{sets:?} {found:?}");
        }
    }

    #[test]
    fn what_comes_first_is_preferred() {
        let enough = || Allowance::new(1 << 20);
        assert_eq!(hitting_set(&[vec![3, 1, 2], vec![2, 1, 3]], 0, &mut enough()), (vec![3], true));
        assert_eq!(hitting_set(&[], 0, &mut enough()), (vec![], true));
    }

    #[test]
    fn without_time_it_is_not_claimed_to_be_smallest() {
        // The greedy choice of 0 needs two more; 1 and 2 meet all.
        let sets = [vec![0, 1], vec![0, 1], vec![0, 2], vec![0, 2], vec![1], vec![2]];
        assert_eq!(hitting_set(&sets, 0, &mut Allowance::new(0)), (vec![0, 1, 2], false));
        assert_eq!(hitting_set(&sets, 0, &mut Allowance::new(1 << 20)), (vec![1, 2], true));
    }
}
