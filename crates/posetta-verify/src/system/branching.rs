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
use posetta_base::{Budget, Claim, Error, Limit, OverBudget, Verdict};
use posetta_dd::idd::Set;
use posetta_logic::branching::{Node, Program, StateSets, evaluate};
use posetta_logic::{Ctl, CtlUnary, Path};
use posetta_model::system::{End, Predicate, Run, System};

const WHAT: &str = "deciding a branching property state by state";

/// Sets of reachable states, and runs through them.
pub(super) trait Regions: StateSets<Predicate> {
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

/// The states that lead to each state of a graph all of which was looked at: those that lead to a node are `from[starts[node]..starts[node +
/// 1]]`.
#[derive(Default)]
pub(super) struct Sources {
    starts: Vec<u32>,
    from: Vec<NodeId>,
    claim: Option<Claim>,
}

impl Sources {
    fn new(explicit: &Explicit<'_>, budget: &Budget) -> Result<Self, OverBudget> {
        let arcs: u64 = explicit.nodes().map(|node| explicit.known_arcs(node).len() as u64).sum();
        let claim = budget.claim(4 * (arcs + explicit.len() as u64 + 1), WHAT)?;
        // Two looks at each arc.
        budget.effort(2 * arcs, WHAT)?;
        let mut starts = vec![0_u32; explicit.len() + 1];
        for node in explicit.nodes() {
            explicit.known_arcs(node).iter().for_each(|arc| starts[arc.to.index() + 1] += 1);
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let (mut next, mut from) = (starts.clone(), vec![NodeId(0); arcs as usize]);
        for node in explicit.nodes() {
            for arc in explicit.known_arcs(node) {
                from[next[arc.to.index()] as usize] = node;
                next[arc.to.index()] += 1;
            }
        }
        Ok(Self { starts, from, claim: Some(claim) })
    }

    fn of(&self, node: usize) -> &[NodeId] {
        &self.from[self.starts[node] as usize..self.starts[node + 1] as usize]
    }
}

/// Sets of states, one by one.
pub(super) struct Listed<'a, 's> {
    explicit: &'a mut Explicit<'s>,
    sources: &'a Sources,
    budget: &'a Budget,
}

impl<'a, 's> Listed<'a, 's> {
    /// Looks at all states. What leads to them is found once.
    pub(super) fn new(
        explicit: &'a mut Explicit<'s>,
        sources: &'a mut Sources,
        budget: &'a Budget,
    ) -> Result<Self, Error> {
        if sources.claim.is_none() {
            explicit.search(&mut |_, _| Ok(false))?;
            *sources = Sources::new(explicit, budget)?;
        }
        Ok(Self { explicit, sources, budget })
    }

    fn len(&self) -> usize {
        self.explicit.len()
    }
}

impl StateSets<Predicate> for Listed<'_, '_> {
    type Set = Vec<bool>;

    fn all(&self) -> Vec<bool> {
        vec![true; self.len()]
    }

    fn none(&self) -> Vec<bool> {
        vec![false; self.len()]
    }

    fn not(&mut self, f: &Vec<bool>) -> Result<Vec<bool>, OverBudget> {
        Ok(f.iter().map(|f| !f).collect())
    }

    fn atom(&mut self, predicate: &Predicate) -> Result<Vec<bool>, OverBudget> {
        self.budget.effort(4 * self.len() as u64, WHAT)?;
        let mut found = Vec::with_capacity(self.len());
        for node in self.explicit.nodes() {
            // All states were looked at: nothing is left that could be too much.
            let is_true = self.explicit.satisfies(node, predicate);
            found.push(is_true.map_err(|_| OverBudget::new(WHAT, Limit::Memory))?);
        }
        Ok(found)
    }

    fn union(&mut self, a: &Vec<bool>, b: &Vec<bool>) -> Result<Vec<bool>, OverBudget> {
        Ok(a.iter().zip(b).map(|(a, b)| *a || *b).collect())
    }

    fn intersection(&mut self, a: &Vec<bool>, b: &Vec<bool>) -> Result<Vec<bool>, OverBudget> {
        Ok(a.iter().zip(b).map(|(a, b)| *a && *b).collect())
    }

    fn some_next(&mut self, f: &Vec<bool>) -> Result<Vec<bool>, OverBudget> {
        let mut found = self.none();
        for to in (0..f.len()).filter(|&to| f[to]) {
            self.sources.of(to).iter().for_each(|from| found[from.index()] = true);
        }
        self.budget.effort(f.len() as u64, WHAT)?;
        Ok(found)
    }

    fn some_until(&mut self, within: &Vec<bool>, goal: &Vec<bool>) -> Result<Vec<bool>, OverBudget> {
        self.budget.effort(3 * self.len() as u64, WHAT)?;
        let mut found = goal.clone();
        let mut open: Vec<usize> = (0..goal.len()).filter(|&node| goal[node]).collect();
        while let Some(node) = open.pop() {
            for from in self.sources.of(node) {
                if within[from.index()] && !std::mem::replace(&mut found[from.index()], true) {
                    open.push(from.index());
                }
            }
        }
        Ok(found)
    }

    /// The largest set of states that satisfy f and have no step or one into the set: a state leaves when its last step into it is gone, so
    /// that each arc is looked at twice at most.
    fn some_globally(&mut self, f: &Vec<bool>) -> Result<Vec<bool>, OverBudget> {
        self.budget.effort(4 * self.len() as u64, WHAT)?;
        let (mut kept, mut left, mut gone) = (f.clone(), vec![0_u32; f.len()], Vec::new());
        for node in self.explicit.nodes() {
            let arcs = self.explicit.known_arcs(node);
            if f[node.index()] && !arcs.is_empty() {
                left[node.index()] = arcs.iter().filter(|arc| f[arc.to.index()]).count() as u32;
                if left[node.index()] == 0 {
                    kept[node.index()] = false;
                    gone.push(node.index());
                }
            }
        }
        // One arc for each action: a state that leads to another by two actions is among its sources twice.
        while let Some(node) = gone.pop() {
            for from in self.sources.of(node) {
                let from = from.index();
                if kept[from] {
                    left[from] -= 1;
                    if left[from] == 0 {
                        kept[from] = false;
                        gone.push(from);
                    }
                }
            }
        }
        Ok(kept)
    }
}

impl Regions for Listed<'_, '_> {
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
