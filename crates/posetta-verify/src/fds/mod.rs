//! Fair discrete systems against properties, by binary decision diagrams.
//!
//! A [`Question`] decides the properties of a model symbolically: sets of states are diagrams, a linear property becomes a tester
//! (`compile::tester`) that runs beside the model, and what is looked for is a computation that the tester says no to.
//!
//! Read `attempt` first: it goes through the states and then from property to property, with so much room for diagrams. `engine` makes diagrams
//! of the model (`encode`, over the bits of `layout`, ordered by `dd::order`; numbers by `arith`), relations of its steps (`steps`, and process by
//! process `events`) and a `space` with or without a tester, in which states are searched. `lasso` finds computations to show, `branching` decides
//! CTL, `replay` checks every counterexample by definition.

mod arith;
mod attempt;
mod branching;
mod encode;
mod engine;
mod events;
mod lasso;
mod layout;
mod property;
mod replay;
mod space;
mod steps;
mod tester;

use std::rc::Rc;

use self::attempt::Attempt;
use self::engine::Engine;
use self::layout::Layout;
use self::property::Property;
use crate::question::{Known, Work};
use posetta_base::{Budget, Diagnostic, Error, Limit, Natural, OverBudget, Verdict};
use posetta_dd::bdd::Bdds;
use posetta_model::fds::{Fds, Spec, Trail};

/// A model and its properties.
pub type Question<'a> = crate::Question<Tries<'a>>;

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
    pub verdict: Verdict<Evidence>,
    /// It holds because there is nothing that could violate it: no computation, or for an invariant no state at all.
    pub vacuous: bool,
    /// What it took: steps of the searches for this property.
    pub rounds: u64,
    /// Diagram nodes in use when it was decided.
    pub diagram_nodes: u64,
    /// Things worth knowing about the property on this model.
    pub warnings: Vec<Diagnostic>,
}

/// What is true of the model whatever the property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Findings {
    /// How many states can be reached (inputs do not count), if that was asked for and found.
    pub states: Option<Natural>,
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

/// One try after the other, each with more room for diagrams.
pub struct Tries<'a> {
    model: &'a Fds,
    specs: &'a [Spec],
    options: Options,
    budget: &'a Budget,
    properties: Rc<[Property]>,
    layout: Rc<Layout>,
    /// How many nodes there is room for in the next ones.
    left: std::slice::Iter<'static, usize>,
    attempt: Option<Attempt<'a>>,
    /// What the first of them ran out of: that says more than that the next one had no room.
    limit: Option<OverBudget>,
}

impl<'a> Question<'a> {
    /// Ties properties to a model: testers are made of them, and every variable has its bits.
    #[must_use]
    pub fn new(model: &'a Fds, specs: &'a [Spec], options: Options, budget: &'a Budget) -> Self {
        let properties: Rc<[Property]> = specs.iter().map(|spec| Property::new(model, spec, budget)).collect();
        let testers: Vec<usize> = properties.iter().map(Property::vars).collect();
        let together = property::together(model, &properties);
        let layout = Rc::new(Layout::new(model, &testers, &together, &property::choosers(model)));
        let left = NODES.iter();
        let tries = Tries { model, specs, options, budget, properties, layout, left, attempt: None, limit: None };
        Self::about(tries, specs.len())
    }
}

impl<'a> Tries<'a> {
    /// The next try, if there is one.
    fn begin(&mut self, open: &[usize]) -> Option<Result<Attempt<'a>, Error>> {
        let nodes = match (self.options.nodes, &self.limit) {
            (Some(nodes), None) => nodes,
            (Some(_), Some(_)) => return None,
            (None, _) => *self.left.next()?,
        };
        Some(store(self.layout.bits, nodes, self.budget).map_err(Error::OverBudget).and_then(|bdds| {
            let engine = Engine::new(self.model, bdds, Rc::clone(&self.layout), self.options, self.budget)?;
            Attempt::new(engine, self.specs, Rc::clone(&self.properties), open)
        }))
    }

    /// A try has failed. Room that the diagrams ran out of may be there in the next one; the budget itself may not.
    fn failed(&mut self, failure: Error) -> Result<(), Error> {
        self.attempt = None;
        match failure {
            Error::OverBudget(over) if over.limit == Limit::Memory && self.budget.step(0, over.what).is_ok() => {
                self.limit.get_or_insert(over);
                Ok(())
            }
            failure => Err(failure),
        }
    }

    /// There is no more room: what is open stays so.
    fn give_up(&self, known: &mut Known<Answer, Findings>, over: OverBudget) -> Result<bool, Error> {
        let Some(findings) = known.findings() else { return Err(Error::OverBudget(over)) };
        let diagram_nodes = findings.diagram_nodes;
        for place in known.open() {
            let (verdict, warnings) = (Verdict::Unknown(over), self.specs[place].warnings.clone());
            known.state(place, Answer { verdict, vacuous: false, rounds: 0, diagram_nodes, warnings });
        }
        Ok(false)
    }
}

impl Work for Tries<'_> {
    type Answer = Answer;
    type Findings = Findings;

    fn advance(&mut self, known: &mut Known<Answer, Findings>) -> Result<bool, Error> {
        let Some(attempt) = &mut self.attempt else {
            match (self.begin(&known.open()), self.limit) {
                (Some(Ok(attempt)), _) => self.attempt = Some(attempt),
                (Some(Err(failure)), _) => self.failed(failure)?,
                (None, Some(over)) => return self.give_up(known, over),
                (None, None) => return Ok(false),
            }
            return Ok(true);
        };
        match attempt.advance(known) {
            Ok(true) => Ok(true),
            Ok(false) => {
                let left_over = attempt.left_over();
                self.attempt = None;
                match left_over {
                    None => Ok(false),
                    Some(over) => {
                        self.limit.get_or_insert(over);
                        Ok(true)
                    }
                }
            }
            Err(failure) => self.failed(failure).map(|()| true),
        }
    }
}
