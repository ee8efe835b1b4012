//! What a run is like: its size, how many orders it has, what is written without order.

use std::collections::HashMap;

use posetta_base::{Budget, Diagnostic, Kind, ValueId, VarId};
use posetta_trace::{
    Clocks, Lack, Missing, Reason, Trace, count_cuts, count_linearisations, reduced_edges, unordered_writes, width,
};
use serde_json::{Value, json};

use crate::amounts::counted;
use crate::checked::Shape;

/// By what events were put into the recorded order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// By their time stamps.
    Time,
    /// By their lines.
    Lines,
}

/// Writes to one variable that are not ordered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unordered {
    /// The variable.
    pub variable: String,
    /// Two of the events, and where they are.
    pub writes: [String; 2],
}

/// What is known about a run. A field is empty while, or because, its limit was reached first.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// What the run is called.
    pub run: String,
    /// How large it is; nothing if it has not been read.
    pub shape: Option<Shape>,
    /// Names with the number of events.
    pub processes: Vec<(String, usize)>,
    /// How many edges there are between processes, without those that others imply.
    pub edges: Option<usize>,
    /// How many edges the records give between processes for each reason, if any has another than that they say so.
    pub reasons: Vec<(Reason, usize)>,
    /// How many edges were left out, because what is assumed contradicts what is known.
    pub contradicted: Vec<(Reason, usize)>,
    /// Names of groups with the number of processes.
    pub groups: Vec<(String, usize)>,
    /// What the records lack, and how often.
    pub lacks: Vec<(Missing, usize)>,
    /// How far the recorded order is from the times of the events, in seconds.
    pub lag: Option<String>,
    /// The most events that are pairwise unordered.
    pub width: Option<usize>,
    /// How many cuts, as decimal digits.
    pub cuts: Option<String>,
    /// How many orders, as decimal digits.
    pub linearisations: Option<String>,
    /// Names with the number of distinct values.
    pub variables: Vec<(String, usize)>,
    /// One entry per variable with unordered writes.
    pub unordered: Option<Vec<Unordered>>,
    /// What the recorded order goes by, if there is one.
    pub recorded: Option<Recorded>,
    /// The first and the last time stamp.
    pub times: Option<[String; 2]>,
}

/// Something that took a while to find out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    /// How many edges.
    Edges(usize),
    /// Which writes are unordered.
    Unordered(Vec<Unordered>),
    /// The width.
    Width(usize),
    /// How many cuts.
    Cuts(String),
    /// How many orders.
    Linearisations(String),
}

impl About {
    /// A run of which only the name is known.
    #[must_use]
    pub fn unread(run: &str) -> Self {
        Self { run: run.to_owned(), ..Self::default() }
    }

    /// What costs next to nothing; [`count`] finds out the rest.
    #[must_use]
    pub fn new(run: &str, trace: &Trace) -> Self {
        let processes = trace.processes().map(|p| (trace.process_name(p).to_owned(), trace.chain(p).len())).collect();
        let mut pairs: Vec<(VarId, ValueId)> = trace.variables().map(|v| (v, trace.initial(v))).collect();
        pairs.extend(trace.events().flat_map(|e| trace.assignments(e)).map(|a| (a.var, a.value)));
        pairs.sort_unstable_by_key(|(var, value)| (var.raw(), value.raw()));
        pairs.dedup();
        let mut variables: Vec<(String, usize)> =
            trace.variables().map(|v| (trace.variable_name(v).to_owned(), 0)).collect();
        for (var, _) in pairs {
            variables[var.index()].1 += 1;
        }
        Self {
            processes,
            shape: Some(Shape::of(trace)),
            variables,
            recorded: recorded(trace),
            times: times(trace),
            reasons: trace.edges_by_reason().into_iter().filter(|_| trace.states_reasons()).collect(),
            contradicted: trace.contradicted(),
            groups: groups(trace),
            lacks: trace.lacks().iter().map(|lack| (lack.what, lack.count)).collect(),
            lag: trace.lag().map(ToString::to_string),
            ..Self::unread(run)
        }
    }

    /// Adds what was found out.
    pub fn learn(&mut self, fact: Fact) {
        match fact {
            Fact::Edges(n) => self.edges = Some(n),
            Fact::Unordered(all) => self.unordered = Some(all),
            Fact::Width(n) => self.width = Some(n),
            Fact::Cuts(n) => self.cuts = Some(n),
            Fact::Linearisations(n) => self.linearisations = Some(n),
        }
    }

    /// As an entry of `runs`.
    #[must_use]
    pub fn to_json(&self, warnings: Vec<Value>) -> Value {
        let names = |all: &Vec<Unordered>| all.iter().map(|writes| writes.variable.clone()).collect::<Vec<_>>();
        let counts = |counts: &[(Reason, usize)]| -> Value {
            counts.iter().map(|(reason, count)| (reason.word().to_owned(), json!(count))).collect()
        };
        let mut about = json!({
            "trace": self.run,
            "processes": self.shape.map(|shape| shape.processes),
            "events": self.shape.map(|shape| shape.events),
            "edges": self.edges,
            "width": self.width,
            "cuts": self.cuts,
            "linearisations": self.linearisations,
            "variables": self.shape.map(|_| self.variables.len()),
            "unordered_writes": self.unordered.as_ref().map(names),
            "observed": self.recorded.map(|recorded| match recorded {
                Recorded::Time => "time",
                Recorded::Lines => "lines",
            }),
            "orders": self.shape.map(Shape::orders),
            "warnings": warnings,
        });
        if !self.reasons.is_empty() {
            about["reasons"] = counts(&self.reasons);
        }
        if !self.contradicted.is_empty() {
            about["contradicted"] = counts(&self.contradicted);
        }
        if !self.groups.is_empty() {
            about["groups"] = self.groups.iter().map(|(name, count)| (name.clone(), json!(count))).collect();
        }
        if !self.lacks.is_empty() {
            about["incomplete"] =
                self.lacks.iter().map(|(what, count)| (what.word().to_owned(), json!(count))).collect();
        }
        if let Some(lag) = &self.lag {
            about["lag"] = json!(lag);
        }
        about
    }
}

/// The groups, by first mention, and how many processes each has.
fn groups(trace: &Trace) -> Vec<(String, usize)> {
    let mut groups: Vec<(String, usize)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for group in trace.processes().filter_map(|p| trace.group(p)) {
        let at = *places.entry(group).or_insert_with(|| {
            groups.push((group.to_owned(), 0));
            groups.len() - 1
        });
        groups[at].1 += 1;
    }
    groups
}

fn recorded(trace: &Trace) -> Option<Recorded> {
    let order = trace.observed()?;
    let times: Option<Vec<_>> = order.iter().map(|&e| trace.time(e)).collect();
    let by_time = trace.lag().is_some() || times.is_some_and(|t| !t.is_empty() && t.is_sorted());
    Some(if by_time { Recorded::Time } else { Recorded::Lines })
}

fn times(trace: &Trace) -> Option<[String; 2]> {
    let times = || trace.events().filter_map(|e| trace.time(e));
    Some([times().min()?.to_string(), times().max()?.to_string()])
}

/// What the records of a run lack, as warnings.
#[must_use]
pub fn lacking(lacks: &[Lack]) -> Vec<Diagnostic> {
    let told = |lack: &Lack| {
        let (one, many) = match lack.what {
            Missing::Parents => ("span names a parent", "spans name a parent"),
            Missing::Linked => ("span links to another", "spans link to others"),
            Missing::Dropped => ("record was dropped", "records were dropped"),
            Missing::Ends => ("operation has no end", "operations have no end"),
            Missing::Sends => ("message was received", "messages were received"),
            _ => ("record is missing", "records are missing"),
        };
        let rest = match lack.what {
            Missing::Parents => " that is not in the input",
            Missing::Linked if lack.count == 1 => " that is not in the input",
            Missing::Linked => " that are not in the input",
            Missing::Dropped => " by whoever recorded them",
            Missing::Sends => " and nobody sent it",
            _ => "",
        };
        let mut message = format!("{}{rest}", counted(lack.count as u64, one, many));
        if !lack.examples.is_empty() {
            let more = if lack.count > lack.examples.len() { ", …" } else { "" };
            let names: Vec<String> = lack.examples.iter().map(|name| format!("`{name}`")).collect();
            message.push_str(&format!(": {}{more}", names.join(", ")));
        }
        Diagnostic::new(Kind::Incomplete, message)
    };
    lacks.iter().map(told).collect()
}

/// What may not fit the limits, cheapest first; each fact is told as soon as it is known.
pub fn count(trace: &Trace, budget: &Budget, tell: &dyn Fn(Fact)) {
    if let Ok(clocks) = Clocks::compute(trace, budget) {
        if let Ok(edges) = reduced_edges(trace, &clocks, budget) {
            tell(Fact::Edges(edges.len()));
        }
        let variables: Vec<VarId> = trace.variables().collect();
        if let Ok(pairs) = unordered_writes(trace, &variables, &clocks, budget) {
            let place = |e| format!("`{}` ({})", trace.label(e), trace.whereabouts(e));
            let named = pairs.iter().map(|w| Unordered {
                variable: trace.variable_name(w.var).to_owned(),
                writes: [place(w.first), place(w.second)],
            });
            tell(Fact::Unordered(named.collect()));
        }
        if let Ok(width) = width(trace, &clocks, budget) {
            tell(Fact::Width(width));
        }
    }
    if let Ok(cuts) = count_cuts(trace, budget) {
        tell(Fact::Cuts(cuts.to_string()));
    }
    if let Ok(linearisations) = count_linearisations(trace, budget) {
        tell(Fact::Linearisations(linearisations.to_string()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paint::Paint;
    use crate::text;
    use std::cell::RefCell;

    fn about(run: &str) -> About {
        let budget = Budget::unlimited();
        let trace = posetta_formats::text::read(run.as_bytes(), &budget).unwrap();
        let about = RefCell::new(About::new("run", &trace));
        count(&trace, &budget, &|fact| about.borrow_mut().learn(fact));
        about.into_inner()
    }

    #[test]
    fn a_run_is_counted() {
        let object = about("A: x=1 -> y=1\nB: x=2\n").to_json(Vec::new());
        let expected = json!({
            "trace": "run", "processes": 2, "events": 3, "edges": 0, "width": 2, "cuts": "6", "linearisations": "3",
            "variables": 2, "unordered_writes": ["x"], "observed": null, "orders": "many", "warnings": [],
        });
        assert_eq!(object, expected);
    }

    #[test]
    fn what_is_not_known_is_said() {
        let unread = About::unread("-");
        assert_eq!(
            text::about([&unread], false, Paint::plain()),
            "standard input\n  a limit was reached before it was read\n"
        );
        let mut counted = about("A: x=1\n");
        counted.cuts = None;
        let told = text::about([&counted, &unread], true, Paint::plain());
        assert!(told.contains("  cuts             not known: it was interrupted first\n"), "{told}");
        assert!(told.contains("  linearisations   1 (orders that could have happened)\n"), "{told}");
        assert!(told.ends_with("\nstandard input\n  it was interrupted before it was read\n"), "{told}");
    }
}
