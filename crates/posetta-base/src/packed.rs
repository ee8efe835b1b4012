//! Rows of words, each stored once: the table under every explicit search.
//!
//! Rows lie side by side in insertion order; a hash table holds their indices. A row of one word costs 8 bytes and
//! about 6 for the index. `S` is the number of words in a row, known to the compiler; 0 means "known when running",
//! for runs that are too wide for a specialised copy. (A boxed slice per row was three times the memory.)

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

/// A set of rows with dense indices in the order of insertion.
#[derive(Clone, Debug)]
pub struct PackedSet<const S: usize> {
    stride: usize,
    rows: Vec<u64>,
    table: HashTable<u32>,
}

#[inline]
fn hash(row: &[u64]) -> u64 {
    let mut hasher = FxHasher::default();
    for &word in row {
        hasher.write_u64(word);
    }
    hasher.finish()
}

impl<const S: usize> PackedSet<S> {
    /// An empty set of rows of `stride` words.
    ///
    /// # Panics
    /// If `S` is neither 0 nor `stride`.
    #[must_use]
    pub fn new(stride: usize) -> Self {
        assert!(S == 0 || S == stride, "a specialised table is used for its own width only");
        Self { stride, rows: Vec::new(), table: HashTable::new() }
    }

    #[inline]
    fn stride(&self) -> usize {
        if S == 0 { self.stride } else { S }
    }

    /// The index of a row, and whether it was new.
    #[inline]
    pub fn insert(&mut self, row: &[u64]) -> (u32, bool) {
        let stride = self.stride();
        let row = &row[..stride];
        let hash_of = hash(row);
        let rows = &self.rows;
        let at = |i: u32| &rows[i as usize * stride..][..stride];
        match self.table.entry(hash_of, |&i| at(i) == row, |&i| hash(at(i))) {
            hashbrown::hash_table::Entry::Occupied(entry) => (*entry.get(), false),
            hashbrown::hash_table::Entry::Vacant(entry) => {
                // Callers stop at `is_full`, half way to where this would wrap.
                let index = (rows.len() / stride) as u32;
                entry.insert(index);
                self.rows.extend_from_slice(row);
                (index, true)
            }
        }
    }

    /// The index of a row that is in the set.
    #[inline]
    #[must_use]
    pub fn find(&self, row: &[u64]) -> Option<u32> {
        let row = &row[..self.stride()];
        self.table.find(hash(row), |&i| self.row(i) == row).copied()
    }

    /// The row at an index.
    #[inline]
    #[must_use]
    pub fn row(&self, index: u32) -> &[u64] {
        let stride = self.stride();
        &self.rows[index as usize * stride..][..stride]
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len() / self.stride().max(1)
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// After how many new rows a search should look at its budget again: a thousand short ones, or 64 KiB of long ones.
    #[must_use]
    pub fn rows_between_looks(&self) -> usize {
        ((1 << 16) / (8 * self.stride().max(1))).clamp(1, 1024)
    }

    /// Whether a search must stop adding rows: indices are 32 bits wide, and half of them are left as a margin.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.len() > u32::MAX as usize / 2
    }

    /// Forgets the rows and keeps the memory, unless it is far more than they needed: clearing a table costs its
    /// capacity, which after one wide level would be paid at every narrow one.
    pub fn clear(&mut self) {
        let needed = self.table.len();
        if self.table.capacity() > 64 * (needed + 1) {
            self.table = HashTable::with_capacity(4 * needed);
        } else {
            self.table.clear();
        }
        self.rows.clear();
    }

    /// Bytes that the next insertions may need at once: what is held, doubled where a table is about to grow.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let soon = self.len() + self.len() / 8 + 2 * self.rows_between_looks();
        let rows = self.rows.capacity() * 8 * if soon * self.stride() > self.rows.capacity() { 2 } else { 1 };
        // A table that grows stands beside the old one until all is moved.
        let table = self.table.capacity() * 6 * if soon > self.table.capacity() { 3 } else { 1 };
        (rows + table) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows_are_stored_once<const S: usize>(stride: usize) {
        let mut set = PackedSet::<S>::new(stride);
        let row = |i: u64| (0..stride as u64).map(|j| i * 7 + j).collect::<Vec<_>>();
        for round in 0..2 {
            for i in 0..5000 {
                assert_eq!(set.insert(&row(i)), (i as u32, round == 0));
            }
        }
        assert_eq!(set.len(), 5000);
        assert_eq!(set.row(17), row(17));
        assert_eq!(set.find(&row(42)), Some(42));
        assert_eq!(set.find(&row(5000)), None);
        set.clear();
        assert!(set.is_empty() && set.find(&row(42)).is_none());
    }

    #[test]
    fn rows_are_stored_once_at_every_width() {
        rows_are_stored_once::<1>(1);
        rows_are_stored_once::<2>(2);
        rows_are_stored_once::<0>(5);
    }
}
