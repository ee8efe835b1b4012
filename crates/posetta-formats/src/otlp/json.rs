//! OTLP in JSON.
//!
//! Objects have their fields in any order, so what says who recorded a span may come behind it, and is told to the spans of its
//! object at the end.

use std::io::BufRead;

use crate::document::{Document, Read, Scalar, Seen};
use crate::spans::intake::{self, IdStyle, Intake, write_scalar, write_string};
use crate::spans::{Attribute, Marks, SpanKind, Status};
use posetta_base::{Budget, Error, Symbol};

/// Values inside each other. SDKs allow few.
const DEEPEST: u32 = 64;

/// Nanoseconds.
const UNIT: u64 = 1;

/// Reads all spans of an input.
pub(crate) fn read(reader: impl BufRead, budget: &Budget) -> Result<Intake, Error> {
    intake::documents(reader, budget, |doc, intake| Reading { doc, intake }.document(0))
}

struct Reading<'a, R> {
    doc: &'a mut Document<R>,
    intake: &'a mut Intake,
}

impl<R: BufRead> Reading<'_, R> {
    /// An export, whatever is around it.
    fn document(&mut self, depth: u32) -> Read<()> {
        if self.doc.peek()? == Some(b'[') && depth < 2 {
            self.doc.array("a list of exports")?;
            while self.doc.item()? {
                self.document(depth + 1)?;
            }
            return Ok(());
        }
        self.doc.object("an export of traces")?;
        let mut seen = Seen::default();
        while let Some(key) = self.doc.key()? {
            match key {
                "resourceSpans" | "resource_spans" => {
                    seen.once(self.doc, 0)?;
                    self.resources()?;
                }
                "batches" => {
                    seen.once(self.doc, 1)?;
                    self.resources()?;
                }
                "result" | "data" | "trace" => {
                    let field = match key {
                        "result" => 2,
                        "data" => 3,
                        _ => 4,
                    };
                    seen.once(self.doc, field)?;
                    match self.doc.peek()? {
                        Some(b'{') if depth < 4 => self.document(depth + 1)?,
                        _ => self.doc.skip()?,
                    }
                }
                _ => self.doc.skip()?,
            }
        }
        Ok(())
    }

    fn resources(&mut self) -> Read<()> {
        if self.doc.null()? {
            return Ok(());
        }
        self.doc.array("the list of resources")?;
        while self.doc.item()? {
            let first = self.intake.store.spans.len();
            let mut attributes = Vec::new();
            let mut seen = Seen::default();
            self.doc.object("a resource with its spans")?;
            while let Some(key) = self.doc.key()? {
                match key {
                    "resource" => {
                        seen.once(self.doc, 0)?;
                        attributes = self.resource()?;
                    }
                    "scopeSpans" | "scope_spans" => {
                        seen.once(self.doc, 1)?;
                        self.scopes()?;
                    }
                    "instrumentationLibrarySpans" | "instrumentation_library_spans" => {
                        seen.once(self.doc, 2)?;
                        self.scopes()?;
                    }
                    _ => self.doc.skip()?,
                }
            }
            let resource = self.intake.resource(None, &attributes)?;
            self.intake.store.spans[first..].iter_mut().for_each(|span| span.resource = resource);
        }
        Ok(())
    }

    /// The attributes of a resource.
    fn resource(&mut self) -> Read<Vec<Attribute>> {
        let mut attributes = Vec::new();
        if self.doc.null()? {
            return Ok(attributes);
        }
        let mut seen = Seen::default();
        self.doc.object("a resource")?;
        while let Some(key) = self.doc.key()? {
            match key {
                "attributes" => {
                    seen.once(self.doc, 0)?;
                    attributes = self.attributes(Vec::new())?;
                }
                _ => self.doc.skip()?,
            }
        }
        Ok(attributes)
    }

    fn scopes(&mut self) -> Read<()> {
        if self.doc.null()? {
            return Ok(());
        }
        self.doc.array("the list of scopes")?;
        while self.doc.item()? {
            let first = self.intake.store.spans.len();
            let mut scope = Vec::new();
            let mut seen = Seen::default();
            self.doc.object("a scope with its spans")?;
            while let Some(key) = self.doc.key()? {
                match key {
                    "scope" | "instrumentationLibrary" | "instrumentation_library" => {
                        seen.once(self.doc, 0)?;
                        scope = self.scope()?;
                        self.intake.share(&scope, first)?;
                    }
                    "spans" => {
                        seen.once(self.doc, 1)?;
                        self.spans(&scope)?;
                    }
                    _ => self.doc.skip()?,
                }
            }
        }
        Ok(())
    }

    /// What the library calls itself, as attributes of its spans.
    fn scope(&mut self) -> Read<Vec<Attribute>> {
        let mut found = Vec::new();
        if self.doc.null()? {
            return Ok(found);
        }
        let mut seen = Seen::default();
        self.doc.object("a scope")?;
        while let Some(key) = self.doc.key()? {
            let (field, name) = match key {
                "name" => (0, "otel.scope.name"),
                "version" => (1, "otel.scope.version"),
                _ => {
                    self.doc.skip()?;
                    continue;
                }
            };
            seen.once(self.doc, field)?;
            self.intake.scratch.clear();
            write_scalar(&mut self.intake.scratch, self.doc.scalar("a scope")?, false);
            if !matches!(self.intake.scratch.as_str(), "\"\"" | "null") {
                found.push((self.intake.intern(name)?, self.intake.intern_scratch()?));
            }
        }
        Ok(found)
    }

    fn spans(&mut self, scope: &[Attribute]) -> Read<()> {
        if self.doc.null()? {
            return Ok(());
        }
        self.doc.array("the list of spans")?;
        while self.doc.item()? {
            self.span(scope)?;
        }
        Ok(())
    }

    fn span(&mut self, scope: &[Attribute]) -> Read<()> {
        self.doc.object("a span")?;
        let line = self.doc.line();
        self.intake.draft.attributes.extend_from_slice(scope);
        let mut seen = Seen::default();
        while let Some(key) = self.doc.key()? {
            let field = Field::of(key);
            match field {
                Field::Other => self.doc.skip()?,
                field => {
                    seen.once(self.doc, field as u8)?;
                    self.field(field)?;
                }
            }
        }
        let Some(trace) = self.intake.draft.trace else { return Err(intake::without_id(self.doc, "traceId")) };
        let Some(id) = self.intake.draft.id else { return Err(intake::without_id(self.doc, "spanId")) };
        self.intake.accept(trace, id, line)
    }

    fn field(&mut self, field: Field) -> Read<()> {
        let draft = &mut self.intake.draft;
        match field {
            Field::Trace => draft.trace = intake::trace_id(self.doc, IdStyle::Whole)?,
            Field::Id => draft.id = intake::span_id(self.doc, IdStyle::Whole)?,
            Field::Parent => draft.parent = intake::span_id(self.doc, IdStyle::Whole)?,
            Field::Name => self.intake.draft.name = self.name("a span")?,
            Field::Kind => {
                draft.kind = match self.doc.scalar("a span")? {
                    Scalar::Number(text) => SpanKind::from_number(text.parse().unwrap_or(0)),
                    Scalar::Text(text) => match text.parse() {
                        Ok(number) => SpanKind::from_number(number),
                        Err(_) => SpanKind::from_word(text),
                    },
                    _ => SpanKind::default(),
                };
            }
            Field::Start => draft.start = intake::time(self.doc, UNIT)?,
            Field::End => draft.end = intake::time(self.doc, UNIT)?,
            Field::Attributes => {
                let attributes = std::mem::take(&mut draft.attributes);
                self.intake.draft.attributes = self.attributes(attributes)?;
            }
            Field::Events => self.events()?,
            Field::Links => self.links()?,
            Field::Status => self.status()?,
            Field::Flags => {
                /// The parent is known to be remote, or not; and is.
                const REMOTE: u64 = 0x300;
                if self.count()? & REMOTE == REMOTE {
                    self.intake.draft.marks.set(Marks::REMOTE);
                }
            }
            Field::DroppedEvents | Field::DroppedLinks => {
                self.intake.draft.lost = self.intake.draft.lost.saturating_add(self.count()?);
            }
            Field::Other => self.doc.skip()?,
        }
        Ok(())
    }

    /// A name; none if it is empty.
    fn name(&mut self, inside: &'static str) -> Read<Option<Symbol>> {
        match self.doc.scalar(inside)? {
            Scalar::Text("") => Ok(None),
            Scalar::Text(text) => self.intake.intern(text).map(Some),
            _ => Ok(None),
        }
    }

    /// A number that is not worth a mistake.
    fn count(&mut self) -> Read<u64> {
        match self.doc.scalar("a span")? {
            Scalar::Number(text) | Scalar::Text(text) => Ok(text.parse().unwrap_or(0)),
            _ => Ok(0),
        }
    }

    fn events(&mut self) -> Read<()> {
        if self.doc.null()? {
            return Ok(());
        }
        self.doc.array("the events of a span")?;
        while self.doc.item()? {
            let (mut time, mut name) = (None, None);
            let mut seen = Seen::default();
            self.doc.object("a span event")?;
            while let Some(key) = self.doc.key()? {
                match key {
                    "timeUnixNano" | "time_unix_nano" => {
                        seen.once(self.doc, 0)?;
                        time = intake::time(self.doc, UNIT)?;
                    }
                    "name" => {
                        seen.once(self.doc, 1)?;
                        name = self.name("a span event")?;
                    }
                    "attributes" => {
                        seen.once(self.doc, 2)?;
                        let attributes = std::mem::take(&mut self.intake.draft.event_attributes);
                        self.intake.draft.event_attributes = self.attributes(attributes)?;
                    }
                    _ => self.doc.skip()?,
                }
            }
            let name = match name {
                Some(name) => name,
                None => self.intake.intern("event")?,
            };
            self.intake.draft.end_event(time, name);
        }
        Ok(())
    }

    fn links(&mut self) -> Read<()> {
        if self.doc.null()? {
            return Ok(());
        }
        self.doc.array("the links of a span")?;
        while self.doc.item()? {
            let (mut trace, mut id) = (None, None);
            let mut seen = Seen::default();
            self.doc.object("a link")?;
            while let Some(key) = self.doc.key()? {
                match key {
                    "traceId" | "trace_id" => {
                        seen.once(self.doc, 0)?;
                        trace = intake::trace_id(self.doc, IdStyle::Whole)?;
                    }
                    "spanId" | "span_id" => {
                        seen.once(self.doc, 1)?;
                        id = intake::span_id(self.doc, IdStyle::Whole)?;
                    }
                    _ => self.doc.skip()?,
                }
            }
            self.intake.draft.links.extend(trace.zip(id));
        }
        Ok(())
    }

    fn status(&mut self) -> Read<()> {
        if self.doc.null()? {
            return Ok(());
        }
        let mut seen = Seen::default();
        self.doc.object("a status")?;
        while let Some(key) = self.doc.key()? {
            match key {
                "code" => {
                    seen.once(self.doc, 0)?;
                    if let Scalar::Number(text) | Scalar::Text(text) = self.doc.scalar("a status")? {
                        self.intake.draft.status = Status::from_word(text);
                    }
                }
                "message" => {
                    seen.once(self.doc, 1)?;
                    if let Scalar::Text(text) = self.doc.scalar("a status")?
                        && !text.is_empty()
                    {
                        self.intake.attribute("otel.status_description", text)?;
                    }
                }
                _ => self.doc.skip()?,
            }
        }
        Ok(())
    }

    /// Adds attributes to a list.
    fn attributes(&mut self, mut list: Vec<Attribute>) -> Read<Vec<Attribute>> {
        if self.doc.null()? {
            return Ok(list);
        }
        self.doc.array("a list of attributes")?;
        while self.doc.item()? {
            let (mut key, mut json) = (None, None);
            let mut seen = Seen::default();
            self.doc.object("an attribute")?;
            while let Some(field) = self.doc.key()? {
                match field {
                    "key" => {
                        seen.once(self.doc, 0)?;
                        key = Some(self.intake.intern(self.doc.string("an attribute")?)?);
                    }
                    "value" => {
                        seen.once(self.doc, 1)?;
                        let mut scratch = std::mem::take(&mut self.intake.scratch);
                        scratch.clear();
                        self.value(&mut scratch, 0)?;
                        self.intake.scratch = scratch;
                        json = Some(self.intake.intern_scratch()?);
                    }
                    _ => self.doc.skip()?,
                }
            }
            if let Some(key) = key {
                let json = match json {
                    Some(json) => json,
                    None => self.intake.intern("null")?,
                };
                list.push((key, json));
            }
        }
        Ok(list)
    }

    /// Writes a value, which its type is written around, as plain JSON.
    fn value(&mut self, out: &mut String, depth: u32) -> Read<()> {
        if depth > DEEPEST {
            return Err(self.doc.unexpected("a value that is nested too deeply", "fewer lists inside each other"));
        }
        let before = out.len();
        if !self.doc.null()? {
            self.doc.object("a value")?;
            while let Some(key) = self.doc.key()? {
                let sort = match key {
                    "stringValue" | "string_value" | "bytesValue" | "bytes_value" | "boolValue" | "bool_value" => {
                        Notation::Plain
                    }
                    "intValue" | "int_value" | "doubleValue" | "double_value" => Notation::Number,
                    "arrayValue" | "array_value" => Notation::List,
                    "kvlistValue" | "kvlist_value" => Notation::Pairs,
                    _ => {
                        self.doc.skip()?;
                        continue;
                    }
                };
                // A value is of one type. Some write the others as well, and nothing there.
                if self.doc.null()? {
                    continue;
                }
                if out.len() > before {
                    return Err(self.doc.wrong_key("a second value", "one value of one type"));
                }
                match sort {
                    Notation::Plain => write_scalar(out, self.doc.scalar("a value")?, false),
                    Notation::Number => write_scalar(out, self.doc.scalar("a value")?, true),
                    Notation::List => self.list(out, false, depth)?,
                    Notation::Pairs => self.list(out, true, depth)?,
                }
            }
        }
        if out.len() == before {
            out.push_str("null");
        }
        Ok(())
    }

    /// A list of values, or of keys and values.
    fn list(&mut self, out: &mut String, has_keys: bool, depth: u32) -> Read<()> {
        let before = out.len();
        out.push(if has_keys { '{' } else { '[' });
        if !self.doc.null()? {
            let mut seen = Seen::default();
            self.doc.object("a list of values")?;
            while let Some(key) = self.doc.key()? {
                if key != "values" {
                    self.doc.skip()?;
                    continue;
                }
                seen.once(self.doc, 0)?;
                if self.doc.null()? {
                    continue;
                }
                self.doc.array("a list of values")?;
                while self.doc.item()? {
                    if out.len() > before + 1 {
                        out.push(',');
                    }
                    if has_keys { self.pair(out, depth)? } else { self.value(out, depth + 1)? }
                }
            }
        }
        out.push(if has_keys { '}' } else { ']' });
        Ok(())
    }

    fn pair(&mut self, out: &mut String, depth: u32) -> Read<()> {
        let (mut name, mut json) = (String::new(), String::new());
        let mut seen = Seen::default();
        self.doc.object("a key and its value")?;
        while let Some(key) = self.doc.key()? {
            match key {
                "key" => {
                    seen.once(self.doc, 0)?;
                    name = self.doc.string("a key")?.to_owned();
                }
                "value" => {
                    seen.once(self.doc, 1)?;
                    self.value(&mut json, depth + 1)?;
                }
                _ => self.doc.skip()?,
            }
        }
        write_string(out, &name);
        out.push(':');
        out.push_str(if json.is_empty() { "null" } else { &json });
        Ok(())
    }
}

/// How a value is written.
#[derive(Clone, Copy)]
enum Notation {
    Plain,
    Number,
    List,
    Pairs,
}

/// The fields of a span.
#[derive(Clone, Copy)]
enum Field {
    Trace,
    Id,
    Parent,
    Name,
    Kind,
    Start,
    End,
    Attributes,
    Events,
    Links,
    Status,
    Flags,
    DroppedEvents,
    DroppedLinks,
    Other,
}

impl Field {
    #[inline]
    fn of(key: &str) -> Self {
        match key {
            "traceId" | "trace_id" => Self::Trace,
            "spanId" | "span_id" => Self::Id,
            "parentSpanId" | "parent_span_id" => Self::Parent,
            "name" => Self::Name,
            "kind" => Self::Kind,
            "startTimeUnixNano" | "start_time_unix_nano" => Self::Start,
            "endTimeUnixNano" | "end_time_unix_nano" => Self::End,
            "attributes" => Self::Attributes,
            "events" => Self::Events,
            "links" => Self::Links,
            "status" => Self::Status,
            "flags" => Self::Flags,
            "droppedEventsCount" | "dropped_events_count" => Self::DroppedEvents,
            "droppedLinksCount" | "dropped_links_count" => Self::DroppedLinks,
            _ => Self::Other,
        }
    }
}
