//! Configurations (t, w, mode) of a run that grows (Genon, Massart, Meuter 2006, section 4; see
//! [`space`](crate::check::linear)).
//!
//! A configuration stands for the cuts between t and w, all reached in one mode. When an event comes whose causes are in w,
//!
//! - a mode that stays on it takes it into w: the configuration grows by itself;
//! - a mode that moves on it fires it into new configurations, which are followed through everything that has come;
//! - and where the configuration has grown, what it fired before is fired again, if the mode that it led to does not stay on
//!   the new event: now that event may have come first.
//!
//! So each configuration is followed as far as events have come, at any time. Every event that has not come will come after
//! what is settled; a configuration whose w leaves some of that out will therefore never meet another event, and is dropped, and
//! what is settled belongs to every t. That is what keeps memory bounded.

use super::modes::{Mode, Modes};
use super::window::Window;
use crate::base::{Budget, OverBudget};
use crate::compile::Fate;

const WHAT: &str = "following the orders of what has come";

/// A configuration in the hand.
#[derive(Clone, Debug)]
pub(super) struct Config {
    pub(super) t: Vec<u32>,
    pub(super) w: Vec<u32>,
    pub(super) mode: Mode,
    /// How it came about since the last event came: a place in [`Follow::steps`], or [`OLD`].
    pub(super) via: u32,
}

/// The configuration was there before the last event came.
pub(super) const OLD: u32 = u32::MAX;

/// An event that was read, and what came before it.
#[derive(Clone, Copy, Debug)]
struct Step {
    before: u32,
    chain: u32,
    position: u32,
}

/// Configurations none of which another one contains.
#[derive(Debug, Default)]
pub(super) struct Configs {
    width: usize,
    t: Vec<u32>,
    w: Vec<u32>,
    modes: Vec<Mode>,
}

/// No mode: the configuration is gone.
const GONE: Mode = Mode::MAX;

/// What an exploration came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Came {
    /// Everything was followed.
    ToAnEnd,
    /// A run was found that is what was looked for.
    ToTheGoal,
}

impl Configs {
    /// None, on so many chains.
    pub(super) fn of_width(width: usize) -> Self {
        Self { width, ..Self::default() }
    }

    /// Puts one in without following it.
    pub(super) fn put(&mut self, config: &Config) {
        self.push(config);
    }

    pub(super) fn len(&self) -> usize {
        self.modes.len()
    }

    pub(super) fn bytes(&self) -> u64 {
        4 * (self.t.capacity() + self.w.capacity() + self.modes.capacity()) as u64
    }

    /// There is one more chain, on which nothing has happened.
    pub(super) fn widen(&mut self) {
        let width = self.width;
        for list in [&mut self.t, &mut self.w] {
            let mut wider = Vec::with_capacity((width + 1) * self.modes.len());
            for i in 0..self.modes.len() {
                wider.extend_from_slice(&list[i * width..(i + 1) * width]);
                wider.push(0);
            }
            *list = wider;
        }
        self.width += 1;
    }

    #[inline]
    fn t(&self, id: usize) -> &[u32] {
        &self.t[id * self.width..(id + 1) * self.width]
    }

    #[inline]
    fn w(&self, id: usize) -> &[u32] {
        &self.w[id * self.width..(id + 1) * self.width]
    }

    fn get(&self, id: usize) -> Config {
        Config { t: self.t(id).to_vec(), w: self.w(id).to_vec(), mode: self.modes[id], via: OLD }
    }

    /// Every configuration.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&[u32], &[u32], Mode)> {
        (0..self.modes.len()).filter(|&id| self.modes[id] != GONE).map(|id| (self.t(id), self.w(id), self.modes[id]))
    }

    /// The mode of every configuration, to be renamed.
    pub(super) fn modes_mut(&mut self) -> impl Iterator<Item = &mut Mode> {
        self.modes.iter_mut().filter(|mode| **mode != GONE)
    }

    /// Whether a configuration contains this one; those that this one contains are dropped.
    fn covers(&mut self, config: &Config) -> bool {
        for id in 0..self.modes.len() {
            if self.modes[id] != config.mode {
                continue;
            }
            if within(&config.t, &config.w, self.t(id), self.w(id)) {
                return true;
            }
            if within(self.t(id), self.w(id), &config.t, &config.w) {
                self.modes[id] = GONE;
            }
        }
        false
    }

    fn push(&mut self, config: &Config) {
        self.t.extend_from_slice(&config.t);
        self.w.extend_from_slice(&config.w);
        self.modes.push(config.mode);
    }

    /// Drops what meets no further event, given what is settled, and what another configuration contains. Answers how much was
    /// looked at.
    pub(super) fn sweep(&mut self, settled: &[u32]) -> u64 {
        let mut cost = self.modes.len() as u64;
        let mut kept = 0;
        for id in 0..self.modes.len() {
            let dead = self.modes[id] == GONE || self.w(id).iter().zip(settled).any(|(w, s)| w < s);
            if dead {
                continue;
            }
            let (from, to) = (id * self.width, kept * self.width);
            for i in 0..self.width {
                self.t[to + i] = self.t[from + i].max(settled[i]);
                self.w[to + i] = self.w[from + i];
            }
            self.modes[kept] = self.modes[id];
            cost += kept as u64;
            if !self.is_contained(kept) {
                kept += 1;
            }
        }
        self.t.truncate(kept * self.width);
        self.w.truncate(kept * self.width);
        self.modes.truncate(kept);
        for list in [&mut self.t, &mut self.w, &mut self.modes] {
            if list.capacity() > 4 * list.len() + 1024 {
                list.shrink_to(2 * list.len());
            }
        }
        cost
    }

    /// Whether one of the configurations before a place contains the one there.
    fn is_contained(&self, place: usize) -> bool {
        let in_one = |id: usize| {
            self.modes[id] == self.modes[place] && within(self.t(place), self.w(place), self.t(id), self.w(id))
        };
        (0..place).any(in_one)
    }
}

/// Whether the cuts between `t` and `w` are among those between two others.
#[inline]
fn within(t: &[u32], w: &[u32], from: &[u32], to: &[u32]) -> bool {
    from.iter().zip(t).all(|(a, b)| a <= b) && w.iter().zip(to).all(|(a, b)| a <= b)
}

/// Follows configurations through what has come.
pub(super) struct Follow<'a, M> {
    pub(super) window: &'a Window,
    pub(super) modes: &'a mut M,
    pub(super) configs: &'a mut Configs,
    /// A run is looked for that all events may have happened in, not one that is doomed.
    pub(super) to_the_end: bool,
    pub(super) budget: &'a Budget,
    open: Vec<Config>,
    steps: Vec<Step>,
    /// The events that lead to the goal, in order, as far as they were read since the last event came.
    pub(super) way: Vec<(usize, u32)>,
    /// How much was looked at.
    pub(super) work: u64,
}

impl<'a, M: Modes> Follow<'a, M> {
    pub(super) fn new(
        window: &'a Window,
        modes: &'a mut M,
        configs: &'a mut Configs,
        to_the_end: bool,
        budget: &'a Budget,
    ) -> Self {
        Self {
            window,
            modes,
            configs,
            to_the_end,
            budget,
            open: Vec::new(),
            steps: Vec::new(),
            way: Vec::new(),
            work: 0,
        }
    }

    /// Enters a configuration that has not been closed, and all that follows from it.
    pub(super) fn enter(&mut self, mut config: Config) -> Result<Came, OverBudget> {
        self.close(&mut config.w, config.mode)?;
        self.open.push(config);
        self.explore()
    }

    /// An event has come: the last one of a chain.
    pub(super) fn arrive(&mut self, chain: usize) -> Result<Came, OverBudget> {
        let position = self.window.end(chain);
        let class = self.window.class(chain, position);
        let clock = self.window.clock(chain, position);
        let count = self.configs.len();
        self.work += count as u64;
        for id in 0..count {
            let mode = self.configs.modes[id];
            if mode == GONE {
                continue;
            }
            let w = self.configs.w(id);
            let ready = w[chain] == position - 1
                && clock.iter().zip(w).enumerate().all(|(j, (&needs, &has))| j == chain || needs <= has);
            if !ready {
                continue;
            }
            let moves = self.modes.moves(mode, class)?;
            if moves.places().is_empty() && !moves.stay {
                continue;
            }
            let mut config = self.configs.get(id);
            config.w[chain] = position;
            config.t.iter_mut().zip(clock).for_each(|(t, &c)| *t = (*t).max(c));
            config.via = self.step(OLD, chain, position);
            for place in moves.places() {
                let mut next = Config { mode: self.modes.target(place), ..config.clone() };
                self.close(&mut next.w, next.mode)?;
                self.open.push(next);
            }
            if moves.stay {
                self.configs.w[id * self.configs.width + chain] = position;
                self.fire_again(&config, class)?;
            }
        }
        self.explore()
    }

    /// Fires what was fired before, where the new event may now have come first. `config` is what the configuration has become,
    /// as far as it contains the new event; `class` is that of the event.
    fn fire_again(&mut self, config: &Config, class: u32) -> Result<(), OverBudget> {
        if !self.modes.fires_again(config.mode, class)? {
            return Ok(());
        }
        for chain in 0..self.window.width() {
            let last = self.last(config, chain);
            let from = config.t[chain];
            for i in 0..last.saturating_sub(from) {
                let position = from + 1 + i;
                let moves = self.modes.moves(config.mode, self.window.class(chain, position))?;
                self.work += 1;
                for place in moves.places() {
                    let target = self.modes.target(place);
                    if !self.modes.moves(target, class)?.stay {
                        let next = self.fire(config, chain, position, target)?;
                        self.open.push(next);
                    }
                }
            }
        }
        Ok(())
    }

    fn explore(&mut self) -> Result<Came, OverBudget> {
        while let Some(config) = self.open.pop() {
            self.work += 1;
            if self.work.is_multiple_of(1024) {
                self.budget.step(1024, WHAT)?;
            }
            match self.modes.fate(config.mode) {
                Fate::Saved => continue,
                Fate::Doomed => {
                    self.open.clear();
                    self.tell(config.via);
                    return Ok(Came::ToTheGoal);
                }
                Fate::Open => {}
            }
            if self.to_the_end && (0..config.w.len()).all(|j| config.w[j] == self.window.end(j)) {
                self.open.clear();
                return Ok(Came::ToTheGoal);
            }
            if self.configs.covers(&config) {
                continue;
            }
            self.configs.push(&config);
            for chain in 0..self.window.width() {
                let last = self.last(&config, chain);
                for i in 0..last.saturating_sub(config.t[chain]) {
                    let position = config.t[chain] + 1 + i;
                    let moves = self.modes.moves(config.mode, self.window.class(chain, position))?;
                    self.work += 1;
                    for place in moves.places() {
                        let target = self.modes.target(place);
                        let next = self.fire(&config, chain, position, target)?;
                        self.open.push(next);
                    }
                }
            }
        }
        Ok(Came::ToAnEnd)
    }

    fn step(&mut self, before: u32, chain: usize, position: u32) -> u32 {
        self.steps.push(Step { before, chain: chain as u32, position });
        self.steps.len() as u32 - 1
    }

    /// Puts the way to a configuration into [`Self::way`].
    fn tell(&mut self, mut via: u32) {
        while via != OLD {
            let step = self.steps[via as usize];
            self.way.push((step.chain as usize, step.position));
            via = step.before;
        }
        self.way.reverse();
    }

    /// The last position of a chain that can be fired from a configuration: inside w, or the next one if its causes are.
    fn last(&self, config: &Config, chain: usize) -> u32 {
        let next = config.w[chain] + 1;
        if next > self.window.end(chain) {
            return config.w[chain];
        }
        let clock = self.window.clock(chain, next);
        let ready = clock.iter().zip(&config.w).enumerate().all(|(j, (&needs, &has))| j == chain || needs <= has);
        if ready { next } else { config.w[chain] }
    }

    /// The configuration after firing an event into a mode.
    fn fire(&mut self, from: &Config, chain: usize, position: u32, mode: Mode) -> Result<Config, OverBudget> {
        let mut next = Config { mode, via: self.step(from.via, chain, position), ..from.clone() };
        let clock = self.window.clock(chain, position);
        next.t.iter_mut().zip(clock).for_each(|(t, &c)| *t = (*t).max(c));
        for (j, w) in next.w.iter_mut().enumerate() {
            *w = (*w).min(self.window.first_after(j, chain, position) - 1);
        }
        next.w[chain] = position;
        self.close(&mut next.w, mode)?;
        Ok(next)
    }

    /// Adds to w everything that the mode stays on, as far as it can happen.
    fn close(&mut self, w: &mut [u32], mode: Mode) -> Result<(), OverBudget> {
        let mut blockers: Vec<(usize, u32)> = Vec::new();
        for (chain, &done) in w.iter().enumerate() {
            for (i, &class) in self.window.classes_after(chain, done).iter().enumerate() {
                self.work += 1;
                if !self.modes.moves(mode, class)?.stay {
                    blockers.push((chain, done + 1 + i as u32));
                    break;
                }
            }
        }
        for (j, w) in w.iter_mut().enumerate() {
            *w = self.window.end(j);
            for &(chain, position) in &blockers {
                *w = (*w).min(self.window.first_after(j, chain, position) - 1);
            }
        }
        Ok(())
    }
}
