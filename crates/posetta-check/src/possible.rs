//! What can be true at all: for each part of a formula, whether it may be true at some position of some order, and whether it may be
//! false at one.
//!
//! The answer is too generous, never too strict: what cannot be true here is true nowhere. It takes one look at the formula and one
//! at the run, so it comes before any search.

use rustc_hash::{FxHashMap, FxHashSet};

use posetta_base::{ValueId, VarId};
use posetta_logic::eval::{self, Notes};
use posetta_logic::{
    Atom, AtomId, Bound, Condition, Ctl, CtlBinary, CtlUnary, Guard, Ltl, LtlBinary, LtlUnary, Path, Psl, PslUnary,
    Sere, SereOp, Slot, Suffix,
};
use posetta_trace::Trace;

/// Variables that take more values than this are not looked at one value after the other.
const MOST_VALUES: usize = 10_000;

/// Which truth values something may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Truth {
    /// It may be true.
    pub(super) yes: bool,
    /// It may be false.
    pub(super) no: bool,
}

impl Truth {
    /// It may be either.
    pub(super) const ANY: Self = Self { yes: true, no: true };

    fn constant(value: bool) -> Self {
        Self { yes: value, no: !value }
    }

    fn not(self) -> Self {
        Self { yes: self.no, no: self.yes }
    }

    fn and(self, other: Self) -> Self {
        Self { yes: self.yes && other.yes, no: self.no || other.no }
    }

    fn or(self, other: Self) -> Self {
        self.not().and(other.not()).not()
    }

    fn all(parts: impl Iterator<Item = Self>) -> Self {
        parts.fold(Self::constant(true), Self::and)
    }

    fn any(parts: impl Iterator<Item = Self>) -> Self {
        parts.fold(Self::constant(false), Self::or)
    }

    fn implies(self, other: Self) -> Self {
        self.not().or(other)
    }

    fn iff(self, other: Self) -> Self {
        self.implies(other).and(other.implies(self))
    }
}

/// The values that a variable takes.
#[derive(Debug, Default)]
struct Values {
    initial: Option<ValueId>,
    assigned: FxHashSet<ValueId>,
}

/// The truth of the atoms of a bound formula.
pub(super) struct Possible {
    /// One for each atom.
    pub(super) atoms: Vec<Truth>,
    values: FxHashMap<VarId, Values>,
}

impl Possible {
    pub(super) fn new<F>(trace: &Trace, bound: &Bound<F>) -> Self {
        let mut values: FxHashMap<VarId, Values> = FxHashMap::default();
        for &var in bound.vars.iter().flatten() {
            values.insert(var, Values { initial: Some(trace.initial(var)), assigned: FxHashSet::default() });
        }
        let asks_for_names = bound.atoms.iter().any(|atom| matches!(atom, Atom::Event(_)));
        let mut names: FxHashSet<&str> = FxHashSet::default();
        for event in trace.events() {
            names.extend(trace.event_name(event).filter(|_| asks_for_names));
            for a in trace.assignments(event) {
                if let Some(values) = values.get_mut(&a.var).filter(|v| v.assigned.len() <= MOST_VALUES) {
                    values.assigned.insert(a.value);
                }
            }
        }
        let comes = |yes: bool| Truth { yes, no: true };
        let mut possible = Self { atoms: Vec::new(), values };
        possible.atoms = bound
            .atoms
            .iter()
            .map(|atom| match atom {
                Atom::State(c) => possible.condition(trace, bound, c, true),
                Atom::Step(_) => Truth::ANY,
                Atom::On(_) if atom.slots().iter().any(|&slot| bound.now(slot) != slot) => comes(true),
                Atom::Having(having) => comes(trace.events().any(|event| having.found.has(trace.origin(event)))),
                Atom::On(c) => comes(possible.condition(trace, bound, c, false).yes),
                Atom::Event(name) => comes(names.contains(name.as_str())),
                Atom::Process(name) => {
                    comes(trace.processes().any(|p| trace.is_called(p, name) && !trace.chain(p).is_empty()))
                }
                Atom::Enabled(_) => Truth::ANY,
            })
            .collect();
        possible
    }

    /// A condition on one variable with every value that it takes, at the start, too, or only those that events assign.
    fn condition<F>(&self, trace: &Trace, bound: &Bound<F>, condition: &Condition<Slot>, at_start: bool) -> Truth {
        let mut slots = Vec::new();
        condition.for_each_var(&mut |&slot| slots.push(slot));
        slots.dedup();
        let mut state = bound.initial(trace);
        let slot = match slots.as_slice() {
            [] => None,
            [slot] => Some(slot.0 as usize),
            _ => return Truth::ANY,
        };
        let known = slot.and_then(|slot| bound.vars[slot]).and_then(|var| self.values.get(&var));
        let mut truth = Truth { yes: false, no: false };
        let mut add = |state: &[Option<ValueId>]| match eval::condition(condition, trace, state, &mut Notes::default())
        {
            Ok(true) => truth.yes = true,
            Ok(false) => truth.no = true,
            Err(_) => truth = Truth::ANY,
        };
        if at_start || known.is_none() {
            add(&state);
        }
        if let (Some(slot), Some(values)) = (slot, known) {
            if values.assigned.len() > MOST_VALUES {
                return Truth::ANY;
            }
            for &value in &values.assigned {
                state[slot] = Some(value);
                add(&state);
            }
        }
        truth
    }

    /// The values of a variable, in no order: the one at the start and those that are assigned. `None` if they are too many to tell.
    pub(super) fn values_of(&self, var: VarId) -> Option<Vec<ValueId>> {
        let values = self.values.get(&var).filter(|v| v.assigned.len() <= MOST_VALUES)?;
        let more = values.assigned.iter().copied().filter(|v| Some(*v) != values.initial);
        Some(values.initial.into_iter().chain(more).collect())
    }
}

/// A formula of LTL, from its atoms.
pub(super) fn ltl(formula: &Ltl<AtomId>, atoms: &[Truth]) -> Truth {
    let of = |f: &Ltl<AtomId>| ltl(f, atoms);
    match formula {
        Ltl::True => Truth::constant(true),
        Ltl::False => Truth::constant(false),
        Ltl::Atom(atom) => atoms[atom.0 as usize],
        Ltl::Not(f) => of(f).not(),
        Ltl::And(fs) => Truth::all(fs.iter().map(of)),
        Ltl::Or(fs) => Truth::any(fs.iter().map(of)),
        Ltl::Implies(f, g) => of(f).implies(of(g)),
        Ltl::Iff(f, g) => of(f).iff(of(g)),
        Ltl::Unary(op, f) => {
            let f = of(f);
            match op {
                LtlUnary::Finally | LtlUnary::Globally | LtlUnary::Once | LtlUnary::Historically => f,
                // At the last position, or at the first one.
                LtlUnary::Next | LtlUnary::Yesterday => Truth { no: true, ..f },
                LtlUnary::WeakNext => Truth { yes: true, ..f },
            }
        }
        Ltl::Binary(op, f, g) => {
            let (f, g) = (of(f), of(g));
            match op {
                LtlBinary::Until | LtlBinary::Since | LtlBinary::Release => g,
                LtlBinary::WeakUntil => f.or(g),
                LtlBinary::StrongRelease => f.and(g),
            }
        }
    }
}

/// A formula of CTL, from its atoms.
pub(super) fn ctl(formula: &Ctl<AtomId>, atoms: &[Truth]) -> Truth {
    let of = |f: &Ctl<AtomId>| ctl(f, atoms);
    match formula {
        Ctl::True => Truth::constant(true),
        Ctl::False => Truth::constant(false),
        Ctl::Atom(atom) => atoms[atom.0 as usize],
        Ctl::Not(f) => of(f).not(),
        Ctl::And(fs) => Truth::all(fs.iter().map(of)),
        Ctl::Or(fs) => Truth::any(fs.iter().map(of)),
        Ctl::Implies(f, g) => of(f).implies(of(g)),
        Ctl::Iff(f, g) => of(f).iff(of(g)),
        Ctl::Unary(_, CtlUnary::Finally | CtlUnary::Globally, f) => of(f),
        // At the full cut.
        Ctl::Unary(Path::Some, CtlUnary::Next, f) => Truth { no: true, ..of(f) },
        Ctl::Unary(Path::All, CtlUnary::Next, f) => Truth { yes: true, ..of(f) },
        Ctl::Binary(_, CtlBinary::Until | CtlBinary::Release, _, g) => of(g),
        Ctl::Binary(_, CtlBinary::WeakUntil, f, g) => of(f).or(of(g)),
    }
}

/// A formula of PSL, from its atoms. What may end in the middle of something is taken to be either.
pub(super) fn psl(formula: &Psl<AtomId>, atoms: &[Truth]) -> Truth {
    let of = |f: &Psl<AtomId>| psl(f, atoms);
    let may_match = |r: &Sere<AtomId>| sere(r, atoms);
    match formula {
        Psl::Bool(b) => guard(b, atoms),
        Psl::Not(f) => of(f).not(),
        Psl::And(fs) => Truth::all(fs.iter().map(of)),
        Psl::Or(fs) => Truth::any(fs.iter().map(of)),
        Psl::Implies(f, g) => of(f).implies(of(g)),
        Psl::Iff(f, g) => of(f).iff(of(g)),
        Psl::Unary(PslUnary::Globally | PslUnary::Finally, f) => of(f),
        Psl::Never(r) => Truth { yes: true, no: may_match(r) },
        Psl::Eventually(r) | Psl::Sere { sere: r, strong: true } => Truth { yes: may_match(r), no: true },
        Psl::Suffix(Suffix::Overlapping | Suffix::After, r, f) => Truth { yes: true, no: may_match(r) && of(f).no },
        Psl::Suffix(Suffix::Some, r, f) => Truth { yes: may_match(r) && of(f).yes, no: true },
        Psl::Unary(PslUnary::Next | PslUnary::StrongNext, _)
        | Psl::NextTimes { .. }
        | Psl::Binary(..)
        | Psl::Sere { strong: false, .. }
        | Psl::Abort(..) => Truth::ANY,
    }
}

fn guard(guard: &Guard<AtomId>, atoms: &[Truth]) -> Truth {
    let of = |g: &Guard<AtomId>| self::guard(g, atoms);
    match guard {
        Guard::True => Truth::constant(true),
        Guard::False => Truth::constant(false),
        Guard::Atom(atom) => atoms[atom.0 as usize],
        Guard::Not(g) => of(g).not(),
        Guard::And(gs) => Truth::all(gs.iter().map(of)),
        Guard::Or(gs) => Truth::any(gs.iter().map(of)),
        Guard::Implies(g, h) => of(g).implies(of(h)),
        Guard::Iff(g, h) => of(g).iff(of(h)),
    }
}

/// Whether a SERE may match anything.
fn sere(sere: &Sere<AtomId>, atoms: &[Truth]) -> bool {
    let of = |r: &Sere<AtomId>| self::sere(r, atoms);
    match sere {
        Sere::Bool(b) => guard(b, atoms).yes,
        Sere::Chain(SereOp::Or, parts) => parts.iter().any(of),
        Sere::Chain(_, parts) => parts.iter().all(of),
        Sere::Repeat(r, times) => times.min == 0 || of(r),
        Sere::Goto(b, times) | Sere::Occur(b, times) => times.min == 0 || guard(b, atoms).yes,
    }
}
