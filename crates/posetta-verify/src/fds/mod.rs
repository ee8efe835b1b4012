//! Fair discrete systems against properties, by binary decision diagrams.
//!
//! [`verify`] decides the properties of a model symbolically: sets of states are diagrams, a linear property becomes a tester
//! (`compile::tester`) that runs beside the model, and what is looked for is a computation that the tester says no to.
//!
//! Read [`engine`] first: it makes diagrams of the model (`encode`, over the bits of `layout`, ordered by `dd::order`; numbers by `arith`),
//! relations of its steps (`steps`, and process by process `events`) and a `space` with or without a tester, in which states are searched.
//! `lasso` finds computations to show, `branching` decides CTL, `replay` checks every counterexample by definition.

mod arith;
mod branching;
mod encode;
mod engine;
mod events;
mod lasso;
mod layout;
mod question;
mod replay;
mod space;
mod steps;
mod tester;

use dashu_int::UBig;

use self::engine::Engine;
use self::layout::Layout;
use self::question::Question;
use posetta_base::{Budget, Diagnostic, Error, Limit, OverBudget};
use posetta_dd::bdd::Bdds;
use posetta_model::fds::{Fds, Spec, Trail};

/// What was decided about a property.
#[must_use]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is true of the model.
    Holds,
    /// It is not.
    Violated(Evidence),
    /// A limit was reached before the answer was known.
    Unknown(OverBudget),
}

impl Verdict {
    /// `holds`, `violated` or `unknown`.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Violated(_) => "violated",
            Self::Unknown(_) => "unknown",
        }
    }
}

/// Why a property is not true. It has been replayed step by step by [`posetta_model::fds`] before anybody sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// A computation that does not satisfy a linear property.
    Computation(Trail),
    /// A path from an initial state along which a branching property or an invariant goes wrong. It need not be the whole reason: that
    /// *no* path has some quality is shown by the state it was asked of.
    Path(Trail),
}

impl Evidence {
    /// The states.
    #[must_use]
    pub fn trail(&self) -> &Trail {
        match self {
            Self::Computation(trail) | Self::Path(trail) => trail,
        }
    }
}

/// An answer about one property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What was decided.
    pub verdict: Verdict,
    /// It holds because there is nothing that could violate it: no computation, or for an invariant no state at all.
    pub vacuous: bool,
    /// What it took: steps of the searches for this property.
    pub rounds: u64,
    /// Diagram nodes in use when it was decided.
    pub diagram_nodes: u64,
    /// Things worth knowing about the property on this model.
    pub warnings: Vec<Diagnostic>,
}

/// What [`verify`] tells while it is at work.
#[derive(Debug)]
pub enum News<'a> {
    /// The states have been found: what is known about the model by now.
    Model(&'a Findings),
    /// The property at this place has an answer.
    Answer(usize, Answer),
}

/// What is true of the model whatever the property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Findings {
    /// How many states can be reached (inputs do not count), if that was asked for and found.
    pub states: Option<UBig>,
    /// How many steps it takes to reach the furthest of them; not known where processes were followed one by one.
    pub depth: Option<u64>,
    /// A shortest path to a state that has no next one and is not final.
    pub deadlock: Option<Trail>,
    /// Bits of a state.
    pub bits: u64,
    /// Nodes of the diagrams of the step relation.
    pub relation_nodes: u64,
    /// The most nodes that were in use.
    pub diagram_nodes: u64,
    /// Things worth knowing about the model: no initial state, no computation, states without a next one, unused fairness.
    pub warnings: Vec<Diagnostic>,
}

/// What may be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The most diagram nodes that there may be at once; `None`: what the budget's memory has room for.
    pub nodes: Option<usize>,
    /// Find all reachable states even if no property needs them: they are counted, and deadlocks are looked for.
    pub explore: bool,
    /// When a search stops going breadth first and follows processes one by one: where a ring has more nodes than this, and a variable says who
    /// moves. Counterexamples that are found before are shortest ones. With 0 it does so from the start, whatever can be split off.
    pub ring_nodes: u64,
}

impl Default for Options {
    fn default() -> Self {
        // A ring with more nodes than this counts something, probably.
        Self { nodes: None, explore: true, ring_nodes: 600 }
    }
}

/// How many diagram nodes there is room for, one try after the other: an answer that needs few should not wait for much memory.
const NODES: [usize; 4] = [1 << 20, 1 << 22, 1 << 24, 1 << 26];
/// Where the budget has no room for the first try, it may have for less; with less than this there is no point.
const LEAST_NODES: usize = 1 << 14;

/// A store of that many nodes. For the first try it is as large as the budget lets it be.
fn store(bits: u32, nodes: usize, budget: &Budget) -> Result<Bdds, OverBudget> {
    let mut less = nodes;
    loop {
        match Bdds::new(bits, less, budget) {
            Err(over) if over.limit == Limit::Memory && nodes == NODES[0] && less / 2 >= LEAST_NODES => less /= 2,
            made => return made,
        }
    }
}

/// Decides properties of a model. `told` hears of each answer as soon as it is known, and of the states once they are found.
///
/// # Errors
/// With the mistakes of the model that only show in its values. When a limit was reached: some properties may have been told of already, the
/// others are unknown.
pub fn verify(
    model: &Fds,
    specs: &[Spec],
    options: &Options,
    budget: &Budget,
    told: &mut dyn FnMut(News<'_>),
) -> Result<Findings, Error> {
    let questions: Vec<Question> = specs.iter().map(|spec| Question::new(model, spec, budget)).collect();
    let testers: Vec<usize> = questions.iter().map(Question::vars).collect();
    let together = question::together(model, &questions);
    let layout = Layout::new(model, &testers, &together, &question::choosers(model));
    let mut open = vec![true; specs.len()];
    let tries: &[usize] = options.nodes.as_ref().map_or(&NODES, std::slice::from_ref);
    let mut limit = None;
    let mut findings = None;
    for &nodes in tries {
        let attempt = store(layout.bits, nodes, budget).map_err(Error::OverBudget).and_then(|bdds| {
            Engine::new(model, &bdds, &layout, options, budget)?.run(specs, &questions, &mut open, told)
        });
        // Room that the diagrams ran out of may be there in the next try; the budget itself may not. What ran out first says more than
        // that the next try had no room.
        let over = match attempt {
            Ok((found, None)) => return Ok(found),
            Ok((found, Some(over))) => {
                findings = Some(found);
                over
            }
            Err(Error::OverBudget(over)) if over.limit == Limit::Memory && budget.step(0, over.what).is_ok() => over,
            Err(failure) => return Err(failure),
        };
        limit.get_or_insert(over);
    }
    let over = limit.expect("there was a try");
    let Some(findings) = findings else { return Err(Error::OverBudget(over)) };
    for (place, _) in open.iter().enumerate().filter(|(_, open)| **open) {
        let (verdict, warnings) = (Verdict::Unknown(over), specs[place].warnings.clone());
        let diagram_nodes = findings.diagram_nodes;
        told(News::Answer(place, Answer { verdict, vacuous: false, rounds: 0, diagram_nodes, warnings }));
    }
    Ok(findings)
}
