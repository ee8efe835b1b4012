use super::*;
use crate::{Formula, Monitor, View};

fn read(source: &str) -> (View, Monitor) {
    let property = read_hoa(source, View::Events).unwrap_or_else(|e| panic!("{source}: {e:?}"));
    let Formula::Monitor(view, monitor) = property.formula else { panic!("it is a monitor") };
    (view, monitor)
}

const HEAD: &str = "HOA: v1\nAP: 2 \"x == 1\" \"event(a)\"\nAcceptance: 1 Inf(0)\nFiniteWords:\n";

#[test]
fn every_sort_of_label_is_read() {
    for (file, expected) in [
        (
            "Start: 0\n--BODY--\nState: 0 [0] 0 [!0 & (1 | f)] 1 State: 1 \"over\" {0} [t] 1 --END--",
            "initial s0; bad over; s0 -> s0: x == 1; s0 -> over: !(x == 1) && (event(a) || false); over -> over: true; otherwise die",
        ),
        (
            "Start: 0 Start: 3\nAlias: @a 0 | 1\nAlias: @b.c-d !@a\nStates: 4\n--BODY--\nState: [@b] 0 {0} 3 0 State: 3\n/* no /* edge */ */ --END--",
            "alias names are ascii words",
        ),
        (
            "Start: 0 Start: 2 Start: 3\nAlias: @a 0 | 1\nAlias: @b-c !@a\nStates: 4\n--BODY--\nState: [@b-c] 0 {0} 3 0 State: 3 State: 1 {0} [t] 1 State: 2\n/* no /* edge */ */ --END--",
            "initial s0 s3; bad s0; s0 -> s3: !(x == 1 || event(a)); s0 -> s0: !(x == 1 || event(a)); otherwise die",
        ),
        (
            "Start: 0\n--BODY--\nState: 0 \"a\" {0} 0 0 1 1 State: 1 \"a\" --END--",
            "initial a; bad a; a -> a: !(x == 1) && !event(a); a -> a: x == 1 && !event(a); \
             a -> \"a (1)\": !(x == 1) && event(a); a -> \"a (1)\": x == 1 && event(a); otherwise die",
        ),
        ("Start: 7 tool: \"x\" properties: complete\n--BODY--\nState: 7 --END--", "initial s7; bad; otherwise die"),
    ] {
        let source = format!("{HEAD}{file}");
        if expected.starts_with("alias names") {
            assert!(read_hoa(&source, View::Events).is_err(), "{expected}");
            continue;
        }
        let (view, monitor) = read(&source);
        assert_eq!((view, monitor.to_string().as_str()), (View::Events, expected), "{source}");
        // A file that was read once is written so that nothing changes any more.
        let written = write_hoa(&monitor, view, "m");
        let (again_view, again) = read(&written);
        assert_eq!((again_view, &again.edges, &again.bad), (view, &monitor.edges, &monitor.bad), "{written}");
        assert_eq!(again.states, monitor.states, "{written}");
    }
}

#[test]
fn the_view_is_that_of_the_header() {
    for (word, given, expected) in [
        ("", View::States, View::States),
        ("over events", View::States, View::Events),
        ("over states", View::Events, View::States),
    ] {
        let source = format!(
            "HOA: v1\nStart: 0\nAP: 0\nAcceptance: 1 Inf(0)\nname: \"n \\\" n\"\nFiniteWords: {word}\n--BODY--\nState: 0 {{0}} [t] 0\n--END--\n"
        );
        let property = read_hoa(&source, given).unwrap();
        assert_eq!(property.formula.view(), Some(expected), "{word}");
        assert_eq!(property.name.as_deref(), Some("n \" n"));
        assert_eq!(&source[property.span.start..property.span.end], "HOA: v1");
    }
}

#[test]
fn odd_atoms_and_names_survive() {
    let source = "HOA: v1 AP: 3 \"$\\\"a b\\\" == \\\"x\\\\\\\\y\\\"\" \"on(x / 2 > y)\" \"p <-> (q -> r)\"\nAcceptance: 1 Inf(0)\n\
                  FiniteWords: over states Start: 0\n--BODY--\nState: 0 \"on\" {0}\n[0 & 1] 0 [!2] 0\n--END--";
    let (view, monitor) = read(source);
    assert_eq!(
        monitor.to_string(),
        "initial \"on\"; bad \"on\"; \"on\" -> \"on\": $\"a b\" == \"x\\\\y\" && on(x / 2 > y); \
         \"on\" -> \"on\": !(p <-> q -> r); otherwise die"
    );
    let written = write_hoa(&monitor, view, "m");
    assert!(written.contains("Alias: @a0 !3 | 4"), "{written}");
    let item = monitor.item("m", view);
    let properties = crate::read_props(&item).unwrap();
    assert_eq!(properties[0].formula, Formula::Monitor(view, monitor), "{item}");
}

#[test]
fn mistakes_have_their_places() {
    let long = format!("{HEAD}Start: 0\n--BODY--\nState: 0 [{}0{}] 0 --END--", "(".repeat(1000), ")".repeat(1000));
    let mut double = format!("{HEAD}Start: 0\nAlias: @a0 0&1\n");
    (1..30).for_each(|i| double.push_str(&format!("Alias: @a{i} @a{0} & @a{0}\n", i - 1)));
    for (source, expected) in [
        ("HOA: v2", "1:6: expected `v1`, found `v2`"),
        (
            "HOA: v1\nStart: 0 Acceptance: 1 Inf(0)\n--BODY--\n--END--",
            "1:1: this is an automaton on infinite words, and a run is a finite word",
        ),
        ("HOA: v1\nStart: 0 FiniteWords: --BODY--", "2:23: there is no header `Acceptance:`"),
        (
            "HOA: v1\nAcceptance: 1 Fin(0)",
            "2:13: a finite word is accepted by the state that it ends in, and this acceptance says more",
        ),
        (
            "HOA: v1\nAcceptance: 2 Inf(0)&Inf(1)\n",
            "2:13: a finite word is accepted by the state that it ends in, and this acceptance says more",
        ),
        (
            "HOA: v1\nControllable: 0",
            "2:1: the header `Controllable:` is not known, and its capital says that it matters",
        ),
        ("HOA: v1\nStart: 0&1", "2:9: a monitor is in one state at a time, and this names several at once"),
        ("HOA: v1\nStart: 0 Start: 0", "2:17: it starts there already"),
        ("HOA: v1\nAP: 1 \"x ==\"", "2:12: expected a formula, found the end"),
        ("HOA: v1\nAP: 1 \"F x\"", "2:8: a guard speaks of one position"),
        ("HOA: v1\nAP: 1 \"x == \\\"a\\\" y\"", "2:7: expected an operator or the end of the formula, found `y`"),
        ("HOA: v1\nAP: 1 p", "2:7: expected an atomic proposition in double quotes, found `p`"),
        ("HOA: v1\nFiniteWords: over cuts", "2:19: expected `states` or `events`, found `cuts`"),
        ("HOA: v1\nStates: 99999999999", "2:9: this number is too large"),
        ("HOA: v1\nname: \"x", "2:7: this string does not end"),
        ("HOA: v1\n/* /* */", "2:1: this comment does not end"),
        ("HOA: v1\nAP: 0 AP: 0", "2:7: there are two headers `AP:`"),
        ("HOA: v1\n$", "2:1: the character '$' has no meaning here"),
        ("HOA: v1\nAcceptance: 1 Inf(0) FiniteWords: --BODY--", "2:35: it starts nowhere"),
        (&format!("{HEAD}Start: 0\n--BODY--\nState: 0 [2] 0 --END--"), "7:11: there is no atomic proposition 2"),
        (&format!("{HEAD}Start: 0\n--BODY--\nState: 0 [0] 1 --END--"), "7:14: state 1 is not described in the body"),
        (
            &format!("{HEAD}Start: 0\n--BODY--\nState: 0 [0] 0 {{0}} --END--"),
            "7:16: a finite word is accepted by the state that it ends in, not by an edge",
        ),
        (&format!("{HEAD}Start: 0\n--BODY--\nState: 0 {{1}} --END--"), "7:11: the only mark is 0"),
        (
            &format!("{HEAD}Start: 0\n--BODY--\nState: 0 0 0 --END--"),
            "7:8: state 0 has edges without labels, but not one for each letter",
        ),
        (
            &format!("{HEAD}Start: 0\n--BODY--\nState: [t] 0 [t] 0 --END--"),
            "7:14: the state has a label, so its edges have none",
        ),
        (&format!("{HEAD}Start: 0\n--BODY--\nState: 0 State: 0 --END--"), "7:17: state 0 is described twice"),
        (
            &format!("{HEAD}Start: 0 States: 1\n--BODY--\nState: 0 State: 1 --END--"),
            "7:17: there are not so many states",
        ),
        (&format!("{HEAD}Start: 0\n--BODY--\nState: 0 [@a] 0 --END--"), "7:11: there is no alias `@a` before this"),
        (
            &format!("{HEAD}Start: 0\n--BODY--\nState: 0 --END-- HOA: v1"),
            "7:18: one automaton is expected, and here is more",
        ),
        (
            &format!("{HEAD}Start: 0\n--BODY--\nState: 0 --ABORT--"),
            "7:10: expected `State:` or `--END--`, found `--ABORT--`",
        ),
        (&long, "7:211: this label is nested more than 200 levels deep"),
        (&double, "23:20: with aliases put in, the labels have more than a million parts"),
    ] {
        let mistakes: Vec<String> = read_hoa(source, View::Events).unwrap_err().iter().map(|d| d.to_string()).collect();
        assert_eq!(mistakes, [expected], "{source}");
    }
}
