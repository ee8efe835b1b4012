//! What `refine` found, for programs: one JSON object.

use posetta_base::{ActionId, OverBudget};
use posetta_model::system::System;
use posetta_tell::json::{Schema, limit as limit_of};
use posetta_verify::refine::{Lacking, Stats};
use serde_json::{Value, json};

use super::{Findings, Side};

/// There is no answer because of mistakes.
pub(super) fn mistakes(errors: Vec<Value>) -> String {
    Schema::Refine.object(json!({ "verdict": null, "witness": null, "errors": errors }))
}

/// There is none because of a limit.
pub(super) fn limit(over: OverBudget) -> String {
    let limit = limit_of(over, 0);
    Schema::Refine.object(json!({ "verdict": "unknown", "witness": null, "limit": limit, "errors": [] }))
}

/// The report.
pub(super) fn report(findings: &Findings) -> String {
    let (has, lacks) = findings.sides();
    let names = |system: &System, actions: &[ActionId]| -> Vec<String> {
        actions.iter().map(|&a| system.action(a).name.to_string()).collect()
    };
    let side = |side: &Side| json!({ "file": side.file, "system": side.system.name });
    let lacking = findings.lacking.as_ref();
    let run = |lacking: &Lacking| -> Vec<Value> {
        let step = |id: ActionId| {
            let action = has.system.action(id);
            json!({ "action": action.name.as_ref(), "observable": !action.internal })
        };
        lacking.run.steps.iter().map(|s| step(s.action)).collect()
    };
    Schema::Refine.object(json!({
        "verdict": if lacking.is_some() { "violated" } else { "holds" },
        "witness": lacking.map(|(l, _)| names(&has.system, &l.trace)),
        "question": if findings.equivalent { "equivalent" } else { "implements" },
        "implementation": side(&findings.implementation),
        "specification": side(&findings.specification),
        "lacking_in": lacking.map(|(_, turned)| if *turned { "implementation" } else { "specification" }),
        "run": lacking.map(|(l, _)| run(l)),
        "allowed": lacking.map(|(l, _)| names(&lacks.system, &l.allowed)),
        "limit": null,
        "stats": findings.stats.iter().map(|(stats, seconds)| cost(stats, *seconds)).collect::<Vec<_>>(),
        "errors": [],
    }))
}

fn cost(stats: &Stats, seconds: f64) -> Value {
    json!({
        "engine": stats.engine.word(),
        "pairs": stats.pairs,
        "implementation_states": stats.implementation_states,
        "specification_states": stats.specification_states,
        "states": stats.states.as_ref().map(ToString::to_string),
        "diagram_nodes": stats.diagram_nodes,
        "seconds": seconds,
    })
}
