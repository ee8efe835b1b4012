//! What a [`CountedProgram`] does, as expressions of a language: each operation is one constant, so a printer only says how its
//! language writes a choice, a number, and an atom.

use posetta_compile::{Answers, CountedProgram, Keeps, Operand, Operation, Register};
use posetta_logic::{AtomId, Guard};

/// How a language writes things.
pub(super) trait Dialect {
    const AND: &'static str;
    const OR: &'static str;
    const NOT: &'static str;
    const SAME: &'static str;
    const OTHER: &'static str;
    const TRUE: &'static str = "true";
    const FALSE: &'static str = "false";

    /// Whether the letter has an atom.
    fn atom(&self, atom: usize) -> String;

    /// A count.
    fn number(&self, number: u64) -> String;

    /// One of two counts.
    fn pick(&self, condition: &str, so: &str, otherwise: &str) -> String;

    /// This is the first letter.
    fn first(&self) -> String;

    /// What a register has.
    fn read(&self, register: usize) -> String;

    /// Moves a set of counts on, and says whether one is enough; `holds` says whether the letter counts.
    fn moved(&self, register: usize, entering: &str, holds: &str) -> String;
}

/// Whether an operation has a truth value, not a count.
pub(super) fn is_truth(program: &CountedProgram, operation: &Operation) -> bool {
    match operation {
        Operation::First
        | Operation::Holds(_)
        | Operation::And(..)
        | Operation::AndNot(..)
        | Operation::Or(..)
        | Operation::Reaches(..)
        | Operation::Move(..) => true,
        Operation::Read(register) => program.registers[*register] == Register::Flag,
        _ => false,
    }
}

/// The largest number that a count can be; 0 without any.
pub(super) fn most(program: &CountedProgram) -> u64 {
    let of = |register: &Register| if let Register::Count(most) = register { *most } else { 0 };
    program.registers.iter().map(of).max().unwrap_or(0)
}

pub(super) fn truth<D: Dialect>(_: &D, operand: Operand) -> String {
    match operand {
        Operand::Never => D::FALSE.to_owned(),
        Operand::Always => D::TRUE.to_owned(),
        Operand::Value(place) => format!("v{place}"),
    }
}

pub(super) fn count(dialect: &impl Dialect, operand: Operand) -> String {
    match operand {
        Operand::Value(place) => format!("v{place}"),
        Operand::Never | Operand::Always => dialect.number(0),
    }
}

/// A guard; in parentheses if it stands in another expression.
pub(super) fn guard<D: Dialect>(dialect: &D, guard: &Guard<AtomId>, inside: bool) -> String {
    let chain = |parts: &[Guard<AtomId>], with: &str| {
        let parts: Vec<String> = parts.iter().map(|part| self::guard(dialect, part, true)).collect();
        parts.join(&format!(" {with} "))
    };
    let text = match guard {
        Guard::True => return D::TRUE.to_owned(),
        Guard::False => return D::FALSE.to_owned(),
        Guard::Atom(atom) => return dialect.atom(atom.0 as usize),
        Guard::Not(inner) => match &**inner {
            // Circuits have no `!!`.
            Guard::Not(inner) => return self::guard(dialect, inner, inside),
            inner => return format!("{}{}", D::NOT, self::guard(dialect, inner, true)),
        },
        Guard::And(parts) => chain(parts, D::AND),
        Guard::Or(parts) => chain(parts, D::OR),
        Guard::Implies(a, b) => {
            format!("({}{}) {} {}", D::NOT, self::guard(dialect, a, true), D::OR, self::guard(dialect, b, true))
        }
        Guard::Iff(a, b) => {
            format!("{} {} {}", self::guard(dialect, a, true), D::SAME, self::guard(dialect, b, true))
        }
    };
    if inside { format!("({text})") } else { text }
}

/// What an operation comes to.
pub(super) fn expression<D: Dialect>(program: &CountedProgram, operation: &Operation, dialect: &D) -> String {
    let (same, and, or) = (D::SAME, D::AND, D::OR);
    let of = |operand: Operand| count(dialect, operand);
    let truth = |operand: Operand| self::truth(dialect, operand);
    let zero = dialect.number(0);
    match operation {
        Operation::First => dialect.first(),
        Operation::Holds(g) => guard(dialect, g, false),
        Operation::Read(register) => dialect.read(*register),
        Operation::And(a, b) => format!("{} {and} {}", truth(*a), truth(*b)),
        Operation::AndNot(a, b) => format!("{} {and} {}{}", truth(*a), D::NOT, truth(*b)),
        Operation::Or(a, b) => format!("{} {or} {}", truth(*a), truth(*b)),
        Operation::If(condition, c) => dialect.pick(&truth(*condition), &of(*c), &zero),
        Operation::IfNot(condition, c) => dialect.pick(&truth(*condition), &zero, &of(*c)),
        Operation::Enter(entering, c, Keeps::Largest) => {
            let condition = format!("{} {and} ({} {same} {zero})", truth(*entering), of(*c));
            dialect.pick(&condition, &dialect.number(1), &of(*c))
        }
        Operation::Enter(entering, c, Keeps::Smallest) => dialect.pick(&truth(*entering), &dialect.number(1), &of(*c)),
        Operation::Join(a, b, Keeps::Largest) => dialect.pick(&format!("{} > {}", of(*a), of(*b)), &of(*a), &of(*b)),
        Operation::Join(a, b, Keeps::Smallest) => {
            let other = D::OTHER;
            let smaller = format!("({1} {other} {zero}) {and} ({1} < {0})", of(*a), of(*b));
            dialect.pick(&format!("({} {same} {zero}) {or} ({smaller})", of(*a)), &of(*b), &of(*a))
        }
        Operation::Increment(c) => {
            let more = format!("{} + {}", of(*c), dialect.number(1));
            dialect.pick(&format!("{} {same} {zero}", of(*c)), &zero, &more)
        }
        Operation::Reaches(c, least) => format!("{} > {}", of(*c), dialect.number(*least)),
        Operation::Below(c, limit) => dialect.pick(&format!("{} > {}", of(*c), dialect.number(*limit)), &zero, &of(*c)),
        Operation::Clamp(c, limit) => {
            let limit = dialect.number(*limit);
            dialect.pick(&format!("{} > {limit}", of(*c)), &limit, &of(*c))
        }
        Operation::Fixed(condition, c, other) => dialect.pick(&truth(*condition), &dialect.number(*c + 1), &of(*other)),
        Operation::Move(register, entering) => {
            let Register::Bits(bits) = &program.registers[*register] else { return truth(Operand::Never) };
            dialect.moved(*register, &truth(*entering), &guard(dialect, &bits.guard, false))
        }
    }
}

/// The answers of a program by where it is, as numbers: [`Answers::code`], and 16 where it is not known whether a prefix is monitorable.
pub(super) struct Codes {
    /// Before the first letter.
    pub(super) start: u8,
    /// Something has matched.
    pub(super) matched: u8,
    /// Something may match.
    pub(super) under_way: u8,
    /// Nothing will match.
    pub(super) over: u8,
}

impl Codes {
    pub(super) fn of(program: &CountedProgram) -> Self {
        use posetta_compile::Prospect::{Holds, Open, Violated};
        let (good, bad) = if program.good { (Holds, Violated) } else { (Violated, Holds) };
        let answers = |satisfied, prospect, monitorable| code(Answers { satisfied, prospect, monitorable });
        Self {
            start: code(program.start),
            matched: answers(program.good, good, Some(true)),
            under_way: answers(!program.good, Open, program.open_ended.then_some(true)),
            over: answers(!program.good, bad, Some(true)),
        }
    }

    /// Whether it is not always known if a prefix is monitorable.
    pub(super) fn unsure(&self) -> bool {
        (self.start | self.under_way) & UNSURE > 0
    }
}

/// It is not known whether a prefix is monitorable.
pub(super) const UNSURE: u8 = 16;

pub(super) fn code(answers: Answers) -> u8 {
    answers.code() | if answers.monitorable.is_none() { UNSURE } else { 0 }
}
