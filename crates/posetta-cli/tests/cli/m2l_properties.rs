//! M2L as a property from the command line: answers, explanations, streams, limits, and every mistake.

use crate::program::{MUTEX, ORDERED, Place};

/// Every entry has a leave, and neither worker enters while the other is inside.
const PROPS: &str = "\
let entered(c) = on(c == 1)
property even = m2l over events   // as many as there are workers, at least
  # every second event of the run
  ex2 E: (all1 p: p in E <=> (ex1 q where q + 1 = p: q notin E)) & max $ in E;
property alone = m2l over events
  pred between(var1 p, q, r) = p < q & q < r;
  all1 p, r where p in `entered(c0)` & r in `on(c0 == 0)`: ~(ex1 q: between(p, q, r) & q in `entered(c1)`)
property starts = m2l 0 notin `c0 == 1` union `c1 == 1`
";

const RESPONSE: &str = "all1 p where p in `on(c0 == 1)`: ex1 q: p < q & q in `on(c1 == 1)`";

fn place() -> Place {
    Place::with(&[("mutex.trace", MUTEX), ("ordered.trace", ORDERED), ("m.props", PROPS)])
}

#[test]
fn answers_for_people_and_programs() {
    let place = place();
    let check = ["check", "mutex.trace", "ordered.trace", "--spec", "m.props", "--m2l", RESPONSE, "--over", "events"];
    insta::assert_snapshot!(place.run(&check).shown());
    insta::assert_snapshot!(place.run(&[&check[..], &["--json"]].concat()).shown());
}

#[test]
fn the_parts_of_an_order() {
    let place = place();
    let check = ["check", "mutex.trace", "--m2l", RESPONSE, "--trace"];
    insta::assert_snapshot!(place.run(&check).shown());
    let json = place.run(&[&check[..], &["--json"]].concat()).json();
    insta::assert_snapshot!(json["results"][0]["parts"].to_string());
}

#[test]
fn a_witness_replays() {
    let place = place();
    let report = place.run(&["check", "mutex.trace", "--spec", "m.props", "--json"]);
    place.write("report.json", report.stdout.as_bytes());
    let replay = |order: &str| {
        place.run(&["replay", "mutex.trace", "--witness", order, "--spec", "m.props", "--property", "alone"])
    };
    insta::assert_snapshot!(replay("report.json").shown());
    place.write("good.json", br#"["A.1", "A.2", "B.1", "B.2"]"#);
    assert_eq!(replay("good.json").status, 0);
    let flag = place.run(&["replay", "mutex.trace", "--witness", "good.json", "--m2l", RESPONSE, "--json"]);
    assert_eq!((flag.status, flag.json()["logic"].as_str()), (0, Some("m2l")), "{}", flag.shown());
}

/// What is too long for trying all sets is read by the automaton.
#[test]
fn a_long_order_replays() {
    let place = Place::with(&[]);
    let sets: Vec<String> = (0..60).map(|i| format!("x={}", i % 2)).collect();
    place.write("long.trace", format!("A: {}\n", sets.join(" -> ")).as_bytes());
    let labels: Vec<String> = (1..=60).map(|i| format!("\"A.{i}\"")).collect();
    place.write("order.json", format!("[{}]", labels.join(",")).as_bytes());
    for (formula, status) in [
        ("ex2 E: 0 in E & (all1 p where p < max $: p in E <=> p + 1 notin E) & max $ in E", 0),
        ("ex2 E: 0 in E & (all1 p where p < max $: p in E <=> p + 1 notin E) & max $ notin E", 1),
    ] {
        for args in [&["check", "long.trace"][..], &["replay", "long.trace", "--witness", "order.json"]] {
            let seen = place.run(&[args, &["--m2l", formula]].concat());
            assert_eq!(seen.status, status, "{}", seen.shown());
        }
    }
}

#[test]
fn explained() {
    let place = place();
    for args in [
        &["explain", "m.props", "--property", "even"][..],
        &["explain", "m.props", "--property", "alone", "mutex.trace"],
        &["explain", "--m2l", "1 notin $ & ~(all1 p: p in `c0 == 1` | p ~= 0)", "--json"],
        &["explain", "--m2l", RESPONSE, "--dot"],
        &["explain", "--m2l", RESPONSE, "--hoa", "--of", "bad"],
        &["explain", "--m2l", RESPONSE, "--tester"],
    ] {
        insta::assert_snapshot!(place.run(args).shown());
    }
}

const STREAM: &str = r#"{"posetta":1,"initial":{"x":0}}
{"process":"A","name":"flip","set":{"x":1}}
{"process":"A","name":"look"}
{"process":"A","name":"flip","set":{"x":0}}
{"process":"A","name":"flip","set":{"x":1}}
"#;

#[test]
fn streams_and_live_runs() {
    let place = place();
    place.write("stream.jsonl", STREAM.as_bytes());
    let never = "~(ex1 p: p in `event(look)` & p in `x == 1`)";
    let even = "ex2 E: 0 notin E & (all1 p where p < max $: p in E <=> p + 1 notin E) & max $ in E";
    for args in [
        &["monitor", "stream.jsonl", "--m2l", never, "--m2l", even, "--over", "events"][..],
        &["monitor", "stream.jsonl", "--m2l", even, "--json", "--completions", "infinite"],
        &["check", "stream.jsonl", "--follow", "--m2l", never],
    ] {
        insta::assert_snapshot!(place.run(args).shown());
    }
}

/// The automaton of this formula has more states than any memory: what is asked of three atoms so many positions apart.
#[test]
fn past_a_limit_the_answer_is_unknown() {
    let place = place();
    let far = "ex1 p: p in `c0` & p + 60 in `c1` & (all1 q: q in `c0` <=> q + 50 in `c1`)";
    for args in [
        &["check", "mutex.trace", "--m2l", far, "--memory", "1MiB"][..],
        &["monitor", "stream.jsonl", "--m2l", far, "--memory", "1MiB"],
        &["explain", "--m2l", far, "--memory", "1MiB"],
    ] {
        place.write("stream.jsonl", br#"{"c0":1,"c1":0}"#);
        let seen = place.run(args);
        assert_eq!(seen.status, 3, "{}", seen.shown());
    }
    let seen = place.run(&["check", "mutex.trace", "--m2l", far, "--memory", "1MiB"]);
    assert!(seen.shown().contains("unknown"), "{}", seen.shown());
}

#[test]
fn mistakes() {
    let place = place();
    for formula in [
        "",
        "all1 p: p in c0",
        "assert true; 0 in `c0 == 1`",
        "true;\nverify true",
        "var2 X; X = `c0`",
        "ex1 p: p in `G c0`",
        "0 in `c0 == 1 && c1 == 1`",
        "0 in `c2 == 1`",
        "0 in `enabled(a)`",
        "ex1 p:\n  p in `c0 == 1` and true",
    ] {
        insta::assert_snapshot!(place.run(&["check", "mutex.trace", "--m2l", formula]).shown());
    }
    for props in [
        "property p = m2l over time true\n",
        "let both = c0 == 1 && c1 == 1\nproperty p = m2l\n  0 in\n  `both`\n",
        "let late = F c0\nproperty p = m2l 0 in `late`\n",
        "foreach i in 0..1 {\n  property p = m2l i - 1 in `c0` | j in `c0`\n}\n",
    ] {
        place.write("bad.props", props.as_bytes());
        insta::assert_snapshot!(place.run(&["check", "mutex.trace", "--spec", "bad.props"]).shown());
    }
}

#[test]
fn models_are_verified_otherwise() {
    let place = place();
    place.write("m.smv", b"MODULE main\nVAR b : boolean;\n");
    let seen = place.run(&["verify", "m.smv", "--m2l", "0 in `b`"]);
    assert_eq!(seen.status, 2, "{}", seen.shown());
    insta::assert_snapshot!(seen.stderr);
}

/// A philosopher's day, with what nobody sees, and a formula that no LTL says.
const DAY: &str =
    "component P { internal think  lts { init s; s -think-> t -take-> u -eat-> v -drop-> s; u -drop-> s } }\n";

#[test]
fn of_systems() {
    let place = place();
    place.write("day.sys", DAY.as_bytes());
    let even =
        "ex2 E: 0 notin E & (all1 p where p + 1 in $: p in E <=> p + 1 notin E) & all1 p where p in `drop`: p in E";
    let turn = "all1 p: p in `eat` => p - 1 in `take` & p + 1 in `drop`";
    let before = "all1 p: p in `eat` => ex1 q: q < p & q in `take` & all1 r: q < r & r < p => r notin `drop`";
    let props = format!("property before = m2l {before}\nproperty after = m2l all1 p: p in `drop` => p - 1 in `eat`\n");
    place.write("day.props", props.as_bytes());
    let asked: [&[&str]; 6] = [
        &["--m2l", even],
        &["--m2l", turn],
        &["--spec", "day.props"],
        &["--spec", "day.props", "--json", "--engine", "explicit"],
        &["--m2l", "all1 p: p in `P == \"s\"` => p in `ate`"],
        &["--m2l", "all1 p: p in `think` => p + 1 in `take`", "--engine", "sog", "--stats"],
    ];
    for args in asked {
        let seen = place.run(&[&["verify", "day.sys"], args].concat());
        insta::assert_snapshot!(seen.shown());
    }
}
