//! Deterministic automata on strings of bit vectors.
//!
//! A string has *tracks*: one bit each at every position. The transition functions of all states share one multi-terminal diagram that
//! asks for the tracks of a letter and ends in states (Henriksen and others 1995), so that the size of the alphabet, two to the number of
//! tracks, does not show. Tracks are numbered 0, 1, …, from the top of the diagram down.
//!
//! Before the string comes one letter for the truth values that do not belong to a position: only the first state reads it, and nothing
//! leads back to that state. What an automaton says of a string is one of three ([`Said`]): yes, no, or nothing at all, where a restriction that the
//! question stands under is not met (Klarlund and Møller, MONA Version 1.4 User Manual, 2001).
//!
//! One operation per file: [`atoms`](TrackDfa::table), [`product`], [`project`], [`minimize`], [`shortest`]; [`Waiting`] makes automata of truth functions.
//! They are made of formulas of M2L by `posetta_compile::m2l`.

mod above;
mod cover;
mod minimize;
mod product;
mod project;
mod shortest;
#[cfg(test)]
mod tests;
mod waiting;

use std::sync::Arc;

use posetta_base::{Budget, Claim, OverBudget};
use posetta_dd::mtbdd::{Function, Mtbdd, Node};

pub use minimize::minimize;
pub use product::{Joined, Side, product};
pub use project::{project, quotient};
pub use shortest::{Bit, shortest};
pub use waiting::Waiting;

const WHAT: &str = "building an automaton of the formula";

/// What an automaton says of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Said {
    /// It is rejected.
    No,
    /// It does not count.
    Nothing,
    /// It is accepted.
    Yes,
}

impl Said {
    /// The other way round; nothing stays nothing.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::No => Self::Yes,
            Self::Nothing => Self::Nothing,
            Self::Yes => Self::No,
        }
    }

    /// What is said where either of two may be chosen: yes if one says yes, else no if one says no.
    #[must_use]
    pub fn either(self, other: Self) -> Self {
        match (self, other) {
            (Self::Yes, _) | (_, Self::Yes) => Self::Yes,
            (Self::No, _) | (_, Self::No) => Self::No,
            _ => Self::Nothing,
        }
    }
}

/// The part of an automaton that negation leaves as it is.
#[derive(Debug)]
struct Steps {
    /// Children before parents; numbers are states.
    nodes: Vec<Node>,
    /// For each state where its letter is read. State 0 is the first.
    roots: Vec<Function>,
    /// How many tracks there are.
    width: u32,
    _claim: Claim,
}

/// A deterministic automaton over tracks. Copies share the diagram.
#[derive(Clone, Debug)]
pub struct TrackDfa {
    steps: Arc<Steps>,
    said: Arc<[Said]>,
}

impl TrackDfa {
    /// The automaton whose diagram is in `dd`.
    fn new(dd: Mtbdd, roots: Vec<Function>, said: Vec<Said>, width: u32, budget: &Budget) -> Result<Self, OverBudget> {
        Self::of_nodes(dd.into_nodes(), roots, said, width, budget)
    }

    /// The automaton whose diagram has these nodes, children before parents.
    fn of_nodes(
        nodes: Vec<Node>,
        roots: Vec<Function>,
        said: Vec<Said>,
        width: u32,
        budget: &Budget,
    ) -> Result<Self, OverBudget> {
        let claim = budget.claim(12 * nodes.len() as u64 + 5 * roots.len() as u64, WHAT)?;
        Ok(Self { steps: Arc::new(Steps { nodes, roots, width, _claim: claim }), said: said.into() })
    }

    /// A small automaton: `said` for every state, and for each state and letter where it leads. Bit i of a letter is track i.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn table(
        width: u32,
        said: &[Said],
        next: impl Fn(usize, u32) -> usize,
        budget: &Budget,
    ) -> Result<Self, OverBudget> {
        let mut dd = Mtbdd::new(budget)?;
        let mut roots = Vec::with_capacity(said.len());
        for state in 0..said.len() {
            if state % 1024 == 0 {
                budget.step(1024, WHAT)?;
            }
            let mut row: Vec<Function> =
                (0..1_u32 << width).map(|letter| Function::constant(next(state, letter) as u32)).collect();
            for track in (0..width).rev() {
                let half = 1 << track;
                row = (0..half).map(|low| dd.ask(track, row[low], row[low | half])).collect::<Result<_, _>>()?;
            }
            roots.push(row[0]);
        }
        Self::new(dd, roots, said.to_vec(), width, budget)
    }

    /// The automaton that says the same of every string.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn constant(said: Said, budget: &Budget) -> Result<Self, OverBudget> {
        Self::table(0, &[Said::Nothing, said], |_, _| 1, budget)
    }

    /// How many states it has.
    #[must_use]
    pub fn states(&self) -> usize {
        self.said.len()
    }

    /// How many nodes its diagram has.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.steps.nodes.len()
    }

    /// How many tracks it reads.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.steps.width
    }

    /// What it says of a string that ends in a state; of the first state nothing, as no string ends there.
    #[must_use]
    pub fn said(&self, state: u32) -> Said {
        self.said[state as usize]
    }

    /// Where the letter of a state is read.
    #[must_use]
    pub fn root(&self, state: u32) -> Function {
        self.steps.roots[state as usize]
    }

    /// A node of the diagram.
    #[must_use]
    pub fn node(&self, place: u32) -> Node {
        self.steps.nodes[place as usize]
    }

    /// Where a letter leads.
    #[must_use]
    pub fn step(&self, state: u32, bit: impl Fn(u32) -> bool) -> u32 {
        let mut function = self.root(state);
        loop {
            match (function.value(), function.node()) {
                (Some(target), _) => return target,
                (None, Some(place)) => {
                    let node = self.node(place);
                    function = if bit(node.var) { node.high } else { node.low };
                }
                (None, None) => unreachable!("a function is a number or has a node"),
            }
        }
    }

    /// The automaton that says the contrary.
    #[must_use]
    pub fn not(&self) -> Self {
        self.saying(self.said.iter().map(|s| s.negated()).collect())
    }

    /// The automaton that says nothing where this one says no.
    #[must_use]
    pub fn restricted(&self) -> Self {
        let said = self.said.iter().map(|&s| if s == Said::No { Said::Nothing } else { s }).collect();
        self.saying(said)
    }

    /// The automaton that says yes where some string that goes on is accepted.
    #[must_use]
    pub fn prefixes(&self) -> Self {
        let mut can = above::reaching(self, Said::Yes, |_| true);
        // The first state stands before every string.
        can[0] = false;
        let said = self.said.iter().zip(&can).map(|(&s, &can)| if can { Said::Yes } else { s }).collect();
        self.saying(said)
    }

    /// The automaton for letters in which a track is 1; its place stays, nobody asks for it.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn where_one(&self, track: u32, budget: &Budget) -> Result<Self, OverBudget> {
        let mut dd = Mtbdd::new(budget)?;
        let mut images: Vec<Function> = Vec::with_capacity(self.nodes());
        let image = |images: &[Function], f: Function| f.node().map_or(f, |place| images[place as usize]);
        for &node in &self.steps.nodes {
            let (low, high) = (image(&images, node.low), image(&images, node.high));
            images.push(if node.var == track { high } else { dd.ask(node.var, low, high)? });
        }
        // The letter before the string has no positions.
        let roots = self.steps.roots.iter().map(|&root| image(&images, root)).collect();
        minimize(&Self::new(dd, roots, self.said.to_vec(), self.width(), budget)?, budget)
    }

    /// The states that letters lead to from a state, ascending.
    #[must_use]
    pub fn targets(&self, state: u32) -> Vec<u32> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut found = Vec::new();
        let mut open = vec![self.root(state)];
        while let Some(function) = open.pop() {
            if !seen.insert(function) {
                continue;
            }
            match function.node() {
                None => found.extend(function.value()),
                Some(place) => {
                    let node = self.node(place);
                    open.extend([node.low, node.high]);
                }
            }
        }
        found.sort_unstable();
        found
    }

    fn saying(&self, said: Vec<Said>) -> Self {
        Self { steps: Arc::clone(&self.steps), said: said.into() }
    }

    /// Whether a state is never left.
    fn is_sink(&self, state: u32) -> bool {
        self.root(state).value() == Some(state)
    }

    /// Whether it says yes or no of every string.
    fn is_total(&self) -> bool {
        self.said.iter().skip(1).all(|&s| s != Said::Nothing)
    }
}
