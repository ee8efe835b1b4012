//! A run from a state to another one, found step by step without sets: for states that are known to be reached, where only a run is wanted.
//!
//! The *distance* of a state from the goal is summed up over the slots: of a transition system the arcs on a shortest way to where it should be,
//! if nobody else had a say; of a place the tokens that it has too many or too few. The walk takes any step that lessens the distance. Where
//! there is none it looks around, breadth first, for a state from which it is less (enforced hill climbing, Hoffmann and Nebel 2001). It may
//! get stuck, and ends after so many states: then there is no answer.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;

use super::expand::Steps;
use super::explicit::ways::{Scratch, TooMany, Ways};
use posetta_base::{ActionId, Budget, OverBudget};
use posetta_model::system::{Behaviour, Slots, System};

const WHAT: &str = "looking for a short run";

/// So many states are looked at in one place before the walk is given up, and so many steps are taken.
const AROUND: usize = 2_000;
const STEPS: usize = 100_000;

/// The effort of looking at a slot of a state that is kept.
const SLOT: u64 = 1;

/// Further than any state: its parts cannot get there.
const NEVER: u64 = u64::MAX;

/// A state, and how it was come to: the place of the one before it in the list, and the action.
struct Seen {
    state: Vec<u32>,
    distance: u64,
    from: u32,
    action: ActionId,
}

/// Why a look at the steps of a state ended early.
enum Ended {
    Nearer,
    TooMany,
}

impl From<TooMany> for Ended {
    fn from(_: TooMany) -> Self {
        Self::TooMany
    }
}

/// Walks in one system towards one state.
pub(super) struct Walk<'s> {
    ways: Ways<'s>,
    scratch: Scratch<'s>,
    goal: Vec<u32>,
    /// By slot: of a transition system the distance of each of its states; `None` for places.
    distances: Vec<Option<Vec<u64>>>,
}

impl<'s> Walk<'s> {
    pub(super) fn new(system: &'s System, goal: Vec<u32>) -> Self {
        let slots = Slots::new(system);
        let mut distances = vec![None; slots.count()];
        for component in system.component_ids() {
            let slot = slots.of(component).start;
            if let Behaviour::Lts(lts) = &system.component(component).behaviour {
                let mut into: Vec<Vec<u32>> = vec![Vec::new(); lts.states.len()];
                lts.arcs.iter().for_each(|arc| into[arc.to as usize].push(arc.from));
                let mut far = vec![NEVER; lts.states.len()];
                far[goal[slot] as usize] = 0;
                let mut open = VecDeque::from([goal[slot]]);
                while let Some(at) = open.pop_front() {
                    for &before in &into[at as usize] {
                        if far[before as usize] == NEVER {
                            far[before as usize] = far[at as usize] + 1;
                            open.push_back(before);
                        }
                    }
                }
                distances[slot] = Some(far);
            }
        }
        Self { ways: Ways::new(system, &slots), scratch: Scratch::default(), goal, distances }
    }

    /// How far a number of a slot is from what it should be.
    fn far(&self, slot: usize, number: u32) -> u64 {
        match &self.distances[slot] {
            Some(far) => far[number as usize],
            None => u64::from(number.abs_diff(self.goal[slot])),
        }
    }

    fn distance(&self, state: &[u32]) -> u64 {
        (0..state.len()).fold(0, |sum: u64, slot| sum.saturating_add(self.far(slot, state[slot])))
    }

    /// The steps from a state to the goal: actions, and the states that they lead to. `None` if the walk gets stuck.
    pub(super) fn steps(
        &mut self,
        from: &[u32],
        may: &dyn Fn(ActionId) -> bool,
        budget: &Budget,
    ) -> Result<Option<Steps>, OverBudget> {
        let (mut steps, mut at) = (Vec::new(), from.to_vec());
        let mut claim = budget.claim(0, WHAT)?;
        loop {
            let distance = self.distance(&at);
            if distance == 0 {
                return Ok(Some(steps));
            }
            let Some(way) = self.nearer(&at, distance, may, budget)? else { return Ok(None) };
            let Some((_, last)) = way.last() else { return Ok(None) };
            at.clone_from(last);
            steps.extend(way);
            if steps.len() > STEPS {
                return Ok(None);
            }
            claim.grow_to((steps.capacity() * (40 + 4 * at.len())) as u64, WHAT)?;
        }
    }

    /// The steps from a state to a nearer one.
    fn nearer(
        &mut self,
        from: &[u32],
        distance: u64,
        may: &dyn Fn(ActionId) -> bool,
        budget: &Budget,
    ) -> Result<Option<Steps>, OverBudget> {
        let start = Seen { state: from.to_vec(), distance, from: 0, action: ActionId::from_raw(0) };
        let mut seen = vec![start];
        let mut known: FxHashSet<Vec<u32>> = FxHashSet::from_iter([from.to_vec()]);
        let mut claim = budget.claim(0, WHAT)?;
        let mut at = 0;
        while at < seen.len() && seen.len() < AROUND {
            let mut scratch = std::mem::take(&mut self.scratch);
            scratch.looks = 0;
            let values = std::mem::take(&mut seen[at].state);
            let here = seen[at].distance;
            let mut kept = 0;
            let found = self.ways.each(&values, &mut scratch, &mut |action, changes| {
                if !may(action) {
                    return Ok(());
                }
                let mut there = here;
                for &(slot, number) in changes {
                    let (before, after) =
                        (self.far(slot as usize, values[slot as usize]), self.far(slot as usize, number));
                    // From a state that cannot get to the goal nobody starts.
                    there = if after == NEVER { NEVER } else { there.saturating_sub(before).saturating_add(after) };
                    if there == NEVER {
                        return Ok(());
                    }
                }
                if there >= distance && seen.len() >= AROUND {
                    return Ok(());
                }
                let mut state = values.clone();
                changes.iter().for_each(|&(slot, number)| state[slot as usize] = number);
                kept += 1;
                if there < distance {
                    seen.push(Seen { state, distance: there, from: at as u32, action });
                    return Err(Ended::Nearer);
                }
                if known.insert(state.clone()) {
                    seen.push(Seen { state, distance: there, from: at as u32, action });
                }
                Ok(())
            });
            seen[at].state = values;
            budget.effort(scratch.looks + kept * SLOT * from.len() as u64, WHAT)?;
            self.scratch = scratch;
            claim.grow_to((seen.len() * (96 + 8 * from.len())) as u64, WHAT)?;
            match found {
                Ok(()) => at += 1,
                Err(Ended::TooMany) => return Ok(None),
                Err(Ended::Nearer) => return Ok(Some(traced(seen))),
            }
        }
        Ok(None)
    }
}

/// The steps to the last state.
fn traced(mut seen: Vec<Seen>) -> Steps {
    let (mut steps, mut at) = (Vec::new(), seen.len() - 1);
    while at != 0 {
        let Seen { state, from, action, .. } = &mut seen[at];
        steps.push((*action, std::mem::take(state)));
        at = *from as usize;
    }
    steps.reverse();
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::explicit::Explicit;

    fn read(text: &str) -> System {
        posetta_model::sys::read("a.sys", text, None, &mut |_, _| unreachable!("nothing is imported")).unwrap()
    }

    /// Walks to every state that can be reached: the steps are steps and end where they should. Answers with how many of how many were found.
    fn found(text: &str) -> (usize, usize) {
        let system = read(text);
        let budget = Budget::unlimited();
        let mut graph = Explicit::new(&system, &vec![false; system.actions.len()], &budget).unwrap();
        assert!(graph.search(&mut |_, _| Ok(false)).unwrap().is_none());
        let (slots, initial, mut found) = (Slots::new(&system), system.initial(), 0);
        for node in graph.nodes() {
            let goal = graph.state(node);
            let Some(steps) = Walk::new(&system, goal.clone()).steps(&initial, &|_| true, &budget).unwrap() else {
                continue;
            };
            let mut at = initial.clone();
            for (action, next) in steps {
                assert!(system.step_between(&slots, &at, action, &next).is_some(), "{at:?} {action:?} {next:?}");
                at = next;
            }
            assert_eq!(at, goal);
            found += 1;
        }
        (found, graph.len())
    }

    #[test]
    fn walks_are_runs_to_the_goal() {
        let table = "component Fork(i in 0..3) { lts { init free
              for p in 0..3 if p == i || (p + 1) % 4 == i { free -take[p][i]-> taken[p] -drop[p][i]-> free } } }
            component Phil(i in 0..3) { lts { init thinks
              thinks -hungry[i]-> wants -take[i][i]-> has_one
              has_one -take[i][(i+1) % 4]-> eats -drop[i][i]-> leaves -drop[i][(i+1) % 4]-> thinks } }
            system Table = Phil || Fork";
        let (found_here, all) = found(table);
        assert!(all > 300 && found_here == all, "{found_here} of {all}");
        let net = "component N { net { p = 3; r = 1; t: p -> 2 q; u: q, r -> s; v: s -> r; w: 2 q -> p } }";
        let (found_here, all) = found(net);
        assert!(all > 10 && 2 * found_here > all, "{found_here} of {all}");
        // There is no way back: a step that seems right leads nowhere. What is not found is not claimed.
        let trap = "component A { lts { init a; a -x-> b -y-> c; a -z-> d -y-> c } }
            component B { lts { init e; e -z-> f -y-> g; e -x-> e } }
            system S = A || B";
        let (found_here, all) = found(trap);
        assert!(found_here >= all - 1, "{found_here} of {all}");
    }

    #[test]
    fn a_walk_takes_only_what_it_may() {
        let system = read("component A { lts { init a; a -x-> b; a -y-> c -z-> b } }");
        let mut walk = Walk::new(&system, vec![1]);
        let budget = Budget::unlimited();
        let names =
            |steps: Steps| -> Vec<String> { steps.iter().map(|(a, _)| system.action(*a).name.to_string()).collect() };
        assert_eq!(names(walk.steps(&[0], &|_| true, &budget).unwrap().unwrap()), ["x"]);
        let x = system.find_action("x").unwrap();
        assert_eq!(names(walk.steps(&[0], &|a| a != x, &budget).unwrap().unwrap()), ["y", "z"]);
        assert!(walk.steps(&[2], &|a| a == x, &budget).unwrap().is_none());
        budget.stop_handle().raise(posetta_base::Limit::Cancelled);
        assert!(walk.steps(&[0], &|_| true, &budget).is_err());
    }
}
