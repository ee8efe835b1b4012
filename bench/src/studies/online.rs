//! Following a run while it is written: how fast, and in how much memory, beside `check` of the same run.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::lab::Lab;
use crate::measure;
use crate::plot::Group;
use crate::simulate::Model;
use crate::stats::Spread;
use crate::study::{Sheet, Study, seconds};
use crate::workload::{Contender, Judgement, Role};

/// The study.
pub const STUDY: Study = Study {
    id: "online",
    row: 12,
    title: "a run followed while it is read, 10⁶ events, 10⁷ with --full",
    target: "memory flat in the length of the run; unknown, not more memory, where processes never hear of each other",
    run,
};

/// The paper's linear properties, over events.
const MODELS: [(&str, u64, &str); 2] = [
    ("peterson", 2, "G !on(ncrit >= 2)"),
    ("philosophers", 10, "G (on(fork0 == 2) -> (!on(state0 == \"eat\") W on(state1 == \"think\")))"),
];

const PATIENCE: Duration = Duration::from_secs(1200);

/// What the stream of processes that never hear of each other may take.
const MEMORY: (&str, f64) = ("100MB", 100e6);
const APART: &str = "G (a < 8)";

fn run(lab: &Lab, times: u32) -> Result<Sheet, String> {
    let program = match &lab.program {
        Ok(program) => program.clone(),
        Err(reason) => return Ok(Sheet::skipped(&format!("the program follows the runs: {reason}"))),
    };
    let headings = vec![
        "model",
        "events",
        "check s",
        "check MB",
        "follow s",
        "follow / check",
        "events/s",
        "follow MB",
        "verdict",
    ];
    let mut sheet = Sheet { headings, ..Sheet::default() };
    let sizes: &[u64] = match (lab.quick, lab.full) {
        (true, _) => &[2_000, 4_000],
        (_, true) => &[100_000, 1_000_000, 10_000_000],
        _ => &[100_000, 1_000_000],
    };
    let mut groups = Vec::new();
    for (workload, processes, formula) in MODELS {
        let mut bars = Vec::new();
        let mut peaks = Vec::new();
        for &events in sizes {
            let model = Model { workload, processes, events: Some(events), seed: 1, faulty: false };
            let facts = model.run(lab).map_err(|e| e.to_string())?;
            let file = facts.path.display().to_string();
            let whole = [&file, "--verdict-only", "--witness", "never"];
            let asked = |how: &[&str]| {
                let property = ["--ltl", formula, "--over", "events", "--json"];
                ["check"].iter().chain(how).chain(&property).map(|&a| a.to_owned()).collect::<Vec<String>>()
            };
            let contenders = [
                contender(&program, ("check", Role::Baseline), asked(&whole), 0, "\"verdict\":\"holds\""),
                contender(&program, ("follow", Role::Ours), asked(&["--follow", &file]), 0, "\"satisfied\":true"),
            ];
            let failed = |reason| sheet.failures.push(format!("{workload} × {events}: {reason}"));
            let [check, follow] = measure::rounds(&contenders, times, lab, failed);
            let peaks_of = (measure::memory(&check), measure::memory(&follow));
            let (Some(check), Some(follow)) = (measure::cpu(&check), measure::cpu(&follow)) else { continue };
            let (Some(check_memory), Some(follow_memory)) = peaks_of else { continue };
            sheet.rows.push(vec![
                format!("{workload} {processes}"),
                events.to_string(),
                seconds(check.median),
                format!("{:.1}", check_memory.median),
                seconds(follow.median),
                format!("{:.2}", follow.median / check.median.max(1e-9)),
                format!("{:.0}", events as f64 / follow.median.max(1e-9)),
                format!("{:.1}", follow_memory.median),
                "holds".to_owned(),
            ]);
            peaks.push(follow_memory.median);
            bars.push((format!("check {events}"), Role::Baseline, check));
            bars.push((format!("follow {events}"), Role::Ours, follow));
            if events == 10_000_000 {
                model.forget(lab);
            }
        }
        groups.push(Group { heading: format!("{workload} with {processes} processes"), bars });
        if let (false, Some(apart)) = (lab.quick, Spread::of(peaks.iter().copied())) {
            sheet.judgements.push(Judgement {
                text: format!("{workload}: {:.1} MB at most, {:.1} MB at least", apart.most, apart.least),
                met: apart.most <= 2.0 * apart.least,
            });
        }
    }
    apart(lab, &program, times, &mut sheet)?;
    sheet.chart = Some(("online: seconds of CPU, less is better", groups));
    Ok(sheet)
}

/// Processes that never hear of each other: nothing can be forgotten, and the limit must be kept.
fn apart(lab: &Lab, program: &Path, times: u32, sheet: &mut Sheet) -> Result<(), String> {
    let events = if lab.quick { 1_000_000 } else { 4_000_000 };
    let file = uncoupled(lab, events).map_err(|e| format!("a stream of {events} events: {e}"))?;
    let args = ["check", "--follow", &file.display().to_string(), "--ltl", APART, "--json", "--memory", MEMORY.0]
        .map(str::to_owned)
        .to_vec();
    let contender = contender(program, ("follow", Role::Ours), args, 3, "would help");
    let failed = |reason| sheet.failures.push(format!("uncoupled × {events}: {reason}"));
    let [runs] = measure::rounds(&[contender], times, lab, failed);
    // Left behind it does no harm.
    let _ = fs::remove_file(&file);
    let (Some(cpu), Some(memory)) = (measure::cpu(&runs), measure::memory(&runs)) else { return Ok(()) };
    let none = || "–".to_owned();
    sheet.rows.push(vec![
        "uncoupled 3".to_owned(),
        events.to_string(),
        none(),
        none(),
        seconds(cpu.median),
        none(),
        none(),
        format!("{:.1}", memory.median),
        "unknown".to_owned(),
    ]);
    let met = memory.most * 1e6 <= 1.06 * MEMORY.1;
    let text = format!("uncoupled: {:.1} MB where {} are allowed", memory.most, MEMORY.0);
    sheet.judgements.push(Judgement { text, met });
    Ok(())
}

/// Two processes that write and one that says nothing.
fn uncoupled(lab: &Lab, events: u64) -> std::io::Result<PathBuf> {
    let path = lab.data.join(format!("uncoupled-{events}.jsonl"));
    let mut out = BufWriter::new(File::create(&path)?);
    writeln!(out, "{{\"posetta\":1,\"processes\":[\"A\",\"B\",\"C\"],\"initial\":{{\"a\":0,\"b\":0}}}}")?;
    for i in 0..events {
        let (process, variable) = if i % 2 == 0 { ("A", "a") } else { ("B", "b") };
        writeln!(out, "{{\"process\":\"{process}\",\"set\":{{\"{variable}\":{}}}}}", i % 7)?;
    }
    out.flush()?;
    Ok(path)
}

fn contender(program: &Path, of: (&'static str, Role), args: Vec<String>, status: i32, wanted: &str) -> Contender {
    Contender::printing((program, args), of, status, wanted, PATIENCE)
}
