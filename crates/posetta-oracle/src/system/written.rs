//! Systems in a notation for tests: what cases are written in, and what a failure shows.

use std::fmt::Write;
use std::sync::Arc;

use posetta_base::{ActionId, ComponentId};
use posetta_model::system::{Action, Behaviour, Component, Lts, LtsArc, System};

/// A system of transition systems, each written as arcs `from action to`; the first state of the first arc is where it starts. A component takes
/// part in the actions of its arcs. Actions are numbered by first mention; those in capitals are internal.
///
/// # Panics
/// When an arc is written in another way.
#[must_use]
pub fn system(components: &[&[&str]]) -> System {
    let mut system = System::default();
    for (i, arcs) in components.iter().enumerate() {
        let component = ComponentId::new(i).expect("few components");
        let mut lts = Lts { states: Vec::new(), initial: 0, arcs: Vec::new() };
        for arc in *arcs {
            let [from, name, to] = arc.split(' ').collect::<Vec<_>>()[..] else { panic!("`{arc}` is no arc") };
            let action = system.find_action(name).unwrap_or_else(|| {
                let internal = name.chars().all(char::is_uppercase);
                system.actions.push(Action { name: name.into(), internal, parts: Vec::new() });
                ActionId::new(system.actions.len() - 1).expect("few actions")
            });
            let parts = &mut system.actions[action.index()].parts;
            if !parts.contains(&component) {
                parts.push(component);
            }
            let [from, to] = [from, to].map(|name| state(&mut lts, name));
            lts.arcs.push(LtsArc { from, action, to });
        }
        lts.arcs.sort_unstable();
        system.components.push(Component { name: format!("C{i}").into(), behaviour: Behaviour::Lts(lts) });
    }
    system
}

fn state(lts: &mut Lts, name: &str) -> u32 {
    let known = lts.states.iter().position(|s| &**s == name).unwrap_or_else(|| {
        lts.states.push(Arc::from(name));
        lts.states.len() - 1
    });
    known as u32
}

/// The actions of these names, which are separated by blanks.
///
/// # Panics
/// When there is no such action.
#[must_use]
pub fn actions(system: &System, names: &str) -> Vec<ActionId> {
    names.split_whitespace().map(|n| system.find_action(n).expect("an action of the system")).collect()
}

/// A system, for people.
#[must_use]
pub fn show(system: &System) -> String {
    let name = |a: ActionId| &system.action(a).name;
    let mut text = String::new();
    for (i, action) in system.actions.iter().enumerate() {
        let parts: Vec<String> = action.parts.iter().map(|c| c.to_string()).collect();
        let kind = if action.internal { "internal" } else { "action" };
        let _ = writeln!(text, "{kind} {i} {} of {}", action.name, parts.join(" "));
    }
    for component in &system.components {
        match &component.behaviour {
            Behaviour::Lts(lts) => {
                let arcs: Vec<String> =
                    lts.arcs.iter().map(|a| format!("{} {} {}", a.from, name(a.action), a.to)).collect();
                let _ = writeln!(text, "{}: from {}: {}", component.name, lts.initial, arcs.join(", "));
            }
            Behaviour::Net(net) => {
                let tokens: Vec<u32> = net.places.iter().map(|p| p.initial).collect();
                let units = if net.units.is_some() { ", one unit" } else { "" };
                let _ = writeln!(text, "{}: net with {tokens:?}{units}", component.name);
                for t in &net.transitions {
                    let _ = writeln!(text, "  {} takes {:?} puts {:?}", name(t.action), t.takes, t.puts);
                }
            }
        }
    }
    text
}
