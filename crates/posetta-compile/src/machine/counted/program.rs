//! A machine with counters as a program without loops and without memory of its own: registers of fixed size, and what a letter does to
//! them, one operation after the other. That is what a monitor in another language needs.
//!
//! A set of counts is kept in one of three ways. **One number** is enough where one attempt stands for all: the largest count, if
//! there is no upper bound, or if nothing follows the repetition, so that the first to get there ends it; the smallest, if one time is
//! enough; the largest again, if a new attempt starts with every letter, since then all smaller counts are there; and the only one, if
//! there is never a second. **One bit for each count**, if what is repeated is a boolean (`b[*n]`, `b[->n]`): then all counts grow
//! together. Anything else would need a set of unknown size, and has no program.

use super::tree::{Node, Part};
use super::{Answers, Counted};
use posetta_logic::{AtomId, Guard, Times};

/// What a program keeps from one letter to the next. Before the first letter all of it is nothing: false, 0, no bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Register {
    /// Whether an attempt waits here.
    Flag,
    /// 0: no attempt; else one more than a count. It is never larger than this.
    Count(u64),
    /// Which counts there are.
    Bits(CountBits),
}

/// A set of counts, one bit for each: what is repeated is a boolean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountBits {
    /// So often at least; more than once.
    pub min: u32,
    /// So often at most: there are as many bits.
    pub max: u32,
    /// What all attempts count.
    pub guard: Guard<AtomId>,
    /// Whether attempts survive a letter that does not satisfy it, as in `b[->n]`.
    pub patient: bool,
}

/// An operand: a constant, or what an operation came to. `Never` is false and no count, `Always` is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// False; no count.
    Never,
    /// True.
    Always,
    /// The result of the operation with this number.
    Value(usize),
}

/// How one number is made of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeps {
    /// The larger count.
    Largest,
    /// The smaller count; any is smaller than none.
    Smallest,
}

/// One operation on truth values and counts; see [`Register::Count`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Truth: this is the first letter.
    First,
    /// Truth: the letter satisfies it.
    Holds(Guard<AtomId>),
    /// What the register had before the letter: truth, or a count.
    Read(usize),
    /// Truth: both.
    And(Operand, Operand),
    /// Truth: the first and not the second.
    AndNot(Operand, Operand),
    /// Truth: either.
    Or(Operand, Operand),
    /// A count, if the truth value is so; else none.
    If(Operand, Operand),
    /// A count, if the truth value is not so; else none.
    IfNot(Operand, Operand),
    /// A count beside the count 0, which is there if the truth value is so.
    Enter(Operand, Operand, Keeps),
    /// One of two counts.
    Join(Operand, Operand, Keeps),
    /// One more; none stays none.
    Increment(Operand),
    /// Truth: there is a count, and it is not less than this.
    Reaches(Operand, u64),
    /// A count below this; else none.
    Below(Operand, u64),
    /// A count below this, or the largest that is.
    Clamp(Operand, u64),
    /// The count, if the truth value is so; else another one.
    Fixed(Operand, u64, Operand),
    /// Truth: the bits of this register, with the count 0 if the truth value is so, move on by the letter, and some count is enough.
    Move(usize, Operand),
}

/// What a letter does, and what is known then.
#[derive(Clone, Debug)]
pub struct CountedProgram {
    /// What is kept.
    pub registers: Vec<Register>,
    /// What is done with a letter, as long as nothing has matched.
    pub operations: Vec<Operation>,
    /// What the registers that are flags and counts have after the letter.
    pub writes: Vec<(usize, Operand)>,
    /// Whether something has matched with this letter. Then it stays so, and the registers are of no use.
    pub matched: Operand,
    /// The property holds where something has matched; otherwise where nothing has.
    pub good: bool,
    /// Whether every attempt under way can still come to a match. If so, or if it is determined, a prefix is monitorable; else that is
    /// not known.
    pub open_ended: bool,
    /// What is known before the first letter.
    pub start: Answers,
}

/// What is known of a truth value at all positions.
#[derive(Clone, Copy, Default)]
struct Course {
    /// It is false everywhere.
    never: bool,
    /// It is true at one position at most.
    once: bool,
    /// It is true at the first position.
    first: bool,
    /// It is true at all others.
    later: bool,
}

impl Course {
    fn or(self, other: Self) -> Self {
        Self {
            never: self.never && other.never,
            once: self.never && other.once || other.never && self.once,
            first: self.first || other.first,
            later: self.later || other.later,
        }
    }

    /// The same, one position later.
    fn delayed(self) -> Self {
        Self { first: false, later: self.first && self.later, ..self }
    }

    /// Where a letter may stand in the way.
    fn filtered(self) -> Self {
        Self { first: false, later: false, ..self }
    }

    /// Nothing but that it is nowhere, if so.
    fn vague(self) -> Self {
        Self { never: self.never, once: self.never, first: false, later: false }
    }
}

/// The sets of counts cannot be kept in registers of fixed size.
pub(super) struct NoProgram;

/// What marks are: truth values, or counts of which one is kept.
#[derive(Clone, Copy)]
enum Marks {
    Flags,
    Counts(Keeps, u64),
}

struct Lowering {
    flags: usize,
    registers: Vec<Register>,
    operations: Vec<Operation>,
    writes: Vec<(usize, Operand)>,
}

/// The program; none either where matches are owed, since there every attempt counts, and not the best of them.
pub(super) fn lower(machine: &Counted) -> Option<CountedProgram> {
    if machine.debt.is_some() {
        return None;
    }
    let mut registers = vec![Register::Flag; machine.flags];
    registers.resize(machine.flags + machine.counts, Register::Count(0));
    let mut lowering = Lowering { flags: machine.flags, registers, operations: Vec::new(), writes: Vec::new() };
    let matched = match &machine.tree {
        None => Operand::Never,
        Some(tree) => {
            let entering = lowering.add(Operation::First);
            let course = Course { never: false, once: true, first: true, later: false };
            lowering.flagged(tree, (entering, course), true).ok()?.0
        }
    };
    let mut program = CountedProgram {
        registers: lowering.registers,
        operations: lowering.operations,
        writes: lowering.writes,
        matched,
        good: machine.good,
        open_ended: machine.open_ended,
        start: machine.start,
    };
    program.trim();
    Some(program)
}

impl Lowering {
    fn add(&mut self, operation: Operation) -> Operand {
        let same =
            self.operations.iter().position(|known| *known == operation && !matches!(known, Operation::Move(..)));
        Operand::Value(same.unwrap_or_else(|| {
            self.operations.push(operation);
            self.operations.len() - 1
        }))
    }

    fn and(&mut self, a: Operand, b: Operand) -> Operand {
        match (a, b) {
            (Operand::Never, _) | (_, Operand::Never) => Operand::Never,
            (Operand::Always, other) | (other, Operand::Always) => other,
            _ if a == b => a,
            _ => self.add(Operation::And(a, b)),
        }
    }

    fn and_not(&mut self, a: Operand, b: Operand) -> Operand {
        match (a, b) {
            (Operand::Never, _) | (_, Operand::Always) => Operand::Never,
            (_, Operand::Never) => a,
            _ => self.add(Operation::AndNot(a, b)),
        }
    }

    fn holds(&mut self, guard: &Guard<AtomId>) -> Operand {
        match guard {
            Guard::True => Operand::Always,
            Guard::False => Operand::Never,
            guard => self.add(Operation::Holds(guard.clone())),
        }
    }

    fn join(&mut self, a: Operand, b: Operand, marks: Marks) -> Operand {
        match (a, b, marks) {
            (Operand::Never, other, _) | (other, Operand::Never, _) => other,
            _ if a == b => a,
            (Operand::Always, ..) | (_, Operand::Always, _) => Operand::Always,
            (_, _, Marks::Flags) => self.add(Operation::Or(a, b)),
            (_, _, Marks::Counts(keeps, _)) => self.add(Operation::Join(a, b, keeps)),
        }
    }

    /// Marks where a truth value is so.
    fn gate(&mut self, marks: Operand, truth: Operand, kind: Marks) -> Operand {
        match (kind, truth) {
            (Marks::Flags, _) => self.and(marks, truth),
            (_, Operand::Always) => marks,
            (_, Operand::Never) => Operand::Never,
            _ if marks == Operand::Never => marks,
            _ => self.add(Operation::If(truth, marks)),
        }
    }

    fn gate_not(&mut self, marks: Operand, truth: Operand, kind: Marks) -> Operand {
        match (kind, truth) {
            (Marks::Flags, _) => self.and_not(marks, truth),
            (_, Operand::Never) => marks,
            (_, Operand::Always) => Operand::Never,
            _ if marks == Operand::Never => marks,
            _ => self.add(Operation::IfNot(truth, marks)),
        }
    }

    /// The register of marks with this number.
    fn place(&mut self, register: usize, marks: Marks) -> usize {
        match marks {
            Marks::Flags => register,
            Marks::Counts(_, most) => {
                let place = self.flags + register;
                self.registers[place] = Register::Count(most);
                place
            }
        }
    }

    /// What attempts without counts come to, and what is known of that; `last` says whether a match here is one of the whole.
    fn flagged(
        &mut self,
        node: &Node,
        entering: (Operand, Course),
        last: bool,
    ) -> Result<(Operand, Course), NoProgram> {
        let flags = Marks::Flags;
        Ok(match node {
            Node::Letter(guard) => {
                let holds = self.holds(guard);
                let course = if *guard == Guard::True { entering.1 } else { entering.1.filtered() };
                (self.and(entering.0, holds), course)
            }
            Node::Concat(parts, base) => {
                let mut out = (Operand::Never, Course { never: true, ..Course::default() });
                let (mut before, mut start) = (out, entering);
                for (i, part) in parts.iter().enumerate() {
                    if i > 0 {
                        self.writes.push((base + i - 1, before.0));
                        let waiting = (self.add(Operation::Read(base + i - 1)), before.1.delayed());
                        start = if parts[i - 1].empty { self.either(start, waiting) } else { waiting };
                    }
                    let last = last && parts[i + 1..].iter().all(|part| part.empty);
                    let matched = self.flagged(&part.node, start, last)?;
                    out = if part.empty { self.either(out, matched) } else { matched };
                    before = matched;
                }
                out
            }
            Node::Fusion(parts) => {
                let mut marks = entering;
                for (i, Part { node, .. }) in parts.iter().enumerate() {
                    marks = self.flagged(node, marks, last && i + 1 == parts.len())?;
                }
                marks
            }
            Node::Or(parts) => {
                let mut out = (Operand::Never, Course { never: true, ..Course::default() });
                for part in parts {
                    let matched = self.flagged(&part.node, entering, last)?;
                    out = self.either(out, matched);
                }
                out
            }
            Node::Again(inner, register) => {
                let waiting = self.add(Operation::Read(*register));
                let start = self.join(entering.0, waiting, flags);
                let free = matches!(&**inner, Node::Letter(Guard::True));
                let again = if free && entering.1.first {
                    Course { never: false, once: false, first: true, later: true }
                } else {
                    entering.1.vague()
                };
                let (out, course) = self.flagged(inner, (start, again), last)?;
                self.writes.push((*register, out));
                (out, if free { again } else { course.vague() })
            }
            Node::Miss(guard, register) => {
                let out = self.miss(guard, *register, entering.0, flags);
                (out, entering.1.filtered())
            }
            Node::Counted(inner, times, register) => self.counted(inner, *times, *register, entering, last)?,
        })
    }

    fn either(&mut self, a: (Operand, Course), b: (Operand, Course)) -> (Operand, Course) {
        (self.join(a.0, b.0, Marks::Flags), a.1.or(b.1))
    }

    fn miss(&mut self, guard: &Guard<AtomId>, register: usize, entering: Operand, marks: Marks) -> Operand {
        let place = self.place(register, marks);
        let waiting = self.add(Operation::Read(place));
        let all = self.join(entering, waiting, marks);
        let holds = self.holds(guard);
        let left = self.gate_not(all, holds, marks);
        self.writes.push((place, left));
        self.gate(all, holds, marks)
    }

    fn counted(
        &mut self,
        inner: &Node,
        times: Times,
        register: usize,
        (entering, course): (Operand, Course),
        last: bool,
    ) -> Result<(Operand, Course), NoProgram> {
        let place = self.flags + register;
        let Times { min, max } = times;
        // All attempts of one start take so many letters for each time: there is one count at most.
        let alone = course.once && (matches!(inner, Node::Miss(..)) || length(inner).is_some());
        let out_course = Course { never: course.never, once: alone && max == Some(min), ..Course::default() };
        let keeps = match max {
            Some(max) if !last && !course.later && !alone && min > 1 => {
                let (guard, patient) = match inner {
                    Node::Letter(guard) => (guard, false),
                    Node::Miss(guard, _) => (guard, true),
                    _ => return Err(NoProgram),
                };
                self.registers[place] = Register::Bits(CountBits { min, max, guard: guard.clone(), patient });
                return Ok((self.add(Operation::Move(place, entering)), out_course));
            }
            Some(_) if !last && !course.later && !alone => Keeps::Smallest,
            _ => Keeps::Largest,
        };
        // One more than the largest count, and one more on the way.
        let most = u64::from(max.unwrap_or(min).max(min)) + 2;
        let marks = Marks::Counts(keeps, most);
        self.registers[place] = Register::Count(most);
        let waiting = self.add(Operation::Read(place));
        let start =
            if entering == Operand::Never { waiting } else { self.add(Operation::Enter(entering, waiting, keeps)) };
        let done = self.counts(inner, start, marks)?;
        let done = if done == Operand::Never { done } else { self.add(Operation::Increment(done)) };
        let matched = if done == Operand::Never { done } else { self.add(Operation::Reaches(done, u64::from(min))) };
        let kept = match max {
            _ if done == Operand::Never => done,
            None => self.add(Operation::Fixed(matched, u64::from(min), done)),
            // A match ends it all, and what is below the least number is below the largest one.
            Some(_) if last => done,
            Some(max) if course.later => self.add(Operation::Clamp(done, u64::from(max))),
            Some(max) => self.add(Operation::Below(done, u64::from(max))),
        };
        self.writes.push((place, kept));
        Ok((matched, out_course))
    }

    /// What attempts with counts come to.
    fn counts(&mut self, node: &Node, entering: Operand, marks: Marks) -> Result<Operand, NoProgram> {
        Ok(match node {
            Node::Letter(guard) => {
                let holds = self.holds(guard);
                self.gate(entering, holds, marks)
            }
            Node::Concat(parts, base) => {
                let (mut out, mut before, mut start) = (Operand::Never, Operand::Never, entering);
                for (i, part) in parts.iter().enumerate() {
                    if i > 0 {
                        let place = self.place(base + i - 1, marks);
                        self.writes.push((place, before));
                        let waiting = self.add(Operation::Read(place));
                        start = if parts[i - 1].empty { self.join(start, waiting, marks) } else { waiting };
                    }
                    before = self.counts(&part.node, start, marks)?;
                    out = if part.empty { self.join(out, before, marks) } else { before };
                }
                out
            }
            Node::Fusion(parts) => {
                let mut all = entering;
                for part in parts {
                    all = self.counts(&part.node, all, marks)?;
                }
                all
            }
            Node::Or(parts) => {
                let mut out = Operand::Never;
                for part in parts {
                    let matched = self.counts(&part.node, entering, marks)?;
                    out = self.join(out, matched, marks);
                }
                out
            }
            Node::Again(inner, register) => {
                let place = self.place(*register, marks);
                let waiting = self.add(Operation::Read(place));
                let start = self.join(entering, waiting, marks);
                let out = self.counts(inner, start, marks)?;
                self.writes.push((place, out));
                out
            }
            Node::Miss(guard, register) => self.miss(guard, *register, entering, marks),
            // Repetitions inside of one are written out.
            Node::Counted(..) => return Err(NoProgram),
        })
    }
}

/// How many letters a node takes, if that is always the same.
fn length(node: &Node) -> Option<usize> {
    match node {
        Node::Letter(_) => Some(1),
        Node::Concat(parts, _) => parts.iter().map(|part| length(&part.node).filter(|_| !part.empty)).sum(),
        Node::Fusion(parts) => {
            let all: Option<usize> = parts.iter().map(|part| length(&part.node)).sum();
            Some(all? + 1 - parts.len())
        }
        Node::Or(parts) => {
            let first = length(&parts.first()?.node);
            first.filter(|_| parts.iter().all(|part| length(&part.node) == first))
        }
        Node::Again(..) | Node::Miss(..) | Node::Counted(..) => None,
    }
}

impl Operation {
    /// What it depends on.
    #[must_use]
    pub fn operands(&self) -> Vec<Operand> {
        match self {
            Self::First | Self::Holds(_) | Self::Read(_) => Vec::new(),
            Self::Increment(a) | Self::Reaches(a, _) | Self::Below(a, _) | Self::Clamp(a, _) | Self::Move(_, a) => {
                vec![*a]
            }
            Self::And(a, b)
            | Self::AndNot(a, b)
            | Self::Or(a, b)
            | Self::If(a, b)
            | Self::IfNot(a, b)
            | Self::Enter(a, b, _)
            | Self::Join(a, b, _)
            | Self::Fixed(a, _, b) => vec![*a, *b],
        }
    }

    fn rename(&mut self, name: &impl Fn(Operand) -> Operand) {
        match self {
            Self::First | Self::Holds(_) | Self::Read(_) => {}
            Self::Increment(a) | Self::Reaches(a, _) | Self::Below(a, _) | Self::Clamp(a, _) | Self::Move(_, a) => {
                *a = name(*a);
            }
            Self::And(a, b)
            | Self::AndNot(a, b)
            | Self::Or(a, b)
            | Self::If(a, b)
            | Self::IfNot(a, b)
            | Self::Enter(a, b, _)
            | Self::Join(a, b, _)
            | Self::Fixed(a, _, b) => (*a, *b) = (name(*a), name(*b)),
        }
    }
}

impl CountedProgram {
    /// Leaves out registers that nobody reads, and operations that nobody needs.
    fn trim(&mut self) {
        let mut kept = vec![false; self.registers.len()];
        for operation in &self.operations {
            if let Operation::Read(register) | Operation::Move(register, _) = operation {
                kept[*register] = true;
            }
        }
        self.writes.retain(|&(register, _)| kept[register]);
        let mut needed = vec![false; self.operations.len()];
        let mut open: Vec<Operand> = vec![self.matched];
        open.extend(self.writes.iter().map(|&(_, value)| value));
        let moves =
            self.operations.iter().enumerate().filter(|(_, operation)| matches!(operation, Operation::Move(..)));
        open.extend(moves.map(|(place, _)| Operand::Value(place)));
        while let Some(operand) = open.pop() {
            let Operand::Value(place) = operand else { continue };
            if !std::mem::replace(&mut needed[place], true) {
                open.extend(self.operations[place].operands());
            }
        }
        let number = |kept: &[bool]| -> Vec<usize> {
            kept.iter()
                .scan(0, |next, &kept| {
                    *next += usize::from(kept);
                    Some(*next - usize::from(kept))
                })
                .collect()
        };
        let (values, registers) = (number(&needed), number(&kept));
        let name = |operand: Operand| match operand {
            Operand::Value(place) => Operand::Value(values[place]),
            constant => constant,
        };
        let mut place = 0;
        self.operations.retain(|_| {
            place += 1;
            needed[place - 1]
        });
        for operation in &mut self.operations {
            operation.rename(&name);
            if let Operation::Read(register) | Operation::Move(register, _) = operation {
                *register = registers[*register];
            }
        }
        for (register, value) in &mut self.writes {
            (*register, *value) = (registers[*register], name(*value));
        }
        let mut place = 0;
        self.registers.retain(|_| {
            place += 1;
            kept[place - 1]
        });
        self.matched = name(self.matched);
    }

    /// How many bits the sets of counts take that are kept bit by bit.
    #[must_use]
    pub fn bits(&self) -> u64 {
        let of = |register: &Register| if let Register::Bits(bits) = register { u64::from(bits.max) } else { 0 };
        self.registers.iter().map(of).sum()
    }
}
