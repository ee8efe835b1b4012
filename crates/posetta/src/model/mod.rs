//! Models: what a system can do, as data.
//!
//! [`fds`] has fair discrete systems: variables, what is true at the start and of every step, and which computations count. They are
//! written in a subset of the SMV language ([`smv`]). [`system`] has systems of components that synchronise on shared actions: labelled
//! transition systems and Petri nets; [`pnml`] reads nets, [`mcc`] what the Model Checking Contest asks of them. What is true of a model is decided in the room `verify`.

pub mod fds;
pub mod mcc;
pub mod pnml;
pub mod smv;
pub mod system;
mod xml;
