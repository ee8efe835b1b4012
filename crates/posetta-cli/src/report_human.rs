//! Reports for people: the verdicts, and for a violation the order that fails.

use std::collections::HashMap;

use posetta_base::{Diagnostic, Kind, Subject as About};
use posetta_tell::report::{Remark, Subject, Title};
use posetta_tell::{Paint, Problem, is_file};

use crate::amounts::{counted, grouped};
use crate::board::{Asked, Report, RunReport, Slot};
use crate::{across, carets, deny, reports};

/// The most names in one warning.
const NAMES: usize = 12;

/// So many warnings of one kind are told about the runs of one file.
const ALIKE: u64 = 10;

/// A warning, about the run that is its `trace`.
pub struct Warning {
    problem: Problem,
    /// What it is about as people are told: that run, and perhaps others.
    on: Option<String>,
}

impl Warning {
    fn new(file: &str, run: Option<&str>, on: Option<String>, diagnostic: Diagnostic) -> Self {
        let (trace, file) = (run.map(str::to_owned), file.to_owned());
        Self { problem: Problem { trace, file, property: None, diagnostic }, on }
    }

    /// For standard error.
    pub fn drawn(&self, paint: Paint) -> String {
        carets::warning(&self.problem.file, self.on.as_deref(), &self.problem.diagnostic, paint)
    }

    /// For reports of other forms.
    pub fn remark(self) -> Remark {
        reports::warning(self.problem, self.on.as_deref())
    }
}

/// Warnings, gathered run by run: what a run by itself says is told with it, what properties and the model say of
/// runs at the end, because the same warning on a thousand runs is one warning, and another run may settle it.
#[derive(Debug, Default)]
pub struct Notes {
    /// How many runs there were.
    runs: u32,
    sets: Vec<Set>,
    /// By property and text.
    known: HashMap<(Option<usize>, String), u32>,
    /// Which run has which set, in the order of the runs: of properties, and of the model.
    of_properties: Vec<(u32, u32)>,
    of_model: Vec<(u32, u32)>,
    /// The file of the last run, and how many warnings of each kind were told about it.
    file: String,
    told: HashMap<Kind, u64>,
    left_out: Vec<(String, Kind, u64)>,
}

/// All warnings of one property, or of the model, on a run; others may have the same.
#[derive(Debug)]
struct Set {
    property: Option<usize>,
    warnings: Vec<Diagnostic>,
    /// The first run that has them.
    run: String,
}

impl Notes {
    /// Takes the warnings of the next run, and answers with those that are told at once.
    pub fn add(&mut self, asked: &Asked, run: &RunReport) -> Vec<Warning> {
        let mut out = Vec::new();
        if self.runs == 0
            && let Some(model) = &asked.model
        {
            out.extend(model.system.warnings.iter().map(|w| Warning::new(&model.file, None, None, w.clone())));
        }
        for (p, slot) in run.slots.iter().enumerate() {
            if let Slot::Done(outcome) = slot
                && !outcome.warnings.is_empty()
            {
                let set = self.set(Some(p), &outcome.warnings, run);
                self.of_properties.push((self.runs, set));
            }
        }
        if let Some((_, followed)) = asked.followed(run)
            && !followed.warnings.is_empty()
        {
            let set = self.set(None, &followed.warnings, run);
            self.of_model.push((self.runs, set));
        }
        self.runs += 1;
        // Of the runs of a file with very many, a few say what the others say, too.
        if self.file != run.file {
            self.file.clone_from(&run.file);
            self.told.clear();
        }
        let trace = Some(run.name.clone()).filter(|trace| *trace != run.file);
        for warning in &run.warnings {
            let count = self.told.entry(warning.kind).or_default();
            *count += 1;
            if *count <= ALIKE || deny::denies(warning.kind) {
                out.push(Warning::new(&run.file, Some(&run.name), trace.clone(), warning.clone()));
                continue;
            }
            match self.left_out.iter_mut().find(|(file, kind, _)| *file == run.file && *kind == warning.kind) {
                Some((.., more)) => *more += 1,
                None => self.left_out.push((run.file.clone(), warning.kind, 1)),
            }
        }
        out
    }

    fn set(&mut self, property: Option<usize>, warnings: &[Diagnostic], run: &RunReport) -> u32 {
        let sets = &mut self.sets;
        *self.known.entry((property, format!("{warnings:?}"))).or_insert_with(|| {
            sets.push(Set { property, warnings: warnings.to_vec(), run: run.name.clone() });
            sets.len() as u32 - 1
        })
    }

    /// Those that are told when all runs are known.
    pub fn finish(&mut self, report: &Report) -> Vec<Warning> {
        let mut out = Vec::new();
        for (file, kind, more) in self.left_out.drain(..) {
            let more = counted(more, "more warning", "more warnings");
            let diagnostic =
                Diagnostic::new(kind, format!("{more} of the kind `{}` about runs of this file", kind.word()));
            out.push(Warning::new(&file, None, None, diagnostic.help("--json has all of them")));
        }
        // What is left of each set, and the file that it is about.
        let left: Vec<(&str, Vec<Diagnostic>)> = self.sets.iter().map(|set| left_of(report, set)).collect();
        let mut warnings: Vec<(&str, &Diagnostic, &str, u64)> = Vec::new();
        let mut last_run: Vec<u32> = Vec::new();
        let mut seen: HashMap<(&str, &str, [u64; 2]), usize> = HashMap::new();
        // A name that no event has is the same mistake wherever it stands; what asks for nothing is another one in each place.
        let place = |w: &Diagnostic| match &w.place {
            Some(place) if w.kind == Kind::Vacuous => [place.line, place.column],
            _ => [0, 0],
        };
        for &(run, set) in self.of_properties.iter().chain(&self.of_model) {
            let (file, told) = &left[set as usize];
            for warning in told {
                let at = *seen.entry((*file, &warning.message, place(warning))).or_insert(warnings.len());
                match warnings.get_mut(at) {
                    // Several properties may say the same of one run.
                    Some((.., more)) => *more += u64::from(std::mem::replace(&mut last_run[at], run) != run),
                    None => {
                        warnings.push((file, warning, &self.sets[set as usize].run, 0));
                        last_run.push(run);
                    }
                }
            }
        }
        for (file, warning, run, more) in warnings {
            let runs = match more {
                0 => run.to_owned(),
                more => format!("{run} and {}", counted(more, "other", "others")),
            };
            out.push(Warning::new(file, Some(run), Some(runs), warning.clone()));
        }
        out
    }
}

/// What no run settles of some warnings, as it is told, and the file that they are about.
fn left_of<'a>(report: &'a Report, set: &Set) -> (&'a str, Vec<Diagnostic>) {
    let Some(p) = set.property else {
        return (report.model.as_ref().map_or("", |model| &model.file), set.warnings.clone());
    };
    let left: Vec<Diagnostic> = set.warnings.iter().filter(|w| !report.seen.settles(p, w)).cloned().collect();
    // People are not told of each by itself.
    for warning in &left {
        deny::see(warning.kind);
    }
    (&report.properties[p].file, joined(&left))
}

/// The warnings of one property on one run, with those about variables that the run lacks in one, and without names that another
/// warning speaks of.
fn joined(warnings: &[Diagnostic]) -> Vec<Diagnostic> {
    // Whoever denies one kind is told of it.
    let warnings = match deny::denies(Kind::NeverOccurs) && !deny::denies(Kind::Vacuous) {
        true => warnings.to_vec(),
        false => across::without_names_told(warnings),
    };
    let lacking = |w: &Diagnostic| match w.subject() {
        Some(About::Variable(name)) if w.kind == Kind::NotAssigned => Some(name.clone()),
        _ => None,
    };
    let names: Vec<String> = warnings.iter().filter_map(lacking).collect();
    if names.len() < 2 {
        return warnings;
    }
    let mut list: Vec<String> = names.iter().take(NAMES).map(|name| format!("`{name}`")).collect();
    if names.len() > NAMES {
        list.push(format!("and {} more", grouped((names.len() - NAMES) as u64)));
    }
    let mut out: Vec<Diagnostic> = Vec::new();
    let mut told = false;
    for mut warning in warnings {
        if lacking(&warning).is_none() {
            out.push(warning);
        } else if !std::mem::replace(&mut told, true) {
            warning.message =
                format!("this run neither assigns nor declares {}: here they are always 0", list.join(", "));
            out.push(warning);
        }
    }
    out
}

/// A run and what became of the properties on it; with `stats`, what each answer cost.
pub fn subject<'a>(asked: &'a Asked, run: &'a RunReport, stats: bool) -> Subject<'a> {
    let facts = run.shape.map(|shape| shape.facts()).unwrap_or_default();
    let mut subject = Subject::new(Title::Name(run.name.clone()), facts);
    subject.file = (is_file(&run.file) && !asked.joined).then(|| run.file.clone());
    let answers = asked.answers_of(run);
    subject.answers.extend(answers.map(|(property, outcome)| outcome.answer(run.shape, property, stats)));
    let followed = asked.followed(run);
    subject.answers.extend(followed.map(|(model, followed)| followed.answer(&model.name, stats)));
    subject.picture = run.picture.as_deref();
    subject
}
