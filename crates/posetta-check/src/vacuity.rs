//! Whether a property that holds asked for anything: which of its [triggers](posetta_logic::Trigger) never come.
//!
//! Each trigger has a formula that holds exactly if it never comes. Three looks, the cheap ones first: what can be true at all
//! ([`possible`](super::possible)), the trace's own order, and last the engine, which may do about as much work as the verdict took.
//! What is not known then is not told.

use super::branching::at_the_empty_cut;
use super::cuts::{CutSearch, Wanted};
use super::linear::{self, RunSearch, Until};
use super::possible::{self, Possible, Truth};
use super::program::Program;
use super::tie::{Tied, TiedBranching, tie};
use super::{Options, Stats};
use posetta_base::{Budget, Diagnostic, Kind, OverBudget, Subject, Value};
use posetta_compile::Linear;
use posetta_logic::eval::{self, Notes};
use posetta_logic::{Atom, AtomId, Bound, Ctl, Formula, Having, Ltl, Property, Psl, Role, Trigger, View};
use posetta_trace::Trace;

/// The engine may try so many configurations, even if the verdict took none.
const FLOOR: u64 = 4_096;

/// To lay out a search costs about as much as a configuration for so many events.
const LAYING_OUT: u64 = 16;

/// So much memory may be taken by sets of cuts.
const BYTES: u64 = 64 << 20;

/// So many values of a variable are listed.
const LISTED: usize = 6;

/// What is known of the triggers of a property.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Vacuity {
    /// One for each trigger that never comes.
    pub warnings: Vec<Diagnostic>,
    /// Of every other trigger it is known that it comes. `false` if a limit was reached first.
    pub complete: bool,
}

/// For each trigger that never comes in a run on which the property holds, a warning. `stats` are those of the verdict.
///
/// A trigger that cannot come because of an event that the property's file declares is not told: somebody has said that it
/// may be absent. A limit makes the answer shorter.
pub(super) fn vacuity(
    trace: &Trace,
    property: &Property,
    options: &Options,
    stats: &Stats,
    budget: &Budget,
) -> Vacuity {
    let mut found = Vacuity { warnings: Vec::new(), complete: true };
    // Of a run without events there is nothing more to say.
    if trace.is_empty() || property.triggers.is_empty() {
        return found;
    }
    if let Some(look) = Look::new(trace, property, &options.known_elsewhere) {
        // Past a limit what was found by then is true all the same.
        found.complete &= look.warnings(options, stats, budget, &mut found).is_ok();
    }
    found
}

/// The formulas of the triggers, bound together.
struct Look<'a> {
    trace: &'a Trace,
    property: &'a Property,
    known_elsewhere: &'a [String],
    bound: Bound<Vec<Never>>,
    possible: Possible,
    /// What may be true if events that are declared come, though none does.
    declared: Vec<Truth>,
    /// The same for all names that no event has.
    named: Vec<Truth>,
}

/// What holds if a trigger never comes.
enum Never {
    Linear(View, Linear),
    Ctl(Ctl<AtomId>),
}

impl Never {
    fn truth(&self, atoms: &[Truth]) -> Truth {
        match self {
            Self::Linear(_, Linear::Ltl(formula)) => possible::ltl(formula, atoms),
            Self::Linear(_, Linear::Psl(formula)) => possible::psl(formula, atoms),
            Self::Linear(_, Linear::Monitor(_)) => Truth::ANY,
            Self::Ctl(formula) => possible::ctl(formula, atoms),
        }
    }

    fn atoms(&self) -> Vec<AtomId> {
        let mut atoms = Vec::new();
        let mut add = |&atom: &AtomId| atoms.push(atom);
        match self {
            Self::Linear(_, Linear::Ltl(formula)) => drop(formula.map_atoms(&mut add)),
            Self::Linear(_, Linear::Psl(formula)) => drop(formula.map_atoms(&mut add)),
            Self::Linear(_, Linear::Monitor(_)) => {}
            Self::Ctl(formula) => drop(formula.map_atoms(&mut add)),
        }
        atoms
    }
}

impl<'a> Look<'a> {
    /// `None` if the formulas do not fit the run; then the property does not either.
    fn new(trace: &'a Trace, property: &'a Property, known_elsewhere: &'a [String]) -> Option<Self> {
        let bound = bind(trace, property, known_elsewhere)?;
        let possible = Possible::new(trace, &bound);
        let absent = |atom: &Atom<_>, truth: &Truth| {
            !truth.yes && matches!(atom, Atom::Event(_) | Atom::Process(_) | Atom::Having(_))
        };
        let is_declared = |atom: &Atom<_>| match atom {
            Atom::Event(name) | Atom::Having(Having { name: Some(name), .. }) => {
                property.declared_events.contains(name)
            }
            _ => false,
        };
        let assume = |which: &dyn Fn(&Atom<_>) -> bool| {
            let each = bound.atoms.iter().zip(&possible.atoms);
            each.map(|(atom, t)| if absent(atom, t) && which(atom) { Truth::ANY } else { *t }).collect()
        };
        let (declared, named) = (assume(&is_declared), assume(&|_| true));
        Some(Self { trace, property, known_elsewhere, bound, possible, declared, named })
    }

    fn warnings(
        &self,
        options: &Options,
        stats: &Stats,
        budget: &Budget,
        found: &mut Vacuity,
    ) -> Result<(), OverBudget> {
        let view = self.property.formula.view().unwrap_or_default();
        let mut notes = Notes::default();
        let mut own_order = None;
        let events = self.trace.len() as u64;
        let mut left = stats.configurations + stats.covered + FLOOR + 4 * (events / LAYING_OUT);
        let mut never_comes = vec![false; self.bound.formula.len()];
        for (place, (trigger, never)) in self.property.triggers.iter().zip(&self.bound.formula).enumerate() {
            if trigger.within.is_some_and(|scope| never_comes[scope]) {
                never_comes[place] = true;
                continue;
            }
            if never.truth(&self.possible.atoms).no {
                let word = match &mut own_order {
                    Some(word) => word,
                    none => {
                        let run = self.trace.linearisation();
                        none.insert(eval::word(self.trace, &self.bound, run, view, &mut notes, budget)?)
                    }
                };
                let open = match never {
                    Never::Linear(_, formula) => formula.holds(word, budget)?,
                    Never::Ctl(formula) => eval::on_path(formula, word, true) != Some(false),
                };
                let cost = 1 + events / LAYING_OUT;
                if !open {
                    continue;
                }
                let answer = match left.checked_sub(cost) {
                    Some(rest) => {
                        left = rest;
                        self.by_engine(trigger, never, options, &mut left, stats, budget)?
                    }
                    None => None,
                };
                found.complete &= answer.is_some();
                if answer != Some(true) {
                    continue;
                }
            }
            never_comes[place] = true;
            if !self.is_expected(never) {
                found.warnings.push(self.warning(place, trigger, never));
            }
        }
        Ok(())
    }

    /// Whether no order has the trigger, given that the trace's own order has not. `None` if that takes too much work.
    fn by_engine(
        &self,
        trigger: &Trigger,
        never: &Never,
        options: &Options,
        left: &mut u64,
        stats: &Stats,
        budget: &Budget,
    ) -> Result<Option<bool>, OverBudget> {
        let (trace, bound) = (self.trace, &self.bound);
        // One order there is, and it was looked at; a path by itself may leave CTL open.
        if trace.len() < 2 && matches!(never, Never::Linear(..)) {
            return Ok(Some(true));
        }
        let mut notes = Notes::default();
        let mut cost = Stats::default();
        let options = &Options { threads: options.threads, ..Options::default() };
        let answer = match never {
            Never::Linear(view, formula) => {
                let (atoms, vars, kinds) = (bound.atoms.clone(), bound.vars.clone(), bound.kinds.clone());
                let bound = Bound { formula: formula.clone(), atoms, vars, kinds, warnings: Vec::new() };
                let parts = linear::parts(&bound, true);
                let until = Until::Tried((*left).max(1));
                let search = RunSearch { trace, bound: &bound, view: *view, until, options, budget };
                let found = search.find(parts, &mut notes, &mut cost);
                *left = left.saturating_sub(cost.configurations + cost.covered);
                found.map(|run| run.is_none())
            }
            Never::Ctl(_) => {
                // By itself, so that only what its own atoms see takes part.
                let tied = tie(self.property, &trigger.never, trace, self.known_elsewhere);
                let Ok(Tied::Branching(TiedBranching { bound, .. })) = tied else { return Ok(None) };
                let part =
                    budget.part(BYTES, (*left).saturating_add(stats.nodes.saturating_mul(16)).saturating_mul(64));
                let wanted = Wanted { proof: &|_| false, counts: false, texts: &[] };
                let program = Program::new(&bound.formula);
                let search = CutSearch { trace, bound: &bound, program: &program, options, budget: &part };
                at_the_empty_cut(search, &wanted, &mut notes, &mut cost).map(|decided| decided.holds)
            }
        };
        match answer {
            Ok(answer) => Ok(Some(answer)),
            // If the whole budget is spent, it says so once more.
            Err(over) => budget.step(0, over.what).map(|()| None),
        }
    }

    /// Whether the trigger could come if events came that are declared and do not.
    fn is_expected(&self, never: &Never) -> bool {
        let mentions = never.atoms().iter().any(|atom| {
            let at = atom.0 as usize;
            self.declared[at] != self.possible.atoms[at]
        });
        mentions && never.truth(&self.declared).no
    }

    /// The names that no event has, if they are the reason why the trigger cannot come.
    fn lacks(&self, never: &Never) -> Vec<&Diagnostic> {
        if never.truth(&self.possible.atoms).no || !never.truth(&self.named).no {
            return Vec::new();
        }
        let atoms = never.atoms();
        let mentions = |subject: &Subject| {
            atoms.iter().any(|atom| match (&self.bound.atoms[atom.0 as usize], subject) {
                (Atom::Event(name) | Atom::Having(Having { name: Some(name), .. }), Subject::Event(lacking)) => {
                    name == lacking
                }
                (Atom::Process(name), Subject::Process(lacking)) => name == lacking,
                _ => false,
            })
        };
        let about = |w: &&Diagnostic| w.kind == Kind::NeverOccurs && w.subject().is_some_and(mentions);
        self.bound.warnings.iter().filter(about).collect()
    }

    fn warning(&self, place: usize, trigger: &Trigger, never: &Never) -> Diagnostic {
        let lacks = self.lacks(never);
        let message = message(trigger, self.trace.has_state_records());
        let warning = self.property.mistake(Kind::Vacuous, trigger.span, message);
        let subjects = lacks.iter().filter_map(|w| w.subject().cloned()).collect();
        let mut warning = warning.about(Subject::Trigger { place, lacks: subjects }, None);
        let lacking = lacks.first().and_then(|w| Some((w.subject()?.named()?, w.help.as_deref())));
        warning.help = match lacking {
            Some(((sort, name), advice)) => {
                let advice = advice.map_or(String::new(), |advice| format!("; {advice}"));
                Some(format!("no {sort} of this run is called `{name}`{advice}"))
            }
            None => self.values(never),
        };
        warning
    }

    /// For a condition on one variable that no value satisfies: the values.
    fn values(&self, never: &Never) -> Option<String> {
        let (trace, bound) = (self.trace, &self.bound);
        let is_false = |atom: &&AtomId| !self.possible.atoms[atom.0 as usize].yes;
        let atoms = never.atoms();
        let slots = atoms.iter().filter(is_false).map(|atom| bound.atoms[atom.0 as usize].slots());
        let var = slots.filter(|slots| slots.len() == 1).find_map(|slots| bound.vars[slots[0].0 as usize])?;
        let mut values: Vec<&Value> = self.possible.values_of(var)?.into_iter().map(|v| trace.value(v)).collect();
        values.sort_by_cached_key(|value| match value {
            Value::Number(n) => (Some(n.clone()), String::new()),
            Value::Text(text) => (None, text.clone()),
        });
        let more = values.len().saturating_sub(LISTED);
        let mut shown: Vec<String> = values.iter().take(LISTED).map(|value| value.to_string()).collect();
        if more > 0 {
            shown.push(format!("and {more} more"));
        }
        let name = trace.variable_name(var);
        Some(match values.len() {
            1 => format!("`{name}` is {} throughout this run", shown[0]),
            _ => format!("the values of `{name}` in this run are {}", shown.join(", ")),
        })
    }
}

/// The formulas of all triggers over the variables of the trace.
fn bind(trace: &Trace, property: &Property, known_elsewhere: &[String]) -> Option<Bound<Vec<Never>>> {
    let all = Formula::all_of(property.triggers.iter().map(|trigger| &trigger.never))?;
    match tie(property, &all, trace, known_elsewhere).ok()? {
        Tied::Linear(tied) => {
            let view = tied.view;
            let bound = tied.into_bound()?;
            Some(bound.map(|all| match all {
                Linear::Ltl(Ltl::And(all)) => all.into_iter().map(|f| Never::Linear(view, Linear::Ltl(f))).collect(),
                Linear::Psl(Psl::And(all)) => all.into_iter().map(|f| Never::Linear(view, Linear::Psl(f))).collect(),
                one => vec![Never::Linear(view, one)],
            }))
        }
        Tied::Branching(tied) => Some(tied.bound.map(|all| match all {
            Ctl::And(all) => all.into_iter().map(Never::Ctl).collect(),
            one => vec![Never::Ctl(one)],
        })),
    }
}

fn message(trigger: &Trigger, one_order: bool) -> String {
    let place = if one_order { "in this run" } else { "in any order of this run" };
    let text = &trigger.text;
    match trigger.role {
        Role::Condition => format!("`{text}` is never true {place}, so this implication asks for nothing"),
        Role::Sere => format!("`{text}` never matches {place}, so what stands behind it is never asked for"),
        Role::Stimulus { pattern, scoped, chain } => {
            let within = if scoped { " in its scope" } else { "" };
            let (come, in_turn) = if chain { ("come", " one after the other") } else { ("comes", "") };
            format!("`{text}` never {come}{in_turn}{within} {place}, so `{pattern}` asks for nothing")
        }
        Role::Before => format!("`{text}` never comes {place}, so nothing is asked before it"),
        Role::After => format!("no scope after `{text}` opens {place}, so this pattern asks for nothing"),
        Role::Between => format!("no scope between `{text}` opens {place}, so this pattern asks for nothing"),
    }
}
