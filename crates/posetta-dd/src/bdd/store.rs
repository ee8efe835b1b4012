//! The nodes of all diagrams: each function once, found by what it asks, and a memory of results.
//!
//! A function is an edge: the place of a node, doubled, and one more if it is the complement. Node 0 is the constant; no other node has two
//! equal children, and what follows on true is never a complement, so two functions are equal exactly if their edges are (Brace, Rudell and
//! Bryant 1990). A node keeps its place, and its place its function, for as long as it is of use, whatever the order of the variables becomes.
//!
//! Nothing is counted by reference while operations run: what nobody holds is found by marking ([`Store::collect`]), between operations. An operation
//! that finds no free node stops halfway ([`Halt`]), and its caller makes room and begins it again.

use std::cell::RefCell;

use posetta_base::{Budget, Claim, Limit, OverBudget};

/// A function: see above.
pub(super) type Edge = u32;

pub(super) const TRUE: Edge = 0;
pub(super) const FALSE: Edge = 1;

/// The variable of a place that is free.
const FREE: u32 = u32::MAX;
/// The end of a list of places.
const END: u32 = u32::MAX;

/// More nodes have no room in edges beside the name of an operation.
const MOST: usize = 1 << 27;

/// Nodes that there is room for at first.
const FIRST: usize = 1 << 14;
/// With less room there is no point.
const LEAST: usize = 1 << 10;

/// What a node takes: itself, who holds it, marks, and its share of the tables.
const BYTES_PER_NODE: u64 = 36;

/// What a remembered result takes.
const BYTES_PER_RESULT: u64 = 16;

/// The effort of a result that is not remembered, in units of the budget. Measured on the models of `posetta-bench`: 25 to 45 ns.
const MISS: u64 = 3;

/// So much work between two looks at the budget.
const BETWEEN_LOOKS: u64 = 1 << 12;

/// An operation cannot go on: there is no free node, or the budget is spent.
#[derive(Debug)]
pub(super) struct Halt;

#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) var: u32,
    pub(super) high: Edge,
    pub(super) low: Edge,
    /// The next one in its list: of the table, or of free places.
    pub(super) next: u32,
}

/// The nodes of one variable, in lists by what follows.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    pub(super) lists: Vec<u32>,
    pub(super) count: usize,
}

/// A result that is remembered: the operation, in the top bits of the first operand.
#[derive(Clone, Copy, Debug)]
struct Entry {
    a: u32,
    b: u32,
    c: u32,
    result: Edge,
}

const NOTHING: Entry = Entry { a: u32::MAX, b: 0, c: 0, result: 0 };

/// What is remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Op {
    And = 0,
    Xor = 1,
    Ite = 2,
    Exists = 3,
    AndExists = 4,
    Restrict = 5,
    /// The second operand is the number of a renaming.
    Rename = 6,
    /// Whether two functions are never true at once; the result is a constant.
    Disjoint = 7,
}

#[derive(Debug)]
pub(super) struct Store {
    pub(super) nodes: Vec<Node>,
    /// By place: how many hold it from outside.
    pub(super) held: RefCell<Vec<u32>>,
    /// The first free place, and how many there are.
    free: u32,
    pub(super) free_count: usize,
    pub(super) tables: Vec<Table>,
    /// By variable: its level. The constant asks the variable after the last.
    pub(super) level_of: Vec<u32>,
    pub(super) var_at: Vec<u32>,
    cache: Vec<Entry>,
    /// As many places as there may be at the moment, and at most.
    pub(super) limit: usize,
    most: usize,
    pub(super) peak: usize,
    claim: Claim,
    pub(super) budget: Budget,
    /// Results that were not remembered, in all and at the last look at the budget.
    pub(super) misses: u64,
    look_at: u64,
    looked: u64,
    /// Work of another kind, as effort.
    pub(super) beside: u64,
    pub(super) what: &'static str,
    /// Why an operation halted, if not for room.
    over: Option<OverBudget>,
    stamps: Vec<u32>,
    stamp: u32,
    pub(super) renamings: Vec<Vec<u32>>,
    pub(super) sifting: super::sift::Sifting,
}

fn mix(a: u32, b: u32) -> u64 {
    (u64::from(a) << 32 | u64::from(b)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// Where a result is remembered, of a power of two of places.
fn slot(a: u32, b: u32, c: u32, places: usize) -> usize {
    let hash = mix(a, b).wrapping_add(u64::from(c).wrapping_mul(0xD6E8_FEB8_6659_FD93));
    ((hash ^ hash >> 29) >> 20) as usize & (places - 1)
}

impl Table {
    fn list(&self, high: Edge, low: Edge) -> usize {
        let hash = mix(high, low);
        (hash >> 32) as usize & (self.lists.len() - 1)
    }

    #[inline]
    pub(super) fn find(&self, nodes: &[Node], high: Edge, low: Edge) -> Option<u32> {
        if self.lists.is_empty() {
            return None;
        }
        let mut at = self.lists[self.list(high, low)];
        while at != END {
            let node = &nodes[at as usize];
            if node.high == high && node.low == low {
                return Some(at);
            }
            at = node.next;
        }
        None
    }

    /// Adds a node that is not there.
    pub(super) fn insert(&mut self, nodes: &mut [Node], place: u32) {
        if self.count >= self.lists.len() {
            let old = std::mem::take(&mut self.lists);
            self.lists = vec![END; (2 * old.len()).max(8)];
            for first in old {
                let mut at = first;
                while at != END {
                    let next = nodes[at as usize].next;
                    self.link(nodes, at);
                    at = next;
                }
            }
        }
        self.link(nodes, place);
        self.count += 1;
    }

    fn link(&mut self, nodes: &mut [Node], place: u32) {
        let Node { high, low, .. } = nodes[place as usize];
        let list = self.list(high, low);
        nodes[place as usize].next = self.lists[list];
        self.lists[list] = place;
    }

    pub(super) fn remove(&mut self, nodes: &mut [Node], place: u32) {
        let Node { high, low, next, .. } = nodes[place as usize];
        let list = self.list(high, low);
        let mut at = self.lists[list];
        if at == place {
            self.lists[list] = next;
        } else {
            while nodes[at as usize].next != place {
                at = nodes[at as usize].next;
            }
            nodes[at as usize].next = next;
        }
        self.count -= 1;
    }

    /// Takes out the nodes for which `out` is true, in a fixed order.
    pub(super) fn take(&mut self, nodes: &mut [Node], out: impl Fn(&[Node], &Node) -> bool) -> Vec<u32> {
        let mut taken = Vec::new();
        for list in &mut self.lists {
            let mut at = std::mem::replace(list, END);
            while at != END {
                let node = nodes[at as usize];
                if out(nodes, &node) {
                    taken.push(at);
                } else {
                    nodes[at as usize].next = *list;
                    *list = at;
                }
                at = node.next;
            }
        }
        self.count -= taken.len();
        taken
    }
}

impl Store {
    pub(super) fn new(bits: u32, most: usize, budget: &Budget) -> Result<Self, OverBudget> {
        let what = "making room for decision diagrams";
        let most = most.clamp(16, MOST);
        let (mut limit, mut claim) = (FIRST.min(most), budget.claim(0, what)?);
        while let Err(over) = claim.grow_to(bytes(limit), what) {
            limit /= 2;
            if limit < LEAST {
                return Err(over);
            }
        }
        let constant = Node { var: bits, high: TRUE, low: TRUE, next: END };
        Ok(Self {
            nodes: vec![constant],
            held: RefCell::new(vec![1]),
            free: END,
            free_count: 0,
            tables: vec![Table::default(); bits as usize],
            level_of: (0..=bits).collect(),
            var_at: (0..bits).collect(),
            cache: vec![NOTHING; results(limit)],
            limit,
            most,
            peak: 0,
            claim,
            budget: budget.clone(),
            misses: 0,
            look_at: BETWEEN_LOOKS,
            looked: 0,
            beside: 0,
            what,
            over: None,
            stamps: Vec::new(),
            stamp: 0,
            renamings: Vec::new(),
            sifting: super::sift::Sifting::new(bits),
        })
    }

    /// How many nodes are stored, garbage included.
    pub(super) fn stored(&self) -> usize {
        self.nodes.len() - 1 - self.free_count
    }

    #[inline]
    pub(super) fn level(&self, edge: Edge) -> u32 {
        self.level_of[self.nodes[(edge >> 1) as usize].var as usize]
    }

    /// What follows on true and on false.
    #[inline]
    pub(super) fn halves(&self, edge: Edge) -> (Edge, Edge) {
        let node = &self.nodes[(edge >> 1) as usize];
        (node.high ^ (edge & 1), node.low ^ (edge & 1))
    }

    /// The same if the level is the function's own; else the function twice.
    #[inline]
    pub(super) fn halves_at(&self, edge: Edge, level: u32) -> (Edge, Edge) {
        let node = &self.nodes[(edge >> 1) as usize];
        if self.level_of[node.var as usize] == level {
            (node.high ^ (edge & 1), node.low ^ (edge & 1))
        } else {
            (edge, edge)
        }
    }

    /// The function that asks a variable first.
    pub(super) fn make(&mut self, var: u32, high: Edge, low: Edge) -> Result<Edge, Halt> {
        if high == low {
            return Ok(high);
        }
        let sign = high & 1;
        let (high, low) = (high ^ sign, low ^ sign);
        if let Some(place) = self.tables[var as usize].find(&self.nodes, high, low) {
            return Ok(place << 1 | sign);
        }
        if self.free == END && self.nodes.len() >= self.limit {
            return Err(Halt);
        }
        let place = self.place(Node { var, high, low, next: END });
        self.tables[var as usize].insert(&mut self.nodes, place);
        Ok(place << 1 | sign)
    }

    /// A place for a node, whatever the limit.
    #[inline]
    pub(super) fn place(&mut self, node: Node) -> u32 {
        if self.free == END {
            self.nodes.push(node);
            self.held.get_mut().push(0);
            return (self.nodes.len() - 1) as u32;
        }
        let place = self.free;
        self.free = self.nodes[place as usize].next;
        self.free_count -= 1;
        self.nodes[place as usize] = node;
        place
    }

    /// Gives back the place of a node that is in no table.
    pub(super) fn give_back(&mut self, place: u32) {
        self.nodes[place as usize] = Node { var: FREE, high: 0, low: 0, next: self.free };
        self.free = place;
        self.free_count += 1;
    }

    fn slot(&self, op: Op, a: u32, b: u32, c: u32) -> usize {
        slot(a | (op as u32) << 28, b, c, self.cache.len())
    }

    /// A result that is remembered. Otherwise it will be worked out, which counts.
    #[inline]
    pub(super) fn known(&mut self, op: Op, a: u32, b: u32, c: u32) -> Result<Option<Edge>, Halt> {
        let entry = self.cache[self.slot(op, a, b, c)];
        if entry.a == (a | (op as u32) << 28) && entry.b == b && entry.c == c {
            return Ok(Some(entry.result));
        }
        self.misses += 1;
        if self.misses >= self.look_at {
            self.look()?;
        }
        Ok(None)
    }

    #[inline]
    pub(super) fn remember(&mut self, op: Op, a: u32, b: u32, c: u32, result: Edge) {
        let slot = self.slot(op, a, b, c);
        self.cache[slot] = Entry { a: a | (op as u32) << 28, b, c, result };
    }

    /// What everything took so far, in units of the budget.
    pub(super) fn effort(&self) -> u64 {
        self.misses * MISS + self.beside
    }

    /// Accounts for what was done since the last time.
    pub(super) fn look(&mut self) -> Result<(), Halt> {
        self.look_at = self.misses + BETWEEN_LOOKS;
        let effort = self.effort();
        let more = effort - std::mem::replace(&mut self.looked, effort);
        self.budget.effort(more, self.what).map_err(|over| {
            self.over = Some(over);
            Halt
        })
    }

    /// After a halt for want of room: frees what nobody holds, improves the order where that may help, and raises the limit where much of it is
    /// in use, or if this operation has `failed` before. False if that was the last way to make room.
    pub(super) fn make_room(&mut self, failed: bool) -> Result<bool, OverBudget> {
        self.collect();
        self.improve(false).map_err(|Halt| self.halted())?;
        // Where half of the room in use was enough, a good part of the time went to collections.
        if !failed && 4 * self.stored() <= self.limit {
            return Ok(true);
        }
        let more = (2 * self.limit.max(self.nodes.len())).min(self.most);
        if more > self.limit && self.claim.grow_to(bytes(more), self.what).is_ok() {
            self.limit = more;
            self.enlarge_cache();
            return Ok(true);
        }
        self.improve(true).map_err(|Halt| self.halted())?;
        Ok(false)
    }

    /// Whether the budget is spent.
    pub(super) fn is_over(&self) -> bool {
        self.over.is_some()
    }

    /// Why there is no result.
    pub(super) fn halted(&mut self) -> OverBudget {
        self.over.take().unwrap_or_else(|| {
            self.peak = self.peak.max(self.limit);
            OverBudget::new(self.what, Limit::Memory)
        })
    }

    fn enlarge_cache(&mut self) {
        let size = results(self.limit);
        if size <= self.cache.len() {
            return;
        }
        let old = std::mem::replace(&mut self.cache, vec![NOTHING; size]);
        for entry in old.into_iter().filter(|entry| entry.a != NOTHING.a) {
            self.cache[slot(entry.a, entry.b, entry.c, size)] = entry;
        }
    }

    pub(super) fn forget_results(&mut self) {
        self.cache.fill(NOTHING);
    }

    /// Frees what nobody holds.
    pub(super) fn collect(&mut self) {
        self.beside += (self.nodes.len() + self.cache.len() / 4) as u64 / 2;
        let mut marked = vec![false; self.nodes.len()];
        marked[0] = true;
        let mut open: Vec<u32> = Vec::new();
        for (place, &held) in self.held.borrow().iter().enumerate() {
            if held > 0 {
                open.push(place as u32);
            }
            while let Some(place) = open.pop() {
                if !std::mem::replace(&mut marked[place as usize], true) {
                    let node = &self.nodes[place as usize];
                    open.extend([node.high >> 1, node.low >> 1]);
                }
            }
        }
        for table in &mut self.tables {
            let _ = table.take(&mut self.nodes, |_, _| true);
        }
        (self.free, self.free_count) = (END, 0);
        // From the end, so that the first places are the next to be used.
        for place in (1..self.nodes.len() as u32).rev() {
            if marked[place as usize] {
                let var = self.nodes[place as usize].var;
                self.tables[var as usize].insert(&mut self.nodes, place);
            } else {
                self.give_back(place);
            }
        }
        for entry in &mut self.cache {
            let op = entry.a >> 28;
            let a = (entry.a & ((1 << 28) - 1)) >> 1;
            let is_dead = |place: u32| !marked.get(place as usize).copied().unwrap_or(false);
            let second = op != Op::Rename as u32 && is_dead(entry.b >> 1);
            if entry.a != NOTHING.a && (is_dead(a) || second || is_dead(entry.c >> 1) || is_dead(entry.result >> 1)) {
                *entry = NOTHING;
            }
        }
        self.peak = self.peak.max(self.stored());
    }

    /// Calls a function of each node below some edges, once.
    pub(super) fn each_below(&mut self, edge: Edge, mut f: impl FnMut(&Node)) {
        self.stamps.resize(self.nodes.len(), 0);
        self.stamp = self.stamp.checked_add(1).unwrap_or_else(|| {
            self.stamps.fill(0);
            1
        });
        let mut open = vec![edge >> 1];
        while let Some(place) = open.pop() {
            if place != 0 && std::mem::replace(&mut self.stamps[place as usize], self.stamp) != self.stamp {
                let node = &self.nodes[place as usize];
                f(node);
                open.extend([node.high >> 1, node.low >> 1]);
            }
        }
    }

    pub(super) fn is_free(&self, place: usize) -> bool {
        self.nodes[place].var == FREE
    }
}

/// How many results are remembered beside so many nodes.
fn results(nodes: usize) -> usize {
    nodes.next_power_of_two().clamp(1 << 10, 1 << 24)
}

fn bytes(limit: usize) -> u64 {
    BYTES_PER_NODE * limit as u64 + BYTES_PER_RESULT * results(limit) as u64
}
