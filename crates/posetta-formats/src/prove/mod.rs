//! Tables of the checker PROVE: events with vector clocks, propositions and times; docs/formats/prove.md.
//!
//! `rows` reads a table, [`read`](fn@read) makes a run of it. The rows are held until the end: what becomes false with an event is known
//! when the events of its process are in order.

mod read;
mod rows;
#[cfg(test)]
mod tests;

pub use read::read;
