//! Random small models: at most a dozen states, every kind of expression, each with a value everywhere, and assignments that stay inside
//! their domains.
//!
//! Most variables are assigned, so that most models have computations; relations beside that make dead ends.

use std::sync::Arc;

use fastrand::Rng;
use posetta_base::{Span, VarId};
use posetta_logic::{Ctl, Ltl, Psl};
use posetta_model::fds::{Clause, Demand, Domain, Expr, ExprId, Fds, Op, Role, Spec, Value, Variable};

use super::{Tense, chance, ctl_over, ltl_over, pick, psl};
use crate::fds::tableau::guesses;
use crate::fds::{System, domain_values};
use crate::psl::Meaning;

/// What random models may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taste {
    /// The most states.
    pub states: usize,
    /// Finite computations.
    pub finals: bool,
    /// Compassion.
    pub compassion: bool,
    /// Inputs.
    pub inputs: bool,
    /// Truth values where numbers are wanted.
    pub loose_types: bool,
}

impl Taste {
    /// Everything.
    pub const ALL: Self = Self { states: 12, finals: true, compassion: true, inputs: true, loose_types: true };
}

/// A model, and what properties may say about it.
#[derive(Clone, Debug)]
pub struct Model {
    /// The model.
    pub fds: Fds,
    /// Truth values of states, at most three.
    pub of_states: Vec<ExprId>,
    /// Truth values of states and inputs, at most three.
    pub of_moments: Vec<ExprId>,
    /// Truth values of states that are true of many.
    pub weak: Vec<ExprId>,
}

/// A random model; most have a computation.
pub fn model(rng: &mut Rng, taste: Taste) -> Model {
    loop {
        let model = any_model(rng, taste);
        if chance(rng, 20) || System::of(&model.fds).by_moment.computation().is_some() {
            return model;
        }
    }
}

fn any_model(rng: &mut Rng, taste: Taste) -> Model {
    let mut maker = Maker { rng, taste, fds: Fds::default() };
    maker.variables();
    maker.assignments();
    maker.relations();
    maker.fairness();
    let count = 1 + maker.rng.usize(..3);
    let of_states: Vec<ExprId> = (0..count).map(|_| maker.boolean(Sight::STATE, 1)).collect();
    let mut of_moments = of_states.clone();
    if maker.fds.vars.iter().any(|v| v.role == Role::Input) && maker.rng.bool() {
        of_moments[0] = maker.boolean(Sight { inputs: true, ..Sight::STATE }, 1);
    }
    let weak = (0..2).map(|i| {
        let (a, b) = (maker.literal(Sight::STATE), of_states[i % count]);
        maker.binary(Op::Or, a, b)
    });
    let weak = weak.collect();
    Model { fds: maker.fds, of_states, of_moments, weak }
}

impl Model {
    /// A random formula of LTL with past, of which few parts are temporal.
    pub fn ltl(&self, rng: &mut Rng) -> Ltl<ExprId> {
        loop {
            let formula = ltl_over(rng, Tense::PastAndFuture, &|rng| *pick(rng, &self.of_moments));
            if guesses(&formula) <= 5 {
                return formula;
            }
        }
    }

    /// A random formula of PSL whose SEREs are small.
    pub fn psl(&self, rng: &mut Rng) -> Psl<ExprId> {
        loop {
            let size = rng.usize(..5);
            let formula = psl(rng, &self.of_moments, size);
            if Meaning::of(&formula, &mut |_| 0).states() <= 12 {
                return formula;
            }
        }
    }

    /// A random formula of CTL.
    pub fn ctl(&self, rng: &mut Rng) -> Ctl<ExprId> {
        ctl_over(rng, &|rng| *pick(rng, &self.of_states))
    }

    /// A random demand of any kind.
    pub fn demand(&self, rng: &mut Rng) -> Demand {
        match rng.u8(..10) {
            0..4 => Demand::Ltl(self.ltl(rng)),
            4..6 => Demand::Psl(self.psl(rng)),
            6..9 => Demand::Ctl(self.ctl(rng)),
            _ => Demand::Invariant(*pick(rng, &self.weak)),
        }
    }
}

/// Lets one process move at a time: most assignments to next states count only where some variable has a certain value, and elsewhere
/// their variable keeps its own.
pub fn interleave(rng: &mut Rng, fds: &mut Fds) {
    let movers: Vec<usize> = (0..fds.vars.len()).filter(|&v| fds.vars[v].role != Role::Frozen).collect();
    let Some(&who) = rng.choice(&movers) else { return };
    let values: Vec<Value> = domain_values(&fds.vars[who].domain);
    let exprs = &mut fds.exprs;
    let who = exprs.add(Expr::Var { var: VarId::new(who).expect("few variables"), next: false }, NOWHERE);
    let always = exprs.add(Expr::Const(Value::Bool(true)), NOWHERE);
    for clause in &mut fds.trans {
        let Expr::Binary(Op::In, target, value) = *exprs.get(clause.expr) else { continue };
        let Expr::Var { var, next: true } = *exprs.get(target) else { continue };
        if !clause.assigns || rng.u8(..4) == 0 {
            continue;
        }
        let turn = exprs.add(Expr::Const(pick(rng, &values).clone()), NOWHERE);
        let now = exprs.add(Expr::Binary(Op::Eq, who, turn), NOWHERE);
        let same = exprs.add(Expr::Var { var, next: false }, NOWHERE);
        let guarded = exprs.add(Expr::Case(vec![(now, value), (always, same)]), NOWHERE);
        clause.expr = exprs.add(Expr::Binary(Op::In, target, guarded), NOWHERE);
    }
}

/// Adds so many variables that nothing is said of: many states and steps, and diagrams that are as small as before.
pub fn widen(fds: &mut Fds, count: usize) {
    for _ in 0..count {
        let name = Arc::from(format!("w{}", fds.vars.len()));
        fds.vars.push(Variable { name, domain: Domain::Bool, role: Role::State, span: NOWHERE });
    }
}

/// A property that was written nowhere.
#[must_use]
pub fn spec(demand: Demand) -> Spec {
    Spec { name: None, demand, source: Arc::from(""), span: Span { start: 0, end: 0 }, warnings: Vec::new() }
}

const NOWHERE: Span = Span { start: 0, end: 0 };

/// What an expression may read.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Sight {
    /// Only variables before this one.
    before: usize,
    inputs: bool,
    /// State variables of the next state, too.
    next: bool,
}

impl Sight {
    const STATE: Self = Self { before: usize::MAX, inputs: false, next: false };
    const STEP: Self = Self { before: usize::MAX, inputs: true, next: true };
}

fn clause(expr: ExprId, assigns: bool) -> Clause {
    Clause { expr, span: NOWHERE, assigns }
}

struct Maker<'a> {
    rng: &'a mut Rng,
    taste: Taste,
    fds: Fds,
}

fn is_number(domain: &Domain) -> bool {
    matches!(domain, Domain::Range(..))
}

impl Maker<'_> {
    fn add(&mut self, expr: Expr) -> ExprId {
        self.fds.exprs.add(expr, NOWHERE)
    }

    fn binary(&mut self, op: Op, a: ExprId, b: ExprId) -> ExprId {
        self.add(Expr::Binary(op, a, b))
    }

    fn int(&mut self, value: i64) -> ExprId {
        self.add(Expr::Const(Value::Int(value)))
    }

    fn truth(&mut self, value: bool) -> ExprId {
        self.add(Expr::Const(Value::Bool(value)))
    }

    fn domain(&mut self) -> Domain {
        let symbols = |names: &[&str]| names.iter().map(|&n| Value::Symbol(Arc::from(n))).collect();
        match self.rng.u8(..12) {
            0..5 => Domain::Bool,
            5 | 6 => Domain::Range(0, 2),
            7 => Domain::Range(-1, 1),
            8 => Domain::Range(2, 3 + i64::from(self.rng.u8(..3))),
            9 => Domain::Choice(symbols(&["idle", "busy"])),
            10 => Domain::Choice(symbols(&["idle", "busy", "done"])),
            _ => Domain::Choice(vec![Value::Symbol(Arc::from("off")), Value::Int(1), Value::Int(4)]),
        }
    }

    fn variables(&mut self) {
        let count = 2 + self.rng.usize(..3);
        let (mut states, mut inputs) = (1, 1);
        for i in 0..count {
            let role = match self.rng.u8(..10) {
                0 if i > 0 && self.taste.inputs => Role::Input,
                1 => Role::Frozen,
                _ => Role::State,
            };
            let domain = self.domain();
            let size = domain_values(&domain).len();
            let (product, most) = if role == Role::Input { (&mut inputs, 3) } else { (&mut states, self.taste.states) };
            if *product * size <= most {
                *product *= size;
                let name = Arc::from(format!("v{}", self.fds.vars.len()));
                self.fds.vars.push(Variable { name, domain, role, span: NOWHERE });
            }
        }
        if !self.fds.vars.iter().any(|v| v.role == Role::State) {
            let name = Arc::from(format!("v{}", self.fds.vars.len()));
            self.fds.vars.push(Variable { name, domain: Domain::Bool, role: Role::State, span: NOWHERE });
        }
    }

    /// A variable that may be read and is of the right kind, as an expression.
    fn variable(&mut self, sight: Sight, wanted: impl Fn(&Domain) -> bool) -> Option<(ExprId, Domain)> {
        let vars = self.fds.vars.iter().enumerate().take(sight.before);
        let readable = vars.filter(|(_, v)| (sight.inputs || v.role != Role::Input) && wanted(&v.domain));
        let readable: Vec<usize> = readable.map(|(i, _)| i).collect();
        if readable.is_empty() {
            return None;
        }
        let place = *pick(self.rng, &readable);
        let Variable { domain, role, .. } = self.fds.vars[place].clone();
        let next = sight.next && role == Role::State && self.rng.bool();
        let var = VarId::new(place).expect("few variables");
        Some((self.add(Expr::Var { var, next }), domain))
    }

    fn constant(&mut self, domain: &Domain) -> ExprId {
        let value = pick(self.rng, &domain_values(domain)).clone();
        self.add(Expr::Const(value))
    }

    /// A number made of variables; nothing in it divides by 0.
    fn number(&mut self, sight: Sight, size: usize) -> ExprId {
        if size == 0 || chance(self.rng, 40) {
            let loose = self.taste.loose_types && chance(self.rng, 20);
            let wanted = |d: &Domain| is_number(d) || loose && *d == Domain::Bool;
            let variable = self.variable(sight, wanted).map(|(expr, _)| expr);
            let constant = self.rng.i64(-1..4);
            return variable.unwrap_or_else(|| self.int(constant));
        }
        let a = self.number(sight, size - 1);
        match self.rng.u8(..8) {
            0 => self.add(Expr::Neg(a)),
            1 => {
                let b = *pick(self.rng, &[-2, 2, 3]);
                let b = self.int(b);
                let op = *pick(self.rng, &[Op::Div, Op::Mod]);
                self.binary(op, a, b)
            }
            2 => {
                let parts = (0..2 + self.rng.usize(..2)).map(|_| self.boolean(sight, 0)).collect();
                self.add(Expr::Count(parts))
            }
            _ => {
                let b = self.number(sight, size - 1);
                let op = *pick(self.rng, &[Op::Add, Op::Sub, Op::Mul]);
                self.binary(op, a, b)
            }
        }
    }

    fn literal(&mut self, sight: Sight) -> ExprId {
        let Some((expr, domain)) = self.variable(sight, |_| true) else {
            let value = self.rng.bool();
            return self.truth(value);
        };
        match &domain {
            Domain::Bool if chance(self.rng, 60) => expr,
            Domain::Bool => self.add(Expr::Not(expr)),
            _ if chance(self.rng, 25) => {
                let parts = (0..1 + self.rng.usize(..2)).map(|_| self.constant(&domain)).collect();
                let set = self.add(Expr::Set(parts));
                self.binary(Op::In, expr, set)
            }
            _ => {
                let orders = is_number(&domain) && self.rng.bool();
                let op = *pick(
                    self.rng,
                    if orders { &[Op::Lt, Op::Le, Op::Gt, Op::Ge] } else { &[Op::Eq, Op::Eq, Op::Eq, Op::Ne] },
                );
                let other = if is_number(&domain) && chance(self.rng, 40) {
                    self.number(sight, 1)
                } else {
                    self.constant(&domain)
                };
                self.binary(op, expr, other)
            }
        }
    }

    /// A truth value.
    fn boolean(&mut self, sight: Sight, size: usize) -> ExprId {
        if size == 0 || chance(self.rng, 45) {
            return self.literal(sight);
        }
        let a = self.boolean(sight, size - 1);
        if chance(self.rng, 12) {
            return self.add(Expr::Not(a));
        }
        let b = self.boolean(sight, size - 1);
        match self.rng.u8(..12) {
            0 => {
                let otherwise = self.literal(sight);
                let always = self.truth(true);
                self.add(Expr::Case(vec![(a, b), (always, otherwise)]))
            }
            1 => {
                let (n, k) = (self.number(sight, 2), self.number(sight, 1));
                let op = *pick(self.rng, &[Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge]);
                self.binary(op, n, k)
            }
            2 => {
                let op = *pick(self.rng, &[Op::Iff, Op::Xor]);
                self.binary(op, a, b)
            }
            3..8 => self.binary(Op::And, a, b),
            8..11 => self.binary(Op::Or, a, b),
            _ => self.binary(Op::Implies, a, b),
        }
    }

    /// Values of a domain: one, several, or what another variable of that domain has.
    fn values(&mut self, domain: &Domain, sight: Sight) -> ExprId {
        match self.rng.u8(..10) {
            0..3 => {
                let parts = (0..2 + self.rng.usize(..2)).map(|_| self.constant(domain)).collect();
                self.add(Expr::Set(parts))
            }
            3..6 => match self.variable(sight, |d| d == domain) {
                Some((expr, _)) => expr,
                None => self.constant(domain),
            },
            6 | 7 if *domain == Domain::Bool => self.boolean(sight, 1),
            6 if is_number(domain) => self.stepped(domain, sight),
            _ => self.constant(domain),
        }
    }

    /// `x < hi ? x + 1 : lo` of a number x of that domain, or the same downwards.
    fn stepped(&mut self, domain: &Domain, sight: Sight) -> ExprId {
        let Domain::Range(lo, hi) = *domain else { return self.constant(domain) };
        let Some((x, _)) = self.variable(sight, |d| d == domain) else { return self.constant(domain) };
        let (op, end, by, back) = if self.rng.bool() { (Op::Lt, hi, Op::Add, lo) } else { (Op::Gt, lo, Op::Sub, hi) };
        let (end, one, back, always) = (self.int(end), self.int(1), self.int(back), self.truth(true));
        let (inside, moved) = (self.binary(op, x, end), self.binary(by, x, one));
        self.add(Expr::Case(vec![(inside, moved), (always, back)]))
    }

    /// A case over values of a domain.
    fn cases(&mut self, domain: &Domain, sight: Sight) -> ExprId {
        let mut arms = Vec::new();
        for _ in 0..self.rng.usize(..3) {
            let condition = self.boolean(Sight { next: false, ..sight }, 1);
            arms.push((condition, self.values(domain, sight)));
        }
        let rest = self.values(domain, sight);
        if arms.is_empty() {
            return rest;
        }
        arms.push((self.truth(true), rest));
        self.add(Expr::Case(arms))
    }

    fn assignments(&mut self) {
        for place in 0..self.fds.vars.len() {
            let Variable { domain, role, .. } = self.fds.vars[place].clone();
            let var = VarId::new(place).expect("few variables");
            if role != Role::Input && chance(self.rng, 60) {
                let x = self.add(Expr::Var { var, next: false });
                let sight = Sight { before: place, ..Sight::STATE };
                let value = self.values(&domain, sight);
                let expr = self.binary(Op::In, x, value);
                self.fds.init.push(clause(expr, true));
            }
            if role == Role::State && chance(self.rng, 85) {
                let x = self.add(Expr::Var { var, next: true });
                let sight = Sight { before: if chance(self.rng, 20) { place } else { usize::MAX }, ..Sight::STEP };
                // Only what was assigned before may be read in the next state: nothing depends on itself.
                let sight = Sight { next: sight.before == place, ..sight };
                let value = self.cases(&domain, sight);
                let expr = self.binary(Op::In, x, value);
                self.fds.trans.push(clause(expr, true));
            }
        }
    }

    fn relations(&mut self) {
        if chance(self.rng, 30) {
            let expr = self.boolean(Sight::STATE, 2);
            self.fds.init.push(clause(expr, false));
        }
        if chance(self.rng, 25) {
            let (a, b) = (self.boolean(Sight::STATE, 1), self.literal(Sight::STATE));
            let expr = self.binary(Op::Or, a, b);
            self.fds.invar.push(clause(expr, false));
        }
        for _ in 0..self.rng.usize(..3) / 2 + usize::from(chance(self.rng, 20)) {
            let (a, b) = (self.boolean(Sight::STEP, 1), self.literal(Sight::STEP));
            let expr = self.binary(Op::Or, a, b);
            self.fds.trans.push(clause(expr, false));
        }
    }

    fn fairness(&mut self) {
        for _ in 0..*pick(self.rng, &[0, 0, 1, 1, 2]) {
            let expr = self.boolean(Sight::STATE, 1);
            self.fds.justice.push(clause(expr, false));
        }
        if self.taste.compassion && chance(self.rng, 30) {
            let [p, q] = [(); 2].map(|()| self.boolean(Sight::STATE, 1));
            let pair = (clause(p, false), clause(q, false));
            self.fds.compassion.push(pair);
        }
        if self.taste.finals && chance(self.rng, 40) {
            for _ in 0..1 + self.rng.usize(..5) / 4 {
                let expr = self.boolean(Sight::STATE, 1);
                self.fds.finals.push(clause(expr, false));
            }
        }
    }
}
