//! A search in which only some of the actions are followed from each state ([`super::stubborn`]), depth first and breadth first in turns.
//!
//! Depth first gets to states that every part of the system has to agree to, such as deadlocks, along one run; breadth first to states that
//! are near. Which is the case is not known, and the two share what they store. Neither makes a step before it is followed: in a state with a
//! thousand steps the first may be enough.

use std::collections::VecDeque;

use super::stubborn::{Goal, State, Stubborn};
use super::{Explicit, Hindrance, STATE, WHAT, WORD};
use crate::system::observed::{Arc, Ending, NodeId, Observed as _, Path};
use posetta_base::{ActionId, Claim, Error};
use posetta_model::system::Run;

/// After so many states it is seen whether much is left out.
const TRIAL: u64 = 2_000;
/// Of a hundred steps, so many are followed at most, or the search is given up.
const MOST_FOLLOWED: u64 = 80;

/// The effort of a look at an action, in units of the budget: more than where states are listed, since of most steps nothing comes.
const LOOK: u64 = 2;

/// How such a search ends.
pub(in crate::system) enum Found {
    /// A run to a state that was looked for.
    Run(Run),
    /// There is no such state.
    Nothing,
    /// Almost everything is followed: the states may as well be kept for others.
    InVain,
}

/// A state from which steps are left to follow; `None` if nobody has looked at it.
struct Open {
    node: NodeId,
    left: Option<Vec<ActionId>>,
}

/// One of the two searches: the states that it has come to, and those that it has to go on from.
#[derive(Default)]
struct Side {
    is_here: Vec<bool>,
    open: VecDeque<Open>,
}

impl Side {
    fn come_to(&mut self, node: NodeId) {
        if self.is_here.len() <= node.index() {
            self.is_here.resize(node.index() + 1, false);
        }
        if !std::mem::replace(&mut self.is_here[node.index()], true) {
            self.open.push_back(Open { node, left: None });
        }
    }
}

/// The search, with what both sides share.
pub(in crate::system) struct Reduced<'g, 's, 'p> {
    graph: &'g mut Explicit<'s>,
    goal: Goal<'p>,
    stubborn: Stubborn<'s>,
    /// By node: the one that it was reached from, and how; the start from itself.
    came: Vec<(NodeId, ActionId)>,
    looked_at: u64,
    possible: u64,
    followed: u64,
    waiting: usize,
    claim: Claim,
}

impl<'g, 's, 'p> Reduced<'g, 's, 'p> {
    /// A search that stores what it comes to in a graph in which nothing else is stored.
    pub(in crate::system) fn new(graph: &'g mut Explicit<'s>, goal: Goal<'p>) -> Result<Self, Error> {
        let stubborn = Stubborn::new(graph.system);
        let claim = graph.budget.claim(0, WHAT)?;
        let came = Vec::new();
        Ok(Self { graph, goal, stubborn, came, looked_at: 0, possible: 0, followed: 0, waiting: 0, claim })
    }

    /// Goes on to the end.
    pub(in crate::system) fn search(mut self) -> Result<Found, Error> {
        let start = self.graph.start()?;
        self.came.push((start, ActionId::from_raw(0)));
        let mut sides = [Side::default(), Side::default()];
        sides.iter_mut().for_each(|side| side.come_to(start));
        let mut next = Vec::new();
        for turn in 0_u64.. {
            let is_deep = turn.is_multiple_of(2);
            let side = &mut sides[usize::from(!is_deep)];
            let open = if is_deep { side.open.back_mut() } else { side.open.front_mut() };
            // Either of the two gets everywhere.
            let Some(open) = open else { return Ok(Found::Nothing) };
            let node = open.node;
            let left = match &mut open.left {
                Some(left) => left,
                none => match self.look(node)? {
                    Some(actions) => none.insert(actions),
                    None => return self.run_to(node).map(Found::Run),
                },
            };
            if self.looked_at > TRIAL && 100 * self.followed > MOST_FOLLOWED * self.possible {
                return Ok(Found::InVain);
            }
            let Some(action) = left.pop() else {
                if is_deep {
                    side.open.pop_back()
                } else {
                    side.open.pop_front()
                };
                continue;
            };
            self.waiting -= 1;
            next.clear();
            self.graph.fire(node, action, &mut next)?;
            self.came.resize(self.graph.len(), (node, action));
            next.iter().for_each(|&to| side.come_to(to));
            if turn.is_multiple_of(256) {
                self.make_room(&sides)?;
            }
        }
        Ok(Found::Nothing)
    }

    /// Memory that what is open may take is announced.
    fn make_room(&mut self, sides: &[Side; 2]) -> Result<(), Error> {
        let open: usize = sides.iter().map(|side| side.is_here.capacity() + 32 * side.open.capacity()).sum();
        let came = size_of::<(NodeId, ActionId)>() * self.came.capacity();
        Ok(self.claim.grow_to(2 * (open + came + 8 * self.waiting) as u64, WHAT)?)
    }

    /// What is to be followed from a state, the first last; `None` if it is one that is looked for.
    fn look(&mut self, node: NodeId) -> Result<Option<Vec<ActionId>>, Error> {
        let possible = self.graph.possible(node)?;
        let state = State { values: &self.graph.values, possible: &possible };
        if state.satisfies(self.goal.predicate) == self.goal.value {
            return Ok(None);
        }
        let before = self.stubborn.looks;
        let mut actions = self.stubborn.actions(&state, self.goal);
        self.looked_at += 1;
        self.possible += possible.len() as u64;
        self.followed += actions.len() as u64;
        self.waiting += actions.len();
        self.graph.tally.effort(LOOK * (self.stubborn.looks - before) + STATE, WHAT)?;
        actions.reverse();
        Ok(Some(actions))
    }

    fn run_to(self, node: NodeId) -> Result<Run, Error> {
        let (mut prefix, mut at) = (Vec::new(), node);
        while at.index() != 0 {
            let (before, action) = self.came[at.index()];
            prefix.push(Arc { action, to: at });
            at = before;
        }
        prefix.reverse();
        self.graph.run(&Path { prefix, end: Ending::Open })
    }
}

impl Explicit<'_> {
    /// The actions that can take place in a state, ascending; its numbers are in `values` then.
    fn possible(&mut self, node: NodeId) -> Result<Vec<ActionId>, Error> {
        let mut scratch = std::mem::take(&mut self.scratch);
        self.packing.unpack(self.states.row(node.0), &mut self.values);
        scratch.looks = 0;
        let mut possible = Vec::new();
        let found = self.ways.each(&self.values, &mut scratch, &mut |action, _| {
            if possible.last() != Some(&action) {
                possible.push(action);
            }
            Ok(())
        });
        self.tally.effort(scratch.looks * LOOK, WHAT)?;
        self.scratch = scratch;
        if let Err(hindrance) = found {
            self.overcome(hindrance)?;
        }
        possible.sort_unstable();
        possible.dedup();
        Ok(possible)
    }

    /// The states that an action leads to from a state.
    fn fire(&mut self, node: NodeId, action: ActionId, to: &mut Vec<NodeId>) -> Result<(), Error> {
        loop {
            match self.tried_action(node, action, to) {
                Ok(()) => return Ok(()),
                Err(hindrance) => self.overcome(hindrance)?,
            }
            to.clear();
        }
    }

    fn tried_action(&mut self, node: NodeId, action: ActionId, to: &mut Vec<NodeId>) -> Result<(), Hindrance> {
        let (mut scratch, mut values) = (std::mem::take(&mut self.scratch), std::mem::take(&mut self.values));
        self.packing.unpack(self.states.row(node.0), &mut values);
        scratch.looks = 0;
        let ways = std::mem::take(&mut self.ways);
        let found = ways.of(action, &values, &mut scratch, &mut |_, changes| {
            to.push(self.stepped(node, changes)?);
            Ok(())
        });
        (self.ways, self.values) = (ways, values);
        let looks = scratch.looks;
        self.scratch = scratch;
        let state = STATE + WORD * self.row.len() as u64;
        self.tally.effort(looks * LOOK + (1 + to.len() as u64) * state, WHAT)?;
        found
    }
}
