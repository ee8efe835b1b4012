//! The report of `check` for programs. Fields are documented; more may be added, none is renamed.

use serde_json::Value;

use crate::board::{Asked, RunReport};
use crate::problem::warning_json;

/// The entries of `results` about one run.
pub fn results<'a>(asked: &'a Asked, run: &'a RunReport) -> impl Iterator<Item = Value> {
    let answers = asked.answers_of(run).map(|(property, outcome)| {
        let warnings = run.warnings.iter().chain(&outcome.warnings).map(warning_json).collect();
        outcome.to_json(&run.name, run.shape, property, warnings)
    });
    answers.chain(asked.followed(run).map(|(model, followed)| {
        let warnings = run.warnings.iter().chain(&model.system.warnings).chain(&followed.warnings);
        followed.to_json(&run.name, run.shape, &model.name, warnings.map(warning_json).collect())
    }))
}
