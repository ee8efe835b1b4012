//! The search through configurations, for one that ends badly.
//!
//! It starts as a hunt: last in, first out, successors one at a time and the latest event first, which leaves the most open.
//! A violation is mostly found within a few configurations. After [`HUNT`] of them it becomes a proof: by the number of
//! events in t, ascending, so that what covers much comes before what is covered; all configurations of one size are expanded
//! side by side on as many threads as there are, and entered in one order, so that nothing depends on how many.
//! What the hunt has seen stays seen.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::thread;

use super::cover::Cover;
use super::modes::Modes;
use super::space::{Config, Rows, Space, Toward};
use super::table::Table;
use crate::base::{Budget, Claim, Limit, OverBudget};
use crate::check::Order;

/// How many configurations a hunt may take.
const HUNT: usize = 1 << 12;

/// Fewer configurations than this for each thread are not worth starting threads.
const WORTH_A_THREAD: usize = 64;

const WHAT: &str = "searching the orders";

/// No configuration came before.
const NONE: u32 = u32::MAX;

/// What a search costs.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::check) struct Cost {
    /// Closed configurations that no other covered.
    pub(in crate::check) configurations: u64,
    /// Configurations that another one covered.
    pub(in crate::check) covered: u64,
}

/// How to search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner {
    pub(super) order: Order,
    pub(super) covering: bool,
    pub(super) threads: usize,
}

/// The events that were fired on the way to a configuration that ends badly, and the mode after each; and where it started.
#[derive(Debug)]
pub(super) struct Way {
    pub(super) start: u32,
    pub(super) fired: Vec<(u32, u32)>,
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
    row: Vec<u64>,
}

/// A configuration whose successors are generated one event at a time.
struct Frame {
    id: u32,
    chain: usize,
    /// Events after this position have been fired.
    upto: Option<u32>,
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
            row: vec![0; space.words()],
        })
    }

    /// A way to a configuration that ends badly, if there is one.
    pub(super) fn find(mut self) -> Result<Option<Way>, OverBudget> {
        let mut stack = Vec::new();
        for mode in self.modes.starts().to_vec() {
            let start = self.space.start(self.modes, mode)?;
            match self.enter(&start, Step { parent: NONE, place: NONE })? {
                Entered::Bad => return Ok(Some(Way { start: mode, fired: Vec::new() })),
                Entered::New(id) => stack.push(Frame { id, chain: 0, upto: None }),
                Entered::Known => {}
            }
        }
        stack.reverse();
        if let Some(way) = self.hunt(&mut stack)? {
            return Ok(Some(way));
        }
        if stack.is_empty() {
            return Ok(None);
        }
        self.hunted = std::mem::replace(&mut self.cover, Cover::new(self.space.width()));
        let mut open: BinaryHeap<Reverse<(u64, u32)>> = BinaryHeap::new();
        let mut config = self.space.blank();
        for frame in stack {
            self.space.unpack(self.rows.row(frame.id), &mut config);
            open.push(Reverse((size(&config), frame.id)));
        }
        self.prove(open)
    }

    /// Last in, first out, until nothing is left or patience is: after [`HUNT`] configurations, if nothing else is asked for.
    fn hunt(&mut self, stack: &mut Vec<Frame>) -> Result<Option<Way>, OverBudget> {
        let patience = match self.manner.order {
            Order::Auto => HUNT,
            Order::Hunt => usize::MAX,
            Order::Proof => 0,
        };
        let (mut from, mut into) = (self.space.blank(), self.space.blank());
        let mut at = None;
        while let Some(frame) = stack.last_mut() {
            if self.rows.len() >= patience {
                return Ok(None);
            }
            if at != Some(frame.id) {
                self.space.unpack(self.rows.row(frame.id), &mut from);
                at = Some(frame.id);
            }
            let chain = frame.chain;
            let upto = match frame.upto {
                Some(upto) => upto,
                None => self.space.last(&from, chain),
            };
            let between = (from.t[chain] + 1, upto);
            match self.space.candidate(self.modes, from.mode, chain, between, Toward::Earlier)? {
                None => {
                    frame.chain += 1;
                    frame.upto = None;
                    if frame.chain == self.space.width() {
                        stack.pop();
                        at = None;
                    }
                }
                Some(position) => {
                    frame.upto = Some(position - 1);
                    let step = Step { parent: frame.id, place: self.space.slice.place(chain, position) };
                    let moves = self.modes.moves(from.mode, self.space.class(chain, position))?;
                    for target in moves.first..moves.first + moves.count {
                        into.mode = self.modes.target(target);
                        self.space.fire(self.modes, &from, chain, position, &mut into)?;
                        match self.enter(&into, step)? {
                            Entered::Bad => return Ok(Some(self.way(step, into.mode))),
                            Entered::New(id) => stack.push(Frame { id, chain: 0, upto: None }),
                            Entered::Known => {}
                        }
                    }
                }
            }
        }
        Ok(None)
    }

    /// By size, ascending.
    fn prove(&mut self, mut open: BinaryHeap<Reverse<(u64, u32)>>) -> Result<Option<Way>, OverBudget> {
        let mut config = self.space.blank();
        let mut group: Vec<u32> = Vec::new();
        while let Some(&Reverse((of_size, _))) = open.peek() {
            group.clear();
            while let Some(&Reverse((same, id))) = open.peek()
                && same == of_size
            {
                open.pop();
                self.space.unpack(self.rows.row(id), &mut config);
                // What came later may have a smaller t.
                if self.manner.covering && self.cover.covers(self.space, &self.rows, &config, Some(id)) {
                    self.cost.covered += 1;
                } else {
                    group.push(id);
                }
            }
            for successors in self.expand(&group)? {
                self.cost.covered += successors.covered;
                for (row, &step) in successors.rows.chunks_exact(self.space.words()).zip(&successors.steps) {
                    self.space.unpack(row, &mut config);
                    match self.enter(&config, step)? {
                        Entered::Bad => return Ok(Some(self.way(step, config.mode))),
                        Entered::New(id) => open.push(Reverse((size(&config), id))),
                        Entered::Known => {}
                    }
                }
            }
        }
        Ok(None)
    }

    /// The successors of each configuration, in their order.
    fn expand(&mut self, group: &[u32]) -> Result<Vec<Successors>, OverBudget> {
        let threads = self.manner.threads.min(group.len() / WORTH_A_THREAD);
        let (space, rows, covering) = (self.space, &self.rows, self.manner.covering);
        if let (2.., Some(table)) = (threads, self.modes.shared()) {
            let parts: Vec<&[u32]> = group.chunks(group.len().div_ceil(threads)).collect();
            let expand = |part: &[u32]| -> Result<Vec<Successors>, OverBudget> {
                let mut modes: &Table = table;
                part.iter().map(|&id| successors(space, rows, &mut modes, id, covering)).collect()
            };
            let done: Vec<_> = thread::scope(|scope| {
                let workers: Vec<_> = parts[1..].iter().map(|&part| scope.spawn(move || expand(part))).collect();
                let mut done = vec![Ok(expand(parts[0]))];
                done.extend(workers.into_iter().map(thread::ScopedJoinHandle::join));
                done
            });
            let mut all = Vec::with_capacity(group.len());
            for part in done {
                match part {
                    Ok(part) => all.extend(part?),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            return Ok(all);
        }
        group.iter().map(|&id| successors(space, rows, self.modes, id, covering)).collect()
    }

    /// Takes a closed configuration into the table, unless it is covered.
    fn enter(&mut self, config: &Config, step: Step) -> Result<Entered, OverBudget> {
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
            self.budget.step((self.rows.rows_between_looks()) as u64, WHAT)?;
            let steps = 16 * self.steps.capacity() as u64;
            self.claim.grow_to(
                self.space.bytes() + self.rows.bytes() + steps + 2 * (self.cover.bytes() + self.hunted.bytes()) + self.modes.bytes(),
                WHAT,
            )?;
            if self.rows.is_full() {
                return Err(OverBudget { what: WHAT, limit: Limit::Memory });
            }
            self.look_at = self.rows.len() + self.rows.rows_between_looks();
        }
        self.space.pack(config, &mut self.row);
        if self.rows.find(&self.row).is_some() || self.manner.covering && self.is_covered(config) {
            self.cost.covered += 1;
            return Ok(Entered::Known);
        }
        let (id, _) = self.rows.insert(&self.row);
        self.steps.push(step);
        if self.manner.covering {
            self.cover.insert(config, id);
        }
        self.cost.configurations += 1;
        Ok(Entered::New(id))
    }

    fn is_covered(&self, config: &Config) -> bool {
        [&self.cover, &self.hunted].iter().any(|cover| cover.covers(self.space, &self.rows, config, None))
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

fn size(config: &Config) -> u64 {
    config.t.iter().map(|&t| u64::from(t)).sum()
}

/// Every configuration that follows one, chain by chain, the earliest event first.
///
/// A later event of the same chain into the same mode is skipped if the last one that was fired covers it: it leads to a
/// larger t, and to no larger w if everything that could have happened before can still happen after.
fn successors<M: Modes>(
    space: &Space<'_>,
    rows: &Rows,
    modes: &mut M,
    id: u32,
    covering: bool,
) -> Result<Successors, OverBudget> {
    let mut found = Successors::default();
    let (mut from, mut into) = (space.blank(), space.blank());
    space.unpack(rows.row(id), &mut from);
    let mut row = vec![0; space.words()];
    // Per mode, up to which position of this chain everything is covered.
    let mut covered: Vec<(u32, u32)> = Vec::new();
    for chain in 0..space.width() {
        covered.clear();
        let last = space.last(&from, chain);
        let mut next = from.t[chain] + 1;
        while let Some(position) = space.next_open(modes, from.mode, chain, (next, last), &covered)? {
            next = position + 1;
            let place = space.slice.place(chain, position);
            let moves = modes.moves(from.mode, space.class(chain, position))?;
            for target in moves.first..moves.first + moves.count {
                into.mode = modes.target(target);
                let known = covered.iter().position(|(mode, _)| *mode == into.mode);
                if known.is_some_and(|known| position <= covered[known].1) {
                    found.covered += 1;
                    continue;
                }
                space.fire(modes, &from, chain, position, &mut into)?;
                space.pack(&into, &mut row);
                found.rows.extend_from_slice(&row);
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
    Ok(found)
}
