//! Writing logs.
//!
//! The first line is the expression, the second the delimiter of several runs, as ShiViz wants them in a file. A record is
//! GoVector's, the line of host and clock and the line of the event's text, if that says all; values, ids, times and
//! attributes go into a line of JSON between them, and names of processes with blanks get a line of their own.

use std::collections::BTreeSet;
use std::io::Write;

use super::cut::CLOCK_FIRST;
use super::recording::OWN_GROUP;
use crate::{Lost, WRITING, WriteError, facts, quote};
use posetta_base::{Budget, unsafe_to_show};
use posetta_trace::{Clocks, Trace};

/// What stands between several runs.
const DELIMITER: &str = "^=== (?<trace>.*) ===$";

/// How the records of a log look.
#[derive(Clone, Copy)]
struct Layout {
    /// Names of processes have blanks.
    blanks: bool,
    /// There is more than names.
    facts: bool,
    /// There are several runs.
    several: bool,
}

impl Layout {
    fn expression(self) -> String {
        let facts = format!("(?<{OWN_GROUP}>{{.*}})\\n");
        match (self.blanks, self.facts) {
            (false, false) => CLOCK_FIRST.to_owned(),
            (false, true) => format!("(?<host>\\S*) (?<clock>{{.*}})\\n{facts}(?<event>.*)"),
            (true, false) => "^(?<host>.*)\\n(?<clock>{.*})\\n(?<event>.*)$".to_owned(),
            (true, true) => format!("^(?<host>.*)\\n(?<clock>{{.*}})\\n{facts}(?<event>.*)$"),
        }
    }
}

/// Writes runs with their labels, and says what was left out.
///
/// # Errors
/// When writing fails or the budget is spent.
pub fn write(runs: &[(Option<&str>, &Trace)], out: &mut impl Write, budget: &Budget) -> Result<Lost, WriteError> {
    let all_names = || runs.iter().flat_map(|(_, t)| t.processes().map(move |p| t.process_name(p)));
    let layout = Layout {
        blanks: all_names().any(|name| name.contains(char::is_whitespace)),
        facts: runs.iter().any(|(_, trace)| has_facts(trace)),
        several: runs.len() > 1,
    };
    writeln!(out, "{}", layout.expression())?;
    writeln!(out, "{}", if layout.several { DELIMITER } else { "" })?;
    let mut lost = Lost::default();
    for (i, (label, trace)) in runs.iter().enumerate() {
        if layout.several {
            let label = label.map(|l| line(l).trim().to_owned()).filter(|l| !l.is_empty());
            writeln!(out, "=== {} ===", label.unwrap_or_else(|| (i + 1).to_string()))?;
        }
        write_run(trace, layout, out, &mut lost, budget)?;
    }
    Ok(lost)
}

fn has_facts(trace: &Trace) -> bool {
    let unusual = |e| trace.event_name(e).is_some_and(is_unusual);
    facts::declares(trace) || trace.events().any(|e| facts::has_any(trace, e) || unusual(e))
}

/// Whether the reader would not take this text of an event back as its name.
fn is_unusual(name: &str) -> bool {
    name != name.trim() || name.is_empty() || name.contains(unsafe_to_show)
}

/// A text without what ends lines or redraws them.
fn line(text: &str) -> String {
    text.chars().map(|c| if unsafe_to_show(c) { '_' } else { c }).collect()
}

fn write_run(
    trace: &Trace,
    layout: Layout,
    out: &mut impl Write,
    lost: &mut Lost,
    budget: &Budget,
) -> Result<(), WriteError> {
    let clocks = Clocks::compute(trace, budget)?;
    let hosts = host_names(trace, layout, lost);
    lost.processes += trace.processes().filter(|&p| trace.chain(p).is_empty()).count();
    lost.state_records |= trace.has_state_records();
    let order = trace.linearisation();
    let mut changes = 0;
    for (i, &event) in order.iter().enumerate() {
        if i % 1024 == 0 {
            budget.step(0, WRITING)?;
        }
        let process = trace.process(event);
        changes += usize::from(i > 0 && trace.process(order[i - 1]) != process);
        out.write_all(hosts[process.index()].as_bytes())?;
        out.write_all(if layout.blanks { b"\n" } else { b" " })?;
        let mut separator: &[u8] = b"{";
        for (count, host) in clocks.counts(event).zip(&hosts).filter(|(count, _)| *count > 0) {
            out.write_all(separator)?;
            separator = b", ";
            quote::write(out, host)?;
            write!(out, ":{count}")?;
        }
        out.write_all(b"}\n")?;
        if layout.facts {
            facts::write(trace, event, trace.event_name(event).is_some_and(is_unusual), i == 0, out)?;
            out.write_all(b"\n")?;
        }
        let name = line(trace.event_name(event).unwrap_or_default());
        // A line that would be taken for the delimiter begins with a blank, which the reader leaves out.
        let blank = if layout.several && name.starts_with("=== ") { " " } else { "" };
        writeln!(out, "{blank}{}", name.trim())?;
    }
    let hosts = trace.processes().filter(|&p| !trace.chain(p).is_empty()).count();
    let timed = !order.is_empty() && order.iter().all(|&e| trace.time(e).is_some());
    lost.observed_order |= trace.observed().is_some() && !timed && hosts > 1 && changes < hosts;
    lost.initial |= order.is_empty() && facts::declares(trace);
    Ok(())
}

/// The names of the processes as the log has them, all different.
fn host_names(trace: &Trace, layout: Layout, lost: &mut Lost) -> Vec<String> {
    let is_delimiter = |name: &str| layout.several && layout.blanks && name.starts_with("=== ");
    let fits = |name: &str| !name.contains(unsafe_to_show) && !is_delimiter(name);
    let mut taken: BTreeSet<String> =
        trace.processes().map(|p| trace.process_name(p)).filter(|n| fits(n)).map(str::to_owned).collect();
    let named = trace.processes().map(|p| {
        let name = trace.process_name(p);
        if fits(name) {
            return name.to_owned();
        }
        lost.names += 1;
        let mut changed = line(name).replace("=== ", "===_");
        while !taken.insert(changed.clone()) {
            changed.push('_');
        }
        changed
    });
    named.collect()
}
