//! The states of a system and the searches among them.
//!
//! A [`Space`] is a fair discrete system in diagrams: a model alone, or with a tester beside it.

use crate::base::{Budget, OverBudget};
use crate::dd::bdd::{Bdd, Bdds, Bit};

use super::steps::{Frame, Steps};

/// A fair discrete system in diagrams.
pub(super) struct Space<'b> {
    pub(super) bdds: &'b Bdds,
    pub(super) budget: &'b Budget,
    pub(super) frame: Frame,
    pub(super) steps: Steps,
    /// The bits of a state, ascending.
    pub(super) bits: Vec<Bit>,
    pub(super) init: Bdd,
    pub(super) justice: Vec<Bdd>,
    pub(super) compassion: Vec<(Bdd, Bdd)>,
    /// Where finite computations end; nowhere if there are none.
    pub(super) finals: Bdd,
}

/// What has been reached, breadth first.
pub(super) struct Reached {
    /// All of it.
    pub(super) all: Bdd,
    /// By the number of steps, each state once.
    pub(super) rings: Vec<Bdd>,
}

impl Space<'_> {
    pub(super) fn image(&self, set: &Bdd) -> Result<Bdd, OverBudget> {
        self.steps.image(self.bdds, &self.frame, set)
    }

    pub(super) fn preimage(&self, set: &Bdd) -> Result<Bdd, OverBudget> {
        self.steps.preimage(self.bdds, &self.frame, set)
    }

    /// Goes on from the initial states until nothing is new, or until a state of `goal` is met: then it is in the last ring.
    pub(super) fn explore(&self, goal: Option<&Bdd>) -> Result<Reached, OverBudget> {
        self.forwards(&self.init, None, goal)
    }

    /// Goes on from a set, inside another one if there is one.
    pub(super) fn forwards(&self, from: &Bdd, within: Option<&Bdd>, goal: Option<&Bdd>) -> Result<Reached, OverBudget> {
        let mut reached = Reached { all: from.clone(), rings: Vec::new() };
        let mut ring = from.clone();
        while !ring.is_false() {
            self.budget.step(1, "exploring the states of a model")?;
            reached.rings.push(ring.clone());
            if let Some(goal) = goal
                && !self.bdds.and(&ring, goal)?.is_false()
            {
                break;
            }
            let mut next = self.image(&ring)?;
            if let Some(within) = within {
                next = self.bdds.and(&next, within)?;
            }
            ring = self.bdds.minus(&next, &reached.all)?;
            reached.all = self.bdds.or(&reached.all, &ring)?;
        }
        Ok(reached)
    }

    /// The states of `within` from which a path inside it leads to `goal`, which lies inside it: E[within U goal].
    pub(super) fn backwards(&self, within: &Bdd, goal: &Bdd) -> Result<Bdd, OverBudget> {
        let mut all = goal.clone();
        let mut ring = goal.clone();
        while !ring.is_false() {
            self.budget.step(1, "searching backwards among the states of a model")?;
            let before = self.bdds.and(&self.preimage(&ring)?, within)?;
            ring = self.bdds.minus(&before, &all)?;
            all = self.bdds.or(&all, &ring)?;
        }
        Ok(all)
    }

    /// A set of states inside `within` in which every state has a next one and, going on inside it, one can come to a cycle that is fair; all
    /// cycles of fair computations that stay inside `within` lie in it. Empty if there are none.
    ///
    /// The greatest fixpoint of Emerson and Lei (1986) for justice, each assertion by itself; for compassion as in Kesten, Pnueli and Raviv (1998): a
    /// state that satisfies p and cannot come to q lies on no fair cycle.
    pub(super) fn fair(&self, within: &Bdd) -> Result<Bdd, OverBudget> {
        let bdds = self.bdds;
        let mut fair = within.clone();
        loop {
            self.budget.step(1, "searching for fair cycles")?;
            let before = fair.clone();
            for justice in &self.justice {
                let goal = bdds.and(&fair, justice)?;
                fair = self.backwards(&fair, &goal)?;
            }
            for (p, q) in &self.compassion {
                let goal = bdds.and(&fair, q)?;
                let answered = self.backwards(&fair, &goal)?;
                fair = bdds.or(&bdds.minus(&fair, p)?, &answered)?;
            }
            loop {
                self.budget.step(1, "searching for fair cycles")?;
                let kept = bdds.and(&fair, &self.preimage(&fair)?)?;
                if kept == fair {
                    break;
                }
                fair = kept;
            }
            if fair == before {
                return Ok(fair);
            }
        }
    }

    /// The states of `within` that begin a computation which stays inside it.
    pub(super) fn feasible(&self, within: &Bdd) -> Result<Bdd, OverBudget> {
        let cycles = self.fair(within)?;
        let ends = self.bdds.and(within, &self.finals)?;
        self.backwards(within, &self.bdds.or(&cycles, &ends)?)
    }

    /// The states that have no next one.
    pub(super) fn stuck(&self, within: &Bdd) -> Result<Bdd, OverBudget> {
        self.bdds.minus(within, &self.preimage(&self.bdds.top())?)
    }

    /// One state of a set, as a set: the one with the smallest code. `None` if it is empty.
    pub(super) fn one(&self, set: &Bdd) -> Result<Option<Bdd>, OverBudget> {
        let Some(values) = self.bdds.pick(set) else { return Ok(None) };
        self.bdds.minterm(self.bits.iter().map(|&bit| (bit, values[bit.0 as usize]))).map(Some)
    }

    /// A shortest path: one state of each ring up to the last, which ends in `goal`.
    pub(super) fn path(&self, rings: &[Bdd], goal: &Bdd) -> Result<Vec<Bdd>, OverBudget> {
        let mut path = Vec::with_capacity(rings.len());
        let mut goal = goal.clone();
        for ring in rings.iter().rev() {
            self.budget.step(1, "tracing a path back")?;
            let Some(state) = self.one(&self.bdds.and(ring, &goal)?)? else { break };
            goal = self.preimage(&state)?;
            path.push(state);
        }
        path.reverse();
        Ok(path)
    }

    /// A shortest path from a state to `goal` inside `within`, with at least one step; without its first state. `None` if there is none.
    pub(super) fn walk(&self, from: &Bdd, within: &Bdd, goal: &Bdd) -> Result<Option<Vec<Bdd>>, OverBudget> {
        let first = self.bdds.and(&self.image(from)?, within)?;
        let reached = self.forwards(&first, Some(within), Some(goal))?;
        match reached.rings.last() {
            Some(last) if !self.bdds.and(last, goal)?.is_false() => {
                let goal = self.bdds.and(last, goal)?;
                self.path(&reached.rings, &goal).map(Some)
            }
            _ => Ok(None),
        }
    }
}
