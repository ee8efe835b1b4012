//! Temporal testers (Pnueli and Zaks 2006, sections 4 to 8; Kesten, Pnueli and Raviv 1998 for LTL).
//!
//! A tester for a formula reads a word beside whoever writes it, and says at every position whether the formula holds there. It is a fair
//! discrete system of its own: variables of truth values, demands on their first values ([`Module::init`]) and on every step ([`Module::trans`]),
//! what must hold infinitely often in an infinite word ([`Module::justice`]) and at the end of a finite one ([`Module::finals`]). It guesses,
//! and the demands let only right guesses through: over every word there is a computation of the tester (*completeness*), and in each the
//! [output](Tester::output) is right at every position (*soundness*).
//!
//! Testers compose: an operator's [`Module`] takes the outputs of its operands for booleans. Equal subformulas share one module.
//!
//! - [`build`](self) has a module for each basic formula: `X! b`, `b U c`, `<r> b`, weak `r`, and `Y b`, `b S c` of the past; everything else is
//!   made of these. Differences from the print: `b U c` ends with x ↔ c (the print lets a wrong guess end); the second
//!   variable of a nonterminal, which keeps derivations from going on forever, is left out where none can.
//! - `abort` needs no rewriting of formulas: see [`core`](self).
//! - [`text`](self) prints a tester in the paper's form.

mod assertion;
mod build;
mod core;
mod text;

pub use assertion::{Assertion, AssertionId, Assertions};
pub use text::show_grammar;

use posetta_base::{Budget, OverBudget};
use posetta_logic::{AtomId, Ltl, Psl};

/// A variable of a tester: a place in [`Tester::vars`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TesterVar(pub u32);

impl TesterVar {
    /// The place in a table.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a module tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Basic {
    /// `X! b`
    Next(AssertionId),
    /// `b U c`
    Until(AssertionId, AssertionId),
    /// `Y b`
    Yesterday(AssertionId),
    /// `b S c`
    Since(AssertionId, AssertionId),
    /// `<r> b`: the grammar of r, by its number.
    Some(usize, AssertionId),
    /// Weak `r`: the grammar of r, by its number.
    Weak(usize),
    /// Which nonterminals of a grammar are at hand, from the left. It has no output of its own: others ask for its variables.
    Ended(usize),
}

/// The tester of one basic formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// What it tests.
    pub basic: Basic,
    /// Its variables; the first one is its output, if it has one.
    pub vars: Vec<TesterVar>,
    /// True of the first state.
    pub init: Vec<AssertionId>,
    /// True of every step.
    pub trans: Vec<AssertionId>,
    /// Each true infinitely often, in an infinite word.
    pub justice: Vec<AssertionId>,
    /// All true at the last position of a finite word.
    pub finals: Vec<AssertionId>,
}

/// A tester: modules side by side.
#[derive(Clone, Debug)]
pub struct Tester {
    /// The names of the variables.
    pub vars: Vec<String>,
    /// All assertions.
    pub assertions: Assertions,
    /// Operands first.
    pub modules: Vec<Module>,
    /// The grammars that modules refer to, each once.
    pub grammars: Vec<posetta_logic::Grammar>,
    /// True at a position if the formula holds there. Without primes.
    pub output: AssertionId,
}

impl Tester {
    /// The tester of an LTL formula.
    ///
    /// # Errors
    /// When it is larger than the budget.
    pub fn ltl(formula: &Ltl<AtomId>, budget: &Budget) -> Result<Self, OverBudget> {
        let mut formulas = core::Formulas::new(budget)?;
        let root = formulas.ltl(formula)?;
        build::build(formulas, root)
    }

    /// A tester of a PSL formula whose output is right at the first position of a word, whatever it is at others: SEREs are followed from the left
    /// where that is enough, and counts in them stay small.
    ///
    /// # Errors
    /// When it is larger than the budget.
    pub fn psl_at_first(formula: &Psl<AtomId>, budget: &Budget) -> Result<Self, OverBudget> {
        let mut formulas = core::Formulas::new(budget)?;
        let root = formulas.psl_at_first(formula)?;
        build::build(formulas, root)
    }

    /// The tester of a PSL formula.
    ///
    /// # Errors
    /// When it is larger than the budget.
    pub fn psl(formula: &Psl<AtomId>, budget: &Budget) -> Result<Self, OverBudget> {
        let mut formulas = core::Formulas::new(budget)?;
        let root = formulas.psl(formula)?;
        build::build(formulas, root)
    }
}
