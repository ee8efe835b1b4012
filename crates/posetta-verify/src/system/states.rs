//! Specs decided state by state, all on one graph.

use super::branching::{self, Listed, Sources};
use super::explicit::Explicit;
use super::judge::{Judge, never};
use super::linear::{self, Formula};
use super::observed::Observed as _;
use super::words::{self, Violations};
use super::{Answer, Engine, Findings, Stats, finite};
use posetta_base::{Error, OverBudget};
use posetta_logic::Ltl;
use posetta_model::system::{Demand, End, Letter, Run, Spec};

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

    pub(super) fn answer(&mut self, spec: &Spec) -> Result<Answer, Error> {
        let budget = self.judge.budget;
        let graph = &mut self.graph;
        let answer = match &spec.demand {
            Demand::NoDeadlock => {
                let found = graph.search(&mut |graph, node| graph.is_dead(node))?;
                Answer::unless(found.map(|run| Run { end: End::Dead, ..run }))
            }
            Demand::Reach(p) => Answer::provided(graph.search(&mut |graph, node| graph.satisfies(node, p))?),
            Demand::Invariant(p) => Answer::unless(graph.search(&mut |graph, node| Ok(!graph.satisfies(node, p)?))?),
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
        let states = Some((self.graph.len() as u64).into());
        Ok(Answer { stats: Stats { engine: Engine::Explicit, states, ..Stats::default() }, ..answer })
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
