//! Interruptions, pipes that nobody reads or writes, and a limited address space: whatever happens, the program ends in order.

use std::fs::{self, OpenOptions};
use std::io::{PipeReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::program::{MUTEX, NEVER_BOTH, Place, hopeless, hopeless_ctl, wide};

/// Generous, because machines that run tests are busy; what hangs would hang for ever.
const LATE: Duration = Duration::from_secs(300);
/// What a pipe holds.
const PIPE: usize = 1 << 16;

const SMV: &str = "MODULE main\nVAR a : 0..7;\nINIT a = 0\nTRANS next(a) = (a + 1) mod 8\nLTLSPEC G (a <= 7)\n";
const SYS: &str = "component Lamp { lts { init dark; dark -on-> lit -off-> dark } }\n";
const M2L: &str = "m2l-str;\nvar2 P, Q;\n(all1 p: p in P => p in Q) => P sub Q;\n";
const STATES: &str = "{\"x\":0}\n{\"x\":1}\n";
const EVENTS: &str = "{\"process\":\"A\",\"set\":{\"x\":1}}\n";

fn place() -> Place {
    Place::with(&[
        ("a.trace", MUTEX),
        ("wide.trace", &wide()),
        ("m.smv", SMV),
        ("lamp.sys", SYS),
        ("f.mona", M2L),
        ("states.jsonl", STATES),
        ("events.jsonl", EVENTS),
        ("order.json", "[\"A.1\",\"B.1\",\"A.2\",\"B.2\"]"),
    ])
}

/// Every command that has limits, on something that takes no time.
const COMMANDS: [&[&str]; 13] = [
    &["check", "a.trace", "--ltl", NEVER_BOTH],
    &["check", "a.trace", "--ltl", NEVER_BOTH, "--json"],
    &["check", "events.jsonl", "--follow", "--ltl", "G (x < 5)"],
    &["monitor", "states.jsonl", "--ltl", "G (x < 5)"],
    &["info", "a.trace"],
    &["info", "a.trace", "--json"],
    &["explain", "--ltl", "G (x < 5)"],
    &["verify", "m.smv"],
    &["verify", "lamp.sys", "--deadlock"],
    &["refine", "lamp.sys", "lamp.sys"],
    &["m2l", "f.mona"],
    &["replay", "a.trace", "--witness", "order.json", "--ltl", NEVER_BOTH],
    &["convert", "a.trace", "-o", "-", "--to", "jsonl"],
];

/// A pipe that nobody reads, and that is full.
fn full_pipe() -> (PipeReader, Stdio) {
    let (reader, mut writer) = std::io::pipe().expect("a pipe");
    writer.write_all(&[b'.'; PIPE]).expect("it holds so much");
    (reader, writer.into())
}

/// Waits, but not for ever. Answers with the status.
fn end(child: &mut Child, what: &dyn std::fmt::Debug) -> i32 {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            return status.code().unwrap_or_else(|| panic!("{what:?} was killed: {status}"));
        }
        if started.elapsed() > LATE {
            let _ = child.kill();
            panic!("{what:?} does not end");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status().expect("kill");
    assert!(sent.success());
}

/// Waits until the program handles SIGINT.
fn listens(child: &Child) {
    let started = Instant::now();
    while started.elapsed() < LATE {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or("0");
        if u64::from_str_radix(mask.trim(), 16).is_ok_and(|mask| mask & 0b10 != 0) {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("it does not listen");
}

fn spawn(place: &Place, args: &[&str]) -> Child {
    place
        .command(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

fn rest(pipe: Option<impl Read>) -> String {
    let mut text = String::new();
    pipe.expect("piped").read_to_string(&mut text).expect("UTF-8");
    text
}

#[test]
fn a_report_that_nobody_reads_is_no_verdict() {
    let place = place();
    for args in COMMANDS {
        let (reader, full) = full_pipe();
        let mut command = place.command(&[args, &["--timeout", "700ms"]].concat());
        let mut child =
            command.stdin(Stdio::null()).stdout(full).stderr(Stdio::piped()).spawn().expect("the program starts");
        let status = end(&mut child, &args);
        let told = rest(child.stderr.take());
        assert_eq!(status, 2, "{args:?}: {told}");
        assert!(told.contains("the report could not be written in time: nobody reads it"), "{args:?}: {told}");
        drop((reader, command));
    }
}

/// More than a pipe holds, of which some can be written.
#[test]
fn a_long_report_that_nobody_reads_is_no_verdict() {
    let place = place();
    let property = |i: usize| format!("property p{i} = ltl G (c0 + c1 + {i} < {})\n", i + 1);
    place.write("many.props", (0..500).map(property).collect::<String>().as_bytes());
    for format in ["json", "human"] {
        let args = ["check", "a.trace", "--spec", "many.props", "--format", format, "--timeout", "3s"];
        let mut child = spawn(&place, &args);
        let status = end(&mut child, &args);
        assert_eq!(status, 2, "{}", rest(child.stderr.take()));
        assert!(rest(child.stdout.take()).len() >= PIPE / 2);
    }
}

#[test]
fn nothing_waits_for_standard_error() {
    let place = place();
    for args in COMMANDS {
        let (reader, full) = full_pipe();
        let (other_reader, other) = full_pipe();
        let mut command = place.command(&[args, &["--timeout", "700ms"]].concat());
        let mut child = command.stdin(Stdio::null()).stdout(full).stderr(other).spawn().expect("the program starts");
        assert_eq!(end(&mut child, &args), 2, "{args:?}");
        drop((reader, other_reader, command));
    }
    // Mistakes and limits are told there.
    for args in [
        &["check", "a.trace", "--ltl", "G (", "--timeout", "700ms"][..],
        &["check", "wide.trace", "--ltl", "G (x0 > 0", "--timeout", "700ms", "--json"],
        &["explain", "--ltl", "G (", "--timeout", "700ms"],
        &["monitor", "a.trace", "--ltl", "G (x < 5)", "--timeout", "700ms"],
    ] {
        let (reader, full) = full_pipe();
        let mut command = place.command(args);
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(full).spawn().expect("the program starts");
        assert_eq!(end(&mut child, &args), 2, "{args:?}");
        drop((reader, command));
    }
}

#[test]
fn an_interruption_ends_a_report_that_nobody_reads() {
    let place = place();
    let others: [&[&str]; 2] = [&["gen", "random"], &["completions", "bash"]];
    for args in COMMANDS.into_iter().chain(others) {
        let (reader, full) = full_pipe();
        let mut command = place.command(args);
        let mut child =
            command.stdin(Stdio::null()).stdout(full).stderr(Stdio::piped()).spawn().expect("the program starts");
        listens(&child);
        // Without a limit it waits for a reader.
        std::thread::sleep(Duration::from_millis(100));
        assert!(child.try_wait().expect("it can be waited for").is_none(), "{args:?} has ended");
        signal(&child, "INT");
        assert_eq!(end(&mut child, &args), 130, "{args:?}: {}", rest(child.stderr.take()));
        drop((reader, command));
    }
}

/// The pipe is read last, so that the other run is decided when somebody opens it.
#[test]
fn what_is_decided_is_reported_when_it_is_interrupted() {
    for name in ["INT", "TERM", "HUP"] {
        let place = place();
        place.pipe("pipe");
        let args = ["check", "pipe", "a.trace", "--ltl", NEVER_BOTH, "--jobs", "1"];
        let interrupted = |args: &[&str]| {
            let mut child = spawn(&place, args);
            let held_open = OpenOptions::new().write(true).open(place.path().join("pipe")).expect("somebody reads");
            signal(&child, name);
            let status = end(&mut child, &args);
            drop(held_open);
            assert_eq!(status, 130);
            rest(child.stdout.take())
        };
        let people = interrupted(&args);
        assert!(people.contains("violated: some possible orders satisfy it"), "{people}");
        assert!(people.contains("unknown: interrupted while reading the run"), "{people}");
        assert!(people.ends_with("interrupted: what was not decided by then is unknown\n"), "{people}");
        let programs = interrupted(&[&args[..], &["--json"]].concat());
        let json: serde_json::Value = serde_json::from_str(&programs).expect("JSON");
        let result = |i: usize| (&json["results"][i]["verdict"], &json["results"][i]["limit"]["reached"]);
        assert_eq!(result(0), (&"unknown".into(), &"cancelled".into()), "{programs}");
        assert_eq!(result(1), (&"violated".into(), &serde_json::Value::Null), "{programs}");
    }
}

#[test]
fn engines_are_interrupted() {
    let place = place();
    for (logic, formula) in [("--ltl", hopeless()), ("--ctl", hopeless_ctl())] {
        let args = ["check", "wide.trace", logic, &formula, "--json"];
        let mut child = spawn(&place, &args);
        listens(&child);
        std::thread::sleep(Duration::from_millis(500));
        signal(&child, "INT");
        let status = end(&mut child, &args);
        let programs = rest(child.stdout.take());
        assert_eq!(status, 130, "{programs}");
        let json: serde_json::Value = serde_json::from_str(&programs).expect("JSON");
        assert_eq!(json["results"][0]["limit"]["reached"], "cancelled", "{programs}");
    }
}

/// More states than anybody waits for: as components, as one net, without a bound, as SMV.
const BITS: &str = "component Bit(i in 0..39) { lts { init z; z -inc[i]-> o; for k in i+1..39 { o -inc[k]-> z } \
    o -reset-> z } }\nsystem All = Bit\n";
const NET: &str = "component C { net { for i in 0..39 { z[i] = 1 } \
    for i in 0..39 { inc[i]: z[i], for k in 0..i-1 { o[k] } -> o[i], for k in 0..i-1 { z[k] } } \
    reset: for k in 0..39 { o[k] } -> for k in 0..39 { z[k] } } }\n";
const COUNT: &str =
    "MODULE main\nVAR x : 0..1099511627775;\nASSIGN init(x) := 0; next(x) := (x + 1) mod 1099511627776;\n";

/// Every engine for models, and the two side by side: each ends in order, and says that it was interrupted.
#[test]
fn engines_for_models_are_interrupted() {
    let place = Place::with(&[("bits.sys", BITS), ("net.sys", NET), ("count.smv", COUNT)]);
    let mut all = vec![vec!["verify", "count.smv", "--ltl", "G F x == 5"]];
    for (file, engine) in [("bits.sys", "auto"), ("bits.sys", "sog"), ("bits.sys", "modular"), ("net.sys", "explicit")]
    {
        all.push(vec!["verify", file, "--engine", engine, "--ltl", "G F reset"]);
    }
    for mut args in all {
        args.push("--json");
        let mut child = spawn(&place, &args);
        listens(&child);
        std::thread::sleep(Duration::from_millis(300));
        signal(&child, "INT");
        // One that does not end is killed there.
        let status = end(&mut child, &args);
        let programs = rest(child.stdout.take());
        assert_eq!(status, 130, "{args:?}: {programs}");
        let json: serde_json::Value = serde_json::from_str(&programs).expect("JSON");
        assert_eq!(json["results"][0]["verdict"], "unknown", "{args:?}: {programs}");
        // An operation on diagrams of SMV cannot be interrupted; then the limit is told for all of the model.
        let limit = [&json["results"][0]["limit"], &json["model"]["limit"]].map(|l| l["reached"].clone());
        assert!(limit.contains(&"cancelled".into()), "{args:?}: {programs}");
    }
}

/// What is certain was told; the rest is unknown.
#[test]
fn a_run_that_is_followed_is_interrupted() {
    let place = place();
    let args = ["check", "--follow", "--ltl", "G (x < 5)", "--ltl", "G (x < 9)"];
    for json in [false, true] {
        let format: &[&str] = if json { &["--json"] } else { &[] };
        let mut child = spawn(&place, &[&args[..], format].concat());
        let mut input = child.stdin.take().expect("piped");
        input.write_all(b"{\"process\":\"A\",\"set\":{\"x\":7}}\n").expect("it reads");
        // The first line says that one is decided.
        let mut out = child.stdout.take().expect("piped");
        let mut told = vec![0];
        out.read_exact(&mut told).expect("it tells");
        signal(&child, "INT");
        let status = end(&mut child, &args);
        drop(input);
        let told = String::from_utf8(told).expect("UTF-8") + &rest(Some(out));
        assert_eq!(status, 130, "{told}");
        if json {
            let last: Vec<serde_json::Value> =
                told.lines().rev().take(2).map(|line| serde_json::from_str(line).expect("JSON")).collect();
            assert_eq!((&last[0]["verdict"], &last[0]["limit"]["reached"]), (&"unknown".into(), &"cancelled".into()));
            assert_eq!(last[1]["verdict"], "violated", "{told}");
        } else {
            assert!(told.contains("unknown: interrupted while "), "{told}");
            assert!(told.ends_with("interrupted: what was not decided by then is unknown\n"), "{told}");
        }
    }
}

/// Opening a pipe waits for somebody who writes to it.
#[test]
fn a_pipe_that_nobody_writes_to_is_interrupted() {
    let place = place();
    place.pipe("pipe");
    for args in [
        &["check", "pipe", "--ltl", NEVER_BOTH][..],
        &["check", "pipe", "--follow", "--ltl", NEVER_BOTH],
        &["check", "a.trace", "--spec", "pipe"],
        &["check", "a.trace", "--spec", "pipe", "--json"],
        &["check", "a.trace", "--model", "pipe"],
        &["monitor", "pipe", "--ltl", "G (x < 5)"],
        &["monitor", "states.jsonl", "--spec", "pipe"],
        &["info", "pipe"],
        &["explain", "--spec", "pipe"],
        &["verify", "pipe"],
        &["refine", "pipe", "lamp.sys"],
        &["m2l", "pipe"],
        &["replay", "a.trace", "--witness", "pipe", "--ltl", NEVER_BOTH],
        &["convert", "pipe", "-o", "out.jsonl"],
        &["convert", "a.trace", "-o", "pipe", "--to", "jsonl"],
        &["explain", "--ltl", "G (x < 5)", "-o", "pipe"],
        &["gen", "sat", "pipe"],
    ] {
        let mut child = spawn(&place, args);
        listens(&child);
        std::thread::sleep(Duration::from_millis(200));
        signal(&child, "INT");
        assert_eq!(end(&mut child, &args), 130, "{args:?}: {}", rest(child.stderr.take()));
    }
    let mut left: Vec<_> =
        fs::read_dir(place.path()).expect("a directory").map(|e| e.expect("an entry").file_name()).collect();
    left.retain(|name| name.to_string_lossy().contains("out"));
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn an_interrupted_conversion_leaves_nothing_behind() {
    let line = |i: usize| format!("{{\"process\":\"P{}\",\"set\":{{\"x\":{i}}}}}\n", i % 4);
    let place = Place::with(&[("big.jsonl", &(0..300_000).map(line).collect::<String>())]);
    let args = ["convert", "big.jsonl", "-o", "out.jsonl"];
    let mut child = spawn(&place, &args);
    let files = || -> Vec<String> {
        let all = fs::read_dir(place.path()).expect("a directory");
        let mut all: Vec<_> = all.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        all.sort();
        all
    };
    while files().len() < 2 && child.try_wait().expect("it can be waited for").is_none() {}
    let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    match end(&mut child, &args) {
        130 => assert_eq!(files(), ["big.jsonl"]),
        // It was done before it heard of it.
        status => assert_eq!((status, files()), (0, vec!["big.jsonl".to_owned(), "out.jsonl".to_owned()])),
    }
}

/// A monitor that was interrupted before anything came has watched nothing.
#[test]
fn a_stream_that_never_began_has_no_verdict() {
    let place = place();
    place.pipe("pipe");
    let mut child = spawn(&place, &["monitor", "pipe", "--ltl", "G (x < 5)"]);
    let held_open = OpenOptions::new().write(true).open(place.path().join("pipe")).expect("somebody reads");
    signal(&child, "INT");
    let status = end(&mut child, &"monitor");
    drop(held_open);
    let told = rest(child.stderr.take());
    assert_eq!(status, 130, "{told}");
    assert!(told.contains("nothing was read"), "{told}");
}

#[test]
fn a_second_interruption_ends_it_at_once() {
    let place = place();
    place.pipe("pipe");
    let args = ["check", "a.trace", "pipe", "--ltl", NEVER_BOTH];
    let mut child = spawn(&place, &args);
    let held_open = OpenOptions::new().write(true).open(place.path().join("pipe")).expect("somebody reads");
    let started = Instant::now();
    signal(&child, "INT");
    std::thread::sleep(Duration::from_millis(50));
    // It may have ended by itself if this took long.
    let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    let in_time = started.elapsed() < Duration::from_millis(500);
    assert_eq!(end(&mut child, &args), 130);
    drop(held_open);
    let told = rest(child.stdout.take());
    // What was printed before stays; nothing is added.
    assert!(!told.contains("interrupted") || !in_time, "{told}");
}

#[test]
fn a_limit_on_address_space_ends_in_unknown() {
    let place = place();
    let line = |i: usize| format!("{{\"process\":\"P{}\",\"id\":\"event-number-{i}\",\"set\":{{\"x\":{i}}}}}\n", i % 4);
    place.write("big.jsonl", (0..100_000).map(line).collect::<String>().as_bytes());
    let (ltl, ctl) = (hopeless(), hopeless_ctl());
    let heavy: [&[&str]; 6] = [
        &["check", "wide.trace", "--ltl", &ltl, "--timeout", "300ms"],
        &["check", "wide.trace", "--ctl", &ctl, "--timeout", "300ms"],
        &["check", "big.jsonl", "--ltl", "G (x >= 0)", "--ctl", "AG (x >= 0)", "--jobs", "8"],
        &["check", "big.jsonl", "--ltl", "G (x >= 0)", "--memory", "100GB"],
        &["info", "big.jsonl", "--timeout", "2s"],
        &["monitor", "big.jsonl", "--key", "id", "--ltl", "G (x >= 0)", "--out", "lines"],
    ];
    // An unoptimised program takes more than others by itself.
    let own = std::fs::metadata(env!("CARGO_BIN_EXE_posetta")).expect("the program").len() >> 20;
    for more in [16, 32, 76, 136, 576, 2376] {
        let megabytes = own + more;
        let mut answered = 0;
        for args in COMMANDS.iter().chain(&heavy) {
            let program = env!("CARGO_BIN_EXE_posetta");
            let limited = format!("ulimit -v {}; exec \"$0\" \"$@\"", megabytes * 1024);
            let seen = Command::new("sh")
                .args(["-c", &limited, program])
                .args(*args)
                .current_dir(place.path())
                .env("NO_COLOR", "1")
                .stdin(Stdio::null())
                .output()
                .expect("sh");
            let told = String::from_utf8_lossy(&seen.stderr);
            let status = seen.status.code();
            assert!(status.is_some_and(|s| s <= 3), "{megabytes} MB, {args:?}: {:?} {told}", seen.status);
            assert!(
                !told.contains("panicked") && !told.contains("memory allocation"),
                "{megabytes} MB, {args:?}: {told}"
            );
            answered += u32::from(status.is_some_and(|s| s <= 1));
        }
        // With little room there is no answer, with some there are those that need little, with much nearly all.
        assert!(more < 100 || answered >= COMMANDS.len() as u32, "{megabytes} MB: {answered} answers");
    }
}

/// Where address space is scarce the program starts itself again, and leaves alone what the user has chosen.
#[cfg(target_os = "linux")]
#[test]
fn a_choice_of_arenas_is_left_alone() {
    let place = place();
    for (chosen, expected) in [(Some("3"), "MALLOC_ARENA_MAX=3"), (None, "MALLOC_ARENA_MAX=1")] {
        let limited = "ulimit -v 2000000; exec \"$0\" \"$@\"";
        let mut command = Command::new("sh");
        command.args(["-c", limited, env!("CARGO_BIN_EXE_posetta"), "monitor", "--ltl", "G (x < 5)"]);
        command.env_remove("MALLOC_ARENA_MAX").current_dir(place.path());
        let mut child = command
            .envs(chosen.map(|chosen| ("MALLOC_ARENA_MAX", chosen)))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .expect("sh");
        let environment = format!("/proc/{}/environ", child.id());
        let started = Instant::now();
        let variables = loop {
            let variables = String::from_utf8_lossy(&fs::read(&environment).unwrap_or_default()).into_owned();
            if variables.contains("MALLOC_ARENA_MAX=") {
                break variables;
            }
            assert!(started.elapsed() < Duration::from_secs(60), "it did not start again: {variables:?}");
            std::thread::sleep(Duration::from_millis(5));
        };
        drop(child.stdin.take());
        child.wait().expect("it ends");
        assert!(variables.split('\0').any(|variable| variable == expected), "{expected}: {variables:?}");
    }
}
