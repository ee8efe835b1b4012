//! Row 12: time for each event as runs grow, at the paper's properties.

use super::search;
use crate::lab::Lab;
use crate::plot::Group;
use crate::search::{Asked, Kind};
use crate::simulate::Model;
use crate::stats::Spread;
use crate::study::{Sheet, Study};
use crate::workload::{Judgement, Role};

/// The row.
pub const STUDY: Study = Study {
    id: "scaling",
    row: 12,
    title: "time for each event from 10⁴ to 10⁶ events, 10⁷ with --full",
    target: "at most twice as much at one size as at another",
    run,
};

const MODELS: [(&str, u64); 3] = [("peterson", 2), ("abp", 2), ("philosophers", 10)];
const SIZES: [u64; 3] = [10_000, 100_000, 1_000_000];
const LARGEST: u64 = 10_000_000;

/// How far apart the figures may be.
const FLAT: f64 = 2.0;

fn run(lab: &Lab, times: u32) -> Result<Sheet, String> {
    if let Err(reason) = &lab.program {
        return Ok(Sheet::skipped(&format!("the program simulates the runs: {reason}")));
    }
    let headings = vec!["model", "events", "read ns/event", "search ns/event", "search / read", "conf.", "peak MB"];
    let mut sheet = Sheet { headings, ..Sheet::default() };
    let sizes: Vec<u64> = match (lab.quick, lab.full) {
        (true, _) => vec![1_000, 2_000],
        (_, true) => SIZES.into_iter().chain([LARGEST]).collect(),
        _ => SIZES.to_vec(),
    };
    let mut groups = Vec::new();
    for (workload, processes) in MODELS {
        let models: Vec<Model> =
            sizes.iter().map(|&n| Model { workload, processes, events: Some(n), seed: 1, faulty: false }).collect();
        let mut figures: Vec<Figures> = models.iter().map(|_| Figures::default()).collect();
        // All sizes in each round: a noisy machine is noisy for all.
        for _ in 0..times {
            for (model, figures) in models.iter().zip(&mut figures) {
                let facts = model.run(lab).map_err(|e| e.to_string())?;
                let spec = model.properties(lab).map_err(|e| e.to_string())?;
                let asked = Asked {
                    file: &facts.path,
                    spec: &spec,
                    branching: false,
                    engine: Kind::Symbolic,
                    slice: true,
                    limits: None,
                    alone: false,
                };
                let (output, run) = search(lab, &asked)?;
                let each = 1e9 / facts.events.max(1) as f64;
                figures.read.push(output.read * each);
                figures.search.push(output.found.iter().map(|f| f.seconds).fold(0.0, f64::max) * each);
                figures.memory.push(run.memory as f64 / 1e6);
                figures.configurations = output.found.iter().map(|f| f.configurations).max().unwrap_or(0);
                if let Some(wrong) = output.found.iter().find(|f| f.verdict != "holds") {
                    sheet.failures.push(format!("{workload} × {}: {} is {}", facts.events, wrong.name, wrong.verdict));
                }
            }
        }
        let mut medians = Vec::new();
        let mut bars = Vec::new();
        for (&size, figures) in sizes.iter().zip(figures) {
            let of = |values: &[f64]| Spread::of(values.iter().copied());
            let (Some(read), Some(search), Some(memory)) =
                (of(&figures.read), of(&figures.search), of(&figures.memory))
            else {
                continue;
            };
            let ratio = Spread::of(figures.search.iter().zip(&figures.read).map(|(s, r)| s / r.max(1e-9)));
            sheet.rows.push(vec![
                format!("{workload} {processes}"),
                size.to_string(),
                format!("{:.0}", read.median),
                format!("{:.0}", search.median),
                format!("{:.2}", ratio.map_or(0.0, |r| r.median)),
                figures.configurations.to_string(),
                format!("{:.1}", memory.median),
            ]);
            medians.push((read.median, search.median));
            bars.push((format!("read {}", power(size)), Role::Baseline, read));
            bars.push((format!("search {}", power(size)), Role::Ours, search));
        }
        groups.push(Group { heading: format!("{workload} with {processes} processes"), bars });
        // Small inputs measure how long a process takes to get going.
        if !lab.quick {
            sheet.judgements.push(flat(&format!("{workload}: search"), medians.iter().map(|m| m.1)));
            sheet.judgements.push(flat(&format!("{workload}: read + search"), medians.iter().map(|m| m.0 + m.1)));
        }
        for model in models.iter().filter(|m| m.events == Some(LARGEST)) {
            model.forget(lab);
        }
    }
    sheet.chart = Some(("scaling: nanoseconds of CPU for each event, less is better", groups));
    Ok(sheet)
}

#[derive(Default)]
struct Figures {
    read: Vec<f64>,
    search: Vec<f64>,
    memory: Vec<f64>,
    configurations: u64,
}

/// Whether the figures for each event are close together.
pub fn flat(what: &str, figures: impl Iterator<Item = f64>) -> Judgement {
    let apart = Spread::of(figures).map_or(1.0, |s| s.most / s.least.max(1e-9));
    Judgement {
        text: format!("{what}: {apart:.2} times as much for an event at one size as at another, at most {FLAT} wanted"),
        met: apart <= FLAT,
    }
}

/// A size in short.
pub fn power(size: u64) -> String {
    let exponent = size.ilog10();
    if size == 10u64.pow(exponent) { format!("1e{exponent}") } else { size.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flatness_is_most_against_least() {
        assert!(flat("x", [10.0, 20.0, 15.0].into_iter()).met);
        assert!(!flat("x", [10.0, 20.5, 15.0].into_iter()).met);
        assert_eq!([power(1_000_000), power(2_000)], ["1e6", "2000"]);
    }
}
