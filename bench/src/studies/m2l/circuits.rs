//! More families of row 7: circuits and protocols, specifications over time, texts, and many tracks at once.
//!
//! What is verified with MONA elsewhere is of these kinds: circuits over time (Basin and Klarlund 1998), protocols, regular expressions by guessed cuts and
//! texts that differ by deletions (as in MONA's own examples), linear temporal logic, keys in linked lists.

use super::families::{Family, all, listed};

/// The families, their sizes, and the text of one formula.
pub(super) const FAMILIES: [Family; 24] = [
    ("adders", &[1, 2, 4, 5], adders),
    ("flip-flops", &[2, 4, 8, 10], flip_flops),
    ("gray", &[3, 5, 7, 8], gray),
    ("shift-register", &[3, 5, 7, 8], shift_register),
    ("arbiter", &[2, 3, 4, 5], arbiter),
    ("philosophers", &[2, 4, 6, 7], philosophers),
    ("token-ring", &[3, 5, 9, 11], token_ring),
    ("sorting", &[3, 4, 5, 6], sorting),
    ("until-right", &[2, 4, 6, 8], until_right),
    ("responses", &[3, 5, 6, 7], responses),
    ("window", &[2, 4, 6, 8], window),
    ("far-apart", &[4, 8, 10, 12], far_apart),
    ("far-from-the-end", &[4, 8, 12, 14], far_from_the_end),
    ("multiples", &[2, 3, 4, 5], multiples),
    ("stars", &[1, 2, 3, 4], stars),
    ("brackets", &[1, 2, 4, 6], brackets),
    ("deletions", &[1, 3, 5, 6], deletions),
    ("sorted-keys", &[2, 3, 4, 5], sorted_keys),
    ("jumps", &[1, 2, 3, 4], jumps),
    ("restricted", &[2, 4, 6, 8], restricted),
    ("exactly", &[3, 5, 8, 12], exactly),
    ("apart", &[3, 5, 7, 9], apart),
    ("lexicographic", &[3, 5, 6, 7], lexicographic),
    ("holes", &[3, 4, 5, 6], holes),
];

fn any(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(" | ")
}

/// The sum of n + 1 numbers from the left and from the right, by chains of full adders.
fn adders(n: usize) -> String {
    let [left, right] = ["L", "R"].map(|name| {
        let operand = |i: usize| if name == "L" { i } else { n - i };
        let step = |i: usize| format!("add({name}{}, X{}, {name}{i})", i - 1, operand(i));
        let first = format!("{name}0 = X{}", operand(0));
        all(std::iter::once(first).chain((1..=n).map(step)))
    });
    let (xs, sums) = (listed("X", 0, n), format!("{}, {}", listed("L", 0, n), listed("R", 0, n)));
    format!(
        "m2l-str;
pred xorg(var0 a, b, o) = o <=> ~(a <=> b);
pred andg(var0 a, b, o) = o <=> (a & b);
pred org(var0 a, b, o) = o <=> (a | b);
pred adder(var0 a, b, c, o, d) =
  ex0 w1, w2, w3: xorg(a, b, w1) & xorg(w1, c, o) & andg(a, b, w2) & andg(c, w1, w3) & org(w2, w3, d);
pred add(var2 X, Y, Z) = ex2 C, D: 0 notin C & all1 p: adder(p in X, p in Y, p in C, p in Z, p in D)
  & (p < max $ => (p in D <=> p + 1 in C));
var2 {xs};
all2 {sums}: ({left} & {right}) => L{n} = R{n};\n"
    )
}

/// Two chains of flip-flops with the same input say the same.
fn flip_flops(n: usize) -> String {
    let chain = |name: &str, out: &str| {
        let first = format!("flipflop(I, E, {name}1)");
        let steps = (2..=n).map(|i| format!("flipflop({name}{}, E, {name}{i})", i - 1));
        let last = format!("{out} = {name}{n}");
        format!("(ex2 {}: {})", listed(name, 1, n), all(std::iter::once(first).chain(steps).chain([last])))
    };
    format!(
        "m2l-str;
pred flipflop(var2 D, E, Q) = 0 notin Q & all1 t: t < max $ => (t + 1 in Q <=> (t in E & t in D | t notin E & t in Q));
var2 I, E, O, P;
({} & {}) => O = P;\n",
        chain("A", "O"),
        chain("B", "P")
    )
}

/// A counter in Gray code changes one bit at a time.
fn gray(n: usize) -> String {
    let step = |i: usize| {
        let carry = (1..i).map(|j| format!("t in B{j}")).chain(["true".to_owned()]);
        format!("(t + 1 in B{i} <=> ~(t in B{i} <=> ({})))", all(carry))
    };
    let code = |i: usize| match i == n {
        true => format!("(t in G{i} <=> t in B{i})"),
        false => format!("(t in G{i} <=> ~(t in B{i} <=> t in B{}))", i + 1),
    };
    let changes = |i: usize| format!("~(t in G{i} <=> t + 1 in G{i})");
    let only = |i: usize| {
        let others = (1..=n).filter(|&j| j != i).map(|j| format!("~{}", changes(j)));
        format!("({})", all(std::iter::once(changes(i)).chain(others)))
    };
    let (steps, codes, one) = (all((1..=n).map(step)), all((1..=n).map(code)), any((1..=n).map(only)));
    let (g, b) = (listed("G", 1, n), listed("B", 1, n));
    format!(
        "m2l-str;\nvar2 {g};\n(ex2 {b}: (all1 t: t < max $ => ({steps})) & (all1 t: {codes})) => all1 t: t < max $ => ({one});\n"
    )
}

/// A shift register with feedback comes back to where it was.
fn shift_register(n: usize) -> String {
    let feedback = format!("(t + 1 in B1 <=> ~(t in B{n} <=> t in B{}))", n - 1);
    let steps = all(std::iter::once(feedback).chain((2..=n).map(|i| format!("(t + 1 in B{i} <=> t in B{})", i - 1))));
    let first = all((1..=n).map(|i| format!("0 {} B{i}", if i == 1 { "in" } else { "notin" })));
    let same = all((1..=n).map(|i| format!("(t in B{i} <=> 0 in B{i})")));
    let b = listed("B", 1, n);
    format!("m2l-str;\nex2 {b}: {first} & (all1 t: t < max $ => ({steps})) & (ex1 t: t > 0 & {same});\n")
}

/// A bus arbiter gives the bus to one client at a time.
fn arbiter(n: usize) -> String {
    let clients = || 0..n;
    let first = clients().map(|i| format!("0 {} T{i} & 0 notin P{i}", if i == 0 { "in" } else { "notin" }));
    let steps = clients().map(|i| {
        format!("(t + 1 in T{} <=> t in T{i}) & (t + 1 in P{i} <=> (t in R{i} & (t in P{i} | t in T{i})))", (i + 1) % n)
    });
    let taken = any(clients().map(|i| format!("(t in P{i} & t in T{i})")));
    let given = clients().map(|i| {
        let before = all((0..i).map(|j| format!("t notin R{j}")).chain(["true".to_owned()]));
        format!("(t in A{i} <=> (t in R{i} & ((t in P{i} & t in T{i}) | (~({taken}) & {before}))))")
    });
    let one = all(clients().flat_map(|i| (0..i).map(move |j| format!("~(t in A{i} & t in A{j})"))));
    let [r, a, t, p] = ["R", "A", "T", "P"].map(|name| listed(name, 0, n - 1));
    format!(
        "m2l-str;\nvar2 {r}, {a};\n(ex2 {t}, {p}: {} & (all1 t: t < max $ => ({})) & (all1 t: {})) => all1 t: {one};\n",
        all(first),
        all(steps),
        all(given)
    )
}

/// Neighbours never have both of their forks at once.
fn philosophers(n: usize) -> String {
    let (next, before) = (|i: usize| (i + 1) % n, |i: usize| (i + n - 1) % n);
    let first = all((0..n).map(|i| format!("0 notin L{i} & 0 notin R{i}")));
    let steps = all((0..n).map(|i| {
        let (after, before) = (next(i), before(i));
        format!(
            "(t notin L{i} & t + 1 in L{i} => t notin R{before}) & (t notin R{i} & t + 1 in R{i} => t notin L{after})
  & ~(t notin L{i} & t + 1 in L{i} & t notin R{before} & t + 1 in R{before})"
        )
    }));
    let safe = all((0..n).map(|i| format!("~(t in L{i} & t in R{i} & t in L{0} & t in R{0})", next(i))));
    let (l, r) = (listed("L", 0, n - 1), listed("R", 0, n - 1));
    format!("m2l-str;\nvar2 {l}, {r};\n({first} & all1 t: t < max $ => ({steps})) => all1 t: {safe};\n")
}

/// A token that is passed on is never in two places.
fn token_ring(n: usize) -> String {
    let at = |i: usize| all((0..n).map(|j| format!("0 {} T{j}", if i == j { "in" } else { "notin" })));
    let stays =
        |out: [usize; 2]| (0..n).filter(move |k| !out.contains(k)).map(|k| format!("(t in T{k} <=> t + 1 in T{k})"));
    let moves = (0..n).map(|i| {
        let next = (i + 1) % n;
        let moved = format!("t in T{i} & t + 1 notin T{i} & t + 1 in T{next}");
        format!("({})", all(std::iter::once(moved).chain(stays([i, next]))))
    });
    let idle = format!("({})", all(stays([n, n])));
    let first = any((0..n).map(|i| format!("({})", at(i))));
    let one = all((0..n).flat_map(|i| (0..i).map(move |j| format!("~(t in T{i} & t in T{j})"))));
    let steps = any(moves.chain([idle]));
    let t = listed("T", 0, n - 1);
    format!("m2l-str;\nvar2 {t};\n(({first}) & all1 t: t < max $ => ({steps})) => all1 t: ({one});\n")
}

/// A network of comparators sorts n truth values.
fn sorting(n: usize) -> String {
    let mut wires: Vec<String> = (0..n).map(|i| format!("a{i}")).collect();
    let (mut gates, mut fresh) = (Vec::new(), Vec::new());
    for round in 0..n {
        for at in 0..n - 1 - round {
            let [low, high] = [0, 1].map(|k| format!("w{}", fresh.len() + k));
            let (a, b) = (&wires[at], &wires[at + 1]);
            gates.push(format!("({low} <=> ({a} & {b})) & ({high} <=> ({a} | {b}))"));
            fresh.extend([low.clone(), high.clone()]);
            (wires[at], wires[at + 1]) = (low, high);
        }
    }
    let sorted = all(wires.windows(2).map(|pair| format!("({} => {})", pair[0], pair[1])));
    let (a, gates) = (listed("a", 0, n - 1), all(gates.into_iter()));
    format!("ws1s;\nvar0 {a};\nall0 {}: ({gates}) => ({sorted});\n", fresh.join(", "))
}

/// P1 until (P2 until (… until Pn)).
fn until_right(n: usize) -> String {
    let mut text = format!("q{} in P{n}", n - 1);
    for i in (1..n).rev() {
        let from = if i == 1 { "0".to_owned() } else { format!("q{}", i - 1) };
        text =
            format!("(ex1 q{i}: {from} <= q{i} & {text} & (all1 r{i}: {from} <= r{i} & r{i} < q{i} => r{i} in P{i}))");
    }
    format!("m2l-str;\nvar2 {};\n{text};\n", listed("P", 1, n))
}

/// Each P is answered by S1 to Sn, one after the other.
fn responses(n: usize) -> String {
    let mut text = "true".to_owned();
    for i in (1..=n).rev() {
        let from = if i == 1 { "t".to_owned() } else { format!("q{}", i - 1) };
        text = format!("(ex1 q{i}: {from} < q{i} & q{i} in S{i} & {text})");
    }
    format!("m2l-str;\nvar2 P, {};\nall1 t: t in P => {text};\n", listed("S", 1, n))
}

/// What is answered within n steps is answered within twice as many.
fn window(n: usize) -> String {
    let within = |n: usize| format!("(ex1 q: p < q & q <= p + {n} & q in B)");
    let (near, far) = (within(n), within(2 * n));
    format!("m2l-str;\nvar2 A, B;\n(all1 p: p in A => {near}) => (all1 p: p in A & p + {} in $ => {far});\n", 2 * n)
}

/// A set repeats itself after n positions, but not after one.
fn far_apart(n: usize) -> String {
    let same = |n: usize| format!("(p in A <=> p + {n} in A)");
    let (often, once) = (same(n), same(1));
    format!("m2l-str;\nvar2 A;\n(all1 p: p + {n} in $ => {often}) & (ex1 p: p + {n} in $ & ~{once});\n")
}

fn far_from_the_end(n: usize) -> String {
    format!("m2l-str;\nvar2 A;\nex1 p: p in A & p + {n} = max $;\n")
}

/// The last position is a multiple of the first n primes.
fn multiples(n: usize) -> String {
    let one = |k: usize| {
        format!(
            "(ex2 M: 0 in M & (all1 t: t in M & t + {k} in $ => t + {k} in M) & (all1 t: t in M & t > 0 => t >= {k} & t - {k} in M) & max $ in M)"
        )
    };
    format!("m2l-str;\n{} & max $ > 0;\n", all([2, 3, 5, 7, 11].into_iter().take(n).map(one)))
}

/// Regular expressions, star inside star, by guessing where one word ends and the next begins.
fn stars(n: usize) -> String {
    let mut text = "m2l-str;
var2 A, B;
macro next(var1 p, q, var2 P) = p < q & p in P & q in P & all1 r: p < r & r < q => r notin P;
pred e0(var1 p, q) = q = p + 1 & p in A & p notin B;\n"
        .to_owned();
    for i in 1..=n {
        text +=
            &format!("pred s{i}(var1 p, q) = ex2 P: p in P & q in P & all1 r, u: next(r, u, P) => e{}(r, u);\n", i - 1);
        text += &format!("pred e{i}(var1 p, q) = ex1 m: p < m & m <= q & q = m + 1 & s{i}(p, m) & m in B;\n");
    }
    format!("{text}max $ > 0 & s{n}(0, max $);\n")
}

/// Brackets that are nested no deeper than n, by a counter.
fn brackets(n: usize) -> String {
    let bits = (usize::BITS - n.leading_zeros()) as usize;
    let is = |at: &str, depth: usize| {
        all((0..bits).map(|i| format!("{at} {} D{i}", if depth >> i & 1 == 1 { "in" } else { "notin" })))
    };
    let step = |depth: usize| {
        let deeper = if depth < n { is("t + 1", depth + 1) } else { "false".to_owned() };
        let back = if depth > 0 { is("t + 1", depth - 1) } else { "false".to_owned() };
        let stays = is("t + 1", depth);
        format!("({} => (t in O & {deeper} | t in C & {back} | t notin O & t notin C & {stays}))", is("t", depth))
    };
    let (first, last, d) = (is("0", 0), is("max $", 0), listed("D", 0, bits - 1));
    let steps = all((0..=n).map(step));
    format!(
        "m2l-str;\nvar2 O, C;\n(all1 t: ~(t in O & t in C)) & ex2 {d}: {first} & {last} & all1 t: t < max $ => ({steps});\n"
    )
}

/// One text of two bits is another one without n letters.
fn deletions(n: usize) -> String {
    let part = |i: usize| {
        let low = if i > 0 { format!("p{i} < q") } else { "true".to_owned() };
        let high = if i < n { format!("q < p{}", i + 1) } else { "true".to_owned() };
        let from = if i > 0 { format!("q - {i}") } else { "q".to_owned() };
        format!("(all1 q: {low} & {high} => ((q in A <=> {from} in B) & (q in E <=> {from} in F)))")
    };
    let order = (1..n).map(|i| format!("p{i} < p{}", i + 1));
    format!("m2l-str;\nvar2 A, E, B, F;\nex1 {}: {};\n", listed("p", 1, n), all(order.chain((0..=n).map(part))))
}

/// Where neighbours have their keys in order, all have.
fn sorted_keys(n: usize) -> String {
    let at_most = |p: &str, q: &str| {
        (0..n).fold("true".to_owned(), |less, i| {
            format!("(({p} notin K{i} & {q} in K{i}) | (({p} in K{i} <=> {q} in K{i}) & {less}))")
        })
    };
    let (near, far) = (at_most("p", "p + 1"), at_most("p", "q"));
    format!("m2l-str;\nvar2 {};\n(all1 p: p < max $ => {near}) => all1 p, q: p <= q => {far};\n", listed("K", 0, n - 1))
}

/// The last position is reached by jumps of up to n, each from where it is allowed.
fn jumps(n: usize) -> String {
    let closed = all((1..=n).map(|i| format!("(z in L{i} & z + {i} in $ => z + {i} in X)")));
    format!("m2l-str;\nvar2 {};\nall2 X: (0 in X & (all1 z: z in X => {closed})) => max $ in X;\n", listed("L", 1, n))
}

/// Some successor of each set in the next one, with restrictions on the way.
fn restricted(n: usize) -> String {
    let one = |i: usize| format!("(ex1 p where p in X{i}: restrict(p + 1 in $) & p + 1 in X{})", i % n + 1);
    format!("m2l-str;\nvar2 {};\n{};\n", listed("X", 1, n), all((1..=n).map(one)))
}

/// A set has exactly n elements.
fn exactly(n: usize) -> String {
    let inside = (1..=n).map(|i| format!("p{i} in A")).chain((1..n).map(|i| format!("p{i} < p{}", i + 1)));
    let none = any((1..=n).map(|i| format!("q = p{i}")));
    format!("ws1s;\nvar2 A;\nex1 {}: {} & (all1 q: q in A => ({none}));\n", listed("p", 1, n), all(inside))
}

/// Each Xi is its Yi, but they are declared far apart.
fn apart(n: usize) -> String {
    let same = all((1..=n).map(|i| format!("X{i} = Y{i}")));
    format!("ws1s;\nvar2 {};\nvar2 {};\n{same};\n", listed("X", 1, n), listed("Y", 1, n))
}

/// Numbers in a circle, each less than the next.
fn lexicographic(n: usize) -> String {
    let circle = all((1..=n).map(|i| format!("lt(X{i}, X{})", i % n + 1)));
    format!(
        "ws1s;\npred lt(var2 X, Y) = ex1 p: p notin X & p in Y & all1 q: q > p => (q in X <=> q in Y);\nex2 {}: {circle};\n",
        listed("X", 1, n)
    )
}

/// n disjoint sets that are not empty, of n - 1 positions.
fn holes(n: usize) -> String {
    let inside = (1..=n).map(|i| format!("X{i} ~= empty & X{i} sub {{0,...,{}}}", n - 2));
    let apart = (1..=n).flat_map(|i| (1..i).map(move |j| format!("X{i} inter X{j} = empty")));
    format!("ws1s;\nex2 {}: {};\n", listed("X", 1, n), all(inside.chain(apart)))
}
