//! The number of cuts: leaves first, then the frontier method for what has cycles.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use dashu_int::UBig;
use dashu_int::ops::BitTest;
use rustc_hash::FxHashMap;

use super::constraints::{Constraints, Step};
use super::product_of;
use crate::event::Trace;
use posetta_base::{Budget, Claim, Natural, OverBudget};

const WHAT: &str = "counting the cuts";

/// How many consistent cuts the trace has, the empty and the full one included.
///
/// # Errors
/// When the budget is spent.
pub fn count_cuts(trace: &Trace, budget: &Budget) -> Result<Natural, OverBudget> {
    let constraints = Constraints::new(trace, budget, WHAT)?;
    let mut counting = Counting {
        gone: vec![false; constraints.lengths.len()],
        ordered: vec![false; constraints.lengths.len()],
        touched: vec![false; constraints.lengths.len()],
        factors: (0..constraints.lengths.len()).map(|_| Vec::new()).collect(),
        factor_bytes: 0,
        claim: budget.claim(constraints.lengths.len() as u64 * PER_PROCESS, WHAT)?,
        constraints: &constraints,
        budget,
    };
    let mut groups = counting.take_leaves()?;
    for start in 0..constraints.lengths.len() {
        if !counting.gone[start] {
            groups.push(counting.core(start)?);
        }
    }
    Ok(product_of(groups, budget, WHAT)?.into())
}

/// Bytes of a [`Counting`] for each process.
const PER_PROCESS: u64 = 27;

/// The number of ways to complete each count `first..=last` of a process by what was taken away behind it.
#[derive(Clone)]
struct Factor {
    first: u32,
    last: u32,
    ways: UBig,
}

impl Factor {
    fn bytes(&self) -> u64 {
        size_of::<Self>() as u64 + bytes(&self.ways)
    }
}

struct Counting<'c> {
    constraints: &'c Constraints,
    budget: &'c Budget,
    /// Processes taken away or decided.
    gone: Vec<bool>,
    /// Processes that have their place in the order of deciding.
    ordered: Vec<bool>,
    /// Those, and the ones next to them.
    touched: Vec<bool>,
    /// Of each process, the factors that are not 1.
    factors: Vec<Vec<Factor>>,
    factor_bytes: u64,
    claim: Claim,
}

impl Counting<'_> {
    /// Takes away every process with at most one neighbour, until none is left. Returns the number of cuts of each group
    /// that vanishes in whole.
    fn take_leaves(&mut self) -> Result<Vec<UBig>, OverBudget> {
        let neighbours = &self.constraints.neighbours;
        let mut degree: Vec<usize> = neighbours.iter().map(Vec::len).collect();
        let mut leaves: Vec<usize> = (0..degree.len()).filter(|&p| degree[p] <= 1).collect();
        let mut whole = Vec::new();
        let mut work = 0usize;
        while let Some(leaf) = leaves.pop() {
            self.gone[leaf] = true;
            work += 16 + neighbours[leaf].len();
            if work >= 4096 {
                self.budget.step(0, WHAT)?;
                work = 0;
            }
            let Some(&parent) = neighbours[leaf].iter().find(|&&p| !self.gone[p]) else {
                let mut sum = UBig::ZERO;
                self.for_each_stretch(leaf, &mut |stretch| {
                    sum += stretch.ways * UBig::from(stretch.last - stretch.first + 1);
                    Ok(())
                })?;
                whole.push(sum);
                continue;
            };
            let ways = self.ways(leaf)?;
            for step in self.constraints.steps(parent, leaf) {
                let ways = ways.between(step.low, step.high);
                if !ways.is_one() {
                    let factor = Factor { first: step.first, last: step.last, ways };
                    self.factor_bytes += factor.bytes();
                    self.factors[parent].push(factor);
                }
            }
            self.claim.grow_to(self.factors.len() as u64 * PER_PROCESS + self.factor_bytes, WHAT)?;
            degree[parent] -= 1;
            if degree[parent] == 1 {
                leaves.push(parent);
            }
        }
        Ok(whole)
    }

    /// The products of a process's factors for its counts, in order; consecutive counts with the same factors as one.
    /// The factors are gone afterwards.
    fn for_each_stretch(
        &mut self,
        process: usize,
        visit: &mut dyn FnMut(Factor) -> Result<(), OverBudget>,
    ) -> Result<(), OverBudget> {
        let all = Factor { first: 0, last: self.constraints.lengths[process], ways: UBig::ONE };
        let factors = std::mem::take(&mut self.factors[process]);
        split(all, factors.iter().collect(), self.budget, visit)?;
        self.factor_bytes -= factors.iter().map(Factor::bytes).sum::<u64>();
        Ok(())
    }

    /// The numbers of ways for the counts of a process, summed.
    fn ways(&mut self, process: usize) -> Result<Ways, OverBudget> {
        if self.factors[process].is_empty() {
            return Ok(Ways { sums: Vec::new(), _claim: self.budget.claim(0, WHAT)? });
        }
        let budget = self.budget;
        let mut claim = budget.claim(0, WHAT)?;
        let mut sums = vec![UBig::ZERO];
        let mut total = 0;
        self.for_each_stretch(process, &mut |stretch| {
            for i in stretch.first..=stretch.last {
                let sum = &sums[i as usize] + &stretch.ways;
                total += 32 + bytes(&sum);
                if i.is_multiple_of(64) {
                    budget.step(0, WHAT)?;
                    claim.grow_to(total, WHAT)?;
                }
                sums.push(sum);
            }
            Ok(())
        })?;
        Ok(Ways { sums, _claim: claim })
    }

    /// The number of cuts of what is left of one connected group.
    fn core(&mut self, start: usize) -> Result<UBig, OverBudget> {
        let order = self.elimination_order(start)?;
        // Where each process is in the frontier.
        let mut place: FxHashMap<usize, usize> = FxHashMap::default();
        // Bounds on the frontier (undecided processes next to decided ones) → number of prefixes that imply them.
        let mut frontier: Vec<usize> = Vec::new();
        let mut states: FxHashMap<Box<[u32]>, UBig> = FxHashMap::default();
        states.insert(Box::default(), UBig::ONE);
        let mut state_bytes = 0;
        let mut claim = self.budget.claim(0, WHAT)?;
        for &process in &order {
            self.gone[process] = true;
            let own_place = place.remove(&process);
            // The last one of the frontier takes the place of the one that leaves it.
            if let Some(own) = own_place {
                frontier.swap_remove(own);
                if let Some(&moved) = frontier.get(own) {
                    place.insert(moved, own);
                }
            }
            let carried = frontier.len();
            let mut relations: Vec<Relation> = Vec::new();
            for &other in self.constraints.neighbours[process].iter().filter(|&&p| !self.gone[p]) {
                let at = *place.entry(other).or_insert(frontier.len());
                if at == frontier.len() {
                    frontier.push(other);
                }
                relations.push(Relation { place: at, steps: self.constraints.steps(process, other), at: 0 });
            }
            let starts = segment_starts(&relations);
            let ways_of = self.ways(process)?;
            let mut next: FxHashMap<Box<[u32]>, UBig> = FxHashMap::default();
            let (mut work, mut next_bytes) = (0usize, 0u64);
            let mut open: Vec<u32> = Vec::new();
            let mut bounds: Vec<u32> = Vec::new();
            for (state, ways) in &states {
                let (low, high) = match own_place {
                    Some(i) => (state[2 * i], state[2 * i + 1]),
                    None => (0, self.constraints.lengths[process]),
                };
                // What the state says of the new frontier before the process is decided.
                open.clear();
                open.extend_from_slice(state);
                if let Some(i) = own_place {
                    let last = open.len() - 2;
                    open.copy_within(last.., 2 * i);
                    open.truncate(last);
                }
                open.extend(frontier[carried..].iter().flat_map(|&p| [0, self.constraints.lengths[p]]));
                let mut first = low;
                for relation in &mut relations {
                    relation.at = relation.steps.partition_point(|s| s.last < first);
                }
                let mut segment = starts.partition_point(|&s| s <= first);
                work += 8 + open.len() / 8 + relations.len();
                while first <= high {
                    let last = starts.get(segment).map_or(high, |&next| high.min(next - 1));
                    work += 8 + open.len() / 8 + relations.len();
                    if work >= 1 << 14 {
                        self.budget.step(work as u64 / 16, WHAT)?;
                        claim.grow_to(state_bytes + next_bytes, WHAT)?;
                        work = 0;
                    }
                    bounds.clear();
                    bounds.extend_from_slice(&open);
                    let mut possible = true;
                    for relation in &mut relations {
                        while relation.steps[relation.at].last < first {
                            relation.at += 1;
                        }
                        let step = &relation.steps[relation.at];
                        let of = &mut bounds[2 * relation.place..][..2];
                        of[0] = of[0].max(step.low);
                        of[1] = of[1].min(step.high);
                        possible &= of[0] <= of[1];
                    }
                    if possible {
                        let more = ways * ways_of.between(first, last);
                        match next.get_mut(&bounds[..]) {
                            Some(ways) => *ways += more,
                            None => {
                                next_bytes += bounds.len() as u64 * 4 + 64 + bytes(&more);
                                next.insert(bounds.as_slice().into(), more);
                            }
                        }
                    }
                    first = last + 1;
                    segment += 1;
                }
            }
            claim.grow_to(state_bytes + next_bytes, WHAT)?;
            states = next;
            state_bytes = next_bytes;
        }
        Ok(states.into_values().sum())
    }

    /// Greedy: next the process, of those in the frontier or next to it, that makes the frontier grow least.
    fn elimination_order(&mut self, start: usize) -> Result<Vec<usize>, OverBudget> {
        let neighbours = &self.constraints.neighbours;
        let mut group = vec![start];
        // How many neighbours of each process are neither decided nor in the frontier.
        let mut opens: FxHashMap<usize, usize> = FxHashMap::default();
        opens.insert(start, 0);
        let mut at = 0;
        while at < group.len() {
            if at.is_multiple_of(256) {
                self.budget.step(0, WHAT)?;
            }
            let process = group[at];
            at += 1;
            for &p in neighbours[process].iter().filter(|&&p| !self.gone[p]) {
                *opens.entry(p).or_insert_with(|| {
                    group.push(p);
                    0
                }) += 1;
            }
        }
        let start = group.iter().copied().min_by_key(|&p| (opens[&p], p)).unwrap_or(start);
        let mut order = Vec::with_capacity(group.len());
        // Growth (plus 1), whether outside the frontier, process. An entry that is no longer true is passed over.
        let mut candidates = BinaryHeap::from([Reverse((opens[&start] + 1, true, start))]);
        let Self { gone, ordered, touched, .. } = self;
        while let Some(Reverse((growth, outside, process))) = candidates.pop() {
            if ordered[process] || outside == touched[process] || growth != opens[&process] + usize::from(outside) {
                continue;
            }
            if order.len().is_multiple_of(256) {
                self.budget.step(0, WHAT)?;
            }
            ordered[process] = true;
            order.push(process);
            let mut touch = |q: usize| {
                if std::mem::replace(&mut touched[q], true) {
                    return;
                }
                candidates.push(Reverse((opens[&q], false, q)));
                for &p in neighbours[q].iter().filter(|&&p| !gone[p] && !ordered[p]) {
                    let opens = opens.entry(p).or_default();
                    *opens -= 1;
                    candidates.push(Reverse((*opens + usize::from(!touched[p]), !touched[p], p)));
                }
            };
            touch(process);
            neighbours[process].iter().filter(|&&p| !gone[p]).for_each(|&p| touch(p));
        }
        Ok(order)
    }
}

/// What is left of the ways of a process, as sums over its first counts; empty if there is one way for each count.
struct Ways {
    sums: Vec<UBig>,
    _claim: Claim,
}

impl Ways {
    fn between(&self, first: u32, last: u32) -> UBig {
        if self.sums.is_empty() {
            return UBig::from(last - first + 1);
        }
        &self.sums[last as usize + 1] - &self.sums[first as usize]
    }
}

/// Splits a stretch of counts until every factor covers all of a part or nothing of it, and visits the parts in order
/// with the products of their factors.
fn split(
    mut part: Factor,
    mut factors: Vec<&Factor>,
    budget: &Budget,
    visit: &mut dyn FnMut(Factor) -> Result<(), OverBudget>,
) -> Result<(), OverBudget> {
    let mut whole = Vec::new();
    factors.retain(|f| {
        let covers = f.first <= part.first && part.last <= f.last;
        if covers {
            whole.push(f.ways.clone());
        }
        !covers && f.first <= part.last && part.first <= f.last
    });
    if !whole.is_empty() {
        part.ways *= product_of(whole, budget, WHAT)?;
    }
    budget.step(0, WHAT)?;
    if factors.is_empty() {
        return visit(part);
    }
    let middle = part.first + (part.last - part.first) / 2;
    split(Factor { last: middle, ..part.clone() }, factors.clone(), budget, visit)?;
    split(Factor { first: middle + 1, ..part }, factors, budget, visit)
}

fn bytes(number: &UBig) -> u64 {
    number.bit_len() as u64 / 8
}

/// What a process means for one neighbour in the frontier.
struct Relation {
    /// Of the neighbour, in the frontier.
    place: usize,
    steps: Vec<Step>,
    /// The step at hand.
    at: usize,
}

/// Where the next stretch of counts starts that means something else for some neighbour.
fn segment_starts(relations: &[Relation]) -> Vec<u32> {
    let mut starts: Vec<u32> = relations.iter().flat_map(|r| &r.steps).map(|s| s.first).collect();
    starts.sort_unstable();
    starts.dedup();
    starts
}
