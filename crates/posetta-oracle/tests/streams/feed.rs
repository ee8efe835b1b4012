//! A run that is read while it happens against the same run read whole: random runs as JSON lines, the lines of each process
//! in order and otherwise shuffled, with ids, positions, clocks and signs of life mixed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::ops::ControlFlow;

use fastrand::Rng;
use posetta_base::{Budget, EventId, ProcessId};
use posetta_formats::jsonl;
use posetta_oracle::cases::for_seeds;
use posetta_oracle::random::{Shape, plan};
use posetta_trace::{Clocks, Feed, Heard, Trace};

const SHAPE: Shape = Shape { events: 40, processes: 5, one_writer: 20 };

/// What the frontier says of a process: what its later events come after, and whether it has ended.
type Claim = (ProcessId, Vec<u32>, bool);

/// What a reference to an event looks like in this stream.
struct Names {
    own: BTreeMap<EventId, String>,
}

impl Names {
    fn of(&self, rng: &mut Rng, trace: &Trace, event: EventId) -> String {
        match self.own.get(&event) {
            Some(id) if rng.bool() => id.clone(),
            _ => format!("{}.{}", trace.process_name(trace.process(event)), trace.position(event) + 1),
        }
    }
}

fn list(rng: &mut Rng, trace: &Trace, names: &Names, causes: &[EventId]) -> String {
    let causes: Vec<String> = causes.iter().map(|&c| format!("\"{}\"", names.of(rng, trace, c))).collect();
    format!(",\"after\":[{}]", causes.join(","))
}

fn clock(trace: &Trace, row: &[u32]) -> String {
    let entries = trace.processes().zip(row).filter(|(_, count)| **count > 0);
    let entries: Vec<String> = entries.map(|(p, count)| format!("\"{}\":{count}", trace.process_name(p))).collect();
    format!(",\"clock\":{{{}}}", entries.join(","))
}

/// What a sign of life before the event at a position may say: causes of that event, or, behind the last, anything.
fn sign(
    rng: &mut Rng,
    trace: &Trace,
    clocks: &Clocks,
    names: &Names,
    process: ProcessId,
    known: &mut [u32],
    at: usize,
) -> String {
    let next = trace.chain(process).get(at);
    let allowed = |e: &EventId| match next {
        Some(&next) => clocks.before_or_equal(trace, *e, next) && trace.process(*e) != process,
        None => trace.process(*e) != process,
    };
    let causes: Vec<EventId> = trace.events().filter(allowed).filter(|_| rng.u8(..4) == 0).collect();
    for &cause in &causes {
        known.iter_mut().zip(clocks.counts(cause)).for_each(|(known, count)| *known = (*known).max(count));
    }
    known[process.index()] = at as u32;
    let mut line = String::new();
    let with_clock = rng.bool();
    if with_clock {
        line.push_str(&clock(trace, known));
    }
    if !with_clock || rng.bool() {
        line.push_str(&list(rng, trace, names, &causes));
    }
    line
}

/// The run as lines for one process each, to be shuffled together.
fn lines(rng: &mut Rng, trace: &Trace, clocks: &Clocks) -> Vec<Vec<String>> {
    let own = trace.events().filter(|_| rng.u8(..3) == 0).map(|e| (e, format!("id {}", e.index()))).collect();
    let names = Names { own };
    let signs = rng.bool();
    trace
        .processes()
        .map(|process| {
            let name = trace.process_name(process);
            let mut lines = Vec::new();
            let mut known = vec![0; trace.process_count()];
            for at in 0..=trace.chain(process).len() {
                if at > 0 {
                    let last = trace.chain(process)[at - 1];
                    known.iter_mut().zip(clocks.counts(last)).for_each(|(known, count)| *known = (*known).max(count));
                }
                for _ in 0..if signs { rng.usize(..3) } else { 0 } {
                    let said = sign(rng, trace, clocks, &names, process, &mut known, at);
                    lines.push(format!("{{\"process\":\"{name}\"{said},\"heartbeat\":true}}"));
                }
                let Some(&event) = trace.chain(process).get(at) else { break };
                let mut line = format!("{{\"process\":\"{name}\"");
                if let Some(id) = names.own.get(&event) {
                    let _ = write!(line, ",\"id\":\"{id}\"");
                }
                let _ = write!(line, ",\"set\":{{\"x\":{}}}", event.index());
                let with_clock = rng.u8(..3) == 0;
                if with_clock {
                    line.push_str(&clock(trace, &clocks.counts(event).collect::<Vec<_>>()));
                }
                if !with_clock || rng.bool() {
                    line.push_str(&list(rng, trace, &names, trace.causes(event)));
                }
                line.push('}');
                lines.push(line);
            }
            if signs && rng.bool() {
                lines.push(format!("{{\"ends\":true,\"process\":\"{name}\"}}"));
            }
            lines
        })
        .collect()
}

/// The lines of each process in order, in any order otherwise.
fn shuffled(rng: &mut Rng, lines: Vec<Vec<String>>) -> String {
    let mut queues: Vec<std::vec::IntoIter<String>> = lines.into_iter().map(Vec::into_iter).collect();
    let mut text = String::new();
    while !queues.is_empty() {
        let i = rng.usize(..queues.len());
        match queues[i].next() {
            Some(line) => text.push_str(&(line + "\n")),
            None => drop(queues.swap_remove(i)),
        }
    }
    text
}

#[test]
fn what_is_followed_is_the_run_that_is_read_whole() {
    let budget = Budget::unlimited();
    let (mut waited, mut forgotten) = (0_u64, 0_u64);
    for_seeds(3_000, |rng, seed| {
        let plan = plan(rng, SHAPE);
        let planned = plan.build().unwrap_or_else(|e| panic!("seed {seed}: {e:?} for\n{plan}"));
        let clocks = Clocks::compute(&planned, &budget).unwrap();
        let lines = lines(rng, &planned, &clocks);
        let closed = rng.bool();
        let mut text = String::new();
        if closed {
            let names: Vec<String> = planned.processes().map(|p| format!("\"{}\"", planned.process_name(p))).collect();
            let _ = writeln!(text, "{{\"posetta\":1,\"processes\":[{}]}}", names.join(","));
        }
        text.push_str(&shuffled(rng, lines));

        let trace = jsonl::read(text.as_bytes(), &budget).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
        let clocks = Clocks::compute(&trace, &budget).unwrap();
        assert_eq!(trace.len(), planned.len(), "{text}");
        let by_name = |name: &str| trace.find_process(name).expect("every process of the stream is one of the run");

        // Of each process of the feed: its process in the trace, once it is known, and how many events have come.
        let mut here: BTreeMap<ProcessId, ProcessId> = BTreeMap::new();
        let mut come: BTreeMap<ProcessId, usize> = BTreeMap::new();
        let mut claims: Vec<(Vec<Claim>, usize)> = Vec::new();
        let mut order: Vec<EventId> = Vec::new();
        let mut feed = Feed::new();
        let mut strangers: BTreeSet<usize> = BTreeSet::new();
        let followed = jsonl::follow(text.as_bytes(), false, &mut feed, &budget, |heard, feed| {
            let frontier = feed.frontier();
            if let Heard::Event(event) = &heard {
                let process = by_name(event.process_name);
                here.insert(event.process, process);
                let position = come.entry(event.process).or_default();
                let known = trace.chain(process)[*position];
                *position += 1;
                assert_eq!(event.line, trace.line(known), "{text}");
                let set: Vec<_> = event.assigned.iter().map(|a| (a.name, a.value.clone())).collect();
                let planned = trace.assignments(known).iter();
                let planned: Vec<_> =
                    planned.map(|a| (trace.variable_name(a.var), trace.value(a.value).clone())).collect();
                assert_eq!(set, planned, "{text}");
                // Its clock is that of the closed order, in the numbers of the feed; and all that it counts has come.
                let row: Vec<u32> = clocks.counts(known).collect();
                let counted: u32 = event.clock.iter().sum();
                assert_eq!(counted, row.iter().sum::<u32>(), "{text}");
                for (p, &count) in event.clock.iter().enumerate().filter(|(_, count)| **count > 0) {
                    let p = ProcessId::from_raw(p as u32);
                    assert_eq!(count, row[here[&p].index()], "{text}");
                    assert!(come[&p] >= count as usize, "{text}");
                }
                assert!(event.clock.len() <= frontier.processes());
                order.push(known);
                if closed {
                    strangers.insert(frontier.processes());
                }
            }
            let claim = (0..frontier.processes() as u32).map(ProcessId::from_raw);
            let claim = claim.map(|p| (p, frontier.known(p).to_vec(), frontier.has_ended(p))).collect();
            claims.push((claim, order.len()));
            Ok(ControlFlow::Continue(()))
        });
        assert_eq!(followed, Ok(Vec::new()), "{text}");
        assert_eq!(order.len(), trace.len(), "{text}");
        assert!(strangers.len() <= 1, "{text}");
        assert_eq!(feed.waiting(), 0, "{text}");
        waited += u64::from(order.windows(2).any(|pair| pair[0] > pair[1]));
        forgotten += u64::from(feed.held() < trace.len());

        // What the frontier claimed is true of all that came later.
        for (claim, after) in claims {
            for (process, known, ended) in claim {
                let later = order[after..].iter().filter(|&&e| here.get(&process) == Some(&trace.process(e)));
                for &event in later {
                    assert!(!ended, "{text}");
                    for (other, &count) in known.iter().enumerate().filter(|(_, count)| **count > 0) {
                        let other = here[&ProcessId::from_raw(other as u32)];
                        assert!(clocks.count(event, other) >= count, "{text}");
                    }
                }
            }
        }
    });
    eprintln!("records waited in {waited} runs, {forgotten} forgot events");
    let enough = std::env::var("POSETTA_CASES").is_err();
    assert!(!enough || (waited > 500 && forgotten > 20), "{waited} {forgotten}");
}
