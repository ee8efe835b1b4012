//! Residuals: disjunctions of clauses, clauses being conjunctions of leaves.
//!
//! Both are kept small: a leaf that another leaf of its clause implies is left out, and so is a clause that implies another. Without this
//! the residuals of `p1 U (p2 U (… U pn))` would be sets of its subformulas, 2^n of them, where n will do; and a range `b[*1:30]` of which
//! several attempts run side by side would be a set of counters, where the one that goes furthest will do. Implications are found by
//! shape ([`Store::implies`]).
//!
//! Over infinite words a leaf must not be left out because another *promises* it: `F p` would be dropped beside `G F p`, and nobody would
//! wait for p any more. There only expressions are compared ([`Store::outlives`]), and of what has to come the one that has counted further stays:
//! a later one that stayed for it could be replaced by a later one again, for ever.

use rustc_hash::FxHashMap;

use super::nodes::{Horizon, Node, NodeId, Store};
use super::seres::WHAT;
use posetta_base::{Budget, OverBudget};
use posetta_logic::Guard;

/// A subformula that is owed at the next position; strongly: there must be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Leaf(u32);

impl Leaf {
    pub(super) fn new(strong: bool, node: NodeId) -> Self {
        Self(node.0 << 1 | u32::from(strong))
    }

    pub(crate) fn number(self) -> u32 {
        self.0
    }

    pub(super) fn is_strong(self) -> bool {
        self.0 & 1 == 1
    }

    pub(super) fn node(self) -> NodeId {
        NodeId(self.0 >> 1)
    }
}

/// A conjunction of leaves: a place in the table of its [`Store`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ClauseId(pub(crate) u32);

/// A residual: a place in the table of its [`Store`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct DnfId(pub(crate) u32);

impl DnfId {
    /// No clause.
    pub(crate) const FALSE: Self = Self(0);
    /// The clause that owes nothing.
    pub(crate) const TRUE: Self = Self(1);
}

/// The clause that owes nothing.
pub(crate) const NOTHING: ClauseId = ClauseId(0);

/// The tables of residuals.
#[derive(Debug)]
pub(super) struct Clauses {
    clauses: Vec<Box<[Leaf]>>,
    clause_ids: FxHashMap<Box<[Leaf]>, ClauseId>,
    dnfs: Vec<Box<[ClauseId]>>,
    dnf_ids: FxHashMap<Box<[ClauseId]>, DnfId>,
    ands: FxHashMap<(DnfId, DnfId), DnfId>,
    ors: FxHashMap<(DnfId, DnfId), DnfId>,
    implied: FxHashMap<(NodeId, NodeId), bool>,
}

impl Clauses {
    pub(super) fn new() -> Self {
        let mut clauses = Self {
            clauses: vec![[].into()],
            clause_ids: FxHashMap::default(),
            dnfs: vec![[].into(), [NOTHING].into()],
            dnf_ids: FxHashMap::default(),
            ands: FxHashMap::default(),
            ors: FxHashMap::default(),
            implied: FxHashMap::default(),
        };
        clauses.clause_ids.insert([].into(), NOTHING);
        clauses.dnf_ids.insert([].into(), DnfId::FALSE);
        clauses.dnf_ids.insert([NOTHING].into(), DnfId::TRUE);
        clauses
    }

    pub(super) fn clauses(&self, id: DnfId) -> &[ClauseId] {
        &self.dnfs[id.0 as usize]
    }

    pub(super) fn leaves(&self, id: ClauseId) -> &[Leaf] {
        &self.clauses[id.0 as usize]
    }
}

impl Store {
    /// The clauses of a residual.
    pub(crate) fn clauses_of(&self, id: DnfId) -> &[ClauseId] {
        self.clauses.clauses(id)
    }

    /// The leaves of a clause.
    pub(crate) fn leaves_of(&self, id: ClauseId) -> &[Leaf] {
        self.clauses.leaves(id)
    }

    /// Whether a word may end where this is owed.
    pub(crate) fn may_end(&self, id: ClauseId) -> bool {
        self.clauses.leaves(id).iter().all(|leaf| !leaf.is_strong())
    }

    /// Whether a word that ends where this is left satisfies it.
    pub(crate) fn holds_at_end(&self, id: DnfId) -> bool {
        self.clauses.clauses(id).iter().any(|&c| self.may_end(c))
    }

    /// Whether something is owed that must come and may not be put off for ever.
    pub(crate) fn is_eventual_leaf(&self, leaf: Leaf) -> bool {
        self.is_eventual(leaf.node())
    }

    /// One leaf, as a residual.
    pub(super) fn owed(&mut self, strong: bool, node: NodeId, budget: &Budget) -> Result<DnfId, OverBudget> {
        match self.node(node) {
            Node::True if !strong => return Ok(DnfId::TRUE),
            Node::False if strong => return Ok(DnfId::FALSE),
            _ => {}
        }
        // A word has an end or none: over infinite ones every next position is there.
        let strong = strong && self.horizon == Horizon::Finite;
        let clause = self.add_clause(vec![Leaf::new(strong, node)], budget)?;
        self.add_dnf(vec![clause], budget)
    }

    pub(super) fn add_clause(&mut self, leaves: Vec<Leaf>, budget: &Budget) -> Result<ClauseId, OverBudget> {
        if let Some(&known) = self.clauses.clause_ids.get(leaves.as_slice()) {
            return Ok(known);
        }
        self.charge(80 + 8 * leaves.len() as u64, budget)?;
        let id = ClauseId(self.clauses.clauses.len() as u32);
        self.clauses.clauses.push(leaves.clone().into());
        self.clauses.clause_ids.insert(leaves.into(), id);
        Ok(id)
    }

    pub(super) fn add_dnf(&mut self, mut clauses: Vec<ClauseId>, budget: &Budget) -> Result<DnfId, OverBudget> {
        clauses.sort_unstable();
        clauses.dedup();
        if let Some(&known) = self.clauses.dnf_ids.get(clauses.as_slice()) {
            return Ok(known);
        }
        self.charge(80 + 8 * clauses.len() as u64, budget)?;
        let id = DnfId(self.clauses.dnfs.len() as u32);
        self.clauses.dnfs.push(clauses.clone().into());
        self.clauses.dnf_ids.insert(clauses.into(), id);
        Ok(id)
    }

    /// The residual that consists of some clauses.
    pub(crate) fn any_of(&mut self, clauses: Vec<ClauseId>, budget: &Budget) -> Result<DnfId, OverBudget> {
        let clauses = self.weakest(clauses, budget)?;
        self.add_dnf(clauses, budget)
    }

    /// One of two residuals.
    pub(crate) fn or(&mut self, a: DnfId, b: DnfId, budget: &Budget) -> Result<DnfId, OverBudget> {
        let (a, b) = (a.min(b), a.max(b));
        if a == b || a == DnfId::FALSE {
            return Ok(b);
        }
        if a == DnfId::TRUE {
            return Ok(a);
        }
        if let Some(&known) = self.clauses.ors.get(&(a, b)) {
            return Ok(known);
        }
        let all = [self.clauses.clauses(a), self.clauses.clauses(b)].concat();
        let result = self.any_of(all, budget)?;
        self.charge(24, budget)?;
        self.clauses.ors.insert((a, b), result);
        Ok(result)
    }

    /// Both of two residuals.
    pub(crate) fn and(&mut self, a: DnfId, b: DnfId, budget: &Budget) -> Result<DnfId, OverBudget> {
        let (a, b) = (a.min(b), a.max(b));
        if a == b || a == DnfId::FALSE {
            return Ok(a);
        }
        if a == DnfId::TRUE {
            return Ok(b);
        }
        if let Some(&known) = self.clauses.ands.get(&(a, b)) {
            return Ok(known);
        }
        let (left, right) = (self.clauses.clauses(a).to_vec(), self.clauses.clauses(b).to_vec());
        let mut all = Vec::with_capacity(left.len() * right.len());
        for &x in &left {
            for &y in &right {
                all.push(self.join(x, y, budget)?);
            }
        }
        let result = self.any_of(all, budget)?;
        self.charge(24, budget)?;
        self.clauses.ands.insert((a, b), result);
        Ok(result)
    }

    /// What two clauses owe together.
    pub(crate) fn join(&mut self, a: ClauseId, b: ClauseId, budget: &Budget) -> Result<ClauseId, OverBudget> {
        if a == b || a == NOTHING {
            return Ok(b);
        }
        if b == NOTHING {
            return Ok(a);
        }
        let all = [self.clauses.leaves(a), self.clauses.leaves(b)].concat();
        self.all_of(all, budget)
    }

    /// The clause of some leaves, without those that others imply.
    pub(crate) fn all_of(&mut self, mut leaves: Vec<Leaf>, budget: &Budget) -> Result<ClauseId, OverBudget> {
        leaves.sort_unstable();
        leaves.dedup();
        self.work((leaves.len() * leaves.len()) as u64)?;
        let kept: Vec<Leaf> = (0..leaves.len())
            .filter(|&i| {
                !(0..leaves.len()).any(|j| {
                    let (this, other) = (leaves[i], leaves[j]);
                    // Of two that imply each other the first stays.
                    i != j && self.makes_needless(other, this) && (j < i || !self.makes_needless(this, other))
                })
            })
            .map(|i| leaves[i])
            .collect();
        self.add_clause(kept, budget)
    }

    /// Whether a leaf need not be kept beside another in one clause.
    pub(crate) fn makes_needless(&mut self, stays: Leaf, goes: Leaf) -> bool {
        if goes.is_strong() && !stays.is_strong() {
            return false;
        }
        match self.horizon {
            Horizon::Finite => self.implies(stays.node(), goes.node()),
            Horizon::Infinite => self.outlives(stays.node(), goes.node()),
        }
    }

    /// The clauses that no other one is implied by.
    fn weakest(&mut self, mut clauses: Vec<ClauseId>, budget: &Budget) -> Result<Vec<ClauseId>, OverBudget> {
        clauses.sort_unstable();
        clauses.dedup();
        if clauses.first() == Some(&NOTHING) {
            return Ok(vec![NOTHING]);
        }
        // Shortest first, since they drop the most.
        clauses.sort_by_key(|&c| self.clauses.leaves(c).len());
        let mut kept: Vec<ClauseId> = Vec::new();
        for clause in clauses {
            let leaves = self.clauses.leaves(clause).len() as u64;
            self.work(kept.len() as u64 * (1 + leaves * leaves))?;
            budget.step(kept.len() as u64 / 64, WHAT)?;
            if kept.iter().any(|&k| self.clause_implies(clause, k)) {
                continue;
            }
            kept.retain(|&k| !self.clause_implies(k, clause));
            kept.push(clause);
        }
        Ok(kept)
    }

    fn clause_implies(&mut self, a: ClauseId, b: ClauseId) -> bool {
        (0..self.clauses.leaves(b).len()).all(|i| {
            (0..self.clauses.leaves(a).len()).any(|j| {
                let (goal, from) = (self.clauses.leaves(b)[i], self.clauses.leaves(a)[j]);
                goal == from || self.makes_needless(from, goal)
            })
        })
    }

    /// Whether every word that satisfies one subformula is seen to satisfy another, on words with at least one letter.
    fn implies(&mut self, a: NodeId, b: NodeId) -> bool {
        if a == b {
            return true;
        }
        if let Some(&known) = self.clauses.implied.get(&(a, b)) {
            return known;
        }
        let known = self.implies_by_shape(a, b);
        self.clauses.implied.insert((a, b), known);
        known
    }

    fn implies_by_shape(&mut self, a: NodeId, b: NodeId) -> bool {
        match (self.node(a).clone(), self.node(b).clone()) {
            (Node::False, _) | (_, Node::True) => true,
            (Node::Or(parts), _) => parts.iter().all(|&p| self.implies(p, b)),
            (_, Node::And(parts)) => parts.iter().all(|&p| self.implies(a, p)),
            (from, to) => {
                let within = match &from {
                    Node::And(parts) => parts.iter().any(|&p| self.implies(p, b)),
                    // f R g needs g now.
                    Node::Release(_, g) => self.implies(*g, b),
                    _ => false,
                };
                let widened = || match &to {
                    Node::Or(parts) => parts.to_vec(),
                    // g now is f U g.
                    Node::Until(_, g) => vec![*g],
                    _ => Vec::new(),
                };
                within || widened().into_iter().any(|p| self.implies(a, p)) || self.operator_implies(&from, &to)
            }
        }
    }

    /// Both have one operator, and it is monotone.
    fn operator_implies(&mut self, a: &Node, b: &Node) -> bool {
        match (a, b) {
            (Node::Next(s, f), Node::Next(t, g)) => (*s || !t) && self.implies(*f, *g),
            (Node::Until(f, g), Node::Until(h, k)) | (Node::Release(f, g), Node::Release(h, k)) => {
                self.implies(*f, *h) && self.implies(*g, *k)
            }
            // Where a match is enough, a beginning that matches is.
            (Node::Some(r, f), Node::Some(s, g)) => {
                self.seres.is_included(*r, *s) && self.implies(*f, *g)
                    || self.is_constant(*g, true) && self.seres.begins(*r, *s)
            }
            (Node::All(r, f), Node::All(s, g)) => {
                self.seres.is_included(*s, *r) && self.implies(*f, *g)
                    || self.is_constant(*f, false) && self.seres.begins(*s, *r)
            }
            (Node::Weak(r), Node::Weak(s)) | (Node::Some(r, _), Node::Weak(s)) => self.seres.begins(*r, *s),
            (Node::Dead(r), Node::Dead(s)) => self.seres.begins(*s, *r),
            (Node::Cut { abort: x, guard: b, inner: f }, Node::Cut { abort: y, guard: c, inner: g }) => {
                (x, b) == (y, c) && self.implies(*f, *g)
            }
            _ => false,
        }
    }

    fn is_constant(&self, id: NodeId, truth: bool) -> bool {
        let (node, guard) = if truth { (Node::True, Guard::True) } else { (Node::False, Guard::False) };
        match self.node(id) {
            Node::Letter(letter) => *self.seres.guard(*letter) == guard,
            other => *other == node,
        }
    }

    /// Whether one subformula implies another and its expression runs in step with the other's.
    fn outlives(&mut self, stays: NodeId, goes: NodeId) -> bool {
        match (self.node(stays).clone(), self.node(goes).clone()) {
            (Node::Some(r, f), Node::Some(s, g)) => f == g && self.seres.is_further(r, s, true),
            // Nothing has to come here: what is ruled out for one is ruled out for the other, and no later.
            (Node::All(r, f), Node::All(s, g)) => {
                f == g && self.seres.is_included(s, r) || self.is_constant(f, false) && self.seres.begins(s, r)
            }
            (Node::Weak(r), Node::Weak(s)) => self.seres.is_included(r, s),
            (Node::Dead(r), Node::Dead(s)) => self.seres.is_further(s, r, false),
            (Node::Cut { abort: x, guard: b, inner: f }, Node::Cut { abort: y, guard: c, inner: g }) => {
                (x, b) == (y, c) && self.outlives(f, g)
            }
            _ => false,
        }
    }
}
