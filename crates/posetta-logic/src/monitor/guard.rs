//! Guards: what a monitor asks of one position.

use crate::atom::Atom;

/// A boolean combination of atoms `A`, without temporal operators.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Guard<A = Atom> {
    /// `true`
    True,
    /// `false`
    False,
    /// An atom.
    Atom(A),
    /// `!g`
    Not(Box<Guard<A>>),
    /// `g && …`, at least two.
    And(Vec<Guard<A>>),
    /// `g || …`, at least two.
    Or(Vec<Guard<A>>),
    /// `g -> h`
    Implies(Box<Guard<A>>, Box<Guard<A>>),
    /// `g <-> h`
    Iff(Box<Guard<A>>, Box<Guard<A>>),
}

impl<A> Guard<A> {
    /// Whether it holds where `atom` says which atoms do.
    pub fn holds(&self, atom: &impl Fn(&A) -> bool) -> bool {
        match self {
            Self::True => true,
            Self::False => false,
            Self::Atom(a) => atom(a),
            Self::Not(g) => !g.holds(atom),
            Self::And(gs) => gs.iter().all(|g| g.holds(atom)),
            Self::Or(gs) => gs.iter().any(|g| g.holds(atom)),
            Self::Implies(a, b) => !a.holds(atom) || b.holds(atom),
            Self::Iff(a, b) => a.holds(atom) == b.holds(atom),
        }
    }

    /// The same guard over other atoms; atoms are met from left to right.
    pub fn map_atoms<B>(&self, f: &mut impl FnMut(&A) -> B) -> Guard<B> {
        match self {
            Self::True => Guard::True,
            Self::False => Guard::False,
            Self::Atom(a) => Guard::Atom(f(a)),
            Self::Not(g) => Guard::Not(Box::new(g.map_atoms(f))),
            Self::And(gs) => Guard::And(gs.iter().map(|g| g.map_atoms(f)).collect()),
            Self::Or(gs) => Guard::Or(gs.iter().map(|g| g.map_atoms(f)).collect()),
            Self::Implies(a, b) => Guard::Implies(Box::new(a.map_atoms(f)), Box::new(b.map_atoms(f))),
            Self::Iff(a, b) => Guard::Iff(Box::new(a.map_atoms(f)), Box::new(b.map_atoms(f))),
        }
    }

    /// How many parts it has, and how many levels.
    pub(super) fn size(&self) -> (u64, u32) {
        let join = |a: (u64, u32), b: (u64, u32)| (a.0.saturating_add(b.0), a.1.max(b.1));
        let (parts, levels) = match self {
            Self::True | Self::False | Self::Atom(_) => (0, 0),
            Self::Not(g) => g.size(),
            Self::And(gs) | Self::Or(gs) => gs.iter().map(Self::size).fold((0, 0), join),
            Self::Implies(a, b) | Self::Iff(a, b) => join(a.size(), b.size()),
        };
        (parts.saturating_add(1), levels + 1)
    }
}
