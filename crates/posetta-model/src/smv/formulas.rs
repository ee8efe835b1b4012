//! Operators of time: formulas of LTL and CTL over expressions.
//!
//! What has no operator of time in it is one atom, however large it is.

use super::evaluate::{Evaluator, Stop};
use super::scope::Thing;
use super::tree::{Temporal, Temporal2};
use crate::fds::typed::{At, Made};
use crate::fds::{ExprId, Op, Value};
use posetta_base::{Kind, Span, Spanned};
use posetta_logic::{Ctl, CtlBinary, Ltl, LtlBinary, LtlUnary};

/// Formulas are walked over by calls; deeper ones are refused.
const MAX_DEPTH: u32 = 500;

/// What LTL and CTL have in common here.
pub(super) trait Formula: Sized {
    fn truth(truth: bool) -> Self;
    fn atom(id: ExprId) -> Self;
    fn not(self) -> Self;
    fn and(parts: Vec<Self>) -> Self;
    fn or(parts: Vec<Self>) -> Self;
    fn implies(self, other: Self) -> Self;
    fn iff(self, other: Self) -> Self;
    /// The parts of a conjunction.
    fn conjuncts(self) -> Result<Vec<Self>, Self>;
    /// The parts of a disjunction.
    fn disjuncts(self) -> Result<Vec<Self>, Self>;
    fn thing(self, depth: u32) -> Thing;
    /// The formula and its depth, if it is one of this logic.
    fn of(thing: Thing) -> Result<(Self, u32), Thing>;
}

macro_rules! formula {
    ($logic:ident) => {
        impl Formula for $logic<ExprId> {
            fn truth(truth: bool) -> Self {
                if truth { Self::True } else { Self::False }
            }

            fn atom(id: ExprId) -> Self {
                Self::Atom(id)
            }

            fn not(self) -> Self {
                Self::Not(Box::new(self))
            }

            fn and(parts: Vec<Self>) -> Self {
                Self::And(parts)
            }

            fn or(parts: Vec<Self>) -> Self {
                Self::Or(parts)
            }

            fn implies(self, other: Self) -> Self {
                Self::Implies(Box::new(self), Box::new(other))
            }

            fn iff(self, other: Self) -> Self {
                Self::Iff(Box::new(self), Box::new(other))
            }

            fn conjuncts(self) -> Result<Vec<Self>, Self> {
                if let Self::And(parts) = self { Ok(parts) } else { Err(self) }
            }

            fn disjuncts(self) -> Result<Vec<Self>, Self> {
                if let Self::Or(parts) = self { Ok(parts) } else { Err(self) }
            }

            fn thing(self, depth: u32) -> Thing {
                Thing::$logic(Box::new(self), depth)
            }

            fn of(thing: Thing) -> Result<(Self, u32), Thing> {
                if let Thing::$logic(formula, depth) = thing { Ok((*formula, depth)) } else { Err(thing) }
            }
        }
    };
}

formula!(Ltl);
formula!(Ctl);

/// The formula as something that expressions are made of, unless it is too deep.
fn finish<F: Formula>(formula: F, depth: u32, span: Span) -> Made<Thing> {
    if depth <= MAX_DEPTH {
        return Ok(formula.thing(depth));
    }
    let message = format!("this formula is nested more than {MAX_DEPTH} levels deep");
    Err(Spanned::new(Kind::Nesting, span, message).help("split it into several properties"))
}

impl Evaluator<'_, '_> {
    /// Something that stands where a formula is needed.
    pub(super) fn formula<F: Formula>(&mut self, (thing, span): (Thing, Span)) -> Result<(F, u32), Stop> {
        match F::of(thing) {
            Ok(found) => Ok(found),
            Err(thing) => {
                let at = self.as_value(thing, span)?;
                Ok((self.atom(at)?, 1))
            }
        }
    }

    fn atom<F: Formula>(&mut self, at: At) -> Made<F> {
        let at = self.typed.truth(at)?;
        Ok(match self.typed.value(at.id) {
            Some(Value::Bool(b)) => F::truth(*b),
            _ => F::atom(at.id),
        })
    }

    pub(super) fn negated(&mut self, thing: Thing, span: Span) -> Made<Thing> {
        match thing {
            Thing::Ltl(f, depth) => finish(f.not(), depth + 1, span),
            Thing::Ctl(f, depth) => finish(f.not(), depth + 1, span),
            other => Ok(other),
        }
    }

    /// `f & g` and so on, at least one of them with an operator of time.
    pub(super) fn joined(
        &mut self,
        op: Op,
        left: (Thing, Span),
        right: (Thing, Span),
        span: Span,
    ) -> Result<Thing, Stop> {
        if matches!(left.0, Thing::Ctl(..)) || matches!(right.0, Thing::Ctl(..)) {
            self.connected::<Ctl<ExprId>>(op, left, right, span)
        } else {
            self.connected::<Ltl<ExprId>>(op, left, right, span)
        }
    }

    fn connected<F: Formula>(
        &mut self,
        op: Op,
        left: (Thing, Span),
        right: (Thing, Span),
        span: Span,
    ) -> Result<Thing, Stop> {
        let left = self.formula::<F>(left);
        let (g, deep) = self.formula::<F>(right)?;
        let (f, depth) = left?;
        let deeper = depth.max(deep) + 1;
        let (formula, depth) = match op {
            // A chain is one conjunction and does not get deeper.
            Op::And => match f.conjuncts() {
                Ok(mut parts) => {
                    parts.push(g);
                    (F::and(parts), depth.max(deep + 1))
                }
                Err(f) => (F::and(vec![f, g]), deeper),
            },
            Op::Or => match f.disjuncts() {
                Ok(mut parts) => {
                    parts.push(g);
                    (F::or(parts), depth.max(deep + 1))
                }
                Err(f) => (F::or(vec![f, g]), deeper),
            },
            Op::Implies => (f.implies(g), deeper),
            Op::Iff => (f.iff(g), deeper),
            _ => (f.iff(g).not(), deeper + 1),
        };
        Ok(finish(formula, depth, span)?)
    }

    pub(super) fn unary_formula(&mut self, op: Temporal, inner: (Thing, Span), span: Span) -> Result<Thing, Stop> {
        Ok(match op {
            Temporal::Ltl(op) => {
                let (f, depth) = self.formula::<Ltl<ExprId>>(inner)?;
                finish(Ltl::Unary(op, Box::new(f)), depth + 1, span)?
            }
            Temporal::WeakYesterday => {
                let (f, depth) = self.formula::<Ltl<ExprId>>(inner)?;
                finish(Ltl::Unary(LtlUnary::Yesterday, Box::new(f.not())).not(), depth + 3, span)?
            }
            Temporal::Ctl(path, op) => {
                let (f, depth) = self.formula::<Ctl<ExprId>>(inner)?;
                finish(Ctl::Unary(path, op, Box::new(f)), depth + 1, span)?
            }
        })
    }

    pub(super) fn binary_formula(
        &mut self,
        op: Temporal2,
        left: (Thing, Span),
        right: (Thing, Span),
        span: Span,
    ) -> Result<Thing, Stop> {
        if let Temporal2::Ctl(path) = op {
            let left = self.formula::<Ctl<ExprId>>(left);
            let (g, deep) = self.formula::<Ctl<ExprId>>(right)?;
            let (f, depth) = left?;
            let formula = Ctl::Binary(path, CtlBinary::Until, Box::new(f), Box::new(g));
            return Ok(finish(formula, depth.max(deep) + 1, span)?);
        }
        let left = self.formula::<Ltl<ExprId>>(left);
        let (g, deep) = self.formula::<Ltl<ExprId>>(right)?;
        let (f, depth) = left?;
        let depth = depth.max(deep) + 1;
        Ok(match op {
            Temporal2::Ltl(op) => finish(Ltl::Binary(op, Box::new(f), Box::new(g)), depth, span)?,
            _ => {
                let since = Ltl::Binary(LtlBinary::Since, Box::new(f.not()), Box::new(g.not()));
                finish(since.not(), depth + 2, span)?
            }
        })
    }
}
