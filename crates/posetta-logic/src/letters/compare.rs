//! Comparisons in a form in which equal ones are equal, and conditions over them.
//!
//! `2*x >= 4`, `x >= 2` and `!(x < 2)` become one [`Comparison`] with a sign. What is not linear stays as it is written:
//! [`Comparison::Other`], about which nothing is known.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::linear::{Form, Relation, too_large};
use crate::eval::{Notes, Values, condition_in};
use crate::{Arith, Compare, Condition, Slot, Term};
use posetta_base::{Number, OverBudget, Value};

/// What is compared. A negated one is true where this is false.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Comparison {
    /// `form` is 0, below 0, or at most 0, the first factor being 1; false if one of the variables in `bare`, which
    /// stand alone on a side of `==`, is a string.
    Linear { form: Form, relation: Order, bare: Vec<usize> },
    /// Two variables are equal.
    Same(usize, usize),
    /// A variable is this string.
    Text(usize, String),
    /// A product or a quotient of variables, as written.
    Other(Compare, Term<Slot>, Term<Slot>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Order {
    Equal,
    Below,
    AtMost,
}

impl Comparison {
    /// Its variables.
    pub(super) fn variables(&self) -> Vec<usize> {
        match self {
            Self::Linear { form, .. } => form.parts.iter().map(|p| p.0).collect(),
            Self::Same(a, b) => vec![*a, *b],
            Self::Text(a, _) => vec![*a],
            Self::Other(_, a, b) => {
                let mut all = BTreeSet::new();
                a.for_each_var(&mut |slot| {
                    all.insert(slot.0 as usize);
                });
                b.for_each_var(&mut |slot| {
                    all.insert(slot.0 as usize);
                });
                all.into_iter().collect()
            }
        }
    }

    /// Whether a state satisfies it.
    pub(super) fn holds(&self, state: &impl Values) -> Result<bool, OverBudget> {
        let value = |variable: usize| state.value(Slot(variable as u32));
        Ok(match self {
            Self::Linear { bare, .. } if bare.iter().any(|&v| value(v).is_text()) => false,
            Self::Linear { form, relation, .. } => {
                let mut sum = form.constant.clone();
                for (variable, factor) in &form.parts {
                    let number = value(*variable).number().unwrap_or(&Number::ZERO);
                    sum = factor.mul(number).and_then(|part| sum.add(&part)).map_err(too_large)?;
                }
                match relation {
                    Order::Equal => sum == Number::ZERO,
                    Order::Below => sum < Number::ZERO,
                    Order::AtMost => sum <= Number::ZERO,
                }
            }
            Self::Same(a, b) => value(*a) == value(*b),
            Self::Text(a, text) => matches!(value(*a), Value::Text(t) if t == text),
            Self::Other(op, a, b) => {
                let comparison = Condition::Compare(*op, a.clone(), b.clone());
                condition_in(&comparison, state, &mut Notes::default())?
            }
        })
    }

    /// The same about other variables. Not for [`Comparison::Other`], of which nothing is asked.
    pub(super) fn rename(&self, name: &dyn Fn(usize) -> usize) -> Self {
        match self {
            Self::Linear { form, relation, bare } => {
                let mut parts: Vec<(usize, Number)> = form.parts.iter().map(|(v, c)| (name(*v), c.clone())).collect();
                parts.sort_by_key(|p| p.0);
                let form = Form { parts, constant: form.constant.clone() };
                Self::Linear { form, relation: *relation, bare: bare.iter().map(|&v| name(v)).collect() }
            }
            Self::Same(a, b) => Self::Same(name(*a), name(*b)),
            Self::Text(a, text) => Self::Text(name(*a), text.clone()),
            Self::Other(..) => self.clone(),
        }
    }
}

/// A condition over numbered comparisons.
#[derive(Clone, Debug)]
pub(super) enum Test {
    Constant(bool),
    /// The comparison, or its negation.
    Is(usize, bool),
    Not(Box<Test>),
    All(Vec<Test>),
    Any(Vec<Test>),
    Agree(Box<Test>, Box<Test>),
}

impl Test {
    /// Its truth where the truth of each comparison is given.
    pub(super) fn at(&self, truth: &[bool]) -> bool {
        match self {
            Self::Constant(value) => *value,
            Self::Is(i, positive) => truth[*i] == *positive,
            Self::Not(t) => !t.at(truth),
            Self::All(ts) => ts.iter().all(|t| t.at(truth)),
            Self::Any(ts) => ts.iter().any(|t| t.at(truth)),
            Self::Agree(a, b) => a.at(truth) == b.at(truth),
        }
    }
}

/// A term: linear, without a value anywhere, or beyond us.
enum Worth {
    Linear(Form),
    Undefined,
    /// Whether it has a value everywhere.
    Other(bool),
}

/// The comparisons met so far.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) comparisons: Vec<Comparison>,
    places: FxHashMap<Comparison, usize>,
}

impl Table {
    /// Takes a condition apart.
    pub(super) fn test(&mut self, condition: &Condition<Slot>) -> Result<Test, OverBudget> {
        Ok(match condition {
            Condition::True => Test::Constant(true),
            Condition::False => Test::Constant(false),
            Condition::Compare(op, a, b) => self.compare(*op, a, b)?,
            Condition::Nonzero(t) => self.compare(Compare::Ne, t, &Term::Number(Number::ZERO))?,
            Condition::Not(c) => Test::Not(Box::new(self.test(c)?)),
            Condition::And(cs) => Test::All(cs.iter().map(|c| self.test(c)).collect::<Result<_, _>>()?),
            Condition::Or(cs) => Test::Any(cs.iter().map(|c| self.test(c)).collect::<Result<_, _>>()?),
            Condition::Implies(a, b) => Test::Any(vec![Test::Not(Box::new(self.test(a)?)), self.test(b)?]),
            Condition::Iff(a, b) => Test::Agree(Box::new(self.test(a)?), Box::new(self.test(b)?)),
        })
    }

    fn add(&mut self, comparison: Comparison, positive: bool) -> Test {
        let next = self.comparisons.len();
        let place = *self.places.entry(comparison).or_insert_with_key(|comparison| {
            self.comparisons.push(comparison.clone());
            next
        });
        Test::Is(place, positive)
    }

    fn compare(&mut self, op: Compare, a: &Term<Slot>, b: &Term<Slot>) -> Result<Test, OverBudget> {
        match (a, b) {
            (Term::Text(a, _), Term::Text(b, _)) => {
                return Ok(Test::Constant(match op {
                    Compare::Eq => a == b,
                    Compare::Ne => a != b,
                    _ => false,
                }));
            }
            (Term::Text(text, _), other) | (other, Term::Text(text, _)) => return self.with_text(op, text, other),
            (Term::Var(a), Term::Var(b)) if !op.is_order() => {
                let positive = op == Compare::Eq;
                let (a, b) = (a.0.min(b.0) as usize, a.0.max(b.0) as usize);
                return Ok(if a == b { Test::Constant(positive) } else { self.add(Comparison::Same(a, b), positive) });
            }
            _ => {}
        }
        let (left, right) = (worth(a)?, worth(b)?);
        let difference = match (left, right) {
            // Without a value on one side the comparison is false, whatever it is.
            (Worth::Undefined, _) | (_, Worth::Undefined) => return Ok(Test::Constant(false)),
            (Worth::Linear(left), Worth::Linear(right)) => {
                right.scale(&Number::from(-1)).and_then(|r| left.add(&r)).map_err(too_large)?
            }
            (left, right) => {
                let total = |w: &Worth| !matches!(w, Worth::Other(false));
                let (op, positive) = match op {
                    // Where both sides have a value, these are negations of others.
                    Compare::Ne if total(&left) && total(&right) => (Compare::Eq, false),
                    Compare::Ge if total(&left) && total(&right) => (Compare::Lt, false),
                    Compare::Gt if total(&left) && total(&right) => (Compare::Le, false),
                    op => (op, true),
                };
                return Ok(self.add(Comparison::Other(op, a.clone(), b.clone()), positive));
            }
        };
        let mut bare = Vec::new();
        if !op.is_order() {
            for side in [a, b] {
                if let Term::Var(slot) = side {
                    bare.push(slot.0 as usize);
                }
            }
        }
        self.linear(op, &difference, bare)
    }

    /// `==` and `!=` between a string and something else.
    fn with_text(&mut self, op: Compare, text: &str, other: &Term<Slot>) -> Result<Test, OverBudget> {
        Ok(match (other, op) {
            (Term::Var(slot), Compare::Eq | Compare::Ne) => {
                self.add(Comparison::Text(slot.0 as usize, text.to_owned()), op == Compare::Eq)
            }
            // A number is no string; a quotient without a value does not even differ from one.
            (other, Compare::Ne) => match worth(other)? {
                Worth::Linear(_) | Worth::Other(true) => Test::Constant(true),
                Worth::Undefined => Test::Constant(false),
                Worth::Other(false) => {
                    let text = Term::Text(text.to_owned(), crate::Spot::default());
                    self.add(Comparison::Other(Compare::Ne, other.clone(), text), true)
                }
            },
            _ => Test::Constant(false),
        })
    }

    /// `difference op 0`
    fn linear(&mut self, op: Compare, difference: &Form, bare: Vec<usize>) -> Result<Test, OverBudget> {
        let Some((_, first)) = difference.parts.first() else {
            let zero = &Number::ZERO;
            let constant = &difference.constant;
            return Ok(Test::Constant(match op {
                Compare::Eq => constant == zero,
                Compare::Ne => constant != zero,
                Compare::Lt => constant < zero,
                Compare::Le => constant <= zero,
                Compare::Gt => constant > zero,
                Compare::Ge => constant >= zero,
            }));
        };
        let mirrored = *first < Number::ZERO;
        let form = Number::ONE.div(first).and_then(|by| difference.scale(&by)).map_err(too_large)?;
        // Dividing by a negative number turns the comparison round.
        let (relation, positive) = match (op, mirrored) {
            (Compare::Eq, _) => (Order::Equal, true),
            (Compare::Ne, _) => (Order::Equal, false),
            (Compare::Lt, false) | (Compare::Gt, true) => (Order::Below, true),
            (Compare::Le, false) | (Compare::Ge, true) => (Order::AtMost, true),
            (Compare::Gt, false) | (Compare::Lt, true) => (Order::AtMost, false),
            (Compare::Ge, false) | (Compare::Le, true) => (Order::Below, false),
        };
        Ok(self.add(Comparison::Linear { form, relation, bare }, positive))
    }
}

fn worth(term: &Term<Slot>) -> Result<Worth, OverBudget> {
    Ok(match term {
        Term::Number(n) => Worth::Linear(Form::constant(n.clone())),
        // Refused before it comes here; known to nobody if it does.
        Term::Text(..) => Worth::Other(true),
        Term::Var(slot) => Worth::Linear(Form::variable(slot.0 as usize)),
        Term::Neg(t) => match worth(t)? {
            Worth::Linear(form) => Worth::Linear(form.scale(&Number::from(-1)).map_err(too_large)?),
            other => other,
        },
        Term::Binary(op, a, b) => match (worth(a)?, worth(b)?) {
            (Worth::Undefined, _) | (_, Worth::Undefined) => Worth::Undefined,
            (Worth::Linear(a), Worth::Linear(b)) => combine(*op, &a, &b)?,
            (a, b) => match (op, &b) {
                (Arith::Div, Worth::Linear(b)) if b.parts.is_empty() && b.constant.is_zero() => Worth::Undefined,
                (Arith::Div, Worth::Linear(b)) if b.parts.is_empty() => Worth::Other(!matches!(a, Worth::Other(false))),
                (Arith::Div, _) => Worth::Other(false),
                _ => Worth::Other(!matches!((&a, &b), (Worth::Other(false), _) | (_, Worth::Other(false)))),
            },
        },
    })
}

fn combine(op: Arith, a: &Form, b: &Form) -> Result<Worth, OverBudget> {
    let linear = match op {
        Arith::Add => a.add(b),
        Arith::Sub => b.scale(&Number::from(-1)).and_then(|b| a.add(&b)),
        Arith::Mul if a.parts.is_empty() => b.scale(&a.constant),
        Arith::Mul if b.parts.is_empty() => a.scale(&b.constant),
        Arith::Mul => return Ok(Worth::Other(true)),
        Arith::Div if b.parts.is_empty() && b.constant.is_zero() => return Ok(Worth::Undefined),
        Arith::Div if b.parts.is_empty() => Number::ONE.div(&b.constant).and_then(|by| a.scale(&by)),
        Arith::Div => return Ok(Worth::Other(false)),
    };
    Ok(Worth::Linear(linear.map_err(too_large)?))
}

impl From<Order> for Relation {
    fn from(order: Order) -> Self {
        match order {
            Order::Equal => Self::Equal,
            Order::Below => Self::Below,
            Order::AtMost => Self::AtMost,
        }
    }
}
