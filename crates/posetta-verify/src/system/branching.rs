//! CTL on the states of a system, whichever way sets of states are held.
//!
//! Paths are maximal: they go on forever or end in a state without a step. There `EX f` is false and `AX f` true; the other operators follow
//! from `E[f U g]` and `EG f` on maximal paths.

use rustc_hash::FxHashMap;

use super::Answer;
use super::expand;
use super::explicit::Explicit;
use super::module::Module;
use super::observed::{Ending, NodeId, Observed as _, Path as Trail};
use posetta_base::{Error, OverBudget, Verdict};
use posetta_dd::idd::Set;
use posetta_logic::branching::{Node, Program, StateSets, evaluate};
use posetta_logic::{Ctl, CtlUnary, Path};
use posetta_model::system::{End, Predicate, Run, System};

/// Sets of reachable states, and runs through them.
pub(super) trait Regions: StateSets<Predicate, Set: PartialEq> {
    /// The states of `within` that have a step into the region.
    fn before(&mut self, region: &Self::Set, within: &Self::Set) -> Result<Self::Set, OverBudget>;
    fn is_initial_in(&mut self, region: &Self::Set) -> bool;
    /// One step from the initial state into a region.
    fn step(&mut self, region: &Self::Set) -> Result<Option<Run>, Error>;
    /// A run from the initial state into a region.
    fn path(&mut self, goal: &Self::Set) -> Result<Option<Run>, Error>;
    /// A run inside a region in which each state has a step into it or none at all.
    fn stay(&mut self, region: &Self::Set) -> Result<Option<Run>, Error>;
}

/// Whether the initial state satisfies a formula, with a run where the outermost operator speaks of one.
pub(super) fn answer<R: Regions>(regions: &mut R, formula: &Ctl<Predicate>) -> Result<Answer, Error> {
    let program = Program::shared(formula);
    let known = evaluate(&program, regions)?;
    let is_true = regions.is_initial_in(&known[program.root() as usize]);
    let run = match program.node(program.root()) {
        Node::Unary(Path::Some, op, f) if is_true => shown(regions, *op, &known[*f as usize])?,
        Node::Unary(Path::All, op, f) if !is_true => {
            let not_f = regions.not(&known[*f as usize])?;
            shown(regions, op.dual(), &not_f)?
        }
        _ => None,
    };
    Ok(if is_true { Answer::holds(run) } else { Answer::new(Verdict::Violated(run)) })
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

/// `EG f` on maximal paths: the largest set of states that satisfy f and have no step or one into the set.
fn globally<R: Regions>(regions: &mut R, f: &R::Set) -> Result<R::Set, OverBudget> {
    let dead = regions.atom(&Predicate::Dead)?;
    let ends = regions.intersection(f, &dead)?;
    let mut kept = f.clone();
    loop {
        let going = regions.before(&kept, &kept)?;
        let next = regions.union(&going, &ends)?;
        if next == kept {
            return Ok(kept);
        }
        kept = next;
    }
}

/// Sets of states as diagrams.
pub(super) struct Symbolic<'a, 's> {
    /// All components in one, and nothing visible.
    pub(super) module: &'a mut Module<'s>,
    pub(super) reached: Set,
    pub(super) system: &'a System,
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
        let all = self.all();
        self.before(f, &all)
    }

    fn some_until(&mut self, within: &Set, goal: &Set) -> Result<Set, OverBudget> {
        if *within == self.reached {
            return self.module.space.leading(self.reached, *goal);
        }
        self.module.space.backwards(*within, *goal)
    }

    fn some_globally(&mut self, f: &Set) -> Result<Set, OverBudget> {
        globally(self, f)
    }
}

impl Regions for Symbolic<'_, '_> {
    fn before(&mut self, region: &Set, within: &Set) -> Result<Set, OverBudget> {
        self.module.space.before_any(*region, *within, &|_| true)
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
    sources: Vec<Vec<NodeId>>,
}

impl<'a, 's> Listed<'a, 's> {
    /// Looks at all states.
    pub(super) fn new(explicit: &'a mut Explicit<'s>) -> Result<Self, Error> {
        explicit.search(&mut |_, _| Ok(false))?;
        let mut sources = vec![Vec::new(); explicit.len()];
        for node in explicit.nodes() {
            for arc in explicit.arcs(node)? {
                sources[arc.to.index()].push(node);
            }
        }
        Ok(Self { explicit, sources })
    }
}

impl StateSets<Predicate> for Listed<'_, '_> {
    type Set = Vec<bool>;

    fn all(&self) -> Vec<bool> {
        vec![true; self.sources.len()]
    }

    fn none(&self) -> Vec<bool> {
        vec![false; self.sources.len()]
    }

    fn not(&mut self, f: &Vec<bool>) -> Result<Vec<bool>, OverBudget> {
        Ok(f.iter().map(|f| !f).collect())
    }

    fn atom(&mut self, predicate: &Predicate) -> Result<Vec<bool>, OverBudget> {
        let explicit = &self.explicit;
        Ok(explicit.nodes().map(|node| predicate.holds(explicit.system, &explicit.state(node))).collect())
    }

    fn union(&mut self, a: &Vec<bool>, b: &Vec<bool>) -> Result<Vec<bool>, OverBudget> {
        Ok(a.iter().zip(b).map(|(a, b)| *a || *b).collect())
    }

    fn intersection(&mut self, a: &Vec<bool>, b: &Vec<bool>) -> Result<Vec<bool>, OverBudget> {
        Ok(a.iter().zip(b).map(|(a, b)| *a && *b).collect())
    }

    fn some_next(&mut self, f: &Vec<bool>) -> Result<Vec<bool>, OverBudget> {
        let all = self.all();
        self.before(f, &all)
    }

    fn some_until(&mut self, within: &Vec<bool>, goal: &Vec<bool>) -> Result<Vec<bool>, OverBudget> {
        let mut found = goal.clone();
        let mut open: Vec<NodeId> = self.explicit.nodes().filter(|n| goal[n.index()]).collect();
        while let Some(node) = open.pop() {
            for &from in &self.sources[node.index()] {
                if within[from.index()] && !std::mem::replace(&mut found[from.index()], true) {
                    open.push(from);
                }
            }
        }
        Ok(found)
    }

    fn some_globally(&mut self, f: &Vec<bool>) -> Result<Vec<bool>, OverBudget> {
        globally(self, f)
    }
}

impl Regions for Listed<'_, '_> {
    fn before(&mut self, region: &Vec<bool>, within: &Vec<bool>) -> Result<Vec<bool>, OverBudget> {
        let mut found = vec![false; region.len()];
        for (to, sources) in self.sources.iter().enumerate().filter(|(to, _)| region[*to]) {
            debug_assert!(to < region.len());
            for &from in sources {
                found[from.index()] = within[from.index()];
            }
        }
        Ok(found)
    }

    fn is_initial_in(&mut self, region: &Vec<bool>) -> bool {
        // The initial state was met first.
        region[0]
    }

    fn step(&mut self, region: &Vec<bool>) -> Result<Option<Run>, Error> {
        let start = self.explicit.start()?;
        let arc = self.explicit.arcs(start)?.into_iter().find(|arc| region[arc.to.index()]);
        arc.map(|arc| self.explicit.run(&Trail { prefix: vec![arc], end: Ending::Open })).transpose()
    }

    fn path(&mut self, goal: &Vec<bool>) -> Result<Option<Run>, Error> {
        self.explicit.search(&mut |_, node| Ok(goal[node.index()]))
    }

    fn stay(&mut self, region: &Vec<bool>) -> Result<Option<Run>, Error> {
        let start = self.explicit.start()?;
        let mut places = FxHashMap::from_iter([(start, 0)]);
        let (mut prefix, mut at) = (Vec::new(), start);
        let end = loop {
            let Some(arc) = self.explicit.arcs(at)?.into_iter().find(|arc| region[arc.to.index()]) else {
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
