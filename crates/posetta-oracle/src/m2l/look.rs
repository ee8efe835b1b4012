//! What stands in formulas: offsets, quantifiers, constants, the variables that matter.

use std::collections::HashSet;

use posetta_logic::m2l::{Argument, Element, Formula, Position, Program, Set, VarId};

/// What one walk through a formula sees, the definitions that it calls and the restrictions of its variables included.
#[derive(Default)]
pub(crate) struct Sight {
    /// Every variable that is mentioned.
    pub vars: HashSet<VarId>,
    /// The sum of all that is added or taken away.
    pub offsets: u32,
    /// How many variables are bound.
    pub bound: u32,
    /// The greatest constant.
    pub constant: u32,
    /// Whether there is a `prefix`.
    pub prefix: bool,
}

impl Sight {
    pub fn of(program: &Program, formula: &Formula) -> Self {
        let mut sight = Self::default();
        sight.formula(program, formula);
        sight
    }

    fn var(&mut self, program: &Program, var: VarId) {
        if self.vars.insert(var) {
            if let Some(f) = &program.vars[var.index()].restriction {
                self.formula(program, f);
            }
            self.vars.extend(program.all_positions);
            // These speak of globals and their own parameter: seen once is enough.
            for (parameter, f) in [&program.default_one, &program.default_two].into_iter().flatten() {
                if self.vars.insert(*parameter) {
                    self.formula(program, f);
                }
            }
        }
    }

    fn formula(&mut self, program: &Program, formula: &Formula) {
        match formula {
            Formula::Constant(_) => {}
            Formula::Truth(v) => self.var(program, *v),
            Formula::Not(f) | Formula::Restrict(f) => self.formula(program, f),
            Formula::Prefix(f) => {
                self.prefix = true;
                self.formula(program, f);
            }
            Formula::Joined(_, f, g) => {
                self.formula(program, f);
                self.formula(program, g);
            }
            Formula::In(t, s) => {
                self.position(program, t);
                self.set(program, s);
            }
            Formula::Sub(s, t) | Formula::SameSet(s, t) => {
                self.set(program, s);
                self.set(program, t);
            }
            Formula::SamePosition(s, t) | Formula::Less(s, t) | Formula::LessEq(s, t) => {
                self.position(program, s);
                self.position(program, t);
            }
            Formula::Empty(s) => self.set(program, s),
            Formula::Quantified { vars, body, .. } => {
                self.bound += vars.len() as u32;
                self.formula(program, body);
            }
            Formula::Let(definitions, body) => {
                self.bound += definitions.len() as u32;
                definitions.iter().for_each(|(_, a)| self.argument(program, a));
                self.formula(program, body);
            }
            Formula::Call(pred, arguments) => {
                arguments.iter().for_each(|a| self.argument(program, a));
                self.formula(program, &program.preds[pred.index()].body);
            }
        }
    }

    pub fn argument(&mut self, program: &Program, argument: &Argument) {
        match argument {
            Argument::Formula(f) => self.formula(program, f),
            Argument::Position(t) => self.position(program, t),
            Argument::Set(s) => self.set(program, s),
        }
    }

    fn position(&mut self, program: &Program, position: &Position) {
        match position {
            Position::Var(v) => self.var(program, *v),
            Position::Constant(n) => self.constant = self.constant.max(*n),
            Position::Plus(t, n) | Position::Minus(t, n) => {
                self.offsets += n;
                self.position(program, t);
            }
            Position::PlusModulo(t, n, u) | Position::MinusModulo(t, n, u) => {
                self.offsets += n;
                self.position(program, t);
                self.position(program, u);
            }
            Position::Min(s) | Position::Max(s) => self.set(program, s),
        }
    }

    fn set(&mut self, program: &Program, set: &Set) {
        match set {
            Set::Var(v) => self.var(program, *v),
            Set::Empty => {}
            Set::Union(s, t) | Set::Inter(s, t) | Set::Difference(s, t) => {
                self.set(program, s);
                self.set(program, t);
            }
            Set::Plus(s, n) | Set::Minus(s, n) => {
                self.offsets += n;
                self.set(program, s);
            }
            Set::Listed(elements) => {
                for element in elements {
                    match element {
                        Element::One(t) => self.position(program, t),
                        Element::Range(t, u) => {
                            self.position(program, t);
                            self.position(program, u);
                        }
                    }
                }
            }
            Set::Number(n) => self.constant = self.constant.max(64 - n.leading_zeros()),
        }
    }
}

/// Whether some part of a formula, and of the definitions that it calls, is of a kind.
#[must_use]
pub fn holds_somewhere(program: &Program, formula: &Formula, kind: &dyn Fn(&Formula) -> bool) -> bool {
    let inside = |f: &Formula| holds_somewhere(program, f, kind);
    let given = |a: &Argument| matches!(a, Argument::Formula(f) if inside(f));
    kind(formula)
        || match formula {
            Formula::Not(f) | Formula::Restrict(f) | Formula::Prefix(f) => inside(f),
            Formula::Joined(_, f, g) => inside(f) || inside(g),
            Formula::Quantified { body, .. } => inside(body),
            Formula::Let(definitions, body) => definitions.iter().any(|(_, a)| given(a)) || inside(body),
            Formula::Call(pred, arguments) => arguments.iter().any(given) || inside(&program.preds[pred.index()].body),
            _ => false,
        }
}
