//! Expressions over the variables of a state and, with `next`, of the state after it.
//!
//! Every expression is stored once: definitions that are used often are shared, and whoever works expressions off can keep one result
//! per [`ExprId`]. Operands have smaller ids than what is made of them.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Value;
use posetta_base::{Span, VarId};

/// A place in [`Exprs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(u32);

impl ExprId {
    /// The place in the arena.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Operators on two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// `a & b`. The right operand need not have a value where the left one is false.
    And,
    /// `a | b`. The right operand need not have a value where the left one is true.
    Or,
    /// `a -> b`. The right operand need not have a value where the left one is false.
    Implies,
    /// `a <-> b` of truth values; `a xnor b`.
    Iff,
    /// `a xor b`
    Xor,
    /// `a = b` of any values ([`Value::same`]).
    Eq,
    /// `a != b`
    Ne,
    /// `a < b` of numbers, as the following ones.
    Lt,
    /// `a <= b`
    Le,
    /// `a > b`
    Gt,
    /// `a >= b`
    Ge,
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// `a / b`, rounded towards zero. No value where b is 0.
    Div,
    /// `a mod b`: what `a / b` leaves, with the sign of a. No value where b is 0.
    Mod,
    /// `a in b`: a is one of the values that b can have. The only place for sets, with assignments, which are written so.
    In,
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// A constant.
    Const(Value),
    /// A variable of this state, or of the next one.
    Var {
        /// Which one.
        var: VarId,
        /// Of the next state.
        next: bool,
    },
    /// `!a`
    Not(ExprId),
    /// `-a`
    Neg(ExprId),
    /// `a & b` and so on.
    Binary(Op, ExprId, ExprId),
    /// `case c : a; … esac`, `c ? a : b`: the value behind the first condition that is true; no value where none is.
    Case(Vec<(ExprId, ExprId)>),
    /// `{a, b}`, `a union b`: any of these; only on the right of [`Op::In`], also inside the branches of a case there. Not empty.
    Set(Vec<ExprId>),
    /// `count(a, b, …)`: how many of these truth values are true.
    Count(Vec<ExprId>),
}

impl Expr {
    /// What it is made of, from left to right.
    pub(crate) fn for_each_operand(&self, mut f: impl FnMut(ExprId)) {
        match self {
            Self::Const(_) | Self::Var { .. } => {}
            Self::Not(a) | Self::Neg(a) => f(*a),
            Self::Binary(_, a, b) => {
                f(*a);
                f(*b);
            }
            Self::Case(arms) => arms.iter().for_each(|&(c, a)| {
                f(c);
                f(a);
            }),
            Self::Set(parts) | Self::Count(parts) => parts.iter().for_each(|&p| f(p)),
        }
    }

    /// The same with other operands.
    #[must_use]
    pub(crate) fn map_operands(&self, mut f: impl FnMut(ExprId) -> ExprId) -> Self {
        match self {
            Self::Const(_) | Self::Var { .. } => self.clone(),
            Self::Not(a) => Self::Not(f(*a)),
            Self::Neg(a) => Self::Neg(f(*a)),
            Self::Binary(op, a, b) => {
                let a = f(*a);
                Self::Binary(*op, a, f(*b))
            }
            Self::Case(arms) => Self::Case(
                arms.iter()
                    .map(|&(c, a)| {
                        let c = f(c);
                        (c, f(a))
                    })
                    .collect(),
            ),
            Self::Set(parts) => Self::Set(parts.iter().map(|&p| f(p)).collect()),
            Self::Count(parts) => Self::Count(parts.iter().map(|&p| f(p)).collect()),
        }
    }
}

/// An arena of expressions.
#[derive(Clone, Debug, Default)]
pub struct Exprs {
    nodes: Vec<Expr>,
    spans: Vec<Span>,
    known: FxHashMap<Expr, ExprId>,
}

impl Exprs {
    /// The expression, stored once; its span is where it was written first.
    ///
    /// # Panics
    /// Past four thousand million expressions.
    pub fn add(&mut self, expr: Expr, span: Span) -> ExprId {
        if let Some(&id) = self.known.get(&expr) {
            return id;
        }
        let id = ExprId(u32::try_from(self.nodes.len()).expect("memory ends long before"));
        self.nodes.push(expr.clone());
        self.spans.push(span);
        self.known.insert(expr, id);
        id
    }

    /// An expression.
    #[must_use]
    pub fn get(&self, id: ExprId) -> &Expr {
        &self.nodes[id.index()]
    }

    /// All expressions, operands before what is made of them.
    pub fn all(&self) -> impl Iterator<Item = &Expr> {
        self.nodes.iter()
    }

    /// Where an expression was written first.
    #[must_use]
    pub fn span(&self, id: ExprId) -> Span {
        self.spans[id.index()]
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// What the expressions are made of, themselves included: smaller ids first, each once.
    #[must_use]
    pub fn below(&self, roots: &[ExprId]) -> Vec<ExprId> {
        let mut seen: FxHashSet<ExprId> = roots.iter().copied().collect();
        let mut open: Vec<ExprId> = seen.iter().copied().collect();
        while let Some(id) = open.pop() {
            self.nodes[id.index()].for_each_operand(|o| {
                if seen.insert(o) {
                    open.push(o);
                }
            });
        }
        let mut found: Vec<ExprId> = seen.into_iter().collect();
        found.sort_unstable();
        found
    }

    /// The expression with every state variable read in the next state. `frozen` says which variables never change.
    pub fn next(&mut self, root: ExprId, frozen: &dyn Fn(VarId) -> bool) -> ExprId {
        let mut moved: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        for id in self.below(&[root]) {
            let expr = match self.get(id) {
                Expr::Var { var, next: false } if !frozen(*var) => Expr::Var { var: *var, next: true },
                other => other.map_operands(|o| moved[&o]),
            };
            let new = self.add(expr, self.span(id));
            moved.insert(id, new);
        }
        moved[&root]
    }

    /// The variables that an expression reads: (of this state, of the next one), each once, ascending.
    #[must_use]
    pub fn vars(&self, root: ExprId) -> (Vec<VarId>, Vec<VarId>) {
        let (mut now, mut next) = (Vec::new(), Vec::new());
        for id in self.below(&[root]) {
            if let Expr::Var { var, next: later } = self.get(id) {
                if *later { next.push(*var) } else { now.push(*var) }
            }
        }
        now.sort_unstable();
        next.sort_unstable();
        (now, next)
    }
}
