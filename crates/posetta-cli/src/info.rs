//! `posetta info`.

use std::fmt::Write;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use posetta_base::{Budget, Diagnostic, Error, Limit, OverBudget, ValueId, VarId};
use posetta_tell::checked::Shape;
use posetta_tell::json::Schema;
use posetta_tell::page::wrap;
use posetta_tell::text;
use posetta_trace::{
    Clocks, Direction, Trace, count_cuts, count_linearisations, reduced_edges, unordered_writes, width,
};
use serde_json::{Value, json};

use crate::amounts::{counted, grouped, readable};
use crate::args::InfoArgs;
use crate::inputs;
use crate::limited::locked;
use crate::limits::{Interruption, Limits, Watchdog};
use crate::paint::{self, Paint, clean};
use crate::problem::{Problem, warning_json};
use crate::read::{NamedRun, Reading};
use crate::{carets, output, read, signals};

/// Counting may take longer than anybody wants to wait, so it has a limit even if none was given.
const PATIENCE: Duration = Duration::from_secs(10);

/// The columns of the titles.
const TITLE: usize = 15;

/// What is known about a run. A field is empty while, or because, its limit was reached first.
#[derive(Clone, Debug, Default)]
struct Facts {
    trace: String,
    /// It has mistakes, which are reported instead.
    invalid: bool,
    processes: Vec<(String, usize)>,
    shape: Option<Shape>,
    edges: Option<usize>,
    width: Option<usize>,
    cuts: Option<String>,
    linearisations: Option<String>,
    /// Names with the number of distinct values.
    variables: Vec<(String, usize)>,
    /// A sentence per variable with unordered writes.
    unordered: Option<Vec<(String, String)>>,
    observed: Option<&'static str>,
    times: Option<(String, String)>,
    /// The file, and what is worth knowing about it.
    file: String,
    warnings: Vec<Diagnostic>,
}

/// Something that took a while to find out.
enum Fact {
    Edges(usize),
    Unordered(Vec<(String, String)>),
    Width(usize),
    Cuts(String),
    Linearisations(String),
}

impl Facts {
    fn learn(&mut self, fact: Fact) {
        match fact {
            Fact::Edges(n) => self.edges = Some(n),
            Fact::Unordered(all) => self.unordered = Some(all),
            Fact::Width(n) => self.width = Some(n),
            Fact::Cuts(n) => self.cuts = Some(n),
            Fact::Linearisations(n) => self.linearisations = Some(n),
        }
    }
}

#[derive(Debug, Default)]
struct Report {
    /// Whether all runs are known by name.
    listed: bool,
    /// By argument.
    runs: Vec<Vec<Facts>>,
    problems: Vec<Problem>,
    /// What is being done, for whoever waits.
    doing: String,
}

impl Report {
    fn valid(&self) -> impl Iterator<Item = &Facts> {
        self.runs.iter().flatten().filter(|facts| !facts.invalid)
    }
}

/// Runs the command and answers with the exit status.
pub fn run(args: &InfoArgs, started: Instant) -> u8 {
    let limits = Limits::new(started, args.timeout, args.memory.memory);
    let budget = Budget::with_memory(limits.memory);
    let report = Arc::new(Mutex::new(Report::default()));
    let json = args.json;
    let watchdog = {
        let (report, shown) = (Arc::clone(&report), Arc::clone(&report));
        let told = move || locked(&shown).doing.clone().into();
        Watchdog::start(limits, budget.stop_handle(), Interruption::Stops, told, move |limit| {
            let report = locked(&report);
            if !report.listed {
                output::note(&text::stopped(OverBudget::new("finding the runs", limit), paint::stderr()));
            }
            let status = deliver(&report, json);
            if status == 0 && !report.listed { 3 } else { status }
        })
    };
    gather(args, limits, &report, &budget, &watchdog);
    watchdog.finish();
    let report = locked(&report);
    deliver(&report, json)
}

fn deliver(report: &Report, json: bool) -> u8 {
    let mut notes = String::new();
    for facts in report.valid() {
        let trace = Some(facts.trace.as_str()).filter(|&trace| trace != facts.file);
        notes.extend(facts.warnings.iter().map(|w| carets::warning(&facts.file, trace, w, paint::stderr())));
    }
    notes.extend(report.problems.iter().map(|p| carets::error(p, paint::stderr())));
    output::note(&notes);
    let paint = paint::stdout();
    let text = if json { to_json(report) } else { output::whole(to_text(report, paint), paint) };
    let unread = report.valid().any(|facts| facts.shape.is_none());
    match (output::print(&text), report.problems.is_empty()) {
        (true, true) if unread => 3,
        (true, true) => 0,
        _ => 2,
    }
}

fn gather(args: &InfoArgs, limits: Limits, report: &Mutex<Report>, budget: &Budget, watchdog: &Watchdog) {
    let locked = || locked(report);
    locked().doing.push_str("finding the runs");
    let reading = match Reading::new(&args.input) {
        Ok(reading) => reading,
        Err(problem) => {
            let mut report = locked();
            report.problems.push(*problem);
            report.listed = true;
            return;
        }
    };
    let (inputs, problems) = inputs::expand(&args.runs, args.join.join, &reading, &args.root);
    {
        let mut report = locked();
        report.problems = problems;
        report.runs = inputs.iter().map(|input| vec![Facts { trace: input.name(), ..Facts::default() }]).collect();
        report.listed = true;
    }
    let mut patience = PATIENCE;
    for (done, at) in inputs::reading_order(&inputs).into_iter().enumerate() {
        let file = inputs[at].file();
        locked().doing = format!("reading {}", inputs[at].name());
        let runs = match read::runs(&inputs[at], &reading, budget) {
            Ok(runs) => runs,
            Err(Error::OverBudget(_)) => continue,
            Err(error) => {
                let mut report = locked();
                report.problems.extend(error.diagnostics().iter().map(|d| Problem::in_run(&file, d.clone())));
                report.runs[at][0].invalid = true;
                continue;
            }
        };
        let others = (inputs.len() - done - 1).saturating_add(runs.len());
        let describe = |run: &NamedRun| Facts {
            file: file.clone(),
            warnings: run.warnings.clone(),
            ..describe(&run.name, &run.trace)
        };
        locked().runs[at] = runs.iter().map(describe).collect();
        for (i, run) in runs.iter().enumerate() {
            locked().doing = format!("counting the orders of {}", run.name);
            let begun = Instant::now();
            let left = limits.deadline.map_or(patience, |d| d.saturating_duration_since(begun));
            // The runs share the time for counting, so that a hopeless one does not starve those after it.
            let share = left / u32::try_from(others - i).unwrap_or(u32::MAX);
            let counting = Budget::with_memory(limits.memory);
            watchdog.alarm(begun + share, counting.stop_handle());
            count(&run.trace, &counting, &|fact| locked().runs[at][i].learn(fact));
            counting.stop_handle().raise(Limit::Cancelled);
            patience = patience.saturating_sub(begun.elapsed());
        }
    }
}

/// What costs next to nothing.
fn describe(name: &str, trace: &Trace) -> Facts {
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
    Facts {
        trace: name.to_owned(),
        processes,
        shape: Some(Shape::of(trace)),
        variables,
        observed: observed(trace),
        times: times(trace),
        ..Facts::default()
    }
}

/// By what the events were put into the recorded order.
fn observed(trace: &Trace) -> Option<&'static str> {
    let order = trace.observed()?;
    let times: Option<Vec<_>> = order.iter().map(|&e| trace.time(e)).collect();
    let by_time = times.is_some_and(|t| !t.is_empty() && t.is_sorted());
    Some(if by_time { "time" } else { "lines" })
}

fn times(trace: &Trace) -> Option<(String, String)> {
    let times = || trace.events().filter_map(|e| trace.time(e));
    Some((times().min()?.to_string(), times().max()?.to_string()))
}

/// What may not fit the limits, cheapest first; each fact is told as soon as it is known.
fn count(trace: &Trace, budget: &Budget, tell: &dyn Fn(Fact)) {
    if let Ok(clocks) = Clocks::compute(trace, Direction::Forward, budget) {
        if let Ok(edges) = reduced_edges(trace, &clocks, budget) {
            tell(Fact::Edges(edges.len()));
        }
        let variables: Vec<VarId> = trace.variables().collect();
        if let Ok(pairs) = unordered_writes(trace, &variables, &clocks, budget) {
            let place = |e| format!("`{}` ({})", trace.label(e), trace.whereabouts(e));
            let named = pairs.iter().map(|w| {
                (trace.variable_name(w.var).to_owned(), format!("{} and {}", place(w.first), place(w.second)))
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

fn to_json(report: &Report) -> String {
    let runs: Vec<Value> = report
        .valid()
        .map(|f| {
            json!({
                "trace": f.trace,
                "processes": f.shape.map(|shape| shape.processes),
                "events": f.shape.map(|shape| shape.events),
                "edges": f.edges,
                "width": f.width,
                "cuts": f.cuts,
                "linearisations": f.linearisations,
                "variables": f.shape.map(|_| f.variables.len()),
                "unordered_writes": f.unordered.as_ref().map(|u| u.iter().map(|(name, _)| name).collect::<Vec<_>>()),
                "observed": f.observed,
                "orders": f.shape.map(Shape::orders),
                "warnings": f.warnings.iter().map(warning_json).collect::<Vec<_>>(),
            })
        })
        .collect();
    let errors: Vec<Value> = report.problems.iter().map(Problem::to_json).collect();
    Schema::Info.lists(&[("runs", runs), ("errors", errors)], &[])
}

fn to_text(report: &Report, paint: Paint) -> String {
    let mut out = String::new();
    for (i, facts) in report.valid().enumerate() {
        if i > 0 {
            out.push('\n');
        }
        let name = if facts.trace == "-" { "standard input".into() } else { clean(&facts.trace) };
        let _ = writeln!(out, "{}", paint.bold(&name));
        let Some(shape) = facts.shape else {
            let _ = writeln!(out, "  {}", paint.yellow(&format!("{} before it was read", stopped())));
            continue;
        };
        for (what, value) in rows(facts, shape) {
            let line = format!("  {}  {value}", paint.dim(&format!("{what:<TITLE$}")));
            for line in wrap(&line, paint.width, TITLE + 4) {
                let _ = writeln!(out, "{line}");
            }
        }
    }
    out
}

/// What left something open.
fn stopped() -> &'static str {
    if signals::cut_short() { "it was interrupted" } else { "a limit was reached" }
}

fn rows(facts: &Facts, shape: Shape) -> Vec<(&'static str, String)> {
    let open = || format!("not known: {} first", stopped());
    let size = |n: usize| grouped(n as u64);
    let number = |n: Option<usize>, what: &str| n.map_or_else(open, |n| format!("{} {what}", size(n)));
    let big = |n: &Option<String>, what: &str| {
        n.as_deref().map_or_else(open, |digits| format!("{} {what}", readable(digits)))
    };
    let listed = |all: &[(String, usize)], one: &str, many: &str| {
        let mut parts: Vec<String> = all
            .iter()
            .take(8)
            .map(|(name, n)| format!("{} ({})", clean(name), counted(*n as u64, one, many)))
            .collect();
        if all.len() > 8 {
            parts.push(format!("and {} more", size(all.len() - 8)));
        }
        if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) }
    };
    let mut rows = vec![
        ("processes", format!("{}{}", size(facts.processes.len()), listed(&facts.processes, "event", "events"))),
        ("events", size(shape.events)),
        ("edges", number(facts.edges, "between processes, implied ones left out")),
        ("width", number(facts.width, "(the most events that are pairwise unordered)")),
        ("cuts", big(&facts.cuts, "(global states that could have occurred)")),
        ("linearisations", big(&facts.linearisations, "(orders that could have happened)")),
        ("variables", format!("{}{}", size(facts.variables.len()), listed(&facts.variables, "value", "values"))),
    ];
    for (name, writes) in facts.unordered.iter().flatten() {
        rows.push(("unordered", format!("writes to {}, such as {}", clean(name), clean(writes))));
    }
    rows.push((
        "recorded order",
        match facts.observed {
            _ if shape.one_order => "the only one: this format has no other".to_owned(),
            Some("time") => "by time stamp".to_owned(),
            Some(_) => "by line".to_owned(),
            None => "none".to_owned(),
        },
    ));
    if let Some((from, to)) = &facts.times {
        rows.push(("time", format!("{from} to {to}")));
    }
    rows
}
