//! Quick proofs that a state cannot be reached, and bounds on tokens.
//!
//! If a run leads to a marking m, and each transition t takes place x(t) times in it, then m = m₀ + C·x: the *state
//! equation*, with the effects of the transitions in C (Murata 1989). Where it has no solution in numbers that are not
//! negative, fractions included, for which m is as asked, there is no such run. A solution proves nothing, but may
//! leave a *trap* empty that has a token at the start: places such that whoever takes tokens from them puts some there.
//! A trap with tokens keeps one forever, so that is added to the conditions, and the equation is solved again (Esparza
//! and Melzer 2000).
//!
//! Alternatives are decided one by one: where a solution satisfies none of several conditions of which one has to be
//! met, each is tried. A deadlock is that each transition lacks tokens in one of its places. All of it with so much
//! work at most.

use std::collections::BTreeMap;

use super::super::space::{pairs_of, ways_of};
use super::simplex::{Conditions, Ratio, Stop, Sum};
use super::{Keeps, WHAT, question};
use posetta_base::{ActionId, Budget, ComponentId, Error, OverBudget};
use posetta_dd::idd::Change;
use posetta_logic::Compare;
use posetta_model::system::{Behaviour, Component, Demand, MOST_TOKENS, Net, Predicate, Slots, System};

/// So much work goes into one proof at most: rows and factors that are looked at.
const MOST_WORK: u64 = 3_000_000;

/// The effort of looking at one, in units of the budget.
const LOOK: u64 = 2;

/// So many alternatives may be open, one inside the other.
const DEEPEST: usize = 60;

/// So many traps are added to one solution.
const TRAPS: usize = 8;

/// What is asked of a marking.
#[derive(Clone, Debug)]
enum Goal {
    /// A sum of tokens is at least this.
    AtLeast(Vec<(u32, i64)>, i128),
    All(Vec<Goal>),
    Any(Vec<Goal>),
}

impl Goal {
    /// That a predicate has this value. `None` if it speaks of more than tokens.
    fn new(predicate: &Predicate, value: bool) -> Option<Self> {
        let each = |parts: &[Predicate]| parts.iter().map(|p| Self::new(p, value)).collect::<Option<Vec<_>>>();
        Some(match predicate {
            Predicate::Constant(constant) if *constant == value => Self::All(Vec::new()),
            Predicate::Constant(_) => Self::Any(Vec::new()),
            Predicate::Linear(terms, op, bound) => {
                let bound = i128::from(*bound);
                let least = |bound: i128| Self::AtLeast(terms.clone(), bound);
                let most = |bound: i128| Self::AtLeast(terms.iter().map(|&(p, n)| (p, -n)).collect(), -bound);
                match (*op, value) {
                    (Compare::Ge, true) | (Compare::Lt, false) => least(bound),
                    (Compare::Gt, true) | (Compare::Le, false) => least(bound + 1),
                    (Compare::Le, true) | (Compare::Gt, false) => most(bound),
                    (Compare::Lt, true) | (Compare::Ge, false) => most(bound - 1),
                    (Compare::Eq, true) | (Compare::Ne, false) => Self::All(vec![least(bound), most(bound)]),
                    (Compare::Ne, true) | (Compare::Eq, false) => Self::Any(vec![least(bound + 1), most(bound - 1)]),
                }
            }
            Predicate::Not(p) => Self::new(p, !value)?,
            Predicate::And(parts) if value => Self::All(each(parts)?),
            Predicate::Or(parts) if !value => Self::All(each(parts)?),
            Predicate::And(parts) | Predicate::Or(parts) => Self::Any(each(parts)?),
            Predicate::Enabled(_) | Predicate::Dead => return None,
        })
    }

    /// That nothing can take place.
    fn dead(net: &Net) -> Self {
        let lacks = |&(place, n): &(u32, u32)| Self::AtLeast(vec![(place, -1)], 1 - i128::from(n));
        Self::All(net.transitions.iter().map(|t| Self::Any(t.takes.iter().map(lacks).collect())).collect())
    }

    /// Whether a marking is as asked. `None` if a number does not fit.
    fn is_met(&self, marking: &[Ratio]) -> Option<bool> {
        Some(match self {
            Self::AtLeast(terms, least) => {
                let mut sum = Ratio::whole(least.checked_neg()?);
                for &(place, factor) in terms {
                    sum = sum.plus(marking[place as usize].times(Ratio::whole(factor.into()))?)?;
                }
                !sum.is_negative()
            }
            Self::All(parts) => parts.iter().try_fold(true, |all, p| Some(all && p.is_met(marking)?))?,
            Self::Any(parts) => parts.iter().try_fold(false, |any, p| Some(any || p.is_met(marking)?))?,
        })
    }
}

/// Whether it is proved that no state that a question looks for can be reached: one that satisfies a predicate, one
/// that does not, or a deadlock.
pub(in crate::system) fn is_unreachable(system: &System, demand: &Demand, budget: &Budget) -> Result<bool, OverBudget> {
    let Some((net, keeps, demand)) = question(system, demand) else { return Ok(false) };
    let goal = match &demand {
        _ if keeps == Keeps::Deadlock => Some(Goal::dead(net)),
        Demand::Reach(p) => Goal::new(p, true),
        Demand::Invariant(p) => Goal::new(p, false),
        _ => None,
    };
    goal.map_or(Ok(false), |goal| Ok(is_refuted(net, &goal, budget)? == Some(true)))
}

/// A number of tokens that some places never exceed together, the smallest that is proved.
pub(in crate::system) fn at_most(system: &System, slots: &[u32], budget: &Budget) -> Result<Option<u64>, OverBudget> {
    let Some((net, ..)) = question(system, &Demand::Bound(slots.to_vec())) else { return Ok(None) };
    let terms: Vec<(u32, i64)> = slots.iter().map(|&slot| (slot, 1)).collect();
    let never = |sum: u64| is_refuted(net, &Goal::AtLeast(terms.clone(), sum.into()), budget);
    // So many there are; so many more there are never, if anybody can say.
    let mut least: u64 = slots.iter().map(|&slot| u64::from(net.places[slot as usize].initial)).sum();
    let mut more = 1;
    loop {
        match never(least + more)? {
            Some(true) => break,
            Some(false) if more <= u64::from(MOST_TOKENS) => more *= 2,
            Some(false) | None => return Ok(None),
        }
    }
    let mut most = least + more - 1;
    while least < most {
        let middle = least + (most - least).div_ceil(2);
        match never(middle)? {
            Some(true) => most = middle - 1,
            Some(false) => least = middle,
            None => return Ok(Some(most)),
        }
    }
    Ok(Some(most))
}

/// So much work goes into a proof that there is a bound, and so many ways of actions are looked at for it: looking for
/// a run that proves the opposite takes as long.
const BOUND_WORK: u64 = 300_000;
const BOUND_WAYS: usize = 2_000;

/// Whether it is proved that there is a bound on the tokens of all places: with a weight for each place, at least one,
/// and one for each state of the transition systems, no step adds to the weight of all (Murata 1989; the states stand
/// for tokens that are away).
pub(in crate::system) fn is_bounded(system: &System, budget: &Budget) -> Result<bool, OverBudget> {
    let size = |component: &Component| match &component.behaviour {
        Behaviour::Lts(lts) => lts.arcs.len(),
        Behaviour::Net(net) => net.transitions.len(),
    };
    if system.components.iter().map(size).sum::<usize>() > BOUND_WAYS {
        return Ok(false);
    }
    let (slots, pairs) = (Slots::new(system), pairs_of(system));
    // By slot: its first number. A place has one, for what its weight is beyond one.
    let (mut first, mut next) = (vec![0; slots.count()], 0_u32);
    let mut is_place = vec![true; slots.count()];
    for component in system.component_ids() {
        for slot in slots.of(component) {
            first[slot] = next;
            next += match &system.component(component).behaviour {
                Behaviour::Lts(lts) => {
                    is_place[slot] = false;
                    lts.states.len() as u32
                }
                Behaviour::Net(_) => 1,
            };
        }
    }
    let _claim = budget.claim(64 * u64::from(next), WHAT)?;
    let mut conditions = Conditions::new(next);
    let mut left = BOUND_WAYS;
    for action in system.action_ids() {
        let combinations = |way: &BTreeMap<usize, Change>| -> usize {
            let pairs = way.values().map(|change| if let Change::Pairs(pairs) = change { pairs.len() } else { 1 });
            pairs.fold(1, usize::saturating_mul)
        };
        // Before they are listed: there may be too many.
        let own: Vec<usize> = system.action(action).parts.iter().map(|&c| ways_in(system, c, action)).collect();
        if own.iter().copied().fold(1, usize::saturating_mul) > left {
            return Ok(false);
        }
        let ways = match ways_of(system, &slots, &pairs, action, budget) {
            Ok(ways) => ways,
            Err(Error::OverBudget(over)) => return Err(over),
            Err(_) => return Ok(false),
        };
        for way in ways {
            let Some(less) = left.checked_sub(combinations(&way)) else { return Ok(false) };
            left = less;
            let mut sums = vec![BTreeMap::<Option<u32>, i128>::new()];
            for (&slot, change) in &way {
                match change {
                    Change::Tokens { takes, puts } => {
                        let gone = i128::from(*takes) - i128::from(*puts);
                        for sum in &mut sums {
                            *sum.entry(None).or_default() += gone;
                            *sum.entry(Some(first[slot])).or_default() += gone;
                        }
                    }
                    Change::Pairs(pairs) => {
                        let with = |sum: &BTreeMap<Option<u32>, i128>| {
                            let moved = |&(from, to): &(u32, u32)| {
                                let mut sum = sum.clone();
                                *sum.entry(Some(first[slot] + from)).or_default() += 1;
                                *sum.entry(Some(first[slot] + to)).or_default() -= 1;
                                sum
                            };
                            pairs.iter().map(moved).collect::<Vec<_>>()
                        };
                        sums = sums.iter().flat_map(with).collect();
                    }
                }
            }
            for terms in sums {
                let mut sum = Sum::new(terms.get(&None).copied().unwrap_or(0));
                let factors = terms.iter().filter(|(_, n)| **n != 0);
                sum.factors = factors.filter_map(|(number, &n)| Some(((*number)?, Ratio::whole(n)))).collect();
                if sum.factors.is_empty() && !sum.constant.is_negative() {
                    continue;
                }
                if conditions.require(&sum).is_none() || conditions.work > BOUND_WORK {
                    return Ok(false);
                }
            }
        }
    }
    let found = conditions.can_be_met(BOUND_WORK);
    budget.effort(LOOK * conditions.work, WHAT)?;
    Ok(found.is_ok_and(|found| found))
}

/// In how many ways a component can take part in an action.
fn ways_in(system: &System, component: ComponentId, action: ActionId) -> usize {
    match &system.component(component).behaviour {
        Behaviour::Lts(_) => 1,
        Behaviour::Net(net) => net.doing(action).len(),
    }
}

/// Whether it is proved that no state is as asked; `None` if that would take too much.
fn is_refuted(net: &Net, goal: &Goal, budget: &Budget) -> Result<Option<bool>, OverBudget> {
    let size: usize = net.transitions.iter().map(|t| t.takes.len() + t.puts.len()).sum();
    if size as u64 > MOST_WORK / 8 {
        return Ok(None);
    }
    let _claim = budget.claim(64 * (size + net.places.len() + net.transitions.len()) as u64, WHAT)?;
    let Some(conditions) = equation(net) else { return Ok(None) };
    let mut proof = Proof { net, budget, left: MOST_WORK, first: net.transitions.len() as u32 };
    match proof.refutes(conditions, &mut vec![goal], DEEPEST) {
        Ok(refuted) => Ok(Some(refuted)),
        Err(Given::Up) => Ok(None),
        Err(Given::Over(over)) => Err(over),
    }
}

/// The state equation: first the transitions, how often they take place; then the places, what they have in the end.
fn equation(net: &Net) -> Option<Conditions> {
    let mut conditions = Conditions::new(net.transitions.len() as u32);
    let mut sums: Vec<Sum> = net.places.iter().map(|place| Sum::new(place.initial.into())).collect();
    for (t, transition) in (0..).zip(&net.transitions) {
        for (list, sign) in [(&transition.takes, -1), (&transition.puts, 1)] {
            for &(place, n) in list {
                let factors = vec![(t, Ratio::whole(sign * i128::from(n)))];
                sums[place as usize].add(&Sum { constant: Ratio::ZERO, factors }, Ratio::ONE)?;
            }
        }
    }
    sums.iter().try_for_each(|sum| conditions.require(sum).map(|_| ()))?;
    Some(conditions)
}

/// Why there is no proof.
enum Given {
    Up,
    Over(OverBudget),
}

impl From<Stop> for Given {
    fn from(_: Stop) -> Self {
        Self::Up
    }
}

struct Proof<'a> {
    net: &'a Net,
    budget: &'a Budget,
    left: u64,
    /// The first number that is a place.
    first: u32,
}

impl Proof<'_> {
    /// Counts what was done since.
    fn spend(&mut self, conditions: &mut Conditions) -> Result<(), Given> {
        let work = std::mem::take(&mut conditions.work);
        self.budget.effort(LOOK * work, WHAT).map_err(Given::Over)?;
        self.left = self.left.checked_sub(work).ok_or(Given::Up)?;
        Ok(())
    }

    /// Requires that a sum of tokens is at least this.
    fn require(&mut self, conditions: &mut Conditions, terms: &[(u32, i64)], least: i128) -> Result<(), Given> {
        let mut sum = Sum::new(least.checked_neg().ok_or(Given::Up)?);
        let mut factors: Vec<(u32, Ratio)> =
            terms.iter().map(|&(place, n)| (self.first + place, Ratio::whole(n.into()))).collect();
        factors.sort_unstable_by_key(|&(number, _)| number);
        sum.factors = factors;
        conditions.require(&sum).map(|_| ()).ok_or(Given::Up)
    }

    /// Whether the conditions contradict the goals.
    fn refutes(&mut self, mut conditions: Conditions, goals: &mut Vec<&Goal>, depth: usize) -> Result<bool, Given> {
        let mut either: Vec<(&Goal, &[Goal])> = Vec::new();
        while let Some(goal) = goals.pop() {
            match goal {
                Goal::AtLeast(terms, least) => self.require(&mut conditions, terms, *least)?,
                Goal::All(parts) => goals.extend(parts),
                Goal::Any(parts) => either.push((goal, parts)),
            }
        }
        let mut traps = 0;
        let marking = loop {
            let met = conditions.can_be_met(self.left);
            self.spend(&mut conditions)?;
            if !met? {
                return Ok(true);
            }
            let marking = conditions.values(self.first..self.first + self.net.places.len() as u32);
            conditions.work += self.net.transitions.len() as u64;
            let Some(trap) = self.emptied_trap(&marking).filter(|_| traps < TRAPS) else { break marking };
            traps += 1;
            self.require(&mut conditions, &trap, 1)?;
        };
        // Of the alternatives that the solution does not meet, those with the fewest.
        let mut open: Option<usize> = None;
        for (i, (goal, parts)) in either.iter().enumerate() {
            let met = goal.is_met(&marking).ok_or(Given::Up)?;
            if !met && open.is_none_or(|open| parts.len() < either[open].1.len()) {
                open = Some(i);
            }
        }
        let Some(open) = open else { return Ok(false) };
        if depth == 0 {
            return Err(Given::Up);
        }
        let (_, parts) = either.swap_remove(open);
        for part in parts {
            let mut goals: Vec<&Goal> = either.iter().map(|(goal, _)| *goal).chain([part]).collect();
            conditions.work += goals.len() as u64;
            if !self.refutes(conditions.clone(), &mut goals, depth - 1)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A trap that has a token at the start and none in a marking: the largest among the empty places. Whoever takes
    /// from it has to put something there, or the place goes.
    fn emptied_trap(&self, marking: &[Ratio]) -> Option<Vec<(u32, i64)>> {
        let mut is_in: Vec<bool> = marking.iter().map(|tokens| tokens.is_zero()).collect();
        loop {
            let mut changed = false;
            for transition in &self.net.transitions {
                let puts = transition.puts.iter().any(|&(place, _)| is_in[place as usize]);
                for &(place, _) in transition.takes.iter().filter(|_| !puts) {
                    changed |= std::mem::replace(&mut is_in[place as usize], false);
                }
            }
            if !changed {
                break;
            }
        }
        let trap: Vec<(u32, i64)> =
            (0..).zip(&is_in).filter(|(_, is_in)| **is_in).map(|(place, _)| (place, 1)).collect();
        trap.iter().any(|&(place, _)| self.net.places[place as usize].initial > 0).then_some(trap)
    }
}
