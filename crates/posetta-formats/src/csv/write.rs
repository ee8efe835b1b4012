//! Writing tables: sequences of states only, because a row has no place for an order.

use std::io::Write;

use crate::states::{STATE_PROCESS, is_number, scalar};
use crate::{Format, Lost, WRITING, WriteError, decimal};
use posetta_base::{Budget, EventId, Value, ValueId, unsafe_to_show};
use posetta_trace::Trace;

/// Writes a run, and says what was left out.
///
/// # Errors
/// When the run is not a sequence of states, a value cannot be told from another in a cell, writing fails, or the budget is spent.
pub fn write(trace: &Trace, out: &mut impl Write, budget: &Budget) -> Result<Lost, WriteError> {
    let unfit = |why: String| WriteError::Unfit { format: Format::Csv, why };
    if !trace.has_state_records() || trace.processes().any(|p| trace.process_name(p) != STATE_PROCESS) {
        return Err(unfit("the run is not a sequence of states, and rows have no place for processes".to_owned()));
    }
    let variables: Vec<_> = trace.variables().collect();
    if variables.is_empty() {
        return Err(unfit("the run has no variables".to_owned()));
    }
    for (i, &var) in variables.iter().enumerate() {
        let name = trace.variable_name(var);
        if name.is_empty() {
            return Err(unfit("a variable has an empty name".to_owned()));
        }
        if let Some(hidden) = hidden(name) {
            return Err(unfit(format!(
                "the name of the variable `{name}` has the character {hidden}, and cells have no escapes"
            )));
        }
        out.write_all(if i == 0 { b"" } else { b"," })?;
        write_text(name, is_number(name), out)?;
    }
    out.write_all(b"\n")?;
    let mut lost = Lost::default();
    let mut row: Vec<Option<ValueId>> =
        variables.iter().map(|&v| trace.is_declared(v).then(|| trace.initial(v))).collect();
    write_row(trace, &row, None, out)?;
    for (i, &event) in trace.linearisation().iter().enumerate() {
        if i % 1024 == 0 {
            budget.step(0, WRITING)?;
        }
        lost.ids += usize::from(trace.own_id(event).is_some());
        lost.times += usize::from(trace.time(event).is_some());
        lost.attributes += trace.attributes(event).count();
        row.fill(None);
        for assignment in trace.assignments(event) {
            row[assignment.var.index()] = Some(assignment.value);
        }
        write_row(trace, &row, Some(event), out)?;
    }
    Ok(lost)
}

fn write_row(
    trace: &Trace,
    row: &[Option<ValueId>],
    event: Option<EventId>,
    out: &mut impl Write,
) -> Result<(), WriteError> {
    let at = || event.map_or("in the first state".to_owned(), |event| format!("at `{}`", trace.label(event)));
    let unfit = |why: String| WriteError::Unfit { format: Format::Csv, why };
    if let [None] = row {
        return Err(unfit(format!("a table with one column has no row without a value, and there is none {}", at())));
    }
    for (var, value) in trace.variables().zip(row) {
        if var.index() > 0 {
            out.write_all(b",")?;
        }
        let Some(value) = value else { continue };
        let name = || trace.variable_name(var);
        match trace.value(*value) {
            Value::Number(number) => match decimal(number) {
                Some(text) => out.write_all(text.as_bytes())?,
                None => {
                    let mut shown = number.to_string();
                    shown.truncate(40);
                    return Err(unfit(format!("the value {shown} of `{}` {} has no decimal", name(), at())));
                }
            },
            Value::Text(text) if scalar(text) != Ok(Value::Text(text.clone())) => {
                let shown: String = text.chars().take(40).collect();
                let why = format!("the string \"{shown}\", which `{}` has {}, would be read as a number", name(), at());
                return Err(unfit(why));
            }
            Value::Text(text) => {
                if let Some(hidden) = hidden(text) {
                    let why = format!(
                        "the string that `{}` has {} has the character {hidden}, and cells have no escapes",
                        name(),
                        at()
                    );
                    return Err(unfit(why));
                }
                write_text(text, text.is_empty(), out)?;
            }
        }
    }
    Ok(out.write_all(b"\n")?)
}

/// The first character that no cell can show as it is, by its code. Line breaks and tabs stand in quotes, and marks of direction go with the
/// letters of some languages.
fn hidden(text: &str) -> Option<String> {
    let plain = |(at, c): &(usize, char)| match c {
        '\n' | '\t' | '\u{61c}' | '\u{200e}' | '\u{200f}' => true,
        '\r' => text[at + 1..].starts_with('\n'),
        &c => !unsafe_to_show(c),
    };
    text.char_indices().find(|found| !plain(found)).map(|(_, c)| format!("U+{:04X}", c as u32))
}

/// Writes a cell, in quotes where it needs them or `quoted` says so.
fn write_text(text: &str, quoted: bool, out: &mut impl Write) -> Result<(), WriteError> {
    let needs = |b: u8| matches!(b, b'"' | b',' | b';' | b'\t' | b'\n' | b'\r' | b' ');
    if !quoted && !text.bytes().any(needs) && !text.starts_with('\u{feff}') {
        return Ok(out.write_all(text.as_bytes())?);
    }
    out.write_all(b"\"")?;
    out.write_all(text.replace('"', "\"\"").as_bytes())?;
    Ok(out.write_all(b"\"")?)
}
