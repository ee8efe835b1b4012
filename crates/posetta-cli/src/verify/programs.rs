//! The report of `verify` for programs. Fields are documented in docs/report.md; more may be added, none is renamed.

use posetta_base::Verdict;
use posetta_model::fds::{Trail, Value as Worth};
use posetta_tell::json::{self, Schema};
use posetta_tell::trail::Column;
use posetta_tell::{Problem, Word};
use serde_json::{Map, Value, json};

use super::Telling;
use super::board::{Outcome, Report};
use crate::args::TrailWhen;
use crate::problem::entry_of_warnings;

/// One object, one result per line.
pub(super) fn report(report: &Report, telling: Telling) -> String {
    let mut results: Vec<Value> = Vec::new();
    if report.problems.is_empty() && report.prepared {
        results.extend((0..report.asked.len()).map(|place| result(report, telling, place)));
        results.extend(deadlock(report, telling));
    } else if report.problems.is_empty() {
        results.push(unprepared(report));
    }
    let warnings = report.remarks().iter().map(entry_of_warnings).collect();
    let errors = report.problems.iter().map(Problem::to_json).collect();
    let lists = [("results", results), ("warnings", warnings), ("errors", errors)];
    Schema::Verify.lists(&lists, &[("model", model(report))])
}

fn model(report: &Report) -> Value {
    let findings = report.findings.as_ref();
    json!({
        "model": report.file,
        "variables": report.prepared.then(|| report.columns.iter().filter(|c| !c.input).count()),
        "inputs": report.prepared.then(|| report.columns.iter().filter(|c| c.input).count()),
        "bits": findings.map(|f| f.bits),
        "states": states(report),
        "depth": findings.and_then(|f| f.depth),
        "deadlock": report.deadlock().map(|found| trail(found, &report.columns, false)),
        "relation_nodes": findings.map(|f| f.relation_nodes),
        "diagram_nodes": report.most_nodes(),
        "limit": report.over.map(|over| json::limit(over, 0)),
    })
}

/// As a string: it grows past what numbers of JSON are read as.
fn states(report: &Report) -> Option<String> {
    report.findings.as_ref()?.states.as_ref().map(ToString::to_string)
}

fn result(report: &Report, telling: Telling, place: usize) -> Value {
    let asked = &report.asked[place];
    let (word, over) = report.word(place);
    let outcome = report.slots[place].as_ref();
    let answer = outcome.map(|outcome| &outcome.answer);
    let evidence = match answer.map(|answer| &answer.verdict) {
        Some(Verdict::Violated(evidence)) if telling.witness != TrailWhen::Never => Some(evidence),
        _ => None,
    };
    let rounds = answer.map_or(0, |answer| answer.rounds);
    json!({
        "model": report.file,
        "property": asked.name,
        "logic": asked.logic,
        "formula": asked.formula,
        "verdict": word.text(),
        "vacuous": answer.is_some_and(|answer| answer.vacuous),
        "witness": evidence.map(|evidence| trail(evidence.trail(), &report.columns, asked.inputs)),
        "limit": over.map(|over| json::limit(over, rounds)),
        "stats": stats(report, outcome),
    })
}

/// The answer to `--deadlock`.
fn deadlock(report: &Report, telling: Telling) -> Option<Value> {
    let word = report.deadlock_word()?;
    let found = report.deadlock().filter(|_| telling.witness != TrailWhen::Never);
    Some(json!({
        "model": report.file,
        "property": "no deadlock",
        "logic": "deadlock",
        "formula": null,
        "verdict": word.text(),
        "vacuous": false,
        "witness": found.map(|found| trail(found, &report.columns, false)),
        "limit": report.over.filter(|_| word == Word::Unknown).map(|over| json::limit(over, 0)),
        "stats": stats(report, None),
    }))
}

/// The one result if nothing could be asked.
fn unprepared(report: &Report) -> Value {
    json!({
        "model": report.file,
        "property": null,
        "logic": null,
        "formula": null,
        "verdict": Word::Unknown.text(),
        "vacuous": false,
        "witness": null,
        "limit": report.over.map(|over| json::limit(over, 0)),
        "stats": stats(report, None),
    })
}

/// What an answer took, and how large the model is.
fn stats(report: &Report, outcome: Option<&Outcome>) -> Value {
    let answer = outcome.map(|outcome| &outcome.answer);
    json!({
        "states": states(report),
        "depth": report.findings.as_ref().and_then(|f| f.depth),
        "diagram_nodes": answer.map(|answer| answer.diagram_nodes),
        "rounds": answer.map(|answer| answer.rounds),
        "seconds": outcome.map(|outcome| json::seconds(outcome.seconds)),
    })
}

/// The states before the cycle and those on it; the inputs of the last state of a finite path only if they are looked at.
fn trail(trail: &Trail, columns: &[Column], all: bool) -> Value {
    let count = trail.states.len();
    let object = |(i, state): (usize, &Vec<Worth>)| {
        // From the last state of a finite path no step goes on.
        let steps_on = all || i + 1 < count || trail.cycle.is_some();
        let fields = columns.iter().zip(state).filter(|(c, _)| steps_on || !c.input);
        Value::Object(fields.map(|(c, value)| (c.name.clone(), worth(value))).collect::<Map<_, _>>())
    };
    let mut prefix: Vec<Value> = trail.states.iter().enumerate().map(object).collect();
    let cycle = prefix.split_off(trail.cycle.unwrap_or(count).min(count));
    json!({ "prefix": prefix, "cycle": cycle })
}

fn worth(value: &Worth) -> Value {
    match value {
        Worth::Bool(b) => json!(b),
        Worth::Int(i) => json!(i),
        Worth::Symbol(s) => json!(&**s),
    }
}
