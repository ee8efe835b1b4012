use super::super::*;
use super::mistakes;
use crate::{Atom, Condition, PslBinary, PslUnary, Sere, SereOp, Spot, Suffix, Term, Times, Var};

/// Parses, prints, and checks that the print parses back to the same tree.
fn psl(source: &str) -> String {
    let formula = parse_psl(source).unwrap_or_else(|e| panic!("{source}: {e:?}"));
    let printed = formula.to_string();
    assert_eq!(parse_psl(&printed).as_ref(), Ok(&formula), "{source} printed as {printed}");
    printed
}

#[test]
fn formulas_read_as_they_are_written() {
    for (source, printed) in [
        ("always {req; !ack[*]; ack} |=> done", "always {req; !ack[*]; ack} |=> done"),
        ("G({a;b[*1..30];c} |=> {d;e[*1..30];f})", "always {a; b[*1:30]; c} |=> {d; e[*1:30]; f}"),
        ("{a;false}! abort b", "{a; false}! abort b"),
        ("(X! ({a;b} && {a})!) abort c", "(next! {{a; b} && {a}}!) abort c"),
        ("X! ({a;b} && {a})! abort c", "next! ({{a; b} && {a}}! abort c)"),
        ("always (a -> next b)", "always (a -> next b)"),
        ("always a -> next b", "always (a -> next b)"),
        ("a && X b", "a && next b"),
        ("{a} |-> b until c", "{a} |-> (b until c)"),
        ("{a} |-> b && c", "{a} |-> (b && c)"),
        ("{a} |-> X b && c || d", "{a} |-> ((next b && c) || d)"),
        ("{a} |-> b -> c", "({a} |-> b) -> c"),
        ("a && {b} |-> c && d", "a && ({b} |-> (c && d))"),
        ("a -> {b} |-> c", "a -> ({b} |-> c)"),
        ("{a} |-> {b} |=> c", "{a} |-> ({b} |=> c)"),
        ("X {a} |-> b", "next ({a} |-> b)"),
        ("a until b && c", "(a until b) && c"),
        ("a until b until c", "a until (b until c)"),
        ("X a until b", "next a until b"),
        ("a U b W c", "a until! (b until c)"),
        ("a until!_ b until_ c", "a until!_ (b until_ c)"),
        (
            "a before b before!_ c && d before! e || f before_ g",
            "((a before (b before!_ c)) && (d before! e)) || (f before_ g)",
        ),
        ("!a until b", "!a until b"),
        ("!{a}!", "!{a}!"),
        ("!a!", "!{a}!"),
        ("x == 1!", "{x == 1}!"),
        ("!(a && b)", "!(a && b)"),
        ("!(a && X b)", "!(a && next b)"),
        ("G a && b", "always (a && b)"),
        ("(G a) && b", "(always a) && b"),
        ("a && G b && c", "a && (always (b && c))"),
        ("never a && b", "never (a && b)"),
        ("never {a; b}", "never {a; b}"),
        ("never {a}", "never a"),
        ("never X a", "always !(next a)"),
        ("never {a}!", "always !{a}!"),
        ("eventually! a", "eventually! a"),
        ("eventually! {a; b}", "eventually! {a; b}"),
        ("eventually! {a; b}!", "eventually! {a; b}!"),
        ("F {a; b}", "F {a; b}"),
        ("F a", "eventually! a"),
        ("next[3] a", "next[3] a"),
        ("X![2 + 1] a", "next![3] a"),
        ("X[0] next![1] a abort b", "next[0] next![1] (a abort b)"),
        ("a abort b abort c", "(a abort b) abort c"),
        ("a abort x == 1 && c", "(a abort (x == 1)) && c"),
        ("<{a;b}> c", "<{a; b}> c"),
        ("<a;b> c && d", "<{a; b}> (c && d)"),
        ("<a; (x > 1)> X c", "<{a; x > 1}> next c"),
        ("next <a> b", "next (<{a}> b)"),
        ("a <-> b -> c", "a <-> b -> c"),
        ("a <-> X b -> c", "a <-> (next b -> c)"),
        ("a & b | c => d", "a && b || c -> d"),
        ("a & X b | c", "(a && next b) || c"),
        ("{a} && {b}", "{a} && {b}"),
        ("{a} && {b} |-> c", "{a} && ({b} |-> c)"),
        ("({a} && {b}) |-> c", "{{a} && {b}} |-> c"),
        ("({a} | {b;c})!", "{a | {b; c}}!"),
        ("(a && b)!", "{a && b}!"),
        ("a[*2] |-> b", "{a[*2]} |-> b"),
        ("{a;b}[+] |=> c", "{{a; b}[+]} |=> c"),
        ("$\"until\" && until2 && $\"next.x\"", "$\"until\" && until2 && $\"next.x\""),
        ("response(a, b)", "always (a -> eventually! b)"),
        ("next response(a, b) before c", "next (eventually! c -> ((a -> (!c until! (b && !c))) until c))"),
        ("absence(p) after q until r && s", "always (q && !(r && s) -> (!p until (r && s)))"),
        ("on(x == 1) -> X event(\"odd one\") && process(P)", "on(x == 1) -> next event(\"odd one\") && process(P)"),
        ("event(abort) && event(next)", "event(abort) && event(next)"),
    ] {
        assert_eq!(psl(source), printed, "{source}");
    }
}

#[test]
fn seres_read_as_they_are_written() {
    for (source, printed) in [
        ("a;b:c|d&e&&f within g", "a; b : c | {d & e} && f within g"),
        ("a:b;c|d:e", "a : b; c | d : e"),
        ("a && b", "a && b"),
        ("{a} && b", "{a} && {b}"),
        ("{a} && {b} && c", "{a} && {b} && {c}"),
        ("a & b", "a & b"),
        ("a | b", "a | b"),
        ("a || b; c", "a || b; c"),
        ("a || b | c", "(a || b) | c"),
        ("a -> b; c", "a -> b; c"),
        ("!(a | b); c", "!(a || b); c"),
        ("(a|b)[->2]", "(a || b)[->2]"),
        ("{a|b}[*2]", "{a | b}[*2]"),
        ("a && b[*]", "{a} && b[*]"),
        ("(a && b)[*]", "(a && b)[*]"),
        ("!a[*]", "!a[*]"),
        ("x == 1[*2]", "(x == 1)[*2]"),
        ("x[0][*2]", "x[0][*2]"),
        ("a[*2:3];a[*2..3];a[*2:inf];a[*2:$];a[*2..inf]", "a[*2:3]; a[*2:3]; a[*2:inf]; a[*2:inf]; a[*2:inf]"),
        ("a[*];a[+];a[*0:inf];a[*1:inf];a[*3:3]", "a[*]; a[+]; a[*]; a[+]; a[*3]"),
        ("[*];[+];[*0];[*2];[*2:3]", "[*]; [+]; [*0]; [*2]; [*2:3]"),
        ("a[->];a[->2];a[->2:3];a[->1:inf]", "a[->]; a[->2]; a[->2:3]; a[->1:inf]"),
        ("a[=0];a[=2];a[=2:inf]", "a[=0]; a[=2]; a[=2:inf]"),
        ("a[*2][*3]", "{a[*2]}[*3]"),
        ("{a;b}[*]", "{a; b}[*]"),
        ("{a;b};c", "{a; b}; c"),
        ("a within b within c", "a within b within c"),
        ("a within {b within c}", "a within {b within c}"),
        ("{{{a}}}", "a"),
    ] {
        assert_eq!(psl(&format!("{{{source}}}!")), format!("{{{printed}}}!"), "{source}");
        assert_eq!(psl(&format!("{{{source}}} |-> p")), format!("{{{printed}}} |-> p"), "{source}");
    }
}

#[test]
fn mistakes_say_where_and_what_was_expected() {
    const FULL: &str = "a SERE is made of booleans with `;` `:` `|` `&` `&&` `within` and repetition; what holds behind it stands after `|->` or `|=>`";
    const BOOLEANS: &str = "`abort`, and in SEREs `!`, `->`, `[->n]` and `[=n]` take booleans; to say that a SERE does not come, write `never`";
    const OPERATOR: &str = "expected an operator or the end of the formula";
    for (source, expected) in [
        ("{a; b", "1:6: expected `}`, found the end | expected `}` for the `{` in column 1 | -".to_owned()),
        ("{a; }", "1:5: expected a SERE, found `}` | expected a SERE | -".to_owned()),
        ("{}", "1:2: expected a SERE, found `}` | expected a SERE | -".to_owned()),
        ("a; b", format!("1:2: {OPERATOR}, found `;` | {OPERATOR} | SEREs stand in braces, as in {{a; b}}")),
        ("a R b", format!("1:3: {OPERATOR}, found `R` | {OPERATOR} | `R` is an operator of LTL that PSL does not have")),
        ("<a; b", "1:6: expected `>`, found the end | expected `>` for the `<` in column 1 | -".to_owned()),
        ("{a[*3:2]}", "1:3: no number is at least 3 and at most 2 | expected the smaller one first | -".to_owned()),
        ("{a[->0]}", "1:3: `[->…]` goes on to a position, so it counts from 1 | expected a number from 1 | -".to_owned()),
        (
            "{a[*5000000000]}",
            "1:3: a number of times is at least 0 and at most 4294967295, and this one is 5000000000 | expected another number | -".to_owned(),
        ),
        ("{a[*n]}", "1:5: `n` is neither a parameter nor a loop variable here | expected a whole number | an index is worked out before any run is read; a variable cannot be one".to_owned()),
        ("{[->2]}", "1:2: there is nothing to count before this | expected a boolean on its left | -".to_owned()),
        ("{a; next b}", format!("1:5: a SERE is needed here | this is a formula | {FULL}")),
        ("{{a}!; b}", format!("1:2: a SERE is needed here | with its `!` this is a formula | {FULL}")),
        ("(a until b) |-> c", format!("1:1: a SERE is needed here | this is a formula | {FULL}")),
        ("{!{a;b}; c}", format!("1:3: a boolean is needed here | this is a SERE | {BOOLEANS}")),
        ("{{a;b}[->]}", format!("1:2: a boolean is needed here | this is a SERE | {BOOLEANS}")),
        ("a abort {b}", format!("1:9: a boolean is needed here | this is a SERE | {BOOLEANS}")),
        ("a abort (next b)", "1:9: a boolean is needed here | this is a formula | temporal operators stand outside of SEREs, as in {a; b} |-> next c".to_owned()),
        ("until b", "1:1: `until` needs a formula on its left | expected a formula | a variable called until is written $\"until\"".to_owned()),
        ("next == 1", "1:6: expected a formula, found `==` | expected a formula | a variable called next is written $\"next\"".to_owned()),
        ("eventually a", format!("1:12: {OPERATOR}, found `a` | {OPERATOR} | PSL writes `eventually!`: there is no weak one")),
        ("starts(p)", "1:1: this pattern looks back, and PSL has no operators of the past | expected a PSL formula | write the property in LTL, or say with a SERE what comes first: {!p; p}".to_owned()),
        ("a < b < c", "1:7: comparisons do not chain | a second comparison | write `a < b && b < c`".to_owned()),
    ] {
        assert_eq!(mistakes(parse_psl(source)), [expected], "{source}");
    }
}

/// Draws numbers, the same for each seed (Marsaglia's xorshift).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    fn atom(&mut self) -> Guard {
        let name = ["a", "b", "until", "x.y[3]", "odd name", "R", "enabled"][self.roll(7) as usize];
        let term = Term::Var(Var::now(name, Spot::default()));
        Guard::Atom(match self.roll(6) {
            0 => Atom::State(Condition::Compare(crate::Compare::Gt, term, Term::Number(1.into()))),
            1 => Atom::On(Condition::Nonzero(term)),
            2 => Atom::Event(name.to_owned()),
            3 => Atom::Enabled(name.to_owned()),
            _ => Atom::State(Condition::Nonzero(term)),
        })
    }

    fn guard(&mut self, depth: u64) -> Guard {
        let choice = if depth == 0 || self.roll(2) == 0 { 0 } else { 1 + self.roll(5) };
        let mut sub = || Box::new(self.guard(depth - 1));
        match choice {
            1 => Guard::Not(sub()),
            2 => Guard::And(vec![*sub(), *sub()]),
            3 => Guard::Or(vec![*sub(), *sub(), *sub()]),
            4 => Guard::Implies(sub(), sub()),
            5 => Guard::Iff(sub(), sub()),
            _ => match self.roll(8) {
                0 => Guard::True,
                1 => Guard::False,
                _ => self.atom(),
            },
        }
    }

    fn times(&mut self, least: u32) -> Times {
        let min = least + self.roll(3) as u32;
        Times { min, max: (self.roll(2) == 0).then(|| min + self.roll(3) as u32) }
    }

    fn sere(&mut self, depth: u64) -> Sere {
        if depth == 0 {
            return Sere::Bool(self.guard(1));
        }
        const OPS: [SereOp; 6] =
            [SereOp::Concat, SereOp::Fusion, SereOp::Or, SereOp::And, SereOp::Intersect, SereOp::Within];
        match self.roll(10) {
            0..6 => {
                let op = OPS[self.roll(6) as usize];
                let parts = 2 + self.roll(2);
                Sere::Chain(op, (0..parts).map(|_| self.sere(depth - 1)).collect())
            }
            6 | 7 => Sere::Repeat(Box::new(self.sere(depth - 1)), self.times(0)),
            8 => Sere::Goto(self.guard(1), self.times(1)),
            _ => Sere::Occur(self.guard(1), self.times(0)),
        }
    }

    fn formula(&mut self, depth: u64) -> Psl {
        if depth == 0 {
            return match self.roll(2) {
                0 => Psl::Bool(self.guard(2)),
                _ => Psl::Sere { sere: self.sere(2), strong: self.roll(2) == 0 },
            };
        }
        let mut sub = || Box::new(self.formula(depth - 1));
        let (f, g, h) = (sub(), sub(), sub());
        let temporal = |f: &Psl| !matches!(f, Psl::Bool(_));
        let (strong, inclusive) = (self.roll(2) == 0, self.roll(2) == 0);
        match self.roll(14) {
            0 if temporal(&f) => Psl::Not(f),
            1 if temporal(&f) || temporal(&g) => Psl::And(vec![*f, *g]),
            2 if temporal(&f) || temporal(&g) => Psl::Or(vec![*f, *g, *h]),
            3 if temporal(&f) || temporal(&g) => Psl::Implies(f, g),
            4 if temporal(&f) || temporal(&g) => Psl::Iff(f, g),
            5 => Psl::Unary(PslUnary::Next, f),
            6 => Psl::Unary(PslUnary::StrongNext, f),
            7 => Psl::Unary(PslUnary::Globally, f),
            8 => Psl::Unary(PslUnary::Finally, f),
            9 => Psl::NextTimes { strong, count: self.roll(4) as u32, formula: f },
            10 => Psl::Binary(PslBinary::Until { strong, inclusive }, f, g),
            11 => Psl::Binary(PslBinary::Before { strong, inclusive }, f, g),
            12 if strong => Psl::Never(self.sere(2)),
            12 => Psl::Eventually(self.sere(2)),
            13 if strong => Psl::Abort(f, self.guard(2)),
            _ => {
                let op = [Suffix::Overlapping, Suffix::After, Suffix::Some][self.roll(3) as usize];
                Psl::Suffix(op, self.sere(2), f)
            }
        }
    }
}

#[test]
fn every_tree_prints_back() {
    for seed in 1..4_000 {
        let mut dice = Dice(u64::wrapping_mul(seed, 0x9e37_79b9_7f4a_7c15));
        let depth = dice.roll(4);
        let formula = dice.formula(depth);
        let printed = formula.to_string();
        assert_eq!(parse_psl(&printed).as_ref(), Ok(&formula), "seed {seed}: {printed}");
    }
}

#[test]
fn depth_has_a_limit() {
    for source in [
        "{".repeat(1_000_000),
        "X ".repeat(1_000_000),
        "<a> ".repeat(1_000_000),
        "{a} |-> ".repeat(1_000_000),
        "a until ".repeat(1_000_000),
        format!("{{a{}}}", "[*]".repeat(100_000)),
        format!("a{}", "!".repeat(100_000)),
        format!("a{}", " abort b".repeat(100_000)),
    ] {
        assert_eq!(parse_psl(&source).expect_err("too deep")[0].kind, posetta_base::Kind::Nesting);
    }
    let long = format!("{{{}}}", vec!["p"; 100_000].join(";"));
    assert!(parse_psl(&long).is_ok());
}

const WORDS: [&str; 48] = [
    "p",
    "x",
    "state[0]",
    "$\"q r\"",
    "1",
    "true",
    "false",
    "on(p)",
    "event(e)",
    "X",
    "X!",
    "G",
    "F",
    "U",
    "W",
    "always",
    "never",
    "eventually!",
    "next",
    "next!",
    "next[2]",
    "until",
    "until!_",
    "before_",
    "abort",
    "within",
    "(",
    ")",
    "{",
    "}",
    "{",
    "}",
    "<",
    ">",
    "!",
    "&&",
    "||",
    "&",
    "|",
    "->",
    "<->",
    ";",
    ":",
    "|->",
    "|=>",
    "[*]",
    "[->2]",
    "[=1:2]",
];

proptest::proptest! {
    #[test]
    fn no_text_makes_the_parser_panic(source in "\\PC*") {
        let _ = parse_psl(&source);
    }

    #[test]
    fn what_parses_prints_back(soup in proptest::collection::vec(0..WORDS.len(), 0..14)) {
        let source = soup.iter().map(|&i| WORDS[i]).collect::<Vec<_>>().join(" ");
        if parse_psl(&source).is_ok() {
            psl(&source);
        }
        let _ = crate::read_props(&format!("let s = {source}\nproperty p = psl {source}\nproperty q = ltl s"));
    }
}
