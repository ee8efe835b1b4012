//! An observation graph for Graphviz.

use std::collections::BTreeMap;

use posetta_base::ActionId;
use posetta_base::dot::Graph;
use posetta_base::dot::Value::{Text, Word};
use posetta_model::system::System;
use posetta_verify::system::{MetaState, ObservationGraph};

use crate::amounts::{counted, readable};

/// Longer labels of arcs are broken into lines of about so many columns.
const WIDTH: usize = 40;
/// So many actions are named in the title.
const NAMED: usize = 12;

/// A node is labelled by how many states it stands for. One with a state in which nothing can take place has a double rim; one in which a
/// run can go on forever has a sign. Arcs by actions that are not observed are dashed.
pub(super) fn dot(system: &System, observed: &[ActionId], graph: &ObservationGraph) -> String {
    let name = |action: ActionId| &*system.action(action).name;
    let mut shown: Vec<String> = observed.iter().take(NAMED).map(|&a| name(a).to_owned()).collect();
    if observed.len() > NAMED {
        shown.push(format!("{} more", observed.len() - NAMED));
    }
    let seen =
        if shown.is_empty() { "nothing is observed".to_owned() } else { format!("observed: {}", shown.join(", ")) };
    let mut out = Graph::of_states(&format!("{}\n{seen}", system.name), &[("shape", Word("circle"))]);
    for (i, node) in graph.nodes.iter().enumerate() {
        add_node(i, node, &mut out);
    }
    out.start("start");
    out.edge("start", 0, &[]);
    let mut arcs: BTreeMap<(u32, u32, bool), Vec<&str>> = BTreeMap::new();
    for &(from, action, to) in &graph.arcs {
        let silent = observed.binary_search(&action).is_err();
        arcs.entry((from, to, silent)).or_default().push(name(action));
    }
    for ((from, to, silent), names) in arcs {
        let label = label(&names);
        let look = [("label", Text(&label)), ("style", Word("dashed"))];
        out.edge(from, to, &look[..if silent { 2 } else { 1 }]);
    }
    out.finish()
}

fn add_node(name: usize, node: &MetaState, out: &mut Graph) {
    let digits = node.states.to_string();
    let count = match node.states.to_string().parse() {
        Ok(n) => counted(n, "state", "states"),
        Err(_) => format!("{} states", readable(&digits)),
    };
    let mut label = count;
    let mut rest = Vec::new();
    if node.divergent {
        label.push_str("\n↻ divergence");
        rest.push(("fillcolor", Text("#fdf1d3")));
    }
    if node.dead {
        label.push_str("\ndeadlock");
        rest.push(("shape", Word("doublecircle")));
        if !node.divergent {
            rest.push(("fillcolor", Text("#f6dcdc")));
        }
    }
    rest.insert(0, ("label", Text(&label)));
    out.node(name, &rest);
}

fn label(names: &[&str]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for (i, name) in names.iter().enumerate() {
        let name = format!("{name}{}", if i + 1 < names.len() { "," } else { "" });
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + name.chars().count() <= WIDTH => {
                line.push(' ');
                line.push_str(&name);
            }
            _ => lines.push(name),
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_labels_are_broken() {
        assert_eq!(label(&["a", "b"]), "a, b");
        assert_eq!(label(&["a".repeat(30).as_str(), "b".repeat(30).as_str()]).lines().count(), 2);
    }
}
