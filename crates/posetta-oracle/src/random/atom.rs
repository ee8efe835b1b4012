//! Random atoms, well typed for the run they speak about.

use dashu_ratio::RBig;
use fastrand::Rng;
use posetta_base::{Number, Value};
use posetta_logic::{Arith, Atom, Compare, Condition, Having, Operand, Spot, Term, Test, Var, Which};

use super::plan::{Kind, Plan};
use super::{chance, pick};

/// What a formula may say about a run.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    numbers: Vec<Variable>,
    /// Variables that may hold strings: they can be compared for equality only.
    texts: Vec<Variable>,
    processes: Vec<String>,
    names: Vec<String>,
    /// Attributes, with a value that events have.
    attributes: Vec<(String, Value)>,
}

#[derive(Clone, Debug)]
struct Variable {
    name: String,
    kind: Kind,
    /// Values that events assign to it.
    taken: Vec<Value>,
}

impl Variable {
    /// A value worth comparing with: mostly one that it takes.
    fn value(&self, rng: &mut Rng) -> Value {
        if self.taken.is_empty() || chance(rng, 25) { self.kind.value(rng) } else { pick(rng, &self.taken).clone() }
    }

    fn term(&self) -> Term {
        Term::Var(Var::now(&self.name, Spot::default()))
    }
}

impl Vocabulary {
    /// The names in a run.
    #[must_use]
    pub fn of(plan: &Plan) -> Self {
        let variables = plan.variables.iter().enumerate().map(|(place, (name, kind))| {
            let sets = plan.events.iter().flat_map(|e| &e.sets);
            let taken = sets.filter(|(var, _)| *var == place).map(|(_, value)| value.clone()).collect();
            Variable { name: name.clone(), kind: *kind, taken }
        });
        let (numbers, texts) = variables.partition(|variable| variable.kind.is_numeric());
        let mut names: Vec<String> = plan.events.iter().filter_map(|e| e.name.clone()).collect();
        names.sort();
        names.dedup();
        let attributes = plan.events.iter().flat_map(|e| e.attributes.iter().cloned()).collect();
        Self { numbers, texts, processes: plan.processes.clone(), names, attributes }
    }
}

/// A random atom; `about_events` of a hundred speak of the event of a position rather than of its state.
pub fn atom(rng: &mut Rng, words: &Vocabulary, about_events: u32) -> Atom {
    if !chance(rng, about_events) {
        return match state_atom(rng, words) {
            Atom::State(condition) if chance(rng, 15) => Atom::of_state(looking_back(rng, &condition)),
            atom => atom,
        };
    }
    match rng.u8(..12) {
        10 | 11 if !words.attributes.is_empty() => having(rng, words),
        0 | 1 if !words.names.is_empty() => Atom::Event(pick(rng, &words.names).clone()),
        2 if chance(rng, 5) => Atom::Event("nothing is called so".to_owned()),
        2 => Atom::Process(pick(rng, &words.processes).clone()),
        _ => {
            let size = *pick(rng, &[1, 1, 1, 2, 3]);
            let inside = condition(rng, words, size);
            Atom::On(if chance(rng, 15) { looking_back(rng, &inside) } else { inside })
        }
    }
}

/// The same condition with `prev(x)` for some of its variables.
fn looking_back(rng: &mut Rng, condition: &Condition) -> Condition {
    condition.map_vars(&mut |var| {
        let which = if rng.bool() { Which::Before } else { Which::Now };
        Var { which, ..var.clone() }
    })
}

/// A random atom about attributes.
fn having(rng: &mut Rng, words: &Vocabulary) -> Atom {
    let name = (!words.names.is_empty() && rng.bool()).then(|| pick(rng, &words.names).clone());
    let tests = (0..1 + usize::from(chance(rng, 25))).map(|_| {
        let (attribute, value) = pick(rng, &words.attributes).clone();
        let with = if chance(rng, 80) { value } else { Value::from(1) };
        let op = if with.is_text() { *pick(rng, &[Compare::Eq, Compare::Eq, Compare::Ne]) } else { comparison(rng) };
        Test { attribute, spot: Spot::default(), op, with: Operand::Value(with) }
    });
    let tests = tests.collect();
    Atom::Having(Having::new(name, tests))
}

/// A random atom that speaks of the state: a comparison or a bare term.
pub fn state_atom(rng: &mut Rng, words: &Vocabulary) -> Atom {
    Atom::State(simple(rng, words))
}

/// A random atom over two or more numeric variables, as far as there are so many: `x + 1 <= y`, `a * b == 1`, `x == y`, `x - y < z`.
pub fn joint_atom(rng: &mut Rng, words: &Vocabulary) -> Atom {
    let [first, second, ..] = words.numbers.as_slice() else { return state_atom(rng, words) };
    let (mut x, mut y) = (first, second);
    for _ in 0..8 {
        (x, y) = (pick(rng, &words.numbers), pick(rng, &words.numbers));
        if x.name != y.name {
            break;
        }
    }
    let binary = |op, a: Term, b: Term| Term::Binary(op, Box::new(a), Box::new(b));
    let sum = |rng: &mut Rng, a: Term, b: Term| {
        let op = *pick(rng, &[Arith::Add, Arith::Sub]);
        binary(op, a, b)
    };
    let (left, right) = match rng.u8(..8) {
        0..2 => (x.term(), y.term()),
        2..4 => (binary(Arith::Add, x.term(), Term::Number(Number::from(1))), y.term()),
        4 => (binary(Arith::Mul, x.term(), y.term()), constant(rng, x)),
        5 => (sum(rng, x.term(), y.term()), pick(rng, &words.numbers).term()),
        6 => (sum(rng, x.term(), y.term()), constant(rng, y)),
        _ => (binary(Arith::Mul, x.term(), y.term()), pick(rng, &words.numbers).term()),
    };
    Atom::State(Condition::Compare(comparison(rng), left, right))
}

/// A boolean combination of `size` comparisons.
fn condition(rng: &mut Rng, words: &Vocabulary, size: usize) -> Condition {
    if size <= 1 {
        let inner = simple(rng, words);
        return if chance(rng, 15) { Condition::Not(Box::new(inner)) } else { inner };
    }
    let left = 1 + rng.usize(..size - 1);
    let a = condition(rng, words, left);
    let b = condition(rng, words, size - left);
    match rng.u8(..10) {
        0..3 => Condition::And(vec![a, b]),
        3..6 => Condition::Or(vec![a, b]),
        6 => Condition::Not(Box::new(Condition::And(vec![a, b]))),
        7 | 8 => Condition::Implies(Box::new(a), Box::new(b)),
        _ => Condition::Iff(Box::new(a), Box::new(b)),
    }
}

/// A comparison or a bare term.
fn simple(rng: &mut Rng, words: &Vocabulary) -> Condition {
    let texts = words.texts.len();
    if words.numbers.is_empty() || rng.usize(..texts + words.numbers.len()) < texts {
        return about_text(rng, words);
    }
    let variable = pick(rng, &words.numbers);
    match rng.u8(..20) {
        0..2 => Condition::Nonzero(variable.term()),
        2 => Condition::Nonzero(arithmetic(rng, words)),
        3..5 => Condition::Compare(comparison(rng), variable.term(), pick(rng, &words.numbers).term()),
        5..7 => Condition::Compare(comparison(rng), arithmetic(rng, words), constant(rng, variable)),
        7..9 => Condition::Compare(comparison(rng), arithmetic(rng, words), arithmetic(rng, words)),
        _ => Condition::Compare(comparison(rng), variable.term(), constant(rng, variable)),
    }
}

/// `==` or `!=` with a string, a number, or another variable on the other side.
fn about_text(rng: &mut Rng, words: &Vocabulary) -> Condition {
    let variable = pick(rng, &words.texts);
    let op = if chance(rng, 75) { Compare::Eq } else { Compare::Ne };
    let other = match rng.u8(..10) {
        0 => pick(rng, &words.texts).term(),
        1 if !words.numbers.is_empty() => pick(rng, &words.numbers).term(),
        2 => Term::Number(Number::from(rng.i64(0..2))),
        3 if !words.numbers.is_empty() => arithmetic(rng, words),
        _ => match variable.value(rng) {
            Value::Number(n) => Term::Number(n),
            Value::Text(text) => Term::Text(text, Spot::default()),
        },
    };
    Condition::Compare(op, variable.term(), other)
}

fn comparison(rng: &mut Rng) -> Compare {
    *pick(
        rng,
        &[
            Compare::Eq,
            Compare::Eq,
            Compare::Eq,
            Compare::Eq,
            Compare::Ne,
            Compare::Lt,
            Compare::Le,
            Compare::Gt,
            Compare::Ge,
        ],
    )
}

/// `+ - * /` over numeric variables and constants: at least one operator and one variable.
fn arithmetic(rng: &mut Rng, words: &Vocabulary) -> Term {
    let variable = pick(rng, &words.numbers);
    let a = if chance(rng, 15) { Term::Neg(Box::new(variable.term())) } else { variable.term() };
    let b = match rng.u8(..10) {
        0..4 => pick(rng, &words.numbers).term(),
        4 => arithmetic(rng, words),
        _ => constant(rng, variable),
    };
    let op = *pick(rng, &[Arith::Add, Arith::Sub, Arith::Mul, Arith::Div]);
    let (a, b) = if rng.bool() { (a, b) } else { (b, a) };
    Term::Binary(op, Box::new(a), Box::new(b))
}

/// A number worth comparing a numeric variable with.
fn constant(rng: &mut Rng, variable: &Variable) -> Term {
    match variable.value(rng) {
        Value::Number(n) => number(rng, n),
        Value::Text(_) => unreachable!("the variable is numeric"),
    }
}

/// A number as a formula writes it: a fraction that is no decimal is a division there, and a sign may be an operator.
fn number(rng: &mut Rng, n: Number) -> Term {
    let ratio = n.to_ratio();
    if n.to_decimal().is_none() {
        let (top, bottom) = (RBig::from(ratio.numerator().clone()), RBig::from(ratio.denominator().clone()));
        return Term::Binary(Arith::Div, Box::new(Term::Number(top.into())), Box::new(Term::Number(bottom.into())));
    }
    if ratio < RBig::ZERO && rng.bool() {
        return Term::Neg(Box::new(Term::Number((-ratio).into())));
    }
    Term::Number(n)
}
