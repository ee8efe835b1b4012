//! A property of single words over numbered atoms, whichever logic it was written in.

use super::automaton::Automaton;
use super::complement::Complement;
use super::m2l;
use super::monitor::Watch;
use super::normal::Normal;
use super::obligations::Obligations;
use super::progression::Progression;
use super::residual::on_empty;
use posetta_base::{Budget, OverBudget};
use posetta_logic::eval::{self, Word};
use posetta_logic::{AtomId, Atoms, Formula, Ltl, M2l, Monitor, Psl, View};

/// A linear property.
#[derive(Clone, Debug)]
pub enum Linear {
    /// A formula of LTL.
    Ltl(Ltl<AtomId>),
    /// A formula of PSL.
    Psl(Psl<AtomId>),
    /// A monitor that must not end badly: one that was written, or that of a formula of M2L.
    Monitor(Monitor<AtomId>),
}

impl Linear {
    /// A property over numbered atoms, and the positions that it reads; `None` for one that is not about single words. M2L becomes a monitor.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn of(formula: &Formula, atoms: &mut Atoms, budget: &Budget) -> Result<Option<(View, Self)>, OverBudget> {
        Ok(match formula {
            Formula::Ltl(view, formula) => Some((*view, Self::Ltl(formula.map_atoms(&mut |atom| atoms.add(atom))))),
            Formula::Psl(view, formula) => Some((*view, Self::Psl(formula.map_atoms(&mut |atom| atoms.add(atom))))),
            Formula::M2l(view, formula) => {
                // All of them, in their order, even if the automaton asks for fewer.
                let atoms: Vec<AtomId> = formula.program().atoms.iter().map(|(_, atom)| atoms.add(atom)).collect();
                Some((*view, Self::m2l(formula, &atoms, budget)?))
            }
            Formula::Monitor(view, monitor) => {
                Some((*view, Self::Monitor(monitor.map_atoms(&mut |atom| atoms.add(atom)))))
            }
            Formula::Ctl(_) => None,
        })
    }

    /// A formula of M2L over numbered atoms, of which the i-th of its program is `atoms[i]`.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn m2l(formula: &M2l, atoms: &[AtomId], budget: &Budget) -> Result<Self, OverBudget> {
        Ok(Self::Monitor(m2l::monitor(formula, budget)?.map_atoms(&mut |a| atoms[a.0 as usize])))
    }

    /// Whether a word satisfies it, by definition.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn holds(&self, word: &Word, budget: &Budget) -> Result<bool, OverBudget> {
        match self {
            Self::Ltl(formula) => Ok(eval::holds(formula, word)),
            Self::Psl(formula) => eval::psl_decide(formula, word, budget),
            Self::Monitor(monitor) => eval::monitor_holds(monitor, word, budget),
        }
    }

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
