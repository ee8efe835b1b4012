//! A model in diagrams, and its properties one after the other.

use std::collections::BTreeSet;

use super::branching::Branching;
use super::encode::Encoder;
use super::events::{self, Event, Item, Selector};
use super::layout::{Layout, Slot};
use super::question::{Linear, Question};
use super::space::{Reached, Space};
use super::steps::{Conjunct, Frame, Steps};
use super::tester::Spelling;
use super::{Answer, Evidence, Findings, News, Options, Verdict, replay};
use posetta_base::{Budget, Diagnostic, Error, Kind, Limit, OverBudget, Place, VarId};
use posetta_dd::bdd::{Bdd, Bdds, Bit};
use posetta_logic::{AtomId, Guard};
use posetta_model::fds::{Clause, Demand, ExprId, Fds, Role, Spec, Trail, Value};

/// The model's assertions as diagrams.
struct Assertions {
    init: Bdd,
    conjuncts: Vec<Conjunct>,
    /// That an input of the next state has a value of its domain, where inputs are remembered.
    inputs_next: Vec<Conjunct>,
    inputs_now: Bdd,
    justice: Vec<Bdd>,
    compassion: Vec<(Bdd, Bdd)>,
    finals: Option<Bdd>,
}

pub(super) struct Engine<'m> {
    model: &'m Fds,
    bdds: &'m Bdds,
    layout: &'m Layout,
    encoder: Encoder<'m>,
    options: &'m Options,
    budget: &'m Budget,
    assertions: Assertions,
}

/// The bits of a slot.
fn bits(slot: &Slot, next: bool) -> impl Iterator<Item = Bit> + '_ {
    (if next { &slot.next } else { &slot.now }).iter().copied()
}

impl<'m> Engine<'m> {
    pub(super) fn new(
        model: &'m Fds,
        bdds: &'m Bdds,
        layout: &'m Layout,
        options: &'m Options,
        budget: &'m Budget,
    ) -> Result<Self, Error> {
        let mut encoder = Encoder::new(model, bdds, layout);
        let assertions = assertions(model, bdds, layout, &mut encoder)?;
        Ok(Self { model, bdds, layout, encoder, options, budget, assertions })
    }

    fn vars(&self) -> impl Iterator<Item = (VarId, &'m Slot, Role)> + use<'m> {
        let (model, layout) = (self.model, self.layout);
        (0..model.vars.len()).filter_map(move |i| Some((VarId::new(i)?, &layout.vars[i], model.vars[i].role)))
    }

    /// The bits of states, next states and steps, with these variables of a tester; with `inputs` they belong to states.
    fn frame(&self, tester: &[Slot], inputs: bool) -> Result<(Frame, Vec<Bit>), OverBudget> {
        let (mut now, mut next, mut step) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let (mut pairs, mut state) = (Vec::new(), Vec::new());
        let slots = self.vars().map(|(_, slot, role)| (slot, role)).chain(tester.iter().map(|s| (s, Role::State)));
        for (slot, role) in slots {
            match role {
                Role::Frozen => state.extend(bits(slot, false)),
                Role::Input if !inputs => step.extend(bits(slot, false)),
                Role::Input | Role::State => {
                    state.extend(bits(slot, false));
                    now.extend(bits(slot, false));
                    next.extend(bits(slot, true));
                    pairs.extend(bits(slot, false).zip(bits(slot, true)));
                }
            }
        }
        state.sort_unstable();
        let back: Vec<(Bit, Bit)> = pairs.iter().map(|&(a, b)| (b, a)).collect();
        let frame = Frame { now, next, step, prime: self.bdds.renaming(&pairs)?, unprime: self.bdds.renaming(&back)? };
        Ok((frame, state))
    }

    /// The steps process by process, if some variable says who moves.
    fn events(
        &self,
        conjuncts: &[Conjunct],
        tester: &[Slot],
        inputs: bool,
        frame: &Frame,
    ) -> Result<Option<Vec<Event>>, OverBudget> {
        let (mut items, mut selectors) = (Vec::new(), Vec::new());
        for (var, slot, role) in self.vars() {
            let values = u64::try_from(self.model.var(var).domain.size()).unwrap_or(u64::MAX);
            if role != Role::Frozen {
                selectors.push(Selector { slot, values, remembered: role == Role::State || inputs });
            }
            if role == Role::State || (role == Role::Input && inputs) {
                items.push(Item { slot, domain: self.encoder.domain(var, false)? });
            }
        }
        items.extend(tester.iter().map(|slot| Item { slot, domain: self.bdds.top() }));
        events::events(self.bdds, conjuncts, &items, &selectors, frame, self.options.ring_nodes == 0)
    }

    /// The model alone.
    fn plain(&self) -> Result<Space<'m>, OverBudget> {
        let (frame, bits) = self.frame(&[], false)?;
        let events = self.events(&self.assertions.conjuncts, &[], false, &frame)?;
        let steps = Steps::new(self.bdds, self.assertions.conjuncts.clone(), &frame)?;
        Ok(Space {
            bdds: self.bdds,
            budget: self.budget,
            frame,
            steps,
            events,
            ring_nodes: self.options.ring_nodes,
            bits,
            init: self.assertions.init.clone(),
            justice: self.assertions.justice.clone(),
            compassion: self.assertions.compassion.clone(),
            finals: self.assertions.finals.clone().unwrap_or_else(|| self.bdds.bottom()),
        })
    }

    /// The model with the tester of a linear property beside it, from states at which the tester says no.
    fn product(&mut self, place: usize, linear: &Linear) -> Result<Space<'m>, OverBudget> {
        let slots = &self.layout.testers[place];
        let (frame, bits) = self.frame(slots, linear.inputs)?;
        let bdds = self.bdds;
        let atoms = linear
            .atoms
            .iter()
            .map(|&atom| Ok(self.encoder.truth(atom)?.yes))
            .collect::<Result<Vec<_>, OverBudget>>()?;
        let atom_bits: Vec<[BTreeSet<Bit>; 2]> = linear
            .atoms
            .iter()
            .map(|&atom| {
                let (now, _) = self.model.exprs.vars(atom);
                [false, true]
                    .map(|next| now.iter().flat_map(|v| self::bits(&self.layout.vars[v.index()], next)).collect())
            })
            .collect();
        let mut spelling = Spelling::new(bdds, &linear.tester, &atoms, &atom_bits, slots, &frame);
        let all = |spelling: &mut Spelling<'_>, from: Bdd, part: fn(&posetta_compile::tester::Module) -> &Vec<_>| {
            linear.tester.modules.iter().flat_map(part).try_fold(from, |all, &id| bdds.and(&all, &spelling.holds(id)?))
        };
        let mut init = bdds.minus(&self.assertions.init, &spelling.holds(linear.tester.output)?)?;
        if linear.inputs {
            init = bdds.and(&init, &self.assertions.inputs_now)?;
        }
        init = all(&mut spelling, init, |m| &m.init)?;
        let finals = match &self.assertions.finals {
            Some(finals) => all(&mut spelling, finals.clone(), |m| &m.finals)?,
            None => bdds.bottom(),
        };
        let mut justice = self.assertions.justice.clone();
        let mut conjuncts = self.assertions.conjuncts.clone();
        if linear.inputs {
            conjuncts.extend(self.assertions.inputs_next.iter().cloned());
        }
        for module in &linear.tester.modules {
            for &id in &module.justice {
                justice.push(spelling.holds(id)?);
            }
            for &id in &module.trans {
                let (holds, bits) = (spelling.holds(id)?, spelling.bits(id));
                conjuncts.push(Conjunct { holds, bits, validity: false });
            }
        }
        let events = self.events(&conjuncts, slots, linear.inputs, &frame)?;
        let steps = Steps::new(bdds, conjuncts, &frame)?;
        let compassion = self.assertions.compassion.clone();
        let ring_nodes = self.options.ring_nodes;
        Ok(Space {
            bdds,
            budget: self.budget,
            frame,
            steps,
            events,
            ring_nodes,
            bits,
            init,
            justice,
            compassion,
            finals,
        })
    }

    /// States, each a set of one, as values. Inputs that are no part of states are chosen so that each step is one.
    fn trail(&self, space: &Space<'_>, states: &[Bdd], cycle: Option<usize>) -> Result<Trail, OverBudget> {
        let mut decoded: Vec<Vec<Value>> = Vec::with_capacity(states.len());
        for (i, state) in states.iter().enumerate() {
            let next = states.get(i + 1).or_else(|| cycle.map(|c| &states[c]));
            // With the inputs of the step that goes on from here, if there is one.
            let here = match next {
                Some(next) if !space.frame.step.is_empty() => {
                    space.steps.between(self.bdds, &space.frame, state, next)?
                }
                _ => state.clone(),
            };
            let bits = self.bdds.pick(&here).unwrap_or_else(|| vec![false; self.layout.bits as usize]);
            decoded.push(self.vars().map(|(var, _, _)| self.encoder.decode(var, &bits)).collect());
        }
        Ok(Trail { states: decoded, cycle })
    }

    /// Decides all that is still open and that there is room for; `told` hears of it. Second, why some are still open.
    pub(super) fn run(
        &mut self,
        specs: &[Spec],
        questions: &[Question],
        open: &mut [bool],
        told: &mut dyn FnMut(News<'_>),
    ) -> Result<(Findings, Option<OverBudget>), Error> {
        let space = self.plain().map_err(Error::OverBudget)?;
        let mut findings = Findings {
            states: None,
            depth: None,
            deadlock: None,
            bits: space.bits.len() as u64,
            relation_nodes: space.steps.nodes(),
            diagram_nodes: 0,
            warnings: self.model.warnings.clone(),
        };
        if space.init.is_false() {
            findings.warnings.push(self.about_all(
                Kind::Vacuous,
                "no state is initial: every property holds of nothing at all",
                &self.model.init,
            ));
        }
        // CTL and invariants are asked of the reachable states.
        let needs_all = self.options.explore
            || questions
                .iter()
                .zip(&*open)
                .any(|(q, open)| *open && matches!(q, Question::Branching | Question::Invariant));
        let mut reached: Option<Reached> = None;
        if needs_all {
            let all = self.invariants(&space, specs, open, told)?;
            self.describe(&space, &all, &mut findings).map_err(Error::OverBudget)?;
            findings.diagram_nodes = self.bdds.stored();
            told(News::Model(&findings));
            reached = Some(all);
        }
        let mut feasible: Option<Bdd> = None;
        let mut vacuous = false;
        let mut left_over = None;
        // What is likely to be quick comes first: a hard property should not stand in the way of an easy one.
        let mut order: Vec<usize> = (0..questions.len()).filter(|&place| open[place]).collect();
        order.sort_by_key(|&place| (matches!(questions[place], Question::Linear(_)), questions[place].vars(), place));
        for place in order {
            let question = &questions[place];
            let before = self.budget.stop_handle().explored();
            let answered = match question {
                Question::Over(over) => Ok(Verdict::Unknown(*over)),
                Question::Invariant => continue,
                Question::Branching => {
                    let reached = reached.as_ref().expect("found above, because of this question");
                    self.branching(&space, reached, &mut feasible, &specs[place])
                }
                Question::Linear(linear) => self.linear(place, linear, reached.as_ref(), &specs[place]),
            };
            let verdict = match answered {
                Ok(verdict) => verdict,
                // One property that needs much room does not stand in the way of the others.
                Err(Error::OverBudget(over)) if over.limit == Limit::Memory => {
                    left_over.get_or_insert(over);
                    continue;
                }
                Err(other) => return Err(other),
            };
            if verdict == Verdict::Holds && !vacuous && !space.init.is_false() {
                // A limit that is reached here does not take the verdict back.
                vacuous = self.is_vacuous(&space, reached.as_ref(), &mut feasible, &findings).unwrap_or(false);
                if vacuous {
                    findings.warnings.push(self.about_all(
                        Kind::Vacuous,
                        "there is no computation: no fair infinite one, and no finite one that ends in a final state",
                        &self.model.justice,
                    ));
                }
            }
            open[place] = false;
            self.tell(place, (verdict, vacuous || space.init.is_false()), before, &specs[place], told);
        }
        findings.diagram_nodes = self.bdds.collect().max(self.bdds.peak());
        Ok((findings, left_over))
    }

    fn tell(
        &self,
        place: usize,
        (verdict, vacuous): (Verdict, bool),
        before: u64,
        spec: &Spec,
        told: &mut dyn FnMut(News<'_>),
    ) {
        let rounds = self.budget.stop_handle().explored().saturating_sub(before);
        let vacuous = vacuous && verdict == Verdict::Holds;
        let (diagram_nodes, warnings) = (self.bdds.stored(), spec.warnings.clone());
        told(News::Answer(place, Answer { verdict, vacuous, rounds, diagram_nodes, warnings }));
    }

    /// A warning about the whole model, at its first such clause if there is one.
    fn about_all(&self, kind: Kind, message: &str, clauses: &[Clause]) -> Diagnostic {
        let warning = Diagnostic::new(kind, message);
        match clauses.first() {
            Some(clause) => warning.at(Place::in_text(&self.model.source, clause.span)),
            None => warning,
        }
    }

    /// Whether no initial state begins a computation. Only asked where that can be.
    fn is_vacuous(
        &self,
        space: &Space<'_>,
        reached: Option<&Reached>,
        feasible: &mut Option<Bdd>,
        findings: &Findings,
    ) -> Result<bool, OverBudget> {
        let no_fairness = self.model.justice.is_empty() && self.model.compassion.is_empty();
        let Some(reached) = reached else { return Ok(false) };
        if no_fairness && findings.deadlock.is_none() && findings.states.is_some() && self.model.finals.is_empty() {
            return Ok(false);
        }
        let feasible = match feasible {
            Some(known) => known,
            None => feasible.insert(space.feasible(&reached.all)?),
        };
        Ok(self.bdds.and(feasible, &space.init)?.is_false())
    }

    /// Explores all states, and decides the invariants on the way.
    fn invariants(
        &mut self,
        space: &Space<'_>,
        specs: &[Spec],
        open: &mut [bool],
        told: &mut dyn FnMut(News<'_>),
    ) -> Result<Reached, Error> {
        let mut bad: Vec<(usize, Bdd)> = Vec::new();
        for (place, spec) in specs.iter().enumerate() {
            if let (true, Demand::Invariant(expr)) = (open[place], &spec.demand) {
                let truth = self.encoder.truth(*expr).map_err(Error::OverBudget)?;
                bad.push((place, self.bdds.not(&truth.yes).map_err(Error::OverBudget)?));
            }
        }
        let before = self.budget.stop_handle().explored();
        // What is broken is told at once: a limit that comes later takes nothing back.
        let mut failure = None;
        let explored = space.forwards_with(&space.init, None, &mut |reached| {
            let mut still = Vec::with_capacity(bad.len());
            for (place, bad) in bad.drain(..) {
                let here = self.bdds.and(reached.last(), &bad)?;
                if here.is_false() {
                    still.push((place, bad));
                    continue;
                }
                let path = space.path(reached, &here)?;
                let trail = self.trail(space, &path, None)?;
                if let Err(defect) = replay::invariant(self.model, &specs[place], &trail, self.budget) {
                    failure = Some(defect);
                    return Ok(true);
                }
                open[place] = false;
                self.tell(place, (Verdict::Violated(Evidence::Path(trail)), false), before, &specs[place], told);
            }
            bad = still;
            Ok(false)
        });
        if let Some(failure) = failure {
            return Err(failure);
        }
        let reached = explored.map_err(Error::OverBudget)?;
        for (place, _) in bad {
            open[place] = false;
            self.tell(place, (Verdict::Holds, space.init.is_false()), before, &specs[place], told);
        }
        Ok(reached)
    }

    /// Counts, and looks for states that have no next one.
    fn describe(&self, space: &Space<'_>, reached: &Reached, findings: &mut Findings) -> Result<(), OverBudget> {
        let free = self.layout.bits - u32::try_from(space.bits.len()).unwrap_or(self.layout.bits);
        findings.states = Some(self.bdds.count(&reached.all, free));
        findings.depth = reached.depth();
        let stuck = self.bdds.minus(&space.stuck(&reached.all)?, &space.finals)?;
        if stuck.is_false() {
            return Ok(());
        }
        let path = space.path(reached, &stuck)?;
        findings.deadlock = Some(self.trail(space, &path, None)?);
        findings.warnings.push(
            self.about_all(Kind::Deadlock, "some reachable states have no next state", &self.model.trans)
                .label("a computation that gets there is none, unless it ends in a FINAL state")
                .help(
                    "where the model should stop, say so with FINAL; where it should go on, every state needs a step",
                ),
        );
        Ok(())
    }

    fn linear(
        &mut self,
        place: usize,
        linear: &Linear,
        reached: Option<&Reached>,
        spec: &Spec,
    ) -> Result<Verdict, Error> {
        // What is true of every reachable state is true of every computation, and nobody has to look for one. (The other way round a state
        // that breaks it counts only if a computation passes.)
        if let (Some(reached), Some(guard), false) = (reached, linear.formula.invariant(), linear.inputs) {
            let holds = self.guard(&guard, &linear.atoms).map_err(Error::OverBudget)?;
            if self.bdds.is_subset(&reached.all, &holds).map_err(Error::OverBudget)? {
                return Ok(Verdict::Holds);
            }
        }
        let found = self.search(place, linear).map_err(Error::OverBudget)?;
        Ok(match found {
            None => Verdict::Holds,
            Some(trail) => {
                replay::linear(self.model, spec, linear, &trail, self.budget)?;
                Verdict::Violated(Evidence::Computation(trail))
            }
        })
    }

    /// Where a boolean combination of atoms is true.
    fn guard(&mut self, guard: &Guard<AtomId>, atoms: &[ExprId]) -> Result<Bdd, OverBudget> {
        let bdds = self.bdds;
        match guard {
            Guard::True => Ok(bdds.top()),
            Guard::False => Ok(bdds.bottom()),
            Guard::Atom(atom) => Ok(self.encoder.truth(atoms[atom.0 as usize])?.yes),
            Guard::Not(g) => bdds.not(&self.guard(g, atoms)?),
            Guard::And(gs) => gs.iter().try_fold(bdds.top(), |all, g| bdds.and(&all, &self.guard(g, atoms)?)),
            Guard::Or(gs) => gs.iter().try_fold(bdds.bottom(), |any, g| bdds.or(&any, &self.guard(g, atoms)?)),
            Guard::Implies(a, b) => bdds.implies(&self.guard(a, atoms)?, &self.guard(b, atoms)?),
            Guard::Iff(a, b) => bdds.iff(&self.guard(a, atoms)?, &self.guard(b, atoms)?),
        }
    }

    /// A computation that the tester says no to.
    fn search(&mut self, place: usize, linear: &Linear) -> Result<Option<Trail>, OverBudget> {
        let space = self.product(place, linear)?;
        let goal = (!space.finals.is_false()).then(|| space.finals.clone());
        let reached = space.explore(goal.as_ref())?;
        if !self.bdds.and(reached.last(), &space.finals)?.is_false() {
            let path = space.path(&reached, &space.finals)?;
            return self.trail(&space, &path, None).map(Some);
        }
        let fair = space.fair(&reached.all)?;
        if fair.is_false() {
            return Ok(None);
        }
        let path = space.path(&reached, &fair)?;
        let lasso = space.lasso(path, &fair)?.expect("a state of the fixpoint leads to a fair cycle");
        self.trail(&space, &lasso.states, Some(lasso.cycle)).map(Some)
    }

    fn branching(
        &mut self,
        space: &Space<'_>,
        reached: &Reached,
        feasible: &mut Option<Bdd>,
        spec: &Spec,
    ) -> Result<Verdict, Error> {
        let feasible = match feasible {
            Some(known) => known,
            None => feasible.insert(space.feasible(&reached.all).map_err(Error::OverBudget)?),
        };
        let Demand::Ctl(formula) = &spec.demand else { return Ok(Verdict::Holds) };
        let mut over = None;
        let formula = formula.map_atoms(&mut |&atom: &ExprId| match self.encoder.truth(atom) {
            Ok(truth) => truth.yes,
            Err(e) => {
                over.get_or_insert(e);
                self.bdds.bottom()
            }
        });
        if let Some(over) = over {
            return Err(Error::OverBudget(over));
        }
        let branching = Branching { space, all: &reached.all, feasible };
        let find = || -> Result<Option<Trail>, OverBudget> {
            let holds = branching.states(&formula)?;
            let begin = self.bdds.and(&space.init, feasible)?;
            let Some(state) = space.one(&self.bdds.minus(&begin, &holds)?)? else { return Ok(None) };
            let shown = branching.show(&formula, false, &state)?;
            self.trail(space, &shown.states, shown.cycle).map(Some)
        };
        Ok(match find().map_err(Error::OverBudget)? {
            None => Verdict::Holds,
            Some(trail) => {
                replay::path(self.model, spec, &trail, self.budget)?;
                Verdict::Violated(Evidence::Path(trail))
            }
        })
    }
}

/// All clauses of the model as diagrams. Mistakes that show only in values are found here, all of them.
fn assertions(model: &Fds, bdds: &Bdds, layout: &Layout, encoder: &mut Encoder<'_>) -> Result<Assertions, Error> {
    let vars = || (0..model.vars.len()).filter_map(VarId::new);
    let slot_bits = |var: VarId, next: bool| -> BTreeSet<Bit> { bits(&layout.vars[var.index()], next).collect() };
    let mut mistakes = Vec::new();
    let mut over = None;
    let mut encode = |encoder: &mut Encoder<'_>, clause: &Clause, where_: &Bdd| -> Bdd {
        encoder.clause(clause, where_).unwrap_or_else(|error| {
            match error.into_diagnostics() {
                Ok(found) => mistakes.extend(found),
                Err(limit) => {
                    over.get_or_insert(limit);
                }
            }
            bdds.top()
        })
    };
    let fail = Error::OverBudget;
    let (mut states, mut inputs_now, mut states_next) = (bdds.top(), bdds.top(), bdds.top());
    let (mut conjuncts, mut inputs_next) = (Vec::new(), Vec::new());
    for var in vars() {
        let now = encoder.domain(var, false).map_err(fail)?;
        match model.var(var).role {
            Role::Input => {
                inputs_now = bdds.and(&inputs_now, &now).map_err(fail)?;
                let next = encoder.domain(var, true).map_err(fail)?;
                conjuncts.push(Conjunct { holds: now, bits: slot_bits(var, false), validity: false });
                inputs_next.push(Conjunct { holds: next, bits: slot_bits(var, true), validity: true });
            }
            Role::State => {
                states = bdds.and(&states, &now).map_err(fail)?;
                let next = encoder.domain(var, true).map_err(fail)?;
                states_next = bdds.and(&states_next, &next).map_err(fail)?;
                conjuncts.push(Conjunct { holds: next, bits: slot_bits(var, true), validity: true });
            }
            Role::Frozen => states = bdds.and(&states, &now).map_err(fail)?,
        }
    }
    let clause_bits = |clause: &Clause| -> BTreeSet<Bit> {
        let (now, next) = model.exprs.vars(clause.expr);
        now.iter().flat_map(|&v| slot_bits(v, false)).chain(next.iter().flat_map(|&v| slot_bits(v, true))).collect()
    };
    let pairs: Vec<(Bit, Bit)> = vars()
        .filter(|&v| model.var(v).role == Role::State)
        .flat_map(|v| bits(&layout.vars[v.index()], false).zip(bits(&layout.vars[v.index()], true)))
        .collect();
    let prime = bdds.renaming(&pairs).map_err(fail)?;
    let domains = states.clone();
    for clause in &model.invar {
        let holds = encode(encoder, clause, &domains);
        states = bdds.and(&states, &holds).map_err(fail)?;
        let later = bdds.rename(&holds, &prime).map_err(fail)?;
        let (now, _) = model.exprs.vars(clause.expr);
        let next = |v: &VarId| slot_bits(*v, model.var(*v).role != Role::Frozen);
        conjuncts.push(Conjunct { holds: later, bits: now.iter().flat_map(next).collect(), validity: true });
    }
    let mut init = states.clone();
    for clause in &model.init {
        let holds = encode(encoder, clause, &states);
        init = bdds.and(&init, &holds).map_err(fail)?;
    }
    let steps = bdds.and(&states, &bdds.and(&inputs_now, &states_next).map_err(fail)?).map_err(fail)?;
    for clause in &model.trans {
        let holds = encode(encoder, clause, &steps);
        conjuncts.push(Conjunct { holds, bits: clause_bits(clause), validity: false });
    }
    let justice = model.justice.iter().map(|clause| encode(encoder, clause, &states)).collect();
    let compassion =
        model.compassion.iter().map(|(p, q)| (encode(encoder, p, &states), encode(encoder, q, &states))).collect();
    let mut finals = None;
    for clause in &model.finals {
        let holds = encode(encoder, clause, &states);
        finals = Some(match finals {
            None => holds,
            Some(all) => bdds.and(&all, &holds).map_err(fail)?,
        });
    }
    if !mistakes.is_empty() {
        return Err(Error::Invalid(mistakes));
    }
    if let Some(over) = over {
        return Err(Error::OverBudget(over));
    }
    Ok(Assertions { init, conjuncts, inputs_next, inputs_now, justice, compassion, finals })
}
