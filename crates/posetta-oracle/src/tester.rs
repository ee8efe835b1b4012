//! What a tester does beside a word, by trying every value of its variables at every position.
//!
//! A tester and a word are a graph: a node is a position and values of the variables, a step satisfies `trans`. [`Trial::judge`] holds a tester
//! to its promise: beside the word there is a computation, and in each the output is right at every position.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use posetta_compile::tester::{Assertion, AssertionId, Module, Tester};

use crate::fds::graph::Graph;

/// The truth of atoms at a position, one bit each.
type Letter = u64;

/// The values of the variables at a position, one bit each.
type Values = usize;

/// For each choice of values, those that can follow it.
type Steps = Rc<Vec<Vec<Values>>>;

/// A tester whose variables are few enough to try all their values.
pub struct Trial<'t> {
    tester: &'t Tester,
    /// The steps from one letter to another.
    steps: RefCell<HashMap<(Letter, Letter), Steps>>,
}

/// A position, and the next one where there is one.
#[derive(Clone, Copy)]
struct Scene {
    now: (Letter, Values),
    next: Option<(Letter, Values)>,
}

impl<'t> Trial<'t> {
    /// `None` if there are more variables than `most`.
    #[must_use]
    pub fn new(tester: &'t Tester, most: usize) -> Option<Self> {
        (tester.vars.len() <= most).then(|| Self { tester, steps: RefCell::default() })
    }

    fn holds(&self, id: AssertionId, scene: Scene) -> bool {
        let (letter, values) = scene.now;
        let holds = |id: &AssertionId| self.holds(*id, scene);
        match self.tester.assertions.get(id) {
            Assertion::Constant(value) => *value,
            Assertion::Atom(atom) => letter >> atom.0 & 1 == 1,
            Assertion::Var(var) => values >> var.0 & 1 == 1,
            Assertion::Next(a) => {
                let now = scene.next.expect("only steps are asked about the next position");
                self.holds(*a, Scene { now, next: None })
            }
            Assertion::Not(a) => !holds(a),
            Assertion::And(parts) => parts.iter().all(holds),
            Assertion::Or(parts) => parts.iter().any(holds),
            Assertion::Iff(a, b) => holds(a) == holds(b),
        }
    }

    fn all(&self, of: impl Fn(&Module) -> &Vec<AssertionId>, scene: Scene) -> bool {
        self.tester.modules.iter().all(|m| of(m).iter().all(|&a| self.holds(a, scene)))
    }

    fn choices(&self) -> std::ops::Range<Values> {
        0..1 << self.tester.vars.len()
    }

    fn steps(&self, from: Letter, to: Letter) -> Steps {
        let known = self.steps.borrow().get(&(from, to)).cloned();
        known.unwrap_or_else(|| {
            let follows =
                |now: Values, next: Values| self.all(|m| &m.trans, Scene { now: (from, now), next: Some((to, next)) });
            let steps = self.choices().map(|now| self.choices().filter(|&next| follows(now, next)).collect());
            let steps = Steps::new(steps.collect());
            self.steps.borrow_mut().insert((from, to), Rc::clone(&steps));
            steps
        })
    }

    /// The graph beside a word that goes back from its last letter to `cycle`, or ends.
    fn graph(&self, word: &[Letter], cycle: Option<usize>) -> Graph {
        let width = self.choices().len();
        let here = |n: usize| Scene { now: (word[n / width], n % width), next: None };
        let nodes = 0..word.len() * width;
        let row = |a: AssertionId| nodes.clone().map(|n| self.holds(a, here(n))).collect();
        let mut next = Vec::new();
        for position in 0..word.len() {
            let after = if position + 1 < word.len() { Some(position + 1) } else { cycle };
            let steps = after.map(|after| (after, self.steps(word[position], word[after])));
            next.extend(self.choices().map(|values| {
                let steps = steps.as_ref().map(|(after, steps)| steps[values].iter().map(move |v| after * width + v));
                steps.map_or_else(Vec::new, Iterator::collect)
            }));
        }
        let is_last = |n: usize| cycle.is_none() && n / width == word.len() - 1;
        Graph {
            next,
            initial: (0..width).filter(|&n| self.all(|m| &m.init, here(n))).collect(),
            finals: nodes.clone().map(|n| is_last(n) && self.all(|m| &m.finals, here(n))).collect(),
            justice: self.tester.modules.iter().flat_map(|m| &m.justice).map(|&a| row(a)).collect(),
            compassion: Vec::new(),
        }
    }

    /// Whether the tester is right beside a word (as `graph` has it), where `truth` says at which positions the formula is true.
    ///
    /// # Errors
    /// When there is no computation, or one in which the output is wrong somewhere.
    pub fn judge(&self, word: &[Letter], cycle: Option<usize>, truth: &[bool]) -> Result<(), String> {
        let graph = self.graph(word, cycle);
        let feasible = graph.feasible(&vec![true; graph.len()]);
        if !graph.initial.iter().any(|&n| feasible[n]) {
            return Err("there is no computation beside this word".to_owned());
        }
        let width = self.choices().len();
        let reached = graph.distances(&graph.initial);
        let on_computation = (0..graph.len()).filter(|&n| feasible[n] && reached[n].is_some());
        for (position, values) in on_computation.map(|n| (n / width, n % width)) {
            let output = self.holds(self.tester.output, Scene { now: (word[position], values), next: None });
            if truth.get(position).is_some_and(|&right| output != right) {
                return Err(format!("the output is {output} at position {position}, with the values {values:b}"));
            }
        }
        Ok(())
    }
}
