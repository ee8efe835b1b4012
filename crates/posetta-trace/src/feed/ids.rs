//! The ids that events of a live run have, without their text.
//!
//! An id is kept as a fingerprint of 128 bits: two runs of SipHash that begin differently. Two ids of one stream that share a
//! fingerprint would be taken for one; among a billion ids that has a probability below 10⁻²⁰. So an id costs 24 bytes and a
//! little air in the table, however long it is, and whether its event is still remembered does not matter.

use std::hash::{DefaultHasher, Hasher};

use hashbrown::HashTable;

use posetta_base::ProcessId;

#[derive(Clone, Copy, Debug)]
struct Entry {
    fingerprint: [u64; 2],
    process: u32,
    position: u32,
}

/// Which event has which id.
#[derive(Debug, Default)]
pub(super) struct Ids {
    table: HashTable<Entry>,
}

fn fingerprint(id: &str) -> [u64; 2] {
    [b"1", b"2"].map(|prefix| {
        let mut hasher = DefaultHasher::new();
        hasher.write(prefix);
        hasher.write(id.as_bytes());
        hasher.finish()
    })
}

impl Ids {
    /// The event with an id: its process, and its position from 1.
    pub(super) fn get(&self, id: &str) -> Option<(ProcessId, u32)> {
        if self.table.is_empty() {
            return None;
        }
        let fingerprint = fingerprint(id);
        let entry = self.table.find(fingerprint[0], |entry| entry.fingerprint == fingerprint)?;
        Some((ProcessId::from_raw(entry.process), entry.position))
    }

    /// Gives an event an id that no event has.
    pub(super) fn add(&mut self, id: &str, process: ProcessId, position: u32) {
        let fingerprint = fingerprint(id);
        let entry = Entry { fingerprint, process: process.raw(), position };
        self.table.insert_unique(fingerprint[0], entry, |entry| entry.fingerprint[0]);
    }

    pub(super) fn bytes(&self) -> usize {
        self.table.capacity() * (size_of::<Entry>() + 1) * 8 / 7
    }
}
