//! Properties that ask for one order: answers for people and programs, and who refuses them.

use crate::program::{MUTEX, ORDERED, Place};

const PROPS: &str = "\
property both  = some ltl F (c0 == 1 && c1 == 1)
property never = some psl never (c0 == 1 && c1 == 1)
property all   = every ltl F c0 == 1
property first = some precedence(on(c1 == 1), on(c0 == 1))
property sets  = some m2l over events ex1 p: p in `on(c0 == 1)` & 0 notin `on(c0 == 1)`
some monitor alone over states { initial a; bad b; a -> b: c0 == 1 && c1 == 1 }
";

fn place() -> Place {
    Place::with(&[("mutex.trace", MUTEX), ("ordered.trace", ORDERED), ("p.props", PROPS)])
}

#[test]
fn answers_for_people_and_programs() {
    let place = place();
    let check = ["check", "mutex.trace", "ordered.trace", "--spec", "p.props"];
    insta::assert_snapshot!(place.run(&check).shown());
    let json = place.run(&[&check[..], &["--json"]].concat());
    let all = ["property", "quantifier", "verdict", "runs", "witness", "why"].map(|f| json.results(f).join(" | "));
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn on_the_command_line() {
    let place = place();
    let both = "F (c0 == 1 && c1 == 1)";
    insta::assert_snapshot!(place.run(&["check", "mutex.trace", "--some", "--ltl", both, "--trace"]).shown());
    let ordered = place.run(&["check", "ordered.trace", "--some", "--ltl", both]);
    insta::assert_snapshot!(ordered.shown());
    assert_eq!(place.run(&["check", "ordered.trace", "--some", "--ltl", both, "--verdict-only"]).status, 1);
}

#[test]
fn a_run_that_is_followed() {
    let place = place();
    let run = "{\"posetta\":1,\"processes\":[\"A\",\"B\"]}\n{\"process\":\"A\",\"set\":{\"a\":1}}\n{\"process\":\"B\",\"set\":{\"b\":1}}\n{\"process\":\"A\",\"set\":{\"a\":0}}\n";
    let follow = |formula: &str, more: &[&str]| {
        place.run_with(&[&["check", "--follow", "--some", "--ltl", formula], more].concat(), run.as_bytes()).shown()
    };
    let formulas = ["F (a == 0 && b == 1)", "F (b == 1 && F a == 1)", "G a == 0", "F a == 2", "G (b == 0 || a == 0)"];
    let told: Vec<String> = formulas.iter().map(|formula| format!("{formula}\n{}", follow(formula, &[]))).collect();
    insta::assert_snapshot!(told.join("\n"));
    insta::assert_snapshot!(follow(formulas[1], &["--json"]));
}

#[test]
fn mistakes() {
    let place = place();
    place.write(
        "ctl.props",
        b"property a = some ctl EF c0 == 1\nproperty b = every ctl AF c0 == 1\nproperty c = some c0 == 1\n",
    );
    let mut told = vec![place.run(&["check", "mutex.trace", "--spec", "ctl.props"]).shown()];
    told.push(place.run(&["check", "mutex.trace", "--some", "--ctl", "EF c0 == 1"]).shown());
    let stream = place.run_with(&["monitor", "--some", "--ltl", "F x == 1"], b"{\"x\":1}\n");
    told.push(stream.shown());
    place.write("m.smv", b"MODULE main\nVAR b : boolean;\n");
    place.write("m.props", b"property p = some ltl F b\n");
    told.push(place.run(&["verify", "m.smv", "--spec", "m.props"]).shown());
    place.write("m.aut", b"des (0, 1, 2)\n(0, \"a\", 1)\n");
    place.write("n.props", b"property p = some ltl F a\n");
    told.push(place.run(&["verify", "m.aut", "--spec", "n.props"]).shown());
    insta::assert_snapshot!(told.join("\n"));
}
