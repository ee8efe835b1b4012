//! Triggers: the parts of a property that have to come true before it asks for anything.
//!
//! The left side of an implication, what stands before `|->` and `|=>`, the stimulus of a pattern, the opening of a scope. Where none
//! of it ever comes, the property holds and says nothing. A trigger is kept as the formula that holds on a run exactly if it never
//! comes there, so that whoever decides properties decides that as well. Formulas of M2L and monitors have no triggers.

use super::ctl::{Ctl, CtlUnary, Path};
use super::ltl::{Ltl, LtlUnary};
use super::property::{Formula, View};
use super::psl::{Psl, PslUnary, Sere, Suffix};
use posetta_base::Span;

/// A part of a property without which it asks for nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trigger {
    /// What holds on a run if it never comes, in any order.
    pub never: Formula,
    /// Where it is written, in the property's source.
    pub span: Span,
    /// What it is.
    pub role: Role,
    /// What should have come, printed.
    pub text: String,
    /// The place, among the property's triggers, of the scope that it belongs to: where that never opens, there is no more to say.
    pub within: Option<usize>,
}

/// What a trigger is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The left side of an implication.
    Condition,
    /// The SERE before `|->` or `|=>`.
    Sere,
    /// What a pattern waits for; in the whole run, or in its scope.
    Stimulus {
        /// The pattern's name.
        pattern: &'static str,
        /// Whether it has a scope.
        scoped: bool,
        /// Whether it waits for several things, one after the other.
        chain: bool,
    },
    /// `before r`
    Before,
    /// `after q`, also `after q until r`
    After,
    /// `between q and r`
    Between,
}

/// A trigger of a property whose view is not known yet.
#[derive(Debug)]
pub(super) struct Loose {
    pub(super) never: Never,
    pub(super) span: Span,
    pub(super) role: Role,
    pub(super) text: String,
    pub(super) within: Option<usize>,
}

/// What holds if a trigger never comes.
#[derive(Debug, PartialEq)]
pub(super) enum Never {
    Ltl(Ltl),
    Ctl(Ctl),
    Psl(Psl),
}

impl Never {
    /// The formula is true nowhere.
    pub(super) fn ltl(formula: Ltl) -> Self {
        Self::Ltl(Ltl::Unary(LtlUnary::Globally, Box::new(Ltl::Not(Box::new(formula)))))
    }

    /// The formula is true at no cut.
    pub(super) fn ctl(formula: Ctl) -> Self {
        Self::Ctl(Ctl::Unary(Path::All, CtlUnary::Globally, Box::new(Ctl::Not(Box::new(formula)))))
    }

    /// The formula is true nowhere.
    pub(super) fn psl(formula: Psl) -> Self {
        Self::Psl(Psl::Unary(PslUnary::Globally, Box::new(Psl::Not(Box::new(formula)))))
    }

    /// Nothing is asked behind the SERE. `|->` asks at the last letter of a match, so the empty one does not count; for `|=>` it does.
    pub(super) fn sere(op: Suffix, sere: Sere) -> Self {
        Self::Psl(match op {
            Suffix::Overlapping => {
                let nothing = Psl::Bool(super::monitor::Guard::False);
                let here = Psl::Suffix(Suffix::Overlapping, sere, Box::new(nothing));
                Psl::Unary(PslUnary::Globally, Box::new(here))
            }
            Suffix::After | Suffix::Some => Psl::Never(sere),
        })
    }
}

impl Loose {
    pub(super) fn over(self, view: View) -> Trigger {
        let never = match self.never {
            Never::Ltl(formula) => Formula::Ltl(view, formula),
            Never::Ctl(formula) => Formula::Ctl(formula),
            Never::Psl(formula) => Formula::Psl(view, formula),
        };
        let Self { span, role, text, within, .. } = self;
        Trigger { never, span, role, text, within }
    }
}
