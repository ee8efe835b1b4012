//! Writing the text format.

use std::io::{self, Write};

use super::INITIAL;
use super::lexer::is_bare;
use crate::{Lost, WRITING, WriteError, decimal, quote};
use posetta_base::{Budget, EventId, ProcessId, Value};
use posetta_trace::Trace;

/// A process goes on in a new line after this many bytes, so that its file can be read by people and by line.
const WIDTH: usize = 100;

/// Writes a run, and says what was left out.
///
/// # Errors
/// When writing fails or the budget is spent.
pub fn write(trace: &Trace, out: &mut impl Write, budget: &Budget) -> Result<Lost, WriteError> {
    write_initial(trace, out)?;
    for process in trace.processes() {
        write_process(trace, process, out, budget)?;
    }
    let mut lost = Lost {
        observed_order: trace.observed().is_some(),
        state_records: trace.has_state_records(),
        ..Lost::default()
    };
    for (i, event) in trace.events().enumerate() {
        if i % 1024 == 0 {
            budget.step(0, WRITING)?;
        }
        for &cause in trace.causes(event) {
            write_reference(trace, cause, out)?;
            out.write_all(b" -> ")?;
            write_reference(trace, event, out)?;
            out.write_all(b"\n")?;
        }
        lost.ids += usize::from(trace.own_id(event).is_some());
        lost.times += usize::from(trace.time(event).is_some());
        lost.attributes += trace.attributes(event).count();
    }
    Ok(lost)
}

fn write_initial(trace: &Trace, out: &mut impl Write) -> io::Result<()> {
    let mut separator = "initial: ";
    for var in trace.variables().filter(|&v| trace.is_declared(v)) {
        out.write_all(separator.as_bytes())?;
        separator = ", ";
        write_assignment(trace.variable_name(var), trace.value(trace.initial(var)), out)?;
    }
    if separator == ", " { out.write_all(b"\n") } else { Ok(()) }
}

fn write_process(trace: &Trace, process: ProcessId, out: &mut impl Write, budget: &Budget) -> Result<(), WriteError> {
    let mut line = Vec::new();
    write_process_name(trace, process, &mut line)?;
    line.push(b':');
    let name = line.len();
    for (i, &event) in trace.chain(process).iter().enumerate() {
        if i % 1024 == 0 {
            budget.step(0, WRITING)?;
        }
        if line.len() > name.max(WIDTH) {
            line.push(b'\n');
            out.write_all(&line)?;
            line.truncate(name);
        }
        line.extend_from_slice(if line.len() == name { b" " } else { b" -> " });
        write_event(trace, event, &mut line)?;
    }
    line.push(b'\n');
    Ok(out.write_all(&line)?)
}

fn write_event(trace: &Trace, event: EventId, out: &mut impl Write) -> io::Result<()> {
    let name = trace.event_name(event);
    let assignments = trace.assignments(event);
    if assignments.is_empty() {
        // Only a sign tells an event without a name and assignments from no event.
        out.write_all(b"@")?;
        return write_name(name.unwrap_or(""), out);
    }
    if let Some(name) = name {
        write_name(name, out)?;
        out.write_all(b" ")?;
    }
    for (i, assignment) in assignments.iter().enumerate() {
        if i > 0 {
            out.write_all(b", ")?;
        }
        write_assignment(trace.variable_name(assignment.var), trace.value(assignment.value), out)?;
    }
    Ok(())
}

fn write_assignment(var: &str, value: &Value, out: &mut impl Write) -> io::Result<()> {
    write_name(var, out)?;
    out.write_all(b"=")?;
    match value {
        Value::Text(text) => quote::write(out, text),
        Value::Number(number) => match decimal(number) {
            Some(text) => out.write_all(text.as_bytes()),
            None => {
                let ratio = number.to_ratio();
                write!(out, "{}/{}", ratio.numerator(), ratio.denominator())
            }
        },
    }
}

fn write_reference(trace: &Trace, event: EventId, out: &mut impl Write) -> io::Result<()> {
    write_process_name(trace, trace.process(event), out)?;
    write!(out, ".{}", trace.position(event) + 1)
}

fn write_process_name(trace: &Trace, process: ProcessId, out: &mut impl Write) -> io::Result<()> {
    let name = trace.process_name(process);
    if name == INITIAL { quote::write(out, name) } else { write_name(name, out) }
}

fn write_name(name: &str, out: &mut impl Write) -> io::Result<()> {
    if !name.is_empty() && name.chars().all(is_bare) { out.write_all(name.as_bytes()) } else { quote::write(out, name) }
}
