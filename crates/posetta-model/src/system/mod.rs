//! Systems of components: labelled transition systems and Petri nets that synchronise on the actions they share.
//!
//! A [`System`] is flat: hiding, renaming, parameters and replication are done when it is read. An action takes place in all components that
//! have it in their alphabet ([`Action::parts`]) at once, in the others nothing happens (paper 003, definition 4, for any number of
//! components). A component that has an action in its alphabet without ever being able to do it blocks it.
//!
//! A global state is one row of numbers, one per *slot* ([`Slots`]): a transition system has one slot, the number of its state; a net
//! has one per place, the number of tokens there.
//!
//! [`step`] says what the steps of a system are, explicitly; [`run`] what a run is, and replays it; [`predicate`] what is asked of single
//! states; [`spec`] what is asked of a system as a whole, and [`bind`] ties properties as they are written to it. [`compose`] puts a
//! system together, [`units`] takes nets apart into transition systems.

mod bind;
mod compose;
mod fold;
mod linear;
mod names;
mod predicate;
mod run;
mod spec;
mod step;
mod units;

use std::sync::Arc;

use posetta_base::{ActionId, ComponentId, Diagnostic};

pub use compose::Builder;
pub(super) use fold::{of_ctl, of_ltl};
pub(super) use linear::{Linear, TooLarge};
pub(super) use names::{Names, PlaceName};
pub use predicate::Predicate;
pub use run::{End, Run};
pub use spec::{Demand, Finite, Letter, Spec};
pub use step::{Local, Move, Slots};

/// More tokens than this in one place are refused.
pub const MOST_TOKENS: u32 = 1 << 30;

/// Words that formulas have for runs that stop, or go on unseen: no action is called so.
pub(super) const RESERVED: [&str; 2] = ["deadlock", "divergence"];

/// Whether no action can have this name.
pub(super) fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name)
}

/// Components that run side by side.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct System {
    /// What it is called.
    pub name: String,
    /// Its actions, each once.
    pub actions: Vec<Action>,
    /// Its components, at least one.
    pub components: Vec<Component>,
    /// Things worth knowing: actions that can never take place, states that nothing leads to.
    pub warnings: Vec<Diagnostic>,
}

/// Something that can happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// What it is called.
    pub name: Arc<str>,
    /// Nobody outside sees it. A formula may name it all the same.
    pub internal: bool,
    /// The components that take part in it, ascending; at least one, but in a [`System::restricted`] one.
    pub parts: Vec<ComponentId>,
}

/// One component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// What it is called; of a replicated one `Phil[3]`.
    pub name: Arc<str>,
    /// What it does.
    pub behaviour: Behaviour,
}

/// What a component does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Behaviour {
    /// A labelled transition system.
    Lts(Lts),
    /// A place/transition net.
    Net(Net),
}

/// A labelled transition system. It may have several arcs with one action from one state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lts {
    /// The names of its states, at least one, each name once.
    pub states: Vec<Arc<str>>,
    /// Where it starts.
    pub initial: u32,
    /// What it does, each once, ordered by (from, action, to).
    pub arcs: Vec<LtsArc>,
}

/// From a state by an action to a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LtsArc {
    /// The state before.
    pub from: u32,
    /// What happens.
    pub action: ActionId,
    /// The state after.
    pub to: u32,
}

/// A place/transition net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Net {
    /// Its places, each name once.
    pub places: Vec<Place>,
    /// Its transitions, by their actions.
    pub transitions: Vec<Transition>,
    /// How its places are grouped into units, if the file says so (nested-unit Petri nets, Garavel 2019): for each unit its places. The
    /// units share no place, and every place is in one. In every reachable marking a unit has one token at most; that is the file's claim.
    pub units: Option<Vec<Unit>>,
}

/// A group of places of which one has a token at most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// What it is called.
    pub name: Arc<str>,
    /// Its places, ascending.
    pub places: Vec<u32>,
}

/// A place of a net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// What it is called.
    pub name: Arc<str>,
    /// How many tokens it has at the start, [`MOST_TOKENS`] at most.
    pub initial: u32,
}

/// A transition of a net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// What it does. Several transitions may do the same.
    pub action: ActionId,
    /// How many tokens it takes from where: places ascending, each once, numbers from 1 to [`MOST_TOKENS`].
    pub takes: Vec<(u32, u32)>,
    /// How many tokens it puts where, likewise.
    pub puts: Vec<(u32, u32)>,
}

impl Lts {
    /// The states that no arcs lead to from the initial one, ascending.
    #[must_use]
    pub fn unreached(&self) -> Vec<u32> {
        let mut reached = vec![false; self.states.len()];
        reached[self.initial as usize] = true;
        let mut stack = vec![self.initial];
        while let Some(state) = stack.pop() {
            let first = self.arcs.partition_point(|a| a.from < state);
            for arc in self.arcs[first..].iter().take_while(|a| a.from == state) {
                if !std::mem::replace(&mut reached[arc.to as usize], true) {
                    stack.push(arc.to);
                }
            }
        }
        (0..self.states.len() as u32).filter(|&s| !reached[s as usize]).collect()
    }
}

impl System {
    /// An action.
    #[must_use]
    pub fn action(&self, id: ActionId) -> &Action {
        &self.actions[id.index()]
    }

    /// A component.
    #[must_use]
    pub fn component(&self, id: ComponentId) -> &Component {
        &self.components[id.index()]
    }

    /// The actions with their ids.
    pub fn action_ids(&self) -> impl Iterator<Item = ActionId> + use<> {
        (0..self.actions.len()).filter_map(ActionId::new)
    }

    /// The components with their ids.
    pub fn component_ids(&self) -> impl Iterator<Item = ComponentId> + use<> {
        (0..self.components.len()).filter_map(ComponentId::new)
    }

    /// Some of the components alone, as if the others took part in everything. Actions keep their ids; in those that none of them has,
    /// nobody takes part, so they never take place.
    #[must_use]
    pub fn restricted(&self, members: &[ComponentId]) -> Self {
        let place = |c: &ComponentId| members.binary_search(c).ok().and_then(ComponentId::new);
        let actions =
            self.actions.iter().map(|a| Action { parts: a.parts.iter().filter_map(place).collect(), ..a.clone() });
        Self {
            name: self.name.clone(),
            actions: actions.collect(),
            components: members.iter().map(|&c| self.component(c).clone()).collect(),
            warnings: Vec::new(),
        }
    }

    /// The action of this name.
    #[must_use]
    pub fn find_action(&self, name: &str) -> Option<ActionId> {
        self.actions.iter().position(|a| &*a.name == name).and_then(ActionId::new)
    }
}
