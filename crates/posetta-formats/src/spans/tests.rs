//! The rules, each by a small input, and the order by clocks against its definition.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::family::Family;
use super::statistics::Statistics;
use crate::{Format, ReadOptions, Run, Trust};
use posetta_base::{Budget, Error, EventId};
use posetta_trace::{Missing, Reason, Trace};

/// Spans as OTLP. A line is `id parent service name kind start end`, times in microseconds, `-` for what is not there; then
/// `event=name@time`, `link=id`, `link=trace/id`, `trace=id`, `error`, `remote`, `instance=name`, `host=name`, `lost=number`.
fn otlp(lines: &str) -> String {
    let mut all = String::new();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let mut words = line.split_whitespace();
        let mut next = || words.next().unwrap();
        let [id, parent, service, name, kind, start, end] = std::array::from_fn(|_| next());
        let nanoseconds = |text: &str| text.parse::<u64>().map_or(0, |time| (1_000_000 + time) * 1000);
        let (mut trace, mut resource, mut more) = ("1", String::new(), String::new());
        let (mut events, mut links) = (Vec::new(), Vec::new());
        let attribute = |key: &str, value: &str| format!(r#"{{"key":"{key}","value":{{"stringValue":"{value}"}}}}"#);
        let mut resources = vec![attribute("service.name", service)];
        if service == "-" {
            resources.clear();
        }
        for word in words {
            match word.split_once('=').unwrap_or((word, "")) {
                ("event", of) => {
                    let (name, time) = of.split_once('@').unwrap();
                    events.push(format!(r#"{{"name":"{name}","timeUnixNano":"{}"}}"#, nanoseconds(time)));
                }
                ("link", of) => {
                    let (trace, id) = of.split_once('/').unwrap_or((trace, of));
                    links.push(format!(r#"{{"traceId":"{trace:0>32}","spanId":"{id:0>16}"}}"#));
                }
                ("trace", of) => trace = of,
                ("error", _) => more.push_str(r#","status":{"code":2}"#),
                ("remote", _) => more.push_str(r#","flags":768"#),
                ("instance", of) => resources.push(attribute("service.instance.id", of)),
                ("host", of) => resources.push(attribute("host.name", of)),
                ("lost", of) => write!(more, r#","droppedEventsCount":{of}"#).unwrap(),
                (other, _) => panic!("{other}"),
            }
        }
        write!(resource, r#"{{"attributes":[{}]}}"#, resources.join(",")).unwrap();
        let parent = if parent == "-" { String::new() } else { format!("{parent:0>16}") };
        let kind = if kind == "-" { "0".to_owned() } else { format!("\"SPAN_KIND_{}\"", kind.to_uppercase()) };
        let (start, end) = (nanoseconds(start), nanoseconds(end));
        let (events, links) = (events.join(","), links.join(","));
        writeln!(
            all,
            r#"{{"resourceSpans":[{{"resource":{resource},"scopeSpans":[{{"spans":[{{"traceId":"{trace:0>32}","spanId":"{id:0>16}","parentSpanId":"{parent}","name":"{name}","kind":{kind},"startTimeUnixNano":"{start}","endTimeUnixNano":"{end}","events":[{events}],"links":[{links}]{more}}}]}}]}}]}}"#
        )
        .unwrap();
    }
    all
}

fn runs(lines: &str, options: &ReadOptions) -> Result<Vec<Run>, Error> {
    crate::read_runs(Format::Otlp, otlp(lines).as_bytes(), options, &Budget::unlimited())
}

fn run(lines: &str, trust: Trust) -> Run {
    runs(lines, &ReadOptions::default().trust(trust)).unwrap().remove(0)
}

/// What an event is called in these tests: its process, and `<` for the start, `>` for the end, else its name.
fn called(trace: &Trace, event: EventId) -> String {
    let process = trace.process(event);
    let name = trace.process_name(process).rsplit(':').next().unwrap_or_default();
    let is_end = trace.event_name(event).is_some_and(|event| event.ends_with(" end"));
    match trace.position(event) {
        0 => format!("{name}<"),
        _ if is_end => format!("{name}>"),
        _ => format!("{name}.{}", trace.event_name(event).unwrap_or_default()),
    }
}

/// Every edge with its reason.
fn edges(trace: &Trace) -> Vec<String> {
    let mut all = Vec::new();
    for event in trace.events() {
        for (&cause, reason) in trace.causes(event).iter().zip(trace.reasons(event)) {
            all.push(format!("{} {} {reason}", called(trace, cause), called(trace, event)));
        }
    }
    all.sort();
    all
}

fn check(lines: &str, trust: Trust, expected: &[&str]) {
    let run = run(lines, trust);
    assert_eq!(edges(&run.trace), expected, "{lines}");
}

/// The warnings of a run.
fn warnings(lines: &str) -> Vec<String> {
    run(lines, Trust::Segment).warnings.iter().map(ToString::to_string).collect()
}

#[test]
fn a_span_is_a_chain_in_the_group_of_its_service() {
    let run = run("1 - web get server 0 100 event=b@30 event=a@20 instance=w-1 host=h", Trust::Segment);
    let trace = &run.trace;
    assert_eq!(run.label.as_deref(), Some("00000000000000000000000000000001"));
    let names: Vec<_> = trace.events().map(|e| trace.event_name(e).unwrap().to_owned()).collect();
    assert_eq!(names, ["get", "a", "b", "get end"]);
    let process = trace.find_process("web:get").unwrap();
    assert_eq!((trace.process_count(), trace.group(process)), (1, Some("web")));
    assert!(trace.is_called(process, "web"));
    let times: Vec<_> = trace.events().map(|e| trace.time(e).unwrap().to_string()).collect();
    assert_eq!(times, ["1", "1.00002", "1.00003", "1.0001"]);
    let told =
        |event: u32| trace.attributes(EventId::from_raw(event)).map(|(k, v)| format!("{k}={v}")).collect::<Vec<_>>();
    assert_eq!(
        told(0),
        [
            "service=\"web\"",
            "service.instance.id=\"w-1\"",
            "host.name=\"h\"",
            "kind=\"server\"",
            "span.id=\"0000000000000001\""
        ]
    );
    assert_eq!(told(3), ["service=\"web\"", "kind=\"server\""]);
    assert!(run.warnings.is_empty() && trace.lacks().is_empty());
}

#[test]
fn spans_of_one_operation_are_numbered_by_their_start() {
    let lines = "1 - web get - 5 6\n2 - web get - 1 2\n3 - web get#2 - 0 1\n4 - - get - 0 9\n5 - web - - 0 9";
    let trace = run(lines, Trust::Segment).trace;
    let names: Vec<_> = trace.processes().map(|p| trace.process_name(p)).collect();
    assert_eq!(names, ["web:get#2", "get", "web:-", "web:get#1", "web:get#3"]);
}

#[test]
fn a_parent_starts_before_its_child_whatever_clocks_say() {
    check("1 - a p - 50 90\n2 1 b c - 10 95", Trust::Host, &["p< c< parent"]);
}

#[test]
fn a_child_ends_before_its_parent_if_it_is_local_and_did() {
    use Trust::{Nesting, None};
    let nested = ["c> p> nesting", "p< c< parent"];
    check("1 - a p - 0 90\n2 1 a c - 10 90", Nesting, &nested);
    check("1 - a p server 0 90\n2 1 a c client 10 80", Nesting, &nested);
    check("1 - a p - 0 90\n2 1 a c - 10 80", None, &["p< c< parent"]);
    for other in
        ["1 - a p - 0 90\n2 1 b c - 10 80", "1 - a p - 0 90\n2 1 a c - 10 91", "1 - - p - 0 90\n2 1 - c - 10 80"]
    {
        check(other, Nesting, &["p< c< parent"]);
    }
    for (outer, inner) in [("producer", "-"), ("-", "consumer"), ("-", "producer"), ("server", "server")] {
        check(&format!("1 - a p {outer} 0 90\n2 1 a c {inner} 10 80"), Nesting, &["p< c< parent"]);
    }
    check("1 - a p - 0 -\n2 1 a c - 10 80", Nesting, &["p< c< parent"]);
}

#[test]
fn a_child_that_outlives_its_parents_elsewhere_was_lucky_here() {
    let nested = |trace: usize, end: u64| {
        format!("1 - a p - 0 9000 trace={trace}\n2 1 a c - 10 {end} trace={trace}\n3 1 a d - 10 80 trace={trace}\n")
    };
    let traces =
        |seen: usize, end: u64| (1..seen).map(|trace| nested(trace, 80)).collect::<String>() + &nested(seen, end);
    let waits = |lines: &str| {
        let trace = run(lines, Trust::Nesting).trace;
        edges(&trace).iter().filter(|edge| edge.ends_with("nesting")).cloned().collect::<Vec<_>>()
    };
    // One of 99 is too many, one of 100 is not, and neither is one that is late by no more than a millisecond.
    assert_eq!(waits(&traces(99, 10_001)), ["d> p> nesting"]);
    assert_eq!(waits(&traces(100, 10_001)), ["c> p> nesting", "d> p> nesting"]);
    assert_eq!(waits(&traces(99, 10_000)), ["c> p> nesting", "d> p> nesting"]);
}

#[test]
fn a_client_waits_for_its_server_unless_it_gave_up() {
    let start = "c< s< client/server";
    // The clock of the server is wrong by a lot; durations are not.
    check("1 - a c client 500 590\n2 1 b s server 10 90", Trust::None, &[start, "s> c> client/server"]);
    check("1 - a c client 0 90\n2 1 a s server 10 90", Trust::Nesting, &[start, "s> c> client/server"]);
    for gave_up in [
        "1 - a c client 0 90\n2 1 b s server 10 101",
        "1 - a c client 0 90 error\n2 1 b s server 10 90",
        "1 - a c client 0 90\n2 1 b s server 91 92",
    ] {
        check(gave_up, Trust::Nesting, &[start]);
        assert_eq!(warnings(gave_up), ["1 client did not wait for its server: `a:c`"]);
    }
    assert!(warnings("1 - a c client 0 90\n2 1 b s server 10 -").is_empty());
}

#[test]
fn a_message_is_received_after_it_is_begun_to_be_sent() {
    check("1 - a send producer 50 90\n2 1 b recv consumer 60 95", Trust::Host, &["send< recv< message id"]);
}

#[test]
fn a_link_comes_before_the_end() {
    check("1 - a one - 50 90\n2 - b two - 10 95 link=1", Trust::None, &["one< two> link"]);
    check("1 - a one - 50 90\n2 - b two - 10 - link=1", Trust::None, &[]);
    assert_eq!(warnings("1 - a one - 50 90 link=1"), ["1 span links to itself: `a:one`"]);
}

#[test]
fn the_clock_of_a_segment_orders_what_is_local() {
    use Trust::{Nesting, Segment};
    let siblings = "1 - a p - 0 90\n2 1 a c - 10 20\n3 1 a d - 30 40";
    let causes = ["c> p> nesting", "d> p> nesting", "p< c< parent", "p< d< parent"];
    check(siblings, Nesting, &causes);
    check(siblings, Segment, &["c> d< same clock", "c> p> nesting", "d> p> nesting", "p< c< parent", "p< d< parent"]);
    // Equal times say nothing; neither do those of another entry, service or instance.
    check(
        "1 - a p - 0 90\n2 1 a c - 10 20\n3 1 a d - 20 40",
        Segment,
        &["c< d< same clock", "c> d> same clock", "c> p> nesting", "d> p> nesting", "p< c< parent", "p< d< parent"],
    );
    let foreign = ["c> p> nesting", "p< c< parent", "p< d< parent"];
    for line in ["3 1 b d - 30 40", "3 1 a d consumer 30 40"] {
        check(&format!("1 - a p - 0 90\n2 1 a c - 10 20\n{line}"), Segment, &foreign);
    }
    for line in ["3 1 a d server 30 40", "3 1 a d - 30 40 remote", "3 1 a d - 30 40 instance=z"] {
        check(&format!("1 - a p - 0 90 instance=y\n2 1 a c - 10 20 instance=y\n{line}"), Segment, &causes);
    }
    // Both may be on one host.
    check("1 - a p - 0 10 instance=x host=h\n2 - a q - 20 30 instance=x host=h\n3 - b r - 40 50 host=h", Segment, &[]);
    check(
        "1 - a p - 0 10 instance=x host=h\n2 - a q - 20 30 instance=x host=h\n3 - b r - 40 50 host=h",
        Trust::Instance,
        &["p> q< instance clock"],
    );
    check(
        "1 - a p - 0 10 instance=x host=h\n2 - a q - 20 30 instance=x host=h\n3 - b r - 40 50 host=h",
        Trust::Host,
        &["p> q< instance clock", "q> r< host clock"],
    );
    check("1 - a p - 0 10 host=localhost\n2 - a q - 20 30 host=localhost", Trust::Host, &[]);
}

#[test]
fn operations_that_overlap_anywhere_are_ordered_by_no_clock() {
    let apart = "1 - a p - 0 90\n2 1 a c - 10 20\n3 1 a d - 30 40\n4 3 a e - 32 35\n5 1 a f - 50 60\n";
    let overlapping = "1 - a p - 0 90 trace=2\n2 1 a c - 10 31 trace=2\n3 1 a d - 30 40 trace=2\n";
    let elsewhere = "1 - a q - 0 90 trace=2\n2 1 a c - 10 31 trace=2\n3 1 a d - 30 40 trace=2\n";
    let clock = |lines: &str| {
        let trace = run(lines, Trust::Segment).trace;
        edges(&trace).iter().filter_map(|edge| edge.strip_suffix(" same clock").map(str::to_owned)).collect::<Vec<_>>()
    };
    assert_eq!(clock(apart), ["c> d<", "d> f<"]);
    assert_eq!(clock(&format!("{apart}{elsewhere}")), ["c> d<", "d> f<"]);
    // What the two call is concurrent as well; the rest is not.
    assert_eq!(clock(&format!("{apart}{overlapping}")), ["c> f<", "d> f<"]);
}

/// That a task which nobody waits for came first was luck, and a clock must not make an order of it.
#[test]
fn what_goes_on_by_itself_is_ordered_with_its_parent_by_no_clock() {
    let lucky = "1 - a p - 0 90 instance=i host=h\n2 1 a c - 10 20 instance=i host=h\n3 2 a e - 12 15 instance=i host=h\n4 2 a f - 16 18 instance=i host=h\n5 1 a d - 30 40 instance=i host=h\n";
    let late = "1 - a p - 0 20000 trace=2\n2 1 a c - 10 30000 trace=2\n";
    let clocks = |lines: &str, trust: Trust| {
        let trace = run(lines, trust).trace;
        let is_clock = |edge: &String| edge.ends_with(" clock");
        edges(&trace).into_iter().filter(is_clock).collect::<Vec<_>>()
    };
    assert_eq!(clocks(lucky, Trust::Host), ["c> d< same clock", "e> f< same clock"]);
    for trust in [Trust::Segment, Trust::Instance, Trust::Host] {
        // Its own steps are in order, and it was started before what its parent did later.
        let found = clocks(&format!("{lucky}{late}"), trust);
        assert_eq!(found, ["c< d< same clock", "e> f< same clock"], "{trust:?}");
    }
    // The same for what sends messages, which is never waited for by what its kind says.
    let [lucky, late] = [lucky, late].map(|lines| lines.replace(" c - ", " c producer "));
    assert_eq!(clocks(&lucky, Trust::Segment).first().map(String::as_str), Some("c> d< same clock"));
    let both = clocks(&format!("{lucky}{late}"), Trust::Segment);
    assert!(both.iter().all(|edge| !edge.contains("c> d<") && !edge.contains("c> p>")), "{both:?}");
}

#[test]
fn a_clock_that_contradicts_causes_orders_nothing_there() {
    let lines = "1 - a r - 0 90\n2 1 a x - 5 6\n3 1 a p - 20 60\n4 3 a c - 17 50\n5 1 a y - 18 19\n6 1 a z - 70 71\n";
    let run = run(lines, Trust::Segment);
    let clock: Vec<_> =
        edges(&run.trace).iter().filter_map(|edge| edge.strip_suffix(" same clock").map(str::to_owned)).collect();
    // From 17 to 20 nothing is ordered; what is before and behind is.
    assert_eq!(clock, ["p< c>", "p> z<", "x> c<", "x> p<", "x> y<", "y> c>"]);
    let told: Vec<_> = run.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(told[0], "1 span starts before its parent by the same clock: `a:c`");
    assert_eq!(told[1], "the recorded order is not that of the times: an event comes up to 0.000003 s too late");
}

#[test]
fn wall_clocks_order_what_is_further_apart_than_they_are() {
    let lines = "1 - a p - 0 10\n2 - b q - 15 26\n3 - c r - 40 50";
    let options = |skew: &str| ReadOptions::default().trust(Trust::None).skew(Some(skew.parse().unwrap()));
    let with = |skew: &str| edges(&runs(lines, &options(skew)).unwrap()[0].trace);
    assert_eq!(with("0.000004"), ["p> q< skew", "q> r< skew"]);
    assert_eq!(with("0.000005"), ["p< q< skew", "p> q> skew", "q> r< skew"]);
    assert_eq!(with("0.000014"), ["p< q< skew", "p> q> skew", "p> r< skew", "q< r< skew", "q> r> skew"]);
    assert_eq!(with("1"), [""; 0]);
}

#[test]
fn what_is_missing_is_counted() {
    let lacks = |lines: &str| {
        let run = run(lines, Trust::Segment);
        run.trace.lacks().iter().map(|lack| (lack.what, lack.count, lack.examples[0].clone())).collect::<Vec<_>>()
    };
    let name = |name: &str| format!("a:{name}");
    assert_eq!(lacks("1 9 a p - 0 90\n2 1 a c - 1 2\n3 9 a d - 1 2"), [(Missing::Parents, 2, name("p"))]);
    assert_eq!(lacks("1 - a p - 0 90 link=7"), [(Missing::Linked, 1, name("p"))]);
    assert_eq!(lacks("1 - a p - 0 90 lost=7\n2 - a q - 0 1 lost=2"), [(Missing::Dropped, 9, name("p"))]);
    assert_eq!(lacks("1 - a p - 0 -"), [(Missing::Ends, 1, name("p"))]);
    // A link to another trace leads out of the run.
    let other = "1 - a p - 0 90 link=2/7\n7 - a q - 0 90 trace=2";
    assert!(lacks(other).is_empty());
    assert_eq!(warnings(other), ["1 link leads to another trace of the input: a:p"]);
    assert_eq!(runs(other, &ReadOptions::default()).unwrap().len(), 2);
}

#[test]
fn records_of_one_span_are_read_once_and_others_kept_apart() {
    let lines = "1 - a p - 0 90\n1 - a p - 0 90\n1 - a p - 5 90\n2 1 a c - 10 20";
    assert_eq!(
        warnings(lines),
        [
            "1 record repeats another one: `p` with the id 0000000000000001",
            "1 span has the id of another one: `p` with the id 0000000000000001",
            "1 span has a parent id that several spans have: `a:c`"
        ]
    );
    check(lines, Trust::Segment, &[]);
    // Nor are a call and something else in the same place its two sides, although only one of them could have been called.
    let lines = "1 - a p client 0 90\n1 - a q internal 5 90\n2 1 a c - 10 20\n3 1 a d server 10 20";
    assert_eq!(
        warnings(lines),
        [
            "1 span has the id of another one: `p` with the id 0000000000000001",
            "2 spans have parent ids that several spans have, such as `a:c`"
        ]
    );
    check(lines, Trust::Segment, &[]);
}

#[test]
fn strange_times_are_told() {
    assert_eq!(
        warnings("1 - a p - 50 40 event=x@45 event=y@90"),
        [
            "1 span ends before it starts: `a:p`",
            "2 span events lie outside of their spans by their times, such as `x` in `a:p`"
        ]
    );
    assert_eq!(warnings("1 1 a p - 50 60"), ["1 span is its own parent: `a:p`"]);
}

#[test]
fn parents_that_are_each_others_are_a_mistake_that_names_both_edges() {
    let Err(Error::Invalid(mistakes)) = runs("1 2 a p - 0 90\n2 1 a c - 10 20\n3 2 a d - 1 2", &ReadOptions::default())
    else {
        panic!("it is a cycle")
    };
    assert_eq!(mistakes.len(), 1);
    let told = format!("{} {:?}", mistakes[0], mistakes[0].label);
    assert!(told.contains("a:p.1") && told.contains("a:c.1") && told.contains("parent"), "{told}");
}

/// Whether each event comes before each other, by edges and chains.
fn closure(events: usize, edges: impl Iterator<Item = (usize, usize)>) -> Vec<Vec<bool>> {
    let mut before = vec![vec![false; events]; events];
    edges.for_each(|(a, b)| before[a][b] = true);
    for k in 0..events {
        for a in 0..events {
            if before[a][k] {
                let row = before[k].clone();
                before[a].iter_mut().zip(row).for_each(|(to, via)| *to |= via);
            }
        }
    }
    before
}

fn all_edges(trace: &Trace) -> Vec<(usize, usize)> {
    let mut all: Vec<(usize, usize)> =
        trace.events().flat_map(|e| trace.causes(e).iter().map(move |c| (c.index(), e.index()))).collect();
    for process in trace.processes() {
        all.extend(trace.chain(process).windows(2).map(|pair| (pair[0].index(), pair[1].index())));
    }
    all
}

/// The pairs that the clock of a segment orders, by the words of the rule.
fn ordered_by_rule(
    family: &Family,
    store: &super::store::Store,
    statistics: &Statistics,
    trace: &Trace,
) -> Vec<(usize, usize)> {
    let ancestors = |member: u32| {
        let mut line: Vec<u32> = std::iter::successors(Some(member), |&m| family.parent(m)).collect();
        line.reverse();
        line
    };
    let segments = family.segments(store, statistics);
    let is_started = |m: u32| family.is_detached(store, statistics, m);
    let time = |e: EventId| trace.time(e).unwrap().clone();
    let member = |e: EventId| trace.process(e).index() as u32;
    let start = |m: u32| trace.time(trace.chain(posetta_base::ProcessId::from_raw(m))[0]).unwrap().clone();
    let operation = |m: u32| family.span(store, m).operation;
    // Whole milliseconds, or fractions of them.
    let grain = |m: u32| {
        let of = |m: u32| family.span(store, m).resource;
        let mut same = store.spans.iter().filter(|span| span.resource == of(m));
        if same.all(|span| span.start.is_multiple_of(1_000_000)) { 999_999 } else { 999 }
    };
    // By a coarse clock, the end of a span says nothing if a local child starts after it.
    let is_left_early = |e: EventId| {
        let m = member(e);
        let is_end = trace.chain(posetta_base::ProcessId::from_raw(m)).last() == Some(&e);
        let is_local =
            |c: u32| family.parent(c) == Some(m) && (segments[c as usize] == segments[m as usize] || is_started(c));
        is_end && grain(m) > 999 && (0..family.len() as u32).any(|c| is_local(c) && start(c) > time(e))
    };
    // What goes on by itself is in the order of its parent where it starts.
    let clocks = |e: EventId| {
        let m = member(e);
        let is_start = trace.chain(posetta_base::ProcessId::from_raw(m))[0] == e;
        let parents = family.parent(m).filter(|_| is_start && is_started(m)).map(|p| segments[p as usize]);
        [Some(segments[m as usize]), parents].into_iter().flatten().collect::<Vec<_>>()
    };
    // Stretches of time in which a clock contradicts causes or does not tell, those that touch put together.
    let doubts = |segment: u32| {
        let is_of = |m: u32| segments[m as usize] == segment;
        let local =
            (0..family.len() as u32).filter(|&m| (is_of(m) || is_started(m)) && family.parent(m).is_some_and(is_of));
        let mut all: Vec<_> =
            local.map(|m| (start(m), start(family.parents[m as usize]))).filter(|(c, p)| c < p).collect();
        for e in trace.events().filter(|&e| clocks(e).contains(&segment)) {
            let step = posetta_base::Number::fraction(grain(member(e)), 1_000_000_000);
            all.push((time(e), time(e).add(&step).unwrap()));
        }
        all.sort();
        let mut merged: Vec<(posetta_base::Number, posetta_base::Number)> = Vec::new();
        for (from, to) in all {
            match merged.last_mut() {
                Some(last) if from <= last.1 => last.1 = last.1.clone().max(to),
                _ => merged.push((from, to)),
            }
        }
        merged
    };
    let mut pairs = Vec::new();
    for a in trace.events() {
        for b in trace.events() {
            let (one, other) = (member(a), member(b));
            if one == other || time(a) >= time(b) || is_left_early(a) || is_left_early(b) {
                continue;
            }
            let is_doubt =
                |(from, to): &(posetta_base::Number, posetta_base::Number)| *from <= time(a) && time(b) <= *to;
            let both: Vec<u32> = clocks(a).into_iter().filter(|clock| clocks(b).contains(clock)).collect();
            if both.iter().all(|&segment| doubts(segment).iter().any(is_doubt)) {
                continue;
            }
            let (x, y) = (ancestors(one), ancestors(other));
            let common = x.iter().zip(&y).take_while(|(a, b)| a == b).count();
            let concurrent = match (x.get(common), y.get(common)) {
                (Some(&x), Some(&y)) => {
                    let parent = family.parent(x).unwrap();
                    statistics.overlaps(operation(parent)).is_some_and(|o| o.has(operation(x), operation(y)))
                }
                _ => false,
            };
            if !concurrent {
                pairs.push((a.index(), b.index()));
            }
        }
    }
    pairs
}

/// The SDK for JavaScript reads a clock of whole milliseconds when a span starts, and measures from there on. So `send`, which began
/// before `charge` ended, may seem to begin after it.
#[test]
fn a_coarse_clock_does_not_order_what_is_closer_than_its_steps() {
    let lines = |jitter: u64| {
        format!(
            "1 - shop request server 0 5000
             2 1 shop charge - 0 700
             3 1 shop send producer 1000 1100
             4 1 shop bill - 3000 3100
             5 - shop other - {jitter} 9000 trace=2"
        )
    };
    let clocked = |jitter: u64| {
        let mut all = edges(&run(&lines(jitter), Trust::Segment).trace);
        all.retain(|edge| edge.ends_with("same clock"));
        all
    };
    assert!(!clocked(0).contains(&"charge> send< same clock".to_owned()), "{:?}", clocked(0));
    assert!(clocked(0).contains(&"charge> bill< same clock".to_owned()), "{:?}", clocked(0));
    // One span that does not start at a whole millisecond is enough.
    assert!(clocked(1).contains(&"charge> send< same clock".to_owned()), "{:?}", clocked(1));
}

/// The end of `get` may be too early by however long the program did not run between two readings of its clocks.
#[test]
fn a_coarse_clock_does_not_order_the_end_of_a_span_and_a_late_child() {
    let lines = "1 - web get server 0 101
                 2 1 web log - 4000 4301
                 3 1 web late - 8000 8501";
    let clocked: Vec<_> =
        edges(&run(lines, Trust::Segment).trace).into_iter().filter(|edge| edge.ends_with("same clock")).collect();
    let of_the_end = |edge: &&String| edge.contains("get>");
    assert_eq!(clocked.iter().find(of_the_end), None, "{clocked:?}");
    assert!(clocked.contains(&"log> late< same clock".to_owned()), "{clocked:?}");
}

/// Random spans: the parent of each is one before it, times are small, operations few.
fn random_spans() -> impl Strategy<Value = Vec<(u32, u32, u64, u64)>> {
    proptest::collection::vec((0..100u32, 0..4u32, 0..14u64, 0..9u64), 1..10)
}

/// Times are multiples of `unit`.
fn as_lines(spans: &[(u32, u32, u64, u64)], trace: u32, unit: u64) -> String {
    let mut lines = String::new();
    for (i, &(parent, operation, start, duration)) in spans.iter().enumerate() {
        let parent = if i == 0 { "-".to_owned() } else { (parent as usize % i + 1).to_string() };
        let id = i + 1;
        let service = if operation == 3 { "b" } else { "a" };
        let (start, end) = (unit * start, unit * (start + duration));
        writeln!(lines, "{id} {parent} {service} o{operation} - {start} {end} trace={trace}").unwrap();
    }
    lines
}

/// One trace may have many spans, each a process, in whatever shape.
#[test]
fn twenty_thousand_spans_have_few_edges() {
    const SPANS: u64 = 20_000;
    type Shape = (&'static str, fn(u64) -> [u64; 4], usize);
    // Parent, start, end and operation of each, and how many edges the clock adds at most.
    let shapes: [Shape; 5] = [
        ("deep", |i| [i - 1, i, 1_000_000 - i, i % 7], 0),
        ("one after the other", |i| [1, i * 10, i * 10 + 5, i % 7], 20_000),
        ("all at once", |i| [1, i, 900_000 + i, 1], 0),
        ("all at once, all different", |i| [1, i, 900_000 + i, i], 0),
        (
            "half at once, then the other half",
            |i| {
                let half = i / (SPANS / 2);
                [1, i + 200_000 * half, 50_000 + i + 200_000 * half, half]
            },
            1_000_000,
        ),
    ];
    for (name, shape, most) in shapes {
        let mut lines = String::from("1 - a p - 0 1000000\n");
        for i in 2..=SPANS {
            let [parent, start, end, operation] = shape(i);
            writeln!(lines, "{i:x} {parent:x} a o{operation} - {start} {end}").unwrap();
        }
        let run = run(&lines, Trust::Segment);
        assert_eq!(run.trace.len() as u64, 2 * SPANS);
        let clock = run.trace.edges_by_reason().iter().find(|(r, _)| *r == Reason::Segment).map_or(0, |(_, n)| *n);
        assert!(clock <= most, "{name}: {clock}");
        let told: Vec<_> = run.warnings.iter().map(|warning| warning.kind).collect();
        assert_eq!(told.len(), usize::from(most > 20_000), "{name}: {told:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 500 } else { 1500 }))]

    #[test]
    fn the_edges_of_a_clock_are_what_the_rule_says(
        one in random_spans(),
        two in random_spans(),
        // Some outlive their parents by more than a millisecond, or none.
        unit in proptest::sample::select(vec![1, 400]),
    ) {
        let lines = as_lines(&one, 1, unit) + &as_lines(&two, 2, unit);
        let intake = crate::otlp::read_json(otlp(&lines).as_bytes(), &Budget::unlimited()).unwrap();
        let sealed = intake.finish().unwrap().0.seal();
        let statistics = Statistics::new(&sealed, &Budget::unlimited()).unwrap();
        let [nested, clocked] = [Trust::Nesting, Trust::Segment].map(|trust| run(&lines, trust).trace);
        let family = Family::new(&sealed.store, sealed.spans_of(0));
        let rule = ordered_by_rule(&family, &sealed.store, &statistics, &clocked);
        let expected = closure(clocked.len(), all_edges(&nested).into_iter().chain(rule));
        let found = closure(clocked.len(), all_edges(&clocked).into_iter());
        prop_assert!(clocked.contradicted().is_empty());
        prop_assert_eq!(expected, found, "{}", lines);
        let clocks: usize = clocked.edges_by_reason().iter().filter(|(r, _)| *r == Reason::Segment).map(|(_, n)| *n).sum();
        prop_assert!(clocks <= 4 * clocked.len());
    }

    #[test]
    fn the_edges_of_wall_clocks_are_what_the_rule_says(spans in random_spans(), skew in 0..12u32) {
        let lines = as_lines(&spans, 1, 1);
        let seconds = format!("0.{skew:06}").parse().unwrap();
        let options = ReadOptions::default().trust(Trust::None);
        let bare = runs(&lines, &options).unwrap().remove(0).trace;
        let clocked = runs(&lines, &options.skew(Some(seconds))).unwrap().remove(0).trace;
        if clocked.contradicted().is_empty() {
            let skew: posetta_base::Number = format!("0.{skew:06}").parse().unwrap();
            let time = |e: EventId| bare.time(e).unwrap();
            let rule = bare.events().flat_map(|a| bare.events().map(move |b| (a, b)));
            let rule = rule.filter(|&(a, b)| time(b).sub(time(a)).unwrap() > skew).map(|(a, b)| (a.index(), b.index()));
            let expected = closure(bare.len(), all_edges(&bare).into_iter().chain(rule));
            prop_assert_eq!(expected, closure(bare.len(), all_edges(&clocked).into_iter()));
        }
    }
}
