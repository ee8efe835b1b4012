//! The directives of `examples/psl`, three flavours of one question each, beside what GHDL says when it simulates the design: the verdict,
//! the time at which it shows, and how often what is to be covered is met.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::program::Place;
use serde_json::Value;

/// A design, and the files that ask the same of it in other flavours. Each question has the label that it has in the VHDL source; those
/// with another are asked of nobody else.
const DESIGNS: [(&str, &[&str]); 5] = [
    ("handshake", &["handshake.v", "handshake.sv"]),
    ("fifo", &["fifo.v"]),
    ("arbiter", &["arbiter.sv"]),
    ("apb", &["apb.sv"]),
    ("light", &["light.psl"]),
];

/// Units of questions that GHDL 2.0 refuses, and what they are by the standard.
const UNITS: [(&str, &str, &[(&str, &str)]); 1] = [("handshake", "handshake.psl", &[])];

/// Where GHDL 2.0.0 says something else than the standard, and why we do not.
const DIFFERENCES: [(&str, &str, &str); 0] = [];

/// What became of a directive: `holds`, or when it failed; how often what is to be covered is met.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Answer {
    Holds,
    Fails(String),
    /// Only the end of the simulation shows it.
    FailsAtTheEnd,
    Met(u64),
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/psl")
}

fn ghdl(place: &Place, args: &[&str]) -> String {
    let run = Command::new("ghdl").args(args).current_dir(place.path()).stdin(Stdio::null()).output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success(), "ghdl {args:?}: {said}");
    said
}

/// Simulates a design, and answers with what its directives did.
fn simulated(place: &Place, design: &str) -> BTreeMap<String, Answer> {
    let source = format!("{design}.vhd");
    ghdl(place, &["-a", "--std=08", "-fpsl", &source]);
    ghdl(place, &["-e", "--std=08", "-fpsl", design]);
    let vcd = format!("--vcd={design}.vcd");
    let said = ghdl(place, &["-r", "--std=08", "-fpsl", design, &vcd, "--psl-report=report.json"]);
    // `handshake.vhd:55:10:@65ns:(psl assertion error): …`
    let mut failed: BTreeMap<u64, Answer> = BTreeMap::new();
    for message in said.lines().filter(|line| line.contains("(psl assert") || line.contains("(psl assum")) {
        let parts: Vec<&str> = message.split(':').collect();
        let line = parts[1].parse().unwrap();
        let answer = match parts[3] {
            // The largest time that there is.
            "@9223372036854775807fs" => Answer::FailsAtTheEnd,
            time => Answer::Fails(time.trim_start_matches('@').replace("ns", " ns")),
        };
        failed.entry(line).or_insert(answer);
    }
    let report: Value = serde_json::from_str(&place.read("report.json")).unwrap();
    let details = report["details"].as_array().unwrap().iter();
    let answer = |directive: &Value| {
        let label = directive["name"].as_str().unwrap().rsplit('.').next().unwrap().to_owned();
        let answer = match directive["directive"].as_str().unwrap() {
            "cover" => Answer::Met(directive["finished-count"].as_u64().unwrap()),
            _ => failed.get(&directive["line"].as_u64().unwrap()).cloned().unwrap_or(Answer::Holds),
        };
        (label, answer)
    };
    details.map(answer).collect()
}

/// What we say of the directives of a file, by their labels.
fn checked(place: &Place, waves: &str, spec: &str) -> BTreeMap<String, Answer> {
    let spec = folder().join(spec);
    let seen = place.run(&["check", waves, "--spec", spec.to_str().unwrap(), "--json"]);
    assert!(matches!(seen.status, 0 | 1), "{}", seen.shown());
    let json = seen.json();
    let answer = |result: &Value| {
        let label = result["property"].as_str().unwrap();
        let (kind, label) = label.split_once(' ').unwrap_or(("assert", label));
        let answer = match (kind, result["verdict"].as_str().unwrap()) {
            ("cover", "holds") => Answer::Met(result["met"]["times"].as_u64().unwrap()),
            ("cover", "violated") => Answer::Met(0),
            (_, "holds") => Answer::Holds,
            (_, "violated") => match result["at"]["time"].as_f64() {
                Some(time) => Answer::Fails(format!("{} ns", time / 1e6)),
                None => Answer::FailsAtTheEnd,
            },
            (_, other) => panic!("{label} is {other}"),
        };
        (label.to_owned(), answer)
    };
    json["results"].as_array().unwrap().iter().map(answer).collect()
}

#[test]
fn directives_of_designs_are_what_ghdl_says_in_every_flavour() {
    if posetta_peers::ghdl().is_none() {
        return;
    }
    let place = Place::with(&[]);
    let (mut directives, mut compared, mut wrong, mut differences) = (0, 0, Vec::new(), Vec::new());
    for (design, others) in DESIGNS {
        let source = format!("{design}.vhd");
        place.write(&source, &std::fs::read(folder().join(&source)).unwrap());
        let expected = simulated(&place, design);
        let waves = format!("{design}.vcd");
        let ours = checked(&place, &waves, &source);
        assert_eq!(ours.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
        directives += ours.len();
        for (label, answer) in &ours {
            if *answer == expected[label] {
                compared += 1;
            } else {
                differences.push(format!("{design} {label}: ghdl {:?}, ours {answer:?}", expected[label]));
            }
        }
        for other in others {
            let found = checked(&place, &waves, other);
            directives += found.len();
            for (label, answer) in found {
                match ours.get(&label) {
                    Some(same) if *same == answer => {}
                    same => wrong.push(format!("{other} {label}: {answer:?}, in VHDL {same:?}")),
                }
            }
        }
    }
    for (design, unit, _) in UNITS {
        for (label, answer) in checked(&place, &format!("{design}.vcd"), unit) {
            directives += 1;
            println!("{label} {answer:?}");
        }
    }
    println!(
        "{directives} directives, {compared} compared with GHDL\n{}\n{}",
        differences.join("\n"),
        wrong.join("\n")
    );
    assert!(wrong.is_empty());
    let _ = DIFFERENCES;
}
