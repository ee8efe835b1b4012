//! What a property speaks about in a run: variables, names, processes; what its variables are; whose lane an event is on.

use std::collections::BTreeMap;

use posetta_base::{EventId, ProcessId, ValueId, VarId};
use posetta_logic::Atom;
use posetta_trace::Trace;

use crate::named::Named;

/// Variables shown in one state.
const VALUES: usize = 6;

/// What a formula, or a model, speaks about.
#[derive(Default)]
pub(crate) struct Mentions<'a> {
    variables: Vec<VarId>,
    names: Vec<String>,
    processes: Vec<String>,
    is_step: Option<&'a dyn Fn(EventId) -> bool>,
}

impl<'a> Mentions<'a> {
    /// What stands for actions of a model.
    pub(super) fn of_model(is_step: &'a dyn Fn(EventId) -> bool) -> Self {
        Self { is_step: Some(is_step), ..Self::default() }
    }

    pub(crate) fn new(trace: &Trace, property: &Named) -> Self {
        let (mut names, mut processes) = (Vec::new(), Vec::new());
        let mut add = |atom: &Atom| match atom {
            Atom::Event(name) => names.push(name.clone()),
            Atom::Having(having) => names.extend(having.name.clone()),
            Atom::Process(name) => processes.push(name.clone()),
            Atom::State(_) | Atom::Step(_) | Atom::On(_) | Atom::Enabled(_) => {}
        };
        property.property.formula.for_each_atom(&mut add);
        Self { variables: known_variables(trace, property), names, processes, is_step: None }
    }

    pub(crate) fn touches(&self, trace: &Trace, event: EventId) -> bool {
        trace.assignments(event).iter().any(|a| self.variables.contains(&a.var))
            || trace.event_name(event).is_some_and(|name| self.names.iter().any(|n| n == name))
            || self.processes.iter().any(|p| trace.is_called(trace.process(event), p))
            || self.is_step.is_some_and(|is_step| is_step(event))
    }
}

pub(crate) fn known_variables(trace: &Trace, property: &Named) -> Vec<VarId> {
    property.variables.iter().filter_map(|name| trace.find_variable(name)).collect()
}

/// What the property's variables are at a position.
pub(crate) fn state(trace: &Trace, property: &Named, order: &[EventId], position: usize) -> String {
    let mut variables = known_variables(trace, property);
    // Not all are shown: first what the last event changed, then what is not as it was at the beginning.
    let changed = |var: VarId| {
        let last = position.checked_sub(1).and_then(|i| order.get(i));
        last.is_some_and(|&event| trace.assignments(event).iter().any(|a| a.var == var))
    };
    let mut state: BTreeMap<VarId, ValueId> = variables.iter().map(|&v| (v, trace.initial(v))).collect();
    for &event in &order[..position.min(order.len())] {
        for a in trace.assignments(event) {
            state.entry(a.var).and_modify(|v| *v = a.value);
        }
    }
    if variables.len() > VALUES {
        variables.sort_by_key(|&v| (!changed(v), state[&v] == trace.initial(v)));
    }
    let mut text: Vec<String> = variables
        .iter()
        .take(VALUES)
        .map(|v| format!("{} = {}", trace.variable_name(*v), trace.value(state[v])))
        .collect();
    if variables.len() > VALUES {
        text.push("…".to_owned());
    }
    text.join(", ")
}

/// Which process stands for the lane of an event: its own, or the first one of its group.
pub(crate) struct Heads<'a> {
    trace: &'a Trace,
    /// By process; none if there are no groups.
    first: Vec<ProcessId>,
}

impl<'a> Heads<'a> {
    pub(crate) fn new(trace: &'a Trace) -> Self {
        let mut groups: BTreeMap<&str, ProcessId> = BTreeMap::new();
        let mut head = |process| trace.group(process).map_or(process, |group| *groups.entry(group).or_insert(process));
        let first = if trace.has_groups() { trace.processes().map(&mut head).collect() } else { Vec::new() };
        Self { trace, first }
    }

    pub(crate) fn of(&self, event: EventId) -> ProcessId {
        self.of_process(self.trace.process(event))
    }

    pub(crate) fn of_process(&self, process: ProcessId) -> ProcessId {
        self.first.get(process.index()).copied().unwrap_or(process)
    }
}
