mod psl;
mod surface;

use super::*;
use posetta_base::Kind;

/// Parses, prints, and checks that the print parses back to the same tree.
fn ltl(source: &str) -> String {
    let formula = parse_ltl(source).unwrap_or_else(|e| panic!("{source}: {e:?}"));
    let printed = formula.to_string();
    assert_eq!(parse_ltl(&printed).as_ref(), Ok(&formula), "{source} printed as {printed}");
    printed
}

fn ctl(source: &str) -> String {
    let formula = parse_ctl(source).unwrap_or_else(|e| panic!("{source}: {e:?}"));
    let printed = formula.to_string();
    assert_eq!(parse_ctl(&printed).as_ref(), Ok(&formula), "{source} printed as {printed}");
    printed
}

#[test]
fn precedence_is_that_of_the_semantics_page() {
    for (source, printed) in [
        ("a && b || c -> d <-> e", "a && b || c -> d <-> e"),
        ("a -> b -> c", "a -> b -> c"),
        ("(a -> b) -> c", "(a -> b) -> c"),
        ("a U b U c", "a U b U c"),
        ("(a U b) U c", "(a U b) U c"),
        ("a U b && c", "a U b && c"),
        ("a U (b && c)", "a U (b && c)"),
        ("! a U b", "!a U b"),
        ("G a U b", "G a U b"),
        ("G (a U b)", "G (a U b)"),
        ("!x == 3", "!(x == 3)"),
        ("G x == 1 && y", "G (x == 1) && y"),
        ("G -x < 1", "G (-x < 1)"),
        ("a && (b && c)", "a && (b && c)"),
        ("a & b | c => d", "a && b || c -> d"),
        ("x = 1", "x == 1"),
        ("2*x + 1 < y", "2 * x + 1 < y"),
        ("x - (y - z) == 0", "x - (y - z) == 0"),
        ("x - y - z == 0", "x - y - z == 0"),
        ("x / (y * z) > 1", "x / (y * z) > 1"),
        ("-x < -1", "-x < -1"),
        ("- 1 < x", "- 1 < x"),
        ("-(x + 1) <= --2", "-(x + 1) <= 2"),
        ("(x + 1) < y && (p)", "x + 1 < y && p"),
        ("p == true && false == q", "p == 1 && 0 == q"),
        ("x + y", "x + y"),
        ("x == 1.50", "x == 1.5"),
        ("mode == \"a \\\"b\\\" \\n\\u00e9\"", "mode == \"a \\\"b\\\" \\né\""),
        ("on(x == 1 && !y) && event(send) && process(P1)", "on(x == 1 && !y) && event(send) && process(P1)"),
        ("event(\"odd name\") || process(7)", "event(\"odd name\") || process(\"7\")"),
        ("enabled && enabled == 1 && G enabled(go)", "enabled && enabled == 1 && G enabled(go)"),
        (
            "enabled(\"odd name\") || enabled(7) U enabled(a[1].b)",
            "enabled(\"odd name\") || enabled(\"7\") U enabled(a[1].b)",
        ),
        ("enabled($\"G\") && enabled.x", "enabled(\"G\") && enabled.x"),
        ("WX p M q R (r S Y O H s)", "WX p M q R r S Y O H s"),
        ("n1.role[0].x && state[12]", "n1.role[0].x && state[12]"),
        ("$\"odd name\" && $\"U\" && $\"plain\"", "$\"odd name\" && $\"U\" && plain"),
        ("E && A[0]", "$\"E\" && $\"A[0]\""),
        ("possibly == 1 && definitely.x", "$\"possibly\" == 1 && $\"definitely.x\""),
        ("$\"X.a\" && event(\"G.b\")", "$\"X.a\" && event(\"G.b\")"),
        ("// a comment\n p // another", "p"),
        ("true -> F false", "true -> F false"),
    ] {
        assert_eq!(ltl(source), printed, "{source}");
    }
}

#[test]
fn enabled_is_a_word_only_before_an_argument() {
    assert_eq!(ctl("AG (enabled(a) -> EF !enabled)"), "AG (enabled(a) -> EF !enabled)");
    assert_eq!(parse_psl("always enabled(a)").unwrap().to_string(), "always enabled(a)");
    for source in ["enabled()", "enabled(a, b)", "enabled(a; b)", "enabled(a + 1)", "enabled(a && b)"] {
        let mistakes = parse_ltl(source).unwrap_err();
        assert_eq!(mistakes[0].message, "`enabled` takes the name of one action", "{source}");
    }
    // Definitions, and their parameters, may be called so.
    let props = crate::read_props("let enabled(x) = x > 1\nproperty p = ltl G enabled(y)\n").unwrap();
    assert_eq!(props[0].formula.to_string(), "G (y > 1)");
    let props = crate::read_props("let can(x) = enabled(x)\nproperty p = ltl G can(go)\n").unwrap();
    assert_eq!(props[0].formula.to_string(), "G enabled(go)");
    assert!(matches!(parse_ltl("on(enabled(a))"), Err(mistakes) if mistakes[0].kind == Kind::Type));
}

#[test]
fn ctl_has_quantified_operators_only() {
    for (source, printed) in [
        ("AG !(a && b)", "AG !(a && b)"),
        ("A[p U q]", "A[p U q]"),
        ("E [ p -> r W q && s ]", "E[p -> r W q && s]"),
        ("EX EF AG AF EG AX p", "EX EF AG AF EG AX p"),
        ("AG (x == 1 -> A[y R z < 2])", "AG (x == 1 -> A[y R z < 2])"),
        ("!E[p U q] && X", "!E[p U q] && $\"X\""),
        ("$\"A.a\" && X.b", "$\"A.a\" && $\"X.b\""),
        ("possibly (a && b)", "EF (a && b)"),
        ("definitely a && !possibly x == 1", "AF a && !EF (x == 1)"),
        ("AG possibly definitely p", "AG EF AF p"),
        ("E[possibly p U $\"possibly\" == 1]", "E[EF p U $\"possibly\" == 1]"),
        ("possibly $\"definitely.x\" && possibly2 && n.possibly", "EF $\"definitely.x\" && possibly2 && n.possibly"),
    ] {
        assert_eq!(ctl(source), printed, "{source}");
    }
}

/// `line:column message | label | help` of every mistake.
fn mistakes<T: std::fmt::Debug>(result: Result<T, Mistakes>) -> Vec<String> {
    let mistakes = result.expect_err("a mistake");
    let show = |d: &Diagnostic| {
        let (label, help) = (d.label.as_deref().unwrap_or("-"), d.help.as_deref().unwrap_or("-"));
        format!("{d} | {label} | {help}")
    };
    mistakes.iter().map(show).collect()
}

#[test]
fn ltl_mistakes_say_where_and_what_was_expected() {
    for (source, expected) in [
        ("", &["1:1: there is no formula | expected a formula | -"] as &[_]),
        ("G (a &&", &["1:8: expected a formula, found the end | expected a formula | -"]),
        ("G (a", &["1:5: expected `)`, found the end | expected `)` for the `(` in column 3 | -"]),
        ("a)", &["1:2: this `)` closes nothing | no `(` before it is open | -"]),
        (
            "a b",
            &[
                "1:3: expected an operator or the end of the formula, found `b` | expected an operator or the end of the formula | -",
            ],
        ),
        (
            "(GF p)",
            &[
                "1:5: expected an operator or the end of the formula, found `p` | expected an operator or the end of the formula | operators are separate words: write `G F`",
            ],
        ),
        ("U a", &["1:1: `U` needs a formula on its left | expected a formula | a variable called U is written $\"U\""]),
        ("1 < x < 3", &["1:7: comparisons do not chain | a second comparison | write `a < b && b < c`"]),
        (
            "x + (a && b) > 1 && (p U q) == 2",
            &[
                "1:5: a number or a string is needed here | this is a formula | `&` and `|` join truth values; to say that two formulas agree, write `<->`",
                "1:21: a number or a string is needed here | this is a formula | to say that two formulas agree, write `<->`",
            ],
        ),
        (
            "x < \"a\" || \"b\" || 1 + \"c\" == 2",
            &[
                "1:5: strings have no order: only `==` and `!=` compare them | this is a string | -",
                "1:12: a string by itself is neither true nor false | this is a string | -",
                "1:23: there is no arithmetic on strings | this is a string | -",
            ],
        ),
        (
            "on(X p)",
            &[
                "1:4: a condition on one state stands here | temporal operators, patterns and event atoms cannot stand inside `on(…)` | -",
            ],
        ),
        (
            "on",
            &[
                "1:3: expected `(` after `on`, found the end | expected `(` after `on` | a variable called on is written $\"on\"",
            ],
        ),
        (
            "event(a b)",
            &["1:9: expected `)`, found `b` | expected `)` | a name with other characters is written in double quotes"],
        ),
        ("x == \"abc", &["1:6: this string does not end | expected a closing `\"` on the same line | -"]),
        ("x == 'a'", &["1:6: the character '\\'' has no meaning here | strings are written in double quotes | -"]),
        (
            "E[p U q]",
            &[
                "1:1: `E[…]` belongs to CTL, and this is LTL | expected an LTL formula | LTL speaks of every run by itself; for CTL write `ctl` (on the command line --ctl)",
            ],
        ),
        (
            "possibly (p)",
            &[
                "1:10: expected an operator or the end of the formula, found `(` | expected an operator or the end of the formula | `possibly` and `definitely` belong to CTL: write `ctl` (on the command line --ctl); in LTL `F p` says that every order comes through p",
            ],
        ),
        (
            "!definitely p",
            &[
                "1:13: expected an operator or the end of the formula, found `p` | expected an operator or the end of the formula | `possibly` and `definitely` belong to CTL: write `ctl` (on the command line --ctl); in LTL `F p` says that every order comes through p",
            ],
        ),
        (
            "G == 1",
            &["1:3: expected a formula, found `==` | expected a formula | a variable called G is written $\"G\""],
        ),
        (
            "x.1",
            &[
                "1:2: expected an operator or the end of the formula, found `.` | expected an operator or the end of the formula | a name with other characters is written $\"name\"",
            ],
        ),
    ] {
        assert_eq!(mistakes(parse_ltl(source)), expected, "{source}");
    }
}

#[test]
fn ctl_mistakes_say_where_and_what_was_expected() {
    for (source, expected) in [
        (
            "E p",
            &[
                "1:3: expected `[` after the path quantifier, found `p` | expected `[` after the path quantifier | as in A[p U q]",
            ] as &[_],
        ),
        ("A[p]", &["1:4: expected `U`, `W` or `R`, found `]` | expected `U`, `W` or `R` | -"]),
        ("A[p U q", &["1:8: expected `]`, found the end | expected `]` for the `[` in column 2 | -"]),
        (
            "AG (on(x) || event(e))",
            &[
                "1:5: CTL speaks of cuts, and a cut has no event | `on`, `event` and `process` belong to LTL | use a variable that the event assigns, or write the property in LTL",
                "1:14: CTL speaks of cuts, and a cut has no event | `on`, `event` and `process` belong to LTL | use a variable that the event assigns, or write the property in LTL",
            ],
        ),
        (
            "possibly == 1",
            &[
                "1:10: expected a formula, found `==` | expected a formula | a variable called possibly is written $\"possibly\"",
            ],
        ),
        (
            "EF (definitely && p)",
            &[
                "1:16: expected a formula, found `&&` | expected a formula | a variable called definitely is written $\"definitely\"",
            ],
        ),
        ("possibly", &["1:9: expected a formula, found the end | expected a formula | -"]),
        (
            "G p",
            &[
                "1:3: expected an operator or the end of the formula, found `p` | expected an operator or the end of the formula | in CTL every temporal operator has a path quantifier: AG, EF, A[p U q], …",
            ],
        ),
    ] {
        assert_eq!(mistakes(parse_ctl(source)), expected, "{source}");
    }
}

#[test]
fn depth_has_a_limit_and_length_has_none() {
    for source in [
        "(".repeat(1_000_000),
        "!".repeat(1_000_000),
        "a -> ".repeat(1_000_000),
        "-".repeat(1_000_000),
        "A[".repeat(1_000_000),
    ] {
        for result in [parse_ltl(&source).err(), parse_ctl(&source).err()] {
            if source.starts_with('A') && result.as_ref().is_some_and(|r| r[0].kind == Kind::Syntax) {
                continue; // not a formula of LTL at all
            }
            assert_eq!(result.expect("too deep")[0].kind, Kind::Nesting);
        }
    }
    let sum = format!("{}x == 0", "x + ".repeat(5000));
    assert_eq!(parse_ltl(&sum).unwrap_err()[0].kind, Kind::Nesting);
    let deep = format!("{}p{}", "X (".repeat(99), ")".repeat(99));
    assert!(parse_ltl(&deep).is_ok());
    let long = vec!["p"; 100_000].join(" && ");
    assert!(matches!(parse_ltl(&long), Ok(Ltl::And(parts)) if parts.len() == 100_000));
}

#[test]
fn numbers_have_a_limit() {
    let long = format!("x == {}", "7".repeat(20_000));
    assert_eq!(mistakes(parse_ltl(&long)), ["1:6: a number with more than 10,000 digits | this one has 20000 | -"]);
}

/// Words that make most soups almost a formula.
const WORDS: [&str; 42] = [
    "p",
    "x",
    "x1",
    "state[0]",
    "n.a",
    "$\"q r\"",
    "\"s\"",
    "1",
    "2.5",
    "0",
    "true",
    "false",
    "on(",
    "event(",
    "process(",
    "X",
    "WX",
    "F",
    "G",
    "U",
    "W",
    "R",
    "M",
    "Y",
    "O",
    "H",
    "S",
    "EX",
    "AG",
    "E[",
    "A[",
    "]",
    "(",
    ")",
    "!",
    "&&",
    "->",
    "==",
    "<",
    "+",
    "possibly",
    "definitely",
];

proptest::proptest! {
    #[test]
    fn no_text_makes_the_parsers_panic(source in "\\PC*") {
        let _ = (parse_ltl(&source), parse_ctl(&source), super::super::read_props(&source));
    }

    #[test]
    fn what_parses_prints_back(soup in proptest::collection::vec(0..WORDS.len(), 0..14)) {
        let source = soup.iter().map(|&i| WORDS[i]).collect::<Vec<_>>().join(" ");
        if parse_ltl(&source).is_ok() {
            ltl(&source);
        }
        if parse_ctl(&source).is_ok() {
            ctl(&source);
        }
        let _ = super::super::read_props(&format!("property p = ltl {source}\nproperty q = ctl {source}"));
    }
}
