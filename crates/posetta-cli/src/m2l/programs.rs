//! The answers, for programs. Fields are documented in docs/report.md; more may be added, none is renamed.

use posetta_base::OverBudget;
use posetta_compile::m2l::{Answer, Engine};
use posetta_logic::m2l::Order;
use posetta_tell::json::{self, Schema};
use serde_json::{Map, Value, json};

use super::{Finding, Model, Worth};

/// One object: the answer of the main formula, and those of each `verify`.
pub fn report(findings: &[Finding], errors: Vec<Value>, over: Option<OverBudget>) -> String {
    let main = findings.first();
    let open = if over.is_some() { json!("unknown") } else { Value::Null };
    let mut object = json!({
        "answer": main.map_or(open, |f| json!(word(f.answer))),
        "counterexample": main.and_then(|f| f.counterexample.as_ref()).map(model),
        "example": main.and_then(|f| f.example.as_ref()).map(model),
        "formulas": findings.iter().skip(1).map(formula).collect::<Vec<_>>(),
        "stats": main.map(stats),
    });
    if let (Value::Object(fields), Some(over)) = (&mut object, over) {
        fields.insert("limit".to_owned(), json::limit(over, 0));
    }
    object["errors"] = Value::Array(errors);
    Schema::M2l.object(object)
}

fn formula(finding: &Finding) -> Value {
    json!({
        "title": finding.title,
        "answer": word(finding.answer),
        "counterexample": finding.counterexample.as_ref().map(model),
        "example": finding.example.as_ref().map(model),
        "stats": stats(finding),
    })
}

fn word(answer: Answer) -> &'static str {
    match answer {
        Answer::Valid => "valid",
        Answer::Unsatisfiable => "unsatisfiable",
        Answer::Neither => "neither",
    }
}

fn model(model: &Model) -> Value {
    let (mut values, mut tracks) = (Map::new(), Map::new());
    for track in &model.tracks {
        let value = match &track.value {
            Worth::Truth(value) => json!(value),
            Worth::Position(at) => json!(at),
            Worth::Set(all) => json!(all),
        };
        values.insert(track.name.clone(), value);
        let bits = if track.order == Order::Zero { track.before.to_string() } else { track.bits.clone() };
        tracks.insert(track.name.clone(), Value::String(bits));
    }
    json!({ "length": model.length, "values": values, "tracks": tracks })
}

fn stats(finding: &Finding) -> Value {
    let effort = &finding.effort;
    json!({
        "engine": if finding.engine == Engine::Lazy { "lazy" } else { "eager" },
        "products": effort.products,
        "projections": effort.projections,
        "states": effort.most_states,
        "nodes": effort.most_nodes,
        "seconds": json::seconds(finding.seconds),
    })
}
