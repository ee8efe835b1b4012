//! A property that was decided on a run, while both are at hand.
//!
//! What is said of it later refers to no trace any more: [`Decided::outcome`] takes from the trace what a report needs, and
//! [`Decided::parts`] which parts of the property are true where.

use std::cell::OnceCell;
use std::ops::Deref;

use posetta_base::{Budget, Error, EventId, OverBudget};
use posetta_check::{Answer, Moment, Options, Question};
use posetta_trace::Trace;

use crate::checked::{Edge, Fails, Met, Outcome, Why};
use crate::counts::Counts;
use crate::explanation::Words;
use crate::named::Named;
use crate::proof::{self, Tree};
use crate::story::Story;
use crate::subformulas::{self, Along, Subformulas};
use crate::word::Word;

/// Who reads what is said.
#[derive(Clone, Copy, Debug)]
pub struct Readers {
    /// People, with so many columns for lanes.
    pub people: Option<usize>,
    /// Programs.
    pub programs: bool,
    /// What shows a verdict is wanted.
    pub witness: bool,
}

/// So many steps may be taken to find out what a verdict rests on: without what is assumed a run may have many more orders.
pub const RELIANCE: u64 = 1 << 22;

/// What is to be known of a property on a run.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    /// How it is decided.
    pub options: &'a Options,
    /// Who reads the answer.
    pub readers: Readers,
    /// Which parts of the property are true where.
    pub parts: bool,
    /// What pictures show; whether there is one in which somebody can look around.
    pub drawn: Option<bool>,
    /// How many seconds have passed.
    pub seconds: &'a dyn Fn() -> f64,
}

/// All that is worth knowing of one property on one run, one stage after the other. Who asks much of many runs takes the stages of
/// [`Question`] apart, so that verdicts come first.
///
/// # Errors
/// When the property does not fit the run, or with a defect. A limit leaves the answer open.
pub fn answered<T: Deref<Target = Trace>>(
    trace: T,
    property: &Named,
    wanted: Wanted<'_>,
    budget: &Budget,
) -> Result<Outcome, Error> {
    let Wanted { options, readers, parts, drawn, seconds } = wanted;
    let question = Question::new(trace, &property.property, options.clone())?;
    let mut answer = question.decide(budget)?;
    if !options.verdict_only {
        question.complete(&mut answer, budget);
    }
    if options.explain {
        question.explain(&mut answer, budget)?;
    }
    let vacuity = options.vacuity.then(|| question.vacuity(&answer, budget));
    let rests = question.before_reliance(&answer).is_some_and(|reliance| !reliance.is_nothing());
    let reliance = match rests {
        true => Some(question.reliance(&answer, &budget.part(u64::MAX, RELIANCE))?),
        false => None,
    };
    let moment = OnceCell::new();
    let failing = || answer.order().filter(|_| !answer.is_about_some());
    let moment = || *moment.get_or_init(|| failing().and_then(|order| question.moment(order)));
    let decided = Decided { question: &question, answer: &answer, property, moment: &moment };
    let mut outcome = decided.outcome(readers, seconds());
    if let Some(vacuity) = vacuity {
        outcome.warnings.extend(vacuity.warnings);
        outcome.looked = vacuity.complete;
    }
    outcome.reliance = reliance.or(outcome.reliance);
    outcome.trace = parts.then(|| Box::new(decided.parts(readers, budget)));
    outcome.pictured = drawn.map(|viewer| Box::new(decided.pictured(viewer, budget)));
    Ok(outcome)
}

/// A question, and its answer.
pub struct Decided<'a, 'p, T> {
    /// The property, tied to the run.
    pub question: &'a Question<'p, T>,
    /// What became of it.
    pub answer: &'a Answer,
    /// The property as reports name it.
    pub property: &'a Named,
    /// Where it shows that the order of the answer violates the property. That costs something, so it is asked for when it is needed.
    pub moment: &'a dyn Fn() -> Option<Moment>,
}

impl<T: Deref<Target = Trace>> Decided<'_, '_, T> {
    /// The verdict.
    #[must_use]
    pub fn word(&self) -> Word {
        Word::from(&self.answer.verdict)
    }

    /// The answer without the trace. It took so many seconds.
    #[must_use]
    pub fn outcome(&self, readers: Readers, seconds: f64) -> Outcome {
        let Self { question, answer, property, .. } = self;
        let Readers { people, programs, witness } = readers;
        let trace = question.trace();
        let order = answer.order().filter(|_| witness);
        let branching = answer.branching();
        let path_proves = branching.and_then(|found| found.path_proves);
        // That there is no such order would take all of them to show.
        let lacks_order = witness && answer.is_about_some() && self.word() == Word::Violated;
        let needs_every_path = lacks_order || order.is_some_and(<[_]>::is_empty) && path_proves == Some(false);
        let shown = branching.and_then(|found| found.proof.as_ref()).filter(|_| witness);
        let story = people.filter(|_| witness && !needs_every_path).and_then(|room| self.story(room));
        let words = answer
            .why()
            .filter(|_| story.is_some())
            .and_then(|why| Words::new(trace, property, answer.runs(), answer.observed(), why));
        Outcome {
            word: self.word(),
            over: answer.stopped,
            // Of a property with instances, of the one that is shown.
            runs: answer.runs().filter(|_| answer.instances.as_ref().is_none_or(|all| all.violated > 0)),
            observed: answer.observed(),
            instances: answer.instances.clone().map(Box::new),
            witness: order.filter(|_| programs).map(|order| order.iter().map(|&e| trace.label(e)).collect()),
            edges: order.filter(|_| programs).and_then(|order| Edge::among(trace, order)),
            story: story.map(Box::new),
            why: answer.why().map(|why| Box::new(Why::new(trace, why))),
            words: words.map(Box::new),
            trace: None,
            needs_every_path,
            to_the_end: shown.is_some_and(proof::goes_to_the_end),
            tree: shown.filter(|_| people.is_some()).and_then(|proof| Tree::new(trace, proof)).map(Box::new),
            proof: shown.filter(|_| programs).map(|proof| proof::to_json(trace, proof)),
            counts: branching.map_or(Counts::default(), |found| Counts::new(found.counts.clone(), found.cuts.as_ref())),
            reliance: question.before_reliance(answer),
            met: self.met(),
            fails: self.fails(),
            incomplete: question.incomplete(answer),
            warnings: answer.warnings.clone(),
            stats: answer.stats.clone(),
            seconds,
            unfinished: false,
            looked: false,
            known: false,
            pictured: None,
        }
    }

    /// How often a `cover` is met: on the only order that there is.
    fn met(&self) -> Option<Met> {
        let Self { question, answer, property, .. } = self;
        let trace = question.trace();
        if !property.asks_for_some() || !trace.has_state_records() || self.word() != Word::Holds {
            return None;
        }
        let order = answer.order()?;
        let met = question.met(order)?;
        let line = met.first.checked_sub(1).and_then(|before| order.get(before)).map_or(0, |&event| trace.line(event));
        Some(Met { times: met.times, first: met.first as u64, line, when: trace.when(met.first) })
    }

    /// Where it shows that a waveform violates the property.
    fn fails(&self) -> Option<Fails> {
        let trace = self.question.trace();
        if self.word() != Word::Violated || self.answer.is_about_some() || trace.when(0).is_none() {
            return None;
        }
        // What all paths show, or one that has to go to its end, shows at no position.
        if let Some(found) = self.answer.branching()
            && (found.path_proves != Some(true) || found.proof.as_ref().is_none_or(proof::goes_to_the_end))
        {
            return None;
        }
        let (position, waits) = match (self.moment)()? {
            Moment::At(position) => (position, false),
            Moment::Waits(position) => (position, true),
        };
        Some(Fails { position: position as u64, when: trace.when(position)?, waits })
    }

    /// The order or path that shows the verdict, with so many columns for lanes.
    pub(crate) fn story(&self, room: usize) -> Option<Story> {
        let Self { question, answer, property, .. } = self;
        let (trace, order) = (question.trace(), answer.order()?);
        Some(match answer.branching().and_then(|found| found.proof.as_ref()) {
            Some(proof) => {
                let to_the_end = proof::goes_to_the_end(proof);
                Story::by_milestones(trace, property, order, proof::milestones(proof), to_the_end, room)
            }
            None => Story::new(trace, property, order, (self.moment)(), answer.why(), room),
        })
    }

    /// The order or path that shows the verdict, else the recorded order, else one that is possible.
    #[must_use]
    pub fn along(&self) -> (Along, &[EventId]) {
        let (trace, is_linear) = (self.question.trace(), self.answer.linear().is_some());
        let shown = self.answer.order().filter(|order| is_linear || !order.is_empty());
        match (shown, trace.observed()) {
            (Some(order), Some(observed)) if is_linear && order == observed => (Along::Recorded, order),
            (Some(order), _) if self.answer.is_about_some() => (Along::Satisfying, order),
            (Some(order), _) if is_linear => (Along::Failing, order),
            (Some(order), _) => (Along::Path, order),
            (None, Some(observed)) => (Along::Recorded, observed),
            (None, None) => (Along::Possible, trace.linearisation()),
        }
    }

    /// The parts of the property along that order.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn parts(&self, readers: Readers, budget: &Budget) -> Result<Subformulas, OverBudget> {
        let (along, order) = self.along();
        let (people, programs) = (readers.people.is_some(), readers.programs);
        let moment = match along {
            Along::Path => Some(Moment::At(order.len())),
            // Where it would cost too much to say, the end decides.
            _ if self.answer.linear().is_some() && self.word() == Word::Violated && people => {
                (self.moment)().or(Some(Moment::At(order.len())))
            }
            _ => None,
        };
        let (trace, property) = (self.question.trace(), self.property);
        let subject = subformulas::Subject { trace, property, along, order, moment, people, programs };
        Subformulas::new(&subject, self.question.parts(order, budget)?, budget)
    }
}
