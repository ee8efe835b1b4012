//! The word of a run: what a linear formula reads.

use std::cmp::Ordering;

use posetta_base::{EventId, Value};
use posetta_logic::{Atom, Compare, Operand, Test, View};
use posetta_trace::Trace;

use crate::state::{self, State};

/// One position: a state, and the event that led to it.
#[derive(Clone, Debug)]
pub struct Letter<'t> {
    /// The state.
    pub state: State<'t>,
    /// "The position before; at the first position" the initial state.
    pub before: State<'t>,
    /// The event; there is none at position 0 of the states view.
    pub event: Option<EventId>,
}

/// "A run e1…en passes through states s0 s1 … sn. Over states: positions 0..n. Position 0 is the start; position i
/// carries state si and event ei. Over events: positions 1..n only."
#[must_use]
pub fn word<'t>(trace: &'t Trace, run: &[EventId], view: View) -> Vec<Letter<'t>> {
    let mut letters =
        vec![Letter { state: state::initial_state(trace), before: state::initial_state(trace), event: None }];
    for &event in run {
        let before = letters[letters.len() - 1].state.clone();
        let state = state::after(trace, &before, event);
        letters.push(Letter { state, before, event: Some(event) });
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
        (Atom::State(condition) | Atom::Step(condition), _) => {
            state::satisfies_between(&letter.before, &letter.state, condition)
        }
        // "At position 0 of the states view no event has happened: `on(..)`, `event(..)`, `process(..)` are false
        // there."
        (Atom::On(_) | Atom::Event(_) | Atom::Having(_) | Atom::Process(_), None) => false,
        // Runs have no actions to be enabled: such formulas are refused.
        (Atom::Enabled(_), _) => false,
        // "The event assigns at least one variable of A, and A holds after it."
        (Atom::On(condition), Some(event)) => {
            let names = state::variables(condition);
            let assigns = trace.assignments(event).iter().any(|a| names.contains(&trace.variable_name(a.var)));
            assigns && state::satisfies_between(&letter.before, &letter.state, condition)
        }
        // "The event has that name / belongs to that process."
        (Atom::Event(name), Some(event)) => trace.event_name(event) == Some(name),
        // "The event has that name, and its attributes are so."
        (Atom::Having(having), Some(event)) => {
            let named = having.name.is_none() || having.name.as_deref() == trace.event_name(event);
            named && having.tests.iter().all(|test| passes(attribute(trace, event, &test.attribute), test))
        }
        (Atom::Process(name), Some(event)) => {
            let process = trace.process(event);
            trace.process_name(process) == name || trace.group(process).is_some_and(|group| group == name)
        }
    }
}

/// The value of an attribute, if it is a plain string, number or boolean.
#[must_use]
pub fn attribute(trace: &Trace, event: EventId, name: &str) -> Option<Value> {
    let (_, json) = trace.attributes(event).find(|(key, _)| *key == name)?;
    match json {
        "true" => Some(Value::from(1)),
        "false" => Some(Value::from(0)),
        _ => match json.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            Some(text) => Some(Value::from(text)),
            None => json.parse().ok().map(Value::Number),
        },
    }
}

/// "A missing attribute makes it false"; and "what is not a number passes no comparison by size".
fn passes(value: Option<Value>, test: &Test) -> bool {
    let Operand::Value(with) = &test.with else { panic!("the value of an instance is put in before") };
    let Some(value) = value else { return false };
    let order = match (&value, with) {
        (Value::Number(a), Value::Number(b)) => Some(a.to_ratio().cmp(&b.to_ratio())),
        _ => None,
    };
    match test.op {
        Compare::Eq => value == *with,
        Compare::Ne => value != *with,
        Compare::Lt => order == Some(Ordering::Less),
        Compare::Le => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        Compare::Gt => order == Some(Ordering::Greater),
        Compare::Ge => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
    }
}
