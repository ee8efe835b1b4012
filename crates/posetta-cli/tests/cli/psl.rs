//! PSL from the command line: answers, how formulas are read, and every mistake in them.

use crate::program::{MUTEX, ORDERED, Place};

const PROPS: &str = "\
let enters(c) = on(c == 1)
let leaves(c) = on(c == 0)
let stay(c) = {enters(c); !leaves(c)[*]; leaves(c)}
property alone    = psl over events never {stay(c0) && {[+]; enters(c1); [+]}}
property handover = psl over events always stay(c0) |=> {[*]; enters(c1)}!
foreach i in 0..1 {
  property left = psl always ({c[i] == 1} |-> eventually! {c[i] == 0})
}
";

fn place() -> Place {
    Place::with(&[("mutex.trace", MUTEX), ("ordered.trace", ORDERED), ("p.props", PROPS)])
}

#[test]
fn answers_for_people_and_programs() {
    let place = place();
    let never_both = "never (c0 == 1 && c1 == 1)";
    let turns = "{c0 == 0[+]; c0 == 1[+]; c0 == 0[*]}!";
    let check = ["check", "mutex.trace", "ordered.trace", "--psl", never_both, "--ltl", "F c0 == 1", "--psl", turns];
    insta::assert_snapshot!(place.run(&check).shown());
    let json = place.run(&[&check[..], &["--json"]].concat());
    assert_eq!(json.status, 1);
    let all = ["logic", "formula", "verdict", "runs"].map(|field| json.results(field).join(" | "));
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn the_same_as_ltl() {
    let place = place();
    for (psl, ltl) in [
        ("never (c0 == 1 && c1 == 1)", "G !(c0 == 1 && c1 == 1)"),
        ("always (c0 == 1 -> next! c0 == 0)", "G (c0 == 1 -> X (c0 == 0))"),
        ("always (c0 == 1 -> next c0 == 0)", "G (c0 == 1 -> WX (c0 == 0))"),
        ("c0 == 0 until! c0 == 1", "(c0 == 0) U (c0 == 1)"),
        ("c1 == 1 before c0 == 1", "!(c0 == 1) W (c1 == 1 && !(c0 == 1))"),
        ("eventually! {c0 == 1; c1 == 1}", "F (c0 == 1 && X (c1 == 1))"),
        ("response(c0 == 1, c1 == 1)", "response(c0 == 1, c1 == 1)"),
        ("exactly_once(c0 == 1) after c1 == 1", "exactly_once(c0 == 1) after c1 == 1"),
    ] {
        for over in ["states", "events"] {
            let answers = [("--psl", psl), ("--ltl", ltl)].map(|(flag, formula)| {
                place.run(&["check", "mutex.trace", "ordered.trace", flag, formula, "--over", over, "--json"])
            });
            for field in ["verdict", "runs", "observed"] {
                assert_eq!(answers[0].results(field), answers[1].results(field), "{psl} {over}");
            }
        }
    }
}

#[test]
fn a_witness_replays_and_shows_its_parts() {
    let place = place();
    let formula = ["--psl", "always {c0 == 1} |=> c1 == 0"];
    let check = [&["check", "mutex.trace"][..], &formula].concat();
    let report = place.run(&[&check[..], &["--json"]].concat());
    place.write("report.json", report.stdout.as_bytes());
    let replay = [&["replay", "mutex.trace", "--witness", "report.json"][..], &formula].concat();
    insta::assert_snapshot!(place.run(&replay).shown());
    insta::assert_snapshot!(place.run(&[&check[..], &["--trace"]].concat()).shown());
}

#[test]
fn properties_of_a_file_are_read_with_their_definitions() {
    let place = place();
    place.write("p.props", PROPS.replace("c[i]", "c0").as_bytes());
    insta::assert_snapshot!(place.run(&["check", "mutex.trace", "--spec", "p.props"]).shown());
}

#[test]
fn explained() {
    let place = place();
    for args in [
        &["explain", "--psl", "always {req; !ack[*]; ack} |=> done until x == 1 && y"][..],
        &["explain", "{a : b[->2]}! abort c", "--over", "events"],
        &["explain", "--psl", "never {a; b}", "--json"],
        &["explain", "p.props", "--property", "alone"],
        &["explain", "--psl", "never {a; b}", "--dot"],
    ] {
        insta::assert_snapshot!(place.run(args).shown());
    }
}

#[test]
fn followed() {
    let place = place();
    let run = "{\"process\":\"A\",\"set\":{\"x\":1}}\n{\"process\":\"A\",\"set\":{\"x\":2}}\n{\"process\":\"A\",\"set\":{\"x\":1}}\n";
    let args = ["check", "--follow", "-", "--psl", "never {x == 1; x == 2; x == 1}"];
    insta::assert_snapshot!(place.run_with(&args, run.as_bytes()).shown());
}

#[test]
fn mistakes() {
    let place = place();
    for formula in [
        "{c0; ",
        "c0; c1",
        "{c0[*3:2]}",
        "{c0[->0]}",
        "{c0[*99999999999]}",
        "{[->2]}",
        "{c0; next c1}",
        "{{c0}!; c1}",
        "{!{c0; c1}}",
        "c0 abort {c1}",
        "until c0",
        "next == 1",
        "c0 R c1",
        "eventually c0",
        "starts(c0)",
        "always {c0; c2}",
        "<c0 == 1> \"a\"",
    ] {
        insta::assert_snapshot!(place.run(&["check", "mutex.trace", "--psl", formula]).shown());
    }
    for props in [
        "let s = {c0; c1}\nproperty p = ltl G s\n",
        "let r(a, b) = a R b\nproperty p = psl r(c0, c1)\n",
        "let s(n) = {c0[*n:2]}\nproperty p = psl s(3)\n",
        "property p = ps always c0\n",
        "property p = m2l c0\n",
    ] {
        place.write("bad.props", props.as_bytes());
        insta::assert_snapshot!(place.run(&["check", "mutex.trace", "--spec", "bad.props"]).shown());
    }
}
