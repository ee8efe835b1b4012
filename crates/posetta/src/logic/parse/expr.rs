//! The untyped tree.

use super::Index;
use super::psl::PslOp;
use crate::base::{Number, Span};
use crate::logic::atom::{Arith, Compare};
use crate::logic::ctl::{CtlBinary, CtlUnary, Path};
use crate::logic::ltl::{LtlBinary, LtlUnary};
use crate::logic::pattern::{Scope, Skeleton};
use crate::logic::trigger::Role;

/// A formula or a term as written.
#[derive(Clone, Debug)]
pub(in crate::logic) struct Expr {
    pub(in crate::logic) kind: ExprKind,
    pub(in crate::logic) span: Span,
    /// At most [`MAX_DEPTH`](super::MAX_DEPTH).
    pub(super) depth: u32,
}

/// A part of a name: as it stands, or an index to be worked out.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::logic) enum Piece {
    Text(String),
    Index(Index),
}

/// The argument of `event` or `process`.
#[derive(Clone, Debug)]
pub(in crate::logic) enum Name {
    /// In quotes: as it stands.
    Given(String),
    /// A word, which may be a parameter.
    Word(Vec<Piece>),
}

/// A pattern over the numbers of its arguments.
#[derive(Clone, Debug)]
pub(in crate::logic) struct Laid {
    pub(in crate::logic) skeleton: Skeleton,
    /// What it waits for: the arguments that say it, and what holds if it never comes.
    pub(in crate::logic) triggers: Vec<(Role, Vec<usize>, Skeleton)>,
}

#[derive(Clone, Debug)]
pub(in crate::logic) enum ExprKind {
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
    On(Box<Expr>),
    Event(Name),
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
