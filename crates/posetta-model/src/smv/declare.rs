//! Makes the flat variables.

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::evaluate::Evaluator;
use super::scope::{Array, ScopeId, Sort, State, Thing};
use super::tree::{Choice, NodeId, TypeTree};
use crate::fds::typed::Made;
use crate::fds::{Domain, Role, Value, Variable};
use posetta_base::{Kind, Span, Spanned, VarId};

/// More variables are refused.
const MOST_VARIABLES: usize = 1 << 20;

/// Letters in the names of all variables.
const MOST_LETTERS: usize = 1 << 27;

/// A range with more values is worth a warning.
const WIDE: u128 = 1 << 24;

/// A type whose constants are known.
enum Shape {
    Plain(Domain),
    Array(i64, i64, Box<Shape>),
}

impl Shape {
    /// How many variables it takes.
    fn size(&self) -> u128 {
        match self {
            Self::Plain(_) => 1,
            Self::Array(lo, hi, of) => {
                let length = (i128::from(*hi) - i128::from(*lo) + 1).unsigned_abs();
                length.saturating_mul(of.size())
            }
        }
    }
}

impl Evaluator<'_, '_> {
    /// Makes the variables of all instances, in the order in which they are declared, instances in their place.
    pub(super) fn declare(&mut self) {
        let tree = self.tree;
        let mut letters = 0;
        let mut open = vec![(ScopeId(0), 0)];
        while let Some((scope, i)) = open.pop() {
            let module = tree.module(self.scopes.get(scope).module);
            let Some(declaration) = module.vars.get(i) else { continue };
            open.push((scope, i + 1));
            let name = declaration.name;
            let Some(slot) = self.scopes.find(scope, name.text) else { continue };
            if self.scopes.table(scope).slots[slot.0 as usize].1 != Sort::Var(i) {
                continue;
            }
            if let TypeTree::Instance { .. } = declaration.ty {
                if let State::Done(Thing::Scope(child)) = self.scopes.state(scope, slot) {
                    open.push((*child, 0));
                }
                continue;
            }
            let thing = match self.shape(scope, &declaration.ty) {
                None => Ok(Thing::Wrong),
                Some(shape) if shape.size().saturating_add(self.typed.vars.len() as u128) > MOST_VARIABLES as u128 => {
                    Err(too_many(name.span))
                }
                Some(shape) => {
                    let full = format!("{}{}", self.scopes.get(scope).prefix, name.text);
                    self.make(&full, &shape, declaration.role, name.span, &mut letters)
                }
            };
            let (thing, full) = match thing {
                Ok(thing) => (thing, false),
                Err(problem) => {
                    self.problems.push(problem);
                    (Thing::Wrong, true)
                }
            };
            self.scopes.set(scope, slot, State::Done(thing));
            if full || self.problems.is_full() {
                return;
            }
        }
    }

    /// A constant number that a type needs.
    fn constant(&mut self, scope: ScopeId, node: NodeId) -> Option<i64> {
        let span = self.tree.span(node);
        let found = match self.evaluate(scope, node).thing {
            Thing::Wrong => return None,
            Thing::Expr(id) => self.typed.value(id).cloned(),
            _ => None,
        };
        if let Some(Value::Int(i)) = found {
            return Some(i);
        }
        let problem = Spanned::new(Kind::Type, span, "a type needs constants");
        self.problems.push(problem.label("expected a number"));
        None
    }

    fn bounds(&mut self, scope: ScopeId, lo: NodeId, hi: NodeId) -> Option<(i64, i64, Span)> {
        let span = self.tree.span(lo).to(self.tree.span(hi));
        let (from, to) = (self.constant(scope, lo), self.constant(scope, hi));
        let (from, to) = (from?, to?);
        if from > to {
            let problem = Spanned::new(Kind::Type, span, format!("the range {from}..{to} is empty"));
            self.problems.push(problem.label("expected the smaller number first"));
            return None;
        }
        Some((from, to, span))
    }

    fn shape(&mut self, scope: ScopeId, ty: &TypeTree<'_>) -> Option<Shape> {
        match ty {
            TypeTree::Boolean => Some(Shape::Plain(Domain::Bool)),
            TypeTree::Range(lo, hi) => {
                let (lo, hi, span) = self.bounds(scope, *lo, *hi)?;
                let domain = Domain::Range(lo, hi);
                if domain.size() > WIDE {
                    let bits = u128::BITS - (domain.size() - 1).leading_zeros();
                    let message = format!("a variable of this range takes {bits} bits; stepwise searches may not end");
                    self.typed.warnings.push(Spanned::new(Kind::TooLarge, span, message));
                }
                Some(Shape::Plain(domain))
            }
            TypeTree::Choice(values) => self.choice(scope, values),
            TypeTree::Array(lo, hi, of) => {
                let (lo, hi, _) = self.bounds(scope, *lo, *hi)?;
                Some(Shape::Array(lo, hi, Box::new(self.shape(scope, of)?)))
            }
            TypeTree::Instance { .. } => None,
        }
    }

    fn choice(&mut self, scope: ScopeId, values: &[Choice<'_>]) -> Option<Shape> {
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        for value in values {
            let (value, span) = match value {
                Choice::Symbol(name) => (Value::Symbol(Arc::from(name.text)), name.span),
                Choice::Int(node) => (Value::Int(self.constant(scope, *node)?), self.tree.span(*node)),
            };
            if !seen.insert(value.clone()) {
                let message = format!("`{value}` is twice in this enumeration");
                self.problems.push(Spanned::new(Kind::Definition, span, message));
                return None;
            }
            found.push(value);
        }
        Some(Shape::Plain(Domain::Choice(found)))
    }

    fn make(&mut self, name: &str, shape: &Shape, role: Role, span: Span, letters: &mut usize) -> Made<Thing> {
        match shape {
            Shape::Plain(domain) => {
                *letters = letters.saturating_add(name.len());
                let count = self.typed.vars.len();
                let id = VarId::new(count).filter(|_| count < MOST_VARIABLES && *letters < MOST_LETTERS);
                let id = id.ok_or_else(|| too_many(span))?;
                self.typed.vars.push(Variable { name: Arc::from(name), domain: domain.clone(), role, span });
                Ok(Thing::Expr(self.typed.var(id, false, span)?))
            }
            Shape::Array(lo, hi, of) => {
                let mut items = Vec::new();
                for i in *lo..=*hi {
                    items.push(self.make(&format!("{name}[{i}]"), of, role, span, letters)?);
                }
                Ok(Thing::Array(Rc::new(Array { lo: *lo, items })))
            }
        }
    }
}

fn too_many(span: Span) -> Box<Spanned> {
    Spanned::new(Kind::TooLarge, span, "the model has too many variables")
        .label(format!("here it has more than {MOST_VARIABLES}"))
        .help("every element of an array is a variable")
}
