//! What came of the model, for programs.

use posetta_tell::Word;
use posetta_tell::checked::Shape;
use posetta_tell::json::{limit, observed, seconds};
use serde_json::{Value, json};

use super::{Followed, Front, Model};
use crate::board::RunReport;
use crate::problem::warning_json;

/// The result of one run: the fields of other results, of which many have no meaning here, and the cuts that no order goes beyond.
pub fn result(run: &RunReport, model: &Model, followed: &Followed) -> Value {
    let decided = followed.word != Word::Unknown;
    let warnings = run.warnings.iter().chain(&model.system.warnings).chain(&followed.warnings);
    json!({
        "trace": run.name,
        "property": model.name,
        "logic": "model",
        "over": null,
        "formula": null,
        "verdict": followed.word.text(),
        "runs": null,
        "observed": followed.observed.map(observed),
        "orders": run.shape.map(Shape::orders),
        "witness": followed.witness,
        "actions": followed.actions,
        "frontiers": followed.frontiers.as_ref().map(|all| all.iter().map(front).collect::<Vec<_>>()),
        "proof": null,
        "cuts": null,
        "counts": null,
        "why": null,
        "parts": null,
        "limit": followed.over.map(|over| limit(over, followed.pairs)),
        "warnings": warnings.map(warning_json).collect::<Vec<_>>(),
        "stats": {
            "engine": "model",
            "pairs": decided.then_some(followed.pairs),
            "steps": decided.then_some(followed.steps),
            "events": run.shape.map(|s| s.events),
            "seconds": seconds(followed.seconds),
        },
    })
}

fn front(front: &Front) -> Value {
    let refused: Vec<Value> =
        front.refused.iter().map(|r| json!({ "event": r.event, "action": r.action, "by": r.by })).collect();
    json!({ "taken": front.taken, "refused": refused })
}
