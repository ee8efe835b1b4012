//! `posetta info`.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use posetta_base::{Budget, Diagnostic, Error, Limit, OverBudget};
use posetta_tell::about::{About, count};
use posetta_tell::json::Schema;
use posetta_tell::text;
use serde_json::Value;

use crate::args::InfoArgs;
use crate::inputs;
use crate::limited::locked;
use crate::limits::{Interruption, Limits, Watchdog};
use crate::paint;
use crate::problem::{Problem, warning_json};
use crate::read::{NamedRun, Reading};
use crate::{carets, output, read, signals};

/// Counting may take longer than anybody wants to wait, so it has a limit even if none was given.
const PATIENCE: Duration = Duration::from_secs(10);

/// A run, and what is known about it.
#[derive(Clone, Debug)]
struct Run {
    about: About,
    /// It has mistakes, which are reported instead.
    invalid: bool,
    /// The file, and what is worth knowing about it.
    file: String,
    warnings: Vec<Diagnostic>,
}

#[derive(Debug, Default)]
struct Report {
    /// Whether all runs are known by name.
    listed: bool,
    /// By argument.
    runs: Vec<Vec<Run>>,
    problems: Vec<Problem>,
    /// What is being done, for whoever waits.
    doing: String,
}

impl Report {
    fn valid(&self) -> impl Iterator<Item = &Run> {
        self.runs.iter().flatten().filter(|run| !run.invalid)
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
    for run in report.valid() {
        let trace = Some(run.about.run.as_str()).filter(|&trace| trace != run.file);
        notes.extend(run.warnings.iter().map(|w| carets::warning(&run.file, trace, w, paint::stderr())));
    }
    notes.extend(report.problems.iter().map(|p| carets::error(p, paint::stderr())));
    output::note(&notes);
    let paint = paint::stdout();
    let text = match json {
        true => to_json(report),
        false => {
            let about = report.valid().map(|run| &run.about);
            output::whole(text::about(about, signals::cut_short(), paint), paint)
        }
    };
    let unread = report.valid().any(|run| run.about.shape.is_none());
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
        let unread = |name: String| Run {
            about: About::unread(&name),
            invalid: false,
            file: String::new(),
            warnings: Vec::new(),
        };
        report.runs = inputs.iter().map(|input| vec![unread(input.name())]).collect();
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
        let describe = |run: &NamedRun| Run {
            about: About::new(&run.name, &run.trace),
            invalid: false,
            file: file.clone(),
            warnings: run.warnings.clone(),
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
            count(&run.trace, &counting, &|fact| locked().runs[at][i].about.learn(fact));
            counting.stop_handle().raise(Limit::Cancelled);
            patience = patience.saturating_sub(begun.elapsed());
        }
    }
}

fn to_json(report: &Report) -> String {
    let entry = |run: &Run| run.about.to_json(run.warnings.iter().map(warning_json).collect());
    let runs: Vec<Value> = report.valid().map(entry).collect();
    let errors: Vec<Value> = report.problems.iter().map(Problem::to_json).collect();
    Schema::Info.lists(&[("runs", runs), ("errors", errors)], &[])
}
