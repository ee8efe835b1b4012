//! From text to formulas, in three steps.
//!
//! One grammar covers all logics ([`grammar`]): operator precedence first gives an untyped tree ([`Expr`]), because whether
//! a parenthesis opens a term or a formula is known only behind it. Then definitions and patterns are put in for their
//! names ([`expand`]). Then the tree is read as LTL, as CTL, as PSL ([`read_psl`]), as a guard, as a condition or as a term ([`read`]), and
//! everything in the wrong place is reported at once. Precedence, tightest first: `* /`, `+ -`, comparisons, unary operators, `U W R M S`
//! (right), `&&`, `||`, `->` (right), `<->` (right); that of PSL is in [`psl`].

mod advice;
mod define;
mod ended;
mod events;
mod expand;
mod expr;
mod functions;
mod grammar;
mod hdl;
mod index;
mod psl;
mod read;
mod read_psl;
mod surface;

pub(super) use define::{Definition, Definitions, Heard, ROOT};
pub(super) use expand::{Expander, Frame, MOST_NODES};
pub(super) use expr::{Expr, Name, Piece};
pub(super) use grammar::{Mistake, Parser, fail};
pub(super) use index::Index;
pub(super) use read::Reader;
pub(super) use surface::ClockExpr;

use std::sync::Arc;

use super::ctl::Ctl;
use super::flavour::Flavour;
use super::ltl::Ltl;
use super::monitor::Guard;
use super::property::{Formula, View};
use super::psl::{Clock, Psl};
use super::trigger::Trigger;
use posetta_base::{Diagnostic, Located, Mistakes, Span};

/// Deeper trees are refused: every walk over a formula is recursive. Long sums are such trees.
pub(super) const MAX_DEPTH: u32 = 500;

/// More parentheses and operators inside each other are refused. Less than the above, because the parser keeps several
/// frames for each. With the workspace's profiles they fit the 2 MB of a thread; without any optimisation they do not.
pub(super) const MAX_NESTING: u32 = 200;

/// Which words are operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Dialect {
    Ltl,
    Ctl,
    Psl(Flavour),
}

/// The reserved words of a dialect, beside those of every dialect.
impl Dialect {
    /// PSL with the words of all HDLs that can be told apart.
    pub(super) const PSL: Self = Self::Psl(Flavour::Any);

    /// Whose words it has beside its own, if it is PSL.
    pub(super) fn flavour(self) -> Option<Flavour> {
        match self {
            Self::Psl(flavour) => Some(flavour),
            Self::Ltl | Self::Ctl => None,
        }
    }

    pub(super) fn is_psl(self) -> bool {
        self.flavour().is_some()
    }

    pub(super) fn words(self) -> &'static [&'static str] {
        match self {
            Self::Ltl => &["X", "WX", "F", "G", "U", "W", "R", "M", "Y", "O", "H", "S"],
            Self::Ctl => &["EX", "AX", "EF", "AF", "EG", "AG", "possibly", "definitely", "E", "A", "U", "W", "R"],
            Self::Psl(_) => &psl::WORDS,
        }
    }

    /// Operators of letters that stand before a formula. None begins with one behind it.
    pub(super) fn unary(self) -> &'static [&'static str] {
        match self {
            Self::Ltl => &["WX", "X", "F", "G", "Y", "O", "H"],
            Self::Ctl => &["EX", "AX", "EF", "AF", "EG", "AG"],
            Self::Psl(_) => &["X", "F", "G"],
        }
    }

    /// The same for the logic of a formula.
    pub(super) fn unary_of(formula: &Formula) -> &'static [&'static str] {
        match formula {
            Formula::Ltl(..) => Self::Ltl.unary(),
            Formula::Ctl(_) => Self::Ctl.unary(),
            Formula::Psl(..) => Self::PSL.unary(),
            Formula::M2l(..) | Formula::Monitor(..) => &[],
        }
    }

    /// What the logic is called.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Ltl => "LTL",
            Self::Ctl => "CTL",
            Self::Psl(_) => "PSL",
        }
    }
}

pub(super) const EVERYWHERE: [&str; 5] = ["true", "false", "on", "event", "process"];

/// Whether LTL or CTL reserves the word, so that nothing in a property file can be called so.
pub(super) fn is_reserved(name: &str) -> bool {
    EVERYWHERE.contains(&name) || Dialect::Ltl.words().contains(&name) || Dialect::Ctl.words().contains(&name)
}

/// Whether some logic reserves the word, so that a variable of that name is printed as `$"…"`.
pub(super) fn is_reserved_somewhere(name: &str) -> bool {
    is_reserved(name) || Dialect::PSL.words().contains(&name) || surface::WORDS.contains(&name)
}

/// Reads an LTL formula.
///
/// # Errors
/// With the first mistake in its syntax, or all formulas and terms that stand in each other's place.
pub fn parse_ltl(source: &str) -> Result<Ltl, Mistakes> {
    Ok(lone_ltl(View::States, source)?.formula)
}

/// Reads a CTL formula.
///
/// # Errors
/// As for [`parse_ltl`].
pub fn parse_ctl(source: &str) -> Result<Ctl, Mistakes> {
    Ok(lone_ctl(source)?.formula)
}

/// Reads a PSL formula.
///
/// # Errors
/// As for [`parse_ltl`].
pub fn parse_psl(source: &str) -> Result<Psl, Mistakes> {
    Ok(lone_psl(View::States, Flavour::Any, source)?.formula)
}

/// Reads a guard: a boolean combination of atoms.
///
/// # Errors
/// As for [`parse_ltl`], and for temporal operators.
pub fn parse_guard(source: &str) -> Result<Guard, Mistakes> {
    guard_in(&source.into(), Span::new(0, source.len()))
}

/// Reads a stretch of a text as a guard.
pub(super) fn guard_in(text: &Arc<str>, span: Span) -> Result<Guard, Mistakes> {
    let Lone { formula, .. } = lone_in(text, span, Dialect::Ltl)?;
    let mut reader = Reader::new(text);
    let guard = reader.guard(&formula);
    reader.finish(guard)
}

/// A formula without definitions.
pub(super) struct Lone<F> {
    pub(super) formula: F,
    /// What is worth knowing about it.
    pub(super) warnings: Vec<Diagnostic>,
    /// Whether patterns were put in.
    pub(super) unfolded: bool,
    /// What it waits for.
    pub(super) triggers: Vec<Trigger>,
    /// When it looks at a waveform.
    pub(super) clock: Option<Clock>,
}

/// An LTL formula without definitions.
pub(super) fn lone_ltl(view: View, source: &str) -> Result<Lone<Ltl>, Mistakes> {
    let Lone { formula, warnings, unfolded, .. } = lone(source, Dialect::Ltl)?;
    let mut reader = Reader::new(source);
    let formula = reader.ltl(&formula);
    let triggers = reader.take_triggers(view);
    Ok(Lone { formula: reader.finish(formula)?, warnings, unfolded, triggers, clock: None })
}

/// A CTL formula without definitions.
pub(super) fn lone_ctl(source: &str) -> Result<Lone<Ctl>, Mistakes> {
    let Lone { formula, warnings, unfolded, .. } = lone(source, Dialect::Ctl)?;
    let mut reader = Reader::new(source);
    let formula = reader.ctl(&formula);
    let triggers = reader.take_triggers(View::States);
    Ok(Lone { formula: reader.finish(formula)?, warnings, unfolded, triggers, clock: None })
}

/// A PSL formula without definitions.
pub(super) fn lone_psl(view: View, flavour: Flavour, source: &str) -> Result<Lone<Psl>, Mistakes> {
    let Lone { formula, warnings, unfolded, .. } = lone(source, Dialect::Psl(flavour))?;
    let mut reader = Reader::new(source);
    let formula = reader.psl(&formula);
    let (triggers, clock) = (reader.take_triggers(view), reader.take_clock());
    Ok(Lone { formula: reader.finish(formula)?, warnings, unfolded, triggers, clock })
}

/// The tree of a formula without definitions, patterns put in.
fn lone(source: &str, dialect: Dialect) -> Result<Lone<Expr>, Mistakes> {
    lone_in(&source.into(), Span::new(0, source.len()), dialect)
}

fn lone_in(text: &Arc<str>, span: Span, dialect: Dialect) -> Result<Lone<Expr>, Mistakes> {
    let parsed = Parser::new(text, span, dialect).and_then(Parser::whole);
    let expr = parsed?;
    let mut definitions = Definitions::default();
    let mut expander = Expander::new(&mut definitions, dialect, MOST_NODES);
    let expanded = expander.formula(&expr, &Frame::at_home(text, &Arc::from("")));
    let warnings = expander.warnings.into_iter().map(|w: Located| w.diagnostic).collect();
    let (formula, unfolded) = (expanded.map_err(|e| vec![e.diagnostic])?, expander.unfolded);
    Ok(Lone { formula, warnings, unfolded, triggers: Vec::new(), clock: None })
}

#[cfg(test)]
mod tests;
