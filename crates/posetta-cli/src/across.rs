//! Warnings that only all runs together decide.
//!
//! That an event never comes is worth a warning if it comes in no run, and that a property asks for nothing if it does so nowhere. A
//! run by itself cannot know; so both are told of every run, and what another run settles is dropped before it is reported.
//!
//! [`Seen`] is what the runs so far have shown. It only grows: what it settles stays settled whatever comes, so a run whose report has
//! nothing open can be printed while others are still being read.

use std::collections::{BTreeSet, HashSet};

use posetta_base::{Diagnostic, Kind, Place, Subject};
use posetta_logic::{Atom, Having};
use posetta_trace::Trace;

use posetta_tell::Word;
use posetta_tell::checked::Outcome;
use posetta_tell::kept::Kept;

use crate::board::{Report, RunReport, Slot};
use crate::properties::Named;

/// So many files are named.
const SHOWN: usize = 4;

/// So many processes of a run are compared with those of others.
const ACTING: usize = 1000;

/// Names of events, processes and variables.
#[derive(Debug, Default)]
pub struct Names {
    variables: Sorted,
    /// Those of the variables that an event assigns.
    assigned: Sorted,
    /// All processes that do something, asked for or not; `None` if they are too many to compare.
    acting: Option<Sorted>,
    events: Sorted,
    processes: Sorted,
}

/// Few names, in their order, each once: made and dropped for every run, they cost as little as a list.
#[derive(Debug, Default)]
struct Sorted(Vec<String>);

impl Sorted {
    fn place(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|own| own.as_str().cmp(name))
    }

    fn contains(&self, name: &str) -> bool {
        self.place(name).is_ok()
    }

    fn insert(&mut self, name: &str) {
        if let Err(place) = self.place(name) {
            self.0.insert(place, name.to_owned());
        }
    }

    fn extend<'a>(&mut self, names: impl Iterator<Item = &'a String>) {
        names.for_each(|name| self.insert(name));
    }
}

impl Names {
    /// Those that properties speak of.
    pub fn asked(properties: &[Named]) -> Self {
        let mut names = Self::default();
        for property in properties {
            names.variables.extend(property.variables.iter());
            property.property.formula.for_each_atom(|atom| match atom {
                Atom::Event(name) | Atom::Having(Having { name: Some(name), .. }) => names.events.insert(name),
                Atom::Process(name) => names.processes.insert(name),
                Atom::State(_) | Atom::Step(_) | Atom::On(_) | Atom::Having(_) | Atom::Enabled(_) => {}
            });
        }
        names
    }

    /// Those of them that a run has. What it does itself is looked at only if there are `others` to compare it with.
    pub fn of(&self, trace: &Trace, others: bool) -> Self {
        let mut found = Self::default();
        if !self.events.0.is_empty() {
            for name in trace.events().filter_map(|event| trace.event_name(event)) {
                if self.events.contains(name) {
                    found.events.insert(name);
                }
            }
        }
        let events = trace.events().take(if others { trace.len() } else { 0 });
        let assigned: HashSet<_> = events.flat_map(|e| trace.assignments(e)).map(|a| a.var).collect();
        let is_assigned = |name: &&String| trace.find_variable(name).is_some_and(|var| assigned.contains(&var));
        found.assigned.extend(self.variables.0.iter().filter(is_assigned));
        let acting = || trace.processes().filter(|&p| !trace.chain(p).is_empty());
        if acting().take(ACTING + 1).count() <= ACTING {
            let mut all = Sorted::default();
            acting().for_each(|process| all.insert(trace.process_name(process)));
            found.acting = Some(all);
        }
        found.variables.extend(self.variables.0.iter().filter(|name| trace.find_variable(name).is_some()));
        found.processes.extend(self.processes.0.iter().filter(|name| trace.find_process(name).is_some()));
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

impl Kept for Sorted {
    fn keep(&self, out: &mut Vec<u8>) {
        self.0.keep(out);
    }

    fn found(input: &mut &[u8]) -> Option<Self> {
        Vec::found(input).filter(|names: &Vec<String>| names.is_sorted_by(|a, b| a < b)).map(Self)
    }
}

impl Kept for Names {
    fn keep(&self, out: &mut Vec<u8>) {
        let Self { variables, assigned, acting, events, processes } = self;
        [variables, assigned, events, processes].into_iter().for_each(|names| names.keep(out));
        acting.keep(out);
    }

    fn found(input: &mut &[u8]) -> Option<Self> {
        let mut names = || Sorted::found(input);
        let (variables, assigned, events, processes) = (names()?, names()?, names()?, names()?);
        Some(Self { variables, assigned, acting: Kept::found(input)?, events, processes })
    }
}

/// What the runs so far have shown.
#[derive(Debug, Default)]
pub struct Seen {
    /// How many files there are, those that are not read yet too.
    files: usize,
    properties: Vec<Asked>,
    /// The names of all runs.
    all: Names,
    /// Who does something in the files so far, as long as nobody does in two of them; then the files may be those of the nodes of one
    /// system.
    nodes: Option<HashSet<String>>,
    /// Some file could not be read, so nobody knows what it has.
    unread: bool,
}

/// A property, and what is known of all runs together.
#[derive(Debug)]
struct Asked {
    wanted: Vec<Subject>,
    /// Some run has all that it speaks of; shows all of it; has all of it but the events.
    had: bool,
    shown: bool,
    had_but_events: bool,
    /// The triggers that some run has.
    exercised: BTreeSet<usize>,
}

impl Seen {
    /// Nothing yet.
    pub fn new(properties: &[Named], files: usize) -> Self {
        let asked = |property| Asked {
            wanted: wanted(property),
            had: false,
            shown: false,
            had_but_events: false,
            exercised: BTreeSet::new(),
        };
        let properties = properties.iter().map(asked).collect();
        Self { files, properties, nodes: Some(HashSet::new()), ..Self::default() }
    }

    /// A run has these names.
    pub fn add(&mut self, names: &Names) {
        for own in &mut self.properties {
            own.had = own.had || own.wanted.iter().all(|subject| names.has(subject));
            own.shown = own.shown || own.wanted.iter().all(|subject| names.shows(subject));
            let is_event = |subject: &Subject| matches!(subject, Subject::Event(_));
            own.had_but_events = own.had_but_events
                || own.wanted.iter().filter(|subject| !is_event(subject)).all(|subject| names.has(subject));
        }
        for (all, own) in [
            (&mut self.all.variables, &names.variables),
            (&mut self.all.events, &names.events),
            (&mut self.all.processes, &names.processes),
        ] {
            all.extend(own.0.iter());
        }
        if let Some(nodes) = &mut self.nodes {
            let are_new = names
                .acting
                .as_ref()
                .is_some_and(|all| !all.0.is_empty() && all.0.iter().all(|process| nodes.insert(process.clone())));
            if !are_new {
                self.nodes = None;
            }
        }
    }

    /// A file could not be read.
    pub fn add_unread(&mut self) {
        self.unread = true;
    }

    /// What became of the properties on a run is known.
    pub fn exercise(&mut self, run: &RunReport, properties: &[Named]) {
        for (p, (own, property)) in self.properties.iter_mut().zip(properties).enumerate() {
            if own.exercised.len() < property.property.triggers.len() {
                own.exercised.extend(exercised(run, p, property));
            }
        }
    }

    /// Whether no property can turn out to be about several files at once.
    pub fn are_whole(&self) -> bool {
        let is_whole = |own: &Asked| own.had_but_events && (self.nodes.is_none() || own.shown);
        self.files < 2 || self.unread || self.properties.iter().all(is_whole)
    }

    /// Whether some run settles a warning about a property. Others could come as long as it does not.
    pub fn settles(&self, property: usize, warning: &Diagnostic) -> bool {
        let Some(own) = self.properties.get(property) else { return false };
        match (warning.kind, warning.subject()) {
            // A name that comes elsewhere excuses nothing if no run has all that the property speaks of.
            (Kind::NeverOccurs, Some(subject)) => own.had && self.all.has(subject),
            (Kind::Vacuous, Some(Subject::Trigger { place, .. })) => own.exercised.contains(place),
            _ => false,
        }
    }

    /// Drops the warnings of a run that others settle.
    pub fn settle(&self, run: &mut RunReport) {
        for (p, slot) in run.slots.iter_mut().enumerate() {
            if let Slot::Done(outcome) = slot {
                outcome.warnings.retain(|warning| !self.settles(p, warning));
            }
        }
    }

    /// Whether a run that is not known yet could settle a warning of this one.
    pub fn leaves_open(&self, run: &RunReport) -> bool {
        let is_open = |p: usize, warning: &Diagnostic| {
            let by_others = matches!(
                (warning.kind, warning.subject()),
                (Kind::NeverOccurs, Some(_)) | (Kind::Vacuous, Some(Subject::Trigger { .. }))
            );
            by_others && !self.settles(p, warning)
        };
        run.slots.iter().enumerate().any(|(p, slot)| match slot {
            Slot::Done(outcome) => outcome.warnings.iter().any(|warning| is_open(p, warning)),
            Slot::Open | Slot::Failed(_) => false,
        })
    }
}

/// A property that speaks of variables or processes of several files, and of more than each of them has, is no question about any of them:
/// the files are probably the parts of one run.
pub fn refuse_apart(report: &mut Report) {
    if report.seen.are_whole() || !report.all_runs().all(|run| run.shape.is_some()) {
        return;
    }
    let are_nodes = report.seen.nodes.is_some();
    let mut apart_ones: Vec<(usize, Diagnostic)> = Vec::new();
    for (p, property) in report.properties.iter().enumerate() {
        // What a run does not have, it cannot speak of. An event may well not have come, and a variable may keep its value; but not in
        // files of different processes.
        let mut wanted = wanted(property);
        let is_apart = |wanted: &[Subject], has: &dyn Fn(&RunReport, &Subject) -> bool| {
            report.all_runs().all(|run| wanted.iter().any(|subject| !has(run, subject)))
                && wanted.iter().all(|subject| report.all_runs().any(|run| has(run, subject)))
        };
        if !are_nodes || !is_apart(&wanted, &|run, subject| run.names.shows(subject)) {
            wanted.retain(|subject| !matches!(subject, Subject::Event(_)));
            if !is_apart(&wanted, &|run, subject| run.names.has(subject)) {
                continue;
            }
        }
        apart_ones.push((p, apart(report, property, &wanted)));
    }
    for (p, mistake) in apart_ones {
        let mut mistakes = vec![mistake];
        for slot in report.runs.iter_mut().filter_map(|run| run.slots.get_mut(p)) {
            *slot = Slot::Failed(std::mem::take(&mut mistakes));
        }
    }
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
    for run in report.all_runs() {
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
        match report.all_runs().any(RunReport::has_one_order) {
            true => "sequences of states are runs of their own: check each file with the properties that speak of it",
            false => "if the files are the parts of one run, such as the logs of its nodes, say --join",
        },
    )
}

/// The triggers of a property that a run has, as far as is known: one with events that decides the property and does not warn.
fn exercised(run: &RunReport, p: usize, property: &Named) -> Vec<usize> {
    let triggers = &property.property.triggers;
    let has_events = run.shape.is_some_and(|shape| shape.events > 0);
    if run.fine && has_events {
        return (0..triggers.len()).collect();
    }
    let Some(Slot::Done(outcome)) = run.slots.get(p).filter(|_| has_events && !triggers.is_empty()) else {
        return Vec::new();
    };
    // What nobody has looked at to the end says nothing.
    if outcome.word == Word::Unknown || outcome.word == Word::Holds && !outcome.looked {
        return Vec::new();
    }
    let told = told(outcome);
    let is_told = |place: usize| told.contains(&place) || triggers[place].within.is_some_and(|s| told.contains(&s));
    (0..triggers.len()).filter(|&place| !is_told(place)).collect()
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
