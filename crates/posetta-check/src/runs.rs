//! A linear property on a trace, stage by stage.
//!
//! One run first, by definition: it may settle the verdict, and together with a run that differs it settles how many satisfy the
//! property. [`OverRuns::decide`] searches the runs that violate it, if the one run does not; [`OverRuns::complete`] those that satisfy
//! it, if the one run does not; [`OverRuns::explain`] starts from what these found. Where some order is asked for, it is the other way
//! round: one that satisfies the property settles the verdict.

use std::cell::OnceCell;

use super::answer::{Answer, Found, LinearAnswer, Observed, Runs, Stats};
use super::branching::EXPLICIT;
use super::classes::{Classes, Repeats, Vocabulary};
use super::explicit;
use super::few;
use super::linear::{self, RunSearch, SYMBOLIC, Until};
use super::question::{defect, note};
use super::tie::TiedLinear;
use super::why::{Violation, explain};
use super::{Engine, Options};
use posetta_base::{Budget, Diagnostic, Error, EventId, OverBudget, Verdict};
use posetta_logic::eval::Notes;
use posetta_logic::{Property, Quantifier};
use posetta_trace::{Trace, complete, first_misplaced};

/// The name of the engine that goes from order to order.
const ORDERS: &str = "orders";
/// The name of the engine that follows paper 000 to the letter.
#[cfg(feature = "comparison")]
const PAPER: &str = "paper";
/// The name of the engine that goes cut by cut with partial-order reduction.
#[cfg(feature = "comparison")]
const POR: &str = "por";

/// So many orders are looked at one by one, and so many positions in all of them.
const FEW_RUNS: usize = 64;
const FEW_POSITIONS: usize = 1 << 11;

/// A linear property, and how it is to be decided.
pub(super) struct OverRuns<'q> {
    pub(super) trace: &'q Trace,
    pub(super) property: &'q Property,
    pub(super) tied: &'q TiedLinear<'q>,
    pub(super) options: &'q Options,
    pub(super) budget: &'q Budget,
    /// All runs, if they are few, once somebody has asked.
    few: OnceCell<Option<Vec<Vec<EventId>>>>,
}

impl<'q> OverRuns<'q> {
    pub(super) fn new(
        trace: &'q Trace,
        property: &'q Property,
        tied: &'q TiedLinear<'q>,
        options: &'q Options,
        budget: &'q Budget,
    ) -> Self {
        Self { trace, property, tied, options, budget, few: OnceCell::new() }
    }
}

impl OverRuns<'_> {
    /// The verdict, with a run that violates the property, or with one that satisfies it if one was asked for.
    pub(super) fn decide(&self, mut warnings: Vec<Diagnostic>) -> Result<Answer, Error> {
        let quantifier = self.property.quantifier;
        let mut stats = Stats { engine: SYMBOLIC, events: self.trace.len() as u64, ..Stats::default() };
        let mut found = LinearAnswer { runs: Runs::Unknown, observed: None, quantifier, why: None, satisfying: None };
        let mut notes = Notes::default();
        let (verdict, stopped) = match (self.telling(&mut found, &mut stats, &mut notes), quantifier) {
            (Ok(None), Quantifier::Every) => (Verdict::Holds, None),
            (Ok(None), Quantifier::Some) => (Verdict::Violated(Vec::new()), None),
            (Ok(Some(run)), quantifier) => {
                // The one run that is tried first was evaluated by the evaluator itself.
                let seen = run == self.trace.linearisation();
                self.replay(&run, seen, &mut notes)?;
                match quantifier {
                    Quantifier::Every => (Verdict::Violated(run), None),
                    Quantifier::Some => {
                        found.satisfying = Some(run);
                        (Verdict::Holds, None)
                    }
                }
            }
            (Err(over), _) => (Verdict::Unknown(over), Some(over)),
        };
        note(&mut warnings, self.property, &notes);
        Ok(Answer { verdict, stopped, warnings, stats, found: Found::Linear(found), instances: None })
    }

    /// Whether a run that violates the property settles the verdict; if not, one that satisfies it does.
    fn violating_tells(&self) -> bool {
        self.property.quantifier == Quantifier::Every
    }

    /// A run that settles the verdict: the one that is tried first, or one that is searched.
    fn telling(
        &self,
        found: &mut LinearAnswer,
        stats: &mut Stats,
        notes: &mut Notes,
    ) -> Result<Option<Vec<EventId>>, OverBudget> {
        let Self { trace, tied, budget, .. } = *self;
        stats.engine = self.engine()?;
        if stats.engine == ORDERS {
            stats.relevant_events = trace.len() as u64;
        }
        let one_run = trace.linearisation();
        let word = tied.word(trace, one_run, notes, budget)?;
        let one_holds = tied.bound(budget)?.formula.holds(&word, budget)?;
        drop(word);
        if trace.observed().is_some() {
            found.observed = Some(if one_holds { Observed::Holds } else { Observed::Violated });
        }
        let all_alike = if one_holds { Runs::All } else { Runs::None };
        let tells = self.violating_tells();
        if one_holds != tells {
            if self.is_only_run() {
                found.runs = all_alike;
            }
            return Ok(Some(one_run.to_vec()));
        }
        let telling = self.search(tells, stats, notes)?;
        found.runs = if telling.is_some() { Runs::Some } else { all_alike };
        Ok(telling)
    }

    /// How many runs satisfy a property whose verdict the one that is tried first has settled: whether another one differs from it.
    pub(super) fn complete(&self, answer: &mut Answer) {
        let Answer { verdict, stopped, warnings, stats, found: Found::Linear(found), .. } = answer else { return };
        if found.runs != Runs::Unknown || matches!(verdict, Verdict::Unknown(_)) {
            return;
        }
        let mut notes = Notes::default();
        *stopped = None;
        let tells = self.violating_tells();
        match self.search(!tells, stats, &mut notes) {
            Ok(other) => {
                found.runs = match (&other, tells) {
                    (Some(_), _) => Runs::Some,
                    (None, true) => Runs::None,
                    (None, false) => Runs::All,
                };
                if tells {
                    found.satisfying = other;
                }
            }
            Err(over) => *stopped = Some(over),
        }
        note(warnings, self.property, &notes);
    }

    /// Why the property is violated; the order of the verdict becomes the closest one that is found.
    pub(super) fn explain(&self, answer: &mut Answer) -> Result<(), Error> {
        let Self { trace, tied, options, budget, .. } = *self;
        let Answer { verdict: Verdict::Violated(witness), warnings, found: Found::Linear(found), .. } = answer else {
            return Ok(());
        };
        if !self.violating_tells() {
            return Ok(());
        }
        let Ok(bound) = tied.bound(budget) else { return Ok(()) };
        let satisfying = found.satisfying.as_deref();
        let violation = Violation { trace, bound, view: tied.view, witness, satisfying };
        if let Some((closer, why)) = explain(&violation, options, budget) {
            if closer != *witness {
                let mut notes = Notes::default();
                self.replay(&closer, false, &mut notes)?;
                *witness = closer;
                note(warnings, self.property, &notes);
            }
            found.why = Some(why);
        }
        Ok(())
    }

    /// Looks at a run that settles the verdict, unless it was seen, even when the budget is spent: a witness that nobody saw is
    /// worth nothing. The automaton of a formula of M2L is the work of an engine, so what it says of a short run is looked at by the
    /// definition in any case.
    fn replay(&self, run: &[EventId], seen: bool, notes: &mut Notes) -> Result<(), Error> {
        let Self { trace, property, tied, .. } = *self;
        if seen && !tied.is_compiled() {
            return Ok(());
        }
        let unlimited = Budget::unlimited();
        let is_run = run.len() == trace.len() && first_misplaced(trace, run).is_none();
        let said = !self.violating_tells();
        let mut tells = || -> Result<bool, OverBudget> {
            let word = tied.word(trace, run, notes, &unlimited)?;
            let holds = tied.bound(&unlimited)?.formula.holds(&word, &unlimited)?;
            let contradicted = tied.is_compiled() && tied.by_definition(&word, &unlimited)? == Some(!said);
            Ok(holds == said && !contradicted)
        };
        if is_run && tells() == Ok(true) { Ok(()) } else { Err(defect(property)) }
    }

    /// What [`Self::decide`] will go through: in how many parts, and of how many CTL asks the same. The engine, the events that matter
    /// and the width go into the statistics.
    pub(super) fn plan(&self, stats: &mut Stats) -> Result<(u64, u64), OverBudget> {
        let Self { trace, tied, options, budget, .. } = *self;
        let (bound, notes) = (tied.bound(budget)?, &mut Notes::default());
        stats.engine = self.engine()?;
        if stats.engine == ORDERS {
            stats.relevant_events = trace.len() as u64;
            return Ok((1, 0));
        }
        if options.engine == Engine::Explicit {
            let words = Vocabulary::new(trace, bound, |_| true);
            stats.relevant_events = Classes::new(&words, Repeats::Count, notes, budget)?.relevant;
            return Ok((1, 0));
        }
        let search = RunSearch { trace, bound, view: tied.view, until: Until::Planned, options, budget };
        #[cfg(feature = "comparison")]
        if matches!(options.engine, Engine::Paper | Engine::Por) {
            searched(&search, self.violating_tells(), notes, stats)?;
            return Ok((1, 0));
        }
        let parts = linear::parts(bound, self.violating_tells());
        let count = parts.len() as u64;
        let as_branching = search.as_branching(&parts, notes)?;
        let mut cost = Stats::default();
        search.find(parts, notes, &mut cost)?;
        let engine = if cost.engine.is_empty() { stats.engine } else { cost.engine };
        *stats = Stats { engine, ..cost };
        Ok((count, as_branching))
    }

    fn engine(&self) -> Result<&'static str, OverBudget> {
        Ok(match self.options.engine {
            Engine::Explicit => EXPLICIT,
            #[cfg(feature = "comparison")]
            Engine::Paper => PAPER,
            #[cfg(feature = "comparison")]
            Engine::Por => POR,
            Engine::Auto if self.is_only_run() || self.few_runs()?.is_some() => ORDERS,
            _ => SYMBOLIC,
        })
    }

    fn is_only_run(&self) -> bool {
        few::has_one_run(self.trace)
    }

    /// All runs, if they are so few that looking at each costs less than anything else.
    fn few_runs(&self) -> Result<Option<&[Vec<EventId>]>, OverBudget> {
        let most = (FEW_POSITIONS / (self.trace.len() + 1)).min(FEW_RUNS);
        if self.options.engine != Engine::Auto || most < 2 {
            return Ok(None);
        }
        if let Some(known) = self.few.get() {
            return Ok(known.as_deref());
        }
        let all = few::all_runs(self.trace, most, self.budget)?;
        Ok(self.few.get_or_init(|| all).as_deref())
    }

    /// A run that violates the property, or one that satisfies it, beside the one that was tried first.
    fn search(
        &self,
        violating: bool,
        stats: &mut Stats,
        notes: &mut Notes,
    ) -> Result<Option<Vec<EventId>>, OverBudget> {
        if self.is_only_run() {
            return Ok(None);
        }
        // What is searched for the verdict, and what after it.
        let first = violating == self.violating_tells();
        let Self { trace, tied, options, budget, .. } = *self;
        let (bound, view) = (tied.bound(budget)?, tied.view);
        if let Some(all) = self.few_runs()? {
            let looked = if first { &mut stats.configurations } else { &mut stats.further_configurations };
            // The first is the one that was tried before, and is no such run; nor is one that looks the same as another.
            let looks = if tied.is_compiled() { None } else { few::looks(trace, bound) };
            let mut tried: Vec<Vec<u32>> = Vec::new();
            for (i, run) in all.iter().enumerate() {
                if let Some(looks) = &looks {
                    let own = || run.iter().map(|event| looks[event.index()]);
                    if tried.iter().any(|other| other.iter().copied().eq(own())) {
                        continue;
                    }
                    tried.push(own().collect());
                }
                *looked += 1;
                if i == 0 {
                    continue;
                }
                let word = tied.word(trace, run, notes, budget)?;
                if bound.formula.holds(&word, budget)? != violating {
                    return Ok(Some(run.clone()));
                }
            }
            return Ok(None);
        }
        let mut cost = Stats::default();
        let search = RunSearch { trace, bound, view, until: Until::Decided, options, budget };
        let found = searched(&search, violating, notes, &mut cost);
        stats.relevant_events = cost.relevant_events;
        stats.covered = cost.covered;
        stats.width = cost.width;
        stats.nodes = cost.nodes;
        if !cost.engine.is_empty() {
            stats.engine = cost.engine;
        }
        *if first { &mut stats.configurations } else { &mut stats.further_configurations } = cost.configurations;
        found
    }
}

/// A search for a run that violates a property, or satisfies it, by the engine of the options.
fn searched(
    search: &RunSearch<'_>,
    violating: bool,
    notes: &mut Notes,
    cost: &mut Stats,
) -> Result<Option<Vec<EventId>>, OverBudget> {
    let RunSearch { trace, bound, view, options, budget, .. } = *search;
    let whole = |prefix: Option<Vec<EventId>>| prefix.map(|prefix| complete(trace, &prefix));
    match options.engine {
        Engine::Explicit => {
            let mut automaton = bound.formula.automaton(violating);
            explicit::linear::find_run(trace, bound, view, &mut *automaton, notes, cost, budget).map(whole)
        }
        #[cfg(feature = "comparison")]
        Engine::Por => explicit::por::find_run(search, violating, notes, cost).map(whole),
        #[cfg(feature = "comparison")]
        Engine::Paper => linear::paper::find(search, &mut *bound.formula.automaton(violating), notes, cost),
        _ => search.find(linear::parts(bound, violating), notes, cost),
    }
}
