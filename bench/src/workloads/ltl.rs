//! Rows 1 and 2: what linear properties over all orders have in common.
//!
//! Ours reads a run and decides the paper's property in one process, and takes the time of both; the target is that deciding
//! takes less than reading. Beside it the whole program, and reading alone, which is the least that anyone has to do.

use std::io;
use std::time::Duration;

use posetta_logic::{Formula, View, read_props};

use crate::contender::arguments;
use crate::lab::Lab;
use crate::measure::Measured;
use crate::search::{Asked, Kind, Output};
use crate::simulate::Model;
use crate::stats::Spread;
use crate::workload::{Contender, Judgement, Prepared, Role};

/// The target.
pub const TARGET: &str = "deciding takes less CPU time than reading the same file";

const SEARCH: &str = "read + search";

/// A run of its target's size, the first of its kind.
pub fn model(lab: &Lab, workload: &'static str, processes: u64, events: u64, faulty: bool) -> Model {
    Model { workload, processes, events: Some(lab.events_or(events)), seed: 1, faulty }
}

/// The contenders on a run.
pub fn prepare(lab: &Lab, model: Model) -> io::Result<Prepared> {
    let program = match &lab.program {
        Ok(program) => program.clone(),
        Err(reason) => {
            let absent = vec![("", format!("the program simulates the run: {reason}"))];
            return Ok(Prepared { facts: Default::default(), contenders: Vec::new(), absent });
        }
    };
    let (facts, spec) = (model.run(lab)?, model.properties(lab)?);
    let asked = Asked {
        file: &facts.path,
        spec: &spec,
        branching: false,
        engine: Kind::Symbolic,
        slice: true,
        limits: None,
        alone: false,
    };
    let (faulty, events) = (model.faulty, facts.events);
    // A fault needs some rounds of the protocol to show.
    let long = events >= 1_000 * model.processes;
    let contender = |name, role, args, check: crate::workload::Answer| Contender {
        name,
        role,
        program: lab.own.clone(),
        args,
        status: 0,
        check,
        patience: Duration::from_secs(300),
        shows_memory: true,
        bytes: facts.bytes,
    };
    let expected = move |text: &str| {
        let output = Output::parse(text)?;
        if output.events != events {
            return Err(format!("{} events instead of {events}", output.events));
        }
        verdicts(output.found.iter().map(|f| f.verdict.as_str()), faulty, long)
    };
    let counts = format!("events {events} processes {}", facts.processes);
    let read = move |text: &str| match text.trim() == counts {
        true => Ok(()),
        false => Err(format!("`{}` instead of `{counts}`", text.trim())),
    };
    let mut contenders = vec![
        contender(SEARCH, Role::Ours, asked.arguments(), Box::new(expected)),
        contender("read", Role::Baseline, arguments("read", &facts.path, Some("jsonl")), Box::new(read)),
    ];
    // The file has properties of other logics, too; the program decides all of a file. Those are for other rows.
    if let Ok(only) = linear_only(lab, model) {
        let words = ["check", &facts.path.display().to_string(), "--spec", &only, "--json", "--witness", "never"];
        let args = [&words[..], &["--verdict-only", "--jobs", "1"]].concat().into_iter().map(str::to_owned).collect();
        let check = move |text: &str| {
            let report: serde_json::Value = serde_json::from_str(text).map_err(|e| format!("no JSON: {e}"))?;
            let results = report["results"].as_array().ok_or("no results")?;
            verdicts(results.iter().filter_map(|r| r["verdict"].as_str()), faulty, long)
        };
        let whole = contender("posetta check", Role::Ours, args, Box::new(check));
        // Without a long run nobody knows the status.
        if long {
            contenders.insert(1, Contender { program, status: i32::from(faulty), ..whole });
        }
    }
    Ok(Prepared { facts, contenders, absent: Vec::new() })
}

/// The properties of a model that are linear, in a file of their own.
fn linear_only(lab: &Lab, model: Model) -> io::Result<String> {
    let text = std::fs::read_to_string(model.properties(lab)?)?;
    let properties = read_props(&text).map_err(|_| io::Error::other("not a property file"))?;
    let mut only = String::new();
    for p in &properties {
        let Formula::Ltl(view, formula) = &p.formula else { continue };
        let over = if *view == View::Events { "over events " } else { "" };
        only += &format!("property {} = ltl {over}{formula}\n", p.name.as_deref().unwrap_or("unnamed"));
    }
    let path = lab.data.join(format!("gen-{}-{}-linear.props", model.workload, model.processes));
    std::fs::write(&path, only)?;
    Ok(path.display().to_string())
}

/// On a correct run every property holds; on a faulty one that is long enough, one does not.
fn verdicts<'a>(found: impl Iterator<Item = &'a str>, faulty: bool, long: bool) -> Result<(), String> {
    let found: Vec<&str> = found.collect();
    let decided = !found.is_empty() && found.iter().all(|v| matches!(*v, "holds" | "violated"));
    let violated = found.contains(&"violated");
    if decided && (violated == faulty || faulty && !long) { Ok(()) } else { Err(format!("verdicts {found:?}")) }
}

/// Deciding against reading, within one process, in the middle of all rounds. Of several properties the slowest counts.
pub fn judge(_: &Prepared, measured: &[Measured]) -> Vec<Judgement> {
    let Some(search) = measured.iter().find(|m| m.name == SEARCH) else { return Vec::new() };
    let outputs: Vec<Output> = search.runs.iter().filter_map(|r| Output::parse(&r.output).ok()).collect();
    let slowest = |o: &Output| o.found.iter().map(|f| f.seconds).fold(0.0, f64::max);
    let ratio = Spread::of(outputs.iter().map(|o| slowest(o) / o.read.max(1e-9)));
    let (seconds, read) = (Spread::of(outputs.iter().map(slowest)), Spread::of(outputs.iter().map(|o| o.read)));
    let (Some(ratio), Some(seconds), Some(read)) = (ratio, seconds, read) else { return Vec::new() };
    let configurations = outputs[0].found.iter().map(|f| f.configurations).max().unwrap_or(0);
    vec![Judgement {
        text: format!(
            "search {:.3} s / read {:.3} s = {:.2} ({:.2}–{:.2}), below 1 wanted; {configurations} configurations",
            seconds.median, read.median, ratio.median, ratio.least, ratio.most
        ),
        met: ratio.median < 1.0,
    }]
}
