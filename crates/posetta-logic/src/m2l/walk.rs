//! Walks over trees: what is met, in the order of the text.

use super::tree::{Argument, Element, Formula, Position, PredId, Set, VarId};

/// What a walk meets. Restrictions are not walked into: they belong to the variables.
pub(super) trait Visitor {
    /// A variable where it is declared.
    fn binder(&mut self, var: &mut VarId);
    /// A variable where it is used.
    fn var(&mut self, var: &mut VarId);
    /// A predicate where it is called.
    fn call(&mut self, pred: PredId);
}

impl Formula {
    /// Meets everything, from left to right.
    pub(super) fn walk(&mut self, v: &mut impl Visitor) {
        match self {
            Self::Constant(_) => {}
            Self::Truth(var) => v.var(var),
            Self::Not(f) | Self::Restrict(f) | Self::Prefix(f) => f.walk(v),
            Self::Joined(_, a, b) => {
                a.walk(v);
                b.walk(v);
            }
            Self::In(t, s) => {
                t.walk(v);
                s.walk(v);
            }
            Self::Sub(a, b) | Self::SameSet(a, b) => {
                a.walk(v);
                b.walk(v);
            }
            Self::SamePosition(a, b) | Self::Less(a, b) | Self::LessEq(a, b) => {
                a.walk(v);
                b.walk(v);
            }
            Self::Empty(s) => s.walk(v),
            Self::Quantified { vars, body, .. } => {
                vars.iter_mut().for_each(|var| v.binder(var));
                body.walk(v);
            }
            Self::Let(pairs, body) => {
                pairs.iter_mut().for_each(|(_, argument)| argument.walk(v));
                pairs.iter_mut().for_each(|(var, _)| v.binder(var));
                body.walk(v);
            }
            Self::Call(pred, arguments) => {
                v.call(*pred);
                arguments.iter_mut().for_each(|argument| argument.walk(v));
            }
        }
    }
}

impl Argument {
    fn walk(&mut self, v: &mut impl Visitor) {
        match self {
            Self::Formula(f) => f.walk(v),
            Self::Position(t) => t.walk(v),
            Self::Set(s) => s.walk(v),
        }
    }
}

impl Position {
    fn walk(&mut self, v: &mut impl Visitor) {
        match self {
            Self::Constant(_) => {}
            Self::Var(var) => v.var(var),
            Self::Plus(t, _) | Self::Minus(t, _) => t.walk(v),
            Self::PlusModulo(t, _, u) | Self::MinusModulo(t, _, u) => {
                t.walk(v);
                u.walk(v);
            }
            Self::Min(s) | Self::Max(s) => s.walk(v),
        }
    }
}

impl Set {
    fn walk(&mut self, v: &mut impl Visitor) {
        match self {
            Self::Empty | Self::Number(_) => {}
            Self::Var(var) => v.var(var),
            Self::Union(a, b) | Self::Inter(a, b) | Self::Difference(a, b) => {
                a.walk(v);
                b.walk(v);
            }
            Self::Plus(s, _) | Self::Minus(s, _) => s.walk(v),
            Self::Listed(elements) => {
                for element in elements {
                    match element {
                        Element::One(t) => t.walk(v),
                        Element::Range(t, u) => {
                            t.walk(v);
                            u.walk(v);
                        }
                    }
                }
            }
        }
    }
}
