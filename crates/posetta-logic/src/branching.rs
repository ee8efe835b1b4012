//! CTL worked off by sets of states, whatever holds them and whatever counts as a path.
//!
//! A [`Program`] is a formula laid out flat. [`evaluate`] finds the set of each of its subformulas, operands first. What there is to know about states and
//! paths is in [`StateSets`]: `EX`, `E[f U g]` and `EG`; the other operators follow from these by the usual dualities, unless a representation knows
//! better ([`StateSets::unary`], [`StateSets::binary`]). Paths may be all maximal ones, fair ones, or those from one cut of a run to its end.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::ctl::{Ctl, CtlBinary, CtlUnary, Path};
use posetta_base::{Limit, OverBudget};

/// A subformula: its place in a [`Program`].
pub type Place = u32;

/// What a subformula is made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node<A> {
    /// `true` or `false`
    Constant(bool),
    /// An atom.
    Atom(A),
    /// `!f`
    Not(Place),
    /// `f && …`
    And(Box<[Place]>),
    /// `f || …`
    Or(Box<[Place]>),
    /// `f -> g`
    Implies(Place, Place),
    /// `f <-> g`
    Iff(Place, Place),
    /// `EX f`, `AG f` and so on.
    Unary(Path, CtlUnary, Place),
    /// `E[f U g]` and so on.
    Binary(Path, CtlBinary, Place, Place),
}

impl<A> Node<A> {
    /// From left to right.
    #[must_use]
    pub fn operands(&self) -> Vec<Place> {
        match self {
            Self::Constant(_) | Self::Atom(_) => Vec::new(),
            Self::Not(f) | Self::Unary(_, _, f) => vec![*f],
            Self::And(fs) | Self::Or(fs) => fs.to_vec(),
            Self::Implies(f, g) | Self::Iff(f, g) | Self::Binary(_, _, f, g) => vec![*f, *g],
        }
    }
}

/// The subformulas of a formula, operands first; the last one is the formula.
#[derive(Clone, Debug)]
pub struct Program<A> {
    nodes: Vec<Node<A>>,
    /// For each subformula, whether it has a temporal operator.
    temporal: Vec<bool>,
}

impl<A: Clone> Program<A> {
    /// Each occurrence of a subformula has a place of its own.
    #[must_use]
    pub fn new(formula: &Ctl<A>) -> Self {
        let mut program = Self { nodes: Vec::new(), temporal: Vec::new() };
        program.add(formula, &mut |_| None);
        program
    }

    /// Equal subformulas have one place, so that each is worked off once.
    #[must_use]
    pub fn shared(formula: &Ctl<A>) -> Self
    where
        A: Eq + Hash,
    {
        let mut program = Self { nodes: Vec::new(), temporal: Vec::new() };
        let mut known: FxHashMap<Node<A>, Place> = FxHashMap::default();
        program.add(formula, &mut |node| {
            let next = known.len() as Place;
            let place = *known.entry(node.clone()).or_insert(next);
            (place < next).then_some(place)
        });
        program
    }

    /// Adds a formula, unless `known` has a place for it already.
    fn add(&mut self, formula: &Ctl<A>, known: &mut dyn FnMut(&Node<A>) -> Option<Place>) -> Place {
        let node = match formula {
            Ctl::True => Node::Constant(true),
            Ctl::False => Node::Constant(false),
            Ctl::Atom(atom) => Node::Atom(atom.clone()),
            Ctl::Not(f) => Node::Not(self.add(f, known)),
            Ctl::And(fs) => Node::And(fs.iter().map(|f| self.add(f, known)).collect()),
            Ctl::Or(fs) => Node::Or(fs.iter().map(|f| self.add(f, known)).collect()),
            Ctl::Implies(f, g) => Node::Implies(self.add(f, known), self.add(g, known)),
            Ctl::Iff(f, g) => Node::Iff(self.add(f, known), self.add(g, known)),
            Ctl::Unary(path, op, f) => Node::Unary(*path, *op, self.add(f, known)),
            Ctl::Binary(path, op, f, g) => Node::Binary(*path, *op, self.add(f, known), self.add(g, known)),
        };
        if let Some(place) = known(&node) {
            return place;
        }
        let temporal = matches!(node, Node::Unary(..) | Node::Binary(..))
            || node.operands().iter().any(|&operand| self.temporal[operand as usize]);
        self.temporal.push(temporal);
        self.nodes.push(node);
        self.root()
    }
}

impl<A: Clone> Program<A> {
    /// The same with constants in some places. Every subformula keeps its place.
    #[must_use]
    pub fn with_constants(&self, constant: impl Fn(Place) -> Option<bool>) -> Self {
        let mut program = Self { nodes: Vec::with_capacity(self.len()), temporal: Vec::with_capacity(self.len()) };
        for (place, node) in self.nodes.iter().enumerate() {
            let node = constant(place as Place).map_or_else(|| node.clone(), Node::Constant);
            let temporal = matches!(node, Node::Unary(..) | Node::Binary(..))
                || node.operands().iter().any(|&operand| program.temporal[operand as usize]);
            program.temporal.push(temporal);
            program.nodes.push(node);
        }
        program
    }
}

impl<A> Program<A> {
    /// The formula itself.
    #[must_use]
    pub fn root(&self) -> Place {
        self.nodes.len() as Place - 1
    }

    /// How many places there are: at least one.
    #[must_use]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// All subformulas, by place.
    #[must_use]
    pub fn nodes(&self) -> &[Node<A>] {
        &self.nodes
    }

    /// What the subformula at a place is made of.
    #[must_use]
    pub fn node(&self, place: Place) -> &Node<A> {
        &self.nodes[place as usize]
    }

    /// Whether a subformula has a temporal operator.
    #[must_use]
    pub fn is_temporal(&self, place: Place) -> bool {
        self.temporal[place as usize]
    }

    /// Whether `EX` or `AX` occurs, so that every step counts.
    #[must_use]
    pub fn has_next(&self) -> bool {
        self.nodes.iter().any(|node| matches!(node, Node::Unary(_, CtlUnary::Next, _)))
    }

    /// Whether `EX` and `AX` occur outside of all temporal operators only, so that no step counts but the first.
    #[must_use]
    pub fn steps_only_once(&self) -> bool {
        let mut is_inner = vec![false; self.nodes.len()];
        for (place, node) in self.nodes.iter().enumerate().rev() {
            let inner = is_inner[place];
            if inner && matches!(node, Node::Unary(_, CtlUnary::Next, _)) {
                return false;
            }
            let temporal = matches!(node, Node::Unary(..) | Node::Binary(..));
            node.operands().iter().for_each(|&operand| is_inner[operand as usize] |= inner || temporal);
        }
        true
    }

    /// The subformulas with their depth, the formula first, operands after what they belong to.
    #[must_use]
    pub fn listed(&self) -> Vec<(Place, usize)> {
        let mut listed = Vec::with_capacity(self.nodes.len());
        let mut stack = vec![(self.root(), 0)];
        while let Some((place, depth)) = stack.pop() {
            listed.push((place, depth));
            stack.extend(self.node(place).operands().iter().rev().map(|&operand| (operand, depth + 1)));
        }
        listed
    }
}

/// Sets of the states that a formula is asked of, with atoms `A`.
#[allow(clippy::missing_errors_doc, reason = "each fails when the budget is spent")]
pub trait StateSets<A> {
    /// A set of states.
    type Set: Clone;

    /// Every state.
    fn all(&self) -> Self::Set;

    /// No state.
    fn none(&self) -> Self::Set;

    /// The states that satisfy an atom.
    fn atom(&mut self, atom: &A) -> Result<Self::Set, OverBudget>;

    /// The states of either.
    fn union(&mut self, f: &Self::Set, g: &Self::Set) -> Result<Self::Set, OverBudget>;

    /// The states of both.
    fn intersection(&mut self, f: &Self::Set, g: &Self::Set) -> Result<Self::Set, OverBudget>;

    /// The other states.
    fn not(&mut self, f: &Self::Set) -> Result<Self::Set, OverBudget>;

    /// `EX f`
    fn some_next(&mut self, f: &Self::Set) -> Result<Self::Set, OverBudget>;

    /// `E[f U g]`
    fn some_until(&mut self, f: &Self::Set, g: &Self::Set) -> Result<Self::Set, OverBudget>;

    /// `EG f`
    fn some_globally(&mut self, f: &Self::Set) -> Result<Self::Set, OverBudget>;

    /// `E[f W g]`
    fn some_weak_until(&mut self, f: &Self::Set, g: &Self::Set) -> Result<Self::Set, OverBudget> {
        let (until, always) = (self.some_until(f, g)?, self.some_globally(f)?);
        self.union(&until, &always)
    }

    /// An operator on one set.
    fn unary(&mut self, path: Path, op: CtlUnary, f: &Self::Set) -> Result<Self::Set, OverBudget> {
        if path == Path::All {
            // A… is the complement of E… of the complement, and F and G change places.
            let not_f = self.not(f)?;
            let some = self.unary(Path::Some, op.dual(), &not_f)?;
            return self.not(&some);
        }
        match op {
            CtlUnary::Next => self.some_next(f),
            CtlUnary::Finally => {
                let all = self.all();
                self.some_until(&all, f)
            }
            CtlUnary::Globally => self.some_globally(f),
        }
    }

    /// An operator on two sets.
    fn binary(&mut self, path: Path, op: CtlBinary, f: &Self::Set, g: &Self::Set) -> Result<Self::Set, OverBudget> {
        if path == Path::Some {
            return match op {
                CtlBinary::Until => self.some_until(f, g),
                CtlBinary::WeakUntil => self.some_weak_until(f, g),
                // g until f comes, or forever.
                CtlBinary::Release => {
                    let both = self.intersection(f, g)?;
                    self.some_weak_until(g, &both)
                }
            };
        }
        let (not_f, not_g) = (self.not(f)?, self.not(g)?);
        // Some path on which g does not come before f fails; for U, or never.
        let some = match op {
            CtlBinary::Until => {
                let neither = self.intersection(&not_f, &not_g)?;
                self.some_weak_until(&not_g, &neither)?
            }
            CtlBinary::WeakUntil => {
                let neither = self.intersection(&not_f, &not_g)?;
                self.some_until(&not_g, &neither)?
            }
            CtlBinary::Release => self.some_until(&not_f, &not_g)?,
        };
        self.not(&some)
    }

    /// Whether forgetting sets that are no longer needed may pay.
    fn is_crowded(&self) -> bool {
        false
    }

    /// Forgets all but these sets, which stay as they are. False if there is nothing to forget.
    fn collect(&mut self, needed: &[Self::Set]) -> bool {
        let _ = needed;
        false
    }
}

/// The states that satisfy each subformula, by place.
///
/// # Errors
/// When the budget is spent.
pub fn evaluate<A, S: StateSets<A>>(program: &Program<A>, sets: &mut S) -> Result<Vec<S::Set>, OverBudget> {
    let mut known: Vec<S::Set> = Vec::with_capacity(program.len());
    for node in &program.nodes {
        let set = match one(node, &known, sets) {
            // What earlier subformulas left behind may be what is in the way.
            Err(OverBudget { limit: Limit::Memory, .. }) if sets.collect(&known) => one(node, &known, sets)?,
            set => set?,
        };
        known.push(set);
        if sets.is_crowded() {
            sets.collect(&known);
        }
    }
    Ok(known)
}

fn one<A, S: StateSets<A>>(node: &Node<A>, known: &[S::Set], sets: &mut S) -> Result<S::Set, OverBudget> {
    let of = |place: &Place| &known[*place as usize];
    match node {
        Node::Constant(true) => Ok(sets.all()),
        Node::Constant(false) => Ok(sets.none()),
        Node::Atom(atom) => sets.atom(atom),
        Node::Not(f) => sets.not(of(f)),
        Node::And(fs) => match fs.split_first() {
            None => Ok(sets.all()),
            Some((first, rest)) => rest.iter().try_fold(of(first).clone(), |all, f| sets.intersection(&all, of(f))),
        },
        Node::Or(fs) => match fs.split_first() {
            None => Ok(sets.none()),
            Some((first, rest)) => rest.iter().try_fold(of(first).clone(), |any, f| sets.union(&any, of(f))),
        },
        Node::Implies(f, g) => {
            let not_f = sets.not(of(f))?;
            sets.union(&not_f, of(g))
        }
        Node::Iff(f, g) => {
            let both = sets.intersection(of(f), of(g))?;
            let any = sets.union(of(f), of(g))?;
            let neither = sets.not(&any)?;
            sets.union(&both, &neither)
        }
        Node::Unary(path, op, f) => sets.unary(*path, *op, of(f)),
        Node::Binary(path, op, f, g) => sets.binary(*path, *op, of(f), of(g)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_ctl;

    #[test]
    fn equal_subformulas_have_one_place() {
        let formula = parse_ctl("AG (a > 1 -> EF b) && EF b && (AG (a > 1 -> EF b) || EX a > 1)").unwrap();
        let formula = formula.map_atoms(&mut |atom| atom.to_string());
        let (whole, shared) = (Program::new(&formula), Program::shared(&formula));
        assert_eq!((whole.len(), shared.len()), (16, 8));
        assert_eq!(shared.node(shared.root()).operands().len(), 3);
        assert!(shared.has_next() && shared.is_temporal(shared.root()) && !shared.is_temporal(0));
        assert_eq!(whole.listed().len(), shared.listed().len());
    }
}
