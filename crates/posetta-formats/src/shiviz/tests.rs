//! Logs read, mistakes told, runs written and read back.

use std::io::BufReader;

use proptest::prelude::*;

use super::*;
use crate::samples::{Case, check_mistakes, describe, edits, read_mutated, sample};
use crate::{Format, Lost, ReadOptions, Run};
use posetta_base::{Budget, Diagnostic, Error, EventId, Kind, Limit};
use posetta_trace::{Clocks, Trace};

fn runs(log: &str, regex: Option<&str>, delimiter: Option<&str>, set: &[&str]) -> Result<Vec<Run>, Error> {
    let options = ReadOptions {
        expression: regex.map(|r| Expression::new(r).unwrap()),
        delimiter: delimiter.map(|d| Delimiter::new(d).unwrap()),
        set: set.iter().map(|&s| s.to_owned()).collect(),
        ..ReadOptions::default()
    };
    // A small buffer, so that characters and line ends are cut in two.
    read(BufReader::with_capacity(7, log.as_bytes()), &options, &Budget::unlimited())
}

fn one(log: &str) -> Run {
    let mut runs = runs(log, None, None, &[]).unwrap_or_else(|e| panic!("{e}: {log}"));
    assert_eq!(runs.len(), 1, "{log}");
    runs.remove(0)
}

fn edges(trace: &Trace) -> Vec<String> {
    let all = trace.events().flat_map(|e| trace.causes(e).iter().map(move |&c| (c, e)));
    let mut edges: Vec<String> = all.map(|(c, e)| format!("{} -> {}", trace.label(c), trace.label(e))).collect();
    edges.sort();
    edges
}

fn warnings(run: &Run) -> Vec<String> {
    run.warnings.iter().map(|w| format!("{w} | {}", w.label.as_deref().unwrap_or_default())).collect()
}

const CLIENT: &str = "client {\"client\":1}\nask\nserver {\"server\":1, \"client\":1}\nserve\nserver {\"server\":2, \"client\":1}\nrest\nclient {\"client\":2, \"server\":1}\ngot it\n";

#[test]
fn clocks_give_the_order() {
    let run = one(CLIENT);
    assert_eq!(edges(&run.trace), ["client.1 -> server.1", "server.1 -> client.2"]);
    assert_eq!(warnings(&run), [""; 0]);
    let names: Vec<_> = run.trace.events().map(|e| (run.trace.event_name(e).unwrap(), run.trace.line(e))).collect();
    assert_eq!(names, [("ask", 1), ("serve", 3), ("rest", 5), ("got it", 7)]);
    assert!(run.trace.observed().is_some());
}

#[test]
fn the_expression_comes_from_the_file_the_user_or_the_known_ones() {
    let order = describe(&one(CLIENT).trace, true);
    let swapped = "ask\nclient {\"client\":1}\nserve\nserver {\"server\":1, \"client\":1} \nrest\nserver {\"server\":2, \"client\":1}\ngot it\nclient {\"client\":2, \"server\":1}";
    assert_eq!(describe(&one(swapped).trace, true), order);
    assert_eq!(describe(&one(&CLIENT.replace('\n', "\r\n")).trace, true), order);
    assert_eq!(describe(&one(&CLIENT.replace('"', "\\\"")).trace, true), order);
    let header = format!("(?<host>\\S*) (?<clock>{{.*}})\\n(?<event>.*)\n\n{CLIENT}");
    assert_eq!(describe(&one(&header).trace, true), order);
    let no_second_line = format!("(?<host>\\S*) (?<clock>{{.*}})\\n(?<event>.*)\n{CLIENT}");
    assert_eq!(describe(&one(&no_second_line).trace, true), order);
    let odd = CLIENT.replace(" {", " @ {");
    let read = runs(&odd, Some(r"(?<host>\w+) @ (?<clock>{.*})\n(?<event>.*)"), None, &[]).unwrap();
    assert_eq!(describe(&read[0].trace, true), order);
}

#[test]
fn events_of_a_host_are_in_the_order_of_their_own_entries() {
    let run = one("a {\"a\":2}\nsecond\nb {\"b\":1,\"a\":2}\nother\na {\"a\":1}\nfirst\na {\"a\":3}\nthird\n");
    let trace = &run.trace;
    let a = trace.find_process("a").unwrap();
    let names: Vec<_> = trace.chain(a).iter().map(|&e| trace.event_name(e).unwrap()).collect();
    assert_eq!(names, ["first", "second", "third"]);
    assert_eq!(edges(trace), ["a.2 -> b.1"]);
    assert_eq!(trace.observed(), None);
}

#[test]
fn files_put_one_after_the_other_show_no_observed_order() {
    let run = one("a {\"a\":1}\nx\na {\"a\":2}\ny\nb {\"b\":1}\nz\n");
    assert_eq!(run.trace.observed(), None);
}

#[test]
fn what_is_missing_is_a_warning_and_the_rest_keeps_its_order() {
    for (log, expected_edges, expected) in [
        (
            "a {\"a\":1}\nx\na {\"a\":4}\ny\nb {\"b\":1,\"a\":3}\nz\n",
            &["a.1 -> b.1"][..],
            &[
                "3:1: the log lacks events of `a`: 2–3 of 4 | 2 missing by the own entries of `a`; the order of the others is still known",
            ][..],
        ),
        (
            "a {\"a\":2}\nx\n",
            &[],
            &[
                "1:1: the log lacks an event of `a`: 1 of 2 | 1 missing by the own entries of `a`; the order of the others is still known",
            ],
        ),
        (
            "a {\"a\":1}\nx\nb {\"b\":1,\"a\":5}\nz\n",
            &["a.1 -> b.1"],
            &[
                "3:1: `b` knows of 5 events of `a`, but its last one in the log is 1 | the events are not in the log; the order of the others is still known",
            ],
        ),
        (
            "b {\"b\":1,\"c\":1}\nz\n",
            &[],
            &[
                "1:1: `b` knows of an event of `c`, of which the log has none | the events are not in the log; the order of the others is still known",
            ],
        ),
        (
            "My log\n\na {\"a\":1}\nx\n\nstray\nmore\nyet more\na {\"a\":2}\ny\n",
            &[],
            &[
                "1:1: 4 lines have text that belongs to no record | the expression does not match here, so this is left out",
            ],
        ),
    ] {
        let run = one(log);
        assert_eq!(
            (&edges(&run.trace)[..], &warnings(&run)[..]),
            (
                &expected_edges.iter().map(|&s| s.to_owned()).collect::<Vec<_>>()[..],
                &expected.iter().map(|&s| s.to_owned()).collect::<Vec<_>>()[..],
            ),
            "{log}"
        );
    }
}

/// Pieces of one line are one line, and whoever says how records look may have clocks in texts.
#[test]
fn lines_are_counted_once() {
    let expression = Some(Expression::new(r"<(?<host>\w+) (?<clock>\{[^}]*\}) (?<event>\w+)>").unwrap());
    let options = ReadOptions { expression, ..ReadOptions::default() };
    let log = "one <a {\"a\":1} x> two <a {\"a\":2} y> three b {\"b\":1}\nfour <a {\"a\":3} z> five\n";
    let runs = read(log.as_bytes(), &options, &Budget::unlimited()).unwrap();
    assert_eq!(runs[0].trace.len(), 3);
    let warned: Vec<String> = runs[0].warnings.iter().map(Diagnostic::to_string).collect();
    assert_eq!(warned, ["1:1: 2 lines have text that belongs to no record", "1:43: a record of `b` is not read"]);
}

#[test]
fn mistakes() {
    use posetta_base::Kind::{Clock, Cycle, Encoding, Syntax, Unmatched};
    let cases: &[Case<'_>] = &[
        (
            "a {\"a\":1}\nw\na {\"a\":2} b {\"b\":1}\nx\na {\"a\":2}\ny\n",
            Syntax,
            "3:11: two records are glued together",
            "expected the clock to end before this",
        ),
        (
            "a {\"a\":1}\nxb {\"b\":1}\ny\na {\"a\":2}\nz\n",
            Syntax,
            "2:2: a record of `b` is glued to the text of an event",
            "this looks like the host and the clock of another record, which is not read",
        ),
        (
            "a {\"a\":1}\nx\nso b {\"b\":1} it was\na {\"a\":2}\nz\n",
            Unmatched,
            "3:4: a record of `b` is not read",
            "this looks like its host and its clock, but the expression does not match here",
        ),
        (
            "a {\"a\":1}\nx\na {\"a\":1, b}\ny\n",
            Syntax,
            "3:11: unexpected `b` in an object",
            "expected a field name in double quotes",
        ),
        (
            "a {\"a\":x}\nx\n",
            Syntax,
            "1:8: unexpected `x` in a clock",
            "expected how many events of the host: 0, 1, 2 …",
        ),
        (
            "a {\"a\":1}\nx\na {\"a\":2,\"a\":2}\nx\n",
            Clock,
            "3:3: two entries for `a` in one clock",
            "expected each host once",
        ),
        (
            "a {\"a\":1}\nx\na {\"b\":1}\nx\n",
            Clock,
            "3:3: the clock of an event of `a` does not count it",
            "expected an entry for `a`: 1 for its first event, 2 for its second …",
        ),
        (
            "a {\"a\":1}\nx\na {\"a\":0}\nx\n",
            Clock,
            "3:3: the clock of an event of `a` does not count it",
            "expected an entry for `a`: 1 for its first event, 2 for its second …",
        ),
        (
            "a {\"a\":1}\nx\na {\"a\":1}\ny\n",
            Clock,
            "3:1: two events of `a` are its event 1",
            "the own entry of `a` is 1, as in line 1",
        ),
        (
            "a {\"a\":1}\nx\nb {\"b\":1,\"a\":1}\ny\nb {\"b\":2}\nz\n",
            Clock,
            "5:1: the clock of event 2 of `b` goes back",
            "it has no entry for `a`, but event 1 of `b` before it has 1 (line 3)",
        ),
        (
            "a {\"a\":1}\nx\nb {\"b\":1,\"a\":1}\ny\nc {\"c\":1,\"b\":1}\nz\n",
            Clock,
            "5:1: the clock of event 1 of `c` goes back",
            "it has no entry for `a`, but event 1 of `b`, which it knows of, has 1 (line 3)",
        ),
        (
            "a {\"a\":1,\"b\":1}\nx\nb {\"b\":1,\"a\":1}\ny\n",
            Cycle,
            "3:1: happened-before has a cycle",
            "b.1 (line 3) -[vector clock]-> a.1 (line 1) -[vector clock]-> b.1",
        ),
        (
            "no clocks here\nat all\n",
            Unmatched,
            "1:1: no known expression matches this log",
            "tried the expressions of TSViz, ShiViz's default, GoVector, Akka, GoVector with time stamps, one line a record",
        ),
        (
            "(?<host>\\S*)!(?<clock>{.*})\\n(?<event>.*)\n\nx\n",
            Unmatched,
            "3:1: the expression matches nothing in the log",
            "expected (?<host>\\S*)!(?<clock>{.*})\\n(?<event>.*)",
        ),
        (
            "(?<host>\\S*) (?<clock>{.*}\\n(?<event>.*)\n\nx\n",
            Syntax,
            "1:14: not a regular expression: unclosed group",
            "",
        ),
        (
            "(?<host>\\S*) (?<clock>{.*})\\n(?<event>.*)\nx(\na {\"a\":1}\nx\n",
            Syntax,
            "2:2: not a regular expression: unclosed group",
            "",
        ),
        (" {\"a\":1}\nx\n", Syntax, "1:2: a record without a host", "expected the name of a host before this clock"),
        ("\n \n", Unmatched, "1:1: the log is empty", ""),
    ];
    check_mistakes(|log| crate::read(Format::Shiviz, log, &Budget::unlimited()), cases);
    let bytes: &[u8] = b"a {\"a\":1}\nx\xff\n";
    let Err(Error::Invalid(all)) = crate::read(Format::Shiviz, bytes, &Budget::unlimited()) else { panic!("bytes") };
    assert_eq!((all[0].kind, all[0].place.as_ref().unwrap().line), (Encoding, 2));
}

#[test]
fn delimiters_separate_runs() {
    let labels = |runs: Vec<Run>| runs.iter().map(|r| (r.label.clone(), r.trace.len())).collect::<Vec<_>>();
    let some = |label: &str, events| (Some(label.to_owned()), events);
    let log = "=== one ===\na {\"a\":1}\nx\n\n=== two ===\na {\"a\":1}\ny\na {\"a\":2}\nz\n";
    assert_eq!(labels(runs(log, None, None, &[]).unwrap()), [some("one", 1), some("two", 2)]);
    let header = format!("(?<host>\\S*) (?<clock>{{.*}})\\n(?<event>.*)\n^=== (?<trace>.*) ===$\n{log}");
    assert_eq!(labels(runs(&header, None, None, &[]).unwrap()), [some("one", 1), some("two", 2)]);
    let dashes = "a {\"a\":1}\nx\n---\na {\"a\":1}\ny\n---\n";
    assert_eq!(labels(runs(dashes, None, Some("^---$"), &[]).unwrap()), [(None, 1), (None, 1)]);
    // The text of an event is no delimiter, unless one was given that matches it.
    let text = "a {\"a\":1}\n=== x ===\na {\"a\":2}\ny\n";
    assert_eq!(labels(runs(text, None, None, &[]).unwrap()), [(None, 2)]);
    let empty = runs("=== one ===\na {\"a\":1}\nx\n=== two ===\n", None, None, &[]).unwrap();
    assert_eq!(warnings(&empty[0]), ["4:1: the run `two` has no record | "]);
}

#[test]
fn further_groups_are_times_variables_or_attributes() {
    const EXPRESSION: &str = r"(?<timestamp>\S+) (?<level>\w+) (?<term>\S+) (?<host>\S+) (?<clock>{.*}) (?<event>.*)";
    let log = "1.5 INFO 1 a {\"a\":1} go\n2 WARN 2 a {\"a\":2} on\n3 INFO 7 b {\"b\":1} go\n";
    let shown = |set: &[&str]| {
        let runs = runs(log, Some(EXPRESSION), None, set).unwrap();
        let trace = &runs[0].trace;
        let event = trace.chain(trace.find_process("a").unwrap())[1];
        let set: Vec<String> = trace
            .assignments(event)
            .iter()
            .map(|a| format!("{}={}", trace.variable_name(a.var), trace.value(a.value)))
            .collect();
        let attributes: Vec<String> = trace.attributes(event).map(|(k, v)| format!("{k}={v}")).collect();
        (set.join(" "), attributes.join(" "), trace.time(event).map(ToString::to_string))
    };
    assert_eq!(shown(&[]), ("a.term=2".into(), "level=\"WARN\"".into(), Some("2".into())));
    assert_eq!(shown(&["level"]).0, "a.level=\"WARN\" a.term=2");
    assert_eq!(shown(&["timestamp", "level"]), ("a.timestamp=2 a.level=\"WARN\" a.term=2".into(), "".into(), None));
    let Err(Error::Invalid(all)) = runs(log, Some(EXPRESSION), None, &["lvl"]) else { panic!("no such group") };
    assert_eq!(all[0].message, "--set names `lvl`, but the expression has no such group");
}

/// A log of several windows is read as if it were one, and its lines are counted through.
/// A line may have many pieces between records, and each is shown where it stands.
#[test]
fn pieces_of_one_line_are_shown_in_it() {
    let regex = Some("<(?<host>\\w) (?<clock>\\{[^}]*\\})(?<event>)>");
    let log: String =
        (1..=4).map(|i| format!("<a {{\"a\":{i}}}> piece{}", if i == 2 { "\n é" } else { " " })).collect();
    let run = runs(&log, regex, None, &[]).unwrap().pop().unwrap();
    let places: Vec<(u64, u64, Option<String>)> = run
        .warnings
        .iter()
        .filter_map(|w| w.place.as_deref())
        .map(|place| (place.line, place.column, place.text.clone()))
        .collect();
    assert_eq!(places, [(1, 12, log.lines().next().map(str::to_owned))], "{log}");
    let long: String = (1..=20_000).map(|i| format!("<a {{\"a\":{i}}}> x ")).collect();
    assert_eq!(runs(&long, regex, None, &[]).unwrap()[0].trace.len(), 20_000);
}

#[test]
fn windows_are_not_seen() {
    let hosts = 40u64;
    let mut log = String::new();
    let mut line = 0;
    for i in 0..80_000u64 {
        let host = i % hosts;
        log +=
            &format!("host{host} {{\"host{host}\":{}}}\nevent {i} {}\n", i / hosts + 1, "x".repeat((i % 97) as usize));
        line += 2;
        if i % 1000 == 0 {
            log += "\nstray\n";
            line += 2;
        }
    }
    assert!(log.len() > 2 * window::WINDOW, "{}", log.len());
    for regex in [None, Some(r"(?<host>\S+) (?<clock>\{.*\})\n(?<event>.*)")] {
        let expression = regex.map(|r| Expression::new(r).unwrap());
        let options = ReadOptions { expression, ..ReadOptions::default() };
        let runs = read(log.as_bytes(), &options, &Budget::unlimited()).unwrap();
        let trace = &runs[0].trace;
        assert_eq!(trace.len(), 80_000);
        assert_eq!(warnings(&runs[0]).len(), 1);
        assert!(runs[0].warnings[0].message.starts_with("80 lines"), "{}", runs[0].warnings[0]);
        assert_eq!(trace.events().last().map(|e| trace.line(e)), Some(line - 1));
    }
}

/// Delimiters on both sides of every border of a window.
#[test]
fn delimiters_are_found_at_the_ends_of_windows() {
    let mut log = String::new();
    let count = 80_000;
    for i in 1..=count {
        log += &format!("----- {i}\n-----\na {{\"a\":1}}\nevent {}\n", "x".repeat(i % 59));
    }
    assert!(log.len() > 2 * window::WINDOW, "{}", log.len());
    let delimiter = Some(Delimiter::new(r"^----- (?<trace>\d+)\n-----$").unwrap());
    let options = ReadOptions { delimiter, ..ReadOptions::default() };
    let runs = read(log.as_bytes(), &options, &Budget::unlimited()).unwrap();
    assert_eq!(runs.len(), count);
    for (i, run) in runs.iter().enumerate() {
        assert_eq!((run.label.as_deref(), run.trace.len()), (Some((i + 1).to_string().as_str()), 1));
        assert_eq!(warnings(run), [""; 0]);
    }
}

#[test]
fn endless_records_are_refused_and_limits_are_seen() {
    let log = format!("a {{\"a\":1}}\n{}\n", "x".repeat(3 * window::WINDOW));
    let Err(Error::Invalid(all)) = runs(&log, None, None, &[]) else { panic!("too long") };
    assert_eq!(all[0].message, "a record of more than 512 KiB");
    for log in [format!("a {{\"a\":1}}\nx\n{}\n", "y".repeat(3 * window::WINDOW)), "é".repeat(2 * window::WINDOW)] {
        let header = format!("(?<host>\\S*) (?<clock>{{.*}})\\n(?<event>.*)\n\n{log}");
        for capacity in [7, 1 << 16] {
            let reader = BufReader::with_capacity(capacity, header.as_bytes());
            let failure = read(reader, &ReadOptions::default(), &Budget::unlimited()).unwrap_err();
            assert!(failure.to_string().ends_with("a line or record of more than 512 KiB"), "{failure}");
        }
    }
    let many: String = (1..200_000).map(|i| format!("a {{\"a\":{i}}}\nx\n")).collect();
    let options = ReadOptions::default();
    let over = read(many.as_bytes(), &options, &Budget::with_memory(4 << 20)).unwrap_err();
    assert!(matches!(over, Error::OverBudget(o) if o.limit == Limit::Memory), "{over:?}");
    let budget = Budget::unlimited();
    budget.stop_handle().raise(Limit::Cancelled);
    assert!(matches!(read(many.as_bytes(), &options, &budget), Err(Error::OverBudget(_))));
}

fn round_trip(traces: &[&Trace]) -> Result<(), TestCaseError> {
    let mut out = Vec::new();
    let runs: Vec<_> = traces.iter().map(|&t| (None, t)).collect();
    let lost = write(&runs, &mut out, &Budget::unlimited()).unwrap();
    let shown = String::from_utf8_lossy(&out).into_owned();
    prop_assert!(!shown.contains(|c: char| posetta_base::unsafe_to_show(c) && c != '\n'), "{:?}", shown);
    if traces.iter().all(|t| t.is_empty()) || lost.names > 0 {
        return Ok(());
    }
    let expected = Lost {
        processes: lost.processes,
        observed_order: lost.observed_order,
        initial: lost.initial,
        ..Lost::default()
    };
    prop_assert_eq!(lost, expected);
    let back = read(&out[..], &ReadOptions::default(), &Budget::unlimited());
    let back = back.map_err(|e| TestCaseError::fail(format!("{e} in\n{shown}")))?;
    let full: Vec<&&Trace> = traces.iter().filter(|t| !t.is_empty()).collect();
    prop_assert_eq!(back.len(), full.len(), "{}", shown);
    for (run, trace) in back.iter().zip(full) {
        prop_assert_eq!(describe(&run.trace, true), describe(trace, true), "{}", shown);
    }
    Ok(())
}

/// The records of a log in any order, some of them missing: those that are there are ordered as they were.
fn with_holes(trace: &Trace, kept: &[bool], turn: usize) -> Result<(), TestCaseError> {
    let budget = Budget::unlimited();
    let clocks = Clocks::compute(trace, &budget).unwrap();
    let host = |e: EventId| trace.process(e).index();
    let mut left: Vec<EventId> = trace.events().filter(|e| kept[e.index() % kept.len()]).collect();
    if left.is_empty() {
        return Ok(());
    }
    let middle = turn % left.len();
    left.rotate_left(middle);
    left[..middle].reverse();
    let mut log = String::new();
    for &event in &left {
        let known = clocks.counts(event).enumerate().filter(|(_, count)| *count > 0);
        let entries: Vec<String> = known.map(|(p, count)| format!("\"p{p}\": {count}")).collect();
        log += &format!("p{} {{{}}}\nevent {}\n", host(event), entries.join(","), event.index());
    }
    let run = runs(&log, Some(r"(?<host>\S*) (?<clock>{.*})\n(?<event>.*)"), None, &[])
        .map_err(|e| TestCaseError::fail(format!("{e} in\n{log}")))?
        .remove(0);
    let read = Clocks::compute(&run.trace, &budget).unwrap();
    let back: Vec<EventId> = (0..left.len() as u32).map(EventId::from_raw).collect();
    prop_assert_eq!(run.trace.len(), left.len());
    for (i, &a) in left.iter().enumerate() {
        for (j, &b) in left.iter().enumerate() {
            let before = clocks.before_or_equal(trace, a, b);
            prop_assert_eq!(read.before_or_equal(&run.trace, back[i], back[j]), before, "{:?} {:?} in\n{}", a, b, log);
        }
    }
    // Every event that is missing is told, at its host or where it is known.
    let whole = left.len() == trace.len();
    let silent = run.warnings.is_empty();
    prop_assert!(!whole || silent, "{:?} in\n{}", run.warnings, log);
    Ok(())
}

proptest! {
    #[test]
    fn missing_events_leave_the_order_of_the_others(sample in sample(false), kept in prop::collection::vec(any::<bool>(), 1..12), turn in 0..20usize) {
        let trace = sample.build(false);
        with_holes(&trace, &kept, turn)?;
        with_holes(&trace, &[true], turn)?;
    }

    #[test]
    fn what_is_written_is_read_back(first in sample(true), second in sample(true)) {
        round_trip(&[&first.build(false)])?;
        round_trip(&[&first.build(true)])?;
        round_trip(&[&first.build(true), &second.build(true)])?;
    }

    #[test]
    fn no_bytes_panic(bytes in any::<Vec<u8>>()) {
        let _ = crate::read(Format::Shiviz, &bytes[..], &Budget::unlimited());
    }

    #[test]
    fn no_mutation_panics(sample in sample(true), edits in edits()) {
        read_mutated(Format::Shiviz, &sample.build(true), &edits);
    }

    #[test]
    fn no_log_of_its_signs_panics(log in "([ab]|\\{\"a\":1|\"b\":2|,|\\}|\n| |=== |\\\\){0,40}") {
        let _ = crate::read(Format::Shiviz, log.as_bytes(), &Budget::unlimited());
    }
}

#[test]
fn what_matches_nothing_cuts_nothing() {
    for delimiter in ["", "x*", r"\b", r"^\b", r"x*\b", "(?:)$", "^"] {
        assert!(Delimiter::new(delimiter).is_err(), "{delimiter}");
    }
    assert!(Delimiter::new("^=+$").is_ok());
    let empty = Expression::new("(?<host>a*)(?<clock>b*)(?<event>c*)").unwrap_err();
    assert_eq!(empty.message, "this expression also matches nothing at all");
    // The second line of a log is a delimiter, too.
    let log = "(?<host>\\S*) (?<clock>{.*})\\n(?<event>.*)\n\\b\na {\"a\":1}\nx\n";
    assert!(runs(log, None, None, &[]).is_err());
}

#[test]
fn an_event_assigns_a_variable_once() {
    let log = "(?<host>\\S*) (?<clock>{.*}) (?<x>\\d+) (?<posetta>{.*})\\n(?<event>.*)\n\na {\"a\":1} 2 {\"set\":{\"a.x\":1}}\ngo\n";
    let Err(Error::Invalid(mistakes)) = runs(log, None, None, &[]) else { panic!("two values for one variable") };
    assert_eq!((mistakes[0].kind, mistakes[0].place.as_ref().unwrap().line), (Kind::AssignedTwice, 3));
}

#[test]
fn a_group_that_is_a_variable_in_some_runs_only_is_told() {
    let log = "(?<host>\\S*) (?<clock>{.*}) (?<v>\\w+)\\n(?<event>.*)\n\n=== one ===\na {\"a\":1} 2\nx\n=== two ===\na {\"a\":1} two\nx\n";
    let told: Vec<usize> = runs(log, None, None, &[]).unwrap().iter().map(|run| run.warnings.len()).collect();
    assert_eq!(told, [0, 1]);
    let told: Vec<usize> = runs(log, None, None, &["v"]).unwrap().iter().map(|run| run.warnings.len()).collect();
    assert_eq!(told, [0, 0]);
}

#[test]
fn a_log_that_may_be_read_in_two_ways_is_told() {
    let told = |log: &str| {
        runs(log, None, None, &[]).unwrap()[0].warnings.iter().map(|w| w.message.clone()).collect::<Vec<_>>()
    };
    let shifted = told("log of node set 7\na {\"a\":1}\nask\nb {\"b\":1,\"a\":1}\nserve\n");
    assert!(shifted[0].starts_with("this log may be read in two ways"), "{shifted:?}");
    assert_eq!(told("a {\"a\":1}\nask\nb {\"b\":1,\"a\":1}\nserve\n"), [""; 0]);
}
