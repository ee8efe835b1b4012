//! A model state by state: for those with many variables and few states, whose diagrams are large.
//!
//! [`run`] works in a thread of its own, in turns with the diagrams, and tells what it finds out. Linear properties that read inputs are left to
//! diagrams. [`vet`] comes first: mistakes that only show in values are a matter of all
//! states, reachable or not, so a model whose expressions might have one goes through diagrams of those expressions.

mod branching;
mod deep;
mod eval;
mod graph;
mod linear;
mod plan;
mod states;
mod vet;

use self::branching::{Branching, Listed, Sets, feasible};
use self::graph::Fairness;
use self::states::{States, Walker};
use super::attempt::{dead_end, no_computation, no_initial};
use super::property::{Linear, Property};
use super::{Answer, Asked, By, Evidence, Findings, News, replay};
use posetta_base::{Budget, Error, OverBudget, Verdict};
use posetta_logic::branching::{Program, evaluate};
use posetta_logic::{AtomId, Guard};
use posetta_model::fds::{Clause, ExprId, Fds, Role};

/// Finds out what it can.
///
/// # Errors
/// When the budget is spent, or numbers are too large.
pub(super) fn run(asked: &Asked, tell: &mut dyn FnMut(News), budget: &Budget) -> Result<(), Error> {
    let model = &asked.model;
    if !vet::is_sound(model, budget)? {
        return Ok(());
    }
    let properties: Vec<Property> =
        asked.specs.iter().map(|spec| Property::without_tester(model, spec, budget)).collect();
    let Some(walker) = Walker::new(model, budget) else { return Ok(()) };
    let mut work = Work { asked, states: States::new(walker, budget)?, tell, budget, vacuous: None };
    let mut findings = work.explore(&properties)?;
    work.decide(&properties, &mut findings)?;
    Ok(())
}

/// After so many states it is told for the first time how far it is, and then whenever there are twice as many.
const TELL: usize = 256;

/// The least effort that one state takes in any model with these variables.
pub(super) fn least_effort(model: &Fds) -> u64 {
    states::least_effort(model.vars.iter().filter(|v| v.role == Role::State).count())
}

struct Work<'a, 't> {
    asked: &'a Asked,
    states: States<'a>,
    tell: &'t mut dyn FnMut(News),
    budget: &'a Budget,
    /// Whether no initial state begins a computation, once somebody has asked.
    vacuous: Option<bool>,
}

impl Work<'_, '_> {
    fn answer(&mut self, place: usize, verdict: Verdict<Evidence>) {
        let vacuous = verdict == Verdict::Holds && (self.vacuous == Some(true) || self.states.initial == 0);
        let warnings = self.asked.specs[place].warnings.clone();
        let rounds = self.states.len() as u64;
        let by = Some(By::States);
        let answer = Answer { verdict, vacuous, rounds, diagram_nodes: 0, by, warnings };
        (self.tell)(News::Answered(place, Box::new(answer)));
    }

    /// Finds all states, and those that break invariants on the way.
    fn explore(&mut self, properties: &[Property]) -> Result<Findings, Error> {
        let model = &self.asked.model;
        let mut kept: Vec<(usize, ExprId)> = properties
            .iter()
            .enumerate()
            .filter_map(|(place, p)| if let Property::Invariant(expr) = p { Some((place, *expr)) } else { None })
            .collect();
        let (mut stuck, mut tell_at) = (None, TELL);
        while let Some(node) = self.states.expand()? {
            if self.states.expanded == tell_at {
                tell_at *= 2;
                (self.tell)(News::Listed(self.states.expanded as u64));
            }
            let dead = self.states.graph.to(node).is_empty();
            if dead && stuck.is_none() && (model.finals.is_empty() || !self.states.walker.all_true(&model.finals)) {
                stuck = Some(node);
            }
            let mut broken = Vec::new();
            kept.retain(|&(place, expr)| {
                let holds = self.states.walker.is_true(expr);
                if !holds {
                    broken.push((place, expr));
                }
                holds
            });
            for (place, expr) in broken.into_iter().filter(|&(place, _)| self.asked.is_open(place)) {
                let path = self.states.path_to(node);
                let trail = self.states.trail(&path, None)?;
                replay::invariant(model, &self.asked.specs[place], expr, &trail, self.budget)?;
                self.answer(place, Verdict::Violated(Evidence::Path(trail)));
                self.states.look_at(node);
            }
        }
        let mut warnings = model.warnings.clone();
        if self.states.initial == 0 {
            warnings.push(no_initial(model));
        }
        let mut deadlock = None;
        if let Some(node) = stuck {
            deadlock = Some(self.states.trail(&self.states.path_to(node), None)?);
            warnings.push(dead_end(model));
        }
        for (place, _) in kept {
            self.answer(place, Verdict::Holds);
        }
        let bits = model.vars.iter().filter(|v| v.role != Role::Input).map(|v| super::layout::width(&v.domain));
        let findings = Findings {
            states: Some((self.states.len() as u64).into()),
            depth: Some(self.states.depth),
            deadlock,
            bits: bits.map(u64::from).sum(),
            relation_nodes: 0,
            diagram_nodes: 0,
            warnings,
        };
        (self.tell)(News::Found(Box::new(findings.clone())));
        Ok(findings)
    }

    fn all(&mut self, clauses: &[Clause]) -> Result<Vec<bool>, OverBudget> {
        let mut all = vec![!clauses.is_empty(); self.states.len()];
        for clause in clauses {
            let truths = self.states.truths(clause.expr)?;
            all.iter_mut().zip(truths).for_each(|(all, truth)| *all &= truth);
        }
        Ok(all)
    }

    /// What is asked of states that are known.
    fn decide(&mut self, properties: &[Property], findings: &mut Findings) -> Result<(), Error> {
        let wanted = |property: &Property| match property {
            Property::Branching(_) => true,
            Property::Linear(linear) => linear::fits(linear),
            Property::Invariant(_) | Property::Over(_) => false,
        };
        let places: Vec<usize> = (0..properties.len()).filter(|&place| wanted(&properties[place])).collect();
        if places.is_empty() {
            return Ok(());
        }
        let (model, budget) = (&self.asked.model, self.budget);
        // Truth values of all states: one byte each, for every fairness assertion and every subformula.
        let most = places.iter().map(|&p| if let Property::Branching(f) = &properties[p] { f.len() } else { 1 }).max();
        let sets = model.justice.len() + 2 * model.compassion.len() + 8 + 2 * most.unwrap_or(0);
        let _claim = budget.claim((self.states.len() * sets) as u64, states::WHAT)?;
        let finals = self.all(&model.finals)?;
        let mut fairness = Fairness::default();
        for clause in &model.justice {
            fairness.justice.push(self.states.truths(clause.expr)?);
        }
        for (p, q) in &model.compassion {
            fairness.compassion.push((self.states.truths(p.expr)?, self.states.truths(q.expr)?));
        }
        let back = self.states.graph.back(budget)?;
        let everywhere = vec![true; self.states.len()];
        let feasible = feasible(&self.states.graph, &back, &fairness, &finals, &everywhere, budget)?;
        let vacuous = self.states.initial > 0 && !feasible[..self.states.initial].contains(&true);
        self.vacuous = Some(vacuous);
        let mut told = false;
        for place in places {
            if !self.asked.is_open(place) {
                continue;
            }
            let verdict = match &properties[place] {
                Property::Linear(linear) => Some(self.linear(place, linear, &finals, &fairness)?),
                Property::Branching(program) => {
                    Some(self.branching(place, program, &finals, &fairness, &back, &feasible)?)
                }
                Property::Invariant(_) | Property::Over(_) => None,
            };
            let Some(verdict) = verdict else { continue };
            if verdict == Verdict::Holds && vacuous && !told {
                told = true;
                findings.warnings.push(no_computation(model));
                (self.tell)(News::Found(Box::new(findings.clone())));
            }
            self.answer(place, verdict);
        }
        Ok(())
    }

    /// Whether what a linear property demands of every state is true of every reachable one.
    fn everywhere(&mut self, linear: &Linear) -> Result<bool, OverBudget> {
        let Some(guard) = linear.formula.invariant() else { return Ok(false) };
        for node in 0..self.states.len() as u32 {
            self.states.look_at(node);
            if !holds(&guard, &linear.atoms, &mut self.states.walker) {
                return Ok(false);
            }
            self.states.walker.spend(1)?;
        }
        Ok(true)
    }

    fn linear(
        &mut self,
        place: usize,
        linear: &Linear,
        finals: &[bool],
        fairness: &Fairness,
    ) -> Result<Verdict<Evidence>, Error> {
        if self.everywhere(linear)? {
            return Ok(Verdict::Holds);
        }
        let _claim = self.budget.claim(8 * self.states.len() as u64, states::WHAT)?;
        let mut letters = vec![0; self.states.len()];
        for (i, &atom) in linear.atoms.iter().enumerate() {
            let truths = self.states.truths(atom)?;
            letters.iter_mut().zip(truths).for_each(|(letter, truth)| *letter |= u64::from(truth) << i);
        }
        let (graph, initial, budget) = (&self.states.graph, self.states.initial, self.budget);
        let broad = self.asked.options.broad;
        let beside = linear::Beside { graph, initial, fairness, finals, letters: &letters, broad, budget };
        let Some(found) = linear::violation(&beside, linear)? else { return Ok(Verdict::Holds) };
        let trail = self.states.trail(&found.states, found.cycle)?;
        replay::linear(&self.asked.model, &self.asked.specs[place], linear, &trail, budget)?;
        Ok(Verdict::Violated(Evidence::Computation(trail)))
    }

    fn branching(
        &mut self,
        place: usize,
        program: &Program<ExprId>,
        finals: &[bool],
        fairness: &Fairness,
        back: &graph::Back,
        feasible: &[bool],
    ) -> Result<Verdict<Evidence>, Error> {
        let mut truths = rustc_hash::FxHashMap::default();
        for node in program.nodes() {
            if let posetta_logic::branching::Node::Atom(expr) = node {
                truths.insert(*expr, self.states.truths(*expr)?);
            }
        }
        let budget = self.budget;
        let shown = {
            let listed = Listed { graph: &self.states.graph, back, fairness, finals, feasible, budget };
            let mut atoms = |expr: ExprId| Ok(truths.get(&expr).cloned().unwrap_or_default());
            let known = evaluate(program, &mut Sets { listed: &listed, atoms: &mut atoms })?;
            let holds = &known[program.root() as usize];
            let begins = (0..self.states.initial).find(|&node| feasible[node] && !holds[node]);
            let Some(from) = begins else { return Ok(Verdict::Holds) };
            Branching { listed: &listed, program, known: &known }.show(from as u32)?
        };
        let trail = self.states.trail(&shown.states, shown.cycle)?;
        replay::path(&self.asked.model, &self.asked.specs[place], &trail, budget)?;
        Ok(Verdict::Violated(Evidence::Path(trail)))
    }
}

/// Whether a boolean combination of atoms is true of the state at hand.
fn holds(guard: &Guard<AtomId>, atoms: &[ExprId], walker: &mut Walker<'_>) -> bool {
    match guard {
        Guard::True => true,
        Guard::False => false,
        Guard::Atom(atom) => walker.is_true(atoms[atom.0 as usize]),
        Guard::Not(g) => !holds(g, atoms, walker),
        Guard::And(gs) => gs.iter().all(|g| holds(g, atoms, walker)),
        Guard::Or(gs) => gs.iter().any(|g| holds(g, atoms, walker)),
        Guard::Implies(a, b) => !holds(a, atoms, walker) || holds(b, atoms, walker),
        Guard::Iff(a, b) => holds(a, atoms, walker) == holds(b, atoms, walker),
    }
}
