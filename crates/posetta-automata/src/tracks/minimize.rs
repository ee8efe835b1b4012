//! The smallest automaton that says the same.
//!
//! Classes of states are split until states of one class agree in what they say and in the classes that they lead to. What a state leads to is
//! its transition function with classes for states, stored once in a diagram of classes, so that two are compared by their references. When a
//! class is split the largest part keeps its name, so a state is renamed at most log n times, and only what lies above a renamed state in the
//! diagram is looked at again: as [`crate::refine`] does it, with diagrams for signatures (Klarlund 1997).
//!
//! States are numbered in the order in which a search meets them that takes the low branch first, so automata that say the same are equal.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use super::above::Above;
use super::{Said, TrackDfa, WHAT};
use crate::partition::Partition;
use posetta_base::{Budget, OverBudget};
use posetta_dd::mtbdd::{Function, Mtbdd, Renamed};

/// The smallest automaton that says the same of every string.
///
/// # Errors
/// When the budget is spent.
pub fn minimize(dfa: &TrackDfa, budget: &Budget) -> Result<TrackDfa, OverBudget> {
    let (states, nodes) = (dfa.states(), dfa.nodes());
    let _claim = budget.claim(48 * nodes as u64 + 40 * states as u64, WHAT)?;
    // To look at a node here takes half as long as to make one.
    budget.step((states + nodes) as u64 / 2, WHAT)?;
    let mut refinement = Refinement::new(dfa, budget)?;
    refinement.refine(budget)?;
    refinement.quotient(budget)
}

struct Refinement<'a> {
    dfa: &'a TrackDfa,
    partition: Partition,
    /// Functions to classes.
    dd: Mtbdd,
    /// For each node what it is in terms of classes.
    images: Vec<Function>,
    /// For each state and then each node: the nodes above it.
    parents: Above,
    /// For each state and then each node: the states whose root it is.
    rooted: Above,
}

impl<'a> Refinement<'a> {
    fn new(dfa: &'a TrackDfa, budget: &Budget) -> Result<Self, OverBudget> {
        let states = dfa.states();
        let (parents, rooted) = (Above::nodes(dfa, &|_| true), Above::states(dfa));
        // The first state reads another sort of letter and is compared with none.
        let partition = Partition::new((0..states as u32).map(|s| match dfa.said(s) {
            _ if s == 0 => 0,
            Said::No => 1,
            Said::Nothing => 2,
            Said::Yes => 3,
        }));
        let mut this =
            Self { dfa, partition, dd: Mtbdd::new(budget)?, images: Vec::with_capacity(dfa.nodes()), parents, rooted };
        for n in 0..dfa.nodes() as u32 {
            let image = this.node_image(n)?;
            this.images.push(image);
        }
        Ok(this)
    }

    fn image(&self, function: Function) -> Function {
        image(function, &self.images, self.partition.classes())
    }

    fn node_image(&mut self, place: u32) -> Result<Function, OverBudget> {
        let node = self.dfa.node(place);
        let (low, high) = (self.image(node.low), self.image(node.high));
        self.dd.ask(node.var, low, high)
    }

    fn refine(&mut self, budget: &Budget) -> Result<(), OverBudget> {
        let mut touched: Vec<u32> = (0..self.partition.len() as u32).collect();
        touched.iter().for_each(|&class| self.partition.mark_all(class));
        let mut waiting = vec![false; self.dfa.nodes()];
        let mut open: BinaryHeap<Reverse<u32>> = BinaryHeap::new();
        let mut renamed = Vec::new();
        while !touched.is_empty() {
            for class in touched.drain(..) {
                budget.step(u64::from(self.partition.marked(class)), WHAT)?;
                self.split(class, &mut renamed);
            }
            // Above what was renamed, from the bottom up: children come before parents.
            let mut reach =
                |place: usize, this: &mut Self, open: &mut BinaryHeap<Reverse<u32>>, waiting: &mut [bool]| {
                    for &parent in this.parents.of(place) {
                        if !std::mem::replace(&mut waiting[parent as usize], true) {
                            open.push(Reverse(parent));
                        }
                    }
                    for &state in this.rooted.of(place) {
                        this.partition.mark(state, &mut touched);
                    }
                };
            for state in renamed.drain(..) {
                reach(state as usize, self, &mut open, &mut waiting);
            }
            let mut looked_at = 0;
            while let Some(Reverse(node)) = open.pop() {
                looked_at += 1;
                waiting[node as usize] = false;
                let image = self.node_image(node)?;
                if image != self.images[node as usize] {
                    self.images[node as usize] = image;
                    reach(self.dfa.states() + node as usize, self, &mut open, &mut waiting);
                }
            }
            budget.step(looked_at / 2, WHAT)?;
        }
        Ok(())
    }

    /// Splits a class by the images of its states, of which only the marked ones have changed.
    fn split(&mut self, class: u32, renamed: &mut Vec<u32>) {
        let (dfa, images) = (self.dfa, &self.images);
        let mut parts: FxHashMap<Function, u32> = FxHashMap::default();
        let part = |state: u32, classes: &[u32]| {
            let fresh = parts.len() as u32;
            *parts.entry(image(dfa.root(state), images, classes)).or_insert(fresh)
        };
        self.partition.split(class, part, renamed);
    }

    fn quotient(&self, budget: &Budget) -> Result<TrackDfa, OverBudget> {
        let mut renamed = Renamed::new(budget)?;
        let first = self.partition.classes()[0];
        let mut order = vec![first];
        let mut numbers: FxHashMap<u32, u32> = FxHashMap::from_iter([(first, 0)]);
        let (mut roots, mut said) = (Vec::new(), Vec::new());
        while let Some(&class) = order.get(roots.len()) {
            let state = self.partition.states(class)[0];
            let mut number = |class: u32| {
                *numbers.entry(class).or_insert_with(|| {
                    order.push(class);
                    order.len() as u32 - 1
                })
            };
            let root = self.image(self.dfa.root(state));
            roots.push(renamed.copy(root, &self.dd, &mut number)?);
            said.push(self.dfa.said(state));
        }
        TrackDfa::of_nodes(renamed.into_nodes(), roots, said, self.dfa.width(), budget)
    }
}

/// What a function is in terms of classes.
fn image(function: Function, images: &[Function], classes: &[u32]) -> Function {
    match function.node() {
        Some(place) => images[place as usize],
        None => Function::constant(classes[function.value().unwrap_or(0) as usize]),
    }
}
