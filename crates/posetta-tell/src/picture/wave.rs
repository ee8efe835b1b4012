//! What the variables of a sequence of states were.

use posetta_base::{ValueId, VarId};
use posetta_trace::Trace;

/// A variable along the sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    /// Its name.
    pub name: String,
    /// From which position on it has which value. The first is 0.
    pub changes: Vec<(u32, String)>,
}

/// A sequence of states. Position 0 is the first one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wave {
    /// The variables.
    pub signals: Vec<Signal>,
    /// How many states there are.
    pub positions: usize,
    /// What the signals say begins with this one.
    pub first: usize,
    /// When the states from there on were, if all have a time; that of the start is nothing.
    pub times: Option<Vec<String>>,
}

impl Wave {
    /// These variables of a run in the order that was recorded, from a position on, for at most so many.
    #[must_use]
    pub fn new(trace: &Trace, variables: impl IntoIterator<Item = VarId>, first: usize, most: usize) -> Self {
        let order = trace.linearisation();
        let variables: Vec<VarId> = variables.into_iter().collect();
        let mut place = vec![None; trace.variables().len()];
        variables.iter().enumerate().for_each(|(i, var)| place[var.index()] = Some(i));
        let mut last: Vec<ValueId> = variables.iter().map(|&var| trace.initial(var)).collect();
        let mut changes: Vec<Vec<(u32, ValueId)>> = last.iter().map(|&value| vec![(first as u32, value)]).collect();
        for (i, &event) in order.iter().enumerate().take(first.saturating_add(most)) {
            for a in trace.assignments(event) {
                let Some(at) = place[a.var.index()].filter(|&at| last[at] != a.value) else { continue };
                last[at] = a.value;
                match i < first {
                    true => changes[at][0].1 = a.value,
                    false => changes[at].push((i as u32 + 1, a.value)),
                }
            }
        }
        let signal = |(&var, changes): (&VarId, Vec<(u32, ValueId)>)| Signal {
            name: trace.variable_name(var).to_owned(),
            changes: changes.into_iter().map(|(at, value)| (at, trace.value(value).to_string())).collect(),
        };
        let time = |position: usize| match position.checked_sub(1) {
            None => Some(String::new()),
            Some(i) => trace.time(*order.get(i)?).map(ToString::to_string),
        };
        let positions = order.len() + 1;
        let times: Option<Vec<String>> = (first..positions.min(first.saturating_add(most))).map(time).collect();
        Self { signals: variables.iter().zip(changes).map(signal).collect(), positions, first, times }
    }
}

impl Signal {
    /// Its value at a position.
    #[must_use]
    pub fn at(&self, position: usize) -> &str {
        let after = self.changes.partition_point(|(from, _)| *from as usize <= position);
        after.checked_sub(1).map_or("", |i| &self.changes[i].1)
    }
}
