//! Row 11: what all inputs of reading have in common.
//!
//! Ours is the library's reader in a process of its own, and beside it `posetta check --ltl true`, the whole program with the
//! least to decide. The baselines are a bare count of line feeds, which no reader can beat, and `serde_json`, which parses
//! the same lines and keeps nothing. The reader on an empty file shows what the process itself takes.

use std::time::Duration;
use std::{fs, io};

use crate::contender::arguments;
use crate::generate::Facts;
use crate::lab::Lab;
use crate::measure::Measured;
use crate::workload::{Contender, Judgement, Prepared, Role};

/// Bytes an event may take beside its values, ids and clocks.
const BYTES_PER_EVENT: f64 = 64.0;

const READ: &str = "read";
const EMPTY: &str = "read nothing";

/// The contenders on a file. `from` names the format; `json`: every line is a JSON value.
pub fn prepare(lab: &Lab, facts: Facts, from: &str, json: bool) -> io::Result<Prepared> {
    prepare_with(lab, facts, from, &[], json)
}

/// The same with further arguments that say how to read.
pub fn prepare_with(lab: &Lab, facts: Facts, from: &str, how: &[&str], json: bool) -> io::Result<Prepared> {
    let how: Vec<String> = how.iter().map(|arg| (*arg).to_owned()).collect();
    let empty = lab.data.join("empty");
    fs::write(&empty, "")?;
    let own = |name, role, args, answer: String, shows_memory, bytes| Contender {
        name,
        role,
        program: lab.own.clone(),
        args,
        status: 0,
        check: Box::new(move |out| expect(out.trim(), &answer)),
        patience: Duration::from_secs(300),
        shows_memory,
        bytes,
    };
    let counts = format!("events {} processes {}", facts.events, facts.processes);
    let nothing = "events 0 processes 0".to_owned();
    let mut contenders = vec![
        own(
            READ,
            Role::Ours,
            [arguments("read", &facts.path, Some(from)), how.clone()].concat(),
            counts,
            true,
            facts.bytes,
        ),
        own(EMPTY, Role::Baseline, arguments("read", &empty, Some("jsonl")), nothing, true, 0),
        own(
            "count lines",
            Role::Baseline,
            arguments("lines", &facts.path, None),
            format!("lines {}", facts.lines),
            false,
            facts.bytes,
        ),
    ];
    if json {
        let answer = format!("values {}", facts.lines);
        let args = arguments("json", &facts.path, None);
        contenders.push(own("serde_json", Role::Baseline, args, answer, false, facts.bytes));
    }
    let mut absent = Vec::new();
    match &lab.program {
        Ok(program) => contenders.insert(
            1,
            Contender {
                name: "check true",
                role: Role::Ours,
                program: program.clone(),
                args: [
                    ["check", &facts.path.display().to_string(), "--from", from, "--ltl", "true", "--json"]
                        .map(str::to_owned)
                        .to_vec(),
                    how,
                ]
                .concat(),
                status: 0,
                check: Box::new(verdict_holds),
                patience: Duration::from_secs(300),
                shows_memory: true,
                bytes: facts.bytes,
            },
        ),
        Err(reason) => absent.push(("check true", reason.clone())),
    }
    Ok(Prepared { facts, contenders, absent })
}

fn expect(found: &str, expected: &str) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("`{found}` instead of `{expected}`")) }
}

fn verdict_holds(report: &str) -> Result<(), String> {
    let report: serde_json::Value = serde_json::from_str(report).map_err(|e| format!("no JSON: {e}"))?;
    match report["results"][0]["verdict"].as_str() {
        Some("holds") => Ok(()),
        other => Err(format!("{other:?} instead of `holds`")),
    }
}

/// Speed against `megabytes` per second, and memory against the bytes per event.
pub fn judge(prepared: &Prepared, measured: &[Measured], megabytes: f64) -> Vec<Judgement> {
    let of = |name: &str| measured.iter().find(|m| m.name == name);
    let mut judgements = Vec::new();
    if let Some(rate) = of(READ).and_then(Measured::rate) {
        judgements.push(Judgement {
            text: format!("{:.0} MB/s of CPU, at least {megabytes:.0} wanted", rate.median),
            met: rate.median >= megabytes,
        });
    }
    let peak = |name| of(name).and_then(Measured::memory).map(|m| m.median);
    if let (Some(read), Some(empty)) = (peak(READ), peak(EMPTY)) {
        let Facts { events, extra_bytes, .. } = prepared.facts;
        let all = (read - empty).max(0.0) / events.max(1) as f64;
        let extra = extra_bytes as f64 / events.max(1) as f64;
        judgements.push(Judgement {
            text: format!(
                "{:.1} bytes an event at the peak beside values, ids and clocks ({all:.1} − {extra:.1}), at most \
                 {BYTES_PER_EVENT:.0} wanted",
                all - extra
            ),
            met: all - extra <= BYTES_PER_EVENT,
        });
    }
    judgements
}

/// The target of the formats that are cut by our own code.
pub const TARGET: &str = "100 MB/s of input per core; 64 bytes an event + values, ids and clocks";
/// Its speed.
pub const FAST: f64 = 100.0;
