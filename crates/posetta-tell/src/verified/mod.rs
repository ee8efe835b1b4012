//! What became of the properties of a model, and how it is said: [`fds`] for fair discrete systems, [`system`] for systems of
//! components.
//!
//! An answer is put into its slot as soon as it is known, so a report can be made at any time: what is open then is unknown.

pub mod asked_of_model;
pub mod asked_of_system;
pub mod fds;
mod parts;
pub mod system;

use posetta_base::{Diagnostic, OverBudget, Verdict};
use serde_json::Value;

use crate::json::Schema;
use crate::problem::Problem;
use crate::word::Word;

/// What a verdict says, and the limit that left it open; `over` is the one that came before there was any.
fn word<W>(verdict: Option<&Verdict<W>>, over: Option<OverBudget>) -> (Word, Option<OverBudget>) {
    match verdict {
        None => (Word::Unknown, over),
        Some(Verdict::Unknown(over)) => (Word::Unknown, Some(*over)),
        Some(known) => (Word::from(known), None),
    }
}

/// A warning about a property whose places are in `file`.
fn remark(file: &str, property: &str, warning: &Diagnostic) -> Problem {
    Problem { trace: None, file: file.to_owned(), property: Some(property.to_owned()), diagnostic: warning.clone() }
}

/// One object, one result per line.
fn document(results: Vec<Value>, warnings: Vec<Value>, problems: &[Problem], model: Value) -> String {
    let errors = problems.iter().map(Problem::to_json).collect();
    let lists = [("results", results), ("warnings", warnings), ("errors", errors)];
    Schema::Verify.lists(&lists, &[("model", model)])
}
