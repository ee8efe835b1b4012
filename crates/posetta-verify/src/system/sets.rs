//! Specs decided from sets of states: observation graphs and what can be reached, each made once.

use std::cell::OnceCell;

use dashu_int::UBig;
use rustc_hash::FxHashMap;

use super::branching::{self, Regions as _, Symbolic};
use super::expand;
use super::judge::{Judge, never};
use super::linear::Formula;
use super::module::Module;
use super::observed::Observed as _;
use super::product::{Modules, Partition, Product};
use super::words::{self, Violations};
use super::{Answer, Engine, Findings, Stats, finite, regions};
use posetta_base::{ActionId, Error, OverBudget};
use posetta_dd::idd::Set;
use posetta_logic::Ltl;
use posetta_model::system::{Behaviour, Component, Demand, End, Letter, Local, Move, Predicate, Run, Spec, System};

/// So many graphs are kept besides that of all reachable states.
const KEPT: usize = 2;

/// What graphs are made of: kept apart from them, since they borrow it.
#[derive(Default)]
pub(super) struct Made {
    /// All components in one module.
    whole: OnceCell<Partition>,
    /// The system whose components are the modules, if it is another one.
    units: OnceCell<Option<System>>,
    modules: OnceCell<Box<Kept>>,
}

/// The modules for some components that are seen, and then those for others.
struct Kept {
    seen: Vec<bool>,
    partition: Partition,
    next: OnceCell<Box<Kept>>,
}

/// The modules for these components, made if they are not there yet.
fn kept<'m>(
    mut cell: &'m OnceCell<Box<Kept>>,
    seen: &[bool],
    make: impl FnOnce() -> Result<Partition, Error>,
) -> Result<&'m Partition, Error> {
    while let Some(kept) = cell.get() {
        if kept.seen == seen {
            return Ok(&kept.partition);
        }
        cell = &kept.next;
    }
    let made = Kept { seen: seen.to_vec(), partition: make()?, next: OnceCell::new() };
    Ok(&cell.get_or_init(|| Box::new(made)).partition)
}

/// The value, made if it is not there yet.
fn made<T>(cell: &OnceCell<T>, make: impl FnOnce() -> Result<T, Error>) -> Result<&T, Error> {
    if cell.get().is_none() {
        let _ = cell.set(make()?);
    }
    Ok(cell.get().expect("it was made"))
}

/// A graph, by what is observed, and whether all components are in one module.
struct Graph<'s> {
    observed: Vec<bool>,
    flat: bool,
    partition: &'s Partition,
    product: Product<'s>,
}

/// The observation graphs that were made.
pub(super) struct Sets<'s> {
    judge: Judge<'s>,
    engine: Engine,
    made: &'s Made,
    graphs: Vec<Graph<'s>>,
}

impl<'s> Sets<'s> {
    pub(super) fn new(judge: Judge<'s>, engine: Engine, made: &'s Made) -> Self {
        Self { judge, engine, made, graphs: Vec::new() }
    }

    pub(super) fn answer(&mut self, spec: &Spec) -> Result<Answer, Error> {
        let Judge { system, budget, .. } = self.judge;
        match &spec.demand {
            Demand::Finite(finite) => finite::answer(system, finite, self.engine, budget),
            Demand::Actions(formula) => {
                let observed = self.judge.observed(formula);
                self.words(formula, &observed)
            }
            Demand::NoDeadlock => self.words(&never(Letter::Deadlock), &self.judge.nothing()),
            Demand::NoLivelock if self.engine == Engine::Modular => {
                let observed = self.judge.visible();
                self.words(&never(Letter::Divergence), &observed)
            }
            Demand::NoLivelock => {
                let observed = self.judge.visible();
                self.livelock(&observed)
            }
            Demand::Reach(p) => {
                let (run, stats) = self.path_to(p)?;
                Ok(Answer { stats, ..Answer::provided(run) })
            }
            Demand::Invariant(p) => {
                let (run, stats) = self.path_to(&Predicate::Not(Box::new(p.clone())))?;
                Ok(Answer { stats, ..Answer::unless(run) })
            }
            Demand::States(formula) => self.by_diagrams(|module, reached| {
                let formula = Formula::new(formula);
                Ok(Answer::unless(regions::violation(&mut module.space, reached, &formula, budget)?))
            }),
            Demand::Branching(formula) => self.by_diagrams(|module, reached| {
                branching::answer(&mut Symbolic { module, reached, system, returns: None }, formula)
            }),
            Demand::Bound(slots) => {
                self.by_diagrams(|module, reached| Ok(Answer::number(module.space.largest_sum(reached, slots)?.into())))
            }
        }
    }

    /// Whether the set of all reachable states is there.
    pub(super) fn knows_all(&self) -> bool {
        let is_it = |graph: &&Graph<'_>| graph.flat && !graph.observed.contains(&true);
        self.graphs.iter().find(is_it).is_some_and(|graph| graph.product.modules[0].sets().next().is_some())
    }

    /// The place of a graph, made if it is not there yet.
    fn graph(&mut self, observed: &[bool], flat: bool) -> Result<usize, Error> {
        let Judge { system, budget, .. } = self.judge;
        let is_it = |graph: &Graph<'_>| graph.flat == flat && graph.observed == observed;
        if let Some(known) = self.graphs.iter().position(is_it) {
            return Ok(known);
        }
        let partition = if flat {
            made(&self.made.whole, || Partition::new(system, &Modules::One, budget))?
        } else {
            let units = made(&self.made.units, || Ok(units(system)))?.as_ref().unwrap_or(system);
            let seen = self.seen(units, observed);
            kept(&self.made.modules, &seen, || Partition::new(units, &Modules::Apart(&seen), budget))?
        };
        // The graph of what can be reached is asked for most often.
        let others = |graph: &Graph<'_>| graph.observed.contains(&true);
        if self.graphs.iter().filter(|graph| others(graph)).count() >= KEPT
            && let Some(oldest) = self.graphs.iter().position(others)
        {
            self.graphs.remove(oldest);
        }
        let product = Product::new(partition, observed, budget)?;
        self.graphs.push(Graph { observed: observed.to_vec(), flat, partition, product });
        Ok(self.graphs.len() - 1)
    }

    /// The components that are modules of their own. If modules were asked for, those that take part in observed actions: all others are one
    /// module. Where they are a last resort, because all in one are too large, or where nobody is seen, each is one.
    fn seen(&self, system: &System, observed: &[bool]) -> Vec<bool> {
        let mut seen = vec![false; system.components.len()];
        for (action, _) in system.actions.iter().zip(observed).filter(|(_, observed)| **observed) {
            action.parts.iter().for_each(|c| seen[c.index()] = true);
        }
        if self.judge.options.engine != Engine::Modular || !seen.contains(&true) {
            seen.fill(true);
        }
        seen
    }

    /// A formula over actions.
    fn words(&mut self, formula: &Ltl<Letter>, observed: &[bool]) -> Result<Answer, Error> {
        let Judge { system, budget, .. } = self.judge;
        let mut violations = Violations::new(formula)?;
        let flat = self.engine != Engine::Modular;
        let place = self.graph(observed, flat)?;
        let Graph { partition, product, .. } = &mut self.graphs[place];
        let path = words::violation(product, &mut violations, budget)?;
        let units = self.made.units.get().and_then(Option::as_ref).filter(|_| !flat);
        let run = path.map(|path| expand::run(units.unwrap_or(system), partition, product, &path)).transpose()?;
        let run = if units.is_some() { run.map(|run| in_net(system, run)) } else { run };
        Ok(Answer { stats: stats(product, self.engine)?, ..Answer::unless(run) })
    }

    /// Finds something out from the set of all reachable states.
    fn with_all<T>(
        &mut self,
        work: impl FnOnce(&mut Module<'_>, Set) -> Result<T, Error>,
    ) -> Result<(T, Stats), Error> {
        let place = self.graph(&self.judge.nothing(), true)?;
        let product = &mut self.graphs[place].product;
        product.start()?;
        let module = &mut product.modules[0];
        // What other questions have left behind.
        module.tidy();
        let start = module.start()?;
        let reached = module.set(start);
        let found = work(module, reached)?;
        Ok((found, stats(product, Engine::Sog)?))
    }

    fn by_diagrams(
        &mut self,
        work: impl FnOnce(&mut Module<'_>, Set) -> Result<Answer, Error>,
    ) -> Result<Answer, Error> {
        let (answer, stats) = self.with_all(work)?;
        Ok(Answer { stats, ..answer })
    }

    /// A shortest run to a state that satisfies a predicate.
    fn path_to(&mut self, predicate: &Predicate) -> Result<(Option<Run>, Stats), Error> {
        let system = self.judge.system;
        self.with_all(|module, reached| {
            let goal = module.space.satisfying(reached, predicate)?;
            Symbolic { module, reached, system, returns: None }.path(&goal)
        })
    }

    /// A run that goes on forever without an observed action, from sets: observing all that is not internal would make as many meta-states as
    /// there are states.
    fn livelock(&mut self, observed: &[bool]) -> Result<Answer, Error> {
        let system = self.judge.system;
        let silent = |action: ActionId| !observed[action.index()];
        self.by_diagrams(|module, reached| {
            let mut core = reached;
            loop {
                let kept = module.space.before_any(core, core, &silent)?;
                if kept == core {
                    break;
                }
                core = kept;
            }
            if module.space.diagrams.is_empty(core) {
                return Ok(Answer::holds(None));
            }
            let initial = module.space.initial;
            let mut steps = module.silent_path(initial, core, reached)?.map(|(_, steps)| steps).unwrap_or_default();
            let at = steps.last().map_or_else(|| system.initial(), |(_, state)| state.clone());
            let (lead, cycle) = module.going_round(at, core, &silent)?;
            steps.extend(lead);
            let end = End::Cycle(steps.len());
            steps.extend(cycle);
            Ok(Answer::unless(Some(Run { steps: expand::moves(system, &steps), end })))
        })
    }

    /// What is true whatever is claimed.
    pub(super) fn explore(&mut self) -> Result<Findings, Error> {
        let (mut findings, places) = (self.judge.findings(), self.judge.places());
        self.with_all(|module, reached| {
            let space = &mut module.space;
            findings.states = Some(space.diagrams.count(reached)?.into());
            let mut arcs = UBig::ZERO;
            for i in 0..space.ways.len() {
                arcs += space.diagrams.count_ways(reached, space.ways[i].event)?;
            }
            findings.arcs = Some(arcs.into());
            findings.diagram_nodes = Some(space.diagrams.nodes(reached) as u64);
            if !places.is_empty() {
                for &place in &places {
                    // More than 2^30 tokens are in no place.
                    let most = u32::try_from(space.largest_sum(reached, &[place])?).unwrap_or(u32::MAX);
                    findings.most_by_place.push((place, most));
                }
                findings.most_tokens = findings.most_by_place.iter().map(|(_, most)| *most).max();
                findings.most_tokens_in_all = Some(space.largest_sum(reached, &places)?.into());
            }
            Ok(())
        })?;
        Ok(findings)
    }
}

/// The units of a net as components, where the net has any. That a unit has one token at most is the file's claim; it is used only where
/// the net shows it, so that no engine says something else.
pub(super) fn units(system: &System) -> Option<System> {
    match system.components.as_slice() {
        [Component { behaviour: Behaviour::Net(net), .. }] if net.keeps_units() => system.by_units(),
        _ => None,
    }
}

/// A run of the units of a net as one of the net, in which each action has one transition.
fn in_net(system: &System, run: Run) -> Run {
    let Behaviour::Net(net) = &system.components[0].behaviour else { return run };
    let transition: FxHashMap<ActionId, u32> = net.transitions.iter().map(|t| t.action).zip(0..).collect();
    let steps = run.steps.into_iter().map(|step| {
        let locals = transition.get(&step.action).map(|&t| Local(t)).into_iter().collect();
        Move { locals, ..step }
    });
    Run { steps: steps.collect(), end: run.end }
}

/// What has been looked at.
fn stats(product: &mut Product<'_>, engine: Engine) -> Result<Stats, OverBudget> {
    let (counts, nodes) = product.sizes()?;
    Ok(Stats {
        engine,
        meta_states: Some(counts.len() as u64),
        arcs: Some(product.arcs.values().sum()),
        states: Some(counts.into_iter().sum::<UBig>().into()),
        diagram_nodes: Some(nodes),
        reduced: None,
    })
}
