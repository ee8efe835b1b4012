//! The native text format: for people, papers and tests.
//!
//! Lines of events, `P1: w=1 -> send y=3`, of edges, `P2.2 -> P1.2`, and of first values, `initial: x=0`. It says all
//! that decides a verdict and nothing else; [`write`](fn@write) tells what it leaves out. The grammar is in
//! docs/formats.

mod lexer;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub use read::read;
pub(super) use read::{is_likely, is_written_in, looks_like};
pub use write::write;

/// Before a colon this declares first values; a process of that name is in quotes.
const INITIAL: &str = "initial";
