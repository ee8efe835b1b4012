//! What is asked of single states.

use super::System;
use posetta_base::ActionId;
use posetta_logic::Compare;

/// A condition on one global state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Predicate {
    /// Always or never.
    Constant(bool),
    /// The sum of slots, each times a factor, compared with a number. Slots ascending, each once, no factor 0. That a transition system is
    /// in a state is `slot == number of the state`.
    Linear(Vec<(u32, i64)>, Compare, i64),
    /// One of these actions can take place, with all that take part in it.
    Enabled(Vec<ActionId>),
    /// No action can take place.
    Dead,
    /// `!p`
    Not(Box<Predicate>),
    /// All of them.
    And(Vec<Predicate>),
    /// One of them.
    Or(Vec<Predicate>),
}

impl Predicate {
    /// How much of a state it looks at: slots and actions.
    #[must_use]
    pub fn weight(&self) -> u64 {
        match self {
            Self::Constant(_) | Self::Dead => 1,
            Self::Linear(terms, ..) => terms.len() as u64,
            Self::Enabled(actions) => actions.len() as u64,
            Self::Not(p) => p.weight(),
            Self::And(parts) | Self::Or(parts) => parts.iter().map(Self::weight).sum(),
        }
    }

    /// Whether a state satisfies it, by definition.
    #[must_use]
    pub fn holds(&self, system: &System, state: &[u32]) -> bool {
        match self {
            Self::Constant(value) => *value,
            Self::Linear(terms, op, bound) => {
                // Factors are below 2^62 and tokens below 2^32: no sum of fewer than 2^33 terms leaves 128 bits.
                let sum: i128 =
                    terms.iter().map(|&(slot, factor)| i128::from(factor) * i128::from(state[slot as usize])).sum();
                op.holds(&sum, &i128::from(*bound))
            }
            Self::Enabled(actions) => system.is_any_enabled(state, actions.iter().copied()),
            Self::Dead => system.is_dead(state),
            Self::Not(p) => !p.holds(system, state),
            Self::And(parts) => parts.iter().all(|p| p.holds(system, state)),
            Self::Or(parts) => parts.iter().any(|p| p.holds(system, state)),
        }
    }
}
