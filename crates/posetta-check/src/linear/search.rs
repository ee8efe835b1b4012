//! The search through configurations, for one that ends badly.
//!
//! It starts with two hunts: last in, first out, successors one at a time. The first takes the latest event first, which leaves
//! the least to go wrong behind it; the second the earliest, which leaves the most to come. A violation is mostly found
//! within a few configurations. After [`HUNT`] of them a hunt ends, and the last one becomes a proof: by the number of events in
//! t, ascending, so that what covers much comes before what is covered; all configurations of one size are expanded side by
//! side on as many threads as there are, and entered in one order, so that nothing depends on how many.

use std::thread;

use rustc_hash::FxHashMap;

use super::cover::Cover;
use super::modes::Modes;
use super::space::{Config, Rows, Space, Toward};
use super::table::Table;
use crate::Order;
use posetta_base::{Budget, Claim, Limit, OverBudget};

/// How many configurations a hunt may take.
const HUNT: usize = 1 << 11;

/// And for each of them, how many that are known already.
const TRIES: usize = 4;

/// So many configurations are expanded by threads before their successors are entered.
const SLAB: usize = 1 << 12;

/// Fewer configurations than this for each thread are not worth starting threads.
const WORTH_A_THREAD: usize = 64;

const WHAT: &str = "searching the orders";

/// No configuration came before.
const NONE: u32 = u32::MAX;

/// What a search costs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cost {
    /// Closed configurations that no other covered.
    pub(crate) configurations: u64,
    /// Configurations that another one covered.
    pub(crate) covered: u64,
    /// An event was fired after which a comparison divides by zero.
    pub(crate) divides: bool,
}

/// How to search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner {
    pub(super) order: Order,
    pub(super) covering: bool,
    pub(super) threads: usize,
    /// A proof gives up after so many configurations.
    pub(super) patience: Option<u64>,
    /// Somebody else is waiting for the search to give up after so many.
    pub(super) turn: Option<u64>,
    /// Any search counts as cancelled when it has tried more configurations, known ones included.
    pub(super) most: Option<u64>,
}

impl Manner {
    /// How many configurations a hunt may take.
    fn hunt(&self) -> usize {
        self.turn.map_or(HUNT, |turn| HUNT.min(turn as usize))
    }
}

/// The events that were fired on the way to a configuration that ends badly, and the mode after each; and where it started.
#[derive(Debug)]
pub(super) struct Way {
    pub(super) start: u32,
    pub(super) fired: Vec<(u32, u32)>,
}

/// How a search ended.
pub(super) enum Found {
    /// At a configuration that ends badly.
    Way(Way),
    /// There is none.
    Nothing,
    /// Patience ended first.
    TooMany,
}

/// How a configuration was reached.
#[derive(Clone, Copy)]
struct Step {
    parent: u32,
    place: u32,
}

pub(super) struct Search<'s, 'a, M> {
    space: &'s Space<'a>,
    modes: &'s mut M,
    manner: Manner,
    rows: Rows,
    steps: Vec<Step>,
    cover: Cover,
    /// What the hunt entered, by itself: it lies elsewhere than what a proof enters, and would spoil its blocks.
    hunted: Cover,
    cost: &'s mut Cost,
    budget: &'s Budget,
    claim: Claim,
    look_at: usize,
    /// How many configurations were offered to the table.
    tries: usize,
    row: Vec<u64>,
}

/// A configuration whose successors are generated one event at a time.
struct Frame {
    id: u32,
    chain: usize,
    /// The first and the last position of the chain that may still be fired; if not known, all that can be.
    left: Option<(u32, u32)>,
}

/// What became of a configuration.
enum Entered {
    New(u32),
    Known,
    /// It ends badly.
    Bad,
}

/// Successors of one configuration, packed one after another.
#[derive(Default)]
struct Successors {
    rows: Vec<u64>,
    steps: Vec<Step>,
    /// Those that another one of the same event chain covers, which were not even packed.
    covered: u64,
    divides: bool,
}

impl<'s, 'a, M: Modes> Search<'s, 'a, M> {
    pub(super) fn new(
        space: &'s Space<'a>,
        modes: &'s mut M,
        manner: Manner,
        cost: &'s mut Cost,
        budget: &'s Budget,
    ) -> Result<Self, OverBudget> {
        Ok(Self {
            space,
            modes,
            manner,
            rows: Rows::new(space.words()),
            steps: Vec::new(),
            cover: Cover::new(space.width()),
            hunted: Cover::new(space.width()),
            cost,
            budget,
            claim: budget.claim(space.bytes(), WHAT)?,
            look_at: 0,
            tries: 0,
            row: vec![0; space.words()],
        })
    }

    /// Looks for a configuration that ends badly.
    pub(super) fn find(mut self) -> Result<Found, OverBudget> {
        match self.manner.order {
            Order::Hunt => self.hunt_and_prove(Toward::Earlier, usize::MAX, true),
            Order::Proof => self.hunt_and_prove(Toward::Earlier, 0, true),
            Order::Auto => match self.hunt_and_prove(Toward::Earlier, self.manner.hunt(), false)? {
                Found::TooMany => {
                    // Another hunter starts from nothing: where the first one has been, it may not have looked at everything.
                    self.rows = Rows::new(self.space.words());
                    self.steps.clear();
                    self.cover = Cover::new(self.space.width());
                    self.look_at = 0;
                    self.hunt_and_prove(Toward::Later, self.manner.hunt(), true)
                }
                found => Ok(found),
            },
        }
    }

    /// A hunt, and if it was not enough and `to_the_end` is asked for, a proof.
    fn hunt_and_prove(&mut self, toward: Toward, patience: usize, to_the_end: bool) -> Result<Found, OverBudget> {
        let mut stack = Vec::new();
        for mode in self.modes.starts().to_vec() {
            let start = self.space.start(self.modes, mode)?;
            match self.enter(&start, Step { parent: NONE, place: NONE })? {
                Entered::Bad => return Ok(Found::Way(Way { start: mode, fired: Vec::new() })),
                Entered::New(id) => stack.push(Frame { id, chain: 0, left: None }),
                Entered::Known => {}
            }
        }
        stack.reverse();
        if let Some(way) = self.hunt(&mut stack, toward, patience)? {
            return Ok(Found::Way(way));
        }
        if stack.is_empty() {
            return Ok(Found::Nothing);
        }
        if !to_the_end {
            return Ok(Found::TooMany);
        }
        self.hunted = std::mem::replace(&mut self.cover, Cover::new(self.space.width()));
        let mut open = Open::new(self.space, self.budget)?;
        let mut config = self.space.blank();
        for frame in stack {
            self.space.unpack(self.rows.row(frame.id), &mut config);
            open.push(size(&config), frame.id);
        }
        self.prove(open)
    }

    /// Last in, first out, until nothing is left or patience is.
    fn hunt(&mut self, stack: &mut Vec<Frame>, toward: Toward, patience: usize) -> Result<Option<Way>, OverBudget> {
        let tries = self.tries.saturating_add(patience.saturating_mul(TRIES));
        let (mut from, mut into) = (self.space.blank(), self.space.blank());
        let mut at = None;
        while let Some(frame) = stack.last_mut() {
            // Tries count, too: one configuration may have a million successors that are all known.
            if self.rows.len() >= patience || self.tries >= tries {
                return Ok(None);
            }
            if at != Some(frame.id) {
                self.space.unpack(self.rows.row(frame.id), &mut from);
                at = Some(frame.id);
            }
            let chain = frame.chain;
            let left = frame.left.unwrap_or_else(|| (from.t[chain] + 1, self.space.last(&from, chain)));
            match self.space.candidate(self.modes, from.mode, chain, left, toward)? {
                None => {
                    frame.chain += 1;
                    frame.left = None;
                    if frame.chain == self.space.width() {
                        stack.pop();
                        at = None;
                    }
                }
                Some(position) => {
                    frame.left = Some(match toward {
                        Toward::Earlier => (left.0, position - 1),
                        Toward::Later => (position + 1, left.1),
                    });
                    let step = Step { parent: frame.id, place: self.space.slice.place(chain, position) };
                    let moves = self.modes.moves(from.mode, self.space.class(chain, position))?;
                    self.cost.divides |= moves.divides;
                    for target in moves.first..moves.first + moves.count {
                        into.mode = self.modes.target(target);
                        self.space.fire(self.modes, &from, chain, position, &mut into)?;
                        match self.enter(&into, step)? {
                            Entered::Bad => return Ok(Some(self.way(step, into.mode))),
                            Entered::New(id) => stack.push(Frame { id, chain: 0, left: None }),
                            Entered::Known => {}
                        }
                    }
                }
            }
        }
        Ok(None)
    }

    /// By size, ascending.
    fn prove(&mut self, mut open: Open) -> Result<Found, OverBudget> {
        let mut config = self.space.blank();
        let mut scratch = Scratch::new(self.space);
        let mut group: Vec<u32> = Vec::new();
        while open.next(&mut group) {
            if self
                .manner
                .patience
                .is_some_and(|patience| self.rows.len() as u64 > patience.max(self.manner.hunt() as u64))
            {
                return Ok(Found::TooMany);
            }
            group.retain(|&id| {
                self.space.unpack(self.rows.row(id), &mut config);
                // What came later may have a smaller t.
                let covered = self.manner.covering && self.cover.covers_later(self.space, &self.rows, &config, id);
                self.cost.covered += u64::from(covered);
                !covered
            });
            let threads = self.manner.threads.min(group.len() / WORTH_A_THREAD);
            for slab in group.chunks(SLAB) {
                let (space, rows, covering) = (self.space, &self.rows, self.manner.covering);
                if let (2.., Some(table)) = (threads, self.modes.shared()) {
                    for mut found in expand(space, rows, table, slab, covering, threads, self.budget)? {
                        if let Some(way) = self.take(&mut found, &mut open)? {
                            return Ok(Found::Way(way));
                        }
                    }
                } else {
                    for &id in slab {
                        scratch.expand(space, &self.rows, self.modes, id, covering, self.budget)?;
                        if let Some(way) = self.take(&mut scratch.found, &mut open)? {
                            return Ok(Found::Way(way));
                        }
                    }
                }
            }
        }
        Ok(Found::Nothing)
    }

    /// Enters successors. Answers with the way to one that ends badly.
    fn take(&mut self, found: &mut Successors, open: &mut Open) -> Result<Option<Way>, OverBudget> {
        self.cost.covered += found.covered;
        self.cost.divides |= found.divides;
        let _held = self.budget.claim(8 * (found.rows.capacity() + found.steps.capacity()) as u64, WHAT)?;
        let mut config = self.space.blank();
        for (row, &step) in found.rows.chunks_exact(self.space.words()).zip(&found.steps) {
            self.space.unpack(row, &mut config);
            match self.enter(&config, step)? {
                Entered::Bad => return Ok(Some(self.way(step, config.mode))),
                Entered::New(id) => open.push(size(&config), id),
                Entered::Known => {}
            }
        }
        Ok(None)
    }

    /// Takes a closed configuration into the table, unless it is covered.
    fn enter(&mut self, config: &Config, step: Step) -> Result<Entered, OverBudget> {
        self.tries += 1;
        if self.manner.most.is_some_and(|most| self.tries as u64 > most) {
            return Err(OverBudget::new(WHAT, Limit::Cancelled));
        }
        if self.tries.is_multiple_of(256) {
            self.budget.step(0, WHAT)?;
        }
        if self.space.is_full(&config.w) && self.modes.accepts(config.mode) {
            self.cost.configurations += 1;
            return Ok(Entered::Bad);
        }
        if self.modes.is_sink(config.mode) {
            // It has come to its end, and not to a bad one: nothing follows, so nobody needs to know of it.
            self.cost.configurations += 1;
            return Ok(Entered::Known);
        }
        if self.rows.len() >= self.look_at {
            self.budget.step(self.rows.rows_between_looks() as u64, WHAT)?;
            let steps = 16 * self.steps.capacity() as u64;
            self.claim.grow_to(
                self.space.bytes()
                    + self.rows.bytes()
                    + steps
                    + 2 * (self.cover.bytes() + self.hunted.bytes())
                    + self.modes.bytes(),
                WHAT,
            )?;
            if self.rows.is_full() {
                return Err(OverBudget::new(WHAT, Limit::Memory));
            }
            self.look_at = self.rows.len() + self.rows.rows_between_looks();
        }
        self.space.pack(config, &mut self.row);
        let known = if self.manner.covering { self.is_covered(config) } else { self.rows.find(&self.row).is_some() };
        if known {
            self.cost.covered += 1;
            return Ok(Entered::Known);
        }
        // A look that was cut short may have missed that it is here.
        let (id, new) = self.rows.insert(&self.row);
        if !new {
            self.cost.covered += 1;
            return Ok(Entered::Known);
        }
        self.steps.push(step);
        if self.manner.covering {
            self.cover.insert(config, id);
        }
        self.cost.configurations += 1;
        Ok(Entered::New(id))
    }

    fn is_covered(&self, config: &Config) -> bool {
        [&self.cover, &self.hunted].iter().any(|cover| cover.covers(self.space, &self.rows, config))
    }

    /// The way to a configuration that was reached by a last step.
    fn way(&self, last: Step, mode: u32) -> Way {
        let words = self.space.words();
        let mode_of = |id: u32| self.rows.row(id)[words - 1] as u32;
        let mut fired = vec![(last.place, mode)];
        let mut id = last.parent;
        while self.steps[id as usize].parent != NONE {
            fired.push((self.steps[id as usize].place, mode_of(id)));
            id = self.steps[id as usize].parent;
        }
        fired.reverse();
        Way { start: mode_of(id), fired }
    }
}

/// How many events had to happen.
fn size(config: &Config) -> u32 {
    config.t.iter().sum()
}

/// Configurations that wait, by size. A size that was taken never comes again: firing an event adds to t.
struct Open {
    /// The last configuration of each size, and before each configuration another one of its size.
    last: Vec<u32>,
    before: FxHashMap<u32, u32>,
    at: usize,
    _claim: Claim,
}

impl Open {
    fn new(space: &Space<'_>, budget: &Budget) -> Result<Self, OverBudget> {
        let sizes = space.slice.places() as usize + 1;
        let claim = budget.claim(4 * sizes as u64, WHAT)?;
        Ok(Self { last: vec![NONE; sizes], before: FxHashMap::default(), at: 0, _claim: claim })
    }

    fn push(&mut self, size: u32, id: u32) {
        let last = std::mem::replace(&mut self.last[size as usize], id);
        if last != NONE {
            self.before.insert(id, last);
        }
    }

    /// All configurations of the smallest size, by age. Answers whether there are any.
    fn next(&mut self, group: &mut Vec<u32>) -> bool {
        group.clear();
        while self.at < self.last.len() && self.last[self.at] == NONE {
            self.at += 1;
        }
        let Some(last) = self.last.get_mut(self.at) else { return false };
        let mut id = Some(std::mem::replace(last, NONE));
        while let Some(this) = id {
            group.push(this);
            id = self.before.remove(&this);
        }
        group.reverse();
        true
    }
}

/// The successors of each configuration of a group, in their order, found by several threads.
fn expand(
    space: &Space<'_>,
    rows: &Rows,
    table: &Table,
    group: &[u32],
    covering: bool,
    threads: usize,
    budget: &Budget,
) -> Result<Vec<Successors>, OverBudget> {
    let expand = |part: &[u32]| -> Result<Vec<Successors>, OverBudget> {
        let mut modes: &Table = table;
        let mut scratch = Scratch::new(space);
        let mut all = Vec::with_capacity(part.len());
        for &id in part {
            scratch.expand(space, rows, &mut modes, id, covering, budget)?;
            all.push(std::mem::take(&mut scratch.found));
        }
        Ok(all)
    };
    let parts: Vec<&[u32]> = group.chunks(group.len().div_ceil(threads)).collect();
    let done: Vec<_> = thread::scope(|scope| {
        // Where the system gives no more threads, this one does their part.
        let mut workers = Vec::with_capacity(parts.len());
        for &part in &parts[1..] {
            workers.push(thread::Builder::new().spawn_scoped(scope, move || expand(part)).map_err(|_| part));
        }
        let mut done = vec![Ok(expand(parts[0]))];
        done.extend(workers.into_iter().map(|worker| match worker {
            Ok(worker) => worker.join(),
            Err(part) => Ok(expand(part)),
        }));
        done
    });
    let mut all = Vec::with_capacity(group.len());
    for part in done {
        match part {
            Ok(part) => all.extend(part?),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
    Ok(all)
}

/// Room for finding the successors of one configuration after another.
struct Scratch {
    from: Config,
    into: Config,
    row: Vec<u64>,
    /// Per mode, up to which position of the chain in hand everything is covered.
    covered: Vec<(u32, u32)>,
    found: Successors,
}

impl Scratch {
    fn new(space: &Space<'_>) -> Self {
        Self {
            from: space.blank(),
            into: space.blank(),
            row: vec![0; space.words()],
            covered: Vec::new(),
            found: Successors::default(),
        }
    }

    /// Every configuration that follows one, chain by chain, the earliest event first, into `found`.
    ///
    /// A later event of the same chain into the same mode is skipped if the last one that was fired covers it: it leads to a
    /// larger t, and to no larger w if everything that could have happened before can still happen after.
    fn expand<M: Modes>(
        &mut self,
        space: &Space<'_>,
        rows: &Rows,
        modes: &mut M,
        id: u32,
        covering: bool,
        budget: &Budget,
    ) -> Result<(), OverBudget> {
        budget.step(0, WHAT)?;
        let Self { from, into, row, covered, found } = self;
        found.rows.clear();
        found.steps.clear();
        (found.covered, found.divides) = (0, false);
        space.unpack(rows.row(id), from);
        for chain in 0..space.width() {
            covered.clear();
            let last = space.last(from, chain);
            let mut next = from.t[chain] + 1;
            while let Some(position) = space.next_open(modes, from.mode, chain, (next, last), covered)? {
                next = position + 1;
                if next.is_multiple_of(256) {
                    budget.step(0, WHAT)?;
                }
                let place = space.slice.place(chain, position);
                let moves = modes.moves(from.mode, space.class(chain, position))?;
                found.divides |= moves.divides;
                for target in moves.first..moves.first + moves.count {
                    into.mode = modes.target(target);
                    let known = covered.iter().position(|(mode, _)| *mode == into.mode);
                    if known.is_some_and(|known| position <= covered[known].1) {
                        found.covered += 1;
                        continue;
                    }
                    space.fire(modes, from, chain, position, into)?;
                    space.pack(into, row);
                    found.rows.extend_from_slice(row);
                    found.steps.push(Step { parent: id, place });
                    let mut others = from.w.iter().zip(&into.w).enumerate().filter(|&(j, _)| j != chain);
                    if covering && others.all(|(_, (was, is))| was <= is) {
                        let known = known.unwrap_or_else(|| {
                            covered.push((into.mode, 0));
                            covered.len() - 1
                        });
                        covered[known].1 = into.w[chain];
                    }
                }
            }
        }
        Ok(())
    }
}
