//! Why a linear property is violated: what a person would change.
//!
//! [`explain`] starts from a verdict and a failing order. It looks for the failing order [closest](closest) to the trace's own one, or
//! [brings](settle) the one that is known closer, and for the [edges] whose presence would make the property hold. All of
//! it is counted against an [allowance], so that what is found depends on neither clock nor threads.

mod allowance;
mod closest;
mod edges;
mod hitting;
mod language;
mod ranks;
mod settle;

use self::allowance::Allowance;
use self::closest::{Closest, closest};
use self::edges::{Missing, Setting, missing_edges};
use self::language::{Language, with_language};
use self::ranks::{as_ranks, deciding, inversions, ranks_of};
use self::settle::settle;
use super::Options;
use posetta_base::{Budget, EventId, Limit, OverBudget};
use posetta_compile::Linear;
use posetta_logic::{Bound, View};
use posetta_trace::Trace;

/// What would have prevented a violation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation {
    /// How many exchanges of concurrent neighbours lead from the trace's own order ([`Trace::linearisation`]) to the witness:
    /// 0 if that order itself fails.
    ///
    /// [`Trace::linearisation`]: posetta_trace::Trace::linearisation
    pub exchanges: u64,
    /// No failing order is closer; if not, a limit was reached before that was known.
    pub closest: bool,
    /// The last exchange on a shortest way from the observed order to the witness: the first of the two comes first in the
    /// observed order, the second one in the witness. `None` if the observed order itself fails, or if there is none.
    pub swapped: Option<(EventId, EventId)>,
    /// Edges between concurrent events that, added to the run, make the property hold, and none of which can be left out;
    /// compatible with the observed order if that satisfies the property. `None` if no run satisfies the property, or past a
    /// limit.
    pub missing_edges: Option<Vec<(EventId, EventId)>>,
    /// No smaller set of edges would do.
    pub minimum: bool,
}

posetta_base::setters! {
    Explanation {
        exchanges: u64,
        closest: bool,
        swapped: Option<(EventId, EventId)>,
        missing_edges: Option<Vec<(EventId, EventId)>>,
        minimum: bool,
    }
}

/// A violated property.
pub(super) struct Violation<'v> {
    pub(super) trace: &'v Trace,
    pub(super) bound: &'v Bound<Linear>,
    pub(super) view: View,
    /// A failing run: the trace's own linearisation if that fails.
    pub(super) witness: &'v [EventId],
    /// If the linearisation fails: a run that satisfies the property, if one is known.
    pub(super) satisfying: Option<&'v [EventId]>,
}

/// Explains a violation. Answers with the witness to show, and nothing if a limit of the caller came first.
pub(super) fn explain(
    violation: &Violation<'_>,
    options: &Options,
    budget: &Budget,
) -> Option<(Vec<EventId>, Explanation)> {
    let mut allowance = Allowance::new(options.patience);
    if violation.witness == violation.trace.linearisation() {
        return Some(of_reference(violation, options, &mut allowance, budget));
    }
    let Violation { trace, bound, view, .. } = *violation;
    let explained = with_language(trace, bound, view, true, budget, |language| {
        of_other(violation, language, options, &mut allowance, budget)
    });
    explained.and_then(|explained| explained).ok()
}

/// The trace's own order satisfies the property, another one fails.
fn of_other(
    violation: &Violation<'_>,
    language: &mut Language<'_>,
    options: &Options,
    allowance: &mut Allowance,
    budget: &Budget,
) -> Result<(Vec<EventId>, Explanation), OverBudget> {
    let Violation { trace, bound, view, witness, .. } = *violation;
    let ranks = ranks_of(trace.linearisation());
    let (witness, is_closest) = near(trace, language, witness, allowance, budget)?;
    let order = as_ranks(&witness, &ranks);
    let free = trace.observed().is_none();
    let setting = Setting { trace, bound, view, free, threads: options.threads, budget };
    // What is known is not lost when there is no room for more.
    let missing = missing_edges(&setting, std::slice::from_ref(&order), language, allowance).unwrap_or(None);
    let event = |rank: u32| trace.linearisation()[rank as usize];
    let edges = missing.as_ref().map(|missing| &missing.edges[..]).unwrap_or_default();
    let exchanged: Vec<(EventId, EventId)> = deciding(&order).map(|(a, b)| (event(a), event(b))).collect();
    let swapped = exchanged.iter().rfind(|pair| edges.contains(pair)).or(exchanged.last()).copied();
    let explanation = Explanation {
        exchanges: inversions(&order),
        closest: is_closest,
        swapped: swapped.filter(|_| trace.observed().is_some()),
        minimum: missing.as_ref().is_some_and(|missing| missing.minimum),
        missing_edges: missing.map(|missing| missing.edges),
    };
    Ok((witness, explanation))
}

/// The trace's own order fails.
fn of_reference(
    violation: &Violation<'_>,
    options: &Options,
    allowance: &mut Allowance,
    budget: &Budget,
) -> (Vec<EventId>, Explanation) {
    let missing = violation.satisfying.and_then(|satisfying| {
        // What is known is not lost when there is no room for more.
        around(violation, satisfying, options, allowance, budget).unwrap_or(None)
    });
    let explanation = Explanation {
        exchanges: 0,
        closest: true,
        swapped: None,
        minimum: missing.as_ref().is_some_and(|missing| missing.minimum),
        missing_edges: missing.map(|missing| missing.edges),
    };
    (violation.witness.to_vec(), explanation)
}

/// Edges along a run that satisfies the property, as close to the trace's own order as one is found.
fn around(
    violation: &Violation<'_>,
    satisfying: &[EventId],
    options: &Options,
    allowance: &mut Allowance,
    budget: &Budget,
) -> Result<Option<Missing>, OverBudget> {
    let Violation { trace, bound, view, .. } = *violation;
    let (reference, _) = with_language(trace, bound, view, false, budget, |language| {
        let mut share = allowance.share(2);
        let near = near(trace, language, satisfying, &mut share, budget);
        allowance.take_back(share);
        near
    })??;
    let ranks = ranks_of(&reference);
    let trace = &trace.with_edges(&[], reference, budget)?;
    let setting = Setting { trace, bound, view, free: true, threads: options.threads, budget };
    with_language(trace, bound, view, true, budget, |language| {
        let (failing, _) = near(trace, language, violation.witness, allowance, budget)?;
        let orders = [as_ranks(&failing, &ranks), as_ranks(violation.witness, &ranks)];
        missing_edges(&setting, &orders, language, allowance)
    })?
}

/// The order of a language that is closest to the trace's own order, and whether it is known to be; one of its orders is known.
fn near(
    trace: &Trace,
    language: &mut Language<'_>,
    known: &[EventId],
    allowance: &mut Allowance,
    budget: &Budget,
) -> Result<(Vec<EventId>, bool), OverBudget> {
    let mut share = allowance.share(2);
    let found = closest(trace, language, &mut share, budget);
    allowance.take_back(share);
    let at_least = match found {
        Ok(Closest::Found(run)) => return Ok((run, true)),
        Ok(Closest::AtLeast(cost)) => cost,
        // There is one: it is known.
        Ok(Closest::Nothing) => 0,
        Err(OverBudget { limit: Limit::Memory, .. }) => 0,
        Err(over) => return Err(over),
    };
    let mut order = as_ranks(known, &ranks_of(trace.linearisation()));
    settle(&mut order, trace.linearisation(), language, allowance, budget)?;
    let is_closest = inversions(&order) <= at_least;
    Ok((order.iter().map(|&rank| trace.linearisation()[rank as usize]).collect(), is_closest))
}

#[cfg(test)]
mod tests {
    use crate::{Options, check};
    use posetta_base::{Budget, EventId, Verdict};
    use posetta_formats::jsonl;
    use posetta_logic::Property;

    /// Events as `process variable=value`, with `<label` for a cause; told as the witness, the exchange and the edges.
    fn explained(events: &[&str], formula: &str, patience: u64) -> String {
        let line = |event: &&str| {
            let mut words = event.split(' ');
            let process = words.next().expect("a process");
            let (name, value) = words.next().and_then(|set| set.split_once('=')).expect("an assignment");
            let after: Vec<String> = words.map(|cause| format!("{:?}", &cause[1..])).collect();
            format!("{{\"process\":{process:?},\"set\":{{{name:?}:{value}}},\"after\":[{}]}}\n", after.join(","))
        };
        let source: String = events.iter().map(line).collect();
        let budget = Budget::unlimited();
        let trace = jsonl::read(source.as_bytes(), &budget).unwrap();
        let options = Options { explain: true, patience, ..Options::default() };
        let answer = check(&trace, &Property::ltl(formula).unwrap(), &options, &budget).unwrap();
        let Verdict::Violated(witness) = &answer.verdict else { return answer.verdict.word().to_owned() };
        let why = answer.why().expect("it was asked for");
        let label = |&event: &EventId| trace.label(event);
        let pair = |(a, b): &(EventId, EventId)| format!("{}>{}", label(a), label(b));
        let edges = why.missing_edges.as_ref().map(|edges| edges.iter().map(pair).collect::<Vec<_>>().join(" "));
        format!(
            "{} {}, {}{}, {}{}",
            witness.iter().map(label).collect::<Vec<_>>().join(" "),
            why.swapped.as_ref().map_or("-".to_owned(), pair),
            why.exchanges,
            if why.closest { "" } else { "?" },
            edges.unwrap_or("-".to_owned()),
            if why.minimum { "" } else { "?" },
        )
    }

    #[test]
    fn what_would_have_prevented_it() {
        let section = ["A c=1", "A c=0", "B d=1", "B d=0"];
        let both = "G !(c == 1 && d == 1)";
        for (events, formula, expected) in [
            (&section[..], both, "A.1 B.1 A.2 B.2 A.2>B.1, 1, A.2>B.1"),
            (&section, "F (c == 1)", "holds"),
            (&section, "F (c == 2)", "A.1 A.2 B.1 B.2 -, 0, -?"),
            // The observed order fails, and another one does not.
            (&["A c=1", "B d=1"], "G (c == 1 -> d == 1)", "A.1 B.1 -, 0, B.1>A.1"),
            // Who is between may go before both or behind both, which is as far; before both comes first.
            (&["A c=1", "C z=1", "C z=2", "B d=1"], "G (d == 1 -> c == 1)", "C.1 C.2 B.1 A.1 A.1>B.1, 3, A.1>B.1"),
            // It need not wait for what else A does.
            (&["A c=1", "A z=1", "B d=1"], "G (d == 1 -> c == 1)", "B.1 A.1 A.2 A.1>B.1, 2, A.1>B.1"),
            // What B waits for comes along.
            (&["A c=1", "C z=1", "B d=1 <C.1"], "G (d == 1 -> c == 1)", "C.1 B.1 A.1 A.1>B.1, 2, A.1>B.1"),
            // Two hand-overs are not recorded.
            (
                &["A c=1", "A c=0", "B d=1", "B d=0", "A c=1", "A c=0"],
                both,
                "A.1 B.1 A.2 B.2 A.3 A.4 A.2>B.1, 1, A.2>B.1 B.2>A.3",
            ),
        ] {
            assert_eq!(explained(events, formula, u64::MAX), expected, "{events:?}: {formula}");
        }
        // Without time for anything: one exchange cannot be undercut, two perhaps.
        assert_eq!(explained(&section, both, 0), "A.1 B.1 A.2 B.2 A.2>B.1, 1, -?");
        let behind = explained(&["A c=1", "A z=1", "B d=1"], "G (d == 1 -> c == 1)", 0);
        assert_eq!(behind, "B.1 A.1 A.2 A.1>B.1, 2?, -?");
    }
}
