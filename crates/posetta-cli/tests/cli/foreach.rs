//! Properties with an instance for each value: answers for people and programs, and every mistake with them.

use crate::program::Place;

const RUN: &str = r#"{"process":"A","name":"req","id":"a1","k":1,"set":{"x":1}}
{"process":"B","name":"req","id":"b1","k":"two","set":{"x":2}}
{"process":"B","name":"ack","id":"b2","k":1,"after":["a1"]}
{"process":"A","name":"ack","id":"a2","k":"two","of":"two"}
{"process":"A","name":"req","id":"a3","k":3}
{"process":"C","name":"note","id":"c1"}
"#;

const PROPS: &str = r#"property answered = foreach k in values(k) { ltl over events G (event(req) -> F event(ack, k == $k)) }
property next     = foreach k in values(k) { psl over events always event(req) -> next event(ack) }
property own      = foreach k in values(k) { ltl F x == $k }
foreach k in values(k) {
  let acked = event(ack, of == $k)
  property first = precedence(event(req), event(ack)) && F true
  property other = m2l over events all1 p: p notin `acked`
  property cuts  = ctl AG (x == 0 || x == 1 || x == 2)
  some monitor m { initial a; bad c; a -> b: event(req); b -> c: event(ack) }
}
foreach n in processes {
  property mine = ltl over events G (process($n) && !event(*, of == $n))
}
"#;

fn place() -> Place {
    Place::with(&[("run.jsonl", RUN), ("p.props", PROPS)])
}

#[test]
fn answers_for_people_and_programs() {
    let place = place();
    let check = ["check", "run.jsonl", "--spec", "p.props"];
    insta::assert_snapshot!(place.run(&check).shown());
    let json = place.run(&[&check[..], &["--json"]].concat());
    let json = json.json();
    let of = |field: &str| {
        let values = json["results"].as_array().expect("results").iter().map(|r| r[field].to_string());
        values.collect::<Vec<_>>().join(" | ")
    };
    insta::assert_snapshot!(["property", "foreach", "verdict", "instances", "witness", "runs"].map(of).join("\n"));
    let traced = ["check", "run.jsonl", "--spec", "p.props", "--property", "answered", "--trace"];
    insta::assert_snapshot!(place.run(&traced).shown());
}

#[test]
fn streams() {
    let place = place();
    let names = ["answered", "next", "own", "first", "other", "mine"].map(|name| ["--property", name]).concat();
    let args = [&["monitor", "--spec", "p.props"][..], &names].concat();
    insta::assert_snapshot!(place.run_with(&args, RUN.as_bytes()).shown());
    let json = [&args[..4], &["answered", "--json"]].concat();
    insta::assert_snapshot!(place.run_with(&json, RUN.as_bytes()).shown());
}

#[test]
fn a_limit_leaves_instances_open() {
    let place = place();
    let shown = place.run(&["check", "run.jsonl", "--spec", "p.props", "--memory", "1KB"]).shown();
    assert!(shown.contains("unknown"), "{shown}");
}

#[test]
fn several_runs() {
    let place = place();
    place.write("other.jsonl", b"{\"process\":\"A\",\"name\":\"req\",\"set\":{\"x\":1}}\n");
    let args =
        ["check", "run.jsonl", "other.jsonl", "--spec", "p.props", "--property", "answered", "--property", "mine"];
    insta::assert_snapshot!(place.run(&args).shown());
}

#[test]
fn mistakes() {
    let place = place();
    let mut told = Vec::new();
    for props in [
        "property p = foreach k in values(kk) { ltl F true }",
        "property p = foreach k in values(x) { ltl F true }",
        "property p = foreach k in values() { ltl F true }",
        "property p = foreach k in values(k { ltl F true }",
        "property p = foreach k in 0..3 { ltl F true }",
        "property p = foreach k in values(k) { ltl F true",
        "property p = foreach k in values(k) { ltl F true } && true",
        "property p = foreach k in values(k) { ltl F x == $j }",
        "property p = foreach k in values(k) { ltl F process($k) }",
        "property p = foreach k in values(k) { ltl F event($k) }",
        "property p = foreach k in values(k) { ltl F x < $k }",
        "foreach k in values(k) {\n  foreach n in processes {\n    property p = ltl F true\n  }\n}",
        "foreach k in values(k) {\n  property p = foreach n in processes { ltl F true }\n}",
        "foreach i in 0..1 {\n  property p = ltl F x == $i\n}",
        "foreach i in 0..1 {\n  property p = foreach i in processes { ltl F true }\n}",
    ] {
        place.write("m.props", props.as_bytes());
        told.push(format!("{props}\n{}", place.run(&["check", "run.jsonl", "--spec", "m.props"]).shown()));
    }
    let one = ["--spec", "p.props", "--property", "answered"];
    for args in [
        &["check", "--follow"][..],
        &["monitor", "--key", "k"],
        &["monitor", "--checkpoint", "c"],
        &["verify", "m.aut"],
        &["replay", "run.jsonl", "--witness", "w"],
    ] {
        place.write("m.aut", b"des (0, 1, 2)\n(0, \"a\", 1)\n");
        place.write("w", b"a1\n");
        told.push(place.run_with(&[args, &one].concat(), RUN.as_bytes()).shown());
    }
    insta::assert_snapshot!(told.join("\n"));
}
