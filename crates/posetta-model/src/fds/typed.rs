//! Makes expressions that have a meaning: every operator gets operands that it can work on, and constants are worked out.
//!
//! Each function takes operands with their places, for the mistake; it adds one expression and returns it.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::types::{Type, interval};
use super::{Expr, ExprId, Exprs, Op, Role, Value, Variable};
use crate::problem::Problems;
use posetta_base::{Kind, Span, Spanned, VarId};

/// Results of arithmetic stay between the negative of this and this.
pub(crate) const LARGEST: i128 = 1 << 62;

/// Expressions and their operands, all together.
pub(crate) const MOST_WORK: u64 = 1 << 24;

pub(crate) type Made<T = ExprId> = Result<T, Box<Spanned>>;

/// An operand and where it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At {
    pub(crate) id: ExprId,
    pub(crate) span: Span,
}

/// An arena with the types of its expressions.
#[derive(Debug)]
pub(crate) struct Typed {
    pub(crate) exprs: Exprs,
    pub(crate) vars: Vec<Variable>,
    /// Found when they are asked for.
    types: Vec<Option<Box<Type>>>,
    moved: FxHashMap<ExprId, ExprId>,
    /// How much may still be done.
    left: u64,
    pub(crate) warnings: Problems,
}

impl Typed {
    pub(crate) fn new(exprs: Exprs, vars: Vec<Variable>) -> Self {
        let types = vec![None; exprs.len()];
        Self { exprs, vars, types, moved: FxHashMap::default(), left: MOST_WORK, warnings: Problems::default() }
    }

    /// Takes some of the work that may be done.
    pub(crate) fn spend(&mut self, work: usize, span: Span) -> Made<()> {
        if let Some(left) = self.left.checked_sub(work as u64) {
            self.left = left;
            return Ok(());
        }
        self.left = 0;
        Err(Spanned::new(Kind::TooLarge, span, "the model unfolds into too much")
            .label(format!("here it has more than {MOST_WORK} parts"))
            .help("use fewer instances or smaller arrays"))
    }

    /// Whether all work is done that may be done.
    pub(crate) fn is_spent(&self) -> bool {
        self.left == 0
    }

    pub(crate) fn add(&mut self, expr: Expr, span: Span) -> Made {
        let mut parts = 1;
        expr.for_each_operand(|_| parts += 1);
        self.spend(parts, span)?;
        let id = self.exprs.add(expr, span);
        if id.index() == self.types.len() {
            self.types.push(None);
        }
        Ok(id)
    }

    pub(crate) fn constant(&mut self, value: Value, span: Span) -> Made {
        self.add(Expr::Const(value), span)
    }

    /// `FALSE`, which stands for what has a mistake, even if no work is left.
    pub(crate) fn never(&mut self, span: Span) -> ExprId {
        let id = self.exprs.add(Expr::Const(Value::Bool(false)), span);
        self.types.resize(self.exprs.len(), None);
        id
    }

    pub(crate) fn symbol(&mut self, name: &str, span: Span) -> Made {
        self.constant(Value::Symbol(Arc::from(name)), span)
    }

    pub(crate) fn var(&mut self, var: VarId, next: bool, span: Span) -> Made {
        self.add(Expr::Var { var, next }, span)
    }

    /// The constant, if it is one.
    pub(crate) fn value(&self, id: ExprId) -> Option<&Value> {
        match self.exprs.get(id) {
            Expr::Const(value) => Some(value),
            _ => None,
        }
    }

    fn truth_of(&self, id: ExprId) -> Option<bool> {
        match self.value(id) {
            Some(Value::Bool(b)) => Some(*b),
            _ => None,
        }
    }

    pub(crate) fn ty(&mut self, id: ExprId) -> &Type {
        if self.types[id.index()].is_none() {
            let mut known = true;
            self.exprs.get(id).for_each_operand(|o| known &= self.types[o.index()].is_some());
            if known {
                self.types[id.index()] = Some(Box::new(self.compute(id)));
            } else {
                for below in self.exprs.below(&[id]) {
                    if self.types[below.index()].is_none() {
                        self.types[below.index()] = Some(Box::new(self.compute(below)));
                    }
                }
            }
        }
        self.types[id.index()].as_deref().expect("it was found just now")
    }

    fn known(&self, id: ExprId) -> &Type {
        self.types[id.index()].as_deref().expect("operands are looked at first")
    }

    fn compute(&self, id: ExprId) -> Type {
        let expr = self.exprs.get(id);
        let mut found = match expr {
            Expr::Const(value) => return Type::of_value(value),
            Expr::Var { var, next } => {
                let of_variable = Type::of_variable(&self.vars[var.index()]);
                return Type { next: *next, ..of_variable };
            }
            Expr::Neg(a) => {
                let (lo, hi) = self.known(*a).as_numbers().unwrap_or((0, 0));
                Type::number(-hi, -lo)
            }
            Expr::Binary(op @ (Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Mod), a, b) => {
                let [a, b] = [a, b].map(|o| self.known(*o).as_numbers().unwrap_or((0, 0)));
                let (lo, hi) = interval(*op, a, b);
                let mut found = Type::number(lo, hi);
                found.partial = matches!(op, Op::Div | Op::Mod) && b.0 <= 0 && 0 <= b.1;
                found
            }
            Expr::Not(_) | Expr::Binary(..) => Type::truth(),
            Expr::Case(arms) => {
                let mut found = Type::default();
                for (_, value) in arms {
                    found.join(self.known(*value));
                }
                found.partial |= arms.last().is_none_or(|(c, _)| self.truth_of(*c) != Some(true));
                found
            }
            Expr::Set(parts) => {
                let mut found = Type::default();
                for part in parts {
                    found.join(self.known(*part));
                }
                Type { set: true, ..found }
            }
            Expr::Count(parts) => Type::number(0, parts.len() as i128),
        };
        expr.for_each_operand(|o| found.contain(self.known(o)));
        found
    }

    /// Refuses a set.
    pub(crate) fn single(&mut self, a: At) -> Made<()> {
        if !self.ty(a.id).set {
            return Ok(());
        }
        Err(Spanned::new(Kind::Type, a.span, "a set cannot stand here")
            .label("expected one value")
            .help("sets stand on the right of `in` and in assignments: write `x in {a, b}`"))
    }

    /// Refuses all but truth values; the constants 0 and 1 become such, and what chooses among them by `case`.
    pub(crate) fn truth(&mut self, a: At) -> Made<At> {
        self.single(a)?;
        if let Some(&Value::Int(bit @ (0 | 1))) = self.value(a.id) {
            return Ok(At { id: self.constant(Value::Bool(bit == 1), a.span)?, ..a });
        }
        let ty = self.ty(a.id);
        if ty.is_truth() {
            return Ok(a);
        }
        let bit = ty.as_numbers().is_some_and(|(lo, hi)| 0 <= lo && hi <= 1);
        if bit && matches!(self.exprs.get(a.id), Expr::Case(_)) {
            let one = At { id: self.constant(Value::Int(1), a.span)?, ..a };
            return Ok(At { id: self.binary(Op::Eq, a, one, a.span)?, ..a });
        }
        let ty = self.ty(a.id);
        let problem = Spanned::new(Kind::Type, a.span, "a truth value is needed here").label(ty.describe());
        Err(if ty.as_numbers().is_some() {
            problem.help("compare it, as in `x != 0`")
        } else {
            problem.help("compare it with `=` or `!=`")
        })
    }

    fn number(&mut self, a: At, why: &str) -> Made<(i128, i128)> {
        self.single(a)?;
        let ty = self.ty(a.id);
        ty.as_numbers().ok_or_else(|| {
            Spanned::new(Kind::Type, a.span, why).label(ty.describe()).help("compare it with `=` or `!=`")
        })
    }

    pub(crate) fn not(&mut self, a: At, span: Span) -> Made {
        let a = self.truth(a)?;
        match self.truth_of(a.id) {
            Some(b) => self.constant(Value::Bool(!b), span),
            None => self.add(Expr::Not(a.id), span),
        }
    }

    fn within(&self, (lo, hi): (i128, i128), span: Span) -> Made<()> {
        if -LARGEST <= lo && hi <= LARGEST {
            return Ok(());
        }
        let far = if hi > LARGEST { hi } else { lo };
        Err(Spanned::new(Kind::TooLarge, span, "numbers past 2^62 cannot be calculated with")
            .label(format!("this can be {far}"))
            .help("give the variables smaller ranges"))
    }

    pub(crate) fn neg(&mut self, a: At, span: Span) -> Made {
        let (lo, hi) = self.number(a, "there is no arithmetic on symbols")?;
        if let Some(i) = self.value(a.id).and_then(Value::as_int).and_then(i64::checked_neg) {
            return self.constant(Value::Int(i), span);
        }
        self.within((-hi, -lo), span)?;
        self.add(Expr::Neg(a.id), span)
    }

    pub(crate) fn binary(&mut self, op: Op, a: At, b: At, span: Span) -> Made {
        match op {
            Op::And | Op::Or | Op::Implies | Op::Iff | Op::Xor => {
                let a = self.truth(a)?;
                let b = self.truth(b)?;
                self.connective(op, a, b, span)
            }
            Op::Eq | Op::Ne => {
                self.single(a)?;
                self.single(b)?;
                self.compare(op, a, b, span)
            }
            Op::Lt | Op::Le | Op::Gt | Op::Ge => {
                self.number(a, "symbols have no order")?;
                self.number(b, "symbols have no order")?;
                self.compare(op, a, b, span)
            }
            Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Mod => self.arithmetic(op, a, b, span),
            Op::In => self.member(a, b, span),
        }
    }

    fn connective(&mut self, op: Op, a: At, b: At, span: Span) -> Made {
        let (left, right) = (self.truth_of(a.id), self.truth_of(b.id));
        let total = !self.ty(a.id).partial;
        let folded = match (op, left, right) {
            (Op::And, Some(false), _) | (Op::Or, Some(true), _) | (Op::Implies, Some(false), _) => {
                Some(self.constant(Value::Bool(op != Op::And), span)?)
            }
            (Op::And | Op::Implies | Op::Iff, Some(true), _) | (Op::Or | Op::Xor, Some(false), _) => Some(b.id),
            (Op::And | Op::Iff, _, Some(true)) | (Op::Or | Op::Xor, _, Some(false)) => Some(a.id),
            (Op::And, _, Some(false)) if total => Some(b.id),
            (Op::Or | Op::Implies, _, Some(true)) if total => Some(b.id),
            _ => None,
        };
        match folded {
            Some(id) => Ok(id),
            None => self.add(Expr::Binary(op, a.id, b.id), span),
        }
    }

    fn compare(&mut self, op: Op, a: At, b: At, span: Span) -> Made {
        if let (Some(x), Some(y)) = (self.value(a.id), self.value(b.id)) {
            let (i, j) = (x.as_int().unwrap_or(0), y.as_int().unwrap_or(0));
            let holds = match op {
                Op::Eq => x.same(y),
                Op::Ne => !x.same(y),
                Op::Lt => i < j,
                Op::Le => i <= j,
                Op::Gt => i > j,
                _ => i >= j,
            };
            return self.constant(Value::Bool(holds), span);
        }
        if matches!(op, Op::Eq | Op::Ne) {
            self.warn_if_apart(op, a, b, span);
        }
        self.add(Expr::Binary(op, a.id, b.id), span)
    }

    /// Tells of two values that are never the same.
    fn warn_if_apart(&mut self, op: Op, a: At, b: At, span: Span) {
        let (left, right) = (self.ty(a.id).clone(), self.ty(b.id).clone());
        if left.meets(&right) {
            return;
        }
        let message = if op == Op::Ne { "this is always true" } else { "this is always false" };
        // The side that is not the constant is what the other one should have known.
        let (known, wide) = if self.value(a.id).is_some() { (&left, &right) } else { (&right, &left) };
        let label = format!("{} on one side, {} on the other", said(wide), said(known));
        self.warnings.push(Spanned::new(Kind::Type, span, message).label(label));
    }

    /// `a in b`. Also what an assignment of b to a is written as.
    pub(crate) fn member(&mut self, a: At, b: At, span: Span) -> Made {
        self.single(a)?;
        if let Some(x) = self.value(a.id) {
            let parts = match self.exprs.get(b.id) {
                Expr::Set(parts) => parts.as_slice(),
                _ => &[b.id],
            };
            let values: Vec<Option<bool>> = parts.iter().map(|p| self.value(*p).map(|y| x.same(y))).collect();
            if values.iter().all(Option::is_some) {
                let found = values.contains(&Some(true));
                return self.constant(Value::Bool(found), span);
            }
        }
        self.warn_if_apart(Op::In, a, b, span);
        self.add(Expr::Binary(Op::In, a.id, b.id), span)
    }

    fn arithmetic(&mut self, op: Op, a: At, b: At, span: Span) -> Made {
        let why = "there is no arithmetic on symbols";
        let (x, y) = (self.number(a, why)?, self.number(b, why)?);
        self.within(interval(op, x, y), span)?;
        let values = self.value(a.id).and_then(Value::as_int).zip(self.value(b.id).and_then(Value::as_int));
        let folded = values.and_then(|(i, j)| match op {
            Op::Add => i.checked_add(j),
            Op::Sub => i.checked_sub(j),
            Op::Mul => i.checked_mul(j),
            Op::Div => i.checked_div(j),
            _ => i.checked_rem(j),
        });
        if let Some(i) = folded {
            return self.constant(Value::Int(i), span);
        }
        // One times a number is that number; one times a truth value makes a number of it.
        for (one, other) in [(a, b), (b, a)] {
            if op == Op::Mul && self.value(one.id) == Some(&Value::Int(1)) && !self.ty(other.id).truths {
                return Ok(other.id);
            }
        }
        self.add(Expr::Binary(op, a.id, b.id), span)
    }

    /// The value behind the first condition that is true.
    pub(crate) fn case(&mut self, arms: &[(At, At)], span: Span) -> Made {
        let mut kept = Vec::new();
        for &(condition, value) in arms {
            let condition = self.truth(condition)?;
            self.ty(value.id);
            match self.truth_of(condition.id) {
                Some(false) => {}
                Some(true) if kept.is_empty() => return Ok(value.id),
                truth => {
                    kept.push((condition.id, value.id));
                    if truth == Some(true) {
                        break;
                    }
                }
            }
        }
        if kept.is_empty() {
            // No condition is ever true: there is no value, and whoever needs one says so.
            if let Some(&(condition, value)) = arms.first() {
                kept.push((self.truth(condition)?.id, value.id));
            }
        }
        self.add(Expr::Case(kept), span)
    }

    /// Any of these; sets among them are taken apart.
    pub(crate) fn set(&mut self, parts: &[ExprId], span: Span) -> Made {
        let mut flat: Vec<ExprId> = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        for part in parts {
            self.ty(*part);
            match self.exprs.get(*part) {
                Expr::Set(inner) => flat.extend(inner.iter().filter(|&&p| seen.insert(p))),
                _ if seen.insert(*part) => flat.push(*part),
                _ => {}
            }
        }
        if let [one] = flat[..] { Ok(one) } else { self.add(Expr::Set(flat), span) }
    }

    pub(crate) fn count(&mut self, parts: &[At], span: Span) -> Made {
        let parts = parts.iter().map(|p| self.truth(*p)).collect::<Made<Vec<At>>>()?;
        let truths: Vec<Option<bool>> = parts.iter().map(|p| self.truth_of(p.id)).collect();
        if truths.iter().all(Option::is_some) {
            let count = truths.iter().filter(|t| **t == Some(true)).count();
            return self.constant(Value::Int(count as i64), span);
        }
        self.add(Expr::Count(parts.iter().map(|p| p.id).collect()), span)
    }

    /// The value in the next state.
    pub(crate) fn next(&mut self, a: At, span: Span) -> Made {
        self.single(a)?;
        let ty = self.ty(a.id);
        if ty.next {
            return Err(
                Spanned::new(Kind::Type, span, "`next` inside `next`").label("only one step can be looked ahead")
            );
        }
        if ty.input {
            return Err(Spanned::new(Kind::Type, a.span, "the next value of an input means nothing")
                .label("an input belongs to one step"));
        }
        if let Some(&known) = self.moved.get(&a.id) {
            return Ok(known);
        }
        let size = match self.exprs.get(a.id) {
            Expr::Var { .. } | Expr::Const(_) => 1,
            _ => self.exprs.below(&[a.id]).len(),
        };
        self.spend(size, span)?;
        let vars = &self.vars;
        let id = self.exprs.next(a.id, &|v| vars[v.index()].role == Role::Frozen);
        self.types.resize(self.exprs.len(), None);
        self.moved.insert(a.id, id);
        Ok(id)
    }
}

/// What a type says of one side.
fn said(ty: &Type) -> String {
    ty.describe().trim_start_matches("this is ").to_owned()
}
