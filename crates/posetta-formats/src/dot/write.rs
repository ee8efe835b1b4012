//! Drawing a run: a cluster for each process with its events in a chain, and the edges that no others imply.

use std::io::{self, Write};

use super::OWN;
use crate::{Lost, WRITING, WriteError, facts};
use posetta_base::dot::Value::{Quoted, Text, Word};
use posetta_base::{Budget, EventId, ProcessId, dot, unsafe_to_show};
use posetta_trace::{Clocks, Trace, reduced_edges};

/// Characters of a line in a box.
const WIDTH: usize = 60;

/// Writes a run, and says what was left out.
///
/// # Errors
/// When writing fails or the budget is spent.
pub fn write(trace: &Trace, out: &mut impl Write, budget: &Budget) -> Result<Lost, WriteError> {
    let clocks = Clocks::compute(trace, budget)?;
    let edges = reduced_edges(trace, &clocks, budget)?;
    drop(clocks);
    let nodes = Nodes { trace, by_label: trace.events().all(|e| is_plain(&trace.label(e))) };
    writeln!(out, "// A box is an event, a cluster a process, an arrow says what happened before what.")?;
    writeln!(out, "digraph run {{")?;
    writeln!(out, "  {OWN}=1; rankdir=LR; newrank=true; fontname=\"sans-serif\";")?;
    if facts::declares(trace) {
        let mut json = Vec::new();
        facts::write_initial(trace, &mut json)?;
        writeln!(out, "  initial={};", guarded(&json))?;
    }
    let look = [("shape", Word("box")), ("style", Word("rounded")), ("fontname", Text("sans-serif"))];
    writeln!(out, "  {}", dot::node("node", &look))?;
    for process in trace.processes() {
        write_process(trace, process, &nodes, out, budget)?;
    }
    for (i, &(cause, effect)) in edges.iter().enumerate() {
        if i % 1024 == 0 {
            budget.step(0, WRITING)?;
        }
        writeln!(out, "  {}", dot::edge(nodes.id(cause), nodes.id(effect), &[]))?;
    }
    writeln!(out, "}}")?;
    let timed = !trace.is_empty() && trace.events().all(|e| trace.time(e).is_some());
    Ok(Lost {
        observed_order: trace.observed().is_some() && !timed,
        state_records: trace.has_state_records(),
        ..Lost::default()
    })
}

fn write_process(
    trace: &Trace,
    process: ProcessId,
    nodes: &Nodes<'_>,
    out: &mut impl Write,
    budget: &Budget,
) -> Result<(), WriteError> {
    let name = trace.process_name(process);
    writeln!(out, "  subgraph cluster_{} {{", process.index())?;
    writeln!(out, "    label={}; process={};", Text(name), value(name)?)?;
    for (i, &event) in trace.chain(process).iter().enumerate() {
        if i % 1024 == 0 {
            budget.step(0, WRITING)?;
        }
        let mut text = vec![cut(trace.event_name(event).unwrap_or_default())];
        text.push(cut(&facts::shown_assignments(trace, event)));
        text.retain(|line| !line.is_empty());
        if text.is_empty() {
            text.push(cut(&trace.label(event)));
        }
        let text = text.join("\n");
        let mut look = vec![("label", Text(&text))];
        let mut own = String::new();
        if facts::has_any(trace, event) || trace.event_name(event).is_some() {
            let mut json = Vec::new();
            facts::write(trace, event, true, false, &mut json)?;
            own = guarded(&json);
        }
        if !own.is_empty() {
            look.push((OWN, Quoted(&own)));
        }
        writeln!(out, "    {}", dot::node(nodes.id(event), &look))?;
    }
    if trace.chain(process).len() > 1 {
        let ids: Vec<String> = trace.chain(process).iter().map(|&e| nodes.id(e)).collect();
        // Short lines, so that the file can be read and compared.
        for chunk in ids.chunks(8).enumerate().map(|(i, _)| &ids[(8 * i).saturating_sub(1)..(8 * i + 8).min(ids.len())])
        {
            if chunk.len() > 1 {
                writeln!(out, "    {};", chunk.join(" -> "))?;
            }
        }
    }
    writeln!(out, "  }}")?;
    Ok(())
}

/// What the nodes are called.
struct Nodes<'a> {
    trace: &'a Trace,
    /// By the labels of their events; else, as not all of those can be written, by number.
    by_label: bool,
}

impl Nodes<'_> {
    fn id(&self, event: EventId) -> String {
        if self.by_label {
            format!("\"{}\"", self.trace.label(event).replace('"', "\\\""))
        } else {
            format!("e{}", event.index())
        }
    }
}

/// Whether a text in quotes is read back as it is: backslashes are no escapes of the language, but some programs think so.
fn is_plain(text: &str) -> bool {
    !text.contains('\\') && !text.contains(unsafe_to_show)
}

fn cut(text: &str) -> String {
    if text.chars().count() <= WIDTH { text.to_owned() } else { text.chars().take(WIDTH - 1).chain(['…']).collect() }
}

/// An attribute's value that is read back exactly.
fn value(text: &str) -> io::Result<String> {
    if is_plain(text) && !text.starts_with('"') {
        return Ok(format!("\"{}\"", text.replace('"', "\\\"")));
    }
    let mut json = Vec::new();
    crate::quote::write(&mut json, text)?;
    Ok(guarded(&json))
}

/// JSON as a string of the language. Its quotes are escaped; escapes inside its strings are written by number, because
/// a backslash before a quote or a backslash would mean something else.
fn guarded(json: &[u8]) -> String {
    let text = String::from_utf8_lossy(json);
    let mut out = String::from("\"");
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => match chars.next() {
                Some('"') => out.push_str("\\u0022"),
                Some('\\') => out.push_str("\\u005c"),
                Some(c) => out.extend(['\\', c]),
                None => {}
            },
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
