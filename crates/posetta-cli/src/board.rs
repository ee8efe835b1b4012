//! What is known so far. Workers write to it; the report, or the watchdog's last words, are read from it.
//!
//! Nothing here refers to a trace, so that a run's memory is free as soon as its properties are decided. A run that has been printed
//! leaves the board (`stream`), unless somebody wants to see all of them at the end.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use posetta_base::{Diagnostic, Kind, Limit, OverBudget};
use posetta_check::{Reliance, Vacuity};
use posetta_tell::checked::{Outcome, Shape};
use posetta_tell::conformed::Followed;
use posetta_tell::picture::{Picture, Pictured};
use posetta_tell::subformulas::Subformulas;
use posetta_tell::{Named, Problem, Tally, Word};

use crate::across::{Names, Seen};
use crate::conform::Model;
use crate::gallery::Gallery;
use crate::places::Places;
use crate::progress::{self, Now, Runs};

/// One property, or the model, on one run.
#[derive(Debug, Default)]
pub enum Slot<T = Outcome> {
    /// Not decided yet.
    #[default]
    Open,
    /// Decided, or given up.
    Done(Box<T>),
    /// The property does not fit the run, or the run cannot be read.
    Failed(Vec<Diagnostic>),
}

/// One run and its properties.
#[derive(Debug)]
pub struct RunReport {
    pub name: String,
    /// The file it is in.
    pub file: String,
    /// Which argument, and which run of it.
    pub place: (usize, usize),
    /// How many of its answers are still to come, or to become complete.
    pub open: usize,
    /// It has been printed, and somebody wants to see it again at the end.
    pub printed: bool,
    /// It lacks something that properties speak of, so that other runs have a say in its answers.
    pub leans: bool,
    /// What is worth knowing about the file.
    pub warnings: Vec<Diagnostic>,
    pub shape: Option<Shape>,
    /// The names of its events and processes that properties speak of.
    pub names: Names,
    /// One per property; none if it is `fine`.
    pub slots: Vec<Slot>,
    /// Everything holds, nothing is worth knowing about it, and nobody wants to hear more.
    pub fine: bool,
    /// Of the model, if there is one.
    pub followed: Slot<Followed>,
    /// Why it could not be read.
    pub unreadable: Vec<Diagnostic>,
    /// The whole run, if something is violated on it and somebody wants to look around.
    pub picture: Option<Box<Picture>>,
}

impl RunReport {
    /// A run that is not read yet; `answers` come for its properties and the model.
    pub fn new(name: String, file: String, place: (usize, usize), properties: usize, answers: usize) -> Self {
        let slots = (0..properties).map(|_| Slot::Open).collect();
        Self {
            name,
            file,
            place,
            open: answers,
            printed: false,
            leans: false,
            warnings: Vec::new(),
            shape: None,
            names: Names::default(),
            slots,
            fine: false,
            followed: Slot::Open,
            unreadable: Vec::new(),
            picture: None,
        }
    }

    /// Whether its format has no other order than the recorded one.
    pub fn has_one_order(&self) -> bool {
        self.shape.is_some_and(|shape| shape.one_order)
    }

    /// What is explored when so much has been counted: nothing before the run is read, because until then lines are counted.
    fn explored(&self, counted: u64) -> u64 {
        if self.shape.is_some() { counted } else { 0 }
    }
}

/// All runs and their properties. It begins unprepared: a limit that comes before anything is listed leaves everything unknown.
#[derive(Debug)]
pub struct Report {
    pub properties: Arc<Vec<Named>>,
    /// Whether the one run is joined of several files, so that what it is called is no file.
    pub joined: bool,
    /// What the runs are held against besides.
    pub model: Option<Arc<Model>>,
    pub runs: Places,
    /// Runs that nobody asked about here and that were read all the same, for what all runs together decide.
    pub beside: Vec<RunReport>,
    /// What all runs together have shown so far.
    pub seen: Seen,
    /// The verdicts that have been printed.
    pub tally: Tally,
    /// Something that has been printed, or left out, is a mistake.
    pub failed: bool,
    /// Beside what is known to be violated something is unknown.
    pub unsettled: bool,
    /// Mistakes outside of any readable run.
    pub problems: Vec<Problem>,
    /// What is done before the runs and properties are listed.
    pub preparing: Option<&'static str>,
    /// The limit that was reached before they were.
    pub unprepared: Option<OverBudget>,
    /// Which runs have pictures.
    pub gallery: Gallery,
}

impl Default for Report {
    fn default() -> Self {
        Self {
            properties: Arc::default(),
            joined: false,
            model: None,
            runs: Places::default(),
            beside: Vec::new(),
            seen: Seen::default(),
            tally: Tally::default(),
            failed: false,
            unsettled: false,
            problems: Vec::new(),
            preparing: Some("reading the properties"),
            unprepared: None,
            gallery: Gallery::default(),
        }
    }
}

/// With more runs than this, whoever waits is told how many are done.
const MANY: usize = 20;

/// A report that many threads fill.
#[derive(Debug, Default)]
pub struct Board(Mutex<Report>);

impl Board {
    /// The report as it is now.
    pub fn lock(&self) -> MutexGuard<'_, Report> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with a run, unless it has left the board.
    pub fn with_run<T>(&self, run: usize, act: impl FnOnce(&mut RunReport) -> T) -> Option<T> {
        self.lock().runs.get_mut(run).map(act)
    }

    /// Does something with what became of one property on one run.
    fn with_outcome(&self, run: usize, property: usize, act: impl FnOnce(&mut Outcome)) {
        self.with_run(run, |run| {
            if let Some(Slot::Done(outcome)) = run.slots.get_mut(property) {
                act(outcome);
            }
        });
    }

    /// Notes what became of one property on one run.
    pub fn put(&self, run: usize, property: usize, mut slot: Slot) {
        let mut report = self.lock();
        let properties = Arc::clone(&report.properties);
        let Some(run) = report.runs.get_mut(run) else { return };
        if let Slot::Done(outcome) = &mut slot {
            outcome.stats.configurations = run.explored(outcome.stats.configurations);
        }
        // What is added to an answer changes no verdict.
        let is_known = matches!(run.slots[property], Slot::Done(_));
        run.slots[property] = slot;
        let Slot::Done(outcome) = &run.slots[property] else { return };
        if is_known {
            return;
        }
        let (name, word) = (run.name.clone(), outcome.word);
        // Whoever checks does not wait for whoever reads.
        drop(report);
        progress::decided(&name, &properties[property].name, word);
    }

    /// Notes what became of the model on one run.
    pub fn put_followed(&self, run: usize, slot: Slot<Followed>) {
        self.with_run(run, |run| run.followed = slot);
    }

    /// Adds which parts of a property are true where, to what became of it.
    pub fn put_parts(&self, run: usize, property: usize, parts: Result<Subformulas, OverBudget>) {
        self.with_outcome(run, property, |outcome| outcome.trace = Some(Box::new(parts)));
    }

    /// Adds what a verdict rests on.
    pub fn put_reliance(&self, run: usize, property: usize, reliance: Reliance) {
        self.with_outcome(run, property, |outcome| outcome.reliance = Some(reliance));
    }

    /// Adds what pictures show of one property on one run.
    pub fn put_pictured(&self, run: usize, property: usize, pictured: Box<Pictured>) {
        self.with_outcome(run, property, |outcome| outcome.pictured = Some(pictured));
    }

    /// Adds what is worth knowing about a property on one run, to what became of it.
    pub fn add_vacuity(&self, run: usize, property: usize, vacuity: Vacuity) {
        self.with_outcome(run, property, |outcome| {
            outcome.warnings.extend(vacuity.warnings);
            outcome.looked = vacuity.complete;
        });
    }

    /// A limit came before more than the verdict was known.
    pub fn leave_open(&self, run: usize, property: usize, over: OverBudget) {
        self.with_outcome(run, property, |outcome| {
            if outcome.unfinished {
                outcome.over = Some(over);
                outcome.unfinished = false;
            }
        });
    }
}

impl Report {
    /// Tells the pictures what became of the properties.
    pub fn fill_pictures(&mut self) {
        for run in self.runs.iter_mut() {
            let Some(picture) = &mut run.picture else { continue };
            for (slot, property) in run.slots.iter_mut().zip(self.properties.iter()) {
                if let Slot::Done(outcome) = slot {
                    picture.add(property, outcome);
                }
            }
        }
    }

    /// Answers `unknown` wherever there is no answer yet.
    pub fn close(&mut self, limit: Limit, explored: u64, seconds: f64) {
        self.unprepared = self.preparing.map(|what| OverBudget::new(what, limit));
        self.runs.begin_rest();
        for run in self.runs.iter_mut().filter(|run| !run.printed) {
            let what = if run.shape.is_some() { "checking" } else { "reading the run" };
            let explored = run.explored(explored);
            for (slot, property) in run.slots.iter_mut().zip(self.properties.iter()) {
                if let Slot::Done(outcome) = slot
                    && outcome.unfinished
                {
                    outcome.over = Some(OverBudget::new("searching the orders", limit));
                }
                if matches!(slot, Slot::Open) && run.unreadable.is_empty() {
                    let outcome = Outcome::unknown(property, OverBudget::new(what, limit), explored, seconds);
                    *slot = Slot::Done(Box::new(outcome));
                }
            }
            if self.model.is_some() && matches!(run.followed, Slot::Open) && run.unreadable.is_empty() {
                run.followed = Slot::Done(Box::new(Followed::unknown(OverBudget::new(what, limit), explored, seconds)));
            }
        }
    }

    /// How far the work is and what is being done, for whoever waits.
    pub fn progress(&self, doing: Option<Now>) -> Now {
        let doing = doing.unwrap_or_else(|| self.preparing.unwrap_or("checking").into());
        let asked = self.asked();
        let all = self.runs.len() * asked.answers_each();
        let printed = usize::try_from(self.tally.all()).unwrap_or(usize::MAX);
        let waiting = || self.runs.iter().filter(|run| !run.printed);
        let decided = waiting().map(|run| asked.words_of(run).count()).sum::<usize>() + printed;
        let done = waiting().filter(|run| run.open == 0).count() + self.runs.taken();
        let failing = usize::try_from(self.tally.violated).unwrap_or(usize::MAX);
        let runs = (self.runs.len() > MANY).then_some(Runs { done, all: self.runs.len(), failing });
        Now { decided: (all > 1).then_some((decided, all)), runs, ..doing }
    }

    /// Every run that was read, also those that nobody asked about here.
    pub fn all_runs(&self) -> impl Iterator<Item = &RunReport> {
        self.runs.iter().chain(&self.beside)
    }

    /// What is asked of each run, for whoever does not want to hold the board.
    pub fn asked(&self) -> Asked {
        Asked { properties: Arc::clone(&self.properties), model: self.model.clone(), joined: self.joined }
    }

    /// Counts what became of a run.
    pub fn count(&mut self, run: &RunReport) {
        let asked = self.asked();
        asked.words_of(run).for_each(|(word, known)| self.tally.add(word, known));
        // What is known leaves open whether there is more.
        let open = |outcome: &Outcome| outcome.known && outcome.instances.as_ref().is_some_and(|all| all.unknown > 0);
        self.unsettled |= asked.answers_of(run).any(|(_, outcome)| open(outcome));
        self.failed |= !run.unreadable.is_empty()
            || run.slots.iter().any(|s| matches!(s, Slot::Failed(_)))
            || matches!(run.followed, Slot::Failed(_));
    }

    /// 2 for a mistake beats 1 for a violation beats 3 for an open question.
    pub fn exit_status(&self) -> u8 {
        if !self.problems.is_empty() || self.failed {
            return 2;
        }
        match self.tally.status() {
            0 if self.unprepared.is_some() || self.unsettled => Word::Unknown.status(),
            status => status,
        }
    }
}

/// What is asked of each run.
#[derive(Clone, Debug)]
pub struct Asked {
    pub properties: Arc<Vec<Named>>,
    pub model: Option<Arc<Model>>,
    /// Whether the run is joined of several files.
    pub joined: bool,
}

impl Asked {
    /// How many answers each run has.
    pub fn answers_each(&self) -> usize {
        self.properties.len() + usize::from(self.model.is_some())
    }

    /// The answers of one run, with their properties.
    pub fn answers_of<'a>(&'a self, run: &'a RunReport) -> impl Iterator<Item = (&'a Named, &'a Outcome)> {
        run.slots.iter().zip(self.properties.iter()).filter_map(|(slot, property)| match slot {
            Slot::Done(outcome) => Some((property, &**outcome)),
            Slot::Open | Slot::Failed(_) => None,
        })
    }

    /// What became of the model on a run.
    pub fn followed<'a>(&'a self, run: &'a RunReport) -> Option<(&'a Model, &'a Followed)> {
        match &run.followed {
            Slot::Done(followed) => Some((self.model.as_deref()?, followed)),
            Slot::Open | Slot::Failed(_) => None,
        }
    }

    /// The verdicts of a run, and whether somebody knew that they are bad.
    pub fn words_of<'a>(&'a self, run: &'a RunReport) -> impl Iterator<Item = (Word, bool)> {
        let model = self.followed(run).map(|(_, followed)| (followed.word, followed.known));
        let fine = if run.fine { self.properties.len() } else { 0 };
        let told = self.answers_of(run).map(|(_, outcome)| (outcome.word, outcome.known));
        std::iter::repeat_n((Word::Holds, false), fine).chain(told).chain(model)
    }
}

/// The mistakes of runs, one after the other in the order of the arguments. A variable that no run knows is one mistake, not one per
/// run; the nearest name may be one that only a later run has.
#[derive(Debug, Default)]
pub struct Mistakes {
    errors: Vec<Problem>,
    unknown: HashMap<(usize, u64, u64), usize>,
    /// What is wrong with the model; once, if it is so on every run.
    misfits: Vec<Problem>,
}

impl Mistakes {
    /// Adds those of the next run.
    pub fn add(&mut self, asked: &Asked, run: &RunReport) {
        self.errors.extend(run.unreadable.iter().map(|d| Problem {
            trace: Some(run.name.clone()),
            file: run.file.clone(),
            property: None,
            diagnostic: d.clone(),
        }));
        for (p, (slot, property)) in run.slots.iter().zip(asked.properties.iter()).enumerate() {
            let Slot::Failed(diagnostics) = slot else { continue };
            for diagnostic in diagnostics {
                let problem = Problem {
                    // That no run has everything is no fault of this one.
                    trace: Some(run.name.clone()).filter(|_| diagnostic.kind != Kind::NotAssigned),
                    file: property.file.clone(),
                    property: Some(property.name.clone()),
                    diagnostic: diagnostic.clone(),
                };
                let place = diagnostic.place.as_ref().map_or((0, 0), |p| (p.line, p.column));
                if diagnostic.kind != Kind::UnknownVariable {
                    self.errors.push(problem);
                    continue;
                }
                match self.unknown.get(&(p, place.0, place.1)) {
                    None => {
                        self.unknown.insert((p, place.0, place.1), self.errors.len());
                        self.errors.push(problem);
                    }
                    Some(&at) => {
                        let first = &mut self.errors[at];
                        first.trace = None;
                        if first.diagnostic.meant().is_none() && diagnostic.meant().is_some() {
                            first.diagnostic = diagnostic.clone();
                        }
                    }
                }
            }
        }
        let (Some(model), Slot::Failed(diagnostics)) = (&asked.model, &run.followed) else { return };
        for diagnostic in diagnostics {
            match self.misfits.iter_mut().find(|p| p.diagnostic == *diagnostic) {
                Some(problem) => problem.trace = None,
                None => self.misfits.push(Problem {
                    trace: Some(run.name.clone()),
                    file: model.file.clone(),
                    property: Some(model.name.clone()),
                    diagnostic: diagnostic.clone(),
                }),
            }
        }
    }

    /// All of them, behind those outside of any run.
    pub fn all(&mut self, report: &Report) -> Vec<Problem> {
        let mut all = report.problems.clone();
        all.append(&mut self.errors);
        all.append(&mut self.misfits);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The watchdog may come before the work has begun.
    #[test]
    fn a_limit_before_anything_is_listed_is_unknown() {
        let mut report = Report::default();
        report.close(Limit::Memory, 0, 0.0);
        assert_eq!(report.exit_status(), 3);
        assert_eq!(report.unprepared.map(|over| over.limit), Some(Limit::Memory));
    }
}
