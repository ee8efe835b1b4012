//! Observation graphs of the engines against the definition.

use posetta_base::{ActionId, Budget};
use posetta_model::system::System;
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::random::{NetworkTaste, network};
use posetta_oracle::system::observation::{Node, Observation, Observer};
use posetta_oracle::system::written::show;
use posetta_oracle::system::{MOST_STATES, Space};
use posetta_verify::system::{Engine, ObservationGraph, observation_graph};

/// What an engine made, in its canonical form.
fn canonical(graph: &ObservationGraph, about: &str) -> Observation {
    let node = |i: usize| {
        let node = &graph.nodes[i];
        let states = node.states.to_u64().expect("few states");
        Node { states, divergent: node.divergent, dead: node.dead }
    };
    let nodes: Vec<Node> = (0..graph.nodes.len()).map(node).collect();
    let arcs: Vec<(usize, ActionId, usize)> =
        graph.arcs.iter().map(|&(from, action, to)| (from as usize, action, to as usize)).collect();
    let canonical = Observation::canonical(&nodes, &arcs);
    canonical.unwrap_or_else(|| panic!("not deterministic, or more than can be reached: {graph:?} {about}"))
}

/// Actions that are observed, all that pass `always` among them.
fn observed(rng: &mut fastrand::Rng, system: &System, always: impl Fn(ActionId) -> bool) -> Vec<ActionId> {
    let percent = rng.u32(10..60);
    system.action_ids().filter(|&a| always(a) || rng.u32(..100) < percent).collect()
}

fn compare(engine: Engine, count: u64, always: impl Fn(&System, ActionId) -> bool) {
    let mut kinds = Shares::default();
    for_seeds(count, |rng, seed| {
        let system = network(rng, NetworkTaste { states: 200, ..NetworkTaste::ALL });
        let seen = observed(rng, &system, |a| always(&system, a));
        let about = format!("seed {seed}, {engine:?}, observed {seen:?}\n{}", show(&system));
        let space = Space::of(&system, MOST_STATES).expect("few states");
        let expected = Observer::new(&space, &seen).graph();
        let graph = observation_graph(&system, &seen, engine, &Budget::unlimited()).expect("a small system");
        let graph = canonical(&graph, &about);
        assert_eq!(graph, expected, "{about}");
        kinds.add(match (expected.nodes.iter().any(|n| n.dead), expected.nodes.iter().any(|n| n.divergent)) {
            (true, true) => "dead and divergent",
            (true, false) => "dead",
            (false, true) => "divergent",
            (false, false) => "neither",
        });
    });
    kinds.at_least(0.03, "observation graphs", &["dead and divergent", "dead", "divergent", "neither"]);
}

#[test]
fn of_the_whole_system() {
    compare(Engine::Sog, 600, |_, _| false);
}

/// "The SOG of the product is the product of the SOGs" where all that is shared is observed.
#[test]
fn of_the_components_synchronised() {
    compare(Engine::Modular, 600, |system, a| system.action(a).parts.len() > 1);
}
