//! Every report says what sort it is, and is as docs/schema describes it.

use std::collections::BTreeSet;

use crate::program::{COMMIT, MUTEX, NEVER_BOTH, Place, hopeless, schema, wide};

const SWITCH: &str = "MODULE main\nVAR x : boolean;\nIVAR go : boolean;\nASSIGN init(x) := FALSE; next(x) := go;\nLTLSPEC G !x\nINVARSPEC TRUE\n";
const SENDER: &str = "component A { lts { init i; i -put-> i } }\ncomponent B { lts { init j; j -put-> k; k -get-> j } }\nsystem S = A || B\nsystem T = B\n";
const STREAM: &str = "{\"x\":1}\n{\"x\":2}\nnot a record\n{\"x\":3}\n";

/// One call of every command that prints JSON, at least, with answers of all sorts.
#[test]
fn every_command_prints_what_its_schema_describes() {
    let place = Place::with(&[
        ("mutex.trace", MUTEX),
        ("commit.jsonl", COMMIT),
        ("wide.trace", &wide()),
        ("switch.smv", SWITCH),
        ("s.sys", SENDER),
        ("s.trace", "A: put -> put\nB: get\n"),
        ("even.mona", "m2l-str;\nvar2 X; ex1 p: p in X;\n"),
        ("stream.jsonl", STREAM),
        ("monitor.props", "monitor m over events {\n  initial idle\n  bad gone\n  idle -> gone: on(c0 == 1)\n}\n"),
        ("states.jsonl", "{\"x\":0}\n{\"x\":1}\n{\"x\":2}\n"),
        ("order.json", "[\"A.1\",\"B.1\",\"A.2\",\"B.2\"]"),
    ]);
    let hopeless = hopeless();
    let calls: [&[&str]; 31] = [
        &["check", "mutex.trace", "--ltl", NEVER_BOTH, "--trace"],
        &["check", "mutex.trace", "commit.jsonl", "--ctl", "AG !(c0 == 1 && c1 == 1)", "--counts"],
        &["check", "mutex.trace", "--ctl", "EF (c0 == 1)", "--witness", "always", "--trace"],
        &["check", "commit.jsonl", "--psl", "always (committed == 1 -> b == 1)"],
        &["check", "s.trace", "--model", "s.sys", "--system", "S"],
        &["check", "s.trace", "--model", "s.sys", "--system", "S", "--witness", "always"],
        &["check", "wide.trace", "--ltl", &hopeless, "--timeout", "50ms"],
        &["check", "mutex.trace", "--ltl", "G (nobody == 1)"],
        &["check", "mutex.trace", "--ltl", "G ("],
        &["check", "--follow", "commit.jsonl", "--ltl", "G (committed == 1 -> b == 1)", "--ltl", "G (votes < 9)"],
        &["check", "--follow", "commit.jsonl", "--ltl", "G (committed == 1 ->"],
        &["monitor", "stream.jsonl", "--ltl", "G (x < 3)", "--ltl", "F event(never)"],
        &["verify", "switch.smv", "--deadlock", "--ctl", "EF x"],
        &["verify", "switch.smv", "--ltl", "G ("],
        &["verify", "s.sys", "--system", "S", "--deadlock", "--livelock", "--ltl", "G F put"],
        &["verify", "s.sys", "--system", "S"],
        &["refine", "s.sys", "--impl", "S", "--spec", "T"],
        &["refine", "s.sys", "--impl", "T", "--spec", "T", "--equivalent"],
        &["refine", "s.sys", "--impl", "S", "--spec", "T", "--abstraction", "canonical"],
        &["refine", "nothing.sys"],
        &["m2l", "even.mona"],
        &["m2l", "nothing.mona"],
        &["replay", "mutex.trace", "--witness", "order.json", "--ltl", NEVER_BOTH],
        &["replay", "mutex.trace", "--witness", "order.json", "--ltl", "G ("],
        &["info", "mutex.trace", "commit.jsonl"],
        &["explain", "--ltl", "G (x == 1 -> F (y == 1))"],
        &["explain", "--ctl", "AG (c0 == 1 -> AF (c1 == 1))", "--run", "mutex.trace"],
        &["explain", "--ltl", "G F (x == 1)", "--tester"],
        &["init", "--dry-run"],
        &["init", "stream.jsonl", "even.mona", "--output", "nowhere", "--dry-run"],
        &["init", "nothing.jsonl"],
    ];
    let mut sorts = BTreeSet::new();
    for call in calls {
        let args = [call, &["--json"]].concat();
        let seen = place.run(&args);
        assert!(!seen.stdout.is_empty(), "{args:?}: {}", seen.shown());
        schema::check(&seen.stdout);
        let sort = seen.stdout.split("\"schema\":\"").nth(1).and_then(|rest| rest.split('"').next());
        sorts.insert(sort.expect("a schema").to_owned());
    }
    // Pictures have a flag of their own for that.
    let pictures: [&[&str]; 9] = [
        &["mutex.trace", "--spec", "monitor.props"],
        &["mutex.trace"],
        &["mutex.trace", "--ltl", NEVER_BOTH, "--ctl", "AG !(c0 == 1 && c1 == 1)", "--ctl", "EF (c0 == 1)"],
        &["commit.jsonl", "--psl", "always (committed == 1 -> b == 1)", "--ltl", "F event(never)"],
        &["wide.trace", "--ltl", &hopeless, "--timeout", "1s"],
        &["states.jsonl", "--ltl", "G (x < 2)", "--ltl", "F (x == 9)"],
        &["s.trace", "--ltl", "G (event(put) -> X event(get))", "--over", "events"],
        &["switch.smv"],
        &["s.sys", "--system", "S", "--deadlock", "--ltl", "G F put"],
    ];
    for call in pictures {
        let seen = place.run(&[&["show", "--to", "json"], call].concat());
        assert!(!seen.stdout.is_empty(), "{call:?}: {}", seen.shown());
        schema::check(&seen.stdout);
        sorts.insert("posetta-show/1".to_owned());
    }
    let all = ["check", "explain", "follow", "info", "init", "m2l", "monitor", "refine", "replay", "show", "verify"];
    assert_eq!(sorts.into_iter().collect::<Vec<_>>(), all.map(|sort| format!("posetta-{sort}/1")));
}

#[test]
fn what_is_not_described_is_refused() {
    for wrong in [
        "{\"schema\":\"posetta-info/1\",\"runs\":[]}",
        "{\"schema\":\"posetta-info/1\",\"runs\":[],\"errors\":[],\"more\":1}",
        "{\"schema\":\"posetta-info/1\",\"runs\":[1],\"errors\":[]}",
        "{\"schema\":\"posetta-info/1\",\"runs\":{},\"errors\":[]}",
        "{\"runs\":[],\"errors\":[]}",
    ] {
        assert!(std::panic::catch_unwind(|| schema::check(wrong)).is_err(), "{wrong}");
    }
    schema::check("{\"schema\":\"posetta-info/1\",\"runs\":[],\"errors\":[]}");
}
