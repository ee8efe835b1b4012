//! The behaviours of an implementation in its universe: its own events, with those of others anywhere between (paper 004's normalised traces).

use super::universe::{EventId, Events, NOTHING, Universe};
use crate::system::explicit::Explicit;
use crate::system::observed::{NodeId, Observed as _};
use posetta_automata::inclusion::{Left, LeftArc};
use posetta_base::{Budget, Error, OverBudget};
use posetta_model::system::{Move, System};

/// A system, state by state.
pub(super) struct Behaviours<'s> {
    graph: Explicit<'s>,
    events: Events,
    /// Events of others that are observable, or that somebody tells from τ; and τ.
    others: Vec<EventId>,
}

impl<'s> Behaviours<'s> {
    /// `told` are the events that somebody tells from τ, besides the observable ones.
    pub(super) fn new(
        system: &'s System,
        universe: &Universe,
        told: &[bool],
        budget: &'s Budget,
    ) -> Result<Self, OverBudget> {
        let graph = Explicit::new(system, &vec![false; system.actions.len()], budget)?.without_bound();
        let events = universe.events_of(system);
        let matters = |e: &EventId| universe.is_observable(*e) || told[e.index()] || *e == NOTHING;
        let others = universe.events().filter(|e| events.action[e.index()].is_none() && matters(e)).collect();
        Ok(Self { graph, events, others })
    }

    /// The events along a way that a search found, and the run of the system: a move for each event that is its own.
    pub(super) fn told(&mut self, way: &[(u32, u32)]) -> Result<(Vec<EventId>, Vec<Move>), Error> {
        let (mut behaviour, mut moves) = (Vec::new(), Vec::new());
        let mut arcs = Vec::new();
        for &(state, tag) in way {
            arcs.clear();
            self.arcs(state, &mut arcs)?;
            let LeftArc { letter, to, .. } = arcs[tag as usize];
            let Some(event) = letter else { continue };
            behaviour.push(event);
            if let Some(action) = self.events.action[event.index()] {
                let (from, to) = (self.graph.state(NodeId(state)), self.graph.state(NodeId(to)));
                moves.extend(self.graph.system.step_between(&self.graph.slots, &from, action, &to));
            }
        }
        Ok((behaviour, moves))
    }
}

impl Left for Behaviours<'_> {
    type Letter = EventId;

    fn start(&mut self) -> Result<u32, Error> {
        Ok(self.graph.start()?.0)
    }

    fn arcs(&mut self, state: u32, arcs: &mut Vec<LeftArc<EventId>>) -> Result<(), Error> {
        let node = NodeId(state);
        self.graph.expand(node)?;
        let own = self.graph.known_arcs(node).iter().map(|arc| (self.events.event[arc.action.index()], arc.to.0));
        let others = self.others.iter().map(|&event| (event, state));
        for (tag, (event, to)) in own.chain(others).enumerate() {
            arcs.push(LeftArc { letter: Some(event), to, tag: tag as u32 });
        }
        Ok(())
    }

    fn accepts(&self, _: u32) -> bool {
        true
    }

    fn met(&self) -> usize {
        self.graph.len()
    }
}
