//! Records of others with `--map`, and what other checkers write.

use crate::program::Place;

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
            &["check", "--follow", "log.ndjson", "--map", "process=node", "--ltl", "true"],
            &["monitor", "log.ndjson", "--map", "clock.toml", "--ltl", "true"],
            &["check", "log.ndjson", "--map", "process=node", "--from", "dot", "--ltl", "true"],
            &["check", "log.ndjson", "--ltl", "true"],
        ],
    );
    insta::assert_snapshot!("mistakes_of_mappings", shown);
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
