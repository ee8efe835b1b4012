//! Signs of life: what a process says between its events.
//!
//! A heartbeat is no event. It says that every later event of its process comes after some events of others; in a whole run
//! that is a fact about the next event of the process. A heartbeat that no event follows adds nothing, but what it says must
//! still be true.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Builder, ENOUGH, Edges, GivenClocks, Target, place};
use crate::clock::Clocks;
use crate::event::Trace;
use crate::mistakes;
use posetta_base::{Budget, Error, EventId, ProcessId};

/// A heartbeat, or the word that a process has ended.
#[derive(Debug)]
pub(super) struct Sign {
    process: ProcessId,
    /// How many events of its process come before it.
    before: u32,
    line: u32,
    causes: Vec<(Target, u32)>,
    clock: Option<SignClock>,
    /// The events that it names, by `causes` or by the clock; found by [`Builder::sign_edges`].
    knows: Vec<EventId>,
}

#[derive(Debug)]
struct SignClock {
    column: u32,
    entries: Vec<(ProcessId, u32)>,
}

impl Sign {
    fn weight(&self) -> usize {
        let entries = self.clock.as_ref().map_or(0, |c| c.entries.len());
        size_of::<Self>() + self.causes.len() * size_of::<(Target, u32)>() + 16 * entries + 8 * self.causes.len()
    }
}

impl Builder {
    /// The last event was none, but a sign of life of its process: its causes and its clock are what every later event of the
    /// process comes after. Its time and its attributes are dropped; it has no id and assigns nothing.
    pub fn heartbeat(&mut self) {
        let Some(event) = self.events.pop() else { return };
        let id = EventId::from_raw(self.events.len() as u32);
        self.chains[event.process.index()].pop();
        self.times.truncate(self.events.len());
        while self.attributes.pop_if(|a| a.event == id).is_some() {}
        let first = self.causes.iter().rposition(|c| c.to != id).map_or(0, |i| i + 1);
        let causes: Vec<(Target, u32)> = self.causes.drain(first..).map(|c| (c.target(), c.column())).collect();
        let clock = self.clocks.pop_if(|c| c.event == id).map(|clock| {
            let start = self.clocks.last().map_or(0, |c| c.end as usize);
            let entries: Vec<(ProcessId, u32)> = self.clock_entries.drain(start..).collect();
            // The next clock has the number of this one.
            entries.iter().for_each(|(process, _)| self.counted_at[process.index()] = 0);
            SignClock { column: clock.column, entries }
        });
        if !causes.is_empty() || clock.is_some() {
            let sign = Sign {
                process: event.process,
                before: event.index,
                line: event.line,
                causes,
                clock,
                knows: Vec::new(),
            };
            self.sign_weight += sign.weight();
            self.signs.push(sign);
        }
    }

    /// What signs of life add to the order: the events that they name come before the next event of their process.
    pub(super) fn sign_edges(&mut self, edges: &mut Edges) {
        let mut signs = std::mem::take(&mut self.signs);
        for sign in &mut signs {
            let next = self.chains[sign.process.index()].get(sign.before as usize).copied();
            for &(target, column) in &sign.causes {
                match self.locate(target) {
                    Ok(cause) => sign.knows.push(cause),
                    Err(why) => {
                        let missing = self.missing_event(target, sign.line, column, why);
                        self.diagnostics.push(missing);
                    }
                }
            }
            if let Some(clock) = &sign.clock {
                for &(process, count) in clock.entries.iter().filter(|(process, _)| *process != sign.process) {
                    match self.chains[process.index()].get(count as usize - 1) {
                        Some(&cause) => sign.knows.push(cause),
                        None => self.diagnostics.push(mistakes::clock_of_missing(
                            self.process_name(process),
                            count,
                            self.chains[process.index()].len(),
                            place(sign.line, clock.column, 1),
                        )),
                    }
                }
            }
            if let Some(next) = next {
                edges.stated.extend(sign.knows.iter().map(|&cause| (cause, next)));
            }
            if self.diagnostics.len() >= ENOUGH {
                break;
            }
        }
        self.signs = signs;
    }
}

/// What the signs of a process since its last event have said.
#[derive(Default)]
struct Since {
    /// How many events of the process came before.
    before: u32,
    /// How many events of each process they know of.
    row: Vec<u32>,
    /// The processes of the events that they name themselves.
    direct: FxHashSet<ProcessId>,
}

/// As for the clocks of events: what the clock of a sign of life says must be what the closed order computes.
pub(super) fn check_clocks(
    trace: &Trace,
    signs: &[Sign],
    given: &GivenClocks<'_>,
    closed: &Clocks,
    budget: &Budget,
) -> Result<(), Error> {
    let mut found = Vec::new();
    let mut since: FxHashMap<ProcessId, Since> = FxHashMap::default();
    for sign in signs {
        budget.step(0, "comparing clocks")?;
        let carried = since.entry(sign.process).or_default();
        if carried.before != sign.before {
            *carried = Since { before: sign.before, ..Since::default() };
        }
        for &cause in &sign.knows {
            carried.direct.insert(trace.process(cause));
            let row = closed.counts(cause);
            carried.row.resize(row.len(), 0);
            carried.row.iter_mut().zip(row).for_each(|(known, count)| *known = (*known).max(count));
        }
        let Some(clock) = &sign.clock else { continue };
        let last = sign.before.checked_sub(1).map(|i| trace.chain(sign.process)[i as usize]);
        let said = |process: ProcessId| clock.entries.iter().find(|(p, _)| *p == process).map(|(_, count)| *count);
        let order = std::iter::once(sign.process).chain(trace.processes().filter(|&p| p != sign.process));
        for process in order {
            let name = trace.process_name(process);
            let says = said(process).unwrap_or(0);
            let why = if process == sign.process {
                if says == sign.before {
                    continue;
                }
                mistakes::own_entry_of_sign(says, sign.before as usize, name)
            } else {
                let at_last = last.map_or(0, |e| closed.count(e, process));
                let is = carried.row.get(process.index()).copied().unwrap_or(0).max(at_last);
                let sources = clock.entries.iter().filter(|(p, _)| *p != sign.process);
                let sources = sources.filter_map(|&(p, count)| trace.chain(p).get(count as usize - 1)).chain(&last);
                let should_know = || {
                    carried.direct.contains(&process)
                        || sources.into_iter().any(|&source| given.knows_of(source, process))
                };
                if says == is || (said(process).is_none() && !should_know()) {
                    continue;
                }
                mistakes::says_but(says, name, is)
            };
            let whose = format!("a heartbeat of `{}`", trace.process_name(sign.process));
            found.push(mistakes::clock_disagrees(&whose, &why, place(sign.line, clock.column, 1)));
            break;
        }
        if found.len() >= ENOUGH {
            break;
        }
    }
    if found.is_empty() { Ok(()) } else { Err(Error::Invalid(found)) }
}
