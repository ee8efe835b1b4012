//! Inclusion of traces, state by state.
//!
//! What is searched are pairs of a state p of the implementation and the set S of all states that the specification can be in after the same
//! trace. A trace is lacking if p can do something that no state of S can. A pair (p, S) need not be followed if (p, S') has been with S' ⊆ S: whatever S
//! lacks, S' lacks too (De Wulf, Doyen, Henzinger and Raskin 2006). So of the sets that go with one p, only the smallest are kept: an antichain.
//!
//! The search goes by layers: all pairs that k observable actions lead to come before those of k+1, silent steps of the implementation cost
//! nothing. A covering pair is in the same layer or before, so nothing shorter is given up with what it covers, and the first lacking trace is a
//! shortest one.
//!
//! States of both sides are settled first ([`super::automaton`]), which makes most sets that come of internal actions single states.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;

use super::WHAT;
use super::automaton::Automaton;
use super::compare::Pair;
use super::confluent::Confluence;
use super::subsets::{SubsetId, Subsets};
use crate::base::{ActionId, Budget, Claim, Failure, Limit, OverBudget};
use crate::model::system::Move;
use crate::verify::system::observed::Arc;

/// A pair that is followed.
#[derive(Clone, Copy, Debug)]
struct Node {
    state: u32,
    set: SubsetId,
    /// The place of the pair before it, and the arc of the implementation from there; the first pair has itself.
    parent: u32,
    arc: Arc,
}

/// What became of a search.
pub(super) enum Outcome {
    /// There is no lacking trace.
    Included,
    /// A run of the implementation whose trace is a shortest lacking one; its last action is what is lacking.
    Lacking(Vec<Move>),
    /// Many pairs were met and more are left.
    Paused,
}

/// A search that can be interrupted.
pub(super) struct Search<'s> {
    pair: &'s Pair<'s>,
    budget: &'s Budget,
    implementation: Automaton<'s>,
    subsets: Subsets<'s>,
    nodes: Vec<Node>,
    /// By state of the implementation: the sets that are kept.
    kept: Vec<Vec<SubsetId>>,
    /// What is left of this layer.
    open: VecDeque<Node>,
    /// The next layer, each pair once.
    next: VecDeque<Node>,
    in_next: FxHashSet<(u32, SubsetId)>,
    claim: Claim,
}

/// What a search has met.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Met {
    pub(super) pairs: usize,
    pub(super) implementation: usize,
    pub(super) specification: usize,
}

impl<'s> Search<'s> {
    pub(super) fn new(
        pair: &'s Pair<'s>,
        [left, right]: [&Confluence; 2],
        budget: &'s Budget,
    ) -> Result<Self, Failure> {
        let mut implementation = Automaton::new(pair.implementation, left, budget)?;
        let mut subsets = Subsets::new(Automaton::new(pair.specification, right, budget)?, budget)?;
        let start = implementation.start()?;
        let first = Node {
            state: implementation.settle(start)?,
            set: subsets.start()?,
            parent: 0,
            arc: Arc { action: ActionId::from_raw(0), to: start },
        };
        Ok(Self {
            pair,
            budget,
            implementation,
            subsets,
            nodes: Vec::new(),
            kept: Vec::new(),
            open: VecDeque::from([first]),
            next: VecDeque::new(),
            in_next: FxHashSet::default(),
            claim: budget.claim(0, WHAT)?,
        })
    }

    pub(super) fn met(&self) -> Met {
        Met {
            pairs: self.nodes.len(),
            implementation: self.implementation.len(),
            specification: self.subsets.automaton.len(),
        }
    }

    /// Goes on until the answer is known, or so many states and pairs were met.
    pub(super) fn run(&mut self, most: usize) -> Result<Outcome, Failure> {
        loop {
            while let Some(node) = self.open.pop_front() {
                if self.is_new(node) {
                    let place = self.keep(node)?;
                    if let Some(lacking) = self.follow(place)? {
                        return Ok(Outcome::Lacking(self.moves(place, lacking)?));
                    }
                }
                let met = self.met();
                if met.pairs.max(met.implementation).max(met.specification) > most && !self.open.is_empty() {
                    return Ok(Outcome::Paused);
                }
            }
            if self.next.is_empty() {
                return Ok(Outcome::Included);
            }
            self.in_next.clear();
            std::mem::swap(&mut self.open, &mut self.next);
        }
    }

    /// Whether no pair that was followed covers this one.
    fn is_new(&self, node: Node) -> bool {
        let kept = self.kept.get(node.state as usize).map(Vec::as_slice).unwrap_or_default();
        !kept.iter().any(|&set| self.subsets.is_subset(set, node.set))
    }

    fn keep(&mut self, node: Node) -> Result<u32, Failure> {
        self.budget.step(1, WHAT)?;
        let at = node.state as usize;
        if self.kept.len() <= at {
            self.kept.resize(self.implementation.len().max(at + 1), Vec::new());
        }
        let subsets = &self.subsets;
        self.kept[at].retain(|&set| !subsets.is_subset(node.set, set));
        self.kept[at].push(node.set);
        if self.nodes.len() == self.nodes.capacity() {
            let waiting = self.open.len() + self.next.len();
            let bytes = 24 * self.kept.len() + 48 * self.nodes.len() + 32 * waiting;
            self.claim.grow_to(2 * bytes as u64 + 1024, WHAT)?;
        }
        if self.nodes.len() >= u32::MAX as usize / 2 {
            return Err(OverBudget { what: WHAT, limit: Limit::Memory }.into());
        }
        self.nodes.push(node);
        Ok(self.nodes.len() as u32 - 1)
    }

    /// Finds what comes after a pair. Answers with an arc that the specification has no counterpart of, if there is one.
    fn follow(&mut self, place: u32) -> Result<Option<Arc>, Failure> {
        let node = self.nodes[place as usize];
        let count = self.implementation.arcs(node.state)?.len();
        for i in 0..count {
            let arc = self.implementation.arcs(node.state)?[i];
            let partner = self.pair.partner[arc.action.index()];
            let set = match partner {
                None => node.set,
                Some(action) => match self.subsets.after(node.set, action)? {
                    Some(set) => set,
                    None => return Ok(Some(arc)),
                },
            };
            let next = Node { state: self.implementation.settle(arc.to)?, set, parent: place, arc };
            if partner.is_none() {
                self.open.push_back(next);
            } else if self.is_new(next) && self.in_next.insert((next.state, next.set)) {
                self.next.push_back(next);
            }
        }
        Ok(None)
    }

    /// The run of the implementation to a pair, and one arc further.
    fn moves(&mut self, place: u32, last: Arc) -> Result<Vec<Move>, Failure> {
        let mut back = Vec::new();
        let mut at = place;
        while at != 0 {
            back.push(self.nodes[at as usize].arc);
            at = self.nodes[at as usize].parent;
        }
        let start = self.nodes[0].arc.to;
        let mut arcs = self.implementation.settling(start)?;
        for arc in back.into_iter().rev() {
            arcs.push(arc);
            arcs.extend(self.implementation.settling(arc.to)?);
        }
        arcs.push(last);
        Ok(self.implementation.moves(&arcs))
    }
}
