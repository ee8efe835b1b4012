//! What is known so far. Workers write to it; the report, or the watchdog's last words, are read from it.
//!
//! Nothing here refers to a trace, so that a run's memory is free as soon as its properties are decided.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use posetta_base::{Diagnostic, Kind, Limit, OverBudget};
use posetta_check::{Reliance, Vacuity};
use posetta_tell::checked::{Outcome, Shape};
use posetta_tell::conformed::Followed;
use posetta_tell::subformulas::Subformulas;
use posetta_tell::{Named, Problem, Word};

use crate::across::Names;
use crate::conform::Model;
use crate::progress::Now;

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
    /// How many runs of its argument have been listed; of the first one.
    pub listed: usize,
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
}

impl RunReport {
    /// A run that is not read yet.
    pub fn new(name: String, file: String, place: (usize, usize), properties: usize) -> Self {
        let slots = (0..properties).map(|_| Slot::Open).collect();
        Self {
            name,
            file,
            place,
            listed: 0,
            warnings: Vec::new(),
            shape: None,
            names: Names::default(),
            slots,
            followed: Slot::Open,
            unreadable: Vec::new(),
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
    pub properties: Vec<Named>,
    /// What the runs are held against besides.
    pub model: Option<Arc<Model>>,
    pub runs: Vec<RunReport>,
    /// Mistakes outside of any readable run.
    pub problems: Vec<Problem>,
    /// What is done before the runs and properties are listed.
    pub preparing: Option<&'static str>,
    /// The limit that was reached before they were.
    pub unprepared: Option<OverBudget>,
}

impl Default for Report {
    fn default() -> Self {
        Self {
            properties: Vec::new(),
            model: None,
            runs: Vec::new(),
            problems: Vec::new(),
            preparing: Some("reading the properties"),
            unprepared: None,
        }
    }
}

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
    /// Answers `unknown` wherever there is no answer yet.
    pub fn close(&mut self, limit: Limit, explored: u64, seconds: f64) {
        self.unprepared = self.preparing.map(|what| OverBudget::new(what, limit));
        self.sort();
        for run in &mut self.runs {
            let what = if run.shape.is_some() { "checking" } else { "reading the run" };
            let explored = run.explored(explored);
            for (slot, property) in run.slots.iter_mut().zip(&self.properties) {
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
        let all = self.runs.len() * (self.properties.len() + usize::from(self.model.is_some()));
        Now { decided: (all > 1).then(|| (self.words().count(), all)), ..doing }
    }

    /// Puts the runs into the order of the arguments; their places on the board change.
    pub fn sort(&mut self) {
        self.runs.sort_by_key(|run| run.place);
    }

    /// Every answer with its run and property, run by run.
    pub fn answers(&self) -> impl Iterator<Item = (&RunReport, &Named, &Outcome)> {
        self.runs.iter().flat_map(|run| self.answers_of(run).map(move |(property, outcome)| (run, property, outcome)))
    }

    /// The answers of one run, with their properties.
    pub fn answers_of<'a>(&'a self, run: &'a RunReport) -> impl Iterator<Item = (&'a Named, &'a Outcome)> {
        run.slots.iter().zip(&self.properties).filter_map(|(slot, property)| match slot {
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

    /// Every verdict.
    pub fn words(&self) -> impl Iterator<Item = Word> {
        let models = self.runs.iter().filter_map(|run| Some(self.followed(run)?.1.word));
        self.answers().map(|(_, _, outcome)| outcome.word).chain(models)
    }

    /// Every mistake. A variable that no run knows is one mistake, not one per run; the nearest name may be one that only
    /// a later run has.
    pub fn errors(&self) -> Vec<Problem> {
        let mut errors = self.problems.clone();
        let mut unknown: HashMap<(usize, u64, u64), usize> = HashMap::new();
        for run in &self.runs {
            errors.extend(run.unreadable.iter().map(|d| Problem {
                trace: Some(run.name.clone()),
                file: run.file.clone(),
                property: None,
                diagnostic: d.clone(),
            }));
            for (p, (slot, property)) in run.slots.iter().zip(&self.properties).enumerate() {
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
                        errors.push(problem);
                        continue;
                    }
                    match unknown.get(&(p, place.0, place.1)) {
                        None => {
                            unknown.insert((p, place.0, place.1), errors.len());
                            errors.push(problem);
                        }
                        Some(&at) => {
                            errors[at].trace = None;
                            if errors[at].diagnostic.meant().is_none() && diagnostic.meant().is_some() {
                                errors[at].diagnostic = diagnostic.clone();
                            }
                        }
                    }
                }
            }
        }
        errors.extend(self.misfits());
        errors
    }

    /// What is wrong with the model; once, if it is so on every run.
    fn misfits(&self) -> Vec<Problem> {
        let Some(model) = &self.model else { return Vec::new() };
        let mut problems: Vec<Problem> = Vec::new();
        for run in &self.runs {
            let Slot::Failed(diagnostics) = &run.followed else { continue };
            for diagnostic in diagnostics {
                match problems.iter_mut().find(|p| p.diagnostic == *diagnostic) {
                    Some(problem) => problem.trace = None,
                    None => problems.push(Problem {
                        trace: Some(run.name.clone()),
                        file: model.file.clone(),
                        property: Some(model.name.clone()),
                        diagnostic: diagnostic.clone(),
                    }),
                }
            }
        }
        problems
    }

    /// 2 for a mistake beats 1 for a violation beats 3 for an open question.
    pub fn exit_status(&self) -> u8 {
        let failed = |run: &RunReport| {
            !run.unreadable.is_empty()
                || run.slots.iter().any(|s| matches!(s, Slot::Failed(_)))
                || matches!(run.followed, Slot::Failed(_))
        };
        if !self.problems.is_empty() || self.runs.iter().any(failed) {
            return 2;
        }
        Word::status_of(self.words().chain(self.unprepared.map(|_| Word::Unknown)))
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
