//! The steps of a system, explicitly.

use super::{Behaviour, MOST_TOKENS, Net, System};
use posetta_base::{ActionId, ComponentId};

/// Where the components of a system have their numbers in a global state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slots {
    /// The first slot of each component, and at the end their number.
    starts: Vec<u32>,
}

impl Slots {
    /// The slots of a system.
    #[must_use]
    pub fn new(system: &System) -> Self {
        let mut starts = vec![0];
        let mut next = 0;
        for component in &system.components {
            next += match &component.behaviour {
                Behaviour::Lts(_) => 1,
                Behaviour::Net(net) => net.places.len() as u32,
            };
            starts.push(next);
        }
        Self { starts }
    }

    /// How many slots there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.starts[self.starts.len() - 1] as usize
    }

    /// The slots of a component.
    #[must_use]
    pub fn of(&self, component: ComponentId) -> std::ops::Range<usize> {
        self.starts[component.index()] as usize..self.starts[component.index() + 1] as usize
    }

    /// The component that a slot belongs to.
    #[must_use]
    pub(crate) fn owner(&self, slot: u32) -> Option<ComponentId> {
        ComponentId::new(self.starts.partition_point(|&start| start <= slot).checked_sub(1)?)
    }
}

/// What one component does in a step: the place of an arc or of a transition in its list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Local(pub u32);

/// A step: an action, and what each component that takes part does, in the order of [`super::Action::parts`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move {
    /// What happens.
    pub action: ActionId,
    /// How.
    pub locals: Vec<Local>,
}

impl Net {
    /// The transitions with an action, by their places.
    pub fn doing(&self, action: ActionId) -> std::ops::Range<usize> {
        let first = self.transitions.partition_point(|t| t.action < action);
        let count = self.transitions[first..].iter().take_while(|t| t.action == action).count();
        first..first + count
    }
}

impl System {
    /// The state at the start.
    #[must_use]
    pub fn initial(&self) -> Vec<u32> {
        let mut state = Vec::new();
        for component in &self.components {
            match &component.behaviour {
                Behaviour::Lts(lts) => state.push(lts.initial),
                Behaviour::Net(net) => state.extend(net.places.iter().map(|p| p.initial)),
            }
        }
        state
    }

    /// What a component can do by itself when an action is asked of it; `own` are its slots.
    pub fn locals(&self, component: ComponentId, own: &[u32], action: ActionId) -> Vec<Local> {
        match &self.component(component).behaviour {
            Behaviour::Lts(lts) => {
                let key = (own[0], action);
                let first = lts.arcs.partition_point(|a| (a.from, a.action) < key);
                let rest = lts.arcs[first..].iter().take_while(|a| (a.from, a.action) == key);
                (first..first + rest.count()).map(|i| Local(i as u32)).collect()
            }
            Behaviour::Net(net) => {
                let can =
                    |i: &usize| net.transitions[*i].takes.iter().all(|&(place, count)| own[place as usize] >= count);
                net.doing(action).filter(can).map(|i| Local(i as u32)).collect()
            }
        }
    }

    /// Does what a component does; `own` are its slots. `None` if it cannot, or if a place would have more than [`MOST_TOKENS`].
    #[must_use]
    pub fn apply(&self, component: ComponentId, own: &mut [u32], local: Local) -> Option<ActionId> {
        match &self.component(component).behaviour {
            Behaviour::Lts(lts) => {
                let arc = lts.arcs.get(local.0 as usize)?;
                (arc.from == own[0]).then(|| {
                    own[0] = arc.to;
                    arc.action
                })
            }
            Behaviour::Net(net) => {
                let transition = net.transitions.get(local.0 as usize)?;
                for &(place, count) in &transition.takes {
                    own[place as usize] = own[place as usize].checked_sub(count)?;
                }
                for &(place, count) in &transition.puts {
                    own[place as usize] = own[place as usize].checked_add(count).filter(|&n| n <= MOST_TOKENS)?;
                }
                Some(transition.action)
            }
        }
    }

    /// What a slot is called: a component, or a place, with its component in front if there are several.
    #[must_use]
    pub fn slot_name(&self, slot: u32) -> String {
        let slots = Slots::new(self);
        let Some(owner) = slots.owner(slot) else { return slot.to_string() };
        let component = self.component(owner);
        match &component.behaviour {
            Behaviour::Lts(_) => component.name.to_string(),
            Behaviour::Net(net) => {
                let place = &net.places[slot as usize - slots.of(owner).start].name;
                if self.components.len() == 1 { place.to_string() } else { format!("{}.{place}", component.name) }
            }
        }
    }

    /// The step that leads from one state to another by an action, if there is one.
    #[must_use]
    pub fn step_between(&self, slots: &Slots, from: &[u32], action: ActionId, to: &[u32]) -> Option<Move> {
        let parts = &self.action(action).parts;
        let mut locals = Vec::with_capacity(parts.len());
        for &component in parts {
            let own = slots.of(component);
            let leads = |local: &Local| {
                let mut next = from[own.clone()].to_vec();
                self.apply(component, &mut next, *local).is_some() && next == to[own.clone()]
            };
            locals.push(self.locals(component, &from[own.clone()], action).into_iter().find(leads)?);
        }
        Some(Move { action, locals })
    }

    /// Whether an action can take place.
    #[must_use]
    pub fn is_enabled(&self, state: &[u32], action: ActionId) -> bool {
        self.is_any_enabled(state, std::iter::once(action))
    }

    /// Whether one of some actions can take place.
    pub(super) fn is_any_enabled(&self, state: &[u32], mut actions: impl Iterator<Item = ActionId>) -> bool {
        let slots = Slots::new(self);
        let is_enabled = |action: ActionId| {
            let parts = &self.action(action).parts;
            !parts.is_empty() && parts.iter().all(|&c| !self.locals(c, &state[slots.of(c)], action).is_empty())
        };
        actions.any(is_enabled)
    }

    /// Whether no action can take place.
    #[must_use]
    pub fn is_dead(&self, state: &[u32]) -> bool {
        !self.is_any_enabled(state, self.action_ids())
    }

    /// All steps from a state, by action and then by what the components do. `None` in place of the next state: a place would have more
    /// than [`MOST_TOKENS`].
    #[must_use]
    pub fn moves(&self, slots: &Slots, state: &[u32]) -> Vec<(Move, Option<Vec<u32>>)> {
        let mut moves = Vec::new();
        for action in self.action_ids() {
            let parts = &self.action(action).parts;
            let mut choices: Vec<Vec<Local>> = Vec::new();
            for &component in parts {
                let locals = self.locals(component, &state[slots.of(component)], action);
                if locals.is_empty() {
                    break;
                }
                choices.push(locals);
            }
            if parts.is_empty() || choices.len() < parts.len() {
                continue;
            }
            let mut chosen = vec![0; choices.len()];
            loop {
                let locals: Vec<Local> = choices.iter().zip(&chosen).map(|(all, &i)| all[i]).collect();
                let mut next = Some(state.to_vec());
                for (&component, &local) in parts.iter().zip(&locals) {
                    next = next.and_then(|mut next| {
                        self.apply(component, &mut next[slots.of(component)], local)?;
                        Some(next)
                    });
                }
                moves.push((Move { action, locals }, next));
                // The next combination, the last component's choice changing fastest.
                let Some(place) = (0..chosen.len()).rev().find(|&i| chosen[i] + 1 < choices[i].len()) else { break };
                chosen[place] += 1;
                chosen[place + 1..].fill(0);
            }
        }
        moves
    }
}
