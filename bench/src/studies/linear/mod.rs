//! Linear properties over all orders of a run, beside the same question in CTL over its cuts.
//!
//! Both are whole processes of the program as it is, with nothing asked beyond the verdict. [`Table::ask`] makes one row; a
//! linear property may take as much as its branching twin, and some more for taking turns. Start at [`rows`].

mod property;
mod protocols;
pub mod rows;
mod run;
pub mod workloads;

use std::path::Path;
use std::time::Duration;

use crate::check::{self, Asked, Figures, MEMORY, Outcome, USUAL};
use crate::lab::Lab;
use crate::study::{Sheet, seconds};
use crate::workload::Judgement;
use property::Property;

/// A formula has at most so long, by the clock.
const LIMIT: Duration = Duration::from_secs(60);

/// An answer may cost about three times the work of the better engine.
const TIMES: f64 = 3.0;

/// Seconds that tell nothing: a process takes a few milliseconds to get going.
const TICKS: f64 = 0.01;

const HEADINGS: [&str; 11] = [
    "run",
    "events",
    "property",
    "verdict",
    "engine",
    "CPU s",
    "peak MB",
    "CTL CPU s",
    "CTL peak MB",
    "CTL engine",
    "LTL / CTL",
];

/// A sheet of rows, and what is to be said about all of them.
struct Table<'a> {
    lab: &'a Lab,
    times: u32,
    /// Whether a property without an answer is a failure.
    strict: bool,
    sheet: Sheet,
    unknown: Vec<String>,
    /// Rows with two answers, and those on which CTL is so many times as fast.
    compared: usize,
    slower: Vec<String>,
}

impl<'a> Table<'a> {
    fn new(lab: &'a Lab, times: u32, strict: bool) -> Self {
        let sheet = Sheet { headings: HEADINGS.to_vec(), ..Sheet::default() };
        Self { lab, times, strict, sheet, unknown: Vec::new(), compared: 0, slower: Vec::new() }
    }

    /// Whether a run of so many events is wanted.
    fn takes(&self, events: u64) -> bool {
        events <= self.lab.at_most()
    }

    fn limit(&self) -> Duration {
        LIMIT.min(self.lab.limit)
    }

    /// Makes the row of a property.
    fn ask(&mut self, run: &str, events: u64, file: &Path, property: &Property) {
        let Property { name, logic, formula, events: over_events, ctl, known } = property;
        let limit = self.limit();
        let linear = Asked { logic, formula, events: *over_events, verdict_only: true, way: USUAL, limit };
        let branching = ctl.as_ref().map(|f| Asked { verdict_only: true, limit, ..Asked::ctl(self.lab, f, USUAL) });
        let asked: Vec<Asked<'_>> = [linear].into_iter().chain(branching).collect();
        let mut outcomes = check::decide(self.lab, file, &asked, self.times).into_iter();
        let (linear, branching) = (outcomes.next(), outcomes.next());
        let title = format!("{run} × {events}: {name}");
        for (who, outcome) in [("LTL", &linear), ("CTL", &branching)] {
            match outcome {
                Some(Outcome::Failed(problem)) => self.sheet.failures.push(format!("{title}: {problem}")),
                Some(Outcome::Over(reached)) if who == "LTL" => {
                    self.unknown.push(format!("{title} ({reached})"));
                    if self.strict {
                        self.sheet.failures.push(format!("{title}: unknown, the limit of {reached} was reached"));
                    }
                }
                _ => {}
            }
        }
        let figures = |outcome: &Option<Outcome>| outcome.as_ref().and_then(Outcome::figures).cloned();
        let (ours, theirs) = (figures(&linear), figures(&branching));
        let answers = [("LTL", ours.as_ref()), ("CTL", theirs.as_ref())];
        for (who, holds) in answers.iter().filter_map(|(who, f)| f.map(|f| (who, f.holds))) {
            if known.is_some_and(|known| known != holds) {
                self.sheet.failures.push(format!("{title}: {who} says {}, which is wrong", verdict(holds)));
            }
        }
        let mut ratio = "-".to_owned();
        if let (Some(ours), Some(theirs)) = (&ours, &theirs) {
            if ours.holds != theirs.holds {
                let (ours, theirs) = (verdict(ours.holds), verdict(theirs.holds));
                self.sheet.failures.push(format!("{title}: LTL says {ours}, CTL says {theirs}"));
            }
            self.compared += 1;
            let (ours, theirs) = (ours.cpu.median, theirs.cpu.median);
            ratio = format!("{:.2}", ours / theirs.max(1e-6));
            if ours > TIMES * theirs + TICKS {
                self.slower.push(format!("{title} ({ratio})"));
            }
        }
        if ours.is_none() && theirs.is_some() {
            self.compared += 1;
            self.slower.push(format!("{title} (no answer)"));
            ratio = "lost".to_owned();
        }
        let cell = |figures: &Option<Figures>, outcome: &Option<Outcome>| match (figures, outcome) {
            (Some(f), _) => [seconds(f.cpu.median), format!("{:.1}", f.memory.median / 1e6), f.engine.clone()],
            (None, Some(Outcome::Over(reached))) => {
                let time = limit.as_secs().to_string();
                let what = if reached == "time" { &time } else { reached };
                [format!("> {what}"), "-".to_owned(), "-".to_owned()]
            }
            (None, Some(_)) => ["failed", "-", "-"].map(str::to_owned),
            (None, None) => ["-"; 3].map(str::to_owned),
        };
        // What the recorded order shows needs no search.
        let needs_none =
            |f: &Figures| !f.holds && f.explored == 0 && !["intervals", "sums"].contains(&f.engine.as_str());
        let observed = ours.as_ref().is_some_and(needs_none);
        let said = ours.as_ref().map_or("unknown", |f| verdict(f.holds)).to_owned();
        let [cpu, memory, mut engine] = cell(&ours, &linear);
        if observed {
            engine = "recorded order".to_owned();
        }
        let [ctl_cpu, ctl_memory, ctl_engine] = cell(&theirs, &branching);
        self.sheet.rows.push(vec![
            run.to_owned(),
            events.to_string(),
            name.clone(),
            said,
            engine,
            cpu,
            memory,
            ctl_cpu,
            ctl_memory,
            ctl_engine,
            ratio,
        ]);
    }

    /// The sheet, with what is to be said about all rows.
    fn finish(mut self) -> Sheet {
        let limit = self.limit().as_secs();
        self.sheet.notes.push(format!(
            "CPU seconds of whole processes, the middle one of the runs; limits: {limit} s and {MEMORY} GB"
        ));
        if !self.unknown.is_empty() {
            self.sheet.notes.push(format!("unknown: {}", self.unknown.join("; ")));
        }
        // Small inputs measure how long a process takes to get going.
        if !self.lab.quick && self.compared > 0 {
            let within = self.compared - self.slower.len();
            let mut text = format!("LTL: at most {TIMES} times CTL on {within} of {} rows", self.compared);
            if !self.slower.is_empty() {
                text += &format!("; not on {}", self.slower.join("; "));
            }
            self.sheet.judgements.push(Judgement { text, met: self.slower.is_empty() });
        }
        if !self.lab.quick {
            let rows = self.sheet.rows.len();
            let text = format!("{} of {rows} rows answered", rows - self.unknown.len());
            self.sheet.judgements.push(Judgement { text, met: self.unknown.is_empty() });
        }
        self.sheet
    }
}

fn verdict(holds: bool) -> &'static str {
    if holds { "holds" } else { "violated" }
}
