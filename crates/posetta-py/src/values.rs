//! Values and JSON on their way to Python and back.

use posetta_base::{Number, Value};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString};

use crate::errors::bad_argument;

static LOADS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static FRACTION: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// A JSON text as Python objects.
pub fn loads<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyAny>> {
    LOADS.import(py, "json", "loads")?.call1((json,))
}

/// A value: an int, a `fractions.Fraction` where it is none, or a str. Nothing is rounded.
pub fn value<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Text(text) => Ok(PyString::new(py, text).into_any()),
        Value::Number(n) => number(py, n),
    }
}

/// The same of a number.
pub fn number<'py>(py: Python<'py>, number: &Number) -> PyResult<Bound<'py, PyAny>> {
    if let Some(n) = number.as_i64() {
        return Ok(n.into_pyobject(py)?.into_any());
    }
    let ratio = number.to_ratio();
    let fraction = FRACTION.import(py, "fractions", "Fraction")?;
    let made = fraction.call1((format!("{}/{}", ratio.numerator(), ratio.denominator()),))?;
    match made.getattr("denominator")?.eq(1)? {
        true => made.getattr("numerator"),
        false => Ok(made),
    }
}

/// What a Python object means as the value of a variable. A float is the number that Python prints, as in JSON.
pub fn to_value(object: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(text) = object.cast::<PyString>() {
        return Ok(Value::Text(text.to_str()?.to_owned()));
    }
    if let Ok(truth) = object.cast::<PyBool>() {
        return Ok(Value::from(i64::from(truth.is_true())));
    }
    if object.is_instance_of::<PyInt>() {
        if let Ok(n) = object.extract::<i64>() {
            return Ok(Value::from(n));
        }
        return parsed(&object.str()?.to_string());
    }
    if let Ok(float) = object.cast::<PyFloat>() {
        return of_float(float.value());
    }
    // Fractions, Decimals, and numbers of other libraries that say what they are.
    if let (Ok(numerator), Ok(denominator)) = (object.getattr("numerator"), object.getattr("denominator")) {
        let (n, d) = (parsed(&numerator.str()?.to_string())?, parsed(&denominator.str()?.to_string())?);
        let (Value::Number(n), Value::Number(d)) = (n, d) else { return Err(no_value(object)) };
        return n.div(&d).map(Value::Number).map_err(|_| no_value(object));
    }
    if let Ok(pair) = object.call_method0("as_integer_ratio") {
        let (n, d): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
        let (n, d) = (parsed(&n.str()?.to_string())?, parsed(&d.str()?.to_string())?);
        let (Value::Number(n), Value::Number(d)) = (n, d) else { return Err(no_value(object)) };
        return n.div(&d).map(Value::Number).map_err(|_| no_value(object));
    }
    Err(no_value(object))
}

/// A float is the number that is written for it.
pub fn of_float(float: f64) -> PyResult<Value> {
    // Integers of this size are exact.
    if float.fract() == 0.0 && float.abs() < 9e15 {
        return Ok(Value::from(float as i64));
    }
    if !float.is_finite() {
        return Err(bad_argument(format!("{float} is no value of a variable")));
    }
    parsed(&format!("{float:?}"))
}

fn parsed(text: &str) -> PyResult<Value> {
    let number = text.parse().map_err(|_| bad_argument(format!("{} is no value of a variable", clipped(text))))?;
    Ok(Value::Number(number))
}

fn no_value(object: &Bound<'_, PyAny>) -> PyErr {
    let kind = object.get_type().name().map_or_else(|_| "?".to_owned(), |name| name.to_string());
    bad_argument(format!("a value of a variable is a number, a string or a bool, not {kind}"))
}

fn clipped(text: &str) -> String {
    posetta_tell::short(text, 40)
}
