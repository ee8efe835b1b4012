//! Every order of a run, symbolically (Genon, Massart, Meuter 2006, paper 000).
//!
//! [`RunSearch`] looks for a run that an automaton accepts. The language is split into parts that speak of different variables;
//! for each, events are sorted into [classes](super::classes), the machine is laid out as a [`table`] if it is small
//! enough, events that cannot matter are left out ([`relevance`]), and what is left is [searched](search) by intervals of cuts
//! ([`space`]), dropping what is [covered](cover), or [by cuts](cuts) where those are few and intervals many. A way that was
//! found becomes an order of the slice ([`witness`]) and then a run of the whole trace. A part that a branching formula asks for
//! as well ([`paths`]) is first asked of engines that need no search ([`easy`]); then the search and sets of cuts take turns. With the
//! feature `comparison`, `paper` is the search as the paper prints it.

mod cover;
mod cuts;
mod easy;
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
pub(super) use self::parts::{Part, parts, parts_as_written};
pub(super) use self::table::Table;

use self::paths::{Asked, Grounds, Paths, Turns};
use self::relevance::Relevance;
use self::search::{Found, Manner, Search};
use self::space::Space;
use super::classes::{Classes, INERT, Repeats, Vocabulary};
use super::cuts::{DIAGRAMS, INTERVALS, SUMS};
use super::machine::Machine;
use super::{Engine, Options, Stats};
use posetta_base::{Budget, EventId, Limit, OverBudget};
use posetta_compile::Linear;
use posetta_logic::eval::Notes;
use posetta_logic::{Bound, View};
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

/// The name of the engine that goes by intervals of cuts.
pub(super) const SYMBOLIC: &str = "symbolic";

/// Of the engines that closed the parts, the last one in this order is said to have answered.
const HARDEST_LAST: [&str; 4] = [INTERVALS, SUMS, SYMBOLIC, DIAGRAMS];

/// A part that is still open.
struct Open {
    part: Part,
    /// What it asks of cuts.
    asked: Option<Asked>,
    /// Whether one process writes all its variables.
    is_one_writers: bool,
    /// Whether the engines of known cost may still decide it.
    fits: bool,
}

/// What is found out beside a run.
struct Tally<'t> {
    /// By event. One that matters to several parts counts once.
    relevant: Vec<bool>,
    stats: &'t mut Stats,
    notes: &'t mut Notes,
}

impl Tally<'_> {
    /// An engine has closed a part.
    fn closed_by(&mut self, engine: &'static str) {
        let hardness = |name: &str| HARDEST_LAST.iter().position(|other| *other == name);
        if hardness(engine) > hardness(self.stats.engine) {
            self.stats.engine = engine;
        }
    }

    /// Some events take part, on so many chains.
    fn keep(&mut self, events: impl Iterator<Item = EventId>, width: usize) {
        events.for_each(|event| self.relevant[event.index()] = true);
        self.stats.width = self.stats.width.max(width as u64);
    }

    /// What the engines of known cost say about paths; `None` if they cannot tell.
    fn easily(&mut self, whole: &RunSearch<'_>, paths: &Paths) -> Result<Option<Option<Vec<EventId>>>, OverBudget> {
        let (mut cost, mut kept) = (Stats::default(), Vec::new());
        let answer = paths.find_easily(whole, &mut kept, self.notes, &mut cost)?;
        if answer.is_some() {
            self.closed_by(cost.engine);
            self.keep(kept.into_iter(), cost.width as usize);
        }
        Ok(answer)
    }
}

impl RunSearch<'_> {
    /// Of how many parts a branching formula asks for the same.
    pub(super) fn as_branching(&self, parts: &[Part], notes: &mut Notes) -> Result<u64, OverBudget> {
        let Some(grounds) = Grounds::new(self, parts, notes)? else { return Ok(0) };
        Ok(parts.iter().filter(|part| grounds.ask(part, self.view).is_some()).count() as u64)
    }

    fn opened(&self, parts: Vec<Part>, notes: &mut Notes) -> Result<Vec<Open>, OverBudget> {
        let grounds = Grounds::new(self, &parts, notes)?;
        let open = |part: Part| {
            let asked = grounds.as_ref().and_then(|grounds| grounds.ask(&part, self.view));
            let is_one_writers = grounds.as_ref().is_some_and(|grounds| grounds.has_one_writer(&part.atoms));
            Open { part, asked, is_one_writers, fits: true }
        };
        Ok(parts.into_iter().map(open).collect())
    }

    /// Looks for a run that one of the automata accepts, if the trace has events. Adds to notes and statistics even when it fails.
    pub(super) fn find(
        &self,
        parts: Vec<Part>,
        notes: &mut Notes,
        stats: &mut Stats,
    ) -> Result<Option<Vec<EventId>>, OverBudget> {
        let mut tally = Tally { relevant: vec![false; self.trace.len()], stats, notes };
        let found = self.find_in(parts, &mut tally);
        tally.stats.relevant_events = tally.relevant.iter().filter(|relevant| **relevant).count() as u64;
        found
    }

    fn find_in(&self, parts: Vec<Part>, tally: &mut Tally<'_>) -> Result<Option<Vec<EventId>>, OverBudget> {
        let mut open = self.opened(parts, tally.notes)?;
        if let Some(run) = self.find_easily(&mut open, tally)? {
            return Ok(Some(run));
        }
        // A hard part is put off until the others have been looked at, and one that is given up does not hide the others.
        let mut put_off = open.len() > 1;
        let mut over = None;
        while !open.is_empty() {
            let mut later = Vec::new();
            for mut one in open {
                match (PartSearch { whole: self, put_off, tally }).run(&mut one) {
                    Ok(Outcome::Run(run)) => return Ok(Some(run)),
                    Ok(Outcome::Nothing) => {}
                    Ok(Outcome::PutOff | Outcome::Passed) => later.push(one),
                    Err(limit) => {
                        over.get_or_insert(limit);
                        if !matches!(limit.limit, Limit::Memory | Limit::Digits) {
                            later.clear();
                            break;
                        }
                    }
                }
            }
            open = later;
            put_off = false;
        }
        over.map_or(Ok(None), Err)
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

struct PartSearch<'s, 't> {
    whole: &'s RunSearch<'s>,
    put_off: bool,
    tally: &'s mut Tally<'t>,
}

impl PartSearch<'_, '_> {
    fn run(&mut self, open: &mut Open) -> Result<Outcome, OverBudget> {
        let RunSearch { trace, bound, view, until, options, budget } = *self.whole;
        let Open { part: Part { automaton, atoms, stutters, .. }, asked, fits, .. } = open;
        let words = Vocabulary::new(trace, bound, |atom| atoms.binary_search(&atom).is_ok());
        let repeats = if options.slice { Repeats::OfOneWriter } else { Repeats::Count };
        let classes = Classes::new(&words, repeats, self.tally.notes, budget)?;
        let relevance = |table: Option<&Table>| match options.slice {
            true => Relevance::new(trace, &classes, view, *stutters, table),
            false => Relevance::everything(),
        };
        let by_sets = matches!(options.engine, Engine::Cuts | Engine::Diagrams);
        let one_run_is_known = !matches!(until, Until::Tried(_)) && !by_sets;
        // What needs neither a search nor an automaton.
        let kept = relevance(None);
        let keeps = |event: &EventId| kept.keeps(classes.of(*event));
        if let Some(Asked::Settled(truth)) = *asked {
            self.tally.keep(trace.events().filter(keeps), 0);
            let is_run = truth && until != Until::Planned;
            return Ok(if is_run { Outcome::Run(trace.linearisation().to_vec()) } else { Outcome::Nothing });
        }
        if one_run_is_known && !kept.tick && Slice::is_chain(trace, |event| keeps(&event), budget)? {
            self.tally.keep(trace.events().filter(keeps), 1);
            return Ok(Outcome::Nothing);
        }
        if let (Some(Asked::Paths(paths)), true) = (&*asked, *fits) {
            match self.tally.easily(self.whole, paths)? {
                Some(Some(run)) if until != Until::Planned => return Ok(Outcome::Run(run)),
                Some(_) => return Ok(Outcome::Nothing),
                None => *fits = false,
            }
        }
        let mut machine = Machine::new(&words, &classes, &mut **automaton, view, self.tally.notes, budget)?;
        let table = Table::new(&mut machine, &classes, view, budget)?;
        let relevance = relevance(table.as_ref());
        let slice = Slice::new(trace, |e| relevance.keeps(classes.of(e)), relevance.tick, budget)?;
        self.tally.keep((0..slice.places()).filter_map(|place| slice.event(place)), slice.width());
        // What is kept has one order on one chain, so every run is read like the trace's own.
        if one_run_is_known && slice.width() <= 1 && !relevance.tick {
            return Ok(Outcome::Nothing);
        }
        let paths = match asked {
            Some(Asked::Paths(paths)) => Some(&*paths),
            _ => None,
        };
        let turns = if paths.is_some() { Turns::new(options, until) } else { None };
        if until == Until::Planned {
            let sets_only = turns.is_some_and(|turns| turns.configurations().is_none());
            self.tally.closed_by(if sets_only { DIAGRAMS } else { SYMBOLIC });
            return Ok(Outcome::Nothing);
        }
        let space = Space::new(&slice, |place| slice.event(place).map_or(INERT, |e| classes.of(e)));
        self.in_turns(space.width(), paths, turns, |this, turns| match &table {
            Some(table) => this.search(&space, table, turns),
            None => this.search(&space, OnDemand::new(&mut machine, budget), turns),
        })
    }

    /// Searches on so many chains, and asks about paths in between, if there are turns to take.
    fn in_turns(
        &mut self,
        width: usize,
        paths: Option<&Paths>,
        mut turns: Option<Turns>,
        mut search: impl FnMut(&mut Self, Option<&Turns>) -> Result<Outcome, OverBudget>,
    ) -> Result<Outcome, OverBudget> {
        let budget = self.whole.budget;
        loop {
            let outcome = match turns.as_ref().is_some_and(|turns| turns.configurations().is_none()) {
                true => Ok(Outcome::Passed),
                false => search(self, turns.as_ref()),
            };
            let stopped = match (outcome, &mut turns) {
                (Ok(Outcome::Passed), _) => None,
                // What takes too much memory this way may not take it the other way.
                (Err(over), Some(turns)) if over.limit == Limit::Memory && budget.step(0, over.what).is_ok() => {
                    turns.alone();
                    Some(over)
                }
                (outcome, _) => {
                    if matches!(outcome, Ok(Outcome::Run(_) | Outcome::Nothing)) {
                        self.tally.closed_by(SYMBOLIC);
                    }
                    return outcome;
                }
            };
            if let (Some(paths), Some(turn)) = (paths, &mut turns) {
                let mut cost = Stats::default();
                match paths.find(self.whole, turn.nodes(width), self.tally.notes, &mut cost) {
                    Ok(run) => {
                        self.tally.closed_by(cost.engine);
                        self.tally.stats.nodes += cost.nodes;
                        return Ok(run.map_or(Outcome::Nothing, Outcome::Run));
                    }
                    Err(over) if budget.step(0, over.what).is_err() => return Err(over),
                    Err(over) if over.limit == Limit::Time => turn.next(),
                    Err(_) => turns = None,
                }
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
            self.tally.stats.configurations += modes.starts().len() as u64;
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
        self.tally.stats.configurations += cost.configurations;
        self.tally.stats.covered += cost.covered;
        self.tally.notes.division_by_zero |= cost.divides;
        Ok(match (order?, found) {
            (Some(order), _) => Outcome::Run(space.slice.complete(trace, &order)),
            (None, Ok(Found::TooMany)) if by_cuts != patience && turn == patience => Outcome::Passed,
            (None, Ok(Found::TooMany)) if by_cuts != patience => Outcome::PutOff,
            (None, _) => Outcome::Nothing,
        })
    }
}
