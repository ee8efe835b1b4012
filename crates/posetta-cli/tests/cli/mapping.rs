//! Records of others with `--map`, and what other checkers write.

use crate::program::{Place, schema};

const LOG: &str = "{\"node\":\"n1\",\"ev\":\"send\",\"msg\":{\"k\":1},\"st\":{\"x\":1}}\n\
                   {\"node\":\"n2\",\"ev\":\"recv\",\"msg\":{\"k\":1},\"st\":{\"x\":2}}\n\
                   {\"note\":\"no event\"}\n";

const MAP: &str = "keep = \"node\"\nprocess = \"node\"\nname = \"ev\"\nset = { \"{process}.x\" = \"st.x\" }\n\n\
                   [[message]]\nsend = { when = { ev = \"send\" }, match = [\"msg\"] }\n\
                   recv = { when = { ev = \"recv\" }, match = [\"msg\"] }\ndeliver = \"id\"\n";

fn session(place: &Place, commands: &[&[&str]]) -> String {
    commands.iter().map(|args| format!("$ posetta {}\n{}\n", args.join(" "), place.run(args).shown())).collect()
}

#[test]
fn a_mapping_makes_events_of_records() {
    let place = Place::with(&[("log.ndjson", LOG), ("map.toml", MAP)]);
    let property = "G (n2.x == 2 -> n1.x == 1)";
    let shown = session(
        &place,
        &[
            &["check", "log.ndjson", "--map", "map.toml", "--ltl", property],
            &[
                "check",
                "log.ndjson",
                "--map",
                "process=node",
                "--map",
                "keep=node",
                "--map",
                "set.{process}.x=st.x",
                "--ltl",
                property,
            ],
            &["check", "log.ndjson", "--map", "map.toml", "--map", "message=[]", "--ltl", property],
            &["monitor", "log.ndjson", "--map", "map.toml", "--ltl", property],
            &["check", "log.ndjson", "--map", "map.toml", "--ltl", "true", "--deny", "ignored"],
            &["convert", "log.ndjson", "--map", "map.toml", "-o", "-", "--to", "jsonl"],
        ],
    );
    insta::assert_snapshot!("mapped", shown);
}

#[test]
fn lines_of_text_are_cut() {
    let place = Place::with(&[
        ("trace.txt", "# tracer: nop\n cpu0 open k=1\n cpu1 close k=2 n=7\n(lost 3 events)\n cpu0 shut k=2\n"),
        ("prose.txt", "It was a dark night.\nThe end.\n"),
        (
            "map.toml",
            "lines = '^ (?<cpu>\\w+) (?<what>\\w+) (?<rest>.*)$'\npairs = 'rest'\nprocess = 'cpu'\nname = 'what'\nset = { n = 'n' }\nattrs = ['k']\n",
        ),
        ("bad.toml", "lines = '(?<cpu>\\w+'\nprocess = 'cpu'\n"),
        ("nameless.toml", "lines = '\\w+ (.*)'\nprocess = 'cpu'\n"),
        ("pairs.toml", "lines = '(?<cpu>\\w+)'\npairs = 'rest'\nprocess = 'cpu'\n"),
    ]);
    let order = "G (event(shut) -> O event(close))";
    let told = session(
        &place,
        &[
            &["check", "trace.txt", "--map", "map.toml", "--ltl", order],
            &["convert", "trace.txt", "--map", "map.toml", "-o", "-", "--to", "jsonl"],
            &["check", "prose.txt", "--map", "map.toml", "--ltl", "true"],
            &["check", "trace.txt", "--map", "bad.toml", "--ltl", "true"],
            &["check", "trace.txt", "--map", "nameless.toml", "--ltl", "true"],
            &["check", "trace.txt", "--map", "pairs.toml", "--ltl", "true"],
            &["monitor", "trace.txt", "--map", "map.toml", "--ltl", "true"],
            &["check", "--follow", "trace.txt", "--map", "map.toml", "--ltl", "true"],
        ],
    );
    insta::assert_snapshot!("lines_of_text", told);
}

#[test]
fn mistakes_of_mappings_are_shown() {
    let place = Place::with(&[
        ("log.ndjson", LOG),
        ("typo.toml", "process = \"node\"\nnme = \"ev\"\n"),
        ("order.toml", "process = \"node\"\norder = \"clocks\"\n"),
        ("broken.toml", "process = \n"),
        ("near.toml", "process = \"nod\"\n"),
        ("ev.toml", "keep = \"ev\"\nprocess = \"node\"\nname = \"event\"\nset = { x = \"st.y\" }\n"),
        ("clock.toml", "process = \"node\"\nclock = \"vc\"\norder = \"clock\"\n"),
    ]);
    let check = |map: &'static str| ["check", "log.ndjson", "--ltl", "true", "--map", map];
    let mut shown = String::new();
    for map in
        ["typo.toml", "order.toml", "broken.toml", "near.toml", "ev.toml", "clock.toml", "proces=node", "absent.toml"]
    {
        shown += &session(&place, &[&check(map)]);
    }
    shown += &session(
        &place,
        &[
            &["check", "--follow", "log.ndjson", "--map", "process=node", "--map", "clock.toml", "--ltl", "true"],
            &["check", "--follow", "log.ndjson", "--map", "process=node", "--skew", "5ms", "--ltl", "true"],
            &["check", "--follow", "log.ndjson", "--map", "process=node", "--from", "csv", "--ltl", "true"],
            &["check", "--follow", "log.ndjson", "--map", "process=nod", "--ltl", "true"],
            &["monitor", "log.ndjson", "--map", "clock.toml", "--ltl", "true"],
            &["check", "log.ndjson", "--map", "process=node", "--from", "dot", "--ltl", "true"],
            &["check", "log.ndjson", "--ltl", "true"],
        ],
    );
    insta::assert_snapshot!("mistakes_of_mappings", shown);
}

const MESSAGES: &str = "process = 'p'\nname = 'e'\nset = { '{process}.n' = 'n' }\nattrs = ['k']\ninitial = { 'a.n' = 0, 'b.n' = 0 }\n[[message]]\n\
                        send = { when = { e = 'send' }, match = ['m'] }\nrecv = { when = { e = 'recv' }, match = ['m'] }\ndeliver = 'once'\n";

/// The second message is received before it is sent, by the lines; the third is never sent.
const TALK: &str = r#"{"p":"a","e":"send","m":1,"n":1,"k":"x"}
{"p":"b","e":"recv","m":1,"n":1,"k":"x"}
{"p":"b","e":"recv","m":2,"n":2,"k":"y"}
{"p":"a","e":"work","n":2,"k":"x"}
{"p":"a","e":"send","m":2,"n":3,"k":"y"}
{"p":"b","e":"work","n":3,"k":"y"}
{"p":"c","e":"recv","m":3,"k":"y"}
{"p":"c","e":"work","k":"x"}
"#;

const TALKED: &str = "\
property behind   = ltl G ($\"b.n\" <= $\"a.n\")
property apart    = ltl G ($\"a.n\" - $\"b.n\" < 2)
property received = ltl over events G (event(recv, k == \"y\") -> O event(send, k == \"y\"))
property keyed    = foreach k in values(k) { ltl over events G (event(recv) -> O event(send)) }
property works    = ctl EF ($\"b.n\" == 3)
property one      = some ltl over events F (event(work) && X event(work))
";

/// At the end of every part of the log, following it says what checking it says.
#[test]
fn a_mapped_run_is_followed_as_it_is_checked() {
    let place = Place::with(&[("map.toml", MESSAGES), ("talk.props", TALKED)]);
    let lines: Vec<&str> = TALK.lines().collect();
    for end in 1..=lines.len() {
        place.write("log.ndjson", format!("{}\n", lines[..end].join("\n")).as_bytes());
        let more = ["log.ndjson", "--map", "map.toml", "--spec", "talk.props", "--json"];
        let checked = place.run(&[&["check"], &more[..]].concat());
        let followed = place.run(&[&["check", "--follow"], &more[..]].concat());
        schema::check(&followed.stdout);
        let last = followed.stdout.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let last: Vec<_> = last.filter(|line| line["end"] == true).collect();
        let report = checked.json();
        let results = report["results"].as_array().unwrap();
        for (result, line) in results.iter().zip(&last) {
            assert_eq!(result["property"], line["property"], "{end}: {}", followed.shown());
            assert_eq!(
                result["verdict"] == "holds",
                line["satisfied"],
                "{end} {}: {}",
                result["property"],
                followed.shown()
            );
            // What is certain before the end needs no record that never came.
            assert!(line["verdict"] != "open" || result["incomplete"] == line["incomplete"], "{end}: {line} {result}");
        }
        assert_eq!((results.len(), checked.status), (last.len(), followed.status), "{end}: {}", followed.shown());
    }
}

#[test]
fn a_mapped_run_is_told_while_it_is_followed() {
    let place = Place::with(&[("map.toml", MESSAGES), ("log.ndjson", TALK), ("talk.props", TALKED)]);
    place.write(
        "again.ndjson",
        format!(
            "{}{}",
            &TALK[..TALK.find("{\"p\":\"a\",\"e\":\"work").unwrap()],
            "{\"p\":\"c\",\"e\":\"send\",\"m\":1}\n"
        )
        .as_bytes(),
    );
    let follow = |file: &'static str| ["check", "--follow", file, "--map", "map.toml", "--spec", "talk.props"];
    insta::assert_snapshot!(
        "mapped_runs_are_followed",
        session(&place, &[&follow("log.ndjson"), &[&follow("again.ndjson")[..], &["--property", "behind"]].concat()])
    );
    // A stream has attributes, too, and tells them apart by their values.
    let monitor = ["monitor", "log.ndjson", "--map", "map.toml", "--ltl", "F event(work, k == \"x\")"];
    assert!(place.run(&monitor).stdout.contains("holds"), "{}", place.run(&monitor).shown());
    let keyed = [&monitor[..4], &["--spec", "talk.props", "--property", "keyed"]].concat();
    assert_eq!(place.run(&keyed).status, 1, "{}", place.run(&keyed).shown());
}

#[test]
fn tables_arrays_and_parts_are_mapped() {
    let place = Place::with(&[
        ("log.csv", "node,x\nn1,1\nn2,2\n"),
        ("log.json", "[{\"node\":\"n1\",\"x\":1},\n {\"node\":\"n2\",\"x\":2}]\n"),
        ("a.ndjson", "{\"node\":\"n1\",\"x\":1}\n"),
        ("b.ndjson", "{\"node\":\"n2\",\"x\":2}\n"),
    ]);
    for files in [&["log.csv"][..], &["log.json"], &["--join", "a.ndjson", "b.ndjson"]] {
        let args = [&["info", "--json", "--map", "process=node", "--map", "set.{process}.x=x"], files].concat();
        let seen = place.run(&args);
        let run = &seen.json()["runs"][0];
        assert_eq!((&run["events"], &run["cuts"]), (&2.into(), &"4".into()), "{}", seen.shown());
    }
    let seen = place.run(&["info", "--join", "a.ndjson", "a.ndjson", "b.ndjson", "--map", "process=node"]);
    assert_eq!(seen.status, 0, "{}", seen.shown());
    place.write("c.ndjson", b"{\"node\":\"n1\"}\n");
    let seen = place.run(&["info", "--join", "a.ndjson", "c.ndjson", "--map", "process=node"]);
    assert!(seen.status == 2 && seen.flat().contains("has events in two files"), "{}", seen.shown());
}

#[test]
fn other_checkers_files_are_read() {
    let place = Place::with(&[
        (
            "river.itf.json",
            "{\"#meta\":{},\"vars\":[\"on\"],\n\"states\":[{\"on\":{\"#set\":[\"cat\"]}},{\"on\":{\"#set\":[]}}],\"loop\":1}\n",
        ),
        (
            "h.edn",
            "{:type :invoke, :f :write, :value 1, :process 0}\n{:type :invoke, :f :read, :value nil, :process 1}\n\
                   {:type :ok, :f :write, :value 1, :process 0}\n{:type :ok, :f :read, :value 1, :process 1}\n",
        ),
        (
            "h.json",
            "[{\"type\":\"invoke\",\"f\":\"write\",\"value\":1,\"process\":0},\n{\"type\":\"invoke\",\"f\":\"read\",\"value\":null,\"process\":1},\n\
                    {\"type\":\"ok\",\"f\":\"write\",\"value\":1,\"process\":0},\n{\"type\":\"ok\",\"f\":\"read\",\"value\":1,\"process\":1}]\n",
        ),
        ("t.csv", "# epsilon: 0.5\neid,processes,vc,timestamp,props\na,P,P:1,0,p\nb,Q,Q:1,2,q\n"),
        ("bad.edn", "{:type :invoke, :f :write, :process 0}\n{:type :ok, :f :read, :process 1}\n{:type\n"),
        ("bad.itf.json", "{\"vars\":[\"x\"],\"states\":[{\"x\":{\"#bigint\":\"x\"}}]}\n"),
        ("bad.csv", "eid,processes,vc\na,P,P:2\n"),
    ]);
    let shown = session(
        &place,
        &[
            &["check", "river.itf.json", "--ltl", "F $\"cat in on\" == 0"],
            &["check", "h.edn", "--ltl", "G (read == 1 -> register == 1)"],
            &["check", "h.json", "--ltl", "G (read == 1 -> register == 1)"],
            &["check", "t.csv", "--ltl", "G (q -> O p)"],
            &["check", "bad.edn", "--ltl", "true"],
            &["check", "bad.itf.json", "--ltl", "true"],
            &["check", "bad.csv", "--ltl", "true"],
            &["check", "--follow", "h.edn", "--ltl", "true"],
            &["monitor", "h.edn", "--ltl", "true"],
            &["convert", "h.edn", "-o", "x.edn"],
        ],
    );
    insta::assert_snapshot!("of_other_checkers", shown);
}
