//! What is settled by the last cut.
//!
//! All paths end in the full cut, so `AF f` and `EF f` are true everywhere if f is true there, and `AG f` and `EG f` false everywhere if
//! it is false there. So `AF AG f`, `AG EF f` and the like are what f is at the full cut, however hard it is to say where else they hold.
//! A formula with constants in the places of such operators ([`Settled::pruned`]) is easier; what is below them is never looked at, but
//! for showing why ([`Shown`]).

use crate::program::{Node, Place, Program};
use crate::show::{Graph, Truth};
use posetta_base::{Budget, OverBudget, ValueId};
use posetta_logic::eval::{self, Notes};
use posetta_logic::{Atom, AtomId, Bound, Ctl, CtlBinary, CtlUnary, Path, Slot};
use posetta_trace::Trace;

const WHAT: &str = "looking at the last cut";

/// Which operators give way to constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pruning {
    /// Those that are shown by a whole path, or not at all: `AF` and `EG`.
    WholePaths,
    /// All of them. `EF` and `AG` are then shown by the full cut, and not by a nearer one.
    All,
}

/// By place of a formula.
pub(super) struct Settled {
    /// Its truth at the full cut.
    at_the_end: Vec<bool>,
    /// Its truth, if that is the same at all cuts.
    everywhere: Vec<Option<bool>>,
}

/// A formula with constants in some places.
pub(super) struct Pruned<'s> {
    pub(super) program: Program,
    settled: &'s Settled,
    /// The places below the constants.
    hidden: Vec<bool>,
}

impl Settled {
    pub(super) fn new(
        trace: &Trace,
        bound: &Bound<Ctl<AtomId>>,
        program: &Program,
        notes: &mut Notes,
        budget: &Budget,
    ) -> Result<Self, OverBudget> {
        let atoms = atoms_at_the_end(trace, bound, notes, budget)?;
        let mut settled = Self { at_the_end: Vec::new(), everywhere: Vec::new() };
        for node in program.nodes() {
            let (end, everywhere) = (settled.end(node, &atoms), settled.truth(node));
            settled.at_the_end.push(end);
            settled.everywhere.push(everywhere);
        }
        Ok(settled)
    }

    fn end(&self, node: &Node, atoms: &[bool]) -> bool {
        let of = |place: &Place| self.at_the_end[*place as usize];
        match node {
            Node::Constant(truth) => *truth,
            Node::Atom(atom) => atoms[atom.0 as usize],
            Node::Not(f) => !of(f),
            Node::And(fs) => fs.iter().all(of),
            Node::Or(fs) => fs.iter().any(of),
            Node::Implies(f, g) => !of(f) || of(g),
            Node::Iff(f, g) => of(f) == of(g),
            Node::Unary(path, CtlUnary::Next, _) => *path == Path::All,
            Node::Unary(_, _, f) => of(f),
            Node::Binary(_, CtlBinary::WeakUntil, f, g) => of(f) || of(g),
            Node::Binary(_, _, _, g) => of(g),
        }
    }

    fn truth(&self, node: &Node) -> Option<bool> {
        let of = |place: &Place| self.everywhere[*place as usize];
        let end = |place: &Place| self.at_the_end[*place as usize];
        let all = |mut parts: Box<dyn Iterator<Item = Option<bool>> + '_>, neutral: bool| {
            let mut open = false;
            match parts.find(|part| {
                open |= part.is_none();
                *part == Some(!neutral)
            }) {
                Some(decided) => decided,
                None => (!open).then_some(neutral),
            }
        };
        match node {
            Node::Constant(truth) => Some(*truth),
            Node::Atom(_) | Node::Unary(_, CtlUnary::Next, _) => None,
            Node::Not(f) => of(f).map(|truth| !truth),
            Node::And(fs) => all(Box::new(fs.iter().map(of)), true),
            Node::Or(fs) => all(Box::new(fs.iter().map(of)), false),
            Node::Implies(f, g) => all(Box::new([of(f).map(|truth| !truth), of(g)].into_iter()), false),
            Node::Iff(f, g) => Some(of(f)? == of(g)?),
            Node::Unary(_, CtlUnary::Finally, f) => {
                if end(f) {
                    Some(true)
                } else {
                    of(f).filter(|truth| !truth)
                }
            }
            Node::Unary(_, CtlUnary::Globally, f) => {
                if end(f) {
                    of(f).filter(|truth| *truth)
                } else {
                    Some(false)
                }
            }
            Node::Binary(_, CtlBinary::Until | CtlBinary::Release, _, g) => of(g),
            Node::Binary(_, CtlBinary::WeakUntil, f, g) => all(Box::new([of(f), of(g)].into_iter()), false),
        }
    }

    /// `None` if no operator gives way.
    pub(super) fn pruned(&self, program: &Program, pruning: Pruning) -> Option<Pruned<'_>> {
        let gives_way = |node: &Node| match node {
            Node::Unary(Path::All, CtlUnary::Finally, _) | Node::Unary(Path::Some, CtlUnary::Globally, _) => true,
            Node::Unary(_, CtlUnary::Finally | CtlUnary::Globally, _) => pruning == Pruning::All,
            _ => false,
        };
        let mut hidden = vec![false; program.len()];
        let mut constants: Vec<Option<bool>> = vec![None; program.len()];
        for (place, node) in program.nodes().iter().enumerate().rev() {
            if !hidden[place] && gives_way(node) {
                constants[place] = self.everywhere[place];
            }
            if hidden[place] || constants[place].is_some() {
                node.operands().iter().for_each(|&operand| hidden[operand as usize] = true);
            }
        }
        if constants.iter().all(Option::is_none) {
            return None;
        }
        let program = program.with_constants(|place| match hidden[place as usize] {
            true => Some(false),
            false => constants[place as usize],
        });
        Some(Pruned { program, settled: self, hidden })
    }
}

/// Whether each atom holds when everything has happened.
fn atoms_at_the_end(
    trace: &Trace,
    bound: &Bound<Ctl<AtomId>>,
    notes: &mut Notes,
    budget: &Budget,
) -> Result<Vec<bool>, OverBudget> {
    let slots = bound.slots();
    let mut values: Vec<Option<ValueId>> = bound.initial(trace);
    for (i, &event) in trace.linearisation().iter().enumerate() {
        if i % 1024 == 0 {
            budget.step(0, WHAT)?;
        }
        for assignment in trace.assignments(event) {
            if let Some(slot) = slots.get(&assignment.var) {
                values[slot.0 as usize] = Some(assignment.value);
            }
        }
    }
    let holds = |atom: &Atom<Slot>| match atom {
        Atom::State(condition) => eval::condition(condition, trace, &values, notes),
        _ => Ok(false),
    };
    bound.atoms.iter().map(holds).collect()
}

/// What an engine knows of a formula with constants, seen as the formula itself. What is hidden is only known at the full cut: elsewhere it is said
/// to be otherwise, so that whoever looks for its last value is led there.
pub(super) struct Shown<'s> {
    pub(super) truth: &'s mut dyn Truth,
    pub(super) pruned: &'s Pruned<'s>,
}

impl Truth for Shown<'_> {
    fn cuts(&self) -> &dyn Graph {
        self.truth.cuts()
    }

    fn holds(&self, place: Place, cut: &[u32]) -> bool {
        match self.pruned.hidden[place as usize] {
            true => self.pruned.settled.at_the_end[place as usize] == self.cuts().is_full(cut),
            false => self.truth.holds(place, cut),
        }
    }

    fn nearest(&mut self, place: Place, value: bool, cut: &[u32]) -> Result<Option<Vec<u32>>, OverBudget> {
        match self.pruned.hidden[place as usize] {
            true => Ok(None),
            false => self.truth.nearest(place, value, cut),
        }
    }
}
