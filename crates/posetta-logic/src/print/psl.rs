//! PSL as text. Formulas have their words of IEEE 1850; SEREs stand in braces.

use std::fmt::{self, Display, Formatter, Write};

use super::{Level, Tree};
use crate::atom::Atom;
use crate::monitor::Guard;
use crate::psl::{Psl, PslBinary, PslUnary, Sere, SereOp, Suffix, Times};

impl Display for SereOp {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Concat => ";",
            Self::Fusion => ":",
            Self::Or => "|",
            Self::And => "&",
            Self::Intersect => "&&",
            Self::Within => "within",
        })
    }
}

impl Display for PslUnary {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Next => "next",
            Self::StrongNext => "next!",
            Self::Globally => "always",
            Self::Finally => "eventually!",
        })
    }
}

impl Display for PslBinary {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (word, strong, inclusive) = match self {
            Self::Until { strong, inclusive } => ("until", strong, inclusive),
            Self::Before { strong, inclusive } => ("before", strong, inclusive),
        };
        f.write_str(word)?;
        f.write_str(if *strong { "!" } else { "" })?;
        f.write_str(if *inclusive { "_" } else { "" })
    }
}

impl Display for Suffix {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Overlapping => "|->",
            Self::After => "|=>",
            Self::Some => "<…>",
        })
    }
}

/// `n`, `n:m` or `n:inf`.
fn range(f: &mut Formatter<'_>, times: Times) -> fmt::Result {
    match times.max {
        Some(max) if max == times.min => write!(f, "{max}"),
        Some(max) => write!(f, "{}:{max}", times.min),
        None => write!(f, "{}:inf", times.min),
    }
}

/// A boolean as an operand, in parentheses unless nothing can be misread.
fn single<V: Display>(f: &mut Formatter<'_>, guard: &Guard<Atom<V>>) -> fmt::Result {
    super::operand(f, guard.level(), guard)
}

/// How tightly an operator of SEREs binds.
fn tightness(op: SereOp) -> u8 {
    match op {
        SereOp::Concat => 0,
        SereOp::Fusion => 1,
        SereOp::Or => 2,
        SereOp::And | SereOp::Intersect => 3,
        SereOp::Within => 4,
    }
}

/// A part of a chain. Booleans that `&&` would make one boolean are kept apart by braces.
fn part<V: Display>(f: &mut Formatter<'_>, op: SereOp, sere: &Sere<Atom<V>>) -> fmt::Result {
    let in_braces = match sere {
        Sere::Bool(_) => op == SereOp::Intersect,
        Sere::Chain(inner, _) => tightness(*inner) <= tightness(op),
        Sere::Repeat(..) | Sere::Goto(..) | Sere::Occur(..) => false,
    };
    match sere {
        _ if in_braces => write!(f, "{{{sere}}}"),
        Sere::Bool(b) if op != SereOp::Concat && b.level() < Level::Unary => write!(f, "({b})"),
        _ => write!(f, "{sere}"),
    }
}

impl<V: Display> Display for Sere<Atom<V>> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(b) => b.fmt(f),
            Self::Chain(op, parts) => {
                for (i, sere) in parts.iter().enumerate() {
                    match (i, op) {
                        (0, _) => {}
                        (_, SereOp::Concat) => f.write_str("; ")?,
                        _ => write!(f, " {op} ")?,
                    }
                    part(f, *op, sere)?;
                }
                Ok(())
            }
            Self::Repeat(r, times) => {
                match &**r {
                    Self::Bool(Guard::True) => {}
                    Self::Bool(b) => single(f, b)?,
                    r => write!(f, "{{{r}}}")?,
                }
                match *times {
                    Times::ANY => f.write_str("[*]"),
                    Times::SOME => f.write_str("[+]"),
                    _ => {
                        f.write_str("[*")?;
                        range(f, *times)?;
                        f.write_char(']')
                    }
                }
            }
            Self::Goto(b, times) => {
                single(f, b)?;
                f.write_str("[->")?;
                if *times != Times::exactly(1) {
                    range(f, *times)?;
                }
                f.write_char(']')
            }
            Self::Occur(b, times) => {
                single(f, b)?;
                f.write_str("[=")?;
                range(f, *times)?;
                f.write_char(']')
            }
        }
    }
}

/// Where an operand stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Context {
    /// Behind `always` and its like, which take everything.
    Loose,
    /// Beside `->` and `<->`.
    Arrow,
    /// Beside `&&` and `||`.
    Joined,
    /// Behind `next` and its like, beside `until`, behind `|->`.
    Temporal,
    /// Behind `!`, before `abort`.
    Tight,
}

/// An operand, in parentheses unless a reader needs none.
fn operand<V: Display>(f: &mut Formatter<'_>, place: Context, formula: &Psl<Atom<V>>) -> fmt::Result {
    let bare = match formula {
        Psl::Sere { .. } | Psl::Not(_) => true,
        Psl::Bool(b) => match b.level() {
            Level::Unary | Level::Single => true,
            Level::Compare | Level::Sum | Level::Product => matches!(place, Context::Joined | Context::Arrow),
            Level::And | Level::Or => place == Context::Arrow,
            _ => false,
        },
        Psl::Unary(PslUnary::Globally, _) | Psl::Never(_) => false,
        Psl::Unary(..) | Psl::NextTimes { .. } | Psl::Eventually(_) => place != Context::Tight,
        Psl::And(_) | Psl::Or(_) => place == Context::Arrow,
        Psl::Suffix(op, ..) => place == Context::Loose && *op != Suffix::Some,
        Psl::Implies(..) | Psl::Iff(..) | Psl::Binary(..) | Psl::Abort(..) => false,
    };
    if bare { write!(f, "{formula}") } else { write!(f, "({formula})") }
}

impl<V: Display> Display for Psl<Atom<V>> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let join = |f: &mut Formatter<'_>, parts: &[Self], sign: &str| {
            for (i, part) in parts.iter().enumerate() {
                if i > 0 {
                    write!(f, " {sign} ")?;
                }
                operand(f, Context::Joined, part)?;
            }
            Ok(())
        };
        match self {
            Self::Bool(b) => b.fmt(f),
            Self::Sere { sere, strong } => write!(f, "{{{sere}}}{}", if *strong { "!" } else { "" }),
            Self::Not(g) => {
                f.write_char('!')?;
                operand(f, Context::Tight, g)
            }
            Self::And(parts) => join(f, parts, "&&"),
            Self::Or(parts) => join(f, parts, "||"),
            Self::Implies(a, b) => {
                operand(f, Context::Arrow, a)?;
                f.write_str(" -> ")?;
                operand(f, Context::Arrow, b)
            }
            Self::Iff(a, b) => {
                operand(f, Context::Arrow, a)?;
                f.write_str(" <-> ")?;
                operand(f, Context::Arrow, b)
            }
            // Of a SERE, `eventually!` says something else.
            Self::Unary(PslUnary::Finally, g) if matches!(**g, Self::Sere { strong: false, .. }) => write!(f, "F {g}"),
            Self::Unary(op, g) => {
                write!(f, "{op} ")?;
                operand(f, if *op == PslUnary::Globally { Context::Loose } else { Context::Temporal }, g)
            }
            Self::NextTimes { strong, count, formula } => {
                write!(f, "next{}[{count}] ", if *strong { "!" } else { "" })?;
                operand(f, Context::Temporal, formula)
            }
            Self::Binary(op, a, b) => {
                operand(f, Context::Temporal, a)?;
                write!(f, " {op} ")?;
                operand(f, Context::Temporal, b)
            }
            Self::Never(Sere::Bool(b)) => {
                f.write_str("never ")?;
                single(f, b)
            }
            Self::Never(r) => write!(f, "never {{{r}}}"),
            Self::Eventually(r) => write!(f, "eventually! {{{r}}}"),
            Self::Suffix(op, r, g) => {
                match op {
                    Suffix::Some => write!(f, "<{{{r}}}> ")?,
                    _ => write!(f, "{{{r}}} {op} ")?,
                }
                operand(f, Context::Temporal, g)
            }
            Self::Abort(g, b) => {
                operand(f, Context::Tight, g)?;
                f.write_str(" abort ")?;
                single(f, b)
            }
        }
    }
}
