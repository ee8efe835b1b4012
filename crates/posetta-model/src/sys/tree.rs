//! A system file as it is written: names with indices that are not worked out yet.

use std::borrow::Cow;

use super::expressions::Expr;
use posetta_base::Span;

/// A name with indices: `take[(i+1) % N]`.
#[derive(Clone, Debug)]
pub(super) struct Name<'a> {
    pub(super) base: Cow<'a, str>,
    pub(super) indices: Vec<Expr<'a>>,
    pub(super) span: Span,
}

/// `x in 0..N-1`
#[derive(Clone, Debug)]
pub(super) struct Range<'a> {
    pub(super) variable: &'a str,
    pub(super) from: Expr<'a>,
    pub(super) to: Expr<'a>,
    /// The variable and its bounds.
    pub(super) span: Span,
    /// The bounds.
    pub(super) bounds: Span,
}

/// `for x in 0..1, y in 0..2 if x != y`
#[derive(Clone, Debug)]
pub(super) struct Loop<'a> {
    pub(super) ranges: Vec<Range<'a>>,
    pub(super) condition: Option<Expr<'a>>,
    pub(super) span: Span,
}

/// Things of one sort, some of them once for each round of a loop.
pub(super) type List<'a, T> = Vec<Entry<'a, T>>;

/// One of them.
#[derive(Clone, Debug)]
pub(super) enum Entry<'a, T> {
    One(T),
    For(Loop<'a>, List<'a, T>),
}

/// What stands in an `lts`.
#[derive(Clone, Debug)]
pub(super) enum LtsItem<'a> {
    Init(Name<'a>),
    /// `s -a, b-> t -c-> u`
    Path(Name<'a>, Vec<(Vec<Name<'a>>, Name<'a>)>),
}

/// `2 q`
#[derive(Clone, Debug)]
pub(super) struct Weighted<'a> {
    pub(super) weight: Option<Expr<'a>>,
    pub(super) place: Name<'a>,
}

/// What stands in a `net`.
#[derive(Clone, Debug)]
pub(super) enum NetItem<'a> {
    Tokens(Name<'a>, Expr<'a>),
    Transition { name: Name<'a>, takes: List<'a, Weighted<'a>>, puts: List<'a, Weighted<'a>> },
}

/// A regular expression. Repetitions directly inside repetitions are one: depth is that of parentheses.
#[derive(Clone, Debug)]
pub(super) enum Regex<'a> {
    Empty,
    Letter(Name<'a>),
    Sequence(Vec<Regex<'a>>),
    Choice(Vec<Regex<'a>>),
    /// `x*` with both, `x+` with `many`, `x?` with `none`.
    Repeat {
        none: bool,
        many: bool,
        inner: Box<Regex<'a>>,
    },
}

/// `a -> b`
#[derive(Clone, Debug)]
pub(super) struct Rename<'a> {
    pub(super) from: Name<'a>,
    pub(super) to: Name<'a>,
}

/// What a component does.
#[derive(Clone, Debug)]
pub(super) enum Body<'a> {
    Lts(List<'a, LtsItem<'a>>),
    Net(List<'a, NetItem<'a>>),
    Language(Regex<'a>),
    /// A formula, in one string or several; quotes included.
    M2l(Vec<Span>),
    Import {
        file: Cow<'a, str>,
        span: Span,
        renames: List<'a, Rename<'a>>,
    },
}

/// `component C(i in 0..N-1) { … }`
#[derive(Clone, Debug)]
pub(super) struct Component<'a> {
    pub(super) name: Cow<'a, str>,
    pub(super) name_span: Span,
    pub(super) parameters: Vec<Range<'a>>,
    /// Declared actions and whether they are internal.
    pub(super) declared: Vec<(bool, List<'a, Name<'a>>)>,
    pub(super) body: Body<'a>,
    /// The word that the body begins with.
    pub(super) body_span: Span,
}

/// `where { … }`
#[derive(Clone, Debug)]
pub(super) enum Where<'a> {
    Internal(List<'a, Name<'a>>),
    Rename(List<'a, Rename<'a>>),
}

/// What a system is put together from.
#[derive(Clone, Debug)]
pub(super) enum Composition<'a> {
    /// A component, a copy of one, or a system.
    Use(Name<'a>),
    Parallel(Vec<Composition<'a>>),
    Where(Box<Composition<'a>>, Vec<Where<'a>>),
}

/// `system S = …`
#[derive(Clone, Debug)]
pub(super) struct SystemItem<'a> {
    pub(super) name: Cow<'a, str>,
    pub(super) name_span: Span,
    pub(super) composition: Composition<'a>,
}

/// `const N = 10`
#[derive(Clone, Debug)]
pub(super) struct Constant<'a> {
    pub(super) name: &'a str,
    pub(super) span: Span,
    pub(super) value: Expr<'a>,
}

/// A whole file.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree<'a> {
    pub(super) constants: Vec<Constant<'a>>,
    pub(super) components: Vec<Component<'a>>,
    pub(super) systems: Vec<SystemItem<'a>>,
}
