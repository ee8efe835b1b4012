//! Configurations (t, w, m) and how one follows another (paper 000, section 4, with the corrections below).
//!
//! A configuration stands for every cut between t and w, reached in mode m: what is in t had to happen, what is in w but not
//! in t may have. The paper adds to w one event at a time; here [`Space::close`] finds for each chain the first event that m
//! does not stay on and cuts everything from it on away, with reverse clocks. A configuration is closed before anyone sees
//! it, so equal closures are one. Unlike in print, an event that m both stays on and moves on keeps the self-loop.

use super::modes::Modes;
use crate::machine::Mode;
use posetta_base::{OverBudget, PackedSet};
use posetta_trace::{Packing, Slice};

/// So many positions are looked at one by one before the lists by class are asked: blockers are mostly near.
const NEAR: u32 = 16;

/// With more classes on a chain, looking at events one by one is as good as looking at lists.
const FEW_CLASSES: usize = 64;

/// Where the events of one class lie on one chain.
struct Positions {
    class: u32,
    /// From 1, ascending.
    at: Vec<u32>,
}

/// The events of a slice by class, and how their cuts are packed.
pub(super) struct Space<'a> {
    pub(super) slice: &'a Slice,
    /// The class of each place.
    classes: Vec<u32>,
    lists: Vec<Vec<Positions>>,
    pub(super) lengths: Vec<u32>,
    pub(super) packing: Packing,
}

/// A configuration in the hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Config {
    pub(super) t: Vec<u32>,
    pub(super) w: Vec<u32>,
    pub(super) mode: Mode,
}

/// In which direction candidates are looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Toward {
    Later,
    Earlier,
}

impl<'a> Space<'a> {
    pub(super) fn new(slice: &'a Slice, class_of: impl Fn(u32) -> u32) -> Self {
        let classes: Vec<u32> = (0..slice.places()).map(class_of).collect();
        let mut lists = Vec::with_capacity(slice.width());
        for chain in 0..slice.width() {
            let mut of: rustc_hash::FxHashMap<u32, Vec<u32>> = rustc_hash::FxHashMap::default();
            for position in 1..=slice.len(chain) {
                of.entry(classes[slice.place(chain, position) as usize]).or_default().push(position);
            }
            let mut list: Vec<Positions> = of.into_iter().map(|(class, at)| Positions { class, at }).collect();
            list.sort_unstable_by_key(|p| p.class);
            lists.push(list);
        }
        let lengths = (0..slice.width()).map(|c| slice.len(c)).collect();
        Self { slice, classes, lists, lengths, packing: slice.packing() }
    }

    pub(super) fn width(&self) -> usize {
        self.lengths.len()
    }

    /// About how many bytes it takes.
    pub(super) fn bytes(&self) -> u64 {
        8 * self.classes.len() as u64
    }

    /// The class of the event at a position of a chain.
    #[inline]
    pub(super) fn class(&self, chain: usize, position: u32) -> u32 {
        self.classes[self.slice.place(chain, position) as usize]
    }

    /// The first position at or after `from` whose event the mode does not stay on.
    fn blocker<M: Modes>(&self, modes: &mut M, mode: Mode, chain: usize, from: u32) -> Result<Option<u32>, OverBudget> {
        let end = self.lengths[chain];
        for position in from..=end.min(from.saturating_add(NEAR)) {
            if !modes.stays(mode, self.class(chain, position))? {
                return Ok(Some(position));
            }
        }
        if end <= from.saturating_add(NEAR) {
            return Ok(None);
        }
        let mut first: Option<u32> = None;
        for list in &self.lists[chain] {
            if !modes.stays(mode, list.class)?
                && let Some(&position) = list.at.get(list.at.partition_point(|&p| p < from))
            {
                first = Some(first.map_or(position, |f| f.min(position)));
            }
        }
        Ok(first)
    }

    /// The first (or last) position between two that the mode can move on.
    pub(super) fn candidate<M: Modes>(
        &self,
        modes: &mut M,
        mode: Mode,
        chain: usize,
        (from, to): (u32, u32),
        toward: Toward,
    ) -> Result<Option<u32>, OverBudget> {
        if from > to {
            return Ok(None);
        }
        let near = NEAR.min(to - from);
        for i in 0..=near {
            let position = if toward == Toward::Later { from + i } else { to - i };
            if modes.moves(mode, self.class(chain, position))?.count > 0 {
                return Ok(Some(position));
            }
        }
        if near == to - from {
            return Ok(None);
        }
        let mut best: Option<u32> = None;
        for list in &self.lists[chain] {
            let found = match toward {
                Toward::Later => list.at.get(list.at.partition_point(|&p| p < from)).filter(|&&p| p <= to),
                Toward::Earlier => {
                    list.at.partition_point(|&p| p <= to).checked_sub(1).map(|i| &list.at[i]).filter(|&&p| p >= from)
                }
            };
            // Asked only of what can happen here: elsewhere numbers may grow past their limit.
            if let Some(&position) = found
                && modes.moves(mode, list.class)?.count > 0
            {
                best = Some(match (best, toward) {
                    (None, _) => position,
                    (Some(b), Toward::Later) => b.min(position),
                    (Some(b), Toward::Earlier) => b.max(position),
                });
            }
        }
        Ok(best)
    }

    /// The first position between two that the mode can move on, to another mode than those of `covered` before the
    /// position that is given with them.
    pub(super) fn next_open<M: Modes>(
        &self,
        modes: &mut M,
        mode: Mode,
        chain: usize,
        (from, to): (u32, u32),
        covered: &[(Mode, u32)],
    ) -> Result<Option<u32>, OverBudget> {
        if covered.is_empty() || self.lists[chain].len() > FEW_CLASSES {
            return self.candidate(modes, mode, chain, (from, to), Toward::Later);
        }
        let mut first: Option<u32> = None;
        for list in &self.lists[chain] {
            let next = |from: u32| list.at.get(list.at.partition_point(|&p| p < from)).copied().filter(|&p| p <= to);
            if next(from).is_none() {
                continue;
            }
            let moves = modes.moves(mode, list.class)?;
            let open_from = (moves.first..moves.first + moves.count)
                .map(|place| {
                    let target = modes.target(place);
                    covered.iter().find(|(mode, _)| *mode == target).map_or(0, |(_, upto)| upto + 1)
                })
                .min();
            if let Some(position) = open_from.and_then(|open_from| next(from.max(open_from))) {
                first = Some(first.map_or(position, |f| f.min(position)));
            }
        }
        Ok(first)
    }

    /// Adds to w everything that the mode stays on, as far as it can happen.
    pub(super) fn close<M: Modes>(&self, modes: &mut M, w: &mut [u32], mode: Mode) -> Result<(), OverBudget> {
        let mut blockers: Vec<u32> = Vec::new();
        for (chain, &done) in w.iter().enumerate() {
            if done < self.lengths[chain]
                && let Some(position) = self.blocker(modes, mode, chain, done + 1)?
            {
                blockers.push(self.slice.place(chain, position));
            }
        }
        w.copy_from_slice(&self.lengths);
        for place in blockers {
            for (w, &first) in w.iter_mut().zip(self.slice.reverse(place)) {
                *w = (*w).min(first - 1);
            }
        }
        Ok(())
    }

    /// The configuration at the empty cut.
    pub(super) fn start<M: Modes>(&self, modes: &mut M, mode: Mode) -> Result<Config, OverBudget> {
        let mut start = Config { t: vec![0; self.width()], w: vec![0; self.width()], mode };
        self.close(modes, &mut start.w, mode)?;
        Ok(start)
    }

    /// The last position of a chain that can be fired from a configuration: inside w, or the next one if its causes are.
    pub(super) fn last(&self, from: &Config, chain: usize) -> u32 {
        let next = from.w[chain] + 1;
        if next > self.lengths[chain] {
            return from.w[chain];
        }
        let clock = self.slice.clock(self.slice.place(chain, next));
        let enabled = clock.iter().zip(&from.w).enumerate().all(|(j, (&needs, &has))| j == chain || needs <= has);
        if enabled { next } else { from.w[chain] }
    }

    /// What may have happened after an event was fired, before closing: everything that could have, but what comes after it.
    pub(super) fn reach(&self, from: &Config, chain: usize, position: u32, w: &mut [u32]) {
        let reverse = self.slice.reverse(self.slice.place(chain, position));
        for ((w, &before), &first) in w.iter_mut().zip(&from.w).zip(reverse) {
            *w = before.min(first - 1);
        }
        w[chain] = position;
    }

    /// The configuration after firing an event into a mode.
    pub(super) fn fire<M: Modes>(
        &self,
        modes: &mut M,
        from: &Config,
        chain: usize,
        position: u32,
        into: &mut Config,
    ) -> Result<(), OverBudget> {
        let clock = self.slice.clock(self.slice.place(chain, position));
        for ((t, &before), &knows) in into.t.iter_mut().zip(&from.t).zip(clock) {
            *t = before.max(knows);
        }
        self.reach(from, chain, position, &mut into.w);
        self.close(modes, &mut into.w, into.mode)
    }

    /// Whether every event may have happened.
    #[inline]
    pub(super) fn is_full(&self, w: &[u32]) -> bool {
        w == self.lengths
    }

    /// Words per packed configuration: t, w and the mode.
    pub(super) fn words(&self) -> usize {
        2 * self.packing.words() + 1
    }

    pub(super) fn pack(&self, config: &Config, row: &mut [u64]) {
        let words = self.packing.words();
        self.packing.pack(&config.t, &mut row[..words]);
        self.packing.pack(&config.w, &mut row[words..2 * words]);
        row[2 * words] = u64::from(config.mode);
    }

    pub(super) fn unpack(&self, row: &[u64], config: &mut Config) {
        let words = self.packing.words();
        for chain in 0..self.width() {
            config.t[chain] = self.packing.count(&row[..words], chain);
            config.w[chain] = self.packing.count(&row[words..], chain);
        }
        config.mode = row[2 * words] as Mode;
    }

    /// A configuration to be filled.
    pub(super) fn blank(&self) -> Config {
        Config { t: vec![0; self.width()], w: vec![0; self.width()], mode: 0 }
    }
}

/// The table of packed configurations, whatever their width.
pub(super) type Rows = PackedSet<0>;
