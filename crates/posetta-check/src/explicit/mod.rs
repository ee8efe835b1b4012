//! Explicit engines: one entry per cut (and automaton state), level by level.
//!
//! A level is the set of cuts with the same number of events. Every step leads to the next level, so a search needs two
//! levels at a time, each small enough to stay in the cache, and never revisits. These engines are the reference for
//! all others and the fast path for small lattices.

pub(super) mod branching;
pub(super) mod linear;
#[cfg(feature = "comparison")]
pub(super) mod por;
