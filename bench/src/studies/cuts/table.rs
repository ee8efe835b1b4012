//! Row 3: table 1 of Kalyon, Massart, Meuter, Van Begin 2007 (paper 001, section 6), and longer runs on which NuSMV was measured
//! before.
//!
//! The paper's runs are not known; these are of the same protocols and sizes, with the paper's properties. Its figures are quoted.

use super::{COMPARISON, Setting, bars, comparison, faster, skipped, times};
use crate::lab::Lab;
use crate::plot::Group;
use crate::study::{Sheet, Study};
use crate::traces::Simulated;

/// The table.
pub const STUDY: Study = Study {
    id: "cuts-table",
    row: 3,
    title: "Table 1 of Kalyon, Massart, Meuter, Van Begin 2007: CTL, theirs, NuSMV's and ours",
    target: "verdicts agree; 100 times faster than NuSMV, 10 times by diagrams over all events",
    run,
};

/// How many times faster than NuSMV: as it is, and by diagrams over all events.
const TARGETS: [f64; 2] = [100.0, 10.0];

/// Past the paper's limit of ten minutes.
const OVER: Option<f64> = Some(f64::INFINITY);

/// A model in the paper and in the scripts, processes, events, and the paper's seconds for its method and NuSMV, if it is in the paper.
type Theirs = (&'static str, &'static str, u64, u64, Option<f64>, Option<f64>);

#[rustfmt::skip]
const ROWS: [Theirs; 31] = [
    ("Pet", "pet", 2, 2_000, Some(0.46), Some(349.57)),
    ("Pet", "pet", 2, 5_000, Some(7.53), OVER),
    ("Pet", "pet", 2, 15_000, Some(189.65), OVER),
    ("Pet", "pet", 2, 30_000, None, None),
    ("PetN", "petn", 2, 2_000, Some(0.20), Some(294.46)),
    ("PetN", "petn", 2, 5_000, Some(6.44), OVER),
    ("PetN", "petn", 2, 20_000, Some(390.90), OVER),
    ("PetN", "petn", 5, 1_000, Some(2.04), Some(13.74)),
    ("PetN", "petn", 5, 1_500, Some(6.82), OVER),
    ("PetN", "petn", 5, 5_000, Some(176.62), OVER),
    ("PetN", "petn", 10, 800, None, None),
    ("PetN", "petn", 10, 1_500, Some(7.53), Some(150.23)),
    ("PetN", "petn", 10, 2_000, Some(27.01), OVER),
    ("PetN", "petn", 10, 5_000, Some(147.89), OVER),
    ("ABP", "abp", 2, 1_000, Some(13.60), Some(297.28)),
    ("ABP", "abp", 2, 2_000, Some(27.56), OVER),
    ("ABP", "abp", 2, 5_000, Some(257.29), OVER),
    ("ABP", "abp", 2, 20_000, None, None),
    ("Phil", "phil", 3, 100, Some(0.15), Some(6.36)),
    ("Phil", "phil", 3, 200, Some(1.11), OVER),
    ("Phil", "phil", 3, 2_000, Some(366.22), OVER),
    ("Phil", "phil", 3, 10_000, None, None),
    ("Phil", "phil", 5, 100, Some(0.25), OVER),
    ("Phil", "phil", 5, 200, Some(27.05), OVER),
    ("Phil", "phil", 5, 500, Some(125.56), OVER),
    ("Phil", "phil", 5, 5_000, None, None),
    ("Phil", "phil", 10, 100, Some(1.67), OVER),
    ("Phil", "phil", 10, 200, Some(26.94), OVER),
    ("Phil", "phil", 10, 500, OVER, OVER),
    ("Phil", "phil", 10, 2_000, None, None),
    ("Phil", "phil", 20, 200, None, None),
];

/// With `--quick` the rows with few processes, and so many events at most.
const QUICK: (u64, u64) = (5, 60);

fn run(lab: &Lab, rounds: u32) -> Result<Sheet, String> {
    let mut setting = match Setting::new(lab) {
        Ok(setting) => setting,
        Err(reason) => return Ok(skipped(&STUDY, &reason)),
    };
    let mut headings = vec!["model", "processes", "events", "cuts", "paper IST s", "paper NuSMV s"];
    headings.extend(COMPARISON);
    headings.extend(["IST here s", "IST here CPU s"]);
    let mut sheet = Sheet { headings, ..Sheet::default() };
    let (mut usual, mut diagrams) = (Vec::new(), Vec::new());
    let mut groups: Vec<Group> = Vec::new();
    for (model, script, processes, events, ist, nusmv) in rows(lab) {
        let name = format!("{model} {processes} × {events}");
        let row = match setting.measure(Simulated { model: script, processes, events }, None, rounds) {
            Ok(row) => row,
            Err(problem) => {
                sheet.failures.push(format!("{name}: {problem}"));
                continue;
            }
        };
        sheet.failures.extend(row.failures.iter().map(|f| format!("{name}: {f}")));
        let mut cells = vec![model.to_owned(), processes.to_string(), events.to_string()];
        cells.push(row.cuts.clone().unwrap_or_else(|| "-".to_owned()));
        cells.extend([ist, nusmv].map(theirs));
        let (compared, ratios) = comparison(&row, lab.limit);
        cells.extend(compared);
        cells.extend(row.ist.cells(|f| {
            let [wall, _, cpu] = times(f);
            [wall, cpu]
        }));
        sheet.rows.push(cells);
        usual.push((name.clone(), ratios[0]));
        diagrams.push((name, ratios[1]));
        let bars = bars(&format!("{processes} × {events}"), &row);
        match groups.last_mut().filter(|g| g.heading == model) {
            Some(group) => group.bars.extend(bars),
            None => groups.push(Group { heading: model.to_owned(), bars }),
        }
    }
    sheet.notes = setting.notes();
    sheet.notes.push("paper: seconds of 2007, quoted; > 600 is more than its ten minutes".to_owned());
    sheet.notes.push(match lab.peers {
        true => "IST here: the paper's method in this program, over all events, once".to_owned(),
        false => "IST here: the paper's method in this program; it runs only with --peers".to_owned(),
    });
    // Small inputs measure how long a process takes to start.
    if !lab.quick {
        sheet.judgements.extend(faster("as it is", TARGETS[0], &usual));
        sheet.judgements.extend(faster("diagrams over all events", TARGETS[1], &diagrams));
    }
    sheet.chart = Some(("CTL over cuts: CPU seconds of whole processes, less is better", groups));
    Ok(sheet)
}

fn rows(lab: &Lab) -> Vec<Theirs> {
    let mut rows: Vec<Theirs> = ROWS.to_vec();
    if lab.quick {
        // The paper's figures are not of such runs.
        rows.iter_mut().for_each(|row| *row = (row.0, row.1, row.2, row.3.min(QUICK.1), None, None));
        rows.retain(|row| row.2 <= QUICK.0);
        rows.dedup_by_key(|row| (row.1, row.2));
    }
    rows.retain(|row| row.3 <= lab.at_most());
    rows
}

fn theirs(figure: Option<f64>) -> String {
    match figure {
        None => "-".to_owned(),
        OVER => "> 600".to_owned(),
        Some(s) => format!("{s:.2}"),
    }
}
