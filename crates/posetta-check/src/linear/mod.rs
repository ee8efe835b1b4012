//! Every order of a run, symbolically (Genon, Massart, Meuter 2006, paper 000).
//!
//! [`find_run`] looks for a run that an automaton accepts. The language is split into parts that speak of different variables;
//! for each, events are sorted into [classes](super::classes), the machine is laid out as a [`table`] if it is small
//! enough, events that cannot matter are left out ([`relevance`]), and what is left is [searched](search) by intervals of cuts
//! ([`space`]), dropping what is [covered](cover), or [by cuts](cuts) where those are few and intervals many. A way that was
//! found becomes an order of the slice ([`witness`]) and then a run of the whole trace.

mod cover;
mod cuts;
mod modes;
mod parts;
mod relevance;
mod search;
mod space;
mod table;
mod witness;

pub(super) use self::modes::{Modes, OnDemand};
pub(super) use self::parts::{Part, parts};
pub(super) use self::table::Table;

use self::relevance::Relevance;
use self::search::{Found, Manner, Search};
use self::space::Space;
use super::classes::{Classes, INERT, Repeats, Vocabulary};
use super::machine::Machine;
use super::{Engine, Options, Stats};
use posetta_base::{Budget, EventId, Limit, OverBudget};
use posetta_logic::eval::Notes;
use posetta_logic::{Bound, View};
use posetta_trace::{Slice, Trace};

/// Looks for a run that one of the automata accepts, if the trace has events. Adds to the statistics even when it fails.
/// It tries at most so many configurations in each part, and counts as cancelled past that; with none it stops when it knows
/// what there is to search, and answers that there is none.
#[expect(clippy::too_many_arguments, reason = "what is asked, how, and where to account for it")]
pub(super) fn find_run<F>(
    trace: &Trace,
    bound: &Bound<F>,
    view: View,
    parts: Vec<Part>,
    most: u64,
    options: &Options,
    notes: &mut Notes,
    stats: &mut Stats,
    budget: &Budget,
) -> Result<Option<Vec<EventId>>, OverBudget> {
    // An event that matters to several parts counts once.
    let mut relevant = vec![false; trace.len()];
    // A hard part is put off until the others have been looked at, and one that is given up does not hide the others.
    let mut parts = parts;
    let mut put_off = parts.len() > 1;
    let mut over = None;
    let mut found = None;
    while !parts.is_empty() && found.is_none() {
        let mut later = Vec::new();
        for mut part in parts {
            let relevant = &mut relevant;
            let mut one = PartSearch { trace, view, most, put_off, options, notes, stats, budget, relevant };
            match one.run(bound, &mut part) {
                Ok(Outcome::Run(run)) => {
                    found = Some(run);
                    break;
                }
                Ok(Outcome::Nothing) => {}
                Ok(Outcome::PutOff) => later.push(part),
                Err(limit) => {
                    over.get_or_insert(limit);
                    if !matches!(limit.limit, Limit::Memory | Limit::Digits) {
                        later.clear();
                        break;
                    }
                }
            }
        }
        parts = later;
        put_off = false;
    }
    stats.relevant_events = relevant.iter().filter(|r| **r).count() as u64;
    match (found, over) {
        (None, Some(over)) => Err(over),
        (found, _) => Ok(found),
    }
}

/// What became of a part.
enum Outcome {
    Run(Vec<EventId>),
    Nothing,
    /// It takes long.
    PutOff,
}

/// A part that takes more configurations is put off.
const PUT_OFF: u64 = 1 << 16;

/// A configuration costs about as much as so many cuts.
const WORTH_A_CUT: u64 = 16;

struct PartSearch<'s> {
    trace: &'s Trace,
    view: View,
    most: u64,
    put_off: bool,
    options: &'s Options,
    notes: &'s mut Notes,
    stats: &'s mut Stats,
    budget: &'s Budget,
    relevant: &'s mut [bool],
}

impl PartSearch<'_> {
    fn run<F>(&mut self, bound: &Bound<F>, part: &mut Part) -> Result<Outcome, OverBudget> {
        let (trace, budget) = (self.trace, self.budget);
        let words = Vocabulary::new(trace, bound, |atom| part.atoms.binary_search(&atom).is_ok());
        let repeats = if self.options.slice { Repeats::OfOneWriter } else { Repeats::Count };
        let classes = Classes::new(&words, repeats, self.notes, budget)?;
        let mut machine = Machine::new(&words, &classes, &mut *part.automaton, self.view, self.notes, budget)?;
        let table = Table::new(&mut machine, &classes, self.view, budget)?;
        let relevance = match self.options.slice {
            true => Relevance::new(trace, &classes, self.view, part.stutters, table.as_ref()),
            false => Relevance::everything(),
        };
        let slice = Slice::new(trace, |e| relevance.keeps(classes.of(e)), relevance.tick, budget)?;
        for event in (0..slice.places()).filter_map(|place| slice.event(place)) {
            self.relevant[event.index()] = true;
        }
        self.stats.width = self.stats.width.max(slice.width() as u64);
        if self.most == 0 {
            return Ok(Outcome::Nothing);
        }
        let space = Space::new(&slice, |place| slice.event(place).map_or(INERT, |e| classes.of(e)));
        match &table {
            Some(table) => self.search(&space, table),
            None => self.search(&space, OnDemand::new(&mut machine, budget)),
        }
    }

    fn search<M: Modes>(&mut self, space: &Space<'_>, mut modes: M) -> Result<Outcome, OverBudget> {
        if space.width() == 0 {
            self.stats.configurations += modes.starts().len() as u64;
            let bad = modes.starts().iter().any(|&mode| modes.accepts(mode));
            return Ok(if bad { Outcome::Run(self.trace.linearisation().to_vec()) } else { Outcome::Nothing });
        }
        let Options { order, covering, threads, .. } = *self.options;
        let by_cuts = cuts::at_most(space).filter(|_| self.options.engine == Engine::Auto).map(|n| n / WORTH_A_CUT);
        let put_off = self.put_off.then_some(PUT_OFF);
        let patience = by_cuts.into_iter().chain(put_off).min();
        let manner = Manner { order, covering, threads, patience, most: self.most };
        let mut cost = search::Cost::default();
        let found = Search::new(space, &mut modes, manner, &mut cost, self.budget).and_then(Search::find);
        let order = match &found {
            Ok(Found::Way(way)) => witness::order(space, &mut modes, way, self.trace, self.budget).map(Some),
            Ok(Found::TooMany) if by_cuts.is_some() && by_cuts == patience => {
                cuts::find(space, &mut modes, self.most, &mut cost, self.budget)
            }
            Ok(Found::Nothing | Found::TooMany) => Ok(None),
            Err(over) => Err(*over),
        };
        self.stats.configurations += cost.configurations;
        self.stats.covered += cost.covered;
        self.notes.division_by_zero |= cost.divides;
        Ok(match (order?, found) {
            (Some(order), _) => Outcome::Run(space.slice.complete(self.trace, &order)),
            (None, Ok(Found::TooMany)) if by_cuts != patience => Outcome::PutOff,
            (None, _) => Outcome::Nothing,
        })
    }
}
