//! Models: what a system can do, as data.
//!
//! [`fds`] has fair discrete systems: variables, what is true at the start and of every step, and which computations count. They are
//! written in a subset of the SMV language ([`smv`]). What is true of a model is decided in the room `verify`.

pub mod fds;
pub mod smv;
