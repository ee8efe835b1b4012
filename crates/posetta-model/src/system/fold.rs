//! Formulas without temporal operators as single predicates.

use super::Predicate;
use posetta_logic::{Ctl, Ltl};

/// An equivalence has its parts twice, so that nested ones explode.
const MOST_PARTS: u64 = 1 << 20;

/// A formula of LTL as a predicate; `None` if it has a temporal operator, or as a predicate too many parts.
pub(crate) fn of_ltl(formula: &Ltl<Predicate>) -> Option<Predicate> {
    ltl(formula, &mut MOST_PARTS.clone())
}

/// The same for CTL.
pub(crate) fn of_ctl(formula: &Ctl<Predicate>) -> Option<Predicate> {
    ctl(formula, &mut MOST_PARTS.clone())
}

fn ltl(formula: &Ltl<Predicate>, left: &mut u64) -> Option<Predicate> {
    *left = left.checked_sub(1)?;
    Some(match formula {
        Ltl::True => Predicate::Constant(true),
        Ltl::False => Predicate::Constant(false),
        Ltl::Atom(p) => taken(p, left)?,
        Ltl::Not(f) => not(ltl(f, left)?),
        Ltl::And(fs) => Predicate::And(fs.iter().map(|f| ltl(f, left)).collect::<Option<_>>()?),
        Ltl::Or(fs) => Predicate::Or(fs.iter().map(|f| ltl(f, left)).collect::<Option<_>>()?),
        Ltl::Implies(a, b) => Predicate::Or(vec![not(ltl(a, left)?), ltl(b, left)?]),
        Ltl::Iff(a, b) => iff([ltl(a, left)?, ltl(b, left)?], [ltl(a, left)?, ltl(b, left)?]),
        Ltl::Unary(..) | Ltl::Binary(..) => return None,
    })
}

fn ctl(formula: &Ctl<Predicate>, left: &mut u64) -> Option<Predicate> {
    *left = left.checked_sub(1)?;
    Some(match formula {
        Ctl::True => Predicate::Constant(true),
        Ctl::False => Predicate::Constant(false),
        Ctl::Atom(p) => taken(p, left)?,
        Ctl::Not(f) => not(ctl(f, left)?),
        Ctl::And(fs) => Predicate::And(fs.iter().map(|f| ctl(f, left)).collect::<Option<_>>()?),
        Ctl::Or(fs) => Predicate::Or(fs.iter().map(|f| ctl(f, left)).collect::<Option<_>>()?),
        Ctl::Implies(a, b) => Predicate::Or(vec![not(ctl(a, left)?), ctl(b, left)?]),
        Ctl::Iff(a, b) => iff([ctl(a, left)?, ctl(b, left)?], [ctl(a, left)?, ctl(b, left)?]),
        Ctl::Unary(..) | Ctl::Binary(..) => return None,
    })
}

/// A copy of an atom, paid for.
fn taken(atom: &Predicate, left: &mut u64) -> Option<Predicate> {
    let size = match atom {
        Predicate::Linear(terms, ..) => terms.len(),
        Predicate::Enabled(actions) => actions.len(),
        _ => 1,
    };
    *left = left.checked_sub(size as u64)?;
    Some(atom.clone())
}

fn not(p: Predicate) -> Predicate {
    Predicate::Not(Box::new(p))
}

/// Both or neither; the operands come twice.
fn iff([a, b]: [Predicate; 2], [c, d]: [Predicate; 2]) -> Predicate {
    Predicate::Or(vec![Predicate::And(vec![a, b]), Predicate::And(vec![not(c), not(d)])])
}
