//! What is proposed for small runs.

use super::*;
use posetta_formats::Format;

/// Proposes for runs that are written in a format.
fn proposed(format: Format, runs: &[&str]) -> Vec<Proposal> {
    let budget = Budget::unlimited();
    let traces: Vec<Trace> =
        runs.iter().map(|run| posetta_formats::read(format, run.as_bytes(), &budget).expect("a run")).collect();
    let traces: Vec<&Trace> = traces.iter().collect();
    propose(&traces, &budget).expect("no limit").1
}

fn find<'a>(all: &'a [Proposal], text: &str) -> &'a Proposal {
    all.iter().find(|p| p.text == text).unwrap_or_else(|| panic!("{text} is not in {all:#?}"))
}

const PAID: &str = r#"{"process":"shop","id":"o","name":"order","time":1,"order.id":1}
{"process":"bank","name":"pay","after":["o"],"time":2,"order.id":1}
{"process":"store","name":"ship","after":["o"],"time":3,"order.id":1}
"#;

#[test]
fn an_order_by_luck_is_told_from_one_by_causes() {
    let other = PAID.replace("\"order.id\":1", "\"order.id\":2");
    let all = proposed(Format::JsonLines, &[PAID, &other]);
    let lucky = find(&all, "precedence(event(pay), event(ship))");
    assert_eq!(lucky.tally, Tally { holds: 0, violated: 2, hidden: 2, unknown: 0 });
    assert!(matches!(lucky.why, Why::Order { caused: false, runs: 2, .. }), "{:?}", lucky.why);
    let caused = find(&all, "precedence(event(order), event(pay))");
    assert_eq!(caused.tally, Tally { holds: 2, ..Tally::default() });
    let answered = find(&all, "foreach k in values(order.id) {\n  response(event(order), event(ship))\n}");
    assert_eq!(answered.tally.holds, 2);
    assert_eq!(answered.name, "each_order_id_answered");
}

#[test]
fn an_order_that_one_run_contradicts_is_not_proposed() {
    let swapped = PAID.replace("\"time\":2", "\"time\":4");
    let all = proposed(Format::JsonLines, &[PAID, &swapped]);
    assert!(all.iter().all(|p| p.text != "precedence(event(pay), event(ship))"), "{all:#?}");
}

#[test]
fn what_was_never_true_at_once_is_asked_of_every_order() {
    let run = "{\"process\":\"A\",\"set\":{\"c0\":1}}\n{\"process\":\"A\",\"set\":{\"c0\":0}}\n\
               {\"process\":\"B\",\"set\":{\"c1\":1}}\n{\"process\":\"B\",\"set\":{\"c1\":0}}\n";
    let all = proposed(Format::JsonLines, &[run]);
    let mutex = find(&all, "mutex(c0 == 1, c1 == 1)");
    assert_eq!(mutex.tally, Tally { violated: 1, hidden: 1, ..Tally::default() });
}

#[test]
fn states_have_bounds_and_values() {
    let all = proposed(Format::Csv, &["n,mode\n1,idle\n2,busy\n3,idle\n5,idle\n"]);
    assert_eq!(find(&all, "ltl G (n >= 1 && n <= 5)").tally.holds, 1);
    assert_eq!(find(&all, "ltl G (n >= prev(n))").tally.holds, 1);
    assert_eq!(find(&all, "ltl G (mode == \"idle\" || mode == \"busy\")").tally.holds, 1);
}

#[test]
fn errors_are_proposed_only_where_somebody_says_them() {
    let run = PAID.replace("\"time\":2", "\"time\":2,\"status\":\"error\"");
    assert_eq!(find(&proposed(Format::JsonLines, &[&run]), "absence(event(*, status == \"error\"))").tally.violated, 1);
    assert!(proposed(Format::JsonLines, &[PAID]).iter().all(|p| !p.text.contains("status")));
}

#[test]
fn odd_names_are_quoted_and_a_limit_is_told() {
    let run = PAID.replace("\"pay\"", "\"G \\\"x\\\" \\u0007\"").replace("order.id", "no. & id");
    let all = proposed(Format::JsonLines, &[&run, &run.replace("\"no. & id\":1", "\"no. & id\":2")]);
    assert!(all.iter().any(|p| p.text.contains("\"G \\\"x\\\" \\u0007\"")), "{all:#?}");
    assert!(all.iter().any(|p| p.text.contains("values($\"no. & id\")")), "{all:#?}");
    let trace = posetta_formats::read(Format::JsonLines, PAID.as_bytes(), &Budget::unlimited()).expect("a run");
    assert!(propose(&[&trace], &Budget::with_work(u64::MAX, 1)).is_err());
    let (survey, none) = propose(&[], &Budget::unlimited()).expect("no limit");
    assert!(none.is_empty() && survey.events == 0);
}

#[test]
fn names_of_properties_are_names() {
    for (text, name) in [("POST /charge end", "post_charge_end"), ("3 ways", "p_3_ways"), ("…", "p_"), ("a-", "a")] {
        assert_eq!(word(text), name);
    }
}
