//! A mistake in an input together with the input it was found in.

use posetta::base::{Diagnostic, Kind};
use serde_json::{Value, json};

/// One entry of a report's `errors`.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The run it belongs to, if it belongs to one.
    pub trace: Option<String>,
    /// The text that its place is in: a path, or a flag such as `--ltl`.
    pub file: String,
    /// The property it belongs to, if it belongs to one.
    pub property: Option<String>,
    /// What is wrong.
    pub diagnostic: Diagnostic,
}

impl Problem {
    /// A mistake in a run's file.
    pub fn in_run(trace: &str, diagnostic: Diagnostic) -> Self {
        Self { trace: Some(trace.to_owned()), file: trace.to_owned(), property: None, diagnostic }
    }

    /// A mistake in a file or a flag that is not a run.
    pub fn in_text(file: &str, diagnostic: Diagnostic) -> Self {
        Self { trace: None, file: file.to_owned(), property: None, diagnostic }
    }

    /// As an entry of `errors`.
    pub fn to_json(&self) -> Value {
        let mut entry = json!({ "trace": self.trace, "file": self.file, "property": self.property });
        if let (Some(entry), Value::Object(rest)) = (entry.as_object_mut(), diagnostic_json(&self.diagnostic)) {
            entry.extend(rest);
        }
        entry
    }
}

/// What a diagnostic says, without the file.
pub fn diagnostic_json(diagnostic: &Diagnostic) -> Value {
    json!({
        "kind": kind_word(diagnostic.kind),
        "line": diagnostic.place.as_ref().map(|p| p.line),
        "column": diagnostic.place.as_ref().map(|p| p.column),
        "message": diagnostic.message,
        "label": diagnostic.label,
        "help": diagnostic.help,
    })
}

/// The kind as programs see it. These words are part of the JSON format: add, never rename.
fn kind_word(kind: Kind) -> &'static str {
    match kind {
        Kind::Syntax => "syntax",
        Kind::Encoding => "encoding",
        Kind::Truncated => "truncated",
        Kind::Nesting => "nesting",
        Kind::Digits => "digits",
        Kind::Cycle => "cycle",
        Kind::MissingEvent => "missing-event",
        Kind::DuplicateId => "duplicate-id",
        Kind::Clock => "clock",
        Kind::AssignedTwice => "assigned-twice",
        Kind::Mixed => "mixed",
        Kind::UnknownVariable => "unknown-variable",
        Kind::Type => "type",
        Kind::UnorderedWrites => "unordered-writes",
        Kind::DuplicateProperty => "duplicate-property",
        Kind::Unsupported => "unsupported",
        Kind::Input => "input",
    }
}

/// What the system says went wrong, without its error number.
pub fn system_error(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(at) => text[..at].to_owned(),
        None => text,
    }
}
