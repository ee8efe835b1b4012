//! `posetta explain`: every sort of answer and of mistake.

use crate::program::{COMMIT, MUTEX, ORDERED, Place, wide};

/// Two named properties of different logics, one over several lines with a comment.
const PROPS: &str = "// two\nproperty served = ltl over events // as it should be\n  G (on(req == 1)\n     => F on(resp == 1))\nproperty apart = ctl AG !(c0 == 1 && c1 == 1)\n";

fn shown(args: &[&str]) -> String {
    let place = Place::with(&[
        ("p.props", PROPS),
        ("bad.props", "property a = ltl G (\nproperty b = ltl GF x\n"),
        ("mutex.trace", MUTEX),
        ("run.jsonl", COMMIT),
        ("ordered.trace", ORDERED),
        ("race.trace", "A: c0=1\nB: c0=2\nC: c1=1\n"),
        ("specs/mine.props", PROPS),
    ]);
    place.run(&[&["explain"], args].concat()).shown()
}

macro_rules! golden {
    ($($name:ident: $args:expr;)*) => {$(
        #[test]
        fn $name() {
            insta::assert_snapshot!(shown(&$args));
        }
    )*};
}

golden! {
    response_over_states: ["G (req == 1 -> F resp == 1)"];
    named_properties_of_a_file: ["p.props"];
    one_property_of_a_file: ["--spec", "p.props", "--property", "served"];
    safety_over_events: ["--ltl", "!on(resp == 1) W on(req == 1)", "--over", "events"];
    decided_at_once: ["x == 1 && y > x"];
    a_guarantee_that_counts: ["X (mode == \"idle\")"];
    always_true: ["G (x < 2 -> x < 3)"];
    never_true: ["F (event(a) && event(b))", "--over", "events"];
    names_and_processes: ["G (event(apply) -> O (event(decide) && process(leader)))", "--over", "events"];
    past_only: ["H (x == 1)"];
    the_empty_word_stands_apart: ["x == 1", "--over", "events"];
    not_linear: ["G (x*y == 1 -> F x == 0)"];
    kept_in_part: ["G !(on(x == 1) && X (x == 0 && !on(x == 0) && x < y && on(y == 1)))", "--over", "events"];
    not_known: ["G !(x == y && y == 3 && x > 0 && X (x > 0 && !on(x > 0) && x == y && y == 4))"];
    branching_on_some_and_every_path: ["AG EF (done == 1)"];
    possibly: ["possibly (c0 == 1 && c1 == 1)"];
    definitely: ["--ctl", "definitely c0 == 1 -> possibly $\"possibly\" > 0"];
    branching_on_a_run: ["p.props", "mutex.trace", "--property", "apart"];
    linear_on_a_run: ["G !(c0 == 1 && c1 == 1)", "--run", "ordered.trace"];
    a_run_that_refuses: ["--ctl", "EF (c0 == 1 && c1 == 1)", "race.trace"];
    a_run_without_the_variable: ["G (c2 == 1)", "mutex.trace"];
    dot: ["G (req == 1 -> F resp == 1)", "--dot"];
    dot_of_the_search: ["G (on(x == 1) -> X on(y == 2))", "--over", "events", "--dot", "--nfa", "--of", "bad"];
    hoa: ["G (on(x == 1) -> X on(y == 2))", "--hoa"];
    hoa_quotes: ["F (mode == \"a\\\"b\")", "--hoa", "--of", "bad"];
    json: ["--ltl", "G (on(req == 1) -> F on(resp == 1))", "--over", "events", "--json"];
    json_of_a_run: ["p.props", "mutex.trace", "--property", "apart", "--json"];
    json_refused: ["G (c2 == 1)", "mutex.trace", "--json"];
    tester: ["--ltl", "G (req == 1 -> F ack)", "--tester"];
    tester_of_the_past: ["--ltl", "G (ack -> Y (!ack S req == 1))", "--tester"];
    tester_of_a_sere: ["--psl", "always {a; b[*]; c} |=> d", "--tester"];
    tester_json: ["--psl", "{a; b[*]; c} |-> (X! d)", "--tester", "--json"];

    mistake_a_tester_of_ctl: ["p.props", "--tester"];
    mistake_no_property: [];
    mistake_in_a_bare_formula: ["G (x == 1 &&"];
    mistake_in_an_ltl_formula: ["--ltl", "AG x"];
    mistake_possibly_in_ltl: ["--ltl", "possibly (c0 == 1)"];
    mistake_a_variable_called_possibly: ["--ctl", "EF (possibly == 1)"];
    mistake_in_a_ctl_formula: ["--ctl", "G x"];
    mistakes_in_a_file: ["bad.props"];
    mistakes_in_a_file_json: ["bad.props", "--json"];
    mistake_no_file: ["missing.props"];
    mistake_a_directory: ["specs"];
    mistake_no_run: ["G x", "missing.trace"];
    mistake_a_run_alone: ["mutex.trace"];
    mistake_a_run_as_properties: ["--spec", "run.jsonl"];
    mistake_operators_glued_to_a_variable: ["G (c0 == 1 -> XFc1 == 1) && Xc2", "mutex.trace"];
    mistake_an_operator_glued_to_a_word: ["Gevent(enter)"];
    mistake_no_such_property: ["p.props", "--property", "serve"];
    what_has_no_automaton_is_left_out: ["p.props", "--hoa"];
    mistake_a_picture_of_two: ["--ltl", "G x", "--ltl", "F x", "--dot"];
    mistake_a_picture_of_ctl: ["p.props", "--dot", "--property", "apart"];
    mistake_too_many_arguments: ["G x", "mutex.trace", "ordered.trace"];
    mistake_two_outputs: ["G x", "--dot", "--hoa"];
    mistake_cannot_write: ["G x", "--dot", "-o", "no/such/place.dot"];
}

#[test]
fn a_file_is_written_and_nothing_else() {
    let place = Place::with(&[]);
    let direct = place.run(&["explain", "G x", "--hoa"]);
    let seen = place.run(&["explain", "G x", "--hoa", "-o", "g.hoa"]);
    assert_eq!((seen.status, seen.stdout.as_str(), seen.stderr.as_str()), (0, "", ""));
    assert_eq!(std::fs::read_to_string(place.path().join("g.hoa")).unwrap(), direct.stdout);
}

/// Twenty variables: a million letters.
fn too_much() -> String {
    (0..20).map(|i| format!("F (x{i} == 1)")).collect::<Vec<_>>().join(" && ")
}

#[test]
fn a_limit_is_said_and_the_rest_is_told() {
    let place = Place::with(&[("wide.trace", &wide())]);
    let formula = too_much();
    for limit in [["--timeout", "300ms"], ["--memory", "60MB"]] {
        let args = [&["explain", "--ltl", formula.as_str()][..], &limit].concat();
        let seen = place.run(&args);
        assert_eq!(seen.status, 3, "{}", seen.shown());
        assert!(seen.stdout.contains("It looks forward only."), "{}", seen.shown());
        assert!(seen.stdout.contains("limit was reached"), "{}", seen.shown());
        let seen = place.run(&[&args[..], &["--hoa"]].concat());
        assert_eq!((seen.status, seen.stdout.as_str()), (3, ""), "{}", seen.shown());
        let json = place.run(&[&args[..], &["--json"]].concat()).json();
        assert!(json["errors"].as_array().unwrap().is_empty(), "{json}");
        assert_eq!(json["properties"][0]["syntax"]["future"], true, "{json}");
    }
    // Cuts that cannot be counted in time do not stand in the way.
    let seen = place.run(&["explain", "G (x0 < 100)", "wide.trace"]);
    assert_eq!(seen.status, 0, "{}", seen.shown());
}

/// Work that does not notice a limit is ended by the watchdog, which tells the same.
#[cfg(unix)]
#[test]
fn what_is_known_is_told_while_the_work_goes_on() {
    let place = Place::with(&[("p.props", PROPS)]);
    place.pipe("never.trace");
    let args = ["explain", "p.props", "never.trace", "--timeout", "200ms"];
    insta::assert_snapshot!(place.run(&args).shown());
    let json = place.run(&[&args[..], &["--json"]].concat()).json();
    assert_eq!(json["properties"][1]["syntax"]["modality"], "invariantly", "{json}");
    assert_eq!((&json["limit"]["reached"], &json["limit"]["while"]), (&"time".into(), &"reading the run".into()));
    place.run(&[&args[..], &["-o", "told.txt"]].concat());
    let told = std::fs::read_to_string(place.path().join("told.txt")).unwrap();
    assert!(told.contains("apart  CTL"), "{told}");
}

/// The examples are what they say: each is a run that `check` answers so.
#[test]
fn examples_are_answered_as_said() {
    for (formula, over) in [
        ("G (on(req == 1) -> F on(resp == 1))", "events"),
        ("G (x == 1 -> X (y > x))", "states"),
        ("F (mode == \"a\" && on(n != 2))", "states"),
        ("G (event(apply) -> O event(decide))", "events"),
    ] {
        let place = Place::with(&[]);
        let json = place.run(&["explain", "--ltl", formula, "--over", over, "--json"]).json();
        for (which, verdict) in [("satisfies", "holds"), ("violates", "violated"), ("not_safety", "holds")] {
            let example = &json["properties"][0]["examples"][which];
            let Some(positions) = example["positions"].as_array() else { continue };
            let initial = &positions[0]["state"];
            let mut run = format!("{{\"posetta\":1,\"initial\":{initial}}}\n");
            for p in positions.iter().filter(|p| p["event"] == true) {
                let sets: serde_json::Map<String, serde_json::Value> = p["sets"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|v| (v.as_str().unwrap().to_owned(), p["state"][v.as_str().unwrap()].clone()))
                    .collect();
                let name = p["name"].as_str().unwrap_or("other");
                run.push_str(&format!("{}\n", serde_json::json!({ "process": "P", "name": name, "set": sets })));
            }
            place.write("example.jsonl", run.as_bytes());
            let seen = place.run(&["check", "example.jsonl", "--ltl", formula, "--over", over, "--json"]);
            assert_eq!(seen.results("verdict"), [verdict], "{formula}, {which}:\n{run}{}", seen.shown());
        }
    }
}
