//! A property of single words over numbered atoms, whichever logic it was written in.

use super::automaton::Automaton;
use super::complement::Complement;
use super::monitor::Watch;
use super::normal::Normal;
use super::obligations::Obligations;
use super::progression::Progression;
use super::residual::on_empty;
use crate::logic::{AtomId, Ltl, Monitor, Psl};

/// A linear property.
#[derive(Clone, Debug)]
pub enum Linear {
    /// A formula of LTL.
    Ltl(Ltl<AtomId>),
    /// A formula of PSL.
    Psl(Psl<AtomId>),
    /// A monitor that must not end badly.
    Monitor(Monitor<AtomId>),
}

impl Linear {
    /// The automaton of the words that violate it, or of those that satisfy it.
    #[must_use]
    pub fn automaton(&self, violated: bool) -> Box<dyn Automaton> {
        match self {
            Self::Ltl(formula) => Box::new(Obligations::new(Normal::new(formula, violated))),
            Self::Psl(formula) => Box::new(Progression::new(formula, violated)),
            Self::Monitor(monitor) if violated => Box::new(Watch::new(monitor)),
            Self::Monitor(monitor) => Box::new(Complement::new(Watch::new(monitor))),
        }
    }

    /// Whether the empty word satisfies it.
    #[must_use]
    pub fn on_empty(&self) -> bool {
        match self {
            Self::Ltl(formula) => Normal::new(formula, false).on_empty(),
            Self::Psl(formula) => on_empty(formula),
            Self::Monitor(monitor) => {
                let bad = monitor.bad_states();
                !monitor.initial.iter().any(|s| bad[s.index()])
            }
        }
    }
}
