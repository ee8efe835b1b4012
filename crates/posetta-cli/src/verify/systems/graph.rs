//! An observation graph for Graphviz.

use std::collections::BTreeMap;
use std::fmt::Write;

use posetta::base::ActionId;
use posetta::model::system::System;
use posetta::verify::system::{MetaState, ObservationGraph};

use crate::amounts::{counted, readable};
use crate::explain::dot::quoted;

/// Longer labels of arcs are broken into lines of about so many columns.
const WIDTH: usize = 40;
/// So many actions are named in the title.
const NAMED: usize = 12;

/// A node is labelled by how many states it stands for. One with a state in which nothing can take place has a double rim; one in which a
/// run can go on forever has a sign. Arcs by actions that are not observed are dashed.
pub(super) fn dot(system: &System, observed: &[ActionId], graph: &ObservationGraph) -> String {
    let mut out = String::from("digraph posetta {\n  rankdir=LR;\n  labelloc=t;\n");
    let name = |action: ActionId| &*system.action(action).name;
    let mut shown: Vec<String> = observed.iter().take(NAMED).map(|&a| name(a).to_owned()).collect();
    if observed.len() > NAMED {
        shown.push(format!("{} more", observed.len() - NAMED));
    }
    let seen =
        if shown.is_empty() { "nothing is observed".to_owned() } else { format!("observed: {}", shown.join(", ")) };
    let _ = writeln!(out, "  label=\"{}\\n{}\";", quoted(&system.name), quoted(&seen));
    out.push_str("  fontname=\"Helvetica\";\n");
    out.push_str("  node [shape=circle, fontname=\"Helvetica\", style=filled, fillcolor=white];\n");
    out.push_str("  edge [fontname=\"Courier\", fontsize=11];\n");
    for (i, node) in graph.nodes.iter().enumerate() {
        let _ = writeln!(out, "  {i} [{}];", looks(node));
    }
    out.push_str("  start [shape=point, width=0.08, fillcolor=black];\n  start -> 0;\n");
    let mut arcs: BTreeMap<(u32, u32, bool), Vec<&str>> = BTreeMap::new();
    for &(from, action, to) in &graph.arcs {
        let silent = observed.binary_search(&action).is_err();
        arcs.entry((from, to, silent)).or_default().push(name(action));
    }
    for ((from, to, silent), names) in arcs {
        let dashed = if silent { ", style=dashed" } else { "" };
        let _ = writeln!(out, "  {from} -> {to} [label=\"{}\"{dashed}];", label(&names));
    }
    out.push_str("}\n");
    out
}

fn looks(node: &MetaState) -> String {
    let digits = node.states.to_string();
    let count = match node.states.to_string().parse() {
        Ok(n) => counted(n, "state", "states"),
        Err(_) => format!("{} states", readable(&digits)),
    };
    let mut label = count;
    let mut rest = String::new();
    if node.divergent {
        label.push_str("\\n↻ divergence");
        rest.push_str(", fillcolor=\"#fdf1d3\"");
    }
    if node.dead {
        label.push_str("\\ndeadlock");
        rest.push_str(", shape=doublecircle");
        if !node.divergent {
            rest.push_str(", fillcolor=\"#f6dcdc\"");
        }
    }
    format!("label=\"{label}\"{rest}")
}

fn label(names: &[&str]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for (i, name) in names.iter().enumerate() {
        let name = format!("{}{}", quoted(name), if i + 1 < names.len() { "," } else { "" });
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + name.chars().count() <= WIDTH => {
                line.push(' ');
                line.push_str(&name);
            }
            _ => lines.push(name),
        }
    }
    lines.join("\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_leave_their_quotes() {
        assert_eq!(quoted("a\"b\\c\nd"), "a\\\"b\\\\c\\nd");
        assert_eq!(label(&["a", "b"]), "a, b");
        assert_eq!(label(&["a".repeat(30).as_str(), "b".repeat(30).as_str()]).matches("\\n").count(), 1);
    }
}
