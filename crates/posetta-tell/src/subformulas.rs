//! Which parts of a property are true where, along one order: what `check --trace` shows.
//!
//! For people a table: a column for each part, a row for each position at which something changes. For programs the stretches of
//! positions at which each part is true. Positions are those of the property: over states 0 is the start and i comes after the
//! i-th event, over events they begin with 1. Along a path of cuts it may be open whether a part holds, because that would take
//! other paths, too.

use std::collections::{BTreeMap, HashSet};

use posetta_base::{Budget, Claim, EventId, OverBudget, ValueId, VarId};
use posetta_check::Moment;
use posetta_logic::eval::parts::Part;
use posetta_logic::{Formula, MonitorState, View};
use posetta_trace::Trace;
use serde_json::{Value, json};

use crate::named::Named;

/// So many parts have a column, and so many positions a row; `--json` has all of them.
const COLUMNS: usize = 24;
const ROWS: usize = 24;
/// Of these, so many after the place where it shows that the property fails.
const AFTER: usize = 6;
/// Variables of the state at the start.
const VALUES: usize = 6;

/// What an entry of [`Part::changes`] becomes for programs: half of a list of two numbers, in a list that grows, and its text.
const ENTRY: u64 = 256;
const WHAT: &str = "tracing the parts of the property";

/// Along which order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Along {
    /// The order that fails.
    Failing,
    /// The order that satisfies a property that asks for one.
    Satisfying,
    /// The path that shows why the property does not hold, or does.
    Path,
    /// The recorded order.
    Recorded,
    /// A possible order, where none was recorded.
    Possible,
}

/// A part and its column, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its number in the heading.
    pub number: usize,
    /// The part.
    pub formula: String,
    /// How deep it is nested.
    pub depth: usize,
}

/// A row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Row {
    /// A position.
    At {
        /// Its number.
        position: usize,
        /// By column; `None` if that is open.
        values: Vec<Option<bool>>,
        /// What happened: label, name and line; `None` at the start.
        event: Option<(String, String, String)>,
        /// The variables of the property that it changes, or all of them at the start.
        sets: String,
    },
    /// So many positions at which nothing changes.
    Alike(usize),
    /// So many positions at which something changes, but that are not shown.
    Skipped(usize),
}

/// The parts of a property along an order.
#[derive(Debug)]
pub struct Subformulas {
    /// Along which order.
    pub along: Along,
    /// The columns are states of a monitor.
    pub states: bool,
    /// The parts that are shown.
    pub columns: Vec<Column>,
    /// Parts that have no column.
    pub more: usize,
    /// The positions that are shown.
    pub rows: Vec<Row>,
    /// For programs, all parts, and the positions: the number of the first, and how many there are.
    all: Vec<Part>,
    positions: (usize, usize),
    /// The memory that it takes.
    _claim: Claim,
}

/// What is traced.
pub struct Subject<'a> {
    /// The run.
    pub trace: &'a Trace,
    /// The property.
    pub property: &'a Named,
    /// Which order it is.
    pub along: Along,
    /// The order itself.
    pub order: &'a [EventId],
    /// Where it shows that the property fails.
    pub moment: Option<Moment>,
    /// For people.
    pub people: bool,
    /// For programs.
    pub programs: bool,
}

impl Subformulas {
    /// Lays out the parts of the property along an order, or a path.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn new(subject: &Subject<'_>, parts: Vec<Part>, budget: &Budget) -> Result<Self, OverBudget> {
        let Subject { property, order, .. } = *subject;
        let own = &property.property;
        let view = own.formula.view().unwrap_or(View::States);
        let first = usize::from(view == View::Events);
        let len = order.len() + 1 - first;
        let states = matches!(own.formula, Formula::Monitor(..));
        let entries = parts.iter().map(|part| part.changes.len() as u64).filter(|_| subject.programs).sum::<u64>();
        let claim = budget.claim(entries.saturating_mul(ENTRY), WHAT)?;
        if !subject.people {
            return Ok(Self {
                along: subject.along,
                states,
                columns: Vec::new(),
                more: 0,
                rows: Vec::new(),
                all: parts,
                positions: (first, len),
                _claim: claim,
            });
        }
        let (mut columns, shown, more) = columns(&parts);
        if let Formula::Monitor(_, monitor) = &own.formula {
            for column in &mut columns {
                let is = |states: &[MonitorState]| states.iter().any(|s| monitor.states[s.index()] == column.formula);
                column.formula.push_str(match (is(&monitor.initial), is(&monitor.bad)) {
                    (true, true) => " (initial, bad)",
                    (true, false) => " (initial)",
                    (false, true) => " (bad)",
                    (false, false) => "",
                });
            }
        }
        let rows = subject.rows(&shown, first, len, budget)?;
        let along = subject.along;
        let all = if subject.programs { parts } else { Vec::new() };
        Ok(Self { along, states, columns, more, rows, all, positions: (first, len), _claim: claim })
    }
}

/// A part that occurs twice has one column, and what it is made of, too; constants have none.
fn columns(parts: &[Part]) -> (Vec<Column>, Vec<&Part>, usize) {
    let mut seen = HashSet::new();
    let (mut columns, mut shown, mut more) = (Vec::new(), Vec::new(), 0);
    for part in parts {
        if matches!(part.formula.as_str(), "true" | "false") || !seen.insert(part.formula.as_str()) {
            continue;
        }
        if columns.len() == COLUMNS {
            more += 1;
            continue;
        }
        columns.push(Column { number: columns.len() + 1, formula: part.formula.clone(), depth: part.depth });
        shown.push(part);
    }
    (columns, shown, more)
}

impl Subject<'_> {
    /// Calls `f` with every entry of the word and the variables of the property that its event changes, with their new values.
    fn follow(&self, first: usize, mut f: impl FnMut(usize, &[(VarId, ValueId)])) {
        let trace = self.trace;
        let variables = self.property.variables.iter().filter_map(|name| trace.find_variable(name));
        let mut state: BTreeMap<VarId, ValueId> = variables.map(|var| (var, trace.initial(var))).collect();
        if first == 0 {
            f(0, &[]);
        }
        let mut changed = Vec::new();
        for (i, &event) in self.order.iter().enumerate() {
            changed.clear();
            for a in trace.assignments(event) {
                if let Some(value) = state.get_mut(&a.var)
                    && *value != a.value
                {
                    *value = a.value;
                    changed.push((a.var, a.value));
                }
            }
            f(i + 1 - first, &changed);
        }
    }

    /// `first` is the number of the first position, `len` how many there are.
    fn rows(&self, parts: &[&Part], first: usize, len: usize, budget: &Budget) -> Result<Vec<Row>, OverBudget> {
        let _claim = budget.claim((len as u64).saturating_mul(9), WHAT)?;
        let mut changes: Vec<bool> = (0..len).map(|entry| entry == 0 || entry + 1 == len).collect();
        for part in parts {
            part.changes.iter().for_each(|&(from, _)| changes[from as usize] = true);
        }
        self.follow(first, |entry, changed| changes[entry] |= !changed.is_empty());
        let changing: Vec<usize> = (0..len).filter(|&entry| changes[entry]).collect();
        // Around the place where it shows, if they are too many.
        let place = match self.moment {
            Some(Moment::At(place) | Moment::Waits(place)) => place.saturating_sub(first),
            None => 0,
        };
        let middle = changing.partition_point(|&entry| entry <= place);
        let end = (middle + AFTER).clamp(ROWS.min(changing.len()), changing.len());
        let begin = end.saturating_sub(ROWS);
        let mut rows = Vec::new();
        let mut next = 0;
        if begin > 0 {
            rows.push(Row::Skipped(begin));
            next = changing[begin];
        }
        for &entry in &changing[begin..end] {
            match entry - next {
                0 => {}
                // It takes a row to leave one out.
                1 => rows.push(self.row(parts, next, first)),
                alike => rows.push(Row::Alike(alike)),
            }
            rows.push(self.row(parts, entry, first));
            next = entry + 1;
        }
        if end < changing.len() {
            rows.push(Row::Skipped(changing.len() - end));
        }
        self.fill_in_values(&mut rows, first);
        Ok(rows)
    }

    fn row(&self, parts: &[&Part], entry: usize, first: usize) -> Row {
        let trace = self.trace;
        let position = entry + first;
        let values = parts.iter().map(|part| part.at(entry)).collect();
        let event = position.checked_sub(1).and_then(|i| self.order.get(i));
        let event = event.map(|&e| {
            let name = trace.event_name(e).unwrap_or_default().to_owned();
            (trace.label(e), name, trace.whereabouts(e).to_string())
        });
        Row::At { position, values, event, sets: String::new() }
    }

    /// What each row changes; at the start, what the variables are.
    fn fill_in_values(&self, rows: &mut [Row], first: usize) {
        let value = |(var, value): &(VarId, ValueId)| {
            format!("{} = {}", self.trace.variable_name(*var), self.trace.value(*value))
        };
        let list = |all: &[(VarId, ValueId)]| all.iter().map(value).collect::<Vec<_>>().join(", ");
        let mut rows = rows.iter_mut().filter_map(|row| match row {
            Row::At { position, sets, .. } => Some((*position - first, sets)),
            _ => None,
        });
        let mut next = rows.next();
        self.follow(first, |entry, changed| {
            if let Some((at, sets)) = &mut next
                && *at == entry
            {
                **sets = if entry + first == 0 {
                    let variables = self.property.variables.iter().filter_map(|name| self.trace.find_variable(name));
                    let initial: Vec<(VarId, ValueId)> =
                        variables.take(VALUES).map(|var| (var, self.trace.initial(var))).collect();
                    list(&initial)
                } else {
                    list(changed)
                };
                next = rows.next();
            }
        });
    }
}

/// All of it, for programs.
#[must_use]
pub fn to_json(found: &Subformulas) -> Value {
    let (first, len) = found.positions;
    let stretches = |part: &Part, value| -> Value {
        part.stretches(value, len).map(|(from, to)| json!([from + first, to + first])).collect()
    };
    let entry = |part: &Part| {
        let mut entry = json!({ "formula": part.formula, "depth": part.depth, "true_at": stretches(part, Some(true)) });
        if part.changes.iter().any(|(_, value)| value.is_none()) {
            entry["unknown_at"] = stretches(part, None);
        }
        entry
    };
    found.all.iter().map(entry).collect()
}
