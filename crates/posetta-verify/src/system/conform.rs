//! A recorded run against a system: does some order of it follow the system?
//!
//! An event stands for the action that is called `<process>.<name>`, else for the one called `<name>`; other events are left out. *Seen* are the
//! actions that are not internal, and internal ones that some event stands for; the others may happen unrecorded at any time. The run
//! follows the system if in some order its steps are what is seen of a run of the system.
//!
//! The search goes over pairs of a cut of the steps and a meta-state of the system's observation graph for what is seen, depth first, in the
//! recorded order as far as it goes. A cut that was met with a meta-state is not looked at again. If no order gets to the end, the
//! cuts that got furthest are told, with what each component refused there.

use std::collections::BTreeMap;
use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};

use super::expand;
use super::module::MetaId;
use super::observed::{Arc, Ending, NodeId, Observed as _, Path};
use super::product::{Modules, Partition, Product};
use super::space::Space;
use posetta_base::{ActionId, Budget, ComponentId, Error, EventId};
use posetta_dd::idd::Set;
use posetta_logic::Compare;
use posetta_model::system::{Behaviour, Predicate, Run, Slots, System};
use posetta_trace::{Slice, Trace};

const WHAT: &str = "following a run through a system";

/// With more states of a component than this in question, none of them says much.
pub const FEW_STATES: usize = 8;

/// What came of holding a run against a system.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Conformance {
    /// How many events stand for actions.
    pub steps: usize,
    /// The names of events that stand for none, and how many events have them; `None`: events without a name.
    pub left_out: BTreeMap<Option<String>, usize>,
    /// Pairs of a cut and a meta-state that were looked at.
    pub pairs: u64,
    /// Whether some order follows the system.
    pub outcome: Outcome,
}

/// Whether some order follows the system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// This one does.
    Follows {
        /// All events.
        order: Vec<EventId>,
        /// What the system does meanwhile, with what is not seen.
        run: Run,
    },
    /// None does: the cuts that orders got to and not further, those with the most steps, as they were found: what was recorded first is tried
    /// first.
    Strays(Vec<Frontier>),
}

/// How far an order got.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Frontier {
    /// The steps so far, in an order that follows the system.
    pub taken: Vec<EventId>,
    /// What could have come next in the run, and who refused it. An order that got here went no further.
    pub refused: Vec<Refusal>,
}

/// A step that could not be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refusal {
    /// The event.
    pub event: EventId,
    /// What it stands for.
    pub action: ActionId,
    /// The components that take part in it and could not in any state that they may have been in. Empty: each could, but not all at once.
    pub by: Vec<ComponentId>,
    /// For each of these the states that it may have been in, ascending, if it is a transition system and there are at most [`FEW_STATES`].
    pub at: Vec<Option<Vec<u32>>>,
}

/// The action that an event stands for.
#[must_use]
pub fn action_of(system: &System, trace: &Trace, event: EventId) -> Option<ActionId> {
    ActionNames::new(system).action(trace, event)
}

/// The actions of a system by name, to ask [`action_of`] many times.
#[derive(Clone, Debug)]
pub struct ActionNames<'a>(FxHashMap<&'a str, ActionId>);

impl<'a> ActionNames<'a> {
    /// Those of a system.
    #[must_use]
    pub fn new(system: &'a System) -> Self {
        Self(system.action_ids().map(|a| (&*system.action(a).name, a)).collect())
    }

    /// The action that an event stands for.
    #[must_use]
    pub fn action(&self, trace: &Trace, event: EventId) -> Option<ActionId> {
        let name = trace.event_name(event)?;
        let process = trace.process_name(trace.process(event));
        self.0.get(format!("{process}.{name}").as_str()).or_else(|| self.0.get(name)).copied()
    }
}

/// Holds a run against a system.
///
/// # Errors
/// When the system is not bounded or the budget is spent.
pub fn conform(system: &System, trace: &Trace, budget: &Budget) -> Result<Conformance, Error> {
    let names = ActionNames::new(system);
    let mut left_out: BTreeMap<Option<String>, usize> = BTreeMap::new();
    let mut actions: FxHashMap<EventId, ActionId> = FxHashMap::default();
    for event in trace.events() {
        match names.action(trace, event) {
            Some(action) => drop(actions.insert(event, action)),
            None => *left_out.entry(trace.event_name(event).map(str::to_owned)).or_default() += 1,
        }
    }
    let mut seen: Vec<bool> = system.actions.iter().map(|a| !a.internal).collect();
    actions.values().for_each(|a| seen[a.index()] = true);
    let slice = Slice::new(trace, |event| actions.contains_key(&event), false, budget)?;
    let partition = Partition::new(system, &Modules::One, budget)?;
    let mut product = Product::new(&partition, &seen, budget)?;
    // Where an order that is known puts each event: tried first.
    let mut rank = vec![0; trace.len()];
    for (place, event) in trace.observed().unwrap_or(trace.linearisation()).iter().enumerate() {
        rank[event.index()] = place;
    }
    let (steps, rank) = (actions.len(), &rank);
    let mut walk = Walk { slice: &slice, actions: &actions, rank, budget };
    let (pairs, outcome) = walk.search(system, &partition, &mut product, trace)?;
    Ok(Conformance { steps, left_out, pairs, outcome })
}

struct Walk<'a> {
    slice: &'a Slice,
    actions: &'a FxHashMap<EventId, ActionId>,
    rank: &'a [usize],
    budget: &'a Budget,
}

/// A pair on the way, with the places that are left to try.
struct Frame {
    cut: Vec<u32>,
    node: NodeId,
    rest: std::vec::IntoIter<u32>,
}

/// A cut that orders got to and not further.
struct Reached {
    cut: Vec<u32>,
    /// The meta-states that it was met with.
    nodes: Vec<NodeId>,
    /// The places of an order that got there.
    places: Vec<u32>,
}

/// The cuts that got furthest, in the order in which they were found, and where each of them is in that list.
#[derive(Default)]
struct Furthest {
    all: Vec<Reached>,
    at: FxHashMap<Vec<u32>, usize>,
}

impl Walk<'_> {
    fn event(&self, place: u32) -> EventId {
        self.slice.event(place).expect("there are no ticks")
    }

    /// What may come next after a cut, in the order that is known.
    fn next(&self, cut: &[u32]) -> Vec<u32> {
        let mut next: Vec<u32> = (0..cut.len())
            .filter(|&chain| cut[chain] < self.slice.len(chain))
            .map(|chain| self.slice.place(chain, cut[chain] + 1))
            .filter(|&place| {
                let (own, _) = self.slice.position(place);
                let clock = self.slice.clock(place);
                (0..cut.len()).all(|chain| chain == own || clock[chain] <= cut[chain])
            })
            .collect();
        next.sort_unstable_by_key(|&place| self.rank[self.event(place).index()]);
        next
    }

    fn search(
        &mut self,
        system: &System,
        partition: &Partition,
        product: &mut Product<'_>,
        trace: &Trace,
    ) -> Result<(u64, Outcome), Error> {
        let mut claim = self.budget.claim(0, WHAT)?;
        let mut seen: FxHashSet<(Vec<u32>, NodeId)> = FxHashSet::default();
        let mut furthest = Furthest::default();
        let mut noted = self.budget.claim(0, WHAT)?;
        let (mut most, mut noted_bytes) = (0, 0);
        let empty = vec![0; self.slice.width()];
        let start = product.start()?;
        // Met with many cuts, a meta-state is asked for its arcs once.
        let mut leaving: FxHashMap<NodeId, Vec<Arc>> = FxHashMap::default();
        let mut arcs: Vec<Arc> = Vec::new();
        let mut taken: Vec<u32> = Vec::new();
        let mut path = vec![Frame { rest: self.next(&empty).into_iter(), cut: empty.clone(), node: start }];
        seen.insert((empty, start));
        while let Some(frame) = path.last_mut() {
            if taken.len() == self.actions.len() {
                let order = self.slice.complete(trace, &taken);
                let run = expand::run(system, partition, product, &Path { prefix: arcs, end: Ending::Open })?;
                return Ok((seen.len() as u64, Outcome::Follows { order, run }));
            }
            let Some(place) = frame.rest.next() else {
                // Noted on the way back, so that a long way forward is written down once.
                if taken.len() > most {
                    (most, noted_bytes) = (taken.len(), 0);
                    furthest = Furthest::default();
                }
                if taken.len() == most {
                    let next = furthest.all.len();
                    let at = *furthest.at.entry(frame.cut.clone()).or_insert(next);
                    if at == next {
                        noted_bytes += 4 * (2 * frame.cut.len() + taken.len()) as u64 + 256;
                        let (cut, places) = (frame.cut.clone(), taken.clone());
                        furthest.all.push(Reached { cut, nodes: Vec::new(), places });
                    }
                    furthest.all[at].nodes.push(frame.node);
                    noted_bytes += 8;
                    noted.grow_to(noted_bytes, WHAT)?;
                }
                path.pop();
                arcs.pop();
                taken.pop();
                continue;
            };
            self.budget.step(1, WHAT)?;
            let action = self.actions[&self.event(place)];
            let from = match leaving.entry(frame.node) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(product.arcs(frame.node)?),
            };
            let Ok(at) = from.binary_search_by_key(&action, |a| a.action) else { continue };
            let arc = from[at];
            let mut cut = frame.cut.clone();
            cut[self.slice.position(place).0] += 1;
            if seen.len() == seen.capacity() {
                claim.grow_to(2 * (4 * cut.len() as u64 + 64) * (seen.len() as u64 + 16), WHAT)?;
            }
            if !seen.insert((cut.clone(), arc.to)) {
                continue;
            }
            taken.push(place);
            arcs.push(arc);
            path.push(Frame { rest: self.next(&cut).into_iter(), cut, node: arc.to });
        }
        let mut frontiers = Vec::new();
        for Reached { cut, nodes, places } in furthest.all {
            let mut refused = Vec::new();
            for place in self.next(&cut) {
                let event = self.event(place);
                refused.push(refusal(system, product, &nodes, event, self.actions[&event])?);
            }
            frontiers.push(Frontier { taken: places.iter().map(|&p| self.event(p)).collect(), refused });
        }
        Ok((seen.len() as u64, Outcome::Strays(frontiers)))
    }
}

/// Who cannot take part in an action in any state of some meta-states.
fn refusal(
    system: &System,
    product: &mut Product<'_>,
    nodes: &[NodeId],
    event: EventId,
    action: ActionId,
) -> Result<Refusal, Error> {
    let metas: Vec<MetaId> = nodes.iter().map(|&node| product.tuple(node)[0]).collect();
    let module = &mut product.modules[0];
    let mut set = module.space.diagrams.empty();
    for meta in metas {
        let more = module.set(meta);
        set = module.space.diagrams.union(set, more)?;
    }
    let (mut by, mut at) = (Vec::new(), Vec::new());
    let slots = Slots::new(system);
    for &component in &system.action(action).parts {
        if !module.space.can_take_part(set, &slots, component, action)? {
            by.push(component);
            at.push(match system.component(component).behaviour {
                Behaviour::Lts(_) => states_of(&mut module.space, set, slots.of(component).start as u32)?,
                Behaviour::Net(_) => None,
            });
        }
    }
    Ok(Refusal { event, action, by, at })
}

/// What a slot is in a set of states, ascending, if that is few numbers.
fn states_of(space: &mut Space<'_>, set: Set, slot: u32) -> Result<Option<Vec<u32>>, Error> {
    let (mut left, mut states) = (set, Vec::new());
    while let Some(state) = space.pick(left) {
        if states.len() == FEW_STATES {
            return Ok(None);
        }
        let number = state[slot as usize];
        states.push(number);
        left = space.satisfying(left, &Predicate::Linear(vec![(slot, 1)], Compare::Ne, i64::from(number)))?;
    }
    states.sort_unstable();
    Ok(Some(states))
}
