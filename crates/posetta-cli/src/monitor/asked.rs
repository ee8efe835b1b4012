//! What a checkpoint is held to: the question, as far as it decides what is told.

use posetta_monitor::Completions;
use serde_json::{Map, Value, json};

use crate::args::MonitorArgs;
use crate::properties::Named;

/// The question as an object: each field is something that a user gave.
pub fn asked(args: &MonitorArgs, properties: &[Named], source: &str, format: &str) -> Map<String, Value> {
    let property = |p: &Named| json!([p.name, p.logic(), p.over(), p.formula]);
    let mut asked = Map::new();
    let mut put = |field: &str, value: Value| drop(asked.insert(field.to_owned(), value));
    put("source", json!(source));
    put("format", json!(format));
    put("properties", properties.iter().map(property).collect());
    put("--completions", json!(word(args.completions.into())));
    put("the sampling", json!(args.sampling.flag().map(|_| format!("{:?}", args.sampling.sampling()))));
    put("--key", json!(args.key));
    put("--every", json!(args.every));
    put("--json", json!(args.is_json()));
    put("--out", json!(args.out.as_ref().map(|path| path.display().to_string())));
    asked
}

/// The first thing that differs, in words.
pub fn difference(then: &Map<String, Value>, now: &Map<String, Value>) -> Option<String> {
    if let Some(more) = then.keys().find(|field| !now.contains_key(*field)) {
        return Some(format!("it was made with {more}"));
    }
    let (field, now) = now.iter().find(|(field, value)| then.get(*field) != Some(value))?;
    let then = then.get(field).unwrap_or(&Value::Null);
    Some(match field.as_str() {
        "properties" => "it was made with other properties".to_owned(),
        "source" | "format" => format!("its {field} was {}, and now it is {}", shown(then), shown(now)),
        flag => match (then, now) {
            (Value::Null | Value::Bool(false), Value::Bool(true)) => format!("it was made without {flag}"),
            (Value::Bool(true), _) => format!("it was made with {flag}"),
            (Value::Null, now) => format!("it was made without {flag}, and now it is {}", shown(now)),
            (then, Value::Null) => format!("it was made with {flag} {}", shown(then)),
            (then, now) => format!("{flag} was {}, and now it is {}", shown(then), shown(now)),
        },
    })
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) if text == "-" => "standard input".to_owned(),
        Value::String(text) => format!("`{text}`"),
        other => other.to_string(),
    }
}

/// As on the command line.
pub fn word(completions: Completions) -> &'static str {
    match completions {
        Completions::Finite => "finite",
        Completions::Infinite => "infinite",
        Completions::Both => "both",
    }
}
