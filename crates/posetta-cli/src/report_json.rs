//! Reports for programs. Fields are documented; more may be added, none is renamed.

use posetta_base::OverBudget;
use posetta_check::{Observed, Runs};
use serde_json::{Value, json};

use crate::board::{Outcome, Report, RunReport, Shape, Why, Word};
use crate::counts::{Count, Counts};
use crate::problem::{Problem, warning_json};
use crate::properties::Named;
use crate::{conform, subformulas};

/// The report of `check`: one object, one result per line.
pub fn check(report: &Report, errors: &[Problem]) -> String {
    let mut results: Vec<Value> = Vec::new();
    for run in &report.runs {
        results.extend(report.answers_of(run).map(|(property, outcome)| result(run, property, outcome)));
        results.extend(report.followed(run).map(|(model, followed)| conform::programs::result(run, model, followed)));
    }
    results.extend(report.unprepared.map(unprepared));
    let errors: Vec<Value> = errors.iter().map(Problem::to_json).collect();
    lines(&[("results", results), ("errors", errors)])
}

fn result(run: &RunReport, property: &Named, outcome: &Outcome) -> Value {
    let symbolic = outcome.stats.engine == "symbolic";
    let explicit = matches!(outcome.stats.engine, "" | "explicit");
    json!({
        "trace": run.name,
        "property": property.name,
        "logic": property.logic(),
        "over": property.over(),
        "formula": property.formula,
        "verdict": outcome.word.text(),
        "runs": outcome.runs.map(runs),
        "observed": outcome.observed.map(observed),
        "orders": run.shape.map(Shape::orders),
        "witness": outcome.witness,
        "proof": outcome.proof,
        "cuts": outcome.counts.all,
        "counts": counts(&outcome.counts),
        "why": outcome.why.as_ref().map(why),
        "parts": outcome.trace.as_ref().and_then(|parts| parts.as_ref().ok()).map(subformulas::to_json),
        "limit": outcome.over.map(|over| limit(over, outcome.stats.configurations)),
        "warnings": run.warnings.iter().chain(&outcome.warnings).map(warning_json).collect::<Vec<_>>(),
        "stats": {
            "engine": Some(outcome.stats.engine).filter(|engine| !engine.is_empty()),
            "configurations": outcome.stats.configurations,
            "further_configurations": outcome.stats.further_configurations,
            "covered": symbolic.then_some(outcome.stats.covered),
            "nodes": Some(outcome.stats.nodes).filter(|&nodes| nodes > 0),
            "width": (!explicit).then_some(outcome.stats.width),
            "events": run.shape.map(|s| s.events),
            "relevant_events": run.shape.map(|_| outcome.stats.relevant_events),
            "seconds": (outcome.seconds * 1e6).round() / 1e6,
        },
    })
}

fn why(why: &Why) -> Value {
    json!({
        "exchanges": why.exchanges,
        "closest": why.closest,
        "swapped": why.swapped,
        "missing_edges": why.missing_edges,
        "minimum": why.minimum,
    })
}

/// The numbers as strings: they grow past what numbers of JSON are read as.
fn counts(counts: &Counts) -> Option<Vec<Value>> {
    let entry = |c: &Count| json!({ "formula": c.formula, "depth": c.depth, "cuts": c.cuts });
    (!counts.parts.is_empty()).then(|| counts.parts.iter().map(entry).collect())
}

/// The one result if nothing could be asked: unknown, about no run and no property.
fn unprepared(over: OverBudget) -> Value {
    json!({
        "trace": null,
        "property": null,
        "logic": null,
        "over": null,
        "formula": null,
        "verdict": Word::Unknown.text(),
        "runs": null,
        "observed": null,
        "orders": null,
        "witness": null,
        "proof": null,
        "cuts": null,
        "counts": null,
        "why": null,
        "parts": null,
        "limit": limit(over, 0),
        "warnings": [],
        "stats": {
            "engine": null,
            "configurations": 0,
            "further_configurations": 0,
            "covered": null,
            "nodes": null,
            "width": null,
            "events": null,
            "relevant_events": null,
            "seconds": null,
        },
    })
}

fn runs(runs: Runs) -> &'static str {
    match runs {
        Runs::All => "all",
        Runs::Some => "some",
        Runs::None => "none",
        Runs::Unknown => "unknown",
    }
}

/// What the recorded order did.
pub fn observed(observed: Observed) -> &'static str {
    match observed {
        Observed::Holds => "holds",
        Observed::Violated => "violated",
    }
}

/// Which limit was reached, while doing what, and how far the work was.
pub fn limit(over: OverBudget, explored: u64) -> Value {
    json!({ "reached": over.limit.word(), "while": over.what, "explored": explored })
}

/// An object whose fields are lists, with one entry per line: small to read for people, and `grep` works.
pub fn lines(fields: &[(&str, Vec<Value>)]) -> String {
    let mut out = String::from("{");
    for (i, (name, entries)) in fields.iter().enumerate() {
        if i > 0 {
            out.push_str(",\n ");
        }
        out.push_str(&format!("\"{name}\":["));
        for (j, entry) in entries.iter().enumerate() {
            out.push_str(if j > 0 { ",\n  " } else { "\n  " });
            out.push_str(&entry.to_string());
        }
        out.push(']');
    }
    out.push_str("}\n");
    out
}
