//! The properties that the arguments mean.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use posetta::base::{Diagnostic, Kind, Place};
use posetta::logic::{Formula, Property, View, is_hoa, read_hoa, read_props_with};
use posetta::trace::Trace;

use crate::args::Over;
use crate::problem::Problem;
use crate::read;
use crate::root::{Root, RootArgs};

/// What `check` warns of on a run, given what binding the property to it warns of.
pub fn warnings(trace: &Trace, property: &Property, bound: &[Diagnostic]) -> Vec<Diagnostic> {
    let none = trace.is_empty().then(|| Diagnostic::new(Kind::NoEvents, "this run has no events"));
    property.warnings.iter().chain(bound).cloned().chain(none).collect()
}

/// That a comparison of a property divided by zero.
pub fn division_by_zero(property: &Named) -> Diagnostic {
    let place = Place::in_text(&property.property.source, property.property.span);
    Diagnostic::new(Kind::Type, "a division by zero: the comparison around it counts as false there")
        .at(place)
        .help("guard it, as in `y != 0 && x / y > 1`")
}

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
    /// What to check.
    pub property: Property,
}

impl Named {
    /// `file` is what the property's places are in.
    pub fn new(file: &str, property: Property) -> Self {
        let formula = property.formula.to_string();
        Self {
            name: property.title(),
            has_name: property.name.is_some(),
            formula,
            file: file.to_owned(),
            variables: variables(&property.formula),
            property,
        }
    }

    /// `ltl`, `ctl`, `psl`, `m2l` or `monitor`.
    pub fn logic(&self) -> &'static str {
        self.property.logic()
    }

    /// `states` or `events`, for a linear property.
    pub fn over(&self) -> Option<&'static str> {
        self.property.formula.view().map(|view| match view {
            View::States => "states",
            View::Events => "events",
        })
    }
}

/// Where properties are written.
#[derive(Clone, Debug)]
pub enum Source {
    Spec(PathBuf),
    /// A file with a monitor; the positions are for one that does not say what it reads.
    Monitor(PathBuf, Option<Over>),
    Ltl(String, Over),
    Ctl(String),
    Psl(String, Over),
    M2l(String, Over),
    /// A formula without a flag. It has been read, to find out that it is one.
    Bare(Box<Property>),
}

/// What the places of a formula without a flag are in.
pub const BARE: &str = "the property";

/// Reads every source. Properties without a mistake are returned even if others have one.
pub fn read_all(sources: &[Source], roots: &RootArgs) -> (Vec<Named>, Vec<Problem>) {
    read_all_but(sources, roots, &mut |_, _, _| false)
}

/// The same, but for files with `--spec` that somebody else takes, who is told their name, their text and how many properties were read before.
pub fn read_all_but(
    sources: &[Source],
    roots: &RootArgs,
    takes: &mut dyn FnMut(&str, &str, usize) -> bool,
) -> (Vec<Named>, Vec<Problem>) {
    let (mut all, mut problems) = (Vec::new(), Vec::new());
    let [mut ltl, mut ctl, mut psl, mut m2l] = ["--ltl", "--ctl", "--psl", "--m2l"].map(Flag::new);
    for source in sources {
        match source {
            Source::Ltl(..) => ltl.total += 1,
            Source::Ctl(_) => ctl.total += 1,
            Source::Psl(..) => psl.total += 1,
            Source::M2l(..) => m2l.total += 1,
            Source::Spec(_) | Source::Monitor(..) | Source::Bare(_) => {}
        }
    }
    // A file that is given twice, or given and imported, is read again for its definitions, but its properties count once.
    let mut seen: HashSet<(PathBuf, String)> = HashSet::new();
    for source in sources {
        let (file, read) = match source {
            Source::Spec(path) => {
                let (file, before) = (path.display().to_string(), all.len());
                let text = match read::text(path) {
                    Ok(text) if takes(&file, &text, before) => continue,
                    text => text,
                };
                (file, text.map_err(|d| vec![(None, d)]).and_then(|text| spec(path, &text, None, roots)))
            }
            Source::Monitor(path, over) => (path.display().to_string(), monitor(path, *over, roots)),
            Source::Ltl(text, over) => (ltl.next(), on_command_line(linear(text, *over))),
            Source::Ctl(text) => (ctl.next(), on_command_line(Property::ctl(text))),
            Source::Psl(text, over) => (psl.next(), on_command_line(Property::psl_over(over.view(), text))),
            Source::M2l(text, over) => (m2l.next(), on_command_line(Property::m2l_over(over.view(), text))),
            Source::Bare(property) => (BARE.to_owned(), Ok(vec![Property::clone(property)])),
        };
        match read {
            Ok(properties) => {
                for property in properties {
                    let from = property.file.as_deref().unwrap_or(&file).to_owned();
                    let is_new = match (&property.file, &property.name) {
                        (Some(path), Some(name)) => seen.insert((real_path(Path::new(&**path)), name.clone())),
                        _ => true,
                    };
                    if is_new {
                        all.push(Named::new(&from, property));
                    }
                }
            }
            Err(mistakes) => problems
                .extend(mistakes.into_iter().map(|(own, d)| Problem::in_text(own.as_deref().unwrap_or(&file), d))),
        }
    }
    problems.extend(same_names(&all));
    (all, problems)
}

/// An LTL formula over what `--over` says.
pub fn linear(text: &str, over: Over) -> Result<Property, Vec<Diagnostic>> {
    Property::ltl_over(over.view(), text)
}

impl Over {
    /// The positions that it means.
    pub fn view(self) -> View {
        match self {
            Self::States => View::States,
            Self::Events => View::Events,
        }
    }
}

/// Mistakes, each with the file it is in if that is not the one that was asked for.
type Mistakes = Vec<(Option<String>, Diagnostic)>;

fn on_command_line(read: Result<Property, Vec<Diagnostic>>) -> Result<Vec<Property>, Mistakes> {
    read.map(|p| vec![p]).map_err(|all| all.into_iter().map(|d| (None, d)).collect())
}

/// A property file that has a monitor, or an automaton.
fn monitor(path: &Path, over: Option<Over>, roots: &RootArgs) -> Result<Vec<Property>, Mistakes> {
    let text = read::text(path).map_err(|d| vec![(None, d)])?;
    let properties = spec(path, &text, over, roots)?;
    if properties.iter().any(|p| matches!(p.formula, Formula::Monitor(..))) {
        return Ok(properties);
    }
    let message = format!("`{}` has no monitor", path.display());
    let help = "write one as `monitor NAME { … }`, or give an automaton in the HOA format; other properties are given with --spec";
    Err(vec![(None, Diagnostic::new(Kind::Input, message).help(help))])
}

/// An automaton is called as it says, else after its file.
fn automaton(path: &Path, text: &str, over: Option<Over>) -> Result<Vec<Property>, Mistakes> {
    let view = over.map_or(View::Events, Over::view);
    let mut property = read_hoa(text, view).map_err(|all| all.into_iter().map(|d| (None, d)).collect::<Mistakes>())?;
    let stem = || path.file_stem().map_or_else(|| "-".to_owned(), |stem| stem.to_string_lossy().into_owned());
    property.name = Some(property.name.take().filter(|name| !name.trim().is_empty()).unwrap_or_else(stem));
    property.file = Some(path.display().to_string().into());
    Ok(vec![property])
}

fn spec(path: &Path, text: &str, over: Option<Over>, roots: &RootArgs) -> Result<Vec<Property>, Mistakes> {
    if is_hoa(text) {
        return automaton(path, text, over);
    }
    let mut root = Root::of(roots, path);
    let mut load = |from: &str, wanted: &str| root.load(from, wanted);
    let properties = read_props_with(&path.display().to_string(), text, &mut load)
        .map_err(|all| all.into_iter().map(|m| (Some(m.file.to_string()), m.diagnostic)).collect::<Mistakes>())?;
    if properties.is_empty() {
        let message = format!("`{}` has no property", path.display());
        let diagnostic = Diagnostic::new(Kind::Input, message).help("write one as `property NAME = ltl FORMULA`");
        return Err(vec![(None, diagnostic)]);
    }
    Ok(properties)
}

fn real_path(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
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
    formula.for_each_atom(&mut add);
    names
}
