//! Properties: a formula with a name, as written on the command line or in a property file ([`super::props`]).

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use super::atom::Atom;
use super::ctl::Ctl;
use super::each::{Domain, Each};
use super::flavour::Flavour;
use super::having::Test;
use super::ltl::Ltl;
use super::m2l::{M2l, parse_property};
use super::monitor::Monitor;
use super::parse::{Lone, lone_ctl, lone_ltl, lone_psl};
use super::print::quoted_name;
use super::psl::{Clock, Psl};
use super::trigger::Trigger;
use posetta_base::{Diagnostic, Kind, Mistakes, Place, Span, Subject, Value};

/// Which positions a linear formula reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum View {
    /// Positions 0..n: the initial state, then the state after each event.
    #[default]
    States,
    /// Positions 1..n: the events only.
    Events,
}

/// How many of the orders of a run must satisfy a linear property.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Quantifier {
    /// All of them.
    #[default]
    Every,
    /// At least one.
    Some,
}

/// What a property demands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    /// A linear formula, for runs.
    Ltl(View, Ltl),
    /// A branching formula, at the empty cut.
    Ctl(Ctl),
    /// A PSL formula, for runs.
    Psl(View, Psl),
    /// A formula of M2L, for runs. Copies share its automaton.
    M2l(View, Arc<M2l>),
    /// A monitor, which runs must not lead to a bad end.
    Monitor(View, Monitor),
}

impl Formula {
    /// Calls `f` with every atom as written, from left to right.
    pub fn for_each_atom(&self, mut f: impl FnMut(&Atom)) {
        match self {
            Self::Ltl(_, formula) => drop(formula.map_atoms(&mut |a| f(a))),
            Self::Ctl(formula) => drop(formula.map_atoms(&mut |a| f(a))),
            Self::Psl(_, formula) => drop(formula.map_atoms(&mut |a| f(a))),
            Self::M2l(_, formula) => formula.program().atoms.iter().for_each(|(_, a)| f(a)),
            Self::Monitor(_, monitor) => drop(monitor.map_atoms(&mut |a| f(a))),
        }
    }

    /// The same about a value, where it speaks of the one that an instance is about.
    #[must_use]
    pub fn about(&self, value: &Value) -> Self {
        let mut atom = |atom: &Atom| atom.about(value);
        match self {
            Self::Ltl(view, formula) => Self::Ltl(*view, formula.map_atoms(&mut atom)),
            Self::Ctl(formula) => Self::Ctl(formula.map_atoms(&mut atom)),
            Self::Psl(view, formula) => Self::Psl(*view, formula.map_atoms(&mut atom)),
            Self::Monitor(view, monitor) => Self::Monitor(*view, monitor.map_atoms(&mut atom)),
            Self::M2l(view, formula) => {
                let mut program = formula.program().clone();
                if program.atoms.iter().all(|(_, own)| atom(own) == *own) {
                    return Self::M2l(*view, Arc::clone(formula));
                }
                program.atoms.iter_mut().for_each(|(_, own)| *own = atom(own));
                Self::M2l(*view, Arc::new(M2l::new(program)))
            }
        }
    }

    /// Calls `f` with every test of an attribute, from left to right.
    pub fn for_each_test(&self, mut f: impl FnMut(&Test)) {
        self.for_each_atom(|atom| {
            if let Atom::Having(having) = atom {
                having.tests.iter().for_each(&mut f);
            }
        });
    }

    /// The conjunction of formulas of one logic and view, each as one operand; `None` if there are none, if they differ, or in a logic
    /// without conjunction.
    #[must_use]
    pub fn all_of<'f>(formulas: impl IntoIterator<Item = &'f Self>) -> Option<Self> {
        let mut all: Option<Self> = None;
        for formula in formulas {
            match (&mut all, formula) {
                (None, Self::Ltl(view, f)) => all = Some(Self::Ltl(*view, Ltl::And(vec![f.clone()]))),
                (None, Self::Ctl(f)) => all = Some(Self::Ctl(Ctl::And(vec![f.clone()]))),
                (None, Self::Psl(view, f)) => all = Some(Self::Psl(*view, Psl::And(vec![f.clone()]))),
                (Some(Self::Ltl(view, Ltl::And(fs))), Self::Ltl(other, f)) if view == other => fs.push(f.clone()),
                (Some(Self::Ctl(Ctl::And(fs))), Self::Ctl(f)) => fs.push(f.clone()),
                (Some(Self::Psl(view, Psl::And(fs))), Self::Psl(other, f)) if view == other => fs.push(f.clone()),
                _ => return None,
            }
        }
        all
    }

    /// The positions that it reads, for a property of single runs.
    #[must_use]
    pub fn view(&self) -> Option<View> {
        match self {
            Self::Ltl(view, _) | Self::Psl(view, _) | Self::M2l(view, _) | Self::Monitor(view, _) => Some(*view),
            Self::Ctl(_) => None,
        }
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ltl(_, formula) => formula.fmt(f),
            Self::Ctl(formula) => formula.fmt(f),
            Self::Psl(_, formula) => formula.fmt(f),
            Self::M2l(_, formula) => formula.fmt(f),
            Self::Monitor(_, monitor) => monitor.fmt(f),
        }
    }
}

/// A property and where it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// Its name, if it was given one.
    pub name: Option<String>,
    /// What it demands.
    pub formula: Formula,
    /// Of how many orders, if it is linear.
    pub quantifier: Quantifier,
    /// For each of which values, if it has instances.
    pub each: Option<Arc<Each>>,
    /// The whole text that it was written in; spans in the formula refer to it.
    pub source: Arc<str>,
    /// The formula's own part of the source.
    pub span: Span,
    /// What the source is called, if it is a file: with imports a property need not stand in the file that was asked for.
    pub file: Option<Arc<str>>,
    /// Things worth knowing about the property on any run.
    pub warnings: Vec<Diagnostic>,
    /// Whether definitions or patterns were put in, so that the formula is not what was written.
    pub unfolded: bool,
    /// What has to come true before it asks for anything, in the order in which a reader meets it.
    pub triggers: Vec<Trigger>,
    /// The names of events that a run need not have: those that its file declares, and the files that go with it.
    pub declared_events: Arc<BTreeSet<String>>,
    /// At which edges of a waveform its positions are, if it says so itself.
    pub clock: Option<Clock>,
    /// What is to be said of it when it fails, or of a `cover` when it is met, if its author wrote that down.
    pub remark: Option<Arc<Remark>>,
}

/// `report "…" severity …` of a directive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remark {
    /// What is said.
    pub message: Option<String>,
    /// How bad it is.
    pub severity: Option<Severity>,
}

/// How bad its author calls a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// To look at.
    Warning,
    /// A mistake.
    Error,
    /// A mistake after which nothing is worth anything.
    Failure,
}

impl Severity {
    /// All of them, the mildest first.
    pub const ALL: [Self; 4] = [Self::Note, Self::Warning, Self::Error, Self::Failure];

    /// `note`, `warning`, `error` or `failure`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Failure => "failure",
        }
    }
}

impl Property {
    fn unnamed(source: &str, formula: Formula) -> Self {
        Self::written(source.into(), Span::new(0, source.len()), formula)
    }

    /// A property as it stands in a text, of which nothing else is known.
    pub(super) fn written(source: Arc<str>, span: Span, formula: Formula) -> Self {
        Self {
            name: None,
            formula,
            quantifier: Quantifier::Every,
            each: None,
            source,
            span,
            file: None,
            warnings: Vec::new(),
            unfolded: false,
            triggers: Vec::new(),
            declared_events: Arc::default(),
            clock: None,
            remark: None,
        }
    }

    /// An LTL formula over states.
    ///
    /// # Errors
    /// With the mistakes in the formula.
    pub fn ltl(source: &str) -> Result<Self, Mistakes> {
        Self::ltl_over(View::States, source)
    }

    /// An LTL formula over events.
    ///
    /// # Errors
    /// With the mistakes in the formula.
    pub fn ltl_over_events(source: &str) -> Result<Self, Mistakes> {
        Self::ltl_over(View::Events, source)
    }

    /// An LTL formula.
    ///
    /// # Errors
    /// With the mistakes in the formula.
    pub fn ltl_over(view: View, source: &str) -> Result<Self, Mistakes> {
        let Lone { formula, warnings, unfolded, triggers, .. } = lone_ltl(view, source)?;
        Ok(Self { warnings, unfolded, triggers, ..Self::unnamed(source, Formula::Ltl(view, formula)) })
    }

    /// A CTL formula.
    ///
    /// # Errors
    /// With the mistakes in the formula.
    pub fn ctl(source: &str) -> Result<Self, Mistakes> {
        let Lone { formula, warnings, unfolded, triggers, .. } = lone_ctl(source)?;
        Ok(Self { warnings, unfolded, triggers, ..Self::unnamed(source, Formula::Ctl(formula)) })
    }

    /// A formula of M2L, perhaps with definitions before it, whose free sets are atoms in backquotes.
    ///
    /// # Errors
    /// With the mistakes in the formula.
    pub fn m2l_over(view: View, source: &str) -> Result<Self, Mistakes> {
        Ok(Self::unnamed(source, Formula::M2l(view, Arc::new(M2l::new(parse_property(source)?)))))
    }

    /// A PSL formula.
    ///
    /// # Errors
    /// With the mistakes in the formula.
    pub fn psl_over(view: View, source: &str) -> Result<Self, Mistakes> {
        Self::psl_in(Flavour::Any, view, source)
    }

    /// A PSL formula with the words and the precedence of an HDL.
    ///
    /// # Errors
    /// With the mistakes in the formula.
    pub fn psl_in(flavour: Flavour, view: View, source: &str) -> Result<Self, Mistakes> {
        let Lone { formula, warnings, unfolded, triggers, clock } = lone_psl(view, flavour, source)?;
        Ok(Self { warnings, unfolded, triggers, clock, ..Self::unnamed(source, Formula::Psl(view, formula)) })
    }

    /// The same, of at least one order of a run instead of every one. A branching property says that itself and stays as it is.
    #[must_use]
    pub fn some(mut self) -> Self {
        if self.formula.view().is_some() {
            self.quantifier = Quantifier::Some;
        }
        self
    }

    /// The names of the attributes that it asks for, each once.
    #[must_use]
    pub fn attributes(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        if let Some(Domain::Values(name)) = self.each.as_ref().map(|each| &each.domain) {
            names.push(name.clone());
        }
        self.formula.for_each_test(|test| {
            if !names.contains(&test.attribute) {
                names.push(test.attribute.clone());
            }
        });
        names
    }

    /// What reports call it: its name, else its formula; as it was written, if patterns make that shorter.
    #[must_use]
    pub fn title(&self) -> String {
        let written = || self.source.get(self.span.start..self.span.end).map(str::trim);
        match &self.name {
            Some(name) => name.clone(),
            None => match written().filter(|written| self.unfolded && !written.contains('\n')) {
                Some(written) => written.to_owned(),
                None => self.formula.to_string(),
            },
        }
    }

    /// `ltl`, `ctl`, `psl` or `monitor`.
    #[must_use]
    pub fn logic(&self) -> &'static str {
        match self.formula {
            Formula::Ltl(..) => "ltl",
            Formula::Ctl(_) => "ctl",
            Formula::Psl(..) => "psl",
            Formula::M2l(..) => "m2l",
            Formula::Monitor(..) => "monitor",
        }
    }

    /// The warning that a comparison divided by zero.
    #[must_use]
    pub fn division_by_zero(&self) -> Diagnostic {
        self.mistake(Kind::Type, self.span, "a division by zero: the comparison around it counts as false there")
            .help("guard it, as in `y != 0 && x / y > 1`")
    }

    /// The mistake of asking a run or a stream which actions can take place; `None` if it does not ask.
    #[must_use]
    pub fn asks_for_actions(&self) -> Option<Diagnostic> {
        let mut asks = false;
        self.formula.for_each_atom(|atom| asks |= matches!(atom, Atom::Enabled(_)));
        asks.then(|| {
            self.mistake(Kind::Unsupported, self.span, "`enabled` is for systems of components")
                .label("only they know what can happen besides what does")
                .help("ask whether it happens: event(name)")
        })
    }

    /// The mistake of asking something that has no orders to choose from for some order; `None` if it does not ask. `subject` is what
    /// was asked, as in `a stream`, `why` says what it is instead.
    #[must_use]
    pub fn asks_for_some_order(&self, subject: &str, why: &str) -> Option<Diagnostic> {
        (self.quantifier == Quantifier::Some).then(|| {
            self.mistake(
                Kind::Unsupported,
                self.span,
                format!("`some` asks for an order of a run, and this is {subject}"),
            )
            .label(why)
            .help("leave `some` out, or decide it with `check` on a run")
        })
    }

    /// The warning that no event of a run or a stream (`place`) has a name, with the one that was probably meant.
    #[must_use]
    pub fn no_event(&self, place: &str, name: &str, meant: Option<&str>) -> Diagnostic {
        let warning = self.never_occurs(place, "event", name, meant).about(Subject::Event(name.to_owned()), meant);
        if meant.is_some() { warning } else { warning.help(declaration(name)) }
    }

    /// The same for the name of a process.
    #[must_use]
    pub fn no_process(&self, place: &str, name: &str, meant: Option<&str>) -> Diagnostic {
        self.never_occurs(place, "process", name, meant).about(Subject::Process(name.to_owned()), meant)
    }

    fn never_occurs(&self, place: &str, sort: &str, name: &str, meant: Option<&str>) -> Diagnostic {
        let message = format!("no {sort} of this {place} is called `{name}`, so `{sort}({name})` is never true");
        let warning = self.mistake(Kind::NeverOccurs, self.span, message);
        match meant {
            Some(meant) => warning.help(format!("did you mean `{meant}`?")),
            None => warning,
        }
    }

    /// A diagnostic about a stretch of this property's source.
    pub fn mistake(&self, kind: Kind, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(kind, message).at(Place::in_text(&self.source, span))
    }
}

/// How to say that an event need not come.
pub fn declaration(name: &str) -> String {
    format!("an event that need not come is declared in the property file: `event {}`", quoted_name(name))
}
