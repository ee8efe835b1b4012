use super::*;
use crate::View;

fn printed(source: &str) -> Vec<(String, String)> {
    let properties = read_props(source).unwrap_or_else(|e| panic!("{source}: {e:?}"));
    properties.iter().map(|p| (p.name.clone().unwrap(), p.formula.to_string())).collect()
}

fn expands(source: &str, expected: &[(&str, &str)]) {
    let expected: Vec<_> = expected.iter().map(|&(a, b)| (a.to_owned(), b.to_owned())).collect();
    assert_eq!(printed(source), expected, "{source}");
}

/// `line:column message | label | help` of every mistake.
fn mistakes(source: &str) -> Vec<String> {
    let show = |d: &Diagnostic| {
        let (label, help) = (d.label.as_deref().unwrap_or("-"), d.help.as_deref().unwrap_or("-"));
        format!("{d} | {label} | {help}")
    };
    read_props(source).expect_err(source).iter().map(show).collect()
}

#[test]
fn reads_items_across_lines_and_comments() {
    let source = "// two properties\nproperty mutex = ltl\n  G !(a == 1\n     && b == 1) // over states\n\nproperty \"odd name\" = ltl over events F on(x)\nproperty c = ctl AG (x < 2)\n";
    expands(source, &[("mutex", "G !(a == 1 && b == 1)"), ("odd name", "F on(x)"), ("c", "AG (x < 2)")]);
    let properties = read_props(source).unwrap();
    assert!(matches!(properties[1].formula, Formula::Ltl(View::Events, _)));
    let span = properties[0].span;
    assert_eq!(&source[span.start..span.end], "G !(a == 1\n     && b == 1)");
}

#[test]
fn over_may_be_a_variable() {
    expands("property a = ltl over > 1\nproperty b = ltl over", &[("a", "over > 1"), ("b", "over")]);
    // What comes behind an item says nothing about it.
    expands("property a = ltl over\nproperty b = ltl over\n", &[("a", "over"), ("b", "over")]);
}

#[test]
fn definitions_are_put_in_as_terms() {
    expands(
        "let eating(i) = state[i] == \"eat\"\n\
         property p = ctl AG !(eating(0) && eating(1))\n\
         property q = ltl G (a * sum(1) > 2)\n\
         let sum(n) = x + n\n\
         let both(p, q) = p || q\n\
         property r = ltl both(a, b) && c U both(G a, !b)\n\
         let busy = x == 1\n\
         property s = ltl !busy && $\"busy\" && busy.x\n\
         let step(c) = c -> X c\n\
         property t = ltl step(busy())\n",
        &[
            ("p", "AG !(state[0] == \"eat\" && state[1] == \"eat\")"),
            ("q", "G (a * (x + 1) > 2)"),
            ("r", "(a || b) && c U (G a || !b)"),
            ("s", "!(x == 1) && busy && busy.x"),
            ("t", "x == 1 -> X (x == 1)"),
        ],
    );
}

#[test]
fn one_definition_serves_both_logics() {
    // `E` is a variable in LTL and an operator in CTL.
    expands(
        "let p = E || a\nproperty l = ltl p\nlet f(x) = E[x U a]\nproperty c = ctl f(b)\n",
        &[("l", "$\"E\" || a"), ("c", "E[b U a]")],
    );
}

#[test]
fn parameters_may_be_names() {
    expands(
        "let leader(n) = n.role == \"leader\" && n.term[0] > 0\n\
         let from(p, i) = process(p) && event(send[i]) && event(\"p\")\n\
         property a = ltl G !leader(n1)\n\
         property b = ltl F from(\"odd one\", 3)\n\
         property c = ltl F from(P1, 2 + 1)\n",
        &[
            ("a", "G !(n1.role == \"leader\" && n1.term[0] > 0)"),
            ("b", "F (process(\"odd one\") && event(send[3]) && event(p))"),
            ("c", "F (process(P1) && event(send[3]) && event(p))"),
        ],
    );
}

#[test]
fn loops_make_properties() {
    expands(
        "foreach i in 0..2 {\n  let left = fork[i]\n  property apart[i] = ltl G !(left == i && fork[(i + 1) % 3] == i)\n}\n\
         foreach i in 1..2 { property p = ltl x[i].y[2*i - 1]\n foreach j in i + 1..3 { property q[j] = ltl process(P[j]) && event(i) } }\n\
         foreach k in 3..2 { property none = ltl a }\n",
        &[
            ("apart[0]", "G !(fork[0] == 0 && fork[1] == 0)"),
            ("apart[1]", "G !(fork[1] == 1 && fork[2] == 1)"),
            ("apart[2]", "G !(fork[2] == 2 && fork[0] == 2)"),
            ("p[1]", "x[1].y[1]"),
            ("q[2][1]", "process(P[2]) && event(\"1\")"),
            ("q[3][1]", "process(P[3]) && event(\"1\")"),
            ("p[2]", "x[2].y[3]"),
            ("q[3][2]", "process(P[3]) && event(\"2\")"),
        ],
    );
}

#[test]
fn patterns_are_ltl() {
    expands(
        "property a = mutex(p, q, r)\n\
         property b = response(on(req == 1), on(resp == 1))\n\
         property c = ltl over events precedence(p, q) before r\n\
         property d = absence(p) after q == 1 && r\n\
         property e = existence(p) between q and r\n\
         property f = universality(p) after q until r\n\
         property g = ltl (absence(p) after q) && absence(r) globally\n\
         property h = precedence_chain(p, q; r)\n\
         property i = response_chain(p; q, r)\n\
         property j = exactly_once(on(p))\n\
         property k = alternation(event(a), event(b))\n\
         property l = ltl G starts(p)\n",
        &[
            ("a", "G !(p && q || p && r || q && r)"),
            ("b", "G (on(req == 1) -> F on(resp == 1))"),
            ("c", "F r -> !q W (p || r)"),
            ("d", "!(q == 1 && r) W ((q == 1 && r) && G !p)"),
            ("e", "G (q && !r && F r -> !r U (p && !r))"),
            ("f", "G (q && !r -> p W r)"),
            ("g", "!q W (q && G !p) && G !r"),
            ("h", "F r -> !r U (p && !r && X (!r U q))"),
            ("i", "G (p -> F (q && X F r))"),
            ("j", "!on(p) U (on(p) && WX G !on(p))"),
            (
                "k",
                "G !(event(a) && event(b)) && !event(b) W event(a) && G (event(a) -> WX (!event(a) W event(b))) && G (event(b) -> WX (!event(b) W event(a)))",
            ),
            ("l", "G (p && !Y p)"),
        ],
    );
}

#[test]
fn counting_a_condition_that_lasts_is_worth_a_word() {
    let properties = read_props(
        "property a = exactly_once(x == 1)\nproperty b = exactly_once(starts(x == 1))\nproperty c = alternation(on(x), y)\n",
    )
    .unwrap();
    let warned: Vec<usize> = properties.iter().map(|p| p.warnings.len()).collect();
    assert_eq!(warned, [1, 0, 1]);
}

fn files(root: &str, files: &[(&str, &str)]) -> Result<Vec<(String, String, String)>, Vec<String>> {
    let mut load = |_: &str, path: &str| {
        let found = files.iter().find(|(name, _)| *name == path);
        found.map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).ok_or_else(|| "it is not there".into())
    };
    match read_props_with("root", root, &mut load) {
        Ok(all) => Ok(all
            .iter()
            .map(|p| (p.file.as_ref().unwrap().to_string(), p.name.clone().unwrap(), p.formula.to_string()))
            .collect()),
        Err(all) => Err(all.iter().map(|m| format!("{}:{}", m.file, m.diagnostic)).collect()),
    }
}

#[test]
fn imports_bring_definitions_and_properties_once() {
    let all = files(
        "import \"a\"\nimport \"b\"\nproperty mine = ltl busy && idle\n",
        &[
            ("a", "import \"b\"\nlet busy = x == 1\nproperty a = ltl idle\n"),
            ("b", "import \"a\"\nlet idle = x == 0\nproperty b = ltl busy\n"),
        ],
    );
    let row = |a: &str, b: &str, c: &str| (a.to_owned(), b.to_owned(), c.to_owned());
    assert_eq!(
        all,
        Ok(vec![row("b", "b", "x == 1"), row("a", "a", "x == 0"), row("root", "mine", "x == 1 && x == 0")])
    );
    let all = files(
        "import \"a\"\nimport \"c\"\nlet x = 1\nproperty p = ltl f(1, 2)\n",
        &[("a", "let x = 2\nlet f(y) = y == (\nproperty q = ltl f(1)")],
    );
    assert_eq!(
        all,
        Err(vec![
            "root:2:8: cannot import `c`: it is not there".to_owned(),
            "root:3:5: two definitions are called `x`".to_owned(),
            "a:2:18: expected a formula, found the end".to_owned(),
            "root:4:18: `f` takes 1 argument, and 2 are given".to_owned(),
        ])
    );
}

#[test]
fn m2l_is_read_with_definitions_in_its_atoms() {
    let source = "let sent(i) = on(out[i] == 1)\n\
                  foreach i in 1..2 {\n  property even[i] = m2l over events\n    // every send\n    \
                  pred odd(var2 X) = max X in X;  # a comment of MONA's\n    ~odd(`sent(i)`) | {0,...,i + 1} sub $\n}\n\
                  property last = m2l max $ in `x == 1`\n// the end\n";
    let properties = read_props(source).unwrap();
    let told: Vec<String> = properties
        .iter()
        .map(|p| format!("{} {:?}: {}", p.name.as_ref().unwrap(), p.formula.view(), p.formula))
        .collect();
    assert_eq!(
        told,
        [
            "even[1] Some(Events): pred odd(var2 X) = max X in X; ~odd(`on(out[1] == 1)`) | {0,...,2} sub $",
            "even[2] Some(Events): pred odd(var2 X) = max X in X; ~odd(`on(out[2] == 1)`) | {0,...,3} sub $",
            "last Some(States): max $ in `x == 1`",
        ]
    );
    assert_eq!(properties.iter().map(|p| p.unfolded).collect::<Vec<_>>(), [true, true, false]);
    assert_eq!(&source[properties[2].span.start..properties[2].span.end], "max $ in `x == 1`\n// the end");
}

#[test]
fn the_mistakes_of_m2l_are_told_where_they_are() {
    for (source, expected) in [
        ("property p = m2l", "1:17: there is no formula | expected a formula | -"),
        ("let f = (\nproperty p = m2l 0 in `f`", "1:10: expected a formula, found the end | expected a formula | -"),
        ("property p = m2l over time true", "1:23: expected a view, found `time` | expected `states` or `events` | -"),
        ("property p = m2l over", "1:22: expected a view, found the end | expected `states` or `events` | -"),
        (
            "property p = m2l\n  ex1 p:\n  p in `x =`",
            "3:12: expected a formula, found the end | expected a formula | -",
        ),
        (
            "let f = x == 1 && y == 1\nproperty p = m2l over states 0 in `f`",
            "2:35: this is not a single atom | expected a comparison, `on(…)`, `event(…)` or `process(…)` | put each part into backquotes of its own and join them with `inter`",
        ),
        (
            "property p = m2l 0 in `F x`",
            "1:24: an atom speaks of one position | temporal operators and patterns cannot stand in an atom | speak of other positions: `ex1 q where p < q: …`",
        ),
        (
            "property p = m2l 0 in `f(1)`",
            "1:24: there is no definition or pattern called `f` | expected a definition, a pattern, or an operator behind the name | define it with `let f(…) = …`; after a variable an operator must stand before the `(`",
        ),
        (
            "foreach i in 1..2 { property p = m2l const i = 1; i in $ }",
            "1:44: `i` is declared twice | it is the variable of a loop around this | -",
        ),
        (
            "property p = m2l assert true; verify true; true",
            "1:18: `assert` is not for properties of runs | only in files for `posetta m2l` | write `assumption => formula`",
        ),
        (
            "foreach i in 1..90000 { property p = m2l true & true & true & true & true & true & true & true }",
            "1:42: with definitions and patterns put in, the formulas have more than a million parts | - | split it into several properties",
        ),
    ] {
        assert_eq!(mistakes(source)[0], expected, "{source}");
    }
}

#[test]
fn reports_the_mistakes_of_every_item() {
    let source = "x = 1\nproperty a = ltl G (\nproperty b ltl p\nproperty c = m2l p\nlet d = (\nproperty e = ltl p\nproperty e = ltl q\nproperty f = ctl over events p\nforeach i in 0..1 {\n property g = lt p\n";
    assert_eq!(
        mistakes(source),
        [
            "1:1: expected a property, found `x` | expected `property NAME = ltl …`, at the start of a line | -",
            "3:12: expected `=`, found `ltl` | expected `= ltl …` | -",
            "8:18: CTL has no views: it speaks of cuts | expected a formula | -",
            "9:19: this block does not end | expected a `}` for it | -",
            "5:10: expected a formula, found the end | expected a formula | -",
            "2:21: expected a formula, found the end | expected a formula | -",
            "4:18: `p` is not declared | - | what holds at positions of a run is written as an atom in backquotes: `x == 1`",
            "7:10: two properties are called `e` | the first one is in line 6 | -",
        ]
    );
}

#[test]
fn every_mistake_with_names_is_told_where_it_is() {
    for (source, expected) in [
        (
            "property a = ltl f(1)",
            "1:18: there is no definition or pattern called `f` | expected a definition, a pattern, or an operator behind the name | define it with `let f(…) = …`; after a variable an operator must stand before the `(`",
        ),
        (
            "property a = ltl respons(p, q)",
            "1:18: there is no definition or pattern called `respons` | did you mean `response`? | -",
        ),
        ("let f = f", "1:9: `f` is defined by itself | f needs f | -"),
        (
            "let f(x) = a[x]\nproperty p = ltl G f(y)",
            "2:20: `x` is an index here, so a whole number must be given for it | - | it stands in the definition of `f`, in line 1",
        ),
        (
            "let f(x) = a[x - 1]\nproperty p = ltl G f(0)",
            "2:20: an index cannot be negative, and this one is -1 | - | it stands in the definition of `f`, in line 1",
        ),
        (
            "property p = ltl a[i]",
            "1:20: `i` is neither a parameter nor a loop variable here | expected a whole number | an index is worked out before any run is read; a variable cannot be one",
        ),
        (
            "property p = ltl a[7 % 0]",
            "1:18: this index is 7 % 0, which has no value | expected a number from 1 behind `%` | -",
        ),
        (
            "let f(x) = a[4 % x]\nproperty p = ltl f(-1)",
            "2:18: this index is 4 % -1, which has no value | expected a number from 1 behind `%` | it stands in the definition of `f`, in line 1",
        ),
        (
            "property p = ltl a[9223372036854775807 + 1]",
            "1:18: this index is 9223372036854775807 + 1, which is more than 64 bits hold | expected smaller numbers | -",
        ),
        (
            "foreach i in 0..99999999999999999999 { property p = ltl a }",
            "1:17: this index is more than 64 bits hold | expected a number up to 9223372036854775807 | -",
        ),
        ("property p = ltl a[0.5]", "1:20: an index is a whole number | expected a whole number | -"),
        (
            "let g(x) = x\nlet f(g) = g(1)",
            "2:12: `g` is a parameter or a loop variable here, and takes no arguments | - | -",
        ),
        (
            "foreach i in 0..1 { let i = 7\n property p = ltl x == i }",
            "1:25: `i` is the variable of a loop around this | expected another name | -",
        ),
        (
            "foreach i in 0..1 { let f(i) = i }",
            "1:27: `i` is the variable of a loop around this | expected another name | -",
        ),
        ("let mutex(a) = a", "1:5: `mutex` is a pattern | expected another name | -"),
        ("let G = a", "1:5: `G` is a word of the logics | expected the name of a definition | -"),
        ("let f(a, a) = a", "1:10: two parameters are called `a` | - | -"),
        ("let a.b = 1", "1:5: the name of a definition is one word | expected a name | -"),
        (
            "property p = ctl mutex(a, b)",
            "1:18: patterns are formulas of LTL, and this is CTL | expected a CTL formula | -",
        ),
        (
            "let pat(p) = absence(p)\nproperty p = ctl AG pat(a)",
            "2:21: patterns are formulas of LTL, and this is CTL | expected a CTL formula | it stands in the definition of `pat`, in line 1",
        ),
        (
            "let safe = AG a\nproperty p = ltl G safe",
            "2:20: `safe` is defined by a formula of CTL, and this is LTL | expected a formula of LTL | `safe` is defined in line 1; write `safe` in LTL, or this property in CTL",
        ),
        (
            "let soon(p) = a U p\nlet b = x && soon(1)\nproperty p = ctl AG b",
            "3:21: `soon` is defined by a formula of LTL, and this is CTL | expected a formula of CTL | `soon` is defined in line 1 and used by `b` in line 2; write `soon` in CTL, or this property in LTL",
        ),
        (
            "property p = response(a)",
            "1:14: this pattern takes other arguments, and 1 is given | expected response(stimulus, response) | -",
        ),
        (
            "property p = response_chain(a, b)",
            "1:14: a chain has two lists, separated by a semicolon | expected response_chain(stimulus, …; response, …) | -",
        ),
        ("property p = mutex(a; b)", "1:14: the arguments are separated by commas | expected mutex(p, q, …) | -"),
        (
            "property p = absence(a) between b",
            "1:34: expected `and`, found the end | expected `and` | as in `between q and r`",
        ),
        (
            "property p = absence(a) besides b",
            "1:25: expected an operator or the end of the formula, found `besides` | expected an operator or the end of the formula | -",
        ),
        (
            "let f(x) = x\nproperty p = ltl f(a) after b",
            "2:18: only patterns have a scope, and `f` is a definition | defined in line 1 of this text | -",
        ),
        (
            "property p = ltl on(absence(a))",
            "1:21: a condition on one state stands here | temporal operators, patterns and event atoms cannot stand inside `on(…)` | -",
        ),
        (
            "property p = nonsense p",
            "1:14: expected a logic or a pattern, found `nonsense` | expected `ltl`, `ctl`, `psl`, `m2l` or a pattern | as in `property mutex = ltl G !(a == 1 && b == 1)` or `property mutex = mutex(a == 1, b == 1)`",
        ),
        (
            "foreach i in 0..1 { let f = (\n property p = ltl a }",
            "1:30: expected a formula, found the end | expected a formula | -",
        ),
        (
            "foreach i on 0..1 { property p = ltl a }",
            "1:11: expected `in`, found `on` | expected `in` | as in `foreach i in 0..9 { … }`: 0 and 9 belong to it",
        ),
        (
            "foreach i in 0..9 {} property p = ltl a",
            "1:22: expected a property, found `property` | expected `property NAME = ltl …`, at the start of a line | -",
        ),
        ("foreach i in 0..1000000 { property p = ltl a }", "1:1: the loops have more than 100000 rounds | - | -"),
        (
            "import more",
            "1:8: expected a file, found `more` | expected a path in double quotes, as in `import \"more.props\"` | -",
        ),
        (
            "let role(n) = n.role\nproperty p = ltl role(1)",
            "2:18: `n` must be given as a name here, because `n.role…` continues it | - | it stands in the definition of `role`, in line 1",
        ),
        (
            "let f(x) = x + G a\nproperty p = ltl f(1) > 2",
            "2:18: a number or a string is needed here | this is a formula | to say that two formulas agree, write `<->`",
        ),
    ] {
        assert_eq!(mistakes(source), [expected], "{source}");
    }
}

#[test]
fn a_definition_with_a_wrong_head_is_one_mistake() {
    let uses = "let k = f(3) && x == 1\nproperty p = ltl G f(1)\nproperty q = ctl AG f\nproperty r = ltl k\nforeach i in 0..1 { property s = ltl f(i) }";
    for (head, expected) in [
        ("let f(x = x == 1", "1:9: expected `,` or `)`, found `=` | expected `,` or `)` | -"),
        ("let f(x) == x", "1:10: expected `=`, found `==` | expected `= FORMULA` | -"),
        ("let f(x, x) = x", "1:10: two parameters are called `x` | - | -"),
    ] {
        assert_eq!(mistakes(&format!("{head}\n{uses}")), [expected], "{head}");
    }
    // What is wrong elsewhere is still told.
    assert_eq!(mistakes(&format!("let f(x\n{uses}\nproperty t = ltl g(1)")).len(), 2);
    // A definition that can be read counts where it is nearer.
    let nearer = "let f(x\nforeach i in 0..1 {\n let f(x) = x == i\n property p = ltl f(2, 3)\n}";
    assert_eq!(mistakes(nearer).len(), 2, "{:?}", mistakes(nearer));
}

#[test]
fn a_circle_of_definitions_is_told_once() {
    assert_eq!(
        mistakes("let f(x) = g(x)\nlet g(x) = f(x)\nproperty a = ltl f(1)"),
        ["2:12: `f` is defined by itself | f needs g needs f | -"]
    );
}

#[test]
fn growth_has_an_end() {
    let mut doubling = String::from("let a0 = x == 1\n");
    for i in 1..60 {
        doubling += &format!("let a{i} = a{} && a{}\n", i - 1, i - 1);
    }
    let mistake = mistakes(&format!("{doubling}property p = ltl a59\n"));
    assert!(mistake.iter().any(|m| m.contains("more than a million parts")), "{mistake:?}");
    let mut nested = "p".to_owned();
    for _ in 0..60 {
        nested = format!("alternation({nested}, {nested}) between a and b");
        if nested.len() > 100_000 {
            break;
        }
    }
    assert!(mistakes(&format!("property p = {nested}")).iter().any(|m| m.contains("parts") || m.contains("deep")));
    let mut chain = String::from("let a0 = x == 1\n");
    for i in 1..5_000 {
        chain += &format!("let a{i} = a{}\n", i - 1);
    }
    let mistake = mistakes(&format!("{chain}property p = ltl a4999\n"));
    assert_eq!(mistake.len(), 1);
    assert!(mistake[0].contains("nested more than"), "{}", mistake[0]);
    let wrong = "foreach i in 0..99999 {\n property p = ltl a[i] + G b > 1\n property q[i] = ltl f(i)\n}\n".to_owned();
    assert_eq!(mistakes(&wrong).len(), 2);
    let wrong: String = (0..1_000).map(|i| format!("property p{i} = ltl (\n")).collect();
    assert_eq!(mistakes(&wrong).len(), ENOUGH);
    let sum = vec!["1"; 60_000].join("+");
    assert!(mistakes(&format!("property p = ltl x[{sum}]"))[0].contains("nested more than"));
    assert!(mistakes(&format!("foreach i in 0..{} {{ }}", sum.replace('+', "*")))[0].contains("nested more than"));
    assert_eq!(mistakes(&"foreach\n".repeat(100_000)).len(), ENOUGH);
    assert_eq!(mistakes(&"foreach i in 0..1 {\n".repeat(100_000)).len(), ENOUGH);
    assert_eq!(mistakes(&"let\n".repeat(100_000)).len(), ENOUGH);
    let many = vec!["a"; 1_001].join(", ");
    assert!(mistakes(&format!("property p = mutex({many})"))[0].contains("at most 1000 arguments"));
    let deep = "foreach i in 0..1 {".to_owned() + &"\n foreach j in 0..1 {".repeat(5) + &"}".repeat(6);
    assert!(mistakes(&deep)[0].contains("has the variable `j` too"));
}

#[test]
fn psl_has_definitions_of_every_kind() {
    let source = "let ack(i) = x[i] == 1
let handshake(a, b) = {a; !b[*]; b}
let answered(r, f) = always r |=> f
let twice(r, n) = {r}[*n]
let soon(p) = X p
property a = psl answered(handshake(req, ack(0)), next done)
property b = psl over events {handshake(req, done)[*2]; twice({ack(1); req}, 2 + 1)}! abort reset
property c = psl soon(p) && soon({a; b})
property d = ltl soon(p)
foreach n in 1..2 {
  property e = psl {req[*n:2 * n]} |-> next[n] (response(p, q) before r)
}
property over = psl over && p
";
    let all = read_props(source).unwrap();
    let shown: Vec<String> =
        all.iter().map(|p| format!("{} {:?} {}", p.logic(), p.formula.view(), p.formula)).collect();
    assert_eq!(
        shown,
        [
            "psl Some(States) always {req; !(x[0] == 1)[*]; x[0] == 1} |=> next done",
            "psl Some(Events) {{req; !done[*]; done}[*2]; {x[1] == 1; req}[*3]}! abort reset",
            "psl Some(States) next p && next {a; b}",
            "ltl Some(States) X p",
            "psl Some(States) {req[*1:2]} |-> next[1] (eventually! r -> ((p -> (!r until! (q && !r))) until r))",
            "psl Some(States) {req[*2:4]} |-> next[2] (eventually! r -> ((p -> (!r until! (q && !r))) until r))",
            "psl Some(States) over && p",
        ]
    );
}

#[test]
fn psl_definitions_are_told_apart_from_those_of_other_logics() {
    for (source, expected) in [
        (
            "let s = {a; b}\nproperty p = ltl G s",
            vec![
                "2:20: `s` is defined by a formula of PSL, and this is LTL | expected a formula of LTL | `s` is defined in line 1; write `s` in LTL, or this property in PSL",
            ],
        ),
        (
            "let r(a, b) = a R b\nproperty p = psl always r(x, y)",
            vec![
                "2:25: `r` is defined by a formula of LTL, and this is PSL | expected a formula of PSL | `r` is defined in line 1; write `r` in PSL, or this property in LTL",
            ],
        ),
        ("let s = {a; b\n", vec!["1:14: expected `}`, found the end | expected `}` for the `{` in column 9 | -"]),
        (
            "let s(n) = {a[*n:2]}\nproperty p = psl s(3)",
            vec![
                "2:18: no number is at least 3 and at most 2 | expected the smaller one first | it stands in the definition of `s`, in line 1",
            ],
        ),
        (
            "let s(n) = {a[*n]}\nproperty p = psl s(b)",
            vec![
                "2:18: `n` is an index here, so a whole number must be given for it | - | it stands in the definition of `s`, in line 1",
            ],
        ),
        (
            "let f(p) = {p; p}\nproperty p = psl f(next a)",
            vec![
                "2:20: a SERE is needed here | this is a formula | a SERE is made of booleans with `;` `:` `|` `&` `&&` `within` and repetition; what holds behind it stands after `|->` or `|=>`",
            ],
        ),
    ] {
        assert_eq!(mistakes(source), expected, "{source}");
    }
}

#[test]
fn events_are_declared_for_all_that_is_read_together() {
    let declared = |source: &str, import: &str| -> Vec<Vec<String>> {
        let mut load = |_: &str, _: &str| Ok(("b".to_owned(), import.to_owned()));
        let all = read_props_with("a", source, &mut load).unwrap_or_else(|e| panic!("{source}: {e:?}"));
        all.iter().map(|p| p.declared_events.iter().cloned().collect()).collect()
    };
    for (source, import, expected) in [
        ("property p = ltl a", "", vec![vec![]]),
        (
            "event error, \"odd name\",\n  more // a comment\nproperty p = ltl a",
            "",
            vec![vec!["error", "more", "odd name"]],
        ),
        ("import \"b\"\nproperty p = ltl a", "event error\n", vec![vec!["error"]]),
        ("event e\nimport \"b\"", "property q = ltl b", vec![vec!["e"]]),
        // A name may be made in a loop, and need not be told apart from anything.
        (
            "foreach i in 0..1 {\n  event req[i], ack.x, 7\n  property p = ltl a\n}",
            "",
            vec![vec!["7", "ack.x", "req[0]", "req[1]"]; 2],
        ),
        // An atom at the start of a line is an atom.
        ("property p = ltl G (\nevent (error)\n|| event(error) )", "", vec![vec![]]),
        ("property p = ltl G\nevent(error)", "", vec![vec![]]),
    ] {
        assert_eq!(declared(source, import), expected, "{source}");
    }
}

#[test]
fn declarations_of_events_that_are_wrong() {
    const LIKE: &str = "as in `event error, \"odd name\"`: names of events that a run need not have";
    for (source, expected) in [
        (
            "event\nproperty p = ltl a",
            "1:6: expected the name of an event, found the end | expected the name of an event",
        ),
        ("event a b", "1:9: expected `,` or the end of the line, found `b` | expected `,` or the end of the line"),
        ("event a,", "1:9: expected the name of an event, found the end | expected the name of an event"),
        ("event = ltl a", "1:7: expected the name of an event, found `=` | expected the name of an event"),
    ] {
        assert_eq!(mistakes(source), [format!("{expected} | {LIKE}")], "{source}");
    }
    assert_eq!(mistakes("event a[n]").len(), 1);
}

#[test]
fn what_a_property_waits_for() {
    let triggers = |source: &str| -> Vec<String> {
        let property = read_props(source).unwrap_or_else(|e| panic!("{source}: {e:?}")).remove(0);
        let text = |span: Span| property.source[span.start..span.end].to_owned();
        property.triggers.iter().map(|t| format!("{} @ {}: {}", t.text, text(t.span), t.never)).collect()
    };
    for (source, expected) in [
        ("property p = ltl G (a -> F b)", vec!["a @ a: G !a"]),
        ("property p = ltl a -> (b -> c)", vec!["a @ a: G !a", "b @ b: G !b"]),
        ("property p = ltl ((a -> b) -> c) && (a <-> c)", vec!["a @ a: G !a", "a -> b @ (a -> b): G !(a -> b)"]),
        // What stands in a definition is shown at its use; what says the same is told once.
        ("let r(x) = x == 1 -> F b\nproperty p = ltl r(a) && r(a)", vec!["a == 1 @ r(a): G !(a == 1)"]),
        ("property p = ltl G on(a -> b)", vec![]),
        ("property p = ctl AG (a -> AF b)", vec!["a @ a: AG !a"]),
        ("property p = psl always (a -> next b)", vec!["a @ a: always !a"]),
        ("property p = psl always ({a; b} |-> c)", vec!["{a; b} @ {a; b}: always {a; b} |-> false"]),
        ("property p = psl always ({a; b} |=> c)", vec!["{a; b} @ {a; b}: never {a; b}"]),
        ("property p = psl <{a; b}> c", vec![]),
        ("property p = response(a, b)", vec!["a @ a: G !a"]),
        ("property p = response(a, b) before r", vec!["r @ r: G !r", "a @ a: F r -> !a W r"]),
        ("property p = absence(a) after q until r", vec!["q @ q: G !(q && !r)"]),
        ("property p = mutex(a, b) between q and r", vec!["q` and `r @ q and r: G !(q && !r && F r)"]),
        ("property p = precedence(a, b)", vec!["b @ b: G !b"]),
        ("property p = precedence_chain(a; b, c)", vec!["b`, `c @ b, c: !F (b && X F c)"]),
        ("property p = response_chain(a, b; c)", vec!["a`, `b @ a, b: G !(a && X F b)"]),
        ("property p = exactly_once(on(a))", vec![]),
        ("property p = m2l max $ in `a`", vec![]),
    ] {
        assert_eq!(triggers(source), expected, "{source}");
    }
    // However many there are, there is an end.
    let nested = (0..150).fold("a".to_owned(), |f, i| format!("({f} -> b{i})"));
    assert_eq!(read_props(&format!("property p = ltl {nested}")).unwrap()[0].triggers.len(), 50);
}

/// The loop, the quantifier and the logic of each property, as a definition gives them.
fn asked(source: &str) -> Vec<String> {
    let properties = read_props(source).unwrap_or_else(|e| panic!("{source}: {e:?}"));
    let show = |p: &Property| {
        let each = p.each.as_ref().map_or(String::new(), |each| format!("{each}: "));
        let some = if p.quantifier == crate::Quantifier::Some { "some " } else { "" };
        let over = if p.formula.view() == Some(View::Events) { "events " } else { "" };
        format!("{} = {each}{some}{over}{}", p.name.as_deref().unwrap_or_default(), p.formula)
    };
    properties.iter().map(show).collect()
}

#[test]
fn a_definition_may_be_a_whole_property() {
    for (source, expected) in [
        ("property p = f\nlet f = ltl G x", "p = G x"),
        ("let f(a) = some ltl over events F a\nproperty p = f(x || y)", "p = some events F (x || y)"),
        ("let f(a) = mutex(a, b)\nproperty p = ltl f(x)", "p = G !(x && b)"),
        ("let f(a) = every mutex(a, b)\nproperty p = f(x)", "p = G !(x && b)"),
        ("let f(a) = ctl (AG a)\nproperty p = f(x)", "p = AG x"),
        ("let f(n) = psl {a[*n]} |-> b\nproperty p = f(2)", "p = {a[*2]} |-> b"),
        (
            "let f(k) = foreach v in values(k) { some ltl x == $v }\nproperty p = f(order.id)",
            "p = foreach v in values(order.id): some x == $v",
        ),
        (
            "let f(k) = foreach v in values($\"k\") { ltl x == $v }\nproperty p = f(m)",
            "p = foreach v in values(k): x == $v",
        ),
        (
            "let f(k) =\n  foreach a, b in values(k) { ltl F event(*, k == $a, m != $b) }\nproperty p = f($\"odd k\")",
            "p = foreach a, b in values(odd k): F event(*, $\"odd k\" == $a, m != $b)",
        ),
        ("let f(x) = foreach n in processes { ltl x }\nproperty p = f(y)", "p = foreach n in processes: y"),
        (
            "let f(x) = ltl F x\nforeach v in values(k) { property p = f(y == $v) }",
            "p = foreach v in values(k): F (y == $v)",
        ),
        ("let f(x) = ltl F x\nforeach i in 1..1 { property p = f(a[i]) }", "p[1] = F a[1]"),
        // Words that may be variables, and definitions.
        ("let f = ltl == 1\nproperty p = ltl f", "p = ltl == 1"),
        ("let f = some\nproperty p = ltl f", "p = some"),
        ("let f = psl(1)\nlet psl(x) = x + 1 == y\nproperty p = ltl f", "p = 1 + 1 == y"),
    ] {
        assert_eq!(asked(source), [expected], "{source}");
    }
}

#[test]
fn whole_properties_in_the_wrong_place() {
    for (source, expected) in [
        (
            "let f(a) = ltl G a\nproperty p = ltl f(x)",
            "2:18: `f` is a whole property, not a formula | expected a formula | as in `property p = f(a)`",
        ),
        (
            "let f = ltl G a\nproperty p = ltl !f",
            "2:19: `f` is a whole property, not a formula | expected a formula | as in `property p = f`",
        ),
        (
            "let f(a) = ltl G a\nproperty p = f(x) && y",
            "2:14: `f` is a whole property, and nothing can stand beside it | expected f(a) alone | -",
        ),
        (
            "let f(a) = ltl G a\nproperty p = f(x) after y",
            "2:14: `f` is a whole property, and nothing can stand beside it | expected f(a) alone | -",
        ),
        ("let f(a) = ltl G a\nproperty p = f(x, y)", "2:14: `f` takes 1 argument, and 2 are given | expected f(a) | -"),
        ("let f(a) = ltl G a\nproperty p = f", "2:14: `f` takes 1 argument, and 0 are given | expected f(a) | -"),
        (
            "let f(a) = ltl G a\nproperty p = some f(x)",
            "2:14: `some` stands before a logic or a pattern | expected nothing, or a logic behind it | a definition that is a whole property says itself whether it asks for some order or every one",
        ),
        (
            "let f(a) = a\nproperty p = f(x)",
            "2:14: `f` is a formula, and a property begins with its logic | expected `ltl f`, or another logic | -",
        ),
        (
            "let safe(a) = ltl G a\nproperty p = saef(x)",
            "2:14: expected a logic or a pattern, found `saef` | did you mean `safe`? | as in `property mutex = ltl G !(a == 1 && b == 1)` or `property mutex = mutex(a == 1, b == 1)`",
        ),
        (
            "let f(k) = foreach v in values(k) { ltl x }\nproperty p = f(1)",
            "2:16: `k` must be given as the name of an attribute here | expected f(k) | -",
        ),
        (
            "let f(k) = foreach v in values(k) { ltl x }\nforeach w in values(m) { property p = f(n) }",
            "2:39: a loop over values cannot stand in another one | `foreach w in values(m)` is around it | `f` is itself `foreach v in values(k)`",
        ),
        (
            "let f(a) = foreach v in values(k) { ltl a }\nproperty p = f(x == $v)",
            "2:21: `$v` stands for nothing here | expected a loop around it, as in `foreach v in values(…)` | -",
        ),
        (
            "let f = some ctl EF a\nproperty p = f",
            "1:9: `some` is for properties of single orders, and CTL is about all of them | expected `ctl` | in CTL, `EF`, `EG` and `E[… U …]` ask for some order",
        ),
        (
            "let f = m2l true\nproperty p = f",
            "1:9: a definition cannot be a formula of M2L | expected `ltl`, `ctl`, `psl` or a pattern | M2L has `pred` and `macro` of its own; a definition may stand in its backquotes",
        ),
        (
            "property p = foreach a, b in values(k) { ltl x == $a }",
            "1:51: in `foreach a, b in values(k)`, `$a` is compared with attributes only | expected `event(*, ATTRIBUTE == $a)` | -",
        ),
        (
            "property p = foreach a, b in processes { ltl x }",
            "1:25: there are pairs of values, not of processes | expected one variable | as in `foreach a, b in values(message.id) { … }`: once for every two values",
        ),
        (
            "foreach a, a in values(k) { property p = ltl x }",
            "1:12: both values are called `a` | expected another name | -",
        ),
        (
            "foreach i, j in 1..2 { property p = ltl x }",
            "1:12: a loop over numbers has one variable | expected `in` | as in `foreach a, b in values(message.id) { … }`: once for every two values",
        ),
    ] {
        assert_eq!(mistakes(source).first().map(String::as_str), Some(expected), "{source}");
    }
}
