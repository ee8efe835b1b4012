//! Vector clocks, forward and reverse.
//!
//! A row per event, an entry per process. Forward, `clock(e)[p]` is how many events of `p` are `e` or happened before
//! it. Reverse, it is the position from 1 of the first event of `p` that is `e` or happened after it, and one more than
//! the length of `p` if there is none: what paper 000 calls ↑e. `n × k` numbers, so they are computed on demand.

use super::event::Trace;
use posetta_base::{Budget, Claim, EventId, OverBudget};

/// Which clocks to compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// What an event knows of.
    Forward,
    /// What knows of an event.
    Reverse,
}

/// The clocks of every event of one trace.
#[derive(Debug)]
pub struct Clocks {
    rows: Vec<u32>,
    width: usize,
    _claim: Claim,
}

impl Clocks {
    /// Computes the clocks of every event in time linear in events × processes.
    ///
    /// # Errors
    /// When the rows do not fit the budget.
    pub fn compute(trace: &Trace, direction: Direction, budget: &Budget) -> Result<Self, OverBudget> {
        const WHAT: &str = "computing vector clocks";
        let width = trace.process_count();
        let cells = (trace.len() as u64).saturating_mul(width as u64);
        let claim = budget.claim(cells.saturating_mul(4), WHAT)?;
        let mut clocks = Self { rows: vec![0; cells as usize], width, _claim: claim };
        if direction == Direction::Reverse {
            let past_the_end: Vec<u32> = trace.processes().map(|p| trace.chain(p).len() as u32 + 1).collect();
            for row in clocks.rows.chunks_exact_mut(width.max(1)) {
                row.copy_from_slice(&past_the_end);
            }
        }
        // A poll for every so many entries, however wide the rows are.
        let often = (1 << 18) / width.max(64);
        for at in 0..trace.len() {
            if at % often.max(1) == 0 {
                budget.step(0, WHAT)?;
            }
            match direction {
                Direction::Forward => clocks.join_causes(trace, trace.linear[at]),
                Direction::Reverse => clocks.join_effects(trace, trace.linear[trace.len() - 1 - at]),
            }
        }
        Ok(clocks)
    }

    fn join_causes(&mut self, trace: &Trace, event: EventId) {
        let position = trace.position(event);
        let chain = trace.chain(trace.process(event));
        if position > 0 {
            self.join(event, chain[position - 1], u32::max);
        }
        for &cause in trace.causes(event) {
            self.join(event, cause, u32::max);
        }
        self.rows[event.index() * self.width + trace.process(event).index()] = position as u32 + 1;
    }

    fn join_effects(&mut self, trace: &Trace, event: EventId) {
        let position = trace.position(event);
        let chain = trace.chain(trace.process(event));
        if let Some(&next) = chain.get(position + 1) {
            self.join(event, next, u32::min);
        }
        for &effect in trace.effects(event) {
            self.join(event, effect, u32::min);
        }
        self.rows[event.index() * self.width + trace.process(event).index()] = position as u32 + 1;
    }

    fn join(&mut self, into: EventId, from: EventId, pick: fn(u32, u32) -> u32) {
        let (into, from) = (into.index() * self.width, from.index() * self.width);
        for i in 0..self.width {
            self.rows[into + i] = pick(self.rows[into + i], self.rows[from + i]);
        }
    }

    /// The clock of an event, one entry per process.
    #[must_use]
    #[inline]
    pub fn of(&self, event: EventId) -> &[u32] {
        &self.rows[event.index() * self.width..][..self.width]
    }

    /// For forward clocks: whether `a` is `b` or happened before it.
    #[must_use]
    #[inline]
    pub fn before_or_equal(&self, trace: &Trace, a: EventId, b: EventId) -> bool {
        self.of(b)[trace.process(a).index()] as usize > trace.position(a)
    }

    /// For forward clocks: whether neither happened before the other. An event is not concurrent with itself.
    #[must_use]
    pub fn concurrent(&self, trace: &Trace, a: EventId, b: EventId) -> bool {
        !self.before_or_equal(trace, a, b) && !self.before_or_equal(trace, b, a)
    }
}
