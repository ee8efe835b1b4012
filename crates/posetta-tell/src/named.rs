//! A property under the name that reports give it.

use std::collections::{HashMap, HashSet};

use posetta_base::{Diagnostic, Kind, Place};
use posetta_logic::{Atom, Formula, Property, Psl, Quantifier, View, nearest};

use crate::paint::short;
use crate::problem::{Problem, is_file};
use crate::report::Written;

/// The most names in one message, and the longest of them.
const MOST_NAMES: usize = 12;
const LONGEST_NAME: usize = 40;

/// A property as reports show it.
#[derive(Clone, Debug)]
pub struct Named {
    /// Its name, else its formula; as it was written, if patterns make that shorter.
    pub name: String,
    /// Whether the name is one that was given.
    pub has_name: bool,
    /// The formula, printed.
    pub formula: String,
    /// What its places are in: a path, or a flag.
    pub file: String,
    /// The names of its variables, each once, in the order of mention.
    pub variables: Vec<String>,
    /// The names of the attributes that it asks for, each once.
    pub attributes: Vec<String>,
    /// What to check.
    pub property: Property,
}

impl Named {
    /// `file` is what the property's places are in.
    #[must_use]
    pub fn new(file: &str, property: Property) -> Self {
        let formula = property.formula.to_string();
        let written = property.source[property.span.start..property.span.end].trim();
        let unnamed = if property.unfolded && !written.contains('\n') { written } else { &formula };
        Self {
            name: property.name.clone().unwrap_or_else(|| unnamed.to_owned()),
            has_name: property.name.is_some(),
            formula,
            file: file.to_owned(),
            variables: variables(&property.formula),
            attributes: property.attributes(),
            property,
        }
    }

    /// Where it is written, if that is a file.
    #[must_use]
    pub fn written(&self) -> Option<Written> {
        let place = Place::in_text(&self.property.source, self.property.span);
        let file = Some(self.file.clone());
        is_file(&self.file).then_some(Written { file, line: place.line, column: Some(place.column) })
    }

    /// `ltl`, `ctl`, `psl`, `m2l` or `monitor`.
    #[must_use]
    pub fn logic(&self) -> &'static str {
        self.property.logic()
    }

    /// Whether it asks for one order instead of every one.
    #[must_use]
    pub fn asks_for_some(&self) -> bool {
        self.property.quantifier == Quantifier::Some
    }

    /// Whether it waits for a match that can be counted, as `cover` does.
    #[must_use]
    pub fn is_counted(&self) -> bool {
        self.asks_for_some() && matches!(self.property.formula, Formula::Psl(_, Psl::Eventually(_)))
    }

    /// `states` or `events`, for a linear property.
    #[must_use]
    pub fn over(&self) -> Option<&'static str> {
        self.property.formula.view().map(|view| match view {
            View::States => "states",
            View::Events => "events",
        })
    }

    /// The logic as it is written in front of a formula: `ltl over events`, say. Every order and over states are what goes without
    /// saying.
    #[must_use]
    pub fn spelled_logic(&self) -> String {
        let some = if self.asks_for_some() { "some " } else { "" };
        let over = if self.over() == Some("events") { " over events" } else { "" };
        let each = self.property.each.as_ref().map_or(String::new(), |each| format!("{each}: "));
        format!("{each}{some}{}{over}", self.logic())
    }
}

fn variables(formula: &Formula) -> Vec<String> {
    let (mut names, mut seen): (Vec<String>, HashSet<String>) = Default::default();
    let mut add = |atom: &Atom| {
        atom.for_each_var(&mut |var| {
            if var.is_of_trace() && seen.insert(var.name.clone()) {
                names.push(var.name.clone());
            }
        });
    };
    formula.for_each_atom(&mut add);
    names
}

/// Whether each name that `--property` gives is that of a property.
///
/// # Errors
/// With every name that is none.
pub fn find_names<'a>(wanted: &[String], names: impl Iterator<Item = &'a str>) -> Result<(), Vec<Problem>> {
    if wanted.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = names.collect();
    let missing = wanted.iter().filter(|name| !names.contains(&name.as_str()));
    let problems: Vec<Problem> = missing
        .map(|name| {
            let help = match (nearest(name, names.iter().copied()), &names[..]) {
                (Some(meant), _) => format!("did you mean `{meant}`?"),
                (None, []) => "there are no properties".to_owned(),
                (None, names) => format!("the properties are {}", shown_names(names)),
            };
            let diagnostic = Diagnostic::new(Kind::Input, format!("no property is called `{name}`"));
            Problem::in_text("--property", diagnostic.help(help))
        })
        .collect();
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// Names in a row, without those that would make it too long.
fn shown_names(names: &[&str]) -> String {
    let mut shown: Vec<String> =
        names.iter().take(MOST_NAMES).map(|name| format!("`{}`", short(name, LONGEST_NAME))).collect();
    if names.len() > MOST_NAMES {
        shown.push(format!("and {} more", names.len() - MOST_NAMES));
    }
    shown.join(", ")
}

/// A name stands for one property in a report, so two files must not share one.
#[must_use]
pub fn same_names(all: &[Named]) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut seen: HashMap<&str, &Named> = HashMap::new();
    for second in all.iter().filter(|p| p.has_name) {
        let first = *seen.entry(&second.name).or_insert(second);
        if !std::ptr::eq(first, second) {
            let message = format!("two properties are called `{}`", second.name);
            let diagnostic = Diagnostic::new(Kind::DuplicateProperty, message)
                .at(Place::in_text(&second.property.source, second.property.span))
                .label(format!("the other one is in {}", first.file));
            problems.push(Problem::in_text(&second.file, diagnostic));
        }
    }
    problems
}

/// Properties with a clock, for one who reads positions and not times: there the clock would be left out, and another question answered.
#[must_use]
pub fn clocked(all: &[Named]) -> Vec<Problem> {
    let refuse = |p: &Named| {
        let diagnostic = Diagnostic::new(Kind::Unsupported, "a property with a clock is one of waveforms")
            .at(Place::in_text(&p.property.source, p.property.span))
            .label("it has a clock")
            .help("for a model or a run that goes on, every position is a cycle: write it without the clock");
        Problem::in_text(&p.file, diagnostic)
    };
    all.iter().filter(|p| p.property.clock.is_some()).map(refuse).collect()
}
