//! The states of a system, or of one of its modules, as decision diagrams.
//!
//! One layer per slot, so a transition system has one layer with the number of its state, and a net one per place. The layers are ordered by
//! what takes part in the same actions. An action becomes one event for each way in which the nets can do it; the arcs of transition
//! systems are pairs within an event.
//!
//! How many tokens there can be is not known beforehand. Each layer of a net begins with a small largest number, and where a step leads
//! past it, the system is searched for a run that proves it unbounded ([`super::bounds`]); if there is none in sight, the number is
//! raised.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::bounds;
use posetta_base::{ActionId, Budget, ComponentId, Error, OverBudget};
use posetta_dd::idd::{Change, Closing, Diagrams, Event, Set};
use posetta_dd::order;
use posetta_model::system::{Behaviour, MOST_TOKENS, Predicate, Slots, System};

/// Tokens in one place before anybody asks whether there is a bound.
const FEW_TOKENS: u32 = 255;

/// One way in which an action can take place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    pub(crate) action: ActionId,
    pub(crate) event: Event,
    pub(crate) back: Event,
}

/// A system in diagrams. Actions in which none of its components take part are not its own.
pub(crate) struct Space<'s> {
    pub(crate) system: &'s System,
    pub(super) budget: &'s Budget,
    pub(crate) diagrams: Diagrams,
    /// The layer of each slot.
    layer_of: Vec<usize>,
    /// The slot of each layer.
    slot_of: Vec<u32>,
    /// By action.
    pub(crate) ways: Vec<Way>,
    pub(crate) initial: Set,
    /// All events backwards, once somebody has asked.
    back_closing: Option<Closing>,
    /// The events of some actions, by these, once somebody has asked who refuses them.
    refused: FxHashMap<Vec<ActionId>, Closing>,
}

impl<'s> Space<'s> {
    pub(crate) fn new(system: &'s System, budget: &'s Budget) -> Result<Self, Error> {
        let slots = Slots::new(system);
        let mut events: Vec<(ActionId, BTreeMap<usize, Change>)> = Vec::new();
        let pairs = pairs_of(system);
        for action in system.action_ids() {
            let ways = ways_of(system, &slots, &pairs, action, budget)?;
            events.extend(ways.into_iter().map(|way| (action, way)));
        }
        let clauses: Vec<Vec<usize>> = events.iter().map(|(_, changes)| changes.keys().copied().collect()).collect();
        let order = order::arranged(slots.count(), &clauses);
        let mut layer_of = vec![0; slots.count()];
        for (layer, &slot) in order.iter().enumerate() {
            layer_of[slot] = layer;
        }
        let initial = system.initial();
        let mut largest = vec![0; slots.count()];
        for component in system.component_ids() {
            for slot in slots.of(component) {
                largest[layer_of[slot]] = match &system.component(component).behaviour {
                    Behaviour::Lts(lts) => lts.states.len() as u32 - 1,
                    Behaviour::Net(_) => initial[slot].saturating_mul(2).clamp(FEW_TOKENS, MOST_TOKENS),
                };
            }
        }
        let mut diagrams = Diagrams::new(&largest, budget)?;
        let ways = events
            .into_iter()
            .map(|(action, changes)| {
                let changes = changes.into_iter().map(|(slot, change)| (layer_of[slot], change)).collect();
                let event = diagrams.event(&changes);
                Way { action, event, back: diagrams.inverse(event) }
            })
            .collect();
        let slot_of = order.iter().map(|&slot| slot as u32).collect();
        let empty = diagrams.empty();
        let (back_closing, refused) = (None, FxHashMap::default());
        let mut space =
            Self { system, budget, diagrams, layer_of, slot_of, ways, initial: empty, back_closing, refused };
        space.initial = space.one(&initial)?;
        Ok(space)
    }

    /// The set of one state.
    pub(crate) fn one(&mut self, state: &[u32]) -> Result<Set, OverBudget> {
        let sides: Vec<(u32, u32)> =
            self.slot_of.iter().map(|&slot| (state[slot as usize], state[slot as usize])).collect();
        self.diagrams.box_of(&sides)
    }

    /// Some state of a set: always the same one. `None` if it is empty.
    pub(crate) fn pick(&self, set: Set) -> Option<Vec<u32>> {
        let tuple = self.diagrams.first(set)?;
        Some(self.layer_of.iter().map(|&layer| tuple[layer]).collect())
    }

    /// Whether a state is in a set.
    pub(crate) fn contains(&self, set: Set, state: &[u32]) -> bool {
        let tuple: Vec<u32> = self.slot_of.iter().map(|&slot| state[slot as usize]).collect();
        self.diagrams.contains(set, &tuple)
    }

    /// Events that sets can be closed under: those of some actions.
    pub(crate) fn closing(&mut self, of: impl Fn(ActionId) -> bool) -> Closing {
        let events: Vec<Event> = self.ways.iter().filter(|w| of(w.action)).map(|w| w.event).collect();
        self.diagrams.closing(&events)
    }

    /// An operation that may lead to more tokens than there is room for; then there is more room, or no bound.
    fn roomy(&mut self, mut operation: impl FnMut(&mut Diagrams) -> Result<Set, OverBudget>) -> Result<Set, Error> {
        loop {
            match operation(&mut self.diagrams) {
                Ok(set) => return Ok(set),
                Err(over) => {
                    let Some(layer) = self.diagrams.take_overflow() else { return Err(over.into()) };
                    let largest = self.diagrams.largest(layer);
                    bounds::outgrown(self.system, self.slot_of[layer], largest, self.budget)?;
                    self.diagrams.raise(layer, largest.saturating_mul(16).min(MOST_TOKENS));
                }
            }
        }
    }

    /// A set with all that can be reached from it by the events of a closing.
    pub(crate) fn close(&mut self, set: Set, closing: Closing) -> Result<Set, Error> {
        self.roomy(|diagrams| diagrams.close(set, closing))
    }

    /// The states that one way leads to.
    pub(crate) fn fire(&mut self, set: Set, way: Way) -> Result<Set, Error> {
        self.roomy(|diagrams| diagrams.fire(set, way.event))
    }

    /// The ways, those that change the last layers first: what they lead to changes no node above.
    pub(crate) fn deepest_first(&self) -> Vec<Way> {
        let mut ways = self.ways.clone();
        ways.sort_by_key(|w| std::cmp::Reverse(self.diagrams.first_layer(w.event)));
        ways
    }

    /// The states that an action leads to.
    pub(crate) fn after(&mut self, set: Set, action: ActionId) -> Result<Set, Error> {
        let mut all = self.diagrams.empty();
        for way in self.ways_by(action) {
            let fired = self.fire(set, way)?;
            all = self.diagrams.union(all, fired)?;
        }
        Ok(all)
    }

    /// The states of `within` from which an action leads into a set.
    pub(crate) fn before(&mut self, set: Set, action: ActionId, within: Set) -> Result<Set, OverBudget> {
        let mut all = self.diagrams.empty();
        for way in self.ways_by(action) {
            let fired = self.diagrams.fire(set, way.back)?;
            all = self.diagrams.union(all, fired)?;
        }
        self.diagrams.intersection(all, within)
    }

    /// The states of a set in which an action can take place.
    pub(crate) fn enabled(&mut self, set: Set, action: ActionId) -> Result<Set, OverBudget> {
        let mut all = self.diagrams.empty();
        for way in self.ways_by(action) {
            let enabled = self.diagrams.enabled(set, way.event)?;
            all = self.diagrams.union(all, enabled)?;
        }
        Ok(all)
    }

    /// The states of a set in which all of some components could take part in an action, whatever others can.
    pub(crate) fn able(
        &mut self,
        set: Set,
        slots: &Slots,
        components: &[ComponentId],
        action: ActionId,
    ) -> Result<Set, OverBudget> {
        let pairs = pairs_of_some(self.system, components);
        let mut left = set;
        for &component in components {
            let mut able = self.diagrams.empty();
            for changes in changes_of(self.system, slots, &pairs, component, action) {
                let changes = changes.into_iter().map(|(slot, change)| (self.layer_of[slot], change)).collect();
                let event = self.diagrams.event(&changes);
                let enabled = self.diagrams.enabled(left, event)?;
                able = self.diagrams.union(able, enabled)?;
            }
            left = able;
        }
        Ok(left)
    }

    /// Whether in some state of a set a component could take part in an action, whatever the others can.
    pub(crate) fn can_take_part(
        &mut self,
        set: Set,
        slots: &Slots,
        component: ComponentId,
        action: ActionId,
    ) -> Result<bool, OverBudget> {
        let pairs = pairs_of(self.system);
        for changes in changes_of(self.system, slots, &pairs, component, action) {
            let changes = changes.into_iter().map(|(slot, change)| (self.layer_of[slot], change)).collect();
            let event = self.diagrams.event(&changes);
            let enabled = self.diagrams.enabled(set, event)?;
            if !self.diagrams.is_empty(enabled) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn ways_by(&self, action: ActionId) -> Vec<Way> {
        let first = self.ways.partition_point(|w| w.action < action);
        self.ways[first..].iter().take_while(|w| w.action == action).copied().collect()
    }

    /// The actions that have a way to take place.
    pub(crate) fn actions(&self) -> Vec<ActionId> {
        let mut actions: Vec<ActionId> = self.ways.iter().map(|w| w.action).collect();
        actions.dedup();
        actions
    }

    /// The states of a set in which none of some actions can take place.
    pub(crate) fn refusing(&mut self, set: Set, actions: impl Iterator<Item = ActionId>) -> Result<Set, OverBudget> {
        let actions: Vec<ActionId> = actions.collect();
        let events: Vec<Event> = actions.iter().flat_map(|&a| self.ways_by(a)).map(|way| way.event).collect();
        // What changes nothing can always take place.
        if events.iter().any(|&event| self.diagrams.first_layer(event).is_none()) {
            return Ok(self.diagrams.empty());
        }
        let diagrams = &mut self.diagrams;
        let closing = *self.refused.entry(actions).or_insert_with(|| diagrams.closing(&events));
        self.diagrams.refusing(set, closing)
    }

    /// The states of a set that some action of a kind leads to the set `to` from.
    pub(crate) fn before_any(
        &mut self,
        to: Set,
        within: Set,
        of: &dyn Fn(ActionId) -> bool,
    ) -> Result<Set, OverBudget> {
        let mut all = self.diagrams.empty();
        for i in 0..self.ways.len() {
            let way = self.ways[i];
            if of(way.action) {
                let fired = self.diagrams.fire(to, way.back)?;
                let fired = self.diagrams.intersection(fired, within)?;
                all = self.diagrams.union(all, fired)?;
            }
        }
        Ok(all)
    }

    /// The states of `reached`, which holds whatever can be reached from it, from which a path leads to `goal`. Where there are only transition
    /// systems, by saturation: what is outside of `reached` and leads there does no harm, and sets stay regular. Tokens have no such bound
    /// backwards.
    pub(crate) fn leading(&mut self, reached: Set, goal: Set) -> Result<Set, OverBudget> {
        if self.system.components.iter().any(|c| matches!(c.behaviour, Behaviour::Net(_))) {
            return self.backwards(reached, goal);
        }
        let closing = match self.back_closing {
            Some(closing) => closing,
            None => {
                let events: Vec<Event> = self.ways.iter().map(|w| w.back).collect();
                *self.back_closing.insert(self.diagrams.closing(&events))
            }
        };
        let all = self.diagrams.close(goal, closing)?;
        self.diagrams.intersection(all, reached)
    }

    /// The states from which a path inside `within` leads to `goal`, whose states count as well. Action by action, which comes to
    /// an end sooner than breadth first.
    pub(crate) fn backwards(&mut self, within: Set, goal: Set) -> Result<Set, OverBudget> {
        let mut all = goal;
        let ways = self.deepest_first();
        let (mut at, mut idle) = (0, 0);
        while idle < ways.len() {
            let (before, mut new) = (all, all);
            while !self.diagrams.is_empty(new) {
                let fired = self.diagrams.fire(new, ways[at].back)?;
                let fired = self.diagrams.intersection(fired, within)?;
                new = self.diagrams.difference(fired, all)?;
                all = self.diagrams.union(all, new)?;
            }
            idle = if all == before { idle + 1 } else { 1 };
            at = (at + 1) % ways.len();
        }
        Ok(all)
    }

    /// The states of a set that satisfy a predicate.
    pub(crate) fn satisfying(&mut self, set: Set, predicate: &Predicate) -> Result<Set, OverBudget> {
        match predicate {
            Predicate::Constant(value) => Ok(if *value { set } else { self.diagrams.empty() }),
            Predicate::Linear(terms, op, bound) => {
                let mut factors = vec![0; self.slot_of.len()];
                for &(slot, factor) in terms {
                    factors[self.layer_of[slot as usize]] = factor;
                }
                let (op, bound) = (*op, i128::from(*bound));
                self.diagrams.select(set, &factors, &|sum| op.holds(&sum, &bound))
            }
            Predicate::Enabled(actions) => {
                let refusing = self.refusing(set, actions.iter().copied())?;
                self.diagrams.difference(set, refusing)
            }
            Predicate::Dead => {
                let actions = self.actions();
                self.refusing(set, actions.into_iter())
            }
            Predicate::Not(p) => {
                let yes = self.satisfying(set, p)?;
                self.diagrams.difference(set, yes)
            }
            Predicate::And(parts) => parts.iter().try_fold(set, |left, p| self.satisfying(left, p)),
            Predicate::Or(parts) => {
                let mut left = set;
                for p in parts {
                    let yes = self.satisfying(left, p)?;
                    left = self.diagrams.difference(left, yes)?;
                }
                self.diagrams.difference(set, left)
            }
        }
    }

    /// The largest sum of some slots in a set.
    pub(crate) fn largest_sum(&mut self, set: Set, slots: &[u32]) -> Result<u64, OverBudget> {
        let mut counted = vec![false; self.slot_of.len()];
        slots.iter().for_each(|&slot| counted[self.layer_of[slot as usize]] = true);
        Ok(self.diagrams.largest_sum(set, &counted)?.unwrap_or(0))
    }

    /// Forgets all sets but these and the initial one, if there are many.
    pub(crate) fn tidy(&mut self, roots: impl Iterator<Item = Set>) {
        if self.diagrams.is_crowded() {
            let roots: Vec<Set> = roots.chain([self.initial]).collect();
            self.diagrams.collect(&roots);
        }
    }
}

/// The ways in which an action can take place, as changes of slots: one for each choice among the transitions of nets.
pub(super) fn ways_of(
    system: &System,
    slots: &Slots,
    pairs: &Pairs,
    action: ActionId,
    budget: &Budget,
) -> Result<Vec<BTreeMap<usize, Change>>, Error> {
    let parts = &system.action(action).parts;
    if parts.is_empty() {
        return Ok(Vec::new());
    }
    let mut ways: Vec<BTreeMap<usize, Change>> = vec![BTreeMap::new()];
    for &component in parts {
        let choices = changes_of(system, slots, pairs, component, action);
        let mut more = Vec::with_capacity(ways.len() * choices.len());
        for way in &ways {
            for choice in &choices {
                budget.step(1, "making events of the actions of a system")?;
                let mut way = way.clone();
                way.extend(choice.iter().map(|(slot, change)| (*slot, change.clone())));
                more.push(way);
            }
        }
        ways = more;
    }
    Ok(ways)
}

/// For each component that is a transition system, its arcs by action: from where, to where.
pub(super) type Pairs = Vec<FxHashMap<ActionId, Vec<(u32, u32)>>>;

pub(super) fn pairs_of(system: &System) -> Pairs {
    pairs_of_some(system, &system.component_ids().collect::<Vec<_>>())
}

/// The same; components that are not asked for have none.
fn pairs_of_some(system: &System, components: &[ComponentId]) -> Pairs {
    let mut all = vec![FxHashMap::default(); system.components.len()];
    for &component in components {
        let pairs: &mut FxHashMap<ActionId, Vec<(u32, u32)>> = &mut all[component.index()];
        if let Behaviour::Lts(lts) = &system.component(component).behaviour {
            // Arcs are ordered by where they come from, so the pairs of an action ascend.
            lts.arcs.iter().for_each(|arc| pairs.entry(arc.action).or_default().push((arc.from, arc.to)));
        }
    }
    all
}

/// What a component can do when an action takes place: none, if it never can.
fn changes_of(
    system: &System,
    slots: &Slots,
    pairs: &Pairs,
    component: ComponentId,
    action: ActionId,
) -> Vec<BTreeMap<usize, Change>> {
    let first = slots.of(component).start;
    match &system.component(component).behaviour {
        Behaviour::Lts(_) => {
            let pairs = pairs[component.index()].get(&action);
            pairs.map(|pairs| BTreeMap::from([(first, Change::Pairs(pairs.clone()))])).into_iter().collect()
        }
        Behaviour::Net(net) => net
            .doing(action)
            .map(|i| {
                let transition = &net.transitions[i];
                let mut changes: BTreeMap<usize, (u32, u32)> = BTreeMap::new();
                for &(place, count) in &transition.takes {
                    changes.entry(first + place as usize).or_default().0 += count;
                }
                for &(place, count) in &transition.puts {
                    changes.entry(first + place as usize).or_default().1 += count;
                }
                changes.into_iter().map(|(slot, (takes, puts))| (slot, Change::Tokens { takes, puts })).collect()
            })
            .collect(),
    }
}
