//! Observation graphs by definition (paper 003, definitions 2, 3, 5 and 6), on explicit sets of states.
//!
//! Of the graphs that definition 3 allows this is the deterministic one: the first node is what the initial state reaches by steps that are not
//! observed, and an observed action leads from a node to what its successors so reach. A node is *divergent* if a cycle of steps that are not
//! observed lies in it, and *dead* if a state without any step does.

use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;

use posetta_base::ActionId;
use posetta_model::system::Letter;

use super::Space;
use super::letters::{self, Letters};

/// A node and what can be seen of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// How many states are in it.
    pub states: u64,
    /// Whether a cycle of steps that are not observed lies in it.
    pub divergent: bool,
    /// Whether a state without a step is in it.
    pub dead: bool,
}

/// A deterministic graph in its canonical form: nodes in the order in which a search from the first one meets them that goes by breadth and tries
/// actions in ascending order. So two graphs are isomorphic exactly if they are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// The nodes, the initial one first.
    pub nodes: Vec<Node>,
    /// From a node by an action to a node, ordered by node and action.
    pub arcs: Vec<(usize, ActionId, usize)>,
}

/// The graph that is found from a node on.
fn unfold<N: Clone + Eq + Hash>(
    start: N,
    attributes: impl Fn(&N) -> Node,
    successors: impl Fn(&N) -> Vec<(ActionId, N)>,
) -> Observation {
    let mut met = vec![start.clone()];
    let mut places = HashMap::from([(start, 0)]);
    let mut graph = Observation { nodes: Vec::new(), arcs: Vec::new() };
    while graph.nodes.len() < met.len() {
        let from = graph.nodes.len();
        let node = met[from].clone();
        graph.nodes.push(attributes(&node));
        let mut next = successors(&node);
        next.sort_by_key(|(action, _)| *action);
        for (action, to) in next {
            let place = *places.entry(to.clone()).or_insert_with(|| {
                met.push(to);
                met.len() - 1
            });
            graph.arcs.push((from, action, place));
        }
    }
    graph
}

impl Observation {
    /// The words that can be read in it, as a graph of letters: what is left of the states of a system when only that is asked (proposition 1).
    #[must_use]
    pub fn letters(&self) -> Letters {
        let from_node = |n: usize| -> Vec<letters::Node> {
            let arcs = self.arcs.iter().filter(|arc| arc.0 == n).map(|arc| (Letter::Action(arc.1), Some(arc.2)));
            let dead = self.nodes[n].dead.then_some((Letter::Deadlock, None));
            let divergent = self.nodes[n].divergent.then_some((Letter::Divergence, None));
            arcs.chain(dead).chain(divergent).collect()
        };
        Letters::from_states(from_node)
    }

    /// A graph in its canonical form. `None`: it is not deterministic, or not all of it is found from its first node on.
    #[must_use]
    pub fn canonical(nodes: &[Node], arcs: &[(usize, ActionId, usize)]) -> Option<Self> {
        let from = |n: usize| arcs.iter().filter(move |arc| arc.0 == n).map(|arc| (arc.1, arc.2));
        let all_differ = |actions: Vec<ActionId>| actions.iter().collect::<BTreeSet<_>>().len() == actions.len();
        if nodes.is_empty() || !(0..nodes.len()).all(|n| all_differ(from(n).map(|(action, _)| action).collect())) {
            return None;
        }
        let graph = unfold(0, |&n| nodes[n].clone(), |&n| from(n).collect());
        (graph.nodes.len() == nodes.len() && graph.arcs.len() == arcs.len()).then_some(graph)
    }
}

/// The set of states that belongs to a node.
pub type States = BTreeSet<usize>;

/// What a node is found from: the states of some components, and what is observed.
pub struct Observer<'a, 's> {
    /// The states.
    pub space: &'a Space<'s>,
    /// What is observed.
    pub observed: &'a [ActionId],
    divergent: Vec<bool>,
}

impl<'a, 's> Observer<'a, 's> {
    /// Looks at states with these actions observed.
    #[must_use]
    pub fn new(space: &'a Space<'s>, observed: &'a [ActionId]) -> Self {
        Self { space, observed, divergent: space.divergent(observed) }
    }

    fn start(&self) -> States {
        self.closed(&[0])
    }

    /// "All states s' reachable from s by a sequence of unobserved actions are also in S."
    fn closed(&self, states: &[usize]) -> States {
        self.space.silently_reached(states, self.observed).into_iter().collect()
    }

    /// "S contains a cycle" of steps that are not observed: in a finite set that such steps do not leave, that one can go on forever.
    fn is_divergent(&self, states: &States) -> bool {
        states.iter().any(|&s| self.divergent[s])
    }

    fn successor(&self, states: &States, action: ActionId) -> Option<States> {
        let steps = states.iter().flat_map(|&s| &self.space.steps[s]).filter(|s| s.action == action);
        let next: Vec<usize> = steps.map(|s| s.to).collect();
        (!next.is_empty()).then(|| self.closed(&next))
    }

    /// Whether one of the components takes part in an action.
    fn knows(&self, action: ActionId) -> bool {
        self.space.system.action(action).parts.iter().any(|c| self.space.components.contains(c))
    }

    /// The actions that can take place in a state.
    fn enabled(&self, state: usize) -> BTreeSet<ActionId> {
        self.space.steps[state].iter().map(|s| s.action).collect()
    }

    /// The observation graph.
    #[must_use]
    pub fn graph(&self) -> Observation {
        let attributes = |states: &States| Node {
            states: states.len() as u64,
            divergent: self.is_divergent(states),
            dead: states.iter().any(|&s| self.space.is_dead(s)),
        };
        unfold(self.start(), attributes, |states| {
            self.observed.iter().filter_map(|&a| Some((a, self.successor(states, a)?))).collect()
        })
    }
}

/// The synchronised product of the observation graphs of two sets of components of one system (definition 6). What they share must be observed
/// in both. A node is dead if it has states s1, s2 that enable nothing but shared actions, and none in common: this is the dead state of the product
/// that definition 5 asks for, where algorithm 2 of the paper finds others and misses some.
///
/// # Panics
/// When something shared is not observed.
#[must_use]
pub fn product(left: &Observer<'_, '_>, right: &Observer<'_, '_>) -> Observation {
    let actions: Vec<ActionId> = left.space.system.action_ids().collect();
    let shared: BTreeSet<ActionId> = actions.iter().copied().filter(|&a| left.knows(a) && right.knows(a)).collect();
    assert!(
        shared.iter().all(|a| left.observed.contains(a) && right.observed.contains(a)),
        "what is shared is observed"
    );
    let observed: Vec<ActionId> =
        actions.into_iter().filter(|a| left.observed.contains(a) || right.observed.contains(a)).collect();
    let attributes = |(l, r): &(States, States)| {
        let is_dead = |&s: &usize, &t: &usize| {
            let (s, t) = (left.enabled(s), right.enabled(t));
            s.is_subset(&shared) && t.is_subset(&shared) && s.is_disjoint(&t)
        };
        Node {
            states: (l.len() * r.len()) as u64,
            divergent: left.is_divergent(l) || right.is_divergent(r),
            dead: l.iter().any(|s| r.iter().any(|t| is_dead(s, t))),
        }
    };
    unfold((left.start(), right.start()), attributes, |(l, r)| {
        let step = |&a: &ActionId| {
            let l = if left.knows(a) { left.successor(l, a)? } else { l.clone() };
            let r = if right.knows(a) { right.successor(r, a)? } else { r.clone() };
            Some((a, (l, r)))
        };
        observed.iter().filter(|&&a| left.knows(a) || right.knows(a)).filter_map(step).collect()
    })
}
