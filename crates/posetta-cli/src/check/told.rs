//! What was decided: what else is found out about it, and how it gets onto the board.

use std::cell::OnceCell;
use std::sync::Arc;
use std::time::Instant;

use posetta_base::{Budget, Error, OverBudget, Verdict};
use posetta_check::{Answer, Moment, Question, Runs};
use posetta_tell::Word;
use posetta_tell::checked::Outcome;
use posetta_tell::decided::{Decided as Told, Readers};
use posetta_tell::picture::{Picture, Pictured};
use posetta_tell::subformulas::Subformulas;
use posetta_trace::Trace;

use super::Work;
use crate::args::WitnessWhen;
use crate::board::Slot;
use crate::properties::Named;

/// So many steps of work may be taken at once for what changes no verdict.
const SOON: u64 = 1 << 20;

/// A property that was decided on a run.
pub(super) struct Decided<'a> {
    pub(super) run: usize,
    pub(super) property: usize,
    /// The whole run; of a property with instances the question may be about a part of it.
    pub(super) trace: Arc<Trace>,
    pub(super) question: Question<'a, Arc<Trace>>,
    pub(super) answer: Answer,
    /// Where it shows that the order of the answer violates the property, once somebody asked.
    pub(super) moment: OnceCell<Option<Moment>>,
    /// How long it took so far.
    pub(super) seconds: f64,
}

impl Decided<'_> {
    /// Whether a further stage knows how many orders satisfy the property.
    pub(super) fn leaves_runs_open(&self) -> bool {
        let shows = self.answer.instances.as_ref().is_none_or(|instances| instances.shown.is_some());
        shows && self.answer.runs() == Some(Runs::Unknown) && self.answer.stopped.is_none()
    }

    /// Whether it is a violation that a further stage can explain.
    pub(super) fn is_explained_later(&self) -> bool {
        self.answer.linear().is_some()
            && !self.answer.is_about_some()
            && self.answer.stopped.is_none()
            && matches!(self.answer.verdict, Verdict::Violated(_))
    }

    pub(super) fn word(&self) -> Word {
        Word::from(&self.answer.verdict)
    }

    /// As it is told.
    pub(super) fn told<R>(&self, properties: &[Named], tell: impl FnOnce(&Told<'_, '_, Arc<Trace>>) -> R) -> R {
        let Self { question, answer, .. } = self;
        let failing = || answer.order().filter(|_| !answer.is_about_some());
        let moment = || *self.moment.get_or_init(|| failing().and_then(|order| question.moment(order)));
        tell(&Told { question, answer, property: &properties[self.property], moment: &moment })
    }
}

impl<'a> Work<'a> {
    /// Does at once what [`Self::finish`] would do, if there are others to go on with and it takes little; else gives it back.
    pub(super) fn finishes_soon(&self, mut decided: Decided<'a>) -> Result<(), Box<Decided<'a>>> {
        if self.files == 1 {
            return Err(Box::new(decided));
        }
        let (before, started) = (decided.answer.clone(), Instant::now());
        let little = self.budget.part(u64::MAX, SOON);
        let finished = self.complete(&mut decided, &little);
        if finished.is_ok() && little.step(0, "explaining").is_ok() && decided.answer.stopped.is_none() {
            decided.seconds += started.elapsed().as_secs_f64();
            self.tell(&decided);
            return Ok(());
        }
        decided.answer = before;
        decided.moment.take();
        Err(Box::new(decided))
    }

    /// What [`Self::check`] left open: whether some order satisfies a property that the recorded one violates, and why it is violated.
    pub(super) fn finish(&self, mut decided: Decided<'a>) {
        let started = Instant::now();
        let (run, property) = (decided.run, decided.property);
        if let Err(over) = self.budget.step(0, "searching the orders") {
            return self.board.leave_open(run, property, over);
        }
        if let Err(error) = self.complete(&mut decided, self.budget) {
            return self.board.put(run, property, Slot::Failed(error.diagnostics().to_vec()));
        }
        decided.seconds += started.elapsed().as_secs_f64();
        self.tell(&decided);
    }

    /// Finds out how many orders satisfy a property, and why it is violated.
    pub(super) fn complete(&self, decided: &mut Decided<'a>, budget: &Budget) -> Result<(), Error> {
        let Decided { question, answer, moment, .. } = decided;
        if !self.options.verdict_only {
            question.complete(answer, budget);
        }
        if self.options.explain {
            question.explain(answer, budget)?;
            // The order of the verdict may be another one now.
            if answer.why().is_some_and(|why| why.exchanges > 0) {
                moment.take();
            }
        }
        Ok(())
    }

    /// Puts all that was found on the board.
    pub(super) fn tell(&self, decided: &Decided<'_>) {
        let (run, property) = (decided.run, decided.property);
        let mut outcome = self.outcome(decided);
        outcome.pictured = self.pictured(decided, outcome.word);
        self.board.put(run, property, Slot::Done(Box::new(outcome)));
        self.trace_parts(decided);
    }

    /// What pictures show of a violation; the picture of its run is made, too, if that is one of the first.
    pub(super) fn pictured(&self, decided: &Decided<'_>, word: Word) -> Option<Box<Pictured>> {
        let explores = self.draws.filter(|_| word == Word::Violated)?;
        let is_in = explores && self.hangs(decided);
        Some(Box::new(decided.told(self.properties, |told| told.pictured(is_in, self.budget))))
    }

    /// Whether the run of a violation has a picture, which is made if it is not there.
    pub(super) fn hangs(&self, decided: &Decided<'_>) -> bool {
        let (place, name) = {
            let mut report = self.board.lock();
            let report = &mut *report;
            let Some(run) = report.runs.get(decided.run) else { return false };
            let (place, name) = (run.place, run.name.clone());
            if report.gallery.has(place) {
                return true;
            }
            let (is_in, gone) = report.gallery.add(place, decided.trace.len());
            report.runs.iter_mut().filter(|run| gone.contains(&run.place)).for_each(|run| run.picture = None);
            if !is_in {
                return false;
            }
            (place, name)
        };
        // Nobody waits for the board meanwhile.
        let picture = Picture::of_run(&name, &decided.trace, self.budget).ok().map(Box::new);
        let mut report = self.board.lock();
        let still_hangs = report.gallery.has(place) && picture.is_some();
        if let Some(run) = report.runs.get_mut(decided.run).filter(|_| still_hangs) {
            run.picture = picture;
        }
        still_hangs
    }

    /// Follows the parts of a property that has been decided, if somebody asked.
    pub(super) fn trace_parts(&self, decided: &Decided<'_>) {
        if self.traced {
            self.board.put_parts(decided.run, decided.property, self.parts(decided));
        }
    }

    pub(super) fn outcome(&self, decided: &Decided<'_>) -> Outcome {
        decided.told(self.properties, |told| told.outcome(self.readers(), decided.seconds))
    }

    pub(super) fn readers(&self) -> Readers {
        Readers { people: self.people, programs: self.programs, witness: self.witness != WitnessWhen::Never }
    }

    /// The parts of a property along the order or path that shows the verdict, else along the recorded order, else along one
    /// that is possible.
    pub(super) fn parts(&self, decided: &Decided<'_>) -> Result<Subformulas, OverBudget> {
        decided.told(self.properties, |told| told.parts(self.readers(), self.budget))
    }
}
