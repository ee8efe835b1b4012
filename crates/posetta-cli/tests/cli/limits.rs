//! `--timeout` and `--memory`: past them the answer is `unknown`, never wrong and never late.

use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::program::{MUTEX, NEVER_BOTH, Place, flat, hopeless, hopeless_ctl, wide};

/// Generous, because machines that run tests are busy; a missed limit would take hours.
const LATE: Duration = Duration::from_secs(300);

#[test]
fn past_a_limit_the_answer_is_unknown() {
    let place = Place::with(&[("wide.trace", &wide())]);
    let (ltl, ctl) = (hopeless(), hopeless_ctl());
    for (limit, value, reached) in [("--timeout", "300ms", "time"), ("--memory", "40MB", "memory")] {
        for (logic, formula) in [("--ltl", &ltl), ("--ctl", &ctl)] {
            let started = Instant::now();
            let seen = place.run(&["check", "wide.trace", logic, formula, limit, value, "--json"]);
            assert_eq!(seen.status, 3, "{}", seen.shown());
            let json = seen.json();
            let result = &json["results"][0];
            assert_eq!(result["verdict"], "unknown");
            assert_eq!(result["limit"]["reached"], reached, "{result}");
            assert!(logic == "--ctl" || result["stats"]["configurations"].as_u64().unwrap() > 0, "{result}");
            assert!(started.elapsed() < LATE);
        }
    }
}

#[test]
fn unknown_for_people() {
    let place = Place::with(&[("wide.trace", &wide())]);
    let seen = place.run(&["check", "wide.trace", "--ltl", &hopeless(), "--timeout", "0s"]);
    assert_eq!(seen.status, 3);
    assert!(seen.stdout.contains("unknown: the time limit was reached while"), "{}", seen.shown());
    for (logic, formula, engine, explored) in [
        ("--ltl", hopeless(), "auto", "configurations explored"),
        ("--ctl", hopeless_ctl(), "auto", "while building decision diagrams"),
        ("--ctl", hopeless_ctl(), "explicit", "cuts explored"),
    ] {
        let seen = place.run(&["check", "wide.trace", logic, &formula, "--engine", engine, "--timeout", "300ms"]);
        assert!(seen.stdout.contains(explored), "{}", seen.shown());
    }
}

#[test]
fn what_was_decided_in_time_is_reported() {
    let place = Place::with(&[("wide.trace", &wide()), ("mutex.trace", MUTEX)]);
    let args =
        ["check", "mutex.trace", "wide.trace", "--ltl", NEVER_BOTH, "--ltl", &hopeless(), "--timeout", "2s", "--json"];
    let seen = place.run(&args);
    assert_eq!(seen.results("verdict")[0], "violated");
    assert_eq!(seen.results("verdict")[3], "unknown");
    assert_eq!(seen.status, 1);
}

#[test]
fn a_run_without_the_variable_waits_for_no_check() {
    let place = Place::with(&[("wide.trace", &wide()), ("mutex.trace", MUTEX)]);
    for jobs in ["1", "4"] {
        let args = ["check", "mutex.trace", "wide.trace", "--ltl", &hopeless(), "--timeout", "1s", "--json"];
        let seen = place.run(&[&args[..], &["--jobs", jobs]].concat());
        assert_eq!(seen.results("verdict"), ["holds", "unknown"], "{}", seen.shown());
    }
}

#[test]
fn a_source_that_never_comes_is_given_up() {
    let place = Place::with(&[("mutex.trace", MUTEX)]);
    let mut child = place
        .command(&["check", "mutex.trace", "-", "--ltl", NEVER_BOTH, "--timeout", "200ms", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let held_open = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    drop(held_open);
    assert_eq!(output.status.code(), Some(1));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["results"][0]["verdict"], "violated");
    assert_eq!(json["results"][1]["verdict"], "unknown");
    assert_eq!(json["results"][1]["limit"]["while"], "reading the run");
}

#[cfg(unix)]
#[test]
fn a_pipe_that_nobody_writes_to_is_given_up() {
    let place = Place::with(&[("a.trace", MUTEX)]);
    place.pipe("pipe");
    let limit = ["--timeout", "200ms"];
    let run = |args: &[&str]| {
        let seen = place.run(&[args, &limit].concat());
        assert_eq!(seen.status, 3, "{}", seen.shown());
        seen
    };

    let seen = run(&["info", "pipe"]);
    assert!(seen.stdout.contains("a limit was reached before it was read"), "{}", seen.shown());
    let runs = run(&["info", "pipe", "a.trace", "--json"]).json()["runs"].clone();
    assert_eq!((&runs[0]["trace"], &runs[0]["events"]), (&"pipe".into(), &serde_json::Value::Null));
    assert_eq!((&runs[1]["trace"], &runs[1]["cuts"]), (&"a.trace".into(), &"9".into()));

    let properties = "unknown: the time limit was reached while reading the properties (more time: --timeout)";
    let seen = run(&["check", "a.trace", "--spec", "pipe"]);
    assert_eq!((seen.stdout.as_str(), flat(&seen.stderr).as_str()), ("", properties));
    let result = run(&["check", "a.trace", "--spec", "pipe", "--json"]).json()["results"][0].clone();
    assert_eq!((&result["verdict"], &result["trace"]), (&"unknown".into(), &serde_json::Value::Null));
    assert_eq!(result["limit"]["while"], "reading the properties");
    let seen = run(&["check", "pipe", "a.trace", "--ltl", "F (c0 == 1)", "--jobs", "1", "--json"]);
    assert_eq!(seen.results("verdict"), ["unknown", "holds"]);

    let order = "unknown: the time limit was reached while reading the order (more time: --timeout)";
    let seen = run(&["replay", "a.trace", "--witness", "pipe", "--ltl", "F (c0 == 1)"]);
    assert_eq!((seen.stdout.as_str(), flat(&seen.stderr).as_str()), ("", order));
    let seen = run(&["replay", "a.trace", "--witness", "pipe", "--ltl", "F (c0 == 1)", "--json"]);
    assert_eq!((&seen.json()["verdict"], &seen.json()["limit"]["reached"]), (&"unknown".into(), &"time".into()));
}

#[test]
fn properties_that_do_not_fit_are_said_to() {
    let place = Place::with(&[("a.trace", MUTEX)]);
    let property = |i: usize| format!("property p{i} = ltl G (c0 + c1 + {i} < 7 || F (c0 == {i} && c1 == 0))\n");
    place.write("huge.props", (0..300_000).map(property).collect::<String>().as_bytes());
    let seen = place.run(&["check", "a.trace", "--spec", "huge.props", "--memory", "20MB"]);
    assert_eq!(seen.status, 3, "{}", seen.stderr);
    let said = "unknown: the memory limit was reached while reading the properties (more memory: --memory)";
    assert!(flat(&seen.stderr).contains(said), "{}", seen.stderr);
}

#[test]
fn a_run_that_does_not_fit_is_unknown() {
    let line = |i: usize| format!("{{\"process\":\"P{}\",\"id\":\"event-number-{i}\",\"set\":{{\"x\":{i}}}}}\n", i % 4);
    let run: String = (0..400_000).map(line).collect();
    let place = Place::with(&[("big.jsonl", &run)]);
    let seen =
        place.run(&["check", "big.jsonl", "--ltl", "G (x >= 0)", "--ctl", "AG (x >= 0)", "--memory", "20MB", "--json"]);
    assert_eq!(seen.status, 3, "{}", seen.shown());
    assert_eq!(seen.results("verdict"), ["unknown", "unknown"]);
    // Lines that were read are not cuts that were explored.
    for result in seen.json()["results"].as_array().unwrap() {
        assert_eq!(
            (&result["stats"]["configurations"], &result["limit"]["explored"]),
            (&0.into(), &0.into()),
            "{result}"
        );
    }
    let seen = place.run(&["check", "big.jsonl", "--ltl", "G (x >= 0)", "--memory", "20MB"]);
    assert!(seen.stdout.contains("limit was reached") && !seen.stdout.contains("explored"), "{}", seen.shown());
    let seen = place.run(&["info", "big.jsonl", "--memory", "20MB", "--json"]);
    assert_eq!(seen.status, 3, "{}", seen.shown());
}

#[test]
fn a_hard_property_starves_nobody() {
    let place = Place::with(&[("wide.trace", &wide())]);
    let hard = hopeless();
    let args = ["check", "wide.trace", "--ltl", &hard, "--ltl", "G x0 < 50", "--ltl", "F x3 == 29", "--jobs", "1"];
    let seen = place.run(&[&args[..], &["--timeout", "3s", "--json"]].concat());
    assert_eq!(seen.results("verdict"), ["unknown", "holds", "holds"], "{}", seen.shown());
}

#[test]
fn side_by_side_costs_no_verdict() {
    // Each check fits the limit alone; two at once may not, and are then repeated one by one.
    let chain = |p: usize| (1..90).map(|i| format!("x{p}={i}")).collect::<Vec<_>>().join(" -> ");
    let run: String = (0..3).map(|p| format!("P{p}: {}\n", chain(p))).collect();
    let place = Place::with(&[("run.trace", &run)]);
    let formulas: Vec<String> = (0..6).map(|i| format!("G (x0 + x1 + x2 < {})", 1000 + i)).collect();
    let mut args = vec!["check", "run.trace", "--memory", "70MB", "--json"];
    for f in &formulas {
        args.extend(["--ltl", f]);
    }
    let alone = place.run(&[&args[..], &["--jobs", "1"]].concat());
    let together = place.run(&[&args[..], &["--jobs", "6"]].concat());
    assert_eq!(alone.results("verdict"), together.results("verdict"));
}

#[test]
fn wrong_limits_say_what_is_right() {
    let place = Place::with(&[("m.trace", MUTEX)]);
    insta::assert_snapshot!(place.run(&["check", "m.trace", "--ltl", "true", "--timeout", "5 parsecs"]).shown());
    insta::assert_snapshot!(place.run(&["check", "m.trace", "--ltl", "true", "--memory", "lots"]).shown());
}
