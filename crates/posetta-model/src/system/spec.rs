//! What is asked of a system as a whole.

use std::sync::Arc;

use super::Predicate;
use posetta_base::{ActionId, Diagnostic, Span};
use posetta_logic::m2l::{Program, VarId};
use posetta_logic::{Ctl, Ltl};

/// What can stand at a position of the word of a run: exactly one of these does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Letter {
    /// An observed action takes place.
    Action(ActionId),
    /// The run has stopped: no action can take place. All later letters are the same.
    Deadlock,
    /// The run goes on forever without an observed action. All later letters are the same.
    Divergence,
}

/// What is demanded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Demand {
    /// Of the word of every run: its observed actions, then `deadlock` or `divergence` forever if they end. Over the actions that the
    /// formula names and those that are observed besides.
    Actions(Ltl<Letter>),
    /// Of the observed actions of every finite run, one position per action.
    Finite(Finite),
    /// Of the states of every run, one position per state. A run that stops repeats its last state forever.
    States(Ltl<Predicate>),
    /// Of the tree of states: at the initial state. In a state without a step `EX f` is false and `AX f` true, and
    /// the path that ends there counts for the other operators.
    Branching(Ctl<Predicate>),
    /// Some reachable state satisfies it.
    Reach(Predicate),
    /// Every reachable state satisfies it.
    Invariant(Predicate),
    /// No reachable state is without a step.
    NoDeadlock,
    /// No run goes on forever with actions that are not observed. Observed are all that are not internal, and those that are observed
    /// besides.
    NoLivelock,
    /// How large the sum of these slots can be. No verdict but a number.
    Bound(Vec<u32>),
}

/// A formula of M2L about the observed actions of finite runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finite {
    /// The formula.
    pub formula: Arc<Program>,
    /// Its free sets, and the action whose positions each of them has.
    pub sets: Vec<(VarId, ActionId)>,
    /// By action: whether it is observed. So are all that are not internal, those that the formula names, and those that are observed besides.
    pub observed: Vec<bool>,
}

/// A property, tied to one system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// What it demands.
    pub demand: Demand,
    /// The text that it was written in.
    pub source: Arc<str>,
    /// Its own part of the text.
    pub span: Span,
    /// Things worth knowing about it on this system.
    pub warnings: Vec<Diagnostic>,
}

impl Spec {
    /// A question without a text.
    #[must_use]
    pub fn plain(name: &str, demand: Demand) -> Self {
        Self { name: Some(name.to_owned()), demand, source: "".into(), span: Span::default(), warnings: Vec::new() }
    }
}
