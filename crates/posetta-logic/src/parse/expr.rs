//! The untyped tree.

use super::Index;
use super::psl::PslOp;
use crate::atom::{Arith, Compare};
use crate::ctl::{CtlBinary, CtlUnary, Path};
use crate::ltl::{LtlBinary, LtlUnary};
use crate::pattern::{Scope, Skeleton};
use crate::trigger::Role;
use posetta_base::{Number, Span};

/// A formula or a term as written.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    pub(crate) span: Span,
    /// At most [`MAX_DEPTH`](super::MAX_DEPTH).
    pub(super) depth: u32,
}

/// A part of a name: as it stands, or an index to be worked out.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Piece {
    Text(String),
    Index(Index),
    /// `[3:0]`: bits of a vector.
    Slice(Index, Index),
}

impl Piece {
    /// What it spells, if nothing has to be worked out.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Index(_) | Self::Slice(..) => None,
        }
    }
}

/// The argument of `event` or `process`.
#[derive(Clone, Debug)]
pub(crate) enum Name {
    /// In quotes: as it stands.
    Given(String),
    /// A word, which may be a parameter.
    Word(Vec<Piece>),
    /// `$n`: the process that an instance of the property is about. Gone after [`super::expand`].
    Key(String, Span),
}

/// A comparison of an attribute, in `event(name, attribute == value)`.
#[derive(Clone, Debug)]
pub(crate) struct TestExpr {
    pub(crate) attribute: Name,
    pub(crate) span: Span,
    pub(crate) op: Compare,
    /// A number, a string or a key after [`super::expand`].
    pub(crate) with: Expr,
}

/// A pattern over the numbers of its arguments.
#[derive(Clone, Debug)]
pub(crate) struct Laid {
    pub(crate) skeleton: Skeleton,
    /// What it waits for: the arguments that say it, and what holds if it never comes.
    pub(crate) triggers: Vec<(Role, Vec<usize>, Skeleton)>,
}

#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    Number(Number),
    Text(String),
    /// A variable, whatever else has its name.
    Var(String),
    /// A word that may be a parameter, a definition, or a variable. Gone after [`super::expand`].
    Word(Vec<Piece>),
    /// A definition or a pattern with its arguments, in lists that semicolons separate. Gone after [`super::expand`].
    Call {
        name: String,
        name_span: Span,
        lists: Vec<Vec<Expr>>,
        scope: Option<Box<Scope<Expr>>>,
    },
    /// A pattern, what it waits for, and its arguments. Made by [`super::expand`].
    Pattern(Box<Laid>, Vec<Expr>),
    Bool(bool),
    /// `$k`
    Key(String),
    /// `prev(x)`. Made by [`super::expand`] of a call.
    Prev(String),
    On(Box<Expr>),
    /// A name, if it matters, and what the attributes must be.
    Event(Option<Name>, Vec<TestExpr>),
    Process(Name),
    /// `enabled(name)`. Made by [`super::expand`] of a call, so that variables and definitions may be called so, too.
    Enabled(String),
    Neg(Box<Expr>),
    Arith(Arith, Box<Expr>, Box<Expr>),
    Compare(Compare, Box<Expr>, Box<Expr>),
    Not(Box<Expr>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Implies(Box<Expr>, Box<Expr>),
    Iff(Box<Expr>, Box<Expr>),
    LtlUnary(LtlUnary, Box<Expr>),
    LtlBinary(LtlBinary, Box<Expr>, Box<Expr>),
    CtlUnary(Path, CtlUnary, Box<Expr>),
    CtlBinary(Path, CtlBinary, Box<Expr>, Box<Expr>),
    /// An operator of PSL, or a part of a SERE, with what it stands before, behind or between.
    Psl(PslOp, Vec<Expr>),
}

impl Expr {
    /// Whether something in it looks back at a match that ends.
    pub(crate) fn has_ended(&self) -> bool {
        match &self.kind {
            ExprKind::Psl(PslOp::Ended, _) => true,
            ExprKind::Psl(_, parts) | ExprKind::And(parts) | ExprKind::Or(parts) => parts.iter().any(Self::has_ended),
            ExprKind::Not(e) => e.has_ended(),
            ExprKind::Implies(a, b) | ExprKind::Iff(a, b) => a.has_ended() || b.has_ended(),
            _ => false,
        }
    }

    /// `eventually!` before it.
    pub(crate) fn eventually(self) -> Self {
        let (span, depth) = (self.span, self.depth + 1);
        Self { kind: ExprKind::Psl(PslOp::Eventually, vec![self]), span, depth }
    }
}
