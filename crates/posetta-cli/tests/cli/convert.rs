//! `posetta convert`: between all formats, and what it refuses.

use crate::program::{COMMIT, Place};
use insta::assert_snapshot;

const FORMATS: [(&str, &str); 5] =
    [("text", "trace"), ("jsonl", "jsonl"), ("shiviz", "log"), ("dot", "dot"), ("mermaid", "mmd")];

#[test]
fn every_format_becomes_every_other() {
    let place = Place::with(&[("run.jsonl", COMMIT)]);
    let facts = |file: &str| {
        let run = place.run(&["info", file, "--json"]).json()["runs"][0].clone();
        ["processes", "events", "edges", "cuts", "linearisations", "variables"].map(|field| run[field].clone())
    };
    let original = facts("run.jsonl");
    for (first, extension) in FORMATS {
        let between = format!("between.{extension}");
        assert_eq!(place.run(&["convert", "run.jsonl", "-o", &between]).status, 0, "{first}");
        assert_eq!(facts(&between), original, "{first}");
        for (second, _) in FORMATS {
            let name = format!("{first}-{second}.txt");
            let seen = place.run(&["convert", &between, "-o", &name, "--to", second]);
            assert_eq!(seen.status, 0, "{}", seen.shown());
            assert_eq!(facts(&name), original, "{name}");
        }
    }
    let left: Vec<String> = std::fs::read_dir(place.path())
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".part"))
        .collect();
    assert_eq!(left, [""; 0]);
}

#[test]
fn a_verdict_does_not_depend_on_the_format() {
    let place = Place::with(&[("run.jsonl", COMMIT)]);
    for (format, extension) in FORMATS {
        let name = format!("copy.{extension}");
        place.run(&["convert", "run.jsonl", "-o", &name]);
        let check = |formula: &str| place.run(&["check", &name, "--ltl", formula]).status;
        assert_eq!(check("G (committed == 1 -> a == 1)"), 0, "{format}");
        assert_eq!(check("G (committed == 1 -> b == 1)"), 1, "{format}");
        assert_eq!(check("F event(commit)"), 0, "{format}");
    }
}

#[test]
fn what_is_lost_is_said() {
    let place = Place::with(&[("run.jsonl", COMMIT)]);
    assert_snapshot!(place.run(&["convert", "run.jsonl", "-o", "-", "--to", "text"]).shown());
    assert_snapshot!(place.run(&["convert", "run.jsonl", "-o", "-", "--to", "shiviz"]).shown());
    let states = place.run_with(&["convert", "-", "-o", "-", "--to", "mermaid"], b"{\"x\":1}\n{\"x\":2}\n");
    assert_snapshot!(states.shown());
}

#[test]
fn several_runs() {
    let log = "=== one ===\na {\"a\":1}\nx\n=== two ===\na {\"a\":1}\ny\na {\"a\":2}\nz\n";
    let place = Place::with(&[("two.log", log)]);
    let mut shown = String::new();
    for arguments in [
        &["two.log", "-o", "out.trace"][..],
        &["two.log", "-o", "-", "--to", "shiviz"],
        &["two.log#two", "-o", "-", "--to", "text"],
    ] {
        let seen = place.run(&[&["convert"], arguments].concat());
        shown += &format!("$ posetta convert {}\n{}\n", arguments.join(" "), seen.shown());
    }
    assert_snapshot!(shown);
    assert!(!place.path().join("out.trace").exists());
}

/// A name or a value cannot redraw the terminal that the run is printed to, and comes back all the same.
#[test]
fn nothing_that_is_written_redraws_the_terminal() {
    let odd = "\\u001b[2J\\u0000\\u0007\\u007f\\u009b\\u202e\\u2066\\n";
    let raw = "\u{7f}\u{9b}31m\u{202e}";
    let event = format!(
        "{{\"process\":\"p{odd}\",\"id\":\"i{odd}\",\"name\":\"n{odd}\",\"set\":{{\"v{odd}\":\"s{odd}\"}},\"attrs\":{{\"a\":\"{raw}\"}}}}\n"
    );
    let state = format!("{{\"x\":\"\"}}\n{{\"x\":\"s{odd}\"}}\n");
    let named = format!("{{\"v{odd}\":1}}\n");
    let place = Place::with(&[("run.jsonl", &event), ("states.jsonl", &state), ("named.jsonl", &named)]);
    let is_raw = |c: char| (c.is_control() && c != '\n') || "\u{202e}\u{2066}".contains(c);
    let facts = |file: &str| {
        let run = place.run(&["info", file, "--json"]).json()["runs"][0].clone();
        ["events", "variables"].map(|field| run[field].clone())
    };
    for (format, extension) in FORMATS {
        let seen = place.run(&["convert", "run.jsonl", "-o", "-", "--to", format]);
        assert_eq!(seen.status, 0, "{format}: {}", seen.shown());
        assert!(!seen.shown().contains(is_raw), "{format}: {:?}", seen.shown());
        let name = format!("back.{extension}");
        place.write(&name, seen.stdout.as_bytes());
        assert_eq!(facts(&name), facts("run.jsonl"), "{format}");
        let back = place.run(&["check", &name, "--ltl", &format!("F ($\"v{odd}\" == \"s{odd}\")")]);
        assert_eq!(back.status, 0, "{format}: {}", back.shown());
    }
    let mut shown = String::new();
    for file in ["states.jsonl", "named.jsonl"] {
        let seen = place.run(&["convert", file, "-o", "-", "--to", "csv"]);
        assert_eq!((seen.status, seen.stdout.as_str()), (2, ""), "{}", seen.shown());
        assert!(!seen.stderr.contains(is_raw), "{:?}", seen.stderr);
        shown += &seen.stderr;
    }
    assert_snapshot!(shown);
    // Pictures and automata of properties, which may come from elsewhere too.
    let emitted = ["c", "rust", "kernel", "sv", "vhdl", "table"].map(|language| ["--emit", language]);
    for how in [&["--dot"][..], &["--hoa"]].into_iter().chain(emitted.iter().map(|how| &how[..])) {
        let formula = format!("G ($\"v{raw}\" == \"s{raw}\")");
        let seen = place.run(&[&["explain", "--ltl", &formula], how].concat());
        assert_eq!(seen.status, 0, "{how:?}: {}", seen.shown());
        assert!(!seen.stdout.contains(is_raw), "{how:?}: {:?}", seen.stdout);
    }
}

#[test]
fn mistakes() {
    let place = Place::with(&[
        ("run.trace", "A: x=1/3\n"),
        ("bad.trace", "A: x=\n"),
        ("circle.dot", "digraph {\n  a -> b -> a\n}\n"),
        ("alt.mmd", "sequenceDiagram\n  alt well\n    A->>B: x\n  end\n"),
    ]);
    let mut shown = String::new();
    for arguments in [
        &["run.trace", "-o", "run.trace"][..],
        &["run.trace", "-o", "./run.trace", "--to", "jsonl"],
        &["run.trace", "-o", "run.xml"],
        &["run.trace", "-o", "run"],
        &["run.trace", "-o", "-"],
        &["run.trace", "-o", "run.jsonl"],
        &["run.trace", "-o", "-", "--to", "jsonl"],
        &["bad.trace", "-o", "run.dot"],
        &["circle.dot", "-o", "run.trace"],
        &["alt.mmd", "-o", "run.trace"],
        &["none.trace", "-o", "run.dot"],
        &["run.trace", "-o", "no/such/place.dot"],
        &["run.trace#x", "-o", "run.dot"],
    ] {
        let seen = place.run(&[&["convert"], arguments].concat());
        assert_eq!(seen.status, 2, "{arguments:?}");
        assert_eq!(seen.stdout, "", "{arguments:?}");
        shown += &format!("$ posetta convert {}\n{}\n", arguments.join(" "), seen.stderr);
    }
    assert_snapshot!(shown);
    let names = std::fs::read_dir(place.path()).unwrap().count();
    assert_eq!(names, 4, "nothing was written");
}

#[test]
fn past_a_limit_nothing_is_written() {
    let place = Place::with(&[("run.log", "a {\"a\":1}\nx\n")]);
    place.pipe("never.trace");
    for arguments in [&["never.trace", "--timeout", "200ms"][..], &["run.log", "--memory", "1MB"]] {
        let seen = place.run(&[&["convert", "-o", "run.dot"], arguments].concat());
        assert_eq!(seen.status, 3, "{arguments:?}: {}", seen.shown());
        assert!(seen.stderr.starts_with("unknown: "), "{}", seen.shown());
    }
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 2, "nothing was written");
}
