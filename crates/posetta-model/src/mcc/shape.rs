//! Formulas with path quantifiers and temporal operators in any order, and which logic they belong to.

use std::fmt;

use crate::system::{Demand, Predicate, of_ctl, of_ltl};
use posetta_base::{Kind as Mistake, Span, Spanned};
use posetta_logic::{Ctl, CtlBinary, CtlUnary, Ltl, LtlBinary, LtlUnary, Path};

/// A formula and where it begins in the XML.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    pub(super) kind: Kind,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// A condition on one state, and how it is written.
    Atom(Predicate, String),
    Not(Box<Tree>),
    And(Vec<Tree>),
    Or(Vec<Tree>),
    Implies(Box<Tree>, Box<Tree>),
    Iff(Box<Tree>, Box<Tree>),
    Path(Path, Box<Tree>),
    Unary(CtlUnary, Box<Tree>),
    Binary(CtlBinary, Box<Tree>, Box<Tree>),
}

impl Tree {
    fn operands(&self) -> Vec<&Self> {
        match &self.kind {
            Kind::Atom(..) => Vec::new(),
            Kind::Not(f) | Kind::Path(_, f) | Kind::Unary(_, f) => vec![f],
            Kind::And(fs) | Kind::Or(fs) => fs.iter().collect(),
            Kind::Implies(a, b) | Kind::Iff(a, b) | Kind::Binary(_, a, b) => vec![a, b],
        }
    }

    fn has_quantifier(&self) -> bool {
        matches!(self.kind, Kind::Path(..)) || self.operands().into_iter().any(Self::has_quantifier)
    }

    /// What it demands: of every run, if one quantifier over all paths stands before everything else; or of the tree of states.
    pub(super) fn demand(&self) -> Result<Demand, Option<Box<Spanned>>> {
        if let Kind::Path(Path::All, inner) = &self.kind
            && !inner.has_quantifier()
        {
            if let Kind::Unary(CtlUnary::Globally, p) = &inner.kind
                && let Some(predicate) = of_ltl(&p.ltl()?)
            {
                return Ok(Demand::Invariant(predicate));
            }
            return Ok(Demand::States(inner.ltl()?));
        }
        let formula = self.ctl()?;
        match &formula {
            Ctl::Unary(Path::Some, CtlUnary::Finally, p) => Ok(match of_ctl(p) {
                Some(predicate) => Demand::Reach(predicate),
                None => Demand::Branching(formula),
            }),
            _ => Ok(Demand::Branching(formula)),
        }
    }

    fn ltl(&self) -> Result<Ltl<Predicate>, Option<Box<Spanned>>> {
        let boxed = |f: &Self| f.ltl().map(Box::new);
        Ok(match &self.kind {
            Kind::Atom(p, _) => Ltl::Atom(p.clone()),
            Kind::Not(f) => Ltl::Not(boxed(f)?),
            Kind::And(fs) => joined(fs.iter().map(Self::ltl).collect::<Result<_, _>>()?, Ltl::And),
            Kind::Or(fs) => joined(fs.iter().map(Self::ltl).collect::<Result<_, _>>()?, Ltl::Or),
            Kind::Implies(a, b) => Ltl::Implies(boxed(a)?, boxed(b)?),
            Kind::Iff(a, b) => Ltl::Iff(boxed(a)?, boxed(b)?),
            Kind::Unary(op, f) => {
                let op = match op {
                    CtlUnary::Next => LtlUnary::Next,
                    CtlUnary::Finally => LtlUnary::Finally,
                    CtlUnary::Globally => LtlUnary::Globally,
                };
                Ltl::Unary(op, boxed(f)?)
            }
            Kind::Binary(op, a, b) => {
                let op = match op {
                    CtlBinary::Until => LtlBinary::Until,
                    CtlBinary::WeakUntil => LtlBinary::WeakUntil,
                    CtlBinary::Release => LtlBinary::Release,
                };
                Ltl::Binary(op, boxed(a)?, boxed(b)?)
            }
            Kind::Path(..) => return Err(Some(self.neither())),
        })
    }

    fn ctl(&self) -> Result<Ctl<Predicate>, Option<Box<Spanned>>> {
        let boxed = |f: &Self| f.ctl().map(Box::new);
        Ok(match &self.kind {
            Kind::Atom(p, _) => Ctl::Atom(p.clone()),
            Kind::Not(f) => Ctl::Not(boxed(f)?),
            Kind::And(fs) => joined(fs.iter().map(Self::ctl).collect::<Result<_, _>>()?, Ctl::And),
            Kind::Or(fs) => joined(fs.iter().map(Self::ctl).collect::<Result<_, _>>()?, Ctl::Or),
            Kind::Implies(a, b) => Ctl::Implies(boxed(a)?, boxed(b)?),
            Kind::Iff(a, b) => Ctl::Iff(boxed(a)?, boxed(b)?),
            Kind::Path(path, inner) => return inner.on(*path),
            Kind::Unary(..) | Kind::Binary(..) => return Err(Some(self.neither())),
        })
    }

    /// The formula on some path or on all. One that speaks of the first state alone does not depend on the path.
    fn on(&self, path: Path) -> Result<Ctl<Predicate>, Option<Box<Spanned>>> {
        match &self.kind {
            Kind::Unary(op, f) => Ok(Ctl::Unary(path, *op, Box::new(f.ctl()?))),
            Kind::Binary(op, a, b) => Ok(Ctl::Binary(path, *op, Box::new(a.ctl()?), Box::new(b.ctl()?))),
            // Some path is not so: not every path is.
            Kind::Not(f) => {
                let other = if path == Path::All { Path::Some } else { Path::All };
                Ok(Ctl::Not(Box::new(f.on(other)?)))
            }
            _ => self.ctl(),
        }
    }

    fn neither(&self) -> Box<Spanned> {
        let problem = Spanned::new(Mistake::Unsupported, self.span, "this formula is neither LTL nor CTL");
        problem
            .label("in CTL a path quantifier stands right before every temporal operator")
            .help("in LTL `all-paths` stands before everything else, and nowhere else")
    }
}

/// One operand is no conjunction.
fn joined<T>(mut parts: Vec<T>, join: impl FnOnce(Vec<T>) -> T) -> T {
    match parts.len() {
        1 => parts.remove(0),
        _ => join(parts),
    }
}

/// As people write it: `A G (p -> E F q)`.
impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, parts: &[Self], sign: &str| {
            for (i, part) in parts.iter().enumerate() {
                if i > 0 {
                    write!(f, " {sign} ")?;
                }
                part.inside(f, parts.len() > 1)?;
            }
            Ok(())
        };
        let pair = |f: &mut fmt::Formatter<'_>, a: &Self, sign: &str, b: &Self| {
            a.inside(f, true)?;
            write!(f, " {sign} ")?;
            b.inside(f, true)
        };
        match &self.kind {
            Kind::Atom(_, text) => f.write_str(text),
            Kind::Not(g) => {
                f.write_str("!")?;
                g.operand(f)
            }
            Kind::And(parts) => list(f, parts, "&&"),
            Kind::Or(parts) => list(f, parts, "||"),
            Kind::Implies(a, b) => pair(f, a, "->", b),
            Kind::Iff(a, b) => pair(f, a, "<->", b),
            Kind::Path(path, g) => {
                f.write_str(if *path == Path::All { "A " } else { "E " })?;
                g.operand(f)
            }
            Kind::Unary(op, g) => {
                f.write_str(match op {
                    CtlUnary::Next => "X ",
                    CtlUnary::Finally => "F ",
                    CtlUnary::Globally => "G ",
                })?;
                g.operand(f)
            }
            Kind::Binary(op, a, b) => {
                let sign = match op {
                    CtlBinary::Until => "U",
                    CtlBinary::WeakUntil => "W",
                    CtlBinary::Release => "R",
                };
                pair(f, a, sign, b)
            }
        }
    }
}

impl Tree {
    /// How it stands beside an infix operator: comparisons need no parentheses there.
    fn inside(&self, f: &mut fmt::Formatter<'_>, guarded: bool) -> fmt::Result {
        let is_closed = match &self.kind {
            Kind::Atom(..) | Kind::Not(_) | Kind::Path(..) | Kind::Unary(..) => true,
            Kind::And(parts) | Kind::Or(parts) => parts.is_empty(),
            _ => false,
        };
        if is_closed || !guarded { write!(f, "{self}") } else { write!(f, "({self})") }
    }

    /// How it stands behind a prefix operator.
    fn operand(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Atom(_, text) if text.contains(' ') && !text.ends_with(')') => write!(f, "({self})"),
            _ => self.inside(f, true),
        }
    }
}
