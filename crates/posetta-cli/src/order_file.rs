//! An order of events from a file: a JSON array of ids, a report of `check --json`, or one id per line.

use posetta_base::{Diagnostic, Kind, Place};
use serde_json::Value;

/// Which witness of a report is meant.
pub struct Wanted<'a> {
    /// The name of the property, if the user gave one.
    pub name: Option<&'a str>,
    /// Its formula, printed.
    pub formula: &'a str,
    /// The run.
    pub trace: &'a str,
}

/// The ids in order.
pub fn parse(text: &str, wanted: &Wanted<'_>) -> Result<Vec<String>, Diagnostic> {
    match text.trim_start().as_bytes().first() {
        Some(b'[') => array(&json(text)?),
        Some(b'{') => from_report(&json(text)?, wanted),
        _ => Ok(text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()),
    }
}

fn json(text: &str) -> Result<Value, Diagnostic> {
    serde_json::from_str(text).map_err(|error| {
        let line = text.lines().nth(error.line().saturating_sub(1)).unwrap_or_default();
        let column = error.column().saturating_sub(1);
        let message = error.to_string();
        let message = message.split(" at line").next().unwrap_or_default();
        Diagnostic::new(Kind::Syntax, format!("this is not JSON: {message}")).at(Place::in_line(
            error.line() as u64,
            line,
            column,
            column + 1,
        ))
    })
}

fn array(value: &Value) -> Result<Vec<String>, Diagnostic> {
    let entries = value.as_array().map(Vec::as_slice).unwrap_or_default();
    let id = |entry: &Value| {
        entry.as_str().map(str::to_owned).ok_or_else(|| {
            Diagnostic::new(Kind::Type, format!("an order is an array of event ids; {} is not a string", brief(entry)))
        })
    };
    entries.iter().map(id).collect()
}

fn brief(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 40 { text } else { text.chars().take(40).chain(['…']).collect() }
}

fn from_report(report: &Value, wanted: &Wanted<'_>) -> Result<Vec<String>, Diagnostic> {
    if report.get("results").is_none() && report.get("witness").is_none() {
        let message = "this JSON object is neither a list of events nor a report";
        return Err(Diagnostic::new(Kind::Input, message)
            .help("give a JSON array of event ids, a report of `check --json`, or one id per line"));
    }
    let results = match report.get("results").and_then(Value::as_array) {
        Some(results) => results.as_slice(),
        None => std::slice::from_ref(report),
    };
    let text = |result: &Value, field: &str| result.get(field).and_then(Value::as_str).map(str::to_owned);
    let mut left: Vec<&Value> = results.iter().filter(|r| r.get("witness").is_some_and(Value::is_array)).collect();
    // Each narrows the choice only as far as needed: a report of one result needs no name.
    let narrow = |left: &mut Vec<&Value>, fits: &dyn Fn(&Value) -> bool| {
        if left.len() > 1 && left.iter().any(|r| fits(r)) {
            left.retain(|r| fits(r));
        }
    };
    if let Some(name) = wanted.name {
        left.retain(|r| text(r, "property").as_deref() == Some(name) || r.get("property").is_none());
    }
    narrow(&mut left, &|r| text(r, "formula").as_deref() == Some(wanted.formula));
    narrow(&mut left, &|r| text(r, "trace").as_deref() == Some(wanted.trace));
    match left.as_slice() {
        [] => Err(Diagnostic::new(Kind::Input, "this report has no witness for the property")
            .help("a witness comes with a violation, unless the report was made with --witness never")),
        [result] => array(&result["witness"]),
        several => {
            let names: Vec<String> = several.iter().filter_map(|r| text(r, "property")).collect();
            Err(Diagnostic::new(Kind::Input, format!("this report has {} witnesses that fit", several.len()))
                .help(format!("choose one with --property: {}", names.join(", "))))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, name: Option<&str>) -> Result<Vec<String>, String> {
        parse(text, &Wanted { name, formula: "G p", trace: "b" }).map_err(|d| d.message)
    }

    #[test]
    fn reads_arrays_reports_and_lines() {
        let ids = Ok(vec!["A.1".to_owned(), "B.1".to_owned()]);
        for text in [
            r#"["A.1", "B.1"]"#,
            "A.1\n\n  B.1\r\n",
            r#"{"witness":["A.1","B.1"]}"#,
            r#"{"results":[{"property":"x","witness":null},{"property":"y","witness":["A.1","B.1"]}]}"#,
            r#"{"results":[{"formula":"G q","witness":[]},{"formula":"G p","witness":["A.1","B.1"]}]}"#,
            r#"{"results":[{"formula":"G p","trace":"a","witness":[]},{"formula":"G p","trace":"b","witness":["A.1","B.1"]}]}"#,
        ] {
            assert_eq!(read(text, None), ids, "{text}");
        }
        assert_eq!(read("", None), Ok(vec![]));
    }

    #[test]
    fn says_what_is_wrong() {
        for (text, name, message) in [
            ("[1]", None, "an order is an array of event ids; 1 is not a string"),
            (r#"{"a":1}"#, None, "this JSON object is neither a list of events nor a report"),
            ("[\"a\"", None, "this is not JSON: EOF while parsing a list"),
            (r#"{"results":[]}"#, None, "this report has no witness for the property"),
            (
                r#"{"results":[{"property":"x","witness":[]}]}"#,
                Some("y"),
                "this report has no witness for the property",
            ),
            (r#"{"results":[{"witness":[]},{"witness":[]}]}"#, None, "this report has 2 witnesses that fit"),
        ] {
            assert_eq!(read(text, name), Err(message.to_owned()), "{text}");
        }
        let deep = format!("{}1{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
        assert!(read(&deep, None).is_err());
    }
}
