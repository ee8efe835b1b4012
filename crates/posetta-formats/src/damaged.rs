//! What every reader of others' logs does with damaged input: it says so, and never makes a run of what it did not understand.

use std::sync::Arc;

use crate::{Format, Mapping, ReadOptions, Run, Unpacked, read_runs};
use posetta_base::{Budget, Error};

const OTLP: &str = r#"{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"web"}}]},"scopeSpans":[{"spans":[
 {"traceId":"5b8efff798038103d269b633813fc60c","spanId":"000000000000000a","name":"get","startTimeUnixNano":"1000","endTimeUnixNano":"5000"},
 {"traceId":"5b8efff798038103d269b633813fc60c","spanId":"000000000000000b","parentSpanId":"000000000000000a","name":"é","startTimeUnixNano":"2000","endTimeUnixNano":"3000"}]}]}]}"#;
const JAEGER: &str = r#"{"data":[{"traceID":"1f","spans":[{"traceID":"1f","spanID":"a","operationName":"get","startTime":1000000,"duration":500,"processID":"p1"},
 {"traceID":"1f","spanID":"b","operationName":"é","references":[{"refType":"CHILD_OF","traceID":"1f","spanID":"a"}],"startTime":1000100,"duration":100,"processID":"p1"}],
 "processes":{"p1":{"serviceName":"web"}}}]}"#;
const ZIPKIN: &str = r#"[{"traceId":"1f","id":"a","name":"get","timestamp":1000000,"duration":500,"localEndpoint":{"serviceName":"web"}},
 {"traceId":"1f","parentId":"a","id":"b","name":"é","timestamp":1000100,"duration":100,"localEndpoint":{"serviceName":"web"}}]"#;
const ZIPKIN_1: &str = r#"[{"traceId":"1f","id":"a","name":"é","timestamp":1000000,"duration":500,"annotations":[
 {"timestamp":1000000,"value":"cs","endpoint":{"serviceName":"web"}},{"timestamp":1000500,"value":"cr","endpoint":{"serviceName":"web"}}],"binaryAnnotations":[]}]"#;
const TEMPO: &str = r#"{"batches":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"é"}}]},"scopeSpans":[{"spans":[
 {"traceId":"W47/95gDgQPSabYzgT/GDA==","spanId":"AAAAAAAAAAo=","name":"get","startTimeUnixNano":"1000","endTimeUnixNano":"5000"}]}]}]}"#;
const ITF: &str =
    r##"{"#meta":{"format":"ITF"},"vars":["x","s"],"states":[{"x":1,"s":"é"},{"x":{"#bigint":"2"},"s":"b"}]}"##;
const EDN: &str =
    "{:type :invoke, :f :write, :value \"é\", :process 0}\n{:type :ok, :f :write, :value \"é\", :process 0}\n";
const HISTORY: &str = "[{\"type\":\"invoke\",\"f\":\"write\",\"value\":\"é\",\"process\":0},\n{\"type\":\"ok\",\"f\":\"write\",\"value\":\"é\",\"process\":0}]\n";
const PROVE: &str = "eid,processes,vc,timestamp,props\na,P,P:1,0,é\nb,Q,P:1;Q:1,2,q\n";
const NDJSON: &str = "{\"p\":\"é\",\"x\":1}\n{\"p\":\"b\",\"x\":2}\n";
const ARRAY: &str = "[{\"p\":\"é\",\"x\":1},\n{\"p\":\"b\",\"x\":2}]\n";
const CSV: &str = "p,x\n\"é\",1\nb,2\n";

/// The readers, each with an input that it takes: its format, the input, whether it is a table or lines, of which any whole number is an
/// input, too, and whether it is read with a mapping.
const READERS: [(&str, Format, &str, bool, bool); 12] = [
    ("OTLP", Format::Otlp, OTLP, false, false),
    ("Tempo", Format::Otlp, TEMPO, false, false),
    ("Jaeger", Format::Jaeger, JAEGER, false, false),
    ("Zipkin", Format::Zipkin, ZIPKIN, false, false),
    ("Zipkin, version 1", Format::Zipkin, ZIPKIN_1, false, false),
    ("ITF", Format::Itf, ITF, false, false),
    ("EDN", Format::Jepsen, EDN, true, false),
    ("history in JSON", Format::Jepsen, HISTORY, true, false),
    ("PROVE", Format::Prove, PROVE, true, false),
    ("records, one a line", Format::JsonLines, NDJSON, true, true),
    ("records in an array", Format::JsonLines, ARRAY, true, true),
    ("records in a table", Format::Csv, CSV, true, true),
];

fn read(format: Format, bytes: &[u8], mapped: bool) -> Result<Vec<Run>, Error> {
    let mapping = mapped.then(|| Mapping::new(&["process = 'p'\nset = { x = 'x' }\n"]).expect("a mapping"));
    let options = ReadOptions::default().mapping(mapping.map(Arc::new));
    let reader = Unpacked::new(bytes).expect("memory can be read");
    read_runs(format, reader, &options, &Budget::unlimited())
}

fn events(runs: &[Run]) -> usize {
    runs.iter().map(|run| run.trace.len()).sum()
}

#[test]
fn what_is_cut_off_is_told() {
    for (name, format, text, lines, mapped) in READERS {
        let whole = events(&read(format, text.as_bytes(), mapped).unwrap_or_else(|e| panic!("{name}: {e}")));
        let end = text.trim_end().len();
        for cut in 0..end {
            match read(format, &text.as_bytes()[..cut], mapped) {
                Err(Error::Invalid(mistakes)) => assert!(!mistakes.is_empty(), "{name} at {cut}"),
                Err(other) => panic!("{name} at {cut}: {other}"),
                // The last record, or its last cell, may be gone without a trace.
                Ok(runs) if lines => assert!(events(&runs) <= whole, "{name} at {cut}"),
                Ok(_) => panic!("{name}: {cut} of {end} bytes are a run"),
            }
        }
    }
}

#[test]
fn another_encoding_is_told() {
    for (name, format, text, _, mapped) in READERS {
        let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let marked: Vec<u8> = [&[0xff, 0xfe][..], &wide].concat();
        let latin: Vec<u8> = text.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect();
        for (encoding, bytes) in [("UTF-16", wide), ("UTF-16 with a mark", marked), ("Latin-1", latin)] {
            let failure = read(format, &bytes, mapped).err().unwrap_or_else(|| panic!("{name} in {encoding} is a run"));
            assert!(matches!(failure, Error::Invalid(ref mistakes) if !mistakes.is_empty()), "{name}: {failure}");
        }
        // A mark of UTF-8 changes nothing.
        let marked = format!("\u{feff}{text}");
        assert!(read(format, marked.as_bytes(), mapped).is_ok(), "{name} with a mark of UTF-8");
    }
}

#[test]
fn spans_that_cause_each_other_are_told_in_every_format() {
    let cyclic = |text: &str, from: &str, to: &str| {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        changed
    };
    for (format, text) in [
        (Format::Otlp, cyclic(OTLP, "\"name\":\"get\"", "\"parentSpanId\":\"000000000000000b\",\"name\":\"get\"")),
        (
            Format::Jaeger,
            cyclic(
                JAEGER,
                "\"operationName\":\"get\"",
                "\"references\":[{\"refType\":\"CHILD_OF\",\"traceID\":\"1f\",\"spanID\":\"b\"}],\"operationName\":\"get\"",
            ),
        ),
        (Format::Zipkin, cyclic(ZIPKIN, "\"name\":\"get\"", "\"parentId\":\"b\",\"name\":\"get\"")),
    ] {
        let failure = read(format, text.as_bytes(), false).expect_err("a cycle").to_string();
        assert!(failure.contains("happened-before has a cycle"), "{format:?}: {failure}");
    }
}

#[test]
fn strange_ids_and_times_are_told_in_every_format() {
    let long = "99999999999999999999";
    for (format, text, from, to, told) in [
        (Format::Otlp, OTLP, "\"1000\"", "\"99999999999999999999\"", long),
        (Format::Otlp, OTLP, "\"1000\"", "-1", "-1 is not a time"),
        (Format::Jaeger, JAEGER, "1000000", "99999999999999999999", long),
        (Format::Jaeger, JAEGER, ":500", ":-500", "1 span ends before it starts"),
        (Format::Zipkin, ZIPKIN, "1000000", "99999999999999999999", long),
        (Format::Zipkin, ZIPKIN, ":500", ":-500", "1 span ends before it starts"),
        (Format::Zipkin, ZIPKIN_1, "1000000", "99999999999999999999", long),
        (Format::Otlp, OTLP, "\"5000\"", "\"500\"", "1 span ends before it starts"),
        (Format::Otlp, OTLP, "000000000000000b\",\"p", "000000000000000a\",\"p", "1 span has the id of another one"),
        (Format::Jaeger, JAEGER, "\"spanID\":\"b\"", "\"spanID\":\"a\"", "1 span has the id of another one"),
        (Format::Zipkin, ZIPKIN, "\"id\":\"b\"", "\"id\":\"a\"", "1 span has the id of another one"),
        (Format::Jepsen, EDN, ":process 0}\n{", ":process 0, :time 99999999999999999999}\n{", ""),
        (Format::Prove, PROVE, "P:1;Q:1", "P:99999999999999999999;Q:1", long),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        let said = match read(format, changed.as_bytes(), false) {
            Ok(runs) => {
                runs.iter().flat_map(|run| &run.warnings).map(ToString::to_string).collect::<Vec<_>>().join("\n")
            }
            Err(error) => error.diagnostics().iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
        };
        assert!(said.contains(told), "{format:?}: {from} as {to}: `{said}`, not `{told}`");
    }
}
