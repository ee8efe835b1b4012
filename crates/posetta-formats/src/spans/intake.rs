//! What the readers of spans share: values of JSON as the formats write them, and the way into the store.

use std::io::BufRead;

use super::ids::{SpanId, TraceId, base64};
use super::store::{Attribute, Draft, NONE, Resource, Store};
use crate::document::{Document, Read, Scalar};
use crate::lines::READING;
use crate::quote;
use posetta_base::{Budget, Claim, Diagnostic, Error, Kind, Number, Symbol};

/// Spans between two looks at the budget.
const STRIDE: usize = 256;

/// Spans on their way into a store.
#[derive(Debug)]
pub(crate) struct Intake {
    pub(crate) store: Store,
    /// The span that is being read.
    pub(crate) draft: Draft,
    /// JSON text that is being made.
    pub(crate) scratch: String,
    budget: Budget,
    claim: Claim,
}

/// A mistake without a place of its own.
pub(crate) fn plain_error(error: impl Into<Error>) -> Box<Error> {
    Box::new(error.into())
}

impl Intake {
    pub(crate) fn new(has_lines: bool, budget: &Budget) -> Result<Self, Error> {
        let claim = budget.claim(0, READING)?;
        let store = Store::new(has_lines);
        Ok(Self { store, draft: Draft::default(), scratch: String::new(), budget: budget.clone(), claim })
    }

    pub(crate) fn intern(&mut self, text: &str) -> Read<Symbol> {
        self.store.intern(text).map_err(|full| plain_error(*full))
    }

    /// The symbol of the text that was made.
    pub(crate) fn intern_scratch(&mut self) -> Read<Symbol> {
        self.store.intern(&self.scratch).map_err(|full| plain_error(*full))
    }

    /// Adds an attribute whose value is a string to the span that is being read.
    pub(crate) fn attribute(&mut self, key: &str, text: &str) -> Read<()> {
        let key = self.intern(key)?;
        self.scratch.clear();
        write_string(&mut self.scratch, text);
        let json = self.intern_scratch()?;
        self.draft.attributes.push((key, json));
        Ok(())
    }

    /// Adds the span that was read, and is ready for the next.
    pub(crate) fn accept(&mut self, trace: TraceId, id: SpanId, line: u64) -> Read<()> {
        self.store.add(&self.draft, trace, id, line).map_err(|full| plain_error(*full))?;
        self.draft.clear();
        if self.store.spans.len().is_multiple_of(STRIDE) {
            let step = self.budget.step(STRIDE as u64, READING);
            let grown = step.and_then(|()| self.claim.grow_to(self.store.weight(), READING));
            grown.map_err(plain_error)?;
        }
        Ok(())
    }

    /// Puts attributes before those of the spans from a number on.
    pub(crate) fn share(&mut self, attributes: &[Attribute], from: usize) -> Read<()> {
        self.store.share(attributes, from).map_err(|full| plain_error(*full))
    }

    /// The number of the resource with these attributes.
    pub(crate) fn resource(&mut self, service: Option<&str>, attributes: &[Attribute]) -> Read<u32> {
        /// Each of these says who the instance is, the best first.
        const INSTANCE: [&str; 5] =
            ["service.instance.id", "k8s.pod.uid", "k8s.pod.name", "container.id", "client-uuid"];
        const HOST: [&str; 4] = ["host.id", "host.name", "hostname", "ip"];
        let find = |store: &Store, key: &str| {
            let of_key = attributes.iter().find(|(k, _)| store.names.resolve(*k) == key)?;
            let text = text_of(store.names.resolve(of_key.1));
            // Every host calls itself so.
            let says_nothing = text.is_empty() || text == "localhost" || text == "::1" || text.starts_with("127.");
            (!says_nothing).then_some(text)
        };
        let first = |store: &Store, keys: &[&str]| keys.iter().find_map(|key| find(store, key));
        let service = match service {
            Some(service) => Some(service.to_owned()),
            None => find(&self.store, "service.name"),
        };
        let instance = first(&self.store, &INSTANCE);
        let host = first(&self.store, &HOST);
        let instance = match (instance, find(&self.store, "process.pid"), &host) {
            (None, Some(pid), Some(host)) => Some(format!("{host}/{pid}")),
            (instance, ..) => instance,
        };
        self.resource_of([service, instance, host])
    }

    /// The number of the resource of a service, an instance and a host.
    pub(crate) fn resource_of(&mut self, names: [Option<String>; 3]) -> Read<u32> {
        let mut raw = [NONE; 3];
        for (raw, name) in raw.iter_mut().zip(names) {
            if let Some(name) = name.filter(|name| !name.is_empty()) {
                *raw = self.intern(&name)?.raw();
            }
        }
        let [service, instance, host] = raw;
        let number = self.store.resource(Resource { service, instance, host });
        number.map_err(|full| plain_error(*full))
    }

    /// All spans, and the claim for them.
    ///
    /// # Errors
    /// When there are none.
    pub(crate) fn finish(self) -> Result<(Store, Claim), Error> {
        if self.store.spans.is_empty() {
            return Err(Diagnostic::new(Kind::NoEvents, "the file has no spans").into());
        }
        Ok((self.store, self.claim))
    }
}

/// Reads all documents of an input, each with `one`, and answers with the spans that they have.
pub(crate) fn documents<R: BufRead>(
    reader: R,
    budget: &Budget,
    one: impl Fn(&mut Document<R>, &mut Intake) -> Read<()>,
) -> Result<Intake, Error> {
    let mut doc = Document::new(reader, budget).map_err(|error| *error)?;
    let mut intake = Intake::new(true, budget)?;
    let mut all = || {
        while doc.more()? {
            one(&mut doc, &mut intake)?;
        }
        Ok(())
    };
    all().map_err(|error: Box<Error>| *error)?;
    Ok(intake)
}

/// How a format writes ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IdStyle {
    /// As many hexadecimal digits as bytes have, or base64; told apart by length.
    Whole,
    /// Hexadecimal digits, of which the first zeros may be left out.
    Digits,
}

/// The id of a span; nothing if it is left empty or zero.
pub(crate) fn span_id<R: BufRead>(doc: &mut Document<R>, style: IdStyle) -> Read<Option<SpanId>> {
    let Some(text) = id_text(doc)? else { return Ok(None) };
    let length = text.len();
    let mut bytes = [0; 8];
    let is_zero = text.bytes().all(|b| b == b'0');
    let id = match (style, length) {
        (IdStyle::Digits, _) | (_, 16) => SpanId::from_hex(text),
        _ => base64(text, &mut bytes).and_then(|()| SpanId::from_bytes(&bytes)),
    };
    let is_none = is_zero || (id.is_none() && style == IdStyle::Whole && base64(text, &mut bytes).is_some());
    match id {
        None if !is_none => {
            let message = format!("`{text}` is not the id of a span");
            Err(doc.wrong(length + 2, message, expected(style, "16 hexadecimal digits, or 8 bytes in base64")))
        }
        id => Ok(id),
    }
}

/// The id of a trace; nothing if it is left empty or zero.
pub(crate) fn trace_id<R: BufRead>(doc: &mut Document<R>, style: IdStyle) -> Read<Option<TraceId>> {
    let Some(text) = id_text(doc)? else { return Ok(None) };
    let length = text.len();
    let mut bytes = [0; 16];
    let id = match (style, length) {
        (IdStyle::Digits, _) | (_, 32) => TraceId::from_hex(text),
        _ => base64(text, &mut bytes).and_then(|()| TraceId::from_bytes(&bytes)),
    };
    match id {
        None => {
            let message = format!("`{text}` is not the id of a trace");
            Err(doc.wrong(length + 2, message, expected(style, "32 hexadecimal digits, or 16 bytes in base64")))
        }
        id => Ok(id),
    }
}

fn expected(style: IdStyle, whole: &'static str) -> &'static str {
    match style {
        IdStyle::Whole => whole,
        IdStyle::Digits => "hexadecimal digits",
    }
}

fn id_text<R: BufRead>(doc: &mut Document<R>) -> Read<Option<&str>> {
    match doc.scalar("an id")? {
        Scalar::Null => Ok(None),
        Scalar::Text(text) | Scalar::Number(text) => Ok(Some(text).filter(|text| !text.is_empty())),
        Scalar::Bool(_) => Ok(Some("true")),
    }
}

/// A span that misses one of its ids.
pub(crate) fn without_id<R: BufRead>(doc: &mut Document<R>, field: &str) -> Box<Error> {
    doc.wrong(1, format!("a span without `{field}`"), &format!("`{field}` in the span that ends here"))
}

/// A time as a whole number of units, as nanoseconds; nothing if it is left empty or zero.
pub(crate) fn time<R: BufRead>(doc: &mut Document<R>, unit: u64) -> Read<Option<u64>> {
    Ok(amount(doc, |text| nanoseconds(text, unit))?.filter(|&time| time != 0))
}

/// A duration in nanoseconds, which may be negative.
pub(crate) fn duration<R: BufRead>(doc: &mut Document<R>, unit: u64) -> Read<Option<i128>> {
    amount(doc, |text| match text.strip_prefix('-') {
        Some(positive) => nanoseconds(positive, unit).map(|time| -i128::from(time)),
        None => nanoseconds(text, unit).map(i128::from),
    })
}

/// The end of a span that took so long.
pub(crate) fn end(start: Option<u64>, duration: Option<i128>) -> Option<u64> {
    let end = i128::from(start?) + duration?;
    // One below the latest, which stands for none.
    Some(u64::try_from(end.max(0)).unwrap_or(u64::MAX).min(u64::MAX - 1))
}

/// A number, which may be in quotes; nothing if it is left empty.
fn amount<R: BufRead, T>(doc: &mut Document<R>, read: impl Fn(&str) -> Option<T>) -> Read<Option<T>> {
    let (text, quotes) = match doc.scalar("a time")? {
        Scalar::Null | Scalar::Text("") => return Ok(None),
        Scalar::Text(text) => (text, 2),
        Scalar::Number(text) => (text, 0),
        Scalar::Bool(value) => (if value { "true" } else { "false" }, 0),
    };
    if let Some(time) = read(text) {
        return Ok(Some(time));
    }
    let text = text.to_owned();
    Err(not_a_time(doc, &text, text.len() + quotes))
}

#[cold]
fn not_a_time<R: BufRead>(doc: &mut Document<R>, text: &str, length: usize) -> Box<Error> {
    let is_number = text.strip_prefix('-').unwrap_or(text).bytes().all(|b| b.is_ascii_digit());
    match is_number && !text.is_empty() {
        true => doc.wrong(
            length,
            format!("{text} is not a time that 64 bits can hold"),
            "nanoseconds since 1970, up to 64 bits",
        ),
        false => doc.wrong(length, format!("`{text}` is not a time"), "a whole number"),
    }
}

/// A number of units as nanoseconds that fit 64 bits.
fn nanoseconds(text: &str, unit: u64) -> Option<u64> {
    let exact = match text.parse::<u64>() {
        Ok(n) if !text.starts_with('+') => n.checked_mul(unit)?,
        _ => {
            let number: Number = text.parse().ok()?;
            let whole = number.mul(&Number::from(unit as i64)).ok()?.floor();
            u64::try_from(whole.as_i64()?).ok()?
        }
    };
    (exact != u64::MAX).then_some(exact)
}

/// Writes a value without parts as JSON text. A number in quotes is a number where the format says it is one.
pub(crate) fn write_scalar(out: &mut String, value: Scalar<'_>, is_number: bool) {
    match value {
        Scalar::Text(text) if is_number && crate::states::is_number(text) => out.push_str(text),
        Scalar::Text(text) => write_string(out, text),
        Scalar::Number(text) => out.push_str(text),
        Scalar::Bool(true) => out.push_str("true"),
        Scalar::Bool(false) => out.push_str("false"),
        Scalar::Null => out.push_str("null"),
    }
}

/// Writes a string as JSON text.
pub(crate) fn write_string(out: &mut String, text: &str) {
    if text.bytes().all(|b| matches!(b, b' '..=b'~') && b != b'"' && b != b'\\') {
        out.push('"');
        out.push_str(text);
        out.push('"');
        return;
    }
    let mut quoted = Vec::with_capacity(text.len() + 2);
    // Writing to memory does not fail, and what is written is UTF-8.
    let _ = quote::write(&mut quoted, text);
    out.push_str(&String::from_utf8(quoted).unwrap_or_default());
}

/// The string that JSON text stands for; any other value as it is written.
pub(crate) fn text_of(json: &str) -> String {
    match quote::scan(json, 0, true) {
        Ok(quoted) if json.starts_with('"') => quoted.text(json).into_owned(),
        _ => json.to_owned(),
    }
}
