//! CTL: proofs, counts, engines.

use crate::program::{Place, wide};

/// Three processes without messages.
const FREE: &str = "initial: a=0, b=0, c=0\nA: a=1 -> a=2 -> a=0\nB: b=1 -> b=0\nC: c=1\n";

#[test]
fn a_path_after_a_path_is_explained() {
    let place = Place::with(&[("free.trace", FREE)]);
    let formula = "AG (a == 1 -> EF (b == 1) && AF (c == 1 && b == 1))";
    insta::assert_snapshot!(place.run(&["check", "free.trace", "--ctl", formula]).shown());
    insta::assert_snapshot!(place.run(&["check", "free.trace", "--ctl", formula, "--json"]).shown());
}

#[test]
fn paths_side_by_side_are_explained() {
    let place = Place::with(&[("free.trace", FREE)]);
    let formula = "EF (a == 2 && EF (b == 1) && EF (c == 1 && b == 0))";
    insta::assert_snapshot!(place.run(&["check", "free.trace", "--ctl", formula, "--witness", "always"]).shown());
}

#[test]
fn what_takes_every_path_is_said() {
    let place = Place::with(&[("free.trace", FREE)]);
    let args = ["check", "free.trace", "--ctl", "EF (a == 1 && AF (c == 1))", "--ctl", "definitely (a == 2)"];
    insta::assert_snapshot!(place.run(&[&args[..], &["--witness", "always"]].concat()).shown());
}

#[test]
fn cuts_are_counted() {
    let place = Place::with(&[("free.trace", FREE), ("wide.trace", &wide())]);
    let small = ["check", "free.trace", "--ctl", "possibly (a == 2 && b == 1)", "--counts"];
    insta::assert_snapshot!(place.run(&small).shown());
    insta::assert_snapshot!(place.run(&[&small[..], &["--json"]].concat()).shown());
    // 30^12 cuts.
    let large = ["check", "wide.trace", "--ctl", "AG (x0 < 30 && EX true || x1 == 29)", "--counts"];
    insta::assert_snapshot!(place.run(&large).shown());
}

#[test]
fn every_engine_says_which_it_is() {
    let place = Place::with(&[("wide.trace", &wide())]);
    for (engine, formula, answered) in [
        ("auto", "AG (x0 < 30 || x1 == 3)", "intervals"),
        ("symbolic", "AF (x0 == 29)", "intervals"),
        ("symbolic", "A[x0 < 3 U x1 == 1]", "intervals"),
        ("symbolic", "EF A[x0 < 3 U x1 == 1]", "diagrams"),
        ("diagrams", "AG (x0 < 30 || x1 == 3)", "diagrams"),
        ("ist", "AG (x0 < 30 || x1 == 3)", "ist"),
    ] {
        let seen = place.run(&["check", "wide.trace", "--ctl", formula, "--engine", engine, "--json"]).json();
        assert_eq!(seen["results"][0]["stats"]["engine"], answered, "{engine}: {formula}");
    }
    let plan = place.run(&["explain", "--ctl", "AG (x0 < 30 || x1 == 3)", "wide.trace"]);
    assert!(plan.stdout.contains("intervals"), "{}", plan.shown());
}
