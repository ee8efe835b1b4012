//! The observation graph of a system, whole.

use super::Engine;
use super::observed::{NodeId, Observed as _};
use super::product::{Modules, Partition, Product};
use super::{bounds, sets};
use posetta_base::{ActionId, Budget, Error, Natural};
use posetta_model::system::System;

/// A graph of meta-states, or of tuples of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservationGraph {
    /// The nodes, the initial one first.
    pub nodes: Vec<MetaState>,
    /// From a node by an action to a node, ascending. Where modules are synchronised, actions that they share are on arcs whether they are
    /// observed or not.
    pub arcs: Vec<(u32, ActionId, u32)>,
    /// Diagram nodes of the meta-states; of modules, the most that one took.
    pub diagram_nodes: u64,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetaState {
    /// How many states it stands for.
    pub states: Natural,
    /// A run can go on inside forever.
    pub divergent: bool,
    /// Some of its states has no step.
    pub dead: bool,
}

/// Makes the whole graph for some observed actions: of the whole system, or with [`Engine::Modular`] of its components (of a net with units, of
/// these), synchronised.
///
/// # Errors
/// When the system is not bounded or the budget is spent.
pub fn observation_graph(
    system: &System,
    observed: &[ActionId],
    engine: Engine,
    budget: &Budget,
) -> Result<ObservationGraph, Error> {
    bounds::refuse_unbounded(system, budget)?;
    let mut seen = vec![false; system.actions.len()];
    observed.iter().for_each(|a| seen[a.index()] = true);
    let units = if engine == Engine::Modular { sets::units(system) } else { None };
    let system = units.as_ref().unwrap_or(system);
    let apart = vec![true; system.components.len()];
    let modules = if engine == Engine::Modular { Modules::Apart(&apart) } else { Modules::One };
    let partition = Partition::new(system, &modules, budget)?;
    let mut product = Product::new(&partition, &seen, budget)?;
    product.start()?;
    let (mut nodes, mut arcs) = (Vec::new(), Vec::new());
    while nodes.len() < product.len() {
        budget.step(1, "making an observation graph")?;
        let node = NodeId(nodes.len() as u32);
        arcs.extend(product.arcs(node)?.into_iter().map(|arc| (node.0, arc.action, arc.to.0)));
        nodes.push(MetaState {
            states: Natural::default(),
            divergent: product.is_divergent(node)?,
            dead: product.is_dead(node)?,
        });
    }
    let (counts, diagram_nodes) = product.sizes()?;
    for (node, states) in nodes.iter_mut().zip(counts) {
        node.states = states.into();
    }
    Ok(ObservationGraph { nodes, arcs, diagram_nodes })
}
