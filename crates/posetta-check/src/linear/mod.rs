//! Every order of a run, symbolically (Genon, Massart, Meuter 2006, paper 000).
//!
//! [`RunSearch`] looks for a run that an automaton accepts. The language is split into parts that speak of different variables;
//! for each, events are sorted into [classes](super::classes), the machine is laid out as a [`table`] if it is small
//! enough, events that cannot matter are left out ([`relevance`]), and what is left is [searched](search) by intervals of cuts
//! ([`space`]), dropping what is [covered](cover), or [by cuts](cuts) where those are few and intervals many. A way that was
//! found becomes an order of the slice ([`witness`]) and then a run of the whole trace. A part that a branching formula asks for
//! as well is looked for by sets of cuts in turn ([`paths`]). With the feature `comparison`, `paper` is the search as the paper prints it.

mod cover;
mod cuts;
mod modes;
#[cfg(feature = "comparison")]
pub(super) mod paper;
mod parts;
mod paths;
mod relevance;
mod search;
mod space;
mod table;
mod witness;

pub(super) use self::modes::{Modes, OnDemand};
pub(super) use self::parts::{Part, parts};
pub(super) use self::table::Table;

use self::paths::{Asked, Turns};
use self::relevance::Relevance;
use self::search::{Found, Manner, Search};
use self::space::Space;
use super::classes::{Classes, INERT, Repeats, Vocabulary};
use super::machine::Machine;
use super::{Engine, Options, Stats};
use posetta_base::{Budget, EventId, Limit, OverBudget};
use posetta_compile::Linear;
use posetta_logic::eval::Notes;
use posetta_logic::{Atom, AtomId, Bound, View};
use posetta_trace::{Slice, Trace};

/// How far a search goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// It knows what there is to search, and searches nothing.
    Planned,
    /// It has found a run, or knows that there is none. The trace's own order is known to be none.
    Decided,
    /// It has found a run, or knows that there is none; it counts as cancelled when it has tried more configurations than these in one
    /// part.
    Tried(u64),
}

impl Until {
    /// The most configurations in each part.
    fn most(self) -> Option<u64> {
        match self {
            Self::Tried(most) => Some(most),
            Self::Planned | Self::Decided => None,
        }
    }
}

/// A search for a run that an automaton accepts.
#[derive(Clone, Copy)]
pub(super) struct RunSearch<'s> {
    pub(super) trace: &'s Trace,
    pub(super) bound: &'s Bound<Linear>,
    pub(super) view: View,
    pub(super) until: Until,
    pub(super) options: &'s Options,
    pub(super) budget: &'s Budget,
}

impl RunSearch<'_> {
    /// Of how many parts a branching formula asks for the same.
    pub(super) fn as_branching(&self, parts: &[Part], notes: &mut Notes) -> Result<u64, OverBudget> {
        let mut count = 0;
        if Turns::new(self.options, Until::Decided).is_some() {
            for part in parts {
                if let Some(formula) = &part.formula {
                    count += u64::from(Asked::new(self, formula, &part.atoms, notes)?.is_some());
                }
            }
        }
        Ok(count)
    }

    /// Looks for a run that one of the automata accepts, if the trace has events. Adds to notes and statistics even when it fails.
    pub(super) fn find(
        &self,
        parts: Vec<Part>,
        notes: &mut Notes,
        stats: &mut Stats,
    ) -> Result<Option<Vec<EventId>>, OverBudget> {
        // An event that matters to several parts counts once.
        let mut relevant = vec![false; self.trace.len()];
        // A hard part is put off until the others have been looked at, and one that is given up does not hide the others.
        let mut parts = parts;
        let mut put_off = parts.len() > 1;
        let mut over = None;
        let mut found = None;
        while !parts.is_empty() && found.is_none() {
            let mut later = Vec::new();
            for mut part in parts {
                let mut one = PartSearch { whole: self, put_off, notes, stats, relevant: &mut relevant };
                match one.run(&mut part) {
                    Ok(Outcome::Run(run)) => {
                        found = Some(run);
                        break;
                    }
                    Ok(Outcome::Nothing) => {}
                    Ok(Outcome::PutOff | Outcome::Passed) => later.push(part),
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
}

/// What became of a part.
enum Outcome {
    Run(Vec<EventId>),
    Nothing,
    /// It takes long.
    PutOff,
    /// It is somebody else's turn.
    Passed,
}

/// A part that takes more configurations is put off.
const PUT_OFF: u64 = 1 << 16;

/// A configuration costs about as much as so many cuts.
const WORTH_A_CUT: u64 = 16;

struct PartSearch<'s> {
    whole: &'s RunSearch<'s>,
    put_off: bool,
    notes: &'s mut Notes,
    stats: &'s mut Stats,
    relevant: &'s mut [bool],
}

impl PartSearch<'_> {
    fn run(&mut self, part: &mut Part) -> Result<Outcome, OverBudget> {
        let RunSearch { trace, bound, view, until, options, budget } = *self.whole;
        let Part { automaton, atoms, stutters, formula } = part;
        let words = Vocabulary::new(trace, bound, |atom| atoms.binary_search(&atom).is_ok());
        let repeats = if options.slice { Repeats::OfOneWriter } else { Repeats::Count };
        let classes = Classes::new(&words, repeats, self.notes, budget)?;
        let mut machine = Machine::new(&words, &classes, &mut **automaton, view, self.notes, budget)?;
        let table = Table::new(&mut machine, &classes, view, budget)?;
        let relevance = match options.slice {
            true => Relevance::new(trace, &classes, view, *stutters, table.as_ref()),
            false => Relevance::everything(),
        };
        let slice = Slice::new(trace, |e| relevance.keeps(classes.of(e)), relevance.tick, budget)?;
        for event in (0..slice.places()).filter_map(|place| slice.event(place)) {
            self.relevant[event.index()] = true;
        }
        self.stats.width = self.stats.width.max(slice.width() as u64);
        // What is kept has one order on one chain, so every run is read like the trace's own.
        let is_one_chain = slice.width() <= 1 && !relevance.tick;
        let by_sets = matches!(options.engine, Engine::Cuts | Engine::Diagrams);
        if until == Until::Planned || until == Until::Decided && is_one_chain && !by_sets {
            return Ok(Outcome::Nothing);
        }
        let space = Space::new(&slice, |place| slice.event(place).map_or(INERT, |e| classes.of(e)));
        let is_about_states = |atom: &AtomId| matches!(bound.atoms[atom.0 as usize], Atom::State(_));
        let asks_ctl = formula.is_some() && atoms.iter().all(is_about_states);
        let mut turns = if asks_ctl { Turns::new(options, until) } else { None };
        let mut asked = None;
        loop {
            let outcome = match &table {
                _ if turns.as_ref().is_some_and(|turns| turns.configurations().is_none()) => Ok(Outcome::Passed),
                Some(table) => self.search(&space, table, turns.as_ref()),
                None => self.search(&space, OnDemand::new(&mut machine, budget), turns.as_ref()),
            };
            let stopped = match (outcome, &mut turns) {
                (Ok(Outcome::Passed), _) => None,
                // What takes too much memory this way may not take it the other way.
                (Err(over), Some(turns)) if over.limit == Limit::Memory && budget.step(0, over.what).is_ok() => {
                    turns.alone();
                    Some(over)
                }
                (outcome, _) => return outcome,
            };
            if let (None, Some(formula)) = (&asked, &*formula) {
                asked = Some(Asked::new(self.whole, formula, atoms, self.notes)?);
            }
            match (&asked, &mut turns) {
                (Some(Some(Asked::Settled(true))), _) => return Ok(Outcome::Run(trace.linearisation().to_vec())),
                (Some(Some(Asked::Settled(false))), _) => return Ok(Outcome::Nothing),
                (Some(Some(Asked::Paths(paths))), Some(turn)) => {
                    let mut cost = Stats::default();
                    match paths.find(self.whole, turn.nodes(space.width()), self.notes, &mut cost) {
                        Ok(run) => {
                            self.stats.engine = cost.engine;
                            self.stats.nodes += cost.nodes;
                            return Ok(run.map_or(Outcome::Nothing, Outcome::Run));
                        }
                        Err(over) if budget.step(0, over.what).is_err() => return Err(over),
                        Err(over) if over.limit == Limit::Time => turn.next(),
                        Err(_) => turns = None,
                    }
                }
                _ => turns = None,
            }
            if let Some(over) = stopped {
                return Err(over);
            }
        }
    }

    fn search<M: Modes>(
        &mut self,
        space: &Space<'_>,
        mut modes: M,
        turns: Option<&Turns>,
    ) -> Result<Outcome, OverBudget> {
        let RunSearch { trace, until, options, budget, .. } = *self.whole;
        if space.width() == 0 {
            self.stats.configurations += modes.starts().len() as u64;
            let bad = modes.starts().iter().any(|&mode| modes.accepts(mode));
            return Ok(if bad { Outcome::Run(trace.linearisation().to_vec()) } else { Outcome::Nothing });
        }
        let Options { order, covering, threads, .. } = *options;
        let by_cuts = cuts::at_most(space).filter(|_| options.engine == Engine::Auto).map(|n| n / WORTH_A_CUT);
        let put_off = self.put_off.then_some(PUT_OFF);
        let turn = turns.and_then(Turns::configurations);
        let patience = by_cuts.into_iter().chain(put_off).chain(turn).min();
        let manner = Manner { order, covering, threads, patience, turn, most: until.most() };
        let mut cost = search::Cost::default();
        let found = Search::new(space, &mut modes, manner, &mut cost, budget).and_then(Search::find);
        let order = match &found {
            Ok(Found::Way(way)) => witness::order(space, &mut modes, way, trace, budget).map(Some),
            Ok(Found::TooMany) if by_cuts.is_some() && by_cuts == patience => {
                cuts::find(space, &mut modes, until.most(), &mut cost, budget)
            }
            Ok(Found::Nothing | Found::TooMany) => Ok(None),
            Err(over) => Err(*over),
        };
        self.stats.configurations += cost.configurations;
        self.stats.covered += cost.covered;
        self.notes.division_by_zero |= cost.divides;
        Ok(match (order?, found) {
            (Some(order), _) => Outcome::Run(space.slice.complete(trace, &order)),
            (None, Ok(Found::TooMany)) if by_cuts != patience && turn == patience => Outcome::Passed,
            (None, Ok(Found::TooMany)) if by_cuts != patience => Outcome::PutOff,
            (None, _) => Outcome::Nothing,
        })
    }
}
