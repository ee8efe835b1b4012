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
use posetta_tell::picture::Picture;
use posetta_tell::subformulas::Subformulas;
use posetta_tell::{Named, Problem, Tally, Word};

use crate::across::{Names, Seen};
use crate::conform::Model;
use crate::gallery::Gallery;
use crate::progress::{Now, Runs};

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
    /// It has been printed. What it had may be gone.
    pub printed: bool,
    /// It lacks something that properties speak of, so that other runs have a say in its answers.
    pub leans: bool,
    /// What is worth knowing about the file.
    pub warnings: Vec<Diagnostic>,
    pub shape: Option<Shape>,
    /// The names of its events and processes that properties speak of.
    pub names: Names,
    /// One per property.
    pub slots: Vec<Slot>,
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
            followed: Slot::Open,
            unreadable: Vec::new(),
            picture: None,
        }
    }

    /// Takes what it has, and leaves that it has been printed.
    fn take(&mut self) -> Self {
        let left =
            Self { printed: true, shape: self.shape, ..Self::new(String::new(), String::new(), self.place, 0, 0) };
        std::mem::replace(self, left)
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
    pub runs: Vec<RunReport>,
    /// The places of the runs of each argument, and whether there are no more.
    pub listed: Vec<(Vec<usize>, bool)>,
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
            runs: Vec::new(),
            listed: Vec::new(),
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

/// What comes next in the order of the arguments.
#[derive(Debug)]
pub enum Next {
    /// A run, its place on the board, and whether it is the only one of its argument.
    Run(usize, Box<RunReport>, bool),
    /// This argument has no more.
    Input,
    /// It is not complete.
    Later,
    /// There are no more arguments.
    End,
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

    /// Notes what became of one property on one run.
    pub fn put(&self, run: usize, property: usize, mut slot: Slot) {
        let mut report = self.lock();
        let run = &mut report.runs[run];
        if let Slot::Done(outcome) = &mut slot {
            outcome.stats.configurations = run.explored(outcome.stats.configurations);
        }
        run.slots[property] = slot;
    }

    /// Notes what became of the model on one run.
    pub fn put_followed(&self, run: usize, slot: Slot<Followed>) {
        self.lock().runs[run].followed = slot;
    }

    /// Adds which parts of a property are true where, to what became of it.
    pub fn put_parts(&self, run: usize, property: usize, parts: Result<Subformulas, OverBudget>) {
        if let Slot::Done(outcome) = &mut self.lock().runs[run].slots[property] {
            outcome.trace = Some(Box::new(parts));
        }
    }

    /// Adds what a verdict rests on.
    pub fn put_reliance(&self, run: usize, property: usize, reliance: Reliance) {
        if let Slot::Done(outcome) = &mut self.lock().runs[run].slots[property] {
            outcome.reliance = Some(reliance);
        }
    }

    /// Adds what is worth knowing about a property on one run, to what became of it.
    pub fn add_vacuity(&self, run: usize, property: usize, vacuity: Vacuity) {
        if let Slot::Done(outcome) = &mut self.lock().runs[run].slots[property] {
            outcome.warnings.extend(vacuity.warnings);
            outcome.looked = vacuity.complete;
        }
    }

    /// A limit came before more than the verdict was known.
    pub fn leave_open(&self, run: usize, property: usize, over: OverBudget) {
        if let Slot::Done(outcome) = &mut self.lock().runs[run].slots[property]
            && outcome.unfinished
        {
            outcome.over = Some(over);
            outcome.unfinished = false;
        }
    }
}

impl Report {
    /// Tells the pictures what became of the properties.
    pub fn fill_pictures(&mut self) {
        for run in &mut self.runs {
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
        self.sort();
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
        let waiting = self.runs.iter().filter(|run| !run.printed);
        let decided = waiting.map(|run| asked.words_of(run).count()).sum::<usize>() + printed;
        let done = self.runs.iter().filter(|run| run.printed || run.open == 0).count();
        let failing = usize::try_from(self.tally.violated).unwrap_or(usize::MAX);
        let runs = (self.runs.len() > MANY).then_some(Runs { done, all: self.runs.len(), failing });
        Now { decided: (all > 1).then_some((decided, all)), runs, ..doing }
    }

    /// Every run that was read, also those that nobody asked about here.
    pub fn all_runs(&self) -> impl Iterator<Item = &RunReport> {
        self.runs.iter().chain(&self.beside)
    }

    /// The place for the next run of an argument: its own for the first, else one behind all.
    pub fn place_for(&mut self, input: usize, file: impl FnOnce() -> String) -> usize {
        let (count, each, properties) =
            (self.listed[input].0.len(), self.asked().answers_each(), self.properties.len());
        let at = if count == 0 { input } else { self.runs.len() };
        if count > 0 {
            self.runs.push(RunReport::new(String::new(), file(), (input, count), properties, each));
        }
        self.listed[input].0.push(at);
        at
    }

    /// Takes the run with this place among the arguments off the board, if it is `complete`; or says that there is none after it.
    pub fn take(&mut self, (input, nth): (usize, usize), complete: impl FnOnce(&Self, &RunReport) -> bool) -> Next {
        let Some((places, all)) = self.listed.get(input) else { return Next::End };
        match places.get(nth) {
            Some(&at) if complete(self, &self.runs[at]) => {
                let only = *all && places.len() == 1;
                Next::Run(at, Box::new(self.runs[at].take()), only)
            }
            None if *all && nth > 0 => Next::Input,
            _ => Next::Later,
        }
    }

    /// Puts the runs into the order of the arguments; their places on the board change.
    pub fn sort(&mut self) {
        self.runs.sort_by_key(|run| run.place);
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
        self.answers_of(run).map(|(_, outcome)| (outcome.word, outcome.known)).chain(model)
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
