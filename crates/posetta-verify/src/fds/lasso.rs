//! A fair computation out of the set of fair states: a path to a cycle, and the cycle.

use posetta_base::OverBudget;
use posetta_dd::bdd::Bdd;

use super::space::Space;

/// States, each a set of one, and where the last one goes back to.
pub(super) struct Lasso {
    pub(super) states: Vec<Bdd>,
    pub(super) cycle: usize,
}

/// What becomes of a round of visits that is to be a cycle.
enum Round {
    /// The states after the first one; the last one is the first again.
    Closed(Vec<Bdd>),
    /// The states after the first one. Nothing leads back from the last of them.
    Left(Vec<Bdd>),
}

impl Space {
    /// Goes on from the last state of a path inside `fair` ([`Space::fair`]) to a cycle that is fair.
    ///
    /// From the state at hand every assertion is visited in turn, and then the way back is looked for (Clarke,
    /// Grumberg, McMillan and Zhao 1995). If there is none, the last state that was visited lies in a strongly
    /// connected set further on, and the search goes on from there. So this ends; and at the end is a set that nothing
    /// leads out of, in which every round closes. Whole strongly connected sets are not computed: that took longer than
    /// to find out that there is a cycle.
    pub(super) fn lasso(&self, mut path: Vec<Bdd>, fair: &Bdd) -> Result<Option<Lasso>, OverBudget> {
        let entry = path.len().saturating_sub(1);
        loop {
            self.bdds.step(1, "looking for a cycle to show")?;
            let Some(state) = path.last().cloned() else { return Ok(None) };
            match self.round(&state, fair)? {
                Round::Closed(cycle) => {
                    // The last one is the first again. Where rounds before have passed by the cycle already, it begins
                    // there.
                    let passed = path[entry..].iter().find_map(|one| cycle.iter().position(|other| other == one));
                    let first = passed.unwrap_or(cycle.len() - 1);
                    let start = entry + path[entry..].iter().position(|one| *one == cycle[first]).unwrap_or(0);
                    path.truncate(start);
                    path.extend_from_slice(&cycle[first..]);
                    path.extend_from_slice(&cycle[..first]);
                    return Ok(Some(Lasso { states: path, cycle: start }));
                }
                Round::Left(visited) if visited.is_empty() => match self.walk(&state, fair, fair)? {
                    // Everything is true of a state that lies on no cycle.
                    Some(step) => path.extend(step),
                    None => return Ok(None),
                },
                Round::Left(visited) => path.extend(visited),
            }
        }
    }

    /// Visits what fairness asks for inside `fair`, the nearest first, and goes back to the state.
    fn round(&self, state: &Bdd, fair: &Bdd) -> Result<Round, OverBudget> {
        let bdds = &*self.bdds;
        let mut visited: Vec<Bdd> = Vec::new();
        let mut open = Vec::new();
        for justice in &self.justice {
            if bdds.is_disjoint(justice, state)? {
                open.push(bdds.and(fair, justice)?);
            }
        }
        let mut asked = vec![false; self.compassion.len()];
        // How many of the states on the way have been held against compassion.
        let mut seen = 0;
        loop {
            let meets = |set: &Bdd, states: &[Bdd]| {
                states.iter().try_fold(false, |met, one| Ok::<bool, OverBudget>(met || !bdds.is_disjoint(set, one)?))
            };
            for ((p, q), asked) in self.compassion.iter().zip(&mut asked) {
                let begins = seen == 0 && !bdds.is_disjoint(p, state)?;
                if !*asked && (begins || meets(p, &visited[seen..])?) {
                    *asked = true;
                    if bdds.is_disjoint(q, state)? && !meets(q, &visited)? {
                        open.push(bdds.and(fair, q)?);
                    }
                }
            }
            seen = visited.len();
            let at = visited.last().unwrap_or(state);
            let goal = match open.is_empty() {
                true if visited.last() == Some(state) => return Ok(Round::Closed(visited)),
                true => state.clone(),
                false => open.iter().try_fold(bdds.bottom(), |any, goal| bdds.or(&any, goal))?,
            };
            let Some(walk) = self.walk(at, fair, &goal)? else { return Ok(Round::Left(visited)) };
            for state in walk {
                let mut still = Vec::with_capacity(open.len());
                for goal in open {
                    if bdds.is_disjoint(&goal, &state)? {
                        still.push(goal);
                    }
                }
                open = still;
                visited.push(state);
            }
        }
    }
}
