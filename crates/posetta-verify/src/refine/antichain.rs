//! Inclusion of traces, state by state, by [`inclusion`](posetta_automata::inclusion).
//!
//! Words are traces, and an internal action of the implementation is a silent arc, so the first lacking trace that is found is a shortest one. A state
//! of the specification brings all with it that internal actions lead to from there. States of both sides are settled first ([`super::automaton`]), which makes most sets
//! that come of internal actions single states.

use rustc_hash::FxHashSet;

use super::WHAT;
use super::automaton::Automaton;
use super::compare::Pair;
use super::confluent::Confluence;
use crate::simulation::Simulation;
use crate::system::observed::NodeId;
use posetta_automata::inclusion::{Left, LeftArc, Outcome, Right, Search};
use posetta_base::{ActionId, Budget, Error};
use posetta_model::system::Move;

/// A search for a lacking trace.
pub(super) type TraceSearch<'s> = Search<'s, Implementation<'s>, Specification<'s>>;

/// The implementation.
pub(super) struct Implementation<'s> {
    automaton: Automaton<'s>,
    pair: &'s Pair<'s>,
    /// The state at the start before it was settled.
    start: NodeId,
}

/// The specification.
pub(super) struct Specification<'s> {
    automaton: Automaton<'s>,
    simulation: Simulation,
    budget: &'s Budget,
}

/// A search that has not begun.
pub(super) fn search<'s>(
    pair: &'s Pair<'s>,
    [left, right]: [&Confluence; 2],
    budget: &'s Budget,
) -> Result<TraceSearch<'s>, Error> {
    let left = Automaton::new(pair.implementation, left, budget)?;
    let right = Automaton::new(pair.specification, right, budget)?;
    let left = Implementation { automaton: left, pair, start: NodeId(0) };
    Search::new(
        left,
        Specification { automaton: right, simulation: Simulation::new(pair.specification, budget)?, budget },
        WHAT,
        budget,
    )
}

/// The run of the implementation behind what a search found, `None` if it found nothing.
pub(super) fn steps(search: &mut TraceSearch<'_>, outcome: Outcome) -> Result<Option<Vec<Move>>, Error> {
    let Outcome::Lacking(way) = outcome else { return Ok(None) };
    let left = &mut search.left;
    let mut arcs = left.automaton.settling(left.start)?;
    for (place, &(state, tag)) in way.iter().enumerate() {
        let arc = left.automaton.arcs(NodeId(state))?[tag as usize];
        arcs.push(arc);
        // The run ends with what is lacking.
        if place + 1 < way.len() {
            arcs.extend(left.automaton.settling(arc.to)?);
        }
    }
    Ok(Some(left.automaton.moves(&arcs)))
}

impl Left for Implementation<'_> {
    type Letter = ActionId;

    fn start(&mut self) -> Result<u32, Error> {
        self.start = self.automaton.start()?;
        Ok(self.automaton.settle(self.start)?.0)
    }

    fn arcs(&mut self, state: u32, arcs: &mut Vec<LeftArc<ActionId>>) -> Result<(), Error> {
        let state = NodeId(state);
        for tag in 0..self.automaton.arcs(state)?.len() {
            let arc = self.automaton.arcs(state)?[tag];
            let letter = self.pair.partner[arc.action.index()];
            arcs.push(LeftArc { letter, to: self.automaton.settle(arc.to)?.0, tag: tag as u32 });
        }
        Ok(())
    }

    fn accepts(&self, _: u32) -> bool {
        true
    }

    fn met(&self) -> usize {
        self.automaton.len()
    }
}

impl Specification<'_> {
    /// What some states lead to silently, in place of them.
    fn close(&mut self, states: &mut Vec<u32>) -> Result<(), Error> {
        let mut open = std::mem::take(states);
        let mut met = FxHashSet::default();
        while let Some(state) = open.pop() {
            self.budget.step(1, WHAT)?;
            let state = self.automaton.settle(NodeId(state))?;
            if !met.insert(state) {
                continue;
            }
            states.push(state.0);
            for i in 0..self.automaton.arcs(state)?.len() {
                let arc = self.automaton.arcs(state)?[i];
                if self.automaton.is_internal(arc.action) {
                    open.push(arc.to.0);
                }
            }
        }
        Ok(())
    }
}

impl Right for Specification<'_> {
    type Letter = ActionId;

    fn start(&mut self, states: &mut Vec<u32>) -> Result<(), Error> {
        states.push(self.automaton.start()?.0);
        self.close(states)
    }

    fn after(&mut self, from: &[u32], action: ActionId, states: &mut Vec<u32>) -> Result<(), Error> {
        for &state in from {
            let arcs = self.automaton.arcs(NodeId(state))?;
            states.extend(arcs.iter().filter(|arc| arc.action == action).map(|arc| arc.to.0));
        }
        self.close(states)
    }

    fn accepts(&self, _: u32) -> bool {
        true
    }

    fn has_simulation(&self) -> bool {
        self.simulation.is_of_use
    }

    fn at_most(&self, a: u32, b: u32) -> bool {
        a == b || self.simulation.at_most(&self.automaton.values(NodeId(a)), &self.automaton.values(NodeId(b)))
    }

    fn met(&self) -> usize {
        self.automaton.len()
    }
}
