//! A mistake in an input together with the input it was found in.

use posetta_base::Diagnostic;
use serde_json::{Value, json};

use crate::report::Written;

/// What the places of a formula without a flag are in.
pub const BARE: &str = "the property";

/// Whether what a diagnostic is in is a file that has a name.
#[must_use]
pub fn is_file(name: &str) -> bool {
    !name.starts_with("--") && !["", "-", "arguments", BARE].contains(&name)
}

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
    #[must_use]
    pub fn in_run(trace: &str, diagnostic: Diagnostic) -> Self {
        Self { trace: Some(trace.to_owned()), file: trace.to_owned(), property: None, diagnostic }
    }

    /// A mistake in a file or a flag that is not a run.
    #[must_use]
    pub fn in_text(file: &str, diagnostic: Diagnostic) -> Self {
        Self { trace: None, file: file.to_owned(), property: None, diagnostic }
    }

    /// Where it is, if that is a file.
    #[must_use]
    pub fn written(&self) -> Option<Written> {
        let place = self.diagnostic.place.as_ref();
        let file = place.and_then(|place| place.part.as_deref()).unwrap_or(&self.file);
        let (line, column) = place.map_or((0, None), |place| (place.line, Some(place.column)));
        is_file(file).then(|| Written { file: Some(file.to_owned()), line, column })
    }

    /// As an entry of `errors`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        self.entry(diagnostic_json(&self.diagnostic))
    }

    /// As a line among those about a stream.
    #[must_use]
    pub fn to_line(&self) -> Value {
        json!({ "error": self.to_json() })
    }

    /// As an entry of `warnings`; `denied` if it counts as a mistake.
    #[must_use]
    pub fn to_warning_json(&self, denied: bool) -> Value {
        self.entry(warning_json(&self.diagnostic, denied))
    }

    fn entry(&self, diagnostic: Value) -> Value {
        let part = self.diagnostic.place.as_ref().and_then(|place| place.part.as_deref());
        let file = part.unwrap_or(&self.file);
        let mut entry = json!({ "trace": self.trace, "file": file, "property": self.property });
        if let (Some(entry), Value::Object(rest)) = (entry.as_object_mut(), diagnostic) {
            entry.extend(rest);
        }
        entry
    }
}

/// What a diagnostic says, without the file.
#[must_use]
pub fn diagnostic_json(diagnostic: &Diagnostic) -> Value {
    json!({
        "kind": diagnostic.kind.word(),
        "line": diagnostic.place.as_ref().map(|p| p.line),
        "column": diagnostic.place.as_ref().map(|p| p.column),
        "message": diagnostic.message,
        "label": diagnostic.label,
        "help": diagnostic.help,
    })
}

/// What a warning says, and whether somebody has said that it counts as a mistake.
#[must_use]
pub fn warning_json(warning: &Diagnostic, denied: bool) -> Value {
    let mut object = diagnostic_json(warning);
    if denied {
        object["denied"] = json!(true);
    }
    object
}

/// A warning about a property, or about the input, as a line among those about a stream.
#[must_use]
pub fn warning_line(property: Option<&str>, warning: &Diagnostic, denied: bool) -> Value {
    json!({ "warning": { "property": property, "warning": warning_json(warning, denied) } })
}
