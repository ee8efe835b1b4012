//! `posetta verify`: every sort of answer, of counterexample and of mistake.

use std::time::{Duration, Instant};

use crate::program::{Place, Seen};

/// Generous, because machines that run tests are busy; a missed limit would take hours.
const LATE: Duration = Duration::from_secs(30);

/// A light that can be switched off for good, and that may flicker forever.
const LIGHT: &str = "\
-- every sort of property, and a step with an input
MODULE main
IVAR
  press : boolean;
VAR
  light : {dark, dim, bright, broken};
  presses : 0..2;
ASSIGN
  init(light) := dark;
  next(light) := case
    light = broken : broken;
    press & light = dark : dim;
    press & light = dim : {dim, bright};
    press : {dark, broken};
    TRUE : light;
  esac;
  init(presses) := 0;
  next(presses) := press & presses < 2 ? presses + 1 : presses;
TRANS light != broken
FINAL light = broken
LTLSPEC NAME reacts := G (press & light = dark -> X light = dim)
LTLSPEC NAME brightens := G (light = dim -> F light = bright) -- the user may lose interest
LTLSPEC G (light = bright -> WX light != broken)
CTLSPEC NAME can_be_bright := AG (light != broken -> EF light = bright)
CTLSPEC AG (light = bright -> AX light = dark)
CTLSPEC EG (light = dark & presses = 1)
PSLSPEC NAME bright_after_two := always {light = dark; light = dim; light = bright} |-> presses >= 2
INVARSPEC presses < 2
INVARSPEC NAME bounded := presses <= 2
";

/// Counts to three and stops, which nobody allowed.
const STOPS: &str = "\
MODULE main
VAR
  x : 0..3;
INIT x = 0
TRANS next(x) = x + 1
INVARSPEC x <= 3
";

/// Larger than anybody waits for, in many small steps.
const COUNTER: &str = "\
MODULE main
VAR n : 0..1099511627775;
ASSIGN init(n) := 0; next(n) := (n + 1) mod 1099511627776;
INVARSPEC NAME small := n < 5
INVARSPEC NAME large := n < 1099511627775
";

/// Larger than anybody waits for, in one step.
const PRODUCT: &str = "\
MODULE main
VAR a : 0..1048575; b : 0..1048575; c : 0..1048575;
INVAR a * b * c = 777777777777
LTLSPEC F a = 1
";

/// What is not about states.
const EVENTS: &str = "\
property e = ltl over events G on(light == \"dark\")
property f = ltl F event(press)
monitor m over states {
  initial dark
  bad dim
  dark -> dim: light == \"dim\"
}
";

/// What the program says; how much it took to find out is left out.
fn shown(model: &str, args: &[&str]) -> String {
    let mut text = seen(model, args).shown();
    for field in ["diagram_nodes", "relation_nodes", "rounds"] {
        let field = format!("\"{field}\":");
        let parts: Vec<&str> = text.split(&field).collect();
        let cut = |(i, p): (usize, &&str)| match i {
            0 => (*p).to_owned(),
            _ => p.trim_start_matches(|c: char| c.is_ascii_digit()).to_owned(),
        };
        text = parts.iter().enumerate().map(cut).collect::<Vec<_>>().join(&format!("{field}…"));
    }
    text
}

fn seen(model: &str, args: &[&str]) -> Seen {
    let place = Place::with(&[
        ("m.smv", model),
        ("run.trace", "A: x=1\n"),
        ("empty.smv", " -- nothing\n"),
        ("given.props", "property mine = ltl G (light != \"broken\")\nproperty bounded = ctl AG (presses <= 2)\n"),
        ("broken.props", "property a = ltl G (\n"),
        ("events.props", EVENTS),
    ]);
    place.write("latin.smv", b"MODULE main -- \xe9t\xe9\n");
    place.run(&[&["verify"], args].concat())
}

macro_rules! golden {
    ($($name:ident: $model:expr, $args:expr;)*) => {$(
        #[test]
        fn $name() {
            insta::assert_snapshot!(shown($model, &$args));
        }
    )*};
}

golden! {
    every_sort_for_people: LIGHT, ["m.smv"];
    every_sort_for_programs: LIGHT, ["m.smv", "--json", "--deadlock"];
    quiet: LIGHT, ["m.smv", "-q"];
    quiet_and_fine: LIGHT, ["m.smv", "--only-given", "--ctl", "EF (light == \"bright\")", "-q"];
    without_states: LIGHT, ["m.smv", "--witness", "never"];
    properties_from_outside: LIGHT, ["m.smv", "--ltl", "G (presses < 2)", "--psl", "always {light == \"bright\"} |=> {light == dim}", "--ctl", "EF (light == \"bright\")", "--only-given"];
    a_chosen_property: LIGHT, ["m.smv", "--property", "reacts", "--property", "m.smv:23", "--no-explore"];
    a_fair_cycle: "MODULE main
VAR
  b : boolean;
  n : 0..5;
ASSIGN
  next(n) := n;
JUSTICE b
COMPASSION (!b, n = 3)
LTLSPEC F G b
LTLSPEC F n = 3
", ["m.smv"];
    many_variables: "MODULE main
VAR
  cells : array 0..19 of boolean;
  at : 0..19;
ASSIGN
  init(at) := 0;
  next(at) := (at + 1) mod 20;
INVARSPEC !(at = 2 & cells[7] & !cells[11])
", ["m.smv"];
    a_long_path: "MODULE main
VAR n : 0..99;
ASSIGN init(n) := 0; next(n) := n < 99 ? n + 1 : 60;
INVARSPEC n < 50
LTLSPEC !G F n = 70
", ["m.smv"];
    instances_state_their_own: "MODULE main
VAR a : cell(TRUE); b : cell(FALSE);
MODULE cell(start)
VAR x : boolean;
ASSIGN init(x) := start; next(x) := x;
INVARSPEC x
INVARSPEC NAME set := x
", ["m.smv"];
    an_input_at_the_end: "MODULE main
IVAR ask : boolean;
VAR busy : boolean;
ASSIGN init(busy) := FALSE; next(busy) := ask;
FINAL TRUE
LTLSPEC G (ask -> X busy)
LTLSPEC G (ask -> WX busy)
", ["m.smv"];
    a_warning_of_two_instances: "MODULE main
VAR a : cell; b : cell;
MODULE cell
VAR n : 0..1;
LTLSPEC G n != 2
", ["m.smv"];
    nothing_given: LIGHT, ["m.smv", "--only-given"];
    no_property: "MODULE main VAR b : boolean; n : 0..9;", ["m.smv"];
    nothing_at_all: "MODULE main", ["m.smv"];
    a_deadlock: STOPS, ["m.smv"];
    a_deadlock_whole: STOPS, ["m.smv", "--witness", "always"];
    a_deadlock_asked_about: STOPS, ["m.smv", "--deadlock"];
    no_deadlock: LIGHT, ["m.smv", "--deadlock", "--only-given"];
    no_initial_state: "MODULE main
VAR x : 0..3;
INIT x > 3
LTLSPEC F x = 7
", ["m.smv"];
    a_large_range: "MODULE main
VAR n : 0..1099511627775;
ASSIGN init(n) := 0; next(n) := n < 9 ? n + 1 : n;
INVARSPEC n < 3
", ["m.smv"];

    mistake_unknown_name: "MODULE main
VAR count_ : 0..3;
ASSIGN next(count_) := cuont_ + 1;
", ["m.smv"];
    mistake_types: "MODULE main
VAR s : {a, b}; n : 0..3;
INIT s + 1 = n
LTLSPEC G n
", ["m.smv"];
    mistake_outside_the_type: "MODULE main
VAR n : 0..3;
ASSIGN init(n) := 0; next(n) := n + 1;
", ["m.smv", "--json"];
    mistake_not_smv: "{\"process\":\"A\"}\n", ["m.smv"];
    mistake_empty: "", ["empty.smv"];
    mistake_encoding: "", ["latin.smv"];
    mistake_no_file: "", ["missing.smv"];
    mistake_a_run: "", ["run.trace"];
    mistake_in_a_formula: LIGHT, ["m.smv", "--ltl", "G (light == "];
    mistake_in_a_file: LIGHT, ["m.smv", "--spec", "broken.props"];
    mistake_of_other_languages: "MODULE main\nVAR a : boolean; c : {ready, busy};\nASSIGN init(c) := ready && a;\nINIT not a\nDEFINE d := case a : 1;\nINVARSPEC G a\n", ["m.smv"];
    warning_of_a_circle: "MODULE main\nVAR a : boolean; b : boolean;\nASSIGN\n  a := !b;\n  b := !a;\nINVARSPEC a != b\n", ["m.smv"];
    mistake_unknown_in_a_formula: LIGHT, ["m.smv", "--ltl", "G (lihgt == 1)", "--ctl", "EF (press == 1)"];
    mistake_over_events: LIGHT, ["m.smv", "--spec", "events.props"];
    mistake_two_of_one_name: LIGHT, ["m.smv", "--spec", "given.props"];
    mistake_no_such_property: LIGHT, ["m.smv", "--property", "boundd"];
    mistake_no_model: "", [];
}

#[test]
fn a_model_may_come_on_standard_input() {
    let place = Place::with(&[]);
    let seen = place.run_with(&["verify", "-", "--json"], STOPS.as_bytes());
    assert_eq!((seen.status, seen.results("property")), (0, vec!["line 6".to_owned()]));
}

#[test]
fn numbers_of_states_are_exact() {
    let cells = "MODULE main VAR a : array 1..100 of boolean; b : 0..2;\n";
    let json = seen(cells, &["m.smv", "--json"]).json();
    // 3 * 2^100
    assert_eq!(json["model"]["states"], "3802951800684688204490109616128");
    assert_eq!((&json["model"]["bits"], &json["model"]["depth"]), (&102.into(), &0.into()));
    let people = seen(cells, &["m.smv"]).stdout;
    assert!(people.contains("about 3.802e30 reachable states"), "{people}");
}

#[test]
fn what_it_cost_is_told() {
    let people = seen(LIGHT, &["m.smv", "--stats"]).stdout;
    assert!(people.contains("diagram nodes for the steps, at most"), "{people}");
    assert_eq!(people.matches(" operations, ").count(), 9, "{people}");
}

/// Every counterexample is a path of the model: neighbours differ only as its one rule says.
#[test]
fn witnesses_of_programs_have_every_state() {
    let model = "MODULE main
VAR n : 0..60;
ASSIGN init(n) := 0; next(n) := n < 60 ? n + 1 : 50;
LTLSPEC F G n = 0
INVARSPEC n != 45
";
    let json = seen(model, &["m.smv", "--json"]).json();
    let numbers = |part: &serde_json::Value| -> Vec<u64> {
        part.as_array().expect("states").iter().map(|state| state["n"].as_u64().expect("a number")).collect()
    };
    let lasso = &json["results"][0]["witness"];
    let (prefix, cycle) = (numbers(&lasso["prefix"]), numbers(&lasso["cycle"]));
    let all: Vec<u64> = prefix.iter().chain(&cycle).copied().collect();
    let next = |n: u64| if n < 60 { n + 1 } else { 50 };
    assert_eq!(all[0], 0);
    assert!(all.windows(2).all(|w| next(w[0]) == w[1]), "{all:?}");
    assert_eq!(cycle.first().copied(), all.last().map(|&n| next(n)));
    let path = &json["results"][1]["witness"];
    assert_eq!(numbers(&path["prefix"]), (0..=45).collect::<Vec<_>>());
    assert_eq!(numbers(&path["cycle"]), Vec::<u64>::new());
}

#[test]
fn past_a_limit_the_answer_is_unknown() {
    for (model, property, limit) in [
        (COUNTER, "large", "0s"),
        (COUNTER, "large", "0.01s"),
        (PRODUCT, "m.smv:4", "0.01s"),
        (PRODUCT, "m.smv:4", "500ms"),
    ] {
        let started = Instant::now();
        let seen = seen(model, &["m.smv", "--property", property, "--timeout", limit, "--json"]);
        assert_eq!(seen.status, 3, "{}", seen.shown());
        let json = seen.json();
        assert_eq!(json["results"][0]["verdict"], "unknown");
        assert_eq!(json["results"][0]["limit"]["reached"], "time");
        assert_eq!(json["model"]["states"], serde_json::Value::Null);
        assert!(started.elapsed() < LATE);
    }
    let people = seen(COUNTER, &["m.smv", "--property", "large", "--timeout", "300ms"]);
    assert!(people.flat().contains("? large unknown: the time limit was reached while"), "{}", people.shown());
    assert!(people.flat().contains("(more time: --timeout)"), "{}", people.shown());
}

#[test]
fn what_was_decided_in_time_is_reported() {
    let seen = seen(COUNTER, &["m.smv", "--timeout", "2s", "--json"]);
    assert_eq!(seen.status, 1, "{}", seen.shown());
    assert_eq!(seen.results("verdict"), ["violated", "unknown"]);
    assert_eq!(seen.json()["results"][0]["witness"]["prefix"].as_array().map(Vec::len), Some(6));
}

#[test]
fn memory_is_a_limit_too() {
    let started = Instant::now();
    let seen = seen(PRODUCT, &["m.smv", "--memory", "60MB", "--json"]);
    assert_eq!(seen.status, 3, "{}", seen.shown());
    assert_eq!(seen.json()["results"][0]["limit"]["reached"], "memory", "{}", seen.shown());
    assert!(started.elapsed() < LATE);
}

#[test]
fn a_model_is_no_run() {
    let place = Place::with(&[("m.smv", STOPS)]);
    insta::assert_snapshot!(place.run(&["check", "m.smv", "--ltl", "G x"]).shown());
}

/// The table of models in docs/semantics.md, row by row.
#[test]
fn the_table_of_models_is_right() {
    let page = include_str!("../../../../docs/semantics.md");
    let section =
        page.split("## Component models").nth(1).and_then(|rest| rest.split("\n## ").next()).expect("a section");
    let mut rows = 0;
    for row in section.lines().filter_map(|line| line.strip_prefix("| `")) {
        let mut cells = row.split('`');
        let (model, property) = (cells.next().expect("a model"), cells.nth(1).expect("a property"));
        let verdict: &str =
            cells.next().and_then(|rest| rest.split(['|', ':', ' ']).find(|w| !w.is_empty())).expect("a verdict");
        let text = format!("MODULE main\n{model}\n{property}\n");
        let seen = seen(&text, &["m.smv", "--json"]);
        assert_eq!(seen.results("verdict"), [verdict], "{text}{}", seen.shown());
        rows += 1;
    }
    assert_eq!(rows, section.matches("\n| `").count());
    assert!(rows >= 19, "{rows}");
}
