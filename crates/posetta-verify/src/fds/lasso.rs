//! A fair computation out of the set of fair states: a path to a cycle, and the cycle.

use posetta_base::OverBudget;
use posetta_dd::bdd::Bdd;

use super::space::Space;

/// States, each a set of one, and where the last one goes back to.
pub(super) struct Lasso {
    pub(super) states: Vec<Bdd>,
    pub(super) cycle: usize,
}

impl Space {
    /// Goes on from the last state of a path inside `fair` ([`Space::fair`]) to a cycle that is fair.
    ///
    /// A strongly connected set of states whose parts can be visited in turn is a cycle. The one around the state at hand is tried first; if it is not
    /// fair, the search goes on from a state that leads out of it for good. From there nothing leads back, so this ends; and at the end is a set
    /// that nothing leads out of, which is fair, or its states would not be in `fair`.
    pub(super) fn lasso(&self, mut path: Vec<Bdd>, fair: &Bdd) -> Result<Option<Lasso>, OverBudget> {
        let bdds = &*self.bdds;
        loop {
            self.bdds.step(1, "looking for a cycle to show")?;
            let Some(state) = path.last().cloned() else { return Ok(None) };
            let ahead = self.forwards(&state, Some(fair), None)?.all;
            let around = self.backwards(&ahead, &state)?;
            if let Some(cycle) = self.cycle(&state, &around)? {
                let start = path.len() - 1;
                path.extend(cycle);
                return Ok(Some(Lasso { states: path, cycle: start }));
            }
            let beyond = bdds.minus(&ahead, &around)?;
            match self.walk(&state, fair, &beyond)? {
                Some(more) => path.extend(more),
                None => return Ok(None),
            }
        }
    }

    /// A cycle through a state inside a strongly connected set that fulfils all fairness, without the state itself; `None` if the set does not.
    fn cycle(&self, state: &Bdd, around: &Bdd) -> Result<Option<Vec<Bdd>>, OverBudget> {
        let bdds = &*self.bdds;
        let mut goals = Vec::new();
        for justice in &self.justice {
            goals.push(bdds.and(around, justice)?);
        }
        for (p, q) in &self.compassion {
            if !bdds.is_disjoint(around, p)? {
                goals.push(bdds.and(around, q)?);
            }
        }
        if goals.iter().any(Bdd::is_false) || bdds.is_disjoint(&self.image(state)?, around)? {
            return Ok(None);
        }
        let mut cycle: Vec<Bdd> = Vec::new();
        let mut at = state.clone();
        let mut open = Vec::new();
        for goal in goals {
            if bdds.is_disjoint(&goal, state)? {
                open.push(goal);
            }
        }
        while !open.is_empty() {
            // The nearest of what is still to be visited.
            let any = open.iter().try_fold(bdds.bottom(), |any, goal| bdds.or(&any, goal))?;
            let Some(walk) = self.walk(&at, around, &any)? else { return Ok(None) };
            for state in walk {
                let mut still = Vec::with_capacity(open.len());
                for goal in open {
                    if bdds.is_disjoint(&goal, &state)? {
                        still.push(goal);
                    }
                }
                open = still;
                at = state.clone();
                cycle.push(state);
            }
        }
        if cycle.last() != Some(state) {
            let Some(walk) = self.walk(&at, around, state)? else { return Ok(None) };
            cycle.extend(walk);
        }
        // The last one is the state itself again.
        cycle.pop();
        Ok(Some(cycle))
    }
}
