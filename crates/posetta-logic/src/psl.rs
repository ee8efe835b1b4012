//! PSL: the Foundation Language, unclocked, on finite and infinite words (IEEE 1850; Pnueli and Zaks 2006, section 2).
//!
//! A [`Sere`] is a regular expression whose letters are boolean expressions ([`Guard`]). Formulas are booleans, SEREs (weak: not yet
//! refuted; strong: matched), and what operators make of them. The trees keep what was written; what the derived forms stand for
//! is said with each. What all of it means on a word, also on one that is cut off by `abort`, is written down in [`super::eval`].

use std::fmt;

use super::atom::Atom;
use super::monitor::Guard;

/// Which changes of a clock count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Edge {
    /// It becomes 1.
    #[default]
    Rising,
    /// It becomes 0.
    Falling,
    /// Both.
    Both,
}

/// When a clocked property looks at a waveform.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Clock {
    /// The signal.
    pub signal: String,
    /// Its edges.
    pub edge: Edge,
}

/// As it is written behind `@`, without the parentheses.
impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let edge = match self.edge {
            Edge::Rising => "posedge",
            Edge::Falling => "negedge",
            Edge::Both => "edge",
        };
        write!(f, "{edge} {}", self.signal)
    }
}

/// How often something is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Times {
    /// At least.
    pub min: u32,
    /// At most; `None`: any number.
    pub max: Option<u32>,
}

impl Times {
    /// `[*]`
    pub const ANY: Self = Self { min: 0, max: None };

    /// `[+]`
    pub const SOME: Self = Self { min: 1, max: None };

    /// `[*n]`
    #[must_use]
    pub const fn exactly(n: u32) -> Self {
        Self { min: n, max: Some(n) }
    }
}

/// What joins SEREs. A chain `r1 op r2 op r3` reads from the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SereOp {
    /// `r ; s`: r, then s.
    Concat,
    /// `r : s`: r, then s, which starts with the last letter of r.
    Fusion,
    /// `r | s`
    Or,
    /// `r & s`: both start here, the longer one ends: `{{r} && {s;true[*]}} | {{r;true[*]} && {s}}`.
    And,
    /// `r && s`: both, of the same length.
    Intersect,
    /// `r within s`: `{true[*];r;true[*]} && {s}`.
    Within,
}

/// A sequential extended regular expression over atoms `A`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Sere<A = Atom> {
    /// One letter that satisfies it.
    Bool(Guard<A>),
    /// `r op s op …`, at least two.
    Chain(SereOp, Vec<Sere<A>>),
    /// `r[*]`, `r[+]`, `r[*n]`, `r[*n:m]`. `[*0]` is `true[*0]`, `[*]` alone `true[*]`.
    Repeat(Box<Sere<A>>, Times),
    /// `b[->n:m]`: up to and including the n-th to m-th b: `{!b[*];b}[*n:m]`.
    Goto(Guard<A>, Times),
    /// `b[=n:m]`: n to m times b, not necessarily next to each other: `{b[->n:m];!b[*]}`, for 0 times `!b[*]`.
    Occur(Guard<A>, Times),
}

/// Operators on one formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PslUnary {
    /// `X f`, `next f`: f holds at the next position, if there is one.
    Next,
    /// `X! f`, `next! f`: there is a next position and f holds there.
    StrongNext,
    /// `G f`, `always f`
    Globally,
    /// `F f`, `eventually! f`
    Finally,
}

/// Operators on two formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PslBinary {
    /// `f until! g`, `f U g`; weak: `f until g`, `f W g`. Inclusive: `f until!_ g` is `f U (f && g)`, `f until_ g` is `f W (f && g)`.
    Until {
        /// g does come.
        strong: bool,
        /// f holds when it comes, too.
        inclusive: bool,
    },
    /// `f before! g` is `!g U (f && !g)`, `f before g` is `!g W (f && !g)`. Inclusive: `f before!_ g` is `!g U f`, `f before_ g`
    /// is `!g W f`.
    Before {
        /// f does come.
        strong: bool,
        /// Both may come at once.
        inclusive: bool,
    },
}

/// What a SERE does to the formula behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Suffix {
    /// `r |-> f`: f holds at the last letter of every match of r.
    Overlapping,
    /// `r |=> f`: f holds after every match of r: `{r;true} |-> f`.
    After,
    /// `<r> f`: f holds at the last letter of some match of r.
    Some,
}

/// A formula over atoms `A`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Psl<A = Atom> {
    /// A boolean: the first letter satisfies it, if there is one. What `! && || -> <->` make of booleans is a boolean.
    Bool(Guard<A>),
    /// `r` (weak) or `r!` (strong).
    Sere {
        /// The expression.
        sere: Sere<A>,
        /// It is matched.
        strong: bool,
    },
    /// `!f`
    Not(Box<Psl<A>>),
    /// `f && …`, at least two.
    And(Vec<Psl<A>>),
    /// `f || …`, at least two.
    Or(Vec<Psl<A>>),
    /// `f -> g`: `!f || g`.
    Implies(Box<Psl<A>>, Box<Psl<A>>),
    /// `f <-> g`: `(f && g) || (!f && !g)`.
    Iff(Box<Psl<A>>, Box<Psl<A>>),
    /// `X f` and so on.
    Unary(PslUnary, Box<Psl<A>>),
    /// `next[n] f`, `next![n] f`: n times `X`, or `X!`.
    NextTimes {
        /// There are that many positions.
        strong: bool,
        /// How many positions later.
        count: u32,
        /// What holds there.
        formula: Box<Psl<A>>,
    },
    /// `f U g` and so on.
    Binary(PslBinary, Box<Psl<A>>, Box<Psl<A>>),
    /// `never r`: `{true[*];r} |-> false`.
    Never(Sere<A>),
    /// `eventually! r` of a SERE: `{true[*];r}!`.
    Eventually(Sere<A>),
    /// `r |-> f`, `r |=> f`, `<r> f`.
    Suffix(Suffix, Sere<A>, Box<Psl<A>>),
    /// `f abort b`: f, or f could still come true where b comes.
    Abort(Box<Psl<A>>, Guard<A>),
}

impl<A> Sere<A> {
    /// The same expression over other atoms; atoms are met from left to right.
    pub fn map_atoms<B>(&self, f: &mut impl FnMut(&A) -> B) -> Sere<B> {
        match self {
            Self::Bool(b) => Sere::Bool(b.map_atoms(f)),
            Self::Chain(op, parts) => Sere::Chain(*op, parts.iter().map(|r| r.map_atoms(f)).collect()),
            Self::Repeat(r, times) => Sere::Repeat(Box::new(r.map_atoms(f)), *times),
            Self::Goto(b, times) => Sere::Goto(b.map_atoms(f), *times),
            Self::Occur(b, times) => Sere::Occur(b.map_atoms(f), *times),
        }
    }
}

impl<A> Psl<A> {
    /// The formulas that it is made of, from left to right.
    #[must_use]
    pub fn operands(&self) -> Vec<&Self> {
        match self {
            Self::Bool(_) | Self::Sere { .. } | Self::Never(_) | Self::Eventually(_) => Vec::new(),
            Self::Not(f) | Self::Unary(_, f) | Self::Suffix(_, _, f) | Self::Abort(f, _) => vec![f],
            Self::NextTimes { formula, .. } => vec![formula],
            Self::And(fs) | Self::Or(fs) => fs.iter().collect(),
            Self::Implies(f, g) | Self::Iff(f, g) | Self::Binary(_, f, g) => vec![f, g],
        }
    }

    /// The same formula over other atoms; atoms are met from left to right.
    pub fn map_atoms<B>(&self, f: &mut impl FnMut(&A) -> B) -> Psl<B> {
        match self {
            Self::Bool(b) => Psl::Bool(b.map_atoms(f)),
            Self::Sere { sere, strong } => Psl::Sere { sere: sere.map_atoms(f), strong: *strong },
            Self::Not(g) => Psl::Not(Box::new(g.map_atoms(f))),
            Self::And(gs) => Psl::And(gs.iter().map(|g| g.map_atoms(f)).collect()),
            Self::Or(gs) => Psl::Or(gs.iter().map(|g| g.map_atoms(f)).collect()),
            Self::Implies(a, b) => Psl::Implies(Box::new(a.map_atoms(f)), Box::new(b.map_atoms(f))),
            Self::Iff(a, b) => Psl::Iff(Box::new(a.map_atoms(f)), Box::new(b.map_atoms(f))),
            Self::Unary(op, g) => Psl::Unary(*op, Box::new(g.map_atoms(f))),
            Self::NextTimes { strong, count, formula } => {
                Psl::NextTimes { strong: *strong, count: *count, formula: Box::new(formula.map_atoms(f)) }
            }
            Self::Binary(op, a, b) => Psl::Binary(*op, Box::new(a.map_atoms(f)), Box::new(b.map_atoms(f))),
            Self::Never(r) => Psl::Never(r.map_atoms(f)),
            Self::Eventually(r) => Psl::Eventually(r.map_atoms(f)),
            Self::Suffix(op, r, g) => {
                let r = r.map_atoms(f);
                Psl::Suffix(*op, r, Box::new(g.map_atoms(f)))
            }
            Self::Abort(g, b) => {
                let g = Box::new(g.map_atoms(f));
                Psl::Abort(g, b.map_atoms(f))
            }
        }
    }
}
