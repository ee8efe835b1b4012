//! Programs and formulas in MONA's syntax.
//!
//! What is printed reads as an equal tree, provided that trees are made as by the parser: a name means what is declared
//! innermost under it, no step is added to a number, no set is listed without elements.

use std::fmt::{self, Display, Formatter};

use super::CHAIN;
use super::number::Item;
use super::tree::{
    Argument, Connective, Element, Formula, Mode, Order, Position, PredId, Predicate, Program, Set, VarId,
};

/// How tightly the operators of [`super::operators`] bind; an operand that binds less stands in parentheses.
const LOOSEST: u8 = 0;
const IFF: u8 = 1;
const IMPLIES: u8 = 2;
const OR: u8 = 3;
const AND: u8 = 4;
const NOT: u8 = 5;
const MEMBER: u8 = 6;
const COMPARE: u8 = 7;
const EXTREME: u8 = 8;
const UNION: u8 = 9;
const INTER: u8 = 10;
const DIFFERENCE: u8 = 11;
const SUM: u8 = 12;
const SINGLE: u8 = 14;

/// A part of a program with its names, to be printed.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a, T> {
    program: &'a Program,
    part: &'a T,
    /// What binds less stands in parentheses.
    least: u8,
}

impl Program {
    /// Its predicates, as they are printed.
    pub(super) fn printed_predicates(&self) -> impl Iterator<Item = String> {
        self.items().into_iter().filter_map(|item| match item {
            Item::Predicate(pred) => Some(Definition(self, pred).to_string()),
            Item::Global(_) | Item::Default(_) => None,
        })
    }

    /// A formula of this program, to be printed with the names of its variables.
    #[must_use]
    pub fn show<'a>(&'a self, formula: &'a Formula) -> Shown<'a, Formula> {
        self.at(LOOSEST, formula)
    }

    fn at<'a, T>(&'a self, least: u8, part: &'a T) -> Shown<'a, T> {
        Shown { program: self, part, least }
    }
}

/// The operands of a chain that is grouped to the left.
fn spine<'a, T>(root: &'a T, split: impl Fn(&'a T) -> Option<(&'a T, &'a T)>) -> Vec<&'a T> {
    let mut operands = Vec::new();
    let mut at = root;
    while let Some((left, right)) = split(at) {
        operands.push(right);
        at = left;
    }
    operands.push(at);
    operands.reverse();
    operands
}

/// Whether a group ends before this operand. The parser regroups chains that are longer than [`CHAIN`], so longer ones are printed in groups,
/// each in the parentheses of the next.
fn ends_group(at: usize) -> bool {
    at >= CHAIN && (at - 1).is_multiple_of(CHAIN - 1)
}

impl<T> Shown<'_, T> {
    fn name(&self, var: VarId) -> Name<'_> {
        Name(self.program, var)
    }
}

/// Prints a chain of one operator.
fn chain<T>(
    f: &mut Formatter<'_>,
    operands: &[T],
    sign: &str,
    one: impl Fn(&mut Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    let groups = (1..operands.len()).filter(|&at| ends_group(at)).count();
    f.write_str(&"(".repeat(groups))?;
    for (at, operand) in operands.iter().enumerate() {
        if ends_group(at) {
            f.write_str(")")?;
        }
        if at > 0 {
            write!(f, " {sign} ")?;
        }
        one(f, operand)?;
    }
    Ok(())
}

/// The name of a variable; an atom is written in backquotes.
struct Name<'a>(&'a Program, VarId);

impl Display for Name<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let name = &self.0.vars[self.1.index()].name;
        if self.0.is_atom(self.1) { write!(f, "`{name}`") } else { f.write_str(name) }
    }
}

fn in_parentheses(
    f: &mut Formatter<'_>,
    yes: bool,
    inside: impl FnOnce(&mut Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    if !yes {
        return inside(f);
    }
    f.write_str("(")?;
    inside(f)?;
    f.write_str(")")
}

/// Things with commas between them.
fn listed<T>(
    f: &mut Formatter<'_>,
    all: &[T],
    mut one: impl FnMut(&mut Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    for (at, item) in all.iter().enumerate() {
        if at > 0 {
            f.write_str(", ")?;
        }
        one(f, item)?;
    }
    Ok(())
}

fn formula_level(formula: &Formula) -> u8 {
    match formula {
        Formula::Quantified { .. } | Formula::Let(..) => LOOSEST,
        Formula::Joined(Connective::Iff, ..) => IFF,
        Formula::Joined(Connective::Implies, ..) => IMPLIES,
        Formula::Joined(Connective::Or, ..) => OR,
        Formula::Joined(Connective::And, ..) => AND,
        Formula::Not(inner) => match **inner {
            Formula::In(..) => MEMBER,
            Formula::SamePosition(..) | Formula::SameSet(..) => COMPARE,
            _ => NOT,
        },
        Formula::In(..) | Formula::Sub(..) => MEMBER,
        Formula::SamePosition(..) | Formula::SameSet(..) | Formula::Less(..) | Formula::LessEq(..) => COMPARE,
        Formula::Constant(_)
        | Formula::Truth(_)
        | Formula::Empty(_)
        | Formula::Call(..)
        | Formula::Restrict(_)
        | Formula::Prefix(_) => SINGLE,
    }
}

impl Display for Shown<'_, Formula> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let level = formula_level(self.part);
        in_parentheses(f, level < self.least, |f| self.bare(f))
    }
}

impl Shown<'_, Formula> {
    fn bare(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let p = self.program;
        match self.part {
            Formula::Constant(value) => write!(f, "{value}"),
            Formula::Truth(var) => self.name(*var).fmt(f),
            Formula::Not(inner) => match &**inner {
                Formula::In(t, s) => write!(f, "{} notin {}", p.at(EXTREME, t), p.at(EXTREME, s)),
                Formula::SamePosition(a, b) => write!(f, "{} ~= {}", p.at(EXTREME, a), p.at(EXTREME, b)),
                Formula::SameSet(a, b) => write!(f, "{} ~= {}", p.at(EXTREME, a), p.at(EXTREME, b)),
                _ => write!(f, "~{}", p.at(NOT, &**inner)),
            },
            Formula::Joined(Connective::Iff, a, b) => write!(f, "{} <=> {}", p.at(IMPLIES, &**a), p.at(IFF, &**b)),
            Formula::Joined(Connective::Implies, a, b) => write!(f, "{} => {}", p.at(OR, &**a), p.at(IMPLIES, &**b)),
            Formula::Joined(join, ..) => {
                let (sign, level) = if *join == Connective::Or { ("|", OR) } else { ("&", AND) };
                chain(f, &conjuncts(self.part, *join), sign, |f, part| p.at(level + 1, *part).fmt(f))
            }
            Formula::In(t, s) => write!(f, "{} in {}", p.at(EXTREME, t), p.at(EXTREME, s)),
            Formula::Sub(a, b) => write!(f, "{} sub {}", p.at(EXTREME, a), p.at(EXTREME, b)),
            Formula::SamePosition(a, b) => write!(f, "{} = {}", p.at(EXTREME, a), p.at(EXTREME, b)),
            Formula::SameSet(a, b) => write!(f, "{} = {}", p.at(EXTREME, a), p.at(EXTREME, b)),
            Formula::Less(a, b) => write!(f, "{} < {}", p.at(EXTREME, a), p.at(EXTREME, b)),
            Formula::LessEq(a, b) => write!(f, "{} <= {}", p.at(EXTREME, a), p.at(EXTREME, b)),
            Formula::Empty(s) => write!(f, "empty({})", p.at(LOOSEST, s)),
            Formula::Quantified { all, vars, body } => {
                let order = vars.first().map_or(Order::One, |v| p.vars[v.index()].order);
                write!(f, "{}{} ", if *all { "all" } else { "ex" }, order as u8)?;
                listed(f, vars, |f, var| p.declared(f, *var))?;
                write!(f, ": {}", p.at(LOOSEST, &**body))
            }
            Formula::Let(pairs, body) => {
                let order = pairs.first().map_or(Order::One, |(v, _)| p.vars[v.index()].order);
                write!(f, "let{} ", order as u8)?;
                listed(f, pairs, |f, (var, value)| write!(f, "{} = {}", self.name(*var), p.at(EXTREME, value)))?;
                write!(f, " in {}", p.at(LOOSEST, &**body))
            }
            Formula::Call(pred, arguments) => {
                f.write_str(&p.preds[pred.index()].name)?;
                if arguments.is_empty() {
                    return Ok(());
                }
                f.write_str("(")?;
                listed(f, arguments, |f, argument| p.at(LOOSEST, argument).fmt(f))?;
                f.write_str(")")
            }
            Formula::Restrict(inner) => write!(f, "restrict({})", p.at(LOOSEST, &**inner)),
            Formula::Prefix(inner) => write!(f, "prefix({})", p.at(LOOSEST, &**inner)),
        }
    }
}

fn conjuncts(formula: &Formula, by: Connective) -> Vec<&Formula> {
    spine(formula, |f| match f {
        Formula::Joined(join, a, b) if *join == by => Some((a, b)),
        _ => None,
    })
}

impl Display for Shown<'_, Argument> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.part {
            Argument::Formula(part) => self.program.at(self.least, part).fmt(f),
            Argument::Position(part) => self.program.at(self.least, part).fmt(f),
            Argument::Set(part) => self.program.at(self.least, part).fmt(f),
        }
    }
}

impl Display for Shown<'_, Position> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let p = self.program;
        let level = match self.part {
            Position::Var(_) | Position::Constant(_) => SINGLE,
            Position::Plus(..) | Position::Minus(..) => SUM,
            Position::PlusModulo(..) | Position::MinusModulo(..) => SUM,
            Position::Min(_) | Position::Max(_) => EXTREME,
        };
        // A step from a number would be a number, which may be negative: it starts at the only position of a set.
        let start = |f: &mut Formatter<'_>, t: &Position| match t {
            Position::Constant(n) => write!(f, "(min {{{n}}})"),
            t => p.at(SUM, t).fmt(f),
        };
        in_parentheses(f, level < self.least, |f| match self.part {
            Position::Var(var) => self.name(*var).fmt(f),
            Position::Constant(n) => write!(f, "{n}"),
            Position::Plus(t, n) => start(f, t).and_then(|()| write!(f, " + {n}")),
            Position::Minus(t, n) => start(f, t).and_then(|()| write!(f, " - {n}")),
            Position::PlusModulo(t, n, u) => write!(f, "{} + {n} % {}", p.at(SUM, &**t), p.at(SINGLE, &**u)),
            Position::MinusModulo(t, n, u) => write!(f, "{} - {n} % {}", p.at(SUM, &**t), p.at(SINGLE, &**u)),
            Position::Min(s) => write!(f, "min {}", p.at(UNION, &**s)),
            Position::Max(s) => write!(f, "max {}", p.at(UNION, &**s)),
        })
    }
}

impl Display for Shown<'_, Set> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let p = self.program;
        let level = match self.part {
            Set::Var(_) | Set::Empty | Set::Listed(_) | Set::Number(_) => SINGLE,
            Set::Union(..) => UNION,
            Set::Inter(..) => INTER,
            Set::Difference(..) => DIFFERENCE,
            Set::Plus(..) | Set::Minus(..) => SUM,
        };
        in_parentheses(f, level < self.least, |f| match self.part {
            Set::Var(var) => self.name(*var).fmt(f),
            Set::Empty => f.write_str("empty"),
            Set::Union(..) => {
                let operands = spine(self.part, |s| match s {
                    Set::Union(a, b) => Some((&**a, &**b)),
                    _ => None,
                });
                chain(f, &operands, "union", |f, part| p.at(INTER, *part).fmt(f))
            }
            Set::Inter(..) => {
                let operands = spine(self.part, |s| match s {
                    Set::Inter(a, b) => Some((&**a, &**b)),
                    _ => None,
                });
                chain(f, &operands, "inter", |f, part| p.at(DIFFERENCE, *part).fmt(f))
            }
            Set::Difference(a, b) => write!(f, "{} \\ {}", p.at(DIFFERENCE, &**a), p.at(SUM, &**b)),
            Set::Plus(s, n) => write!(f, "{} + {n}", p.at(SUM, &**s)),
            Set::Minus(s, n) => write!(f, "{} - {n}", p.at(SUM, &**s)),
            Set::Listed(elements) => {
                f.write_str("{")?;
                listed(f, elements, |f, element| match element {
                    Element::One(t) => p.at(LOOSEST, t).fmt(f),
                    Element::Range(t, u) => write!(f, "{},...,{}", p.at(LOOSEST, t), p.at(LOOSEST, u)),
                })?;
                f.write_str("}")
            }
            Set::Number(n) => write!(f, "pconst({n})"),
        })
    }
}

impl Program {
    /// A variable where it is declared: with its `where`.
    fn declared(&self, f: &mut Formatter<'_>, var: VarId) -> fmt::Result {
        let variable = &self.vars[var.index()];
        f.write_str(&variable.name)?;
        match &variable.restriction {
            Some(restriction) => write!(f, " where {}", self.at(IFF, restriction)),
            None => Ok(()),
        }
    }

    /// A formula as declarations, which are joined when they are read.
    fn conjunction(&self, f: &mut Formatter<'_>, word: &str, formula: &Formula) -> fmt::Result {
        let parts = conjuncts(formula, Connective::And);
        let last = (1..parts.len()).rev().find(|&at| ends_group(at)).unwrap_or(1);
        f.write_str(word)?;
        chain(f, &parts[..last], "&", |f, part| self.at(if last == 1 { LOOSEST } else { AND + 1 }, *part).fmt(f))?;
        f.write_str(";\n")?;
        parts[last..].iter().try_for_each(|part| writeln!(f, "{word}{};", self.show(part)))
    }

    fn default_restriction(&self, f: &mut Formatter<'_>, order: Order) -> fmt::Result {
        let known = if order == Order::One { &self.default_one } else { &self.default_two };
        let Some((var, formula)) = known else { return Ok(()) };
        let name = &self.vars[var.index()].name;
        writeln!(f, "defaultwhere{}({name}) = {};", order as u8, self.show(formula))
    }

    fn predicate(&self, f: &mut Formatter<'_>, pred: PredId) -> fmt::Result {
        let Predicate { name, formals, body, is_macro } = &self.preds[pred.index()];
        write!(f, "{} {name}", if *is_macro { "macro" } else { "pred" })?;
        if !formals.is_empty() {
            f.write_str("(")?;
            listed(f, formals, |f, var| {
                write!(f, "var{} ", self.vars[var.index()].order as u8)?;
                self.declared(f, *var)
            })?;
            f.write_str(")")?;
        }
        write!(f, " = {};", self.show(body))
    }
}

/// A predicate or macro with its body.
struct Definition<'a>(&'a Program, PredId);

impl Display for Definition<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.predicate(f, self.1)
    }
}

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let is_string = self.mode == Mode::M2lStr;
        f.write_str(if is_string { "m2l-str;\n" } else { "ws1s;\n" })?;
        for item in self.items() {
            match item {
                // The header stands for them.
                Item::Global(var) if is_string && self.all_positions == Some(var) => {}
                Item::Default(_) if is_string => {}
                Item::Global(var) => {
                    write!(f, "var{} ", self.vars[var.index()].order as u8)?;
                    self.declared(f, var)?;
                    f.write_str(";\n")?;
                }
                Item::Default(order) => self.default_restriction(f, order)?,
                Item::Predicate(pred) => writeln!(f, "{}", Definition(self, pred))?,
            }
        }
        if let Some(var) = self.all_positions.filter(|_| !is_string) {
            writeln!(f, "allpos {};", self.vars[var.index()].name)?;
        }
        if let Some(var) = self.last_position {
            writeln!(f, "lastpos {};", self.vars[var.index()].name)?;
        }
        if self.assertion != Formula::Constant(true) {
            self.conjunction(f, "assert ", &self.assertion)?;
        }
        self.conjunction(f, "", &self.formula)?;
        for verify in &self.verify {
            match &verify.title {
                Some(title) => writeln!(f, "verify \"{title}\" {};", self.show(&verify.formula))?,
                None => writeln!(f, "verify {};", self.show(&verify.formula))?,
            }
        }
        Ok(())
    }
}
