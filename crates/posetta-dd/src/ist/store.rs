//! Families: where trees lie, each set of siblings once.
//!
//! A *family* is the set of successors of a node: entries sorted by label, each a node of the paper (its label, and the
//! family of its own successors). Entries of all families lie side by side in one list; a hash table finds a family by
//! its entries. So two nodes with the same label and the same successors are the same entry of the same family, which is
//! condition (iv) of definition 2.
//!
//! Invariant of a stored family: it has an entry; labels are not empty, sorted and all different (iii); every entry leads to
//! a family of the next layer or, from the last layer, to [`Family::END`], never to [`Family::NOTHING`] (ii).

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

/// A set of siblings, by its place in the [`Store`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Family(u32);

impl Family {
    /// No siblings: no tuple, in every layer. Only a whole tree can be this; no entry leads here.
    pub(super) const NOTHING: Self = Self(0);
    /// What follows the last layer: the empty tuple.
    pub(super) const END: Self = Self(1);

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// A node: the numbers of its label, and what follows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Entry {
    pub(super) lo: u32,
    /// The last number; at least `lo`.
    pub(super) hi: u32,
    pub(super) below: Family,
}

impl Entry {
    pub(super) fn label(&self) -> (u32, u32) {
        (self.lo, self.hi)
    }
}

/// Where a family lies. One that was given back is a hole, with no entries, until its place is taken again.
#[derive(Clone, Copy, Debug)]
struct Record {
    start: usize,
    len: u32,
    layer: u32,
}

/// What the hash table holds: half of the hash lies beside the place, so a table that grows does not read the families.
#[derive(Clone, Copy, Debug)]
struct Slot {
    hash: u32,
    family: Family,
}

impl Slot {
    /// The table looks at both ends of a hash, so half a one is spread over the whole.
    fn spread(hash: u32) -> u64 {
        u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

fn hash(entries: &[Entry]) -> u32 {
    let mut hasher = FxHasher::default();
    for entry in entries {
        hasher.write_u64(u64::from(entry.lo) << 32 | u64::from(entry.hi));
        hasher.write_u32(entry.below.0);
    }
    let hash = hasher.finish();
    (hash >> 32) as u32 ^ hash as u32
}

/// Bytes of a hash table that holds `capacity` elements of `size` bytes: it is at most 7/8 full, with a byte of control each.
pub(super) fn table_bytes(capacity: usize, size: usize) -> u64 {
    (capacity as u64 * 8).div_ceil(7) * (size as u64 + 1)
}

/// All families of one manager.
#[derive(Debug)]
pub(super) struct Store {
    records: Vec<Record>,
    /// Places of families that were given back.
    free: Vec<Family>,
    entries: Vec<Entry>,
    table: HashTable<Slot>,
}

impl Store {
    /// Only [`Family::NOTHING`] and [`Family::END`], which are not in the table: they have no entries to be found by.
    pub(super) fn new() -> Self {
        let bare = Record { start: 0, len: 0, layer: u32::MAX };
        Self { records: vec![bare; 2], free: Vec::new(), entries: Vec::new(), table: HashTable::new() }
    }

    /// The siblings, sorted by label.
    pub(super) fn entries(&self, family: Family) -> &[Entry] {
        let record = self.records[family.index()];
        &self.entries[record.start..][..record.len as usize]
    }

    /// How many entries are stored.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The layer of a family that has entries.
    pub(super) fn layer(&self, family: Family) -> u32 {
        self.records[family.index()].layer
    }

    /// The family with these entries, if it is there.
    pub(super) fn find(&self, entries: &[Entry]) -> Option<Family> {
        let hash = hash(entries);
        let same = |slot: &Slot| slot.hash == hash && self.entries(slot.family) == entries;
        self.table.find(Slot::spread(hash), same).map(|slot| slot.family)
    }

    /// Bytes that [`Self::insert`] needs in all for a family of `len` entries, or `None` if nothing has to grow.
    pub(super) fn growth(&self, len: usize) -> Option<u64> {
        let entries = grown(self.entries.capacity(), self.entries.len() + len);
        let records = grown(self.records.capacity(), self.records.len() + 1);
        let full = self.table.len() == self.table.capacity();
        if entries == self.entries.capacity() && records == self.records.capacity() && !full {
            return None;
        }
        // A table that grows stands beside the old one until all is moved.
        let table = self.table.capacity().max(8) * if full { 3 } else { 1 };
        Some(self.weight(entries, records, table))
    }

    /// About how many bytes it takes.
    pub(super) fn bytes(&self) -> u64 {
        self.weight(self.entries.capacity(), self.records.capacity(), self.table.capacity())
    }

    fn weight(&self, entries: usize, records: usize, table: usize) -> u64 {
        let lists =
            entries * size_of::<Entry>() + records * size_of::<Record>() + self.free.capacity() * size_of::<Family>();
        lists as u64 + table_bytes(table, size_of::<Slot>())
    }

    /// Adds a family that is not there and satisfies the invariant. `None` when all four billion places are taken.
    pub(super) fn insert(&mut self, entries: &[Entry], layer: u32) -> Option<Family> {
        let record = Record { start: self.entries.len(), len: u32::try_from(entries.len()).ok()?, layer };
        let family = match self.free.pop() {
            Some(family) => {
                self.records[family.index()] = record;
                family
            }
            None => {
                let family = Family(u32::try_from(self.records.len()).ok()?);
                let capacity = grown(self.records.capacity(), self.records.len() + 1);
                self.records.reserve_exact(capacity - self.records.len());
                self.records.push(record);
                family
            }
        };
        let capacity = grown(self.entries.capacity(), self.entries.len() + entries.len());
        self.entries.reserve_exact(capacity - self.entries.len());
        self.entries.extend_from_slice(entries);
        let hash = hash(entries);
        self.table.insert_unique(Slot::spread(hash), Slot { hash, family }, |slot| Slot::spread(slot.hash));
        Some(family)
    }

    /// Gives back every family that no root leads to. The others keep their places, so their handles stay valid.
    pub(super) fn keep(&mut self, roots: impl IntoIterator<Item = Family>) {
        let mut kept = self.below(roots);
        // Entries move to the left over what is given back, in the order in which they lie.
        kept.sort_unstable_by_key(|family| self.records[family.index()].start);
        let mut live = vec![false; self.records.len()];
        let mut end = 0;
        for family in &kept {
            live[family.index()] = true;
            let Record { start, len, .. } = self.records[family.index()];
            self.entries.copy_within(start..start + len as usize, end);
            self.records[family.index()].start = end;
            end += len as usize;
        }
        self.entries.truncate(end);
        self.entries.shrink_to_fit();
        let bare = Family::END.index() + 1;
        let last = live.iter().rposition(|&live| live).map_or(bare, |last| bare.max(last + 1));
        self.records.truncate(last);
        self.records.shrink_to_fit();
        // Low places are taken first: they are the last ones that `truncate` can reach.
        let hole = |&family: &Family| !live[family.index()];
        self.free = (bare..last).rev().map(|index| Family(index as u32)).filter(hole).collect();
        for hole in &self.free {
            self.records[hole.index()] = Record { start: 0, len: 0, layer: u32::MAX };
        }
        self.table.retain(|slot| live[slot.family.index()]);
        self.table.shrink_to_fit(|slot| Slot::spread(slot.hash));
    }

    /// All families with entries that the roots lead to, themselves included: each once, the first layers first.
    pub(super) fn below(&self, roots: impl IntoIterator<Item = Family>) -> Vec<Family> {
        let mut seen = vec![false; self.records.len()];
        let mut found = Vec::new();
        let mut visit = |family: Family, found: &mut Vec<Family>| {
            if self.records[family.index()].len > 0 && !std::mem::replace(&mut seen[family.index()], true) {
                found.push(family);
            }
        };
        for root in roots {
            visit(root, &mut found);
        }
        let mut next = 0;
        while let Some(&family) = found.get(next) {
            for entry in self.entries(family) {
                visit(entry.below, &mut found);
            }
            next += 1;
        }
        found
    }
}

/// The capacity of a list that must hold `needed`: the old one, or at least twice as much.
fn grown(capacity: usize, needed: usize) -> usize {
    if needed <= capacity { capacity } else { needed.max(2 * capacity) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(store: &mut Store, lo: u32, hi: u32) -> Family {
        let entries = [Entry { lo, hi, below: Family::END }];
        store.find(&entries).or_else(|| store.insert(&entries, 0)).unwrap()
    }

    #[test]
    fn equal_families_are_stored_once_and_survivors_keep_their_places() {
        let mut store = Store::new();
        let all: Vec<Family> = (0..1000).map(|i| leaf(&mut store, i, 2 * i)).collect();
        assert!((0..1000).all(|i| leaf(&mut store, i, 2 * i) == all[i as usize]));
        let full = store.bytes();
        let survivors = || all.iter().copied().filter(|family| family.0 % 100 == 7);
        store.keep(survivors());
        assert!(store.bytes() < full / 2, "{} of {full}", store.bytes());
        for family in survivors() {
            let i = family.0 - all[0].0;
            assert_eq!(store.entries(family), [Entry { lo: i, hi: 2 * i, below: Family::END }]);
            assert_eq!(leaf(&mut store, i, 2 * i), family);
        }
        assert_eq!(store.find(&[Entry { lo: 1, hi: 2, below: Family::END }]), None);
        let (again, survivor) = (leaf(&mut store, 1, 2), survivors().next().unwrap());
        assert!(again < survivor, "the first hole is taken again");
        store.keep([]);
        assert_eq!((store.records.len(), store.entries.len(), store.table.len()), (2, 0, 0));
    }

    #[test]
    fn growth_is_announced_before_it_happens() {
        let mut store = Store::new();
        for i in 0..5000 {
            let entries = [Entry { lo: i, hi: i, below: Family::END }, Entry { lo: i, hi: i + 1, below: Family::END }];
            let announced = store.growth(entries.len()).unwrap_or(store.bytes());
            store.insert(&entries, 0).unwrap();
            assert!(store.bytes() <= announced, "{} announced, {} taken", announced, store.bytes());
        }
    }
}
