//! Systems of components against specs.
//!
//! A [`Question`] decides specs about a [`System`](posetta_model::system::System). `decide` has the engines race
//! (`crate::race`): `states` looks at states one by one, on one graph for all questions (`explicit`), or those that are
//! enough for the question (`explicit::reduced`); `sets` holds sets of states as diagrams (`space`), where `module`
//! makes the symbolic observation graph of one module (paper 003), and `product` synchronises those of all modules, of
//! which the flat graph is the case with one. They agree wherever they answer. `words` searches any of these graphs for
//! a run that violates a formula over actions, and `expand` makes a run of the components of what it finds, with the
//! help of `walk`. Formulas over states are decided by `linear` (explicit), `regions` (diagrams) and `branching`
//! (either; `listed` has sets of explicit states). `finite` makes a comparison of traces of a formula about finite
//! runs. `judge` says what is observed, and replays every run before it is shown. A system without a bound on its
//! tokens (`bounds`) is for `endless`, which asks its `coverability` graph, and goes `backward`. A net is made smaller
//! by `reduce` where that keeps the answer. `conform` holds recorded runs against a system.

mod backward;
mod bounds;
mod branching;
mod conform;
mod coverability;
mod decide;
mod endless;
mod expand;
pub(super) mod explicit;
mod finite;
mod graph;
mod judge;
mod linear;
mod listed;
mod module;
mod numbers;
pub(super) mod observed;
mod product;
mod reduce;
mod regions;
mod sets;
pub(super) mod space;
mod states;
mod walk;
mod words;

use posetta_base::{ActionId, Diagnostic, Natural, Verdict};
use posetta_model::system::Run;

pub use conform::{ActionNames, Conformance, FEW_STATES, Frontier, Outcome, Refusal, action_of, conform};
pub use decide::Question;
pub use graph::{MetaState, ObservationGraph, observation_graph};

/// How to decide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
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
    /// The coverability graph, and the first states: where there is no bound on tokens, whatever was chosen. It cannot
    /// be.
    Coverability,
    /// The state equation of a net and its traps, without a look at states. It cannot be chosen.
    Equation,
}

impl Engine {
    /// `auto`, `explicit`, `sog`, `modular`, `coverability` or `equation`. These words are part of the JSON reports:
    /// add, never rename.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Explicit => "explicit",
            Self::Sog => "sog",
            Self::Modular => "modular",
            Self::Coverability => "coverability",
            Self::Equation => "equation",
        }
    }
}

/// What may be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// How to decide.
    pub engine: Engine,
    /// Actions that are observed besides those that a formula names.
    pub observe: Vec<ActionId>,
    /// When everything is answered, find and count all states and steps.
    pub explore: bool,
    /// Up to so many states, [`Engine::Explicit`] looks at all of them for a deadlock or a state that is asked for, and
    /// finds a shortest run; past that it leaves out steps that make no difference. `None`: it never does.
    pub whole: Option<usize>,
    /// After so much effort ([`Budget::effort`](posetta_base::Budget::effort)) a net is made smaller for a question
    /// about what can be reached. `None`: never. With 0 it is at once, however little that changes.
    pub reduce: Option<u64>,
}

impl Default for Options {
    fn default() -> Self {
        Self { engine: Engine::Auto, observe: Vec::new(), explore: false, whole: Some(5_000), reduce: Some(1_000_000) }
    }
}

posetta_base::setters! { Options { engine: Engine, observe: Vec<ActionId>, explore: bool, whole: Option<usize>, reduce: Option<u64> } }

/// What it took to decide a spec.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Which engine answered; `Auto` if none did.
    pub engine: Engine,
    /// Nodes of the observation graph that were looked at: meta-states, or tuples of them.
    pub meta_states: Option<u64>,
    /// Arcs of it that were looked at.
    pub arcs: Option<u64>,
    /// States that were looked at or that the meta-states represent, the same state in two of them counted twice.
    pub states: Option<Natural>,
    /// Diagram nodes; for the modular engine the most that one module took.
    pub diagram_nodes: Option<u64>,
    /// The places and transitions of the smaller net that was asked instead, if one was.
    pub reduced: Option<(u64, u64)>,
}

/// An answer about one spec.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Answer {
    /// What was decided. A violation has a run that shows it, where one run can.
    pub verdict: Verdict<Option<Run>>,
    /// Of a spec that holds because something can happen: a run in which it does, where one run can show that.
    pub support: Option<Run>,
    /// The number, if one was asked for.
    pub most: Option<Natural>,
    /// A number was asked for, and there is none: it can grow forever.
    pub unbounded: bool,
    /// Of a run that violates a linear formula: after so many of its steps the formula is seen to be violated however
    /// the run goes on, if that is so at all.
    pub settled: Option<usize>,
    /// What it took.
    pub stats: Stats,
}

impl Answer {
    /// An answer that says this and no more.
    #[must_use]
    pub fn new(verdict: Verdict<Option<Run>>) -> Self {
        Self { verdict, support: None, most: None, unbounded: false, settled: None, stats: Stats::default() }
    }

    /// The run that shows it.
    #[must_use]
    pub fn run(&self) -> Option<&Run> {
        match &self.verdict {
            Verdict::Holds => self.support.as_ref(),
            Verdict::Violated(run) => run.as_ref(),
            Verdict::Unknown(_) => None,
        }
    }

    /// It holds, and a run may show it.
    fn holds(support: Option<Run>) -> Self {
        Self { support, ..Self::new(Verdict::Holds) }
    }

    /// It is violated if there is a run that does so.
    fn unless(run: Option<Run>) -> Self {
        if run.is_some() { Self::new(Verdict::Violated(run)) } else { Self::holds(None) }
    }

    /// It holds if there is a run that shows it.
    fn provided(run: Option<Run>) -> Self {
        if run.is_some() { Self::holds(run) } else { Self::new(Verdict::Violated(None)) }
    }

    /// The number that was asked for.
    fn number(most: Natural) -> Self {
        Self { most: Some(most), ..Self::holds(None) }
    }
}

/// What is true of the system whatever is claimed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Findings {
    /// How many states can be reached.
    pub states: Option<Natural>,
    /// How many steps there are between them: from each state, each way in which an action can take place.
    pub arcs: Option<Natural>,
    /// The most tokens that a place can have; `None` without nets.
    pub most_tokens: Option<u32>,
    /// The most tokens that there can be in all places together.
    pub most_tokens_in_all: Option<Natural>,
    /// By slot of a place, ascending: the most tokens that it can have.
    pub most_by_place: Vec<(u32, u32)>,
    /// The slots of places whose tokens can grow forever, ascending: then the states are not counted.
    pub unbounded: Vec<u32>,
    /// Diagram nodes of the set of reachable states, if there is a diagram.
    pub diagram_nodes: Option<u64>,
    /// Things worth knowing about the system.
    pub warnings: Vec<Diagnostic>,
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
                assert!(graph.nodes.iter().all(|node| !node.dead && !node.divergent && node.states == 1));
                if engine == Engine::Modular {
                    assert_eq!(graph.diagram_nodes, 2);
                }
            }
            for engine in [Engine::Auto, Engine::Explicit, Engine::Sog, Engine::Modular] {
                let options = Options::default().engine(engine).explore(true);
                let specs = [Spec::plain("d", Demand::NoDeadlock), Spec::plain("l", Demand::NoLivelock)];
                let mut question = Question::new(&system, &specs, options);
                question.decide(&Budget::unlimited()).unwrap();
                let hold = |answer: &Option<Answer>| answer.as_ref().is_some_and(|a| a.verdict == Verdict::Holds);
                assert!(question.answers().iter().all(hold), "{n} {engine:?}");
                let found = question.findings().map(|f| (f.states.clone(), f.arcs.clone()));
                assert_eq!(found, Some((Some(nodes.into()), Some(arcs.into()))), "{n} {engine:?}");
            }
            if n > 2 {
                (before, now) = (now, before + now);
                (old, new) = (new, old + new);
            }
        }
    }
}
