//! Exact numbers of cuts and of linearisations.
//!
//! **Cuts.** The processes are decided one after another; what the decided ones imply for the rest is a lower and an
//! upper bound on the counts of their undecided neighbours. Prefixes with the same bounds are counted together, so the
//! work follows the communication topology, not the number of cuts: independent processes cost nothing, a ring of `n`
//! costs the square of one member's length per step. The order of processes is greedy for a small frontier.
//!
//! **Linearisations.** Paths in the graph of cuts, level by level, per connected group of processes; the groups
//! interleave freely, which is a multinomial factor.

use dashu_int::UBig;
use dashu_int::ops::BitTest;
use rustc_hash::FxHashMap;

use super::cut::Lattice;
use super::event::Trace;
use crate::base::{Budget, EventId, Limit, OverBudget, PackedSet};

/// Counts past this many bits are not worth their digits.
const MAX_BITS: f64 = 4e6;

/// How many consistent cuts the trace has, the empty and the full one included.
///
/// # Errors
/// When the budget is spent.
pub fn count_cuts(trace: &Trace, budget: &Budget) -> Result<UBig, OverBudget> {
    const WHAT: &str = "counting the cuts";
    let constraints = Constraints::new(trace);
    let order = constraints.elimination_order();
    let mut claim = budget.claim(0, WHAT)?;
    // Bounds on the frontier (undecided processes next to decided ones) → number of prefixes that imply them.
    let mut frontier: Vec<usize> = Vec::new();
    let mut states: FxHashMap<Box<[u32]>, UBig> = FxHashMap::default();
    states.insert(Box::default(), UBig::ONE);
    let mut decided = vec![false; trace.process_count()];
    for &process in &order {
        decided[process] = true;
        let mut next_frontier: Vec<usize> = frontier.iter().copied().filter(|&p| p != process).collect();
        for &p in &constraints.neighbours[process] {
            if !decided[p] && !next_frontier.contains(&p) {
                next_frontier.push(p);
            }
        }
        let own_place = frontier.iter().position(|&p| p == process);
        let segments = constraints.segments(process, &next_frontier);
        let carried: Vec<Option<usize>> = next_frontier.iter().map(|p| frontier.iter().position(|q| q == p)).collect();
        let mut next: FxHashMap<Box<[u32]>, UBig> = FxHashMap::default();
        let mut work = 0u64;
        let mut bounds = Vec::new();
        for (state, ways) in &states {
            let (low, high) = match own_place {
                Some(i) => (state[2 * i], state[2 * i + 1]),
                None => (0, constraints.lengths[process]),
            };
            let first = segments.partition_point(|s| s.last < low);
            for segment in segments[first..].iter().take_while(|s| s.first <= high) {
                work += 1;
                if work.is_multiple_of(1024) {
                    budget.step(1024, WHAT)?;
                    let row = (next_frontier.len() * 8 + 64) as u64;
                    let digits = ways.bit_len() as u64 / 8;
                    claim.grow_to((next.len() + states.len()) as u64 * (row + digits), WHAT)?;
                }
                bounds.clear();
                for (i, carried) in carried.iter().enumerate() {
                    let (low, high) = match carried {
                        Some(j) => (state[2 * j], state[2 * j + 1]),
                        None => (0, constraints.lengths[next_frontier[i]]),
                    };
                    bounds.extend([low.max(segment.bounds[2 * i]), high.min(segment.bounds[2 * i + 1])]);
                }
                if bounds.chunks_exact(2).any(|b| b[0] > b[1]) {
                    continue;
                }
                let choices = segment.last.min(high) - segment.first.max(low) + 1;
                let more = ways * UBig::from(choices);
                match next.get_mut(&bounds[..]) {
                    Some(ways) => *ways += more,
                    None => drop(next.insert(bounds.as_slice().into(), more)),
                }
            }
        }
        states = next;
        frontier = next_frontier;
    }
    Ok(states.into_values().sum())
}

/// A stretch of counts of one process that mean the same for its undecided neighbours.
struct Segment {
    first: u32,
    last: u32,
    /// Lower and upper bound for each process of the frontier.
    bounds: Vec<u32>,
}

/// Direct edges as constraints between counts.
struct Constraints {
    lengths: Vec<u32>,
    neighbours: Vec<Vec<usize>>,
    /// For each process, its edges: (own count, other process, other's count, whether the other is the effect).
    edges: Vec<Vec<Edge>>,
}

struct Edge {
    own: u32,
    other: usize,
    count: u32,
    other_is_effect: bool,
}

impl Constraints {
    fn new(trace: &Trace) -> Self {
        let n = trace.process_count();
        let mut edges: Vec<Vec<Edge>> = (0..n).map(|_| Vec::new()).collect();
        let at = |e: EventId| (trace.process(e).index(), trace.position(e) as u32 + 1);
        for effect in trace.events() {
            let (q, b) = at(effect);
            for &cause in trace.causes(effect) {
                let (p, a) = at(cause);
                edges[p].push(Edge { own: a, other: q, count: b, other_is_effect: true });
                edges[q].push(Edge { own: b, other: p, count: a, other_is_effect: false });
            }
        }
        let neighbours = edges
            .iter()
            .map(|list| {
                let mut all: Vec<usize> = list.iter().map(|e| e.other).collect();
                all.sort_unstable();
                all.dedup();
                all
            })
            .collect();
        Self { lengths: trace.processes().map(|p| trace.chain(p).len() as u32).collect(), neighbours, edges }
    }

    /// Greedy: next the process after which the fewest undecided ones are constrained.
    fn elimination_order(&self) -> Vec<usize> {
        let n = self.lengths.len();
        let (mut decided, mut in_frontier) = (vec![false; n], vec![false; n]);
        let mut frontier: Vec<usize> = Vec::new();
        let mut order = Vec::with_capacity(n);
        let mut by_degree: Vec<usize> = (0..n).collect();
        by_degree.sort_by_key(|&p| (self.neighbours[p].len(), p));
        let mut fresh = by_degree.into_iter();
        while order.len() < n {
            let opens = |p: usize| self.neighbours[p].iter().filter(|&&q| !decided[q] && !in_frontier[q]).count();
            let next = match frontier.iter().copied().min_by_key(|&p| (opens(p), p)) {
                Some(p) => p,
                None => match fresh.find(|&p| !decided[p]) {
                    Some(p) => p,
                    None => break,
                },
            };
            frontier.retain(|&p| p != next);
            decided[next] = true;
            order.push(next);
            for &p in &self.neighbours[next] {
                if !decided[p] && !in_frontier[p] {
                    in_frontier[p] = true;
                    frontier.push(p);
                }
            }
        }
        order
    }

    fn segments(&self, process: usize, frontier: &[usize]) -> Vec<Segment> {
        let length = self.lengths[process];
        let place = |p: usize| frontier.iter().position(|&q| q == p);
        let edges: Vec<(&Edge, usize)> =
            self.edges[process].iter().filter_map(|e| Some((e, place(e.other)?))).collect();
        // With count c: an edge from the other is binding if c >= own, an edge to it if c < own.
        let mut starts: Vec<u32> = edges.iter().map(|(e, _)| e.own).filter(|&c| c <= length).collect();
        starts.push(0);
        starts.sort_unstable();
        starts.dedup();
        let mut segments: Vec<Segment> = Vec::with_capacity(starts.len());
        for (i, &first) in starts.iter().enumerate() {
            let last = starts.get(i + 1).map_or(length, |next| next - 1);
            segments.push(Segment {
                first,
                last,
                bounds: frontier.iter().flat_map(|&p| [0, self.lengths[p]]).collect(),
            });
        }
        let segment_of = |own: u32| starts.partition_point(|&s| s < own);
        for (edge, place) in edges {
            let from = segment_of(edge.own);
            if edge.other_is_effect {
                // Below `own` the effect is out; the tightest bound is set on the segment before and spread down.
                if from > 0 {
                    let high = &mut segments[from - 1].bounds[2 * place + 1];
                    *high = (*high).min(edge.count - 1);
                }
            } else if from < segments.len() {
                let low = &mut segments[from].bounds[2 * place];
                *low = (*low).max(edge.count);
            }
        }
        for place in 0..frontier.len() {
            for i in 1..segments.len() {
                let low = segments[i - 1].bounds[2 * place];
                let slot = &mut segments[i].bounds[2 * place];
                *slot = (*slot).max(low);
            }
            for i in (1..segments.len()).rev() {
                let high = segments[i].bounds[2 * place + 1];
                let slot = &mut segments[i - 1].bounds[2 * place + 1];
                *slot = (*slot).min(high);
            }
        }
        // Neighbouring stretches that differ in nothing that is still undecided are one.
        segments.dedup_by(|next, kept| {
            let same = kept.bounds == next.bounds;
            if same {
                kept.last = next.last;
            }
            same
        });
        segments
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
    const WHAT: &str = "counting the linearisations";
    let constraints = Constraints::new(trace);
    let mut total = UBig::ONE;
    let mut placed = 0u64;
    for group in constraints.groups() {
        let size: u64 = group.iter().map(|&p| u64::from(constraints.lengths[p])).sum();
        if size == 0 {
            continue;
        }
        let width = group.iter().filter(|&&p| constraints.lengths[p] > 0).count();
        if (placed + size) as f64 * ((width as f64).log2() + 1.0) > MAX_BITS && (width > 1 || placed > 0) {
            return Err(OverBudget { what: WHAT, limit: Limit::Digits });
        }
        if width > 1 {
            total *= paths(trace, &group, size, budget)?;
        }
        if placed > 0 {
            let smaller = placed.min(size);
            let top = product(placed + size - smaller + 1, placed + size, budget)?;
            total *= top / product(1, smaller, budget)?;
        }
        placed += size;
    }
    Ok(total)
}

/// `low * … * high`, halves first so that the factors are of like size.
fn product(low: u64, high: u64, budget: &Budget) -> Result<UBig, OverBudget> {
    budget.step(0, "counting the linearisations")?;
    if high < low + 16 {
        return Ok((low..=high).map(UBig::from).product());
    }
    let middle = low + (high - low) / 2;
    Ok(product(low, middle, budget)? * product(middle + 1, high, budget)?)
}

/// Paths through the cuts of one connected group of processes.
fn paths(trace: &Trace, group: &[usize], size: u64, budget: &Budget) -> Result<UBig, OverBudget> {
    const WHAT: &str = "counting the linearisations";
    let lattice = Lattice::new(trace, budget)?;
    let packing = lattice.packing();
    let words = packing.words();
    let mut claim = budget.claim(0, WHAT)?;
    let (mut level, mut next) = (PackedSet::<0>::new(words), PackedSet::<0>::new(words));
    let (mut ways, mut next_ways) = (vec![UBig::ONE], Vec::new());
    let mut cut = vec![0; words];
    level.insert(&cut);
    for _ in 0..size {
        next.clear();
        next_ways.clear();
        for i in 0..level.len() as u32 {
            if i.is_multiple_of(256) {
                budget.step(256, WHAT)?;
                let digits = ways[i as usize].bit_len() as u64 / 8 + 32;
                let rows = (level.len() + next.len()) as u64 * digits;
                claim.grow_to(level.bytes() + next.bytes() + rows, WHAT)?;
                if next.is_full() {
                    return Err(OverBudget { what: WHAT, limit: Limit::Memory });
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
