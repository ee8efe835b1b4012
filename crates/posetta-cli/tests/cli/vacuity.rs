//! Properties that hold and ask for nothing, names that never come, runs without events.

use crate::program::{Place, Seen, hopeless, wide};

const REQUESTS: &str =
    "client: connect -> request busy=1 -> close\nserver: accept -> reply busy=0\nclient.2 -> server.2\n";
/// The same without a request.
const QUIET: &str = "client: connect -> close\nserver: accept\n";
const FAILING: &str = "client: connect -> error -> close\n";

/// The kinds of the warnings of each result.
fn kinds(seen: &Seen) -> Vec<Vec<String>> {
    let json = seen.json();
    let kind = |w: &serde_json::Value| w["kind"].as_str().expect("a kind").to_owned();
    let of = |r: &serde_json::Value| r["warnings"].as_array().expect("warnings").iter().map(kind).collect();
    json["results"].as_array().expect("results").iter().map(of).collect()
}

/// What is told of one property on one run, for people and for programs.
fn told(run: &str, flag: &str, formula: &str) -> (String, Vec<String>) {
    let place = Place::with(&[("r.trace", run)]);
    let seen = place.run(&["check", "r.trace", flag, formula]);
    assert_eq!(seen.status, 0, "{}", seen.shown());
    let json = place.run(&["check", "r.trace", flag, formula, "--json"]);
    (seen.stderr, kinds(&json).remove(0))
}

#[test]
fn messages() {
    let mut shown = String::new();
    for (flag, formula, expected) in [
        ("--ltl", "G (event(replay) -> F event(close))", vec!["never-occurs", "vacuous"]),
        ("--ltl", "G (event(deploy) -> F event(close))", vec!["never-occurs", "vacuous"]),
        ("--ltl", "G (process(sever) -> event(reply))", vec!["never-occurs", "vacuous"]),
        ("--ltl", "G (busy == 2 -> X busy == 1)", vec!["vacuous"]),
        ("--ltl", "G (event(reply) && busy == 1 -> X true)", vec!["vacuous"]),
        ("--ltl", "response(event(close) && busy == 2, event(reply))", vec!["vacuous"]),
        ("--ltl", "absence(event(accept)) after busy == 3", vec!["vacuous"]),
        ("--ltl", "absence(event(accept)) before busy == 3", vec!["vacuous"]),
        ("--ltl", "existence(event(reply)) between event(reply) and event(request)", vec!["vacuous"]),
        ("--ltl", "response(event(request), event(close)) after event(reply)", vec!["vacuous"]),
        ("--ltl", "response_chain(event(reply), event(request); event(close))", vec!["vacuous"]),
        ("--ctl", "AG (busy == 2 -> EF busy == 0)", vec!["vacuous"]),
        ("--psl", "always {event(reply); event(request)} |=> event(close)", vec!["vacuous"]),
        // Nothing to complain about: it comes in some order, if not in the recorded one.
        ("--ltl", "G (event(close) -> true) && G (event(accept) && O event(reply) -> false)", vec!["vacuous"]),
        ("--ltl", "G (event(accept) && busy == 1 -> true)", vec![]),
        ("--ltl", "F busy == 1", vec![]),
        ("--ltl", "G !event(deploy)", vec!["never-occurs"]),
    ] {
        let (stderr, kinds) = told(REQUESTS, flag, formula);
        assert_eq!(kinds, expected, "{formula}\n{stderr}");
        assert_eq!(stderr.matches("warning:").count(), usize::from(!expected.is_empty()), "{formula}\n{stderr}");
        shown.push_str(&format!("{flag} {formula}\n{stderr}\n"));
    }
    insta::assert_snapshot!("messages", shown);
}

#[test]
fn one_order_is_called_so() {
    let place = Place::with(&[("s.jsonl", "{\"mode\":\"idle\",\"n\":1}\n{\"mode\":\"busy\",\"n\":2}\n")]);
    let seen = place.run(&["check", "s.jsonl", "--ltl", "G (mode == \"error\" -> n == 1)"]);
    insta::assert_snapshot!("one_order", seen.shown());
}

#[test]
fn a_run_without_events() {
    let place = Place::with(&[("r.trace", "# nothing\n")]);
    let args = ["check", "r.trace", "--ltl", "G (event(a) -> event(b))"];
    let seen = place.run(&args);
    assert_eq!((seen.status, seen.stderr.matches("warning:").count()), (0, 1), "{}", seen.shown());
    assert!(seen.stderr.contains("this run has no events"), "{}", seen.shown());
    let seen = place.run(&[&args[..], &["--json"]].concat());
    assert_eq!(kinds(&seen), [["never-occurs", "never-occurs", "no-events"]], "{}", seen.shown());
}

#[test]
fn several_properties_of_one_run_are_one_run() {
    let place = Place::with(&[
        ("r.trace", QUIET),
        ("p.props", "property a = ltl G !event(no)\nproperty b = ltl G !event(no)\n"),
    ]);
    let seen = place.run(&["check", "r.trace", "--spec", "p.props"]);
    assert_eq!(seen.stderr.matches("warning:").count(), 1, "{}", seen.shown());
    assert!(seen.stderr.contains("in the run r.trace\n"), "{}", seen.shown());
}

#[test]
fn each_place_that_asks_for_nothing_is_told() {
    let props = "property a = ltl G (busy == 2 -> false)\nproperty b = ctl AG (busy == 2 -> false)\n";
    let place = Place::with(&[("r.trace", REQUESTS), ("p.props", props)]);
    let seen = place.run(&["check", "r.trace", "--spec", "p.props"]);
    assert_eq!(seen.stderr.matches("warning:").count(), 2, "{}", seen.shown());
}

#[test]
fn what_is_declared_may_be_absent() {
    let props = "event error, deploy\nproperty healthy = ltl G !event(error)\n\
                 property recovers = response(event(error), event(close))\n\
                 property misspelt = ltl G !event(eror)\n";
    let place = Place::with(&[("r.trace", QUIET), ("p.props", props)]);
    let seen = place.run(&["check", "r.trace", "--spec", "p.props"]);
    insta::assert_snapshot!("declared", seen.shown());
    let json = place.run(&["check", "r.trace", "--spec", "p.props", "--json"]);
    assert_eq!(kinds(&json), [vec![], vec![], vec!["never-occurs"]]);
}

#[test]
fn another_run_settles_it() {
    let props = "property healthy = ltl G (event(error) -> F event(close))\n\
                 property idle = ltl G (event(deploy) -> false)\n\
                 property served = response(event(request), event(reply))\n";
    let place = Place::with(&[("a.trace", QUIET), ("b.trace", FAILING), ("c.trace", REQUESTS), ("p.props", props)]);
    let check = |runs: &[&str]| place.run(&[&["check", "--spec", "p.props", "--json"], runs].concat());
    let (error, deploy, both) = (vec![], vec!["never-occurs", "vacuous"], vec!["never-occurs", "vacuous"]);
    // By itself; and with runs that have what it lacks, given before it or behind it.
    assert_eq!(
        kinds(&check(&["a.trace"])),
        [both.clone(), deploy.clone(), vec!["never-occurs", "never-occurs", "vacuous"]]
    );
    let pair = [error.clone(), deploy.clone(), vec!["never-occurs", "never-occurs", "vacuous"]];
    assert_eq!(kinds(&check(&["a.trace", "b.trace"])), [pair.clone(), pair.clone()].concat());
    let all = [error, deploy, vec![]];
    for runs in [["a.trace", "b.trace", "c.trace"], ["c.trace", "b.trace", "a.trace"]] {
        let seen = check(&runs);
        assert_eq!(kinds(&seen), [all.clone(), all.clone(), all.clone()].concat(), "{}", seen.shown());
    }
    let seen = place.run(&["check", "a.trace", "b.trace", "c.trace", "--spec", "p.props"]);
    assert_eq!(seen.stderr.matches("warning:").count(), 1, "{}", seen.shown());
    insta::assert_snapshot!("across_runs", seen.shown());
}

#[test]
fn a_run_without_events_exercises_nothing() {
    let place = Place::with(&[("a.trace", QUIET), ("none.trace", "# nothing\n")]);
    let formula = "G (process(server) && process(client) -> false)";
    let seen = place.run(&["check", "a.trace", "none.trace", "--ltl", formula, "--json"]);
    // The names come in the other run.
    assert_eq!(kinds(&seen), [["vacuous"], ["no-events"]], "{}", seen.shown());
}

#[test]
fn a_violation_is_no_silence() {
    let place = Place::with(&[("a.trace", QUIET), ("c.trace", REQUESTS)]);
    let formula = "G (event(request) -> false)";
    let seen = place.run(&["check", "a.trace", "c.trace", "--ltl", formula, "--json"]);
    assert_eq!((seen.status, kinds(&seen)), (1, vec![vec![], vec![]]), "{}", seen.shown());
}

#[test]
fn nobody_looks_who_only_wants_the_verdict() {
    let place = Place::with(&[("a.trace", REQUESTS)]);
    let seen = place.run(&["check", "a.trace", "--ltl", "G (busy == 2 -> false)", "--verdict-only", "--json"]);
    assert_eq!((seen.status, kinds(&seen)), (0, vec![vec![]]), "{}", seen.shown());
}

/// The verdict costs next to nothing, and whether the left side ever comes true more than anybody can pay.
#[test]
fn what_takes_too_long_to_know_is_not_told() {
    let place = Place::with(&[("wide.trace", &wide())]);
    let sum = hopeless().replace("G (", "(").replace('<', ">");
    let seen = place.run(&["check", "wide.trace", "--ltl", &format!("G ({sum} -> true)"), "--timeout", "5m", "--json"]);
    assert_eq!((seen.status, kinds(&seen)), (0, vec![vec![]]), "{}", seen.shown());
}

#[test]
fn streams_and_live_runs_use_the_same_kinds() {
    let lines = "{\"process\":\"A\",\"name\":\"open\"}\n{\"process\":\"A\",\"name\":\"close\"}\n";
    let props = "event error\nproperty a = ltl G !event(error)\nproperty b = ltl G !event(opn)\nproperty c = ltl G !process(B)\n";
    let place = Place::with(&[("r.jsonl", lines), ("p.props", props)]);
    for args in [["monitor", "r.jsonl"], ["check", "--follow"]] {
        let seen = place.run_with(&[&args[..], &["--spec", "p.props", "--json"]].concat(), lines.as_bytes());
        let warnings: Vec<(String, String)> = seen
            .stdout
            .lines()
            .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
            .filter_map(|object| {
                let told = &object["warning"];
                Some((told["property"].as_str()?.to_owned(), told["warning"]["kind"].as_str()?.to_owned()))
            })
            .collect();
        let never = |property: &str| (property.to_owned(), "never-occurs".to_owned());
        assert_eq!(warnings, [never("b"), never("c")], "{}", seen.shown());
    }
}

/// A path by itself may leave a CTL formula open, also where there is only one order: the engine decides.
#[test]
fn one_order_does_not_settle_ctl() {
    let place = Place::with(&[("r.trace", "initial: s=3\nP1: lock x=1\n")]);
    let formula = "AG (AG (s > x -> AF (x == x)) && E[s == 3 U x < 1] -> s == 3)";
    let seen = place.run(&["check", "r.trace", "--ctl", formula, "--deny", "warnings"]);
    assert_eq!((seen.status, seen.stderr.as_str()), (0, ""), "{}", seen.shown());
}
