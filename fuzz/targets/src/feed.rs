//! A run read whole and the same run read while it happens.

use std::collections::BTreeMap;
use std::io::BufReader;
use std::ops::ControlFlow;

use posetta_base::{Error, Kind, ProcessId};
use posetta_formats::jsonl;
use posetta_trace::{Clocks, Feed, Heard, Trace};

use crate::places::Lines;
use crate::{LONGEST, small_budget};

/// Follows the bytes as JSON lines. What is handed on must be the run that they are, each event after its causes and with its
/// clock; what is no run must be refused, with a mistake inside the file.
///
/// # Panics
/// When a promise is broken.
pub fn feed(data: &[u8]) {
    if data.len() > LONGEST {
        return;
    }
    let budget = small_budget();
    let whole = jsonl::read(data, &budget);
    let mut arrived: Vec<Seen> = Vec::new();
    let mut feed = Feed::new();
    let pieces = 1 + data.first().map_or(0, |&b| usize::from(b % 13));
    let followed = jsonl::follow(BufReader::with_capacity(pieces, data), false, &mut feed, &budget, |heard, feed| {
        if let Heard::Event(event) = heard {
            assert!(event.clock.len() <= feed.frontier().processes());
            arrived.push(Seen {
                process: event.process,
                name: event.process_name.to_owned(),
                clock: event.clock.to_vec(),
                line: event.line,
                assigned: event.assigned.iter().map(|a| format!("{}={}", a.name, a.value)).collect(),
            });
        }
        Ok(ControlFlow::Continue(()))
    });
    match (whole, followed) {
        (Ok(trace), Ok(_)) => agrees(&trace, &arrived),
        (Err(Error::Invalid(_)), Err(Error::Invalid(mistakes))) => Lines::of_run(data).hold(&mistakes),
        (Ok(_), Err(Error::Invalid(mistakes))) => {
            // An id that looks like a position is refused if the event at that position came first.
            Lines::of_run(data).hold(&mistakes);
            let may_be = mistakes.iter().all(|m| m.kind == Kind::DuplicateId && m.message.contains("means another"));
            assert!(may_be, "a run that is refused when it is followed: {mistakes:?}");
        }
        (Err(Error::OverBudget(_)), _) | (_, Err(Error::OverBudget(_))) => {}
        (whole, _) => panic!("followed although it is no run: {:?}", whole.map(drop)),
    }
}

/// An event that was handed on.
struct Seen {
    process: ProcessId,
    name: String,
    clock: Vec<u32>,
    line: u64,
    assigned: Vec<String>,
}

fn agrees(trace: &Trace, arrived: &[Seen]) {
    let Ok(clocks) = Clocks::compute(trace, &small_budget()) else { return };
    assert_eq!(arrived.len(), trace.len(), "as many events");
    let here: BTreeMap<ProcessId, ProcessId> = arrived
        .iter()
        .map(|seen| (seen.process, trace.find_process(&seen.name).expect("a process of the run")))
        .collect();
    let mut come: BTreeMap<ProcessId, u32> = BTreeMap::new();
    for seen in arrived {
        let position = come.entry(seen.process).or_default();
        let event = trace.chain(here[&seen.process])[*position as usize];
        *position += 1;
        assert_eq!(seen.line, trace.line(event), "the same events");
        let assigned: Vec<String> = trace
            .assignments(event)
            .iter()
            .map(|a| format!("{}={}", trace.variable_name(a.var), trace.value(a.value)))
            .collect();
        assert_eq!(seen.assigned, assigned, "the same assignments");
        let row: Vec<u32> = clocks.counts(event).collect();
        assert_eq!(seen.clock.iter().sum::<u32>(), row.iter().sum::<u32>(), "the same clock");
        for (p, &count) in seen.clock.iter().enumerate().filter(|(_, count)| **count > 0) {
            let p = ProcessId::from_raw(p as u32);
            assert_eq!(count, row[here[&p].index()], "the same clock");
            assert!(come[&p] >= count, "after its causes");
        }
    }
}
