//! What is asked of a system, decided by definition.

use posetta_base::ActionId;
use posetta_model::system::Demand;

use super::Space;
use super::letters::{Letters, observed};
use crate::fds::{branching, tableau};

/// The answer to a demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It is true, or not.
    Truth(bool),
    /// The number that was asked for.
    Number(u64),
}

/// Which actions are observed when it is asked for livelocks: "all that are not internal, and those that are observed besides".
#[must_use]
pub fn visible(space: &Space<'_>, besides: &[ActionId]) -> Vec<ActionId> {
    let actions = space.system.action_ids();
    actions.filter(|&a| !space.system.action(a).internal || besides.contains(&a)).collect()
}

/// Decides what is asked of a whole system.
#[must_use]
pub fn answer(space: &Space<'_>, demand: &Demand, besides: &[ActionId]) -> Answer {
    let mut states = 0..space.states.len();
    Answer::Truth(match demand {
        Demand::Finite(_) => panic!("words are listed where they are asked for"),
        Demand::Actions(f) => Letters::of(space, &observed(f, besides)).violation(f).is_none(),
        Demand::States(f) => tableau::walk(&space.endless_graph(), f, |p, s| space.holds(p, s)).is_none(),
        Demand::Branching(f) => branching::truth(&space.graph(), f, &|p, s| space.holds(p, s))[0],
        Demand::Reach(p) => states.any(|s| space.holds(p, s)),
        Demand::Invariant(p) => states.all(|s| space.holds(p, s)),
        Demand::NoDeadlock => space.deadlocks().is_empty(),
        Demand::NoLivelock => !space.divergent(&visible(space, besides)).contains(&true),
        Demand::Bound(slots) => return Answer::Number(space.most(slots)),
    })
}
