use super::*;
use crate::parse_ltl;

fn letters(text: &str, view: View) -> Letters {
    Letters::new(&parse_ltl(text).unwrap(), view, &Budget::unlimited()).unwrap().1
}

/// The letters that may come first and later, as rows of 0 and 1.
fn shown(text: &str, view: View) -> String {
    let letters = letters(text, view);
    let row = |l: LetterId| letters.vector(l).iter().map(|&b| if b { '1' } else { '0' }).collect::<String>();
    let at = |first| letters.letters_at(first).into_iter().map(row).collect::<Vec<_>>().join(" ");
    match (at(true), at(false)) {
        (first, later) if first == later => first,
        (first, later) => format!("{first}, then {later}"),
    }
}

#[test]
fn comparisons_constrain_each_other() {
    for (text, expected) in [
        ("x == 1 && x == 2", "00 01 10"),
        ("x == 1 && x != 1", "01 10"),
        ("2*x >= 4 && x < 2", "01 10"),
        ("x < y && y < z && z < x", "000 001 010 011 100 101 110"),
        ("x <= y && y <= x && x == y", "010 100 111"),
        ("x > 1 && x > 2", "00 10 11"),
        ("x == 1 && x == \"a\" && x == \"b\"", "000 001 010 100"),
        ("x == y && x == \"a\" && y == 1", "000 001 010 011 100 101 110"),
        ("x == y && x == \"a\" && y == \"a\"", "000 001 010 100 111"),
        ("x < 1 && x == \"a\"", "00 10"),
        ("x - x == 0 && x == x", "11"),
        ("x / 0 == 1 || x / 0 != 1", "00"),
        ("x*y == 1 && x*y != 1 && x == 0", "010 011 100 101"),
        ("x / y == 1 && x / y != 1", "00 01 10 11"),
        ("x + y == 2 && x == 1 && y == 1", "000 001 010 100 111"),
        ("p && p == 0", "01 10"),
        ("true", ""),
    ] {
        assert_eq!(shown(text, View::States), expected, "{text}");
    }
}

#[test]
fn events_have_one_name_and_one_process() {
    assert_eq!(shown("event(a) && event(b)", View::Events), "00 01 10");
    assert_eq!(shown("event(a) && process(P)", View::Events), "00 01 10 11");
    assert_eq!(shown("process(P) && process(Q)", View::States), "00, then 00 01 10");
    assert_eq!(shown("on(x == 1) && x == 1", View::Events), "00 01 11");
    assert_eq!(shown("on(x == 1) && x == 1", View::States), "00 01, then 00 01 11");
    assert_eq!(shown("on(true)", View::Events), "0");
    assert_eq!(shown("on(x == x)", View::Events), "0 1");
    // What triggers x triggers x or y.
    assert_eq!(shown("on(x) && on(x || y)", View::Events), "00 01 11");
    assert_eq!(shown("on(x) && on(x || y) && x", View::Events), "000 001 010 011 111");
}

/// Letters by their rows: which can follow which.
fn follows(text: &str, before: &str, after: &str) -> bool {
    let letters = letters(text, View::Events);
    let row = |l: LetterId| letters.vector(l).iter().map(|&b| if b { '1' } else { '0' }).collect::<String>();
    letters
        .steps_after(None)
        .filter(|&s| row(letters.letter(s)) == before)
        .any(|first| letters.steps_after(Some(letters.after(first))).any(|second| row(letters.letter(second)) == after))
}

#[test]
fn what_no_event_assigns_keeps_its_value() {
    for (text, before, after, possible) in [
        // x == 1 without an assignment was true before.
        ("x == 1 && on(x == 1)", "00", "10", false),
        ("x == 1 && on(x == 1)", "00", "11", true),
        ("x == 1 && on(x == 1)", "11", "10", true),
        ("x == 1 && on(x == 1)", "10", "00", true),
        // x == 2 is set and goes unseen.
        ("x == 1 && x == 2 && on(x == 1)", "010", "100", false),
        ("x == 1 && x == 2 && on(x == 1)", "100", "010", true),
        // Nothing is said about y.
        ("y == 1 && on(x == 1)", "00", "10", true),
        // Both are kept.
        ("x + y == 2 && x == 1 && on(x + y == 2)", "000", "110", false),
        ("x + y == 2 && x == 1 && on(x + y == 2)", "100", "110", false),
        ("x + y == 2 && x == 1 && on(x + y == 2)", "110", "110", true),
    ] {
        assert_eq!(follows(text, before, after), possible, "{text}: {before} {after}");
    }
}

#[test]
fn it_is_known_what_is_not_exact() {
    for (text, exact, independent) in [
        ("x == 1 && x < y", true, 0),
        ("on(x == 1) && y == 1", true, 0),
        ("on(x == 1) && x < y", false, 0),
        ("on(x < y) && x < y", true, 0),
        ("on(x < y) && on(x == 1)", false, 0),
        ("x*y == 1 && on(x)", true, 1),
        ("x / 2 == y", true, 0),
    ] {
        let letters = letters(text, View::States);
        assert_eq!((letters.is_exact(), letters.independent().len()), (exact, independent), "{text}");
    }
}

#[test]
fn a_limit_is_seen() {
    let many: Vec<String> = (0..40).map(|i| format!("x{i}")).collect();
    let formula = parse_ltl(&many.join(" && ")).unwrap();
    let over = Letters::new(&formula, View::States, &Budget::with_memory(1 << 20)).unwrap_err();
    assert_eq!(over.limit, posetta_base::Limit::Memory);
}
