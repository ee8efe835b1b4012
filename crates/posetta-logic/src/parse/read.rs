//! From the tree to LTL, CTL, conditions and terms.

use std::fmt::Display;

use super::expand::{size, skeleton_size};
use super::expr::{Expr, ExprKind, Laid, Name, TestExpr};
use crate::atom::{Atom, Condition, Spot, Term, Var, Which};
use crate::ctl::Ctl;
use crate::having::{Having, Operand, Test};
use crate::ltl::Ltl;
use crate::monitor::Guard;
use crate::pattern::Skeleton;
use crate::property::View;
use crate::psl::{Clock, Sere, Suffix};
use crate::trigger::{Loose, Never, Role, Trigger};
use posetta_base::{Diagnostic, Kind, Mistakes, Number, Place, Span, Value};

/// Reads an untyped tree as what its place demands.
pub(crate) struct Reader<'a> {
    source: &'a str,
    mistakes: Vec<Diagnostic>,
    /// What the formula waits for, as far as it was worth copying.
    triggers: Vec<Loose>,
    /// How many parts may still be copied for that.
    parts_left: u64,
    /// When a waveform is looked at.
    pub(super) clock: Option<Clock>,
    /// The same where the formula does not say it.
    pub(super) default: Option<Clock>,
    /// Whether nothing but `always`, `never`, `!` and `abort` is around what is read.
    pub(super) outermost: bool,
    /// Whether what is read is asked of the first position only.
    pub(super) first: bool,
}

/// A property is looked at for so many triggers.
const MOST_TRIGGERS: usize = 50;

/// Triggers inside triggers are copied again and again; past so many parts no more are.
const MOST_PARTS: u64 = 20_000;

/// Longer triggers are shown in part.
const SHOWN: usize = 60;

impl<'a> Reader<'a> {
    /// The spans of the trees refer to `source`.
    pub(crate) fn new(source: &'a str) -> Self {
        Self {
            source,
            mistakes: Vec::new(),
            triggers: Vec::new(),
            parts_left: MOST_PARTS,
            clock: None,
            default: None,
            outermost: true,
            first: true,
        }
    }

    /// The formula, if nothing stood in a wrong place.
    pub(crate) fn finish<T>(self, value: T) -> Result<T, Mistakes> {
        if self.mistakes.is_empty() { Ok(value) } else { Err(self.mistakes.into()) }
    }

    /// The triggers of the formula that was read.
    pub(crate) fn take_triggers(&mut self, view: View) -> Vec<Trigger> {
        std::mem::take(&mut self.triggers).into_iter().map(|trigger| trigger.over(view)).collect()
    }

    /// A formula without a clock has this one.
    pub(crate) fn by_default(self, default: Option<Clock>) -> Self {
        Self { default, ..self }
    }

    /// The clock of the formula that was read.
    pub(crate) fn take_clock(&mut self) -> Option<Clock> {
        self.clock.take().or_else(|| self.default.clone())
    }

    /// Whether a trigger of this size is still worth copying.
    fn affords(&mut self, parts: u64) -> bool {
        let enough = self.triggers.len() < MOST_TRIGGERS && parts <= self.parts_left;
        self.parts_left = if enough { self.parts_left - parts } else { 0 };
        enough
    }

    /// Notes a trigger, unless there is one that says the same. Answers with its place.
    fn add_trigger(&mut self, trigger: Loose) -> usize {
        match self.triggers.iter().position(|known| known.never == trigger.never) {
            Some(place) => place,
            None => {
                self.triggers.push(trigger);
                self.triggers.len() - 1
            }
        }
    }

    /// Notes the left side of an implication.
    pub(super) fn condition_of<F: Display>(&mut self, expr: &Expr, formula: &F, never: impl FnOnce(&F) -> Never) {
        if self.parts_left > 0 && self.affords(size(expr)) {
            let (text, span) = (shown(formula), expr.span);
            self.add_trigger(Loose { never: never(formula), span, role: Role::Condition, text, within: None });
        }
    }

    /// Notes what stands before `|->` or `|=>`.
    pub(super) fn sere_of(&mut self, expr: &Expr, op: Suffix, sere: &Sere) {
        if op != Suffix::Some && self.parts_left > 0 && self.affords(size(expr)) {
            let (never, text) = (Never::sere(op, sere.clone()), shown(&format_args!("{{{sere}}}")));
            self.add_trigger(Loose { never, span: expr.span, role: Role::Sere, text, within: None });
        }
    }

    /// Notes what a pattern waits for.
    pub(super) fn pattern_of<F: Display>(
        &mut self,
        laid: &Laid,
        exprs: &[Expr],
        arguments: &[F],
        mut never: impl FnMut(&Skeleton) -> Option<Never>,
    ) {
        if self.parts_left == 0 || laid.triggers.is_empty() {
            return;
        }
        let sizes: Vec<u64> = exprs.iter().map(size).collect();
        let mut within = None;
        for (role, numbers, skeleton) in &laid.triggers {
            if !self.affords(skeleton_size(skeleton, &sizes)) {
                return;
            }
            let Some(never) = never(skeleton) else { return };
            let texts: Vec<String> = numbers.iter().map(|&n| shown(&arguments[n])).collect();
            let span = numbers.iter().map(|&n| exprs[n].span).reduce(Span::to).unwrap_or_default();
            let separator = if *role == Role::Between { "` and `" } else { "`, `" };
            let text = texts.join(separator);
            let place = self.add_trigger(Loose { never, span, role: *role, text, within });
            within = Some(place);
        }
    }

    pub(super) fn mistake(&mut self, kind: Kind, span: Span, message: &str, label: &str, help: Option<&str>) {
        let mut d = Diagnostic::new(kind, message).at(Place::in_text(self.source, span)).label(label);
        d.help = help.map(str::to_owned);
        self.mistakes.push(d);
    }

    pub(crate) fn ltl(&mut self, expr: &Expr) -> Ltl {
        match &expr.kind {
            ExprKind::Bool(true) => Ltl::True,
            ExprKind::Bool(false) => Ltl::False,
            ExprKind::On(inner) => Ltl::Atom(Atom::On(self.condition(inner))),
            ExprKind::Event(name, tests) => Ltl::Atom(event(name.as_ref(), tests)),
            ExprKind::Process(name) => Ltl::Atom(Atom::Process(given(name))),
            ExprKind::Enabled(name) => Ltl::Atom(Atom::Enabled(name.clone())),
            ExprKind::Pattern(laid, exprs) => {
                let arguments: Vec<Ltl> = exprs.iter().map(|e| self.ltl(e)).collect();
                let put_in = |skeleton: &Skeleton| skeleton.substitute(&mut |&n| arguments[n].clone());
                self.pattern_of(laid, exprs, &arguments, |skeleton| Some(Never::Ltl(put_in(skeleton))));
                put_in(&laid.skeleton)
            }
            ExprKind::Not(e) => Ltl::Not(Box::new(self.ltl(e))),
            ExprKind::And(es) => Ltl::And(es.iter().map(|e| self.ltl(e)).collect()),
            ExprKind::Or(es) => Ltl::Or(es.iter().map(|e| self.ltl(e)).collect()),
            ExprKind::Implies(a, b) => {
                let left = self.ltl(a);
                self.condition_of(a, &left, |f| Never::ltl(f.clone()));
                Ltl::Implies(Box::new(left), Box::new(self.ltl(b)))
            }
            ExprKind::Iff(a, b) => Ltl::Iff(Box::new(self.ltl(a)), Box::new(self.ltl(b))),
            ExprKind::LtlUnary(op, e) => Ltl::Unary(*op, Box::new(self.ltl(e))),
            ExprKind::LtlBinary(op, a, b) => Ltl::Binary(*op, Box::new(self.ltl(a)), Box::new(self.ltl(b))),
            _ => Ltl::Atom(Atom::of_state(self.condition(expr))),
        }
    }

    pub(crate) fn ctl(&mut self, expr: &Expr) -> Ctl {
        match &expr.kind {
            ExprKind::Bool(true) => Ctl::True,
            ExprKind::Bool(false) => Ctl::False,
            ExprKind::On(_) | ExprKind::Event(..) | ExprKind::Process(_) => {
                self.mistake(
                    Kind::Unsupported,
                    expr.span,
                    "CTL speaks of cuts, and a cut has no event",
                    "`on`, `event` and `process` belong to LTL",
                    Some("use a variable that the event assigns, or write the property in LTL"),
                );
                Ctl::False
            }
            ExprKind::Enabled(name) => Ctl::Atom(Atom::Enabled(name.clone())),
            ExprKind::Not(e) => Ctl::Not(Box::new(self.ctl(e))),
            ExprKind::And(es) => Ctl::And(es.iter().map(|e| self.ctl(e)).collect()),
            ExprKind::Or(es) => Ctl::Or(es.iter().map(|e| self.ctl(e)).collect()),
            ExprKind::Implies(a, b) => {
                let left = self.ctl(a);
                self.condition_of(a, &left, |f| Never::ctl(f.clone()));
                Ctl::Implies(Box::new(left), Box::new(self.ctl(b)))
            }
            ExprKind::Iff(a, b) => Ctl::Iff(Box::new(self.ctl(a)), Box::new(self.ctl(b))),
            ExprKind::CtlUnary(path, op, e) => Ctl::Unary(*path, *op, Box::new(self.ctl(e))),
            ExprKind::CtlBinary(path, op, a, b) => {
                Ctl::Binary(*path, *op, Box::new(self.ctl(a)), Box::new(self.ctl(b)))
            }
            _ => {
                let condition = self.condition(expr);
                if condition.looks_back() {
                    self.mistake(
                        Kind::Unsupported,
                        expr.span,
                        "CTL speaks of cuts, and a cut has no position before it",
                        "`prev` belongs to LTL",
                        Some("an order has positions: write the property in LTL, or let the events assign a variable that says it"),
                    );
                    return Ctl::False;
                }
                Ctl::Atom(Atom::State(condition))
            }
        }
    }

    pub(crate) fn guard(&mut self, expr: &Expr) -> Guard {
        match &expr.kind {
            ExprKind::Bool(true) => Guard::True,
            ExprKind::Bool(false) => Guard::False,
            ExprKind::On(inner) => Guard::Atom(Atom::On(self.condition(inner))),
            ExprKind::Event(name, tests) => Guard::Atom(event(name.as_ref(), tests)),
            ExprKind::Process(name) => Guard::Atom(Atom::Process(given(name))),
            ExprKind::Enabled(name) => Guard::Atom(Atom::Enabled(name.clone())),
            ExprKind::Not(e) => Guard::Not(Box::new(self.guard(e))),
            ExprKind::And(es) => Guard::And(es.iter().map(|e| self.guard(e)).collect()),
            ExprKind::Or(es) => Guard::Or(es.iter().map(|e| self.guard(e)).collect()),
            ExprKind::Implies(a, b) => Guard::Implies(Box::new(self.guard(a)), Box::new(self.guard(b))),
            ExprKind::Iff(a, b) => Guard::Iff(Box::new(self.guard(a)), Box::new(self.guard(b))),
            ExprKind::LtlUnary(..) | ExprKind::LtlBinary(..) | ExprKind::Pattern(..) => {
                self.mistake(
                    Kind::Unsupported,
                    expr.span,
                    "a guard speaks of one position",
                    "temporal operators and patterns cannot stand in a guard",
                    Some("what comes before and after is said with states and edges"),
                );
                Guard::False
            }
            _ => Guard::Atom(Atom::of_state(self.condition(expr))),
        }
    }

    pub(super) fn condition(&mut self, expr: &Expr) -> Condition {
        match &expr.kind {
            ExprKind::Bool(true) => Condition::True,
            ExprKind::Bool(false) => Condition::False,
            ExprKind::Compare(op, a, b) => {
                let (left, right) = (self.term(a), self.term(b));
                if op.is_order() {
                    for (side, term) in [(a, &left), (b, &right)] {
                        if matches!(term, Term::Text(..)) {
                            self.string_mistake(side.span, "strings have no order: only `==` and `!=` compare them");
                        }
                    }
                }
                Condition::Compare(*op, left, right)
            }
            ExprKind::Not(e) => Condition::Not(Box::new(self.condition(e))),
            ExprKind::And(es) => Condition::And(es.iter().map(|e| self.condition(e)).collect()),
            ExprKind::Or(es) => Condition::Or(es.iter().map(|e| self.condition(e)).collect()),
            ExprKind::Implies(a, b) => Condition::Implies(Box::new(self.condition(a)), Box::new(self.condition(b))),
            ExprKind::Iff(a, b) => Condition::Iff(Box::new(self.condition(a)), Box::new(self.condition(b))),
            ExprKind::Text(_) => {
                self.string_mistake(expr.span, "a string by itself is neither true nor false");
                Condition::False
            }
            ExprKind::Number(_)
            | ExprKind::Var(_)
            | ExprKind::Key(_)
            | ExprKind::Prev(_)
            | ExprKind::Neg(_)
            | ExprKind::Arith(..) => Condition::Nonzero(self.term(expr)),
            _ => {
                self.mistake(
                    Kind::Type,
                    expr.span,
                    "a condition on one state stands here",
                    "temporal operators, patterns and event atoms cannot stand inside `on(…)`",
                    None,
                );
                Condition::False
            }
        }
    }

    fn string_mistake(&mut self, span: Span, message: &str) {
        self.mistake(Kind::Type, span, message, "this is a string", None);
    }

    fn term(&mut self, expr: &Expr) -> Term {
        match &expr.kind {
            ExprKind::Number(n) => Term::Number(n.clone()),
            ExprKind::Bool(b) => Term::Number(Number::from(i64::from(*b))),
            ExprKind::Text(t) => Term::Text(t.clone(), Spot(expr.span)),
            ExprKind::Var(name) => Term::Var(Var::now(name, Spot(expr.span))),
            ExprKind::Prev(name) => Term::Var(Var { which: Which::Before, ..Var::now(name, Spot(expr.span)) }),
            ExprKind::Key(name) => Term::Var(Var { which: Which::Key, ..Var::now(name, Spot(expr.span)) }),
            ExprKind::Neg(e) => Term::Neg(Box::new(self.number(e))),
            ExprKind::Arith(op, a, b) => Term::Binary(*op, Box::new(self.number(a)), Box::new(self.number(b))),
            _ => {
                let help = match &expr.kind {
                    ExprKind::And(_) | ExprKind::Or(_) => {
                        "`&` and `|` join truth values; to say that two formulas agree, write `<->`"
                    }
                    _ => "to say that two formulas agree, write `<->`",
                };
                self.mistake(
                    Kind::Type,
                    expr.span,
                    "a number or a string is needed here",
                    "this is a formula",
                    Some(help),
                );
                Term::Number(Number::ZERO)
            }
        }
    }

    fn number(&mut self, expr: &Expr) -> Term {
        let term = self.term(expr);
        if matches!(term, Term::Text(..)) {
            self.string_mistake(expr.span, "there is no arithmetic on strings");
        }
        term
    }
}

/// The name after expansion.
fn given(name: &Name) -> String {
    match name {
        Name::Given(name) => name.clone(),
        Name::Word(_) | Name::Key(..) => unreachable!("expansion leaves no words"),
    }
}

/// An atom about the name of an event and its attributes.
fn event(name: Option<&Name>, tests: &[TestExpr]) -> Atom {
    match name {
        Some(name) if tests.is_empty() => Atom::Event(given(name)),
        name => Atom::Having(Having::new(name.map(given), tests.iter().map(test).collect())),
    }
}

fn test(test: &TestExpr) -> Test {
    let with = match &test.with.kind {
        ExprKind::Number(n) => Operand::Value(Value::Number(n.clone())),
        ExprKind::Text(text) => Operand::Value(Value::Text(text.clone())),
        ExprKind::Key(name) => Operand::Key(name.clone()),
        _ => unreachable!("expansion leaves only values"),
    };
    Test { attribute: given(&test.attribute), spot: Spot(test.span), op: test.op, with }
}

/// A formula as text, shortened.
fn shown(formula: &impl Display) -> String {
    let text = formula.to_string();
    match text.char_indices().nth(SHOWN) {
        None => text,
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
