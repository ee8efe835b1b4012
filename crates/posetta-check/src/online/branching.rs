//! CTL on a run that is not over: a boolean combination of statements about all orders.
//!
//! Where the state at a cut is determined, `AG p` says of all cuts what `G p` says of all orders, and so on for every formula in
//! which choices between paths are made by conditions on the state (Maidl 2000); an `E…` is the negation of such an `A…`. So a
//! formula is taken apart into statements that *every order satisfies* something linear. What this cannot say is refused.

use posetta_base::{Diagnostic, Kind};
use posetta_compile::Prospect;
use posetta_logic::{Ctl, CtlBinary, CtlUnary, Formula, Ltl, LtlBinary, LtlUnary, Path, Property};

/// A boolean combination of statements, which are numbered.
#[derive(Debug)]
pub(super) enum Tree {
    Statement(usize),
    Not(Box<Tree>),
    And(Vec<Tree>),
    Or(Vec<Tree>),
    Iff(Box<Tree>, Box<Tree>),
}

impl Tree {
    /// What is certain, if that is what is certain of the statements (Kleene 1938).
    pub(super) fn prospect(&self, statements: &dyn Fn(usize) -> Prospect) -> Prospect {
        let some = |parts: &[Self], decides: Prospect, else_: Prospect| {
            let mut found = else_;
            for part in parts {
                match part.prospect(statements) {
                    prospect if prospect == decides => return decides,
                    Prospect::Open => found = Prospect::Open,
                    _ => {}
                }
            }
            found
        };
        match self {
            Self::Statement(statement) => statements(*statement),
            Self::Not(part) => opposite(part.prospect(statements)),
            Self::And(parts) => some(parts, Prospect::Violated, Prospect::Holds),
            Self::Or(parts) => some(parts, Prospect::Holds, Prospect::Violated),
            Self::Iff(a, b) => match (a.prospect(statements), b.prospect(statements)) {
                (Prospect::Open, _) | (_, Prospect::Open) => Prospect::Open,
                (a, b) if a == b => Prospect::Holds,
                _ => Prospect::Violated,
            },
        }
    }

    /// Its value, given that of the statements.
    pub(super) fn holds(&self, statements: &dyn Fn(usize) -> bool) -> bool {
        let known = |statement: usize| if statements(statement) { Prospect::Holds } else { Prospect::Violated };
        self.prospect(&known) == Prospect::Holds
    }

    /// A violated statement that by itself makes the whole what it is.
    pub(super) fn shown_by(&self, statements: &dyn Fn(usize) -> Prospect) -> Option<usize> {
        let first = |parts: &[Self], prospect: Prospect| {
            let part = parts.iter().find(|part| part.prospect(statements) == prospect);
            part.and_then(|part| part.shown_by(statements))
        };
        match self {
            Self::Statement(statement) => (statements(*statement) == Prospect::Violated).then_some(*statement),
            Self::Not(part) => part.shown_by(statements),
            Self::And(parts) => first(parts, Prospect::Violated),
            Self::Or(parts) => first(parts, Prospect::Holds),
            Self::Iff(..) => None,
        }
    }
}

fn opposite(prospect: Prospect) -> Prospect {
    match prospect {
        Prospect::Holds => Prospect::Violated,
        Prospect::Violated => Prospect::Holds,
        Prospect::Open => Prospect::Open,
    }
}

/// Takes a formula apart into statements about all orders.
///
/// # Errors
/// With the operator that cannot be followed.
pub(super) fn statements(property: &Property, formula: &Ctl) -> Result<(Tree, Vec<Ltl>), Diagnostic> {
    let mut found = Vec::new();
    let tree = tree(formula, &mut found).map_err(|operator| refuse(property, operator))?;
    Ok((tree, found))
}

fn refuse(property: &Property, operator: &Ctl) -> Diagnostic {
    let name = match operator {
        Ctl::Unary(path, op, _) => format!("{}{}", letter(*path), unary(*op)),
        Ctl::Binary(path, op, ..) => format!("{}[… {} …]", letter(*path), binary(*op)),
        _ => String::new(),
    };
    let message = format!("`{name}` over another operator cannot be followed");
    let label = match &property.formula {
        Formula::Ctl(whole) if whole == operator => "expected a condition inside of it".to_owned(),
        _ => format!("expected a condition inside of `{operator}`"),
    };
    property
        .mistake(Kind::Unsupported, property.span, message)
        .label(label)
        .help(
            "`AG`, `EF`, `AF` and `EG` of conditions can be followed, combined with `&&`, `||` and `!`, and `AG (p -> AF q)`; \
             or decide it with `check` once the run is over",
        )
}

fn letter(path: Path) -> char {
    match path {
        Path::All => 'A',
        Path::Some => 'E',
    }
}

fn unary(op: CtlUnary) -> char {
    match op {
        CtlUnary::Next => 'X',
        CtlUnary::Finally => 'F',
        CtlUnary::Globally => 'G',
    }
}

fn binary(op: CtlBinary) -> char {
    match op {
        CtlBinary::Until => 'U',
        CtlBinary::WeakUntil => 'W',
        CtlBinary::Release => 'R',
    }
}

fn tree<'f>(formula: &'f Ctl, found: &mut Vec<Ltl>) -> Result<Tree, &'f Ctl> {
    let mut statement = |linear: Ltl| {
        let place = found.iter().position(|other| *other == linear).unwrap_or(found.len());
        if place == found.len() {
            found.push(linear);
        }
        Tree::Statement(place)
    };
    if let Some(condition) = state(formula) {
        return Ok(statement(condition));
    }
    Ok(match formula {
        Ctl::Not(f) => Tree::Not(Box::new(tree(f, found)?)),
        Ctl::And(fs) => Tree::And(fs.iter().map(|f| tree(f, found)).collect::<Result<_, _>>()?),
        Ctl::Or(fs) => Tree::Or(fs.iter().map(|f| tree(f, found)).collect::<Result<_, _>>()?),
        Ctl::Implies(f, g) => Tree::Or(vec![Tree::Not(Box::new(tree(f, found)?)), tree(g, found)?]),
        Ctl::Iff(f, g) => Tree::Iff(Box::new(tree(f, found)?), Box::new(tree(g, found)?)),
        Ctl::True | Ctl::False | Ctl::Atom(_) | Ctl::Unary(..) | Ctl::Binary(..) => {
            if let Some(linear) = of_every_order(formula, true) {
                statement(linear)
            } else if let Some(linear) = of_every_order(formula, false) {
                Tree::Not(Box::new(statement(linear)))
            } else {
                return Err(formula);
            }
        }
    })
}

fn not(f: Ltl) -> Ltl {
    Ltl::Not(Box::new(f))
}

/// A formula without temporal operators.
fn state(formula: &Ctl) -> Option<Ltl> {
    let all = |fs: &[Ctl]| fs.iter().map(state).collect::<Option<Vec<_>>>();
    Some(match formula {
        Ctl::True => Ltl::True,
        Ctl::False => Ltl::False,
        Ctl::Atom(atom) => Ltl::Atom(atom.clone()),
        Ctl::Not(f) => not(state(f)?),
        Ctl::And(fs) => Ltl::And(all(fs)?),
        Ctl::Or(fs) => Ltl::Or(all(fs)?),
        Ctl::Implies(f, g) => Ltl::Implies(Box::new(state(f)?), Box::new(state(g)?)),
        Ctl::Iff(f, g) => Ltl::Iff(Box::new(state(f)?), Box::new(state(g)?)),
        Ctl::Unary(..) | Ctl::Binary(..) => return None,
    })
}

/// The same, or its negation.
fn state_as(formula: &Ctl, value: bool) -> Option<Ltl> {
    let condition = state(formula)?;
    Some(if value { condition } else { not(condition) })
}

/// What every order from a cut on satisfies if and only if a formula has a value there; `None` where conditions do not tell paths
/// apart that the formula treats differently.
fn of_every_order(formula: &Ctl, value: bool) -> Option<Ltl> {
    if let Some(condition) = state_as(formula, value) {
        return Some(condition);
    }
    let unary = |op: LtlUnary, f: Ltl| Some(Ltl::Unary(op, Box::new(f)));
    let binary = |op: LtlBinary, f: Ltl, g: Ltl| Some(Ltl::Binary(op, Box::new(f), Box::new(g)));
    match formula {
        Ctl::Not(f) => of_every_order(f, !value),
        Ctl::And(fs) => many(&fs.iter().map(|f| (f, value)).collect::<Vec<_>>(), value),
        Ctl::Or(fs) => many(&fs.iter().map(|f| (f, value)).collect::<Vec<_>>(), !value),
        Ctl::Implies(f, g) => many(&[(&**f, !value), (&**g, value)], !value),
        Ctl::True | Ctl::False | Ctl::Atom(_) | Ctl::Iff(..) => None,
        // Only statements about all paths, and denials of statements about one, are about every order.
        Ctl::Unary(path, ..) | Ctl::Binary(path, ..) if (*path == Path::All) != value => None,
        Ctl::Unary(_, op, f) => match if value { *op } else { op.dual() } {
            CtlUnary::Next => unary(LtlUnary::WeakNext, of_every_order(f, value)?),
            CtlUnary::Globally => unary(LtlUnary::Globally, of_every_order(f, value)?),
            CtlUnary::Finally => unary(LtlUnary::Finally, state_as(f, value)?),
        },
        Ctl::Binary(_, op, f, g) => match (op, value) {
            (CtlBinary::Until, true) => binary(LtlBinary::Until, of_every_order(f, true)?, state(g)?),
            (CtlBinary::WeakUntil, true) => binary(LtlBinary::WeakUntil, of_every_order(f, true)?, state(g)?),
            (CtlBinary::Release, true) => binary(LtlBinary::Release, state(f)?, of_every_order(g, true)?),
            (CtlBinary::Until, false) => binary(LtlBinary::Release, state_as(f, false)?, of_every_order(g, false)?),
            (CtlBinary::Release, false) => binary(LtlBinary::Until, of_every_order(f, false)?, state_as(g, false)?),
            (CtlBinary::WeakUntil, false) => {
                let (f, g) = (state_as(f, false)?, state_as(g, false)?);
                binary(LtlBinary::Until, g.clone(), Ltl::And(vec![f, g]))
            }
        },
    }
}

/// A conjunction, or a disjunction of conditions and at most one other part.
fn many(parts: &[(&Ctl, bool)], all: bool) -> Option<Ltl> {
    let temporal = parts.iter().filter(|(f, _)| state(f).is_none()).count();
    if !all && temporal > 1 {
        return None;
    }
    let parts = parts.iter().map(|(f, value)| of_every_order(f, *value)).collect::<Option<Vec<_>>>()?;
    Some(if all { Ltl::And(parts) } else { Ltl::Or(parts) })
}
