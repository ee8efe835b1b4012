//! Questions about a system whose tokens have no bound: what the coverability graph decides, and what a finite part of
//! the states shows.
//!
//! Whatever no path of the coverability graph does, no run does: so linear properties can be seen to hold. What the
//! states of a node have in common, or have when there are enough tokens, decides reachability and deadlocks both ways;
//! bounds always. Violations are looked for among the first states, and among those with few tokens. What more tokens
//! do not take away is decided backwards ([`super::backward`]), also inside of formulas of CTL. A question that none of
//! this settles is unknown, by itself.

use rustc_hash::FxHashMap;

use super::backward::Backward;
use super::coverability::{Coverability, Reading, unsettled};
use super::explicit::Explicit;
use super::judge::{Judge, never};
use super::linear::{self, Formula};
use super::observed::{Arc, NodeId, Observed};
use super::words::{self, Violations};
use super::{Answer, Engine, Findings, Stats, finite};
use posetta_automata::StateId;
use posetta_automata::recurrent::{self, Edge, Marked, Marks};
use posetta_base::{ActionId, Budget, Claim, Error, OverBudget, Verdict};
use posetta_logic::{Ctl, CtlUnary, Ltl, LtlUnary, Path};
use posetta_model::system::{Demand, End, Letter, Predicate, Run, Spec};

const WHAT: &str = "following a property through a coverability graph";

/// So much work may go into the coverability graph: there are nets for which no machine has enough (Rackoff 1978).
const WORK: u64 = 300_000;

/// So many states are looked at for what a question is about.
const STATES: u64 = 100_000;

/// Violations are looked for among states with at most so many tokens in a place.
const FEW: [u32; 3] = [1, 3, 15];

/// A node may be read as so many letters.
const MOST_LETTERS: usize = 256;

/// What is known about such a system.
pub(super) struct Endless<'s> {
    judge: Judge<'s>,
    /// `None` if it is too large.
    graph: Option<Coverability<'s>>,
}

impl<'s> Endless<'s> {
    pub(super) fn new(judge: Judge<'s>) -> Result<Self, Error> {
        let budget = judge.budget;
        let graph = match Coverability::new(judge.system, &budget.part(budget.memory_left() / 2, WORK)) {
            Ok(graph) => Some(graph),
            Err(Error::OverBudget(over)) => {
                budget.step(0, over.what)?;
                None
            }
            // More tokens than can be counted: questions may have answers without the graph.
            Err(_) => None,
        };
        Ok(Self { judge, graph })
    }

    /// The answer, unknown if nothing settles it.
    pub(super) fn answer(&mut self, spec: &Spec) -> Result<Answer, Error> {
        let found = match &spec.demand {
            Demand::Reach(p) => self.reach(p)?.map(|reached| match reached {
                Some(run) => Answer::holds(run),
                None => Answer::new(Verdict::Violated(None)),
            }),
            Demand::Invariant(p) => self.never(&Predicate::Not(Box::new(p.clone())), End::Open)?,
            Demand::NoDeadlock => self.never(&Predicate::Dead, End::Dead)?,
            Demand::Bound(slots) => self.graph.as_ref().map(|graph| match graph.most(slots) {
                Some(most) => Answer::number(most.into()),
                None => Answer { unbounded: true, ..Answer::new(Verdict::Violated(None)) },
            }),
            Demand::Branching(formula) => self.branching(formula)?,
            Demand::States(formula) => self.states(&Formula::new(formula))?,
            Demand::Actions(formula) => self.words(formula, &self.judge.observed(formula))?,
            Demand::NoLivelock => self.words(&never(Letter::Divergence), &self.judge.visible())?,
            Demand::Finite(formula) => self.part(|part| {
                finite::answer(self.judge.system, formula, Engine::Explicit, part)
                    .map(|answer| Some(answer).filter(|answer| !matches!(answer.verdict, Verdict::Unknown(_))))
            })?,
        };
        let mut answer = found.unwrap_or_else(|| Answer::new(Verdict::Unknown(unsettled())));
        if !matches!(answer.verdict, Verdict::Unknown(_)) {
            answer.stats = Stats { engine: Engine::Coverability, ..Stats::default() };
        }
        Ok(answer)
    }

    /// What is true whatever is claimed.
    pub(super) fn explore(&self) -> Findings {
        let mut findings = self.judge.findings();
        let Some(graph) = &self.graph else { return findings };
        for place in self.judge.places() {
            match graph.most(&[place]) {
                // More than 2^30 tokens are in no place.
                Some(most) => findings.most_by_place.push((place, u32::try_from(most).unwrap_or(u32::MAX))),
                None => findings.unbounded.push(place),
            }
        }
        findings
    }

    /// Does something with a part of the budget. What is not settled by then is not settled.
    fn part<T>(&self, work: impl FnOnce(&Budget) -> Result<Option<T>, Error>) -> Result<Option<T>, Error> {
        let budget = self.judge.budget;
        match work(&budget.part(budget.memory_left() / 2, STATES)) {
            // Only the part is spent.
            Err(Error::OverBudget(over)) => budget.step(0, over.what).map(|()| None).map_err(Error::from),
            done => done,
        }
    }

    /// Whether a state that satisfies a predicate can be reached, with a run if one was found; `None` if that is not
    /// settled.
    fn reach(&self, predicate: &Predicate) -> Result<Option<Option<Option<Run>>>, Error> {
        let weight = predicate.weight() / 64;
        let mut possible = self.graph.is_none();
        if let Some(graph) = &self.graph {
            for node in graph.nodes() {
                self.judge.budget.step(1 + weight, WHAT)?;
                possible |= graph.possible(node, predicate, Reading::Any).yes;
            }
        }
        if !possible {
            return Ok(Some(None));
        }
        let shown = self.part(|part| {
            let mut states = Explicit::new(self.judge.system, &self.judge.nothing(), part)?.without_bound();
            states.search(&mut |states, node| {
                part.step(weight, WHAT)?;
                states.satisfies(node, predicate)
            })
        })?;
        if let Some(run) = shown {
            return Ok(Some(Some(Some(run))));
        }
        // Too far away to be shown.
        let Some(graph) = &self.graph else {
            let decided = self.part(|part| Ok(Backward::new(self.judge.system, part)?.reaches(predicate)?))?;
            return Ok(decided.map(|reached| reached.then_some(None)));
        };
        let sure = graph.nodes().any(|node| !graph.possible(node, predicate, Reading::Large).no);
        Ok(sure.then_some(Some(None)))
    }

    /// Whether no state that satisfies a predicate can be reached.
    fn never(&self, predicate: &Predicate, end: End) -> Result<Option<Answer>, Error> {
        Ok(self.reach(predicate)?.map(|reached| match reached {
            Some(run) => Answer::new(Verdict::Violated(run.map(|run| Run { end, ..run }))),
            None => Answer::holds(None),
        }))
    }

    /// A formula of CTL: `EF p` and `AG p`, which ask whether states can be reached, `AF p` and `EG p`, which are
    /// linear, what is put together of such, and what depends on the initial state alone.
    fn branching(&self, formula: &Ctl<Predicate>) -> Result<Option<Answer>, Error> {
        Ok(match formula {
            Ctl::Unary(Path::Some, CtlUnary::Finally, f) => match self.condition(f)? {
                Some(p) => self.reach(&p)?.map(|reached| match reached {
                    Some(run) => Answer::holds(run),
                    None => Answer::new(Verdict::Violated(None)),
                }),
                None => None,
            },
            Ctl::Unary(Path::All, CtlUnary::Globally, f) => match self.condition(f)? {
                Some(p) => self.never(&Predicate::Not(Box::new(p)), End::Open)?,
                None => None,
            },
            Ctl::Unary(Path::All, CtlUnary::Finally, f) => match self.condition(f)? {
                Some(p) => self.states(&Formula::new(&finally(p)))?,
                None => None,
            },
            // Some run never leaves it, which violates that all do.
            Ctl::Unary(Path::Some, CtlUnary::Globally, f) => match self.condition(f)? {
                Some(p) => {
                    let others = finally(Predicate::Not(Box::new(p)));
                    self.states(&Formula::new(&others))?.map(|answer| match answer.verdict {
                        Verdict::Violated(run) => Answer::holds(run),
                        _ => Answer::new(Verdict::Violated(None)),
                    })
                }
                None => None,
            },
            _ => self.truth(formula)?.map(|truth| match truth {
                true => Answer::holds(None),
                false => Answer::new(Verdict::Violated(None)),
            }),
        })
    }

    /// Whether the initial state satisfies a formula, as far as that is settled.
    fn truth(&self, formula: &Ctl<Predicate>) -> Result<Option<bool>, Error> {
        // One that is known to be this decides.
        let among = |fs: &[Ctl<Predicate>], decides: bool| {
            let mut all = Some(!decides);
            for f in fs {
                match self.truth(f)? {
                    Some(truth) if truth == decides => return Ok(Some(decides)),
                    Some(_) => {}
                    None => all = None,
                }
            }
            Ok::<_, Error>(all)
        };
        Ok(match formula {
            Ctl::Not(f) => self.truth(f)?.map(|truth| !truth),
            Ctl::And(fs) => among(fs, false)?,
            Ctl::Or(fs) => among(fs, true)?,
            Ctl::Implies(f, g) => match self.truth(f)? {
                Some(false) => Some(true),
                truth => match self.truth(g)? {
                    Some(false) => truth.map(|truth| !truth),
                    known => known,
                },
            },
            Ctl::Iff(f, g) => match (self.truth(f)?, self.truth(g)?) {
                (Some(f), Some(g)) => Some(f == g),
                _ => None,
            },
            Ctl::Unary(_, CtlUnary::Finally | CtlUnary::Globally, _) => {
                match self.branching(formula)?.map(|answer| answer.verdict) {
                    Some(Verdict::Holds) => Some(true),
                    Some(Verdict::Violated(_)) => Some(false),
                    Some(Verdict::Unknown(_)) | None => None,
                }
            }
            _ => {
                let system = self.judge.system;
                self.condition(formula)?.map(|p| p.holds(system, &system.initial()))
            }
        })
    }

    /// A formula as a condition on single states.
    fn condition(&self, formula: &Ctl<Predicate>) -> Result<Option<Predicate>, Error> {
        if let Some(p) = predicate(formula) {
            return Ok(Some(p));
        }
        self.part(|part| Ok(Backward::new(self.judge.system, part)?.condition(formula)?))
    }

    /// A formula over states.
    fn states(&self, formula: &Formula) -> Result<Option<Answer>, Error> {
        if self.states_hold(formula)? {
            return Ok(Some(Answer::holds(None)));
        }
        let places = self.judge.places();
        for few in FEW {
            let found = self.part(|part| {
                let mut violations = linear::Violations::new(formula)?;
                let mut states = Explicit::new(self.judge.system, &self.judge.nothing(), part)?.without_bound();
                let within = |state: &[u32], _: StateId| places.iter().all(|&p| state[p as usize] <= few);
                linear::violation(&mut states, formula, &mut violations, Some(&within), part)
            })?;
            if found.is_some() {
                return Ok(Some(Answer::unless(found)));
            }
        }
        Ok(None)
    }

    /// Whether no path of the coverability graph violates a formula over states.
    fn states_hold(&self, formula: &Formula) -> Result<bool, Error> {
        let Some(graph) = &self.graph else { return Ok(false) };
        let Some(letters) = self.letters(graph, formula)? else { return Ok(false) };
        let mut violations = linear::Violations::new(formula)?;
        let budget = self.judge.budget;
        let (first, all) = (violations.start(), violations.all);
        let mut search = Read {
            graph,
            letters: &letters,
            violations: &mut violations,
            budget,
            pairs: vec![(NodeId(0), first)],
            ids: FxHashMap::from_iter([((NodeId(0), first), 0)]),
            claim: budget.claim(0, WHAT)?,
        };
        Ok(recurrent::find(&mut search, 0, all, budget)?.is_none())
    }

    /// By node: what it may be read as. `None` if that is too much for some node.
    fn letters(&self, graph: &Coverability<'_>, formula: &Formula) -> Result<Option<Letters>, OverBudget> {
        let mut letters = Vec::new();
        for node in graph.nodes() {
            self.judge.budget.step(1, WHAT)?;
            let mut own: Vec<Vec<bool>> = vec![Vec::new()];
            for atom in &formula.atoms {
                let possible = graph.possible(node, atom, Reading::Any);
                let values = [(true, possible.yes), (false, possible.no)].into_iter().filter(|(_, may)| *may);
                let with = |letter: &Vec<bool>| {
                    let longer = |(value, _)| letter.iter().copied().chain([value]).collect::<Vec<bool>>();
                    values.clone().map(longer).collect::<Vec<_>>()
                };
                own = own.iter().flat_map(with).collect();
                if own.len() > MOST_LETTERS {
                    return Ok(None);
                }
            }
            letters.push(own);
        }
        Ok(Some(letters))
    }

    /// A formula over actions.
    fn words(&mut self, formula: &Ltl<Letter>, observed: &[bool]) -> Result<Option<Answer>, Error> {
        if let Some(graph) = &mut self.graph {
            graph.observe(observed);
            if words::violation(graph, &mut Violations::new(formula)?, self.judge.budget)?.is_none() {
                return Ok(Some(Answer::holds(None)));
            }
        }
        for few in FEW {
            let found = self.part(|part| {
                let mut states = Explicit::new(self.judge.system, observed, part)?.without_bound();
                let places = self.judge.places();
                let mut some = Few { states: &mut states, places: &places, few };
                match words::violation(&mut some, &mut Violations::new(formula)?, part)? {
                    Some(path) => states.run(&path).map(Some),
                    None => Ok(None),
                }
            })?;
            if found.is_some() {
                return Ok(Some(Answer::unless(found)));
            }
        }
        Ok(None)
    }
}

/// A state that satisfies a predicate comes.
fn finally(predicate: Predicate) -> Ltl<Predicate> {
    Ltl::Unary(LtlUnary::Finally, Box::new(Ltl::Atom(predicate)))
}

/// A formula without temporal operators as a predicate.
fn predicate(formula: &Ctl<Predicate>) -> Option<Predicate> {
    let all = |fs: &[Ctl<Predicate>]| fs.iter().map(predicate).collect::<Option<Vec<_>>>();
    let not = |p: Predicate| Predicate::Not(Box::new(p));
    Some(match formula {
        Ctl::True => Predicate::Constant(true),
        Ctl::False => Predicate::Constant(false),
        Ctl::Atom(p) => p.clone(),
        Ctl::Not(f) => not(predicate(f)?),
        Ctl::And(fs) => Predicate::And(all(fs)?),
        Ctl::Or(fs) => Predicate::Or(all(fs)?),
        Ctl::Implies(f, g) => Predicate::Or(vec![not(predicate(f)?), predicate(g)?]),
        _ => return None,
    })
}

/// By node: the letters that its states may be.
type Letters = Vec<Vec<Vec<bool>>>;

/// Pairs of a node and a state of the automaton of the words that violate a formula: each node read as whatever its
/// states may be.
struct Read<'a, 's> {
    graph: &'a Coverability<'s>,
    letters: &'a Letters,
    violations: &'a mut linear::Violations,
    budget: &'a Budget,
    pairs: Vec<(NodeId, StateId)>,
    ids: FxHashMap<(NodeId, StateId), u32>,
    claim: Claim,
}

impl Marked for Read<'_, '_> {
    type Stop = Error;

    fn edges(&mut self, node: u32, edges: &mut Vec<Edge>) -> Result<(), Error> {
        let (at, state) = self.pairs[node as usize];
        let mut targets: Vec<NodeId> = self.graph.known_arcs(at).iter().map(|arc| arc.to).collect();
        if self.graph.possible(at, &Predicate::Dead, Reading::Any).yes {
            targets.push(at);
        }
        targets.sort_unstable();
        targets.dedup();
        let mut steps: Vec<(StateId, Marks)> = Vec::new();
        for letter in &self.letters[at.index()] {
            steps.extend(self.violations.step(state, letter, self.budget)?);
        }
        for to in targets {
            for &(state, marks) in &steps {
                let new = self.pairs.len() as u32;
                let id = *self.ids.entry((to, state)).or_insert(new);
                if id == new {
                    self.pairs.push((to, state));
                    if new.is_multiple_of(1024) {
                        self.claim.grow_to(96 * (u64::from(new) + 2048), WHAT)?;
                    }
                }
                edges.push(Edge { to: id, marks, label: 0 });
            }
        }
        Ok(())
    }
}

/// The states with few tokens, and the steps between them.
struct Few<'a, 's> {
    states: &'a mut Explicit<'s>,
    places: &'a [u32],
    few: u32,
}

impl Observed for Few<'_, '_> {
    fn start(&mut self) -> Result<NodeId, Error> {
        self.states.start()
    }

    fn arcs(&mut self, node: NodeId) -> Result<Vec<Arc>, Error> {
        let mut arcs = self.states.arcs(node)?;
        arcs.retain(|arc| self.places.iter().all(|&place| self.states.slot(arc.to, place) <= self.few));
        Ok(arcs)
    }

    fn observes(&self, action: ActionId) -> bool {
        self.states.observes(action)
    }

    fn is_dead(&mut self, node: NodeId) -> Result<bool, Error> {
        self.states.is_dead(node)
    }

    fn is_divergent(&mut self, _: NodeId) -> Result<bool, Error> {
        Ok(false)
    }
}
