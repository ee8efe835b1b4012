//! `posetta check --json`: the field `why`, as docs/why.md describes it.

use crate::program::Place;
use serde_json::{Value, json};

/// The run of docs/why.md.
const RUN: &str = r#"{"process":"A","set":{"c0":1}}
{"process":"A","set":{"c0":0}}
{"process":"B","set":{"c1":1}}
{"process":"B","set":{"c1":0}}
"#;

fn why(run: &str, args: &[&str]) -> (Value, Value) {
    let name = if run.starts_with('{') { "run.jsonl" } else { "run.trace" };
    let place = Place::with(&[(name, run)]);
    let report = place.run(&[&["check", name, "--json"], args].concat()).json();
    let result = &report["results"][0];
    (result["witness"].clone(), result["why"].clone())
}

#[test]
fn the_example_of_the_documentation() {
    let (witness, why) = why(RUN, &["--ltl", "G !(c0 == 1 && c1 == 1)"]);
    assert_eq!(witness, json!(["A.1", "B.1", "A.2", "B.2"]));
    let expected = json!({
        "exchanges": 1,
        "closest": true,
        "swapped": ["A.2", "B.1"],
        "missing_edges": [["A.2", "B.1"]],
        "minimum": true,
    });
    assert_eq!(why, expected);
    let page = include_str!("../../../../docs/why.md");
    assert!(page.contains(RUN), "the run of docs/why.md");
    assert!(page.contains(&format!("\"witness\":{witness},")), "the witness of docs/why.md");
    let field = |name: &str| format!("\"{name}\":{}", why[name]);
    let fields = ["exchanges", "closest", "swapped", "missing_edges", "minimum"].map(field).join(",");
    assert!(page.contains(&format!("\"why\":{{{fields}}}")), "{fields} of docs/why.md");
}

#[test]
fn an_observed_order_that_fails_is_the_witness() {
    let (witness, why) = why(RUN, &["--ltl", "F (c0 == 1 && c1 == 1)"]);
    assert_eq!(witness, json!(["A.1", "A.2", "B.1", "B.2"]));
    assert_eq!((&why["exchanges"], &why["closest"], &why["swapped"]), (&json!(0), &json!(true), &Value::Null));
    // Both must be inside before one of them leaves.
    assert_eq!((&why["missing_edges"], &why["minimum"]), (&json!([["A.1", "B.2"], ["B.1", "A.2"]]), &json!(true)));
}

#[test]
fn without_an_observed_order_nothing_was_swapped() {
    let run = "A: c0=1 -> c0=0\nB: c1=1 -> c1=0\n";
    let (_, why) = why(run, &["--ltl", "G !(c0 == 1 && c1 == 1)"]);
    assert_eq!((&why["exchanges"], &why["swapped"]), (&json!(1), &Value::Null));
    assert_eq!((&why["missing_edges"], &why["minimum"]), (&json!([["A.2", "B.1"]]), &json!(true)));
}

#[test]
fn there_is_not_always_a_why() {
    let none = [
        &["--ltl", "F (c0 == 1)"][..],
        &["--ctl", "AG (c0 == 0)"],
        &["--ltl", "G !(c0 == 1 && c1 == 1)", "--verdict-only"],
    ];
    for args in none {
        assert_eq!(why(RUN, args).1, Value::Null, "{args:?}");
    }
    // No order satisfies it, so no edge would help.
    let (_, hopeless) = why(RUN, &["--ltl", "G (c0 == 0)"]);
    assert_eq!((&hopeless["missing_edges"], &hopeless["minimum"]), (&Value::Null, &json!(false)));
}
