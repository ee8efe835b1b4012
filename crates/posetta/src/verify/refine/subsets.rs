//! Sets of states of an automaton, each stored once: what it can be in after a trace.
//!
//! A set is closed under internal actions, its members are settled and ascend. What an action makes of a set is found once.

use rustc_hash::FxHashMap;

use super::WHAT;
use super::automaton::Automaton;
use crate::base::{ActionId, Budget, Claim, Failure, OverBudget};

/// A set, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct SubsetId(u32);

/// The sets that were met.
pub(super) struct Subsets<'s> {
    pub(super) automaton: Automaton<'s>,
    members: Vec<Box<[u32]>>,
    /// By set: a bit for each member, by its last digits, so that most sets that are no subsets show it at once.
    marks: Vec<u64>,
    ids: FxHashMap<Box<[u32]>, SubsetId>,
    after: FxHashMap<(SubsetId, ActionId), Option<SubsetId>>,
    claim: Claim,
    bytes: u64,
    budget: &'s Budget,
}

impl<'s> Subsets<'s> {
    pub(super) fn new(automaton: Automaton<'s>, budget: &'s Budget) -> Result<Self, OverBudget> {
        Ok(Self {
            automaton,
            members: Vec::new(),
            marks: Vec::new(),
            ids: FxHashMap::default(),
            after: FxHashMap::default(),
            claim: budget.claim(0, WHAT)?,
            bytes: 0,
            budget,
        })
    }

    /// The states before any observable action.
    pub(super) fn start(&mut self) -> Result<SubsetId, Failure> {
        let start = self.automaton.start()?;
        self.closed(vec![start])
    }

    /// The states after one more observable action; `None` if it cannot come.
    pub(super) fn after(&mut self, set: SubsetId, action: ActionId) -> Result<Option<SubsetId>, Failure> {
        if let Some(&known) = self.after.get(&(set, action)) {
            return Ok(known);
        }
        let mut next = Vec::new();
        for i in 0..self.members[set.0 as usize].len() {
            let state = self.members[set.0 as usize][i];
            let arcs = self.automaton.arcs(state)?;
            next.extend(arcs.iter().filter(|arc| arc.action == action).map(|arc| arc.to));
        }
        let next = if next.is_empty() { None } else { Some(self.closed(next)?) };
        self.after.insert((set, action), next);
        self.bytes += 48;
        self.claim.grow_to(self.bytes, WHAT)?;
        Ok(next)
    }

    /// The set of what some states lead to silently.
    fn closed(&mut self, states: Vec<u32>) -> Result<SubsetId, Failure> {
        let mut all = Vec::with_capacity(states.len());
        let mut met = rustc_hash::FxHashSet::default();
        let mut open = states;
        while let Some(state) = open.pop() {
            self.budget.step(1, WHAT)?;
            let state = self.automaton.settle(state)?;
            if !met.insert(state) {
                continue;
            }
            all.push(state);
            let automaton = &mut self.automaton;
            let count = automaton.arcs(state)?.len();
            for i in 0..count {
                let arc = automaton.arcs(state)?[i];
                if automaton.is_internal(arc.action) {
                    open.push(arc.to);
                }
            }
        }
        all.sort_unstable();
        self.id(all.into())
    }

    fn id(&mut self, members: Box<[u32]>) -> Result<SubsetId, Failure> {
        if let Some(&id) = self.ids.get(&members) {
            return Ok(id);
        }
        let id = SubsetId(self.members.len() as u32);
        // Each set is held twice: as a list and as a key.
        self.bytes += 8 * members.len() as u64 + 120;
        self.claim.grow_to(self.bytes, WHAT)?;
        self.marks.push(members.iter().fold(0, |marks, m| marks | 1 << (m % 64)));
        self.members.push(members.clone());
        self.ids.insert(members, id);
        Ok(id)
    }

    /// Whether all members of one set are in another.
    pub(super) fn is_subset(&self, small: SubsetId, large: SubsetId) -> bool {
        if small == large {
            return true;
        }
        if self.marks[small.0 as usize] & !self.marks[large.0 as usize] != 0 {
            return false;
        }
        let (small, mut large) = (&self.members[small.0 as usize], &self.members[large.0 as usize][..]);
        small.len() < large.len()
            && small.iter().all(|member| match large.binary_search(member) {
                Ok(place) => {
                    large = &large[place + 1..];
                    true
                }
                Err(_) => false,
            })
    }
}
