//! Algorithm 1 of paper 000 (Genon, Massart, Meuter 2006) as it is printed, to compare with.
//!
//! Every event is kept and the automaton is one, not trimmed or merged; there is one search, which takes the newest configuration first. Line
//! numbers below are those of the algorithm. What is printed otherwise than it has to be:
//!
//! - Lines 12 and 15 return the opposite of what the algorithm's output and theorem 3 say. Here an answer is the way to a bad state.
//! - `next(m, e)` stays in m wherever no guard is true, which is right for monitors written by hand only. The automaton of a formula has a
//!   letter for everything, and a run without a next state dies; so `sensitive(m)` is every e for which `next(m, e)` is not {m}.
//! - There may be several initial states, and what a state remembers includes values ([`machine`](crate::machine)).
//!
//! Two things that [`space`](super::space) and [`search`](super::search) do otherwise, because they cost time only, are as printed. T and W hold
//! configurations before they are closed, so two with one closure are explored twice. And e is in `sensitive(m)` even if m is one of several
//! states of `next(m, e)`; it is then fired into m as well, instead of being passed over.

use super::cover::Cover;
use super::modes::{Modes, Moves, OnDemand};
use super::search::Way;
use super::space::{Config, Rows, Space, Toward};
use super::table::Table;
use super::{RunSearch, Until, witness};
use crate::classes::{Classes, INERT, Repeats, Vocabulary};
use crate::machine::{Machine, Mode};
use crate::{Options, Stats};
use posetta_base::{Budget, Claim, EventId, Limit, OverBudget};
use posetta_compile::Automaton;
use posetta_logic::eval::Notes;
use posetta_trace::Slice;

const WHAT: &str = "searching the orders";

/// With more classes than this, initial states are taken as they are.
const MOST_CLASSES: usize = 1 << 12;

/// So many states are compared with an initial one.
const MOST_CANDIDATES: usize = 16;

/// No configuration came before.
const NONE: u32 = u32::MAX;

/// Looks for a run that an automaton accepts. Adds to the statistics even when it fails.
pub(crate) fn find(
    search: &RunSearch<'_>,
    automaton: &mut dyn Automaton,
    notes: &mut Notes,
    stats: &mut Stats,
) -> Result<Option<Vec<EventId>>, OverBudget> {
    let RunSearch { trace, bound, view, until, options, budget } = *search;
    let slice = Slice::new(trace, |_| true, false, budget)?;
    stats.relevant_events = trace.len() as u64;
    stats.width = slice.width() as u64;
    if until == Until::Planned {
        return Ok(None);
    }
    let words = Vocabulary::new(trace, bound, |_| true);
    let classes = Classes::new(&words, Repeats::Count, notes, budget)?;
    let mut machine = Machine::new(&words, &classes, automaton, view, notes, budget)?;
    let space = Space::new(&slice, |place| slice.event(place).map_or(INERT, |e| classes.of(e)));
    let mut modes = Monitor(OnDemand::new(&mut machine, budget));
    let starts = modes.initial(&classes)?;
    let found = Exploration::new(&space, &mut modes, options, stats, budget)?.run(&starts, notes)?;
    let order = found.map(|way| witness::order(&space, &mut modes, &way, trace, budget)).transpose()?;
    Ok(order.map(|order| slice.complete(trace, &order)))
}

/// States of the monitor: an event leaves one as it is only if it can do nothing else.
struct Monitor<M>(M);

impl<M: Modes> Monitor<M> {
    /// `next(m, e)`, ascending.
    fn next(&mut self, mode: Mode, class: u32) -> Result<Vec<Mode>, OverBudget> {
        let Moves { stay, first, count, .. } = self.0.moves(mode, class)?;
        let others = (first..first + count).map(|place| self.0.target(place));
        let mut next: Vec<Mode> = others.chain(stay.then_some(mode)).collect();
        next.sort_unstable();
        Ok(next)
    }

    /// The initial states. An automaton begins in one that nothing leads back to, and that every event leaves therefore; the monitor of the
    /// paper begins in m⁰, which it comes back to. So where a state does the same, that is the initial one.
    fn initial(&mut self, classes: &Classes) -> Result<Vec<Mode>, OverBudget> {
        let starts = self.starts().to_vec();
        let come: Vec<u32> = (0..classes.len() as u32).filter(|&c| c != INERT || classes.has_inert()).collect();
        if come.len() > MOST_CLASSES {
            return Ok(starts);
        }
        starts.into_iter().map(|start| self.like(start, &come)).collect()
    }

    /// A later state that does what a first one does, if there is one.
    fn like(&mut self, start: Mode, classes: &[u32]) -> Result<Mode, OverBudget> {
        let nexts = |modes: &mut Self, mode: Mode| -> Result<Option<Vec<Vec<Mode>>>, OverBudget> {
            match classes.iter().map(|&class| modes.next(mode, class)).collect() {
                // Perhaps only where no run leads.
                Err(OverBudget { limit: Limit::Digits, .. }) => Ok(None),
                nexts => nexts.map(Some),
            }
        };
        let Some(of_start) = nexts(self, start)? else { return Ok(start) };
        let mut candidates: Vec<Mode> = of_start.iter().flatten().copied().collect();
        candidates.sort_unstable();
        candidates.dedup();
        for mode in candidates.into_iter().take(MOST_CANDIDATES) {
            if self.accepts(mode) == self.accepts(start) && nexts(self, mode)?.as_ref() == Some(&of_start) {
                return Ok(mode);
            }
        }
        Ok(start)
    }
}

impl<M: Modes> Modes for Monitor<M> {
    fn starts(&self) -> &[Mode] {
        self.0.starts()
    }

    fn accepts(&self, mode: Mode) -> bool {
        self.0.accepts(mode)
    }

    fn is_sink(&self, mode: Mode) -> bool {
        self.0.is_sink(mode)
    }

    fn accepts_all(&self, mode: Mode) -> bool {
        self.0.accepts_all(mode)
    }

    fn stays(&mut self, mode: Mode, class: u32) -> Result<bool, OverBudget> {
        Ok(self.0.stays(mode, class)? && self.0.moves(mode, class)?.count == 0)
    }

    fn moves(&mut self, mode: Mode, class: u32) -> Result<Moves, OverBudget> {
        let moves = self.0.moves(mode, class)?;
        Ok(Moves { stay: moves.stay && moves.count == 0, ..moves })
    }

    fn target(&self, place: u32) -> Mode {
        self.0.target(place)
    }

    fn shared(&self) -> Option<&Table> {
        None
    }

    fn bytes(&self) -> u64 {
        self.0.bytes()
    }
}

/// How a configuration was reached.
#[derive(Clone, Copy)]
struct Step {
    parent: u32,
    place: u32,
}

struct Exploration<'s, 'a, M> {
    space: &'s Space<'a>,
    modes: &'s mut Monitor<M>,
    /// T and W together: a configuration stays where it is when it goes from one to the other.
    rows: Rows,
    steps: Vec<Step>,
    /// The same by what they contain, if covering is asked for.
    cover: Option<Cover>,
    /// W.
    waiting: Vec<u32>,
    stats: &'s mut Stats,
    budget: &'s Budget,
    claim: Claim,
    look_at: usize,
    tries: u64,
    row: Vec<u64>,
}

impl<'s, 'a, M: Modes> Exploration<'s, 'a, M> {
    fn new(
        space: &'s Space<'a>,
        modes: &'s mut Monitor<M>,
        options: &Options,
        stats: &'s mut Stats,
        budget: &'s Budget,
    ) -> Result<Self, OverBudget> {
        Ok(Self {
            space,
            modes,
            rows: Rows::new(space.words()),
            steps: Vec::new(),
            cover: options.covering.then(|| Cover::new(space.width())),
            waiting: Vec::new(),
            stats,
            budget,
            claim: budget.claim(space.bytes(), WHAT)?,
            look_at: 0,
            tries: 0,
            row: vec![0; space.words()],
        })
    }

    /// The algorithm. Answers with the way to a configuration that ends badly.
    fn run(mut self, starts: &[Mode], notes: &mut Notes) -> Result<Option<Way>, OverBudget> {
        let space = self.space;
        let (mut from, mut into) = (space.blank(), space.blank());
        // Line 2.
        for &mode in starts {
            into.mode = mode;
            self.add(&into, Step { parent: NONE, place: NONE })?;
        }
        // Lines 3 to 6. The paper takes any; the newest finds violations soonest.
        while let Some(id) = self.waiting.pop() {
            self.stats.configurations += 1;
            space.unpack(self.rows.row(id), &mut from);
            // Lines 7 to 10.
            space.close(self.modes, &mut from.w, from.mode)?;
            // Lines 11 and 12.
            if space.is_full(&from.w) && self.modes.accepts(from.mode) {
                return Ok(Some(self.way(id)));
            }
            // Lines 13 and 14. What is enabled and not sensitive has been added to w.
            for chain in 0..space.width() {
                let (mut first, last) = (from.t[chain] + 1, space.last(&from, chain));
                while let Some(position) =
                    space.candidate(self.modes, from.mode, chain, (first, last), Toward::Later)?
                {
                    first = position + 1;
                    let (place, class) = (space.slice.place(chain, position), space.class(chain, position));
                    notes.division_by_zero |= self.modes.moves(from.mode, class)?.divides;
                    // t' = t ∪ ↓e, w' = (w \ ↑e) ∪ {e}.
                    let causes = from.t.iter().zip(space.slice.clock(place));
                    into.t.iter_mut().zip(causes).for_each(|(t, (&before, &knows))| *t = before.max(knows));
                    space.reach(&from, chain, position, &mut into.w);
                    for mode in self.modes.next(from.mode, class)? {
                        into.mode = mode;
                        self.add(&into, Step { parent: id, place })?;
                    }
                }
            }
        }
        // Line 15.
        Ok(None)
    }

    /// The test of line 13 and the union of line 14: into W, unless it is in T or W; with covering, unless something there covers it
    /// (the note after theorem 3).
    fn add(&mut self, config: &Config, step: Step) -> Result<(), OverBudget> {
        self.look()?;
        let covered = self.cover.as_ref().is_some_and(|cover| cover.covers(self.space, &self.rows, config));
        self.space.pack(config, &mut self.row);
        // A look at what covers may have been cut short.
        let (id, new) = if covered { (NONE, false) } else { self.rows.insert(&self.row) };
        if !new {
            self.stats.covered += 1;
            return Ok(());
        }
        self.steps.push(step);
        self.waiting.push(id);
        if let Some(cover) = &mut self.cover {
            cover.insert(config, id);
        }
        Ok(())
    }

    /// Looks at the budget.
    fn look(&mut self) -> Result<(), OverBudget> {
        self.tries += 1;
        if self.tries.is_multiple_of(256) {
            self.budget.step(0, WHAT)?;
        }
        if self.rows.len() < self.look_at {
            return Ok(());
        }
        self.budget.step(self.rows.rows_between_looks() as u64, WHAT)?;
        let lists = 16 * self.steps.capacity() + 8 * self.waiting.capacity();
        let cover = self.cover.as_ref().map_or(0, Cover::bytes);
        let bytes = self.space.bytes() + self.rows.bytes() + lists as u64 + 2 * cover + self.modes.bytes();
        self.claim.grow_to(bytes, WHAT)?;
        if self.rows.is_full() {
            return Err(OverBudget::new(WHAT, Limit::Memory));
        }
        self.look_at = self.rows.len() + self.rows.rows_between_looks();
        Ok(())
    }

    fn way(&self, mut id: u32) -> Way {
        let words = self.space.words();
        let mode_of = |id: u32| self.rows.row(id)[words - 1] as Mode;
        let mut fired = Vec::new();
        while self.steps[id as usize].parent != NONE {
            fired.push((self.steps[id as usize].place, mode_of(id)));
            id = self.steps[id as usize].parent;
        }
        fired.reverse();
        Way { start: mode_of(id), fired }
    }
}
