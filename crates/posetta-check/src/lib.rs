//! Runs against properties.
//!
//! Start at [`Question`]: a property tied to a trace. It is asked in stages: an engine [decides](Question::decide), and the witness is
//! replayed with [`logic::eval`](posetta_logic::eval), which knows no engine, before anyone sees it; then whoever wants more asks for
//! more. [`check`] is the whole of it in one call.

mod answer;
mod branching;
mod classes;
mod cuts;
mod determined;
mod explicit;
mod few;
mod instances;
mod linear;
mod machine;
mod moment;
mod online;
mod pairs;
mod possible;
mod program;
mod proof;
mod question;
mod reliance;
mod replay;
mod runs;
mod show;
mod tie;
mod vacuity;
mod valuation;
mod why;

pub use answer::{Answer, BranchingAnswer, Found, Instances, LinearAnswer, Observed, Runs, Stats};
pub use determined::determined;
pub use moment::{Met, Moment};
pub use online::{Culprit, Online};
pub use posetta_compile::Prospect;
pub use proof::{Counted, Proof, Why};
pub use question::{Question, Replayed, check};
pub use reliance::{Reliance, could_change};
pub use replay::{proof_stands, proves};
pub use vacuity::Vacuity;
pub use why::Explanation;

use posetta_base::Diagnostic;

/// Which engine decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Engine {
    /// What fits the property and the trace.
    #[default]
    Auto,
    /// Cut by cut, with every event.
    Explicit,
    /// Linear properties by intervals of cuts; CTL by intervals where its shape allows it, else by diagrams.
    Symbolic,
    /// CTL as with [`Engine::Symbolic`]; linear properties in the same way, if they ask for no more than a branching one, else as
    /// with [`Engine::Symbolic`].
    Cuts,
    /// The same by interval decision diagrams, whatever the shape.
    Diagrams,
    /// Linear properties by algorithm 1 of paper 000 as it is printed, for comparison: with every event, in one search; CTL as with
    /// [`Engine::Symbolic`]. With the feature `comparison` only.
    #[cfg(feature = "comparison")]
    Paper,
    /// Linear properties cut by cut with partial-order reduction, for comparison; CTL as with [`Engine::Symbolic`]. With the feature
    /// `comparison` only.
    #[cfg(feature = "comparison")]
    Por,
    /// CTL by the interval sharing trees and fixpoints of paper 001, for comparison; linear properties as with
    /// [`Engine::Symbolic`]. With the feature `comparison` only.
    #[cfg(feature = "comparison")]
    Ist,
}

/// In which order the symbolic engine takes configurations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Order {
    /// Two hunts, then a proof.
    #[default]
    Auto,
    /// The newest first: finds violations soonest.
    Hunt,
    /// The smallest first: covers most.
    Proof,
}

/// What a caller may choose. No choice changes a verdict. There is a setter for each: `Options::default().explain(true).threads(4)`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Give a path for a CTL property that holds, too.
    pub witness_always: bool,
    /// For [`check`] and linear properties: stop when the verdict is known, without looking for an order that satisfies a property
    /// that the recorded order violates.
    pub verdict_only: bool,
    /// For [`check`] and properties that hold: look for parts that ask for nothing on this trace, and warn of them.
    pub vacuity: bool,
    /// For [`check`] and linear properties that are violated: look for the closest failing order and for what would have prevented it.
    pub explain: bool,
    /// How much work an explanation may take, in steps of about ten nanoseconds. Past that there is less to it: an order that may
    /// not be the closest, no edges.
    pub patience: u64,
    /// Which engine decides.
    pub engine: Engine,
    /// For CTL: after the verdict, count the cuts at which each subformula holds.
    pub counts: bool,
    /// Leave out events that cannot matter.
    pub slice: bool,
    /// Drop configurations that another one contains.
    pub covering: bool,
    /// In which order the symbolic engine takes configurations.
    pub order: Order,
    /// How many threads one search may use; 0 counts as 1. Answers and statistics do not depend on it.
    pub threads: usize,
    /// Variables and attributes that other runs know, for one of many: where this one does not, variables are 0 and attributes missing instead
    /// of a mistake.
    pub known_elsewhere: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            witness_always: false,
            verdict_only: false,
            vacuity: true,
            explain: false,
            patience: 150_000_000,
            engine: Engine::Auto,
            counts: false,
            slice: true,
            covering: true,
            order: Order::Auto,
            threads: 1,
            known_elsewhere: Vec::new(),
        }
    }
}

posetta_base::setters! {
    Options {
        witness_always: bool,
        verdict_only: bool,
        vacuity: bool,
        explain: bool,
        patience: u64,
        engine: Engine,
        counts: bool,
        slice: bool,
        covering: bool,
        order: Order,
        threads: usize,
        known_elsewhere: Vec<String>,
    }
}

/// What a search goes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// Cuts, or intervals of them, each with the modes in which runs reach it.
    Runs,
    /// Cuts, or sets of them.
    Cuts,
}

/// How a property will be decided on a trace.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Plan {
    /// Which engine will answer.
    pub engine: &'static str,
    /// What it goes through.
    pub search: Search,
    /// Events of the trace.
    pub events: u64,
    /// Events that the property can tell from doing nothing; those that are kept, unless an explicit engine goes through all.
    pub relevant_events: u64,
    /// How many searches there are, each with its own events.
    pub parts: u64,
    /// Of how many of them a branching formula asks for the same, so that the engines of CTL take turns with the search.
    pub as_branching: u64,
    /// How many chains the kept events of a search lie on at most; 0 for explicit engines.
    pub width: u64,
    /// Things worth knowing that change nothing.
    pub warnings: Vec<Diagnostic>,
}
