//! Formulas as text that parses back to the same tree, with as few parentheses as a reader wants.

mod psl;

use std::fmt::{self, Display, Formatter, Write};

use super::atom::{Arith, Atom, Condition, Term, Var, Which};
use super::ctl::{Ctl, CtlBinary, CtlUnary, Path};
use super::having::{Having, Operand, Test};
use super::lex::is_plain_name;
use super::ltl::{Ltl, LtlBinary, LtlUnary};
use super::monitor::Guard;
use super::parse::{is_reserved, is_reserved_somewhere};
use posetta_base::Value;

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

/// The connectives that conditions, LTL and CTL share.
enum Shape<'a, T> {
    Constant(bool),
    Not(&'a T),
    And(&'a [T]),
    Or(&'a [T]),
    Implies(&'a T, &'a T),
    Iff(&'a T, &'a T),
    /// Something of its own.
    Own,
}

/// A tree with the shared connectives.
trait Tree: Display + Sized {
    fn shape(&self) -> Shape<'_, Self>;

    /// How tightly it binds if its shape is [`Shape::Own`].
    fn own_level(&self) -> Level;

    /// Prints it if its shape is [`Shape::Own`].
    fn own(&self, f: &mut Formatter<'_>) -> fmt::Result;

    fn level(&self) -> Level {
        match self.shape() {
            Shape::Constant(_) => Level::Single,
            Shape::Not(_) => Level::Unary,
            Shape::And(_) => Level::And,
            Shape::Or(_) => Level::Or,
            Shape::Implies(..) => Level::Implies,
            Shape::Iff(..) => Level::Iff,
            Shape::Own => self.own_level(),
        }
    }
}

fn print<T: Tree>(tree: &T, f: &mut Formatter<'_>) -> fmt::Result {
    let mut join = |parts: &[&T], sign: &str, leasts: [Level; 2]| {
        for (i, part) in parts.iter().enumerate() {
            if i > 0 {
                write!(f, " {sign} ")?;
            }
            wrap(f, leasts[usize::from(i > 0)], part.level(), part)?;
        }
        Ok(())
    };
    match tree.shape() {
        Shape::Constant(value) => write!(f, "{value}"),
        Shape::Not(inner) => {
            f.write_char('!')?;
            operand(f, inner.level(), inner)
        }
        Shape::And(parts) => join(&parts.iter().collect::<Vec<_>>(), "&&", [Level::Temporal; 2]),
        Shape::Or(parts) => join(&parts.iter().collect::<Vec<_>>(), "||", [Level::And; 2]),
        Shape::Implies(a, b) => join(&[a, b], "->", [Level::Or, Level::Implies]),
        Shape::Iff(a, b) => join(&[a, b], "<->", [Level::Implies, Level::Iff]),
        Shape::Own => tree.own(f),
    }
}

/// The name without its path and indices.
fn first_word(name: &str) -> &str {
    name.split(['.', '[']).next().unwrap_or_default()
}

/// Whether a variable's name reads as itself in every logic: what follows a reserved word is not taken for its path.
fn is_bare(name: &str) -> bool {
    is_plain_name(name) && !is_reserved_somewhere(first_word(name))
}

impl Display for Var {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.which {
            Which::Now => variable(f, &self.name),
            Which::Before => {
                f.write_str("prev(")?;
                variable(f, &self.name)?;
                f.write_char(')')
            }
            Which::Key => write!(f, "${}", self.name),
        }
    }
}

/// A name that reads as a variable.
fn variable(f: &mut Formatter<'_>, name: &str) -> fmt::Result {
    if is_bare(name) { f.write_str(name) } else { write!(f, "${}", Value::Text(name.to_owned())) }
}

impl Display for Having {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("event(")?;
        match &self.name {
            Some(name) => name_in_quotes(f, name)?,
            None => f.write_char('*')?,
        }
        for Test { attribute, op, with, .. } in &self.tests {
            f.write_str(", ")?;
            variable(f, attribute)?;
            write!(f, " {op} ")?;
            match with {
                Operand::Value(value) => value.fmt(f)?,
                Operand::Key(name) => write!(f, "${name}")?,
            }
        }
        f.write_char(')')
    }
}

fn term_level<V>(term: &Term<V>) -> Level {
    match term {
        Term::Number(n) if *n < posetta_base::Number::ZERO => Level::Product,
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

impl<V: Display> Tree for Condition<V> {
    fn shape(&self) -> Shape<'_, Self> {
        match self {
            Self::True => Shape::Constant(true),
            Self::False => Shape::Constant(false),
            Self::Not(c) => Shape::Not(c),
            Self::And(cs) => Shape::And(cs),
            Self::Or(cs) => Shape::Or(cs),
            Self::Implies(a, b) => Shape::Implies(a, b),
            Self::Iff(a, b) => Shape::Iff(a, b),
            Self::Compare(..) | Self::Nonzero(_) => Shape::Own,
        }
    }

    fn own_level(&self) -> Level {
        match self {
            Self::Nonzero(t) => term_level(t),
            _ => Level::Compare,
        }
    }

    fn own(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Compare(op, a, b) => write!(f, "{a} {op} {b}"),
            Self::Nonzero(t) => t.fmt(f),
            _ => Ok(()),
        }
    }
}

impl<V: Display> Display for Condition<V> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        print(self, f)
    }
}

/// A name, in quotes if it would not read as itself.
pub(super) fn name_in_quotes(f: &mut Formatter<'_>, name: &str) -> fmt::Result {
    // A word of PSL has no path, but by itself it is a name where one is asked for.
    let word = first_word(name);
    let reads = is_plain_name(name) && !is_reserved(word) && (word == name || !is_reserved_somewhere(word));
    if reads { f.write_str(name) } else { write!(f, "{}", Value::Text(name.to_owned())) }
}

/// The same as text.
pub(super) fn quoted_name(name: &str) -> String {
    struct Quoted<'a>(&'a str);
    impl Display for Quoted<'_> {
        fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
            name_in_quotes(f, self.0)
        }
    }
    Quoted(name).to_string()
}

/// A name as an argument of `event`, `process` or `enabled`.
fn argument(f: &mut Formatter<'_>, word: &str, name: &str) -> fmt::Result {
    write!(f, "{word}(")?;
    name_in_quotes(f, name)?;
    f.write_char(')')
}

impl<V: Display> Display for Atom<V> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::State(c) | Self::Step(c) => c.fmt(f),
            Self::Having(having) => having.fmt(f),
            Self::On(c) => write!(f, "on({c})"),
            Self::Event(name) => argument(f, "event", name),
            Self::Process(name) => argument(f, "process", name),
            // Its argument is read like that of a definition, where a word of PSL is none.
            Self::Enabled(name) if is_reserved_somewhere(first_word(name)) => {
                write!(f, "enabled({})", Value::Text(name.clone()))
            }
            Self::Enabled(name) => argument(f, "enabled", name),
        }
    }
}

fn atom_level<V: Display>(atom: &Atom<V>) -> Level {
    match atom {
        Atom::State(c) | Atom::Step(c) => c.level(),
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

impl<V: Display> Tree for Ltl<Atom<V>> {
    fn shape(&self) -> Shape<'_, Self> {
        match self {
            Self::True => Shape::Constant(true),
            Self::False => Shape::Constant(false),
            Self::Not(g) => Shape::Not(g),
            Self::And(gs) => Shape::And(gs),
            Self::Or(gs) => Shape::Or(gs),
            Self::Implies(a, b) => Shape::Implies(a, b),
            Self::Iff(a, b) => Shape::Iff(a, b),
            Self::Atom(_) | Self::Unary(..) | Self::Binary(..) => Shape::Own,
        }
    }

    fn own_level(&self) -> Level {
        match self {
            Self::Atom(a) => atom_level(a),
            Self::Unary(..) => Level::Unary,
            _ => Level::Temporal,
        }
    }

    fn own(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Atom(a) => a.fmt(f),
            Self::Unary(op, g) => {
                write!(f, "{op} ")?;
                operand(f, g.level(), g)
            }
            Self::Binary(op, a, b) => {
                operand(f, a.level(), a)?;
                write!(f, " {op} ")?;
                // The right operand may be another of these; they are read from the right.
                if b.level() == Level::Temporal { b.fmt(f) } else { operand(f, b.level(), b) }
            }
            _ => Ok(()),
        }
    }
}

impl<V: Display> Display for Ltl<Atom<V>> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        print(self, f)
    }
}

impl<V: Display> Tree for Guard<Atom<V>> {
    fn shape(&self) -> Shape<'_, Self> {
        match self {
            Self::True => Shape::Constant(true),
            Self::False => Shape::Constant(false),
            Self::Not(g) => Shape::Not(g),
            Self::And(gs) => Shape::And(gs),
            Self::Or(gs) => Shape::Or(gs),
            Self::Implies(a, b) => Shape::Implies(a, b),
            Self::Iff(a, b) => Shape::Iff(a, b),
            Self::Atom(_) => Shape::Own,
        }
    }

    fn own_level(&self) -> Level {
        match self {
            Self::Atom(a) => atom_level(a),
            _ => Level::Single,
        }
    }

    fn own(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Atom(a) => a.fmt(f),
            _ => Ok(()),
        }
    }
}

impl<V: Display> Display for Guard<Atom<V>> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        print(self, f)
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

impl<V: Display> Tree for Ctl<Atom<V>> {
    fn shape(&self) -> Shape<'_, Self> {
        match self {
            Self::True => Shape::Constant(true),
            Self::False => Shape::Constant(false),
            Self::Not(g) => Shape::Not(g),
            Self::And(gs) => Shape::And(gs),
            Self::Or(gs) => Shape::Or(gs),
            Self::Implies(a, b) => Shape::Implies(a, b),
            Self::Iff(a, b) => Shape::Iff(a, b),
            Self::Atom(_) | Self::Unary(..) | Self::Binary(..) => Shape::Own,
        }
    }

    fn own_level(&self) -> Level {
        match self {
            Self::Atom(a) => atom_level(a),
            Self::Unary(..) => Level::Unary,
            _ => Level::Single,
        }
    }

    fn own(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Atom(a) => a.fmt(f),
            Self::Unary(path, op, g) => {
                let op = match op {
                    CtlUnary::Next => "X",
                    CtlUnary::Finally => "F",
                    CtlUnary::Globally => "G",
                };
                write!(f, "{path}{op} ")?;
                operand(f, g.level(), g)
            }
            Self::Binary(path, op, a, b) => {
                let op = match op {
                    CtlBinary::Until => "U",
                    CtlBinary::WeakUntil => "W",
                    CtlBinary::Release => "R",
                };
                write!(f, "{path}[{a} {op} {b}]")
            }
            _ => Ok(()),
        }
    }
}

impl<V: Display> Display for Ctl<Atom<V>> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        print(self, f)
    }
}
