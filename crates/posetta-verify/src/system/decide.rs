//! One spec after the other, by the engine that was asked for or that is likely to be quickest.

use dashu_int::UBig;
use rustc_hash::FxHashMap;

use super::branching::{self, Listed, Regions as _, Symbolic};
use super::expand;
use super::explicit::Explicit;
use super::linear::{self, Formula};
use super::module::Module;
use super::observed::Observed as _;
use super::product::{Partition, Product};
use super::words::{self, Violations};
use super::{Answer, Engine, Findings, Options, Stats, bounds, finite, regions};
use crate::question::{Known, Progress, Work, question};
use posetta_base::{ActionId, Budget, Error, Limit, OverBudget, Place, Verdict};
use posetta_dd::idd::Set;
use posetta_logic::{Ltl, LtlUnary};
use posetta_model::system::{
    Behaviour, Component, Demand, End, Letter, Local, Move, Predicate, Run, Slots, Spec, System,
};

/// Where it is not said how to decide, states are first looked at one by one: while there are few, that is quicker than setting up diagrams. So
/// many states, and so many looks at an action in a state.
const FEW_STATES: usize = 5_000;
const FEW_LOOKS: usize = 500_000;

question! {
    /// A system and what is asked about it, tied together once.
    ///
    /// [`advance`](Self::advance) goes on until one more thing is known, [`decide`](Self::decide) to the end.
    Specs
}

/// One spec after the other; then, if it is wanted, all states.
struct Specs<'a> {
    system: &'a System,
    specs: &'a [Spec],
    options: Options,
    next: Next,
}

/// What comes next.
#[derive(Clone, Copy)]
enum Next {
    /// Whether there is a bound on tokens, where that can be seen at once.
    Bounds,
    /// The spec at this place, and those after it.
    Spec(usize),
    Done,
}

impl<'a> Question<'a> {
    /// Ties specs to a system.
    #[must_use]
    pub fn new(system: &'a System, specs: &'a [Spec], options: Options) -> Self {
        Self(Progress::new(Specs { system, specs, options, next: Next::Bounds }, specs.len()))
    }
}

impl Work for Specs<'_> {
    type Answer = Answer;
    type Findings = Findings;

    fn advance(&mut self, known: &mut Known<Answer, Findings>, budget: &Budget) -> Result<bool, Error> {
        let decider = Decider { system: self.system, options: &self.options, budget };
        match self.next {
            Next::Bounds => {
                bounds::refuse_unbounded(self.system, budget)?;
                self.next = Next::Spec(0);
            }
            Next::Spec(place) if place < self.specs.len() => {
                self.next = Next::Spec(place + 1);
                match decider.answer(&self.specs[place]) {
                    Ok(answer) => known.state(place, answer),
                    // The others may take less.
                    Err(Error::OverBudget(over)) => known.state(place, Answer::new(Verdict::Unknown(over))),
                    Err(failure) => return Err(failure),
                }
            }
            Next::Spec(_) => {
                self.next = Next::Done;
                if self.options.explore {
                    known.found(decider.explore()?);
                }
            }
            Next::Done => return Ok(false),
        }
        Ok(true)
    }
}

/// How one spec is decided.
struct Decider<'a> {
    system: &'a System,
    options: &'a Options,
    budget: &'a Budget,
}

/// Each action that a formula names.
fn named(formula: &Ltl<Letter>, observed: &mut [bool]) {
    let _ = formula.map_atoms(&mut |letter| {
        if let Letter::Action(action) = letter {
            observed[action.index()] = true;
        }
    });
}

/// `G !letter`
fn never(letter: Letter) -> Ltl<Letter> {
    Ltl::Unary(LtlUnary::Globally, Box::new(Ltl::Not(Box::new(Ltl::Atom(letter)))))
}

impl Decider<'_> {
    /// Engines from the one to try first, with how many states it may look at one by one; what the last one cannot answer is unknown.
    fn engines(&self, spec: &Spec) -> Vec<(Engine, usize)> {
        const ALL: usize = usize::MAX;
        if self.options.engine != Engine::Auto {
            return vec![(self.options.engine, ALL)];
        }
        if let Demand::Actions(formula) = &spec.demand
            && self.observed(formula).iter().all(|&seen| seen)
        {
            // Every meta-state is a state.
            return vec![(Engine::Explicit, ALL)];
        }
        // It chooses by itself.
        if let Demand::Finite(_) = &spec.demand {
            return vec![(Engine::Auto, ALL)];
        }
        let few = FEW_STATES.min(FEW_LOOKS / self.system.actions.len().max(1));
        let mut engines = vec![(Engine::Explicit, few), (Engine::Sog, ALL)];
        if self.system.components.len() > 1 || units(self.system, Engine::Modular).is_some() {
            engines.push((Engine::Modular, ALL));
        }
        // Too many places for diagrams need not be many states.
        engines.push((Engine::Explicit, ALL));
        engines
    }

    fn answer(&self, spec: &Spec) -> Result<Answer, Error> {
        let mut limit = None;
        for (engine, most) in self.engines(spec) {
            let mut answer = match self.by(engine, most, spec) {
                Ok(answer) => answer,
                // Another engine may have room, unless the budget itself is spent. A component may be bounded only by what others let it do.
                Err(Error::OverBudget(over))
                    if over.limit == Limit::Memory && self.budget.step(0, over.what).is_ok() =>
                {
                    // That there are more than a few states is no limit.
                    if most == usize::MAX {
                        limit.get_or_insert(over);
                    }
                    continue;
                }
                Err(Error::Invalid(_)) if engine == Engine::Modular && limit.is_some() => continue,
                Err(failure) => return Err(failure),
            };
            self.replay(spec, &answer)?;
            // A limit while this is looked for takes no answer back.
            answer.settled = self.settled(spec, &answer).unwrap_or_default();
            return Ok(answer);
        }
        Err(limit.unwrap_or(OverBudget::new("choosing an engine", Limit::Memory)).into())
    }

    fn by(&self, engine: Engine, most: usize, spec: &Spec) -> Result<Answer, Error> {
        let mut observed = vec![false; self.system.actions.len()];
        let explicit = || -> Result<Explicit<'_>, OverBudget> {
            Ok(Explicit::new(self.system, &vec![false; self.system.actions.len()], self.budget)?.with_most(most))
        };
        match (&spec.demand, engine) {
            (Demand::NoDeadlock, Engine::Explicit) => {
                let mut graph = explicit()?;
                let found = graph.search(&mut |graph, node| graph.is_dead(node))?;
                let found = found.map(|run| Run { end: End::Dead, ..run });
                Ok(listed(&graph, Answer::unless(found)))
            }
            (Demand::Reach(p) | Demand::Invariant(p), Engine::Explicit) => {
                let wanted = matches!(spec.demand, Demand::Reach(_));
                let mut graph = explicit()?;
                let found = graph.search(&mut |graph, node| Ok(p.holds(graph.system, &graph.state(node)) == wanted))?;
                Ok(listed(&graph, if wanted { Answer::provided(found) } else { Answer::unless(found) }))
            }
            (Demand::States(formula), Engine::Explicit) => {
                let mut graph = explicit()?;
                let formula = Formula::new(formula);
                let mut violations = linear::Violations::new(&formula)?;
                let found = linear::violation(&mut graph, &formula, &mut violations, &|_, _| true, self.budget)?;
                Ok(listed(&graph, Answer::unless(found)))
            }
            (Demand::Branching(formula), Engine::Explicit) => {
                let mut graph = explicit()?;
                let answer = branching::answer(&mut Listed::new(&mut graph)?, formula)?;
                Ok(listed(&graph, answer))
            }
            (Demand::Bound(slots), Engine::Explicit) => {
                let mut graph = explicit()?;
                graph.search(&mut |_, _| Ok(false))?;
                let sum = |state: Vec<u32>| slots.iter().map(|&s| u64::from(state[s as usize])).sum::<u64>();
                let most = graph.nodes().map(|node| sum(graph.state(node))).max().unwrap_or(0);
                Ok(listed(&graph, Answer::number(most.into())))
            }
            (Demand::Finite(finite), _) => finite::answer(self.system, finite, engine, self.budget),
            (Demand::Actions(formula), _) => self.words((engine, most), formula, &self.observed(formula)),
            (Demand::NoDeadlock, _) => self.words((engine, most), &never(Letter::Deadlock), &observed),
            (Demand::NoLivelock, Engine::Explicit | Engine::Modular) => {
                self.visible(&mut observed);
                self.words((engine, most), &never(Letter::Divergence), &observed)
            }
            (Demand::NoLivelock, _) => {
                self.visible(&mut observed);
                self.livelock(&observed)
            }
            (Demand::Reach(p), _) => {
                let (run, stats) = self.path_to(p)?;
                Ok(Answer { stats, ..Answer::provided(run) })
            }
            (Demand::Invariant(p), _) => {
                let (run, stats) = self.path_to(&Predicate::Not(Box::new(p.clone())))?;
                Ok(Answer { stats, ..Answer::unless(run) })
            }
            (Demand::States(formula), _) => self.by_diagrams(|module, reached| {
                let formula = Formula::new(formula);
                Ok(Answer::unless(regions::violation(&mut module.space, reached, &formula, self.budget)?))
            }),
            (Demand::Branching(formula), _) => self.by_diagrams(|module, reached| {
                branching::answer(&mut Symbolic { module, reached, system: self.system }, formula)
            }),
            (Demand::Bound(slots), _) => {
                self.by_diagrams(|module, reached| Ok(Answer::number(module.space.largest_sum(reached, slots)?.into())))
            }
        }
    }

    /// What is observed for a formula: the actions that it names, and those that are observed besides.
    fn observed(&self, formula: &Ltl<Letter>) -> Vec<bool> {
        let mut observed = vec![false; self.system.actions.len()];
        named(formula, &mut observed);
        self.observe(&mut observed);
        observed
    }

    fn observe(&self, observed: &mut [bool]) {
        self.options.observe.iter().for_each(|a| observed[a.index()] = true);
    }

    /// All actions that are not internal.
    fn visible(&self, observed: &mut [bool]) {
        for (seen, action) in observed.iter_mut().zip(&self.system.actions) {
            *seen = !action.internal;
        }
        self.observe(observed);
    }

    /// A formula over actions.
    fn words(
        &self,
        (engine, most): (Engine, usize),
        formula: &Ltl<Letter>,
        observed: &[bool],
    ) -> Result<Answer, Error> {
        let mut violations = Violations::new(formula)?;
        if engine == Engine::Explicit {
            let mut graph = Explicit::new(self.system, observed, self.budget)?.with_most(most);
            let path = words::violation(&mut graph, &mut violations, self.budget)?;
            let run = path.map(|path| graph.run(&path)).transpose()?;
            return Ok(listed(&graph, Answer::unless(run)));
        }
        let units = units(self.system, engine);
        let system = units.as_ref().unwrap_or(self.system);
        let partition = Partition::new(system, engine, self.budget)?;
        let mut product = Product::new(&partition, observed, self.budget)?;
        let path = words::violation(&mut product, &mut violations, self.budget)?;
        let mut run = path.map(|path| expand::run(system, &partition, &mut product, &path)).transpose()?;
        if units.is_some() {
            run = run.map(|run| in_net(self.system, run));
        }
        Ok(Answer { stats: stats(&mut product, engine)?, ..Answer::unless(run) })
    }

    /// Finds something out from the set of all reachable states.
    fn with_all<T>(&self, work: impl FnOnce(&mut Module<'_>, Set) -> Result<T, Error>) -> Result<(T, Stats), Error> {
        let partition = Partition::new(self.system, Engine::Sog, self.budget)?;
        let mut product = Product::new(&partition, &vec![false; self.system.actions.len()], self.budget)?;
        product.start()?;
        let module = &mut product.modules[0];
        let start = module.start()?;
        let reached = module.set(start);
        let found = work(module, reached)?;
        Ok((found, stats(&mut product, Engine::Sog)?))
    }

    fn by_diagrams(&self, work: impl FnOnce(&mut Module<'_>, Set) -> Result<Answer, Error>) -> Result<Answer, Error> {
        let (answer, stats) = self.with_all(work)?;
        Ok(Answer { stats, ..answer })
    }

    /// A shortest run to a state that satisfies a predicate.
    fn path_to(&self, predicate: &Predicate) -> Result<(Option<Run>, Stats), Error> {
        self.with_all(|module, reached| {
            let goal = module.space.satisfying(reached, predicate)?;
            Symbolic { module, reached, system: self.system }.path(&goal)
        })
    }

    /// A run that goes on forever without an observed action, from sets: observing all that is not internal would make as many meta-states as
    /// there are states.
    fn livelock(&self, observed: &[bool]) -> Result<Answer, Error> {
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
            let at = steps.last().map_or_else(|| self.system.initial(), |(_, state)| state.clone());
            let (lead, cycle) = module.going_round(at, core, &silent)?;
            steps.extend(lead);
            let end = End::Cycle(steps.len());
            steps.extend(cycle);
            Ok(Answer::unless(Some(Run { steps: expand::moves(self.system, &steps), end })))
        })
    }

    /// What is true whatever is claimed.
    fn explore(&self) -> Result<Findings, Error> {
        let mut findings = Findings { warnings: self.system.warnings.clone(), ..Findings::default() };
        let slots = Slots::new(self.system);
        let mut places = Vec::new();
        for component in self.system.component_ids() {
            if let Behaviour::Net(_) = self.system.component(component).behaviour {
                places.extend(slots.of(component).map(|s| s as u32));
            }
        }
        if self.options.engine == Engine::Explicit {
            let mut graph = Explicit::new(self.system, &vec![false; self.system.actions.len()], self.budget)?;
            graph.search(&mut |_, _| Ok(false))?;
            let (mut arcs, mut most_in_all) = (0_u64, 0);
            let mut most: Vec<(u32, u32)> = places.iter().map(|&p| (p, 0)).collect();
            for node in graph.nodes() {
                let state = graph.state(node);
                arcs += self.system.moves(&slots, &state).len() as u64;
                most.iter_mut().for_each(|(p, most)| *most = (*most).max(state[*p as usize]));
                most_in_all = most_in_all.max(places.iter().map(|&p| u64::from(state[p as usize])).sum());
            }
            findings.states = Some((graph.len() as u64).into());
            findings.arcs = Some(arcs.into());
            if !places.is_empty() {
                findings.most_tokens = most.iter().map(|(_, most)| *most).max();
                findings.most_tokens_in_all = Some(most_in_all.into());
                findings.most_by_place = most;
            }
            return Ok(findings);
        }
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

    /// After how many steps of a run it is seen that it violates a linear formula.
    fn settled(&self, spec: &Spec, answer: &Answer) -> Result<Option<usize>, OverBudget> {
        let Verdict::Violated(Some(run)) = &answer.verdict else { return Ok(None) };
        match &spec.demand {
            Demand::Actions(formula) => {
                let observed = self.observed(formula);
                Violations::new(formula)?.settled(&run.steps, &observed, self.budget)
            }
            Demand::States(formula) => {
                let formula = Formula::new(formula);
                let states = run.states(self.system).unwrap_or_default();
                linear::Violations::new(&formula)?.settled(&formula, self.system, &states, self.budget)
            }
            _ => Ok(None),
        }
    }

    /// A run is what it is said to be, by definition.
    fn replay(&self, spec: &Spec, answer: &Answer) -> Result<(), Error> {
        let Some(run) = answer.run() else { return Ok(()) };
        if self.is_right(spec, run)? {
            return Ok(());
        }
        let defect = Error::defect("a run does not replay", "the model and the property");
        Err(if spec.source.is_empty() { defect } else { defect.at(Place::in_text(&spec.source, spec.span)) })
    }

    fn is_right(&self, spec: &Spec, run: &Run) -> Result<bool, OverBudget> {
        let Some(states) = run.states(self.system) else { return Ok(false) };
        let last = &states[states.len() - 1];
        let mut observed = vec![false; self.system.actions.len()];
        Ok(match &spec.demand {
            Demand::Reach(p) => p.holds(self.system, last),
            Demand::Invariant(p) => !p.holds(self.system, last),
            Demand::NoDeadlock => run.end == End::Dead,
            Demand::States(formula) => !Formula::new(formula).holds(self.system, run, &states, self.budget)?,
            Demand::Actions(formula) => {
                let (word, cycle) = word(run, &self.observed(formula));
                !words::Formula::new(formula).holds(&word, cycle, self.budget)?
            }
            Demand::NoLivelock => {
                self.visible(&mut observed);
                let (word, cycle) = word(run, &observed);
                word[cycle] == Letter::Divergence
            }
            Demand::Finite(finite) => finite::is_violated_by(finite, run, self.budget)?,
            Demand::Branching(_) | Demand::Bound(_) => true,
        })
    }
}

/// The units of a net as components, where modules are asked for and the net has any. That a unit has one token at most is the file's claim; it
/// is used only where the net shows it, so that no engine says something else.
pub(super) fn units(system: &System, engine: Engine) -> Option<System> {
    match system.components.as_slice() {
        [Component { behaviour: Behaviour::Net(net), .. }] if engine == Engine::Modular && net.keeps_units() => {
            system.by_units()
        }
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

/// The word of a run, and where it goes round.
fn word(run: &Run, observed: &[bool]) -> (Vec<Letter>, usize) {
    let letters = |steps: &[Move]| -> Vec<Letter> {
        steps.iter().map(|s| s.action).filter(|a: &ActionId| observed[a.index()]).map(Letter::Action).collect()
    };
    let (mut word, end) = match run.end {
        End::Cycle(to) => {
            let mut word = letters(&run.steps[..to]);
            let cycle = letters(&run.steps[to..]);
            if !cycle.is_empty() {
                let at = word.len();
                word.extend(cycle);
                return (word, at);
            }
            (word, Letter::Divergence)
        }
        End::Open | End::Dead => (letters(&run.steps), Letter::Deadlock),
    };
    word.push(end);
    let cycle = word.len() - 1;
    (word, cycle)
}

/// An answer that looked at these states.
fn listed(graph: &Explicit<'_>, answer: Answer) -> Answer {
    let states = Some((graph.len() as u64).into());
    Answer { stats: Stats { engine: Engine::Explicit, states, ..Stats::default() }, ..answer }
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
    })
}
