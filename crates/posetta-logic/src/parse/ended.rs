//! `ended(r)` and endpoints: a match of r ends here, wherever it began.
//!
//! Formulas of PSL look forwards, so what looks back is read from the first position on. There, `always (ended(r) && b -> f)` is
//! `{[*]; r : b} |-> f`, and for a SERE s whose last letter is `ended(r) && b`, `{[*]; s}` is `{[*]; s'} && {[*]; r}`, where s' has b
//! for it. So endpoints are understood in the SERE, or before the `->`, that the formula begins with: behind `always`, `never`,
//! `eventually!` and in `cover`. Elsewhere they would need a variable that remembers.

use super::expr::{Expr, ExprKind};
use super::psl::PslOp;
use super::read::Reader;
use crate::monitor::Guard;
use crate::psl::{Psl, Sere, SereOp, Suffix, Times};
use posetta_base::Kind;

/// `[*]`
fn anything() -> Sere {
    Sere::Repeat(Box::new(Sere::Bool(Guard::True)), Times::ANY)
}

fn then(first: Sere, second: Sere) -> Sere {
    match first {
        Sere::Chain(SereOp::Concat, mut parts) => {
            parts.push(second);
            Sere::Chain(SereOp::Concat, parts)
        }
        first => Sere::Chain(SereOp::Concat, vec![first, second]),
    }
}

impl Reader<'_> {
    /// `always f` from the first position on, if f begins with something that looks back.
    pub(super) fn always_ended(&mut self, f: &Expr) -> Option<Psl> {
        if !self.outermost {
            return None;
        }
        let (op, start, rest) = match &f.kind {
            ExprKind::Psl(PslOp::Braces | PslOp::Clocked(_), parts) if parts.len() == 1 => {
                return self.always_ended(&parts[0]);
            }
            ExprKind::Implies(a, b) => (Suffix::Overlapping, &**a, &**b),
            ExprKind::Psl(PslOp::Suffix(op @ (Suffix::Overlapping | Suffix::After)), parts) => {
                (*op, &parts[0], &parts[1])
            }
            _ => return None,
        };
        if !start.has_ended() {
            return None;
        }
        let sere = self.ended_from_start(start);
        Some(Psl::Suffix(op, sere, Box::new(self.psl(rest))))
    }

    /// `{[*]; r}`, read from the first position on.
    pub(super) fn ended_from_start(&mut self, r: &Expr) -> Sere {
        self.ended_after(anything(), r)
    }

    /// What comes before, from the first position on, and then this SERE.
    fn ended_after(&mut self, before: Sere, expr: &Expr) -> Sere {
        if !expr.has_ended() {
            return then(before, self.sere(expr));
        }
        match &expr.kind {
            ExprKind::Psl(PslOp::Braces, parts) => self.ended_after(before, &parts[0]),
            ExprKind::Psl(PslOp::Chain(SereOp::Concat), parts) => {
                parts.iter().fold(before, |before, part| self.ended_after(before, part))
            }
            ExprKind::Psl(PslOp::Chain(SereOp::Fusion), parts) if !parts[1..].iter().any(Expr::has_ended) => {
                let first = self.ended_after(before, &parts[0]);
                let rest = parts[1..].iter().map(|part| self.sere(part));
                Sere::Chain(SereOp::Fusion, std::iter::once(first).chain(rest).collect())
            }
            ExprKind::Or(parts) | ExprKind::Psl(PslOp::Chain(SereOp::Or) | PslOp::Joined(SereOp::Or), parts) => {
                Sere::Chain(SereOp::Or, parts.iter().map(|part| self.ended_after(before.clone(), part)).collect())
            }
            ExprKind::Psl(PslOp::Ended, _) => self.ended_with(before, std::slice::from_ref(expr)),
            ExprKind::And(parts) | ExprKind::Psl(PslOp::Chain(SereOp::And) | PslOp::Joined(SereOp::And), parts) => {
                self.ended_with(before, parts)
            }
            _ => self.looks_back(expr),
        }
    }

    /// One more letter that satisfies all of these.
    fn ended_with(&mut self, before: Sere, parts: &[Expr]) -> Sere {
        let (mut here, mut ended) = (Vec::new(), Vec::new());
        for part in parts {
            match &part.kind {
                ExprKind::Psl(PslOp::Ended, inside) => ended.push(then(anything(), self.sere(&inside[0]))),
                _ if part.has_ended() => return self.looks_back(part),
                _ => here.push(self.boolean(part)),
            }
        }
        let here = match (here.len(), here.pop()) {
            (1, Some(one)) => one,
            (_, Some(last)) => Guard::And(here.into_iter().chain([last]).collect()),
            (_, None) => Guard::True,
        };
        ended.insert(0, then(before, Sere::Bool(here)));
        Sere::Chain(SereOp::Intersect, ended)
    }

    /// There is no place for it here.
    pub(super) fn looks_back(&mut self, expr: &Expr) -> Sere {
        self.mistake(
            Kind::Unsupported,
            expr.span,
            "this looks back at a match, from where the property does not begin",
            "expected `ended(r)`, or an endpoint, by itself or joined by `and` in what the property waits for",
            Some("as in `always (ended({a; b}) -> c)`, `never {e; d}` or `cover {e}`; otherwise say it from where the match begins: `always {a; b} |-> f`"),
        );
        Sere::Bool(Guard::False)
    }
}
