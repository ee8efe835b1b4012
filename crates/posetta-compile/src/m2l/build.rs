//! Automata of core formulas, from the bottom up.
//!
//! Every automaton is the smallest one. Formulas that differ only in which tracks they speak of, not in the order of these, share one automaton ([`super::shape`]).
//! The parts of a conjunction are joined smallest first, and a hidden track goes as soon as no other part mentions it; of a formula as it is
//! written, one after the other, and its tracks go one by one when all are joined. What is said of one position by its letters alone is made
//! without products ([`super::local`]).

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::care::Care;
use super::core::{Core, CoreId, Cores, Track};
use super::elaborate::TrackInfo;
use super::pairs::Pairs;
use super::shape::Shapes;
use super::{atoms, local};
use posetta_automata::tracks::{Joined, Side, TrackDfa, minimize, product, project, quotient};
use posetta_base::{Budget, OverBudget};
use posetta_logic::m2l::Order;

const WHAT: &str = "building an automaton of the formula";

/// Automata of so many states stay small when tracks are hidden, whichever strings count.
const FEW: usize = 8;

/// An automaton and what its tracks stand for, from the top of the diagram down.
#[derive(Clone, Debug)]
pub(super) struct Built {
    pub(super) dfa: TrackDfa,
    pub(super) tracks: Rc<[Track]>,
    /// Whether it says nothing of strings that do not count ([`Care`]).
    pub(super) cared: bool,
}

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// How many pairs of automata were joined.
    pub products: u64,
    /// How often tracks were hidden.
    pub projections: u64,
    /// The most states of an automaton on the way, once it was made small.
    pub most_states: usize,
    /// The most diagram nodes of an automaton on the way, once it was made small.
    pub most_nodes: usize,
    /// How many states were followed letter by letter.
    pub followed_states: usize,
}

pub(super) struct Builder<'a> {
    cores: &'a Cores,
    infos: &'a [TrackInfo],
    /// For each track its place in the order of the diagrams.
    pub(super) levels: &'a [u32],
    care: Option<Care>,
    shapes: Shapes,
    known: FxHashMap<u32, (TrackDfa, bool)>,
    pub(super) effort: Effort,
    budget: &'a Budget,
}

impl<'a> Builder<'a> {
    pub(super) fn new(
        cores: &'a Cores,
        infos: &'a [TrackInfo],
        levels: &'a [u32],
        care: Option<Care>,
        budget: &'a Budget,
    ) -> Self {
        let shapes = Shapes::new(cores, levels, care);
        Self { cores, infos, levels, care, shapes, known: FxHashMap::default(), effort: Effort::default(), budget }
    }

    /// The smallest automaton of a formula.
    pub(super) fn automaton(&mut self, id: CoreId) -> Result<Built, OverBudget> {
        let mut open = vec![id];
        while let Some(&next) = open.last() {
            self.budget.step(1, WHAT)?;
            if self.known.contains_key(&self.shapes.of(next)) {
                open.pop();
                continue;
            }
            let missing: Vec<CoreId> =
                self.needed(next).into_iter().filter(|&part| !self.known.contains_key(&self.shapes.of(part))).collect();
            if missing.is_empty() {
                open.pop();
                let made = self.made(next)?;
                self.known.insert(self.shapes.of(next), made);
            } else {
                open.extend(missing);
            }
        }
        Ok(self.built(id))
    }

    /// The parts that are joined, without what is made of letters alone.
    fn needed(&self, id: CoreId) -> Vec<CoreId> {
        if self.cores.local(id).is_some() {
            return Vec::new();
        }
        match self.cores.get(id) {
            Core::Constant(_) | Core::Atom(_) => Vec::new(),
            Core::Not(f) | Core::Restrict(f) | Core::Prefix(f) => vec![*f],
            Core::Iff(f, g) => vec![*f, *g],
            Core::And(parts) => self.grouped(parts).1,
            Core::Exists(_, f) => self.grouped(self.parts(f)).1,
        }
    }

    /// The parts of a conjunction; anything else is its only part.
    fn parts<'b>(&'b self, id: &'b CoreId) -> &'b [CoreId] {
        match self.cores.get(*id) {
            Core::And(parts) => parts,
            _ => std::slice::from_ref(id),
        }
    }

    /// The parts of a conjunction: those that are made of letters alone by their position, and the others.
    pub(super) fn grouped(&self, parts: &[CoreId]) -> (Vec<Vec<CoreId>>, Vec<CoreId>) {
        let mut groups: Vec<(Track, Vec<CoreId>)> = Vec::new();
        let mut others = Vec::new();
        for &part in parts {
            match self.cores.local(part) {
                None => others.push(part),
                Some(position) => match groups.iter_mut().find(|(p, _)| *p == position) {
                    Some((_, group)) => group.push(part),
                    None => groups.push((position, vec![part])),
                },
            }
        }
        (groups.into_iter().map(|(_, group)| group).collect(), others)
    }

    /// The automaton of a formula that is known.
    fn built(&self, id: CoreId) -> Built {
        let (dfa, cared) = self.known[&self.shapes.of(id)].clone();
        Built { dfa, tracks: self.ordered(self.cores.free(id)), cared }
    }

    fn ordered(&self, tracks: &[Track]) -> Rc<[Track]> {
        let mut tracks = tracks.to_vec();
        tracks.sort_by_key(|t| self.levels[t.0 as usize]);
        tracks.into()
    }

    /// The automaton of a formula, and whether it says nothing of strings that do not count.
    fn made(&mut self, id: CoreId) -> Result<(TrackDfa, bool), OverBudget> {
        if self.cores.local(id).is_some() {
            return Ok((self.letters(&[id])?.dfa, false));
        }
        let plain = |dfa: TrackDfa| (dfa, false);
        let whole = |built: Built| (built.dfa, built.cared);
        Ok(match self.cores.get(id) {
            Core::Constant(value) => {
                let said =
                    if *value { posetta_automata::tracks::Said::Yes } else { posetta_automata::tracks::Said::No };
                plain(TrackDfa::constant(said, self.budget)?)
            }
            Core::Atom(atom) => plain(self.atom(atom)?),
            Core::Not(f) => {
                let f = self.built(*f);
                (f.dfa.not(), f.cared)
            }
            Core::Restrict(f) => {
                let f = self.built(*f);
                (self.small(&f.dfa.restricted())?, f.cared || self.care.is_some_and(|care| care.restriction == id))
            }
            Core::Prefix(f) => plain(self.small(&self.built(*f).dfa.prefixes())?),
            Core::Iff(f, g) => {
                let (f, g) = (self.built(*f), self.built(*g));
                whole(self.join(&f, &g, Joined::Iff)?)
            }
            Core::And(_) => {
                let parts = self.conjuncts(id)?;
                whole(self.conjunction(parts)?)
            }
            Core::Exists(hidden, f) => {
                let parts = self.conjuncts(*f)?;
                let together = self.cores.sees_lengths(*f);
                whole(self.hide(hidden, parts, together)?)
            }
        })
    }

    /// The automata of the parts of a conjunction.
    fn conjuncts(&mut self, id: CoreId) -> Result<Vec<Built>, OverBudget> {
        let (groups, mut others) = self.grouped(self.parts(&id));
        if self.cores.is_written() {
            // Who joins from the left joins restrictions first: the products of the others are smaller where they are met. MONA puts them
            // into every atom, with the same effect.
            others.sort_by_key(|&part| !matches!(self.cores.get(part), Core::Restrict(_)));
        }
        let mut parts: Vec<Built> = others.into_iter().map(|part| self.built(part)).collect();
        for group in groups {
            parts.push(self.letters(&group)?);
        }
        Ok(parts)
    }

    /// The automaton of a conjunction of formulas that are made of letters alone.
    pub(super) fn letters(&mut self, group: &[CoreId]) -> Result<Built, OverBudget> {
        let mut tracks: Vec<Track> = group.iter().flat_map(|&id| self.cores.free(id).iter().copied()).collect();
        tracks.sort_unstable();
        tracks.dedup();
        let tracks = self.ordered(&tracks);
        let dfa = local::automaton(self.cores, group, &tracks, self.budget)?;
        let dfa = self.small(&dfa)?;
        Ok(Built { dfa, tracks, cared: false })
    }

    fn small(&mut self, dfa: &TrackDfa) -> Result<TrackDfa, OverBudget> {
        let small = minimize(dfa, self.budget)?;
        self.effort.most_states = self.effort.most_states.max(small.states());
        self.effort.most_nodes = self.effort.most_nodes.max(small.nodes());
        Ok(small)
    }

    /// The automaton of an atom over its tracks in the order of the diagrams.
    fn atom(&mut self, atom: &super::core::Atom) -> Result<TrackDfa, OverBudget> {
        let listed = atom.tracks();
        let dfa = atoms::automaton(atom, self.budget)?;
        let [x, y] = listed[..] else { return self.small(&dfa) };
        if self.levels[x.0 as usize] < self.levels[y.0 as usize] {
            return self.small(&dfa);
        }
        // The other way round: small enough to ask for every letter.
        let said: Vec<_> = (0..dfa.states() as u32).map(|s| dfa.said(s)).collect();
        let swapped = TrackDfa::table(
            2,
            &said,
            |state, letter| dfa.step(state as u32, |track| letter >> (1 - track) & 1 == 1) as usize,
            self.budget,
        )?;
        self.small(&swapped)
    }

    /// Two automata at once, over the tracks of both.
    pub(super) fn join(&mut self, f: &Built, g: &Built, joined: Joined) -> Result<Built, OverBudget> {
        self.effort.products += 1;
        let mut all: Vec<Track> = f.tracks.iter().chain(g.tracks.iter()).copied().collect();
        all.sort_unstable();
        all.dedup();
        let tracks = self.ordered(&all);
        let places = |side: &Built| -> Vec<u32> {
            let mut at = 0;
            side.tracks
                .iter()
                .map(|t| {
                    while tracks[at] != *t {
                        at += 1;
                    }
                    at as u32
                })
                .collect()
        };
        let (left, right) = (places(f), places(g));
        let sides = (Side { dfa: &f.dfa, tracks: &left }, Side { dfa: &g.dfa, tracks: &right });
        let both = product(sides.0, sides.1, tracks.len() as u32, joined, self.budget)?;
        Ok(Built { dfa: self.small(&both)?, tracks, cared: f.cared || g.cared })
    }

    /// All of some automata at once, the cheapest pair first.
    fn conjunction(&mut self, mut parts: Vec<Built>) -> Result<Built, OverBudget> {
        if self.cores.is_written() {
            let mut parts = parts.into_iter();
            let Some(mut all) = parts.next() else { return self.truth() };
            for part in parts {
                all = self.join(&all, &part, Joined::And)?;
            }
            return Ok(all);
        }
        let mut pairs = Pairs::new(&parts, self.levels, self.budget)?;
        while parts.len() > 1 {
            let (i, j) = pairs.cheapest();
            let right = parts.swap_remove(j);
            let left = parts.swap_remove(i);
            parts.push(self.join(&left, &right, Joined::And)?);
            pairs.joined(i, j, &parts, self.levels, self.budget)?;
        }
        match parts.pop() {
            Some(all) => Ok(all),
            None => self.truth(),
        }
    }

    fn truth(&self) -> Result<Built, OverBudget> {
        let dfa = TrackDfa::constant(posetta_automata::tracks::Said::Yes, self.budget)?;
        Ok(Built { dfa, tracks: Rc::from([]), cared: false })
    }

    /// The conjunction of automata with tracks hidden.
    fn hide(&mut self, hidden: &[Track], mut parts: Vec<Built>, together: bool) -> Result<Built, OverBudget> {
        if together {
            let all = self.conjunction(parts)?;
            return self.without(&all, hidden, true);
        }
        if self.cores.is_written() {
            let mut all = self.conjunction(parts)?;
            for track in hidden.iter().rev() {
                all = self.without(&all, &[*track], false)?;
            }
            return Ok(all);
        }
        let mut left: Vec<Track> = hidden.to_vec();
        while !left.is_empty() {
            // The track whose parts are the smallest together.
            let cost = |t: &Track| -> (u64, Track) {
                let mentioned = parts.iter().filter(|p| p.tracks.contains(t));
                (mentioned.map(|p| p.dfa.states() as u64).fold(1, u64::saturating_mul), *t)
            };
            let next = left.iter().map(cost).min().expect("there is one").1;
            let (mine, others): (Vec<Built>, Vec<Built>) =
                std::mem::take(&mut parts).into_iter().partition(|p| p.tracks.contains(&next));
            parts = others;
            let all = self.conjunction(mine)?;
            let gone: Vec<Track> = left
                .iter()
                .copied()
                .filter(|t| all.tracks.contains(t) && !parts.iter().any(|p| p.tracks.contains(t)))
                .collect();
            left.retain(|t| !gone.contains(t) && *t != next);
            parts.push(self.without(&all, &gone, false)?);
        }
        self.conjunction(parts)
    }

    /// An automaton with tracks hidden.
    fn without(&mut self, all: &Built, hidden: &[Track], always_beyond: bool) -> Result<Built, OverBudget> {
        let all = &self.cared(all, hidden)?;
        self.effort.projections += 1;
        let places: Vec<u32> =
            (0..all.tracks.len() as u32).filter(|&i| hidden.contains(&all.tracks[i as usize])).collect();
        let tracks: Rc<[Track]> = all.tracks.iter().copied().filter(|t| !hidden.contains(t)).collect();
        let beyond = always_beyond || hidden.iter().any(|&t| self.reaches_beyond(t));
        let dfa = if beyond { &self.small(&quotient(&all.dfa, &places))? } else { &all.dfa };
        let projected = project(dfa, &places, self.budget)?;
        Ok(Built { dfa: self.small(&projected)?, tracks, cared: all.cared })
    }

    /// An automaton that says nothing of strings that do not count, if it speaks of the set that decides that.
    fn cared(&mut self, all: &Built, hidden: &[Track]) -> Result<Built, OverBudget> {
        let care =
            self.care.filter(|care| !all.cared && !hidden.contains(&care.track) && all.tracks.contains(&care.track));
        let Some(care) = care else { return Ok(all.clone()) };
        if all.dfa.states() <= FEW {
            return Ok(all.clone());
        }
        // The restriction itself is made without it.
        let mut apart = Self::new(self.cores, self.infos, self.levels, None, self.budget);
        let restriction = apart.automaton(care.restriction)?;
        let both = self.join(all, &restriction, Joined::And)?;
        Ok(Built { cared: true, ..both })
    }

    /// Whether a track stands for a set.
    pub(super) fn is_set(&self, track: Track) -> bool {
        self.infos[track.0 as usize].order == Order::Two
    }

    /// Whether a track may have ones beyond the end of the string.
    pub(super) fn reaches_beyond(&self, track: Track) -> bool {
        !self.infos[track.0 as usize].ends_with_string()
    }
}
