//! What can be seen of a formula without an automaton.

use posetta_logic::{Atom, Ctl, CtlUnary, Guard, Ltl, LtlBinary, LtlUnary, M2l, Path, Psl, PslUnary, Sere};

/// Which operators and atoms a linear formula uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinearShape {
    /// An operator that looks forward: `X WX F G U W R M`.
    pub future: bool,
    /// An operator that looks back: `Y O H S`.
    pub past: bool,
    /// An operator that counts positions: `X WX Y`, and in PSL every expression of more than one letter; or `prev(x)`.
    pub next: bool,
    /// An atom that speaks of the event: `on`, `event`, `process`.
    pub events: bool,
}

/// Looks at a linear formula.
#[must_use]
pub fn linear(formula: &Ltl) -> LinearShape {
    let mut shape = LinearShape::default();
    look(formula, &mut shape);
    shape
}

fn look(formula: &Ltl, shape: &mut LinearShape) {
    match formula {
        Ltl::True | Ltl::False => {}
        Ltl::Atom(atom) => {
            shape.events |= !matches!(atom, Atom::State(_) | Atom::Step(_));
            shape.next |= matches!(atom, Atom::Step(_));
        }
        Ltl::Not(f) => look(f, shape),
        Ltl::And(fs) | Ltl::Or(fs) => fs.iter().for_each(|f| look(f, shape)),
        Ltl::Implies(a, b) | Ltl::Iff(a, b) => {
            look(a, shape);
            look(b, shape);
        }
        Ltl::Unary(op, f) => {
            let past = matches!(op, LtlUnary::Yesterday | LtlUnary::Once | LtlUnary::Historically);
            shape.past |= past;
            shape.future |= !past;
            shape.next |= matches!(op, LtlUnary::Next | LtlUnary::WeakNext | LtlUnary::Yesterday);
            look(f, shape);
        }
        Ltl::Binary(op, a, b) => {
            shape.past |= *op == LtlBinary::Since;
            shape.future |= *op != LtlBinary::Since;
            look(a, shape);
            look(b, shape);
        }
    }
}

/// Looks at a formula of PSL, in which nothing looks back.
#[must_use]
pub fn psl(formula: &Psl) -> LinearShape {
    let mut shape = LinearShape::default();
    formula.map_atoms(&mut |atom| {
        shape.events |= !matches!(atom, Atom::State(_) | Atom::Step(_));
        shape.next |= matches!(atom, Atom::Step(_));
    });
    look_at_psl(formula, &mut shape);
    shape
}

/// Looks at a formula of M2L, which has no temporal operators.
#[must_use]
pub fn m2l(formula: &M2l) -> LinearShape {
    let events = formula.program().atoms.iter().any(|(_, atom)| !matches!(atom, Atom::State(_) | Atom::Step(_)));
    LinearShape { events, ..LinearShape::default() }
}

fn look_at_psl(formula: &Psl, shape: &mut LinearShape) {
    shape.future |= !matches!(formula, Psl::Bool(_) | Psl::Not(_) | Psl::And(_) | Psl::Or(_))
        && !matches!(formula, Psl::Implies(..) | Psl::Iff(..));
    let counts = |sere: &Sere| !matches!(sere, Sere::Bool(Guard::Atom(_) | Guard::Not(_) | Guard::True | Guard::False));
    match formula {
        Psl::Bool(_) => {}
        Psl::Sere { sere, .. } | Psl::Never(sere) | Psl::Eventually(sere) => shape.next |= counts(sere),
        Psl::Not(f) | Psl::Abort(f, _) => look_at_psl(f, shape),
        Psl::And(fs) | Psl::Or(fs) => fs.iter().for_each(|f| look_at_psl(f, shape)),
        Psl::Implies(f, g) | Psl::Iff(f, g) | Psl::Binary(_, f, g) => {
            look_at_psl(f, shape);
            look_at_psl(g, shape);
        }
        Psl::Unary(op, f) => {
            shape.next |= matches!(op, PslUnary::Next | PslUnary::StrongNext);
            look_at_psl(f, shape);
        }
        Psl::NextTimes { count, formula, .. } => {
            shape.next |= *count > 0;
            look_at_psl(formula, shape);
        }
        Psl::Suffix(op, sere, f) => {
            shape.next |= counts(sere) || *op == posetta_logic::Suffix::After;
            look_at_psl(f, shape);
        }
    }
}

/// A path operator over a condition on one cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modality {
    /// `EF p`: some cut satisfies p.
    Possibly,
    /// `AG p`: every cut satisfies p.
    Invariantly,
    /// `AF p`: every run passes through a cut that satisfies p.
    Definitely,
    /// `EG p`: some run stays within p.
    Controllably,
}

/// What a branching formula is made of. Negations are moved inwards first: `!EF p` is `AG !p`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BranchingShape {
    /// "On some path" occurs.
    pub some_path: bool,
    /// "On every path" occurs.
    pub every_path: bool,
    /// `EX` or `AX` occurs.
    pub next: bool,
    /// The formula is one path operator over a condition on one cut.
    pub modality: Option<Modality>,
    /// For [`Modality::Possibly`] p is, and for [`Modality::Invariantly`] the negation of p is, a conjunction of literals
    /// with one variable each.
    pub conjunctive: bool,
}

/// Looks at a branching formula.
#[must_use]
pub fn branching(formula: &Ctl) -> BranchingShape {
    let mut shape = BranchingShape::default();
    paths(formula, true, &mut shape);
    let (mut top, mut positive) = (formula, true);
    while let Ctl::Not(inner) = top {
        (top, positive) = (inner, !positive);
    }
    if let Ctl::Unary(path, op, p) = top
        && is_condition(p)
    {
        let some = (*path == Path::Some) == positive;
        shape.modality = match (some, op, positive) {
            (_, CtlUnary::Next, _) => None,
            (true, CtlUnary::Finally, true) | (true, CtlUnary::Globally, false) => Some(Modality::Possibly),
            (false, CtlUnary::Globally, true) | (false, CtlUnary::Finally, false) => Some(Modality::Invariantly),
            (false, CtlUnary::Finally, true) | (false, CtlUnary::Globally, false) => Some(Modality::Definitely),
            (true, CtlUnary::Globally, true) | (true, CtlUnary::Finally, false) => Some(Modality::Controllably),
        };
        shape.conjunctive = match shape.modality {
            Some(Modality::Possibly) => is_conjunction(p, positive),
            Some(Modality::Invariantly) => is_conjunction(p, !positive),
            _ => false,
        };
    }
    shape
}

fn paths(formula: &Ctl, positive: bool, shape: &mut BranchingShape) {
    let mut quantifier = |path: Path| {
        let some = (path == Path::Some) == positive;
        shape.some_path |= some;
        shape.every_path |= !some;
    };
    match formula {
        Ctl::True | Ctl::False | Ctl::Atom(_) => {}
        Ctl::Not(f) => paths(f, !positive, shape),
        Ctl::And(fs) | Ctl::Or(fs) => fs.iter().for_each(|f| paths(f, positive, shape)),
        Ctl::Implies(a, b) => {
            paths(a, !positive, shape);
            paths(b, positive, shape);
        }
        Ctl::Iff(a, b) => {
            for sign in [true, false] {
                paths(a, sign, shape);
                paths(b, sign, shape);
            }
        }
        Ctl::Unary(path, op, f) => {
            quantifier(*path);
            shape.next |= *op == CtlUnary::Next;
            paths(f, positive, shape);
        }
        Ctl::Binary(path, _, a, b) => {
            quantifier(*path);
            paths(a, positive, shape);
            paths(b, positive, shape);
        }
    }
}

fn is_condition(formula: &Ctl) -> bool {
    match formula {
        Ctl::True | Ctl::False | Ctl::Atom(_) => true,
        Ctl::Not(f) => is_condition(f),
        Ctl::And(fs) | Ctl::Or(fs) => fs.iter().all(is_condition),
        Ctl::Implies(a, b) | Ctl::Iff(a, b) => is_condition(a) && is_condition(b),
        Ctl::Unary(..) | Ctl::Binary(..) => false,
    }
}

/// Whether a condition, or its negation, is a conjunction of literals with one variable each.
fn is_conjunction(condition: &Ctl, positive: bool) -> bool {
    match condition {
        Ctl::Atom(atom) => {
            let mut names: Vec<&str> = Vec::new();
            atom.for_each_var(&mut |var| names.push(&var.name));
            names.windows(2).all(|w| w[0] == w[1])
        }
        Ctl::True | Ctl::False => true,
        Ctl::Not(f) => is_conjunction(f, !positive),
        Ctl::And(fs) => positive && fs.iter().all(|f| is_conjunction(f, true)),
        Ctl::Or(fs) => !positive && fs.iter().all(|f| is_conjunction(f, false)),
        Ctl::Implies(a, b) => !positive && is_conjunction(a, true) && is_conjunction(b, false),
        Ctl::Iff(..) | Ctl::Unary(..) | Ctl::Binary(..) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use posetta_logic::{parse_ctl, parse_ltl};

    #[test]
    fn linear_formulas() {
        let shown = |text: &str| {
            let s = linear(&parse_ltl(text).unwrap());
            let words = [(s.future, "future"), (s.past, "past"), (s.next, "next"), (s.events, "events")];
            words.iter().filter(|w| w.0).map(|w| w.1).collect::<Vec<_>>().join(" ")
        };
        for (text, expected) in [
            ("a -> b", ""),
            ("G !a", "future"),
            ("H (a -> O on(b))", "past events"),
            ("X a", "future next"),
            ("G (a -> Y event(b))", "future past next events"),
            ("a S b", "past"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn branching_formulas() {
        use Modality::{Controllably, Definitely, Invariantly, Possibly};
        let cases: &[(&str, bool, bool, Option<Modality>, bool)] = &[
            ("EF (a == 1 && b == 1)", true, false, Some(Possibly), true),
            ("EF (a == 1 || b == 1)", true, false, Some(Possibly), false),
            ("EF (a == b)", true, false, Some(Possibly), false),
            ("AG !(a == 1 && b == 1)", false, true, Some(Invariantly), true),
            ("AG (a == 1 -> b != 1)", false, true, Some(Invariantly), true),
            ("!EF (a == 1 && b == 1)", false, true, Some(Invariantly), true),
            ("!AG (a == 1 && b == 1)", true, false, Some(Possibly), false),
            ("!AG (a == 1 || b == 1)", true, false, Some(Possibly), true),
            ("AF a", false, true, Some(Definitely), false),
            ("!EG a", false, true, Some(Definitely), false),
            ("EG a", true, false, Some(Controllably), false),
            ("AG EF a", true, true, None, false),
            ("EF a <-> b", true, true, None, false),
            ("EX a", true, false, None, false),
            ("E[a U b] -> AF c", false, true, None, false),
        ];
        for &(text, some_path, every_path, modality, conjunctive) in cases {
            let shape = branching(&parse_ctl(text).unwrap());
            let seen = (shape.some_path, shape.every_path, shape.modality, shape.conjunctive);
            assert_eq!(seen, (some_path, every_path, modality, conjunctive), "{text}");
        }
    }
}
