//! Writing JSON lines.
//!
//! A header only where values or processes are declared, a process has no event, or the reader would doubt without one; one line per event, in the order of reading if causes come first there,
//! else in the order of [`Trace::linearisation`]. Vector clocks are not repeated: their edges are in `after`.

use std::io::Write;

use rustc_hash::FxHashSet;

use super::STATE_PROCESS;
use crate::suspects::{self, Ends, Held};
use crate::{Lost, WRITING, WriteError, decimal, quote};
use posetta_base::{Budget, EventId, Number, Value, VarId};
use posetta_trace::{Reason, Trace};

/// Writes a run, and says what was left out.
///
/// # Errors
/// When writing fails, a value has no finite decimal, or the budget is spent.
pub fn write(trace: &Trace, out: &mut impl Write, budget: &Budget) -> Result<Lost, WriteError> {
    let states = fits_state_records(trace);
    let mut lost = Lost::default();
    if states {
        write_first_state(trace, out)?;
    } else {
        lost.state_records = trace.has_state_records();
        write_header(trace, out)?;
    }
    // A log may have the events of a process in another order than theirs.
    let read_in_order = trace.processes().all(|p| trace.chain(p).is_sorted())
        && trace.events().all(|e| trace.causes(e).iter().all(|&c| c < e));
    let order: &mut dyn Iterator<Item = EventId> =
        if read_in_order { &mut trace.events() } else { &mut trace.linearisation().iter().copied() };
    for (i, event) in order.enumerate() {
        if i % 1024 == 0 {
            budget.step(0, WRITING)?;
        }
        if states {
            write_state(trace, event, out)?
        } else {
            write_event(trace, event, out)?
        }
        out.write_all(b"\n")?;
    }
    Ok(lost)
}

/// Whether the run reads back as what it is from lines without `process`.
fn fits_state_records(trace: &Trace) -> bool {
    let of_a_state = |(key, json): (&str, &str)| {
        !matches!(key, "process" | "set" | "after" | "clock" | "initial") && json.starts_with(['{', '[', 'n'])
    };
    trace.has_state_records()
        && trace.processes().all(|p| trace.process_name(p) == STATE_PROCESS)
        && ["process", "posetta"].iter().all(|name| trace.find_variable(name).is_none())
        && trace.events().all(|e| {
            trace.own_id(e).is_none()
                && trace.event_name(e).is_none()
                && trace.time(e).is_none()
                && trace.attributes(e).all(of_a_state)
        })
}

fn declared(trace: &Trace) -> impl Iterator<Item = VarId> {
    trace.variables().filter(|&v| trace.is_declared(v))
}

fn write_header(trace: &Trace, out: &mut impl Write) -> Result<(), WriteError> {
    let values = declared(trace).next().is_some();
    let processes = trace.declares_processes() || trace.processes().any(|p| trace.chain(p).is_empty());
    let more = trace.has_groups() || !trace.lacks().is_empty();
    if !values && !processes && !more && !trace.is_empty() {
        return Ok(());
    }
    out.write_all(b"{\"posetta\":1")?;
    if processes {
        out.write_all(b",\"processes\":[")?;
        for (i, process) in trace.processes().enumerate() {
            out.write_all(if i == 0 { b"" } else { b"," })?;
            quote::write(out, trace.process_name(process))?;
        }
        out.write_all(b"]")?;
    }
    if trace.has_groups() {
        out.write_all(b",\"groups\":")?;
        let mut groups = Object::open(out)?;
        for process in trace.processes() {
            if let Some(group) = trace.group(process) {
                quote::write(groups.key(trace.process_name(process))?, group)?;
            }
        }
        groups.close()?;
    }
    if !trace.lacks().is_empty() {
        out.write_all(b",\"incomplete\":")?;
        let mut lacks = Object::open(out)?;
        for lack in trace.lacks() {
            write!(lacks.key(lack.what.word())?, "{}", lack.count)?;
        }
        lacks.close()?;
    }
    if values {
        out.write_all(b",\"initial\":")?;
        write_declared(trace, out)?;
    }
    Ok(out.write_all(b"}\n")?)
}

fn write_declared(trace: &Trace, out: &mut impl Write) -> Result<(), WriteError> {
    let mut object = Object::open(out)?;
    for var in declared(trace) {
        let value = trace.value(trace.initial(var));
        write_value(object.key(trace.variable_name(var))?, trace.variable_name(var), None, value)?;
    }
    object.close()
}

fn write_first_state(trace: &Trace, out: &mut impl Write) -> Result<(), WriteError> {
    if is_doubtful(trace) {
        out.write_all(b"{\"posetta\":1}\n")?;
    }
    // A variable of that name in the first line would make it a header.
    write_declared(trace, out)?;
    Ok(out.write_all(b"\n")?)
}

/// Whether states look like something else: the reader asks about them unless a header says that they are meant.
fn is_doubtful(trace: &Trace) -> bool {
    let names = || trace.variables().map(|v| trace.variable_name(v));
    let mut ends = Ends::default();
    let says_nothing = declared(trace).next().is_none() && trace.events().all(|e| trace.assignments(e).is_empty());
    if says_nothing
        || names().any(|name| suspects::by_name(name, Held::Other).is_some())
        || names().filter(|name| Ends::is_end(name)).any(|name| ends.completes(name))
        || trace.events().any(|e| trace.attributes(e).any(|(_, json)| json.starts_with(['{', '['])))
    {
        return true;
    }
    let clocks: FxHashSet<VarId> =
        trace.variables().filter(|v| suspects::sounds_like_a_clock(trace.variable_name(*v))).collect();
    let hides_a_clock = |(var, value): (VarId, &Value)| match value {
        Value::Text(text) => {
            (text.trim_start().starts_with('{') && suspects::is_clock(text))
                || (clocks.contains(&var) && suspects::is_printed_clock(text))
        }
        Value::Number(_) => false,
    };
    let mut writes = trace.events().flat_map(|e| trace.assignments(e)).map(|a| (a.var, trace.value(a.value)));
    let mut first = trace.variables().map(|v| (v, trace.value(trace.initial(v))));
    first.any(hides_a_clock) || writes.any(hides_a_clock)
}

fn write_state(trace: &Trace, event: EventId, out: &mut impl Write) -> Result<(), WriteError> {
    let mut object = Object::open(out)?;
    write_assignments(trace, event, &mut object)?;
    for (key, json) in trace.attributes(event) {
        quote::write_json(object.key(key)?, json)?;
    }
    object.close()
}

fn write_event(trace: &Trace, event: EventId, out: &mut impl Write) -> Result<(), WriteError> {
    let mut object = Object::open(out)?;
    quote::write(object.key("process")?, trace.process_name(trace.process(event)))?;
    if let Some(id) = trace.own_id(event) {
        quote::write(object.key("id")?, id)?;
    }
    if let Some(name) = trace.event_name(event) {
        quote::write(object.key("name")?, name)?;
    }
    if !trace.assignments(event).is_empty() {
        let mut set = Object::open(object.key("set")?)?;
        write_assignments(trace, event, &mut set)?;
        set.close()?;
    }
    if let Some(time) = trace.time(event) {
        write_number(object.key("time")?, "time", Some((trace, event)), time)?;
    }
    if trace.attributes(event).next().is_some() {
        let mut attrs = Object::open(object.key("attrs")?)?;
        for (key, json) in trace.attributes(event) {
            quote::write_json(attrs.key(key)?, json)?;
        }
        attrs.close()?;
    }
    if !trace.causes(event).is_empty() {
        let out = object.key("after")?;
        for (i, (&cause, reason)) in trace.causes(event).iter().zip(trace.reasons(event)).enumerate() {
            out.write_all(if i == 0 { b"[" } else { b"," })?;
            // Vector clocks are not repeated, so that this is where their edges are stated.
            let is_stated = matches!(reason, Reason::Stated | Reason::Clock);
            out.write_all(if is_stated { b"" } else { b"{\"event\":" })?;
            quote::write(out, &trace.label(cause))?;
            if !is_stated {
                out.write_all(b",\"because\":")?;
                quote::write(out, reason.word())?;
                out.write_all(b"}")?;
            }
        }
        out.write_all(b"]")?;
    }
    object.close()
}

fn write_assignments<W: Write>(trace: &Trace, event: EventId, object: &mut Object<'_, W>) -> Result<(), WriteError> {
    for assignment in trace.assignments(event) {
        let name = trace.variable_name(assignment.var);
        write_value(object.key(name)?, name, Some((trace, event)), trace.value(assignment.value))?;
    }
    Ok(())
}

fn write_value(
    out: &mut impl Write,
    what: &str,
    event: Option<(&Trace, EventId)>,
    value: &Value,
) -> Result<(), WriteError> {
    match value {
        Value::Text(text) => Ok(quote::write(out, text)?),
        Value::Number(number) => write_number(out, what, event, number),
    }
}

fn write_number(
    out: &mut impl Write,
    what: &str,
    event: Option<(&Trace, EventId)>,
    number: &Number,
) -> Result<(), WriteError> {
    match decimal(number) {
        Some(text) => Ok(out.write_all(text.as_bytes())?),
        None => {
            let mut shown = number.to_string();
            if shown.len() > 40 {
                shown.truncate(40);
                shown.push('…');
            }
            let event = event.map(|(trace, event)| trace.label(event));
            Err(WriteError::Inexact { what: what.to_owned(), event, number: shown })
        }
    }
}

/// A JSON object that is being written.
struct Object<'a, W> {
    out: &'a mut W,
    empty: bool,
}

impl<'a, W: Write> Object<'a, W> {
    fn open(out: &'a mut W) -> Result<Self, WriteError> {
        out.write_all(b"{")?;
        Ok(Self { out, empty: true })
    }

    /// Writes the name of a member; its value goes to the answer.
    fn key(&mut self, key: &str) -> Result<&mut W, WriteError> {
        if !std::mem::replace(&mut self.empty, false) {
            self.out.write_all(b",")?;
        }
        quote::write(self.out, key)?;
        self.out.write_all(b":")?;
        Ok(self.out)
    }

    fn close(self) -> Result<(), WriteError> {
        Ok(self.out.write_all(b"}")?)
    }
}
