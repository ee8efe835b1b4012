//! The properties that the arguments mean.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use posetta::base::{Diagnostic, Kind, Place};
use posetta::logic::{Formula, Property, View, read_props};

use crate::args::Over;
use crate::problem::Problem;
use crate::read;

/// A property as reports show it.
#[derive(Clone, Debug)]
pub struct Named {
    /// Its name, else its formula.
    pub name: String,
    /// Whether the name is one that was given.
    pub has_name: bool,
    /// The formula, printed.
    pub formula: String,
    /// What its places are in: a path, or a flag.
    pub file: String,
    /// The names of its variables, each once, in the order of mention.
    pub variables: Vec<String>,
    /// What to check.
    pub property: Property,
}

impl Named {
    /// `file` is what the property's places are in.
    pub fn new(file: &str, property: Property) -> Self {
        let formula = property.formula.to_string();
        Self {
            name: property.name.clone().unwrap_or_else(|| formula.clone()),
            has_name: property.name.is_some(),
            formula,
            file: file.to_owned(),
            variables: variables(&property.formula),
            property,
        }
    }

    /// `ltl` or `ctl`.
    pub fn logic(&self) -> &'static str {
        match self.property.formula {
            Formula::Ltl(..) => "ltl",
            Formula::Ctl(_) => "ctl",
        }
    }

    /// `states` or `events`, for a linear property.
    pub fn over(&self) -> Option<&'static str> {
        match self.property.formula {
            Formula::Ltl(View::States, _) => Some("states"),
            Formula::Ltl(View::Events, _) => Some("events"),
            Formula::Ctl(_) => None,
        }
    }
}

/// Where properties are written.
#[derive(Clone, Debug)]
pub enum Source {
    Spec(PathBuf),
    Ltl(String, Over),
    Ctl(String),
}

/// Reads every source. Properties without a mistake are returned even if others have one.
pub fn read_all(sources: &[Source]) -> (Vec<Named>, Vec<Problem>) {
    let (mut all, mut problems) = (Vec::new(), Vec::new());
    let (mut ltl, mut ctl) = (Flag::new("--ltl"), Flag::new("--ctl"));
    for source in sources {
        match source {
            Source::Ltl(..) => ltl.total += 1,
            Source::Ctl(_) => ctl.total += 1,
            Source::Spec(_) => {}
        }
    }
    for source in sources {
        let (file, read) = match source {
            Source::Spec(path) => (path.display().to_string(), spec(path)),
            Source::Ltl(text, over) => (ltl.next(), linear(text, *over).map(|p| vec![p])),
            Source::Ctl(text) => (ctl.next(), Property::ctl(text).map(|p| vec![p])),
        };
        match read {
            Ok(properties) => all.extend(properties.into_iter().map(|p| Named::new(&file, p))),
            Err(diagnostics) => problems.extend(diagnostics.into_iter().map(|d| Problem::in_text(&file, d))),
        }
    }
    problems.extend(same_names(&all));
    (all, problems)
}

fn linear(text: &str, over: Over) -> Result<Property, Vec<Diagnostic>> {
    match over {
        Over::States => Property::ltl(text),
        Over::Events => Property::ltl_over_events(text),
    }
}

fn spec(path: &Path) -> Result<Vec<Property>, Vec<Diagnostic>> {
    let text = read::text(path).map_err(|d| vec![d])?;
    let properties = read_props(&text)?;
    if properties.is_empty() {
        let message = format!("`{}` has no property", path.display());
        return Err(vec![Diagnostic::new(Kind::Input, message).help("write one as `property NAME = ltl FORMULA`")]);
    }
    Ok(properties)
}

/// A formula on the command line is a text of its own, called after its flag.
struct Flag {
    flag: &'static str,
    total: usize,
    seen: usize,
}

impl Flag {
    fn new(flag: &'static str) -> Self {
        Self { flag, total: 0, seen: 0 }
    }

    fn next(&mut self) -> String {
        self.seen += 1;
        if self.total == 1 { self.flag.to_owned() } else { format!("{} #{}", self.flag, self.seen) }
    }
}

/// A name stands for one property in a report, so two files must not share one.
fn same_names(all: &[Named]) -> Vec<Problem> {
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

fn variables(formula: &Formula) -> Vec<String> {
    let (mut names, mut seen): (Vec<String>, HashSet<String>) = Default::default();
    let mut add = |atom: &posetta::logic::Atom| {
        atom.for_each_var(&mut |var| {
            if seen.insert(var.name.clone()) {
                names.push(var.name.clone());
            }
        });
    };
    match formula {
        Formula::Ltl(_, f) => drop(f.map_atoms(&mut |a| add(a))),
        Formula::Ctl(f) => drop(f.map_atoms(&mut |a| add(a))),
    }
    names
}
