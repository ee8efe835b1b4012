//! `posetta check`: verdicts, reports, inputs and exit codes.

use crate::program::{COMMIT, MUTEX, NEVER_BOTH, ORDERED, Place};

const COMMIT_PROPS: &str = "\
property all_prepared = ltl G (committed == 1 -> a == 1 && b == 1)
property finishes     = ltl F (done_a == 1 && done_b == 1)
property answered     = ltl over events G (on(a == 1) -> F on(done_b == 2))
property possible     = ctl EF (committed == 1 && b == 0)
property early        = ctl AG !(committed == 1 && b == 0)
";

#[test]
fn every_verdict_for_people() {
    let place = Place::with(&[("commit.jsonl", COMMIT), ("commit.props", COMMIT_PROPS)]);
    insta::assert_snapshot!(place.run(&["check", "commit.jsonl", "--spec", "commit.props"]).shown());
}

#[test]
fn every_verdict_for_programs() {
    let place = Place::with(&[("commit.jsonl", COMMIT), ("commit.props", COMMIT_PROPS)]);
    insta::assert_snapshot!(place.run(&["check", "commit.jsonl", "--spec", "commit.props", "--json"]).shown());
}

#[test]
fn the_recorded_order_itself_may_fail() {
    let place = Place::with(&[("commit.jsonl", COMMIT)]);
    insta::assert_snapshot!(place.run(&["check", "commit.jsonl", "--ltl", "G (committed == 1 -> b == 0)"]).shown());
}

#[test]
fn a_text_file_has_no_recorded_order() {
    let place = Place::with(&[("mutex.trace", MUTEX)]);
    insta::assert_snapshot!(place.run(&["check", "mutex.trace", "--ltl", NEVER_BOTH]).shown());
}

#[test]
fn a_long_order_is_shown_around_what_matters() {
    let mut run = String::new();
    for i in 0..200 {
        let (process, set) = match i {
            90 => ("A", "\"door\":1".to_owned()),
            100 => ("A", "\"door\":0".to_owned()),
            150 => ("B", "\"inside\":1".to_owned()),
            i if i % 2 == 0 => ("A", format!("\"n\":{i}")),
            i => ("B", format!("\"m\":{i}")),
        };
        run.push_str(&format!("{{\"process\":\"{process}\",\"set\":{{{set}}}}}\n"));
    }
    let place = Place::with(&[("long.jsonl", &run)]);
    let seen = place.run(&["check", "long.jsonl", "--ltl", "G !(door == 1 && inside == 1)"]);
    insta::assert_snapshot!(seen.shown());
}

#[test]
fn witnesses_come_when_asked_for() {
    let place = Place::with(&[("mutex.trace", MUTEX)]);
    let has_witness = |args: &[&str]| {
        let all = [&["check", "mutex.trace", "--json"], args].concat();
        place.run(&all).json()["results"][0]["witness"].is_array()
    };
    let holds = ["--ctl", "EF (c0 == 1)"];
    let violated = ["--ctl", "AG (c0 == 0)"];
    assert!(!has_witness(&holds) && has_witness(&violated));
    assert!(has_witness(&[&holds[..], &["--witness", "always"]].concat()));
    assert!(!has_witness(&[&violated[..], &["--witness", "never"]].concat()));
}

#[test]
fn runs_are_reported_in_the_order_of_the_arguments() {
    let place = Place::with(&[
        ("z.trace", MUTEX),
        ("runs/b.trace", MUTEX),
        ("runs/a.trace", ORDERED),
        ("runs/deep/c.jsonl", "{\"process\":\"A\",\"set\":{\"c0\":1}}\n"),
        ("runs/notes.md", "not a run"),
        ("runs/.hidden.trace", "not a run"),
        ("more/2.trace", ORDERED),
        ("more/1.trace", ORDERED),
    ]);
    let args = ["check", "z.trace", "runs", "more/*.trace", "z.trace", "./z.trace", "--ltl", NEVER_BOTH, "--json"];
    for jobs in ["1", "2", "7"] {
        let seen = place.run(&[&args[..], &["--jobs", jobs]].concat());
        let traces = ["z.trace", "runs/a.trace", "runs/b.trace", "runs/deep/c.jsonl", "more/1.trace", "more/2.trace"];
        assert_eq!(seen.results("trace"), traces);
        assert_eq!(seen.results("verdict"), ["violated", "holds", "violated", "holds", "holds", "holds"]);
        assert_eq!(seen.status, 1);
    }
}

#[test]
fn properties_are_reported_in_the_order_of_the_arguments() {
    let place =
        Place::with(&[("m.trace", MUTEX), ("p.props", "property p = ltl F (c0 == 1)\nproperty q = ctl true\n")]);
    let args =
        ["check", "m.trace", "--ctl", "c0 == 0", "--spec", "p.props", "--ltl", "c1 == 0", "--ctl", "c1 == 0", "--json"];
    assert_eq!(place.run(&args).results("property"), ["c0 == 0", "p", "q", "c1 == 0", "c1 == 0"]);
}

#[test]
fn good_files_are_reported_beside_bad_ones() {
    let place = Place::with(&[("good.trace", ORDERED), ("bad.trace", "A: x=\n"), ("worse.jsonl", "{\"process\":")]);
    let args = ["check", "bad.trace", "good.trace", "missing.trace", "worse.jsonl", "--ltl", NEVER_BOTH];
    insta::assert_snapshot!("good_beside_bad", place.run(&args).shown());
    let seen = place.run(&[&args[..], &["--json"]].concat());
    assert_eq!(seen.results("verdict"), ["holds"]);
    insta::assert_snapshot!(
        "good_beside_bad_json",
        seen.stdout.lines().skip_while(|l| !l.contains("\"errors\"")).collect::<Vec<_>>().join("\n")
    );
}

#[test]
fn a_variable_that_one_run_knows_is_known_to_all() {
    let place = Place::with(&[("a.trace", "A: x=1\n"), ("b.trace", "A: y=1\n")]);
    let seen = place.run(&["check", "a.trace", "b.trace", "--ltl", "G (y == 0)", "--json"]);
    assert_eq!(seen.results("verdict"), ["holds", "violated"]);
    let alone = place.run(&["check", "a.trace", "--ltl", "G (y == 0)"]);
    assert_eq!(alone.status, 2, "{}", alone.shown());
}

#[test]
fn a_variable_that_no_run_knows_is_one_mistake_and_the_other_properties_are_decided() {
    let place = Place::with(&[("a.trace", "A: x=1\n"), ("b.trace", "A: counter=1\n")]);
    let seen = place.run(&["check", "a.trace", "b.trace", "--ltl", "G (countr == 0)", "--ltl", "G (x < 2)"]);
    insta::assert_snapshot!(seen.shown());
}

#[test]
fn exit_codes() {
    let place = Place::with(&[
        ("m.trace", MUTEX),
        ("o.trace", ORDERED),
        ("bad.trace", "A: x=\n"),
        ("w.trace", &crate::program::wide()),
    ]);
    let hopeless = crate::program::hopeless();
    for (status, args) in [
        (0, vec!["o.trace", "--ltl", NEVER_BOTH]),
        (1, vec!["m.trace", "--ltl", NEVER_BOTH]),
        (1, vec!["o.trace", "m.trace", "--ltl", NEVER_BOTH]),
        (2, vec!["bad.trace", "--ltl", NEVER_BOTH]),
        (2, vec!["bad.trace", "m.trace", "--ltl", NEVER_BOTH]),
        (3, vec!["w.trace", "--ltl", &hopeless, "--timeout", "200ms"]),
        (1, vec!["w.trace", "--ltl", &hopeless, "--ltl", "G (x1 == 0)", "--timeout", "200ms"]),
        (2, vec!["w.trace", "bad.trace", "--ltl", &hopeless, "--timeout", "200ms"]),
        (2, vec!["o.trace"]),
        (2, vec!["--ltl", "true"]),
        (2, vec!["o.trace", "--ltl", "true", "--nonsense"]),
        (0, vec!["--help"]),
    ] {
        let seen = place.run(&[&["check"], &args[..]].concat());
        assert_eq!(seen.status, status, "{args:?}: {}", seen.shown());
    }
}

#[test]
fn standard_input_is_a_run() {
    let place = Place::with(&[]);
    let seen = place.run_with(&["check", "-", "--ltl", NEVER_BOTH], MUTEX.as_bytes());
    assert!(seen.status == 1 && seen.stdout.starts_with("standard input  2 processes, 4 events\n"), "{}", seen.shown());
    let seen = place.run_with(
        &["check", "-", "--ltl", NEVER_BOTH, "--json"],
        COMMIT.replace("\"a\"", "\"c0\"").replace("\"b\"", "\"c1\"").as_bytes(),
    );
    assert_eq!(seen.results("trace"), ["-"]);
    let seen = place.run_with(&["check", "-", "--ltl", "true"], b"");
    assert_eq!(seen.status, 2, "{}", seen.shown());
    let seen = place.run_with(&["check", "-", "--ltl", "true", "--from", "text"], b"\n");
    assert_eq!(seen.status, 2, "{}", seen.shown());
}

#[test]
fn a_warning_changes_nothing() {
    let place = Place::with(&[("commit.jsonl", COMMIT)]);
    insta::assert_snapshot!(
        place.run(&["check", "commit.jsonl", "--ltl", "F (votes / a == 1) && G !event(comit)"]).shown()
    );
}

#[test]
fn one_warning_for_many_runs() {
    let place = Place::with(&[("a.jsonl", COMMIT), ("b.jsonl", COMMIT), ("c.jsonl", COMMIT)]);
    let seen = place.run(&["check", ".", "--ltl", "F (votes / a == 1)"]);
    assert_eq!(seen.stderr.matches("warning:").count(), 1, "{}", seen.shown());
    assert!(seen.stderr.contains("in the run ./a.jsonl and 2 others"), "{}", seen.shown());
}

#[test]
fn a_report_that_cannot_be_written_is_a_mistake() {
    let Ok(full) = std::fs::File::options().write(true).open("/dev/full") else { return };
    let place = Place::with(&[("m.trace", ORDERED)]);
    let output = place.command(&["check", "m.trace", "--ltl", NEVER_BOTH]).stdout(full).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && said.contains("cannot write the report"), "{said}");
}

#[test]
fn a_reader_that_leaves_is_no_mistake() {
    let run: String = (0..3000).map(|i| format!("A: x={i}\n")).collect();
    let place = Place::with(&[("run.trace", &run)]);
    let mut child = place
        .command(&["check", "run.trace", "--ltl", "G (x < 2999)", "--json"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(1), ""));
}

#[test]
fn an_input_cannot_draw_on_the_terminal() {
    let place = Place::with(&[(
        "run.jsonl",
        "{\"process\":\"A\\u001b[2J\",\"name\":\"\\u001b]0;x\\u0007\",\"set\":{\"x\":\"\\u001b[31m\"}}\n",
    )]);
    let seen = place.run(&["check", "run.jsonl", "--ltl", "G (x != \"\\u001b[31m\")"]);
    assert!(!seen.shown().contains('\x1b'), "{:?}", seen.shown());
}

#[cfg(unix)]
#[test]
fn what_a_directory_or_a_pattern_meets() {
    let place = Place::with(&[("runs/a.trace", MUTEX)]);
    std::os::unix::fs::symlink("/nonexistent", place.path().join("runs/broken.trace")).unwrap();
    for argument in ["runs", "runs/*.trace"] {
        let seen = place.run(&["check", argument, "--ltl", "F (c0 == 1)", "--json"]);
        assert_eq!((seen.status, seen.results("verdict")), (2, vec!["holds".to_owned()]), "{}", seen.shown());
        assert_eq!(seen.json()["errors"][0]["trace"], "runs/broken.trace", "{}", seen.shown());
    }
    std::fs::remove_file(place.path().join("runs/broken.trace")).unwrap();
    place.pipe("runs/b.trace");
    for argument in ["runs", "runs/*.trace"] {
        let seen = place.run(&["check", argument, "--ltl", "F (c0 == 1)", "--json"]);
        assert_eq!((seen.status, seen.results("trace")), (0, vec!["runs/a.trace".to_owned()]), "{}", seen.shown());
        assert!(seen.stderr.contains("warning: `runs/b.trace` is neither a file nor a directory"), "{}", seen.shown());
    }
    let seen = place.run(&["check", "runs/b*", "--ltl", "F (c0 == 1)"]);
    assert!(seen.status == 2 && seen.stderr.contains("no file or directory matches `runs/b*`"), "{}", seen.shown());
}

#[test]
fn a_pattern_that_matches_its_own_name() {
    let place = Place::with(&[]);
    #[cfg(unix)]
    std::os::unix::fs::symlink("/nonexistent", place.path().join("*.trace")).unwrap();
    assert_eq!(place.run(&["check", "*.trace", "--ltl", "true"]).status, 2);
}

#[test]
fn a_long_formula_is_cut_for_people_only() {
    let place = Place::with(&[("m.trace", MUTEX)]);
    let formula = format!("G ({})", vec!["c0 == 0"; 100].join(" || "));
    place.write("p.props", format!("property named = ltl {formula}\n").as_bytes());
    for property in [["--ltl", formula.as_str()], ["--spec", "p.props"]] {
        let args = [&["check", "m.trace"], &property[..]].concat();
        let seen = place.run(&args);
        assert!(seen.stdout.lines().all(|l| l.chars().count() < 320), "{}", seen.shown());
        assert!(seen.stdout.contains('…'), "{}", seen.shown());
        assert_eq!(place.run(&[&args[..], &["--json"]].concat()).results("formula"), [formula.as_str()]);
    }
}

#[test]
fn variables_that_a_run_lacks_are_one_warning() {
    let place =
        Place::with(&[("a.trace", "A: x=1\n"), ("b.trace", "A: y=1, z=1\n"), ("c.trace", "A: x=1, y=1, z=1\n")]);
    let seen = place.run(&["check", "a.trace", "b.trace", "c.trace", "--ltl", "G (x + y + z < 5)"]);
    assert_eq!(seen.stderr.matches("warning:").count(), 2, "{}", seen.shown());
    let message = "this run neither assigns nor declares `y`, `z`: here they are always 0";
    assert!(seen.stderr.contains(message), "{}", seen.shown());
    assert!(seen.stderr.contains("this run neither assigns nor declares `x`: here it is always 0"), "{}", seen.shown());
}

#[test]
fn a_property_file_brings_what_it_imports_once() {
    let place = Place::with(&[
        ("r.trace", MUTEX),
        ("a.props", "import \"lib/b.props\"\nforeach i in 0..1 {\n  property out[i] = ltl F !inside(i)\n}\n"),
        ("lib/b.props", "let inside(i) = x.inside[i] == 1\nproperty start = ltl !inside(0)\n"),
        ("n.trace", "A: x.inside[0]=1\nB: x.inside[1]=1\n"),
    ]);
    let args = ["check", "n.trace", "--spec", "a.props", "--spec", "lib/b.props", "--json"];
    let seen = place.run(&args);
    assert_eq!(seen.results("property"), ["start", "out[0]", "out[1]"], "{}", seen.shown());
    assert_eq!(seen.results("verdict"), ["holds"; 3]);
    assert_eq!(seen.results("formula")[2], "F !(x.inside[1] == 1)");
}

#[test]
fn patterns_work_on_the_command_line_and_say_what_they_count() {
    let place = Place::with(&[("r.trace", MUTEX)]);
    let seen =
        place.run(&["check", "r.trace", "--ltl", "exactly_once(c0 == 1)", "--ltl", "mutex(c0, c1) after c0 == 1"]);
    assert_eq!(seen.status, 1);
    insta::assert_snapshot!("patterns", seen.shown());
}
