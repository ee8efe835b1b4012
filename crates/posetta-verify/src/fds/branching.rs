//! CTL with fairness: the states at which a formula holds, from the inside out.
//!
//! Paths are computations from a state on: fair infinite ones, and finite ones that end in a final state. `E[f U g]` therefore asks for a g from
//! which a computation goes on, `EG f` for a fair cycle or a final state that is reached inside f.

use posetta_base::OverBudget;
use posetta_dd::bdd::Bdd;
use posetta_logic::{Ctl, CtlBinary, CtlUnary, Path};

use super::space::Space;

/// Decides formulas on the reachable states of a space.
pub(super) struct Branching<'s> {
    pub(super) space: &'s Space<'s>,
    /// The reachable states.
    pub(super) all: &'s Bdd,
    /// Those that begin a computation.
    pub(super) feasible: &'s Bdd,
}

/// A path that shows something: states, each a set of one, and where the last goes back to, if it does.
pub(super) struct Shown {
    pub(super) states: Vec<Bdd>,
    pub(super) cycle: Option<usize>,
}

type Formula = Ctl<Bdd>;

impl Branching<'_> {
    fn not(&self, set: &Bdd) -> Result<Bdd, OverBudget> {
        self.space.bdds.minus(self.all, set)
    }

    /// The reachable states at which a formula holds; its atoms are sets of states.
    pub(super) fn states(&self, formula: &Formula) -> Result<Bdd, OverBudget> {
        let bdds = self.space.bdds;
        match formula {
            Ctl::True => Ok(self.all.clone()),
            Ctl::False => Ok(bdds.bottom()),
            Ctl::Atom(set) => bdds.and(self.all, set),
            Ctl::Not(f) => self.not(&self.states(f)?),
            Ctl::And(fs) => fs.iter().try_fold(self.all.clone(), |all, f| bdds.and(&all, &self.states(f)?)),
            Ctl::Or(fs) => fs.iter().try_fold(bdds.bottom(), |any, f| bdds.or(&any, &self.states(f)?)),
            Ctl::Implies(f, g) => bdds.or(&self.not(&self.states(f)?)?, &self.states(g)?),
            Ctl::Iff(f, g) => bdds.and(self.all, &bdds.iff(&self.states(f)?, &self.states(g)?)?),
            Ctl::Unary(path, op, f) => {
                let f = self.states(f)?;
                match (path, op) {
                    (Path::Some, CtlUnary::Next) => self.next(&f),
                    (Path::Some, CtlUnary::Finally) => self.until(self.all, &f),
                    (Path::Some, CtlUnary::Globally) => self.globally(&f),
                    (Path::All, CtlUnary::Next) => self.not(&self.next(&self.not(&f)?)?),
                    (Path::All, CtlUnary::Finally) => self.not(&self.globally(&self.not(&f)?)?),
                    (Path::All, CtlUnary::Globally) => self.not(&self.until(self.all, &self.not(&f)?)?),
                }
            }
            Ctl::Binary(path, op, f, g) => {
                let (f, g) = (self.states(f)?, self.states(g)?);
                match (path, op) {
                    (Path::Some, CtlBinary::Until) => self.until(&f, &g),
                    (Path::Some, CtlBinary::WeakUntil) => bdds.or(&self.until(&f, &g)?, &self.globally(&f)?),
                    (Path::Some, CtlBinary::Release) => self.release(&f, &g),
                    (Path::All, CtlBinary::Until) => self.not(&self.release(&self.not(&f)?, &self.not(&g)?)?),
                    (Path::All, CtlBinary::WeakUntil) => {
                        let (f, g) = (self.not(&f)?, self.not(&g)?);
                        self.not(&self.until(&g, &bdds.and(&f, &g)?)?)
                    }
                    (Path::All, CtlBinary::Release) => self.not(&self.until(&self.not(&f)?, &self.not(&g)?)?),
                }
            }
        }
    }

    /// EX f
    fn next(&self, f: &Bdd) -> Result<Bdd, OverBudget> {
        let bdds = self.space.bdds;
        bdds.and(self.all, &self.space.preimage(&bdds.and(f, self.feasible)?)?)
    }

    /// E[f U g]
    fn until(&self, f: &Bdd, g: &Bdd) -> Result<Bdd, OverBudget> {
        self.space.backwards(f, &self.space.bdds.and(g, self.feasible)?)
    }

    /// EG f
    fn globally(&self, f: &Bdd) -> Result<Bdd, OverBudget> {
        self.space.feasible(f)
    }

    /// E[f R g]: g until f comes, or forever.
    fn release(&self, f: &Bdd, g: &Bdd) -> Result<Bdd, OverBudget> {
        let bdds = self.space.bdds;
        bdds.or(&self.until(g, &bdds.and(f, g)?)?, &self.globally(g)?)
    }

    /// A path from a state that shows why a formula is true there (or false, if `truth` is). It ends where no single path shows more.
    pub(super) fn show(&self, formula: &Formula, truth: bool, from: &Bdd) -> Result<Shown, OverBudget> {
        let mut shown = Shown { states: vec![from.clone()], cycle: None };
        self.extend(formula, truth, &mut shown)?;
        Ok(shown)
    }

    /// Goes on with a path whose last state has the formula true or false.
    fn extend(&self, formula: &Formula, truth: bool, shown: &mut Shown) -> Result<(), OverBudget> {
        let bdds = self.space.bdds;
        let Some(at) = shown.states.last().cloned() else { return Ok(()) };
        if shown.cycle.is_some() {
            return Ok(());
        }
        let holds = |f: &Formula| Ok::<bool, OverBudget>(!bdds.and(&at, &self.states(f)?)?.is_false());
        let negated = |f: &Formula| Ctl::Not(Box::new(f.clone()));
        match formula {
            Ctl::True | Ctl::False | Ctl::Atom(_) => Ok(()),
            Ctl::Not(f) => self.extend(f, !truth, shown),
            Ctl::And(fs) | Ctl::Or(fs) => {
                // A part that decides alone, or else the first one that has a path to show.
                let decides = truth == matches!(formula, Ctl::Or(_));
                for f in fs {
                    if (!decides || holds(f)? == truth) && !is_local(f) {
                        return self.extend(f, truth, shown);
                    }
                }
                Ok(())
            }
            Ctl::Implies(f, g) => {
                let either = Ctl::Or(vec![negated(f), (**g).clone()]);
                self.extend(&either, truth, shown)
            }
            Ctl::Iff(f, g) => {
                for side in [f, g] {
                    if !is_local(side) {
                        let value = holds(side)?;
                        return self.extend(side, value, shown);
                    }
                }
                Ok(())
            }
            Ctl::Unary(path, op, f) => match (path, op, truth) {
                (Path::Some, CtlUnary::Next, true) => self.step_to(f, true, shown),
                (Path::All, CtlUnary::Next, false) => self.step_to(f, false, shown),
                (Path::Some, CtlUnary::Finally, true) => self.go_to(self.all, f, true, shown),
                (Path::All, CtlUnary::Globally, false) => self.go_to(self.all, f, false, shown),
                (Path::Some, CtlUnary::Globally, true) => self.stay_in(&self.states(f)?, shown),
                (Path::All, CtlUnary::Finally, false) => self.stay_in(&self.not(&self.states(f)?)?, shown),
                _ => Ok(()),
            },
            Ctl::Binary(path, op, f, g) => {
                let within = |f: &Formula, truth: bool| {
                    let set = self.states(f)?;
                    if truth { Ok(set) } else { self.not(&set) }
                };
                match (path, op, truth) {
                    (Path::Some, CtlBinary::Until, true) => self.go_to(&within(f, true)?, g, true, shown),
                    (Path::Some, CtlBinary::WeakUntil, true) => {
                        let stay = within(f, true)?;
                        self.go_or_stay(&stay, g, true, &stay, shown)
                    }
                    (Path::Some, CtlBinary::Release, true) => {
                        let stay = within(g, true)?;
                        let both = Ctl::And(vec![(**f).clone(), (**g).clone()]);
                        self.go_or_stay(&stay, &both, true, &stay, shown)
                    }
                    (Path::All, CtlBinary::Release, false) => self.go_to(&within(f, false)?, g, false, shown),
                    (Path::All, CtlBinary::WeakUntil, false) => {
                        let neither = Ctl::Or(vec![(**f).clone(), (**g).clone()]);
                        self.go_to(&within(g, false)?, &neither, false, shown)
                    }
                    (Path::All, CtlBinary::Until, false) => {
                        let stay = within(g, false)?;
                        let neither = Ctl::Or(vec![(**f).clone(), (**g).clone()]);
                        self.go_or_stay(&stay, &neither, false, &stay, shown)
                    }
                    _ => Ok(()),
                }
            }
        }
    }

    fn goal(&self, f: &Formula, truth: bool) -> Result<Bdd, OverBudget> {
        let set = self.states(f)?;
        self.space.bdds.and(self.feasible, &if truth { set } else { self.not(&set)? })
    }

    fn step_to(&self, f: &Formula, truth: bool, shown: &mut Shown) -> Result<(), OverBudget> {
        let Some(at) = shown.states.last() else { return Ok(()) };
        let goal = self.goal(f, truth)?;
        let next = self.space.bdds.and(&self.space.image(at)?, &goal)?;
        if let Some(state) = self.space.one(&next)? {
            shown.states.push(state);
            self.extend(f, truth, shown)?;
        }
        Ok(())
    }

    fn go_to(&self, within: &Bdd, f: &Formula, truth: bool, shown: &mut Shown) -> Result<(), OverBudget> {
        let Some(at) = shown.states.last().cloned() else { return Ok(()) };
        let goal = self.goal(f, truth)?;
        if self.space.bdds.and(&at, &goal)?.is_false() {
            let inside = self.space.bdds.or(within, &goal)?;
            match self.space.walk(&at, &inside, &goal)? {
                Some(walk) => shown.states.extend(walk),
                None => return Ok(()),
            }
        }
        self.extend(f, truth, shown)
    }

    fn go_or_stay(
        &self,
        within: &Bdd,
        f: &Formula,
        truth: bool,
        stay: &Bdd,
        shown: &mut Shown,
    ) -> Result<(), OverBudget> {
        let Some(at) = shown.states.last() else { return Ok(()) };
        let reaching = self.space.backwards(within, &self.space.bdds.and(within, &self.goal(f, truth)?)?)?;
        if self.space.bdds.and(at, &reaching)?.is_false() {
            self.stay_in(stay, shown)
        } else {
            self.go_to(within, f, truth, shown)
        }
    }

    /// Goes on inside a set to a final state, or round a fair cycle.
    fn stay_in(&self, set: &Bdd, shown: &mut Shown) -> Result<(), OverBudget> {
        let bdds = self.space.bdds;
        let Some(at) = shown.states.last().cloned() else { return Ok(()) };
        let ends = bdds.and(set, &self.space.finals)?;
        if !bdds.and(&at, &ends)?.is_false() {
            return Ok(());
        }
        if let Some(walk) = self.space.walk(&at, set, &ends)? {
            shown.states.extend(walk);
            return Ok(());
        }
        let fair = self.space.fair(set)?;
        let mut path = std::mem::take(&mut shown.states);
        if bdds.and(&at, &fair)?.is_false()
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

/// Whether a formula speaks of one state only.
fn is_local(formula: &Formula) -> bool {
    match formula {
        Ctl::Unary(..) | Ctl::Binary(..) => false,
        _ => formula.operands().into_iter().all(is_local),
    }
}
