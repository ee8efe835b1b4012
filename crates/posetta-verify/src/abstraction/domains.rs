//! The behaviours that are in the domain of every one of several relations: each may have a behaviour of the specification of its own.

use rustc_hash::FxHashSet;

use super::relation::{Relation, combined};
use super::universe::{EventId, NOTHING, Universe};
use posetta_automata::inclusion::{Left, LeftArc};
use posetta_base::{Budget, Claim, Error, Limit, OverBudget, PackedSet};

const WHAT: &str = "following several abstractions";

/// Several relations, each by itself.
pub(super) struct Domains<'s> {
    pub(super) relations: Vec<Relation<'s>>,
    states: PackedSet<0>,
    accepts: Vec<bool>,
    /// One event for each sort that somebody tells from the others.
    events: Vec<EventId>,
    claim: Claim,
    budget: &'s Budget,
}

impl<'s> Domains<'s> {
    /// `told` are the events that somebody tells from τ, besides the observable ones.
    pub(super) fn new(
        relations: Vec<Relation<'s>>,
        universe: &Universe,
        told: &[bool],
        budget: &'s Budget,
    ) -> Result<Self, OverBudget> {
        let matters = |e: &EventId| universe.is_observable(*e) || told[e.index()] || *e == NOTHING;
        let events = universe.events().filter(matters).collect();
        let (states, claim) = (PackedSet::new(relations.len()), budget.claim(0, WHAT)?);
        Ok(Self { relations, states, accepts: Vec::new(), events, claim, budget })
    }

    fn id(&mut self, row: &[u64]) -> Result<u32, Error> {
        let (id, new) = self.states.insert(row);
        if new {
            self.budget.step(1, WHAT)?;
            self.claim.grow_to(self.states.bytes() + self.accepts.len() as u64, WHAT)?;
            let related = |(relation, &own): (&Relation<'_>, &u64)| relation.is_related(own as u32);
            self.accepts.push(self.relations.iter().zip(row).all(related));
            if self.states.is_full() {
                return Err(OverBudget::new(WHAT, Limit::Memory).into());
            }
        }
        Ok(id)
    }

    /// The events along a way that a search found.
    pub(super) fn told(&self, way: &[(u32, u32)]) -> Vec<EventId> {
        way.iter().map(|&(_, tag)| EventId(tag)).collect()
    }
}

impl Left for Domains<'_> {
    type Letter = EventId;

    fn start(&mut self) -> Result<u32, Error> {
        let mut row = Vec::with_capacity(self.relations.len());
        for relation in &mut self.relations {
            row.push(u64::from(relation.first()?));
        }
        self.id(&row)
    }

    fn arcs(&mut self, state: u32, arcs: &mut Vec<LeftArc<EventId>>) -> Result<(), Error> {
        let row = self.states.row(state).to_vec();
        for place in 0..self.events.len() {
            let event = self.events[place];
            let mut rows: Vec<Vec<u64>> = vec![Vec::new()];
            for (relation, &own) in self.relations.iter_mut().zip(&row) {
                let mut choices: Vec<u64> =
                    relation.next(own as u32, event)?.iter().map(|&(_, to)| u64::from(to)).collect();
                choices.sort_unstable();
                choices.dedup();
                rows = combined(&rows, &choices);
                self.budget.step(rows.len() as u64, WHAT)?;
            }
            let mut met = FxHashSet::default();
            for row in rows {
                let to = self.id(&row)?;
                if met.insert(to) {
                    arcs.push(LeftArc { letter: Some(event), to, tag: event.0 });
                }
            }
        }
        Ok(())
    }

    fn accepts(&self, state: u32) -> bool {
        self.accepts[state as usize]
    }

    fn met(&self) -> usize {
        self.states.len()
    }
}
