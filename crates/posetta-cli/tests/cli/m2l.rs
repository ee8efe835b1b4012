//! `posetta m2l`: every sort of answer and of mistake.

use std::process::Command;
use std::time::{Duration, Instant};

use crate::program::Place;
use insta::assert_snapshot;

/// Generous, because machines that run tests are busy; a missed limit would take hours.
const LATE: Duration = Duration::from_secs(30);

const VALID: &str = "var1 p; var2 X; p in X => max X >= p;\n";
const UNSATISFIABLE: &str = "var1 p; var0 a; p + 1 = 0 & a;\n";
const NEITHER: &str = "m2l-str; # strings\nvar0 b; var1 p; var2 X;\nb & X = {p, 2} & p < 2 & ~empty(X inter {0});\n";
const SEVERAL: &str =
    "var2 X; assert ~empty(X); 0 in X;\nverify \"it has a last one\" max X in X; verify X = {0} & X = {1};\n";

fn place() -> Place {
    Place::with(&[
        ("valid.mona", VALID),
        ("unsatisfiable.mona", UNSATISFIABLE),
        ("neither.mona", NEITHER),
        ("several.mona", SEVERAL),
        ("closed.mona", "all1 p: ex1 q: q = p + 1;\n"),
        ("nothing.mona", "assert false; true;\n"),
    ])
}

#[test]
fn answers_for_people() {
    let place = place();
    for name in ["valid", "unsatisfiable", "neither", "several", "closed", "nothing"] {
        assert_snapshot!(name, place.run(&["m2l", &format!("{name}.mona")]).shown());
    }
    let stats = place.run(&["m2l", "valid.mona", "--stats", "--engine", "eager"]).stdout;
    let line = stats.lines().last().and_then(|l| l.rsplit_once(", ")).map(|(cost, _)| cost.to_owned());
    assert_snapshot!(line.unwrap_or_default(), @"eager engine, 3 products, 1 projection, at most 6 states, 7 nodes");
    let piped = place.run_with(&["m2l", "-"], NEITHER.as_bytes());
    assert_eq!(piped.stdout, place.run(&["m2l", "neither.mona"]).stdout);
}

/// The main formula is the answer, as it is for programs; of the others, those that are not valid.
#[test]
fn quiet_is_the_main_formula_and_what_is_not_valid() {
    let place = place();
    assert_snapshot!("quiet", place.run(&["m2l", "several.mona", "-q"]).shown());
    assert_snapshot!("quiet_and_fine", place.run(&["m2l", "valid.mona", "--quiet"]).shown());
}

#[test]
fn answers_for_programs() {
    let place = place();
    for (name, answer, status) in [
        ("valid", "valid", 0),
        ("unsatisfiable", "unsatisfiable", 1),
        ("neither", "neither", 1),
        ("several", "neither", 1),
        ("closed", "valid", 0),
        ("nothing", "unsatisfiable", 1),
    ] {
        let seen = place.run(&["m2l", &format!("{name}.mona"), "--json"]);
        assert_eq!((seen.json()["answer"].as_str(), seen.status), (Some(answer), status), "{}", seen.shown());
    }
    for engine in ["auto", "eager", "lazy", "written"] {
        let json = place.run(&["m2l", "neither.mona", "--json", "--engine", engine]).json();
        assert_eq!(json["answer"], "neither", "{engine}");
        assert_eq!(json["example"]["values"], serde_json::json!({ "b": true, "p": 0, "X": [0, 2] }), "{engine}");
        assert_eq!(json["counterexample"]["length"], 1, "{engine}");
    }
    assert_snapshot!("programs", place.run(&["m2l", "neither.mona", "--json", "--engine", "eager"]).shown());
    let several = place.run(&["m2l", "several.mona", "--json"]).json();
    assert_eq!(several["formulas"][0]["title"], "it has a last one");
    assert_eq!(several["formulas"][0]["answer"], "valid");
    assert_eq!(several["formulas"][1]["answer"], "unsatisfiable");
}

#[test]
fn automata() {
    let place = place();
    for flag in ["--dot", "--hoa", "--mona"] {
        let seen = place.run(&["m2l", "neither.mona", flag]);
        assert_eq!(seen.status, 0);
        assert_snapshot!(format!("automaton{flag}"), seen.shown());
    }
}

/// MONA reads the automaton as its own, and finds that it is that of the formula.
#[test]
fn mona_takes_the_automaton_for_its_own() {
    let place = place();
    for (declared, formula) in [
        ("var1 p; var2 X;", "p in X => max X >= p"),
        ("var0 b; var1 p; var2 X;", "b & X = {p, 2} & p < 2"),
        ("var2 X, Y, Z;", "X union Y = Z + 1 & ~empty(X inter Y)"),
    ] {
        place.write("f.mona", format!("{declared} {formula};").as_bytes());
        let seen = place.run(&["m2l", "f.mona", "--mona"]);
        place.write("f.dfa", seen.stdout.as_bytes());
        let names = seen.stdout.lines().find_map(|l| l.strip_prefix("variables: ")).expect("variables").to_owned();
        let pairs: String = names.split(' ').map(|n| format!(", {n} -> {n}")).collect();
        place.write("g.mona", format!("{declared} import(\"f.dfa\"{pairs}) <=> ({formula});").as_bytes());
        let Some(mona) = posetta_peers::mona() else { return };
        let output = Command::new(mona).args(["-q", "g.mona"]).current_dir(place.path()).output().expect("it starts");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(said.starts_with("Formula is valid"), "{formula}\n{}\n{said}", seen.stdout);
    }
}

/// What MONA would write is not written, and that is told; the formulas are what they are.
#[test]
fn exports_are_read() {
    let place = place();
    place.write(
        "export.mona",
        b"var1 p; var2 X;\nexecute export(\"a.dfa\", p in X);\nexport(\"b.dfa\", p in X) & ~export(\"b.dfa\", p = 1);\n",
    );
    assert_snapshot!("exports", place.run(&["m2l", "export.mona"]).shown());
    assert!(!place.path().join("a.dfa").exists() && !place.path().join("b.dfa").exists());
}

#[test]
fn an_example_of_mona_that_exports_is_valid() {
    let Some(folder) = posetta_peers::mona_examples() else { return };
    let file = folder.join("presburger.mona");
    let seen = place().run(&["m2l", file.to_str().expect("a name"), "--json"]);
    assert_eq!(seen.status, 0, "{}", seen.shown());
    assert_eq!((&seen.json()["answer"], &seen.json()["example"]["length"]), (&"valid".into(), &0.into()));
    assert_eq!(seen.stderr.matches("is not written").count(), 4, "{}", seen.stderr);
}

#[test]
fn mistakes() {
    let place = place();
    place.write("types.mona", b"var1 p; var2 X;\nX < p;\nq in X;\n");
    place.write("syntax.mona", b"var1 p;\np == 1;\nex1 q p = q;\n");
    place.write("trees.mona", b"ws2s;\nvar2 X; X = X;\n");
    place.write("import.mona", b"import(\"a.dfa\");\n");
    place.write("main.mona", b"include \"part.mona\"; include \"none.mona\";\nhalf(1);\n");
    place.write("part.mona", b"pred half(var1 p) =\n  p + p = 2 &;\n");
    place.write("cycle.mona", b"include \"./cycle.mona\"; true;\n");
    place.write("large.mona", b"var1 p; p = 1000001;\n");
    place.write("bytes.mona", b"var1 \xff;\n");
    for name in ["types", "syntax", "trees", "import", "main", "cycle", "large", "bytes", "missing"] {
        let seen = place.run(&["m2l", &format!("{name}.mona")]);
        assert_eq!(seen.status, 2);
        assert_snapshot!(format!("mistake_{name}"), seen.shown());
    }
    // A run, by what is in it or by its name.
    place.write("run.jsonl", b"{\"process\":\"P\",\"name\":\"put\"}\n");
    place.write("waves.fst", b"\x00\x00\xff\xff");
    place.write("list.txt", b"var1 p, q;\np < q & ;\n");
    assert_snapshot!("mistake_run", place.run(&["m2l", "run.jsonl"]).shown());
    assert_snapshot!("mistake_waves", place.run(&["m2l", "waves.fst"]).shown());
    assert_snapshot!("mistake_list", place.run(&["m2l", "list.txt"]).shown());
    let piped = place.run_with(&["m2l", "-"], b"P: put -> get\n");
    assert!(piped.stderr.contains("standard input is a run (format text)"), "{}", piped.shown());
    let json = place.run(&["m2l", "types.mona", "--json"]);
    assert_eq!(json.status, 2);
    assert_snapshot!("mistake_programs", json.shown());
    assert_eq!(place.run(&["m2l"]).status, 2);
    assert_eq!(place.run(&["m2l", "valid.mona", "--json", "--dot"]).status, 2);
}

/// The n-th bit from the end: the automaton of its mirror image is as large as two to the n.
fn hard() -> String {
    let chain: String =
        (0..26).map(|i| format!("(p + {i} in X <=> p + {} in Y)", i + 1)).collect::<Vec<_>>().join(" & ");
    format!("var2 X, Y, Z; all1 p: p in Z | ({chain} <=> p + 30 in Z) | ex1 q: q + 28 = p & q in X & q in Y;")
}

#[test]
fn limits() {
    let place = place();
    place.write("hard.mona", format!("{}\nverify true;\n", hard()).as_bytes());
    let begun = Instant::now();
    let seen = place.run(&["m2l", "hard.mona", "--timeout", "300ms", "--json"]);
    assert!(begun.elapsed() < LATE, "{}", seen.shown());
    assert_eq!(seen.status, 3, "{}", seen.shown());
    let json = seen.json();
    assert_eq!(json["answer"], "unknown", "{json}");
    assert_eq!(json["limit"]["reached"], "time", "{json}");
    let small = place.run(&["m2l", "hard.mona", "--memory", "60MB"]);
    assert_eq!(small.status, 3, "{}", small.shown());
    let drawn = place.run(&["m2l", "hard.mona", "--timeout", "300ms", "--dot"]);
    assert_eq!((drawn.status, drawn.stdout.as_str()), (3, ""), "{}", drawn.shown());
}

#[test]
fn help() {
    assert_snapshot!("help", place().run(&["m2l", "--help"]).shown());
}
