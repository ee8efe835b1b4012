//! The properties that the arguments mean.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use posetta_base::{Diagnostic, Kind, Mistakes, Place};
use posetta_files::properties::{Found, Spec, spec};
use posetta_logic::{Clock, Edge, Flavour, Formula, Property, Quantifier, View};
use posetta_model::mcc;
pub use posetta_tell::{BARE, Named, find_names};
use posetta_tell::{clocked, same_names};

use crate::args::Over;
use crate::problem::Problem;
use crate::root::RootArgs;
use crate::sampling::{EdgeName, SamplingArgs};
use crate::{carets, inputs, output, paint, read};

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

/// What the sources say.
#[derive(Default)]
pub struct All {
    /// Properties without a mistake, even if others have one.
    pub properties: Vec<Named>,
    pub problems: Vec<Problem>,
    /// What is wrong with single directives of PSL. It does not concern the others.
    pub unread: Vec<Problem>,
}

impl All {
    /// The properties that are wanted, if there is no mistake in any; of directives that cannot be read only if all are wanted.
    fn chosen(self, wanted: &[String]) -> Result<Vec<Named>, Vec<Problem>> {
        let Self { properties, mut problems, unread } = self;
        if wanted.is_empty() {
            problems.extend(unread);
            return if problems.is_empty() { Ok(properties) } else { Err(problems) };
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        // What is wanted may be one of those.
        chosen(properties, wanted).map_err(|missing| missing.into_iter().chain(unread).collect())
    }
}

/// The same, but for files with `--spec` that somebody else takes, who is told their name, their text and how many properties were read before.
pub fn read_all_but(sources: &[Source], roots: &RootArgs, takes: &mut dyn FnMut(&str, &str, usize) -> bool) -> All {
    let mut all = read_sources(sources, roots, takes);
    all.problems.extend(clocked(&all.properties));
    all
}

/// The sources with the files that patterns match in the place of these. Of XML only sets of properties count: beside those of a model of the
/// contest there are files that hold none.
fn expanded(sources: &[Source], roots: &RootArgs) -> (Vec<Source>, Vec<Problem>) {
    let (mut all, mut problems) = (Vec::with_capacity(sources.len()), Vec::new());
    for source in sources {
        let Source::Spec(pattern, flavour) = source else {
            all.push(source.clone());
            continue;
        };
        match inputs::matching(pattern, roots) {
            None => all.push(source.clone()),
            Some(Err(mistakes)) => problems.extend(mistakes),
            Some(Ok(files)) => {
                let is_other = |file: &Path| {
                    let text = read::text(file).unwrap_or_default();
                    text.trim_start_matches('\u{feff}').trim_start().starts_with('<') && !mcc::is_property_set(&text)
                };
                let (others, files): (Vec<PathBuf>, Vec<PathBuf>) = files.into_iter().partition(|file| is_other(file));
                for other in others {
                    let name = other.display().to_string();
                    let message = format!("`{name}` holds no properties, and is left out");
                    let warning = Diagnostic::new(Kind::Unmatched, message);
                    output::note(&carets::warning(&name, None, &warning, paint::stderr()));
                }
                all.extend(files.into_iter().map(|file| Source::Spec(file, *flavour)));
            }
        }
    }
    (all, problems)
}

fn read_sources(sources: &[Source], roots: &RootArgs, takes: &mut dyn FnMut(&str, &str, usize) -> bool) -> All {
    let (sources, mut problems) = expanded(sources, roots);
    let (mut all, mut unread) = (Vec::new(), Vec::new());
    let [mut ltl, mut ctl, mut psl, mut m2l] = ["--ltl", "--ctl", "--psl", "--m2l"].map(Flag::new);
    for source in &sources {
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
    for source in &sources {
        let (file, read) = match source {
            Source::Spec(path, flavour) => {
                let (file, before) = (path.display().to_string(), all.len());
                let text = match read::text(path) {
                    Ok(text) if takes(&file, &text, before) => continue,
                    text => text,
                };
                let read = text.map_err(|d| vec![(None, d)]).and_then(|text| spec(path, &text, None, *flavour, roots));
                let read = read.map(|spec| {
                    let problem = |(own, d): (Option<String>, _)| Problem::in_text(own.as_deref().unwrap_or(&file), d);
                    unread.extend(spec.unread.into_iter().map(problem));
                    spec.properties
                });
                (file, read)
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
    All { properties: all, problems, unread }
}

/// The properties that the arguments mean and `--property` names, if there is no mistake in any.
pub fn read_chosen(sources: &[Source], roots: &RootArgs, wanted: &[String]) -> Result<Vec<Named>, Vec<Problem>> {
    read_all_but(sources, roots, &mut |_, _, _| false).chosen(wanted)
}

/// Properties, and how waveforms are sampled for them.
pub struct Clocked {
    pub properties: Vec<Named>,
    /// One at least, all different.
    pub samplings: Vec<SamplingArgs>,
    /// For each property which of these.
    pub of: Vec<usize>,
    /// Directives that cannot be read.
    pub unread: Vec<Problem>,
}

impl Clocked {
    /// The sampling of all properties, if that is one.
    pub fn once(self) -> Result<(Vec<Named>, SamplingArgs), Vec<Problem>> {
        let Self { properties, mut samplings, of, unread } = self;
        if !unread.is_empty() {
            return Err(unread);
        }
        if samplings.len() == 1 {
            return Ok((properties, samplings.remove(0)));
        }
        let word = |p: &Named| p.property.clock.as_ref().map_or("no clock".to_owned(), |c| format!("the clock ({c})"));
        let other = of.iter().position(|&own| own != 0).map_or(&properties[0], |place| &properties[place]);
        let first = &properties[0];
        let message =
            format!("this property has {}, `{}` has {}, and this is read once", word(other), first.name, word(first));
        let help = "take one clock at a time, with --property; `posetta check` reads a file for all of them";
        let diagnostic = other.property.mistake(Kind::Unsupported, other.property.span, message).help(help);
        Err(vec![Problem::in_text(&other.file, diagnostic)])
    }
}

/// The same for a command that samples waveforms: with the clocks that the properties name, if they do.
pub fn read_clocked(
    sources: &[Source],
    roots: &RootArgs,
    wanted: &[String],
    sampling: &SamplingArgs,
) -> Result<Clocked, Vec<Problem>> {
    let mut all = read_sources(sources, roots, &mut |_, _, _| false);
    // Whoever asks for some properties does not ask for these.
    let unread = if wanted.is_empty() { std::mem::take(&mut all.unread) } else { Vec::new() };
    Ok(Clocked { unread, ..samplings(all.chosen(wanted)?, sampling)? })
}

/// For a command that reads a run once.
pub fn read_once(
    sources: &[Source],
    roots: &RootArgs,
    wanted: &[String],
    sampling: &SamplingArgs,
) -> Result<(Vec<Named>, SamplingArgs), Vec<Problem>> {
    read_clocked(sources, roots, wanted, sampling).and_then(Clocked::once)
}

/// A run is sampled once for each clock; what has none is sampled as the flags say.
fn samplings(properties: Vec<Named>, given: &SamplingArgs) -> Result<Clocked, Vec<Problem>> {
    if given.clock.is_some()
        && properties.iter().all(|p| p.property.clock.is_some())
        && let Some((p, clock)) = properties.iter().find_map(|p| Some((p, p.property.clock.as_ref()?)))
    {
        let message = format!("this property has the clock ({clock}), and --clock gives another");
        let place = Place::in_text(&p.property.source, p.property.span);
        let diagnostic = Diagnostic::new(Kind::Input, message).at(place).help("leave --clock out");
        return Err(vec![Problem::in_text(&p.file, diagnostic)]);
    }
    let sampling = |clock: Option<&Clock>| match clock {
        None => given.clone(),
        Some(clock) => {
            let edge = match clock.edge {
                Edge::Rising => EdgeName::Rising,
                Edge::Falling => EdgeName::Falling,
                Edge::Both => EdgeName::Both,
            };
            SamplingArgs { clock: Some(clock.signal.clone()), edge: Some(edge), ..given.clone() }
        }
    };
    let mut samplings: Vec<SamplingArgs> = Vec::new();
    let mut of = Vec::with_capacity(properties.len());
    for property in &properties {
        let own = sampling(property.property.clock.as_ref());
        let known = samplings.iter().position(|known| known.sampling() == own.sampling());
        of.push(known.unwrap_or(samplings.len()));
        if known.is_none() {
            samplings.push(own);
        }
    }
    if samplings.is_empty() {
        samplings.push(given.clone());
    }
    Ok(Clocked { properties, samplings, of, unread: Vec::new() })
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

fn on_command_line(read: Result<Property, Mistakes>, quantifier: Quantifier) -> Result<Vec<Property>, Found> {
    read.map(|p| vec![if quantifier == Quantifier::Some { p.some() } else { p }])
        .map_err(|all| all.into_iter().map(|d| (None, d)).collect())
}

/// A property file that has a monitor, or an automaton.
fn monitor(path: &Path, over: Option<Over>, roots: &RootArgs) -> Result<Vec<Property>, Found> {
    let text = read::text(path).map_err(|d| vec![(None, d)])?;
    let Spec { properties, unread } = spec(path, &text, over.map(Over::view), None, roots)?;
    if !unread.is_empty() {
        return Err(unread);
    }
    if properties.iter().any(|p| matches!(p.formula, Formula::Monitor(..))) {
        return Ok(properties);
    }
    let message = format!("`{}` has no monitor", path.display());
    let help = "write one as `monitor NAME { … }`, or give an automaton in the HOA format; other properties are given with --spec";
    Err(vec![(None, Diagnostic::of_input(Kind::Input, message).help(help))])
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
