//! An automaton for Graphviz.

use posetta_base::dot::Graph;
use posetta_base::dot::Value::{Text, Word};
use posetta_logic::{Monitor, Otherwise};

use super::Drawing;

/// Longer labels are broken at their `||`, and past this many lines cut.
const WIDTH: usize = 40;

/// The lines of a label.
fn wrapped(label: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for (i, part) in label.split(" || ").enumerate() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + part.chars().count() + 4 <= WIDTH => {
                line.push_str(" || ");
                line.push_str(part);
            }
            _ if i == 0 => lines.push(part.to_owned()),
            _ => lines.push(format!("|| {part}")),
        }
    }
    lines.join("\n")
}

/// A monitor as it was written: bad states are red.
pub(super) fn monitor(monitor: &Monitor, name: &str, view: &str) -> String {
    let what = match monitor.otherwise {
        Otherwise::Stay => "stays where no guard holds",
        Otherwise::Die => "dies where no guard holds",
    };
    let mut graph = Graph::of_states(&format!("{name}\nmonitor over {view}; {what}"), &[("shape", Word("circle"))]);
    for (i, (state, bad)) in monitor.states.iter().zip(monitor.bad_states()).enumerate() {
        let look = [("label", Text(state)), ("shape", Word("doublecircle")), ("fillcolor", Text("#f6dcdc"))];
        graph.node(i, &look[..if bad { 3 } else { 1 }]);
    }
    for (i, start) in monitor.initial.iter().enumerate() {
        let point = format!("start{i}");
        graph.start(&point);
        graph.edge(point, start.0, &[]);
    }
    for edge in &monitor.edges {
        graph.edge(edge.from.0, edge.to.0, &[("label", Text(&wrapped(&edge.guard.to_string())))]);
    }
    graph.finish()
}

/// One graph. `title` says what it is.
pub(super) fn print(drawing: &Drawing, title: &str, what: &str) -> String {
    let mut graph = Graph::of_states(&format!("{title}\n{what}"), &[("shape", Word("circle"))]);
    graph.start("start");
    for (i, accepting) in drawing.accepting.iter().enumerate() {
        match (accepting, drawing.last[i]) {
            (true, _) => graph.node(i, &[("shape", Word("doublecircle")), ("fillcolor", Text("#e2f3e2"))]),
            (false, true) => graph.node(i, &[("fillcolor", Text("#f6dcdc"))]),
            (false, false) => graph.node(i, &[]),
        }
    }
    graph.edge("start", 0, &[]);
    for (from, edges) in drawing.edges.iter().enumerate() {
        for edge in edges {
            graph.edge(from, edge.to, &[("label", Text(&wrapped(&edge.label)))]);
        }
    }
    graph.finish()
}
