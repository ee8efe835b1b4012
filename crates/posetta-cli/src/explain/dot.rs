//! An automaton for Graphviz.

use std::fmt::Write;

use posetta::logic::{Monitor, Otherwise};

use super::draw::Drawing;
use crate::paint::unsafe_to_show;

/// Longer labels are broken at their `||`, and past this many lines cut.
const WIDTH: usize = 40;

/// A text inside the double quotes of DOT.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if unsafe_to_show(c) => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// The lines of a label.
fn wrapped(label: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for (i, part) in label.split(" || ").enumerate() {
        let part = quoted(part);
        match lines.last_mut() {
            Some(line) if line.chars().count() + part.chars().count() + 4 <= WIDTH => {
                line.push_str(" || ");
                line.push_str(&part);
            }
            _ if i == 0 => lines.push(part),
            _ => lines.push(format!("|| {part}")),
        }
    }
    lines.join("\\n")
}

/// A monitor as it was written: bad states are red.
pub fn monitor(monitor: &Monitor, name: &str, view: &str) -> String {
    let what = match monitor.otherwise {
        Otherwise::Stay => "stays where no guard holds",
        Otherwise::Die => "dies where no guard holds",
    };
    let mut out = String::from("digraph posetta {\n  rankdir=LR;\n  labelloc=t;\n");
    let _ = writeln!(out, "  label=\"{}\\nmonitor over {view}; {what}\";", quoted(name));
    out.push_str("  fontname=\"Helvetica\";\n");
    out.push_str("  node [shape=circle, fontname=\"Helvetica\", style=filled, fillcolor=white];\n");
    out.push_str("  edge [fontname=\"Courier\", fontsize=11];\n");
    for (i, (state, bad)) in monitor.states.iter().zip(monitor.bad_states()).enumerate() {
        let look = if bad { ", shape=doublecircle, fillcolor=\"#f6dcdc\"" } else { "" };
        let _ = writeln!(out, "  {i} [label=\"{}\"{look}];", quoted(state));
    }
    for (i, start) in monitor.initial.iter().enumerate() {
        let _ = writeln!(out, "  start{i} [shape=point, width=0.08, fillcolor=black];\n  start{i} -> {};", start.0);
    }
    for edge in &monitor.edges {
        let _ = writeln!(out, "  {} -> {} [label=\"{}\"];", edge.from.0, edge.to.0, wrapped(&edge.guard.to_string()));
    }
    out.push_str("}\n");
    out
}

/// One graph. `title` says what it is.
pub fn print(drawing: &Drawing, title: &str, what: &str) -> String {
    let mut out = String::from("digraph posetta {\n  rankdir=LR;\n  labelloc=t;\n");
    let _ = writeln!(out, "  label=\"{}\\n{}\";", quoted(title), quoted(what));
    out.push_str("  fontname=\"Helvetica\";\n");
    out.push_str("  node [shape=circle, fontname=\"Helvetica\", style=filled, fillcolor=white];\n");
    out.push_str("  edge [fontname=\"Courier\", fontsize=11];\n");
    out.push_str("  start [shape=point, width=0.08, fillcolor=black];\n");
    for (i, accepting) in drawing.accepting.iter().enumerate() {
        let shape = if *accepting { "shape=doublecircle, fillcolor=\"#e2f3e2\"" } else { "" };
        let last = match (drawing.last[i], accepting) {
            (true, false) => "fillcolor=\"#f6dcdc\"",
            _ => "",
        };
        let all: Vec<&str> = [shape, last].into_iter().filter(|s| !s.is_empty()).collect();
        let _ =
            writeln!(out, "  {i}{};", if all.is_empty() { String::new() } else { format!(" [{}]", all.join(", ")) });
    }
    out.push_str("  start -> 0;\n");
    for (from, edges) in drawing.edges.iter().enumerate() {
        for edge in edges {
            let _ = writeln!(out, "  {from} -> {} [label=\"{}\"];", edge.to, wrapped(&edge.label));
        }
    }
    out.push_str("}\n");
    out
}
