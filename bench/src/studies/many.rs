//! Many runs at once: both processors, flat memory, the same report, and a second time with answers that were kept.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::lab::Lab;
use crate::measure::{self, Run};
use crate::stats::Spread;
use crate::study::{Sheet, Study, seconds};
use crate::workload::{Judgement, Role};

/// The study.
pub const STUDY: Study = Study {
    id: "many",
    row: 12,
    title: "10,000 runs with ten properties each, and the same again with `--cache`",
    target: "both processors busy, memory flat, one report; with `--cache` at most 1.2 times reading and hashing the files",
    run,
};

/// The most that the second check may take, in times of reading and hashing.
const MOST: f64 = 1.2;
/// The most memory for ten times as many runs.
const FLAT: f64 = 1.5;
const PATIENCE: Duration = Duration::from_secs(1800);
/// Steps of a run; each is two events.
const STEPS: u64 = 250;

const SPEC: &str = "\
property behind     = ltl G (done <= asked)
property near       = ltl G (asked - done <= 1)
property answered   = ltl over events G (event(request) -> F event(reply))
property asked_for  = ltl over events G (event(reply) -> O event(request))
property begins     = ltl F (asked == 1)
property ends       = ltl F (done >= 1 && G (done >= 1))
property steps      = ltl over events G (on(asked > 0) -> process(client))
property by_server  = ltl over events G (event(reply) -> process(server))
property reachable  = ctl EF (done == asked)
property always     = ctl AG (done <= asked)
";

fn run(lab: &Lab, times: u32) -> Result<Sheet, String> {
    let program = match &lab.program {
        Ok(program) => program.clone(),
        Err(reason) => return Ok(Sheet::skipped(&format!("the program checks the runs: {reason}"))),
    };
    let (all, few) = if lab.quick { (120, 30) } else { (10_000, 1_000) };
    let spec = lab.data.join("many.props");
    fs::write(&spec, SPEC).map_err(|e| e.to_string())?;
    let (all, few) = (runs(lab, all)?, runs(lab, few)?);
    let cache = lab.data.join("many-cache");
    let check = |runs: &Path, more: &[&str]| {
        let mut args = vec!["check".to_owned(), runs.display().to_string()];
        args.extend(["--spec".to_owned(), spec.display().to_string()]);
        args.extend(more.iter().map(|&own| own.to_owned()));
        args
    };
    let kept = cache.display().to_string();
    let contenders: [(&str, &Path, Vec<String>, i32); 7] = [
        ("a tenth, 2 jobs", &program, check(&few, &["--jobs", "2"]), 1),
        ("1 job", &program, check(&all, &["--jobs", "1"]), 1),
        ("2 jobs", &program, check(&all, &["--jobs", "2"]), 1),
        ("2 jobs, --json", &program, check(&all, &["--jobs", "2", "--json"]), 1),
        ("first with --cache", &program, check(&all, &["--jobs", "2", "--cache", &kept]), 1),
        ("read and hash", &lab.own, ["contender", "hash", &all.display().to_string()].map(str::to_owned).to_vec(), 0),
        ("second with --cache", &program, check(&all, &["--jobs", "2", "--cache", &kept]), 1),
    ];
    let headings = vec!["contender", "wall s", "cpu s", "busy", "peak MB"];
    let mut sheet = Sheet { headings, ..Sheet::default() };
    let mut measured: Vec<Vec<Run>> = vec![Vec::new(); contenders.len()];
    for _ in 0..times {
        // The first one finds nothing.
        let _ = fs::remove_dir_all(&cache);
        for ((name, program, args, status), runs) in contenders.iter().zip(&mut measured) {
            let ended = measure::watch(program, args, Role::Ours, PATIENCE, lab)?;
            match ended.status.and_then(|ended| ended.code()) {
                // What this process holds shows in the peaks of those that it starts later.
                Some(code) if code == *status => runs.push(Run { output: fingerprint(&ended.run.output), ..ended.run }),
                _ => sheet.failures.push(format!("{name}: {}", ended.why())),
            }
        }
    }
    let _ = fs::remove_dir_all(&cache);
    let figures = |runs: &[Run], of: fn(&Run) -> f64| Spread::of(runs.iter().map(of)).map_or(f64::NAN, |s| s.median);
    let wall = |at: usize| figures(&measured[at], |run| run.wall.as_secs_f64());
    let memory = |at: usize| figures(&measured[at], |run| run.memory as f64 / 1e6);
    let busy = |at: usize| figures(&measured[at], |run| run.cpu.as_secs_f64() / run.wall.as_secs_f64().max(1e-9));
    for (at, (name, ..)) in contenders.iter().enumerate() {
        let cpu = figures(&measured[at], |run| run.cpu.as_secs_f64());
        let cells = [seconds(wall(at)), seconds(cpu), format!("{:.2}", busy(at)), format!("{:.1}", memory(at))];
        // A name with a comma would be two columns.
        sheet.rows.push([vec![name.replace(',', "")], cells.to_vec()].concat());
    }
    // One report, whoever made it.
    let report = |at: usize| measured[at].iter().map(|run| run.output.as_str());
    let first = report(1).next().unwrap_or_default();
    for at in [1, 2, 4, 6] {
        if first.is_empty() || report(at).any(|other| other != first) {
            sheet.failures.push(format!("{}: another report than that of 1 job", contenders[at].0));
        }
    }
    if !lab.quick {
        let ratio = wall(6) / wall(5);
        let text = format!("{ratio:.2} times reading and hashing, at most {MOST} wanted");
        sheet.judgements.push(Judgement { text, met: ratio <= MOST });
        let growth = memory(2) / memory(0);
        let text = format!("{growth:.2} times the memory for ten times the runs, at most {FLAT} wanted");
        sheet.judgements.push(Judgement { text, met: growth <= FLAT });
        let text = format!("{:.2} processors busy with 2 jobs, 1.6 wanted", busy(2));
        sheet.judgements.push(Judgement { text, met: busy(2) >= 1.6 });
    }
    Ok(sheet)
}

/// What stands for a report, so that two can be compared when they are gone; nothing for none.
fn fingerprint(report: &str) -> String {
    if report.is_empty() { String::new() } else { blake3::hash(report.as_bytes()).to_hex().to_string() }
}

/// A directory of so many runs. A client and a server take turns; in every thirtieth of a hundredth the server does not wait once.
fn runs(lab: &Lab, count: u64) -> Result<PathBuf, String> {
    let directory = lab.data.join(format!("many-{count}"));
    let last = directory.join(format!("{:05}.jsonl", count - 1));
    if last.exists() {
        return Ok(directory);
    }
    let write = || -> std::io::Result<()> {
        fs::create_dir_all(&directory)?;
        for run in 0..count {
            one_run(&directory.join(format!("{run:05}.jsonl")), run)?;
        }
        Ok(())
    };
    write().map_err(|e| format!("{count} runs: {e}"))?;
    Ok(directory)
}

fn one_run(path: &Path, run: u64) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    let careless = if run % (STEPS * 3) == 29 { run % STEPS } else { STEPS };
    for step in 0..STEPS {
        let after = |id: String| format!(",\"after\":[\"{id}\"]");
        let heard = if step > 0 { after(format!("r{}", step - 1)) } else { String::new() };
        let n = step + 1;
        writeln!(
            out,
            "{{\"process\":\"client\",\"id\":\"q{step}\",\"name\":\"request\",\"set\":{{\"asked\":{n}}},\"run\":{run}{heard}}}"
        )?;
        let waits = if step == careless { String::new() } else { after(format!("q{step}")) };
        writeln!(
            out,
            "{{\"process\":\"server\",\"id\":\"r{step}\",\"name\":\"reply\",\"set\":{{\"done\":{n}}},\"run\":{run}{waits}}}"
        )?;
    }
    out.flush()
}
