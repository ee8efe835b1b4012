//! Recorded runs against systems: the library against the definition.

use std::collections::BTreeMap;

use posetta_base::{ActionId, Budget, ComponentId, EventId};
use posetta_model::system::{Behaviour, End, Run, Slots};
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::conform as definition;
use posetta_oracle::order::{EventSet, Order, contains, singleton};
use posetta_oracle::random::{NetworkTaste, network, qualify, recorded};
use posetta_oracle::system::runs::states;
use posetta_oracle::system::written::{show, system};
use posetta_oracle::system::{MOST_STATES, Space};
use posetta_trace::{Builder, Trace};
use posetta_verify::system::{Conformance, FEW_STATES, Frontier, Outcome, Refusal, action_of, conform};

/// Whether some events stand in an order that is possible, if nothing but them is looked at.
fn is_ordered(order: &Order, events: &[EventId]) -> bool {
    events.iter().enumerate().all(|(i, &a)| events[i + 1..].iter().all(|&b| a != b && !order.before(b, a)))
}

fn set_of(events: &[EventId]) -> EventSet {
    events.iter().fold(0, |set, &e| set | singleton(e))
}

fn actions(space: &Space<'_>, trace: &Trace, events: &[EventId]) -> Vec<ActionId> {
    events.iter().filter_map(|&e| definition::action(space, trace, e)).collect()
}

/// "The order is a run of the trace, and its actions are what is seen of a run of the system."
fn follows(space: &Space<'_>, trace: &Trace, order: &[EventId], run: &Run, about: &dyn Fn() -> String) {
    assert_eq!(order.len(), trace.len(), "{}", about());
    assert!(is_ordered(&Order::of(trace), order), "{}", about());
    assert_eq!(run.end, End::Open, "{}", about());
    states(space, run).unwrap_or_else(|reason| panic!("{reason}: {}", about()));
    let seen = definition::seen(space, trace);
    let done: Vec<ActionId> = run.steps.iter().map(|s| s.action).filter(|a| seen.contains(a)).collect();
    assert_eq!(done, actions(space, trace, order), "{}", about());
}

/// A frontier is told with an order that gets there, and with who refuses what.
fn strays(space: &Space<'_>, trace: &Trace, frontier: &Frontier, about: &dyn Fn() -> String) {
    let (order, seen, cut) = (Order::of(trace), definition::seen(space, trace), set_of(&frontier.taken));
    assert!(is_ordered(&order, &frontier.taken), "{}", about());
    let taken = actions(space, trace, &frontier.taken);
    assert_eq!(taken.len(), frontier.taken.len(), "{}", about());
    assert!(!definition::after(space, &seen, taken.into_iter()).is_empty(), "{}", about());
    let mut refused: Vec<(EventId, ActionId, Vec<ComponentId>)> =
        frontier.refused.iter().map(|r| (r.event, r.action, r.by.clone())).collect();
    refused.sort_unstable_by_key(|(event, ..)| event.index());
    assert_eq!(refused, definition::refused(space, trace, cut), "{}", about());
    // Where each could by itself, no state allows it to all at once.
    let states = definition::reached(space, trace, cut);
    let possible = |action: ActionId| states.iter().any(|&s| space.is_enabled(s, action));
    assert!(!refused.iter().any(|(_, action, _)| possible(*action)), "{}", about());
    assert!(refused.iter().all(|(event, ..)| !contains(cut, *event)), "{}", about());
    let slots = Slots::new(space.system);
    for refusal in &frontier.refused {
        assert_eq!(refusal.by.len(), refusal.at.len(), "{}", about());
        for (&component, found) in refusal.by.iter().zip(&refusal.at) {
            let slot = slots.of(component).start;
            let mut own: Vec<u32> = states.iter().map(|&s| space.states[s][slot]).collect();
            own.sort_unstable();
            own.dedup();
            let is_told = matches!(space.system.component(component).behaviour, Behaviour::Lts(_));
            assert_eq!(found, &Some(own).filter(|own| is_told && own.len() <= FEW_STATES), "{}", about());
        }
    }
}

#[test]
fn some_order_follows_as_defined() {
    let mut kinds = Shares::default();
    let mut together = 0;
    for_seeds(1_500, |rng, seed| {
        let mut system = network(rng, NetworkTaste { states: 60, ..NetworkTaste::ALL });
        qualify(rng, &mut system);
        let space = Space::of(&system, MOST_STATES).expect("few states");
        let most = *rng.choice(&[4, 6, 6, 7]).expect("some");
        let record = recorded(rng, &space, most);
        let trace = &record.trace;
        let expected = definition::conform(&space, trace);
        let found = conform(&system, trace, &Budget::unlimited()).expect("a small system");
        let about = || format!("seed {seed}: {found:?}, not {expected:?}\n{trace:?}\n{}", show(&system));
        for event in trace.events() {
            let action = definition::action(&space, trace, event);
            assert_eq!(action_of(&system, trace, event), action, "{}", about());
        }
        let (mut steps, mut left_out) = (0, BTreeMap::new());
        for event in trace.events() {
            match definition::action(&space, trace, event) {
                Some(_) => steps += 1,
                None => *left_out.entry(trace.event_name(event).map(str::to_owned)).or_insert(0) += 1,
            }
        }
        let Conformance { pairs, outcome, .. } = &found;
        assert_eq!((found.steps, &found.left_out), (steps, &left_out), "{}", about());
        assert!(*pairs > 0, "{}", about());
        match outcome {
            Outcome::Follows { order, run } => {
                assert!(expected.conforms, "{}", about());
                follows(&space, trace, order, run, &about);
            }
            Outcome::Strays(frontiers) => {
                assert!(!expected.conforms && !record.faithful, "{}", about());
                assert!(frontiers.iter().all(|f| f.taken.len() == expected.steps), "{}", about());
                let mut cuts: Vec<EventSet> = frontiers.iter().map(|f| set_of(&f.taken)).collect();
                cuts.sort_unstable();
                assert_eq!(cuts, expected.furthest, "{}", about());
                for frontier in frontiers {
                    strays(&space, trace, frontier, &about);
                    together += frontier.refused.iter().filter(|r| r.by.is_empty()).count();
                }
            }
        }
        kinds.add(match outcome {
            Outcome::Follows { .. } => "follows",
            Outcome::Strays(frontiers) if frontiers.len() == 1 => "strays at one cut",
            Outcome::Strays(_) => "strays at several",
        });
    });
    eprintln!("{together} refusals by nobody alone");
    kinds.at_least(0.04, "records", &["follows", "strays at one cut", "strays at several"]);
}

/// Each could, but not all at once: the library says so by naming nobody.
#[test]
fn nobody_alone_refuses() {
    // `T` is internal, and takes both on at once; `s` would need one of them there and the other here.
    let system = system(&[&["0 T 1", "0 s 2"], &["0 T 1", "1 s 2"]]);
    let space = Space::of(&system, MOST_STATES).expect("few states");
    let mut builder = Builder::new();
    let process = builder.process("P").expect("one process");
    let event = builder.event(process, 1).expect("one event");
    builder.name("s").expect("one name");
    let trace = builder.finish(false, &Budget::unlimited()).expect("one event");
    let found = conform(&system, &trace, &Budget::unlimited()).expect("a small system");
    let action = system.find_action("s").expect("it is there");
    let Outcome::Strays(frontiers) = found.outcome else { panic!("it strays: {:?}", found.outcome) };
    let [Frontier { taken, refused, .. }] = &frontiers[..] else { panic!("one frontier: {frontiers:?}") };
    let [Refusal { event: refused, action: by_name, by, at, .. }] = &refused[..] else { panic!("one: {refused:?}") };
    assert_eq!((*refused, *by_name), (event, action));
    assert!(taken.is_empty() && by.is_empty() && at.is_empty());
    assert_eq!(definition::refused(&space, &trace, 0), [(event, action, Vec::new())]);
}

/// The recorded order is tried first, so whoever follows it needs no search.
#[test]
fn the_recorded_order_comes_first() {
    let system = system(&[&["0 a 1", "1 b 0"]]);
    let mut builder = Builder::new();
    for line in 0..10_000 {
        let name = if line % 2 == 0 { "a" } else { "b" };
        let process = builder.process(&format!("P{}", line % 3)).expect("few processes");
        builder.event(process, line + 1).expect("few events");
        builder.name(name).expect("few names");
    }
    let trace = builder.finish(true, &Budget::unlimited()).expect("no edges");
    let found = conform(&system, &trace, &Budget::unlimited()).expect("a small system");
    assert_eq!((found.steps, found.pairs), (10_000, 10_001));
    let Outcome::Follows { order, run } = found.outcome else { panic!("{:?}", found.outcome) };
    assert_eq!((Some(&order[..]), run.steps.len()), (trace.observed(), 10_000));
}
