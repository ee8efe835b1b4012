//! Many traces in one file, ten properties each.

use super::export::{CHECKOUT, Detail, EARLY, checkouts};
use super::{contender, megabytes};
use crate::lab::Lab;
use crate::measure;
use crate::study::{Sheet, Study, seconds};
use crate::workload::{Judgement, Role};

/// The study.
pub const STUDY: Study = Study {
    id: "spans-traces",
    row: 18,
    title: "up to 10⁵ traces in one file, ten properties each, on one core and on two",
    target: "both cores busy; memory for a trace flat",
    run,
};

const SPEC: &str = "\
property ends         = ltl over events F event(\"checkout end\")
property cart_first   = ltl over events G (event(price) -> O event(fetch))
property reserved     = ltl over events G (event(charge) -> O event(reserve))
property answered     = ltl over events G (event(charge) -> F event(\"charge end\"))
property called       = ltl over events G (event(charge, kind == \"server\") -> O event(charge, kind == \"client\"))
property waits        = ltl over events G (event(\"checkout end\") -> O event(\"charge end\", kind == \"server\"))
property once         = ltl over events G (event(fetch, kind == \"client\") -> X G !event(fetch, kind == \"client\"))
property loads        = psl over events always (event(\"load cart\") -> eventually! event(\"SELECT items\"))
property frontend     = ltl over events G (event(checkout) -> process(frontend))
property prices_last  = ltl over events event(checkout) && F (event(\"apply rules\") && F event(\"checkout end\"))
";

/// How many there are, and how many of them the early ones violate.
const PROPERTIES: u64 = 10;
/// CPU seconds in a second of the clock, at least, on two cores.
const BUSY: f64 = 1.6;
/// Bytes for a span at one size against another, at most.
const FLAT: f64 = 2.0;

fn run(lab: &Lab, times: u32) -> Result<Sheet, String> {
    let program = match &lab.program {
        Ok(program) => program.clone(),
        Err(reason) => return Ok(Sheet::skipped(&format!("the program checks the traces: {reason}"))),
    };
    let spec = lab.data.join("spans.props");
    std::fs::write(&spec, SPEC).map_err(|e| e.to_string())?;
    let sizes: &[u64] = if lab.quick { &[20, 40] } else { &[10_000, 100_000] };
    let headings =
        vec!["traces", "spans", "MB", "answers", "jobs", "wall s", "CPU s", "CPU / wall", "peak MB", "bytes/span"];
    let mut sheet = Sheet { headings, ..Sheet::default() };
    let mut each: Vec<f64> = Vec::new();
    for &traces in sizes {
        let (file, bytes) = checkouts(&lab.data, traces, Detail::Bare).map_err(|e| e.to_string())?;
        let early = (traces + EARLY / 2 - 1) / EARLY;
        let answers = traces * PROPERTIES;
        for jobs in ["1", "2"] {
            let args =
                ["check", &file.display().to_string(), "--spec", &spec.display().to_string(), "-q", "--jobs", jobs]
                    .map(str::to_owned)
                    .to_vec();
            let args = [args, ["--verdict-only", "--witness", "never"].map(str::to_owned).to_vec()].concat();
            let wanted = match early {
                0 => format!("{answers} hold"),
                early => format!("{early} violated"),
            };
            let contender = contender(&program, ("check", Role::Ours), args, i32::from(early > 0), wanted);
            let failed = |reason| sheet.failures.push(format!("{traces} traces, {jobs} jobs: {reason}"));
            let [runs] = measure::rounds(&[contender], times.min(3), lab, failed);
            let Some(run) = measure::middle(runs) else { continue };
            let (wall, cpu) = (run.wall.as_secs_f64(), run.cpu.as_secs_f64());
            let (busy, per) = (cpu / wall.max(1e-9), run.memory as f64 / (traces * CHECKOUT) as f64);
            sheet.rows.push(vec![
                traces.to_string(),
                (traces * CHECKOUT).to_string(),
                megabytes(bytes as f64),
                answers.to_string(),
                jobs.to_owned(),
                seconds(wall),
                seconds(cpu),
                format!("{busy:.2}"),
                megabytes(run.memory as f64),
                format!("{per:.0}"),
            ]);
            if jobs == "2" && !lab.quick {
                let text = format!("{traces} traces: {busy:.2} CPU seconds in a second, at least {BUSY} wanted");
                sheet.judgements.push(Judgement { text, met: busy >= BUSY });
                each.push(per);
            }
        }
    }
    if let [few, many] = each[..] {
        let text = format!("{:.2} times the memory for a span in ten times as many, at most {FLAT} wanted", many / few);
        sheet.judgements.push(Judgement { text, met: many / few <= FLAT });
    }
    Ok(sheet)
}
