//! The states of a system and the searches among them.
//!
//! A [`Space`] is a fair discrete system in diagrams: a model alone, or with a tester beside it.

use std::rc::Rc;

use posetta_base::OverBudget;
use posetta_dd::bdd::{Bdd, Bdds, Bit};

use super::events::{Event, Turns};
use super::steps::{Frame, Steps};

const EXPLORING: &str = "exploring the states of a model";

/// Effort after which a path is looked for from its end, too.
const AHEAD: u64 = 200_000;

/// A fair discrete system in diagrams.
pub(super) struct Space {
    pub(super) bdds: Rc<Bdds>,
    pub(super) frame: Frame,
    pub(super) steps: Steps,
    /// The same steps process by process, where some variable says who moves.
    pub(super) events: Option<Vec<Event>>,
    /// Rings with more nodes than this are left to events.
    pub(super) ring_nodes: u64,
    /// The bits of a state, ascending.
    pub(super) bits: Vec<Bit>,
    pub(super) init: Bdd,
    pub(super) justice: Vec<Bdd>,
    pub(super) compassion: Vec<(Bdd, Bdd)>,
    /// Where finite computations end; nowhere if there are none.
    pub(super) finals: Bdd,
}

/// What has been reached.
pub(super) struct Reached {
    /// All of it.
    pub(super) all: Bdd,
    /// States by the number of steps that they take, as far as the search went breadth first.
    rings: Vec<Bdd>,
    /// States in the order in which they were found process by process, if the search went on like that, from the start: every state has a
    /// predecessor in an earlier layer, but those of the first.
    chained: Vec<Bdd>,
}

impl Reached {
    /// What was found last.
    pub(super) fn last(&self) -> &Bdd {
        self.chained.last().or(self.rings.last()).unwrap_or(&self.all)
    }

    /// How many steps the furthest state takes, if that is known.
    pub(super) fn depth(&self) -> Option<u64> {
        self.chained.is_empty().then(|| self.rings.len().saturating_sub(1) as u64)
    }
}

/// A search for what can be reached from a set: breadth first, and process by process once rings count something. It stops after every layer.
pub(super) struct Search {
    from: Bdd,
    within: Option<Bdd>,
    reached: Reached,
    chain: Option<Chain>,
}

/// Where a search process by process is.
struct Chain {
    turns: Turns,
    /// Whose turn it is, while it may bring something.
    turn: Option<usize>,
}

impl Search {
    pub(super) fn new(from: &Bdd, within: Option<&Bdd>) -> Self {
        let reached = Reached { all: from.clone(), rings: Vec::new(), chained: Vec::new() };
        Self { from: from.clone(), within: within.cloned(), reached, chain: None }
    }

    pub(super) fn reached(&self) -> &Reached {
        &self.reached
    }

    pub(super) fn into_reached(self) -> Reached {
        self.reached
    }

    fn inside(&self, bdds: &Bdds, set: Bdd) -> Result<Bdd, OverBudget> {
        match &self.within {
            Some(within) => bdds.and(&set, within),
            None => Ok(set),
        }
    }

    /// Finds one more layer; false if nothing is new.
    pub(super) fn advance(&mut self, space: &Space) -> Result<bool, OverBudget> {
        let bdds = &*space.bdds;
        if let (Some(events), Some(last), None) = (&space.events, self.reached.rings.last(), &self.chain)
            && last.nodes() > space.ring_nodes
        {
            // From the start again: what breadth first has found counts already.
            self.reached.all = self.from.clone();
            self.reached.chained.push(self.from.clone());
            self.chain = Some(Chain { turns: Turns::new(events.len()), turn: None });
        }
        if let (Some(events), Some(_)) = (&space.events, &self.chain) {
            return self.follow(space, events);
        }
        let ring = match self.reached.rings.last() {
            None => self.from.clone(),
            Some(last) => {
                let next = self.inside(bdds, space.image(last)?)?;
                bdds.minus(&next, &self.reached.all)?
            }
        };
        if ring.is_false() {
            return Ok(false);
        }
        space.bdds.step(1, EXPLORING)?;
        self.reached.all = bdds.or(&self.reached.all, &ring)?;
        self.reached.rings.push(ring);
        Ok(true)
    }

    /// Goes on process by process.
    fn follow(&mut self, space: &Space, events: &[Event]) -> Result<bool, OverBudget> {
        let bdds = &*space.bdds;
        while let Some(chain) = &mut self.chain {
            let Some(turn) = chain.turn.or_else(|| chain.turns.next()) else { break };
            chain.turn = Some(turn);
            space.bdds.step(1, EXPLORING)?;
            let next = self.inside(bdds, events[turn].image(bdds, &self.reached.all)?)?;
            let new = bdds.minus(&next, &self.reached.all)?;
            let Some(chain) = &mut self.chain else { break };
            if new.is_false() {
                chain.turn = None;
                continue;
            }
            chain.turns.brought(turn, events);
            self.reached.all = bdds.or(&self.reached.all, &new)?;
            self.reached.chained.push(new);
            return Ok(true);
        }
        Ok(false)
    }
}

impl Space {
    /// The states that a step leads to from the set. By events where there are any: each is small, while all at once can be large even if what
    /// comes out is not.
    pub(super) fn image(&self, set: &Bdd) -> Result<Bdd, OverBudget> {
        match &self.events {
            None => self.steps.image(&self.bdds, &self.frame, set),
            Some(events) => events
                .iter()
                .try_fold(self.bdds.bottom(), |any, event| self.bdds.or(&any, &event.image(&self.bdds, set)?)),
        }
    }

    /// The states from which some step leads into the set.
    pub(super) fn preimage(&self, set: &Bdd) -> Result<Bdd, OverBudget> {
        match &self.events {
            None => self.steps.preimage(&self.bdds, &self.frame, set),
            Some(events) => events
                .iter()
                .try_fold(self.bdds.bottom(), |any, event| self.bdds.or(&any, &event.preimage(&self.bdds, set)?)),
        }
    }

    /// Goes on from the initial states until nothing is new, or until a layer meets `goal`: then it is the last one.
    pub(super) fn explore(&self, goal: Option<&Bdd>) -> Result<Reached, OverBudget> {
        self.forwards(&self.init, None, goal)
    }

    /// Goes on from a set, inside another one if there is one.
    pub(super) fn forwards(&self, from: &Bdd, within: Option<&Bdd>, goal: Option<&Bdd>) -> Result<Reached, OverBudget> {
        let mut search = Search::new(from, within);
        while search.advance(self)? {
            if let Some(goal) = goal
                && !self.bdds.is_disjoint(search.reached().last(), goal)?
            {
                break;
            }
        }
        Ok(search.reached)
    }

    /// The states of `within` from which a path inside it leads to `goal`, which lies inside it: E[within U goal].
    pub(super) fn backwards(&self, within: &Bdd, goal: &Bdd) -> Result<Bdd, OverBudget> {
        const WHAT: &str = "searching backwards among the states of a model";
        let mut all = goal.clone();
        let mut ring = goal.clone();
        while !ring.is_false() {
            self.bdds.step(1, WHAT)?;
            if let Some(events) = &self.events
                && ring.nodes() > self.ring_nodes
            {
                let mut turns = Turns::new(events.len());
                while let Some(turn) = turns.next() {
                    loop {
                        self.bdds.step(1, WHAT)?;
                        let before = self.bdds.and(&events[turn].preimage(&self.bdds, &all)?, within)?;
                        let more = self.bdds.or(&all, &before)?;
                        if more == all {
                            break;
                        }
                        turns.brought(turn, events);
                        all = more;
                    }
                }
                return Ok(all);
            }
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
        let bdds = &*self.bdds;
        let mut fair = within.clone();
        loop {
            self.bdds.step(1, "searching for fair cycles")?;
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
                self.bdds.step(1, "searching for fair cycles")?;
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

    /// The states of a set that have no next one; the set holds what its states lead to.
    pub(super) fn stuck(&self, within: &Bdd) -> Result<Bdd, OverBudget> {
        let goal = if self.events.is_some() { self.bdds.top() } else { within.clone() };
        self.bdds.minus(within, &self.preimage(&goal)?)
    }

    /// One state of a set, as a set: the one with the smallest code. `None` if it is empty.
    pub(super) fn one(&self, set: &Bdd) -> Result<Option<Bdd>, OverBudget> {
        let Some(values) = self.bdds.pick(set) else { return Ok(None) };
        self.bdds.minterm(self.bits.iter().map(|&bit| (bit, values[bit.0 as usize]))).map(Some)
    }

    /// A path through what was reached to a state of `goal`: a shortest one, if breadth first got there. Empty if nothing did.
    pub(super) fn path(&self, reached: &Reached, goal: &Bdd) -> Result<Vec<Bdd>, OverBudget> {
        for (layers, rings) in [(&reached.rings, true), (&reached.chained, false)] {
            for (i, layer) in layers.iter().enumerate() {
                let here = self.bdds.and(layer, goal)?;
                if !here.is_false() {
                    return self.trace(&layers[..i], &here, rings);
                }
            }
        }
        Ok(Vec::new())
    }

    /// A path through layers to a state behind them.
    fn trace(&self, layers: &[Bdd], goal: &Bdd, rings: bool) -> Result<Vec<Bdd>, OverBudget> {
        let mut path = Vec::new();
        let mut left = layers.len();
        let Some(mut state) = self.one(goal)? else { return Ok(path) };
        loop {
            path.push(state.clone());
            if left == 0 {
                break;
            }
            self.bdds.step(1, "tracing a path back")?;
            let before = self.preimage(&state)?;
            // Of rings, only the one before has a predecessor; else the earliest layer that has one.
            let mut at = if rings { left - 1 } else { 0 };
            let mut here = self.bdds.and(&layers[at], &before)?;
            while here.is_false() && at + 1 < left {
                at += 1;
                here = self.bdds.and(&layers[at], &before)?;
            }
            let Some(found) = self.one(&here)? else { break };
            (state, left) = (found, at);
        }
        path.reverse();
        Ok(path)
    }

    /// A path from a state to `goal`, which lies inside `within` as the path does, mostly a shortest one, with at least
    /// one step; without its first state. `None` if there is none.
    ///
    /// It is looked for from both ends, after a while with equal effort: what leads to a state may be much smaller than
    /// what it leads to, or the other way round, and the smaller one is enough to know that there is no path.
    pub(super) fn walk(&self, from: &Bdd, within: &Bdd, goal: &Bdd) -> Result<Option<Vec<Bdd>>, OverBudget> {
        let bdds = &*self.bdds;
        let goal = bdds.and(goal, within)?;
        let mut search = Search::new(&bdds.and(&self.image(from)?, within)?, Some(within));
        // The states by how far the goal is.
        let (mut rings, mut behind) = (vec![goal.clone()], goal.clone());
        let (mut forwards, mut backwards) = (0, AHEAD);
        loop {
            let before = bdds.effort();
            if forwards <= backwards {
                if !search.advance(self)? {
                    return Ok(None);
                }
                if !bdds.is_disjoint(search.reached().last(), &goal)? {
                    return self.path(&search.reached, &goal).map(Some);
                }
                forwards += bdds.effort() - before;
                continue;
            }
            let Some(last) = rings.last() else { return Ok(None) };
            bdds.step(1, EXPLORING)?;
            let ring = self.preimage(last)?;
            if !bdds.is_disjoint(&ring, from)? {
                return self.descend(from, &rings).map(Some);
            }
            let ring = bdds.minus(&bdds.and(&ring, within)?, &behind)?;
            if ring.is_false() {
                return Ok(None);
            }
            behind = bdds.or(&behind, &ring)?;
            rings.push(ring);
            backwards += bdds.effort() - before;
        }
    }

    /// A path from a state through sets, of which the last one comes next and each leads to the one before.
    fn descend(&self, from: &Bdd, rings: &[Bdd]) -> Result<Vec<Bdd>, OverBudget> {
        let (mut path, mut at) = (Vec::with_capacity(rings.len()), from.clone());
        for ring in rings.iter().rev() {
            let next = self.bdds.and(&self.image(&at)?, ring)?;
            let Some(state) = self.one(&next)? else { break };
            at = state.clone();
            path.push(state);
        }
        Ok(path)
    }
}
