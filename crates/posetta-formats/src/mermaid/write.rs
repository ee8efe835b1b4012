//! Drawing a run as a sequence diagram: a note for each event, and before it an arrow from each of its causes that no other
//! implies.

use std::io::Write;

use super::{OWN, WORD};
use crate::{Lost, WRITING, WriteError, facts, quote};
use posetta_base::{Budget, unsafe_to_show};
use posetta_trace::{Clocks, Trace, reduced_edges};

/// Characters of a note.
const WIDTH: usize = 60;

/// Writes a run, and says what was left out.
///
/// # Errors
/// When writing fails or the budget is spent.
pub fn write(trace: &Trace, out: &mut impl Write, budget: &Budget) -> Result<Lost, WriteError> {
    let clocks = Clocks::compute(trace, budget)?;
    let mut edges = reduced_edges(trace, &clocks, budget)?;
    drop(clocks);
    edges.sort_unstable_by_key(|&(cause, effect)| (effect, cause));
    writeln!(out, "{WORD}")?;
    writeln!(out, "{OWN}")?;
    if facts::declares(trace) {
        out.write_all(b"%% initial ")?;
        facts::write_initial(trace, out)?;
        out.write_all(b"\n")?;
    }
    for process in trace.processes() {
        let name = trace.process_name(process);
        writeln!(out, "participant p{} as {}", process.index(), escaped(name))?;
        out.write_all(b"%% process ")?;
        quote::write(out, name)?;
        out.write_all(b"\n")?;
    }
    for (i, &event) in trace.linearisation().iter().enumerate() {
        if i % 1024 == 0 {
            budget.step(0, WRITING)?;
        }
        let process = trace.process(event).index();
        let from = edges.partition_point(|&(_, effect)| effect < event);
        for &(cause, _) in edges[from..].iter().take_while(|&&(_, effect)| effect == event) {
            writeln!(out, "p{}->>p{process}: event {}", trace.process(cause).index(), trace.position(cause) + 1)?;
        }
        let mut text = trace.event_name(event).unwrap_or_default().to_owned();
        let set = facts::shown_assignments(trace, event);
        if !text.is_empty() && !set.is_empty() {
            text.push(' ');
        }
        text.push_str(&set);
        if text.trim().is_empty() {
            text = trace.label(event);
        }
        writeln!(out, "Note over p{process}: {}", escaped(&text))?;
        if facts::has_any(trace, event) || trace.event_name(event).is_some() {
            out.write_all(b"%% facts ")?;
            facts::write(trace, event, true, false, out)?;
            out.write_all(b"\n")?;
        }
    }
    Ok(Lost { state_records: trace.has_state_records(), ..Lost::default() })
}

/// A text on one line, with what has a meaning in a diagram by number.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars().take(WIDTH) {
        match c {
            c if unsafe_to_show(c) => out.push(' '),
            '#' | ';' | '%' | '<' | '>' | '{' | '}' | '@' => out.push_str(&format!("#{};", u32::from(c))),
            c => out.push(c),
        }
    }
    if text.chars().nth(WIDTH).is_some() {
        out.push('…');
    }
    if out.trim().is_empty() { "#32;".to_owned() } else { out }
}
