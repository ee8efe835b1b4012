//! Trees as graphs for Graphviz.

use rustc_hash::FxHashMap;

use super::store::{Entry, Family, Store};
use posetta_base::dot::Graph;
use posetta_base::dot::Value::{Text, Word};

/// The nodes of definition 2, numbered from the root on, with a rank for each layer.
pub(super) fn draw(store: &Store, layers: usize, root: Family, layer_names: &[String]) -> String {
    let plain = ("shape", Word("plaintext"));
    let mut graph = Graph::new("");
    graph.node("node", &[("shape", Word("box"))]);
    graph.node("root", &[("label", Text("⊤")), plain]);
    if root == Family::NOTHING {
        return graph.finish();
    }
    graph.node("end", &[("label", Text("⊥")), plain]);
    for layer in 0..layers {
        let number = layer.to_string();
        let name = layer_names.get(layer).unwrap_or(&number);
        graph.node(format_args!("layer{layer}"), &[("label", Text(name)), plain]);
    }
    let spine: Vec<String> = (0..layers).map(|layer| format!("layer{layer} -> ")).collect();
    graph.edge("root", format_args!("{}end", spine.concat()), &[("style", Word("invis"))]);
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
            let interval = format!("[{}, {}]", entry.lo, entry.hi);
            graph.node(format_args!("n{number}"), &[("label", Text(&interval))]);
        }
    }
    for (layer, rank) in ranks.iter().enumerate() {
        let rank: String = rank.iter().map(|number| format!(" n{number};")).collect();
        graph.add(format_args!("{{ rank=same; layer{layer};{rank} }}"));
    }
    let edges = |graph: &mut Graph, from: &str, family: Family| {
        if family == Family::END {
            graph.edge(from, "end", &[]);
        }
        for entry in store.entries(family) {
            graph.edge(from, format_args!("n{}", numbers[entry]), &[]);
        }
    };
    edges(&mut graph, "root", root);
    for (number, node) in nodes.iter().enumerate() {
        edges(&mut graph, &format!("n{number}"), node.below);
    }
    graph.finish()
}
