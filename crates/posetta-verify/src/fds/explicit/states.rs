//! The states of a model one by one, packed, and the steps between them.

use std::ops::ControlFlow;
use std::rc::Rc;

use super::eval::{Coding, Env, Memo, Numbers};
use super::graph::Graph;
use super::plan::{self, Act, Asked};
use crate::fds::layout::{value, width};
use crate::fds::trail_bytes;
use posetta_base::{Budget, Claim, Limit, OverBudget, PackedSet, VarId};
use posetta_model::fds::{Clause, ExprId, Fds, Role, Trail, Value};

pub(super) const WHAT: &str = "exploring the states of a model one by one";

/// The effort of an expression that is worked out, of a value that is tried, of four fields that are packed, and of a state that is looked up, in units
/// of the budget; more where there are so many states that most of them are in no cache of the processor. Measured on lifts, arrays, rings and
/// shift registers: on lifts a whole search is counted about three times as high as the operations on diagrams that take the same time, with
/// many variables that are assigned by little it takes as long as it is counted.
const LOOK: u64 = 1;
const TRIED: u64 = 3;
const STATE: u64 = 8;
const FAR: u64 = 30;
const MANY: usize = 1 << 15;

fn lookup(states: usize, packing: &Packing) -> u64 {
    (if states < MANY { STATE } else { FAR }) + packing.fields.len() as u64 / 4
}

/// A state that has a next one is looked up, and so many variables get a value there.
pub(super) fn least_effort(vars: usize) -> u64 {
    STATE + TRIED * vars as u64
}

/// So many values are tried, or states looked up, between two looks at the budget.
const BETWEEN_LOOKS: u64 = 256;

/// Where a variable is in a row of bits.
#[derive(Clone, Copy)]
struct Field {
    var: usize,
    at: u32,
    width: u32,
}

/// How states are packed.
struct Packing {
    codings: Vec<Coding>,
    fields: Vec<Field>,
    words: usize,
}

impl Packing {
    fn pack(&self, values: &[i64], row: &mut Vec<u64>) {
        row.clear();
        row.resize(self.words, 0);
        for field in self.fields.iter().filter(|field| field.width > 0) {
            let code = self.codings[field.var].code(values[field.var]).unwrap_or(0);
            let (word, shift) = ((field.at / 64) as usize, field.at % 64);
            row[word] |= code << shift;
            if shift + field.width > 64 {
                row[word + 1] |= code >> (64 - shift);
            }
        }
    }
}

/// Finds states.
pub(super) struct Walker<'m> {
    pub(super) model: &'m Fds,
    packing: Rc<Packing>,
    first: Vec<Act>,
    step: Vec<Act>,
    memo: Memo<'m>,
    /// For what is asked of the next state alone.
    shifted: Memo<'m>,
    pub(super) now: Vec<i64>,
    next: Vec<i64>,
    tried: u64,
    /// Lists that nobody uses at the moment.
    spare: Vec<Vec<i64>>,
    budget: Budget,
}

/// What is done with each way: it sees the values of this state (with inputs) and of the next one.
type Tell<'t> = dyn FnMut(&[i64], &[i64]) -> Result<ControlFlow<()>, OverBudget> + 't;

impl<'m> Walker<'m> {
    /// `None` if the model is one for diagrams.
    pub(super) fn new(model: &'m Fds, budget: &Budget) -> Option<Self> {
        let numbers = Numbers::new(model)?;
        let codings: Vec<Coding> = model.vars.iter().map(|v| Coding::new(&v.domain, &numbers)).collect();
        let (mut fields, mut at) = (Vec::new(), 0);
        for (var, variable) in model.vars.iter().enumerate() {
            if variable.role != Role::Input {
                let width = width(&variable.domain);
                fields.push(Field { var, at, width });
                at += width;
            }
        }
        let values: Vec<i64> = codings.iter().map(|coding| coding.value(0)).collect();
        Some(Self {
            first: plan::of_first(model)?,
            step: plan::of_step(model)?,
            memo: Memo::new(model, &numbers),
            shifted: Memo::new(model, &numbers),
            now: values.clone(),
            next: values,
            model,
            packing: Rc::new(Packing { codings, fields, words: (at as usize).div_ceil(64).max(1) }),
            tried: 0,
            spare: Vec::new(),
            budget: budget.clone(),
        })
    }

    /// Takes over the values of a state.
    pub(super) fn unpack(&mut self, row: &[u64]) {
        let packing = Rc::clone(&self.packing);
        for field in &packing.fields {
            let (word, shift) = ((field.at / 64) as usize, field.at % 64);
            let code = if field.width == 0 {
                0
            } else {
                let mut code = row[word] >> shift;
                if shift + field.width > 64 {
                    code |= row[word + 1] << (64 - shift);
                }
                code & (u64::MAX >> (64 - field.width))
            };
            self.now[field.var] = packing.codings[field.var].value(code);
        }
        self.memo.other_state();
    }

    /// Counts what was done since the last time.
    pub(super) fn spend(&mut self, states: u64) -> Result<(), OverBudget> {
        if self.memo.outgrown || self.shifted.outgrown {
            return Err(OverBudget::new(WHAT, Limit::Digits));
        }
        let looks = std::mem::take(&mut self.memo.looks) + std::mem::take(&mut self.shifted.looks);
        let tried = std::mem::take(&mut self.tried);
        self.budget.effort(looks * LOOK + tried * TRIED + states * STATE, WHAT)
    }

    /// Counts now and then: one state may have very many next ones.
    fn look(&mut self) -> Result<(), OverBudget> {
        if self.tried >= BETWEEN_LOOKS { self.spend(0) } else { Ok(()) }
    }

    /// Whether an expression over states is true of the state at hand.
    pub(super) fn is_true(&mut self, expr: ExprId) -> bool {
        self.memo.is_true(expr, Env { now: &self.now, next: &self.next })
    }

    pub(super) fn all_true(&mut self, clauses: &[Clause]) -> bool {
        clauses.iter().all(|clause| self.is_true(clause.expr))
    }

    fn memo_of(&mut self, asked: Asked) -> (&mut Memo<'m>, Env<'_>) {
        if asked.shifted {
            (&mut self.shifted, Env { now: &self.next, next: &self.next })
        } else {
            (&mut self.memo, Env { now: &self.now, next: &self.next })
        }
    }

    /// Tells of each initial state.
    fn each_first(&mut self, tell: &mut Tell<'_>) -> Result<(), OverBudget> {
        self.memo.other_state();
        let plan = std::mem::take(&mut self.first);
        let done = self.follow(&plan, false, tell);
        self.first = plan;
        done.map(|_| ())
    }

    /// Tells of each step from the state at hand.
    pub(super) fn each_step(&mut self, tell: &mut Tell<'_>) -> Result<(), OverBudget> {
        for (var, variable) in self.model.vars.iter().enumerate() {
            if variable.role == Role::Frozen {
                self.next[var] = self.now[var];
            }
        }
        self.memo.other_step();
        self.shifted.other_state();
        let plan = std::mem::take(&mut self.step);
        let done = self.follow(&plan, true, tell);
        self.step = plan;
        done.map(|_| ())
    }

    fn set(&mut self, var: VarId, number: i64, step: bool) {
        self.tried += 1;
        let input = self.model.is_input(var);
        if step && !input {
            self.next[var.index()] = number;
            self.memo.other_step();
            self.shifted.other_state();
        } else {
            self.now[var.index()] = number;
            // Only inputs change while steps are looked for.
            if step { self.memo.other_step() } else { self.memo.other_state() }
        }
    }

    fn follow(&mut self, acts: &[Act], step: bool, tell: &mut Tell<'_>) -> Result<ControlFlow<()>, OverBudget> {
        let mut at = 0;
        while let Some(&Act::Check(asked)) = acts.get(at) {
            let (memo, env) = self.memo_of(asked);
            if !memo.is_true(asked.expr, env) {
                return Ok(ControlFlow::Continue(()));
            }
            at += 1;
        }
        let (var, rest) = match acts.get(at) {
            None => return tell(&self.now, &self.next),
            Some(&Act::Assign(var, asked)) => {
                let mut values = self.spare.pop().unwrap_or_default();
                let (memo, env) = self.memo_of(asked);
                if !memo.members(asked.expr, env, &mut |value| values.push(value)) {
                    values.clear();
                }
                values.sort_unstable();
                values.dedup();
                let mut flow = ControlFlow::Continue(());
                for &number in &values {
                    if self.packing.codings[var.index()].code(number).is_some() {
                        self.set(var, number, step);
                        self.look()?;
                        flow = self.follow(&acts[at + 1..], step, tell)?;
                        if flow.is_break() {
                            break;
                        }
                    }
                }
                values.clear();
                self.spare.push(values);
                return Ok(flow);
            }
            Some(&Act::Try(var)) => (var, &acts[at + 1..]),
            Some(Act::Check(_)) => return Ok(ControlFlow::Continue(())),
        };
        for code in 0..self.packing.codings[var.index()].size {
            let number = self.packing.codings[var.index()].value(code);
            self.set(var, number, step);
            self.look()?;
            if self.follow(rest, step, tell)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// The values at hand, of which some were found.
    fn decoded(&self, values: &[i64]) -> Vec<Value> {
        let decode = |(var, &number): (usize, &i64)| {
            value(&self.model.vars[var].domain, self.packing.codings[var].code(number).unwrap_or(0))
        };
        values.iter().enumerate().map(decode).collect()
    }
}

/// All states that can be reached, in the order of their distance, and the steps between them.
pub(super) struct States<'m> {
    pub(super) walker: Walker<'m>,
    rows: PackedSet<0>,
    pub(super) graph: Graph,
    /// How many are initial: the first ones.
    pub(super) initial: usize,
    /// By state: the one that it was reached from; an initial one from itself.
    came: Vec<u32>,
    /// The states whose steps are known: those before this one.
    pub(super) expanded: usize,
    /// How many steps the one that was met last takes, and the last one that takes fewer.
    pub(super) depth: u64,
    layer: usize,
    claim: Claim,
    budget: Budget,
}

impl<'m> States<'m> {
    pub(super) fn new(walker: Walker<'m>, budget: &Budget) -> Result<Self, OverBudget> {
        let rows = PackedSet::new(walker.packing.words);
        let claim = budget.claim(0, WHAT)?;
        let mut states = Self {
            walker,
            rows,
            graph: Graph::default(),
            initial: 0,
            came: Vec::new(),
            expanded: 0,
            depth: 0,
            layer: 0,
            claim,
            budget: budget.clone(),
        };
        states.begin()?;
        Ok(states)
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    fn make_room(rows: &PackedSet<0>, came: &Vec<u32>, graph: &Graph, claim: &mut Claim) -> Result<(), OverBudget> {
        if rows.is_full() {
            return Err(OverBudget::new(WHAT, Limit::Memory));
        }
        claim.grow_to(rows.bytes() + 12 * came.capacity().max(1024) as u64 + graph.bytes() + 4096, WHAT)
    }

    fn begin(&mut self) -> Result<(), OverBudget> {
        let Self { walker, rows, came, graph, claim, budget, .. } = self;
        let (mut row, mut looked) = (Vec::new(), 0);
        // What packs is apart from what walks.
        let packer = Rc::clone(&walker.packing);
        walker.each_first(&mut |now, _| {
            packer.pack(now, &mut row);
            let (id, new) = rows.insert(&row);
            looked += 1;
            if looked == BETWEEN_LOOKS {
                budget.effort(lookup(rows.len(), &packer) * std::mem::take(&mut looked), WHAT)?;
            }
            if new {
                came.push(id);
                budget.step(1, WHAT)?;
                if rows.len().is_multiple_of(rows.rows_between_looks()) {
                    Self::make_room(rows, came, graph, claim)?;
                }
            }
            Ok(ControlFlow::Continue(()))
        })?;
        budget.effort(lookup(rows.len(), &packer) * looked, WHAT)?;
        walker.spend(0)?;
        self.initial = rows.len();
        self.layer = rows.len();
        Self::make_room(&self.rows, &self.came, &self.graph, &mut self.claim)
    }

    /// Takes over the values of a state.
    pub(super) fn look_at(&mut self, node: u32) {
        self.walker.unpack(self.rows.row(node));
    }

    /// Finds the steps from the next state, which is looked at; `None` if all are known.
    pub(super) fn expand(&mut self) -> Result<Option<u32>, OverBudget> {
        let node = self.expanded;
        if node >= self.rows.len() {
            return Ok(None);
        }
        if node == self.layer {
            self.depth += 1;
            self.layer = self.rows.len();
        }
        self.look_at(node as u32);
        let Self { walker, rows, came, graph, claim, budget, .. } = self;
        let (mut row, mut looked) = (Vec::new(), 1);
        let packer = Rc::clone(&walker.packing);
        walker.each_step(&mut |_, next| {
            packer.pack(next, &mut row);
            let (id, new) = rows.insert(&row);
            looked += 1;
            if looked == BETWEEN_LOOKS {
                budget.effort(lookup(rows.len(), &packer) * std::mem::take(&mut looked), WHAT)?;
            }
            if new {
                came.push(node as u32);
                budget.step(1, WHAT)?;
                if rows.len().is_multiple_of(rows.rows_between_looks()) {
                    Self::make_room(rows, came, graph, claim)?;
                }
            }
            graph.push(id);
            if graph.is_crowded() {
                Self::make_room(rows, came, graph, claim)?;
            }
            Ok(ControlFlow::Continue(()))
        })?;
        budget.effort(lookup(rows.len(), &packer) * looked, WHAT)?;
        walker.spend(0)?;
        graph.close();
        if graph.is_crowded() {
            Self::make_room(rows, came, graph, claim)?;
        }
        self.expanded += 1;
        Ok(Some(node as u32))
    }

    /// A shortest path to a state.
    pub(super) fn path_to(&self, node: u32) -> Vec<u32> {
        let mut path = vec![node];
        while let Some(&last) = path.last()
            && self.came[last as usize] != last
        {
            path.push(self.came[last as usize]);
        }
        path.reverse();
        path
    }

    /// By state, whether an expression is true there.
    pub(super) fn truths(&mut self, expr: ExprId) -> Result<Vec<bool>, OverBudget> {
        let mut truths = Vec::with_capacity(self.len());
        for node in 0..self.len() as u32 {
            self.look_at(node);
            truths.push(self.walker.is_true(expr));
            self.walker.spend(1)?;
        }
        Ok(truths)
    }

    /// States as values. Inputs are chosen so that each step is one.
    pub(super) fn trail(&mut self, nodes: &[u32], cycle: Option<usize>) -> Result<Trail, OverBudget> {
        let _claim = self.budget.claim(trail_bytes(self.walker.model, nodes.len()), WHAT)?;
        let mut states = Vec::with_capacity(nodes.len());
        for (i, &node) in nodes.iter().enumerate() {
            self.look_at(node);
            let to = nodes.get(i + 1).or(cycle.map(|c| &nodes[c]));
            let mut values = self.walker.now.clone();
            if let Some(&to) = to {
                let (row, packer, mut next) = (self.rows.row(to), Rc::clone(&self.walker.packing), Vec::new());
                let mut found = None;
                self.walker.each_step(&mut |now, after| {
                    packer.pack(after, &mut next);
                    Ok(if next == row {
                        found = Some(now.to_vec());
                        ControlFlow::Break(())
                    } else {
                        ControlFlow::Continue(())
                    })
                })?;
                self.walker.spend(1)?;
                values = found.unwrap_or(values);
            }
            states.push(self.walker.decoded(&values));
        }
        self.budget.step(0, WHAT)?;
        Ok(Trail { states, cycle })
    }
}
