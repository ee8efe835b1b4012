//! CTL with fairness: the states at which each subformula holds, and paths that show why.
//!
//! Paths are computations from a state on: fair infinite ones, and finite ones that end in a final state. `E[f U g]` therefore asks for a g from
//! which a computation goes on, `EG f` for a fair cycle or a final state that is reached inside f.

use posetta_base::OverBudget;
use posetta_dd::bdd::Bdd;
use posetta_logic::branching::{Node, Place, Program, StateSets};
use posetta_logic::{CtlBinary, CtlUnary, Path};
use posetta_model::fds::ExprId;

use super::engine::Engine;
use super::space::Space;

/// Sets of reachable states.
pub(super) struct Regions<'s, 'm> {
    pub(super) engine: &'s mut Engine<'m>,
    pub(super) space: &'s Space,
    /// The reachable states.
    pub(super) all: &'s Bdd,
    /// Those that begin a computation.
    pub(super) feasible: &'s Bdd,
}

impl StateSets<ExprId> for Regions<'_, '_> {
    type Set = Bdd;

    fn all(&self) -> Bdd {
        self.all.clone()
    }

    fn none(&self) -> Bdd {
        self.space.bdds.bottom()
    }

    fn atom(&mut self, atom: &ExprId) -> Result<Bdd, OverBudget> {
        self.space.bdds.and(self.all, &self.engine.truth(*atom)?)
    }

    fn union(&mut self, f: &Bdd, g: &Bdd) -> Result<Bdd, OverBudget> {
        self.space.bdds.or(f, g)
    }

    fn intersection(&mut self, f: &Bdd, g: &Bdd) -> Result<Bdd, OverBudget> {
        self.space.bdds.and(f, g)
    }

    fn not(&mut self, f: &Bdd) -> Result<Bdd, OverBudget> {
        self.space.bdds.minus(self.all, f)
    }

    fn some_next(&mut self, f: &Bdd) -> Result<Bdd, OverBudget> {
        let bdds = &*self.space.bdds;
        bdds.and(self.all, &self.space.preimage(&bdds.and(f, self.feasible)?)?)
    }

    fn some_until(&mut self, f: &Bdd, g: &Bdd) -> Result<Bdd, OverBudget> {
        self.space.backwards(f, &self.space.bdds.and(g, self.feasible)?)
    }

    fn some_globally(&mut self, f: &Bdd) -> Result<Bdd, OverBudget> {
        self.space.feasible(f)
    }
}

/// What is known of each subformula, to show why one is true or false.
pub(super) struct Branching<'s> {
    pub(super) space: &'s Space,
    pub(super) all: &'s Bdd,
    pub(super) feasible: &'s Bdd,
    pub(super) program: &'s Program<ExprId>,
    /// By place: the states at which the subformula holds.
    pub(super) known: &'s [Bdd],
}

/// A path that shows something: states, each a set of one, and where the last goes back to, if it does.
pub(super) struct Shown {
    pub(super) states: Vec<Bdd>,
    pub(super) cycle: Option<usize>,
}

/// Where a path is to lead: to a state at which all of these are true, or all false.
struct Goal<'p> {
    parts: &'p [Place],
    truth: bool,
}

impl Branching<'_> {
    /// The states at which a subformula is true, or those at which it is false.
    fn states(&self, place: Place, truth: bool) -> Result<Bdd, OverBudget> {
        let set = &self.known[place as usize];
        if truth { Ok(set.clone()) } else { self.space.bdds.minus(self.all, set) }
    }

    /// A path from a state that shows why the formula is false there. It ends where no single path shows more.
    pub(super) fn show(&self, from: &Bdd) -> Result<Shown, OverBudget> {
        let mut shown = Shown { states: vec![from.clone()], cycle: None };
        self.extend(self.program.root(), false, &mut shown)?;
        Ok(shown)
    }

    /// Goes on with a path whose last state has the subformula true or false.
    fn extend(&self, place: Place, truth: bool, shown: &mut Shown) -> Result<(), OverBudget> {
        let Some(at) = shown.states.last().cloned() else { return Ok(()) };
        if shown.cycle.is_some() {
            return Ok(());
        }
        let holds = |f: Place| Ok::<bool, OverBudget>(!self.space.bdds.is_disjoint(&at, &self.known[f as usize])?);
        match self.program.node(place) {
            Node::Constant(_) | Node::Atom(_) => Ok(()),
            Node::Not(f) => self.extend(*f, !truth, shown),
            Node::And(fs) | Node::Or(fs) => {
                // A part that decides alone, or else the first one that has a path to show.
                let decides = truth == matches!(self.program.node(place), Node::Or(_));
                for &f in fs {
                    if (!decides || holds(f)? == truth) && self.program.is_temporal(f) {
                        return self.extend(f, truth, shown);
                    }
                }
                Ok(())
            }
            Node::Implies(f, g) => {
                // Not f, or g.
                for (part, value) in [(*f, !truth), (*g, truth)] {
                    if (!truth || holds(part)? == value) && self.program.is_temporal(part) {
                        return self.extend(part, value, shown);
                    }
                }
                Ok(())
            }
            Node::Iff(f, g) => {
                for side in [*f, *g] {
                    if self.program.is_temporal(side) {
                        let value = holds(side)?;
                        return self.extend(side, value, shown);
                    }
                }
                Ok(())
            }
            Node::Unary(path, op, f) => {
                let goal = |truth: bool| Goal { parts: std::slice::from_ref(f), truth };
                match (path, op, truth) {
                    (Path::Some, CtlUnary::Next, true) => self.step_to(&goal(true), shown),
                    (Path::All, CtlUnary::Next, false) => self.step_to(&goal(false), shown),
                    (Path::Some, CtlUnary::Finally, true) => self.go_to(self.all, &goal(true), shown),
                    (Path::All, CtlUnary::Globally, false) => self.go_to(self.all, &goal(false), shown),
                    (Path::Some, CtlUnary::Globally, true) => self.stay_in(&self.states(*f, true)?, shown),
                    (Path::All, CtlUnary::Finally, false) => self.stay_in(&self.states(*f, false)?, shown),
                    _ => Ok(()),
                }
            }
            Node::Binary(path, op, f, g) => {
                let (only_g, both) = (&[*g][..], &[*f, *g][..]);
                match (path, op, truth) {
                    (Path::Some, CtlBinary::Until, true) => {
                        self.go_to(&self.states(*f, true)?, &Goal { parts: only_g, truth }, shown)
                    }
                    (Path::Some, CtlBinary::WeakUntil, true) => {
                        self.go_or_stay(&self.states(*f, true)?, &Goal { parts: only_g, truth }, shown)
                    }
                    (Path::Some, CtlBinary::Release, true) => {
                        self.go_or_stay(&self.states(*g, true)?, &Goal { parts: both, truth }, shown)
                    }
                    (Path::All, CtlBinary::Release, false) => {
                        self.go_to(&self.states(*f, false)?, &Goal { parts: only_g, truth }, shown)
                    }
                    (Path::All, CtlBinary::WeakUntil, false) => {
                        self.go_to(&self.states(*g, false)?, &Goal { parts: both, truth }, shown)
                    }
                    (Path::All, CtlBinary::Until, false) => {
                        self.go_or_stay(&self.states(*g, false)?, &Goal { parts: both, truth }, shown)
                    }
                    _ => Ok(()),
                }
            }
        }
    }

    /// The states of a goal that begin a computation.
    fn goal(&self, goal: &Goal<'_>) -> Result<Bdd, OverBudget> {
        goal.parts
            .iter()
            .try_fold(self.feasible.clone(), |all, &part| self.space.bdds.and(&all, &self.states(part, goal.truth)?))
    }

    /// Goes on from a state of a goal, with the first part that has a path to show.
    fn beyond(&self, goal: &Goal<'_>, shown: &mut Shown) -> Result<(), OverBudget> {
        match goal.parts.iter().find(|&&part| self.program.is_temporal(part)) {
            Some(&part) => self.extend(part, goal.truth, shown),
            None => Ok(()),
        }
    }

    fn step_to(&self, goal: &Goal<'_>, shown: &mut Shown) -> Result<(), OverBudget> {
        let Some(at) = shown.states.last() else { return Ok(()) };
        let next = self.space.bdds.and(&self.space.image(at)?, &self.goal(goal)?)?;
        if let Some(state) = self.space.one(&next)? {
            shown.states.push(state);
            self.beyond(goal, shown)?;
        }
        Ok(())
    }

    fn go_to(&self, within: &Bdd, goal: &Goal<'_>, shown: &mut Shown) -> Result<(), OverBudget> {
        let Some(at) = shown.states.last().cloned() else { return Ok(()) };
        let states = self.goal(goal)?;
        if self.space.bdds.is_disjoint(&at, &states)? {
            let inside = self.space.bdds.or(within, &states)?;
            match self.space.walk(&at, &inside, &states)? {
                Some(walk) => shown.states.extend(walk),
                None => return Ok(()),
            }
        }
        self.beyond(goal, shown)
    }

    /// Goes to a goal inside a set, or stays in the set forever.
    fn go_or_stay(&self, within: &Bdd, goal: &Goal<'_>, shown: &mut Shown) -> Result<(), OverBudget> {
        let Some(at) = shown.states.last() else { return Ok(()) };
        let reaching = self.space.backwards(within, &self.space.bdds.and(within, &self.goal(goal)?)?)?;
        if self.space.bdds.is_disjoint(at, &reaching)? {
            self.stay_in(within, shown)
        } else {
            self.go_to(within, goal, shown)
        }
    }

    /// Goes on inside a set to a final state, or round a fair cycle.
    fn stay_in(&self, set: &Bdd, shown: &mut Shown) -> Result<(), OverBudget> {
        let bdds = &*self.space.bdds;
        let Some(at) = shown.states.last().cloned() else { return Ok(()) };
        let ends = bdds.and(set, &self.space.finals)?;
        if !bdds.is_disjoint(&at, &ends)? {
            return Ok(());
        }
        if let Some(walk) = self.space.walk(&at, set, &ends)? {
            shown.states.extend(walk);
            return Ok(());
        }
        let fair = self.space.fair(set)?;
        let mut path = std::mem::take(&mut shown.states);
        if bdds.is_disjoint(&at, &fair)?
            && let Some(walk) = self.space.walk(&at, set, &fair)?
        {
            path.extend(walk);
        }
        let kept = path.clone();
        match self.space.lasso(path, &fair)? {
            Some(lasso) => {
                shown.states = lasso.states;
                shown.cycle = Some(lasso.cycle);
            }
            None => shown.states = kept,
        }
        Ok(())
    }
}
