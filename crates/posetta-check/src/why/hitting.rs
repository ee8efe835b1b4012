//! Smallest sets that meet every one of some sets.
//!
//! Branch and bound by iterative deepening: of the sets that are not met, one with the fewest members has one in every
//! solution. Sets without a common member, counted greedily, say how many more are needed at least.
//!
//! Tables over the numbers say what is chosen and what is met, so that every choice takes time linear in the size of the sets.

use super::allowance::Allowance;
use posetta_base::{Budget, OverBudget};

/// Members looked at that cost one step of the allowance.
const LOOKED_AT: u64 = 4;

const WHAT: &str = "looking for the fewest edges";

/// A smallest set of numbers that meets each of `sets`, and whether it is known to be smallest; nothing if the allowance is spent
/// before any is found. Numbers that come first in a set are preferred. Every set has members, and no smallest set has fewer than
/// `at_least`. That it is smallest takes at most half of the allowance.
pub(super) fn hitting_set(
    sets: &[Vec<u32>],
    at_least: usize,
    allowance: &mut Allowance,
    budget: &Budget,
) -> Result<Option<(Vec<u32>, bool)>, OverBudget> {
    let numbers = sets.iter().flatten().max().map_or(0, |&most| most as usize + 1);
    let _claim = budget.claim(13 * numbers as u64, WHAT)?;
    let each = pass(sets);
    let Some(greedy) = greedy(sets, numbers, allowance, budget)? else { return Ok(None) };
    let most = allowance.left() / 2 / each;
    let mut search = Search {
        sets,
        chosen: Vec::new(),
        is_chosen: vec![false; numbers],
        met: vec![0; numbers],
        time: 0,
        nodes: most,
        budget,
    };
    let found = search.deepen(at_least, &greedy)?;
    allowance.spend(each * (most - search.nodes));
    Ok(Some(match found {
        Some(smallest) => (smallest, true),
        None => (greedy, false),
    }))
}

/// What it costs to look at every member of every set.
pub(super) fn pass(sets: &[Vec<u32>]) -> u64 {
    1 + sets.iter().map(|set| 1 + set.len() as u64).sum::<u64>() / LOOKED_AT
}

struct Search<'s> {
    sets: &'s [Vec<u32>],
    chosen: Vec<u32>,
    /// By number: whether it is among them.
    is_chosen: Vec<bool>,
    /// By number: when it was last a member of a set that counts.
    met: Vec<u64>,
    time: u64,
    /// So many may still be visited.
    nodes: u64,
    budget: &'s Budget,
}

impl Search<'_> {
    /// A smallest set, or nothing if there was no time to find out.
    fn deepen(&mut self, at_least: usize, greedy: &[u32]) -> Result<Option<Vec<u32>>, OverBudget> {
        if !self.visit()? {
            return Ok(None);
        }
        let mut size = at_least.max(self.disjoint());
        while size < greedy.len() {
            match self.branch(size)? {
                Some(true) => return Ok(Some(std::mem::take(&mut self.chosen))),
                Some(false) => size += 1,
                None => return Ok(None),
            }
        }
        Ok(Some(greedy.to_vec()))
    }

    /// Answers whether there is time for one more node.
    fn visit(&mut self) -> Result<bool, OverBudget> {
        self.budget.step(0, WHAT)?;
        let enough = self.nodes > 0;
        self.nodes = self.nodes.saturating_sub(1);
        Ok(enough)
    }

    /// Whether what is chosen can be completed with `more` numbers; nothing if there was no time to find out.
    fn branch(&mut self, more: usize) -> Result<Option<bool>, OverBudget> {
        if !self.visit()? {
            return Ok(None);
        }
        let sets = self.sets;
        let Some(open) = sets.iter().filter(|set| !self.is_met(set)).min_by_key(|set| set.len()) else {
            return Ok(Some(true));
        };
        if self.disjoint() > more {
            return Ok(Some(false));
        }
        for &number in open {
            self.chosen.push(number);
            self.is_chosen[number as usize] = true;
            let found = self.branch(more - 1)?;
            if found != Some(false) {
                return Ok(found);
            }
            self.chosen.pop();
            self.is_chosen[number as usize] = false;
        }
        Ok(Some(false))
    }

    fn is_met(&self, set: &[u32]) -> bool {
        set.iter().any(|&number| self.is_chosen[number as usize])
    }

    /// How many numbers are needed at least for the sets that are not met.
    fn disjoint(&mut self) -> usize {
        self.time += 1;
        let mut count = 0;
        for set in self.sets {
            if !self.is_met(set) && set.iter().all(|&number| self.met[number as usize] != self.time) {
                count += 1;
                set.iter().for_each(|&number| self.met[number as usize] = self.time);
            }
        }
        count
    }
}

/// The number that meets most, again and again; nothing if the allowance is spent first.
fn greedy(
    sets: &[Vec<u32>],
    numbers: usize,
    allowance: &mut Allowance,
    budget: &Budget,
) -> Result<Option<Vec<u32>>, OverBudget> {
    let each = pass(sets);
    if !allowance.spend(each) {
        return Ok(None);
    }
    // By number: how many of the open sets it meets.
    let mut counts = vec![0u32; numbers];
    sets.iter().flatten().for_each(|&number| counts[number as usize] += 1);
    let mut chosen = Vec::new();
    let mut open: Vec<&Vec<u32>> = sets.iter().collect();
    while let Some(first) = open.first() {
        budget.step(0, WHAT)?;
        if !allowance.spend(each) {
            return Ok(None);
        }
        // The first of the best: members of a set come in the order of preference.
        let best = first.iter().rev().copied().max_by_key(|&number| counts[number as usize]).unwrap_or_default();
        chosen.push(best);
        open.retain(|set| {
            let stays = !set.is_empty() && !set.contains(&best);
            if !stays {
                set.iter().for_each(|&number| counts[number as usize] -= 1);
            }
            stays
        });
    }
    Ok(Some(chosen))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(sets: &[Vec<u32>], steps: u64) -> Option<(Vec<u32>, bool)> {
        hitting_set(sets, 0, &mut Allowance::new(steps), &Budget::unlimited()).unwrap()
    }

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
            let (found, exact) = found(&sets, 1 << 30).unwrap();
            let is_met = |set: &Vec<u32>| set.iter().any(|number| found.contains(number));
            assert!(exact && sets.iter().all(is_met), "{sets:?} {found:?}");
            assert_eq!(Some(found.len() as u32), smallest, "{sets:?} {found:?}");
        }
    }

    #[test]
    fn what_comes_first_is_preferred() {
        assert_eq!(found(&[vec![3, 1, 2], vec![2, 1, 3]], 1 << 20), Some((vec![3], true)));
        assert_eq!(found(&[], 1 << 20), Some((vec![], true)));
    }

    #[test]
    fn without_time_it_is_not_claimed_to_be_smallest() {
        // The greedy choice of 0 needs two more; 1 and 2 meet all.
        let sets = [vec![0, 1], vec![0, 1], vec![0, 2], vec![0, 2], vec![1], vec![2]];
        // One pass to count, and one for each choice.
        let greedy = 4 * pass(&sets);
        assert_eq!(found(&sets, greedy - 1), None);
        assert_eq!(found(&sets, greedy), Some((vec![0, 1, 2], false)));
        assert_eq!(found(&sets, 1 << 20), Some((vec![1, 2], true)));
    }

    #[test]
    fn the_cost_of_a_choice_is_linear() {
        // No two of these sets have a common member, so there are as many choices as sets, and nothing to search for.
        let sets: Vec<Vec<u32>> = (0..200).map(|i| (0..1000).map(|j| 1000 * i + j).collect()).collect();
        let mut allowance = Allowance::new(u64::MAX);
        let (smallest, exact) = hitting_set(&sets, 0, &mut allowance, &Budget::unlimited()).unwrap().unwrap();
        assert_eq!((smallest.len(), exact), (200, true));
        assert_eq!(u64::MAX - allowance.left(), 202 * pass(&sets));
    }

    #[test]
    fn a_stop_ends_it() {
        let budget = Budget::unlimited();
        budget.stop_handle().raise(posetta_base::Limit::Time);
        assert!(hitting_set(&[vec![0], vec![1]], 0, &mut Allowance::new(1 << 20), &budget).is_err());
    }
}
