//! What the library says about single states, steps and runs of a system against the definition.

use posetta_base::ActionId;
use posetta_model::system::{End, Local, Move, Run, Slots};
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::random::{NetworkTaste, network, predicate};
use posetta_oracle::system::written::show;
use posetta_oracle::system::{MOST_STATES, Space, runs};

#[test]
fn steps_and_conditions() {
    for_seeds(250, |rng, seed| {
        let system = network(rng, NetworkTaste { states: 60, ..NetworkTaste::ALL });
        let space = Space::of(&system, MOST_STATES).expect("few states");
        let about = || format!("seed {seed}\n{}", show(&system));
        let slots = Slots::new(&system);
        assert_eq!(system.initial(), space.states[0], "{}", about());
        let conditions: Vec<_> = (0..6).map(|_| predicate(rng, &system)).collect();
        for (place, state) in space.states.iter().enumerate() {
            assert_eq!(slots.count(), state.len(), "{}", about());
            let mut expected: Vec<(Move, Option<Vec<u32>>)> = Vec::new();
            for step in &space.steps[place] {
                let locals = step.locals.iter().map(|&l| Local(l)).collect();
                expected.push((Move { action: step.action, locals }, Some(space.states[step.to].clone())));
            }
            assert_eq!(system.moves(&slots, state), expected, "{state:?} {}", about());
            for action in system.action_ids() {
                let enabled = space.is_enabled(place, action);
                assert_eq!(system.is_enabled(state, action), enabled, "{state:?} {action} {}", about());
            }
            for condition in &conditions {
                let holds = space.holds(condition, place);
                assert_eq!(condition.holds(&system, state), holds, "{state:?} {condition:?} {}", about());
            }
        }
    });
}

/// A run and what becomes of it when something is changed.
#[test]
fn replay() {
    let mut kinds = Shares::default();
    for_seeds(250, |rng, seed| {
        let system = network(rng, NetworkTaste { states: 60, ..NetworkTaste::ALL });
        let space = Space::of(&system, MOST_STATES).expect("few states");
        let (mut steps, mut states) = (Vec::new(), vec![0]);
        for _ in 0..rng.usize(..12) {
            let Some(step) = rng.choice(&space.steps[states[states.len() - 1]]) else { break };
            steps.push(Move { action: step.action, locals: step.locals.iter().map(|&l| Local(l)).collect() });
            states.push(step.to);
        }
        let mut ends = vec![End::Open, End::Dead];
        ends.extend((0..=steps.len()).map(End::Cycle));
        let mut changed = steps.clone();
        if !changed.is_empty() {
            let step = rng.usize(..changed.len());
            match rng.u8(..4) {
                0 => drop(changed.remove(step)),
                1 => changed.swap(step, 0),
                2 => changed[step].action = ActionId::new(rng.usize(..system.actions.len() + 1)).expect("few actions"),
                _ => changed[step].locals[0] = Local(rng.u32(..8)),
            }
        }
        for steps in [steps, changed] {
            for &end in &ends {
                let run = Run { steps: steps.clone(), end };
                let expected = runs::states(&space, &run);
                kinds.add(if expected.is_ok() { "a run" } else { "no run" });
                let rows = |places: Vec<usize>| places.into_iter().map(|s| space.states[s].clone()).collect();
                let expected: Option<Vec<Vec<u32>>> = expected.ok().map(rows);
                assert_eq!(run.states(&system), expected, "seed {seed}: {run:?}\n{}", show(&system));
            }
        }
    });
    kinds.at_least(0.1, "runs", &["a run", "no run"]);
}
