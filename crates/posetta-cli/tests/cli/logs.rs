//! Logs with vector clocks: runs in one file, expressions, warnings and mistakes.

use crate::program::Place;
use insta::assert_snapshot;

const RPC: &str = "\
client {\"client\":1}
ask
server {\"server\":1, \"client\":1}
serve
server {\"server\":2, \"client\":1}
rest
client {\"client\":2, \"server\":1}
got it
";

/// Two runs: in the second nobody hands over.
const TWO: &str = "\
=== ordered ===
[n0] {\"n0\":1} 1 enter
[n0] {\"n0\":2} 0 leave
[n1] {\"n1\":1, \"n0\":2} 1 enter
[n1] {\"n1\":2, \"n0\":2} 0 leave
=== free ===
[n0] {\"n0\":1} 1 enter
[n0] {\"n0\":2} 0 leave
[n1] {\"n1\":1} 1 enter
[n1] {\"n1\":2} 0 leave
";

const TWO_REGEX: &str = r"\[(?<host>\w+)\] (?<clock>{.*}) (?<in>\d) (?<event>.*)";
const NEVER_BOTH: &str = "G !(n0.in == 1 && n1.in == 1)";

#[test]
fn a_log_is_recognised_and_checked() {
    let place = Place::with(&[("rpc.log", RPC)]);
    assert_snapshot!(place.run(&["info", "rpc.log"]).shown());
    assert_snapshot!(place.run(&["check", "rpc.log", "--ltl", "G (event(\"got it\") -> O event(serve))"]).shown());
}

#[test]
fn the_runs_of_a_log_are_runs_of_their_own() {
    let place = Place::with(&[("two.log", TWO)]);
    let check = ["check", "two.log", "--regex", TWO_REGEX, "--ltl", NEVER_BOTH];
    assert_snapshot!(place.run(&check).shown());
    let json = place.run(&[&check[..], &["--json"]].concat());
    assert_eq!(json.results("trace"), ["two.log#ordered", "two.log#free"]);
    assert_eq!(json.results("verdict"), ["holds", "violated"]);
    place.write("report.json", json.stdout.as_bytes());
    let replay =
        |run: &str| place.run(&["replay", run, "--regex", TWO_REGEX, "--witness", "report.json", "--ltl", NEVER_BOTH]);
    assert_eq!(replay("two.log#free").status, 1);
    assert_snapshot!(replay("two.log").shown());
    assert_snapshot!(replay("two.log#third").shown());
    let one = place.run(&["info", "two.log#2", "--regex", TWO_REGEX, "--json"]).json();
    assert_eq!(one["runs"][0]["trace"], "two.log#free");
    assert_eq!(one["runs"][0]["cuts"], "9");
}

#[test]
fn what_is_missing_is_told_and_the_rest_is_checked() {
    let log = "My log\n\na {\"a\":1}\nx\na {\"a\":4, \"b\":2}\ny\nz\nc {\"c\":1, \"a\":7, \"b\":2}\nw\n";
    let place = Place::with(&[("holes.log", log)]);
    let seen = place.run(&["check", "holes.log", "--ltl", "G (event(w) -> O event(x))"]);
    assert_snapshot!(seen.shown());
    let json = place.run(&["check", "holes.log", "--ltl", "G (event(w) -> O event(x))", "--json"]).json();
    let kinds: Vec<&str> =
        json["results"][0]["warnings"].as_array().unwrap().iter().map(|w| w["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["unmatched", "missing-event", "missing-event", "missing-event"]);
}

#[test]
fn groups_become_variables() {
    let log = "a {\"a\":1} role=leader term=1\nb {\"b\":1} role=follower term=2\n";
    let place = Place::with(&[("roles.log", log)]);
    let regex = r"(?<host>\w+) (?<clock>{.*}) (?<event>role=(?<role>\w+) term=(?<term>\d+))";
    let check = ["check", "roles.log", "--regex", regex, "--ltl", "F (a.role == \"leader\" && b.term == 2)"];
    assert_eq!(place.run(&[&check[..], &["--set", "role"]].concat()).status, 0);
    assert_snapshot!(place.run(&check).shown());
    assert_snapshot!(place.run(&[&check[..], &["--set", "rolle,term"]].concat()).shown());
}

#[test]
fn mistakes_in_logs_and_expressions() {
    let place = Place::with(&[
        ("glued.log", "a {\"a\":1}\nx\na {\"a\":2} b {\"b\":1}\ny\na {\"a\":3}\nz\n"),
        ("twice.log", "a {\"a\":1}\nx\nb {\"b\":1}\ny\na {\"a\":1}\nz\n"),
        ("back.log", "a {\"a\":1}\nx\nb {\"b\":1, \"a\":1}\ny\nb {\"b\":2}\nz\n"),
        ("circle.log", "a {\"a\":1, \"b\":1}\nx\nb {\"b\":1, \"a\":1}\ny\n"),
        ("plain.log", "12:00 server started\n12:01 server stopped\n"),
        ("header.log", "(?<host>\\S+) (?<clock>{.*}\\n(?<event>.*)\n\na {\"a\":1}\nx\n"),
        ("run.trace", "A: x=1\n"),
    ]);
    let mut shown = String::new();
    for arguments in [
        &["glued.log"][..],
        &["twice.log"],
        &["back.log"],
        &["circle.log"],
        &["plain.log"],
        &["header.log"],
        &["plain.log", "--regex", "(?<host>\\w+) (?=started)(?<clock>.)(?<event>.*)"],
        &["plain.log", "--regex", "(?<event>.*)"],
        &["plain.log", "--regex", "(?<host>x) (?<clock>y) (?<event>z)"],
        &["plain.log", "--delimiter", "x*"],
        &["run.trace", "--from", "text", "--regex", "(?<host>x) (?<clock>y) (?<event>z)"],
    ] {
        let seen = place.run(&[&["info"], arguments].concat());
        assert_eq!(seen.status, 2, "{arguments:?}");
        shown += &format!("$ posetta info {}\n{}\n", arguments.join(" "), seen.stderr);
    }
    assert_snapshot!(shown);
}

#[test]
fn a_directory_gives_the_logs_that_have_clocks() {
    let place =
        Place::with(&[("runs/rpc.log", RPC), ("runs/server.log", "12:00 started\n"), ("runs/a.trace", "A: x=1\n")]);
    let names = |arguments: &[&str]| -> Vec<String> {
        let json = place.run(&[&["info", "runs", "--json"], arguments].concat()).json();
        json["runs"].as_array().unwrap().iter().map(|r| r["trace"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&[]), ["runs/a.trace", "runs/rpc.log"]);
    assert_eq!(place.run(&["info", "runs"]).status, 0);
}
