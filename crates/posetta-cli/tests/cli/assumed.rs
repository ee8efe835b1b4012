//! What a verdict rests on beside causes, and what the records lack.

use crate::program::{MUTEX, Place, schema};

/// Three spans: the second begins after the first because its parent does, and after the third by the clock alone.
const SPANS: &str = r#"{"posetta":1,"groups":{"shop#1":"shop","shop#2":"shop","stock#1":"stock"},"incomplete":{"missing parent":2}}
{"process":"shop#1","id":"order","set":{"ordered":1},"time":1}
{"process":"shop#2","id":"pay","set":{"paid":1},"time":2,"after":[{"event":"order","because":"parent"}]}
{"process":"stock#1","id":"ship","set":{"shipped":1},"time":3,"after":[{"event":"pay","because":"same clock"}]}
"#;

#[test]
fn a_verdict_says_what_it_rests_on() {
    let place = Place::with(&[("run.jsonl", SPANS)]);
    let seen = place.run(&[
        "check",
        "run.jsonl",
        "--ltl",
        "G (shipped == 1 -> paid == 1)",
        "--ltl",
        "G (paid == 1 -> ordered == 1)",
        "--ctl",
        "EF (shipped == 1 && paid == 0)",
        "--ltl",
        "G (shipped == 0)",
    ]);
    insta::assert_snapshot!(seen.shown());
}

#[test]
fn programs_read_it_too() {
    let place = Place::with(&[("run.jsonl", SPANS)]);
    for (formula, relies_on) in
        [("G (shipped == 1 -> paid == 1)", r#"["same clock"]"#), ("G (paid == 1 -> ordered == 1)", "[]")]
    {
        let seen = place.run(&["check", "run.jsonl", "--ltl", formula, "--json"]);
        schema::check(&seen.stdout);
        let report: serde_json::Value = serde_json::from_str(&seen.stdout).unwrap();
        assert_eq!(report["results"][0]["relies_on"].to_string(), relies_on, "{formula}");
        assert_eq!(report["results"][0]["incomplete"].to_string(), r#"["missing parent"]"#);
    }
}

#[test]
fn programs_read_why_each_edge_of_an_order_is_there() {
    let place = Place::with(&[("run.jsonl", SPANS), ("mutex.trace", MUTEX)]);
    let edges = |file: &str, more: &[&str]| {
        let seen = place.run(&[&["check", file, "--json"], more].concat());
        schema::check(&seen.stdout);
        let report: serde_json::Value = serde_json::from_str(&seen.stdout).unwrap();
        report["results"][0]["edges"].to_string()
    };
    let parent = r#"{"from":"order","to":"pay","reason":"parent","assumed":false}"#;
    let clock = r#"{"from":"pay","to":"ship","reason":"same clock","assumed":true}"#;
    assert_eq!(edges("run.jsonl", &["--ltl", "G (shipped == 0)"]), format!("[{parent},{clock}]"));
    // A path has the edges among its own events.
    assert_eq!(edges("run.jsonl", &["--ctl", "EF (paid == 1)", "--witness", "always"]), format!("[{parent}]"));
    // Without an order there is nothing to say, and where the run gives no reasons neither.
    assert_eq!(edges("run.jsonl", &["--ltl", "G (shipped < 9)"]), "null");
    assert_eq!(edges("run.jsonl", &["--ltl", "G (shipped == 0)", "--witness", "never"]), "null");
    assert_eq!(edges("mutex.trace", &["--ltl", "G (c0 == 0)"]), "null");
}

#[test]
fn info_counts_edges_by_reason() {
    let place = Place::with(&[("run.jsonl", SPANS)]);
    insta::assert_snapshot!(place.run(&["info", "run.jsonl"]).shown());
    let seen = place.run(&["info", "run.jsonl", "--json"]);
    schema::check(&seen.stdout);
    assert!(seen.stdout.contains(r#""reasons":{"parent":1,"same clock":1}"#), "{}", seen.shown());
}

#[test]
fn incomplete_records_can_be_refused_and_groups_are_named_like_processes() {
    let place = Place::with(&[("run.jsonl", SPANS)]);
    let check = ["check", "run.jsonl", "--ltl", "F (process(shop) && paid == 1)"];
    assert_eq!(place.run(&check).status, 0);
    assert_eq!(place.run(&[&check[..], &["--deny", "incomplete"]].concat()).status, 2);
}

#[test]
fn what_is_assumed_is_not_followed() {
    let place = Place::with(&[("run.jsonl", SPANS)]);
    insta::assert_snapshot!(place.run(&["check", "--follow", "run.jsonl", "--ltl", "G (shipped == 0)"]).shown());
}

#[test]
fn flags_that_mean_nothing_for_a_format_are_refused() {
    let place = Place::with(&[("run.jsonl", SPANS)]);
    for flags in [["--trust", "none"], ["--skew", "5ms"]] {
        insta::assert_snapshot!(place.run(&[&["info", "run.jsonl"], &flags[..]].concat()).shown());
    }
}
