//! Zipkin's JSON, version 2 and version 1: arrays of spans, arrays of such arrays, or one span a line.
//!
//! The client and the server of a call may each report a half under one id. In version 2 a half is a record of its own; in version 1
//! ([`v1`]) annotations with two letters say what is whose. Times are microseconds.

mod v1;

#[cfg(test)]
mod tests;

use std::io::BufRead;

use rustc_hash::FxHashSet;

use crate::document::{Document, Read, Scalar, Seen};
use crate::spans::intake::{self, IdStyle, Intake, write_scalar};
use crate::spans::{Marks, SpanKind, Status};
use posetta_base::{Budget, Error, Symbol};

/// Nanoseconds of a microsecond.
const UNIT: u64 = 1000;

/// Reads all spans of an input.
pub(crate) fn read(reader: impl BufRead, budget: &Budget) -> Result<Intake, Error> {
    intake::documents(reader, budget, |doc, intake| Reading { doc, intake }.spans(0))
}

struct Reading<'a, R> {
    doc: &'a mut Document<R>,
    intake: &'a mut Intake,
}

/// Who recorded something.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Endpoint {
    service: Option<String>,
    address: Option<String>,
}

/// A moment of a span. Only version 1 says whose.
#[derive(Debug)]
struct Annotation {
    time: Option<u64>,
    value: Symbol,
    of: Option<Endpoint>,
}

/// A tag. Only version 1 says whose.
#[derive(Debug)]
struct Tag {
    key: Symbol,
    json: Symbol,
    of: Option<Endpoint>,
}

/// What a record says, until all of it is read.
#[derive(Debug, Default)]
struct Record {
    duration: Option<i128>,
    local: Endpoint,
    annotations: Vec<Annotation>,
    tags: Vec<Tag>,
    is_first_version: bool,
}

impl<R: BufRead> Reading<'_, R> {
    /// A span, or an array of them.
    fn spans(&mut self, depth: u32) -> Read<()> {
        if self.doc.peek()? == Some(b'[') && depth < 2 {
            self.doc.array("a list of spans")?;
            while self.doc.item()? {
                self.spans(depth + 1)?;
            }
            return Ok(());
        }
        self.span()
    }

    fn span(&mut self) -> Read<()> {
        self.doc.object("a span")?;
        let line = self.doc.line();
        let mut record = Record::default();
        let mut seen = Seen::default();
        while let Some(key) = self.doc.key()? {
            match Field::of(key) {
                Field::Other => self.doc.skip()?,
                field => {
                    seen.once(self.doc, field as u8)?;
                    self.field(field, &mut record)?;
                }
            }
        }
        let Some(trace) = self.intake.draft.trace else { return Err(intake::without_id(self.doc, "traceId")) };
        let Some(id) = self.intake.draft.id else { return Err(intake::without_id(self.doc, "id")) };
        self.intake.draft.marks.set(Marks::SHARES_ID);
        if record.is_first_version {
            return self.first_version(record, trace, id, line);
        }
        self.intake.draft.end = intake::end(self.intake.draft.start, record.duration);
        self.intake.draft.resource = self.resource(&record.local)?;
        for tag in record.tags {
            self.add_tag(tag.key, tag.json);
        }
        for annotation in record.annotations {
            self.intake.draft.end_event(annotation.time, annotation.value);
        }
        self.intake.accept(trace, id, line)
    }

    fn field(&mut self, field: Field, record: &mut Record) -> Read<()> {
        let draft = &mut self.intake.draft;
        match field {
            Field::Trace => draft.trace = intake::trace_id(self.doc, IdStyle::Digits)?,
            Field::Id => draft.id = intake::span_id(self.doc, IdStyle::Digits)?,
            Field::Parent => draft.parent = intake::span_id(self.doc, IdStyle::Digits)?,
            Field::Name => {
                self.intake.draft.name = match self.doc.scalar("a span")? {
                    Scalar::Text(text) if !text.is_empty() => Some(self.intake.intern(text)?),
                    _ => None,
                };
            }
            Field::Kind => {
                if let Scalar::Text(text) = self.doc.scalar("a span")? {
                    draft.kind = SpanKind::from_word(text);
                }
            }
            Field::Time => draft.start = intake::time(self.doc, UNIT)?,
            Field::Duration => record.duration = intake::duration(self.doc, UNIT)?,
            Field::Local => record.local = self.endpoint()?,
            Field::Annotations => self.annotations(record)?,
            Field::BinaryAnnotations => self.binary_annotations(record)?,
            Field::Tags => self.tags(record)?,
            Field::Other => self.doc.skip()?,
        }
        Ok(())
    }

    fn resource(&mut self, of: &Endpoint) -> Read<u32> {
        self.intake.resource_of([of.service.clone(), None, of.address.clone()])
    }

    fn add_tag(&mut self, key: Symbol, json: Symbol) {
        if self.intake.store.names.resolve(key) == "error" {
            self.intake.draft.status = Status::Error;
        }
        self.intake.draft.attributes.push((key, json));
    }

    fn endpoint(&mut self) -> Read<Endpoint> {
        let mut endpoint = Endpoint::default();
        if self.doc.null()? {
            return Ok(endpoint);
        }
        let mut seen = Seen::default();
        self.doc.object("an endpoint")?;
        while let Some(key) = self.doc.key()? {
            let (field, is_service) = match key {
                "serviceName" => (0, true),
                "ipv4" => (1, false),
                "ipv6" => (2, false),
                _ => {
                    self.doc.skip()?;
                    continue;
                }
            };
            seen.once(self.doc, field)?;
            let Scalar::Text(text) = self.doc.scalar("an endpoint")? else { continue };
            if is_service {
                endpoint.service = Some(text.to_owned()).filter(|text| !text.is_empty());
            } else if !text.starts_with("127.") && text != "::1" && endpoint.address.is_none() {
                // Every host calls itself so.
                endpoint.address = Some(text.to_owned());
            }
        }
        Ok(endpoint)
    }

    fn annotations(&mut self, record: &mut Record) -> Read<()> {
        if self.doc.null()? {
            return Ok(());
        }
        self.doc.array("the annotations of a span")?;
        while self.doc.item()? {
            let (mut time, mut value, mut of) = (None, None, None);
            let mut seen = Seen::default();
            self.doc.object("an annotation")?;
            while let Some(key) = self.doc.key()? {
                match key {
                    "timestamp" => {
                        seen.once(self.doc, 0)?;
                        time = intake::time(self.doc, UNIT)?;
                    }
                    "value" => {
                        seen.once(self.doc, 1)?;
                        let text = self.doc.string("an annotation")?;
                        value = if text.is_empty() { None } else { Some(self.intake.intern(text)?) };
                    }
                    "endpoint" => {
                        seen.once(self.doc, 2)?;
                        of = Some(self.endpoint()?);
                    }
                    _ => self.doc.skip()?,
                }
            }
            record.is_first_version |= of.is_some();
            let value = match value {
                Some(value) => value,
                None => self.intake.intern("annotation")?,
            };
            record.annotations.push(Annotation { time, value, of });
        }
        Ok(())
    }

    fn binary_annotations(&mut self, record: &mut Record) -> Read<()> {
        record.is_first_version = true;
        if self.doc.null()? {
            return Ok(());
        }
        self.doc.array("the binary annotations of a span")?;
        while self.doc.item()? {
            let (mut key, mut json, mut of) = (None, None, None);
            let mut seen = Seen::default();
            self.doc.object("a binary annotation")?;
            while let Some(field) = self.doc.key()? {
                match field {
                    "key" => {
                        seen.once(self.doc, 0)?;
                        key = Some(self.intake.intern(self.doc.string("a binary annotation")?)?);
                    }
                    "value" => {
                        seen.once(self.doc, 1)?;
                        json = Some(self.value()?);
                    }
                    "endpoint" => {
                        seen.once(self.doc, 2)?;
                        of = Some(self.endpoint()?);
                    }
                    _ => self.doc.skip()?,
                }
            }
            if let (Some(key), Some(json)) = (key, json) {
                record.tags.push(Tag { key, json, of });
            }
        }
        Ok(())
    }

    fn tags(&mut self, record: &mut Record) -> Read<()> {
        if self.doc.null()? {
            return Ok(());
        }
        let mut keys = FxHashSet::default();
        self.doc.object("the tags of a span")?;
        while let Some(key) = self.doc.key()? {
            let key = self.intake.intern(key)?;
            if !keys.insert(key) {
                return Err(self.doc.again());
            }
            let json = self.value()?;
            record.tags.push(Tag { key, json, of: None });
        }
        Ok(())
    }

    fn value(&mut self) -> Read<Symbol> {
        self.intake.scratch.clear();
        write_scalar(&mut self.intake.scratch, self.doc.scalar("a tag")?, false);
        self.intake.intern_scratch()
    }
}

/// The fields of a span.
#[derive(Clone, Copy)]
enum Field {
    Trace,
    Id,
    Parent,
    Name,
    Kind,
    Time,
    Duration,
    Local,
    Annotations,
    BinaryAnnotations,
    Tags,
    Other,
}

impl Field {
    fn of(key: &str) -> Self {
        match key {
            "traceId" => Self::Trace,
            "id" => Self::Id,
            "parentId" => Self::Parent,
            "name" => Self::Name,
            "kind" => Self::Kind,
            "timestamp" => Self::Time,
            "duration" => Self::Duration,
            "localEndpoint" => Self::Local,
            "annotations" => Self::Annotations,
            "binaryAnnotations" => Self::BinaryAnnotations,
            "tags" => Self::Tags,
            _ => Self::Other,
        }
    }
}
