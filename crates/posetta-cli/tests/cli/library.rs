//! The library of properties: every definition on a run that passes and on one that fails, on every command, and what goes wrong.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use posetta_logic::LIBRARY;

use crate::program::{MUTEX, Place, Seen};

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/std")
}

/// What every property says on the runs of an example, which are called after its file.
fn verdicts(place: &Place, name: &str, kind: &str) -> Vec<String> {
    let read = |file: &str| fs::read(examples().join(file)).ok();
    let runs = ["jsonl", "edn"].map(|ending| format!("{name}-{kind}.{ending}"));
    let run = runs.iter().find(|run| read(run).is_some()).unwrap_or_else(|| panic!("{name} has no run that {kind}"));
    place.write(run, &read(run).unwrap_or_default());
    let seen = place.run(&["check", run, "--spec", &format!("{name}.props"), "--json", "--deny", "warnings"]);
    let report = seen.json();
    assert_eq!(report["errors"].as_array().map(Vec::len), Some(0), "{run}: {}", seen.shown());
    assert_eq!(seen.status, i32::from(kind == "fails"), "{run}: {}", seen.shown());
    let results = report["results"].as_array().expect("results");
    let said = results.iter().map(|r| {
        assert_eq!(r["warnings"].as_array().map(Vec::len), Some(0), "{run}: {r}");
        let failing = match &r["instances"]["failing"] {
            serde_json::Value::Array(failing) if !failing.is_empty() => format!(" for {}", r["instances"]["failing"]),
            _ => String::new(),
        };
        format!("{run} {} {}{failing}", r["property"].as_str().unwrap(), r["verdict"].as_str().unwrap())
    });
    said.collect()
}

/// Every definition that is a property is used by an example; on the first run of that all hold, on the second all are violated.
#[test]
fn every_definition_passes_and_fails() {
    let mut names: Vec<String> = fs::read_dir(examples())
        .expect("the examples")
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.strip_suffix(".props").map(str::to_owned))
        .collect();
    names.sort();
    let files = fs::read_dir(examples()).expect("the examples").count();
    assert_eq!(files, 3 * names.len() + 1, "each has two runs, and there is a README");
    let (place, mut failing, mut used) = (Place::with(&[]), Vec::new(), BTreeSet::new());
    for name in &names {
        let text = fs::read_to_string(examples().join(format!("{name}.props"))).expect("it was listed");
        place.write(&format!("{name}.props"), text.as_bytes());
        let passes = verdicts(&place, name, "passes");
        assert!(passes.iter().all(|said| said.ends_with(" holds")), "{passes:#?}");
        failing.extend(verdicts(&place, name, "fails"));
        let uses = text.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned);
        used.extend(uses);
    }
    assert!(failing.iter().all(|said| said.contains(" violated")), "{failing:#?}");
    for file in LIBRARY {
        for definition in file.definitions().iter().filter(|definition| definition.is_whole) {
            let name = definition.usage.split('(').next().unwrap_or_default();
            assert!(used.contains(name), "no example uses `{name}` of {}", file.path());
        }
    }
    insta::assert_snapshot!(failing.join("\n"));
}

const RUN: &str = r#"{"posetta":1,"processes":["A","B"]}
{"process":"A","id":"1","name":"lock","lock":"L"}
{"process":"A","id":"2","name":"unlock","lock":"L"}
{"process":"B","id":"3","name":"lock","lock":"L","after":["2"]}
"#;

/// Files of one's own that could be taken for those of the library: none is ever read as one.
fn place() -> Place {
    Place::with(&[
        ("up/r.jsonl", RUN),
        ("up/r.trace", MUTEX),
        ("up/m.smv", "MODULE main\nVAR x : boolean;\n"),
        ("up/order", "[\"A.1\",\"A.2\",\"B.1\",\"B.2\"]"),
        ("up/p.props", "import \"sub/q.props\"\nproperty mine = ltl true\n"),
        ("up/sub/q.props", "import \"std/mutex\"\nimport \"std/mutex\"\nproperty taken = ltl true\n"),
        ("up/std/mutex", "trap"),
        ("up/std/mutex.props", "trap"),
        ("up/sub/std/mutex", "trap"),
        ("up/l.props", "import \"std/mutex\"\nproperty p = one_holder(event(lock), event(unlock), lock)\n"),
    ])
}

#[test]
fn every_command_knows_it() {
    let place = place();
    for more in [&[][..], &["--root", "up"], &["--root", "."]] {
        for command in [
            &["check", "up/r.trace", "--spec", "up/p.props"][..],
            &["check", "up/r.jsonl", "--follow", "--spec", "up/p.props"],
            &["monitor", "up/r.jsonl", "--spec", "up/p.props"],
            &["verify", "up/m.smv", "--spec", "up/p.props"],
            &["replay", "up/r.trace", "--witness", "up/order", "--property", "mine", "--spec", "up/p.props"],
            &["explain", "up/p.props"],
        ] {
            let seen = place.run(&[command, more].concat());
            assert_eq!(seen.status, 0, "{command:?} {more:?}: {}", seen.shown());
        }
    }
    let answers = [
        place.run(&["check", "up/r.jsonl", "--spec", "up/l.props"]),
        place.run(&["check", "up/r.jsonl", "--follow", "--spec", "up/l.props"]),
        place.run(&["monitor", "up/r.jsonl", "--spec", "up/l.props"]),
        place.run(&["explain", "up/l.props"]),
    ];
    insta::assert_snapshot!(answers.map(|seen| seen.shown()).join("\n"));
    // From standard input, and where there is nothing to read at all.
    let spec = b"import \"std/mutex\"\nproperty p = one_holder(event(lock), event(unlock), lock)\n";
    assert_eq!(place.run_with(&["check", "up/r.jsonl", "--spec", "-"], spec).status, 0);
}

/// A file of one's own with the name of one of the library, beside that.
#[test]
fn a_directory_of_the_same_name_is_reached() {
    let place = place();
    place.write("up/std/mutex.props", b"property own = one_holder(event(lock), event(unlock), lock)\n");
    place.write("up/both.props", b"import \"std/mutex\"\nimport \"./std/mutex.props\"\n");
    // From beside it, where its path is that of the library, letter by letter.
    let mut command = place.command(&["check", "r.jsonl", "--spec", "both.props", "--json"]);
    let output = command.current_dir(place.path().join("up")).output().expect("the program starts");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a report");
    assert_eq!((&report["results"][0]["property"], output.status.code()), (&"own".into(), Some(0)), "{report}");
    assert_eq!(place.run(&["check", "up/r.jsonl", "--spec", "up/both.props"]).status, 0);
}

#[test]
fn mistakes() {
    let place = place();
    let told = |text: &str, args: &[&str]| -> String {
        place.write("up/bad.props", text.as_bytes());
        let seen: Seen = place.run(&[args, &["--spec", "up/bad.props"]].concat());
        assert_eq!(seen.status, 2, "{text}: {}", seen.shown());
        format!("{text}{}", seen.stderr)
    };
    let check = ["check", "up/r.jsonl"];
    let texts = [
        "import \"std/mutx\"\nproperty p = ltl true\n",
        "import \"std/nothing like it\"\nproperty p = ltl true\n",
        "import \"std/mutex.props\"\nproperty p = ltl true\n",
        "import \"std/../../etc/passwd\"\nproperty p = ltl true\n",
        "import \"std/mutex\"\nproperty p = one_holder(event(lock), lock)\n",
        "import \"std/mutex\"\nproperty p = one_holder(event(lock), event(unlock), \"no such\")\n",
        "import \"std/mutex\"\nproperty p = one_holder(event(lock), event(unlock), 3)\n",
        "import \"std/mutex\"\nproperty p = ltl G one_holder(event(lock), event(unlock), lock)\n",
        "import \"std/mutex\"\nproperty p = on_holder(event(lock), event(unlock), lock)\n",
        "import \"std/mutex\"\nlet one_holder(x) = x\nproperty p = ltl one_holder(x)\n",
        "import \"std/monotone\"\nproperty p = never_decreases(3)\n",
        "import \"std/monotone\"\nproperty p = never_decreases(term)\n",
        "import \"std/retry\"\nproperty p = at_most_tries(event(lock), x, lock)\n",
        "import \"std/queue\"\nproperty p = foreach k in values(lock) { linearizable_queue(event(lock), event(unlock), lock) }\n",
    ];
    let mut all: Vec<String> = texts.iter().map(|text| told(text, &check)).collect();
    let queue = "import \"std/fifo\"\nproperty p = fifo(event(lock), event(unlock), lock)\n";
    all.push(told(queue, &["check", "up/r.jsonl", "--follow"]));
    all.push(told(queue, &["monitor", "up/r.jsonl"]));
    all.push(told(queue, &["verify", "up/m.smv"]));
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn it_is_listed() {
    let place = Place::with(&[]);
    let list = place.run(&["explain", "--library"]);
    assert!(list.stdout.lines().all(|line| line.chars().count() <= 80));
    let wrong = ["mutx", "std/mutex.props"].map(|name| place.run(&["explain", "--library", name]).shown());
    let file = place.run(&["explain", "--library", "mutex"]);
    assert_eq!(file.stdout, place.run(&["explain", "--library", "std/mutex"]).stdout);
    insta::assert_snapshot!([list.shown(), file.shown(), wrong.join("\n")].join("\n"));
}

/// A loop over pairs, for people and for programs.
#[test]
fn pairs() {
    let run = |name: &str, order: &[&str]| {
        let sent = "{\"process\":\"A\",\"id\":\"s1\",\"name\":\"send\",\"m\":1}\n{\"process\":\"A\",\"id\":\"s2\",\"name\":\"send\",\"m\":\"b\"}\n";
        let got = order.iter().map(|m| format!("{{\"process\":\"B\",\"name\":\"receive\",\"m\":{m}}}\n"));
        (name.to_owned(), format!("{sent}{}", got.collect::<String>()))
    };
    let runs = [run("one.jsonl", &["1", "\"b\""]), run("two.jsonl", &["\"b\"", "1", "1"])];
    let files: Vec<(&str, &str)> = runs.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let place = Place::with(&files);
    let spec = "import \"std/fifo\"\nproperty p = fifo(event(send), event(receive), m)\nforeach a, b in values(m) {\n  property once = ltl over events G (event(receive, m == $a) -> WX G !event(receive, m == $a))\n}\n";
    place.write("p.props", spec.as_bytes());
    let check = ["check", "one.jsonl", "two.jsonl", "--spec", "p.props"];
    let json = place.run(&[&check[..], &["--json"]].concat());
    let instances = json.json()["results"]
        .as_array()
        .expect("results")
        .iter()
        .map(|r| r["instances"].to_string())
        .collect::<Vec<_>>();
    insta::assert_snapshot!(format!("{}\n{}", place.run(&check).shown(), instances.join("\n")));
}
