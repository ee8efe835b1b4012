//! `posetta test`: real SDKs under it, what it says and how it ends.
//!
//! Where it does not matter who exports, the test does it itself: the command says where to ([`Waiting`]).

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use insta::assert_snapshot;
use serde_json::Value;

use crate::program::otlp::{PROTO, export, post};
use crate::program::{Place, Seen};

const HOLDS: &str = "F event(\"child end\")";
const FAILS: &str = "G !event(\"child end\")";

fn exporter(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exporters").join(name)
}

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/ci").join(name)
}

fn seen(output: &Output) -> Seen {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
    let seen = Seen {
        status: output.status.code().expect("it ends by itself"),
        stdout: text(&output.stdout),
        stderr: text(&output.stderr),
    };
    assert!(!seen.stderr.contains("panicked"), "{}", seen.shown());
    seen
}

/// The program with a clean environment: nothing of OpenTelemetry, and temporary files where they are seen.
fn posetta(place: &Place, args: &[&str]) -> Command {
    let mut command = place.command(args);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("OTEL_")) {
        command.env_remove(name);
    }
    std::fs::create_dir_all(place.path().join("tmp")).expect("a directory");
    command.env("TMPDIR", place.path().join("tmp")).env("PYTHONDONTWRITEBYTECODE", "1");
    command
}

fn is_empty(place: &Place, directory: &str) -> bool {
    std::fs::read_dir(place.path().join(directory)).expect("a directory").next().is_none()
}

/// A command that waits until somebody has sent what it should have.
struct Waiting<'a> {
    place: &'a Place,
    child: Child,
    address: String,
}

impl<'a> Waiting<'a> {
    /// It ends with `end`, which is a line of a shell.
    fn start(place: &'a Place, flags: &[&str], end: &str) -> Self {
        let script = format!(
            "echo $OTEL_EXPORTER_OTLP_ENDPOINT > tmp/where.new; mv tmp/where.new where; \
             while [ ! -e done ]; do sleep 0.02; done; rm done where; {end}"
        );
        let args = [&["test"], flags, &["--", "sh", "-c", &script]].concat();
        let child = posetta(place, &args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let begun = Instant::now();
        while !place.exists("where") {
            assert!(begun.elapsed() < Duration::from_secs(30), "the command was not started");
            thread::sleep(Duration::from_millis(5));
        }
        let address = place.read("where").trim().trim_start_matches("http://").to_owned();
        assert!(address.starts_with("127.0.0.1:"), "{address}");
        Self { place, child, address }
    }

    /// Sends a trace of two spans in two exports.
    fn export(&self) {
        for body in [export(1, 2, Some(1), "child", 1), export(1, 1, None, "root", 0)] {
            assert_eq!(post(&self.address, PROTO, &[], &body).status, 200);
        }
    }

    fn end(self) -> Seen {
        self.place.write("done", b"");
        let output = self.child.wait_with_output().expect("it ends");
        assert!(is_empty(self.place, "tmp"), "what was received is gone");
        seen(&output)
    }

    fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([name, &pid]).status().expect("kill").success());
    }
}

#[test]
fn the_status_of_the_command_goes_first_and_both_are_said() {
    let place = Place::with(&[]);
    let mut told = String::new();
    for (property, end, status) in [
        (HOLDS, "exit 0", 0),
        (FAILS, "exit 0", 1),
        (HOLDS, "exit 5", 5),
        (FAILS, "exit 5", 5),
        (HOLDS, "kill -9 $$", 137),
    ] {
        let waiting = Waiting::start(&place, &["--ltl", property], end);
        waiting.export();
        let seen = waiting.end();
        assert_eq!(seen.status, status, "{}", seen.shown());
        told.push_str(&format!("$ posetta test --ltl '{property}' -- …{end}\n{}\n", seen.shown()));
    }
    assert_snapshot!("status", told);
}

#[test]
fn what_is_lost_is_never_green() {
    let place = Place::with(&[]);
    let waiting = Waiting::start(&place, &["--ltl", HOLDS], "echo fine");
    waiting.export();
    assert_eq!(post(&waiting.address, PROTO, &[], &export(1, 3, Some(1), "cut", 2)[..40]).status, 400);
    assert_snapshot!("lost", waiting.end().shown());
    // For programs it is an error among others, and the command's output is not in the way.
    let waiting = Waiting::start(&place, &["--ltl", HOLDS, "--json"], "echo fine");
    waiting.export();
    assert_eq!(post(&waiting.address, PROTO, &[], b"{").status, 400);
    let seen = waiting.end();
    crate::program::schema::check(&seen.stdout);
    let report = seen.json();
    assert_eq!((seen.status, &report["results"][0]["verdict"]), (2, &"holds".into()), "{report}");
    assert_eq!(report["errors"][0]["kind"], "incomplete", "{report}");
    assert!(seen.stderr.starts_with("fine\n"), "{}", seen.shown());
}

#[test]
fn no_span_says_where_to_look() {
    let place = Place::with(&[("bad.props", "property p = ltl G (")]);
    let mut told = String::new();
    for args in [
        &["test", "--ltl", "F x", "--drain", "100ms", "--", "true"][..],
        &["test", "--ltl", "F x", "--drain", "100ms", "--", "sh", "-c", "exit 3"],
        &["test", "--ltl", "F x", "--", "no-such-program", "-v"],
        // The command is not run for what cannot be checked.
        &["test", "--spec", "bad.props", "--", "touch", "ran"],
        &["test", "--spec", "-", "--", "touch", "ran"],
        &["test", "--", "touch", "ran"],
        &["test", "--ltl", "F x", "touch", "ran"],
        &["test", "--ltl", "F x", "--from", "jsonl", "--", "touch", "ran"],
        &["test", "--ltl", "F x", "--follow", "--", "touch", "ran"],
        &["test", "--ltl", "F x", "--save", "bad.props", "--", "touch", "ran"],
    ] {
        let output = posetta(&place, args).stdin(Stdio::null()).output().expect("it starts");
        told.push_str(&format!("$ posetta {}\n{}\n", args.join(" "), seen(&output).shown()));
    }
    assert_snapshot!("no_span", told);
    assert!(!place.exists("ran"));
    // Something came, but no span.
    let metrics = crate::program::otlp::request("POST", "/v1/metrics", &[("Content-Type", PROTO)], b"");
    for (sent, advice) in [(Some(&metrics[..]), "but no traces"), (None, "but no export came")] {
        let waiting = Waiting::start(&place, &["--ltl", "F x", "--drain", "100ms"], "exit 0");
        match sent {
            Some(sent) => {
                assert_eq!(crate::program::otlp::send(&waiting.address, sent).expect("an answer").status, 200)
            }
            None => drop(crate::program::otlp::connect(&waiting.address)),
        }
        // Until it is counted.
        thread::sleep(Duration::from_millis(100));
        let seen = waiting.end();
        assert!(seen.status == 2 && seen.flat().contains(advice), "{}", seen.shown());
    }
}

#[test]
fn what_is_kept_is_checked_again() {
    let place = Place::with(&[("spans/spans.otlp", "of another day")]);
    let waiting = Waiting::start(&place, &["--ltl", FAILS, "--save", "spans"], "exit 0");
    waiting.export();
    let first = waiting.end();
    let again = place.run(&["check", "spans", "--ltl", FAILS]);
    assert_eq!((first.status, first.stdout), (again.status, again.stdout));
    let joined = Waiting::start(&place, &["--ltl", HOLDS, "--join"], "exit 0");
    joined.export();
    assert_eq!(post(&joined.address, PROTO, &[], &export(2, 1, None, "other", 9)).status, 200);
    let joined = joined.end();
    assert!(joined.status == 0 && joined.stdout.contains("received  3 processes"), "{}", joined.shown());
}

#[test]
fn what_was_set_stays_unless_it_leads_elsewhere() {
    let place = Place::with(&[]);
    let script = "env | grep -e ^OTEL_ -e ^no_proxy | sed 's/127.0.0.1:[0-9]*/HERE/' | sort";
    let output = posetta(&place, &["test", "--ltl", "F x", "--drain", "10ms", "--", "sh", "-c", script])
        .env("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://collector.example/v1/traces")
        .env("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
        .env("OTEL_TRACES_EXPORTER", "none")
        .env("OTEL_SERVICE_NAME", "shop")
        .env("OTEL_BSP_SCHEDULE_DELAY", "20")
        .env("http_proxy", "http://proxy.example")
        .env_remove("no_proxy")
        .output()
        .expect("it starts");
    assert_snapshot!("environment", seen(&output).shown());
}

#[test]
fn signals_are_the_commands() {
    let place = Place::with(&[]);
    let mut told = String::new();
    // One that ends in order is checked; one that does not was interrupted.
    for (signal, trap, status) in [
        ("-TERM", "trap 'exit 0' TERM", 0),
        ("-INT", "trap 'exit 0' INT", 0),
        ("-HUP", "trap 'exit 0' HUP", 0),
        ("-TERM", "trap 'exit 7' TERM", 7),
        ("-TERM", ":", 143),
    ] {
        let end = format!("{trap}; touch ready; while :; do sleep 0.02; done");
        let waiting = Waiting::start(&place, &["--ltl", HOLDS], &end);
        waiting.export();
        place.write("done", b"");
        while !place.exists("ready") {
            thread::sleep(Duration::from_millis(5));
        }
        place.remove("ready");
        waiting.signal(signal);
        let seen = seen(&waiting.child.wait_with_output().expect("it ends"));
        assert_eq!(seen.status, status, "{signal} {trap}: {}", seen.shown());
        told.push_str(&format!("{signal} {trap}\n{}\n", seen.shown()));
    }
    assert_snapshot!("signals", told);
}

#[test]
fn an_interruption_while_it_waits_for_late_spans_ends_it() {
    let place = Place::with(&[]);
    let waiting = Waiting::start(&place, &["--ltl", HOLDS, "--drain", "1h"], "exit 0");
    place.write("done", b"");
    while place.exists("where") {
        thread::sleep(Duration::from_millis(5));
    }
    // The command has ended, or is about to.
    thread::sleep(Duration::from_millis(300));
    assert!(!is_empty(&place, "tmp"), "it is still there");
    let begun = Instant::now();
    waiting.signal("-TERM");
    let output = waiting.child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    assert!(begun.elapsed() < Duration::from_secs(10) && is_empty(&place, "tmp"));
}

/// Runs an exporter under the program.
fn check_exporter(place: &Place, command: &[&str], environment: &[(&str, &str)], exports: &str) {
    let properties = ["--ltl", "F event(\"order end\")", "--ltl", "F event(packed, boxes == 2)"];
    let more =
        ["--ltl", "F event(charge, amount == 12.5, paid == true)", "--save", "spans", "--json", "--drain", "1m", "--"];
    let args = [&["test"], &properties[..], &more, command].concat();
    let output = posetta(place, &args).envs(environment.iter().copied()).output().expect("it starts");
    let seen = seen(&output);
    assert_eq!(seen.status, 0, "{command:?} {environment:?}: {}", seen.shown());
    let report: Value = seen.json();
    // However many exports, one run.
    assert_eq!(report["results"].as_array().map(Vec::len), Some(3), "{report}");
    assert!(seen.stderr.contains(&format!("received 3 spans in {exports}")), "{}", seen.shown());
    let info = place.run(&["info", "spans/spans.otlp", "--json"]).json();
    assert_eq!((&info["runs"][0]["processes"], &info["runs"][0]["events"]), (&3.into(), &7.into()), "{info}");
}

#[test]
fn exporters_of_the_python_sdk() {
    let Some(python) = posetta_peers::python() else { return };
    let (place, python, script) =
        (Place::with(&[]), python.display().to_string(), exporter("shop.py").display().to_string());
    for environment in [
        &[][..],
        &[("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")],
        &[("OTEL_EXPORTER_OTLP_COMPRESSION", "deflate")],
        &[("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")],
        &[("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"), ("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")],
    ] {
        check_exporter(&place, &[&python, &script], environment, "2 exports");
    }
    // What the command starts and does not wait for is late, and comes all the same.
    let late = format!("'{python}' '{script}' 0.5 &");
    check_exporter(&place, &["sh", "-c", &late], &[("OTEL_BSP_SCHEDULE_DELAY", "60000")], "1 export");
}

#[test]
fn exporters_of_the_node_sdk() {
    let Some(modules) = posetta_peers::node_modules() else { return };
    let (place, script) = (Place::with(&[]), exporter("shop.mjs").display().to_string());
    for protocol in ["http/protobuf", "http/json", "grpc"] {
        for compression in ["none", "gzip"] {
            let environment = [
                ("OTEL_EXPORTER_OTLP_PROTOCOL", protocol),
                ("OTEL_EXPORTER_OTLP_COMPRESSION", compression),
                ("NODE_MODULES", modules.to_str().expect("UTF-8")),
            ];
            check_exporter(&place, &["node", &script], &environment, "2 exports");
        }
    }
}

#[test]
fn calls_that_no_exporter_makes() {
    let Some(python) = posetta_peers::python() else { return };
    let place = Place::with(&[]);
    let script = exporter("calls.py").display().to_string();
    // By its name, so that lines do not break where its path is long.
    let args = ["test", "--ltl", "F x", "--drain", "10ms", "--max-body", "200kB", "--", "python", &script];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let own = python.parent().expect("a directory").to_owned();
    let path = std::env::join_paths(std::iter::once(own).chain(std::env::split_paths(&path))).expect("a path");
    let output = posetta(&place, &args).env("PATH", path).output().expect("it starts");
    assert_snapshot!("calls", seen(&output).shown());
}

/// The two versions of an example: the tests of both pass, and only one of them is right.
fn check_example(directory: &str, fixed: &str, command: &[&str], environment: &[(&str, String)]) {
    let place = Place::with(&[]);
    let here = example(directory);
    let spec = here.join("checks.props").display().to_string();
    for (orders, status, verdict) in [(None, 1, "violated"), (Some(fixed), 0, "holds")] {
        let args = [&["test", "--spec", &spec, "--json", "--"], command].concat();
        let mut command = posetta(&place, &args);
        command.current_dir(&here).envs(environment.iter().map(|(name, value)| (name, value)));
        command.envs(orders.map(|orders| ("ORDERS", orders)));
        let seen = seen(&command.output().expect("it starts"));
        assert_eq!(seen.status, status, "{orders:?}: {}", seen.shown());
        let report = seen.json();
        let results = report["results"].as_array().expect("results");
        assert_eq!(results.len(), 15, "five orders, three properties: {report}");
        for result in results {
            let is_race = result["property"] == "saved_before_loaded";
            assert_eq!(result["verdict"], if is_race { verdict } else { "holds" }, "{result}");
            // No recorded order shows it.
            assert_eq!(result["observed"], "holds", "{result}");
        }
    }
}

#[test]
fn the_example_in_python() {
    let Some(python) = posetta_peers::python() else { return };
    let python = python.display().to_string();
    check_example("python", "orders_fixed.py", &[&python, "-m", "pytest", "-q", "-p", "no:cacheprovider"], &[]);
}

#[test]
fn the_example_in_node() {
    let Some(modules) = posetta_peers::node_modules() else { return };
    check_example("node", "orders_fixed.mjs", &["node", "--test"], &[("NODE_MODULES", modules.display().to_string())]);
}
