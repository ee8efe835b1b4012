//! The checker against the definition of monitors over all runs.

use fastrand::Rng;
use posetta_base::Budget;
use posetta_check::{Runs, check};
use posetta_logic::{Atom, Formula, Monitor, Property, View, read_hoa, read_props, write_hoa};
use posetta_oracle::answer::{assert_right, runs};
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::engines::engines;
use posetta_oracle::monitor::{is_bad, over_all_runs, satisfies};
use posetta_oracle::random::{Plan, Shape, Vocabulary, monitor, plan};
use posetta_trace::Trace;

/// The property, as if it had been typed: printed and read back.
fn property(view: View, monitor: &Monitor) -> Property {
    let item = monitor.item("m", view);
    let mut properties = read_props(&item).unwrap_or_else(|e| panic!("{item}: {e:?}"));
    let property = properties.remove(0);
    assert_eq!(property.formula, Formula::Monitor(view, monitor.clone()), "{item} is read as something else");
    property
}

/// Everything that the checker says about one case, by every engine. Answers which runs are not bad.
fn compare(trace: &Trace, view: View, monitor: &Monitor, property: &Property, about: &str) -> Runs {
    let tally = over_all_runs(trace, view, monitor);
    for (name, options) in engines() {
        let about = format!("{name}, {about}");
        let answer = check(trace, property, &options, &Budget::unlimited())
            .unwrap_or_else(|e| panic!("refused: {e:?}: {about}"));
        assert_right(trace, &answer, tally, &|run| satisfies(trace, run, view, monitor), &about);
    }
    runs(tally)
}

/// A random run and a monitor for it; most monitors are searched for one that cares for the order.
fn random_case(rng: &mut Rng, view: View) -> (Plan, Monitor) {
    let plan = plan(rng, Shape { events: 7, processes: 4, one_writer: 40 });
    let words = Vocabulary::of(&plan);
    let about_events = if view == View::Events { 65 } else { 35 };
    let mut drawn = monitor(rng, &words, about_events);
    if rng.u8(..10) < 7 {
        let trace = plan.build().unwrap();
        for _ in 0..20 {
            let tally = over_all_runs(&trace, view, &drawn);
            if tally.satisfied > 0 && tally.violated > 0 {
                break;
            }
            drawn = monitor(rng, &words, about_events);
        }
    }
    (plan, drawn)
}

fn compare_random(what: &str, view: View) {
    let (mut verdicts, mut runs) = (Shares::default(), Shares::default());
    for_seeds(1_500, |rng, seed| {
        let (plan, monitor) = random_case(rng, view);
        let trace = plan.build().unwrap();
        let about = format!("seed {seed}, {view:?}: {monitor}\non\n{plan}");
        let (verdict, word) = match compare(&trace, view, &monitor, &property(view, &monitor), &about) {
            Runs::All => ("holds", "all"),
            Runs::None => ("violated", "none"),
            _ => ("violated", "some"),
        };
        verdicts.add(verdict);
        runs.add(word);
    });
    verdicts.at_least_a_fifth(what, &["holds", "violated"]);
    runs.at_least_a_fifth(what, &["some"]);
}

#[test]
fn over_states() {
    compare_random("monitors over states", View::States);
}

#[test]
fn over_events() {
    compare_random("monitors over events", View::Events);
}

/// The atoms of both, each once.
fn atoms(monitors: [&Monitor; 2]) -> Vec<Atom> {
    let mut all: Vec<Atom> = Vec::new();
    for monitor in monitors {
        monitor.map_atoms(&mut |atom| {
            if !all.contains(atom) {
                all.push(atom.clone());
            }
        });
    }
    all
}

/// Written as an automaton and read back, a monitor has the same bad words, and nothing changes any more.
#[test]
fn an_automaton_has_the_same_bad_words() {
    for_seeds(1_000, |rng, seed| {
        let words = Vocabulary::of(&plan(rng, Shape { events: 6, processes: 3, one_writer: 50 }));
        let first = monitor(rng, &words, 50);
        let view = if rng.bool() { View::States } else { View::Events };
        let written = write_hoa(&first, view, "m");
        let read = |text: &str| match read_hoa(text, View::Events).unwrap_or_else(|e| panic!("{text}: {e:?}")).formula {
            Formula::Monitor(view, monitor) => (view, monitor),
            other => panic!("{other} is a monitor"),
        };
        let (read_view, second) = read(&written);
        assert_eq!(read_view, view);
        property(view, &second);
        let again = write_hoa(&second, view, "m");
        assert!(read(&again) == (view, second.clone()), "seed {seed}: {written}\n{again}");
        let atoms = atoms([&first, &second]);
        for _ in 0..20 {
            let len = rng.usize(..6);
            let truth: Vec<Vec<bool>> = atoms.iter().map(|_| (0..len).map(|_| rng.bool()).collect()).collect();
            let holds = |atom: &Atom, i: usize| truth[atoms.iter().position(|a| a == atom).expect("it is there")][i];
            let [one, other] = [&first, &second].map(|m| is_bad(m, len, &holds));
            assert_eq!(one, other, "seed {seed}: {first}\n{written}");
        }
    });
}
