//! Row 7: families of formulas, several sizes each, beside MONA.
//!
//! The Horn and set families are those of Fiedor, Holík, Janků, Lengál and Vojnar (Lazy automata techniques for WS1S, 2017), ordered positions those of
//! D'Antoni and Veanes (Monadic second-order logic on finite sequences, 2017). Numbers are sets of the places of their ones: sums as in the manual of MONA, products
//! with constants by doubling, and what provers ask of such numbers.

use super::files::{both, push};
use super::{Mona, circuits, compared, note, written};
use crate::lab::Lab;
use crate::study::{Sheet, Study};
use crate::workload::Judgement;

/// The row.
pub const STUDY: Study = Study {
    id: "m2l-families",
    row: 7,
    title: "Families of formulas of WS1S and M2L, beside MONA",
    target: "the same answers, none slower than twice MONA (CPU; below 50 ms all are equal), and an answer wherever MONA has one",
    run,
};

/// How many times as long as MONA ours may take, and the CPU seconds below which both count as equal.
const TIMES: f64 = 2.0;
const EQUAL: f64 = 0.05;

/// A family: what its formulas are called, their sizes, and the text of one.
pub(super) type Family = (&'static str, &'static [usize], fn(usize) -> String);

const FAMILIES: [Family; 26] = [
    ("horn-sub", &[4, 10, 15, 20], |n| horn(n, 1, false, "")),
    ("horn-different", &[4, 10, 15, 20], |n| horn(n, 1, false, " & XI ~= XJ")),
    ("horn-2-alternations", &[4, 10, 14, 18], |n| horn(n, 2, true, " & XI ~= XJ")),
    ("horn-3-alternations", &[4, 10, 14, 18], |n| horn(n, 3, false, " & XI ~= XJ")),
    ("horn-5-alternations", &[6, 10, 14, 18], |n| horn(n, 5, false, " & XI sub XJ & XI ~= XJ")),
    ("horn-in", &[4, 10, 15, 20], horn_in),
    ("horn-leq", &[4, 8, 12, 16], horn_leq),
    ("set-singletons", &[2, 3, 4, 5], set_singletons),
    ("set-obvious", &[2, 6, 10, 12], set_obvious),
    ("set-closed", &[1, 2, 3, 4], set_closed),
    ("chain", &[4, 10, 15, 20], chain),
    ("ordered", &[4, 8, 10, 12], ordered),
    ("counter", &[3, 6, 8, 10], counter),
    ("times", &[3, 13, 51, 255], times),
    ("coins", &[2, 4, 6, 8], coins),
    ("sums", &[2, 4, 8, 12], sums),
    ("delays", &[3, 7, 9, 11], delays),
    ("trichotomy", &[3, 6, 8, 10], trichotomy),
    ("pigeons", &[3, 7, 8, 9], pigeons),
    ("jobs", &[2, 4, 5, 6], jobs),
    ("doubling", &[4, 5, 6, 7], doubling),
    ("definitions", &[5, 10, 20, 40], definitions),
    ("fibonacci", &[6, 18, 26, 34], fibonacci),
    ("queens", &[3, 5, 6, 7], queens),
    ("lists", &[2, 4, 6, 8], lists),
    ("tuples", &[2, 3, 4, 5], tuples),
];

fn families() -> impl Iterator<Item = Family> {
    FAMILIES.into_iter().chain(circuits::FAMILIES)
}

fn run(lab: &Lab, times: u32) -> Result<Sheet, String> {
    let program = match &lab.program {
        Ok(program) => program,
        Err(reason) => return Ok(Sheet::skipped(&format!("the program is measured: {reason}"))),
    };
    let mona = Mona::find(STUDY.id);
    let headings =
        vec!["formula", "answer", "ours s", "ours CPU s", "ours MB", "MONA s", "MONA CPU s", "MONA MB", "MONA / ours"];
    let mut sheet = Sheet { headings, notes: note(lab, &mona), ..Sheet::default() };
    let (mut slow, mut silent) = (Vec::new(), Vec::new());
    for (family, sizes, text) in families() {
        for &size in &sizes[..if lab.quick { 1 } else { sizes.len() }] {
            let name = format!("{family} {size}");
            let file = written(lab, &format!("{family}-{size}.mona"), &text(size))?;
            let [ours, theirs] = both(lab, program, mona.as_ref().ok(), &file, times);
            compared(&name, &ours, &theirs, true, &mut sheet);
            match (ours.figures(), theirs.figures()) {
                (Some(ours), Some(theirs)) if ours.cpu.median > EQUAL.max(TIMES * theirs.cpu.median) => {
                    slow.push(name.clone())
                }
                (None, Some(_)) => {
                    // Whoever asks by the exit status is told, too.
                    sheet.failures.push(format!("{name}: no answer, and MONA has one"));
                    silent.push(name.clone());
                }
                _ => {}
            }
            push(&mut sheet, &name, &ours, &theirs);
        }
    }
    if mona.is_ok() && !lab.quick {
        for (what, names) in [("slower than twice MONA", slow), ("no answer where MONA has one", silent)] {
            let text = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            sheet.judgements.push(Judgement { text: format!("{what}: {text}"), met: names.is_empty() });
        }
    }
    Ok(sheet)
}

pub(super) fn listed(name: &str, from: usize, to: usize) -> String {
    (from..=to).map(|i| format!("{name}{i}")).collect::<Vec<_>>().join(", ")
}

pub(super) fn all(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(" & ")
}

/// Horn clauses: whoever is a subset of X makes the next one a subset, in turns for all and for some of them.
fn horn(n: usize, alternations: usize, negated: bool, more: &str) -> String {
    let mut text = "ws1s;\nex2 X: ".to_owned();
    for i in 1..=alternations {
        let last = if i == alternations { n } else { i };
        text += &format!("{}2 {}: ", if i % 2 == 0 { "ex" } else { "all" }, listed("X", i, last));
    }
    let clause = |i: usize| {
        let more = more.replace("XI", &format!("X{i}")).replace("XJ", &format!("X{}", i + 1));
        format!("((X{i} sub X{more}) => X{} sub X)", i + 1)
    };
    text + if negated { "~(" } else { "(" } + &all((1..n).map(clause)) + ");\n"
}

fn horn_in(n: usize) -> String {
    let clause = |i: usize| format!("(x{i} in X => x{} in X)", i + 1);
    format!("ws1s;\nex2 X: all1 {}: {};\n", listed("x", 1, n), all((1..n).map(clause)))
}

fn horn_leq(n: usize) -> String {
    let clause = |i: usize| format!("(x{i} <= x => x{} + 3 <= x)", i + 1);
    format!("ws1s;\nex1 x: all1 {}: {};\n", listed("x", 1, n), all((1..n).map(clause)))
}

fn set_singletons(n: usize) -> String {
    let one = |i: usize| format!("((p in X{i} & q in X{i}) => p = q)");
    format!("ws1s;\nex2 {}: all1 p, q: {};\n", listed("X", 1, n), all((1..=n).map(one)))
}

fn set_obvious(n: usize) -> String {
    let one = |i: usize| format!("((X sub X{i} & X ~= X{i}) => ~X{i} sub X)");
    format!("ws1s;\nex2 {}: all2 X: {};\n", listed("X", 1, n), all((1..=n).map(one)))
}

fn set_closed(n: usize) -> String {
    let one = |i: usize| format!("((x in X{i} & x <= y & y <= z & z in X{i}) => y in X{i})");
    format!("ws1s;\nex2 {}: all1 x: ex1 y, z: ~({});\n", listed("X", 1, n), all((1..=n).map(one)))
}

fn chain(n: usize) -> String {
    format!("ws1s;\nex2 {}: {};\n", listed("X", 1, n), all((1..n).map(|i| format!("X{i} sub X{}", i + 1))))
}

/// Positions one after the other, the last of which does not exist.
fn ordered(n: usize) -> String {
    let some: String = (1..n).map(|i| format!("ex1 x{i}: ")).collect();
    format!("ws1s;\n{some}~ex1 x{n}: {};\n", all((1..n).map(|i| format!("x{i} < x{}", i + 1))))
}

/// A binary counter of n bits that runs from nothing to full.
fn counter(n: usize) -> String {
    let step = |i: usize| {
        let carry = (1..i).map(|j| format!("t in B{j}")).chain(["true".to_owned()]);
        format!("(t + 1 in B{i} <=> ~(t in B{i} <=> ({})))", all(carry))
    };
    let [first, last] = ["0 notin", "max $ in"].map(|at| all((1..=n).map(|i| format!("{at} B{i}"))));
    let steps = all((1..=n).map(step));
    format!("m2l-str;\nex2 {}: {first} & {last} & (all1 t: t < max $ => ({steps}));\n", listed("B", 1, n))
}

/// Numbers and what is said of them.
const NUMBERS: &str = "ws1s;
pred xor(var0 x, y) = x & ~y | ~x & y;
pred two(var0 x, y, z) = x & y | x & z | y & z;
pred sum(var2 p, q, r) = ex2 c: 0 notin c & all1 t: (t + 1 in c <=> two(t in p, t in q, t in c))
  & (t in r <=> xor(xor(t in p, t in q), t in c));
pred less(var2 p, q) = ex2 t: t ~= empty & sum(p, t, q);
pred leq(var2 p, q) = less(p, q) | p = q;
";

/// That one number is so many times another: one quantifier inside the other.
fn product(factor: usize, x: &str, y: &str) -> String {
    if factor == 1 {
        return format!("{y} = {x}");
    }
    let (half, other) = if factor.is_multiple_of(2) { (factor / 2, None) } else { (factor - 1, Some(x)) };
    let h = format!("{y}{half}");
    format!("ex2 {h}: ({}) & sum({h}, {}, {y})", product(half, x, &h), other.unwrap_or(&h))
}

fn times(factor: usize) -> String {
    format!("{NUMBERS}all2 X: ex2 Y: {};\n", product(factor, "X", "Y"))
}

/// Every large amount can be paid with coins of n and n + 1.
fn coins(n: usize) -> String {
    let (a, b) = (product(n, "X", "A"), product(n + 1, "Y", "B"));
    let large = (n - 1) * n;
    format!("{NUMBERS}all2 N: leq(pconst({large}), N) => ex2 X: ex2 Y: ex2 A: ({a}) & ex2 B: ({b}) & sum(A, B, N);\n")
}

/// The sum of n numbers, by sums on the way.
fn sums(n: usize) -> String {
    let sums = all((1..n).map(|i| format!("sum(P{i}, X, P{})", i + 1)));
    let some: String = (1..=n).map(|i| format!("ex2 P{i}: ")).collect();
    format!("{NUMBERS}var2 S, X;\n{some}P1 = X & {sums} & S = P{n};\n")
}

/// Each number exceeds the one before it by something, so the last one exceeds the first.
fn delays(n: usize) -> String {
    let step = |i: usize| format!("(ex2 v: sum(a{i}, pconst({i}), v) & leq(v, a{}))", i + 1);
    format!("{NUMBERS}var2 {};\n({}) => less(a1, a{n});\n", listed("a", 1, n), all((1..n).map(step)))
}

/// Of some numbers one is less than another, or two are equal.
fn trichotomy(n: usize) -> String {
    let pairs = (1..=n).flat_map(|i| (1..=n).filter(move |&j| j != i).map(move |j| (i, j)));
    let less = pairs.map(|(i, j)| format!("less(a{i}, a{j})"));
    let equal = (1..=n).flat_map(|i| (1..i).map(move |j| format!("a{i} = a{j}")));
    format!("{NUMBERS}var2 {};\n{};\n", listed("a", 1, n), less.chain(equal).collect::<Vec<_>>().join(" | "))
}

/// n different numbers below n.
fn pigeons(n: usize) -> String {
    let some: String = (1..=n).map(|i| format!("ex2 X{i}: ")).collect();
    let below = (1..=n).map(|i| format!("leq(X{i}, pconst({}))", n - 1));
    let different = (1..=n).flat_map(|i| (1..i).map(move |j| format!("X{i} ~= X{j}")));
    format!("{NUMBERS}{some}{};\n", all(below.chain(different)))
}

/// n jobs of one to three hours, one after the other in some order, in twice as many hours.
fn jobs(n: usize) -> String {
    let hours = |i: usize| i % 3 + 1;
    let some: String = (1..=n).map(|i| format!("ex2 S{i}: ")).collect();
    let in_time = |i: usize| format!("(ex2 e: sum(S{i}, pconst({}), e) & leq(e, pconst({})))", hours(i), 2 * n + 1);
    let apart = |i: usize, j: usize| {
        let ends = format!("sum(S{i}, pconst({}), e) & sum(S{j}, pconst({}), f)", hours(i), hours(j));
        format!("(ex2 e: ex2 f: {ends} & (leq(e, S{j}) | leq(f, S{i})))")
    };
    let pairs = (1..=n).flat_map(|i| (1..i).map(move |j| (i, j)));
    format!("{NUMBERS}{some}{};\n", all((1..=n).map(in_time).chain(pairs.map(|(i, j)| apart(i, j)))))
}

/// Definitions each of which calls the one before it twice, one after the other: the last one adds 2ⁿ to a number.
fn doubling(n: usize) -> String {
    let first = "X sub Y & ex1 q: q in Y & q notin X & all1 r: r < q => (r in X <=> r in Y)";
    let next = |i: usize| format!("pred p{}(var2 X, Y) = ex2 Z: p{i}(X, Z) & p{i}(Z, Y);\n", i + 1);
    let definitions: String = (0..n).map(next).collect();
    format!("ws1s;\npred p0(var2 X, Y) = {first};\n{definitions}var2 A, B;\np{n}(A, B);\n")
}

/// Definitions each of which calls the one before it three times, with its arguments in other orders: 3ⁿ calls.
fn definitions(n: usize) -> String {
    let next = |i: usize| {
        let calls = format!("(p{i}(X, U, Z) => ~p{i}(U, Y, Z)) | p{i}(Z, X, U union Y)");
        format!("pred p{}(var2 X, Y, Z) = all2 U: {calls};\n", i + 1)
    };
    let definitions: String = (0..n).map(next).collect();
    format!("ws1s;\npred p0(var2 X, Y, Z) = X sub Y & Y sub Z;\n{definitions}var2 A, B, C;\np{n}(A, B, C);\n")
}

/// Definitions each of which calls the two before it, one of them beyond a disjunction.
fn fibonacci(n: usize) -> String {
    let next = |i: usize| {
        let calls = format!("(ex2 Z: p{}(X, Z) & ~p{}(Z, Y)) | p{}(Y, X)", i - 1, i - 2, i - 2);
        format!("pred p{i}(var2 X, Y) = {calls};\n")
    };
    let first = "pred p0(var2 X, Y) = all1 q: q in X => q + 1 in Y;\npred p1(var2 X, Y) = X sub Y;\n";
    let definitions: String = (2..=n).map(next).collect();
    format!("ws1s;\n{first}{definitions}var2 A, B;\np{n}(A, B);\n")
}

/// Queens on a board, by one truth value for each square: hundreds of small clauses.
fn queens(n: usize) -> String {
    let squares: Vec<(usize, usize)> = (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).collect();
    let queen = |(i, j): (usize, usize)| format!("q{i}x{j}");
    let row = |i: usize| (0..n).map(|j| queen((i, j))).collect::<Vec<_>>().join(" | ");
    let meet = |(i, j): (usize, usize), (k, l): (usize, usize)| i == k || j == l || i.abs_diff(k) == j.abs_diff(l);
    let pairs = squares.iter().flat_map(|&a| squares.iter().map(move |&b| (a, b)));
    let apart = pairs.filter(|&(a, b)| a < b && meet(a, b)).map(|(a, b)| format!("~({} & {})", queen(a), queen(b)));
    let vars = squares.iter().map(|&square| queen(square)).collect::<Vec<_>>().join(", ");
    format!("ws1s;\nvar0 {vars};\n{};\n", all((0..n).map(|i| format!("({})", row(i))).chain(apart)))
}

/// What can be reached along a list lies between two of the n pointers into it.
fn lists(n: usize) -> String {
    let reached = (0..n - 1).map(|i| format!("reach(p{i}, p{})", i + 1));
    let pointers = all(reached.chain((0..n).map(|i| format!("p{i} in Mark"))));
    let between = |i: usize| format!("(reach(p{i}, z) & reach(z, p{}) & (z in Mark | z ~= p{i}))", i + 1);
    let between = (0..n - 1).map(between).collect::<Vec<_>>().join(" | ");
    let last = n - 1;
    format!(
        "m2l-str;
var2 List, Mark;
pred reach(var1 x, y) = x <= y & all1 z: x < z & z <= y => z in List;
pred last(var1 x) = x + 1 notin List | x = max $;
all1 {}: {pointers} => (all1 z: reach(p0, z) & reach(z, p{last}) => ({between})) & ex1 e: last(e) & reach(p{last}, e);\n",
        listed("p", 0, last)
    )
}

/// Tuples of n positions in lexicographic order: it is transitive.
fn tuples(n: usize) -> String {
    let less = |a: &str, b: &str| {
        let at = |i: usize| all((0..i).map(|j| format!("{a}{j} = {b}{j}")).chain([format!("{a}{i} < {b}{i}")]));
        (0..n).map(|i| format!("({})", at(i))).collect::<Vec<_>>().join(" | ")
    };
    let vars = ["x", "y", "z"].map(|name| listed(name, 0, n - 1)).join(", ");
    let [near, next, far] = [less("x", "y"), less("y", "z"), less("x", "z")];
    format!("ws1s;\nall1 {vars}: (({near}) & ({next})) => ({far});\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use posetta_base::Budget;
    use posetta_compile::m2l::{Answer, Engine, decide};
    use posetta_logic::m2l::read_program;

    /// The smallest formula of each family is read, and says what it should.
    #[test]
    fn families_say_what_they_should() {
        let mut said = String::new();
        for (family, sizes, text) in families() {
            let text = text(sizes[0]);
            let program = read_program(family, &text, &mut |_, _| unreachable!("nothing is included"));
            let program = program.unwrap_or_else(|e| panic!("{family}: {e:?}\n{text}"));
            let found = decide(&program, Engine::Auto, &Budget::unlimited()).expect("there is no limit").remove(0);
            said.push(match found.answer {
                Answer::Valid => '1',
                Answer::Unsatisfiable => '0',
                Answer::Neither => '-',
            });
        }
        assert_eq!(said, "001001011011-11-1111-11011111-1111--1------1----00");
    }
}
