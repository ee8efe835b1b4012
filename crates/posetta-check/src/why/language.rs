//! The orders that violate a property, or those that satisfy it, as something that can be followed event by event.

use rustc_hash::FxHashMap;

use crate::classes::{Classes, INERT, Repeats, Vocabulary};
use crate::linear::{self, Modes, OnDemand, Table};
use crate::machine::{Machine, Mode};
use posetta_base::{Budget, EventId, OverBudget};
use posetta_compile::Linear;
use posetta_logic::eval::Notes;
use posetta_logic::{Bound, View};
use posetta_trace::Trace;

/// Tables with more modes are not asked whether classes commute.
const MOST_MODES: usize = 1 << 10;

/// So many pairs of classes are remembered.
const MOST_PAIRS: usize = 1 << 16;

/// A language over the events of a trace. Its classes know no order, so it serves for the same run with more edges, too.
pub(super) struct Language<'l> {
    classes: &'l Classes,
    modes: &'l mut dyn Modes,
    commute: FxHashMap<(u32, u32), bool>,
    /// By class, whether it commutes with every other one.
    free: Vec<bool>,
    /// What a move costs: more where the machine is built as it is asked.
    pub(super) step: u64,
}

/// Calls `f` with the language of the orders that violate a property, or of those that satisfy it.
pub(super) fn with_language<T>(
    trace: &Trace,
    bound: &Bound<Linear>,
    view: View,
    violating: bool,
    budget: &Budget,
    f: impl FnOnce(&mut Language<'_>) -> T,
) -> Result<T, OverBudget> {
    // What another order divides by zero is not worth a warning about the verdict.
    let notes = &mut Notes::default();
    let words = Vocabulary::new(trace, bound, |_| true);
    let classes = Classes::new(&words, Repeats::Count, notes, budget)?;
    let mut automaton = bound.formula.automaton(violating);
    let mut machine = Machine::new(&words, &classes, &mut *automaton, view, notes, budget)?;
    let table = Table::new(&mut machine, &classes, view, budget)?;
    // Over events there is no position before the first event, so that what is inert may come first or not.
    let stutters = view == View::States && linear::parts(bound, violating).iter().all(|part| part.stutters);
    let no_op = |class: u32| table.as_ref().is_some_and(|table| table.is_no_op(class));
    let free = (0..classes.len() as u32).map(|class| stutters && class == INERT || no_op(class)).collect();
    let (classes, commute) = (&classes, FxHashMap::default());
    let language = |modes, step| Language { classes, modes, commute, free, step };
    Ok(match &table {
        Some(table) => f(&mut language(&mut { table }, 1)),
        None => f(&mut language(&mut OnDemand::new(&mut machine, budget), 16)),
    })
}

impl Language<'_> {
    pub(super) fn class(&self, event: EventId) -> u32 {
        self.classes.of(event)
    }

    /// Whether events of a class may be anywhere in an order without leaving or entering the language.
    #[inline]
    pub(super) fn is_free(&self, class: u32) -> bool {
        self.free[class as usize]
    }

    pub(super) fn starts(&self) -> &[Mode] {
        self.modes.starts()
    }

    pub(super) fn accepts(&self, mode: Mode) -> bool {
        self.modes.accepts(mode)
    }

    pub(super) fn accepts_all(&self, mode: Mode) -> bool {
        self.modes.accepts_all(mode)
    }

    pub(super) fn bytes(&self) -> u64 {
        self.modes.bytes() + 16 * self.commute.capacity() as u64
    }

    /// Appends the modes after an event of a class.
    #[inline]
    pub(super) fn follow(&mut self, mode: Mode, class: u32, after: &mut Vec<Mode>) -> Result<(), OverBudget> {
        let moves = self.modes.moves(mode, class)?;
        if moves.stay {
            after.push(mode);
        }
        after.extend((moves.first..moves.first + moves.count).map(|place| self.modes.target(place)));
        Ok(())
    }

    /// Whether two neighbours of these classes may be exchanged in every order without leaving or entering the language. If not
    /// known, the answer is no.
    pub(super) fn commute(&mut self, one: u32, other: u32) -> bool {
        if one == other || self.is_free(one) || self.is_free(other) {
            return true;
        }
        let Some(table) = self.modes.shared().filter(|table| table.len() <= MOST_MODES) else { return false };
        let pair = (one.min(other), one.max(other));
        match self.commute.get(&pair) {
            Some(&known) => known,
            None => {
                let commute = table.commute(one, other);
                if self.commute.len() < MOST_PAIRS {
                    self.commute.insert(pair, commute);
                }
                commute
            }
        }
    }
}
