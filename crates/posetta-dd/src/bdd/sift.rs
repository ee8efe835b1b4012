//! Orders of the variables that improve while diagrams grow: sifting (Rudell 1993), by blocks of variables that stay together (Panda and Somenzi
//! 1995).
//!
//! A block is moved through all places of the order, one exchange of neighbours after the other, and stays where the diagrams are smallest. Exchanging
//! two variables changes only nodes of the upper one that ask the lower one next; such a node gets other children and keeps its place, so that
//! nobody who holds it notices. The blocks with most nodes come first.
//!
//! Sifting in vain takes no more effort than all operations before it did, but for some blocks whenever the diagrams have doubled. So where the order is
//! good already the answer takes about twice the time at most; where it is bad, and every block that is moved makes the diagrams smaller, it
//! goes on. Blocks that were moved in vain are the last ones next time: those that lie well between others that do not have most nodes. With an equal share for all of sifting, searches whose diagrams double with every operation did not get out of a bad order: moving
//! one block takes ten times the operation that made it necessary.
//!
//! Two variables that no function depends on both of change places for nothing, and a block is not moved on where all that is left to pass could
//! vanish and the diagrams would still not be smaller than the smallest that were met (Drechsler, Günther and Somenzi 2001).

use super::store::{Edge, Halt, Node, Store};

/// Diagrams with fewer nodes are small enough. With 2,000 small models took a third longer, and large ones did not
/// gain.
const SMALL: usize = 4_000;

/// A block is not moved on where the diagrams have become so much larger than the smallest that were met, in percent.
const GROWTH: usize = 120;

/// Where sifting has made the diagrams smaller by less than this, in percent, it waits until they are four times as large; else twice.
const WORTHWHILE: usize = 15;

/// So many blocks are tried in any case, and as many as take this effort in vain.
const TRIED: usize = 6;
const IN_ANY_CASE: u64 = 3_000_000;

/// A block that makes the diagrams smaller by less than one part of so many was moved in vain.
const PART: usize = 100;

/// The effort of a node that is looked at in an exchange, in quarters, and of one that changes.
const LOOKED_AT: u64 = 1;
const CHANGED: u64 = 12;

/// So much effort between two looks at the budget.
const BETWEEN_LOOKS: u64 = 1 << 16;

#[derive(Debug)]
pub(super) struct Sifting {
    /// Blocks in their order, each a number of variables.
    blocks: Vec<u32>,
    /// With so many nodes it is tried.
    at: usize,
    /// What it took so far, and what of it was in vain.
    effort: u64,
    in_vain: u64,
    /// What of it the budget knows.
    counted: u64,
    /// The first variables of the blocks that were moved in vain the last time.
    moved_in_vain: Vec<u32>,
    /// While it goes on: by place, how many nodes and holders refer to it.
    references: Vec<u32>,
    /// While it goes on.
    meets: Meets,
    /// How often it was done.
    pub(super) times: u64,
}

impl Sifting {
    pub(super) fn new(bits: u32) -> Self {
        Self {
            blocks: vec![1; bits as usize],
            at: SMALL,
            effort: 0,
            in_vain: 0,
            counted: 0,
            moved_in_vain: Vec::new(),
            references: Vec::new(),
            meets: Meets::default(),
            times: 0,
        }
    }

    /// These variables stay together, in the order that there is: from each on so many. All variables belong to one.
    pub(super) fn keep_together(&mut self, blocks: Vec<u32>) {
        self.blocks = blocks;
    }
}

/// Which variables some function depends on both of. Empty if that would be too much to find out: then all of them may.
#[derive(Debug, Default)]
struct Meets {
    words: usize,
    sets: Vec<u64>,
}

impl Meets {
    /// Nothing is known for more variables than this: the sets would be larger than the diagrams.
    const MOST: usize = 1 << 12;

    fn both(&self, x: u32, y: u32) -> bool {
        self.sets.is_empty() || self.sets[x as usize * self.words + y as usize / 64] >> (y % 64) & 1 == 1
    }

    /// These variables are those of one function.
    fn add(&mut self, function: &[u64]) {
        for (i, &word) in function.iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                let var = 64 * i + rest.trailing_zeros() as usize;
                let row = &mut self.sets[var * self.words..(var + 1) * self.words];
                row.iter_mut().zip(function).for_each(|(a, b)| *a |= b);
                rest &= rest - 1;
            }
        }
    }
}

/// A block, and what is known about the places that it was moved to.
struct Moved {
    /// Its place among the blocks, and its first level.
    place: usize,
    level: u32,
    best: usize,
    best_place: usize,
}

impl Store {
    /// Improves the order if the diagrams are large; if it is the `last` resort, whatever it takes. There is no garbage.
    pub(super) fn improve(&mut self, last: bool) -> Result<(), Halt> {
        let small = if last { SMALL } else { self.sifting.at };
        if self.stored() < small || self.sifting.blocks.len() < 2 {
            return Ok(());
        }
        self.sift(if last { u64::MAX } else { self.effort() - self.sifting.effort })
    }

    /// Improves the order, whatever it takes.
    #[cfg(test)]
    pub(super) fn sift_now(&mut self) {
        self.collect();
        self.sift(u64::MAX).expect("nothing is limited");
    }

    fn sift(&mut self, most: u64) -> Result<(), Halt> {
        let before = self.stored();
        let mut references = vec![0; self.nodes.len()];
        for (place, &held) in self.held.borrow().iter().enumerate() {
            references[place] = u32::from(held > 0);
        }
        for (place, node) in self.nodes.iter().enumerate().skip(1) {
            if !self.is_free(place) {
                references[(node.high >> 1) as usize] += 1;
                references[(node.low >> 1) as usize] += 1;
            }
        }
        self.sifting.references = references;
        self.sifting.effort += before as u64 / 2;
        self.sifting.meets = self.meets();
        self.sifting.times += 1;
        let done = self.sift_blocks(most);
        // What was worked out may be about nodes that are no more.
        self.forget_results();
        self.sifting.references = Vec::new();
        self.sifting.meets = Meets::default();
        self.beside += self.sifting.effort - std::mem::replace(&mut self.sifting.counted, self.sifting.effort);
        let after = self.stored();
        let factor = if 100 * after > (100 - WORTHWHILE) * before { 4 } else { 2 };
        self.sifting.at = (factor * after).max(SMALL);
        done
    }

    /// Which variables meet: those below each node that no other refers to.
    fn meets(&mut self) -> Meets {
        let vars = self.var_at.len();
        let words = vars.div_ceil(64);
        if vars > Meets::MOST {
            return Meets::default();
        }
        let mut meets = Meets { words, sets: vec![0; vars * words] };
        let is_top = |place: usize| self.sifting.references[place] == 1 && self.held.borrow()[place] > 0;
        let tops: Vec<u32> = (1..self.nodes.len()).filter(|&place| is_top(place)).map(|place| place as u32).collect();
        let mut left = 4 * self.stored();
        for top in tops {
            let mut function = vec![0; words];
            let mut seen = 0;
            self.each_below(top << 1, |node| {
                function[node.var as usize / 64] |= 1 << (node.var % 64);
                seen += 1;
            });
            self.sifting.effort += LOOKED_AT * (seen + words) as u64 / 4;
            if seen > left {
                return Meets::default();
            }
            left -= seen;
            meets.add(&function);
        }
        meets
    }

    /// How many nodes the levels have from one on, up to another.
    fn nodes_at(&self, levels: std::ops::Range<u32>) -> usize {
        self.var_at[levels.start as usize..levels.end as usize].iter().map(|&var| self.tables[var as usize].count).sum()
    }

    /// The nodes of the block that lies at these levels, if some function depends on it and on the moved one.
    fn meeting(&self, moved: &Moved, levels: std::ops::Range<u32>) -> usize {
        let vars = |levels: std::ops::Range<u32>| &self.var_at[levels.start as usize..levels.end as usize];
        let own = moved.level..moved.level + self.sifting.blocks[moved.place];
        let meet = |x: &u32| vars(own.clone()).iter().any(|&y| self.sifting.meets.both(*x, y));
        vars(levels).iter().filter(|&x| meet(x)).map(|&x| self.tables[x as usize].count).sum()
    }

    fn sift_blocks(&mut self, most: u64) -> Result<(), Halt> {
        // Blocks by their first variables: they move, variables do not change blocks.
        let mut level = 0;
        let mut wanted: Vec<(usize, u32)> = Vec::new();
        for &size in &self.sifting.blocks {
            let vars = &self.var_at[level as usize..(level + size) as usize];
            let nodes: usize = vars.iter().map(|&var| self.tables[var as usize].count).sum();
            if nodes > 0 {
                wanted.push((nodes, vars[0]));
            }
            level += size;
        }
        let last_time = std::mem::take(&mut self.sifting.moved_in_vain);
        wanted.sort_by_key(|&(nodes, var)| (last_time.contains(&var), std::cmp::Reverse(nodes), var));
        let before = self.sifting.in_vain;
        for (i, (_, var)) in wanted.into_iter().enumerate() {
            if i >= TRIED && self.sifting.in_vain > most && self.sifting.in_vain - before > IN_ANY_CASE {
                break;
            }
            let (stored, effort) = (self.stored(), self.sifting.effort);
            self.sift_block(var)?;
            if stored.saturating_sub(self.stored()) < stored / PART {
                self.sifting.in_vain += self.sifting.effort - effort;
                self.sifting.moved_in_vain.push(var);
            }
            self.account()?;
        }
        Ok(())
    }

    /// Counts what sifting took since the last time. Whatever has been exchanged, the order is one.
    fn account(&mut self) -> Result<(), Halt> {
        self.beside += self.sifting.effort - std::mem::replace(&mut self.sifting.counted, self.sifting.effort);
        self.look()
    }

    /// Moves the block that begins with a variable to its best place.
    fn sift_block(&mut self, var: u32) -> Result<(), Halt> {
        let first = self.level_of[var as usize];
        let (mut place, mut level) = (0, 0);
        while level < first {
            level += self.sifting.blocks[place];
            place += 1;
        }
        let stored = self.stored();
        let mut moved = Moved { place, level, best: stored, best_place: place };
        let last = self.sifting.blocks.len() - 1;
        // The nearer end first.
        if place > last / 2 {
            self.move_down(&mut moved, last)?;
            self.move_up(&mut moved, 0)?;
        } else {
            self.move_up(&mut moved, 0)?;
            self.move_down(&mut moved, last)?;
        }
        while moved.place < moved.best_place {
            self.exchange(&mut moved, true)?;
        }
        while moved.place > moved.best_place {
            self.exchange(&mut moved, false)?;
        }
        Ok(())
    }

    fn move_down(&mut self, moved: &mut Moved, last: usize) -> Result<(), Halt> {
        let bits = self.var_at.len() as u32;
        let mut left = self.meeting(moved, moved.level + self.sifting.blocks[moved.place]..bits);
        while moved.place < last && self.may_improve(moved, left) {
            let from = moved.level + self.sifting.blocks[moved.place];
            left -= self.meeting(moved, from..from + self.sifting.blocks[moved.place + 1]);
            self.exchange(moved, true)?;
            self.note(moved);
        }
        Ok(())
    }

    fn move_up(&mut self, moved: &mut Moved, first: usize) -> Result<(), Halt> {
        let mut left = self.meeting(moved, 0..moved.level);
        while moved.place > first {
            // Moved up, the block itself can become smaller, too.
            let own = self.nodes_at(moved.level..moved.level + self.sifting.blocks[moved.place]);
            if !self.may_improve(moved, left + own) {
                break;
            }
            let above = self.sifting.blocks[moved.place - 1];
            left -= self.meeting(moved, moved.level - above..moved.level);
            self.exchange(moved, false)?;
            self.note(moved);
        }
        Ok(())
    }

    /// Whether a block is worth moving on, if at most so many nodes can vanish on the way.
    fn may_improve(&self, moved: &Moved, most: usize) -> bool {
        100 * self.stored() <= GROWTH * moved.best && self.stored().saturating_sub(most) < moved.best
    }

    fn note(&self, moved: &mut Moved) {
        if self.stored() < moved.best {
            (moved.best, moved.best_place) = (self.stored(), moved.place);
        }
    }

    /// Exchanges a block with the one below or above it.
    fn exchange(&mut self, moved: &mut Moved, down: bool) -> Result<(), Halt> {
        let upper = if down { moved.place } else { moved.place - 1 };
        let (above, below) = (self.sifting.blocks[upper], self.sifting.blocks[upper + 1]);
        let from = if down { moved.level } else { moved.level - above };
        for i in 0..below {
            for level in (from + i..from + i + above).rev() {
                self.swap(level);
            }
        }
        self.sifting.blocks.swap(upper, upper + 1);
        if down {
            moved.place += 1;
            moved.level += below;
        } else {
            moved.place -= 1;
            moved.level -= above;
        }
        if self.sifting.effort - self.sifting.counted < BETWEEN_LOOKS {
            return Ok(());
        }
        self.account()
    }

    /// Exchanges the variables of a level and of the one below.
    fn swap(&mut self, level: u32) {
        let (x, y) = (self.var_at[level as usize], self.var_at[level as usize + 1]);
        self.sifting.effort += 1;
        if self.sifting.meets.both(x, y) {
            self.rebuild(x, y);
        }
        self.var_at.swap(level as usize, level as usize + 1);
        self.level_of[x as usize] = level + 1;
        self.level_of[y as usize] = level;
    }

    /// Gives the nodes of a variable that ask the next one other children: they will ask that one first.
    fn rebuild(&mut self, x: u32, y: u32) {
        let mut table = std::mem::take(&mut self.tables[x as usize]);
        self.sifting.effort += LOOKED_AT * (table.count + table.lists.len()) as u64 / 4;
        let asks = |nodes: &[Node], edge: Edge| nodes[(edge >> 1) as usize].var == y;
        let changed = table.take(&mut self.nodes, |nodes, node| asks(nodes, node.high) || asks(nodes, node.low));
        self.tables[x as usize] = table;
        self.sifting.effort += CHANGED * changed.len() as u64;
        let mut dead = Vec::new();
        for place in changed {
            let Node { high, low, .. } = self.nodes[place as usize];
            let ask = |edge: Edge| if asks(&self.nodes, edge) { self.halves(edge) } else { (edge, edge) };
            let ((high_high, high_low), (low_high, low_low)) = (ask(high), ask(low));
            // What follows on true twice is no complement, so neither is the new node that follows on true.
            let new_high = self.find_or_make(x, high_high, low_high);
            let new_low = self.find_or_make(x, high_low, low_low);
            let references = &mut self.sifting.references;
            references[(new_high >> 1) as usize] += 1;
            references[(new_low >> 1) as usize] += 1;
            for old in [high >> 1, low >> 1] {
                references[old as usize] -= 1;
                // Only those of the lower variable can have been referred to from here alone.
                if references[old as usize] == 0 {
                    dead.push(old);
                }
            }
            self.nodes[place as usize] = Node { var: y, high: new_high, low: new_low, ..self.nodes[place as usize] };
            self.tables[y as usize].insert(&mut self.nodes, place);
        }
        for place in dead {
            let Node { high, low, .. } = self.nodes[place as usize];
            self.tables[y as usize].remove(&mut self.nodes, place);
            self.sifting.references[(high >> 1) as usize] -= 1;
            self.sifting.references[(low >> 1) as usize] -= 1;
            self.give_back(place);
        }
    }

    fn find_or_make(&mut self, var: u32, high: Edge, low: Edge) -> Edge {
        if high == low {
            return high;
        }
        let sign = high & 1;
        let (high, low) = (high ^ sign, low ^ sign);
        if let Some(place) = self.tables[var as usize].find(&self.nodes, high, low) {
            return place << 1 | sign;
        }
        let place = self.place(Node { var, high, low, next: 0 });
        self.sifting.references.resize(self.nodes.len(), 0);
        self.sifting.references[place as usize] = 0;
        self.sifting.references[(high >> 1) as usize] += 1;
        self.sifting.references[(low >> 1) as usize] += 1;
        self.tables[var as usize].insert(&mut self.nodes, place);
        place << 1 | sign
    }
}
