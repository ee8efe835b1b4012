//! Text in, flat form out; and mistakes with their places.

use super::read;
use crate::base::Kind;
use crate::logic::{Ctl, Ltl, Property, Psl};
use crate::model::fds::{Clause, Demand, Domain, ExprId, Fds, Role};

/// A formula with its atoms printed.
fn atoms(fds: &Fds, demand: &Demand) -> String {
    let shown = |id: &ExprId| {
        crate::logic::Atom::State(crate::logic::Condition::Nonzero(crate::logic::Term::Var(crate::logic::Var {
            name: fds.show(*id),
            spot: crate::logic::Spot::default(),
        })))
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
fn mistakes_have_places_and_advice() {
    let head = "MODULE main\nVAR b : boolean; n : 0..3; s : {red, green}; a : array 0..2 of boolean;\nIVAR t : boolean;\nFROZENVAR z : 0..3;\n";
    for (body, expected) in [
        ("INIT bb", &["5:6: nothing here is called `bb`"][..]),
        ("INIT n-1 = 0", &["5:6: nothing here is called `n-1`"]),
        ("INIT n", &["5:6: a truth value is needed here"]),
        ("INIT b & n", &["5:10: a truth value is needed here"]),
        ("INIT (b -> n) | b", &["5:12: a truth value is needed here"]),
        ("INIT s < red", &["5:6: symbols have no order"]),
        ("INIT s + 1 = 2", &["5:6: there is no arithmetic on symbols"]),
        ("INIT n = {1, 2}", &["5:10: a set cannot stand here"]),
        ("INIT next(b)", &["5:6: `next` has no meaning in INIT"]),
        ("INIT t", &["5:6: an input has no value in INIT"]),
        ("INVAR b & t", &["5:11: an input has no value in INVAR"]),
        ("TRANS next(t)", &["5:12: the next value of an input means nothing"]),
        ("TRANS next(next(b))", &["5:7: `next` inside `next`"]),
        ("INVARSPEC t", &["5:11: an input has no value in INVARSPEC"]),
        ("SPEC AG t", &["5:9: an input has no value in CTL"]),
        ("LTLSPEC G next(b)", &["5:11: `next` has no meaning in LTL"]),
        ("LTLSPEC G n", &["5:11: a truth value is needed here"]),
        ("LTLSPEC n + X b", &["5:13: an operator of time cannot stand inside a value"]),
        ("LTLSPEC b R b", &["5:11: `R` cannot stand here"]),
        ("LTLSPEC AG b", &["5:9: `AG` is a word of the language"]),
        ("SPEC ABF 1..3 b", &["5:6: this is outside the subset of SMV that is read"]),
        ("SPEC b U b", &["5:8: `U` cannot stand here"]),
        ("PSLSPEC always (b -> nex n)", &["5:26: expected an operator or the end of the formula, found `n`"]),
        ("PSLSPEC\n  always (b -> xx)", &["6:16: nothing here is called `xx`"]),
        ("PSLSPEC always s", &["5:16: a symbol by itself is neither true nor false"]),
        ("PSLSPEC always (n / n == 1)", &["5:21: a model divides by constants only"]),
        ("ASSIGN next(n) := 4;", &["5:19: `n` is never `4`"]),
        ("ASSIGN next(s) := b ? red : b;", &[]),
        ("ASSIGN next(s) := b;", &["5:19: `s` never has this value"]),
        ("ASSIGN init(n) := 1; init(n) := 2;", &["5:27: `n` is assigned twice"]),
        ("ASSIGN n := 1; next(n) := 2;", &["5:21: `n` is assigned both always and for the first or the next state"]),
        ("ASSIGN t := TRUE;", &["5:8: an input cannot be assigned"]),
        ("ASSIGN next(z) := 1;", &["5:13: a frozen variable keeps its first value"]),
        ("ASSIGN a := TRUE;", &["5:8: a whole array cannot be assigned"]),
        ("ASSIGN a[n] := TRUE;", &["5:8: this is not always the same variable"]),
        ("DEFINE d := n; ASSIGN d := 1;", &[]),
        ("DEFINE d := n + 1; ASSIGN d := 1;", &["5:27: only variables can be assigned"]),
        ("DEFINE d := e; e := f + 1; f := d;", &["5:33: `d` is defined by itself"]),
        ("DEFINE n := 1;", &["5:8: `n` is declared twice"]),
        ("VAR red : boolean;", &["2:33: `red` is both a name and a symbol"]),
        ("VAR x : 3..1;", &["5:9: the range 3..1 is empty"]),
        ("VAR x : 0..n;", &["5:12: a type needs constants"]),
        ("VAR x : {u, u};", &["5:13: `u` is twice in this enumeration"]),
        ("VAR x : word[8];", &["5:9: words are outside the subset of SMV that is read"]),
        ("VAR x : process Foo;", &["5:9: processes are outside the subset of SMV that is read"]),
        ("VAR x : clock;", &["5:9: clocks are outside the subset of SMV that is read"]),
        ("VAR x : -9223372036854775807..0; y : procces Foo;", &["5:46: `Foo` cannot stand here"]),
        ("VAR x : Foo;", &["5:9: there is no module `Foo`"]),
        ("VAR x : main;", &["5:9: the module `main` is a part of itself"]),
        (
            "VAR x : array 0..1 of Foo();",
            &["5:23: an array of instances of `Foo` is outside the subset of SMV that is read"],
        ),
        ("VAR x : array 0..1099511627776 of boolean;", &["5:5: the model has too many variables"]),
        ("VAR x : array 0..2000 of array 0..2000 of boolean;", &["5:5: the model has too many variables"]),
        ("VAR x : 0..99999999999999999999;", &["5:12: an integer past 9223372036854775807"]),
        ("VAR x : 0..4611686018427387904;\nINIT x * 2 > 1", &["6:6: numbers past 2^62 cannot be calculated with"]),
        ("INIT a[3]", &["5:8: this index is outside of the array"]),
        ("INIT a[s]", &["5:8: an index is a number"]),
        ("INIT a", &["5:6: a whole array is no value"]),
        ("INIT n.x = 1", &["5:6: this has no parts with names"]),
        ("INIT n in 3..1", &["5:11: this range is empty"]),
        ("INIT abs(n, 1) = 1", &["5:6: `abs` takes 1 argument"]),
        ("INIT n == 1", &["5:9: `=` cannot stand here"]),
        ("INIT (b", &["5:8: the model ends too early"]),
        ("INIT b b", &["5:8: `b` cannot stand here"]),
        ("INIT 1_000 = n", &["5:6: this is not an integer"]),
        ("INIT \"red\" = s", &["5:6: SMV has no strings"]),
        ("INIT b << 2", &["5:8: this is outside the subset of SMV that is read"]),
        ("MIRROR b", &["5:1: `MIRROR` is outside the subset of SMV that is read"]),
        ("VARS x : boolean;", &["5:6: `x` cannot stand here"]),
        // One mistake does not hide the next; a case that is left open does not spill.
        (
            "ASSIGN next(n) := case b : n +; TRUE : 0; esac; next(b) = 1;\nINIT q\nINIT r",
            &["5:31: `;` cannot stand here", "5:57: `=` cannot stand here"],
        ),
        (
            "INIT q\nINIT r\nLTLSPEC G w",
            &["5:6: nothing here is called `q`", "6:6: nothing here is called `r`", "7:11: nothing here is called `w`"],
        ),
        ("LTLSPEC NAME x := b LTLSPEC NAME x := !b", &["5:34: two properties are called `x`"]),
        ("/-- open", &["5:1: this comment does not end"]),
        ("MODULE m(x)\nVAR y : 0..x;\nMODULE k\nVAR q : m(1, 2);", &[]),
        ("VAR i : m(1, 2);\nMODULE m(x)", &["5:9: the module `m` takes 1 argument"]),
        ("VAR i : m(1);\nINIT i.z = 1\nMODULE m(x)\nVAR y : boolean;", &["6:8: the module `m` declares no `z`"]),
        ("VAR i : m;\nINIT i\nMODULE m", &["6:6: an instance of a module is no value"]),
        ("VAR i : m;\nMODULE m VAR j : k;\nMODULE k VAR l : m;", &["7:18: the module `m` is a part of itself"]),
    ] {
        let source = format!("{head}{body}");
        let found: Vec<String> = read(&source).err().unwrap_or_default().iter().map(ToString::to_string).collect();
        assert_eq!(found, expected, "{body}");
    }
    for (source, expected) in [
        ("", "the model is empty"),
        ("-- nothing", "the model is empty"),
        ("VAR x : boolean;", "1:1: `VAR` cannot stand here"),
        ("MODULE m", "1:8: the model has no module `main`"),
        ("MODULE main(x)", "1:13: `main` has no parameters"),
        ("MODULE main MODULE main", "1:20: `main` is declared twice"),
    ] {
        mistakes(source, &[expected]);
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
fn nothing_is_nested_or_unfolded_without_end() {
    let main = |body: &str| format!("MODULE main VAR b : boolean; n : 0..3;\n{body}");
    for (source, kind) in [
        (main(&format!("INIT {}b", "(".repeat(100_000))), Kind::Nesting),
        (main(&format!("INIT {}b", "!".repeat(100_000))), Kind::Nesting),
        (main(&format!("INIT {}", "b -> ".repeat(100_000))), Kind::Nesting),
        (main(&format!("INIT {}", "b ? b : ".repeat(100_000))), Kind::Nesting),
        (main(&format!("INIT {}", "case b : ".repeat(100_000))), Kind::Nesting),
        (main(&format!("INIT {}", "b[".repeat(100_000))), Kind::Nesting),
        (main(&format!("LTLSPEC {} b", "X ".repeat(100_000))), Kind::Nesting),
        (main(&format!("LTLSPEC {} G b", "G b xor ".repeat(1000))), Kind::Nesting),
        (main(&format!("SPEC {} b", "E [ ".repeat(100_000))), Kind::Nesting),
        (main(&format!("PSLSPEC {}b", "(".repeat(100_000))), Kind::Nesting),
        (main(&format!("VAR x : {} boolean;", "array 0..0 of ".repeat(100_000))), Kind::Nesting),
        (
            // Each module has ten of the next.
            (0..12).fold(String::from("MODULE main VAR x : m0;"), |text, i| {
                let parts: String = (0..10).map(|k| format!("x{k} : m{};", i + 1)).collect();
                format!("{text}\nMODULE m{i} VAR {parts}")
            }) + "MODULE m12",
            Kind::TooLarge,
        ),
        (
            (0..300).fold(String::from("MODULE main VAR x : m0;"), |text, i| {
                format!("{text}\nMODULE m{i} VAR x : m{};", i + 1)
            }) + "MODULE m300",
            Kind::Nesting,
        ),
        (
            main("VAR g : array 0..200 of array 0..200 of boolean; i : 0..200;") + &"INIT g[i][i]\n".repeat(200),
            Kind::TooLarge,
        ),
    ] {
        let found = read(&source).err().unwrap_or_default();
        assert_eq!(found.first().map(|d| d.kind), Some(kind), "{:.200}: {found:?}", source);
    }
    // Long chains and long lists of definitions are no depth.
    let defines: String = (0..20_000).map(|i| format!("d{i} := d{} | b;", i + 1)).collect();
    let long = main(&format!(
        "DEFINE {defines} d20000 := b;\nINIT d0 & {}\nLTLSPEC {} b",
        "b & ".repeat(20_000) + "b",
        "G b & ".repeat(20_000)
    ));
    let fds = read(&long).expect("it is only long");
    assert_eq!(fds.init.len(), 20_002);
    assert!(fds.show(fds.defines["d0"]).ends_with('…'));
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

/// What is printed reads back as the same.
#[test]
fn printed_expressions_read_back() {
    let fds = read(&PHILOSOPHERS.replace("JUSTICE mine", "")).expect("it is fine");
    let vars = "MODULE main VAR state : {thinking, hungry}; n : -3..3; b : boolean; a : array 0..3 of boolean;\n";
    assert!(fds.trans.len() == 4);
    for text in [
        "-(-n) = - -1 * n",
        "n - -3 = n mod (2 * n)",
        "(b -> b) -> (b <-> b <-> !b)",
        "(n = 1) = b",
        "!(n = 1) & (b | !b) & b xor b",
        "count(b, a[n], n in {1, -2}) + 1 > -(-2)",
        "(b ? n : 2) - (n - 1) / 2 = 1",
        "-(n + 1) < 2 & (b in b)",
    ] {
        let show = |text: &str| {
            let fds = read(&format!("{vars}INIT ({text}) | FALSE")).unwrap_or_else(|e| panic!("{text}: {e:?}"));
            fds.show(fds.init[0].expr)
        };
        let printed = show(text);
        assert_eq!(show(&printed), printed, "{text}");
    }
}

/// Pieces of good models, shuffled and damaged, are read or refused with mistakes in their text.
#[test]
fn damaged_models_are_refused_with_a_place() {
    let seeds = [
        PHILOSOPHERS,
        "MODULE main VAR x : 0..7; a : array -1..2 of {u, v, 3}; b : boolean; FROZENVAR z : boolean; IVAR t : 0..3;\nDEFINE d := case b : x; TRUE : t; esac; e := a[x] = u;\nASSIGN init(x) := {0, 1} union 3..4; next(x) := (x + t) mod 8; a[0] := b ? u : {v, 3};\nTRANS next(b) xor z -> abs(next(x) - x) <= max(1, t)\nINVAR x != 3 & (a[x mod 2] = u | !b) FINAL b; COMPASSION (b, x = 0) LTLSPEC NAME n := G (b U x = 1) & F Z !b T z; SPEC AG (b -> E [ b U !z ]); PSLSPEC {b; x > 1/2}[*2] |-> next! z; INVARSPEC count(b, z) < 2 -- end",
        "MODULE m(p, q) VAR v : p..q; k : boolean; ASSIGN next(v) := v < q ? v + 1 : p; PSLSPEC always (v <= 3 -> k abort !k)\nMODULE main VAR i : m(0, 3); j : m(-1, i.q); LTLSPEC H (i.v = j.v -> O i.k);",
    ];
    let mut rng = fastrand::Rng::with_seed(7);
    let words: Vec<&str> = seeds.iter().flat_map(|s| s.split_inclusive([' ', ';', '('])).collect();
    for round in 0..4000 {
        let mut text = seeds[rng.usize(..seeds.len())].to_owned();
        for _ in 0..=rng.usize(..4) {
            let cut = |at: usize, text: &str| (at..=text.len()).find(|&i| text.is_char_boundary(i)).unwrap_or(0);
            let at = cut(rng.usize(..=text.len()), &text);
            let end = cut((at + rng.usize(..12)).min(text.len()), &text);
            match rng.u8(..4) {
                0 => text.replace_range(at..end, ""),
                1 => text.insert_str(at, words[rng.usize(..words.len())]),
                2 => text.insert(at, rng.char(..)),
                _ => text.replace_range(at..end, words[rng.usize(..words.len())]),
            }
        }
        match read(&text) {
            Ok(mut fds) => {
                for clause in fds.init.iter().chain(&fds.invar).chain(&fds.trans) {
                    assert!(!fds.show(clause.expr).is_empty());
                }
                for spec in &fds.specs {
                    assert!(text.get(spec.span.start..spec.span.end).is_some_and(|t| !t.trim().is_empty()), "{text}");
                }
                let names: Vec<String> = fds.vars.iter().map(|v| v.name.to_string()).collect();
                for name in names {
                    let property = Property::ltl(&format!("G $\"{name}\" != 1.5")).expect("it is a formula");
                    let bound = fds.bind(&property).unwrap_or_else(|e| panic!("{text}: {e:?}"));
                    assert!(matches!(bound.demand, Demand::Ltl(_)));
                }
            }
            Err(found) => {
                assert!(!found.is_empty() && found.len() <= 20, "round {round}: {text}");
                for d in found {
                    let line = d.place.as_deref().map_or(1, |p| p.line) as usize;
                    assert!(line <= text.split('\n').count(), "round {round}: {d:?}");
                }
            }
        }
    }
}

#[test]
fn properties_from_outside() {
    let mut fds = read(&PHILOSOPHERS.replace("JUSTICE mine", "VAR n : -2..5; b : boolean;\n")).expect("it is fine");
    for (text, expected, warnings) in [
        ("G (p0.state != \"eating\")", "G \"p0.state != eating\"", &[][..]),
        ("F p0.state == eating && p0.b", "F \"p0.state = eating\" && p0.b", &[]),
        ("G f0.free", "G \"f0.owner = none\"", &[]),
        ("G (p0.n / 3 < 0.5)", "G \"p0.n * 2 < 3\"", &[]),
        ("G (p0.n / -3 < 0.5)", "G \"p0.n * -1 * 2 < 3\"", &[]),
        ("G (p0.n / 2 + p1.n / 3 == 1)", "G \"p0.n * 3 + p1.n * 2 = 6\"", &[]),
        ("G (p0.n * 0.25 == 1/2 * p1.n)", "G \"p0.n = p1.n * 2\"", &[]),
        ("G p0.n", "G \"p0.n != 0\"", &[]),
        ("G (p0.b == true && p0.b == TRUE)", "G (\"p0.b = 1\" && \"p0.b = TRUE\")", &[]),
        (
            "G p0.state != \"eatin\"",
            "G \"p0.state != eatin\"",
            &["1:15: the model has no symbol `eatin`, so nothing equals it"],
        ),
        ("G p0.state != none", "G \"p0.state != none\"", &["1:3: this is always true"]),
        ("G p0.state == 0.5", "G FALSE", &["1:3: this is always false"]),
        ("G turn == 0", "G \"turn = 0\"", &[]),
    ] {
        let property = Property::ltl(text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        let spec = fds.bind(&property).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        assert_eq!(atoms(&fds, &spec.demand), expected, "{text}");
        let told: Vec<String> = spec.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(told, warnings, "{text}");
        assert_eq!(spec.text(), text);
    }
    for (text, expected) in [
        ("G p0.stat == eating", &["1:3: the model has no variable `p0.stat`"][..]),
        ("G (x && y)", &["1:4: the model has no variable `x`", "1:9: the model has no variable `y`"]),
        ("G p0.state", &["1:3: a symbol by itself is neither true nor false"]),
        ("G p0.state < 2", &["1:3: symbols have no order"]),
        ("G p0.state + 1 == 2", &["1:3: there is no arithmetic on symbols"]),
        ("G p0.n / p1.n == 1", &["1:10: a model divides by constants only"]),
        ("G p0.n / 0 == 1", &["1:3: a model divides by constants only"]),
        ("G on(p0.n == 1)", &["1:6: a model has no events and no processes of a run"]),
        ("G event(go)", &["1:1: a model has no events and no processes of a run"]),
        ("G p0.n < 99999999999999999999", &["1:1: numbers past 2^62 cannot be calculated with"]),
        ("G p0.n * 0.0000000000000000000000000001 < 1", &["1:1: numbers past 2^62 cannot be calculated with"]),
    ] {
        let property = Property::ltl(text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        let found: Vec<String> =
            fds.bind(&property).err().unwrap_or_default().iter().map(ToString::to_string).collect();
        assert_eq!(found, expected, "{text}");
    }
    let events = Property::ltl_over_events("G p0.b").expect("it is a formula");
    assert!(fds.bind(&events).is_err());
    let ctl = Property::ctl("AG (turn == 0)").expect("it is a formula");
    assert_eq!(fds.bind(&ctl).map_err(|e| e[0].to_string()), Err("1:5: an input has no value in CTL".to_owned()));
    let psl =
        Property::psl_over(crate::logic::View::States, "always {p0.b; p1.b} |=> p0.n == 1").expect("it is a formula");
    let spec = fds.bind(&psl).expect("it is bound");
    assert_eq!(atoms(&fds, &spec.demand), "always {p0.b; p1.b} |=> \"p0.n = 1\"");
    assert_eq!(fds.vars.len(), 9);
}
