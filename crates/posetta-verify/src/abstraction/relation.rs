//! Abstractions as automata: which behaviours of the specification go with one of the implementation.
//!
//! A relation R holds of two behaviours α and β of the same length that have the same observable events at the same positions (definition 4.2 of paper 004, synchronised
//! *both* ways: as printed in section 4.1, a β might have more of them), where β is one of the specification, and a formula ψ may say more. A [`Relation`] follows several of them at
//! once with one β, the intersection of their relations. Its states are those of all specifications and all formulas.
//!
//! With several parts "observable" is what is observable in any of them. Definition 4.2 asks that of the events of the part alone, so our relations are smaller; each still has all
//! behaviours of its implementation in its domain if the larger one has, since β need do nothing where others are seen, and they agree more often.

use rustc_hash::FxHashMap;

use super::narrowing::Narrowing;
use super::universe::{EventId, Events, NOTHING, Universe};
use super::{Abstraction, Part};
use crate::simulation::Simulation;
use crate::system::explicit::Explicit;
use crate::system::observed::{NodeId, Observed as _};
use posetta_automata::inclusion::Right;
use posetta_base::{Budget, Claim, Error, OverBudget, PackedSet};

const WHAT: &str = "following an abstraction";

/// One specification with its formula.
pub(super) struct Member<'s> {
    graph: Explicit<'s>,
    simulation: Simulation,
    events: Events,
    narrowing: Option<&'s Narrowing>,
}

impl<'s> Member<'s> {
    pub(super) fn new(
        part: &Part<'s>,
        narrowing: Option<&'s Narrowing>,
        universe: &Universe,
        budget: &'s Budget,
    ) -> Result<Self, OverBudget> {
        let system = part.specification;
        let graph = Explicit::new(system, &vec![false; system.actions.len()], budget)?.without_bound();
        let simulation = Simulation::new(system, budget)?;
        Ok(Self { graph, simulation, events: universe.events_of(system), narrowing })
    }

    fn start(&mut self) -> Result<u64, Error> {
        Ok(packed(self.graph.start()?, self.narrowing.map_or(0, Narrowing::start)))
    }

    fn accepts(&self, own: u64) -> bool {
        self.narrowing.is_none_or(|narrowing| narrowing.accepts((own >> 32) as u32))
    }

    /// Whether whatever goes with the first of two states goes with the second.
    fn at_most(&self, a: u64, b: u64) -> bool {
        let state = |own: u64| self.graph.state(node(own));
        a == b || a >> 32 == b >> 32 && self.simulation.at_most(&state(a), &state(b))
    }

    /// The events that the specification can do in a state.
    fn possible(&mut self, own: u64, possible: &mut Vec<EventId>) -> Result<(), Error> {
        let state = node(own);
        self.graph.expand(state)?;
        possible.extend(self.graph.known_arcs(state).iter().map(|arc| self.events.event[arc.action.index()]));
        Ok(())
    }

    /// Where one event of each leads.
    fn after(&mut self, own: u64, ours: EventId, theirs: EventId, next: &mut Vec<u64>) -> Result<(), Error> {
        let (state, said) = (node(own), (own >> 32) as u32);
        let said = match self.narrowing {
            None => 0,
            Some(narrowing) => match narrowing.after(said, ours, theirs) {
                Some(said) => said,
                None => return Ok(()),
            },
        };
        match self.events.action[theirs.index()] {
            // The event of others: nothing happens here.
            None => next.push(packed(state, said)),
            Some(action) => {
                self.graph.expand(state)?;
                let arcs = self.graph.known_arcs(state).iter().filter(|arc| arc.action == action);
                next.extend(arcs.map(|arc| packed(arc.to, said)));
            }
        }
        Ok(())
    }
}

fn packed(state: NodeId, said: u32) -> u64 {
    u64::from(state.0) | u64::from(said) << 32
}

/// The state that was packed.
fn node(own: u64) -> NodeId {
    NodeId(own as u32)
}

/// Rows with one more entry each, in all ways.
pub(super) fn combined(rows: &[Vec<u64>], choices: &[u64]) -> Vec<Vec<u64>> {
    rows.iter().flat_map(|row| choices.iter().map(|&choice| [&row[..], &[choice]].concat())).collect()
}

/// What the specification may do, and the state after it.
type Choices = Box<[(EventId, u32)]>;

/// One or more abstractions with one behaviour of the specification for all.
pub(super) struct Relation<'s> {
    abstraction: Abstraction,
    universe: &'s Universe,
    members: Vec<Member<'s>>,
    states: PackedSet<0>,
    accepts: Vec<bool>,
    /// Events of the specification that formulas tell from τ although no specification has them; and τ.
    others: Vec<EventId>,
    /// What comes after a state with an event of the implementation.
    after: FxHashMap<(u32, EventId), Choices>,
    bytes: u64,
    claim: Claim,
    budget: &'s Budget,
}

impl<'s> Relation<'s> {
    pub(super) fn new(
        abstraction: Abstraction,
        universe: &'s Universe,
        members: Vec<Member<'s>>,
        budget: &'s Budget,
    ) -> Result<Self, OverBudget> {
        let mut marked = vec![false; universe.len()];
        for member in &members {
            if let Some(narrowing) = member.narrowing {
                narrowing.mark_specification(&mut marked);
            }
        }
        marked[NOTHING.index()] = true;
        // Where a formula tells whether two events are the same, τ alone does not stand for all that nobody has: it may be the other's event.
        let has = |e: EventId| members.iter().any(|member: &Member<'_>| member.events.action[e.index()].is_some());
        let stranger = |e: &EventId| !marked[e.index()] && !universe.is_observable(*e) && !has(*e);
        if let Some(event) = universe.events().find(stranger) {
            marked[event.index()] |= members.iter().any(|m| m.narrowing.is_some_and(Narrowing::tells_same));
        }
        let others = universe.events().filter(|e| marked[e.index()] && !universe.is_observable(*e)).collect();
        Ok(Self {
            abstraction,
            universe,
            states: PackedSet::new(members.len()),
            members,
            accepts: Vec::new(),
            others,
            after: FxHashMap::default(),
            bytes: 0,
            claim: budget.claim(0, WHAT)?,
            budget,
        })
    }

    fn id(&mut self, row: &[u64]) -> Result<u32, Error> {
        let (id, new) = self.states.insert(row);
        if new {
            self.budget.step(1, WHAT)?;
            self.accepts.push(self.members.iter().zip(row).all(|(member, &own)| member.accepts(own)));
            if self.states.is_full() {
                return Err(OverBudget::new(WHAT, posetta_base::Limit::Memory).into());
            }
        }
        Ok(id)
    }

    /// The state before any event.
    pub(super) fn first(&mut self) -> Result<u32, Error> {
        let row = self.members.iter_mut().map(Member::start).collect::<Result<Vec<u64>, _>>()?;
        self.id(&row)
    }

    /// Whether two behaviours that lead to a state are related.
    pub(super) fn is_related(&self, state: u32) -> bool {
        self.accepts[state as usize]
    }

    /// With one more event of the implementation: what the specification may do, and the state after both.
    pub(super) fn next(&mut self, state: u32, ours: EventId) -> Result<&[(EventId, u32)], Error> {
        if !self.after.contains_key(&(state, ours)) {
            let found = self.found(state, ours)?;
            self.bytes += 64 + 8 * found.len() as u64;
            self.claim.grow_to(self.bytes + self.states.bytes(), WHAT)?;
            self.after.insert((state, ours), found.into());
        }
        Ok(&self.after[&(state, ours)])
    }

    fn found(&mut self, state: u32, ours: EventId) -> Result<Vec<(EventId, u32)>, Error> {
        let row = self.states.row(state).to_vec();
        let mut candidates = vec![ours];
        if self.abstraction == Abstraction::Canonical && !self.universe.is_observable(ours) {
            candidates.extend(&self.others);
            for (member, &own) in self.members.iter_mut().zip(&row) {
                member.possible(own, &mut candidates)?;
            }
            candidates.retain(|&event| !self.universe.is_observable(event));
            candidates.sort_unstable();
            candidates.dedup();
        }
        let mut found = Vec::new();
        for theirs in candidates {
            // One choice for each member, in all combinations.
            let mut rows: Vec<Vec<u64>> = vec![Vec::new()];
            for (member, &own) in self.members.iter_mut().zip(&row) {
                let mut choices = Vec::new();
                member.after(own, ours, theirs, &mut choices)?;
                rows = combined(&rows, &choices);
                self.budget.step(rows.len() as u64, WHAT)?;
            }
            for row in rows {
                let to = self.id(&row)?;
                if !found.iter().any(|&(_, known)| known == to) {
                    found.push((theirs, to));
                }
            }
        }
        Ok(found)
    }

    /// A behaviour of the specification that goes with one of the implementation, if there is one.
    pub(super) fn image(&mut self, behaviour: &[EventId]) -> Result<Option<Vec<EventId>>, Error> {
        let first = self.first()?;
        // By length: the states, each with the place before it and the event that led to it.
        let mut layers: Vec<Vec<(u32, usize, EventId)>> = vec![vec![(first, 0, NOTHING)]];
        for &ours in behaviour {
            let mut layer: Vec<(u32, usize, EventId)> = Vec::new();
            let mut known = FxHashMap::default();
            let last = layers.last().cloned().unwrap_or_default();
            for (place, (state, ..)) in last.into_iter().enumerate() {
                for &(theirs, to) in self.next(state, ours)? {
                    known.entry(to).or_insert_with(|| layer.push((to, place, theirs)));
                }
            }
            layers.push(layer);
        }
        let last = layers.last().map(Vec::as_slice).unwrap_or_default();
        let Some(mut at) = last.iter().position(|&(state, ..)| self.is_related(state)) else { return Ok(None) };
        let mut image = Vec::with_capacity(behaviour.len());
        for layer in layers[1..].iter().rev() {
            let (_, before, theirs) = layer[at];
            image.push(theirs);
            at = before;
        }
        image.reverse();
        Ok(Some(image))
    }
}

/// The behaviours of the implementation that have one of the specification: the domain of the relation.
impl Right for Relation<'_> {
    type Letter = EventId;

    fn start(&mut self, states: &mut Vec<u32>) -> Result<(), Error> {
        states.push(self.first()?);
        Ok(())
    }

    fn after(&mut self, from: &[u32], ours: EventId, states: &mut Vec<u32>) -> Result<(), Error> {
        for &state in from {
            states.extend(self.next(state, ours)?.iter().map(|&(_, to)| to));
        }
        Ok(())
    }

    fn accepts(&self, state: u32) -> bool {
        self.is_related(state)
    }

    fn has_simulation(&self) -> bool {
        self.members.iter().any(|member| member.simulation.is_of_use)
    }

    fn at_most(&self, a: u32, b: u32) -> bool {
        let rows = self.states.row(a).iter().zip(self.states.row(b));
        self.members.iter().zip(rows).all(|(member, (&a, &b))| member.at_most(a, b))
    }

    fn met(&self) -> usize {
        self.states.len()
    }
}
