//! `monitor`: answers about streams, keys, mistakes, limits, and checkpoints that lose nothing.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Write as _};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::program::{Place, Seen};
use serde_json::Value;

const LATE: Duration = Duration::from_secs(60);

const STATES: &str = r#"{"req":0,"ack":0}
{"req":1}
{"ack":1,"req":0}
{"ack":0}
{"req":1,"note":"last"}
"#;

const EVENTS: &str = r#"{"posetta":1,"initial":{"state":"new"}}
{"process":"shop","order":"a","name":"pay","set":{"state":"paid"}}
{"process":"shop","order":"b","name":"pay","set":{"state":"paid"}}
{"process":"depot","order":"a","name":"ship","set":{"state":"shipped"}}
{"process":"depot","order":"c","name":"ship","set":{"state":"shipped"}}
{"process":"shop","order":"c","name":"pay","set":{"state":"paid"}}
{"process":"depot","name":"clean"}
{"process":"shop","order":"a","name":"pay","set":{"state":"paid"}}
"#;

const PROPS: &str = "\
property reply   = ltl G (req == 1 -> F ack == 1)
property asked   = ltl F (req == 1)
property no_both = ltl G !(req == 1 && ack == 1)
property calm    = ltl G (req == 0)
";

const ORDERS: &str = "\
property paid_first = ltl !(state == \"shipped\") W (state == \"paid\")
property shipped    = ltl F (state == \"shipped\")
property replied    = ltl over events G (event(pay) -> F event(ship))
";

fn monitor(place: &Place, args: &[&str], input: &str) -> Seen {
    place.run_with(&[&["monitor"], args].concat(), input.as_bytes())
}

fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
}

#[test]
fn a_line_for_each_change() {
    let place = Place::with(&[("s.jsonl", STATES), ("p.props", PROPS)]);
    let seen = monitor(&place, &["s.jsonl", "--spec", "p.props"], "");
    insta::assert_snapshot!("changes", seen.shown());
    let from_a_pipe = monitor(&place, &["--spec", "p.props"], STATES);
    assert_eq!(from_a_pipe.shown().replace("standard input  5 records", "s.jsonl  5 records"), seen.shown());
    let seen = monitor(&place, &["-", "--spec", "p.props", "--json"], STATES);
    insta::assert_snapshot!("changes_for_programs", seen.shown());
    // The documented fields come first, as they are documented.
    let first = r#"{"position":0,"property":"reply","satisfied":true,"verdict":"open","monitorable":false,"#;
    assert!(seen.stdout.starts_with(first), "{}", seen.stdout);
}

#[test]
fn a_line_for_every_record() {
    let place = Place::with(&[("p.props", PROPS)]);
    let seen = monitor(&place, &["--spec", "p.props", "--property", "asked", "--every", "--json"], STATES);
    let told: Vec<String> = objects(&seen.stdout)
        .iter()
        .map(|o| format!("{} {} {}", o["position"], o["satisfied"], o["verdict"]))
        .collect();
    let expected = ["0 false \"open\"", "1 true \"holds\"", "2 true \"holds\"", "3 true \"holds\"", "4 true \"holds\""];
    assert_eq!((seen.status, told), (0, expected.map(str::to_owned).to_vec()));
}

/// Position 0 of a stream of events is the initial valuation, as for `check`.
#[test]
fn events_start_from_the_initial_values() {
    let place = Place::with(&[("e.jsonl", EVENTS), ("p.props", ORDERS)]);
    let seen = monitor(&place, &["e.jsonl", "--spec", "p.props"], "");
    insta::assert_snapshot!("events", seen.shown());
    let check = place.run(&["check", "e.jsonl", "--ltl", "F (state == \"new\")"]);
    let same = monitor(&place, &["e.jsonl", "--ltl", "F (state == \"new\")"], "");
    assert_eq!((check.status, same.status), (0, 0), "{}", same.shown());
}

/// At its end a stream has the verdict that `check` has.
#[test]
fn the_end_agrees_with_check() {
    let place = Place::with(&[("s.jsonl", STATES)]);
    for formula in [
        "G (req == 1 -> F ack == 1)",
        "F (req == 1)",
        "G (req == 0)",
        "F (ack == 1 && X ack == 0)",
        "G (ack == 1 -> WX ack == 0)",
        "F on(note == \"last\")",
        "H (req == 0)",
        "G (req == 1 -> O ack == 0)",
        "X X X X true",
        "X X X X X true",
    ] {
        for over in ["states", "events"] {
            let args = ["s.jsonl", "--ltl", formula, "--over", over];
            let check = place.run(&[&["check"], &args[..]].concat());
            let seen = monitor(&place, &args, "");
            assert_eq!(seen.status, check.status, "{formula} over {over}: {}", seen.shown());
        }
    }
}

#[test]
fn completions_change_the_question() {
    let place = Place::with(&[]);
    let verdict = |formula: &str, completions: &str| {
        let seen = monitor(&place, &["--ltl", formula, "--completions", completions, "--json"], "{\"x\":1}\n");
        objects(&seen.stdout)[0]["verdict"].as_str().expect("a verdict").to_owned()
    };
    for (formula, finite, infinite, both) in [
        ("F !X true", "holds", "violated", "open"),
        ("G X true", "violated", "holds", "open"),
        ("F (x == 1)", "holds", "holds", "holds"),
        ("G (x == 0)", "violated", "violated", "violated"),
        ("G F (x == 1)", "open", "open", "open"),
    ] {
        let found = ["finite", "infinite", "both"].map(|completions| verdict(formula, completions));
        assert_eq!(found, [finite, infinite, both], "{formula}");
    }
}

#[test]
fn a_stream_for_each_key() {
    let place = Place::with(&[("e.jsonl", EVENTS), ("p.props", ORDERS)]);
    let seen = monitor(&place, &["e.jsonl", "--key", "order", "--spec", "p.props"], "");
    insta::assert_snapshot!("keys", seen.shown());
    let json = monitor(&place, &["e.jsonl", "--key", "order", "--spec", "p.props", "--json"], "");
    assert!(objects(&json.stdout).iter().all(|o| o["key"].is_string()), "{}", json.shown());
    assert_eq!(json.stdout.lines().count(), seen.stdout.lines().count());
    // A key that is done does not start anew.
    let done = "{\"k\":1,\"x\":1}\n{\"k\":1,\"x\":0}\n{\"k\":2,\"x\":0}\n{\"k\":1,\"x\":1}\n";
    let seen = monitor(&place, &["--key", "k", "--ltl", "G (x == 0)", "--json", "--every"], done);
    let told: Vec<String> = objects(&seen.stdout).iter().map(|o| format!("{} {}", o["key"], o["verdict"])).collect();
    assert_eq!(told, ["\"1\" \"violated\"", "\"2\" \"open\""], "{}", seen.shown());
}

/// Who wants it quiet sees what does not hold, and the summary; programs see everything.
#[test]
fn quiet_is_what_does_not_hold_and_the_summary() {
    let place = Place::with(&[("s.jsonl", STATES), ("p.props", PROPS)]);
    let args = ["s.jsonl", "--spec", "p.props", "-q"];
    let mut shown = monitor(&place, &args, "").shown();
    let _ = writeln!(shown, "=== all is well");
    shown.push_str(&monitor(&place, &[&args[..], &["--property", "asked"]].concat(), "").shown());
    insta::assert_snapshot!("quiet", shown);
    let json = monitor(&place, &[&args[..], &["--json"]].concat(), "");
    assert_eq!(json.stdout, monitor(&place, &["s.jsonl", "--spec", "p.props", "--json"], "").stdout);
    // What is not told has no number, and another one goes on from there.
    let kept = [&args[..], &["--checkpoint", "c", "--out", "o"]].concat();
    assert_eq!(monitor(&place, &kept, "").status, 1);
    let told = place.read("o");
    assert_eq!(monitor(&place, &kept, "").status, 1);
    assert_eq!((told.lines().count(), place.read("o")), (1, told));
}

/// An empty key is a key.
#[test]
fn an_empty_key_is_shown() {
    let place = Place::with(&[]);
    let input = "{\"k\":\"\",\"x\":1}\n{\"k\":\"a\",\"x\":1}\n{\"k\":\"\",\"x\":7}\n";
    let seen = monitor(&place, &["--key", "k", "--ltl", "G (x < 5)"], input);
    insta::assert_snapshot!("empty_key", seen.shown());
}

#[test]
fn mistakes_are_told_and_the_stream_goes_on() {
    let place = Place::with(&[("run.trace", "A: x=1\n"), ("p.props", PROPS)]);
    place.write("c.props", b"property cuts = ctl AG (x < 5)\nproperty runs = ltl G (x < 5)\n");
    let mut shown = String::new();
    let good = "{\"x\":1}\n";
    let ltl: &[&str] = &["--ltl", "G (x < 5)"];
    for (what, status, args, input) in [
        ("a broken line", 2, ltl, "{\"x\":1}\n{\"x\":}\n{\"x\":2}\n"),
        ("a broken line, and strict", 2, &["--ltl", "G (x < 5)", "--strict"], "{\"x\":1}\n{\"x\":}\n{\"x\":9}\n"),
        ("an event among states", 2, ltl, "{\"x\":1}\n{\"process\":\"A\"}\n{\"x\":2}\n"),
        ("a string for a number", 2, ltl, "{\"x\":1}\n{\"x\":\"off\"}\n{\"x\":2}\n"),
        (
            "a string for a number, and strict",
            2,
            &["--ltl", "G (x < 5)", "--strict"],
            "{\"x\":1}\n{\"x\":\"a\"}\n{\"x\":9}\n",
        ),
        ("a string at the start", 2, ltl, "{\"posetta\":1,\"initial\":{\"x\":\"a\"}}\n{\"process\":\"A\"}\n"),
        ("a variable that nobody assigns", 2, &["--ltl", "G (xx < 5)"], "{\"x\":1}\n{\"x\":2}\n"),
        ("the same, but the verdict is determined", 1, &["--ltl", "F (xx == 5) && G (x == 0)"], good),
        ("an event that never comes", 1, &["--ltl", "F event(stop)"], "{\"process\":\"A\",\"set\":{\"x\":1}}\n"),
        ("a division by zero", 1, &["--ltl", "G (1 / x == 1)"], "{\"x\":1}\n{\"x\":0}\n"),
        ("nothing", 2, ltl, ""),
        ("nothing but a header", 0, ltl, "{\"posetta\":1,\"initial\":{\"x\":1}}\n"),
        ("states without a variable", 2, &["--ltl", "F !X true"], "{}\n{\"x\":null}\n"),
        ("a header and states without a variable", 0, &["--ltl", "F !X true"], "{\"posetta\":1}\n{}\n"),
        ("a record without the key", 0, &["--ltl", "G (x < 5)", "--key", "k"], "{\"x\":1}\n{\"k\":1,\"x\":2}\n"),
        (
            "the same, and strict",
            2,
            &["--ltl", "G (x < 5)", "--key", "k", "--strict"],
            "{\"x\":1}\n{\"k\":1,\"x\":2}\n",
        ),
        ("no record has the key", 2, &["--ltl", "G (x < 5)", "--key", "k"], good),
        ("a property of cuts beside another", 2, &["--spec", "c.props"], good),
        ("only a property of cuts", 2, &["--spec", "c.props", "--property", "cuts"], good),
        ("no such property", 2, &["--spec", "p.props", "--property", "none"], good),
        ("a mistake in a property", 2, &["--ltl", "G ("], good),
        ("no property", 2, &[], good),
        ("another format", 2, &["run.trace", "--ltl", "true"], ""),
        ("a file that is not there", 2, &["none.jsonl", "--ltl", "true"], ""),
        ("a directory", 2, &[".", "--ltl", "true"], ""),
        ("a file that cannot be written", 2, &["--ltl", "G (x < 5)", "--out", "none/out"], good),
        ("a checkpoint that cannot be written", 2, &["--ltl", "G (x < 5)", "--checkpoint", "none/c"], good),
    ] {
        let seen = monitor(&place, args, input);
        let _ = writeln!(shown, "=== {what}\n{}", seen.shown());
        assert_eq!(seen.status, status, "{what}: {}", seen.shown());
        // Programs are told the same.
        let json = monitor(&place, &[args, &["--json"]].concat(), input);
        assert_eq!(json.status, status, "{what}: {}", json.shown());
        let is_error = |o: &Value| o["error"].is_object();
        assert!(status != 2 || what == "no property" || objects(&json.stdout).iter().any(is_error), "{}", json.shown());
    }
    insta::assert_snapshot!("mistakes", shown);
}

#[test]
fn many_mistakes_are_counted() {
    let place = Place::with(&[]);
    let input = "{\"x\":1}\n".to_owned() + &"{\n".repeat(1000) + "{\"x\":2}\n";
    let seen = monitor(&place, &["--ltl", "G (x < 5)"], &input);
    assert_eq!((seen.status, seen.stderr.matches("the line ends inside").count()), (2, 20), "{}", seen.shown());
    assert!(seen.stderr.contains("further mistakes are only counted"), "{}", seen.shown());
    assert!(seen.stderr.contains("1,000 lines were left out because of a mistake"), "{}", seen.shown());
    let json = monitor(&place, &["--ltl", "G (x < 5)", "--json"], &input);
    let objects = objects(&json.stdout);
    assert_eq!(objects.iter().filter(|o| o["error"].is_object()).count(), 1000);
    assert!(objects.iter().zip(1..).all(|(o, number)| o["number"] == number));
}

fn start(place: &Place, args: &[&str]) -> Child {
    place
        .command(&[&["monitor"], args].concat())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

fn finish(child: Child) -> (Option<i32>, String) {
    let output = child.wait_with_output().expect("the program ends");
    (output.status.code(), String::from_utf8(output.stderr).expect("UTF-8"))
}

/// Whether something comes to be before it is too late.
fn wait_for(mut it: impl FnMut() -> bool) {
    let started = Instant::now();
    while !it() {
        assert!(started.elapsed() < LATE, "it did not happen");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn answers_come_while_the_stream_waits() {
    let place = Place::with(&[]);
    let mut child = start(&place, &["--ltl", "G (x < 5)", "--timeout", "50s"]);
    let mut input = child.stdin.take().expect("piped");
    let mut told = BufReader::new(child.stdout.take().expect("piped"));
    for (x, word) in [(1, "open"), (7, "violated")] {
        writeln!(input, "{{\"x\":{x}}}").and_then(|()| input.flush()).expect("it reads");
        let mut line = String::new();
        told.read_line(&mut line).expect("it tells");
        assert!(line.contains(word), "{line}");
    }
    // Nothing more can change, so it ends by itself.
    assert_eq!(finish(child).0, Some(1));
}

#[test]
fn a_stream_that_says_nothing_more_does_not_outlast_the_time_limit() {
    let place = Place::with(&[]);
    for json in [false, true] {
        let started = Instant::now();
        let args = ["--ltl", "G (x < 5)", "--ltl", "F (x == 1)", "--timeout", "1s", "--json"];
        let mut child = start(&place, &args[..args.len() - usize::from(!json)]);
        let mut input = child.stdin.take().expect("piped");
        writeln!(input, "{{\"x\":1}}").expect("it reads");
        let output = child.wait_with_output().expect("the program ends");
        let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(3), "{stdout}{stderr}");
        assert!(stderr.contains("? G (x < 5)  unknown: the time limit was reached"), "{stderr}");
        assert!(stderr.contains("✓ F (x == 1)  holds: determined at position 0"), "{stderr}");
        assert_eq!(stdout.contains("\"verdict\":\"unknown\""), json, "{stdout}");
        assert!(started.elapsed() < LATE);
        drop(input);
    }
}

#[test]
fn past_the_memory_limit_the_answer_is_unknown() {
    let place = Place::with(&[]);
    let mut input = String::new();
    for i in 0..400_000 {
        let _ = writeln!(input, "{{\"k\":\"a key that takes some room {i}\",\"x\":0}}");
    }
    let seen =
        monitor(&place, &["--key", "k", "--ltl", "G (x < 5)", "--memory", "60MB", "--json", "--out", "o"], &input);
    assert_eq!(seen.status, 3, "{}", seen.stderr);
    assert!(seen.stderr.contains("the memory limit was reached"), "{}", seen.stderr);
}

#[test]
fn a_growing_file_is_followed() {
    let place = Place::with(&[("s.jsonl", "{\"x\":1}\n{\"x\"")]);
    let mut child =
        start(&place, &["s.jsonl", "--follow", "--ltl", "G (x < 5)", "--ltl", "F (x == 3)", "--timeout", "50s"]);
    let mut told = BufReader::new(child.stdout.take().expect("piped"));
    let mut next = || {
        let mut line = String::new();
        told.read_line(&mut line).expect("it tells");
        line
    };
    assert!(next().starts_with("0: G (x < 5) open"));
    assert!(next().starts_with("0: F (x == 3) open"));
    let path = place.path().join("s.jsonl");
    let mut file = OpenOptions::new().append(true).open(&path).expect("the file");
    file.write_all(b":3}\n{\"x\":4}\n{").expect("it grows");
    assert!(next().starts_with("1: F (x == 3) holds"));
    std::fs::remove_file(&path).expect("it is there");
    let (status, stderr) = finish(child);
    assert_eq!(status, Some(0), "{stderr}");
    assert!(stderr.contains("3 records") && stderr.contains("the file was removed or replaced"), "{stderr}");
}

/// An interruption is the end: it is told what is known, and a checkpoint is kept.
#[cfg(unix)]
#[test]
fn an_interruption_ends_the_stream() {
    let place = Place::with(&[]);
    let args = ["--ltl", "G (x < 5)", "--checkpoint", "c", "--timeout", "50s"];
    let mut child = start(&place, &args);
    let mut input = child.stdin.take().expect("piped");
    let mut told = BufReader::new(child.stdout.take().expect("piped"));
    input.write_all(b"{\"x\":1}\n{\"x\":2}\n{\"x\":").and_then(|()| input.flush()).expect("it reads");
    let mut line = String::new();
    told.read_line(&mut line).expect("it tells");
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(killed.expect("kill").success());
    let (status, stderr) = finish(child);
    assert_eq!(status, Some(0), "{stderr}");
    assert!(stderr.contains("2 records") && stderr.contains("interrupted: this counts as the end"), "{stderr}");
    // The half line is read when it has come whole.
    let seen = monitor(&place, &args, "{\"x\":1}\n{\"x\":2}\n{\"x\":9}\n");
    assert_eq!(seen.status, 1, "{}", seen.shown());
    assert!(seen.stdout.starts_with("#2  2: G (x < 5) violated"), "{}", seen.shown());
}

/// A stream with mistakes, several properties, and, with `--key`, several keys.
fn long_stream(records: usize) -> Vec<String> {
    let mut random = 4711_u64;
    let mut lines = vec!["{\"posetta\":1,\"initial\":{\"x\":0,\"y\":\"\"}}".to_owned()];
    for i in 0..records {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let pick = random >> 33;
        lines.push(match pick % 11 {
            0 => "{\"process\":\"A\",\"set\":{\"x\":}}".to_owned(),
            1 => format!("{{\"process\":\"A\",\"k\":\"{}\",\"set\":{{\"y\":\"é\\n\"}}}}", i % 3),
            2 => format!("{{\"process\":\"B\",\"k\":\"{}\",\"name\":\"go\"}}", i % 5),
            3 => "{\"process\":\"B\",\"name\":\"nobody\"}".to_owned(),
            n => format!("{{\"process\":\"A\",\"k\":\"{}\",\"set\":{{\"x\":{}.{n}}}}}", i % 4, pick / 11 % 5),
        });
    }
    lines
}

const LONG_PROPS: &str = "\
property grows  = ltl G (x < 4 -> F x >= 4)
property go     = ltl over events G (event(go) -> WX on(x >= 0))
property small  = ltl G (x < 9)
property once   = ltl F (y != \"\" && X x < 1)
property before = ltl G (x > 4 -> O event(go))
";

/// Kills the program after each line of a stream, and lets another one go on: the same lines, none lost, none twice.
#[test]
fn killed_between_any_two_lines_nothing_is_lost_or_told_twice() {
    let place = Place::with(&[("p.props", LONG_PROPS)]);
    let lines = long_stream(18);
    let whole = lines.join("\n") + "\n";
    for (key, every) in [(false, "1"), (true, "4")] {
        place.remove("c");
        let mut args = vec!["--spec", "p.props", "--json", "--checkpoint-every", every, "--timeout", "50s"];
        if key {
            args.extend(["--key", "k"]);
        }
        let reference = monitor(&place, &[&args[..], &["--out", "o", "--checkpoint", "c"]].concat(), &whole);
        let expected = place.read("o");
        assert!(expected.lines().count() >= 12, "{expected}");
        for killed_after in 0..=lines.len() {
            place.remove("c");
            place.remove("o");
            let args = [&args[..], &["--out", "o", "--checkpoint", "c"]].concat();
            let mut child = start(&place, &args);
            let mut input = child.stdin.take().expect("piped");
            for line in &lines[..killed_after] {
                writeln!(input, "{line}").and_then(|()| input.flush()).expect("it reads");
            }
            // Lines are written when the stream has nothing more to give.
            let about = |line: &&str| {
                let object: Value = serde_json::from_str(line).expect("JSON");
                let at = object["line"].as_u64().or(object["error"]["line"].as_u64());
                at.is_some_and(|at| at <= killed_after as u64)
            };
            let so_far = expected.lines().filter(about).count();
            wait_for(|| so_far == 0 || (place.exists("o") && place.read("o").lines().count() >= so_far));
            child.kill().expect("it runs");
            let _ = child.wait();
            drop(input);
            let again = monitor(&place, &args, &whole);
            assert_eq!(again.status, reference.status, "{}", again.shown());
            assert_eq!(place.read("o"), expected, "killed after {killed_after} lines, key {key}, every {every}");
            assert_eq!(summary(&again), summary(&reference));
        }
    }
}

/// What is said at the end, without the mistakes on the way.
fn summary(seen: &Seen) -> &str {
    let at = seen.stderr.find("standard input  ").expect("a summary");
    &seen.stderr[at..]
}

#[test]
fn killed_at_any_moment_nothing_is_lost_or_told_twice() {
    let place = Place::with(&[("p.props", LONG_PROPS)]);
    place.write("s.jsonl", (long_stream(3000).join("\n") + "\n").as_bytes());
    let args = ["s.jsonl", "--spec", "p.props", "--json", "--key", "k", "--every", "--out", "o", "--checkpoint", "c"];
    let reference = monitor(&place, &args, "");
    let expected = place.read("o");
    place.remove("c");
    let args = [&args[..], &["--checkpoint-every", "37"]].concat();
    let mut kills = 0;
    for pause in (0..40).map(|i| 3 + i * 7 % 60) {
        let mut child = start(&place, &args);
        thread::sleep(Duration::from_millis(pause));
        kills += usize::from(child.try_wait().expect("it can be asked").is_none());
        child.kill().expect("it can be killed");
        let _ = child.wait();
    }
    let last = monitor(&place, &args, "");
    assert_eq!(last.status, reference.status, "{}", last.shown());
    assert!(place.read("o") == expected, "after {kills} kills");
    assert!(kills > 0);
}

#[test]
fn a_stream_goes_on_where_it_was() {
    let place = Place::with(&[("s.jsonl", STATES), ("p.props", PROPS)]);
    let args = ["s.jsonl", "--spec", "p.props", "--checkpoint", "c"];
    let first = monitor(&place, &args, "");
    assert!(first.stdout.starts_with("#1  0: reply open"), "{}", first.shown());
    // Nothing new: nothing is told, and the end is the same.
    let second = monitor(&place, &args, "");
    assert_eq!((second.stdout.as_str(), second.status, &second.stderr), ("", first.status, &first.stderr));
    place.write("s.jsonl", format!("{STATES}{{\"ack\":1,\"req\":0}}\n").as_bytes());
    let third = monitor(&place, &args, "");
    insta::assert_snapshot!("goes_on", third.shown());
}

/// A checkpoint whose instances cannot be taken back is made good by reading again.
#[test]
fn instances_of_another_version_are_made_again() {
    let place = Place::with(&[("s.jsonl", STATES), ("p.props", PROPS)]);
    let args = ["s.jsonl", "--spec", "p.props", "--json", "--out", "o", "--checkpoint", "c"];
    monitor(&place, &args, "");
    let expected = place.read("o");
    let checkpoint = place.read("c");
    let odd: Vec<String> = checkpoint
        .lines()
        .map(|line| if line.starts_with("[") { "[\"\",[\"?\",\"?\",\"?\",\"?\"]]".to_owned() } else { line.to_owned() })
        .collect();
    place.write("c", sealed(&odd[..odd.len() - 1]).as_bytes());
    let seen = monitor(&place, &args, "");
    assert_eq!((seen.status, place.read("o")), (1, expected), "{}", seen.shown());
}

/// The lines of a checkpoint with the seal that docs/monitor.md describes: CRC-64/XZ, bit by bit.
fn sealed(lines: &[String]) -> String {
    let body: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let step = |sum: u64, byte: u8| {
        (0..8).fold(sum ^ u64::from(byte), |sum, _| (sum >> 1) ^ (if sum & 1 == 1 { 0xc96c_5795_d787_0f42 } else { 0 }))
    };
    let sum = !body.bytes().fold(!0_u64, step);
    format!("{body}{{\"length\":{:20},\"checksum\":\"{sum:016x}\"}}\n", body.len())
}

/// What the program says of checkpoints that somebody made up; the mutants that the tests beside the code make are many more.
#[test]
fn a_checkpoint_that_cannot_be_is_refused_with_a_message() {
    let place = Place::with(&[("s.jsonl", STATES), ("p.props", PROPS)]);
    for (json, whole) in [(false, &["--out", "o"][..]), (true, &["--json"])] {
        let args = [&["s.jsonl", "--spec", "p.props", "--checkpoint", "c"], whole].concat();
        place.remove("c");
        let reference = monitor(&place, &args, "");
        assert_eq!(reference.status, 1, "{}", reference.shown());
        let checkpoint = place.read("c");
        let lines: Vec<String> = checkpoint.lines().map(str::to_owned).collect();
        let body = &lines[..lines.len() - 1];
        assert_eq!(sealed(body), checkpoint);
        let head: Value = serde_json::from_str(&lines[0]).expect("an object");
        let told = if json { String::new() } else { place.read("o") };
        let (mut refused, mut right) = (0, 0);
        let fields = head.as_object().expect("an object").keys().map(|key| format!("/{key}"));
        let more =
            ["/board/malformed", "/board/mistyped", "/board/keyless", "/board/properties/0/holds"].map(str::to_owned);
        let more =
            more.into_iter().chain(["/board/properties/2/violated", "/board/properties/2/since"].map(str::to_owned));
        for field in fields.chain(more) {
            for extreme in ["0", "18446744073709551615", "9223372036854775808", "-1", "1.5", "null", "\"\"", "[]", "{}"]
            {
                let mut head = head.clone();
                let value: Value = serde_json::from_str(extreme).expect("a value");
                let at = head.pointer_mut(&field).unwrap_or_else(|| panic!("{field}"));
                if std::mem::replace(at, value.clone()) == value {
                    continue;
                }
                place.write("c", sealed(&[&[head.to_string()], &body[1..]].concat()).as_bytes());
                let seen = monitor(&place, &args, "");
                let what = || format!("{field} is {extreme}: {}", seen.shown());
                if seen.status == 2 {
                    refused += 1;
                    assert!(seen.stderr.starts_with("error: ") && seen.stderr.contains("checkpoint"), "{}", what());
                    assert!(!json || objects(&seen.stdout)[0]["error"]["message"].is_string(), "{}", what());
                } else {
                    right += 1;
                    assert_eq!((seen.status, seen.stdout.as_str()), (1, ""), "{}", what());
                }
                assert!(json || place.read("o") == told, "{}", what());
            }
        }
        assert!(refused > 100 && right > 2, "{refused} refused, {right} right");
    }
}

#[test]
fn a_checkpoint_that_does_not_fit_is_refused() {
    let old = "{\"posetta_checkpoint\":2,\"asked\":{},\"offset\":0}\n{\"streams\":0}\n";
    let place = Place::with(&[("s.jsonl", STATES), ("p.props", PROPS), ("other", "hello\n"), ("old", old)]);
    let base = ["s.jsonl", "--spec", "p.props", "--checkpoint", "c", "--out", "o"];
    monitor(&place, &base, "");
    let mut shown = String::new();
    for (what, args) in [
        ("other properties", &["s.jsonl", "--ltl", "true", "--checkpoint", "c", "--out", "o"][..]),
        ("other completions", &[&base[..], &["--completions", "finite"]].concat()),
        ("a key", &[&base[..], &["--key", "k"]].concat()),
        ("every", &[&base[..], &["--every"]].concat()),
        ("strict", &[&base[..], &["--strict"]].concat()),
        ("quiet", &[&base[..], &["--quiet"]].concat()),
        ("another form", &[&base[..], &["--json"]].concat()),
        ("another source", &["-", "--spec", "p.props", "--checkpoint", "c", "--out", "o"]),
        ("another file", &["s.jsonl", "--spec", "p.props", "--checkpoint", "c", "--out", "o2"]),
        ("no file", &["s.jsonl", "--spec", "p.props", "--checkpoint", "c"]),
        ("no checkpoint", &["s.jsonl", "--spec", "p.props", "--checkpoint", "other"]),
        ("another version", &["s.jsonl", "--spec", "p.props", "--checkpoint", "old"]),
        ("a directory", &["s.jsonl", "--spec", "p.props", "--checkpoint", "."]),
        ("one file for both", &["s.jsonl", "--spec", "p.props", "--checkpoint", "./n", "--out", "n"]),
        ("one file for both, which is there", &["s.jsonl", "--spec", "p.props", "--checkpoint", "c", "--out", "./c"]),
    ] {
        let seen = monitor(&place, args, STATES);
        assert_eq!(seen.status, 2, "{what}: {}", seen.shown());
        let _ = writeln!(shown, "=== {what}\n{}", seen.shown());
    }
    let whole = place.read("c");
    let lines: Vec<String> = whole.lines().map(str::to_owned).collect();
    let made_up = sealed(&[&[lines[0].replace("\"records\":5", "\"records\":7")], &lines[1..lines.len() - 1]].concat());
    assert_ne!(made_up, whole);
    for (what, content) in [
        ("damaged", whole.replace("\"holds\":0", "\"holds\":1").as_str()),
        ("cut off", &whole[..whole.len() - 1]),
        ("made up", &made_up),
    ] {
        place.write("c", content.as_bytes());
        for args in [&base[..], &[&base[..], &["--json"]].concat()] {
            let seen = monitor(&place, args, STATES);
            assert_eq!(seen.status, 2, "{what}: {}", seen.shown());
            let _ = writeln!(shown, "=== {what}\n{}", seen.shown());
        }
    }
    place.write("c", whole.as_bytes());
    for (what, file, content) in
        [("a shorter file of lines", "o", ""), ("a shorter stream", "s.jsonl", "{\"req\":1}\n")]
    {
        let before = place.read(file);
        place.write(file, content.as_bytes());
        let seen = monitor(&place, &base, "");
        assert_eq!(seen.status, 2, "{what}: {}", seen.shown());
        let _ = writeln!(shown, "=== {what}\n{}", seen.shown());
        place.write(file, before.as_bytes());
    }
    insta::assert_snapshot!("checkpoints", shown);
    assert!(!place.exists("n"));
    assert_eq!(place.read("c"), whole);
}

/// A warning that came before a checkpoint is told by whoever ends the stream, and denied.
#[test]
fn warnings_from_before_a_checkpoint_are_told() {
    let clock = "{\"process\":\"A\",\"set\":{\"x\":1},\"vc\":{\"A\":1}}\n";
    let event = "{\"process\":\"A\",\"set\":{\"x\":1}}\n";
    for (before, after, told) in [
        ("{\"x\":1,\"y\":null}\n{\"x\":2}\n", "{\"x\":3}\n", &["`y` (null, once) is ignored"][..]),
        (
            "{\"x\":1,\"y\":null}\n{\"x\":2}\n",
            "{\"x\":3,\"z\":null}\n",
            &["`y` (null, once) is ignored", "`z` (null, once) is ignored"],
        ),
        (clock, event, &["`vc`"]),
    ] {
        let place = Place::with(&[("s.jsonl", before)]);
        let base = ["s.jsonl", "--ltl", "F (x == 9)", "--checkpoint", "c", "--checkpoint-every", "1", "--json"];
        for (number, deny) in [(1, "ignored"), (2, "ignored"), (3, "missing-event")] {
            let seen = monitor(&place, &[&base[..], &["--deny", deny]].concat(), "");
            assert_eq!(seen.status, if deny == "ignored" { 2 } else { 1 }, "{number}: {}", seen.shown());
            let told = if number == 1 { &told[..1] } else { told };
            for told in told {
                assert_eq!(seen.stderr.matches(told).count(), 1, "{number}: {}", seen.shown());
            }
            let warnings = objects(&seen.stdout).into_iter().filter(|o| o["warning"].is_object());
            assert_eq!(warnings.count(), told.len(), "{number}: {}", seen.shown());
            place.write("s.jsonl", format!("{before}{after}").as_bytes());
        }
    }
}

/// Bringing a checkpoint to the disk takes long; lines that are no records are not worth one each.
#[test]
fn lines_without_a_record_make_no_checkpoint() {
    let place = Place::with(&[]);
    let args = ["--ltl", "G (x < 5)", "--checkpoint", "c", "--checkpoint-every", "1", "--timeout", "50s"];
    let mut child = start(&place, &args);
    let mut input = child.stdin.take().expect("piped");
    let mut told = BufReader::new(child.stderr.take().expect("piped"));
    let mut say = |line: &str| input.write_all(line.as_bytes()).and_then(|()| input.flush()).expect("it reads");
    let mut hear = |what: &str| {
        let mut line = String::new();
        while !line.contains(what) {
            line.clear();
            assert!(told.read_line(&mut line).expect("it tells") > 0, "{what} is not told");
        }
    };
    say(&"{\"x\":}\n".repeat(9));
    hear("standard input:9:");
    assert!(!place.exists("c"), "there was no record");
    say("{\"x\":1}\n");
    wait_for(|| place.exists("c"));
    // The next mistake is told when the checkpoint of the record is whole.
    say("{\"x\":}\n");
    hear("standard input:11:");
    let before = place.read("c");
    say("{\"x\":}\n{\"x\":}\n");
    hear("standard input:13:");
    assert_eq!(place.read("c"), before);
    say("{\"x\":2}\n");
    wait_for(|| place.read("c") != before);
    drop((input, told));
    // At the end there is one of everything.
    assert_eq!(finish(child).0, Some(2));
    let head = place.read("c");
    let head: Value = serde_json::from_str(head.lines().next().expect("a line")).expect("JSON");
    assert_eq!((&head["records"], &head["board"]["malformed"]), (&2.into(), &12.into()), "{head}");
}

#[test]
fn a_stream_that_cannot_be_read_is_no_stream_that_ends_early() {
    let place = Place::with(&[]);
    let args = ["-", "--ltl", "G (x < 5)", "--checkpoint", "c"];
    assert_eq!(monitor(&place, &args, "{\"x\":1}\n").status, 0);
    let seen = monitor(&place, &args, "");
    assert!(seen.status == 2 && seen.stderr.contains("the stream ends before the place"), "{}", seen.shown());
    let folder = std::fs::File::open(place.path()).expect("a directory");
    let output = place.command(&[&["monitor"], &args[..]].concat()).stdin(folder).output().expect("it ends");
    let told = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(2));
    assert!(told.starts_with("error: cannot read standard input: ") && !told.contains("ends before"), "{told}");
}

#[test]
fn a_stream_may_begin_with_blank_lines() {
    for (start_with, rest) in
        [("\n", "{\"process\":\"A\",\"set\":{\"x\":7}}\n"), ("\u{feff}\n \n", "\n{\"x\":7}\n"), ("\n\n", "x\n7\n")]
    {
        let place = Place::with(&[]);
        let from = if rest.starts_with('x') { &["--from", "csv"][..] } else { &[] };
        let args = [&["--ltl", "G (x < 5)", "--json", "--timeout", "50s"], from].concat();
        let mut child = start(&place, &args);
        let mut input = child.stdin.take().expect("piped");
        input.write_all(start_with.as_bytes()).and_then(|()| input.flush()).expect("it reads");
        // Time for it to see that alone; it may be too short, and then the test shows less.
        thread::sleep(Duration::from_millis(300));
        input.write_all(rest.as_bytes()).expect("it reads");
        drop(input);
        let output = child.wait_with_output().expect("it ends");
        let (told, text) = (String::from_utf8_lossy(&output.stdout), format!("{start_with}{rest}"));
        assert_eq!(output.status.code(), Some(1), "{text:?}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(told.contains("\"verdict\":\"violated\""), "{text:?}: {told}");
        assert_eq!(monitor(&place, &args, &text).stdout, told, "{text:?}");
    }
    let place = Place::with(&[]);
    let seen = monitor(&place, &["--ltl", "true"], "\n \n\n");
    assert!(seen.status == 2 && seen.stderr.contains("standard input is empty"), "{}", seen.shown());
    let mut child = start(&place, &["--ltl", "G (x < 5)", "--timeout", "1s"]);
    let mut input = child.stdin.take().expect("piped");
    input.write_all(b"\n").expect("it reads");
    assert_eq!(child.wait().expect("it ends").code(), Some(3));
    drop(input);
}

/// What is known at the end, in the forms that build servers read.
#[test]
fn a_stream_has_reports_in_files() {
    let place = Place::with(&[("s.jsonl", "{\"posetta\":1}\n{\"x\":1}\n{\"x\":2}\nnothing\n{\"x\":3}\n")]);
    let args = ["monitor", "s.jsonl", "--ltl", "G (x < 3)", "--ltl", "F (x == 2)"];
    let files = ["--report", "junit=out.xml", "--report", "markdown=out.md", "--report", "sarif=out.sarif"];
    let seen = place.run(&[&args[..], &files].concat());
    // The lines are those without reports.
    assert_eq!(seen.stdout, place.run(&args).stdout);
    let junit = place.read("out.xml");
    assert!(junit.contains("failures=\"1\"") && junit.contains("G (x &lt; 3)"), "{junit}");
    assert!(place.read("out.md").contains("violated") && place.read("out.sarif").contains("G (x < 3)"));
    let seen = place.run(&[&args[..], &["--format", "junit"]].concat());
    assert!(seen.stderr.contains("a stream is told line by line"), "{}", seen.shown());
    let seen = place.run(&[&args[..], &["--out", "same", "--report", "junit=same"]].concat());
    assert!(seen.stderr.contains("another output of this command"), "{}", seen.shown());
}
