//! Specs decided state by state, all on one graph.

use super::branching;
use super::explicit::Explicit;
use super::explicit::reduced::{Found, Reduced};
use super::explicit::stubborn::Goal;
use super::judge::{Judge, never};
use super::linear::{self, Formula};
use super::listed::{Listed, Sources};
use super::walk::Walk;
use super::words::{self, Violations};
use super::{Answer, Engine, Findings, Stats, expand, finite};
use posetta_base::{Error, OverBudget};
use posetta_logic::Ltl;
use posetta_model::system::{Demand, End, Letter, Predicate, Run, Spec};

/// The states that were met, whoever asked.
pub(super) struct States<'s> {
    judge: Judge<'s>,
    graph: Explicit<'s>,
    /// What leads to each state, once all are known and somebody asked.
    sources: Sources,
}

impl<'s> States<'s> {
    pub(super) fn new(judge: Judge<'s>) -> Result<Self, OverBudget> {
        let graph = Explicit::new(judge.system, &judge.nothing(), judge.budget)?;
        Ok(Self { judge, graph, sources: Sources::default() })
    }

    /// Whether all states are known.
    pub(super) fn knows_all(&self) -> bool {
        self.graph.is_complete()
    }

    pub(super) fn answer(&mut self, spec: &Spec) -> Result<Answer, Error> {
        let budget = self.judge.budget;
        let graph = &mut self.graph;
        let answer = match &spec.demand {
            Demand::NoDeadlock => {
                let (found, states) = self.find(Goal { predicate: &Predicate::Dead, value: true })?;
                return Ok(told(Answer::unless(found.map(|run| Run { end: End::Dead, ..run })), states));
            }
            Demand::Reach(predicate) => {
                let (found, states) = self.find(Goal { predicate, value: true })?;
                return Ok(told(Answer::provided(found), states));
            }
            Demand::Invariant(predicate) => {
                let (found, states) = self.find(Goal { predicate, value: false })?;
                return Ok(told(Answer::unless(found), states));
            }
            Demand::States(formula) => {
                let formula = Formula::new(formula);
                let mut violations = linear::Violations::new(&formula)?;
                Answer::unless(linear::violation(graph, &formula, &mut violations, None, budget)?)
            }
            Demand::Branching(formula) => {
                branching::answer(&mut Listed::new(graph, &mut self.sources, budget)?, formula)?
            }
            Demand::Bound(slots) => {
                graph.search(&mut |_, _| Ok(false))?;
                let sum = |node| slots.iter().map(|&slot| u64::from(graph.slot(node, slot))).sum::<u64>();
                Answer::number(graph.nodes().map(sum).max().unwrap_or(0).into())
            }
            Demand::Finite(finite) => {
                return finite::answer(self.judge.system, finite, self.judge.options.engine, budget);
            }
            Demand::Actions(formula) => {
                let observed = self.judge.observed(formula);
                self.words(formula, &observed)?
            }
            Demand::NoLivelock => {
                let observed = self.judge.visible();
                self.words(&never(Letter::Divergence), &observed)?
            }
        };
        Ok(told(answer, self.graph.len()))
    }

    /// A run to a state that is looked for, if there is one, and how many states were met. In a small system a shortest run, among all states; in
    /// a larger one among those that are enough ([`reduced`](super::explicit::reduced)), unless these are almost all.
    fn find(&mut self, goal: Goal<'_>) -> Result<(Option<Run>, usize), Error> {
        let Goal { predicate, value } = goal;
        let graph = &mut self.graph;
        let mut is_goal = |graph: &mut Explicit<'s>, node| Ok(graph.satisfies(node, predicate)? == value);
        let most = self.judge.options.whole.unwrap_or(usize::MAX);
        if let Some(found) = graph.search_among(most, &mut is_goal)? {
            return Ok((found, graph.len()));
        }
        let mut few = Explicit::new(self.judge.system, &self.judge.nothing(), self.judge.budget)?;
        match Reduced::new(&mut few, goal)?.search()? {
            Found::Run(run) => Ok((Some(self.shortened(run)), few.len())),
            Found::Nothing => Ok((None, few.len())),
            Found::InVain => {
                drop(few);
                Ok((graph.search(&mut is_goal)?, graph.len()))
            }
        }
    }

    /// A run to the same state that may be shorter: one that was found depth first goes anywhere. A limit takes back nothing.
    fn shortened(&self, run: Run) -> Run {
        let Judge { system, budget, .. } = self.judge;
        let Some(last) = run.last(system) else { return run };
        match Walk::new(system, last).steps(&system.initial(), &|_| true, budget) {
            Ok(Some(steps)) if steps.len() < run.steps.len() => Run { steps: expand::moves(system, &steps), ..run },
            Ok(_) | Err(_) => run,
        }
    }

    /// A formula over actions.
    fn words(&mut self, formula: &Ltl<Letter>, observed: &[bool]) -> Result<Answer, Error> {
        let mut violations = Violations::new(formula)?;
        self.graph.observe(observed);
        let path = words::violation(&mut self.graph, &mut violations, self.judge.budget)?;
        Ok(Answer::unless(path.map(|path| self.graph.run(&path)).transpose()?))
    }

    /// What is true whatever is claimed.
    pub(super) fn explore(&mut self) -> Result<Findings, Error> {
        let mut findings = self.judge.findings();
        let graph = &mut self.graph;
        graph.search(&mut |_, _| Ok(false))?;
        findings.states = Some((graph.len() as u64).into());
        findings.arcs = Some(graph.steps().into());
        let places = self.judge.places();
        if !places.is_empty() {
            let (mut most, mut most_in_all) = (vec![0; places.len()], 0);
            for node in graph.nodes() {
                let mut sum = 0;
                for (most, &place) in most.iter_mut().zip(&places) {
                    let tokens = graph.slot(node, place);
                    *most = tokens.max(*most);
                    sum += u64::from(tokens);
                }
                most_in_all = sum.max(most_in_all);
            }
            findings.most_tokens = most.iter().copied().max();
            findings.most_tokens_in_all = Some(most_in_all.into());
            findings.most_by_place = places.into_iter().zip(most).collect();
        }
        Ok(findings)
    }
}

/// An answer that took so many states.
fn told(answer: Answer, states: usize) -> Answer {
    let states = Some((states as u64).into());
    Answer { stats: Stats { engine: Engine::Explicit, states, ..Stats::default() }, ..answer }
}
