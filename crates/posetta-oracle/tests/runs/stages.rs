//! A question that is asked stage by stage, against one call; and what it says of single orders, against the definition.

use std::sync::Arc;

use fastrand::Rng;
use posetta_base::{Budget, EventId, Verdict};
use posetta_check::{Moment, Options, Question, Runs, check};
use posetta_logic::{Formula, Property, Quantifier, View};
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::engines::engines;
use posetta_oracle::order::Order;
use posetta_oracle::random::{Case, Shape, Tense, Vocabulary, ctl_case, ltl_case, m2l_case, monitor, plan, psl_case};
use posetta_oracle::{ltl, m2l, monitor as automata, psl};
use posetta_trace::Trace;

/// Whether a run satisfies a property, by definition.
pub(crate) type Satisfies = Box<dyn Fn(&Trace, &[EventId]) -> bool>;

/// A linear property of any kind, and a run.
pub(crate) fn linear_case(rng: &mut Rng) -> (Property, Trace, Satisfies, String) {
    let view = if rng.bool() { View::States } else { View::Events };
    let (property, plan, satisfies): (_, _, Satisfies) = match rng.u8(..4) {
        0 => {
            let Case { plan, formula } = ltl_case(rng, view, Tense::PastAndFuture);
            let property = Property::ltl_over(view, &formula.to_string()).unwrap();
            (property, plan, Box::new(move |trace, run| ltl::satisfies(trace, run, view, &formula)))
        }
        1 => {
            let Case { plan, formula } = psl_case(rng, view);
            let property = Property::psl_over(view, &formula.to_string()).unwrap();
            (property, plan, Box::new(move |trace, run| psl::satisfies(trace, run, view, &formula)))
        }
        2 => {
            let plan = plan(rng, Shape { events: 5, processes: 3, one_writer: 40 });
            let (text, program) = m2l_case(rng, &Vocabulary::of(&plan), 50);
            let property = Property::m2l_over(view, &text).unwrap();
            (property, plan, Box::new(move |trace, run| m2l::satisfies(trace, run, view, &program)))
        }
        _ => {
            let plan = plan(rng, Shape { events: 6, processes: 3, one_writer: 40 });
            let monitor = monitor(rng, &Vocabulary::of(&plan), 50);
            let property = Property::ltl("true").unwrap();
            let property = Property { formula: Formula::Monitor(view, monitor.clone()), ..property };
            (property, plan, Box::new(move |trace, run| automata::satisfies(trace, run, view, &monitor)))
        }
    };
    let about = format!("{view:?}: {}\non\n{plan}", property.formula);
    (property, plan.build().unwrap(), satisfies, about)
}

#[test]
fn stage_by_stage_is_as_in_one_call() {
    let mut shares = Shares::default();
    let budget = Budget::unlimited();
    for_seeds(1_500, |rng, seed| {
        let (property, trace, _, about) = linear_case(rng);
        let property = if rng.u8(..3) == 0 { property.some() } else { property };
        let about = format!("{:?}, {about}", property.quantifier);
        let (name, options) = engines()[rng.usize(..7)].clone();
        let about = format!("seed {seed}, {name}, {about}");
        let options = options.explain(rng.bool());
        let whole = check(&trace, &property, &options, &budget).unwrap_or_else(|e| panic!("refused: {e:?}: {about}"));
        let question = Question::new(Arc::new(trace), &property, options.clone()).unwrap();
        let mut answer = question.decide(&budget).unwrap();
        assert_eq!(answer.verdict.word(), whole.verdict.word(), "{about}");
        assert_eq!(answer.observed(), whole.observed(), "{about}");
        let open = answer.runs() == Some(Runs::Unknown);
        let told_by_one = match property.quantifier {
            Quantifier::Every => matches!(answer.verdict, Verdict::Violated(_)),
            Quantifier::Some => answer.verdict == Verdict::Holds,
        };
        assert!(!open || told_by_one, "{about}");
        let decided = answer.stats.configurations;
        question.complete(&mut answer, &budget);
        assert_eq!(answer.runs(), whole.runs(), "{about}");
        if options.explain {
            question.explain(&mut answer, &budget).unwrap();
        }
        answer.warnings.extend(question.vacuity(&answer, &budget).warnings);
        assert_eq!((&answer.verdict, answer.why()), (&whole.verdict, whole.why()), "{about}");
        assert_eq!((&answer.stats, &answer.warnings), (&whole.stats, &whole.warnings), "{about}");
        assert_eq!(answer.stats.configurations, decided, "the verdict is searched once: {about}");
        // A stage that has nothing left to do does nothing.
        let further = answer.stats.further_configurations;
        question.complete(&mut answer, &budget);
        assert_eq!(answer.stats.further_configurations, further, "{about}");
        shares.add(if open { "completed" } else { "settled at once" });
    });
    shares.at_least_a_fifth("stages", &["completed", "settled at once"]);
}

/// What an order says, and where it shows: from there on no order of the run that begins alike satisfies the property. Automata fail
/// where they enter what they do not leave, which may be sooner.
#[test]
fn what_an_order_says() {
    let mut shares = Shares::default();
    let budget = Budget::unlimited();
    for_seeds(1_500, |rng, seed| {
        let (property, trace, satisfies, about) = linear_case(rng);
        let about = format!("seed {seed}, {about}");
        let question =
            Question::new(&trace, &property, Options::default()).unwrap_or_else(|e| panic!("refused: {e:?}: {about}"));
        let mut runs = Vec::new();
        Order::of(&trace).for_each_run(|run| runs.push((run.to_vec(), satisfies(&trace, run))));
        let (run, holds) = rng.choice(&runs).unwrap();
        assert_eq!(question.replay(run, &budget).unwrap().holds, Some(*holds), "{run:?}: {about}");
        let moment = question.moment(run);
        let is_formula = matches!(property.formula, Formula::Ltl(..) | Formula::Psl(..));
        // There is no place in a word without letters.
        let is_nowhere = is_formula && trace.is_empty() && property.formula.view() == Some(View::Events);
        let has_place = !holds && !is_nowhere;
        assert_eq!(moment.is_some(), has_place, "{run:?}: {about}");
        match moment {
            None => shares.add("nowhere"),
            Some(Moment::Waits(from)) => {
                assert!(from <= run.len() && is_formula, "{from}, {run:?}: {about}");
                shares.add("waits");
            }
            Some(Moment::At(place)) => {
                assert!(place <= run.len(), "{place}, {run:?}: {about}");
                let mut alike = runs.iter().filter(|(other, _)| is_formula && other[..place] == run[..place]);
                assert!(alike.all(|(_, holds)| !holds), "{place}, {run:?}: {about}");
                shares.add("fails");
            }
        }
    });
    shares.at_least(0.1, "moments", &["nowhere", "fails"]);
    shares.at_least(0.02, "moments", &["waits"]);
}

/// Where a path proves something, no shorter one does.
#[test]
fn what_a_path_says() {
    let mut shares = Shares::default();
    let (budget, options) = (Budget::unlimited(), Options::default().witness_always(true));
    for_seeds(1_000, |rng, seed| {
        let Case { plan, formula } = ctl_case(rng);
        let (trace, property) = (plan.build().unwrap(), Property::ctl(&formula.to_string()).unwrap());
        let about = format!("seed {seed}: {formula}\non\n{plan}");
        let question =
            Question::new(&trace, &property, options.clone()).unwrap_or_else(|e| panic!("refused: {e:?}: {about}"));
        let Ok(answer) = question.decide(&budget) else { return shares.add("refused") };
        let path = answer.order().unwrap_or_else(|| panic!("no path: {about}"));
        let holds = |path: &[EventId]| question.replay(path, &budget).unwrap().holds;
        let proves = answer.branching().and_then(|found| found.path_proves) == Some(true);
        assert_eq!(holds(path).is_some(), proves, "{path:?}: {about}");
        assert!(holds(path).is_none_or(|holds| holds == (answer.verdict == Verdict::Holds)), "{path:?}: {about}");
        let Some(Moment::At(place)) = question.moment(path) else { panic!("a path has a place: {about}") };
        if proves {
            assert_eq!(holds(&path[..place]), holds(path), "{place}, {path:?}: {about}");
            assert!(place == 0 || holds(&path[..place - 1]).is_none(), "{place}, {path:?}: {about}");
        }
        shares.add(if proves { "proves" } else { "needs every path" });
    });
    shares.at_least(0.1, "paths", &["proves", "needs every path"]);
}
