//! Random small formulas over worlds that can be enumerated.

use dashu_ratio::RBig;
use fastrand::Rng;
use posetta::base::{Number, Value};
use posetta::logic::{Atom, Ltl, LtlBinary, LtlUnary, parse_ltl};

use super::{chance, pick};
use crate::world::World;

/// Values that show every way in which comparisons with 0 and 1, with each other and with a sum of 1 can come out.
fn numbers() -> Vec<Value> {
    let number = |n: i64, d: i64| Value::Number((RBig::from(n) / RBig::from(d)).into());
    [(-2, 1), (-1, 1), (0, 1), (1, 4), (1, 2), (3, 4), (1, 1), (2, 1), (3, 1)].map(|(n, d)| number(n, d)).to_vec()
}

fn few_numbers() -> Vec<Value> {
    [-1, 0, 1, 2].map(|n| Value::Number(Number::from(n))).to_vec()
}

fn mixed() -> Vec<Value> {
    let texts = ["a", "b", "c"].map(|t| Value::Text(t.to_owned()));
    let numbers = [0, 1, 2].map(|n| Value::Number(Number::from(n)));
    texts.into_iter().chain(numbers).collect()
}

const ABOUT_NUMBERS: &[&str] = &[
    "x == 0",
    "x == 1",
    "x != 1",
    "x < 1",
    "x >= 0",
    "2*x <= 2",
    "x",
    "y == 0",
    "y > 1",
    "y",
    "x < y",
    "x <= y",
    "x == y",
    "x + y == 1",
    "x + y < 1",
    "1 - y == x",
    "x - y > 0 - 1 * 0",
    "x / 0 == 1",
    "x - x == 0",
];
const ON_NUMBERS: &[&str] = &[
    "on(x == 0)",
    "on(x == 1)",
    "on(x)",
    "on(!x)",
    "on(y == 1)",
    "on(y)",
    "on(x == 0 || y == 0)",
    "on(x && y)",
    "on(x < y)",
    "on(x == y)",
    "on(true)",
    "on(x == x)",
];
const ABOUT_TEXTS: &[&str] =
    &["m == \"a\"", "m != \"b\"", "m == 1", "m == n", "n == \"a\"", "n == 0", "m == 0 + 1 * 1"];
const ON_TEXTS: &[&str] = &["on(m == \"a\")", "on(m != \"a\")", "on(n == \"b\")", "on(m == n)", "on(m == 1 || n == 1)"];
const EVENTS: &[&str] = &["event(a)", "event(b)", "process(P)", "process(Q)"];

/// A world, atoms that can be told apart in it, and a formula over them.
pub struct SmallCase {
    /// Where it can be true.
    pub world: World,
    /// Its atoms, by first occurrence.
    pub atoms: Vec<Atom>,
    /// The formula.
    pub formula: Ltl,
}

fn parsed(text: &str) -> Ltl {
    parse_ltl(text).unwrap_or_else(|e| panic!("{text}: {e:?}"))
}

/// A random case; `on` of a hundred speak of assignments.
pub fn small_case(rng: &mut Rng, on: u32) -> SmallCase {
    let texts = chance(rng, 30);
    let (about, triggers) = if texts { (ABOUT_TEXTS, ON_TEXTS) } else { (ABOUT_NUMBERS, ON_NUMBERS) };
    let with_on = chance(rng, on);
    let count = 1 + rng.usize(..3);
    let mut atoms: Vec<Ltl> = Vec::new();
    for _ in 0..count {
        let text = match rng.u8(..10) {
            0..2 => pick(rng, EVENTS),
            2..6 if with_on => pick(rng, triggers),
            _ => pick(rng, about),
        };
        atoms.push(parsed(text));
    }
    let size = 1 + rng.usize(..7);
    let formula = tree(rng, &atoms, size);
    let mut met: Vec<Atom> = Vec::new();
    let _ = formula.map_atoms(&mut |atom: &Atom| {
        if !met.contains(atom) {
            met.push(atom.clone());
        }
    });
    let mut used: Vec<String> = Vec::new();
    for atom in &met {
        atom.for_each_var(&mut |var| {
            if !used.contains(&var.name) {
                used.push(var.name.clone());
            }
        });
    }
    // The many values are for what is compared with each other.
    let several = |atom: &Atom| {
        let mut names: Vec<&str> = Vec::new();
        atom.for_each_var(&mut |var| names.push(&var.name));
        names.windows(2).any(|w| w[0] != w[1])
    };
    let values = match (texts, met.iter().any(several)) {
        (true, _) => mixed(),
        (false, true) => numbers(),
        (false, false) => {
            let mut all = few_numbers();
            all.push(Value::Number((RBig::from(1) / RBig::from(2)).into()));
            all
        }
    };
    let variables = used.into_iter().map(|name| (name, values.clone())).collect();
    let named = |is: fn(&Atom) -> Option<&String>| met.iter().filter_map(is).cloned().collect();
    let names = named(|a| if let Atom::Event(name) = a { Some(name) } else { None });
    let processes = named(|a| if let Atom::Process(name) = a { Some(name) } else { None });
    SmallCase { world: World { variables, names, processes }, atoms: met, formula }
}

fn tree(rng: &mut Rng, atoms: &[Ltl], size: usize) -> Ltl {
    use LtlBinary::{Release, Since, StrongRelease, Until, WeakUntil};
    use LtlUnary::{Finally, Globally, Historically, Next, Once, WeakNext, Yesterday};
    if size <= 1 {
        return match rng.u8(..20) {
            0 => Ltl::True,
            1 => Ltl::False,
            _ => pick(rng, atoms).clone(),
        };
    }
    if size == 2 || chance(rng, 40) {
        let inner = Box::new(tree(rng, atoms, size - 1));
        return match rng.u8(..10) {
            0..2 => Ltl::Not(inner),
            2..4 => Ltl::Unary(Globally, inner),
            4..6 => Ltl::Unary(Finally, inner),
            _ => Ltl::Unary(*pick(rng, &[Next, WeakNext, Yesterday, Once, Historically]), inner),
        };
    }
    let left = 1 + rng.usize(..size - 2);
    let (a, b) = (tree(rng, atoms, left), tree(rng, atoms, size - 1 - left));
    match rng.u8(..10) {
        0..2 => Ltl::And(vec![a, b]),
        2..4 => Ltl::Or(vec![a, b]),
        4 => Ltl::Implies(Box::new(a), Box::new(b)),
        5 => Ltl::Iff(Box::new(a), Box::new(b)),
        _ => Ltl::Binary(*pick(rng, &[Until, WeakUntil, Release, StrongRelease, Since]), Box::new(a), Box::new(b)),
    }
}
