//! The properties that the arguments mean.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use posetta_base::{Diagnostic, Kind, Mistakes, Place};
use posetta_formats as formats;
use posetta_logic::{
    Clock, Edge, Flavour, Formula, Property, Quantifier, View, is_hoa, is_unit_file, nearest, read_hoa,
    read_props_with, read_units,
};
pub use posetta_tell::{BARE, Named};

use crate::args::Over;
use crate::inputs::extension;
use crate::paint::short;
use crate::problem::Problem;
use crate::read;
use crate::root::{Root, RootArgs};
use crate::sampling::{EdgeName, SamplingArgs};

/// The most names in one message, and the longest of them.
const MOST_NAMES: usize = 12;
const LONGEST_NAME: usize = 40;

/// Where properties are written.
#[derive(Clone, Debug)]
pub enum Source {
    /// A file, and the HDL whose words it has, if that was said.
    Spec(PathBuf, Option<Flavour>),
    /// A file with a monitor; the positions are for one that does not say what it reads.
    Monitor(PathBuf, Option<Over>),
    Ltl(String, Over, Quantifier),
    Ctl(String),
    Psl(String, Flavour, Over, Quantifier),
    M2l(String, Over, Quantifier),
    /// A formula without a flag. It has been read, to find out that it is one.
    Bare(Box<Property>),
}

impl Source {
    /// Whether it is asked of every order or of some by a flag.
    pub fn has_quantifier(&self) -> bool {
        matches!(self, Self::Ltl(..) | Self::Psl(..) | Self::M2l(..))
    }
}

/// Reads every source. Properties without a mistake are returned even if others have one.
fn read_all(sources: &[Source], roots: &RootArgs) -> (Vec<Named>, Vec<Problem>) {
    read_all_but(sources, roots, &mut |_, _, _| false)
}

/// The same, but for files with `--spec` that somebody else takes, who is told their name, their text and how many properties were read before.
pub fn read_all_but(
    sources: &[Source],
    roots: &RootArgs,
    takes: &mut dyn FnMut(&str, &str, usize) -> bool,
) -> (Vec<Named>, Vec<Problem>) {
    let (all, mut problems) = read_sources(sources, roots, takes);
    problems.extend(all.iter().filter(|p| p.property.clock.is_some()).map(|p| {
        let place = Place::in_text(&p.property.source, p.property.span);
        let diagnostic = Diagnostic::new(Kind::Unsupported, "a property with a clock is one of waveforms")
            .at(place)
            .label("it has a clock")
            .help("`posetta check` reads them; elsewhere every position is a cycle: write it without the clock");
        Problem::in_text(&p.file, diagnostic)
    }));
    (all, problems)
}

fn read_sources(
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
            Source::Spec(..) | Source::Monitor(..) | Source::Bare(_) => {}
        }
    }
    // A file that is given twice, or given and imported, is read again for its definitions, but its properties count once.
    let mut seen: HashSet<(PathBuf, String)> = HashSet::new();
    for source in sources {
        let (file, read) = match source {
            Source::Spec(path, flavour) => {
                let (file, before) = (path.display().to_string(), all.len());
                let text = match read::text(path) {
                    Ok(text) if takes(&file, &text, before) => continue,
                    text => text,
                };
                (
                    file,
                    text.map_err(|d| vec![(None, d)]).and_then(|text| match is_unit_file(&path.to_string_lossy()) {
                        true => units(path, &text, *flavour),
                        false => spec(path, &text, None, roots),
                    }),
                )
            }
            Source::Monitor(path, over) => (path.display().to_string(), monitor(path, *over, roots)),
            Source::Ltl(text, over, quantifier) => (ltl.next(), on_command_line(linear(text, *over), *quantifier)),
            Source::Ctl(text) => (ctl.next(), on_command_line(Property::ctl(text), Quantifier::Every)),
            Source::Psl(text, flavour, over, quantifier) => {
                (psl.next(), on_command_line(Property::psl_in(*flavour, over.view(), text), *quantifier))
            }
            Source::M2l(text, over, quantifier) => {
                (m2l.next(), on_command_line(Property::m2l_over(over.view(), text), *quantifier))
            }
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

/// Whether each name that `--property` gives is that of a property.
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

/// The properties that the arguments mean and `--property` names, if there is no mistake in any.
pub fn read_chosen(sources: &[Source], roots: &RootArgs, wanted: &[String]) -> Result<Vec<Named>, Vec<Problem>> {
    let (all, problems) = read_all(sources, roots);
    if problems.is_empty() { chosen(all, wanted) } else { Err(problems) }
}

/// The same for a command that samples waveforms: with the clock that the properties name, if they do.
pub fn read_clocked(
    sources: &[Source],
    roots: &RootArgs,
    wanted: &[String],
    sampling: &SamplingArgs,
) -> Result<(Vec<Named>, SamplingArgs), Vec<Problem>> {
    let (all, problems) = read_sources(sources, roots, &mut |_, _, _| false);
    if !problems.is_empty() {
        return Err(problems);
    }
    let all = chosen(all, wanted)?;
    let sampling = one_clock(&all, sampling)?;
    Ok((all, sampling))
}

/// A run is sampled once, so all properties that are asked of it must mean the same clock.
fn one_clock(all: &[Named], given: &SamplingArgs) -> Result<SamplingArgs, Vec<Problem>> {
    let Some((first, clock)) = all.iter().find_map(|p| Some((p, p.property.clock.as_ref()?))) else {
        return Ok(given.clone());
    };
    let refuse = |p: &Named, message: String, help: String| {
        let place = Place::in_text(&p.property.source, p.property.span);
        Err(vec![Problem::in_text(&p.file, Diagnostic::new(Kind::Input, message).at(place).help(help))])
    };
    let told = |clock: &Clock| match clock.edge {
        Edge::Rising => format!("(posedge {})", clock.signal),
        Edge::Falling => format!("(negedge {})", clock.signal),
        Edge::Both => format!("(edge {})", clock.signal),
    };
    if given.clock.is_some() {
        let message = format!("this property has the clock {}, and --clock gives another", told(clock));
        return refuse(first, message, "leave --clock out".to_owned());
    }
    for p in all {
        match &p.property.clock {
            Some(other) if other == clock => {}
            Some(other) => {
                let message = format!("the properties have the clocks {} and {}", told(clock), told(other));
                return refuse(p, message, "check them one clock at a time, with --property".to_owned());
            }
            None => {
                let message = format!("this property has no clock, and `{}` has {}", first.name, told(clock));
                return refuse(p, message, format!("write it as `f @ {}`, or check it by itself", told(clock)));
            }
        }
    }
    let edge = match clock.edge {
        Edge::Rising => EdgeName::Rising,
        Edge::Falling => EdgeName::Falling,
        Edge::Both => EdgeName::Both,
    };
    Ok(SamplingArgs { clock: Some(clock.signal.clone()), edge: Some(edge), ..given.clone() })
}

/// Only the properties that `--property` names, or all of them if it names none.
fn chosen(all: Vec<Named>, wanted: &[String]) -> Result<Vec<Named>, Vec<Problem>> {
    find_names(wanted, all.iter().map(|property| property.name.as_str()))?;
    Ok(all.into_iter().filter(|property| wanted.is_empty() || wanted.contains(&property.name)).collect())
}

/// An LTL formula over what `--over` says.
pub fn linear(text: &str, over: Over) -> Result<Property, Mistakes> {
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
type Found = Vec<(Option<String>, Diagnostic)>;

fn on_command_line(read: Result<Property, Mistakes>, quantifier: Quantifier) -> Result<Vec<Property>, Found> {
    read.map(|p| vec![if quantifier == Quantifier::Some { p.some() } else { p }])
        .map_err(|all| all.into_iter().map(|d| (None, d)).collect())
}

/// A property file that has a monitor, or an automaton.
fn monitor(path: &Path, over: Option<Over>, roots: &RootArgs) -> Result<Vec<Property>, Found> {
    let text = read::text(path).map_err(|d| vec![(None, d)])?;
    let properties = spec(path, &text, over, roots)?;
    if properties.iter().any(|p| matches!(p.formula, Formula::Monitor(..))) {
        return Ok(properties);
    }
    let message = format!("`{}` has no monitor", path.display());
    let help = "write one as `monitor NAME { … }`, or give an automaton in the HOA format; other properties are given with --spec";
    Err(vec![(None, Diagnostic::of_input(Kind::Input, message).help(help))])
}

/// An automaton is called as it says, else after its file.
fn automaton(path: &Path, text: &str, over: Option<Over>) -> Result<Vec<Property>, Found> {
    let view = over.map_or(View::Events, Over::view);
    let mut property = read_hoa(text, view).map_err(|all| all.into_iter().map(|d| (None, d)).collect::<Found>())?;
    let stem = || path.file_stem().map_or_else(|| "-".to_owned(), |stem| stem.to_string_lossy().into_owned());
    property.name = Some(property.name.take().filter(|name| !name.trim().is_empty()).unwrap_or_else(stem));
    property.file = Some(path.display().to_string().into());
    Ok(vec![property])
}

/// The directives of a PSL file, or of the source of a design.
fn units(path: &Path, text: &str, flavour: Option<Flavour>) -> Result<Vec<Property>, Found> {
    let name = path.display().to_string();
    let properties = read_units(&name, text, flavour)
        .map_err(|all| all.into_iter().map(|m| (Some(m.file.to_string()), m.diagnostic)).collect::<Found>())?;
    if properties.is_empty() {
        let diagnostic = Diagnostic::of_input(Kind::Input, format!("`{name}` has no directive of PSL"))
            .help("write one as `assert always a -> next b;`, in a source of a design in a comment: `-- psl assert …;`, `// psl assert …;`");
        return Err(vec![(None, diagnostic)]);
    }
    Ok(properties)
}

fn spec(path: &Path, text: &str, over: Option<Over>, roots: &RootArgs) -> Result<Vec<Property>, Found> {
    if is_hoa(text) {
        return automaton(path, text, over);
    }
    let mut root = Root::of(roots, path);
    let mut load = |from: &str, wanted: &str| root.load(from, wanted);
    let properties =
        read_props_with(&path.display().to_string(), text, &mut load).map_err(|all| match a_run(path, text) {
            Some(mistake) => vec![(None, mistake)],
            None => all.into_iter().map(|m| (Some(m.file.to_string()), m.diagnostic)).collect::<Found>(),
        })?;
    if properties.is_empty() {
        let message = format!("`{}` has no property", path.display());
        let diagnostic = Diagnostic::of_input(Kind::Input, message).help("write one as `property NAME = ltl FORMULA`");
        return Err(vec![(None, diagnostic)]);
    }
    Ok(properties)
}

/// A file that cannot be read as properties may be a run.
fn a_run(path: &Path, text: &str) -> Option<Diagnostic> {
    let is_property = |line: &str| line.trim_start().starts_with("property ");
    if path.extension().is_some_and(|own| own == "props") || text.lines().any(is_property) {
        return None;
    }
    let format = formats::detect(text.as_bytes(), extension(path)).ok().flatten()?;
    let name = path.display();
    let message = format!("`{name}` is a run ({}), and properties are expected here", format.name());
    let help = format!(
        "`posetta info {name}` says what the run is like; `posetta check {name} --ltl FORMULA` checks a property on it"
    );
    Some(Diagnostic::of_input(Kind::Input, message).help(help))
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
