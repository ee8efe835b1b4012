//! Components put side by side.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{Action, Behaviour, Component, System};
use posetta_base::{ActionId, ComponentId, Diagnostic};

/// A system that grows component by component, and keeps the invariants of [`System`].
///
/// First the actions of a component are made, then the component with them. An action that no component has is left out at the end.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    actions: Vec<Action>,
    by_name: FxHashMap<Arc<str>, ActionId>,
    components: Vec<Component>,
}

impl Builder {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The action of this name, made if there is none. If there is one, it stays as internal as it was: see [`Self::is_internal`]. `None`
    /// when there are too many.
    pub fn action(&mut self, name: &Arc<str>, internal: bool) -> Option<ActionId> {
        if let Some(&id) = self.by_name.get(name) {
            return Some(id);
        }
        let id = ActionId::new(self.actions.len())?;
        self.actions.push(Action { name: Arc::clone(name), internal, parts: Vec::new() });
        self.by_name.insert(Arc::clone(name), id);
        Some(id)
    }

    /// Whether an action is internal.
    #[must_use]
    pub fn is_internal(&self, action: ActionId) -> bool {
        self.actions[action.index()].internal
    }

    /// The first component that has an action.
    #[must_use]
    pub(crate) fn first_with(&self, action: ActionId) -> Option<&Component> {
        self.actions[action.index()].parts.first().map(|&c| &self.components[c.index()])
    }

    /// Adds a component. Its alphabet is what is given and what it does; arcs and transitions may come in any order, arcs more than once. `None` when there
    /// are too many.
    pub fn component(
        &mut self,
        name: &Arc<str>,
        alphabet: &[ActionId],
        mut behaviour: Behaviour,
    ) -> Option<ComponentId> {
        let id = ComponentId::new(self.components.len())?;
        let mut has = |action: ActionId| {
            let parts = &mut self.actions[action.index()].parts;
            // Components come in ascending order.
            if parts.last() != Some(&id) {
                parts.push(id);
            }
        };
        alphabet.iter().for_each(|&a| has(a));
        match &mut behaviour {
            Behaviour::Lts(lts) => {
                lts.arcs.sort_unstable();
                lts.arcs.dedup();
                lts.arcs.iter().for_each(|arc| has(arc.action));
            }
            Behaviour::Net(net) => {
                net.transitions.sort_by_key(|t| t.action);
                net.transitions.iter().for_each(|t| has(t.action));
            }
        }
        self.components.push(Component { name: Arc::clone(name), behaviour });
        Some(id)
    }

    /// The system.
    #[must_use]
    pub fn finish(self, name: &str, warnings: Vec<Diagnostic>) -> System {
        let Self { mut actions, mut components, .. } = self;
        if actions.iter().any(|a| a.parts.is_empty()) {
            let mut kept = 0;
            let numbers: Vec<usize> = actions
                .iter()
                .map(|a| {
                    kept += usize::from(!a.parts.is_empty());
                    kept.saturating_sub(1)
                })
                .collect();
            // Ascending numbers keep the order of the arcs.
            let renumber = |a: ActionId| ActionId::from_raw(numbers[a.index()] as u32);
            for component in &mut components {
                match &mut component.behaviour {
                    Behaviour::Lts(lts) => lts.arcs.iter_mut().for_each(|arc| arc.action = renumber(arc.action)),
                    Behaviour::Net(net) => net.transitions.iter_mut().for_each(|t| t.action = renumber(t.action)),
                }
            }
            actions.retain(|a| !a.parts.is_empty());
        }
        System { name: name.to_owned(), actions, components, warnings }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::{Lts, LtsArc};

    #[test]
    fn alphabets_become_parts_and_idle_actions_go() {
        let mut builder = Builder::new();
        let [a, idle, b] = ["a", "idle", "b"].map(|n| builder.action(&n.into(), n == "b").unwrap());
        assert_eq!(builder.action(&"a".into(), true), Some(a));
        assert!(!builder.is_internal(a) && builder.is_internal(b));
        let arc = |from, action, to| LtsArc { from, action, to };
        let lts = |arcs| Behaviour::Lts(Lts { states: vec!["s".into(), "t".into()], initial: 0, arcs });
        builder.component(&"P".into(), &[a], lts(vec![arc(1, a, 0), arc(0, b, 1), arc(1, a, 0)])).unwrap();
        builder.component(&"Q".into(), &[b, b], lts(Vec::new())).unwrap();
        assert_eq!(builder.first_with(b).map(|c| &*c.name), Some("P"));
        assert!(builder.first_with(idle).is_none());
        let system = builder.finish("S", Vec::new());
        let parts: Vec<(&str, Vec<u32>)> =
            system.actions.iter().map(|a| (&*a.name, a.parts.iter().map(|c| c.raw()).collect())).collect();
        assert_eq!(parts, [("a", vec![0]), ("b", vec![0, 1])]);
        let [a, b] = ["a", "b"].map(|n| system.find_action(n).unwrap());
        assert_eq!(system.components[0].behaviour, lts(vec![arc(0, b, 1), arc(1, a, 0)]));
    }
}
