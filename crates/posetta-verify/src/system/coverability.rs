//! The coverability graph of a system whose tokens have no bound (Karp and Miller 1969; Finkel 1990 for nets with states).
//!
//! A node has a number of tokens for each place, or *any number* (ω), and the states of the transition systems. Where a path leads to at
//! least as many tokens in every place and more in some, with every transition system where it was, those become ω: the path can be
//! repeated. So there are finitely many nodes (Dickson 1913). Two facts are used:
//!
//! 1. Every reachable state is one of a node: its numbers are those of the node, and any number where the node has ω; and each step of the
//!    state is an arc of the node to such a node. (Arcs change the finite numbers exactly.) What no path of the graph does, no run does.
//! 2. For every node and every number k there is a reachable state that agrees with its finite numbers and has at least k tokens wherever
//!    the node has ω, in all these places at once. (What was repeated leaves finite numbers as they are, and where a later repetition takes
//!    tokens from an ω, the earlier one is repeated more often.) What is true of all large k is true of some reachable state.

use rustc_hash::FxHashMap;

use super::bounds;
use super::explicit::ways::{OMEGA, Scratch, TooMany, Ways};
use super::observed::{Arc, NodeId, Observed};
use posetta_base::{ActionId, Budget, Claim, Error, Limit, OverBudget};
use posetta_logic::Compare;
use posetta_model::system::{Behaviour, MOST_TOKENS, Predicate, Slots, System};

const WHAT: &str = "making a coverability graph";

/// What is known of a truth value that depends on how many tokens ω is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Possible {
    pub(super) yes: bool,
    pub(super) no: bool,
}

impl Possible {
    const BOTH: Self = Self { yes: true, no: true };

    fn just(value: bool) -> Self {
        Self { yes: value, no: !value }
    }

    fn not(self) -> Self {
        Self { yes: self.no, no: self.yes }
    }
}

/// How ω is read in a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// Any number: what is possible covers all states of the node (fact 1).
    Any,
    /// As large as one likes, in all places at once: what is certain is true of some reachable state (fact 2).
    Large,
}

/// The graph, all of it.
pub(super) struct Coverability<'s> {
    system: &'s System,
    nodes: Vec<Box<[u32]>>,
    arcs: Vec<Box<[Arc]>>,
    observed: Vec<bool>,
    _claim: Claim,
}

/// Why steps were not found.
enum Hindrance {
    TooMany(u32),
    Over(OverBudget),
}

impl From<TooMany> for Hindrance {
    fn from(TooMany(slot): TooMany) -> Self {
        Self::TooMany(slot)
    }
}

impl<'s> Coverability<'s> {
    pub(super) fn new(system: &'s System, budget: &Budget) -> Result<Self, Error> {
        let slots = Slots::new(system);
        let mut counts = vec![false; slots.count()];
        for component in system.component_ids() {
            if let Behaviour::Net(_) = system.component(component).behaviour {
                counts[slots.of(component)].fill(true);
            }
        }
        let (ways, mut scratch) = (Ways::new(system, &slots), Scratch::default());
        let mut claim = budget.claim(0, WHAT)?;
        let first: Box<[u32]> = system.initial().into();
        let mut ids: FxHashMap<Box<[u32]>, u32> = FxHashMap::from_iter([(first.clone(), 0)]);
        // By node: the one that it was met from, which is how it is reached. The first is met from itself.
        let (mut nodes, mut parents, mut arcs) = (vec![first], vec![0_u32], Vec::new());
        while arcs.len() < nodes.len() {
            budget.step(1, WHAT)?;
            let at = arcs.len();
            let values = nodes[at].clone();
            let mut found: Vec<(ActionId, Vec<u32>)> = Vec::new();
            let told = ways.each(&values, &mut scratch, &mut |action, changes| -> Result<(), Hindrance> {
                let mut next = values.to_vec();
                for &(slot, number) in changes {
                    if values[slot as usize] != OMEGA {
                        next[slot as usize] = number;
                    }
                }
                found.push((action, next));
                budget.effort(values.len() as u64, WHAT).map_err(Hindrance::Over)
            });
            match told {
                Ok(()) => {}
                Err(Hindrance::Over(over)) => return Err(over.into()),
                Err(Hindrance::TooMany(slot)) => return Err(bounds::too_many(system, slot)),
            }
            let mut own = Vec::with_capacity(found.len());
            for (action, mut next) in found {
                if !ids.contains_key(next.as_slice()) {
                    accelerate(&nodes, &parents, at, &mut next, &counts, budget)?;
                }
                let next: Box<[u32]> = next.into();
                let new = nodes.len() as u32;
                let to = *ids.entry(next.clone()).or_insert(new);
                if to == new {
                    if new.is_multiple_of(256) {
                        let each = 2 * 4 * next.len() as u64 + 128 + 16 * own.len() as u64;
                        claim.grow_to(2 * each * (u64::from(new) + 512), WHAT)?;
                    }
                    nodes.push(next);
                    parents.push(at as u32);
                }
                own.push(Arc { action, to: NodeId(to) });
            }
            own.sort_unstable();
            own.dedup();
            arcs.push(own.into());
        }
        Ok(Self { system, nodes, arcs, observed: vec![false; system.actions.len()], _claim: claim })
    }

    pub(super) fn observe(&mut self, observed: &[bool]) {
        self.observed = observed.to_vec();
    }

    pub(super) fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    pub(super) fn known_arcs(&self, node: NodeId) -> &[Arc] {
        &self.arcs[node.index()]
    }

    /// The most tokens that there can be in some slots together; `None` if there is no bound.
    pub(super) fn most(&self, slots: &[u32]) -> Option<u64> {
        let sum = |node: &[u32]| -> Option<u64> {
            let mut sum = 0;
            for &slot in slots {
                match node[slot as usize] {
                    OMEGA => return None,
                    tokens => sum += u64::from(tokens),
                }
            }
            Some(sum)
        };
        self.nodes.iter().map(|node| sum(node)).try_fold(0, |most, sum| Some(most.max(sum?)))
    }

    /// What a predicate can be in the states of a node.
    pub(super) fn possible(&self, node: NodeId, predicate: &Predicate, reading: Reading) -> Possible {
        let values = &self.nodes[node.index()];
        match predicate {
            Predicate::Constant(value) => Possible::just(*value),
            Predicate::Linear(terms, op, bound) => {
                let (mut sum, mut up, mut down) = (0_i128, false, false);
                for &(slot, factor) in terms {
                    match values[slot as usize] {
                        OMEGA => (up, down) = (up || factor > 0, down || factor < 0),
                        tokens => sum += i128::from(factor) * i128::from(tokens),
                    }
                }
                compared(sum, (down, up), *op, i128::from(*bound), reading)
            }
            Predicate::Enabled(actions) => {
                let can = |action: &ActionId| self.arcs[node.index()].iter().any(|arc| arc.action == *action);
                match (actions.iter().any(can), reading) {
                    (false, _) => Possible::just(false),
                    (true, Reading::Large) => Possible::just(true),
                    (true, Reading::Any) => {
                        Possible { yes: true, no: !actions.iter().any(|&action| self.is_sure(node, action)) }
                    }
                }
            }
            Predicate::Dead => match (self.arcs[node.index()].is_empty(), reading) {
                (true, _) => Possible::just(true),
                (false, Reading::Large) => Possible::just(false),
                (false, Reading::Any) => {
                    Possible { yes: !self.system.action_ids().any(|action| self.is_sure(node, action)), no: true }
                }
            },
            Predicate::Not(p) => self.possible(node, p, reading).not(),
            Predicate::And(parts) => parts.iter().fold(Possible::just(true), |all, p| {
                let part = self.possible(node, p, reading);
                Possible { yes: all.yes && part.yes, no: all.no || part.no }
            }),
            Predicate::Or(parts) => parts.iter().fold(Possible::just(false), |any, p| {
                let part = self.possible(node, p, reading);
                Possible { yes: any.yes || part.yes, no: any.no && part.no }
            }),
        }
    }

    /// Whether an action can take place in every state of a node: with no tokens in the places that can have any number.
    fn is_sure(&self, node: NodeId, action: ActionId) -> bool {
        let fewest: Vec<u32> = self.nodes[node.index()].iter().map(|&n| if n == OMEGA { 0 } else { n }).collect();
        self.system.is_enabled(&fewest, action)
    }
}

/// A sum that may be smaller or larger without bound, compared.
fn compared(sum: i128, (down, up): (bool, bool), op: Compare, bound: i128, reading: Reading) -> Possible {
    let at = |sum: i128| op.holds(&sum, &bound);
    // Far enough that nothing changes beyond.
    let far = sum.abs() + bound.abs() + 1;
    match (down, up, reading) {
        (false, false, _) => Possible::just(at(sum)),
        (true, true, _) => Possible::BOTH,
        (down, _, Reading::Large) => Possible::just(at(if down { -far } else { far })),
        // Between what is there now and far away: the ends, and the bound itself, where a comparison changes.
        (down, _, Reading::Any) => {
            let end = if down { sum - far } else { sum + far };
            let between = if (sum.min(end)..=sum.max(end)).contains(&bound) { bound } else { end };
            let all = [
                at(sum),
                at(between),
                at(end),
                at(if down { bound - 1 } else { bound + 1 }.clamp(sum.min(end), sum.max(end))),
            ];
            Possible { yes: all.contains(&true), no: all.contains(&false) }
        }
    }
}

/// Gives places any number of tokens where a node on the way has less in them and nowhere more.
fn accelerate(
    nodes: &[Box<[u32]>],
    parents: &[u32],
    from: usize,
    next: &mut [u32],
    counts: &[bool],
    budget: &Budget,
) -> Result<(), OverBudget> {
    let (mut at, mut looked) = (from, 0_u64);
    loop {
        looked += 1;
        if looked.is_multiple_of(16) {
            budget.step(1 + next.len() as u64 / 16, WHAT)?;
        }
        let before = &nodes[at];
        let same = |((b, n), counts): ((&u32, &u32), &bool)| if *counts { b <= n } else { b == n };
        if before.iter().zip(next.iter()).zip(counts).all(same) {
            for (n, b) in next.iter_mut().zip(before.iter()) {
                if *b < *n {
                    *n = OMEGA;
                }
            }
        }
        let parent = parents[at] as usize;
        if at == parent {
            return Ok(());
        }
        at = parent;
    }
}

impl Observed for Coverability<'_> {
    fn start(&mut self) -> Result<NodeId, Error> {
        Ok(NodeId(0))
    }

    fn arcs(&mut self, node: NodeId) -> Result<Vec<Arc>, Error> {
        Ok(self.arcs[node.index()].to_vec())
    }

    fn observes(&self, action: ActionId) -> bool {
        self.observed[action.index()]
    }

    /// Whether a state of the node may have no step.
    fn is_dead(&mut self, node: NodeId) -> Result<bool, Error> {
        Ok(self.possible(node, &Predicate::Dead, Reading::Any).yes)
    }

    fn is_divergent(&mut self, _: NodeId) -> Result<bool, Error> {
        Ok(false)
    }
}

/// The limit that a question about such a system has where nothing settles it.
pub(super) fn unsettled() -> OverBudget {
    OverBudget::new("looking at finitely many of its states", Limit::Unbounded)
}

const _: () = assert!(OMEGA > MOST_TOKENS);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_with_any_number_is_what_some_number_makes_it() {
        let ops = [Compare::Eq, Compare::Ne, Compare::Lt, Compare::Le, Compare::Gt, Compare::Ge];
        let holds = |sum: i128, op: Compare, bound: i128| compared(sum, (false, false), op, bound, Reading::Any).yes;
        for op in ops {
            for sum in -4..5 {
                for bound in -4..5 {
                    for (down, up) in [(true, false), (false, true)] {
                        let all: Vec<bool> =
                            (0..20).map(|n| holds(if down { sum - n } else { sum + n }, op, bound)).collect();
                        let expected = Possible { yes: all.contains(&true), no: all.contains(&false) };
                        let about = format!("{sum} {op:?} {bound} {down} {up}");
                        assert_eq!(compared(sum, (down, up), op, bound, Reading::Any), expected, "{about}");
                        let large = compared(sum, (down, up), op, bound, Reading::Large);
                        assert_eq!(large, Possible::just(all[19]), "{about}");
                    }
                }
            }
        }
    }
}
