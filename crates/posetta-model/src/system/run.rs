//! Runs of a system: what counterexamples are made of.

use super::{Move, Slots, System};

/// How a run goes on after its last step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It is only the beginning of runs: what it shows has happened.
    Open,
    /// No action can take place.
    Dead,
    /// It goes back to the state that it had before this step, the first of the cycle, which has at least one.
    Cycle(usize),
}

/// Steps from the initial state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The steps.
    pub steps: Vec<Move>,
    /// What comes then.
    pub end: End,
}

impl Run {
    /// The states that it passes, the initial one first, by definition of the steps; `None` if it is not a run of the system.
    #[must_use]
    pub fn states(&self, system: &System) -> Option<Vec<Vec<u32>>> {
        let mut states = Vec::new();
        self.walk(system, &mut |state| states.push(state.to_vec()))?;
        let last = states.last()?;
        let is_right = match self.end {
            End::Open => true,
            End::Dead => system.is_dead(last),
            End::Cycle(to) => to < self.steps.len() && states[to] == *last,
        };
        is_right.then_some(states)
    }

    /// The state after its last step; `None` if a step is none of the system.
    #[must_use]
    pub fn last(&self, system: &System) -> Option<Vec<u32>> {
        self.walk(system, &mut |_| ())
    }

    /// Shows each state that it passes, and answers with the last.
    fn walk(&self, system: &System, each: &mut dyn FnMut(&[u32])) -> Option<Vec<u32>> {
        let slots = Slots::new(system);
        let mut state = system.initial();
        each(&state);
        for step in &self.steps {
            let parts = &system.actions.get(step.action.index())?.parts;
            if parts.len() != step.locals.len() {
                return None;
            }
            for (&component, &local) in parts.iter().zip(&step.locals) {
                if system.apply(component, &mut state[slots.of(component)], local)? != step.action {
                    return None;
                }
            }
            each(&state);
        }
        Some(state)
    }
}
