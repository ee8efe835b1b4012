//! Random pairs of systems with the same observable actions.
//!
//! The second is mostly the first with a few changes: an arc more or fewer, a state that is there twice, a silent step before an action, a
//! component that no longer takes part. So the two have much in common, and either may do what the other cannot.

use std::sync::Arc;

use fastrand::Rng;
use posetta_base::{ActionId, ComponentId};
use posetta_model::system::{Action, Behaviour, Component, Lts, LtsArc, System};

use super::system::{NetworkTaste, behaviour, network};
use super::{chance, pick};
use crate::system::Space;

/// Two systems with the same observable actions and at most so many states each.
pub fn related(rng: &mut Rng, taste: NetworkTaste) -> (System, System) {
    loop {
        let first = if chance(rng, 45) { orderly(rng, taste) } else { network(rng, taste) };
        let mut second = match rng.u8(..10) {
            0 | 1 => unrelated(rng, &first, taste),
            _ => first.clone(),
        };
        for _ in 0..rng.usize(1..=7) {
            change(rng, &mut second);
        }
        let few = |s: &System| Space::of(s, taste.states).is_some();
        if first.actions.iter().any(|a| !a.internal) && few(&first) && few(&second) {
            return if rng.bool() { (first, second) } else { (second, first) };
        }
    }
}

/// Components that go round, one action at a time, or some of them in any order: what they do silently never takes a choice away.
fn orderly(rng: &mut Rng, taste: NetworkTaste) -> System {
    loop {
        let count = rng.usize(2..=taste.components);
        let mut system = System { name: "orderly".to_owned(), ..System::default() };
        for i in 0..rng.usize(count..=count + 4) {
            let mut parts = vec![ComponentId::new(i % count).expect("few components")];
            if chance(rng, 60) {
                parts.push(ComponentId::new(rng.usize(..count)).expect("few components"));
            }
            parts.sort_unstable();
            parts.dedup();
            let name = String::from(char::from(b'a' + i as u8)).into();
            system.actions.push(Action { name, internal: chance(rng, 45), parts });
        }
        for component in (0..count).filter_map(ComponentId::new) {
            let mut own: Vec<ActionId> =
                system.action_ids().filter(|&a| system.action(a).parts.contains(&component)).collect();
            rng.shuffle(&mut own);
            let lts = round(rng, &own);
            let name = format!("C{component}").into();
            system.components.push(Component { name, behaviour: Behaviour::Lts(lts) });
        }
        if Space::of(&system, taste.states).is_some_and(|space| space.states.len() > 2) {
            return system;
        }
    }
}

/// One action after the other, two of them in any order now and then.
fn round(rng: &mut Rng, own: &[ActionId]) -> Lts {
    let mut arcs = Vec::new();
    let mut next = 1;
    let (mut at, mut i) = (0, 0);
    while i < own.len() {
        if i + 1 < own.len() && chance(rng, 35) {
            let (left, right, after) = (next, next + 1, next + 2);
            for (from, action, to) in
                [(at, own[i], left), (at, own[i + 1], right), (left, own[i + 1], after), (right, own[i], after)]
            {
                arcs.push(LtsArc { from, action, to });
            }
            (at, next, i) = (after, next + 3, i + 2);
        } else {
            arcs.push(LtsArc { from: at, action: own[i], to: next });
            (at, next, i) = (next, next + 1, i + 1);
        }
    }
    // Back to the start, or an end.
    if chance(rng, 85) {
        arcs.iter_mut().filter(|arc| arc.to == at).for_each(|arc| arc.to = 0);
    }
    arcs.sort_unstable();
    arcs.dedup();
    Lts { states: (0..next).map(|i| Arc::from(format!("s{i}"))).collect(), initial: 0, arcs }
}

/// Other components that take part in the same actions.
fn unrelated(rng: &mut Rng, system: &System, taste: NetworkTaste) -> System {
    let mut other = system.clone();
    for component in system.component_ids() {
        let own: Vec<ActionId> = system.action_ids().filter(|&a| system.action(a).parts.contains(&component)).collect();
        other.components[component.index()].behaviour = behaviour(rng, taste, &own);
    }
    other
}

/// One small change, which may happen to be none.
fn change(rng: &mut Rng, system: &mut System) {
    let at = rng.usize(..system.components.len());
    let component = ComponentId::new(at).expect("few components");
    let own: Vec<ActionId> = system.action_ids().filter(|&a| system.action(a).parts.contains(&component)).collect();
    let kind = rng.u8(..13);
    if kind == 0 {
        // It no longer takes part in an action that others have, too.
        if let Some(&action) = own.iter().find(|a| system.action(**a).parts.len() > 1) {
            system.actions[action.index()].parts.retain(|c| *c != component);
            match &mut system.components[at].behaviour {
                Behaviour::Lts(lts) => lts.arcs.retain(|arc| arc.action != action),
                Behaviour::Net(net) => net.transitions.retain(|t| t.action != action),
            }
        }
        return;
    }
    let silent = system.actions.len();
    let Behaviour::Lts(lts) = &mut system.components[at].behaviour else { return };
    let count = lts.states.len() as u32;
    match kind {
        1..4 if !lts.arcs.is_empty() => {
            let gone = rng.usize(..lts.arcs.len());
            lts.arcs.remove(gone);
        }
        4 | 5 if !own.is_empty() => {
            let arc = LtsArc { from: rng.u32(..count), action: *pick(rng, &own), to: rng.u32(..count) };
            lts.arcs.push(arc);
        }
        6 | 7 if !lts.arcs.is_empty() => {
            let arc = rng.usize(..lts.arcs.len());
            lts.arcs[arc].to = rng.u32(..count);
        }
        8 | 9 => {
            // A state twice, each arc into it to one or the other, or both.
            let twin = rng.u32(..count);
            lts.states.push(format!("s{count}").into());
            let mut more = Vec::new();
            for arc in &lts.arcs {
                if arc.from == twin && chance(rng, 90) {
                    more.push(LtsArc { from: count, ..*arc });
                }
                if arc.to == twin && chance(rng, 70) {
                    more.push(LtsArc { to: count, ..*arc });
                }
            }
            lts.arcs.extend(more);
        }
        _ if !lts.arcs.is_empty() && silent < 26 => {
            // Something silent before or after an action.
            let arc = rng.usize(..lts.arcs.len());
            lts.states.push(format!("s{count}").into());
            let action = ActionId::new(silent).expect("few actions");
            let to = std::mem::replace(&mut lts.arcs[arc].to, count);
            lts.arcs.push(LtsArc { from: count, action, to });
            if rng.bool() {
                let ends: Vec<usize> = vec![arc, lts.arcs.len() - 1];
                let [a, b] = [lts.arcs[ends[0]].action, lts.arcs[ends[1]].action];
                (lts.arcs[ends[0]].action, lts.arcs[ends[1]].action) = (b, a);
            }
            let name = String::from(char::from(b'A' + silent as u8)).into();
            system.actions.push(Action { name, internal: true, parts: vec![component] });
        }
        _ => {}
    }
    if let Behaviour::Lts(lts) = &mut system.components[at].behaviour {
        lts.arcs.sort_unstable();
        lts.arcs.dedup();
    }
}
