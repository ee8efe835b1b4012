//! Models against properties, and models against each other.
//!
//! A question holds a model and what is asked of it: [`fds::Question`] a fair discrete system, [`system::Question`] a system of components. It is
//! answered step by step, and what is known stays known whatever limit comes later. [`system`] also follows recorded runs through a system. [`refine`]
//! compares the traces of two systems, [`abstraction`] proves the same part by part; both use `simulation`.

pub mod abstraction;
mod arcs;
pub mod fds;
mod question;
mod race;
pub mod refine;
mod simulation;
pub mod system;

pub use question::Step;
