//! A model in diagrams: what its clauses and its properties say, and the spaces in which properties are decided.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::encode::Encoder;
use super::events::{self, Event, Item, Selector};
use super::layout::{Layout, Slot};
use super::property::Linear;
use super::space::Space;
use super::steps::{Conjunct, Frame, Steps};
use super::tester::Spelling;
use super::{Options, trail_bytes};
use posetta_base::{Error, OverBudget, VarId};
use posetta_dd::bdd::{Bdd, Bdds, Bit};
use posetta_logic::{AtomId, Guard};
use posetta_model::fds::{Clause, ExprId, Fds, Role, Trail, Value};

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
    pub(super) model: &'m Fds,
    pub(super) bdds: Rc<Bdds>,
    layout: Rc<Layout>,
    encoder: Encoder<'m>,
    pub(super) options: Options,
    assertions: Assertions,
}

/// The bits of a slot.
fn bits(slot: &Slot, next: bool) -> impl Iterator<Item = Bit> + '_ {
    (if next { &slot.next } else { &slot.now }).iter().copied()
}

impl<'m> Engine<'m> {
    pub(super) fn new(model: &'m Fds, bdds: Bdds, layout: Rc<Layout>, options: Options) -> Result<Self, Error> {
        let bdds = Rc::new(bdds);
        bdds.keep_together(layout.blocks.clone());
        let mut encoder = Encoder::new(model, Rc::clone(&bdds), Rc::clone(&layout));
        let assertions = assertions(model, &bdds, &layout, &mut encoder)?;
        Ok(Self { model, bdds, layout, encoder, options, assertions })
    }

    fn vars(&self) -> impl Iterator<Item = (VarId, &Slot, Role)> {
        let (model, layout) = (self.model, &*self.layout);
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
        let frame = Frame { now, next, step, prime: self.bdds.renaming(&pairs), unprime: self.bdds.renaming(&back) };
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
        events::events(&self.bdds, conjuncts, &items, &selectors, frame, self.options.ring_nodes == 0)
    }

    /// The model alone.
    pub(super) fn plain(&self) -> Result<Space, OverBudget> {
        let (frame, bits) = self.frame(&[], false)?;
        let events = self.events(&self.assertions.conjuncts, &[], false, &frame)?;
        let steps = Steps::new(&self.bdds, self.assertions.conjuncts.clone(), &frame)?;
        Ok(Space {
            bdds: Rc::clone(&self.bdds),
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
    pub(super) fn product(&mut self, place: usize, linear: &Linear) -> Result<Space, OverBudget> {
        let layout = Rc::clone(&self.layout);
        let slots = &layout.testers[place];
        let tester = linear.tester.as_ref().expect("diagrams ask for all testers");
        let (frame, bits) = self.frame(slots, linear.inputs)?;
        let bdds = &*Rc::clone(&self.bdds);
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
        let mut spelling = Spelling::new(bdds, tester, &atoms, &atom_bits, slots, &frame);
        let all = |spelling: &mut Spelling<'_>, from: Bdd, part: fn(&posetta_compile::tester::Module) -> &Vec<_>| {
            tester.modules.iter().flat_map(part).try_fold(from, |all, &id| bdds.and(&all, &spelling.holds(id)?))
        };
        let mut init = bdds.minus(&self.assertions.init, &spelling.holds(tester.output)?)?;
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
        for module in &tester.modules {
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
            bdds: Rc::clone(&self.bdds),
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
    pub(super) fn trail(&self, space: &Space, states: &[Bdd], cycle: Option<usize>) -> Result<Trail, OverBudget> {
        let _claim = self.bdds.claim(trail_bytes(self.model, states.len()), "showing a path")?;
        let mut decoded: Vec<Vec<Value>> = Vec::with_capacity(states.len());
        for (i, state) in states.iter().enumerate() {
            let next = states.get(i + 1).or_else(|| cycle.map(|c| &states[c]));
            // With the inputs of the step that goes on from here, if there is one.
            let here = match next {
                Some(next) if !space.frame.step.is_empty() => {
                    space.steps.between(&self.bdds, &space.frame, state, next)?
                }
                _ => state.clone(),
            };
            let bits = self.bdds.pick(&here).unwrap_or_else(|| vec![false; self.layout.bits as usize]);
            decoded.push(self.vars().map(|(var, _, _)| self.encoder.decode(var, &bits)).collect());
        }
        Ok(Trail { states: decoded, cycle })
    }

    /// Where an expression is true.
    pub(super) fn truth(&mut self, expr: ExprId) -> Result<Bdd, OverBudget> {
        Ok(self.encoder.truth(expr)?.yes)
    }

    /// Where a boolean combination of atoms is true.
    pub(super) fn guard(&mut self, guard: &Guard<AtomId>, atoms: &[ExprId]) -> Result<Bdd, OverBudget> {
        let bdds = &*Rc::clone(&self.bdds);
        match guard {
            Guard::True => Ok(bdds.top()),
            Guard::False => Ok(bdds.bottom()),
            Guard::Atom(atom) => Ok(self.encoder.truth(atoms[atom.0 as usize])?.yes),
            Guard::Not(g) => Ok(bdds.not(&self.guard(g, atoms)?)),
            Guard::And(gs) => gs.iter().try_fold(bdds.top(), |all, g| bdds.and(&all, &self.guard(g, atoms)?)),
            Guard::Or(gs) => gs.iter().try_fold(bdds.bottom(), |any, g| bdds.or(&any, &self.guard(g, atoms)?)),
            Guard::Implies(a, b) => bdds.implies(&self.guard(a, atoms)?, &self.guard(b, atoms)?),
            Guard::Iff(a, b) => bdds.iff(&self.guard(a, atoms)?, &self.guard(b, atoms)?),
        }
    }

    /// How many bits there are that a state of the space does not have.
    pub(super) fn free_bits(&self, space: &Space) -> u32 {
        self.layout.bits - u32::try_from(space.bits.len()).unwrap_or(self.layout.bits)
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
    let prime = bdds.renaming(&pairs);
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
