//! Properties beside a stream of records.

use std::collections::HashMap;
use std::io::{BufRead, Cursor};
use std::sync::Arc;

use posetta_base::{Budget, Diagnostic, Error, Kind, TakenAttributes, Value, WantedAttributes};
use posetta_compile::Completions;
use posetta_files::Wording;
use posetta_files::runs::{begun, format_of};
use posetta_files::text::cannot_read;
use posetta_formats::ReadOptions;
use posetta_formats::records::{self, RecordBuffer, RecordKind};
use posetta_monitor::{
    Answered, Bookmark, Checkpoint, Notice, Options, Record, Restored, Source as Place, Stream, Watcher,
};
use posetta_tell::{Named, Problem};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict, PyString};

use crate::columns::{Role, Table};
use crate::errors::{bad_argument, invalid, of};
use crate::run::Source;
use crate::spec::asked;
use crate::values::to_value;
use crate::work::{self, Limits};

/// So many rows are taken between two looks for signals.
const BATCH: usize = 1 << 16;

/// What is known of a property after a record, where that has changed.
///
/// `verdict` is `open`, `holds` or `violated` (then it is determined: no continuation can change it), or `unknown` if a limit was reached.
/// `satisfied` says whether the stream would satisfy the property if it ended here, `monitorable` whether it can still become determined.
#[pyclass(frozen, module = "posetta", get_all)]
pub struct Change {
    /// The name of the property.
    property: String,
    /// The key of the stream, if streams have keys.
    key: Option<String>,
    /// The position in the stream that the record made.
    position: Option<u64>,
    /// The number of the record, from 1.
    record: u64,
    verdict: &'static str,
    satisfied: Option<bool>,
    monitorable: Option<bool>,
    /// It is open, and may be determined all the same: not all continuations of so large a property are known.
    late: bool,
    /// The verdict before.
    before: Option<&'static str>,
}

#[pymethods]
impl Change {
    fn __repr__(&self) -> String {
        let key = self.key.as_ref().map_or(String::new(), |key| format!(" [{key}]"));
        format!("<Change {}{key} {} at record {}>", self.property, self.verdict, self.record)
    }
}

impl Change {
    pub fn new(property: &Named, key: Option<String>, position: u64, record: u64, told: Told) -> Self {
        Self {
            property: property.name.clone(),
            key,
            position: Some(position),
            record,
            verdict: told.0.prospect.word(),
            satisfied: Some(told.0.satisfied),
            monitorable: told.0.monitorable,
            late: told.2,
            before: told.1.map(|before| before.prospect.word()),
        }
    }
}

/// What is known now, what was known before, and whether that may be late.
pub struct Told(pub posetta_compile::Answers, pub Option<posetta_compile::Answers>, pub bool);

/// Properties that follow a stream, record by record, in the one order in which the records come.
///
/// A record is a dictionary. One with `process` is an event, with `name`, `set` and attributes as in JSON lines; one without is a state, whose
/// fields are variables. With `key`, all records with the same value of that field are a stream of their own.
///
/// >>> from posetta import Monitor
/// >>> monitor = Monitor("G !(req == 1 && ack == 1)")
/// >>> [change.verdict for change in monitor.step({"req": 0, "ack": 0})]
/// ['open']
/// >>> monitor.step({"req": 1})
/// []
/// >>> monitor.step({"ack": 1})[0].verdict
/// 'violated'
///
/// By columns it is much faster: a list, an array, or a column of Arrow for each field.
///
/// >>> monitor = Monitor("G level < 3")
/// >>> [(change.record, change.verdict) for change in monitor.feed({"level": [1, 2, 3]})]
/// [(1, 'open'), (3, 'violated')]
///
/// It can be saved between two records, and restored elsewhere.
///
/// >>> monitor = Monitor.restore("G level < 3", Monitor("G level < 3").save())
#[pyclass(module = "posetta")]
pub struct Monitor {
    properties: Arc<Vec<Named>>,
    watcher: Watcher,
    initial: Vec<(String, Value)>,
    wanted: WantedAttributes,
    memory: u64,
    /// Mistakes that were not raised.
    mistakes: Vec<Problem>,
    strict: bool,
    records: u64,
}

/// A record out of Python.
pub struct Given {
    pub process: Option<String>,
    pub name: Option<String>,
    pub key: Option<String>,
    pub sets: Vec<(String, Value)>,
    pub attributes: TakenAttributes,
}

/// As the text of a key: what is equal is one key.
fn key_of(value: &Value) -> String {
    match value {
        Value::Number(number) => number.to_string(),
        Value::Text(text) => text.clone(),
    }
}

/// What a dictionary says.
pub fn given(record: &Bound<'_, PyAny>, key: Option<&str>, wanted: &WantedAttributes) -> PyResult<Given> {
    let record =
        record.cast::<PyDict>().map_err(|_| PyTypeError::new_err("a record is a dict, of an event or of a state"))?;
    let mut out =
        Given { process: None, name: None, key: None, sets: Vec::new(), attributes: TakenAttributes::default() };
    let is_event = record.contains("process")?;
    for (field, object) in record {
        let field = field.cast::<PyString>().map_err(|_| PyTypeError::new_err("the fields of a record are strings"))?;
        let field = field.to_str()?;
        if object.is_none() && (!is_event || field != "process") {
            continue;
        }
        if !is_event {
            out.sets.push((field.to_owned(), to_value(&object)?));
        } else {
            match field {
                "process" => out.process = Some(object.extract()?),
                "name" => out.name = Some(object.extract()?),
                "set" => {
                    for (variable, value) in object.cast::<PyDict>()? {
                        out.sets.push((variable.extract()?, to_value(&value)?));
                    }
                }
                // The order is that of the records.
                "after" | "clock" | "time" => {}
                "attrs" => {
                    for (name, value) in object.cast::<PyDict>()? {
                        attribute(&name.extract::<String>()?, &value, key, wanted, &mut out)?;
                    }
                }
                other => attribute(other, &object, key, wanted, &mut out)?,
            }
        }
        if key == Some(field) && field != "set" && field != "attrs" {
            out.key = to_value(&object).ok().map(|value| key_of(&value));
        }
    }
    if let (None, Some(key)) = (&out.key, key) {
        out.key = out.sets.iter().find(|(name, _)| name == key).map(|(_, value)| key_of(value));
    }
    Ok(out)
}

fn attribute(
    name: &str,
    object: &Bound<'_, PyAny>,
    key: Option<&str>,
    wanted: &WantedAttributes,
    out: &mut Given,
) -> PyResult<()> {
    if key == Some(name) {
        out.key = to_value(object).ok().map(|value| key_of(&value));
    }
    if !wanted.is_empty() {
        let json = object.py().import("json")?.call_method1("dumps", (object,))?.extract::<String>()?;
        wanted.take(name, &json, &mut out.attributes);
    }
    Ok(())
}

/// A stream has records of one sort.
pub fn mixed() -> PyErr {
    bad_argument("the records of a stream are all events, with a `process`, or all states, without")
}

/// Which continuations count.
pub fn completions(word: &str) -> PyResult<Completions> {
    match word {
        "both" => Ok(Completions::Both),
        "finite" => Ok(Completions::Finite),
        "infinite" => Ok(Completions::Infinite),
        _ => Err(bad_argument(format!("completions={word:?}: \"both\", \"finite\" or \"infinite\" is expected"))),
    }
}

/// What the records of a stream are.
pub fn stream_of(records: Option<&str>) -> PyResult<Option<Stream>> {
    match records {
        None => Ok(None),
        Some("events") => Ok(Some(Stream::Events)),
        Some("states") => Ok(Some(Stream::States)),
        Some(word) => Err(bad_argument(format!("records={word:?}: \"events\" or \"states\" is expected"))),
    }
}

/// Values that are declared before the first record.
pub fn declared(initial: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<(String, Value)>> {
    let all = initial.into_iter().flatten();
    all.map(|(name, value)| Ok((name.extract::<String>()?, to_value(&value)?))).collect()
}

/// The attributes that properties, and the key, ask for.
pub fn wanted(properties: &[Named]) -> WantedAttributes {
    WantedAttributes::new(properties.iter().flat_map(|own| own.attributes.iter().cloned()))
}

impl Monitor {
    fn budget(&self) -> Budget {
        Budget::with_memory(self.memory)
    }

    /// Takes what the watcher says of the last record; mistakes are put aside.
    fn hear(&mut self, notices: &[Notice], changes: &mut Vec<Change>) {
        let keyed = self.watcher.options().key.is_some();
        for notice in notices {
            match notice {
                Notice::Answered(told) => {
                    let Answered { property, stream, position, line, answers, before, late, .. } = *told;
                    let has_key = keyed || self.watcher.is_keyed(property);
                    let key = has_key.then(|| self.watcher.key(stream).to_owned());
                    let own = &self.properties[property.index()];
                    changes.push(Change::new(own, key, position, line, Told(answers, before, late)));
                }
                Notice::GivenUp { property, .. } => changes.push(Change {
                    property: self.properties[property.index()].name.clone(),
                    key: None,
                    position: None,
                    record: self.records,
                    verdict: "unknown",
                    satisfied: None,
                    monitorable: None,
                    late: false,
                    before: None,
                }),
                Notice::Mistyped { property, mistakes, .. } | Notice::Failed { property, mistakes } => {
                    let own = &self.properties[property.index()];
                    self.mistakes.extend(mistakes.iter().map(|diagnostic| Problem {
                        trace: None,
                        file: own.file.clone(),
                        property: Some(own.name.clone()),
                        diagnostic: diagnostic.clone(),
                    }));
                }
                Notice::Keyless { line } => {
                    let key = self.watcher.options().key.as_deref().unwrap_or_default();
                    let message = format!("record {line} has no `{key}`, which tells streams apart");
                    self.mistakes.push(Problem::in_text("", Diagnostic::of_input(Kind::Input, message)));
                }
                _ => {}
            }
        }
    }

    fn read_record(
        &mut self,
        key: Option<&str>,
        record: &Record<'_>,
        budget: &Budget,
        changes: &mut Vec<Change>,
    ) -> Result<(), Error> {
        self.records += 1;
        let line = self.records;
        let read = self.watcher.read(key, record, line, budget).map(|notices| !notices.is_empty());
        // Mostly there is nothing to say.
        if !matches!(read, Ok(false)) {
            let notices = self.watcher.notices().to_vec();
            self.hear(&notices, changes);
        }
        read.map(|_| ())
    }

    /// Raises what is wrong, unless somebody wants to look for it.
    fn told(&mut self, py: Python<'_>, changes: Vec<Change>) -> PyResult<Vec<Change>> {
        if self.strict && !self.mistakes.is_empty() {
            return Err(invalid(py, &std::mem::take(&mut self.mistakes)));
        }
        Ok(changes)
    }

    fn begin(&mut self, stream: Stream, changes: &mut Vec<Change>) {
        let (budget, initial) = (self.budget(), std::mem::take(&mut self.initial));
        let notices = self.watcher.begin(stream, &initial, &budget).to_vec();
        self.initial = initial;
        self.hear(&notices, changes);
    }

    fn begin_by(&mut self, is_event: bool, changes: &mut Vec<Change>) {
        if self.watcher.stream().is_none() {
            self.begin(if is_event { Stream::Events } else { Stream::States }, changes);
        }
    }

    /// Reads rows, from one to another.
    fn read_rows(
        &mut self,
        table: &Table,
        rows: std::ops::Range<usize>,
        budget: &Budget,
        changes: &mut Vec<Change>,
    ) -> Result<(), Error> {
        let (process, name) = (table.find(Role::Process), table.find(Role::Name));
        let field = self.watcher.options().key.clone();
        let key = field.as_ref().and_then(|field| table.columns.iter().find(|column| column.name == *field));
        // What no property asks for is not looked at.
        let asked: HashMap<&str, ()> =
            self.properties.iter().flat_map(|own| own.variables.iter().map(|name| (name.as_str(), ()))).collect();
        let is_asked = |name: &str| asked.contains_key(name);
        let sets: Vec<_> = table.columns.iter().filter(|own| own.role == Role::Set && is_asked(&own.name)).collect();
        let attributes: Vec<_> = match self.wanted.is_empty() {
            true => Vec::new(),
            false => table.columns.iter().filter(|own| own.role == Role::Attribute).collect(),
        };
        self.watcher.know(table.columns.iter().filter(|own| own.role == Role::Set).map(|own| own.name.as_str()));
        let (mut assigned, mut taken) = (Vec::with_capacity(sets.len()), TakenAttributes::default());
        let wanted = self.wanted.clone();
        self.begin_by(process.is_some(), changes);
        for row in rows {
            if row % 1024 == 0 {
                budget.step(0, "following the stream")?;
            }
            assigned.clear();
            for column in &sets {
                if let Some(value) = column.value(row)? {
                    assigned.push((column.name.as_str(), value));
                }
            }
            let process = process.map(|column| column.text(row)).transpose()?.flatten();
            let name = name.map(|column| column.text(row)).transpose()?.flatten();
            let mut record = Record::of(process, name, &assigned);
            if !attributes.is_empty() {
                taken.clear();
                for column in &attributes {
                    if let Some(json) = column.json(row)? {
                        wanted.take(&column.name, &json, &mut taken);
                    }
                }
                record = record.with_attributes(taken.of(&wanted));
            }
            let text;
            let own = match key {
                None => None,
                Some(column) => match column.text(row) {
                    Ok(own) => own,
                    Err(_) => {
                        text = column.value(row)?.map(|value| key_of(&value));
                        text.as_deref()
                    }
                },
            };
            self.read_record(own, &record, budget, changes)?;
        }
        Ok(())
    }
}

#[pymethods]
impl Monitor {
    #[new]
    #[pyo3(signature = (spec, *, key=None, records=None, initial=None, completions="both", every=false, strict=true, memory=None))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords")]
    fn new(
        py: Python<'_>,
        spec: &Bound<'_, PyAny>,
        key: Option<String>,
        records: Option<&str>,
        initial: Option<&Bound<'_, PyDict>>,
        completions: &str,
        every: bool,
        strict: bool,
        memory: Option<u64>,
    ) -> PyResult<Self> {
        let properties = asked(py, spec)?;
        let mut options = Options::default().completions(self::completions(completions)?).every(every);
        if let Some(key) = key {
            options = options.key(key);
        }
        let (stream, initial) = (stream_of(records)?, declared(initial)?);
        let all: Vec<_> = properties.iter().map(|own| own.property.clone()).collect();
        let memory = memory.unwrap_or(u64::MAX);
        let limits = Limits::new(None, Some(memory))?;
        let watcher = work::long(py, limits, |budget| Watcher::new(all, options, budget))?;
        let wanted = wanted(&properties);
        let mut monitor =
            Self { properties, watcher, initial, wanted, memory, mistakes: Vec::new(), strict, records: 0 };
        let notices = monitor.watcher.notices().to_vec();
        let mut changes = Vec::new();
        monitor.hear(&notices, &mut changes);
        if let Some(stream) = stream {
            monitor.begin(stream, &mut changes);
        }
        monitor.told(py, changes)?;
        Ok(monitor)
    }

    /// Reads the next record, and answers with what has changed.
    fn step(&mut self, py: Python<'_>, record: &Bound<'_, PyAny>) -> PyResult<Vec<Change>> {
        let key = self.watcher.options().key.clone();
        let given = given(record, key.as_deref(), &self.wanted)?;
        if self.watcher.stream().is_some_and(|stream| (stream == Stream::Events) != given.process.is_some()) {
            return Err(mixed());
        }
        let mut changes = Vec::new();
        let read = work::guarded(py, || {
            self.begin_by(given.process.is_some(), &mut changes);
            let sets: Vec<(&str, Value)> =
                given.sets.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
            let wanted = self.wanted.clone();
            let record = Record::of(given.process.as_deref(), given.name.as_deref(), &sets)
                .with_attributes(given.attributes.of(&wanted));
            let budget = self.budget();
            Ok(self.read_record(given.key.as_deref(), &record, &budget, &mut changes))
        })?;
        read.map_err(|error| of(py, "", &error))?;
        self.told(py, changes)
    }

    /// Reads many records by columns: a dictionary of lists or arrays, or a table or record batch of `pyarrow`. With a column `process` the rows
    /// are events, and their variables are the columns in `set` (by default those whose name begins with `set.`); without, they are states, and
    /// all columns are variables. Answers with what has changed.
    #[pyo3(signature = (columns, *, set=None))]
    fn feed(
        &mut self,
        py: Python<'_>,
        columns: &Bound<'_, PyAny>,
        set: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Vec<Change>> {
        let columns = py.import("posetta._convert")?.getattr("columns_of_records")?.call1((columns, set))?;
        let table = Table::of(&columns)?;
        let is_event = table.find(Role::Process).is_some();
        if self.watcher.stream().is_some_and(|stream| (stream == Stream::Events) != is_event) {
            return Err(mixed());
        }
        let (mut changes, mut from) = (Vec::new(), 0);
        while from < table.rows() {
            let to = table.rows().min(from + BATCH);
            let budget = self.budget();
            let read = work::here(py, || self.read_rows(&table, from..to, &budget, &mut changes))?;
            read.map_err(|error| of(py, "", &error))?;
            py.check_signals()?;
            from = to;
        }
        self.told(py, changes)
    }

    /// Reads records from bytes, a path or an open file, in JSON lines, CSV or another format of streams, as `posetta monitor` does. Answers with
    /// what has changed.
    #[pyo3(signature = (source, *, format=None))]
    fn read(&mut self, py: Python<'_>, source: &Bound<'_, PyAny>, format: Option<&str>) -> PyResult<Vec<Change>> {
        let source = Source::of(source)?;
        let from = format.map(crate::run::format_called).transpose()?;
        let limits = Limits::new(None, Some(self.memory))?;
        let mut changes = Vec::new();
        let read = work::long(py, limits, |budget| {
            let name = source.called();
            let mut reader: Box<dyn BufRead> = match &source {
                Source::Path(path) => {
                    Box::new(std::fs::File::open(path).and_then(begun).map_err(|error| cannot_read(&name, &error))?)
                }
                Source::Bytes(bytes) => {
                    Box::new(begun(Cursor::new(&**bytes)).map_err(|error| cannot_read(&name, &error))?)
                }
            };
            let start = reader.fill_buf().map_err(|error| cannot_read(&name, &error))?;
            let format = format_of(&name, start, None, from, Wording::Keywords)?;
            let mut records = records::open(format, reader, &ReadOptions::default().guessed(from.is_none()), budget)?;
            let variables: Vec<String> = self.properties.iter().flat_map(|own| own.variables.iter().cloned()).collect();
            let key = self.watcher.options().key.clone();
            let mut buffer = RecordBuffer::of(variables.iter().map(String::as_str), key.as_deref());
            buffer.want(self.wanted.clone());
            while records.next(&mut buffer)? {
                if self.watcher.stream().is_none() {
                    self.initial = records.initial().to_vec();
                    self.begin_by(records.kind() == Some(RecordKind::Events), &mut changes);
                }
                let parts = buffer.take();
                let sets: Vec<(&str, Value)> = parts.sets.collect();
                let record = Record::of(parts.process, parts.name, &sets).with_attributes(parts.attributes);
                self.read_record(parts.key, &record, budget, &mut changes)?;
            }
            Ok::<(), Error>(())
        })?;
        read.map_err(|error| of(py, &source.called(), &error))?;
        self.told(py, changes)
    }

    /// What is known of each property at the end of the stream: one that is open then holds if it is satisfied. With keys it is violated if it is
    /// on one of them. A name that no record has brought is a mistake, as for `posetta monitor`.
    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let notices = self.watcher.finish(true).to_vec();
        self.hear(&notices, &mut Vec::new());
        self.told(py, Vec::new())?;
        let (all, ends) = (PyDict::new(py), self.watcher.ends());
        for property in self.watcher.properties() {
            let (tally, end) = (self.watcher.tally(property), &ends[property.index()]);
            let verdict = match tally.state {
                posetta_monitor::State::Followed if tally.violated + end.unsatisfied > 0 => "violated",
                posetta_monitor::State::Followed => "holds",
                _ if tally.violated > 0 => "violated",
                _ => "unknown",
            };
            all.set_item(&self.properties[property.index()].name, verdict)?;
        }
        Ok(all)
    }

    /// How many records have come.
    #[getter]
    fn records(&self) -> u64 {
        self.records
    }

    /// How many streams there are.
    #[getter]
    fn streams(&self) -> usize {
        self.watcher.streams()
    }

    /// With `strict=False`: records and properties that were left out, and why.
    #[getter]
    fn mistakes<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.mistakes.iter().map(|problem| crate::values::loads(py, &problem.to_json().to_string())).collect()
    }

    /// All that decides what will be said, as bytes.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let stream = match self.watcher.stream() {
            None => "",
            Some(Stream::Events) => "events",
            Some(Stream::States) => "states",
        };
        let mut out = Vec::new();
        let bookmark = Bookmark::new(self.records).reader(Some(stream.to_owned()));
        self.watcher.save(&bookmark, &mut out).map_err(|error| bad_argument(error.to_string()))?;
        Ok(PyBytes::new(py, &out))
    }

    /// Goes on from what `save` gave. The properties and the options must be those of the one that was saved.
    #[staticmethod]
    #[pyo3(signature = (spec, saved, *, key=None, initial=None, completions="both", every=false, strict=true, memory=None))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords")]
    fn restore(
        py: Python<'_>,
        spec: &Bound<'_, PyAny>,
        saved: PyBackedBytes,
        key: Option<String>,
        initial: Option<&Bound<'_, PyDict>>,
        completions: &str,
        every: bool,
        strict: bool,
        memory: Option<u64>,
    ) -> PyResult<Self> {
        let mut monitor = Self::new(py, spec, key, None, initial, completions, every, strict, memory)?;
        let limits = Limits::new(None, memory)?;
        let restored = work::long(py, limits, |budget| {
            let checkpoint = Checkpoint::of(&saved)?;
            let stream = match checkpoint.bookmark().reader.as_deref() {
                Some("events") => Some(Stream::Events),
                Some("states") => Some(Stream::States),
                _ => None,
            };
            let records = checkpoint.bookmark().offset;
            let source = Place::new(records, stream, &monitor.initial);
            monitor.watcher.restore(checkpoint, Some(&source), budget).map(|restored| (restored, records))
        })?;
        match restored {
            Ok((Restored::Everything, records)) => {
                monitor.records = records;
                Ok(monitor)
            }
            Ok((Restored::ReadAgain, _)) => {
                Err(bad_argument("this version cannot go on from these bytes: read the stream again from its start"))
            }
            Err(refusal) => Err(bad_argument(refusal.to_string())),
        }
    }

    fn __repr__(&self) -> String {
        let names: Vec<&str> = self.properties.iter().map(|own| own.name.as_str()).collect();
        format!("<Monitor {} after {} records>", names.join(", "), self.records)
    }
}
