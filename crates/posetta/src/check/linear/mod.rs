//! Every order of a run, symbolically (Genon, Massart, Meuter 2006, paper 000).
//!
//! [`find_run`] looks for a run that an automaton accepts. The language is split into parts that speak of different variables;
//! for each, events are sorted into [classes](super::classes), the machine is laid out as a [`table`] if it is small
//! enough, events that cannot matter are left out ([`relevance`]), and what is left is [searched](search) by intervals of cuts
//! ([`space`]), dropping what is [covered](cover), or [by cuts](cuts) where those are few and intervals many. A way that was found becomes an order of the slice ([`witness`]) and then a
//! run of the whole trace.

mod cover;
mod cuts;
mod modes;
mod parts;
mod relevance;
mod search;
mod space;
mod table;
mod witness;

pub(super) use self::parts::{Part, parts};

use self::modes::{Modes, OnDemand};
use self::relevance::Relevance;
use self::search::{Found, Manner, Search};
use self::space::Space;
use self::table::Table;
use super::classes::{Classes, INERT, Vocabulary};
use super::machine::Machine;
use super::{Engine, Options, Stats};
use crate::base::{Budget, EventId, OverBudget};
use crate::logic::eval::Notes;
use crate::logic::{Bound, View};
use crate::trace::{Slice, Trace};

#[expect(clippy::too_many_arguments, reason = "what is asked, how, and where to account for it")]
/// Looks for a run that one of the automata accepts. The trace has at least one event. Adds to the statistics even when
/// it fails. Without `search` it stops when it knows what there is to search, and answers that there is none.
pub(super) fn find_run<F>(
    trace: &Trace,
    bound: &Bound<F>,
    view: View,
    parts: Vec<Part>,
    search: bool,
    options: &Options,
    notes: &mut Notes,
    stats: &mut Stats,
    budget: &Budget,
) -> Result<Option<Vec<EventId>>, OverBudget> {
    // An event that matters to several parts counts once.
    let mut relevant = vec![false; trace.len()];
    let mut found = Ok(None);
    for part in parts {
        let mut one = PartSearch { trace, view, search, options, notes, stats, budget, relevant: &mut relevant };
        found = one.run(bound, part);
        if !matches!(found, Ok(None)) {
            break;
        }
    }
    stats.relevant_events = relevant.iter().filter(|r| **r).count() as u64;
    found
}

/// A configuration costs about as much as so many cuts.
const WORTH_A_CUT: u64 = 16;

struct PartSearch<'s> {
    trace: &'s Trace,
    view: View,
    search: bool,
    options: &'s Options,
    notes: &'s mut Notes,
    stats: &'s mut Stats,
    budget: &'s Budget,
    relevant: &'s mut [bool],
}

impl PartSearch<'_> {
    fn run<F>(&mut self, bound: &Bound<F>, part: Part) -> Result<Option<Vec<EventId>>, OverBudget> {
        let (trace, budget) = (self.trace, self.budget);
        let words = Vocabulary::new(trace, bound, |atom| part.atoms.binary_search(&atom).is_ok());
        let classes = Classes::new(&words, !self.options.slice, self.notes, budget)?;
        let inert = classes.relevant < trace.len() as u64;
        let mut machine = Machine::new(&words, &classes, part.automaton, self.view, self.notes, budget)?;
        let table = Table::new(&mut machine, &classes, inert, self.view, budget)?;
        let relevance = match self.options.slice {
            true => Relevance::new(trace, &classes, self.view, part.stutters, table.as_ref()),
            false => Relevance::everything(),
        };
        let slice = Slice::new(trace, |e| relevance.keeps(classes.of(e)), relevance.tick, budget)?;
        for event in (0..slice.places()).filter_map(|place| slice.event(place)) {
            self.relevant[event.index()] = true;
        }
        self.stats.width = self.stats.width.max(slice.width() as u64);
        if !self.search {
            return Ok(None);
        }
        let space = Space::new(&slice, |place| slice.event(place).map_or(INERT, |e| classes.of(e)));
        match &table {
            Some(table) => self.search(&space, table),
            None => self.search(&space, OnDemand::new(&mut machine, budget)),
        }
    }

    fn search<M: Modes>(&mut self, space: &Space<'_>, mut modes: M) -> Result<Option<Vec<EventId>>, OverBudget> {
        if space.width() == 0 {
            self.stats.configurations += modes.starts().len() as u64;
            let bad = modes.starts().iter().any(|&mode| modes.accepts(mode));
            return Ok(bad.then(|| self.trace.linearisation().to_vec()));
        }
        let Options { order, covering, threads, .. } = *self.options;
        let few_cuts = cuts::at_most(space).filter(|_| self.options.engine == Engine::Auto);
        let manner = Manner { order, covering, threads, patience: few_cuts.map(|cuts| cuts / WORTH_A_CUT) };
        let mut cost = search::Cost::default();
        let found =
            Search::new(space, &mut modes, manner, &mut cost, self.budget).and_then(Search::find).and_then(|found| {
                match found {
                    Found::Way(way) => witness::order(space, &mut modes, &way, self.trace).map(Some),
                    Found::Nothing => Ok(None),
                    Found::TooMany => cuts::find(space, &mut modes, &mut cost, self.budget),
                }
            });
        self.stats.configurations += cost.configurations;
        self.stats.covered += cost.covered;
        self.notes.division_by_zero |= cost.divides;
        let Some(order) = found? else { return Ok(None) };
        Ok(Some(space.slice.complete(self.trace, &order)))
    }
}
