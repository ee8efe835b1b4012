//! What there is to know about a property.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use posetta_automata::{Dfa, Nfa};
use posetta_base::{Budget, Error, OverBudget};
use posetta_check::{Options, Plan, Question};
use posetta_compile::shape::{self, BranchingShape};
use posetta_compile::{self as compile, Character, Finding, Reason};
use posetta_logic::{Atoms, Formula, Letters, Monitor, View};
use posetta_trace::{Trace, count_cuts};

use super::tree::Tree;
use super::watching::Watching;
use crate::inputs::Input;
use crate::limited::Stopped;
use crate::limits::Watchdog;
use crate::paint;
use crate::problem::Problem;
use crate::properties::Named;
use crate::read::Reading;
use crate::{carets, deny, output, read};

/// How long the cuts of a run may be counted.
const COUNTING: Duration = Duration::from_secs(2);

/// A linear property over the letters that can come.
pub struct Linear {
    pub view: View,
    pub formula: compile::Linear,
    pub letters: Letters,
}

impl Linear {
    /// `None` for a branching property and a monitor.
    pub fn new(property: &Named, budget: &Budget) -> Result<Option<Self>, OverBudget> {
        let mut atoms = Atoms::default();
        let formula = &property.property.formula;
        let linear = compile::Linear::of(formula, &mut atoms, budget)?;
        let Some((view, formula)) = linear.filter(|_| !matches!(formula, Formula::Monitor(..))) else {
            return Ok(None);
        };
        Ok(Some(Self { view, formula, letters: Letters::over(atoms, view, budget)? }))
    }

    pub fn deterministic(&self, budget: &Budget) -> Result<Dfa, OverBudget> {
        compile::deterministic(&self.formula, &self.letters, budget)
    }

    pub fn nondeterministic(&self, negated: bool, budget: &Budget) -> Result<Nfa, OverBudget> {
        compile::nondeterministic(&self.formula, &self.letters, negated, budget)
    }
}

/// What sort of property it is.
pub enum Sort {
    Linear(shape::LinearShape, Kind),
    Branching(BranchingShape),
    /// Written as an automaton.
    Monitor(View, Monitor),
}

/// What the automaton of a linear property says.
#[derive(Clone)]
pub enum Kind {
    /// There is none yet.
    NotYet,
    /// It is too large.
    OverBudget(OverBudget),
    /// Shared, so that it can be told while it is used.
    Decided(Arc<(Linear, Character)>),
}

impl Kind {
    pub fn of(property: &Named, budget: &Budget) -> Self {
        let decide = || -> Result<Self, OverBudget> {
            let Some(linear) = Linear::new(property, budget)? else { return Ok(Self::NotYet) };
            let found = compile::character(&property.property, &linear.formula, &linear.letters, budget)?;
            Ok(Self::Decided(Arc::new((linear, found))))
        };
        decide().unwrap_or_else(Self::OverBudget)
    }
}

/// A run that was read.
pub struct Run {
    pub name: String,
    trace: Trace,
}

impl Run {
    pub fn read(path: &Path, reading: &Reading, budget: &Budget) -> Result<Self, Stopped> {
        let input = Input::named(path);
        let file = input.file();
        let run = read::one_run(&input, reading, budget).map_err(|failure| Stopped::in_run(&file, failure))?;
        let warnings = run.warnings.iter().map(|w| carets::warning(&file, None, w, paint::stderr()));
        output::note(&warnings.collect::<String>());
        Ok(Self { name: run.name, trace: run.trace })
    }
}

/// What will happen on a run.
pub struct OnRun {
    pub name: String,
    pub plan: Result<Plan, Error>,
    /// How many cuts it has, if they could be counted.
    pub cuts: Option<String>,
    pub events: u64,
    pub processes: u64,
    /// How many states the automaton of the violating words has, with which orders are searched.
    pub automaton_states: Option<usize>,
}

/// Everything about one property.
pub struct Facts {
    pub property: Named,
    /// The formula as it was written, if that is not how it is printed.
    pub written: Option<String>,
    pub tree: Tree,
    /// The atoms in the order of mention, printed.
    pub atoms: Vec<String>,
    pub sort: Sort,
    /// What a monitor can say, if that was found out.
    pub watching: Option<Watching>,
    pub run: Option<OnRun>,
}

impl OnRun {
    /// Finds out what `check` will do on a run.
    pub fn new(run: &Run, property: &Named, kind: &Kind, budget: &Budget, watchdog: &Watchdog) -> Self {
        let counting = Budget::unlimited();
        watchdog.alarm(Instant::now() + COUNTING, counting.stop_handle());
        Self {
            name: run.name.clone(),
            plan: Question::new(&run.trace, &property.property, Options::default())
                .map_err(Error::from)
                .and_then(|question| question.plan(budget)),
            cuts: count_cuts(&run.trace, &counting).ok().map(|n| n.to_string()),
            events: run.trace.len() as u64,
            processes: run.trace.process_count() as u64,
            automaton_states: match (&property.property.formula, kind) {
                (Formula::Monitor(_, monitor), _) => Some(monitor.states.len()),
                (_, Kind::Decided(decided)) => decided.0.nondeterministic(true, budget).ok().map(|nfa| nfa.len()),
                (_, Kind::NotYet | Kind::OverBudget(_)) => None,
            },
        }
    }
}

impl Facts {
    /// What can be seen without an automaton.
    pub fn new(property: Named) -> Self {
        Self {
            written: written(&property),
            tree: Tree::new(&property.property.formula),
            atoms: atoms(&property.property.formula),
            sort: match &property.property.formula {
                Formula::Ctl(formula) => Sort::Branching(shape::branching(formula)),
                Formula::Monitor(view, monitor) => Sort::Monitor(*view, monitor.clone()),
                Formula::Psl(_, formula) => Sort::Linear(shape::psl(formula), Kind::NotYet),
                Formula::M2l(_, formula) => Sort::Linear(shape::m2l(formula), Kind::NotYet),
                Formula::Ltl(_, formula) => Sort::Linear(shape::linear(formula), Kind::NotYet),
            },
            watching: None,
            run: None,
            property,
        }
    }

    /// What a run says against the property.
    pub fn problems(&self) -> Vec<Problem> {
        let Some(OnRun { name, plan: Err(error), .. }) = &self.run else { return Vec::new() };
        let problem = |diagnostic: &posetta_base::Diagnostic| Problem {
            trace: Some(name.clone()),
            file: self.property.file.clone(),
            property: Some(self.property.name.clone()),
            diagnostic: diagnostic.clone(),
        };
        error.diagnostics().iter().map(problem).collect()
    }

    /// Warnings about the property on the run that are denied, for standard error: the others stand in what is explained.
    pub fn denied(&self) -> String {
        let Some(OnRun { name, plan: Ok(plan), .. }) = &self.run else { return String::new() };
        let denied = plan.warnings.iter().filter(|warning| deny::denies(warning.kind));
        denied.map(|warning| carets::warning(&self.property.file, Some(name), warning, paint::stderr())).collect()
    }

    /// Whether a limit left something open.
    pub fn is_unknown(&self) -> bool {
        let open = |f: &Finding| matches!(f, Finding::Unknown(Reason::OverBudget(_)));
        let stopped = matches!(&self.run, Some(OnRun { plan: Err(Error::OverBudget(_)), .. }));
        stopped
            || match &self.sort {
                Sort::Linear(_, Kind::NotYet | Kind::OverBudget(_)) => true,
                Sort::Linear(_, Kind::Decided(decided)) => findings(&decided.1).iter().any(|(_, f)| open(f)),
                Sort::Branching(_) | Sort::Monitor(..) => false,
            }
    }
}

/// The statements about a linear property, with their names.
pub fn findings(c: &Character) -> [(&'static str, &Finding); 5] {
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
