//! The smallest automaton that says the same.
//!
//! Classes of states are split until states of one class agree in what they say and in the classes that they lead to. What a state leads to is
//! its transition function with classes for states, stored once in a diagram of classes, so that two are compared by their references. When a
//! class is split the largest part keeps its name, so a state is renamed at most log n times, and only what lies above a renamed state in the
//! diagram is looked at again (Hopcroft 1971; for functors in general Jacobs and Wißmann 2023, for diagrams Klarlund 1997).
//!
//! States are numbered in the order in which a search meets them that takes the low branch first, so automata that say the same are equal.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use super::{Said, TrackDfa, WHAT};
use posetta_base::{Budget, OverBudget};
use posetta_dd::mtbdd::{Function, Mtbdd};

/// The smallest automaton that says the same of every string.
///
/// # Errors
/// When the budget is spent.
pub fn minimize(dfa: &TrackDfa, budget: &Budget) -> Result<TrackDfa, OverBudget> {
    let (states, nodes) = (dfa.states(), dfa.nodes());
    let _claim = budget.claim(48 * nodes as u64 + 40 * states as u64, WHAT)?;
    let mut refinement = Refinement::new(dfa, budget)?;
    refinement.refine(budget)?;
    refinement.quotient(budget)
}

/// What lies directly above each state or node: lists in one array.
struct Above {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Above {
    fn new(places: usize, pairs: impl Iterator<Item = (usize, u32)> + Clone) -> Self {
        let mut starts = vec![0_u32; places + 1];
        for (place, _) in pairs.clone() {
            starts[place + 1] += 1;
        }
        for place in 0..places {
            starts[place + 1] += starts[place];
        }
        let mut free = starts.clone();
        let mut items = vec![0; starts[places] as usize];
        for (place, item) in pairs {
            items[free[place] as usize] = item;
            free[place] += 1;
        }
        Self { starts, items }
    }

    fn of(&self, place: usize) -> &[u32] {
        &self.items[self.starts[place] as usize..self.starts[place + 1] as usize]
    }
}

struct Refinement<'a> {
    dfa: &'a TrackDfa,
    class: Vec<u32>,
    members: Vec<Vec<u32>>,
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
        let (states, nodes) = (dfa.states(), dfa.nodes());
        let place =
            move |f: Function| f.value().map_or_else(|| states + f.node().unwrap_or(0) as usize, |s| s as usize);
        let children = (0..nodes as u32).flat_map(move |n| {
            let node = dfa.node(n);
            [(place(node.low), n), (place(node.high), n)]
        });
        let parents = Above::new(states + nodes, children);
        let rooted = Above::new(states + nodes, (0..states as u32).map(move |s| (place(dfa.root(s)), s)));
        // The first state reads another sort of letter and is compared with none.
        let mut members: Vec<Vec<u32>> = vec![vec![0]];
        let mut class = vec![0; states];
        for said in [Said::No, Said::Nothing, Said::Yes] {
            let alike: Vec<u32> = (1..states as u32).filter(|&s| dfa.said(s) == said).collect();
            if !alike.is_empty() {
                alike.iter().for_each(|&s| class[s as usize] = members.len() as u32);
                members.push(alike);
            }
        }
        let mut this =
            Self { dfa, class, members, dd: Mtbdd::new(budget)?, images: Vec::with_capacity(nodes), parents, rooted };
        for n in 0..nodes as u32 {
            let image = this.node_image(n)?;
            this.images.push(image);
        }
        Ok(this)
    }

    fn image(&self, function: Function) -> Function {
        match function.node() {
            Some(place) => self.images[place as usize],
            None => Function::constant(self.class[function.value().unwrap_or(0) as usize]),
        }
    }

    fn node_image(&mut self, place: u32) -> Result<Function, OverBudget> {
        let node = self.dfa.node(place);
        let (low, high) = (self.image(node.low), self.image(node.high));
        self.dd.ask(node.var, low, high)
    }

    fn refine(&mut self, budget: &Budget) -> Result<(), OverBudget> {
        let mut dirty: Vec<u32> = (1..self.dfa.states() as u32).collect();
        let mut is_dirty = vec![true; self.dfa.states()];
        let mut waiting = vec![false; self.dfa.nodes()];
        while !dirty.is_empty() {
            budget.step(dirty.len() as u64, WHAT)?;
            let moved = self.split(&dirty, &is_dirty);
            dirty.iter().for_each(|&s| is_dirty[s as usize] = false);
            dirty.clear();
            // Above what was renamed, from the bottom up: children come before parents.
            let mut open: BinaryHeap<Reverse<u32>> = BinaryHeap::new();
            let mut reach = |place: usize, this: &Self, open: &mut BinaryHeap<Reverse<u32>>, waiting: &mut [bool]| {
                for &parent in this.parents.of(place) {
                    if !std::mem::replace(&mut waiting[parent as usize], true) {
                        open.push(Reverse(parent));
                    }
                }
                for &state in this.rooted.of(place) {
                    if state != 0 && !std::mem::replace(&mut is_dirty[state as usize], true) {
                        dirty.push(state);
                    }
                }
            };
            for state in moved {
                reach(state as usize, self, &mut open, &mut waiting);
            }
            while let Some(Reverse(node)) = open.pop() {
                waiting[node as usize] = false;
                let image = self.node_image(node)?;
                if image != self.images[node as usize] {
                    self.images[node as usize] = image;
                    reach(self.dfa.states() + node as usize, self, &mut open, &mut waiting);
                }
            }
        }
        Ok(())
    }

    /// Splits the classes of states whose images have changed; the states that got another class.
    fn split(&mut self, dirty: &[u32], is_dirty: &[bool]) -> Vec<u32> {
        let mut classes: Vec<u32> = dirty.iter().map(|&s| self.class[s as usize]).collect();
        classes.sort_unstable();
        classes.dedup();
        let mut moved = Vec::new();
        for class in classes {
            if self.members[class as usize].len() == 1 {
                continue;
            }
            let members = std::mem::take(&mut self.members[class as usize]);
            let mut groups: FxHashMap<Function, usize> = FxHashMap::default();
            let mut parts: Vec<Vec<u32>> = Vec::new();
            // States that did not change still agree with each other: one look serves them all.
            let mut unchanged: Option<usize> = None;
            for state in members {
                let group = match unchanged {
                    Some(group) if !is_dirty[state as usize] => group,
                    _ => {
                        let image = self.image(self.dfa.root(state));
                        let group = *groups.entry(image).or_insert_with(|| {
                            parts.push(Vec::new());
                            parts.len() - 1
                        });
                        if !is_dirty[state as usize] {
                            unchanged = Some(group);
                        }
                        group
                    }
                };
                parts[group].push(state);
            }
            let largest = (0..parts.len()).max_by_key(|&i| (parts[i].len(), Reverse(i))).unwrap_or(0);
            for (i, part) in parts.into_iter().enumerate() {
                if i == largest {
                    self.members[class as usize] = part;
                    continue;
                }
                let fresh = self.members.len() as u32;
                part.iter().for_each(|&s| self.class[s as usize] = fresh);
                moved.extend_from_slice(&part);
                self.members.push(part);
            }
        }
        moved
    }

    fn quotient(&self, budget: &Budget) -> Result<TrackDfa, OverBudget> {
        let mut dd = Mtbdd::new(budget)?;
        let mut images: FxHashMap<Function, Function> = FxHashMap::default();
        let mut order = vec![self.class[0]];
        let mut numbers: FxHashMap<u32, u32> = FxHashMap::from_iter([(self.class[0], 0)]);
        let (mut roots, mut said) = (Vec::new(), Vec::new());
        while let Some(&class) = order.get(roots.len()) {
            let state = self.members[class as usize][0];
            let mut number = |class: u32| {
                *numbers.entry(class).or_insert_with(|| {
                    order.push(class);
                    order.len() as u32 - 1
                })
            };
            let root = self.image(self.dfa.root(state));
            roots.push(super::project::renumber(root, &self.dd, &mut dd, &mut images, &mut number)?);
            said.push(self.dfa.said(state));
        }
        TrackDfa::new(dd, roots, said, self.dfa.width(), budget)
    }
}
