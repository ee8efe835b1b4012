//! Runs and formulas that are made from the bytes, not parsed from them.
//!
//! A fuzzer rarely finds two ids that refer to each other or a formula with six operators by changing text. Here every
//! input is a valid run or formula, and the question is whether writing or printing loses any of it.

use arbitrary::{Arbitrary, Result, Unstructured};
use posetta_base::{Error, Number, Value};
use posetta_logic::{
    Arith, Atom, Compare, Condition, Ctl, CtlBinary, CtlUnary, Having, Ltl, LtlBinary, LtlUnary, Operand, Path, Spot,
    Term, Test, Var, Which, parse_ctl, parse_ltl,
};
use posetta_trace::{Builder, Trace};

use crate::logic::prints_back;
use crate::reading::survives_writing;
use crate::small_budget;

/// A run or a formula, as the first byte says.
///
/// # Panics
/// When a promise is broken.
pub fn run_or_formula(data: &[u8]) {
    let mut bytes = Unstructured::new(data);
    // What the bytes do not suffice for is no case; `Err` says nothing about the library.
    let _ = match bytes.int_in_range(0..=3u8) {
        Ok(0) => Tree::of(&mut bytes, 5).and_then(|t| t.ltl(&mut bytes)).map(|f| prints_back(&f, parse_ltl)),
        Ok(1) => Tree::of(&mut bytes, 5).and_then(|t| t.ctl(&mut bytes)).map(|f| prints_back(&f, parse_ctl)),
        Ok(_) => run(&mut bytes).map(|trace| trace.iter().for_each(survives_writing)),
        Err(error) => Err(error),
    };
}

/// Names that some grammar could take for something else.
const NAMES: [&str; 27] = [
    "p", "P1", "x", "n.a[0]", "initial", "process", "posetta", "state", "true", "on", "event", "U", "E", "A", "X", "1",
    "-1", "->", "a->b", "a b", "#", "a.1", "\u{feff}", "é", "A.a", "X[0]", "on.x",
];

fn name(bytes: &mut Unstructured<'_>) -> Result<String> {
    if bytes.ratio(3, 4)? { Ok((*bytes.choose(&NAMES)?).to_owned()) } else { String::arbitrary(bytes) }
}

fn number(bytes: &mut Unstructured<'_>) -> Result<Number> {
    let n = if bytes.arbitrary()? { i64::from(i8::arbitrary(bytes)?) } else { i64::arbitrary(bytes)? };
    let digits = bytes.int_in_range(0..=12u32)?;
    // A decimal: a formula has no other literals.
    Ok(Number::from(n).div(&Number::from(10i64.pow(digits))).unwrap_or(Number::ZERO))
}

fn value(bytes: &mut Unstructured<'_>) -> Result<Value> {
    Ok(match bytes.int_in_range(0..=3u8)? {
        0 => Value::Text(name(bytes)?),
        1 => {
            let below = Number::from(i64::from(u32::arbitrary(bytes)?) + 1);
            Value::Number(number(bytes)?.div(&below).unwrap_or(Number::ZERO))
        }
        _ => Value::Number(number(bytes)?),
    })
}

/// A run with edges in any direction; `None` if they form a cycle or the ids clash.
fn run(bytes: &mut Unstructured<'_>) -> Result<Option<Trace>> {
    let mut builder = Builder::new();
    let processes: Vec<String> = bounded(bytes, 4, name)?.into_iter().filter(|p| !p.is_empty()).collect();
    let variables = bounded(bytes, 4, name)?;
    const ROOM: &str = "a few names fit a run";
    for variable in &variables {
        let var = builder.variable(variable).expect(ROOM);
        if bytes.ratio(1, 3)? {
            let value = builder.value(value(bytes)?).expect(ROOM);
            builder.declare(var, value);
        }
    }
    let mut labels: Vec<String> = Vec::new();
    let mut counts = vec![0; processes.len()];
    for line in 1..=bytes.int_in_range(0..=12u64)? {
        if processes.is_empty() {
            break;
        }
        let p = bytes.choose_index(processes.len())?;
        // Two of the names may be the same process.
        let p = processes.iter().position(|name| *name == processes[p]).unwrap_or(p);
        counts[p] += 1;
        let process = builder.process(&processes[p]).expect(ROOM);
        builder.event(process, line).expect(ROOM);
        if bytes.arbitrary()? {
            let name = name(bytes)?;
            // An empty name is no name.
            if !name.is_empty() {
                builder.name(&name).expect(ROOM);
            }
        }
        for _ in 0..bytes.int_in_range(0..=2u8)? {
            if !variables.is_empty() {
                let var = builder.variable(bytes.choose(&variables)?).expect(ROOM);
                let value = builder.value(value(bytes)?).expect(ROOM);
                builder.assign(var, value).expect(ROOM);
            }
        }
        let mut label = format!("{}.{}", processes[p], counts[p]);
        if bytes.ratio(1, 3)? {
            label = name(bytes)?;
            if builder.id(&label, 1).is_err() {
                return Ok(None);
            }
        }
        labels.push(label);
        for _ in 0..bytes.int_in_range(0..=2u8)? {
            builder.cause(bytes.choose(&labels)?, 1).expect(ROOM);
        }
        if bytes.ratio(1, 4)? {
            builder.time(number(bytes)?);
        }
        if bytes.ratio(1, 4)? {
            builder
                .attribute(&name(bytes)?, bytes.choose(&["1", "null", "[]", "{\"a\": \"\\u00e9\"}", "\"\""])?)
                .expect(ROOM);
        }
    }
    match builder.finish(bytes.arbitrary()?, &small_budget()) {
        Ok(trace) => Ok(Some(trace)),
        Err(Error::Invalid(mistakes)) => {
            assert!(!mistakes.is_empty());
            Ok(None)
        }
        Err(error) => panic!("twelve events are too much: {error}"),
    }
}

/// At most `most` things.
fn bounded<'a, T>(
    bytes: &mut Unstructured<'a>,
    most: usize,
    one: impl Fn(&mut Unstructured<'a>) -> Result<T>,
) -> Result<Vec<T>> {
    let count = bytes.int_in_range(0..=most)?;
    (0..count).map(|_| one(bytes)).collect()
}

/// The connectives that conditions and both logics share; `Own` is what only one of them has.
enum Tree {
    Constant(bool),
    Leaf,
    Not(Box<Tree>),
    And(Vec<Tree>),
    Or(Vec<Tree>),
    Implies(Box<Tree>, Box<Tree>),
    Iff(Box<Tree>, Box<Tree>),
    Own(u8, Box<Tree>, Box<Tree>),
}

impl Tree {
    fn of(bytes: &mut Unstructured<'_>, depth: u32) -> Result<Self> {
        if depth == 0 {
            return Ok(Self::Leaf);
        }
        let shape = bytes.int_in_range(0..=11u8)?;
        let mut part = || Self::of(bytes, depth - 1).map(Box::new);
        Ok(match shape {
            0 => Self::Constant(bytes.arbitrary()?),
            1 | 2 => Self::Leaf,
            3 => Self::Not(part()?),
            4 => Self::And(vec![*part()?, *part()?]),
            5 => Self::Or(vec![*part()?, *part()?]),
            6 => Self::Implies(part()?, part()?),
            7 => Self::Iff(part()?, part()?),
            _ => {
                let (a, b) = (part()?, part()?);
                Self::Own(bytes.arbitrary()?, a, b)
            }
        })
    }

    fn ltl(&self, bytes: &mut Unstructured<'_>) -> Result<Ltl> {
        const UNARY: [LtlUnary; 7] = [
            LtlUnary::Next,
            LtlUnary::WeakNext,
            LtlUnary::Finally,
            LtlUnary::Globally,
            LtlUnary::Yesterday,
            LtlUnary::Once,
            LtlUnary::Historically,
        ];
        const BINARY: [LtlBinary; 5] =
            [LtlBinary::Until, LtlBinary::WeakUntil, LtlBinary::Release, LtlBinary::StrongRelease, LtlBinary::Since];
        let list = |parts: &[Self], bytes: &mut _| parts.iter().map(|p| p.ltl(bytes)).collect::<Result<Vec<_>>>();
        Ok(match self {
            Self::Constant(true) => Ltl::True,
            Self::Constant(false) => Ltl::False,
            Self::Leaf => Ltl::Atom(match bytes.int_in_range(0..=8u8)? {
                7 => having(bytes)?,
                8 => Atom::of_state(comparison(bytes)?.map_vars(&mut |v| Var { which: Which::Before, ..v.clone() })),
                6 => Atom::Enabled(name(bytes)?),
                0 => Atom::Event(name(bytes)?),
                1 => Atom::Process(name(bytes)?),
                2 => Atom::On(Self::of(bytes, 2)?.condition(bytes)?),
                _ => Atom::State(comparison(bytes)?),
            }),
            Self::Not(a) => Ltl::Not(Box::new(a.ltl(bytes)?)),
            Self::And(parts) => Ltl::And(list(parts, bytes)?),
            Self::Or(parts) => Ltl::Or(list(parts, bytes)?),
            Self::Implies(a, b) => Ltl::Implies(Box::new(a.ltl(bytes)?), Box::new(b.ltl(bytes)?)),
            Self::Iff(a, b) => Ltl::Iff(Box::new(a.ltl(bytes)?), Box::new(b.ltl(bytes)?)),
            Self::Own(which, a, b) => match usize::from(*which) % 12 {
                i @ 0..7 => Ltl::Unary(UNARY[i], Box::new(a.ltl(bytes)?)),
                i => Ltl::Binary(BINARY[i - 7], Box::new(a.ltl(bytes)?), Box::new(b.ltl(bytes)?)),
            },
        })
    }

    fn ctl(&self, bytes: &mut Unstructured<'_>) -> Result<Ctl> {
        let list = |parts: &[Self], bytes: &mut _| parts.iter().map(|p| p.ctl(bytes)).collect::<Result<Vec<_>>>();
        Ok(match self {
            Self::Constant(true) => Ctl::True,
            Self::Constant(false) => Ctl::False,
            Self::Leaf => Ctl::Atom(Atom::State(comparison(bytes)?)),
            Self::Not(a) => Ctl::Not(Box::new(a.ctl(bytes)?)),
            Self::And(parts) => Ctl::And(list(parts, bytes)?),
            Self::Or(parts) => Ctl::Or(list(parts, bytes)?),
            Self::Implies(a, b) => Ctl::Implies(Box::new(a.ctl(bytes)?), Box::new(b.ctl(bytes)?)),
            Self::Iff(a, b) => Ctl::Iff(Box::new(a.ctl(bytes)?), Box::new(b.ctl(bytes)?)),
            Self::Own(which, a, b) => {
                let path = if which % 2 == 0 { Path::Some } else { Path::All };
                let a = Box::new(a.ctl(bytes)?);
                match which / 2 % 6 {
                    0 => Ctl::Unary(path, CtlUnary::Next, a),
                    1 => Ctl::Unary(path, CtlUnary::Finally, a),
                    2 => Ctl::Unary(path, CtlUnary::Globally, a),
                    3 => Ctl::Binary(path, CtlBinary::Until, a, Box::new(b.ctl(bytes)?)),
                    4 => Ctl::Binary(path, CtlBinary::WeakUntil, a, Box::new(b.ctl(bytes)?)),
                    _ => Ctl::Binary(path, CtlBinary::Release, a, Box::new(b.ctl(bytes)?)),
                }
            }
        })
    }

    fn condition(&self, bytes: &mut Unstructured<'_>) -> Result<Condition> {
        let list = |parts: &[Self], bytes: &mut _| parts.iter().map(|p| p.condition(bytes)).collect::<Result<Vec<_>>>();
        Ok(match self {
            Self::Constant(true) => Condition::True,
            Self::Constant(false) => Condition::False,
            Self::Leaf | Self::Own(..) => comparison(bytes)?,
            Self::Not(a) => Condition::Not(Box::new(a.condition(bytes)?)),
            Self::And(parts) => Condition::And(list(parts, bytes)?),
            Self::Or(parts) => Condition::Or(list(parts, bytes)?),
            Self::Implies(a, b) => Condition::Implies(Box::new(a.condition(bytes)?), Box::new(b.condition(bytes)?)),
            Self::Iff(a, b) => Condition::Iff(Box::new(a.condition(bytes)?), Box::new(b.condition(bytes)?)),
        })
    }
}

/// An atom about attributes.
fn having(bytes: &mut Unstructured<'_>) -> Result<Atom> {
    let any = bytes.arbitrary::<bool>()?;
    let event = if any { None } else { Some(name(bytes)?) };
    // Without a test it would be the plain atom, unless any event will do.
    let mut tests = Vec::new();
    for _ in 0..bytes.int_in_range(u8::from(!any)..=2)? {
        let with = match bytes.arbitrary::<bool>()? {
            true => Value::Text(name(bytes)?),
            false => Value::from(bytes.arbitrary::<i64>()?),
        };
        let op = *bytes.choose(&[Compare::Eq, Compare::Ne, Compare::Lt, Compare::Ge])?;
        tests.push(Test { attribute: name(bytes)?, spot: Spot::default(), op, with: Operand::Value(with) });
    }
    Ok(Atom::Having(Having::new(event, tests)))
}

/// A comparison or a bare term. Strings stand only where `==` and `!=` compare them.
fn comparison(bytes: &mut Unstructured<'_>) -> Result<Condition> {
    const ORDERS: [Compare; 6] = [Compare::Eq, Compare::Ne, Compare::Lt, Compare::Le, Compare::Gt, Compare::Ge];
    if bytes.ratio(1, 3)? {
        return Ok(Condition::Nonzero(term(bytes, 2)?));
    }
    let compare = *bytes.choose(&ORDERS)?;
    let side = |bytes: &mut Unstructured<'_>| {
        if !compare.is_order() && bytes.ratio(1, 3)? {
            return Ok(Term::Text(name(bytes)?, Spot::default()));
        }
        term(bytes, 2)
    };
    Ok(Condition::Compare(compare, side(bytes)?, side(bytes)?))
}

fn term(bytes: &mut Unstructured<'_>, depth: u32) -> Result<Term> {
    const SIGNS: [Arith; 4] = [Arith::Add, Arith::Sub, Arith::Mul, Arith::Div];
    Ok(match bytes.int_in_range(0..=if depth == 0 { 2 } else { 5u8 })? {
        0 => Term::Number(number(bytes)?),
        1 | 2 => Term::Var(Var::now(&name(bytes)?, Spot::default())),
        3 => Term::Neg(Box::new(term(bytes, depth - 1)?)),
        _ => {
            let sign = *bytes.choose(&SIGNS)?;
            Term::Binary(sign, Box::new(term(bytes, depth - 1)?), Box::new(term(bytes, depth - 1)?))
        }
    })
}
