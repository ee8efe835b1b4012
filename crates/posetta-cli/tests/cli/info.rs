//! `posetta info`.

use crate::program::{COMMIT, MUTEX, Place, wide};

#[test]
fn facts_for_people() {
    let place = Place::with(&[("commit.jsonl", COMMIT), ("races.trace", "A: x=1 -> y=1\nB: x=2\n")]);
    insta::assert_snapshot!(place.run(&["info", "commit.jsonl", "races.trace"]).shown());
}

#[test]
fn facts_for_programs() {
    let place =
        Place::with(&[("mutex.trace", MUTEX), ("empty.trace", "# nothing happened\n"), ("bad.trace", "A: x=\n")]);
    insta::assert_snapshot!(place.run(&["info", "mutex.trace", "empty.trace", "bad.trace", "--json"]).shown());
}

#[test]
fn counts_are_exact() {
    let place = Place::with(&[("wide.trace", &wide()), ("chains.trace", "A: @a -> @b\nB: @c -> @d -> @e\n")]);
    let runs = place.run(&["info", "chains.trace", "wide.trace", "--json"]).json()["runs"].clone();
    assert_eq!((&runs[0]["cuts"], &runs[0]["linearisations"]), (&"12".into(), &"10".into()));
    assert_eq!(runs[1]["cuts"], 30u64.pow(12).to_string());
    assert_eq!(runs[1]["width"], 12);
}

#[test]
fn a_count_that_does_not_fit_is_null() {
    // All processes talk to all others, so that nothing can be counted apart.
    let mut run = wide();
    for p in 0..12 {
        for q in 0..12 {
            if p != q {
                run.push_str(&format!("P{p}.{} -> P{q}.{}\n", 1 + q, 15 + p));
            }
        }
    }
    let place = Place::with(&[("dense.trace", &run)]);
    let seen = place.run(&["info", "dense.trace", "--json", "--timeout", "1s"]);
    assert_eq!(seen.json()["runs"][0]["linearisations"], serde_json::Value::Null, "{}", seen.shown());
    assert_eq!(seen.json()["runs"][0]["events"], 12 * 29);
    assert_eq!(seen.status, 0);
    let seen = place.run(&["info", "dense.trace", "--timeout", "300ms"]);
    assert!(seen.stdout.contains("linearisations   not known: a limit was reached first\n"), "{}", seen.shown());
}

#[test]
fn numbers_are_grouped() {
    let chain: Vec<String> = (0..1200).map(|i| format!("x={i}")).collect();
    let place = Place::with(&[("long.trace", &format!("A: {}\nB: y=1\n", chain.join(" -> ")))]);
    let seen = place.run(&["info", "long.trace"]);
    for row in ["A (1,200 events)", "events           1,201\n", "cuts             2,402 (", "linearisations   1,201 ("]
    {
        assert!(seen.stdout.contains(row), "{row}: {}", seen.shown());
    }
}
