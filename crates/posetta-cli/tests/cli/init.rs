//! `posetta init`: what it finds, what it proposes, and that it replaces nothing.

use std::path::Path;

use insta::assert_snapshot;

use crate::program::Place;

const SHOP: &str = r#"{"at":"2024-04-05T10:00:00.000Z","svc":"shop","msg":"accepted","order":{"id":17,"state":"new"}}
{"at":"2024-04-05T10:00:00.002Z","svc":"shop","msg":"published","key":17}
{"at":"2024-04-05T10:00:00.003Z","svc":"shop","msg":"mailed"}
{"at":"2024-04-05T10:00:00.009Z","svc":"store","msg":"consumed","key":17}
{"at":"2024-04-05T10:00:00.011Z","svc":"store","msg":"packed"}
{"at":"2024-04-05T10:00:01.002Z","svc":"shop","msg":"published","key":18}
{"at":"2024-04-05T10:00:01.009Z","svc":"store","msg":"consumed","key":18}
"#;

/// Two processes that never were in the critical section at once, by luck.
const LUCKY: &str = "{\"process\":\"A\",\"name\":\"enter\",\"set\":{\"c0\":1},\"time\":1}\n\
                     {\"process\":\"A\",\"name\":\"leave\",\"set\":{\"c0\":0},\"time\":2}\n\
                     {\"process\":\"B\",\"name\":\"enter\",\"set\":{\"c1\":1},\"time\":3}\n\
                     {\"process\":\"B\",\"name\":\"leave\",\"set\":{\"c1\":0},\"time\":4}\n";

/// The report, and the files that it wrote.
fn shown(place: &Place, args: &[&str], files: &[&str]) -> String {
    let mut out = place.run(args).shown();
    for file in files {
        out.push_str(&format!("--- {file}\n{}", place.read(file)));
    }
    out
}

#[test]
fn records_of_an_unknown_shape_get_a_mapping() {
    let place = Place::with(&[("logs/shop.ndjson", SHOP), ("README.md", "# Shop\n")]);
    assert_snapshot!(shown(&place, &["init"], &["map.toml", "checks.props"]));
    // The line that it prints works, and answers what the file says.
    let args = ["check", "logs/shop.ndjson", "--map", "map.toml", "--spec", "checks.props", "--json"];
    let answers = place.run(&args).results("verdict");
    let said = place.read("checks.props");
    let expected: Vec<&str> = said
        .lines()
        .filter_map(|line| line.strip_prefix("// Answer: "))
        .map(|answer| if answer.starts_with("holds") { "holds" } else { "violated" })
        .collect();
    assert!(!expected.is_empty() && answers == expected, "{answers:?} {expected:?}");
}

#[test]
fn the_logs_of_nodes_are_one_run() {
    let node = |name: &str| {
        let lines = SHOP.lines().filter(|line| line.contains(&format!("\"svc\":\"{name}\"")));
        lines.map(|line| format!("{line}\n")).collect::<String>()
    };
    let place = Place::with(&[("a.ndjson", &node("shop")), ("b.ndjson", &node("store"))]);
    let seen = place.run(&["init"]);
    assert!(
        seen.stdout.contains("posetta check '*.ndjson' --join --map map.toml --spec checks.props"),
        "{}",
        seen.shown()
    );
    assert!(place.read("map.toml").contains("\n[[message]]\n"), "{}", place.read("map.toml"));
    let seen = place.run(&["check", "*.ndjson", "--join", "--map", "map.toml", "--spec", "checks.props"]);
    assert!(seen.status < 2, "{}", seen.shown());
}

#[test]
fn variables_and_luck() {
    let place = Place::with(&[
        ("run.jsonl", LUCKY),
        ("design.sys", "component A { lts { init i; i -a-> i } }\n"),
        ("old.props", ""),
    ]);
    assert_snapshot!(shown(&place, &["init"], &["checks.props"]));
    let place = Place::with(&[("t.csv", "temp,mode\n19,off\n18,on\n21,on\n")]);
    assert_snapshot!(shown(&place, &["init", "t.csv", "--dry-run"], &[]));
    assert!(!place.exists("checks.props"));
}

#[test]
fn nothing_is_replaced_unless_somebody_says_so() {
    let place = Place::with(&[("run.jsonl", LUCKY), ("checks.props", "// mine\n")]);
    assert_snapshot!(place.run(&["init"]).shown());
    assert_eq!(place.read("checks.props"), "// mine\n");
    // A mapping that is in the way is seen before anything is written.
    let mapped = Place::with(&[("shop.ndjson", SHOP), ("map.toml", "# mine\n")]);
    assert_eq!(mapped.run(&["init"]).status, 2);
    assert!(!mapped.exists("checks.props") && mapped.read("map.toml") == "# mine\n");
    assert_eq!(place.run(&["init", "--force"]).status, 0);
    assert!(place.read("checks.props").contains("mutex(c0 == 1, c1 == 1)"));
    std::fs::create_dir(place.path().join("out")).expect("a directory");
    assert_eq!(place.run(&["init", "run.jsonl", "-o", "out"]).status, 0);
    assert!(place.exists("out/checks.props"));
    assert_snapshot!(place.run(&["init", "run.jsonl", "-o", "nowhere"]).shown());
    assert_snapshot!(place.run(&["init", "nothing.jsonl", "--dry-run"]).shown());
}

#[test]
fn where_there_is_no_run_it_says_how_to_get_one() {
    let place = Place::with(&[]);
    assert_snapshot!(place.run(&["init"]).shown());
    let place = Place::with(&[
        ("logs.json", "{\"resourceLogs\":[]}\n"),
        ("package.json", "{\n  \"name\": \"x\"\n}\n"),
        ("m.smv", "MODULE main\n"),
        ("notes.txt", "hello\n"),
        ("empty.jsonl", ""),
        ("node_modules/a/run.jsonl", LUCKY),
    ]);
    place.write("old.json.xz", b"\xfd7zXZ\0\0\0");
    assert_snapshot!(place.run(&["init"]).shown());
}

#[test]
fn other_kinds_and_broken_files_are_named() {
    let place = Place::with(&[
        ("a.jsonl", LUCKY),
        ("b.jsonl", LUCKY),
        ("t.csv", "x,y\n1,2\n3,4\n"),
        ("c.jsonl", "{\"process\":\n"),
    ]);
    assert_snapshot!(place.run(&["init"]).shown());
    // Alone, a broken file is a mistake.
    assert_snapshot!(place.run(&["init", "c.jsonl", "--dry-run"]).shown());
}

/// Names that would end a comment, a string or a line, in the run and in the names of files.
#[test]
fn names_cannot_break_out_of_the_files() {
    let odd = r#"\nproperty evil = ltl false\n\" \\ // \u202e\u0007 ]]"#;
    let mut run = LUCKY.replace("\"enter\"", &format!("\"{odd}\""));
    for name in ["c0", "c1"] {
        run = run.replace(&format!("\"{name}\""), &format!("\"{odd}{}\"", &name[1..]));
    }
    let place = Place::with(&[("it's a $(run).jsonl", &run)]);
    let seen = place.run(&["init"]);
    assert_eq!(seen.status, 0, "{}", seen.shown());
    let file = place.read("checks.props");
    assert!(file.contains("mutex(") && !file.contains(['\u{7}', '\u{202e}']), "{file}");
    assert!(!file.lines().any(|line| line.starts_with("property evil")), "{file}");
    // The command is one that a shell takes as it is meant.
    let line = seen.stdout.lines().find(|line| line.trim_start().starts_with("posetta check")).expect("a command");
    let command = line.trim().replace("posetta check", &format!("'{}' check", env!("CARGO_BIN_EXE_posetta")));
    let checked = std::process::Command::new("sh").args(["-c", &command]).current_dir(place.path()).output();
    assert_eq!(checked.expect("a shell").status.code(), Some(1), "{command}");
    let keys = "{\"no\\nde\":\"a\\n]\",\"node\":\"a\\nprocess = 1\",\"event\":\"x\\n\",\"ti'me\":1}\n".repeat(3);
    let place = Place::with(&[("log.ndjson", &keys)]);
    let seen = place.run(&["init"]);
    assert_eq!(seen.status, 0, "{}", seen.shown());
    assert_eq!(place.read("map.toml").lines().filter(|line| line.starts_with("process")).count(), 1);
    assert_eq!(place.run(&["check", "log.ndjson", "--map", "map.toml", "--ltl", "true"]).status, 0);
}

#[test]
fn a_limit_writes_nothing() {
    let place = Place::with(&[("run.jsonl", LUCKY)]);
    let seen = place.run(&["init", "--memory", "1B"]);
    assert_eq!(seen.status, 3, "{}", seen.shown());
    assert!(!place.exists("checks.props"));
}

/// All examples of the project: whatever is proposed parses, and answers what the file says.
#[test]
fn what_is_proposed_for_the_examples_is_true() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for (runs, flags) in
        [("two-phase-commit", ""), ("mutex", ""), ("chat", ""), ("thermostat", ""), ("register", ""), ("cache", "")]
    {
        let place = Place::with(&[]);
        let folder = examples.join(runs);
        let seen = place.run(&["init", folder.to_str().expect("a path")]);
        assert_eq!(seen.status, 0, "{runs}: {}", seen.shown());
        let line = seen.stdout.lines().find(|line| line.trim_start().starts_with("posetta check")).expect("a command");
        let command = format!(
            "{} {} --witness never {flags}",
            env!("CARGO_BIN_EXE_posetta"),
            line.trim().trim_start_matches("posetta ")
        );
        let checked = std::process::Command::new("sh")
            .args(["-c", &command])
            .current_dir(place.path())
            .output()
            .expect("a shell");
        assert!(
            matches!(checked.status.code(), Some(0 | 1)),
            "{runs}: {}{}",
            line,
            String::from_utf8_lossy(&checked.stderr)
        );
    }
}
