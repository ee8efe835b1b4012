//! From the tree to PSL: formulas, SEREs and booleans.
//!
//! What `! && || -> <->` make of booleans is one boolean. Otherwise `&&` and `||` join formulas where a formula stands, and SEREs where
//! only a SERE can stand: inside braces and angles, before `!`, before `|->` and `|=>`.

use super::Index;
use super::expr::{Expr, ExprKind};
use super::psl::{PslOp, Range, Repetition};
use super::read::Reader;
use crate::atom::Atom;
use crate::ltl::{Ltl, LtlBinary, LtlUnary};
use crate::monitor::Guard;
use crate::pattern::Skeleton;
use crate::psl::{Psl, PslBinary, PslUnary, Sere, SereOp, Times};
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

impl Reader<'_> {
    pub(crate) fn psl(&mut self, expr: &Expr) -> Psl {
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
            (PslOp::Strong, [r]) => Psl::Sere { sere: self.sere(r), strong: true },
            (PslOp::Unary(op), [f]) => unary(*op, self.psl(f)),
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

    fn sere(&mut self, expr: &Expr) -> Sere {
        match &expr.kind {
            ExprKind::And(es) => self.joined(SereOp::Intersect, es),
            ExprKind::Or(es) => self.joined(SereOp::Or, es),
            ExprKind::Pattern(..) => self.not_a_sere(expr, "this is a formula"),
            ExprKind::Psl(op, parts) => match (op, parts.as_slice()) {
                (PslOp::Braces, [r]) => self.sere(r),
                (PslOp::Chain(op), parts) => Sere::Chain(*op, parts.iter().map(|r| self.sere(r)).collect()),
                (PslOp::Repeat(Repetition::Star, range), [r]) => Sere::Repeat(Box::new(self.sere(r)), range.times()),
                (PslOp::Repeat(Repetition::Goto, range), [b]) => Sere::Goto(self.boolean(b), range.times()),
                (PslOp::Repeat(Repetition::Occur, range), [b]) => Sere::Occur(self.boolean(b), range.times()),
                (PslOp::Strong, _) => self.not_a_sere(expr, "with its `!` this is a formula"),
                _ => self.not_a_sere(expr, "this is a formula"),
            },
            _ => Sere::Bool(self.boolean(expr)),
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

    fn boolean(&mut self, expr: &Expr) -> Guard {
        match &expr.kind {
            ExprKind::Not(e) => Guard::Not(Box::new(self.boolean(e))),
            ExprKind::And(es) => Guard::And(es.iter().map(|e| self.boolean(e)).collect()),
            ExprKind::Or(es) => Guard::Or(es.iter().map(|e| self.boolean(e)).collect()),
            // In parentheses inside of a SERE they join booleans as well.
            ExprKind::Psl(PslOp::Chain(SereOp::And), es) => Guard::And(es.iter().map(|e| self.boolean(e)).collect()),
            ExprKind::Psl(PslOp::Chain(SereOp::Or), es) => Guard::Or(es.iter().map(|e| self.boolean(e)).collect()),
            ExprKind::Implies(a, b) => Guard::Implies(Box::new(self.boolean(a)), Box::new(self.boolean(b))),
            ExprKind::Iff(a, b) => Guard::Iff(Box::new(self.boolean(a)), Box::new(self.boolean(b))),
            ExprKind::Psl(op, _) => {
                let (label, help) = match op {
                    PslOp::Braces | PslOp::Chain(_) | PslOp::Repeat(..) => (
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
