//! A machine with counters: for what waits for one match of an expression, or owes one after each of another, however large its counts are.
//!
//! `never {a; b[->1000000]; c}` has more states than can be laid out, and as many attempts under way as there are counts. Attempts
//! that differ in their counts only stand at one place with a [set of counts](sets), so a record costs as much as with a small count.
//! [`first`] says which formulas are such; [`tree`] moves the attempts; [`program`] says what moves them without sets, where that can be.
//!
//! `always {a} |=> {b[->1000000]}!` owes a match after each `a`. Where an attempt at it stands at one place at a time, those that stand at
//! the same one have the same future, so the attempts are a set, too; one that is lost is a match that never comes.
//!
//! Nothing here is late over finite completions: as long as no beginning has matched, the word may end here, and every attempt
//! under way can be led to a match, since letters that no match can have are left out beforehand.

mod first;
mod program;
mod sets;
mod tree;

pub(super) use self::first::largest_count;
pub use self::program::{CountBits, CountedProgram, Keeps, Operand, Operation, Register};
pub(super) use self::sets::{Counts, Mark};

use std::fmt::Write;

use self::first::{FirstMatch, Owed};
use self::tree::{Builder, Node, is_single, step};
use super::supply::Supply;
use super::{Answers, Completions, Prospect};
use crate::linear::Linear;
use crate::residual::{Reading, ResidualReader, Symbolic};
use posetta_base::{Budget, Claim, LetterId, OverBudget};
use posetta_dd::mtbdd::{Function, Mtbdd};
use posetta_logic::{AtomId, Guard, Memory, Psl, View};

const WHAT: &str = "counting in the monitor of the property";

/// Bytes of one interval of counts.
const INTERVAL: u64 = 16;

/// A property that waits for a match.
#[derive(Debug)]
pub struct Counted {
    /// `None` if nothing can match.
    tree: Option<Node>,
    good: bool,
    /// What has to match from the last letter of each match of the tree on.
    debt: Option<Debt>,
    flags: usize,
    counts: usize,
    completions: Completions,
    /// Whether every attempt under way can still come to a match.
    open_ended: bool,
    /// Whether an answer is given as soon as it is determined.
    exact: bool,
    start: Answers,
}

/// What is owed after each match.
#[derive(Debug)]
struct Debt {
    tree: Node,
    /// Its attempts are in the registers from these on.
    flags: usize,
    counts: usize,
    /// A word does not end before it is paid.
    strong: bool,
}

/// The attempts under way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Registers {
    flags: Vec<bool>,
    counts: Vec<Counts>,
    /// The last letter has ended an attempt without a match.
    lost: bool,
}

/// Where a word has led.
#[derive(Debug)]
pub struct CountedPlace {
    registers: Registers,
    started: bool,
    /// What is waited for has come, or what is owed cannot come any more.
    matched: bool,
    answers: Answers,
    /// For the intervals of all counts.
    claim: Option<(Claim, u64)>,
}

impl Clone for CountedPlace {
    fn clone(&self) -> Self {
        // A copy claims what it takes with its next letter.
        let Self { registers, started, matched, answers, .. } = self;
        Self { registers: registers.clone(), started: *started, matched: *matched, answers: *answers, claim: None }
    }
}

impl CountedPlace {
    /// The answers here.
    #[must_use]
    pub fn answers(&self) -> Answers {
        self.answers
    }
}

impl Counted {
    /// The machine; `None` for a property of another kind.
    pub(super) fn new(
        property: &Linear,
        supply: &Supply,
        completions: Completions,
        budget: &Budget,
    ) -> Result<Option<Self>, OverBudget> {
        let Linear::Psl(formula) = property else { return Ok(None) };
        let (sere, good, owed) = match FirstMatch::of(formula) {
            Some(FirstMatch { sere, good }) => (sere, good, None),
            None => {
                let Some(Owed { trigger, sere, strong }) = Owed::of(formula) else { return Ok(None) };
                (trigger, false, Some((sere, strong)))
            }
        };
        let mut letters = Comes::new(supply, budget)?;
        let mut failed = None;
        let mut satisfiable = |guard: &Guard<AtomId>| {
            let found = letters.satisfy(guard, budget);
            found.unwrap_or_else(|over| {
                failed = Some(over);
                true
            })
        };
        let mut builder = Builder::new(&mut satisfiable);
        let tree = builder.build(&sere);
        let debt = owed.map(|(sere, strong)| {
            let (flags, counts) = (builder.flags, builder.counts);
            let tree = builder.build(&sere)??;
            is_single(&tree).then_some(Debt { tree, flags, counts, strong })
        });
        let (flags, counts, open_ended) = (builder.flags, builder.counts, builder.open_ended);
        if let Some(over) = failed {
            return Err(over);
        }
        let Some(tree) = tree else { return Ok(None) };
        let debt = match debt {
            Some(None) => return Ok(None),
            debt => debt.flatten(),
        };
        // Debts may rule each other out, or come for ever.
        let open_ended = open_ended && letters.exact && debt.is_none();
        let exact = open_ended && completions.finite();
        let nothing = Answers { satisfied: property.on_empty(), prospect: Prospect::Open, monitorable: None };
        let mut machine = Self { tree, good, debt, flags, counts, completions, open_ended, exact, start: nothing };
        machine.start = machine.first_answers(formula, supply, budget)?;
        Ok(Some(machine))
    }

    /// The answers before the first letter: what is so after every letter that may come first is so now.
    fn first_answers(&self, formula: &Psl<AtomId>, supply: &Supply, budget: &Budget) -> Result<Answers, OverBudget> {
        let satisfied = crate::residual::on_empty(formula);
        let Supply::Listed(book) = supply else { return Ok(self.start) };
        // The empty word is none of the words of the states view.
        let ends = self.completions.finite() && book.letters.view() == View::Events;
        let (mut can_hold, mut can_fail) = (ends && satisfied, ends && !satisfied);
        let mut monitorable = Some(true);
        for &(letter, _) in &book.first {
            let mut place = self.start();
            self.step(&mut place, book.letters.vector(letter), budget)?;
            can_hold |= place.answers.prospect != Prospect::Violated;
            can_fail |= place.answers.prospect != Prospect::Holds;
            monitorable = monitorable.and(place.answers.monitorable);
        }
        Ok(Answers { satisfied, prospect: Prospect::of(can_hold, can_fail), monitorable })
    }

    pub(super) fn is_exact(&self) -> bool {
        self.exact
    }

    /// What it does, in registers of fixed size; `None` if sets of counts are needed that do not grow together, or if
    /// matches are owed.
    #[must_use]
    pub fn program(&self) -> Option<CountedProgram> {
        program::lower(self)
    }

    pub(super) fn start(&self) -> CountedPlace {
        let registers =
            Registers { flags: vec![false; self.flags], counts: vec![Counts::default(); self.counts], lost: false };
        CountedPlace { registers, started: false, matched: false, answers: self.start, claim: None }
    }

    /// Reads a letter.
    pub(super) fn step(&self, place: &mut CountedPlace, letter: &[bool], budget: &Budget) -> Result<(), OverBudget> {
        budget.step(1, WHAT)?;
        // A letter adds at most one interval to each set.
        let intervals = place.registers.counts.iter().map(|counts| counts.len() as u64 + 1).sum::<u64>();
        if intervals > 64 && place.claim.as_ref().is_none_or(|(_, room)| intervals > *room) {
            let room = intervals.saturating_mul(2);
            let mut claim = budget.claim(0, WHAT)?;
            // Deques and their copies are twice as large as what they hold.
            claim.grow_to(room.saturating_mul(2 * INTERVAL), WHAT)?;
            place.claim = Some((claim, room));
        }
        let entering = !std::mem::replace(&mut place.started, true);
        if place.matched {
            return Ok(());
        }
        if let Some(tree) = &self.tree {
            place.matched = step(tree, entering, letter, &mut place.registers);
        }
        if let Some(debt) = &self.debt {
            place.registers.lost = false;
            step(&debt.tree, place.matched, letter, &mut place.registers);
            place.matched = std::mem::take(&mut place.registers.lost);
        }
        if place.matched {
            place.registers = self.start().registers;
            place.claim = None;
        }
        place.answers = self.answers(place);
        Ok(())
    }

    fn answers(&self, place: &CountedPlace) -> Answers {
        let under_way = |flags: usize, counts: usize| {
            let Registers { flags: all_flags, counts: all_counts, .. } = &place.registers;
            all_flags[flags..].contains(&true) || all_counts[counts..].iter().any(|c| !c.is_none())
        };
        if let Some(debt) = &self.debt {
            let satisfied = !(place.matched || debt.strong && under_way(debt.flags, debt.counts));
            // Nothing is owed any more where nothing is under way that could still match, or pay.
            let prospect = Prospect::of(!place.matched, place.matched || under_way(0, 0));
            return Answers { satisfied, prospect, monitorable: (prospect != Prospect::Open).then_some(true) };
        }
        let under_way = under_way(0, 0);
        // Over infinite completions alone it is not looked for one without a match.
        let (matches, misses) = (place.matched || under_way, !place.matched);
        let (can_hold, can_fail) = if self.good { (matches, misses) } else { (misses, matches) };
        let prospect = Prospect::of(can_hold, can_fail);
        let monitorable = (self.open_ended || prospect != Prospect::Open).then_some(true);
        Answers { satisfied: place.matched == self.good, prospect, monitorable }
    }

    /// A place as text.
    pub(super) fn write(&self, place: &CountedPlace, out: &mut String) {
        let word = match (place.started, place.matched) {
            (false, _) => "start",
            (true, true) => "matched",
            (true, false) => "waiting",
        };
        let _ = write!(out, " {word}");
        if word != "waiting" {
            return;
        }
        for flag in &place.registers.flags {
            let _ = write!(out, " {}", u8::from(*flag));
        }
        for counts in &place.registers.counts {
            let intervals = counts.intervals();
            let _ = write!(out, " {}", intervals.len());
            for (first, last) in intervals {
                let _ = write!(out, " {first} {last}");
            }
        }
    }

    /// The place that was written; `None` if it was not.
    pub(super) fn read(&self, reader: &mut ResidualReader<'_>) -> Option<CountedPlace> {
        let mut place = self.start();
        match reader.word()? {
            "start" => return Some(place),
            "matched" => place.matched = true,
            "waiting" => {
                for flag in &mut place.registers.flags {
                    *flag = match reader.number()? {
                        0 => false,
                        1 => true,
                        _ => return None,
                    };
                }
                for counts in &mut place.registers.counts {
                    let mut intervals = Vec::new();
                    let mut least = 0;
                    for _ in 0..reader.number()? {
                        let (first, last) = (i64::from(reader.number()?), i64::from(reader.number()?));
                        if first < least || last < first {
                            return None;
                        }
                        least = last + 1;
                        intervals.push((first, last));
                    }
                    *counts = Counts::of(intervals);
                }
            }
            _ => return None,
        }
        place.started = true;
        place.answers = self.answers(&place);
        Some(place)
    }
}

/// Which letters can come at all.
struct Comes<'s> {
    supply: &'s Supply,
    /// The vectors that may come later, and first.
    dd: Option<(Mtbdd, [Function; 2])>,
    /// Every letter that was asked for may come at any time.
    exact: bool,
}

impl<'s> Comes<'s> {
    fn new(supply: &'s Supply, budget: &Budget) -> Result<Self, OverBudget> {
        Ok(match supply {
            Supply::Listed(book) => {
                let exact = book.letters.is_exact() && book.later.len() <= 1;
                Self { supply, dd: None, exact }
            }
            Supply::Diagram(vectors) => {
                let mut dd = Mtbdd::new(budget)?;
                let care = [vectors.function(false, &mut dd, budget)?, vectors.function(true, &mut dd, budget)?];
                Self { supply, dd: Some((dd, care)), exact: vectors.exact }
            }
        })
    }

    /// Whether some letter satisfies a guard.
    fn satisfy(&mut self, guard: &Guard<AtomId>, budget: &Budget) -> Result<bool, OverBudget> {
        let [later, first] = match (self.supply, &mut self.dd) {
            (_, Some((dd, care))) => {
                let holds = Symbolic(dd).guard(guard, budget)?;
                let mut found = [false; 2];
                for (found, care) in found.iter_mut().zip(care) {
                    let both = dd.zip(*care, holds, budget, &mut |x, y| Ok(x & y))?;
                    *found = both != Function::constant(0);
                }
                found
            }
            (Supply::Listed(book), None) => {
                let holds = |&(letter, _): &(LetterId, Memory)| {
                    guard.holds(&|atom| book.letters.vector(letter)[atom.0 as usize])
                };
                [book.later.iter().flatten().any(holds), book.first.iter().any(holds)]
            }
            (Supply::Diagram(_), None) => [true, true],
        };
        // What can come first only, nobody waits for later.
        self.exact &= later || !first;
        Ok(later || first)
    }
}
