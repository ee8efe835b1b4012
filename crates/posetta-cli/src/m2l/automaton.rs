//! The automaton of a formula: for Graphviz, in the HOA format, and in the format that MONA prints for other programs.
//!
//! It reads one letter before the string, for the truth values, and then one for each position. In the first two formats the edges are
//! paths of its diagram, of which there may be many.

use std::fmt::Write;

use posetta_automata::tracks::{Said, TrackDfa};
use posetta_base::dot::Graph;
use posetta_base::dot::Value::{Text, Word};
use posetta_base::hoa::{self, Hoa};
use posetta_base::{Budget, OverBudget};
use posetta_compile::m2l::Automaton;
use posetta_dd::mtbdd::Function;
use posetta_logic::m2l::{Program, VarId};

const WHAT: &str = "printing the automaton";

/// A path of the diagram: for each track 0, 1, or whatever it is.
type Cube = Vec<Option<bool>>;

/// The free variables: those that the automaton asks for from the top down, then the others. A string is all positions, so what stands for
/// those is not among them.
fn variables(program: &Program, automaton: &Automaton) -> Vec<VarId> {
    let gone = [program.all_positions, program.last_position];
    let others = program.globals.iter().filter(|v| !automaton.vars.contains(v) && !gone.contains(&Some(**v)));
    automaton.vars.iter().chain(others).copied().collect()
}

fn names(program: &Program, vars: &[VarId]) -> Vec<String> {
    vars.iter().map(|v| program.vars[v.index()].name.clone()).collect()
}

/// For a state its edges, by target, each with its paths.
fn edges(dfa: &TrackDfa, state: u32, budget: &Budget) -> Result<Vec<(u32, Vec<Cube>)>, OverBudget> {
    let mut found: Vec<(u32, Vec<Cube>)> = dfa.targets(state).into_iter().map(|t| (t, Vec::new())).collect();
    let mut cube: Cube = vec![None; dfa.width() as usize];
    // What is left to do: go into a function, or take a choice back.
    enum Task {
        Enter(Function, Option<(u32, bool)>),
        Leave(u32),
    }
    let mut tasks = vec![Task::Enter(dfa.root(state), None)];
    while let Some(task) = tasks.pop() {
        let (function, choice) = match task {
            Task::Leave(track) => {
                cube[track as usize] = None;
                continue;
            }
            Task::Enter(function, choice) => (function, choice),
        };
        if let Some((track, bit)) = choice {
            cube[track as usize] = Some(bit);
        }
        match (function.value(), function.node()) {
            (Some(target), _) => {
                budget.step(1 + cube.len() as u64, WHAT)?;
                if let Ok(at) = found.binary_search_by_key(&target, |(t, _)| *t) {
                    found[at].1.push(cube.clone());
                }
            }
            (None, Some(place)) => {
                let node = dfa.node(place);
                tasks.push(Task::Leave(node.var));
                tasks.push(Task::Enter(node.high, Some((node.var, true))));
                tasks.push(Task::Enter(node.low, Some((node.var, false))));
            }
            (None, None) => {}
        }
    }
    Ok(found)
}

fn sign(bit: Option<bool>) -> char {
    bit.map_or('X', |bit| if bit { '1' } else { '0' })
}

/// For Graphviz, as MONA draws it: double circles accept, circles reject, of boxes nothing is said. A column of a label is a set of letters, with a
/// line for each variable.
pub fn dot(program: &Program, automaton: &Automaton, budget: &Budget) -> Result<String, OverBudget> {
    let dfa = &automaton.dfa;
    let names = names(program, &automaton.vars);
    let mut graph = Graph::of_states(&names.join(", "), &[]);
    graph.start("start");
    for state in 0..dfa.states() as u32 {
        match dfa.said(state) {
            Said::Yes => graph.node(state, &[("shape", Word("doublecircle")), ("fillcolor", Text("#e2f3e2"))]),
            Said::No => graph.node(state, &[("shape", Word("circle"))]),
            Said::Nothing => graph.node(state, &[("shape", Word("box"))]),
        }
    }
    graph.edge("start", 0, &[]);
    for state in 0..dfa.states() as u32 {
        for (target, cubes) in edges(dfa, state, budget)? {
            let line = |track: usize| cubes.iter().map(|c| sign(c[track]).to_string()).collect::<Vec<_>>().join(" ");
            let label: Vec<String> = (0..names.len()).map(line).collect();
            graph.edge(state, target, &[("label", Text(&label.join("\n")))]);
        }
    }
    Ok(graph.finish())
}

/// In the Hanoi Omega-Automata format. Accepting states are in set 0, those of which nothing is said in set 1.
pub fn hoa(program: &Program, automaton: &Automaton, budget: &Budget) -> Result<String, OverBudget> {
    let dfa = &automaton.dfa;
    let names = names(program, &automaton.vars);
    let words = "\"after one letter for truth values\"";
    let mut out = Hoa::new(None, dfa.states(), &[0], &names, "2 Inf(0)", words);
    for state in 0..dfa.states() as u32 {
        let set = match dfa.said(state) {
            Said::Yes => Some(0),
            Said::No => None,
            Said::Nothing => Some(1),
        };
        out.state(state as usize, None, set);
        for (target, cubes) in edges(dfa, state, budget)? {
            out.edge(&hoa::label(&cubes), target as usize);
        }
    }
    Ok(out.finish(&["deterministic", "complete"]))
}

/// What `mona -xw` prints: the diagram itself. Leaves have a line of their own.
pub fn mona(program: &Program, automaton: &Automaton) -> String {
    let dfa = &automaton.dfa;
    let vars = variables(program, automaton);
    let orders: Vec<String> = vars.iter().map(|v| (program.vars[v.index()].order as u8).to_string()).collect();
    let states = dfa.states() as u32;
    // Leaves first, then the nodes in their order, of which children come first.
    let place = |function: Function| match (function.value(), function.node()) {
        (Some(state), _) => state as usize,
        (None, node) => states as usize + node.unwrap_or(0) as usize,
    };
    let said = |state| match dfa.said(state) {
        Said::Yes => "1",
        Said::No => "-1",
        Said::Nothing => "0",
    };
    let list = |all: Vec<String>| all.join(" ");
    let mut out = String::from("MONA DFA\n");
    let _ = writeln!(out, "number of variables: {}", vars.len());
    let _ = writeln!(out, "variables: {}", list(names(program, &vars)));
    let _ = writeln!(out, "orders: {}", list(orders));
    let _ = writeln!(out, "states: {states}\ninitial: 0\nbdd nodes: {}", states as usize + dfa.nodes());
    let _ = writeln!(out, "final: {}", list((0..states).map(|s| said(s).to_owned()).collect()));
    let _ = writeln!(out, "behaviour: {}", list((0..states).map(|s| place(dfa.root(s)).to_string()).collect()));
    out.push_str("bdd:\n");
    for state in 0..states {
        let _ = writeln!(out, " -1 {state} 0");
    }
    for node in 0..dfa.nodes() as u32 {
        let node = dfa.node(node);
        let _ = writeln!(out, " {} {} {}", node.var, place(node.low), place(node.high));
    }
    out.push_str("end\n");
    out
}
