//! What a verdict rests on beside causes: it is decided again on the run without what is assumed.

use std::ops::Deref;

use super::answer::Answer;
use super::question::Question;
use super::tie::Tied;
use posetta_base::{Budget, Error, Verdict};
use posetta_trace::{Missing, Reason, Trace};

/// The assumptions without which a verdict would be another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reliance {
    /// Without any of these, the others of the run left out, the verdict is another, or there is none.
    pub on: Vec<Reason>,
    /// A limit was reached before it was known of these.
    pub perhaps: Vec<Reason>,
}

impl Reliance {
    /// Whether the verdict follows from causes alone.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.on.is_empty() && self.perhaps.is_empty()
    }
}

/// Whether a verdict could be another with what the records lack. Where only order is missing there are fewer orders in truth: what
/// holds in all of them holds, and what none of them satisfies is violated.
#[must_use]
pub fn could_change(missing: Missing, holds: bool, linear: bool, some: bool) -> bool {
    !(missing.is_order_only() && linear && holds != some)
}

/// Whether the verdict stayed what it was.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Again {
    Same,
    Other,
    Unknown,
}

impl<T: Deref<Target = Trace>> Question<'_, T> {
    /// What is known before [`Self::reliance`] has been asked: perhaps all that the run assumes. `None` if it assumes nothing.
    #[must_use]
    pub fn before_reliance(&self, answer: &Answer) -> Option<Reliance> {
        let is_open = match answer.verdict {
            Verdict::Holds => !answer.is_about_some(),
            Verdict::Violated(_) => answer.is_about_some() || matches!(self.tied, Tied::Branching(_)),
            Verdict::Unknown(_) => false,
        };
        let assumed = self.trace_of_all().assumptions();
        let perhaps = || Reliance { on: Vec::new(), perhaps: if is_open { assumed.clone() } else { Vec::new() } };
        (!assumed.is_empty()).then(perhaps)
    }

    /// What the verdict of an answer rests on. Assumptions are given up one after the other, those that make no difference for good.
    ///
    /// With fewer edges there are more orders. So a linear property that some order violates stays violated, one that asks for some order
    /// and has one keeps it, and nothing has to be decided again.
    ///
    /// # Errors
    /// When there is a defect.
    pub fn reliance(&self, answer: &Answer, budget: &Budget) -> Result<Reliance, Error> {
        let mut found = Reliance::default();
        let assumed = self.before_reliance(answer).unwrap_or_default().perhaps;
        if assumed.is_empty() || self.again(&assumed, answer, budget)? == Again::Same {
            return Ok(found);
        }
        let mut gone = Vec::new();
        for assumption in assumed {
            gone.push(assumption);
            match self.again(&gone, answer, budget)? {
                Again::Same => {}
                Again::Other => found.on.extend(gone.pop()),
                Again::Unknown => found.perhaps.extend(gone.pop()),
            }
        }
        Ok(found)
    }

    /// What the records lack that [could change](could_change) the verdict of an answer.
    #[must_use]
    pub fn incomplete(&self, answer: &Answer) -> Vec<Missing> {
        let holds = match answer.verdict {
            Verdict::Holds => true,
            Verdict::Violated(_) => false,
            Verdict::Unknown(_) => return Vec::new(),
        };
        let (linear, some) = (matches!(self.tied, Tied::Linear(_)), answer.is_about_some());
        let missing = self.trace_of_all().lacks().iter().map(|lack| lack.what);
        missing.filter(|&missing| could_change(missing, holds, linear, some)).collect()
    }

    /// The verdict without some assumptions. A property that means nothing any more, because writes are unordered, has lost it.
    fn again(&self, gone: &[Reason], answer: &Answer, budget: &Budget) -> Result<Again, Error> {
        let Ok(trace) = self.trace_of_all().without(gone, budget) else { return Ok(Again::Unknown) };
        let answered = match self.decide_on(&trace, false, budget) {
            Ok(answered) => answered,
            Err(Error::Invalid(_)) => return Ok(Again::Other),
            Err(Error::OverBudget(_)) => return Ok(Again::Unknown),
            Err(error) => return Err(error),
        };
        Ok(match (&answered.verdict, &answer.verdict) {
            (Verdict::Unknown(_), _) => Again::Unknown,
            (Verdict::Holds, Verdict::Holds) | (Verdict::Violated(_), Verdict::Violated(_)) => Again::Same,
            _ => Again::Other,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use posetta_logic::read_props;
    use posetta_trace::Builder;

    /// Two processes that count to 1, and edges between the two events.
    fn run(reasons: &[Reason]) -> Trace {
        let mut builder = Builder::new();
        let mut events = Vec::new();
        for (process, variable) in [("A", "a"), ("B", "b")] {
            let process = builder.process(process).unwrap();
            events.push(builder.event(process, 1).unwrap());
            let (variable, one) = (builder.variable(variable).unwrap(), builder.integer(1).unwrap());
            builder.assign(variable, one).unwrap();
        }
        for &reason in reasons {
            builder.link_because(events[0], events[1], reason);
        }
        builder.finish(true, &Budget::unlimited()).unwrap()
    }

    fn rests(reasons: &[Reason], property: &str) -> Vec<Reason> {
        let (trace, budget) = (run(reasons), Budget::unlimited());
        let property = read_props(property).unwrap().remove(0);
        let question = Question::new(&trace, &property, Options::default()).unwrap();
        let answer = question.decide(&budget).unwrap();
        question.reliance(&answer, &budget).unwrap().on
    }

    #[test]
    fn a_verdict_rests_on_the_assumptions_without_which_it_is_another() {
        use Reason::{Nesting, Parent, Segment};
        let ordered = "property p = ltl G (b == 1 -> a == 1)";
        assert_eq!(rests(&[Segment], ordered), [Segment]);
        assert_eq!(rests(&[Nesting], ordered), [Nesting]);
        // The edge has a better reason, or the property needs none.
        assert_eq!(rests(&[Segment, Parent], ordered), []);
        assert_eq!(rests(&[Segment], "property p = ltl F (a == 1 && b == 1)"), []);
        // What is violated with fewer orders is violated with more of them.
        assert_eq!(rests(&[Segment], "property p = ltl G (a == 0)"), []);
        // Of an order that must exist it is `violated` that can rest on an assumption.
        assert_eq!(rests(&[Segment], "property p = some ltl F (b == 1 && a == 0)"), [Segment]);
        assert_eq!(rests(&[Segment], "property p = some ltl F (a == 1 && b == 0)"), []);
        // Instances are projections of the whole run.
        assert_eq!(rests(&[Segment], "property p = foreach k in processes { ltl G (a == 0 || b == 0) }"), []);
        // For CTL it is `violated` that can rest on an assumption, too.
        assert_eq!(rests(&[Segment], "property p = ctl EF (b == 1 && a == 0)"), [Segment]);
        assert_eq!(rests(&[Segment], "property p = ctl AG (b == 1 -> a == 1)"), [Segment]);
        assert_eq!(rests(&[Segment], "property p = ctl EF (a == 2)"), []);
    }
}
