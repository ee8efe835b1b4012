//! What is refused, and where.

use super::load;
use posetta_base::Kind;

/// The mistakes, each as file, place, message, label and advice.
fn mistakes(source: &str, wanted: Option<&str>) -> Vec<String> {
    let mistakes = load(source, wanted).expect_err(source);
    let shown = mistakes.iter().map(|m| {
        let mut text =
            if &*m.file == "m.sys" { m.diagnostic.to_string() } else { format!("{}:{}", m.file, m.diagnostic) };
        for extra in [&m.diagnostic.label, &m.diagnostic.help] {
            text += &extra.as_ref().map_or(String::new(), |e| format!(" | {e}"));
        }
        text
    });
    shown.collect()
}

/// The whole file is given.
#[test]
fn mistakes_in_the_form_of_a_file() {
    for (source, expected) in [
        ("", &["the file has no component | write one: `component C { lts { init s; s -a-> s } }`"][..]),
        ("const N = 1", &["the file has no component | write one: `component C { lts { init s; s -a-> s } }`"]),
        (
            "compnent C {}",
            &[
                "1:1: `compnent` cannot stand here | expected `component`, `system` or `const` | did you mean `component`?",
            ],
        ),
        (
            "component C { }",
            &[
                "1:11: `C` has no body | expected `lts { … }`, `net { … }`, `language …`, `m2l \"…\"` or `import \"…\"` in it",
            ],
        ),
        ("component C { lts { init s; s -a-> s }", &["1:39: the file ends here | expected `}`"]),
        ("component C { lts { init s; s -a-> } }", &["1:36: `}` cannot stand here | expected a state"]),
        (
            "component C { lts { init s; s -a-> s s -b-> s } }",
            &["1:38: `s` cannot stand here | expected `;`, a new line or `}`"],
        ),
        (
            "component C { lts { init s; s - a - b -> s } }",
            &["1:35: `-` cannot stand here | expected `->` and a state"],
        ),
        (
            "component C { lts { init s; s → s } }",
            &[
                "1:31: the character '→' cannot stand here | expected `-action->` and a state | an arc is written `s -action-> t`",
            ],
        ),
        (
            "component C { lts { s -a-> s } }",
            &["1:15: `C` has no initial state | expected `init` and a state in it | write `init s;`"],
        ),
        (
            "component C { lts { init s; init t; s -a-> t } }",
            &[
                "1:34: there is an initial state already, `s` | one state is the initial one: add a first step that chooses",
            ],
        ),
        (
            "component C { lts { init s } }",
            &["1:11: `C` has no actions | a component does something, or keeps others from it"],
        ),
        (
            "component C { lts { init s; s -deadlock-> s } }",
            &["1:32: no action can be called `deadlock` | formulas have this word for runs that stop, or go on unseen"],
        ),
        (
            "component C { observable divergence; lts { init s; s -a-> s } }",
            &[
                "1:26: no action can be called `divergence` | formulas have this word for runs that stop, or go on unseen",
            ],
        ),
        (
            "component C { observable a; internal a; lts { init s; s -a-> s } }",
            &["1:38: `a` is declared both internal and observable"],
        ),
        (
            "component C { lts { init s; s -a-> s } net { } }",
            &["1:40: `C` has two bodies | write two components and put them side by side by `||`"],
        ),
        (
            "component C { ltss { init s; s -a-> s } }",
            &[
                "1:15: `ltss` cannot stand here | expected `lts`, `net`, `language`, `m2l` or `import` | did you mean `lts`?",
            ],
        ),
        ("component C { m2l all1 p: p }", &["1:19: `all1` cannot stand here | expected a formula in quotes"]),
        (
            "component C[3] { lts { init s; s -a-> s } }",
            &[
                "1:12: `[` cannot stand here | expected `{` | copies are made by a parameter: `component Phil(i in 0..9) { … }`",
            ],
        ),
        ("component C(i in 0..3, i in 0..3) { lts { init s; s -a-> s } }", &["1:24: `i` has two ranges"]),
        (
            "component C(i in 0..N) { lts { init s; s -a-> s } }",
            &[
                "1:21: no number here is called `N` | numbers have names by `const N = 10`, by the parameters of a component and by `for`; a constant stands above its use",
            ],
        ),
        (
            "component C(i in 0..2) { lts { init s; s -a[j]-> s } }",
            &[
                "1:45: no number here is called `j` | numbers have names by `const N = 10`, by the parameters of a component and by `for`; a constant stands above its use",
            ],
        ),
        (
            "component C(index in 0..2) { lts { init s; s -a[inedx]-> s } }",
            &["1:49: no number here is called `inedx` | did you mean `index`?"],
        ),
        (
            "const N = M const M = 1 const N = 2 component C { lts { init s; s -a-> s } }",
            &[
                "1:11: no number here is called `M` | numbers have names by `const N = 10`, by the parameters of a component and by `for`; a constant stands above its use",
                "1:31: `N` is defined twice",
            ],
        ),
        (
            "const N = 1 / 0 component C { lts { init s; s -a[N]-> s } }",
            &["1:15: this is 0, and nothing is divided by 0"],
        ),
        (
            "const N = 9223372036854775807 + 1 component C { lts { init s; s -a-> s } }",
            &["1:11: a number here is past 64 bits"],
        ),
        ("const N = 99999999999999999999", &["1:11: this number is past 64 bits"]),
        (
            "component C { lts { init s; for j in 0..1 if j { s -a-> s } } }",
            &["1:46: a condition is needed here | this is a number | compare it with another number, as in `j != i`"],
        ),
        (
            "component C { lts { init s; for j in 0..1 if j = 1 { s -a-> s } } }",
            &["1:48: `=` cannot stand here | equality is written `==`"],
        ),
        (
            "component C { lts { init s; for j in 0..1 if 0 < j < 2 { s -a-> s } } }",
            &["1:52: comparisons cannot follow each other | join two of them by `&&`"],
        ),
        ("component C { lts { init s; s -a[1 < 2]-> s } }", &["1:36: `<` cannot stand here | expected `]`"]),
        ("component C { language a (b | ) }", &["1:31: `)` cannot stand here | expected an action, `(` or `empty`"]),
        (
            "component C { language a for j in 0..1 { b } }",
            &[
                "1:26: a language has no loops | one after the other, or one of them? | write it out, or write the component as `lts { … }`",
            ],
        ),
        (
            "component C { language empty }",
            &["1:11: `C` has no actions | a component does something, or keeps others from it"],
        ),
        ("component C { net { p = -1; t: p -> p } }", &["1:25: there cannot be -1 tokens"]),
        ("component C { net { p = 1073741825; t: p -> p } }", &["1:25: more than 1073741824 tokens"]),
        ("component C { net { p = 1; p = 1; t: p -> p } }", &["1:28: the tokens of `p` are given twice"]),
        ("component C { net { t: 0 p -> p } }", &["1:24: an arc needs at least one token"]),
        ("component C { net { t: 1073741824 p, p -> p } }", &["1:38: more than 1073741824 tokens"]),
        (
            "component C { net { t p -> q } }",
            &["1:23: `p` cannot stand here | expected `= number` of a place, or `: places -> places` of a transition"],
        ),
        ("component C { net { t: p - > q } }", &["1:26: `-` cannot stand here | expected `->` and places"]),
        (
            "component C { import fork.aut }",
            &["1:22: `fork.aut` cannot stand here | expected the name of a file in quotes"],
        ),
        ("component C { import \"gone.aut\" }", &["1:22: `gone.aut` cannot be read | no such file"]),
        (
            "component C { import \"notes.txt\" }",
            &[
                "notes.txt:this is neither a transition system (.aut) nor a net (.pnml) | a transition system begins with `des (initial, transitions, states)`",
            ],
        ),
        ("component C { import \"broken.aut\" }", &["broken.aut:3:8: there is no state 7 | the states are 0 to 1"]),
        (
            "component C { import \"fork.aut\" where { gte -> b } }",
            &["1:41: no action here is called `gte` | did you mean `get`?"],
        ),
        (
            "component C { import \"fork.aut\" where { get } internal }",
            &["1:33: an import has new names here, nothing else | declare what is internal: `internal a, b`"],
        ),
        (
            "component C { lts { init \"s; s -a-> s } }",
            &["1:26: this string does not end | expected `\"` in the same line"],
        ),
        ("component C { lts { init \"\"; s -a-> s } }", &["1:26: a name cannot be empty"]),
        (
            "# a comment\ncomponent C { lts { init s; s -a-> s } }",
            &["1:1: `#` cannot stand here | expected `component` or `system` | a comment begins with `//`"],
        ),
    ] {
        assert_eq!(mistakes(source, None), expected, "{source}");
    }
}

/// Behind some components.
#[test]
fn mistakes_in_systems() {
    let head = "component C { lts { init s; s -a-> s; s -bee-> s } }\ncomponent D { internal a lts { init s; s -a-> s } }\n\
                component E(i in 1..3) { lts { init s; s -e[i]-> s } }\n";
    for (system, expected) in [
        ("", &["3:11: there are several components and no system of them | write `system S = C || D || E`"][..]),
        (
            "system S = C || D",
            &[
                "4:17: `a` is internal in `D` and observable in `C` | declare it alike, or hide it in all of them: `(… || …) where { a } internal`",
            ],
        ),
        (
            "system S = D || (C where { bee -> a })",
            &[
                "4:18: `a` is internal in `D` and observable in `C` | declare it alike, or hide it in all of them: `(… || …) where { a } internal`",
            ],
        ),
        (
            "system S = (D where { a -> x }) || C where { x -> bee }",
            &[
                "4:36: `bee` is internal in `D` and observable in `C` | declare it alike, or hide it in all of them: `(… || …) where { bee } internal`",
            ],
        ),
        (
            "system S = C where { a } internal where { bee -> a }",
            &[
                "4:12: `a` is both internal and observable in `C` | declare it alike, or hide it in all of them: `(… || …) where { a } internal`",
            ],
        ),
        ("system S = C || Dd", &["4:17: there is no component `Dd` | did you mean `D`?"]),
        ("system S = C | D", &["4:14: `|` cannot stand here | expected `||`"]),
        ("system S = C || Zebra", &["4:17: there is no component `Zebra` | there are `C`, `D`, `E`, `S`"]),
        ("system S = C[1]", &["4:12: `C` has no parameters | a copy is named by one number for each parameter"]),
        ("system S = E[0]", &["4:14: there is no copy 0 of `E` | the copies are 1 to 3"]),
        ("system S = E[1][2]", &["4:12: `E` has one parameter | a copy is named by one number for each parameter"]),
        (
            "system S = E[N]",
            &[
                "4:14: no number here is called `N` | numbers have names by `const N = 10`, by the parameters of a component and by `for`; a constant stands above its use",
            ],
        ),
        ("system S = T || C system T = C || S", &["4:35: the system `S` is a part of itself"]),
        ("system S = S", &["4:12: the system `S` is a part of itself"]),
        ("system S = E system T = S[1]", &["4:25: the system `S` has no copies"]),
        ("system C = C", &["4:8: `C` is defined twice | the first one is in line 1"]),
        ("system S = C system S = D", &["4:21: `S` is defined twice | the first one is in line 4"]),
        (
            "component C { lts { init s; s -a-> s } }\nsystem S = C",
            &["4:11: `C` is defined twice | the first one is in line 1"],
        ),
        ("system S = C where { be } internal", &["4:22: no action here is called `be` | did you mean `bee`?"]),
        ("system S = C where { zebra -> c }", &["4:22: no action here is called `zebra` | there are `a`, `bee`"]),
        ("system S = C where { a -> c, a -> d }", &["4:30: `a` gets two new names"]),
        (
            "system S = C where { a -> deadlock }",
            &["4:27: no action can be called `deadlock` | formulas have this word for runs that stop, or go on unseen"],
        ),
        (
            "system S = C where { a }",
            &[
                "4:20: it is not said what is to become of these actions | write `where { a, b } internal`, or new names: `where { a -> c }`",
            ],
        ),
        (
            "system S = C where { a -> b } internal",
            &[
                "4:27: new names and `internal` do not go together | write two of them: `where { a -> b } where { c } internal`",
            ],
        ),
        ("system S = C where { } internal", &["4:22: `}` cannot stand here | expected an action"]),
        (
            "system S = C where { a } internal || E",
            &[
                "4:35: `||` cannot stand here | expected the end of the system | `where` is about everything before it: put what it is about into parentheses",
            ],
        ),
        ("component F(i in 1..0) { lts { init s; s -a-> s } }\nsystem S = F", &["5:8: `S` has no components"]),
        (
            "component F { lts { } }\ncomponent G { language ( }\nsystem S = F ||",
            &[
                "5:26: `}` cannot stand here | expected an action, `(` or `empty`",
                "6:16: the file ends here | expected a component, a system or `(`",
            ],
        ),
        (
            "component F { lts { } }\ncomponent G { import \"gone\" }\nsystem S = C where { x } internal",
            &[
                "4:15: `F` has no initial state | expected `init` and a state in it | write `init s;`",
                "5:22: `gone` cannot be read | no such file",
                "6:22: no action here is called `x` | there are `a`, `bee`",
            ],
        ),
    ] {
        assert_eq!(mistakes(&format!("{head}{system}"), None), expected, "{system}");
    }
    assert_eq!(
        mistakes(&format!("{head}system S = C"), Some("T")),
        ["there is no system `T` | there are `S`, `C`, `D`, `E`"]
    );
}

#[test]
fn too_much_is_refused() {
    let c = "component C { lts { init s; s -a-> s } }\n";
    for (source, kind) in [
        ("component C(i in 0..1000000) { lts { init s; s -a-> s } }".to_owned(), Kind::TooLarge),
        ("component C(i in -9223372036854775807..9223372036854775807) { lts { init s; s -a-> s } }".to_owned(), Kind::TooLarge),
        ("component C(i in 0..9999, j in 0..9999) { lts { init s; s -a-> s } }".to_owned(), Kind::TooLarge),
        ("component C { lts { init s; for i in 0..99999999999999 if i < 0 { s -a-> s } } }".to_owned(), Kind::TooLarge),
        (format!("component C {{ lts {{ init s; for {}z in 0..1 {{ }} }} }}", (0..150).map(|i| format!("x{i} in 0..0, ")).collect::<String>()), Kind::Nesting),
        ("component C { language (a | b)* a (a | b) (a | b) (a | b) (a | b) (a | b) (a | b) (a | b) (a | b) (a | b) (a | b) (a | b) (a | b) (a | b) (a | b) (a | b) (a | b) (a | b) (a | b) (a | b) (a | b) (a | b) (a | b) (a | b) (a | b) }".to_owned(), Kind::TooLarge),
        (
            format!("{c}system S0 = C\n{}", (1..40).map(|i| format!("system S{i} = S{} || S{}\n", i - 1, i - 1)).collect::<String>()),
            Kind::TooLarge,
        ),
        (format!("{c}system S = {}C", "(".repeat(100_000)), Kind::Nesting),
        (format!("component C {{ language {}a", "(".repeat(100_000)), Kind::Nesting),
        (format!("const N = {}1", "(".repeat(100_000)), Kind::Nesting),
        (format!("const N = {}1", "-".repeat(100_000)), Kind::Nesting),
        (format!("component C {{ lts {{ s{}", "[i".repeat(100_000)), Kind::Syntax),
        (format!("component C {{ lts {{ {}", "for i in 0..1 { ".repeat(100_000)), Kind::Nesting),
        (format!("component C {{ observable {}", "for i in 0..1 { ".repeat(100_000)), Kind::Nesting),
        (format!("component C {{ lts {{ init s; for i in 0..0 if {} 1 == 1 {{ }}", "!".repeat(100_000)), Kind::Nesting),
    ] {
        let mistakes = load(&source, None).expect_err("too much");
        assert_eq!(mistakes[0].diagnostic.kind, kind, "{}: {mistakes:?}", &source[..source.len().min(100)]);
    }
    // A long way is no depth.
    let chain: String = (1..2000).map(|i| format!("system S{i} = S{} where {{ a -> a }}\n", i - 1)).collect();
    let long = format!(
        "const N = {}1\ncomponent C {{ language a{} | {} }}\nsystem S0 = C\n{chain}",
        "1 + ".repeat(50_000),
        "*".repeat(50_000),
        "a | ".repeat(3_000) + "a"
    );
    assert_eq!(load(&long, None).expect("it is long").actions.len(), 1);
    // Twenty are enough.
    let many = "component C {\n".repeat(100);
    assert_eq!(load(&many, None).expect_err("all are wrong").len(), 20);
}

/// Mistakes lie where they were written in the strings.
#[test]
fn mistakes_in_formulas() {
    let wrong = |formula: &str, expected: &[&str]| {
        let source = format!("component C {{ observable go[0], go[1], stop\n  m2l {formula}\n}}");
        assert_eq!(mistakes(&source, None), expected, "{source}");
    };
    wrong("\"all1 p: p in\"", &["2:20: the formula ends here | expected a formula, a position or a set"]);
    wrong(
        "\"all1 p: p in `stp`\"",
        &["2:21: no action of `C` is called `stp` | it has `go[0]`, `go[1]`, `stop` | did you mean `stop`?"],
    );
    wrong(
        "\"all1 p:\"\n \"  p in `go[2]` | p in `halt`\"",
        &[
            "3:10: no action of `C` is called `go[2]` | it has `go[0]`, `go[1]`, `stop` | did you mean `go[0]`?",
            "3:25: no action of `C` is called `halt` | it has `go[0]`, `go[1]`, `stop` | declare its actions before the formula: `observable a, b`",
        ],
    );
    wrong(
        "\"all1 p: p in `go[i]`\"",
        &[
            "2:25: no number here is called `i` | numbers have names by `const N = 10`, by the parameters of a component and by `for`; a constant stands above its use",
        ],
    );
    wrong(
        "\"all1 p: p in `stop == 1`\"",
        &["2:27: `==` cannot stand here | expected a backquote | in backquotes stands the name of an action"],
    );
    wrong("\"all1 p: p in ``\"", &["2:22: the name of an action ends here | expected an action"]);
    wrong("\"all1 p: p in `go[0`\"", &["2:26: the name of an action ends here | expected `]`"]);
    wrong("\"all1 p: p in `go\"", &["2:21: this atom does not end | expected a backquote in the same line"]);
    wrong("\"all1 p: p in\" \"`\\\"stop`\"", &["2:23: this atom does not end | expected a backquote in the same line"]);
    wrong(
        "\"all1 p: q in `stop`\"",
        &["2:16: `q` is not declared | what holds at positions of a word is written as an atom in backquotes: `a`"],
    );
    wrong(
        "\"assert ex1 p: p in `stop`; true\"",
        &["2:8: `assert` is not for components | only in files for `posetta m2l` | write `assumption => formula`"],
    );
    wrong(
        "\"verify true; true\"",
        &["2:8: `verify` is not for components | only in files for `posetta m2l` | write a component of its own"],
    );
    wrong(
        "\"var2 X; X sub `stop`\"",
        &[
            "2:13: a component has no variables of its own | nothing says what it stands for on a word | write what holds at its positions as an atom in backquotes: `a`",
        ],
    );
    wrong(
        "\"lastpos p; true\"",
        &[
            "2:8: `lastpos` is not for components | only in files for `posetta m2l` | the positions of a word are the set `$`",
        ],
    );
    wrong(
        "\"include \\\"more.mona\\\"; true\"",
        &["2:16: a component includes no files | write the definitions before the formula"],
    );
    wrong("\"ws1s; true\"", &["2:8: a component is about the positions of one word | expected `m2l-str` or nothing"]);
    wrong(
        "\"ws2s; true\"",
        &["2:8: `ws2s` is for trees, which are not supported | strings only: `ws1s` and `m2l-str`"],
    );
    wrong(
        "\"ex1 p: root = p\"",
        &["2:15: `root` is for trees, which are not supported | strings only: `ws1s` and `m2l-str`"],
    );
    wrong("\"pred a = true;\"", &["2:22: there is no formula | expected a formula"]);
    wrong("\"\"", &["2:7: there is no formula | expected a formula"]);
    wrong("\"pred a = true;\"\n\"pred a = false; a\"", &["3:7: `a` is declared twice | first in line 2"]);
    wrong(
        "\"ex1 p: p in `stop` & p in `go[0]`\"",
        &[
            "2:3: no word satisfies this formula | a component does the beginnings of the words that do | where there is no word, there is not even the empty one; a component that does nothing is `~ex1 p: true`",
        ],
    );
    assert_eq!(
        mistakes("component C { m2l \"true\" }", None),
        [
            "1:15: `C` has no actions | a formula says which words there are, not of what | declare its actions before it: `observable a, b`"
        ]
    );
}

#[test]
fn formulas_whose_automata_explode() {
    // The distance doubles with every step: the number of states is two to the number of positions.
    let mut formula = String::from("ex1 p: p in `a` & p + 40 in `b` & p + 80 in `a`");
    for i in 0..4 {
        formula += &format!(" & (all1 q: q in `a` => ex1 r: r in `b` & r = q + {})", 23 + 7 * i);
    }
    let found = mistakes(&format!("component C {{ observable a, b\nm2l \"{formula}\" }}"), None);
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("2:1: the automaton of this formula takes too much | given up while "), "{found:?}");
}
