//! Warnings that only all runs together decide.
//!
//! That an event never comes is worth a warning if it comes in no run, and that a property asks for nothing if it does so nowhere. A
//! run by itself cannot know; so both are told of every run, and what another run settles is dropped before anything is reported.

use std::collections::{BTreeSet, HashSet};

use posetta_base::{Diagnostic, Kind, Place, Subject};
use posetta_logic::{Atom, Having};
use posetta_trace::Trace;

use posetta_tell::Word;
use posetta_tell::checked::Outcome;

use crate::board::{Report, RunReport, Slot};
use crate::properties::Named;

/// So many files are named.
const SHOWN: usize = 4;

/// So many processes of a run are compared with those of others.
const ACTING: usize = 1000;

/// Names of events, processes and variables.
#[derive(Debug, Default)]
pub struct Names {
    variables: HashSet<String>,
    /// Those of the variables that an event assigns.
    assigned: HashSet<String>,
    /// All processes that do something, asked for or not; `None` if they are too many to compare.
    acting: Option<BTreeSet<String>>,
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
                Atom::Event(name) | Atom::Having(Having { name: Some(name), .. }) => {
                    names.events.insert(name.clone());
                }
                Atom::Process(name) => drop(names.processes.insert(name.clone())),
                Atom::State(_) | Atom::Step(_) | Atom::On(_) | Atom::Having(_) | Atom::Enabled(_) => {}
            });
        }
        names
    }

    /// Those of them that a run has. What it does itself is looked at only if there are `others` to compare it with.
    pub fn of(&self, trace: &Trace, others: bool) -> Self {
        let mut found = Self::default();
        if !self.events.is_empty() {
            for name in trace.events().filter_map(|event| trace.event_name(event)) {
                if self.events.contains(name) && !found.events.contains(name) {
                    found.events.insert(name.to_owned());
                }
            }
        }
        let events = trace.events().take(if others { trace.len() } else { 0 });
        let assigned: HashSet<_> = events.flat_map(|e| trace.assignments(e)).map(|a| a.var).collect();
        let is_assigned = |name: &&String| trace.find_variable(name).is_some_and(|var| assigned.contains(&var));
        found.assigned.extend(self.variables.iter().filter(is_assigned).cloned());
        let acting = || trace.processes().filter(|&p| !trace.chain(p).is_empty());
        found.acting = (acting().take(ACTING + 1).count() <= ACTING)
            .then(|| acting().map(|p| trace.process_name(p).to_owned()).collect());
        found.variables.extend(self.variables.iter().filter(|name| trace.find_variable(name).is_some()).cloned());
        found.processes.extend(self.processes.iter().filter(|name| trace.find_process(name).is_some()).cloned());
        found
    }

    /// Whether the run itself does something about it, and does not only declare it.
    fn shows(&self, subject: &Subject) -> bool {
        match subject {
            Subject::Variable(name) => self.assigned.contains(name),
            Subject::Process(name) => self.acting.as_ref().is_none_or(|acting| acting.contains(name)),
            other => self.has(other),
        }
    }

    fn has(&self, subject: &Subject) -> bool {
        match subject {
            Subject::Event(name) => self.events.contains(name),
            Subject::Process(name) => self.processes.contains(name),
            Subject::Variable(name) => self.variables.contains(name),
            _ => false,
        }
    }
}

/// Finds the properties that only all files together could decide, and drops the warnings that other runs settle.
pub fn settle(report: &mut Report) {
    refuse_apart(report);
    let exercised: Vec<BTreeSet<usize>> =
        report.properties.iter().enumerate().map(|(p, property)| exercised(&report.runs, p, property)).collect();
    // A name that comes elsewhere excuses nothing if no run has all that the property speaks of.
    let whole = |property: &Named| {
        let wanted = wanted(property);
        report.runs.iter().any(|run| wanted.iter().all(|subject| run.names.has(subject)))
    };
    let spoken_of: Vec<bool> = report.properties.iter().map(whole).collect();
    for at in 0..report.runs.len() {
        let mut slots = std::mem::take(&mut report.runs[at].slots);
        for ((slot, exercised), &spoken_of) in slots.iter_mut().zip(&exercised).zip(&spoken_of) {
            let Slot::Done(outcome) = slot else { continue };
            outcome.warnings.retain(|warning| match (warning.kind, warning.subject()) {
                (Kind::NeverOccurs, Some(subject)) => {
                    !spoken_of || !report.runs.iter().any(|run| run.names.has(subject))
                }
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
    let are_nodes = are_nodes(&report.runs);
    for (p, property) in report.properties.iter().enumerate() {
        // What a run does not have, it cannot speak of. An event may well not have come, and a variable may keep its value; but not in
        // files of different processes.
        let mut wanted = wanted(property);
        let is_apart = |wanted: &[Subject], has: &dyn Fn(&RunReport, &Subject) -> bool| {
            report.runs.iter().all(|run| wanted.iter().any(|subject| !has(run, subject)))
                && wanted.iter().all(|subject| report.runs.iter().any(|run| has(run, subject)))
        };
        if !are_nodes || !is_apart(&wanted, &|run, subject| run.names.shows(subject)) {
            wanted.retain(|subject| !matches!(subject, Subject::Event(_)));
            if !is_apart(&wanted, &|run, subject| run.names.has(subject)) {
                continue;
            }
        }
        let mut mistakes = vec![apart(report, property, &wanted)];
        for run in &mut report.runs {
            run.slots[p] = Slot::Failed(std::mem::take(&mut mistakes));
        }
    }
}

/// Whether no process does something in two of the files: they may be those of the nodes of one system.
fn are_nodes(runs: &[RunReport]) -> bool {
    let mut all: HashSet<&str> = HashSet::new();
    runs.iter().all(|run| {
        let Some(acting) = &run.names.acting else { return false };
        !acting.is_empty() && acting.iter().all(|process| all.insert(process))
    })
}

/// What a property speaks of: its variables, processes and events, each once.
fn wanted(property: &Named) -> Vec<Subject> {
    let mut wanted: Vec<Subject> = property.variables.iter().cloned().map(Subject::Variable).collect();
    property.property.formula.for_each_atom(|atom| {
        let subject = match atom {
            Atom::Process(name) => Subject::Process(name.clone()),
            Atom::Event(name) | Atom::Having(Having { name: Some(name), .. }) => Subject::Event(name.clone()),
            Atom::State(_) | Atom::Step(_) | Atom::On(_) | Atom::Having(_) | Atom::Enabled(_) => return,
        };
        if !wanted.contains(&subject) {
            wanted.push(subject);
        }
    });
    wanted
}

/// That a property asks about several files at once.
fn apart(report: &Report, property: &Named, wanted: &[Subject]) -> Diagnostic {
    let name = |subject: &Subject| match subject {
        Subject::Variable(name) | Subject::Event(name) | Subject::Process(name) => format!("`{name}`"),
        _ => String::new(),
    };
    // For each file the first name that no file before it has.
    let mut told: Vec<String> = Vec::new();
    let mut seen: Vec<&Subject> = Vec::new();
    for run in &report.runs {
        let new = wanted.iter().find(|subject| run.names.shows(subject) && !seen.contains(subject));
        if let Some(subject) = new {
            told.push(format!("{} is in {}", name(subject), run.name));
        }
        seen.extend(wanted.iter().filter(|subject| run.names.shows(subject)));
    }
    let more = told.len().saturating_sub(SHOWN);
    told.truncate(SHOWN);
    let mut label = told.join(", ");
    if more > 0 {
        label.push_str(&format!(", and so on for {more} more"));
    }
    let message = format!("no run has all that `{}` speaks of", property.name);
    let place = Place::in_text(&property.property.source, property.property.span);
    Diagnostic::new(Kind::NotAssigned, message).at(place).label(label).help(
        match report.runs.iter().any(RunReport::has_one_order) {
            true => "sequences of states are runs of their own: check each file with the properties that speak of it",
            false => "if the files are the parts of one run, such as the logs of its nodes, say --join",
        },
    )
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
        // What nobody has looked at to the end says nothing.
        if outcome.word == Word::Unknown || outcome.word == Word::Holds && !outcome.looked {
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
