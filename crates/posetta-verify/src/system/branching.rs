//! CTL on the states of a system, whichever way sets of states are held: as diagrams here, one by one in [`super::listed`].
//!
//! Paths are maximal: they go on forever or end in a state without a step. There `EX f` is false and `AX f` true; the other operators follow
//! from `E[f U g]` and `EG f` on maximal paths.

use super::Answer;
use super::expand;
use super::module::Module;
use posetta_base::{Error, OverBudget, Verdict};
use posetta_dd::idd::Set;
use posetta_logic::branching::{Program, StateSets, evaluate};
use posetta_logic::{Ctl, CtlUnary, Path};
use posetta_model::system::{End, Predicate, Run, System};

/// Sets of reachable states, and runs through them.
pub(super) trait Regions: StateSets<Predicate> {
    fn system(&self) -> &System;
    fn is_initial_in(&mut self, region: &Self::Set) -> bool;
    fn is_empty(&self, region: &Self::Set) -> bool;
    /// Memory for so many sets more is announced; what was found out for other formulas may be forgotten.
    fn make_room(&mut self, sets: usize) -> Result<(), OverBudget>;
    /// Whether from every state a path leads into a region, if that is seen without the set of those from which one does.
    fn leads_always(&mut self, goal: &Self::Set) -> Result<Option<bool>, Error>;
    /// One step from the initial state into a region.
    fn step(&mut self, region: &Self::Set) -> Result<Option<Run>, Error>;
    /// A run from the initial state into a region.
    fn path(&mut self, goal: &Self::Set) -> Result<Option<Run>, Error>;
    /// A run inside a region in which each state has a step into it or none at all.
    fn stay(&mut self, region: &Self::Set) -> Result<Option<Run>, Error>;
}

/// Whether the initial state satisfies a formula, with a run where the outermost operator speaks of one.
///
/// Outside of all temporal operators only the initial state counts. So the parts of a conjunction are decided one after the other, as far as
/// needed. All states can be reached: `EF f` is that some state satisfies f, and `AG f` that all do.
pub(super) fn answer<R: Regions>(regions: &mut R, formula: &Ctl<Predicate>) -> Result<Answer, Error> {
    let of = |value: bool, run: Option<Run>| {
        if value { Answer::holds(run) } else { Answer::new(Verdict::Violated(run)) }
    };
    match formula {
        Ctl::Unary(Path::Some, CtlUnary::Finally, f) => {
            let goal = set_of(regions, f)?;
            let run = regions.path(&goal)?;
            Ok(of(!regions.is_empty(&goal), run))
        }
        Ctl::Unary(Path::All, CtlUnary::Globally, f) => {
            if is_everywhere(regions, f)? == Some(true) {
                return Ok(of(true, None));
            }
            let set = set_of(regions, f)?;
            let not_f = regions.not(&set)?;
            let run = regions.path(&not_f)?;
            Ok(of(regions.is_empty(&not_f), run))
        }
        Ctl::Unary(Path::Some, op, f) => {
            let set = set_of(regions, f)?;
            let some = regions.unary(Path::Some, *op, &set)?;
            let is_true = regions.is_initial_in(&some);
            let run = if is_true { shown(regions, *op, &set)? } else { None };
            Ok(of(is_true, run))
        }
        Ctl::Unary(Path::All, op, f) => {
            let set = set_of(regions, f)?;
            let not_f = regions.not(&set)?;
            let some = regions.unary(Path::Some, op.dual(), &not_f)?;
            let is_false = regions.is_initial_in(&some);
            let run = if is_false { shown(regions, op.dual(), &not_f)? } else { None };
            Ok(of(!is_false, run))
        }
        _ => Ok(of(holds(regions, formula)?, None)),
    }
}

/// Whether the initial state satisfies a formula.
fn holds<R: Regions>(regions: &mut R, formula: &Ctl<Predicate>) -> Result<bool, Error> {
    Ok(match formula {
        Ctl::True => true,
        Ctl::False => false,
        Ctl::Atom(p) => p.holds(regions.system(), &regions.system().initial()),
        Ctl::Not(f) => !holds(regions, f)?,
        Ctl::And(fs) => {
            for f in fs {
                if !holds(regions, f)? {
                    return Ok(false);
                }
            }
            true
        }
        Ctl::Or(fs) => {
            for f in fs {
                if holds(regions, f)? {
                    return Ok(true);
                }
            }
            false
        }
        Ctl::Implies(f, g) => !holds(regions, f)? || holds(regions, g)?,
        Ctl::Iff(f, g) => holds(regions, f)? == holds(regions, g)?,
        Ctl::Unary(Path::Some, CtlUnary::Finally, f) => {
            let goal = set_of(regions, f)?;
            !regions.is_empty(&goal)
        }
        Ctl::Unary(Path::All, CtlUnary::Globally, f) => match is_everywhere(regions, f)? {
            Some(known) => known,
            None => {
                let set = set_of(regions, f)?;
                let others = regions.not(&set)?;
                regions.is_empty(&others)
            }
        },
        Ctl::Unary(..) | Ctl::Binary(..) => {
            let set = set_of(regions, formula)?;
            regions.is_initial_in(&set)
        }
    })
}

/// Whether all states satisfy a formula, if it says that something stays possible and that is seen at once.
fn is_everywhere<R: Regions>(regions: &mut R, formula: &Ctl<Predicate>) -> Result<Option<bool>, Error> {
    let Ctl::Unary(Path::Some, CtlUnary::Finally, g) = formula else { return Ok(None) };
    let goal = set_of(regions, g)?;
    regions.leads_always(&goal)
}

/// The states that satisfy a formula.
fn set_of<R: Regions>(regions: &mut R, formula: &Ctl<Predicate>) -> Result<R::Set, Error> {
    let program = Program::shared(formula);
    regions.make_room(program.len())?;
    let mut known = evaluate(&program, regions)?;
    Ok(known.swap_remove(program.root() as usize))
}

/// A run that shows `E op f`, which is true of the initial state.
fn shown<R: Regions>(regions: &mut R, op: CtlUnary, f: &R::Set) -> Result<Option<Run>, Error> {
    match op {
        CtlUnary::Next => regions.step(f),
        CtlUnary::Finally => regions.path(f),
        CtlUnary::Globally => {
            let kept = regions.some_globally(f)?;
            regions.stay(&kept)
        }
    }
}

/// Sets of states as diagrams.
pub(super) struct Symbolic<'a, 's> {
    /// All components in one, and nothing visible.
    pub(super) module: &'a mut Module<'s>,
    pub(super) reached: Set,
    pub(super) system: &'a System,
    /// Whether from every state a path leads back to the initial one, once somebody has asked.
    pub(super) returns: Option<bool>,
}

impl StateSets<Predicate> for Symbolic<'_, '_> {
    type Set = Set;

    fn all(&self) -> Set {
        self.reached
    }

    fn none(&self) -> Set {
        self.module.space.diagrams.empty()
    }

    fn not(&mut self, f: &Set) -> Result<Set, OverBudget> {
        self.module.space.diagrams.difference(self.reached, *f)
    }

    fn atom(&mut self, predicate: &Predicate) -> Result<Set, OverBudget> {
        self.module.space.satisfying(self.reached, predicate)
    }

    fn union(&mut self, a: &Set, b: &Set) -> Result<Set, OverBudget> {
        self.module.space.diagrams.union(*a, *b)
    }

    fn intersection(&mut self, a: &Set, b: &Set) -> Result<Set, OverBudget> {
        self.module.space.diagrams.intersection(*a, *b)
    }

    fn some_next(&mut self, f: &Set) -> Result<Set, OverBudget> {
        self.module.space.before_any(*f, self.reached, &|_| true)
    }

    fn some_until(&mut self, within: &Set, goal: &Set) -> Result<Set, OverBudget> {
        if *within == self.reached {
            return self.module.space.leading(self.reached, *goal);
        }
        self.module.space.backwards(*within, *goal)
    }

    /// The largest set of states that satisfy f and have no step or one into the set.
    fn some_globally(&mut self, f: &Set) -> Result<Set, OverBudget> {
        let dead = self.atom(&Predicate::Dead)?;
        let ends = self.intersection(f, &dead)?;
        let mut kept = *f;
        loop {
            let going = self.module.space.before_any(kept, kept, &|_| true)?;
            let next = self.union(&going, &ends)?;
            if next == kept {
                return Ok(kept);
            }
            kept = next;
        }
    }
}

impl Regions for Symbolic<'_, '_> {
    fn system(&self) -> &System {
        self.system
    }

    fn is_empty(&self, region: &Set) -> bool {
        self.module.space.diagrams.is_empty(*region)
    }

    fn make_room(&mut self, _: usize) -> Result<(), OverBudget> {
        self.module.tidy();
        Ok(())
    }

    /// Where one can always go back to the start, a region that is not empty can always be reached.
    fn leads_always(&mut self, goal: &Set) -> Result<Option<bool>, Error> {
        if self.is_empty(goal) {
            return Ok(Some(false));
        }
        let returns = match self.returns {
            Some(known) => known,
            None => {
                let back = self.module.space.leading(self.reached, self.module.space.initial)?;
                *self.returns.insert(back == self.reached)
            }
        };
        Ok(returns.then_some(true))
    }

    fn is_initial_in(&mut self, region: &Set) -> bool {
        self.module.space.contains(*region, &self.system.initial())
    }

    fn step(&mut self, region: &Set) -> Result<Option<Run>, Error> {
        let step = self.module.step_into(&self.system.initial(), *region, &|_| true)?;
        Ok(step.map(|step| Run { steps: expand::moves(self.system, &vec![step]), end: End::Open }))
    }

    fn path(&mut self, goal: &Set) -> Result<Option<Run>, Error> {
        let initial = self.module.space.initial;
        let found = self.module.silent_path(initial, *goal, self.reached)?;
        Ok(found.map(|(_, steps)| Run { steps: expand::moves(self.system, &steps), end: End::Open }))
    }

    fn stay(&mut self, region: &Set) -> Result<Option<Run>, Error> {
        let (mut steps, cycle) = self.module.going_round(self.system.initial(), *region, &|_| true)?;
        let end = if cycle.is_empty() { End::Dead } else { End::Cycle(steps.len()) };
        steps.extend(cycle);
        Ok(Some(Run { steps: expand::moves(self.system, &steps), end }))
    }
}
