//! What can still become of a run, by trying what can come.
//!
//! "Violated as soon as some order of what has been seen can no longer be repaired": every continuation of that order is bad.
//! "Holds when determined": every order of every run that this may become is good. Continuations are tried up to a length, so
//! here a yes may be hasty; a no never is.

use std::collections::BTreeMap;

use posetta_base::EventId;
use posetta_logic::{Atom, Ltl, View};
use posetta_trace::Trace;

use crate::ltl::on_word;
use crate::order::{EventSet, Order, contains, singleton};
use crate::state::{self, State};
use crate::world::{Deed, Row, States, World, holds};

/// A property, and everything that events can do to it.
pub struct Future<'w> {
    atoms: &'w [Atom],
    formula: &'w Ltl,
    view: View,
    states: Vec<State<'w>>,
    steps: Vec<BTreeMap<Row, States>>,
}

/// A word, and the states in which it can have ended.
type Ends = (Vec<Row>, States);

impl<'w> Future<'w> {
    /// The future of runs in a world.
    #[must_use]
    pub fn new(world: &'w World, atoms: &'w [Atom], formula: &'w Ltl, view: View) -> Self {
        let states = world.states();
        let steps = world.steps(atoms, &states);
        Self { atoms, formula, view, states, steps }
    }

    fn satisfies(&self, word: &[Row]) -> bool {
        let place = |atom: &Atom| self.atoms.iter().position(|a| a == atom).expect("every atom was met");
        on_word(self.formula, word.len(), &|atom, i| word[i][place(atom)])
    }

    fn place(&self, state: &State<'_>) -> usize {
        self.states.iter().position(|s| s == state).expect("values are of the world")
    }

    /// The word before any event, and the state.
    #[must_use]
    pub fn start(&self, trace: &Trace) -> Ends {
        let state = state::initial_state(trace);
        let row = self.atoms.iter().map(|a| holds(a, &state, None)).collect();
        (if self.view == View::States { vec![row] } else { Vec::new() }, 1 << self.place(&state))
    }

    fn members(&self, states: States) -> impl Iterator<Item = usize> + use<> {
        (0..self.states.len()).filter(move |i| states >> i & 1 == 1)
    }

    /// The words after an event.
    fn after(&self, trace: &Trace, (word, ends): &Ends, event: EventId) -> Vec<Ends> {
        let sets: Vec<&str> = trace.assignments(event).iter().map(|a| trace.variable_name(a.var)).collect();
        let process = trace.process_name(trace.process(event));
        let deed = Deed { sets: &sets, name: trace.event_name(event), process: Some(process) };
        let mut found: BTreeMap<Row, States> = BTreeMap::new();
        for end in self.members(*ends) {
            let mut state = self.states[end].clone();
            for a in trace.assignments(event) {
                let (name, value) = state
                    .iter()
                    .find(|(name, _)| **name == trace.variable_name(a.var))
                    .map(|(name, _)| (*name, trace.value(a.value)))
                    .expect("a variable of the world");
                let known = self.states.iter().map(|s| s[name]).find(|v| *v == value).expect("a value of the world");
                state.insert(name, known);
            }
            let row = self.atoms.iter().map(|a| holds(a, &state, Some(deed))).collect();
            *found.entry(row).or_default() |= 1 << self.place(&state);
        }
        found.into_iter().map(|(row, ends)| ([&word[..], &[row]].concat(), ends)).collect()
    }

    /// The words after an event that has not come.
    fn after_any(&self, (word, ends): &Ends) -> Vec<Ends> {
        let mut next: BTreeMap<&Row, States> = BTreeMap::new();
        for end in self.members(*ends) {
            for (row, after) in &self.steps[end] {
                *next.entry(row).or_default() |= after;
            }
        }
        next.into_iter().map(|(row, ends)| ([&word[..], std::slice::from_ref(row)].concat(), ends)).collect()
    }

    /// How many letters can follow, at most.
    #[must_use]
    pub fn choices(&self) -> usize {
        self.steps.iter().map(BTreeMap::len).max().unwrap_or(0)
    }

    /// Whether some order of the seen events, of those with which `is_meant` agrees, has no continuation of at most `length` letters
    /// that satisfies the property.
    pub fn some_order_is_lost(
        &self,
        trace: &Trace,
        order: &Order,
        seen: EventSet,
        length: usize,
        is_meant: impl Fn(&[EventId]) -> bool,
    ) -> bool {
        let mut lost = false;
        order.for_each_way(0, seen, &mut |run| {
            if !lost && is_meant(run) {
                let word = run.iter().fold(self.start(trace), |ends, &e| self.after(trace, &ends, e).remove(0));
                lost = !self.can_be_satisfied(&word, length);
            }
        });
        lost
    }

    fn can_be_satisfied(&self, ends: &Ends, length: usize) -> bool {
        self.satisfies(&ends.0)
            || length > 0 && self.after_any(ends).iter().any(|longer| self.can_be_satisfied(longer, length - 1))
    }

    /// Whether some order of the seen events, with at most `more` events that have not come put in, violates the property.
    /// `sources` are what such events come after, by process.
    #[must_use]
    pub fn may_be_violated(
        &self,
        trace: &Trace,
        order: &Order,
        seen: EventSet,
        sources: &[EventSet],
        more: usize,
    ) -> bool {
        self.violates(trace, order, seen, sources, more, 0, &self.start(trace))
    }

    #[expect(clippy::too_many_arguments, reason = "one place in an enumeration")]
    fn violates(
        &self,
        trace: &Trace,
        order: &Order,
        seen: EventSet,
        sources: &[EventSet],
        more: usize,
        cut: EventSet,
        ends: &Ends,
    ) -> bool {
        if cut == seen && !self.satisfies(&ends.0) {
            return true;
        }
        let next = |more: usize, cut: EventSet, all: Vec<Ends>| {
            all.iter().any(|ends| self.violates(trace, order, seen, sources, more, cut, ends))
        };
        order
            .steps(cut)
            .filter(|&e| contains(seen, e))
            .any(|event| next(more, cut | singleton(event), self.after(trace, ends, event)))
            || more > 0 && sources.iter().any(|source| source & !cut == 0) && next(more - 1, cut, self.after_any(ends))
    }
}
