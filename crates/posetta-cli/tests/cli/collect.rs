//! `posetta collect`: what its receiver takes, what it refuses, and what it says about that.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use insta::assert_snapshot;
use serde_json::Value;

use crate::program::otlp::{JSON, PROTO, answer, connect, export, post, request, send};
use crate::program::{Place, Seen};

/// A receiver at work.
struct Collecting {
    child: Child,
    address: String,
    said: BufReader<std::process::ChildStdout>,
}

impl Collecting {
    fn start(place: &Place, flags: &[&str]) -> Self {
        let args = [&["collect", "spans", "--listen", "127.0.0.1:0"], flags].concat();
        let mut command = place.command(&args);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let mut said = BufReader::new(child.stdout.take().expect("piped"));
        let mut first = String::new();
        said.read_line(&mut first).expect("a line");
        let address = first.split("http://").nth(1).and_then(|rest| rest.split(',').next());
        let address = address.unwrap_or_else(|| panic!("no address in {first:?}")).to_owned();
        Self { child, address, said }
    }

    /// Ends it, as a user would.
    fn end(mut self) -> Seen {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().expect("kill").success());
        let mut stdout = String::new();
        std::io::Read::read_to_string(&mut self.said, &mut stdout).expect("UTF-8");
        let output = self.child.wait_with_output().expect("it ends");
        let stderr = String::from_utf8(output.stderr).expect("UTF-8");
        assert!(!stderr.contains("panicked"), "{stderr}");
        let stdout = stdout.replace(&self.address, "HERE");
        Seen { status: output.status.code().expect("it ends by itself"), stdout, stderr }
    }

    /// What `info` says of the file.
    fn info(place: &Place) -> Value {
        place.run(&["info", "spans/spans.otlp", "--json"]).json()
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    out.write_all(bytes).expect("memory");
    out.finish().expect("memory")
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut out = ZlibEncoder::new(Vec::new(), Compression::fast());
    out.write_all(bytes).expect("memory");
    out.finish().expect("memory")
}

/// A span of the trace 0707…
fn json_span(id: &str, parent: &str, name: &str) -> String {
    format!(
        r#"{{"resourceSpans":[{{"resource":{{"attributes":[{{"key":"service.name","value":{{"stringValue":"web"}}}}]}},
        "scopeSpans":[{{"spans":[{{"traceId":"{trace}","spanId":"{id}","parentSpanId":"{parent}","name":"{name}",
        "startTimeUnixNano":"1700000003000000000","endTimeUnixNano":"1700000004000000000"}}]}}]}}]}}"#,
        trace = "07".repeat(16),
    )
}

#[test]
fn every_encoding_of_one_trace_becomes_one_run() {
    let place = Place::with(&[]);
    let collecting = Collecting::start(&place, &[]);
    let to = collecting.address.clone();
    let taken = post(&to, PROTO, &[], &export(7, 1, None, "root", 0));
    assert_eq!((taken.status, taken.body.len()), (200, 0), "{taken:?}");
    assert!(taken.head.contains(PROTO), "{taken:?}");
    assert_eq!(post(&to, PROTO, &[("Content-Encoding", "gzip")], &gzip(&export(7, 2, Some(1), "a", 1))).status, 200);
    assert_eq!(post(&to, PROTO, &[("Content-Encoding", "deflate")], &zlib(&export(7, 3, Some(1), "b", 2))).status, 200);
    let json = json_span("0000000000010004", "0000000000010001", "c");
    let taken = post(&to, "application/json; charset=utf-8", &[], json.as_bytes());
    assert_eq!((taken.status, &taken.body[..]), (200, &b"{}"[..]), "{taken:?}");
    assert!(taken.head.contains(JSON), "{taken:?}");
    let packed = gzip(json_span("0000000000010005", "0000000000010001", "d").as_bytes());
    assert_eq!(post(&to, JSON, &[("Content-Encoding", "gzip")], &packed).status, 200);
    // Nothing to do is well done.
    assert_eq!(post(&to, PROTO, &[], b"").status, 200);
    assert_eq!(post(&to, JSON, &[], b"{}").status, 200);
    for path in ["/v1/metrics", "/v1/logs"] {
        let other = send(&to, &request("POST", path, &[("Content-Type", PROTO)], b"whatever")).expect("an answer");
        assert_eq!(other.status, 200, "{other:?}");
    }
    let seen = collecting.end();
    assert_snapshot!("every_encoding", seen.shown());
    let info = Collecting::info(&place);
    let runs = info["runs"].as_array().expect("runs");
    assert_eq!((runs.len(), &runs[0]["processes"], &runs[0]["events"]), (1, &5.into(), &10.into()), "{info}");
    assert_eq!((&runs[0]["groups"]["shop"], &runs[0]["groups"]["web"]), (&3.into(), &2.into()), "{info}");
    assert_eq!(runs[0]["warnings"].as_array().map(Vec::len), Some(0), "{info}");
}

/// JSON is kept as the protocol buffers that say the same: the reader of JSON and that of the file see the same run.
#[test]
fn json_says_the_same_in_the_file() {
    let span = r#"{"traceId":"5B8EFFF798038103D269B633813FC60C","spanId":"EEE19B7EC3C1B174","name":"all","kind":2,
      "startTimeUnixNano":"1544712660000000000","endTimeUnixNano":1544712661000000001,"traceState":"a=b","flags":257,
      "attributes":[{"key":"s","value":{"stringValue":"ä\n\""}},{"key":"empty","value":{"stringValue":""}},
        {"key":"i","value":{"intValue":"-9223372036854775808"}},{"key":"j","value":{"intValue":7}},
        {"key":"d","value":{"doubleValue":-0.1}},{"key":"n","value":{"doubleValue":2.5}},{"key":"b","value":{"boolValue":false}},
        {"key":"l","value":{"arrayValue":{"values":[{"intValue":"1"},{"stringValue":"x"}]}}},
        {"key":"m","value":{"kvlistValue":{"values":[{"key":"k","value":{"boolValue":true}}]}}},
        {"key":"y","value":{"bytesValue":"AAEC/w=="}},{"key":"none","value":{}}],
      "events":[{"timeUnixNano":"1544712660500000000","name":"e","attributes":[{"key":"q","value":{"intValue":1}}]}],
      "droppedEventsCount":2,"status":{"code":2,"message":"bad"},"unknownField":{"a":[1,2,{}]},"droppedLinksCount":null}"#;
    let other = r#"{"trace_id":"W47/95gDgQPSabYzgT/GDA==","span_id":"7uGbfsPBsXU=","parent_span_id":"7uGbfsPBsXQ=","name":"two",
      "kind":"SPAN_KIND_PRODUCER","start_time_unix_nano":"1544712660100000000","end_time_unix_nano":"1544712660200000000",
      "links":[{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174"}],"status":{"code":"STATUS_CODE_OK"}}"#;
    let document = format!(
        r#"{{"resourceSpans":[{{"resource":{{"attributes":[{{"key":"service.name","value":{{"stringValue":"w"}}}}]}},
        "scopeSpans":[{{"scope":{{"name":"lib","version":"1"}},"spans":[{span},{other}],"schemaUrl":"x"}}]}}]}}"#
    );
    let place = Place::with(&[("direct.json", &document)]);
    let collecting = Collecting::start(&place, &[]);
    let taken = post(&collecting.address, JSON, &[], document.as_bytes());
    assert_eq!(taken.status, 200, "{}", String::from_utf8_lossy(&taken.body));
    assert_eq!(collecting.end().status, 0);
    let converted = |file: &str| {
        let seen = place.run(&["convert", file, "-o", "-", "--to", "jsonl"]);
        assert!(seen.status == 0 && seen.stdout.contains("-9223372036854775808"), "{}", seen.shown());
        seen.stdout
    };
    assert_eq!(converted("spans/spans.otlp"), converted("direct.json"));
}

#[test]
fn what_is_refused_is_answered_counted_and_told() {
    let place = Place::with(&[]);
    let collecting = Collecting::start(&place, &["--max-body", "100kB"]);
    let to = collecting.address.clone();
    let good = export(1, 1, None, "good", 0);
    assert_eq!(post(&to, PROTO, &[], &good).status, 200);
    let large = export(1, 2, None, &"x".repeat(200_000), 0);
    let bomb = &gzip(&vec![0x0a; 10_000_000])[..];
    assert!(bomb.len() < 100_000, "{}", bomb.len());
    let typed = |kind: &'static str| vec![("Content-Type", kind)];
    let packed = |how: &'static str| vec![("Content-Type", PROTO), ("Content-Encoding", how)];
    let mut chunked = format!("{:x}\r\n", large.len()).into_bytes();
    chunked.extend_from_slice(&large);
    chunked.extend_from_slice(b"\r\n0\r\n\r\n");
    type Case<'a> = (u16, &'a str, &'a str, Vec<(&'a str, &'a str)>, &'a [u8]);
    let cases: Vec<Case<'_>> = vec![
        (404, "POST", "/", typed(PROTO), &good),
        (404, "POST", "/v1/traces/../../../etc/passwd", typed(PROTO), &good),
        (404, "POST", "/v1/traces%00.otlp", typed(PROTO), &good),
        (405, "GET", "/v1/traces", vec![], b""),
        (405, "PUT", "/v1/traces", typed(PROTO), &good),
        (405, "OPTIONS", "/v1/traces", vec![], b""),
        (415, "POST", "/v1/traces", typed("text/plain"), &good),
        (415, "POST", "/v1/traces", vec![], &good),
        (415, "POST", "/v1/traces", packed("zstd"), &good),
        (400, "POST", "/v1/traces", typed(PROTO), &good[..good.len() - 3]),
        (400, "POST", "/v1/traces", typed(PROTO), b"\x00\x00\x00\x02\x0a\x00"),
        (400, "POST", "/v1/traces", typed(PROTO), b"{}"),
        (400, "POST", "/v1/traces", typed(JSON), b"{\"resourceSpans\":[{]}"),
        (
            400,
            "POST",
            "/v1/traces",
            typed(JSON),
            b"{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"name\":\"x\"}]}]}]}",
        ),
        (400, "POST", "/v1/traces", typed(JSON), &good),
        (400, "POST", "/v1/traces", packed("gzip"), &good),
        (413, "POST", "/v1/traces", packed("gzip"), bomb),
        (413, "POST", "/v1/traces", typed(PROTO), &large),
        (413, "POST", "/v1/traces", vec![("Content-Type", PROTO), ("Transfer-Encoding", "chunked")], &chunked),
    ];
    for (status, method, path, headers, body) in cases {
        let seen = send(&to, &request(method, path, &headers, body));
        let Some(seen) = seen else { panic!("no answer to {method} {path} {headers:?}") };
        assert_eq!(seen.status, status, "{method} {path} {headers:?} {seen:?}");
        assert_eq!(status == 405, seen.head.to_ascii_lowercase().contains("allow: post"), "{seen:?}");
        let kind = if headers.contains(&("Content-Type", JSON)) { JSON } else { PROTO };
        assert!(seen.head.contains(kind) && !seen.body.is_empty(), "an answer says why, as it was asked: {seen:?}");
    }
    // What a browser sends for a page, of whatever type.
    for header in [("Origin", "http://evil.example"), ("Origin", "null"), ("Sec-Fetch-Site", "cross-site")] {
        for kind in [PROTO, JSON, "text/plain", "application/grpc"] {
            let seen = send(&to, &request("POST", "/v1/traces", &[("Content-Type", kind), header], &good));
            assert_eq!(seen.map(|seen| seen.status), Some(403), "{header:?} {kind}");
        }
    }
    // It goes on.
    assert_eq!(post(&to, PROTO, &[], &export(1, 3, None, "more", 2)).status, 200);
    let seen = collecting.end();
    assert_snapshot!("refused", seen.shown());
    let files: Vec<_> = std::fs::read_dir(place.path().join("spans")).expect("a directory").collect();
    assert_eq!(files.len(), 1, "nothing but one file: {files:?}");
    assert_eq!(Collecting::info(&place)["runs"][0]["processes"], 2);
}

#[test]
fn nobody_is_waited_for_for_ever() {
    let place = Place::with(&[]);
    // The one place is taken by whoever does not speak.
    let collecting = Collecting::start(&place, &["--client-timeout", "300ms", "--max-connections", "1"]);
    let to = collecting.address.clone();
    let body = export(1, 1, None, "slow", 0);
    let whole = request("POST", "/v1/traces", &[("Content-Type", PROTO)], &body);
    let begun = Instant::now();
    for sent in [0, 3, 30, whole.len() - 5] {
        let mut stream = connect(&to);
        stream.write_all(&whole[..sent]).expect("room for a little");
        let seen = answer(stream);
        // Only of a request that has begun anything can be said.
        assert!(seen.is_none_or(|seen| seen.status == 408), "{sent}");
    }
    // The beginning of HTTP/2, and nothing more.
    let mut stream = connect(&to);
    stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").expect("room for a little");
    assert!(answer(stream).is_none());
    assert!(begun.elapsed() < Duration::from_secs(15), "{:?}", begun.elapsed());
    assert_eq!(post(&to, PROTO, &[], &export(1, 2, None, "quick", 0)).status, 200);
    let seen = collecting.end();
    assert_snapshot!("slow", seen.shown());
}

#[test]
fn a_thousand_posts_at_once() {
    const EACH: u16 = 125;
    let place = Place::with(&[]);
    let collecting = Collecting::start(&place, &["--max-connections", "64"]);
    let to = &collecting.address;
    thread::scope(|scope| {
        for thread in 0..8u16 {
            scope.spawn(move || {
                let streams = (0..EACH).map(|i| {
                    let mut stream = connect(to);
                    let body = export(thread as u8 + 1, i, None, "post", u64::from(i));
                    let sent = request("POST", "/v1/traces", &[("Content-Type", PROTO)], &body);
                    stream.write_all(&sent).expect("room for a request");
                    stream
                });
                for stream in streams.collect::<Vec<_>>() {
                    assert_eq!(answer(stream).expect("an answer").status, 200);
                }
            });
        }
    });
    let seen = collecting.end();
    assert!(seen.status == 0 && seen.stderr.contains("received 1,000 spans in 1,000 exports"), "{}", seen.shown());
    let info = Collecting::info(&place);
    let runs: Vec<&Value> = info["runs"].as_array().expect("runs").iter().map(|run| &run["processes"]).collect();
    assert_eq!(runs, vec![&Value::from(EACH); 8]);
}

#[test]
fn what_is_under_way_at_a_time_is_limited() {
    let place = Place::with(&[]);
    let collecting = Collecting::start(&place, &["--max-body", "10kB"]);
    let to = &collecting.address;
    // Sixteen of the largest size, of which each lacks a byte.
    let large = request("POST", "/v1/traces", &[("Content-Type", PROTO)], &[0x0a; 10_000]);
    let begun = |_| {
        let mut stream = connect(to);
        stream.write_all(&large[..large.len() - 1]).expect("room for a body");
        stream
    };
    let streams: Vec<_> = (0..16).map(begun).collect();
    let good = export(1, 1, None, "good", 0);
    let until = |status: u16| {
        let begun = Instant::now();
        loop {
            let seen = post(to, PROTO, &[], &good);
            if seen.status == status {
                return seen;
            }
            assert!(begun.elapsed() < Duration::from_secs(20), "{seen:?}");
            thread::sleep(Duration::from_millis(50));
        }
    };
    let refused = until(503);
    assert!(refused.head.to_ascii_lowercase().contains("retry-after: 1"), "{refused:?}");
    drop(streams);
    until(200);
    let seen = collecting.end();
    let told = seen.flat();
    assert!(seen.status == 2 && told.contains("too much at the same time"), "{}", seen.shown());
    assert!(told.contains("16 exports were lost: not complete"), "{}", seen.shown());
}

#[test]
fn what_is_written_is_limited() {
    let place = Place::with(&[]);
    let collecting = Collecting::start(&place, &["--max-total", "200B"]);
    assert_eq!(post(&collecting.address, PROTO, &[], &export(1, 1, None, "first", 0)).status, 200);
    assert_eq!(post(&collecting.address, PROTO, &[], &export(1, 2, None, &"second".repeat(20), 0)).status, 507);
    let seen = collecting.end();
    assert_snapshot!("full", seen.shown());
    assert_eq!(Collecting::info(&place)["runs"][0]["processes"], 1);
}

#[test]
fn where_and_for_how_long() {
    let place = Place::with(&[("there/spans.otlp", "somebody's")]);
    let mut told = String::new();
    for args in [
        &["collect", "new", "--listen", "0.0.0.0:0"][..],
        &["collect", "new", "--listen", "127.0.0.1:0", "--for", "100ms"],
        &["collect", "there", "--listen", "127.0.0.1:0", "--for", "100ms"],
        &["collect", "there/spans.otlp", "--listen", "127.0.0.1:0"],
        &["collect", "new", "--listen", "here"],
        &["collect", "new", "--max-body", "1GiB"],
    ] {
        let seen = place.run(args);
        assert_eq!(seen.status, 2, "{}", seen.shown());
        told.push_str(&format!("$ posetta {}\n{}\n", args.join(" "), seen.stderr));
    }
    assert_snapshot!("where", told);
    assert_eq!(place.read("there/spans.otlp"), "somebody's");
    assert!(!place.exists("new/spans.otlp"), "a recording of nothing is no recording");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    let seen = place.run(&["collect", "new", "--listen", &address]);
    assert!(seen.status == 2 && seen.flat().contains("port 0 is one that is free"), "{}", seen.shown());
    let remote = place.run(&["collect", "new", "--listen", "0.0.0.0:0", "--remote", "--for", "100ms"]);
    assert!(remote.stderr.contains("other machines can send"), "{}", remote.shown());
    assert!(remote.stdout.contains("export OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:"), "{}", remote.shown());
}
