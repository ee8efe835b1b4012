//! M2L over all runs of a trace: "a position belongs to the set of an atom if the atom holds there".

use posetta_base::EventId;
use posetta_logic::m2l::{Program, VarId};
use posetta_logic::{Atom, View};
use posetta_trace::Trace;

use super::{Value, holds};
use crate::ltl::Tally;
use crate::order::Order;
use crate::word::{holds_at, word};

/// Asks every run.
#[must_use]
pub fn over_all_runs(trace: &Trace, view: View, program: &Program) -> Tally {
    let mut tally = Tally::default();
    Order::of(trace).for_each_run(|run| match satisfies(trace, run, view, program) {
        true => tally.satisfied += 1,
        false => tally.violated += 1,
    });
    tally
}

/// Whether one run satisfies it.
#[must_use]
pub fn satisfies(trace: &Trace, run: &[EventId], view: View, program: &Program) -> bool {
    let letters = word(trace, run, view);
    on_word(program, letters.len(), &|atom, i| holds_at(trace, &letters[i], atom))
}

/// Whether a word of this length satisfies it, where `holds` says which atom holds where.
pub fn on_word(program: &Program, len: usize, atom: &dyn Fn(&Atom, usize) -> bool) -> bool {
    let places = |a: &Atom| (0..len).map(|i| u128::from(atom(a, i)) << i).sum();
    let globals: Vec<(VarId, Value)> = program.atoms.iter().map(|(var, a)| (*var, Value::Places(places(a)))).collect();
    holds(program, len, &globals)
}
