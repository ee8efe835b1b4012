//! OTLP as protocol buffers: messages `TracesData` or `ExportTraceServiceRequest`, which look alike.
//!
//! A file may be one message, several of them, or several with their lengths before them: four bytes, as the file exporter of the
//! collector writes them, or a varint, as is usual. One span is held at a time.

use std::fmt::Write as _;
use std::io::BufRead;

use super::wire::{Fields, Value, Wire};
use crate::document::Read;
use crate::spans::intake::{Intake, write_string};
use crate::spans::{Attribute, Marks, SpanId, SpanKind, Status, TraceId};
use posetta_base::{Budget, Error};

const DEEPEST: u32 = 64;

/// The first byte of a message: field 1, of which there are bytes.
const FIRST: u8 = 0x0a;

/// The parent is known to be remote, or not; and is.
const REMOTE: u64 = 0x300;

/// Reads all spans of an input.
pub(crate) fn read(reader: impl BufRead, budget: &Budget) -> Result<Intake, Error> {
    let mut reading = Reading { wire: Wire::new(reader, budget)?, intake: Intake::new(false, budget)? };
    reading.all().map_err(|error| *error)?;
    Ok(reading.intake)
}

/// Whether a file begins like this: messages in which every length fits the one around it, and bytes that no text has.
pub(crate) fn looks_like(start: &[u8]) -> bool {
    let message = match start {
        [0..FIRST, _, _, _, FIRST, ..] => &start[4..],
        [FIRST, ..] => start,
        // A length in one or two bytes.
        [0x0b..0x80, FIRST, ..] => &start[1..],
        [0x80..=0xff, 0..0x80, FIRST, ..] => &start[2..],
        _ => return false,
    };
    let is_text = |&b: &u8| b >= b' ' || matches!(b, b'\t' | b'\n' | b'\r');
    !message.iter().all(is_text) && begins(message, &[&[1], &[1, 2], &[1, 2, 3]])
}

/// Whether bytes, which may be cut, begin with a field of these numbers, inside of which there is one of the next ones.
fn begins(bytes: &[u8], fields: &[&[u64]]) -> bool {
    let Some((allowed, inner)) = fields.split_first() else { return true };
    // The length of the first field, whether its bytes are there or not.
    let Some((&tag, rest)) = bytes.split_first() else { return true };
    if tag & 7 != 2 || !allowed.contains(&u64::from(tag >> 3)) {
        return false;
    }
    let (mut length, mut used) = (0usize, 0);
    for &byte in rest.iter().take(5) {
        length |= usize::from(byte & 0x7f) << (7 * used);
        used += 1;
        if byte < 0x80 {
            break;
        }
    }
    let inside = &rest[used..];
    length > 0 && begins(&inside[..length.min(inside.len())], inner)
}

struct Reading<R> {
    wire: Wire<R>,
    intake: Intake,
}

impl<R: BufRead> Reading<R> {
    fn all(&mut self) -> Read<()> {
        while let Some(first) = self.wire.byte()? {
            match first {
                FIRST => {
                    let end = self.wire.end_of(u64::MAX)?;
                    self.resource_spans(end)?;
                }
                // The length of a message, its highest byte first: none has just a few bytes.
                0..FIRST => {
                    let mut length = u64::from(first);
                    for _ in 0..3 {
                        match self.wire.byte()? {
                            Some(byte) => length = length << 8 | u64::from(byte),
                            None => return Err(self.wire.wrong("the file ends inside the length of a message")),
                        }
                    }
                    self.message(self.wire.offset + length)?;
                }
                first => {
                    let length = self.wire.varint(Some(first), u64::MAX)?;
                    let end = self.wire.offset.checked_add(length);
                    let end = end.ok_or_else(|| self.wire.wrong("a message that is too long"))?;
                    self.message(end)?;
                }
            }
        }
        Ok(())
    }

    /// A message of known length.
    fn message(&mut self, end: u64) -> Read<()> {
        while self.wire.offset < end {
            let tag = self.wire.tag(None, end)?;
            if tag.field == 1 && tag.has_bytes() {
                let own = self.wire.end_of(end)?;
                self.resource_spans(own)?;
            } else {
                self.wire.skip(tag, end)?;
            }
        }
        Ok(())
    }

    fn resource_spans(&mut self, end: u64) -> Read<()> {
        let first = self.intake.store.spans.len();
        let mut attributes = Vec::new();
        while self.wire.offset < end {
            let tag = self.wire.tag(None, end)?;
            match tag.field {
                1 if tag.has_bytes() => {
                    let own = self.wire.end_of(end)?;
                    let bytes = self.wire.bytes(own)?;
                    for (field, value) in self.fields(&bytes)? {
                        if field == 1 {
                            attributes.push(self.attribute(value.bytes())?);
                        }
                    }
                    self.wire.give_back(bytes);
                }
                2 | 1000 if tag.has_bytes() => {
                    let own = self.wire.end_of(end)?;
                    self.scope_spans(own)?;
                }
                _ => self.wire.skip(tag, end)?,
            }
        }
        let resource = self.intake.resource(None, &attributes)?;
        self.intake.store.spans[first..].iter_mut().for_each(|span| span.resource = resource);
        Ok(())
    }

    fn scope_spans(&mut self, end: u64) -> Read<()> {
        let first = self.intake.store.spans.len();
        let mut scope: Vec<Attribute> = Vec::new();
        while self.wire.offset < end {
            let tag = self.wire.tag(None, end)?;
            if !(1..=2).contains(&tag.field) || !tag.has_bytes() {
                self.wire.skip(tag, end)?;
                continue;
            }
            let own = self.wire.end_of(end)?;
            let bytes = self.wire.bytes(own)?;
            if tag.field == 2 {
                self.intake.draft.attributes.extend_from_slice(&scope);
                self.span(&bytes)?;
            } else {
                for (field, value) in self.fields(&bytes)? {
                    let key = match field {
                        1 => "otel.scope.name",
                        2 => "otel.scope.version",
                        _ => continue,
                    };
                    if !value.bytes().is_empty() {
                        self.intake.attribute(key, &value.text())?;
                    }
                }
                let is_first = scope.is_empty();
                scope = std::mem::take(&mut self.intake.draft.attributes);
                if is_first {
                    self.intake.share(&scope, first)?;
                }
            }
            self.wire.give_back(bytes);
        }
        Ok(())
    }

    /// The fields of a message that is whole.
    fn fields<'a>(&self, message: &'a [u8]) -> Read<Vec<(u64, Value<'a>)>> {
        let mut fields = Fields::new(message);
        let all: Vec<_> = fields.by_ref().collect();
        if fields.damaged { Err(self.wire.wrong("a message with a damaged field ends")) } else { Ok(all) }
    }

    fn span(&mut self, message: &[u8]) -> Read<()> {
        for (field, value) in self.fields(message)? {
            let draft = &mut self.intake.draft;
            match field {
                1 => draft.trace = TraceId::from_bytes(value.bytes()),
                2 => draft.id = SpanId::from_bytes(value.bytes()),
                4 => draft.parent = SpanId::from_bytes(value.bytes()),
                5 if !value.bytes().is_empty() => {
                    let name = self.intake.intern(&value.text())?;
                    self.intake.draft.name = Some(name);
                }
                6 => draft.kind = SpanKind::from_number(value.number()),
                7 => draft.start = time(value),
                8 => draft.end = time(value),
                9 => {
                    let attribute = self.attribute(value.bytes())?;
                    self.intake.draft.attributes.push(attribute);
                }
                11 => self.event(value.bytes())?,
                12 | 14 => draft.lost = draft.lost.saturating_add(value.number()),
                13 => {
                    let (mut trace, mut id) = (None, None);
                    for (field, value) in self.fields(value.bytes())? {
                        match field {
                            1 => trace = TraceId::from_bytes(value.bytes()),
                            2 => id = SpanId::from_bytes(value.bytes()),
                            _ => {}
                        }
                    }
                    self.intake.draft.links.extend(trace.zip(id));
                }
                15 => self.status(value.bytes())?,
                16 if value.number() & REMOTE == REMOTE => draft.marks.set(Marks::REMOTE),
                _ => {}
            }
        }
        let (Some(trace), Some(id)) = (self.intake.draft.trace, self.intake.draft.id) else {
            return Err(self.wire.wrong("a span without the ids of its trace and its own ends"));
        };
        let number = self.intake.store.spans.len() as u64 + 1;
        self.intake.accept(trace, id, number)
    }

    fn event(&mut self, message: &[u8]) -> Read<()> {
        let (mut at, mut name) = (None, None);
        for (field, value) in self.fields(message)? {
            match field {
                1 => at = time(value),
                2 if !value.bytes().is_empty() => name = Some(self.intake.intern(&value.text())?),
                3 => {
                    let attribute = self.attribute(value.bytes())?;
                    self.intake.draft.event_attributes.push(attribute);
                }
                _ => {}
            }
        }
        let name = match name {
            Some(name) => name,
            None => self.intake.intern("event")?,
        };
        self.intake.draft.end_event(at, name);
        Ok(())
    }

    fn status(&mut self, message: &[u8]) -> Read<()> {
        for (field, value) in self.fields(message)? {
            match field {
                2 if !value.bytes().is_empty() => self.intake.attribute("otel.status_description", &value.text())?,
                3 => {
                    self.intake.draft.status = match value.number() {
                        1 => Status::Ok,
                        2 => Status::Error,
                        _ => Status::Unset,
                    };
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn attribute(&mut self, message: &[u8]) -> Read<Attribute> {
        let (mut key, mut json) = (String::new(), String::new());
        for (field, value) in self.fields(message)? {
            match field {
                1 => key = value.text().into_owned(),
                2 => {
                    json.clear();
                    self.value(value.bytes(), &mut json, 0)?;
                }
                _ => {}
            }
        }
        let json = if json.is_empty() { "null" } else { &json };
        Ok((self.intake.intern(&key)?, self.intake.intern(json)?))
    }

    /// Writes a value as JSON.
    fn value(&self, message: &[u8], out: &mut String, depth: u32) -> Read<()> {
        if depth > DEEPEST {
            return Err(self.wire.wrong("a value with too many lists inside each other ends"));
        }
        let before = out.len();
        for (field, value) in self.fields(message)? {
            out.truncate(before);
            match field {
                1 => write_string(out, &value.text()),
                2 => out.push_str(if value.number() != 0 { "true" } else { "false" }),
                // Writing to a string does not fail.
                3 => drop(write!(out, "{}", value.number() as i64)),
                4 => match f64::from_bits(value.number()) {
                    number if number.is_finite() => drop(write!(out, "{number:?}")),
                    number => drop(write!(out, "\"{number}\"")),
                },
                5 => self.list(value.bytes(), out, depth)?,
                6 => self.pairs(value.bytes(), out, depth)?,
                7 => write_base64(out, value.bytes()),
                _ => {}
            }
        }
        if out.len() == before {
            out.push_str("null");
        }
        Ok(())
    }

    fn list(&self, message: &[u8], out: &mut String, depth: u32) -> Read<()> {
        out.push('[');
        for (i, (_, value)) in self.fields(message)?.into_iter().filter(|(field, _)| *field == 1).enumerate() {
            out.push_str(if i > 0 { "," } else { "" });
            self.value(value.bytes(), out, depth + 1)?;
        }
        out.push(']');
        Ok(())
    }

    fn pairs(&self, message: &[u8], out: &mut String, depth: u32) -> Read<()> {
        out.push('{');
        for (i, (_, value)) in self.fields(message)?.into_iter().filter(|(field, _)| *field == 1).enumerate() {
            out.push_str(if i > 0 { "," } else { "" });
            let (mut key, mut json) = (String::new(), String::new());
            for (field, value) in self.fields(value.bytes())? {
                match field {
                    1 => key = value.text().into_owned(),
                    2 => {
                        json.clear();
                        self.value(value.bytes(), &mut json, depth + 1)?;
                    }
                    _ => {}
                }
            }
            write_string(out, &key);
            out.push(':');
            out.push_str(if json.is_empty() { "null" } else { &json });
        }
        out.push('}');
        Ok(())
    }
}

/// Zero stands for none. One below the latest, which stands for none as well.
fn time(value: Value<'_>) -> Option<u64> {
    Some(value.number().min(u64::MAX - 1)).filter(|&time| time != 0)
}

fn write_base64(out: &mut String, bytes: &[u8]) {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    out.push('"');
    for three in bytes.chunks(3) {
        let bits = three.iter().fold(0u32, |bits, &b| bits << 8 | u32::from(b)) << (8 * (3 - three.len()));
        for i in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * i)) as usize & 63];
            out.push(if i <= three.len() { char::from(digit) } else { '=' });
        }
    }
    out.push('"');
}
