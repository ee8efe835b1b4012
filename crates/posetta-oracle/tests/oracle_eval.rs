//! The library's evaluator of one word against the oracle's, and what it says one path of cuts proves.

use posetta::base::{Budget, EventId};
use posetta::logic::{Formula, Ltl, Property, View, bind_ctl, bind_ltl, eval};
use posetta::trace::Trace;
use posetta_oracle::cases::for_seeds;
use posetta_oracle::order::Order;
use posetta_oracle::random::{Case, Tense, ctl_case, ltl_case, random_run};
use posetta_oracle::{ctl, ltl};

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
