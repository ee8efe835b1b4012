//! The names of processes, numbered densely.
//!
//! Numbers are looked up on every recorded line, so reading takes no lock: the table is a list of blocks, each twice as
//! long as the one before, and neither a block nor an entry moves once it is there. Adding a name takes a lock.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use crate::value::write_inside_quotes;
use crate::{MAX_PROCESSES, unpoisoned};

/// A process of one run, by its place in a [`Registry`].
pub(crate) type ProcessNumber = u32;

/// A name in the forms that are written.
#[derive(Debug)]
pub(crate) struct Name {
    pub text: Arc<str>,
    /// As JSON, without the quotes around it.
    pub json: Box<[u8]>,
}

/// Length of the first block; a power of two.
const FIRST: usize = 16;
const BLOCKS: usize = (MAX_PROCESSES / FIRST).ilog2() as usize + 1;

/// The names that one recorder, or one stamp that came from outside, speaks of.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    blocks: [OnceLock<Box<[OnceLock<Name>]>>; BLOCKS],
    numbers: Mutex<HashMap<Arc<str>, ProcessNumber>>,
}

fn place(number: ProcessNumber) -> (usize, usize) {
    let at = number as usize + FIRST;
    let block = (at / FIRST).ilog2() as usize;
    (block, at - (FIRST << block))
}

impl Registry {
    /// The name with a number that this registry gave out.
    pub fn name(&self, number: ProcessNumber) -> &Name {
        let (block, entry) = place(number);
        self.blocks[block]
            .get()
            .and_then(|block| block[entry].get())
            .expect("a number is given out after its name is in place")
    }

    /// The number of a name, a new one if it is new; `None` if the table is full.
    pub fn number(&self, name: &str) -> Option<ProcessNumber> {
        let mut numbers = unpoisoned(self.numbers.lock());
        if let Some(&number) = numbers.get(name) {
            return Some(number);
        }
        let number = numbers.len();
        if number >= MAX_PROCESSES {
            return None;
        }
        let number = number as ProcessNumber;
        let (block, entry) = place(number);
        let text: Arc<str> = name.into();
        let mut json = Vec::with_capacity(name.len());
        write_inside_quotes(&mut json, name);
        let block = self.blocks[block].get_or_init(|| (0..FIRST << block).map(|_| OnceLock::new()).collect());
        block[entry].get_or_init(|| Name { text: Arc::clone(&text), json: json.into() });
        numbers.insert(text, number);
        Some(number)
    }

    /// The number of a name that is known.
    pub fn find(&self, name: &str) -> Option<ProcessNumber> {
        unpoisoned(self.numbers.lock()).get(name).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_follow_one_another() {
        let mut expected = (0, 0);
        for number in 0..10_000 {
            assert_eq!(place(number), expected, "{number}");
            expected.1 += 1;
            if expected.1 == FIRST << expected.0 {
                expected = (expected.0 + 1, 0);
            }
        }
        assert_eq!(place(MAX_PROCESSES as u32 - 1).0, BLOCKS - 1);
    }

    #[test]
    fn names_keep_their_numbers() {
        let registry = Registry::default();
        for i in 0..1000 {
            assert_eq!(registry.number(&format!("p\"{i}")), Some(i));
        }
        assert_eq!(registry.number("p\"500"), Some(500));
        assert_eq!(registry.find("other"), None);
        assert_eq!(&*registry.name(999).text, "p\"999");
        assert_eq!(&*registry.name(999).json, b"p\\\"999");
    }
}
