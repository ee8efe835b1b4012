//! What is said about mistakes: place, kind, message, label, help.

use super::super::parse_property;
use super::read;
use posetta_base::Diagnostic;

/// `column kind: message [label] (help)`, with the line if it is not the first.
fn tell(diagnostic: &Diagnostic) -> String {
    let place = diagnostic.place.as_ref().expect("every mistake has a place");
    let line = if place.line == 1 { String::new() } else { format!("{}:", place.line) };
    let mut told = format!("{line}{}+{} {}: {}", place.column, place.width, diagnostic.kind.word(), diagnostic.message);
    diagnostic.label.iter().for_each(|l| told.push_str(&format!(" [{l}]")));
    diagnostic.help.iter().for_each(|h| told.push_str(&format!(" ({h})")));
    told
}

fn mistakes(source: &str) -> String {
    let mistakes = read(source).expect_err(source);
    mistakes.iter().map(|m| tell(&m.diagnostic)).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_mistake_in_a_file() {
    let mut told = String::new();
    for source in [
        // Syntax.
        "",
        "# nothing\n",
        ";",
        "true",
        "true;;",
        "true true;",
        "var1 p q;",
        "vra1 p; true;",
        "(true;",
        "true);",
        "var1 p; p = 0};",
        "var1 p; p < 3 < 4;",
        "var1 p; var2 X; p in X in X;",
        "var1 p; p == 0;",
        "true && false;",
        "true || false;",
        "!true;",
        "true -> false;",
        "true // no\n;",
        "var1 p; p = -1;",
        "var1 p; p % 2 = 0;",
        "var1 p; p + {1} = 0;",
        "var1 p; p in {1 ... 3};",
        "var1 p; p in {1,...,3,...,5};",
        "var1 p; p in {1,...};",
        "var0 a, b; let0 x = a & b in x;",
        "let1 x = 1 in;",
        "ex1 p p = 0;",
        "ex1 in: true;",
        "pred q(p) = true;",
        "pred q(var0 a where a) = true;",
        "pred q(var1 p; true;",
        "include x;",
        "restrict true;",
        "ws1s true;",
        "ws1s; ws1s; true;",
        "\"a\";",
        "var1 é;",
        "`x == 1` = empty;",
        "true; /* not",
        "verify \"a\n\" true;",
        // What is not here.
        "ws2s; true;",
        "m2l-tree; true;",
        "guide a->(a,a); universe u:1; true;",
        "var2 [u] X; true;",
        "ex1 [u] p: p.0 = p^;",
        "var1 p; p.01 = root;",
        "import(\"a.dfa\", p -> q);",
        "execute import(\"a.dfa\");",
        "execute \"title\" true;",
        "execute export(true);",
        "export(\"a.dfa\" true);",
        "var2 X; execute X; export(\"a.dfa\", X);",
        // Names.
        "var1 pos; p = 0; poss = 1; Pos = 2;",
        "var1 p, p; var2 p;\nconst p = 2; pred p = true;",
        "ex1 p, q, p: let1 x = 0, x = 1 in true;",
        "pred q(var1 x, x) = q(x);",
        "m2l-str; var2 $; defaultwhere1(p) = true; allpos $; true;",
        "defaultwhere2(P) = true; defaultwhere2(P) = true; pred q = true; defaultwhere1(p) = true;",
        "var1 p; var2 X; allpos p; lastpos X; lastpos p; allpos X;",
        "const n = 2; pred q = true; allpos n; lastpos q; n; q + 1 = 2;",
        "ex1 y where y < z, z: true;",
        // Types.
        "var2 X; X < X;",
        "var1 p; var2 X; X in p; p sub X; p union X = X;",
        "var0 a; a = true; a ~= a;",
        "var1 p; var2 X; X = p; p = X; p ~= {X};",
        "var1 p; p; ~p; p & 3; true => {p};",
        "var1 p; min p = 0; max {p} in p; empty(p);",
        "var1 p; var2 X; p + p = 0; p + X = 0; true + 1 = 0; p * 2 = p;",
        "var1 p; p = 0 - 1; p = 6 / 0; p + 1 % {2} = p;",
        "var1 p; p = 1000001; p + 1000001 = p; p = 99999999999999999999; p = 2 * 10000000000000000000;",
        "var1 p; var2 X; X = pconst(p); X = pconst(0 - 1); X = pconst(1, 2); X = pconst;",
        "var1 p; var2 X; X(p); p(1);",
        "pred q(var1 p, var2 X) = p in X; q; q(1); q({1}, 1); q(1, 2, 3);",
        "pred q = true; q(1); const n = 1; n(2);",
        "let1 x = true, y = 2 in x = y; let2 x = 0 in x; let0 x = 1 in x;",
        "assert 1; verify 2; pred q = {}; var1 p where p; defaultwhere1(p) = 3;",
    ] {
        told.push_str(&format!("{source}\n{}\n\n", mistakes(source)));
    }
    insta::assert_snapshot!(told);
}

#[test]
fn every_mistake_in_a_property() {
    let mut told = String::new();
    for source in [
        "",
        "pred q = true;",
        "ws1s; true",
        "m2l-tree; true",
        "var1 p; p in `x == 1`",
        "var2 X, Y where X = Y; X = Y & 0 in X",
        "include \"a.mona\"; true",
        "execute true; export(\"a.dfa\", true)",
        "assert true; verify true; allpos X; lastpos p; defaultwhere1(p) = true; true",
        "pred q(var1 p where p = 0) = true; q(0)",
        "restrict(true) | prefix(true)",
        "0 in `x ==`",
        "0 in `x == 1 && y == 2`",
        "0 in `!(x == 1)` union `true`",
        "true &\n 0 in `G x == 1`",
        "0 in `x == 1",
        "0 in x",
        "`x == 1`",
        "ex1 p: p in X",
    ] {
        let mistakes = parse_property(source).expect_err(source);
        let lines: Vec<String> = mistakes.iter().map(tell).collect();
        told.push_str(&format!("{source}\n{}\n\n", lines.join("\n")));
    }
    insta::assert_snapshot!(told);
}

#[test]
fn nothing_is_too_deep_for_the_stack() {
    for (open, middle, close) in [
        ("(", "true", ")"),
        ("~", "true", ""),
        ("ex1 p: ", "true", ""),
        ("ex1 p where ", "true", ": true"),
        ("let1 x = 0 in ", "true", ""),
        ("restrict(", "true", ")"),
        ("q(", "true", ")"),
        ("true => ", "true", ""),
        ("true <=> (", "true", ")"),
        ("true & (", "true", ")"),
        ("min {", "0", "} = 0"),
        ("0 + (", "1", ") = 0"),
        ("0 + -", "1", " = 0"),
        ("0 = min ", "X", ""),
        ("0 = 0 + 1 % ", "0", ""),
        ("0 in (X \\ ", "X", ")"),
        ("", "0", " + 1"),
        ("", "X", " \\ X"),
    ] {
        for n in [1, 199, 201, 100_000] {
            let source = format!("var2 X; {}{middle}{};", open.repeat(n), close.repeat(n));
            if let Ok(program) = read(&source) {
                super::round(&program);
            }
        }
    }
    let source = format!("{}true{};", "(".repeat(500), ")".repeat(500));
    insta::assert_snapshot!(mistakes(&source), @"201+1 nesting: this formula is nested more than 200 levels deep (give parts of it names with `pred`)");
}
