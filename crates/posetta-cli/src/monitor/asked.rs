//! What a checkpoint is held to: the question, as far as it decides what is told.

use posetta_monitor::Difference;
use serde_json::{Map, Value, json};

use crate::args::MonitorArgs;

/// What the program asks beside what the library asks, as an object: each field is something that a user gave.
pub fn asked(args: &MonitorArgs, source: &str, format: &str) -> Map<String, Value> {
    let mut asked = Map::new();
    let mut put = |field: &str, value: Value| drop(asked.insert(field.to_owned(), value));
    put("source", json!(source));
    put("format", json!(format));
    put("the sampling", json!(args.sampling.flag().map(|_| format!("{:?}", args.sampling.sampling()))));
    put("--json", json!(args.is_json()));
    put("--out", json!(args.out.as_ref().map(|path| path.display().to_string())));
    asked
}

/// What differs, in words.
pub fn difference(difference: &Difference) -> String {
    let Difference { field, then, now } = difference;
    let then = then.as_ref().unwrap_or(&Value::Null);
    let Some(now) = now else { return format!("it was made with {field}") };
    match field.as_str() {
        "properties" => "it was made with other properties".to_owned(),
        "source" | "format" => format!("its {field} was {}, and now it is {}", shown(then), shown(now)),
        flag => match (then, now) {
            (Value::Null | Value::Bool(false), Value::Bool(true)) => format!("it was made without {flag}"),
            (Value::Bool(true), _) => format!("it was made with {flag}"),
            (Value::Null, now) => format!("it was made without {flag}, and now it is {}", shown(now)),
            (then, Value::Null) => format!("it was made with {flag} {}", shown(then)),
            (then, now) => format!("{flag} was {}, and now it is {}", shown(then), shown(now)),
        },
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) if text == "-" => "standard input".to_owned(),
        Value::String(text) => format!("`{text}`"),
        other => other.to_string(),
    }
}
