//! Works expressions off in an instance of a module.
//!
//! The nodes of an expression stand in an order in which each comes after its operands, so one loop goes over them. A name whose meaning is
//! not known yet (a definition, a parameter) interrupts it: a new frame goes on the stack, and when it is done its result is kept for all
//! who ask again. A name that is met while its own frame is open is defined by itself.

use std::rc::Rc;

use super::parse::WHO_MOVES;
use super::scope::{Array, ScopeId, Scopes, Slot, Sort, State, Thing};
use super::tree::{Function, NodeId, NodeKind, Tree};
use crate::fds::typed::{At, Made, Typed};
use crate::fds::{Expr, ExprId, Op, Value};
use crate::problem::{Problems, values_of};
use posetta_base::{Kind, Span, Spanned};

/// A set `lo..hi` is a list of its values.
const MOST_IN_SET: i128 = 1 << 16;

/// An instance with all that is needed to work expressions off.
pub(super) struct Evaluator<'t, 'a> {
    pub(super) source: &'t str,
    pub(super) tree: &'t Tree<'a>,
    pub(super) scopes: Scopes<'a>,
    pub(super) typed: Typed,
    pub(super) problems: Problems,
    /// The variable that the value which is worked off is assigned to.
    pub(super) aim: Option<ExprId>,
}

/// What came out of an expression.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) thing: Thing,
    /// Where it first looks at the next state.
    pub(super) next: Option<Span>,
    /// Where it first reads an input.
    pub(super) input: Option<Span>,
}

/// An expression that is being worked off.
struct Frame {
    scope: ScopeId,
    first: u32,
    root: u32,
    results: Vec<Thing>,
    /// Whose meaning it is.
    target: Option<(ScopeId, Slot)>,
    next: Option<Span>,
    input: Option<Span>,
}

impl Frame {
    fn take(&mut self, id: NodeId) -> Thing {
        // A node is the operand of one other node.
        std::mem::replace(&mut self.results[(id.0 - self.first) as usize], Thing::Wrong)
    }
}

/// Why a node has no result yet.
pub(super) enum Stop {
    /// This name comes first.
    Need(ScopeId, Slot),
    Mistake(Box<Spanned>),
    /// An operand had a mistake.
    Wrong,
}

impl From<Box<Spanned>> for Stop {
    fn from(problem: Box<Spanned>) -> Self {
        Self::Mistake(problem)
    }
}

impl Evaluator<'_, '_> {
    fn frame(&self, scope: ScopeId, root: NodeId, target: Option<(ScopeId, Slot)>) -> Frame {
        let first = self.tree.node(root).first.0;
        Frame { scope, first, root: root.0, results: Vec::new(), target, next: None, input: None }
    }

    /// What an expression stands for in a scope. Mistakes are told.
    pub(super) fn evaluate(&mut self, scope: ScopeId, root: NodeId) -> Outcome {
        let frame = self.frame(scope, root, None);
        self.run(vec![frame])
    }

    /// What a name stands for.
    pub(super) fn settle(&mut self, scope: ScopeId, slot: Slot) -> Thing {
        if let State::Done(thing) = self.scopes.state(scope, slot) {
            return thing.clone();
        }
        match self.open(scope, slot) {
            Some(frame) => self.run(vec![frame]).thing,
            None => Thing::Wrong,
        }
    }

    fn run(&mut self, mut stack: Vec<Frame>) -> Outcome {
        while let Some(mut frame) = stack.pop() {
            if self.problems.is_full() {
                // Looking for names that were meant costs time, and nobody reads on.
                break;
            }
            let at = frame.first + frame.results.len() as u32;
            if at > frame.root {
                let thing = frame.results.pop().unwrap_or(Thing::Wrong);
                if let Some((scope, slot)) = frame.target {
                    self.scopes.set(scope, slot, State::Done(thing.clone()));
                }
                if stack.is_empty() {
                    return Outcome { thing, next: frame.next, input: frame.input };
                }
                continue;
            }
            let id = NodeId(at);
            let span = self.tree.span(id);
            match self.typed.spend(1, span).map_err(Stop::from).and_then(|()| self.node(&mut frame, id)) {
                Ok(thing) => {
                    if let Thing::Expr(expr) = &thing {
                        let ty = self.typed.ty(*expr);
                        if ty.next {
                            frame.next.get_or_insert(span);
                        }
                        if ty.input {
                            frame.input.get_or_insert(span);
                        }
                    }
                    frame.results.push(thing);
                    stack.push(frame);
                }
                Err(Stop::Need(scope, slot)) => {
                    stack.push(frame);
                    match self.open(scope, slot) {
                        Some(inner) => stack.push(inner),
                        None => {
                            let problem = self.cycle(&stack, scope, slot, span);
                            self.problems.push(problem);
                            stack.last_mut().expect("pushed just now").results.push(Thing::Wrong);
                        }
                    }
                }
                Err(stop) => {
                    if let Stop::Mistake(problem) = stop {
                        self.problems.push(problem);
                    }
                    frame.results.push(Thing::Wrong);
                    stack.push(frame);
                }
            }
        }
        Outcome { thing: Thing::Wrong, next: None, input: None }
    }

    /// A frame for the meaning of a name; `None` if there is one already.
    fn open(&mut self, scope: ScopeId, slot: Slot) -> Option<Frame> {
        if !matches!(self.scopes.state(scope, slot), State::Unknown) {
            return None;
        }
        let inside = self.scopes.get(scope);
        let (home, root) = match self.scopes.table(scope).slots[slot.0 as usize].1 {
            Sort::Define(root) => (scope, root),
            Sort::Param(i) => (inside.parent?, *inside.args.get(i)?),
            Sort::Var(_) => return None,
        };
        self.scopes.set(scope, slot, State::Open);
        Some(self.frame(home, root, Some((scope, slot))))
    }

    fn full_name(&self, scope: ScopeId, slot: Slot) -> String {
        format!("{}{}", self.scopes.get(scope).prefix, self.scopes.table(scope).slots[slot.0 as usize].0.text)
    }

    fn cycle(&self, stack: &[Frame], scope: ScopeId, slot: Slot, span: Span) -> Box<Spanned> {
        let open: Vec<(ScopeId, Slot)> = stack.iter().filter_map(|f| f.target).collect();
        let from = open.iter().position(|&t| t == (scope, slot)).unwrap_or(0);
        let mut names: Vec<String> =
            open[from..].iter().take(10).map(|&(s, t)| format!("`{}`", self.full_name(s, t))).collect();
        if open.len() - from > names.len() {
            names.push("…".to_owned());
        }
        let name = self.full_name(scope, slot);
        names.push(format!("`{name}`"));
        Spanned::new(Kind::Definition, span, format!("`{name}` is defined by itself"))
            .label("here it needs its own value")
            .help(format!("{}: a value that depends on an earlier one is a variable", names.join(" needs ")))
    }

    /// An operand that must be a value.
    fn value(&self, frame: &mut Frame, id: NodeId) -> Result<At, Stop> {
        let span = self.tree.span(id);
        let thing = frame.take(id);
        self.as_value(thing, span)
    }

    pub(super) fn as_value(&self, thing: Thing, span: Span) -> Result<At, Stop> {
        let message = match thing {
            Thing::Expr(id) => return Ok(At { id, span }),
            Thing::Wrong => return Err(Stop::Wrong),
            Thing::Array(_) => "a whole array is not a value",
            Thing::Scope(_) => "an instance of a module is not a value",
            Thing::Ltl(..) | Thing::Ctl(..) => "an operator of time cannot stand inside a value",
        };
        let problem = Spanned::new(Kind::Type, span, message).label("expected a value");
        Err(Stop::Mistake(match thing {
            Thing::Array(_) => problem.help("take one of its elements, as in `a[0]`"),
            Thing::Scope(_) => problem.help("name one of its variables, as in `p.x`"),
            _ => problem.help("operators of time join formulas with `! & | xor xnor -> <->` only"),
        }))
    }

    fn name(&mut self, scope: ScopeId, name: &str, span: Span, inside: bool) -> Result<Thing, Stop> {
        let Some(slot) = self.scopes.find(scope, name) else {
            if !inside && self.scopes.symbols.contains(name) {
                return Ok(Thing::Expr(self.typed.symbol(name, span)?));
            }
            return Err(Stop::Mistake(self.unknown(scope, name, span, inside)));
        };
        match self.scopes.state(scope, slot) {
            State::Done(thing) => Ok(thing.clone()),
            State::Unknown | State::Open => match self.scopes.table(scope).slots[slot.0 as usize].1 {
                // Variables are made before anything but types is looked at.
                Sort::Var(_) => Err(Stop::Mistake(
                    Spanned::new(Kind::Type, span, "a type needs constants").label("this is a variable"),
                )),
                _ => Err(Stop::Need(scope, slot)),
            },
        }
    }

    fn unknown(&self, scope: ScopeId, name: &str, span: Span, inside: bool) -> Box<Spanned> {
        let module = self.tree.module(self.scopes.get(scope).module).name.text;
        let message = if inside {
            format!("the module `{module}` declares no `{name}`")
        } else {
            format!("nothing here is called `{name}`")
        };
        let problem = Spanned::new(Kind::UnknownVariable, span, message);
        if !inside {
            if name == "running" {
                let message = "`running` belongs to processes, which are not read";
                return Spanned::new(Kind::Unsupported, span, message).help(WHO_MOVES);
            }
            if let Some(truth) = ["TRUE", "FALSE"].into_iter().find(|t| t.eq_ignore_ascii_case(name)) {
                return problem.label(format!("did you mean `{truth}`?"));
            }
        }
        let problem = match self.scopes.near(scope, name, !inside) {
            Some(near) => problem.label(format!("did you mean `{near}`?")),
            None if inside => problem.label("unknown"),
            None => {
                problem.label(format!("expected a variable, a parameter or a definition of `{module}`, or a symbol"))
            }
        };
        if name.contains('-') {
            problem.help("`-` belongs to the name here: write `a - b` for a difference")
        } else {
            problem
        }
    }

    /// What a name is compared with, if it is the right operand.
    fn beside(&self, frame: &Frame, id: NodeId) -> Option<ExprId> {
        if id.0 >= frame.root {
            return None;
        }
        match self.tree.node(NodeId(id.0 + 1)).kind {
            NodeKind::Binary(Op::Eq | Op::Ne, left, right) if right == id => {
                match frame.results[(left.0 - frame.first) as usize] {
                    Thing::Expr(left) => Some(left),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// A mistake in a value that should be one of a variable's.
    fn with_values(&self, mut problem: Box<Spanned>, of: ExprId) -> Box<Spanned> {
        if let (Kind::UnknownVariable, None, Expr::Var { var, .. }) =
            (problem.kind, &problem.help, self.typed.exprs.get(of))
        {
            problem.help = values_of(&self.typed.vars[var.index()]);
        }
        problem
    }

    fn node(&mut self, frame: &mut Frame, id: NodeId) -> Result<Thing, Stop> {
        let tree = self.tree;
        let node = tree.node(id);
        let span = node.span;
        let expr = match &node.kind {
            NodeKind::Bool(b) => self.typed.constant(Value::Bool(*b), span)?,
            NodeKind::Int(i) => self.typed.constant(Value::Int(*i), span)?,
            NodeKind::Name(name) => {
                let aim = self.aim.filter(|_| frame.root == id.0 && frame.target.is_none());
                return match (self.name(frame.scope, name, span, false), self.beside(frame, id).or(aim)) {
                    (Err(Stop::Mistake(problem)), Some(of)) => Err(Stop::Mistake(self.with_values(problem, of))),
                    (found, _) => found,
                };
            }
            NodeKind::This => return Ok(Thing::Scope(frame.scope)),
            NodeKind::Dot(base, name) => return self.dot(frame, *base, name, span),
            NodeKind::Index(base, index) => return self.index(frame, *base, *index, span),
            NodeKind::Not(a) => match frame.take(*a) {
                formula @ (Thing::Ltl(..) | Thing::Ctl(..)) => return Ok(self.negated(formula, span)?),
                thing => {
                    let a = self.as_value(thing, tree.span(*a))?;
                    self.typed.not(a, span)?
                }
            },
            NodeKind::Neg(a) => {
                let a = self.value(frame, *a)?;
                self.typed.neg(a, span)?
            }
            NodeKind::Binary(op, a, b) => {
                let (left, right) = (frame.take(*a), frame.take(*b));
                let timed = |t: &Thing| matches!(t, Thing::Ltl(..) | Thing::Ctl(..));
                let (from, to) = (tree.span(*a), tree.span(*b));
                if (timed(&left) || timed(&right)) && matches!(op, Op::And | Op::Or | Op::Implies | Op::Iff | Op::Xor) {
                    return self.joined(*op, (left, from), (right, to), span);
                }
                let left = self.as_value(left, from)?;
                let right = self.as_value(right, to)?;
                self.typed.binary(*op, left, right, span)?
            }
            NodeKind::Next(a) => {
                let a = self.value(frame, *a)?;
                self.typed.next(a, span)?
            }
            NodeKind::Case(arms) => {
                let mut made = Vec::new();
                for (condition, value) in arms {
                    let condition = match condition {
                        Some(c) => self.value(frame, *c),
                        None => Ok(At { id: self.typed.constant(Value::Bool(true), span)?, span }),
                    };
                    let value = self.value(frame, *value);
                    made.push((condition?, value?));
                }
                self.typed.case(&made, span)?
            }
            NodeKind::Set(parts) => {
                let parts = self.values(frame, parts)?;
                let ids: Vec<_> = parts.iter().map(|p| p.id).collect();
                self.typed.set(&ids, span)?
            }
            NodeKind::Range(lo, hi) => return self.range(frame, *lo, *hi, span),
            NodeKind::Call(function, parts) => {
                let parts = self.values(frame, parts)?;
                self.call(*function, &parts, span)?
            }
            NodeKind::Temporal(op, a) => {
                let inner = frame.take(*a);
                return self.unary_formula(*op, (inner, tree.span(*a)), span);
            }
            NodeKind::Temporal2(op, a, b) => {
                let (left, right) = (frame.take(*a), frame.take(*b));
                return self.binary_formula(*op, (left, tree.span(*a)), (right, tree.span(*b)), span);
            }
        };
        Ok(Thing::Expr(expr))
    }

    fn values(&mut self, frame: &mut Frame, parts: &[NodeId]) -> Result<Vec<At>, Stop> {
        parts.iter().map(|p| self.value(frame, *p)).collect()
    }

    fn dot(&mut self, frame: &mut Frame, base: NodeId, name: &str, span: Span) -> Result<Thing, Stop> {
        let scope = match &frame.results[(base.0 - frame.first) as usize] {
            Thing::Scope(scope) => *scope,
            Thing::Wrong => return Err(Stop::Wrong),
            _ => {
                let span = self.tree.span(base);
                let problem = Spanned::new(Kind::Type, span, "this has no parts with names");
                return Err(Stop::Mistake(problem.label("expected an instance of a module")));
            }
        };
        // Only the name behind the dot can be wrong.
        let end = Span::new(span.end - name.len(), span.end);
        self.name(scope, name, end, true)
    }

    fn index(&mut self, frame: &mut Frame, base: NodeId, index: NodeId, span: Span) -> Result<Thing, Stop> {
        let index = self.value(frame, index);
        let array = match frame.take(base) {
            Thing::Array(array) => array,
            Thing::Wrong => return Err(Stop::Wrong),
            _ => {
                let problem = Spanned::new(Kind::Type, self.tree.span(base), "this is not an array");
                return Err(Stop::Mistake(problem.label("expected an array in front of `[`")));
            }
        };
        let index = index?;
        self.typed.single(index)?;
        let ty = self.typed.ty(index.id);
        let partial = ty.partial;
        let Some((lo, hi)) = ty.as_numbers() else {
            let problem = Spanned::new(Kind::Type, index.span, "an index is a number").label(ty.describe());
            return Err(Stop::Mistake(problem));
        };
        let (first, last) = (i128::from(array.lo), i128::from(array.lo) + array.items.len() as i128 - 1);
        if hi < first || last < lo {
            let problem = Spanned::new(Kind::Type, index.span, "this index is outside of the array");
            return Err(Stop::Mistake(problem.label(format!("expected {first} to {last}"))));
        }
        if let Some(i) = self.typed.value(index.id).and_then(Value::as_int) {
            let place = usize::try_from(i128::from(i) - first).unwrap_or_default();
            return Ok(array.items[place].clone());
        }
        let (from, to) = (lo.max(first), hi.min(last));
        // With a single element nobody would ask whether the index has a value at all.
        let inside = first <= lo && hi <= last && !(partial && from == to);
        let wanted: Vec<i64> = (from..=to).filter_map(|i| i64::try_from(i).ok()).collect();
        let items: Vec<&Thing> = array.items.iter().skip((from - first) as usize).take(wanted.len()).collect();
        Ok(self.pick(index, &wanted, &items, inside, span)?)
    }

    /// The element at an index that is not known; of arrays in an array, element by element.
    fn pick(&mut self, index: At, wanted: &[i64], items: &[&Thing], inside: bool, span: Span) -> Made<Thing> {
        if let Some(Thing::Array(first)) = items.first() {
            let mut parts = Vec::new();
            for k in 0..first.items.len() {
                let column: Vec<&Thing> = items
                    .iter()
                    .filter_map(|t| match t {
                        Thing::Array(a) => a.items.get(k),
                        _ => None,
                    })
                    .collect();
                parts.push(self.pick(index, wanted, &column, inside, span)?);
            }
            return Ok(Thing::Array(Rc::new(Array { lo: first.lo, items: parts })));
        }
        let mut arms = Vec::new();
        for (i, (k, item)) in wanted.iter().zip(items).enumerate() {
            let Thing::Expr(item) = item else { return Ok(Thing::Wrong) };
            let condition = if inside && i + 1 == wanted.len() {
                self.typed.constant(Value::Bool(true), span)?
            } else {
                let k = At { id: self.typed.constant(Value::Int(*k), span)?, span };
                self.typed.binary(Op::Eq, index, k, span)?
            };
            arms.push((At { id: condition, span }, At { id: *item, span }));
        }
        Ok(Thing::Expr(self.typed.case(&arms, span)?))
    }

    fn range(&mut self, frame: &mut Frame, lo: NodeId, hi: NodeId, span: Span) -> Result<Thing, Stop> {
        let bounds = [self.value(frame, lo)?, self.value(frame, hi)?];
        let mut ends = [0_i64; 2];
        for (end, bound) in ends.iter_mut().zip(bounds) {
            let Some(Value::Int(i)) = self.typed.value(bound.id) else {
                let problem = Spanned::new(Kind::Type, bound.span, "the ends of a range are constant numbers");
                return Err(Stop::Mistake(problem.help("for others write `x >= a & x <= b`")));
            };
            *end = *i;
        }
        let [from, to] = ends;
        let problem = |message: &str| Spanned::new(Kind::Type, span, message);
        if from > to {
            return Err(Stop::Mistake(problem("this range is empty").label("expected the smaller end first")));
        }
        let size = i128::from(to) - i128::from(from) + 1;
        if size > MOST_IN_SET {
            let problem = Spanned::new(Kind::TooLarge, span, format!("a set of {size} values"));
            let problem = problem.label(format!("expected at most {MOST_IN_SET}"));
            return Err(Stop::Mistake(problem.help("write `x >= a & x <= b`")));
        }
        let values: Result<Vec<_>, _> = (from..=to).map(|i| self.typed.constant(Value::Int(i), span)).collect();
        Ok(Thing::Expr(self.typed.set(&values?, span)?))
    }

    fn call(&mut self, function: Function, parts: &[At], span: Span) -> Made {
        let constant =
            |this: &mut Self, value| Ok::<At, Box<Spanned>>(At { id: this.typed.constant(value, span)?, span });
        let (a, b) = (parts[0], parts[parts.len() - 1]);
        match function {
            Function::Count => self.typed.count(parts, span),
            Function::Abs => {
                let zero = constant(self, Value::Int(0))?;
                let negative = self.typed.binary(Op::Lt, a, zero, span)?;
                let turned = self.typed.neg(a, span)?;
                let yes = constant(self, Value::Bool(true))?;
                self.typed.case(&[(At { id: negative, span }, At { id: turned, span }), (yes, a)], span)
            }
            Function::Max | Function::Min => {
                let op = if function == Function::Max { Op::Ge } else { Op::Le };
                let first = self.typed.binary(op, a, b, span)?;
                let yes = constant(self, Value::Bool(true))?;
                self.typed.case(&[(At { id: first, span }, a), (yes, b)], span)
            }
            Function::ToInt => {
                self.typed.single(a)?;
                let ty = self.typed.ty(a.id);
                if ty.as_numbers().is_none() {
                    let problem = Spanned::new(Kind::Type, a.span, "a number or a truth value is needed here");
                    return Err(problem.label(ty.describe()));
                }
                if !ty.truths {
                    return Ok(a.id);
                }
                // Adding nothing makes a number of a truth value.
                let zero = constant(self, Value::Int(0))?;
                self.typed.binary(Op::Add, a, zero, span)
            }
            Function::Bool => {
                if self.typed.ty(a.id).is_truth() {
                    return Ok(a.id);
                }
                let zero = constant(self, Value::Int(0))?;
                if self.typed.ty(a.id).as_numbers().is_none() {
                    self.typed.truth(a)?;
                }
                self.typed.binary(Op::Ne, a, zero, span)
            }
        }
    }
}
