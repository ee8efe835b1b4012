//! Assertions: what testers demand of a position, or of a position and the next one.

use rustc_hash::FxHashMap;

use super::TesterVar;
use posetta_logic::{AtomId, Guard};

/// A place in [`Assertions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AssertionId(u32);

impl AssertionId {
    /// The place in the arena.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A truth function of atoms and a tester's variables.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Assertion {
    /// `true` or `false`
    Constant(bool),
    /// An atom.
    Atom(AtomId),
    /// A variable.
    Var(TesterVar),
    /// `a'`: a at the next position. Never inside another one.
    Next(AssertionId),
    /// `!a`
    Not(AssertionId),
    /// `a && …`, at least two.
    And(Vec<AssertionId>),
    /// `a || …`, at least two.
    Or(Vec<AssertionId>),
    /// `a <-> b`
    Iff(AssertionId, AssertionId),
}

/// An arena of assertions, each stored once; operands have smaller ids.
#[derive(Clone, Debug, Default)]
pub struct Assertions {
    nodes: Vec<Assertion>,
    known: FxHashMap<Assertion, AssertionId>,
}

impl Assertions {
    fn add(&mut self, assertion: Assertion) -> AssertionId {
        if let Some(&id) = self.known.get(&assertion) {
            return id;
        }
        let id = AssertionId(u32::try_from(self.nodes.len()).expect("memory ends long before"));
        self.nodes.push(assertion.clone());
        self.known.insert(assertion, id);
        id
    }

    /// An assertion.
    #[must_use]
    pub fn get(&self, id: AssertionId) -> &Assertion {
        &self.nodes[id.index()]
    }

    /// The atoms that are mentioned, each once.
    pub fn atoms(&self) -> impl Iterator<Item = AtomId> + '_ {
        self.nodes.iter().filter_map(|node| match node {
            Assertion::Atom(atom) => Some(*atom),
            _ => None,
        })
    }

    pub(super) fn constant(&mut self, value: bool) -> AssertionId {
        self.add(Assertion::Constant(value))
    }

    pub(super) fn atom(&mut self, atom: AtomId) -> AssertionId {
        self.add(Assertion::Atom(atom))
    }

    pub(super) fn var(&mut self, var: TesterVar) -> AssertionId {
        self.add(Assertion::Var(var))
    }

    fn value(&self, id: AssertionId) -> Option<bool> {
        match self.get(id) {
            Assertion::Constant(value) => Some(*value),
            _ => None,
        }
    }

    pub(super) fn is(&self, id: AssertionId, value: bool) -> bool {
        self.value(id) == Some(value)
    }

    pub(super) fn next(&mut self, a: AssertionId) -> AssertionId {
        if self.value(a).is_some() { a } else { self.add(Assertion::Next(a)) }
    }

    pub(super) fn not(&mut self, a: AssertionId) -> AssertionId {
        match *self.get(a) {
            Assertion::Constant(value) => self.constant(!value),
            Assertion::Not(inner) => inner,
            _ => self.add(Assertion::Not(a)),
        }
    }

    pub(super) fn and(&mut self, parts: impl IntoIterator<Item = AssertionId>) -> AssertionId {
        self.chain(parts, true)
    }

    pub(super) fn or(&mut self, parts: impl IntoIterator<Item = AssertionId>) -> AssertionId {
        self.chain(parts, false)
    }

    fn chain(&mut self, parts: impl IntoIterator<Item = AssertionId>, unit: bool) -> AssertionId {
        let mut kept: Vec<AssertionId> = Vec::new();
        for part in parts {
            match self.value(part) {
                Some(value) if value == unit => {}
                Some(_) => return self.constant(!unit),
                None if kept.contains(&part) => {}
                None => kept.push(part),
            }
        }
        match kept.len() {
            0 => self.constant(unit),
            1 => kept[0],
            _ => self.add(if unit { Assertion::And(kept) } else { Assertion::Or(kept) }),
        }
    }

    pub(super) fn iff(&mut self, a: AssertionId, b: AssertionId) -> AssertionId {
        match (self.value(a), self.value(b)) {
            _ if a == b => self.constant(true),
            (Some(true), _) => b,
            (_, Some(true)) => a,
            (Some(false), _) => self.not(b),
            (_, Some(false)) => self.not(a),
            _ => self.add(Assertion::Iff(a, b)),
        }
    }

    pub(super) fn implies(&mut self, a: AssertionId, b: AssertionId) -> AssertionId {
        let not = self.not(a);
        self.or([not, b])
    }

    /// A boolean of the logics.
    pub(super) fn guard(&mut self, guard: &Guard<AtomId>) -> AssertionId {
        match guard {
            Guard::True => self.constant(true),
            Guard::False => self.constant(false),
            Guard::Atom(atom) => self.atom(*atom),
            Guard::Not(g) => {
                let g = self.guard(g);
                self.not(g)
            }
            Guard::And(gs) => {
                let gs: Vec<AssertionId> = gs.iter().map(|g| self.guard(g)).collect();
                self.and(gs)
            }
            Guard::Or(gs) => {
                let gs: Vec<AssertionId> = gs.iter().map(|g| self.guard(g)).collect();
                self.or(gs)
            }
            Guard::Implies(a, b) => {
                let (a, b) = (self.guard(a), self.guard(b));
                self.implies(a, b)
            }
            Guard::Iff(a, b) => {
                let (a, b) = (self.guard(a), self.guard(b));
                self.iff(a, b)
            }
        }
    }

    /// Whether it holds at a position: `atom` and `var` say what is true, of the next position if their second argument is.
    pub fn holds(
        &self,
        id: AssertionId,
        atom: &impl Fn(AtomId, bool) -> bool,
        var: &impl Fn(TesterVar, bool) -> bool,
    ) -> bool {
        self.holds_at(id, false, atom, var)
    }

    fn holds_at(
        &self,
        id: AssertionId,
        next: bool,
        atom: &impl Fn(AtomId, bool) -> bool,
        var: &impl Fn(TesterVar, bool) -> bool,
    ) -> bool {
        let at = |id: AssertionId, next: bool| self.holds_at(id, next, atom, var);
        match self.get(id) {
            Assertion::Constant(value) => *value,
            Assertion::Atom(a) => atom(*a, next),
            Assertion::Var(v) => var(*v, next),
            Assertion::Next(a) => at(*a, true),
            Assertion::Not(a) => !at(*a, next),
            Assertion::And(parts) => parts.iter().all(|&p| at(p, next)),
            Assertion::Or(parts) => parts.iter().any(|&p| at(p, next)),
            Assertion::Iff(a, b) => at(*a, next) == at(*b, next),
        }
    }
}
