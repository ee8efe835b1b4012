//! `check --follow`: verdicts while a run is written, the same at its end as `check` gives, mistakes and limits.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write as _};
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::program::{Place, Seen};
use serde_json::Value;

const LATE: Duration = Duration::from_secs(60);

/// Two processes that enter and leave; the hand-over keeps them apart the first time only.
const RUN: &str = r#"{"posetta":1,"processes":["A","B"],"initial":{"c0":0,"c1":0}}
{"process":"A","name":"enter","set":{"c0":1}}
{"process":"A","name":"leave","set":{"c0":0}}
{"process":"B","name":"enter","set":{"c1":1},"after":["A.2"]}
{"process":"B","name":"leave","set":{"c1":0}}
{"process":"A","name":"enter","set":{"c0":1},"after":["B.2"]}
{"process":"B","name":"enter","set":{"c1":1}}
{"process":"A","name":"leave","set":{"c0":0}}
{"process":"B","name":"leave","set":{"c1":0}}
"#;

const PROPS: &str = "\
property mutex    = ltl G !(c0 == 1 && c1 == 1)
property b_enters = ltl F (c1 == 1)
property b_leaves = ltl G (c1 == 1 -> F c1 == 0)
property a_stays  = ltl F G (c0 == 1)
";

fn follow(place: &Place, args: &[&str], input: &str) -> Seen {
    place.run_with(&[&["check", "--follow"], args].concat(), input.as_bytes())
}

fn objects(seen: &Seen) -> Vec<Value> {
    let parse = |line: &str| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {}", seen.shown()));
    seen.stdout.lines().map(parse).collect()
}

/// For each property the last object about it.
fn at_the_end(seen: &Seen) -> BTreeMap<String, Value> {
    let last = objects(seen).into_iter().filter(|o| o["end"] == true);
    last.map(|o| (o["property"].as_str().expect("a name").to_owned(), o)).collect()
}

#[test]
fn verdicts_come_when_they_are_certain() {
    let place = Place::with(&[("run.jsonl", RUN), ("p.props", PROPS)]);
    let seen = follow(&place, &["run.jsonl", "--spec", "p.props", "--stats"], "");
    insta::assert_snapshot!("verdicts", seen.shown());
    let from_a_pipe = follow(&place, &["-", "--spec", "p.props", "--stats"], RUN);
    assert_eq!(from_a_pipe.shown().replace("standard input  2", "run.jsonl  2"), seen.shown());
    let seen = follow(&place, &["--spec", "p.props", "--json"], RUN);
    insta::assert_snapshot!("verdicts_for_programs", seen.shown());
}

/// CTL for each value: an instance is about the cuts of its own events, and only their writes have to be ordered.
#[test]
fn cuts_of_each_value() {
    let run = "{\"posetta\":1,\"processes\":[\"A\",\"B\"],\"initial\":{\"x\":0,\"y\":0}}\n\
               {\"process\":\"A\",\"k\":1,\"set\":{\"x\":1}}\n\
               {\"process\":\"B\",\"k\":2,\"set\":{\"x\":2}}\n\
               {\"process\":\"B\",\"k\":1,\"set\":{\"y\":1},\"after\":[\"A.1\"]}\n\
               {\"process\":\"A\",\"k\":3,\"set\":{\"y\":1}}\n";
    let spec = "property never = foreach k in values(k) { ctl AG (y == 0 || x == 1) }\n\
                property gets  = foreach k in values(k) { ctl EF (x == $k) }\n";
    let place = Place::with(&[("run.jsonl", run), ("p.props", spec)]);
    let seen = follow(&place, &["--spec", "p.props"], run);
    assert!(seen.stdout.starts_with("line 5  ✗ never  violated at A.2"), "{}", seen.shown());
    let told = at_the_end(&follow(&place, &["--spec", "p.props", "--json"], run));
    let instances = |name: &str| told[name]["instances"].clone();
    let checked = place.run(&["check", "run.jsonl", "--spec", "p.props", "--json"]);
    let checked: Value = serde_json::from_str(&checked.stdout).expect("JSON");
    for (at, name) in ["never", "gets"].into_iter().enumerate() {
        assert_eq!(instances(name)["failing"], checked["results"][at]["instances"]["failing"], "{name}");
        assert_eq!(told[name]["satisfied"], checked["results"][at]["verdict"] == "holds", "{name}");
    }
    // Without values the two writes to `x` are unordered; of one value they are as well.
    let twice = run.replace("\"k\":2", "\"k\":1");
    let seen = follow(&place, &["--spec", "p.props", "--json"], &twice);
    let told = "`A.1` sets 1 (line 2) and `B.1` sets 2 (line 3)";
    assert!(seen.status == 2 && seen.stdout.contains(told), "{}", seen.shown());
}

const CUTS: &str = "\
property mutex   = ctl AG !(c0 == 1 && c1 == 1)
property overlap = ctl EF (c0 == 1 && c1 == 1)
property room    = ctl AG (c0 + c1 <= 1)
property apart   = ctl EF (c0 == 2) || AG (c0 <= 1)
property b_in    = ctl AF (c1 == 1)
property b_out   = ctl AG (c1 == 1 -> AF c1 == 0)
property a_idle  = ctl EG (c0 == 0)
";

/// Properties of cuts: certain at the event that completes the cut, at the end what `check` says.
#[test]
fn cuts_are_followed() {
    let place = Place::with(&[("run.jsonl", RUN), ("p.props", CUTS)]);
    let seen = follow(&place, &["run.jsonl", "--spec", "p.props", "--stats"], "");
    insta::assert_snapshot!("cuts", seen.shown());
    let json = follow(&place, &["run.jsonl", "--spec", "p.props", "--json"], "");
    let line = objects(&json).into_iter().find(|o| o["property"] == "room" && o["verdict"] == "violated");
    assert_eq!(line.expect("it is violated")["culprits"], serde_json::json!(["A.3", "B.3"]), "{}", json.shown());
    let whole = place.run(&["check", "run.jsonl", "--spec", "p.props", "--json", "--verdict-only"]);
    let whole: Value = serde_json::from_str(&whole.stdout).expect("a report");
    let end = at_the_end(&json);
    for answer in whole["results"].as_array().expect("answers") {
        let name = answer["property"].as_str().expect("a name");
        assert_eq!(end[name]["satisfied"], answer["verdict"] == "holds", "{name}: {}", json.shown());
    }
}

/// Twenty processes that nothing orders have 2²⁰ cuts, which are not gone through.
#[test]
fn many_chains_are_followed() {
    let place = Place::with(&[]);
    let names: Vec<String> = (0..20).map(|i| format!("P{i}")).collect();
    let mut run = format!("{{\"posetta\":1,\"processes\":{}}}\n", serde_json::json!(names));
    for value in [1, 0, 1] {
        for (i, name) in names.iter().enumerate() {
            let _ = writeln!(run, "{{\"process\":\"{name}\",\"set\":{{\"x{i}\":{value}}}}}");
        }
    }
    let all = |with: &str| (0..20).map(|i| format!("x{i}")).collect::<Vec<_>>().join(with);
    let (sum, both) = (all(" + "), all(" == 1 && "));
    let properties = [format!("AG ({sum} < 20)"), format!("EF ({both} == 1)"), format!("AG ({sum} <= 20)")];
    let args: Vec<&str> = properties.iter().flat_map(|p| ["--ctl", p]).collect();
    let seen = follow(&place, &[&args[..], &["--json", "--timeout", "50s"]].concat(), &run);
    let certain: Vec<Value> = objects(&seen).into_iter().filter(|o| o["end"] == false).collect();
    assert_eq!(certain.len(), 2, "{}", seen.shown());
    for line in &certain {
        assert_eq!(line["line"], 21, "{}", seen.shown());
    }
    assert_eq!(at_the_end(&seen)[&properties[2]]["satisfied"], true, "{}", seen.shown());
}

/// Who wants it quiet sees what does not hold, and the summary; programs see everything.
#[test]
fn quiet_is_what_does_not_hold_and_the_summary() {
    let place = Place::with(&[("run.jsonl", RUN), ("p.props", PROPS)]);
    let args = ["run.jsonl", "--spec", "p.props", "-q"];
    let mut shown = follow(&place, &args, "").shown();
    let _ = writeln!(shown, "=== all is well");
    shown.push_str(&follow(&place, &[&args[..], &["--property", "b_enters"]].concat(), "").shown());
    insta::assert_snapshot!("quiet", shown);
    let json = follow(&place, &[&args[..], &["--json"]].concat(), "");
    assert_eq!(json.stdout, follow(&place, &["run.jsonl", "--spec", "p.props", "--json"], "").stdout);
}

/// What comes after the last verdict is not read.
#[test]
fn reading_stops_when_everything_is_certain() {
    let place = Place::with(&[]);
    let run = format!("{RUN}{{broken\n");
    let seen = follow(&place, &["--ltl", "G !(c0 == 1 && c1 == 1)", "--ltl", "F (c1 == 1)"], &run);
    insta::assert_snapshot!("certain", seen.shown());
    assert_eq!(follow(&place, &["--ltl", "F (c1 == 1)"], &run).status, 0);
}

/// An invariant that no values violate is certain at the first event.
#[test]
fn what_cannot_be_violated_holds_at_once() {
    let place = Place::with(&[]);
    for formula in ["G (x - x == 0)", "G (x >= 0 || x < 0)", "G !(x == 1 && x == 2)"] {
        let seen = follow(&place, &["--ltl", formula, "--json"], "{\"process\":\"A\",\"set\":{\"x\":1}}\n{broken\n");
        assert_eq!(seen.status, 0, "{}", seen.shown());
        let first = &objects(&seen)[0];
        assert_eq!((&first["line"], &first["verdict"]), (&1.into(), &"holds".into()), "{formula}: {first}");
    }
    // The broken line is read where something is still open.
    assert_eq!(follow(&place, &["--ltl", "G x < 2"], "{\"process\":\"A\",\"set\":{\"x\":1}}\n{broken\n").status, 2);
}

#[test]
fn a_verdict_is_told_while_the_run_goes_on() {
    let place = Place::with(&[]);
    let mut child = place
        .command(&["check", "--follow", "--ltl", "G !(c0 == 1 && c1 == 1)", "--ltl", "G (c0 < 9)", "--timeout", "50s"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().expect("piped");
    input.write_all(RUN.as_bytes()).expect("it reads");
    input.flush().expect("it reads");
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().expect("piped")).read_line(&mut line).expect("it tells");
    assert!(line.starts_with("line 7  ✗ G !(c0 == 1 && c1 == 1)"), "{line}");
    drop(input);
    assert_eq!(child.wait().expect("it ends").code(), Some(1));
}

#[test]
fn what_cannot_be_followed_is_refused() {
    let place = Place::with(&[("run.trace", "A: x=1\n"), ("a.jsonl", RUN), ("b.jsonl", RUN)]);
    let mut shown = String::new();
    let header = r#"{"posetta":1,"processes":["server","client"],"initial":{"x":0}}"#;
    let ltl: &[&str] = &["--ltl", "G (x < 5)"];
    let event = |rest: &str| format!("{header}\n{{\"process\":\"server\",\"set\":{{\"x\":1}}}}\n{rest}\n");
    for (what, args, input) in [
        ("a cause that never comes", ltl, event(r#"{"process":"client","after":["m1"]}"#)),
        ("a process that is not declared", ltl, event(r#"{"process":"cliemt"}"#)),
        ("a broken line", ltl, event(r#"{"process":"client","set":{"x":}}"#)),
        ("a string where a number is needed", ltl, event(r#"{"process":"client","set":{"x":"off"}}"#)),
        ("a string at the start", &["--ltl", "G (y < 5)"], r#"{"posetta":1,"initial":{"y":"a"}}"#.to_owned()),
        (
            "a value of a kind that was not expected",
            &["--ltl", "G (z == \"\" || z == 7)"],
            event(r#"{"process":"client","set":{"z":7}}"#),
        ),
        ("a value that is declared too late", &["--ltl", "G (y < 5)"], event(r#"{"posetta":1,"initial":{"y":3}}"#)),
        ("a variable that nobody assigned", &["--ltl", "G (xx < 5)"], event("")),
        ("an event that never comes", &["--ltl", "F event(stop)"], event("")),
        ("a property of cuts beside another", &["--ctl", "AG EF (x < 5)", "--ltl", "F (x == 1)"], event("")),
        ("only a property of cuts", &["--ctl", "AX (x < 5 && EX x == 1 && E[x < 1 U EG x == 1])"], event("")),
        (
            "a value at a cut that depends on the order",
            &["--ctl", "AG (x < 5)"],
            event(r#"{"process":"client","set":{"x":2}}"#),
        ),
        ("two runs", &["a.jsonl", "b.jsonl", "--ltl", "true"], String::new()),
        ("another format", &["run.trace", "--ltl", "true"], String::new()),
        ("another format by name", &["--from", "shiviz", "--ltl", "true"], event("")),
        ("a file that is not there", &["none.jsonl", "--ltl", "true"], String::new()),
        ("an engine", &["--ltl", "true", "--engine", "explicit"], event("")),
        ("counts", &["--ltl", "true", "--counts"], event("")),
        ("no property", &[], event("")),
        ("a mistake in a property", &["--ltl", "G ("], event("")),
    ] {
        let seen = follow(&place, args, &input);
        let _ = writeln!(shown, "=== {what}\n{}", seen.shown());
        let expected = if what == "an event that never comes" { 1 } else { 2 };
        assert_eq!(seen.status, expected, "{what}: {}", seen.shown());
        // Programs are told the same.
        let json = follow(&place, &[args, &["--json"]].concat(), &input);
        let usage = ["an engine", "counts", "no property"].contains(&what);
        assert!(usage || expected == 1 || objects(&json).iter().any(|o| !o["error"].is_null()), "{}", json.shown());
    }
    insta::assert_snapshot!("refused", shown);
}

#[test]
fn records_of_states_are_followed() {
    let place = Place::with(&[]);
    let states = "{\"temp\":19.6}\n{\"temp\":18.7}\n{\"temp\":19.4}\n";
    let seen = follow(&place, &["--ltl", "G (temp > 18)", "--ltl", "F (temp < 19)"], states);
    insta::assert_snapshot!("states", seen.shown());
}

/// Processes that never hear of each other, declared or not.
fn apart(declared: bool, events: usize) -> String {
    let header = "{\"posetta\":1,\"processes\":[\"A\",\"B\",\"C\"],\"initial\":{\"a\":0,\"b\":0}}\n";
    let mut run = if declared { header.to_owned() } else { String::new() };
    for i in 0..events {
        let (process, variable) = if i % 2 == 0 { ("A", "a") } else { ("B", "b") };
        let _ = writeln!(run, "{{\"process\":\"{process}\",\"set\":{{\"{variable}\":{}}}}}", i % 7);
    }
    run
}

#[test]
fn past_a_limit_the_answer_is_unknown_and_says_who_holds_things_back() {
    let place = Place::with(&[]);
    for (declared, hint) in [
        (true, "events wait because C has said nothing at all; a heartbeat of C that comes after them"),
        (false, "events are kept because another process may still show up; a header that declares all of them"),
    ] {
        let run = apart(declared, 600_000);
        let started = Instant::now();
        let args = ["--ltl", "G (a < 8)", "--memory", "40MB"];
        let seen = follow(&place, &args, &run);
        assert_eq!(seen.status, 3, "{}", seen.shown());
        assert!(seen.stderr.contains("the memory limit was reached while"), "{}", seen.shown());
        assert!(seen.stderr.contains(hint), "{}", seen.shown());
        assert!(seen.stdout.contains("? G (a < 8)  unknown: the memory limit"), "{}", seen.shown());
        let json = follow(&place, &[&args[..], &["--json"]].concat(), &run);
        let object = at_the_end(&json).into_values().next().expect("one property");
        assert_eq!((json.status, object["verdict"].as_str()), (3, Some("unknown")), "{object}");
        assert_eq!((object["limit"]["reached"].as_str(), &object["satisfied"]), (Some("memory"), &Value::Null));
        assert!(object["hint"].as_str().is_some_and(|h| h.contains(hint)), "{object}");
        assert!(started.elapsed() < LATE);
    }
    let waits = "{\"process\":\"A\",\"after\":\"never\"}\n".to_owned() + &apart(false, 600_000);
    let seen = follow(&place, &["--ltl", "G (a < 8)", "--memory", "40MB"], &waits);
    assert_eq!(seen.status, 3, "{}", seen.shown());
    assert!(
        seen.stderr.contains("records wait because line 1 comes after `never`, which has not come"),
        "{}",
        seen.shown()
    );
}

#[test]
fn a_run_that_says_nothing_more_does_not_outlast_the_time_limit() {
    let place = Place::with(&[]);
    let started = Instant::now();
    let mut child = place
        .command(&["check", "--follow", "--ltl", "G (c0 < 9)", "--ltl", "F (c1 == 1)", "--timeout", "1s"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().expect("piped");
    input.write_all(RUN.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    drop(input);
    assert_eq!(output.status.code(), Some(3));
    let stdout = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(stdout.contains("✓ F (c1 == 1)  holds, certain since line 4 (B.1)"), "{stdout}");
    assert!(stdout.contains("? G (c0 < 9)  unknown: the time limit was reached while following the run"), "{stdout}");
    assert!(started.elapsed() < LATE);
}

/// At the end of a run the verdict is that of `check`.
#[test]
fn the_end_agrees_with_check() {
    let place = Place::with(&[]);
    let mut decided = BTreeMap::<bool, usize>::new();
    for workload in [
        "peterson --events 400",
        "peterson --events 400 --faulty --seed 2",
        "peterson --events 300 --processes 3 --deps full",
        "abp --events 300",
        "abp --events 300 --faulty",
        "philosophers --events 300 --processes 4",
        "philosophers --events 300 --processes 3 --faulty --deps full",
    ] {
        let gen_args: Vec<&str> = workload.split(' ').collect();
        assert_eq!(place.run(&[&["gen"], &gen_args[..], &["-o", "run.jsonl"]].concat()).status, 0);
        let mut props_args = vec!["gen", gen_args[0], "--props", "-o", "w.props"];
        if let Some(at) = gen_args.iter().position(|a| *a == "--processes") {
            props_args.extend(&gen_args[at..at + 2]);
        }
        assert_eq!(place.run(&props_args).status, 0, "{workload}");
        let seen = place.run(&["check", "run.jsonl", "--spec", "w.props", "--json"]);
        let followed = follow(&place, &["run.jsonl", "--spec", "w.props", "--json"], "");
        let end = at_the_end(&followed);
        let mut compared = 0;
        for result in seen.json()["results"].as_array().expect("results") {
            let name = result["property"].as_str().expect("a name");
            // Not all of CTL can be followed.
            if result["logic"] == "ctl" && !end.contains_key(name) {
                continue;
            }
            compared += 1;
            let satisfied = end[name]["satisfied"].as_bool().expect("it is decided");
            *decided.entry(satisfied).or_default() += 1;
            assert_eq!(satisfied, result["verdict"] == "holds", "{workload}: {name}: {}", end[name]);
        }
        assert_eq!(end.len(), compared, "{workload}");
    }
    assert!(decided.values().all(|&n| n >= 3) && decided.len() == 2, "{decided:?}");
}

/// Writes the pieces one by one, with time between them for each to be seen alone.
fn in_pieces(args: &[&str], pieces: &[&str]) -> Seen {
    let place = Place::with(&[]);
    let mut child = place
        .command(&[&["check", "--follow", "-"], args].concat())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().expect("piped");
    for piece in pieces {
        // It may have ended: then what it said is looked at.
        let _ = input.write_all(piece.as_bytes()).and_then(|()| input.flush());
        std::thread::sleep(Duration::from_millis(300));
    }
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Seen { status: output.status.code().expect("a status"), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// What a run is does not depend on how much of it comes at once.
#[test]
fn the_format_is_looked_for_in_a_whole_line() {
    let place = Place::with(&[]);
    for (args, pieces, status) in [
        (&["--ltl", "F event(write)"][..], &["{\"process\":\"0\",\"type\":\"invoke\",", "\"f\":\"write\"}\n"][..], 2),
        (&["--ltl", "G (x < 5)"], &["\n", "{\"process\":\"A\",\"set\":{\"x\":7}}\n"], 1),
        (&["--ltl", "G (x < 5)"], &["\u{feff}", "\n\n", "{\"x\"", ":1}\n{\"x\":4}"], 0),
        (&["--ltl", "G (x < 5)"], &["{\"x\":", "7}"], 1),
        (&["--ltl", "true"], &["\n", "  \n"], 2),
    ] {
        let whole = place.run_with(&[&["check", "--follow", "-"], args].concat(), pieces.concat().as_bytes());
        assert_eq!(whole.status, status, "{pieces:?}: {}", whole.shown());
        assert_eq!(in_pieces(args, pieces).shown(), whole.shown(), "{pieces:?}");
    }
    // Half a line is waited for as long as the limit allows.
    let mut child = place
        .command(&["check", "--follow", "-", "--ltl", "G (x < 5)", "--timeout", "500ms"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().expect("piped");
    input.write_all(b"{\"x\":").expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    drop(input);
    let told = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(told.contains("the time limit was reached while waiting for the run"), "{told}");
}
