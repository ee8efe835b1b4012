//! Trees as graphs for Graphviz.

use std::fmt::Write;

use rustc_hash::FxHashMap;

use super::store::{Entry, Family, Store};

/// The nodes of definition 2, numbered from the root on, with a rank for each layer.
pub(super) fn draw(store: &Store, layers: usize, root: Family, layer_names: &[String]) -> String {
    let mut text = String::from("digraph {\n  node [shape=box];\n  root [label=\"⊤\", shape=plaintext];\n");
    if root == Family::NOTHING {
        text.push_str("}\n");
        return text;
    }
    let line = |text: &mut String, arguments: std::fmt::Arguments<'_>| {
        text.write_fmt(arguments).expect("a string takes any text");
    };
    text.push_str("  end [label=\"⊥\", shape=plaintext];\n");
    for layer in 0..layers {
        let number = layer.to_string();
        let name = quoted(layer_names.get(layer).unwrap_or(&number));
        line(&mut text, format_args!("  layer{layer} [label={name}, shape=plaintext];\n"));
    }
    let ends = ["root".to_owned()]
        .into_iter()
        .chain((0..layers).map(|layer| format!("layer{layer}")))
        .chain(["end".to_owned()]);
    let spine: Vec<String> = ends.collect();
    line(&mut text, format_args!("  {} [style=invis];\n", spine.join(" -> ")));
    // Families come layer by layer, so all nodes above a family are numbered before it.
    let mut numbers: FxHashMap<Entry, usize> = FxHashMap::default();
    let mut ranks: Vec<Vec<usize>> = vec![Vec::new(); layers];
    let mut nodes: Vec<Entry> = Vec::new();
    for family in store.below([root]) {
        for &entry in store.entries(family) {
            if numbers.contains_key(&entry) {
                continue;
            }
            let number = nodes.len();
            numbers.insert(entry, number);
            nodes.push(entry);
            ranks[store.layer(family) as usize].push(number);
            line(&mut text, format_args!("  n{number} [label=\"[{}, {}]\"];\n", entry.lo, entry.hi));
        }
    }
    for (layer, rank) in ranks.iter().enumerate() {
        let rank: String = rank.iter().map(|number| format!(" n{number};")).collect();
        line(&mut text, format_args!("  {{ rank=same; layer{layer};{rank} }}\n"));
    }
    let edges = |text: &mut String, from: &str, family: Family| {
        if family == Family::END {
            line(text, format_args!("  {from} -> end;\n"));
        }
        for entry in store.entries(family) {
            line(text, format_args!("  {from} -> n{};\n", numbers[entry]));
        }
    };
    edges(&mut text, "root", root);
    for (number, node) in nodes.iter().enumerate() {
        edges(&mut text, &format!("n{number}"), node.below);
    }
    text.push_str("}\n");
    text
}

/// A text as Graphviz reads it back.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
