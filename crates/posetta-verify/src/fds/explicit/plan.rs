//! How the values of variables are found one after the other: of the first state, or of a step.
//!
//! What a clause says of one variable by others that are known is computed; a variable that nothing determines is tried with all its values. Every
//! other clause is asked as soon as all that it reads is known.

use posetta_base::VarId;
use posetta_model::fds::{Clause, Expr, ExprId, Fds, Op, Role};

/// A clause, and whether it is asked of the next state alone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    pub(super) expr: ExprId,
    pub(super) shifted: bool,
}

/// One thing to do.
#[derive(Clone, Copy, Debug)]
pub(super) enum Act {
    /// The variable is one of the values of the expression.
    Assign(VarId, Asked),
    /// The variable is anything.
    Try(VarId),
    /// This must be true.
    Check(Asked),
}

/// Clauses are compared with each other and with all variables: more than this are left to diagrams.
const MOST_PAIRS: usize = 20_000_000;

/// A clause that has not been used.
struct Open {
    asked: Asked,
    /// Unknown variables that it reads.
    reads: Vec<VarId>,
}

/// The conjuncts of clauses.
fn parts(model: &Fds, clauses: &[Clause], shifted: bool, all: &mut Vec<Asked>) {
    let mut open: Vec<ExprId> = clauses.iter().rev().map(|c| c.expr).collect();
    while let Some(expr) = open.pop() {
        match model.exprs.get(expr) {
            Expr::Binary(Op::And, a, b) => open.extend([*b, *a]),
            _ => all.push(Asked { expr, shifted }),
        }
    }
}

/// The values of the first state, by variable: state and frozen ones.
pub(super) fn of_first(model: &Fds) -> Option<Vec<Act>> {
    let mut all = Vec::new();
    parts(model, &model.invar, false, &mut all);
    parts(model, &model.init, false, &mut all);
    planned(model, all, |role| role != Role::Input, false)
}

/// The values of a step: inputs that somebody reads, and the next state.
pub(super) fn of_step(model: &Fds) -> Option<Vec<Act>> {
    let mut all = Vec::new();
    parts(model, &model.trans, false, &mut all);
    parts(model, &model.invar, true, &mut all);
    planned(model, all, |role| role != Role::Frozen, true)
}

fn planned(model: &Fds, all: Vec<Asked>, is_wanted: impl Fn(Role) -> bool, step: bool) -> Option<Vec<Act>> {
    let vars = || (0..model.vars.len()).filter_map(VarId::new);
    if all.len().saturating_mul(model.vars.len()) > MOST_PAIRS {
        return None;
    }
    let mut unknown: Vec<bool> = vars().map(|v| is_wanted(model.var(v).role)).collect();
    let mut read = vec![false; model.vars.len()];
    let mut open: Vec<Open> = all
        .into_iter()
        .map(|asked| {
            let (now, next) = model.exprs.vars(asked.expr);
            let reads: Vec<VarId> = if step && !asked.shifted {
                // Of what is now, only inputs are still to be found.
                now.into_iter().filter(|&v| model.is_input(v)).chain(next).collect()
            } else {
                now
            };
            reads.iter().for_each(|v| read[v.index()] = true);
            Open { asked, reads }
        })
        .collect();
    for var in vars() {
        // An input that nobody reads may be anything, and that is one step.
        unknown[var.index()] &= read[var.index()] || !model.is_input(var);
    }
    let mut acts = Vec::new();
    loop {
        open.iter_mut().for_each(|o| o.reads.retain(|v| unknown[v.index()]));
        let (ready, rest): (Vec<Open>, Vec<Open>) = open.into_iter().partition(|o| o.reads.is_empty());
        acts.extend(ready.into_iter().map(|o| Act::Check(o.asked)));
        open = rest;
        let computed = open.iter().enumerate().find_map(|(i, o)| {
            let [var] = o.reads[..] else { return None };
            Some((i, var, value_of(model, o.asked, var, step)?))
        });
        if let Some((i, var, expr)) = computed {
            let asked = open.swap_remove(i).asked;
            acts.push(Act::Assign(var, Asked { expr, ..asked }));
            unknown[var.index()] = false;
            continue;
        }
        // What lets a clause be asked soon, and has few values.
        let best = vars().filter(|v| unknown[v.index()]).min_by_key(|v| {
            let nearest = open.iter().filter(|o| o.reads.contains(v)).map(|o| o.reads.len()).min();
            (nearest.unwrap_or(usize::MAX), model.var(*v).domain.size())
        });
        let Some(var) = best else { break };
        acts.push(Act::Try(var));
        unknown[var.index()] = false;
    }
    Some(acts)
}

/// The expression whose value, or one of whose values, a clause says that a variable has; it does not read the variable.
fn value_of(model: &Fds, asked: Asked, var: VarId, step: bool) -> Option<ExprId> {
    // In a step, state variables are looked for in the next state, and inputs in this one.
    let next = step && !asked.shifted && !model.is_input(var);
    let is_it = |id: ExprId| matches!(model.exprs.get(id), Expr::Var { var: v, next: n } if *v == var && *n == next);
    let reads_it = |id: ExprId| {
        let (now, later) = model.exprs.vars(id);
        (if next { later } else { now }).contains(&var)
    };
    match *model.exprs.get(asked.expr) {
        Expr::Binary(Op::In | Op::Eq, a, b) if is_it(a) && !reads_it(b) => Some(b),
        Expr::Binary(Op::Eq, a, b) if is_it(b) && !reads_it(a) => Some(a),
        _ => None,
    }
}
