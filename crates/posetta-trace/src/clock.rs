//! Vector clocks: how many events of each process an event knows of.
//!
//! A run of spans has as many processes as spans, and a row with an entry for each would make clocks quadratic. So
//! processes that came one after the other share a *strand*: a process joins one when its first event knows all events of
//! those that are on it, and no more of them will come. A row has an entry for each strand that was known when it was made:
//! how many events of it the event is or came after. What that says of one process follows, because the processes of a strand
//! are ordered. Rows are computed on demand.

use super::event::Trace;
use posetta_base::{Budget, Claim, EventId, OverBudget, ProcessId};

const WHAT: &str = "computing vector clocks";

/// Where the events of a process are.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    strand: u32,
    /// How many events of the strand came before.
    before: u32,
    len: u32,
}

/// The clocks of every event of one trace.
#[derive(Debug)]
pub struct Clocks {
    cells: Vec<u32>,
    /// Where the row of each event begins, and how long it is.
    rows: Vec<(usize, u32)>,
    parts: Vec<Stretch>,
    _claim: Claim,
}

/// Events of processes that came one after the other.
struct Strand {
    len: u32,
    /// The process that joined last.
    last: ProcessId,
}

impl Clocks {
    /// Computes the clocks of every event in time linear in events × strands.
    ///
    /// # Errors
    /// When the rows do not fit the budget.
    pub fn compute(trace: &Trace, budget: &Budget) -> Result<Self, OverBudget> {
        let fixed = (trace.len() as u64).saturating_mul(16) + trace.process_count() as u64 * 24;
        let mut claim = budget.claim(fixed, WHAT)?;
        let mut cells: Vec<u32> = Vec::new();
        let mut rows = vec![(0, 0); trace.len()];
        let mut parts = vec![Stretch { strand: u32::MAX, before: 0, len: 0 }; trace.process_count()];
        let mut strands: Vec<Strand> = Vec::new();
        let mut work = 0;
        for &event in trace.linearisation() {
            let (process, position) = (trace.process(event), trace.position(event));
            let start = cells.len();
            if let Some(before) = position.checked_sub(1) {
                join(&mut cells, start, rows[trace.chain(process)[before].index()]);
            }
            for cause in trace.causes(event) {
                join(&mut cells, start, rows[cause.index()]);
            }
            if position == 0 {
                let known = |strand: usize| cells.get(start + strand).copied().unwrap_or(0);
                // All of the strand has come, and the event knows all of it.
                let joins = |&strand: &usize| {
                    let Strand { len, last } = strands[strand];
                    let part = parts[last.index()];
                    known(strand) == len && part.before + trace.chain(last).len() as u32 == len
                };
                let strand = (0..cells.len() - start).find(joins);
                let len = strand.map_or(0, |strand| strands[strand].len);
                let strand = strand.unwrap_or(strands.len());
                match strands.get_mut(strand) {
                    Some(strand) => strand.last = process,
                    None => strands.push(Strand { len: 0, last: process }),
                }
                parts[process.index()] =
                    Stretch { strand: strand as u32, before: len, len: trace.chain(process).len() as u32 };
            }
            let strand = parts[process.index()].strand as usize;
            if cells.len() <= start + strand {
                cells.resize(start + strand + 1, 0);
            }
            strands[strand].len += 1;
            cells[start + strand] = strands[strand].len;
            rows[event.index()] = (start, (cells.len() - start) as u32);
            // A poll for every so many entries, however wide the rows are.
            work += 64 + (cells.len() - start) * (1 + trace.causes(event).len());
            if work >= 1 << 18 {
                work = 0;
                budget.step(0, WHAT)?;
                claim.grow_to(fixed + 4 * cells.capacity() as u64, WHAT)?;
            }
        }
        cells.shrink_to_fit();
        claim.grow_to(fixed + 4 * cells.capacity() as u64, WHAT)?;
        Ok(Self { cells, rows, parts, _claim: claim })
    }

    fn row(&self, event: EventId) -> &[u32] {
        let (start, len) = self.rows[event.index()];
        &self.cells[start..][..len as usize]
    }

    /// How many events of a process are the event or happened before it.
    #[must_use]
    #[inline]
    pub fn count(&self, event: EventId, process: ProcessId) -> u32 {
        let Stretch { strand, before, len } = self.parts[process.index()];
        self.row(event).get(strand as usize).copied().unwrap_or(0).saturating_sub(before).min(len)
    }

    /// The same of each process.
    pub fn counts(&self, event: EventId) -> impl ExactSizeIterator<Item = u32> + '_ {
        (0..self.parts.len() as u32).map(move |process| self.count(event, ProcessId::from_raw(process)))
    }

    /// Whether `a` is `b` or happened before it.
    #[must_use]
    #[inline]
    pub fn before_or_equal(&self, trace: &Trace, a: EventId, b: EventId) -> bool {
        self.count(b, trace.process(a)) as usize > trace.position(a)
    }

    /// Whether neither happened before the other. An event is not concurrent with itself.
    #[must_use]
    pub fn concurrent(&self, trace: &Trace, a: EventId, b: EventId) -> bool {
        !self.before_or_equal(trace, a, b) && !self.before_or_equal(trace, b, a)
    }
}

/// Adds what a row knows to the last one, which begins at `start`.
fn join(cells: &mut Vec<u32>, start: usize, (from, len): (usize, u32)) {
    let len = len as usize;
    if cells.len() < start + len {
        cells.resize(start + len, 0);
    }
    let (rows, last) = cells.split_at_mut(start);
    last.iter_mut().zip(&rows[from..from + len]).for_each(|(known, &count)| *known = (*known).max(count));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Builder;

    /// One span after the other, below one that lasts.
    #[test]
    fn processes_that_come_one_after_the_other_cost_one_entry() {
        let mut builder = Builder::new();
        let root = builder.process("root").unwrap();
        let begin = builder.event(root, 1).unwrap();
        let mut last = begin;
        for i in 0..2_000 {
            let span = builder.process(&format!("span {i}")).unwrap();
            let start = builder.event(span, 1).unwrap();
            builder.link_events(begin, start);
            builder.link_events(last, start);
            last = builder.event(span, 1).unwrap();
        }
        let end = builder.event(root, 1).unwrap();
        builder.link_events(last, end);
        let trace = builder.finish(true, &Budget::unlimited()).unwrap();
        let clocks = Clocks::compute(&trace, &Budget::unlimited()).unwrap();
        assert!(clocks.cells.len() <= 2 * trace.len() + 2, "{}", clocks.cells.len());
        assert!(clocks.counts(end).eq(trace.processes().map(|p| trace.chain(p).len() as u32)));
        assert!(clocks.counts(begin).eq(trace.processes().map(|p| u32::from(p == root))));
    }
}
