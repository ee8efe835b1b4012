//! Nodes, each stored once.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use super::events::{Closed, Step};
use posetta_base::{Budget, Claim, Limit, OverBudget};

pub(super) const WHAT: &str = "building decision diagrams";

/// More layers than this are refused: operations recurse over layers.
pub(super) const MOST_LAYERS: usize = 2_048;

/// A set of tuples, by its node. Meaningful to the [`Diagrams`] that made it, until [`Diagrams::collect`] drops it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Set(pub(super) u32);

/// No tuple.
pub(super) const EMPTY: Set = Set(0);
/// Below the last layer: the empty tuple.
pub(super) const UNIT: Set = Set(1);

/// From `start` on, `child`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Edge {
    pub(super) start: u32,
    pub(super) child: Set,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    first: u32,
    count: u32,
}

/// The mark of a node that was collected.
const FREE: u32 = u32::MAX;

/// What the cache of results is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Operation {
    Union = 1,
    Intersection,
    Difference,
    ExistsNext,
    DownClosure,
    /// The second argument is a step of an event.
    Fire,
    /// Likewise.
    Enabled,
    /// The second argument is a closing.
    Close,
    /// Likewise.
    Refuse,
}

#[derive(Clone, Copy, Debug, Default)]
struct Cached {
    a: u32,
    b: u32,
    /// 0 if nothing is remembered here.
    operation: u32,
    result: u32,
}

/// Diagrams over the same layers, which share their nodes.
#[derive(Debug)]
pub struct Diagrams {
    pub(super) largest: Vec<u32>,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    free: Vec<u32>,
    unique: HashTable<u32>,
    /// Results, each in the one place its arguments hash to: what is forgotten is computed again.
    cache: Vec<Cached>,
    /// Results that another one has taken the place of since the cache has its size.
    forgotten: usize,
    /// Edges in the making: each call of an operation works on the top and takes its part away.
    pub(super) scratch: Vec<Edge>,
    /// Since the budget was looked at.
    pub(super) effort: u64,
    budget: Budget,
    claim: Claim,
    /// Nodes after the last collection.
    kept: usize,
    /// What events do, step by step from the first layer that they change ([`super::events`]).
    pub(super) steps: Vec<Step>,
    /// Events that sets are closed under.
    pub(super) closings: Vec<Closed>,
    /// The layer in which a number became too large.
    pub(super) overflow: Option<usize>,
}

/// After so much effort, some hundred microseconds, the budget is looked at.
const LOOK: u64 = 8192;
/// The effort of a call that is not remembered, and of each edge that it looks at, in units of the budget: measured on nets and on transition
/// systems with few and with a thousand states. Once the cache of results is larger than that of the processor, the memory decides.
const CALL: u64 = 10;
const FAR_CALL: u64 = 32;
const NEAR_CACHE: usize = 1 << 16;
pub(super) const EDGE: u64 = 3;

const SMALLEST_CACHE: usize = 1 << 10;
const LARGEST_CACHE: usize = 1 << 22;

impl Diagrams {
    /// Sets of tuples with these largest numbers, one per layer.
    ///
    /// # Errors
    /// When there are more than 2,048.
    pub fn new(largest: &[u32], budget: &Budget) -> Result<Self, OverBudget> {
        if largest.len() > MOST_LAYERS {
            return Err(OverBudget::new("building decision diagrams with more than 2,048 layers", Limit::Memory));
        }
        let terminal = Node { first: 0, count: 0 };
        let mut diagrams = Self {
            largest: largest.to_vec(),
            nodes: vec![terminal; 2],
            edges: Vec::new(),
            free: Vec::new(),
            unique: HashTable::new(),
            cache: vec![Cached::default(); SMALLEST_CACHE],
            forgotten: 0,
            scratch: Vec::new(),
            effort: 0,
            budget: budget.clone(),
            claim: budget.claim(0, WHAT)?,
            kept: 2,
            steps: Vec::new(),
            closings: Vec::new(),
            overflow: None,
        };
        let bytes = diagrams.bytes();
        diagrams.claim.grow_to(bytes, WHAT)?;
        Ok(diagrams)
    }

    /// How many layers there are.
    #[must_use]
    pub fn layers(&self) -> usize {
        self.largest.len()
    }

    /// The set without tuples.
    #[must_use]
    pub fn empty(&self) -> Set {
        EMPTY
    }

    /// The set of the empty tuple: what stands below the last layer.
    #[must_use]
    pub fn unit(&self) -> Set {
        UNIT
    }

    /// Whether a set has no tuple.
    #[must_use]
    pub fn is_empty(&self, a: Set) -> bool {
        a == EMPTY
    }

    #[inline]
    pub(super) fn edges(&self, set: Set) -> &[Edge] {
        let node = self.nodes[set.0 as usize];
        &self.edges[node.first as usize..][..node.count as usize]
    }

    /// How many edges a node has; with [`Diagrams::edge`] a way to read it while others are made.
    #[inline]
    pub(super) fn degree(&self, set: Set) -> usize {
        self.nodes[set.0 as usize].count as usize
    }

    #[inline]
    pub(super) fn edge(&self, set: Set, i: usize) -> Edge {
        self.edges[self.nodes[set.0 as usize].first as usize + i]
    }

    /// Where a set changes with its first coordinate: from each start on, the set of what follows. Before the first start and
    /// from the last one on it is empty.
    pub fn parts(&self, set: Set) -> impl ExactSizeIterator<Item = (u32, Set)> + '_ {
        self.edges(set).iter().map(|e| (e.start, e.child))
    }

    /// All tuples with each number between two others, both included.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn box_of(&mut self, sides: &[(u32, u32)]) -> Result<Set, OverBudget> {
        let mut below = UNIT;
        for (layer, &(low, high)) in sides.iter().enumerate().rev() {
            let high = high.min(self.largest[layer]);
            if low > high {
                return Ok(EMPTY);
            }
            below = self.interval(low, high, below)?;
        }
        Ok(below)
    }

    /// The tuples whose first number lies between two others, and whose rest is in a set.
    pub fn interval(&mut self, low: u32, high: u32, child: Set) -> Result<Set, OverBudget> {
        let from = self.scratch.len();
        self.push(from, low, child);
        self.push(from, high + 1, EMPTY);
        self.node(from)
    }

    /// Adds an edge to the node that begins at `from` in the scratch, unless it changes nothing.
    #[inline]
    pub(super) fn push(&mut self, from: usize, start: u32, child: Set) {
        self.effort += EDGE;
        let before = if self.scratch.len() > from { self.scratch[self.scratch.len() - 1].child } else { EMPTY };
        if before != child {
            self.scratch.push(Edge { start, child });
        }
    }

    /// The node whose (start, child) pairs ascend; pairs that change nothing may be among them.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn node_of(&mut self, parts: impl Iterator<Item = (u32, Set)>) -> Result<Set, OverBudget> {
        let from = self.scratch.len();
        for (start, child) in parts {
            self.push(from, start, child);
        }
        self.node(from)
    }

    /// The node of the edges from `from` on, which leave the scratch.
    pub(super) fn node(&mut self, from: usize) -> Result<Set, OverBudget> {
        let list = &self.scratch[from..];
        if list.is_empty() {
            return Ok(EMPTY);
        }
        debug_assert!(list.last().is_some_and(|e| e.child == EMPTY) && list[0].child != EMPTY);
        debug_assert!(list.windows(2).all(|w| w[0].start < w[1].start && w[0].child != w[1].child));
        // Hashed, compared; and copied, if it is new.
        self.effort += list.len() as u64;
        let hash = hash(list);
        let (nodes, edges) = (&self.nodes, &self.edges);
        let of = |id: u32| {
            let node = nodes[id as usize];
            &edges[node.first as usize..][..node.count as usize]
        };
        if let Some(&id) = self.unique.find(hash, |&id| of(id) == list) {
            self.scratch.truncate(from);
            return Ok(Set(id));
        }
        let result = self.add(from, hash);
        self.scratch.truncate(from);
        result
    }

    fn add(&mut self, from: usize, hash: u64) -> Result<Set, OverBudget> {
        let count = self.scratch.len() - from;
        self.effort += 2 * count as u64;
        let full = OverBudget::new(WHAT, Limit::Memory);
        if self.edges.len() + count > self.edges.capacity() {
            let wanted = (2 * self.edges.capacity()).max(self.edges.len() + count).max(256);
            self.claim.grow_to(self.bytes() + 8 * (wanted - self.edges.capacity()) as u64, WHAT)?;
            self.edges.reserve_exact(wanted - self.edges.len());
        }
        if self.nodes.len() == self.nodes.capacity() || self.unique.len() == self.unique.capacity() {
            self.budget.step(0, WHAT)?;
            // A node, its place in the table and its share of the cache.
            self.claim.grow_to(self.bytes() + 32 * self.nodes.len() as u64, WHAT)?;
            self.grow_cache();
        }
        let first = u32::try_from(self.edges.len()).map_err(|_| full)?;
        self.edges.extend_from_slice(&self.scratch[from..]);
        let node = Node { first, count: count as u32 };
        let id = match self.free.pop() {
            Some(id) => {
                self.nodes[id as usize] = node;
                id
            }
            None => {
                let id = u32::try_from(self.nodes.len()).map_err(|_| full)?;
                self.nodes.push(node);
                id
            }
        };
        let (nodes, edges) = (&self.nodes, &self.edges);
        self.unique.insert_unique(hash, id, |&id| {
            let node = nodes[id as usize];
            self::hash(&edges[node.first as usize..][..node.count as usize])
        });
        if id.is_multiple_of(1024) {
            self.budget.step(1024, WHAT)?;
        }
        Ok(Set(id))
    }

    fn grow_cache(&mut self) {
        self.widen_cache(self.nodes.len().next_power_of_two().clamp(SMALLEST_CACHE, LARGEST_CACHE));
    }

    fn widen_cache(&mut self, wanted: usize) {
        if wanted > self.cache.len() {
            self.forgotten = 0;
            let old = std::mem::replace(&mut self.cache, vec![Cached::default(); wanted]);
            for entry in old.into_iter().filter(|e| e.operation != 0) {
                let place = self.place(entry.operation, entry.a, entry.b);
                self.cache[place] = entry;
            }
        }
    }

    #[inline]
    fn place(&self, operation: u32, a: u32, b: u32) -> usize {
        let key = u64::from(a) << 32 | u64::from(b);
        let mixed = (key ^ u64::from(operation) << 29).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 32) as usize & (self.cache.len() - 1)
    }

    #[inline]
    pub(super) fn recall(&self, operation: Operation, a: Set, b: Set) -> Option<Set> {
        let entry = self.cache[self.place(operation as u32, a.0, b.0)];
        (entry.operation == operation as u32 && entry.a == a.0 && entry.b == b.0).then_some(Set(entry.result))
    }

    #[inline]
    pub(super) fn remember(&mut self, operation: Operation, a: Set, b: Set, result: Set) {
        let place = self.place(operation as u32, a.0, b.0);
        let old = self.cache[place];
        self.cache[place] = Cached { a: a.0, b: b.0, operation: operation as u32, result: result.0 };
        if old.operation != 0 && (old.a, old.b, old.operation) != (a.0, b.0, operation as u32) {
            self.forgotten += 1;
            if self.forgotten > self.cache.len() {
                self.forget_less();
            }
        }
    }

    /// A larger cache, if there is room. Few nodes can have many results: an operation on deep diagrams that loses them takes exponential
    /// time, whatever its diagrams look like.
    #[cold]
    fn forget_less(&mut self) {
        self.forgotten = 0;
        let wanted = 2 * self.cache.len();
        if wanted <= LARGEST_CACHE && self.claim.grow_to(self.bytes() + 16 * wanted as u64, WHAT).is_ok() {
            self.widen_cache(wanted);
        }
    }

    /// Called by every operation on a node, so that one that makes nothing new can be stopped as well.
    #[inline]
    pub(super) fn poll(&mut self) -> Result<(), OverBudget> {
        self.effort += if self.cache.len() > NEAR_CACHE { FAR_CALL } else { CALL };
        if self.effort >= LOOK { self.poll_budget() } else { Ok(()) }
    }

    #[cold]
    fn poll_budget(&mut self) -> Result<(), OverBudget> {
        let effort = std::mem::take(&mut self.effort);
        self.budget.step(0, WHAT)?;
        self.budget.effort(effort, WHAT)
    }

    /// Announces memory that an operation takes for its own tables.
    pub(super) fn claim(&self, bytes: u64) -> Result<Claim, OverBudget> {
        self.budget.claim(bytes, WHAT)
    }

    fn bytes(&self) -> u64 {
        (8 * self.edges.capacity()
            + 8 * self.nodes.capacity()
            + 5 * self.unique.capacity()
            + 16 * self.cache.len()
            + 4 * self.free.capacity()) as u64
    }

    /// How many nodes are stored, needed or not.
    #[must_use]
    pub fn stored(&self) -> usize {
        self.nodes.len() - self.free.len()
    }

    /// Whether nodes have become so many that a collection may pay.
    #[must_use]
    pub fn is_crowded(&self) -> bool {
        self.stored() > (1 << 16).max(4 * self.kept)
    }

    /// Forgets every set but those that the roots are made of. Handles of these stay as they are.
    pub fn collect(&mut self, roots: &[Set]) {
        let mut live = vec![false; self.nodes.len()];
        live[EMPTY.0 as usize] = true;
        live[UNIT.0 as usize] = true;
        let mut stack: Vec<Set> = roots.to_vec();
        while let Some(set) = stack.pop() {
            if !std::mem::replace(&mut live[set.0 as usize], true) {
                stack.extend(self.edges(set).iter().map(|e| e.child).filter(|c| !live[c.0 as usize]));
            }
        }
        // Children are made before their parents, but places are used again: edges move in the order in which they lie.
        let mut by_place: Vec<u32> = (2..self.nodes.len() as u32)
            .filter(|&id| live[id as usize] && self.nodes[id as usize].first != FREE)
            .collect();
        by_place.sort_unstable_by_key(|&id| self.nodes[id as usize].first);
        let mut end = 0;
        for &id in &by_place {
            let node = self.nodes[id as usize];
            let first = node.first as usize;
            self.edges.copy_within(first..first + node.count as usize, end);
            self.nodes[id as usize].first = end as u32;
            end += node.count as usize;
        }
        self.edges.truncate(end);
        self.edges.shrink_to(2 * end);
        self.free.clear();
        for id in (2..self.nodes.len() as u32).rev() {
            if !live[id as usize] {
                self.nodes[id as usize] = Node { first: FREE, count: 0 };
                self.free.push(id);
            }
        }
        self.unique.clear();
        let (nodes, edges) = (&self.nodes, &self.edges);
        let hash_of = |id: u32| {
            let node = nodes[id as usize];
            hash(&edges[node.first as usize..][..node.count as usize])
        };
        for &id in &by_place {
            self.unique.insert_unique(hash_of(id), id, |&id| hash_of(id));
        }
        self.unique.shrink_to(2 * by_place.len(), |&id| hash_of(id));
        self.cache.fill(Cached::default());
        self.kept = by_place.len() + 2;
        // A claim never shrinks: the smaller one takes the place of the larger.
        if let Ok(smaller) = self.budget.claim(0, WHAT) {
            self.claim = smaller;
            let bytes = self.bytes();
            // What is there was claimed before, so there is room for it unless others took it; the next growth will tell.
            let _ = self.claim.grow_to(bytes, WHAT);
        }
    }
}

#[inline]
fn hash(list: &[Edge]) -> u64 {
    let mut hasher = FxHasher::default();
    for edge in list {
        hasher.write_u64(u64::from(edge.start) << 32 | u64::from(edge.child.0));
    }
    hasher.finish()
}
