//! A trace without the events that cannot matter, under the order that is left.
//!
//! The kept events lie on *chains*: totally ordered, but not bound to processes, so that a variable written by a hundred
//! processes in turn is one chain. Each new event, in the order of a run, is put at the end of a chain whose last event
//! happened before it. (That greedy choice is not always the fewest; where it would need more chains than there are processes
//! with kept events, the processes are the chains.) A *place* is an event on a chain. Clocks are kept over chains, both ways
//! ([`Slice::clock`], [`Slice::reverse`]), which is all that paper 000's search asks for.
//!
//! One pass over the trace carries the clocks of all events. Events that know the same kept events share one row, so
//! that a long stretch without kept events costs four bytes an event.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::cut::Packing;
use super::event::Trace;
use super::linearize::{causes_of, for_each_effect};
use posetta_base::{Budget, Claim, EventId, OverBudget};

const WHAT: &str = "leaving out events that cannot matter";

/// Stands for "something happened that assigns nothing".
const TICK: u32 = u32::MAX;

/// Kept events under the induced order.
#[derive(Debug)]
pub struct Slice {
    /// Where each chain begins in the tables, and where the last one ends.
    offsets: Vec<u32>,
    /// The event at each place, chain by chain.
    events: Vec<u32>,
    clocks: Vec<u32>,
    reverse: Vec<u32>,
    _claim: Claim,
}

/// Clock rows over chains; an event may share its row with others. Rows made early are shorter: no chain is known that
/// did not exist.
struct Rows {
    cells: Vec<u32>,
    ends: Vec<u32>,
    claim: Claim,
}

impl Rows {
    fn row(&self, id: u32) -> &[u32] {
        let start = if id == 0 { 0 } else { self.ends[id as usize - 1] };
        &self.cells[start as usize..self.ends[id as usize] as usize]
    }

    fn add(&mut self, row: &[u32]) -> Result<u32, OverBudget> {
        self.cells.extend_from_slice(row);
        // Ends are 32 bits wide: sixteen gigabytes of rows are refused like any other limit.
        let full = OverBudget::new(WHAT, posetta_base::Limit::Memory);
        self.ends.push(u32::try_from(self.cells.len()).map_err(|_| full)?);
        self.claim.grow_to(4 * (self.cells.capacity() + self.ends.capacity()) as u64, WHAT)?;
        Ok(self.ends.len() as u32 - 1)
    }

    /// The row of what both know.
    fn join(&mut self, a: u32, b: u32, scratch: &mut Vec<u32>) -> Result<u32, OverBudget> {
        if a == b {
            return Ok(a);
        }
        let (row_a, row_b) = (self.row(a), self.row(b));
        let covers = |x: &[u32], y: &[u32]| y.iter().enumerate().all(|(i, &v)| x.get(i).copied().unwrap_or(0) >= v);
        if covers(row_a, row_b) {
            return Ok(a);
        }
        if covers(row_b, row_a) {
            return Ok(b);
        }
        scratch.clear();
        let at = |row: &[u32], i: usize| row.get(i).copied().unwrap_or(0);
        scratch.extend((0..row_a.len().max(row_b.len())).map(|i| at(row_a, i).max(at(row_b, i))));
        self.add(scratch)
    }
}

/// How kept events are put on chains.
#[derive(Clone, Copy)]
enum Chains<'c> {
    /// Where there is room, first on the chain of the process.
    Greedy,
    Processes,
    /// By a name, as long as its events are ordered.
    Named(&'c dyn Fn(EventId) -> u32),
}

impl Slice {
    /// The kept events of a trace. With `tick`, one more place without an event stands before every kept event that has a
    /// cause, kept or not.
    ///
    /// # Errors
    /// When the clocks do not fit the budget.
    pub fn new(trace: &Trace, kept: impl Fn(EventId) -> bool, tick: bool, budget: &Budget) -> Result<Self, OverBudget> {
        let writers = trace.processes().filter(|&p| trace.chain(p).iter().any(|&e| kept(e))).count();
        let most = (writers + usize::from(tick)).max(1);
        match Self::on(Chains::Greedy, trace, &kept, tick, most, budget)? {
            Some(slice) => Ok(slice),
            None => Ok(Self::on(Chains::Processes, trace, &kept, tick, most, budget)?
                .expect("processes and a tick are no more chains than processes and a tick")),
        }
    }

    /// The kept events of a trace, with a chain for each name that `named` gives to them. Where events of one name are not
    /// ordered, the processes are the chains.
    ///
    /// # Errors
    /// When the clocks do not fit the budget.
    pub fn with_named_chains(
        trace: &Trace,
        kept: impl Fn(EventId) -> bool,
        named: impl Fn(EventId) -> u32,
        budget: &Budget,
    ) -> Result<Self, OverBudget> {
        match Self::on(Chains::Named(&named), trace, &kept, false, usize::MAX, budget)? {
            Some(slice) => Ok(slice),
            None => Ok(Self::on(Chains::Processes, trace, &kept, false, usize::MAX, budget)?
                .expect("there is no limit to the number of chains")),
        }
    }

    /// Whether events are totally ordered. Memory is linear in them, whatever the number of processes.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn is_chain(trace: &Trace, kept: impl Fn(EventId) -> bool, budget: &Budget) -> Result<bool, OverBudget> {
        Ok(Self::on(Chains::Named(&|_| 0), trace, &kept, false, usize::MAX, budget)?.is_some())
    }

    /// `None` if more than `most` chains were needed, or if events of one name are not ordered.
    fn on(
        how: Chains<'_>,
        trace: &Trace,
        kept: &dyn Fn(EventId) -> bool,
        tick: bool,
        most: usize,
        budget: &Budget,
    ) -> Result<Option<Self>, OverBudget> {
        let mut claim = budget.claim(4 * trace.len() as u64, WHAT)?;
        let mut rows = Rows { cells: Vec::new(), ends: Vec::new(), claim: budget.claim(0, WHAT)? };
        let nothing = rows.add(&[])?;
        let mut row_of = vec![nothing; trace.len()];
        let mut chains: Vec<Vec<(u32, u32)>> = Vec::new();
        // The chain of the last kept event of each process, or of each name.
        let mut own: Vec<Option<usize>> = vec![None; trace.process_count()];
        let ticked = match tick {
            true => {
                let row = rows.add(&[1])?;
                chains.push(vec![(TICK, row)]);
                Some(row)
            }
            false => None,
        };
        let mut scratch = Vec::new();
        for (i, &event) in trace.linearisation().iter().enumerate() {
            if i % 256 == 0 {
                budget.step(0, WHAT)?;
            }
            let (process, position) = (trace.process(event), trace.position(event));
            let mut row = match position {
                0 => nothing,
                _ => row_of[trace.chain(process)[position - 1].index()],
            };
            for cause in trace.causes(event) {
                row = rows.join(row, row_of[cause.index()], &mut scratch)?;
            }
            if kept(event) {
                if let (Some(tick), true) = (ticked, position > 0 || !trace.causes(event).is_empty()) {
                    row = rows.join(row, tick, &mut scratch)?;
                }
                let knows_all = |c: usize| rows.row(row).get(c).is_some_and(|&v| v as usize == chains[c].len());
                let owner = match how {
                    Chains::Named(named) => named(event) as usize,
                    Chains::Greedy | Chains::Processes => process.index(),
                };
                if owner >= own.len() {
                    own.resize(owner + 1, None);
                }
                let chain = match (how, own[owner]) {
                    (Chains::Named(_), Some(chain)) if !knows_all(chain) => return Ok(None),
                    (Chains::Named(_) | Chains::Processes, chain) => chain.unwrap_or(chains.len()),
                    (Chains::Greedy, Some(chain)) if knows_all(chain) => chain,
                    (Chains::Greedy, _) => (0..chains.len()).find(|&c| knows_all(c)).unwrap_or(chains.len()),
                };
                if chain == chains.len() {
                    if chains.len() == most {
                        return Ok(None);
                    }
                    chains.push(Vec::new());
                }
                own[owner] = Some(chain);
                scratch.clear();
                scratch.extend_from_slice(rows.row(row));
                if scratch.len() <= chain {
                    scratch.resize(chain + 1, 0);
                }
                scratch[chain] = chains[chain].len() as u32 + 1;
                row = rows.add(&scratch)?;
                chains[chain].push((event.raw(), row));
            }
            row_of[event.index()] = row;
        }
        drop(row_of);
        let width = chains.len();
        let count: usize = chains.iter().map(Vec::len).sum();
        claim.grow_to((8 * (count as u64)).saturating_mul(width as u64 + 1), WHAT)?;
        let mut slice = Self {
            offsets: vec![0],
            events: Vec::with_capacity(count),
            clocks: Vec::with_capacity(count * width),
            reverse: vec![0; count * width],
            _claim: claim,
        };
        for chain in &chains {
            for &(event, row) in chain {
                let row = rows.row(row);
                slice.events.push(event);
                slice.clocks.extend_from_slice(row);
                slice.clocks.resize(slice.clocks.len() + width - row.len(), 0);
            }
            slice.offsets.push(slice.events.len() as u32);
        }
        // Where chains are many, rows take as much as half of a table.
        drop((rows, chains));
        slice.reverse_clocks(budget)?;
        Ok(Some(slice))
    }

    /// Along each pair of chains, the first that knows the next one only moves forward.
    fn reverse_clocks(&mut self, budget: &Budget) -> Result<(), OverBudget> {
        let width = self.width();
        for of in 0..width {
            for on in 0..width {
                budget.step(0, WHAT)?;
                let mut first = 1;
                for position in 1..=self.len(of) {
                    while first <= self.len(on) && self.clock(self.place(on, first))[of] < position {
                        first += 1;
                    }
                    let place = self.place(of, position);
                    self.reverse[place as usize * width + on] = first;
                }
            }
        }
        Ok(())
    }

    /// How many chains there are.
    #[must_use]
    #[inline]
    pub fn width(&self) -> usize {
        self.offsets.len() - 1
    }

    /// How many places a chain has.
    #[must_use]
    #[inline]
    pub fn len(&self, chain: usize) -> u32 {
        self.offsets[chain + 1] - self.offsets[chain]
    }

    /// How many places there are.
    #[must_use]
    pub fn places(&self) -> u32 {
        self.events.len() as u32
    }

    /// A place by its chain and its position there, from 1.
    #[must_use]
    #[inline]
    pub fn place(&self, chain: usize, position: u32) -> u32 {
        self.offsets[chain] + position - 1
    }

    /// The chain of a place and its position there, from 1.
    #[must_use]
    pub fn position(&self, place: u32) -> (usize, u32) {
        let chain = self.offsets.partition_point(|&start| start <= place) - 1;
        (chain, place - self.offsets[chain] + 1)
    }

    /// The event at a place; `None` for the tick.
    #[must_use]
    #[inline]
    pub fn event(&self, place: u32) -> Option<EventId> {
        let raw = self.events[place as usize];
        (raw != TICK).then(|| EventId::from_raw(raw))
    }

    /// How many places of each chain are this one or come before it.
    #[must_use]
    #[inline]
    pub fn clock(&self, place: u32) -> &[u32] {
        &self.clocks[place as usize * self.width()..][..self.width()]
    }

    /// On each chain, the position of the first place that is this one or comes after it; one more than its length if
    /// there is none.
    #[must_use]
    #[inline]
    pub fn reverse(&self, place: u32) -> &[u32] {
        &self.reverse[place as usize * self.width()..][..self.width()]
    }

    /// How cuts of the slice are packed.
    #[must_use]
    pub fn packing(&self) -> Packing {
        Packing::new((0..self.width()).map(|c| self.len(c) as usize))
    }

    /// A run of the whole trace in which the kept events come in the given order, and everything else as early as in
    /// [`Trace::linearisation`]. Kept events that come before a tick come first, and after them, if there are none, an
    /// event that was left out.
    #[must_use]
    pub fn complete(&self, trace: &Trace, order: &[u32]) -> Vec<EventId> {
        let kept: Vec<EventId> = order.iter().filter_map(|&place| self.event(place)).collect();
        // What comes before the tick has no causes.
        let before_tick = order.iter().position(|&place| self.event(place).is_none());
        let mut schedule = Schedule::new(trace, &kept);
        for &event in &kept[..before_tick.unwrap_or(0)] {
            schedule.take(event);
        }
        if before_tick == Some(0)
            && let Some(event) = schedule.earliest()
        {
            schedule.take(event);
        }
        let mut next = before_tick.unwrap_or(0);
        loop {
            let held = kept.get(next).copied().filter(|&event| schedule.is_ready(event));
            let event = match (held, schedule.earliest()) {
                (Some(held), Some(free)) if schedule.rank[held.index()] < schedule.rank[free.index()] => held,
                (_, Some(free)) => free,
                (Some(held), None) => held,
                (None, None) => return schedule.run,
            };
            next += usize::from(held == Some(event));
            schedule.take(event);
        }
    }
}

/// A run in the making.
struct Schedule<'t> {
    trace: &'t Trace,
    /// The place of each event in the trace's own linear extension.
    rank: Vec<u32>,
    /// How many direct causes have not come; [`TAKEN`] once the event has.
    missing: Vec<u32>,
    /// Whose turn is decided by someone else.
    held: Vec<bool>,
    /// The ranks of the others that are ready.
    ready: BinaryHeap<Reverse<u32>>,
    run: Vec<EventId>,
}

const TAKEN: u32 = u32::MAX;

impl<'t> Schedule<'t> {
    fn new(trace: &'t Trace, kept: &[EventId]) -> Self {
        let mut schedule = Self {
            trace,
            rank: vec![0; trace.len()],
            missing: trace.events().map(|e| causes_of(trace, e)).collect(),
            held: vec![false; trace.len()],
            ready: BinaryHeap::new(),
            run: Vec::with_capacity(trace.len()),
        };
        for (i, event) in trace.linearisation().iter().enumerate() {
            schedule.rank[event.index()] = i as u32;
        }
        kept.iter().for_each(|event| schedule.held[event.index()] = true);
        for event in trace.events() {
            if schedule.is_ready(event) {
                schedule.wake(event);
            }
        }
        schedule
    }

    fn wake(&mut self, event: EventId) {
        if !self.held[event.index()] {
            self.ready.push(Reverse(self.rank[event.index()]));
        }
    }

    fn is_ready(&self, event: EventId) -> bool {
        self.missing[event.index()] == 0
    }

    /// The earliest event that is ready and not held.
    fn earliest(&mut self) -> Option<EventId> {
        let linear = self.trace.linearisation();
        while let Some(&Reverse(rank)) = self.ready.peek() {
            let event = linear[rank as usize];
            if self.missing[event.index()] != TAKEN {
                return Some(event);
            }
            self.ready.pop();
        }
        None
    }

    fn take(&mut self, event: EventId) {
        self.run.push(event);
        self.missing[event.index()] = TAKEN;
        let trace = self.trace;
        for_each_effect(trace, event, |effect| {
            self.missing[effect.index()] -= 1;
            if self.missing[effect.index()] == 0 {
                self.wake(effect);
            }
        });
    }
}
