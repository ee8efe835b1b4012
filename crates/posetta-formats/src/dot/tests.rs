//! Graphs read, mistakes told, runs drawn and read back.

use proptest::prelude::*;

use super::*;
use crate::samples::{Case, Trip, check_mistakes, edits, read_mutated, round_trip, sample};
use crate::{Format, Lost, text};
use posetta_base::{Budget, Error};
use posetta_trace::Trace;

fn parse(source: &[u8]) -> Result<Trace, Error> {
    read(source, &Budget::unlimited())
}

/// The events of each process in order, and the edges.
fn shown(source: &str) -> String {
    let trace = parse(source.as_bytes()).unwrap_or_else(|e| panic!("{e} in {source}"));
    let name = |e| trace.event_name(e).unwrap_or("_").to_owned();
    let chain = |p| {
        let events: Vec<String> = trace.chain(p).iter().map(|&e| format!("{}={}", trace.label(e), name(e))).collect();
        format!("{}: {}", trace.process_name(p), events.join(" "))
    };
    let mut lines: Vec<String> = trace.processes().map(chain).collect();
    let edges = trace.events().flat_map(|e| trace.causes(e).iter().map(move |&c| (c, e)));
    let mut edges: Vec<String> = edges.map(|(c, e)| format!("{}->{}", trace.label(c), trace.label(e))).collect();
    edges.sort();
    lines.extend(edges);
    lines.join("; ")
}

#[test]
fn graphs_as_people_write_them() {
    for (source, run) in [
        ("digraph { a -> b -> c }", "a: a=a; b: b=b; c: c=c; a->b; b->c"),
        ("digraph G { subgraph cluster_A { a1 -> a2 } a2 -> b; }", "A: a1=a1 a2=a2; b: b=b; a2->b"),
        ("digraph { subgraph cluster_0 { label=\"Server 1\"; s [label=\"go\\non\"]; t } }", "Server 1: s=go on t=t"),
        // Where arrows contradict what stands in the file they decide, then the order of mention.
        ("digraph { subgraph cluster_A { z; y; x; x -> z } }", "A: y=y x=x z=z"),
        // One that waits for a cluster behind it is not overtaken.
        (
            "digraph { subgraph cluster_A { a1; a2; } subgraph cluster_B { b; } b -> a1; }",
            "B: b=b; A: a1=a1 a2=a2; b->a1",
        ),
        ("digraph { a [process=P]; b [process=\"P\"] c [process=Q]; a -> {b c} }", "P: a=a b=b; Q: c=c; a->c"),
        ("digraph { node [process=P, shape=box]; a; b }", "P: a=a b=b"),
        ("digraph { \"P.1\" [process=P]; \"P.2\" [process=P] }", "P: P.1=P.1 P.2=P.2"),
        ("# c\n/* c */ strict DiGraph { a:n -> b:se [style=\"invis\"] // c\n b -> a;; }", "b: b=b; a: a=a; b->a"),
        ("digraph { edge [style=invis]; a -> b }", "a: a=a; b: b=b"),
        (
            "digraph { \"a\" + \"b\" -> \"x \\\"y\\\"\"; l [label=<<b>x</b>>] }",
            "ab: ab=ab; x \"y\": x \"y\"=x \"y\"; l: l=l; ab->x \"y\"",
        ),
        ("digraph { {a b} -> {c} -> -1.5 }", "a: a=a; b: b=b; c: c=c; -1.5: -1.5=-1.5; a->c; b->c; c->-1.5"),
        ("\u{feff}digraph{}", ""),
    ] {
        assert_eq!(shown(source), run, "{source}");
    }
}

#[test]
fn facts_of_nodes_are_read_in_any_graph() {
    let trace = parse(br#"digraph { a [posetta="{\"set\":{\"x\":[1,3],\"y\":true},\"time\":2}"] }"#).unwrap();
    let event = trace.events().next().unwrap();
    assert_eq!(facts_of(&trace, event), "x=1/3, y=1");
    assert_eq!(trace.time(event).unwrap().to_string(), "2");
}

fn facts_of(trace: &Trace, event: posetta_base::EventId) -> String {
    crate::facts::shown_assignments(trace, event)
}

#[test]
fn mistakes() {
    use posetta_base::Kind::{AssignedTwice, Cycle, Encoding, Nesting, Syntax, Truncated, Unsupported};
    let deep = format!("digraph {}", "{".repeat(200));
    let cases: &[Case<'_>] = &[
        ("graph { a -- b }", Unsupported, "1:1: an undirected graph has no order", "expected `digraph`"),
        ("digraph { a -- b }", Syntax, "1:13: `--` in a directed graph", "expected `->`"),
        ("flowchart", Syntax, "1:1: unexpected `flowchart` in a graph", "expected `digraph`"),
        (
            "digraph {\n a -> ",
            Syntax,
            "2:7: the file ends inside a graph",
            "expected a node, a subgraph or an attribute",
        ),
        (
            "digraph { a -> ; }",
            Syntax,
            "1:16: unexpected `;` in a graph",
            "expected a node, a subgraph or an attribute",
        ),
        ("digraph { a [b] }", Syntax, "1:15: unexpected `]` in a graph", "expected `=`"),
        (
            "digraph { <b>x</b> }",
            Unsupported,
            "1:11: an HTML string as a name",
            "expected a name, or one in double quotes",
        ),
        ("digraph { \"a }", Syntax, "1:11: a string that does not end", "expected `\"` somewhere after this"),
        ("digraph { /* a }", Syntax, "1:11: a comment that does not end", "expected `*/` somewhere after this"),
        ("digraph { 1a }", Syntax, "1:11: `1` is not a number", "expected a number, or the name in double quotes"),
        (
            "digraph { a! }",
            Syntax,
            "1:12: the character `!` has no meaning here",
            "expected a name, or one in double quotes",
        ),
        (
            "digraph {} x",
            Syntax,
            "1:12: unexpected `x` in a graph",
            "expected the end of the file: a file has one graph",
        ),
        ("digraph {\n a -> b\n b -> a }", Cycle, "2:1: happened-before has a cycle", "b (line 2) -> a (line 2) -> b"),
        ("digraph { a -> a }", Cycle, "1:1: happened-before has a cycle", "a (line 1) -> a"),
        (&deep, Nesting, "1:110: nested too deeply", "expected at most 100 subgraphs inside each other"),
        (
            "digraph { a [posetta=\"{\\\"set\\\":{\\\"x\\\":1,\\\"x\\\":2}}\"] }",
            AssignedTwice,
            "1:11: the variable `x` is assigned twice",
            "",
        ),
        ("digraph { a [posetta=\"x\"] }", Syntax, "1:11: unexpected `x` in an object", "expected `{`"),
    ];
    check_mistakes(parse, cases);
    for (bytes, kind) in [(&b"digraph { \xff }"[..], Encoding), (b"digraph { \xc3", Truncated)] {
        let Err(Error::Invalid(all)) = parse(bytes) else { panic!("{bytes:?}") };
        assert_eq!(all[0].kind, kind);
    }
}

#[test]
fn a_run_is_drawn_for_people() {
    let source = "initial: x=0\nA: send x=1 -> @log\nB: recv y=2 -> z=\"a\\\\b\"\nC:\nA.1 -> B.1\nA.1 -> B.2\n";
    let trace = text::read(source.as_bytes(), &Budget::unlimited()).unwrap();
    let mut out = Vec::new();
    write(&trace, &mut out, &Budget::unlimited()).unwrap();
    insta::assert_snapshot!(String::from_utf8(out).unwrap());
}

fn comes_back(trace: &Trace) -> Result<(), TestCaseError> {
    let Trip { written, lost, back } = round_trip(Format::Dot, trace, true)?;
    prop_assert_eq!(lost, Lost { observed_order: lost.observed_order, ..Lost::default() });
    prop_assert!(looks_like(&written));
    prop_assert_eq!(back.process_count(), trace.process_count());
    Ok(())
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(sample in sample(true)) {
        comes_back(&sample.build(false))?;
        comes_back(&sample.build(true))?;
    }

    #[test]
    fn no_bytes_panic(bytes in any::<Vec<u8>>()) {
        let _ = parse(&bytes);
        let _ = looks_like(&bytes);
    }

    #[test]
    fn no_mutation_panics(sample in sample(true), edits in edits()) {
        read_mutated(Format::Dot, &sample.build(true), &edits);
    }

    #[test]
    fn no_graph_of_its_signs_panics(source in "digraph \\{(a|b|->|--|\\{|\\}|\\[|\\]|=|;|,|\"|\\\\|<|>|:|#|/|\\*|subgraph|cluster|node|\n| ){0,30}") {
        let _ = parse(source.as_bytes());
    }
}

#[test]
fn defaults_are_shared_and_not_copied() {
    let long = "x".repeat(10_000);
    let mut source = String::from("digraph {");
    for i in 0..2_000 {
        source += &format!("node [a{i}=b, label=\"{long}{i}\"]; n{i};");
    }
    let trace = crate::dot::read((source + "}").as_bytes(), &Budget::with_memory(120 << 20)).unwrap();
    assert_eq!(trace.len(), 2_000);
}
