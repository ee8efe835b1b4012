//! What expressions are worth in a moment, and in the one after it.
//!
//! `None` is "no value": a division by 0, a case none of whose conditions is true, an operand of the wrong kind, a number past 64 bits.

use posetta_model::fds::{Expr, ExprId, Exprs, Op, Value};

/// The values of the variables now and, where there is one, in the next state.
#[derive(Clone, Copy)]
struct Scene<'a> {
    exprs: &'a Exprs,
    now: &'a [Value],
    next: Option<&'a [Value]>,
}

/// The value of an expression.
///
/// # Panics
/// When it reads a next state that is not there.
#[must_use]
pub fn value(exprs: &Exprs, expr: ExprId, now: &[Value], next: Option<&[Value]>) -> Option<Value> {
    Scene { exprs, now, next }.value(expr)
}

/// The truth value of an expression.
#[must_use]
pub fn truth(exprs: &Exprs, expr: ExprId, now: &[Value], next: Option<&[Value]>) -> Option<bool> {
    Scene { exprs, now, next }.truth(expr)
}

/// The values that what stands on the right of `in` can have.
#[must_use]
pub fn choices(exprs: &Exprs, expr: ExprId, now: &[Value], next: Option<&[Value]>) -> Option<Vec<Value>> {
    Scene { exprs, now, next }.choices(expr)
}

/// "`TRUE` or `FALSE`. Where a number is needed they are 1 and 0."
fn number(value: &Value) -> Option<i64> {
    match value {
        Value::Bool(b) => Some(i64::from(*b)),
        Value::Int(i) => Some(*i),
        Value::Symbol(_) => None,
    }
}

/// "Truth values as numbers; a symbol differs from every number."
fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Symbol(a), Value::Symbol(b)) => a == b,
        _ => number(a).is_some() && number(a) == number(b),
    }
}

impl Scene<'_> {
    fn value(self, expr: ExprId) -> Option<Value> {
        match self.exprs.get(expr) {
            Expr::Const(value) => Some(value.clone()),
            Expr::Var { var, next: false } => Some(self.now[var.index()].clone()),
            Expr::Var { var, next: true } => {
                Some(self.next.expect("what reads the next state is asked of steps")[var.index()].clone())
            }
            Expr::Not(a) => Some(Value::Bool(!self.truth(*a)?)),
            Expr::Neg(a) => Some(Value::Int(self.number(*a)?.checked_neg()?)),
            Expr::Binary(op, a, b) => self.binary(*op, *a, *b),
            // "The value behind the first condition that is true; no value where none is."
            Expr::Case(arms) => self.value(self.arm(arms)?),
            Expr::Set(_) => None,
            Expr::Count(parts) => {
                let truths: Option<Vec<bool>> = parts.iter().map(|&p| self.truth(p)).collect();
                Some(Value::Int(truths?.into_iter().filter(|&t| t).count() as i64))
            }
        }
    }

    fn arm(self, arms: &[(ExprId, ExprId)]) -> Option<ExprId> {
        for &(condition, result) in arms {
            if self.truth(condition)? {
                return Some(result);
            }
        }
        None
    }

    fn truth(self, expr: ExprId) -> Option<bool> {
        match number(&self.value(expr)?)? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    fn number(self, expr: ExprId) -> Option<i64> {
        number(&self.value(expr)?)
    }

    /// "`{a, b}`: any of these; only on the right of `in`, also inside the branches of a case there."
    fn choices(self, expr: ExprId) -> Option<Vec<Value>> {
        match self.exprs.get(expr) {
            Expr::Set(parts) => {
                let parts: Option<Vec<Vec<Value>>> = parts.iter().map(|&p| self.choices(p)).collect();
                Some(parts?.concat())
            }
            Expr::Case(arms) => self.choices(self.arm(arms)?),
            _ => Some(vec![self.value(expr)?]),
        }
    }

    fn binary(self, op: Op, a: ExprId, b: ExprId) -> Option<Value> {
        let truth = match op {
            Op::And => self.truth(a)? && self.truth(b)?,
            Op::Or => self.truth(a)? || self.truth(b)?,
            Op::Implies => !self.truth(a)? || self.truth(b)?,
            Op::Iff => self.truth(a)? == self.truth(b)?,
            Op::Xor => self.truth(a)? != self.truth(b)?,
            Op::Eq => equal(&self.value(a)?, &self.value(b)?),
            Op::Ne => !equal(&self.value(a)?, &self.value(b)?),
            Op::In => {
                let (a, choices) = (self.value(a)?, self.choices(b)?);
                choices.iter().any(|c| equal(&a, c))
            }
            Op::Lt => self.number(a)? < self.number(b)?,
            Op::Le => self.number(a)? <= self.number(b)?,
            Op::Gt => self.number(a)? > self.number(b)?,
            Op::Ge => self.number(a)? >= self.number(b)?,
            Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Mod => {
                let (a, b) = (self.number(a)?, self.number(b)?);
                let result = match op {
                    Op::Add => a.checked_add(b),
                    Op::Sub => a.checked_sub(b),
                    Op::Mul => a.checked_mul(b),
                    // "Rounded towards zero. No value where b is 0."
                    Op::Div => a.checked_div(b),
                    // "What `a / b` leaves, with the sign of a."
                    _ => a.checked_rem(b),
                };
                return result.map(Value::Int);
            }
        };
        Some(Value::Bool(truth))
    }
}
