//! Random small formulas over worlds that can be enumerated.

use dashu_ratio::RBig;
use fastrand::Rng;
use posetta_base::{Number, Value};
use posetta_logic::{Atom, Ltl, LtlBinary, LtlUnary, Psl, parse_ltl};

use super::{chance, pick, psl};
use crate::psl::Meaning;
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
pub struct SmallCase<F = Ltl> {
    /// Where it can be true.
    pub world: World,
    /// Its atoms, by first occurrence.
    pub atoms: Vec<Atom>,
    /// The formula.
    pub formula: F,
}

fn parsed(text: &str) -> Ltl {
    parse_ltl(text).unwrap_or_else(|e| panic!("{text}: {e:?}"))
}

/// A random case; `on` of a hundred speak of assignments.
pub fn small_case(rng: &mut Rng, on: u32) -> SmallCase {
    let atoms = small_atoms(rng, on, true);
    small_ltl_case(rng, &atoms)
}

/// A random formula of LTL over some of these atoms, in their world.
pub fn small_ltl_case(rng: &mut Rng, atoms: &[Atom]) -> SmallCase {
    let atoms: Vec<Ltl> = atoms.iter().cloned().map(Ltl::Atom).collect();
    let size = 1 + rng.usize(..7);
    let formula = tree(rng, &atoms, size);
    let mut met = Vec::new();
    let _ = formula.map_atoms(&mut |atom: &Atom| meet(&mut met, atom));
    SmallCase { world: small_world(&met), atoms: met, formula }
}

/// A random formula of PSL over some of these atoms, in their world; automata for its SEREs have at most so many states.
pub fn small_psl_case(rng: &mut Rng, atoms: &[Atom], states: usize) -> SmallCase<Psl> {
    loop {
        let size = rng.usize(..6);
        let formula = psl(rng, atoms, size);
        let (meaning, met) = Meaning::over_atoms(&formula);
        if meaning.states() <= states {
            return SmallCase { world: small_world(&met), atoms: met, formula };
        }
    }
}

fn meet(met: &mut Vec<Atom>, atom: &Atom) {
    if !met.contains(atom) {
        met.push(atom.clone());
    }
}

/// One to three atoms that fit together; `on` of a hundred times some speak of assignments. Some speak of the names and processes of
/// events, if that is wanted.
pub fn small_atoms(rng: &mut Rng, on: u32, about_events: bool) -> Vec<Atom> {
    let texts = chance(rng, 30);
    let (about, triggers) = if texts { (ABOUT_TEXTS, ON_TEXTS) } else { (ABOUT_NUMBERS, ON_NUMBERS) };
    let with_on = chance(rng, on);
    let count = 1 + rng.usize(..3);
    let mut atoms = Vec::new();
    for _ in 0..count {
        let text = match rng.u8(..10) {
            0..2 if about_events => pick(rng, EVENTS),
            2..6 if with_on => pick(rng, triggers),
            _ => pick(rng, about),
        };
        let Ltl::Atom(atom) = parsed(text) else { panic!("{text} is not an atom") };
        atoms.push(atom);
    }
    atoms
}

/// Variables, values, names and processes that show everything that these atoms can tell apart.
#[must_use]
pub fn small_world(atoms: &[Atom]) -> World {
    let mut used: Vec<String> = Vec::new();
    for atom in atoms {
        atom.for_each_var(&mut |var| {
            if !used.contains(&var.name) {
                used.push(var.name.clone());
            }
        });
    }
    let texts = used.iter().any(|name| ["m", "n"].contains(&name.as_str()));
    // The many values are for what is compared with each other.
    let several = |atom: &Atom| {
        let mut names: Vec<&str> = Vec::new();
        atom.for_each_var(&mut |var| names.push(&var.name));
        names.windows(2).any(|w| w[0] != w[1])
    };
    let values = match (texts, atoms.iter().any(several)) {
        (true, _) => mixed(),
        (false, true) => numbers(),
        (false, false) => {
            let mut all = few_numbers();
            all.push(Value::Number((RBig::from(1) / RBig::from(2)).into()));
            all
        }
    };
    let variables = used.into_iter().map(|name| (name, values.clone())).collect();
    let named = |is: fn(&Atom) -> Option<&String>| atoms.iter().filter_map(is).cloned().collect();
    let names = named(|a| if let Atom::Event(name) = a { Some(name) } else { None });
    let processes = named(|a| if let Atom::Process(name) = a { Some(name) } else { None });
    World { variables, names, processes }
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
