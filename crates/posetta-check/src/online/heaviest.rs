//! The heaviest cut of a run while it happens.
//!
//! As in [`closure`](crate::cuts), weight flows from events that add to events that take away, along what the first come after, and
//! what is left over in the end can be had (Picard 1976). A new event has only ways to earlier ones, so the flow stays as it is, and
//! only what the new event adds looks for ways (Ford, Fulkerson 1956). A search ends at the first event that can take something,
//! so where one finds nothing no later one will find anything, and the events that it has seen are never looked at again. So the
//! weight of the heaviest cut is known after every event, at the price of the ways that are found.

use std::collections::VecDeque;
use std::sync::Arc;

use super::never::Event;
use posetta_base::{Budget, Limit, Number, NumberError, OverBudget};

const WHAT: &str = "looking for the heaviest cut";
const TOO_LARGE: OverBudget = OverBudget::new(WHAT, Limit::Digits);

/// Numbers that have grown too large end the search.
pub(super) fn within(number: Result<Number, NumberError>) -> Result<Number, OverBudget> {
    number.map_err(|_| TOO_LARGE)
}

#[derive(Debug)]
struct Vertex {
    event: Arc<Event>,
    weight: Number,
    /// What it can still take.
    room: Number,
    /// The ways from it, and to it.
    out: Vec<u32>,
    into: Vec<u32>,
    /// Nothing more flows from here.
    dead: bool,
}

#[derive(Debug)]
struct Way {
    from: u32,
    to: u32,
    flow: Number,
}

/// Events with weights, and what flows between them.
#[derive(Debug)]
pub(super) struct Heaviest {
    nodes: Vec<Vertex>,
    ways: Vec<Way>,
    /// By process, ascending.
    by_process: Vec<Vec<u32>>,
    left_over: Number,
    /// By node: the way that a search came by, if it was this search.
    came: Vec<(u32, u32)>,
    searches: u32,
}

/// More causes than this are not searched for those that follow from others.
const COMPARED: usize = 64;

/// Where a search begins.
const START: u32 = u32::MAX;

impl Heaviest {
    /// Nothing has come.
    pub(super) fn new() -> Self {
        Self {
            nodes: Vec::new(),
            ways: Vec::new(),
            by_process: Vec::new(),
            left_over: Number::ZERO,
            came: Vec::new(),
            searches: 0,
        }
    }

    /// The weight of the heaviest cut; the empty one weighs 0.
    pub(super) fn weight(&self) -> &Number {
        &self.left_over
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn bytes(&self) -> u64 {
        (self.nodes.len() * 144 + self.ways.len() * 32) as u64
    }

    /// The last event of each process that is in the heaviest cut and matters there.
    pub(super) fn top(&self) -> Vec<Arc<Event>> {
        let last = |nodes: &Vec<u32>| nodes.iter().rev().find(|&&n| self.nodes[n as usize].dead).copied();
        let mut top: Vec<u32> = self.by_process.iter().filter_map(last).collect();
        top.sort_unstable();
        top.into_iter().map(|n| Arc::clone(&self.nodes[n as usize].event)).collect()
    }

    /// An event has come.
    pub(super) fn add(&mut self, event: &Arc<Event>, weight: Number, budget: &Budget) -> Result<(), OverBudget> {
        let id = self.nodes.len() as u32;
        let out = self.causes(event).into_iter().map(|to| {
            let way = self.ways.len() as u32;
            self.ways.push(Way { from: id, to, flow: Number::ZERO });
            self.nodes[to as usize].into.push(way);
            way
        });
        let out: Vec<u32> = out.collect();
        let process = event.process.index();
        if self.by_process.len() <= process {
            self.by_process.resize_with(process + 1, Vec::new);
        }
        self.by_process[process].push(id);
        let adds = weight > Number::ZERO;
        let room = if adds { Number::ZERO } else { within(weight.neg())? };
        let event = Arc::clone(event);
        self.nodes.push(Vertex { event, weight: weight.clone(), room, out, into: Vec::new(), dead: false });
        self.came.push((0, START));
        if adds { self.spread(id, weight, budget) } else { Ok(()) }
    }

    /// The events that are held that one comes after, without most of those that follow from others.
    fn causes(&self, event: &Event) -> Vec<u32> {
        let mut causes = Vec::new();
        for (nodes, &known) in self.by_process.iter().zip(&event.clock) {
            let count = nodes.partition_point(|&n| self.nodes[n as usize].event.place <= known);
            causes.extend(count.checked_sub(1).map(|last| nodes[last]));
        }
        if causes.len() > COMPARED {
            return causes;
        }
        let event_of = |n: u32| &self.nodes[n as usize].event;
        let implied = |&n: &u32| causes.iter().any(|&other| other != n && event_of(other).knows(event_of(n)));
        causes.iter().copied().filter(|n| !implied(n)).collect()
    }

    /// Lets as much flow from a node as finds room.
    fn spread(&mut self, from: u32, mut rest: Number, budget: &Budget) -> Result<(), OverBudget> {
        while rest > Number::ZERO {
            let Some(end) = self.search(from, budget)? else {
                self.left_over = within(self.left_over.add(&rest))?;
                return Ok(());
            };
            let mut amount = rest.clone().min(self.nodes[end as usize].room.clone());
            // Against a way only what flows there can be taken back.
            self.for_each_on_the_way(end, |way, along| {
                if !along && way.flow < amount {
                    amount = way.flow.clone();
                }
                Ok(())
            })?;
            self.for_each_on_the_way(end, |way, along| {
                way.flow = within(if along { way.flow.add(&amount) } else { way.flow.sub(&amount) })?;
                Ok(())
            })?;
            let room = &mut self.nodes[end as usize].room;
            *room = within(room.sub(&amount))?;
            rest = within(rest.sub(&amount))?;
        }
        Ok(())
    }

    /// The nearest node with room, if there is one; else nothing more flows from what was seen.
    fn search(&mut self, from: u32, budget: &Budget) -> Result<Option<u32>, OverBudget> {
        self.searches += 1;
        let this = self.searches;
        let mut open = VecDeque::from([from]);
        let mut seen = vec![from];
        self.came[from as usize] = (this, START);
        while let Some(at) = open.pop_front() {
            if seen.len().is_multiple_of(1024) {
                budget.step(1024, WHAT)?;
            }
            let node = &self.nodes[at as usize];
            let along = node.out.iter().map(|&way| (way, self.ways[way as usize].to));
            let back = node.into.iter().filter(|&&way| self.ways[way as usize].flow > Number::ZERO);
            let back = back.map(|&way| (way, self.ways[way as usize].from));
            for (way, next) in along.chain(back) {
                if self.nodes[next as usize].dead || self.came[next as usize].0 == this {
                    continue;
                }
                self.came[next as usize] = (this, way);
                if self.nodes[next as usize].room > Number::ZERO {
                    return Ok(Some(next));
                }
                seen.push(next);
                open.push_back(next);
            }
        }
        seen.into_iter().for_each(|node| self.nodes[node as usize].dead = true);
        Ok(None)
    }

    /// Calls `f` with every step that the search took to a node, and whether it is along the way or against it.
    fn for_each_on_the_way(
        &mut self,
        mut at: u32,
        mut f: impl FnMut(&mut Way, bool) -> Result<(), OverBudget>,
    ) -> Result<(), OverBudget> {
        loop {
            let (_, via) = self.came[at as usize];
            if via == START {
                return Ok(());
            }
            let way = &mut self.ways[via as usize];
            let along = way.to == at;
            f(way, along)?;
            at = if along { way.from } else { way.to };
        }
    }

    /// Lets events go that are in every cut from now on. Answers with their weight.
    pub(super) fn let_go(&mut self, gone: &dyn Fn(&Event) -> bool, budget: &Budget) -> Result<Number, OverBudget> {
        let mut weight = Number::ZERO;
        if !self.nodes.iter().any(|node| gone(&node.event)) {
            return Ok(weight);
        }
        for node in std::mem::replace(self, Self::new()).nodes {
            if gone(&node.event) {
                weight = within(weight.add(&node.weight))?;
            } else {
                self.add(&node.event, node.weight, budget)?;
            }
        }
        Ok(weight)
    }
}
