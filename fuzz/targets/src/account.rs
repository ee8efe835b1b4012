//! What two readings of one run must agree on.
//!
//! Events are named by process and position, because ids and the order in a file may be lost; happened-before is compared
//! as the vector clock of every event.

use std::collections::BTreeMap;

use posetta_base::{Budget, OverBudget};
use posetta_trace::{Clocks, Trace};

/// How much a format keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// What decides verdicts: events, names, values, happened-before.
    Meaning,
    /// Ids, times and attributes as well.
    All,
}

/// A run, told in a way that does not depend on its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// Variables that are declared or assigned: whether they are declared, and their first value.
    pub variables: BTreeMap<String, (bool, String)>,
    /// Events by process and position.
    pub events: BTreeMap<(String, usize), EventAccount>,
}

/// One event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventAccount {
    /// Its name.
    pub name: Option<String>,
    /// What it assigns, in order.
    pub assignments: Vec<(String, String)>,
    /// How many events of each process it knows of, itself included; processes of which it knows none are left out.
    pub clock: BTreeMap<String, u32>,
    /// With [`Detail::All`].
    pub more: Option<More>,
}

/// What the text format has no place for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct More {
    /// The event's own id.
    pub id: Option<String>,
    /// Its wall-clock time.
    pub time: Option<String>,
    /// Key and JSON text.
    pub attributes: Vec<(String, String)>,
}

/// JSON without a choice of escapes: a format inside strings of its own has to write some characters otherwise.
fn plain(json: &str) -> String {
    serde_json::from_str::<serde_json::Value>(json).map_or_else(|_| json.to_owned(), |value| value.to_string())
}

/// The account of a trace.
///
/// # Errors
/// When the vector clocks do not fit the budget.
pub fn account(trace: &Trace, detail: Detail, budget: &Budget) -> Result<Account, OverBudget> {
    let clocks = Clocks::compute(trace, budget)?;
    let mut assigned = vec![false; trace.variables().len()];
    let mut events = BTreeMap::new();
    for event in trace.events() {
        let mut assignments = Vec::new();
        for a in trace.assignments(event) {
            assigned[a.var.index()] = true;
            assignments.push((trace.variable_name(a.var).to_owned(), trace.value(a.value).to_string()));
        }
        let clock = trace.processes().zip(clocks.counts(event)).filter(|&(_, n)| n > 0);
        let clock = clock.map(|(p, n)| (trace.process_name(p).to_owned(), n)).collect();
        let more = (detail == Detail::All).then(|| More {
            id: trace.own_id(event).map(str::to_owned),
            time: trace.time(event).map(ToString::to_string),
            attributes: trace.attributes(event).map(|(k, v)| (k.to_owned(), plain(v))).collect(),
        });
        let name = trace.event_name(event).map(str::to_owned);
        let place = (trace.process_name(trace.process(event)).to_owned(), trace.position(event));
        events.insert(place, EventAccount { name, assignments, clock, more });
    }
    let used = trace.variables().filter(|&v| trace.is_declared(v) || assigned[v.index()]);
    let variables = used
        .map(|v| {
            let initial = trace.value(trace.initial(v)).to_string();
            (trace.variable_name(v).to_owned(), (trace.is_declared(v), initial))
        })
        .collect();
    Ok(Account { variables, events })
}
