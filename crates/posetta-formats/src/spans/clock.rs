//! The order that one clock gives.
//!
//! Events of one clock are ordered by their times, unless they are in [cells](super::cells) that are concurrent; equal times say
//! nothing. That are quadratically many pairs, and nearly all of them follow from others. So the events are gone over in time, all
//! of one *instant* together, and each gets edges from the last ones before it that are ordered with it:
//!
//! - Every cell knows its last instant with events of its own. Lines of cells above each other are ordered with each other, so of
//!   those above an event only the latest is needed; all that came before is behind it.
//! - An event of a cell is behind all that happened below that cell before, so the cell may forget that.
//! - What happened below other branches since then is needed where the branches are ordered.
//!
//! The edges together with what they imply are exactly the order described (a test compares them), and about as many as events
//! where little is concurrent.

use super::cells::Cells;
use super::statistics::Statistics;
use super::store::NONE;
use posetta_base::{Budget, EventId, OverBudget};

/// An event with its time and the member whose it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stamped {
    pub(crate) time: u64,
    pub(crate) event: EventId,
    pub(crate) member: u32,
}

/// Candidates up to this number are compared with each other.
const COMPARED: usize = 64;

/// Edges that are added in any case, and those for each event of a run beside them. There can be quadratically many where much is
/// concurrent and then much else is: all of one comes before all of the other.
const EDGES: usize = 100_000;
const EDGES_EACH: usize = 16;

/// What happens below a cell: when, in which branch, what.
#[derive(Clone, Copy, Debug)]
struct Below {
    instant: u32,
    branch: u32,
    cell: u32,
    event: EventId,
}

/// Orders events by clocks. The tables are used again for each clock.
pub(crate) struct Sweep<'a> {
    cells: &'a Cells,
    statistics: &'a Statistics,
    /// For each cell its last instant, from 1, and the events of its own then.
    last: Vec<(u32, Vec<EventId>)>,
    /// For each cell the groups of branches with events since then.
    active: Vec<Vec<u32>>,
    /// For each group what happened since then, in time.
    below: Vec<Vec<Below>>,
    /// Cells that are not as they were at first.
    touched: Vec<u32>,
    is_touched: Vec<bool>,
    candidates: Vec<Below>,
    edges_left: usize,
    /// How many events lack edges, because there were too many.
    pub(crate) left_out: usize,
}

impl<'a> Sweep<'a> {
    pub(crate) fn new(cells: &'a Cells, statistics: &'a Statistics, events: usize) -> Self {
        Self {
            cells,
            statistics,
            last: vec![(0, Vec::new()); cells.len()],
            active: vec![Vec::new(); cells.len()],
            below: vec![Vec::new(); cells.group_count()],
            touched: Vec::new(),
            is_touched: vec![false; cells.len()],
            candidates: Vec::new(),
            edges_left: EDGES.saturating_add(events.saturating_mul(EDGES_EACH)),
            left_out: 0,
        }
    }

    /// The edges between the events that one clock has stamped. `doubts` are stretches of time, sorted and apart, in which the clock
    /// contradicts causes: what lies in one counts as one instant.
    pub(crate) fn order(
        &mut self,
        events: &mut Vec<Stamped>,
        doubts: &[(u64, u64)],
        budget: &Budget,
        mut edge: impl FnMut(EventId, EventId),
    ) -> Result<(), OverBudget> {
        budget.step(events.len() as u64, "ordering events by a clock")?;
        events.retain(|e| self.cells.of(e.member).is_some());
        events.sort_unstable_by_key(|e| (e.time, e.event));
        let mut instant = 0;
        let mut rest = &events[..];
        let mut doubts = doubts.iter().copied().peekable();
        while let Some(first) = rest.first() {
            while doubts.next_if(|&(_, to)| to < first.time).is_some() {}
            let until = doubts.peek().filter(|&&(from, _)| from <= first.time).map_or(first.time, |&(_, to)| to);
            let length = rest.partition_point(|e| e.time <= until);
            let (now, later) = rest.split_at(length);
            rest = later;
            instant += 1;
            self.instant(instant, now, &mut edge);
        }
        self.reset();
        Ok(())
    }

    fn instant(&mut self, instant: u32, now: &[Stamped], edge: &mut impl FnMut(EventId, EventId)) {
        // Events of one span are consecutive numbers.
        let is_of_one = |a: &Stamped, b: &Stamped| a.member == b.member && a.event.raw() + 1 == b.event.raw();
        for (i, event) in now.iter().enumerate() {
            let follows = now[..i].iter().rev().take(COMPARED).any(|before| is_of_one(before, event));
            if !follows {
                self.connect(event, edge);
            }
        }
        for event in now {
            let Some(cell) = self.cells.of(event.member) else { continue };
            if self.last[cell as usize].0 != instant {
                self.touch(cell);
                let (last, own) = &mut self.last[cell as usize];
                *last = instant;
                own.clear();
                for group in self.active[cell as usize].drain(..) {
                    self.below[group as usize].clear();
                }
            }
        }
        for (i, event) in now.iter().enumerate() {
            let goes_on = now[i + 1..].iter().take(COMPARED).any(|after| is_of_one(event, after));
            let Some(cell) = self.cells.of(event.member).filter(|_| !goes_on) else { continue };
            self.last[cell as usize].1.push(event.event);
            let mut branch = cell;
            while branch != 0 {
                let of = self.cells.get(branch);
                let entries = &mut self.below[of.group as usize];
                if entries.is_empty() {
                    self.active[of.above as usize].push(of.group);
                    self.touch(of.above);
                }
                self.below[of.group as usize].push(Below { instant, branch, cell, event: event.event });
                branch = of.above;
            }
        }
    }

    fn touch(&mut self, cell: u32) {
        if !std::mem::replace(&mut self.is_touched[cell as usize], true) {
            self.touched.push(cell);
        }
    }

    /// Edges to an event from what came last before it.
    fn connect(&mut self, event: &Stamped, edge: &mut impl FnMut(EventId, EventId)) {
        let Some(own) = self.cells.of(event.member) else { return };
        let line = |cell: u32| std::iter::successors(Some(cell), |&c| (c != 0).then(|| self.cells.get(c).above));
        let since = line(own).map(|cell| self.last[cell as usize].0).max().unwrap_or(0);
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        for cell in line(own).filter(|&cell| since > 0 && self.last[cell as usize].0 == since) {
            let events = self.last[cell as usize].1.iter();
            candidates.extend(events.map(|&event| Below { instant: since, branch: cell, cell, event }));
        }
        // What is below a cell comes before its own; below the cells above, before what is in a branch that is ordered with it.
        let mut inside: Option<u32> = None;
        let is_enough = self.edges_left == 0;
        for cell in line(own).filter(|_| !is_enough) {
            for &group in &self.active[cell as usize] {
                let same = inside.filter(|&branch| self.cells.get(branch).group == group);
                let is_ordered = |branch: u32| {
                    let of = self.cells.get(branch).group;
                    self.cells.groups_are_ordered(self.statistics, of, group)
                };
                if inside.is_some_and(|branch| !is_ordered(branch)) {
                    continue;
                }
                let entries = self.below[group as usize].iter().rev().take_while(|below| below.instant >= since);
                candidates.extend(entries.filter(|below| same != Some(below.branch)));
            }
            inside = Some(cell);
        }
        self.prune(&mut candidates);
        candidates.iter().for_each(|below| edge(below.event, event.event));
        // What the cells above say is a few edges, and goes on.
        self.edges_left = self.edges_left.saturating_sub(candidates.len());
        self.left_out += usize::from(is_enough);
        self.candidates = candidates;
    }

    /// Drops candidates that come before others.
    fn prune(&self, candidates: &mut Vec<Below>) {
        if candidates.len() < 2 {
            return;
        }
        candidates.sort_unstable_by_key(|below| (below.cell, std::cmp::Reverse(below.instant), below.event));
        let mut latest = (NONE, 0);
        candidates.retain(|below| {
            if latest.0 != below.cell {
                latest = (below.cell, below.instant);
            }
            below.instant == latest.1
        });
        if candidates.len() > COMPARED {
            return;
        }
        candidates.sort_unstable_by_key(|below| (std::cmp::Reverse(below.instant), below.event));
        let mut kept: Vec<Below> = Vec::with_capacity(candidates.len());
        for &below in &*candidates {
            let comes_before = |later: &Below| {
                later.instant > below.instant && self.cells.order(self.statistics, later.cell, below.cell)
            };
            if !kept.iter().any(comes_before) {
                kept.push(below);
            }
        }
        *candidates = kept;
    }

    fn reset(&mut self) {
        for cell in self.touched.drain(..) {
            self.is_touched[cell as usize] = false;
            self.last[cell as usize].0 = 0;
            self.last[cell as usize].1.clear();
            for group in self.active[cell as usize].drain(..) {
                self.below[group as usize].clear();
            }
        }
    }
}
