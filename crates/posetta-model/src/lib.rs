//! Models: what a system can do, as data.
//!
//! [`fds`] has fair discrete systems: variables, what is true at the start and of every step, and which computations count. They are
//! written in a subset of the SMV language ([`smv`]). [`system`] has systems of components that synchronise on shared actions: labelled
//! transition systems and Petri nets, written in a language of their own ([`sys`]) or in formats of others ([`aut`], [`pnml`]); [`mcc`] reads what
//! the Model Checking Contest asks of nets. What is true of a model is decided in the room `verify`.

pub mod aut;
pub mod fds;
pub mod mcc;
pub mod pnml;
mod problem;
pub mod smv;
pub mod sys;
pub mod system;
mod xml;
