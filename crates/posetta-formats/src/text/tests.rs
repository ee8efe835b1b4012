//! What the text format says, what it refuses and in which words, and that it says back what it was told.

use proptest::prelude::*;

use super::{read, write};
use crate::Format;
use crate::samples::{Trip, check_mistakes, edits, read_mutated, round_trip, sample};
use posetta_base::{Budget, Diagnostic, Error, Kind, Limit};
use posetta_trace::Trace;

fn parse(source: &[u8]) -> Result<Trace, Error> {
    read(source, &Budget::unlimited())
}

fn mistakes(source: &[u8]) -> Vec<Diagnostic> {
    match parse(source) {
        Err(Error::Invalid(diagnostics)) => diagnostics,
        other => panic!("expected mistakes in {:?}, got {other:?}", String::from_utf8_lossy(source)),
    }
}

/// The run as the writer says it.
fn rewrite(source: &str) -> String {
    let mut out = Vec::new();
    write(&parse(source.as_bytes()).unwrap(), &mut out, &Budget::unlimited()).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn the_grammar() {
    for (source, written) in [
        ("", ""),
        ("# nothing\n\n   \t\n", ""),
        ("P1:", "P1:\n"),
        ("\u{feff}P1: x=1\r\n", "P1: x=1\n"),
        ("P1: w=1 -> y=3\nP1:x=0", "P1: w=1 -> y=3 -> x=0\n"),
        ("P1: send w=0 , y=2->@log -> done # x=1", "P1: send w=0, y=2 -> @log -> @done\n"),
        ("a:x=1->y=2\nb:z=1\na.1->b.1", "a: x=1 -> y=2\nb: z=1\na.1 -> b.1\n"),
        ("a.1 -> b.1\nb: z=1\na: x=1", "a: x=1\nb: z=1\na.1 -> b.1\n"),
        ("a.b: x=1\nc: y=1\na.b.1 -> c.1", "a.b: x=1\nc: y=1\na.b.1 -> c.1\n"),
        ("\"a b\" : x=1\nc: y=1\n\"a b\".1 -> c.1", "\"a b\": x=1\nc: y=1\n\"a b\".1 -> c.1\n"),
        ("initial: x=0, y=\"a\"\ninitial: z=true\nP: x=1", "initial: x=0, y=\"a\", z=1\nP: x=1\n"),
        ("\"initial\": x=0", "\"initial\": x=0\n"),
        ("initial : x=0", "initial: x=0\n"),
        ("P: x=-1.50, y=2/4, z=-1/3", "P: x=-1.5, y=0.5, z=-1/3\n"),
        ("P: x=true, y=false, z=idle, é=\"a \\\"b\\\" # \\n\"", "P: x=1, y=0, z=\"idle\", é=\"a \\\"b\\\" # \\n\"\n"),
        ("P: x=a-b.c[0]->y=1", "P: x=\"a-b.c[0]\" -> y=1\n"),
        ("P: \"send it\" \"the x\"=1", "P: \"send it\" \"the x\"=1\n"),
        ("P: @\"\" -> \"\" x=1", "P: @\"\" -> x=1\n"),
        ("P: a--> b", "P: @a- -> @b\n"),
        ("1: 2=3", "1: 2=3\n"),
    ] {
        assert_eq!(rewrite(source), written, "{source}");
    }
    let trace = parse(b"P1: x=1\nP2: x=2").unwrap();
    assert!(trace.observed().is_none(), "the text format has no observed order");
}

#[test]
fn a_long_process_is_written_on_several_lines() {
    let source = format!("P: x=0{}", " -> x=1".repeat(100));
    let written = rewrite(&source);
    assert!(written.lines().count() > 5 && written.lines().all(|l| l.len() < 120 && l.starts_with("P: ")));
    assert_eq!(parse(written.as_bytes()).unwrap().len(), 101);
}

#[test]
fn every_mistake_has_its_place() {
    let cases = [
        (
            "P1 x=1\n",
            Kind::Syntax,
            "1:4: unexpected `x` in a process or an edge",
            "expected `:` after a process, or `->` in an edge",
        ),
        (
            "P1\n",
            Kind::Syntax,
            "1:3: the line ends inside a process or an edge",
            "expected `:` after a process, or `->` in an edge",
        ),
        ("é: x=\n", Kind::Syntax, "1:6: the line ends inside an assignment", VALUE),
        ("é: x=", Kind::Truncated, "1:6: the file ends inside an assignment; was it cut off?", VALUE),
        ("P: x=1 ->", Kind::Truncated, "1:10: the file ends inside an event; was it cut off?", "expected an event"),
        ("P: x=1 -> # later", Kind::Syntax, "1:11: the line ends inside an event", "expected an event"),
        ("P: x=\"ab", Kind::Truncated, "1:9: the file ends inside a string; was it cut off?", "expected `\"`"),
        ("P: x=\"ab\n", Kind::Syntax, "1:9: the line ends inside a string", "expected `\"`"),
        ("P: x=1; y=2\n", Kind::Syntax, "1:7: unexpected `;` in an event", "expected `,`, `->` or the end of the line"),
        ("P: x=1 y=2\n", Kind::Syntax, "1:8: unexpected `y` in an event", "expected `,`, `->` or the end of the line"),
        ("P: -> x=1\n", Kind::Syntax, "1:4: unexpected `->` in an event", "expected an event"),
        (
            "P: send, x=1\n",
            Kind::Syntax,
            "1:8: unexpected `,` in an event",
            "expected `=`, a variable, `->` or the end of the line",
        ),
        ("P: @log x=1\n", Kind::Syntax, "1:9: unexpected `x` in an event", "expected `->` or the end of the line"),
        ("P: x=_a\n", Kind::Syntax, "1:6: `_a` is not a value", VALUE),
        ("P: x=1e5\n", Kind::Syntax, "1:6: `1e5` is not a number", NUMBER),
        ("P: x=1.5/2\n", Kind::Syntax, "1:6: `1.5/2` is not a number", NUMBER),
        ("P: x=1/\n", Kind::Syntax, "1:6: `1/` is not a number", NUMBER),
        ("P: x=1/0\n", Kind::Syntax, "1:6: a fraction of 0", "expected a number other than 0 after `/`"),
        (
            "P: x=1, x=2\n",
            Kind::AssignedTwice,
            "1:9: the variable `x` is assigned twice",
            "expected one value for each variable of an event",
        ),
        (
            "initial: x=1\ninitial: y=1, x=2\n",
            Kind::AssignedTwice,
            "2:15: the variable `x` is declared twice",
            "expected one first value for each variable",
        ),
        (
            "initial: x=1 -> y=2\n",
            Kind::Syntax,
            "1:14: unexpected `->` in a list of first values",
            "expected `,` or the end of the line",
        ),
        (
            "P: x=1\nP -> P.1\n",
            Kind::Syntax,
            "2:1: `P` does not name an event",
            "expected a process, a dot and a number",
        ),
        (
            "P: x=1\nP.0 -> P.1\n",
            Kind::Syntax,
            "2:1: `P.0` does not name an event",
            "expected a process, a dot and a number",
        ),
        (
            "P: x=1\nP.1 -> \"P.1\"\n",
            Kind::Syntax,
            "2:8: `\"P.1\"` does not name an event",
            "expected a process, a dot and a number",
        ),
        (
            "P: x=1\nP.1 -> P.1 -> P.1\n",
            Kind::Syntax,
            "2:12: unexpected `->` in an edge",
            "expected the end of the line",
        ),
        (
            "P: x=1\nQ: y=1\n P.1 -> Q.2\n",
            Kind::MissingEvent,
            "3:9: there is no event `Q.2`",
            "process Q has one event",
        ),
        ("P: x=1\nR.1 -> P.1\n", Kind::MissingEvent, "2:1: there is no event `R.1`", "process R has no events"),
        (
            "P: x=1\nP.99999999999 -> P.1\n",
            Kind::MissingEvent,
            "2:1: there is no event `P.99999999999`",
            "no process has that many events",
        ),
        ("\"\": x=1\n", Kind::Syntax, "1:1: a process without a name", "expected a name"),
        (
            "{\"process\": \"P\"}\n",
            Kind::Syntax,
            "1:1: unexpected `{` in a line",
            "expected a process, `initial:` or an edge",
        ),
        (
            "P: x=1 -> y=1\nQ: z=1\nP.2 -> Q.1\nQ.1 -> P.1\n",
            Kind::Cycle,
            "1:1: happened-before has a cycle",
            "P.2 (line 1) -> Q.1 (line 2) -> P.1 (line 1) -> P.2",
        ),
    ];
    check_mistakes(parse, &cases);
    // What is found while reading shows its line.
    let place = mistakes("P: x=1\nQ: é=;\n".as_bytes()).remove(0).place.unwrap();
    assert_eq!((place.line, place.column, place.text.as_deref()), (2, 6, Some("Q: é=;")));
}

const VALUE: &str = "expected a value: a number, true, false, a word or a string in quotes";
const NUMBER: &str = "expected digits, with `.` or `/` and digits behind them if need be";

#[test]
fn bytes_that_are_not_text() {
    let found = mistakes(b"P: x=1\nQ\xc3\xa9: x=\"\xff\"\n");
    assert_eq!((found[0].kind, found[0].to_string().as_str()), (Kind::Encoding, "2:8: byte 0xff is not UTF-8"));
    let found = mistakes(b"P: x=\"\xc3");
    assert_eq!(found[0].kind, Kind::Truncated);
    assert_eq!(found[0].to_string(), "1:7: the file ends inside a character; was it cut off?");
    let found = mistakes(b"\xff\xfeP\0");
    assert_eq!(found[0].help.as_deref(), Some("this is UTF-16: convert the file to UTF-8"));
}

#[test]
fn numbers_have_an_end() {
    let long = format!("P: x=1, y={}\n", "9".repeat(20_000));
    let found = mistakes(long.as_bytes());
    assert_eq!(found[0].kind, Kind::Digits);
    assert_eq!(found[0].to_string(), "1:11: a number with more than 10,000 digits");
}

#[test]
fn mistakes_are_gathered_up_to_a_point() {
    let found = mistakes(b"P: x=\nQ: y=1, y=2\nP.7 -> Q.1\nR\n");
    let lines: Vec<u64> = found.iter().map(|d| d.place.as_ref().unwrap().line).collect();
    assert_eq!(lines, [1, 2, 4], "a reference to an event that was lost is not a mistake of its own");
    let found = mistakes(b"P: x=1, x=2\nP.7 -> Q.1\n");
    assert_eq!(found.len(), 3, "{found:?}");
    assert_eq!(mistakes("P: x=\n".repeat(100).as_bytes()).len(), 20);
    assert_eq!(mistakes(format!("é: {}x=1\n", "x=1,".repeat(100_000)).as_bytes()).len(), 20);
    assert_eq!(mistakes(format!("P: x=1\n{}", "P.2 -> P.1\n".repeat(100)).as_bytes()).len(), 20);
}

#[test]
fn a_budget_is_kept() {
    let source = "P: x=1 -> y=2\n".repeat(5000);
    let Err(Error::OverBudget(over)) = read(source.as_bytes(), &Budget::with_memory(10_000)) else {
        panic!("expected the memory limit")
    };
    assert_eq!((over.limit, over.what), (Limit::Memory, "reading the run"));
    let budget = Budget::unlimited();
    budget.stop_handle().raise(Limit::Time);
    assert!(matches!(read(source.as_bytes(), &budget), Err(Error::OverBudget(_))));
    let endless = "x".repeat(1 << 20);
    let reader = std::io::BufReader::new(endless.as_bytes());
    assert!(matches!(read(reader, &Budget::with_memory(10_000)), Err(Error::OverBudget(_))));
}

#[test]
fn an_input_that_fails_is_reported() {
    struct Broken;
    impl std::io::Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("the disk is gone"))
        }
    }
    use std::io::Read;
    let reader = std::io::BufReader::new("P: x=1\nQ: x=".as_bytes().chain(Broken));
    let Err(Error::Invalid(found)) = read(reader, &Budget::unlimited()) else { panic!("expected a mistake") };
    assert_eq!(found[0].kind, Kind::Input);
    assert_eq!(found[0].to_string(), "2:1: the input could not be read: the disk is gone");
}

fn comes_back(trace: &Trace) -> Result<(), TestCaseError> {
    let Trip { lost, .. } = round_trip(Format::Text, trace, false)?;
    let attributes: usize = trace.events().map(|e| trace.attributes(e).count()).sum();
    prop_assert_eq!(lost.attributes, attributes);
    prop_assert_eq!(lost.ids, trace.events().filter(|&e| trace.own_id(e).is_some()).count());
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
    }

    #[test]
    fn no_mutation_panics(sample in sample(true), edits in edits()) {
        read_mutated(Format::Text, &sample.build(true), &edits);
    }

    #[test]
    fn no_line_of_its_signs_panics(source in "[PQx1.,:=@#\"/> \\-\\[\\\\\n]{0,40}") {
        let _ = parse(source.as_bytes());
    }
}
