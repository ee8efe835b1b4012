//! One property with an instance for each value: many values in one run, beside the same run with a property of the whole.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::time::Duration;

use super::scaling::{flat, power};
use crate::lab::Lab;
use crate::measure;
use crate::plot::Group;
use crate::study::{Sheet, Study, seconds};
use crate::workload::{Contender, Judgement, Role};

/// The study.
pub const STUDY: Study = Study {
    id: "foreach",
    row: 12,
    title: "a property for each value, ten events each, up to 10⁵ values in 10⁶ events",
    target: "near linear in the events, however many values; at most three times as much as reading the run and asking for nothing",
    run,
};

/// How many processes take part in each order; two of them touch a value.
const PROCESSES: u64 = 8;
const EACH: u64 = 10;
const MOST: f64 = 3.0;
const PATIENCE: Duration = Duration::from_secs(600);

const SPEC: &str = "property answered = foreach k in values(order) {\n  \
                    ltl over events G (event(request) -> F event(reply)) && G (event(reply) -> O event(request))\n}\n";

fn run(lab: &Lab, times: u32) -> Result<Sheet, String> {
    let program = match &lab.program {
        Ok(program) => program.clone(),
        Err(reason) => return Ok(Sheet::skipped(&format!("the program checks the runs: {reason}"))),
    };
    let spec = lab.data.join("foreach.props");
    std::fs::write(&spec, SPEC).map_err(|e| e.to_string())?;
    let values: &[u64] = if lab.quick { &[100, 200] } else { &[1_000, 10_000, 100_000] };
    let headings = vec!["values", "events", "true s", "foreach s", "foreach / true", "ns/event", "peak MB"];
    let mut sheet = Sheet { headings, ..Sheet::default() };
    let (mut groups, mut each) = (Vec::new(), Vec::new());
    for &values in values {
        let file = orders(lab, values).map_err(|e| format!("a run of {values} values: {e}"))?;
        let events = values * EACH;
        let file = file.display().to_string();
        let asked = |property: &[&str]| {
            let all = ["check", &file, "--json", "--verdict-only", "--witness", "never", "--jobs", "1"];
            all.iter().chain(property).map(|&a| a.to_owned()).collect::<Vec<String>>()
        };
        let counted = format!("\"total\":{values},\"violated\":1,");
        let spec = spec.display().to_string();
        let contender = |of, property: &[&str], status, wanted: &str| {
            Contender::printing((&program, asked(property)), of, status, wanted, PATIENCE)
        };
        let contenders = [
            contender(("true", Role::Baseline), &["--ltl", "true"], 0, "\"verdict\":\"holds\""),
            contender(("foreach", Role::Ours), &["--spec", &spec], 1, &counted),
        ];
        let failed = |reason| sheet.failures.push(format!("{values} values: {reason}"));
        let [nothing, all] = measure::rounds(&contenders, times, lab, failed);
        let memory = measure::memory(&all);
        let (Some(nothing), Some(all), Some(memory)) = (measure::cpu(&nothing), measure::cpu(&all), memory) else {
            continue;
        };
        let ratio = all.median / nothing.median.max(1e-9);
        sheet.rows.push(vec![
            values.to_string(),
            events.to_string(),
            seconds(nothing.median),
            seconds(all.median),
            format!("{ratio:.2}"),
            format!("{:.0}", 1e9 * all.median / events as f64),
            format!("{:.1}", memory.median),
        ]);
        // Small inputs measure how long a process takes to get going.
        if values >= 10_000 {
            each.push(all.median / events as f64);
            let text = format!("{}: {ratio:.2} times as much as `true`, at most {MOST} wanted", power(values));
            sheet.judgements.push(Judgement { text, met: ratio <= MOST });
        }
        let bars = vec![("true".to_owned(), Role::Baseline, nothing), ("foreach".to_owned(), Role::Ours, all)];
        groups.push(Group { heading: format!("{} values", power(values)), bars });
    }
    if !lab.quick {
        sheet.judgements.push(flat("foreach", each.into_iter()));
    }
    sheet.chart = Some(("foreach: seconds of CPU, less is better", groups));
    Ok(sheet)
}

/// Orders that overlap: a request on one process, work and a reply on another, which hears of the request. One of them has no reply.
fn orders(lab: &Lab, values: u64) -> std::io::Result<PathBuf> {
    let path = lab.data.join(format!("foreach-{values}.jsonl"));
    if path.exists() {
        return Ok(path);
    }
    let mut out = BufWriter::new(File::create(&path)?);
    writeln!(out, "{{\"posetta\":1}}")?;
    // So many are under way at once.
    const OPEN: u64 = 50;
    for block in (0..values).step_by(OPEN as usize) {
        for step in 0..EACH {
            for order in block..(block + OPEN).min(values) {
                let process = if step < 2 { order % PROCESSES } else { (order + 1) % PROCESSES };
                let name = match step {
                    0 => "request",
                    step if step == EACH - 1 && order != values / 2 => "reply",
                    _ => "work",
                };
                write!(
                    out,
                    "{{\"process\":\"P{process}\",\"id\":\"{order}.{step}\",\"name\":\"{name}\",\"order\":{order}"
                )?;
                if step == 2 {
                    write!(out, ",\"after\":[\"{order}.0\"]")?;
                }
                writeln!(out, "}}")?;
            }
        }
    }
    out.flush()?;
    Ok(path)
}
