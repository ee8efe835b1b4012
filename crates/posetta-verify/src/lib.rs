//! Models against properties, and models against each other.
//!
//! [`fds`] decides properties of fair discrete systems, [`system`] those of systems of components, and whether a recorded run follows one.
//! [`refine`] compares the traces of two systems, [`abstraction`] the parts of one with simpler ones; both use [`simulation`].

mod abstraction;
mod fds;
mod refine;
mod simulation;
mod system;

pub use abstraction::{
    Abstraction, AbstractionAnswer, AbstractionStats, AbstractionVerdict, Agreement, Composition, Constraint, Event,
    Failing, Part, Premise, Rule, Why, abstraction, compose, hidden, misnamed, strangers,
};
pub use fds::{Answer, Evidence, Findings, News, Options, Verdict, verify};
pub use refine::{Lacking, RefineAnswer, RefineEngine, RefineStats, RefineVerdict, refine};
pub use system::{
    ActionNames, Conformance, Engine as SystemEngine, FEW_STATES, Frontier, MetaState, ObservationGraph, Outcome,
    Refusal, SystemAnswer, SystemFindings, SystemNews, SystemOptions, SystemStats, SystemVerdict, action_of, conform,
    observation_graph, verify_system,
};
