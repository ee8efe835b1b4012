//! A branching property on a trace: which engine decides it, and what it has to show.

use super::answer::{Answer, BranchingAnswer, Found, Stats};
use super::cuts::{CutSearch, Decided, Wanted};
use super::determined::determined;
use super::explicit;
use super::program::{self, Program};
use super::proof::{Counted, Proof, Why};
use super::question::{defect, note};
use super::replay::proof_stands;
use super::tie::TiedBranching;
use super::{Engine, Options};
use posetta_base::{Budget, Diagnostic, Error, EventId, OverBudget, Verdict};
use posetta_logic::eval::{self, Notes};
use posetta_logic::{AtomId, Bound, Ctl, CtlUnary, Path, Property, View};
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
            let search = CutSearch { trace, bound, program: &program, options, budget };
            if !self.is_split() {
                return Ok(at_the_empty_cut(search, &wanted, &mut notes, &mut stats)?);
            }
            // What is easy is decided whole: each part by itself would look through all events once more.
            if options.engine == Engine::Auto {
                let some = budget.part(u64::MAX, EASY.saturating_add(4 * trace.len() as u64));
                let mut cost = stats.clone();
                match at_the_empty_cut(CutSearch { budget: &some, ..search }, &wanted, &mut notes, &mut cost) {
                    Ok(decided) => {
                        stats = cost;
                        return Ok(decided);
                    }
                    Err(over) => budget.step(0, over.what)?,
                }
            }
            Ok(self.part_by_part(formula, &bound.formula, &proof, &mut notes, &mut stats)?)
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
        Ok(Answer { verdict, stopped, warnings, stats, found: Found::Branching(found), instances: None })
    }

    /// Whether conjuncts and disjuncts are decided one by one: each has its own events to leave out. Counting needs all of them, and
    /// small runs are swept over whole.
    fn is_split(&self) -> bool {
        let wished = match self.options.engine {
            Engine::Auto => self.trace.len() as u64 >= FEW_CUTS,
            engine => engine == Engine::Cuts,
        };
        wished && !self.options.counts && Parts::of(self.tied.formula, &self.tied.bound.formula).is_some()
    }

    /// Decides the parts of a conjunction or a disjunction until one settles it. A part that is given up does not hide the others.
    fn part_by_part(
        &self,
        formula: &Ctl,
        bound_formula: &Ctl<AtomId>,
        proof: &dyn Fn(bool) -> bool,
        notes: &mut Notes,
        stats: &mut Stats,
    ) -> Result<Decided, OverBudget> {
        let Some(Parts { parts, settles, below }) = Parts::of(formula, bound_formula) else {
            return self.part(formula, bound_formula, proof, notes, stats);
        };
        let text = formula.to_string();
        let whole = |holds: bool, proofs: Vec<Proof>, stopped: Option<OverBudget>| {
            let wanted = proof(holds) && stopped.is_none() && !proofs.is_empty();
            let proof = wanted.then(|| match &below {
                None => Proof { formula: text.clone(), holds, why: Why::Operands(proofs) },
                Some(operand) => under(text.clone(), operand, holds, proofs),
            });
            Decided { holds, proof, counts: None, stopped }
        };
        let (mut proofs, mut over, mut stopped) = (Vec::new(), None, None);
        for (f, g) in parts {
            match self.part_by_part(&f, &g, proof, notes, stats) {
                Ok(decided) if decided.holds == settles => {
                    return Ok(whole(settles, decided.proof.into_iter().collect(), decided.stopped));
                }
                Ok(decided) => {
                    proofs.extend(decided.proof);
                    stopped = stopped.or(decided.stopped);
                }
                Err(limit) => {
                    over.get_or_insert(limit);
                    self.budget.step(0, limit.what)?;
                }
            }
        }
        match over {
            Some(over) => Err(over),
            None => Ok(whole(!settles, proofs, stopped)),
        }
    }

    /// Decides one part by itself: only what its own atoms see takes part.
    fn part(
        &self,
        formula: &Ctl,
        bound_formula: &Ctl<AtomId>,
        proof: &dyn Fn(bool) -> bool,
        notes: &mut Notes,
        stats: &mut Stats,
    ) -> Result<Decided, OverBudget> {
        let Self { trace, tied, options, budget, .. } = *self;
        let mut atoms: Vec<AtomId> = Vec::new();
        bound_formula.map_atoms(&mut |&atom| atoms.push(atom));
        atoms.sort_unstable();
        atoms.dedup();
        let own = bound_formula.map_atoms(&mut |atom| AtomId(atoms.binary_search(atom).unwrap_or_default() as u32));
        let bound = tied.bound.only(&atoms).map(|()| own);
        let (program, texts) = (Program::new(&bound.formula), program::texts(formula));
        let wanted = Wanted { proof, counts: false, texts: &texts };
        let mut cost = Stats::default();
        let search = CutSearch { trace, bound: &bound, program: &program, options, budget };
        let decided = at_the_empty_cut(search, &wanted, notes, &mut cost);
        stats.engine = cost.engine;
        stats.configurations += cost.configurations;
        stats.nodes += cost.nodes;
        stats.relevant_events = stats.relevant_events.max(cost.relevant_events);
        stats.width = stats.width.max(cost.width);
        decided
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
        Ok(CutSearch { trace, bound, program: &Program::new(&bound.formula), options, budget }.plan(stats)?)
    }
}

/// A formula that is settled by one of several.
struct Parts {
    /// Each as it is written and as it is tied.
    parts: Vec<(Ctl, Ctl<AtomId>)>,
    /// The value of a part that settles it.
    settles: bool,
    /// The operand, if the parts are those of an `AG` or `EF`: `AG (f && g)` is `AG f && AG g`.
    below: Option<String>,
}

impl Parts {
    fn of(formula: &Ctl, bound: &Ctl<AtomId>) -> Option<Self> {
        let zip = |fs: &[Ctl], gs: &[Ctl<AtomId>]| fs.iter().cloned().zip(gs.iter().cloned()).collect::<Vec<_>>();
        match (formula, bound) {
            (Ctl::And(fs), Ctl::And(gs)) => Some(Self { parts: zip(fs, gs), settles: false, below: None }),
            (Ctl::Or(fs), Ctl::Or(gs)) => Some(Self { parts: zip(fs, gs), settles: true, below: None }),
            (Ctl::Unary(path, op, f), Ctl::Unary(_, _, g)) => {
                let (settles, parts) = match (path, op, &**f, &**g) {
                    (Path::All, CtlUnary::Globally, Ctl::And(fs), Ctl::And(gs)) => (false, zip(fs, gs)),
                    (Path::Some, CtlUnary::Finally, Ctl::Or(fs), Ctl::Or(gs)) => (true, zip(fs, gs)),
                    _ => return None,
                };
                let with = |(f, g): (Ctl, Ctl<AtomId>)| {
                    (Ctl::Unary(*path, *op, Box::new(f)), Ctl::Unary(*path, *op, Box::new(g)))
                };
                Some(Self { parts: parts.into_iter().map(with).collect(), settles, below: Some(f.to_string()) })
            }
            _ => None,
        }
    }
}

/// The proof of `AG (f && g)` or `EF (f || g)` from those of its parts.
fn under(formula: String, operand: &str, holds: bool, proofs: Vec<Proof>) -> Proof {
    let path = proofs.into_iter().find_map(|proof| match proof.why {
        Why::Path { events, along, end: Some(end) } => Some((events, along, end)),
        _ => None,
    });
    let why = match path {
        // What shows the part at the last cut shows the operand.
        Some((events, along, end)) => {
            let end = Proof { formula: operand.to_owned(), holds, why: Why::Operands(vec![*end]) };
            Why::Path { events, along, end: Some(Box::new(end)) }
        }
        None => Why::EveryPath,
    };
    Proof { formula, holds, why }
}

/// The name of the engines that go from cut to cut.
pub(super) const EXPLICIT: &str = "explicit";

/// So many nodes a conjunction may take as a whole, and four for each event.
const EASY: u64 = 1 << 16;

/// So few cuts are swept over one by one. From about here on diagrams are faster; below they lose a few microseconds.
const FEW_CUTS: u64 = 64;

/// Cut by cut where there are few; else by regions where the shape of the formula allows it; else by diagrams.
pub(super) fn at_the_empty_cut(
    search: CutSearch<'_>,
    wanted: &Wanted<'_>,
    notes: &mut Notes,
    stats: &mut Stats,
) -> Result<Decided, OverBudget> {
    let most = match search.options.engine {
        Engine::Explicit => Some(u64::MAX),
        Engine::Auto if (search.trace.len() as u64) < FEW_CUTS => Some(FEW_CUTS),
        _ => None,
    };
    if let Some(most) = most {
        stats.engine = EXPLICIT;
        stats.relevant_events = writes(search.trace, search.bound);
        let decided = explicit::branching::decide(search, wanted, most, notes, &mut stats.configurations)?;
        if let Some(decided) = decided {
            return Ok(decided);
        }
        stats.configurations = 0;
    }
    search.decide(wanted, notes, stats)
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
