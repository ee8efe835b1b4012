//! Büchi automata, explored as far as a search asks: from which states is there an infinite word that passes accepting states again
//! and again, or a finite one that ends in an accepting state?
//!
//! The search is Couvreur's (1999): depth first, with a stack of the components that are not complete yet. It answers as soon as a
//! component that is still being explored has a cycle through an accepting state, and keeps what it has found out of every state
//! for the next question.

use super::StateId;
use posetta_base::{Budget, OverBudget};

const WHAT: &str = "looking for words that satisfy the property";

/// What a search sees of an automaton: its letters do not matter to it.
pub trait Graph {
    /// The states after one, in the order in which they are tried.
    ///
    /// # Errors
    /// When the budget is spent.
    fn successors(&mut self, state: StateId, budget: &Budget) -> Result<Vec<StateId>, OverBudget>;

    /// Whether a state is accepting.
    fn accepts(&self, state: StateId) -> bool;
}

/// What makes a word accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Goal {
    /// It is finite and ends in an accepting state.
    Reach,
    /// It is infinite and passes accepting states again and again.
    Repeat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Nothing,
    Feasible,
    Dead,
    /// On the search's stack, with its number.
    Open(u32),
}

/// What is known of the states of one automaton.
#[derive(Debug)]
pub struct Feasibility {
    goal: Goal,
    known: Vec<Mark>,
}

/// A state on the way, with what is left to try.
struct Frame {
    state: StateId,
    rest: std::vec::IntoIter<StateId>,
}

impl Feasibility {
    /// Nothing is known yet.
    #[must_use]
    pub fn new(goal: Goal) -> Self {
        Self { goal, known: Vec::new() }
    }

    fn known(&self, state: StateId) -> Mark {
        self.known.get(state.0 as usize).copied().unwrap_or(Mark::Nothing)
    }

    fn set(&mut self, state: StateId, known: Mark) {
        let place = state.0 as usize;
        if self.known.len() <= place {
            self.known.resize(place + 1, Mark::Nothing);
        }
        self.known[place] = known;
    }

    /// Whether some word is accepted from a state.
    ///
    /// # Errors
    /// When the budget is spent; what was found out until then is kept.
    pub fn is_feasible(&mut self, graph: &mut impl Graph, state: StateId, budget: &Budget) -> Result<bool, OverBudget> {
        match self.known(state) {
            Mark::Feasible => return Ok(true),
            Mark::Dead => return Ok(false),
            Mark::Nothing | Mark::Open(_) => {}
        }
        let mut search = Search { path: Vec::new(), alive: Vec::new(), roots: Vec::new(), next: 0 };
        let found = search.run(self, graph, state, budget);
        // What is on the way to what was found leads there; of the rest of the stack nothing is known.
        for &open in &search.alive {
            self.set(open, Mark::Nothing);
        }
        if let Ok(true) = found {
            for frame in &search.path {
                self.set(frame.state, Mark::Feasible);
            }
        }
        found
    }
}

struct Search {
    path: Vec<Frame>,
    /// The states of incomplete components, in the order of their numbers.
    alive: Vec<StateId>,
    /// For each incomplete component the number of its first state, and whether it has an accepting one.
    roots: Vec<(u32, bool)>,
    next: u32,
}

impl Search {
    fn enter(
        &mut self,
        known: &mut Feasibility,
        graph: &mut impl Graph,
        state: StateId,
        budget: &Budget,
    ) -> Result<bool, OverBudget> {
        budget.step(1, WHAT)?;
        let accepts = graph.accepts(state);
        known.set(state, Mark::Open(self.next));
        self.roots.push((self.next, accepts));
        self.alive.push(state);
        self.next += 1;
        if known.goal == Goal::Reach && accepts {
            self.path.push(Frame { state, rest: Vec::new().into_iter() });
            return Ok(true);
        }
        let rest = graph.successors(state, budget)?.into_iter();
        self.path.push(Frame { state, rest });
        Ok(false)
    }

    fn run(
        &mut self,
        known: &mut Feasibility,
        graph: &mut impl Graph,
        start: StateId,
        budget: &Budget,
    ) -> Result<bool, OverBudget> {
        if self.enter(known, graph, start, budget)? {
            return Ok(true);
        }
        while let Some(frame) = self.path.last_mut() {
            let Some(next) = frame.rest.next() else {
                self.leave(known);
                continue;
            };
            match known.known(next) {
                Mark::Feasible => return Ok(true),
                Mark::Dead => {}
                Mark::Nothing => {
                    if self.enter(known, graph, next, budget)? {
                        return Ok(true);
                    }
                }
                Mark::Open(number) => {
                    // A cycle: all components from there on are one.
                    let mut accepts = false;
                    while let Some(&(root, accepting)) = self.roots.last() {
                        accepts |= accepting;
                        if root <= number {
                            break;
                        }
                        self.roots.pop();
                    }
                    if let Some(last) = self.roots.last_mut() {
                        last.1 = accepts;
                    }
                    if accepts && known.goal == Goal::Repeat {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    /// Everything after the last state of the path was in vain; if it is the first of its component, so was all of that.
    fn leave(&mut self, known: &mut Feasibility) {
        let Some(frame) = self.path.pop() else { return };
        let Mark::Open(number) = known.known(frame.state) else { return };
        if self.roots.last().is_some_and(|&(root, _)| root == number) {
            self.roots.pop();
            while let Some(state) = self.alive.pop() {
                known.set(state, Mark::Dead);
                if state == frame.state {
                    break;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Listed(Vec<(bool, Vec<u32>)>);

    impl Graph for Listed {
        fn successors(&mut self, state: StateId, _: &Budget) -> Result<Vec<StateId>, OverBudget> {
            Ok(self.0[state.0 as usize].1.iter().map(|&s| StateId(s)).collect())
        }

        fn accepts(&self, state: StateId) -> bool {
            self.0[state.0 as usize].0
        }
    }

    /// By closure: a state is good if it reaches an accepting one, on a cycle where that is asked for.
    fn expected(graph: &Listed, goal: Goal, from: usize) -> bool {
        let size = graph.0.len();
        let reach = |from: &[u32]| {
            let mut seen = vec![false; size];
            let mut open = from.to_vec();
            while let Some(s) = open.pop() {
                if !std::mem::replace(&mut seen[s as usize], true) {
                    open.extend(&graph.0[s as usize].1);
                }
            }
            seen
        };
        let seen = reach(&[from as u32]);
        (0..size).any(|s| seen[s] && graph.0[s].0 && (goal == Goal::Reach || reach(&graph.0[s].1)[s]))
    }

    #[test]
    fn the_search_agrees_with_closure_on_random_graphs() {
        let mut seed = 7u64;
        let mut dice = |n: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % n
        };
        let budget = Budget::unlimited();
        for round in 0..4000 {
            let size = 1 + dice(9);
            let states = (0..size).map(|_| (dice(4) == 0, (0..dice(4)).map(|_| dice(size) as u32).collect())).collect();
            let mut graph = Listed(states);
            for goal in [Goal::Reach, Goal::Repeat] {
                let mut known = Feasibility::new(goal);
                for asked in 0..2 * size {
                    let state = dice(size) as usize;
                    let found = known.is_feasible(&mut graph, StateId(state as u32), &budget).unwrap();
                    assert_eq!(found, expected(&graph, goal, state), "round {round}, question {asked}: {:?}", graph.0);
                }
            }
        }
    }
}
