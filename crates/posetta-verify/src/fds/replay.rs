//! A counterexample is replayed by definition before anybody sees it: the model by its explicit meaning, the formula on the word of its
//! atoms. Neither knows a diagram.

use super::property::{Formula, Linear};
use posetta_base::{Budget, Error, OverBudget, Place};
use posetta_logic::eval::{self, Word};
use posetta_model::fds::{ExprId, Fds, Spec, Trail};

fn defect(spec: &Spec) -> Error {
    let place = Place::in_text(&spec.source, spec.span);
    Error::defect("a counterexample does not replay", "the model and the property").at(place)
}

fn checked(spec: &Spec, right: Result<bool, OverBudget>) -> Result<(), Error> {
    match right {
        Ok(true) => Ok(()),
        Ok(false) => Err(defect(spec)),
        Err(over) => Err(Error::OverBudget(over)),
    }
}

/// A computation of the model that does not satisfy the formula.
pub(super) fn linear(model: &Fds, spec: &Spec, linear: &Linear, trail: &Trail, budget: &Budget) -> Result<(), Error> {
    let right = || -> Result<bool, OverBudget> {
        if model.not_a_computation(trail, budget)?.is_some() {
            return Ok(false);
        }
        let row = |&atom| trail.states.iter().map(|state| model.is_true(atom, state, None)).collect();
        let word = Word::from_rows(linear.atoms.iter().map(row).collect(), trail.states.len());
        let holds = match (&linear.formula, trail.cycle) {
            (Formula::Ltl(f), None) => eval::holds(f, &word),
            (Formula::Ltl(f), Some(cycle)) => eval::ltl_on_lasso(f, &word, cycle, budget)?,
            (Formula::Psl(f), None) => eval::psl_decide(f, &word, budget)?,
            (Formula::Psl(f), Some(cycle)) => eval::psl_on_lasso(f, &word, cycle, budget)?,
        };
        Ok(!holds)
    };
    checked(spec, right())
}

/// A path to a state that breaks an invariant.
pub(super) fn invariant(model: &Fds, spec: &Spec, expr: ExprId, trail: &Trail, budget: &Budget) -> Result<(), Error> {
    let right = || -> Result<bool, OverBudget> {
        let breaks = trail.states.last().is_some_and(|state| !model.is_true(expr, state, None));
        Ok(breaks && model.misstep(trail, budget)?.is_none())
    };
    checked(spec, right())
}

/// A path of the model.
pub(super) fn path(model: &Fds, spec: &Spec, trail: &Trail, budget: &Budget) -> Result<(), Error> {
    checked(spec, model.misstep(trail, budget).map(|misstep| misstep.is_none()))
}
