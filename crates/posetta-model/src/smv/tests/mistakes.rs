//! What is refused, and where.

use super::super::read;
use super::{PHILOSOPHERS, mistakes};
use crate::fds::Demand;
use posetta_base::{Diagnostic, Kind};
use posetta_logic::Property;

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
        ("LTLSPEC AG b", &["5:9: `AG` belongs to CTL"]),
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
        ("INIT a", &["5:6: a whole array is not a value"]),
        ("INIT n.x = 1", &["5:6: this has no parts with names"]),
        ("INIT n in 3..1", &["5:11: this range is empty"]),
        ("INIT abs(n, 1) = 1", &["5:6: `abs` takes 1 argument"]),
        ("INIT n == 1", &["5:8: SMV has no `==`"]),
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
        ("VAR i : m;\nINIT i\nMODULE m", &["6:6: an instance of a module is not a value"]),
        ("VAR i : m;\nMODULE m VAR j : k;\nMODULE k VAR l : m;", &["7:18: the module `m` is a part of itself"]),
    ] {
        let source = format!("{head}{body}");
        let found: Vec<String> =
            read(&source).err().map(|all| all.into_vec()).unwrap_or_default().iter().map(ToString::to_string).collect();
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

/// What is often written by those who know other languages, or older SMV, and what they are told: message, label, help.
#[test]
fn advice_is_to_the_point() {
    let head = "MODULE main\nVAR a : boolean; b : boolean; n : 0..3; c : {ready, busy};\nIVAR t : boolean;\n";
    for (body, expected) in [
        ("INIT n == 3", "4:8: SMV has no `==` (2) | equality is written `=`"),
        ("INIT (a && b)", "4:9: SMV has no `&&` (2) | and is written `&`"),
        ("DEFINE d := a || b;", "4:15: SMV has no `||` (2) | or is written `|`"),
        ("INIT a => b", "4:8: SMV has no `=>` (2) | implication is written `->`"),
        ("INIT a <=> b", "4:8: SMV has no `<=>` (3) | equivalence is written `<->`"),
        ("INIT ~a", "4:6: SMV has no `~` (1) | negation is written `!`"),
        ("INIT a and b", "4:8: SMV has no `and` (3) | and is written `&`"),
        ("DEFINE d := case a or b : 1; TRUE : 2; esac;", "4:20: SMV has no `or` (2) | or is written `|`"),
        ("INIT not a", "4:6: SMV has no `not` (3) | negation is written `!`"),
        ("INIT a & (not (b))", "4:11: SMV has no `not` (3) | negation is written `!`"),
        ("LTLSPEC [] a", "4:9: SMV has no `[]` (2) | always is written `G` in LTL and `AG` in CTL"),
        ("LTLSPEC G (a -> <> b)", "4:17: SMV has no `<>` (2) | eventually is written `F` in LTL and `AF` in CTL"),
        ("INIT n <> 3", "4:8: SMV has no `<>` (2) | what differs is compared by `!=`"),
        ("INIT n[] = 3", "4:7: `[]` cannot stand here (2) | expected an operator, `;` or a section"),
        ("INIT a ^ b", "4:8: SMV has no `^` (1) | exclusive or is written `xor`"),
        ("ASSIGN init(a) := true;", "4:19: nothing here is called `true` (4) | did you mean `TRUE`?"),
        ("INIT a = False", "4:10: nothing here is called `False` (5) | did you mean `FALSE`?"),
        (
            "INIT b := TRUE",
            "4:8: `:=` cannot stand here (2) | expected an operator, `;` or a section | this is a condition: write `=`, or assign under ASSIGN",
        ),
        (
            "INIT (b := TRUE)",
            "4:9: `:=` cannot stand here (2) | expected `)` | inside of an expression equality is written `=`",
        ),
        (
            "LTLSPEC p := G b",
            "4:11: `:=` cannot stand here (2) | expected an operator, `;` or a section | a property is named by `NAME`: `LTLSPEC NAME p := …`",
        ),
        ("VAR x : bool;", "4:9: `bool` is not a type (4) | did you mean `boolean`?"),
        ("VAR x : Boolean;", "4:9: there is no module `Boolean` (7) | did you mean `boolean`?"),
        (
            "CTLSPEC G a",
            "4:9: `G` needs a path quantifier in CTL (1) | write `AG` or `EG` | without path quantifiers it is LTL: write LTLSPEC",
        ),
        (
            "CTLSPEC AG (a -> H b)",
            "4:18: CTL has no `H` (historically) (1) | operators of the past belong to LTL | write LTLSPEC",
        ),
        (
            "LTLSPEC AG a",
            "4:9: `AG` belongs to CTL (2) | LTL has no path quantifiers | in LTL all computations are meant: write `G`; or write CTLSPEC",
        ),
        ("LTLSPEC a -> EF b", "4:14: `EF` belongs to CTL (2) | LTL has no path quantifiers | write CTLSPEC"),
        ("LTLSPEC E [ a U b ]", "4:9: `E` belongs to CTL (1) | LTL has no path quantifiers | write CTLSPEC"),
        (
            "INVARSPEC G a",
            "4:11: `G` is an operator of LTL (1) | INVARSPEC is about one state | leave `G` out: every reachable state is asked anyway",
        ),
        (
            "INVARSPEC AG a",
            "4:11: `AG` is an operator of CTL (2) | INVARSPEC is about one state | leave `AG` out: every reachable state is asked anyway",
        ),
        (
            "INIT G a",
            "4:6: `G` is an operator of LTL (globally) (1) | expected a condition without operators of time | formulas stand under LTLSPEC and CTLSPEC, and nothing else can have this name",
        ),
        (
            "ASSIGN next(c) :=\n case a : busy; TRUE : ready;\n next(b) := a;",
            "6:2: the `case` of line 5 has no `esac` (10) | expected `esac` before this",
        ),
        (
            "DEFINE d := case a : 1; TRUE : 2;\nLTLSPEC G a",
            "5:1: the `case` of line 4 has no `esac` (7) | expected `esac` before this",
        ),
        ("DEFINE d := case a : 1; TRUE : 2;", "4:34: the `case` of line 4 has no `esac` (1) | expected `esac`"),
        (
            "DEFINE d := case a : 1; TRUE : 2;\n e := case a : 3; TRUE : 4; esac; f := ;",
            "5:2: the `case` of line 4 has no `esac` (4) | expected `esac` before this; 5:40: `;` cannot stand here (1) | expected an expression",
        ),
        (
            "FAIRNESS running",
            "4:10: `running` belongs to processes, which are not read (7) | choose who moves with an input: `IVAR turn : 0..1;`, give each instance its number, and let it change only in its turn",
        ),
        (
            "VAR x : {M, S, I};",
            "4:13: `S` is a word of the language (1) | an operator of LTL (since): choose another name",
        ),
        (
            "VAR E : boolean;",
            "4:5: `E` is a word of the language (1) | an operator of CTL (on some path): choose another name",
        ),
        (
            "VAR max : boolean;",
            "4:5: `max` is a word of the language (3) | expected the name of a variable | choose another name",
        ),
        (
            "INIT c = z",
            "4:10: nothing here is called `z` (1) | expected a variable, a parameter or a definition of `main`, or a symbol | the values of `c` are `ready`, `busy`",
        ),
        (
            "INIT c != bussy",
            "4:11: nothing here is called `bussy` (5) | did you mean `busy`? | the values of `c` are `ready`, `busy`",
        ),
        (
            "INIT n = z",
            "4:10: nothing here is called `z` (1) | expected a variable, a parameter or a definition of `main`, or a symbol",
        ),
        ("INIT n = N", "4:10: nothing here is called `N` (1) | did you mean `n`?"),
        (
            "ASSIGN init(c) := z;",
            "4:19: nothing here is called `z` (1) | expected a variable, a parameter or a definition of `main`, or a symbol | the values of `c` are `ready`, `busy`",
        ),
        (
            "SPEC AG (t -> a)",
            "4:10: an input has no value in CTL (1) | this belongs to a step, not to a state | declare it under VAR, keep its last value in a variable, or write LTLSPEC",
        ),
        (
            "INVARSPEC t",
            "4:11: an input has no value in INVARSPEC (1) | this belongs to a step, not to a state | declare it under VAR, keep its last value in a variable, or write LTLSPEC",
        ),
        (
            "DEFINE arr := [1, 2, 3];",
            "4:15: this is outside the subset of SMV that is read (1) | there are no arrays that are written out | declare an array under FROZENVAR or VAR, and assign its elements one by one",
        ),
        (
            "FUN f : boolean -> boolean;",
            "4:1: `FUN` is outside the subset of SMV that is read (3) | a constant function is an array of FROZENVAR or a `case` under DEFINE",
        ),
        (
            "VAR x : m(a); y : m(a);\nMODULE m(v)\nASSIGN init(v) := TRUE;",
            "6:13: `a` is assigned twice (1) | by the instance `x` and by the instance `y` | let one module assign it, and pass to it what the instances ask for",
        ),
        (
            "VAR x : m(a); y : m(a); z : m(a);\nMODULE m(v)\nASSIGN v := TRUE;",
            "6:8: `a` is assigned twice (1) | by the instance `x` and by the instance `y` | let one module assign it, and pass to it what the instances ask for",
        ),
        ("INVARSPEC F a", "4:11: `F` is an operator of LTL (1) | INVARSPEC is about one state | write LTLSPEC"),
        ("VAR or or : boolean;", "4:8: `or` cannot stand here (2) | expected `:` and a type"),
        (
            "VAR x : process m(a); y : process m(b); z : process m(a);\nMODULE m(v)\nFAIRNESS running",
            "4:9: processes are outside the subset of SMV that is read (7) | choose who moves with an input: `IVAR turn : 0..1;`, give each instance its number, and let it change only in its turn",
        ),
        ("INIT 2", "4:6: a truth value is needed here (1) | this is the number 2 | compare it, as in `x != 0`"),
    ] {
        let source = format!("{head}{body}");
        let found: Vec<String> =
            read(&source).err().map(|all| all.into_vec()).unwrap_or_default().iter().map(advice).collect();
        assert_eq!(found.join("; "), expected, "{body}");
    }
}

/// All of a mistake, with as many letters as its caret has.
fn advice(d: &Diagnostic) -> String {
    let width = d.place.as_deref().map_or(0, |p| p.width);
    let mut text = format!("{d} ({width})");
    for part in [&d.label, &d.help].into_iter().flatten() {
        text.push_str(" | ");
        text.push_str(part);
    }
    text
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
        let found = read(&source).err().map(|all| all.into_vec()).unwrap_or_default();
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
