//! Decision diagrams: sets too large to list.
//!
//! [`bdd`] has functions from truth values to truth values: sets of states of models, and relations between them. [`mtbdd`] has functions to
//! numbers, for automata; [`pairs`] keeps what was made of two of them. [`idd`] and `ist` hold sets of tuples of naturals, one number per *layer*: the cuts of a trace are such tuples, one count per
//! chain. [`idd`] is what the checker uses; `ist` is paper 001's structure, kept to compare with: it is there with the feature `ist` only, which the program
//! and the tests ask for. [`order`] says in which order
//! variables are asked.

pub mod bdd;
pub mod idd;
#[cfg(feature = "ist")]
pub mod ist;
pub mod mtbdd;
pub mod order;
pub mod pairs;
