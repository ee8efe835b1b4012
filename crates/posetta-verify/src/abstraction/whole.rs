//! Are some parts, put together, a whole? A behaviour of one component twice is one of it once (composition is idempotent: paper 004, section 2.2), so each component of
//! the whole must be in some part, and each of a part in the whole, however often.

use std::sync::Arc;

use posetta_base::{ActionId, ComponentId};
use posetta_model::system::{Action, Behaviour, LtsArc, System};

/// The components that only the whole has, and those that only the parts have, by name; both empty if the parts together behave as the whole.
#[must_use]
pub fn strangers(whole: &System, parts: &[&System]) -> [Vec<Arc<str>>; 2] {
    let has = |system: &System, name: &System, id: ComponentId| {
        system.component_ids().any(|other| are_alike(system, other, name, id))
    };
    let name = |system: &System, id: ComponentId| Arc::clone(&system.component(id).name);
    let missing = whole.component_ids().filter(|&id| !parts.iter().any(|part| has(part, whole, id)));
    let missing = missing.map(|id| name(whole, id)).collect();
    let extra = parts.iter().flat_map(|part| part.component_ids().map(move |id| (*part, id)));
    let extra = extra.filter(|&(part, id)| !has(whole, part, id)).map(|(part, id)| name(part, id)).collect();
    [missing, extra]
}

/// The actions that are internal in the whole and observable in a part, by name, ascending, and those that are the other way round. To hide the same actions of an implementation and of its
/// specification keeps that one implements the other.
#[must_use]
pub fn hidden(whole: &System, parts: &[&System]) -> [Vec<Arc<str>>; 2] {
    let differs = |action: &&Action, internal: bool| {
        let other = |part: &&System| part.find_action(&action.name).map(|a| part.action(a).internal);
        action.internal == internal && parts.iter().filter_map(other).any(|inside| inside != internal)
    };
    [true, false].map(|internal| {
        let found = whole.actions.iter().filter(|action| differs(action, internal));
        let mut names: Vec<Arc<str>> = found.map(|action| Arc::clone(&action.name)).collect();
        names.sort();
        names
    })
}

/// Whether two components have the same alphabets and do the same, action by action of the same name, be it observable or not.
pub(super) fn are_alike(left: &System, a: ComponentId, right: &System, b: ComponentId) -> bool {
    let alphabet = |system: &System, id: ComponentId| {
        let own = system.actions.iter().filter(|action| action.parts.contains(&id));
        let mut names: Vec<_> = own.map(|action| Arc::clone(&action.name)).collect();
        names.sort();
        names
    };
    let same = |x: ActionId, y: ActionId| left.action(x).name == right.action(y).name;
    let by_name = |system: &System, action: ActionId| Arc::clone(&system.action(action).name);
    let behaviours = match (&left.component(a).behaviour, &right.component(b).behaviour) {
        (Behaviour::Lts(x), Behaviour::Lts(y)) => {
            let arcs = |system: &System, arcs: &[LtsArc]| {
                let mut arcs: Vec<_> = arcs.iter().map(|arc| (arc.from, by_name(system, arc.action), arc.to)).collect();
                arcs.sort();
                arcs
            };
            x.initial == y.initial && x.states == y.states && arcs(left, &x.arcs) == arcs(right, &y.arcs)
        }
        (Behaviour::Net(x), Behaviour::Net(y)) => {
            x.places == y.places
                && x.transitions.len() == y.transitions.len()
                && x.transitions.iter().all(|t| {
                    y.transitions.iter().any(|u| same(t.action, u.action) && t.takes == u.takes && t.puts == u.puts)
                })
                && y.transitions.iter().all(|u| {
                    x.transitions.iter().any(|t| same(t.action, u.action) && t.takes == u.takes && t.puts == u.puts)
                })
        }
        _ => false,
    };
    behaviours && alphabet(left, a) == alphabet(right, b)
}
