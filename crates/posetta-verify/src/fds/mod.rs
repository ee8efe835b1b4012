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
mod related;
mod replay;
mod space;
mod steps;
mod tester;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, channel};

use crate::question::{Known, Progress, Work, question};
use crate::race::{HEAD, Racer};
use posetta_base::{Budget, Diagnostic, Error, Limit, Natural, OverBudget, Verdict};
use posetta_model::fds::{Fds, Spec, Trail, Value};

question! {
    /// A model and its properties, tied together once.
    ///
    /// [`advance`](Self::advance) goes on until one more thing is known, [`decide`](Self::decide) to the end.
    Rounds
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
    /// Who answered: by diagrams or state by state.
    pub by: Option<By>,
    /// Things worth knowing about the property on this model.
    pub warnings: Vec<Diagnostic>,
}

impl Answer {
    /// An answer that says this and no more.
    #[must_use]
    pub fn new(verdict: Verdict<Evidence>) -> Self {
        Self { verdict, vacuous: false, rounds: 0, diagram_nodes: 0, by: None, warnings: Vec::new() }
    }
}

posetta_base::setters! { Answer { vacuous: bool, rounds: u64, diagram_nodes: u64, by: Option<By>, warnings: Vec<Diagnostic> } }

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
    /// With [`By::Both`], the least effort that diagrams take before the states are also listed ([`Budget::effort`]).
    /// Most models take less, and where more states are known of than could be listed with it, it is more.
    pub alone: u64,
    /// State by state: with more nodes than this, the product of a model and a PSL formula is not laid out, but searched as it is found.
    pub broad: usize,
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

impl By {
    /// In one word, for statistics.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Both => "both",
            Self::Diagrams => "diagrams",
            Self::States => "explicit",
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        // A ring with more nodes than this counts something, probably.
        Self { nodes: None, explore: true, ring_nodes: 600, by: By::Both, alone: ALONE, broad: 1 << 13 }
    }
}

posetta_base::setters! { Options { nodes: Option<usize>, explore: bool, ring_nodes: u64, by: By, alone: u64, broad: usize } }

/// What diagrams spend alone, about twenty milliseconds. With a quarter of it, small models took half as much again for
/// a second engine that nobody needed.
const ALONE: u64 = 4 * HEAD;

/// The most effort of one round, about a fifth of a second: what was found out in it is told after it.
const MOST_ROUND: u64 = 20_000_000;

/// What a path of so many states takes, and again while it is replayed.
fn trail_bytes(model: &Fds, states: usize) -> u64 {
    let state = size_of::<Vec<Value>>() + model.vars.len() * size_of::<Value>();
    2 * (states as u64).saturating_mul(state as u64)
}

/// What engines work on.
struct Asked {
    model: Fds,
    specs: Vec<Spec>,
    options: Options,
    /// By property: it has an answer already. Changes only while all engines wait.
    closed: Box<[AtomicBool]>,
}

impl Asked {
    fn is_open(&self, place: usize) -> bool {
        !self.closed[place].load(Relaxed)
    }
}

/// What an engine has found out.
enum News {
    /// There are at least so many states.
    Reached(u64),
    /// So many states have been gone through one by one.
    Listed(u64),
    Found(Box<Findings>),
    Answered(usize, Box<Answer>),
}

/// Engines side by side, in rounds: all of them may spend the same effort, and what is found out with the least counts.
struct Rounds<'a> {
    model: &'a Fds,
    specs: &'a [Spec],
    options: Options,
    asked: Option<Arc<Asked>>,
    running: Vec<Contender>,
    /// Those who have not begun.
    waiting: VecDeque<By>,
    /// The effort that all who run have been granted.
    granted: u64,
    /// So many states are known of, and what each takes to be listed.
    states: u64,
    per_state: u64,
    /// What the first one ran out of.
    over: Option<OverBudget>,
    /// Diagrams ran out of memory beside somebody who held some.
    was_crowded: bool,
}

/// An engine in its thread.
struct Contender {
    by: By,
    racer: Racer<(), ()>,
    /// With the effort after which it was found out.
    news: Receiver<(u64, News)>,
    /// It has nothing more to find out.
    ended: bool,
}

impl<'a> Question<'a> {
    /// Ties properties to a model.
    #[must_use]
    pub fn new(model: &'a Fds, specs: &'a [Spec], options: Options) -> Self {
        let waiting = match options.by {
            _ if options.nodes.is_some() => vec![By::Diagrams],
            By::Diagrams => vec![By::Diagrams],
            By::States => vec![By::States, By::Diagrams],
            By::Both => vec![By::Diagrams, By::States],
        };
        let rounds = Rounds {
            model,
            specs,
            options,
            asked: None,
            running: Vec::new(),
            waiting: waiting.into(),
            granted: 0,
            states: 0,
            per_state: explicit::least_effort(model),
            over: None,
            was_crowded: false,
        };
        Self(Progress::new(rounds, specs.len()))
    }
}

impl Contender {
    fn start(by: By, asked: &Arc<Asked>, bytes: u64, budget: &Budget) -> Result<Self, OverBudget> {
        let (send, news) = channel();
        let asked = Arc::clone(asked);
        let mut racer = Racer::start(budget, bytes, move |desk, budget| {
            while desk.next().is_some() {
                let turns = desk.turns();
                // Nobody listens once the question is dropped.
                let mut tell = |news| drop(send.send((turns.spent(), news)));
                let told = match by {
                    By::States => explicit::run(&asked, &mut tell, budget),
                    By::Diagrams | By::Both => attempt::run(&asked, &mut tell, budget),
                };
                desk.answer(told);
            }
        })?;
        racer.begin(());
        Ok(Self { by, racer, news, ended: false })
    }
}

impl Rounds<'_> {
    /// Lets the next one begin, if it is due.
    fn begin(&mut self, budget: &Budget) -> Result<(), OverBudget> {
        loop {
            let is_due = match self.options.by {
                By::Both => self.running.is_empty() || self.granted >= self.options.alone.max(self.listing()),
                By::Diagrams | By::States => self.running.is_empty(),
            };
            let Some(by) = is_due.then(|| self.waiting.pop_front()).flatten() else { return Ok(()) };
            let (model, specs, options) = (self.model, self.specs, self.options);
            let asked = self.asked.get_or_insert_with(|| {
                let closed = specs.iter().map(|_| AtomicBool::new(false)).collect();
                Arc::new(Asked { model: model.clone(), specs: specs.to_vec(), options, closed })
            });
            let bytes = if self.running.is_empty() { u64::MAX } else { budget.memory_left() / 2 };
            match Contender::start(by, asked, bytes, budget) {
                Ok(contender) => self.running.push(contender),
                Err(over) if self.running.is_empty() => return Err(over),
                // Then the others do it alone.
                Err(_) => {}
            }
        }
    }

    /// Lets all who run spend the same, and states what they have found out, in the order of the effort that it took.
    fn round(&mut self, known: &mut Known<Answer, Findings>) -> Result<(), Error> {
        let alone = if self.options.by == By::Both { self.options.alone } else { HEAD };
        self.granted = alone.max(self.granted + (self.granted / 4).min(MOST_ROUND)).max(HEAD / 8);
        // Somebody who lists states has nothing to say before all of them are listed, or as many as diagrams have found
        // already. It waits until so much would be enough, and then it has the same as the others at once.
        let (granted, waits) = (self.granted, self.granted < self.listing() && self.running.len() > 1);
        let mut turns: Vec<&mut Contender> =
            self.running.iter_mut().filter(|one| !waits || one.by != By::States).collect();
        turns.iter_mut().for_each(|one| one.racer.grant(granted));
        turns.iter_mut().for_each(|one| one.ended = one.racer.wait());
        let mut told: Vec<(u64, News)> = self.running.iter().flat_map(|one| one.news.try_iter()).collect();
        told.sort_by_key(|&(effort, _)| effort);
        for (effort, news) in told {
            match news {
                News::Answered(place, answer) if known.is_open(place) => known.state(place, *answer),
                News::Answered(..) => {}
                News::Reached(states) => self.states = self.states.max(states),
                // Those that are still to come may be easier.
                News::Listed(states) => self.per_state = self.per_state.max(effort / states.max(1) / 2),
                News::Found(mut findings) => {
                    if let Some(states) = &findings.states {
                        self.states = self.states.max(states.to_u64().unwrap_or(u64::MAX));
                    }
                    if let Some(earlier) = known.findings() {
                        findings.keep(earlier);
                    }
                    known.found(*findings);
                }
            }
        }
        for (place, closed) in self.asked.iter().flat_map(|asked| asked.closed.iter().enumerate()) {
            closed.store(!known.is_open(place), Relaxed);
        }
        let (ended, running): (Vec<Contender>, Vec<Contender>) =
            std::mem::take(&mut self.running).into_iter().partition(|one| one.ended);
        self.running = running;
        for mut one in ended {
            let told = one.racer.answer();
            match told {
                Ok(()) => {}
                Err(Error::OverBudget(over)) if matches!(over.limit, Limit::Memory | Limit::Digits) => {
                    // What diagrams ran out of says more.
                    if one.by == By::Diagrams || self.over.is_none() {
                        self.over = Some(over);
                    }
                    self.running.iter().for_each(|other| other.racer.allow(u64::MAX));
                    // It may be enough once the other one is gone.
                    self.was_crowded |= one.by == By::Diagrams && !self.running.is_empty();
                }
                Err(failure) => return Err(failure),
            }
        }
        Ok(())
    }

    /// What it takes to list the states, as far as it is known how many there are: about the least.
    fn listing(&self) -> u64 {
        self.states.saturating_mul(self.per_state)
    }

    /// Whether nothing is left to find out.
    fn is_done(&self, known: &Known<Answer, Findings>) -> bool {
        known.open().is_empty() && known.findings().is_some_and(|f| f.states.is_some() || !self.options.explore)
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

impl Work for Rounds<'_> {
    type Answer = Answer;
    type Findings = Findings;

    fn advance(&mut self, known: &mut Known<Answer, Findings>, budget: &Budget) -> Result<bool, Error> {
        budget.step(0, "verifying a model")?;
        if self.is_done(known) {
            return Ok(false);
        }
        self.begin(budget)?;
        if !self.running.is_empty() {
            return self.round(known).map(|()| true);
        }
        if std::mem::take(&mut self.was_crowded) {
            self.waiting.push_back(By::Diagrams);
            return Ok(true);
        }
        match self.over {
            Some(over) => self.give_up(known, over),
            None => Ok(false),
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

    const COUNTER: &str = "MODULE main\nVAR x : 0..2999;\nASSIGN init(x) := 0; next(x) := x < 2999 ? x + 1 : {0, 7};\n";

    fn specs(model: &mut Fds) -> [Spec; 4] {
        let mut bind = |text: &str| model.bind(&posetta_logic::Property::ltl(text).unwrap()).unwrap();
        [bind("G x < 3000"), bind("G F x == 3"), bind("F x == 3001"), bind("G F x == 8")]
    }

    /// Each call has a budget of its own.
    #[test]
    fn every_step_may_have_another_budget() {
        let mut model = posetta_model::smv::read(COUNTER).unwrap();
        let specs = specs(&mut model);
        let options = Options::default().alone(1).by(By::Diagrams);
        let mut whole = Question::new(&model, &specs, options);
        whole.decide(&Budget::unlimited()).unwrap();
        let mut stepwise = Question::new(&model, &specs, options);
        while stepwise.advance(&Budget::unlimited()).unwrap().is_some() {}
        assert_eq!(stepwise.answers(), whole.answers());
        let mut stopped = Question::new(&model, &specs, options);
        assert_eq!(stopped.advance(&Budget::unlimited()).unwrap(), Some(crate::Step::Explored));
        let spent = Budget::unlimited();
        spent.stop_handle().raise(Limit::Time);
        stopped.decide(&spent).unwrap();
        assert_eq!(stopped.over().map(|over| over.limit), Some(Limit::Time));
        assert!(stopped.findings().is_some() && stopped.answers().iter().any(Option::is_none));
    }

    /// Who answers is a matter of counted work: it is the same every time, and so is what is shown.
    #[test]
    fn the_same_engine_answers_every_time() {
        let mut model = posetta_model::smv::read(COUNTER).unwrap();
        let specs = specs(&mut model);
        let ask = |by: By| {
            let mut question = Question::new(&model, &specs, Options::default().by(by).alone(0));
            question.decide(&Budget::unlimited()).unwrap();
            let words = question.answers().iter().map(|a| a.as_ref().map(|a| a.verdict == Verdict::Holds)).collect();
            (question.answers().to_vec(), question.findings().cloned(), words)
        };
        let (first, found, words): (_, _, Vec<Option<bool>>) = ask(By::Both);
        assert_eq!(words, [Some(true), Some(false), Some(false), Some(true)]);
        for _ in 0..8 {
            assert_eq!(ask(By::Both), (first.clone(), found.clone(), words.clone()));
        }
        for by in [By::Diagrams, By::States] {
            let (answers, _, same) = ask(by);
            assert_eq!(same, words);
            assert!(answers.iter().flatten().all(|answer| answer.by == Some(by)));
        }
    }
}
