//! Interval decision diagrams: canonical sets of tuples of naturals.
//!
//! A set of tuples (x₀, …, x₍ₖ₋₁₎) is a function of x₀ to sets of the remaining tuples. It is constant on intervals, and a
//! *node* lists where it changes: pairs (start, child), ascending. The value before the first start is the empty set; the last
//! child is the empty set, too, and closes the last interval. Adjacent children differ, and equal lists are one node
//! ([`store`]). So a set has one representation, and [`Set`]s are equal exactly if they hold the same tuples.
//!
//! ```text
//! {(0,1), (0,2), (1,2), (2,2)}   as   0 ─▶ [1 ─▶ ■, 3 ─▶ ∅]     with one layer per coordinate; ■ is the empty tuple
//!                                     1 ─▶ [2 ─▶ ■, 3 ─▶ ∅]
//!                                     3 ─▶ ∅
//! ```
//!
//! An interval sharing tree (`dd::ist`) whose siblings are disjoint and merged is the same thing. Disjoint siblings make
//! difference and complement as cheap as union; that is why this is the structure that decides.
//!
//! [`combine`] has the boolean operations, [`steps`] what CTL needs of a graph whose steps add 1 to one coordinate, [`events`] graphs
//! whose steps change a few coordinates each, [`select`] tuples by sums of their numbers, [`read`] membership, counting and drawing. Operations recurse over layers, hence the refusal of more than 2,048.

mod combine;
mod events;
mod read;
mod select;
mod steps;
mod store;

pub use events::{Change, Closing, Event};
pub use store::{Diagrams, Set};
