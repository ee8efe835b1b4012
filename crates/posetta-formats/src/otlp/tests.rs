//! Every encoding that exports were seen with, and what is wrong with others.

use std::io::BufReader;

use proptest::prelude::*;

use super::looks_like;
use crate::{Format, ReadOptions, Run, Trust};
use posetta_base::{Budget, Error};
use posetta_trace::Trace;

fn runs(format: Format, bytes: &[u8]) -> Result<Vec<Run>, Error> {
    crate::read_runs(format, bytes, &ReadOptions::default(), &Budget::unlimited())
}

/// All that a run says, in one text.
pub(crate) fn told(trace: &Trace) -> String {
    use std::fmt::Write as _;
    let mut all = String::new();
    for e in trace.events() {
        let (label, name, time) = (trace.label(e), trace.event_name(e).unwrap_or("-"), trace.time(e).unwrap());
        write!(all, "{label} `{name}` {time}").unwrap();
        trace.attributes(e).for_each(|(key, json)| write!(all, " {key}={json}").unwrap());
        let causes = trace.causes(e).iter().zip(trace.reasons(e));
        causes.for_each(|(&cause, reason)| write!(all, " <- {} ({reason})", trace.label(cause)).unwrap());
        all.push('\n');
    }
    all
}

const USUAL: &str = r#"{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"web"}}]},
 "scopeSpans":[{"scope":{"name":"lib","version":"2"},"spans":[
  {"traceId":"5B8EFFF798038103D269B633813FC60C","spanId":"EEE19B7EC3C1B174","name":"get","kind":2,
   "startTimeUnixNano":"1544712660000000000","endTimeUnixNano":"1544712661000000001",
   "attributes":[{"key":"n","value":{"intValue":"5"}},{"key":"x","value":{"doubleValue":0.5}},{"key":"b","value":{"boolValue":true}},
    {"key":"l","value":{"arrayValue":{"values":[{"stringValue":"a\"b"},{"kvlistValue":{"values":[{"key":"k","value":{"intValue":1}}]}}]}}},
    {"key":"y","value":{"bytesValue":"AAE="}},{"key":"e","value":{}}],
   "events":[{"timeUnixNano":"1544712660500000000","name":"retry","attributes":[{"key":"try","value":{"intValue":"2"}}]}],
   "status":{"code":2,"message":"no"}},
  {"traceId":"5B8EFFF798038103D269B633813FC60C","spanId":"0000000000000002","parentSpanId":"EEE19B7EC3C1B174","name":"db","kind":"SPAN_KIND_CLIENT",
   "startTimeUnixNano":"1544712660100000000","endTimeUnixNano":"1544712660200000000","flags":257,
   "links":[{"traceId":"5B8EFFF798038103D269B633813FC60C","spanId":"EEE19B7EC3C1B174"}]}]}]}]}"#;

const TOLD: &str = "\
web:get.1 `get` 1544712660 service=\"web\" kind=\"server\" span.id=\"eee19b7ec3c1b174\" otel.scope.name=\"lib\" otel.scope.version=\"2\" n=5 x=0.5 b=true l=[\"a\\\"b\",{\"k\":1}] y=\"AAE=\" e=null otel.status_description=\"no\"
web:get.2 `retry` 1544712660.5 try=2 <- web:db.2 (same clock)
web:get.3 `get end` 1544712661.000000001 service=\"web\" kind=\"server\" status=\"error\" otel.scope.name=\"lib\" otel.scope.version=\"2\" n=5 x=0.5 b=true l=[\"a\\\"b\",{\"k\":1}] y=\"AAE=\" e=null otel.status_description=\"no\" <- web:db.2 (nesting)
web:db.1 `db` 1544712660.1 service=\"web\" kind=\"client\" span.id=\"0000000000000002\" otel.scope.name=\"lib\" otel.scope.version=\"2\" <- web:get.1 (parent)
web:db.2 `db end` 1544712660.2 service=\"web\" kind=\"client\" otel.scope.name=\"lib\" otel.scope.version=\"2\" <- web:get.1 (link)
";

#[test]
fn every_encoding_is_the_same_run() {
    let one_line = USUAL.replace('\n', "");
    let snake = [
        ("resourceSpans", "resource_spans"),
        ("scopeSpans", "scope_spans"),
        ("traceId", "trace_id"),
        ("spanId", "span_id"),
        ("parentSpanId", "parent_span_id"),
        ("startTimeUnixNano", "start_time_unix_nano"),
        ("endTimeUnixNano", "end_time_unix_nano"),
        ("timeUnixNano", "time_unix_nano"),
        ("stringValue", "string_value"),
        ("intValue", "int_value"),
        ("doubleValue", "double_value"),
        ("boolValue", "bool_value"),
        ("arrayValue", "array_value"),
        ("kvlistValue", "kvlist_value"),
        ("bytesValue", "bytes_value"),
    ];
    let snake = snake.iter().fold(USUAL.to_owned(), |text, (camel, snake)| text.replace(camel, snake));
    let base64 = USUAL
        .replace("5B8EFFF798038103D269B633813FC60C", "W47/95gDgQPSabYzgT/GDA==")
        .replace("EEE19B7EC3C1B174", "7uGbfsPBsXQ=")
        .replace("0000000000000002", "AAAAAAAAAAI=");
    let resource = r#""resource":{"attributes":[{"key":"service.name","value":{"stringValue":"web"}}]},"#;
    let late = USUAL.replace(resource, "").strip_suffix("}]}").unwrap().to_owned();
    let late = format!("{late},{}}}]}}", resource.trim_end_matches(','));
    let scope = r#""scope":{"name":"lib","version":"2"},"#;
    let late_scope = USUAL.replace(scope, "").strip_suffix("}]}]}").unwrap().to_owned();
    let late_scope = format!("{late_scope},{}}}]}}]}}", scope.trim_end_matches(','));
    for text in [
        USUAL.to_owned(),
        one_line.clone(),
        late,
        late_scope,
        snake,
        base64.clone(),
        base64.replace("resourceSpans", "batches"),
        format!("{{\"trace\":{USUAL}}}"),
        format!("{{\"result\":{USUAL}}}\n"),
        format!("[{USUAL}]"),
        format!("{{\"resourceSpans\":[]}}\n{one_line}\n{{\"resourceSpans\":null}}\n"),
        format!("\u{feff}\n{USUAL}"),
        USUAL.replace("scopeSpans", "instrumentationLibrarySpans").replace("\"scope\"", "\"instrumentationLibrary\""),
        USUAL
            .replace("\"kind\":2", "\"kind\":\"SPAN_KIND_SERVER\"")
            .replace("\"code\":2", "\"code\":\"STATUS_CODE_ERROR\""),
        USUAL
            .replace("\"1544712660000000000\"", "1544712660000000000")
            .replace("\"1544712660100000000\"", "1.5447126601e18"),
    ] {
        assert_eq!(crate::detect(text.as_bytes(), None), Ok(Some(Format::Otlp)), "{text}");
        let all = runs(Format::Otlp, text.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].label.as_deref(), Some("5b8efff798038103d269b633813fc60c"));
        assert_eq!(told(&all[0].trace), TOLD, "{text}");
        for pieces in [1, 7, 64] {
            let reader = BufReader::with_capacity(pieces, text.as_bytes());
            let again = crate::read(Format::Otlp, reader, &Budget::unlimited()).unwrap();
            assert_eq!(told(&again), TOLD);
        }
    }
}

#[test]
fn a_span_whose_parent_is_remote_is_an_entry() {
    let text = USUAL.replace("\"flags\":257", "\"flags\":769");
    let all = runs(Format::Otlp, text.as_bytes()).unwrap();
    assert!(!told(&all[0].trace).contains("same clock"));
}

#[test]
fn mistakes_have_a_place() {
    let span = |fields: &str| format!("{{\"resourceSpans\":[{{\"scopeSpans\":[{{\"spans\":[\n{{{fields}}}]}}]}}]}}");
    let ids = "\"traceId\":\"00000000000000000000000000000001\",\"spanId\":\"0000000000000001\"";
    let mut wrong = Vec::new();
    for (text, message) in [
        (
            span("\"traceId\":\"0g000000000000000000000000000001\""),
            "2:12: `0g000000000000000000000000000001` is not the id of a trace",
        ),
        (span("\"traceId\":\"01\""), "2:12: `01` is not the id of a trace"),
        (span("\"spanId\":\"0123456789abcde\""), "2:11: `0123456789abcde` is not the id of a span"),
        (span("\"name\":\"x\""), "2:12: a span without `traceId`"),
        (span("\"traceId\":\"00000000000000000000000000000001\",\"spanId\":\"\""), "2:58: a span without `spanId`"),
        (
            span(&format!("{ids},\"startTimeUnixNano\":\"18446744073709551616\"")),
            "2:95: 18446744073709551616 is not a time that 64 bits can hold",
        ),
        (span(&format!("{ids},\"startTimeUnixNano\":\"-1\"")), "2:95: -1 is not a time that 64 bits can hold"),
        (span(&format!("{ids},\"startTimeUnixNano\":\"soon\"")), "2:95: `soon` is not a time"),
        (span(&format!("{ids},\"endTimeUnixNano\":true")), "2:93: `true` is not a time"),
        ("{\"resourceSpans\":[{]}".to_owned(), "1:20: unexpected `]` in an object"),
        ("{\"resourceSpans\":7}".to_owned(), "1:18: unexpected `7` in the list of resources"),
        ("{\"resourceSpans\":[".to_owned(), "1:19: the file ends inside an array; was it cut off?"),
        ("{\"resourceSpans\":[{\"resou".to_owned(), "1:26: the file ends inside a string; was it cut off?"),
        ("{\"resourceSpans\":[tru".to_owned(), "1:19: unexpected `tru` in a resource with its spans"),
        ("{\"x\":01}".to_owned(), "1:6: `01` is not a number"),
        ("{\"x\":\"\\q\"}".to_owned(), "1:7: `\\q` is not an escape"),
        ("{}\n[]\n".to_owned(), "the file has no spans"),
        (format!("{{\"x\":{}}}", "[".repeat(20_000)), "1:10006: nested too deeply"),
    ] {
        for pieces in [1, 5, 1 << 16] {
            let reader = BufReader::with_capacity(pieces, text.as_bytes());
            let failure =
                crate::read_runs(Format::Otlp, reader, &ReadOptions::default(), &Budget::unlimited()).unwrap_err();
            if failure.to_string() != message {
                wrong.push(format!("{failure}, not {message}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let failure = runs(Format::Otlp, b"{\"resourceSpans\":[{\"\xff\"").unwrap_err();
    assert_eq!(failure.to_string(), "1:21: byte 0xff is not UTF-8");
    let failure = runs(Format::Otlp, b"{\"resourceSpans\":[{\"\xc3").unwrap_err();
    assert_eq!(failure.to_string(), "1:21: the file ends inside a character; was it cut off?");
}

/// Of two fields of one name nobody knows which is meant. What is not used may repeat.
#[test]
fn what_is_used_is_there_once() {
    for (from, to, key) in [
        ("\"resourceSpans\":[", "\"resourceSpans\":[],\n\"resource_spans\":[", "2:1: two fields `resource_spans`"),
        ("\"resource\":{", "\"resource\":null,\n\"resource\":{", "2:1: two fields `resource`"),
        (
            "{\"attributes\":[{\"key\":\"s",
            "{\"attributes\":[],\n\"attributes\":[{\"key\":\"s",
            "2:1: two fields `attributes`",
        ),
        ("\"scopeSpans\":[", "\"scopeSpans\":[],\n\"scopeSpans\":[", "3:1: two fields `scopeSpans`"),
        ("\"scope\":{", "\"scope\":{},\n\"scope\":{", "3:1: two fields `scope`"),
        ("\"name\":\"lib\"", "\"name\":\"lib\",\n\"name\":\"x\"", "3:1: two fields `name`"),
        ("\"version\":\"2\"", "\"version\":\"2\",\n\"version\":\"2\"", "3:1: two fields `version`"),
        ("\"spans\":[", "\"spans\":[],\n\"spans\":[", "3:1: two fields `spans`"),
        ("\"kind\":2", "\"kind\":2,\n\"traceId\":null", "4:1: two fields `traceId`"),
        ("\"kind\":2", "\"kind\":2,\n\"span_id\":\"\"", "4:1: two fields `span_id`"),
        ("\"kind\":2", "\"kind\":2,\n\"parentSpanId\":\"\",\n\"parentSpanId\":\"\"", "5:1: two fields `parentSpanId`"),
        ("\"kind\":2", "\"kind\":2,\n\"name\":\"put\"", "4:1: two fields `name`"),
        ("\"kind\":2", "\"kind\":2,\n \"k\\u0069nd\" \t: 2", "4:2: two fields `kind`"),
        ("\"kind\":2", "\"kind\":2,\n \"kind\"\n:2", "5:1: two fields `kind`"),
        (
            "\"startTimeUnixNano\":\"1544712660000000000\"",
            "\"startTimeUnixNano\":1,\n\"start_time_unix_nano\":1",
            "5:1: two fields `start_time_unix_nano`",
        ),
        (
            "\"endTimeUnixNano\":\"1544712661000000001\"",
            "\"endTimeUnixNano\":2,\n\"endTimeUnixNano\":2",
            "5:1: two fields `endTimeUnixNano`",
        ),
        (
            "\"attributes\":[{\"key\":\"n\"",
            "\"attributes\":[],\n\"attributes\":[{\"key\":\"n\"",
            "6:1: two fields `attributes`",
        ),
        ("{\"key\":\"n\"", "{\"key\":\"m\",\n\"key\":\"n\"", "6:1: two fields `key`"),
        ("\"value\":{\"intValue\":\"5\"}", "\"value\":{\"intValue\":\"5\"},\n\"value\":{}", "6:1: two fields `value`"),
        ("{\"intValue\":\"5\"}", "{\"intValue\":\"5\",\n\"intValue\":\"6\"}", "6:1: a second value `intValue`"),
        (
            "{\"intValue\":\"5\"}",
            "{\"intValue\":\"5\",\n\"string_value\" : \"6\"}",
            "6:1: a second value `string_value`",
        ),
        ("{\"values\":[{\"stringValue\"", "{\"values\":[],\n\"values\":[{\"stringValue\"", "7:1: two fields `values`"),
        ("{\"key\":\"k\"", "{\"key\":\"k\",\n\"key\":\"j\"", "7:1: two fields `key`"),
        ("\"events\":[", "\"events\":[],\n\"events\":[", "9:1: two fields `events`"),
        ("\"name\":\"retry\"", "\"name\":\"retry\",\n\"name\":\"again\"", "9:1: two fields `name`"),
        ("\"name\":\"retry\"", "\"name\":\"retry\",\n\"timeUnixNano\":\"1\"", "9:1: two fields `timeUnixNano`"),
        ("\"status\":{", "\"status\":{},\n\"status\":{", "10:1: two fields `status`"),
        ("\"code\":2", "\"code\":2,\n\"code\":1", "10:1: two fields `code`"),
        ("\"message\":\"no\"", "\"message\":\"no\",\n\"message\":\"\"", "10:1: two fields `message`"),
        ("\"flags\":257", "\"flags\":257,\n\"flags\":769", "12:1: two fields `flags`"),
        (
            "\"flags\":257",
            "\"flags\":257,\"droppedLinksCount\":1,\n\"droppedLinksCount\":1",
            "12:1: two fields `droppedLinksCount`",
        ),
        ("\"links\":[{", "\"links\":[{\"spanId\":\"0000000000000002\",\n", "13:46: two fields `spanId`"),
    ] {
        let text = USUAL.replacen(from, to, 1);
        assert_ne!(text, USUAL, "{from}");
        for pieces in [1, 5, 1 << 16] {
            let reader = BufReader::with_capacity(pieces, text.as_bytes());
            let failure = crate::read_runs(Format::Otlp, reader, &ReadOptions::default(), &Budget::unlimited());
            assert_eq!(failure.map(|all| all.len()).map_err(|e| e.to_string()), Err(key.to_owned()), "{to}");
        }
    }
    for (from, to) in [
        (
            "\"kind\":2",
            "\"kind\":2,\"x\":1,\"x\":{\"x\":1,\"x\":2},\"droppedAttributesCount\":0,\"droppedAttributesCount\":1",
        ),
        ("{\"intValue\":\"5\"}", "{\"stringValue\":null,\"intValue\":\"5\",\"doubleValue\":null,\"x\":1,\"x\":{}}"),
        ("{\"resourceSpans\":[", "{\"schemaUrl\":\"\",\"schemaUrl\":\"\",\"batches\":null,\"resourceSpans\":["),
        ("\"scopeSpans\":[", "\"instrumentationLibrarySpans\":[],\"scopeSpans\":["),
    ] {
        let text = USUAL.replacen(from, to, 1);
        assert_ne!(text, USUAL, "{from}");
        assert_eq!(told(&runs(Format::Otlp, text.as_bytes()).unwrap()[0].trace), TOLD, "{to}");
    }
    // The key is far behind, and no longer held.
    let text = USUAL.replacen("\"kind\":2", &format!("\"kind\":2,\"kind\"{}:2", " ".repeat(200_000)), 1);
    let reader = BufReader::with_capacity(5, text.as_bytes());
    let failure = crate::read_runs(Format::Otlp, reader, &ReadOptions::default(), &Budget::unlimited()).unwrap_err();
    assert!(failure.to_string().ends_with(": two fields `kind`"), "{failure}");
}

/// Attributes are a list, in which a careless recorder writes one twice. The first counts, and that is told.
#[test]
fn an_attribute_with_several_values_is_told() {
    let pair = |value: u32| format!("{{\"key\":\"n\",\"value\":{{\"intValue\":\"{value}\"}}}}");
    let many: String = (0..40).map(|i| format!("{{\"key\":\"m{i}\",\"value\":{{}}}},")).collect();
    for more in ["", &many] {
        for (second, warnings) in [(pair(5), 0), (pair(6), 1)] {
            let text = USUAL.replacen(&pair(5), &format!("{},{more}{second}", pair(5)), 1);
            let run = &runs(Format::Otlp, text.as_bytes()).unwrap()[0];
            assert!(told(&run.trace).contains(" n=5 ") && !told(&run.trace).contains(" n=6 "));
            let told: Vec<String> = run.warnings.iter().map(ToString::to_string).collect();
            assert_eq!(told, vec!["1 attribute has several values: `n` in `web:get`"; warnings], "{text}");
        }
    }
    let text = USUAL.replace("{\"key\":\"try\"", "{\"key\":\"try\",\"value\":{\"intValue\":3}},{\"key\":\"try\"");
    let run = &runs(Format::Otlp, text.as_bytes()).unwrap()[0];
    assert_eq!(run.warnings[0].to_string(), "1 attribute has several values: `try` in `web:get`");
}

/// A field with bytes.
fn bytes(field: u8, value: &[u8]) -> Vec<u8> {
    let mut all = vec![field << 3 | 2];
    let mut length = value.len();
    while length >= 0x80 {
        all.push(length as u8 | 0x80);
        length >>= 7;
    }
    all.push(length as u8);
    all.extend_from_slice(value);
    all
}

fn varint(field: u8, value: u8) -> Vec<u8> {
    vec![field << 3, value]
}

fn fixed(field: u8, value: u64) -> Vec<u8> {
    [&[field << 3 | 1][..], &value.to_le_bytes()].concat()
}

fn pair(key: &str, value: Vec<u8>) -> Vec<u8> {
    [bytes(1, key.as_bytes()), bytes(2, &value)].concat()
}

/// The usual export as a message, with so many of its spans before their scope.
fn message(before: usize) -> Vec<u8> {
    let trace = 0x5b8e_fff7_9803_8103_d269_b633_813f_c60c_u128.to_be_bytes();
    let first = 0xeee1_9b7e_c3c1_b174_u64.to_be_bytes();
    let list = [bytes(1, &bytes(1, b"a\"b")), bytes(1, &bytes(6, &bytes(1, &pair("k", varint(3, 1)))))].concat();
    let event =
        [fixed(1, 1_544_712_660_500_000_000), bytes(2, b"retry"), bytes(3, &pair("try", varint(3, 2)))].concat();
    let one = [
        bytes(1, &trace),
        bytes(2, &first),
        bytes(5, b"get"),
        varint(6, 2),
        fixed(7, 1_544_712_660_000_000_000),
        fixed(8, 1_544_712_661_000_000_001),
        bytes(9, &pair("n", varint(3, 5))),
        bytes(9, &pair("x", fixed(4, 0.5f64.to_bits()))),
        bytes(9, &pair("b", varint(2, 1))),
        bytes(9, &pair("l", bytes(5, &list))),
        bytes(9, &pair("y", bytes(7, &[0, 1]))),
        bytes(9, &pair("e", Vec::new())),
        bytes(11, &event),
        bytes(15, &[bytes(2, b"no"), varint(3, 2)].concat()),
    ];
    let two = [
        bytes(1, &trace),
        bytes(2, &2u64.to_be_bytes()),
        bytes(4, &first),
        bytes(5, b"db"),
        varint(6, 3),
        fixed(7, 1_544_712_660_100_000_000),
        fixed(8, 1_544_712_660_200_000_000),
        bytes(13, &[bytes(1, &trace), bytes(2, &first)].concat()),
        [&[0x85, 1][..], &257u32.to_le_bytes()].concat(),
    ];
    let scope = bytes(1, &[bytes(1, b"lib"), bytes(2, b"2")].concat());
    let mut parts = [scope, bytes(2, &one.concat()), bytes(2, &two.concat())];
    parts[..=before].rotate_left(1);
    let resource = bytes(1, &pair("service.name", bytes(1, b"web")));
    bytes(1, &[bytes(1, &resource), bytes(2, &parts.concat())].concat())
}

#[test]
fn protocol_buffers_are_the_same_run_however_they_are_framed() {
    let message = message(0);
    let length = (message.len() as u32).to_be_bytes();
    let empty = [0; 4];
    let varint = [message.len() as u8 | 0x80, (message.len() >> 7) as u8];
    for file in [
        message.clone(),
        self::message(1),
        self::message(2),
        [&length[..], &message].concat(),
        [&length[..], &message, &empty].concat(),
        [&varint[..], &message].concat(),
    ] {
        assert!(looks_like(&file) && looks_like(&file[..100]), "{file:?}");
        assert_eq!(crate::detect(&file, None), Ok(Some(Format::OtlpProto)));
        let all = runs(Format::OtlpProto, &file).unwrap();
        assert_eq!((all.len(), told(&all[0].trace)), (1, TOLD.to_owned()));
        let reader = BufReader::with_capacity(3, &file[..]);
        assert_eq!(told(&crate::read(Format::OtlpProto, reader, &Budget::unlimited()).unwrap()), TOLD);
    }
    // Twice the same is once.
    let twice = runs(Format::OtlpProto, &[&length[..], &message, &length, &message].concat()).unwrap();
    assert_eq!(told(&twice[0].trace), TOLD);
    assert_eq!(twice[0].warnings[0].to_string(), "2 records repeat others, such as `db` with the id 0000000000000002");
    for text in ["\n\n\n\n", "\nP: x=1\n", "\n1\n2\n3\n4\n5\n6\n", "{\"a\":1}"] {
        assert!(!looks_like(text.as_bytes()), "{text}");
    }
}

#[test]
fn damaged_messages_are_told() {
    let message = message(0);
    for end in 1..message.len() {
        let Err(Error::Invalid(mistakes)) = runs(Format::OtlpProto, &message[..end]) else { panic!("cut at {end}") };
        assert!(mistakes[0].to_string().starts_with("the file ends inside a message"), "{}", mistakes[0]);
    }
    for (file, message) in [
        (vec![], "the file has no spans"),
        (vec![0, 0, 0], "the file ends inside the length of a message, at byte 3"),
        (bytes(1, &[0x0b]), "a field that is not one, at byte 3"),
        (bytes(1, &[0x12, 5, 1]), "a message that is longer than the one around it, at byte 4"),
        (
            bytes(1, &bytes(2, &bytes(2, &bytes(5, b"x")))),
            "a span without the ids of its trace and its own ends, at byte 9",
        ),
        (bytes(1, &bytes(2, &bytes(2, &[0x2a, 9]))), "a message with a damaged field ends, at byte 8"),
    ] {
        assert_eq!(runs(Format::OtlpProto, &file).unwrap_err().to_string(), message, "{file:?}");
    }
    let trace = [bytes(1, &[1; 16]), bytes(2, &[2; 8]), bytes(4, &[3; 8]), fixed(7, 5)].concat();
    let other = [bytes(1, &[1; 16]), bytes(2, &[3; 8]), bytes(4, &[2; 8]), fixed(7, 5)].concat();
    let file = bytes(1, &bytes(2, &[bytes(2, &trace), bytes(2, &other)].concat()));
    // There are no lines to point to.
    assert!(runs(Format::OtlpProto, &file).unwrap_err().to_string().starts_with("happened-before has a cycle"));
}

#[test]
fn several_files_are_one_run_if_they_are_joined() {
    let (head, tail) = USUAL
        .split_once("  {\"traceId\":\"5B8EFFF798038103D269B633813FC60C\",\"spanId\":\"0000000000000002\"")
        .unwrap();
    let one = format!("{}]}}]}}]}}", head.trim_end().trim_end_matches(','));
    let start = USUAL.find("  {\"traceId\"").unwrap();
    let two = format!(
        "{}  {{\"traceId\":\"5B8EFFF798038103D269B633813FC60D\",\"spanId\":\"0000000000000002\"{tail}",
        &USUAL[..start]
    );
    let parts: Vec<crate::Part<'_>> =
        vec![("one".to_owned(), Box::new(one.as_bytes())), ("two".to_owned(), Box::new(two.as_bytes()))];
    let run = crate::read_joined(Format::Otlp, parts, &ReadOptions::default().trust(Trust::None), &Budget::unlimited());
    let trace = run.unwrap().trace;
    assert_eq!(trace.len(), 5);
    assert!(told(&trace).contains("web:db.2 `db end` 1544712660.2 service=\"web\" kind=\"client\" otel.scope.name=\"lib\" otel.scope.version=\"2\" <- web:get.1 (link)"));
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        for format in [Format::Otlp, Format::OtlpProto, Format::Jaeger, Format::Zipkin] {
            let _ = runs(format, &bytes);
        }
    }

    #[test]
    fn no_damage_panics(at in 0..600usize, byte in any::<u8>(), end in 0..2000usize) {
        let mut message = message(0);
        let place = at % message.len();
        message[place] = byte;
        let _ = runs(Format::OtlpProto, &message[..end.min(message.len())]);
        let mut text = USUAL.as_bytes().to_vec();
        let place = (at * 3) % text.len();
        text[place] = byte;
        let whole = runs(Format::Otlp, &text).map(|all| all.len());
        let pieces = BufReader::with_capacity(3, &text[..]);
        let pieces = crate::read_runs(Format::Otlp, pieces, &ReadOptions::default(), &Budget::unlimited()).map(|all| all.len());
        prop_assert_eq!(whole, pieces);
    }
}
