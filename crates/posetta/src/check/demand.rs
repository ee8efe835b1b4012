//! What every run must satisfy: a linear formula, or a monitor that must not end badly.

use crate::base::{Budget, OverBudget};
use crate::compile::{Automaton, Complement, Normal, Obligations, Watch};
use crate::logic::eval::{self, Word};
use crate::logic::{AtomId, Ltl, Monitor};

/// A linear property over the atoms of one trace.
#[derive(Debug)]
pub(super) enum Demand {
    Formula(Ltl<AtomId>),
    Monitor(Monitor<AtomId>),
}

impl Demand {
    /// Whether a word satisfies it, by definition.
    pub(super) fn holds(&self, word: &Word, budget: &Budget) -> Result<bool, OverBudget> {
        match self {
            Self::Formula(formula) => Ok(eval::holds(formula, word)),
            Self::Monitor(monitor) => eval::monitor_holds(monitor, word, budget),
        }
    }

    /// The automaton of the words that violate it, or of those that satisfy it.
    pub(super) fn automaton(&self, violated: bool) -> Box<dyn Automaton> {
        match self {
            Self::Formula(formula) => Box::new(Obligations::new(Normal::new(formula, violated))),
            Self::Monitor(monitor) if violated => Box::new(Watch::new(monitor)),
            Self::Monitor(monitor) => Box::new(Complement::new(Watch::new(monitor))),
        }
    }
}
