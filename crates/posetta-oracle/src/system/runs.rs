//! Runs: held against the definition, their words and states, and all short ones.

use posetta_base::ActionId;
use posetta_model::system::{End, Letter, Local, Move, Run};

use super::letters::Word;
use super::{Space, Step};

/// The places of the states that a run passes, the one at the start first.
///
/// # Errors
/// When it is not a run of the system, with the reason.
pub fn states(space: &Space<'_>, run: &Run) -> Result<Vec<usize>, String> {
    let mut states = vec![0];
    for (i, step) in run.steps.iter().enumerate() {
        let locals: Vec<u32> = step.locals.iter().map(|l| l.0).collect();
        let at = states[i];
        let found = space.steps[at].iter().find(|s| s.action == step.action && s.locals == locals);
        states.push(found.ok_or_else(|| format!("step {i} cannot be taken in {:?}", space.states[at]))?.to);
    }
    let last = states[run.steps.len()];
    match run.end {
        End::Dead if !space.is_dead(last) => Err(format!("{:?} is not dead", space.states[last])),
        End::Cycle(to) if to >= run.steps.len() => Err("the cycle has no step".to_owned()),
        End::Cycle(to) if states[to] != last => Err("the cycle does not close".to_owned()),
        _ => Ok(states),
    }
}

/// The word of a run: "its observed actions, then `deadlock` or `divergence` forever if they end". `None`: it is only a beginning.
#[must_use]
pub fn word(run: &Run, observed: &[ActionId]) -> Option<Word> {
    let seen = |steps: &[Move]| -> Vec<Letter> {
        steps.iter().map(|s| s.action).filter(|a| observed.contains(a)).map(Letter::Action).collect()
    };
    match run.end {
        End::Open => None,
        End::Dead => Some(Word { stem: seen(&run.steps), round: vec![Letter::Deadlock] }),
        End::Cycle(to) => {
            let mut round = seen(&run.steps[to..]);
            if round.is_empty() {
                round.push(Letter::Divergence);
            }
            Some(Word { stem: seen(&run.steps[..to]), round })
        }
    }
}

/// The states of a run as an infinite word, one position per state: those that come once, those that come forever. "A run that stops repeats
/// its last state forever." `None`: it is only a beginning.
#[must_use]
pub fn endless_states(run: &Run, states: &[usize]) -> Option<(Vec<usize>, Vec<usize>)> {
    let mut stem = states.to_vec();
    let round = match run.end {
        End::Open => return None,
        End::Dead => stem.split_off(states.len() - 1),
        End::Cycle(to) => {
            stem.pop();
            stem.split_off(to)
        }
    };
    Some((stem, round))
}

/// Calls `visit` with every run that ends dead or goes round after this many steps at most, shorter beginnings first; stops when `visit` says
/// so, or after so many beginnings. Says whether all were visited.
pub fn for_each_short(
    space: &Space<'_>,
    steps: usize,
    most: usize,
    visit: &mut dyn FnMut(&Run, &[usize]) -> bool,
) -> bool {
    let mut begun: Vec<(Vec<&Step>, Vec<usize>)> = vec![(Vec::new(), vec![0])];
    let mut count = 0;
    for length in 0..=steps {
        let mut longer = Vec::new();
        for (taken, states) in &begun {
            count += 1;
            if count > most {
                return false;
            }
            let last = states[length];
            let moves =
                taken.iter().map(|s| Move { action: s.action, locals: s.locals.iter().map(|&l| Local(l)).collect() });
            let mut run = Run { steps: moves.collect(), end: End::Dead };
            if space.is_dead(last) && !visit(&run, states) {
                return false;
            }
            for to in (0..length).filter(|&i| states[i] == last) {
                run.end = End::Cycle(to);
                if !visit(&run, states) {
                    return false;
                }
            }
            for step in &space.steps[last] {
                longer.push(([&taken[..], &[step]].concat(), [&states[..], &[step.to]].concat()));
            }
        }
        begun = longer;
    }
    true
}
