//! Unordered writes: where the state at a cut is not determined.

use super::clock::Clocks;
use super::event::Trace;
use posetta_base::{Budget, Claim, EventId, OverBudget, ProcessId, ValueId, VarId};

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

/// For each variable of `vars`, in their order, the first pair of unordered writes of different values, if any.
///
/// The writes are gathered in two passes over the trace, whatever the number of variables; a variable written by one
/// process has no such pair and drops out after the first. Otherwise, for each write and each other writing process, the
/// writes there that are concurrent with it are one stretch of that process's writes: those its clock does not know and
/// that do not know it. The stretch is searched only for a differing value, so runs without such pairs cost
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
    let (gathered, _claim) = gather(trace, vars, budget)?;
    let mut found = Vec::new();
    for (i, (var, writes)) in gathered.iter().enumerate() {
        if i % 1024 == 0 {
            budget.step(0, WHAT)?;
        }
        found.extend(pair_of(trace, *var, writes, forward, budget)?);
    }
    Ok(found)
}

const WHAT: &str = "looking for unordered writes";

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

/// Who writes a variable.
#[derive(Clone, Copy)]
enum Writers {
    /// Not asked for.
    Ignored,
    Nobody,
    One(ProcessId),
    /// More than one; the variable's place among those with more than one.
    Many(usize),
}

/// Variables with their writes by process.
type Gathered = Vec<(VarId, Vec<Writes>)>;

/// For each of the variables that several processes write, its writes by process.
fn gather(trace: &Trace, vars: &[VarId], budget: &Budget) -> Result<(Gathered, Claim), OverBudget> {
    let variables = trace.variables().len();
    let mut claim = budget.claim((variables * size_of::<Writers>()) as u64, WHAT)?;
    let mut writers = vec![Writers::Ignored; variables];
    for var in vars {
        writers[var.index()] = Writers::Nobody;
    }
    let mut shared_writes = 0u64;
    for event in trace.events() {
        if event.index() % 4096 == 0 {
            budget.step(0, WHAT)?;
        }
        let process = trace.process(event);
        for a in trace.assignments(event) {
            let writers = &mut writers[a.var.index()];
            match *writers {
                Writers::Nobody => *writers = Writers::One(process),
                Writers::One(other) if other != process => *writers = Writers::Many(usize::MAX),
                _ => {}
            }
        }
    }
    let mut gathered: Gathered = Vec::new();
    for &var in vars {
        if let Writers::Many(place @ usize::MAX) = &mut writers[var.index()] {
            *place = gathered.len();
            gathered.push((var, Vec::new()));
        }
    }
    let mut seen = 0usize;
    for process in trace.processes() {
        for &event in trace.chain(process) {
            if seen.is_multiple_of(4096) {
                budget.step(0, WHAT)?;
                claim.grow_to(variables as u64 * 16 + shared_writes * 32, WHAT)?;
            }
            seen += 1;
            for a in trace.assignments(event) {
                let Writers::Many(place) = writers[a.var.index()] else { continue };
                let all = &mut gathered[place].1;
                if all.last().is_none_or(|w| w.process != process) {
                    all.push(Writes { process, events: Vec::new(), values: Vec::new(), equal_until: Vec::new() });
                    shared_writes += 4; // A row has a price of its own.
                }
                let w = all.last_mut().expect("pushed");
                if w.events.last() != Some(&event) {
                    w.events.push(event);
                    w.values.push(a.value);
                    shared_writes += 1;
                }
            }
        }
    }
    claim.grow_to(variables as u64 * 16 + shared_writes * 32, WHAT)?;
    for w in gathered.iter_mut().flat_map(|(_, all)| all) {
        let n = w.events.len();
        w.equal_until = vec![n; n];
        for i in (0..n - 1).rev() {
            w.equal_until[i] = if w.values[i] == w.values[i + 1] { w.equal_until[i + 1] } else { i + 1 };
        }
    }
    Ok((gathered, claim))
}

fn pair_of(
    trace: &Trace,
    var: VarId,
    all: &[Writes],
    forward: &Clocks,
    budget: &Budget,
) -> Result<Option<UnorderedWrites>, OverBudget> {
    for (i, ours) in all.iter().enumerate() {
        for theirs in &all[i + 1..] {
            let mut unknown_from = 0;
            for (at, (&event, &value)) in ours.events.iter().zip(&ours.values).enumerate() {
                if at % 4096 == 0 {
                    budget.step(0, WHAT)?;
                }
                let known = forward.count(event, theirs.process) as usize;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch;

    #[test]
    fn the_variables_asked_for_are_answered_together_and_in_their_order() {
        let budget = Budget::unlimited();
        let text = "A: x=1, y=1 -> z=2\nB: x=2, y=1, u=3 -> z=3\nC: u=4, w=1 -> x=2\nA.2 -> B.2\n";
        let trace = sketch::read(text);
        let forward = Clocks::compute(&trace, &budget).unwrap();
        let asked: Vec<VarId> =
            ["u", "z", "w", "x", "y"].iter().map(|name| trace.find_variable(name).unwrap()).collect();
        let pairs = unordered_writes(&trace, &asked, &forward, &budget).unwrap();
        let shown: Vec<_> =
            pairs.iter().map(|p| (trace.variable_name(p.var), trace.label(p.first), trace.label(p.second))).collect();
        assert_eq!(shown, [("u", "B.1".into(), "C.1".into()), ("x", "A.1".into(), "B.1".into())]);
        for (var, count) in asked.into_iter().zip([1, 0, 0, 1, 0]) {
            assert_eq!(unordered_writes(&trace, &[var], &forward, &budget).unwrap().len(), count);
        }
    }
}
