//! What a model means, by definition: expressions on explicit states, and whether states one after the other are a computation.
//!
//! This is what a counterexample is replayed with; it knows no engine.

use super::expr::{Expr, ExprId, Op};
use super::{Clause, Fds, Role, Trail, Value};
use posetta_base::{Budget, OverBudget, VarId};

const WHAT: &str = "replaying a counterexample on the model";

/// The values that an expression can have on two states: one, unless it is a set; none where it has no value.
type Values = Vec<Value>;

/// Why a trail is not what it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misstep {
    /// The first state is not initial.
    Initial,
    /// A state lacks a value, or has one outside its domain, or breaks an invariant.
    State(usize),
    /// The step from this state on is none.
    Step(usize),
    /// The cycle is not fair.
    Unfair,
    /// The last state is not final.
    NotFinal,
}

impl Fds {
    /// The values of an expression where `now` and `next` are the states; none where it has no value.
    #[must_use]
    pub fn values(&self, root: ExprId, now: &[Value], next: Option<&[Value]>) -> Vec<Value> {
        // Values of all parts, smaller ids first, so that shared parts are worked off once. Parts behind a condition that is false may have
        // no value; whoever joins them looks at the condition first.
        let parts = self.exprs.below(&[root]);
        let mut known: rustc_hash::FxHashMap<ExprId, Values> = rustc_hash::FxHashMap::default();
        for id in parts {
            let values = self.part(id, now, next, &known);
            known.insert(id, values);
        }
        known.remove(&root).unwrap_or_default()
    }

    fn part(
        &self,
        id: ExprId,
        now: &[Value],
        next: Option<&[Value]>,
        known: &rustc_hash::FxHashMap<ExprId, Values>,
    ) -> Values {
        let one = |id: &ExprId| match known[id].as_slice() {
            [value] => Some(value.clone()),
            _ => None,
        };
        let truth = |id: &ExprId| one(id).and_then(|v| v.as_int()).map(|i| i != 0);
        let number = |id: &ExprId| one(id).and_then(|v| v.as_int());
        let bool = |b: Option<bool>| b.map(Value::Bool).into_iter().collect::<Values>();
        match self.exprs.get(id) {
            Expr::Const(value) => vec![value.clone()],
            Expr::Var { var, next: false } => now.get(var.index()).cloned().into_iter().collect(),
            Expr::Var { var, next: true } => next.and_then(|s| s.get(var.index())).cloned().into_iter().collect(),
            Expr::Not(a) => bool(truth(a).map(|b| !b)),
            Expr::Neg(a) => number(a).and_then(i64::checked_neg).map(Value::Int).into_iter().collect(),
            Expr::Case(arms) => {
                for (condition, value) in arms {
                    match truth(condition) {
                        Some(true) => return known[value].clone(),
                        Some(false) => {}
                        None => return Vec::new(),
                    }
                }
                Vec::new()
            }
            Expr::Set(parts) => {
                let mut values = Vec::new();
                for part in parts {
                    // A part without a value leaves the whole without one.
                    if known[part].is_empty() {
                        return Vec::new();
                    }
                    values.extend(known[part].iter().cloned());
                }
                values
            }
            Expr::Count(parts) => {
                let count: Option<i64> = parts.iter().map(|p| truth(p).map(i64::from)).sum();
                count.map(Value::Int).into_iter().collect()
            }
            Expr::Binary(op, a, b) => match op {
                Op::And => bool(match truth(a) {
                    Some(false) => Some(false),
                    Some(true) => truth(b),
                    None => None,
                }),
                Op::Or => bool(match truth(a) {
                    Some(true) => Some(true),
                    Some(false) => truth(b),
                    None => None,
                }),
                Op::Implies => bool(match truth(a) {
                    Some(false) => Some(true),
                    Some(true) => truth(b),
                    None => None,
                }),
                Op::Iff => bool(truth(a).zip(truth(b)).map(|(a, b)| a == b)),
                Op::Xor => bool(truth(a).zip(truth(b)).map(|(a, b)| a != b)),
                Op::Eq => bool(one(a).zip(one(b)).map(|(a, b)| a.same(&b))),
                Op::Ne => bool(one(a).zip(one(b)).map(|(a, b)| !a.same(&b))),
                Op::Lt => bool(number(a).zip(number(b)).map(|(a, b)| a < b)),
                Op::Le => bool(number(a).zip(number(b)).map(|(a, b)| a <= b)),
                Op::Gt => bool(number(a).zip(number(b)).map(|(a, b)| a > b)),
                Op::Ge => bool(number(a).zip(number(b)).map(|(a, b)| a >= b)),
                Op::In => match (one(a), &known[b]) {
                    (Some(a), values) if !values.is_empty() => bool(Some(values.iter().any(|v| a.same(v)))),
                    _ => Vec::new(),
                },
                Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Mod => number(a)
                    .zip(number(b))
                    .and_then(|(a, b)| match op {
                        Op::Add => a.checked_add(b),
                        Op::Sub => a.checked_sub(b),
                        Op::Mul => a.checked_mul(b),
                        Op::Div => a.checked_div(b),
                        _ => a.checked_rem(b),
                    })
                    .map(Value::Int)
                    .into_iter()
                    .collect(),
            },
        }
    }

    /// Whether a truth value is true on two states. Without a value it is not.
    #[must_use]
    pub fn is_true(&self, expr: ExprId, now: &[Value], next: Option<&[Value]>) -> bool {
        matches!(self.values(expr, now, next).as_slice(), [value] if value.as_int().is_some_and(|i| i != 0))
    }

    fn all_true(&self, clauses: &[Clause], now: &[Value], next: Option<&[Value]>) -> bool {
        clauses.iter().all(|clause| self.is_true(clause.expr, now, next))
    }

    /// Whether this is a path of states from an initial one; whether a computation, nobody has asked.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn misstep(&self, trail: &Trail, budget: &Budget) -> Result<Option<Misstep>, OverBudget> {
        let Some(first) = trail.states.first() else { return Ok(Some(Misstep::Initial)) };
        if !self.all_true(&self.init, first, None) {
            return Ok(Some(Misstep::Initial));
        }
        for (i, state) in trail.states.iter().enumerate() {
            budget.step(1, WHAT)?;
            let valued =
                state.len() == self.vars.len() && self.vars.iter().zip(state).all(|(v, x)| v.domain.contains(x));
            if !valued || !self.all_true(&self.invar, state, None) {
                return Ok(Some(Misstep::State(i)));
            }
            let next = trail.states.get(i + 1).or_else(|| trail.cycle.and_then(|c| trail.states.get(c)));
            let Some(next) = next else { break };
            let frozen = (0..state.len()).all(|v| self.vars[v].role != Role::Frozen || state[v] == next[v]);
            if !frozen || !self.all_true(&self.trans, state, Some(next)) {
                return Ok(Some(Misstep::Step(i)));
            }
        }
        Ok(None)
    }

    /// Whether this is a computation: a path from an initial state whose cycle is fair, or whose last state is final.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn not_a_computation(&self, trail: &Trail, budget: &Budget) -> Result<Option<Misstep>, OverBudget> {
        if let Some(misstep) = self.misstep(trail, budget)? {
            return Ok(Some(misstep));
        }
        let Some(cycle) = trail.cycle else {
            let last = trail.states.last().map_or(&[][..], Vec::as_slice);
            let ends = !self.finals.is_empty() && self.all_true(&self.finals, last, None);
            return Ok((!ends).then_some(Misstep::NotFinal));
        };
        let round = &trail.states[cycle.min(trail.states.len())..];
        let met = |clause: &Clause| round.iter().any(|state| self.is_true(clause.expr, state, None));
        let fair = self.justice.iter().all(met) && self.compassion.iter().all(|(p, q)| !met(p) || met(q));
        Ok((!fair).then_some(Misstep::Unfair))
    }

    /// Whether a variable belongs to steps, not to states.
    #[must_use]
    pub fn is_input(&self, var: VarId) -> bool {
        self.var(var).role == Role::Input
    }
}
