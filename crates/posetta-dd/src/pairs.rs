//! What was made of two functions.
//!
//! Operations on diagrams ask for a pair before they take it apart, most of the time in vain, and keep what they made
//! of it. One array of keys and values with open addressing needs one miss of the machine's cache for that; a general
//! hash map has its control bytes elsewhere and hashes longer.

use crate::mtbdd::Function;

/// So many places at first.
const FEW: usize = 1 << 6;

/// In the place of a function where nothing is kept: no number is that large.
const VACANT: u32 = u32::MAX;

/// A map from pairs of functions to functions.
#[derive(Debug, Default)]
pub struct Pairs {
    /// As many as a power of two, or none; at most two of three are taken.
    entries: Vec<[u32; 3]>,
    len: usize,
}

impl Pairs {
    /// How many pairs are kept.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How much memory that takes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        12 * self.entries.len() as u64
    }

    /// Where a pair is, or would be. There are vacant places.
    fn place(&self, f: u32, g: u32) -> usize {
        let mask = self.entries.len() - 1;
        let key = u64::from(f) << 32 | u64::from(g);
        let mixed = (key ^ key >> 29).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut place = (mixed >> 32) as usize & mask;
        loop {
            let [a, b, made] = self.entries[place];
            if made == VACANT || a == f && b == g {
                return place;
            }
            place = (place + 1) & mask;
        }
    }

    /// What was made of a pair.
    #[must_use]
    pub fn get(&self, f: Function, g: Function) -> Option<Function> {
        if self.entries.is_empty() {
            return None;
        }
        let made = self.entries[self.place(f.raw(), g.raw())][2];
        (made != VACANT).then(|| Function::from_raw(made))
    }

    /// Keeps what was made of a pair.
    pub fn put(&mut self, f: Function, g: Function, made: Function) {
        if 3 * self.len >= 2 * self.entries.len() {
            let larger = (2 * self.entries.len()).max(FEW);
            let old = std::mem::replace(&mut self.entries, vec![[0, 0, VACANT]; larger]);
            for entry in old.into_iter().filter(|entry| entry[2] != VACANT) {
                let place = self.place(entry[0], entry[1]);
                self.entries[place] = entry;
            }
        }
        let place = self.place(f.raw(), g.raw());
        self.len += usize::from(self.entries[place][2] == VACANT);
        self.entries[place] = [f.raw(), g.raw(), made.raw()];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_found() {
        let mut pairs = Pairs::default();
        assert!(pairs.is_empty() && pairs.get(Function::constant(1), Function::constant(1)).is_none());
        let made = |i: u32, j: u32| Function::constant(i * 100 + j);
        for (i, j) in (0..100).flat_map(|i| (0..100).map(move |j| (i, j))) {
            pairs.put(Function::constant(i), Function::constant(j), made(i, j));
        }
        assert_eq!(pairs.len(), 10_000);
        for (i, j) in (0..101).flat_map(|i| (0..101).map(move |j| (i, j))) {
            let expected = (i < 100 && j < 100).then(|| made(i, j));
            assert_eq!(pairs.get(Function::constant(i), Function::constant(j)), expected);
        }
        pairs.put(Function::constant(3), Function::constant(4), Function::constant(0));
        assert_eq!(pairs.get(Function::constant(3), Function::constant(4)), Some(Function::constant(0)));
        assert_eq!(pairs.len(), 10_000);
    }
}
