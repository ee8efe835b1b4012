//! Edges that a run lacks: a smallest set of them with which the property holds.
//!
//! All edges lead forward in one run that satisfies the property, the reference order, so that it stays a run whatever is
//! added. A failing run is then excluded by a set of edges exactly if one of its inverted pairs is among them. So this is a
//! hitting set problem whose sets are found one by one (implicit hitting sets: Moreno-Centeno and Karp 2013): take a smallest set
//! of edges that excludes the failing runs known so far; if the run with these edges has no failing order, no smaller set will
//! do; otherwise it has one that is new.

use rustc_hash::FxHashMap;

use super::allowance::Allowance;
use super::closest::{Closest, causes, closest};
use super::hitting::{hitting_set, pass};
use super::language::Language;
use super::ranks::{Pair, as_ranks, deciding, inverted, ranks_of};
use super::settle::settle;
use crate::linear::{self, RunSearch, Until};
use crate::{Options, Stats};
use posetta_base::{Budget, EventId, OverBudget};
use posetta_compile::Linear;
use posetta_logic::eval::Notes;
use posetta_logic::{Bound, View};
use posetta_trace::Trace;

/// A failing order with more inversions says too little.
const MOST_PAIRS: usize = 1 << 11;

/// So many failing orders are looked at.
const MOST_SETS: usize = 1 << 8;

/// What one call of an engine costs for each event, in steps of the allowance.
const ENGINE: u64 = 12;

/// What an engine costs for each configuration.
const CONFIGURATION: u64 = 20;

/// Up to so many events every pair of them is tried.
const FEW_EVENTS: usize = 64;

/// Weaker edges are tried so many times for each edge.
const WEAKENINGS: usize = 8;

/// A set of edges, and whether it is known to be smallest.
#[derive(Debug)]
pub(super) struct Missing {
    pub(super) edges: Vec<(EventId, EventId)>,
    pub(super) minimum: bool,
}

/// What is asked.
pub(super) struct Setting<'q> {
    /// Its linearisation, the reference order, satisfies the property.
    pub(super) trace: &'q Trace,
    pub(super) bound: &'q Bound<Linear>,
    pub(super) view: View,
    /// Edges against the reference order would do as well.
    pub(super) free: bool,
    pub(super) threads: usize,
    pub(super) budget: &'q Budget,
}

/// Edges with which the property holds, none of which can be left out; nothing if the allowance is spent first. `failing` are
/// failing orders, as ranks of the reference order, the first one close to it.
pub(super) fn missing_edges(
    setting: &Setting<'_>,
    failing: &[Vec<u32>],
    language: &mut Language<'_>,
    allowance: &mut Allowance,
) -> Result<Option<Missing>, OverBudget> {
    let mut hunt = Hunt {
        setting,
        language,
        allowance,
        ranks: ranks_of(setting.trace.linearisation()),
        pairs: Vec::new(),
        numbers: FxHashMap::default(),
        sets: Vec::new(),
        orders: Vec::new(),
    };
    for order in failing {
        if !hunt.learn(order) && hunt.sets.is_empty() {
            return Ok(None);
        }
    }
    hunt.find()
}

/// What an engine found.
enum Found {
    /// No failing order.
    Nothing,
    /// One that is new, as ranks.
    Failing(Vec<u32>),
    /// The allowance is spent.
    Spent,
}

struct Hunt<'h, 'q, 'l> {
    setting: &'h Setting<'q>,
    language: &'h mut Language<'l>,
    allowance: &'h mut Allowance,
    ranks: Vec<u32>,
    /// Every inverted pair that was met, and its number.
    pairs: Vec<Pair>,
    numbers: FxHashMap<Pair, u32>,
    /// The numbers of the inverted pairs of each failing order, the most telling first.
    sets: Vec<Vec<u32>>,
    /// The failing orders themselves, where they are short.
    orders: Vec<Vec<u32>>,
}

/// Leaves the function with nothing when the allowance is spent.
macro_rules! or_spent {
    ($found:expr) => {
        match $found {
            Found::Nothing => None,
            Found::Failing(order) => Some(order),
            Found::Spent => return Ok(None),
        }
    };
}

impl Hunt<'_, '_, '_> {
    fn find(&mut self) -> Result<Option<Missing>, OverBudget> {
        let mut at_least = 0;
        let (mut edges, mut minimum) = loop {
            let Some((edges, smallest)) = hitting_set(&self.sets, at_least, self.allowance, self.setting.budget)?
            else {
                return Ok(None);
            };
            if smallest {
                at_least = edges.len();
            }
            match or_spent!(self.failing(&edges)?) {
                None => break (edges, smallest),
                Some(order) if self.sets.len() < MOST_SETS && self.learn(&order) => {}
                Some(_) => return Ok(None),
            }
        };
        if !minimum && self.drop_needless(&mut edges)?.is_none() {
            return Ok(None);
        }
        self.weaken(&mut edges);
        let edge = |&number: &u32| self.pairs[number as usize];
        let mut forward: Vec<Pair> = edges.iter().map(edge).collect();
        forward.sort_unstable();
        let run = self.setting.trace.linearisation();
        let mut edges: Vec<(EventId, EventId)> =
            forward.iter().map(|&(a, b)| (run[a as usize], run[b as usize])).collect();
        if self.setting.free && edges.len() > 1 {
            match self.single_backward() {
                Ok(Some(Some(edge))) => {
                    edges = vec![edge];
                    minimum = true;
                }
                Ok(Some(None)) => minimum &= edges.len() == 2,
                Ok(None) | Err(_) => minimum = false,
            }
        }
        Ok(Some(Missing { edges, minimum }))
    }

    /// Remembers the inverted pairs of a failing order. Answers whether they are not too many.
    fn learn(&mut self, order: &[u32]) -> bool {
        let Some(mut pairs) = inverted(order, MOST_PAIRS) else { return false };
        // An edge between neighbours asks for the least: whoever adds it sees what it prevents.
        let mut telling: Vec<Pair> = deciding(order).collect();
        telling.sort_unstable();
        pairs.sort_by_cached_key(|pair| (telling.binary_search(pair).is_err(), *pair));
        let mut set = Vec::with_capacity(pairs.len());
        for pair in pairs {
            let fresh = self.pairs.len() as u32;
            let number = *self.numbers.entry(pair).or_insert(fresh);
            if number == fresh {
                self.pairs.push(pair);
            }
            set.push(number);
        }
        if order.len() <= FEW_EVENTS {
            self.orders.push(order.to_vec());
        }
        self.sets.push(set);
        true
    }

    fn events(&self, edges: &[u32]) -> Vec<(EventId, EventId)> {
        let run = self.setting.trace.linearisation();
        let event = |rank: u32| run[rank as usize];
        edges.iter().map(|&number| self.pairs[number as usize]).map(|(a, b)| (event(a), event(b))).collect()
    }

    /// A failing order of the run with more edges, close to the reference order.
    fn failing(&mut self, edges: &[u32]) -> Result<Found, OverBudget> {
        let run = self.setting.trace.linearisation().to_vec();
        let trace = self.setting.trace.with_edges(&self.events(edges), run, self.setting.budget)?;
        let Some(found) = self.ask(&trace)? else { return Ok(Found::Spent) };
        let Some(found) = found else { return Ok(Found::Nothing) };
        let mut share = self.allowance.share(8);
        let near = closest(&trace, self.language, &mut share, self.setting.budget)?;
        self.allowance.take_back(share);
        if let Closest::Found(run) = near {
            return Ok(Found::Failing(as_ranks(&run, &self.ranks)));
        }
        let mut order = as_ranks(&found, &self.ranks);
        settle(&mut order, trace.linearisation(), self.language, self.allowance, self.setting.budget)?;
        Ok(Found::Failing(order))
    }

    /// Asks the engine for a failing run; the outer answer is missing if the allowance is spent.
    fn ask(&mut self, trace: &Trace) -> Result<Option<Option<Vec<EventId>>>, OverBudget> {
        let Setting { bound, view, threads, budget, .. } = *self.setting;
        let parts = linear::parts(bound, true);
        if !self.allowance.spend(ENGINE * (trace.len() * parts.len()) as u64) {
            return Ok(None);
        }
        let options = Options { threads, ..Options::default() };
        let (mut stats, mut notes) = (Stats::default(), Notes::default());
        let most = self.allowance.left() / CONFIGURATION;
        if most == 0 {
            return Ok(None);
        }
        let until = Until::Tried(most);
        let search = RunSearch { trace, bound, view, until, options: &options, budget };
        let found = search.find(parts, &mut notes, &mut stats);
        self.allowance.spend(CONFIGURATION * (stats.configurations + stats.covered));
        match found {
            Ok(found) => Ok(Some(found)),
            // The engine counts as cancelled when its share of the work is done; then nobody else has cancelled it.
            Err(over) if budget.step(0, over.what).is_ok() && over.limit == posetta_base::Limit::Cancelled => Ok(None),
            Err(over) => Err(over),
        }
    }

    fn meets_all(&self, edges: &[u32]) -> bool {
        self.sets.iter().all(|set| edges.iter().any(|edge| set.contains(edge)))
    }

    /// Leaves out edges one by one, as long as the property holds.
    fn drop_needless(&mut self, edges: &mut Vec<u32>) -> Result<Option<()>, OverBudget> {
        let mut at = edges.len();
        while at > 0 {
            at -= 1;
            let edge = edges.remove(at);
            let needed = !self.meets_all(edges)
                || match or_spent!(self.failing(edges)?) {
                    None => false,
                    Some(order) => {
                        self.learn(&order);
                        true
                    }
                };
            if needed {
                edges.insert(at, edge);
            }
        }
        Ok(Some(()))
    }

    /// Replaces edges by weaker ones that do as well: from an earlier event, or to a later one. A limit leaves the others as
    /// they are.
    fn weaken(&mut self, edges: &mut [u32]) {
        for at in 0..edges.len() {
            let mut tried: Vec<u32> = Vec::new();
            for _ in 0..WEAKENINGS {
                let Some(weaker) = self.weaker(edges, at, &tried) else { break };
                let edge = std::mem::replace(&mut edges[at], weaker);
                match self.failing(edges) {
                    Ok(Found::Nothing) => continue,
                    Ok(Found::Failing(order)) => {
                        self.learn(&order);
                    }
                    Ok(Found::Spent) | Err(_) => {
                        edges[at] = edge;
                        return;
                    }
                }
                edges[at] = edge;
                tried.push(weaker);
            }
        }
    }

    /// An edge that asks for less than one of these and excludes the same orders, as far as they are known: the weakest.
    fn weaker(&mut self, edges: &[u32], at: usize, tried: &[u32]) -> Option<u32> {
        let (from, to) = self.pairs[edges[at] as usize];
        if !self.allowance.spend(2 * pass(&self.sets)) {
            return None;
        }
        let mut is_other = vec![false; self.pairs.len()];
        edges.iter().enumerate().filter(|(i, _)| *i != at).for_each(|(_, &edge)| is_other[edge as usize] = true);
        let is_alone = |set: &&Vec<u32>| !set.iter().any(|&number| is_other[number as usize]);
        let alone: Vec<&Vec<u32>> = self.sets.iter().filter(is_alone).collect();
        let first = alone.first()?;
        // By number: in how many of them it is.
        let mut counts = vec![0; self.pairs.len()];
        alone.iter().copied().flatten().for_each(|&number| counts[number as usize] += 1);
        let mut candidates: Vec<u32> = first
            .iter()
            .copied()
            .filter(|number| *number != edges[at] && !tried.contains(number))
            .filter(|&number| {
                let (a, b) = self.pairs[number as usize];
                a <= from && to <= b && counts[number as usize] == alone.len()
            })
            .collect();
        candidates.sort_by_key(|&number| {
            let (a, b) = self.pairs[number as usize];
            (std::cmp::Reverse(b - a), a)
        });
        candidates.into_iter().find(|&number| {
            let (a, b) = self.pairs[number as usize];
            self.is_before(a, from) && self.is_before(to, b)
        })
    }

    /// Whether an event is another one or happened before it, by rank. If the allowance does not allow to find out, it counts as
    /// not.
    fn is_before(&mut self, one: u32, other: u32) -> bool {
        let trace = self.setting.trace;
        let run = trace.linearisation();
        let mut seen = vec![false; (other.saturating_sub(one)) as usize + 1];
        if !self.allowance.spend(seen.len() as u64) {
            return false;
        }
        let mut open = vec![other];
        while let Some(rank) = open.pop() {
            if rank == one {
                return true;
            }
            for cause in causes(trace, run[rank as usize]) {
                let cause = self.ranks[cause.index()];
                if cause >= one && !std::mem::replace(&mut seen[(cause - one) as usize], true) {
                    open.push(cause);
                }
            }
        }
        false
    }

    /// A single edge against the reference order with which the property holds; the outer answer is missing if there was no
    /// time to try all.
    fn single_backward(&mut self) -> Result<Option<Option<(EventId, EventId)>>, OverBudget> {
        let trace = self.setting.trace;
        let n = trace.len() as u32;
        if trace.len() > FEW_EVENTS || self.orders.len() < self.sets.len() {
            return Ok(None);
        }
        let run = trace.linearisation();
        // By rank, what is the event or happened before it.
        let mut before: Vec<u64> = Vec::with_capacity(run.len());
        for (rank, &event) in run.iter().enumerate() {
            let known = causes(trace, event).fold(0, |all, c| all | before[self.ranks[c.index()] as usize]);
            before.push(known | 1 << rank);
        }
        let is_before = |one: u32, other: u32| before[other as usize] >> one & 1 == 1;
        let mut candidates: Vec<Pair> = Vec::new();
        for from in 0..n {
            candidates.extend((0..from).filter(|&to| !is_before(to, from)).map(|to| (from, to)));
        }
        // Where a strong edge does not help, a weaker one does not either: the order that shows it excludes that, too.
        candidates.sort_by_key(|&(from, to)| (std::cmp::Reverse(from - to), from));
        let place = |order: &[u32], rank: u32| order.iter().position(|&r| r == rank);
        for (from, to) in candidates {
            if self.orders.iter().any(|order| place(order, from) < place(order, to)) {
                continue;
            }
            let (behind, mut order): (Vec<u32>, Vec<u32>) = (0..n).partition(|&rank| is_before(to, rank));
            order.extend(behind);
            let edge = (run[from as usize], run[to as usize]);
            let order = order.iter().map(|&rank| run[rank as usize]).collect();
            let more = trace.with_edges(&[edge], order, self.setting.budget)?;
            let one_holds = self.holds_on(&more)?;
            match if one_holds { self.ask(&more)? } else { Some(Some(more.linearisation().to_vec())) } {
                None => return Ok(None),
                Some(None) => return Ok(Some(Some(edge))),
                Some(Some(found)) => self.orders.push(as_ranks(&found, &self.ranks)),
            }
        }
        Ok(Some(None))
    }

    /// Whether the linearisation of a run satisfies the property.
    fn holds_on(&self, trace: &Trace) -> Result<bool, OverBudget> {
        let Setting { bound, view, budget, .. } = *self.setting;
        let run = trace.linearisation();
        let word = posetta_logic::eval::word(trace, bound, run, view, &mut Notes::default(), budget)?;
        bound.formula.holds(&word, budget)
    }
}
