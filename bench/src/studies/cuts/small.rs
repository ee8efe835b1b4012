//! Row 5: a run with many processes and few cuts, on which going from cut to cut is best.

use super::{Setting, cuts, skipped};
use crate::check::{self, Asked, DIAGRAMS, EXPLICIT, Outcome, USUAL, Way};
use crate::lab::Lab;
use crate::study::{Sheet, Study};
use crate::traces::{self, Simulated};
use crate::workload::Judgement;

/// The row.
pub const STUDY: Study = Study {
    id: "cuts-small",
    row: 5,
    title: "few cuts in spite of many processes: Peterson for 10 processes, 1,500 events",
    target: "milliseconds: the choice of the engine must see it",
    run,
};

const RUN: Simulated = Simulated { model: "petn", processes: 10, events: 1_500 };

/// With `--quick`.
const SMALL: Simulated = Simulated { model: "petn", processes: 4, events: 100 };

const WAYS: [(&str, Way); 4] = [
    ("as it is", USUAL),
    ("explicit", EXPLICIT),
    ("diagrams", Way { engine: "diagrams", slice: true }),
    ("diagrams over all events", DIAGRAMS),
];

/// Milliseconds that deciding may take.
const FEW: f64 = 10.0;

fn run(lab: &Lab, times: u32) -> Result<Sheet, String> {
    let setting = match Setting::new(lab) {
        Ok(setting) => setting,
        Err(reason) => return Ok(skipped(&STUDY, &reason)),
    };
    let run = if lab.quick { SMALL } else { RUN };
    let json = setting.scripts.simulate(run, lab)?;
    let file = setting.scripts.lines(&json)?;
    let formula = traces::property(&json)?;
    let headings =
        vec!["way", "verdict", "engine", "explored", "whole ms", "whole least", "whole CPU ms", "deciding ms"];
    let mut sheet = Sheet { headings, ..Sheet::default() };
    let outcomes = check::decide(lab, &file, &WAYS.map(|(_, way)| Asked::ctl(lab, &formula, way)), times);
    let ms = |seconds: f64| format!("{:.2}", seconds * 1e3);
    for ((name, _), outcome) in WAYS.iter().zip(&outcomes) {
        let mut cells = vec![(*name).to_owned()];
        match outcome {
            Outcome::Decided(f) => {
                if !f.holds {
                    sheet.failures.push(format!("{name}: violated"));
                }
                cells.push(if f.holds { "holds" } else { "violated" }.to_owned());
                cells.extend([f.engine.clone(), f.explored.to_string()]);
                cells.extend([f.wall.median, f.wall.least, f.cpu.median, f.deciding].map(ms));
            }
            Outcome::Over(limit) => cells.push(format!("> {limit}")),
            Outcome::Failed(problem) => {
                sheet.failures.push(format!("{name}: {problem}"));
                cells.push("failed".to_owned());
            }
        }
        cells.resize(sheet.headings.len(), "-".to_owned());
        sheet.rows.push(cells);
    }
    let counted = cuts(lab, &file)?.unwrap_or_else(|| "not counted".to_owned());
    sheet.notes.push(format!("{} processes, {} events, cuts: {counted}", run.processes, run.events));
    if let Some(usual) = outcomes[0].figures().filter(|_| !lab.quick) {
        sheet.judgements.push(Judgement {
            text: format!("as it is: {} ms of deciding, {FEW} wanted", ms(usual.deciding)),
            met: usual.deciding * 1e3 <= FEW,
        });
    }
    Ok(sheet)
}
