//! Trace abstractions: proofs that one system implements another, part by part (paper 004, sections 2 and 4).
//!
//! An abstraction relates each behaviour of an implementation to behaviours of the specification with the same observable events at the same places. If each has one, it implements
//! it ([`abstraction`]). What is decided is an inclusion: the `behaviours` of the implementation in the domain of a `relation`, over the events of a `universe`. The largest such relation is the
//! *canonical* one; a formula of M2L makes it smaller (`narrowing`), which is what a proof in parts is made of: [`compose`] concludes from abstractions of the parts that agree
//! (theorem 2.2) that the whole implements the whole. That they agree is an inclusion, too, of the behaviours in all `domains` in the domain of all relations at once.
//!
//! Whether some parts are all of a system, `whole` says. That an abstraction fails says nothing about implementing, unless the specification lacks the trace: `failing` finds out what it is, by definition.

mod behaviours;
mod domains;
mod failing;
mod narrowing;
mod relation;
mod universe;
mod whole;

use std::sync::Arc;

use rustc_hash::FxHashSet;

use self::behaviours::Behaviours;
use self::domains::Domains;
use self::narrowing::Narrowing;
use self::relation::{Member, Relation};
use self::universe::{EventId, Universe};
use super::refine::{self, Pair};
use posetta_automata::inclusion::{Met, Outcome, Search};
use posetta_base::{Budget, Diagnostic, Error, Kind, OverBudget, Verdict};
use posetta_logic::m2l::Program;
use posetta_model::system::System;

pub use failing::{Failing, Why};
pub use whole::{hidden, strangers};

const WHAT: &str = "looking for an abstraction";

/// What goes with a behaviour of the implementation before a formula says more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Abstraction {
    /// Every behaviour of the specification that has the same observable events at the same places (definition 4.2).
    #[default]
    Canonical,
    /// Only the same behaviour: internal events of the same name are the same.
    Identity,
}

/// An implementation, what it should implement, and how.
#[derive(Clone, Copy, Debug)]
pub struct Part<'s> {
    /// The implementation.
    pub implementation: &'s System,
    /// The specification. It has the same observable actions.
    pub specification: &'s System,
    /// What else is asked of two related behaviours.
    pub constraint: Option<Constraint<'s>>,
}

/// What is asked of two related behaviours: a formula of M2L, as [`parse_relation`](posetta_logic::m2l::parse_relation) reads it, whose sets are called `impl: NAME`,
/// `spec: NAME` or `same`.
#[derive(Clone, Copy, Debug)]
pub struct Constraint<'s> {
    /// The formula.
    pub formula: &'s Program,
    /// As it was written, for messages.
    pub text: &'s str,
}

/// An event of a behaviour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// What it is called; `τ` where nothing happens.
    pub name: Arc<str>,
    /// Whether it is seen.
    pub observable: bool,
}

/// What an inclusion took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Pairs of a state and a set of states that were followed.
    pub pairs: u64,
    /// States on the left: of the implementation, or of all relations side by side.
    pub left_states: u64,
    /// States of the relation on the right: of the specification and the formula.
    pub right_states: u64,
    /// States of the formulas' automata.
    pub formula_states: u64,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Whether every behaviour of the implementation is related to one of the specification, so that it implements it, or one that is not. Then whether
    /// it implements it is another question, see [`Failing::why`].
    pub verdict: Verdict<Box<Failing>>,
    /// What it took.
    pub stats: Stats,
}

/// Why the whole follows from its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// The specifications share no internal events, so that each part need only implement its own (corollary 2.1).
    Apart,
    /// The abstractions agree (theorem 2.2).
    Agreement,
}

/// What was found out about a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Premise {
    /// For [`Rule::Apart`]: whether it implements its specification.
    Implements(refine::Answer),
    /// For [`Rule::Agreement`]: whether the relation is an abstraction.
    Abstraction(Answer),
}

impl Premise {
    /// Whether it holds; `None` if a limit was reached.
    #[must_use]
    pub fn holds(&self) -> Option<bool> {
        match self {
            Self::Implements(answer) => match answer.verdict {
                Verdict::Holds => Some(true),
                Verdict::Violated(_) => Some(false),
                Verdict::Unknown(_) => None,
            },
            Self::Abstraction(answer) => match answer.verdict {
                Verdict::Holds => Some(true),
                Verdict::Violated(_) => Some(false),
                Verdict::Unknown(_) => None,
            },
        }
    }
}

/// What the abstractions of parts do not agree on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// A behaviour of the implementation that all of them relate to something, but not to one thing.
    pub behaviour: Vec<Event>,
    /// By part: what it is related to there.
    pub images: Vec<Vec<Event>>,
}

/// What was found out about a composition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Composition {
    /// The rule.
    pub rule: Rule,
    /// By part.
    pub premises: Vec<Premise>,
    /// For [`Rule::Agreement`]: whether they agree, and what that took.
    pub agreement: Option<(Verdict<Disagreement>, Stats)>,
}

impl Composition {
    /// Whether the parts together implement their specifications together: otherwise the rule does not tell.
    #[must_use]
    pub fn proves(&self) -> bool {
        let agree = self.agreement.as_ref().is_none_or(|(agreement, _)| *agreement == Verdict::Holds);
        agree && self.premises.iter().all(|premise| premise.holds() == Some(true))
    }
}

/// Decides whether there is an abstraction from an implementation to its specification.
///
/// # Errors
/// When the two do not have the same observable actions, the formula speaks of events that there are none of, or a place gets too many tokens to count. A limit is no
/// error but [`Verdict::Unknown`].
pub fn abstraction(part: Part<'_>, abstraction: Abstraction, budget: &Budget) -> Result<Answer, Error> {
    let parts = [part];
    let universe = comparable(&parts)?;
    match narrowings(&parts, &universe, budget) {
        Ok(narrowings) => premise(part, &universe, narrowings[0].as_ref(), abstraction, budget),
        Err(Error::OverBudget(over)) => Ok(Answer { verdict: Verdict::Unknown(over), stats: Stats::default() }),
        Err(invalid) => Err(invalid),
    }
}

/// Decides whether parts implement their specifications in such a way that all of them together do.
///
/// # Errors
/// As [`abstraction`], or when the parts cannot be composed.
pub fn compose(parts: &[Part<'_>], abstraction: Abstraction, budget: &Budget) -> Result<Composition, Error> {
    let universe = comparable(parts)?;
    let plain = abstraction == Abstraction::Canonical && parts.iter().all(|part| part.constraint.is_none());
    if plain && are_apart(parts) {
        let implements = |part: &Part<'_>| {
            let answer = refine::refine(part.implementation, part.specification, refine::Engine::Auto, budget)?;
            Ok(Premise::Implements(answer))
        };
        let premises = parts.iter().map(implements).collect::<Result<_, Error>>()?;
        return Ok(Composition { rule: Rule::Apart, premises, agreement: None });
    }
    let unknown = |over: OverBudget| {
        let verdict = Verdict::Unknown(over);
        let premise = Premise::Abstraction(Answer { verdict, stats: Stats::default() });
        Composition {
            rule: Rule::Agreement,
            premises: vec![premise; parts.len()],
            agreement: Some((Verdict::Unknown(over), Stats::default())),
        }
    };
    let narrowings = match narrowings(parts, &universe, budget) {
        Ok(narrowings) => narrowings,
        Err(Error::OverBudget(over)) => return Ok(unknown(over)),
        Err(invalid) => return Err(invalid),
    };
    let one = |(part, narrowing): (&Part<'_>, &Option<Narrowing>)| {
        premise(*part, &universe, narrowing.as_ref(), abstraction, budget).map(Premise::Abstraction)
    };
    let premises = parts.iter().zip(&narrowings).map(one).collect::<Result<Vec<_>, Error>>()?;
    let agreement = agreement(parts, &universe, &narrowings, abstraction, budget)?;
    Ok(Composition { rule: Rule::Agreement, premises, agreement: Some(agreement) })
}

/// What is wrong with the constraints of parts, each with the place of its part: sets that no event belongs to. [`abstraction`] and [`compose`] refuse them as well, and cannot tell
/// whose they are.
///
/// # Errors
/// When the parts themselves cannot be compared or composed.
pub fn misnamed(parts: &[Part<'_>]) -> Result<Vec<(usize, Diagnostic)>, Error> {
    let universe = comparable(parts)?;
    let mistakes = |part: &Part<'_>| part.constraint.map_or_else(Vec::new, |c| narrowing::mistakes(c, &universe));
    Ok(parts.iter().enumerate().flat_map(|(i, part)| mistakes(part).into_iter().map(move |d| (i, d))).collect())
}

/// The universe of parts that are comparable, each with its specification, and composable.
fn comparable(parts: &[Part<'_>]) -> Result<Universe, Error> {
    for part in parts {
        Pair::new(part.implementation, part.specification)?;
    }
    if parts.is_empty() {
        return Err(Diagnostic::new(Kind::Input, "there are no parts").into());
    }
    Ok(Universe::new(parts)?)
}

/// Whether no two specifications have an internal event in common. (The formula that is printed for this in section 4.1 of paper 004 asks for observable events of the other;
/// the corollary is about internal ones.)
fn are_apart(parts: &[Part<'_>]) -> bool {
    let mut met = FxHashSet::default();
    parts.iter().all(|part| {
        let internal = part.specification.actions.iter().filter(|a| a.internal);
        internal.map(|a| &*a.name).all(|name| met.insert(name))
    })
}

fn narrowings(parts: &[Part<'_>], universe: &Universe, budget: &Budget) -> Result<Vec<Option<Narrowing>>, Error> {
    let one = |part: &Part<'_>| part.constraint.map(|c| Narrowing::new(c, universe, budget)).transpose();
    parts.iter().map(one).collect()
}

/// Whether the behaviours of an implementation are all related to something.
fn premise(
    part: Part<'_>,
    universe: &Universe,
    narrowing: Option<&Narrowing>,
    abstraction: Abstraction,
    budget: &Budget,
) -> Result<Answer, Error> {
    let mut stats = Stats::default();
    let verdict = match follow(part, universe, narrowing, abstraction, &mut stats, budget) {
        Ok(None) => Verdict::Holds,
        Ok(Some(failing)) => Verdict::Violated(Box::new(failing)),
        Err(Error::OverBudget(over)) => Verdict::Unknown(over),
        Err(invalid) => return Err(invalid),
    };
    Ok(Answer { verdict, stats })
}

fn follow(
    part: Part<'_>,
    universe: &Universe,
    narrowing: Option<&Narrowing>,
    abstraction: Abstraction,
    stats: &mut Stats,
    budget: &Budget,
) -> Result<Option<Failing>, Error> {
    stats.formula_states = narrowing.map_or(0, Narrowing::states) as u64;
    let told = told(universe, narrowing.into_iter(), abstraction);
    let member = Member::new(&part, narrowing, universe, budget)?;
    let relation = Relation::new(abstraction, universe, vec![member], budget)?;
    let behaviours = Behaviours::new(part.implementation, universe, &told, budget)?;
    let mut search = Search::new(behaviours, relation, WHAT, budget)?;
    let outcome = search.run(usize::MAX);
    stats.count(search.met());
    let Outcome::Lacking(way) = outcome? else { return Ok(None) };
    let (behaviour, moves) = search.left.told(&way)?;
    failing::of(part, universe, abstraction, &behaviour, moves, budget).map(Some)
}

/// The events of implementations that relations tell from τ, besides the observable ones. For an identity that is every event: a specification may have it.
fn told<'n>(
    universe: &Universe,
    narrowings: impl Iterator<Item = &'n Narrowing>,
    abstraction: Abstraction,
) -> Vec<bool> {
    let mut told = vec![abstraction == Abstraction::Identity; universe.len()];
    narrowings.for_each(|narrowing| narrowing.mark_implementation(&mut told));
    told
}

/// Whether what is in the domains of all relations is in the domain of all at once.
fn agreement(
    parts: &[Part<'_>],
    universe: &Universe,
    narrowings: &[Option<Narrowing>],
    abstraction: Abstraction,
    budget: &Budget,
) -> Result<(Verdict<Disagreement>, Stats), Error> {
    let mut stats = Stats::default();
    let decided = (|| -> Result<Verdict<Disagreement>, Error> {
        stats.formula_states = narrowings.iter().flatten().map(Narrowing::states).sum::<usize>() as u64;
        let told = told(universe, narrowings.iter().flatten(), abstraction);
        let members = || -> Result<Vec<Member<'_>>, OverBudget> {
            let both = parts.iter().zip(narrowings);
            both.map(|(part, narrowing)| Member::new(part, narrowing.as_ref(), universe, budget)).collect()
        };
        let one = |member| Relation::new(abstraction, universe, vec![member], budget);
        let relations = members()?.into_iter().map(one).collect::<Result<Vec<_>, OverBudget>>()?;
        let domains = Domains::new(relations, universe, &told, budget)?;
        let all = Relation::new(abstraction, universe, members()?, budget)?;
        let mut search = Search::new(domains, all, WHAT, budget)?;
        let outcome = search.run(usize::MAX);
        stats.count(search.met());
        let Outcome::Lacking(way) = outcome? else { return Ok(Verdict::Holds) };
        let behaviour = search.left.told(&way);
        let mut images = Vec::new();
        for relation in &mut search.left.relations {
            images.push(relation.image(&behaviour)?.map(|image| shown(universe, &image)).unwrap_or_default());
        }
        Ok(Verdict::Violated(Disagreement { behaviour: shown(universe, &behaviour), images }))
    })();
    match decided {
        Ok(agreement) => Ok((agreement, stats)),
        Err(Error::OverBudget(over)) => Ok((Verdict::Unknown(over), stats)),
        Err(invalid) => Err(invalid),
    }
}

impl Stats {
    fn count(&mut self, met: Met) {
        self.pairs = met.pairs as u64;
        self.left_states = met.left as u64;
        self.right_states = met.right as u64;
    }
}

/// A behaviour by the names of its events.
fn shown(universe: &Universe, behaviour: &[EventId]) -> Vec<Event> {
    let event = |&e: &EventId| Event { name: Arc::clone(universe.name(e)), observable: universe.is_observable(e) };
    behaviour.iter().map(event).collect()
}
