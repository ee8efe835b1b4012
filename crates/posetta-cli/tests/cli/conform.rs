//! `posetta check --model`: every sort of answer and of mistake.

use std::time::{Duration, Instant};

use crate::program::{MUTEX, NEVER_BOTH, Place};
use insta::assert_snapshot;

/// Generous, because machines that run tests are busy; a missed limit would take hours.
const LATE: Duration = Duration::from_secs(30);

/// A buffer of one cell between two.
const LINE: &str = "\
component Buffer { lts { init empty; empty -put-> full -get-> empty } }
component Producer { lts { init idle; idle -P.make-> ready -put-> idle } }
component Consumer { lts { init idle; idle -get-> busy -C.use-> idle } }
system Line = Producer || Buffer || Consumer
";

/// Follows it in some order; one event stands for nothing.
const GOOD: &str = "P: make -> put -> make -> put\nC: hello -> get -> use -> get -> use\n";

/// The consumer waits until there have been two.
const BAD: &str = "P: make -> put -> make -> put\nC: hello -> get -> use -> get -> use\nP.4 -> C.2\n";

/// In the order of the lines it does not follow the model, in another one it does.
const LATE_LINE: &str = r#"{"process":"P","name":"make"}
{"process":"C","name":"get"}
{"process":"P","name":"put"}
{"process":"P","name":"make"}
"#;

/// Whoever is first keeps the others out.
const TURNS: &str = "\
component Gate(i in 0..4) { lts { init open; open -in[i]-> shut } }
component One { lts { init free; free -in[0], in[1], in[2], in[3], in[4]-> taken } }
system Door = Gate || One
";

const RUSH: &str = r#"{"process":"A","name":"in[0]"}
{"process":"B","name":"in[1]"}
{"process":"C","name":"in[2]"}
{"process":"D","name":"in[3]"}
{"process":"E","name":"in[4]"}
"#;

fn place() -> Place {
    Place::with(&[
        ("line.sys", LINE),
        ("good.trace", GOOD),
        ("bad.trace", BAD),
        ("late.jsonl", LATE_LINE),
        ("door.sys", TURNS),
        ("rush.jsonl", RUSH),
    ])
}

#[test]
fn answers_for_people() {
    let place = place();
    assert_snapshot!(
        "holds",
        place.run(&["check", "good.trace", "--model", "line.sys", "--witness", "always"]).shown()
    );
    assert_snapshot!("violated", place.run(&["check", "bad.trace", "--model", "line.sys"]).shown());
    assert_snapshot!("several_stops", place.run(&["check", "rush.jsonl", "--model", "door.sys"]).shown());
    let late = place.run(&["check", "late.jsonl", "good.trace", "--model", "line.sys", "--system", "Line"]);
    assert_snapshot!("another_order", late.shown());
    let never = place.run(&["check", "bad.trace", "--model", "line.sys", "--witness", "never"]);
    assert_eq!(never.status, 1);
    assert!(!never.stdout.contains("refused"), "{}", never.shown());
}

#[test]
fn answers_for_programs() {
    let place = place();
    let args = ["check", "good.trace", "bad.trace", "late.jsonl", "--model", "line.sys", "--json", "--witness"];
    assert_snapshot!("programs", place.run(&[&args[..], &["always"]].concat()).shown());
    let never = place.run(&[&args[..], &["never"]].concat()).json();
    assert!(never["results"].as_array().unwrap().iter().all(|r| r["frontiers"].is_null() && r["witness"].is_null()));
    let auto = place.run(&[&args[..], &["auto"]].concat()).json();
    assert!(auto["results"][0]["witness"].is_null() && auto["results"][1]["frontiers"].is_array());
    // As far as it goes the cut is the same, whoever was first.
    let all = place.run(&["check", "rush.jsonl", "--model", "door.sys", "--json"]).json();
    let frontiers = all["results"][0]["frontiers"].as_array().unwrap();
    assert_eq!(frontiers.len(), 5);
    assert!(frontiers.iter().all(|f| f["refused"].as_array().unwrap().iter().all(|r| r["by"][0] == "One")));
}

/// It is one more property beside the others.
#[test]
fn beside_properties() {
    let model = "component Lock { lts { init free; free -enter-> held -leave-> free } }";
    let place = Place::with(&[("lock.sys", model), ("run.trace", MUTEX)]);
    let seen = place.run(&["check", "run.trace", "--model", "lock.sys", "--ltl", NEVER_BOTH, "--witness", "never"]);
    assert_snapshot!("beside", seen.shown());
    let seen = place.run(&["check", "run.trace", "--model", "lock.sys", "--ltl", NEVER_BOTH, "--json"]);
    assert_eq!(seen.results("logic"), ["ltl", "model"]);
    assert_eq!(seen.results("verdict"), ["violated", "holds"]);
}

/// What is written in other formats, and what nets and groups refuse.
#[test]
fn other_models() {
    let net = r#"<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
<place id="p"><initialMarking><text>1</text></initialMarking></place><place id="q"/>
<transition id="go"/><transition id="stop"/>
<arc id="a" source="p" target="go"/><arc id="b" source="go" target="q"/><arc id="c" source="q" target="stop"/>
</page></net></pnml>"#;
    let group = "\
component A { internal together; lts { init x; x -together-> y; x -meet-> z } }
component B { internal together; lts { init x; x -together-> y; y -meet-> z } }
system Both = A || B
";
    let place = Place::with(&[
        ("net.pnml", net),
        ("lts.aut", "des (0, 2, 3)\n(0, go, 1)\n(1, stop, 2)\n"),
        ("group.sys", group),
        ("run.trace", "P: go -> stop\n"),
        ("again.trace", "P: go -> go\n"),
        ("meet.trace", "P: meet\n"),
    ]);
    for model in ["net.pnml", "lts.aut"] {
        assert_eq!(place.run(&["check", "run.trace", "--model", model, "--json"]).results("verdict"), ["holds"]);
    }
    assert_snapshot!("net", place.run(&["check", "again.trace", "--model", "net.pnml"]).shown());
    assert_snapshot!("lts", place.run(&["check", "again.trace", "--model", "lts.aut"]).shown());
    assert_snapshot!("nobody_alone", place.run(&["check", "meet.trace", "--model", "group.sys"]).shown());
    let piped = place.run_with(&["check", "run.trace", "--model", "-"], b"des (0, 2, 3)\n(0, go, 1)\n(1, stop, 2)\n");
    assert_eq!(piped.status, 0, "{}", piped.shown());
}

#[test]
fn no_event_stands_for_anything() {
    let place = place();
    place.write("other.trace", b"P: x=1 -> x=2\nQ: say -> say\n");
    assert_snapshot!("no_steps", place.run(&["check", "other.trace", "--model", "line.sys"]).shown());
}

/// Long ways are shown around their end.
#[test]
fn a_long_way() {
    let place = place();
    let chain = |round: &str, n: usize, last: &str| format!("{}{last}", round.repeat(n));
    let run = format!("P: {}\nC: {}\n", chain("make -> put -> ", 20, "make"), chain("get -> use -> ", 20, "use"));
    place.write("long.trace", run.as_bytes());
    let seen = place.run(&["check", "long.trace", "--model", "line.sys", "--stats"]);
    assert_snapshot!("long", without_time(&seen.shown()));
}

/// `0.012 s` as `… s`.
fn without_time(text: &str) -> String {
    let lines = text.lines().map(|line| match line.rsplit_once(", ") {
        Some((before, time)) if time.ends_with(" s") => format!("{before}, … s\n"),
        _ => format!("{line}\n"),
    });
    lines.collect()
}

#[test]
fn mistakes() {
    let place = place();
    place.write("broken.sys", b"component A { lts { init x; x -go- y } }\n");
    place.write("lts.aut", b"des (0, 1, 1)\n(0, go, 0)\n");
    place.write("grows.sys", b"component Grows { internal more; net { p = 1; more: p -> 2 p; put: p -> p } }\n");
    place.write("notes.txt", b"nothing\n");
    place.write("warns.sys", b"component A { observable never; lts { init x; x -put-> x } }\n");
    for (name, args) in [
        ("missing", &["good.trace", "--model", "none.sys"][..]),
        ("no_model", &["good.trace", "--model", "notes.txt"]),
        ("broken", &["good.trace", "--model", "broken.sys"]),
        ("unknown_system", &["good.trace", "--model", "line.sys", "--system", "Lane"]),
        ("no_choice", &["good.trace", "--model", "lts.aut", "--system", "x"]),
        ("system_alone", &["good.trace", "--ltl", "true", "--system", "Line"]),
        ("followed", &["--follow", "--model", "line.sys"]),
        ("twice_standard_input", &["-", "--model", "-"]),
        ("unbounded", &["good.trace", "bad.trace", "--model", "grows.sys"]),
        ("a_model_is_no_run", &["line.sys", "--ltl", "true"]),
    ] {
        let seen = place.run(&[&["check"], args].concat());
        assert_eq!(seen.status, 2, "{name}: {}", seen.shown());
        assert_snapshot!(format!("mistake_{name}"), seen.shown());
    }
    let warned = place.run(&["check", "good.trace", "bad.trace", "--model", "warns.sys"]);
    assert_snapshot!("warned", warned.shown());
}

/// The text between backquotes.
fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// The table of docs/semantics.md, row by row.
#[test]
fn the_table_of_the_semantics() {
    let page = include_str!("../../../../docs/semantics.md");
    let section = page.split("## A recorded run against a model").nth(1).and_then(|s| s.split("\n## ").next());
    let mut rows = 0;
    for row in section.expect("a section").lines().filter(|line| line.starts_with("| `")) {
        let [system, run, answer] = row.trim_matches('|').split(" | ").collect::<Vec<_>>()[..] else { panic!("{row}") };
        let internal = if system.contains("c internal") { "internal c;" } else { "" };
        let model = format!("component A {{ {internal} lts {{ init 0; {} }} }}", quoted(system)[0]);
        let mut lines = quoted(run).join("\n") + "\n";
        if run.contains("` before `") {
            lines.push_str("P.1 -> Q.1\n");
        }
        let place = Place::with(&[("model.sys", &model), ("run.trace", &lines)]);
        let seen = place.run(&["check", "run.trace", "--model", "model.sys", "--json"]);
        let (verdict, reason) = answer.trim().split_once(": ").unwrap_or((answer.trim(), ""));
        assert_eq!(seen.results("verdict"), [verdict], "{row}: {}", seen.shown());
        let frontiers = &seen.json()["results"][0]["frontiers"];
        if let Some((steps, _)) = reason.split_once(" step") {
            assert_eq!(frontiers[0]["taken"].as_array().map(Vec::len), steps.parse().ok(), "{row}");
        }
        if reason.contains("two frontiers") {
            assert_eq!(frontiers.as_array().map(Vec::len), Some(2), "{row}");
        }
        rows += 1;
    }
    assert_eq!(rows, 7);
}

/// Every order gets to its last event and no further, and there are more cuts than anybody can visit.
#[test]
fn a_limit_leaves_it_open() {
    let chain = |p: usize| format!("P{p}: {}stop\n", "go -> ".repeat(29));
    let run: String = (0..12).map(chain).collect();
    let model = "component A { observable stop; lts { init x; x -go-> x } }";
    let place = Place::with(&[("run.trace", &run), ("model.sys", model)]);
    for (limit, reached) in [(["--timeout", "1s"], "time"), (["--memory", "32MiB"], "memory")] {
        let started = Instant::now();
        let seen = place.run(&[&["check", "run.trace", "--model", "model.sys", "--json"][..], &limit].concat());
        assert!(started.elapsed() < LATE, "{limit:?}");
        assert_eq!((seen.status, seen.results("verdict")), (3, vec!["unknown".to_owned()]), "{}", seen.shown());
        assert_eq!(seen.json()["results"][0]["limit"]["reached"], reached, "{}", seen.shown());
    }
    let seen = place.run(&["check", "run.trace", "--model", "model.sys", "--timeout", "300ms"]);
    assert_snapshot!("unknown", seen.shown());
}
