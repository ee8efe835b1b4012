//! What a formula says of a string, by enumeration.

use std::collections::HashMap;
use std::rc::Rc;

use posetta_logic::m2l::{Argument, Connective, Formula, Mode, Order, Position, Predicate, Program, Set, VarId};

use super::look::Sight;
use super::{Says, Text};

/// The value of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// Of order zero.
    Truth(bool),
    /// Of order one; there is none where the string has no 1 for the variable.
    Place(Option<u32>),
    /// Of order two: the bits that are set.
    Places(u128),
}

/// A set with more places than this has too many values to try.
const MOST: u32 = 14;

/// A term or formula has no value: a restriction failed.
pub(super) struct Silent;

pub(super) type Heard<T> = Result<T, Silent>;

/// What a name stands for.
#[derive(Clone)]
enum Meaning<'p> {
    /// A variable of the string, by its place. A parameter that is given a variable stands for the same one.
    Slot(usize),
    /// What was given to a macro, as it was where that was called.
    Given(Rc<Scope<'p>>, &'p Argument),
}

/// What names stand for, and which restrictions are being asked.
#[derive(Clone)]
pub(super) struct Scope<'p> {
    meanings: Vec<Option<Meaning<'p>>>,
    /// Variables whose restriction is being asked.
    busy: Vec<usize>,
    in_default: bool,
}

struct Slot {
    order: Order,
    value: Value,
    /// Whether nobody declared it: it stands for a term.
    implicit: bool,
}

#[derive(Clone, Copy)]
struct Measure {
    slack: u32,
    constant: u32,
    prefix: bool,
}

/// Evaluates a program's formulas. See the parent module for what they mean.
pub struct Eval<'p> {
    program: &'p Program,
    slots: Vec<Slot>,
    length: usize,
    globals: Rc<Scope<'p>>,
    measures: HashMap<*const Formula, Measure>,
    steps: u64,
}

impl<'p> Eval<'p> {
    /// For a program; after `steps` steps it is tired, and answers anything.
    #[must_use]
    pub fn new(program: &'p Program, steps: u64) -> Self {
        let mut meanings = vec![None; program.vars.len()];
        let mut slots = Vec::new();
        for &var in &program.globals {
            meanings[var.index()] = Some(Meaning::Slot(slots.len()));
            let order = program.vars[var.index()].order;
            slots.push(Slot { order, value: Value::Truth(false), implicit: false });
        }
        let globals = Rc::new(Scope { meanings, busy: Vec::new(), in_default: false });
        Self { program, slots, length: 0, globals, measures: HashMap::new(), steps }
    }

    /// Whether it has taken all its steps.
    #[must_use]
    pub fn is_tired(&self) -> bool {
        self.steps == 0
    }

    /// Looks at a string from now on.
    pub fn set(&mut self, text: &Text) {
        self.length = text.length;
        for (slot, &value) in self.slots.iter_mut().zip(&text.values) {
            slot.value = value;
        }
    }

    /// Sets each string of a length, until told not to go on or tired. Says whether all were tried.
    pub fn for_each_text(&mut self, length: usize, visit: &mut dyn FnMut(&mut Self, &[Value]) -> bool) -> bool {
        self.length = length;
        self.text(0, &mut Vec::new(), visit)
    }

    fn text(&mut self, at: usize, values: &mut Vec<Value>, visit: &mut dyn FnMut(&mut Self, &[Value]) -> bool) -> bool {
        if self.is_tired() {
            return false;
        }
        let Some(&var) = self.program.globals.get(at) else { return visit(self, values) };
        let all = (1u128 << self.length) - 1;
        let choices = if self.program.all_positions == Some(var) {
            vec![Value::Places(all)]
        } else if self.program.last_position == Some(var) {
            vec![Value::Place(self.length.checked_sub(1).map(|n| n as u32))]
        } else {
            match self.slots[at].order {
                Order::Zero => vec![Value::Truth(false), Value::Truth(true)],
                Order::One => (0..self.length as u32).map(|n| Value::Place(Some(n))).collect(),
                Order::Two => (0..=all).map(Value::Places).collect(),
            }
        };
        choices.into_iter().all(|value| {
            self.slots[at].value = value;
            values.push(value);
            let go_on = self.text(at + 1, values, visit);
            values.pop();
            go_on
        })
    }

    /// What a formula says of the string, with the assertion and the restrictions of all globals.
    pub fn whole(&mut self, formula: &'p Formula) -> Says {
        let scope = Rc::clone(&self.globals);
        let asserted = self.formula(&self.program.assertion, &scope).restrict();
        let program = self.program;
        let restricted = program.globals.iter().all(|&v| match self.slot_of(v, &scope) {
            Some(slot) => self.is_allowed(v, slot, &scope),
            None => true,
        });
        let asserted = if restricted { asserted } else { Says::Nothing };
        asserted.join(self.formula(formula, &scope), |_, f| f)
    }

    fn slot_of(&self, var: VarId, scope: &Scope<'p>) -> Option<usize> {
        match scope.meanings[var.index()] {
            Some(Meaning::Slot(slot)) => Some(slot),
            _ => None,
        }
    }

    /// Whether an occurrence of a variable keeps to its restriction.
    fn is_allowed(&mut self, var: VarId, slot: usize, scope: &Rc<Scope<'p>>) -> bool {
        if self.slots[slot].value == Value::Place(None) {
            return false;
        }
        if scope.busy.contains(&slot) {
            return true;
        }
        let program = self.program;
        // In `m2l-str` these are always the same, whether the program writes them down or not: `$` has no gaps, …
        let of_string = self.whole_string();
        if of_string.is_some() && program.all_positions == Some(var) {
            return matches!(self.slots[slot].value, Value::Places(bits) if bits & (bits + 1) == 0);
        }
        if let Some(restriction) = &program.vars[var.index()].restriction {
            let mut inner = (**scope).clone();
            inner.busy.push(slot);
            return self.formula(restriction, &Rc::new(inner)) == Says::Yes;
        }
        if self.slots[slot].implicit || scope.in_default {
            return true;
        }
        // … and the others lie in it.
        match (of_string, self.slots[slot].value) {
            (Some(all), Value::Place(Some(n))) => return all >> n & 1 == 1,
            (Some(all), Value::Places(bits)) => return bits & !all == 0,
            _ => {}
        }
        let default = match self.slots[slot].order {
            Order::Zero => None,
            Order::One => program.default_one.as_ref(),
            Order::Two => program.default_two.as_ref(),
        };
        let Some((parameter, restriction)) = default else { return true };
        let mut inner = (*self.globals).clone();
        inner.busy.clone_from(&scope.busy);
        inner.busy.push(slot);
        inner.in_default = true;
        inner.meanings[parameter.index()] = Some(Meaning::Slot(slot));
        self.formula(restriction, &Rc::new(inner)) == Says::Yes
    }

    /// `$`, where there is one.
    fn whole_string(&self) -> Option<u128> {
        let dollar = self.program.all_positions.filter(|_| self.program.mode == Mode::M2lStr)?;
        match self.slots[self.slot_of(dollar, &self.globals)?].value {
            Value::Places(bits) => Some(bits),
            _ => None,
        }
    }

    pub(super) fn variable(&mut self, var: VarId, scope: &Rc<Scope<'p>>) -> Heard<Value> {
        match scope.meanings[var.index()].clone() {
            Some(Meaning::Slot(slot)) => {
                if self.is_allowed(var, slot, scope) {
                    Ok(self.slots[slot].value)
                } else {
                    Err(Silent)
                }
            }
            Some(Meaning::Given(outer, argument)) => self.argument(argument, &outer),
            None => panic!("`{}` has no value here", self.program.vars[var.index()].name),
        }
    }

    fn argument(&mut self, argument: &'p Argument, scope: &Rc<Scope<'p>>) -> Heard<Value> {
        Ok(match argument {
            Argument::Formula(f) => match self.formula(f, scope) {
                Says::Nothing => return Err(Silent),
                said => Value::Truth(said == Says::Yes),
            },
            Argument::Position(t) => Value::Place(Some(self.position(t, scope)?)),
            Argument::Set(s) => Value::Places(self.places(s, scope)?),
        })
    }

    fn formula(&mut self, formula: &'p Formula, scope: &Rc<Scope<'p>>) -> Says {
        if self.steps == 0 {
            return Says::Nothing;
        }
        self.steps -= 1;
        match formula {
            Formula::Constant(truth) => Says::of(*truth),
            Formula::Not(f) => self.formula(f, scope).map(|t| !t),
            Formula::Joined(connective, f, g) => {
                let f = self.formula(f, scope);
                f.join(self.formula(g, scope), |f, g| match connective {
                    Connective::And => f && g,
                    Connective::Or => f || g,
                    Connective::Implies => !f || g,
                    Connective::Iff => f == g,
                })
            }
            Formula::Quantified { all, vars, body } => {
                let mut inner = (**scope).clone();
                let first = self.slots.len();
                for &var in vars {
                    inner.meanings[var.index()] = Some(Meaning::Slot(self.slots.len()));
                    let order = self.program.vars[var.index()].order;
                    self.slots.push(Slot { order, value: Value::Truth(false), implicit: false });
                }
                let inner = Rc::new(inner);
                let said = self.some(first, *all, vars, body, &inner);
                self.slots.truncate(first);
                if *all { said.map(|t| !t) } else { said }
            }
            Formula::Let(definitions, body) => {
                let given: Heard<Vec<Value>> = definitions.iter().map(|(_, a)| self.argument(a, scope)).collect();
                let Ok(given) = given else { return Says::Nothing };
                let mut inner = (**scope).clone();
                let first = self.slots.len();
                for ((var, _), &value) in definitions.iter().zip(&given) {
                    inner.meanings[var.index()] = Some(Meaning::Slot(self.slots.len()));
                    let order = self.program.vars[var.index()].order;
                    self.slots.push(Slot { order, value, implicit: false });
                }
                let bound: Vec<(usize, Value)> = (first..).zip(given).collect();
                // Definitions that come later bind outside.
                let bound: Vec<(usize, Value)> = bound.into_iter().rev().collect();
                let said = self.bind(&bound, body, &Rc::new(inner));
                self.slots.truncate(first);
                said
            }
            Formula::Call(pred, arguments) => {
                let pred = &self.program.preds[pred.index()];
                if pred.is_macro { self.put_in(pred, arguments, scope) } else { self.call(pred, arguments, scope) }
            }
            Formula::Restrict(f) => self.formula(f, scope).restrict(),
            Formula::Prefix(f) => self.prefix(f, scope),
            _ => self.atom(formula, scope).map_or(Says::Nothing, Says::of),
        }
    }

    fn atom(&mut self, formula: &'p Formula, scope: &Rc<Scope<'p>>) -> Heard<bool> {
        Ok(match formula {
            Formula::Truth(var) => self.variable(*var, scope)? == Value::Truth(true),
            Formula::In(t, s) => {
                let n = self.position(t, scope)?;
                self.places(s, scope)? >> n & 1 == 1
            }
            Formula::Sub(s, t) => self.places(s, scope)? & !self.places(t, scope)? == 0,
            Formula::SameSet(s, t) => self.places(s, scope)? == self.places(t, scope)?,
            Formula::SamePosition(t, u) => self.position(t, scope)? == self.position(u, scope)?,
            Formula::Less(t, u) => self.position(t, scope)? < self.position(u, scope)?,
            Formula::LessEq(t, u) => self.position(t, scope)? <= self.position(u, scope)?,
            Formula::Empty(s) => self.places(s, scope)? == 0,
            _ => unreachable!("every other formula has parts that are formulas"),
        })
    }

    /// Whether some values of the variables from `at` on make the body hold, or, if `negated`, make it fail.
    fn some(&mut self, at: usize, negated: bool, vars: &[VarId], body: &'p Formula, scope: &Rc<Scope<'p>>) -> Says {
        let Some((&var, rest)) = vars.split_first() else {
            return self.formula(body, scope).map(|t| t != negated);
        };
        if self.measure(body).prefix && !Sight::of(self.program, body).vars.contains(&var) {
            return self.some(at + 1, negated, rest, body, scope);
        }
        let length = self.length;
        let mut said = Says::Nothing;
        let free = self.program.vars[var.index()].restriction.is_some();
        for (length, value) in self.values(at, free, body) {
            self.length = length;
            self.slots[at].value = value;
            match self.some(at + 1, negated, rest, body, scope) {
                Says::Nothing => {}
                Says::No => said = Says::No,
                Says::Yes => {
                    said = Says::Yes;
                    break;
                }
            }
        }
        self.length = length;
        self.slots[at].value = Value::Truth(false);
        said
    }

    /// `ex x: x = value & …` for each of them, the first outermost.
    fn bind(&mut self, bound: &[(usize, Value)], body: &'p Formula, scope: &Rc<Scope<'p>>) -> Says {
        let Some((&(slot, value), rest)) = bound.split_first() else { return self.formula(body, scope) };
        let length = self.length;
        let mut said = Says::Nothing;
        let mut ways = vec![(length, value)];
        if self.measure(body).prefix {
            ways = self.values(slot, true, body).into_iter().filter(|(_, v)| *v == value).collect();
        }
        for (length, value) in ways {
            self.length = length;
            self.slots[slot].value = value;
            match self.bind(rest, body, scope) {
                Says::Nothing => {}
                Says::No => said = Says::No,
                Says::Yes => {
                    said = Says::Yes;
                    break;
                }
            }
        }
        if said == Says::Nothing {
            for (length, other) in self.values(slot, true, body) {
                self.length = length;
                self.slots[slot].value = other;
                if self.bind(rest, body, scope) != Says::Nothing {
                    said = Says::No;
                    break;
                }
            }
        }
        self.length = length;
        self.slots[slot].value = value;
        said
    }

    /// Every value that a variable is tried with, and the length of the string it is tried on. `free`: not only within the string.
    fn values(&mut self, slot: usize, free: bool, body: &'p Formula) -> Vec<(usize, Value)> {
        let measure = self.measure(body);
        let order = self.slots[slot].order;
        let others = self.slots.iter().enumerate().filter(|(at, _)| *at != slot);
        let seen = others.map(|(_, s)| match s.value {
            Value::Place(Some(n)) => n + 1,
            Value::Places(bits) => 128 - bits.leading_zeros(),
            _ => 0,
        });
        let beyond = seen.max().unwrap_or(0).max(self.length as u32).max(measure.constant + 1) + measure.slack;
        let end = match self.whole_string() {
            // One place outside, for a body that does not mention the variable.
            Some(all) if !free => 128 - all.leading_zeros() + u32::from(order == Order::One),
            _ => beyond,
        };
        if order == Order::Two && (if measure.prefix { beyond } else { end }) > MOST {
            self.steps = 0;
            return Vec::new();
        }
        if measure.prefix {
            let of_length = |m: usize| -> Vec<(usize, Value)> {
                let values: Vec<Value> = match order {
                    Order::Zero => vec![Value::Truth(false), Value::Truth(true)],
                    Order::One => (0..m as u32).map(Some).chain([None]).map(Value::Place).collect(),
                    Order::Two => (0..1u128 << m).map(Value::Places).collect(),
                };
                values.into_iter().map(|v| (m, v)).collect()
            };
            return (self.length..=beyond as usize).flat_map(of_length).collect();
        }
        let values: Vec<Value> = match order {
            Order::Zero => vec![Value::Truth(false), Value::Truth(true)],
            Order::One => (0..end).map(|n| Value::Place(Some(n))).collect(),
            Order::Two => (0..1u128 << end).map(Value::Places).collect(),
        };
        values.into_iter().map(|v| (self.length, v)).collect()
    }

    fn measure(&mut self, formula: &'p Formula) -> Measure {
        let program = self.program;
        *self.measures.entry(formula).or_insert_with(|| {
            let sight = Sight::of(program, formula);
            Measure {
                slack: 2 + sight.offsets.min(4) + sight.bound.min(3),
                constant: sight.constant,
                prefix: sight.prefix,
            }
        })
    }

    fn put_in(&mut self, definition: &'p Predicate, arguments: &'p [Argument], scope: &Rc<Scope<'p>>) -> Says {
        let mut inner = self.definition_scope(scope);
        for (var, argument) in definition.formals.iter().zip(arguments) {
            inner.meanings[var.index()] = Some(match self.plain(argument, scope) {
                // The variable itself, with its own restriction, not the parameter's.
                Some((_, Meaning::Given(outer, argument))) => Meaning::Given(outer, argument),
                _ => Meaning::Given(Rc::clone(scope), argument),
            });
        }
        self.formula(&definition.body, &Rc::new(inner))
    }

    fn call(&mut self, definition: &'p Predicate, arguments: &'p [Argument], scope: &Rc<Scope<'p>>) -> Says {
        let given: Heard<Vec<Value>> = arguments.iter().map(|a| self.argument(a, scope)).collect();
        let Ok(given) = given else { return Says::Nothing };
        let mut inner = self.definition_scope(scope);
        let first = self.slots.len();
        let mut bound = Vec::new();
        for ((var, argument), value) in definition.formals.iter().zip(arguments).zip(given) {
            let slot = match self.root(argument, scope) {
                Some(slot) => slot,
                None => {
                    let order = self.program.vars[var.index()].order;
                    self.slots.push(Slot { order, value, implicit: true });
                    bound.push((self.slots.len() - 1, value));
                    self.slots.len() - 1
                }
            };
            inner.meanings[var.index()] = Some(Meaning::Slot(slot));
        }
        let said = self.bind(&bound, &definition.body, &Rc::new(inner));
        self.slots.truncate(first);
        said
    }

    fn definition_scope(&self, scope: &Scope<'p>) -> Scope<'p> {
        let meanings = self.globals.meanings.clone();
        Scope { meanings, busy: scope.busy.clone(), in_default: scope.in_default }
    }

    /// The variable that an argument consists of, and what it means.
    fn plain(&self, argument: &Argument, scope: &Scope<'p>) -> Option<(VarId, Meaning<'p>)> {
        let var = match argument {
            Argument::Position(Position::Var(v)) | Argument::Set(Set::Var(v)) => *v,
            // A truth variable that has a restriction is a formula like others.
            Argument::Formula(Formula::Truth(v)) if self.program.vars[v.index()].restriction.is_none() => *v,
            _ => return None,
        };
        scope.meanings[var.index()].clone().map(|m| (var, m))
    }

    /// The variable that an argument consists of, through all macros.
    fn root(&self, argument: &Argument, scope: &Scope<'p>) -> Option<usize> {
        match self.plain(argument, scope)?.1 {
            Meaning::Slot(slot) => Some(slot),
            Meaning::Given(outer, argument) => self.root(argument, &outer),
        }
    }

    fn prefix(&mut self, formula: &'p Formula, scope: &Rc<Scope<'p>>) -> Says {
        let as_is = self.formula(formula, scope);
        if as_is == Says::Yes {
            return as_is;
        }
        let sight = Sight::of(self.program, formula);
        let mut slots: Vec<usize> = Vec::new();
        let mut open: Vec<(VarId, Rc<Scope<'p>>)> = sight.vars.iter().map(|&v| (v, Rc::clone(scope))).collect();
        while let Some((var, scope)) = open.pop() {
            match scope.meanings[var.index()].clone() {
                Some(Meaning::Slot(slot)) => slots.push(slot),
                Some(Meaning::Given(outer, argument)) => {
                    let mut sight = Sight::default();
                    sight.argument(self.program, argument);
                    open.extend(sight.vars.iter().map(|&v| (v, Rc::clone(&outer))));
                }
                None => {}
            }
        }
        slots.sort_unstable();
        slots.dedup();
        let end = self.length.max(sight.constant as usize + 1) + 2 + sight.offsets.min(2) as usize;
        let length = self.length;
        let mut said = as_is;
        for longer in length..=end {
            self.length = longer;
            if self.goes_on(&slots, length as u32, formula, scope) {
                said = Says::Yes;
                break;
            }
        }
        self.length = length;
        said
    }

    /// Whether a formula holds of some string that goes on from `from` to the present length.
    fn goes_on(&mut self, slots: &[usize], from: u32, formula: &'p Formula, scope: &Rc<Scope<'p>>) -> bool {
        let Some((&slot, rest)) = slots.split_first() else { return self.formula(formula, scope) == Says::Yes };
        let before = self.slots[slot].value;
        let to = self.length as u32;
        let ways: Vec<Value> = match before {
            Value::Place(None) => (from..to).map(Some).chain([None]).map(Value::Place).collect(),
            Value::Places(bits) => (0..1u128 << (to - from)).map(|more| Value::Places(bits | more << from)).collect(),
            other => vec![other],
        };
        let found = ways.into_iter().any(|value| {
            self.slots[slot].value = value;
            self.goes_on(rest, from, formula, scope)
        });
        self.slots[slot].value = before;
        found
    }
}
