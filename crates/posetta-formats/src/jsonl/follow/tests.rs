//! What a feed hands on, in which order, what it keeps, and what it refuses.

use std::fmt::Write;
use std::ops::ControlFlow;

use super::follow;
use posetta_base::{Budget, Error, Kind, Limit, ProcessId};
use posetta_trace::{Feed, Heard};

/// What is heard of a stream, a line each, and how it ended.
fn heard(source: &str) -> (String, Result<(), Error>) {
    let mut told = String::new();
    let mut feed = Feed::new();
    let ended = follow(source.as_bytes(), false, &mut feed, &Budget::unlimited(), |heard, feed| {
        let frontier = feed.frontier();
        match heard {
            Heard::Start { initial, processes } => {
                let _ = write!(told, "start");
                for (name, value) in initial {
                    let _ = write!(told, " {name}={value}");
                }
                let _ = processes.map(|all| write!(told, " of {}", all.join(",")));
            }
            Heard::Event(event) => {
                let position = event.clock[event.process.index()];
                let _ = write!(told, "{}.{position} {:?} line {}", event.process_name, event.clock, event.line);
                let _ = event.name.map(|name| write!(told, " @{name}"));
                for assigned in event.assigned {
                    let _ = write!(told, " {}={}", assigned.name, assigned.value);
                }
            }
            Heard::Sign { line } => {
                let _ = write!(told, "sign {line}");
                for p in 0..frontier.processes() as u32 {
                    let process = ProcessId::from_raw(p);
                    let end = if frontier.has_ended(process) { "." } else { "" };
                    let _ = write!(told, " {:?}{end}", frontier.known(process));
                }
            }
            Heard::Late { name, value, line } => {
                let _ = write!(told, "late {name}={value} line {line}");
            }
        }
        told.push('\n');
        Ok(ControlFlow::Continue(()))
    });
    (told, ended.map(|_| ()))
}

#[test]
fn events_are_handed_on_after_their_causes() {
    for (source, expected) in [
        ("", "start\n"),
        (
            "{\"posetta\":1,\"processes\":[\"A\",\"B\"],\"initial\":{\"x\":0}}\n{\"process\":\"B\",\"set\":{\"x\":1}}\n",
            "start x=0 of A,B\nB.1 [0, 1] line 2 x=1\n",
        ),
        // B waits for A.1, and so does what follows B.1.
        (
            "{\"process\":\"B\",\"after\":[\"A.1\"],\"name\":\"got\"}\n{\"process\":\"B\"}\n{\"process\":\"A\"}\n",
            "start\nA.1 [0, 1] line 3\nB.1 [1, 1] line 1 @got\nB.2 [2, 1] line 2\n",
        ),
        // An id that comes later, a chain of waiting ones, one id among several causes.
        (
            "{\"process\":\"C\",\"after\":[\"b\",\"a\"]}\n{\"process\":\"B\",\"id\":\"b\",\"after\":\"a\"}\n\
             {\"process\":\"A\",\"id\":\"a\"}\n",
            "start\nA.1 [0, 0, 1] line 3\nB.1 [0, 1, 1] line 2\nC.1 [1, 1, 1] line 1\n",
        ),
        // An id wins over a position.
        (
            "{\"process\":\"C\",\"after\":[\"A.2\"]}\n{\"process\":\"B\",\"id\":\"A.2\"}\n{\"process\":\"A\"}\n",
            "start\nB.1 [0, 1] line 2\nC.1 [1, 1] line 1\nA.1 [0, 0, 1] line 3\n",
        ),
        // A clock is a cause, too.
        (
            "{\"process\":\"B\",\"clock\":{\"B\":1,\"A\":1}}\n{\"process\":\"A\",\"clock\":{\"A\":1}}\n",
            "start\nA.1 [0, 1] line 2\nB.1 [1, 1] line 1\n",
        ),
        // Signs of life wait as events do, and are for all that follows.
        (
            "{\"process\":\"A\"}\n{\"process\":\"C\",\"heartbeat\":true,\"after\":[\"B.1\"]}\n{\"process\":\"C\"}\n\
             {\"process\":\"C\",\"ends\":true,\"clock\":{\"C\":1,\"A\":1,\"B\":1}}\n\
             {\"process\":\"B\",\"after\":\"A.1\"}\n",
            "start\nA.1 [1] line 1\nB.1 [1, 0, 1] line 5\nsign 2 [1] [1, 0, 1] [1, 0, 1]\nC.1 [1, 1, 1] line 3\n\
             sign 4 [1] [1, 1, 1]. [1, 0, 1]\n",
        ),
        // States are events of one process; the first are the values before any event.
        ("{\"x\":0,\"l\":null}\n{\"x\":1}\n{}\n", "start x=0 of state\nstate.1 [1] line 2 x=1\nstate.2 [2] line 3\n"),
        (
            "{\"process\":\"A\"}\n{\"posetta\":1,\"initial\":{\"y\":\"a\"}}\n",
            "start\nA.1 [1] line 1\nlate y=\"a\" line 2\n",
        ),
    ] {
        let (told, ended) = heard(source);
        assert_eq!(ended, Ok(()), "{source}");
        assert_eq!(told, expected, "{source}");
    }
}

#[test]
fn what_is_wrong_is_told_as_of_a_whole_run() {
    for (source, kind, expected, label) in [
        (
            "{\"process\":\"P\",\"after\":[\"zz\"]}\n{\"process\":\"P\"}\n",
            Kind::MissingEvent,
            "1:26: there is no event `zz`",
            "no event has that id",
        ),
        (
            "{\"process\":\"P\",\"after\":[\"P.2\"]}\n",
            Kind::MissingEvent,
            "1:26: there is no event `P.2`",
            "process P has one event",
        ),
        (
            "{\"process\":\"P\",\"after\":[\"Q.1\"]}\n",
            Kind::MissingEvent,
            "1:26: there is no event `Q.1`",
            "there is no process Q",
        ),
        (
            "{\"process\":\"P\",\"clock\":{\"P\":1,\"Q\":1}}\n",
            Kind::MissingEvent,
            "1:24: there is no event `Q.1`",
            "this clock knows of it, but process Q has no events",
        ),
        (
            "{\"process\":\"P\",\"id\":\"m\"}\n{\"process\":\"P\",\"id\":\"m\"}\n",
            Kind::DuplicateId,
            "2:22: two events have the id `m`",
            "first given in line 1",
        ),
        (
            "{\"process\":\"P\"}\n{\"process\":\"P\",\"id\":\"P.1\"}\n",
            Kind::DuplicateId,
            "2:22: the id `P.1` already means another event",
            "line 1 is the event 1 of process P",
        ),
        (
            "{\"process\":\"Q\",\"id\":\"P.1\"}\n{\"process\":\"P\"}\n",
            Kind::DuplicateId,
            "1:1: the id `P.1` already means another event",
            "line 2 is the event 1 of process P",
        ),
        (
            "{\"process\":\"P\"}\n{\"process\":\"P\",\"clock\":{\"P\":1}}\n",
            Kind::Clock,
            "2:24: the clock of `P.2` disagrees with the order of events",
            "its own entry says 1, but it is event 2 of P",
        ),
        (
            "{\"process\":\"P\"}\n{\"process\":\"Q\",\"after\":[\"P.1\"],\"clock\":{\"Q\":1}}\n",
            Kind::Clock,
            "2:40: the clock of `Q.1` disagrees with the order of events",
            "it says 0 for P, but one event of P happened before it",
        ),
        (
            "{\"process\":\"B\"}\n{\"process\":\"B\"}\n\
             {\"process\":\"A\",\"ends\":true,\"clock\":{\"B\":1},\"after\":[\"B.2\"]}\n",
            Kind::Clock,
            "3:36: the clock of a heartbeat of `A` disagrees with the order of events",
            "it says 1 for B, but 2 events of B happened before it",
        ),
        (
            "{\"process\":\"P\",\"after\":[\"Q.1\"]}\n{\"process\":\"Q\",\"after\":[\"P.1\"]}\n{\"process\":\"R\"}\n",
            Kind::Cycle,
            "2:1: happened-before has a cycle",
            "Q.1 (line 2) -> P.1 (line 1) -> Q.1",
        ),
        (
            "{\"process\":\"P\",\"after\":[\"P.1\"]}\n",
            Kind::Cycle,
            "1:1: happened-before has a cycle",
            "P.1 (line 1) -> P.1",
        ),
        (
            "{\"process\":\"P\",\"after\":[\"Q.2\"]}\n{\"process\":\"Q\",\"after\":[\"P.1\"]}\n{\"process\":\"Q\"}\n",
            Kind::Cycle,
            "2:1: happened-before has a cycle",
            "Q.1 (line 2) -> Q.2 (line 3) -> P.1 (line 1) -> Q.1",
        ),
        // A clock counts what comes behind a queue that waits for it.
        (
            "{\"process\":\"P\",\"clock\":{\"P\":1,\"Q\":2}}\n{\"process\":\"Q\",\"after\":[\"P.1\"]}\n{\"process\":\"Q\"}\n",
            Kind::Cycle,
            "2:1: happened-before has a cycle",
            "Q.1 (line 2) -> Q.2 (line 3) -> P.1 (line 1) -> Q.1",
        ),
        ("{\"process\":\"P\"}\n{]\n{\"process\":7}\n", Kind::Syntax, "2:2: unexpected `]` in an object", ""),
    ] {
        let (_, ended) = heard(source);
        let Err(Error::Invalid(mistakes)) = ended else { panic!("{source}: {ended:?}") };
        assert_eq!(mistakes.len(), 1, "{source}: {mistakes:?}");
        assert_eq!((mistakes[0].kind, mistakes[0].to_string().as_str()), (kind, expected), "{source}");
        assert!(mistakes[0].label.as_deref().is_some_and(|l| l.contains(label)), "{source}: {mistakes:?}");
        // Nothing waits for more input to see a cycle.
        if kind == Kind::Cycle {
            let more = format!("{source}{{\"process\":\"X\",\"after\":[\"never\"]}}\n");
            let Err(Error::Invalid(mistakes)) = heard(&more).1 else { panic!("{more}") };
            assert_eq!(mistakes[0].kind, Kind::Cycle, "{more}");
        }
    }
}

/// A ring of three processes: each event after the one before.
fn ring(header: &str, rounds: usize, ids: bool) -> String {
    let mut text = header.to_owned();
    for i in 0..rounds {
        let (here, before) = (["A", "B", "C"][i % 3], ["A", "B", "C"][(i + 2) % 3]);
        let _ = write!(text, "{{\"process\":\"{here}\"");
        if ids {
            let _ = write!(text, ",\"id\":\"e{i}\"");
        }
        if i > 0 {
            let last = if ids { format!("e{}", i - 1) } else { format!("{before}.{}", (i - 1) / 3 + 1) };
            let _ = write!(text, ",\"after\":[\"{last}\"]");
        }
        text.push_str("}\n");
    }
    text
}

/// How many events are kept at most, and at the end.
fn kept(source: &str) -> (usize, u64) {
    let mut feed = Feed::new();
    let mut events = 0;
    follow(source.as_bytes(), false, &mut feed, &Budget::unlimited(), |heard, _| {
        events += u64::from(matches!(heard, Heard::Event(_)));
        Ok(ControlFlow::Continue(()))
    })
    .unwrap();
    (feed.held(), events)
}

#[test]
fn processes_that_synchronise_cost_no_memory() {
    const ALL: &str = "{\"posetta\":1,\"processes\":[\"A\",\"B\",\"C\"]}\n";
    for ids in [false, true] {
        let (held, events) = kept(&ring(ALL, 9_000, ids));
        assert_eq!(events, 9_000);
        assert!(held < 40, "{held} events are kept");
        // Anybody may still show up.
        assert_eq!(kept(&ring("", 9_000, ids)), (9_000, 9_000));
    }
    // One that is never heard of holds everything back; its heartbeats let it go.
    let silent = "{\"posetta\":1,\"processes\":[\"A\",\"B\",\"C\",\"D\"]}\n";
    assert_eq!(kept(&ring(silent, 3_000, false)), (3_000, 3_000));
    let mut alive = ring(silent, 3_000, false);
    let _ = writeln!(alive, "{{\"process\":\"D\",\"heartbeat\":true,\"after\":\"C.1000\"}}");
    alive.push_str(&"{\"process\":\"A\"}\n".repeat(20));
    assert!(kept(&alive).0 < 40);
    let ended = alive.replace("\"heartbeat\":true,\"after\":\"C.1000\"", "\"ends\":true");
    assert!(kept(&ended).0 < 40);
}

#[test]
fn the_laggard_is_named() {
    let mut feed = Feed::new();
    let source = ring("{\"posetta\":1,\"processes\":[\"A\",\"B\",\"C\",\"D\"]}\n{\"process\":\"D\"}\n", 30, false);
    follow(source.as_bytes(), false, &mut feed, &Budget::unlimited(), |_, _| Ok(ControlFlow::Continue(()))).unwrap();
    let laggard = feed.laggard().unwrap();
    assert_eq!((laggard.process, laggard.line, laggard.behind), ("D", Some(2), 30));
    let mut feed = Feed::new();
    let source = "{\"process\":\"A\",\"after\":\"m\"}\n{\"process\":\"A\"}\n";
    assert!(
        follow(source.as_bytes(), false, &mut feed, &Budget::unlimited(), |_, _| Ok(ControlFlow::Continue(())))
            .is_err()
    );
    assert_eq!((feed.waiting(), feed.stuck()), (2, Some((1, "m".to_owned()))));
}

#[test]
fn limits_and_stops_are_honoured() {
    let source = ring("", 50_000, true);
    let mut feed = Feed::new();
    let each = |_: Heard<'_>, _: &Feed| Ok(ControlFlow::Continue(()));
    let over = follow(source.as_bytes(), false, &mut feed, &Budget::with_memory(1 << 20), each);
    assert!(matches!(over, Err(Error::OverBudget(over)) if over.limit == Limit::Memory), "{over:?}");
    assert!(feed.events() < 50_000);
    let mut feed = Feed::new();
    let stopped = follow(source.as_bytes(), false, &mut feed, &Budget::unlimited(), |heard, _| match heard {
        Heard::Event(event) if event.line == 7 => Ok(ControlFlow::Break(())),
        _ => Ok(ControlFlow::Continue(())),
    });
    assert_eq!((stopped, feed.events()), (Ok(Vec::new()), 7));
}

/// Long chains of waiting records are worked off without recursion.
#[test]
fn a_run_in_reverse_is_put_in_order() {
    let n = 1_000;
    let mut source = String::new();
    for i in (1..=n).rev() {
        let after = if i > 1 { format!(",\"after\":\"p{}.1\"", i - 1) } else { String::new() };
        let _ = writeln!(source, "{{\"process\":\"p{i}\"{after}}}");
    }
    let (told, ended) = heard(&source);
    assert_eq!((told.lines().count(), ended), (1_001, Ok(())));
    assert!(told.starts_with("start\np1.1") && told.trim_end().ends_with("line 1"));
}
