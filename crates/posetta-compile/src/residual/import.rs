//! A residual of one set of tables in another: over infinite words instead of finite ones, or with what is no longer used left behind.

use rustc_hash::FxHashMap;

use super::clauses::{DnfId, Leaf};
use super::nodes::{Horizon, Node, NodeId, Store};
use super::seres::{EMPTY, GuardId, NEVER, SereId, SereNode};
use posetta_base::{Budget, OverBudget};

/// What has been brought over from one set of tables to another.
#[derive(Debug, Default)]
pub(crate) struct Translation {
    nodes: FxHashMap<NodeId, NodeId>,
    seres: FxHashMap<SereId, SereId>,
    residuals: FxHashMap<DnfId, DnfId>,
}

impl Store {
    /// A residual of other tables in these.
    pub(crate) fn import(
        &mut self,
        from: &Self,
        rest: DnfId,
        known: &mut Translation,
        budget: &Budget,
    ) -> Result<DnfId, OverBudget> {
        if let Some(&done) = known.residuals.get(&rest) {
            return Ok(done);
        }
        let mut any = DnfId::FALSE;
        for &clause in from.clauses_of(rest) {
            let mut all = DnfId::TRUE;
            for &leaf in from.leaves_of(clause) {
                let leaf = self.import_leaf(from, leaf, known, budget)?;
                all = self.and(all, leaf, budget)?;
            }
            any = self.or(any, all, budget)?;
        }
        known.residuals.insert(rest, any);
        Ok(any)
    }

    fn import_leaf(
        &mut self,
        from: &Self,
        leaf: Leaf,
        known: &mut Translation,
        budget: &Budget,
    ) -> Result<DnfId, OverBudget> {
        match *from.node(leaf.node()) {
            Node::Pending { abort, guard, rest } => {
                let rest = self.import(from, rest, known, budget)?;
                let guard = self.import_guard(from, guard);
                match self.horizon {
                    Horizon::Finite => self.pend(abort, guard, rest, budget),
                    Horizon::Infinite => self.keep_cut(abort, guard, rest, budget),
                }
            }
            Node::Cut { abort, guard, inner } => {
                let rest = self.import_leaf(from, Leaf::new(leaf.is_strong(), inner), known, budget)?;
                let guard = self.import_guard(from, guard);
                self.keep_cut(abort, guard, rest, budget)
            }
            _ => {
                let node = self.import_node(from, leaf.node(), known, budget)?;
                self.owed(leaf.is_strong(), node, budget)
            }
        }
    }

    fn import_guard(&mut self, from: &Self, guard: GuardId) -> GuardId {
        self.seres.add_guard(from.seres.guard(guard).clone())
    }

    fn import_node(
        &mut self,
        from: &Self,
        id: NodeId,
        known: &mut Translation,
        budget: &Budget,
    ) -> Result<NodeId, OverBudget> {
        if let Some(&done) = known.nodes.get(&id) {
            return Ok(done);
        }
        let mut of = |store: &mut Self, node: NodeId| store.import_node(from, node, known, budget);
        let node = match from.node(id) {
            Node::True => Node::True,
            Node::False => Node::False,
            Node::Letter(guard) => Node::Letter(self.import_guard(from, *guard)),
            Node::And(parts) | Node::Or(parts) => {
                let mut all = Vec::with_capacity(parts.len());
                for &part in parts {
                    all.push(of(self, part)?);
                }
                let done = self.junction(matches!(from.node(id), Node::And(_)), all, budget)?;
                known.nodes.insert(id, done);
                return Ok(done);
            }
            Node::Next(strong, f) => Node::Next(*strong, of(self, *f)?),
            Node::Previous(strong, f) => Node::Previous(*strong, of(self, *f)?),
            Node::Until(f, g) => Node::Until(of(self, *f)?, of(self, *g)?),
            Node::Release(f, g) => Node::Release(of(self, *f)?, of(self, *g)?),
            Node::Since(f, g) => Node::Since(of(self, *f)?, of(self, *g)?),
            Node::Trigger(f, g) => Node::Trigger(of(self, *f)?, of(self, *g)?),
            Node::Some(r, f) | Node::All(r, f) => {
                let f = of(self, *f)?;
                let r = self.import_sere(from, *r, known, budget)?;
                if matches!(from.node(id), Node::Some(..)) { Node::Some(r, f) } else { Node::All(r, f) }
            }
            Node::Weak(r) => Node::Weak(self.import_sere(from, *r, known, budget)?),
            Node::Dead(r) => Node::Dead(self.import_sere(from, *r, known, budget)?),
            Node::Cut { abort, guard, inner } => {
                let inner = of(self, *inner)?;
                Node::Cut { abort: *abort, guard: self.import_guard(from, *guard), inner }
            }
            Node::Place { state, bad } => Node::Place { state: *state, bad: *bad },
            Node::Pending { .. } => unreachable!("a leaf, never inside another subformula"),
        };
        let done = self.add(node, budget)?;
        known.nodes.insert(id, done);
        Ok(done)
    }

    fn import_sere(
        &mut self,
        from: &Self,
        id: SereId,
        known: &mut Translation,
        budget: &Budget,
    ) -> Result<SereId, OverBudget> {
        if id == NEVER || id == EMPTY {
            return Ok(id);
        }
        if let Some(&done) = known.seres.get(&id) {
            return Ok(done);
        }
        // The tail of a chain first, from its end, so that long chains are no deep recursion.
        let mut chain = Vec::new();
        let mut tail = id;
        while let &SereNode::Concat(_, rest) = from.seres.node(tail) {
            chain.push(tail);
            tail = rest;
        }
        let mut of = |store: &mut Self, sere: SereId| store.import_sere(from, sere, known, budget);
        let mut done = match from.seres.node(tail).clone() {
            SereNode::Never | SereNode::Empty => tail,
            SereNode::Letter(guard) => self.letter(from.seres.guard(guard).clone(), budget)?,
            SereNode::Concat(..) => unreachable!("followed to its end"),
            SereNode::Fusion(a, b) => {
                let (a, b) = (of(self, a)?, of(self, b)?);
                self.fusion(a, b, budget)?
            }
            SereNode::Or(parts) => {
                let mut all = Vec::with_capacity(parts.len());
                for part in parts {
                    all.push(of(self, part)?);
                }
                self.either(all, budget)?
            }
            SereNode::Both(a, b) => {
                let (a, b) = (of(self, a)?, of(self, b)?);
                self.both(a, b, budget)?
            }
            SereNode::Repeat(r, min, max) => {
                let r = of(self, r)?;
                self.repeat(r, min, max, budget)?
            }
        };
        for link in chain.into_iter().rev() {
            let &SereNode::Concat(head, _) = from.seres.node(link) else { unreachable!("a chain of these") };
            let head = self.import_sere(from, head, known, budget)?;
            done = self.concat(head, done, budget)?;
            known.seres.insert(link, done);
        }
        known.seres.insert(id, done);
        Ok(done)
    }
}
