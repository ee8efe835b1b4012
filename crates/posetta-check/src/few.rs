//! Runs of a trace that has few of them, one by one.
//!
//! Where there are hardly more runs than one, an automaton costs more than looking at each run by definition.

use posetta_base::{Budget, EventId, OverBudget};
use posetta_logic::{Atom, Bound};
use posetta_trace::{Assignment, Trace};

const WHAT: &str = "going through the orders";

/// Whether the trace has one run only: each event of it is caused by the one before.
pub(super) fn has_one_run(trace: &Trace) -> bool {
    let is_caused =
        |pair: &[EventId]| trace.process(pair[0]) == trace.process(pair[1]) || trace.causes(pair[1]).contains(&pair[0]);
    trace.linearisation().windows(2).all(is_caused)
}

/// What a property sees of each event, as a number: events with the same one can change places in a run, and it is the same word. `None`
/// if the property asks for too much to compare.
pub(super) fn looks<F>(trace: &Trace, bound: &Bound<F>) -> Option<Vec<u32>> {
    if bound.atoms.len() > u64::BITS as usize {
        return None;
    }
    let mut is_asked = vec![false; trace.variables().len()];
    bound.slots().into_iter().for_each(|(var, _)| is_asked[var.index()] = true);
    let mut kinds: Vec<(u64, Vec<Assignment>)> = Vec::new();
    let look = |event: EventId| {
        let mut says = 0;
        for (i, atom) in bound.atoms.iter().enumerate() {
            let truth = match atom {
                Atom::Event(name) => trace.event_name(event) == Some(name),
                Atom::Having(having) => having.found.has(trace.origin(event)),
                Atom::Process(name) => trace.is_called(trace.process(event), name),
                // What these say depends on values, and only assignments change those.
                Atom::State(_) | Atom::Step(_) | Atom::On(_) | Atom::Enabled(_) => false,
            };
            says |= u64::from(truth) << i;
        }
        let own = trace.assignments(event).iter().filter(|a| is_asked[a.var.index()]);
        let is_same = |kind: &(u64, Vec<Assignment>)| kind.0 == says && kind.1.iter().eq(own.clone());
        let place = kinds.iter().position(is_same).unwrap_or_else(|| {
            kinds.push((says, own.clone().copied().collect()));
            kinds.len() - 1
        });
        place as u32
    };
    Some(trace.events().map(look).collect())
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
    let mut missing: Vec<u32> =
        trace.events().map(|e| (trace.causes(e).len() + usize::from(trace.position(e) > 0)) as u32).collect();
    let after = |event: EventId| {
        let next = trace.chain(trace.process(event)).get(trace.position(event) + 1);
        trace.effects(event).iter().chain(next)
    };
    // What can come next after each event of the run, one behind the other; of each, where it begins, and how much of it was tried.
    let mut ready: Vec<EventId> = trace.events().filter(|event| missing[event.index()] == 0).collect();
    ready.sort_unstable_by_key(|event| rank[event.index()]);
    let mut choices: Vec<(usize, usize)> = vec![(0, 0)];
    let mut runs: Vec<Vec<EventId>> = Vec::new();
    let mut run: Vec<EventId> = Vec::with_capacity(events);
    while let Some((start, tried)) = choices.last_mut() {
        budget.step(1, WHAT)?;
        if run.len() == events {
            runs.push(run.clone());
            if runs.len() > most {
                return Ok(None);
            }
        }
        let (start, nth) = (*start, *tried);
        let Some(&event) = ready.get(start + nth) else {
            choices.pop();
            ready.truncate(start);
            if let Some(event) = run.pop() {
                after(event).for_each(|effect| missing[effect.index()] += 1);
            }
            continue;
        };
        *tried += 1;
        let end = ready.len();
        ready.extend_from_within(start..start + nth);
        ready.extend_from_within(start + nth + 1..end);
        for effect in after(event) {
            missing[effect.index()] -= 1;
            if missing[effect.index()] == 0 {
                ready.push(*effect);
            }
        }
        ready[end..].sort_unstable_by_key(|event| rank[event.index()]);
        run.push(event);
        choices.push((end, 0));
    }
    Ok(Some(runs))
}
