//! Models of the usual kinds whose diagrams need a good order: what belongs together is declared far apart. In SMV as NuSMV reads it.

use std::fmt::Write;
use std::ops::Range;

/// A text for each number.
pub(super) fn each(numbers: Range<u64>, text: impl Fn(u64) -> String) -> String {
    numbers.map(text).collect()
}

/// The same with something between them.
pub(super) fn all(numbers: Range<u64>, between: &str, text: impl Fn(u64) -> String) -> String {
    numbers.map(text).collect::<Vec<_>>().join(between)
}

/// Something about every two of so many.
pub(super) fn pairs(n: u64, text: impl Fn(u64, u64) -> String) -> String {
    all(1..n, " & ", |i| all(0..i, " & ", |j| text(i, j)))
}

/// Truth values that each may toggle; the specifications compare each of the first half with one of the other.
pub fn toggles(n: u64) -> String {
    let h = n / 2;
    let either = all(0..h, " | ", |i| format!("(x{i} & x{})", i + h));
    let same = all(0..h, " & ", |i| format!("(x{i} <-> x{})", i + h));
    format!("MODULE main\nVAR\n{}ASSIGN\n", each(0..n, |i| format!("  x{i} : boolean;\n")))
        + &each(0..n, |i| format!("  init(x{i}) := FALSE; next(x{i}) := {{x{i}, !x{i}}};\n"))
        + &format!("INVARSPEC !({either})\nCTLSPEC AG EF ({same})\nCTLSPEC AG (({either}) -> EX ({same}))\n")
        + &format!("LTLSPEC G ({either})\nLTLSPEC G F ({same})\n")
}

/// Pairs of far variables that an invariant of the model makes equal.
pub fn equal(n: u64) -> String {
    format!("MODULE main\nVAR\n{}", each(0..2 * n, |i| format!("  x{i} : boolean;\n")))
        + &format!("INVAR {}\nASSIGN\n", all(0..n, " & ", |i| format!("(x{i} = x{})", i + n)))
        + &each(0..n, |i| format!("  init(x{i}) := FALSE; next(x{i}) := {{x{i}, !x{i}}};\n"))
        + &format!("CTLSPEC AG (x0 -> EF !x{n})\nCTLSPEC AG EF ({})\n", all(n..2 * n, " & ", |i| format!("x{i}")))
        + &format!("INVARSPEC x1 = x{}\nLTLSPEC G (x2 -> x{})\n", n + 1, n + 2)
}

/// The same, but one of the pairs must be true.
pub fn either(n: u64) -> String {
    format!("MODULE main\nVAR\n{}", each(0..2 * n, |i| format!("  x{i} : boolean;\n")))
        + &format!("INVAR {}\nASSIGN\n", all(0..n, " | ", |i| format!("(x{i} & x{})", i + n)))
        + &each(0..2 * n, |i| format!("  init(x{i}) := TRUE; next(x{i}) := {{x{i}, !x{i}}};\n"))
        + &format!("CTLSPEC AG EF (x0 & !x{n})\nCTLSPEC EF ({})\n", all(0..n - 1, " & ", |i| format!("!x{i}")))
        + &format!("LTLSPEC G (x0 | F x{n})\n")
}

/// A sum of products of far variables that is remembered.
pub fn products(n: u64) -> String {
    let declared = |name: &'static str| each(0..n, move |i| format!("  {name}{i} : boolean;\n"));
    format!("MODULE main\nVAR\n{}{}  o : boolean;\nASSIGN\n  init(o) := FALSE;\n", declared("x"), declared("y"))
        + &format!("  next(o) := {};\n", all(0..n, " | ", |i| format!("(x{i} & y{i})")))
        + &each(0..n, |i| format!("  next(x{i}) := {{TRUE, FALSE}}; next(y{i}) := x{i};\n"))
        + "CTLSPEC AG (o -> EX !o)\nCTLSPEC AG EF o\nLTLSPEC G F !o\n"
}

/// Two shift registers with the same input, one declared after the other.
pub fn shifts(n: u64) -> String {
    let declared = |name: &'static str| each(0..n, move |i| format!("  {name}{i} : boolean;\n"));
    let moved = |name: &'static str| {
        each(0..n, move |i| {
            let from = if i == 0 { "given".to_owned() } else { format!("{name}{}", i - 1) };
            format!("  init({name}{i}) := FALSE; next({name}{i}) := {from};\n")
        })
    };
    format!("MODULE main\nVAR given : boolean;\n{}{}ASSIGN\n{}{}", declared("a"), declared("b"), moved("a"), moved("b"))
        + &format!("INVARSPEC {}\n", all(0..n, " & ", |i| format!("a{i} = b{i}")))
        + &format!("CTLSPEC AG (a{0} -> b{0})\nCTLSPEC AG EF ({1})\n", n - 1, all(0..n, " & ", |i| format!("a{i}")))
        + &format!("LTLSPEC G F (a{0} = b{0})\n", n / 2)
}

/// Numbers below 4, each copied into one that is declared somewhere else. `n` shares no factor with 7.
pub fn copies(n: u64) -> String {
    let place = |i: u64| (7 * i + 3) % n;
    format!(
        "MODULE main\nVAR\n{}{}",
        each(0..n, |i| format!("  a{i} : 0..3;\n")),
        each(0..n, |i| format!("  b{i} : 0..3;\n"))
    ) + "ASSIGN\n"
        + &each(0..n, |i| {
            let j = place(i);
            format!(
                "  init(a{i}) := 0; init(b{j}) := 0; next(a{i}) := {{a{i}, (a{i} + 1) mod 4}}; next(b{j}) := a{i};\n"
            )
        })
        + &format!(
            "CTLSPEC AG ({})\n",
            all(0..n, " & ", |i| format!("(a{i} = b{0} | a{i} = (b{0} + 1) mod 4)", place(i)))
        )
        + &format!("CTLSPEC AG EF ({})\n", all(0..n, " & ", |i| format!("a{i} = b{}", place(i))))
        + "INVARSPEC a0 = b3 | a0 = (b3 + 1) mod 4\nLTLSPEC G (a1 = 3 -> X b10 = 3)\n"
}

/// An adder of two words, bit by bit, with what it was given a step ago, and the sum as it should be.
pub fn adder(n: u64) -> String {
    let declared = |name: &'static str| each(0..n, move |i| format!("  {name}{i} : boolean;\n"));
    let carry = |i: u64| if i == 0 { "FALSE".to_owned() } else { format!("f{}.carry", i - 1) };
    let rest = |i: u64| if i == 0 { "FALSE".to_owned() } else { format!("c{i}") };
    "MODULE full(a, b, c)
VAR s : boolean;
DEFINE carry := (a & b) | (c & (a xor b));
ASSIGN init(s) := FALSE; next(s) := (a xor b) xor c;
MODULE main
VAR
"
    .to_owned()
        + &["a", "b"].map(declared).concat()
        + &each(0..n, |i| format!("  f{i} : full(a{i}, b{i}, {});\n", carry(i)))
        + &["o", "p"].map(declared).concat()
        + "ASSIGN\n"
        + &each(0..n, |i| {
            format!("  init(o{i}) := FALSE; init(p{i}) := FALSE; next(o{i}) := a{i}; next(p{i}) := b{i};\n")
        })
        + "DEFINE\n"
        + &each(1..n, |i| {
            let (k, c) = (i - 1, rest(i - 1));
            format!("  c{i} := (o{k} & p{k}) | ({c} & (o{k} xor p{k}));\n")
        })
        + &format!("CTLSPEC AG ({})\n", all(0..n, " & ", |i| format!("(f{i}.s <-> (o{i} xor p{i} xor {}))", rest(i))))
        + &format!("INVARSPEC f0.s <-> (o0 xor p0)\nCTLSPEC AG EF f{0}.s\nLTLSPEC G F !f{0}.s\n", n - 1)
}

/// Two words that are loaded and compared.
pub fn words(n: u64) -> String {
    let most = (1_u64 << n) - 1;
    format!(
        "MODULE main
VAR a : 0..{most}; b : 0..{most}; x : 0..{most}; y : 0..{most}; less : boolean; same : boolean;
ASSIGN
  init(a) := 0; init(b) := 0; init(less) := FALSE; init(same) := TRUE;
  next(a) := x; next(b) := y; next(less) := x < y; next(same) := x = y;
INVARSPEC less <-> a < b
INVARSPEC same <-> a = b
CTLSPEC AG !(less & same)
CTLSPEC AG ((!less & !same) -> a > b)
LTLSPEC G (less -> X (less | same | a > b))
"
    )
}

/// Two counters that count together, and what the first one was.
pub fn twins(n: u64) -> String {
    let (most, size) = ((1_u64 << n) - 1, 1_u64 << n);
    format!(
        "MODULE main
VAR a : 0..{most}; b : 0..{most}; was : 0..{most}; go : boolean;
ASSIGN
  init(a) := 0; init(b) := 0; init(was) := 0;
  next(a) := case go : (a + 1) mod {size}; TRUE : a; esac;
  next(b) := case go : (b + 1) mod {size}; TRUE : b; esac;
  next(was) := a;
INVARSPEC a = b
CTLSPEC AG (a >= b & b >= a)
CTLSPEC AG (a = was | a = (was + 1) mod {size})
LTLSPEC G a = b
"
    )
}

/// Many pairs of counters of 4 bits; each pair counts together.
pub fn counting(n: u64) -> String {
    let counters = |name: &'static str| each(0..n, move |i| format!("  {name}{i} : counter(e{i});\n"));
    "MODULE counter(on)
VAR v : 0..15;
ASSIGN init(v) := 0; next(v) := on ? (v + 1) mod 16 : v;
MODULE main
VAR
"
    .to_owned()
        + &each(0..n, |i| format!("  e{i} : boolean;\n"))
        + &counters("a")
        + &counters("b")
        + &each(0..n, |i| format!("INVARSPEC a{i}.v = b{i}.v\n"))
        + &format!("CTLSPEC AG EF ({})\n", all(0..n, " & ", |i| format!("a{i}.v = 0")))
        + &format!("CTLSPEC AG ({})\nLTLSPEC G a0.v = b0.v\n", all(0..n, " & ", |i| format!("a{i}.v = b{i}.v")))
}

/// A ring of stations with a token, declared in another order than it goes round.
pub fn scattered(n: u64) -> String {
    // Every number once, where `n` shares no factor with 5.
    let order: Vec<u64> = (0..n).map(|i| (5 * i + 2) % n).collect();
    let mut text = "MODULE main\nVAR\n".to_owned();
    for i in &order {
        let _ = writeln!(text, "  s{i} : {{idle, wants, works}};\n  k{i} : boolean;");
    }
    text += "ASSIGN\n";
    for &i in &order {
        let before = (i + n - 1) % n;
        let first = if i == 0 { "TRUE" } else { "FALSE" };
        let _ = write!(
            text,
            "  init(s{i}) := idle; init(k{i}) := {first};
  next(s{i}) := case s{i} = idle : {{idle, wants}}; s{i} = wants & k{i} : works; s{i} = works : idle; TRUE : s{i}; esac;
  next(k{i}) := case k{before} & s{before} != wants : TRUE; k{i} & s{i} != wants : FALSE; TRUE : k{i}; esac;
"
        );
    }
    let half = n / 2;
    text + &format!("CTLSPEC AG !(s0 = works & s1 = works)\nCTLSPEC AG (s{half} = wants -> AF s{half} = works)\n")
        + &format!("INVARSPEC {}\n", all(0..half, " & ", |i| format!("!(k{i} & k{})", (i + half) % n)))
        + "LTLSPEC G (s1 = wants -> F s1 = works)\n"
}

/// A queue of so many numbers below 8.
pub fn queue(n: u64) -> String {
    let next = |i: u64| {
        let after = if i + 1 < n { format!("q[{}]", i + 1) } else { "0".to_owned() };
        format!(
            "  init(q[{i}]) := 0;
  next(q[{i}]) := case get & put & len = {0} : v; get & len > 0 : {after}; put & !get & len = {i} : v; TRUE : q[{i}]; esac;
",
            i + 1
        )
    };
    format!(
        "MODULE main
VAR
  q : array 0..{} of 0..7; len : 0..{n}; put : boolean; get : boolean; v : 0..7;
ASSIGN
  init(len) := 0;
  next(len) := case put & !get & len < {n} : len + 1; get & !put & len > 0 : len - 1; TRUE : len; esac;
{}INVARSPEC len <= {n}
CTLSPEC AG EF len = 0
CTLSPEC AG ((len = {n} & get & !put) -> AX len = {})
CTLSPEC AG (len = 0 -> q[0] = 0)
LTLSPEC G ((len = 0 & put & !get) -> X len = 1)
",
        n - 1,
        each(0..n, next),
        n - 1
    )
}

/// An arbiter that gives a bus to so many clients in turn.
pub fn arbiter(n: u64) -> String {
    let busy = all(0..n, " | ", |i| format!("c{i}.s = use"));
    let given = each(0..n, |last| {
        each(1..n + 1, |k| {
            let i = (last + k) % n;
            format!("    last = {last} & c{i}.s = ask : {i};\n")
        })
    });
    format!(
        "MODULE client(granted)
VAR s : {{idle, ask, use}};
ASSIGN
  init(s) := idle;
  next(s) := case s = idle : {{idle, ask}}; s = ask & granted : use; s = use : {{use, idle}}; TRUE : s; esac;
JUSTICE s != use
MODULE main
VAR
  last : 0..{}; g : 0..{n};
{}DEFINE busy := {busy};
ASSIGN
  init(g) := {n}; init(last) := 0;
  next(last) := g < {n} ? g : last;
  next(g) := case
    busy : g;
{given}    TRUE : {n};
  esac;
INVARSPEC {}
CTLSPEC AG (c1.s = ask -> EF c1.s = use)
CTLSPEC AG EF !busy
LTLSPEC G (c0.s = ask -> F c0.s = use)
",
        n - 1,
        each(0..n, |i| format!("  c{i} : client(g = {i});\n")),
        pairs(n, |i, j| format!("!(c{i}.s = use & c{j}.s = use)"))
    )
}

/// Caches that keep one line: invalid, shared or modified.
pub fn caches(n: u64) -> String {
    let next = |i: u64| {
        format!(
            "  init(c{i}) := away;
  next(c{i}) := case who = {i} & op = read & c{i} = away : shared; who = {i} & op = write : owned; who = {i} & op = drop : away;
    who != {i} & op = write : away; who != {i} & op = read & c{i} = owned : shared; TRUE : c{i}; esac;
"
        )
    };
    format!("MODULE main\nIVAR who : 0..{}; op : {{read, write, drop}};\nVAR\n", n - 1)
        + &each(0..n, |i| format!("  c{i} : {{away, shared, owned}};\n"))
        + &format!("  last : 0..{};\nASSIGN\n  init(last) := 0; next(last) := op = write ? who : last;\n", n - 1)
        + &each(0..n, next)
        + &format!(
            "INVARSPEC {}\n",
            pairs(n, |i, j| format!("!(c{i} = owned & c{j} != away) & !(c{j} = owned & c{i} != away)"))
        )
        + "CTLSPEC AG EF c0 = owned\nCTLSPEC AG (c1 = owned -> last = 1)\n"
        + &format!("CTLSPEC EF ({})\n", all(0..n, " & ", |i| format!("c{i} = shared")))
        + "LTLSPEC G (c0 = owned -> X (c0 = owned | c0 = shared | c0 = away))\n"
}

/// Processes that share a semaphore, one of whom moves at a time.
pub fn semaphore(n: u64) -> String {
    let next = |i: u64| {
        format!(
            "  init(p{i}) := idle;
  next(p{i}) := case who != {i} : p{i}; p{i} = idle : {{idle, enter}}; p{i} = enter & !taken : crit;
    p{i} = crit : {{crit, leave}}; p{i} = leave : idle; TRUE : p{i}; esac;
"
        )
    };
    let taken = each(0..n, |i| format!(" who = {i} & p{i} = enter & !taken : TRUE; who = {i} & p{i} = leave : FALSE;"));
    format!("MODULE main\nIVAR who : 0..{};\nVAR\n  taken : boolean;\n", n - 1)
        + &each(0..n, |i| format!("  p{i} : {{idle, enter, crit, leave}};\n"))
        + &format!("ASSIGN\n  init(taken) := FALSE;\n  next(taken) := case{taken} TRUE : taken; esac;\n")
        + &each(0..n, next)
        + &format!("INVARSPEC {}\n", pairs(n, |i, j| format!("!(p{i} = crit & p{j} = crit)")))
        + "CTLSPEC AG (p0 = enter -> EF p0 = crit)\n"
        + &format!("CTLSPEC AG EF ({})\n", all(0..n, " & ", |i| format!("p{i} = idle")))
        + "LTLSPEC G (p0 = enter -> F p0 = crit)\n"
}

/// Lamport's bakery with numbers up to 7.
pub fn bakery(n: u64) -> String {
    let free = |i: u64| {
        let first = |j: u64| if i < j { format!(" | t{i} = t{j}") } else { String::new() };
        let others = (0..n).filter(|&j| j != i);
        let ahead = others.map(|j| format!("p{j} != choose & (t{j} = 0 | t{i} < t{j}{})", first(j)));
        ahead.collect::<Vec<_>>().join(" & ")
    };
    let most = format!("max{}", n - 1);
    let next = |i: u64| {
        format!(
            "  init(p{i}) := idle; init(t{i}) := 0;
  next(p{i}) := case who != {i} : p{i}; p{i} = idle : {{idle, choose}}; p{i} = choose & {most} < 7 : wait;
    p{i} = wait & {} : crit; p{i} = crit : idle; TRUE : p{i}; esac;
  next(t{i}) := case who != {i} : t{i}; p{i} = choose & {most} < 7 : {most} + 1; p{i} = crit : 0; TRUE : t{i}; esac;
",
            free(i)
        )
    };
    format!("MODULE main\nIVAR who : 0..{};\nVAR\n", n - 1)
        + &each(0..n, |i| format!("  p{i} : {{idle, choose, wait, crit}}; t{i} : 0..7;\n"))
        + "DEFINE\n  max0 := t0;\n"
        + &each(1..n, |i| format!("  max{i} := t{i} > max{0} ? t{i} : max{0};\n", i - 1))
        + "ASSIGN\n"
        + &each(0..n, next)
        + &format!("INVARSPEC {}\n", pairs(n, |i, j| format!("!(p{i} = crit & p{j} = crit)")))
        + "CTLSPEC AG EF p0 = crit\nCTLSPEC AG (p1 = wait -> EF p1 = crit)\nLTLSPEC G (p0 = wait -> F p0 = crit)\n"
}

/// Peterson's lock for so many processes: each passes one room after the other, and the last to enter a room waits.
pub fn filter(n: u64) -> String {
    let free = |i: u64| {
        let ahead = |k: u64| {
            let others = (0..n).filter(|&j| j != i).map(|j| format!("l{j} < {k}"));
            others.collect::<Vec<_>>().join(" & ")
        };
        all(1..n, " | ", |k| format!("(l{i} = {k} & (turn{k} != {i} | ({})))", ahead(k)))
    };
    let (top, rooms) = (n - 1, 1..n);
    let next = |i: u64| {
        let free = free(i);
        format!(
            "  init(l{i}) := 0; init(p{i}) := idle;
  next(p{i}) := case who != {i} : p{i}; p{i} = idle : {{idle, set}}; p{i} = set : wait;
    p{i} = wait & ({free}) : l{i} < {top} ? set : crit; p{i} = crit : idle; TRUE : p{i}; esac;
  next(l{i}) := case who != {i} : l{i}; p{i} = idle & next(p{i}) = set : 1;
    p{i} = wait & ({free}) & l{i} < {top} : l{i} + 1; p{i} = crit : 0; TRUE : l{i}; esac;
"
        )
    };
    let turn = |k: u64| {
        let set = each(0..n, |i| format!(" who = {i} & p{i} = set & l{i} = {k} : {i};"));
        format!("  init(turn{k}) := 0; next(turn{k}) := case{set} TRUE : turn{k}; esac;\n")
    };
    format!("MODULE main\nIVAR who : 0..{top};\nVAR\n")
        + &each(0..n, |i| format!("  l{i} : 0..{top}; p{i} : {{idle, set, wait, crit}};\n"))
        + &each(rooms.clone(), |k| format!("  turn{k} : 0..{top};\n"))
        + "ASSIGN\n"
        + &each(rooms, turn)
        + &each(0..n, next)
        + &format!("INVARSPEC {}\n", pairs(n, |i, j| format!("!(p{i} = crit & p{j} = crit)")))
        + "CTLSPEC AG EF p0 = crit\nCTLSPEC AG (p0 = wait -> EF p0 = crit)\nLTLSPEC G (p0 = wait -> F p0 = crit)\n"
}

/// Traffic lights that are green in turn, where a car waits.
pub fn lights(n: u64) -> String {
    let waits = all(0..n, " | ", |i| format!("(turn = {i} & car{i})"));
    format!(
        "MODULE light(go, car)
VAR c : {{red, green, yellow}}; t : 0..3;
ASSIGN
  init(c) := red; init(t) := 0;
  next(c) := case c = red & go & car : green; c = green & t = 3 : yellow; c = yellow : red; TRUE : c; esac;
  next(t) := case c = green & t < 3 : t + 1; c = green : t; TRUE : 0; esac;
JUSTICE car
MODULE main
VAR
  turn : 0..{};
{}{}DEFINE stopped := {};
ASSIGN
  init(turn) := 0;
  next(turn) := case stopped & !({waits}) : (turn + 1) mod {n}; {} TRUE : turn; esac;
INVARSPEC {}
CTLSPEC AG EF l0.c = green
CTLSPEC AG AF stopped
LTLSPEC G F l0.c = green
LTLSPEC G (l1.c = green -> F l1.c = red)
",
        n - 1,
        each(0..n, |i| format!("  car{i} : boolean;\n")),
        each(0..n, |i| format!("  l{i} : light(turn = {i} & stopped, car{i});\n")),
        all(0..n, " & ", |i| format!("l{i}.c = red")),
        each(0..n, |i| format!("l{i}.c = yellow : {}; ", (i + 1) % n)),
        pairs(n, |i, j| format!("!(l{i}.c != red & l{j}.c != red)"))
    )
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use posetta_base::Budget;
    use posetta_model::smv;
    use posetta_verify::fds::{By, Options, Question};

    /// How many specifications hold, and how many do not, by both engines.
    pub(in super::super) fn told(text: &str) -> (usize, usize) {
        let model = smv::read(text).unwrap_or_else(|e| panic!("{e:?}:\n{text}"));
        let counts = [By::Diagrams, By::States].map(|by| {
            let mut question = Question::new(&model, &model.specs, Options::default().by(by));
            question.decide(&Budget::unlimited()).expect("no mistakes");
            let words: Vec<&str> =
                question.answers().iter().map(|a| a.as_ref().expect("an answer").verdict.word()).collect();
            let count = |wanted: &str| words.iter().filter(|&&word| word == wanted).count();
            (count("holds"), count("violated"))
        });
        assert_eq!(counts[0], counts[1], "{text}");
        counts[0]
    }

    #[test]
    fn specifications_are_as_true_as_nusmv_says() {
        for (text, expected) in [
            (toggles(6), (2, 3)),
            (equal(3), (4, 0)),
            (either(3), (2, 1)),
            (products(3), (1, 2)),
            (shifts(3), (4, 0)),
            (adder(3), (3, 1)),
            (words(2), (5, 0)),
            (twins(2), (4, 0)),
            (counting(2), (5, 0)),
            (scattered(4), (4, 0)),
            (queue(2), (5, 0)),
            (arbiter(3), (3, 1)),
            (caches(3), (5, 0)),
            (semaphore(3), (3, 1)),
            (bakery(2), (1, 3)),
            (filter(2), (3, 1)),
            (lights(2), (4, 1)),
        ] {
            assert_eq!(told(&text), expected, "{text}");
        }
    }
}
