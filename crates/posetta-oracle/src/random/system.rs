//! Random systems of components, and what is asked of them.
//!
//! Most components are transition systems whose states lie in a ring, with shortcuts; some are nets that keep the number of their tokens, and
//! a few that need not. Most actions are shared by two. A system is drawn again until it has few states, but more than a few.

use std::sync::Arc;

use fastrand::Rng;
use posetta_base::{ActionId, ComponentId};
use posetta_logic::{Compare, Ctl, Ltl, LtlUnary};
use posetta_model::system::{
    Action, Behaviour, Component, Demand, Letter, Lts, LtsArc, Net, Place, Predicate, System, Transition, Unit,
};

use super::ctl::ctl_over;
use super::ltl::{Tense, ltl_over};
use super::{chance, pick};
use crate::fds::tableau::guesses;
use crate::system::Space;

/// What random systems are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetworkTaste {
    /// The most components; at least 2.
    pub components: usize,
    /// The most states that can be reached.
    pub states: usize,
    /// Whether some components are nets.
    pub nets: bool,
}

impl NetworkTaste {
    /// All kinds.
    pub const ALL: Self = Self { components: 5, states: 400, nets: true };
    /// So small that short runs show almost everything.
    pub const SMALL: Self = Self { components: 3, states: 12, nets: true };
}

/// A random system.
pub fn network(rng: &mut Rng, taste: NetworkTaste) -> System {
    loop {
        let system = draft(rng, taste);
        let enough = *pick(rng, &[2, 6, 12, 24]);
        if Space::of(&system, taste.states).is_some_and(|space| space.states.len() >= enough.min(taste.states / 2)) {
            return system;
        }
    }
}

/// A random net by itself: some places hold one token between them that goes round, others any number; transitions join these.
pub fn one_net(rng: &mut Rng, states: usize) -> System {
    loop {
        let system = net_draft(rng);
        if Space::of(&system, states).is_some_and(|space| space.states.len() >= 6) {
            return system;
        }
    }
}

/// A random net by itself with more states than these, mostly because its tokens have no bound.
pub fn endless_net(rng: &mut Rng, states: usize) -> System {
    loop {
        let system = net_draft(rng);
        if Space::of(&system, states).is_none() {
            return system;
        }
    }
}

fn net_draft(rng: &mut Rng) -> System {
    let count = rng.usize(4..=9);
    let mut places: Vec<Place> =
        (0..count).map(|i| Place { name: format!("p{i}").into(), initial: u32::from(chance(rng, 35)) }).collect();
    if chance(rng, 30) {
        places[rng.usize(..count)].initial += rng.u32(1..=2);
    }
    let transitions = (0..rng.u32(4..=9)).map(|i| {
        let mut some = |sizes: &[usize]| {
            let size = *pick(rng, sizes);
            let mut chosen = rng.choose_multiple(0..count as u32, size);
            chosen.sort_unstable();
            chosen.into_iter().map(|place| (place, if chance(rng, 8) { 2 } else { 1 })).collect::<Vec<_>>()
        };
        let (takes, puts) = (some(&[1, 1, 1, 2, 2, 3]), some(&[0, 1, 1, 1, 1, 2, 2]));
        Transition { action: ActionId::from_raw(i), takes, puts }
    });
    let transitions: Vec<Transition> = transitions.collect();
    let action = |i: usize| Action {
        name: format!("t{i}").into(),
        internal: false,
        parts: ComponentId::new(0).into_iter().collect(),
    };
    let actions = (0..transitions.len()).map(action).collect();
    let net = Component { name: "N".into(), behaviour: Behaviour::Net(Net { places, transitions, units: None }) };
    System { name: "net".to_owned(), actions, components: vec![net], warnings: Vec::new() }
}

/// A random system with more states than these, mostly because its tokens have no bound.
pub fn endless(rng: &mut Rng, states: usize) -> System {
    loop {
        let system = draft(rng, NetworkTaste::ALL);
        if Space::of(&system, states).is_none() {
            return system;
        }
    }
}

fn draft(rng: &mut Rng, taste: NetworkTaste) -> System {
    let count = rng.usize(2..=taste.components);
    let mut actions: Vec<Action> = (0..rng.usize(2..=7)).map(|i| action(rng, i, count)).collect();
    // What nobody else would do alone: a component without actions is not worth having.
    for component in (0..count).filter_map(ComponentId::new) {
        if !actions.iter().any(|a| a.parts.contains(&component)) {
            actions.push(Action { parts: vec![component], ..action(rng, actions.len(), count) });
        }
    }
    let components = (0..count).map(|i| {
        let component = ComponentId::new(i).expect("few components");
        let own = (0..actions.len()).filter(|&a| actions[a].parts.contains(&component)).filter_map(ActionId::new);
        let own: Vec<ActionId> = own.collect();
        Component { name: format!("C{i}").into(), behaviour: behaviour(rng, taste, &own) }
    });
    let components = components.collect();
    System { name: "random".to_owned(), actions, components, warnings: Vec::new() }
}

/// What a component with these actions does.
pub(super) fn behaviour(rng: &mut Rng, taste: NetworkTaste, own: &[ActionId]) -> Behaviour {
    match taste.nets && chance(rng, 22) {
        true => Behaviour::Net(net(rng, own)),
        false => Behaviour::Lts(lts(rng, own)),
    }
}

fn action(rng: &mut Rng, place: usize, components: usize) -> Action {
    let parts = *pick(rng, &[1, 1, 1, 2, 2, 2, 2, 2, 3, components]);
    let mut parts: Vec<ComponentId> =
        rng.choose_multiple(0..components, parts.min(components)).into_iter().filter_map(ComponentId::new).collect();
    parts.sort_unstable();
    let internal = chance(rng, 40);
    let name = char::from(b'a' + place as u8);
    Action { name: String::from(name).into(), internal, parts }
}

fn lts(rng: &mut Rng, own: &[ActionId]) -> Lts {
    let count = rng.usize(1..=6);
    let mut arcs = Vec::new();
    for from in 0..count {
        // A place where nothing goes on, now and then.
        let degree = *pick(rng, &[0, 1, 1, 1, 1, 1, 2, 2, 2, 3]);
        for i in 0..degree {
            let next = (from + 1) % count;
            let to = if i == 0 && chance(rng, 75) { next } else { rng.usize(..count) };
            arcs.push(LtsArc { from: from as u32, action: *pick(rng, own), to: to as u32 });
        }
        // The same action, somewhere else.
        if let Some(&last) = arcs.last().filter(|_| chance(rng, 12)) {
            arcs.push(LtsArc { to: rng.u32(..count as u32), ..last });
        }
    }
    arcs.sort_unstable();
    arcs.dedup();
    let states = (0..count).map(|i| Arc::from(format!("s{i}"))).collect();
    Lts { states, initial: if chance(rng, 80) { 0 } else { rng.u32(..count as u32) }, arcs }
}

fn net(rng: &mut Rng, own: &[ActionId]) -> Net {
    let count = rng.usize(2..=4);
    // One token that goes round, several that are kept, or any number.
    let kind = *pick(rng, &[0, 0, 1, 1, 1, 2]);
    let tokens = if kind == 0 { 1 } else { rng.usize(1..=3) };
    let mut initial = vec![0u32; count];
    (0..tokens).for_each(|_| initial[rng.usize(..count)] += 1);
    let mut transitions = Vec::new();
    for i in 0..rng.usize(2..=5) {
        let size = if kind == 0 { 1 } else { *pick(rng, &[1, 1, 2]) };
        let puts = if kind == 2 { size - usize::from(chance(rng, 40)) + usize::from(chance(rng, 20)) } else { size };
        let mut some = |n: usize, first: usize| {
            let mut counts = vec![0u32; count];
            (0..n)
                .for_each(|k| counts[if k == 0 && chance(rng, 70) { first % count } else { rng.usize(..count) }] += 1);
            (0..count as u32).zip(counts).filter(|(_, n)| *n > 0).collect::<Vec<(u32, u32)>>()
        };
        let (takes, puts) = (some(size, i), some(puts, i + 1));
        let action = own.get(i).copied().unwrap_or_else(|| *pick(rng, own));
        transitions.push(Transition { action, takes, puts });
    }
    let places = (0..count).map(|i| Place { name: format!("p{i}").into(), initial: initial[i] }).collect();
    let unit = || Unit { name: "all".into(), places: (0..count as u32).collect() };
    transitions.sort_by_key(|t| t.action);
    Net { places, transitions, units: (kind == 0 && rng.bool()).then(|| vec![unit()]) }
}

/// The slots of each component: where its numbers are in a state, and how many values the first one has if it is a transition system.
fn slots(system: &System) -> Vec<(u32, Option<u32>)> {
    let mut slots = Vec::new();
    for component in &system.components {
        match &component.behaviour {
            Behaviour::Lts(lts) => slots.push((slots.len() as u32, Some(lts.states.len() as u32))),
            Behaviour::Net(net) => net.places.iter().for_each(|_| slots.push((slots.len() as u32, None))),
        }
    }
    slots
}

/// A random condition on states.
pub fn predicate(rng: &mut Rng, system: &System) -> Predicate {
    let one = |rng: &mut Rng| predicate(rng, system);
    match rng.u8(..20) {
        0 => Predicate::Not(Box::new(one(rng))),
        1 | 2 => Predicate::And(vec![one(rng), one(rng)]),
        3 | 4 => Predicate::Or(vec![one(rng), one(rng)]),
        5 => Predicate::Dead,
        6..9 => {
            let count = rng.usize(1..=2);
            let mut actions = rng.choose_multiple(system.action_ids(), count);
            actions.sort_unstable();
            Predicate::Enabled(actions)
        }
        9 if chance(rng, 20) => Predicate::Constant(rng.bool()),
        _ => linear(rng, system),
    }
}

fn linear(rng: &mut Rng, system: &System) -> Predicate {
    use Compare::{Eq, Ge, Gt, Le, Lt, Ne};
    let slots = slots(system);
    if chance(rng, 65) {
        // A transition system is in a state; a place has so many tokens.
        return match *pick(rng, &slots) {
            (slot, Some(states)) => {
                let op = if chance(rng, 80) { Eq } else { Ne };
                Predicate::Linear(vec![(slot, 1)], op, i64::from(rng.u32(..states)))
            }
            (slot, None) => Predicate::Linear(vec![(slot, 1)], *pick(rng, &[Ge, Eq, Le]), rng.i64(0..=2)),
        };
    }
    let count = rng.usize(1..=3).min(slots.len());
    let mut chosen = rng.choose_multiple(slots, count);
    chosen.sort_unstable();
    let terms = chosen.into_iter().map(|(slot, _)| (slot, *pick(rng, &[1, 1, 1, 2, -1, -2]))).collect();
    Predicate::Linear(terms, *pick(rng, &[Eq, Ne, Lt, Le, Gt, Ge]), rng.i64(-2..=4))
}

/// Actions that are observed besides.
pub fn observe(rng: &mut Rng, system: &System) -> Vec<ActionId> {
    match rng.u8(..10) {
        0..5 => Vec::new(),
        5..9 => system.action_ids().filter(|_| chance(rng, 30)).collect(),
        _ => system.action_ids().collect(),
    }
}

/// A random formula over letters. It speaks of the next letter only if all actions are observed besides.
pub fn letters_ltl(rng: &mut Rng, system: &System, observe: &[ActionId]) -> Ltl<Letter> {
    let all_observed = system.action_ids().all(|a| observe.contains(&a));
    let named: Vec<ActionId> = rng.choose_multiple(system.action_ids(), 3);
    let letter = |rng: &mut Rng| match rng.u8(..16) {
        0 | 1 => Letter::Deadlock,
        2 | 3 => Letter::Divergence,
        _ => Letter::Action(*pick(rng, &named)),
    };
    loop {
        let tense = if chance(rng, 50) { Tense::PastAndFuture } else { Tense::Future };
        let formula = ltl_over(rng, tense, &letter);
        let formula = if all_observed { formula } else { without_next(&formula) };
        if guesses(&formula) <= 5 {
            return formula;
        }
    }
}

/// `F` for `X` and `G` for `WX`.
fn without_next<A: Clone>(formula: &Ltl<A>) -> Ltl<A> {
    let each = |f: &Ltl<A>| without_next(f);
    let boxed = |f: &Ltl<A>| Box::new(without_next(f));
    match formula {
        Ltl::True | Ltl::False | Ltl::Atom(_) => formula.clone(),
        Ltl::Not(f) => Ltl::Not(boxed(f)),
        Ltl::And(fs) => Ltl::And(fs.iter().map(each).collect()),
        Ltl::Or(fs) => Ltl::Or(fs.iter().map(each).collect()),
        Ltl::Implies(f, g) => Ltl::Implies(boxed(f), boxed(g)),
        Ltl::Iff(f, g) => Ltl::Iff(boxed(f), boxed(g)),
        Ltl::Unary(LtlUnary::Next, f) => Ltl::Unary(LtlUnary::Finally, boxed(f)),
        Ltl::Unary(LtlUnary::WeakNext, f) => Ltl::Unary(LtlUnary::Globally, boxed(f)),
        Ltl::Unary(op, f) => Ltl::Unary(*op, boxed(f)),
        Ltl::Binary(op, f, g) => Ltl::Binary(*op, boxed(f), boxed(g)),
    }
}

/// A random linear formula over states.
pub fn states_ltl(rng: &mut Rng, system: &System) -> Ltl<Predicate> {
    loop {
        let tense = if chance(rng, 50) { Tense::PastAndFuture } else { Tense::Future };
        let formula = ltl_over(rng, tense, &|rng| predicate(rng, system));
        if guesses(&formula) <= 5 {
            return formula;
        }
    }
}

/// A random branching formula over states.
pub fn states_ctl(rng: &mut Rng, system: &System) -> Ctl<Predicate> {
    ctl_over(rng, &|rng| predicate(rng, system))
}

/// A random question of any other kind.
pub fn plain_demand(rng: &mut Rng, system: &System) -> Demand {
    match rng.u8(..10) {
        0..3 => Demand::Reach(predicate(rng, system)),
        3..6 => Demand::Invariant(predicate(rng, system)),
        6 => Demand::NoDeadlock,
        7 => Demand::NoLivelock,
        _ => {
            let slots = slots(system);
            let places: Vec<u32> = slots.iter().filter(|s| s.1.is_none()).map(|s| s.0).collect();
            // Without nets there is nothing to count but the numbers of states.
            let from = if places.is_empty() { slots.iter().map(|s| s.0).collect() } else { places };
            let count = rng.usize(1..=from.len());
            let mut chosen = rng.choose_multiple(from, count);
            chosen.sort_unstable();
            Demand::Bound(chosen)
        }
    }
}
