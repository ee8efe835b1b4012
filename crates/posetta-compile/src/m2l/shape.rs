//! When two formulas have the same automaton but for the names of their tracks.
//!
//! A shape is a formula with each track replaced by its place among the formula's own tracks, in the order of the diagrams. Formulas of one shape
//! are the same up to a renaming that keeps that order, so one automaton serves them all.

use rustc_hash::FxHashMap;

use super::care::Care;
use super::core::{Atom, Core, CoreId, Cores, Track};

/// The shapes of all formulas of a store.
#[derive(Debug)]
pub(super) struct Shapes {
    of: Vec<u32>,
}

impl Shapes {
    pub(super) fn new(cores: &Cores, levels: &[u32], care: Option<Care>) -> Self {
        let mut ids: FxHashMap<Vec<u64>, u32> = FxHashMap::default();
        let mut this = Self { of: Vec::with_capacity(cores.len()) };
        for place in 0..cores.len() as u32 {
            let id = CoreId(place);
            let key = this.key(id, cores, levels, care);
            let fresh = ids.len() as u32;
            this.of.push(*ids.entry(key).or_insert(fresh));
        }
        this
    }

    pub(super) fn of(&self, id: CoreId) -> u32 {
        self.of[id.0 as usize]
    }

    fn key(&self, id: CoreId, cores: &Cores, levels: &[u32], care: Option<Care>) -> Vec<u64> {
        let level = |t: &Track| levels[t.0 as usize];
        let sorted = |tracks: &[Track]| {
            let mut tracks = tracks.to_vec();
            tracks.sort_by_key(level);
            tracks
        };
        let place = |all: &[Track], t: &Track| all.iter().position(|u| u == t).unwrap_or(usize::MAX) as u64;
        let part = |key: &mut Vec<u64>, part: CoreId, all: &[Track]| {
            key.push(u64::from(self.of(part)));
            key.extend(sorted(cores.free(part)).iter().map(|t| place(all, t)));
        };
        let all = sorted(cores.free(id));
        let mut key = Vec::new();
        match cores.get(id) {
            Core::Constant(value) => key.extend([0, u64::from(*value)]),
            Core::Atom(atom) => {
                let (kind, numbers) = numbered(atom);
                // Automata are smaller where the set that says which strings count is mentioned.
                key.extend([1, kind, numbers, u64::from(care.is_some_and(|care| care.is_in(atom)))]);
                key.extend(atom.tracks().iter().map(|t| place(&all, t)));
            }
            Core::Not(f) => {
                key.push(2);
                part(&mut key, *f, &all);
            }
            Core::And(parts) => {
                key.push(3);
                parts.iter().for_each(|&f| part(&mut key, f, &all));
            }
            Core::Iff(f, g) => {
                key.push(4);
                part(&mut key, *f, &all);
                part(&mut key, *g, &all);
            }
            Core::Exists(hidden, f) => {
                key.push(5);
                let inside = sorted(cores.free(*f));
                key.push(hidden.len() as u64);
                key.extend(hidden.iter().map(|t| place(&inside, t)));
                part(&mut key, *f, &inside);
            }
            Core::Restrict(f) => {
                key.push(6);
                part(&mut key, *f, &all);
            }
            Core::Prefix(f) => {
                key.push(7);
                part(&mut key, *f, &all);
            }
        }
        key
    }
}

fn numbered(atom: &Atom) -> (u64, u64) {
    match *atom {
        Atom::Truth(_) => (0, 0),
        Atom::Some(_) => (1, 0),
        Atom::In(_, n, _) => (2, n.into()),
        Atom::Has(_, n) => (3, n.into()),
        Atom::Equal(_, _, n) => (4, n.into()),
        Atom::AtMost(_, _, n) => (5, n as u64),
        Atom::Is(_, n) => (6, n.into()),
        Atom::Below(_, n) => (7, n.into()),
        Atom::Monus(_, _, n) => (8, n.into()),
        Atom::Min(..) => (9, 0),
        Atom::Max(..) => (10, 0),
        Atom::Sub(..) => (11, 0),
        Atom::Same(..) => (12, 0),
        Atom::Empty(_) => (13, 0),
        Atom::Number(_, n) => (14, n),
    }
}
