//! Subformulas in negation normal form, hash-consed, and what they say of words that are cut off.
//!
//! `f abort b` asks whether f holds on a word padded with letters ⊤, which satisfy every boolean; its dual asks for ⊥, which satisfy none
//! (Pnueli and Zaks 2006, section 2.2). For a subformula that is a fact known beforehand: [`Facts::top`] and [`Facts::bottom`].

use rustc_hash::FxHashMap;

use super::clauses::{Clauses, DnfId};
use super::seres::{GuardId, SereId, Seres, WHAT};
use posetta_base::{Budget, Claim, Limit, OverBudget};
use posetta_logic::{AtomId, Guard, MonitorState, Otherwise};

/// A subformula: a place in the table of its [`Store`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NodeId(pub(super) u32);

/// One subformula.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    /// On every word.
    True,
    /// On none.
    False,
    /// The letter satisfies it.
    Letter(GuardId),
    /// All of them; sorted, at least two.
    And(Box<[NodeId]>),
    /// One of them; sorted, at least two.
    Or(Box<[NodeId]>),
    /// At the next position; strong: there is one.
    Next(bool, NodeId),
    /// At the previous position; strong: there is one.
    Previous(bool, NodeId),
    Until(NodeId, NodeId),
    Release(NodeId, NodeId),
    Since(NodeId, NodeId),
    /// The dual of since.
    Trigger(NodeId, NodeId),
    /// `<r> f`
    Some(SereId, NodeId),
    /// `r |-> f`
    All(SereId, NodeId),
    /// Weak `r`: some prefix matches, or none of them rules a match out.
    Weak(SereId),
    /// `!r` of a weak r.
    Dead(SereId),
    /// `f abort b`, or its dual (the paper's *precedes*).
    Cut {
        abort: bool,
        guard: GuardId,
        inner: NodeId,
    },
    /// The same, later: of what is left. Only where it does not distribute over what is left.
    Pending {
        abort: bool,
        guard: GuardId,
        rest: DnfId,
    },
    /// The monitor is in a state and will end badly, or its negation.
    Place {
        state: u32,
        bad: bool,
    },
}

/// What is known of a subformula beforehand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    /// Without past operators inside.
    pub(super) timeless: bool,
    /// It holds on ⊤ for ever.
    pub(super) top: bool,
    /// It holds on ⊥ for ever.
    pub(super) bottom: bool,
    /// It and all inside it hold on ⊤ for ever and not on ⊥ for ever. Then `abort` distributes over what is left of it.
    pub(super) regular: bool,
}

/// Which words are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Horizon {
    Finite,
    Infinite,
}

/// A monitor written by hand.
#[derive(Debug)]
pub(super) struct Places {
    /// For each state its edges.
    pub(super) edges: Vec<Vec<(GuardId, MonitorState)>>,
    pub(super) bad: Vec<bool>,
    pub(super) otherwise: Otherwise,
}

/// The tables of one property.
#[derive(Debug)]
pub(crate) struct Store {
    pub(super) horizon: Horizon,
    nodes: Vec<Node>,
    facts: Vec<Facts>,
    ids: FxHashMap<Node, NodeId>,
    pub(super) seres: Seres,
    pub(super) clauses: Clauses,
    /// What past operators remember: subformulas whose last residual is asked for.
    pub(super) remembered: Vec<NodeId>,
    pub(super) places: Option<Places>,
    /// `None` if whoever owns the tables answers for them.
    claim: Option<Claim>,
    bytes: u64,
    /// How much more may be done, if there is a limit.
    patience: Option<u64>,
}

impl Store {
    /// Empty tables, which claim what they take.
    pub(crate) fn new(horizon: Horizon, budget: &Budget) -> Result<Self, OverBudget> {
        Ok(Self { claim: Some(budget.claim(0, WHAT)?), ..Self::unclaimed(horizon) })
    }

    /// Empty tables, which claim nothing.
    pub(crate) fn unclaimed(horizon: Horizon) -> Self {
        Self {
            horizon,
            nodes: Vec::new(),
            facts: Vec::new(),
            ids: FxHashMap::default(),
            seres: Seres::new(),
            clauses: Clauses::new(),
            remembered: Vec::new(),
            places: None,
            claim: None,
            bytes: 0,
            patience: None,
        }
    }

    /// Gives up after so much work: comparisons of leaves, and entries of tables. Counted, not timed, so that it is the same everywhere.
    pub(crate) fn limit_work(&mut self, most: u64) {
        self.patience = Some(most);
    }

    pub(super) fn work(&mut self, amount: u64) -> Result<(), OverBudget> {
        match &mut self.patience {
            Some(left) if *left < amount => Err(OverBudget::new(WHAT, Limit::Memory)),
            Some(left) => {
                *left -= amount;
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Claims what a table grows by.
    pub(crate) fn charge(&mut self, bytes: u64, budget: &Budget) -> Result<(), OverBudget> {
        self.bytes += bytes;
        self.work(1)?;
        budget.step(1, WHAT)?;
        self.claim.as_mut().map_or(Ok(()), |claim| claim.grow_to(self.bytes, WHAT))
    }

    /// Whether finite words are read.
    pub(crate) fn is_finite(&self) -> bool {
        self.horizon == Horizon::Finite
    }

    /// About how many bytes it takes.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    pub(super) fn facts(&self, id: NodeId) -> Facts {
        self.facts[id.0 as usize]
    }

    pub(super) fn add(&mut self, node: Node, budget: &Budget) -> Result<NodeId, OverBudget> {
        if let Some(&known) = self.ids.get(&node) {
            return Ok(known);
        }
        let facts = self.known_of(&node);
        let id = NodeId(self.nodes.len() as u32);
        match &node {
            Node::Previous(_, f) if !self.remembered.contains(f) => self.remembered.push(*f),
            Node::Since(..) | Node::Trigger(..) => self.remembered.push(id),
            _ => {}
        }
        self.charge(128, budget)?;
        self.ids.insert(node.clone(), id);
        self.nodes.push(node);
        self.facts.push(facts);
        Ok(id)
    }

    fn known_of(&self, node: &Node) -> Facts {
        let of = |id: &NodeId| self.facts(*id);
        let can_match = |r: &SereId| self.seres.lengths(*r).more;
        // Timeless and regular inside, then what is so of ⊤ and ⊥.
        let ((timeless, regular), (top, bottom)) = match node {
            Node::True => ((true, true), (true, true)),
            Node::False => ((true, true), (false, false)),
            Node::Letter(_) | Node::Place { .. } => ((true, true), (true, false)),
            Node::And(parts) | Node::Or(parts) => {
                let all = |is: fn(Facts) -> bool| parts.iter().all(|p| is(of(p)));
                let any = |is: fn(Facts) -> bool| parts.iter().any(|p| is(of(p)));
                let inside = (all(|f| f.timeless), all(|f| f.regular));
                match node {
                    Node::And(_) => (inside, (all(|f| f.top), all(|f| f.bottom))),
                    _ => (inside, (any(|f| f.top), any(|f| f.bottom))),
                }
            }
            Node::Next(_, f) | Node::Cut { inner: f, .. } => {
                let f = of(f);
                ((f.timeless, f.regular), (f.top, f.bottom))
            }
            Node::Until(f, g) | Node::Release(f, g) => {
                let (f, g) = (of(f), of(g));
                ((f.timeless && g.timeless, f.regular && g.regular), (g.top, g.bottom))
            }
            // Not under `abort`.
            Node::Previous(..) | Node::Since(..) | Node::Trigger(..) => ((false, false), (false, false)),
            Node::Some(r, f) => {
                let f = of(f);
                ((f.timeless, f.regular), (can_match(r) && f.top, false))
            }
            Node::All(r, f) => {
                let f = of(f);
                ((f.timeless, f.regular), (true, !can_match(r) || f.bottom))
            }
            Node::Weak(r) => ((true, true), (can_match(r), false)),
            Node::Dead(r) => ((true, true), (true, !can_match(r))),
            Node::Pending { rest, .. } => {
                ((true, false), (self.closes(*rest, |f| f.top), self.closes(*rest, |f| f.bottom)))
            }
        };
        Facts { timeless, top, bottom, regular: regular && top && !bottom }
    }

    /// Whether a residual is true if all its leaves are what `of` says.
    pub(super) fn closes(&self, rest: DnfId, of: fn(Facts) -> bool) -> bool {
        let clauses = self.clauses.clauses(rest);
        clauses.iter().any(|&c| self.clauses.leaves(c).iter().all(|leaf| of(self.facts(leaf.node()))))
    }

    /// A conjunction or a disjunction, flattened, each part once, constants taken out.
    pub(super) fn junction(
        &mut self,
        conjunction: bool,
        parts: Vec<NodeId>,
        budget: &Budget,
    ) -> Result<NodeId, OverBudget> {
        let mut all = Vec::with_capacity(parts.len());
        for part in parts {
            match self.node(part) {
                Node::And(inner) if conjunction => all.extend_from_slice(inner),
                Node::Or(inner) if !conjunction => all.extend_from_slice(inner),
                Node::True if conjunction => {}
                Node::False if !conjunction => {}
                Node::True | Node::False => return Ok(part),
                _ => all.push(part),
            }
        }
        all.sort_unstable();
        all.dedup();
        match all.as_slice() {
            [] => self.add(if conjunction { Node::True } else { Node::False }, budget),
            [one] => Ok(*one),
            _ if conjunction => self.add(Node::And(all.into()), budget),
            _ => self.add(Node::Or(all.into()), budget),
        }
    }

    pub(super) fn guard_node(&mut self, guard: Guard<AtomId>, budget: &Budget) -> Result<NodeId, OverBudget> {
        let guard = self.seres.add_guard(guard);
        self.add(Node::Letter(guard), budget)
    }

    /// Whether a subformula must not be owed for ever: it demands that something comes.
    pub(super) fn is_eventual(&self, id: NodeId) -> bool {
        match self.node(id) {
            Node::Until(..) | Node::Some(..) | Node::Dead(_) => true,
            Node::Cut { inner, .. } => self.is_eventual(*inner),
            _ => false,
        }
    }
}
