//! Jaeger's JSON: what its page downloads (`data` with traces, or one trace), and one span a line, as its storage holds them.
//!
//! A trace lists its spans and then, by short names that mean nothing elsewhere, the processes that recorded them. A reference may
//! hold the whole span that it leads to, and so on up to the root; that is skipped. Times are microseconds.

#[cfg(test)]
mod tests;

use std::io::BufRead;

use rustc_hash::FxHashMap;

use crate::document::{Document, Read, Scalar, Seen};
use crate::spans::intake::{self, IdStyle, Intake, text_of, write_scalar};
use crate::spans::{Attribute, Marks, SpanId, SpanKind, Status, TraceId};
use posetta_base::{Budget, Error, Symbol};

/// Nanoseconds of a microsecond.
const UNIT: u64 = 1000;

/// Traces in an array in an object, and so on.
const DEEPEST: u32 = 4;

/// Reads all spans of an input.
pub(crate) fn read(reader: impl BufRead, budget: &Budget) -> Result<Intake, Error> {
    intake::documents(reader, budget, |doc, intake| Reading { doc, intake }.document(0))
}

struct Reading<'a, R> {
    doc: &'a mut Document<R>,
    intake: &'a mut Intake,
}

/// A span's references and the process it names, until all of the span is read.
#[derive(Default)]
struct Around {
    duration: Option<i128>,
    references: Vec<(TraceId, SpanId, bool)>,
    /// An older way to name the parent.
    parent: Option<SpanId>,
    process: Option<Symbol>,
    resource: Option<u32>,
    seen: Seen,
}

impl<R: BufRead> Reading<'_, R> {
    /// Traces, one trace or one span, whatever is around it.
    fn document(&mut self, depth: u32) -> Read<()> {
        if self.doc.peek()? == Some(b'[') && depth < DEEPEST {
            self.doc.array("a list of traces")?;
            while self.doc.item()? {
                self.document(depth + 1)?;
            }
            return Ok(());
        }
        let first = self.intake.store.spans.len();
        let line = self.doc.line();
        let mut around = Around::default();
        let mut processes: FxHashMap<Symbol, u32> = FxHashMap::default();
        // The process that each span names.
        let mut named: Vec<Symbol> = Vec::new();
        let mut seen = Seen::default();
        self.doc.object("an export of Jaeger")?;
        while let Some(key) = self.doc.key()? {
            match key {
                "data" => {
                    seen.once(self.doc, 0)?;
                    match self.doc.peek()? {
                        Some(b'[' | b'{') if depth < DEEPEST => self.document(depth + 1)?,
                        _ => self.doc.skip()?,
                    }
                }
                "spans" => {
                    seen.once(self.doc, 1)?;
                    // What was said of a span so far was said of the trace.
                    self.intake.draft.clear();
                    self.spans(&mut named)?;
                }
                "processes" => {
                    seen.once(self.doc, 2)?;
                    processes = self.processes()?;
                }
                key => {
                    let field = Field::of(key);
                    self.field(field, &mut around)?;
                }
            }
        }
        let unknown = self.intake.resource_of([None, None, None])?;
        for (span, process) in self.intake.store.spans[first..].iter_mut().zip(named) {
            span.resource = processes.get(&process).copied().unwrap_or_else(|| {
                span.marks.set(Marks::NOWHERE);
                unknown
            });
        }
        if self.intake.draft.id.is_some() {
            return self.accept(around, line).map(drop);
        }
        self.intake.draft.clear();
        Ok(())
    }

    fn spans(&mut self, named: &mut Vec<Symbol>) -> Read<()> {
        if self.doc.null()? {
            return Ok(());
        }
        let nobody = self.intake.intern("")?;
        self.doc.array("the list of spans")?;
        while self.doc.item()? {
            self.doc.object("a span")?;
            let line = self.doc.line();
            let mut around = Around::default();
            while let Some(key) = self.doc.key()? {
                let field = Field::of(key);
                self.field(field, &mut around)?;
            }
            let process = self.accept(around, line)?;
            named.push(process.unwrap_or(nobody));
        }
        Ok(())
    }

    /// Adds the span that was read; answers with the process that it names.
    fn accept(&mut self, around: Around, line: u64) -> Read<Option<Symbol>> {
        let draft = &mut self.intake.draft;
        let Some(trace) = draft.trace else { return Err(intake::without_id(self.doc, "traceID")) };
        let Some(id) = draft.id else { return Err(intake::without_id(self.doc, "spanID")) };
        draft.end = intake::end(draft.start, around.duration);
        draft.resource = around.resource.unwrap_or(0);
        draft.parent = around.parent;
        for (of, span, is_parent) in around.references {
            // A span has one parent, in its own trace. All else that it goes on from is a link.
            if is_parent && of.number() == trace.number() && draft.parent.is_none_or(|parent| parent == span) {
                draft.parent = Some(span);
            } else {
                draft.links.push((of, span));
            }
        }
        self.intake.accept(trace, id, line)?;
        Ok(around.process)
    }

    fn field(&mut self, field: Field, around: &mut Around) -> Read<()> {
        if !matches!(field, Field::Other) {
            around.seen.once(self.doc, field as u8)?;
        }
        match field {
            Field::Trace => self.intake.draft.trace = intake::trace_id(self.doc, IdStyle::Digits)?,
            Field::Id => self.intake.draft.id = intake::span_id(self.doc, IdStyle::Digits)?,
            Field::Parent => around.parent = intake::span_id(self.doc, IdStyle::Digits)?,
            Field::Name => {
                self.intake.draft.name = match self.doc.scalar("a span")? {
                    Scalar::Text(text) if !text.is_empty() => Some(self.intake.intern(text)?),
                    _ => None,
                };
            }
            Field::Start => self.intake.draft.start = intake::time(self.doc, UNIT)?,
            Field::Duration => around.duration = intake::duration(self.doc, UNIT)?,
            Field::Tags => {
                let tags = self.tags()?;
                for (key, json) in tags {
                    self.tag(key, json);
                }
            }
            Field::Logs => self.logs()?,
            Field::References => self.references(around)?,
            Field::ProcessId => {
                around.process = match self.doc.scalar("a span")? {
                    Scalar::Text(text) => Some(self.intake.intern(text)?),
                    _ => None,
                };
            }
            Field::Process => around.resource = Some(self.process()?),
            Field::Warnings => self.warnings()?,
            Field::Other => self.doc.skip()?,
        }
        Ok(())
    }

    /// A tag that says what has a place of its own, or any other.
    fn tag(&mut self, key: Symbol, json: Symbol) {
        let names = &self.intake.store.names;
        let value = || text_of(names.resolve(json));
        let draft = &mut self.intake.draft;
        match names.resolve(key) {
            "span.kind" => draft.kind = SpanKind::from_word(&value()),
            "otel.status_code" => draft.status = Status::from_word(&value()),
            "error" => {
                if value() != "false" {
                    draft.status = Status::Error;
                }
                draft.attributes.push((key, json));
            }
            _ => draft.attributes.push((key, json)),
        }
    }

    /// Keys and values, each with its type, which is said by the value as well.
    fn tags(&mut self) -> Read<Vec<Attribute>> {
        let mut tags = Vec::new();
        if self.doc.null()? {
            return Ok(tags);
        }
        self.doc.array("a list of tags")?;
        while self.doc.item()? {
            let (mut key, mut is_number, mut has_value) = (None, false, false);
            let mut seen = Seen::default();
            self.intake.scratch.clear();
            self.doc.object("a tag")?;
            while let Some(field) = self.doc.key()? {
                match field {
                    "key" => {
                        seen.once(self.doc, 0)?;
                        key = Some(self.intake.intern(self.doc.string("a tag")?)?);
                    }
                    // Numbers past 53 bits are written as strings.
                    "type" => {
                        seen.once(self.doc, 1)?;
                        is_number = matches!(self.doc.string("a tag")?, "int64" | "float64");
                    }
                    "value" => {
                        seen.once(self.doc, 2)?;
                        match self.doc.peek()? {
                            Some(b'[' | b'{') => self.doc.skip()?,
                            _ => {
                                self.intake.scratch.clear();
                                write_scalar(&mut self.intake.scratch, self.doc.scalar("a tag")?, is_number);
                                has_value = true;
                            }
                        }
                    }
                    _ => self.doc.skip()?,
                }
            }
            if let (Some(key), true) = (key, has_value) {
                tags.push((key, self.intake.intern_scratch()?));
            }
        }
        Ok(tags)
    }

    fn logs(&mut self) -> Read<()> {
        if self.doc.null()? {
            return Ok(());
        }
        self.doc.array("the logs of a span")?;
        while self.doc.item()? {
            let (mut time, mut fields) = (None, Vec::new());
            let mut seen = Seen::default();
            self.doc.object("a log")?;
            while let Some(key) = self.doc.key()? {
                match key {
                    "timestamp" => {
                        seen.once(self.doc, 0)?;
                        time = intake::time(self.doc, UNIT)?;
                    }
                    "fields" => {
                        seen.once(self.doc, 1)?;
                        fields = self.tags()?;
                    }
                    _ => self.doc.skip()?,
                }
            }
            // What happened is called by one of these, the first that there is.
            let names = &self.intake.store.names;
            let called = ["event", "message", "name"].iter().find_map(|key| {
                let at = fields.iter().position(|&(k, _)| names.resolve(k) == *key)?;
                Some((at, text_of(names.resolve(fields[at].1))))
            });
            let name = match called {
                Some((at, name)) if !name.is_empty() => {
                    fields.remove(at);
                    name
                }
                _ => "log".to_owned(),
            };
            let name = self.intake.intern(&name)?;
            self.intake.draft.event_attributes.extend(fields);
            self.intake.draft.end_event(time, name);
        }
        Ok(())
    }

    fn references(&mut self, around: &mut Around) -> Read<()> {
        if self.doc.null()? {
            return Ok(());
        }
        self.doc.array("the references of a span")?;
        while self.doc.item()? {
            let (mut trace, mut id, mut is_parent) = (None, None, false);
            let mut seen = Seen::default();
            self.doc.object("a reference")?;
            while let Some(key) = self.doc.key()? {
                match key {
                    "refType" => {
                        seen.once(self.doc, 0)?;
                        is_parent = self.doc.string("a reference")?.eq_ignore_ascii_case("CHILD_OF");
                    }
                    "traceID" => {
                        seen.once(self.doc, 1)?;
                        trace = intake::trace_id(self.doc, IdStyle::Digits)?;
                    }
                    "spanID" => {
                        seen.once(self.doc, 2)?;
                        id = intake::span_id(self.doc, IdStyle::Digits)?;
                    }
                    _ => self.doc.skip()?,
                }
            }
            if let (Some(trace), Some(id)) = (trace, id) {
                around.references.push((trace, id, is_parent));
            }
        }
        Ok(())
    }

    /// What Jaeger remarks about a span. It says so if it has changed the times; what it says of "clock skew" is why it has not.
    fn warnings(&mut self) -> Read<()> {
        if self.doc.peek()? != Some(b'[') {
            return self.doc.skip();
        }
        self.doc.array("the warnings of a span")?;
        while self.doc.item()? {
            if self.doc.peek()? != Some(b'"') {
                self.doc.skip()?;
            } else if self.doc.string("a warning")?.contains("timestamps were adjusted") {
                self.intake.draft.marks.set(Marks::ADJUSTED);
            }
        }
        Ok(())
    }

    /// Processes by their names.
    fn processes(&mut self) -> Read<FxHashMap<Symbol, u32>> {
        let mut processes = FxHashMap::default();
        if self.doc.null()? {
            return Ok(processes);
        }
        self.doc.object("the processes of a trace")?;
        while let Some(key) = self.doc.key()? {
            let name = self.intake.intern(key)?;
            if processes.contains_key(&name) {
                return Err(self.doc.again());
            }
            processes.insert(name, self.process()?);
        }
        Ok(processes)
    }

    fn process(&mut self) -> Read<u32> {
        let (mut service, mut tags) = (None, Vec::new());
        let mut seen = Seen::default();
        self.doc.object("a process")?;
        while let Some(key) = self.doc.key()? {
            match key {
                "serviceName" => {
                    seen.once(self.doc, 0)?;
                    service = Some(self.doc.string("a process")?.to_owned());
                }
                "tags" => {
                    seen.once(self.doc, 1)?;
                    tags = self.tags()?;
                }
                _ => self.doc.skip()?,
            }
        }
        self.intake.resource(service.as_deref(), &tags)
    }
}

/// The fields of a span.
#[derive(Clone, Copy)]
enum Field {
    Trace,
    Id,
    Parent,
    Name,
    Start,
    Duration,
    Tags,
    Logs,
    References,
    ProcessId,
    Process,
    Warnings,
    Other,
}

impl Field {
    fn of(key: &str) -> Self {
        match key {
            "traceID" => Self::Trace,
            "spanID" => Self::Id,
            "parentSpanID" => Self::Parent,
            "operationName" => Self::Name,
            "startTime" => Self::Start,
            "duration" => Self::Duration,
            "tags" => Self::Tags,
            "logs" => Self::Logs,
            "references" => Self::References,
            "processID" => Self::ProcessId,
            "process" => Self::Process,
            "warnings" => Self::Warnings,
            _ => Self::Other,
        }
    }
}
