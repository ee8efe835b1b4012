//! `posetta refine` by trace abstractions: every sort of answer and of mistake.

use crate::program::{Place, Seen};

/// A buffer of one place behind a wire, and what it should be; a part that is too quick, and a sender and receiver that share what happens inside.
const WIRES: &str = "\
component Wire { internal go  lts { init s; s -put-> t -go-> u -get-> s } }
component Slow { internal go, on  lts { init s; s -put-> t -go-> u -on-> v -get-> s } }
component Twice { lts { init s; s -put-> t -put-> u -get-> t -get-> s } }
component Send { internal go  lts { init s; s -put-> t -go-> s } }
component Take { internal go  lts { init s; s -go-> t -get-> s } }
component QuickSend { internal x  lts { init s; s -put-> t -x-> s } }
component QuickTake { internal x  lts { init s; s -x-> t -get-> s } }
component LonelySend { internal y  lts { init s; s -put-> t -y-> s } }
component LonelyTake { internal z  lts { init s; s -z-> t -get-> s } }
component Seen { observable go  lts { init s; s -get-> s } }
system Both = Send || Take
system Quick = QuickSend || QuickTake
";

fn place() -> Place {
    Place::with(&[
        ("wires.sys", WIRES),
        ("go.m2l", "# where the one goes, the other does\nall1 p: p in `impl: x` <=> p in `spec: go`;\n"),
        ("wrong.m2l", "all1 p: p in `impl: y`\n  => p in `spec: gone`\n   | p in `go`;\n"),
        (
            "silent.sys",
            "component F { import \"silent.aut\" }\n\
             component G(k in 1..2) { internal F.i  lts { init s; s -a[k]-> t -F.i-> u -d[k]-> s } }\n\
             system A1 = F where { in -> a[1], out -> d[1] }\n\
             system A2 = F where { in -> a[2], out -> d[2] }\n\
             system B1 = G[1]\nsystem B2 = G[2]\n",
        ),
        (
            "grows.sys",
            "component Once { internal go  lts { init s; s -go-> t -get-> s } }\n\
             component Grows { internal x  net { x: -> p; get: 3 p -> } }\n",
        ),
        (
            "pipe.sys",
            "component Buf(k in 1..2) { lts { init s; s -m[k-1]-> t -m[k]-> s } }\n\
             component Lax(k in 1..2) { lts { init s; s -m[k-1]-> t -m[k]-> s; s -m[k]-> s } }\n\
             system A1 = Buf[1]\nsystem A2 = Buf[2]\nsystem B1 = Lax[1]\nsystem B2 = Lax[2]\n\
             system Pipe = Buf where { m[1] } internal\nsystem Open = Lax\nsystem Spec = Lax where { m[1] } internal\n",
        ),
        ("silent.aut", "des (0, 3, 3)\n(0, in, 1)\n(1, i, 2)\n(2, out, 0)\n"),
        ("broken.m2l", "all1 p: p in `impl: x` =>\n"),
        ("heavy.m2l", &heavy()),
    ])
}

/// A formula whose automaton is large: three positions before the end.
fn heavy() -> String {
    let far = (0..24).map(|n| format!("p{n}")).collect::<Vec<_>>();
    let chain: Vec<String> = far.windows(2).map(|w| format!("{} = {} + 1", w[1], w[0])).collect();
    format!("ex1 {}: {} & p0 in `impl: put` & {} = max($);\n", far.join(", "), chain.join(" & "), far[23])
}

fn seen(args: &[&str]) -> Seen {
    place().run(&[&["refine", "wires.sys"], args].concat())
}

macro_rules! golden {
    ($($name:ident: $args:expr;)*) => {$(
        #[test]
        fn $name() {
            insta::assert_snapshot!(seen(&$args).shown());
        }
    )*};
}

golden! {
    canonical: ["--impl", "Slow", "--spec", "Wire", "--abstraction"];
    coarse: ["--impl", "Wire", "--spec", "Slow", "--abstraction"];
    coarse_for_programs: ["--impl", "Wire", "--spec", "Slow", "--abstraction", "--json"];
    lacking: ["--impl", "Twice", "--spec", "Wire", "--abstraction"];
    different: ["--impl", "QuickSend", "--spec", "Send", "--abstraction", "identity"];
    identity: ["--impl", "Slow", "--spec", "Wire", "--abstraction", "identity"];
    narrow: ["--impl", "Slow", "--spec", "Wire", "--constraint", "all1 p: p in `spec: go` => p notin `impl: go` & p notin `impl: on`"];
    disagree: ["--part", "QuickSend=Send", "--part", "QuickTake=Take"];
    quiet: ["--part", "QuickSend=Send", "--part", "QuickTake=Take", "-q"];
    agree: ["--part", "QuickSend=Send", "--part", "QuickTake=Take", "--constraint", "go.m2l"];
    whole: ["--part", "QuickSend=Send", "--part", "QuickTake=Take", "--constraint", "go.m2l", "--impl", "Quick", "--spec", "Both", "--stats"];
    apart: ["--part", "QuickSend=LonelySend", "--part", "QuickTake=LonelyTake"];
    apart_and_lacking: ["--part", "Twice=Wire", "--part", "QuickTake=LonelyTake"];
    other_whole: ["--part", "QuickSend=Send", "--impl", "Quick", "--spec", "Both"];
    names_in_constraints: ["--part", "QuickSend=Send", "--part", "QuickTake=Take", "--constraint", "QuickTake=wrong.m2l"];
    names_for_programs: ["--part", "QuickSend=Send", "--part", "QuickTake=Take", "--constraint", "QuickTake=wrong.m2l", "--json"];
    broken_constraint: ["--impl", "Slow", "--spec", "Wire", "--constraint", "broken.m2l"];
    missing_constraint: ["--impl", "Slow", "--spec", "Wire", "--constraint", "nowhere.m2l"];
    two_constraints: ["--impl", "Slow", "--spec", "Wire", "--constraint", "go.m2l", "--constraint", "true"];
    one_part_that_lacks: ["--part", "Twice=Wire", "--constraint", "true"];
    other_part: ["--part", "QuickSend=Send", "--part", "QuickTake=Take", "--constraint", "Quicktake=go.m2l"];
    half_a_part: ["--part", "Slow="];
    no_part: ["--part", "Slow"];
    unknown_part: ["--part", "Slow=Wir"];
    not_comparable: ["--part", "Slow=Send"];
    not_composable: ["--part", "Slow=Wire", "--part", "Seen=Seen"];
}

/// The silent action of an import is its own in every composition of the language; parts know names only.
#[test]
fn silent_actions_of_imports() {
    let parts = ["--part", "A1=B1", "--part", "A2=B2", "--abstraction", "identity"];
    insta::assert_snapshot!(place().run(&[&["refine", "silent.sys"], &parts[..]].concat()).stderr);
}

/// The whole hides what its parts show: on both sides, or not.
#[test]
fn hidden_in_the_whole() {
    for spec in ["Spec", "Open"] {
        let args = ["--part", "A1=B1", "--part", "A2=B2", "--impl", "Pipe", "--spec", spec];
        insta::assert_snapshot!(place().run(&[&["refine", "pipe.sys"], &args[..]].concat()).shown());
    }
}

/// A specification without a bound, which has the trace, with more internal events.
#[test]
fn nets_without_a_bound() {
    let args = ["refine", "grows.sys", "--impl", "Once", "--spec", "Grows", "--abstraction"];
    insta::assert_snapshot!(place().run(&args).shown());
}

/// What programs read says the same.
#[test]
fn agreement_for_programs() {
    let json = seen(&["--part", "QuickSend=Send", "--part", "QuickTake=Take", "--json"]).json();
    assert_eq!((&json["verdict"], &json["rule"]), (&"unknown".into(), &"agreement".into()));
    assert_eq!(json["agreement"]["holds"], false);
    assert_eq!(json["agreement"]["images"].as_array().map(Vec::len), Some(2));
    assert_eq!(json["parts"][1]["proof"]["holds"], true);
}

/// A formula that is too large for the memory it may take leaves it open.
#[test]
fn limits_are_kept() {
    let answer = seen(&["--impl", "Slow", "--spec", "Wire", "--constraint", "heavy.m2l", "--memory", "60MB", "--json"]);
    assert_eq!(answer.status, 3, "{}", answer.shown());
    assert_eq!(answer.json()["verdict"], "unknown");
}
