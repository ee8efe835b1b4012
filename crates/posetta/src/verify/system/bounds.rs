//! Is there a bound on the tokens? Some runs prove that there is none.
//!
//! If a run leads from a state to one with at least as many tokens in every place and more in some, with every transition system where it
//! was, it can do so again and again (Karp and Miller 1969). Where a place has got many tokens, such a run is looked for: depth first, in
//! the direction of more tokens, among so many states. One that is not found proves nothing: then counting goes on.

use rustc_hash::FxHashSet;

use crate::base::{Budget, Diagnostic, Failure, Kind, OverBudget};
use crate::model::system::{Behaviour, MOST_TOKENS, Move, Slots, System};

const WHAT: &str = "looking for a bound on tokens";

/// So many states are looked at before counting goes on.
const STATES: usize = 5_000;

/// So many steps of a run are shown.
const SHOWN: usize = 12;

/// A place has got more tokens than expected.
///
/// # Errors
/// If there is no bound, or more tokens than can be counted.
pub(super) fn outgrown(system: &System, slot: u32, largest: u32, budget: &Budget) -> Result<(), Failure> {
    if let Some((prefix, pump, grown)) = pump(system, budget)? {
        let names = |moves: &[Move]| {
            let shown = moves.iter().take(SHOWN).map(|m| &*system.action(m.action).name);
            let mut text = shown.collect::<Vec<_>>().join(", ");
            if moves.len() > SHOWN {
                text.push_str(&format!(" and {} more", moves.len() - SHOWN));
            }
            text
        };
        let place = system.slot_name(grown);
        let before = if prefix.is_empty() { String::new() } else { format!("after {}, ", names(&prefix)) };
        let message = format!("the system is not bounded: the tokens in `{place}` can grow forever");
        let help = format!(
            "{before}{} can be repeated forever, with more tokens in `{place}` each time; bounded nets can be verified",
            names(&pump)
        );
        return Err(Diagnostic::new(Kind::Unbounded, message).help(help).into());
    }
    if largest >= MOST_TOKENS {
        let place = system.slot_name(slot);
        let message = format!("more than {MOST_TOKENS} tokens can come to `{place}`");
        return Err(Diagnostic::new(Kind::TooLarge, message).help("places with fewer tokens can be verified").into());
    }
    Ok(())
}

/// What leads to a state, what can be repeated from there, and a slot that it makes larger.
type Pump = (Vec<Move>, Vec<Move>, u32);

fn pump(system: &System, budget: &Budget) -> Result<Option<Pump>, OverBudget> {
    struct Frame {
        state: Vec<u32>,
        rest: std::vec::IntoIter<(Move, Vec<u32>)>,
    }
    let slots = Slots::new(system);
    let mut counts = vec![false; slots.count()];
    for component in system.component_ids() {
        if let Behaviour::Net(_) = system.component(component).behaviour {
            counts[slots.of(component)].fill(true);
        }
    }
    let tokens =
        |state: &[u32]| -> u64 { state.iter().zip(&counts).filter(|(_, c)| **c).map(|(&n, _)| u64::from(n)).sum() };
    let next = |state: &[u32]| {
        let mut all: Vec<(Move, Vec<u32>)> =
            system.moves(&slots, state).into_iter().filter_map(|(m, next)| Some((m, next?))).collect();
        all.sort_by_key(|(_, next)| std::cmp::Reverse(tokens(next)));
        all.into_iter()
    };
    let covers = |small: &[u32], large: &[u32]| {
        let same = small.iter().zip(large).zip(&counts).all(|((s, l), c)| if *c { s <= l } else { s == l });
        same && small != large
    };
    let initial = system.initial();
    let mut seen: FxHashSet<Vec<u32>> = FxHashSet::from_iter([initial.clone()]);
    let mut path = vec![Frame { rest: next(&initial), state: initial }];
    let mut moves: Vec<Move> = Vec::new();
    while let Some(frame) = path.last_mut() {
        budget.step(1, WHAT)?;
        let Some((step, state)) = frame.rest.next() else {
            path.pop();
            moves.pop();
            continue;
        };
        if seen.len() >= STATES || !seen.insert(state.clone()) {
            continue;
        }
        moves.push(step);
        if let Some(at) = path.iter().position(|f| covers(&f.state, &state)) {
            let grown = (0..state.len()).find(|&i| state[i] > path[at].state[i] && counts[i]);
            let pump = moves.split_off(at);
            return Ok(grown.map(|slot| (moves, pump, slot as u32)));
        }
        path.push(Frame { rest: next(&state), state });
    }
    Ok(None)
}
