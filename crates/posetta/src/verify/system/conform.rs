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

use rustc_hash::{FxHashMap, FxHashSet};

use super::Engine;
use super::expand;
use super::observed::{Arc, Ending, Observed as _, Path};
use super::product::{Partition, Product};
use crate::base::{ActionId, Budget, ComponentId, EventId, Failure};
use crate::model::system::{Run, Slots, System};
use crate::trace::{Slice, Trace};

const WHAT: &str = "following a run through a system";

/// What came of holding a run against a system.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// None does: the cuts that orders got to and not further, those with the most steps.
    Strays(Vec<Frontier>),
}

/// How far an order got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frontier {
    /// The steps so far, in an order that follows the system.
    pub taken: Vec<EventId>,
    /// What could have come next in the run, and who refused it. An order that got here went no further.
    pub refused: Vec<Refusal>,
}

/// A step that could not be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The event.
    pub event: EventId,
    /// What it stands for.
    pub action: ActionId,
    /// The components that take part in it and could not in any state that they may have been in. Empty: each could, but not all at once.
    pub by: Vec<ComponentId>,
}

/// The action that an event stands for.
#[must_use]
pub fn action_of(system: &System, trace: &Trace, event: EventId) -> Option<ActionId> {
    Names::new(system).action(trace, event)
}

struct Names<'a>(FxHashMap<&'a str, ActionId>);

impl<'a> Names<'a> {
    fn new(system: &'a System) -> Self {
        Self(system.action_ids().map(|a| (&*system.action(a).name, a)).collect())
    }

    fn action(&self, trace: &Trace, event: EventId) -> Option<ActionId> {
        let name = trace.event_name(event)?;
        let process = trace.process_name(trace.process(event));
        self.0.get(format!("{process}.{name}").as_str()).or_else(|| self.0.get(name)).copied()
    }
}

/// Holds a run against a system.
///
/// # Errors
/// When the system is not bounded or the budget is spent.
pub fn conform(system: &System, trace: &Trace, budget: &Budget) -> Result<Conformance, Failure> {
    let names = Names::new(system);
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
    let partition = Partition::new(system, Engine::Sog, budget)?;
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
    node: u32,
    rest: std::vec::IntoIter<u32>,
}

/// For a cut that got furthest the meta-states it was met with, and the places of an order that got there.
type Furthest = BTreeMap<Vec<u32>, (Vec<u32>, Vec<u32>)>;

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
    ) -> Result<(u64, Outcome), Failure> {
        let mut claim = self.budget.claim(0, WHAT)?;
        let mut seen: FxHashSet<(Vec<u32>, u32)> = FxHashSet::default();
        let mut furthest: Furthest = BTreeMap::new();
        let mut most = 0;
        let empty = vec![0; self.slice.width()];
        let start = product.start()?;
        let mut arcs: Vec<Arc> = Vec::new();
        let mut taken: Vec<u32> = Vec::new();
        let mut path = vec![Frame { rest: self.next(&empty).into_iter(), cut: empty.clone(), node: start }];
        seen.insert((empty.clone(), start));
        furthest.insert(empty, (vec![start], Vec::new()));
        while let Some(frame) = path.last_mut() {
            if taken.len() == self.actions.len() {
                let order = self.slice.complete(trace, &taken);
                let run = expand::run(system, partition, product, &Path { prefix: arcs, end: Ending::Open })?;
                return Ok((seen.len() as u64, Outcome::Follows { order, run }));
            }
            let Some(place) = frame.rest.next() else {
                path.pop();
                arcs.pop();
                taken.pop();
                continue;
            };
            self.budget.step(1, WHAT)?;
            let action = self.actions[&self.event(place)];
            let Some(arc) = product.arcs(frame.node)?.into_iter().find(|a| a.action == action) else { continue };
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
            if taken.len() > most {
                most = taken.len();
                furthest.clear();
            }
            if taken.len() == most {
                furthest.entry(cut.clone()).or_insert_with(|| (Vec::new(), taken.clone())).0.push(arc.to);
            }
            path.push(Frame { rest: self.next(&cut).into_iter(), cut, node: arc.to });
        }
        let mut frontiers = Vec::new();
        for (cut, (nodes, places)) in furthest {
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
    nodes: &[u32],
    event: EventId,
    action: ActionId,
) -> Result<Refusal, Failure> {
    let mut by = Vec::new();
    let slots = Slots::new(system);
    for &component in &system.action(action).parts {
        let mut can = false;
        for &node in nodes {
            let meta = product.tuple(node)[0];
            let module = &mut product.modules[0];
            let set = module.set(meta);
            can |= module.space.can_take_part(set, &slots, component, action)?;
        }
        if !can {
            by.push(component);
        }
    }
    Ok(Refusal { event, action, by })
}
