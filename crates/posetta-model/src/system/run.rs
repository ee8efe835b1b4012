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
        let slots = Slots::new(system);
        let mut states = vec![system.initial()];
        for step in &self.steps {
            let mut state = states[states.len() - 1].clone();
            let parts = &system.actions.get(step.action.index())?.parts;
            if parts.len() != step.locals.len() {
                return None;
            }
            for (&component, &local) in parts.iter().zip(&step.locals) {
                if system.apply(component, &mut state[slots.of(component)], local)? != step.action {
                    return None;
                }
            }
            states.push(state);
        }
        let last = &states[states.len() - 1];
        let is_right = match self.end {
            End::Open => true,
            End::Dead => system.is_dead(last),
            End::Cycle(to) => to < self.steps.len() && states[to] == *last,
        };
        is_right.then_some(states)
    }
}
