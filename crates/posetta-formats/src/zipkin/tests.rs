//! What Zipkin's servers answer with, in both versions.

use crate::{Format, ReadOptions, Run};
use posetta_base::{Budget, Error};

fn runs(text: &str) -> Result<Vec<Run>, Error> {
    crate::read_runs(Format::Zipkin, text.as_bytes(), &ReadOptions::default(), &Budget::unlimited())
}

fn told(text: &str) -> String {
    let runs = runs(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(crate::detect(text.as_bytes(), None), Ok(Some(Format::Zipkin)), "{text}");
    crate::otlp::tests::told(&runs[0].trace)
}

/// A call of which both halves have one id, and what the server does.
const SPANS: [&str; 3] = [
    r#"{"traceId":"1f","id":"a","kind":"CLIENT","name":"get","timestamp":1000000,"duration":500,"localEndpoint":{"serviceName":"web","ipv4":"10.0.0.1"},"tags":{"http.path":"/"}}"#,
    r#"{"traceId":"1f","id":"a","kind":"SERVER","shared":true,"name":"get","timestamp":1000100,"duration":300,"localEndpoint":{"serviceName":"db","ipv4":"127.0.0.1"},"annotations":[{"timestamp":1000150,"value":"hit"}]}"#,
    r#"{"traceId":"1f","parentId":"a","id":"b","name":"read","timestamp":1000200,"duration":100,"localEndpoint":{"serviceName":"db"},"tags":{"error":""}}"#,
];

const TOLD: &str = "\
web:get.1 `get` 1 service=\"web\" host.name=\"10.0.0.1\" kind=\"client\" span.id=\"000000000000000a\" http.path=\"/\"
web:get.2 `get end` 1.0005 service=\"web\" kind=\"client\" http.path=\"/\" <- db:get.3 (client/server)
db:get.1 `get` 1.0001 service=\"db\" kind=\"server\" span.id=\"000000000000000a\" <- web:get.1 (client/server)
db:get.2 `hit` 1.00015
db:get.3 `get end` 1.0004 service=\"db\" kind=\"server\" <- db:read.2 (nesting)
db:read.1 `read` 1.0002 service=\"db\" span.id=\"000000000000000b\" error=\"\" <- db:get.1 (parent) <- db:get.2 (same clock)
db:read.2 `read end` 1.0003 service=\"db\" status=\"error\" error=\"\"
";

#[test]
fn halves_of_a_call_share_an_id() {
    assert_eq!(told(&format!("[{}]", SPANS.join(","))), TOLD);
    assert_eq!(told(&format!("[[{}]]", SPANS.join(","))), TOLD);
    assert_eq!(told(&SPANS.join("\n")), TOLD);
    // In whatever order.
    assert_eq!(told(&format!("[{},{},{}]", SPANS[2], SPANS[1], SPANS[0])), TOLD);
}

#[test]
fn a_record_without_a_time_belongs_to_its_half() {
    let more = r#"{"traceId":"1f","id":"a","kind":"SERVER","shared":true,"localEndpoint":{"serviceName":"db"},"tags":{"late":"yes"}}"#;
    let told = told(&format!("[{},{more}]", SPANS.join(",")));
    assert!(told.contains("kind=\"server\" span.id=\"000000000000000a\" late=\"yes\""), "{told}");
    let lost = r#"{"traceId":"1f","id":"c","kind":"SERVER","name":"lost","localEndpoint":{"serviceName":"db"}}"#;
    let run = runs(&format!("[{},{lost}]", SPANS.join(","))).unwrap().remove(0);
    assert_eq!(run.trace.len(), 7);
    assert_eq!(run.warnings[0].to_string(), "1 record without a time is left out: `lost` with the id 000000000000000c");
}

#[test]
fn one_of_several_receivers_is_not_told_from_the_others() {
    let receiver = |time: u64| {
        format!(
            r#"{{"traceId":"1f","id":"a","kind":"SERVER","shared":true,"name":"recv","timestamp":{time},"localEndpoint":{{"serviceName":"db"}}}}"#
        )
    };
    let text = format!("[{},{},{},{}]", SPANS[0], receiver(1_000_050), receiver(1_000_060), SPANS[2]);
    let run = runs(&text).unwrap().remove(0);
    let told = crate::otlp::tests::told(&run.trace);
    // All that is known is that it comes after who called.
    assert!(
        told.contains(
            "db:read.1 `read` 1.0002 service=\"db\" span.id=\"000000000000000b\" error=\"\" <- web:get.1 (parent)\n"
        ),
        "{told}"
    );
    assert_eq!(run.warnings[0].to_string(), "1 span has the id of another one: `recv` with the id 000000000000000a");
}

#[test]
fn the_first_version_is_the_same_run() {
    let web = r#""endpoint":{"serviceName":"web","ipv4":"10.0.0.1"}"#;
    let db = r#""endpoint":{"serviceName":"db","ipv4":"127.0.0.1"}"#;
    let text = format!(
        r#"[{{"traceId":"1f","id":"a","name":"get","timestamp":1000000,"duration":500,"annotations":[
         {{"timestamp":1000000,"value":"cs",{web}}},{{"timestamp":1000100,"value":"sr",{db}}},{{"timestamp":1000150,"value":"hit",{db}}},
         {{"timestamp":1000400,"value":"ss",{db}}},{{"timestamp":1000500,"value":"cr",{web}}}],
         "binaryAnnotations":[{{"key":"http.path","value":"/",{web}}},{{"key":"sa","value":true,{db}}}]}},
         {{"traceId":"1f","parentId":"a","id":"b","name":"read","timestamp":1000200,"duration":100,"annotations":[],
         "binaryAnnotations":[{{"key":"lc","value":"x","endpoint":{{"serviceName":"db"}}}},{{"key":"error","value":"","endpoint":{{"serviceName":"db"}}}}]}}]"#
    );
    assert_eq!(told(&text), TOLD);
}

#[test]
fn a_message_may_have_no_duration() {
    let text = r#"[{"traceId":"1f","id":"a","kind":"PRODUCER","name":"send","timestamp":1000000,"localEndpoint":{"serviceName":"web"}},
      {"traceId":"1f","parentId":"a","id":"b","kind":"CONSUMER","name":"recv","timestamp":1000050,"localEndpoint":{"serviceName":"db"}}]"#;
    let run = runs(text).unwrap().remove(0);
    assert!(run.trace.lacks().is_empty() && run.warnings.is_empty());
    assert_eq!(run.trace.len(), 2);
}

#[test]
fn mistakes_have_a_place() {
    for (text, message) in [
        (r#"[{"traceId":"1f","name":"x"}]"#, "1:28: a span without `id`"),
        (r#"[{"id":"1f","name":"x"}]"#, "1:23: a span without `traceId`"),
        (r#"[{"traceId":"1f","id":"0"}]"#, "1:26: a span without `id`"),
        (r#"[{"traceId":"1f","id":"a","timestamp":1.2.3}]"#, "1:39: `1.2.3` is not a number"),
        (
            r#"[{"traceId":"1f","id":"a","timestamp":99999999999999999999}]"#,
            "1:39: 99999999999999999999 is not a time that 64 bits can hold",
        ),
        (r#"[{"traceId":"1f","id":"a","tags":[]}]"#, "1:34: unexpected `[` in the tags of a span"),
        (r#"[{"traceId":"1f","id":"a"}"#, "1:27: the file ends inside an array; was it cut off?"),
        ("[]", "the file has no spans"),
    ] {
        assert_eq!(runs(text).unwrap_err().to_string(), message, "{text}");
    }
}

/// Of two fields of one name nobody knows which is meant. What is not used may repeat.
#[test]
fn what_is_used_is_there_once() {
    let web = r#""endpoint":{"serviceName":"web"}"#;
    let first = format!(
        r#"[{{"traceId":"1f","id":"c","annotations":[{{"timestamp":1000000,"value":"cs",{web}}}],"binaryAnnotations":[{{"key":"k","value":"v",{web}}}]}}]"#
    );
    let second = format!("[{}]", SPANS.join(","));
    for (text, field) in [
        (&second, "\"traceId\":\"1f\""),
        (&second, "\"id\":\"a\""),
        (&second, "\"parentId\":\"a\""),
        (&second, "\"kind\":\"CLIENT\""),
        (&second, "\"name\":\"get\""),
        (&second, "\"timestamp\":1000000"),
        (&second, "\"duration\":500"),
        (&second, "\"localEndpoint\":{\"serviceName\":\"db\"}"),
        (&second, "\"serviceName\":\"web\""),
        (&second, "\"ipv4\":\"10.0.0.1\""),
        (&second, "\"tags\":{\"http.path\":\"/\"}"),
        (&second, "\"http.path\":\"/\""),
        (&second, "\"annotations\":[{\"timestamp\":1000150,\"value\":\"hit\"}]"),
        (&second, "\"timestamp\":1000150"),
        (&second, "\"value\":\"hit\""),
        (&first, web),
        (&first, "\"key\":\"k\""),
        (&first, "\"value\":\"v\""),
    ] {
        let key = field.split('"').nth(1).unwrap();
        let at = text.find(field).unwrap() + field.len() + 2;
        let text = text.replacen(field, &format!("{field},{field}"), 1);
        let failure = runs(&text).map(|all| all.len()).unwrap_err();
        assert_eq!(failure.to_string(), format!("1:{at}: two fields `{key}`"), "{text}");
    }
    let harmless = second.replacen("\"shared\":true", "\"shared\":true,\"shared\":true", 1);
    assert_eq!(told(&harmless), TOLD);
}
