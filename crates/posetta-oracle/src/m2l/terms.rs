//! The values of terms.

use std::rc::Rc;

use posetta_logic::m2l::{Element, Position, Set};

use super::eval::{Eval, Heard, Scope, Silent, Value};

impl<'p> Eval<'p> {
    pub(super) fn position(&mut self, position: &'p Position, scope: &Rc<Scope<'p>>) -> Heard<u32> {
        Ok(match position {
            Position::Var(var) => match self.variable(*var, scope)? {
                Value::Place(Some(n)) => n,
                _ => return Err(Silent),
            },
            Position::Constant(n) => *n,
            Position::Plus(t, n) => self.position(t, scope)? + n,
            Position::Minus(t, n) => self.position(t, scope)?.saturating_sub(*n),
            Position::PlusModulo(t, n, u) => {
                let (t, u) = (self.position(t, scope)?, self.position(u, scope)?);
                (0..*n).fold(t, |t, _| next_modulo(t, u))
            }
            Position::MinusModulo(t, n, u) => {
                let (t, u) = (self.position(t, scope)?, self.position(u, scope)?);
                (0..*n).fold(t, |t, _| last_modulo(t, u))
            }
            Position::Min(s) => match self.places(s, scope)? {
                0 => 0,
                bits => bits.trailing_zeros(),
            },
            Position::Max(s) => match self.places(s, scope)? {
                0 => 0,
                bits => 127 - bits.leading_zeros(),
            },
        })
    }

    pub(super) fn places(&mut self, set: &'p Set, scope: &Rc<Scope<'p>>) -> Heard<u128> {
        Ok(match set {
            Set::Var(var) => match self.variable(*var, scope)? {
                Value::Places(bits) => bits,
                _ => return Err(Silent),
            },
            Set::Empty => 0,
            Set::Union(s, t) => self.places(s, scope)? | self.places(t, scope)?,
            Set::Inter(s, t) => self.places(s, scope)? & self.places(t, scope)?,
            Set::Difference(s, t) => self.places(s, scope)? & !self.places(t, scope)?,
            Set::Plus(s, n) => self.places(s, scope)? << n,
            Set::Minus(s, n) => (0..*n).fold(self.places(s, scope)?, |bits, _| bits >> 1 | bits & 1),
            Set::Listed(elements) => {
                let mut bits = 0;
                for element in elements {
                    match element {
                        Element::One(t) => bits |= 1 << self.position(t, scope)?,
                        Element::Range(t, u) => {
                            let (t, u) = (self.position(t, scope)?, self.position(u, scope)?);
                            (t..=u).for_each(|n| bits |= 1 << n);
                        }
                    }
                }
                bits
            }
            Set::Number(n) => u128::from(*n),
        })
    }
}

/// The successor modulo `u`. Of a number that is not below `u`, too, where MONA takes `u` away once, or gives 0.
fn next_modulo(t: u32, u: u32) -> u32 {
    match t {
        t if t + 1 < u => t + 1,
        t if t == u && u >= 2 => 1,
        _ => 0,
    }
}

/// The predecessor modulo `u`; 0 for a number above `u`.
fn last_modulo(t: u32, u: u32) -> u32 {
    match t {
        0 => u.saturating_sub(1),
        t if t <= u => t - 1,
        _ => 0,
    }
}
