//! Linear temporal logic on finite words, with past.
//!
//! Strong `X` (false at the last position), weak `WX` (true there); `F G U W R M` look forward, `Y O H S` back. `U`, `M`
//! and `S` demand their goal, `W` and `R` do not. What each means at every position is written down in [`super::eval`].

use super::atom::Atom;

/// Operators on one formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LtlUnary {
    /// `X f`: there is a next position and f holds there.
    Next,
    /// `WX f`: f holds at the next position, if there is one.
    WeakNext,
    /// `F f`: f holds now or later.
    Finally,
    /// `G f`: f holds now and always later.
    Globally,
    /// `Y f`: there is a previous position and f holds there.
    Yesterday,
    /// `O f`: f holds now or held before.
    Once,
    /// `H f`: f holds now and always held before.
    Historically,
}

/// Operators on two formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LtlBinary {
    /// `f U g`: g holds now or later, and f until then.
    Until,
    /// `f W g`: `f U g`, or f holds to the end.
    WeakUntil,
    /// `f R g`: g holds up to and including the first f, or to the end.
    Release,
    /// `f M g`: `f R g`, and f does come.
    StrongRelease,
    /// `f S g`: g held now or before, and f ever since.
    Since,
}

/// A formula over atoms `A`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ltl<A = Atom> {
    /// `true`
    True,
    /// `false`
    False,
    /// An atom.
    Atom(A),
    /// `!f`
    Not(Box<Ltl<A>>),
    /// `f && …`, at least two.
    And(Vec<Ltl<A>>),
    /// `f || …`, at least two.
    Or(Vec<Ltl<A>>),
    /// `f -> g`
    Implies(Box<Ltl<A>>, Box<Ltl<A>>),
    /// `f <-> g`
    Iff(Box<Ltl<A>>, Box<Ltl<A>>),
    /// `X f` and so on.
    Unary(LtlUnary, Box<Ltl<A>>),
    /// `f U g` and so on.
    Binary(LtlBinary, Box<Ltl<A>>, Box<Ltl<A>>),
}

impl<A> Ltl<A> {
    /// What it is made of, from left to right.
    #[must_use]
    pub fn operands(&self) -> Vec<&Self> {
        match self {
            Self::True | Self::False | Self::Atom(_) => Vec::new(),
            Self::Not(f) | Self::Unary(_, f) => vec![f],
            Self::And(fs) | Self::Or(fs) => fs.iter().collect(),
            Self::Implies(f, g) | Self::Iff(f, g) | Self::Binary(_, f, g) => vec![f, g],
        }
    }

    /// The same formula over other atoms; atoms are met from left to right.
    pub fn map_atoms<B>(&self, f: &mut impl FnMut(&A) -> B) -> Ltl<B> {
        match self {
            Self::True => Ltl::True,
            Self::False => Ltl::False,
            Self::Atom(a) => Ltl::Atom(f(a)),
            Self::Not(g) => Ltl::Not(Box::new(g.map_atoms(f))),
            Self::And(gs) => Ltl::And(gs.iter().map(|g| g.map_atoms(f)).collect()),
            Self::Or(gs) => Ltl::Or(gs.iter().map(|g| g.map_atoms(f)).collect()),
            Self::Implies(a, b) => Ltl::Implies(Box::new(a.map_atoms(f)), Box::new(b.map_atoms(f))),
            Self::Iff(a, b) => Ltl::Iff(Box::new(a.map_atoms(f)), Box::new(b.map_atoms(f))),
            Self::Unary(op, g) => Ltl::Unary(*op, Box::new(g.map_atoms(f))),
            Self::Binary(op, a, b) => Ltl::Binary(*op, Box::new(a.map_atoms(f)), Box::new(b.map_atoms(f))),
        }
    }

    /// Formulas for atoms. A conjunction for a part of a conjunction is kept as one part.
    pub fn substitute<B>(&self, f: &mut impl FnMut(&A) -> Ltl<B>) -> Ltl<B> {
        match self {
            Self::True => Ltl::True,
            Self::False => Ltl::False,
            Self::Atom(a) => f(a),
            Self::Not(g) => Ltl::Not(Box::new(g.substitute(f))),
            Self::And(gs) => Ltl::And(gs.iter().map(|g| g.substitute(f)).collect()),
            Self::Or(gs) => Ltl::Or(gs.iter().map(|g| g.substitute(f)).collect()),
            Self::Implies(a, b) => Ltl::Implies(Box::new(a.substitute(f)), Box::new(b.substitute(f))),
            Self::Iff(a, b) => Ltl::Iff(Box::new(a.substitute(f)), Box::new(b.substitute(f))),
            Self::Unary(op, g) => Ltl::Unary(*op, Box::new(g.substitute(f))),
            Self::Binary(op, a, b) => Ltl::Binary(*op, Box::new(a.substitute(f)), Box::new(b.substitute(f))),
        }
    }
}
