//! A branching property on a trace: which engine decides it, and what it has to show.

use super::answer::{Answer, BranchingAnswer, Found, Stats};
use super::cuts::{Asked, Decided, Wanted};
use super::determined::determined;
use super::explicit;
use super::program::{self, Program};
use super::proof::{Counted, Proof};
use super::question::{defect, note};
use super::replay::proof_stands;
use super::tie::TiedBranching;
use super::{Engine, Options};
use posetta_base::{Budget, Diagnostic, Error, EventId, OverBudget, Verdict};
use posetta_logic::eval::{self, Notes};
use posetta_logic::{AtomId, Bound, Ctl, Property, View};
use posetta_trace::{Trace, count_cuts, first_misplaced};

/// A branching property, and how it is to be decided.
pub(super) struct OverCuts<'q> {
    pub(super) trace: &'q Trace,
    pub(super) property: &'q Property,
    pub(super) tied: &'q TiedBranching<'q>,
    pub(super) options: &'q Options,
    pub(super) budget: &'q Budget,
}

impl OverCuts<'_> {
    /// The verdict, with a proof where one is wanted, and counts.
    pub(super) fn decide(&self, mut warnings: Vec<Diagnostic>) -> Result<Answer, Error> {
        let Self { trace, property, tied, options, budget } = *self;
        let TiedBranching { formula, bound } = tied;
        let mut stats = Stats { events: trace.len() as u64, ..Stats::default() };
        let mut notes = Notes::default();
        let program = Program::new(&bound.formula);
        let texts = program::texts(formula);
        let decided = determined(trace, property, bound, budget).and_then(|()| {
            let proof = |holds: bool| !holds || options.witness_always;
            let wanted = Wanted { proof: &proof, counts: options.counts, texts: &texts };
            let asked = Asked { trace, bound, program: &program, options, budget };
            Ok(at_the_empty_cut(asked, &wanted, &mut notes, &mut stats)?)
        });
        let (verdict, stopped, found) = match decided {
            Err(Error::OverBudget(over)) => (Verdict::Unknown(over), Some(over), BranchingAnswer::default()),
            Err(error) => return Err(error),
            Ok(Decided { holds, proof, counts, stopped }) => {
                let path_proves = self.shown(holds, proof.as_ref())?;
                let path = proof.as_ref().map(Proof::path);
                let (verdict, support) = match holds {
                    true => (Verdict::Holds, path),
                    false => (Verdict::Violated(path.unwrap_or_default()), None),
                };
                let mut found = BranchingAnswer { proof, path_proves, support, ..BranchingAnswer::default() };
                if let Some(counts) = counts {
                    let counted = |(place, depth): (u32, usize)| Counted {
                        formula: texts[place as usize].clone(),
                        depth,
                        cuts: counts.of[place as usize].clone().into(),
                    };
                    found.counts = program.listed().into_iter().map(counted).collect();
                    found.cuts = Some(counts.all.into());
                }
                (verdict, stopped, found)
            }
        };
        note(&mut warnings, property, &notes);
        Ok(Answer { verdict, stopped, warnings, stats, found: Found::Branching(found) })
    }

    /// Replays a proof, even when the budget is spent: one that nobody saw is worth nothing. Answers whether its path proves the
    /// verdict by itself, if there is a proof.
    fn shown(&self, holds: bool, proof: Option<&Proof>) -> Result<Option<bool>, Error> {
        let Self { trace, property, tied, .. } = *self;
        let Some(proof) = proof else { return Ok(None) };
        let stands = proof_stands(trace, tied.formula, &tied.bound, proof, &Budget::unlimited()) == Ok(true);
        match shown_by(trace, &tied.bound, &proof.path()) {
            Some(shown) if stands && proof.holds == holds && shown != Some(!holds) => Ok(Some(shown.is_some())),
            _ => Err(defect(property)),
        }
    }

    /// What [`Self::decide`] will go through; the engine, the events that matter and the width go into the statistics.
    pub(super) fn plan(&self, stats: &mut Stats) -> Result<(), Error> {
        let Self { trace, property, tied, options, budget } = *self;
        let bound = &tied.bound;
        determined(trace, property, bound, budget)?;
        if options.engine == Engine::Explicit || options.engine == Engine::Auto && has_few_cuts(trace, budget)? {
            stats.engine = EXPLICIT;
            stats.relevant_events = writes(trace, bound);
            return Ok(());
        }
        Ok(Asked { trace, bound, program: &Program::new(&bound.formula), options, budget }.plan(stats)?)
    }
}

/// The name of the engines that go from cut to cut.
pub(super) const EXPLICIT: &str = "explicit";

/// So few cuts are swept over one by one. From about here on diagrams are faster; below they lose a few microseconds.
const FEW_CUTS: u64 = 64;

/// Cut by cut where there are few; else by regions where the shape of the formula allows it; else by diagrams.
pub(super) fn at_the_empty_cut(
    asked: Asked<'_>,
    wanted: &Wanted<'_>,
    notes: &mut Notes,
    stats: &mut Stats,
) -> Result<Decided, OverBudget> {
    let most = match asked.options.engine {
        Engine::Explicit => Some(u64::MAX),
        Engine::Auto if (asked.trace.len() as u64) < FEW_CUTS => Some(FEW_CUTS),
        _ => None,
    };
    if let Some(most) = most {
        stats.engine = EXPLICIT;
        stats.relevant_events = writes(asked.trace, asked.bound);
        let decided = explicit::branching::decide(asked, wanted, most, notes, &mut stats.configurations)?;
        if let Some(decided) = decided {
            return Ok(decided);
        }
        stats.configurations = 0;
    }
    asked.decide(wanted, notes, stats)
}

/// What a path of cuts proves about the formula: true, false, or neither. `None` if it is no such path.
fn shown_by(trace: &Trace, bound: &Bound<Ctl<AtomId>>, path: &[EventId]) -> Option<Option<bool>> {
    if first_misplaced(trace, path).is_some() {
        return None;
    }
    let word = eval::word(trace, bound, path, View::States, &mut Notes::default(), &Budget::unlimited()).ok()?;
    Some(eval::on_path(&bound.formula, &word, path.len() == trace.len()))
}

fn has_few_cuts(trace: &Trace, budget: &Budget) -> Result<bool, OverBudget> {
    Ok((trace.len() as u64) < FEW_CUTS && count_cuts(trace, budget)? <= FEW_CUTS)
}

/// How many events assign a variable of the formula.
fn writes<F>(trace: &Trace, bound: &Bound<F>) -> u64 {
    let slots = bound.slots();
    trace.events().filter(|&e| trace.assignments(e).iter().any(|a| slots.contains_key(&a.var))).count() as u64
}
