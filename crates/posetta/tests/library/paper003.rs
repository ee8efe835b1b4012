//! The case studies of paper 003 (examples/systems/paper003) have the sizes that its tables print, or where those are wrong the ones that
//! follow from the model; and all engines count the same.

use std::fs;
use std::path::Path;

use posetta_base::{ActionId, Budget, Natural};
use posetta_model::sys;
use posetta_model::system::System;
use posetta_verify::system::{Engine, Options, Question, observation_graph};

/// States past which they are not looked at one by one here, and meta-states past which the flat graph is not made: both take seconds.
const MOST_STATES: u64 = 3000;
const MOST_META_STATES: usize = 400;

/// An example with another value of one of its constants.
fn example(name: &str, constant: &str, value: u64) -> System {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/systems/paper003").join(name);
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let begin = format!("const {constant} = ");
    assert_eq!(text.lines().filter(|line| line.starts_with(&begin)).count(), 1, "{name}");
    let line = |line: &str| if line.starts_with(&begin) { format!("{begin}{value}\n") } else { format!("{line}\n") };
    let text: String = text.lines().map(line).collect();
    let system = sys::read(name, &text, None, &mut |_, _| Err("it imports nothing".into()));
    let system = system.unwrap_or_else(|mistakes| panic!("{name}: {mistakes:?}"));
    assert_eq!(system.warnings, [], "{name}");
    system
}

/// States and steps.
fn counted(system: &System, engine: Engine) -> (u64, u64) {
    let (options, budget) = (Options::default().engine(engine).explore(true), Budget::unlimited());
    let mut question = Question::new(system, &[], options);
    question.decide(&budget).expect("no mistakes");
    let found = question.findings().expect("no limit");
    let number = |n: &Option<Natural>| n.as_ref().and_then(Natural::to_u64).expect("few");
    (number(&found.states), number(&found.arcs))
}

/// Nodes and arcs of the observation graph with the synchronisations observed.
fn observed(system: &System, engine: Engine) -> (usize, usize) {
    let shared: Vec<ActionId> = system.action_ids().filter(|&a| system.action(a).parts.len() > 1).collect();
    let graph = observation_graph(system, &shared, engine, &Budget::unlimited()).expect("no limit");
    (graph.nodes.len(), graph.arcs.len())
}

/// Every engine that is quick enough finds these sizes: states, steps, nodes and arcs; where nobody knows a number, all find the same.
fn agree(what: &str, system: &System, states: u64, steps: Option<u64>, nodes: usize, arcs: Option<usize>) {
    let all = counted(system, Engine::Sog);
    assert_eq!(all, (states, steps.unwrap_or(all.1)), "{what}");
    if states <= MOST_STATES {
        assert_eq!(counted(system, Engine::Explicit), all, "{what}");
    }
    let modular = observed(system, Engine::Modular);
    assert_eq!(modular, (nodes, arcs.unwrap_or(modular.1)), "{what}");
    if nodes <= MOST_META_STATES {
        assert_eq!(observed(system, Engine::Sog), modular, "{what}");
    }
}

#[test]
fn philosophers() {
    // Of the number before, and of this one.
    let (mut states, mut f) = ((1, 3), (0, 1));
    for n in 2..=8 {
        let (nodes, steps) = (states.1, 2 * n * f.1);
        let system = example("philosophers.sys", "N", n);
        agree(&format!("{n} philosophers"), &system, nodes, Some(steps), nodes as usize, Some(steps as usize));
        states = (states.1, states.0 + states.1);
        f = (f.1, f.0 + f.1);
    }
    assert_eq!(states.0, 47);
}

#[test]
fn database() {
    for n in 2..=8_u64 {
        let (states, steps) = (n * 3_u64.pow(n as u32 - 1) + 1, 2 * n * (n - 1) * 3_u64.pow(n as u32 - 2) + 2 * n);
        let (nodes, arcs) = (n as usize + 1, 2 * n as usize);
        agree(&format!("{n} managers"), &example("database.sys", "N", n), states, Some(steps), nodes, Some(arcs));
    }
}

#[test]
fn poisoned_philosophers() {
    let (mut states, mut nodes) = ((3, 21), (3, 17));
    for n in 2..=8 {
        // The tables have the other numbers of steps and arcs for two and three only.
        let (steps, arcs) = match n {
            2 => (Some(38), Some(24)),
            3 => (Some(264), Some(162)),
            _ => (None, None),
        };
        let system = example("poisoned-philosophers.sys", "N", n);
        agree(&format!("{n} poisoned philosophers"), &system, states.1, steps, nodes.1, arcs);
        states = (states.1, 4 * states.1 + 3 * states.0 + 6);
        nodes = (nodes.1, 4 * nodes.1 + nodes.0 + 4);
    }
    assert_eq!((states.0, nodes.0), (216_993, 103_681));
}

#[test]
fn railway() {
    for n in 2..=8_u64 {
        // The states and steps are those that the example claims; the paper's are of another model.
        let (states, steps) = (2 * n * n + 10 * n + 9, 4 * n * n + 18 * n + 9);
        let (nodes, arcs) = ((n * (n + 1) / 2 + 2 * n + 3) as usize, (n * n + 4 * n + 1) as usize);
        agree(&format!("railway {n}"), &example("railway.sys", "N", n), states, Some(steps), nodes, Some(arcs));
    }
}

#[test]
fn guided_vehicles() {
    for (way, steps) in [(1, 491_520), (5, 110_592_000)] {
        let system = example("agv.sys", "Way", way);
        // Whatever each of the five modules can be in, they can be in together.
        let (cell, carrier, assembly) = (16 * (way + 1), 2 * (way + 1), 2 * way + 4);
        let states = cell * cell * carrier * carrier * assembly;
        assert_eq!(counted(&system, Engine::Sog), (states, steps), "{way}");
        // However far they drive, they hand over in the same way.
        assert_eq!(observed(&system, Engine::Modular), (12, 18), "{way}");
        if way == 1 {
            assert_eq!(observed(&system, Engine::Sog), (12, 18));
        }
    }
}
