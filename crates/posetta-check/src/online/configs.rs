//! Configurations (t, w, mode) of a run that grows (Genon, Massart, Meuter 2006, section 4; see
//! [`space`](crate::linear)).
//!
//! A configuration stands for the cuts between t and w, all reached in one mode. When an event comes whose causes are in w,
//!
//! - a mode that stays on it takes it into w: the configuration grows by itself;
//! - a mode that moves on it fires it into new configurations, which are followed through everything that has come;
//! - and where the configuration has grown, what it fired before is fired again, if the mode that it led to does not stay on
//!   the new event: now that event may have come first.
//!
//! So each configuration is followed as far as events have come, at any time. Where nothing on a chain stands in its way, w is
//! [`OPEN`] there and grows without being touched: an event on which all configurations of a mode only stay costs nothing, however
//! many there are.
//!
//! Every event that has not come will come after what is settled; a configuration whose w leaves some of that out will therefore
//! never meet another event, and is dropped, and what is settled belongs to every t. That is what keeps memory bounded.

use rustc_hash::{FxHashMap, FxHashSet};

use super::WHAT;
use super::modes::{Mode, Modes, Moves};
use super::window::Window;
use posetta_base::{Budget, Claim, OverBudget};
use posetta_compile::Prospect;

/// All of a chain, what has not come included, as long as nothing stands in the way.
const OPEN: u32 = u32::MAX;

/// A configuration in the hand; its w says how far, not [`OPEN`].
#[derive(Clone, Debug)]
pub(super) struct Config {
    pub(super) t: Vec<u32>,
    pub(super) w: Vec<u32>,
    pub(super) mode: Mode,
    /// The cuts from here on are new: what follows from the others has been followed. Not below t.
    new_from: Vec<u32>,
    /// How it came about since the last event came: a place in [`Follow::steps`], or [`OLD`].
    via: u32,
}

impl Config {
    /// A configuration of which nothing has been followed.
    pub(super) fn new(t: Vec<u32>, w: Vec<u32>, mode: Mode) -> Self {
        Self { new_from: t.clone(), t, w, mode, via: OLD }
    }
}

/// The configuration was there before the last event came.
const OLD: u32 = u32::MAX;

/// An event that was read, and what came before it.
#[derive(Clone, Copy, Debug)]
struct Step {
    before: u32,
    chain: u32,
    position: u32,
}

/// The configurations of one mode.
#[derive(Debug, Default)]
struct Group {
    /// For each chain, those whose w is [`OPEN`] there; some may be gone.
    open: Vec<Vec<u32>>,
    /// For each chain, the least w of those that are not, or less.
    least: Vec<u32>,
    /// Those that ceased to be open on the chain of the last event when it came. As long as none has, those that are not open on
    /// the first chain.
    closed: Vec<u32>,
}

/// Configurations, hardly any of which another one contains.
#[derive(Debug, Default)]
pub(super) struct Configs {
    width: usize,
    /// How far two rows are apart in `t` and `w`: there is room for chains to come.
    stride: usize,
    t: Vec<u32>,
    w: Vec<u32>,
    modes: Vec<Mode>,
    groups: FxHashMap<Mode, Group>,
    /// What was settled at the last sweep.
    settled: Vec<u32>,
}

/// No mode: the configuration is gone.
const GONE: Mode = Mode::MAX;

/// A sweep compares each configuration with so many others of its mode.
const COMPARED: usize = 32;

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
        Self { width, stride: width, ..Self::default() }
    }

    /// Puts one in at the empty cut without following it.
    pub(super) fn put_first(&mut self, mode: Mode) {
        let none = vec![0; self.width];
        self.push(&none, &vec![OPEN; self.width], mode);
    }

    pub(super) fn len(&self) -> usize {
        self.modes.len()
    }

    pub(super) fn bytes(&self) -> u64 {
        // Each is on one list for each chain at most, and on one of those that are closed.
        4 * (2 * self.t.capacity() + self.w.capacity() + 2 * self.modes.capacity()) as u64
    }

    /// There is one more chain, on which nothing has happened.
    pub(super) fn widen(&mut self) {
        if self.width == self.stride {
            // By doubling: there may be thousands of processes.
            let (width, stride) = (self.width, (2 * self.width).max(2));
            for (list, new) in [(&mut self.t, 0), (&mut self.w, OPEN)] {
                let mut wider = Vec::with_capacity(stride * self.modes.len());
                for i in 0..self.modes.len() {
                    wider.extend_from_slice(&list[i * width..(i + 1) * width]);
                    wider.resize((i + 1) * stride, new);
                }
                *list = wider;
            }
            self.stride = stride;
        }
        let (width, stride) = (self.width, self.stride);
        for id in 0..self.modes.len() {
            self.t[id * stride + width] = 0;
            self.w[id * stride + width] = OPEN;
            if self.modes[id] != GONE
                && let Some(group) = self.groups.get_mut(&self.modes[id])
            {
                group.open.resize_with(width + 1, Vec::new);
                group.least.resize(width + 1, OPEN);
                group.open[width].push(id as u32);
            }
        }
        self.width += 1;
        self.settled.push(0);
    }

    /// Lists the configurations by mode.
    fn list(&mut self) {
        self.groups.clear();
        for id in 0..self.modes.len() {
            if self.modes[id] != GONE {
                self.enlist(id);
            }
        }
    }

    fn enlist(&mut self, id: usize) {
        let width = self.width;
        let group = self.groups.entry(self.modes[id]).or_default();
        group.open.resize_with(width, Vec::new);
        group.least.resize(width, OPEN);
        for (chain, &w) in self.w[id * self.stride..][..width].iter().enumerate() {
            match w {
                OPEN => group.open[chain].push(id as u32),
                w => group.least[chain] = group.least[chain].min(w),
            }
        }
    }

    #[inline]
    fn t(&self, id: usize) -> &[u32] {
        &self.t[id * self.stride..][..self.width]
    }

    #[inline]
    fn w(&self, id: usize) -> &[u32] {
        &self.w[id * self.stride..][..self.width]
    }

    fn get(&self, id: usize, window: &Window) -> Config {
        let w = self.w(id).iter().enumerate().map(|(chain, &w)| w.min(window.end(chain)));
        Config::new(self.t(id).to_vec(), w.collect(), self.modes[id])
    }

    /// Every configuration.
    pub(super) fn iter(&self, window: &Window) -> impl Iterator<Item = Config> {
        (0..self.modes.len()).filter(|&id| self.modes[id] != GONE).map(|id| self.get(id, window))
    }

    /// The modes in which every event may have happened.
    pub(super) fn at_the_end(&self) -> impl Iterator<Item = Mode> {
        (0..self.modes.len())
            .filter(|&id| self.modes[id] != GONE && self.w(id).iter().all(|&w| w == OPEN))
            .map(|id| self.modes[id])
    }

    /// The mode of every configuration.
    pub(super) fn modes(&self) -> impl Iterator<Item = Mode> {
        self.modes.iter().copied().filter(|&mode| mode != GONE)
    }

    /// Gives modes new names.
    pub(super) fn rename_modes(&mut self, f: impl Fn(Mode) -> Mode) {
        self.modes.iter_mut().filter(|mode| **mode != GONE).for_each(|mode| *mode = f(*mode));
        self.list();
    }

    fn push(&mut self, t: &[u32], w: &[u32], mode: Mode) {
        self.t.extend_from_slice(t);
        self.w.extend_from_slice(w);
        self.modes.push(mode);
        self.t.resize(self.modes.len() * self.stride, 0);
        self.w.resize(self.modes.len() * self.stride, OPEN);
        self.enlist(self.modes.len() - 1);
    }

    /// Puts a configuration in, unless one contains it; drops those that it contains, as far as they are met. If an event has just
    /// come, what contains the configuration contains that event, too.
    fn add(&mut self, config: &Config, chain: Option<usize>, window: &Window) -> bool {
        let w: Vec<u32> =
            config.w.iter().enumerate().map(|(j, &w)| if w == window.end(j) { OPEN } else { w }).collect();
        if let Some(group) = self.groups.get(&config.mode) {
            let mut contained = Vec::new();
            let open = group.open.get(chain.unwrap_or(0)).into_iter().flatten();
            for &id in open.chain(&group.closed) {
                let id = id as usize;
                if self.modes[id] != config.mode {
                    continue;
                }
                if within(&config.t, &w, self.t(id), self.w(id)) {
                    return false;
                }
                if within(self.t(id), self.w(id), &config.t, &w) {
                    contained.push(id);
                }
            }
            contained.into_iter().for_each(|id| self.modes[id] = GONE);
        }
        self.push(&config.t, &w, config.mode);
        let id = self.modes.len() as u32 - 1;
        if chain.is_none()
            && w.first().is_some_and(|&w| w != OPEN)
            && let Some(group) = self.groups.get_mut(&config.mode)
        {
            group.closed.push(id);
        }
        true
    }

    /// Drops what meets no further event, given what is settled, and what another configuration contains, as far as that is
    /// found. Answers how much was looked at.
    pub(super) fn sweep(&mut self, settled: &[u32]) -> u64 {
        if self.settled == settled && self.modes.iter().filter(|&&mode| mode == GONE).count() < self.modes.len() / 2 {
            return self.modes.len() as u64;
        }
        let stride = self.stride;
        let mut kept = 0;
        let mut seen: FxHashSet<Box<[u32]>> = FxHashSet::default();
        let mut last: FxHashMap<Mode, Vec<u32>> = FxHashMap::default();
        for id in 0..self.modes.len() {
            if self.modes[id] == GONE || self.w(id).iter().zip(settled).any(|(w, s)| w < s) {
                continue;
            }
            for (i, &settled) in settled.iter().enumerate() {
                self.t[kept * stride + i] = self.t[id * stride + i].max(settled);
                self.w[kept * stride + i] = self.w[id * stride + i];
            }
            self.modes[kept] = self.modes[id];
            let same = last.entry(self.modes[kept]).or_default();
            let recent = &same[same.len().saturating_sub(COMPARED)..];
            let is_contained = |&id: &u32| within(self.t(kept), self.w(kept), self.t(id as usize), self.w(id as usize));
            let whole: Box<[u32]> =
                self.t(kept).iter().chain(self.w(kept)).copied().chain([self.modes[kept]]).collect();
            if !recent.iter().any(is_contained) && seen.insert(whole) {
                same.push(kept as u32);
                kept += 1;
            }
        }
        let cost = (self.modes.len() * COMPARED) as u64;
        self.t.truncate(kept * stride);
        self.w.truncate(kept * stride);
        self.modes.truncate(kept);
        for list in [&mut self.t, &mut self.w, &mut self.modes] {
            if list.capacity() > 4 * list.len() + 1024 {
                list.shrink_to(2 * list.len());
            }
        }
        self.settled = settled.to_vec();
        self.list();
        cost
    }
}

/// Whether the cuts between `t` and `w` are among those between two others.
#[inline]
fn within(t: &[u32], w: &[u32], from: &[u32], to: &[u32]) -> bool {
    from.iter().zip(t).all(|(a, b)| a <= b) && w.iter().zip(to).all(|(a, b)| a <= b)
}

/// Follows configurations through what has come.
pub(super) struct Follow<'a, M> {
    window: &'a Window,
    modes: &'a mut M,
    configs: &'a mut Configs,
    /// A run is looked for that all events may have happened in, not one that is doomed.
    to_the_end: bool,
    budget: &'a Budget,
    /// What is held here, and what the configurations have grown by.
    claim: Claim,
    /// What the configurations took before.
    before: u64,
    open: Vec<Config>,
    steps: Vec<Step>,
    /// The events that lead to the goal, in order, as far as they were read since the last event came.
    pub(super) way: Vec<(usize, u32)>,
    /// How much was looked at.
    pub(super) work: u64,
    /// How much of that the budget knows of.
    counted: u64,
}

/// The budget is told after so much work.
const TURN: u64 = 1024;

impl<'a, M: Modes> Follow<'a, M> {
    pub(super) fn new(
        window: &'a Window,
        modes: &'a mut M,
        configs: &'a mut Configs,
        to_the_end: bool,
        budget: &'a Budget,
    ) -> Result<Self, OverBudget> {
        Ok(Self {
            window,
            modes,
            to_the_end,
            budget,
            claim: budget.claim(0, WHAT)?,
            before: configs.bytes(),
            configs,
            open: Vec::new(),
            steps: Vec::new(),
            way: Vec::new(),
            work: 0,
            counted: 0,
        })
    }

    /// Tells the budget what was done and what is held, from time to time.
    #[inline]
    fn account(&mut self) -> Result<(), OverBudget> {
        if self.work - self.counted < TURN {
            return Ok(());
        }
        self.budget.step(self.work - self.counted, WHAT)?;
        self.counted = self.work;
        let config = size_of::<Config>() + 3 * (4 * self.window.width() + 16);
        let held = self.open.capacity() * config + self.steps.capacity() * size_of::<Step>();
        self.claim.grow_to(held as u64 + self.configs.bytes().saturating_sub(self.before), WHAT)
    }

    /// Enters a configuration that has not been closed, and all that follows from it.
    pub(super) fn enter(&mut self, mut config: Config) -> Result<Came, OverBudget> {
        self.close(&mut config.w, config.mode)?;
        self.open.push(config);
        self.explore(None)
    }

    /// An event has come: the last one of a chain.
    pub(super) fn arrive(&mut self, chain: usize) -> Result<Came, OverBudget> {
        let position = self.window.end(chain);
        let class = self.window.class(chain, position);
        let modes: Vec<Mode> = self.configs.groups.keys().copied().collect();
        for mode in modes {
            self.work += 1;
            let moves = self.modes.moves(mode, class)?;
            let again = moves.stay && self.modes.fires_again(mode, class)?;
            let clock = self.window.clock(chain, position);
            let Some(group) = self.configs.groups.get_mut(&mode) else { continue };
            group.closed.clear();
            let grows = |(j, (needs, least)): (usize, (&u32, &u32))| j == chain || needs <= least;
            let all_grow = moves.stay && clock.iter().zip(&group.least).enumerate().all(grows);
            if group.open[chain].is_empty() || all_grow && moves.places().is_empty() && !again {
                continue;
            }
            self.arrive_in(mode, moves, again, chain, position, class)?;
        }
        self.explore(Some(chain))
    }

    /// The event meets the configurations of a mode that are open on its chain.
    fn arrive_in(
        &mut self,
        mode: Mode,
        moves: Moves,
        again: bool,
        chain: usize,
        position: u32,
        class: u32,
    ) -> Result<(), OverBudget> {
        let (window, stride) = (self.window, self.configs.stride);
        let clock = window.clock(chain, position);
        let Some(group) = self.configs.groups.get_mut(&mode) else { return Ok(()) };
        let ids = std::mem::take(&mut group.open[chain]);
        let (mut still_open, mut closed) = (Vec::with_capacity(ids.len()), Vec::new());
        self.work += ids.len() as u64;
        for id in ids {
            if self.configs.modes[id as usize] != mode {
                continue;
            }
            let w = self.configs.w(id as usize);
            let ready = clock.iter().zip(w).enumerate().all(|(j, (needs, has))| j == chain || needs <= has);
            if ready && (again || !moves.places().is_empty()) {
                let mut config = self.configs.get(id as usize, window);
                config.via = self.step(OLD, chain, position);
                config.new_from.iter_mut().zip(clock).for_each(|(from, &c)| *from = (*from).max(c));
                if again {
                    self.fire_again(&config, class)?;
                }
                config.t.copy_from_slice(&config.new_from);
                for place in moves.places() {
                    let mut next = Config { mode: self.modes.target(place), ..config.clone() };
                    self.close(&mut next.w, next.mode)?;
                    self.open.push(next);
                }
            }
            match ready && moves.stay {
                true => still_open.push(id),
                false => {
                    self.configs.w[id as usize * stride + chain] = position - 1;
                    closed.push(id);
                }
            }
        }
        if let Some(group) = self.configs.groups.get_mut(&mode) {
            if !closed.is_empty() {
                group.least[chain] = group.least[chain].min(position - 1);
            }
            group.open[chain] = still_open;
            group.closed = closed;
        }
        Ok(())
    }

    /// Fires what was fired before, where the new event may now have come first: into modes that do not stay on its class.
    fn fire_again(&mut self, config: &Config, class: u32) -> Result<(), OverBudget> {
        self.fire_all(config, Some(class))
    }

    /// Fires everything that is new. `past` is the class of an event that the modes fired into must not stay on.
    fn fire_all(&mut self, config: &Config, past: Option<u32>) -> Result<(), OverBudget> {
        // Modes that an earlier event of the chain has led to with nothing in the way: a later one leads to less.
        let mut done: Vec<Mode> = Vec::new();
        let (mask, targets) = self.modes.ways(config.mode)?;
        for chain in 0..self.window.width() {
            self.work += 1;
            if self.window.mask(chain) & mask == 0 {
                continue;
            }
            done.clear();
            let last = self.last(config, chain);
            for i in 0..last.saturating_sub(config.new_from[chain]) {
                if done.len() == targets {
                    break;
                }
                let position = config.new_from[chain] + 1 + i;
                let moves = self.modes.moves(config.mode, self.window.class(chain, position))?;
                self.work += 1;
                self.account()?;
                for place in moves.places() {
                    let target = self.modes.target(place);
                    if done.contains(&target) || past.map_or(Ok(false), |c| Ok(self.modes.moves(target, c)?.stay))? {
                        continue;
                    }
                    let next = self.fire(config, chain, position, target)?;
                    if next.w.iter().enumerate().all(|(j, &w)| w == self.window.end(j)) {
                        done.push(target);
                    }
                    self.open.push(next);
                }
            }
        }
        Ok(())
    }

    fn explore(&mut self, chain: Option<usize>) -> Result<Came, OverBudget> {
        while let Some(config) = self.open.pop() {
            self.work += 1;
            self.account()?;
            match self.modes.prospect(config.mode) {
                Prospect::Holds => continue,
                Prospect::Violated => {
                    self.open.clear();
                    self.tell(config.via);
                    return Ok(Came::ToTheGoal);
                }
                Prospect::Open => {}
            }
            if self.to_the_end && (0..config.w.len()).all(|j| config.w[j] == self.window.end(j)) {
                self.open.clear();
                return Ok(Came::ToTheGoal);
            }
            if self.configs.add(&config, chain, self.window) {
                self.fire_all(&config, None)?;
            }
        }
        Ok(Came::ToAnEnd)
    }

    /// Notes an event that was read, if somebody may ask for the way.
    fn step(&mut self, before: u32, chain: usize, position: u32) -> u32 {
        if self.to_the_end {
            return OLD;
        }
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
        for list in [&mut next.t, &mut next.new_from] {
            list.iter_mut().zip(clock).for_each(|(t, &c)| *t = (*t).max(c));
        }
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
