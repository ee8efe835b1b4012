//! What real programs export: spans of the OpenTelemetry SDKs, and traces of a specification that Quint simulates.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::program::{Place, Seen};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/telemetry").join(name)
}

fn run(mut command: Command) {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// What became of a property on each run of a report, the runs by name.
fn results<'a>(report: &'a Value, property: &str) -> Vec<&'a Value> {
    let all = report["results"].as_array().expect("results");
    all.iter().filter(|result| result["property"] == property).collect()
}

fn report(seen: &Seen) -> Value {
    serde_json::from_str(&seen.stdout).unwrap_or_else(|e| panic!("{e}: {}", seen.shown()))
}

/// Three orders, each a trace with four spans. Where the clock is coarse, nothing says that one span came after the other.
fn check_shop(place: &Place, spans: &str, is_exact: bool) {
    let info = report(&place.run(&["info", spans, "--json"]));
    let runs = info["runs"].as_array().expect("runs");
    assert_eq!(runs.len(), 3, "{info}");
    for run in runs {
        // Four starts, four ends, and that the order was packed.
        assert_eq!((&run["processes"], &run["events"]), (&4.into(), &9.into()), "{info}");
        assert_eq!(run["reasons"]["message id"], 1, "{info}");
        assert_eq!(run["reasons"]["parent"], 2, "{info}");
        assert_eq!((&run["groups"]["shop"], &run["groups"]["warehouse"]), (&3.into(), &1.into()), "{info}");
        assert_eq!(run["warnings"].as_array().map(Vec::len), Some(0), "{info}");
    }
    let spec = example("shop.props").display().to_string();
    let seen = place.run(&["check", spans, "--spec", &spec, "--json"]);
    let told = report(&seen);
    assert_eq!(seen.status, 1, "{}", seen.shown());
    for (property, verdict, relies_on) in [
        ("charged_before_shipped", "holds", Some("same clock")),
        ("sent_before_shipped", "holds", None),
        ("answered_before_shipped", "violated", None),
        ("same_order", "holds", None),
    ] {
        let results = results(&told, property);
        assert_eq!(results.len(), 3, "{property}: {told}");
        if property == "charged_before_shipped" && !is_exact {
            continue;
        }
        for result in results {
            assert_eq!(result["verdict"], verdict, "{property}: {result}");
            let relied: Vec<&str> =
                result["relies_on"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            assert_eq!(relied, relies_on.into_iter().collect::<Vec<_>>(), "{property}: {result}");
        }
    }
    // By causes alone nothing says that it was charged first.
    let seen = place.run(&["check", spans, "--spec", &spec, "--property", "charged_before_shipped", "--trust", "none"]);
    assert_eq!(seen.status, 1, "{}", seen.shown());
}

#[test]
fn spans_of_the_python_sdk() {
    let Some(python) = posetta_peers::python() else { return };
    let place = Place::with(&[]);
    for name in ["spans.json", "spans.otlp"] {
        let mut command = Command::new(&python);
        command.arg(example("shop.py")).arg(place.path().join(name));
        run(command);
        check_shop(&place, name, true);
    }
}

#[test]
fn spans_of_the_node_sdk() {
    let Some(modules) = posetta_peers::node_modules() else { return };
    let place = Place::with(&[]);
    let mut command = Command::new("node");
    command.env("POSETTA_NODE_MODULES", modules).arg(example("shop.mjs")).arg(place.path().join("spans.jsonl"));
    run(command);
    // Starts are whole milliseconds, so that spans overlap that did not.
    check_shop(&place, "spans.jsonl", false);
}

#[test]
fn a_specification_that_quint_simulates() {
    let Some(modules) = posetta_peers::node_modules() else { return };
    let place = Place::with(&[]);
    let trace = place.path().join("lock.itf.json");
    let mut command = Command::new("node");
    command.arg(modules.join(".bin/quint")).arg("run").arg(example("lock.qnt"));
    // The other engine of Quint is a program that it would fetch.
    command.args(["--backend=typescript", "--max-samples=1", "--max-steps=40", "--seed=0x7"]);
    command.arg(format!("--out-itf={}", trace.display()));
    run(command);
    let spec = example("lock.props").display().to_string();
    let seen = place.run(&["check", "lock.itf.json", "--spec", &spec, "--json"]);
    assert_eq!(seen.status, 0, "{}", seen.shown());
    let told = report(&seen);
    for property in ["exclusive", "told", "asked", "served"] {
        assert_eq!(results(&told, property)[0]["orders"], "one", "{told}");
    }
    let wrong = ["check", "lock.itf.json", "--ltl", "G !$\"clients[ann].asking\" && G !$\"clients[bob].asking\""];
    assert_eq!(place.run(&wrong).status, 1);
}

/// `.json` says nothing of what a file is, so in a directory its content decides.
#[test]
fn exports_in_a_directory_are_found_by_what_they_are() {
    let span = |trace: u32| {
        format!(
            "{{\"resourceSpans\":[{{\"scopeSpans\":[{{\"spans\":[{{\"traceId\":\"{trace:032x}\",\"spanId\":\"00000000000000ab\",\"name\":\"get\",\"startTimeUnixNano\":\"1000\",\"endTimeUnixNano\":\"2000\"}}]}}]}}]}}\n"
        )
    };
    let place = Place::with(&[]);
    std::fs::create_dir(place.path().join("spans")).unwrap();
    place.write("spans/a.json", span(1).as_bytes());
    place.write("spans/b.json", span(2).as_bytes());
    place.write("spans/package.json", b"{\"name\":\"shop\",\"version\":\"1.0.0\"}\n");
    let seen = place.run(&["check", "spans", "--ltl", "true", "--json"]);
    assert_eq!(results(&report(&seen), "true").len(), 2, "{}", seen.shown());
    assert!(seen.flat().contains("`spans/package.json` is skipped"), "{}", seen.shown());
    let joined = report(&place.run(&["info", "--join", "spans", "--json"]));
    assert_eq!(joined["runs"][0]["events"], 4, "{joined}");
    // With a mapping all of them are meant.
    let mapped =
        place.run(&["info", "spans/package.json", "spans", "--map", "process==p", "--map", "name=name", "--json"]);
    assert_eq!(report(&mapped)["runs"].as_array().map(Vec::len), Some(3), "{}", mapped.shown());
}
