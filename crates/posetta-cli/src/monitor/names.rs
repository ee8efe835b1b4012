//! Names that properties speak of and that no record has brought: they may be misspelt.

use std::collections::BTreeSet;

use posetta_base::{Diagnostic, Kind, Place, Subject, Value};
use posetta_formats::records::RecordBuffer;
use posetta_logic::{Atom, nearest};
use posetta_monitor::Record;
use serde_json::{Value as Json, json};

use crate::properties::Named;

/// The names of events and processes that have not come yet. Nearly always there are none left.
#[derive(Debug, Default)]
pub struct Names {
    events: BTreeSet<String>,
    processes: BTreeSet<String>,
    variables: Vec<String>,
}

impl Names {
    pub fn new(properties: &[Named]) -> Self {
        let mut names = Self::default();
        for property in properties {
            property.property.formula.for_each_atom(&mut |atom: &Atom| match atom {
                Atom::Event(name) => drop(names.events.insert(name.clone())),
                Atom::Process(name) => drop(names.processes.insert(name.clone())),
                Atom::State(_) | Atom::On(_) | Atom::Enabled(_) => {}
            });
            names.variables.extend(property.variables.iter().cloned());
        }
        names.variables.sort();
        names.variables.dedup();
        names
    }

    /// A record has come.
    pub fn see(&mut self, record: &Record<'_>) {
        if !self.events.is_empty()
            && let Some(name) = record.name
        {
            self.events.remove(name);
        }
        if !self.processes.is_empty()
            && let Some(process) = record.process
        {
            self.processes.remove(process);
        }
    }

    /// For each name of a property that no record has had, a warning.
    pub fn warnings(&self, property: &Named) -> Vec<Diagnostic> {
        let (mut events, mut processes) = (BTreeSet::new(), BTreeSet::new());
        property.property.formula.for_each_atom(&mut |atom: &Atom| match atom {
            Atom::Event(name) if self.events.contains(name) => drop(events.insert(name.clone())),
            Atom::Process(name) if self.processes.contains(name) => drop(processes.insert(name.clone())),
            _ => {}
        });
        let declared = &property.property.declared_events;
        let events = events.iter().filter(|name| !declared.contains(*name));
        let events = events.map(|name| property.property.no_event("stream", name, None));
        events.chain(processes.iter().map(|name| property.property.no_process("stream", name, None))).collect()
    }

    /// What a checkpoint keeps: names that have come need not come again.
    pub fn save(&self, buffer: &RecordBuffer) -> Json {
        let seen: Vec<&String> = self.variables.iter().filter(|name| buffer.has_seen(name)).collect();
        json!({ "events": self.events, "processes": self.processes, "seen": seen })
    }

    /// Takes what [`Self::save`] kept. `None` if it is something else.
    pub fn restore(&mut self, saved: &Json, buffer: &mut RecordBuffer) -> Option<()> {
        let names = |field: &str| -> Option<Vec<String>> {
            saved[field].as_array()?.iter().map(|name| name.as_str().map(str::to_owned)).collect()
        };
        let events: BTreeSet<String> = names("events")?.into_iter().collect();
        let processes: BTreeSet<String> = names("processes")?.into_iter().collect();
        if !events.is_subset(&self.events) || !processes.is_subset(&self.processes) || saved.as_object()?.len() != 3 {
            return None;
        }
        for name in names("seen")? {
            self.variables.binary_search(&name).ok()?;
            buffer.note_seen(&name).ok()?;
        }
        (self.events, self.processes) = (events, processes);
        Some(())
    }
}

/// For each variable of a property that nobody has assigned or declared, a mistake; unless the `whole` stream has come, a guess.
pub fn unknown_variables(
    property: &Named,
    initial: &[(String, Value)],
    buffer: &RecordBuffer,
    whole: bool,
) -> Vec<Diagnostic> {
    let who = if whole { "no input assigns or declares" } else { "nothing so far assigns or declares" };
    let known = |name: &str| buffer.has_seen(name) || initial.iter().any(|(declared, _)| declared == name);
    let (mut mistakes, mut seen) = (Vec::new(), BTreeSet::new());
    property.property.formula.for_each_atom(&mut |atom: &Atom| {
        atom.for_each_var(&mut |var| {
            if known(&var.name) || !seen.insert(var.name.clone()) {
                return;
            }
            let message = format!("{who} the variable `{}`", var.name);
            let place = Place::in_text(&property.property.source, var.spot.0);
            let names = buffer.seen().chain(initial.iter().map(|(name, _)| name.as_str()));
            let near = nearest(&var.name, names);
            let label = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => "unknown".to_owned(),
            };
            let mistake = Diagnostic::new(Kind::UnknownVariable, message).at(place).label(label);
            mistakes.push(mistake.about(Subject::Variable(var.name.clone()), near));
        });
    });
    mistakes
}
