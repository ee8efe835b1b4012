//! One golden message for every kind of mistake. Each ends with status 2 and without a verdict.

use crate::program::{MUTEX, ORDERED, Place};

/// Runs `check` in `place`, for people (the snapshot) and for programs (no result, and errors of this kind only).
fn mistake(name: &str, kind: &str, place: &Place, args: &[&str]) {
    let args = [&["check"], args].concat();
    let seen = place.run(&args);
    assert_eq!((seen.status, seen.stdout.as_str()), (2, ""), "{name}: {}", seen.shown());
    insta::assert_snapshot!(name, seen.shown());
    let seen = place.run(&[&args[..], &["--json"]].concat());
    let json = seen.json();
    assert_eq!(json["results"].as_array().unwrap().len(), 0, "{name}");
    let errors = json["errors"].as_array().unwrap();
    assert!(!errors.is_empty() && errors.iter().all(|e| e["kind"] == kind), "{name}: {errors:?}");
}

/// A mistake in a run.
fn in_run(name: &str, kind: &str, file: &str, content: &[u8]) {
    let place = Place::with(&[]);
    place.write(file, content);
    mistake(name, kind, &place, &[file, "--ltl", "true"]);
}

/// A mistake in a property.
fn in_property(name: &str, kind: &str, run: &str, flag: &str, formula: &str) {
    mistake(name, kind, &Place::with(&[("run.trace", run)]), &["run.trace", flag, formula]);
}

/// A mistake in a property file.
fn in_spec(name: &str, kind: &str, content: &[u8]) {
    let place = Place::with(&[("run.trace", MUTEX)]);
    place.write("p.props", content);
    mistake(name, kind, &place, &["run.trace", "--spec", "p.props"]);
}

fn deep(open: &str, close: &str) -> String {
    format!("{}1{}", open.repeat(1_000_000), close.repeat(1_000_000))
}

fn digits() -> String {
    "7".repeat(20_000)
}

#[test]
fn syntax() {
    in_run("syntax_text", "syntax", "run.trace", b"# fine\nA: x=1 -> y=\nB x=1\n");
    in_run("syntax_jsonl", "syntax", "run.jsonl", b"{\"process\":\"A\"}\n{\"process\" \"B\"}\n");
    in_property("syntax_ltl", "syntax", MUTEX, "--ltl", "G (c0 == 1 &&");
    in_property("syntax_ctl", "syntax", MUTEX, "--ctl", "AG AF");
    in_spec("syntax_props", "syntax", b"property a = ltl G (\n\nproperty b = c0 == 1\nproperty = ltl true\n");
    in_spec("syntax_head", "syntax", b"let f(x = x == 1\nproperty a = ltl G f(c0)\nproperty b = ltl F f(c1)\n");
    in_spec("syntax_props_word", "syntax", b"property a = respons(c0 == 1, c1 == 1)\nproperty b = lttl G c0\n");
}

#[test]
fn encoding() {
    in_run("encoding_text", "encoding", "run.trace", b"A: x=1\nB: y=\"\xff\"\n");
    in_run("encoding_jsonl", "encoding", "run.jsonl", b"{\"process\":\"\xc3(\"}\n");
    in_spec("encoding_props", "encoding", b"property a = ltl c0 == \"\xfe\"\n");
}

#[test]
fn truncated() {
    in_run(
        "truncated_jsonl",
        "truncated",
        "run.jsonl",
        b"{\"process\":\"A\",\"set\":{\"x\":1}}\n{\"process\":\"B\",\"set\":{\"x\":",
    );
    in_run("truncated_text", "truncated", "run.trace", b"A: x=\"never closed");
}

#[test]
fn nesting() {
    let content = format!("{{\"process\":\"A\",\"extra\":{}}}\n", deep("[", "]"));
    in_run("nesting_jsonl", "nesting", "run.jsonl", content.as_bytes());
    in_spec("nesting_ltl", "nesting", format!("property a = ltl {}", deep("(", ")")).as_bytes());
    in_spec("nesting_not", "nesting", format!("property a = ltl {}", deep("!", "")).as_bytes());
    in_spec("nesting_ctl", "nesting", format!("property a = ctl {}", deep("EX (", ")")).as_bytes());
    in_spec("nesting_implies", "nesting", format!("property a = ltl {}", deep("c0 -> ", "")).as_bytes());
}

#[test]
fn too_many_digits() {
    in_run("digits_text", "digits", "run.trace", format!("A: x={}\n", digits()).as_bytes());
    in_run(
        "digits_jsonl",
        "digits",
        "run.jsonl",
        format!("{{\"process\":\"A\",\"set\":{{\"x\":{}}}}}\n", digits()).as_bytes(),
    );
    in_property("digits_ltl", "digits", MUTEX, "--ltl", &format!("c0 < {}", digits()));
}

#[test]
fn cycle() {
    in_run("cycle_text", "cycle", "run.trace", b"A: x=1 -> x=2\nB: y=1 -> y=2\nA.2 -> B.1\nB.2 -> A.1\n");
    in_run(
        "cycle_jsonl",
        "cycle",
        "run.jsonl",
        b"{\"process\":\"A\",\"id\":\"p\",\"after\":[\"q\"]}\n{\"process\":\"B\",\"id\":\"q\",\"after\":[\"p\"]}\n",
    );
}

#[test]
fn missing_event() {
    in_run("missing_event_text", "missing-event", "run.trace", b"A: x=1\nB: y=1\nA.2 -> B.1\nC.1 -> B.1\n");
    in_run(
        "missing_event_jsonl",
        "missing-event",
        "run.jsonl",
        b"{\"process\":\"A\"}\n{\"process\":\"B\",\"after\":[\"A.1\",\"m7\"]}\n",
    );
}

#[test]
fn duplicate_id() {
    in_run(
        "duplicate_id",
        "duplicate-id",
        "run.jsonl",
        b"{\"process\":\"A\",\"id\":\"m\"}\n{\"process\":\"B\",\"id\":\"m\"}\n",
    );
}

#[test]
fn clock() {
    in_run(
        "clock_against_after",
        "clock",
        "run.jsonl",
        b"{\"process\":\"A\",\"id\":\"a\"}\n{\"process\":\"B\",\"clock\":{\"B\":1},\"after\":[\"a\"]}\n",
    );
    in_run("clock_against_process", "clock", "run.jsonl", b"{\"process\":\"A\",\"clock\":{\"A\":2}}\n");
}

#[test]
fn assigned_twice() {
    in_run("assigned_twice_text", "assigned-twice", "run.trace", b"A: x=1, x=2\n");
    in_run(
        "assigned_twice_headers",
        "assigned-twice",
        "run.jsonl",
        b"{\"posetta\":1,\"initial\":{\"x\":0}}\n{\"process\":\"A\"}\n{\"posetta\":1,\"initial\":{\"x\":1}}\n{\"process\":\"B\"}\n",
    );
    in_run("assigned_twice_jsonl", "assigned-twice", "run.jsonl", b"{\"process\":\"A\",\"set\":{\"x\":1,\"x\":2}}\n");
}

#[test]
fn mixed() {
    in_run("mixed", "mixed", "run.jsonl", b"{\"process\":\"A\",\"set\":{\"x\":1}}\n{\"x\":2}\n");
}

#[test]
fn unknown_variable() {
    in_property("unknown_variable_near", "unknown-variable", "A: counter=1\n", "--ltl", "G (conter < 2)");
    in_property("unknown_variable_far", "unknown-variable", MUTEX, "--ctl", "AG (temperature < 2 && pressure == 1)");
}

#[test]
fn types() {
    let run = "A: mode=idle -> mode=busy\n";
    in_property("type_order", "type", run, "--ltl", "G (mode < 2)");
    in_property("type_arithmetic", "type", run, "--ltl", "F (mode + 1 == 2)");
    in_property("type_bare", "type", run, "--ctl", "AG mode");
    in_property("type_literal", "type", run, "--ltl", "G (\"idle\" < 2)");
}

#[test]
fn unordered_writes() {
    in_property("unordered_writes", "unordered-writes", "A: x=1\nB: x=2\n", "--ctl", "AG (x < 3)");
}

#[test]
fn duplicate_property() {
    in_spec("duplicate_property", "duplicate-property", b"property a = ltl c0\nproperty a = ltl c1\n");
    let place =
        Place::with(&[("r.trace", MUTEX), ("p.props", "property a = ltl c0\n"), ("q.props", "property a = ltl c1\n")]);
    mistake(
        "duplicate_property_across_files",
        "duplicate-property",
        &place,
        &["r.trace", "--spec", "p.props", "--spec", "q.props"],
    );
}

#[test]
fn unsupported() {
    in_property("unsupported_on_in_ctl", "unsupported", ORDERED, "--ctl", "AG on(c0 == 1)");
    in_property("unsupported_enabled", "unsupported", ORDERED, "--ltl", "G (enabled(enter) -> F event(enter))");
    in_property("unsupported_event_in_ctl", "unsupported", ORDERED, "--ctl", "EF event(enter)");
    in_spec("unsupported_logic", "unsupported", b"property a = m2l assert true; 0 in `c0`\n");
    in_spec(
        "unsupported_definition",
        "unsupported",
        b"let safe = AG (c0 == 0)\nlet both = safe && c1 == 1\nproperty a = ltl G safe\nproperty b = ltl F both\n",
    );
}

#[test]
fn definition() {
    in_spec(
        "definition_names",
        "definition",
        b"let inside(i) = c[i] == 1\nproperty a = ltl G !inside(c0)\nproperty b = ltl G insde(0)\nlet x = x\n",
    );
    in_spec("definition_arguments", "definition", b"property a = response(c0 == 1)\nproperty b = mutex(c0; c1)\n");
    in_spec("definition_index", "definition", b"property a = ltl G !(c[i] == 1)\n");
    in_spec(
        "definition_index_value",
        "definition",
        b"property a = ltl c[7 % 0] == 1\nlet f(n) = c[n * n]\nproperty b = ltl f(9999999999) == 1\n",
    );
    in_property("definition_unknown_call", "definition", MUTEX, "--ltl", "G c0 (c1 == 1)");
}

#[test]
fn too_large() {
    let mut doubling = String::from("let a0 = c0 == 1\n");
    for i in 1..40 {
        doubling += &format!("let a{i} = a{0} && a{0}\n", i - 1);
    }
    in_spec("too_large_definition", "too-large", (doubling + "property p = ltl G a39\n").as_bytes());
    in_spec("too_large_loop", "too-large", b"foreach i in 0..999999 {\n  property p[i] = ltl c0 == i\n}\n");
}

#[test]
fn imports() {
    let place = Place::with(&[
        ("r.trace", MUTEX),
        ("p.props", "import \"more/q.props\"\nimport \"none.props\"\nproperty a = ltl busy\n"),
        ("more/q.props", "let busy = c0 == 1\nimport \"../more/../gone.props\"\n"),
    ]);
    mistake("input_import", "input", &place, &["r.trace", "--spec", "p.props"]);
    place.write("more/q.props", b"let busy = c0 ==\n");
    place.write("p.props", b"import \"more/q.props\"\nproperty a = ltl busy\n");
    mistake("syntax_import", "syntax", &place, &["r.trace", "--spec", "p.props"]);
}

#[test]
fn input() {
    let place =
        Place::with(&[("readme.md", "not a run"), ("dir/readme.md", "not a run"), ("none.props", "// nothing\n")]);
    mistake("input_missing", "input", &place, &["missing.trace", "--ltl", "true"]);
    mistake("input_no_match", "input", &place, &["runs/*.trace", "--ltl", "true"]);
    mistake("input_no_pattern", "input", &place, &["runs/***.trace", "--ltl", "true"]);
    mistake("input_empty_directory", "input", &place, &["dir", "--ltl", "true"]);
    mistake("format_unknown", "format", &place, &["readme.md", "--ltl", "true"]);
    mistake("input_missing_spec", "input", &place, &["readme.md", "--spec", "missing.props"]);
    mistake("input_empty_spec", "input", &place, &["readme.md", "--spec", "none.props"]);
}

#[test]
fn usage() {
    let place = Place::with(&[("run.trace", MUTEX)]);
    for (name, args) in [
        ("usage_no_property", vec!["check", "run.trace"]),
        ("usage_no_run", vec!["check", "--ltl", "true"]),
        ("usage_unknown_format", vec!["check", "run.trace", "--ltl", "true", "--from", "xml"]),
    ] {
        let seen = place.run(&args);
        assert_eq!((seen.status, seen.stdout.as_str()), (2, ""), "{name}");
        insta::assert_snapshot!(name, seen.shown());
    }
}

/// Processes that are not what the header declares, and what no sign of life has.
#[test]
fn processes() {
    let header = r#"{"posetta":1,"processes":["server","client"]}"#;
    for (name, kind, lines) in [
        ("process_undeclared", "process", [header, r#"{"process":"sevrer"}"#].as_slice()),
        ("process_undeclared_in_clock", "process", &[header, r#"{"process":"server","clock":{"server":1,"proxy":2}}"#]),
        ("process_twice", "process", &[r#"{"posetta":1,"processes":["server","server"]}"#]),
        ("process_headers", "process", &[header, r#"{"posetta":1,"processes":["client"]}"#]),
        ("process_late", "process", &[r#"{"process":"server"}"#, header]),
        ("process_ended", "process", &[r#"{"process":"server","ends":true}"#, r#"{"process":"server"}"#]),
        ("process_states", "mixed", &[header, r#"{"x":1}"#]),
        ("heartbeat_false", "syntax", &[r#"{"process":"server","heartbeat":false}"#]),
        ("heartbeat_set", "syntax", &[r#"{"process":"server","heartbeat":true,"set":{"x":1}}"#]),
        ("heartbeat_missing", "missing-event", &[r#"{"process":"server","heartbeat":true,"after":["m1"]}"#]),
        ("heartbeat_clock", "clock", &[r#"{"process":"server","heartbeat":true,"clock":{"server":2}}"#]),
    ] {
        in_run(name, kind, "run.jsonl", format!("{}\n", lines.join("\n")).as_bytes());
    }
}
