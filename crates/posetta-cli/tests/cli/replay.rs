//! `posetta replay`, `completions`, `--help` and `--version`.

use crate::program::{COMMIT, MUTEX, NEVER_BOTH, ORDERED, Place, flat};

fn replay(run: &str, order: &str, property: &[&str]) -> crate::program::Seen {
    let place = Place::with(&[("run.trace", run)]);
    place.run_with(&[&["replay", "run.trace", "--witness", "-"], property].concat(), order.as_bytes())
}

#[test]
fn an_order_that_violates() {
    insta::assert_snapshot!(replay(MUTEX, "[\"A.1\",\"B.1\",\"A.2\",\"B.2\"]", &["--ltl", NEVER_BOTH]).shown());
}

#[test]
fn an_order_that_satisfies() {
    insta::assert_snapshot!(replay(MUTEX, "A.1\nA.2\nB.1\nB.2\n", &["--ltl", NEVER_BOTH]).shown());
}

#[test]
fn a_path_for_a_branching_property() {
    let always = ["--ctl", "AG !(c0 == 1 && c1 == 1)"];
    insta::assert_snapshot!(replay(MUTEX, "[\"A.1\",\"B.1\"]", &always).shown());
    assert_eq!(replay(MUTEX, "[\"A.1\"]", &["--ctl", "EF (c0 == 1)"]).status, 0);
    assert_eq!(replay(MUTEX, "[\"A.1\"]", &always).status, 3);
    let refused = replay("A: x=1\nB: x=2\n", "[\"A.1\"]", &["--ctl", "AG (x < 1)"]);
    assert!(refused.status == 2 && refused.stderr.contains("is not determined"), "{}", refused.shown());
}

#[test]
fn what_is_no_order_of_the_run() {
    let orders = [
        ("out_of_process_order", "[\"A.2\",\"A.1\",\"B.1\",\"B.2\"]"),
        ("before_its_cause", "[\"A.1\",\"B.1\",\"A.2\",\"B.2\"]"),
        ("incomplete", "[\"A.1\",\"A.2\"]"),
        ("twice", "[\"A.1\",\"A.1\",\"B.1\",\"B.2\"]"),
        ("no_such_event", "[\"A.1\",\"Z.1\"]"),
        ("not_json", "[\"A.1\","),
        ("not_ids", "[1, 2]"),
        ("neither", "{\"a\":1}"),
        ("no_witness", "{\"results\":[]}"),
    ];
    for (name, order) in orders {
        let seen = replay(ORDERED, order, &["--ltl", NEVER_BOTH]);
        assert_eq!(seen.status, 2, "{name}: {}", seen.shown());
        insta::assert_snapshot!(name, seen.shown());
    }
}

#[test]
fn the_witness_of_a_report_replays() {
    let props = "property fine = ltl F (committed == 1)\nproperty all_prepared = ltl G (committed == 1 -> b == 1)\nproperty early = ctl AG !(committed == 1 && b == 0)\n";
    let place = Place::with(&[("commit.jsonl", COMMIT), ("commit.props", props)]);
    let report = place.run(&["check", "commit.jsonl", "--spec", "commit.props", "--json"]);
    place.write("report.json", report.stdout.as_bytes());
    for name in ["all_prepared", "early"] {
        let args = [
            "replay",
            "commit.jsonl",
            "--witness",
            "report.json",
            "--spec",
            "commit.props",
            "--property",
            name,
            "--json",
        ];
        let seen = place.run(&args);
        assert_eq!((seen.status, &seen.json()["verdict"]), (1, &"violated".into()), "{}", seen.shown());
        assert_eq!(seen.json()["event"], "C.3");
    }
    for (args, help) in [
        (vec!["--spec", "commit.props"], "choose one with --property"),
        (vec!["--spec", "commit.props", "--property", "fine"], "this report has no witness"),
        (vec!["--spec", "commit.props", "--property", "other"], "no property is called `other`"),
        (vec![], "no property to check"),
    ] {
        let seen = place.run(&[&["replay", "commit.jsonl", "--witness", "report.json"], &args[..]].concat());
        assert!(seen.status == 2 && seen.stderr.contains(help), "{}", seen.shown());
    }
}

#[test]
fn without_an_order_it_is_said_how_to_get_one() {
    let place = Place::with(&[("run.trace", MUTEX)]);
    insta::assert_snapshot!(place.run(&["replay", "run.trace", "--ltl", NEVER_BOTH]).shown());
}

#[test]
fn an_order_with_events_that_moved() {
    let place = Place::with(&[("commit.jsonl", COMMIT)]);
    let order = "C.1\nyes-a\nC.2\nC.3\nA.2\nyes-b\nB.2\n";
    let args = ["replay", "commit.jsonl", "--witness", "-", "--ltl", "G (committed == 1 -> b == 1)"];
    insta::assert_snapshot!(place.run_with(&args, order.as_bytes()).shown());
}

#[test]
fn completions_know_the_commands() {
    let place = Place::with(&[]);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let seen = place.run(&["completions", shell]);
        assert!(seen.status == 0 && seen.stdout.contains("replay"), "{shell}");
    }
}

#[test]
fn every_command_has_help_with_examples() {
    let place = Place::with(&[]);
    for command in [&[][..], &["check"], &["info"], &["replay"], &["completions"]] {
        let seen = place.run(&[command, &["--help"]].concat());
        assert!(seen.status == 0 && seen.stdout.contains("Examples:"), "{command:?}: {}", seen.shown());
    }
    for command in ["check", "info"] {
        let help = place.run(&[command, "--help"]).stdout;
        assert!(flat(&help).contains(".trace, .jsonl, .ndjson"), "{help}");
    }
    let help = place.run(&["replay", "--help"]).stdout;
    assert!(help.contains("--timeout") && help.contains("3  a limit was reached first"), "{help}");
    let version = place.run(&["--version"]);
    assert_eq!(version.stdout, format!("posetta {}\n", env!("CARGO_PKG_VERSION")));
}
