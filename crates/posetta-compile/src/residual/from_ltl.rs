//! LTL, from its [normal form](Normal), and monitors written by hand.

use super::nodes::{Node, NodeId, Places, Store};
use crate::normal::{self, Normal};
use posetta_base::{Budget, OverBudget};
use posetta_logic::{AtomId, Guard, Monitor};

impl Store {
    /// A formula in normal form.
    pub(crate) fn ltl(&mut self, formula: &Normal, budget: &Budget) -> Result<NodeId, OverBudget> {
        // Operands come first.
        let mut ids: Vec<NodeId> = Vec::with_capacity(formula.len());
        for (_, node) in formula.nodes() {
            let of = |id: &normal::NodeId| ids[id.place()];
            let id = match node {
                normal::Node::True => self.add(Node::True, budget)?,
                normal::Node::False => self.add(Node::False, budget)?,
                normal::Node::Literal(atom, true) => self.guard_node(Guard::Atom(*atom), budget)?,
                normal::Node::Literal(atom, false) => {
                    self.guard_node(Guard::Not(Box::new(Guard::Atom(*atom))), budget)?
                }
                normal::Node::And(parts) => self.junction(true, parts.iter().map(of).collect(), budget)?,
                normal::Node::Or(parts) => self.junction(false, parts.iter().map(of).collect(), budget)?,
                normal::Node::Next(strong, f) => self.add(Node::Next(*strong, of(f)), budget)?,
                normal::Node::Previous(strong, f) => self.add(Node::Previous(*strong, of(f)), budget)?,
                normal::Node::Until(f, g) => self.add(Node::Until(of(f), of(g)), budget)?,
                normal::Node::Release(f, g) => self.add(Node::Release(of(f), of(g)), budget)?,
                normal::Node::Since(f, g) => self.add(Node::Since(of(f), of(g)), budget)?,
                normal::Node::Trigger(f, g) => self.add(Node::Trigger(of(f), of(g)), budget)?,
            };
            ids.push(id);
        }
        Ok(ids[formula.root().place()])
    }

    /// The runs of a monitor that end badly, or the words without one.
    pub(crate) fn monitor(
        &mut self,
        monitor: &Monitor<AtomId>,
        bad: bool,
        budget: &Budget,
    ) -> Result<NodeId, OverBudget> {
        if self.places.is_none() {
            let edges = monitor.edges_by_state();
            let edges = edges
                .into_iter()
                .map(|edges| edges.into_iter().map(|e| (self.seres.add_guard(e.guard.clone()), e.to)).collect())
                .collect();
            self.places = Some(Places { edges, bad: monitor.bad_states(), otherwise: monitor.otherwise });
        }
        let mut starts = Vec::with_capacity(monitor.initial.len());
        for state in &monitor.initial {
            starts.push(self.add(Node::Place { state: state.0, bad }, budget)?);
        }
        self.junction(!bad, starts, budget)
    }
}
