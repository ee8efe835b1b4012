//! From the tree to PSL: formulas, SEREs and booleans.
//!
//! What `! && || -> <->` make of booleans is one boolean. Otherwise `&&` and `||` join formulas where a formula stands, and SEREs where
//! only a SERE can stand: inside braces and angles, before `!`, before `|->` and `|=>`.

use super::Index;
use super::expr::{Expr, ExprKind, Piece};
use super::psl::{PslOp, Range, Repetition};
use super::read::Reader;
use super::surface::ClockExpr;
use crate::atom::Atom;
use crate::ltl::{Ltl, LtlBinary, LtlUnary};
use crate::monitor::Guard;
use crate::pattern::Skeleton;
use crate::psl::{Clock, Psl, PslBinary, PslUnary, Sere, SereOp, Times};
use crate::trigger::Never;
use posetta_base::Kind;

impl Range {
    fn times(&self) -> Times {
        Times { min: number(&self.min), max: self.max.as_ref().map(number) }
    }
}

/// The number that expansion left, which is one of 32 bits.
fn number(index: &Index) -> u32 {
    match index {
        Index::Int(n) => u32::try_from(*n).unwrap_or(0),
        _ => 0,
    }
}

/// `!f`, which for a boolean is a boolean.
fn not(f: Psl) -> Psl {
    match f {
        Psl::Bool(b) => Psl::Bool(Guard::Not(Box::new(b))),
        f => Psl::Not(Box::new(f)),
    }
}

/// The booleans, if all of them are.
fn all_booleans(parts: Vec<Psl>) -> Result<Vec<Guard>, Vec<Psl>> {
    if !parts.iter().all(|f| matches!(f, Psl::Bool(_))) {
        return Err(parts);
    }
    let guard = |f| match f {
        Psl::Bool(b) => Some(b),
        _ => None,
    };
    Ok(parts.into_iter().filter_map(guard).collect())
}

fn and(parts: Vec<Psl>) -> Psl {
    all_booleans(parts).map_or_else(Psl::And, |parts| Psl::Bool(Guard::And(parts)))
}

fn or(parts: Vec<Psl>) -> Psl {
    all_booleans(parts).map_or_else(Psl::Or, |parts| Psl::Bool(Guard::Or(parts)))
}

fn implies(a: Psl, b: Psl) -> Psl {
    match (a, b) {
        (Psl::Bool(a), Psl::Bool(b)) => Psl::Bool(Guard::Implies(Box::new(a), Box::new(b))),
        (a, b) => Psl::Implies(Box::new(a), Box::new(b)),
    }
}

fn iff(a: Psl, b: Psl) -> Psl {
    match (a, b) {
        (Psl::Bool(a), Psl::Bool(b)) => Psl::Bool(Guard::Iff(Box::new(a), Box::new(b))),
        (a, b) => Psl::Iff(Box::new(a), Box::new(b)),
    }
}

fn unary(op: PslUnary, f: Psl) -> Psl {
    Psl::Unary(op, Box::new(f))
}

fn until(strong: bool, f: Psl, g: Psl) -> Psl {
    Psl::Binary(PslBinary::Until { strong, inclusive: false }, Box::new(f), Box::new(g))
}

/// The formula of a pattern in PSL; `None` if it looks back. LTL's `X` is the strong one.
fn of_skeleton(skeleton: &Skeleton, arguments: &[Psl]) -> Option<Psl> {
    let of = |f: &Skeleton| of_skeleton(f, arguments);
    Some(match skeleton {
        Ltl::True => Psl::Bool(Guard::True),
        Ltl::False => Psl::Bool(Guard::False),
        Ltl::Atom(n) => arguments[*n].clone(),
        Ltl::Not(f) => not(of(f)?),
        Ltl::And(fs) => and(fs.iter().map(of).collect::<Option<_>>()?),
        Ltl::Or(fs) => or(fs.iter().map(of).collect::<Option<_>>()?),
        Ltl::Implies(f, g) => implies(of(f)?, of(g)?),
        Ltl::Iff(f, g) => iff(of(f)?, of(g)?),
        Ltl::Unary(op, f) => {
            let op = match op {
                LtlUnary::Next => PslUnary::StrongNext,
                LtlUnary::WeakNext => PslUnary::Next,
                LtlUnary::Finally => PslUnary::Finally,
                LtlUnary::Globally => PslUnary::Globally,
                LtlUnary::Yesterday | LtlUnary::Once | LtlUnary::Historically => return None,
            };
            unary(op, of(f)?)
        }
        Ltl::Binary(op, f, g) => {
            let (f, g) = (of(f)?, of(g)?);
            match op {
                LtlBinary::Until => until(true, f, g),
                LtlBinary::WeakUntil => until(false, f, g),
                LtlBinary::Release => not(until(true, not(f), not(g))),
                LtlBinary::StrongRelease => until(true, g.clone(), and(vec![f, g])),
                LtlBinary::Since => return None,
            }
        }
    })
}

fn is_braced(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Psl(PslOp::Braces, _))
}

/// Whether a clock inside is still one of the whole formula.
fn keeps_outermost(kind: &ExprKind) -> bool {
    match kind {
        ExprKind::Not(_) => true,
        ExprKind::Psl(op, _) => {
            matches!(op, PslOp::Unary(PslUnary::Globally) | PslOp::Never | PslOp::Abort | PslOp::Clocked(_))
        }
        _ => false,
    }
}

/// Whether what is inside is still asked of the first position only.
fn keeps_first(kind: &ExprKind) -> bool {
    matches!(kind, ExprKind::Not(_) | ExprKind::Psl(PslOp::Abort | PslOp::Clocked(_), _))
}

/// Whether no letter is enough for it.
fn may_be_empty(sere: &Sere) -> bool {
    match sere {
        Sere::Bool(_) => false,
        Sere::Chain(SereOp::Fusion, _) => false,
        Sere::Chain(SereOp::Or, parts) => parts.iter().any(may_be_empty),
        Sere::Chain(_, parts) => parts.iter().all(may_be_empty),
        Sere::Repeat(r, times) => times.min == 0 || may_be_empty(r),
        Sere::Goto(_, times) | Sere::Occur(_, times) => times.min == 0,
    }
}

impl Reader<'_> {
    pub(crate) fn psl(&mut self, expr: &Expr) -> Psl {
        let (around, first) = (self.outermost, self.first);
        self.outermost = around && keeps_outermost(&expr.kind);
        self.first = first && keeps_first(&expr.kind);
        let formula = match &expr.kind {
            ExprKind::Psl(PslOp::Eventually, parts) if first && expr.has_ended() => {
                Psl::Eventually(self.ended_from_start(&parts[0]))
            }
            _ => self.psl_of(expr),
        };
        (self.outermost, self.first) = (around, first);
        formula
    }

    /// A clock around the whole formula, or the same one again.
    fn clocked(&mut self, clock: &ClockExpr) {
        let signal: String = clock.signal.iter().filter_map(Piece::text).collect();
        let found = Clock { signal, edge: clock.edge };
        match &self.clock {
            Some(known) if *known == found => {}
            None if self.outermost => self.clock = Some(found),
            // A part may say once more what the whole has anyway.
            None if self.default.as_ref() == Some(&found) => {}
            _ => self.mistake(
                Kind::Unsupported,
                clock.span,
                "a property has one clock, around the whole of it",
                "this is a clock of a part",
                Some("write it around the formula, as in (always (a -> next b)) @ (posedge clk); what two clocks see are two properties"),
            ),
        }
    }

    fn psl_of(&mut self, expr: &Expr) -> Psl {
        match &expr.kind {
            ExprKind::Not(e) => not(self.psl(e)),
            ExprKind::And(es) => and(es.iter().map(|e| self.psl(e)).collect()),
            ExprKind::Or(es) => or(es.iter().map(|e| self.psl(e)).collect()),
            ExprKind::Implies(a, b) => {
                let left = self.psl(a);
                self.condition_of(a, &left, |f| Never::psl(f.clone()));
                implies(left, self.psl(b))
            }
            ExprKind::Iff(a, b) => iff(self.psl(a), self.psl(b)),
            ExprKind::Pattern(laid, exprs) => {
                let arguments: Vec<Psl> = exprs.iter().map(|e| self.psl(e)).collect();
                self.pattern_of(laid, exprs, &arguments, |s| of_skeleton(s, &arguments).map(Never::Psl));
                of_skeleton(&laid.skeleton, &arguments).unwrap_or_else(|| {
                    self.mistake(
                        Kind::Unsupported,
                        expr.span,
                        "this pattern looks back, and PSL has no operators of the past",
                        "expected a PSL formula",
                        Some("write the property in LTL, or say with a SERE what comes first: {!p; p}"),
                    );
                    Psl::Bool(Guard::False)
                })
            }
            ExprKind::Psl(op, parts) => self.psl_operator(op, parts, expr),
            _ => Psl::Bool(self.boolean(expr)),
        }
    }

    fn psl_operator(&mut self, op: &PslOp, parts: &[Expr], expr: &Expr) -> Psl {
        match (op, parts) {
            (PslOp::Joined(SereOp::And), fs) => and(fs.iter().map(|f| self.psl(f)).collect()),
            (PslOp::Joined(_), fs) => or(fs.iter().map(|f| self.psl(f)).collect()),
            (PslOp::Clocked(clock), [f]) => {
                self.clocked(clock);
                self.psl(f)
            }
            (PslOp::Strong, [r]) => Psl::Sere { sere: self.sere(r), strong: true },
            (PslOp::Unary(PslUnary::Globally), [f]) => match self.always_ended(f) {
                Some(formula) => formula,
                None => unary(PslUnary::Globally, self.psl(f)),
            },
            (PslOp::Unary(op), [f]) => unary(*op, self.psl(f)),
            (PslOp::Never, [f]) if self.outermost && f.has_ended() => Psl::Never(self.ended_from_start(f)),
            (PslOp::NextTimes { strong, count }, [f]) => {
                let formula = Box::new(self.psl(f));
                Psl::NextTimes { strong: *strong, count: count.times().min, formula }
            }
            (PslOp::Never, [f]) => match self.psl(f) {
                Psl::Bool(b) => Psl::Never(Sere::Bool(b)),
                Psl::Sere { sere, strong: false } => Psl::Never(sere),
                f => unary(PslUnary::Globally, not(f)),
            },
            (PslOp::Eventually, [f]) => match self.psl(f) {
                Psl::Sere { sere, strong: false } => Psl::Eventually(sere),
                f => unary(PslUnary::Finally, f),
            },
            (PslOp::Binary(op), [f, g]) => Psl::Binary(*op, Box::new(self.psl(f)), Box::new(self.psl(g))),
            (PslOp::Suffix(op), [r, f]) => {
                let sere = self.sere(r);
                self.sere_of(r, *op, &sere);
                Psl::Suffix(*op, sere, Box::new(self.psl(f)))
            }
            (PslOp::Abort, [f, b]) => {
                let f = Box::new(self.psl(f));
                Psl::Abort(f, self.boolean(b))
            }
            _ => Psl::Sere { sere: self.sere(expr), strong: false },
        }
    }

    pub(super) fn sere(&mut self, expr: &Expr) -> Sere {
        match &expr.kind {
            ExprKind::And(es) => self.joined(SereOp::Intersect, es),
            ExprKind::Or(es) => self.joined(SereOp::Or, es),
            ExprKind::Pattern(..) => self.not_a_sere(expr, "this is a formula"),
            ExprKind::Psl(op, parts) => match (op, parts.as_slice()) {
                (PslOp::Braces, [r]) => self.sere(r),
                (PslOp::Clocked(clock), [r]) => {
                    self.clocked(clock);
                    self.sere(r)
                }
                (PslOp::Chain(op), parts) => Sere::Chain(*op, parts.iter().map(|r| self.sere(r)).collect()),
                (PslOp::Joined(op), parts) => self.joined(*op, parts),
                (PslOp::Delay(range), parts) => self.delayed(range, parts),
                (PslOp::Repeat(Repetition::Star, range), [r]) => Sere::Repeat(Box::new(self.sere(r)), range.times()),
                (PslOp::Repeat(Repetition::Goto, range), [b]) => Sere::Goto(self.boolean(b), range.times()),
                (PslOp::Repeat(Repetition::Occur, range), [b]) => Sere::Occur(self.boolean(b), range.times()),
                (PslOp::Ended, _) => self.looks_back(expr),
                (PslOp::Strong, _) => self.not_a_sere(expr, "with its `!` this is a formula"),
                _ => self.not_a_sere(expr, "this is a formula"),
            },
            _ => Sere::Bool(self.boolean(expr)),
        }
    }

    /// `r ##[n:m] s` is `{r; [*n-1:m-1]; s}`; where n is 0 it is `{r : [*1:m+1] : s}`.
    fn delayed(&mut self, range: &Range, parts: &[Expr]) -> Sere {
        let Times { min, max } = range.times();
        let anything = |times| Sere::Repeat(Box::new(Sere::Bool(Guard::True)), times);
        let mut parts: Vec<Sere> = parts.iter().map(|r| self.sere(r)).collect();
        let (Some(right), left) = (parts.pop(), parts.pop()) else { return Sere::Bool(Guard::False) };
        let Some(left) = left else {
            return match (min, max) {
                (0, Some(0)) => right,
                _ => Sere::Chain(SereOp::Concat, vec![anything(Times { min, max }), right]),
            };
        };
        if min > 0 {
            let (min, max) = (min - 1, max.map(|max| max - 1));
            return Sere::Chain(
                SereOp::Concat,
                match (min, max) {
                    (0, Some(0)) => vec![left, right],
                    _ => vec![left, anything(Times { min, max }), right],
                },
            );
        }
        if max != Some(0) && (may_be_empty(&left) || may_be_empty(&right)) {
            self.mistake(
                Kind::Unsupported,
                range.span,
                "a delay from 0 on, beside a sequence that may be empty",
                "expected a delay from 1 on",
                Some("write both: {{r : s} | {r; [*]; s}} for r ##[0:$] s"),
            );
            return Sere::Bool(Guard::False);
        }
        match max {
            Some(0) => Sere::Chain(SereOp::Fusion, vec![left, right]),
            _ => {
                let between = anything(Times { min: 1, max: max.map(|max| max.saturating_add(1)) });
                Sere::Chain(SereOp::Fusion, vec![left, between, right])
            }
        }
    }

    /// `&&` or `||` where a SERE stands: of booleans it makes a boolean.
    fn joined(&mut self, op: SereOp, parts: &[Expr]) -> Sere {
        let seres: Vec<Sere> = parts.iter().map(|r| self.sere(r)).collect();
        if parts.iter().any(is_braced) || !seres.iter().all(|r| matches!(r, Sere::Bool(_))) {
            return Sere::Chain(op, seres);
        }
        let guard = |r| match r {
            Sere::Bool(b) => Some(b),
            _ => None,
        };
        let guards = seres.into_iter().filter_map(guard).collect();
        Sere::Bool(if op == SereOp::Or { Guard::Or(guards) } else { Guard::And(guards) })
    }

    fn not_a_sere(&mut self, expr: &Expr, label: &str) -> Sere {
        let message = "a SERE is needed here";
        let help = "a SERE is made of booleans with `;` `:` `|` `&` `&&` `within` and repetition; what holds behind it stands after `|->` or `|=>`";
        self.mistake(Kind::Type, expr.span, message, label, Some(help));
        Sere::Bool(Guard::False)
    }

    pub(super) fn boolean(&mut self, expr: &Expr) -> Guard {
        match &expr.kind {
            ExprKind::Not(e) => Guard::Not(Box::new(self.boolean(e))),
            ExprKind::And(es) => Guard::And(es.iter().map(|e| self.boolean(e)).collect()),
            ExprKind::Or(es) => Guard::Or(es.iter().map(|e| self.boolean(e)).collect()),
            // In parentheses inside of a SERE they join booleans as well.
            ExprKind::Psl(PslOp::Chain(SereOp::And), es) => Guard::And(es.iter().map(|e| self.boolean(e)).collect()),
            ExprKind::Psl(PslOp::Joined(SereOp::And), es) => Guard::And(es.iter().map(|e| self.boolean(e)).collect()),
            ExprKind::Psl(PslOp::Joined(_), es) => Guard::Or(es.iter().map(|e| self.boolean(e)).collect()),
            ExprKind::Psl(PslOp::Chain(SereOp::Or), es) => Guard::Or(es.iter().map(|e| self.boolean(e)).collect()),
            ExprKind::Implies(a, b) => Guard::Implies(Box::new(self.boolean(a)), Box::new(self.boolean(b))),
            ExprKind::Iff(a, b) => Guard::Iff(Box::new(self.boolean(a)), Box::new(self.boolean(b))),
            ExprKind::Psl(PslOp::Ended, _) => {
                self.looks_back(expr);
                Guard::False
            }
            ExprKind::Psl(op, _) => {
                let (label, help) = match op {
                    PslOp::Braces | PslOp::Chain(_) | PslOp::Repeat(..) | PslOp::Delay(_) => (
                        "this is a SERE",
                        "`abort`, and in SEREs `!`, `->`, `[->n]` and `[=n]` take booleans; to say that a SERE does not come, write `never`",
                    ),
                    _ => ("this is a formula", "temporal operators stand outside of SEREs, as in {a; b} |-> next c"),
                };
                self.mistake(Kind::Type, expr.span, "a boolean is needed here", label, Some(help));
                Guard::False
            }
            ExprKind::Pattern(..) => {
                self.mistake(Kind::Type, expr.span, "a boolean is needed here", "this is a formula", None);
                Guard::False
            }
            ExprKind::Bool(true) => Guard::True,
            ExprKind::Bool(false) => Guard::False,
            ExprKind::On(_) | ExprKind::Event(..) | ExprKind::Process(_) | ExprKind::Enabled(_) => self.guard(expr),
            _ => Guard::Atom(Atom::of_state(self.condition(expr))),
        }
    }
}
