//! Text in, flat form out; and mistakes with their places.

mod mistakes;
mod outside;

use super::read;
use crate::fds::{Clause, Demand, Domain, ExprId, Fds, Role};
use posetta_logic::{Ctl, Ltl, Psl};

/// A formula with its atoms printed.
fn atoms(fds: &Fds, demand: &Demand) -> String {
    let shown = |id: &ExprId| {
        posetta_logic::Atom::State(posetta_logic::Condition::Nonzero(posetta_logic::Term::Var(
            posetta_logic::Var::now(&fds.show(*id), posetta_logic::Spot::default()),
        )))
    };
    let text = match demand {
        Demand::Ltl(f) => {
            let f: Ltl = f.map_atoms(&mut |a| shown(a));
            f.to_string()
        }
        Demand::Ctl(f) => {
            let f: Ctl = f.map_atoms(&mut |a| shown(a));
            f.to_string()
        }
        Demand::Psl(f) => {
            let f: Psl = f.map_atoms(&mut |a| shown(a));
            f.to_string()
        }
        Demand::Invariant(id) => fds.show(*id),
    };
    text.replace("$\"", "\"")
}

/// All of a model, one thing in each line.
fn flat(fds: &Fds) -> String {
    let mut lines = Vec::new();
    for v in &fds.vars {
        let role = match v.role {
            Role::State => "var",
            Role::Input => "ivar",
            Role::Frozen => "frozen",
        };
        let domain = match &v.domain {
            Domain::Bool => "boolean".to_owned(),
            Domain::Range(lo, hi) => format!("{lo}..{hi}"),
            Domain::Choice(values) => {
                let values: Vec<String> = values.iter().map(ToString::to_string).collect();
                format!("{{{}}}", values.join(", "))
            }
        };
        lines.push(format!("{role} {} : {domain}", v.name));
    }
    let mut clauses = |word: &str, list: &[Clause]| {
        for c in list {
            let sign = if c.assigns { ":=" } else { "" };
            lines.push(format!("{word}{sign} {}", fds.show(c.expr)));
        }
    };
    clauses("init", &fds.init);
    clauses("invar", &fds.invar);
    clauses("trans", &fds.trans);
    clauses("justice", &fds.justice);
    clauses("final", &fds.finals);
    for (p, q) in &fds.compassion {
        lines.push(format!("compassion ({}, {})", fds.show(p.expr), fds.show(q.expr)));
    }
    for spec in &fds.specs {
        let name = spec.name.as_ref().map_or(String::new(), |n| format!("{n}: "));
        lines.push(format!("{} {name}{}", spec.logic(), atoms(fds, &spec.demand)));
    }
    for (name, id) in &fds.defines {
        lines.push(format!("define {name} := {}", fds.show(*id)));
    }
    for w in &fds.warnings {
        lines.push(format!("warning {w}"));
    }
    lines.join("\n")
}

#[track_caller]
fn reads(source: &str, expected: &str) {
    match read(source) {
        Ok(fds) => assert_eq!(flat(&fds), expected, "\n{}", flat(&fds)),
        Err(mistakes) => panic!("{mistakes:#?}"),
    }
}

#[test]
fn a_flat_module() {
    reads(
        "MODULE main
VAR
  state : {idle, busy};
  n : 0..3;
  b : boolean;
ASSIGN
  init(state) := idle;
  next(state) := case state = idle : {idle, busy}; TRUE : idle; esac;
  next(n) := n < 3 ? n + 1 : 0;
INIT n = 0 & !b;
TRANS next(b) = (next(n) = 0)
JUSTICE state = idle;
LTLSPEC G (state = busy -> F state = idle);
LTLSPEC NAME p := G F n = 3 & O b
SPEC AG (b -> EF !b)
INVARSPEC n <= 3
PSLSPEC always ({b; state = idle} |=> n != \"idle\");
",
        "var state : {idle, busy}
var n : 0..3
var b : boolean
init:= state in idle
init n = 0
init !b
trans:= next(state) in case state = idle : {idle, busy}; TRUE : idle; esac
trans:= next(n) in case n < 3 : n + 1; TRUE : 0; esac
trans next(b) = (next(n) = 0)
justice state = idle
ltl G (\"state = busy\" -> F \"state = idle\")
ltl p: G F \"n = 3\" && O b
ctl AG (b -> EF \"!b\")
invariant n <= 3
psl always {b; \"state = idle\"} |=> \"n != idle\"",
    );
}

const PHILOSOPHERS: &str = "-- two philosophers
MODULE fork
VAR owner : {none, left, right};
DEFINE free := owner = none;
INIT owner = none

MODULE person(l, r, id, turn)
VAR state : {thinking, hungry, eating};
DEFINE mine := turn = id;
ASSIGN
  init(state) := thinking;
  next(state) := case
    mine & state = thinking : hungry;
    mine & state = hungry & l.free & r.free : eating;
    mine & state = eating : thinking;
    TRUE : state;
  esac;
  next(l.owner) := mine & next(state) = eating ? left : case l.owner = left : none; TRUE : l.owner; esac;
JUSTICE mine

MODULE main
IVAR turn : 0..1;
VAR f0 : fork; f1 : fork; p0 : person(f0, f1, 0, turn); p1 : person(f1, f0, 1, turn);
LTLSPEC NAME apart := G !(p0.state = eating & p1.state = eating)
";

#[test]
fn instances_are_flattened() {
    // `mine` reads an input, which fairness cannot.
    mistakes(PHILOSOPHERS, &["19:9: an input has no value in JUSTICE"]);
    reads(
        &PHILOSOPHERS.replace("JUSTICE mine", "JUSTICE state != hungry"),
        "ivar turn : 0..1
var f0.owner : {none, left, right}
var f1.owner : {none, left, right}
var p0.state : {thinking, hungry, eating}
var p1.state : {thinking, hungry, eating}
init f0.owner = none
init f1.owner = none
init:= p0.state in thinking
init:= p1.state in thinking
trans:= next(p0.state) in case turn = 0 & p0.state = thinking : hungry; turn = 0 & p0.state = hungry & f0.owner = none & f1.owner = none : eating; turn = 0 & p0.state = eating : thinking; TRUE : p0.state; esac
trans:= next(f0.owner) in case turn = 0 & next(p0.state) = eating : left; TRUE : case f0.owner = left : none; TRUE : f0.owner; esac; esac
trans:= next(p1.state) in case turn = 1 & p1.state = thinking : hungry; turn = 1 & p1.state = hungry & f1.owner = none & f0.owner = none : eating; turn = 1 & p1.state = eating : thinking; TRUE : p1.state; esac
trans:= next(f1.owner) in case turn = 1 & next(p1.state) = eating : left; TRUE : case f1.owner = left : none; TRUE : f1.owner; esac; esac
justice p0.state != hungry
justice p1.state != hungry
ltl apart: G \"!(p0.state = eating & p1.state = eating)\"
define f0.free := f0.owner = none
define f1.free := f1.owner = none
define p0.mine := turn = 0
define p1.mine := turn = 1",
    );
}

#[track_caller]
fn mistakes(source: &str, expected: &[&str]) {
    match read(source) {
        Ok(fds) => panic!("it was read:\n{}", flat(&fds)),
        Err(found) => {
            let found: Vec<String> = found.iter().map(ToString::to_string).collect();
            assert_eq!(found, expected, "{source}");
        }
    }
}

/// A body of `main` and what becomes of it; the variables are left out.
#[test]
fn expressions() {
    let head = "MODULE main\nVAR b : boolean; c : boolean; n : -2..5; m : 0..3; s : {red, green, 7}; a : array 1..3 of 0..3; g : array 0..1 of array 0..1 of boolean; i : 0..4;\nIVAR t : boolean;\nFROZENVAR z : 0..3;\n";
    for (body, expected) in [
        ("INIT b & c | b -> c <-> b", "init b & c | b -> c <-> b"),
        ("INIT !b = c", "init !b = c"),
        ("INIT b -> c -> b", "init b -> c -> b"),
        ("INIT (b -> c) -> b", "init (b -> c) -> b"),
        ("INIT n + m * 2 - 1 >= -m mod 3", "init n + m * 2 - 1 >= -m mod 3"),
        ("INIT n - (m - 1) = 2 / m", "init n - (m - 1) = 2 / m"),
        ("INIT b xnor c xor TRUE", "init (b <-> c) xor TRUE"),
        ("INIT b ? c : n = 1", "init case b : c; TRUE : n = 1; esac"),
        ("INIT s in {red, 7} & m in 1..2 union {0}", "init s in {red, 7}\ninit m in {1, 2, 0}"),
        ("INIT count(b, c, n = 0) <= 1", "init count(b, c, n = 0) <= 1"),
        ("INIT abs(n) = max(m, 1)", "init case n < 0 : -n; TRUE : n; esac = case m >= 1 : m; TRUE : 1; esac"),
        ("INIT toint(b) + 1 = 2 & bool(m)", "init b + 0 + 1 = 2\ninit m != 0"),
        ("INIT 1 + 2 * 3 = 7", "init TRUE"),
        ("INIT -7 / 2 = -3 & -7 mod 2 = -1", "init TRUE\ninit TRUE"),
        ("INIT a[2] = 1", "init a[2] = 1"),
        // An index that is never outside needs no last comparison.
        ("INIT a[m mod 3 + 1] = 1", "init case m mod 3 + 1 = 1 : a[1]; m mod 3 + 1 = 2 : a[2]; TRUE : a[3]; esac = 1"),
        ("INIT a[m] = 1", "init case m = 1 : a[1]; m = 2 : a[2]; m = 3 : a[3]; esac = 1"),
        ("INIT a[m + 1] = 1", "init case m + 1 = 1 : a[1]; m + 1 = 2 : a[2]; m + 1 = 3 : a[3]; esac = 1"),
        (
            "INIT i > 0 & a[i] = 1 & b",
            "init i > 0\ninit i > 0 & case i = 1 : a[1]; i = 2 : a[2]; i = 3 : a[3]; esac = 1\ninit b",
        ),
        ("INIT g[m][1]", "init case m = 0 : g[0][1]; m = 1 : g[1][1]; esac"),
        ("TRANS next(n + m) = n + z", "trans next(n) + next(m) = n + z"),
        ("TRANS next(z) = z -> t", "trans z = z -> t"),
        (
            "TRANS next(a[m]) = 0",
            "trans case next(m) = 1 : next(a[1]); next(m) = 2 : next(a[2]); next(m) = 3 : next(a[3]); esac = 0",
        ),
        ("FINAL b & c\nFINAL n = 0", "final b\nfinal c\nfinal n = 0"),
        ("JUSTICE b & c\nCOMPASSION (b, n = 1)", "justice b & c\ncompassion (b, n = 1)"),
        (
            "ASSIGN a[1] := 2; init(s) := {red, green}; next(s) := s;",
            "init:= s in {red, green}\ninvar:= a[1] in 2\ntrans:= next(s) in s",
        ),
        ("ASSIGN next(b) := {0, 1};", "trans:= next(b) in {0, 1}"),
        ("DEFINE y := x + 1; x := n; w := next(x);\nINIT y = 2", "init n + 1 = 2\ndefine x := n\ndefine y := n + 1"),
        ("INIT s = blue\nCONSTANTS blue;", "init s = blue\nwarning 5:6: this is always false"),
        ("INIT n = red", "init n = red\nwarning 5:6: this is always false"),
        ("INIT n != 6", "init n != 6\nwarning 5:6: this is always true"),
        ("/-- several\nlines --/ INIT b -- c\n& c", "init b\ninit c"),
    ] {
        let source = format!("{head}{body}\n");
        match read(&source) {
            Ok(fds) => {
                let text = flat(&fds);
                let rest: Vec<&str> =
                    text.lines().filter(|l| !l.contains("var ") && !l.starts_with("frozen ")).collect();
                assert_eq!(rest.join("\n"), expected, "{body}");
            }
            Err(found) => panic!("{body}: {found:#?}"),
        }
    }
}

#[test]
fn formulas_of_time() {
    let head = "MODULE main\nVAR p : boolean; q : boolean; n : 0..3;\nIVAR t : boolean;\n";
    for (spec, expected) in [
        ("LTLSPEC G p & F q", "ltl G p && F q"),
        ("LTLSPEC G n = 1 U q", "ltl G \"n = 1\" U q"),
        ("LTLSPEC p U q U n = 2", "ltl (p U q) U \"n = 2\""),
        ("LTLSPEC p & q U !p & q", "ltl p && q U \"!p\" && q"),
        ("LTLSPEC !G p | !q", "ltl !G p || \"!q\""),
        ("LTLSPEC p V q", "ltl p R q"),
        ("LTLSPEC Z p", "ltl !Y !p"),
        ("LTLSPEC p T q", "ltl !(!p S !q)"),
        ("LTLSPEC H (p -> O q) & Y p S q", "ltl H (p -> O q) && Y p S q"),
        ("LTLSPEC p W q | p M q | WX p", "ltl p W q || p M q || WX p"),
        ("LTLSPEC X p xor q", "ltl !(X p <-> q)"),
        ("LTLSPEC (p & q -> n = 1)", "ltl \"p & q -> n = 1\""),
        ("LTLSPEC G (t -> TRUE) & F FALSE", "ltl G true && F false"),
        ("LTLSPEC G (p & X q)", "ltl G (p && X q)"),
        (
            "SPEC AG (p -> AF q) & E [ p U AX q ] | A [ p & q U q ]",
            "ctl AG (p -> AF q) && E[p U AX q] || A[\"p & q\" U q]",
        ),
        ("CTLSPEC NAME ok := EF EG !p", "ctl ok: EF EG \"!p\""),
        ("PSLSPEC NAME r := never {p; q[*2]; -- p}\n n = 1};", "psl r: never {p; q[*2]; \"n = 1\"}"),
        ("PSLSPEC always (p -> next! q) PSLSPEC p", "psl always (p -> next! q)\npsl p"),
        ("PSLSPEC always n >= 2 / 3", "psl always \"n * 3 >= 2\""),
    ] {
        let source = format!("{head}{spec}\n");
        match read(&source) {
            Ok(fds) => {
                let text = flat(&fds);
                let rest: Vec<&str> = text.lines().filter(|l| !l.contains("var ")).collect();
                assert_eq!(rest.join("\n"), expected, "{spec}");
            }
            Err(found) => panic!("{spec}: {found:#?}"),
        }
    }
}

#[test]
fn parameters_reach_into_other_modules() {
    reads(
        "MODULE cell(up, limit, all)
VAR v : 0..limit; a : array 0..1 of boolean;
DEFINE twice := 2 * v; over := up.v > limit; first := all[0];
INVAR over -> a[0]
PSLSPEC never (a[1] && up.v == 1 / 2 && first);
LTLSPEC NAME low := G v < limit
MODULE top(x)
VAR v : 0..9; c : cell(self, 2 + 1, x);
MODULE spare
VAR lost : boolean;
MODULE main
VAR b : array 0..1 of boolean; t : top(b);
DEFINE d := t.c.twice + t.v;
INIT d = 0",
        "var b[0] : boolean
var b[1] : boolean
var t.v : 0..9
var t.c.v : 0..3
var t.c.a[0] : boolean
var t.c.a[1] : boolean
init 2 * t.c.v + t.v = 0
invar t.v > 3 -> t.c.a[0]
psl never (t.c.a[1] && \"t.v * 2 = 1\" && b[0])
ltl t.c.low: G \"t.c.v < 3\"
define d := 2 * t.c.v + t.v
define t.c.first := b[0]
define t.c.over := t.v > 3
define t.c.twice := 2 * t.c.v
warning 9:8: the module `spare` is never used",
    );
}

#[test]
fn wide_ranges_are_read_with_a_warning() {
    let fds = read("MODULE main VAR x : 0..2199023255551; y : -1..16777214; z : 0..16777216;").expect("it is fine");
    let warnings: Vec<String> = fds.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "1:21: a variable of this range takes 41 bits; stepwise searches may not end",
            "1:61: a variable of this range takes 25 bits; stepwise searches may not end"
        ]
    );
}

/// Old models write 0 and 1 for the truth values.
#[test]
fn zero_and_one_are_truth_values() {
    let show = |body: &str| {
        let fds = read(&format!("MODULE main VAR b : boolean; n : 0..3; c : {{ready, busy}};\n{body}"))
            .unwrap_or_else(|e| panic!("{body}: {e:?}"));
        assert_eq!(fds.warnings, [], "{body}");
        flat(&fds).lines().skip(3).collect::<Vec<_>>().join("; ")
    };
    for (body, expected) in [
        (
            "ASSIGN next(c) := case b : ready; 1 : {ready, busy}; esac;",
            "trans:= next(c) in case b : ready; TRUE : {ready, busy}; esac",
        ),
        (
            "ASSIGN next(c) := case 0 : ready; b : busy; 1 : ready; esac;",
            "trans:= next(c) in case b : busy; TRUE : ready; esac",
        ),
        ("ASSIGN init(b) := 0; next(b) := {0, 1};", "init:= b in 0; trans:= next(b) in {0, 1}"),
        ("DEFINE yes := 1; INIT yes -> b", "init b; define yes := 1"),
        ("INIT 1 & !0 & (b | 0)", "init TRUE; init TRUE; init b"),
        ("INIT n = 1 ? 0 : b", "init case n = 1 : 0; TRUE : b; esac = 1"),
        ("INVAR 1", "invar TRUE"),
        (
            "DEFINE d := case b : 1; 1 : 0; esac; INIT d",
            "init case b : 1; TRUE : 0; esac = 1; define d := case b : 1; TRUE : 0; esac",
        ),
        ("INIT count(1, b, 0) = 1", "init count(TRUE, b, FALSE) = 1"),
        ("LTLSPEC G (1 U b)", "ltl G (true U b)"),
        ("SPEC AG 1", "ctl AG true"),
        ("INVARSPEC 1", "invariant TRUE"),
    ] {
        assert_eq!(show(body), expected, "{body}");
    }
}

/// Equations in a circle are read, with a warning that names it.
#[test]
fn circles_are_told() {
    for (body, expected) in [
        ("a := b; b := a;", "3:1: assignments go in a circle: `a` needs `b` needs `a`"),
        ("a := b; b := !c; c := d & a; d := c;", "3:1: assignments go in a circle: `a` needs `b` needs `c` needs `a`"),
        ("a := a;", "3:1: assignments go in a circle: `a` needs `a`"),
        (
            "next(a) := next(b); next(b) := !next(a);",
            "3:1: assignments go in a circle: `next(a)` needs `next(b)` needs `next(a)`",
        ),
        (
            "init(a) := b; init(b) := a; next(a) := b; next(b) := a;",
            "3:1: assignments go in a circle: `init(a)` needs `init(b)` needs `init(a)`",
        ),
        ("a := b; next(b) := next(a);", "3:1: assignments go in a circle: `next(a)` needs `next(b)` needs `next(a)`"),
        ("a := b; init(b) := c; next(b) := a; c := d;", ""),
        ("next(a) := next(b); next(b) := a; c := a & b; next(d) := next(c);", ""),
    ] {
        let source = format!("MODULE main VAR a : boolean; b : boolean; c : boolean; d : boolean;\nASSIGN\n{body}");
        let found = read(&source).map_or_else(|e| e, |fds| fds.warnings.into());
        let found: Vec<String> =
            found.iter().map(|w| format!("{w}: {}", w.label.as_deref().unwrap_or_default())).collect();
        assert_eq!(found.join("; "), expected, "{body}");
    }
    // A long way is no depth.
    let vars: String = (0..30_000).map(|i| format!("v{i} : boolean; ")).collect();
    let assigns: String = (0..30_000).map(|i| format!("v{i} := !v{}; ", (i + 1) % 30_000)).collect();
    let fds = read(&format!("MODULE main VAR {vars} ASSIGN {assigns}")).expect("it is only long");
    assert_eq!(fds.warnings.len(), 1);
}

/// What is printed reads back as the same.
#[test]
fn printed_expressions_read_back() {
    let vars = "MODULE main VAR state : {thinking, hungry}; n : -3..3; b : boolean; a : array 0..3 of boolean;\n";
    for text in [
        "-(-n) = - -1 * n",
        "n - -3 = n mod (2 * n)",
        "(b -> b) -> (b <-> b <-> !b)",
        "(n = 1) = b",
        "!(n = 1) & (b | !b) & b xor b",
        "count(b, a[n], n in {1, -2}) + 1 > -(-2)",
        "(b ? n : 2) - (n - 1) / 2 = 1",
        "-(n + 1) < 2 & (b in b)",
        "n in (b ? {1, 2} : case state = hungry : 3; TRUE : -3..-1; esac)",
        "state in {thinking} union {hungry} & (b = (n < 2)) != FALSE",
    ] {
        let show = |text: &str| {
            let fds = read(&format!("{vars}INIT ({text}) | FALSE")).unwrap_or_else(|e| panic!("{text}: {e:?}"));
            fds.show(fds.init[0].expr)
        };
        let printed = show(text);
        assert_eq!(show(&printed), printed, "{text}");
    }
}
