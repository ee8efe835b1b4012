//! What a checker says about the runs of a trace, held against a tally of all of them.

use posetta_base::{EventId, Verdict};
use posetta_check::{Answer, Observed, Runs};
use posetta_trace::Trace;

use crate::ltl::Tally;
use crate::order::Order;

/// Which runs satisfy a property.
#[must_use]
pub fn runs(tally: Tally) -> Runs {
    match (tally.satisfied, tally.violated) {
        (_, 0) => Runs::All,
        (0, _) => Runs::None,
        _ => Runs::Some,
    }
}

/// Asserts that an answer about a linear property is right in all its parts, where `satisfies` knows about single runs.
///
/// # Panics
/// When it is not.
pub fn assert_right(trace: &Trace, answer: &Answer, tally: Tally, satisfies: &dyn Fn(&[EventId]) -> bool, about: &str) {
    match &answer.verdict {
        Verdict::Holds => assert_eq!(tally.violated, 0, "said to hold: {about}"),
        Verdict::Violated(witness) => {
            assert_ne!(tally.violated, 0, "said to be violated: {about}");
            assert!(Order::of(trace).is_run(witness), "the witness {witness:?} is not a run: {about}");
            assert!(!satisfies(witness), "the witness {witness:?} satisfies: {about}");
        }
        Verdict::Unknown(limit) => panic!("no limit was set, but {limit}: {about}"),
    }
    assert_eq!(answer.runs(), Some(runs(tally)), "{tally:?}: {about}");
    let observed = trace.observed().map(|run| match satisfies(run) {
        true => Observed::Holds,
        false => Observed::Violated,
    });
    assert_eq!(answer.observed(), observed, "{about}");
}
