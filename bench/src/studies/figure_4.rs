//! Figure 4 of Genon, Massart, Meuter 2006: independent processes, whose cuts are exponentially many and whose configurations
//! are not.

use std::path::{Path, PathBuf};
use std::{fs, io};

use super::search;
use crate::lab::Lab;
use crate::plot::Group;
use crate::search::{Asked, Found, Kind};
use crate::simulate::Model;
use crate::stats::Spread;
use crate::study::{Sheet, Study, seconds};
use crate::workload::Role;

/// The family of the figure.
pub const STUDY: Study = Study {
    id: "figure-4",
    row: 1,
    title: "Figure 4 of Genon, Massart, Meuter 2006: k independent processes",
    target: "at most one configuration for an event, and one (17 for 8, as in the paper)",
    run,
};

/// The property as a monitor.
const MONITOR: &str = "in_turn_monitor";

const PROCESSES: [u64; 5] = [8, 16, 32, 100, 1_000];

/// For the engines that go cut by cut, which have 3 to the power of k cuts before them, and for the algorithm as printed.
const LIMITS: (u64, u64) = (20, 1_000_000_000);

const HEADINGS: [&str; 15] = [
    "processes",
    "events",
    "cuts",
    "as it is: conf.",
    "wanted",
    "s",
    "to the end: conf.",
    "wanted to the end",
    "s to the end",
    "explicit s",
    "explicit conf.",
    "por s",
    "por conf.",
    "as printed s",
    "as printed conf.",
];

/// The run with one more event: the assignment that the property waits for, by the first process. No edge is added, so it is
/// unordered with what the other processes do.
fn with_the_last(lab: &Lab, run: &Path, processes: u64) -> io::Result<PathBuf> {
    let path = lab.data.join(format!("figure-4-{processes}-to-the-end.jsonl"));
    let mut text = fs::read_to_string(run)?;
    text.push_str("{\"process\":\"P0\",\"set\":{\"x0\":3}}\n");
    fs::write(&path, text)?;
    Ok(path)
}

fn run(lab: &Lab, times: u32) -> Result<Sheet, String> {
    if let Err(reason) = &lab.program {
        return Ok(Sheet::skipped(&format!("the program simulates the runs: {reason}")));
    }
    let mut sheet = Sheet { headings: HEADINGS.to_vec(), ..Sheet::default() };
    let mut bars = Vec::new();
    for processes in PROCESSES.into_iter().filter(|&k| !lab.quick || k <= 8) {
        let model = Model { workload: "fig4", processes, events: None, seed: 1, faulty: false };
        let facts = model.run(lab).map_err(|e| e.to_string())?;
        let spec = match model.properties(lab) {
            Ok(spec) => spec,
            Err(reason) => {
                sheet.notes.push(format!("{processes} processes: left out: {reason}"));
                continue;
            }
        };
        let further = with_the_last(lab, &facts.path, processes).map_err(|e| e.to_string())?;
        let asked = |file, engine| Asked {
            file,
            spec: &spec,
            branching: false,
            engine,
            slice: true,
            limits: (engine != Kind::Symbolic).then_some(LIMITS),
            alone: false,
        };
        let mut cells = Vec::new();
        let runs = [(&facts.path, "holds", 2 * processes + 1), (&further, "violated", 2 * processes + 2)];
        for (file, verdict, wanted) in runs {
            let (mut took, mut configurations) = (Vec::new(), 0);
            for _ in 0..times {
                let found = search(lab, &asked(file, Kind::Symbolic))?.0.found;
                if found.is_empty() {
                    sheet.failures.push(format!("{processes} processes: no linear property"));
                }
                for wrong in found.iter().filter(|f| f.verdict != verdict) {
                    sheet.failures.push(format!("{processes} processes: {} is {}", wrong.name, wrong.verdict));
                }
                // The property may be written as a formula and as a monitor: the worse one counts.
                configurations = found.iter().map(|f| f.configurations).max().unwrap_or(0);
                took.push(found.iter().map(|f| f.seconds).fold(0.0, f64::max));
            }
            if configurations > wanted {
                sheet.failures.push(format!("{processes} processes: {configurations} configurations, {wanted} wanted"));
            }
            let took = Spread::of(took).map_or("-".to_owned(), |s| seconds(s.median));
            cells.extend([configurations.to_string(), wanted.to_string(), took]);
            if verdict == "violated" {
                let figure = Spread::of([configurations as f64 / processes as f64]);
                bars.extend(figure.map(|s| (format!("k = {processes}"), Role::Ours, s)));
            }
        }
        let mut others = Vec::new();
        for (engine, name) in [(Kind::Explicit, "explicit"), (Kind::Por, "por"), (Kind::Paper, "as printed")] {
            // More is hopeless cut by cut: 3 to the power of 16 cuts are 43 million.
            let found = match engine == Kind::Paper || processes <= 16 {
                true => search(lab, &asked(&facts.path, engine))?.0.found,
                false => Vec::new(),
            };
            // The paper's property is a monitor.
            let is_asked = |f: &&Found| engine != Kind::Paper || f.name == MONITOR;
            let found = found.iter().filter(is_asked).find(|f| f.verdict != "unknown").cloned();
            if let Some(wrong) = found.as_ref().filter(|f| f.verdict != "holds") {
                sheet.failures.push(format!("{processes} processes, {name}: {} is {}", wrong.name, wrong.verdict));
            }
            if let Some(f) = found.as_ref().filter(|f| engine == Kind::Paper && f.configurations != 2 * processes + 1) {
                sheet.failures.push(format!(
                    "{processes} processes, {name}: {} configurations, {} in the paper",
                    f.configurations,
                    2 * processes + 1
                ));
            }
            others.push(found);
        }
        let cuts = 3u64.checked_pow(processes as u32).map_or(format!("3^{processes}"), |n| n.to_string());
        let dash = || "-".to_owned();
        let mut row = vec![processes.to_string(), facts.events.to_string(), cuts];
        row.extend(cells);
        for other in &others {
            row.push(other.as_ref().map_or_else(dash, |f| seconds(f.seconds)));
            row.push(other.as_ref().map_or_else(dash, |f| f.configurations.to_string()));
        }
        sheet.rows.push(row);
    }
    sheet.notes.push("as it is: the assignment that the property waits for never comes.".to_owned());
    sheet
        .notes
        .push("to the end: it comes, in one more event, so a search has to follow all assignments in turn.".to_owned());
    sheet.notes.push(
        "explicit, por (cut by cut with partial-order reduction) and as printed (the paper's algorithm 1 with the monitor): as it is. Por \
         sees beforehand that the assignment never comes, so all events are invisible."
            .to_owned(),
    );
    sheet.notes.push(format!("-: past {} s or {} GB, or not tried", LIMITS.0, LIMITS.1 / 1_000_000_000));
    sheet.chart = Some((
        "figure 4, to the end: configurations for each process",
        vec![Group { heading: STUDY.title.to_owned(), bars }],
    ));
    Ok(sheet)
}
