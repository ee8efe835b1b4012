//! Tables by columns, as Arrow and arrays have them.
//!
//! No library of Arrow is linked: `posetta._convert` asks `pyarrow` for the buffers of a column, and here they are read as bytes. Bytes of Python
//! cannot change, so they are looked at where they are; of a buffer that others could change meanwhile, one copy is made: eight bytes for a
//! number. Then the interpreter is let go.

use posetta_base::{Budget, Diagnostic, Error, Kind, Number, Value};
use posetta_trace::{Builder, Trace};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyMemoryView};
use serde_json::Value as Json;

use crate::errors::bad_argument;
use crate::values::{of_float, to_value};

/// What a column is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Process,
    Id,
    Name,
    Time,
    After,
    Set,
    Attribute,
}

/// The values of a column.
enum Data {
    Ints(PyBackedBytes),
    Floats(PyBackedBytes),
    Bools(PyBackedBytes),
    Texts(Texts),
    Lists(PyBackedBytes, Texts),
    /// What came as Python objects.
    Values(Vec<Option<Value>>),
}

/// Strings one behind the other, and where each ends.
struct Texts {
    ends: PyBackedBytes,
    data: PyBackedBytes,
}

/// A column with its name.
pub struct Column {
    pub name: String,
    pub role: Role,
    rows: usize,
    /// A byte for each row: whether there is a value.
    valid: Option<PyBackedBytes>,
    data: Data,
}

/// Columns of one length.
pub struct Table {
    pub columns: Vec<Column>,
    rows: usize,
}

/// The bytes of anything that has a buffer: those of a bytes object where they are, else a copy.
pub fn bytes_of(source: &Bound<'_, PyAny>) -> PyResult<PyBackedBytes> {
    if let Ok(bytes) = source.cast::<PyBytes>() {
        return Ok(PyBackedBytes::from(bytes.clone()));
    }
    let copied = PyMemoryView::from(source)?.call_method0("tobytes")?;
    Ok(PyBackedBytes::from(copied.cast::<PyBytes>()?.clone()))
}

fn eight(bytes: &[u8], at: usize) -> Option<[u8; 8]> {
    bytes.get(at.checked_mul(8)?..)?.first_chunk().copied()
}

fn integer(bytes: &[u8], at: usize) -> i64 {
    eight(bytes, at).map_or(0, i64::from_ne_bytes)
}

impl Texts {
    fn get(&self, at: usize) -> Option<&str> {
        let end = |at: usize| usize::try_from(integer(&self.ends, at)).ok();
        std::str::from_utf8(self.data.get(end(at)?..end(at + 1)?)?).ok()
    }

    fn rows(&self) -> usize {
        (self.ends.len() / 8).saturating_sub(1)
    }
}

impl Column {
    /// From what `posetta._convert` says of it: its name, what it is for, its type, whether each row has a value, and buffers.
    fn of(entry: &Bound<'_, PyAny>) -> PyResult<Self> {
        type Entry<'py> = (String, String, String, Option<Bound<'py, PyAny>>, Vec<Bound<'py, PyAny>>);
        let (name, role, kind, valid, buffers): Entry<'_> = entry.extract()?;
        let role = match role.as_str() {
            "process" => Role::Process,
            "id" => Role::Id,
            "name" => Role::Name,
            "time" => Role::Time,
            "after" => Role::After,
            "set" => Role::Set,
            _ => Role::Attribute,
        };
        let missing = || bad_argument(format!("the column `{name}` lacks a buffer"));
        let buffer = |at: usize| buffers.get(at).ok_or_else(missing).and_then(bytes_of);
        let (data, rows) = match kind.as_str() {
            "int" => (Data::Ints(buffer(0)?), buffer(0)?.len() / 8),
            "float" => (Data::Floats(buffer(0)?), buffer(0)?.len() / 8),
            "bool" => (Data::Bools(buffer(0)?), buffer(0)?.len()),
            "text" => {
                let texts = Texts { ends: buffer(0)?, data: buffer(1)? };
                let rows = texts.rows();
                (Data::Texts(texts), rows)
            }
            "texts" => {
                let lists = buffer(0)?;
                let rows = (lists.len() / 8).saturating_sub(1);
                (Data::Lists(lists, Texts { ends: buffer(1)?, data: buffer(2)? }), rows)
            }
            _ => {
                let mut values = Vec::new();
                for object in buffers.first().ok_or_else(missing)?.try_iter()? {
                    let object = object?;
                    values.push(if object.is_none() { None } else { Some(to_value(&object)?) });
                }
                let rows = values.len();
                (Data::Values(values), rows)
            }
        };
        let valid = valid.map(|valid| bytes_of(&valid)).transpose()?;
        Ok(Self { name, role, rows, valid, data })
    }

    fn has(&self, row: usize) -> bool {
        self.valid.as_ref().is_none_or(|valid| valid.get(row).is_some_and(|&own| own != 0))
    }

    /// The value in a row.
    pub fn value(&self, row: usize) -> Result<Option<Value>, Error> {
        if !self.has(row) {
            return Ok(None);
        }
        Ok(match &self.data {
            Data::Ints(bytes) => Some(Value::from(integer(bytes, row))),
            Data::Floats(bytes) => {
                let float = eight(bytes, row).map_or(0.0, f64::from_ne_bytes);
                let value =
                    of_float(float).map_err(|_| self.wrong(row, &format!("{float} is no value of a variable")))?;
                Some(value)
            }
            Data::Bools(bytes) => Some(Value::from(i64::from(bytes.get(row).is_some_and(|&own| own != 0)))),
            Data::Texts(texts) => texts.get(row).map(Value::from),
            Data::Lists(..) => return Err(self.wrong(row, "a list is no value of a variable")),
            Data::Values(values) => values.get(row).cloned().flatten(),
        })
    }

    /// The text in a row.
    pub fn text(&self, row: usize) -> Result<Option<&str>, Error> {
        if !self.has(row) {
            return Ok(None);
        }
        match &self.data {
            Data::Texts(texts) => Ok(texts.get(row)),
            Data::Values(values) => match values.get(row) {
                Some(Some(Value::Text(text))) => Ok(Some(text)),
                Some(None) | None => Ok(None),
                Some(Some(_)) => Err(self.wrong(row, "a string is expected")),
            },
            _ => Err(self.wrong(row, "a string is expected")),
        }
    }

    fn texts(&self, row: usize) -> Result<Vec<&str>, Error> {
        match &self.data {
            Data::Lists(ends, texts) if self.has(row) => {
                let (from, to) = (integer(ends, row), integer(ends, row + 1));
                let places = usize::try_from(from).unwrap_or(0)..usize::try_from(to).unwrap_or(0);
                Ok(places.filter_map(|at| texts.get(at)).collect())
            }
            Data::Lists(..) => Ok(Vec::new()),
            _ => Ok(self.text(row)?.into_iter().collect()),
        }
    }

    /// The value as JSON, for attributes.
    pub fn json(&self, row: usize) -> Result<Option<String>, Error> {
        if let Data::Lists(..) = &self.data {
            let all = self.texts(row)?;
            return Ok(self.has(row).then(|| Json::from(all).to_string()));
        }
        if let (Data::Bools(bytes), true) = (&self.data, self.has(row)) {
            return Ok(Some(bytes.get(row).is_some_and(|&own| own != 0).to_string()));
        }
        Ok(self.value(row)?.map(|value| match value {
            Value::Text(text) => Json::from(text).to_string(),
            Value::Number(number) => number.to_decimal().unwrap_or_else(|| Json::from(number.to_string()).to_string()),
        }))
    }

    fn wrong(&self, row: usize, why: &str) -> Error {
        let message = format!("row {} of the column `{}`: {why}", row + 1, self.name);
        Diagnostic::of_input(Kind::Input, message).into()
    }
}

impl Table {
    /// From what `posetta._convert` says of the columns.
    pub fn of(columns: &Bound<'_, PyAny>) -> PyResult<Self> {
        let columns: Vec<Column> = columns.try_iter()?.map(|entry| Column::of(&entry?)).collect::<PyResult<_>>()?;
        let rows = columns.first().map_or(0, |column| column.rows);
        if let Some(other) = columns.iter().find(|column| column.rows != rows) {
            let message = format!("the column `{}` has {} rows, and the first has {rows}", other.name, other.rows);
            return Err(bad_argument(message));
        }
        Ok(Self { columns, rows })
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The column that is for something.
    pub fn find(&self, role: Role) -> Option<&Column> {
        self.columns.iter().find(|column| column.role == role)
    }

    /// The run whose events are the rows.
    pub fn trace(&self, budget: &Budget) -> Result<Trace, Error> {
        let Some(process) = self.find(Role::Process) else {
            let message = "the table has no column `process`, which says whose event a row is";
            return Err(Diagnostic::of_input(Kind::Input, message).into());
        };
        let mut builder = Builder::new();
        for row in 0..self.rows {
            if row % 1024 == 0 {
                budget.step(1024, "reading the table")?;
            }
            let own = process.text(row)?.filter(|name| !name.is_empty());
            let own = own.ok_or_else(|| process.wrong(row, "the name of a process is expected"))?;
            let own = builder.process(own)?;
            builder.event(own, row as u64 + 1)?;
            for column in &self.columns {
                match column.role {
                    Role::Process => {}
                    Role::Id => {
                        if let Some(id) = column.text(row)? {
                            builder.id(id, 1)?;
                        }
                    }
                    Role::Name => {
                        if let Some(name) = column.text(row)?.filter(|name| !name.is_empty()) {
                            builder.name(name)?;
                        }
                    }
                    Role::Time => {
                        if let Some(time) = column.time(row)? {
                            builder.time(time);
                        }
                    }
                    Role::After => {
                        for label in column.texts(row)? {
                            builder.cause(label, 1)?;
                        }
                    }
                    Role::Set => {
                        if let Some(value) = column.value(row)? {
                            let variable = builder.variable(&column.name)?;
                            let value = builder.value(value)?;
                            builder.assign(variable, value)?;
                        }
                    }
                    Role::Attribute => {
                        if let Some(json) = column.json(row)? {
                            builder.attribute(&column.name, &json)?;
                        }
                    }
                }
            }
        }
        builder.finish(true, budget)
    }
}

impl Column {
    fn time(&self, row: usize) -> Result<Option<Number>, Error> {
        match self.value(row)? {
            Some(Value::Number(time)) => Ok(Some(time)),
            Some(Value::Text(_)) => Err(self.wrong(row, "a time is a number")),
            None => Ok(None),
        }
    }
}
