//! Tests of the front end.

mod mistakes;
mod random;

use super::*;
use posetta_base::{Located, Mistakes};

/// Reads a file that includes nothing.
fn read(source: &str) -> Result<Program, Mistakes<Located>> {
    read_program("test.mona", source, &mut |_, _| Err("there is no such file".into()))
}

fn good(source: &str) -> Program {
    read(source).unwrap_or_else(|mistakes| panic!("{source}: {mistakes:?}"))
}

/// Prints a program and reads it again.
fn round(program: &Program) {
    let text = program.to_string();
    let again = good(&text);
    assert_eq!(again.to_string(), text);
    assert_eq!(&again, program, "{text}");
}

#[test]
fn formulas_print_as_they_are_grouped() {
    let vars =
        "var0 a, b, c; var1 p, q, r; var2 X, Y, Z; const N = 2; pred t = true; pred two(var1 x, var2 S) = x in S;";
    for (source, printed) in [
        ("a <=> b <=> c", "a <=> b <=> c"),
        ("(a <=> b) <=> c", "(a <=> b) <=> c"),
        ("a => b => c", "a => b => c"),
        ("(a => b) => c", "(a => b) => c"),
        ("a & b | c & a", "a & b | c & a"),
        ("a & (b | c)", "a & (b | c)"),
        ("a | (b | c)", "a | (b | c)"),
        ("~a & b", "~a & b"),
        ("~(a & b)", "~(a & b)"),
        ("~p in X", "p notin X"),
        ("~~p in X", "~p notin X"),
        ("~p = q", "p ~= q"),
        ("X ~= Y", "X ~= Y"),
        ("p > q", "q < p"),
        ("p >= q", "q <= p"),
        ("ex1 p: p in X & a", "ex1 p: p in X & a"),
        ("(ex1 p: p in X) & a", "(ex1 p: p in X) & a"),
        ("a & ex1 p: p in X | b", "a & (ex1 p: p in X | b)"),
        ("all2 V where V sub X, W: V = W", "all2 V where V sub X, W: V = W"),
        ("ex1 x where ex1 y: y = x: x = 0", "ex1 x where (ex1 y: y = x): x = 0"),
        ("ex0 z where z: z", "ex0 z where z: z"),
        ("let1 x = p + 1, y = q in x = y", "let1 x = p + 1, y = q in x = y"),
        ("let0 x = (p in X) in x & b", "let0 x = (p in X) in x & b"),
        ("let2 S = X union Y in p in S", "let2 S = X union Y in p in S"),
        ("p + 1 + 2 = q", "p + 1 + 2 = q"),
        ("p + 2 * 3 - N = q", "p + 6 - 2 = q"),
        ("p + (N - 5) = q", "p - 3 = q"),
        ("p - -1 = q", "p + 1 = q"),
        ("p + 0 = q", "p = q"),
        ("p = 5 - 7 + 3", "p = 1"),
        ("p = N * 3 / 4", "p = 1"),
        ("p + 1 % q = r", "p + 1 % q = r"),
        ("p - 1 % (q + 1) = r", "p - 1 % (q + 1) = r"),
        ("p + -1 % max X = r", "p - 1 % (max X) = r"),
        ("p + 1 % q + 1 = r", "p + 1 % q + 1 = r"),
        ("p in X union Y inter Z \\ X", "p in X union Y inter Z \\ X"),
        ("p in (X union Y) inter (Z \\ X) \\ Y", "p in (X union Y) inter Z \\ X \\ Y"),
        ("p in X \\ (Y \\ Z)", "p in X \\ (Y \\ Z)"),
        ("X = {p, 2, q,...,r, 3}", "X = {p, 2, q,...,r, 3}"),
        ("X = {} union empty", "X = empty union empty"),
        ("X = pconst(N * 3)", "X = pconst(6)"),
        ("X + 1 sub Y - 2", "X + 1 sub Y - 2"),
        ("min X + 1 = max X union Y", "min X + 1 = max X union Y"),
        ("(min X) + 1 = p", "(min X) + 1 = p"),
        ("empty(X inter Y) & ~empty(Z)", "empty(X inter Y) & ~empty(Z)"),
        ("t & t() & two(p + 1, {q})", "t & t & two(p + 1, {q})"),
        ("restrict(a) & prefix(b | c)", "restrict(a) & prefix(b | c)"),
        ("true | false", "true | false"),
        ("1 + 1 % 3 = p", "1 + 1 % 3 = p"),
    ] {
        let program = good(&format!("{vars} {source};"));
        round(&program);
        assert_eq!(program.show(&program.formula).to_string(), printed, "{source}");
    }
}

#[test]
fn declarations_come_in_an_order_in_which_they_can_be_read() {
    let source = "ws1s; /* all of them */\n\
        var0 a; a; defaultwhere1(p) = all1 r: r < p; defaultwhere2(P) = a;\n\
        pred one(var1 p, q where p < q, var2 X where 0 in X) = p in X | q in X; # comment\n\
        var2 S where one(0, 1, S), T; assert a; macro m(var0 x) = x | one(2, 3, T); var1 l; lastpos l;\n\
        assert l in S; m(l in S); verify \"it holds\" m(a); verify false;";
    let printed = "ws1s;\n\
        var0 a;\n\
        defaultwhere1(p) = all1 r: r < p;\n\
        defaultwhere2(P) = a;\n\
        pred one(var1 p, var1 q where p < q, var2 X where 0 in X) = p in X | q in X;\n\
        var2 S where one(0, 1, S);\n\
        var2 T;\n\
        var1 l;\n\
        macro m(var0 x) = x | one(2, 3, T);\n\
        lastpos l;\n\
        assert a;\n\
        assert l in S;\n\
        a;\n\
        m(l in S);\n\
        verify \"it holds\" m(a);\n\
        verify false;\n";
    let program = good(source);
    assert_eq!(program.to_string(), printed);
    round(&program);
    let names =
        |vars: &[VarId]| vars.iter().map(|v| program.vars[v.index()].name.as_str()).collect::<Vec<_>>().join(" ");
    assert_eq!(names(&program.globals), "a S T l");
    assert_eq!(program.last_position.map(|v| names(&[v])).as_deref(), Some("l"));
}

#[test]
fn a_string_is_what_its_declarations_say() {
    let short = good("m2l-str; var1 x; x in $;");
    round(&short);
    assert_eq!(short.to_string(), "m2l-str;\nvar1 x;\nx in $;\n");
    let long = good(
        "var2 $ where ~ex1 p where true: p notin $ & p+1 in $; allpos $; defaultwhere1(p) = p in $; \
         defaultwhere2(P) = P sub $; var1 x; x in $;",
    );
    assert_eq!(Program { mode: Mode::M2lStr, ..long }, short);
    assert_eq!(short.vars[short.globals[0].index()].name, "$");
    assert_eq!(short.all_positions, Some(short.globals[0]));
}

#[test]
fn names_are_those_declared_innermost() {
    let program = good("var1 p; var2 X; ex1 p: p in X & (ex2 p: 0 in p) & (let1 X = p in X = p);");
    round(&program);
    let Formula::Quantified { vars, body, .. } = &program.formula else { panic!("{program}") };
    let Formula::Joined(_, left, right) = &**body else { panic!("{program}") };
    let Formula::Joined(_, first, _) = &**left else { panic!("{program}") };
    assert_eq!(**first, Formula::In(Position::Var(vars[0]), Set::Var(program.globals[1])));
    let Formula::Let(pairs, _) = &**right else { panic!("{program}") };
    assert_eq!(pairs[0].1, Argument::Position(Position::Var(vars[0])));
}

#[test]
fn no_formula_is_true() {
    let program = good("var1 p;");
    assert_eq!(program.formula, Formula::Constant(true));
    round(&program);
}

#[test]
fn long_chains_are_not_deep() {
    for n in [2, CHAIN - 1, CHAIN, CHAIN + 1, 2 * CHAIN, 1000, 20_000] {
        let all: Vec<String> = (0..n).map(|i| format!("p ~= {}", i % 7)).collect();
        let formulas = all.join("; ");
        let (joined, sets) = (all.join(" & "), vec!["X"; n].join(" union "));
        for source in [
            format!("var1 p; {joined};"),
            format!("var1 p; {formulas};"),
            format!("var1 p; ~({});", all.join(" | ")),
            format!("var1 p; assert ({joined}) & ({joined}); {formulas};"),
            format!("var1 p; var2 X; p in {sets};"),
            format!("var1 p; var2 X; p in {};", sets.replace("union", "inter")),
        ] {
            round(&good(&source));
        }
        assert_eq!(good(&format!("var1 p; {joined};")), good(&format!("var1 p; {formulas};")));
    }
}

#[test]
fn files_include_each_other() {
    let mut load = |from: &str, asked: &str| match asked {
        "sets.mona" => Ok((
            format!("lib/{asked}"),
            "var2 X; include \"more.mona\"; pred in_x(var1 p) = p in X | small(p);".to_owned(),
        )),
        "more.mona" if from == "lib/sets.mona" => Ok((asked.to_owned(), "# a\npred small(var1 p) = p < 3;".to_owned())),
        "broken.mona" => Ok((asked.to_owned(), "pred q = \n  p in;".to_owned())),
        "wrong.mona" => Ok((asked.to_owned(), "var1 p;\nempty(p);".to_owned())),
        "headed.mona" => Ok((asked.to_owned(), "ws1s; true;".to_owned())),
        "self.mona" => Ok((asked.to_owned(), "include \"other.mona\";".to_owned())),
        "other.mona" => Ok((asked.to_owned(), "include \"self.mona\";".to_owned())),
        _ => Err("no such file".into()),
    };
    let program = read_program("main.mona", "include \"sets.mona\"; in_x(2) & X = {};", &mut load).expect("it is fine");
    assert_eq!(program.preds.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(), ["small", "in_x"]);
    for (source, file, message) in [
        ("include \"broken.mona\";", "broken.mona", "2:7: `;` cannot stand here"),
        ("true; include \"wrong.mona\";", "wrong.mona", "2:7: `p` is a position"),
        ("include \"headed.mona\";", "headed.mona", "1:1: `ws1s` cannot stand in an included file"),
        ("include \"self.mona\";", "other.mona", "1:9: \"self.mona\" includes itself"),
        ("include \"none.mona\";", "main.mona", "1:9: the file \"none.mona\" cannot be included"),
        ("include \"sets.mona\";\ninclude \"sets.mona\";", "lib/sets.mona", "1:6: `X` is declared twice"),
    ] {
        let mistakes = read_program("main.mona", source, &mut load).expect_err(source);
        assert_eq!((&*mistakes[0].file, mistakes[0].diagnostic.to_string().as_str()), (file, message));
    }
    // Each of a few files twice in the next: that is many.
    let mut doubling = |_: &str, asked: &str| {
        let text = format!("{}{}", format!("include \"{asked}x\";").repeat(2), " ".repeat(1 << 20));
        Ok((asked.to_owned(), text))
    };
    let mistakes = read_program("main.mona", "include \"x\";", &mut doubling).expect_err("too much");
    assert!(mistakes.iter().any(|m| m.diagnostic.kind == posetta_base::Kind::TooLarge));
}

#[test]
fn properties_have_atoms() {
    let program = parse_property(
        "pred near(var1 p, q) = q = p + 1; all1 p: p in `x == 1` => ex1 q: near(p, q) & q in `event(send)` | q in `x==1`",
    )
    .expect("it is fine");
    assert_eq!(program.mode, Mode::M2lStr);
    let atoms: Vec<String> = program.atoms.iter().map(|(_, a)| a.to_string()).collect();
    assert_eq!(atoms, ["x == 1", "event(send)"]);
    let globals: Vec<&str> = program.globals.iter().map(|v| program.vars[v.index()].name.as_str()).collect();
    assert_eq!(globals, ["$", "x == 1", "event(send)"]);
    let text = program.to_string();
    assert_eq!(parse_property(&text), Ok(program), "{text}");
    // Where atoms are met first depends on the order in which definitions are printed.
    for source in [
        "0 in `a`; pred p = 0 in `b`; p & 1 in `a`;",
        "m2l-str; const N = 2; `on(x == N)` sub `a[0].b` union `process(\"A`B\")`",
        "let2 S = `x == \"\\\"`\"` in empty(S) ;",
        "true",
    ] {
        let program = parse_property(source).expect(source);
        let text = program.to_string();
        assert_eq!(parse_property(&text), Ok(program), "{text}");
    }
}
