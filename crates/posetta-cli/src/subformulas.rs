//! The parts of a property along an order, for `check --trace`.

use posetta::base::{Budget, EventId, OverBudget};
use posetta::compile::m2l;
use posetta::logic::eval::parts::{self, Part};
use posetta::logic::{Formula, View, bind_ctl, bind_ltl, bind_m2l, bind_monitor, bind_psl, eval};
use posetta::trace::Trace;

use crate::properties::Named;

/// Follows an order, or a path. `None` if the property does not fit the run; that has been said elsewhere.
pub fn follow(
    trace: &Trace,
    property: &Named,
    known_elsewhere: &[String],
    order: &[EventId],
    budget: &Budget,
) -> Result<Option<Vec<Part>>, OverBudget> {
    let notes = &mut eval::Notes::default();
    let own = &property.property;
    let parts = match &own.formula {
        Formula::Ltl(view, formula) => {
            let Ok(bound) = bind_ltl(own, formula, trace, known_elsewhere) else { return Ok(None) };
            let word = eval::word(trace, &bound, order, *view, notes, budget)?;
            parts::of_ltl(formula, &bound.formula, &word, budget)?
        }
        Formula::Ctl(formula) => {
            let Ok(bound) = bind_ctl(own, formula, trace, known_elsewhere) else { return Ok(None) };
            let word = eval::word(trace, &bound, order, View::States, notes, budget)?;
            let complete = order.len() == trace.len();
            parts::of_ctl(formula, &bound.formula, &word, complete, budget)?
        }
        Formula::Psl(view, formula) => {
            let Ok(bound) = bind_psl(own, formula, trace, known_elsewhere) else { return Ok(None) };
            let word = eval::word(trace, &bound, order, *view, notes, budget)?;
            parts::of_psl(formula, &bound.formula, &word, budget)?
        }
        Formula::M2l(view, formula) => {
            let Ok(bound) = bind_m2l(own, formula, trace, known_elsewhere) else { return Ok(None) };
            let word = eval::word(trace, &bound, order, *view, notes, budget)?;
            let monitor = m2l::monitor(formula, budget)?.map_atoms(&mut |a| bound.formula[a.0 as usize]);
            parts::of_m2l(formula, &bound.formula, &monitor, &word, budget)?
        }
        Formula::Monitor(view, monitor) => {
            let Ok(bound) = bind_monitor(own, monitor, trace, known_elsewhere) else { return Ok(None) };
            let word = eval::word(trace, &bound, order, *view, notes, budget)?;
            parts::of_monitor(&bound.formula, &word, budget)?
        }
    };
    Ok(Some(parts))
}
