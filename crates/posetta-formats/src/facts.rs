//! What a format has no place of its own for, as a JSON object: it stands in a group of a log, an attribute of a graph or a
//! comment of a diagram, and makes round trips exact.
//!
//! Of an event: `name` (if it is not shown otherwise), `id`, `set`, `time`, `attrs`. Of a run: `initial`. A number that JSON
//! cannot write, such as a third, is `[1,3]`.

use std::io::{self, Write};

use super::json::{Cursor, ValueKind};
use super::lines::{Mistake, Parsed};
use super::{decimal, quote};
use posetta_base::{Diagnostic, EventId, Kind, Number, Value};
use posetta_trace::{Builder, Trace};

/// Whether an event has any, beside its name.
pub(super) fn has_any(trace: &Trace, event: EventId) -> bool {
    !trace.assignments(event).is_empty()
        || trace.own_id(event).is_some()
        || trace.time(event).is_some()
        || trace.attributes(event).next().is_some()
}

/// Whether the run declares values.
pub(super) fn declares(trace: &Trace) -> bool {
    trace.variables().any(|v| trace.is_declared(v))
}

/// Writes the facts of an event: its name if `name`, those of the run if `initial`.
pub(super) fn write(trace: &Trace, event: EventId, name: bool, initial: bool, out: &mut impl Write) -> io::Result<()> {
    let mut separator: &[u8] = b"{";
    let mut key = |out: &mut dyn Write, name: &str| {
        out.write_all(separator)?;
        separator = b",";
        write!(out, "\"{name}\":")
    };
    if let Some(name) = trace.event_name(event).filter(|_| name) {
        key(out, "name")?;
        quote::write(out, name)?;
    }
    if let Some(id) = trace.own_id(event) {
        key(out, "id")?;
        quote::write(out, id)?;
    }
    if initial && declares(trace) {
        key(out, "initial")?;
        write_initial(trace, out)?;
    }
    if !trace.assignments(event).is_empty() {
        key(out, "set")?;
        let set = trace.assignments(event).iter();
        write_values(set.map(|a| (trace.variable_name(a.var), trace.value(a.value))), out)?;
    }
    if let Some(time) = trace.time(event) {
        key(out, "time")?;
        write_number(time, out)?;
    }
    if trace.attributes(event).next().is_some() {
        key(out, "attrs")?;
        let mut separator: &[u8] = b"{";
        for (name, json) in trace.attributes(event) {
            out.write_all(separator)?;
            separator = b",";
            quote::write(out, name)?;
            out.write_all(b":")?;
            quote::write_json(out, json)?;
        }
        out.write_all(b"}")?;
    }
    out.write_all(if separator == b"{" { b"{}" } else { b"}" })
}

/// Writes the declared values.
pub(super) fn write_initial(trace: &Trace, out: &mut impl Write) -> io::Result<()> {
    let declared = trace.variables().filter(|&v| trace.is_declared(v));
    write_values(declared.map(|v| (trace.variable_name(v), trace.value(trace.initial(v)))), out)
}

fn write_values<'a>(values: impl Iterator<Item = (&'a str, &'a Value)>, out: &mut impl Write) -> io::Result<()> {
    let mut separator: &[u8] = b"{";
    for (name, value) in values {
        out.write_all(separator)?;
        separator = b",";
        quote::write(out, name)?;
        out.write_all(b":")?;
        match value {
            Value::Text(text) => quote::write(out, text)?,
            Value::Number(number) => write_number(number, out)?,
        }
    }
    out.write_all(if separator == b"{" { b"{}" } else { b"}" })
}

fn write_number(number: &Number, out: &mut impl Write) -> io::Result<()> {
    match decimal(number) {
        Some(text) => out.write_all(text.as_bytes()),
        None => {
            let ratio = number.to_ratio();
            write!(out, "[{},{}]", ratio.numerator(), ratio.denominator())
        }
    }
}

/// Assignments as people read them: `x=1, y="a"`.
pub(super) fn shown_assignments(trace: &Trace, event: EventId) -> String {
    let one = |a: &posetta_trace::Assignment| {
        let value = match trace.value(a.value) {
            Value::Text(text) => format!("\"{text}\""),
            Value::Number(number) => number.to_string(),
        };
        format!("{}={value}", trace.variable_name(a.var))
    };
    trace.assignments(event).iter().map(one).collect::<Vec<_>>().join(", ")
}

/// Reads facts of the last event of the builder.
pub(super) fn read(builder: &mut Builder, text: &str) -> Parsed<()> {
    let mut cursor = Cursor::new(text);
    members(&mut cursor, |cursor, key| match key {
        "name" | "id" => {
            let value = cursor.string("an object", "a string")?;
            let taken = match key {
                "name" => builder.name(&value.text(text)),
                _ => builder.id(&value.text(text), 1),
            };
            taken.map_err(|d| Mistake::new(d.kind, value.span(), d.message))
        }
        "time" => match scalar(cursor, text)? {
            Value::Number(time) => {
                builder.time(time);
                Ok(())
            }
            Value::Text(_) => {
                Err(Mistake::syntax(cursor.at..cursor.at, "unexpected string").label("expected a number: the time"))
            }
        },
        "set" => values(builder, cursor, text, false),
        "initial" => values(builder, cursor, text, true),
        "attrs" => members(cursor, |cursor, name| {
            let value = cursor.value("an object", "a value")?;
            builder.attribute(name, &text[value.span.clone()]).map_err(|d| Mistake::new(d.kind, value.span, d.message))
        }),
        key => Err(Mistake::syntax(cursor.at..cursor.at, format!("unexpected field `{key}`"))
            .label("expected name, id, time, set, initial or attrs")),
    })?;
    end(&mut cursor)
}

/// Reads declared values.
pub(super) fn read_initial(builder: &mut Builder, text: &str) -> Parsed<()> {
    let mut cursor = Cursor::new(text);
    values(builder, &mut cursor, text, true)?;
    end(&mut cursor)
}

fn end(cursor: &mut Cursor<'_>) -> Parsed<()> {
    match cursor.peek() {
        None => Ok(()),
        Some(_) => Err(cursor.unexpected("a line", "the end")),
    }
}

fn values(builder: &mut Builder, cursor: &mut Cursor<'_>, text: &str, initial: bool) -> Parsed<()> {
    members(cursor, |cursor, name| {
        let start = cursor.at;
        let value = scalar(cursor, text)?;
        let refused = |d: Box<Diagnostic>| Mistake::new(d.kind, start..start, d.message);
        let value = builder.value(value).map_err(refused)?;
        let var = builder.variable(name).map_err(refused)?;
        let new = if initial { builder.declare(var, value) } else { builder.assign(var, value).map_err(refused)? };
        if new {
            return Ok(());
        }
        let message = format!("the variable `{name}` is {} twice", if initial { "declared" } else { "assigned" });
        Err(Mistake::new(Kind::AssignedTwice, start..start, message))
    })
}

/// A number, a string, or `[1,3]` for a third.
fn scalar(cursor: &mut Cursor<'_>, text: &str) -> Parsed<Value> {
    const SCALAR: &str = "a number, a string, true, false or a ratio such as [1,3]";
    let value = cursor.value("an object", SCALAR)?;
    let wrong = || Mistake::syntax(value.span.clone(), "not a value").label(format!("expected {SCALAR}"));
    match value.kind {
        ValueKind::Text(quoted) => Ok(Value::Text(quoted.text(text).into_owned())),
        ValueKind::Number => text[value.span.clone()].parse().map(Value::Number).map_err(|_| wrong()),
        ValueKind::Bool(b) => Ok(Value::Number(Number::from(i64::from(b)))),
        ValueKind::Array => {
            let inside = text[value.span.clone()].trim_matches(['[', ']']);
            let ratio = inside.split_once(',').and_then(|(a, b)| {
                let (a, b) = (a.trim().parse::<Number>().ok()?, b.trim().parse::<Number>().ok()?);
                a.div(&b).ok()
            });
            ratio.map(Value::Number).ok_or_else(wrong)
        }
        ValueKind::Null | ValueKind::Object => Err(wrong()),
    }
}

/// Calls `each` at the value of every member of the object that should be here.
fn members<'a>(cursor: &mut Cursor<'a>, mut each: impl FnMut(&mut Cursor<'a>, &str) -> Parsed<()>) -> Parsed<()> {
    if !cursor.take(b'{') {
        return Err(cursor.unexpected("an object", "`{`"));
    }
    if cursor.take(b'}') {
        return Ok(());
    }
    loop {
        let line = cursor.line();
        let key = cursor.key()?;
        each(cursor, &key.text(line))?;
        if !cursor.more(b'}')? {
            return Ok(());
        }
    }
}
