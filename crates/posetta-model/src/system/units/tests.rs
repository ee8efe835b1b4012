//! A net and its units do the same.

use std::collections::BTreeSet;

use crate::system::{Action, Behaviour, Component, Net, Place, Slots, System, Transition, Unit};
use posetta_base::{ActionId, ComponentId};

/// A net with one action per transition.
fn system(initial: &[u32], transitions: &[(&[u32], &[u32])], units: &[&[u32]]) -> System {
    let weighted = |places: &[u32]| -> Vec<(u32, u32)> {
        let mut places = places.to_vec();
        places.sort_unstable();
        let mut all: Vec<(u32, u32)> = Vec::new();
        for place in places {
            match all.last_mut() {
                Some((last, count)) if *last == place => *count += 1,
                _ => all.push((place, 1)),
            }
        }
        all
    };
    let part = ComponentId::new(0).unwrap();
    let actions = (0..transitions.len())
        .map(|i| Action { name: format!("t{i}").into(), internal: false, parts: vec![part] })
        .collect();
    let transition = |(i, (takes, puts)): (usize, &(&[u32], &[u32]))| Transition {
        action: ActionId::new(i).unwrap(),
        takes: weighted(takes),
        puts: weighted(puts),
    };
    let net = Net {
        places: initial.iter().enumerate().map(|(i, &n)| Place { name: format!("p{i}").into(), initial: n }).collect(),
        transitions: transitions.iter().enumerate().map(transition).collect(),
        units: Some(
            units.iter().enumerate().map(|(i, u)| Unit { name: format!("u{i}").into(), places: u.to_vec() }).collect(),
        ),
    };
    let components = vec![Component { name: "n".into(), behaviour: Behaviour::Net(net) }];
    System { name: "n".to_owned(), actions, components, warnings: Vec::new() }
}

/// The words of actions up to a length.
fn words(system: &System, length: usize) -> BTreeSet<Vec<usize>> {
    let slots = Slots::new(system);
    let mut all = BTreeSet::new();
    let mut open = vec![(Vec::new(), system.initial())];
    while let Some((word, state)) = open.pop() {
        if word.len() < length {
            for (step, next) in system.moves(&slots, &state) {
                let longer: Vec<usize> = word.iter().copied().chain([step.action.index()]).collect();
                open.push((longer, next.unwrap()));
            }
        }
        all.insert(word);
    }
    all
}

#[test]
fn units_do_what_the_net_does() {
    for (name, initial, transitions, units, states) in [
        ("a cycle", &[1, 0][..], &[(&[0][..], &[1][..]), (&[1], &[0])][..], &[&[0, 1][..]][..], &[2][..]),
        (
            "two that meet",
            &[1, 0, 1, 0],
            &[(&[0, 2], &[1, 3]), (&[1], &[0]), (&[3], &[2])],
            &[&[0, 1], &[2, 3]],
            &[2, 2],
        ),
        ("a unit that is empty", &[1, 0, 0], &[(&[0], &[1, 2]), (&[1, 2], &[0])], &[&[0, 1], &[2]], &[2, 2]),
        ("one that looks", &[1, 0, 1], &[(&[0, 2], &[1, 2])], &[&[0, 1], &[2]], &[2, 1]),
        ("a transition without arcs", &[1, 0], &[(&[0], &[1]), (&[], &[])], &[&[0, 1]], &[2]),
        ("two tokens of a unit", &[1, 0], &[(&[0], &[1]), (&[0, 1], &[0]), (&[0, 0], &[1])], &[&[0, 1]], &[2]),
        ("a token that goes", &[1, 0], &[(&[0], &[1]), (&[1], &[])], &[&[0, 1]], &[3]),
    ] {
        let net = system(initial, transitions, units);
        let by_units = net.by_units().unwrap();
        let sizes: Vec<usize> = by_units
            .components
            .iter()
            .map(|c| match &c.behaviour {
                Behaviour::Lts(lts) => lts.states.len(),
                Behaviour::Net(_) => panic!("{name}: a net is left"),
            })
            .collect();
        assert_eq!(sizes, states, "{name}");
        assert_eq!(words(&by_units, 6), words(&net, 6), "{name}");
        assert!(by_units.actions.iter().all(|a| !a.parts.is_empty() && a.parts.is_sorted()), "{name}");
    }
}

#[test]
fn not_every_net_has_units_to_use() {
    let mut shared = system(&[1, 0], &[(&[0], &[1]), (&[1], &[0])], &[&[0, 1]]);
    assert!(shared.by_units().is_some());
    if let Behaviour::Net(net) = &mut shared.components[0].behaviour {
        net.transitions[1].action = net.transitions[0].action;
    }
    assert_eq!(shared.by_units(), None, "two transitions do one action");
    assert_eq!(system(&[1, 1], &[(&[0], &[1])], &[&[0, 1]]).by_units(), None, "two tokens in a unit");
    assert_eq!(system(&[2], &[(&[0], &[])], &[&[0]]).by_units(), None, "two tokens in a place");
    assert_eq!(system(&[1, 0], &[], &[&[0]]).by_units(), None, "a place in no unit");
    assert_eq!(system(&[], &[(&[], &[])], &[]).by_units(), None, "no place");
}

#[test]
fn what_keeps_a_unit_at_one_token() {
    let keeps = |transitions: &[(&[u32], &[u32])]| {
        let system = system(&[1, 0, 1, 0], transitions, &[&[0, 1], &[2, 3]]);
        let Behaviour::Net(net) = &system.components[0].behaviour else { panic!("it is a net") };
        net.keeps_units()
    };
    assert!(keeps(&[(&[0, 2], &[1, 3]), (&[1], &[])]));
    assert!(!keeps(&[(&[2], &[0, 3])]), "a token of another unit");
    assert!(!keeps(&[(&[0], &[0, 1])]), "a second one");
}

#[test]
fn a_place_may_be_called_none() {
    let mut net = system(&[0], &[(&[], &[0])], &[&[0]]);
    if let Behaviour::Net(net) = &mut net.components[0].behaviour {
        net.places[0].name = "none".into();
    }
    let by_units = net.by_units().unwrap();
    let Behaviour::Lts(lts) = &by_units.components[0].behaviour else { panic!("a unit is a transition system") };
    assert_eq!(lts.states.iter().map(|s| &**s).collect::<Vec<_>>(), ["none'", "none"]);
}
