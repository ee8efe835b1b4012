//! What the names in formulas stand for.

use rustc_hash::FxHashMap;

use super::{Behaviour, Slots, System};
use crate::problem::meant;
use posetta_base::{ActionId, ComponentId};

/// What the name of a place stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PlaceName {
    /// The slot of the only place that is called so.
    One(u32),
    /// Several nets have such a place: their full names.
    Several(Vec<String>),
}

/// The names of a system, to look up.
pub(crate) struct Names<'s> {
    pub(crate) system: &'s System,
    slots: Slots,
    actions: FxHashMap<&'s str, ActionId>,
    components: FxHashMap<&'s str, ComponentId>,
    places: FxHashMap<&'s str, Vec<(ComponentId, u32)>>,
}

impl<'s> Names<'s> {
    pub(crate) fn new(system: &'s System) -> Self {
        let slots = Slots::new(system);
        let actions = system.action_ids().map(|id| (&*system.action(id).name, id)).collect();
        let components = system.component_ids().map(|id| (&*system.component(id).name, id)).collect();
        let mut places: FxHashMap<&str, Vec<(ComponentId, u32)>> = FxHashMap::default();
        for id in system.component_ids() {
            if let Behaviour::Net(net) = &system.component(id).behaviour {
                for (place, slot) in net.places.iter().zip(slots.of(id)) {
                    places.entry(&place.name).or_default().push((id, slot as u32));
                }
            }
        }
        Self { system, slots, actions, components, places }
    }

    pub(crate) fn action(&self, name: &str) -> Option<ActionId> {
        self.actions.get(name).copied()
    }

    /// A component that is a transition system, its states and its slot.
    pub(crate) fn lts(&self, name: &str) -> Option<(&'s super::Lts, u32)> {
        let id = *self.components.get(name)?;
        match &self.system.component(id).behaviour {
            Behaviour::Lts(lts) => Some((lts, self.slots.of(id).start as u32)),
            Behaviour::Net(_) => None,
        }
    }

    /// What the component is called that a slot belongs to.
    pub(crate) fn owner_name(&self, slot: u32) -> &'s str {
        let system = self.system;
        self.slots.owner(slot).map_or("", |id| &system.component(id).name)
    }

    /// A place by its name, or by the names of its net and itself: `Net.p`.
    pub(crate) fn place(&self, name: &str) -> Option<PlaceName> {
        match self.places.get(name).map(Vec::as_slice) {
            Some([(_, slot)]) => return Some(PlaceName::One(*slot)),
            Some(several) => {
                let full = |&(id, _): &(ComponentId, u32)| format!("{}.{name}", self.system.component(id).name);
                return Some(PlaceName::Several(several.iter().map(full).collect()));
            }
            None => {}
        }
        // Names of nets and of places may have dots of their own.
        name.match_indices('.').find_map(|(dot, _)| {
            let net = self.components.get(&name[..dot])?;
            let found = self.places.get(&name[dot + 1..])?.iter().find(|(id, _)| id == net)?;
            Some(PlaceName::One(found.1))
        })
    }

    /// The name that was probably meant.
    pub(crate) fn near(&self, name: &str) -> Option<&'s str> {
        let system = self.system;
        let actions = system.actions.iter().map(|a| &*a.name);
        let transition_systems =
            system.components.iter().filter(|c| matches!(c.behaviour, Behaviour::Lts(_))).map(|c| &*c.name);
        meant(name, actions.chain(transition_systems).chain(self.place_names()))
    }

    pub(crate) fn near_action(&self, name: &str) -> Option<&'s str> {
        meant(name, self.system.actions.iter().map(|a| &*a.name))
    }

    pub(crate) fn near_place(&self, name: &str) -> Option<&'s str> {
        meant(name, self.place_names())
    }

    fn place_names(&self) -> impl Iterator<Item = &'s str> + use<'s> {
        self.system.components.iter().flat_map(|c| match &c.behaviour {
            Behaviour::Net(net) => net.places.iter().map(|p| &*p.name).collect(),
            Behaviour::Lts(_) => Vec::new(),
        })
    }
}
