//! Refinement by definition: the observable traces of two systems, by their sets of states.
//!
//! Both are determinised whole: after a trace, each is in the set of all states that some run with this trace can be in. A trace of one that the
//! other lacks leads to a pair of a set with states and one without.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use posetta_base::ActionId;
use posetta_model::system::System;

use super::Space;

/// The observable actions, by name.
#[must_use]
pub fn observables(system: &System) -> Vec<Arc<str>> {
    let mut names: Vec<Arc<str>> = system.actions.iter().filter(|a| !a.internal).map(|a| Arc::clone(&a.name)).collect();
    names.sort();
    names
}

fn observed(space: &Space<'_>) -> Vec<ActionId> {
    space.system.action_ids().filter(|&a| !space.system.action(a).internal).collect()
}

/// The states after the empty trace.
fn start(space: &Space<'_>) -> Vec<usize> {
    space.silently_reached(&[0], &observed(space))
}

/// The states after one more observable action.
fn after(space: &Space<'_>, states: &[usize], name: &str) -> Vec<usize> {
    let steps = states.iter().flat_map(|&s| &space.steps[s]);
    let next: Vec<usize> = steps.filter(|s| &*space.system.action(s.action).name == name).map(|s| s.to).collect();
    space.silently_reached(&next, &observed(space))
}

/// Whether a sequence of observable actions is a trace of a system.
#[must_use]
pub fn has_trace(space: &Space<'_>, trace: &[Arc<str>]) -> bool {
    !trace.iter().fold(start(space), |states, name| after(space, &states, name)).is_empty()
}

/// The observable actions that can come next after a trace, by name.
#[must_use]
pub fn next_actions(space: &Space<'_>, trace: &[Arc<str>]) -> Vec<Arc<str>> {
    let states = trace.iter().fold(start(space), |states, name| after(space, &states, name));
    let can = |name: &Arc<str>| !after(space, &states, name).is_empty();
    observables(space.system).into_iter().filter(can).collect()
}

/// A shortest observable trace of the first that the second lacks, if there is one: "Obs(A) ⊆ Obs(B) over finite traces".
#[must_use]
pub fn lacking(implementation: &Space<'_>, specification: &Space<'_>) -> Option<Vec<Arc<str>>> {
    type Pair = (Vec<usize>, Vec<usize>);
    let names = observables(implementation.system);
    let first: Pair = (start(implementation), start(specification));
    let mut traces: HashMap<Pair, Vec<Arc<str>>> = HashMap::from([(first.clone(), Vec::new())]);
    let mut open = VecDeque::from([first]);
    while let Some(pair) = open.pop_front() {
        let trace = traces[&pair].clone();
        for name in &names {
            let next = (after(implementation, &pair.0, name), after(specification, &pair.1, name));
            if next.0.is_empty() {
                continue;
            }
            let longer = [&trace[..], &[Arc::clone(name)]].concat();
            if next.1.is_empty() {
                return Some(longer);
            }
            if !traces.contains_key(&next) {
                traces.insert(next.clone(), longer);
                open.push_back(next);
            }
        }
    }
    None
}
