//! What is known so far. Workers write to it; the report, or the watchdog's last words, are read from it.
//!
//! Nothing here refers to a trace, so that a run's memory is free as soon as its properties are decided.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use posetta_base::{Diagnostic, EventId, Kind, Limit, OverBudget};
use posetta_check::{Explanation, Observed, Runs, Stats, Vacuity};
use posetta_trace::Trace;

use crate::across::Names;
use crate::conform::{Followed, Model};
use crate::counts::Counts;
use crate::explanation::Words;
use crate::problem::Problem;
use crate::progress::Now;
use crate::proof::Tree;
use crate::properties::Named;
use crate::story::Story;
use crate::subformulas::Subformulas;

/// What was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    Holds,
    Violated,
    Unknown,
}

impl Word {
    /// As reports say it.
    pub fn text(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Violated => "violated",
            Self::Unknown => "unknown",
        }
    }

    /// The same about a run whose format has no other order.
    pub fn on_the_only_order(self) -> String {
        format!("{} on the recorded order; this format has no other", self.text())
    }
}

/// An [`Explanation`] in the labels of events.
#[derive(Debug)]
pub struct Why {
    pub exchanges: u64,
    pub closest: bool,
    pub swapped: Option<[String; 2]>,
    pub missing_edges: Option<Vec<[String; 2]>>,
    pub minimum: bool,
}

impl Why {
    pub fn new(trace: &Trace, why: &Explanation) -> Self {
        let labels = |&(a, b): &(EventId, EventId)| [trace.label(a), trace.label(b)];
        Self {
            exchanges: why.exchanges,
            closest: why.closest,
            swapped: why.swapped.as_ref().map(labels),
            missing_edges: why.missing_edges.as_ref().map(|edges| edges.iter().map(labels).collect()),
            minimum: why.minimum,
        }
    }
}

/// The answer for one property on one run.
#[derive(Debug)]
pub struct Outcome {
    pub word: Word,
    /// The limit that left the verdict, or only `runs`, open.
    pub over: Option<OverBudget>,
    pub runs: Option<Runs>,
    pub observed: Option<Observed>,
    /// The labels of the failing order, or of the path that shows it.
    pub witness: Option<Vec<String>>,
    /// The same for people.
    pub story: Option<Story>,
    /// What would have prevented the violation of a linear property.
    pub why: Option<Why>,
    /// Why a linear property is violated, for people.
    pub words: Option<Words>,
    /// Which parts of the property are true where, if somebody asked.
    pub trace: Option<Result<Subformulas, OverBudget>>,
    /// It would take every path to show the verdict, so there is nothing to tell.
    pub needs_every_path: bool,
    /// It is a whole order that shows the answer, not a place in it.
    pub to_the_end: bool,
    /// Why a CTL property has its value, where that is more than the path.
    pub tree: Option<Tree>,
    /// All of that for programs.
    pub proof: Option<serde_json::Value>,
    /// At how many cuts each part of a CTL property holds; no parts if nobody asked.
    pub counts: Counts,
    pub warnings: Vec<Diagnostic>,
    pub stats: Stats,
    pub seconds: f64,
    /// The verdict is known; how many orders satisfy the property is being looked for.
    pub unfinished: bool,
    /// It is known of every trigger whether it comes.
    pub looked: bool,
}

impl Outcome {
    /// A limit was reached before the engine could say anything.
    pub fn unknown(property: &Named, over: OverBudget, explored: u64, seconds: f64) -> Self {
        let linear = property.property.formula.view().is_some();
        Self {
            word: Word::Unknown,
            over: Some(over),
            runs: linear.then_some(Runs::Unknown),
            observed: None,
            witness: None,
            story: None,
            why: None,
            words: None,
            trace: None,
            needs_every_path: false,
            to_the_end: false,
            tree: None,
            proof: None,
            counts: Counts::default(),
            warnings: Vec::new(),
            stats: Stats { configurations: explored, ..Stats::default() },
            seconds,
            unfinished: false,
            looked: false,
        }
    }
}

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

/// How large a run is.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub processes: usize,
    pub events: usize,
    /// The format has no other order than the recorded one: its records are states.
    pub one_order: bool,
}

impl Shape {
    pub fn of(trace: &Trace) -> Self {
        Self { processes: trace.process_count(), events: trace.len(), one_order: trace.has_state_records() }
    }

    /// How many orders there may be, for programs.
    pub fn orders(self) -> &'static str {
        if self.one_order { "one" } else { "many" }
    }
}

/// One run and its properties.
#[derive(Debug)]
pub struct RunReport {
    pub name: String,
    /// The file it is in.
    pub file: String,
    /// Which argument, and which run of it.
    pub place: (usize, usize),
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

/// All runs and their properties.
#[derive(Debug, Default)]
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
            outcome.trace = Some(parts);
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
        self.unprepared = self.preparing.map(|what| OverBudget { what, limit });
        self.sort();
        for run in &mut self.runs {
            let what = if run.shape.is_some() { "checking" } else { "reading the run" };
            let explored = run.explored(explored);
            for (slot, property) in run.slots.iter_mut().zip(&self.properties) {
                if let Slot::Done(outcome) = slot
                    && outcome.unfinished
                {
                    outcome.over = Some(OverBudget { what: "searching the orders", limit });
                }
                if matches!(slot, Slot::Open) && run.unreadable.is_empty() {
                    let outcome = Outcome::unknown(property, OverBudget { what, limit }, explored, seconds);
                    *slot = Slot::Done(Box::new(outcome));
                }
            }
            if self.model.is_some() && matches!(run.followed, Slot::Open) && run.unreadable.is_empty() {
                run.followed = Slot::Done(Box::new(Followed::unknown(OverBudget { what, limit }, explored, seconds)));
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
        let any = |word| self.words().any(|w| w == word);
        if !self.problems.is_empty() || self.runs.iter().any(failed) {
            2
        } else if any(Word::Violated) {
            1
        } else if any(Word::Unknown) || self.unprepared.is_some() {
            3
        } else {
            0
        }
    }
}
