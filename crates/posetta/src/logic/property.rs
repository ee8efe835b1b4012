//! Properties: a formula with a name, as written on the command line or in a `.props` file.

use std::sync::Arc;

use super::ctl::Ctl;
use super::ltl::Ltl;
use crate::base::Span;

/// Which positions a linear formula reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum View {
    /// Positions 0..n: the initial state, then the state after each event.
    #[default]
    States,
    /// Positions 1..n: the events only.
    Events,
}

/// What a property demands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    /// A linear formula, for every run.
    Ltl(View, Ltl),
    /// A branching formula, at the empty cut.
    Ctl(Ctl),
}

/// A property and where it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// Its name, if it was given one.
    pub name: Option<String>,
    /// What it demands.
    pub formula: Formula,
    /// The whole text that it was written in; spans in the formula refer to it.
    pub source: Arc<str>,
    /// The formula's own part of the source.
    pub span: Span,
}
