//! Attributes of events, and values before, in properties of every kind; and every mistake with them.

use crate::program::Place;

const RUN: &str = r#"{"process":"A","name":"put","key":"a","size":3,"set":{"x":1}}
{"process":"B","name":"put","key":"b","size":12,"set":{"y":1}}
{"process":"A","name":"get","order":{"id":42,"ok":true},"$odd name":1,"set":{"x":3}}
{"process":"B","name":"get","order.id":"42","set":{"y":0}}
"#;

const PROPS: &str = r#"let put(k) = event(put, key == k)
property named     = ltl over events F (put("a") && F event(*, order.id == 42))
property twice     = psl over events {[*]; event(put, key == "b", size > 10); [*]}!
property dotted    = ltl over events F event(get, order.id == "42")
property truth     = ltl over events F event(get, order.ok == true)
property missing   = ltl over events G !event(*, key != "a")
property odd       = absence(event(*, $"$odd name" >= 2))
property sets      = m2l over events ex1 p: p in `event(put, size <= 3)` & p + 1 in `event(put)`
property rises     = ltl G x >= prev(x)
property falls     = ltl over events F on(y < prev(y))
property unchanged = ltl over events F (x == prev(x) && y == prev(y))
monitor keys { initial a; bad c; a -> b: event(put, key == "a"); b -> c: event(put, key == "a") }
"#;

fn place() -> Place {
    Place::with(&[("run.jsonl", RUN), ("p.props", PROPS)])
}

#[test]
fn answers_for_runs() {
    let place = place();
    insta::assert_snapshot!(place.run(&["check", "run.jsonl", "--spec", "p.props"]).shown());
}

#[test]
fn answers_for_streams_and_live_runs() {
    let place = place();
    let of = |args: &[&str]| place.run_with(&[args, &["--spec", "p.props"]].concat(), RUN.as_bytes());
    let told = [of(&["monitor"]), of(&["check", "--follow"])].map(|seen| seen.shown()).join("\n");
    insta::assert_snapshot!(told);
}

#[test]
fn one_run_of_many_may_lack_an_attribute() {
    let place = place();
    place.write("other.jsonl", b"{\"process\":\"A\",\"name\":\"put\",\"set\":{\"x\":1}}\n");
    let formula = "G !event(put, key == \"a\")";
    insta::assert_snapshot!(
        place.run(&["check", "run.jsonl", "other.jsonl", "--ltl", formula, "--verdict-only"]).shown()
    );
}

#[test]
fn mistakes() {
    let place = place();
    place.write("m.smv", b"MODULE main\nVAR b : boolean;\n");
    let mut told = Vec::new();
    for formula in [
        "F event(put, kye == \"a\")",
        "F event(put, x == 1)",
        "F event(put, nothing == 1)",
        "F event(put, key == a)",
        "F event(put, key)",
        "F event(put, key == \"a\" && size == 3)",
        "F event(put, )",
        "F event()",
        "F prev(x + 1) == 1",
        "F prev(x, y) == 1",
        "F prev(z) == 1",
        "F x == $k",
        "F prev(key) == \"a\"",
    ] {
        told.push(place.run(&["check", "run.jsonl", "--ltl", formula]).shown());
    }
    told.push(place.run(&["check", "run.jsonl", "--ctl", "AG x >= prev(x)"]).shown());
    told.push(place.run(&["check", "run.jsonl", "--ctl", "EF event(put, key == \"a\")"]).shown());
    told.push(place.run(&["verify", "m.smv", "--ltl", "G b == prev(b)"]).shown());
    told.push(place.run_with(&["monitor", "--ltl", "F event(put, kye == \"a\")"], RUN.as_bytes()).shown());
    told.push(place.run_with(&["check", "--follow", "--ltl", "F event(put, kye == \"a\")"], RUN.as_bytes()).shown());
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn explained() {
    let place = place();
    let told = ["G (event(put, key == \"a\") -> X event(get, size > 3))", "F (x > prev(x) && x == 2)"]
        .map(|formula| place.run(&["explain", "--ltl", formula]).shown());
    insta::assert_snapshot!(told.join("\n"));
}
