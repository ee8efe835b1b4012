//! Does one system implement another? Every observable trace of the first must be one of the second.
//!
//! A trace is what is seen of a finite run: its observable actions, in order (paper 004, section 2.1). [`refine`] compares two systems with the
//! same observable actions (`compare`). `antichain` is the explicit engine: it goes over pairs of a state of the implementation and the set of states
//! that the specification may be in, over systems as automata (`automaton`). `symbolic` is the engine for large systems whose
//! specification is determined by its trace, as `confluent` finds out from its components: then a set of states of both side by side (`product`) is all
//! that is needed. `replay` checks every trace by definition before it is told.

mod antichain;
mod automaton;
mod compare;
mod confluent;
mod product;
mod replay;
mod symbolic;

pub(super) use self::compare::Pair;
use self::confluent::Confluence;
use self::product::Product;
use posetta_automata::inclusion::Outcome;
use posetta_base::{ActionId, Budget, Diagnostic, Error, Kind, Natural, Verdict};
use posetta_model::system::{End, Move, Run, Slots, System};

const WHAT: &str = "comparing traces";

/// So many states and pairs are met one by one before sets of states are tried. With 20,000, Milner's scheduler of 20 agents took 0.3 s, all but
/// 8 ms of it before the change.
const FEW: usize = 2_000;

/// Longer runs are told as they were found: each step that might be left out costs a look at the whole run.
const LONG: usize = 1_000;

/// How to decide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Engine {
    /// What is likely to be quickest.
    #[default]
    Auto,
    /// Pair by pair, for all systems.
    Explicit,
    /// By sets of states, where a trace determines what the specification can do.
    Symbolic,
}

impl Engine {
    /// `auto`, `explicit` or `symbolic`. These words are part of the JSON reports: add, never rename.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Explicit => "explicit",
            Self::Symbolic => "symbolic",
        }
    }
}

/// A shortest observable trace of the implementation that the specification lacks. It has been replayed by definition.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lacking {
    /// The trace, at least one action, as the implementation numbers them. The specification has all of it but the last action.
    pub trace: Vec<ActionId>,
    /// A run of the implementation that is seen as this trace, internal steps included; it ends with the last action.
    pub run: Run,
    /// What the specification could do in place of the last action, as it numbers them, ascending.
    pub allowed: Vec<ActionId>,
}

/// What it took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Which engine answered; never `Auto`.
    pub engine: Engine,
    /// Explicit: pairs of a state and a set of states that were followed.
    pub pairs: Option<u64>,
    /// Explicit: states of the implementation that were met.
    pub implementation_states: Option<u64>,
    /// Explicit: states of the specification that were met.
    pub specification_states: Option<u64>,
    /// Symbolic: how many states the two reach side by side.
    pub states: Option<Natural>,
    /// Symbolic: the nodes of the diagram of these.
    pub diagram_nodes: Option<u64>,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Answer {
    /// Whether every observable trace of the implementation is one of the specification, or one that is not.
    pub verdict: Verdict<Lacking>,
    /// What it took.
    pub stats: Stats,
}

/// Decides whether every observable trace of `implementation` is one of `specification`.
///
/// # Errors
/// When the two do not have the same observable actions, the engine does not apply, or a place gets too many tokens to count. A limit is no error but
/// [`Verdict::Unknown`].
pub fn refine(
    implementation: &System,
    specification: &System,
    engine: Engine,
    budget: &Budget,
) -> Result<Answer, Error> {
    let pair = Pair::new(implementation, specification)?;
    let mut stats = Stats { engine, ..Stats::default() };
    let verdict = match decide(&pair, engine, &mut stats, budget) {
        Ok(None) => Verdict::Holds,
        Ok(Some(steps)) => replayed(&pair, steps, budget)?,
        Err(Error::OverBudget(over)) => Verdict::Unknown(over),
        Err(invalid) => return Err(invalid),
    };
    Ok(Answer { verdict, stats })
}

/// Looks for a run with a lacking trace, a shortest one.
fn decide(pair: &Pair<'_>, engine: Engine, stats: &mut Stats, budget: &Budget) -> Result<Option<Vec<Move>>, Error> {
    stats.engine = if engine == Engine::Symbolic { engine } else { Engine::Explicit };
    let right = Confluence::of(pair.specification, budget)?;
    if engine == Engine::Symbolic {
        return match &right.obstacle {
            None => symbolically(pair, stats, budget),
            Some(obstacle) => {
                let message = "the symbolic engine needs a specification whose traces determine what can come next";
                let help = format!("{}; choose --engine auto or explicit", obstacle.told(pair.specification));
                Err(Diagnostic::new(Kind::Unsupported, message).help(help).into())
            }
        };
    }
    let left = Confluence::of(pair.implementation, budget)?;
    let mut search = antichain::search(pair, [&left, &right], budget)?;
    let few = if engine == Engine::Auto && right.obstacle.is_none() { FEW } else { usize::MAX };
    let mut outcome = search.run(few);
    if let Ok(Outcome::Paused) = outcome {
        match symbolically(pair, stats, budget) {
            // Tokens without a bound, or too many to count: what is lacking may be found all the same.
            Err(Error::Invalid(_)) => {
                stats.engine = Engine::Explicit;
                outcome = search.run(usize::MAX);
            }
            answered => return answered,
        }
    }
    let met = search.met();
    stats.pairs = Some(met.pairs as u64);
    stats.implementation_states = Some(met.left as u64);
    stats.specification_states = Some(met.right as u64);
    antichain::steps(&mut search, outcome?)
}

fn symbolically(pair: &Pair<'_>, stats: &mut Stats, budget: &Budget) -> Result<Option<Vec<Move>>, Error> {
    stats.engine = Engine::Symbolic;
    let product = Product::new(pair).ok_or_else(|| {
        Diagnostic::new(Kind::TooLarge, "the two systems together have too many actions or components")
    })?;
    let terminates = confluent::terminates(pair.specification, budget)?;
    let found = symbolic::decide(&product, terminates, budget)?;
    stats.states = Some(found.states.into());
    stats.diagram_nodes = Some(found.diagram_nodes);
    Ok(found.lacking.map(|(steps, last)| own_steps(pair.implementation, &product, &steps, last)))
}

/// The implementation's part of steps side by side, and one more action.
fn own_steps(system: &System, product: &Product, steps: &[symbolic::Step], last: ActionId) -> Vec<Move> {
    let slots = Slots::new(system);
    let mut state = system.initial();
    let mut moves = Vec::new();
    for (action, next) in steps.iter().filter(|(action, _)| !product.is_of_specification(*action)) {
        let next = &next[..product.slots];
        moves.extend(system.step_between(&slots, &state, *action, next));
        state = next.to_vec();
    }
    moves.extend(system.moves(&slots, &state).into_iter().map(|(step, _)| step).find(|step| step.action == last));
    moves
}

/// A run without the internal steps that nothing after them needs: eager ones are taken whether they matter or not.
fn without_idle_steps(pair: &Pair<'_>, mut steps: Vec<Move>) -> Vec<Move> {
    if steps.len() > LONG {
        return steps;
    }
    for place in (0..steps.len()).rev() {
        if pair.partner[steps[place].action.index()].is_none() {
            let mut fewer = Run { steps: steps.clone(), end: End::Open };
            fewer.steps.remove(place);
            if fewer.states(pair.implementation).is_some() {
                steps = fewer.steps;
            }
        }
    }
    steps
}

/// What a run of the implementation shows, if the specification has all of its trace but the last action, with which it ends.
pub(super) fn lacking(pair: &Pair<'_>, steps: &[Move], budget: &Budget) -> Result<Option<Lacking>, Error> {
    let shown = replay::shown(pair, steps, budget)?;
    let run = || Run { steps: steps.to_vec(), end: End::Open };
    Ok(shown.map(|shown| Lacking { trace: shown.trace, run: run(), allowed: shown.allowed }))
}

/// What was found, if it is what it is said to be.
fn replayed(pair: &Pair<'_>, steps: Vec<Move>, budget: &Budget) -> Result<Verdict<Lacking>, Error> {
    let steps = without_idle_steps(pair, steps);
    match lacking(pair, &steps, budget) {
        Ok(Some(lacking)) => Ok(Verdict::Violated(lacking)),
        Ok(None) => Err(Error::defect("a trace does not replay", "both systems")),
        Err(Error::OverBudget(over)) => Ok(Verdict::Unknown(over)),
        Err(invalid) => Err(invalid),
    }
}
