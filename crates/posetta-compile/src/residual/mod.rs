//! What is left of a linear property after each letter: derivatives of LTL with past and of PSL, as boolean combinations of what is
//! owed at the next position (Brzozowski 1964 for expressions, Antimirov 1996 for sets of them; Bacchus and Kabanza 1998 for formulas).
//!
//! A [`Node`] is a subformula in negation normal form. Reading a letter turns it into a *residual*: a disjunction of clauses, each a
//! conjunction of leaves, each a subformula that is owed at the next position, strongly (there must be one) or weakly. A clause is
//! what a state of a nondeterministic automaton is; a residual one of a deterministic automaton. Start reading at
//! [`value`](value::Evaluator::value), which has one line per operator, then [`nodes`] (subformulas and what they say of words that are cut off),
//! [`seres`] (expressions and their derivatives), [`clauses`] (residuals).
//!
//! Past operators remember residuals: what `f S g` came to at the last position is progressed by the letter, so a past without future
//! operators inside remembers `true` or `false`, and one with them remembers a promise.

pub(super) mod clauses;
mod from_ltl;
mod from_psl;
mod herds;
mod import;
pub(super) mod nodes;
mod seres;
mod text;
pub(super) mod value;

pub(super) use clauses::{ClauseId, DnfId, Leaf};
pub(super) use from_psl::on_empty;
pub(super) use herds::BASE;
pub(super) use import::Translation;
pub(super) use nodes::{Horizon, NodeId, Store};
pub(super) use text::ResidualReader;
pub(super) use value::{Cache, Context, Evaluator, Letterwise, Reading, Symbolic};
