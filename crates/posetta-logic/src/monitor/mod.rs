//! Monitors that are written by hand: finite automata whose edges carry guards (Genon, Massart, Meuter 2006,
//! definitions 4 and 5).
//!
//! A monitor reads the letters of a run, at the positions that a linear formula reads. From a state it goes on to the
//! targets of all its edges whose guards hold; if none does, it stays where it is, or dies ([`Otherwise`]). A run is bad if
//! the monitor can be in a bad state when the run is over, and the property holds if no run is bad. Unlike in the paper,
//! guards are boolean combinations of any atoms and there may be several initial states; an edge that is taken still
//! leaves its state, unless a loop says otherwise, so `next` is that of the paper.
//!
//! [`text`] is how they are written in property files; [`hoa`] reads and writes the Hanoi Omega-Automata format.

mod guard;
pub(super) mod hoa;
pub(super) mod text;

use super::atom::Atom;

pub use guard::Guard;

/// A state of a monitor: a place in [`Monitor::states`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MonitorState(pub u32);

impl MonitorState {
    /// The place in a table.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a monitor does when no guard of its state holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Otherwise {
    /// It stays.
    #[default]
    Stay,
    /// It dies: this path of states accepts nothing.
    Die,
}

/// An edge of a monitor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MonitorEdge<A = Atom> {
    /// Where it starts.
    pub from: MonitorState,
    /// When it is taken.
    pub guard: Guard<A>,
    /// Where it leads.
    pub to: MonitorState,
}

/// An automaton on finite words that accepts the bad ones, with guards over atoms `A`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Monitor<A = Atom> {
    /// The names of the states, all different.
    pub states: Vec<String>,
    /// Where it starts: at least one, no two alike.
    pub initial: Vec<MonitorState>,
    /// Where a bad run ends: no two alike.
    pub bad: Vec<MonitorState>,
    /// The edges.
    pub edges: Vec<MonitorEdge<A>>,
    /// What happens where no guard holds.
    pub otherwise: Otherwise,
}

impl<A> Monitor<A> {
    /// The same monitor over other atoms; atoms are met edge by edge, from left to right.
    pub fn map_atoms<B>(&self, f: &mut impl FnMut(&A) -> B) -> Monitor<B> {
        Monitor {
            states: self.states.clone(),
            initial: self.initial.clone(),
            bad: self.bad.clone(),
            edges: self
                .edges
                .iter()
                .map(|e| MonitorEdge { from: e.from, guard: e.guard.map_atoms(f), to: e.to })
                .collect(),
            otherwise: self.otherwise,
        }
    }

    /// For each state, whether it is bad.
    #[must_use]
    pub fn bad_states(&self) -> Vec<bool> {
        let mut bad = vec![false; self.states.len()];
        self.bad.iter().for_each(|s| bad[s.index()] = true);
        bad
    }

    /// For each state its edges, in order.
    #[must_use]
    pub fn edges_by_state(&self) -> Vec<Vec<&MonitorEdge<A>>> {
        let mut by_state: Vec<Vec<&MonitorEdge<A>>> = vec![Vec::new(); self.states.len()];
        self.edges.iter().for_each(|e| by_state[e.from.index()].push(e));
        by_state
    }

    /// For each state, whether edges lead to it from an initial one.
    #[must_use]
    pub fn reachable(&self) -> Vec<bool> {
        let by_state = self.edges_by_state();
        let mut seen = vec![false; self.states.len()];
        let mut open: Vec<MonitorState> = self.initial.clone();
        while let Some(state) = open.pop() {
            if !std::mem::replace(&mut seen[state.index()], true) {
                open.extend(by_state[state.index()].iter().map(|e| e.to));
            }
        }
        seen
    }
}
