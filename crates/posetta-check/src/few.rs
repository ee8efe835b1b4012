//! Runs of a trace that has few of them, one by one.
//!
//! Where there are hardly more runs than one, an automaton costs more than looking at each run by definition.

use posetta_base::{Budget, EventId, OverBudget};
use posetta_trace::Trace;

const WHAT: &str = "going through the orders";

/// Whether the trace has one run only: each event of it is caused by the one before.
pub(super) fn has_one_run(trace: &Trace) -> bool {
    let is_caused =
        |pair: &[EventId]| trace.process(pair[0]) == trace.process(pair[1]) || trace.causes(pair[1]).contains(&pair[0]);
    trace.linearisation().windows(2).all(is_caused)
}

/// Every run of the trace, its own order first, if they are at most so many.
pub(super) fn all_runs(trace: &Trace, most: usize, budget: &Budget) -> Result<Option<Vec<Vec<EventId>>>, OverBudget> {
    let events = trace.len();
    let _claim = budget.claim(8 * (events as u64).saturating_mul(most as u64 + 2), WHAT)?;
    let mut rank = vec![0u32; events];
    for (i, event) in trace.linearisation().iter().enumerate() {
        rank[event.index()] = i as u32;
    }
    // How many direct causes of each event are missing, the event before on its process included.
    let mut missing = vec![0u32; events];
    let mut effects: Vec<Vec<EventId>> = vec![Vec::new(); events];
    for event in trace.events() {
        let before = trace.position(event).checked_sub(1).map(|at| trace.chain(trace.process(event))[at]);
        for &cause in trace.causes(event).iter().chain(&before) {
            missing[event.index()] += 1;
            effects[cause.index()].push(event);
        }
    }
    let mut ready: Vec<EventId> = trace.events().filter(|event| missing[event.index()] == 0).collect();
    ready.sort_unstable_by_key(|event| rank[event.index()]);
    let mut runs: Vec<Vec<EventId>> = Vec::new();
    let mut run: Vec<EventId> = Vec::with_capacity(events);
    // For each event of the run: what could have come instead, and which of it was tried.
    let mut choices: Vec<(Vec<EventId>, usize)> = vec![(ready, 0)];
    while let Some((ready, tried)) = choices.last_mut() {
        budget.step(1, WHAT)?;
        if run.len() == events {
            runs.push(run.clone());
            if runs.len() > most {
                return Ok(None);
            }
        }
        let Some(&event) = ready.get(*tried) else {
            choices.pop();
            if let Some(event) = run.pop() {
                effects[event.index()].iter().for_each(|effect| missing[effect.index()] += 1);
            }
            continue;
        };
        *tried += 1;
        let mut next: Vec<EventId> = ready.iter().copied().filter(|&other| other != event).collect();
        for &effect in &effects[event.index()] {
            missing[effect.index()] -= 1;
            if missing[effect.index()] == 0 {
                next.push(effect);
            }
        }
        next.sort_unstable_by_key(|event| rank[event.index()]);
        run.push(event);
        choices.push((next, 0));
    }
    Ok(Some(runs))
}
