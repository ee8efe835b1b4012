//! What Jaeger exports, and what is wrong with other files.

use crate::{Format, ReadOptions, Run};
use posetta_base::{Budget, Error};

fn runs(text: &str) -> Result<Vec<Run>, Error> {
    crate::read_runs(Format::Jaeger, text.as_bytes(), &ReadOptions::default(), &Budget::unlimited())
}

fn told(text: &str) -> String {
    let runs = runs(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(crate::detect(text.as_bytes(), None), Ok(Some(Format::Jaeger)), "{text}");
    crate::otlp::tests::told(&runs[0].trace)
}

const TRACE: &str = r#"{"traceID":"1f","spans":[
 {"traceID":"1f","spanID":"a","operationName":"get","references":[],"startTime":1000000,"duration":500,
  "tags":[{"key":"span.kind","type":"string","value":"server"},{"key":"big","type":"int64","value":"9223372036854775222"},{"key":"error","type":"bool","value":true}],
  "logs":[{"timestamp":1000100,"fields":[{"key":"event","type":"string","value":"retry"},{"key":"n","type":"int64","value":2}]}],"processID":"p1"},
 {"traceID":"1f","spanID":"b","operationName":"db","references":[{"refType":"CHILD_OF","traceID":"1f","spanID":"000000000000000a","span":{"spanID":"a","references":[{}]}},
  {"refType":"FOLLOWS_FROM","traceID":"1f","spanID":"c"}],"startTime":1000200,"duration":100,"tags":null,"logs":null,"processID":"p1","warnings":["This span's timestamps were adjusted by 5ms"]},
 {"traceID":"1f","spanID":"c","operationName":"other","startTime":1000000,"duration":1,"processID":"p2"}],
 "processes":{"p1":{"serviceName":"web","tags":[{"key":"hostname","type":"string","value":"h"},{"key":"ip","type":"string","value":"127.0.0.1"}]},"p2":{"serviceName":"other"}},"warnings":null}"#;

const TOLD: &str = "\
web:get.1 `get` 1 service=\"web\" host.name=\"h\" kind=\"server\" span.id=\"000000000000000a\" big=9223372036854775222 error=true
web:get.2 `retry` 1.0001 n=2
web:get.3 `get end` 1.0005 service=\"web\" kind=\"server\" status=\"error\" big=9223372036854775222 error=true <- web:db.2 (nesting)
other:other.1 `other` 1 service=\"other\" span.id=\"000000000000000c\"
other:other.2 `other end` 1.000001 service=\"other\"
web:db.1 `db` 1.0002 service=\"web\" host.name=\"h\" span.id=\"000000000000000b\" <- web:get.1 (parent) <- web:get.2 (same clock)
web:db.2 `db end` 1.0003 service=\"web\" <- other:other.1 (link)
";

#[test]
fn traces_are_read_whatever_is_around_them() {
    assert_eq!(told(TRACE), TOLD);
    assert_eq!(told(&format!("{{\"data\":[{TRACE}],\"total\":0,\"errors\":null}}")), TOLD);
    assert_eq!(told(&format!("[{TRACE}]")), TOLD);
    // The short names of processes are those of one trace.
    let other = TRACE.replace("1f", "2f").replace("\"p1\":", "\"p3\":").replace("\"p2\":", "\"p1\":");
    let two = runs(&format!("{{\"data\":[{TRACE},{other}]}}")).unwrap();
    assert_eq!(two.iter().map(|run| run.label.as_deref().unwrap()).collect::<Vec<_>>(), ["1f", "2f"]);
    assert_eq!(crate::otlp::tests::told(&two[0].trace), TOLD);
    assert!(two[1].trace.find_process("other:get").is_some());
    assert_eq!(two[0].warnings[0].to_string(), "1 span has times that Jaeger adjusted for clock skew: `web:db`");
}

/// What Jaeger says when it leaves the times as they are has the words "clock skew", too.
#[test]
fn times_that_were_left_alone_are_not_called_adjusted() {
    for remark in [
        "clock skew adjustment disabled; not applying calculated delta of -4.6s",
        "max clock skew adjustment delta of 1s exceeded; not applying calculated delta of 2s",
        "duplicate span IDs; skipping clock skew adjustment",
    ] {
        let text = TRACE.replace("This span's timestamps were adjusted by 5ms", remark);
        assert_ne!(text, TRACE);
        assert!(runs(&text).unwrap()[0].warnings.is_empty(), "{remark}");
    }
}

#[test]
fn a_process_that_is_not_described_is_told() {
    let run = &runs(&TRACE.replace("\"p2\":{", "\"p3\":{")).unwrap()[0];
    let told: Vec<String> = run.warnings.iter().map(ToString::to_string).collect();
    assert!(told.contains(&"1 span is of a process that the trace does not describe: `other`".to_owned()), "{told:?}");
}

#[test]
fn one_span_a_line_is_read_as_the_storage_holds_it() {
    let line = |id: &str, parent: &str, start: u64| {
        format!(
            r#"{{"traceID":"1f","spanID":"{id}","parentSpanID":"{parent}","operationName":"o{id}","startTime":{start},"duration":5,"process":{{"serviceName":"web","tags":[]}}}}"#
        )
    };
    let text = format!("{}\n{}\n", line("a", "", 1_000_000), line("b", "a", 1_000_001));
    assert_eq!(
        told(&text).lines().nth(2).unwrap(),
        "web:ob.1 `ob` 1.000001 service=\"web\" span.id=\"000000000000000b\" <- web:oa.1 (parent)"
    );
}

#[test]
fn mistakes_have_a_place() {
    let mut wrong = Vec::new();
    for (from, to, message) in [
        ("\"duration\":500", "\"duration\":-500", ""),
        ("\"duration\":500", "\"duration\":\"x\"", "2:100: `x` is not a time"),
        ("\"startTime\":1000000,\"duration\":500", "\"startTime\":18446744073709551", ""),
        (
            "\"startTime\":1000000,\"duration\":500",
            "\"startTime\":18446744073709552",
            "2:81: 18446744073709552 is not a time that 64 bits can hold",
        ),
        ("\"spanID\":\"a\",\"operationName\"", "\"operationName\"", "4:146: a span without `spanID`"),
        ("\"spanID\":\"b\"", "\"spanID\":\"bx\"", "5:27: `bx` is not the id of a span"),
        ("\"processes\":{", "\"processes\":[", "8:14: unexpected `[` in the processes of a trace"),
    ] {
        let text = TRACE.replace(from, to);
        assert_ne!(text, TRACE, "{from}");
        let failure = runs(&text).err().map(|e| e.to_string()).unwrap_or_default();
        if failure != message {
            wrong.push(format!("{to}: {failure}, not {message}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let backwards = runs(&TRACE.replace("\"duration\":500", "\"duration\":-500")).unwrap();
    assert_eq!(backwards[0].warnings[0].to_string(), "1 span ends before it starts: `web:get`");
}

/// Of two fields of one name nobody knows which is meant. What is not used may repeat, and tags are a list.
#[test]
fn what_is_used_is_there_once() {
    let twice = |field: &str| (field.to_owned(), format!("{field},{field}"));
    for (from, to) in [
        "\"traceID\":\"1f\"",
        "\"spanID\":\"a\"",
        "\"operationName\":\"get\"",
        "\"references\":[]",
        "\"startTime\":1000000",
        "\"duration\":500",
        "\"processID\":\"p1\"",
        "\"tags\":null",
        "\"logs\":null",
        "\"key\":\"big\"",
        "\"type\":\"int64\"",
        "\"value\":\"server\"",
        "\"timestamp\":1000100",
        "\"refType\":\"CHILD_OF\"",
        "\"spanID\":\"c\"",
        "\"serviceName\":\"web\"",
        "\"p2\":{\"serviceName\":\"other\"}",
        "\"warnings\":[\"This span's timestamps were adjusted by 5ms\"]",
    ]
    .map(twice)
    .into_iter()
    .chain([
        ("\"spans\":[".to_owned(), "\"spans\":[],\"spans\":[".to_owned()),
        ("\"processes\":{".to_owned(), "\"processes\":null,\"processes\":{".to_owned()),
        ("\"fields\":[".to_owned(), "\"fields\":[],\"fields\":[".to_owned()),
    ]) {
        let text = TRACE.replacen(&from, &to, 1);
        assert_ne!(text, TRACE, "{from}");
        let key = from.split('"').nth(1).unwrap();
        let failure = runs(&text).map(|all| all.len()).unwrap_err().to_string();
        assert!(failure.ends_with(&format!(": two fields `{key}`")), "{to}: {failure}");
    }
    let failure =
        runs(&TRACE.replace("\"p2\":{", "\"\\u0070\\\"\":{},\n  \"p\\\"\" :{")).map(|all| all.len()).unwrap_err();
    assert_eq!(failure.to_string(), "9:3: two fields `p\"`");
    let harmless = TRACE.replacen("\"duration\":500", "\"duration\":500,\"flags\":1,\"flags\":0", 1);
    assert_eq!(told(&harmless), TOLD);
}
