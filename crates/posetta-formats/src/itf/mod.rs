//! The Informal Trace Format of Apalache and Quint: one sequence of states; docs/formats/itf.md says what their values become.
//!
//! `flatten` makes variables of a state, [`read`](fn@read) a run of all states. The states of a file are held until its end: a set says of
//! every element that any state has whether it is in it, so that all names must be known before the first state.
//!
//! Our own reader rather than the crate `itf`, which makes values of types that its user declares, without their places, and brings serde
//! and a second crate of large numbers.

mod flatten;
mod read;
#[cfg(test)]
mod tests;

pub use read::read;
