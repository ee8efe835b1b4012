//! Exact numbers of cuts and of linearisations.
//!
//! **Cuts.** A cut is a count for each process, and each edge constrains the counts of two processes. Processes that no
//! edges connect are independent, so connected groups are counted one by one and multiplied. In a group we first take
//! away, again and again, a process with only one neighbour: how many ways it (and what was taken away behind it) leaves
//! for each count of the neighbour is a step function, which becomes a factor of the neighbour. Stars and trees are
//! counted by that alone, in about the time it takes to write down the numbers.
//!
//! What is left has cycles. Its processes are decided one after another; what the decided ones imply for the rest is a
//! lower and an upper bound on the counts of their undecided neighbours, the frontier. Prefixes with the same bounds are
//! counted together, so the work follows the communication topology, not the number of cuts: a ring of `n` costs the
//! square of one member's length per step. The order of processes is greedy for a small frontier.
//!
//! **Linearisations.** Paths in the graph of cuts, level by level, per connected group of processes; the groups
//! interleave freely, which is a multinomial factor.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use dashu_int::UBig;
use dashu_int::ops::BitTest;
use rustc_hash::FxHashMap;

use super::cut::Lattice;
use super::event::Trace;
use crate::base::{Budget, Claim, EventId, Limit, OverBudget, PackedSet};

/// A million decimal digits in bits: longer numbers are not worth their digits.
const MAX_BITS: usize = 3_321_929;

const CUTS: &str = "counting the cuts";
const LINEARISATIONS: &str = "counting the linearisations";

/// How many consistent cuts the trace has, the empty and the full one included.
///
/// # Errors
/// When the budget is spent.
pub fn count_cuts(trace: &Trace, budget: &Budget) -> Result<UBig, OverBudget> {
    let constraints = Constraints::new(trace, budget, CUTS)?;
    let mut counting = Counting {
        gone: vec![false; constraints.lengths.len()],
        ordered: vec![false; constraints.lengths.len()],
        touched: vec![false; constraints.lengths.len()],
        factors: (0..constraints.lengths.len()).map(|_| Vec::new()).collect(),
        factor_bytes: 0,
        claim: budget.claim(constraints.lengths.len() as u64 * PER_PROCESS, CUTS)?,
        constraints: &constraints,
        budget,
    };
    let mut groups = counting.take_leaves()?;
    for start in 0..constraints.lengths.len() {
        if !counting.gone[start] {
            groups.push(counting.core(start)?);
        }
    }
    product_of(groups, budget, CUTS)
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
                self.budget.step(0, CUTS)?;
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
            self.claim.grow_to(self.factors.len() as u64 * PER_PROCESS + self.factor_bytes, CUTS)?;
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
            return Ok(Ways { sums: Vec::new(), _claim: self.budget.claim(0, CUTS)? });
        }
        let budget = self.budget;
        let mut claim = budget.claim(0, CUTS)?;
        let mut sums = vec![UBig::ZERO];
        let mut total = 0;
        self.for_each_stretch(process, &mut |stretch| {
            for i in stretch.first..=stretch.last {
                let sum = &sums[i as usize] + &stretch.ways;
                total += 32 + bytes(&sum);
                if i.is_multiple_of(64) {
                    budget.step(0, CUTS)?;
                    claim.grow_to(total, CUTS)?;
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
        let mut claim = self.budget.claim(0, CUTS)?;
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
                        self.budget.step(work as u64 / 16, CUTS)?;
                        claim.grow_to(state_bytes + next_bytes, CUTS)?;
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
            claim.grow_to(state_bytes + next_bytes, CUTS)?;
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
                self.budget.step(0, CUTS)?;
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
                self.budget.step(0, CUTS)?;
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
        part.ways *= product_of(whole, budget, CUTS)?;
    }
    budget.step(0, CUTS)?;
    if factors.is_empty() {
        return visit(part);
    }
    let middle = part.first + (part.last - part.first) / 2;
    split(Factor { last: middle, ..part.clone() }, factors.clone(), budget, visit)?;
    split(Factor { first: middle + 1, ..part }, factors, budget, visit)
}

/// The product, halves first so that the factors are of like size.
fn product_of(mut factors: Vec<UBig>, budget: &Budget, what: &'static str) -> Result<UBig, OverBudget> {
    while factors.len() > 1 {
        let half = factors.len().div_ceil(2);
        let upper = factors.split_off(half);
        for (i, (factor, other)) in factors.iter_mut().zip(upper).enumerate() {
            if i % 256 == 0 {
                budget.step(0, what)?;
            }
            *factor *= other;
        }
    }
    Ok(factors.pop().unwrap_or(UBig::ONE))
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

/// A stretch of counts of one process that mean the same bounds for a neighbour.
struct Step {
    first: u32,
    last: u32,
    low: u32,
    high: u32,
}

/// Direct edges as constraints between counts.
struct Constraints {
    lengths: Vec<u32>,
    neighbours: Vec<Vec<usize>>,
    /// For each process, its edges, sorted by the other process and the own count.
    edges: Vec<Vec<Edge>>,
    _claim: Claim,
}

/// An edge as one of its processes sees it: own count, other process, other's count, whether the other is the effect.
struct Edge {
    own: u32,
    other: u32,
    count: u32,
    other_is_effect: bool,
}

impl Constraints {
    fn new(trace: &Trace, budget: &Budget, what: &'static str) -> Result<Self, OverBudget> {
        let n = trace.process_count();
        let claim = budget.claim(trace.causes.len() as u64 * 64 + n as u64 * 80, what)?;
        let mut edges: Vec<Vec<Edge>> = (0..n).map(|_| Vec::new()).collect();
        let at = |e: EventId| (trace.process(e).raw(), trace.position(e) as u32 + 1);
        for effect in trace.events() {
            if effect.index() % 4096 == 0 {
                budget.step(0, what)?;
            }
            let (q, b) = at(effect);
            for &cause in trace.causes(effect) {
                let (p, a) = at(cause);
                edges[p as usize].push(Edge { own: a, other: q, count: b, other_is_effect: true });
                edges[q as usize].push(Edge { own: b, other: p, count: a, other_is_effect: false });
            }
        }
        let mut neighbours = Vec::with_capacity(n);
        for list in &mut edges {
            list.sort_unstable_by_key(|e| (e.other, e.own));
            let mut all: Vec<usize> = list.iter().map(|e| e.other as usize).collect();
            all.dedup();
            neighbours.push(all);
        }
        let lengths = trace.processes().map(|p| trace.chain(p).len() as u32).collect();
        Ok(Self { lengths, neighbours, edges, _claim: claim })
    }

    /// What each count of `process` means for its neighbour `other`.
    fn steps(&self, process: usize, other: usize) -> Vec<Step> {
        let edges = &self.edges[process];
        let from = edges.partition_point(|e| (e.other as usize) < other);
        let edges = &edges[from..];
        let edges = &edges[..edges.partition_point(|e| e.other as usize == other)];
        let mut steps = vec![Step { first: 0, last: 0, low: 0, high: self.lengths[other] }];
        // With count c: an edge from the other is binding if c >= own, an edge to it if c < own.
        for edge in edges {
            let before = steps.last_mut().expect("never empty");
            if before.first < edge.own {
                before.last = edge.own - 1;
                let low = before.low;
                steps.push(Step { first: edge.own, last: edge.own, low, high: self.lengths[other] });
            }
            if let [.., before, step] = &mut steps[..] {
                if edge.other_is_effect {
                    before.high = before.high.min(edge.count - 1);
                } else {
                    step.low = step.low.max(edge.count);
                }
            }
        }
        steps.last_mut().expect("never empty").last = self.lengths[process];
        for i in (1..steps.len()).rev() {
            steps[i - 1].high = steps[i - 1].high.min(steps[i].high);
        }
        // Neighbouring stretches that mean the same are one.
        steps.dedup_by(|next, kept| {
            let same = (kept.low, kept.high) == (next.low, next.high);
            if same {
                kept.last = next.last;
            }
            same
        });
        steps
    }

    /// The connected groups of processes.
    fn groups(&self) -> Vec<Vec<usize>> {
        let mut seen = vec![false; self.lengths.len()];
        let mut groups = Vec::new();
        for start in 0..seen.len() {
            if std::mem::replace(&mut seen[start], true) {
                continue;
            }
            let mut group = vec![start];
            let mut at = 0;
            while at < group.len() {
                for &p in &self.neighbours[group[at]] {
                    if !std::mem::replace(&mut seen[p], true) {
                        group.push(p);
                    }
                }
                at += 1;
            }
            groups.push(group);
        }
        groups
    }
}

/// How many runs (linear extensions) the trace has.
///
/// # Errors
/// When the budget is spent, or the number has more than a million digits.
pub fn count_linearisations(trace: &Trace, budget: &Budget) -> Result<UBig, OverBudget> {
    let constraints = Constraints::new(trace, budget, LINEARISATIONS)?;
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
    let total = product_of(factors, budget, LINEARISATIONS)?;
    if total.bit_len() > MAX_BITS { Err(TOO_LONG) } else { Ok(total) }
}

const TOO_LONG: OverBudget = OverBudget { what: LINEARISATIONS, limit: Limit::Digits };

/// `low * … * high`, halves first so that the factors are of like size.
fn product(low: u64, high: u64, budget: &Budget) -> Result<UBig, OverBudget> {
    budget.step(0, LINEARISATIONS)?;
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
    let mut claim = budget.claim(0, LINEARISATIONS)?;
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
                budget.step(u64::from(i - polled), LINEARISATIONS)?;
                (work, polled) = (0, i);
                let digits = ways[i as usize].bit_len() as u64 / 8 + 32;
                let rows = (level.len() + next.len()) as u64 * digits;
                claim.grow_to(level.bytes() + next.bytes() + rows, LINEARISATIONS)?;
                if next.is_full() {
                    return Err(OverBudget { what: LINEARISATIONS, limit: Limit::Memory });
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::text;

    fn read(text: &str) -> Trace {
        text::read(text.as_bytes(), &Budget::unlimited()).unwrap()
    }

    fn cuts(text: &str) -> UBig {
        count_cuts(&read(text), &Budget::unlimited()).unwrap()
    }

    /// A hub and clients with `messages` events each that are all sent to the hub.
    fn star(clients: usize, messages: usize) -> String {
        let mut text = format!("H: {}@h\n", "@h -> ".repeat(clients * messages - 1));
        for i in 0..clients {
            text.push_str(&format!("C{i}: {}@c\n", "@c -> ".repeat(messages - 1)));
        }
        for event in 0..clients * messages {
            text.push_str(&format!("C{}.{} -> H.{}\n", event % clients, event / clients + 1, event + 1));
        }
        text
    }

    #[test]
    fn a_star_is_counted_leaf_by_leaf() {
        // With c received, c have sent and the rest may or may not have: the sum of 2^(n - c).
        let n = 3000;
        assert_eq!(cuts(&star(n, 1)), (UBig::ONE << (n + 1)) - UBig::ONE);
        // With c received: clients that have at least c / n and some that have one more.
        let (n, m) = (50u64, 3u64);
        let expected: UBig = (0..=n * m)
            .map(|c| UBig::from(m - c / n).pow((c % n) as usize) * UBig::from(m - c / n + 1).pow((n - c % n) as usize))
            .sum();
        assert_eq!(cuts(&star(50, 3)), expected);
    }

    #[test]
    fn a_ring_with_trees_and_lone_processes_is_counted_as_the_product_says() {
        let ring = "A: @a -> @a\nB: @b -> @b\nC: @c -> @c\nA.1 -> B.2\nB.1 -> C.2\nC.1 -> A.2\n";
        let tree = "D: @d\nE: @e\nA.2 -> D.1\nD.1 -> E.1\n";
        // By hand, of the ring: 8 cuts with no second event, and a second one needs two first ones.
        let brute = |a: [u32; 3]| (0..3).all(|i| a[i] < 2 || a[(i + 2) % 3] >= 1);
        let all = (0..27).map(|i| [i % 3, i / 3 % 3, i / 9]).filter(|&a| brute(a));
        let (mut plain, mut with_tree) = (0u32, 0u32);
        for counts in all {
            plain += 1;
            with_tree += if counts[0] == 2 { 3 } else { 1 };
        }
        assert_eq!(cuts(ring), plain.into());
        assert_eq!(cuts(&format!("{ring}{tree}")), with_tree.into());
        assert_eq!(cuts(&format!("{ring}{tree}F: @f -> @f\n")), (with_tree * 3).into());
    }

    #[test]
    fn a_stop_is_seen_and_memory_is_claimed() {
        let trace = read(&star(500, 1));
        let budget = Budget::unlimited();
        budget.stop_handle().raise(Limit::Time);
        assert_eq!(count_cuts(&trace, &budget).unwrap_err().limit, Limit::Time);
        assert_eq!(count_cuts(&trace, &Budget::with_memory(1000)).unwrap_err().limit, Limit::Memory);
    }

    #[test]
    fn past_a_million_digits_runs_are_not_counted() {
        let lone = |n: usize| read(&(0..n).map(|i| format!("P{i}: @a\n")).collect::<String>());
        let factorial = product(1, 1000, &Budget::unlimited()).unwrap();
        assert_eq!(count_linearisations(&lone(1000), &Budget::unlimited()).unwrap(), factorial);
        // 205,023! is the first factorial with more.
        let over = count_linearisations(&lone(206_000), &Budget::unlimited()).unwrap_err();
        assert_eq!(over.limit, Limit::Digits);
    }
}
