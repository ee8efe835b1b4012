//! Expressions on states that are numbers: what `posetta_model::fds` says they mean, made quick.
//!
//! A value is a number; symbols are numbers that no arithmetic reaches. Results are kept as long as what they were made of stays the same: those
//! of the state until there is another one, those of a step until another value is tried.

use rustc_hash::FxHashMap;

use posetta_model::fds::{Domain, Expr, ExprId, Fds, Op, Value};

/// Larger numbers are left to diagrams, and symbols lie below.
pub(super) const LARGEST: i64 = 1 << 61;

/// Deeper expressions are left to diagrams: this recurses.
const DEEPEST: u32 = 4_000;

/// A model's values as numbers.
pub(super) struct Numbers {
    symbols: FxHashMap<std::sync::Arc<str>, i64>,
}

impl Numbers {
    /// `None` if some number is too large, or an expression too deep.
    pub(super) fn new(model: &Fds) -> Option<Self> {
        let mut symbols = FxHashMap::default();
        let mut fits = true;
        let mut see = |value: &Value| match value {
            Value::Symbol(name) => {
                let next = i64::MIN + symbols.len() as i64;
                symbols.entry(name.clone()).or_insert(next);
            }
            other => fits &= other.as_int().is_some_and(|i| i.abs() < LARGEST),
        };
        for variable in &model.vars {
            match &variable.domain {
                Domain::Bool => {}
                Domain::Range(lo, hi) => [lo, hi].into_iter().for_each(|&i| see(&Value::Int(i))),
                Domain::Choice(values) => values.iter().for_each(&mut see),
            }
        }
        let mut depths: Vec<u32> = Vec::with_capacity(model.exprs.len());
        for expr in model.exprs.all() {
            let below = |ids: &[ExprId]| ids.iter().map(|id| depths[id.index()]).max().unwrap_or(0);
            depths.push(
                1 + match expr {
                    Expr::Const(value) => {
                        see(value);
                        0
                    }
                    Expr::Var { .. } => 0,
                    Expr::Not(a) | Expr::Neg(a) => below(&[*a]),
                    Expr::Binary(_, a, b) => below(&[*a, *b]),
                    Expr::Case(arms) => arms.iter().map(|&(c, a)| below(&[c, a])).max().unwrap_or(0),
                    Expr::Set(parts) | Expr::Count(parts) => below(parts),
                },
            );
        }
        let shallow = depths.iter().all(|&depth| depth <= DEEPEST);
        (fits && shallow).then_some(Self { symbols })
    }

    pub(super) fn of(&self, value: &Value) -> i64 {
        match value {
            Value::Symbol(name) => self.symbols.get(name).copied().unwrap_or(i64::MIN),
            other => other.as_int().unwrap_or(0),
        }
    }
}

/// Where the values of variables are read.
#[derive(Clone, Copy)]
pub(super) struct Env<'v> {
    /// By variable.
    pub(super) now: &'v [i64],
    pub(super) next: &'v [i64],
}

/// What has been worked out.
pub(super) struct Memo<'m> {
    model: &'m Fds,
    constants: Vec<i64>,
    /// By expression: whether it reads an input or the next state.
    moving: Vec<bool>,
    known: Vec<(u64, Option<i64>)>,
    /// The times of the state and of the step.
    state: u64,
    step: u64,
    /// Expressions that were worked out.
    pub(super) looks: u64,
    /// A number became too large: what came out is not to be used.
    pub(super) outgrown: bool,
}

impl<'m> Memo<'m> {
    pub(super) fn new(model: &'m Fds, numbers: &Numbers) -> Self {
        let (mut constants, mut moving) = (Vec::new(), Vec::<bool>::new());
        for expr in model.exprs.all() {
            constants.push(if let Expr::Const(value) = expr { numbers.of(value) } else { 0 });
            let any = |ids: &[ExprId]| ids.iter().any(|id| moving[id.index()]);
            moving.push(match expr {
                Expr::Const(_) => false,
                Expr::Var { var, next } => *next || model.is_input(*var),
                Expr::Not(a) | Expr::Neg(a) => any(&[*a]),
                Expr::Binary(_, a, b) => any(&[*a, *b]),
                Expr::Case(arms) => arms.iter().any(|&(c, a)| any(&[c, a])),
                Expr::Set(parts) | Expr::Count(parts) => any(parts),
            });
        }
        let known = vec![(0, None); constants.len()];
        Self { model, constants, moving, known, state: 1, step: 2, looks: 0, outgrown: false }
    }

    /// Other values of everything.
    pub(super) fn other_state(&mut self) {
        self.state = self.step + 1;
        self.step = self.state + 1;
    }

    /// Another value of an input or of the next state.
    pub(super) fn other_step(&mut self) {
        self.step += 1;
    }

    /// The value of an expression that is no set; `None` where it has none.
    pub(super) fn value(&mut self, id: ExprId, env: Env<'_>) -> Option<i64> {
        let model = self.model;
        match model.exprs.get(id) {
            Expr::Const(_) => return Some(self.constants[id.index()]),
            Expr::Var { var, next } => return Some(if *next { env.next } else { env.now }[var.index()]),
            _ => {}
        }
        let moving = self.moving[id.index()];
        let time = if moving { self.step } else { self.state };
        let (at, known) = self.known[id.index()];
        // Times of steps are later than that of their state.
        if at == time {
            return known;
        }
        self.looks += 1;
        let value = self.worked_out(id, env);
        self.known[id.index()] = (time, value);
        value
    }

    fn truth(&mut self, id: ExprId, env: Env<'_>) -> Option<bool> {
        self.value(id, env).filter(|&i| i > -LARGEST).map(|i| i != 0)
    }

    /// Whether it has a value that is true.
    pub(super) fn is_true(&mut self, id: ExprId, env: Env<'_>) -> bool {
        self.truth(id, env) == Some(true)
    }

    fn worked_out(&mut self, id: ExprId, env: Env<'_>) -> Option<i64> {
        let model = self.model;
        match model.exprs.get(id) {
            Expr::Const(_) | Expr::Var { .. } => None,
            Expr::Not(a) => self.truth(*a, env).map(|b| i64::from(!b)),
            Expr::Neg(a) => self.value(*a, env).filter(|&i| i > -LARGEST).map(|i| -i),
            Expr::Case(arms) => {
                for &(condition, value) in arms {
                    if self.truth(condition, env)? {
                        return self.value(value, env);
                    }
                }
                None
            }
            Expr::Set(parts) => match parts[..] {
                [one] => self.value(one, env),
                _ => None,
            },
            Expr::Count(parts) => {
                let mut count = 0;
                for &part in parts {
                    count += i64::from(self.truth(part, env)?);
                }
                Some(count)
            }
            Expr::Binary(op, a, b) => self.binary(*op, *a, *b, env),
        }
    }

    fn binary(&mut self, op: Op, a: ExprId, b: ExprId, env: Env<'_>) -> Option<i64> {
        let truth = |b: bool| Some(i64::from(b));
        match op {
            Op::And | Op::Or | Op::Implies => {
                let first = self.truth(a, env)?;
                let decided = first == (op == Op::Or);
                if decided {
                    return truth(op != Op::And);
                }
                let second = self.truth(b, env)?;
                truth(second)
            }
            Op::In => {
                let element = self.value(a, env)?;
                let mut found = false;
                let whole = self.members(b, env, &mut |value| found |= value == element);
                if whole { truth(found) } else { None }
            }
            _ => {
                let (x, y) = (self.value(a, env)?, self.value(b, env)?);
                let number = x > -LARGEST && y > -LARGEST;
                match op {
                    Op::Eq => truth(x == y),
                    Op::Ne => truth(x != y),
                    _ if !number => None,
                    Op::Iff => truth((x != 0) == (y != 0)),
                    Op::Xor => truth((x != 0) != (y != 0)),
                    Op::Lt => truth(x < y),
                    Op::Le => truth(x <= y),
                    Op::Gt => truth(x > y),
                    Op::Ge => truth(x >= y),
                    Op::Div => x.checked_div(y),
                    Op::Mod => x.checked_rem(y),
                    _ => {
                        let sum = match op {
                            Op::Add => x.checked_add(y),
                            Op::Sub => x.checked_sub(y),
                            _ => x.checked_mul(y),
                        };
                        let fits = sum.filter(|&i| -LARGEST < i && i < LARGEST);
                        self.outgrown |= fits.is_none();
                        fits
                    }
                }
            }
        }
    }

    /// Tells each value that a set can have; false if it has none somewhere.
    pub(super) fn members(&mut self, set: ExprId, env: Env<'_>, tell: &mut dyn FnMut(i64)) -> bool {
        let model = self.model;
        match model.exprs.get(set) {
            Expr::Set(parts) => parts.iter().all(|&part| self.members(part, env, tell)),
            Expr::Case(arms) => {
                for &(condition, arm) in arms {
                    match self.truth(condition, env) {
                        Some(true) => return self.members(arm, env, tell),
                        Some(false) => {}
                        None => return false,
                    }
                }
                false
            }
            _ => match self.value(set, env) {
                Some(value) => {
                    tell(value);
                    true
                }
                None => false,
            },
        }
    }
}

/// The values of a variable, by their codes: as [`super::super::layout`] numbers them.
pub(super) struct Coding {
    pub(super) lo: i64,
    pub(super) size: u64,
    /// The values one by one, unless they are the numbers from `lo` on.
    listed: Option<Vec<i64>>,
}

impl Coding {
    pub(super) fn new(domain: &Domain, numbers: &Numbers) -> Self {
        let size = u64::try_from(domain.size()).unwrap_or(u64::MAX);
        match domain {
            Domain::Bool => Self { lo: 0, size, listed: None },
            Domain::Range(lo, _) => Self { lo: *lo, size, listed: None },
            Domain::Choice(values) => {
                Self { lo: 0, size, listed: Some(values.iter().map(|v| numbers.of(v)).collect()) }
            }
        }
    }

    pub(super) fn code(&self, value: i64) -> Option<u64> {
        match &self.listed {
            None => u64::try_from(value.checked_sub(self.lo)?).ok().filter(|&code| code < self.size),
            Some(values) => values.iter().position(|&v| v == value).map(|i| i as u64),
        }
    }

    pub(super) fn value(&self, code: u64) -> i64 {
        match &self.listed {
            None => self.lo.wrapping_add(code.cast_signed()),
            Some(values) => values[code as usize],
        }
    }
}
