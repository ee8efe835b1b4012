//! One try at what is open, with so much room for diagrams: the states first, then one property after the other.

use std::collections::VecDeque;
use std::rc::Rc;

use super::branching::{Branching, Regions};
use super::engine::Engine;
use super::property::{Linear, Property};
use super::space::{Reached, Search, Space};
use super::{Answer, Evidence, Findings, replay};
use crate::question::Known;
use posetta_base::{Budget, Diagnostic, Error, Kind, Limit, OverBudget, Place, Verdict};
use posetta_dd::bdd::Bdd;
use posetta_logic::branching::{Program, evaluate};
use posetta_model::fds::{Clause, ExprId, Fds, Spec, Trail};

/// A try, and how far it is.
pub(super) struct Attempt<'m> {
    engine: Engine<'m>,
    specs: &'m [Spec],
    properties: Rc<[Property]>,
    /// The model alone.
    space: Space,
    findings: Findings,
    stage: Stage,
    /// All states, once they are found.
    reached: Option<Reached>,
    /// Those that begin a computation, once somebody has asked.
    feasible: Option<Bdd>,
    /// There is no computation.
    vacuous: bool,
    /// Why some are still open.
    left_over: Option<OverBudget>,
    rounds: Rounds,
}

/// Steps of this try, whatever budgets they came from.
#[derive(Default)]
struct Rounds {
    /// In calls that are over.
    before: u64,
    /// Where the budget of this call began.
    from: u64,
}

impl Rounds {
    fn so_far(&self, budget: &Budget) -> u64 {
        self.before + budget.stop_handle().explored().saturating_sub(self.from)
    }
}

/// What is being done.
enum Stage {
    /// States are searched, and invariants decided on the way.
    Exploring(Box<Exploring>),
    /// The properties at these places are decided.
    Deciding(VecDeque<usize>),
}

struct Exploring {
    search: Search,
    /// Where invariants are broken: those that the last layer has not been held against, and those that it has.
    due: Vec<Broken>,
    kept: Vec<Broken>,
}

/// The place of an invariant, and the states that break it.
struct Broken {
    place: usize,
    expr: ExprId,
    at: Bdd,
}

impl<'m> Attempt<'m> {
    pub(super) fn new(
        mut engine: Engine<'m>,
        specs: &'m [Spec],
        properties: Rc<[Property]>,
        open: &[usize],
    ) -> Result<Self, Error> {
        let space = engine.plain()?;
        let mut findings = Findings {
            states: None,
            depth: None,
            deadlock: None,
            bits: space.bits.len() as u64,
            relation_nodes: space.steps.nodes(),
            diagram_nodes: 0,
            warnings: engine.model.warnings.clone(),
        };
        if space.init.is_false() {
            findings.warnings.push(no_initial(engine.model));
        }
        let mut kept = Vec::new();
        for &place in open {
            if let Property::Invariant(expr) = properties[place] {
                let holds = engine.truth(expr)?;
                kept.push(Broken { place, expr, at: engine.bdds.not(&holds) });
            }
        }
        // CTL and invariants are asked of the reachable states.
        let needs_all = engine.options.explore
            || open.iter().any(|&p| matches!(properties[p], Property::Branching(_) | Property::Invariant(_)));
        let stage = if needs_all {
            let search = Search::new(&space.init, None);
            Stage::Exploring(Box::new(Exploring { search, due: Vec::new(), kept }))
        } else {
            Stage::Deciding(in_order(&properties, open))
        };
        let (reached, feasible, vacuous, left_over, rounds) = (None, None, false, None, Rounds::default());
        Ok(Self { engine, specs, properties, space, findings, stage, reached, feasible, vacuous, left_over, rounds })
    }

    /// The effort so far.
    pub(super) fn effort(&self) -> u64 {
        self.engine.bdds.effort()
    }

    /// Why some are still open at the end.
    pub(super) fn left_over(&self) -> Option<OverBudget> {
        self.left_over
    }

    /// Does the next piece of work; false if there is none left.
    pub(super) fn advance(&mut self, known: &mut Known<Answer, Findings>, budget: &Budget) -> Result<bool, Error> {
        self.engine.bdds.spend(budget);
        self.rounds.from = budget.stop_handle().explored();
        let done = self.next(known, budget);
        self.rounds.before = self.rounds.so_far(budget);
        done
    }

    fn next(&mut self, known: &mut Known<Answer, Findings>, budget: &Budget) -> Result<bool, Error> {
        let place = match &mut self.stage {
            Stage::Exploring(exploring) => match exploring.due.pop() {
                Some(broken) => return self.hold_against(broken, known, budget),
                None if exploring.search.advance(&self.space)? => {
                    // From the end, so that the first comes first.
                    exploring.due = std::mem::take(&mut exploring.kept);
                    exploring.due.reverse();
                    return Ok(true);
                }
                None => return self.explored(known, budget),
            },
            Stage::Deciding(places) => places.pop_front(),
        };
        match place {
            Some(place) => self.decide(place, known, budget).map(|()| true),
            None => {
                self.findings.diagram_nodes = self.engine.bdds.collect().max(self.engine.bdds.peak());
                self.found(known);
                Ok(false)
            }
        }
    }

    /// Whether the last layer breaks an invariant. What is broken is told at once: a limit that comes later takes nothing back.
    fn hold_against(
        &mut self,
        broken: Broken,
        known: &mut Known<Answer, Findings>,
        budget: &Budget,
    ) -> Result<bool, Error> {
        let Stage::Exploring(exploring) = &mut self.stage else { return Ok(true) };
        let reached = exploring.search.reached();
        if !known.is_open(broken.place) {
            return Ok(true);
        }
        let here = self.engine.bdds.and(reached.last(), &broken.at)?;
        if here.is_false() {
            exploring.kept.push(broken);
            return Ok(true);
        }
        let path = self.space.path(reached, &here)?;
        let trail = self.engine.trail(&self.space, &path, None)?;
        let Broken { place, expr, .. } = broken;
        replay::invariant(self.engine.model, &self.specs[place], expr, &trail, budget)?;
        self.state(place, Verdict::Violated(Evidence::Path(trail)), self.rounds.so_far(budget), known);
        Ok(true)
    }

    /// All states are found, and no other invariant is broken.
    fn explored(&mut self, known: &mut Known<Answer, Findings>, budget: &Budget) -> Result<bool, Error> {
        let next = Stage::Deciding(VecDeque::new());
        let Stage::Exploring(exploring) = std::mem::replace(&mut self.stage, next) else { return Ok(true) };
        let reached = exploring.search.into_reached();
        for broken in exploring.kept.into_iter().filter(|broken| known.is_open(broken.place)).collect::<Vec<_>>() {
            self.state(broken.place, Verdict::Holds, self.rounds.so_far(budget), known);
        }
        self.describe(&reached)?;
        self.findings.diagram_nodes = self.engine.bdds.stored();
        self.found(known);
        self.reached = Some(reached);
        self.stage = Stage::Deciding(in_order(&self.properties, &known.open()));
        Ok(true)
    }

    fn decide(&mut self, place: usize, known: &mut Known<Answer, Findings>, budget: &Budget) -> Result<(), Error> {
        if !known.is_open(place) {
            return Ok(());
        }
        let before = self.rounds.so_far(budget);
        let properties = Rc::clone(&self.properties);
        let decided = match &properties[place] {
            Property::Over(over) => Ok(Verdict::Unknown(*over)),
            Property::Linear(linear) => self.linear(place, linear, budget),
            Property::Branching(program) => self.branching(place, program, budget),
            Property::Invariant(_) => return Ok(()),
        };
        let verdict = match decided {
            Ok(verdict) => verdict,
            // One property that needs much room does not stand in the way of the others.
            Err(Error::OverBudget(over)) if over.limit == Limit::Memory => {
                self.left_over.get_or_insert(over);
                return Ok(());
            }
            Err(other) => return Err(other),
        };
        if verdict == Verdict::Holds && !self.vacuous && !self.space.init.is_false() {
            // A limit that is reached here does not take the verdict back.
            self.vacuous = self.is_vacuous().unwrap_or(false);
            if self.vacuous {
                self.findings.warnings.push(no_computation(self.engine.model));
            }
        }
        self.state(place, verdict, self.rounds.so_far(budget) - before, known);
        Ok(())
    }

    /// What is true of the model, with what an earlier try has found out: it may have been further than this one will be.
    fn found(&mut self, known: &mut Known<Answer, Findings>) {
        if let Some(earlier) = known.findings() {
            self.findings.keep(earlier);
        }
        known.found(self.findings.clone());
    }

    fn state(&self, place: usize, verdict: Verdict<Evidence>, rounds: u64, known: &mut Known<Answer, Findings>) {
        let vacuous = verdict == Verdict::Holds && (self.vacuous || self.space.init.is_false());
        let (diagram_nodes, warnings) = (self.engine.bdds.stored(), self.specs[place].warnings.clone());
        known.state(place, Answer { verdict, vacuous, rounds, diagram_nodes, warnings });
    }

    /// The states that begin a computation.
    fn feasible(&mut self, reached: &Bdd) -> Result<Bdd, OverBudget> {
        Ok(match &self.feasible {
            Some(known) => known.clone(),
            None => self.feasible.insert(self.space.feasible(reached)?).clone(),
        })
    }

    /// Whether no initial state begins a computation. Only asked where that can be.
    fn is_vacuous(&mut self) -> Result<bool, OverBudget> {
        let model = self.engine.model;
        let no_fairness = model.justice.is_empty() && model.compassion.is_empty();
        let Some(reached) = self.reached.as_ref().map(|reached| reached.all.clone()) else { return Ok(false) };
        let findings = &self.findings;
        if no_fairness && findings.deadlock.is_none() && findings.states.is_some() && model.finals.is_empty() {
            return Ok(false);
        }
        let feasible = self.feasible(&reached)?;
        self.engine.bdds.is_disjoint(&feasible, &self.space.init)
    }

    /// Counts, and looks for states that have no next one.
    fn describe(&mut self, reached: &Reached) -> Result<(), OverBudget> {
        let (engine, space) = (&self.engine, &self.space);
        self.findings.states = Some(engine.bdds.count(&reached.all, engine.free_bits(space)).into());
        self.findings.depth = reached.depth();
        let stuck = engine.bdds.minus(&space.stuck(&reached.all)?, &space.finals)?;
        if stuck.is_false() {
            return Ok(());
        }
        let path = space.path(reached, &stuck)?;
        self.findings.deadlock = Some(engine.trail(space, &path, None)?);
        self.findings.warnings.push(dead_end(engine.model));
        Ok(())
    }

    fn linear(&mut self, place: usize, linear: &Linear, budget: &Budget) -> Result<Verdict<Evidence>, Error> {
        // What is true of every reachable state is true of every computation, and nobody has to look for one. (The other way round a state
        // that breaks it counts only if a computation passes.)
        if let (Some(reached), Some(guard), false) = (&self.reached, linear.formula.invariant(), linear.inputs) {
            let holds = self.engine.guard(&guard, &linear.atoms)?;
            if self.engine.bdds.is_subset(&reached.all, &holds)? {
                return Ok(Verdict::Holds);
            }
        }
        match self.search(place, linear)? {
            None => Ok(Verdict::Holds),
            Some(trail) => {
                replay::linear(self.engine.model, &self.specs[place], linear, &trail, budget)?;
                Ok(Verdict::Violated(Evidence::Computation(trail)))
            }
        }
    }

    /// A computation that the tester says no to.
    fn search(&mut self, place: usize, linear: &Linear) -> Result<Option<Trail>, OverBudget> {
        let engine = &mut self.engine;
        let space = engine.product(place, linear)?;
        let goal = (!space.finals.is_false()).then(|| space.finals.clone());
        let reached = space.explore(goal.as_ref())?;
        if !engine.bdds.is_disjoint(reached.last(), &space.finals)? {
            let path = space.path(&reached, &space.finals)?;
            return engine.trail(&space, &path, None).map(Some);
        }
        let fair = space.fair(&reached.all)?;
        if fair.is_false() {
            return Ok(None);
        }
        let path = space.path(&reached, &fair)?;
        let lasso = space.lasso(path, &fair)?.expect("a state of the fixpoint leads to a fair cycle");
        engine.trail(&space, &lasso.states, Some(lasso.cycle)).map(Some)
    }

    fn branching(
        &mut self,
        place: usize,
        program: &Program<ExprId>,
        budget: &Budget,
    ) -> Result<Verdict<Evidence>, Error> {
        let reached = self.reached.as_ref().expect("found before, because of this property").all.clone();
        let feasible = self.feasible(&reached)?;
        let (space, all, feasible) = (&self.space, &reached, &feasible);
        let known = evaluate(program, &mut Regions { engine: &mut self.engine, space, all, feasible })?;
        let engine = &self.engine;
        let begin = engine.bdds.and(&space.init, feasible)?;
        let holds = &known[program.root() as usize];
        let Some(state) = space.one(&engine.bdds.minus(&begin, holds)?)? else { return Ok(Verdict::Holds) };
        let shown = Branching { space, all, feasible, program, known: &known }.show(&state)?;
        let trail = engine.trail(space, &shown.states, shown.cycle)?;
        replay::path(engine.model, &self.specs[place], &trail, budget)?;
        Ok(Verdict::Violated(Evidence::Path(trail)))
    }
}

/// What is likely to be quick comes first: a hard property should not stand in the way of an easy one.
fn in_order(properties: &[Property], open: &[usize]) -> VecDeque<usize> {
    let mut order = open.to_vec();
    order.sort_by_key(|&place| (matches!(properties[place], Property::Linear(_)), properties[place].vars(), place));
    order.into()
}

/// That nothing is initial.
pub(super) fn no_initial(model: &Fds) -> Diagnostic {
    about_all(model, Kind::Vacuous, "no state is initial: every property holds of nothing at all", &model.init)
}

/// That there is no computation.
pub(super) fn no_computation(model: &Fds) -> Diagnostic {
    let message = "there is no computation: no fair infinite one, and no finite one that ends in a final state";
    about_all(model, Kind::Vacuous, message, &model.justice)
}

/// That some states have no next one.
pub(super) fn dead_end(model: &Fds) -> Diagnostic {
    about_all(model, Kind::Deadlock, "some reachable states have no next state", &model.trans)
        .label("a computation that gets there is none, unless it ends in a FINAL state")
        .help("where the model should stop, say so with FINAL; where it should go on, every state needs a step")
}

/// A warning about the whole model, at its first such clause if there is one.
fn about_all(model: &Fds, kind: Kind, message: &str, clauses: &[Clause]) -> Diagnostic {
    let warning = Diagnostic::new(kind, message);
    match clauses.first() {
        Some(clause) => warning.at(Place::in_text(&model.source, clause.span)),
        None => warning,
    }
}
