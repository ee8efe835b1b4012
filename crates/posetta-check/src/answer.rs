//! Answers: what was decided, and what was found on the way.

use super::proof::{Counted, Proof};
use super::why::Explanation;
use posetta_base::{Diagnostic, EventId, Natural, OverBudget, Value, Verdict};
use posetta_logic::Quantifier;

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
#[non_exhaustive]
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

posetta_base::setters! { Stats { configurations: u64 } }

/// The answer for one property on one trace.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Answer {
    /// Holds, violated (with a witness that was replayed), or unknown. That no order satisfies a property that asks for one has
    /// no witness: it is empty then, and [`Self::order`] answers `None`.
    pub verdict: Verdict,
    /// The limit that left something open: the verdict, or only what was wanted beside it.
    pub stopped: Option<OverBudget>,
    /// Things worth knowing that change nothing, such as a division by zero.
    pub warnings: Vec<Diagnostic>,
    /// What it cost.
    pub stats: Stats,
    /// What was found beside the verdict; of a property with instances, for the one that is shown.
    pub found: Found,
    /// Of a property with instances: what became of all of them.
    pub instances: Option<Instances>,
}

/// The instances of a property, one for each value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Instances {
    /// How many there are.
    pub total: u64,
    /// How many of them are violated.
    pub violated: u64,
    /// Of how many a limit left that open.
    pub unknown: u64,
    /// The values of those that are violated, in the order of reading.
    pub failing: Vec<Value>,
    /// If there is an instance for every two values: the second values of those, in the same order.
    pub failing_with: Vec<Value>,
    /// The value of the one that the verdict, the order and all else is about: the first one that is violated, else the first one that is
    /// not known.
    pub shown: Option<Value>,
    /// Its second value, if it has two.
    pub shown_with: Option<Value>,
}

/// What an answer has beside its verdict.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Found {
    /// For a linear property: about the runs.
    Linear(LinearAnswer),
    /// For a branching property: about the cuts.
    Branching(BranchingAnswer),
}

/// What is known of the runs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LinearAnswer {
    /// How many of them satisfy the property.
    pub runs: Runs,
    /// What the observed order did, if there is one.
    pub observed: Option<Observed>,
    /// Of how many of them that was asked.
    pub quantifier: Quantifier,
    /// Why the property is violated, if somebody asked.
    pub why: Option<Explanation>,
    /// A run that satisfies the property: what shows that one does, if that was asked; else, if the trace's own order does not, where
    /// an explanation starts.
    pub(crate) satisfying: Option<Vec<EventId>>,
}

/// What is known of the cuts.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct BranchingAnswer {
    /// Why the formula has its value at the empty cut, as far as paths can show it, where there is a path. The path of the verdict or
    /// of `support` is its main branch.
    pub proof: Option<Proof>,
    /// Whether that path alone proves the verdict. A violated `EF p` would need every path.
    pub path_proves: Option<bool>,
    /// With [`Options::witness_always`](crate::Options::witness_always): a path that shows why the property holds.
    pub support: Option<Vec<EventId>>,
    /// With [`Options::counts`](crate::Options::counts): the number of all cuts.
    pub cuts: Option<Natural>,
    /// With [`Options::counts`](crate::Options::counts): the formula and its subformulas, as deep as they are nested.
    pub counts: Vec<Counted>,
}

impl Answer {
    /// What is known of the runs; `None` for a branching property.
    #[must_use]
    pub fn linear(&self) -> Option<&LinearAnswer> {
        match &self.found {
            Found::Linear(found) => Some(found),
            Found::Branching(_) => None,
        }
    }

    /// What is known of the cuts; `None` for a linear property.
    #[must_use]
    pub fn branching(&self) -> Option<&BranchingAnswer> {
        match &self.found {
            Found::Linear(_) => None,
            Found::Branching(found) => Some(found),
        }
    }

    /// How many runs satisfy it; `None` for a branching property.
    #[must_use]
    pub fn runs(&self) -> Option<Runs> {
        self.linear().map(|found| found.runs)
    }

    /// What the observed order did; `None` for a branching property, or if there is no such order.
    #[must_use]
    pub fn observed(&self) -> Option<Observed> {
        self.linear().and_then(|found| found.observed)
    }

    /// Why a linear property is violated, if somebody asked.
    #[must_use]
    pub fn why(&self) -> Option<&Explanation> {
        self.linear().and_then(|found| found.why.as_ref())
    }

    /// About how many bytes the orders take that it keeps.
    pub(crate) fn weight(&self) -> u64 {
        let satisfying = self.linear().and_then(|found| found.satisfying.as_deref());
        let events = self.order().map_or(0, <[_]>::len) + satisfying.map_or(0, <[_]>::len);
        (events * size_of::<EventId>()) as u64
    }

    /// Whether one order that satisfies the property was asked for.
    #[must_use]
    pub fn is_about_some(&self) -> bool {
        self.linear().is_some_and(|found| found.quantifier == Quantifier::Some)
    }

    /// The order that violates the property, the one that satisfies it if one was asked for, or the path that shows why it is violated
    /// or holds.
    #[must_use]
    pub fn order(&self) -> Option<&[EventId]> {
        match (&self.verdict, &self.found) {
            (Verdict::Violated(_), _) if self.is_about_some() => None,
            (Verdict::Violated(witness), _) => Some(witness),
            (Verdict::Holds, Found::Linear(found)) if self.is_about_some() => found.satisfying.as_deref(),
            (Verdict::Holds | Verdict::Unknown(_), Found::Branching(found)) => found.support.as_deref(),
            (Verdict::Holds | Verdict::Unknown(_), Found::Linear(_)) => None,
        }
    }
}
