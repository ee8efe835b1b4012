//! Explanations as people read them: words, lanes, cuts, and which parts of a property are true where.
//!
//! The golden files are to be read as somebody reads them who has never seen the program.

use std::path::Path;

use crate::program::{COMMIT, MUTEX, NEVER_BOTH, Place};

/// An example in a directory of its own: a run, and one property of its file.
fn example(dir: &str, run: &str, property: &str, more: &[&str]) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(dir);
    let read = |name: &str| std::fs::read_to_string(root.join(name)).expect("an example");
    let place = Place::with(&[(run, &read(run)), ("example.props", &only(&read(&format!("{dir}.props")), property))]);
    place.run(&[&["check", run, "--spec", "example.props"], more].concat()).shown()
}

/// The part of a property file with one property: from its line up to the next blank one.
fn only(props: &str, property: &str) -> String {
    let wanted = |line: &&str| {
        let mut words = line.split_whitespace();
        matches!(words.next(), Some("property" | "monitor")) && words.next() == Some(property)
    };
    let mut lines = props.lines().skip_while(|line| !wanted(line));
    let first = lines.next().expect("the property");
    let rest = lines.take_while(|line| line.starts_with([' ', '}']));
    [first].into_iter().chain(rest).map(|line| format!("{line}\n")).collect()
}

#[test]
fn an_old_value_in_the_cache() {
    insta::assert_snapshot!(example("cache", "cache.log", "no_late_fill", &[]));
}

#[test]
fn an_answer_without_its_question() {
    insta::assert_snapshot!(example("chat", "run.jsonl", "no_orphan", &[]));
}

#[test]
fn two_in_the_critical_section() {
    insta::assert_snapshot!(example("mutex", "race.trace", "mutex", &[]));
}

#[test]
fn a_commit_before_all_votes() {
    insta::assert_snapshot!(example("two-phase-commit", "run.jsonl", "no_early_commit", &[]));
}

#[test]
fn a_cut_with_two_in_the_critical_section() {
    insta::assert_snapshot!(example("mutex", "race.trace", "mutex_in_every_cut", &[]));
}

#[test]
fn a_cut_that_shows_that_it_could_be() {
    insta::assert_snapshot!(example("two-phase-commit", "run.jsonl", "could_be_ready", &["--witness", "always"]));
}

#[test]
fn what_is_not_a_matter_of_order() {
    let place = Place::with(&[("run.trace", MUTEX)]);
    insta::assert_snapshot!(place.run(&["check", "run.trace", "--ltl", "G (c0 == 0)"]).shown());
}

/// Three workers, of which any two may meet: one edge keeps only two of them apart.
const THREE: &str = r#"{"process":"A","name":"enter","set":{"a":1}}
{"process":"A","name":"leave","set":{"a":0}}
{"process":"B","name":"enter","set":{"b":1}}
{"process":"B","name":"leave","set":{"b":0}}
{"process":"C","name":"enter","set":{"c":1}}
{"process":"C","name":"leave","set":{"c":0}}
"#;

#[test]
fn it_may_take_several_edges() {
    let place = Place::with(&[("three.jsonl", THREE)]);
    let formula = "G (a + b + c <= 1)";
    insta::assert_snapshot!(place.run(&["check", "three.jsonl", "--ltl", formula]).shown());
}

/// Seven pairs, each of which one edge keeps in order: more than are drawn, and more than are named.
#[test]
fn not_all_the_missing_edges_are_drawn() {
    let first: String = (0..7).map(|i| format!("{{\"process\":\"A{i}\",\"set\":{{\"a{i}\":1}}}}\n")).collect();
    let run = (1..=7).fold(first, |run, i| run + &format!("{{\"process\":\"B\",\"set\":{{\"b\":{i}}}}}\n"));
    let formula: Vec<String> = (0..7).map(|i| format!("(b >= {} -> a{i} == 1)", i + 1)).collect();
    let place = Place::with(&[("seven.jsonl", &run)]);
    insta::assert_snapshot!(
        place.run(&["check", "seven.jsonl", "--ltl", &format!("G ({})", formula.join(" && "))]).shown()
    );
}

/// One event stands alone between two that matter; nothing is said about its process.
#[test]
fn a_gap_of_one_event_opens_no_lane() {
    let steps = |n: usize| "{\"process\":\"A\",\"name\":\"step\"}\n".repeat(n);
    let run = steps(20)
        + "{\"process\":\"A\",\"set\":{\"a\":1}}\n"
        + "{\"process\":\"other\",\"set\":{\"o\":1},\"after\":[\"A.21\"]}\n"
        + "{\"process\":\"A\",\"set\":{\"a\":2},\"after\":[\"other.1\"]}\n"
        + "{\"process\":\"B\",\"set\":{\"b\":1}}\n";
    let place = Place::with(&[("run.jsonl", &run)]);
    insta::assert_snapshot!(place.run(&["check", "run.jsonl", "--ltl", "G (b == 1 -> a == 2)"]).shown());
}

/// Ten processes: with the missing edges they would need more columns than there are.
const CROWD: &str = r#"{"process": "P11", "set": {"z": 0}}
{"process": "P3", "set": {"x": 0}, "after": ["P11.1"]}
{"process": "P8", "set": {"x": 0}}
{"process": "P6", "set": {"y": 0}}
{"process": "P1", "set": {"z": 1}, "after": ["P11.1"]}
{"process": "P3"}
{"process": "P2", "after": ["P1.1"]}
{"process": "P10", "set": {"x": 2}, "after": ["P8.1", "P11.1"]}
{"process": "P5", "set": {"x": 1}, "after": ["P11.1", "P1.1"]}
{"process": "P10", "after": ["P1.1", "P10.1"]}
{"process": "P11", "set": {"y": 1}}
{"process": "P0", "set": {"x": 2}, "after": ["P11.1", "P5.1"]}
{"process": "P6", "set": {"z": 0}}
{"process": "P11", "set": {"x": 0}}
{"process": "P7", "set": {"y": 2}, "after": ["P3.1", "P10.2"]}
{"process": "P11", "after": ["P11.1", "P2.1"]}
"#;

#[test]
fn where_there_is_no_room_missing_edges_are_only_named() {
    let place = Place::with(&[("run.jsonl", CROWD)]);
    insta::assert_snapshot!(place.run(&["check", "run.jsonl", "--ltl", "G (on(x == 1) -> X on(y == 1))"]).shown());
}

/// Eight processes, each of which waits for three others: too many arrows for eight lanes.
#[test]
fn where_there_is_no_room_there_are_fewer_lanes() {
    let first: String = (0..8).map(|p| format!("{{\"process\":\"P{p}\",\"set\":{{\"x{p}\":1}}}}\n")).collect();
    let run = (0..8).rev().fold(first, |run, p| {
        let after = [2, 4, 6].map(|k| format!("\"P{}.1\"", (p + k) % 8)).join(",");
        run + &format!("{{\"process\":\"P{p}\",\"set\":{{\"y{p}\":1}},\"after\":[{after}]}}\n")
    });
    let place = Place::with(&[("run.jsonl", &run)]);
    insta::assert_snapshot!(place.run(&["check", "run.jsonl", "--ltl", "G (y0 == 1 -> y7 == 0)"]).shown());
}

#[test]
fn a_single_order_is_not_one_of_many() {
    let place = Place::with(&[("run.trace", "A: x=1\nB: y=1\nA.1 -> B.1\n")]);
    insta::assert_snapshot!(place.run(&["check", "run.trace", "--ltl", "G (x == 0)"]).shown());
}

/// Without the order there is no place for an explanation, so none is looked for; programs get it all the same.
#[test]
fn never_a_witness_is_never_an_explanation() {
    let place = Place::with(&[("run.jsonl", COMMIT)]);
    let args = ["check", "run.jsonl", "--ltl", "G (b == 1 -> committed == 1)", "--witness", "never"];
    insta::assert_snapshot!(place.run(&args).shown());
    let result = &place.run(&[&args[..], &["--json"]].concat()).json()["results"][0];
    assert!(result["witness"].is_null() && result["why"]["missing_edges"].is_array(), "{result}");
}

#[test]
fn the_recorded_order_may_fail_where_others_do_not() {
    let place = Place::with(&[("run.jsonl", COMMIT)]);
    insta::assert_snapshot!(place.run(&["check", "run.jsonl", "--ltl", "G (b == 1 -> committed == 1)"]).shown());
}

/// A long run: rounds of messages between four workers, and one step of a fifth process that nobody waits for.
fn long() -> String {
    let mut run = String::from("{\"posetta\":1,\"initial\":{\"ready\":0,\"round\":0}}\n");
    for round in 1..=40 {
        for (p, name) in ["W0", "W1", "W2", "W3"].iter().enumerate() {
            let after = match (p, round) {
                (0, 1) => String::new(),
                (0, _) => format!(",\"after\":[\"W3.{}\"]", round - 1),
                _ => format!(",\"after\":[\"W{}.{round}\"]", p - 1),
            };
            let set = if p == 0 { format!(",\"set\":{{\"round\":{round}}}") } else { String::new() };
            run += &format!("{{\"process\":\"{name}\",\"name\":\"step\"{set}{after}}}\n");
        }
        if round == 20 {
            run += "{\"process\":\"loader\",\"name\":\"load\",\"set\":{\"ready\":1},\"attrs\":{\"file\":\"plan.txt\",\"bytes\":4096}}\n";
        }
    }
    run
}

#[test]
fn a_long_order_is_told_by_what_matters() {
    let place = Place::with(&[("long.jsonl", &long())]);
    let seen = place.run(&["check", "long.jsonl", "--ltl", "G (round == 22 -> ready == 1)"]);
    insta::assert_snapshot!(seen.shown());
    assert!(seen.stdout.lines().all(|line| line.chars().count() <= 110), "{}", seen.stdout);
}

#[test]
fn processes_without_a_lane_are_left_out() {
    let run: String = (0..13).map(|p| format!("{{\"process\":\"P{p}\",\"set\":{{\"x{p}\":1}}}}\n")).collect();
    let place = Place::with(&[("wide.jsonl", &run)]);
    insta::assert_snapshot!(place.run(&["check", "wide.jsonl", "--ltl", "G (x12 == 1 -> x0 == 1)"]).shown());
}

#[test]
fn names_cannot_redraw_the_picture() {
    let run = "{\"process\":\"a\\u001b[2J\",\"name\":\"x\\ny\",\"set\":{\"p\":1},\"attrs\":{\"k\":\"\\u001b[31m\"}}\n\
               {\"process\":\"b\",\"set\":{\"q\":1}}\n";
    let place = Place::with(&[("odd.jsonl", run)]);
    let seen = place.run(&["check", "odd.jsonl", "--ltl", "G (q == 1 -> p == 1)"]);
    insta::assert_snapshot!(seen.shown());
    assert!(!seen.stdout.contains('\x1b'));
}

#[test]
fn parts_are_traced() {
    let place = Place::with(&[("mutex.trace", MUTEX), ("commit.jsonl", COMMIT), ("long.jsonl", &long())]);
    let check = |run: &str, args: &[&str]| place.run(&[&["check", run, "--trace"], args].concat()).shown();
    insta::assert_snapshot!("parts_of_ltl", check("mutex.trace", &["--ltl", NEVER_BOTH]));
    insta::assert_snapshot!("parts_of_ltl_json", check("mutex.trace", &["--ltl", NEVER_BOTH, "--json"]));
    let holds = ["--over", "events", "--ltl", "G (event(commit) -> O event(vote))"];
    insta::assert_snapshot!("parts_of_what_holds", check("commit.jsonl", &holds));
    insta::assert_snapshot!(
        "parts_along_a_path",
        check("mutex.trace", &["--ctl", "AG (c0 == 1 -> EF (c1 == 1) && c1 == 0)"])
    );
    insta::assert_snapshot!("parts_that_stay_open", check("mutex.trace", &["--ctl", "AF (c0 == 1)", "--json"]));
    insta::assert_snapshot!("parts_of_a_long_order", check("long.jsonl", &["--ltl", "G (round == 22 -> ready == 1)"]));
    insta::assert_snapshot!("parts_of_no_position", {
        place.write("empty.trace", b"initial: x=0\n");
        check("empty.trace", &["--over", "events", "--ltl", "F (x == 1)"])
    });
}

#[test]
fn parts_of_a_monitor_are_its_states() {
    insta::assert_snapshot!(example("mutex", "race.trace", "mutex_monitor", &["--trace"]));
}

/// Without the memory for it there is a verdict, and no table.
#[test]
fn tracing_stays_inside_the_limits() {
    let run: String = (0..200_000).map(|i| format!("{{\"process\":\"P\",\"set\":{{\"x\":{}}}}}\n", i % 2)).collect();
    let place = Place::with(&[("run.jsonl", &run)]);
    // Each of its parts changes at every position.
    let nested = (0..60).fold("x == 0".to_owned(), |f, _| format!("X ({f})"));
    let args = ["check", "run.jsonl", "--ltl", &nested, "--trace", "--memory"];
    let seen = place.run(&[&args[..], &["100MB"]].concat());
    let refused = "Which parts are true where is not known: the memory limit was reached while tracing the parts";
    assert!(seen.flat().contains(refused), "{}", seen.shown());
    assert_eq!(seen.status, 1, "{}", seen.shown());
    let seen = place.run(&[&args[..], &["100MB", "--json"]].concat());
    assert_eq!(seen.results("verdict"), ["violated"]);
    assert!(seen.json()["results"][0]["parts"].is_null());
    let seen = place.run(&[&args[..], &["1GB"]].concat());
    assert!(seen.stdout.contains("along the recorded order"), "{}", seen.shown());
}
