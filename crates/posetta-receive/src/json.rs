//! OTLP in JSON, written as the protocol buffers that say the same.
//!
//! The services of one trace may export in different encodings, and all spans of a trace must be in one file. The messages are
//! tables ([`Field`]); a document is gone over once and each value is written as it is met, so that no tree of it is held. A field that
//! no table has is passed over, as the protocol asks for; whoever calls compares how many spans came out.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::wire;

/// A field of a message: its name in JSON, its number, and what it holds.
struct Field(&'static str, u32, Holds);

#[derive(Clone, Copy)]
enum Holds {
    Text,
    /// An id: hexadecimal digits, or base64 where the length says so.
    Id,
    Bytes,
    Bool,
    /// A number, or one of the names that stand for 0, 1, …
    Number(&'static [&'static str]),
    Signed,
    Fixed64,
    Fixed32,
    Double,
    Message(&'static [Field]),
}

use Holds::{Bool, Bytes, Double, Fixed32, Fixed64, Id, Message, Number, Signed, Text};

const KINDS: &[&str] = &[
    "SPAN_KIND_UNSPECIFIED",
    "SPAN_KIND_INTERNAL",
    "SPAN_KIND_SERVER",
    "SPAN_KIND_CLIENT",
    "SPAN_KIND_PRODUCER",
    "SPAN_KIND_CONSUMER",
];
const CODES: &[&str] = &["STATUS_CODE_UNSET", "STATUS_CODE_OK", "STATUS_CODE_ERROR"];

static TRACES: [Field; 1] = [Field("resourceSpans", 1, Message(&RESOURCE_SPANS))];
static RESOURCE_SPANS: [Field; 3] = [
    Field("resource", 1, Message(&RESOURCE)),
    Field("scopeSpans", 2, Message(&SCOPE_SPANS)),
    Field("schemaUrl", 3, Text),
];
static RESOURCE: [Field; 2] =
    [Field("attributes", 1, Message(&KEY_VALUE)), Field("droppedAttributesCount", 2, Number(&[]))];
static SCOPE_SPANS: [Field; 3] =
    [Field("scope", 1, Message(&SCOPE)), Field("spans", 2, Message(&SPAN)), Field("schemaUrl", 3, Text)];
static SCOPE: [Field; 4] = [
    Field("name", 1, Text),
    Field("version", 2, Text),
    Field("attributes", 3, Message(&KEY_VALUE)),
    Field("droppedAttributesCount", 4, Number(&[])),
];
static SPAN: [Field; 16] = [
    Field("traceId", 1, Id),
    Field("spanId", 2, Id),
    Field("traceState", 3, Text),
    Field("parentSpanId", 4, Id),
    Field("name", 5, Text),
    Field("kind", 6, Number(KINDS)),
    Field("startTimeUnixNano", 7, Fixed64),
    Field("endTimeUnixNano", 8, Fixed64),
    Field("attributes", 9, Message(&KEY_VALUE)),
    Field("droppedAttributesCount", 10, Number(&[])),
    Field("events", 11, Message(&EVENT)),
    Field("droppedEventsCount", 12, Number(&[])),
    Field("links", 13, Message(&LINK)),
    Field("droppedLinksCount", 14, Number(&[])),
    Field("status", 15, Message(&STATUS)),
    Field("flags", 16, Fixed32),
];
static EVENT: [Field; 4] = [
    Field("timeUnixNano", 1, Fixed64),
    Field("name", 2, Text),
    Field("attributes", 3, Message(&KEY_VALUE)),
    Field("droppedAttributesCount", 4, Number(&[])),
];
static LINK: [Field; 6] = [
    Field("traceId", 1, Id),
    Field("spanId", 2, Id),
    Field("traceState", 3, Text),
    Field("attributes", 4, Message(&KEY_VALUE)),
    Field("droppedAttributesCount", 5, Number(&[])),
    Field("flags", 6, Fixed32),
];
static STATUS: [Field; 2] = [Field("message", 2, Text), Field("code", 3, Number(CODES))];
static KEY_VALUE: [Field; 2] = [Field("key", 1, Text), Field("value", 2, Message(&VALUE))];
static VALUE: [Field; 7] = [
    Field("stringValue", 1, Text),
    Field("boolValue", 2, Bool),
    Field("intValue", 3, Signed),
    Field("doubleValue", 4, Double),
    Field("arrayValue", 5, Message(&LIST)),
    Field("kvlistValue", 6, Message(&PAIRS)),
    Field("bytesValue", 7, Bytes),
];
static LIST: [Field; 1] = [Field("values", 1, Message(&VALUE))];
static PAIRS: [Field; 1] = [Field("values", 1, Message(&KEY_VALUE))];

/// A document as a message `ExportTraceServiceRequest`.
///
/// # Errors
/// When it is not JSON, or a value does not fit its field.
pub(crate) fn to_message(document: &[u8]) -> Result<Vec<u8>, serde_json::Error> {
    let mut message = Vec::with_capacity(document.len() / 2);
    let mut reader = serde_json::Deserializer::from_slice(document);
    Fields { fields: &TRACES, out: &mut message }.deserialize(&mut reader)?;
    reader.end()?;
    Ok(message)
}

/// The fields of an object, in a message.
struct Fields<'a> {
    fields: &'static [Field],
    out: &'a mut Vec<u8>,
}

impl<'de> DeserializeSeed<'de> for Fields<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Fields<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            match self.fields.iter().find(|field| is_called(field.0, &name)) {
                Some(field) => map.next_value_seed(One { field, in_list: false, out: &mut *self.out })?,
                None => drop(map.next_value::<serde::de::IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

/// Whether a name is this one, in either of its two spellings: `traceId`, `trace_id`.
fn is_called(field: &str, name: &str) -> bool {
    let mut rest = name;
    for c in field.chars() {
        let found = match c.is_ascii_uppercase() {
            true => rest.strip_prefix(c).or_else(|| rest.strip_prefix('_')?.strip_prefix(c.to_ascii_lowercase())),
            false => rest.strip_prefix(c),
        };
        match found {
            Some(after) => rest = after,
            None => return false,
        }
    }
    rest.is_empty()
}

/// The value of a field, or one of a list of them.
struct One<'a> {
    field: &'static Field,
    in_list: bool,
    out: &'a mut Vec<u8>,
}

impl One<'_> {
    /// A number that is not negative.
    fn natural<E: Error>(self, value: u64) -> Result<(), E> {
        let Field(name, field, holds) = *self.field;
        let too_large = || E::custom(format_args!("the number of `{name}` is too large"));
        match holds {
            Number(_) => wire::number(self.out, field, value),
            Signed => wire::number(self.out, field, i64::try_from(value).map_err(|_| too_large())? as u64),
            Fixed64 => wire::fixed64(self.out, field, value),
            Fixed32 => wire::fixed32(self.out, field, u32::try_from(value).map_err(|_| too_large())?),
            Double => wire::fixed64(self.out, field, (value as f64).to_bits()),
            Text | Id | Bytes | Bool | Message(_) => return Err(self.unfit()),
        }
        Ok(())
    }

    #[cold]
    fn unfit<E: Error>(&self) -> E {
        E::custom(format_args!("`{}` has a value that does not fit", self.field.0))
    }
}

impl<'de> DeserializeSeed<'de> for One<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for One<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a value of `{}`", self.field.0)
    }

    /// `null` is as good as nothing.
    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        match self.field.2 {
            Bool => wire::number(self.out, self.field.1, u64::from(value)),
            _ => return Err(self.unfit()),
        }
        Ok(())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        self.natural(value)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        match self.field.2 {
            Signed => wire::number(self.out, self.field.1, value as u64),
            Double => wire::fixed64(self.out, self.field.1, (value as f64).to_bits()),
            _ => return u64::try_from(value).map_err(|_| self.unfit()).and_then(|value| self.natural(value)),
        }
        Ok(())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        match self.field.2 {
            Double => wire::fixed64(self.out, self.field.1, value.to_bits()),
            _ => return Err(self.unfit()),
        }
        Ok(())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<(), E> {
        let Field(_, field, holds) = *self.field;
        match holds {
            Text => wire::bytes(self.out, field, value.as_bytes()),
            Id => wire::bytes(self.out, field, &id(value).ok_or_else(|| self.unfit())?),
            Bytes => wire::bytes(self.out, field, &STANDARD.decode(value).map_err(|_| self.unfit())?),
            Number(names) => {
                let named = names.iter().position(|name| *name == value).map(|at| at as u64);
                let number = named.or_else(|| value.parse().ok()).ok_or_else(|| self.unfit())?;
                wire::number(self.out, field, number);
            }
            Signed => wire::number(self.out, field, value.parse::<i64>().map_err(|_| self.unfit())? as u64),
            Fixed64 => wire::fixed64(self.out, field, value.parse().map_err(|_| self.unfit())?),
            Fixed32 => wire::fixed32(self.out, field, value.parse().map_err(|_| self.unfit())?),
            Double => wire::fixed64(self.out, field, value.parse::<f64>().map_err(|_| self.unfit())?.to_bits()),
            Bool | Message(_) => return Err(self.unfit()),
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        if self.in_list || !matches!(self.field.2, Message(_)) {
            return Err(self.unfit());
        }
        while list.next_element_seed(One { field: self.field, in_list: true, out: &mut *self.out })?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        let Message(fields) = self.field.2 else { return Err(self.unfit()) };
        let mut message = Vec::new();
        Fields { fields, out: &mut message }.visit_map(map)?;
        wire::bytes(self.out, self.field.1, &message);
        Ok(())
    }
}

/// The bytes of an id, told by its length: 16 or 32 hexadecimal digits, or base64. An empty one is none.
fn id(text: &str) -> Option<Vec<u8>> {
    if !matches!(text.len(), 16 | 32) {
        return STANDARD.decode(text).ok();
    }
    let digits: Option<Vec<u8>> = text.chars().map(|c| c.to_digit(16).map(|digit| digit as u8)).collect();
    digits.map(|digits| digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}
