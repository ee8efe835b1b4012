//! Strings stored once.
//!
//! All text lies in one arena; a [`Symbol`] is an index into the table of its end offsets. The hash table holds symbols
//! beside half of their hash, so a string costs its bytes plus about seventeen, a look-up allocates nothing, and a table
//! that grows does not read the strings again (that was a seventh of the time to read a run with ids).

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use super::Symbol;

/// A set of strings with dense ids.
#[derive(Clone, Debug, Default)]
pub struct Interner {
    text: String,
    /// `ends[i]` is where string `i` ends in `text`; it starts where string `i - 1` ends.
    ends: Vec<usize>,
    table: HashTable<Entry>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    hash: u32,
    symbol: Symbol,
}

impl Entry {
    /// The table looks at both ends of a hash, so half a one is spread over the whole.
    #[inline]
    fn spread(hash: u32) -> u64 {
        u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

#[inline]
fn hash(text: &str) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    let hash = hasher.finish();
    (hash >> 32) as u32 ^ hash as u32
}

impl Interner {
    /// An empty set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The symbol of `text`, added if it is new. `None` when all four billion symbols are taken.
    #[inline]
    pub fn intern(&mut self, text: &str) -> Option<Symbol> {
        let hash_of = hash(text);
        if let Some(symbol) = self.find(hash_of, text) {
            return Some(symbol);
        }
        let symbol = Symbol::new(self.ends.len())?;
        self.text.push_str(text);
        self.ends.push(self.text.len());
        let entry = Entry { hash: hash_of, symbol };
        self.table.insert_unique(Entry::spread(hash_of), entry, |other| Entry::spread(other.hash));
        Some(symbol)
    }

    /// The symbol of `text` if it was interned.
    #[must_use]
    #[inline]
    pub fn get(&self, text: &str) -> Option<Symbol> {
        self.find(hash(text), text)
    }

    #[inline]
    fn find(&self, hash_of: u32, text: &str) -> Option<Symbol> {
        let same = |entry: &Entry| {
            // Bytes, because they are compared without looking for the borders of characters.
            entry.hash == hash_of && &self.text.as_bytes()[self.range(entry.symbol)] == text.as_bytes()
        };
        self.table.find(Entry::spread(hash_of), same).map(|entry| entry.symbol)
    }

    #[inline]
    fn range(&self, symbol: Symbol) -> std::ops::Range<usize> {
        let index = symbol.index();
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        start..self.ends[index]
    }

    /// The string of a symbol of this interner.
    #[must_use]
    pub fn resolve(&self, symbol: Symbol) -> &str {
        &self.text[self.range(symbol)]
    }

    /// About how many bytes it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.text.len() + self.ends.len() * 8 + self.table.capacity() * 9
    }

    /// How many distinct strings there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Every string, in the order of its symbol.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len() as u32).map(|i| self.resolve(Symbol::from_raw(i)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_strings_share_a_symbol() {
        let mut interner = Interner::new();
        let words = ["", "a", "ab", "a", "", "b", "ab"];
        let symbols: Vec<_> = words.iter().map(|w| interner.intern(w).unwrap()).collect();
        for (i, a) in words.iter().enumerate() {
            assert_eq!(interner.resolve(symbols[i]), *a);
            for (j, b) in words.iter().enumerate() {
                assert_eq!(symbols[i] == symbols[j], a == b);
            }
        }
        assert_eq!(interner.len(), 4);
        assert_eq!(interner.get("zz"), None);
    }
}
