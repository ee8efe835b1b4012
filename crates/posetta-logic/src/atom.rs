//! Atoms: what a formula says about one position.
//!
//! The trees are generic in how they name a variable: [`Var`] as written, a slot once bound to a trace.

use std::fmt;
use std::hash::{Hash, Hasher};

use posetta_base::{Number, Span};

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
    /// Its name in the trace.
    pub name: String,
    /// Where it was written.
    pub spot: Spot,
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
    /// `on(A)`: the event assigns a variable of A, and A holds after it.
    On(Condition<V>),
    /// `event(name)`: the event has that name.
    Event(String),
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

impl<V> Atom<V> {
    /// Calls `f` with every variable, from left to right.
    pub fn for_each_var<'a>(&'a self, f: &mut impl FnMut(&'a V)) {
        match self {
            Self::State(c) | Self::On(c) => c.for_each_var(f),
            Self::Event(_) | Self::Process(_) | Self::Enabled(_) => {}
        }
    }

    /// The same atom over other variables.
    pub fn map_vars<W>(&self, f: &mut impl FnMut(&V) -> W) -> Atom<W> {
        match self {
            Self::State(c) => Atom::State(c.map_vars(f)),
            Self::On(c) => Atom::On(c.map_vars(f)),
            Self::Event(name) => Atom::Event(name.clone()),
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
