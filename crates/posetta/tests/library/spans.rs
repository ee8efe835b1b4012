//! Spans that others recorded, and facts about them that were computed elsewhere.
//!
//! They are no part of the project, as the logs of [`samples`](super::samples).

use std::path::PathBuf;

use posetta_base::{Budget, EventId};
use posetta_formats::{self as formats, Format, ReadOptions, Run, Trust};
use posetta_trace::{Clocks, Missing, Reason, Trace, count_cuts, count_linearisations};

/// A sample by folder and name, if the samples are there.
fn path(name: &str) -> Option<PathBuf> {
    let (folder, file) = name.split_once('/').unwrap();
    Some(posetta_peers::samples(folder)?.join(file))
}

fn runs(path: &PathBuf, format: Format, trust: Trust) -> Vec<Run> {
    let bytes = std::fs::read(path).unwrap();
    assert_eq!(formats::detect(&bytes[..bytes.len().min(1 << 13)], None), Ok(Some(format)), "{}", path.display());
    let options = ReadOptions::default().trust(trust);
    formats::read_runs(format, &bytes[..], &options, &Budget::unlimited()).unwrap()
}

fn run(name: &str, format: Format, trust: Trust) -> Option<Run> {
    let mut all = runs(&path(name)?, format, trust);
    assert_eq!(all.len(), 1, "{name}");
    all.pop()
}

fn cuts(trace: &Trace) -> String {
    count_cuts(trace, &Budget::unlimited()).unwrap().to_string()
}

fn orders(trace: &Trace) -> String {
    count_linearisations(trace, &Budget::unlimited()).unwrap().to_string()
}

use Format::{Jaeger, Otlp, Zipkin};
use Reason::{Call, Link, Message, Nesting, Parent, Segment};

/// A sample, its format, spans and events, and its edges.
type Sample = (&'static str, Format, usize, usize, &'static [(Reason, usize)]);

#[test]
fn every_sample_has_the_spans_events_and_edges_that_it_should() {
    let cases: [Sample; 11] = [
        ("otlp/trace.json", Otlp, 1, 2, &[]),
        ("jaeger/link_attributes_trace.json", Otlp, 1, 2, &[]),
        ("jaeger/otlp2jaeger-in.json", Otlp, 1, 2, &[]),
        ("jaeger/otlp2jaeger-out.json", Jaeger, 1, 2, &[]),
        ("jaeger/ui_01.json", Jaeger, 5, 12, &[(Parent, 1), (Nesting, 1), (Segment, 1)]),
        ("zipkin/ascend.json", Zipkin, 8, 16, &[(Parent, 5), (Call, 3), (Nesting, 5), (Segment, 3)]),
        ("zipkin/skew.json", Zipkin, 4, 8, &[(Parent, 2), (Call, 2), (Nesting, 2)]),
        ("zipkin/yelp.json", Zipkin, 16, 33, &[(Parent, 12), (Call, 6), (Nesting, 8), (Segment, 6)]),
        ("zipkin/messaging.json", Zipkin, 4, 8, &[(Message, 1), (Parent, 2), (Segment, 2)]),
        // What sends and what handles a message outlives its parent here, by up to 0.6 s: after its start no clock orders it with that.
        ("zipkin/messaging-kafka.json", Zipkin, 28, 56, &[(Message, 6), (Parent, 21), (Nesting, 3), (Segment, 24)]),
        (
            "zipkin/smartthings-oauth-authorization.json",
            Zipkin,
            175,
            340,
            &[(Parent, 110), (Call, 97), (Nesting, 87), (Segment, 57)],
        ),
    ];
    for (name, format, spans, events, edges) in cases {
        let Some(run) = run(name, format, Trust::Segment) else { return };
        let trace = &run.trace;
        assert_eq!((trace.process_count(), trace.len()), (spans, events), "{name}");
        assert_eq!(trace.edges_by_reason(), edges, "{name}");
        assert!(trace.contradicted().is_empty(), "{name}");
    }
    let Some(path) = path("jaeger/otel_traces_01.json") else { return };
    let all: Vec<_> = runs(&path, Otlp, Trust::Segment)
        .iter()
        .map(|run| (run.trace.process_count(), run.trace.len(), run.trace.edges_by_reason()))
        .collect();
    assert_eq!(all, [(2, 8, vec![(Link, 1)]), (2, 8, vec![])]);
}

/// The facts are about causes and checked nesting.
#[test]
fn spans_of_others_have_as_many_cuts_and_orders_as_they_should() {
    for (name, number, of_orders) in [
        ("zipkin/skew.json", "9", Some("1")),
        ("zipkin/yelp.json", "277445", Some("12137033677440672000000")),
        ("zipkin/messaging-kafka.json", "52449089223", None),
    ] {
        let Some(run) = run(name, Zipkin, Trust::Nesting) else { return };
        assert_eq!(cuts(&run.trace), number, "{name}");
        if let Some(number) = of_orders {
            assert_eq!(orders(&run.trace), number, "{name}");
        }
    }
    for (name, number) in [("zipkin/skew.json", "9"), ("zipkin/yelp.json", "4021")] {
        let Some(run) = run(name, Zipkin, Trust::Segment) else { return };
        assert_eq!(cuts(&run.trace), number, "{name}");
    }
}

/// One server of `ascend` started after its client had ended, by their clocks. The fact is about runs in which the client waited for
/// it all the same; we do not assume that.
#[test]
fn a_server_that_began_after_its_client_had_ended_was_not_waited_for() {
    for (trust, without, with) in
        [(Trust::Nesting, ["149", "132138"], ["93", "18018"]), (Trust::Segment, ["57", "1001"], ["17", "1"])]
    {
        let Some(run) = run("zipkin/ascend.json", Zipkin, trust) else { return };
        let trace = &run.trace;
        assert_eq!([cuts(trace), orders(trace)], without);
        assert_eq!(run.warnings[0].to_string(), "1 client did not wait for its server: `mobile-gateway:get#2`");
        let last = |name: &str| *trace.chain(trace.find_process(name).unwrap()).last().unwrap();
        let server = last("auth-service:http:/parent/auth-service/v1/authentications/");
        let edge = [(server, last("mobile-gateway:get#2"))];
        let waited = trace.with_edges(&edge, trace.linearisation().to_vec(), &Budget::unlimited()).unwrap();
        assert_eq!([cuts(&waited), orders(&waited)], with);
    }
}

#[test]
fn children_of_kafka_begin_before_their_parents_by_the_clock_only() {
    let Some(run) = run("zipkin/messaging-kafka.json", Zipkin, Trust::Segment) else { return };
    let told: Vec<_> = run.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(told[0], "3 spans start before their parents by the same clock, such as `servicea:on-message#1`");
    assert_eq!(run.trace.lag().map(ToString::to_string).as_deref(), Some("0.000021"));
    let (trace, observed) = (&run.trace, run.trace.observed().unwrap());
    let place = |event: EventId| observed.iter().position(|&e| e == event).unwrap();
    assert!(trace.events().all(|e| trace.causes(e).iter().all(|&cause| place(cause) < place(e))));
}

/// The same trace in two formats.
#[test]
fn the_pair_of_jaeger_is_one_run() {
    let told = |run: &Run| {
        let trace = &run.trace;
        let event = |e: EventId| {
            let attributes: Vec<_> = trace.attributes(e).map(|(k, v)| format!("{k}={v}")).collect();
            format!("{} {:?} {:?} {attributes:?}", trace.label(e), trace.event_name(e), trace.time(e))
        };
        let lacks: Vec<_> = trace.lacks().iter().map(|lack| (lack.what, lack.count)).collect();
        let warnings: Vec<_> = run.warnings.iter().map(ToString::to_string).collect();
        (run.label.clone(), trace.events().map(event).collect::<Vec<_>>(), lacks, warnings)
    };
    let Some(before) = run("jaeger/otlp2jaeger-in.json", Otlp, Trust::Segment) else { return };
    let Some(after) = run("jaeger/otlp2jaeger-out.json", Jaeger, Trust::Segment) else { return };
    assert_eq!(told(&before), told(&after));
    assert_eq!(told(&before).2, [(Missing::Parents, 1)]);
    assert_eq!(told(&before).3, ["1 record repeats another one: `okey-dokey-0` with the id e127af99e3b3e074"]);
}

#[test]
fn a_social_network_stores_a_post_before_it_writes_the_timeline_if_its_clock_is_right() {
    let Some(path) = path("jaeger-dsb/socialnetwork-20-traces.json") else { return };
    for (trust, edges, is_ordered) in
        [(Trust::None, 640, false), (Trust::Nesting, 1060, false), (Trust::Segment, 1271, true)]
    {
        let all = runs(&path, Jaeger, trust);
        assert_eq!(all.len(), 20);
        assert_eq!(all.iter().map(|run| run.trace.process_count()).sum::<usize>(), 660);
        let mut services: Vec<_> =
            all.iter().flat_map(|run| run.trace.processes().filter_map(|p| run.trace.group(p))).collect();
        services.sort_unstable();
        services.dedup();
        assert_eq!(services.len(), 12);
        for run in &all {
            let trace = &run.trace;
            assert!(run.warnings.is_empty() && trace.contradicted().is_empty() && trace.lag().is_none());
            let clocks = Clocks::compute(trace, &Budget::unlimited()).unwrap();
            let store = trace.find_process("compose-post-service:store_post_client").unwrap();
            let write = trace.find_process("compose-post-service:write_user_timeline_client").unwrap();
            let known = clocks.count(trace.chain(write)[0], store);
            assert_eq!(known == 2, is_ordered, "{:?}", run.label);
        }
        let all_edges = all.iter().flat_map(|run| run.trace.edges_by_reason()).map(|(_, count)| count);
        assert_eq!(all_edges.sum::<usize>(), edges);
        // "Every *_client has a *_server" is false: databases record nothing.
        let clients = all.iter().flat_map(|run| run.trace.processes().map(|p| run.trace.process_name(p)));
        assert_eq!(clients.filter(|name| name.ends_with("_client")).count(), 400);
    }
}
