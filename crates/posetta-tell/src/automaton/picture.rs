//! An automaton as a drawing.

use posetta_base::{Diagnostic, Kind};
use posetta_logic::{Monitor, Otherwise};

use super::Drawing;
use crate::amounts::grouped;
use crate::svg::{Graph, Look, State, automaton};

/// More states than this are no picture.
const STATES: usize = 40;

/// A monitor as it was written: what reaches a bad state is violated.
pub(super) fn monitor(monitor: &Monitor, name: &str, view: &str) -> Result<String, Diagnostic> {
    drawn(graph(monitor, name, view))
}

/// A monitor as a graph.
pub(crate) fn graph(monitor: &Monitor, name: &str, view: &str) -> Graph {
    let what = match monitor.otherwise {
        Otherwise::Stay => "stays where no guard holds",
        Otherwise::Die => "dies where no guard holds",
    };
    // A bad state that nothing leads out of is the end of it; from others a run may come back.
    let stays = |i: usize| {
        monitor.otherwise == Otherwise::Stay && monitor.edges.iter().all(|e| e.from.index() != i || e.to == e.from)
    };
    let state = |(i, (name, bad)): (usize, (&String, bool))| {
        let look = match bad {
            true if stays(i) => Look::Violated,
            true => Look::Failing,
            false => Look::Open,
        };
        State { name: name.clone(), look, accepts: false }
    };
    Graph {
        title: [name.to_owned(), format!("monitor over {view}; {what}")],
        states: monitor.states.iter().zip(monitor.bad_states()).enumerate().map(state).collect(),
        initial: monitor.initial.iter().map(|start| start.index()).collect(),
        arcs: monitor.edges.iter().map(|e| (e.from.index(), e.to.index(), e.guard.to_string())).collect(),
    }
}

/// An automaton of the words that satisfy a property, or violate it. Nothing is settled in a state that may be one of several.
pub(super) fn print(
    drawing: &Drawing,
    title: &str,
    what: &str,
    bad: bool,
    nondeterministic: bool,
) -> Result<String, Diagnostic> {
    let state = |i: usize| {
        let accepts = drawing.accepting[i];
        let look = match drawing.last[i] && !nondeterministic {
            false => Look::Open,
            true if accepts != bad => Look::Holds,
            true => Look::Violated,
        };
        State { name: i.to_string(), look, accepts }
    };
    let arcs = drawing.edges.iter().enumerate();
    drawn(Graph {
        title: [title.to_owned(), what.to_owned()],
        states: (0..drawing.accepting.len()).map(state).collect(),
        initial: vec![0],
        arcs: arcs.flat_map(|(from, all)| all.iter().map(move |e| (from, e.to, e.label.clone()))).collect(),
    })
}

fn drawn(graph: Graph) -> Result<String, Diagnostic> {
    if graph.states.len() > STATES {
        let states = grouped(graph.states.len() as u64);
        let message = format!("the automaton has {states} states, which is too many for a picture");
        return Err(Diagnostic::new(Kind::Unsupported, message).help("Graphviz may draw it: say --dot"));
    }
    Ok(automaton(&graph).to_svg())
}
