//! Diagrams read, mistakes told, runs drawn and read back.

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
        let events: Vec<String> = trace.chain(p).iter().map(|&e| name(e)).collect();
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
fn diagrams_as_people_draw_them() {
    for (source, run) in [
        ("sequenceDiagram\n  A->>B: hi\n  B-->>A: ho\n", "A: hi ho; B: hi ho; A.1->B.1; B.2->A.2"),
        (
            "---\ntitle: T\n---\nsequenceDiagram\n%% c\nautonumber\nparticipant C\nactor A as Alice\nactivate A\nA->>+B: x; B-)C: y#59;\nNote over A,B: no event\ndeactivate A\n",
            "C: y;; A: x; B: x y;; A.1->B.1; B.2->C.1",
        ),
        (
            "sequenceDiagram\nA->>A: think\nA-xB: lost\nA<<->>B: both",
            "A: think lost both both; B: both both; A.3->B.2; B.1->A.4",
        ),
        (
            "sequenceDiagram\npar one\nA->>B: x\nand other\nC->>D: y\nend\nA->>C: z",
            "A: x z; B: x; C: y z; D: y; A.1->B.1; A.2->C.2; C.1->D.1",
        ),
        ("```mermaid\nsequenceDiagram\nrect rgb(1,2,3)\nA->>B: x<br/>y\nend\n```\n", "A: x y; B: x y; A.1->B.1"),
        ("sequenceDiagram", ""),
    ] {
        assert_eq!(shown(source), run, "{source}");
        assert!(looks_like(source.as_bytes()), "{source}");
    }
}

#[test]
fn mistakes() {
    use posetta_base::Kind::{MissingEvent, Syntax, Unsupported};
    let cases: &[Case<'_>] = &[
        ("flowchart TD\nA-->B\n", Syntax, "1:1: not a sequence diagram", "expected `sequenceDiagram`"),
        (
            "sequenceDiagram\n  A->>B: x\n  what\n",
            Syntax,
            "3:3: not a line of a sequence diagram",
            "expected a participant, a message such as `A->>B: text`, or a note",
        ),
        (
            "sequenceDiagram\nloop often\nA->>B: x\n",
            Unsupported,
            "2:1: a block `loop` is not a single run",
            "expected one run, which says how often that happened",
        ),
        (
            "sequenceDiagram\nA->>B: x\n alt well\n A->>B: y\n else\n B->>A: z\n end\n",
            Unsupported,
            "3:2: a block `alt` is not a single run",
            "expected one run, which says what happened",
        ),
        (
            "sequenceDiagram\npar a\nA->>B: x\nand b\nC->>B: y\nend\n",
            Unsupported,
            "5:1: `B` acts in two parts of one `par`",
            "their order is left open, and the events of a process have one order",
        ),
        ("sequenceDiagram\nand b\n", Syntax, "2:1: `and` outside of `par`", "expected a message"),
        ("sequenceDiagram\npar x\nA->>B: y\n", Syntax, "2:1: a block that does not end", "expected an `end` for it"),
        (
            "sequenceDiagram\n%% posetta 1\nparticipant a\n%% process \"A\"\nparticipant b\n%% process \"A\"\n",
            Syntax,
            "6:12: two participants are one process",
            "expected another name",
        ),
        ("sequenceDiagram\nend\n", Syntax, "2:1: an `end` without a block", "expected a message"),
        ("sequenceDiagram\nsequenceDiagram\n", Syntax, "2:1: a second diagram", "expected one in a file"),
        (
            "sequenceDiagram\nNote A\n",
            Syntax,
            "2:1: not a note of a sequence diagram",
            "expected `Note over A: text`, `Note left of A: text` or `Note right of A: text`",
        ),
        (
            "sequenceDiagram\n%% posetta 1\nA->>B: x\n",
            Syntax,
            "3:1: `x` does not name an event",
            "expected `event` and a number from 1",
        ),
        (
            "sequenceDiagram\n%% posetta 1\nA->>B: event 2\nNote over B: x\n",
            MissingEvent,
            "3:1: there is no event `A.2`",
            "process A has no events",
        ),
        (
            "sequenceDiagram\n%% posetta 1\nNote over B: x\n%% facts {\"x\":1}\n",
            Syntax,
            "4:15: unexpected field `x`",
            "expected name, id, time, set, initial or attrs",
        ),
    ];
    check_mistakes(parse, cases);
}

#[test]
fn a_run_is_drawn_for_people() {
    let source = "initial: x=0\nA: send x=1 -> @log\nB: recv y=2 -> z=\"a;b\"\nC:\nA.1 -> B.1\nA.1 -> B.2\n";
    let trace = text::read(source.as_bytes(), &Budget::unlimited()).unwrap();
    let mut out = Vec::new();
    write(&trace, &mut out, &Budget::unlimited()).unwrap();
    insta::assert_snapshot!(String::from_utf8(out).unwrap());
}

fn comes_back(trace: &Trace) -> Result<(), TestCaseError> {
    let Trip { written, lost, back } = round_trip(Format::Mermaid, trace, true)?;
    prop_assert_eq!(lost, Lost::default());
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
        read_mutated(Format::Mermaid, &sample.build(true), &edits);
    }

    #[test]
    fn no_diagram_of_its_signs_panics(source in "sequenceDiagram\n(A|B|->>|-x|<<->>|:|;|#|\n| |Note over |par|and|end|participant | as |@\\{|%%|é){0,30}") {
        let _ = parse(source.as_bytes());
    }
}
