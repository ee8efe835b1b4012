//! Fair discrete systems (Pnueli and Zaks 2006, section 3; with compassion as in Kesten, Pnueli and Raviv 1998).
//!
//! A state gives each variable a value of its domain. A *computation* starts in a state that satisfies all of `init`, every state
//! satisfies all of `invar`, every two neighbours all of `trans`, and it is
//! - infinite and fair: every assertion of `justice` holds infinitely often, and for every pair (p, q) of `compassion` q holds infinitely
//!   often if p does; or
//! - finite, and its last state satisfies `finals`.
//!
//! All of these are expressions of one arena ([`Exprs`]) over the flat variables: modules, definitions and arrays are gone.

mod bind;
mod eval;
mod expr;
mod print;
mod trail;
pub(super) mod typed;
mod types;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

pub(super) use bind::{Binder, Names};
pub use eval::Misstep;
pub use expr::{Expr, ExprId, Exprs, Op};
pub use trail::Trail;

use posetta_base::{Diagnostic, Span, VarId};
use posetta_logic::{Ctl, Ltl, Psl};

/// A value of a variable.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    /// `TRUE` or `FALSE`. Where a number is needed they are 1 and 0.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A symbol of an enumeration.
    Symbol(Arc<str>),
}

impl Value {
    /// The value as a number, if it is one.
    #[must_use]
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Self::Bool(b) => Some(i64::from(*b)),
            Self::Int(i) => Some(*i),
            Self::Symbol(_) => None,
        }
    }

    /// Whether the two are equal: truth values as numbers; a symbol differs from every number.
    #[must_use]
    pub fn same(&self, other: &Self) -> bool {
        match (self.as_int(), other.as_int()) {
            (Some(a), Some(b)) => a == b,
            _ => self == other,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(true) => f.write_str("TRUE"),
            Self::Bool(false) => f.write_str("FALSE"),
            Self::Int(i) => i.fmt(f),
            Self::Symbol(s) => f.write_str(s),
        }
    }
}

/// The values that a variable can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Domain {
    /// `boolean`
    Bool,
    /// `lo..hi`, both included, lo ≤ hi.
    Range(i64, i64),
    /// `{a, b, 3}`: symbols and integers, at least one, no two the same.
    Choice(Vec<Value>),
}

impl Domain {
    /// How many values there are.
    #[must_use]
    pub fn size(&self) -> u128 {
        match self {
            Self::Bool => 2,
            // Both fit into 65 bits.
            Self::Range(lo, hi) => (i128::from(*hi) - i128::from(*lo) + 1).unsigned_abs(),
            Self::Choice(values) => values.len() as u128,
        }
    }

    /// Whether a value belongs to it. 0 and 1 are truth values, too.
    #[must_use]
    pub fn contains(&self, value: &Value) -> bool {
        match self {
            Self::Bool => value.as_int().is_some_and(|i| i == 0 || i == 1),
            Self::Range(lo, hi) => value.as_int().is_some_and(|i| (*lo..=*hi).contains(&i)),
            Self::Choice(values) => values.iter().any(|v| v.same(value)),
        }
    }
}

/// When a variable changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// `VAR`: part of the state.
    State,
    /// `IVAR`: belongs to a step, not to the state before it. Of any value unless `trans` says otherwise.
    Input,
    /// `FROZENVAR`: keeps its first value.
    Frozen,
}

/// A variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its full name: `p0.state`, `forks[3]`.
    pub name: Arc<str>,
    /// Its values.
    pub domain: Domain,
    /// When it changes.
    pub role: Role,
    /// Where it was declared.
    pub span: Span,
}

/// A demand on states or steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clause {
    /// What must be true.
    pub expr: ExprId,
    /// Where it was written.
    pub span: Span,
    /// Whether it is an assignment: `expr` is then `x in e` or `next(x) in e`, and e must stay inside the domain of x.
    pub assigns: bool,
}

/// A property of a model.
#[derive(Clone, Debug, PartialEq)]
pub enum Demand {
    /// Every computation satisfies it.
    Ltl(Ltl<ExprId>),
    /// Every computation satisfies it.
    Psl(Psl<ExprId>),
    /// Every initial state that begins a computation satisfies it; paths are the computations from a state on.
    Ctl(Ctl<ExprId>),
    /// Every reachable state satisfies it, whether a computation goes on from there or not.
    Invariant(ExprId),
}

/// A property with where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// What it demands; expressions of the model's arena.
    pub demand: Demand,
    /// The text that it was written in, and that spans of its expressions refer to.
    pub source: Arc<str>,
    /// Its own part of that text.
    pub span: Span,
    /// Things worth knowing about it.
    pub warnings: Vec<Diagnostic>,
}

impl Spec {
    /// The formula as it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        self.source.get(self.span.start..self.span.end).unwrap_or_default().trim()
    }

    /// `ltl`, `psl`, `ctl` or `invariant`.
    #[must_use]
    pub fn logic(&self) -> &'static str {
        match self.demand {
            Demand::Ltl(_) => "ltl",
            Demand::Psl(_) => "psl",
            Demand::Ctl(_) => "ctl",
            Demand::Invariant(_) => "invariant",
        }
    }
}

/// A fair discrete system.
#[derive(Clone, Debug, Default)]
pub struct Fds {
    /// The text that spans of clauses and variables refer to.
    pub source: Arc<str>,
    /// The variables, in the order of their declaration; a [`VarId`] is a place here.
    pub vars: Vec<Variable>,
    /// All expressions.
    pub exprs: Exprs,
    /// True of the first state. State and frozen variables, without `next`.
    pub init: Vec<Clause>,
    /// True of every state. State and frozen variables, without `next`.
    pub invar: Vec<Clause>,
    /// True of every step: all variables, state variables also with `next`.
    pub trans: Vec<Clause>,
    /// Each true infinitely often in an infinite computation. State and frozen variables, without `next`.
    pub justice: Vec<Clause>,
    /// For each (p, q): if p is true infinitely often, so is q.
    pub compassion: Vec<(Clause, Clause)>,
    /// All true of the last state of a finite computation; none: there are no finite computations.
    pub finals: Vec<Clause>,
    /// The properties that the model itself states.
    pub specs: Vec<Spec>,
    /// What was defined, under full names, for properties that are asked from outside. Without `next`.
    pub defines: BTreeMap<Arc<str>, ExprId>,
    /// Things worth knowing about the model.
    pub warnings: Vec<Diagnostic>,
}

impl Fds {
    /// A variable.
    #[must_use]
    pub fn var(&self, id: VarId) -> &Variable {
        &self.vars[id.index()]
    }

    /// The variable of that name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<VarId> {
        self.vars.iter().position(|v| &*v.name == name).and_then(VarId::new)
    }
}
