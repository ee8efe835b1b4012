//! What there is to know about a property: how it is read, what kind of property it is, shortest examples, what a monitor can say, and
//! what will decide it on a run.
//!
//! [`Explained`] holds all of that as data. It is told while it grows: what a limit leaves out is empty. People read it by
//! [`text::explained`](crate::text::explained), programs by [`Explained::to_json`].

mod on_run;
mod programs;
mod tester;
mod tree;
mod watching;

use std::collections::HashSet;
use std::sync::Arc;

use posetta_automata::{Dfa, Nfa};
use posetta_base::{Budget, Diagnostic, Error, OverBudget};
use posetta_compile::shape::{self, BranchingShape, LinearShape};
use posetta_compile::{self as compile, Character, Finding, Reason};
use posetta_logic::{Atoms, Formula, Letters, Monitor, View};

pub use self::on_run::{OnRun, Warning};
pub use self::tester::Tested;
pub use self::tree::{Line, Tree};
pub use self::watching::Watching;
use crate::named::Named;
use crate::problem::Problem;

/// A linear property over the letters that can come.
#[derive(Debug)]
pub struct Linear {
    /// What its positions are.
    pub view: View,
    /// The formula over its atoms.
    pub formula: compile::Linear,
    /// The letters.
    pub letters: Letters,
}

impl Linear {
    /// `None` for a branching property and a monitor.
    ///
    /// # Errors
    /// If there are too many letters.
    pub fn new(property: &Named, budget: &Budget) -> Result<Option<Self>, OverBudget> {
        let mut atoms = Atoms::default();
        let formula = &property.property.formula;
        let linear = compile::Linear::of(formula, &mut atoms, budget)?;
        let Some((view, formula)) = linear.filter(|_| !matches!(formula, Formula::Monitor(..))) else {
            return Ok(None);
        };
        Ok(Some(Self { view, formula, letters: Letters::over(atoms, view, budget)? }))
    }

    /// The smallest deterministic automaton of the words that satisfy it.
    ///
    /// # Errors
    /// If it is too large.
    pub fn deterministic(&self, budget: &Budget) -> Result<Dfa, OverBudget> {
        compile::deterministic(&self.formula, &self.letters, budget)
    }

    /// The automaton that a search uses: of the words that satisfy it, or, `negated`, of those that violate it.
    ///
    /// # Errors
    /// If it is too large.
    pub fn nondeterministic(&self, negated: bool, budget: &Budget) -> Result<Nfa, OverBudget> {
        compile::nondeterministic(&self.formula, &self.letters, negated, budget)
    }
}

/// What sort of property it is.
#[derive(Debug)]
pub enum PropertyKind {
    /// It speaks of one order at a time.
    Linear(LinearShape, Kind),
    /// It speaks of the graph of cuts.
    Branching(BranchingShape),
    /// Written as an automaton.
    Monitor(View, Monitor),
}

/// What the automaton of a linear property says.
#[derive(Clone, Debug)]
pub enum Kind {
    /// There is none yet.
    NotYet,
    /// It is too large.
    OverBudget(OverBudget),
    /// Shared, so that it can be told while it is used.
    Decided(Arc<(Linear, Character)>),
}

impl Kind {
    /// Builds the automaton, and decides by it what kind of property it is.
    #[must_use]
    pub fn of(property: &Named, budget: &Budget) -> Self {
        let decide = || -> Result<Self, OverBudget> {
            let Some(linear) = Linear::new(property, budget)? else { return Ok(Self::NotYet) };
            let found = compile::character(&property.property, &linear.formula, &linear.letters, budget)?;
            Ok(Self::Decided(Arc::new((linear, found))))
        };
        decide().unwrap_or_else(Self::OverBudget)
    }
}

/// Everything about one property.
#[derive(Debug)]
pub struct Explained {
    /// The property.
    pub property: Named,
    /// The formula as it was written, if that is not how it is printed.
    pub written: Option<String>,
    /// How it is read.
    pub tree: Tree,
    /// The atoms in the order of mention, printed.
    pub atoms: Vec<String>,
    /// What sort of property it is.
    pub kind: PropertyKind,
    /// What a monitor can say, if that was found out.
    pub watching: Option<Watching>,
    /// What will happen on a run, if there is one.
    pub run: Option<OnRun>,
}

impl Explained {
    /// What can be seen without an automaton.
    #[must_use]
    pub fn new(property: Named) -> Self {
        Self {
            written: written(&property),
            tree: Tree::new(&property.property.formula),
            atoms: atoms(&property.property.formula),
            kind: match &property.property.formula {
                Formula::Ctl(formula) => PropertyKind::Branching(shape::branching(formula)),
                Formula::Monitor(view, monitor) => PropertyKind::Monitor(*view, monitor.clone()),
                Formula::Psl(_, formula) => PropertyKind::Linear(shape::psl(formula), Kind::NotYet),
                Formula::M2l(_, formula) => PropertyKind::Linear(shape::m2l(formula), Kind::NotYet),
                Formula::Ltl(_, formula) => PropertyKind::Linear(shape::linear(formula), Kind::NotYet),
            },
            watching: None,
            run: None,
            property,
        }
    }

    /// What a run says against the property.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let Some(OnRun { name, plan: Err(error), .. }) = &self.run else { return Vec::new() };
        let problem = |diagnostic: &Diagnostic| Problem {
            trace: Some(name.clone()),
            file: self.property.file.clone(),
            property: Some(self.property.name.clone()),
            diagnostic: diagnostic.clone(),
        };
        error.diagnostics().iter().map(problem).collect()
    }

    /// Whether a limit left something open.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        let open = |f: &Finding| matches!(f, Finding::Unknown(Reason::OverBudget(_)));
        let stopped = matches!(&self.run, Some(OnRun { plan: Err(Error::OverBudget(_)), .. }));
        stopped
            || match &self.kind {
                PropertyKind::Linear(_, Kind::NotYet | Kind::OverBudget(_)) => true,
                PropertyKind::Linear(_, Kind::Decided(decided)) => findings(&decided.1).iter().any(|(_, f)| open(f)),
                PropertyKind::Branching(_) | PropertyKind::Monitor(..) => false,
            }
    }
}

/// The statements about a linear property, with their names.
pub(crate) fn findings(c: &Character) -> [(&'static str, &Finding); 5] {
    [
        ("safety", &c.safety),
        ("guarantee", &c.guarantee),
        ("stutter_invariant", &c.stutter_invariant),
        ("tautology", &c.tautology),
        ("contradiction", &c.contradiction),
    ]
}

/// The text of the formula, blanks and comments aside, if it is not what is printed.
fn written(property: &Named) -> Option<String> {
    if matches!(property.property.formula, Formula::Monitor(..)) {
        return None;
    }
    let (source, span) = (&property.property.source, property.property.span);
    let text = source.get(span.start..span.end)?;
    // Comments of MONA's may stand anywhere.
    if matches!(property.property.formula, Formula::M2l(..)) && (text.contains('#') || text.contains("/*")) {
        return None;
    }
    let lines = text.lines().map(|l| l.split("//").next().unwrap_or_default());
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    let text = words.join(" ");
    (text != property.formula).then_some(text)
}

fn atoms(formula: &Formula) -> Vec<String> {
    let (mut all, mut seen): (Vec<String>, HashSet<String>) = Default::default();
    let mut add = |atom: &posetta_logic::Atom| {
        let text = atom.to_string();
        if seen.insert(text.clone()) {
            all.push(text);
        }
    };
    formula.for_each_atom(&mut add);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paint::Paint;
    use crate::text;
    use posetta_logic::Property;

    fn explained(formula: &str) -> Explained {
        let budget = Budget::unlimited();
        let property = Named::new("--ltl", Property::ltl(formula).unwrap());
        let mut explained = Explained::new(property.clone());
        if let PropertyKind::Linear(_, kind) = &mut explained.kind {
            *kind = Kind::of(&property, &budget);
        }
        explained.watching = Watching::of(&property, compile::Completions::Both, &budget).unwrap();
        explained
    }

    #[test]
    fn a_property_is_explained() {
        let explained = explained("G (x == 1)");
        let object = explained.to_json();
        assert_eq!((&object["kind"]["safety"], &object["kind"]["guarantee"]), (&"yes".into(), &"no".into()));
        assert_eq!((&object["monitor"]["monitorable"], &object["run"]), (&true.into(), &serde_json::Value::Null));
        assert!(!explained.is_unknown());
        let text = text::explained(&[explained], Paint::plain());
        let begin = "\
G (x == 1)  LTL over states

How it is read
  G          now and always later
  └─ x == 1

What kind of property it is
  Safety. Something bad never happens. Once violated, it stays violated: a monitor can stop at the
  first prefix that violates it.
";
        assert!(text.starts_with(begin), "{text}");
    }

    #[test]
    fn what_a_limit_leaves_out_is_said() {
        let property = Named::new("--ltl", Property::ltl("F x == 1").unwrap());
        let explained = Explained::new(property);
        assert!(explained.is_unknown());
        assert_eq!(explained.to_json()["kind"], serde_json::Value::Null);
        let text = text::explained(&[explained], Paint { ascii: true, ..Paint::plain() });
        assert!(text.contains("\n  +- x == 1\n"), "{text}");
        assert!(text.contains("  unknown: a limit was reached before there was an automaton\n"), "{text}");
    }

    #[test]
    fn a_quiet_page_has_no_warnings_but_those_that_are_denied() {
        let budget = Budget::unlimited();
        let trace = posetta_formats::text::read("A: go x=1\n".as_bytes(), &budget).unwrap();
        let property = Named::new("--ltl", Property::ltl("G (event(stop) -> x == 1)").unwrap());
        for (denied, quiet, said) in
            [(false, false, Some("  warning: no event")), (false, true, None), (true, true, Some("  error: no event"))]
        {
            let mut explained = Explained::new(property.clone());
            let asked = (&property, &Kind::NotYet);
            explained.run = Some(OnRun::new(("run", &trace), asked, &|_| denied, &budget, &budget));
            let text = text::explained(&[explained], Paint { quiet, ..Paint::plain() });
            assert_eq!(said.is_some(), text.contains(": no event of this run"), "{text}");
            assert!(said.is_none_or(|said| text.contains(said)), "{text}");
        }
    }
}
