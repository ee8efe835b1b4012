//! Recorded runs against systems by definition, against answers that are known.

use posetta_base::Budget;
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::conform::{Conformance, action, conform};
use posetta_oracle::random::{NetworkTaste, network, qualify, recorded};
use posetta_oracle::system::written::{show, system};
use posetta_oracle::system::{MOST_STATES, Space};
use posetta_trace::{Builder, Trace};

/// Events `process name`, and which happened before which besides.
fn trace(events: &[&str], edges: &[(usize, usize)]) -> Trace {
    let mut builder = Builder::new();
    let mut ids = Vec::new();
    for (i, event) in events.iter().enumerate() {
        let (process, name) = event.split_once(' ').unwrap_or((event, ""));
        let process = builder.process(process).unwrap();
        ids.push(builder.event(process, i as u64 + 1).unwrap());
        if !name.is_empty() {
            builder.name(name).unwrap();
        }
    }
    for &(from, to) in edges {
        builder.link_events(ids[from], ids[to]);
    }
    builder.finish(false, &Budget::unlimited()).unwrap()
}

/// What comes of a trace; sets of events as one bit each, the first event lowest.
fn ask(components: &[&[&str]], events: &[&str], edges: &[(usize, usize)]) -> (bool, usize, Vec<u64>) {
    let system = system(components);
    let space = Space::of(&system, MOST_STATES).unwrap();
    let Conformance { conforms, steps, furthest } = conform(&space, &trace(events, edges));
    (conforms, steps, furthest)
}

#[test]
fn some_order_is_enough() {
    let ab: &[&[&str]] = &[&["0 a 1", "1 b 0"]];
    assert_eq!(ask(ab, &["P b", "Q a"], &[]), (true, 2, vec![0b11]));
    assert_eq!(ask(ab, &["P b", "Q a"], &[(0, 1)]), (false, 0, vec![0]));
    assert_eq!(ask(ab, &["P a", "P b", "P a"], &[]), (true, 3, vec![0b111]));
    // The second a has to wait for a b that never came.
    assert_eq!(ask(ab, &["P a", "Q a"], &[]), (false, 1, vec![0b01, 0b10]));
    assert_eq!(ask(ab, &["P a", "P a", "Q b", "Q b"], &[]), (true, 4, vec![0b1111]));
    assert_eq!(ask(ab, &["P a", "P a", "Q b", "Q b"], &[(1, 2)]), (false, 1, vec![0b0001]));
    // Nothing happened, or a beginning of a run.
    assert_eq!(ask(ab, &[], &[]), (true, 0, vec![0]));
    assert_eq!(ask(ab, &["P a"], &[]), (true, 1, vec![1]));
}

#[test]
fn names_with_and_without_the_process() {
    let named: &[&[&str]] = &[&["0 P.go 1", "1 go 2"]];
    assert_eq!(ask(named, &["P go", "Q go"], &[]), (true, 2, vec![0b11]));
    assert_eq!(ask(named, &["P go", "Q go"], &[(1, 0)]), (false, 0, vec![0]));
    assert_eq!(ask(named, &["Q go"], &[]), (false, 0, vec![0]));
    // What stands for nothing is left out, but still orders the others.
    assert_eq!(ask(named, &["P think", "P go", "Q", "Q go"], &[(1, 2)]), (true, 2, vec![0b1010]));
    assert_eq!(ask(named, &["P think", "P go", "Q", "Q go"], &[(3, 0)]), (false, 0, vec![0]));
}

#[test]
fn internal_actions_are_seen_where_they_were_recorded() {
    let hidden: &[&[&str]] = &[&["0 a 1", "1 T 2", "2 b 0"]];
    assert_eq!(ask(hidden, &["P a", "P b"], &[]), (true, 2, vec![0b11]));
    assert_eq!(ask(hidden, &["P a", "P T", "P b"], &[]), (true, 3, vec![0b111]));
    // Once it is recorded at all, it has to be every time.
    assert_eq!(ask(hidden, &["P a", "P T", "P b", "P a", "P b"], &[]), (false, 4, vec![0b1111]));
    assert_eq!(ask(hidden, &["P a", "P b", "P a", "P b"], &[]), (true, 4, vec![0b1111]));
}

#[test]
fn choices_are_made_as_late_as_possible() {
    // After a, either b or c, decided by a.
    let choice: &[&[&str]] = &[&["0 a 1", "0 a 2", "1 b 3", "2 c 3"]];
    assert_eq!(ask(choice, &["P a", "P c"], &[]), (true, 2, vec![0b11]));
    assert_eq!(ask(choice, &["P a", "P b"], &[]), (true, 2, vec![0b11]));
    assert_eq!(ask(choice, &["P a", "Q b", "R c"], &[]), (false, 2, vec![0b011, 0b101]));
    // Shared by two: both must be ready.
    let shared: &[&[&str]] = &[&["0 a 1", "1 s 0"], &["0 b 1", "1 s 0"]];
    assert_eq!(ask(shared, &["P a", "P s", "Q b"], &[]), (true, 3, vec![0b111]));
    assert_eq!(ask(shared, &["P a", "P s", "Q b"], &[(1, 2)]), (false, 1, vec![0b001]));
}

/// What was recorded faithfully conforms; and whatever is a beginning of a run's record can be taken that far.
#[test]
fn faithful_records_conform() {
    let mut kinds = Shares::default();
    for_seeds(500, |rng, seed| {
        let mut system = network(rng, NetworkTaste { states: 60, ..NetworkTaste::ALL });
        qualify(rng, &mut system);
        let space = Space::of(&system, MOST_STATES).unwrap();
        let record = recorded(rng, &space, 6);
        let found = conform(&space, &record.trace);
        let steps = record.trace.events().filter(|&e| action(&space, &record.trace, e).is_some()).count();
        let about = || format!("seed {seed}: {found:?} {:?}\n{}", record.trace, show(&system));
        assert!(found.conforms || !record.faithful, "{}", about());
        assert_eq!(found.conforms, found.steps == steps, "{}", about());
        assert!(found.furthest.iter().all(|cut| cut.count_ones() as usize == found.steps), "{}", about());
        kinds.add(if found.conforms { "conforms" } else { "does not" });
    });
    kinds.at_least_a_fifth("records", &["conforms", "does not"]);
}
