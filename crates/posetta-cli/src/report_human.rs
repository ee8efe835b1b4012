//! Reports for people: the verdicts, and for a violation the order that fails.

use std::collections::HashMap;

use posetta_base::{Diagnostic, Kind, Subject as About};
use posetta_tell::report::{Remark, Report as Told, Subject, Summary, Title};
use posetta_tell::{Paint, Problem, is_file, text};

use crate::amounts::{counted, grouped};
use crate::board::Report;
use crate::{across, carets, deny, reports};

/// The most names in one warning.
const NAMES: usize = 12;

/// So many warnings of one kind are told about the runs of one file.
const ALIKE: u64 = 10;

/// Mistakes and warnings, for standard error.
pub fn notes(report: &Report, errors: &[Problem], paint: Paint) -> String {
    let mut out = String::new();
    for Warning { problem, on } in warnings(report) {
        out.push_str(&carets::warning(&problem.file, on.as_deref(), &problem.diagnostic, paint));
    }
    for problem in errors {
        out.push_str(&carets::error(problem, paint));
    }
    if let Some(over) = report.unprepared {
        out.push_str(&text::stopped(over, paint));
    }
    out
}

/// A warning, about the run that is its `trace`.
struct Warning {
    problem: Problem,
    /// What it is about as people are told: that run, and perhaps others.
    on: Option<String>,
}

impl Warning {
    fn new(file: &str, run: Option<&str>, on: Option<String>, diagnostic: Diagnostic) -> Self {
        let (trace, file) = (run.map(str::to_owned), file.to_owned());
        Self { problem: Problem { trace, file, property: None, diagnostic }, on }
    }
}

/// The warnings that are told. The same one on a thousand runs is one warning.
fn warnings(report: &Report) -> Vec<Warning> {
    let mut out = Vec::new();
    let mut warnings: Vec<(&str, Diagnostic, &str, u64)> = Vec::new();
    let mut last_run: Vec<&str> = Vec::new();
    let mut seen: HashMap<(&str, String, [u64; 2]), usize> = HashMap::new();
    // A name that no event has is the same mistake wherever it stands; what asks for nothing is another one in each place.
    let place = |w: &Diagnostic| match &w.place {
        Some(place) if w.kind == Kind::Vacuous => [place.line, place.column],
        _ => [0, 0],
    };
    let of_properties = report.answers().map(|(run, p, outcome)| (run, p.file.as_str(), joined(&outcome.warnings)));
    let followed = report.runs.iter().filter_map(|run| Some((run, report.followed(run)?)));
    let of_model = followed.map(|(run, (model, followed))| (run, model.file.as_str(), followed.warnings.clone()));
    for (run, file, told) in of_properties.chain(of_model) {
        for warning in told {
            let at = *seen.entry((file, warning.message.clone(), place(&warning))).or_insert(warnings.len());
            match warnings.get_mut(at) {
                // Several properties may say the same of one run.
                Some((.., more)) => *more += u64::from(std::mem::replace(&mut last_run[at], &run.name) != run.name),
                None => {
                    warnings.push((file, warning, &run.name, 0));
                    last_run.push(&run.name);
                }
            }
        }
    }
    if let Some(model) = &report.model {
        out.extend(model.system.warnings.iter().map(|w| Warning::new(&model.file, None, None, w.clone())));
    }
    // Of the runs of a file with very many, a few say what the others say, too.
    let mut told: HashMap<(&str, Kind), u64> = HashMap::new();
    let mut left_out: Vec<(&str, Kind, u64)> = Vec::new();
    for run in &report.runs {
        let trace = Some(run.name.clone()).filter(|trace| *trace != run.file);
        for warning in &run.warnings {
            let count = told.entry((&run.file, warning.kind)).or_default();
            *count += 1;
            if *count <= ALIKE || deny::denies(warning.kind) {
                out.push(Warning::new(&run.file, Some(&run.name), trace.clone(), warning.clone()));
                continue;
            }
            match left_out.iter_mut().find(|(file, kind, _)| *file == run.file && *kind == warning.kind) {
                Some((.., more)) => *more += 1,
                None => left_out.push((&run.file, warning.kind, 1)),
            }
        }
    }
    for (file, kind, more) in left_out {
        let more = counted(more, "more warning", "more warnings");
        let diagnostic = Diagnostic::new(kind, format!("{more} of the kind `{}` about runs of this file", kind.word()));
        out.push(Warning::new(file, None, None, diagnostic.help("--json has all of them")));
    }
    for (file, warning, run, more) in warnings {
        let runs = match more {
            0 => run.to_owned(),
            more => format!("{run} and {}", counted(more, "other", "others")),
        };
        out.push(Warning::new(file, Some(run), Some(runs), warning));
    }
    out
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

/// Everything that there is to tell; with `stats`, what each answer cost.
pub fn told<'a>(report: &'a Report, errors: &[Problem], stats: bool) -> Told<'a> {
    let warned = warnings(report).into_iter();
    let remarks = warned.map(|Warning { problem, on }| reports::warning(problem, on.as_deref()));
    let mut remarks: Vec<Remark> = remarks.chain(errors.iter().map(reports::mistake)).collect();
    // Of a run that is joined, events and places have files of their own.
    let is_no_file = |file: &str| report.joined && report.runs.iter().any(|run| run.file == file);
    remarks.iter_mut().map(|remark| &mut remark.problem.file).filter(|file| is_no_file(file)).for_each(String::clear);
    let mut told = Told { remarks, stopped: report.unprepared, ..Told::default() };
    for run in &report.runs {
        let facts = run.shape.map(|shape| shape.facts()).unwrap_or_default();
        let mut subject = Subject::new(Title::Name(run.name.clone()), facts);
        subject.file = (is_file(&run.file) && !report.joined).then(|| run.file.clone());
        let answers = report.answers_of(run);
        subject.answers.extend(answers.map(|(property, outcome)| outcome.answer(run.shape, property, stats)));
        let followed = report.followed(run);
        subject.answers.extend(followed.map(|(model, followed)| followed.answer(&model.name, stats)));
        if !subject.answers.is_empty() {
            told.subjects.push(subject);
        }
    }
    let runs = report.runs.iter().filter(|r| r.unreadable.is_empty()).count();
    let properties = report.properties.len() + usize::from(report.model.is_some());
    told.summary = Some(Summary { properties, runs: Some(runs), errors: errors.len() });
    told
}
