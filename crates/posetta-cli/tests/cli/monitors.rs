//! Monitors from the command line: answers, automata, and every mistake in them.

use crate::program::{MUTEX, ORDERED, Place};

const NEVER_BOTH: &str = "\
let enters(c) = on(c == 1)
monitor mutex {   // over events
  initial idle
  bad both
  idle -> one: enters(c0) || enters(c1)
  one -> idle: on(c0 == 0) || on(c1 == 0)
  one -> both: enters(c0) ||
    enters(c1)
}
monitor started over states { initial a; bad a; a -> b: event(enter); otherwise die }
property plain = ltl over events F event(leave)
";

fn place() -> Place {
    Place::with(&[("mutex.trace", MUTEX), ("ordered.trace", ORDERED), ("m.props", NEVER_BOTH)])
}

#[test]
fn answers_for_people_and_programs() {
    let place = place();
    let check = ["check", "mutex.trace", "ordered.trace", "--monitor", "m.props"];
    insta::assert_snapshot!(place.run(&check).shown());
    insta::assert_snapshot!(place.run(&[&check[..], &["--json"]].concat()).shown());
}

#[test]
fn a_witness_replays() {
    let place = place();
    let report = place.run(&["check", "mutex.trace", "--spec", "m.props", "--json"]);
    place.write("report.json", report.stdout.as_bytes());
    let replay = |order: &str| {
        place.run(&["replay", "mutex.trace", "--witness", order, "--monitor", "m.props", "--property", "mutex"])
    };
    insta::assert_snapshot!(replay("report.json").shown());
    place.write("good.json", br#"["A.1", "A.2", "B.1", "B.2"]"#);
    assert_eq!(replay("good.json").status, 0);
}

#[test]
fn explained() {
    let place = place();
    for args in [
        &["explain", "m.props", "--property", "mutex", "mutex.trace"][..],
        &["explain", "m.props", "--property", "started", "--json"],
        &["explain", "--monitor", "m.props", "--property", "mutex", "--dot"],
        &["explain", "m.props", "--property", "mutex", "--hoa", "--of", "bad"],
        &["explain", "m.props", "--property", "mutex", "--hoa"],
    ] {
        insta::assert_snapshot!(place.run(args).shown());
    }
}

/// A formula, its automaton and the monitor written by hand say the same; the automaton knows its view.
#[test]
fn automata_that_explain_writes_are_read() {
    let place = place();
    for (view, formula, expected) in [
        ("states", "G !(c0 == 1 && c1 == 1)", "violated holds"),
        ("events", "G !(c0 == 1 && c1 == 1)", "violated holds"),
        ("events", "on(c0 == 1) || F (c1 == 0 && X true)", "violated holds"),
        ("states", "F (event(leave) && WX false)", "holds holds"),
        ("states", "x == 0", "missing"),
    ] {
        for more in [&[][..], &["--nfa"]] {
            let write = ["explain", "--ltl", formula, "--over", view, "--hoa", "--of", "bad", "-o", "bad.hoa"];
            assert_eq!(place.run(&[&write[..], more].concat()).status, 0);
            let runs = ["check", "mutex.trace", "ordered.trace", "--json"];
            let seen = [&["--monitor", "bad.hoa"][..], &["--ltl", formula, "--over", view]]
                .map(|property| place.run(&[&runs[..], property].concat()));
            if expected == "missing" {
                assert_eq!(seen[0].status, 2, "{}", seen[0].shown());
                continue;
            }
            for seen in seen {
                assert_eq!(seen.results("verdict").join(" "), expected, "{view} {formula}: {}", seen.shown());
            }
        }
    }
    let written = place.run(&["explain", "m.props", "--property", "mutex", "--hoa", "--of", "bad", "-o", "m.hoa"]);
    assert_eq!(written.status, 0, "{}", written.shown());
    let seen = place.run(&["check", "mutex.trace", "ordered.trace", "--monitor", "m.hoa", "--json"]);
    assert_eq!(seen.results("verdict"), ["violated", "holds"]);
    assert_eq!(seen.results("property"), ["mutex", "mutex"]);
}

/// Without a word about it an automaton reads events, unless told otherwise.
#[test]
fn the_view_of_an_automaton() {
    let place = place();
    // Bad are the runs whose first position has neither.
    place.write(
        "first.hoa",
        b"HOA: v1\nStart: 0\nAP: 1 \"c0 == 0 && c1 == 0\"\nAcceptance: 1 Inf(0)\nFiniteWords:\n--BODY--\n\
          State: 0\n[0] 1\nState: 1 {0}\n[t] 1\n--END--\n",
    );
    for (over, view, verdict) in [
        (&[][..], "events", "holds"),
        (&["--over", "states"], "states", "violated"),
        (&["--over", "events"], "events", "holds"),
    ] {
        let seen = place.run(&[&["check", "ordered.trace", "--monitor", "first.hoa", "--json"], over].concat());
        assert_eq!((seen.results("over"), seen.results("verdict")), (vec![view.to_owned()], vec![verdict.to_owned()]));
    }
}

fn mistake(name: &str, kind: &str, flag: &str, content: &str) {
    let place = Place::with(&[("run.trace", MUTEX), ("m", content)]);
    let args = ["check", "run.trace", flag, "m"];
    let seen = place.run(&args);
    assert_eq!((seen.status, seen.stdout.as_str()), (2, ""), "{name}: {}", seen.shown());
    insta::assert_snapshot!(name, seen.shown());
    let json = place.run(&[&args[..], &["--json"]].concat()).json();
    let errors = json["errors"].as_array().unwrap();
    assert!(!errors.is_empty() && errors.iter().all(|e| e["kind"] == kind), "{name}: {errors:?}");
}

#[test]
fn mistakes_in_the_text() {
    for (name, kind, content) in [
        ("no_lists", "definition", "monitor a { bad b }\nmonitor b { initial b }\n"),
        ("twice", "definition", "monitor a {\n  initial b b\n  bad b\n}\n"),
        ("mistyped", "definition", "monitor a {\n  initial idle\n  bad both\n  idle -> bth: c0 == 1\n}\n"),
        ("temporal", "unsupported", "monitor a {\n  initial a\n  bad b\n  a -> b: F c0 == 1\n}\n"),
        (
            "edges",
            "syntax",
            "monitor a {\n  initial a\n  bad b\n  a -> b c0 == 1\n}\nmonitor b {\n  initial a\n  bad b\n  a -> b:\n}\n",
        ),
        (
            "heads",
            "syntax",
            "monitor { initial a }\nmonitor a over cuts { initial a }\nmonitor b = { initial a }\nmonitor c {\n",
        ),
        ("otherwise", "syntax", "monitor a { initial a; bad b; otherwise leave }\n"),
        ("same_name", "duplicate-property", "monitor a { initial a; bad a }\nproperty a = ltl true\n"),
        ("unknown_variable", "unknown-variable", "monitor a { initial a; bad b; a -> b: on(c2 == 1) }\n"),
    ] {
        mistake(&format!("text_{name}"), kind, "--spec", content);
    }
    mistake("no_monitor", "input", "--monitor", "property a = ltl true\n");
}

#[test]
fn mistakes_in_automata() {
    let head = "HOA: v1\nStart: 0\nAP: 2 \"c0 == 1\" \"on(c1 == 1)\"\nAcceptance: 1 Inf(0)\nFiniteWords: over events\n";
    for (name, kind, content) in [
        (
            "infinite_words",
            "unsupported",
            "HOA: v1\nStart: 0\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0\n--END--\n".to_owned(),
        ),
        ("acceptance", "unsupported", "HOA: v1\nStart: 0\nAcceptance: 2 Inf(0) & Fin(1)\n--BODY--\n".to_owned()),
        ("good_words", "unsupported", "HOA: v1\nStart: 0\nFiniteWords: over states good\n".to_owned()),
        ("header", "unsupported", "HOA: v1\nControllable: 0\n".to_owned()),
        ("atom", "syntax", "HOA: v1\nAP: 1 \"c0 = = 1\"\n".to_owned()),
        ("label", "definition", format!("{head}--BODY--\nState: 0\n[2] 0\n--END--\n")),
        ("state", "definition", format!("{head}--BODY--\nState: 0\n[1] 3\n--END--\n")),
        ("edge_mark", "unsupported", format!("{head}--BODY--\nState: 0\n[1] 0 {{0}}\n--END--\n")),
        ("implicit", "syntax", format!("{head}--BODY--\nState: 0\n0 0 0\n--END--\n")),
        ("truncated", "syntax", format!("{head}--BODY--\nState: 0\n[1 & (0")),
        ("variable", "unknown-variable", format!("{head}--BODY--\nState: 0\n[1] 0\n--END--\n").replace("c1", "c2")),
    ] {
        mistake(&format!("hoa_{name}"), kind, "--monitor", &content);
    }
}
