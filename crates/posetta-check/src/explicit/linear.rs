//! Every run without enumerating runs: breadth first over (cut, mode).
//!
//! Two runs that reach the same cut in the same mode have the same futures, so each pair is followed once. Only the
//! current and the next level are kept. A run that reaches the goal is found again by halving: a second pass carries,
//! with each entry of the upper half, the entry of the middle level it came from; the two halves are searched the same
//! way inside the cuts below their ends. That costs a logarithmic number of passes over ever smaller parts, only when
//! there is a run to show, and no memory. (Keeping all levels instead cost 16 bytes per configuration of memory that a
//! property that holds never uses.)

use std::ops::Range;

use crate::Stats;
use crate::classes::{Classes, Repeats, Vocabulary};
use crate::machine::{Machine, Mode};
use posetta_base::{Budget, EventId, Limit, OverBudget, PackedSet};
use posetta_compile::Automaton;
use posetta_logic::eval::Notes;
use posetta_logic::{Bound, View};
use posetta_trace::{Lattice, Trace};

const WHAT: &str = "searching the orders";

/// Looks for a run that an automaton accepts. Answers the beginning of such a run, however it goes on. Adds to the
/// statistics even when it fails.
pub(crate) fn find_run<F>(
    trace: &Trace,
    bound: &Bound<F>,
    view: View,
    automaton: &mut dyn Automaton,
    notes: &mut Notes,
    stats: &mut Stats,
    budget: &Budget,
) -> Result<Option<Vec<EventId>>, OverBudget> {
    let lattice = &Lattice::new(trace, budget)?;
    let words = Vocabulary::new(trace, bound, |_| true);
    let classes = &Classes::new(&words, Repeats::Count, notes, budget)?;
    stats.relevant_events = classes.relevant;
    let machine = &mut Machine::new(&words, classes, automaton, view, notes, budget)?;
    search(lattice, classes, machine, &All, notes, &mut stats.configurations, budget)
}

/// Which steps of a cut are taken.
pub(super) trait Steps {
    /// The processes whose next event is taken, if they have one, from a cut with so many events.
    fn processes(&self, lattice: &Lattice<'_>, cut: &[u64], depth: usize) -> Range<usize>;
}

/// Every step.
struct All;

impl Steps for All {
    #[inline]
    fn processes(&self, lattice: &Lattice<'_>, _: &[u64], _: usize) -> Range<usize> {
        0..lattice.width()
    }
}

/// The same along some steps only, with a machine at its start.
pub(super) fn search<A: Automaton>(
    lattice: &Lattice<'_>,
    classes: &Classes,
    machine: &mut Machine<'_, A>,
    steps: &impl Steps,
    notes: &mut Notes,
    explored: &mut u64,
    budget: &Budget,
) -> Result<Option<Vec<EventId>>, OverBudget> {
    // One word for the mode behind the words of the cut.
    match lattice.packing().words() {
        1 => Search::<2, _, _> { lattice, classes, machine, steps, notes, explored, budget }.find(),
        2 => Search::<3, _, _> { lattice, classes, machine, steps, notes, explored, budget }.find(),
        _ => Search::<0, _, _> { lattice, classes, machine, steps, notes, explored, budget }.find(),
    }
}

/// A cut and a mode, packed; and how many events the cut has.
#[derive(Clone, Debug)]
struct Entry {
    row: Vec<u64>,
    level: usize,
}

/// Where a pass ends.
#[derive(Clone, Copy)]
enum Goal<'g> {
    /// At a universal mode, or an accepting one at the full cut.
    Accepted,
    /// At this entry.
    At(&'g Entry),
}

struct Search<'s, 't, 'm, const S: usize, A, R> {
    lattice: &'s Lattice<'t>,
    classes: &'s Classes,
    machine: &'s mut Machine<'m, A>,
    steps: &'s R,
    notes: &'s mut Notes,
    explored: &'s mut u64,
    budget: &'s Budget,
}

impl<const S: usize, A: Automaton, R: Steps> Search<'_, '_, '_, S, A, R> {
    fn words(&self) -> usize {
        self.lattice.packing().words()
    }

    fn find(mut self) -> Result<Option<Vec<EventId>>, OverBudget> {
        let starts: Vec<Entry> = self.machine.starts().iter().map(|&mode| self.at_start(mode)).collect();
        let Some((end, _)) = self.pass(&starts, Goal::Accepted, None)? else {
            return Ok(None);
        };
        let mut prefix = Vec::with_capacity(end.level);
        for start in &starts {
            // Each start is a different automaton state; the first one that leads to the end will do.
            if self.path(start, &end, &mut prefix)? {
                return Ok(Some(prefix));
            }
        }
        unreachable!("the end was reached from one of the starts")
    }

    fn at_start(&self, mode: Mode) -> Entry {
        let mut row = vec![0; self.words() + 1];
        row[self.words()] = u64::from(mode);
        Entry { row, level: 0 }
    }

    /// Appends the events of a path from one entry to another. Answers whether there is one.
    fn path(&mut self, from: &Entry, to: &Entry, path: &mut Vec<EventId>) -> Result<bool, OverBudget> {
        match to.level - from.level {
            0 => return Ok(from.row == to.row),
            1 => return self.single_step(from, to, path),
            _ => {}
        }
        let middle = from.level + (to.level - from.level) / 2;
        let Some((_, Some(anchor))) = self.pass(std::slice::from_ref(from), Goal::At(to), Some(middle))? else {
            return Ok(false);
        };
        Ok(self.path(from, &anchor, path)? && self.path(&anchor, to, path)?)
    }

    fn single_step(&mut self, from: &Entry, to: &Entry, path: &mut Vec<EventId>) -> Result<bool, OverBudget> {
        let words = self.words();
        let mode = from.row[words] as Mode;
        let mut row = from.row.clone();
        for process in 0..self.lattice.width() {
            let Some(event) = self.lattice.next(&row[..words], process) else { continue };
            self.lattice.packing().add(&mut row, process);
            if row[..words] == to.row[..words] {
                let (first, count) = self.machine.step(mode, self.classes.of(event), self.notes, self.budget)?;
                if (first..first + count).any(|i| u64::from(self.machine.target(i)) == to.row[words]) {
                    path.push(event);
                    return Ok(true);
                }
            }
            self.lattice.packing().remove(&mut row, process);
        }
        Ok(false)
    }

    /// Whether one cut is inside another.
    fn below(&self, cut: &[u64], other: &[u64]) -> bool {
        let packing = self.lattice.packing();
        (0..self.lattice.width()).all(|p| packing.count(cut, p) <= packing.count(other, p))
    }

    /// One sweep from level to level. Answers the entry where the goal was met and, if `middle` is given, the entry of
    /// that level from which it was reached.
    fn pass(
        &mut self,
        starts: &[Entry],
        goal: Goal<'_>,
        middle: Option<usize>,
    ) -> Result<Option<(Entry, Option<Entry>)>, OverBudget> {
        let words = self.words();
        let (mut level, mut next) = (PackedSet::<S>::new(words + 1), PackedSet::<S>::new(words + 1));
        let (mut anchors, mut next_anchors): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
        let mut middle_rows: Vec<u64> = Vec::new();
        let anchor_entry = |rows: &[u64], anchor: u32| {
            middle.map(|m| Entry { row: rows[anchor as usize * (words + 1)..][..words + 1].to_vec(), level: m })
        };
        let mut claim = self.budget.claim(0, WHAT)?;
        let Some(first) = starts.first() else { return Ok(None) };
        let mut depth = first.level;
        for start in starts {
            if matches!(goal, Goal::Accepted) && self.machine.is_universal(start.row[words] as Mode) {
                return Ok(Some((start.clone(), None)));
            }
            level.insert(&start.row);
        }
        anchors.resize(level.len(), 0);
        let last = match goal {
            Goal::Accepted => self.lattice.trace().len(),
            Goal::At(entry) => entry.level,
        };
        let mut row = vec![0u64; words + 1];
        *self.explored += level.len() as u64;
        while depth < last && !level.is_empty() {
            if middle == Some(depth) {
                for i in 0..level.len() as u32 {
                    middle_rows.extend_from_slice(level.row(i));
                    anchors[i as usize] = i;
                }
            }
            next.clear();
            next_anchors.clear();
            let mut look_at = 0;
            for i in 0..level.len() as u32 {
                if i.is_multiple_of(1024) {
                    self.budget.step(0, WHAT)?;
                }
                row.copy_from_slice(level.row(i));
                let mode = row[words] as Mode;
                for process in self.steps.processes(self.lattice, &row, depth) {
                    // By what was added, not by what was read: one entry of a wide run has thousands of long successors.
                    if next.len() >= look_at {
                        self.budget.step(0, WHAT)?;
                        let rows = 8 * (anchors.capacity() + next_anchors.capacity() + middle_rows.capacity()) as u64;
                        claim.grow_to(level.bytes() + next.bytes() + rows + self.machine.bytes(), WHAT)?;
                        if next.is_full() {
                            return Err(OverBudget::new(WHAT, Limit::Memory));
                        }
                        look_at = next.len() + next.rows_between_looks();
                    }
                    let Some(event) = self.lattice.next(&row, process) else { continue };
                    let (start, count) = self.machine.step(mode, self.classes.of(event), self.notes, self.budget)?;
                    if count == 0 {
                        continue;
                    }
                    self.lattice.packing().add(&mut row, process);
                    if let Goal::At(to) = goal
                        && !self.below(&row, &to.row)
                    {
                        self.lattice.packing().remove(&mut row, process);
                        continue;
                    }
                    for place in start..start + count {
                        let target = self.machine.target(place);
                        row[words] = u64::from(target);
                        if matches!(goal, Goal::Accepted) && self.machine.is_universal(target) {
                            let end = Entry { row, level: depth + 1 };
                            return Ok(Some((end, None)));
                        }
                        let (_, new) = next.insert(&row);
                        if new && middle.is_some() {
                            next_anchors.push(anchors[i as usize]);
                        }
                    }
                    self.lattice.packing().remove(&mut row, process);
                }
            }
            std::mem::swap(&mut level, &mut next);
            std::mem::swap(&mut anchors, &mut next_anchors);
            depth += 1;
            *self.explored += level.len() as u64;
            self.budget.step(level.len() as u64, WHAT)?;
        }
        Ok(match goal {
            Goal::At(to) => level.find(&to.row).map(|i| (to.clone(), anchor_entry(&middle_rows, anchors[i as usize]))),
            Goal::Accepted => (0..level.len() as u32)
                .find(|&i| self.machine.accepts(level.row(i)[words] as Mode))
                .map(|i| (Entry { row: level.row(i).to_vec(), level: depth }, None)),
        })
    }
}
