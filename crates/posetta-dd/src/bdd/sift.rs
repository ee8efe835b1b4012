//! Orders of the variables that improve while diagrams grow: sifting (Rudell 1993), by blocks of variables that stay together (Panda and Somenzi
//! 1995).
//!
//! A block is moved through all places of the order, one exchange of neighbours after the other, and stays where the diagrams are smallest. Exchanging
//! two variables changes only nodes of the upper one that ask the lower one next; such a node gets other children and keeps its place, so that
//! nobody who holds it notices. The blocks with most nodes come first.
//!
//! Sifting in vain takes no more effort than all operations before it did, but for a few blocks whenever the diagrams have doubled. So where the order is
//! good already the answer takes about twice the time at most; where it is bad, and every block that is moved makes the diagrams smaller, it
//! goes on. With an equal share for all of sifting, searches whose diagrams double with every operation did not get out of a bad order: moving
//! one block takes ten times the operation that made it necessary.

use super::store::{Edge, Halt, Node, Store};

/// Diagrams with fewer nodes are small enough.
const SMALL: usize = 2_000;

/// A block is not moved on where the diagrams have become so much larger than the smallest that were met, in percent.
const GROWTH: usize = 120;

/// Where sifting has made the diagrams smaller by less than this, in percent, it waits until they are four times as large; else twice.
const WORTHWHILE: usize = 15;

/// So many blocks are tried in any case.
const TRIED: usize = 6;

/// A block that makes the diagrams smaller by less than one part of so many was moved in vain.
const PART: usize = 100;

/// The effort of a node that is looked at in an exchange, in quarters, and of one that changes.
const LOOKED_AT: u64 = 1;
const CHANGED: u64 = 12;

#[derive(Debug)]
pub(super) struct Sifting {
    /// Blocks in their order, each a number of variables.
    blocks: Vec<u32>,
    /// With so many nodes it is tried.
    at: usize,
    /// What it took so far, and what of it was in vain.
    effort: u64,
    in_vain: u64,
    /// While it goes on: by place, how many nodes and holders refer to it.
    references: Vec<u32>,
    /// How often it was done.
    pub(super) times: u64,
}

impl Sifting {
    pub(super) fn new(bits: u32) -> Self {
        Self { blocks: vec![1; bits as usize], at: SMALL, effort: 0, in_vain: 0, references: Vec::new(), times: 0 }
    }

    /// These variables stay together, in the order that there is: from each on so many. All variables belong to one.
    pub(super) fn keep_together(&mut self, blocks: Vec<u32>) {
        self.blocks = blocks;
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
        let spent_before = self.sifting.effort;
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
        self.sifting.times += 1;
        let done = self.sift_blocks(most);
        // What was worked out may be about nodes that are no more.
        self.forget_results();
        self.sifting.references = Vec::new();
        self.beside += self.sifting.effort - spent_before;
        let after = self.stored();
        let factor = if 100 * after > (100 - WORTHWHILE) * before { 4 } else { 2 };
        self.sifting.at = (factor * after).max(SMALL);
        done
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
        wanted.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        for (i, (_, var)) in wanted.into_iter().enumerate() {
            if i >= TRIED && self.sifting.in_vain > most {
                break;
            }
            let (stored, effort) = (self.stored(), self.sifting.effort);
            self.sift_block(var);
            if stored.saturating_sub(self.stored()) < stored / PART {
                self.sifting.in_vain += self.sifting.effort - effort;
            }
            self.look()?;
        }
        Ok(())
    }

    /// Moves the block that begins with a variable to its best place.
    fn sift_block(&mut self, var: u32) {
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
            self.move_down(&mut moved, last);
            self.move_up(&mut moved, 0);
        } else {
            self.move_up(&mut moved, 0);
            self.move_down(&mut moved, last);
        }
        while moved.place < moved.best_place {
            self.exchange(&mut moved, true);
        }
        while moved.place > moved.best_place {
            self.exchange(&mut moved, false);
        }
    }

    fn move_down(&mut self, moved: &mut Moved, last: usize) {
        while moved.place < last && 100 * self.stored() <= GROWTH * moved.best {
            self.exchange(moved, true);
            self.note(moved);
        }
    }

    fn move_up(&mut self, moved: &mut Moved, first: usize) {
        while moved.place > first && 100 * self.stored() <= GROWTH * moved.best {
            self.exchange(moved, false);
            self.note(moved);
        }
    }

    fn note(&self, moved: &mut Moved) {
        if self.stored() < moved.best {
            (moved.best, moved.best_place) = (self.stored(), moved.place);
        }
    }

    /// Exchanges a block with the one below or above it.
    fn exchange(&mut self, moved: &mut Moved, down: bool) {
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
    }

    /// Exchanges the variables of a level and of the one below.
    fn swap(&mut self, level: u32) {
        let (x, y) = (self.var_at[level as usize], self.var_at[level as usize + 1]);
        let mut table = std::mem::take(&mut self.tables[x as usize]);
        self.sifting.effort += 1 + LOOKED_AT * (table.count + table.lists.len()) as u64 / 4;
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
        self.var_at.swap(level as usize, level as usize + 1);
        self.level_of[x as usize] = level + 1;
        self.level_of[y as usize] = level;
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
