//! CTL on the states of a system, whichever way sets of states are held.
//!
//! Paths are maximal: they go on forever or end in a state without a step. There `EX f` is false and `AX f` true; the other operators follow
//! from `E[f U g]` and `EG f` on maximal paths.

use rustc_hash::FxHashMap;

use super::SystemVerdict;
use super::expand;
use super::explicit::Explicit;
use super::module::Module;
use super::observed::{Ending, Observed as _, Path as Trail};
use posetta_base::{Error, OverBudget};
use posetta_dd::idd::Set;
use posetta_logic::{Ctl, CtlBinary, CtlUnary, Path};
use posetta_model::system::{End, Predicate, Run, System};

/// Sets of reachable states.
pub(super) trait Regions {
    type Region: Clone + PartialEq;

    /// All reachable states.
    fn all(&mut self) -> Self::Region;
    fn satisfying(&mut self, predicate: &Predicate) -> Result<Self::Region, OverBudget>;
    fn minus(&mut self, a: &Self::Region, b: &Self::Region) -> Result<Self::Region, OverBudget>;
    fn and(&mut self, a: &Self::Region, b: &Self::Region) -> Result<Self::Region, OverBudget>;
    fn or(&mut self, a: &Self::Region, b: &Self::Region) -> Result<Self::Region, OverBudget>;
    /// The states of `within` that have a step into the region.
    fn before(&mut self, region: &Self::Region, within: &Self::Region) -> Result<Self::Region, OverBudget>;
    /// `E[within U goal]`, the goal being part of the result.
    fn backwards(&mut self, within: &Self::Region, goal: &Self::Region) -> Result<Self::Region, OverBudget>;
    fn is_initial_in(&mut self, region: &Self::Region) -> bool;
    /// One step from the initial state into a region.
    fn step(&mut self, region: &Self::Region) -> Result<Option<Run>, Error>;
    /// A run from the initial state into a region.
    fn path(&mut self, goal: &Self::Region) -> Result<Option<Run>, Error>;
    /// A run inside a region in which each state has a step into it or none at all.
    fn stay(&mut self, region: &Self::Region) -> Result<Option<Run>, Error>;
}

/// Whether the initial state satisfies a formula, with a run where the outermost operator speaks of one.
pub(super) fn verdict<R: Regions>(regions: &mut R, formula: &Ctl<Predicate>) -> Result<SystemVerdict, Error> {
    let truth = satisfying(regions, formula)?;
    let is_true = regions.is_initial_in(&truth);
    let run = match formula {
        Ctl::Unary(Path::Some, op, f) if is_true => {
            let f = satisfying(regions, f)?;
            shown(regions, *op, &f)?
        }
        Ctl::Unary(Path::All, op, f) if !is_true => {
            let f = satisfying(regions, f)?;
            let all = regions.all();
            let not_f = regions.minus(&all, &f)?;
            shown(regions, dual(*op), &not_f)?
        }
        _ => None,
    };
    Ok(if is_true { SystemVerdict::Holds(run) } else { SystemVerdict::Violated(run) })
}

/// A run that shows `E op f`, which is true of the initial state.
fn shown<R: Regions>(regions: &mut R, op: CtlUnary, f: &R::Region) -> Result<Option<Run>, Error> {
    match op {
        CtlUnary::Next => regions.step(f),
        CtlUnary::Finally => regions.path(f),
        CtlUnary::Globally => {
            let kept = globally(regions, f)?;
            regions.stay(&kept)
        }
    }
}

/// The states that satisfy a formula.
pub(super) fn satisfying<R: Regions>(regions: &mut R, formula: &Ctl<Predicate>) -> Result<R::Region, OverBudget> {
    let all = regions.all();
    match formula {
        Ctl::True => Ok(all),
        Ctl::False => regions.minus(&all, &all),
        Ctl::Atom(predicate) => regions.satisfying(predicate),
        Ctl::Not(f) => {
            let f = satisfying(regions, f)?;
            regions.minus(&all, &f)
        }
        Ctl::And(parts) => parts.iter().try_fold(all, |left, f| {
            let f = satisfying(regions, f)?;
            regions.and(&left, &f)
        }),
        Ctl::Or(parts) => {
            let none = regions.minus(&all, &all)?;
            parts.iter().try_fold(none, |left, f| {
                let f = satisfying(regions, f)?;
                regions.or(&left, &f)
            })
        }
        Ctl::Implies(f, g) => {
            let (f, g) = (satisfying(regions, f)?, satisfying(regions, g)?);
            let not_f = regions.minus(&all, &f)?;
            regions.or(&not_f, &g)
        }
        Ctl::Iff(f, g) => {
            let (f, g) = (satisfying(regions, f)?, satisfying(regions, g)?);
            let (one, other) = (regions.minus(&f, &g)?, regions.minus(&g, &f)?);
            let differ = regions.or(&one, &other)?;
            regions.minus(&all, &differ)
        }
        Ctl::Unary(path, op, f) => {
            let f = satisfying(regions, f)?;
            unary(regions, *path, *op, &f)
        }
        Ctl::Binary(path, op, f, g) => {
            let (f, g) = (satisfying(regions, f)?, satisfying(regions, g)?);
            binary(regions, *path, *op, &f, &g)
        }
    }
}

fn unary<R: Regions>(regions: &mut R, path: Path, op: CtlUnary, f: &R::Region) -> Result<R::Region, OverBudget> {
    let all = regions.all();
    if path == Path::All {
        // A f = not E not f, with the operator's dual.
        let not_f = regions.minus(&all, f)?;
        let some = unary(regions, Path::Some, dual(op), &not_f)?;
        return regions.minus(&all, &some);
    }
    match op {
        CtlUnary::Next => regions.before(f, &all),
        CtlUnary::Finally => regions.backwards(&all, f),
        CtlUnary::Globally => globally(regions, f),
    }
}

fn dual(op: CtlUnary) -> CtlUnary {
    match op {
        CtlUnary::Next => CtlUnary::Next,
        CtlUnary::Finally => CtlUnary::Globally,
        CtlUnary::Globally => CtlUnary::Finally,
    }
}

/// `EG f` on maximal paths: the largest set of states that satisfy f and have no step or one into the set.
pub(super) fn globally<R: Regions>(regions: &mut R, f: &R::Region) -> Result<R::Region, OverBudget> {
    let dead = regions.satisfying(&Predicate::Dead)?;
    let ends = regions.and(f, &dead)?;
    let mut kept = f.clone();
    loop {
        let going = regions.before(&kept, &kept)?;
        let next = regions.or(&going, &ends)?;
        if next == kept {
            return Ok(kept);
        }
        kept = next;
    }
}

fn binary<R: Regions>(
    regions: &mut R,
    path: Path,
    op: CtlBinary,
    f: &R::Region,
    g: &R::Region,
) -> Result<R::Region, OverBudget> {
    let all = regions.all();
    if path == Path::All {
        let (not_f, not_g) = (regions.minus(&all, f)?, regions.minus(&all, g)?);
        // not (f U g) = (not g) W (not f and not g); not (f W g) = (not g) U (not f and not g); not (f R g) = (not f) U (not g)
        let some = match op {
            CtlBinary::Until | CtlBinary::WeakUntil => {
                let both = regions.and(&not_f, &not_g)?;
                let dual = if op == CtlBinary::Until { CtlBinary::WeakUntil } else { CtlBinary::Until };
                binary(regions, Path::Some, dual, &not_g, &both)?
            }
            CtlBinary::Release => binary(regions, Path::Some, CtlBinary::Until, &not_f, &not_g)?,
        };
        return regions.minus(&all, &some);
    }
    match op {
        CtlBinary::Until => regions.backwards(f, g),
        CtlBinary::WeakUntil => {
            let (until, always) = (regions.backwards(f, g)?, globally(regions, f)?);
            regions.or(&until, &always)
        }
        CtlBinary::Release => {
            let both = regions.and(f, g)?;
            let (until, always) = (regions.backwards(g, &both)?, globally(regions, g)?);
            regions.or(&until, &always)
        }
    }
}

/// Sets of states as diagrams.
pub(super) struct Symbolic<'a, 's> {
    /// All components in one, and nothing visible.
    pub(super) module: &'a mut Module<'s>,
    pub(super) reached: Set,
    pub(super) system: &'a System,
}

impl Regions for Symbolic<'_, '_> {
    type Region = Set;

    fn all(&mut self) -> Set {
        self.reached
    }

    fn satisfying(&mut self, predicate: &Predicate) -> Result<Set, OverBudget> {
        self.module.space.satisfying(self.reached, predicate)
    }

    fn minus(&mut self, a: &Set, b: &Set) -> Result<Set, OverBudget> {
        self.module.space.diagrams.difference(*a, *b)
    }

    fn and(&mut self, a: &Set, b: &Set) -> Result<Set, OverBudget> {
        self.module.space.diagrams.intersection(*a, *b)
    }

    fn or(&mut self, a: &Set, b: &Set) -> Result<Set, OverBudget> {
        self.module.space.diagrams.union(*a, *b)
    }

    fn before(&mut self, region: &Set, within: &Set) -> Result<Set, OverBudget> {
        self.module.space.before_any(*region, *within, &|_| true)
    }

    fn backwards(&mut self, within: &Set, goal: &Set) -> Result<Set, OverBudget> {
        if *within == self.reached {
            return self.module.space.leading(self.reached, *goal);
        }
        self.module.space.backwards(*within, *goal)
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

/// Sets of states, one by one.
pub(super) struct Listed<'a, 's> {
    explicit: &'a mut Explicit<'s>,
    /// The states that lead to each state.
    sources: Vec<Vec<u32>>,
}

impl<'a, 's> Listed<'a, 's> {
    /// Looks at all states.
    pub(super) fn new(explicit: &'a mut Explicit<'s>) -> Result<Self, Error> {
        explicit.search(&mut |_, _| Ok(false))?;
        let mut sources = vec![Vec::new(); explicit.len()];
        for node in 0..explicit.len() as u32 {
            for arc in explicit.arcs(node)? {
                sources[arc.to as usize].push(node);
            }
        }
        Ok(Self { explicit, sources })
    }
}

impl Regions for Listed<'_, '_> {
    type Region = Vec<bool>;

    fn all(&mut self) -> Vec<bool> {
        vec![true; self.sources.len()]
    }

    fn satisfying(&mut self, predicate: &Predicate) -> Result<Vec<bool>, OverBudget> {
        let explicit = &self.explicit;
        Ok((0..explicit.len() as u32).map(|node| predicate.holds(explicit.system, &explicit.state(node))).collect())
    }

    fn minus(&mut self, a: &Vec<bool>, b: &Vec<bool>) -> Result<Vec<bool>, OverBudget> {
        Ok(a.iter().zip(b).map(|(a, b)| *a && !*b).collect())
    }

    fn and(&mut self, a: &Vec<bool>, b: &Vec<bool>) -> Result<Vec<bool>, OverBudget> {
        Ok(a.iter().zip(b).map(|(a, b)| *a && *b).collect())
    }

    fn or(&mut self, a: &Vec<bool>, b: &Vec<bool>) -> Result<Vec<bool>, OverBudget> {
        Ok(a.iter().zip(b).map(|(a, b)| *a || *b).collect())
    }

    fn before(&mut self, region: &Vec<bool>, within: &Vec<bool>) -> Result<Vec<bool>, OverBudget> {
        let mut found = vec![false; region.len()];
        for (to, sources) in self.sources.iter().enumerate().filter(|(to, _)| region[*to]) {
            debug_assert!(to < region.len());
            for &from in sources {
                found[from as usize] = within[from as usize];
            }
        }
        Ok(found)
    }

    fn backwards(&mut self, within: &Vec<bool>, goal: &Vec<bool>) -> Result<Vec<bool>, OverBudget> {
        let mut found = goal.clone();
        let mut open: Vec<u32> = (0..goal.len() as u32).filter(|&n| goal[n as usize]).collect();
        while let Some(node) = open.pop() {
            for &from in &self.sources[node as usize] {
                if within[from as usize] && !std::mem::replace(&mut found[from as usize], true) {
                    open.push(from);
                }
            }
        }
        Ok(found)
    }

    fn is_initial_in(&mut self, region: &Vec<bool>) -> bool {
        // The initial state was met first.
        region[0]
    }

    fn step(&mut self, region: &Vec<bool>) -> Result<Option<Run>, Error> {
        let arc = self.explicit.arcs(0)?.into_iter().find(|arc| region[arc.to as usize]);
        arc.map(|arc| self.explicit.run(&Trail { prefix: vec![arc], end: Ending::Open })).transpose()
    }

    fn path(&mut self, goal: &Vec<bool>) -> Result<Option<Run>, Error> {
        self.explicit.search(&mut |_, node| Ok(goal[node as usize]))
    }

    fn stay(&mut self, region: &Vec<bool>) -> Result<Option<Run>, Error> {
        let mut places = FxHashMap::from_iter([(0, 0)]);
        let (mut prefix, mut at) = (Vec::new(), 0);
        let end = loop {
            let Some(arc) = self.explicit.arcs(at)?.into_iter().find(|arc| region[arc.to as usize]) else {
                break Ending::Dead;
            };
            prefix.push(arc);
            if let Some(&again) = places.get(&arc.to) {
                break Ending::Cycle(prefix.split_off(again));
            }
            places.insert(arc.to, prefix.len());
            at = arc.to;
        };
        self.explicit.run(&Trail { prefix, end }).map(Some)
    }
}
