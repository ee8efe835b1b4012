//! The events of a live run that later ones may still be compared with.
//!
//! For each process the events from the last settled one on: [`Frontier::settled`] says up to where every later event knows them.
//! An event before that adds nothing to the clock of whoever names it. The last settled one stays, because a clock that counts
//! it must say what its clock says.

use std::collections::VecDeque;

use super::Frontier;
use posetta_base::ProcessId;

/// An event that is remembered.
#[derive(Debug)]
pub(super) struct Held {
    pub clock: Vec<u32>,
    given: Given,
    pub line: u64,
}

/// The processes that the clock an event came with counts events of.
#[derive(Debug)]
enum Given {
    /// It came without one.
    Nothing,
    /// All that its computed clock counts.
    All,
    /// These, sorted.
    Some(Box<[ProcessId]>),
}

impl Held {
    /// Whether the event came with a clock that counts events of a process.
    pub(super) fn knows_of(&self, process: ProcessId) -> bool {
        match &self.given {
            Given::Nothing => false,
            Given::All => self.clock.get(process.index()).is_some_and(|&count| count > 0),
            Given::Some(list) => list.binary_search(&process).is_ok(),
        }
    }

    fn bytes(&self) -> usize {
        let given = if let Given::Some(list) = &self.given { 4 * list.len() } else { 0 };
        size_of::<Self>() + 4 * self.clock.capacity() + given
    }
}

/// The remembered events of one process.
#[derive(Debug, Default)]
struct Chain {
    /// How many of its events are forgotten.
    forgotten: u32,
    held: VecDeque<Held>,
}

#[derive(Debug, Default)]
pub(super) struct Past {
    chains: Vec<Chain>,
    /// Clocks of forgotten events, to be used again.
    spare: Vec<Vec<u32>>,
    len: usize,
    bytes: usize,
    /// Records since the last look for settled events.
    records: usize,
    /// For [`Self::forget`]: how many events of each process are settled.
    settled: Vec<u32>,
}

impl Past {
    pub(super) fn enter(&mut self, process: ProcessId) {
        let len = self.chains.len().max(process.index() + 1);
        self.chains.resize_with(len, Chain::default);
    }

    /// The event of a process at a position from 1, if it is remembered.
    pub(super) fn get(&self, process: ProcessId, position: u32) -> Option<&Held> {
        let chain = &self.chains[process.index()];
        let at = position.checked_sub(chain.forgotten + 1)?;
        chain.held.get(at as usize)
    }

    /// An empty clock.
    pub(super) fn clock(&mut self) -> Vec<u32> {
        self.spare.pop().unwrap_or_default()
    }

    /// Gives a clock back.
    pub(super) fn reuse(&mut self, mut clock: Vec<u32>) {
        clock.clear();
        self.spare.push(clock);
    }

    /// The next event of a process. `given` are the entries of the clock that it came with, which agree with `clock`.
    pub(super) fn add(&mut self, process: ProcessId, clock: Vec<u32>, given: Option<&[(ProcessId, u32)]>, line: u64) {
        let given = match given {
            None => Given::Nothing,
            Some(entries) if entries.len() == clock.iter().filter(|&&count| count > 0).count() => Given::All,
            Some(entries) => {
                let mut list: Box<[ProcessId]> = entries.iter().map(|(process, _)| *process).collect();
                list.sort_unstable();
                Given::Some(list)
            }
        };
        let held = Held { clock, given, line };
        self.bytes += held.bytes();
        self.len += 1;
        self.chains[process.index()].held.push_back(held);
    }

    /// Forgets what is settled, now and then: a look costs as much as there are processes times processes, so there is one for
    /// as many records as there are processes.
    pub(super) fn forget(&mut self, frontier: &Frontier) {
        self.records += 1;
        if self.records < self.chains.len().max(16) || !frontier.is_closed() {
            return;
        }
        self.records = 0;
        let known_to_all = frontier.sources().map(<[u32]>::len).min().unwrap_or(0);
        self.settled.clear();
        self.settled.resize(known_to_all, u32::MAX);
        for known in frontier.sources() {
            self.settled.iter_mut().zip(known).for_each(|(settled, &count)| *settled = (*settled).min(count));
        }
        for (chain, &settled) in self.chains.iter_mut().zip(&self.settled) {
            while chain.forgotten + 1 < settled {
                let Some(held) = chain.held.pop_front() else { break };
                chain.forgotten += 1;
                self.len -= 1;
                self.bytes -= held.bytes();
                let mut clock = held.clock;
                clock.clear();
                self.spare.push(clock);
            }
        }
        // What a burst needed is not kept for good.
        self.spare.truncate(self.len + 64);
    }

    /// How many events are remembered.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn bytes(&self) -> usize {
        let spare = self.spare.first().map_or(0, |clock| 4 * clock.capacity() + 24) * self.spare.len();
        self.bytes + spare + self.chains.len() * size_of::<Chain>()
    }
}
