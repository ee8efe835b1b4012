//! A trace that one system has and another lacks, by definition.
//!
//! Neither eager actions nor pairs are known here: a run is followed step by step, and a trace by the set of all states that runs with it can be in. That set
//! is a list while it is small, and a diagram where it is not.

use rustc_hash::FxHashSet;

use super::compare::Pair;
use crate::system::space::Space;
use posetta_base::{ActionId, Budget, Error};
use posetta_model::system::{End, Move, Run, Slots, System};

const WHAT: &str = "replaying a trace";

/// So many states are listed.
const LISTED: usize = 20_000;

/// What a run shows.
pub(super) struct Shown {
    /// The observable actions of the run.
    pub(super) trace: Vec<ActionId>,
    /// What the specification could do in place of the last one, as it numbers them.
    pub(super) allowed: Vec<ActionId>,
}

/// What a run of the implementation shows, if it is one, its last step is observable, and the specification has its trace but for the last action.
pub(super) fn shown(pair: &Pair<'_>, steps: &[Move], budget: &Budget) -> Result<Option<Shown>, Error> {
    let run = Run { steps: steps.to_vec(), end: End::Open };
    if run.states(pair.implementation).is_none() {
        return Ok(None);
    }
    let trace: Vec<ActionId> = steps.iter().map(|s| s.action).filter(|a| pair.partner[a.index()].is_some()).collect();
    if trace.last() != steps.last().map(|s| &s.action) {
        return Ok(None);
    }
    let theirs: Vec<ActionId> = trace.iter().filter_map(|a| pair.partner[a.index()]).collect();
    let Some((&last, before)) = theirs.split_last() else { return Ok(None) };
    let allowed = match listed(pair.specification, before, budget)? {
        Listed::After(allowed) => allowed,
        Listed::TooMany => drawn(pair.specification, before, budget)?,
    };
    // Without a state after the trace before it, nothing is allowed there, and an earlier action is lacking, too.
    Ok(allowed.filter(|allowed| !allowed.contains(&last)).map(|allowed| Shown { trace, allowed }))
}

enum Listed {
    /// What can come next; `None` if it is no trace.
    After(Option<Vec<ActionId>>),
    TooMany,
}

/// The observable actions after a trace, from a list of states.
fn listed(system: &System, trace: &[ActionId], budget: &Budget) -> Result<Listed, Error> {
    let slots = Slots::new(system);
    let mut states = vec![system.initial()];
    let mut left = trace.iter();
    loop {
        let mut all: FxHashSet<Vec<u32>> = FxHashSet::default();
        let mut seen: Vec<(ActionId, Vec<u32>)> = Vec::new();
        while let Some(state) = states.pop() {
            if !all.insert(state.clone()) {
                continue;
            }
            budget.step(1, WHAT)?;
            if all.len() > LISTED {
                return Ok(Listed::TooMany);
            }
            for (step, next) in system.moves(&slots, &state) {
                // Where there are too many tokens to count, the diagrams say so.
                let Some(next) = next else { return Ok(Listed::TooMany) };
                match system.action(step.action).internal {
                    true => states.push(next),
                    false => seen.push((step.action, next)),
                }
            }
        }
        match left.next() {
            Some(&action) => states = seen.into_iter().filter(|s| s.0 == action).map(|s| s.1).collect(),
            None => {
                let mut allowed: Vec<ActionId> = seen.into_iter().map(|s| s.0).collect();
                allowed.sort_unstable();
                allowed.dedup();
                return Ok(Listed::After(Some(allowed)));
            }
        }
        if states.is_empty() {
            return Ok(Listed::After(None));
        }
    }
}

/// The same from a diagram.
fn drawn(system: &System, trace: &[ActionId], budget: &Budget) -> Result<Option<Vec<ActionId>>, Error> {
    let mut space = Space::new(system, budget)?;
    let silent = space.closing(|a| system.action(a).internal);
    let mut states = space.initial;
    for &action in trace {
        let all = space.close(states, silent)?;
        states = space.after(all, action)?;
        if space.diagrams.is_empty(states) {
            return Ok(None);
        }
        space.tidy([states].into_iter());
    }
    let all = space.close(states, silent)?;
    let mut allowed = Vec::new();
    for action in system.action_ids().filter(|a| !system.action(*a).internal) {
        let able = space.enabled(all, action)?;
        if !space.diagrams.is_empty(able) {
            allowed.push(action);
        }
    }
    Ok(Some(allowed))
}
