//! The universe: the events of all systems that are composed and compared, by name, and one more that none of them has (paper 004, section 2.1).

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Part;
use super::whole::are_alike;
use posetta_base::{ActionId, Diagnostic, Kind};
use posetta_model::system::System;

/// An event of the universe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct EventId(pub(super) u32);

impl EventId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The event τ, which no system has.
pub(super) const NOTHING: EventId = EventId(0);

/// How messages call it.
pub(super) const NOTHING_NAME: &str = "τ";

/// All events, τ first.
pub(super) struct Universe {
    names: Vec<Arc<str>>,
    observable: Vec<bool>,
    ids: FxHashMap<Arc<str>, EventId>,
}

/// The events of one system.
pub(super) struct Events {
    /// By event: the system's action.
    pub(super) action: Vec<Option<ActionId>>,
    /// By action: the event.
    pub(super) event: Vec<EventId>,
}

impl Universe {
    /// The universe of some systems.
    ///
    /// # Errors
    /// When an event is internal in one of them and observable in another of the same side: they cannot be composed.
    pub(super) fn new(parts: &[Part<'_>]) -> Result<Self, Diagnostic> {
        let mut universe =
            Self { names: vec![NOTHING_NAME.into()], observable: vec![false], ids: FxHashMap::default() };
        let sides: [Vec<&System>; 2] = [
            parts.iter().map(|part| part.implementation).collect(),
            parts.iter().map(|part| part.specification).collect(),
        ];
        for systems in &sides {
            if let Some(name) = silent_in_two(systems) {
                return Err(not_apart(&name));
            }
            let mut internal: FxHashMap<&str, (bool, &str)> = FxHashMap::default();
            for system in systems {
                for action in &system.actions {
                    let known = *internal.entry(&action.name).or_insert((action.internal, &system.name));
                    if known.0 != action.internal {
                        let [inside, outside] = match action.internal {
                            true => [&*system.name, known.1],
                            false => [known.1, &*system.name],
                        };
                        return Err(not_composable(&action.name, inside, outside));
                    }
                    universe.add(&action.name, !action.internal);
                }
            }
        }
        // Observable on one side and internal on the other: parts are comparable, so it happens only between different parts.
        for (ours, theirs) in [(0, 1), (1, 0)] {
            for system in &sides[ours] {
                for action in system.actions.iter().filter(|a| a.internal) {
                    let clash =
                        |other: &&&System| other.find_action(&action.name).is_some_and(|a| !other.action(a).internal);
                    if let Some(other) = sides[theirs].iter().find(clash) {
                        return Err(not_composable(&action.name, &system.name, &other.name));
                    }
                }
            }
        }
        Ok(universe)
    }

    fn add(&mut self, name: &Arc<str>, observable: bool) {
        let Self { names, ids, .. } = self;
        let id = *ids.entry(Arc::clone(name)).or_insert_with(|| {
            names.push(Arc::clone(name));
            EventId(names.len() as u32 - 1)
        });
        self.observable.resize(self.names.len(), false);
        self.observable[id.index()] |= observable;
    }

    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// All events.
    pub(super) fn events(&self) -> impl Iterator<Item = EventId> + use<> {
        (0..self.names.len() as u32).map(EventId)
    }

    pub(super) fn name(&self, event: EventId) -> &Arc<str> {
        &self.names[event.index()]
    }

    /// The names of all events that some system has.
    pub(super) fn names(&self) -> &[Arc<str>] {
        &self.names[1..]
    }

    pub(super) fn is_observable(&self, event: EventId) -> bool {
        self.observable[event.index()]
    }

    /// The events of a system, which is one of those that the universe was made for.
    pub(super) fn events_of(&self, system: &System) -> Events {
        let event: Vec<EventId> = system.actions.iter().map(|a| self.ids[&a.name]).collect();
        let mut action = vec![None; self.len()];
        for (id, event) in system.action_ids().zip(&event) {
            action[event.index()] = Some(id);
        }
        Events { action, event }
    }
}

/// The silent action of an import that two systems have in components that differ. Put together by the language of systems, each import would keep its own (`F.i` and
/// `F#2.i`); here names are all there is, and both would do it at once.
fn silent_in_two(systems: &[&System]) -> Option<Arc<str>> {
    let components = |system: &'_ System| system.component_ids().collect::<Vec<_>>();
    for (i, left) in systems.iter().enumerate() {
        for right in &systems[i + 1..] {
            for a in components(left) {
                let name = &left.component(a).name;
                let silent = format!("{name}.i");
                let is_silent =
                    |system: &System| system.find_action(&silent).is_some_and(|x| system.action(x).internal);
                if is_silent(left) && is_silent(right) {
                    let same = components(right).into_iter().find(|&b| right.component(b).name == *name);
                    if same.is_some_and(|b| !are_alike(left, a, right, b)) {
                        return Some(silent.into());
                    }
                }
            }
        }
    }
    None
}

fn not_apart(name: &str) -> Diagnostic {
    Diagnostic::new(
        Kind::Comparison,
        format!("`{name}` is the silent action of two different components, which would have to happen at once"),
    )
    .help("give it different names in the parts: `system A1 = … where { F.i -> x }`, or import the file into components of different names")
}

fn not_composable(name: &str, inside: &str, outside: &str) -> Diagnostic {
    Diagnostic::new(
        Kind::Comparison,
        format!("the parts cannot be composed: `{name}` is internal in `{inside}` and observable in `{outside}`"),
    )
    .help("give one of them another name: `system S = … where { old -> new }`")
}
