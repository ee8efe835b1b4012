//! All words that runs of any sort can have, over few variables with few values.
//!
//! "An event assigns values to zero or more variables; an unassigned variable keeps its value." Every event that can happen
//! in every state is tried: each choice of what to assign, and of a name and a process among those given or another one.

use std::collections::{BTreeMap, BTreeSet};

use posetta_base::Value;
use posetta_logic::{Atom, View};

use crate::state::{self, State};

/// The truth of each atom at one position.
pub type Row = Vec<bool>;

/// A set of states, one bit each.
pub type States = u128;

/// What there is.
#[derive(Clone, Debug)]
pub struct World {
    /// Variables, and the values that they can have.
    pub variables: Vec<(String, Vec<Value>)>,
    /// Names that events can have.
    pub names: Vec<String>,
    /// Processes that events can belong to.
    pub processes: Vec<String>,
}

/// An event: which variables it assigns, its name and its process; `None` for others than those of the world.
#[derive(Clone, Copy, Debug)]
pub struct Deed<'a> {
    /// The names of the variables.
    pub sets: &'a [&'a str],
    /// Its name.
    pub name: Option<&'a str>,
    /// Its process.
    pub process: Option<&'a str>,
}

/// Whether an atom is true after an event, or without one.
#[must_use]
pub fn holds(atom: &Atom, state: &State<'_>, deed: Option<Deed<'_>>) -> bool {
    match (atom, deed) {
        (Atom::State(condition), _) => state::satisfies(state, condition),
        (Atom::Step(_) | Atom::Having(_), _) => panic!("worlds have no values before and no attributes"),
        // "At position 0 of the states view no event has happened: on(..), event(..), process(..) are false there."
        (_, None) => false,
        // "The event assigns at least one variable of A, and A holds after it."
        (Atom::On(condition), Some(deed)) => {
            let names = state::variables(condition);
            deed.sets.iter().any(|set| names.contains(set)) && state::satisfies(state, condition)
        }
        (Atom::Event(name), Some(deed)) => deed.name == Some(name),
        // Runs have no actions to be enabled: such formulas are refused.
        (Atom::Enabled(_), Some(_)) => false,
        (Atom::Process(name), Some(deed)) => deed.process == Some(name),
    }
}

impl World {
    /// Every state.
    #[must_use]
    pub fn states(&self) -> Vec<State<'_>> {
        let mut all: Vec<State<'_>> = vec![State::new()];
        for (name, values) in &self.variables {
            let mut longer = Vec::with_capacity(all.len() * values.len());
            for state in &all {
                for value in values {
                    let mut state = state.clone();
                    state.insert(name.as_str(), value);
                    longer.push(state);
                }
            }
            all = longer;
        }
        all
    }

    /// For each state, what can come next: rows, and the states in which each leads.
    #[must_use]
    pub fn steps(&self, atoms: &[Atom], states: &[State<'_>]) -> Vec<BTreeMap<Row, States>> {
        let other = |all: &[String]| -> Vec<Option<String>> {
            [None].into_iter().chain(all.iter().cloned().map(Some)).collect()
        };
        let (names, processes) = (other(&self.names), other(&self.processes));
        let mut steps: Vec<BTreeMap<Row, States>> = vec![BTreeMap::new(); states.len()];
        for (after, state) in states.iter().enumerate() {
            for sets in 0..1usize << self.variables.len() {
                let assigned: Vec<&str> = self.assigned(sets).collect();
                let mut rows: BTreeSet<Row> = BTreeSet::new();
                for name in &names {
                    for process in &processes {
                        let deed = Deed { sets: &assigned, name: name.as_deref(), process: process.as_deref() };
                        rows.insert(atoms.iter().map(|a| holds(a, state, Some(deed))).collect());
                    }
                }
                for (before, steps) in steps.iter_mut().enumerate() {
                    let keeps = |(i, (name, _)): (usize, &(String, Vec<Value>))| {
                        sets >> i & 1 == 1 || states[before][name.as_str()] == state[name.as_str()]
                    };
                    if self.variables.iter().enumerate().all(keeps) {
                        for row in &rows {
                            *steps.entry(row.clone()).or_default() |= 1 << after;
                        }
                    }
                }
            }
        }
        steps
    }

    fn assigned(&self, sets: usize) -> impl Iterator<Item = &str> {
        self.variables.iter().enumerate().filter(move |(i, _)| sets >> i & 1 == 1).map(|(_, (name, _))| name.as_str())
    }

    /// Every word of at most `length` positions and at least one.
    #[must_use]
    pub fn words(&self, atoms: &[Atom], view: View, length: usize) -> BTreeSet<Vec<Row>> {
        let states = self.states();
        assert!(states.len() <= States::BITS as usize, "too many states for this enumeration");
        let steps = self.steps(atoms, &states);
        // Words with the states in which they can end.
        let mut ends: BTreeMap<Vec<Row>, States> = BTreeMap::new();
        for (i, state) in states.iter().enumerate() {
            match view {
                View::States => {
                    let row = atoms.iter().map(|a| holds(a, state, None)).collect();
                    *ends.entry(vec![row]).or_default() |= 1 << i;
                }
                View::Events => {
                    for (row, after) in &steps[i] {
                        *ends.entry(vec![row.clone()]).or_default() |= after;
                    }
                }
            }
        }
        let mut all = BTreeSet::new();
        for _ in 1..length {
            let mut longer: BTreeMap<Vec<Row>, States> = BTreeMap::new();
            for (word, ends) in &ends {
                let mut next: BTreeMap<&Row, States> = BTreeMap::new();
                for end in (0..states.len()).filter(|end| ends >> end & 1 == 1) {
                    for (row, after) in &steps[end] {
                        *next.entry(row).or_default() |= after;
                    }
                }
                for (row, after) in next {
                    let mut word = word.clone();
                    word.push(row.clone());
                    longer.insert(word, after);
                }
            }
            all.extend(std::mem::replace(&mut ends, longer).into_keys());
        }
        all.extend(ends.into_keys());
        all
    }
}
