//! The words of runs, and LTL over them.
//!
//! "Its observed actions, then `deadlock` or `divergence` forever if they end." [`Letters`] is the graph of these letters: from a state of the
//! system an observed action leads to every state that it leads to after steps that are not observed; `deadlock` leads to a place of its own if
//! the state so reaches one without a step, and `divergence` if a run can go on from it forever without an observed action. The words of runs are
//! the infinite paths of this graph.

use std::collections::HashMap;

use posetta_base::ActionId;
use posetta_logic::Ltl;
use posetta_model::system::Letter;

use super::Space;
use crate::fds::graph::{Graph, Walk};
use crate::fds::tableau;
use crate::ltl::on_lasso;

/// An infinite word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The letters that come once.
    pub stem: Vec<Letter>,
    /// The letters that come forever, at least one.
    pub round: Vec<Letter>,
}

impl Word {
    /// The letters, each that is written once.
    #[must_use]
    pub fn letters(&self) -> Vec<Letter> {
        [&self.stem[..], &self.round].concat()
    }

    /// Whether it satisfies a formula. At each position exactly one letter is true.
    #[must_use]
    pub fn satisfies(&self, formula: &Ltl<Letter>) -> bool {
        let letters = self.letters();
        on_lasso(formula, self.stem.len(), self.round.len(), &|letter, i| letters[i] == *letter)
    }
}

/// "The actions that the formula names and those that are observed besides", ascending.
#[must_use]
pub fn observed(formula: &Ltl<Letter>, besides: &[ActionId]) -> Vec<ActionId> {
    let mut actions = besides.to_vec();
    let _ = formula.map_atoms(&mut |letter| {
        if let Letter::Action(action) = letter {
            actions.push(*action);
        }
    });
    actions.sort_unstable();
    actions.dedup();
    actions
}

/// A letter, and the state after it; none after `deadlock` and `divergence`.
pub type Node = (Letter, Option<usize>);

/// The letters of a system, each with the state that it leads to: the nodes of a graph whose infinite paths are the words of its runs.
pub struct Letters {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// What can follow what.
    pub graph: Graph,
}

impl Letters {
    /// The letters of a system for these observed actions.
    #[must_use]
    pub fn of(space: &Space<'_>, observed: &[ActionId]) -> Self {
        let divergent = space.divergent(observed);
        let from_state = |state: usize| -> Vec<Node> {
            let mut letters = Vec::new();
            for silent in space.silently_reached(&[state], observed) {
                let steps = space.steps[silent].iter().filter(|s| observed.contains(&s.action));
                letters.extend(steps.map(|s| (Letter::Action(s.action), Some(s.to))));
                if space.is_dead(silent) {
                    letters.push((Letter::Deadlock, None));
                }
            }
            if divergent[state] {
                letters.push((Letter::Divergence, None));
            }
            letters.sort_unstable();
            letters.dedup();
            letters
        };
        Self::from_states(from_state)
    }

    /// The graph of the letters that can come first from each state; the state 0 is the one at the start.
    pub fn from_states(from_state: impl Fn(usize) -> Vec<Node>) -> Self {
        let mut by_state: HashMap<usize, Vec<Node>> = HashMap::new();
        let mut nodes = from_state(0);
        let initial: Vec<usize> = (0..nodes.len()).collect();
        let mut places: HashMap<Node, usize> = nodes.iter().copied().zip(0..).collect();
        let mut next: Vec<Vec<usize>> = Vec::new();
        while next.len() < nodes.len() {
            let node = nodes[next.len()];
            let following = match node.1 {
                Some(state) => by_state.entry(state).or_insert_with(|| from_state(state)).clone(),
                // "All later letters are the same."
                None => vec![node],
            };
            let place = |node: Node| {
                *places.entry(node).or_insert_with(|| {
                    nodes.push(node);
                    nodes.len() - 1
                })
            };
            next.push(following.into_iter().map(place).collect());
        }
        let finals = vec![false; nodes.len()];
        Self { nodes, graph: Graph { next, initial, finals, ..Graph::default() } }
    }

    /// A word that does not satisfy the formula. It exists if and only if one is given.
    #[must_use]
    pub fn violation(&self, formula: &Ltl<Letter>) -> Option<Word> {
        let Walk { nodes, cycle } = tableau::walk(&self.graph, formula, |letter, n| self.nodes[n].0 == *letter)?;
        let mut stem: Vec<Letter> = nodes.into_iter().map(|n| self.nodes[n].0).collect();
        let round = stem.split_off(cycle.expect("no path of letters ends"));
        Some(Word { stem, round })
    }
}

/// Whether some run has this word, whatever its length: the system is walked beside the word.
#[must_use]
pub fn has_word(space: &Space<'_>, observed: &[ActionId], word: &Word) -> bool {
    let letters = word.letters();
    let divergent = space.divergent(observed);
    let after = |position: usize| if position + 1 < letters.len() { position + 1 } else { word.stem.len() };
    // A state, the position of the letter that comes next, and whether the step before it was a letter.
    let mut nodes = vec![(0, 0, true)];
    let mut next: Vec<Vec<usize>> = Vec::new();
    while next.len() < nodes.len() {
        let (state, position, _) = nodes[next.len()];
        let same = letters[position.min(word.stem.len())..].iter().all(|l| *l == letters[position]);
        let ends = match letters[position] {
            Letter::Deadlock => same && space.is_dead(state),
            Letter::Divergence => same && divergent[state],
            Letter::Action(_) => false,
        };
        if ends {
            return true;
        }
        let mut places = Vec::new();
        for step in &space.steps[state] {
            let node = match observed.contains(&step.action) {
                false => (step.to, position, false),
                true if letters[position] == Letter::Action(step.action) => (step.to, after(position), true),
                true => continue,
            };
            places.push(nodes.iter().position(|n| *n == node).unwrap_or_else(|| {
                nodes.push(node);
                nodes.len() - 1
            }));
        }
        next.push(places);
    }
    let goes_on = nodes.iter().map(|n| n.2).collect();
    let finals = vec![false; nodes.len()];
    Graph { next, initial: vec![0], finals, justice: vec![goes_on], ..Graph::default() }.computation().is_some()
}
