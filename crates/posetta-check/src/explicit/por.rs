//! Cut by cut with partial-order reduction, to compare with.
//!
//! At a cut where some event that the property cannot see may come next, only that one is taken: an ample set of one event
//! (Valmari 1991; Peled 1993; Godefroid 1996; Clarke, Grumberg, Peled 1999, chapter 10). The conditions on ample sets hold for
//! the following reasons.
//!
//! - It is not empty, and nothing that depends on its event e comes before it: events of a run never disable each other, what comes after e
//!   waits for it, and what is concurrent with e leads to the same cut on either side of it.
//! - e is invisible: an order in which e comes now is in the language if and only if the one in which it comes later is.
//! - No event is put off forever: every step adds an event, so there are no cycles, and no proviso about them is needed.
//!
//! The choice depends on the cut alone, so the automaton runs along fewer orders, and is otherwise the same.
//!
//! An event is invisible if it is of a class that changes nothing in any mode of the automaton from which it can still accept. If
//! repeating a letter changes nothing (linear temporal logic without next and without event atoms), so is one that leaves the
//! state as it is: it repeats the letter before it. Over events there is no letter before the first, so such an event counts as
//! visible at the empty cut. Where nothing is invisible, everything is explored.

use std::ops::Range;

use super::linear::{Steps, search};
use crate::Stats;
use crate::classes::{Classes, INERT, Repeats, Vocabulary};
use crate::linear::{RunSearch, Table, Until, parts};
use crate::machine::Machine;
use posetta_base::{EventId, OverBudget};
use posetta_logic::View;
use posetta_logic::eval::Notes;
use posetta_trace::Lattice;

/// Looks for a run that violates a property, or satisfies it. Answers the beginning of such a run, however it goes on. Adds to
/// the statistics even when it fails.
pub(crate) fn find_run(
    run_search: &RunSearch<'_>,
    violating: bool,
    notes: &mut Notes,
    stats: &mut Stats,
) -> Result<Option<Vec<EventId>>, OverBudget> {
    let RunSearch { trace, bound, view, until, budget, .. } = *run_search;
    let mut automaton = bound.formula.automaton(violating);
    let words = Vocabulary::new(trace, bound, |_| true);
    let classes = &Classes::new(&words, Repeats::OfOneWriter, notes, budget)?;
    let machine = &mut Machine::new(&words, classes, &mut *automaton, view, notes, budget)?;
    let table = Table::new(machine, classes, view, budget)?;
    let no_op = |class: u32| table.as_ref().is_some_and(|table| table.is_no_op(class));
    let anywhere: Vec<bool> = (0..classes.len() as u32).map(no_op).collect();
    let mut behind_a_letter = anywhere.clone();
    behind_a_letter[INERT as usize] |= parts(bound, violating).iter().all(|part| part.stutters);
    let first = if view == View::Events { anywhere } else { behind_a_letter.clone() };
    let ample = Ample { classes, first, later: behind_a_letter };
    stats.relevant_events = trace.events().filter(|&event| !ample.later[classes.of(event) as usize]).count() as u64;
    if until == Until::Planned {
        return Ok(None);
    }
    drop(table);
    search(&Lattice::new(trace, budget)?, classes, machine, &ample, notes, &mut stats.configurations, budget)
}

/// Which events may be taken alone.
struct Ample<'c> {
    classes: &'c Classes,
    /// The classes that are invisible at the empty cut.
    first: Vec<bool>,
    /// And elsewhere.
    later: Vec<bool>,
}

impl Steps for Ample<'_> {
    fn processes(&self, lattice: &Lattice<'_>, cut: &[u64], depth: usize) -> Range<usize> {
        let invisible = if depth == 0 { &self.first } else { &self.later };
        let alone = |&process: &usize| {
            lattice.next(cut, process).is_some_and(|event| invisible[self.classes.of(event) as usize])
        };
        (0..lattice.width()).find(alone).map_or(0..lattice.width(), |process| process..process + 1)
    }
}
