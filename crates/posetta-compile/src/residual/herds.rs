//! Residuals that differ in one count only: one residual with an open count, beside the numbers that it stands for.
//!
//! `always {a} |=> {b[->1000]; c}!` owes as many matches as there were `a`, each as far as there were `b` since. All of them are
//! `{b[->n]; c}!` with some n. Where n is large, a letter does the same to all of them: a count is told from others only where it is 0, 1 or has no
//! other count to be compared with. So a letter is read once for all, and n goes down by one, or stays.

use super::clauses::{ClauseId, DnfId, Leaf};
use super::nodes::{Node, NodeId, Store};
use super::seres::{OPEN, SereId, SereNode};
use posetta_base::{Budget, OverBudget};

/// Counts up to this are written as they are.
const FEW: u64 = 3;

/// The least of the open counts of a residual is so much more than the number that it stands for: then the derivative of what is repeated is
/// that of a count that is neither 0 nor 1, before and after.
pub(crate) const BASE: u64 = 2;

/// What becomes of counts.
#[derive(Clone, Copy)]
enum Change {
    /// Large ones that stand in front are opened: less this.
    Open(u64),
    /// Open ones are so much more.
    Shift(i64),
    /// Open ones become numbers: more by this.
    Close(u64),
}

impl Change {
    fn of(self, count: u64) -> u64 {
        match self {
            Self::Open(less) => OPEN + count.saturating_sub(less),
            _ if count < OPEN => count,
            Self::Shift(by) => count.saturating_add_signed(by),
            Self::Close(more) => count - OPEN + more,
        }
    }
}

/// The count that tells a repetition from the same one, further on.
fn large(min: u64, max: Option<u64>) -> Option<u64> {
    if min > FEW { Some(min) } else { max.filter(|&max| max > FEW) }
}

impl Store {
    /// Residuals that are owed together: a letter may be read of each by itself.
    pub(crate) fn parts(&mut self, rest: DnfId, budget: &Budget) -> Result<Vec<DnfId>, OverBudget> {
        let clauses = self.clauses_of(rest).to_vec();
        let Some((first, others)) = clauses.split_first() else { return Ok(vec![rest]) };
        // What all clauses owe is owed in any case.
        let mut common = self.leaves_of(*first).to_vec();
        common.retain(|leaf| others.iter().all(|&other| self.leaves_of(other).contains(leaf)));
        let mut parts = Vec::new();
        for &leaf in &common {
            let clause = self.add_clause(vec![leaf], budget)?;
            parts.push(self.add_dnf(vec![clause], budget)?);
        }
        if others.is_empty() {
            return Ok(parts);
        }
        if common.is_empty() {
            return Ok(vec![rest]);
        }
        let mut left = Vec::with_capacity(clauses.len());
        for clause in clauses {
            let leaves = self.leaves_of(clause).iter().copied().filter(|leaf| !common.contains(leaf)).collect();
            left.push(self.add_clause(leaves, budget)?);
        }
        parts.push(self.any_of(left, budget)?);
        Ok(parts)
    }

    /// The residual with the counts in front opened, if they are large, and the number that they stand for.
    pub(crate) fn opened(&mut self, rest: DnfId, budget: &Budget) -> Result<(DnfId, Option<u64>), OverBudget> {
        let leaves = self.clauses_of(rest).iter().flat_map(|&clause| self.leaves_of(clause));
        let Some(least) = leaves.filter_map(|leaf| self.count_of_node(leaf.node())).min() else {
            return Ok((rest, None));
        };
        let stands_for = least - BASE;
        Ok((self.recounted(rest, Change::Open(stands_for), budget)?, Some(stands_for)))
    }

    /// The least open count: how much it is more than the number that it stands for.
    pub(crate) fn least_open(&self, rest: DnfId) -> Option<u64> {
        let leaves = self.clauses_of(rest).iter().flat_map(|&clause| self.leaves_of(clause));
        leaves.filter_map(|leaf| self.open_in_node(leaf.node())).min()
    }

    /// All open counts so much more.
    pub(crate) fn shifted(&mut self, rest: DnfId, by: i64, budget: &Budget) -> Result<DnfId, OverBudget> {
        self.recounted(rest, Change::Shift(by), budget)
    }

    /// Open counts as the numbers that they are.
    pub(crate) fn closed(&mut self, rest: DnfId, stands_for: u64, budget: &Budget) -> Result<DnfId, OverBudget> {
        self.recounted(rest, Change::Close(stands_for), budget)
    }

    /// One subformula that is owed, as a residual.
    pub(crate) fn owing(&mut self, node: NodeId, budget: &Budget) -> Result<Vec<DnfId>, OverBudget> {
        let mut all = Vec::new();
        for part in self.conjuncts(node, budget)? {
            let clause = self.add_clause(vec![Leaf::new(false, part)], budget)?;
            all.push(self.add_dnf(vec![clause], budget)?);
        }
        Ok(all)
    }

    /// Subformulas that hold where this one does: what has to hold everywhere, or after each match, one by one.
    fn conjuncts(&mut self, node: NodeId, budget: &Budget) -> Result<Vec<NodeId>, OverBudget> {
        let (of, inner) = match self.node(node).clone() {
            Node::And(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.extend(self.conjuncts(part, budget)?);
                }
                return Ok(all);
            }
            of @ (Node::Release(_, inner) | Node::All(_, inner)) => (of, inner),
            _ => return Ok(vec![node]),
        };
        let mut all = Vec::new();
        for part in self.conjuncts(inner, budget)? {
            all.push(match of {
                // f R (g && h) = (f R g) && (f R h)
                Node::Release(f, _) => self.add(Node::Release(f, part), budget)?,
                Node::All(r, _) => self.add(Node::All(r, part), budget)?,
                _ => unreachable!("one of these"),
            });
        }
        Ok(all)
    }

    fn recounted(&mut self, rest: DnfId, change: Change, budget: &Budget) -> Result<DnfId, OverBudget> {
        let mut clauses: Vec<ClauseId> = Vec::new();
        for clause in self.clauses_of(rest).to_vec() {
            let mut leaves = Vec::new();
            for leaf in self.leaves_of(clause).to_vec() {
                leaves.push(Leaf::new(leaf.is_strong(), self.recounted_node(leaf.node(), change, budget)?));
            }
            leaves.sort_unstable();
            leaves.dedup();
            clauses.push(self.add_clause(leaves, budget)?);
        }
        self.add_dnf(clauses, budget)
    }

    fn recounted_node(&mut self, id: NodeId, change: Change, budget: &Budget) -> Result<NodeId, OverBudget> {
        let node = match *self.node(id) {
            Node::Some(r, f) => Node::Some(self.recounted_sere(r, change, budget)?, f),
            Node::All(r, f) => Node::All(self.recounted_sere(r, change, budget)?, f),
            Node::Weak(r) => Node::Weak(self.recounted_sere(r, change, budget)?),
            Node::Dead(r) => Node::Dead(self.recounted_sere(r, change, budget)?),
            Node::Cut { abort, guard, inner } => {
                Node::Cut { abort, guard, inner: self.recounted_node(inner, change, budget)? }
            }
            _ => return Ok(id),
        };
        self.add(node, budget)
    }

    fn recounted_sere(&mut self, id: SereId, change: Change, budget: &Budget) -> Result<SereId, OverBudget> {
        let in_front = matches!(change, Change::Open(_));
        // Chains may be long: along them without recursion.
        let (mut links, mut at) = (Vec::new(), id);
        let mut all = loop {
            let &SereNode::Concat(head, tail) = self.seres.node(at) else {
                break self.recounted_link(at, change, budget)?;
            };
            let found = in_front && self.count_of(head).is_some();
            links.push(self.recounted_link(head, change, budget)?);
            if found {
                break tail;
            }
            at = tail;
        };
        for link in links.into_iter().rev() {
            all = self.concat(link, all, budget)?;
        }
        Ok(all)
    }

    fn recounted_link(&mut self, id: SereId, change: Change, budget: &Budget) -> Result<SereId, OverBudget> {
        match self.seres.node(id).clone() {
            SereNode::Concat(..) => self.recounted_sere(id, change, budget),
            SereNode::Fusion(a, b) => {
                let only_first = matches!(change, Change::Open(_)) && self.count_of(a).is_some();
                let a = self.recounted_sere(a, change, budget)?;
                let b = if only_first { b } else { self.recounted_sere(b, change, budget)? };
                self.fusion(a, b, budget)
            }
            SereNode::Or(parts) => {
                let mut all = Vec::with_capacity(parts.len());
                for part in parts {
                    all.push(self.recounted_sere(part, change, budget)?);
                }
                self.either(all, budget)
            }
            SereNode::Repeat(r, min, max) => {
                let opens = matches!(change, Change::Open(_));
                let least = if opens && min <= FEW { min } else { change.of(min) };
                let most = max.map(|max| if opens && large(min, Some(max)).is_none() { max } else { change.of(max) });
                self.repeat(r, least, most, budget)
            }
            SereNode::Never | SereNode::Empty | SereNode::Letter(_) | SereNode::Both(..) => Ok(id),
        }
    }

    fn count_of_node(&self, id: NodeId) -> Option<u64> {
        match *self.node(id) {
            Node::Some(r, _) | Node::All(r, _) | Node::Weak(r) | Node::Dead(r) => self.count_of(r),
            Node::Cut { inner, .. } => self.count_of_node(inner),
            _ => None,
        }
    }

    /// The large count that stands in front: words come to it first.
    fn count_of(&self, id: SereId) -> Option<u64> {
        let mut at = id;
        loop {
            match self.seres.node(at) {
                &SereNode::Concat(head, tail) | &SereNode::Fusion(head, tail) => match self.count_of(head) {
                    None => at = tail,
                    found => return found,
                },
                SereNode::Or(parts) => return parts.iter().filter_map(|&part| self.count_of(part)).min(),
                &SereNode::Repeat(_, min, max) => return large(min, max),
                SereNode::Never | SereNode::Empty | SereNode::Letter(_) | SereNode::Both(..) => return None,
            }
        }
    }

    fn open_in_node(&self, id: NodeId) -> Option<u64> {
        match *self.node(id) {
            Node::Some(r, _) | Node::All(r, _) | Node::Weak(r) | Node::Dead(r) => self.open_in(r),
            Node::Cut { inner, .. } => self.open_in_node(inner),
            _ => None,
        }
    }

    fn open_in(&self, id: SereId) -> Option<u64> {
        let (mut least, mut at): (Option<u64>, SereId) = (None, id);
        let mut note = |found: Option<u64>| least = [least, found].into_iter().flatten().min();
        loop {
            match self.seres.node(at) {
                &SereNode::Concat(head, tail) | &SereNode::Fusion(head, tail) => {
                    note(self.open_in(head));
                    at = tail;
                }
                SereNode::Or(parts) => {
                    parts.iter().for_each(|&part| note(self.open_in(part)));
                    return least;
                }
                &SereNode::Repeat(_, min, max) => {
                    [Some(min), max].into_iter().flatten().for_each(|count| note(count.checked_sub(OPEN)));
                    return least;
                }
                SereNode::Never | SereNode::Empty | SereNode::Letter(_) | SereNode::Both(..) => return least,
            }
        }
    }
}
