//! M2L as a property: of two values, over the positions of one word.
//!
//! Variables range over the positions of the word and their sets, terms over all numbers. A restriction is read as people read it:
//! `ex1 p where f: g` is `ex1 p: f & g` and `all1 p where f: g` is `all1 p: f => g`. Without a position `ex1` is false and `all1`
//! true.

use posetta_logic::m2l::{Argument, Connective, Element, Formula, Order, Position, Program, Set, VarId};

use super::Value;

/// Whether a word of a length has a property, where each global has its value.
#[must_use]
pub fn holds(program: &Program, length: usize, globals: &[(VarId, Value)]) -> bool {
    let mut values = vec![None; program.vars.len()];
    for &(var, value) in globals {
        values[var.index()] = Some(value);
    }
    if let Some(all) = program.all_positions {
        values[all.index()] = Some(Value::Places((1 << length) - 1));
    }
    Plain { program, length, values }.formula(&program.formula)
}

struct Plain<'p> {
    program: &'p Program,
    length: usize,
    values: Vec<Option<Value>>,
}

impl Plain<'_> {
    fn formula(&mut self, formula: &Formula) -> bool {
        match formula {
            Formula::Constant(truth) => *truth,
            Formula::Truth(v) => self.value(*v) == Value::Truth(true),
            Formula::Not(f) => !self.formula(f),
            Formula::Joined(connective, f, g) => {
                let (f, g) = (self.formula(f), self.formula(g));
                match connective {
                    Connective::And => f && g,
                    Connective::Or => f || g,
                    Connective::Implies => !f || g,
                    Connective::Iff => f == g,
                }
            }
            Formula::In(t, s) => self.places(s) >> self.position(t) & 1 == 1,
            Formula::Sub(s, t) => self.places(s) & !self.places(t) == 0,
            Formula::SamePosition(t, u) => self.position(t) == self.position(u),
            Formula::SameSet(s, t) => self.places(s) == self.places(t),
            Formula::Less(t, u) => self.position(t) < self.position(u),
            Formula::LessEq(t, u) => self.position(t) <= self.position(u),
            Formula::Empty(s) => self.places(s) == 0,
            Formula::Quantified { all, vars, body } => self.some(*all, vars, body) != *all,
            Formula::Let(definitions, body) => {
                let values: Vec<Value> = definitions.iter().map(|(_, a)| self.argument(a)).collect();
                for ((var, _), value) in definitions.iter().zip(values) {
                    self.values[var.index()] = Some(value);
                }
                self.formula(body)
            }
            Formula::Call(pred, arguments) => {
                let program = self.program;
                let definition = &program.preds[pred.index()];
                let values: Vec<Value> = arguments.iter().map(|a| self.argument(a)).collect();
                for (var, value) in definition.formals.iter().zip(values) {
                    self.values[var.index()] = Some(value);
                }
                self.formula(&definition.body)
            }
            Formula::Restrict(f) => self.formula(f),
            Formula::Prefix(_) => panic!("a property has no prefix"),
        }
    }

    /// Whether the body holds for some values that are allowed, or fails for some, if `negated`.
    fn some(&mut self, negated: bool, vars: &[VarId], body: &Formula) -> bool {
        let Some((var, rest)) = vars.split_first() else { return self.formula(body) != negated };
        let program = self.program;
        let variable = &program.vars[var.index()];
        let values: Vec<Value> = match variable.order {
            Order::Zero => vec![Value::Truth(false), Value::Truth(true)],
            Order::One => (0..self.length as u32).map(|n| Value::Place(Some(n))).collect(),
            Order::Two => (0..1u128 << self.length).map(Value::Places).collect(),
        };
        values.into_iter().any(|value| {
            self.values[var.index()] = Some(value);
            variable.restriction.as_ref().is_none_or(|r| self.formula(r)) && self.some(negated, rest, body)
        })
    }

    fn value(&self, var: VarId) -> Value {
        self.values[var.index()].expect("variables have values where they are in scope")
    }

    fn argument(&mut self, argument: &Argument) -> Value {
        match argument {
            Argument::Formula(f) => Value::Truth(self.formula(f)),
            Argument::Position(t) => Value::Place(Some(self.position(t))),
            Argument::Set(s) => Value::Places(self.places(s)),
        }
    }

    fn position(&mut self, position: &Position) -> u32 {
        match position {
            Position::Var(v) => match self.value(*v) {
                Value::Place(Some(n)) => n,
                other => panic!("{other:?} is no position"),
            },
            Position::Constant(n) => *n,
            Position::Plus(t, n) => self.position(t) + n,
            Position::Minus(t, n) => self.position(t).saturating_sub(*n),
            Position::PlusModulo(t, n, u) => {
                let (t, u) = (self.position(t), self.position(u));
                (0..*n).fold(t, |t, _| if t + 1 < u { t + 1 } else { u32::from(t == u && u > 1) })
            }
            Position::MinusModulo(t, n, u) => {
                let (t, u) = (self.position(t), self.position(u));
                (0..*n).fold(t, |t, _| {
                    if t == 0 {
                        u.max(1) - 1
                    } else if t <= u {
                        t - 1
                    } else {
                        0
                    }
                })
            }
            Position::Min(s) => (0..128).find(|&n| self.places(s) >> n & 1 == 1).unwrap_or(0),
            Position::Max(s) => (0..128).rev().find(|&n| self.places(s) >> n & 1 == 1).unwrap_or(0),
        }
    }

    fn places(&mut self, set: &Set) -> u128 {
        match set {
            Set::Var(v) => match self.value(*v) {
                Value::Places(bits) => bits,
                other => panic!("{other:?} is no set"),
            },
            Set::Empty => 0,
            Set::Union(s, t) => self.places(s) | self.places(t),
            Set::Inter(s, t) => self.places(s) & self.places(t),
            Set::Difference(s, t) => self.places(s) & !self.places(t),
            Set::Plus(s, n) => self.places(s) << n,
            Set::Minus(s, n) => (0..*n).fold(self.places(s), |bits, _| bits >> 1 | bits & 1),
            Set::Listed(elements) => elements.iter().fold(0, |bits, element| match element {
                Element::One(t) => bits | 1 << self.position(t),
                Element::Range(t, u) => (self.position(t)..=self.position(u)).fold(bits, |bits, n| bits | 1 << n),
            }),
            Set::Number(n) => u128::from(*n),
        }
    }
}
