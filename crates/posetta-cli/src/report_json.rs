//! The report of `check` for programs. Fields are documented; more may be added, none is renamed.

use posetta_tell::Problem;
use posetta_tell::checked::unprepared;
use posetta_tell::json::Schema;
use serde_json::Value;

use crate::board::Report;
use crate::problem::warning_json;

/// One object, one result per line.
pub fn check(report: &Report, errors: &[Problem]) -> String {
    let mut results: Vec<Value> = Vec::new();
    for run in &report.runs {
        results.extend(report.answers_of(run).map(|(property, outcome)| {
            let warnings = run.warnings.iter().chain(&outcome.warnings).map(warning_json).collect();
            outcome.to_json(&run.name, run.shape, property, warnings)
        }));
        results.extend(report.followed(run).map(|(model, followed)| {
            let warnings = run.warnings.iter().chain(&model.system.warnings).chain(&followed.warnings);
            followed.to_json(&run.name, run.shape, &model.name, warnings.map(warning_json).collect())
        }));
    }
    results.extend(report.unprepared.map(unprepared));
    let errors = errors.iter().map(Problem::to_json).collect();
    Schema::Check.lists(&[("results", results), ("errors", errors)], &[])
}
