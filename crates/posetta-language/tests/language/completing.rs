//! What is offered where. `|` is the place.

use posetta_language::{Completion, Position, Variable, Vocabulary, completions};

use crate::{nothing, props};

fn known() -> Vocabulary {
    let variable = |name: &str, values: &[&str]| Variable {
        name: name.to_owned(),
        values: values.iter().map(|v| (*v).to_owned()).collect(),
    };
    Vocabulary {
        source: "race.trace".to_owned(),
        variables: vec![variable("mode", &["\"idle\"", "\"busy\""]), variable("odd name", &["1"])],
        events: vec!["send".to_owned(), "disk full".to_owned()],
        processes: vec!["P1".to_owned()],
        attributes: vec!["order.id".to_owned()],
    }
}

fn offered(text: &str) -> Vec<Completion> {
    let at = text.find('|').expect("a place");
    let document = props(&text.replacen('|', "", 1));
    let position: Position = document.lines().position(document.text(), at);
    completions(&document, position, &mut nothing, Some(&known()))
}

#[test]
fn what_can_stand_there_is_offered_and_nothing_else() {
    for (text, offers, not) in [
        ("|", &["property", "let", "import", "monitor"][..], &["G", "send"][..]),
        ("let a = 1\npro|", &["property", "foreach"], &["G"]),
        ("foreach i in 0..3 {\n  |\n}", &["property", "let"], &["G"]),
        ("import \"|", &["std/mutex", "std/saga"], &["property"]),
        ("import \"std/m|\"", &["std/mutex"], &["G"]),
        ("property p = |", &["ltl", "ctl", "some", "foreach", "response", "mutex"], &["G", "mode"]),
        ("import \"std/mutex\"\nproperty p = |", &["one_holder"], &["mode"]),
        ("property p = ltl |", &["over", "G", "F", "event", "mode", "response"], &["AG", "always", "property"]),
        ("property p = ltl over |", &["states", "events"], &["G"]),
        ("property p = ctl |", &["AG", "EF", "mode"], &["G", "response", "over"]),
        ("property p = psl a |", &["until!", "within", "mode"], &["AG", "H"]),
        ("property p = m2l ex1 p: |", &["ex1", "all1", "in"], &["G"]),
        ("property p = m2l ex1 p: p in `|`", &["mode", "event"], &["ex1"]),
        ("property p = ltl G (event(|", &["send", "disk full"], &["G", "mode"]),
        ("property p = ltl G event(\"|", &["send", "disk full"], &["G", "mode"]),
        ("property p = ltl process(|", &["P1"], &["send"]),
        ("property p = ltl event(send, |", &["order.id"], &["mode", "G"]),
        ("property p = ltl mode == |", &["\"idle\"", "\"busy\""], &[]),
        ("property p = ltl mode == \"|", &["idle", "busy"], &["G"]),
        ("property p = absence(x) |", &["after", "between", "globally"], &[]),
        ("property p = foreach k in values(|", &["order.id"], &["G"]),
        ("property p = foreach k in |", &["values", "processes"], &["G"]),
        ("property p = foreach k in values(a) { ltl x == $|", &["$k"], &[]),
        ("property p = foreach k in values(a) { |", &["ltl", "response"], &["foreach"]),
        ("let e(n) = s[n]\nlet d = 1\nproperty p = ltl |", &["e", "d"], &["n"]),
        ("let e(n) = |", &["n", "ltl", "G"], &["mutex_of_nobody"]),
        ("foreach i in 0..3 {\n  property p[i] = ltl x[|\n}", &["i"], &[]),
        ("monitor m |{ }", &["over"], &["G"]),
        ("monitor m {\n  |\n}", &["initial", "bad", "otherwise"], &["G"]),
        ("monitor m {\n  otherwise |\n}", &["stay", "die"], &["G"]),
        ("monitor m {\n  a -> b: |\n}", &["mode", "event"], &["initial"]),
        ("event |", &["send"], &["G"]),
        ("property p = ltl x // |", &[], &["G", "send"]),
        ("property |", &[], &["ltl", "G"]),
    ] {
        let labels: Vec<String> = offered(text).into_iter().map(|c| c.label).collect();
        for label in offers {
            assert!(labels.iter().any(|l| l == label), "{text} offers {label}: {labels:?}");
        }
        for label in not {
            assert!(!labels.iter().any(|l| l == label), "{text} does not offer {label}");
        }
    }
}

#[test]
fn what_is_put_in_reads() {
    let insert = |text: &str, label: &str| {
        let found = offered(text).into_iter().find(|c| c.label == label).unwrap_or_else(|| panic!("{text} {label}"));
        (found.insert, found.is_snippet)
    };
    for (text, label, snippet) in [
        ("property p = |", "response", "response(${1:stimulus}, ${2:response})"),
        ("property p = |", "precedence_chain", "precedence_chain(${1:cause}; ${2:effect})"),
        ("property p = |", "mutex", "mutex(${1:p}, ${2:q})"),
        ("let e(n, m) = n\nproperty p = ltl |", "e", "e(${1:n}, ${2:m})"),
        ("property p = ltl |", "odd name", "\\$\"odd name\""),
        ("property p = ltl event(|", "disk full", "\"disk full\""),
        ("property p = foreach k in values(a) { ltl $|", "$k", "\\$k"),
    ] {
        assert_eq!(insert(text, label), (snippet.to_owned(), true), "{text}");
    }
    assert_eq!(insert("property p = ltl |", "mode"), ("mode".to_owned(), false));
}

#[test]
fn the_word_that_is_begun_is_replaced() {
    let found = offered("property p = ltl over events mo|de");
    assert!(found.iter().all(|c| (c.range.start.character, c.range.end.character) == (29, 31)), "{found:?}");
}
