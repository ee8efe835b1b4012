//! Runs and their events.

use std::fs::File;
use std::io::{BufRead, Cursor};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use posetta_base::{Budget, Diagnostic, Error, EventId, Kind};
use posetta_files::Wording;
use posetta_files::runs::{NamedRun, NamedRuns, begun, beside, extension, format_of, mapped_format_of, part, several};
use posetta_files::text::{cannot_read, text};
use posetta_formats::shiviz::{Delimiter, Expression};
use posetta_formats::{self as formats, Format, Mapping, ReadOptions, Trust, open_runs};
use posetta_tell::checked::Shape;
use posetta_tell::report::{Report, Subject as About, Title};
use posetta_tell::story::Story;
use posetta_tell::{svg, warning_json};
use posetta_trace::{Trace, count_cuts, count_linearisations};
use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};

use crate::columns::{Table, bytes_of};
use crate::errors::{bad_argument, invalid_in, of};
use crate::spec::place_of;
use crate::values::{loads, number, to_value, value};
use crate::work::{self, Limits, SMALL_INPUT};

/// A run that has been read.
pub struct Recorded {
    /// As reports call it.
    pub name: String,
    /// The file that it is in.
    pub file: String,
    pub label: Option<String>,
    pub trace: Arc<Trace>,
    pub warnings: Vec<Diagnostic>,
}

/// What happened in a distributed system: events on processes, and which of them caused which.
///
/// >>> from posetta import Run
/// >>> run = Run.read(b"A: c0=1 -> c0=0\nB: c1=1 -> c1=0\n")
/// >>> len(run), run.processes, run.count_orders()
/// (4, ['A', 'B'], 6)
/// >>> run["A.2"].set
/// {'c0': 0}
#[pyclass(frozen, module = "posetta")]
pub struct Run(pub Arc<Recorded>);

/// One event of a run.
///
/// >>> from posetta import Run
/// >>> run = Run.from_events([
/// ...     {"process": "A", "id": "m1", "name": "send", "set": {"sent": 1}},
/// ...     {"process": "B", "name": "receive", "after": ["m1"], "request": 42},
/// ... ])
/// >>> receive = run.events[1]
/// >>> receive.process, receive.name, receive.attributes, [e.label for e in receive.causes]
/// ('B', 'receive', {'request': 42}, ['m1'])
#[pyclass(frozen, module = "posetta", from_py_object)]
#[derive(Clone)]
pub struct Event {
    run: Arc<Recorded>,
    id: EventId,
}

/// Where the bytes of runs come from.
pub enum Source {
    Path(PathBuf),
    /// Those of Python where they are, or a copy of what others could change.
    Bytes(PyBackedBytes),
}

impl Source {
    /// A path, bytes, something with a buffer, or a file that is open.
    pub fn of(source: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = source.cast::<PyBytes>() {
            // Nobody can change these, so they are looked at where they are.
            return Ok(Self::Bytes(PyBackedBytes::from(bytes.clone())));
        }
        if source.is_instance_of::<PyString>() || source.hasattr("__fspath__")? {
            return Ok(Self::Path(source.extract()?));
        }
        if source.hasattr("read")? {
            let read = source.call_method0("read")?;
            return match read.cast::<PyString>() {
                Ok(text) => Ok(Self::Bytes(bytes_of(text.call_method1("encode", ("utf-8",))?.as_any())?)),
                Err(_) => Self::of_bytes(&read),
            };
        }
        Self::of_bytes(source)
    }

    fn of_bytes(source: &Bound<'_, PyAny>) -> PyResult<Self> {
        bytes_of(source).map(Self::Bytes).map_err(|_| {
            PyTypeError::new_err("a run is read from a path, from bytes, from a buffer or from an open file")
        })
    }

    fn is_small(&self) -> bool {
        match self {
            Self::Path(path) => path.metadata().is_ok_and(|found| found.is_file() && found.len() <= SMALL_INPUT as u64),
            Self::Bytes(bytes) => bytes.len() <= SMALL_INPUT,
        }
    }

    /// As reports call it, if nobody gave it a name.
    pub fn called(&self) -> String {
        match self {
            Self::Path(path) => path.display().to_string(),
            Self::Bytes(_) => "run".to_owned(),
        }
    }
}

/// How bytes become runs.
#[derive(Clone)]
pub struct Reading {
    pub from: Option<Format>,
    pub options: ReadOptions,
    pub trusts: bool,
}

impl Reading {
    /// From keywords; those that are not known are mistakes.
    pub fn new(py: Python<'_>, keywords: Option<&Bound<'_, PyDict>>) -> PyResult<(Self, Limits, Option<String>)> {
        let mut reading = Self { from: None, options: ReadOptions::default(), trusts: false };
        let (mut timeout, mut memory, mut name) = (None, None, None);
        let mut options = ReadOptions::default();
        for (key, given) in keywords.into_iter().flatten() {
            if given.is_none() {
                continue;
            }
            let key: String = key.extract()?;
            let wrong = |d: Box<Diagnostic>| of(py, "", &Error::from(*d));
            match key.as_str() {
                "format" => reading.from = Some(format_called(&given.extract::<String>()?)?),
                "name" => name = Some(given.extract()?),
                "regex" => {
                    options = options.expression(Some(Expression::new(&given.extract::<String>()?).map_err(wrong)?))
                }
                "delimiter" => {
                    options = options.delimiter(Some(Delimiter::new(&given.extract::<String>()?).map_err(wrong)?));
                }
                "set" => options = options.set(given.extract()?),
                "map" => options = options.mapping(Some(mapping(py, &given)?)),
                "trust" => {
                    let said: String = given.extract()?;
                    let found = Trust::ALL.into_iter().find(|trust| trust.name() == said);
                    let known: Vec<&str> = Trust::ALL.iter().map(|trust| trust.name()).collect();
                    let found = found.ok_or_else(|| {
                        bad_argument(format!("trust={said:?}: one of {} is expected", known.join(", ")))
                    })?;
                    options = options.trust(found);
                    reading.trusts = true;
                }
                "skew" => {
                    let seconds = match given.call_method0("total_seconds") {
                        Ok(seconds) => seconds,
                        Err(_) => given,
                    };
                    let skew = to_value(&seconds)?.number().cloned();
                    options = options.skew(Some(skew.ok_or_else(|| bad_argument("skew= is a number of seconds"))?));
                }
                "timeout" => timeout = Some(given),
                "memory" => memory = Some(given.extract()?),
                other => return Err(PyTypeError::new_err(format!("there is no keyword `{other}`"))),
            }
        }
        if options.expression.is_some() || options.delimiter.is_some() || !options.set.is_empty() {
            match reading.from {
                None | Some(Format::Shiviz) => reading.from = Some(Format::Shiviz),
                Some(other) => {
                    let message = format!("regex=, delimiter= and set= are for logs, and format= is {}", other.name());
                    return Err(bad_argument(message));
                }
            }
        }
        reading.options = options.guessed(reading.from.is_none());
        Ok((reading, Limits::new(timeout.as_ref(), memory)?, name))
    }

    /// The runs of a source.
    pub fn open(&self, source: &Source, name: &str, budget: &Budget) -> Result<NamedRuns, Error> {
        match source {
            Source::Path(path) => {
                let opened = File::open(path).and_then(begun).map_err(|error| cannot_read(name, &error))?;
                let reading = Self { options: self.options.clone().names(Some(beside(path))), ..self.clone() };
                reading.opened(opened, name, extension(path), budget)
            }
            Source::Bytes(bytes) => self.open_bytes(bytes, name, budget),
        }
    }

    fn open_bytes(&self, bytes: &[u8], name: &str, budget: &Budget) -> Result<NamedRuns, Error> {
        let reader = begun(Cursor::new(bytes)).map_err(|error| cannot_read(name, &error))?;
        self.opened(reader, name, extension(Path::new(name)), budget)
    }

    fn opened(
        &self,
        mut reader: impl BufRead,
        name: &str,
        extension: Option<&str>,
        budget: &Budget,
    ) -> Result<NamedRuns, Error> {
        let start = reader.fill_buf().map_err(|error| cannot_read(name, &error))?;
        let format = match self.options.mapping {
            None => format_of(name, start, extension, self.from, Wording::Keywords)?,
            Some(_) => mapped_format_of(name, start, extension, self.from, Wording::Keywords)?,
        };
        if self.trusts && !format.holds_spans() {
            let message = format!("trust= is for spans, and the format of `{name}` is {}", format.name());
            return Err(Diagnostic::of_input(Kind::Input, message).into());
        }
        let has_clocks = format.holds_spans() || format == Format::Prove || self.options.mapping.is_some();
        if self.options.skew.is_some() && !has_clocks {
            let message =
                format!("skew= is for spans, tables of PROVE and mappings, and the format is {}", format.name());
            return Err(Diagnostic::of_input(Kind::Input, message).into());
        }
        NamedRuns::new(name, open_runs(format, reader, &self.options, budget)?)
    }
}

pub fn format_called(name: &str) -> PyResult<Format> {
    let known: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
    Format::from_name(name)
        .ok_or_else(|| bad_argument(format!("format={name:?} is not read; the formats are {}", known.join(", "))))
}

/// A mapping: the path of a file, or its text if that has several lines.
fn mapping(py: Python<'_>, given: &Bound<'_, PyAny>) -> PyResult<Arc<Mapping>> {
    let said: String = match given.cast::<PyString>() {
        Ok(said) => said.to_str()?.to_owned(),
        Err(_) => given.call_method0("__fspath__")?.extract()?,
    };
    let (name, written) = match said.contains('\n') {
        true => ("map=".to_owned(), said),
        false => (said.clone(), text(Path::new(&said)).map_err(|d| of(py, &said, &Error::from(d)))?),
    };
    let read = work::here(py, || Mapping::new(&[&written]))?;
    read.map(Arc::new).map_err(|mistakes| invalid_in(py, &name, mistakes.iter().map(|(_, mistake)| mistake)))
}

impl Recorded {
    pub fn of(run: NamedRun, file: &str) -> Arc<Self> {
        let NamedRun { name, label, trace, warnings } = run;
        Arc::new(Self { name, file: file.to_owned(), label, trace: Arc::new(trace), warnings })
    }

    /// How large it is.
    pub fn shape(&self) -> Shape {
        Shape::of(&self.trace)
    }
}

/// All runs of a source.
fn read_all(py: Python<'_>, source: &Source, keywords: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<Run>> {
    let (reading, limits, name) = Reading::new(py, keywords)?;
    let name = name.unwrap_or_else(|| source.called());
    let read = |budget: &Budget| {
        let runs: Result<Vec<NamedRun>, Error> = reading.open(source, &name, budget)?.collect();
        Ok(runs?.into_iter().map(|run| Recorded::of(run, &name)).collect::<Vec<_>>())
    };
    let read = doing(py, limits, source.is_small(), read)?;
    Ok(read.map_err(|error| of(py, &name, &error))?.into_iter().map(Run).collect())
}

/// The only run of a source, or the one that is called so.
fn read_one(
    py: Python<'_>,
    source: &Source,
    label: Option<&str>,
    keywords: Option<&Bound<'_, PyDict>>,
) -> PyResult<Run> {
    let (reading, limits, name) = Reading::new(py, keywords)?;
    let name = name.unwrap_or_else(|| source.called());
    let read = |budget: &Budget| {
        let mut runs = reading.open(source, &name, budget)?;
        let run = match label {
            Some(label) => part(&name, runs, label)?,
            None if runs.several => return Err(several(&name, runs)),
            None => runs.next().unwrap_or_else(|| Err(Diagnostic::new(Kind::Input, "there is no run").into()))?,
        };
        Ok(Recorded::of(run, &name))
    };
    let read = doing(py, limits, source.is_small(), read)?;
    read.map(Run).map_err(|error| of(py, &name, &error))
}

/// What is small is read at once.
fn doing<T: Send>(
    py: Python<'_>,
    limits: Limits,
    small: bool,
    read: impl Fn(&Budget) -> Result<T, Error> + Send + Sync,
) -> PyResult<Result<T, Error>> {
    match small {
        true => work::short(py, limits, read, |read| !matches!(read, Err(Error::OverBudget(_)))),
        false => work::long(py, limits, read),
    }
}

/// Calls a function of the package.
fn helper<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("posetta._convert")?.getattr(name)
}

#[pymethods]
impl Run {
    /// Reads a run from a path, from bytes or a buffer, or from an open file.
    ///
    /// The format is found by looking at it, or said with `format`. Of a file with several runs, `label` chooses one. Logs take `regex`,
    /// `delimiter` and `set`; spans take `trust` and `skew`; JSON objects and tables of any shape take `map`, the path or the text of a
    /// mapping. `timeout` (seconds) and `memory` (bytes) limit the work; past them `LimitReached` is raised.
    #[staticmethod]
    #[pyo3(signature = (source, *, label=None, **options))]
    fn read(
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        label: Option<&str>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        read_one(py, &Source::of(source)?, label, options)
    }

    /// Reads all runs of a file; the options are those of `read`.
    #[staticmethod]
    #[pyo3(signature = (source, **options))]
    fn read_all(py: Python<'_>, source: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<Self>> {
        read_all(py, &Source::of(source)?, options)
    }

    /// A run from dictionaries, one for each event, with the fields of the JSON lines format: `process`, `id`, `name`, `set`, `after`,
    /// `clock`, `time`; others are attributes. `initial` declares values before any event, `processes` all processes.
    #[staticmethod]
    #[pyo3(signature = (events, *, initial=None, processes=None, **options))]
    fn from_events(
        py: Python<'_>,
        events: &Bound<'_, PyAny>,
        initial: Option<Bound<'_, PyAny>>,
        processes: Option<Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let encoded = helper(py, "encode_events")?.call1((events, initial, processes))?;
        let options = with_format(py, options, "jsonl")?;
        read_one(py, &Source::of(&encoded)?, None, Some(&options))
    }

    /// The run of some spans: those that an OpenTelemetry SDK has finished, bytes or a path with OTLP (protocol buffers or JSON), or the same
    /// JSON as dictionaries. Several traces are several runs: `all_from_otlp`, or `label` with the id of one.
    #[staticmethod]
    #[pyo3(signature = (spans, *, label=None, **options))]
    fn from_otlp(
        py: Python<'_>,
        spans: &Bound<'_, PyAny>,
        label: Option<&str>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let (source, options) = otlp(py, spans, options)?;
        read_one(py, &source, label, Some(&options))
    }

    /// The runs of some spans, one for each trace.
    #[staticmethod]
    #[pyo3(signature = (spans, **options))]
    fn all_from_otlp(
        py: Python<'_>,
        spans: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Vec<Self>> {
        let (source, options) = otlp(py, spans, options)?;
        read_all(py, &source, Some(&options))
    }

    /// A run from a `pyarrow.Table` with a row for each event. The columns `process`, `id`, `name`, `time` and `after` (lists of ids) mean
    /// what they mean in JSON lines, those in `set` are variables (by default all with a name that begins with `set.`, without that), and all
    /// others are attributes. A null says nothing.
    #[staticmethod]
    #[pyo3(signature = (table, *, set=None, name=None, timeout=None, memory=None))]
    fn from_arrow(
        py: Python<'_>,
        table: &Bound<'_, PyAny>,
        set: Option<Bound<'_, PyAny>>,
        name: Option<String>,
        timeout: Option<&Bound<'_, PyAny>>,
        memory: Option<u64>,
    ) -> PyResult<Self> {
        let limits = Limits::new(timeout, memory)?;
        let columns = helper(py, "columns_of_events")?.call1((table, set))?;
        let table = Table::of(&columns)?;
        let name = name.unwrap_or_else(|| "run".to_owned());
        let read = doing(py, limits, table.rows() * 64 <= SMALL_INPUT, |budget| table.trace(budget))?;
        let trace = read.map_err(|error| of(py, &name, &error))?;
        let recorded = Recorded { file: name.clone(), name, label: None, trace: Arc::new(trace), warnings: Vec::new() };
        Ok(Self(Arc::new(recorded)))
    }

    /// The events as a `pyarrow.Table`, as `from_arrow` reads it.
    fn to_arrow<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        helper(py, "table_of_events")?.call1((self.to_events(py)?,))
    }

    /// The events as dictionaries with the fields of the JSON lines format; a header comes first, if there is one.
    fn to_events<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let text = self.write(py, "jsonl")?;
        helper(py, "decode_events")?.call1((text,))
    }

    /// The run in another format, such as `jsonl`, `text`, `dot` or `mermaid`.
    fn write(&self, py: Python<'_>, format: &str) -> PyResult<String> {
        let format = format_called(format)?;
        if !format.is_written() {
            return Err(bad_argument(format!("the format {} is read, and not written", format.name())));
        }
        let written = work::long(py, Limits::NONE, |budget| {
            let mut out = Vec::new();
            formats::write(format, &self.0.trace, &mut out, budget).map(|_| out)
        })?;
        let bytes = written.map_err(|error| bad_argument(error.to_string()))?;
        String::from_utf8(bytes).map_err(|error| bad_argument(error.to_string()))
    }

    /// As reports call it.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// What its file calls it, if that has several runs: of a trace, its id.
    #[getter]
    fn label(&self) -> Option<&str> {
        self.0.label.as_deref()
    }

    /// Its events, in the order in which they stand in the file.
    #[getter]
    fn events(&self) -> Vec<Event> {
        self.0.trace.events().map(|id| Event { run: Arc::clone(&self.0), id }).collect()
    }

    /// The names of its processes.
    #[getter]
    fn processes(&self) -> Vec<&str> {
        let trace = &self.0.trace;
        trace.processes().map(|process| trace.process_name(process)).collect()
    }

    /// Its variables with their values before any event.
    #[getter]
    fn variables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (trace, all) = (&self.0.trace, PyDict::new(py));
        for variable in trace.variables() {
            all.set_item(trace.variable_name(variable), value(py, trace.value(trace.initial(variable)))?)?;
        }
        Ok(all)
    }

    /// The order in which its events were recorded, if that is a possible one.
    #[getter]
    fn recorded(&self) -> Option<Vec<Event>> {
        let order = self.0.trace.observed()?;
        Some(order.iter().map(|&id| Event { run: Arc::clone(&self.0), id }).collect())
    }

    /// What is worth knowing about it, as in the JSON of reports.
    #[getter]
    fn warnings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        warned(py, &self.0.warnings)
    }

    /// In how many orders it could have happened; `None` if a limit came first.
    #[pyo3(signature = (*, timeout=None, memory=None))]
    fn count_orders<'py>(
        &self,
        py: Python<'py>,
        timeout: Option<&Bound<'_, PyAny>>,
        memory: Option<u64>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let count = |budget: &Budget| count_linearisations(&self.0.trace, budget).map(|n| n.to_string());
        counted(py, Limits::new(timeout, memory)?, count)
    }

    /// How many global states it could have gone through; `None` if a limit came first.
    #[pyo3(signature = (*, timeout=None, memory=None))]
    fn count_cuts<'py>(
        &self,
        py: Python<'py>,
        timeout: Option<&Bound<'_, PyAny>>,
        memory: Option<u64>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let count = |budget: &Budget| count_cuts(&self.0.trace, budget).map(|n| n.to_string());
        counted(py, Limits::new(timeout, memory)?, count)
    }

    fn __len__(&self) -> usize {
        self.0.trace.len()
    }

    fn __getitem__(&self, key: &Bound<'_, PyAny>) -> PyResult<Event> {
        let trace = &self.0.trace;
        let id = match key.cast::<PyString>() {
            Ok(label) => {
                let label = label.to_str()?;
                trace.find_event(label).ok_or_else(|| PyKeyError::new_err(label.to_owned()))?
            }
            Err(_) => {
                let place = place_of(key.extract()?, trace.len())?;
                trace.events().nth(place).ok_or_else(|| PyKeyError::new_err(place))?
            }
        };
        Ok(Event { run: Arc::clone(&self.0), id })
    }

    fn __repr__(&self) -> String {
        format!("<Run {}: {}>", self.0.name, self.0.shape().facts().join(", "))
    }

    /// The run as a picture (SVG).
    fn svg(&self, py: Python<'_>) -> PyResult<String> {
        work::here(py, || {
            let trace = &self.0.trace;
            let subject = About::new(Title::Name(self.0.name.clone()), self.0.shape().facts());
            let report = Report { subjects: vec![subject], ..Report::default() };
            svg::drawing(&report, Some(&Story::overview(trace, trace.linearisation(), DRAWN))).to_svg()
        })
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        self.svg(py)
    }
}

/// So many events of a run are drawn where no property says which ones matter.
const DRAWN: usize = 100;

fn counted<'py>(
    py: Python<'py>,
    limits: Limits,
    count: impl Fn(&Budget) -> Result<String, posetta_base::OverBudget> + Send + Sync,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Ok(digits) = work::short(py, limits, count, Result::is_ok)? else { return Ok(None) };
    py.get_type::<pyo3::types::PyInt>().call1((digits,)).map(Some)
}

/// Warnings as reports have them.
pub fn warned<'py>(py: Python<'py>, warnings: &[Diagnostic]) -> PyResult<Bound<'py, PyList>> {
    let all = PyList::empty(py);
    for warning in warnings {
        all.append(loads(py, &warning_json(warning, false).to_string())?)?;
    }
    Ok(all)
}

fn with_format<'py>(
    py: Python<'py>,
    options: Option<&Bound<'py, PyDict>>,
    format: &str,
) -> PyResult<Bound<'py, PyDict>> {
    let options = options.map_or_else(|| Ok(PyDict::new(py)), |options| options.copy())?;
    options.set_item("format", format)?;
    Ok(options)
}

/// Spans in one of the forms that they come in.
fn otlp<'py>(
    py: Python<'py>,
    spans: &Bound<'py, PyAny>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<(Source, Bound<'py, PyDict>)> {
    let (encoded, format): (Bound<'_, PyAny>, Option<String>) =
        helper(py, "encode_spans")?.call1((spans,))?.extract()?;
    let options = match format {
        Some(format) => with_format(py, options, &format)?,
        None => options.map_or_else(|| Ok(PyDict::new(py)), |options| options.copy())?,
    };
    Ok((Source::of(&encoded)?, options))
}

impl Event {
    pub fn new(run: &Arc<Recorded>, id: EventId) -> Self {
        Self { run: Arc::clone(run), id }
    }

    fn trace(&self) -> &Trace {
        &self.run.trace
    }
}

#[pymethods]
impl Event {
    /// What reports call it: its id, else its process and its number there.
    #[getter]
    fn label(&self) -> String {
        self.trace().label(self.id)
    }

    /// The id that its file gives it.
    #[getter]
    fn id(&self) -> Option<&str> {
        self.trace().own_id(self.id)
    }

    /// Its name, for `event(..)` in properties.
    #[getter]
    fn name(&self) -> Option<&str> {
        self.trace().event_name(self.id)
    }

    /// The process that it is of.
    #[getter]
    fn process(&self) -> &str {
        self.trace().process_name(self.trace().process(self.id))
    }

    /// The variables that it assigns.
    #[getter]
    fn set<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (trace, all) = (self.trace(), PyDict::new(py));
        for assigned in trace.assignments(self.id) {
            all.set_item(trace.variable_name(assigned.var), value(py, trace.value(assigned.value))?)?;
        }
        Ok(all)
    }

    /// What else its file says of it.
    #[getter]
    fn attributes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for (key, json) in self.trace().attributes(self.id) {
            all.set_item(key, loads(py, json)?)?;
        }
        Ok(all)
    }

    /// Its line in the file.
    #[getter]
    fn line(&self) -> u64 {
        self.trace().line(self.id)
    }

    /// Its time, if it has one.
    #[getter]
    fn time<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.trace().time(self.id).map(|time| number(py, time)).transpose()
    }

    /// Its direct causes on other processes.
    #[getter]
    fn causes(&self) -> Vec<Self> {
        self.trace().causes(self.id).iter().map(|&id| Self::new(&self.run, id)).collect()
    }

    fn __repr__(&self) -> String {
        let name = self.name().map_or(String::new(), |name| format!(" {name}"));
        format!("<Event {}{name}>", self.label())
    }

    fn __eq__(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.run, &other.run) && self.id == other.id
    }

    fn __hash__(&self) -> u64 {
        u64::from(u32::try_from(self.id.index()).unwrap_or(u32::MAX))
    }
}
