//! The engines and the oracle asked the same question, about runs and formulas that nobody planned.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use posetta_base::{Budget, Kind, Limit, Verdict};
use posetta_check::{Options, Runs, check as decide};
use posetta_formats as formats;
use posetta_logic::{Formula, Property, View, read_props};
use posetta_oracle::order::Order;
use posetta_oracle::{ctl, ltl, monitor};
use posetta_trace::Trace;

use crate::places::Lines;
use crate::small_budget;

/// The oracle tries every order of the events.
const MOST_EVENTS: usize = 6;

/// And every position for every operator, so a deep formula is not its business.
const LONGEST_FORMULA: usize = 64;

/// The oracle's work doubles with each operator inside another; formulas with more letters that may be operators are not
/// tried.
const MOST_OPERATORS: usize = 5;

/// What is owed to operators inside each other can grow exponentially, and only the caller of an engine can end it.
const PATIENCE: Duration = Duration::from_secs(2);

/// The first line is a formula, in LTL and in CTL, or the statements of a monitor; the others are a run in the text format.
///
/// # Panics
/// When a promise is broken.
pub fn check(data: &[u8]) {
    let Some((formula, run)) = std::str::from_utf8(data).ok().and_then(|t| t.split_once('\n')) else { return };
    if formula.len() > LONGEST_FORMULA || run.len() > 1 << 10 {
        return;
    }
    if formula.bytes().filter(|b| b"UWRMSFGYOHX".contains(b)).count() > MOST_OPERATORS {
        return;
    }
    let Ok(trace) = formats::text::read(run.as_bytes(), &small_budget()) else { return };
    if trace.len() > MOST_EVENTS {
        return;
    }
    let formulas =
        [Property::ltl_over(View::States, formula), Property::ltl_over(View::Events, formula), Property::ctl(formula)];
    let monitors = ["states", "events"].map(|view| read_props(&format!("monitor m over {view} {{\n{formula}\n}}")));
    for property in formulas.into_iter().flatten().chain(monitors.into_iter().flatten().flatten()) {
        let budget = small_budget();
        within(PATIENCE, &budget, || compare(&trace, &property, &budget));
    }
}

/// Does the work and raises the budget's stop if it takes longer than `patience`.
fn within(patience: Duration, budget: &Budget, work: impl FnOnce()) {
    let (done, wait) = channel::<()>();
    let stop = budget.stop_handle();
    thread::scope(|scope| {
        scope.spawn(move || {
            if wait.recv_timeout(patience) == Err(RecvTimeoutError::Timeout) {
                stop.raise(Limit::Time);
            }
        });
        let _until_the_end = done;
        work();
    });
}

fn compare(trace: &Trace, property: &Property, budget: &Budget) {
    let options = Options::default().witness_always(true);
    let answer = match decide(trace, property, &options, budget) {
        Ok(answer) => answer,
        Err(error) => {
            let mistakes = error.diagnostics();
            Lines::of_text(&property.source).hold(mistakes);
            let unordered = mistakes.iter().any(|m| m.kind == Kind::UnorderedWrites);
            if let (Formula::Ctl(formula), true) = (&property.formula, unordered) {
                assert_eq!(ctl::holds(trace, formula), None, "rejected without need: {formula}");
            }
            return;
        }
    };
    match (&answer.verdict, &property.formula) {
        // Numbers may outgrow what exact arithmetic may cost.
        (Verdict::Unknown(_), _) => {}
        (verdict, Formula::Ltl(view, formula)) => {
            let tally = ltl::over_all_runs(trace, *view, formula);
            assert_eq!(matches!(verdict, Verdict::Holds), tally.violated == 0, "{view:?} {formula}: {tally:?}");
            let runs = match (tally.satisfied, tally.violated) {
                (_, 0) => Runs::All,
                (0, _) => Runs::None,
                _ => Runs::Some,
            };
            assert!([Some(runs), Some(Runs::Unknown)].contains(&answer.runs()), "{formula}: {:?}", answer.runs());
            if let Verdict::Violated(witness) = verdict {
                assert!(Order::of(trace).is_run(witness), "the witness of {formula} is no run: {witness:?}");
                assert!(!ltl::satisfies(trace, witness, *view, formula), "the witness satisfies {formula}");
            }
        }
        (verdict, Formula::Monitor(view, formula)) => {
            let tally = monitor::over_all_runs(trace, *view, formula);
            assert_eq!(matches!(verdict, Verdict::Holds), tally.violated == 0, "{view:?} {formula}: {tally:?}");
            if let Verdict::Violated(witness) = verdict {
                assert!(Order::of(trace).is_run(witness), "the witness of {formula} is no run: {witness:?}");
                assert!(!monitor::satisfies(trace, witness, *view, formula), "the witness satisfies {formula}");
            }
        }
        // Compared with the definition by the tests of the oracle; no property of this target is PSL or M2L.
        (_, Formula::Psl(..) | Formula::M2l(..)) => {}
        (verdict, Formula::Ctl(formula)) => {
            let holds = ctl::holds(trace, formula);
            assert_eq!(Some(matches!(verdict, Verdict::Holds)), holds, "{formula}");
            if let Some(path) = answer.order() {
                assert!(ctl::shows(trace, formula, path, holds == Some(true)), "{formula}: the path shows nothing");
            }
        }
    }
}
