//! Runs against properties.
//!
//! Start at [`check`]. It binds the property to the trace, lets an engine decide it, and replays the witness with
//! [`logic::eval`](posetta_logic::eval), which knows no engine, before anyone sees it.

mod classes;
mod cuts;
mod determined;
mod dispatch;
mod explicit;
mod linear;
mod machine;
mod online;
mod possible;
mod program;
mod proof;
mod replay;
mod show;
mod vacuity;
mod valuation;
mod why;

pub use determined::determined;
pub use dispatch::{check, plan};
pub use online::{Culprit, Online};
pub use posetta_compile::Prospect;
pub use proof::{Counted, Proof, Why};
pub use replay::{proof_stands, proves};
pub use vacuity::{Vacuity, vacuity};
pub use why::Explanation;

use dashu_int::UBig;

use posetta_base::{Diagnostic, EventId, OverBudget, Verdict};

/// Which engine decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// What fits the property and the trace.
    #[default]
    Auto,
    /// Cut by cut, with every event.
    Explicit,
    /// Linear properties by intervals of cuts; CTL by intervals where its shape allows it, else by diagrams.
    Symbolic,
    /// CTL by interval decision diagrams, whatever its shape; linear properties as with [`Engine::Symbolic`].
    Diagrams,
    /// CTL by the interval sharing trees and fixpoints of paper 001, for comparison; linear properties as with
    /// [`Engine::Symbolic`].
    Ist,
}

/// In which order the symbolic engine takes configurations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Two hunts, then a proof.
    #[default]
    Auto,
    /// The newest first: finds violations soonest.
    Hunt,
    /// The smallest first: covers most.
    Proof,
}

/// What a caller may choose without changing any verdict.
#[derive(Clone, Debug)]
pub struct Options {
    /// Give a path for a CTL property that holds, too.
    pub witness_always: bool,
    /// Variables that other inputs of the same call assign: unknown here, they are 0 instead of a mistake.
    pub known_elsewhere: Vec<String>,
    /// For linear properties: stop when the verdict is known, without looking for an order that satisfies a property that
    /// the recorded order violates.
    pub verdict_only: bool,
    /// For properties that hold: look for parts that ask for nothing on this trace, and warn of them.
    pub vacuity: bool,
    /// For linear properties that are violated: look for the closest failing order and for what would have prevented it.
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
}

impl Default for Options {
    fn default() -> Self {
        Self {
            witness_always: false,
            known_elsewhere: Vec::new(),
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
        }
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
    /// How many chains the kept events of a search lie on at most; 0 for explicit engines.
    pub width: u64,
    /// Things worth knowing that change nothing.
    pub warnings: Vec<Diagnostic>,
}

/// How many of the runs satisfy a linear property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runs {
    /// Every run.
    All,
    /// At least one does and at least one does not.
    Some,
    /// No run.
    None,
    /// A limit was reached first, or nobody asked.
    Unknown,
}

/// What the observed order did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observed {
    /// It satisfies the property.
    Holds,
    /// It does not.
    Violated,
}

/// What the answer cost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Which engine answered.
    pub engine: &'static str,
    /// Configurations (cut × automaton state) or cuts explored for the verdict; none if the recorded order settled it.
    /// One that two hunts or a hunt and a proof came across counts twice.
    pub configurations: u64,
    /// Configurations explored after that, for an order that satisfies the property.
    pub further_configurations: u64,
    /// Nodes of the diagrams that hold the sets of cuts, at the end.
    pub nodes: u64,
    /// Events of the trace.
    pub events: u64,
    /// Events that the property can tell from doing nothing; where no explicit engine answered, those that were kept.
    pub relevant_events: u64,
    /// Configurations that another one contained; for the symbolic engine.
    pub covered: u64,
    /// How many chains the kept events lie on, where no explicit engine answered.
    pub width: u64,
}

/// The answer for one property on one trace.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Holds, violated (with a witness that was replayed), or unknown.
    pub verdict: Verdict,
    /// For linear logics.
    pub runs: Option<Runs>,
    /// For linear logics, if there is an observed order.
    pub observed: Option<Observed>,
    /// For CTL with [`Options::witness_always`]: a path that shows why the property holds.
    pub support: Option<Vec<EventId>>,
    /// For CTL with a path: whether that path alone proves the verdict. A violated `EF p` would need every path.
    pub path_proves: Option<bool>,
    /// For CTL with a path: why the formula has its value at the empty cut, as far as paths can show it. The path of the
    /// verdict or of `support` is its main branch.
    pub proof: Option<Proof>,
    /// For CTL with [`Options::counts`]: the number of all cuts.
    pub cuts: Option<UBig>,
    /// For CTL with [`Options::counts`]: the formula and its subformulas, as deep as they are nested.
    pub counts: Vec<Counted>,
    /// For linear logics with [`Options::explain`]: why the property is violated.
    pub why: Option<Explanation>,
    /// The limit that left something open: the verdict, or only `runs`.
    pub stopped: Option<OverBudget>,
    /// Things worth knowing that change nothing, such as a division by zero.
    pub warnings: Vec<Diagnostic>,
    /// What it cost.
    pub stats: Stats,
}
