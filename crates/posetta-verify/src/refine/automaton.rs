//! A system as an automaton over its observable actions, found as far as somebody asks.
//!
//! States are met one by one ([`Explicit`]). Where an eager action can take place ([`super::confluent`]), it is taken and the state before it
//! forgotten, until none is left or the eager actions go round; so a state stands for all that lead to it in this way, and has their traces:
//! [`Automaton::settle`].

use super::Confluence;
use crate::system::explicit::Explicit;
use crate::system::observed::{Arc, NodeId, Observed as _};
use posetta_base::{ActionId, Budget, Error, OverBudget};
use posetta_model::system::{Move, System};

/// No state, in a list that is as long as there are states.
const UNSETTLED: NodeId = NodeId(u32::MAX);

/// A system, with the states that were met.
pub(super) struct Automaton<'s> {
    graph: Explicit<'s>,
    eager: Vec<bool>,
    /// By state: the one that stands for it.
    settled: Vec<NodeId>,
}

impl<'s> Automaton<'s> {
    pub(super) fn new(system: &'s System, confluence: &Confluence, budget: &'s Budget) -> Result<Self, OverBudget> {
        // Nothing is observed by the graph itself: arcs carry their actions all the same.
        let graph = Explicit::new(system, &vec![false; system.actions.len()], budget)?.without_bound();
        Ok(Self { graph, eager: confluence.eager.clone(), settled: Vec::new() })
    }

    /// The system.
    pub(super) fn system(&self) -> &'s System {
        self.graph.system
    }

    /// How many states were met.
    pub(super) fn len(&self) -> usize {
        self.graph.len()
    }

    /// The state at the start, not settled.
    pub(super) fn start(&mut self) -> Result<NodeId, Error> {
        self.graph.start()
    }

    /// The arcs from a state, ascending. They lead to states that are not settled.
    pub(super) fn arcs(&mut self, state: NodeId) -> Result<&[Arc], Error> {
        self.graph.expand(state)?;
        Ok(self.graph.known_arcs(state))
    }

    pub(super) fn is_internal(&self, action: ActionId) -> bool {
        self.system().action(action).internal
    }

    /// The eager step that is taken from a state, if there is one: the first.
    fn eager_arc(&mut self, state: NodeId) -> Result<Option<Arc>, Error> {
        self.graph.expand(state)?;
        Ok(self.graph.known_arcs(state).iter().find(|arc| self.eager[arc.action.index()]).copied())
    }

    /// The state that stands for a state. If eager actions go round, it is the first of those on the cycle that was met.
    pub(super) fn settle(&mut self, state: NodeId) -> Result<NodeId, Error> {
        let mut path = Vec::new();
        let mut at = state;
        let end = loop {
            if self.settled.len() <= at.index() {
                self.settled.resize(self.graph.len().max(at.index() + 1), UNSETTLED);
            }
            match self.settled[at.index()] {
                UNSETTLED => {}
                known => break known,
            }
            // Marked with itself while on the path: met again, the eager actions go round.
            self.settled[at.index()] = at;
            path.push(at);
            match self.eager_arc(at)? {
                None => break at,
                Some(arc) => at = arc.to,
            }
        };
        // A state on the path is marked with itself, and so is one that stands for itself; only the former is on the path.
        let end = match path.iter().position(|&s| s == end) {
            Some(place) => path[place..].iter().copied().min().unwrap_or(end),
            None => end,
        };
        path.iter().for_each(|&s| self.settled[s.index()] = end);
        Ok(end)
    }

    /// The eager steps from a state to the one that stands for it.
    pub(super) fn settling(&mut self, state: NodeId) -> Result<Vec<Arc>, Error> {
        let (end, mut at) = (self.settle(state)?, state);
        let mut steps = Vec::new();
        while at != end {
            let Some(arc) = self.eager_arc(at)? else { break };
            steps.push(arc);
            at = arc.to;
        }
        Ok(steps)
    }

    /// What a state is, slot by slot.
    pub(super) fn values(&self, state: NodeId) -> Vec<u32> {
        self.graph.state(state)
    }

    /// The moves along arcs from the start.
    pub(super) fn moves(&self, arcs: &[Arc]) -> Vec<Move> {
        let system = self.system();
        let mut state = system.initial();
        let mut moves = Vec::with_capacity(arcs.len());
        for arc in arcs {
            let next = self.graph.state(arc.to);
            moves.extend(system.step_between(&self.graph.slots, &state, arc.action, &next));
            state = next;
        }
        moves
    }
}
