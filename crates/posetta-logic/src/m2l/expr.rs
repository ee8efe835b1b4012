//! The untyped tree: expressions and declarations as written. Names are spans of the text.

use super::tree::{Connective, Order};
use posetta_base::Span;

/// An expression: a formula, a position, a set or a number. Which one is known once its names are.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) kind: ExprKind,
    pub(super) span: Span,
    /// Levels of the typed tree that it becomes, at most [`MAX_DEPTH`](super::MAX_DEPTH).
    pub(super) depth: u32,
}

impl Expr {
    /// Takes the parentheses around it in. What is read from its span stays as it is.
    pub(super) fn widen(&mut self, span: Span) {
        if !matches!(self.kind, ExprKind::Name | ExprKind::Number | ExprKind::Atom) {
            self.span = span;
        }
    }
}

/// Operators that may repeat on both sides, whatever the grouping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chain {
    And,
    Or,
    Union,
    Inter,
}

/// `in`, comparisons and the like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    In,
    NotIn,
    Sub,
    Equal,
    NotEqual,
    Less,
    LessEq,
    Greater,
    GreaterEq,
}

impl Relation {
    /// As written.
    pub(super) fn sign(self) -> &'static str {
        match self {
            Self::In => "in",
            Self::NotIn => "notin",
            Self::Sub => "sub",
            Self::Equal => "=",
            Self::NotEqual => "~=",
            Self::Less => "<",
            Self::LessEq => "<=",
            Self::Greater => ">",
            Self::GreaterEq => ">=",
        }
    }
}

/// `+ - * /`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arith {
    Add,
    Sub,
    Mul,
    Div,
}

/// A name in a list, with its `where`.
#[derive(Clone, Debug)]
pub(super) struct Bound {
    pub(super) name: Span,
    pub(super) restriction: Option<Expr>,
}

/// What stands between braces.
#[derive(Clone, Debug)]
pub(super) enum Listed {
    One(Expr),
    Range(Expr, Expr),
}

#[derive(Clone, Debug)]
pub(super) enum ExprKind {
    Name,
    /// Digits.
    Number,
    Bool(bool),
    /// `empty` or `{}`
    Empty,
    /// An atom in backquotes; the span has them, too.
    Atom,
    Not(Box<Expr>),
    /// `a & b & …`, at least two.
    Chain(Chain, Vec<Expr>),
    /// `=>` and `<=>`.
    Join(Connective, Box<Expr>, Box<Expr>),
    Relation(Relation, Box<Expr>, Box<Expr>),
    /// `T \ U`
    Difference(Box<Expr>, Box<Expr>),
    /// `t + i` and so on; what stands behind the sign is a number.
    Arith(Arith, Box<Expr>, Box<Expr>),
    /// `-i`, only inside numbers.
    Negative(Box<Expr>),
    /// `t + i % u`, `t - i % u`.
    Modulo(Arith, Box<[Expr; 3]>),
    Min(Box<Expr>),
    Max(Box<Expr>),
    Listed(Vec<Listed>),
    /// A name with arguments in parentheses.
    Call(Span, Vec<Expr>),
    /// `empty(T)`
    IsEmpty(Box<Expr>),
    Restrict(Box<Expr>),
    Prefix(Box<Expr>),
    /// `export("file", f)`: the string with its quotes, and the formula.
    Export(Span, Box<Expr>),
    Quantified {
        all: bool,
        order: Order,
        names: Vec<Bound>,
        body: Box<Expr>,
    },
    Let {
        order: Order,
        definitions: Vec<(Span, Expr)>,
        body: Box<Expr>,
    },
}

/// A parameter of a predicate.
#[derive(Clone, Debug)]
pub(super) struct Formal {
    pub(super) order: Order,
    pub(super) name: Bound,
}

/// One declaration of a file.
#[derive(Clone, Debug)]
pub(super) enum Declaration {
    Formula(Expr),
    Assert {
        word: Span,
        formula: Expr,
    },
    /// `execute f`
    Execute {
        word: Span,
        formula: Expr,
    },
    Verify {
        word: Span,
        title: Option<Span>,
        formula: Expr,
    },
    Const {
        name: Span,
        value: Expr,
    },
    Var {
        order: Order,
        names: Vec<Bound>,
    },
    Predicate {
        is_macro: bool,
        name: Span,
        formals: Vec<Formal>,
        body: Expr,
    },
    /// `defaultwhere1` and `defaultwhere2`.
    Default {
        order: Order,
        word: Span,
        name: Span,
        body: Expr,
    },
    /// `allpos`
    AllPositions {
        word: Span,
        name: Span,
    },
    /// `lastpos`
    LastPosition {
        word: Span,
        name: Span,
    },
    /// `include "file"`: the string with its quotes.
    Include(Span),
}
