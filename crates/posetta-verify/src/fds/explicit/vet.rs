//! Whether a model's clauses have a value wherever they are asked for one, and its assignments stay inside their types.
//!
//! Most clauses show that by their shape. Diagrams are made of the others, and of them alone.

use std::rc::Rc;

use crate::fds::encode::Encoder;
use crate::fds::layout::Layout;
use crate::fds::related::Related;
use posetta_base::{Budget, Error, Limit, VarId};
use posetta_dd::bdd::{Bdd, Bdds};
use posetta_model::fds::{Clause, Domain, Expr, ExprId, Fds, Op, Role, Value};

/// Room for the diagrams of what might be a mistake.
const NODES: usize = 1 << 18;

/// Between which numbers an expression lies, where it is one, and what else it may be.
#[derive(Clone, Copy)]
struct Bounds {
    lo: i128,
    hi: i128,
    /// It may be a symbol.
    symbol: bool,
    /// It may have no value.
    missing: bool,
}

/// Whether no clause can be a mistake. False also where that is too much to find out.
pub(super) fn is_sound(model: &Fds, budget: &Budget) -> Result<bool, Error> {
    let bounds = all_bounds(model);
    let suspect = |clause: &&Clause| !is_clean(model, &bounds, clause);
    let states = [&model.init, &model.justice, &model.finals].into_iter().flatten();
    let pairs = model.compassion.iter().flat_map(|(p, q)| [p, q]);
    let of_states: Vec<&Clause> = states.chain(pairs).filter(suspect).collect();
    let of_steps: Vec<&Clause> = model.trans.iter().filter(suspect).collect();
    if of_states.is_empty() && of_steps.is_empty() && !model.invar.iter().any(|clause| suspect(&clause)) {
        return Ok(true);
    }
    match by_diagrams(model, &of_states, &of_steps, budget) {
        Ok(()) => Ok(true),
        Err(Error::OverBudget(over)) if over.limit != Limit::Memory => Err(over.into()),
        // The diagrams of the whole model will tell.
        Err(_) => Ok(false),
    }
}

fn by_diagrams(model: &Fds, of_states: &[&Clause], of_steps: &[&Clause], budget: &Budget) -> Result<(), Error> {
    let layout = Rc::new(Layout::new(model, &[], &Related::of(model, &[])));
    let bdds = Rc::new(Bdds::new(layout.bits, NODES, budget)?);
    bdds.keep_together(layout.blocks.clone());
    let mut encoder = Encoder::new(model, Rc::clone(&bdds), layout);
    let (mut states, mut steps) = (bdds.top(), bdds.top());
    for var in (0..model.vars.len()).filter_map(VarId::new) {
        let now = encoder.domain(var, false)?;
        match model.var(var).role {
            Role::Input => steps = bdds.and(&steps, &now)?,
            Role::Frozen => states = bdds.and(&states, &now)?,
            Role::State => {
                states = bdds.and(&states, &now)?;
                steps = bdds.and(&steps, &encoder.domain(var, true)?)?;
            }
        }
    }
    let domains = states.clone();
    for clause in &model.invar {
        states = bdds.and(&states, &encoder.clause(clause, &domains)?)?;
    }
    let steps = bdds.and(&states, &steps)?;
    let mut look = |clauses: &[&Clause], at: &Bdd| -> Result<(), Error> {
        clauses.iter().try_for_each(|clause| encoder.clause(clause, at).map(|_| ()))
    };
    look(of_states, &states)?;
    look(of_steps, &steps)
}

fn is_clean(model: &Fds, bounds: &[Bounds], clause: &Clause) -> bool {
    if bounds[clause.expr.index()].missing {
        return false;
    }
    if !clause.assigns {
        return true;
    }
    match *model.exprs.get(clause.expr) {
        Expr::Binary(Op::In, target, value) => match *model.exprs.get(target) {
            Expr::Var { var, .. } => stays_inside(model, bounds, value, &model.var(var).domain),
            _ => false,
        },
        _ => false,
    }
}

fn stays_inside(model: &Fds, bounds: &[Bounds], id: ExprId, domain: &Domain) -> bool {
    match model.exprs.get(id) {
        Expr::Set(parts) => parts.iter().all(|&part| stays_inside(model, bounds, part, domain)),
        Expr::Case(arms) => arms.iter().all(|&(_, arm)| stays_inside(model, bounds, arm, domain)),
        Expr::Const(value) => domain.contains(value),
        Expr::Var { var, .. } if model.var(*var).domain == *domain => true,
        _ => {
            let Bounds { lo, hi, symbol, .. } = bounds[id.index()];
            match domain {
                Domain::Bool => !symbol && 0 <= lo && hi <= 1,
                Domain::Range(first, last) => !symbol && i128::from(*first) <= lo && hi <= i128::from(*last),
                Domain::Choice(_) => false,
            }
        }
    }
}

/// By expression; operands come first.
fn all_bounds(model: &Fds) -> Vec<Bounds> {
    const TRUTH: Bounds = Bounds { lo: 0, hi: 1, symbol: false, missing: false };
    let number = |lo: i128, hi: i128| Bounds { lo, hi, ..TRUTH };
    let join = |a: Bounds, b: Bounds| Bounds {
        lo: a.lo.min(b.lo),
        hi: a.hi.max(b.hi),
        symbol: a.symbol || b.symbol,
        missing: a.missing || b.missing,
    };
    let of_value = |value: &Value| match value.as_int() {
        Some(i) => number(i.into(), i.into()),
        None => Bounds { symbol: true, ..number(0, 0) },
    };
    let mut all: Vec<Bounds> = Vec::with_capacity(model.exprs.len());
    for expr in model.exprs.all() {
        let of = |id: &ExprId| all[id.index()];
        // A symbol is no truth value and no number.
        let lacks = |a: Bounds| a.missing || a.symbol;
        all.push(match expr {
            Expr::Const(value) => of_value(value),
            Expr::Var { var, .. } => match &model.var(*var).domain {
                Domain::Bool => TRUTH,
                Domain::Range(lo, hi) => number((*lo).into(), (*hi).into()),
                Domain::Choice(values) => values.iter().map(of_value).reduce(join).unwrap_or(TRUTH),
            },
            Expr::Not(a) => Bounds { missing: lacks(of(a)), ..TRUTH },
            Expr::Neg(a) => Bounds { missing: lacks(of(a)), ..number(-of(a).hi, -of(a).lo) },
            Expr::Count(parts) => {
                Bounds { missing: parts.iter().any(|p| lacks(of(p))), ..number(0, parts.len() as i128) }
            }
            Expr::Set(parts) => parts.iter().map(of).reduce(join).unwrap_or(TRUTH),
            Expr::Case(arms) => {
                let is_true = |id: &ExprId| matches!(model.exprs.get(*id), Expr::Const(v) if v.as_int() == Some(1));
                let some = arms.last().is_some_and(|(condition, _)| is_true(condition));
                let values = arms.iter().map(|(_, arm)| of(arm)).reduce(join).unwrap_or(TRUTH);
                let conditions = arms.iter().any(|(condition, _)| lacks(of(condition)));
                Bounds { missing: values.missing || conditions || !some, ..values }
            }
            Expr::Binary(op, a, b) => {
                let (x, y) = (of(a), of(b));
                let missing = x.missing || y.missing;
                match op {
                    Op::Eq | Op::Ne | Op::In => Bounds { missing, ..TRUTH },
                    Op::Add => Bounds { missing: lacks(x) || lacks(y), ..number(x.lo + y.lo, x.hi + y.hi) },
                    Op::Sub => Bounds { missing: lacks(x) || lacks(y), ..number(x.lo - y.hi, x.hi - y.lo) },
                    Op::Mul => {
                        let ends = [
                            x.lo.checked_mul(y.lo),
                            x.lo.checked_mul(y.hi),
                            x.hi.checked_mul(y.lo),
                            x.hi.checked_mul(y.hi),
                        ];
                        let known = ends.iter().all(Option::is_some);
                        let (lo, hi) =
                            ends.into_iter().flatten().fold((0, 0), |(lo, hi): (i128, i128), e| (lo.min(e), hi.max(e)));
                        Bounds { missing: lacks(x) || lacks(y) || !known, ..number(lo, hi) }
                    }
                    Op::Div | Op::Mod => {
                        let most = x.lo.abs().max(x.hi.abs());
                        let most = if *op == Op::Mod { most.min(y.lo.abs().max(y.hi.abs()) - 1).max(0) } else { most };
                        let lo = if x.lo >= 0 && (*op == Op::Mod || y.lo >= 0) { 0 } else { -most };
                        let zero = y.lo <= 0 && 0 <= y.hi;
                        Bounds { missing: lacks(x) || lacks(y) || zero, ..number(lo, most) }
                    }
                    _ => Bounds { missing: lacks(x) || lacks(y), ..TRUTH },
                }
            }
        });
    }
    // What grows past this is nobody's number.
    for bounds in &mut all {
        bounds.missing |= bounds.lo < i64::MIN.into() || bounds.hi > i64::MAX.into();
    }
    all
}
