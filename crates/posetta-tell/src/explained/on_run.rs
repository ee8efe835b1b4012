//! What will happen to a property on a run.

use posetta_base::{self as base, Budget, Diagnostic, Error};
use posetta_check::{Options, Plan, Question};
use posetta_logic::Formula;
use posetta_trace::{Trace, count_cuts};

use super::Kind;
use crate::named::Named;

/// Something worth knowing, and whether somebody has said that it counts as a mistake.
#[derive(Clone, Debug)]
pub struct Warning {
    /// What.
    pub diagnostic: Diagnostic,
    /// Whether it counts as a mistake.
    pub denied: bool,
}

/// What `check` will do on a run.
#[derive(Debug)]
pub struct OnRun {
    /// What the run is called.
    pub name: String,
    /// How it will be decided, or why not.
    pub plan: Result<Plan, Error>,
    /// What is worth knowing about the property on this run.
    pub warnings: Vec<Warning>,
    /// How many cuts it has, if they could be counted.
    pub cuts: Option<String>,
    /// How many events.
    pub events: u64,
    /// How many processes.
    pub processes: u64,
    /// How many states the automaton of the violating words has, with which orders are searched.
    pub automaton_states: Option<usize>,
}

impl OnRun {
    /// Finds it out. Cuts are counted within a budget of their own, `counting`; `denied` says which warnings count as mistakes.
    #[must_use]
    pub fn new(
        (name, trace): (&str, &Trace),
        (property, kind): (&Named, &Kind),
        denied: &dyn Fn(base::Kind) -> bool,
        budget: &Budget,
        counting: &Budget,
    ) -> Self {
        let plan = Question::new(trace, &property.property, Options::default())
            .map_err(Error::from)
            .and_then(|question| question.plan(budget));
        let warnings = plan.as_ref().map_or(&[][..], |plan| &plan.warnings);
        let warning = |w: &Diagnostic| Warning { diagnostic: w.clone(), denied: denied(w.kind) };
        Self {
            name: name.to_owned(),
            warnings: warnings.iter().map(warning).collect(),
            plan,
            cuts: count_cuts(trace, counting).ok().map(|n| n.to_string()),
            events: trace.len() as u64,
            processes: trace.process_count() as u64,
            automaton_states: match (&property.property.formula, kind) {
                (Formula::Monitor(_, monitor), _) => Some(monitor.states.len()),
                (_, Kind::Decided(decided)) => decided.0.nondeterministic(true, budget).ok().map(|nfa| nfa.len()),
                (_, Kind::NotYet | Kind::OverBudget(_)) => None,
            },
        }
    }
}
