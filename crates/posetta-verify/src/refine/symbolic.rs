//! Inclusion of traces by sets of states, where a trace determines what the specification can do.
//!
//! Precondition: the specification has no [`Obstacle`](super::confluent::Obstacle): each of its actions leads to one state at most, and all its
//! internal actions are eager. Then ([`super::confluent`]) the states that it can be in after a trace have the same future, so that one of them
//! is as good as all, and the subset construction is not needed:
//!
//! > the implementation has a trace that the specification lacks iff side by side they reach a state (p, s) in which p can do an observable action a
//! > and s can do it neither at once nor after internal actions.
//!
//! *If*: let w be the trace to (p, s). If the specification had the trace w a, some state after w could do a, and s, which has the same future, could do
//! it after internal actions. *Only if*: let w a be a shortest lacking trace. Both have w; let p be a state after w that can do a, and s any
//! state of the specification after w. The two runs can be done side by side, so (p, s) is reached, and if s could do a later on, w a would
//! not be lacking.
//!
//! If no run of the specification goes on forever silently, it is enough to look at states s in which no internal action can take place, because
//! each s leads to such a state, and only a that can take place there can take place at all. That needs one look at each action. Otherwise the states that
//! can do a later on are found backwards.
//!
//! Side by side ([`super::product`]) the two are one system, whose states [`Space`] finds by saturation. Where there is a bad one, the states are found
//! again by layers, all that k observable actions lead to, and the run is read backwards from a bad state of the first layer that has one.

use dashu_int::UBig;

use super::WHAT;
use super::product::Product;
use crate::system::space::Space;
use posetta_base::{ActionId, Budget, Error, OverBudget};
use posetta_dd::idd::Set;
use posetta_model::system::{Move, Slots};

/// A step of both side by side: what happens, and the state after it.
pub(super) type Step = (ActionId, Vec<u32>);

/// What was found.
pub(super) struct Found {
    /// The steps to a bad state, and what is lacking there.
    pub(super) lacking: Option<(Vec<Step>, ActionId)>,
    /// How many states the two reach side by side.
    pub(super) states: UBig,
    /// The nodes of the diagram of these.
    pub(super) diagram_nodes: u64,
}

/// Decides, for a specification without obstacle. `terminates` says that it does not go on forever silently.
pub(super) fn decide(product: &Product, terminates: bool, budget: &Budget) -> Result<Found, Error> {
    let mut search =
        Search { product, slots: Slots::new(&product.system), space: Space::new(&product.system, budget)? };
    let closing = search.space.closing(|_| true);
    let initial = search.space.initial;
    let reached = search.space.close(initial, closing)?;
    let states = search.space.diagrams.count(reached)?;
    let diagram_nodes = search.space.diagrams.nodes(reached) as u64;
    let bad = search.bad(reached, terminates)?;
    let lacking = if bad.is_empty() { None } else { Some(search.run_to(&bad, budget)?) };
    Ok(Found { lacking, states, diagram_nodes })
}

struct Search<'a> {
    product: &'a Product,
    slots: Slots,
    space: Space<'a>,
}

/// Consecutive states that are reached by equally many observable actions.
struct Layer {
    /// Those that an observable action leads to, or the initial one.
    entry: Set,
    /// All, closed under internal actions.
    all: Set,
}

impl Search<'_> {
    fn is_internal(&self, action: ActionId) -> bool {
        self.product.system.action(action).internal
    }

    fn observable(&self) -> Vec<ActionId> {
        let system = &self.product.system;
        system.action_ids().filter(|&a| !system.action(a).internal).collect()
    }

    /// By action: the states in which the implementation can do what the specification lacks, where there are any.
    fn bad(&mut self, reached: Set, terminates: bool) -> Result<Vec<(ActionId, Set)>, OverBudget> {
        let mut bad = Vec::new();
        let candidates = match terminates {
            false => reached,
            true => {
                let own: Vec<ActionId> = self.space.actions();
                let own = own.into_iter().filter(|&a| self.product.is_of_specification(a));
                self.space.refusing(reached, own)?
            }
        };
        for action in self.observable() {
            let [ours, theirs] = [true, false].map(|side| self.product.parts(action, side));
            let offered = self.space.able(candidates, &self.slots, &ours, action)?;
            let allowed = match terminates {
                true => self.space.able(offered, &self.slots, &theirs, action)?,
                false => {
                    let now = self.space.able(reached, &self.slots, &theirs, action)?;
                    self.later(reached, now)?
                }
            };
            let lacking = self.space.diagrams.difference(offered, allowed)?;
            if !self.space.diagrams.is_empty(lacking) {
                bad.push((action, lacking));
            }
        }
        Ok(bad)
    }

    /// The reached states from which the specification gets to others silently.
    fn later(&mut self, reached: Set, goal: Set) -> Result<Set, OverBudget> {
        let (mut all, mut new) = (goal, goal);
        while !self.space.diagrams.is_empty(new) {
            let product = self.product;
            let before = self.space.before_any(new, reached, &|a| product.is_of_specification(a))?;
            new = self.space.diagrams.difference(before, all)?;
            all = self.space.diagrams.union(all, new)?;
        }
        Ok(all)
    }

    /// A run of both with fewest observable actions to a bad state, and what is lacking there.
    fn run_to(&mut self, bad: &[(ActionId, Set)], budget: &Budget) -> Result<(Vec<Step>, ActionId), Error> {
        let (layers, action, end) = self.layers(bad, budget)?;
        let mut steps = Vec::new();
        let mut at = end;
        for (place, layer) in layers.iter().enumerate().rev() {
            let (first, silent) = self.silently(layer, at, budget)?;
            steps.extend(silent.into_iter().rev());
            let Some(before) = place.checked_sub(1) else { break };
            let only = self.space.one(&first)?;
            let mut came = None;
            for action in self.observable() {
                let before = self.space.before(only, action, layers[before].all)?;
                if let Some(state) = self.space.pick(before) {
                    came = Some((action, state));
                    break;
                }
            }
            let (action, state) = came.expect("an entry is entered from the layer before");
            steps.push((action, first));
            at = state;
        }
        steps.reverse();
        Ok((steps, action))
    }

    /// The layers up to the first with a bad state, that state, and what is lacking there.
    fn layers(&mut self, bad: &[(ActionId, Set)], budget: &Budget) -> Result<(Vec<Layer>, ActionId, Vec<u32>), Error> {
        let system = &self.product.system;
        let silent = self.space.closing(|a| system.action(a).internal);
        let entry = self.space.initial;
        let mut all = self.space.close(entry, silent)?;
        let mut seen = all;
        let mut layers = vec![Layer { entry, all }];
        loop {
            budget.step(1, WHAT)?;
            for &(action, set) in bad {
                let hit = self.space.diagrams.intersection(all, set)?;
                if let Some(state) = self.space.pick(hit) {
                    return Ok((layers, action, state));
                }
            }
            let mut entry = self.space.diagrams.empty();
            for action in self.observable() {
                let after = self.space.after(all, action)?;
                entry = self.space.diagrams.union(entry, after)?;
            }
            let entry = self.space.diagrams.difference(entry, seen)?;
            assert!(!self.space.diagrams.is_empty(entry), "a bad state is reached, so some layer has it");
            all = self.space.close(entry, silent)?;
            seen = self.space.diagrams.union(seen, all)?;
            layers.push(Layer { entry, all });
            let roots = layers.iter().flat_map(|l| [l.entry, l.all]).chain(bad.iter().map(|b| b.1)).chain([seen]);
            self.space.tidy(roots);
        }
    }

    /// Fewest internal actions from an entry of a layer to a state of it: the entry, and the steps.
    fn silently(&mut self, layer: &Layer, end: Vec<u32>, budget: &Budget) -> Result<(Vec<u32>, Vec<Step>), Error> {
        let mut rings = vec![self.space.one(&end)?];
        let mut met = rings[0];
        let first = loop {
            budget.step(1, WHAT)?;
            let last = rings[rings.len() - 1];
            let found = self.space.diagrams.intersection(last, layer.entry)?;
            if let Some(state) = self.space.pick(found) {
                break state;
            }
            let system = &self.product.system;
            let before = self.space.before_any(last, layer.all, &|a| system.action(a).internal)?;
            let ring = self.space.diagrams.difference(before, met)?;
            assert!(!self.space.diagrams.is_empty(ring), "a layer holds what its entries lead to");
            met = self.space.diagrams.union(met, ring)?;
            rings.push(ring);
        };
        rings.pop();
        let mut steps: Vec<Step> = Vec::new();
        for ring in rings.into_iter().rev() {
            let at = steps.last().map_or(&first, |(_, state)| state);
            let moves = self.product.system.moves(&self.slots, at);
            let silent = moves.into_iter().filter(|(step, _)| self.is_internal(step.action));
            let into = |(step, next): (Move, Option<Vec<u32>>)| {
                next.filter(|next| self.space.contains(ring, next)).map(|next| (step.action, next))
            };
            steps.push(silent.into_iter().find_map(into).expect("a ring is entered from the one before"));
        }
        Ok((first, steps))
    }
}
