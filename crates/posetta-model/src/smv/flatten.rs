//! Turns a tree into a fair discrete system: everything that is demanded, over the flat variables.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::evaluate::{Evaluator, Outcome, Stop};
use super::scope::{ScopeId, Slot, Sort, Thing};
use super::tree::{Assignment, Demands, NodeId, When};
use crate::fds::typed::{At, Made};
use crate::fds::{Clause, Expr, ExprId, Fds, Op, Role, Value};
use posetta_base::{Kind, Place, Span, Spanned, VarId};

/// What a place allows in its expression.
#[derive(Clone, Copy)]
pub(super) struct Allowed {
    /// What the place is called.
    pub(super) place: &'static str,
    pub(super) next: bool,
    pub(super) input: bool,
}

impl Allowed {
    pub(super) const fn state(place: &'static str) -> Self {
        Self { place, next: false, input: false }
    }
}

/// Where a variable is assigned, and by which instance.
#[derive(Default)]
struct Assigned {
    always: Option<(Span, ScopeId)>,
    init: Option<(Span, ScopeId)>,
    next: Option<(Span, ScopeId)>,
}

impl Evaluator<'_, '_> {
    /// Everything that the instances demand.
    pub(super) fn flatten(&mut self) -> Fds {
        let mut fds = Fds::default();
        let mut assigned: FxHashMap<VarId, Assigned> = FxHashMap::default();
        for scope in 0..self.scopes.all.len() {
            let scope = ScopeId(scope as u32);
            let tree = self.tree;
            let module = tree.module(self.scopes.get(scope).module);
            self.defines(scope, &mut fds.defines);
            for assignment in &module.assignments {
                if self.problems.is_full() {
                    break;
                }
                if let Some(clause) = self.assignment(scope, assignment, &mut assigned) {
                    match assignment.when {
                        When::Always => fds.invar.push(clause),
                        When::Init => fds.init.push(clause),
                        When::Next => fds.trans.push(clause),
                    }
                }
            }
            for &(demands, root) in &module.demands {
                let (list, allowed) = match demands {
                    Demands::Init => (&mut fds.init, Allowed::state("INIT")),
                    Demands::Invar => (&mut fds.invar, Allowed::state("INVAR")),
                    Demands::Justice => (&mut fds.justice, Allowed::state("JUSTICE")),
                    Demands::Final => (&mut fds.finals, Allowed::state("FINAL")),
                    Demands::Trans => (&mut fds.trans, Allowed { place: "TRANS", next: true, input: true }),
                };
                // Fairness speaks of the whole: both parts often is not both at once often.
                if demands == Demands::Justice {
                    list.extend(self.clause(scope, root, allowed));
                } else {
                    self.clauses(scope, root, allowed, list);
                }
            }
            for &(p, q) in &module.compassion {
                let allowed = Allowed::state("COMPASSION");
                let (p, q) = (self.clause(scope, p, allowed), self.clause(scope, q, allowed));
                fds.compassion.extend(p.zip(q));
            }
            if self.problems.is_full() || self.typed.is_spent() {
                break;
            }
        }
        fds
    }

    /// Works every definition of a scope out, used or not.
    fn defines(&mut self, scope: ScopeId, found: &mut BTreeMap<Arc<str>, ExprId>) {
        let slots = self.scopes.table(scope).slots.len();
        for slot in 0..slots {
            let (name, sort) = self.scopes.table(scope).slots[slot];
            if let Sort::Var(_) = sort {
                continue;
            }
            let thing = self.settle(scope, Slot(slot as u32));
            if let (Sort::Define(_), Thing::Expr(id)) = (sort, thing) {
                let ty = self.typed.ty(id);
                if !ty.next && !ty.set {
                    found.insert(format!("{}{}", self.scopes.get(scope).prefix, name.text).into(), id);
                }
            }
        }
    }

    /// Tells of what a place does not allow.
    pub(super) fn permit(&mut self, outcome: &Outcome, allowed: Allowed) -> Made<()> {
        if let Some(span) = outcome.next.filter(|_| !allowed.next) {
            let message = format!("`next` has no meaning in {}", allowed.place);
            let problem = Spanned::new(Kind::Type, span, message).label("this looks at the next state");
            return Err(problem.help("what is true of a step is written under TRANS or with `next(x) :=`"));
        }
        if let Some(span) = outcome.input.filter(|_| !allowed.input) {
            let message = format!("an input has no value in {}", allowed.place);
            let problem = Spanned::new(Kind::Type, span, message).label("this belongs to a step, not to a state");
            return Err(problem.help(match allowed.place {
                "CTL" | "INVARSPEC" => "declare it under VAR, keep its last value in a variable, or write LTLSPEC",
                _ => "declare it under VAR, or keep its last value in a variable",
            }));
        }
        Ok(())
    }

    /// An expression that must be a truth value.
    pub(super) fn truth(&mut self, scope: ScopeId, root: NodeId, allowed: Allowed) -> Option<ExprId> {
        let span = self.tree.span(root);
        let outcome = self.evaluate(scope, root);
        let made = self.as_value(outcome.thing, span).and_then(|at| {
            let at = self.typed.truth(at)?;
            let outcome = Outcome { thing: Thing::Expr(at.id), ..outcome };
            self.permit(&outcome, allowed)?;
            Ok(at.id)
        });
        self.told(made)
    }

    pub(super) fn told<T>(&mut self, made: Result<T, Stop>) -> Option<T> {
        match made {
            Ok(found) => Some(found),
            Err(Stop::Mistake(problem)) => {
                self.problems.push(problem);
                None
            }
            Err(_) => None,
        }
    }

    fn clause(&mut self, scope: ScopeId, root: NodeId, allowed: Allowed) -> Option<Clause> {
        let expr = self.truth(scope, root, allowed)?;
        Some(Clause { expr, span: self.tree.span(root), assigns: false })
    }

    /// One clause for each part of a conjunction. A part that need not have a value keeps what stands before it.
    fn clauses(&mut self, scope: ScopeId, root: NodeId, allowed: Allowed, list: &mut Vec<Clause>) {
        let parts: Vec<Clause> =
            self.tree.conjuncts(root).into_iter().filter_map(|part| self.clause(scope, part, allowed)).collect();
        let Some(last) = parts.iter().rposition(|c| self.typed.ty(c.expr).partial) else {
            list.extend(parts);
            return;
        };
        let made = self.guarded(&parts, last);
        list.extend(self.told(made.map_err(Stop::from)).unwrap_or_default());
    }

    /// The parts of a conjunction; `last` is the last one that may have no value.
    fn guarded(&mut self, parts: &[Clause], last: usize) -> Made<Vec<Clause>> {
        let mut found = Vec::new();
        let mut all: Option<At> = None;
        for (i, &part) in parts.iter().enumerate() {
            let own = At { id: part.expr, span: part.span };
            let both = match all {
                Some(before) if i <= last => At { id: self.typed.binary(Op::And, before, own, part.span)?, ..own },
                _ => own,
            };
            all = Some(both);
            let expr = if self.typed.ty(part.expr).partial { both.id } else { part.expr };
            found.push(Clause { expr, ..part });
        }
        Ok(found)
    }

    /// The clause of an assignment.
    fn assignment(
        &mut self,
        scope: ScopeId,
        assignment: &Assignment,
        assigned: &mut FxHashMap<VarId, Assigned>,
    ) -> Option<Clause> {
        let target_span = self.tree.span(assignment.target);
        let target = self.evaluate(scope, assignment.target).thing;
        if let Thing::Expr(id) = target {
            self.aim = Some(id);
        }
        let value = self.evaluate(scope, assignment.value);
        self.aim = None;
        let made = self.target(target, target_span, assignment);
        let var = self.told(made)?;
        let note = self.note(var, (target_span, scope), assignment.when, assigned);
        // More than two instances may have the same text.
        if let Err(problem) = note
            && !self.problems.tell_of(problem.kind, problem.span)
        {
            self.problems.push(problem);
        }
        let made = self.assign(var, value, assignment);
        let expr = self.told(made)?;
        Some(Clause { expr, span: assignment.span, assigns: true })
    }

    fn target(&mut self, target: Thing, span: Span, assignment: &Assignment) -> Result<VarId, Stop> {
        let mistake = |message: &str| Spanned::new(Kind::Type, span, message);
        if let Thing::Array(_) = target {
            let problem = mistake("a whole array cannot be assigned").help("assign its elements one by one");
            return Err(Stop::Mistake(problem));
        }
        let at = self.as_value(target, span)?;
        let Expr::Var { var, next: false } = *self.typed.exprs.get(at.id) else {
            let problem = match self.typed.exprs.get(at.id) {
                Expr::Case(_) => mistake("this is not always the same variable").label("expected a constant index"),
                _ => mistake("only variables can be assigned").label("this stands for an expression"),
            };
            return Err(Stop::Mistake(problem));
        };
        match (self.typed.vars[var.index()].role, assignment.when) {
            (Role::Input, _) => Err(Stop::Mistake(
                mistake("an input cannot be assigned")
                    .label("it has any value of its type in every step")
                    .help("say under TRANS which values it can have"),
            )),
            (Role::Frozen, When::Next) => Err(Stop::Mistake(
                mistake("a frozen variable keeps its first value")
                    .label("it has no next value")
                    .help("declare it under VAR if it changes"),
            )),
            _ => Ok(var),
        }
    }

    /// Refuses a second assignment of the same value.
    fn note(
        &self,
        var: VarId,
        (span, scope): (Span, ScopeId),
        when: When,
        assigned: &mut FxHashMap<VarId, Assigned>,
    ) -> Made<()> {
        let entry = assigned.entry(var).or_default();
        let name = &self.typed.vars[var.index()].name;
        let line = |span: Span| Place::in_text(self.source, span).line;
        let (slot, clash) = match when {
            When::Always => (&mut entry.always, entry.init.or(entry.next)),
            When::Init => (&mut entry.init, entry.always),
            When::Next => (&mut entry.next, entry.always),
        };
        if let Some((first, other)) = *slot {
            let problem = Spanned::new(Kind::AssignedTwice, span, format!("`{name}` is assigned twice"));
            if first == span {
                // One text, which two instances have.
                let called = |id| self.scopes.get(id).prefix.trim_end_matches('.').to_owned();
                let label = format!("by the instance `{}` and by the instance `{}`", called(other), called(scope));
                return Err(problem
                    .label(label)
                    .help("let one module assign it, and pass to it what the instances ask for"));
            }
            return Err(problem.label(format!("it is assigned in line {}, too", line(first))));
        }
        *slot = Some((span, scope));
        if let Some((first, _)) = clash {
            let message = format!("`{name}` is assigned both always and for the first or the next state");
            let problem = Spanned::new(Kind::AssignedTwice, span, message);
            return Err(problem.label(format!("the other one is in line {}", line(first))));
        }
        Ok(())
    }

    fn assign(&mut self, var: VarId, value: Outcome, assignment: &Assignment) -> Result<ExprId, Stop> {
        let span = self.tree.span(assignment.value);
        let allowed = match assignment.when {
            When::Always => Allowed::state("an assignment of every state"),
            When::Init => Allowed::state("the first state"),
            When::Next => Allowed { place: "an assignment", next: true, input: true },
        };
        self.permit(&value, allowed)?;
        let value = self.as_value(value.thing, span)?;
        self.fits(var, value)?;
        let target = self.tree.span(assignment.target);
        let id = self.typed.var(var, assignment.when == When::Next, target)?;
        // That the two never meet has been told as a mistake.
        Ok(self.typed.add(Expr::Binary(Op::In, id, value.id), assignment.span)?)
    }

    /// Refuses values that the variable can never have. What stands behind a condition may never be reached: that is seen when states are
    /// looked at.
    fn fits(&mut self, var: VarId, value: At) -> Made<()> {
        let name = self.typed.vars[var.index()].name.clone();
        let mut open = vec![value.id];
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            match self.typed.exprs.get(id) {
                Expr::Set(parts) => open.extend(parts.iter().rev()),
                Expr::Const(constant) if !self.typed.vars[var.index()].domain.contains(constant) => {
                    let label = match constant {
                        Value::Symbol(_) => format!("`{name}` has no such value"),
                        _ => format!("`{name}` does not have it among its values"),
                    };
                    let message = format!("`{name}` is never `{constant}`");
                    return Err(Spanned::new(Kind::Type, value.span, message).label(label));
                }
                _ => {}
            }
        }
        let ty = self.typed.ty(value.id).clone();
        let here = self.typed.var(var, false, value.span)?;
        if !self.typed.ty(here).meets(&ty) {
            let message = format!("`{name}` never has this value");
            return Err(Spanned::new(Kind::Type, value.span, message).label(ty.describe()));
        }
        Ok(())
    }
}
