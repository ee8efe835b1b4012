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
mod explicit;
mod lasso;
mod layout;
mod property;
mod replay;
mod space;
mod steps;
mod tester;

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, channel};

use self::attempt::Attempt;
use self::engine::Engine;
use self::explicit::{Asked, News};
use self::layout::Layout;
use self::property::Property;
use crate::question::{Known, Progress, Work, question};
use crate::race::{HEAD, Racer};
use posetta_base::{Budget, Diagnostic, Error, Limit, Natural, OverBudget, Verdict};
use posetta_dd::bdd::Bdds;
use posetta_model::fds::{Fds, Spec, Trail};

question! {
    /// A model and its properties, tied together once.
    ///
    /// [`advance`](Self::advance) goes on until one more thing is known, [`decide`](Self::decide) to the end.
    Tries
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
#[non_exhaustive]
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

impl Answer {
    /// An answer that says this and no more.
    #[must_use]
    pub fn new(verdict: Verdict<Evidence>) -> Self {
        Self { verdict, vacuous: false, rounds: 0, diagram_nodes: 0, warnings: Vec::new() }
    }
}

posetta_base::setters! { Answer { vacuous: bool, rounds: u64, diagram_nodes: u64, warnings: Vec<Diagnostic> } }

/// What is true of the model whatever the property.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
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

impl Findings {
    /// Takes over what was found out earlier and is not known here.
    fn keep(&mut self, earlier: &Self) {
        if self.states.is_none() {
            (self.states, self.depth) = (earlier.states.clone(), earlier.depth);
        }
        self.depth = self.depth.or(earlier.depth);
        let length = |trail: &Option<Trail>| trail.as_ref().map_or(usize::MAX, |t| t.states.len());
        if length(&earlier.deadlock) <= length(&self.deadlock) {
            self.deadlock.clone_from(&earlier.deadlock);
        }
        for warning in std::mem::replace(&mut self.warnings, earlier.warnings.clone()) {
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
    }
}

/// What may be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// The most diagram nodes that there may be at once; `None`: what the budget's memory has room for.
    pub nodes: Option<usize>,
    /// Find all reachable states even if no property needs them: they are counted, and deadlocks are looked for.
    pub explore: bool,
    /// When a search stops going breadth first and follows processes one by one: where a ring has more nodes than this, and a variable says who
    /// moves. Counterexamples that are found before are shortest ones. With 0 it does so from the start, whatever can be split off.
    pub ring_nodes: u64,
    /// How states are held. Where the number of diagram nodes is given, as diagrams.
    pub by: By,
    /// With [`By::Both`], the effort that diagrams take before the states are also listed ([`Budget::effort`]). Most models take less.
    pub alone: u64,
}

/// How the states of a model are held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum By {
    /// As diagrams; where these turn out to be large, also one by one, in turns by effort.
    #[default]
    Both,
    /// As diagrams.
    Diagrams,
    /// One by one, where the model and the property allow it; as diagrams where they do not.
    States,
}

impl Default for Options {
    fn default() -> Self {
        // A ring with more nodes than this counts something, probably.
        Self { nodes: None, explore: true, ring_nodes: 600, by: By::Both, alone: HEAD }
    }
}

posetta_base::setters! { Options { nodes: Option<usize>, explore: bool, ring_nodes: u64, by: By, alone: u64 } }

/// How many diagram nodes there is room for, one try after the other: an answer that needs few should not wait for much memory.
const NODES: [usize; 4] = [1 << 20, 1 << 22, 1 << 24, 1 << 26];
/// Where the budget has no room for the first try, it may have for less; with less than this there is no point.
const LEAST_NODES: usize = 1 << 14;

/// The effort of filling a store, by node, in units of the budget.
const FULL_NODE: u64 = 40;

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
struct Tries<'a> {
    model: &'a Fds,
    specs: &'a [Spec],
    options: Options,
    /// What the first piece of work makes of the properties.
    tied: Option<Tied>,
    /// How many nodes there is room for in the next ones.
    left: std::slice::Iter<'static, usize>,
    attempt: Option<Attempt<'a>>,
    /// What the first of them ran out of: that says more than that the next one had no room.
    limit: Option<OverBudget>,
    /// What tries that are over took.
    spent: u64,
    /// The states one by one, beside the diagrams.
    beside: Beside,
}

/// Who works beside the diagrams.
enum Beside {
    /// Nobody yet.
    Idle,
    Busy(Box<Listing>),
    Ended,
}

/// The search state by state, in its thread.
struct Listing {
    racer: Racer<(), ()>,
    news: Receiver<News>,
    closed: Arc<[AtomicBool]>,
}

/// Properties on a model: testers are made of them, and every variable has its bits.
struct Tied {
    properties: Rc<[Property]>,
    layout: Rc<Layout>,
}

impl Tied {
    fn new(model: &Fds, specs: &[Spec], budget: &Budget) -> Self {
        let properties: Rc<[Property]> = specs.iter().map(|spec| Property::new(model, spec, budget)).collect();
        let testers: Vec<usize> = properties.iter().map(Property::vars).collect();
        let together = property::together(model, &properties);
        let layout = Rc::new(Layout::new(model, &testers, &together, &property::choosers(model)));
        Self { properties, layout }
    }
}

impl<'a> Question<'a> {
    /// Ties properties to a model.
    #[must_use]
    pub fn new(model: &'a Fds, specs: &'a [Spec], options: Options) -> Self {
        let tries = Tries {
            model,
            specs,
            options,
            tied: None,
            left: NODES.iter(),
            attempt: None,
            limit: None,
            spent: 0,
            beside: Beside::Idle,
        };
        Self(Progress::new(tries, specs.len()))
    }
}

impl<'a> Tries<'a> {
    /// The next try, if there is one.
    fn begin(&mut self, open: &[usize], budget: &Budget) -> Option<Result<Attempt<'a>, Error>> {
        let nodes = match (self.options.nodes, &self.limit) {
            (Some(nodes), None) => nodes,
            (Some(_), Some(_)) => return None,
            (None, _) => *self.left.next()?,
        };
        let Tied { properties, layout } = self.tied.get_or_insert_with(|| Tied::new(self.model, self.specs, budget));
        Some(store(layout.bits, nodes, budget).map_err(Error::OverBudget).and_then(|bdds| {
            let engine = Engine::new(self.model, bdds, Rc::clone(layout), self.options)?;
            Attempt::new(engine, self.specs, Rc::clone(properties), open)
        }))
    }

    /// What diagrams took so far.
    fn effort(&self) -> u64 {
        self.spent + self.attempt.as_ref().map_or(0, Attempt::effort)
    }

    /// Whether those who work beside the diagrams have spent less, and may be of use.
    fn is_behind(&self) -> bool {
        match (self.options.by, &self.beside) {
            _ if self.options.nodes.is_some() => false,
            (By::Diagrams, _) | (_, Beside::Ended) => false,
            (By::States, _) => true,
            (By::Both, Beside::Idle) => self.effort() > self.options.alone,
            (By::Both, Beside::Busy(listing)) => listing.racer.spent() < self.effort(),
        }
    }

    /// Lets the search state by state spend as much as the diagrams have, or whatever it takes, and states what it has found out.
    fn list(&mut self, all: bool, known: &mut Known<Answer, Findings>, budget: &Budget) -> Result<(), Error> {
        if let Beside::Idle = self.beside {
            let closed: Arc<[AtomicBool]> = self.specs.iter().map(|_| AtomicBool::new(false)).collect();
            let (model, specs) = (self.model.clone(), self.specs.to_vec());
            let asked = Asked { model, specs, closed: Arc::clone(&closed) };
            let (send, news) = channel();
            let racer = Racer::start(budget, budget.memory_left() / 2, move |desk, budget| {
                while desk.next().is_some() {
                    // Nobody listens once the question is dropped.
                    let told = explicit::run(&asked, &mut |news| drop(send.send(news)), budget);
                    desk.answer(told);
                }
            });
            let Ok(mut racer) = racer else {
                self.beside = Beside::Ended;
                return Ok(());
            };
            racer.begin(());
            self.beside = Beside::Busy(Box::new(Listing { racer, news, closed }));
        }
        let effort = if all { u64::MAX } else { self.effort() };
        let Beside::Busy(listing) = &mut self.beside else { return Ok(()) };
        for (place, closed) in listing.closed.iter().enumerate() {
            closed.store(!known.is_open(place), Relaxed);
        }
        let ended = listing.racer.go_on(effort);
        for news in listing.news.try_iter() {
            match news {
                News::Answered(place, answer) if known.is_open(place) => known.state(place, *answer),
                News::Answered(..) => {}
                News::Found(mut findings) => {
                    if let Some(earlier) = known.findings() {
                        findings.keep(earlier);
                    }
                    known.found(*findings);
                }
            }
        }
        if ended {
            let told = listing.racer.answer();
            self.beside = Beside::Ended;
            match told {
                // What it had no room for, the diagrams may have.
                Ok(()) | Err(Error::OverBudget(_)) => {}
                Err(failure) => return Err(failure),
            }
        }
        Ok(())
    }

    /// Whether nothing is left to find out.
    fn is_done(&self, known: &Known<Answer, Findings>) -> bool {
        known.open().is_empty() && known.findings().is_some_and(|f| f.states.is_some() || !self.options.explore)
    }

    /// A try has failed. Room that the diagrams ran out of may be there in the next one; the budget itself may not.
    fn failed(&mut self, failure: Error, budget: &Budget) -> Result<(), Error> {
        self.end_attempt();
        match failure {
            Error::OverBudget(over) if over.limit == Limit::Memory && budget.step(0, over.what).is_ok() => {
                self.limit.get_or_insert(over);
                Ok(())
            }
            failure => Err(failure),
        }
    }

    /// Lets go of a try.
    fn end_attempt(&mut self) {
        self.spent = self.effort();
        self.attempt = None;
    }

    /// There is no more room: what is open stays so.
    fn give_up(&self, known: &mut Known<Answer, Findings>, over: OverBudget) -> Result<bool, Error> {
        let Some(findings) = known.findings() else { return Err(Error::OverBudget(over)) };
        let diagram_nodes = findings.diagram_nodes;
        for place in known.open() {
            let (verdict, warnings) = (Verdict::Unknown(over), self.specs[place].warnings.clone());
            known.state(place, Answer::new(verdict).diagram_nodes(diagram_nodes).warnings(warnings));
        }
        Ok(false)
    }
}

impl Work for Tries<'_> {
    type Answer = Answer;
    type Findings = Findings;

    fn advance(&mut self, known: &mut Known<Answer, Findings>, budget: &Budget) -> Result<bool, Error> {
        if self.is_behind() {
            self.list(self.options.by == By::States, known, budget)?;
            if self.is_done(known) {
                return Ok(false);
            }
            return Ok(true);
        }
        let Some(attempt) = &mut self.attempt else {
            match (self.begin(&known.open(), budget), self.limit) {
                (Some(Ok(attempt)), _) => self.attempt = Some(attempt),
                (Some(Err(failure)), _) => {
                    // All that there was room for was made, in vain.
                    let room = NODES.len().checked_sub(1 + self.left.len()).map_or(0, |i| NODES[i] as u64);
                    self.spent += FULL_NODE * room;
                    self.failed(failure, budget)?;
                }
                (None, Some(_)) if matches!(self.beside, Beside::Busy(_)) => {
                    self.list(true, known, budget)?;
                    return Ok(!self.is_done(known));
                }
                (None, Some(over)) => return self.give_up(known, over),
                (None, None) => return Ok(false),
            }
            return Ok(true);
        };
        match attempt.advance(known, budget) {
            Ok(true) => Ok(true),
            Ok(false) => {
                let left_over = attempt.left_over();
                self.end_attempt();
                match left_over {
                    None => Ok(false),
                    Some(over) => {
                        self.limit.get_or_insert(over);
                        Ok(true)
                    }
                }
            }
            Err(failure) => self.failed(failure, budget).map(|()| true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use posetta_base::Kind;

    /// A try with more room begins from nothing and may end before it is as far as one with less.
    #[test]
    fn what_an_earlier_try_found_out_stays_known() {
        let text = "MODULE main\nVAR x : boolean;\nASSIGN init(x) := FALSE; next(x) := TRUE;\n";
        let mut model = posetta_model::smv::read(text).unwrap();
        let spec = model.bind(&posetta_logic::Property::ltl("F x").unwrap()).unwrap();
        let (specs, budget) = ([spec], Budget::unlimited());
        let mut question = Question::new(&model, &specs, Options::default().explore(false));
        let warning = Diagnostic::new(Kind::Vacuous, "said by an earlier try");
        let states = Some(Natural::from(2));
        let earlier = Findings {
            states: states.clone(),
            depth: Some(1),
            deadlock: None,
            bits: 1,
            relation_nodes: 1,
            diagram_nodes: 1,
            warnings: vec![warning.clone()],
        };
        question.0.known().found(earlier);
        question.decide(&budget).unwrap();
        assert_eq!(question.answer(0).unwrap().verdict, Verdict::Holds);
        let findings = question.findings().unwrap();
        assert_eq!((&findings.states, findings.depth), (&states, Some(1)));
        assert_eq!(findings.warnings, [warning]);
    }

    /// Each call has a budget of its own; steps are counted over all of them.
    #[test]
    fn every_step_may_have_another_budget() {
        let text = "MODULE main\nVAR x : 0..9;\nASSIGN init(x) := 0; next(x) := (x + 1) mod 10;\n";
        let mut model = posetta_model::smv::read(text).unwrap();
        let property = |text: &str| posetta_logic::Property::ltl(text).unwrap();
        let specs = ["G x < 10", "G F x == 3", "F x == 11"].map(|text| model.bind(&property(text)).unwrap());
        let mut whole = Question::new(&model, &specs, Options::default());
        whole.decide(&Budget::unlimited()).unwrap();
        let mut stepwise = Question::new(&model, &specs, Options::default());
        while stepwise.advance(&Budget::unlimited()).unwrap().is_some() {}
        assert_eq!(stepwise.answers(), whole.answers());
        let mut stopped = Question::new(&model, &specs, Options::default());
        assert_eq!(stopped.advance(&Budget::unlimited()).unwrap(), Some(crate::Step::Explored));
        let spent = Budget::unlimited();
        spent.stop_handle().raise(Limit::Time);
        stopped.decide(&spent).unwrap();
        assert_eq!(stopped.over().map(|over| over.limit), Some(Limit::Time));
        assert!(stopped.findings().is_some() && stopped.answers().iter().all(Option::is_none));
    }
}
