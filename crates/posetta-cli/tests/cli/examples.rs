//! Every example through the built program: the verdict of each property, and what the README says it prints.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A run, its properties, and for each property the verdict, how many runs satisfy it, and what the observed order did.
type Row = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

const EXAMPLES: [Row; 13] = [
    (
        "two-phase-commit/run.jsonl",
        "two-phase-commit/two-phase-commit.props",
        &[
            ("no_early_commit", "violated some holds"),
            ("apply_after_decision", "holds all holds"),
            ("prepared_first", "holds all holds"),
            ("both_commit", "holds all holds"),
            ("could_be_ready", "holds - -"),
            ("decided_before_committed", "holds - -"),
        ],
    ),
    (
        "two-phase-commit/fixed.jsonl",
        "two-phase-commit/two-phase-commit.props",
        &[
            ("no_early_commit", "holds all holds"),
            ("apply_after_decision", "holds all holds"),
            ("prepared_first", "holds all holds"),
            ("both_commit", "holds all holds"),
            ("could_be_ready", "holds - -"),
            ("decided_before_committed", "holds - -"),
        ],
    ),
    (
        "orders/run.jsonl",
        "orders/orders.props",
        &[
            ("answered", "holds - -"),
            ("charged_first", "violated some holds"),
            ("stock_falls", "holds all holds"),
            ("eight_unpaid", "holds some violated"),
            ("overtaken", "violated none violated"),
            ("at_work", "holds - -"),
        ],
    ),
    (
        "mutex/race.trace",
        "mutex/mutex.props",
        &[
            ("mutex", "violated some -"),
            ("mutex_in_every_cut", "violated - -"),
            ("mutex_monitor", "violated some -"),
            ("a_leaves", "holds all -"),
            ("b_leaves", "holds all -"),
            ("a_first", "violated some -"),
        ],
    ),
    (
        "mutex/handover.trace",
        "mutex/mutex.props",
        &[
            ("mutex", "holds all -"),
            ("mutex_in_every_cut", "holds - -"),
            ("mutex_monitor", "holds all -"),
            ("a_leaves", "holds all -"),
            ("b_leaves", "holds all -"),
            ("a_first", "holds all -"),
        ],
    ),
    (
        "valve/race.trace",
        "valve/valve.props",
        &[
            ("shut_when_looked_at", "violated some -"),
            ("shut_in_the_end", "holds all -"),
            ("untouched", "violated some -"),
            ("untouched_ltl", "violated some -"),
        ],
    ),
    (
        "valve/signed-off.trace",
        "valve/valve.props",
        &[
            ("shut_when_looked_at", "holds all -"),
            ("shut_in_the_end", "holds all -"),
            ("untouched", "holds all -"),
            ("untouched_ltl", "holds all -"),
        ],
    ),
    (
        "thermostat/night.jsonl",
        "thermostat/thermostat.props",
        &[
            ("on_when_cold", "holds all holds"),
            ("off_when_warm", "holds all holds"),
            ("no_overheating", "holds all holds"),
            ("warms_up", "holds all holds"),
            ("window_shut", "violated none violated"),
        ],
    ),
    (
        "chat/run.jsonl",
        "chat/chat.props",
        &[
            ("question_first", "holds all holds"),
            ("answered", "holds all holds"),
            ("by_bob", "holds all holds"),
            ("no_orphan", "violated some holds"),
            ("carol_sees_both", "holds all holds"),
            ("could_wait", "holds - -"),
        ],
    ),
    (
        "chat/fixed.jsonl",
        "chat/chat.props",
        &[
            ("question_first", "holds all holds"),
            ("answered", "holds all holds"),
            ("by_bob", "holds all holds"),
            ("no_orphan", "holds all holds"),
            ("carol_sees_both", "holds all holds"),
            ("could_wait", "holds - -"),
        ],
    ),
    (
        "cache/cache.log",
        "cache/cache.props",
        &[
            ("load_first", "holds all holds"),
            ("invalidated", "holds all holds"),
            ("no_late_fill", "violated some holds"),
            ("same_version", "holds all holds"),
            ("load_first", "holds all holds"),
            ("invalidated", "holds all holds"),
            ("no_late_fill", "holds all holds"),
            ("same_version", "holds all holds"),
        ],
    ),
    ("register/overlap.edn", "register/register.props", &[("linearizable", "holds some violated")]),
    ("register/stale.edn", "register/register.props", &[("linearizable", "violated none violated")]),
];

/// A model and the verdict of each of its properties.
type Model = (&'static str, &'static [(&'static str, &'static str)]);

const MODELS: [Model; 10] = [
    (
        "peterson.smv",
        &[
            ("never_both", "holds"),
            ("left_enters", "holds"),
            ("right_enters", "holds"),
            ("fair", "holds"),
            ("open_to_both", "holds"),
            ("no deadlock", "holds"),
        ],
    ),
    (
        "peterson-faulty.smv",
        &[("never_both", "violated"), ("left_enters", "holds"), ("right_enters", "holds"), ("no deadlock", "holds")],
    ),
    (
        "abp.smv",
        &[
            ("in_order", "holds"),
            ("once", "holds"),
            ("delivered", "holds"),
            ("lossy", "holds"),
            ("no deadlock", "holds"),
        ],
    ),
    (
        "abp-faulty.smv",
        &[("in_order", "holds"), ("once", "violated"), ("delivered", "violated"), ("no deadlock", "holds")],
    ),
    (
        "philosophers.smv",
        &[
            ("forks", "holds"),
            ("somebody", "holds"),
            ("everybody", "holds"),
            ("two", "holds"),
            ("no deadlock", "holds"),
        ],
    ),
    (
        "philosophers-faulty.smv",
        &[("forks", "holds"), ("somebody", "holds"), ("not_all_wait", "violated"), ("no deadlock", "violated")],
    ),
    (
        "arbiter.smv",
        &[
            ("one_at_a_time", "holds"),
            ("only_asked", "holds"),
            ("prompt_a", "holds"),
            ("prompt_b", "holds"),
            ("turns", "holds"),
            ("held", "holds"),
            ("no deadlock", "holds"),
        ],
    ),
    (
        "arbiter-faulty.smv",
        &[
            ("one_at_a_time", "holds"),
            ("only_asked", "holds"),
            ("prompt_a", "holds"),
            ("prompt_b", "violated"),
            ("turns", "violated"),
            ("held", "holds"),
            ("no deadlock", "holds"),
        ],
    ),
    (
        "bus.smv",
        &[
            ("carried", "holds"),
            ("answered", "holds"),
            ("ends", "holds"),
            ("goes_on", "holds"),
            ("stoppable", "holds"),
            ("tidy", "holds"),
            ("no deadlock", "holds"),
        ],
    ),
    (
        "bus-faulty.smv",
        &[
            ("carried", "violated"),
            ("answered", "holds"),
            ("ends", "holds"),
            ("goes_on", "holds"),
            ("stoppable", "holds"),
            ("tidy", "violated"),
            ("no deadlock", "holds"),
        ],
    ),
];

/// A run, the system that it is held against, whether some order of it follows that, and what the observed order does.
const DESIGNS: [(&str, &str, &str); 2] = [
    ("two-phase-commit/fixed.jsonl", "two-phase-commit/two-phase-commit.sys", "holds holds"),
    ("two-phase-commit/run.jsonl", "two-phase-commit/two-phase-commit.sys", "violated violated"),
];

/// A system, the file of its properties, and the verdict of each of them; deadlock and livelock last.
type Components = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

const SYSTEMS: [Components; 6] = [
    (
        "philosophers.sys",
        "philosophers.props",
        &[
            ("apart", "holds"),
            ("first_hungry", "holds"),
            ("not_starved", "violated"),
            ("can_eat", "holds"),
            ("all_hungry", "holds"),
            ("no deadlock", "holds"),
            ("no livelock", "holds"),
        ],
    ),
    (
        "philosophers-deadlock.sys",
        "philosophers.props",
        &[
            ("apart", "holds"),
            ("first_hungry", "holds"),
            ("not_starved", "violated"),
            ("can_eat", "violated"),
            ("all_hungry", "holds"),
            ("no deadlock", "violated"),
            ("no livelock", "holds"),
        ],
    ),
    (
        "buffer.sys",
        "buffer.props",
        &[
            ("delivered", "holds"),
            ("put_first", "holds"),
            ("room", "holds"),
            ("full", "holds"),
            ("no deadlock", "holds"),
            ("no livelock", "holds"),
        ],
    ),
    (
        "handshake.sys",
        "handshake.props",
        &[
            ("answered", "violated"),
            ("answered_or_lost", "holds"),
            ("stops_never", "holds"),
            ("no deadlock", "holds"),
            ("no livelock", "violated"),
        ],
    ),
    ("crossing.sys", "crossing.props", CROSSING),
    ("crossing.pnml", "crossing.props", CROSSING),
];

const CROSSING: &[(&str, &str)] = &[
    ("one_train", "holds"),
    ("all_there", "holds"),
    ("all_east", "holds"),
    ("leaves", "holds"),
    ("back", "holds"),
    ("emptied", "violated"),
    ("no deadlock", "holds"),
    ("no livelock", "holds"),
];

/// Formulas of M2L: the answer of each, the main one first.
const FORMULAS: [(&str, &str); 2] = [("addition.mona", "valid valid"), ("bus.mona", "valid valid neither")];

/// Two files, the systems of them that are compared, whether both ways, and the shortest trace that is lacking.
type Comparison = (&'static str, &'static str, [&'static str; 2], bool, Option<&'static str>);

const REFINEMENTS: [Comparison; 10] = [
    ("milner.sys", "milner.sys", ["P", "S"], false, None),
    ("milner.sys", "milner.sys", ["S", "P"], true, None),
    ("milner-faulty.sys", "milner.sys", ["Faulty", "S"], false, Some("a[1]")),
    ("milner.sys", "milner-faulty.sys", ["P", "Faulty"], false, None),
    ("milner.sys", "milner-asked.sys", ["P", "Asked"], true, None),
    ("milner.sys", "milner-asked.sys", ["S", "Asked"], true, None),
    ("milner-faulty.sys", "milner-asked.sys", ["Faulty", "Asked"], false, Some("a[1]")),
    ("queue.sys", "queue.sys", ["Cells", "Queue"], true, None),
    ("queue.sys", "queue.sys", ["TwoCells", "Queue"], false, None),
    ("queue.sys", "queue.sys", ["Queue", "TwoCells"], false, Some("put[0] put[0] put[0]")),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs the program at the root of the repository.
fn posetta(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_posetta"))
        .args(args)
        .current_dir(root())
        .env("NO_COLOR", "1")
        .env_remove("COLUMNS")
        .output()
        .expect("the program starts")
}

#[test]
fn every_property_of_every_example_has_its_verdict() {
    for (run, props, rows) in EXAMPLES {
        let (run, props) = (format!("examples/{run}"), format!("examples/{props}"));
        let output = posetta(&["check", &run, "--spec", &props, "--json"]);
        let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
        assert_eq!(report["errors"], Value::Array(Vec::new()), "{run}");
        let word = |value: &Value| value.as_str().unwrap_or("-").to_owned();
        let results = report["results"].as_array().expect("results");
        let said: Vec<(String, String)> = results
            .iter()
            .map(|r| {
                let said = [&r["verdict"], &r["runs"], &r["observed"]].map(word).join(" ");
                (word(&r["property"]), said)
            })
            .collect();
        let expected: Vec<(String, String)> = rows.iter().map(|(p, s)| ((*p).to_owned(), (*s).to_owned())).collect();
        assert_eq!(said, expected, "{run}");
        assert!(results.iter().all(|r| r["warnings"].as_array().is_some_and(Vec::is_empty)), "{run}");
        let violated = rows.iter().any(|(_, said)| said.starts_with("violated"));
        assert_eq!(output.status.code(), Some(i32::from(violated)), "{run}");
    }
}

/// A log with its mapping, and the properties of that and of published logs.
const MAPPED: [&str; 7] = [
    "maps/orders.ndjson",
    "maps/orders.props",
    "maps/ftrace.log",
    "maps/ftrace.props",
    "maps/etcd-raft.props",
    "maps/two-phase.props",
    "maps/ewd998.props",
];

/// Logs with their mappings: what the record does not show, and what is left out.
#[test]
fn logs_with_a_mapping_have_their_verdicts() {
    let maps = |name: &str, of: &str| format!("examples/maps/{name}.{of}");
    for (name, of, expected) in [
        ("orders", "ndjson", ["packed_after_order holds all holds", "mailed_before_packed violated some holds"]),
        ("ftrace", "log", ["freed_after_use violated some holds", "runs_when_queued holds all holds"]),
    ] {
        let (log, map, props) = (maps(name, of), maps(name, "toml"), maps(name, "props"));
        let output = posetta(&["check", &log, "--map", &map, "--spec", &props, "--json"]);
        let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
        let word = |value: &Value| value.as_str().unwrap_or("-").to_owned();
        let results = report["results"].as_array().expect("results");
        let said: Vec<String> = results
            .iter()
            .map(|r| [&r["property"], &r["verdict"], &r["runs"], &r["observed"]].map(word).join(" "))
            .collect();
        assert_eq!(said, expected, "{name}");
        assert_eq!(output.status.code(), Some(1));
    }
}

/// The mappings of published logs, where those are at hand.
#[test]
fn published_logs_have_their_verdicts() {
    for (kind, file, name, rows) in [
        ("etcd-raft", "example-first-400.ndjson", "etcd-raft", 7),
        ("twophase", "trace.ndjson.4RM.VEA", "two-phase", 2),
        ("ewd998", "EWD998ChanTrace.ndjson", "ewd998", 5),
    ] {
        let Some(folder) = posetta_peers::samples(kind) else { continue };
        let log = folder.join(file).display().to_string();
        let (map, props) = (format!("examples/maps/{name}.toml"), format!("examples/maps/{name}.props"));
        let output = posetta(&["check", &log, "--map", &map, "--spec", &props, "--json"]);
        let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
        let results = report["results"].as_array().expect("results");
        let verdicts: Vec<&str> = results.iter().map(|r| r["verdict"].as_str().unwrap_or("-")).collect();
        assert_eq!(verdicts, vec!["holds"; rows], "{name}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn every_property_of_every_model_has_its_verdict() {
    for (model, rows) in MODELS {
        let output = posetta(&["verify", &format!("examples/models/{model}"), "--deadlock", "--json"]);
        let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
        assert_eq!(report["errors"], Value::Array(Vec::new()), "{model}");
        let results = report["results"].as_array().expect("results");
        let word = |value: &Value| value.as_str().unwrap_or("-").to_owned();
        let said: Vec<(String, String)> = results.iter().map(|r| (word(&r["property"]), word(&r["verdict"]))).collect();
        let expected: Vec<(String, String)> = rows.iter().map(|(p, v)| ((*p).to_owned(), (*v).to_owned())).collect();
        assert_eq!(said, expected, "{model}");
        let stuck = rows.contains(&("no deadlock", "violated"));
        assert_eq!(report["warnings"].as_array().map(Vec::len), Some(usize::from(stuck)), "{model}");
        let violated = rows.iter().any(|(_, verdict)| *verdict == "violated");
        assert_eq!(output.status.code(), Some(i32::from(violated)), "{model}");
    }
}

#[test]
fn every_property_of_every_system_has_its_verdict_by_every_engine() {
    for (system, props, rows) in SYSTEMS {
        let (model, props) = (format!("examples/systems/{system}"), format!("examples/systems/{props}"));
        for engine in ["auto", "explicit", "sog", "modular"] {
            let args = ["verify", &model, "--spec", &props, "--deadlock", "--livelock", "--json", "--engine", engine];
            let output = posetta(&args);
            let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
            assert_eq!(report["errors"], Value::Array(Vec::new()), "{system} {engine}");
            assert_eq!(report["warnings"], Value::Array(Vec::new()), "{system} {engine}");
            let word = |value: &Value| value.as_str().unwrap_or("-").to_owned();
            let results = report["results"].as_array().expect("results");
            let said: Vec<(String, String)> =
                results.iter().map(|r| (word(&r["property"]), word(&r["verdict"]))).collect();
            let expected: Vec<(String, String)> =
                rows.iter().map(|(p, v)| ((*p).to_owned(), (*v).to_owned())).collect();
            assert_eq!(said, expected, "{system} {engine}");
            let violated = rows.iter().any(|(_, verdict)| *verdict == "violated");
            assert_eq!(output.status.code(), Some(i32::from(violated)), "{system} {engine}");
        }
    }
}

/// What the page about the systems shows is what is printed.
#[test]
fn every_formula_has_its_answer_by_every_engine() {
    for (file, expected) in FORMULAS {
        for engine in ["auto", "eager", "lazy", "written"] {
            let output = posetta(&["m2l", &format!("examples/m2l/{file}"), "--json", "--engine", engine]);
            let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
            assert_eq!(report["errors"], Value::Array(Vec::new()), "{file}");
            let others = report["formulas"].as_array().expect("a list").iter().map(|f| &f["answer"]);
            let said: Vec<&str> =
                std::iter::once(&report["answer"]).chain(others).map(|a| a.as_str().unwrap_or("-")).collect();
            assert_eq!(said.join(" "), expected, "{file} by {engine}");
            assert_eq!(output.status.code(), Some(i32::from(expected.contains("neither"))), "{file}");
        }
    }
}

/// What the page about formulas shows is what is printed.
#[test]
fn the_formulas_page_shows_what_the_program_prints() {
    let page = fs::read_to_string(root().join("examples/m2l/README.md")).expect("a page");
    let block = page.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a block");
    let output = posetta(&["m2l", "examples/m2l/bus.mona"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains(block), "{block}");
}

#[test]
fn the_systems_page_shows_what_the_program_prints() {
    let page = fs::read_to_string(root().join("examples/systems/README.md")).expect("a page");
    let block = page.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a block");
    let output = posetta(&["verify", "examples/systems/philosophers-deadlock.sys", "--deadlock"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains(block), "{block}");
}

#[test]
fn every_refinement_has_its_verdict_by_every_engine() {
    for (left, right, [implementation, specification], both, lacking) in REFINEMENTS {
        let about = format!("{implementation} of {left}, {specification} of {right}");
        let (left, right) = (format!("examples/refine/{left}"), format!("examples/refine/{right}"));
        for engine in ["auto", "explicit", "symbolic"] {
            let names = ["--impl", implementation, "--spec", specification, "--json", "--engine", engine];
            let both: &[&str] = if both { &["--equivalent"] } else { &[] };
            let output = posetta(&[&["refine", &left, &right], &names[..], both].concat());
            let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
            assert_eq!(report["errors"], Value::Array(Vec::new()), "{about} by {engine}");
            let trace: Option<Vec<&str>> =
                report["witness"].as_array().map(|all| all.iter().filter_map(Value::as_str).collect());
            let expected: Option<Vec<&str>> = lacking.map(|trace| trace.split(' ').collect());
            assert_eq!(trace.as_ref().map(Vec::len), expected.as_ref().map(Vec::len), "{about} by {engine}: {trace:?}");
            if engine == "auto" {
                assert_eq!(trace, expected, "{about}");
            }
            assert_eq!(output.status.code(), Some(i32::from(lacking.is_some())), "{about} by {engine}");
        }
    }
}

/// What the page about refinement shows is what is printed.
#[test]
fn the_refinement_page_shows_what_the_program_prints() {
    let page = fs::read_to_string(root().join("examples/refine/README.md")).expect("a page");
    let block = page.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a block");
    let files = ["examples/refine/milner-faulty.sys", "examples/refine/milner.sys"];
    let output = posetta(&[&["refine"], &files[..], &["--spec", "S"]].concat());
    assert!(String::from_utf8_lossy(&output.stdout).contains(block), "{block}");
}

/// Proofs by abstractions: the file, what is asked, and the verdict.
const PROOFS: [(&str, &str, &str); 11] = [
    ("memory/memory.sys", "--impl P1 --spec S1 --abstraction identity", "unknown"),
    ("memory/memory.sys", "--impl P1 --spec S1 --abstraction", "holds"),
    ("memory/memory.sys", "--part P1=S1 --part P2=S2", "unknown"),
    ("memory/memory.sys", "--impl P1 --spec S1 --constraint examples/memory/psi1.m2l", "holds"),
    ("memory/memory.sys", "--impl P2 --spec S2 --constraint examples/memory/psi2.m2l", "holds"),
    (
        "memory/memory.sys",
        "--impl P --spec S --part P1=S1 --part P2=S2 --constraint P1=examples/memory/psi1.m2l \
         --constraint P2=examples/memory/psi2.m2l",
        "holds",
    ),
    ("memory/memory.sys", "--impl P --spec S", "holds"),
    ("refine/milner-parts.sys", "--impl P --spec S --abstraction", "holds"),
    ("refine/milner-parts.sys", "--impl S --spec P --abstraction", "unknown"),
    ("refine/milner-parts.sys", "--part P0=S0 --part P1=S1 --part P2=S2", "unknown"),
    (
        "refine/milner-parts.sys",
        "--part P0=S0 --part P1=S1 --part P2=S2 --constraint examples/refine/milner.m2l --impl P --spec S",
        "holds",
    ),
];

/// Every proof has its verdict; its page names the command, and shows what it prints or nothing of it.
#[test]
fn every_proof_has_its_verdict() {
    let page = |file: &str| {
        let directory = file.split('/').next().expect("a directory");
        fs::read_to_string(root().join(format!("examples/{directory}/README.md"))).expect("a page")
    };
    let mut shown = 0;
    for (file, asked, verdict) in PROOFS {
        let words: Vec<&str> = asked.split_whitespace().collect();
        let path = format!("examples/{file}");
        let output = posetta(&[&["refine", &path], &words[..]].concat());
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{asked}");
        let printed = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(if verdict == "holds" { 0 } else { 3 }), "{asked}\n{printed}");
        let json = posetta(&[&["refine", &path, "--json"], &words[..]].concat());
        let report: Value = serde_json::from_slice(&json.stdout).expect("a report");
        assert_eq!(report["verdict"], verdict, "{asked}");
        shown += page(file)
            .split("```text\n")
            .skip(1)
            .filter_map(|b| b.split("```").next())
            .filter(|b| printed.contains(b))
            .count();
        let named = format!("posetta refine {path} {}", words.join(" "));
        assert!(page(file).contains(&named) || asked.contains("psi2.m2l"), "no page has `{named}`");
    }
    assert!(shown >= 4, "pages show what is printed, not {shown} blocks of it");
}

#[test]
fn every_run_follows_its_design_or_not() {
    for (run, design, expected) in DESIGNS {
        let (run, design) = (format!("examples/{run}"), format!("examples/{design}"));
        let output = posetta(&["check", &run, "--model", &design, "--json"]);
        let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
        assert_eq!(report["errors"], Value::Array(Vec::new()), "{run}");
        let result = &report["results"][0];
        let said = [&result["verdict"], &result["observed"]].map(|word| word.as_str().unwrap_or("-"));
        assert_eq!(said.join(" "), expected, "{run}");
        assert_eq!(result["warnings"], Value::Array(Vec::new()), "{run}");
        assert_eq!(output.status.code(), Some(i32::from(expected.starts_with("violated"))), "{run}");
    }
}

/// What the page about two-phase commit shows of its design is what is printed.
#[test]
fn the_commit_page_shows_what_the_program_prints() {
    let page = fs::read_to_string(root().join("examples/two-phase-commit/README.md")).expect("a page");
    let block = page.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a block");
    let output = posetta(&[
        "check",
        "examples/two-phase-commit/run.jsonl",
        "--model",
        "examples/two-phase-commit/two-phase-commit.sys",
    ]);
    assert!(String::from_utf8_lossy(&output.stdout).contains(block), "{block}");
}

/// What the page about the models shows is what is printed.
#[test]
fn the_models_page_shows_what_the_program_prints() {
    let page = fs::read_to_string(root().join("examples/models/README.md")).expect("a page");
    let block = page.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a block");
    let output = posetta(&["verify", "examples/models/peterson-faulty.smv"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains(block), "{block}");
}

#[test]
fn no_example_is_forgotten() {
    let mut files: BTreeMap<&str, Vec<String>> = BTreeMap::from([
        ("run", Vec::new()),
        ("props", Vec::new()),
        ("model", Vec::new()),
        ("system", Vec::new()),
        ("formula", Vec::new()),
    ]);
    for directory in fs::read_dir(root().join("examples")).expect("examples") {
        let directory = directory.expect("an entry").path();
        // What a paper has is tested where its numbers are.
        let names: Vec<String> = fs::read_dir(&directory)
            .expect("a directory of files")
            .map(|entry| entry.expect("an entry"))
            .filter(|entry| entry.path().is_file())
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        assert!(names.contains(&"README.md".to_owned()), "{}: no README", directory.display());
        let parent = directory.file_name().expect("a name").to_string_lossy().into_owned();
        for name in names {
            // Programs, a specification, spans, the library of properties, a notebook and designs, whose runs and properties other tests have.
            if ["telemetry", "otel-shop", "std", "python", "psl"].contains(&parent.as_str()) {
                continue;
            }
            let sort = match name.rsplit_once('.').map(|(_, extension)| extension) {
                Some("jsonl" | "ndjson" | "trace" | "log" | "edn") => "run",
                Some("props") => "props",
                Some("smv") => "model",
                Some("sys" | "pnml") => "system",
                Some("mona") => "formula",
                Some("m2l") => "constraint",
                // A program of its own, with its own tests, and mappings, which logs are read with.
                Some("md" | "toml") => continue,
                _ => panic!("{parent}/{name}: what is this?"),
            };
            files.entry(sort).or_default().push(format!("{parent}/{name}"));
        }
    }
    for (sort, found) in files {
        let mut known: Vec<String> = match sort {
            "run" => {
                let mapped = MAPPED.iter().filter(|name| !name.ends_with("props"));
                EXAMPLES.iter().map(|(run, ..)| run).chain(mapped).map(|run| (*run).to_owned()).collect()
            }
            "props" => {
                let own = EXAMPLES.iter().map(|(_, props, _)| (*props).to_owned());
                let mapped = MAPPED.iter().filter(|name| name.ends_with("props")).map(|name| (*name).to_owned());
                own.chain(mapped).chain(SYSTEMS.iter().map(|(_, props, _)| format!("systems/{props}"))).collect()
            }
            "system" => {
                let designs = DESIGNS.iter().map(|(_, design, _)| (*design).to_owned());
                let compared = REFINEMENTS.iter().flat_map(|(left, right, ..)| [left, right]);
                designs
                    .chain(SYSTEMS.iter().map(|(system, ..)| format!("systems/{system}")))
                    .chain(compared.map(|file| format!("refine/{file}")))
                    .chain(PROOFS.iter().map(|(file, ..)| (*file).to_owned()))
                    .collect()
            }
            "constraint" => {
                let named = PROOFS.iter().flat_map(|(_, asked, _)| asked.split_whitespace());
                let files = named.filter_map(|word| word.split('=').next_back()).filter(|word| word.ends_with(".m2l"));
                files.map(|file| file.trim_start_matches("examples/").to_owned()).collect()
            }
            "formula" => FORMULAS.iter().map(|(file, _)| format!("m2l/{file}")).collect(),
            _ => MODELS.iter().map(|(model, _)| format!("models/{model}")).collect(),
        };
        known.sort();
        known.dedup();
        let mut found = found;
        found.sort();
        assert_eq!(found, known);
    }
}

/// The block after a command in the README is what that command prints.
#[test]
fn the_readme_shows_what_the_program_prints() {
    let readme = fs::read_to_string(root().join("README.md")).expect("a README");
    let command = "cargo run --release -- ";
    let mut blocks = 0;
    for block in readme.split("```console\n").skip(1) {
        let block = block.split("```").next().unwrap_or_default();
        let Some((first, shown)) = block.split_once('\n') else { continue };
        let Some(args) = first.strip_prefix("$ ").and_then(|c| c.strip_prefix(command)) else { continue };
        if shown.trim().is_empty() {
            continue;
        }
        let output = posetta(&args.split_whitespace().collect::<Vec<_>>());
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim_end(), shown.trim_end(), "{args}");
        blocks += 1;
    }
    assert_eq!(blocks, 1, "the README shows one run");
}
