//! Random monitors: nondeterministic, with runs that die, loops and several initial states.

use fastrand::Rng;
use posetta_logic::{Guard, Monitor, MonitorEdge, MonitorState, Otherwise};

use super::atom::{Vocabulary, atom};
use super::{chance, pick};

/// A random monitor with up to four states; `about_events` of a hundred atoms speak of events. States are numbered as its
/// print mentions them, so that it reads back as itself.
pub fn monitor(rng: &mut Rng, words: &Vocabulary, about_events: u32) -> Monitor {
    let count = *pick(rng, &[1, 2, 2, 3, 3, 4]);
    let initial = some_states(rng, 0, count, 15);
    // Mostly one where the monitor does not start.
    let first_bad = if chance(rng, 80) { count - 1 } else { rng.usize(..count) };
    let bad = some_states(rng, first_bad, count, 20);
    let otherwise = if chance(rng, 70) { Otherwise::Stay } else { Otherwise::Die };
    let mut edges: Vec<(usize, Guard, usize)> = Vec::new();
    for from in 0..count {
        for _ in 0..*pick(rng, &[0, 1, 1, 2, 2, 3]) {
            let to = if chance(rng, 25) { from } else { rng.usize(..count) };
            let size = *pick(rng, &[1, 1, 1, 2, 2, 3]);
            edges.push((from, guard(rng, words, about_events, size), to));
        }
        // Without a guard that always holds, a monitor that may die seldom lives to the end.
        if otherwise == Otherwise::Die && chance(rng, 70) {
            let to = if chance(rng, 70) { from } else { rng.usize(..count) };
            edges.push((from, if chance(rng, 60) { Guard::True } else { guard(rng, words, about_events, 2) }, to));
        }
    }
    numbered(&initial, &bad, &edges, otherwise)
}

fn some_states(rng: &mut Rng, first: usize, count: usize, percent: u32) -> Vec<usize> {
    let mut chosen = vec![first];
    chosen.extend((0..count).filter(|&s| s != first && chance(rng, percent)));
    chosen
}

/// A boolean combination of `size` atoms.
fn guard(rng: &mut Rng, words: &Vocabulary, about_events: u32, size: usize) -> Guard {
    if size <= 1 {
        let inner = if chance(rng, 4) { Guard::False } else { Guard::Atom(atom(rng, words, about_events)) };
        return if chance(rng, 20) { Guard::Not(Box::new(inner)) } else { inner };
    }
    let left = 1 + rng.usize(..size - 1);
    let a = guard(rng, words, about_events, left);
    let b = guard(rng, words, about_events, size - left);
    match rng.u8(..10) {
        0..4 => Guard::And(vec![a, b]),
        4..7 => Guard::Or(vec![a, b]),
        7 => Guard::Not(Box::new(Guard::Or(vec![a, b]))),
        8 => Guard::Implies(Box::new(a), Box::new(b)),
        _ => Guard::Iff(Box::new(a), Box::new(b)),
    }
}

/// Numbers the states as they are mentioned: initial ones, bad ones, then along the edges. With edges, a state that only one
/// list has is refused as a slip of the pen, so it gets a loop.
fn numbered(initial: &[usize], bad: &[usize], edges: &[(usize, Guard, usize)], otherwise: Otherwise) -> Monitor {
    let mut edges = edges.to_vec();
    if !edges.is_empty() {
        for &state in initial.iter().chain(bad) {
            let lists = usize::from(initial.contains(&state)) + usize::from(bad.contains(&state));
            if lists == 1 && !edges.iter().any(|(from, _, to)| *from == state || *to == state) {
                edges.push((state, Guard::False, state));
            }
        }
    }
    let mut order: Vec<usize> = Vec::new();
    let mut place = |state: usize| {
        let found = order.iter().position(|&s| s == state).unwrap_or_else(|| {
            order.push(state);
            order.len() - 1
        });
        MonitorState(found as u32)
    };
    let initial = initial.iter().map(|&s| place(s)).collect();
    let bad = bad.iter().map(|&s| place(s)).collect();
    let edges =
        edges.into_iter().map(|(from, guard, to)| MonitorEdge { from: place(from), guard, to: place(to) }).collect();
    let names = ["idle", "initial", "odd name", "q[3]"];
    let states = (0..order.len()).map(|i| names[i].to_owned()).collect();
    Monitor { states, initial, bad, edges, otherwise }
}
