//! The order that shows what became of a property, and all about it: for the viewer, which has the whole run.

use std::ops::Deref;

use posetta_base::{Budget, EventId};
use posetta_check::{Moment, Question};
use posetta_logic::View;
use posetta_logic::eval::parts::Part;
use posetta_trace::Trace;

use super::run::{number, numbers};
use super::{Pictured, Wave};
use crate::decided::Decided;
use crate::proof;
use crate::story::{Mentions, Moved, Story, known_variables, moves, state};
use crate::subformulas::Along;
use crate::word::Word;

/// So many changes of the truth of parts are kept along one order; a property with more has no parts in a picture.
const CHANGES: usize = 1 << 20;

/// Of a sequence of states, so many are drawn before the place where it shows, and after it.
const STATES: usize = 64;

/// The truth of the parts of a property along an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// The number of the first position.
    pub first: usize,
    /// The parts, each before its own.
    pub parts: Vec<Part>,
}

/// An order and what there is to see in it. Events are numbered as in the whole run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Course {
    /// The order or path, if one shows the verdict.
    pub order: Option<Vec<u32>>,
    /// Where it shows.
    pub moment: Option<Moment>,
    /// Of a run of a model: it goes on forever with the steps behind this one.
    pub cycle: Option<usize>,
    /// What is true there.
    pub note: String,
    /// Events that stand earlier than recorded.
    pub earlier: Vec<u32>,
    /// Events that stand later.
    pub later: Vec<u32>,
    /// The two whose exchange came last; the first one was recorded first.
    pub swapped: Option<[u32; 2]>,
    /// Edges that would rule it out.
    pub missing: Vec<[u32; 2]>,
    /// Of a path that leads to a cut: how many events of each process are in it, process by process.
    pub cut: Option<Vec<u32>>,
    /// The events that the property speaks of, those that the explanation names, and what directly caused them; ascending.
    pub mentions: Vec<u32>,
    /// The parts of the property along the order, or along the recorded one if there is none.
    pub parts: Option<Parts>,
    /// The same along the recorded order, if that is another one.
    pub recorded_parts: Option<Parts>,
}

impl<T: Deref<Target = Trace>> Decided<'_, '_, T> {
    /// What pictures show of it. With `viewer`, also what the viewer needs. A limit leaves out what it costs.
    #[must_use]
    pub fn pictured(&self, viewer: bool, budget: &Budget) -> Pictured {
        let trace = self.question.trace();
        let is_linear = self.answer.linear().is_some();
        let failing = self.answer.order().filter(|_| is_linear && !self.answer.is_about_some());
        let recorded = failing
            .and_then(|order| Story::recorded_beside(trace, self.property, order, (self.moment)(), self.answer.why()));
        let variables = known_variables(trace, self.property);
        let wave = (trace.has_state_records() && !variables.is_empty()).then(|| {
            let (Moment::At(place) | Moment::Waits(place)) = (self.moment)().unwrap_or(Moment::At(0));
            Wave::new(trace, variables, place.saturating_sub(STATES), 2 * STATES)
        });
        Pictured { story: self.story(usize::MAX), recorded, wave, course: viewer.then(|| Course::new(self, budget)) }
    }
}

impl Course {
    /// The course of a property that was decided.
    #[must_use]
    pub fn new<T: Deref<Target = Trace>>(decided: &Decided<'_, '_, T>, budget: &Budget) -> Self {
        let Decided { question, answer, property, .. } = *decided;
        let trace = question.trace();
        let (along, order) = decided.along();
        let shows = matches!(along, Along::Failing | Along::Satisfying | Along::Path) || answer.order().is_some();
        let violated = decided.word() == Word::Violated;
        let moment = match along {
            Along::Path => Some(Moment::At(order.len())),
            _ if shows && violated => (decided.moment)(),
            _ => None,
        };
        let note = match moment {
            Some(Moment::At(place)) => state(trace, property, order, place),
            Some(Moment::Waits(_)) => "what it needs never comes".to_owned(),
            None => String::new(),
        };
        let why = answer.why();
        let pair = |&(a, b): &(EventId, EventId)| [number(trace, a), number(trace, b)];
        let (mut earlier, mut later) = (Vec::new(), Vec::new());
        if shows {
            for (&event, moved) in order.iter().zip(moves(trace, order)) {
                match moved {
                    Some(Moved::Earlier) => earlier.push(number(trace, event)),
                    Some(Moved::Later) => later.push(number(trace, event)),
                    Some(Moved::Swapped) | None => {}
                }
            }
        }
        let missing: Vec<(EventId, EventId)> = why.and_then(|why| why.missing_edges.clone()).unwrap_or_default();
        let proof = answer.branching().and_then(|found| found.proof.as_ref());
        let to_a_cut = along == Along::Path && !proof.is_some_and(proof::goes_to_the_end);
        let named = why.and_then(|why| why.swapped).into_iter().chain(missing.iter().copied());
        let mut keys: Vec<EventId> = named.flat_map(|(a, b)| [a, b]).collect();
        if let Some(Moment::At(place)) = moment {
            keys.extend(place.checked_sub(1).and_then(|i| order.get(i)));
        }
        let recorded = trace.observed().filter(|observed| shows && *observed != order && answer.linear().is_some());
        let view = property.property.formula.view().unwrap_or(View::States);
        let first = usize::from(view == View::Events);
        Self {
            order: shows.then(|| numbers(trace, order)),
            moment,
            cycle: None,
            note,
            earlier,
            later,
            swapped: why.and_then(|why| why.swapped.as_ref().map(pair)),
            missing: missing.iter().map(pair).collect(),
            // Of an instance only a part of the run is at hand.
            cut: (to_a_cut && answer.instances.is_none()).then(|| cut(trace, order)),
            mentions: mentions(decided, &keys),
            parts: parts(question, order, first, budget),
            recorded_parts: recorded.and_then(|order| parts(question, order, first, budget)),
        }
    }
}

/// The parts along an order, unless that costs too much.
fn parts<T: Deref<Target = Trace>>(
    question: &Question<'_, T>,
    order: &[EventId],
    first: usize,
    budget: &Budget,
) -> Option<Parts> {
    let parts = question.parts(order, budget).ok()?;
    let changes: usize = parts.iter().map(|part| part.changes.len()).sum();
    (changes <= CHANGES).then_some(Parts { first, parts })
}

/// How many events of each process of the whole run an order has.
fn cut(trace: &Trace, order: &[EventId]) -> Vec<u32> {
    let mut counts = vec![0; trace.process_count()];
    order.iter().for_each(|&event| counts[trace.process(event).index()] += 1);
    counts
}

/// The events that the property speaks of, the `keys`, and for each of these what came to its process last before it, and from where.
fn mentions<T: Deref<Target = Trace>>(decided: &Decided<'_, '_, T>, keys: &[EventId]) -> Vec<u32> {
    let trace = decided.question.trace();
    let speaks = Mentions::new(trace, decided.property);
    let mut kept: Vec<bool> = trace.events().map(|event| speaks.touches(trace, event)).collect();
    keys.iter().for_each(|key| kept[key.index()] = true);
    let mut causes = Vec::new();
    for process in trace.processes() {
        // The last receipt that nothing which is shown has followed yet.
        let mut receipt = None;
        for &event in trace.chain(process) {
            if !trace.causes(event).is_empty() {
                receipt = Some(event);
            }
            if kept[event.index()]
                && let Some(receipt) = receipt.take()
            {
                causes.push(receipt);
                causes.extend(trace.causes(receipt));
            }
        }
    }
    causes.into_iter().for_each(|event| kept[event.index()] = true);
    let mut all: Vec<u32> =
        trace.events().filter(|event| kept[event.index()]).map(|event| number(trace, event)).collect();
    all.sort_unstable();
    all
}
