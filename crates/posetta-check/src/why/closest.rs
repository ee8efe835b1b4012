//! The order in a language that is closest to a reference order: fewest exchanges of concurrent neighbours.
//!
//! Uniform-cost search (Dijkstra 1959) over (cut, mode). Taking an event costs the number of events that are not yet taken and
//! come before it in the reference order, so that the costs along a run add up to its inversions. Costs are small integers:
//! states wait in a queue of buckets, and those of cost c are all known before one of cost c + 1 is looked at. The first state
//! that is accepted whatever follows, or at the full cut, ends a closest order; what is left follows in the reference order,
//! which costs nothing.
//!
//! Near the reference order a cut is (i, ahead): every event of rank below i, not that of rank i, and a short list of later ones.
//! The states of cost 0 lie on the reference order itself and are kept as one list of modes per place, without a table.
//!
//! *Neighbours that commute*. If x, y are neighbours in an order of the language, inverted, and [commute](Language::commute), then
//! exchanging them gives an order of the language with one inversion less. So in a closest one no such neighbours stand,
//! and after x an earlier y is not taken if the two commute. A state therefore knows the event that was taken last, as long
//! as an earlier one is missing.
//!
//! *Free events* commute with all others. Let a free x that could be taken be passed over for later events, k of them before x is
//! taken. Taken before these instead, it is inverted with k events less, and with at most those more that come before it in the
//! reference order and are not taken yet. So x is not passed over if there is none of those; and if there is one, it need
//! not be, since the other order is at least as close. Hence, where the first event that is not taken is free, only that is taken, and
//! where the second is free and has its causes, nothing behind it. (Of all closest orders the first one, compared rank by
//! rank, obeys both: taking x before later events gives one that comes before it.)

use std::collections::VecDeque;
use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use super::allowance::Allowance;
use super::language::Language;
use crate::machine::Mode;
use posetta_base::{Budget, Claim, EventId, OverBudget};
use posetta_trace::Trace;

const WHAT: &str = "looking for the closest order";

/// No event, no state.
const NONE: u32 = u32::MAX;

/// So many events are looked at for the next one that can be taken, before a state goes back to wait.
const LOOK_AHEAD: u32 = 16;

/// What entering a state costs, in steps of the allowance.
const STATE: u64 = 32;

/// What looking at an event costs that may perhaps be taken.
const LOOK: u64 = 6;

/// How a search ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Closest {
    /// With a closest order.
    Found(Vec<EventId>),
    /// There is no order in the language.
    Nothing,
    /// With the allowance. There is none with fewer inversions than this.
    AtLeast(u64),
}

/// Looks for the order of the language that is closest to the trace's own linearisation, which is not in it.
pub(super) fn closest(
    trace: &Trace,
    language: &mut Language<'_>,
    allowance: &mut Allowance,
    budget: &Budget,
) -> Result<Closest, OverBudget> {
    let Some(search) = Search::new(trace, language, allowance, budget)? else { return Ok(Closest::AtLeast(1)) };
    search.find()
}

/// A state of cost 1 or more.
#[derive(Clone, Copy)]
struct Reached {
    /// The first rank that is not taken.
    low: u32,
    mode: Mode,
    /// The rank that was taken last, if it is above `low`.
    last: u32,
    /// Where the taken ranks above `low` are, ascending.
    ahead: (u32, u32),
    /// The state before; `NONE` if that is on the reference order, at `low`.
    parent: u32,
    /// The rank that was taken from there.
    took: u32,
    cost: u32,
}

struct Search<'s, 'l> {
    trace: &'s Trace,
    language: &'s mut Language<'l>,
    allowance: &'s mut Allowance,
    budget: &'s Budget,
    claim: Claim,
    /// The rank of each event.
    ranks: Vec<u32>,
    /// By rank, one more than the rank of the last direct cause.
    needs: Vec<u32>,
    /// The modes on the reference order after each number of events, ascending, one list after another.
    reference: Vec<Mode>,
    reference_ends: Vec<u32>,
    states: Vec<Reached>,
    table: HashTable<u32>,
    ahead: Vec<u32>,
    /// Per cost, from the current one on: states, and the rank to look at next.
    buckets: VecDeque<Vec<(u32, u32)>>,
    /// What is to be looked at before anything else of the same cost.
    stack: Vec<(u32, u32)>,
    cost: u32,
    /// Where an event is taken from, and the modes after it.
    from: Vec<u32>,
    modes: Vec<Mode>,
    look_at: usize,
}

/// What became of an event that was taken.
enum Taken {
    Goes,
    /// By this state, or from the reference order, a run of the language begins.
    Ends {
        parent: u32,
        low: u32,
        took: u32,
    },
    /// The allowance is spent.
    Spent,
}

impl<'s, 'l> Search<'s, 'l> {
    /// Reads the reference order. `None` if the allowance does not even allow that.
    fn new(
        trace: &'s Trace,
        language: &'s mut Language<'l>,
        allowance: &'s mut Allowance,
        budget: &'s Budget,
    ) -> Result<Option<Self>, OverBudget> {
        let n = trace.len();
        let mut claim = budget.claim(20 * n as u64, WHAT)?;
        let run = trace.linearisation();
        let ranks = super::ranks::ranks_of(run);
        if !allowance.spend(4 * n as u64) {
            return Ok(None);
        }
        let mut needs = Vec::with_capacity(n);
        let mut reference: Vec<Mode> = language.starts().to_vec();
        reference.sort_unstable();
        let mut reference_ends = Vec::with_capacity(n + 1);
        reference_ends.push(reference.len() as u32);
        let mut first = 0;
        for (at, &event) in run.iter().enumerate() {
            needs.push(causes(trace, event).map(|c| ranks[c.index()] + 1).max().unwrap_or(0));
            let (here, class) = (first..reference.len(), language.class(event));
            first = reference.len();
            for place in here {
                language.follow(reference[place], class, &mut reference)?;
            }
            sort_from(&mut reference, first);
            reference_ends.push(reference.len() as u32);
            if at % 1024 == 0 {
                budget.step(0, WHAT)?;
                claim.grow_to(20 * n as u64 + 8 * reference.len() as u64 + language.bytes(), WHAT)?;
            }
            let steps = language.step * (1 + reference.len() - first) as u64;
            if !allowance.spend(2 * steps) || reference.len() >= NONE as usize {
                return Ok(None);
            }
        }
        Ok(Some(Self {
            trace,
            language,
            allowance,
            budget,
            claim,
            ranks,
            needs,
            reference,
            reference_ends,
            states: Vec::new(),
            table: HashTable::new(),
            ahead: Vec::new(),
            buckets: VecDeque::new(),
            stack: Vec::new(),
            cost: 0,
            from: Vec::new(),
            modes: Vec::new(),
            look_at: 0,
        }))
    }

    fn find(mut self) -> Result<Closest, OverBudget> {
        let n = self.needs.len() as u32;
        // How far ahead of its place on the reference order an event can be taken at most.
        let furthest = (0..n).map(|r| r - self.needs[r as usize]).max().unwrap_or(0);
        while self.cost < furthest || !self.buckets.is_empty() {
            self.cost += 1;
            self.buckets.pop_front();
            if self.cost <= furthest {
                for low in 0..n - self.cost {
                    if low % 4096 == 0 {
                        self.budget.step(0, WHAT)?;
                        if !self.allowance.spend(u64::from((n - self.cost - low).min(4096) / 4) + 1) {
                            return Ok(Closest::AtLeast(u64::from(self.cost)));
                        }
                    }
                    let rank = low + self.cost;
                    if self.needs[rank as usize] <= low
                        && let Some(end) = self.leave(low, rank)?
                    {
                        return Ok(end);
                    }
                }
            }
            let mut at = 0;
            // A state never comes back to wait for the cost it came from.
            while let Some(&(state, rank)) = self.buckets.front().and_then(|bucket| bucket.get(at)) {
                at += 1;
                self.stack.push((state, rank));
                if let Some(end) = self.empty_stack()? {
                    return Ok(end);
                }
            }
            if self.buckets.iter().all(Vec::is_empty) {
                self.buckets.clear();
            }
        }
        Ok(Closest::Nothing)
    }

    /// Leaves the reference order: takes the event of a rank at a place before it.
    fn leave(&mut self, low: u32, rank: u32) -> Result<Option<Closest>, OverBudget> {
        let second = low + 1;
        if self.is_free(low) || rank > second && self.is_free(second) && self.needs[second as usize] <= low {
            return Ok(None);
        }
        let start = if low == 0 { 0 } else { self.reference_ends[low as usize - 1] };
        for place in start..self.reference_ends[low as usize] {
            self.from.clear();
            let taken = self.take(NONE, low, self.reference[place as usize], rank)?;
            if let Some(end) = self.end(taken) {
                return Ok(Some(end));
            }
            if let Some(end) = self.empty_stack()? {
                return Ok(Some(end));
            }
        }
        Ok(None)
    }

    fn end(&self, taken: Taken) -> Option<Closest> {
        match taken {
            Taken::Goes => None,
            Taken::Ends { parent, low, took } => Some(Closest::Found(self.order(parent, low, took))),
            Taken::Spent => Some(Closest::AtLeast(u64::from(self.cost))),
        }
    }

    /// Looks at states of the current cost, the newest first.
    fn empty_stack(&mut self) -> Result<Option<Closest>, OverBudget> {
        while let Some((id, rank)) = self.stack.pop() {
            if !self.allowance.spend(LOOK) {
                return Ok(Some(Closest::AtLeast(u64::from(self.cost))));
            }
            let state = self.states[id as usize];
            if self.can_take(&state, rank) {
                let (from, len) = (state.ahead.0 as usize, state.ahead.1 as usize);
                self.from.clear();
                self.from.extend_from_slice(&self.ahead[from..from + len]);
                let taken = self.take(id, state.low, state.mode, rank)?;
                if let Some(end) = self.end(taken) {
                    return Ok(Some(end));
                }
            }
            self.wait(id, rank + 1);
        }
        Ok(None)
    }

    /// Puts a state where its next event that can be taken has its turn, or where it is to look for one again.
    fn wait(&mut self, id: u32, from: u32) {
        let state = self.states[id as usize];
        let n = self.needs.len() as u32;
        let last = from.saturating_add(LOOK_AHEAD).min(n);
        let rank = (from..last).find(|&rank| self.can_take(&state, rank)).unwrap_or(last);
        // If there is not so much left, whatever comes next ends the search.
        self.allowance.spend(LOOK * u64::from(rank - from));
        if rank == n {
            return;
        }
        let before = self.ahead_of(&state).partition_point(|&a| a < rank) as u32;
        let wait = (state.cost + rank - state.low - before).saturating_sub(self.cost) as usize;
        if wait == 0 {
            // The rank that was looked at was taken already, so that the next one costs no more.
            self.stack.push((id, rank));
            return;
        }
        if self.buckets.len() <= wait {
            self.buckets.resize_with(wait + 1, Vec::new);
        }
        self.buckets[wait].push((id, rank));
    }

    fn ahead_of(&self, state: &Reached) -> &[u32] {
        &self.ahead[state.ahead.0 as usize..][..state.ahead.1 as usize]
    }

    fn is_free(&self, rank: u32) -> bool {
        self.language.is_free(self.language.class(self.trace.linearisation()[rank as usize]))
    }

    /// Whether all causes of the event of a rank are taken.
    fn has_causes(&self, state: &Reached, rank: u32) -> bool {
        let ahead = self.ahead_of(state);
        let taken = |r: u32| r < state.low || ahead.binary_search(&r).is_ok();
        let event = self.trace.linearisation()[rank as usize];
        self.needs[rank as usize] <= state.low || causes(self.trace, event).all(|c| taken(self.ranks[c.index()]))
    }

    /// Whether the event of a rank is not taken, its causes are, and a closest order may go on with it.
    fn can_take(&mut self, state: &Reached, rank: u32) -> bool {
        if rank != state.low {
            let ahead = self.ahead_of(state);
            if ahead.binary_search(&rank).is_ok() || self.is_free(state.low) || !self.has_causes(state, rank) {
                return false;
            }
            let second =
                state.low + 1 + ahead.iter().zip(state.low + 1..).take_while(|(a, home)| *a == home).count() as u32;
            if rank > second && self.is_free(second) && self.has_causes(state, second) {
                return false;
            }
        }
        if state.last == NONE || rank > state.last {
            return true;
        }
        let class = |rank: u32| self.language.class(self.trace.linearisation()[rank as usize]);
        let (one, other) = (class(state.last), class(rank));
        !self.language.commute(one, other)
    }

    /// Takes an event from a cut, `self.from` being what it has ahead.
    fn take(&mut self, parent: u32, low: u32, mode: Mode, rank: u32) -> Result<Taken, OverBudget> {
        let n = self.needs.len() as u32;
        let class = self.language.class(self.trace.linearisation()[rank as usize]);
        let mut modes = std::mem::take(&mut self.modes);
        modes.clear();
        self.language.follow(mode, class, &mut modes)?;
        let (mut next, mut last) = (low, rank);
        if rank == low {
            let home = self.from.iter().zip(low + 1..).take_while(|(a, home)| *a == home).count();
            self.from.drain(..home);
            next = low + 1 + home as u32;
            last = NONE;
        } else {
            let at = self.from.partition_point(|&a| a < rank);
            self.from.insert(at, rank);
        }
        let mut taken = Taken::Goes;
        for &mode in &modes {
            if self.language.accepts_all(mode) || next == n && self.language.accepts(mode) {
                taken = Taken::Ends { parent, low, took: rank };
                break;
            }
            if next == n || self.from.is_empty() && self.is_on_reference(next, mode) {
                continue;
            }
            let state = Reached { low: next, mode, last, ahead: (0, 0), parent, took: rank, cost: self.cost };
            if !self.enter(state)? {
                taken = Taken::Spent;
                break;
            }
        }
        self.modes = modes;
        Ok(taken)
    }

    fn is_on_reference(&self, at: u32, mode: Mode) -> bool {
        let start = if at == 0 { 0 } else { self.reference_ends[at as usize - 1] };
        self.reference[start as usize..self.reference_ends[at as usize] as usize].binary_search(&mode).is_ok()
    }

    /// Takes a state into the table, with what is ahead in `self.from`. Answers whether the allowance allowed that.
    fn enter(&mut self, mut state: Reached) -> Result<bool, OverBudget> {
        if !self.allowance.spend(STATE * self.language.step + self.from.len() as u64 / 4) {
            return Ok(false);
        }
        if self.states.len() >= self.look_at {
            self.budget.step(0, WHAT)?;
            self.look_at = self.states.len() + 1024;
            self.claim.grow_to(self.bytes(), WHAT)?;
        }
        let Self { states, table, ahead, from, .. } = self;
        let ahead_of = |s: &Reached| &ahead[s.ahead.0 as usize..][..s.ahead.1 as usize];
        let hash_of = hash(&state, from);
        let same = |&id: &u32| {
            let s = &states[id as usize];
            (s.low, s.mode, s.last) == (state.low, state.mode, state.last) && ahead_of(s) == &from[..]
        };
        let rehash = |&id: &u32| hash(&states[id as usize], ahead_of(&states[id as usize]));
        let hashbrown::hash_table::Entry::Vacant(entry) = table.entry(hash_of, same, rehash) else { return Ok(true) };
        let id = states.len() as u32;
        let (Ok(start), true) = (u32::try_from(ahead.len()), id < NONE) else { return Ok(false) };
        entry.insert(id);
        state.ahead = (start, from.len() as u32);
        ahead.extend_from_slice(from);
        states.push(state);
        self.stack.push((id, state.low));
        Ok(true)
    }

    /// What the tables take, the next thousand states included: tables that grow stand beside the old ones.
    fn bytes(&self) -> u64 {
        let waiting: usize = self.buckets.iter().map(Vec::capacity).sum();
        let states = size_of::<Reached>() * (self.states.capacity() + 1024) + 16 * self.table.capacity();
        let lists = 4 * (self.ahead.capacity() + 1024) + 8 * (waiting + self.stack.capacity());
        20 * self.needs.len() as u64
            + 8 * self.reference.len() as u64
            + 2 * (states + lists) as u64
            + self.language.bytes()
    }

    /// The run that takes the event of a rank after a state, or at a place of the reference order, and goes on in that order.
    fn order(&self, parent: u32, low: u32, took: u32) -> Vec<EventId> {
        let mut steps = vec![took];
        let (mut id, mut left_at) = (parent, low);
        while id != NONE {
            let state = &self.states[id as usize];
            steps.push(state.took);
            left_at = state.low;
            id = state.parent;
        }
        steps.reverse();
        let run = self.trace.linearisation();
        let mut prefix: Vec<EventId> = run[..left_at as usize].to_vec();
        prefix.extend(steps.iter().map(|&rank| run[rank as usize]));
        posetta_trace::complete(self.trace, &prefix)
    }
}

fn hash(state: &Reached, ahead: &[u32]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u64(u64::from(state.low) << 32 | u64::from(state.mode));
    hasher.write_u32(state.last);
    ahead.iter().for_each(|&a| hasher.write_u32(a));
    hasher.finish()
}

/// Direct causes, the event before on the same process included.
pub(super) fn causes(trace: &Trace, event: EventId) -> impl Iterator<Item = EventId> {
    let before = trace.position(event).checked_sub(1).map(|at| trace.chain(trace.process(event))[at]);
    trace.causes(event).iter().copied().chain(before)
}

/// Sorts the end of a list and drops what is in it twice.
fn sort_from(list: &mut Vec<Mode>, first: usize) {
    list[first..].sort_unstable();
    let mut kept = first;
    for at in first..list.len() {
        if at == first || list[at] != list[kept - 1] {
            list[kept] = list[at];
            kept += 1;
        }
    }
    list.truncate(kept);
}
