//! A model and its properties in diagrams: the states first, then one property after the other.

use std::collections::VecDeque;
use std::rc::Rc;

use super::branching::{Branching, Regions};
use super::engine::Engine;
use super::layout::Layout;
use super::property::{Linear, Property};
use super::related::Related;
use super::space::{Reached, Search, Space};
use super::{Answer, Asked, By, Evidence, Findings, News, replay};
use crate::race::HEAD;
use posetta_base::{Budget, Diagnostic, Error, Kind, Limit, Natural, OverBudget, Place, Verdict};
use posetta_dd::bdd::{Bdd, Bdds};
use posetta_logic::branching::{Program, evaluate};
use posetta_model::fds::{Clause, ExprId, Fds, Trail};

/// Finds out what it can.
///
/// # Errors
/// With the mistakes of the model that show only in values; when the budget is spent.
pub(super) fn run(asked: &Asked, tell: &mut dyn FnMut(News), budget: &Budget) -> Result<(), Error> {
    let (model, specs) = (&asked.model, &asked.specs);
    let properties: Rc<[Property]> = specs.iter().map(|spec| Property::with_tester(model, spec, budget)).collect();
    let testers: Vec<usize> = properties.iter().map(Property::vars).collect();
    let layout = Rc::new(Layout::new(model, &testers, &Related::of(model, &properties)));
    let bdds = Bdds::new(layout.bits, asked.options.nodes.unwrap_or(usize::MAX), budget)?;
    let engine = Engine::new(model, bdds, layout, asked.options)?;
    let desk = Desk { asked, answered: vec![false; specs.len()], tell };
    let mut attempt = Attempt::new(engine, properties, desk)?;
    while attempt.next(budget)? {}
    match attempt.left_over {
        None => Ok(()),
        Some(over) => Err(over.into()),
    }
}

/// What is asked, and where answers go.
struct Desk<'a, 't> {
    asked: &'a Asked,
    /// By property: it has an answer from here.
    answered: Vec<bool>,
    tell: &'t mut dyn FnMut(News),
}

impl Desk<'_, '_> {
    fn is_open(&self, place: usize) -> bool {
        !self.answered[place] && self.asked.is_open(place)
    }

    fn open(&self) -> Vec<usize> {
        (0..self.answered.len()).filter(|&place| self.is_open(place)).collect()
    }
}

/// How far it is.
struct Attempt<'m, 't> {
    engine: Engine<'m>,
    properties: Rc<[Property]>,
    desk: Desk<'m, 't>,
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
}

/// Steps so far.
fn rounds(budget: &Budget) -> u64 {
    budget.stop_handle().explored()
}

/// What is being done.
enum Stage {
    /// States are searched, and invariants decided on the way.
    Exploring(Box<Exploring>),
    /// The properties at these places are decided.
    Deciding(VecDeque<usize>),
}

/// After so much effort it is told for the first time how many states there are at least, and then whenever it has
/// doubled.
const TELL: u64 = HEAD / 2;

struct Exploring {
    search: Search,
    /// With so much effort it is told next how many states there are at least.
    tell_at: u64,
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

impl<'m, 't> Attempt<'m, 't> {
    fn new(mut engine: Engine<'m>, properties: Rc<[Property]>, desk: Desk<'m, 't>) -> Result<Self, Error> {
        let open = desk.open();
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
        for &place in &open {
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
            Stage::Exploring(Box::new(Exploring { search, tell_at: TELL, due: Vec::new(), kept }))
        } else {
            Stage::Deciding(in_order(&properties, &open))
        };
        let (reached, feasible, vacuous, left_over) = (None, None, false, None);
        Ok(Self { engine, properties, desk, space, findings, stage, reached, feasible, vacuous, left_over })
    }

    /// Does the next piece of work; false if there is none left.
    fn next(&mut self, budget: &Budget) -> Result<bool, Error> {
        let place = match &mut self.stage {
            Stage::Exploring(exploring) => match exploring.due.pop() {
                Some(broken) => return self.hold_against(broken, budget),
                None if exploring.search.advance(&self.space)? => {
                    // From the end, so that the first comes first.
                    exploring.due = std::mem::take(&mut exploring.kept);
                    exploring.due.reverse();
                    let bdds = &self.engine.bdds;
                    if bdds.effort() >= exploring.tell_at {
                        exploring.tell_at = 2 * bdds.effort();
                        let free = self.engine.free_bits(&self.space);
                        let states = Natural::from(bdds.count(&exploring.search.reached().all, free));
                        (self.desk.tell)(News::Reached(states.to_u64().unwrap_or(u64::MAX)));
                    }
                    return Ok(true);
                }
                None => return self.explored(budget),
            },
            Stage::Deciding(places) => places.pop_front(),
        };
        match place {
            Some(place) => self.decide(place, budget).map(|()| true),
            None => {
                self.findings.diagram_nodes = self.engine.bdds.collect().max(self.engine.bdds.peak());
                self.found();
                Ok(false)
            }
        }
    }

    /// Whether the last layer breaks an invariant. What is broken is told at once: a limit that comes later takes nothing back.
    fn hold_against(&mut self, broken: Broken, budget: &Budget) -> Result<bool, Error> {
        let Stage::Exploring(exploring) = &mut self.stage else { return Ok(true) };
        let reached = exploring.search.reached();
        if !self.desk.is_open(broken.place) {
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
        replay::invariant(self.engine.model, &self.desk.asked.specs[place], expr, &trail, budget)?;
        self.state(place, Verdict::Violated(Evidence::Path(trail)), rounds(budget));
        Ok(true)
    }

    /// All states are found, and no other invariant is broken.
    fn explored(&mut self, budget: &Budget) -> Result<bool, Error> {
        let next = Stage::Deciding(VecDeque::new());
        let Stage::Exploring(exploring) = std::mem::replace(&mut self.stage, next) else { return Ok(true) };
        let reached = exploring.search.into_reached();
        for broken in exploring.kept.into_iter().filter(|broken| self.desk.is_open(broken.place)).collect::<Vec<_>>() {
            self.state(broken.place, Verdict::Holds, rounds(budget));
        }
        self.describe(&reached)?;
        self.findings.diagram_nodes = self.engine.bdds.stored();
        self.found();
        self.reached = Some(reached);
        self.stage = Stage::Deciding(in_order(&self.properties, &self.desk.open()));
        Ok(true)
    }

    fn decide(&mut self, place: usize, budget: &Budget) -> Result<(), Error> {
        if !self.desk.is_open(place) {
            return Ok(());
        }
        let before = rounds(budget);
        let properties = Rc::clone(&self.properties);
        let decided = match &properties[place] {
            // Somebody may do without its tester.
            Property::Over(over) => Err(Error::OverBudget(*over)),
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
        self.state(place, verdict, rounds(budget) - before);
        Ok(())
    }

    /// Tells what is true of the model.
    fn found(&mut self) {
        (self.desk.tell)(News::Found(Box::new(self.findings.clone())));
    }

    fn state(&mut self, place: usize, verdict: Verdict<Evidence>, rounds: u64) {
        let vacuous = verdict == Verdict::Holds && (self.vacuous || self.space.init.is_false());
        let warnings = self.desk.asked.specs[place].warnings.clone();
        let (diagram_nodes, by) = (self.engine.bdds.stored(), Some(By::Diagrams));
        let answer = Answer { verdict, vacuous, rounds, diagram_nodes, by, warnings };
        self.desk.answered[place] = true;
        (self.desk.tell)(News::Answered(place, Box::new(answer)));
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
                replay::linear(self.engine.model, &self.desk.asked.specs[place], linear, &trail, budget)?;
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
        replay::path(engine.model, &self.desk.asked.specs[place], &trail, budget)?;
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
