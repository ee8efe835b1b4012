//! One trace of many spans: each is a process of its own, so what is kept for an event must not grow with the processes.

use super::export::{Shape, large};
use super::{contender, megabytes};
use crate::lab::Lab;
use crate::measure;
use crate::study::{Sheet, Study, seconds};
use crate::workload::{Judgement, Role};

/// The study.
pub const STUDY: Study = Study {
    id: "spans-one",
    row: 18,
    title: "one trace of up to 20,000 spans, of four shapes: read, described, and checked",
    target: "under 1 GB",
    run,
};

const MOST: f64 = 1e9;

/// Holds by the causes: nothing starts before the first span does.
const LINEAR: &str = "G (event(store) -> O event(handle))";

fn run(lab: &Lab, times: u32) -> Result<Sheet, String> {
    let program = match &lab.program {
        Ok(program) => program.clone(),
        Err(reason) => return Ok(Sheet::skipped(&format!("the program checks the trace: {reason}"))),
    };
    let sizes: &[u64] = if lab.quick { &[30] } else { &[5_000, 20_000] };
    let headings = vec!["shape", "spans", "asked", "wall s", "CPU s", "peak MB"];
    let mut sheet = Sheet { headings, ..Sheet::default() };
    for shape in Shape::ALL {
        for &spans in sizes {
            let (file, _) = large(&lab.data, shape, spans).map_err(|e| e.to_string())?;
            let file = file.display().to_string();
            let check = |property: &[&str]| {
                let all = [&["check", &file, "--json", "--timeout", "300s"], property].concat();
                all.into_iter().map(str::to_owned).collect::<Vec<String>>()
            };
            let holds = "\"verdict\":\"holds\"".to_owned();
            for (asked, args) in
                [("true", check(&["--ltl", "true"])), ("order", check(&["--over", "events", "--ltl", LINEAR]))]
            {
                let contender = contender(&program, (asked, Role::Ours), args, 0, holds.clone());
                let failed = |reason| sheet.failures.push(format!("{} × {spans}: {reason}", shape.name()));
                let [runs] = measure::rounds(&[contender], times.min(3), lab, failed);
                let Some(run) = measure::middle(runs) else { continue };
                sheet.rows.push(vec![
                    shape.name().to_owned(),
                    spans.to_string(),
                    asked.to_owned(),
                    seconds(run.wall.as_secs_f64()),
                    seconds(run.cpu.as_secs_f64()),
                    megabytes(run.memory as f64),
                ]);
                if !lab.quick {
                    let peak = run.memory as f64;
                    let text =
                        format!("{} × {spans}, `{asked}`: {} MB, under 1000 wanted", shape.name(), megabytes(peak));
                    sheet.judgements.push(Judgement { text, met: peak < MOST });
                }
            }
        }
    }
    Ok(sheet)
}
