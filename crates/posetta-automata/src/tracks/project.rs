//! Tracks that nobody sees: is there some way to fill them?
//!
//! A letter without the hidden tracks leads to a set of states (the subset construction, Rabin and Scott 1959). A set says yes if one of its states does, else no
//! if one does, else nothing. Sets are made only as far as they are reached, each as the union of two that are known already, so that its
//! transition function is the union of theirs.
//!
//! States that make no difference are dropped: a set with a state that says yes for ever is that state; one that says nothing for ever adds nothing; one that
//! says no for ever adds nothing beside a state that always says something. Where there are many sets, states that others cover are dropped, too ([`super::cover`]).

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::above::reaching;
use super::cover::{Cover, MOST_STATES};
use super::{Said, TrackDfa, WHAT};
use posetta_base::{Budget, Claim, OverBudget};
use posetta_dd::mtbdd::{Function, Mtbdd, Renamed};
use posetta_dd::pairs::Pairs;

/// The automaton in which a string may be followed by any number of positions whose tracks are 0 except for the hidden ones, which are
/// anything: the values of hidden tracks may lie beyond the end of the string. It says yes if that leads to a yes, else no if it leads to a no.
#[must_use]
pub fn quotient(dfa: &TrackDfa, hidden: &[u32]) -> TrackDfa {
    let seen = |track: u32| hidden.binary_search(&track).is_ok();
    let (yes, no) = (reaching(dfa, Said::Yes, seen), reaching(dfa, Said::No, seen));
    let said = (0..dfa.states()).map(|state| match (state, yes[state], no[state]) {
        (0, _, _) | (_, false, false) => Said::Nothing,
        (_, true, _) => Said::Yes,
        (_, false, true) => Said::No,
    });
    dfa.saying(said.collect())
}

/// The automaton that says yes where some way to fill the hidden tracks (ascending) does, over the other tracks, which keep their order. It is
/// not the smallest.
///
/// # Errors
/// When the budget is spent.
pub fn project(dfa: &TrackDfa, hidden: &[u32], budget: &Budget) -> Result<TrackDfa, OverBudget> {
    let mut plain = Projection::new(dfa, hidden, None, budget)?;
    if dfa.states() > MOST_STATES {
        plain.go_on(usize::MAX, u64::MAX)?;
        return plain.finish();
    }
    // Most automata have few sets, and then it does not pay to know which states cover others. Where there are many,
    // that is found out with twice the effort that went into sets: it may cost more than all of them.
    if plain.go_on(MANY * (dfa.states() + 8), u64::MAX)? {
        return plain.finish();
    }
    let mut cover = Cover::new(dfa);
    while !cover.go_on(dfa, 2 * plain.work(), budget)? {
        if plain.go_on(usize::MAX, plain.work() + plain.work() / 2)? {
            return plain.finish();
        }
    }
    drop(plain);
    let mut covered = Projection::new(dfa, hidden, Some(cover), budget)?;
    covered.go_on(usize::MAX, u64::MAX)?;
    covered.finish()
}

/// So many sets for each state are many.
const MANY: usize = 8;

/// An automaton with tracks hidden, set by set.
struct Projection<'a> {
    subsets: Subsets<'a>,
    /// The sets that are states, in the order in which they were met, and their numbers.
    states: Vec<u32>,
    numbers: FxHashMap<u32, u32>,
    renamed: Renamed,
    roots: Vec<Function>,
    said: Vec<Said>,
}

impl<'a> Projection<'a> {
    fn new(dfa: &'a TrackDfa, hidden: &'a [u32], cover: Option<Cover>, budget: &'a Budget) -> Result<Self, OverBudget> {
        let mut subsets = Subsets::new(dfa, hidden, cover, budget)?;
        let first = subsets.intern(&mut vec![0], None)?;
        let numbers = FxHashMap::from_iter([(first, 0)]);
        let renamed = Renamed::new(budget)?;
        Ok(Self { subsets, states: vec![first], numbers, renamed, roots: Vec::new(), said: Vec::new() })
    }

    /// Goes on until there are more than so many sets or so much was done; whether it is complete.
    fn go_on(&mut self, most: usize, work: u64) -> Result<bool, OverBudget> {
        while let Some(&set) = self.states.get(self.roots.len()) {
            if self.subsets.ends.len() > most || self.subsets.work() > work {
                return Ok(false);
            }
            let root = self.subsets.root(set)?;
            let image = self.renamed.copy(root, &self.subsets.dd, &mut |set| {
                *self.numbers.entry(set).or_insert_with(|| {
                    self.states.push(set);
                    self.states.len() as u32 - 1
                })
            })?;
            self.roots.push(image);
            self.said.push(self.subsets.said(set));
        }
        Ok(true)
    }

    fn work(&self) -> u64 {
        self.subsets.work()
    }

    fn finish(self) -> Result<TrackDfa, OverBudget> {
        let width = self.subsets.dfa.width() - self.subsets.hidden.len() as u32;
        TrackDfa::of_nodes(self.renamed.into_nodes(), self.roots, self.said, width, self.subsets.budget)
    }
}

/// Sets of states of an automaton, each stored once, and what follows them when tracks are hidden.
struct Subsets<'a> {
    dfa: &'a TrackDfa,
    hidden: &'a [u32],
    /// For each track of the automaton its place among those that are seen.
    places: Vec<u32>,
    /// Numbers are sets.
    dd: Mtbdd,
    /// The elements of all sets, one set after the other, and where each ends.
    elements: Vec<u32>,
    ends: Vec<usize>,
    ids: HashTable<u32>,
    /// Room for a set that is made.
    spare: Vec<u32>,
    /// The two sets that a set is the union of; a set of one state has none.
    halves: Vec<Option<(u32, u32)>>,
    roots: Vec<Option<Function>>,
    /// What the nodes of the automaton become.
    images: Vec<Option<Function>>,
    unions: Pairs,
    /// For each state whether it never says nothing from here on.
    solid: Vec<bool>,
    cover: Option<Cover>,
    claim: Claim,
    bytes: u64,
    /// What was done with elements, and since that was told to the budget.
    merged: u64,
    done: u64,
    budget: &'a Budget,
}

fn slice<'a>(elements: &'a [u32], ends: &[usize], set: u32) -> &'a [u32] {
    let start = if set == 0 { 0 } else { ends[set as usize - 1] };
    &elements[start..ends[set as usize]]
}

impl<'a> Subsets<'a> {
    fn new(dfa: &'a TrackDfa, hidden: &'a [u32], cover: Option<Cover>, budget: &'a Budget) -> Result<Self, OverBudget> {
        let places = (0..dfa.width()).map(|track| track - hidden.partition_point(|&h| h < track) as u32).collect();
        let solid = if dfa.is_total() {
            vec![true; dfa.states()]
        } else {
            // To look at a node here takes half as long as to make one.
            budget.step((dfa.states() + dfa.nodes()) as u64 / 2, WHAT)?;
            reaching(dfa, Said::Nothing, |_| true).into_iter().map(|can| !can).collect()
        };
        Ok(Self {
            dfa,
            hidden,
            places,
            dd: Mtbdd::new(budget)?,
            elements: Vec::new(),
            ends: Vec::new(),
            ids: HashTable::new(),
            spare: Vec::new(),
            halves: Vec::new(),
            roots: Vec::new(),
            images: vec![None; dfa.nodes()],
            unions: Pairs::default(),
            solid,
            cover,
            claim: budget.claim(8 * dfa.nodes() as u64, WHAT)?,
            bytes: 8 * dfa.nodes() as u64,
            merged: 0,
            done: 0,
            budget,
        })
    }

    /// What was done.
    fn work(&self) -> u64 {
        (self.unions.len() + self.ends.len()) as u64 + self.merged
    }

    /// The elements of a set, ascending.
    fn set(&self, set: u32) -> &[u32] {
        slice(&self.elements, &self.ends, set)
    }

    fn said(&self, set: u32) -> Said {
        self.set(set).iter().map(|&s| self.dfa.said(s)).reduce(Said::either).unwrap_or(Said::Nothing)
    }

    /// The number of a set of states, ascending.
    fn intern(&mut self, set: &mut Vec<u32>, halves: Option<(u32, u32)>) -> Result<u32, OverBudget> {
        if set.len() > 1 {
            self.reduce(set);
        }
        let (elements, ends) = (&self.elements, &self.ends);
        let hash = FxBuildHasher.hash_one(&set[..]);
        if let Some(&known) = self.ids.find(hash, |&id| slice(elements, ends, id) == &set[..]) {
            return Ok(known);
        }
        let id = self.ends.len() as u32;
        self.bytes += 4 * set.len() as u64 + 48;
        if id % 256 == 255 {
            self.budget.step(256, WHAT)?;
            self.claim.grow_to(self.bytes + self.unions.bytes(), WHAT)?;
        }
        self.halves.push(if set.len() == 1 { None } else { halves });
        self.elements.extend_from_slice(set);
        self.ends.push(self.elements.len());
        self.roots.push(None);
        let (elements, ends) = (&self.elements, &self.ends);
        self.ids.insert_unique(hash, id, |&id| FxBuildHasher.hash_one(slice(elements, ends, id)));
        Ok(id)
    }

    fn reduce(&self, set: &mut Vec<u32>) {
        let sink = |s: u32, said: Said| self.dfa.said(s) == said && self.dfa.is_sink(s);
        if let Some(&yes) = set.iter().find(|&&s| sink(s, Said::Yes)) {
            *set = vec![yes];
            return;
        }
        if let Some(cover) = &self.cover {
            cover.reduce(set);
            return;
        }
        let first = set[0];
        let solid = set.iter().any(|&s| self.solid[s as usize] && !sink(s, Said::No));
        let idle = |s: u32| sink(s, Said::Nothing) || solid && sink(s, Said::No);
        set.retain(|&s| !idle(s));
        if set.is_empty() {
            set.push(first);
        }
    }

    fn union(&mut self, a: u32, b: u32) -> Result<u32, OverBudget> {
        if a == b {
            return Ok(a);
        }
        let mut both = std::mem::take(&mut self.spare);
        both.clear();
        let (x, y) = (self.set(a), self.set(b));
        let (mut i, mut j) = (0, 0);
        while i < x.len() && j < y.len() {
            let next = x[i].min(y[j]);
            i += usize::from(x[i] == next);
            j += usize::from(y[j] == next);
            both.push(next);
        }
        both.extend_from_slice(&x[i..]);
        both.extend_from_slice(&y[j..]);
        // To merge, to reduce, to hash and to compare: a few elements take as long as one node.
        let work = 1 + both.len() as u64 / 4;
        self.merged += work;
        self.done += work;
        if self.done >= 1024 {
            self.budget.step(std::mem::take(&mut self.done), WHAT)?;
        }
        let id = self.intern(&mut both, Some((a, b)));
        self.spare = both;
        id
    }

    /// What follows a set.
    fn root(&mut self, set: u32) -> Result<Function, OverBudget> {
        let mut open = vec![set];
        while let Some(&next) = open.last() {
            if self.roots[next as usize].is_some() {
                open.pop();
                continue;
            }
            let root = match self.halves[next as usize] {
                None => {
                    let state = self.set(next)[0];
                    self.image(self.dfa.root(state))?
                }
                Some((a, b)) => match (self.roots[a as usize], self.roots[b as usize]) {
                    (Some(f), Some(g)) => self.join(f, g)?,
                    (f, g) => {
                        open.extend(f.is_none().then_some(a));
                        open.extend(g.is_none().then_some(b));
                        continue;
                    }
                },
            };
            self.roots[next as usize] = Some(root);
            open.pop();
        }
        Ok(self.roots[set as usize].expect("it was made last"))
    }

    /// A function of the automaton with the tracks hidden. No deeper than there are tracks.
    fn image(&mut self, function: Function) -> Result<Function, OverBudget> {
        let Some(place) = function.node() else {
            let state = function.value().expect("a function is a number or has a node");
            return Ok(Function::constant(self.intern(&mut vec![state], None)?));
        };
        if let Some(known) = self.images[place as usize] {
            return Ok(known);
        }
        let node = self.dfa.node(place);
        let low = self.image(node.low)?;
        let high = self.image(node.high)?;
        let image = if self.hidden.binary_search(&node.var).is_ok() {
            self.join(low, high)?
        } else {
            self.dd.ask(self.places[node.var as usize], low, high)?
        };
        self.images[place as usize] = Some(image);
        Ok(image)
    }

    /// The union of two functions. No deeper than there are tracks.
    fn join(&mut self, f: Function, g: Function) -> Result<Function, OverBudget> {
        if f == g {
            return Ok(f);
        }
        if let (Some(a), Some(b)) = (f.value(), g.value()) {
            return Ok(Function::constant(self.union(a, b)?));
        }
        let (f, g) = if f < g { (f, g) } else { (g, f) };
        if let Some(known) = self.unions.get(f, g) {
            return Ok(known);
        }
        if self.unions.len() % 1024 == 1023 {
            self.budget.step(1024, WHAT)?;
            self.claim.grow_to(self.bytes + self.unions.bytes() + (1 << 14), WHAT)?;
        }
        let top = |f: Function| f.node().map(|place| self.dd.node(place));
        let (m, n) = (top(f), top(g));
        let var = m.map_or(u32::MAX, |m| m.var).min(n.map_or(u32::MAX, |n| n.var));
        let halves = |node: Option<posetta_dd::mtbdd::Node>, f: Function| match node {
            Some(node) if node.var == var => (node.low, node.high),
            _ => (f, f),
        };
        let ((f0, f1), (g0, g1)) = (halves(m, f), halves(n, g));
        let low = self.join(f0, g0)?;
        let high = self.join(f1, g1)?;
        let result = self.dd.ask(var, low, high)?;
        self.unions.put(f, g, result);
        Ok(result)
    }
}
