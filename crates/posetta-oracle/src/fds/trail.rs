//! Whether a trail is what it is said to be, value by value.

use posetta_model::fds::{Clause, ExprId, Fds, Trail};

use super::{domain_values, holds, is_step};
use crate::psl::{Letter, Word};

fn all(model: &Fds, clauses: &[Clause], values: &[posetta_model::fds::Value]) -> bool {
    clauses.iter().all(|c| holds(model, c.expr, values, None))
}

/// Whether a trail is a path from an initial state on: values of the domains, `init`, `invar`, `trans`, also for the step back.
///
/// # Errors
/// With what is wrong.
pub fn check_path(model: &Fds, trail: &Trail) -> Result<(), String> {
    let states = &trail.states;
    let Some(first) = states.first() else { return Err("no state at all".to_owned()) };
    for (i, values) in states.iter().enumerate() {
        let fits = values.len() == model.vars.len()
            && values.iter().zip(&model.vars).all(|(value, var)| domain_values(&var.domain).contains(value));
        if !fits {
            return Err(format!("state {i} has values that are not of the domains"));
        }
        if !all(model, &model.invar, values) {
            return Err(format!("state {i} does not satisfy the invariants"));
        }
    }
    if !all(model, &model.init, first) {
        return Err("the first state is not an initial one".to_owned());
    }
    if let Some(i) = (1..states.len()).find(|&i| !is_step(model, &states[i - 1], &states[i])) {
        return Err(format!("no step leads to state {i}"));
    }
    match trail.cycle {
        Some(back) if back >= states.len() => Err("the cycle starts behind the end".to_owned()),
        Some(back) if !is_step(model, &states[states.len() - 1], &states[back]) => Err("no step leads back".to_owned()),
        _ => Ok(()),
    }
}

/// Whether a trail is a computation: a path that goes round fairly, or ends in a final state.
///
/// # Errors
/// With what is wrong.
pub fn check_computation(model: &Fds, trail: &Trail) -> Result<(), String> {
    check_path(model, trail)?;
    let Some(cycle) = trail.cycle else {
        let last = trail.states.last().expect("a path has a state");
        let ends = !model.finals.is_empty() && all(model, &model.finals, last);
        return if ends { Ok(()) } else { Err("the last state is not final".to_owned()) };
    };
    let meets = |clause: &Clause| trail.states[cycle..].iter().any(|values| holds(model, clause.expr, values, None));
    if let Some(i) = model.justice.iter().position(|j| !meets(j)) {
        return Err(format!("the cycle is not just: requirement {i}"));
    }
    match model.compassion.iter().position(|(p, q)| meets(p) && !meets(q)) {
        Some(i) => Err(format!("the cycle is not compassionate: pair {i}")),
        None => Ok(()),
    }
}

/// The word of a trail over these atoms.
#[must_use]
pub fn word(model: &Fds, atoms: &[ExprId], trail: &Trail) -> Word {
    let letter =
        |values: &Vec<_>| Letter::new(&atoms.iter().map(|&a| holds(model, a, values, None)).collect::<Vec<_>>());
    let mut stem: Vec<Letter> = trail.states.iter().map(letter).collect();
    let round = trail.cycle.map_or_else(Vec::new, |cycle| stem.split_off(cycle));
    Word { stem, round }
}
