//! A witness as a person reads it: which events, in which order, what moved, and where it goes wrong.
//!
//! Short orders are shown whole. Of long ones the events that the property speaks about are shown, around the place where
//! it fails; `--json` always has all of them.

use std::collections::BTreeMap;

use posetta::base::{EventId, ValueId, VarId};
use posetta::logic::Atom;
use posetta::trace::Trace;

use crate::moment::Moment;
use crate::properties::Named;

/// Orders up to this length are shown whole.
const WHOLE: usize = 16;
/// Of longer ones, so many events before the place where it fails, and so many after it.
const BEFORE: usize = 12;
const AFTER: usize = 3;
/// Variables shown in one state.
const VALUES: usize = 6;

/// Where an event stands compared with the recorded order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moved {
    Earlier,
    Later,
}

/// One line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Row {
    /// Before the first event.
    Start { note: Option<String> },
    /// An event, numbered from 1.
    Event {
        number: usize,
        moved: Option<Moved>,
        label: String,
        name: String,
        sets: String,
        line: u64,
        note: Option<String>,
    },
    /// Events that are left out.
    Gap { events: usize, moved: usize },
    /// Events that are left out after the place where it fails.
    Rest { events: usize },
    /// After the last event, for a property that waited until here.
    End,
}

/// A witness for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Story {
    pub rows: Vec<Row>,
    /// Whether it is the recorded order, event for event.
    pub recorded: bool,
    /// Whether some event was left out.
    pub shortened: bool,
}

impl Story {
    /// Tells an order, or the beginning of one, that shows what became of a property. `moment` is where it shows.
    pub fn new(trace: &Trace, property: &Named, order: &[EventId], moment: Option<Moment>) -> Self {
        let notes = match moment {
            Some(Moment::At(position)) => vec![(position, state(trace, property, order, position))],
            Some(Moment::Waits(position)) => vec![(position, "waits in vain from here".to_owned())],
            None => Vec::new(),
        };
        Self::with_notes(trace, property, order, notes, matches!(moment, Some(Moment::Waits(_))))
    }

    /// Tells a path by its milestones: places in it, ascending, and what is to be said there beside the state.
    pub fn by_milestones(
        trace: &Trace,
        property: &Named,
        order: &[EventId],
        milestones: Vec<(usize, Option<String>)>,
    ) -> Self {
        let note = |(position, text): (usize, Option<String>)| {
            let state = state(trace, property, order, position);
            (position, text.map_or(state.clone(), |text| format!("{state}: {text}")))
        };
        Self::with_notes(trace, property, order, milestones.into_iter().map(note).collect(), false)
    }

    /// Notes at places, ascending; it `waits` from the last one on.
    fn with_notes(
        trace: &Trace,
        property: &Named,
        order: &[EventId],
        notes: Vec<(usize, String)>,
        waits: bool,
    ) -> Self {
        let moves = moves(trace, order);
        let note_at = |position: usize| notes.iter().find(|(p, _)| *p == position).map(|(_, text)| text.clone());
        let places: Vec<usize> = notes.iter().map(|(place, _)| *place).collect();
        let shown = choose(trace, property, order, &places, waits);
        let last = places.last().copied().filter(|_| !waits);
        let variables = known_variables(trace, property);
        let mut rows = Vec::new();
        rows.extend(note_at(0).map(|note| Row::Start { note: Some(note) }));
        let mut at = 0;
        while at < order.len() {
            let next = (at..order.len()).find(|&i| shown[i]).unwrap_or(order.len());
            if next > at {
                let after = last.is_some_and(|position| at >= position);
                rows.push(if after && next == order.len() {
                    Row::Rest { events: next - at }
                } else {
                    Row::Gap { events: next - at, moved: moves[at..next].iter().flatten().count() }
                });
            }
            if next < order.len() {
                let row = event(trace, &variables, order[next], next + 1, moves[next], note_at(next + 1));
                rows.push(row);
            }
            at = next + 1;
        }
        if waits {
            rows.push(Row::End);
        }
        Self { rows, recorded: trace.observed() == Some(order), shortened: !shown.iter().all(|&s| s) }
    }
}

/// The variables that the property speaks about come first, so that a narrow column does not hide them.
fn event(
    trace: &Trace,
    variables: &[VarId],
    event: EventId,
    number: usize,
    moved: Option<Moved>,
    note: Option<String>,
) -> Row {
    let process = trace.process_name(trace.process(event));
    let label = match trace.own_id(event) {
        Some(id) => format!("{id} ({process})"),
        None => trace.label(event),
    };
    let mut assignments = trace.assignments(event).to_vec();
    assignments.sort_by_key(|a| !variables.contains(&a.var));
    let sets: Vec<String> =
        assignments.iter().map(|a| format!("{}={}", trace.variable_name(a.var), trace.value(a.value))).collect();
    let name = trace.event_name(event).unwrap_or_default().to_owned();
    Row::Event { number, moved, label, name, sets: sets.join(", "), line: trace.line(event), note }
}

/// Which events to show: around the places with notes, from the last of which on it may wait.
fn choose(trace: &Trace, property: &Named, order: &[EventId], places: &[usize], waits: bool) -> Vec<bool> {
    let n = order.len();
    let fails = places.last().map_or(n, |&place| place.min(n));
    let cut_after = !waits && n > fails + AFTER;
    if n <= WHOLE {
        return vec![true; n];
    }
    let mentions = Mentions::new(trace, property);
    let mut shown = vec![false; n];
    let mut left = BEFORE;
    for i in (0..fails).rev() {
        if left == 0 {
            break;
        }
        if i + 1 == fails || mentions.touches(trace, order[i]) {
            shown[i] = true;
            left -= 1;
        }
    }
    // Where something else is said, the event that led there and one that matters before it.
    for &place in places.iter().filter(|&&place| 0 < place && place < fails) {
        shown[place - 1] = true;
        if let Some(before) = (0..place - 1).rev().find(|&i| mentions.touches(trace, order[i])) {
            shown[before] = true;
        }
    }
    if !cut_after {
        let after = (fails..n).filter(|&i| mentions.touches(trace, order[i])).take(AFTER + left);
        after.collect::<Vec<_>>().into_iter().for_each(|i| shown[i] = true);
    }
    // A gap of one event takes the line that the event itself would take.
    for i in 0..n {
        let alone = !shown[i] && (i == 0 || shown[i - 1]) && shown.get(i + 1) == Some(&true);
        shown[i] |= alone;
    }
    shown
}

/// What a formula speaks about.
struct Mentions {
    variables: Vec<VarId>,
    names: Vec<String>,
    processes: Vec<String>,
}

impl Mentions {
    fn new(trace: &Trace, property: &Named) -> Self {
        let (mut names, mut processes) = (Vec::new(), Vec::new());
        let mut add = |atom: &Atom| match atom {
            Atom::Event(name) => names.push(name.clone()),
            Atom::Process(name) => processes.push(name.clone()),
            Atom::State(_) | Atom::On(_) => {}
        };
        property.property.formula.for_each_atom(&mut add);
        Self { variables: known_variables(trace, property), names, processes }
    }

    fn touches(&self, trace: &Trace, event: EventId) -> bool {
        trace.assignments(event).iter().any(|a| self.variables.contains(&a.var))
            || trace.event_name(event).is_some_and(|name| self.names.iter().any(|n| n == name))
            || self.processes.iter().any(|p| p == trace.process_name(trace.process(event)))
    }
}

fn known_variables(trace: &Trace, property: &Named) -> Vec<VarId> {
    property.variables.iter().filter_map(|name| trace.find_variable(name)).collect()
}

/// What the property's variables are at a position.
fn state(trace: &Trace, property: &Named, order: &[EventId], position: usize) -> String {
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

/// For each event of the order, whether it stands earlier or later than recorded. As few events as possible are said to
/// have moved: those outside of a longest stretch (not necessarily adjacent) that keeps the recorded order.
fn moves(trace: &Trace, order: &[EventId]) -> Vec<Option<Moved>> {
    let mut moves = vec![None; order.len()];
    let Some(observed) = trace.observed() else {
        return moves;
    };
    let mut rank = vec![0usize; trace.len()];
    for (i, e) in observed.iter().enumerate() {
        rank[e.index()] = i;
    }
    let ranks: Vec<usize> = order.iter().map(|e| rank[e.index()]).collect();
    let mut stays = vec![false; order.len()];
    for i in longest_increasing(&ranks) {
        stays[i] = true;
    }
    // Compared with its rank among these events: a path may leave events out.
    let mut sorted: Vec<usize> = ranks.clone();
    sorted.sort_unstable();
    for (i, &r) in ranks.iter().enumerate() {
        if !stays[i] {
            let recorded = sorted.partition_point(|&s| s < r);
            moves[i] = Some(if i <= recorded { Moved::Earlier } else { Moved::Later });
        }
    }
    moves
}

/// The places of a longest increasing subsequence, by patience sorting.
fn longest_increasing(values: &[usize]) -> Vec<usize> {
    let mut tails: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(values.len());
    for (i, &v) in values.iter().enumerate() {
        let at = tails.partition_point(|&t| values[t] < v);
        before.push(at.checked_sub(1).map(|j| tails[j]));
        match tails.get_mut(at) {
            Some(tail) => *tail = i,
            None => tails.push(i),
        }
    }
    let mut out = Vec::with_capacity(tails.len());
    let mut at = tails.last().copied();
    while let Some(i) = at {
        out.push(i);
        at = before[i];
    }
    out.reverse();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_much_as_possible_stays() {
        for (values, stays) in [
            (vec![0, 1, 2], vec![0, 1, 2]),
            (vec![3, 0, 1, 2], vec![1, 2, 3]),
            (vec![1, 2, 3, 0], vec![0, 1, 2]),
            (vec![1, 0], vec![1]),
            (vec![], vec![]),
        ] {
            assert_eq!(longest_increasing(&values), stays, "{values:?}");
        }
    }
}
