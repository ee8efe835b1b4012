//! Row 18: OTLP JSON beside `serde_json` on the same bytes.

use super::export::{CHECKOUT, Detail, checkouts};
use super::{contender, megabytes};
use crate::contender::arguments;
use crate::lab::Lab;
use crate::measure;
use crate::plot::Group;
use crate::stats::Spread;
use crate::study::{Sheet, Study, seconds};
use crate::workload::{Judgement, Role};

/// The study.
pub const STUDY: Study = Study {
    id: "spans-reading",
    row: 18,
    title: "OTLP JSON, one export a line: every trace becomes a run, one after the other; with --full 1 GB",
    target: "100 MB/s of input per core, every trace built; memory a fraction of the file, whatever its size",
    run,
};

const FAST: f64 = 100.0;
/// Bytes of memory for a byte of input, at most.
const SHARE: f64 = 0.5;

fn run(lab: &Lab, times: u32) -> Result<Sheet, String> {
    // A checkout is about 14 kB.
    let traces: &[u64] = match (lab.quick, lab.full) {
        (true, _) => &[40],
        (false, false) => &[1_000, 8_000],
        (false, true) => &[1_000, 8_000, 80_000],
    };
    let headings = vec!["traces", "spans", "MB", "ours s", "ours MB/s", "peak MB", "serde_json s", "serde_json MB/s"];
    let mut sheet = Sheet { headings, ..Sheet::default() };
    let mut groups = Vec::new();
    for &traces in traces {
        let (file, bytes) = checkouts(&lab.data, traces, Detail::Full).map_err(|e| e.to_string())?;
        let lines = count_lines(&file)?;
        let spans = traces * CHECKOUT;
        // A start, an event and an end each.
        let wanted = format!("runs {traces} events {}", 3 * spans);
        let (ours, json) = (arguments("runs", &file, Some("otlp")), arguments("json", &file, None));
        let contenders = [
            contender(&lab.own, ("ours", Role::Ours), ours, 0, wanted),
            contender(&lab.own, ("serde_json", Role::Baseline), json, 0, format!("values {lines}")),
        ];
        // Large files take long enough to be measured in one go.
        let rounds = if bytes > 500_000_000 { times.min(2) } else { times };
        let failed = |reason| sheet.failures.push(format!("{traces} traces: {reason}"));
        let [ours, serde] = measure::rounds(&contenders, rounds, lab, failed);
        let memory = Spread::of(ours.iter().map(|run| run.memory as f64));
        let (Some(ours), Some(serde), Some(memory)) = (measure::cpu(&ours), measure::cpu(&serde), memory) else {
            continue;
        };
        let rate = |cpu: &Spread| bytes as f64 / 1e6 / cpu.median.max(1e-6);
        sheet.rows.push(vec![
            traces.to_string(),
            spans.to_string(),
            megabytes(bytes as f64),
            seconds(ours.median),
            format!("{:.0}", rate(&ours)),
            megabytes(memory.median),
            seconds(serde.median),
            format!("{:.0}", rate(&serde)),
        ]);
        if !lab.quick {
            let text = format!("{traces} traces: {:.0} MB/s of CPU, at least {FAST:.0} wanted", rate(&ours));
            sheet.judgements.push(Judgement { text, met: rate(&ours) >= FAST });
        }
        // Below that the process itself counts.
        if bytes > 100_000_000 {
            let share = memory.median / bytes as f64;
            let text = format!("{traces} traces: {share:.2} bytes of memory for one of input, at most {SHARE} wanted");
            sheet.judgements.push(Judgement { text, met: share <= SHARE });
        }
        let bars = vec![("ours".to_owned(), Role::Ours, ours), ("serde_json".to_owned(), Role::Baseline, serde)];
        groups.push(Group { heading: format!("{} MB", megabytes(bytes as f64)), bars });
    }
    sheet.chart = Some(("spans-reading: seconds of CPU, less is better", groups));
    Ok(sheet)
}

fn count_lines(file: &std::path::Path) -> Result<u64, String> {
    let file = std::fs::File::open(file).map_err(|e| e.to_string())?;
    crate::contender::count_lines(file).map_err(|e| e.to_string())
}
