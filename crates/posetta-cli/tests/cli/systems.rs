//! `posetta verify` on systems of components and nets: every sort of answer, of run that shows it, and of mistake.

use std::time::{Duration, Instant};

use crate::program::{Place, Seen};

/// Generous, because machines that run tests are busy; a missed limit would take hours.
const LATE: Duration = Duration::from_secs(30);

/// A client that may ask forever without an answer, in a way that nobody sees.
const SHAKE: &str = "\
component Client { lts {
  init idle
  idle -ask-> asked
  asked -again-> asked
  asked -answer-> idle
} }
component Line { lts {
  init up
  up -ask, again-> busy
  busy -lose-> up
  busy -deliver-> waits -answer-> up
} }
system Open = Client || Line
system Shake = Client || Line where { again, lose, deliver } internal
";

/// Two that take two locks in different orders.
const LOCKS: &str = "\
component Lock(l in 0..1) { lts {
  init free
  for p in 0..1 { free -get[p][l]-> held[p] -put[p]-> free }
} }
component P(i in 0..1) { lts { init s; s -get[i][i]-> one -get[i][1-i]-> both -put[i]-> s } }
system Locks = P || Lock
";

/// Places with more than one token.
const NET: &str = "\
component N { net {
  p = 3
  split: p -> 2 q
  join: 2 q -> r
  stop: 3 r ->
} }
";

/// A net for formulas of the contest.
const PNML: &str = r#"<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
  <net id="crossing" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
    <place id="far"> <initialMarking><text>2</text></initialMarking> </place>
    <place id="near"/>
    <transition id="come"/>
    <arc id="a1" source="far" target="come"/>
    <arc id="a2" source="come" target="near"/>
  </page></net>
</pnml>
"#;

fn contest(name: &str, formula: &str) -> String {
    let property = format!("<property><id>{name}</id><formula>{formula}</formula></property>");
    format!("<?xml version=\"1.0\"?>\n<property-set xmlns=\"http://mcc.lip6.fr/\">\n{property}\n</property-set>\n")
}

fn place() -> Place {
    let near = |n: u32, op: &str| {
        format!(
            "<integer-{op}><integer-constant>{n}</integer-constant><tokens-count><place>near</place></tokens-count></integer-{op}>"
        )
    };
    let place = Place::with(&[
        ("shake.sys", SHAKE),
        ("locks.sys", LOCKS),
        ("n.sys", NET),
        ("crossing.pnml", PNML),
        ("ring.aut", "des (0, 3, 3)\n(0, a, 1)\n(1, \"b, c\", 2)\n(2, i, 0)\n"),
        (
            "wide.sys",
            "const N = 60\ncomponent C(i in 0..N-1) { lts { init s; s -a[i]-> t -b[i]-> s } }\nsystem All = C\n",
        ),
        ("unbounded.sys", "component N { net { p = 1; grow: p -> p, 2 q; eat: q -> } }\n"),
        ("many.sys", "component N { net { p = 2000000000; t: p -> p } }\n"),
        ("more.sys", "component N { net { p = 1; go: p -> 1073741824 q; on: q -> 2 q } }\n"),
        ("import.sys", "component A { import \"nothing.aut\" }\n"),
        (
            "clash.sys",
            "component C { observable a  lts { init s; s -a-> s } }\ncomponent D { internal a  lts { init s; s -a-> s } }\nsystem S = C || D\n",
        ),
        (
            "formula.sys",
            "component Turns(i in 0..1) {\n  observable a[i], b[i]\n  m2l \"all1 p: p in `b[i]` =>\"\n      \"  (ex1 q: q < p & q in `a[i+1]`)\"\n}\n",
        ),
        (
            "turns.sys",
            "component Turns { observable a, b, c\n  m2l \"all1 p: p in `b` => p > 0 & p - 1 in `a`\"\n}\ncomponent C { lts { init s; s -a-> t -c-> s } }\nsystem S = Turns || C\n",
        ),
        ("no-word.sys", "component C {\n  internal a\n  m2l \"ex1 p: p notin `a`\"\n}\n"),
        ("cut.pnml", "<pnml><net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\"><page id=\"p\">\n"),
        ("m.smv", "MODULE main VAR b : boolean;\n"),
        ("run.trace", "A: x=1\n"),
        ("shake.props", "property answered = ltl G (ask -> F answer)\nproperty stops = ctl AF (Line == \"waits\")\n"),
    ]);
    let unknown = "<is-fireable><transition>com</transition></is-fireable>";
    let globally = |part: &str| format!("<all-paths><globally>{part}</globally></all-paths>");
    let finally = |part: &str| format!("<exists-path><finally>{part}</finally></exists-path>");
    place.write("unknown.xml", contest("wrong", &globally(unknown)).as_bytes());
    place.write("few.xml", contest("few", &globally(&near(1, "ge"))).as_bytes());
    place.write("two.xml", contest("two", &finally(&near(2, "le"))).as_bytes());
    let bound = "<place-bound><place>far</place><place>near</place></place-bound>";
    place.write("bound.xml", contest("bound", bound).as_bytes());
    place
}

fn seen(args: &[&str]) -> Seen {
    place().run(&[&["verify"], args].concat())
}

/// What the program says; how large diagrams are is left out.
fn shown(args: &[&str]) -> String {
    let text = seen(args).shown();
    let field = "\"diagram_nodes\":";
    let parts: Vec<&str> = text.split(field).collect();
    let cut = |(i, p): (usize, &&str)| match i {
        0 => (*p).to_owned(),
        _ => p.trim_start_matches(|c: char| c.is_ascii_digit()).to_owned(),
    };
    parts.iter().enumerate().map(cut).collect::<Vec<_>>().join(&format!("{field}…"))
}

macro_rules! golden {
    ($($name:ident: $args:expr;)*) => {$(
        #[test]
        fn $name() {
            insta::assert_snapshot!(shown(&$args));
        }
    )*};
}

golden! {
    nothing_asked: ["shake.sys"];
    nothing_asked_of_a_net: ["n.sys"];
    nothing_asked_for_programs: ["n.sys", "--json"];
    quiet_nothing_asked: ["shake.sys", "-q"];
    quiet: ["shake.sys", "--spec", "shake.props", "--livelock", "-q"];
    a_deadlock_whole: ["n.sys", "--witness", "always"];
    a_deadlock_asked_about: ["locks.sys", "--deadlock"];
    a_deadlock_for_programs: ["locks.sys", "--deadlock", "--json"];
    divergence: ["shake.sys", "--spec", "shake.props", "--livelock"];
    divergence_for_programs: ["shake.sys", "--spec", "shake.props", "--livelock", "--json", "--engine", "explicit"];
    another_system: ["shake.sys", "--livelock", "--system", "Open"];
    observed_besides: ["shake.sys", "--ltl", "G (ask -> F answer)", "--observe", "lose, again", "--engine", "explicit"];
    a_chosen_property: ["shake.sys", "--spec", "shake.props", "--property", "stops"];
    conditions: ["n.sys", "--reach", "q >= 4", "--reach", "r > 3", "--invariant", "p + q <= 4", "--invariant", "q != 7"];
    formulas_over_states: ["n.sys", "--ltl", "F (p == 0)", "--ltl", "G (q == 0 -> F r > 0)", "--ctl", "AG EF deadlock", "--ctl", "EG (p == 3)"];
    a_bound: ["n.sys", "--bound"];
    a_bound_for_programs: ["n.sys", "--bound", "--json"];
    without_runs: ["locks.sys", "--deadlock", "--witness", "never"];
    a_transition_system: ["ring.aut", "--ltl", "G (a -> F event(\"b, c\"))", "--ltl", "F G !a", "--observe", "b, c", "--livelock"];
    contest_formulas: ["crossing.pnml", "--spec", "few.xml", "--spec", "two.xml", "--ltl", "F come", "--spec", "bound.xml"];
    contest_formulas_for_programs: ["crossing.pnml", "--spec", "two.xml", "--spec", "bound.xml", "--json"];
    a_graph: ["shake.sys", "--graph", "-"];
    a_graph_of_components: ["shake.sys", "--graph", "-", "--observe", "ask", "--engine", "modular"];
    a_graph_with_a_deadlock: ["locks.sys", "--graph", "-", "--observe", "put[0],put[1]"];

    without_a_bound: ["unbounded.sys"];
    asked_without_a_bound: ["unbounded.sys", "--deadlock", "--bound", "--reach", "q == 7", "--reach", "p == 2", "--invariant", "q < 9", "--ltl", "G F grow", "--ltl", "G (p == 1)", "--ctl", "AG EF q == 0"];
    without_a_bound_for_programs: ["unbounded.sys", "--bound", "--ctl", "AG EF q == 0", "--json"];
    mistake_too_many_tokens: ["many.sys"];
    mistake_too_many_tokens_later: ["more.sys", "--deadlock"];
    mistake_no_import: ["import.sys"];
    mistake_unknown_action: ["shake.sys", "--ltl", "G (aks -> F answer)"];
    mistake_next: ["shake.sys", "--ltl", "G (ask -> X answer)"];
    mistake_actions_and_states: ["shake.sys", "--ltl", "G (ask -> F Line == \"up\")"];
    a_component_by_a_formula: ["turns.sys", "--ltl", "G (b -> F c)", "--ltl", "G (a -> F b)", "--deadlock"];
    mistake_in_a_formula: ["formula.sys"];
    mistake_no_word: ["no-word.sys"];
    mistake_internal_and_not: ["clash.sys"];
    mistake_cut_net: ["cut.pnml"];
    mistake_unknown_transition: ["crossing.pnml", "--spec", "unknown.xml"];
    mistake_contest_formula_twice: ["crossing.pnml", "--spec", "two.xml", "--spec", "two.xml"];
    mistake_contest_formula_for_smv: ["m.smv", "--spec", "two.xml"];
    mistake_flags_for_smv: ["m.smv", "--engine", "sog", "--reach", "b", "--livelock"];
    mistake_flags_of_smv: ["shake.sys", "--only-given", "--no-explore"];
    mistake_psl: ["shake.sys", "--psl", "always {ask}"];
    mistake_no_such_system: ["shake.sys", "--system", "Shaek"];
    mistake_system_of_a_net: ["crossing.pnml", "--system", "S"];
    mistake_no_such_property: ["shake.sys", "--spec", "shake.props", "--property", "stop"];
    mistake_no_places: ["shake.sys", "--bound"];
    mistake_observed: ["shake.sys", "--observe", "ask,asnwer", "--livelock"];
    mistake_observed_for_nothing: ["shake.sys", "--observe", "ask"];
    mistake_temporal_condition: ["n.sys", "--reach", "F p > 0"];
    mistake_graph_state_by_state: ["shake.sys", "--graph", "-", "--engine", "explicit"];
    mistake_graph_and_json: ["shake.sys", "--graph", "-", "--json"];
    mistake_graph_nowhere: ["shake.sys", "--graph", "nowhere/x.dot"];
    mistake_a_run: ["run.trace"];
    mistake_for_programs: ["many.sys", "--deadlock", "--json"];
}

#[test]
fn standard_input_is_read_by_what_it_is() {
    for (text, kind, states) in
        [(SHAKE, "sys", "4"), (PNML, "pnml", "3"), ("des (0, 1, 2)\n(0, a, 1)\n", "aut", "2"), (NET, "sys", "11")]
    {
        let json = Place::with(&[]).run_with(&["verify", "-", "--json"], text.as_bytes()).json();
        assert_eq!((json["model"]["kind"].as_str(), json["model"]["states"].as_str()), (Some(kind), Some(states)));
    }
}

/// What a file is, its content says before its name does.
#[test]
fn a_net_may_be_called_anything() {
    let place = place();
    for name in ["net.xml", "net.smv", "net"] {
        place.write(name, PNML.as_bytes());
        assert_eq!(place.run(&["verify", name, "--json"]).json()["model"]["kind"], "pnml", "{name}");
    }
}

#[test]
fn engines_agree() {
    let args = ["verify", "shake.sys", "--spec", "shake.props", "--livelock", "--deadlock", "--json", "--engine"];
    for engine in ["auto", "explicit", "sog", "modular"] {
        let seen = place().run(&[&args[..], &[engine]].concat());
        assert_eq!(seen.status, 1);
        assert_eq!(seen.results("verdict"), ["violated", "violated", "holds", "violated"], "{}", seen.shown());
        let cycle = &seen.json()["results"][3]["witness"]["cycle"];
        assert!(cycle.as_array().is_some_and(|c| c.len() == 2), "{engine}: {cycle}");
    }
}

#[test]
fn numbers_of_states_are_exact() {
    let seen = seen(&["wide.sys", "--json"]);
    // 2^60 states with 60 steps each.
    assert_eq!(seen.json()["model"]["states"], "1152921504606846976");
    assert_eq!(seen.json()["model"]["arcs"], "69175290276410818560");
}

#[test]
fn what_it_cost_is_told() {
    let people = seen(&["locks.sys", "--deadlock", "--stats", "--engine", "sog"]).stdout;
    assert!(people.contains("engine sog, 1 meta-state, 0 arcs, ") && people.contains(" diagram nodes, "), "{people}");
    let json = seen(&["locks.sys", "--deadlock", "--json", "--engine", "explicit"]).json();
    let stats = &json["results"][0]["stats"];
    assert_eq!((&stats["engine"], stats["states"].as_str().is_some()), (&"explicit".into(), true));
}

/// All questions of a folder in one call; what is XML and holds none is left out, with a word.
#[test]
fn a_pattern_means_all_files_that_it_matches() {
    let place = place();
    place.write("sets/model.xml", PNML.as_bytes());
    for name in ["few.xml", "two.xml", "bound.xml"] {
        place.write(&format!("sets/{name}"), place.read(name).as_bytes());
    }
    let seen = place.run(&["verify", "crossing.pnml", "--spec", "sets/*.xml", "--json"]);
    assert_eq!(seen.results("property"), ["bound", "few", "two"], "{}", seen.shown());
    assert!(seen.stderr.contains("holds no properties, and is left out"), "{}", seen.shown());
    let none = place.run(&["verify", "crossing.pnml", "--spec", "sets/*.props"]);
    assert!(none.status == 2 && none.flat().contains("no file matches `sets/*.props`"), "{}", none.shown());
}

/// A large net of which little is asked: what is left of it is told, and so is a proof without states.
#[test]
fn a_smaller_net_is_told() {
    let net = "component C { net { for i in 0..9 { a[i] = 1; b[i] = 1 } \
        for i in 0..9 { go[i]: a[i] -> m[i]; on[i]: m[i] -> n[i]; back[i]: n[i] -> a[i] } \
        for i in 0..9 { in[i]: b[i], a[i] -> c[i]; out[i]: c[i] -> b[i], a[i] } } }";
    let place = Place::with(&[("net.sys", net)]);
    let told = |question: [&str; 2]| {
        let seen = place.run(&[&["verify", "net.sys", "--json"], &question[..]].concat());
        let result = seen.json()["results"][0].clone();
        (result["verdict"].clone(), result["stats"].clone(), result["witness"]["prefix"].clone())
    };
    let all = (0..10).map(|i| format!("n[{i}]")).collect::<Vec<_>>().join(" + ");
    let (verdict, stats, _) = told(["--invariant", &format!("{all} <= 10")]);
    assert_eq!((verdict, &stats["engine"]), ("holds".into(), &"equation".into()), "{stats}");
    assert!(stats["reduced"]["places"].as_u64().is_some_and(|places| places <= 20), "{stats}");
    let (verdict, stats, run) = told(["--reach", &format!("{all} == 8")]);
    assert_eq!(verdict, "holds", "{stats}");
    // Spelt out: each is two steps of the model.
    assert_eq!(run.as_array().map(Vec::len), Some(16), "{stats} {run}");
}

#[test]
fn past_a_limit_the_answer_is_unknown() {
    // More states than anybody waits for, one by one.
    let started = Instant::now();
    let args = ["wide.sys", "--ctl", "AG EF enabled(a[0])", "--engine", "explicit", "--timeout", "300ms"];
    let people = seen(&args);
    assert_eq!(people.status, 3, "{}", people.shown());
    assert!(people.flat().contains("unknown: the time limit was reached while"), "{}", people.shown());
    let json = seen(&[&args[..], &["--json"]].concat()).json();
    assert_eq!(
        (&json["results"][0]["verdict"], &json["results"][0]["limit"]["reached"]),
        (&"unknown".into(), &"time".into())
    );
    // Where nothing was asked, too.
    let seen = seen(&["wide.sys", "--engine", "explicit", "--timeout", "300ms", "--json"]);
    assert_eq!((seen.status, &seen.json()["model"]["limit"]["reached"]), (3, &"time".into()), "{}", seen.shown());
    assert!(started.elapsed() < LATE);
}

/// 2^60 states, of which few are enough to see that there is no deadlock: whoever moves comes back by himself.
#[test]
fn few_of_many_states_are_enough() {
    let told = |question: [&str; 2]| {
        let json = seen(&[&["wide.sys"], &question[..], &["--engine", "explicit", "--json"]].concat()).json();
        let result = &json["results"][0];
        let states: u64 = result["stats"]["states"].as_str().and_then(|n| n.parse().ok()).expect("a number");
        assert!(states <= 200, "{question:?}: {json}");
        result["verdict"].as_str().map(str::to_owned)
    };
    assert_eq!(told(["--invariant", "!deadlock"]).as_deref(), Some("holds"));
    assert_eq!(told(["--invariant", "!deadlock || C[7] == \"t\""]).as_deref(), Some("holds"));
    assert_eq!(told(["--reach", "deadlock && C[7] == \"t\""]).as_deref(), Some("violated"));
    let deadlock = seen(&["wide.sys", "--deadlock", "--engine", "explicit"]);
    assert_eq!(deadlock.status, 0, "{}", deadlock.shown());
}

/// Each engine may have all of the memory, one after the other, and no more: the last word is `unknown`.
#[test]
fn every_engine_stays_within_the_memory_limit() {
    let bits = "component Bit(i in 0..39) { lts { init z; z -inc[i]-> o; for k in i+1..39 { o -inc[k]-> z } o -reset-> z } }\nsystem All = Bit";
    let net = "component C { net { for i in 0..39 { z[i] = 1 } \
        for i in 0..39 { inc[i]: z[i], for k in 0..i-1 { o[k] } -> o[i], for k in 0..i-1 { z[k] } } \
        reset: for k in 0..39 { o[k] } -> for k in 0..39 { z[k] } } }";
    let tokens = "component C { net { p = 1000000000; t: p -> q; u: q -> p } }";
    let smv = "MODULE main\nVAR x : 0..1099511627775;\nASSIGN init(x) := 0; next(x) := (x + 1) mod 1099511627776;\n";
    let place = Place::with(&[("bits.sys", bits), ("net.sys", net), ("tokens.sys", tokens), ("count.smv", smv)]);
    let ask = |args: &[&str]| {
        let seen = place.run(&[&["verify"][..], args, &["--memory", "30MB", "--json"]].concat());
        assert_eq!(seen.status, 3, "{args:?}: {}", seen.shown());
        let json = seen.json();
        assert_eq!(json["results"][0]["verdict"], "unknown", "{args:?}: {json}");
        // An operation on diagrams of SMV cannot be interrupted; then the limit is told for all of the model.
        let limit = [&json["results"][0]["limit"], &json["model"]["limit"]].map(|l| l["reached"].clone());
        assert!(limit.contains(&"memory".into()), "{args:?}: {json}");
    };
    // Whether a net has a deadlock may be proved without its states.
    let reset = ["--ctl", "AG EF enabled(reset)"];
    for (file, question) in
        [("bits.sys", &["--deadlock"][..]), ("net.sys", &reset), ("tokens.sys", &["--ctl", "AG EF enabled(t)"])]
    {
        for engine in ["auto", "explicit", "sog", "modular"] {
            ask(&[&[file][..], question, &["--engine", engine]].concat());
        }
    }
    ask(&["bits.sys", "--ltl", "G F reset"]);
    ask(&["count.smv", "--ltl", "G F x == 5"]);
}

/// Every run that is shown is one of the system: each state of the trail differs as its action says.
#[test]
fn witnesses_of_programs_have_every_state() {
    let json = seen(&["n.sys", "--reach", "r == 3", "--json"]).json();
    let witness = &json["results"][0]["witness"];
    let actions: Vec<&str> = witness["prefix"].as_array().expect("actions").iter().filter_map(|a| a.as_str()).collect();
    let trail = witness["trail"].as_array().expect("states");
    let tokens = |i: usize| ["p", "q", "r"].map(|p| trail[i][p].as_i64().expect("tokens"));
    assert_eq!((witness["ends"].as_str(), trail.len()), (Some("open"), actions.len() + 1));
    for (i, action) in actions.iter().enumerate() {
        let [p, q, r] = tokens(i);
        let after = if *action == "split" { [p - 1, q + 2, r] } else { [p, q - 2, r + 1] };
        assert_eq!(tokens(i + 1), after, "{i} {action}");
    }
    assert_eq!(tokens(actions.len())[2], 3);
}

/// The table of systems in docs/semantics.md, row by row, by every engine.
#[test]
fn the_table_of_systems_is_right() {
    let page = include_str!("../../../../docs/semantics.md");
    let section =
        page.split("## Systems of components").nth(1).and_then(|rest| rest.split("\n## ").next()).expect("a section");
    let place = Place::with(&[]);
    let mut rows = 0;
    for row in section.lines().filter_map(|line| line.strip_prefix("| `")) {
        // A bar inside a cell is written with a backslash.
        let row = row.replace("\\|", "|");
        let mut cells = row.split('`');
        let (arcs, property) = (cells.next().expect("arcs"), cells.nth(1).expect("a property"));
        let rest = cells.collect::<Vec<_>>().join("`");
        let verdict = rest.split(['|', ':', ' ']).find(|w| !w.is_empty()).expect("a verdict");
        let declared = "observable a, b\ninternal t, u\n";
        place.write("C.sys", format!("component C {{ {declared} lts {{ init 0; {arcs} }} }}\n").as_bytes());
        for engine in ["auto", "explicit", "sog", "modular"] {
            let seen = place.run(&["verify", "C.sys", "--ltl", property, "--json", "--engine", engine]);
            assert_eq!(seen.results("verdict"), [verdict], "{arcs} {property} {engine}{}", seen.shown());
        }
        rows += 1;
    }
    assert_eq!(rows, section.matches("\n| `").count());
    assert!(rows >= 16, "{rows}");
}

/// Steps are always told, states as far as they are not too many.
#[test]
fn a_long_run_is_told_by_its_steps() {
    let place = Place::with(&[]);
    for (places, has_states) in [(3, true), (60, false)] {
        let net = format!("component N {{ net {{ p = 2000; for i in 1..{places} {{ x[i] = 0 }}; t: p -> q }} }}\n");
        place.write("long.sys", net.as_bytes());
        let json = place.run(&["verify", "long.sys", "--deadlock", "--engine", "explicit", "--json"]).json();
        let witness = &json["results"][0]["witness"];
        assert_eq!(witness["prefix"].as_array().map(Vec::len), Some(2000));
        assert_eq!(witness["trail"].as_array().map(Vec::len), has_states.then_some(2001), "{places}");
        let people = place.run(&["verify", "long.sys", "--deadlock", "--engine", "explicit"]).stdout;
        assert!(people.contains("⋮ 1,980 more steps; --json has them"), "{people}");
    }
}
