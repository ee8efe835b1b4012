//! One property on one trace: bind, decide, replay.

use super::classes::{Classes, Repeats, Vocabulary};
use super::cuts::{self, Decided, Wanted};
use super::determined::determined;
use super::explicit;
use super::linear;
use super::program::{self, Program};
use super::replay::proof_stands;
use super::vacuity::vacuity;
use super::why::{Violation, explain};
use super::{Answer, Counted, Engine, Observed, Options, Plan, Proof, Runs, Search, Stats};
use posetta_base::{Budget, Diagnostic, Error, EventId, Kind, OverBudget, Verdict};
use posetta_compile::Linear;
use posetta_logic::eval::{self, Notes, Word};
use posetta_logic::{
    AtomId, Bound, Ctl, Formula, M2l, Property, View, bind_ctl, bind_ltl, bind_m2l, bind_monitor, bind_psl,
};
use posetta_trace::{Trace, complete, count_cuts, first_misplaced};

/// Decides one property on one trace.
///
/// # Errors
/// When the property does not fit the trace: an unknown variable, a type error, or CTL over unordered writes.
pub fn check(trace: &Trace, property: &Property, options: &Options, budget: &Budget) -> Result<Answer, Error> {
    let mut answer = match prepare(trace, property, options, budget) {
        Ok(Ready::Runs(bound, view)) => over_runs(trace, property, &bound, view, options, budget)?,
        Ok(Ready::Cuts(formula, bound)) => branching(trace, property, formula, &bound, options, budget)?,
        Err(Error::OverBudget(over)) => {
            let (verdict, runs, stopped) = (Verdict::Unknown(over), Some(Runs::Unknown), Some(over));
            return Ok(Answer { verdict, runs, stopped, ..blank(trace, property, &[]) });
        }
        Err(error) => return Err(error),
    };
    if options.vacuity && matches!(answer.verdict, Verdict::Holds) {
        answer.warnings.extend(vacuity(trace, property, options, &answer.stats, budget).warnings);
    }
    Ok(answer)
}

/// A property tied to a trace, with the engine that will decide it.
enum Ready<'p> {
    /// [`linear`] or [`explicit::linear`], after one run by definition.
    Runs(Bound<Linear>, View),
    /// [`cuts`] or [`explicit::branching`].
    Cuts(&'p Ctl, Bound<Ctl<AtomId>>),
}

/// Chooses the engine. Everything that is said about the choice, here and in [`plan`], comes from here.
fn prepare<'p>(trace: &Trace, property: &'p Property, options: &Options, budget: &Budget) -> Result<Ready<'p>, Error> {
    Ok(match &property.formula {
        Formula::Ltl(view, formula) => {
            Ready::Runs(bind_ltl(property, formula, trace, &options.known_elsewhere)?.map(Linear::Ltl), *view)
        }
        Formula::Psl(view, formula) => {
            Ready::Runs(bind_psl(property, formula, trace, &options.known_elsewhere)?.map(Linear::Psl), *view)
        }
        Formula::M2l(view, formula) => {
            let bound = bind_m2l(property, formula, trace, &options.known_elsewhere)?;
            let linear = Linear::m2l(formula, &bound.formula, budget)?;
            Ready::Runs(bound.map(|_| linear), *view)
        }
        Formula::Monitor(view, monitor) => {
            Ready::Runs(bind_monitor(property, monitor, trace, &options.known_elsewhere)?.map(Linear::Monitor), *view)
        }
        Formula::Ctl(formula) => Ready::Cuts(formula, bind_ctl(property, formula, trace, &options.known_elsewhere)?),
    })
}

/// What [`check`] will do with a property on a trace, without doing it.
///
/// # Errors
/// With the mistakes that [`check`] would answer with, or when the budget is spent.
pub fn plan(trace: &Trace, property: &Property, options: &Options, budget: &Budget) -> Result<Plan, Error> {
    let ready = prepare(trace, property, options, budget)?;
    let mut stats = Stats { engine: ENGINE, ..Stats::default() };
    let (search, parts, warnings) = match &ready {
        Ready::Runs(bound, view) => {
            let notes = &mut Notes::default();
            let mut parts = 1;
            if options.engine == Engine::Explicit {
                let words = Vocabulary::new(trace, bound, |_| true);
                stats.relevant_events = Classes::new(&words, Repeats::Count, notes, budget)?.relevant;
            } else {
                stats.engine = SYMBOLIC;
                let languages = linear::parts(bound, true);
                parts = languages.len() as u64;
                linear::find_run(trace, bound, *view, languages, 0, options, notes, &mut stats, budget)?;
            }
            (Search::Runs, parts, &bound.warnings)
        }
        Ready::Cuts(_, bound) => {
            determined(trace, property, bound, budget)?;
            if options.engine == Engine::Explicit || options.engine == Engine::Auto && has_few_cuts(trace, budget)? {
                stats.relevant_events = writes(trace, bound);
            } else {
                cuts::plan(trace, bound, &Program::new(&bound.formula), options, &mut stats, budget)?;
            }
            (Search::Cuts, 1, &bound.warnings)
        }
    };
    Ok(Plan {
        engine: stats.engine,
        search,
        events: trace.len() as u64,
        relevant_events: stats.relevant_events,
        parts,
        width: stats.width,
        warnings: warnings.clone(),
    })
}

/// The name of the engines that go from cut to cut.
const ENGINE: &str = "explicit";

/// The name of the engine that goes by intervals of cuts.
const SYMBOLIC: &str = "symbolic";

/// The answer as far as it is known; filled while the work goes on, so that a limit leaves what was learnt.
fn blank(trace: &Trace, property: &Property, warnings: &[Diagnostic]) -> Answer {
    Answer {
        verdict: Verdict::Holds,
        runs: None,
        observed: None,
        support: None,
        path_proves: None,
        proof: None,
        cuts: None,
        counts: Vec::new(),
        why: None,
        stopped: None,
        warnings: {
            let none = trace.is_empty().then(|| Diagnostic::new(Kind::NoEvents, "this run has no events"));
            property.warnings.iter().chain(warnings).cloned().chain(none).collect()
        },
        stats: Stats { engine: ENGINE, events: trace.len() as u64, ..Stats::default() },
    }
}

fn warn(answer: &mut Answer, property: &Property, notes: Notes) {
    if notes.division_by_zero {
        answer.warnings.push(division_by_zero(property));
    }
}

pub(super) fn division_by_zero(property: &Property) -> Diagnostic {
    property
        .mistake(Kind::Type, property.span, "a division by zero: the comparison around it counts as false there")
        .help("guard it, as in `y != 0 && x / y > 1`")
}

/// A witness that does not replay would be a defect of this program, never of the input; it is not shown.
fn defect(property: &Property) -> Error {
    Error::defect(format!("a witness against `{}` does not replay", property.formula), "the run and the property")
}

fn over_runs(
    trace: &Trace,
    property: &Property,
    bound: &Bound<Linear>,
    view: View,
    options: &Options,
    budget: &Budget,
) -> Result<Answer, Error> {
    let mut answer = blank(trace, property, &bound.warnings);
    answer.runs = Some(Runs::Unknown);
    let mut notes = Notes::default();
    let mut other = every_run(trace, bound, view, options, &mut answer, &mut notes, budget).unwrap_or_else(|over| {
        answer.stopped = Some(over);
        if !matches!(answer.verdict, Verdict::Violated(_)) {
            answer.verdict = Verdict::Unknown(over);
        }
        Other::None
    });
    if let Verdict::Violated(witness) = &answer.verdict
        && options.explain
    {
        let satisfying = match &other {
            Other::Satisfying(run) => Some(&run[..]),
            Other::Failing | Other::None => None,
        };
        let violation = Violation { trace, bound, view, witness, satisfying };
        if let Some((closer, why)) = explain(&violation, options, budget) {
            answer.why = Some(why);
            if closer != *witness {
                answer.verdict = Verdict::Violated(closer);
                other = Other::Failing;
            }
        }
    }
    // The one run that is tried first was evaluated by the evaluator itself; what a search found is replayed, even when
    // the budget is spent: a witness that nobody saw is worth nothing.
    if let Verdict::Violated(run) = &answer.verdict
        && matches!(other, Other::Failing)
    {
        let is_run = run.len() == trace.len() && first_misplaced(trace, run).is_none();
        let unlimited = Budget::unlimited();
        let word = eval::word(trace, bound, run, view, &mut notes, &unlimited);
        let holds = word.and_then(|word| bound.formula.holds(&word, &unlimited));
        if !is_run || holds != Ok(false) {
            return Err(defect(property));
        }
    }
    if let (Verdict::Violated(run), Formula::M2l(_, formula)) = (&answer.verdict, &property.formula) {
        let atoms = bind_m2l(property, formula, trace, &options.known_elsewhere)?;
        let word = eval::word(trace, &atoms, run, view, &mut notes, &Budget::unlimited());
        if word.is_ok_and(|word| satisfies_by_definition(formula, &atoms.formula, &word)) {
            return Err(defect(property));
        }
    }
    warn(&mut answer, property, notes);
    Ok(answer)
}

/// The automaton of a formula of M2L is the work of an engine, so what it says of a short run is looked at by the definition, too.
fn satisfies_by_definition(formula: &M2l, atoms: &[AtomId], word: &Word) -> bool {
    eval::m2l_holds(formula.program(), atoms, word, eval::M2L_STEPS, &Budget::unlimited()) == Ok(Some(true))
}

/// What a search added to the one run that was tried first.
enum Other {
    /// A run that satisfies the property.
    Satisfying(Vec<EventId>),
    /// The run of the verdict.
    Failing,
    /// Nothing.
    None,
}

/// One run first: it may settle the verdict, and together with a run that differs it settles `runs`. Then the runs that
/// violate the property are searched, or, if the one run does, those that satisfy it.
fn every_run(
    trace: &Trace,
    bound: &Bound<Linear>,
    view: View,
    options: &Options,
    answer: &mut Answer,
    notes: &mut Notes,
    budget: &Budget,
) -> Result<Other, OverBudget> {
    if options.engine != Engine::Explicit {
        answer.stats.engine = SYMBOLIC;
    }
    let one_run = trace.linearisation();
    let one_holds = bound.formula.holds(&eval::word(trace, bound, one_run, view, notes, budget)?, budget)?;
    if trace.observed().is_some() {
        answer.observed = Some(if one_holds { Observed::Holds } else { Observed::Violated });
    }
    if !one_holds {
        answer.verdict = Verdict::Violated(one_run.to_vec());
        if options.verdict_only && trace.len() > 1 {
            return Ok(Other::None);
        }
    }
    let mut stats = Stats::default();
    let other = other_run(trace, bound, view, one_holds, options, &mut stats, notes, budget);
    answer.stats.relevant_events = stats.relevant_events;
    answer.stats.covered = stats.covered;
    answer.stats.width = stats.width;
    let explored = &mut answer.stats;
    *if one_holds { &mut explored.configurations } else { &mut explored.further_configurations } = stats.configurations;
    let other = other?;
    answer.runs = Some(match (one_holds, &other) {
        (true, None) => Runs::All,
        (false, None) => Runs::None,
        (_, Some(_)) => Runs::Some,
    });
    Ok(match other {
        None => Other::None,
        Some(run) if !one_holds => Other::Satisfying(run),
        Some(run) => {
            answer.verdict = Verdict::Violated(run);
            Other::Failing
        }
    })
}

/// A run that violates the formula, or one that satisfies it.
#[expect(clippy::too_many_arguments, reason = "what is asked, how, and where to account for it")]
fn other_run(
    trace: &Trace,
    bound: &Bound<Linear>,
    view: View,
    violating: bool,
    options: &Options,
    stats: &mut Stats,
    notes: &mut Notes,
    budget: &Budget,
) -> Result<Option<Vec<EventId>>, OverBudget> {
    match options.engine {
        // There is no other run.
        _ if trace.len() < 2 => Ok(None),
        Engine::Explicit => {
            let mut automaton = bound.formula.automaton(violating);
            let prefix = explicit::linear::find_run(trace, bound, view, &mut *automaton, notes, stats, budget)?;
            Ok(prefix.map(|prefix| complete(trace, &prefix)))
        }
        Engine::Auto | Engine::Symbolic | Engine::Diagrams | Engine::Ist => {
            let parts = linear::parts(bound, violating);
            linear::find_run(trace, bound, view, parts, u64::MAX, options, notes, stats, budget)
        }
    }
}

fn branching(
    trace: &Trace,
    property: &Property,
    formula: &Ctl,
    bound: &Bound<Ctl<AtomId>>,
    options: &Options,
    budget: &Budget,
) -> Result<Answer, Error> {
    let mut answer = blank(trace, property, &bound.warnings);
    // Nobody has answered yet.
    answer.stats.engine = "";
    let mut notes = Notes::default();
    let program = Program::new(&bound.formula);
    let texts = program::texts(formula);
    let decided = determined(trace, property, bound, budget).and_then(|()| {
        let proof = |holds: bool| !holds || options.witness_always;
        let wanted = Wanted { proof: &proof, counts: options.counts, texts: &texts };
        Ok(at_the_empty_cut(trace, bound, &program, &wanted, options, &mut notes, &mut answer.stats, budget)?)
    });
    match decided {
        Err(Error::OverBudget(over)) => {
            answer.stopped = Some(over);
            answer.verdict = Verdict::Unknown(over);
        }
        Err(error) => return Err(error),
        Ok(decided) => {
            // Even when the budget is spent: a proof that nobody saw is worth nothing.
            if let Some(proof) = &decided.proof
                && (proof.holds != decided.holds
                    || proof_stands(trace, formula, bound, proof, &Budget::unlimited()) != Ok(true))
            {
                return Err(defect(property));
            }
            let path = decided.proof.as_ref().map(Proof::path);
            if let Some(path) = &path {
                match shown_by(trace, bound, path) {
                    Some(shown) if shown != Some(!decided.holds) => answer.path_proves = Some(shown.is_some()),
                    _ => return Err(defect(property)),
                }
            }
            answer.stopped = decided.stopped;
            answer.proof = decided.proof;
            if let Some(counts) = decided.counts {
                let counted = |(place, depth): (u32, usize)| Counted {
                    formula: texts[place as usize].clone(),
                    depth,
                    cuts: counts.of[place as usize].clone(),
                };
                answer.counts = program.listed().into_iter().map(counted).collect();
                answer.cuts = Some(counts.all);
            }
            match (decided.holds, path) {
                (true, path) => answer.support = path,
                (false, path) => answer.verdict = Verdict::Violated(path.unwrap_or_default()),
            }
        }
    }
    warn(&mut answer, property, notes);
    Ok(answer)
}

/// So few cuts are swept over one by one. From about here on diagrams are faster; below they lose a few microseconds.
const FEW_CUTS: u64 = 64;

/// Cut by cut where there are few; else by regions where the shape of the formula allows it; else by diagrams.
#[expect(clippy::too_many_arguments, reason = "what is asked, how, and where to account for it")]
pub(super) fn at_the_empty_cut(
    trace: &Trace,
    bound: &Bound<Ctl<AtomId>>,
    program: &Program,
    wanted: &Wanted<'_>,
    options: &Options,
    notes: &mut Notes,
    stats: &mut Stats,
    budget: &Budget,
) -> Result<Decided, OverBudget> {
    let most = match options.engine {
        Engine::Explicit => Some(u64::MAX),
        Engine::Auto if (trace.len() as u64) < FEW_CUTS => Some(FEW_CUTS),
        _ => None,
    };
    if let Some(most) = most {
        stats.engine = ENGINE;
        stats.relevant_events = writes(trace, bound);
        let explored = &mut stats.configurations;
        let decided = explicit::branching::decide(trace, bound, program, wanted, most, notes, explored, budget)?;
        if let Some(decided) = decided {
            return Ok(decided);
        }
        stats.configurations = 0;
    }
    cuts::decide(trace, bound, program, wanted, options, notes, stats, budget)
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
    Ok((trace.len() as u64) < FEW_CUTS && count_cuts(trace, budget)? <= FEW_CUTS.into())
}

/// How many events assign a variable of the formula.
fn writes<F>(trace: &Trace, bound: &Bound<F>) -> u64 {
    let slots = bound.slots();
    trace.events().filter(|&e| trace.assignments(e).iter().any(|a| slots.contains_key(&a.var))).count() as u64
}
