//! A machine for what is owed together, part by part: where many attempts are under way that need not know of each other.
//!
//! What is left of `always {a} |=> {b[->1000]; c}!`, or of the negation of `eventually! {a; b[*1000]; c}`, is a conjunction of what each attempt
//! still owes. A part is a [residual](crate::residual) with few clauses, and all parts that differ in one count only are a *herd*: one residual with an
//! open count, beside the [set](super::counted) of numbers that it stands for. A letter is read once for each herd, however many attempts are in
//! it and however large their counts are: numbers stay, or go down together. (The counting sets of Turoňová, Holík, Lengál, Saarikivi, Veanes
//! and Vojnar 2020, here for every formula whose attempts are owed together, and for those that are any attempt's by the negation.)
//!
//! *Satisfied* is exact. A prefix is determined where nothing is left to be owed, or where a part cannot be paid, of the property or of its
//! negation: that parts rule each other out is not looked for, so it may be said late.

use std::fmt::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::{FxHashMap, FxHashSet};

use super::counted::{Counts, Mark};
use super::situation::Core;
use super::supply::Supply;
use super::{Answers, Prospect};
use crate::linear::Linear;
use crate::residual::{BASE, Cache, Context, DnfId, Evaluator, Horizon, Letterwise, ResidualReader, Translation};
use posetta_base::{Budget, Claim, OverBudget};
use posetta_logic::Memory;

const WHAT: &str = "following the attempts of the property";

/// Bytes that the tables of one hall may take before a new one is opened.
const HALL: u64 = 64 << 20;

/// So many letters are remembered with what they do.
const LETTERS: usize = 1 << 12;

/// So many parts are looked at to find out whether one can still fail.
const REACH: usize = 256;

/// The side that is so much larger than the other one, and has more clauses than this, is not followed any more.
const MUCH: usize = 4;
const FEW_CLAUSES: usize = 64;

/// Bytes of one interval of counts.
const INTERVAL: u64 = 16;

/// A property that is followed part by part.
#[derive(Debug)]
pub struct Attempts {
    property: Linear,
    empty: bool,
    /// The letters that may come at any time, if all of them are known.
    letters: Arc<[Box<[bool]>]>,
    hall: Arc<Mutex<Hall>>,
}

/// Where a word has led.
#[derive(Debug)]
pub struct AttemptsPlace {
    hall: Arc<Mutex<Hall>>,
    /// `None` before the first letter. What is left of the property, and of its negation.
    sides: Option<[Option<Crowd>; 2]>,
    answers: Answers,
    /// For the intervals of all counts.
    claim: Option<(Claim, u64)>,
}

impl Clone for AttemptsPlace {
    fn clone(&self) -> Self {
        // A copy claims what it takes with its next letter.
        Self { hall: Arc::clone(&self.hall), sides: self.sides.clone(), answers: self.answers, claim: None }
    }
}

impl AttemptsPlace {
    /// The answers here.
    #[must_use]
    pub fn answers(&self) -> Answers {
        self.answers
    }
}

/// Parts that are all owed; none of them: nothing is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Crowd {
    /// One of them cannot be paid.
    failed: bool,
    /// Those without an open count; sorted.
    alone: Vec<DnfId>,
    /// Those with one, sorted, and what it stands for, less than 0: the last to come is the first.
    herds: Vec<(DnfId, Counts)>,
}

/// What a letter makes of a part, or of one that has counted to its end.
#[derive(Clone, Copy, Debug)]
enum Step {
    Fails,
    Alone(DnfId),
    /// In a herd, with this number.
    Joins(DnfId, u64),
    /// The numbers of a herd, so much more, in another one.
    Moves(DnfId, i64),
}

/// What is known of the parts of a property.
#[derive(Debug)]
struct Hall {
    core: Core,
    /// The property and its negation, before the first letter.
    start: [Vec<DnfId>; 2],
    letters: FxHashMap<Box<[bool]>, (u32, Cache<u32>)>,
    steps: FxHashMap<(DnfId, u32), Arc<[Step]>>,
    /// What a herd becomes where its number is 0.
    ends: FxHashMap<DnfId, Arc<[Step]>>,
    can_fail: FxHashMap<DnfId, bool>,
}

impl Attempts {
    /// The machine; `None` for what is not PSL.
    pub(super) fn new(property: &Linear, supply: &Supply, budget: &Budget) -> Result<Option<Self>, OverBudget> {
        if !matches!(property, Linear::Psl(_)) {
            return Ok(None);
        }
        let letters: Arc<[Box<[bool]>]> = match supply {
            Supply::Listed(book) if book.later.len() <= 1 && book.letters.is_exact() => {
                let later = book.later.iter().flatten().filter(|(_, memory)| *memory == Memory(0));
                later.map(|&(letter, _)| book.letters.vector(letter).into()).collect()
            }
            _ => [].into(),
        };
        let hall = Arc::new(Mutex::new(Hall::new(property, budget)?));
        let (property, empty) = (property.clone(), property.on_empty());
        Ok(Some(Self { property, empty, letters, hall }))
    }

    pub(super) fn start(&self) -> AttemptsPlace {
        let answers = Answers { satisfied: self.empty, prospect: Prospect::Open, monitorable: None };
        AttemptsPlace { hall: Arc::clone(&self.hall), sides: None, answers, claim: None }
    }

    /// Reads a letter. The place stays as it was if that goes wrong.
    pub(super) fn step(
        &mut self,
        place: &mut AttemptsPlace,
        letter: &[bool],
        budget: &Budget,
    ) -> Result<(), OverBudget> {
        budget.step(1, WHAT)?;
        // A letter adds at most a few intervals.
        let intervals = place.intervals() + 8;
        if intervals > 64 && place.claim.as_ref().is_none_or(|(_, room)| intervals > *room) {
            let room = intervals.saturating_mul(2);
            let mut claim = budget.claim(0, WHAT)?;
            claim.grow_to(room.saturating_mul(2 * INTERVAL), WHAT)?;
            place.claim = Some((claim, room));
        }
        if locked(&self.hall).core.store.bytes() > HALL {
            self.hall = Arc::new(Mutex::new(Hall::new(&self.property, budget)?));
        }
        let mut hall = locked(&self.hall);
        if !Arc::ptr_eq(&self.hall, &place.hall) {
            if let Some(sides) = &mut place.sides {
                hall.take_in(&locked(&place.hall), sides, budget)?;
            }
            place.hall = Arc::clone(&self.hall);
        }
        let number = hall.number(letter);
        let sides = place.sides.get_or_insert_with(|| hall.start.clone().map(|parts| Some(Crowd::of(parts))));
        // All that a letter may be asked for is found out before anything moves.
        for crowd in sides.iter().flatten() {
            hall.prepare(crowd, letter, number, budget)?;
        }
        for crowd in sides.iter_mut().flatten() {
            hall.advance(crowd, number);
        }
        hall.choose(sides);
        place.answers = hall.answers(sides, &self.letters, budget);
        Ok(())
    }

    /// A place as text.
    pub(super) fn write(&self, place: &AttemptsPlace, out: &mut String) {
        let Some(sides) = &place.sides else {
            out.push_str(" start");
            return;
        };
        let hall = locked(&place.hall);
        out.push_str(" after");
        for side in sides {
            let Some(Crowd { failed, alone, herds }) = side else {
                out.push_str(" left");
                continue;
            };
            let _ = write!(out, " {} {}", if *failed { "failed" } else { "owed" }, alone.len());
            alone.iter().for_each(|&part| hall.core.store.write(part, out));
            let _ = write!(out, " {}", herds.len());
            for (part, counts) in herds {
                hall.core.store.write(*part, out);
                let intervals = counts.intervals();
                let _ = write!(out, " {}", intervals.len());
                for (first, last) in intervals {
                    let _ = write!(out, " {} {}", -first, -last);
                }
            }
        }
    }

    /// The place that was written; `None` if it was not.
    pub(super) fn read(
        &mut self,
        reader: &mut ResidualReader<'_>,
        budget: &Budget,
    ) -> Result<Option<AttemptsPlace>, OverBudget> {
        match reader.word() {
            Some("start") => return Ok(Some(self.start())),
            Some("after") => {}
            _ => return Ok(None),
        }
        let mut hall = locked(&self.hall);
        let mut sides = [None, None];
        for side in &mut sides {
            match hall.read(reader, budget)? {
                Some(crowd) => *side = crowd,
                None => return Ok(None),
            }
        }
        if sides == [None, None] {
            return Ok(None);
        }
        let answers = hall.answers(&sides, &self.letters, budget);
        drop(hall);
        Ok(Some(AttemptsPlace { hall: Arc::clone(&self.hall), sides: Some(sides), answers, claim: None }))
    }
}

impl AttemptsPlace {
    fn intervals(&self) -> u64 {
        let crowds = self.sides.iter().flatten().flatten();
        crowds.flat_map(|crowd| &crowd.herds).map(|(_, counts)| counts.len() as u64 + 1).sum()
    }
}

/// A panic elsewhere leaves tables that are only ever added to.
fn locked(hall: &Mutex<Hall>) -> MutexGuard<'_, Hall> {
    hall.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Crowd {
    fn of(mut alone: Vec<DnfId>) -> Self {
        alone.sort_unstable();
        alone.dedup();
        Self { failed: false, alone, herds: Vec::new() }
    }

    fn failed() -> Self {
        Self { failed: true, ..Self::default() }
    }

    /// Nothing is owed.
    fn is_done(&self) -> bool {
        !self.failed && self.alone.is_empty() && self.herds.is_empty()
    }

    fn parts(&self) -> impl Iterator<Item = DnfId> + '_ {
        self.alone.iter().copied().chain(self.herds.iter().map(|(part, _)| *part))
    }

    /// Adds what a part has become that was in no herd.
    fn take(&mut self, step: Step) {
        match step {
            Step::Fails => self.failed = true,
            // What is in no herd has no open count, unless somebody wrote a checkpoint by hand.
            Step::Alone(part) | Step::Moves(part, _) => {
                if let Err(place) = self.alone.binary_search(&part) {
                    self.alone.insert(place, part);
                }
            }
            Step::Joins(part, number) => self.join(part, Counts::single(-(number as i64))),
        }
    }

    /// Adds a herd. Its set is nobody else's: what is shared is copied before it is changed.
    fn join(&mut self, part: DnfId, counts: Counts) {
        if counts.is_none() {
            return;
        }
        match self.herds.binary_search_by_key(&part, |herd| herd.0) {
            Ok(place) => {
                let own = std::mem::take(&mut self.herds[place].1);
                self.herds[place].1 = own.join(counts);
            }
            Err(place) => self.herds.insert(place, (part, counts)),
        }
    }
}

impl Hall {
    fn new(property: &Linear, budget: &Budget) -> Result<Self, OverBudget> {
        let mut core = Core::new(property, Horizon::Finite, true, budget)?;
        let start = core.owing(budget)?;
        Ok(Self {
            core,
            start,
            letters: FxHashMap::default(),
            steps: FxHashMap::default(),
            ends: FxHashMap::default(),
            can_fail: FxHashMap::default(),
        })
    }

    /// The parts of a place in another hall.
    fn take_in(&mut self, from: &Self, sides: &mut [Option<Crowd>; 2], budget: &Budget) -> Result<(), OverBudget> {
        let mut known = Translation::default();
        let mut moved = sides.clone();
        for crowd in moved.iter_mut().flatten() {
            let old = std::mem::take(crowd);
            crowd.failed = old.failed;
            for part in old.alone {
                let part = self.core.store.import(&from.core.store, part, &mut known, budget)?;
                crowd.take(Step::Alone(part));
            }
            for (part, counts) in old.herds {
                let part = self.core.store.import(&from.core.store, part, &mut known, budget)?;
                crowd.join(part, counts);
            }
        }
        *sides = moved;
        Ok(())
    }

    fn number(&mut self, letter: &[bool]) -> u32 {
        if let Some((number, _)) = self.letters.get(letter) {
            return *number;
        }
        if self.letters.len() >= LETTERS {
            self.letters.clear();
            self.steps.clear();
        }
        let number = self.letters.len() as u32;
        self.letters.insert(letter.into(), (number, Cache::default()));
        number
    }

    /// Finds out what a letter makes of all that is owed.
    fn prepare(&mut self, crowd: &Crowd, letter: &[bool], number: u32, budget: &Budget) -> Result<(), OverBudget> {
        for part in crowd.parts() {
            self.read_letter(part, letter, number, budget)?;
        }
        Ok(())
    }

    fn read_letter(
        &mut self,
        part: DnfId,
        letter: &[bool],
        number: u32,
        budget: &Budget,
    ) -> Result<Arc<[Step]>, OverBudget> {
        if let Some(known) = self.steps.get(&(part, number)) {
            return Ok(Arc::clone(known));
        }
        let (_, cache) = self.letters.get_mut(letter).expect("it has a number");
        let mut reading = Letterwise(letter);
        let store = &mut self.core.store;
        let value = Evaluator::new(store, &mut reading, cache, Context::Start, budget).progress(part)?;
        let steps: Arc<[Step]> = self.steps_to(DnfId(value), budget)?.into();
        self.core.store.charge(48 + 24 * steps.len() as u64, budget)?;
        self.steps.insert((part, number), Arc::clone(&steps));
        for &step in steps.iter() {
            if let Step::Moves(part, _) = step
                && !self.ends.contains_key(&part)
            {
                let closed = self.core.store.closed(part, 0, budget)?;
                let end = self.steps_to(closed, budget)?.into();
                self.ends.insert(part, end);
            }
        }
        Ok(steps)
    }

    /// A residual as parts.
    fn steps_to(&mut self, rest: DnfId, budget: &Budget) -> Result<Vec<Step>, OverBudget> {
        let store = &mut self.core.store;
        let mut steps = Vec::new();
        for part in store.parts(rest, budget)? {
            steps.push(match store.least_open(part) {
                _ if part == DnfId::FALSE => Step::Fails,
                _ if part == DnfId::TRUE => continue,
                None => match store.opened(part, budget)? {
                    (part, None) => Step::Alone(part),
                    (part, Some(number)) => Step::Joins(part, number),
                },
                Some(least) => {
                    let by = least as i64 - BASE as i64;
                    Step::Moves(store.shifted(part, -by, budget)?, by)
                }
            });
        }
        Ok(steps)
    }

    /// What has been found out is done.
    fn advance(&self, crowd: &mut Crowd, number: u32) {
        let mut next = Crowd { failed: crowd.failed, ..Crowd::default() };
        let known = |part: DnfId| self.steps[&(part, number)].iter();
        for &part in &crowd.alone {
            known(part).for_each(|&step| next.take(step));
        }
        for (part, mut counts) in std::mem::take(&mut crowd.herds) {
            let steps = known(part);
            let last = steps.len();
            for (place, &step) in steps.enumerate() {
                // Nothing is copied where a herd goes one way.
                let own = if place + 1 == last { std::mem::take(&mut counts) } else { counts.clone() };
                let Step::Moves(to, by) = step else {
                    next.take(step);
                    continue;
                };
                let own = own.shifted(-by);
                if own.reaches(0) {
                    self.ends[&to].iter().for_each(|&step| next.take(step));
                }
                next.join(to, own.below(0));
            }
        }
        *crowd = if next.failed { Crowd::failed() } else { next };
    }

    /// Of the property and its negation one may be many clauses, where the other one is few parts.
    fn choose(&self, sides: &mut [Option<Crowd>; 2]) {
        let [Some(one), Some(other)] = &sides else { return };
        let size = |crowd: &Crowd| crowd.parts().map(|part| self.core.store.clauses_of(part).len()).sum::<usize>();
        let (one, other) = (size(one), size(other));
        if one > FEW_CLAUSES && one > MUCH * other {
            sides[0] = None;
        } else if other > FEW_CLAUSES && other > MUCH * one {
            sides[1] = None;
        }
    }

    fn answers(&mut self, sides: &[Option<Crowd>; 2], letters: &[Box<[bool]>], budget: &Budget) -> Answers {
        let store = &self.core.store;
        let ends = |crowd: &Crowd| !crowd.failed && crowd.parts().all(|part| store.holds_at_end(part));
        let satisfied = match sides {
            [Some(property), _] => ends(property),
            [None, negation] => !negation.as_ref().is_some_and(ends),
        };
        let mut prospect = Prospect::Open;
        let mut monitorable = None;
        for (crowd, [done, failed]) in
            sides.iter().zip([[Prospect::Holds, Prospect::Violated], [Prospect::Violated, Prospect::Holds]])
        {
            let Some(crowd) = crowd else { continue };
            if crowd.failed {
                prospect = failed;
            } else if crowd.is_done() {
                prospect = done;
            }
        }
        if prospect != Prospect::Open {
            monitorable = Some(true);
        }
        let parts: Vec<DnfId> = sides.iter().flatten().flat_map(Crowd::parts).take(REACH).collect();
        for part in parts {
            // Past a limit it is not known. The next letter meets the limit, too.
            if monitorable.is_none() && self.can_fail(part, letters, budget).unwrap_or(false) {
                monitorable = Some(true);
            }
        }
        Answers { satisfied, prospect, monitorable }
    }

    /// Whether letters are seen to lead a part to where it cannot be paid.
    fn can_fail(&mut self, part: DnfId, letters: &[Box<[bool]>], budget: &Budget) -> Result<bool, OverBudget> {
        if let Some(&known) = self.can_fail.get(&part) {
            return Ok(known);
        }
        let (mut seen, mut open, mut found) = (FxHashSet::from_iter([part]), vec![part], false);
        while let Some(part) = open.pop() {
            if found || seen.len() > REACH {
                break;
            }
            for letter in letters {
                let number = self.number(letter);
                let steps = self.read_letter(part, letter, number, budget)?;
                let ends = steps.iter().filter_map(|step| match step {
                    Step::Moves(part, _) => self.ends.get(part),
                    _ => None,
                });
                for &step in steps.iter().chain(ends.flat_map(|end| end.iter())) {
                    match step {
                        Step::Fails => found = true,
                        Step::Alone(part) | Step::Joins(part, _) | Step::Moves(part, _) => {
                            if seen.insert(part) {
                                open.push(part);
                            }
                        }
                    }
                }
            }
        }
        self.can_fail.insert(part, found);
        Ok(found)
    }

    /// A side that was written; `None` if it was not.
    fn read(&mut self, reader: &mut ResidualReader<'_>, budget: &Budget) -> Result<Option<Option<Crowd>>, OverBudget> {
        let failed = match reader.word() {
            Some("left") => return Ok(Some(None)),
            Some("failed") => true,
            Some("owed") => false,
            _ => return Ok(None),
        };
        let mut crowd = Crowd { failed, ..Crowd::default() };
        let Some(count) = reader.number() else { return Ok(None) };
        for _ in 0..count {
            let Some(part) = reader.residual(&mut self.core.store, budget)? else { return Ok(None) };
            crowd.take(Step::Alone(part));
        }
        let Some(count) = reader.number() else { return Ok(None) };
        for _ in 0..count {
            let Some(part) = reader.residual(&mut self.core.store, budget)? else { return Ok(None) };
            let (mut intervals, mut least) = (Vec::new(), i64::MIN);
            let Some(many) = reader.number() else { return Ok(None) };
            for _ in 0..many {
                let (Some(first), Some(last)) = (reader.number(), reader.number()) else { return Ok(None) };
                let (first, last) = (-i64::from(first), -i64::from(last));
                if first < least || last < first || last >= 0 {
                    return Ok(None);
                }
                least = last + 1;
                intervals.push((first, last));
                self.core.store.charge(INTERVAL, budget)?;
            }
            match self.core.store.least_open(part) {
                // Of what is written as it was found, some may be needless.
                None => crowd.take(Step::Alone(part)),
                Some(least) if least >= BASE && !intervals.is_empty() => {
                    crowd.join(part, Counts::of(intervals));
                }
                Some(_) => return Ok(None),
            }
        }
        Ok(Some(Some(crowd)))
    }
}
