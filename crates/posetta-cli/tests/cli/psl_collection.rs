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

/// Questions that GHDL 2.0 refuses (strong operators inside of formulas, functions, parameters), and what became of them by the standard.
const UNIT: (&str, &str, [(&str, &str); 17]) = (
    "handshake",
    "handshake.psl",
    [
        // The request of cycle 20 is gone when its answer comes.
        ("strong_answer", "215 ns"),
        // That of cycle 32 has none, and four more cycles do not come.
        ("strong_match", "the end"),
        ("in_one", "115 ns"),
        ("in_three", "holds"),
        ("held", "215 ns"),
        ("next_strong", "holds"),
        ("ack_rises_once", "holds"),
        ("data_kept", "holds"),
        ("data_even", "holds"),
        ("upper", "holds"),
        // X"FF" from cycle 20 on.
        ("few_bits", "205 ns"),
        ("known", "holds"),
        ("two_back", "holds"),
        ("reset_first", "holds"),
        ("at_least_one", "4 times"),
        ("again", "3 times"),
        ("four", "5 times"),
    ],
);

/// Where GHDL 2.0.0 says something else than the standard, what it says, and why we do not.
const DIFFERENCES: [(&str, &str, &str, &str); 6] = [
    ("handshake", "answer_in_time", "65 ns", RANGES),
    ("arbiter", "soon_1", "145 ns", RANGES),
    ("arbiter", "soon_2", "205 ns", RANGES),
    ("arbiter", "fast_grant", "7 times", RANGES),
    ("apb", "ready_in_four", "85 ns", RANGES),
    ("apb", "error_only_at_end", "125 ns", CONJUNCTION),
];

/// IEEE 1850, consecutive repetition: `r[*n to m]` is matched by any number of repetitions from n to m; and `next_e[i to j] f` holds if f holds in
/// some of these cycles. GHDL counts to the upper bound only: `{a[*1 to 2]; b}` is met where `{a[*2]; b}` is.
const RANGES: &str = "a range of repetitions has a lower bound, too";

/// `a -> (b and c and d)` is false only where a is true and one of the others is not. At 125 ns all four are '1' in the waveform, and GHDL itself passes
/// `a -> b`, `a -> c` and `a -> d`.
const CONJUNCTION: &str = "all that is asked for is there";

/// What became of directives, by their labels: `holds`, or when it failed (`the end` where only that shows it); how often what is to be covered is met.
type Answers = BTreeMap<String, String>;

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
fn simulated(place: &Place, design: &str) -> Answers {
    let source = format!("{design}.vhd");
    ghdl(place, &["-a", "--std=08", "-fpsl", &source]);
    ghdl(place, &["-e", "--std=08", "-fpsl", design]);
    let vcd = format!("--vcd={design}.vcd");
    let said = ghdl(place, &["-r", "--std=08", "-fpsl", design, &vcd, "--psl-report=report.json"]);
    // `handshake.vhd:55:10:@65ns:(psl assertion error): …`
    let mut failed: BTreeMap<u64, String> = BTreeMap::new();
    for message in said.lines().filter(|line| line.contains("(psl assert") || line.contains("(psl assum")) {
        let parts: Vec<&str> = message.split(':').collect();
        let line = parts[1].parse().unwrap();
        let answer = match parts[3] {
            // The largest time that there is.
            "@9223372036854775807fs" => "the end".to_owned(),
            time => time.trim_start_matches('@').replace("ns", " ns"),
        };
        failed.entry(line).or_insert(answer);
    }
    let report: Value = serde_json::from_str(&place.read("report.json")).unwrap();
    let details = report["details"].as_array().unwrap().iter();
    let answer = |directive: &Value| {
        let label = directive["name"].as_str().unwrap().rsplit('.').next().unwrap().to_owned();
        let answer = match directive["directive"].as_str().unwrap() {
            "cover" => format!("{} times", directive["finished-count"].as_u64().unwrap()),
            _ => failed.get(&directive["line"].as_u64().unwrap()).cloned().unwrap_or_else(|| "holds".to_owned()),
        };
        (label, answer)
    };
    details.map(answer).collect()
}

/// What we say of the directives of a file, by their labels.
fn checked(place: &Place, waves: &str, spec: &str) -> Answers {
    let spec = folder().join(spec);
    let seen = place.run(&["check", waves, "--spec", spec.to_str().unwrap(), "--json"]);
    assert!(matches!(seen.status, 0 | 1), "{}", seen.shown());
    let json = seen.json();
    let answer = |result: &Value| {
        let label = result["property"].as_str().unwrap();
        let (kind, label) = label.split_once(' ').unwrap_or(("assert", label));
        let answer = match (kind, result["verdict"].as_str().unwrap()) {
            ("cover", "holds") => format!("{} times", result["met"]["times"].as_u64().unwrap()),
            ("cover", "violated") => "0 times".to_owned(),
            (_, "holds") => "holds".to_owned(),
            (_, "violated") if result["at"]["waits"] == true => "the end".to_owned(),
            (_, "violated") => {
                let femtoseconds = result["at"]["time"].as_u64().unwrap();
                assert_eq!((&result["at"]["timescale"], femtoseconds % 1_000_000), (&"1 fs".into(), 0));
                format!("{} ns", femtoseconds / 1_000_000)
            }
            (_, other) => panic!("{label} is {other}"),
        };
        (label.to_owned(), answer)
    };
    json["results"].as_array().unwrap().iter().map(answer).collect()
}

/// Every file of the collection is looked at.
#[test]
fn no_file_is_forgotten() {
    let mut found: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name != "README.md")
        .collect();
    let others = DESIGNS.iter().flat_map(|(_, others)| others.iter().map(|other| (*other).to_owned()));
    let mut known: Vec<String> = DESIGNS.iter().map(|(design, _)| format!("{design}.vhd")).chain(others).collect();
    known.push(UNIT.1.to_owned());
    found.sort();
    known.sort();
    assert_eq!(found, known);
}

#[test]
fn directives_of_designs_are_what_ghdl_says_in_every_flavour() {
    if posetta_peers::ghdl().is_none() {
        return;
    }
    let place = Place::with(&[]);
    let (mut directives, mut agreed, mut wrong) = (0, 0, Vec::new());
    for (design, others) in DESIGNS {
        let source = format!("{design}.vhd");
        place.write(&source, &std::fs::read(folder().join(&source)).unwrap());
        let simulated = simulated(&place, design);
        let waves = format!("{design}.vcd");
        let ours = checked(&place, &waves, &source);
        assert_eq!(ours.keys().collect::<Vec<_>>(), simulated.keys().collect::<Vec<_>>());
        directives += ours.len();
        for (label, answer) in &ours {
            let theirs = &simulated[label];
            let known = DIFFERENCES.iter().find(|(of, name, ..)| (*of, *name) == (design, label));
            match known {
                _ if answer == theirs => agreed += 1,
                Some((.., said, _)) if theirs == said => {}
                _ => wrong.push(format!("{source} {label}: {answer}, GHDL says {theirs}")),
            }
        }
        for other in others {
            let found = checked(&place, &waves, other);
            directives += found.len();
            for (label, answer) in found {
                if ours.get(&label) != Some(&answer) {
                    wrong.push(format!("{other} {label}: {answer}, in VHDL {:?}", ours.get(&label)));
                }
            }
        }
    }
    let (design, unit, expected) = UNIT;
    let found = checked(&place, &format!("{design}.vcd"), unit);
    directives += found.len();
    let expected: Answers = expected.iter().map(|&(label, answer)| (label.to_owned(), answer.to_owned())).collect();
    assert_eq!(found, expected);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(directives >= 250 && agreed >= 110, "{directives} directives, of which GHDL agrees with {agreed}");
}
