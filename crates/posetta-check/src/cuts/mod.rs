//! CTL by sets of cuts.
//!
//! [`CutSearch::decide`] leaves out the events that cannot matter ([`space`]), and computes for each subformula the set of cuts at which
//! it holds ([`sets`]). Sets are regions, if the shape of the formula allows it ([`regions`]): then the answer takes time linear
//! in the events. A bound on a sum is found by flow ([`sums`]). What the last cut settles is left out of others ([`settled`]). Otherwise they are interval decision diagrams ([`diagrams`], whose layers [`order`] puts into order; [`atoms`]
//! and [`joint`] say where an atom holds), or, for comparison and with the feature `comparison` only, interval sharing trees (`sharing`).

mod atoms;
mod closure;
mod diagrams;
mod joint;
mod order;
mod regions;
mod sets;
mod settled;
#[cfg(feature = "comparison")]
mod sharing;
mod space;
mod sums;

use dashu_int::UBig;

use self::diagrams::DiagramSets;
pub(crate) use self::joint::Sum;
use self::regions::Regions;
use self::sets::CutSets;
use self::settled::{Pruned, Pruning, Settled, Shown};
#[cfg(feature = "comparison")]
use self::sharing::SharingSets;
use self::space::{Kept, Space};
use self::sums::Sums;
use super::program::{Place, Program};
use super::proof::Proof;
use super::show::{self, Graph, Truth};
use super::{Engine, Options, Stats};
use posetta_base::{Budget, EventId, OverBudget};
use posetta_logic::branching::evaluate;
use posetta_logic::eval::Notes;
use posetta_logic::{AtomId, Bound, Ctl};
use posetta_trace::Trace;

/// The name of the engine that goes by regions.
pub(super) const INTERVALS: &str = "intervals";
/// The name of the engine that finds the largest and the smallest sum.
pub(super) const SUMS: &str = "sums";
/// The name of the engine that goes by interval decision diagrams.
pub(super) const DIAGRAMS: &str = "diagrams";
/// The name of the engine that goes by interval sharing trees.
#[cfg(feature = "comparison")]
pub(super) const SHARING_TREES: &str = "ist";

/// So many steps are taken for a near cut where the last one would do.
const NEAR: u64 = 1 << 16;

/// What an engine found out about a formula at the empty cut.
#[derive(Debug)]
pub(super) struct Decided {
    pub(super) holds: bool,
    /// Why, if that was wanted.
    pub(super) proof: Option<Proof>,
    /// At how many cuts subformulas hold, if that was wanted.
    pub(super) counts: Option<Counts>,
    /// The limit that left out what was wanted beside the verdict. A violation without its proof is not reported as one.
    pub(super) stopped: Option<OverBudget>,
}

#[derive(Debug)]
pub(super) struct Counts {
    /// The number of all cuts.
    pub(super) all: UBig,
    /// By place.
    pub(super) of: Vec<UBig>,
}

/// What is wanted beside the verdict.
pub(super) struct Wanted<'w> {
    /// A proof, given the verdict.
    pub(super) proof: &'w dyn Fn(bool) -> bool,
    /// How many cuts satisfy each subformula.
    pub(super) counts: bool,
    /// How subformulas are printed, by place.
    pub(super) texts: &'w [String],
}

/// A formula on a trace, and how it is to be decided.
#[derive(Clone, Copy)]
pub(super) struct CutSearch<'q> {
    pub(super) trace: &'q Trace,
    pub(super) bound: &'q Bound<Ctl<AtomId>>,
    pub(super) program: &'q Program,
    pub(super) options: &'q Options,
    pub(super) budget: &'q Budget,
}

impl<'q> CutSearch<'q> {
    /// Decides the formula at the empty cut; then counts cuts, if that is wanted: a limit leaves the verdict.
    pub(super) fn decide(
        self,
        wanted: &Wanted<'_>,
        notes: &mut Notes,
        stats: &mut Stats,
    ) -> Result<Decided, OverBudget> {
        let mut decided = {
            let space = self.space(notes, stats)?;
            self.answer(wanted, &space, notes, stats)?
        };
        if wanted.counts {
            match self.counts(notes) {
                Ok(counts) => decided.counts = Some(counts),
                Err(over) => decided.stopped = decided.stopped.or(Some(over)),
            }
        }
        Ok(decided)
    }

    /// What an engine of known cost says: by regions, or as sums. `None` if the formula does not fit them. Adds the events that were
    /// not left out.
    pub(super) fn decide_easily(
        self,
        wanted: &Wanted<'_>,
        notes: &mut Notes,
        stats: &mut Stats,
        kept: &mut Vec<EventId>,
    ) -> Result<Option<Decided>, OverBudget> {
        if !may_use_regions(self.options.engine) || !regions::may_fit(self.program) && !sums::may_fit(self.program) {
            return Ok(None);
        }
        let space = self.space(notes, stats)?;
        let decided = self.easily(None, wanted, &space, notes, stats)?;
        if decided.is_some() {
            let on = |layer: usize| (0..space.len(layer)).map(move |at| (layer, at));
            kept.extend((0..space.layers()).flat_map(on).map(|(layer, at)| space.event(layer, at)));
        }
        Ok(decided)
    }

    /// The same for a formula, or for what is left of it.
    fn easily(
        self,
        pruned: Option<&Pruned<'_>>,
        wanted: &Wanted<'_>,
        space: &Space<'_>,
        notes: &mut Notes,
        stats: &mut Stats,
    ) -> Result<Option<Decided>, OverBudget> {
        let (atoms, budget) = (&self.bound.atoms, self.budget);
        let program = pruned.map_or(self.program, |pruned| &pruned.program);
        if !may_use_regions(self.options.engine) {
            return Ok(None);
        }
        if let Some(mut regions) = Regions::new(space, atoms, program, notes, budget)? {
            stats.engine = INTERVALS;
            return self.shown(pruned, wanted, &mut regions).map(Some);
        }
        if let Some(mut sums) = Sums::new(space, atoms, program, notes, budget)? {
            stats.engine = SUMS;
            return self.shown(pruned, wanted, &mut sums).map(Some);
        }
        Ok(None)
    }

    fn answer(
        self,
        wanted: &Wanted<'_>,
        space: &Space<'_>,
        notes: &mut Notes,
        stats: &mut Stats,
    ) -> Result<Decided, OverBudget> {
        if let Some(decided) = self.easily(None, wanted, space, notes, stats)? {
            return Ok(decided);
        }
        #[cfg(feature = "comparison")]
        if self.options.engine == Engine::Ist {
            return self.by_sharing_trees(wanted, space, notes, stats);
        }
        let settled = Settled::new(self.trace, self.bound, self.program, notes, self.budget)?;
        let some = settled.pruned(self.program, Pruning::WholePaths);
        if some.is_some()
            && let Some(decided) = self.easily(some.as_ref(), wanted, space, notes, stats)?
        {
            return Ok(decided);
        }
        let Some(all) = settled.pruned(self.program, Pruning::All) else {
            return self.by_diagrams(None, wanted, space, notes, stats);
        };
        // A near cut shows more than the last one, unless it takes long to find.
        let budget = &self.budget.part(u64::MAX, NEAR);
        match (CutSearch { budget, ..self }).by_diagrams(some.as_ref(), wanted, space, notes, stats) {
            Err(over) => self.budget.step(0, over.what)?,
            decided => return decided,
        }
        match self.easily(Some(&all), wanted, space, notes, stats)? {
            Some(decided) => Ok(decided),
            None => self.by_diagrams(Some(&all), wanted, space, notes, stats),
        }
    }

    #[cfg(feature = "comparison")]
    fn by_sharing_trees(
        self,
        wanted: &Wanted<'_>,
        space: &Space<'_>,
        notes: &mut Notes,
        stats: &mut Stats,
    ) -> Result<Decided, OverBudget> {
        stats.engine = SHARING_TREES;
        let mut sets = SharingSets::new(space, &self.bound.atoms, notes, self.budget)?;
        let known = evaluate(self.program, &mut sets);
        stats.nodes = sets.trees.stored() as u64;
        self.shown(None, wanted, &mut Truths { space, sets: &mut sets, known: &known? })
    }

    fn by_diagrams(
        self,
        pruned: Option<&Pruned<'_>>,
        wanted: &Wanted<'_>,
        space: &Space<'_>,
        notes: &mut Notes,
        stats: &mut Stats,
    ) -> Result<Decided, OverBudget> {
        stats.engine = DIAGRAMS;
        let mut sets = DiagramSets::new(space, &self.bound.atoms, notes, self.budget)?;
        let known = evaluate(pruned.map_or(self.program, |pruned| &pruned.program), &mut sets);
        stats.nodes = sets.dd.stored() as u64;
        self.shown(pruned, wanted, &mut Truths { space, sets: &mut sets, known: &known? })
    }

    fn shown(
        self,
        pruned: Option<&Pruned<'_>>,
        wanted: &Wanted<'_>,
        truth: &mut dyn Truth,
    ) -> Result<Decided, OverBudget> {
        match pruned {
            None => shown(self.trace, self.program, wanted, truth, self.budget),
            Some(pruned) => shown(self.trace, self.program, wanted, &mut Shown { truth, pruned }, self.budget),
        }
    }

    /// Every cut of the trace counts, so nothing is left out.
    fn counts(self, notes: &mut Notes) -> Result<Counts, OverBudget> {
        let (program, atoms, budget) = (self.program, &self.bound.atoms, self.budget);
        let space = Space::new(self.trace, self.bound, Kept::All, notes, budget)?;
        #[cfg(feature = "comparison")]
        if self.options.engine == Engine::Ist {
            let mut sets = SharingSets::new(&space, atoms, notes, budget)?;
            let known = evaluate(program, &mut sets)?;
            return counts(&mut sets, &known);
        }
        let mut sets = DiagramSets::new(&space, atoms, notes, budget)?;
        let known = evaluate(program, &mut sets)?;
        counts(&mut sets, &known)
    }

    /// Fills in how the formula would be decided.
    pub(super) fn plan(self, stats: &mut Stats) -> Result<(), OverBudget> {
        let notes = &mut Notes::default();
        let space = self.space(notes, stats)?;
        // Whether the engines of known cost do is found out by trying, which costs no more than it takes.
        let wanted = Wanted { proof: &|_| false, counts: false, texts: &[] };
        if self.easily(None, &wanted, &space, notes, stats)?.is_some() {
            return Ok(());
        }
        stats.engine = match self.options.engine {
            #[cfg(feature = "comparison")]
            Engine::Ist => SHARING_TREES,
            _ => DIAGRAMS,
        };
        let settled = Settled::new(self.trace, self.bound, self.program, notes, self.budget)?;
        if stats.engine == DIAGRAMS
            && let pruned @ Some(_) = settled.pruned(self.program, Pruning::WholePaths).as_ref()
        {
            self.easily(pruned, &wanted, &space, notes, stats)?;
        }
        Ok(())
    }

    fn space(self, notes: &mut Notes, stats: &mut Stats) -> Result<Space<'q>, OverBudget> {
        // A step of `EX` may be any event.
        let kept = match () {
            () if !self.options.slice => Kept::All,
            () if !self.program.has_next() => Kept::Relevant,
            () if self.program.steps_only_once() => Kept::RelevantAndFirst,
            () => Kept::All,
        };
        let space = Space::new(self.trace, self.bound, kept, notes, self.budget)?;
        stats.relevant_events = space.events();
        stats.width = space.layers() as u64;
        Ok(space)
    }
}

fn may_use_regions(engine: Engine) -> bool {
    matches!(engine, Engine::Auto | Engine::Symbolic | Engine::Cuts)
}

fn counts<S: CutSets>(sets: &mut S, known: &[S::Set]) -> Result<Counts, OverBudget> {
    let all = sets.all();
    let of = known.iter().map(|&set| sets.count(set)).collect::<Result<_, _>>()?;
    Ok(Counts { all: sets.count(all)?, of })
}

/// The verdict, and why, if that is wanted.
pub(super) fn shown(
    trace: &Trace,
    program: &Program,
    wanted: &Wanted<'_>,
    truth: &mut dyn Truth,
    budget: &Budget,
) -> Result<Decided, OverBudget> {
    let holds = truth.holds(program.root(), &vec![0; truth.cuts().layers()]);
    let mut decided = Decided { holds, proof: None, counts: None, stopped: None };
    if (wanted.proof)(holds) {
        match show::proof(trace, program, wanted.texts, truth, budget) {
            Ok(proof) => decided.proof = Some(proof),
            // Decided is decided: only the proof was asked for in addition.
            Err(over) if holds => decided.stopped = Some(over),
            Err(over) => return Err(over),
        }
    }
    Ok(decided)
}

/// The truth of subformulas, by the sets of their cuts.
struct Truths<'k, 't, S: CutSets> {
    space: &'k Space<'t>,
    sets: &'k mut S,
    known: &'k [S::Set],
}

impl<S: CutSets> Truth for Truths<'_, '_, S> {
    fn cuts(&self) -> &dyn Graph {
        self.space
    }

    fn holds(&self, place: Place, cut: &[u32]) -> bool {
        self.sets.contains(self.known[place as usize], cut)
    }

    fn nearest(&mut self, place: Place, value: bool, cut: &[u32]) -> Result<Option<Vec<u32>>, OverBudget> {
        let set = self.known[place as usize];
        let set = if value { set } else { self.sets.not(&set)? };
        self.sets.nearest(set, cut)
    }
}
