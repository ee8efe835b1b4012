//! Consistent cuts, packed.
//!
//! A cut is one count per process. It is consistent when it contains the causes of all its events; since the order
//! inside a process is built in, that is: for each direct edge, if the effect is in, the cause is in. [`Lattice`] packs
//! the counts into words, as many bits per process as its length needs, and answers in a few instructions per edge
//! which events can be added to or taken from a cut.

use super::event::Trace;
use posetta_base::{Budget, Claim, EventId, OverBudget, ProcessId};

/// A set of events that contains the causes of its members: one count per process.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cut(pub Vec<u32>);

impl Cut {
    /// The cut with no event.
    #[must_use]
    pub fn empty(trace: &Trace) -> Self {
        Self(vec![0; trace.process_count()])
    }

    /// Whether the event is in the cut.
    #[must_use]
    pub fn contains(&self, trace: &Trace, event: EventId) -> bool {
        self.0[trace.process(event).index()] as usize > trace.position(event)
    }

    /// How many events it has.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.0.iter().map(|&c| u64::from(c)).sum()
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&c| c == 0)
    }
}

/// How the counts of a cut lie in words. No field straddles two words.
#[derive(Clone, Debug)]
pub struct Packing {
    fields: Vec<Field>,
    words: usize,
}

#[derive(Clone, Copy, Debug)]
struct Field {
    word: u32,
    shift: u32,
    mask: u64,
}

impl Packing {
    pub(super) fn new(lengths: impl Iterator<Item = usize>) -> Self {
        let (mut word, mut used) = (0u32, 0u32);
        let mut fields = Vec::new();
        for length in lengths {
            let bits = usize::BITS - length.leading_zeros();
            if used + bits > 64 {
                word += 1;
                used = 0;
            }
            let mask = if bits == 0 { 0 } else { u64::MAX >> (64 - bits) };
            fields.push(Field { word, shift: used.min(63), mask });
            used += bits;
        }
        Self { fields, words: word as usize + 1 }
    }

    /// Words per cut, at least 1.
    #[must_use]
    pub fn words(&self) -> usize {
        self.words
    }

    /// The count of one process.
    #[inline]
    #[must_use]
    pub fn count(&self, cut: &[u64], process: usize) -> u32 {
        let f = self.fields[process];
        (cut[f.word as usize] >> f.shift & f.mask) as u32
    }

    /// Adds one event of a process. The caller knows that there is one.
    #[inline]
    pub fn add(&self, cut: &mut [u64], process: usize) {
        let f = self.fields[process];
        cut[f.word as usize] += 1 << f.shift;
    }

    /// Takes one event of a process away. The caller knows that there is one.
    #[inline]
    pub fn remove(&self, cut: &mut [u64], process: usize) {
        let f = self.fields[process];
        cut[f.word as usize] -= 1 << f.shift;
    }

    /// Packs counts.
    pub fn pack(&self, counts: &[u32], into: &mut [u64]) {
        into[..self.words].fill(0);
        for (f, &count) in self.fields.iter().zip(counts) {
            into[f.word as usize] |= u64::from(count) << f.shift;
        }
    }

    /// The counts of a packed cut.
    #[must_use]
    pub fn unpack(&self, cut: &[u64]) -> Cut {
        Cut((0..self.fields.len()).map(|p| self.count(cut, p)).collect())
    }
}

/// An event can be added once `process` has reached `count`; taken away while it has not passed it.
#[derive(Clone, Copy, Debug)]
struct Bound {
    process: u32,
    count: u32,
}

/// Per event, in chain order, a list of bounds.
#[derive(Debug, Default)]
struct Bounds {
    ends: Vec<u32>,
    bounds: Vec<Bound>,
}

impl Bounds {
    #[inline]
    fn of(&self, slot: usize) -> &[Bound] {
        let start = if slot == 0 { 0 } else { self.ends[slot - 1] };
        &self.bounds[start as usize..self.ends[slot] as usize]
    }

    fn push(&mut self, bounds: impl Iterator<Item = Bound>) {
        self.bounds.extend(bounds);
        self.ends.push(self.bounds.len() as u32);
    }
}

/// The cuts of a trace as a graph: a step adds one event.
#[derive(Debug)]
pub struct Lattice<'t> {
    trace: &'t Trace,
    packing: Packing,
    /// Where each process's events start in the two tables below.
    offsets: Vec<usize>,
    lengths: Vec<u32>,
    needs: Bounds,
    blockers: Bounds,
    _claim: Claim,
}

impl<'t> Lattice<'t> {
    /// Prepares the tables: linear in events and edges.
    ///
    /// # Errors
    /// When they do not fit the budget.
    pub fn new(trace: &'t Trace, budget: &Budget) -> Result<Self, OverBudget> {
        let bytes = trace.len() as u64 * 8 + (trace.causes.len() + trace.effects.len()) as u64 * 8;
        let claim = budget.claim(bytes, "laying out the cuts")?;
        let mut lattice = Self {
            trace,
            packing: Packing::new(trace.processes().map(|p| trace.chain(p).len())),
            offsets: Vec::with_capacity(trace.process_count()),
            lengths: trace.processes().map(|p| trace.chain(p).len() as u32).collect(),
            needs: Bounds::default(),
            blockers: Bounds::default(),
            _claim: claim,
        };
        let mut offset = 0;
        for process in trace.processes() {
            lattice.offsets.push(offset);
            offset += trace.chain(process).len();
            for &event in trace.chain(process) {
                let bound = |e: EventId, extra| Bound {
                    process: trace.process(e).raw(),
                    count: trace.position(e) as u32 + extra,
                };
                lattice.needs.push(trace.causes(event).iter().map(|&c| bound(c, 1)));
                lattice.blockers.push(trace.effects(event).iter().map(|&f| bound(f, 0)));
            }
        }
        Ok(lattice)
    }

    /// The trace.
    #[must_use]
    pub fn trace(&self) -> &'t Trace {
        self.trace
    }

    /// How cuts are packed.
    #[must_use]
    #[inline]
    pub fn packing(&self) -> &Packing {
        &self.packing
    }

    /// Number of processes.
    #[must_use]
    #[inline]
    pub fn width(&self) -> usize {
        self.lengths.len()
    }

    /// The full cut, packed.
    #[must_use]
    pub fn full(&self) -> Vec<u64> {
        let mut cut = vec![0; self.packing.words()];
        self.packing.pack(&self.lengths, &mut cut);
        cut
    }

    /// The next event of a process at a cut, if its causes are all in.
    #[inline]
    #[must_use]
    pub fn next(&self, cut: &[u64], process: usize) -> Option<EventId> {
        let count = self.packing.count(cut, process);
        if count >= self.lengths[process] {
            return None;
        }
        let needs = self.needs.of(self.offsets[process] + count as usize);
        let ready = needs.iter().all(|n| self.packing.count(cut, n.process as usize) >= n.count);
        ready.then(|| self.trace.chain(ProcessId::from_raw(process as u32))[count as usize])
    }

    /// The last event of a process at a cut, if nothing in the cut depends on it.
    #[inline]
    #[must_use]
    pub fn last(&self, cut: &[u64], process: usize) -> Option<EventId> {
        let count = self.packing.count(cut, process).checked_sub(1)?;
        let blockers = self.blockers.of(self.offsets[process] + count as usize);
        let free = blockers.iter().all(|b| self.packing.count(cut, b.process as usize) <= b.count);
        free.then(|| self.trace.chain(ProcessId::from_raw(process as u32))[count as usize])
    }
}
