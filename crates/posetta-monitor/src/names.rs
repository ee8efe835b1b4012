//! Names that properties speak of and that no record has brought: they may be misspelt.

use std::collections::{BTreeMap, BTreeSet};

use crate::Record;
use posetta_base::{Diagnostic, Kind, Place, Span, Subject};
use posetta_logic::{Atom, Domain, Having, Property, nearest};

/// The names that have not come yet. Nearly always there are none left.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Names {
    events: BTreeSet<String>,
    processes: BTreeSet<String>,
    attributes: BTreeSet<String>,
    /// Variables of the properties.
    missing: BTreeSet<String>,
    seen: BTreeSet<String>,
    /// Others that the stream declares or has.
    known: Vec<String>,
}

/// What a checkpoint keeps: names that have come need not come again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SavedNames {
    pub(crate) events: Vec<String>,
    pub(crate) processes: Vec<String>,
    pub(crate) attributes: Vec<String>,
    /// Variables of the properties that have come.
    pub(crate) seen: Vec<String>,
}

impl Names {
    pub(crate) fn new<'a>(properties: impl Iterator<Item = &'a Property>) -> Self {
        let mut names = Self::default();
        for property in properties {
            property.formula.for_each_atom(&mut |atom: &Atom| {
                match atom {
                    Atom::Event(name) => drop(names.events.insert(name.clone())),
                    Atom::Process(name) => drop(names.processes.insert(name.clone())),
                    Atom::Having(having) => names.events.extend(having.name.clone()),
                    Atom::State(_) | Atom::Step(_) | Atom::On(_) | Atom::Enabled(_) => {}
                }
                atom.for_each_var(&mut |var| {
                    if var.is_of_trace() {
                        names.missing.insert(var.name.clone());
                    }
                });
            });
            names.attributes.extend(property.attributes());
        }
        names
    }

    /// A record has come.
    pub(crate) fn see(&mut self, record: &Record<'_>) {
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
        if !self.attributes.is_empty() {
            for (name, _) in record.attributes.iter() {
                self.attributes.remove(name);
            }
        }
        if !self.missing.is_empty() {
            for (name, _) in record.sets {
                if let Some(name) = self.missing.take(*name) {
                    self.seen.insert(name);
                }
            }
        }
    }

    /// The stream has these variables, whether or not a record assigns them.
    pub(crate) fn know<'a>(&mut self, names: impl IntoIterator<Item = &'a str>) {
        self.known.extend(names.into_iter().map(str::to_owned));
    }

    /// For each event and process of a property that no record has had, a warning.
    pub(crate) fn warnings(&self, property: &Property) -> Vec<Diagnostic> {
        let (mut events, mut processes) = (BTreeSet::new(), BTreeSet::new());
        property.formula.for_each_atom(&mut |atom: &Atom| match atom {
            Atom::Event(name) | Atom::Having(Having { name: Some(name), .. }) if self.events.contains(name) => {
                events.insert(name.clone());
            }
            Atom::Process(name) if self.processes.contains(name) => drop(processes.insert(name.clone())),
            _ => {}
        });
        let events = events.iter().filter(|name| !property.declared_events.contains(*name));
        let events = events.map(|name| property.no_event("stream", name, None));
        events.chain(processes.iter().map(|name| property.no_process("stream", name, None))).collect()
    }

    /// For each variable of a property that nobody has assigned or declared, a mistake; unless the `whole` stream has come, a guess.
    pub(crate) fn unknown_variables(&self, property: &Property, whole: bool) -> Vec<Diagnostic> {
        let (mut mistakes, mut named) = (Vec::new(), BTreeSet::new());
        property.formula.for_each_atom(&mut |atom: &Atom| {
            atom.for_each_var(&mut |var| {
                let unknown = var.is_of_trace() && self.missing.contains(&var.name) && !self.known.contains(&var.name);
                if unknown && named.insert(var.name.clone()) {
                    let place = Place::in_text(&property.source, var.spot.0);
                    mistakes.push(self.unknown_variable(&var.name, place, whole));
                }
            });
        });
        mistakes.extend(self.unknown_attributes(property, whole));
        mistakes
    }

    /// The same for attributes.
    fn unknown_attributes(&self, property: &Property, whole: bool) -> Vec<Diagnostic> {
        let unknown = |name: &str, span: Span| {
            let who = if whole { "no event has" } else { "no event so far has" };
            let mistake = property.mistake(Kind::UnknownAttribute, span, format!("{who} the attribute `{name}`"));
            mistake.label("unknown").about(Subject::Attribute(name.to_owned()), None)
        };
        let mut places: BTreeMap<String, Span> = BTreeMap::new();
        if let Some(each) = &property.each
            && let Domain::Values(name) = &each.domain
        {
            places.insert(name.clone(), each.spot.0);
        }
        property.formula.for_each_test(|test| {
            places.entry(test.attribute.clone()).or_insert(test.spot.0);
        });
        let names = property.attributes().into_iter().filter(|name| self.attributes.contains(name));
        names.map(|name| unknown(&name, places.get(&name).copied().unwrap_or(property.span))).collect()
    }

    fn unknown_variable(&self, name: &str, place: Place, whole: bool) -> Diagnostic {
        let who = if whole { "no input assigns or declares" } else { "nothing so far assigns or declares" };
        let near = nearest(name, self.known.iter().chain(&self.seen).map(String::as_str));
        let label = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => "unknown".to_owned(),
        };
        let mistake = Diagnostic::new(Kind::UnknownVariable, format!("{who} the variable `{name}`"));
        mistake.at(place).label(label).about(Subject::Variable(name.to_owned()), near)
    }

    pub(crate) fn save(&self) -> SavedNames {
        let listed = |names: &BTreeSet<String>| names.iter().cloned().collect();
        let (events, processes) = (listed(&self.events), listed(&self.processes));
        SavedNames { events, processes, attributes: listed(&self.attributes), seen: listed(&self.seen) }
    }

    /// Takes what [`Self::save`] kept. `None` if it is of other properties.
    pub(crate) fn restore(&mut self, saved: SavedNames) -> Option<()> {
        let events: BTreeSet<String> = saved.events.into_iter().collect();
        let processes: BTreeSet<String> = saved.processes.into_iter().collect();
        let attributes: BTreeSet<String> = saved.attributes.into_iter().collect();
        if !events.is_subset(&self.events)
            || !processes.is_subset(&self.processes)
            || !attributes.is_subset(&self.attributes)
        {
            return None;
        }
        for name in &saved.seen {
            match self.missing.take(name) {
                Some(name) => drop(self.seen.insert(name)),
                None if self.seen.contains(name) => {}
                None => return None,
            }
        }
        (self.events, self.processes, self.attributes) = (events, processes, attributes);
        Some(())
    }
}
