//! An automaton for Graphviz.

use std::fmt::Write;

use super::draw::Drawing;

/// Longer labels are broken at their `||`, and past this many lines cut.
const WIDTH: usize = 40;

fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
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
