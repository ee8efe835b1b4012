//! What has to be known about a property before diagrams are made: its tester.

use posetta_base::{Budget, OverBudget};
use posetta_compile::tester::Tester;
use posetta_logic::branching::Program;
use posetta_logic::{AtomId, Guard, Ltl, LtlUnary, Psl, PslUnary};
use posetta_model::fds::{Demand, ExprId, Fds, Spec};

/// A linear property.
pub(super) struct Linear {
    /// `None` for a PSL formula where nobody will ask for it.
    pub(super) tester: Option<Tester>,
    /// The formula over the places of its atoms.
    pub(super) formula: Formula,
    /// The atoms' expressions.
    pub(super) atoms: Vec<ExprId>,
    /// Whether an atom reads an input, so that states have to remember them.
    pub(super) inputs: bool,
}

/// The formula of a linear property.
pub(super) enum Formula {
    Ltl(Ltl<AtomId>),
    Psl(Psl<AtomId>),
}

impl Formula {
    /// What is demanded of every state and of nothing else, if it is that kind of formula: `G p`.
    pub(super) fn invariant(&self) -> Option<Guard<AtomId>> {
        match self {
            Self::Ltl(Ltl::Unary(LtlUnary::Globally, f)) => state_formula(f),
            Self::Psl(Psl::Unary(PslUnary::Globally, f)) => match &**f {
                Psl::Bool(guard) => Some(guard.clone()),
                _ => None,
            },
            _ => None,
        }
    }
}

/// A formula without temporal operators.
fn state_formula(formula: &Ltl<AtomId>) -> Option<Guard<AtomId>> {
    let all = |fs: &[Ltl<AtomId>]| fs.iter().map(state_formula).collect::<Option<Vec<_>>>();
    Some(match formula {
        Ltl::True => Guard::True,
        Ltl::False => Guard::False,
        Ltl::Atom(a) => Guard::Atom(*a),
        Ltl::Not(f) => Guard::Not(Box::new(state_formula(f)?)),
        Ltl::And(fs) => Guard::And(all(fs)?),
        Ltl::Or(fs) => Guard::Or(all(fs)?),
        Ltl::Implies(f, g) => Guard::Implies(Box::new(state_formula(f)?), Box::new(state_formula(g)?)),
        Ltl::Iff(f, g) => Guard::Iff(Box::new(state_formula(f)?), Box::new(state_formula(g)?)),
        Ltl::Unary(..) | Ltl::Binary(..) => return None,
    })
}

/// How a property is decided.
pub(super) enum Property {
    Linear(Box<Linear>),
    Branching(Program<ExprId>),
    Invariant(ExprId),
    /// It has outgrown its budget already.
    Over(OverBudget),
}

impl Property {
    /// What diagrams ask for: testers of all formulas.
    pub(super) fn with_tester(model: &Fds, spec: &Spec, budget: &Budget) -> Self {
        Self::new(model, spec, true, budget)
    }

    /// What is asked for state by state: no testers of PSL.
    pub(super) fn without_tester(model: &Fds, spec: &Spec, budget: &Budget) -> Self {
        Self::new(model, spec, false, budget)
    }

    fn new(model: &Fds, spec: &Spec, tested: bool, budget: &Budget) -> Self {
        let mut atoms: Vec<ExprId> = Vec::new();
        let mut place = |expr: &ExprId| {
            let at = atoms.iter().position(|a| a == expr).unwrap_or_else(|| {
                atoms.push(*expr);
                atoms.len() - 1
            });
            AtomId(u32::try_from(at).expect("a formula has few atoms"))
        };
        let (tester, formula) = match &spec.demand {
            Demand::Ctl(formula) => return Self::Branching(Program::shared(formula)),
            Demand::Invariant(expr) => return Self::Invariant(*expr),
            Demand::Ltl(formula) => {
                let formula = formula.map_atoms(&mut place);
                (Tester::ltl(&formula, budget).map(Some), Formula::Ltl(formula))
            }
            Demand::Psl(formula) => {
                let formula = formula.map_atoms(&mut place);
                let tester = tested.then(|| Tester::psl_at_first(&formula, budget)).transpose();
                (tester, Formula::Psl(formula))
            }
        };
        let inputs = atoms.iter().any(|&a| model.exprs.vars(a).0.iter().any(|&v| model.is_input(v)));
        match tester {
            Ok(tester) => Self::Linear(Box::new(Linear { tester, formula, atoms, inputs })),
            Err(over) => Self::Over(over),
        }
    }

    /// How many variables its tester has.
    pub(super) fn vars(&self) -> usize {
        match self {
            Self::Linear(linear) => linear.tester.as_ref().map_or(0, |tester| tester.vars.len()),
            _ => 0,
        }
    }
}
