//! Mistakes, limits and defects as exceptions of `posetta.errors`.

use posetta_base::{Diagnostic, Error, OverBudget};
use posetta_files::carets;
use posetta_tell::{Paint, Problem, text};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyList, PyType};

use crate::values::loads;

/// How exceptions and reports are drawn: no colours, the columns of a terminal.
pub const PAPER: Paint = Paint { colours: false, ascii: false, width: 80, quiet: false };

static INVALID: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static LIMIT: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static DEFECT: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// Mistakes, each with the file that it is in.
pub fn invalid(py: Python<'_>, problems: &[Problem]) -> PyErr {
    raised(py, &INVALID, "Invalid", problems)
}

/// Mistakes in one file.
pub fn invalid_in<'d>(py: Python<'_>, file: &str, mistakes: impl IntoIterator<Item = &'d Diagnostic>) -> PyErr {
    let problems: Vec<Problem> = mistakes.into_iter().map(|d| Problem::in_text(file, d.clone())).collect();
    invalid(py, &problems)
}

/// What the library says of an input.
pub fn of(py: Python<'_>, file: &str, error: &Error) -> PyErr {
    match error {
        Error::OverBudget(over) => limit(py, *over),
        Error::Defect(defect) => raised(py, &DEFECT, "Defect", &[Problem::in_text(file, (**defect).clone())]),
        _ => invalid_in(py, file, error.diagnostics()),
    }
}

/// A limit was reached before there was an answer that could say so.
pub fn limit(py: Python<'_>, over: OverBudget) -> PyErr {
    let told = format!("{}: the {} limit was reached{}", over.what, over.limit.word(), text::advice(over.limit));
    let made = LIMIT.import(py, "posetta.errors", "LimitReached").and_then(|class| class.call1((told,)));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// Something panicked: a defect of Posetta, never the input's fault.
pub fn panicked(py: Python<'_>, payload: &(dyn std::any::Any + Send)) -> PyErr {
    of(py, "", &Error::defect(said(payload), "what was asked"))
}

/// What a panic says.
pub fn said(payload: &(dyn std::any::Any + Send)) -> String {
    let said = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    said.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}

fn raised(py: Python<'_>, cell: &PyOnceLock<Py<PyType>>, name: &str, problems: &[Problem]) -> PyErr {
    let drawn: String = problems.iter().map(|problem| carets::error(problem, PAPER)).collect();
    let make = || {
        let class = cell.import(py, "posetta.errors", name)?;
        let entries = PyList::empty(py);
        for problem in problems {
            entries.append(loads(py, &problem.to_json().to_string())?)?;
        }
        class.call1((drawn.trim_end(), entries))
    };
    make().map_or_else(|error| error, PyErr::from_value)
}

/// An argument that means nothing.
pub fn bad_argument(message: impl Into<String>) -> PyErr {
    PyValueError::new_err(message.into())
}
