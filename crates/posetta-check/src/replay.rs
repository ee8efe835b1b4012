//! Proofs of CTL engines, by definition.
//!
//! [`proof_stands`] walks the formula and its [`Proof`] in parallel and trusts no engine: paths are taken event by event, states are
//! evaluated by [`logic::eval`](posetta_logic::eval), and what a path shows about an operator is said once, in [`asked_of`]. Two
//! things are taken on trust, because no path shows them: [`Why::EveryPath`], and what an operand with temporal operators is
//! on the way (its value at the end is proved). [`proves`] says whether there are any.
//!
//! A branch of a proof starts with the [`At`] of the node it belongs to; only paths copy it. So a replay takes time linear in the
//! paths and in the edges to their events, and in the formula for each node of the proof.

use rustc_hash::FxHashMap;

use super::proof::{Proof, Why};
use posetta_base::{Budget, EventId, OverBudget, ValueId};
use posetta_logic::eval::{self, Letter, Notes};
use posetta_logic::{AtomId, Bound, Ctl, CtlBinary, CtlUnary, Path, Slot, parse_ctl};
use posetta_trace::Trace;

const WHAT: &str = "replaying a proof";

/// Whether a proof shows that a formula has the value it names at the empty cut. `bound` is the formula tied to the trace, on
/// which no two writes of different values to its variables may be unordered.
///
/// # Errors
/// When the budget is spent.
pub fn proof_stands(
    trace: &Trace,
    formula: &Ctl,
    bound: &Bound<Ctl<AtomId>>,
    proof: &Proof,
    budget: &Budget,
) -> Result<bool, OverBudget> {
    if proof.formula != formula.to_string() {
        return Ok(false);
    }
    let mut slot_of = vec![None; trace.variables().len()];
    bound.slots().into_iter().for_each(|(var, slot)| slot_of[var.index()] = Some(slot));
    let mut atoms_of = vec![Vec::new(); bound.vars.len()];
    for (i, atom) in bound.atoms.iter().enumerate() {
        atom.slots().into_iter().for_each(|slot| atoms_of[slot.0 as usize].push(i));
    }
    let mut start = At {
        counts: vec![0; trace.process_count()],
        len: 0,
        values: bound.initial(trace),
        truths: vec![None; bound.atoms.len()],
        changes: 0,
    };
    Replay { trace, bound, slot_of, atoms_of, budget }.stands(formula, &bound.formula, proof, &mut start)
}

/// Whether a proof that stands takes nothing on trust: it has no [`Why::EveryPath`], and no operand with temporal operators
/// is said to keep its value on a path.
#[must_use]
pub fn proves(proof: &Proof) -> bool {
    match &proof.why {
        Why::State => true,
        Why::Operands(operands) => operands.iter().all(proves),
        Why::Path { along, end, .. } => {
            let evident = |(text, _): &(String, bool)| parse_ctl(text).is_ok_and(|f| !is_temporal(&f));
            along.as_ref().is_none_or(evident) && end.as_deref().is_none_or(proves)
        }
        Why::EveryPath => false,
    }
}

/// Whether a temporal operator occurs.
fn is_temporal<A>(formula: &Ctl<A>) -> bool {
    matches!(formula, Ctl::Unary(..) | Ctl::Binary(..)) || operands(formula).into_iter().any(is_temporal)
}

/// The operands, from left to right.
fn operands<A>(formula: &Ctl<A>) -> Vec<&Ctl<A>> {
    match formula {
        Ctl::True | Ctl::False | Ctl::Atom(_) => Vec::new(),
        Ctl::Not(f) | Ctl::Unary(_, _, f) => vec![f],
        Ctl::And(fs) | Ctl::Or(fs) => fs.iter().collect(),
        Ctl::Implies(f, g) | Ctl::Iff(f, g) | Ctl::Binary(_, _, f, g) => vec![f, g],
    }
}

/// What one path has to show so that `E…` holds, or `A…` does not. Operands are 0 and 1.
struct Asked {
    /// The operand that has a value on the way, and whether it has it at the last cut, too, when something is reached there.
    along: Option<(usize, bool, Cover)>,
    /// The operand that has a value at the last cut.
    end: (usize, bool),
    /// What may be missing or must not be there.
    may: May,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Cover {
    ButLast,
    Last,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum May {
    /// One step, to where the end shows.
    StepOnce,
    /// To where the end shows.
    Reach,
    /// The same, or on to the full cut without it.
    ReachOrFinish,
    /// To the full cut, whether or not the end is shown apart.
    Finish,
}

/// The table of operators, from the definition along one path. `E…` that holds has a path like that; a path that refutes `A…` is
/// one of the negation: `X`, `F` and `G` are dual to `X`, `G` and `F`; `!(f U g)` keeps `!g` up to and including `!f`, which need not
/// come before the full cut; `!(f W g)` the same, and it comes; `!(f R g)` has `!f` until `!g`, which comes.
fn asked_of<A>(formula: &Ctl<A>) -> Option<Asked> {
    match formula {
        Ctl::Unary(path, op, _) => Some(unary(*op, *path == Path::Some)),
        Ctl::Binary(path, op, ..) => Some(binary(*op, *path == Path::Some)),
        _ => None,
    }
}

fn unary(op: CtlUnary, holds: bool) -> Asked {
    let end = (0, holds);
    match (op, holds) {
        (CtlUnary::Next, _) => Asked { along: None, end, may: May::StepOnce },
        (CtlUnary::Finally, true) | (CtlUnary::Globally, false) => Asked { along: None, end, may: May::Reach },
        (CtlUnary::Globally, true) | (CtlUnary::Finally, false) => {
            Asked { along: Some((0, holds, Cover::ButLast)), end, may: May::Finish }
        }
    }
}

fn binary(op: CtlBinary, holds: bool) -> Asked {
    let (first, second) = (0, 1);
    let (along, cover, end, may) = match (op, holds) {
        (CtlBinary::Until, true) => (first, Cover::ButLast, second, May::Reach),
        (CtlBinary::WeakUntil, true) => (first, Cover::ButLast, second, May::ReachOrFinish),
        (CtlBinary::Release, true) => (second, Cover::Last, first, May::ReachOrFinish),
        (CtlBinary::Until, false) => (second, Cover::Last, first, May::ReachOrFinish),
        (CtlBinary::WeakUntil, false) => (second, Cover::Last, first, May::Reach),
        (CtlBinary::Release, false) => (first, Cover::ButLast, second, May::Reach),
    };
    Asked { along: Some((along, holds, cover)), end: (end, holds), may }
}

/// A cut of the trace and what is known there.
#[derive(Clone)]
struct At {
    /// By process.
    counts: Vec<u32>,
    /// The sum of the counts.
    len: usize,
    /// The value of each slot.
    values: Vec<Option<ValueId>>,
    /// The truth of each atom; `None` until it is asked for after a change.
    truths: Vec<Option<bool>>,
    /// How often some value became another one.
    changes: u64,
}

struct Replay<'t> {
    trace: &'t Trace,
    bound: &'t Bound<Ctl<AtomId>>,
    /// By variable of the trace.
    slot_of: Vec<Option<Slot>>,
    /// By slot: the atoms that speak of it.
    atoms_of: Vec<Vec<usize>>,
    budget: &'t Budget,
}

impl Replay<'_> {
    /// The text of the proof's formula has been compared already.
    fn stands(&self, text: &Ctl, formula: &Ctl<AtomId>, proof: &Proof, at: &mut At) -> Result<bool, OverBudget> {
        self.budget.step(0, WHAT)?;
        match &proof.why {
            Why::State => Ok(!is_temporal(formula) && self.state(formula, at)? == proof.holds),
            Why::Operands(parts) => self.by_operands(text, formula, proof.holds, parts, at),
            Why::Path { events, along, end } => {
                self.by_path(text, formula, proof.holds, events, along.as_ref(), end.as_deref(), at)
            }
            Why::EveryPath => Ok(match formula {
                Ctl::Unary(path, ..) | Ctl::Binary(path, ..) => (*path == Path::All) == proof.holds,
                _ => false,
            }),
        }
    }

    /// Operands are found by their text: equal texts are equal formulas.
    fn by_operands(
        &self,
        text: &Ctl,
        formula: &Ctl<AtomId>,
        holds: bool,
        parts: &[Proof],
        at: &mut At,
    ) -> Result<bool, OverBudget> {
        if matches!(formula, Ctl::Unary(..) | Ctl::Binary(..)) {
            return Ok(false);
        }
        let (texts, formulas) = (operands(text), operands(formula));
        let printed: Vec<String> = texts.iter().map(ToString::to_string).collect();
        let place_of: FxHashMap<&str, usize> = printed.iter().enumerate().map(|(i, p)| (p.as_str(), i)).collect();
        let mut known: Vec<Option<bool>> = vec![None; texts.len()];
        for part in parts {
            let Some(&place) = place_of.get(part.formula.as_str()) else { return Ok(false) };
            if known[place].is_some_and(|value| value != part.holds)
                || !self.stands(texts[place], formulas[place], part, at)?
            {
                return Ok(false);
            }
            known[place] = Some(part.holds);
        }
        let value = |i: usize| place_of.get(printed[i].as_str()).and_then(|&place| known[place]);
        let all = |wanted: bool| (0..printed.len()).all(|i| value(i) == Some(wanted));
        let any = |wanted: bool| (0..printed.len()).any(|i| value(i) == Some(wanted));
        Ok(!parts.is_empty()
            && match (formula, holds) {
                (Ctl::Not(_), _) => value(0) == Some(!holds),
                (Ctl::And(_), true) => all(true),
                (Ctl::And(_), false) => any(false),
                (Ctl::Or(_), true) => any(true),
                (Ctl::Or(_), false) => all(false),
                (Ctl::Implies(..), true) => value(0) == Some(false) || value(1) == Some(true),
                (Ctl::Implies(..), false) => value(0) == Some(true) && value(1) == Some(false),
                (Ctl::Iff(..), _) => value(0).zip(value(1)).is_some_and(|(a, b)| (a == b) == holds),
                _ => false,
            })
    }

    #[expect(clippy::too_many_arguments, reason = "a formula, its value there, and the fields of the path")]
    fn by_path(
        &self,
        text: &Ctl,
        formula: &Ctl<AtomId>,
        holds: bool,
        events: &[EventId],
        along: Option<&(String, bool)>,
        end: Option<&Proof>,
        at: &mut At,
    ) -> Result<bool, OverBudget> {
        let Some(asked) = asked_of(formula).filter(|asked| asked.end.1 == holds) else { return Ok(false) };
        let (texts, formulas) = (operands(text), operands(formula));
        let named_rightly = match (&asked.along, along) {
            (None, None) => true,
            (Some((operand, value, cover)), Some((name, named))) => {
                // Where nothing lies on the way, nothing keeps a value, and any may be named.
                let nothing = events.is_empty() && end.is_some() && *cover == Cover::ButLast;
                *name == texts[*operand].to_string() && (value == named || nothing)
            }
            _ => false,
        };
        let shape_fits = match asked.may {
            May::StepOnce => events.len() == 1 && end.is_some(),
            May::Reach => end.is_some(),
            May::ReachOrFinish | May::Finish => true,
        };
        let end_fits = end.is_none_or(|end| end.holds == asked.end.1 && end.formula == texts[asked.end.0].to_string());
        if !named_rightly || !shape_fits || !end_fits {
            return Ok(false);
        }
        // What is asked of the way can be seen only if it has no temporal operator.
        let seen = asked.along.filter(|(operand, ..)| !is_temporal(formulas[*operand]));
        let mut looked_at = None;
        let mut kept = |at: &mut At, is_last: bool| match seen {
            Some((operand, value, cover)) if !is_last || cover == Cover::Last || end.is_none() => {
                // Only a new value can make a difference.
                Ok(looked_at.replace(at.changes) == Some(at.changes) || self.state(formulas[operand], at)? == value)
            }
            _ => Ok(true),
        };
        let _claim = self.budget.claim(at.bytes(), WHAT)?;
        let mut now = at.clone();
        for (i, &event) in events.iter().enumerate() {
            if i % 1024 == 0 {
                self.budget.step(0, WHAT)?;
            }
            if !kept(&mut now, false)? || !self.take(event, &mut now) {
                return Ok(false);
            }
        }
        let must_finish = end.is_none() || asked.may == May::Finish;
        if !kept(&mut now, true)? || must_finish && now.len < self.trace.len() {
            return Ok(false);
        }
        match end {
            Some(end) => self.stands(texts[asked.end.0], formulas[asked.end.0], end, &mut now),
            None => Ok(true),
        }
    }

    /// Adds an event; false if that is no step.
    fn take(&self, event: EventId, at: &mut At) -> bool {
        let trace = self.trace;
        if event.index() >= trace.len() {
            return false;
        }
        let process = trace.process(event).index();
        let is_next = trace.position(event) == at.counts[process] as usize;
        let has_happened = |cause: &EventId| trace.position(*cause) < at.counts[trace.process(*cause).index()] as usize;
        if !is_next || !trace.causes(event).iter().all(has_happened) {
            return false;
        }
        at.counts[process] += 1;
        at.len += 1;
        for a in trace.assignments(event) {
            let Some(Slot(slot)) = self.slot_of[a.var.index()] else { continue };
            let value = &mut at.values[slot as usize];
            if *value != Some(a.value) {
                *value = Some(a.value);
                at.changes += 1;
                self.atoms_of[slot as usize].iter().for_each(|&atom| at.truths[atom] = None);
            }
        }
        true
    }

    /// The value of a formula without temporal operators.
    fn state(&self, formula: &Ctl<AtomId>, at: &mut At) -> Result<bool, OverBudget> {
        Ok(match formula {
            Ctl::True => true,
            Ctl::False => false,
            Ctl::Atom(AtomId(id)) => {
                let id = *id as usize;
                if let Some(known) = at.truths[id] {
                    return Ok(known);
                }
                let letter = Letter { values: &at.values, event: None };
                let truth =
                    eval::atom(&self.bound.atoms[id], &self.bound.vars, self.trace, letter, &mut Notes::default())?;
                at.truths[id] = Some(truth);
                truth
            }
            Ctl::Not(f) => !self.state(f, at)?,
            Ctl::And(fs) => {
                for f in fs {
                    if !self.state(f, at)? {
                        return Ok(false);
                    }
                }
                true
            }
            Ctl::Or(fs) => {
                for f in fs {
                    if self.state(f, at)? {
                        return Ok(true);
                    }
                }
                false
            }
            Ctl::Implies(f, g) => !self.state(f, at)? || self.state(g, at)?,
            Ctl::Iff(f, g) => self.state(f, at)? == self.state(g, at)?,
            Ctl::Unary(..) | Ctl::Binary(..) => unreachable!("asked of formulas without temporal operators only"),
        })
    }
}

impl At {
    fn bytes(&self) -> u64 {
        (4 * self.counts.len() + size_of::<Option<ValueId>>() * self.values.len() + self.truths.len()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use posetta_logic::{Formula, Property, bind_ctl};

    /// x becomes 1, then 2; y becomes 1, and z after x is 1 and y is.
    const RUN: &str = "A: x=1 -> x=2\nB: y=1 -> z=1\nA.1 -> B.2\n";

    fn read(text: &str) -> Trace {
        posetta_formats::text::read(text.as_bytes(), &Budget::unlimited()).unwrap()
    }

    fn replay(trace: &Trace, proof: &Proof, of: &str) -> bool {
        let property = Property::ctl(of).unwrap();
        let Formula::Ctl(formula) = &property.formula else { unreachable!("it is CTL") };
        let bound = bind_ctl(&property, formula, trace, &[]).unwrap();
        proof_stands(trace, formula, &bound, proof, &Budget::unlimited()).unwrap()
    }

    fn node(formula: &str, holds: bool, why: Why) -> Proof {
        Proof { formula: formula.to_owned(), holds, why }
    }

    fn state(formula: &str, holds: bool) -> Proof {
        node(formula, holds, Why::State)
    }

    fn operands(formula: &str, holds: bool, parts: &[Proof]) -> Proof {
        node(formula, holds, Why::Operands(parts.to_vec()))
    }

    fn every(formula: &str, holds: bool) -> Proof {
        node(formula, holds, Why::EveryPath)
    }

    /// Events by label, apart by blanks.
    fn path(formula: &str, holds: bool, events: &str, along: Option<(&str, bool)>, end: Option<Proof>) -> Proof {
        let trace = read(RUN);
        let events = events.split_whitespace().map(|label| trace.find_event(label).unwrap()).collect();
        let along = along.map(|(text, value)| (text.to_owned(), value));
        node(formula, holds, Why::Path { events, along, end: end.map(Box::new) })
    }

    /// Proofs that stand, and whether they take nothing on trust.
    #[test]
    fn right_proofs_stand() {
        let trace = read(RUN);
        let whole = "A.1 A.2 B.1 B.2";
        for (proof, proves_it) in [
            (state("x == 0", true), true),
            (state("x == 0 && !(y == 1)", true), true),
            (path("EX (y == 1)", true, "B.1", None, Some(state("y == 1", true))), true),
            (path("AX (y == 1)", false, "A.1", None, Some(state("y == 1", false))), true),
            (path("EF (x == 2)", true, "A.1 A.2", None, Some(state("x == 2", true))), true),
            (path("EF (x == 0)", true, "", None, Some(state("x == 0", true))), true),
            (path("AG (x < 2)", false, "A.1 B.1 A.2", None, Some(state("x < 2", false))), true),
            (path("EG (x < 3)", true, whole, Some(("x < 3", true)), None), true),
            (path("EG (x < 3)", true, whole, Some(("x < 3", true)), Some(state("x < 3", true))), true),
            (path("AF (x == 1 && y == 1)", false, whole, Some(("x == 1 && y == 1", false)), None), true),
            (path("E[y == 0 U x == 2]", true, "A.1 A.2", Some(("y == 0", true)), Some(state("x == 2", true))), true),
            // Where nothing lies on the way, any value may be named.
            (path("E[y == 1 U x == 0]", true, "", Some(("y == 1", false)), Some(state("x == 0", true))), true),
            (path("E[y == 0 W x == 2]", true, "A.1 A.2", Some(("y == 0", true)), Some(state("x == 2", true))), true),
            (path("E[x < 3 W x == 9]", true, whole, Some(("x < 3", true)), None), true),
            (path("E[x == 1 R y == 0]", true, "A.1", Some(("y == 0", true)), Some(state("x == 1", true))), true),
            (path("E[x == 9 R x < 3]", true, whole, Some(("x < 3", true)), None), true),
            (path("A[x == 0 U y == 1]", false, "A.1", Some(("y == 1", false)), Some(state("x == 0", false))), true),
            (path("A[x < 3 U x == 9]", false, whole, Some(("x == 9", false)), None), true),
            (path("A[x == 0 W y == 1]", false, "A.1", Some(("y == 1", false)), Some(state("x == 0", false))), true),
            (path("A[z == 1 R x < 2]", false, "A.1 A.2", Some(("z == 1", false)), Some(state("x < 2", false))), true),
            (operands("!EF (x == 9)", true, &[every("EF (x == 9)", false)]), false),
            (every("AG (x < 3)", true), false),
            (
                operands(
                    "EF (x == 2) && EX (y == 1)",
                    true,
                    &[
                        path("EX (y == 1)", true, "B.1", None, Some(state("y == 1", true))),
                        path("EF (x == 2)", true, "A.1 A.2", None, Some(state("x == 2", true))),
                    ],
                ),
                true,
            ),
            (operands("AG (x < 3) || x == 0", true, &[state("x == 0", true)]), true),
            (operands("x == 1 -> EF (x == 9)", true, &[state("x == 1", false)]), true),
            (operands("x == 0 <-> EX (x == 2)", false, &[state("x == 0", true), every("EX (x == 2)", false)]), false),
            (operands("EX (y == 9) && EX (y == 9)", false, &[every("EX (y == 9)", false)]), false),
            // The branch at the end starts where the path ends.
            (
                path(
                    "EF EX (z == 1)",
                    true,
                    "B.1 A.1",
                    None,
                    Some(path("EX (z == 1)", true, "B.2", None, Some(state("z == 1", true)))),
                ),
                true,
            ),
            // What has temporal operators is not seen on the way.
            (path("EG EF (z == 1)", true, whole, Some(("EF (z == 1)", true)), None), false),
        ] {
            assert!(replay(&trace, &proof, &proof.formula), "{proof:?}");
            assert_eq!(proves(&proof), proves_it, "{proof:?}");
            // The same about another formula, or with the other value.
            assert!(!replay(&trace, &proof, "AG (x <= 3)"), "{proof:?}");
            let other = Proof { holds: !proof.holds, ..proof.clone() };
            assert!(!replay(&trace, &other, &proof.formula), "{other:?}");
        }
    }

    #[test]
    fn wrong_proofs_fall() {
        let trace = read(RUN);
        let whole = "A.1 A.2 B.1 B.2";
        let reached = |end| path("EF (x == 2)", true, "A.1 A.2", None, end);
        for (what, proof) in [
            ("a false state", state("x == 1", true)),
            ("a state for a path", state("EF (x == 0)", true)),
            ("every path for E that holds", every("EF (x == 2)", true)),
            ("every path for A that does not", every("AG (x < 2)", false)),
            ("every path for a state", every("x == 0", true)),
            ("a path for A that holds", path("AG (x < 3)", true, "", None, Some(state("x < 3", true)))),
            ("a path for a state", path("x == 0", true, "", None, Some(state("x == 0", true)))),
            (
                "an event before its process's first",
                path("EF (x == 2)", true, "A.2", None, Some(state("x == 2", true))),
            ),
            ("an event before its cause", path("EF (z == 1)", true, "B.1 B.2", None, Some(state("z == 1", true)))),
            ("an event twice", path("EF (x == 1)", true, "A.1 A.1", None, Some(state("x == 1", true)))),
            ("no end", reached(None)),
            ("an end that is not so", path("EF (x == 2)", true, "A.1", None, Some(state("x == 2", true)))),
            ("an end with the other value", reached(Some(state("x == 2", false)))),
            ("an end about something else", reached(Some(state("x >= 2", true)))),
            ("no step", path("EX (x == 0)", true, "", None, Some(state("x == 0", true)))),
            ("two steps", path("EX (x == 2)", true, "A.1 A.2", None, Some(state("x == 2", true)))),
            ("a way that is not asked for", {
                path("EF (x == 2)", true, "A.1 A.2", Some(("x == 2", false)), Some(state("x == 2", true)))
            }),
            ("a way that is not named", {
                path("E[y == 0 U x == 2]", true, "A.1 A.2", None, Some(state("x == 2", true)))
            }),
            ("a way with the other operand", {
                path("E[y == 0 U x == 2]", true, "A.1 A.2", Some(("x == 2", false)), Some(state("x == 2", true)))
            }),
            ("a way with the other value", {
                path("E[y == 1 U x == 2]", true, "A.1 A.2", Some(("y == 1", false)), Some(state("x == 2", true)))
            }),
            ("a way that loses its value", {
                path("E[y == 0 U x == 2]", true, "B.1 A.1 A.2", Some(("y == 0", true)), Some(state("x == 2", true)))
            }),
            ("a way that loses its value at the end, for EG", {
                path("EG (z == 0)", true, whole, Some(("z == 0", true)), None)
            }),
            ("a way that ends too soon", path("EG (x < 2)", true, "A.1 B.1 B.2", Some(("x < 2", true)), None)),
            ("a way that ends too soon, for AF", path("AF (x == 2)", false, "A.1", Some(("x == 2", false)), None)),
            ("U without its end", path("E[x < 3 U x == 9]", true, whole, Some(("x < 3", true)), None)),
            ("W refuted without its end", path("A[x < 3 W x == 9]", false, whole, Some(("x == 9", false)), None)),
            ("R refuted without its end", path("A[x < 3 R x < 9]", false, whole, Some(("x < 3", false)), None)),
            (
                "EG that ends too soon with an end",
                path("EG (x < 3)", true, "A.1", Some(("x < 3", true)), Some(state("x < 3", true))),
            ),
            ("R released where the other has ended", {
                path("E[x == 2 R x < 2]", true, "A.1 A.2", Some(("x < 2", true)), Some(state("x == 2", true)))
            }),
            ("U refuted where it is fulfilled", {
                path("A[x == 0 U x == 1]", false, "A.1", Some(("x == 1", false)), Some(state("x == 0", false)))
            }),
            ("W refuted where it is fulfilled", {
                path("A[x == 0 W x == 1]", false, "A.1", Some(("x == 1", false)), Some(state("x == 0", false)))
            }),
            ("no operands", operands("x == 0 || EX (x == 9)", true, &[])),
            ("an operand that decides nothing", operands("x == 0 && EX (x == 9)", true, &[state("x == 0", true)])),
            ("an operand that is none", operands("x == 0 || EX (x == 1)", true, &[state("y == 0", true)])),
            ("an operand that falls", operands("x == 1 || EX (x == 1)", true, &[state("x == 1", true)])),
            ("half of an equivalence", operands("x == 0 <-> y == 0", true, &[state("x == 0", true)])),
            ("a false premise of what is violated", operands("x == 1 -> y == 1", false, &[state("x == 1", false)])),
            ("the operand of a temporal operator", operands("EF (x == 0)", true, &[state("x == 0", true)])),
            ("an operand with two values", {
                operands(
                    "!EX (x == 1)",
                    false,
                    &[path("EX (x == 1)", true, "A.1", None, Some(state("x == 1", true))), every("EX (x == 1)", false)],
                )
            }),
            ("a broken branch behind a right path", {
                path(
                    "EF EX (z == 1)",
                    true,
                    "B.1",
                    None,
                    Some(path("EX (z == 1)", true, "B.2", None, Some(state("z == 1", true)))),
                )
            }),
        ] {
            assert!(!replay(&trace, &proof, &proof.formula), "{what}: {proof:?}");
        }
        let stranger = Why::Path {
            events: vec![EventId::new(77).unwrap()],
            along: None,
            end: Some(Box::new(state("x == 0", true))),
        };
        assert!(!replay(&trace, &node("EF (x == 0)", true, stranger), "EF (x == 0)"));
    }

    /// Half a million events there and, on another branch, again; quadratic work would not end.
    #[test]
    fn long_paths_are_walked_once() {
        let n = 500_000;
        let trace = read(&format!("A: {}\nB: y=1\n", vec!["x=1"; n].join(" -> ")));
        let a = trace.find_process("A").unwrap();
        let long = |formula: &str, keeps: &str, end: Option<Proof>| {
            let mut events = trace.chain(a).to_vec();
            if end.is_none() {
                events.extend(trace.find_event("B.1"));
            }
            let why = Why::Path { events, along: Some((keeps.to_owned(), true)), end: end.map(Box::new) };
            node(formula, true, why)
        };
        let last = node(
            "EX (y == 1)",
            true,
            Why::Path {
                events: trace.find_event("B.1").into_iter().collect(),
                along: None,
                end: Some(Box::new(state("y == 1", true))),
            },
        );
        let until = long("E[y == 0 U EX (y == 1)]", "y == 0", Some(last));
        let globally = long("EG (x < 2 || y < 2)", "x < 2 || y < 2", None);
        let proof = operands("E[y == 0 U EX (y == 1)] && EG (x < 2 || y < 2)", true, &[until, globally]);
        assert!(replay(&trace, &proof, &proof.formula));
    }
}
