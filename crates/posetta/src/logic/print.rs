//! Formulas as text that parses back to the same tree, with as few parentheses as a reader wants.

use std::fmt::{self, Display, Formatter, Write};

use super::atom::{Arith, Atom, Condition, Term, Var};
use super::ctl::{Ctl, CtlBinary, CtlUnary, Path};
use super::lex::is_plain_name;
use super::ltl::{Ltl, LtlBinary, LtlUnary};
use super::parse::is_reserved;
use crate::base::Value;

/// How tightly something binds; as in [`super::parse`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Iff,
    Implies,
    Or,
    And,
    Temporal,
    Unary,
    Compare,
    Sum,
    Product,
    Single,
}

/// Prints `inner`, in parentheses unless it binds at least as tightly as `least`.
fn wrap(f: &mut Formatter<'_>, least: Level, level: Level, inner: &impl Display) -> fmt::Result {
    if level >= least { write!(f, "{inner}") } else { write!(f, "({inner})") }
}

/// The operand of a temporal operator or a negation. A comparison would not need its parentheses, but `!x == 1` and
/// `x == 1 U y == 2` read wrong.
fn operand(f: &mut Formatter<'_>, level: Level, inner: &impl Display) -> fmt::Result {
    let bare = level == Level::Unary || level == Level::Single;
    if bare { write!(f, "{inner}") } else { write!(f, "({inner})") }
}

fn list<T: Display>(
    f: &mut Formatter<'_>,
    parts: &[T],
    sign: &str,
    least: Level,
    level: fn(&T) -> Level,
) -> fmt::Result {
    for (i, part) in parts.iter().enumerate() {
        if i > 0 {
            write!(f, " {sign} ")?;
        }
        wrap(f, least, level(part), part)?;
    }
    Ok(())
}

impl Display for Var {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if is_plain_name(&self.name) && !is_reserved(&self.name) {
            f.write_str(&self.name)
        } else {
            write!(f, "${}", Value::Text(self.name.clone()))
        }
    }
}

fn term_level<V>(term: &Term<V>) -> Level {
    match term {
        Term::Number(n) if *n < crate::base::Number::ZERO => Level::Product,
        Term::Number(_) | Term::Text(..) | Term::Var(_) => Level::Single,
        Term::Neg(_) => Level::Product,
        Term::Binary(Arith::Add | Arith::Sub, ..) => Level::Sum,
        Term::Binary(Arith::Mul | Arith::Div, ..) => Level::Product,
    }
}

impl<V: Display> Display for Term<V> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(n) => n.fmt(f),
            Self::Text(t, _) => Value::Text(t.clone()).fmt(f),
            Self::Var(v) => v.fmt(f),
            Self::Neg(t) => {
                // The space keeps `- 1`, the negation of 1, apart from the number -1.
                let literal = matches!(**t, Term::Number(_));
                f.write_str(if literal { "- " } else { "-" })?;
                wrap(f, Level::Single, term_level(t), t)
            }
            Self::Binary(op, a, b) => {
                let (left, right) = match op {
                    Arith::Add | Arith::Sub => (Level::Sum, Level::Product),
                    Arith::Mul | Arith::Div => (Level::Product, Level::Single),
                };
                wrap(f, left, term_level(a), a)?;
                write!(f, " {op} ")?;
                wrap(f, right, term_level(b), b)
            }
        }
    }
}

fn condition_level<V>(condition: &Condition<V>) -> Level {
    match condition {
        Condition::True | Condition::False => Level::Single,
        Condition::Compare(..) => Level::Compare,
        Condition::Nonzero(t) => term_level(t),
        Condition::Not(_) => Level::Unary,
        Condition::And(_) => Level::And,
        Condition::Or(_) => Level::Or,
        Condition::Implies(..) => Level::Implies,
        Condition::Iff(..) => Level::Iff,
    }
}

impl<V: Display> Display for Condition<V> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::True => f.write_str("true"),
            Self::False => f.write_str("false"),
            Self::Compare(op, a, b) => write!(f, "{a} {op} {b}"),
            Self::Nonzero(t) => t.fmt(f),
            Self::Not(c) => {
                f.write_char('!')?;
                operand(f, condition_level(c), c)
            }
            Self::And(cs) => list(f, cs, "&&", Level::Temporal, condition_level),
            Self::Or(cs) => list(f, cs, "||", Level::And, condition_level),
            Self::Implies(a, b) => {
                wrap(f, Level::Or, condition_level(a), a)?;
                f.write_str(" -> ")?;
                wrap(f, Level::Implies, condition_level(b), b)
            }
            Self::Iff(a, b) => {
                wrap(f, Level::Implies, condition_level(a), a)?;
                f.write_str(" <-> ")?;
                wrap(f, Level::Iff, condition_level(b), b)
            }
        }
    }
}

/// A name as an argument of `event` or `process`.
fn argument(f: &mut Formatter<'_>, word: &str, name: &str) -> fmt::Result {
    if is_plain_name(name) && !is_reserved(name) {
        write!(f, "{word}({name})")
    } else {
        write!(f, "{word}({})", Value::Text(name.to_owned()))
    }
}

impl<V: Display> Display for Atom<V> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::State(c) => c.fmt(f),
            Self::On(c) => write!(f, "on({c})"),
            Self::Event(name) => argument(f, "event", name),
            Self::Process(name) => argument(f, "process", name),
        }
    }
}

fn atom_level<V>(atom: &Atom<V>) -> Level {
    match atom {
        Atom::State(c) => condition_level(c),
        _ => Level::Single,
    }
}

impl Display for LtlUnary {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Next => "X",
            Self::WeakNext => "WX",
            Self::Finally => "F",
            Self::Globally => "G",
            Self::Yesterday => "Y",
            Self::Once => "O",
            Self::Historically => "H",
        })
    }
}

impl Display for LtlBinary {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Until => "U",
            Self::WeakUntil => "W",
            Self::Release => "R",
            Self::StrongRelease => "M",
            Self::Since => "S",
        })
    }
}

fn ltl_level<V>(formula: &Ltl<Atom<V>>) -> Level {
    match formula {
        Ltl::True | Ltl::False => Level::Single,
        Ltl::Atom(a) => atom_level(a),
        Ltl::Not(_) | Ltl::Unary(..) => Level::Unary,
        Ltl::And(_) => Level::And,
        Ltl::Or(_) => Level::Or,
        Ltl::Implies(..) => Level::Implies,
        Ltl::Iff(..) => Level::Iff,
        Ltl::Binary(..) => Level::Temporal,
    }
}

impl<V: Display> Display for Ltl<Atom<V>> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::True => f.write_str("true"),
            Self::False => f.write_str("false"),
            Self::Atom(a) => a.fmt(f),
            Self::Not(g) => {
                f.write_char('!')?;
                operand(f, ltl_level(g), g)
            }
            Self::And(gs) => list(f, gs, "&&", Level::Temporal, ltl_level),
            Self::Or(gs) => list(f, gs, "||", Level::And, ltl_level),
            Self::Implies(a, b) => {
                wrap(f, Level::Or, ltl_level(a), a)?;
                f.write_str(" -> ")?;
                wrap(f, Level::Implies, ltl_level(b), b)
            }
            Self::Iff(a, b) => {
                wrap(f, Level::Implies, ltl_level(a), a)?;
                f.write_str(" <-> ")?;
                wrap(f, Level::Iff, ltl_level(b), b)
            }
            Self::Unary(op, g) => {
                write!(f, "{op} ")?;
                operand(f, ltl_level(g), g)
            }
            Self::Binary(op, a, b) => {
                operand(f, ltl_level(a), a)?;
                write!(f, " {op} ")?;
                // The right operand may be another of these; they are read from the right.
                if ltl_level(b) == Level::Temporal { b.fmt(f) } else { operand(f, ltl_level(b), b) }
            }
        }
    }
}

fn ctl_level<V>(formula: &Ctl<Atom<V>>) -> Level {
    match formula {
        Ctl::True | Ctl::False | Ctl::Binary(..) => Level::Single,
        Ctl::Atom(a) => atom_level(a),
        Ctl::Not(_) | Ctl::Unary(..) => Level::Unary,
        Ctl::And(_) => Level::And,
        Ctl::Or(_) => Level::Or,
        Ctl::Implies(..) => Level::Implies,
        Ctl::Iff(..) => Level::Iff,
    }
}

impl Display for Path {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Some => "E",
            Self::All => "A",
        })
    }
}

impl<V: Display> Display for Ctl<Atom<V>> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::True => f.write_str("true"),
            Self::False => f.write_str("false"),
            Self::Atom(a) => a.fmt(f),
            Self::Not(g) => {
                f.write_char('!')?;
                operand(f, ctl_level(g), g)
            }
            Self::And(gs) => list(f, gs, "&&", Level::Temporal, ctl_level),
            Self::Or(gs) => list(f, gs, "||", Level::And, ctl_level),
            Self::Implies(a, b) => {
                wrap(f, Level::Or, ctl_level(a), a)?;
                f.write_str(" -> ")?;
                wrap(f, Level::Implies, ctl_level(b), b)
            }
            Self::Iff(a, b) => {
                wrap(f, Level::Implies, ctl_level(a), a)?;
                f.write_str(" <-> ")?;
                wrap(f, Level::Iff, ctl_level(b), b)
            }
            Self::Unary(path, op, g) => {
                let op = match op {
                    CtlUnary::Next => "X",
                    CtlUnary::Finally => "F",
                    CtlUnary::Globally => "G",
                };
                write!(f, "{path}{op} ")?;
                operand(f, ctl_level(g), g)
            }
            Self::Binary(path, op, a, b) => {
                let op = match op {
                    CtlBinary::Until => "U",
                    CtlBinary::WeakUntil => "W",
                    CtlBinary::Release => "R",
                };
                write!(f, "{path}[{a} {op} {b}]")
            }
        }
    }
}
