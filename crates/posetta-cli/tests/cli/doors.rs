//! The doors: what is not understood gets no verdict, what is ignored is told, and what files are together is said.

use std::fs;
use std::path::{Path, PathBuf};

use crate::program::{COMMIT, MUTEX, Place, Seen};

/// What others write, one of each, and the file it is in.
const FOREIGN: [(&str, &str, &str); 13] = [
    ("otlp.json", "no-events", "{\"resourceSpans\":[{\"resource\":{\"attributes\":[]},\"scopeSpans\":[]}]}\n"),
    ("otlp_pretty.json", "no-events", "{\n  \"resourceSpans\": [\n    {}\n  ]\n}\n"),
    ("logs.json", "format", "{\"resourceLogs\":[{}]}\n"),
    ("metrics.json", "format", "{\"resourceMetrics\":[{}]}\n"),
    ("tempo.json", "no-events", "{\"batches\":[{\"resource\":{},\"scopeSpans\":[]}]}\n"),
    ("jaeger.json", "no-events", "{\"data\":[{\"traceID\":\"1\",\"spans\":[]}]}\n"),
    ("other.edn", "format", "{:a 1}\n"),
    ("chrome.json", "format", "{\"traceEvents\":[{\"ph\":\"B\",\"ts\":1}]}\n"),
    ("array.json", "format", "[{\"x\":1},{\"x\":2}]\n"),
    ("document.jsonl", "format", "{\n  \"x\": 1\n}\n"),
    ("nodes.jsonl", "format", "{\"node\":\"n1\",\"x\":1}\n{\"node\":\"n2\",\"x\":2}\n"),
    ("nested.jsonl", "format", "{\"msg\":{\"x\":1.5},\"ok\":true}\n"),
    ("hosts.csv", "format", "host,x\na,1\nb,2\n"),
];

/// Whether a command that reads runs says no verdict, and why.
fn refuses(seen: &Seen, name: &str) {
    assert_eq!(seen.status, 2, "{name}: {}", seen.shown());
    assert!(seen.stderr.starts_with("error: "), "{name}: {}", seen.shown());
    for word in ["holds", "violated", "✓", "✗"] {
        assert!(!seen.stdout.contains(word), "{name}: {}", seen.shown());
    }
}

/// Every command that reads runs, on one file. `explain` only tells what would be done, and reads the run all the same.
fn every_command(place: &Place, file: &str) -> Vec<(&'static str, Seen)> {
    let run = |args: &[&str]| place.run(args);
    vec![
        ("check", run(&["check", file, "--ltl", "true"])),
        ("check --json", run(&["check", file, "--ltl", "true", "--json"])),
        ("check --follow", run(&["check", "--follow", file, "--ltl", "true"])),
        ("monitor", run(&["monitor", file, "--ltl", "true"])),
        ("monitor --json", run(&["monitor", file, "--ltl", "true", "--json"])),
        // With little memory the orders are not all counted, which would take up to ten seconds and is not what is asked here.
        ("info", run(&["info", file, "--memory", "40M"])),
        ("info --json", run(&["info", file, "--json", "--memory", "40M"])),
        ("convert", run(&["convert", file, "-o", "out.jsonl"])),
        ("replay", run(&["replay", file, "--witness", "order.json", "--ltl", "true"])),
        ("explain", run(&["explain", "--ltl", "true", "--run", file])),
    ]
}

#[test]
fn what_others_write_is_refused_by_its_own_name() {
    let place = Place::with(&[("order.json", "[]")]);
    let mut golden = String::new();
    for (name, kind, content) in FOREIGN {
        place.write(name, content.as_bytes());
        for (command, seen) in every_command(&place, name) {
            refuses(&seen, &format!("{command} {name}"));
            assert!(!place.exists("out.jsonl"), "{name} was converted");
        }
        let seen = place.run(&["check", name, "--ltl", "true", "--json"]);
        assert_eq!(seen.json()["errors"][0]["kind"], kind, "{name}");
        // Standard input has no name to go by.
        refuses(&place.run_with(&["check", "-", "--ltl", "true"], content.as_bytes()), name);
        golden += &place.run(&["check", name, "--ltl", "true"]).stderr;
    }
    for (name, magic) in
        [("run.gz", &b"\x1f\x8b\x08\0\0\0\0"[..]), ("run.zst", b"\x28\xb5\x2f\xfd\0"), ("run.zip", b"PK\x03\x04")]
    {
        place.write(name, magic);
        every_command(&place, name).iter().for_each(|(command, seen)| refuses(seen, &format!("{command} {name}")));
        golden += &place.run(&["check", name, "--ltl", "true"]).stderr;
    }
    insta::assert_snapshot!("foreign", golden);
}

/// One span of each format that is read.
const SPANS: [(&str, &str); 4] = [
    (
        "otlp.json",
        "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"traceId\":\"00000000000000000000000000000001\",\
         \"spanId\":\"0000000000000002\",\"name\":\"x\",\"startTimeUnixNano\":\"3\",\"endTimeUnixNano\":\"4\"}]}]}]}\n",
    ),
    (
        "tempo.json",
        "{\"batches\":[{\"resource\":{},\"scopeSpans\":[{\"spans\":[{\"traceId\":\"AAAAAAAAAAAAAAAAAAAAAQ==\",\
         \"spanId\":\"AAAAAAAAAAI=\",\"name\":\"x\",\"startTimeUnixNano\":\"3\",\"endTimeUnixNano\":\"4\"}]}]}]}\n",
    ),
    (
        "jaeger.json",
        "{\"data\":[{\"traceID\":\"1\",\"spans\":[{\"traceID\":\"1\",\"spanID\":\"2\",\"operationName\":\"x\",\
         \"startTime\":3,\"duration\":1}]}]}\n",
    ),
    ("zipkin.json", "[{\"traceId\":\"1\",\"id\":\"2\",\"name\":\"x\",\"timestamp\":3,\"duration\":1}]\n"),
];

#[test]
fn spans_are_read_by_what_they_say() {
    let place = Place::with(&[]);
    for (name, content) in SPANS {
        place.write(name, content.as_bytes());
        for args in [&["check", name][..], &["check", name, "--from", name.split('.').next().unwrap()]] {
            let args = [args, &["--ltl", "X (event(x) && X event(\"x end\"))"]].concat();
            if args.contains(&"tempo") {
                continue; // It is OTLP.
            }
            let seen = place.run(&args);
            assert_eq!(seen.status, 0, "{name}: {}", seen.shown());
        }
        for from in ["jsonl", "states", "csv"] {
            refuses(&place.run(&["check", name, "--ltl", "true", "--from", from]), &format!("{name} as {from}"));
        }
        for command in ["monitor", "check --follow"] {
            let args: Vec<&str> = command.split(' ').chain([name, "--ltl", "true"]).collect();
            refuses(&place.run(&args), &format!("{command} {name}"));
        }
    }
}

/// Saying that it is another format does not make it one.
#[test]
fn a_flag_does_not_make_it_another_format() {
    let place = Place::with(&[]);
    for (name, _, content) in
        FOREIGN.iter().filter(|(name, ..)| !matches!(*name, "nodes.jsonl" | "nested.jsonl" | "hosts.csv"))
    {
        place.write(name, content.as_bytes());
        for from in ["jsonl", "states", "csv"] {
            refuses(&place.run(&["check", name, "--ltl", "true", "--from", from]), &format!("{name} as {from}"));
        }
    }
}

/// The two ways out of a doubtful file of states.
#[test]
fn doubtful_states_are_states_if_somebody_says_so() {
    let place = Place::with(&[
        ("nodes.jsonl", "{\"node\":\"n1\",\"x\":1,\"tags\":[1]}\n{\"node\":\"n2\",\"x\":2,\"n\":null}\n"),
        ("hosts.csv", "host,x\na,1\nb,2\n"),
        ("only.jsonl", "{\"a\":{\"b\":[]}}\n"),
    ]);
    let mut session = String::new();
    for args in [
        &["check", "nodes.jsonl", "--from", "states", "--ltl", "F (x == 2)"][..],
        &["info", "nodes.jsonl", "--from", "states", "--json"],
        &["check", "hosts.csv", "--from", "csv", "--ltl", "F (x == 2)", "--deny", "warnings"],
        &["check", "only.jsonl", "--from", "states", "--ltl", "true"],
        &["monitor", "nodes.jsonl", "--from", "states", "--ltl", "F (x == 2)"],
        &["monitor", "nodes.jsonl", "--ltl", "F (x == 2)", "--key", "x"],
        &["check", "nodes.jsonl", "--from", "states", "--ltl", "F (x == 2)", "--deny", "ignored"],
    ] {
        session += &format!("$ posetta {}\n{}\n", args.join(" "), place.run(args).shown());
    }
    insta::assert_snapshot!("states_that_are_meant", session);
    // A field that tells streams apart is understood.
    place.write("keyed.jsonl", b"{\"node\":\"n1\",\"x\":1}\n{\"node\":\"n2\",\"x\":2}\n{\"node\":\"n1\",\"x\":2}\n");
    let seen = place.run(&["monitor", "keyed.jsonl", "--key", "node", "--ltl", "F (x == 2)"]);
    assert_eq!(seen.status, 0, "{}", seen.shown());
    let seen = place.run(&["monitor", "hosts.csv", "--key", "host", "--ltl", "F (x == 2)"]);
    assert_eq!(seen.status, 1, "{}", seen.shown());
}

/// Files that have names and colons, but are no runs.
#[test]
fn other_texts_are_not_runs() {
    let place = Place::with(&[("order.json", "[]")]);
    for (name, content) in [
        ("config.yaml", "name: demo\nversion: 1\n"),
        ("app.txt", "INFO: started\nWARN: retry n=1\n"),
        ("times.txt", "12:00 started\n12:01 stopped\n"),
        ("notes.md", "# Notes\n\nhello\n"),
        ("empty.jsonl", ""),
        ("blank.trace", "\n  \n"),
        ("mark.jsonl", "\u{feff}"),
        ("mark.trace", "\u{feff}\n  \r\n"),
        ("mark.csv", "\u{feff}\n"),
    ] {
        place.write(name, content.as_bytes());
        for (command, seen) in every_command(&place, name) {
            refuses(&seen, &format!("{command} {name}"));
            let empty = name.starts_with("mark") || name.starts_with("blank");
            assert!(!empty || seen.stderr.contains(" is empty\n"), "{command} {name}: {}", seen.shown());
        }
    }
}

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files_below(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// Those that have several runs.
const SEVERAL: [&str; 2] = ["jaeger/otel_traces_01.json", "jaeger-dsb/socialnetwork-20-traces.json"];

/// What is read of the samples, with facts about it that were computed elsewhere; everything else is refused by every command.
const READ: [(&str, usize); 27] = [
    ("otlp/trace.json", 2),
    ("jaeger/link_attributes_trace.json", 2),
    ("jaeger/otel_traces_01.json", 8),
    ("jaeger/otlp2jaeger-in.json", 2),
    ("jaeger/otlp2jaeger-out.json", 2),
    ("jaeger/ui_01.json", 12),
    ("jaeger-dsb/socialnetwork-20-traces.json", 66),
    ("zipkin/ascend.json", 16),
    ("zipkin/skew.json", 8),
    ("zipkin/yelp.json", 33),
    ("zipkin/messaging.json", 8),
    ("zipkin/messaging-kafka.json", 56),
    ("zipkin/smartthings-oauth-authorization.json", 340),
    ("itf/MissionariesAndCannibals.itf.json", 5),
    ("prove/01_single_process_workflow/trace.csv", 3),
    ("prove/02_two_concurrent_processes/trace.csv", 6),
    ("prove/07_epsilon_ordering/trace.csv", 5),
    ("prove/11_three_process_paper_example/trace.csv", 9),
    ("prove/17_once_conjunction_two_processes/trace.csv", 6),
    ("shiviz/RpcClientServer.log", 10),
    ("shiviz/chord.log", 1235),
    ("shiviz/facebook.log", 47),
    ("shiviz/simple-reliable-broadcast.log", 39),
    ("shiviz/simpledb.log", 509),
    ("vcd/GCD.vcd", 4),
    ("vcd/counter_tb.vcd", 26),
    ("vcd/up_counter.vcd", 115),
];

#[test]
fn every_sample_is_read_right_or_refused() {
    let Some(folder) = posetta_peers::samples("") else { return };
    let mut files = Vec::new();
    files_below(&folder, &mut files);
    let place = Place::with(&[("order.json", "[]")]);
    let (mut read, mut refused) = (0, 0);
    for path in files {
        let name = path.strip_prefix(&folder).expect("below it").display().to_string();
        let file = path.display().to_string();
        let known = READ.iter().find(|(known, _)| *known == name);
        for (command, seen) in every_command(&place, &file) {
            let about = format!("{command} {name}");
            match known {
                // A log with clocks is not a stream of records, nor is what other checkers write; and only JSON lines are followed.
                Some(_) if command == "check --follow" => refuses(&seen, &about),
                Some(_) if command.starts_with("monitor") && !name.ends_with(".vcd") => refuses(&seen, &about),
                // JSON lines are one run, and an order is that of one.
                Some(_) if SEVERAL.contains(&&*name) && ["convert", "replay", "explain"].contains(&command) => {}
                // The order that is given is none of this run.
                Some(_) if command == "replay" => assert!(seen.status == 2, "{about}: {}", seen.shown()),
                Some((_, events)) => {
                    assert_eq!(seen.status, 0, "{about}: {}", seen.shown());
                    if command == "info --json" {
                        assert_eq!(seen.json()["runs"][0]["events"], *events, "{about}");
                    }
                }
                None => refuses(&seen, &about),
            }
            place.remove("out.jsonl");
        }
        *if known.is_some() { &mut read } else { &mut refused } += 1;
    }
    assert_eq!(read, READ.len());
    assert!(refused > 20, "{refused}");
}

const NODE_1: &str = r#"{"process":"n1","id":"a","name":"elected","set":{"n1.role":"leader"}}
{"process":"n1","name":"step_down","set":{"n1.role":"follower"}}
"#;
const NODE_3: &str = r#"{"process":"n3","name":"elected","set":{"n3.role":"leader"}}
"#;
const ONE_LEADER: &str = "G !(n1.role == \"leader\" && n3.role == \"leader\")";

#[test]
fn files_are_joined_if_somebody_says_so() {
    let place = Place::with(&[
        ("e1.jsonl", NODE_1),
        ("e3.jsonl", NODE_3),
        ("e3-late.jsonl", "{\"process\":\"n3\",\"after\":[\"a\"]}\n"),
        ("states.jsonl", "{\"x\":1}\n{\"x\":2}\n"),
        ("n1.trace", "n1: x=1\n"),
        ("broken.jsonl", "{\"process\":\"n4\"}\n{\"process\":4}\n"),
        (
            "p.props",
            "property one = ltl G !(n1.role == \"leader\" && n3.role == \"leader\")\nproperty own = ltl F (n1.role == \"leader\")\n",
        ),
    ]);
    let mut session = String::new();
    for args in [
        // Neither file can violate it, and neither speaks of it.
        &["check", "e1.jsonl", "e3.jsonl", "--ltl", ONE_LEADER][..],
        &["check", "e1.jsonl", "e3.jsonl", "--spec", "p.props"],
        &["check", "e1.jsonl", "e3.jsonl", "--ltl", "G (process(n1) -> F process(n3))"],
        &["check", "e1.jsonl", "e3-late.jsonl", "--ltl", "true"],
        &["check", "e1.jsonl", "e3.jsonl", "--join", "--ltl", ONE_LEADER],
        &["info", "e1.jsonl", "e3-late.jsonl", "--join"],
        &["convert", "e1.jsonl", "e3-late.jsonl", "--join", "-o", "-", "--to", "text"],
        &["check", "e1.jsonl", "broken.jsonl", "--join", "--ltl", "true"],
        &["check", "e1.jsonl", "missing.jsonl", "--join", "--ltl", "true"],
        &["check", "e1.jsonl", "e1.jsonl", "e3.jsonl", "n1.trace", "--join", "--ltl", "true"],
        &["check", "e1.jsonl", "states.jsonl", "--join", "--ltl", "true"],
        &["check", "states.jsonl", "--join", "--ltl", "true"],
        &["convert", "e1.jsonl", "e3.jsonl", "-o", "-", "--to", "text"],
    ] {
        session += &format!("$ posetta {}\n{}\n", args.join(" "), place.run(args).shown());
    }
    insta::assert_snapshot!("join", session);
    // Events of different processes are apart as variables are, and a header that declares all variables changes nothing.
    place.write("x.jsonl", b"{\"process\":\"A\",\"name\":\"x\"}\n");
    place.write("y.jsonl", b"{\"process\":\"B\",\"name\":\"y\"}\n");
    let header = "{\"posetta\":1,\"initial\":{\"n1.role\":\"\",\"n3.role\":\"\"}}\n";
    place.write("i1.jsonl", format!("{header}{NODE_1}").as_bytes());
    place.write("i3.jsonl", format!("{header}{NODE_3}").as_bytes());
    for args in
        [["x.jsonl", "y.jsonl", "--ltl", "G !(event(x) && F event(y))"], ["i1.jsonl", "i3.jsonl", "--ltl", ONE_LEADER]]
    {
        let seen = place.run(&[&["check"], &args[..]].concat());
        assert!(seen.status == 2 && seen.stderr.contains("--join"), "{}", seen.shown());
        assert_eq!(place.run(&[&["check", "--join"], &args[..]].concat()).status, 1, "{args:?}");
    }
    // In runs of the same processes an event may well not come.
    place.write("z.jsonl", b"{\"process\":\"A\",\"name\":\"y\"}\n");
    let seen = place.run(&["check", "x.jsonl", "z.jsonl", "--ltl", "G !(event(x) && F event(y))"]);
    assert!(seen.status == 0 && seen.stderr.matches("warning").count() == 2, "{}", seen.shown());
    // A file counts once, standard input too, and directories are searched.
    let seen = place.run(&["convert", "x.jsonl", "x.jsonl", "--join", "-o", "-", "--to", "text"]);
    assert_eq!((seen.status, seen.stdout.as_str()), (0, "A: @x\n"), "{}", seen.shown());
    let seen = place
        .run_with(&["convert", "-", "-", "x.jsonl", "--join", "-o", "-", "--to", "text"], b"{\"process\":\"B\"}\n");
    assert_eq!((seen.status, seen.stdout.as_str()), (0, "B: @\"\"\nA: @x\n"), "{}", seen.shown());
    place.write("logs/a.jsonl", NODE_1.as_bytes());
    place.write("logs/b.jsonl.1", NODE_3.as_bytes());
    let seen = place.run(&["convert", "logs", "--join", "-o", "-", "--to", "text"]);
    assert!(seen.status == 0 && seen.stderr.contains("`logs/b.jsonl.1` is skipped"), "{}", seen.shown());
    let json = place.run(&["check", "e1.jsonl", "broken.jsonl", "--join", "--ltl", "true", "--json"]).json();
    assert_eq!((&json["errors"][0]["file"], &json["errors"][0]["line"]), (&"broken.jsonl".into(), &2.into()));
    // What one check finds, a replay of the same files confirms.
    let report = place.run(&["check", "e1.jsonl", "e3.jsonl", "--join", "--ltl", ONE_LEADER, "--json"]);
    place.write("report.json", report.stdout.as_bytes());
    let args = ["replay", "e1.jsonl", "e3.jsonl", "--join", "--witness", "report.json", "--ltl", ONE_LEADER];
    assert_eq!(place.run(&args).status, 1);
}

/// The logs of nodes joined by hand are the run that `--join` reads.
#[test]
fn joining_is_reading_one_after_the_other() {
    let lines: Vec<&str> = COMMIT.lines().collect();
    let of = |process: &str| {
        let own = |line: &&&str| line.contains(&format!("\"process\":\"{process}\"")) || line.contains("posetta");
        lines.iter().filter(own).map(|line| format!("{line}\n")).collect::<String>()
    };
    let place = Place::with(&[("all.jsonl", COMMIT)]);
    for process in ["A", "B", "C"] {
        place.write(&format!("nodes/{process}.jsonl"), of(process).as_bytes());
    }
    let facts = |args: &[&str]| {
        let run = place.run(args).json()["runs"][0].clone();
        ["processes", "events", "edges", "cuts", "linearisations", "observed"].map(|field| run[field].clone())
    };
    assert_eq!(facts(&["info", "nodes", "--join", "--json"]), facts(&["info", "all.jsonl", "--json"]));
}

#[test]
fn denied_warnings_are_mistakes() {
    let place = Place::with(&[
        ("m.trace", MUTEX),
        ("none.trace", "# nothing happened\nA:\n"),
        ("p.props", "event error\nproperty healthy = ltl G !event(error)\n"),
        ("dead.smv", "MODULE main\nVAR x : 0..1;\nINIT x = 0\nTRANS x = 0 & next(x) = 1\n"),
        ("s.jsonl", "{\"x\":1,\"y\":null}\n{\"x\":2}\n"),
        ("order.json", "[\"A.1\",\"A.2\",\"B.1\",\"B.2\"]"),
        ("nothing.json", "[]"),
        ("times.jsonl", "{\"process\":\"A\",\"time\":1}\n{\"process\":\"B\",\"time\":2}\n"),
        (
            "two.sys",
            "component A { lts { init s; s -a-> s } }\ncomponent B { lts { init s; s -b-> s } }\nsystem S = A\n",
        ),
    ]);
    // A warning, its kind, and whether it is one that only some commands have.
    for (kind, args) in [
        ("never-occurs", &["check", "m.trace", "--ltl", "G !event(error)"][..]),
        ("never-occurs", &["check", "m.trace", "--ltl", "G !event(error)", "--json"]),
        ("vacuous", &["check", "m.trace", "--ltl", "G (c0 == 7 -> c1 == 1)"]),
        ("no-events", &["check", "none.trace", "--ltl", "true"]),
        ("ignored", &["check", "s.jsonl", "--ltl", "G (x > 0)"]),
        ("ignored", &["info", "s.jsonl"]),
        ("ignored", &["monitor", "s.jsonl", "--ltl", "G (x > 0)"]),
        ("never-occurs", &["monitor", "s.jsonl", "--ltl", "G !event(error)", "--json"]),
        ("ignored", &["check", "--follow", "s.jsonl", "--ltl", "G (x > 0)"]),
        ("ignored", &["info", "s.jsonl", "--json"]),
        ("ignored", &["check", "--follow", "s.jsonl", "--ltl", "G (x > 0)", "--json"]),
        ("ignored", &["explain", "--ltl", "G (x > 0)", "--run", "s.jsonl"]),
        ("never-occurs", &["replay", "m.trace", "--witness", "order.json", "--ltl", "G !event(error)"]),
        ("never-occurs", &["replay", "m.trace", "--witness", "order.json", "--ltl", "G !event(error)", "--json"]),
        ("type", &["replay", "m.trace", "--witness", "order.json", "--ltl", "G (1 / c0 < 7 || true)"]),
        ("no-events", &["replay", "none.trace", "--witness", "nothing.json", "--ltl", "true"]),
        ("unsupported", &["convert", "times.jsonl", "-o", "out.trace"]),
        ("deadlock", &["verify", "dead.smv", "--ltl", "G (x <= 1)"]),
        ("deadlock", &["verify", "dead.smv", "--ltl", "G (x <= 1)", "--json"]),
    ] {
        let before = place.run(args);
        assert!(before.status < 2, "{args:?}: {}", before.shown());
        assert!(before.stderr.contains("warning: "), "{args:?}: {}", before.shown());
        place.remove("out.trace");
        for deny in ["warnings", kind, "pattern,warnings"] {
            let seen = place.run(&[args, &["--deny", deny]].concat());
            assert_eq!(seen.status, 2, "{args:?} --deny {deny}: {}", seen.shown());
            assert!(
                seen.stderr.contains(&format!("of the kind `{kind}`, which --deny makes an error")),
                "{}",
                seen.shown()
            );
            // Programs see which warning it was.
            assert_eq!(seen.stdout.contains("\"denied\":true"), args.contains(&"--json"), "{}", seen.shown());
        }
        assert!(!before.stdout.contains("denied"), "{}", before.shown());
        assert!(!place.exists("out.trace"), "what must not be lost is not written without it");
        let other = place.run(&[args, &["--deny", "missing-event"]].concat());
        assert_eq!(other.status, before.status, "{args:?}: {}", other.shown());
    }
    // What will be warned of on a run stands in the explanation.
    for (kind, run, property) in [
        ("never-occurs", "m.trace", "G !event(error)"),
        ("no-events", "none.trace", "true"),
        ("pattern", "m.trace", "exactly_once(c0 == 1)"),
    ] {
        for json in [&[][..], &["--json"]] {
            let args = [&["explain", "--ltl", property, "--run", run], json].concat();
            let before = place.run(&args);
            assert_eq!((before.status, before.stderr.as_str()), (0, ""), "{args:?}: {}", before.shown());
            let word = if json.is_empty() { "  warning: ".to_owned() } else { format!("\"kind\":\"{kind}\"") };
            assert!(before.stdout.contains(&word) && !before.stdout.contains("denied"), "{}", before.shown());
            let seen = place.run(&[&args[..], &["--deny", "warnings"]].concat());
            assert_eq!(seen.status, 2, "{args:?}: {}", seen.shown());
            assert!(seen.stderr.contains(&format!("of the kind `{kind}`, which --deny")), "{}", seen.shown());
            let word = if json.is_empty() { "  error: " } else { "\"denied\":true" };
            assert!(seen.stdout.contains(word), "{}", seen.shown());
            assert_eq!(place.run(&[&args[..], &["--deny", "missing-event"]].concat()).status, 0, "{args:?}");
        }
    }
    // A declared name may be absent.
    let seen = place.run(&["check", "m.trace", "--spec", "p.props", "--deny", "warnings"]);
    assert_eq!((seen.status, seen.stderr.as_str()), (0, ""), "{}", seen.shown());
    let mut session = String::new();
    for args in [
        &["check", "m.trace", "--ltl", "G (event(reqest) -> F event(leave))", "--deny", "warnings"][..],
        &["check", "m.trace", "--ltl", "true", "--deny", "nonsense"],
    ] {
        session += &format!("$ posetta {}\n{}\n", args.join(" "), place.run(args).shown());
    }
    insta::assert_snapshot!("deny", session);
}
