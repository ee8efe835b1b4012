//! The word of a run: what a linear formula reads.

use posetta_base::EventId;
use posetta_logic::{Atom, View};
use posetta_trace::Trace;

use crate::state::{self, State};

/// One position: a state, and the event that led to it.
#[derive(Clone, Debug)]
pub struct Letter<'t> {
    /// The state.
    pub state: State<'t>,
    /// The event; there is none at position 0 of the states view.
    pub event: Option<EventId>,
}

/// "A run e1…en passes through states s0 s1 … sn. Over states: positions 0..n. Position 0 is the start; position i
/// carries state si and event ei. Over events: positions 1..n only."
#[must_use]
pub fn word<'t>(trace: &'t Trace, run: &[EventId], view: View) -> Vec<Letter<'t>> {
    let mut letters = vec![Letter { state: state::initial_state(trace), event: None }];
    for &event in run {
        let state = state::after(trace, &letters[letters.len() - 1].state, event);
        letters.push(Letter { state, event: Some(event) });
    }
    match view {
        View::States => letters,
        View::Events => letters.split_off(1),
    }
}

/// Whether an atom is true at a position.
#[must_use]
pub fn holds_at(trace: &Trace, letter: &Letter<'_>, atom: &Atom) -> bool {
    match (atom, letter.event) {
        (Atom::State(condition), _) => state::satisfies(&letter.state, condition),
        // "At position 0 of the states view no event has happened: `on(..)`, `event(..)`, `process(..)` are false
        // there."
        (Atom::On(_) | Atom::Event(_) | Atom::Process(_), None) => false,
        // Runs have no actions to be enabled: such formulas are refused.
        (Atom::Enabled(_), _) => false,
        // "The event assigns at least one variable of A, and A holds after it."
        (Atom::On(condition), Some(event)) => {
            let names = state::variables(condition);
            let assigns = trace.assignments(event).iter().any(|a| names.contains(&trace.variable_name(a.var)));
            assigns && state::satisfies(&letter.state, condition)
        }
        // "The event has that name / belongs to that process."
        (Atom::Event(name), Some(event)) => trace.event_name(event) == Some(name),
        (Atom::Process(name), Some(event)) => trace.process_name(trace.process(event)) == name,
    }
}
