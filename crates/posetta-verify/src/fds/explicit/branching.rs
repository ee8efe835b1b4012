//! CTL with fairness on listed states: as `super::super::branching` says, with a truth value for each state instead of a diagram.

use std::rc::Rc;

use super::graph::{Back, Fairness, Graph};
use posetta_base::{Budget, OverBudget};
use posetta_logic::branching::{Node, Place, Program, StateSets};
use posetta_logic::{CtlBinary, CtlUnary, Path};
use posetta_model::fds::ExprId;

/// By state, whether it belongs to a set.
pub(super) type Set = Rc<[bool]>;

/// All states, what they lead to, and which of them begin a computation.
pub(super) struct Listed<'s> {
    pub(super) graph: &'s Graph,
    pub(super) back: &'s Back,
    pub(super) fairness: &'s Fairness,
    /// Where finite computations end.
    pub(super) finals: &'s [bool],
    pub(super) feasible: &'s [bool],
    pub(super) budget: &'s Budget,
}

/// The states of a set that begin a computation which stays inside it.
pub(super) fn feasible(
    graph: &Graph,
    back: &Back,
    fairness: &Fairness,
    finals: &[bool],
    within: &[bool],
    budget: &Budget,
) -> Result<Vec<bool>, OverBudget> {
    let mut goal: Vec<bool> = within.iter().zip(finals).map(|(a, b)| *a && *b).collect();
    for part in fairness.cycles(graph, within, budget)? {
        part.iter().for_each(|&node| goal[node as usize] = true);
    }
    back.until(within, &goal, budget)
}

fn both(a: &[bool], b: &[bool]) -> Vec<bool> {
    a.iter().zip(b).map(|(a, b)| *a && *b).collect()
}

/// Sets with the truth of atoms.
pub(super) struct Sets<'l, 's> {
    pub(super) listed: &'l Listed<'s>,
    pub(super) atoms: &'l mut dyn FnMut(ExprId) -> Result<Vec<bool>, OverBudget>,
}

impl StateSets<ExprId> for Sets<'_, '_> {
    type Set = Set;

    fn all(&self) -> Set {
        vec![true; self.listed.graph.len()].into()
    }

    fn none(&self) -> Set {
        vec![false; self.listed.graph.len()].into()
    }

    fn atom(&mut self, atom: &ExprId) -> Result<Set, OverBudget> {
        Ok((self.atoms)(*atom)?.into())
    }

    fn union(&mut self, f: &Set, g: &Set) -> Result<Set, OverBudget> {
        Ok(f.iter().zip(g.iter()).map(|(a, b)| *a || *b).collect())
    }

    fn intersection(&mut self, f: &Set, g: &Set) -> Result<Set, OverBudget> {
        Ok(both(f, g).into())
    }

    fn not(&mut self, f: &Set) -> Result<Set, OverBudget> {
        Ok(f.iter().map(|a| !a).collect())
    }

    fn some_next(&mut self, f: &Set) -> Result<Set, OverBudget> {
        let Listed { graph, feasible, budget, .. } = self.listed;
        budget.effort(3 * graph.len() as u64, "deciding CTL state by state")?;
        let goes = |node: u32| graph.to(node).iter().any(|&to| f[to as usize] && feasible[to as usize]);
        Ok((0..graph.len() as u32).map(goes).collect())
    }

    fn some_until(&mut self, f: &Set, g: &Set) -> Result<Set, OverBudget> {
        let Listed { back, feasible, budget, .. } = self.listed;
        Ok(back.until(f, &both(g, feasible), budget)?.into())
    }

    fn some_globally(&mut self, f: &Set) -> Result<Set, OverBudget> {
        let Listed { graph, back, fairness, finals, budget, .. } = self.listed;
        Ok(feasible(graph, back, fairness, finals, f, budget)?.into())
    }
}

/// What is known of each subformula, to show why one is true or false.
pub(super) struct Branching<'s> {
    pub(super) listed: &'s Listed<'s>,
    pub(super) program: &'s Program<ExprId>,
    /// By place: the states at which the subformula holds.
    pub(super) known: &'s [Set],
}

/// A path that shows something, and where its last state goes back to, if it does.
pub(super) struct Shown {
    pub(super) states: Vec<u32>,
    pub(super) cycle: Option<usize>,
}

/// Where a path is to lead: to a state at which all of these are true, or all false.
struct Goal<'p> {
    parts: &'p [Place],
    truth: bool,
}

impl Branching<'_> {
    fn states(&self, place: Place, truth: bool) -> Vec<bool> {
        self.known[place as usize].iter().map(|&holds| holds == truth).collect()
    }

    /// A path from a state that shows why the formula is false there. It ends where no single path shows more.
    pub(super) fn show(&self, from: u32) -> Result<Shown, OverBudget> {
        let mut shown = Shown { states: vec![from], cycle: None };
        self.extend(self.program.root(), false, &mut shown)?;
        Ok(shown)
    }

    /// Goes on with a path whose last state has the subformula true or false.
    fn extend(&self, place: Place, truth: bool, shown: &mut Shown) -> Result<(), OverBudget> {
        let Some(&at) = shown.states.last() else { return Ok(()) };
        if shown.cycle.is_some() {
            return Ok(());
        }
        let holds = |f: Place| self.known[f as usize][at as usize];
        let temporal = |f: Place| self.program.is_temporal(f);
        match self.program.node(place) {
            Node::Constant(_) | Node::Atom(_) => Ok(()),
            Node::Not(f) => self.extend(*f, !truth, shown),
            Node::And(fs) | Node::Or(fs) => {
                // A part that decides alone, or else the first one that has a path to show.
                let decides = truth == matches!(self.program.node(place), Node::Or(_));
                match fs.iter().find(|&&f| (!decides || holds(f) == truth) && temporal(f)) {
                    Some(&f) => self.extend(f, truth, shown),
                    None => Ok(()),
                }
            }
            Node::Implies(f, g) => {
                // Not f, or g.
                let mut sides = [(*f, !truth), (*g, truth)].into_iter();
                match sides.find(|&(part, value)| (!truth || holds(part) == value) && temporal(part)) {
                    Some((part, value)) => self.extend(part, value, shown),
                    None => Ok(()),
                }
            }
            Node::Iff(f, g) => match [*f, *g].into_iter().find(|&side| temporal(side)) {
                Some(side) => self.extend(side, holds(side), shown),
                None => Ok(()),
            },
            Node::Unary(path, op, f) => {
                let goal = |truth: bool| Goal { parts: std::slice::from_ref(f), truth };
                let everywhere = vec![true; self.listed.graph.len()];
                match (path, op, truth) {
                    (Path::Some, CtlUnary::Next, true) => self.step_to(&goal(true), shown),
                    (Path::All, CtlUnary::Next, false) => self.step_to(&goal(false), shown),
                    (Path::Some, CtlUnary::Finally, true) => self.go_to(&everywhere, &goal(true), shown),
                    (Path::All, CtlUnary::Globally, false) => self.go_to(&everywhere, &goal(false), shown),
                    (Path::Some, CtlUnary::Globally, true) => self.stay_in(&self.states(*f, true), shown),
                    (Path::All, CtlUnary::Finally, false) => self.stay_in(&self.states(*f, false), shown),
                    _ => Ok(()),
                }
            }
            Node::Binary(path, op, f, g) => {
                let (only_g, both) = (&[*g][..], &[*f, *g][..]);
                let (within, parts, or_stay) = match (path, op, truth) {
                    (Path::Some, CtlBinary::Until, true) => (*f, only_g, false),
                    (Path::Some, CtlBinary::WeakUntil, true) => (*f, only_g, true),
                    (Path::Some, CtlBinary::Release, true) => (*g, both, true),
                    (Path::All, CtlBinary::Release, false) => (*f, only_g, false),
                    (Path::All, CtlBinary::WeakUntil, false) => (*g, both, false),
                    (Path::All, CtlBinary::Until, false) => (*g, both, true),
                    _ => return Ok(()),
                };
                let (within, goal) = (self.states(within, truth), Goal { parts, truth });
                if or_stay && !self.reaches(at, &within, &goal)? {
                    return self.stay_in(&within, shown);
                }
                self.go_to(&within, &goal, shown)
            }
        }
    }

    /// The states of a goal that begin a computation.
    fn goal(&self, goal: &Goal<'_>) -> Vec<bool> {
        goal.parts.iter().fold(self.listed.feasible.to_vec(), |all, &part| both(&all, &self.states(part, goal.truth)))
    }

    fn reaches(&self, at: u32, within: &[bool], goal: &Goal<'_>) -> Result<bool, OverBudget> {
        Ok(self.listed.back.until(within, &both(within, &self.goal(goal)), self.listed.budget)?[at as usize])
    }

    /// Goes on from a state of a goal, with the first part that has a path to show.
    fn beyond(&self, goal: &Goal<'_>, shown: &mut Shown) -> Result<(), OverBudget> {
        match goal.parts.iter().find(|&&part| self.program.is_temporal(part)) {
            Some(&part) => self.extend(part, goal.truth, shown),
            None => Ok(()),
        }
    }

    fn step_to(&self, goal: &Goal<'_>, shown: &mut Shown) -> Result<(), OverBudget> {
        let Some(&at) = shown.states.last() else { return Ok(()) };
        let goals = self.goal(goal);
        if let Some(&to) = self.listed.graph.to(at).iter().find(|&&to| goals[to as usize]) {
            shown.states.push(to);
            self.beyond(goal, shown)?;
        }
        Ok(())
    }

    /// Goes to a goal: inside a set up to its last step.
    fn go_to(&self, within: &[bool], goal: &Goal<'_>, shown: &mut Shown) -> Result<(), OverBudget> {
        let Some(&at) = shown.states.last() else { return Ok(()) };
        let goals = self.goal(goal);
        if !goals[at as usize] {
            let inside: Vec<bool> = within.iter().zip(&goals).map(|(a, b)| *a || *b).collect();
            match self.listed.graph.walk(at, &inside, &goals, self.listed.budget)? {
                Some(way) => shown.states.extend(way),
                None => return Ok(()),
            }
        }
        self.beyond(goal, shown)
    }

    /// Goes on inside a set to a final state, or round a fair cycle.
    fn stay_in(&self, set: &[bool], shown: &mut Shown) -> Result<(), OverBudget> {
        let Listed { graph, fairness, finals, budget, .. } = self.listed;
        let Some(&at) = shown.states.last() else { return Ok(()) };
        let ends = both(set, finals);
        if ends[at as usize] {
            return Ok(());
        }
        if let Some(way) = graph.walk(at, set, &ends, budget)? {
            shown.states.extend(way);
            return Ok(());
        }
        let parts = fairness.cycles(graph, set, budget)?;
        let mut fair = vec![false; graph.len()];
        parts.iter().flatten().for_each(|&node| fair[node as usize] = true);
        if !fair[at as usize] {
            match graph.walk(at, set, &fair, budget)? {
                Some(way) => shown.states.extend(way),
                None => return Ok(()),
            }
        }
        let Some(&on) = shown.states.last() else { return Ok(()) };
        if let Some(part) = parts.iter().find(|part| part.contains(&on)) {
            shown.cycle = Some(shown.states.len() - 1);
            shown.states.extend(fairness.round(graph, part, on, budget)?);
        }
        Ok(())
    }
}
