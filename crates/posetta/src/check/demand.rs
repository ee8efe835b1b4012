//! What every run must satisfy: a formula of LTL or PSL, or a monitor that must not end badly.

use crate::base::{Budget, OverBudget};
use crate::compile::{Automaton, Complement, Normal, Obligations, Watch, psl_automaton};
use crate::logic::eval::{self, Word};
use crate::logic::{AtomId, Ltl, Monitor, Psl};

/// A linear property over the atoms of one trace.
#[derive(Debug)]
pub(super) enum Demand {
    Formula(Ltl<AtomId>),
    Psl(Psl<AtomId>),
    Monitor(Monitor<AtomId>),
}

impl Demand {
    /// Whether a word satisfies it, by definition.
    pub(super) fn holds(&self, word: &Word, budget: &Budget) -> Result<bool, OverBudget> {
        match self {
            Self::Formula(formula) => Ok(eval::holds(formula, word)),
            Self::Psl(formula) => eval::psl_decide(formula, word, budget),
            Self::Monitor(monitor) => eval::monitor_holds(monitor, word, budget),
        }
    }

    /// The automaton of the words that violate it, or of those that satisfy it.
    pub(super) fn automaton(&self, violated: bool) -> Box<dyn Automaton> {
        match self {
            Self::Formula(formula) => Box::new(Obligations::new(Normal::new(formula, violated))),
            Self::Psl(formula) => psl_automaton(formula, violated),
            Self::Monitor(monitor) if violated => Box::new(Watch::new(monitor)),
            Self::Monitor(monitor) => Box::new(Complement::new(Watch::new(monitor))),
        }
    }
}
