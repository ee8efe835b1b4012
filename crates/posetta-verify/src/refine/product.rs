//! Two comparable systems as one: what they do side by side, with the observable actions done by both at once.
//!
//! The implementation's slots and actions come first and keep their numbers. Internal actions of the specification follow, each by itself,
//! whatever it is called.

use posetta_base::{ActionId, ComponentId};
use posetta_model::system::{Action, Behaviour, Component, Slots, System};

use super::compare::Pair;

/// Two systems side by side.
pub(super) struct Product {
    pub(super) system: System,
    /// How many slots the implementation has.
    pub(super) slots: usize,
    /// How many components it has.
    pub(super) components: usize,
    /// How many actions it has.
    pub(super) actions: usize,
}

impl Product {
    /// `None` if there are too many actions or components.
    pub(super) fn new(pair: &Pair<'_>) -> Option<Self> {
        let (left, right) = (pair.implementation, pair.specification);
        let components = left.components.len();
        let mut actions = left.actions.clone();
        let mut number: Vec<Option<ActionId>> = vec![None; right.actions.len()];
        let shifted = |parts: &[ComponentId]| -> Option<Vec<ComponentId>> {
            parts.iter().map(|c| ComponentId::new(c.index() + components)).collect()
        };
        for (ours, theirs) in pair.observable() {
            number[theirs.index()] = Some(ours);
            actions[ours.index()].parts.extend(shifted(&right.action(theirs).parts)?);
        }
        for theirs in right.action_ids().filter(|a| right.action(*a).internal) {
            number[theirs.index()] = Some(ActionId::new(actions.len())?);
            let action = right.action(theirs);
            actions.push(Action { parts: shifted(&action.parts)?, ..action.clone() });
        }
        let mut all = left.components.clone();
        for component in &right.components {
            let mut behaviour = component.behaviour.clone();
            match &mut behaviour {
                Behaviour::Lts(lts) => {
                    for arc in &mut lts.arcs {
                        arc.action = number[arc.action.index()]?;
                    }
                    lts.arcs.sort_unstable();
                }
                Behaviour::Net(net) => {
                    for transition in &mut net.transitions {
                        transition.action = number[transition.action.index()]?;
                    }
                    net.transitions.sort_by_key(|t| t.action);
                }
            }
            all.push(Component { name: component.name.clone(), behaviour });
        }
        let name = format!("{} beside {}", left.name, right.name);
        Some(Self {
            system: System { name, actions, components: all, warnings: Vec::new() },
            slots: Slots::new(left).count(),
            components,
            actions: left.actions.len(),
        })
    }

    /// The components of the implementation, or of the specification, that take part in an action.
    pub(super) fn parts(&self, action: ActionId, of_implementation: bool) -> Vec<ComponentId> {
        let parts = self.system.action(action).parts.iter().copied();
        parts.filter(|c| (c.index() < self.components) == of_implementation).collect()
    }

    /// Whether an action is an internal one of the specification.
    pub(super) fn is_of_specification(&self, action: ActionId) -> bool {
        action.index() >= self.actions
    }
}
