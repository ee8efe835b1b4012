//! Warnings that only all runs together decide.
//!
//! That an event never comes is worth a warning if it comes in no run, and that a property asks for nothing if it does so nowhere. A
//! run by itself cannot know; so both are told of every run, and what another run settles is dropped before anything is reported.

use std::collections::{BTreeSet, HashSet};

use posetta::base::{Diagnostic, Kind, Place, Subject};
use posetta::logic::Atom;
use posetta::trace::Trace;

use crate::board::{Outcome, Report, RunReport, Slot, Word};
use crate::properties::Named;

/// So many files are named.
const SHOWN: usize = 4;

/// Names of events, processes and variables.
#[derive(Debug, Default)]
pub struct Names {
    variables: HashSet<String>,
    events: HashSet<String>,
    processes: HashSet<String>,
}

impl Names {
    /// Those that properties speak of.
    pub fn asked(properties: &[Named]) -> Self {
        let mut names = Self::default();
        for property in properties {
            names.variables.extend(property.variables.iter().cloned());
            property.property.formula.for_each_atom(|atom| match atom {
                Atom::Event(name) => drop(names.events.insert(name.clone())),
                Atom::Process(name) => drop(names.processes.insert(name.clone())),
                Atom::State(_) | Atom::On(_) | Atom::Enabled(_) => {}
            });
        }
        names
    }

    /// Those of them that a run has.
    pub fn of(&self, trace: &Trace) -> Self {
        let mut found = Self::default();
        if !self.events.is_empty() {
            for name in trace.events().filter_map(|event| trace.event_name(event)) {
                if self.events.contains(name) && !found.events.contains(name) {
                    found.events.insert(name.to_owned());
                }
            }
        }
        found.variables.extend(self.variables.iter().filter(|name| trace.find_variable(name).is_some()).cloned());
        found.processes.extend(self.processes.iter().filter(|name| trace.find_process(name).is_some()).cloned());
        found
    }

    fn has(&self, subject: &Subject) -> bool {
        match subject {
            Subject::Event(name) => self.events.contains(name),
            Subject::Process(name) => self.processes.contains(name),
            Subject::Variable(name) => self.variables.contains(name),
            Subject::Trigger { .. } => false,
        }
    }
}

/// Finds the properties that only all files together could decide, and drops the warnings that other runs settle.
pub fn settle(report: &mut Report) {
    refuse_apart(report);
    let exercised: Vec<BTreeSet<usize>> =
        report.properties.iter().enumerate().map(|(p, property)| exercised(&report.runs, p, property)).collect();
    for at in 0..report.runs.len() {
        let mut slots = std::mem::take(&mut report.runs[at].slots);
        for (slot, exercised) in slots.iter_mut().zip(&exercised) {
            let Slot::Done(outcome) = slot else { continue };
            outcome.warnings.retain(|warning| match (warning.kind, warning.subject()) {
                (Kind::NeverOccurs, Some(subject)) => !report.runs.iter().any(|run| run.names.has(subject)),
                (Kind::Vacuous, Some(Subject::Trigger { place, .. })) => !exercised.contains(place),
                _ => true,
            });
        }
        report.runs[at].slots = slots;
    }
}

/// A property that speaks of variables or processes of several files, and of more than each of them has, is no question about any of them:
/// the files are probably the parts of one run.
fn refuse_apart(report: &mut Report) {
    let all_read = report.runs.iter().all(|run| run.shape.is_some());
    let files: BTreeSet<usize> = report.runs.iter().map(|run| run.place.0).collect();
    if !all_read || files.len() < 2 {
        return;
    }
    for (p, property) in report.properties.iter().enumerate() {
        let wanted = wanted(property);
        let lacks = |run: &RunReport| wanted.iter().any(|subject| !run.names.has(subject));
        let is_somewhere = |subject: &Subject| report.runs.iter().any(|run| run.names.has(subject));
        if !report.runs.iter().all(lacks) || !wanted.iter().all(is_somewhere) {
            continue;
        }
        let mut mistakes = vec![apart(report, property, &wanted)];
        for run in &mut report.runs {
            run.slots[p] = Slot::Failed(std::mem::take(&mut mistakes));
        }
    }
}

/// What a run must have for a property to speak of it: its variables and processes. An event may well not have come.
fn wanted(property: &Named) -> Vec<Subject> {
    let mut wanted: Vec<Subject> = property.variables.iter().cloned().map(Subject::Variable).collect();
    property.property.formula.for_each_atom(|atom| {
        if let Atom::Process(name) = atom
            && !wanted.iter().any(|subject| matches!(subject, Subject::Process(known) if known == name))
        {
            wanted.push(Subject::Process(name.clone()));
        }
    });
    wanted
}

/// That a property asks about several files at once.
fn apart(report: &Report, property: &Named, wanted: &[Subject]) -> Diagnostic {
    let name = |subject: &Subject| match subject {
        Subject::Variable(name) | Subject::Event(name) | Subject::Process(name) => format!("`{name}`"),
        Subject::Trigger { .. } => String::new(),
    };
    // For each file the first name that no file before it has.
    let mut told: Vec<String> = Vec::new();
    let mut seen: Vec<&Subject> = Vec::new();
    for run in &report.runs {
        let new = wanted.iter().find(|subject| run.names.has(subject) && !seen.contains(subject));
        if let Some(subject) = new {
            told.push(format!("{} is in {}", name(subject), run.name));
        }
        seen.extend(wanted.iter().filter(|subject| run.names.has(subject)));
    }
    let more = told.len().saturating_sub(SHOWN);
    told.truncate(SHOWN);
    let mut label = told.join(", ");
    if more > 0 {
        label.push_str(&format!(", and so on for {more} more"));
    }
    let message = format!("no run has all that `{}` speaks of", property.name);
    let place = Place::in_text(&property.property.source, property.property.span);
    Diagnostic::new(Kind::NotAssigned, message)
        .at(place)
        .label(label)
        .help("if the files are the parts of one run, such as the logs of its nodes, say --join")
}

/// The triggers of a property that some run has, as far as is known: a run with events that decides the property and does not warn.
fn exercised(runs: &[RunReport], p: usize, property: &Named) -> BTreeSet<usize> {
    let triggers = &property.property.triggers;
    let mut exercised = BTreeSet::new();
    if triggers.is_empty() {
        return exercised;
    }
    for run in runs.iter().filter(|run| run.shape.is_some_and(|shape| shape.events > 0)) {
        let Some(Slot::Done(outcome)) = run.slots.get(p) else { continue };
        if outcome.word == Word::Unknown {
            continue;
        }
        let told = told(outcome);
        let is_told = |place: usize| told.contains(&place) || triggers[place].within.is_some_and(|s| told.contains(&s));
        exercised.extend((0..triggers.len()).filter(|&place| !is_told(place)));
    }
    exercised
}

/// The triggers that an answer warns of.
fn told(outcome: &Outcome) -> BTreeSet<usize> {
    let place = |warning: &Diagnostic| match warning.subject() {
        Some(Subject::Trigger { place, .. }) => Some(*place),
        _ => None,
    };
    outcome.warnings.iter().filter_map(place).collect()
}

/// The warnings about one property on one run, without names that no event has where another warning makes that clear.
pub fn without_names_told(warnings: &[Diagnostic]) -> Vec<Diagnostic> {
    let is_empty = warnings.iter().any(|warning| warning.kind == Kind::NoEvents);
    let mut told: Vec<&Subject> = Vec::new();
    for warning in warnings {
        if let Some(Subject::Trigger { lacks, .. }) = warning.subject() {
            told.extend(lacks);
        }
    }
    let is_told = |w: &Diagnostic| {
        w.kind == Kind::NeverOccurs && (is_empty || w.subject().is_some_and(|subject| told.contains(&subject)))
    };
    warnings.iter().filter(|warning| !is_told(warning)).cloned().collect()
}
