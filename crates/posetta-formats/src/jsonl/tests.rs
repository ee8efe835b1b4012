//! What JSON lines say, what is refused and in which words, and that a run comes back as it was written.

use proptest::prelude::*;

use super::{read, read_run, write};
use crate::Format;
use crate::samples::{check_mistakes, describe, edits, read_mutated, round_trip, sample};
use crate::{Run, WriteError, text};
use posetta_base::{Budget, Diagnostic, Error, Kind, Limit, Value};
use posetta_trace::{Missing, Reason, Trace};

fn parse(source: &[u8]) -> Result<Trace, Error> {
    read(source, &Budget::unlimited())
}

fn mistakes(source: &[u8]) -> Vec<Diagnostic> {
    match parse(source) {
        Err(Error::Invalid(diagnostics)) => diagnostics,
        other => panic!("expected mistakes in {:?}, got {other:?}", String::from_utf8_lossy(source)),
    }
}

fn written(trace: &Trace) -> String {
    let mut out = Vec::new();
    write(trace, &mut out, &Budget::unlimited()).unwrap();
    String::from_utf8(out).unwrap()
}

/// The run as the writer says it.
fn rewrite(source: &str) -> String {
    match parse(source.as_bytes()) {
        Ok(trace) => written(&trace),
        Err(failure) => panic!("{source}: {failure}"),
    }
}

const P: &str = "{\"process\":\"P\"}\n";

#[test]
fn event_records() {
    for (source, expected) in [
        ("", "{\"posetta\":1}\n"),
        ("\n  \n", "{\"posetta\":1}\n"),
        ("{\"posetta\":1}\n", "{\"posetta\":1}\n"),
        ("\u{feff}{\"posetta\":1,\"initial\":{}}\n", "{\"posetta\":1}\n"),
        (
            "{\"posetta\": 1, \"initial\": {\"x\": 0, \"y\": \"\\u00e9\", \"z\": true}}\r\n{\"process\": \"P\"}",
            "{\"posetta\":1,\"initial\":{\"x\":0,\"y\":\"é\",\"z\":1}}\n{\"process\":\"P\"}\n",
        ),
        (
            "{\"process\":\"P\",\"set\":{\"w\":1,\"v\":-1.50e1,\"u\":\"a\\\"b\",\"t\":false}}",
            "{\"process\":\"P\",\"set\":{\"w\":1,\"v\":-15,\"u\":\"a\\\"b\",\"t\":0}}\n",
        ),
        // Fields in any order, `after` before the event it names, a single id, an escaped key.
        (
            "{\"set\":{\"y\":3},\"after\":\"m1\",\"pro\\u0063ess\":\"P\",\"name\":\"recv\"}\n\
             {\"process\":\"Q\",\"id\":\"m1\",\"time\":12.5,\"attrs\":{\"req\":\"42\",\"n\":[1, {}]},\"host\":null}",
            "{\"process\":\"Q\",\"id\":\"m1\",\"time\":12.5,\"attrs\":{\"req\":\"42\",\"n\":[1, {}],\"host\":null}}\n\
             {\"process\":\"P\",\"name\":\"recv\",\"set\":{\"y\":3},\"after\":[\"m1\"]}\n",
        ),
        // Joined files: headers anywhere, as long as they agree.
        (
            "{\"process\":\"P\",\"set\":{\"x\":1}}\n{\"posetta\":1,\"initial\":{\"x\":2}}\n{\"posetta\":1}\n\
             {\"process\":\"Q\",\"after\":[\"P.1\"]}\n{\"posetta\":1,\"initial\":{\"y\":true,\"x\":2.0}}\n",
            "{\"posetta\":1,\"initial\":{\"x\":2,\"y\":1}}\n{\"process\":\"P\",\"set\":{\"x\":1}}\n\
             {\"process\":\"Q\",\"after\":[\"P.1\"]}\n",
        ),
        // A clock is an edge from each event that is new to it.
        (
            "{\"process\":\"P\"}\n{\"process\":\"P\"}\n{\"process\":\"Q\",\"clock\":{\"Q\":1,\"P\":2,\"R\":0}}",
            "{\"process\":\"P\"}\n{\"process\":\"P\"}\n{\"process\":\"Q\",\"after\":[\"P.2\"]}\n",
        ),
        ("{\"process\":\"P\",\"name\":\"\",\"after\":[],\"set\":{}}", "{\"process\":\"P\"}\n"),
        // Declared processes exist without events; headers may repeat them in any order.
        (
            "{\"posetta\":1,\"processes\":[\"Q\",\"P\"]}\n{\"process\":\"P\"}\n\
             {\"posetta\":1,\"initial\":{\"x\":1},\"processes\":[\"P\",\"Q\"]}\n",
            "{\"posetta\":1,\"processes\":[\"Q\",\"P\"],\"initial\":{\"x\":1}}\n{\"process\":\"P\"}\n",
        ),
        // What a heartbeat says is said of the next event, wherever in the line the field stands.
        (
            "{\"process\":\"P\"}\n{\"after\":[\"P.1\"],\"process\":\"Q\",\"time\":3,\"host\":1,\"heartbeat\":true}\n\
             {\"process\":\"Q\",\"set\":{\"x\":1}}\n{\"process\":\"Q\",\"clock\":{\"Q\":1,\"P\":1},\"ends\":true}\n",
            "{\"process\":\"P\"}\n{\"process\":\"Q\",\"set\":{\"x\":1},\"after\":[\"P.1\"]}\n",
        ),
        // A clock after a heartbeat's clock counts anew.
        (
            "{\"process\":\"P\"}\n{\"process\":\"Q\",\"heartbeat\":true,\"clock\":{\"P\":1}}\n\
             {\"process\":\"Q\",\"clock\":{\"P\":1,\"Q\":1}}\n",
            "{\"process\":\"P\"}\n{\"process\":\"Q\",\"after\":[\"P.1\"]}\n",
        ),
        // As an attribute and as a variable the words mean nothing.
        (
            "{\"process\":\"P\",\"attrs\":{\"heartbeat\":false}}\n",
            "{\"process\":\"P\",\"attrs\":{\"heartbeat\":false}}\n",
        ),
        // In a line that has a `process`, `posetta` is an unknown field.
        ("{\"posetta\":2,\"process\":\"P\"}", "{\"process\":\"P\",\"attrs\":{\"posetta\":2}}\n"),
    ] {
        assert_eq!(rewrite(source), expected, "{source}");
        assert_eq!(rewrite(expected), expected);
    }
}

#[test]
fn state_records() {
    let source = "{\"x\":0,\"list\":[]}\n{\"x\":1,\"set\":\"a\",\"name\":\"b\",\"n\":null,\"o\":{\"a\":1}}\n{}\n";
    let Run { trace, warnings, .. } = read_run(source.as_bytes(), true, &Budget::unlimited()).unwrap();
    let warned: Vec<String> = warnings.iter().map(Diagnostic::to_string).collect();
    assert_eq!(warned, ["1:1: `list` (array, once), `n` (null, once), `o` (object, once) are ignored"]);
    assert!(trace.has_state_records() && trace.observed().is_some());
    assert_eq!((trace.len(), trace.process_count()), (2, 1));
    let x = trace.find_variable("x").unwrap();
    assert!(trace.is_declared(x));
    assert_eq!(trace.value(trace.initial(x)), &Value::Number(0.into()));
    let first = trace.find_event("state.1").unwrap();
    assert_eq!(trace.assignments(first).len(), 3);
    assert_eq!(trace.attributes(first).collect::<Vec<_>>(), [("n", "null"), ("o", "{\"a\":1}")]);
    // A header says that they are states, whatever they look like.
    let rest = "{\"x\":1,\"set\":\"a\",\"name\":\"b\",\"n\":null,\"o\":{\"a\":1}}\n{}\n";
    assert_eq!(written(&trace), format!("{{\"posetta\":1}}\n{{\"x\":0}}\n{rest}"));
    assert_eq!(rewrite(&written(&trace)), written(&trace));
    let plain = "{\"x\":0}\n{\"x\":1,\"set\":\"a\",\"name\":\"b\",\"n\":null}\n{}\n";
    assert_eq!(rewrite(plain), plain);
    assert_eq!(rewrite("{\"posetta\":1}\n{}\n"), "{\"posetta\":1}\n{}\n");
}

/// What others log is not a state without a word.
#[test]
fn events_of_others_are_not_states() {
    for (source, message) in [
        (
            "{\"x\":1}\n{\"node\":1,\"x\":2}\n",
            "2:2: a record without `process`, but `node` looks like the process of an event",
        ),
        ("{\"Host\":\"a\"}\n", "1:2: a record without `process`, but `Host` looks like the process of an event"),
        ("{\"trace_id\":\"a\"}\n", "1:2: a record without `process`, but `trace_id` looks like the id of a span"),
        ("{\"x\":1,\"msg_id\":7}\n", "1:8: a record without `process`, but `msg_id` looks like the id of a message"),
        (
            "{\"VectorClock\":{\"a\":3,\"b\":2},\"TracerIdentity\":\"a\"}\n",
            "1:2: a record without `process`, but `VectorClock` looks like a vector clock",
        ),
        ("{\"x\":{\"a\":3}}\n", "1:2: a record without `process`, but `x` looks like a vector clock"),
        ("{\"x\":\"{\\\"a\\\":3}\"}\n", "1:2: a record without `process`, but `x` looks like a vector clock"),
        (
            "{\"ts\":1,\"event\":{\"name\":\"x\",\"nid\":\"1\"}}\n",
            "1:9: a record without `process`, but `event.nid` looks like the process of an event",
        ),
        ("{\"x\":1}\n{\"l\":[1]}\n{\"l\":[1]}\n", "2:2: a record without `process`, whose field `l` is an array"),
        ("{\"l\":{\"a\":\"b\"}}\n", "1:2: a record without `process`, whose field `l` is an object"),
        // The value decides where the name does not.
        ("{\"vc\":1}\n{\"vc\":\"a\"}\n", "2:2: a record without `process`, but `vc` looks like a vector clock"),
        (
            "{\"pid\":0.5}\n{\"pid\":17}\n",
            "2:2: a record without `process`, but `pid` looks like the process of an event",
        ),
        (
            "{\"x\":\"\"}\n{\"x\":\"{\\\"a\\\":3}\"}\n",
            "2:2: a record without `process`, but `x` looks like a vector clock",
        ),
        (
            "{\"clock\":\"12:30\"}\n{\"clock\":\"n1:1,n2:3\"}\n",
            "2:2: a record without `process`, but `clock` looks like a vector clock",
        ),
        (
            "{\"src\":1}\n{\"dst\":1}\n{\"x\":1,\"src\":1,\"dst\":2}\n",
            "3:16: a record without `process`, but `dst` looks like one end of a message",
        ),
    ] {
        let Err(Error::Invalid(mistakes)) = parse(source.as_bytes()) else { panic!("{source}") };
        let told: Vec<String> = mistakes.iter().map(Diagnostic::to_string).collect();
        assert_eq!(told, [message], "{source}");
        assert_eq!(mistakes[0].kind, Kind::Format);
        assert!(mistakes[0].help.as_ref().is_some_and(|help| help.contains("--from states")), "{source}");
        // Whoever says that it is a sequence of states, by a flag or by a header, is believed.
        let said = read_run(source.as_bytes(), true, &Budget::unlimited());
        let has_variables = !matches!(source, "{\"x\":{\"a\":3}}\n" | "{\"l\":{\"a\":\"b\"}}\n");
        assert_eq!(said.is_ok(), has_variables, "{source}");
        let with_header = format!("{{\"posetta\":1}}\n{source}");
        assert_eq!(parse(with_header.as_bytes()).is_ok(), has_variables, "{source}");
    }
}

/// States without a variable say nothing, however they are read.
#[test]
fn states_have_variables() {
    use crate::records::{RecordBuffer, Records as _};
    for (source, fine) in [
        ("{}\n{}\n", false),
        ("{\"x\":null}\n", false),
        ("{\"posetta\":1}\n{\"o\":{}}\n", false),
        ("{\"posetta\":1}\n{}\n{\"l\":[1]}\n", false),
        ("{\"posetta\":1}\n{}\n{}\n", true),
        ("{}\n{\"x\":1}\n", true),
        ("{\"posetta\":1}\n", true),
    ] {
        let budget = Budget::unlimited();
        let mut feed = posetta_trace::Feed::new();
        let go_on = |_: posetta_trace::Heard<'_>, _: &posetta_trace::Feed| Ok(std::ops::ControlFlow::Continue(()));
        let followed = super::follow(source.as_bytes(), false, &mut feed, &budget, go_on);
        let mut stream = super::Stream::new(source.as_bytes(), false, &budget);
        let mut buffer = RecordBuffer::all(None);
        while stream.next(&mut buffer).unwrap() {}
        let streamed = stream.finish().map_err(Error::from);
        for failure in [parse(source.as_bytes()).err(), followed.err(), streamed.err()] {
            assert_eq!(failure.is_none(), fine, "{source}");
            let Some(Error::Invalid(mistakes)) = failure else { continue };
            assert_eq!((mistakes.len(), mistakes[0].kind), (1, Kind::Format), "{source}");
        }
    }
}

/// What would order events under another name is told once.
#[test]
fn attributes_that_look_like_something_else() {
    const CLOCK: &str = "looks like a vector clock, and is kept as an attribute only";
    const CAUSES: &str = "looks like causes, and is kept as an attribute only";
    for (fields, warned) in [
        ("\"vector_clock\":{\"A\":1},\"labels\":{\"n\":1}", vec![format!("1:16: `vector_clock` {CLOCK}")]),
        ("\"vc\":[1,0]", vec![format!("1:16: `vc` {CLOCK}")]),
        ("\"VectorClock\":\"map[a:1 b:2]\"", vec![format!("1:16: `VectorClock` {CLOCK}")]),
        ("\"attrs\":{\"vector\":\"{\\\"a\\\":1}\"}", vec![format!("1:25: `vector` {CLOCK}")]),
        ("\"parent\":\"e1\"", vec![format!("1:16: `parent` {CAUSES}")]),
        ("\"attrs\":{\"causes\":[\"e1\",\"e2\"]}", vec![format!("1:25: `causes` {CAUSES}")]),
        ("\"After\":[\"e1\"]", vec![format!("1:16: `After` {CAUSES}")]),
        ("\"Clock\":{\"A\":1}", vec![format!("1:16: `Clock` {CLOCK}")]),
        (
            "\"Process\":\"B\"",
            vec!["1:16: `Process` looks like `process`, and is kept as an attribute only".to_owned()],
        ),
        ("\"st\":{\"x\":1}", vec!["1:16: `st` looks like `set`, and is kept as an attribute only".to_owned()]),
        ("\"aftre\":[\"e1\"]", vec!["1:16: `aftre` looks like `after`, and is kept as an attribute only".to_owned()]),
        ("\"sent\":{\"x\":1},\"st\":1,\"lock\":{\"A\":1},\"attrs\":{\"sett\":{}}", Vec::new()),
        ("\"wall_clock\":\"12:30\",\"parent\":3,\"deps\":[],\"attrs\":{\"Name\":\"x\"}", Vec::new()),
    ] {
        let source = format!("{{\"process\":\"A\",{fields}}}\n").repeat(2);
        let warnings = read_run(source.as_bytes(), false, &Budget::unlimited()).unwrap().warnings;
        assert_eq!(warnings.iter().map(Diagnostic::to_string).collect::<Vec<_>>(), warned, "{source}");
    }
    // A clock that is empty at first hides no later one, and names without end are not all kept.
    let mut source = "{\"process\":\"A\",\"vc\":{}}\n".to_owned();
    (0..1500).for_each(|i| source.push_str(&format!("{{\"process\":\"A\",\"f{i}\":{{\"a\":1}}}}\n")));
    source.push_str("{\"process\":\"A\",\"vc\":{\"A\":1502}}\n");
    let warnings = read_run(source.as_bytes(), false, &Budget::unlimited()).unwrap().warnings;
    assert_eq!(warnings.iter().map(Diagnostic::to_string).collect::<Vec<_>>(), [format!("1502:16: `vc` {CLOCK}")]);
}

#[test]
fn every_mistake_has_its_place() {
    let cases = [
        ("[1]\n", Kind::Syntax, "1:1: unexpected `[` in a file of JSON lines", "expected `{`"),
        ("# x\n", Kind::Syntax, "1:1: unexpected `#` in a file of JSON lines", "expected `{`"),
        ("{\n", Kind::Format, "1:2: a JSON document over several lines", "expected the whole object on this line"),
        ("{\"x\":1\n", Kind::Syntax, "1:7: the line ends inside an object", "expected `,` or `}`"),
        (
            "{\"process\":\"P\"",
            Kind::Truncated,
            "1:15: the file ends inside an object; was it cut off?",
            "expected `,` or `}`",
        ),
        ("{\"process\":\"P", Kind::Truncated, "1:14: the file ends inside a string; was it cut off?", "expected `\"`"),
        (
            "{\"process\":\"P\",\"x\":tr",
            Kind::Truncated,
            "1:22: the file ends inside a value; was it cut off?",
            "expected `true`",
        ),
        (
            "{\"process\":\"P\",\"set\":{\"x\":-",
            Kind::Truncated,
            "1:28: the file ends inside a number; was it cut off?",
            "expected a digit",
        ),
        (
            "{\"process\":\"P\",\"after\":[\"Q.1\",",
            Kind::Truncated,
            "1:31: the file ends inside an array; was it cut off?",
            "expected an id in double quotes",
        ),
        ("{\"process\":\"é\" \"set\":1}\n", Kind::Syntax, "1:16: unexpected `\"` in an object", "expected `,` or `}`"),
        ("{\"process\":\"P\"} x\n", Kind::Syntax, "1:17: text after the record", "expected the end of the line"),
        ("{\"process\":3}\n", Kind::Syntax, "1:12: unexpected number", "expected a string: the name of the process"),
        ("{\"process\":\"\"}\n", Kind::Syntax, "1:12: a process without a name", "expected a name"),
        (
            "{\"process\":\"P\",\"id\":null}\n",
            Kind::Syntax,
            "1:21: unexpected null",
            "expected a string: the id of the event",
        ),
        (
            "{\"process\":\"P\",\"time\":\"now\"}\n",
            Kind::Syntax,
            "1:23: unexpected string",
            "expected a number: the time of the event",
        ),
        (
            "{\"process\":\"P\",\"set\":[1]}\n",
            Kind::Syntax,
            "1:22: unexpected array",
            "expected an object of variables and their values",
        ),
        (
            "{\"process\":\"P\",\"set\":{\"x\":null}}\n",
            Kind::Syntax,
            "1:27: unexpected null",
            "expected a number, a string, true or false",
        ),
        (
            "{\"process\":\"P\",\"set\":{\"x\":[1]}}\n",
            Kind::Syntax,
            "1:27: unexpected array",
            "expected a number, a string, true or false",
        ),
        (
            "{\"process\":\"P\",\"set\":{\"x\":True}}\n",
            Kind::Syntax,
            "1:27: unexpected `True` in an object",
            "expected a number, a string, true or false",
        ),
        (
            "{\"process\":\"P\",\"after\":[1]}\n",
            Kind::Syntax,
            "1:25: unexpected `1` in an array",
            "expected an id in double quotes",
        ),
        ("{\"process\":\"P\",\"after\":1}\n", Kind::Syntax, "1:24: unexpected number", "expected an array of ids"),
        (
            "{\"process\":\"P\",\"clock\":{\"P\":1.5}}\n",
            Kind::Syntax,
            "1:29: unexpected number",
            "expected how many events of the process: 0, 1, 2 …",
        ),
        (
            "{\"process\":\"P\",\"clock\":{\"P\":1,\"P\":1}}\n",
            Kind::Syntax,
            "1:31: two entries for `P` in one clock",
            "expected each process once",
        ),
        (
            "{\"process\":\"P\",\"attrs\":1}\n",
            Kind::Syntax,
            "1:24: unexpected number",
            "expected an object of further facts",
        ),
        (
            "{\"process\":\"P\",\"name\":\"a\",\"name\":\"b\"}\n",
            Kind::Syntax,
            "1:27: two fields `name`",
            "expected each field once",
        ),
        (
            "{\"process\":\"P\",\"process\":\"Q\"}\n",
            Kind::Syntax,
            "1:16: two fields `process`",
            "expected each field once",
        ),
        (
            "{\"process\":\"P\",\"set\":{\"x\":1,\"y\":2,\"x\":1}}\n",
            Kind::AssignedTwice,
            "1:35: the variable `x` is assigned twice",
            "expected one value for each variable of a record",
        ),
        (
            "{\"posetta\":1,\"initial\":{\"x\":1,\"x\":1}}\n",
            Kind::AssignedTwice,
            "1:31: the variable `x` is declared twice",
            "expected one value for each variable of a record",
        ),
        (
            "{\"x\":1,\"x\":2}\n",
            Kind::AssignedTwice,
            "1:8: the variable `x` is assigned twice",
            "expected one value for each variable of a record",
        ),
        (
            "{\"posetta\":2}\n",
            Kind::Unsupported,
            "1:12: version 2 of the format",
            "expected 1, the only version that this program knows",
        ),
        (
            "{\"posetta\":1,\"initial\":3}\n",
            Kind::Syntax,
            "1:24: unexpected number",
            "expected an object of variables and their first values",
        ),
        (
            "{\"posetta\":1,\"init\":{}}\n",
            Kind::Syntax,
            "1:14: a header with a field `init`",
            "expected only `posetta`, `processes`, `groups`, `initial` and `incomplete`",
        ),
        (
            "{\"posetta\":1}\n{\"x\":1}\n{\"posetta\":1}\n{\"x\":2}\n",
            Kind::Syntax,
            "3:2: a header between state records",
            "expected a state",
        ),
        (
            "{\"posetta\":1,\"initial\":{\"x\":0}}\n{\"process\":\"P\"}\n{\"posetta\":1,\"initial\":{\"y\":0,\"x\":\"0\"}}\n",
            Kind::AssignedTwice,
            "3:31: two headers declare different values of `x`",
            "line 1 declares another value",
        ),
        (
            "{\"x\":1,\"set\":{\"y\":1}}\n",
            Kind::Syntax,
            "1:8: an event without its `process`",
            "expected a field `process` beside `set`",
        ),
        (
            "{\"after\":[\"m\"]}\n",
            Kind::Syntax,
            "1:2: an event without its `process`",
            "expected a field `process` beside `after`",
        ),
        (
            "{\"process\":\"P\"}\n {\"x\":1}\n{\"x\":1}\n",
            Kind::Mixed,
            "2:2: a state record in a file of event records",
            "this line has no `process`, unlike line 1",
        ),
        (
            "{\"x\":1}\n{\"process\":\"P\"}\n",
            Kind::Mixed,
            "2:1: an event record in a file of state records",
            "this line has a `process`, unlike line 1",
        ),
        (
            "{\"posetta\":1,\"initial\":{}}\n{\"x\":1}\n",
            Kind::Mixed,
            "2:1: a state record after a header that declares values",
            "line 1 declares values, and so does the first record of a file of states",
        ),
        (
            "{\"posetta\":1,\"processes\":\"A\"}\n",
            Kind::Syntax,
            "1:26: unexpected string",
            "expected an array of the names of all processes",
        ),
        (
            "{\"posetta\":1,\"processes\":[\"A\",1]}\n",
            Kind::Syntax,
            "1:31: unexpected `1` in an array",
            "expected the name of a process in double quotes",
        ),
        (
            "{\"posetta\":1,\"processes\":[\"A\",\"\"]}\n",
            Kind::Syntax,
            "1:31: a process without a name",
            "expected a name",
        ),
        (
            "{\"posetta\":1,\"processes\":[\"A\",\"A\"]}\n",
            Kind::Process,
            "1:32: the process `A` is declared twice",
            "expected each process once",
        ),
        (
            "{\"posetta\":1,\"processes\":[\"server\"]}\n{\"process\":\"sevrer\"}\n",
            Kind::Process,
            "2:13: the process `sevrer` is not declared",
            "did you mean `server`?",
        ),
        (
            "{\"posetta\":1,\"processes\":[\"A\"]}\n{\"process\":\"A\",\"clock\":{\"A\":1,\"client\":2}}\n",
            Kind::Process,
            "2:32: the process `client` is not declared",
            "expected a process that the header declares",
        ),
        (
            "{\"posetta\":1,\"processes\":[\"A\"]}\n{\"process\":\"Hub\",\"heartbeat\":true}\n",
            Kind::Process,
            "2:13: the process `Hub` is not declared",
            "expected a process that the header declares",
        ),
        (
            "{\"posetta\":1,\"processes\":[\"A\"]}\n{\"posetta\":1,\"processes\":[\"A\",\"B\"]}\n",
            Kind::Process,
            "2:32: two headers declare different processes: `B`",
            "line 1 does not declare it",
        ),
        (
            "{\"posetta\":1,\"processes\":[\"A\",\"B\"]}\n{\"posetta\":1,\"processes\":[\"B\"]}\n",
            Kind::Process,
            "2:14: two headers declare different processes: `A`",
            "line 1 declares it, and this one does not",
        ),
        (
            "{\"process\":\"A\"}\n{\"posetta\":1,\"processes\":[\"A\"]}\n",
            Kind::Process,
            "2:14: processes are declared after the first record",
            "expected them before line 1",
        ),
        (
            "{\"posetta\":1,\"processes\":[\"A\"]}\n{\"x\":1}\n",
            Kind::Mixed,
            "2:1: a state record after a header that declares processes",
            "line 1 declares processes, and this line has none",
        ),
        ("{\"process\":\"A\",\"heartbeat\":false}\n", Kind::Syntax, "1:28: unexpected boolean", "expected true"),
        ("{\"process\":\"A\",\"ends\":1}\n", Kind::Syntax, "1:23: unexpected number", "expected true"),
        (
            "{\"process\":\"A\",\"set\":{\"x\":1},\"heartbeat\":true}\n",
            Kind::Syntax,
            "1:30: `heartbeat` beside `set`",
            "a sign of life is not an event: it has no id, no name, and assigns nothing",
        ),
        (
            "{\"process\":\"A\",\"ends\":true,\"id\":\"a\"}\n",
            Kind::Syntax,
            "1:16: `ends` beside `id`",
            "a sign of life is not an event: it has no id, no name, and assigns nothing",
        ),
        (
            "{\"process\":\"A\",\"ends\":true}\n{\"process\":\"A\",\"heartbeat\":true}\n",
            Kind::Process,
            "2:13: a record of `A`, which has ended",
            "line 1 says that it has no more events",
        ),
        (
            "{\"process\":\"A\",\"heartbeat\":true,\"after\":[\"zz\"]}\n",
            Kind::MissingEvent,
            "1:43: there is no event `zz`",
            "no event has that id",
        ),
        (
            "{\"process\":\"A\",\"heartbeat\":true,\"clock\":{\"B\":2}}\n{\"process\":\"B\"}\n",
            Kind::MissingEvent,
            "1:41: there is no event `B.2`",
            "this clock knows of it, but process B has one event",
        ),
        (
            "{\"process\":\"A\",\"heartbeat\":true,\"clock\":{\"A\":2}}\n{\"process\":\"A\"}\n",
            Kind::Clock,
            "1:41: the clock of a heartbeat of `A` disagrees with the order of events",
            "its own entry says 2, but A has no events before it",
        ),
        (
            "{\"process\":\"B\"}\n{\"process\":\"B\"}\n\
             {\"process\":\"A\",\"ends\":true,\"clock\":{\"B\":1},\"after\":[\"B.2\"]}\n",
            Kind::Clock,
            "3:36: the clock of a heartbeat of `A` disagrees with the order of events",
            "it says 1 for B, but 2 events of B happened before it",
        ),
        (
            "{\"process\":\"A\"}\n{\"process\":\"A\",\"heartbeat\":true,\"after\":\"A.2\"}\n{\"process\":\"A\"}\n",
            Kind::Cycle,
            "3:1: happened-before has a cycle",
            "A.2 (line 3) -> A.2",
        ),
        (
            "{\"process\":\"é\",\"after\":[\"m9\"]}\n",
            Kind::MissingEvent,
            "1:26: there is no event `m9`",
            "no event has that id",
        ),
        (
            "{\"process\":\"P\",\"after\":[\"Q.1\"]}\n",
            Kind::MissingEvent,
            "1:26: there is no event `Q.1`",
            "there is no process Q",
        ),
        (
            "{\"process\":\"P\",\"after\":[\"P.2\"]}\n",
            Kind::MissingEvent,
            "1:26: there is no event `P.2`",
            "process P has one event",
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
            "{\"process\":\"P\",\"after\":[\"Q.1\"]}\n{\"process\":\"Q\",\"after\":[\"P.1\"]}\n",
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
    ];
    check_mistakes(parse, &cases);
    // What is found while reading shows its line.
    let found = mistakes(format!("{P}{{\"process\":\"P\",\"é\":x}}\n").as_bytes());
    let place = found[0].place.as_ref().unwrap();
    assert_eq!((place.line, place.column, place.text.as_deref()), (2, 20, Some("{\"process\":\"P\",\"é\":x}")));
}

#[test]
fn bytes_that_are_not_text() {
    let found = mistakes(b"{\"process\":\"P\"}\n{\"process\":\"\xc3\xa9\xff\"}\n");
    assert_eq!((found[0].kind, found[0].to_string().as_str()), (Kind::Encoding, "2:14: byte 0xff is not UTF-8"));
    let found = mistakes(b"{\"process\":\"\xc3");
    assert_eq!(found[0].to_string(), "1:13: the file ends inside a character; was it cut off?");
}

#[test]
fn depth_and_digits_have_an_end() {
    for (value, kind, message) in [
        ("[".repeat(1_000_000), Kind::Nesting, "1:148: nested too deeply"),
        ("{\"a\":".repeat(1_000_000), Kind::Nesting, "1:660: nested too deeply"),
    ] {
        let found = mistakes(format!("{{\"process\":\"P\",\"a\":{value}\n").as_bytes());
        assert_eq!((found[0].kind, found[0].to_string().as_str()), (kind, message));
    }
    for number in ["9".repeat(20_000), "1e20000".to_owned()] {
        let found = mistakes(format!("{{\"process\":\"P\",\"set\":{{\"x\":{number}}}}}\n").as_bytes());
        assert_eq!(found[0].kind, Kind::Digits);
        assert_eq!(found[0].to_string(), "1:27: a number with more than 10,000 digits");
    }
    let kept = format!("{{\"process\":\"P\",\"a\":{}}}\n", "9".repeat(20_000));
    assert!(parse(kept.as_bytes()).is_ok(), "what is only kept may be as long as it likes");
}

#[test]
fn a_message_stays_short() {
    let found = mistakes(format!("{{\"posetta\":\"{}\"}}", "é".repeat(1000)).as_bytes());
    assert_eq!(found[0].message.chars().count(), 161);
}

#[test]
fn mistakes_are_gathered_up_to_a_point() {
    let found = mistakes(
        b"{\"process\":\"P\",\"set\":{\"x\":1,\"x\":2}}\n{\"process\":\n{\"process\":\"Q\",\"after\":[\"P.2\"]}\n{\"process\":1}\n",
    );
    let lines: Vec<u64> = found.iter().map(|d| d.place.as_ref().unwrap().line).collect();
    assert_eq!(lines, [1, 2, 4], "a reference to an event that was lost is not a mistake of its own");
    let found = mistakes(b"{\"process\":\"P\",\"set\":{\"x\":1,\"x\":2}}\n{\"process\":\"P\",\"after\":[\"m\"]}\n");
    assert_eq!(found.len(), 2);
    assert_eq!(mistakes("{x\n".repeat(100).as_bytes()).len(), 20);
    assert_eq!(mistakes("{\"process\":\"P\",\"after\":[\"m\"]}\n".repeat(100).as_bytes()).len(), 20);
}

/// Each of these was quadratic once: minutes instead of milliseconds.
#[test]
fn a_long_line_is_read_in_proportion() {
    const MANY: usize = 100_000;
    let repeated = format!("{{\"process\":\"é\",\"set\":{{{}\"y\":1}}}}\n", "\"x\":1,".repeat(MANY));
    assert_eq!(mistakes(repeated.as_bytes()).len(), 20);
    let causes = format!("{P}{{\"process\":\"é\",\"after\":[{}\"P.1\"]}}\n", "\"P.1\",".repeat(MANY));
    assert_eq!(parse(causes.as_bytes()).unwrap().len(), 2);
    let wide: String = (0..MANY).map(|i| format!("\"x{i}\":1,")).collect();
    let wide = format!("{{\"process\":\"P\",\"set\":{{{wide}\"y\":1}}}}\n");
    assert_eq!(parse(wide.as_bytes()).unwrap().variables().len(), MANY + 1);
}

#[test]
fn a_budget_is_kept() {
    let source = "{\"process\":\"P\"}\n".repeat(5000);
    let Err(Error::OverBudget(over)) = read(source.as_bytes(), &Budget::with_memory(10_000)) else {
        panic!("expected the memory limit")
    };
    assert_eq!((over.limit, over.what), (Limit::Memory, "reading the run"));
    let budget = Budget::with_memory(1 << 20);
    let trace = read(source.as_bytes(), &budget).unwrap();
    assert_eq!(budget.stop_handle().explored(), 5000);
    let over = write(&trace, &mut Vec::new(), &{
        let spent = Budget::unlimited();
        spent.stop_handle().raise(Limit::Time);
        spent
    });
    assert!(matches!(over, Err(WriteError::OverBudget(_))));
}

#[test]
fn a_small_buffer_reads_the_same_lines() {
    let source = "{\"process\":\"P\",\"set\":{\"x\":\"é\"}}\r\n\n{\"process\":\"Q\",\"after\":[\"P.1\"]}";
    for size in 1..40 {
        let reader = std::io::BufReader::with_capacity(size, source.as_bytes());
        let trace = read(reader, &Budget::unlimited()).unwrap();
        assert_eq!(written(&trace), rewrite(source));
        assert_eq!(trace.line(trace.find_event("Q.1").unwrap()), 3);
    }
}

#[test]
fn a_value_is_never_rounded() {
    let trace = text::read("P: x=1 -> x=1/3".as_bytes(), &Budget::unlimited()).unwrap();
    let error = write(&trace, &mut Vec::new(), &Budget::unlimited()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "JSON cannot write 1/3 exactly: it is the value of `x` at `P.2`; the text format can"
    );
}

#[test]
fn what_a_line_cannot_hold_is_told() {
    let trace = text::read("P: x=1\nQ:".as_bytes(), &Budget::unlimited()).unwrap();
    assert!(write(&trace, &mut Vec::new(), &Budget::unlimited()).unwrap().is_nothing());
    assert!(written(&trace).starts_with("{\"posetta\":1,\"processes\":[\"P\",\"Q\"]}\n"));
    // States of a variable called `process` would read back as events.
    let mut builder = posetta_trace::Builder::new();
    builder.mark_state_records();
    let (var, value) = (builder.variable("process").unwrap(), builder.text("up").unwrap());
    builder.declare(var, value);
    let state = builder.process("state").unwrap();
    builder.event(state, 2).unwrap();
    builder.assign(var, value).unwrap();
    let trace = builder.finish(true, &Budget::unlimited()).unwrap();
    let mut out = Vec::new();
    assert!(write(&trace, &mut out, &Budget::unlimited()).unwrap().state_records);
    assert_eq!(describe(&trace, true), describe(&parse(&out).unwrap(), true));
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(sample in sample(false)) {
        let trace = sample.build(true);
        let trip = round_trip(Format::JsonLines, &trace, true)?;
        prop_assert_eq!(trace.observed().is_some(), trip.back.observed().is_some());
        prop_assert_eq!(written(&trip.back).into_bytes(), trip.written);
    }

    #[test]
    fn states_are_read_back(rows in prop::collection::vec(prop::collection::btree_map("[a-c]|process", 0..3i64, 0..3), 0..5)) {
        let lines: Vec<String> = rows
            .iter()
            .map(|row| {
                let fields: Vec<String> = row.iter().filter(|(k, _)| *k != "process").map(|(k, v)| format!("{k:?}:{v}")).collect();
                format!("{{{}}}\n", fields.join(","))
            })
            .collect();
        // Without a header, states without variables are refused.
        let trace = parse(format!("{{\"posetta\":1}}\n{}", lines.concat()).as_bytes()).unwrap();
        let again = parse(written(&trace).as_bytes()).unwrap();
        prop_assert_eq!(describe(&trace, true), describe(&again, true));
        prop_assert_eq!(trace.has_state_records(), again.has_state_records());
    }

    #[test]
    fn no_bytes_panic(bytes in any::<Vec<u8>>()) {
        let _ = parse(&bytes);
    }

    #[test]
    fn no_mutation_panics(sample in sample(false), edits in edits()) {
        read_mutated(Format::JsonLines, &sample.build(true), &edits);
    }
}

/// Clocks and `after` in one file: a clock need not know what only events without a clock knew.
#[test]
fn clocks_and_causes_mix() {
    let page = r#"{"posetta":1,"initial":{"x":0}}
{"process":"P1","set":{"w":1}}
{"process":"P2","id":"m1","name":"send","set":{"w":0},"time":12.5,"attrs":{"req":"42"}}
{"process":"P1","name":"recv","set":{"y":3},"after":["m1"]}
{"process":"P3","clock":{"P3":1,"P1":2}}
"#;
    let accepted = |text: &str| read(text.as_bytes(), &Budget::unlimited()).map(|t| t.len());
    assert_eq!(accepted(page), Ok(4));
    for (last, fine) in [
        (r#"{"process":"P3","clock":{"P3":1,"P1":2,"P2":1}}"#, true),
        (r#"{"process":"P3","clock":{"P3":1,"P1":2,"P2":0}}"#, true), // 0 is the same as none
        (r#"{"process":"P3","clock":{"P1":2}}"#, false),
        (r#"{"process":"P3","clock":{"P3":1,"P1":1},"after":["m1"]}"#, false),
        (r#"{"process":"P3","clock":{"P3":1,"P1":1,"P2":1},"after":["m1"]}"#, true),
        ("{\"process\":\"P3\",\"clock\":{\"P3\":1,\"P2\":1}}\n{\"process\":\"P3\",\"clock\":{\"P3\":2}}", false),
        (
            "{\"process\":\"P3\",\"clock\":{\"P3\":1,\"P2\":1}}\n{\"process\":\"P4\",\"clock\":{\"P4\":1,\"P3\":1}}",
            false,
        ),
        ("{\"process\":\"P3\",\"clock\":{\"P3\":1}}\n{\"process\":\"P4\",\"clock\":{\"P4\":1,\"P3\":1}}", true),
    ] {
        let mut lines: Vec<&str> = page.lines().collect();
        lines.pop();
        lines.push(last);
        let answer = accepted(&lines.join("\n"));
        match answer {
            Ok(_) => assert!(fine, "{last}"),
            Err(Error::Invalid(mistakes)) => {
                assert!(!fine && mistakes[0].kind == Kind::Clock, "{last}: {mistakes:?}")
            }
            Err(other) => panic!("{last}: {other:?}"),
        }
    }
}

#[test]
fn reasons_groups_and_what_is_missing_survive_a_round_trip() {
    let source = concat!(
        r#"{"posetta":1,"groups":{"a#1":"a","b#1":"b"},"incomplete":{"missing parent":2}}"#,
        "\n",
        r#"{"process":"a#1","id":"x"}"#,
        "\n",
        r#"{"process":"b#1","after":[{"event":"x","because":"same clock"}]}"#,
        "\n",
        r#"{"process":"a#1","after":["b#1.1"]}"#,
        "\n",
    );
    let trace = read(source.as_bytes(), &Budget::unlimited()).unwrap();
    let counts = [(Reason::Stated, 1), (Reason::Segment, 1)];
    assert_eq!(trace.edges_by_reason(), counts);
    assert_eq!(trace.group(trace.find_process("b#1").unwrap()), Some("b"));
    assert_eq!(trace.lacks().iter().map(|lack| (lack.what, lack.count)).collect::<Vec<_>>(), [(Missing::Parents, 2)]);
    let mut written = Vec::new();
    write(&trace, &mut written, &Budget::unlimited()).unwrap();
    assert_eq!(String::from_utf8(written).unwrap(), source);
}

#[test]
fn a_reason_that_is_none_is_a_mistake_with_its_place() {
    for (line, column, message) in [
        (r#"{"process":"a","after":[{"event":"x","because":"luck"}]}"#, 48, "`luck` is not a reason"),
        (r#"{"process":"a","after":[{"because":"lock"}]}"#, 25, "a cause without its `event`"),
        (r#"{"process":"a","after":[{"event":"x","why":"lock"}]}"#, 38, "a cause with a field `why`"),
        (r#"{"posetta":1,"incomplete":{"sleep":1}}"#, 28, "`sleep` is nothing that can be missing"),
    ] {
        let error = read(line.as_bytes(), &Budget::unlimited()).unwrap_err();
        let first = &error.diagnostics()[0];
        let place = first.place.as_ref().unwrap();
        assert_eq!((first.message.as_str(), place.column), (message, column), "{line}");
    }
}
