//! Turns: engines side by side that are compared by what they have done, not by the clock.
//!
//! The holder of a budget that was made by [`Budget::in_turns`](super::Budget::in_turns) runs in a thread of its own. It counts its effort, and where that
//! exceeds what it was granted it waits; so whoever holds the [`Turns`] knows exactly how far each engine came, and the same run gives the
//! same counts on every machine, whichever thread was first.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Where the holder waits.
#[derive(Debug, Default)]
pub(super) struct Gate {
    spent: AtomicU64,
    granted: AtomicU64,
    state: Mutex<Shared>,
    changed: Condvar,
}

/// What both ends see.
#[derive(Debug, Default)]
struct Shared {
    /// The holder has spent what it was granted.
    waits: bool,
    /// The holder has done what it was asked for.
    ended: bool,
    /// Nobody wants it any more.
    closed: bool,
}

impl Gate {
    fn state(&self) -> MutexGuard<'_, Shared> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'s>(&self, state: MutexGuard<'s, Shared>) -> MutexGuard<'s, Shared> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Spends effort; waits while there is none left. An error if it is not wanted any more.
    pub(super) fn pass(&self, units: u64) -> Result<(), ()> {
        let spent = self.spent.fetch_add(units, Relaxed) + units;
        if spent < self.granted.load(Relaxed) {
            return Ok(());
        }
        let mut state = self.state();
        loop {
            if state.closed {
                return Err(());
            }
            if spent < self.granted.load(Relaxed) {
                return Ok(());
            }
            state.waits = true;
            self.changed.notify_all();
            state = self.wait(state);
        }
    }
}

/// The other end: grants effort, and waits until it is spent. Clones are the same end.
#[derive(Clone, Debug)]
pub struct Turns(pub(super) Arc<Gate>);

impl Turns {
    /// How much was spent so far.
    #[must_use]
    pub fn spent(&self) -> u64 {
        self.0.spent.load(Relaxed)
    }

    /// There is something to do: before the holder is told so.
    pub fn begin(&self) {
        let mut state = self.0.state();
        (state.waits, state.ended, state.closed) = (false, false, false);
    }

    /// Lets the holder spend so much in all.
    pub fn grant(&self, in_all: u64) {
        let mut state = self.0.state();
        self.0.granted.store(in_all, Relaxed);
        state.waits = self.0.spent.load(Relaxed) >= in_all && state.waits;
        self.0.changed.notify_all();
    }

    /// Waits until what was granted is spent, or all is done: then true.
    #[must_use]
    pub fn wait(&self) -> bool {
        let mut state = self.0.state();
        while !state.waits && !state.ended {
            state = self.0.wait(state);
        }
        state.ended
    }

    /// The holder says that it has done what it was asked for.
    pub fn end(&self) {
        self.0.state().ended = true;
        self.0.changed.notify_all();
    }

    /// Whatever the holder does is not wanted any more: its next effort is an error.
    pub fn close(&self) {
        let mut state = self.0.state();
        (state.waits, state.closed) = (false, true);
        self.0.granted.store(0, Relaxed);
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use crate::{Budget, Limit};

    #[test]
    fn a_holder_waits_for_its_turn_and_stops_when_told() {
        let whole = Budget::unlimited();
        let (part, turns) = whole.in_turns(u64::MAX);
        let theirs = turns.clone();
        turns.begin();
        let worker = std::thread::spawn(move || {
            let mut done = 0;
            let over = loop {
                match part.effort(3, "testing") {
                    Ok(()) => done += 1,
                    Err(over) => break over,
                }
            };
            theirs.end();
            (done, over.limit)
        });
        for (granted, spent) in [(10, 12), (31, 33), (33, 33), (40, 42)] {
            turns.grant(granted);
            assert!(!turns.wait());
            assert_eq!(turns.spent(), spent, "granted {granted}");
        }
        turns.close();
        assert!(turns.wait());
        assert_eq!(worker.join().unwrap(), (13, Limit::Cancelled));
    }

    #[test]
    fn a_part_gets_more_memory_when_it_is_allowed() {
        let whole = Budget::with_memory(100);
        let (part, _) = whole.in_turns(whole.memory_left() / 2);
        assert!(part.claim(60, "testing").is_err());
        part.allow(100);
        let claim = part.claim(60, "testing").unwrap();
        assert_eq!((part.memory_left(), whole.memory_left()), (40, 40));
        drop(claim);
        assert!(part.is(&part.clone()) && !part.is(&whole));
    }
}
