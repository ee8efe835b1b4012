//! Decision diagrams: sets too large to list.
//!
//! Both kinds here hold sets of tuples of naturals, one number per *layer*: the cuts of a trace are such tuples, one count per
//! chain. [`idd`] is what the checker uses; [`ist`] is paper 001's structure, kept to compare with.

pub mod idd;
pub mod ist;
pub mod mtbdd;
