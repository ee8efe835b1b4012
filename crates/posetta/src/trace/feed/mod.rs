//! A run while it happens: events one after another, each after its causes.
//!
//! A feed hands on [`Arrival`]s and keeps of the past only what later events can ask for; [`Frontier`] is what is known about
//! events that have not come yet.

mod frontier;

pub use frontier::Frontier;

use crate::base::{ProcessId, Value, VarId};

/// What an event gives a variable.
#[derive(Clone, Debug)]
pub struct Assigned<'a> {
    /// The variable: the same number for the same name.
    pub var: VarId,
    /// Its name.
    pub name: &'a str,
    /// Its value from this event on.
    pub value: &'a Value,
}

/// An event all of whose causes have come.
#[derive(Clone, Debug)]
pub struct Arrival<'a> {
    /// Its process.
    pub process: ProcessId,
    /// The name of its process.
    pub process_name: &'a str,
    /// How many events of each process are this one or happened before it; past the end of the list none. Its own entry is its
    /// position, from 1.
    pub clock: &'a [u32],
    /// Its name.
    pub name: Option<&'a str>,
    /// What it assigns, each variable once.
    pub assigned: &'a [Assigned<'a>],
    /// The line it was read from.
    pub line: u64,
}
