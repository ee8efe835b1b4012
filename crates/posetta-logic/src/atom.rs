//! Atoms: what a formula says about one position.
//!
//! The trees are generic in how they name a variable: [`Var`] as written, a slot once bound to a trace.

use std::fmt;
use std::hash::{Hash, Hasher};

use super::having::Having;
use posetta_base::{Number, Span, Value};

/// Where something was written. All spots are equal, so that trees compare by what they say.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spot(pub Span);

impl PartialEq for Spot {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Spot {}

impl Hash for Spot {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// A variable as written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Var {
    /// Its name in the trace; of [`Which::Key`] the name after the `$`.
    pub name: String,
    /// Where it was written.
    pub spot: Spot,
    /// Which of its values is meant.
    pub which: Which,
}

/// Which value a variable stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Which {
    /// `x`: the one at this position.
    #[default]
    Now,
    /// `prev(x)`: the one at the position before, and the initial one at the first.
    Before,
    /// `$k`: no variable of the trace, but the value that an instance of the property is about.
    Key,
}

impl Var {
    /// The value of a variable at this position.
    #[must_use]
    pub fn now(name: &str, spot: Spot) -> Self {
        Self { name: name.to_owned(), spot, which: Which::Now }
    }

    /// Whether it is a variable of the trace.
    #[must_use]
    pub fn is_of_trace(&self) -> bool {
        self.which != Which::Key
    }
}

/// `+ - * /`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arith {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
}

/// `== != < <= > >=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compare {
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

impl Compare {
    /// Whether it compares by size, which strings do not have.
    #[must_use]
    pub fn is_order(self) -> bool {
        !matches!(self, Self::Eq | Self::Ne)
    }

    /// What compares so where this does not.
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Self::Eq => Self::Ne,
            Self::Ne => Self::Eq,
            Self::Lt => Self::Ge,
            Self::Le => Self::Gt,
            Self::Gt => Self::Le,
            Self::Ge => Self::Lt,
        }
    }

    /// Whether two values compare so.
    #[must_use]
    pub fn holds<T: Ord>(self, a: &T, b: &T) -> bool {
        match self {
            Self::Eq => a == b,
            Self::Ne => a != b,
            Self::Lt => a < b,
            Self::Le => a <= b,
            Self::Gt => a > b,
            Self::Ge => a >= b,
        }
    }
}

/// Something with a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Term<V = Var> {
    /// A number; `true` and `false` are 1 and 0.
    Number(Number),
    /// A string.
    Text(String, Spot),
    /// A variable.
    Var(V),
    /// `-t`
    Neg(Box<Term<V>>),
    /// `a + b` and so on.
    Binary(Arith, Box<Term<V>>, Box<Term<V>>),
}

/// A boolean combination of comparisons: what one state satisfies.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Condition<V = Var> {
    /// `true`
    True,
    /// `false`
    False,
    /// `a == b` and so on. Division by zero inside makes it false.
    Compare(Compare, Term<V>, Term<V>),
    /// A bare term: it is not 0.
    Nonzero(Term<V>),
    /// `!c`
    Not(Box<Condition<V>>),
    /// `c && …`, at least two.
    And(Vec<Condition<V>>),
    /// `c || …`, at least two.
    Or(Vec<Condition<V>>),
    /// `c -> d`
    Implies(Box<Condition<V>>, Box<Condition<V>>),
    /// `c <-> d`
    Iff(Box<Condition<V>>, Box<Condition<V>>),
}

/// What a formula says about one position of a run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Atom<V = Var> {
    /// A comparison or a bare term: `Compare` or `Nonzero`.
    State(Condition<V>),
    /// The same with `prev(..)` in it: not the state alone decides it.
    Step(Condition<V>),
    /// `on(A)`: the event assigns a variable of A, and A holds after it.
    On(Condition<V>),
    /// `event(name)`: the event has that name.
    Event(String),
    /// `event(name, attribute == value)`: the event has that name, or any, and its attributes are so. Without a test: there is an event.
    Having(Having),
    /// `process(P)`: the event belongs to that process.
    Process(String),
    /// `enabled(name)`: the action of that name can take place. Only systems of components have actions; elsewhere it is refused when the
    /// formula is bound.
    Enabled(String),
}

impl<V> Term<V> {
    /// Calls `f` with every variable, from left to right.
    pub fn for_each_var<'a>(&'a self, f: &mut impl FnMut(&'a V)) {
        match self {
            Self::Number(_) | Self::Text(..) => {}
            Self::Var(v) => f(v),
            Self::Neg(t) => t.for_each_var(f),
            Self::Binary(_, a, b) => {
                a.for_each_var(f);
                b.for_each_var(f);
            }
        }
    }

    /// The same term over other variables.
    pub fn map_vars<W>(&self, f: &mut impl FnMut(&V) -> W) -> Term<W> {
        match self {
            Self::Number(n) => Term::Number(n.clone()),
            Self::Text(t, spot) => Term::Text(t.clone(), *spot),
            Self::Var(v) => Term::Var(f(v)),
            Self::Neg(t) => Term::Neg(Box::new(t.map_vars(f))),
            Self::Binary(op, a, b) => Term::Binary(*op, Box::new(a.map_vars(f)), Box::new(b.map_vars(f))),
        }
    }
}

impl<V> Condition<V> {
    /// Calls `f` with every variable, from left to right.
    pub fn for_each_var<'a>(&'a self, f: &mut impl FnMut(&'a V)) {
        match self {
            Self::True | Self::False => {}
            Self::Compare(_, a, b) => {
                a.for_each_var(f);
                b.for_each_var(f);
            }
            Self::Nonzero(t) => t.for_each_var(f),
            Self::Not(c) => c.for_each_var(f),
            Self::And(cs) | Self::Or(cs) => cs.iter().for_each(|c| c.for_each_var(f)),
            Self::Implies(a, b) | Self::Iff(a, b) => {
                a.for_each_var(f);
                b.for_each_var(f);
            }
        }
    }

    /// The same condition over other variables.
    pub fn map_vars<W>(&self, f: &mut impl FnMut(&V) -> W) -> Condition<W> {
        match self {
            Self::True => Condition::True,
            Self::False => Condition::False,
            Self::Compare(op, a, b) => Condition::Compare(*op, a.map_vars(f), b.map_vars(f)),
            Self::Nonzero(t) => Condition::Nonzero(t.map_vars(f)),
            Self::Not(c) => Condition::Not(Box::new(c.map_vars(f))),
            Self::And(cs) => Condition::And(cs.iter().map(|c| c.map_vars(f)).collect()),
            Self::Or(cs) => Condition::Or(cs.iter().map(|c| c.map_vars(f)).collect()),
            Self::Implies(a, b) => Condition::Implies(Box::new(a.map_vars(f)), Box::new(b.map_vars(f))),
            Self::Iff(a, b) => Condition::Iff(Box::new(a.map_vars(f)), Box::new(b.map_vars(f))),
        }
    }
}

impl<V: Clone> Term<V> {
    /// The same with terms for some variables.
    pub fn replace(&self, f: &dyn Fn(&V) -> Option<Self>) -> Self {
        match self {
            Self::Var(v) => f(v).unwrap_or_else(|| self.clone()),
            Self::Number(_) | Self::Text(..) => self.clone(),
            Self::Neg(t) => Self::Neg(Box::new(t.replace(f))),
            Self::Binary(op, a, b) => Self::Binary(*op, Box::new(a.replace(f)), Box::new(b.replace(f))),
        }
    }
}

impl<V: Clone> Condition<V> {
    /// The same with terms for some variables.
    pub fn replace(&self, f: &dyn Fn(&V) -> Option<Term<V>>) -> Self {
        let all = |cs: &[Self]| cs.iter().map(|c| c.replace(f)).collect();
        match self {
            Self::True => Self::True,
            Self::False => Self::False,
            Self::Compare(op, a, b) => Self::Compare(*op, a.replace(f), b.replace(f)),
            Self::Nonzero(t) => Self::Nonzero(t.replace(f)),
            Self::Not(c) => Self::Not(Box::new(c.replace(f))),
            Self::And(cs) => Self::And(all(cs)),
            Self::Or(cs) => Self::Or(all(cs)),
            Self::Implies(a, b) => Self::Implies(Box::new(a.replace(f)), Box::new(b.replace(f))),
            Self::Iff(a, b) => Self::Iff(Box::new(a.replace(f)), Box::new(b.replace(f))),
        }
    }
}

impl<V: Clone> Atom<V> {
    /// The same with terms for some variables.
    pub fn replace(&self, f: &dyn Fn(&V) -> Option<Term<V>>) -> Self {
        match self {
            Self::State(c) => Self::State(c.replace(f)),
            Self::Step(c) => Self::Step(c.replace(f)),
            Self::On(c) => Self::On(c.replace(f)),
            Self::Event(_) | Self::Having(_) | Self::Process(_) | Self::Enabled(_) => self.clone(),
        }
    }
}

impl<V> Term<V> {
    /// A constant.
    #[must_use]
    pub fn value(value: &Value) -> Self {
        match value {
            Value::Number(n) => Self::Number(n.clone()),
            Value::Text(text) => Self::Text(text.clone(), Spot::default()),
        }
    }
}

impl Condition {
    /// Whether it speaks of values at the position before.
    #[must_use]
    pub fn looks_back(&self) -> bool {
        let mut back = false;
        self.for_each_var(&mut |var| back |= var.which == Which::Before);
        back
    }
}

impl Atom {
    /// The same about a value, where it speaks of the one that an instance is about.
    #[must_use]
    pub fn about(&self, value: &Value) -> Self {
        match self {
            Self::Having(having) => Self::Having(having.about(value)),
            other => other.replace(&|var| (var.which == Which::Key).then(|| Term::value(value))),
        }
    }

    /// What a condition says about a position.
    #[must_use]
    pub fn of_state(condition: Condition) -> Self {
        if condition.looks_back() { Self::Step(condition) } else { Self::State(condition) }
    }
}

impl<V> Atom<V> {
    /// The condition on values, if it has one.
    #[must_use]
    pub fn condition(&self) -> Option<&Condition<V>> {
        match self {
            Self::State(c) | Self::Step(c) | Self::On(c) => Some(c),
            Self::Event(_) | Self::Having(_) | Self::Process(_) | Self::Enabled(_) => None,
        }
    }

    /// Calls `f` with every variable, from left to right.
    pub fn for_each_var<'a>(&'a self, f: &mut impl FnMut(&'a V)) {
        match self {
            Self::State(c) | Self::Step(c) | Self::On(c) => c.for_each_var(f),
            Self::Event(_) | Self::Having(_) | Self::Process(_) | Self::Enabled(_) => {}
        }
    }

    /// The same atom over other variables.
    pub fn map_vars<W>(&self, f: &mut impl FnMut(&V) -> W) -> Atom<W> {
        match self {
            Self::State(c) => Atom::State(c.map_vars(f)),
            Self::Step(c) => Atom::Step(c.map_vars(f)),
            Self::On(c) => Atom::On(c.map_vars(f)),
            Self::Event(name) => Atom::Event(name.clone()),
            Self::Having(having) => Atom::Having(having.clone()),
            Self::Process(name) => Atom::Process(name.clone()),
            Self::Enabled(name) => Atom::Enabled(name.clone()),
        }
    }
}

impl fmt::Display for Compare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
        })
    }
}

impl fmt::Display for Arith {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
        })
    }
}
