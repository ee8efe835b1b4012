//! Is there a bound on the tokens? Some runs prove that there is none.
//!
//! If a run leads from a state to one with at least as many tokens in every place and more in some, with every
//! transition system where it was, it can do so again and again (Karp and Miller 1969). Such a run is looked for before
//! anything else, and where a place has got many tokens, among so many states. One that is not found proves nothing:
//! then counting goes on. Where weights of the places prove that there is a bound, nothing is looked for.

use rustc_hash::FxHashSet;

use super::explicit::ways::{Change, Scratch, TooMany, Ways};
use super::reduce::is_bounded;
use posetta_base::{ActionId, Budget, Diagnostic, Error, Kind, Limit, OverBudget};
use posetta_model::system::{Behaviour, Component, MOST_TOKENS, Move, Slots, System, Transition};

const WHAT: &str = "looking for a bound on tokens";

/// So many states are looked at before counting goes on, and so many looks at an action in a state.
const STATES: usize = 5_000;
const LOOKS: usize = 2_000_000;

/// The effort of comparing two states.
const COVERS: u64 = 2;

/// So many steps of a run are shown.
const SHOWN: usize = 12;

/// Looks for a run that proves that there is no bound, before anything else is done: many tokens can be spread over
/// places long before one of them has many. What it says of such a system, if one is found.
pub(super) fn unbounded(system: &System, budget: &Budget) -> Result<Option<Diagnostic>, OverBudget> {
    Ok(pump(system, budget)?.map(|pump| described(system, &pump)))
}

/// Whether there can be more tokens than at the start: not where no transition puts more than it takes.
fn may_grow(system: &System) -> bool {
    let sum = |counts: &[(u32, u32)]| counts.iter().map(|&(_, n)| u64::from(n)).sum::<u64>();
    let grows = |t: &Transition| sum(&t.puts) > sum(&t.takes);
    let grows_in = |component: &Component| match &component.behaviour {
        Behaviour::Lts(_) => false,
        Behaviour::Net(net) => net.transitions.iter().any(grows),
    };
    system.components.iter().any(grows_in)
}

/// Refuses a system that is seen to have no bound.
///
/// # Errors
/// If there is no bound.
pub(super) fn refuse_unbounded(system: &System, budget: &Budget) -> Result<(), Error> {
    unbounded(system, budget)?.map_or(Ok(()), |why| Err(why.into()))
}

fn described(system: &System, (prefix, pump, grown): &Pump) -> Diagnostic {
    let names = |moves: &[Move]| {
        let shown = moves.iter().take(SHOWN).map(|m| &*system.action(m.action).name);
        let mut text = shown.collect::<Vec<_>>().join(", ");
        if moves.len() > SHOWN {
            text.push_str(&format!(" and {} more", moves.len() - SHOWN));
        }
        text
    };
    let place = system.slot_name(*grown);
    let before = if prefix.is_empty() { String::new() } else { format!("after {}, ", names(prefix)) };
    let message = format!("the system is not bounded: the tokens in `{place}` can grow forever");
    let help = format!("{before}{} can be repeated forever, with more tokens in `{place}` each time", names(pump));
    Diagnostic::new(Kind::Unbounded, message).help(help)
}

/// A place has got more tokens than expected.
///
/// # Errors
/// If there is no bound, or more tokens than can be counted.
pub(super) fn outgrown(system: &System, slot: u32, largest: u32, budget: &Budget) -> Result<(), Error> {
    if let Some(pump) = pump(system, budget)? {
        return Err(described(system, &pump).into());
    }
    if largest >= MOST_TOKENS { Err(too_many(system, slot)) } else { Ok(()) }
}

/// A place gets more tokens than can be counted.
pub(super) fn too_many(system: &System, slot: u32) -> Error {
    let place = system.slot_name(slot);
    let message = format!("more than {MOST_TOKENS} tokens can come to `{place}`");
    Diagnostic::new(Kind::TooLarge, message).help("places with fewer tokens can be verified").into()
}

/// What leads to a state, what can be repeated from there, and a slot that it makes larger.
type Pump = (Vec<Move>, Vec<Move>, u32);

/// A run that proves that there is no bound, among a few states, depth first and then breadth first. Where there is no
/// memory for that, none is found: the question may do with less.
fn pump(system: &System, budget: &Budget) -> Result<Option<Pump>, OverBudget> {
    if !may_grow(system) || is_bounded(system, budget)? {
        return Ok(None);
    }
    for search in [deep_pump, broad_pump] {
        match search(system, budget) {
            Ok(None) | Err(OverBudget { limit: Limit::Memory, .. }) => {}
            found => return found,
        }
    }
    Ok(None)
}

/// Which slots count tokens.
fn counts(system: &System, slots: &Slots) -> Vec<bool> {
    let mut counts = vec![false; slots.count()];
    for component in system.component_ids() {
        if let Behaviour::Net(_) = system.component(component).behaviour {
            counts[slots.of(component)].fill(true);
        }
    }
    counts
}

/// Whether a state has at least the tokens of another, and more in some place, all else being the same.
fn covers(small: &[u32], large: &[u32], counts: &[bool]) -> bool {
    let same = small.iter().zip(large).zip(counts).all(|((s, l), c)| if *c { s <= l } else { s == l });
    same && small != large
}

/// A state, with the place of the one before it and the move from there.
type Reached = (Vec<u32>, Option<(usize, Move)>);

/// Breadth first: each new state beside all that it was reached through.
fn broad_pump(system: &System, budget: &Budget) -> Result<Option<Pump>, OverBudget> {
    let slots = Slots::new(system);
    let counts = counts(system, &slots);
    let most = STATES.min(LOOKS / system.actions.len().max(1));
    let mut states: Vec<Reached> = vec![(system.initial(), None)];
    let mut seen: FxHashSet<Vec<u32>> = FxHashSet::from_iter([system.initial()]);
    let mut claim = budget.claim(0, WHAT)?;
    let mut at = 0;
    while at < states.len() && states.len() < most {
        budget.step(1, WHAT)?;
        for (step, next) in system.moves(&slots, &states[at].0.clone()) {
            let Some(next) = next.filter(|next| seen.insert(next.clone())) else { continue };
            states.push((next, Some((at, step))));
            let new = states.len() - 1;
            let mut before = Some(at);
            while let Some(place) = before {
                budget.effort(COVERS, WHAT)?;
                if covers(&states[place].0, &states[new].0, &counts) {
                    return Ok(told(&states, place, new, &counts));
                }
                before = states[place].1.as_ref().map(|(before, _)| *before);
            }
        }
        claim.grow_to((states.len() * (8 * slots.count() + 96)) as u64, WHAT)?;
        at += 1;
    }
    Ok(None)
}

/// The moves to a state and from there to one that covers it.
fn told(states: &[Reached], from: usize, to: usize, counts: &[bool]) -> Option<Pump> {
    let way = |mut at: usize, end: usize| {
        let mut moves = Vec::new();
        while at != end {
            let (before, step) = states[at].1.as_ref()?;
            moves.push(step.clone());
            at = *before;
        }
        moves.reverse();
        Some(moves)
    };
    let (small, large) = (&states[from].0, &states[to].0);
    let grown = (0..large.len()).find(|&i| large[i] > small[i] && counts[i])?;
    Some((way(from, 0)?, way(to, from)?, grown as u32))
}

/// A step that was not taken yet: the tokens there would be, the action, and the slots that change.
type Open = (u64, ActionId, Box<[Change]>);

/// Where a search depth first is: a state, and the steps that are left, the next one last.
struct Frame {
    state: Vec<u32>,
    open: Vec<Open>,
    /// About how many it took when it was new.
    bytes: usize,
}

/// Depth first, where there are most tokens. Of the steps that are left only the changes are kept: there can be a
/// thousand from each state.
fn deep_pump(system: &System, budget: &Budget) -> Result<Option<Pump>, OverBudget> {
    let slots = Slots::new(system);
    let counts = counts(system, &slots);
    let ways = Ways::new(system, &slots);
    let mut scratch = Scratch::default();
    let mut frame = |state: Vec<u32>| {
        let all: u64 = state.iter().zip(&counts).filter(|(_, c)| **c).map(|(&n, _)| u64::from(n)).sum();
        let mut open: Vec<Open> = Vec::new();
        // Where more tokens would come than can be counted, the steps that were found are enough.
        let _: Result<(), TooMany> = ways.each(&state, &mut scratch, &mut |action, changes| {
            let (mut more, mut less) = (0, 0);
            for &(slot, number) in changes.iter().filter(|(slot, _)| counts[*slot as usize]) {
                (more, less) = (more + u64::from(number), less + u64::from(state[slot as usize]));
            }
            open.push((all + more - less, action, changes.into()));
            Ok(())
        });
        open.sort_unstable_by(|a, b| (a.0, &b.1, &b.2).cmp(&(b.0, &a.1, &a.2)));
        let bytes = 8 * state.len() + open.iter().map(|(_, _, c)| 48 + 8 * c.len()).sum::<usize>();
        Frame { state, open, bytes }
    };
    let most = STATES.min(LOOKS / system.actions.len().max(1));
    let initial = system.initial();
    let mut claim = budget.claim(0, WHAT)?;
    let mut seen: FxHashSet<Vec<u32>> = FxHashSet::from_iter([initial.clone()]);
    let mut path = vec![frame(initial)];
    let mut bytes = path[0].bytes;
    let mut actions: Vec<ActionId> = Vec::new();
    while let Some(Frame { state: from, open, .. }) = path.last_mut() {
        budget.step(1, WHAT)?;
        let Some((_, action, changes)) = open.pop() else {
            bytes -= path.pop().map_or(0, |done| done.bytes);
            claim.shrink_to((bytes + seen.len() * (8 * slots.count() + 48)) as u64);
            actions.pop();
            continue;
        };
        let mut state = from.clone();
        changes.iter().for_each(|&(slot, number)| state[slot as usize] = number);
        if seen.len() >= most {
            return Ok(None);
        }
        if !seen.insert(state.clone()) {
            continue;
        }
        actions.push(action);
        budget.effort(COVERS * path.len() as u64, WHAT)?;
        if let Some(at) = path.iter().position(|f| covers(&f.state, &state, &counts)) {
            let grown = (0..state.len()).find(|&i| state[i] > path[at].state[i] && counts[i]);
            let ends = path[1..].iter().map(|f| &f.state).chain([&state]);
            let moves = path.iter().zip(ends).zip(&actions);
            let moves = moves.map(|((from, to), &action)| system.step_between(&slots, &from.state, action, to));
            let mut moves: Vec<Move> = moves.collect::<Option<_>>().unwrap_or_default();
            let pump = moves.split_off(at.min(moves.len()));
            return Ok(grown.map(|slot| (moves, pump, slot as u32)));
        }
        path.push(frame(state));
        // The states that were seen stay.
        bytes += path[path.len() - 1].bytes;
        claim.grow_to((bytes + seen.len() * (8 * slots.count() + 48)) as u64, WHAT)?;
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Places that change places, and a step that makes more tokens once `r` has one.
    fn toggles(count: usize, r: u32) -> System {
        let places: String = (0..count).map(|i| format!("p{i} = 1; ")).collect();
        let steps: String = (0..count).map(|i| format!("t{i}: p{i} -> q{i}\n u{i}: q{i} -> p{i}\n ")).collect();
        let text = format!("component N {{ net {{\n {places}r = {r};\n {steps}z: r -> r, v\n}} }}\n");
        posetta_model::sys::read("a.sys", &text, None, &mut |_, _| unreachable!("nothing is imported")).unwrap()
    }

    #[test]
    fn weights_prove_a_bound() {
        let read = |text: &str| {
            posetta_model::sys::read("a.sys", text, None, &mut |_, _| unreachable!("nothing is imported")).unwrap()
        };
        // A transition that puts more than it takes, but what it takes was more before; and a waiter who lets three in.
        let join = "component N { net { a = 2; b = 2; c = 0\n t: a, b -> c\n u: c -> a, b\n } }";
        let heap = "component N { net { a = 2; b = 2; c = 0\n t: a, b -> c\n u: c -> a, b, b\n } }";
        let waiter = |end: &str| {
            format!(
                "component P(i in 0..4) {{ lts {{ init out; out -enter[i]-> in; in -leave[i]-> {end} }} }}
                component W {{ net {{ room = 3\n for i in 0..4 {{ enter[i]: room ->\n leave[i]: -> room }} }} }}
                system A = P || W"
            )
        };
        for (text, is_proved) in [(join, true), (heap, false), (&waiter("out"), true), (&waiter("in"), false)] {
            let system = read(text);
            assert!(may_grow(&system));
            assert_eq!(is_bounded(&system, &Budget::unlimited()).unwrap(), is_proved, "{text}");
            assert_eq!(unbounded(&system, &Budget::unlimited()).unwrap().is_none(), is_proved, "{text}");
        }
    }

    #[test]
    fn a_search_that_may_find_nothing_takes_no_answer_away() {
        for (r, is_bounded) in [(0, true), (1, false)] {
            for megabytes in [1, 1000] {
                let found = unbounded(&toggles(150, r), &Budget::with_memory(megabytes << 20)).unwrap();
                assert!(found.is_none() || !is_bounded, "{found:?}");
            }
            assert_eq!(unbounded(&toggles(3, r), &Budget::unlimited()).unwrap().is_none(), is_bounded);
        }
        // What ends is not kept.
        let budget = Budget::with_memory(1 << 20);
        unbounded(&toggles(150, 0), &budget).unwrap();
        assert!(budget.claim(900_000, WHAT).is_ok());
    }
}
