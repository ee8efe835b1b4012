//! The checker against the definition of LTL over all runs.

use fastrand::Rng;
use posetta_base::{Budget, EventId, Verdict};
use posetta_check::{Answer, Options, Runs, check};
use posetta_logic::{Formula, Ltl, LtlUnary, Property, View, parse_ltl};
use posetta_oracle::answer::{assert_right, runs};
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::engines::engines;
use posetta_oracle::ltl::{over_all_runs, satisfies};
use posetta_oracle::order::Order;
use posetta_oracle::random::{Case, Plan, Shape, Tense, Vocabulary, ltl, ltl_case, plan};
use posetta_trace::Trace;

/// The property, as if it had been typed: printed and read back.
fn property(view: View, formula: &Ltl) -> Property {
    let property = Property::ltl_over(view, &formula.to_string()).unwrap_or_else(|e| panic!("{formula}: {e:?}"));
    assert_eq!(property.formula, Formula::Ltl(view, formula.clone()), "{formula} is read as something else");
    property
}

fn answer(trace: &Trace, view: View, formula: &Ltl) -> Answer {
    answer_by(trace, view, formula, &Options::default())
}

fn answer_by(trace: &Trace, view: View, formula: &Ltl, options: &Options) -> Answer {
    check(trace, &property(view, formula), options, &Budget::unlimited())
        .unwrap_or_else(|e| panic!("{formula} is refused: {e:?}"))
}

/// Everything that the checker says about one case, by every engine. Answers which runs satisfy the formula.
fn compare(trace: &Trace, view: View, formula: &Ltl, about: &str) -> Runs {
    let tally = over_all_runs(trace, view, formula);
    for (name, options) in engines() {
        let answer = answer_by(trace, view, formula, &options);
        let on_run = |run: &[EventId]| satisfies(trace, run, view, formula);
        assert_right(trace, &answer, tally, &on_run, &format!("{name}, {about}"));
        let verdict_only = options.verdict_only(true);
        let only = answer_by(trace, view, formula, &verdict_only);
        assert_eq!(only.verdict.word(), answer.verdict.word(), "{name}, only the verdict, {about}");
        if let Verdict::Violated(witness) = &only.verdict {
            assert!(!satisfies(trace, witness, view, formula), "{name}, only the verdict, {witness:?}: {about}");
        }
    }
    runs(tally)
}

fn describe(seed: u64, view: View, formula: &Ltl, plan: &Plan) -> String {
    format!("seed {seed}, {view:?}: {formula}\non\n{plan}")
}

fn compare_random(what: &str, view: View, tense: Tense) {
    let (mut verdicts, mut runs) = (Shares::default(), Shares::default());
    for_seeds(2_000, |rng, seed| {
        let Case { plan, formula } = ltl_case(rng, view, tense);
        let trace = plan.build().unwrap();
        let (verdict, word) = match compare(&trace, view, &formula, &describe(seed, view, &formula, &plan)) {
            Runs::All => ("holds", "all"),
            Runs::None => ("violated", "none"),
            _ => ("violated", "some"),
        };
        verdicts.add(verdict);
        runs.add(word);
    });
    verdicts.at_least_a_fifth(what, &["holds", "violated"]);
    runs.at_least_a_fifth(what, &[]);
}

#[test]
fn over_states() {
    compare_random("LTL over states", View::States, Tense::Future);
}

#[test]
fn over_events() {
    compare_random("LTL over events", View::Events, Tense::Future);
}

#[test]
fn over_states_with_past() {
    compare_random("LTL over states with past", View::States, Tense::PastAndFuture);
}

#[test]
fn over_events_with_past() {
    compare_random("LTL over events with past", View::Events, Tense::PastAndFuture);
}

/// A random case in either view, with or without past.
fn any_case(rng: &mut Rng) -> (View, Case<Ltl>) {
    let view = if rng.bool() { View::States } else { View::Events };
    let tense = if rng.bool() { Tense::Future } else { Tense::PastAndFuture };
    (view, ltl_case(rng, view, tense))
}

fn holds(trace: &Trace, view: View, formula: &Ltl) -> bool {
    answer(trace, view, formula).verdict == Verdict::Holds
}

#[test]
fn a_formula_and_its_negation_never_both_hold() {
    for_seeds(500, |rng, seed| {
        let (view, Case { plan, formula }) = any_case(rng);
        let trace = plan.build().unwrap();
        let both = [formula.clone(), Ltl::Not(Box::new(formula.clone()))].map(|f| answer(&trace, view, &f));
        let about = describe(seed, view, &formula, &plan);
        assert!(both.iter().any(|a| a.verdict != Verdict::Holds), "{about}");
        let mirrored = match both[0].runs() {
            Some(Runs::All) => Some(Runs::None),
            Some(Runs::None) => Some(Runs::All),
            other => other,
        };
        assert_eq!(both[1].runs(), mirrored, "{about}");
    });
}

#[test]
fn the_order_of_processes_changes_nothing() {
    for_seeds(500, |rng, seed| {
        let (view, Case { plan, formula }) = any_case(rng);
        let shuffled = plan.with_processes_shuffled(rng);
        let [first, second] = [&plan, &shuffled].map(|p| answer(&p.build().unwrap(), view, &formula));
        let about = describe(seed, view, &formula, &shuffled);
        assert_eq!(first.verdict.word(), second.verdict.word(), "{about}");
        assert_eq!(first.runs(), second.runs(), "{about}");
        assert_eq!(first.observed(), second.observed(), "{about}");
    });
}

/// After events that nothing depends on, `X … X f` says what f said: cuts of more than one machine word are then met
/// with runs few enough for the oracle.
#[test]
fn a_prelude_shifts_the_run() {
    for_seeds(200, |rng, seed| {
        let Case { plan, formula } = ltl_case(rng, View::States, Tense::Future);
        let count = *rng.choice(&[1, 20, 60, 64, 70, 130]).expect("not empty");
        let shifted = (0..count).fold(formula.clone(), |f, _| Ltl::Unary(LtlUnary::Next, Box::new(f)));
        let trace = plan.build().unwrap();
        let tally = over_all_runs(&trace, View::States, &formula);
        let answer = answer(&plan.after_a_prelude(count).build().unwrap(), View::States, &shifted);
        let about = format!("prelude of {count}, {}", describe(seed, View::States, &formula, &plan));
        assert_eq!(answer.runs(), Some(runs(tally)), "{about}");
        if let Verdict::Violated(witness) = answer.verdict {
            assert!(witness[..count].iter().enumerate().all(|(i, e)| e.index() == i), "{about}");
            let rest = witness[count..].iter();
            let run: Vec<EventId> = rest.map(|e| EventId::new(e.index() - count).expect("few events")).collect();
            assert!(Order::of(&trace).is_run(&run) && !satisfies(&trace, &run, View::States, &formula), "{about}");
        }
    });
}

#[test]
fn equal_formulas_have_equal_verdicts() {
    use posetta_logic::LtlBinary::{Release, StrongRelease, Until, WeakUntil};
    use posetta_logic::LtlUnary::{Finally, Globally, Next, WeakNext};
    let not = |f: Ltl| Ltl::Not(Box::new(f));
    let unary = |op, f: Ltl| Ltl::Unary(op, Box::new(f));
    let binary = |op, f: Ltl, g: Ltl| Ltl::Binary(op, Box::new(f), Box::new(g));
    for_seeds(300, |rng, seed| {
        let (view, Case { plan, formula: f }) = any_case(rng);
        let words = Vocabulary::of(&plan);
        let g = ltl(rng, &words, Tense::PastAndFuture, 40);
        let trace = plan.build().unwrap();
        let (f, g) = (|| f.clone(), || g.clone());
        for (one, other) in [
            (unary(Finally, f()), not(unary(Globally, not(f())))),
            (unary(WeakNext, f()), not(unary(Next, not(f())))),
            (binary(Until, f(), g()), Ltl::And(vec![binary(WeakUntil, f(), g()), unary(Finally, g())])),
            (binary(Release, f(), g()), not(binary(Until, not(f()), not(g())))),
            (binary(StrongRelease, f(), g()), not(binary(WeakUntil, not(f()), not(g())))),
        ] {
            let about = describe(seed, view, &one, &plan);
            assert_eq!(holds(&trace, view, &one), holds(&trace, view, &other), "{other} against {about}");
        }
    });
}

#[test]
fn what_is_printed_is_read_back() {
    for_seeds(5_000, |rng, seed| {
        let words = Vocabulary::of(&plan(rng, Shape { events: 6, processes: 3, one_writer: 50 }));
        let formula = ltl(rng, &words, Tense::PastAndFuture, 40);
        let printed = formula.to_string();
        assert_eq!(parse_ltl(&printed), Ok(formula), "seed {seed}: {printed}");
    });
}
