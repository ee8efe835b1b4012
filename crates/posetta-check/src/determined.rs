//! Whether the state at a cut is determined: the condition under which CTL has a meaning on a trace.

use posetta_base::{Budget, Diagnostic, Error, EventId, Kind, OverBudget, ProcessId, VarId};
use posetta_logic::{Bound, Property};
use posetta_trace::{Clocks, Slice, Trace, UnorderedWrites, unordered_writes};

/// At a cut the state must be determined: no two writes of different values to a variable of the formula may be
/// unordered.
///
/// # Errors
/// With the first such pair of each variable, or when the budget is spent.
pub fn determined<F>(trace: &Trace, property: &Property, bound: &Bound<F>, budget: &Budget) -> Result<(), Error> {
    let pairs = unordered(trace, bound, budget)?;
    if pairs.is_empty() {
        return Ok(());
    }
    let show = |event: EventId, var| {
        let value = trace.assignments(event).iter().find(|a| a.var == var).map(|a| trace.value(a.value).to_string());
        format!("`{}` sets {} ({})", trace.label(event), value.unwrap_or_default(), trace.whereabouts(event))
    };
    Err(Error::Invalid(
        pairs
            .into_iter()
            .map(|pair| {
                let name = trace.variable_name(pair.var);
                unordered_pair(property, name, &show(pair.first, pair.var), &show(pair.second, pair.var))
            })
            .collect(),
    ))
}

/// The mistake that two writes to a variable are unordered.
pub(super) fn unordered_pair(property: &Property, variable: &str, first: &str, second: &str) -> Diagnostic {
    let message = format!("the value of `{variable}` at a cut is not determined: two writes to it are unordered");
    property.mistake(Kind::UnorderedWrites, property.span, message).label(format!("{first} and {second}")).help(
        "add the edge that orders them to the run, or write the property in LTL, which follows each order by itself",
    )
}

/// The first pair of unordered writes of different values to each variable of a formula.
pub(super) fn unordered<F>(
    trace: &Trace,
    bound: &Bound<F>,
    budget: &Budget,
) -> Result<Vec<UnorderedWrites>, OverBudget> {
    let slots = bound.slots();
    let mut writers: Vec<Option<ProcessId>> = vec![None; bound.vars.len()];
    let mut shared = vec![false; bound.vars.len()];
    for event in trace.events() {
        if event.index() % 1024 == 0 {
            budget.step(0, "looking for unordered writes")?;
        }
        let process = trace.process(event);
        for slot in trace.assignments(event).iter().filter_map(|a| slots.get(&a.var)) {
            let before = writers[slot.0 as usize].replace(process);
            shared[slot.0 as usize] |= before.is_some_and(|writer| writer != process);
        }
    }
    let shared_vars: Vec<VarId> =
        bound.vars.iter().zip(&shared).filter(|(_, shared)| **shared).filter_map(|(var, _)| *var).collect();
    // Clocks cost events × processes: they are for variables whose writes are not simply one after another.
    let mut unclear = Vec::new();
    for var in shared_vars {
        if !Slice::is_chain(trace, |event| trace.assignments(event).iter().any(|a| a.var == var), budget)? {
            unclear.push(var);
        }
    }
    if unclear.is_empty() {
        return Ok(Vec::new());
    }
    let clocks = Clocks::compute(trace, budget)?;
    unordered_writes(trace, &unclear, &clocks, budget)
}
