//! Unordered writes: where the state at a cut is not determined.

use super::clock::Clocks;
use super::event::Trace;
use crate::base::{Budget, EventId, OverBudget, ProcessId, ValueId, VarId};

/// Two writes of different values to one variable that nothing orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnorderedWrites {
    /// The variable.
    pub var: VarId,
    /// The write that was read first.
    pub first: EventId,
    /// The other.
    pub second: EventId,
}

/// For each variable of `vars`, the first pair of unordered writes of different values, if any.
///
/// A variable written by one process has none. Otherwise, for each write and each other writing process, the writes
/// there that are concurrent with it are one stretch of that process's writes: those its clock does not know and that
/// do not know it. The stretch is searched only for a differing value, so runs without such pairs cost
/// writes × writing processes, and each stretch that agrees is skipped by a table of equal runs.
///
/// # Errors
/// When the budget is spent.
pub fn unordered_writes(
    trace: &Trace,
    vars: &[VarId],
    forward: &Clocks,
    budget: &Budget,
) -> Result<Vec<UnorderedWrites>, OverBudget> {
    let mut found = Vec::new();
    for &var in vars {
        if let Some(pair) = pair_of(trace, var, forward, budget)? {
            found.push(pair);
        }
    }
    Ok(found)
}

/// The writes of one process to one variable, in order, with the end of the stretch of equal values each is in.
struct Writes {
    process: ProcessId,
    events: Vec<EventId>,
    values: Vec<ValueId>,
    equal_until: Vec<usize>,
}

impl Writes {
    /// The first write at or after `from` and before `to` whose value is not `value`.
    fn differing(&self, from: usize, to: usize, value: ValueId) -> Option<EventId> {
        if from >= to {
            return None;
        }
        if self.values[from] != value {
            return Some(self.events[from]);
        }
        let next = self.equal_until[from];
        (next < to).then(|| self.events[next])
    }
}

fn writes_of(trace: &Trace, var: VarId) -> Vec<Writes> {
    let mut all = Vec::new();
    for process in trace.processes() {
        let mut w = Writes { process, events: Vec::new(), values: Vec::new(), equal_until: Vec::new() };
        for &event in trace.chain(process) {
            if let Some(a) = trace.assignments(event).iter().find(|a| a.var == var) {
                w.events.push(event);
                w.values.push(a.value);
            }
        }
        let n = w.events.len();
        w.equal_until = vec![n; n];
        for i in (0..n.saturating_sub(1)).rev() {
            w.equal_until[i] = if w.values[i] == w.values[i + 1] { w.equal_until[i + 1] } else { i + 1 };
        }
        if n > 0 {
            all.push(w);
        }
    }
    all
}

fn pair_of(
    trace: &Trace,
    var: VarId,
    forward: &Clocks,
    budget: &Budget,
) -> Result<Option<UnorderedWrites>, OverBudget> {
    let all = writes_of(trace, var);
    for (i, ours) in all.iter().enumerate() {
        for theirs in &all[i + 1..] {
            let mut unknown_from = 0;
            for (at, (&event, &value)) in ours.events.iter().zip(&ours.values).enumerate() {
                if at % 4096 == 0 {
                    budget.step(0, "looking for unordered writes")?;
                }
                let known = forward.of(event)[theirs.process.index()] as usize;
                while unknown_from < theirs.events.len() && trace.position(theirs.events[unknown_from]) < known {
                    unknown_from += 1;
                }
                let concurrent_until = unknown_from
                    + theirs.events[unknown_from..].partition_point(|&e| !forward.before_or_equal(trace, event, e));
                if let Some(other) = theirs.differing(unknown_from, concurrent_until, value) {
                    let (first, second) = if event < other { (event, other) } else { (other, event) };
                    return Ok(Some(UnorderedWrites { var, first, second }));
                }
            }
        }
    }
    Ok(None)
}
