//! What is said about words, and what is found wrong. `|` is the place.

use posetta_language::{Severity, Variable, Vocabulary, diagnostics, hover};

use crate::{nothing, props};

fn said(text: &str) -> String {
    let at = text.find('|').expect("a place");
    let document = props(&text.replacen('|', "", 1));
    let position = document.lines().position(document.text(), at);
    hover(&document, position, &mut nothing, None).map_or_else(String::new, |hover| hover.text)
}

#[test]
fn words_are_explained() {
    for (text, expected) in [
        ("property p = ltl |G x", "p holds now and always later."),
        ("property p = psl |G x", "unlike in LTL"),
        ("property p = ctl |AG x", "In every order"),
        ("property p = ctl A|[x U y]", "In every order"),
        ("property p = ltl x |-> y", "If p, then q."),
        ("property p = psl {a} ||=> b", "after every match"),
        ("property p = |some ltl x", "One order that satisfies it is enough."),
        ("|property p = ltl x", "A property: a formula with a name."),
        ("property p = ltl |over events x", "states or events"),
        ("property p = m2l |ex1 p: p in `x`", "At some position"),
        ("property p = m2l ex1 p: p in `|event(a)`", "This event has that name"),
        ("monitor m { |bad b }", "no order may end"),
        ("property p = absence(x) |after y", "from the first q on"),
        ("property p = |response(a == 1, b) after c", "G (stimulus -> F response)"),
        ("property p = |response(a == 1, b) after c", "!c W (c && G (a == 1 -> F b))"),
        ("let e(n) = s > n\nproperty p = |response(e(1), e(2))", "G (s > 1 -> F (s > 2))"),
        ("// why\nlet e(n) = s > n\nproperty p = ltl G |e(2)", "let e(n) = s > n"),
        ("// why\nlet e(n) = s > n\nproperty p = ltl G |e(2)", "s > 2"),
        ("// why\nlet e(n) = s > n\nproperty p = ltl G |e(2)", "why"),
        ("let e(n) = s > |n", "parameter"),
        ("foreach i in 0..2 {\n property p = ltl x[|i]\n}", "variable of a loop"),
        ("property p = foreach k in values(o) { ltl x == $|k }", "value that an instance"),
        ("property |p = ltl G (x -> F y)", "Neither safety nor guarantee"),
        ("property |p = ltl G x", "**Safety**"),
        ("property |p = ltl F x", "**Guarantee**"),
        ("property |p = ltl G (x || !x)", "**Always true**"),
        ("property |p = mutex(a, b)", "G !(a && b)"),
        ("import \"|std/mutex\"", "one_holder"),
        ("import \"std/mutex\"\nproperty p = |one_holder(event(a), event(b), c)", "std/mutex"),
    ] {
        let text_said = said(text);
        assert!(text_said.contains(expected), "{text}: {text_said}");
    }
    for text in ["property p = ltl |x", "// |property", "property p = ltl \"|G\" == x", "|", "property p = ltl x == |1"]
    {
        assert_eq!(said(text), "", "{text}");
    }
}

#[test]
fn mistakes_have_their_places() {
    let document = props(
        "let é = 1\nproperty a = ltl G (x ==\nproperty b = ltl é && )\nproperty c = ltl ok\nproperty c = exactly_once(x)\n",
    );
    let found = diagnostics(&document, &mut nothing, None);
    let places: Vec<(u32, u32)> = found.iter().map(|f| (f.range.start.line, f.range.start.character)).collect();
    assert_eq!(places, [(1, 24), (2, 22), (4, 9)], "{found:?}");
    assert!(found.iter().all(|f| f.severity == Severity::Error));
    assert_eq!(found[2].code, "duplicate-property");
    let warned = diagnostics(&props("property c = exactly_once(x)\n"), &mut nothing, None);
    assert!(
        matches!(warned.as_slice(), [one] if one.severity == Severity::Warning && one.code == "pattern"),
        "{warned:?}"
    );
    assert_eq!(diagnostics(&props("property p = ltl G x\n"), &mut nothing, None), []);
}

#[test]
fn mistakes_of_other_files_are_told_at_their_import() {
    let mut load = |_: &str, path: &str| match path {
        "bad.props" => Ok(("dir/bad.props".to_owned(), "let a = 1\nlet b = (\n".to_owned())),
        _ => Err("there is none".into()),
    };
    let document = props("import \"std/mutex\"\nimport \"bad.props\"\nimport \"none.props\"\n");
    let found = diagnostics(&document, &mut load, None);
    let lines: Vec<u32> = found.iter().map(|f| f.range.start.line).collect();
    assert_eq!(lines, [1, 2], "{found:?}");
    let related = found[0].related.as_ref().expect("another file");
    assert_eq!((related.file.as_str(), related.line), ("dir/bad.props", 2));
}

#[test]
fn names_that_the_run_does_not_have_are_told() {
    let known = Vocabulary {
        source: "race.trace".to_owned(),
        variables: vec![Variable { name: "leader".to_owned(), values: Vec::new() }],
        events: vec!["send".to_owned()],
        processes: vec!["P1".to_owned()],
        attributes: Vec::new(),
    };
    let text = "event error\nproperty p = ltl G (leder == 1 && leader == 1 && event(snd) && event(send) && event(error) && process(P2))\n";
    let found = diagnostics(&props(text), &mut nothing, Some(&known));
    let messages: Vec<&str> = found.iter().map(|f| f.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "no variable of `race.trace` is called `leder`\ndid you mean `leader`?",
            "no event of `race.trace` is called `snd`\ndid you mean `send`?",
            "no process of `race.trace` is called `P2`\ndid you mean `P1`?",
        ]
    );
    let words: Vec<&str> = found
        .iter()
        .map(|f| {
            let document = props(text);
            let span = document.lines().span(document.text(), f.range);
            &text[span.start..span.end]
        })
        .collect();
    assert_eq!(words, ["leder", "snd", "P2"]);
}
