//! Strings stored once.
//!
//! All text lies in one arena; a [`Symbol`] is an index into the table of its end offsets. The hash table holds
//! symbols only, so a string costs its bytes plus about ten, and a look-up allocates nothing.

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
    table: HashTable<u32>,
}

#[inline]
fn hash(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}

#[inline]
fn slice<'a>(text: &'a str, ends: &[usize], index: u32) -> &'a str {
    let index = index as usize;
    let start = if index == 0 { 0 } else { ends[index - 1] };
    &text[start..ends[index]]
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
        let (arena, ends) = (&self.text, &self.ends);
        self.table.insert_unique(hash_of, symbol.raw(), |&other| hash(slice(arena, ends, other)));
        Some(symbol)
    }

    /// The symbol of `text` if it was interned.
    #[must_use]
    #[inline]
    pub fn get(&self, text: &str) -> Option<Symbol> {
        self.find(hash(text), text)
    }

    #[inline]
    fn find(&self, hash_of: u64, text: &str) -> Option<Symbol> {
        self.table.find(hash_of, |&other| self.bytes_of(other) == text.as_bytes()).map(|&raw| Symbol::from_raw(raw))
    }

    /// A string without the checks that make it one.
    #[inline]
    fn bytes_of(&self, index: u32) -> &[u8] {
        let index = index as usize;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.text.as_bytes()[start..self.ends[index]]
    }

    /// The string of a symbol of this interner.
    #[must_use]
    pub fn resolve(&self, symbol: Symbol) -> &str {
        slice(&self.text, &self.ends, symbol.raw())
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
        (0..self.ends.len()).map(|i| slice(&self.text, &self.ends, i as u32))
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
