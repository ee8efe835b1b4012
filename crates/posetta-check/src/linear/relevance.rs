//! Which events may be left out without changing any answer.
//!
//! Events of a class that changes nothing in any mode can go, whatever the property: the automaton reads the same with and
//! without them. Where repeating a letter changes nothing (no next, no event atoms), events that leave the state as it is can go
//! as well, for another reason: from any cut, an event that is kept is reached through causes that are not, so the graphs
//! of cuts are stuttering bisimilar. Over states that is all. Over events there is no position before the first event, so it
//! matters whether some event that is left out can come first: a *tick* stands for it, before every kept event that
//! has a cause. (`x:=1` beside `z`, over events: `G (x == 1)` is violated by the order that starts with z.)

use super::table::Table;
use crate::classes::{Classes, INERT};
use posetta_logic::View;
use posetta_trace::Trace;

/// Which classes of events are kept.
pub(super) struct Relevance {
    /// By class; every class if empty.
    keeps: Vec<bool>,
    /// Whether a place is needed for an event that is left out and comes first.
    pub(super) tick: bool,
}

impl Relevance {
    /// Nothing is left out.
    pub(super) fn everything() -> Self {
        Self { keeps: Vec::new(), tick: false }
    }

    pub(super) fn new(trace: &Trace, classes: &Classes, view: View, stutters: bool, table: Option<&Table>) -> Self {
        let no_op = |class: u32| table.is_some_and(|t| t.is_no_op(class));
        let mut keeps: Vec<bool> = (0..classes.len() as u32).map(|class| !no_op(class)).collect();
        let mut tick = false;
        if stutters && classes.has_inert() && keeps[INERT as usize] {
            if view == View::Events {
                // Behind a tick only what is inert may be missing: what is left out without being inert need not come after it.
                keeps.fill(true);
                tick = trace
                    .processes()
                    .filter_map(|p| trace.chain(p).first())
                    .any(|&first| trace.causes(first).is_empty() && classes.of(first) == INERT);
            }
            keeps[INERT as usize] = false;
        }
        Self { keeps, tick }
    }

    #[inline]
    pub(super) fn keeps(&self, class: u32) -> bool {
        self.keeps.is_empty() || self.keeps[class as usize]
    }
}
