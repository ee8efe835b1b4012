//! Computation tree logic over the graph of cuts.
//!
//! A step adds one event. At the full cut there is no step: `EX f` is false, `AX f` is true, and every other operator is
//! decided by the full cut alone.

use super::atom::Atom;

/// Over which paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Path {
    /// `E`: some path.
    Some,
    /// `A`: every path.
    All,
}

/// Operators on one formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CtlUnary {
    /// `X`: at the next cut.
    Next,
    /// `F`: at this cut or a later one.
    Finally,
    /// `G`: at this cut and all later ones.
    Globally,
}

impl CtlUnary {
    /// The operator that is this one's negation, of the negation, over the other kind of paths.
    #[must_use]
    pub fn dual(self) -> Self {
        match self {
            Self::Next => Self::Next,
            Self::Finally => Self::Globally,
            Self::Globally => Self::Finally,
        }
    }
}

/// Operators on two formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CtlBinary {
    /// `[f U g]`
    Until,
    /// `[f W g]`
    WeakUntil,
    /// `[f R g]`
    Release,
}

/// A formula over atoms `A`, which speak of states only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ctl<A = Atom> {
    /// `true`
    True,
    /// `false`
    False,
    /// An atom.
    Atom(A),
    /// `!f`
    Not(Box<Ctl<A>>),
    /// `f && …`, at least two.
    And(Vec<Ctl<A>>),
    /// `f || …`, at least two.
    Or(Vec<Ctl<A>>),
    /// `f -> g`
    Implies(Box<Ctl<A>>, Box<Ctl<A>>),
    /// `f <-> g`
    Iff(Box<Ctl<A>>, Box<Ctl<A>>),
    /// `EX f`, `AG f` and so on.
    Unary(Path, CtlUnary, Box<Ctl<A>>),
    /// `E[f U g]` and so on.
    Binary(Path, CtlBinary, Box<Ctl<A>>, Box<Ctl<A>>),
}

impl<A> Ctl<A> {
    /// What it is made of, from left to right.
    #[must_use]
    pub fn operands(&self) -> Vec<&Self> {
        match self {
            Self::True | Self::False | Self::Atom(_) => Vec::new(),
            Self::Not(f) | Self::Unary(_, _, f) => vec![f],
            Self::And(fs) | Self::Or(fs) => fs.iter().collect(),
            Self::Implies(f, g) | Self::Iff(f, g) | Self::Binary(_, _, f, g) => vec![f, g],
        }
    }

    /// The same formula over other atoms; atoms are met from left to right.
    pub fn map_atoms<B>(&self, f: &mut impl FnMut(&A) -> B) -> Ctl<B> {
        match self {
            Self::True => Ctl::True,
            Self::False => Ctl::False,
            Self::Atom(a) => Ctl::Atom(f(a)),
            Self::Not(g) => Ctl::Not(Box::new(g.map_atoms(f))),
            Self::And(gs) => Ctl::And(gs.iter().map(|g| g.map_atoms(f)).collect()),
            Self::Or(gs) => Ctl::Or(gs.iter().map(|g| g.map_atoms(f)).collect()),
            Self::Implies(a, b) => Ctl::Implies(Box::new(a.map_atoms(f)), Box::new(b.map_atoms(f))),
            Self::Iff(a, b) => Ctl::Iff(Box::new(a.map_atoms(f)), Box::new(b.map_atoms(f))),
            Self::Unary(path, op, g) => Ctl::Unary(*path, *op, Box::new(g.map_atoms(f))),
            Self::Binary(path, op, a, b) => Ctl::Binary(*path, *op, Box::new(a.map_atoms(f)), Box::new(b.map_atoms(f))),
        }
    }
}
