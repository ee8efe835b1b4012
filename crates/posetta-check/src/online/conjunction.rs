//! Whether conditions on single variables hold together at some cut, known at the event that makes them (Garg, Waldecker 1994).
//!
//! Where the state at a cut is determined, the writes to a variable that change the truth of a condition on it come one after
//! another. So it is true in intervals: at the cuts that have the write that made it true and not the one that ended that. Two intervals have
//! no common cut if one ended before the other began; then the earlier one has none with whatever comes later on the other
//! chain, and goes. Intervals one of each chain that are left side by side have one.

use std::collections::VecDeque;
use std::sync::Arc;

use super::never::{Came, Event};
use super::sight::Single;
use posetta_base::{OverBudget, ProcessId, Value};
use posetta_logic::eval::{Notes, condition_in};
use posetta_logic::{Condition, Slot};

/// From an event on, or from the start, until one of some events.
#[derive(Debug)]
struct Interval {
    start: Option<Arc<Event>>,
    ends: Vec<(ProcessId, u32)>,
}

/// What is asked of one variable.
#[derive(Debug)]
struct Chain {
    slot: Slot,
    conditions: Vec<(Condition<Slot>, bool)>,
    truth: bool,
    /// The event that made it so.
    since: Option<Arc<Event>>,
    intervals: VecDeque<Interval>,
}

impl Chain {
    fn holds(&self, value: &Value, notes: &mut Notes) -> Result<bool, OverBudget> {
        for (condition, wanted) in &self.conditions {
            if condition_in(condition, &Single(self.slot, value), notes)? != *wanted {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// A conjunction of conditions, each about one variable.
#[derive(Debug)]
pub(super) struct Conjunction {
    chains: Vec<Chain>,
}

impl Conjunction {
    /// At the start. `conditions` have the variable of each, and the truth that is asked for.
    pub(super) fn new(
        conditions: Vec<(Slot, Condition<Slot>, bool)>,
        initial: &[Value],
        notes: &mut Notes,
    ) -> Result<Self, OverBudget> {
        let mut chains: Vec<Chain> = Vec::new();
        for (slot, condition, wanted) in conditions {
            match chains.iter_mut().find(|chain| chain.slot == slot) {
                Some(chain) => chain.conditions.push((condition, wanted)),
                None => chains.push(Chain {
                    slot,
                    conditions: vec![(condition, wanted)],
                    truth: false,
                    since: None,
                    intervals: VecDeque::new(),
                }),
            }
        }
        for chain in &mut chains {
            chain.truth = chain.holds(&initial[chain.slot.0 as usize], notes)?;
            if chain.truth {
                chain.intervals.push_back(Interval { start: None, ends: Vec::new() });
            }
        }
        Ok(Self { chains })
    }

    /// Whether some cut satisfies it.
    pub(super) fn is_found(&self) -> bool {
        self.chains.iter().all(|chain| !chain.intervals.is_empty())
    }

    /// The events that make it true together.
    pub(super) fn found(&self) -> Vec<Arc<Event>> {
        let starts = self.chains.iter().filter_map(|chain| chain.intervals.front()?.start.clone());
        let mut starts: Vec<Arc<Event>> = starts.collect();
        starts.sort_by_key(|event| event.number);
        starts.dedup_by_key(|event| event.number);
        starts
    }

    pub(super) fn len(&self) -> usize {
        self.chains.iter().map(|chain| chain.intervals.len()).sum()
    }

    /// An event has come.
    pub(super) fn arrive(&mut self, event: &Arc<Event>, notes: &mut Notes) -> Result<Came, OverBudget> {
        let mut fresh = Vec::new();
        for (i, chain) in self.chains.iter_mut().enumerate() {
            let Some(value) = event.sets(chain.slot) else { continue };
            let truth = chain.holds(value, notes)?;
            if truth == chain.truth {
                // Two events that nothing orders have written the same, which either of them makes true.
                if chain.since.as_ref().is_some_and(|since| !event.knows(since)) {
                    if truth {
                        return Ok(Came::Unfit);
                    }
                    if let Some(last) = chain.intervals.back_mut() {
                        last.ends.push((event.process, event.place));
                    }
                }
                continue;
            }
            chain.truth = truth;
            chain.since = Some(Arc::clone(event));
            if truth {
                chain.intervals.push_back(Interval { start: chain.since.clone(), ends: Vec::new() });
                if chain.intervals.len() == 1 {
                    fresh.push(i);
                }
            } else if let Some(last) = chain.intervals.back_mut() {
                last.ends.push((event.process, event.place));
            }
        }
        self.compare(fresh);
        Ok(if self.is_found() { Came::Found } else { Came::Open })
    }

    /// Drops first intervals that have no common cut with those of other chains. `fresh` are the chains whose first one is new.
    fn compare(&mut self, mut fresh: Vec<usize>) {
        let is_over = |interval: &Interval, other: &Interval| {
            let ends_before = |start: &Arc<Event>| interval.ends.iter().any(|&(p, place)| start.has(p, place));
            other.start.as_ref().is_some_and(ends_before)
        };
        while let Some(i) = fresh.pop() {
            for j in 0..self.chains.len() {
                let (Some(first), Some(other)) = (self.chains[i].intervals.front(), self.chains[j].intervals.front())
                else {
                    continue;
                };
                if i == j {
                    continue;
                }
                if is_over(other, first) {
                    self.chains[j].intervals.pop_front();
                    fresh.push(j);
                } else if is_over(first, other) {
                    self.chains[i].intervals.pop_front();
                    fresh.push(i);
                    break;
                }
            }
        }
    }

    /// Drops what no later event can meet: some chain has no interval, and one that comes will begin after these have ended.
    pub(super) fn sweep(&mut self, settled: &[u32]) {
        let is_settled =
            |&(process, place): &(ProcessId, u32)| settled.get(process.index()).is_some_and(|&s| place <= s);
        let mut fresh = Vec::new();
        for (i, chain) in self.chains.iter_mut().enumerate() {
            while chain.intervals.front().is_some_and(|interval| interval.ends.iter().any(is_settled)) {
                chain.intervals.pop_front();
                fresh.push(i);
            }
        }
        fresh.dedup();
        self.compare(fresh);
    }
}
