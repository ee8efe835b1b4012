//! Systems of components against specs.
//!
//! [`verify_system`] decides specs about a [`System`] by one of three engines, which agree wherever they answer. `explicit` looks at states one by
//! one. `space` holds sets of states as diagrams; `module` makes the symbolic observation graph of one module of that (paper 003), and
//! `product` synchronises those of all modules, of which the flat graph is the case with one. `words` searches any of these graphs for
//! a run that violates a formula over actions, and `expand` makes a run of the components of what it finds. Formulas over states are decided by
//! `linear` (explicit), `regions` (diagrams) and `branching` (either). `finite` makes a comparison of traces of a formula about
//! finite runs. `decide` chooses, and replays every run before it is shown. `conform` holds
//! recorded runs against a system.

mod bounds;
mod branching;
mod conform;
mod decide;
mod expand;
pub(super) mod explicit;
mod finite;
mod graph;
mod linear;
mod module;
pub(super) mod observed;
mod product;
mod regions;
pub(super) mod space;
mod words;

use dashu_int::UBig;

use posetta_base::{ActionId, Diagnostic, OverBudget};
use posetta_model::system::Run;

pub use conform::{ActionNames, Conformance, FEW_STATES, Frontier, Outcome, Refusal, action_of, conform};
pub use decide::verify_system;
pub use graph::{MetaState, ObservationGraph, observation_graph};

/// How to decide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Engine {
    /// What is likely to be quickest.
    #[default]
    Auto,
    /// State by state.
    Explicit,
    /// The symbolic observation graph of the whole system.
    Sog,
    /// The observation graphs of the components, synchronised.
    Modular,
}

/// What may be chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SystemOptions {
    /// How to decide.
    pub engine: Engine,
    /// Actions that are observed besides those that a formula names.
    pub observe: Vec<ActionId>,
    /// Find and count all states and steps even if no spec needs them.
    pub explore: bool,
}

/// What was decided about a spec.
#[must_use]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SystemVerdict {
    /// It is true. Of a spec that something can happen: with a run that shows it.
    Holds(Option<Run>),
    /// It is not. With a run that shows it, where one run can.
    Violated(Option<Run>),
    /// The number that was asked for.
    Bound(UBig),
    /// A limit was reached before the answer was known.
    Unknown(OverBudget),
}

/// What it took to decide a spec.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SystemStats {
    /// Which engine answered; never `Auto`.
    pub engine: Engine,
    /// Nodes of the observation graph that were looked at: meta-states, or tuples of them.
    pub meta_states: Option<u64>,
    /// Arcs of it that were looked at.
    pub arcs: Option<u64>,
    /// States that were looked at or that the meta-states represent, the same state in two of them counted twice.
    pub states: Option<UBig>,
    /// Diagram nodes; for the modular engine the most that one module took.
    pub diagram_nodes: Option<u64>,
}

/// An answer about one spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemAnswer {
    /// What was decided.
    pub verdict: SystemVerdict,
    /// Of a run that violates a linear formula: after so many of its steps the formula is seen to be violated however the run goes on, if that
    /// is so at all.
    pub settled: Option<usize>,
    /// What it took.
    pub stats: SystemStats,
}

/// What is true of the system whatever is claimed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SystemFindings {
    /// How many states can be reached.
    pub states: Option<UBig>,
    /// How many steps there are between them: from each state, each way in which an action can take place.
    pub arcs: Option<UBig>,
    /// The most tokens that a place can have; `None` without nets.
    pub most_tokens: Option<u32>,
    /// The most tokens that there can be in all places together.
    pub most_tokens_in_all: Option<UBig>,
    /// By slot of a place, ascending: the most tokens that it can have.
    pub most_by_place: Vec<(u32, u32)>,
    /// Diagram nodes of the set of reachable states, if there is a diagram.
    pub diagram_nodes: Option<u64>,
    /// Things worth knowing about the system.
    pub warnings: Vec<Diagnostic>,
}

/// What [`verify_system`] tells while it is at work.
#[derive(Debug)]
pub enum SystemNews<'a> {
    /// What is known about the system by now.
    System(&'a SystemFindings),
    /// The spec at this place has an answer.
    Answer(usize, SystemAnswer),
}

#[cfg(test)]
mod tests {
    use super::*;
    use posetta_base::{Budget, ComponentId};
    use posetta_model::system::{Action, Behaviour, Component, Demand, Lts, LtsArc, Spec, System};

    /// Philosophers who take both forks at once and put them back at once.
    fn philosophers(n: u32) -> System {
        let mut system = System { name: "philosophers".to_owned(), ..System::default() };
        let action = |name: &str, i: u32| ActionId::from_raw(2 * i + u32::from(name == "put"));
        for i in 0..n {
            for name in ["take", "put"] {
                let mut parts: Vec<u32> = vec![i, n + i, n + (i + 1) % n];
                parts.sort_unstable();
                parts.dedup();
                let parts = parts.into_iter().map(ComponentId::from_raw).collect();
                system.actions.push(Action { name: format!("{name}[{i}]").into(), internal: false, parts });
            }
        }
        let lts = |arcs: Vec<(u32, ActionId, u32)>| {
            let mut arcs: Vec<LtsArc> =
                arcs.into_iter().map(|(from, action, to)| LtsArc { from, action, to }).collect();
            arcs.sort_unstable();
            Behaviour::Lts(Lts { states: vec!["free".into(), "busy".into()], initial: 0, arcs })
        };
        for i in 0..n {
            let behaviour = lts(vec![(0, action("take", i), 1), (1, action("put", i), 0)]);
            system.components.push(Component { name: format!("Phil[{i}]").into(), behaviour });
        }
        for i in 0..n {
            let left = (i + n - 1) % n;
            let arcs = [i, left].into_iter().flat_map(|p| [(0, action("take", p), 1), (1, action("put", p), 0)]);
            system.components.push(Component { name: format!("Fork[{i}]").into(), behaviour: lts(arcs.collect()) });
        }
        system
    }

    /// Table I of paper 003, with its recurrences: Lucas numbers of nodes, 2nF(n) arcs.
    #[test]
    fn the_papers_philosophers() {
        let (mut before, mut now) = (3_u64, 4);
        let (mut old, mut new) = (1, 1);
        for n in 2..=8 {
            let (nodes, arcs) = (if n == 2 { 3 } else { now }, 2 * u64::from(n) * new);
            let system = philosophers(n);
            let all: Vec<ActionId> = system.action_ids().collect();
            for engine in [Engine::Sog, Engine::Modular] {
                let graph = observation_graph(&system, &all, engine, &Budget::unlimited()).unwrap();
                assert_eq!((graph.nodes.len() as u64, graph.arcs.len() as u64), (nodes, arcs), "{n} {engine:?}");
                assert!(graph.nodes.iter().all(|node| !node.dead && !node.divergent && node.states == UBig::ONE));
                if engine == Engine::Modular {
                    assert_eq!(graph.diagram_nodes, 2);
                }
            }
            for engine in [Engine::Auto, Engine::Explicit, Engine::Sog, Engine::Modular] {
                let options = SystemOptions { engine, explore: true, ..SystemOptions::default() };
                let specs = [Spec::plain("d", Demand::NoDeadlock), Spec::plain("l", Demand::NoLivelock)];
                let mut words = Vec::new();
                let found = verify_system(&system, &specs, &options, &Budget::unlimited(), &mut |news| {
                    if let SystemNews::Answer(_, answer) = news {
                        words.push(answer.verdict);
                    }
                })
                .unwrap();
                assert_eq!(words, [SystemVerdict::Holds(None), SystemVerdict::Holds(None)], "{n} {engine:?}");
                assert_eq!((found.states, found.arcs), (Some(nodes.into()), Some(arcs.into())), "{n} {engine:?}");
            }
            if n > 2 {
                (before, now) = (now, before + now);
                (old, new) = (new, old + new);
            }
        }
    }
}
