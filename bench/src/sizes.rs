//! How large the graphs of a system of components are: what this program runs for the third paper's tables, in a process of its own for each
//! way to count, so that one that takes too long or too much memory is ended alone.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use posetta_base::{ActionId, Budget, Error};
use posetta_model::sys;
use posetta_model::system::{Slots, System};
use posetta_verify::system::{Engine, Options, Question, observation_graph};
use serde_json::{Value, json};

/// What to count.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// A system of components.
    file: PathBuf,
    /// Which graph.
    #[arg(value_enum)]
    graph: Graph,
}

/// A graph, and how it is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Graph {
    /// All states and steps, counted on diagrams.
    States,
    /// The same, one by one.
    Listed,
    /// The observation graph of the whole, with the synchronisations observed.
    Flat,
    /// The same, of the modules.
    Modular,
    /// The modules one beside the other: the states of each, whatever others do, and the steps that concern nobody else.
    Modules,
}

impl Graph {
    /// The words of the command line.
    pub fn arguments(self, file: &Path) -> Vec<String> {
        let graph = match self {
            Self::States => "states",
            Self::Listed => "listed",
            Self::Flat => "flat",
            Self::Modular => "modular",
            Self::Modules => "modules",
        };
        vec!["sizes".to_owned(), file.display().to_string(), graph.to_owned()]
    }
}

/// The output of [`run`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Nodes, or states.
    pub nodes: String,
    /// Arcs, or steps.
    pub arcs: String,
    /// Diagram nodes of the meta-states; of modules, the most that one took.
    pub diagrams: Option<u64>,
}

impl Sizes {
    /// Reads it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|e| format!("prints no JSON: {e}"))?;
        let number = |key: &str| value[key].as_str().map(str::to_owned).ok_or_else(|| format!("prints no {key}"));
        Ok(Self { nodes: number("nodes")?, arcs: number("arcs")?, diagrams: value["diagrams"].as_u64() })
    }
}

/// Counts, and prints the sizes.
pub fn run(args: &Args) -> Result<(), String> {
    let name = args.file.display().to_string();
    let text = fs::read_to_string(&args.file).map_err(|e| format!("{name}: {e}"))?;
    let system = sys::read(&name, &text, None, &mut |_, _| Err("imports are not looked for".into()));
    let system = system.map_err(|mistakes| {
        let first = mistakes.first().map(|m| m.diagnostic.message.to_string());
        format!("{name}: {}", first.unwrap_or_default())
    })?;
    let over = |failure: Error| format!("{name}: {failure:?}");
    let all = |engine| -> Result<Value, String> {
        let (options, budget) = (Options::default().engine(engine).explore(true), Budget::unlimited());
        let mut question = Question::new(&system, &[], options);
        question.decide(&budget).map_err(&over)?;
        let found = question.findings().ok_or_else(|| format!("{name}: {:?}", question.over()))?;
        let number = |n: Option<String>| n.unwrap_or_default();
        let (states, arcs) = (found.states.as_ref(), found.arcs.as_ref());
        Ok(json!({
            "nodes": number(states.map(ToString::to_string)),
            "arcs": number(arcs.map(ToString::to_string)),
        }))
    };
    let observed = |engine| -> Result<Value, String> {
        let shared: Vec<ActionId> = system.action_ids().filter(|&a| system.action(a).parts.len() > 1).collect();
        let graph = observation_graph(&system, &shared, engine, &Budget::unlimited()).map_err(over)?;
        let (nodes, arcs) = (graph.nodes.len().to_string(), graph.arcs.len().to_string());
        Ok(json!({ "nodes": nodes, "arcs": arcs, "diagrams": graph.diagram_nodes }))
    };
    let sizes = match args.graph {
        Graph::States => all(Engine::Sog),
        Graph::Listed => all(Engine::Explicit),
        Graph::Flat => observed(Engine::Sog),
        Graph::Modular => observed(Engine::Modular),
        Graph::Modules => {
            let (nodes, arcs) = modules(&system);
            Ok(json!({ "nodes": nodes.to_string(), "arcs": arcs.to_string() }))
        }
    }?;
    println!("{sizes}");
    Ok(())
}

/// The states of all modules and their own steps, one by one.
fn modules(system: &System) -> (usize, usize) {
    let (mut states, mut steps) = (0, 0);
    for component in system.component_ids() {
        let module = system.restricted(&[component]);
        let slots = Slots::new(&module);
        let mut known = HashSet::from([module.initial()]);
        let mut open = vec![module.initial()];
        while let Some(state) = open.pop() {
            for (step, next) in module.moves(&slots, &state) {
                steps += usize::from(system.action(step.action).parts.len() == 1);
                if let Some(next) = next.filter(|next| known.insert(next.clone())) {
                    open.push(next);
                }
            }
        }
        states += known.len();
    }
    (states, steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_with_others_are_not_those_of_a_module() {
        let text = "component A { lts { init s; s -a-> t -b-> s; t -c-> u } }\ncomponent B { net { p = 2; b: p -> q; d: q -> p } }\nsystem S = A || B";
        let system = sys::read("test", text, None, &mut |_, _| Err("nothing".into())).expect("a system");
        // A: 3 states, `a` and `c`. B: 3 markings, `d` in two of them.
        assert_eq!(modules(&system), (6, 4));
    }
}
