//! PSL: the derived forms put in terms of a few, and negations pushed to the booleans.

use super::nodes::{Node, NodeId, Store};
use super::seres::SereId;
use posetta_base::{Budget, OverBudget};
use posetta_logic::{AtomId, Guard, Psl, PslBinary, PslUnary, Sere, Suffix};

/// So many `X` are put next to each other; more become a range.
const FEW: u32 = 64;

impl Store {
    /// A formula, or its negation.
    pub(crate) fn psl(&mut self, formula: &Psl<AtomId>, positive: bool, budget: &Budget) -> Result<NodeId, OverBudget> {
        match formula {
            Psl::Bool(guard) => self.boolean(guard, positive, budget),
            // r! is <r> true.
            Psl::Sere { sere, strong: true } => {
                let end = self.boolean(&Guard::True, positive, budget)?;
                self.suffix(sere, end, positive, budget)
            }
            Psl::Sere { sere, strong: false } => {
                let r = self.sere(sere, budget)?;
                self.add(if positive { Node::Weak(r) } else { Node::Dead(r) }, budget)
            }
            Psl::Not(f) => self.psl(f, !positive, budget),
            Psl::And(fs) | Psl::Or(fs) => {
                let mut parts = Vec::with_capacity(fs.len());
                for f in fs {
                    parts.push(self.psl(f, positive, budget)?);
                }
                self.junction(matches!(formula, Psl::And(_)) == positive, parts, budget)
            }
            Psl::Implies(f, g) => {
                let parts = vec![self.psl(f, !positive, budget)?, self.psl(g, positive, budget)?];
                self.junction(!positive, parts, budget)
            }
            Psl::Iff(f, g) => {
                let both = vec![self.psl(f, true, budget)?, self.psl(g, positive, budget)?];
                let neither = vec![self.psl(f, false, budget)?, self.psl(g, !positive, budget)?];
                let parts = vec![self.junction(true, both, budget)?, self.junction(true, neither, budget)?];
                self.junction(false, parts, budget)
            }
            Psl::Unary(op, f) => {
                let f = self.psl(f, positive, budget)?;
                match op {
                    PslUnary::Next => self.add(Node::Next(!positive, f), budget),
                    PslUnary::StrongNext => self.add(Node::Next(positive, f), budget),
                    PslUnary::Globally => self.eventually(f, !positive, budget),
                    PslUnary::Finally => self.eventually(f, positive, budget),
                }
            }
            Psl::NextTimes { strong, count, formula } => {
                let f = self.psl(formula, positive, budget)?;
                self.next_times(*strong == positive, *count, f, budget)
            }
            Psl::Binary(op, f, g) => self.binary(*op, f, g, positive, budget),
            Psl::Never(r) => self.anywhere(r, !positive, budget),
            Psl::Eventually(r) => self.anywhere(r, positive, budget),
            Psl::Suffix(Suffix::Some, r, f) => {
                let f = self.psl(f, positive, budget)?;
                self.suffix(r, f, positive, budget)
            }
            Psl::Suffix(Suffix::Overlapping, r, f) => {
                let f = self.psl(f, positive, budget)?;
                self.suffix(r, f, !positive, budget)
            }
            Psl::Suffix(Suffix::After, r, f) => {
                let f = self.psl(f, positive, budget)?;
                let (r, one) = (self.sere(r, budget)?, self.letter(Guard::True, budget)?);
                let r = self.concat(r, one, budget)?;
                self.matched_then(r, f, !positive, budget)
            }
            Psl::Abort(f, guard) => {
                let inner = self.psl(f, positive, budget)?;
                let guard = self.seres.add_guard(guard.clone());
                self.add(Node::Cut { abort: positive, guard, inner }, budget)
            }
        }
    }

    fn boolean(&mut self, guard: &Guard<AtomId>, positive: bool, budget: &Budget) -> Result<NodeId, OverBudget> {
        let guard = match (positive, guard) {
            (true, guard) => guard.clone(),
            (false, Guard::True) => Guard::False,
            (false, Guard::False) => Guard::True,
            (false, Guard::Not(guard)) => (**guard).clone(),
            (false, guard) => Guard::Not(Box::new(guard.clone())),
        };
        self.guard_node(guard, budget)
    }

    fn matched_then(&mut self, r: SereId, f: NodeId, some: bool, budget: &Budget) -> Result<NodeId, OverBudget> {
        self.add(if some { Node::Some(r, f) } else { Node::All(r, f) }, budget)
    }

    /// `<r> f`, or `r |-> f`.
    fn suffix(&mut self, r: &Sere<AtomId>, f: NodeId, some: bool, budget: &Budget) -> Result<NodeId, OverBudget> {
        let r = self.sere(r, budget)?;
        self.matched_then(r, f, some, budget)
    }

    /// `{true[*];r}!`, or its negation.
    fn anywhere(&mut self, r: &Sere<AtomId>, comes: bool, budget: &Budget) -> Result<NodeId, OverBudget> {
        let (r, any) = (self.sere(r, budget)?, self.anything(budget)?);
        let r = self.concat(any, r, budget)?;
        let end = self.boolean(&Guard::True, comes, budget)?;
        self.matched_then(r, end, comes, budget)
    }

    /// `F f`, or `G f`.
    fn eventually(&mut self, f: NodeId, comes: bool, budget: &Budget) -> Result<NodeId, OverBudget> {
        let side = self.boolean(&Guard::True, comes, budget)?;
        self.add(if comes { Node::Until(side, f) } else { Node::Release(side, f) }, budget)
    }

    fn next_times(&mut self, strong: bool, count: u32, mut f: NodeId, budget: &Budget) -> Result<NodeId, OverBudget> {
        // As a range, where ⊥ for ever makes no difference.
        if count > FEW && self.facts(f).regular {
            let one = self.letter(Guard::True, budget)?;
            let before = self.repeat(one, u64::from(count), Some(u64::from(count)), budget)?;
            let r = self.concat(before, one, budget)?;
            return self.matched_then(r, f, strong, budget);
        }
        for _ in 0..count {
            f = self.add(Node::Next(strong, f), budget)?;
        }
        Ok(f)
    }

    fn binary(
        &mut self,
        op: PslBinary,
        f: &Psl<AtomId>,
        g: &Psl<AtomId>,
        positive: bool,
        budget: &Budget,
    ) -> Result<NodeId, OverBudget> {
        // Both come down to `hold until goal`.
        let (hold, goal, strong) = match op {
            PslBinary::Until { strong, inclusive } => {
                let (f, mut g) = (self.psl(f, positive, budget)?, self.psl(g, positive, budget)?);
                if inclusive {
                    g = self.junction(positive, vec![f, g], budget)?;
                }
                (f, g, strong)
            }
            PslBinary::Before { strong, inclusive } => {
                let (mut f, not_g) = (self.psl(f, positive, budget)?, self.psl(g, !positive, budget)?);
                if !inclusive {
                    f = self.junction(positive, vec![f, not_g], budget)?;
                }
                (not_g, f, strong)
            }
        };
        let node = match (positive, strong) {
            (true, true) => Node::Until(hold, goal),
            // f W g = g R (f || g)
            (true, false) => Node::Release(goal, self.junction(false, vec![hold, goal], budget)?),
            (false, true) => Node::Release(hold, goal),
            (false, false) => Node::Until(goal, self.junction(true, vec![hold, goal], budget)?),
        };
        self.add(node, budget)
    }
}

/// Whether the empty word satisfies a formula: booleans do, and so does whatever demands nothing.
pub(crate) fn on_empty(formula: &Psl<AtomId>) -> bool {
    match formula {
        Psl::Bool(_) | Psl::Never(_) | Psl::Suffix(Suffix::Overlapping | Suffix::After, ..) => true,
        Psl::Eventually(_) | Psl::Suffix(Suffix::Some, ..) => false,
        Psl::Sere { strong, .. } => !strong,
        Psl::Not(f) => matches!(**f, Psl::Bool(_)) || !on_empty(f),
        Psl::And(fs) => fs.iter().all(on_empty),
        Psl::Or(fs) => fs.iter().any(on_empty),
        // !f || g, where the negation of a boolean is a boolean.
        Psl::Implies(f, g) => matches!(**f, Psl::Bool(_)) || !on_empty(f) || on_empty(g),
        Psl::Iff(f, g) => {
            let not = |f: &Psl<AtomId>| matches!(f, Psl::Bool(_)) || !on_empty(f);
            on_empty(f) && on_empty(g) || not(f) && not(g)
        }
        Psl::Unary(op, _) => matches!(op, PslUnary::Next | PslUnary::Globally),
        Psl::NextTimes { strong, count, formula } => {
            if *count == 0 {
                on_empty(formula)
            } else {
                !strong
            }
        }
        Psl::Binary(PslBinary::Until { strong, .. } | PslBinary::Before { strong, .. }, ..) => !strong,
        // There is no position at which the boolean could hold.
        Psl::Abort(f, _) => on_empty(f),
    }
}
