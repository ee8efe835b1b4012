//! Row 12 for CTL: time for each event as runs grow, at the properties of the second paper. The runs are `posetta gen`'s.

use crate::check::MEMORY;
use crate::lab::Lab;
use crate::plot::Group;
use crate::search::{Asked, Kind};
use crate::simulate::Model;
use crate::stats::Spread;
use crate::studies::{flat, power, search};
use crate::study::{Sheet, Study};
use crate::workload::{Judgement, Role};

/// The row.
pub const STUDY: Study = Study {
    id: "cuts-scaling",
    row: 12,
    title: "CTL: time for each event from 10⁴ to 10⁶ events; 10 philosophers with 10⁵",
    target: "at most twice as much at one size as at another; the philosophers answered",
    run,
};

/// Models, processes and sizes.
const MODELS: [(&str, u64, &[u64]); 3] = [
    ("peterson", 2, &[10_000, 100_000, 1_000_000]),
    ("abp", 2, &[10_000, 100_000, 1_000_000]),
    ("philosophers", 10, &[100_000]),
];

/// With `--quick`, of which the philosophers have the first only.
const SMALL: [u64; 2] = [40, 80];

fn run(lab: &Lab, times: u32) -> Result<Sheet, String> {
    if let Err(reason) = &lab.program {
        return Ok(Sheet::skipped(&format!("the program simulates the runs: {reason}")));
    }
    let headings =
        vec!["model", "events", "verdict", "read ns/event", "decide ns/event", "decide / read", "explored", "peak MB"];
    let mut sheet = Sheet { headings, ..Sheet::default() };
    let mut groups = Vec::new();
    for (workload, processes, sizes) in MODELS {
        let (processes, sizes) = match lab.quick {
            true => (processes.min(3), &SMALL[..sizes.len().min(SMALL.len())]),
            false => (processes, sizes),
        };
        let heading = format!("{workload} {processes}");
        let sizes: Vec<u64> = sizes.iter().copied().filter(|&n| n <= lab.at_most()).collect();
        let of = |&n: &u64| Model { workload, processes, events: Some(n), seed: 1, faulty: false };
        let models: Vec<Model> = sizes.iter().map(of).collect();
        let mut figures: Vec<Figures> = models.iter().map(|_| Figures::default()).collect();
        // All sizes in each round: a noisy machine is noisy for all.
        for _ in 0..times {
            for (model, figures) in models.iter().zip(&mut figures) {
                if figures.verdict == "unknown" {
                    continue;
                }
                eprintln!("  {heading} × {} …", model.events.unwrap_or_default());
                let facts = model.run(lab).map_err(|e| e.to_string())?;
                let spec = model.properties(lab).map_err(|e| e.to_string())?;
                let asked = Asked {
                    file: &facts.path,
                    spec: &spec,
                    branching: true,
                    engine: Kind::Auto,
                    slice: true,
                    limits: Some((lab.limit.as_secs(), MEMORY * 1_000_000_000)),
                    alone: false,
                };
                let (output, run) = search(lab, &asked)?;
                let [found] = &output.found[..] else {
                    return Err(format!("{heading}: {} properties of CTL", output.found.len()));
                };
                let each = 1e9 / facts.events.max(1) as f64;
                figures.read.push(output.read * each);
                figures.decide.push(found.seconds * each);
                figures.memory.push(run.memory as f64 / 1e6);
                figures.explored = found.configurations;
                figures.verdict.clone_from(&found.verdict);
            }
        }
        let (mut medians, mut bars) = (Vec::new(), Vec::new());
        for (&size, figures) in sizes.iter().zip(&figures) {
            let of = |values: &[f64]| Spread::of(values.iter().copied());
            let (Some(read), Some(decide), Some(memory)) =
                (of(&figures.read), of(&figures.decide), of(&figures.memory))
            else {
                continue;
            };
            if figures.verdict == "violated" {
                sheet.failures.push(format!("{heading} × {size}: violated"));
            }
            let known = figures.verdict != "unknown";
            let cell = |text: String| if known { text } else { "-".to_owned() };
            sheet.rows.push(vec![
                heading.clone(),
                size.to_string(),
                figures.verdict.clone(),
                format!("{:.0}", read.median),
                cell(format!("{:.0}", decide.median)),
                cell(format!("{:.2}", decide.median / read.median.max(1e-9))),
                figures.explored.to_string(),
                format!("{:.1}", memory.median),
            ]);
            bars.push((format!("read {}", power(size)), Role::Baseline, read));
            if known {
                medians.push((read.median, decide.median));
                bars.push((format!("decide {}", power(size)), Role::Ours, decide));
            }
        }
        // Small inputs measure how long a process takes to get going.
        if !lab.quick {
            sheet.judgements.push(Judgement {
                text: format!("{heading}: answered at {} of {} sizes", medians.len(), sizes.len()),
                met: medians.len() == sizes.len(),
            });
            if sizes.len() > 1 {
                sheet.judgements.push(flat(&format!("{heading}: decide"), medians.iter().map(|m| m.1)));
                sheet.judgements.push(flat(&format!("{heading}: read + decide"), medians.iter().map(|m| m.0 + m.1)));
            }
        }
        groups.push(Group { heading, bars });
    }
    sheet.notes.push(format!("CPU time; unknown: past {} s or {MEMORY} GB", lab.limit.as_secs()));
    sheet.chart = Some(("CTL: nanoseconds of CPU for each event, less is better", groups));
    Ok(sheet)
}

#[derive(Default)]
struct Figures {
    verdict: String,
    read: Vec<f64>,
    decide: Vec<f64>,
    memory: Vec<f64>,
    explored: u64,
}
