//! One word, by definition.
//!
//! This is the independent checker behind every witness: it follows docs/semantics.md clause by clause, one position
//! after another, and knows no engine. [`word`] reads the letters of a run, [`holds`] decides an LTL formula on them,
//! [`psl_decide`] a PSL formula, [`m2l_holds`] a formula of M2L on a short word, [`monitor_holds`] follows a monitor, [`on_path`] says what one path of cuts proves about a CTL formula. [`parts`] has the
//! same for every part of a property.

mod lasso;
mod lengths;
mod m2l;
pub mod parts;
mod psl;
mod sere;

pub use lasso::{ltl_on_lasso, psl_on_lasso};
pub use m2l::{M2L_STEPS, m2l_holds};
pub use psl::{psl_decide, psl_holds, psl_refuted, psl_truth, sere_ends};
pub(super) use sere::plain as plain_sere;

use super::atom::{Arith, Atom, Compare, Condition, Term};
use super::bind::{ABSENT, AtomId, Bound, Slot};
use super::ctl::{Ctl, CtlBinary, CtlUnary, Path};
use super::ltl::{Ltl, LtlBinary, LtlUnary};
use super::monitor::{Monitor, MonitorState, Otherwise};
use super::property::View;
use posetta_base::{Budget, EventId, Limit, Number, NumberError, OverBudget, Value, ValueId, VarId};
use posetta_trace::Trace;

/// What evaluation noticed on the way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// Some comparison divided by zero, and was therefore false.
    pub division_by_zero: bool,
}

/// A state and the event that led to it: what an atom is judged by.
#[derive(Clone, Copy, Debug)]
pub struct Letter<'a> {
    /// The value of each slot, those of the position before included; `None` is 0.
    pub values: &'a [Option<ValueId>],
    /// The event, if the position has one.
    pub event: Option<EventId>,
}

const TOO_LARGE: OverBudget = OverBudget::new("evaluating an atom", Limit::Digits);

/// A state: the value of each variable of a bound formula.
pub trait Values {
    /// The value of a slot.
    fn value(&self, slot: Slot) -> &Value;
}

/// A state of a trace.
struct InTrace<'a> {
    trace: &'a Trace,
    values: &'a [Option<ValueId>],
}

impl Values for InTrace<'_> {
    fn value(&self, slot: Slot) -> &Value {
        self.values[slot.0 as usize].map_or(&ABSENT, |id| self.trace.value(id))
    }
}

fn number(term: &Term<Slot>, state: &impl Values) -> Result<Result<Number, NumberError>, OverBudget> {
    let binary = |op: Arith, a: &Term<Slot>, b: &Term<Slot>| {
        let (a, b) = match (number(a, state)?, number(b, state)?) {
            (Ok(a), Ok(b)) => (a, b),
            (Err(e), _) | (_, Err(e)) => return Ok(Err(e)),
        };
        Ok(match op {
            Arith::Add => a.add(&b),
            Arith::Sub => a.sub(&b),
            Arith::Mul => a.mul(&b),
            Arith::Div => a.div(&b),
        })
    };
    let result = match term {
        Term::Number(n) => Ok(n.clone()),
        Term::Var(slot) => Ok(state.value(*slot).number().cloned().unwrap_or(Number::ZERO)),
        // Refused by the type check; a value all the same, so that nothing here can panic.
        Term::Text(..) => Ok(Number::ZERO),
        Term::Neg(t) => match number(t, state)? {
            Ok(n) => n.neg(),
            Err(e) => Err(e),
        },
        Term::Binary(op, a, b) => binary(*op, a, b)?,
    };
    if result == Err(NumberError::TooLarge) { Err(TOO_LARGE) } else { Ok(result) }
}

fn as_text<'t>(term: &'t Term<Slot>, state: &'t impl Values) -> Option<&'t str> {
    match term {
        Term::Text(t, _) => Some(t),
        Term::Var(slot) => match state.value(*slot) {
            Value::Text(t) => Some(t),
            Value::Number(_) => None,
        },
        _ => None,
    }
}

/// Whether a state of a trace satisfies a condition.
///
/// # Errors
/// When a number grows too large.
pub fn condition(
    condition: &Condition<Slot>,
    trace: &Trace,
    values: &[Option<ValueId>],
    notes: &mut Notes,
) -> Result<bool, OverBudget> {
    condition_in(condition, &InTrace { trace, values }, notes)
}

/// Whether a state satisfies a condition.
///
/// # Errors
/// When a number grows too large.
pub fn condition_in(condition: &Condition<Slot>, state: &impl Values, notes: &mut Notes) -> Result<bool, OverBudget> {
    let mut inner = |c: &Condition<Slot>| condition_in(c, state, notes);
    Ok(match condition {
        Condition::True => true,
        Condition::False => false,
        Condition::Compare(op, a, b) => match (as_text(a, state), as_text(b, state)) {
            (Some(a), Some(b)) => match op {
                Compare::Eq => a == b,
                Compare::Ne => a != b,
                _ => false,
            },
            (None, None) => match (number(a, state)?, number(b, state)?) {
                (Ok(a), Ok(b)) => match op {
                    Compare::Eq => a == b,
                    Compare::Ne => a != b,
                    Compare::Lt => a < b,
                    Compare::Le => a <= b,
                    Compare::Gt => a > b,
                    Compare::Ge => a >= b,
                },
                _ => {
                    notes.division_by_zero = true;
                    false
                }
            },
            // A quotient without a value is no number, so it does not differ from a string either.
            (text, _) => {
                let defined = number(if text.is_some() { b } else { a }, state)?.is_ok();
                notes.division_by_zero |= !defined;
                defined && *op == Compare::Ne
            }
        },
        Condition::Nonzero(t) => match number(t, state)? {
            Ok(n) => !n.is_zero(),
            Err(_) => {
                notes.division_by_zero = true;
                false
            }
        },
        Condition::Not(c) => !inner(c)?,
        Condition::And(cs) => {
            let mut all = true;
            for c in cs {
                all &= inner(c)?;
            }
            all
        }
        Condition::Or(cs) => {
            let mut any = false;
            for c in cs {
                any |= inner(c)?;
            }
            any
        }
        Condition::Implies(a, b) => {
            let (a, b) = (inner(a)?, inner(b)?);
            !a || b
        }
        Condition::Iff(a, b) => inner(a)? == inner(b)?,
    })
}

/// Whether a letter satisfies an atom. `vars` are the variables of the slots.
///
/// # Errors
/// When a number grows too large.
pub fn atom(
    atom: &Atom<Slot>,
    vars: &[Option<VarId>],
    trace: &Trace,
    letter: Letter<'_>,
    notes: &mut Notes,
) -> Result<bool, OverBudget> {
    match (atom, letter.event) {
        (Atom::State(c) | Atom::Step(c), _) => condition(c, trace, letter.values, notes),
        (_, None) => Ok(false),
        (Atom::On(c), Some(event)) => {
            let mut assigned = false;
            c.for_each_var(&mut |slot| {
                let var = vars[slot.0 as usize];
                assigned |= trace.assignments(event).iter().any(|a| Some(a.var) == var);
            });
            Ok(assigned && condition(c, trace, letter.values, notes)?)
        }
        (Atom::Event(name), Some(event)) => Ok(trace.event_name(event) == Some(name)),
        (Atom::Having(having), Some(event)) => Ok(having.found.has(trace.origin(event))),
        // Refused when the formula was bound.
        (Atom::Enabled(_), Some(_)) => Ok(false),
        (Atom::Process(name), Some(event)) => Ok(trace.is_called(trace.process(event), name)),
    }
}

/// Which atoms hold at each position of one run.
#[derive(Clone, Debug)]
pub struct Word {
    /// One row per atom, one entry per position.
    rows: Vec<Vec<bool>>,
    len: usize,
}

impl Word {
    /// The word with these rows: one per atom, with one entry per position.
    #[must_use]
    pub fn from_rows(rows: Vec<Vec<bool>>, len: usize) -> Self {
        debug_assert!(rows.iter().all(|row| row.len() == len));
        Self { rows, len }
    }

    /// How many positions there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it is the empty word.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The same from its end to its beginning.
    #[must_use]
    pub(crate) fn reversed(&self) -> Self {
        Self { rows: self.rows.iter().map(|row| row.iter().rev().copied().collect()).collect(), len: self.len }
    }

    /// Where an atom holds.
    #[must_use]
    pub fn row(&self, atom: AtomId) -> &[bool] {
        &self.rows[atom.0 as usize]
    }
}

/// The word of a run, or of the beginning of one.
///
/// # Errors
/// When the budget is spent.
pub fn word<F>(
    trace: &Trace,
    bound: &Bound<F>,
    run: &[EventId],
    view: View,
    notes: &mut Notes,
    budget: &Budget,
) -> Result<Word, OverBudget> {
    let mut slot_of = vec![None; trace.variables().len()];
    bound.slots().into_iter().for_each(|(var, slot)| slot_of[var.index()] = Some(slot));
    let slots: Vec<Vec<Slot>> = bound.atoms.iter().map(Atom::slots).collect();
    let mut values = bound.initial(trace);
    let mut assigned = vec![false; values.len()];
    let before = bound.before();
    let len = run.len() + usize::from(view == View::States);
    // Refused before it is taken.
    let _claim = budget.claim((len as u64).saturating_mul(bound.atoms.len() as u64), "replaying a run")?;
    let mut rows: Vec<Vec<bool>> = bound.atoms.iter().map(|_| Vec::with_capacity(len)).collect();
    let mut push = |values: &[Option<ValueId>], event, assigned: &[bool]| -> Result<(), OverBudget> {
        for ((row, a), slots) in rows.iter_mut().zip(&bound.atoms).zip(&slots) {
            // What a state satisfies changes with an assignment only, and `on(..)` asks for one.
            let touched = slots.iter().any(|s| assigned[s.0 as usize]);
            let truth = match (a, row.last(), touched) {
                (Atom::State(_), Some(&last), false) => last,
                (Atom::On(_), _, false) => false,
                (Atom::On(c), _, true) => condition(c, trace, values, notes)?,
                _ => atom(a, &bound.vars, trace, Letter { values, event }, notes)?,
            };
            row.push(truth);
        }
        Ok(())
    };
    if view == View::States {
        push(&values, None, &assigned)?;
    }
    for (i, &event) in run.iter().enumerate() {
        if i % 16 == 0 {
            budget.step(0, "replaying a run")?;
        }
        for (before, now) in &before {
            values[before.0 as usize] = values[now.0 as usize];
        }
        for a in trace.assignments(event) {
            if let Some(Slot(slot)) = slot_of[a.var.index()] {
                values[slot as usize] = Some(a.value);
                assigned[slot as usize] = true;
            }
        }
        // Who speaks of a variable before speaks of the variable.
        for (before, now) in &before {
            assigned[before.0 as usize] = assigned[now.0 as usize];
        }
        push(&values, Some(event), &assigned)?;
        assigned.fill(false);
    }
    Ok(Word { rows, len })
}

/// Whether the word satisfies the formula at its first position.
#[must_use]
pub fn holds(formula: &Ltl<AtomId>, word: &Word) -> bool {
    if word.is_empty() { on_empty(formula) } else { truth(formula, word)[0] }
}

/// Whether a monitor does not end in a bad state, whichever way it goes.
///
/// # Errors
/// When the budget is spent.
pub fn monitor_holds(monitor: &Monitor<AtomId>, word: &Word, budget: &Budget) -> Result<bool, OverBudget> {
    let bad = monitor.bad_states();
    let mut is_bad = false;
    follow_monitor(monitor, word, budget, |read, states| {
        is_bad = read == word.len() && states.iter().any(|s| bad[s.index()]);
    })?;
    Ok(!is_bad)
}

/// Calls `f` with the states in which a monitor can be, ascending, for each number of letters read, from none to all.
///
/// # Errors
/// When the budget is spent.
pub fn follow_monitor(
    monitor: &Monitor<AtomId>,
    word: &Word,
    budget: &Budget,
    mut f: impl FnMut(usize, &[MonitorState]),
) -> Result<(), OverBudget> {
    let edges = monitor.edges_by_state();
    let mut now = monitor.initial.clone();
    let mut next = Vec::new();
    now.sort_unstable();
    f(0, &now);
    for i in 0..word.len() {
        budget.step(0, "replaying a run")?;
        for &state in &now {
            let before = next.len();
            let taken = edges[state.index()].iter().filter(|e| e.guard.holds(&|&a| word.row(a)[i]));
            next.extend(taken.map(|e| e.to));
            if next.len() == before && monitor.otherwise == Otherwise::Stay {
                next.push(state);
            }
        }
        next.sort_unstable();
        next.dedup();
        std::mem::swap(&mut now, &mut next);
        next.clear();
        f(i + 1, &now);
    }
    Ok(())
}

/// The empty word: atoms and everything that demands a position are false.
fn on_empty(formula: &Ltl<AtomId>) -> bool {
    match formula {
        Ltl::True => true,
        Ltl::False | Ltl::Atom(_) => false,
        Ltl::Not(f) => !on_empty(f),
        Ltl::And(fs) => fs.iter().all(on_empty),
        Ltl::Or(fs) => fs.iter().any(on_empty),
        Ltl::Implies(a, b) => !on_empty(a) || on_empty(b),
        Ltl::Iff(a, b) => on_empty(a) == on_empty(b),
        Ltl::Unary(op, _) => matches!(op, LtlUnary::WeakNext | LtlUnary::Globally | LtlUnary::Historically),
        Ltl::Binary(op, ..) => matches!(op, LtlBinary::WeakUntil | LtlBinary::Release),
    }
}

/// Where the formula holds: one entry per position of a word that is not empty.
#[must_use]
pub fn truth(formula: &Ltl<AtomId>, word: &Word) -> Vec<bool> {
    truth_from(formula, word, &mut |f| truth(f, word))
}

/// The same from where its operands hold, which are asked for from left to right.
fn truth_from(formula: &Ltl<AtomId>, word: &Word, truth: &mut dyn FnMut(&Ltl<AtomId>) -> Vec<bool>) -> Vec<bool> {
    let n = word.len();
    match formula {
        Ltl::True => vec![true; n],
        Ltl::False => vec![false; n],
        Ltl::Atom(a) => word.row(*a).to_vec(),
        Ltl::Not(f) => truth(f).into_iter().map(|v| !v).collect(),
        Ltl::And(fs) => fs.iter().fold(vec![true; n], |all, f| zip(all, truth(f), |a, b| a && b)),
        Ltl::Or(fs) => fs.iter().fold(vec![false; n], |any, f| zip(any, truth(f), |a, b| a || b)),
        Ltl::Implies(a, b) => zip(truth(a), truth(b), |a, b| !a || b),
        Ltl::Iff(a, b) => zip(truth(a), truth(b), |a, b| a == b),
        Ltl::Unary(op, f) => {
            let f = truth(f);
            match op {
                LtlUnary::Next => (0..n).map(|i| i + 1 < n && f[i + 1]).collect(),
                LtlUnary::WeakNext => (0..n).map(|i| i + 1 >= n || f[i + 1]).collect(),
                LtlUnary::Yesterday => (0..n).map(|i| i > 0 && f[i - 1]).collect(),
                LtlUnary::Finally => backward(n, false, |i, later| f[i] || later),
                LtlUnary::Globally => backward(n, true, |i, later| f[i] && later),
                LtlUnary::Once => forward(n, false, |i, before| f[i] || before),
                LtlUnary::Historically => forward(n, true, |i, before| f[i] && before),
            }
        }
        Ltl::Binary(op, f, g) => {
            let (f, g) = (truth(f), truth(g));
            match op {
                LtlBinary::Until => backward(n, false, |i, later| g[i] || f[i] && later),
                LtlBinary::WeakUntil => backward(n, true, |i, later| g[i] || f[i] && later),
                LtlBinary::Release => backward(n, true, |i, later| g[i] && (f[i] || later)),
                LtlBinary::StrongRelease => backward(n, false, |i, later| g[i] && (f[i] || later)),
                LtlBinary::Since => forward(n, false, |i, before| g[i] || f[i] && before),
            }
        }
    }
}

fn zip(a: Vec<bool>, b: Vec<bool>, f: fn(bool, bool) -> bool) -> Vec<bool> {
    a.into_iter().zip(b).map(|(a, b)| f(a, b)).collect()
}

fn backward(n: usize, past_the_end: bool, f: impl Fn(usize, bool) -> bool) -> Vec<bool> {
    let mut row = vec![false; n];
    let mut later = past_the_end;
    for i in (0..n).rev() {
        later = f(i, later);
        row[i] = later;
    }
    row
}

fn forward(n: usize, before_the_start: bool, f: impl Fn(usize, bool) -> bool) -> Vec<bool> {
    let mut before = before_the_start;
    (0..n)
        .map(|i| {
            before = f(i, before);
            before
        })
        .collect()
}

/// What one path of cuts from the empty cut proves about a CTL formula at the empty cut: true, false, or neither.
///
/// A path can prove `E…` true and `A…` false; the other two need every path. `word` is the path's word over states, and
/// `complete` says that it ends at the full cut. Truth values are Kleene's.
#[must_use]
pub fn on_path(formula: &Ctl<AtomId>, word: &Word, complete: bool) -> Option<bool> {
    path_truth(formula, word, complete)[0]
}

/// True, false, or neither is known.
type Kleene = Option<bool>;

fn and(a: Kleene, b: Kleene) -> Kleene {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

fn not(a: Kleene) -> Kleene {
    a.map(|v| !v)
}

fn or(a: Kleene, b: Kleene) -> Kleene {
    not(and(not(a), not(b)))
}

fn path_truth(formula: &Ctl<AtomId>, word: &Word, complete: bool) -> Vec<Kleene> {
    path_truth_from(formula, word, complete, &mut |f| path_truth(f, word, complete))
}

/// The same from what is known of its operands, which are asked for from left to right.
fn path_truth_from(
    formula: &Ctl<AtomId>,
    word: &Word,
    complete: bool,
    of: &mut dyn FnMut(&Ctl<AtomId>) -> Vec<Kleene>,
) -> Vec<Kleene> {
    let n = word.len();
    let join = |a: Vec<Kleene>, b: Vec<Kleene>, join: fn(Kleene, Kleene) -> Kleene| -> Vec<Kleene> {
        a.into_iter().zip(b).map(|(a, b)| join(a, b)).collect()
    };
    match formula {
        Ctl::True => vec![Some(true); n],
        Ctl::False => vec![Some(false); n],
        Ctl::Atom(a) => word.row(*a).iter().map(|&v| Some(v)).collect(),
        Ctl::Not(f) => of(f).into_iter().map(not).collect(),
        Ctl::And(fs) => fs.iter().map(of).reduce(|a, b| join(a, b, and)).unwrap_or_default(),
        Ctl::Or(fs) => fs.iter().map(of).reduce(|a, b| join(a, b, or)).unwrap_or_default(),
        Ctl::Implies(a, b) => join(of(a), of(b), |a, b| or(not(a), b)),
        Ctl::Iff(a, b) => join(of(a), of(b), |a, b| Some(a? == b?)),
        Ctl::Unary(path, CtlUnary::Next, f) => {
            let f = of(f);
            let seen = |i: usize| match (path, f[i + 1]) {
                (Path::Some, Some(true)) => Some(true),
                (Path::All, Some(false)) => Some(false),
                _ => None,
            };
            // At the full cut EX is false and AX is true, whatever f is.
            let end = complete.then_some(*path == Path::All);
            (0..n).map(|i| if i + 1 < n { seen(i) } else { end }).collect()
        }
        Ctl::Unary(path, CtlUnary::Finally, f) => {
            let f = of(f);
            quantify(*path, n, complete, Some(false), |i, later| or(f[i], later))
        }
        Ctl::Unary(path, CtlUnary::Globally, f) => {
            let f = of(f);
            quantify(*path, n, complete, Some(true), |i, later| and(f[i], later))
        }
        Ctl::Binary(path, op, f, g) => {
            let (f, g) = (of(f), of(g));
            match op {
                CtlBinary::Until => quantify(*path, n, complete, Some(false), |i, later| or(g[i], and(f[i], later))),
                CtlBinary::WeakUntil => quantify(*path, n, complete, Some(true), |i, later| or(g[i], and(f[i], later))),
                CtlBinary::Release => quantify(*path, n, complete, Some(true), |i, later| and(g[i], or(f[i], later))),
            }
        }
    }
}

/// From the truth along this path to the truth over paths. `step` gives the truth at a position from that at the next
/// one; `end` stands behind the full cut.
fn quantify(path: Path, n: usize, complete: bool, end: Kleene, step: impl Fn(usize, Kleene) -> Kleene) -> Vec<Kleene> {
    let mut later = if complete { end } else { None };
    let mut row = vec![None; n];
    for i in (0..n).rev() {
        let at_full_cut = complete && i + 1 == n;
        let along = step(i, later);
        // Decided here, whatever comes: then it is so on every path.
        let at_once = if at_full_cut { along } else { step(i, None) };
        row[i] = match (at_once, along, path) {
            (Some(v), ..) => Some(v),
            (None, Some(true), Path::Some) => Some(true),
            (None, Some(false), Path::All) => Some(false),
            _ => None,
        };
        later = along;
    }
    row
}
