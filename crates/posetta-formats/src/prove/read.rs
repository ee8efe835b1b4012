//! From a table to a run.

use std::collections::BTreeSet;
use std::io::BufRead;

use super::rows::{Row, Table};
use crate::tree::push_quoted;
use crate::{ReadOptions, Run, skew};
use posetta_base::{Budget, Diagnostic, Error, EventId, Kind, Number, Place, ProcessId};
use posetta_trace::{Builder, ENOUGH, Reason};

/// Reads a run.
///
/// # Errors
/// With every mistake found, or when the budget is spent.
pub fn read(reader: impl BufRead, options: &ReadOptions, budget: &Budget) -> Result<Run, Error> {
    let (table, _claim) = Table::read(reader, budget)?;
    let chains = chains(&table)?;
    let mut builder = Builder::new();
    for name in &table.processes {
        builder.process(name)?;
    }
    let mut text = String::new();
    for row in &table.rows {
        let Some(&process) = row.processes.first() else { continue };
        builder.event(ProcessId::from_raw(process as u32), row.line)?;
        builder.id(&row.id, 1)?;
        if !row.propositions.is_empty() {
            builder.name(&row.propositions.join("|"))?;
        }
        if let Some(time) = &row.time {
            builder.time(time.clone());
        }
        for (key, value) in [("event_type", &row.kind), ("msg_partner", &row.partner)] {
            if !value.is_empty() {
                text.clear();
                push_quoted(&mut text, value);
                builder.attribute(key, &text)?;
            }
        }
    }
    order(&table, &chains, &mut builder)?;
    propositions(&table, &chains, &mut builder)?;
    let own = chains.iter().enumerate().map(|(process, chain)| {
        let own = chain.iter().filter(|&&row| table.rows[row].processes.first() == Some(&process));
        own.copied().collect::<Vec<usize>>()
    });
    let mut timed: Vec<Vec<(EventId, Number)>> = Vec::with_capacity(chains.len());
    for (process, own) in own.enumerate() {
        let stamped = own.iter().filter_map(|&row| Some((event(row), table.rows[row].time.clone()?)));
        timed.push(stamped.collect());
        builder.rechain(ProcessId::from_raw(process as u32), own.into_iter().map(event).collect());
    }
    let mut warnings = Vec::new();
    if let Some(epsilon) = options.skew.as_ref().or(table.epsilon.as_ref()) {
        let edge = |from, to| builder.link_because(from, to, Reason::Skew);
        for wrong in skew::link(&timed, epsilon, budget, edge)? {
            let name = &table.processes[wrong];
            let message = format!("the clock of `{name}` jumps back by more than epsilon, so it orders nothing");
            warnings.push(Diagnostic::new(Kind::Ignored, message));
        }
    }
    // A proposition goes by its own name where only one process has it.
    builder.shorten_names();
    builder.keep_nearest_times();
    Ok(Run { label: None, trace: builder.finish(true, budget)?, warnings })
}

fn event(row: usize) -> EventId {
    EventId::from_raw(row as u32)
}

/// The rows of each process in the order of their own entries, which must be 1, 2, 3 …
fn chains(table: &Table) -> Result<Vec<Vec<usize>>, Error> {
    let mut chains: Vec<Vec<usize>> = vec![Vec::new(); table.processes.len()];
    for (i, row) in table.rows.iter().enumerate() {
        row.processes.iter().for_each(|&process| chains[process].push(i));
    }
    let mut mistakes = Vec::new();
    for (process, chain) in chains.iter_mut().enumerate() {
        chain.sort_by_key(|&row| table.rows[row].knows(process));
        for (i, &row) in chain.iter().enumerate() {
            let row = &table.rows[row];
            let (own, expected) = (row.knows(process), i as u32 + 1);
            if own != expected {
                let name = &table.processes[process];
                mistakes.push(
                    clock(row, format!("the clock of `{}` counts {own} events of `{name}`", row.id))
                        .label(format!("expected {expected}: own entries go up by one with each event")),
                );
                break;
            }
        }
    }
    if mistakes.is_empty() { Ok(chains) } else { Err(Error::Invalid(mistakes)) }
}

fn clock(row: &Row, message: String) -> Diagnostic {
    Diagnostic::new(Kind::Clock, message).at(Place::line_only(row.line))
}

/// Links each event to the last events that its clock counts, those left out of which the events before it on its processes knew.
fn order(table: &Table, chains: &[Vec<usize>], builder: &mut Builder) -> Result<(), Error> {
    let mut mistakes = Vec::new();
    for (i, row) in table.rows.iter().enumerate() {
        let before = |&process: &usize| {
            let own = row.knows(process) as usize;
            own.checked_sub(2).and_then(|place| chains[process].get(place).copied())
        };
        let predecessors: Vec<usize> = row.processes.iter().filter_map(before).collect();
        let mut causes = predecessors.clone();
        for &(process, count) in
            row.clock.iter().filter(|(process, count)| *count > 0 && !row.processes.contains(process))
        {
            if predecessors.iter().any(|&row| table.rows[row].knows(process) >= count) {
                continue;
            }
            match chains[process].get(count as usize - 1) {
                Some(&cause) => causes.push(cause),
                None => {
                    let (name, has) = (&table.processes[process], chains[process].len());
                    let message =
                        format!("the clock of `{}` counts {count} events of `{name}`, which has {has}", row.id);
                    mistakes.push(Diagnostic::new(Kind::MissingEvent, message).at(Place::line_only(row.line)));
                }
            }
        }
        for cause in causes {
            let known = &table.rows[cause];
            if let Some(&(process, count)) = known.clock.iter().find(|&&(process, count)| row.knows(process) < count) {
                let name = &table.processes[process];
                mistakes.push(clock(row, format!("the clock of `{}` goes back", row.id)).label(format!(
                    "it has {} for `{name}`, and `{}` before it has {count} (line {})",
                    row.knows(process),
                    known.id,
                    known.line
                )));
                continue;
            }
            builder.link_because(event(cause), event(i), Reason::Clock);
        }
        if mistakes.len() >= ENOUGH {
            break;
        }
    }
    if mistakes.is_empty() { Ok(()) } else { Err(Error::Invalid(mistakes)) }
}

/// A proposition of a process is true while the last event of the process has it.
fn propositions(table: &Table, chains: &[Vec<usize>], builder: &mut Builder) -> Result<(), Error> {
    let (no, yes) = (builder.integer(0)?, builder.integer(1)?);
    for (process, chain) in chains.iter().enumerate() {
        let name = &table.processes[process];
        let mut holds: BTreeSet<&str> = BTreeSet::new();
        for &row in chain {
            let now: BTreeSet<&str> = table.rows[row].propositions.iter().map(String::as_str).collect();
            for (gone, value) in holds.difference(&now).map(|p| (p, no)).chain(now.difference(&holds).map(|p| (p, yes)))
            {
                let variable = builder.variable(&format!("{name}.{gone}"))?;
                builder.assign_to(event(row), variable, value);
            }
            holds = now;
        }
    }
    Ok(())
}
