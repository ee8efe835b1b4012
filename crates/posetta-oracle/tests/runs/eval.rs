//! The library's evaluator of one word against the oracle's, and what it says one path of cuts proves.

use posetta_base::{Budget, EventId};
use posetta_logic::{Formula, Ltl, Property, View, bind_ctl, bind_ltl, eval};
use posetta_oracle::cases::for_seeds;
use posetta_oracle::order::{Order, singleton};
use posetta_oracle::random::{Case, Tense, ctl_case, ltl_case, random_run};
use posetta_oracle::{ctl, ltl};
use posetta_trace::Trace;

/// The library's word of a run for a formula, and the formula over its atoms.
fn library_truth(trace: &Trace, run: &[EventId], view: View, formula: &Ltl) -> (bool, Vec<bool>) {
    let property = Property::ltl_over(view, &formula.to_string()).unwrap();
    assert_eq!(property.formula, Formula::Ltl(view, formula.clone()));
    let bound = bind_ltl(&property, formula, trace, &[]).unwrap();
    let word = eval::word(trace, &bound, run, view, &mut eval::Notes::default(), &Budget::unlimited()).unwrap();
    let truth = if word.is_empty() { Vec::new() } else { eval::truth(&bound.formula, &word) };
    (eval::holds(&bound.formula, &word), truth)
}

fn compare_words(view: View, tense: Tense) {
    for_seeds(2_000, |rng, seed| {
        let Case { plan, formula } = ltl_case(rng, view, tense);
        let trace = plan.build().unwrap();
        let order = Order::of(&trace);
        for _ in 0..5 {
            let mut run = random_run(rng, &order);
            if rng.u8(..4) == 0 {
                run.truncate(rng.usize(..=run.len()));
            }
            let (holds, truth) = library_truth(&trace, &run, view, &formula);
            let about = || format!("seed {seed}, {view:?}: {formula}\non {run:?} of\n{plan}");
            assert_eq!(truth, ltl::truth(&trace, &run, view, &formula), "{}", about());
            assert_eq!(holds, ltl::satisfies(&trace, &run, view, &formula), "{}", about());
        }
    });
}

#[test]
fn words_over_states() {
    compare_words(View::States, Tense::Future);
}

#[test]
fn words_over_events() {
    compare_words(View::Events, Tense::Future);
}

#[test]
fn words_over_states_with_past() {
    compare_words(View::States, Tense::PastAndFuture);
}

#[test]
fn words_over_events_with_past() {
    compare_words(View::Events, Tense::PastAndFuture);
}

/// What a path is said to prove must be so.
#[test]
fn a_path_of_cuts_proves_only_what_is_so() {
    let mut proofs = 0;
    for_seeds(2_000, |rng, seed| {
        let Case { plan, formula } = ctl_case(rng);
        let trace = plan.build().unwrap();
        let Some(expected) = ctl::holds(&trace, &formula) else { return };
        let order = Order::of(&trace);
        let property = Property::ctl(&formula.to_string()).unwrap();
        let bound = bind_ctl(&property, &formula, &trace, &[]).unwrap();
        for _ in 0..5 {
            let mut path = random_run(rng, &order);
            path.truncate(rng.usize(..=path.len()));
            let notes = &mut eval::Notes::default();
            let word = eval::word(&trace, &bound, &path, View::States, notes, &Budget::unlimited()).unwrap();
            if let Some(value) = eval::on_path(&bound.formula, &word, path.len() == trace.len()) {
                assert_eq!(value, expected, "seed {seed}: {formula}\non the path {path:?} of\n{plan}");
                proofs += 1;
            }
        }
    });
    assert!(proofs > 0);
}

/// The parts of a formula as they are listed: each before its own.
fn listed<F: Clone>(formula: &F, operands: fn(&F) -> Vec<&F>, depth: usize, found: &mut Vec<(F, usize)>) {
    found.push((formula.clone(), depth));
    operands(formula).into_iter().for_each(|operand| listed(operand, operands, depth + 1, found));
}

/// Every part of a formula is true where it is by itself.
#[test]
fn parts_hold_where_they_hold_by_themselves() {
    for view in [View::States, View::Events] {
        for_seeds(1_000, |rng, seed| {
            let Case { plan, formula } = ltl_case(rng, view, Tense::PastAndFuture);
            let trace = plan.build().unwrap();
            let mut run = random_run(rng, &Order::of(&trace));
            run.truncate(rng.usize(..=run.len()));
            let property = Property::ltl_over(view, &formula.to_string()).unwrap();
            let bound = bind_ltl(&property, &formula, &trace, &[]).unwrap();
            let unlimited = &Budget::unlimited();
            let word = eval::word(&trace, &bound, &run, view, &mut eval::Notes::default(), unlimited).unwrap();
            let parts = eval::parts::of_ltl(&formula, &bound.formula, &word, unlimited).unwrap();
            let mut expected = Vec::new();
            listed(&formula, Ltl::operands, 0, &mut expected);
            assert_eq!(parts.len(), expected.len(), "seed {seed}: {formula}");
            for (part, (own, depth)) in parts.iter().zip(expected) {
                let truth: Vec<Option<bool>> = ltl::truth(&trace, &run, view, &own).into_iter().map(Some).collect();
                let found: Vec<Option<bool>> = (0..word.len()).map(|i| part.at(i)).collect();
                assert_eq!(found, truth, "seed {seed}, {view:?}: {own} of {formula}\non {run:?} of\n{plan}");
                assert_eq!((&part.formula, part.depth), (&own.to_string(), depth), "seed {seed}");
                let at = part.stretches(Some(true), word.len()).flat_map(|(from, to)| from..=to);
                let holds = (0..word.len()).filter(|&i| truth[i] == Some(true));
                assert!(at.eq(holds), "seed {seed}: {own} of {formula}");
            }
        });
    }
}

/// What a path is said to prove of a part at one of its cuts must be so.
#[test]
fn a_path_of_cuts_proves_of_parts_only_what_is_so() {
    let (mut known, mut all) = (0, 0);
    for_seeds(1_000, |rng, seed| {
        let Case { plan, formula } = ctl_case(rng);
        let trace = plan.build().unwrap();
        if ctl::truth(&trace, &formula).is_none() {
            return;
        }
        let mut path = random_run(rng, &Order::of(&trace));
        path.truncate(rng.usize(..=path.len()));
        let property = Property::ctl(&formula.to_string()).unwrap();
        let bound = bind_ctl(&property, &formula, &trace, &[]).unwrap();
        let unlimited = &Budget::unlimited();
        let word = eval::word(&trace, &bound, &path, View::States, &mut eval::Notes::default(), unlimited).unwrap();
        let complete = path.len() == trace.len();
        let parts = eval::parts::of_ctl(&formula, &bound.formula, &word, complete, unlimited).unwrap();
        let mut expected = Vec::new();
        listed(&formula, ctl::operands, 0, &mut expected);
        assert_eq!(parts.len(), expected.len(), "seed {seed}: {formula}");
        for (part, (own, _)) in parts.iter().zip(expected) {
            let truth = ctl::truth(&trace, &own).expect("the whole formula is not rejected");
            let mut cut = 0;
            for i in 0..=path.len() {
                if let Some(value) = part.at(i) {
                    let about = || format!("seed {seed}: {own} of {formula}\nafter {:?} of\n{plan}", &path[..i]);
                    assert_eq!(value, truth[&cut], "{}", about());
                    known += 1;
                }
                all += 1;
                cut |= path.get(i).map_or(0, |&event| singleton(event));
            }
        }
    });
    assert!(known * 4 > all, "a path says something about its cuts");
}
