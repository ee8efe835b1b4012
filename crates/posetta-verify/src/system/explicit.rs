//! A system state by state.

use rustc_hash::FxHashMap;

use super::bounds;
use super::observed::{Arc, Ending, NodeId, Observed, Path};
use posetta_base::{ActionId, Budget, Claim, Error, Limit, OverBudget, PackedSet};
use posetta_model::system::{Behaviour, End, MOST_TOKENS, Move, Run, Slots, System};

const WHAT: &str = "exploring the states of a system";

/// Tokens in one place before anybody asks whether there is a bound.
const FEW_TOKENS: u32 = 255;

/// The states that were met, numbered.
pub(crate) struct Explicit<'s> {
    pub(crate) system: &'s System,
    pub(crate) slots: Slots,
    budget: &'s Budget,
    /// Two slots a word.
    states: PackedSet<0>,
    row: Vec<u64>,
    /// The slots of nets, and the most tokens before there is a question.
    counts: Vec<bool>,
    few: u32,
    observed: Vec<bool>,
    arcs: Vec<Option<Box<[Arc]>>>,
    /// How many arcs are held.
    held: u64,
    claim: Claim,
    /// How many states there may be.
    most: usize,
}

impl<'s> Explicit<'s> {
    pub(crate) fn new(system: &'s System, observed: &[bool], budget: &'s Budget) -> Result<Self, OverBudget> {
        let slots = Slots::new(system);
        let mut counts = vec![false; slots.count()];
        for component in system.component_ids() {
            if let Behaviour::Net(_) = system.component(component).behaviour {
                counts[slots.of(component)].fill(true);
            }
        }
        let stride = slots.count().div_ceil(2).max(1);
        let few = system.initial().iter().zip(&counts).filter(|(_, c)| **c).map(|(&n, _)| n).max().unwrap_or(0);
        Ok(Self {
            system,
            slots,
            budget,
            states: PackedSet::new(stride),
            row: vec![0; stride],
            counts,
            few: few.saturating_mul(2).clamp(FEW_TOKENS, MOST_TOKENS),
            observed: observed.to_vec(),
            arcs: Vec::new(),
            held: 0,
            claim: budget.claim(0, WHAT)?,
            most: usize::MAX,
        })
    }

    /// Stops with [`Limit::Memory`] after so many states.
    pub(crate) fn with_most(mut self, most: usize) -> Self {
        self.most = most;
        self
    }

    /// Asks nobody whether there is a bound on tokens: what is looked for may be found, or the budget ends, before that matters.
    pub(crate) fn without_bound(mut self) -> Self {
        self.few = MOST_TOKENS;
        self
    }

    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }

    /// All that were met.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.len() as u32).map(NodeId)
    }

    /// The slot that a step would give more tokens than can be counted.
    fn overfull(&self, state: &[u32], step: &Move) -> u32 {
        for (&component, local) in self.system.action(step.action).parts.iter().zip(&step.locals) {
            let Behaviour::Net(net) = &self.system.component(component).behaviour else { continue };
            let (own, transition) = (self.slots.of(component), &net.transitions[local.0 as usize]);
            for &(place, more) in &transition.puts {
                let slot = own.start + place as usize;
                let fewer = transition.takes.iter().find(|(p, _)| *p == place).map_or(0, |(_, n)| *n);
                if u64::from(state[slot]) + u64::from(more) > u64::from(MOST_TOKENS) + u64::from(fewer) {
                    return slot as u32;
                }
            }
        }
        0
    }

    pub(crate) fn state(&self, node: NodeId) -> Vec<u32> {
        let row = self.states.row(node.0);
        (0..self.slots.count()).map(|i| (row[i / 2] >> (32 * (i % 2))) as u32).collect()
    }

    fn id(&mut self, state: &[u32]) -> Result<NodeId, Error> {
        self.row.fill(0);
        for (i, &n) in state.iter().enumerate() {
            self.row[i / 2] |= u64::from(n) << (32 * (i % 2));
        }
        let (id, new) = self.states.insert(&self.row);
        if new {
            self.budget.step(1, WHAT)?;
            if self.states.len() > self.most || self.states.is_full() {
                return Err(OverBudget::new(WHAT, Limit::Memory).into());
            }
            while let Some(slot) = (0..state.len()).find(|&i| self.counts[i] && state[i] > self.few) {
                bounds::outgrown(self.system, slot as u32, self.few, self.budget)?;
                self.few = self.few.saturating_mul(16).min(MOST_TOKENS);
            }
            if self.arcs.len() == self.arcs.capacity() {
                let bytes = self.states.bytes() + 24 * self.arcs.len() as u64 + 8 * self.held;
                self.claim.grow_to(2 * bytes + 4096, WHAT)?;
            }
            self.arcs.push(None);
        }
        Ok(NodeId(id))
    }

    /// Finds the arcs from a node, once.
    pub(crate) fn expand(&mut self, node: NodeId) -> Result<(), Error> {
        if self.arcs[node.index()].is_some() {
            return Ok(());
        }
        let mut arcs = Vec::new();
        let state = self.state(node);
        for (step, next) in self.system.moves(&self.slots, &state) {
            let Some(next) = next else {
                // More tokens than can be counted.
                bounds::outgrown(self.system, self.overfull(&state, &step), MOST_TOKENS, self.budget)?;
                continue;
            };
            arcs.push(Arc { action: step.action, to: self.id(&next)? });
        }
        arcs.sort_unstable();
        arcs.dedup();
        self.held += arcs.len() as u64;
        self.arcs[node.index()] = Some(arcs.into());
        Ok(())
    }

    /// The arcs from a node that was expanded, ascending.
    pub(crate) fn known_arcs(&self, node: NodeId) -> &[Arc] {
        self.arcs[node.index()].as_deref().unwrap_or_default()
    }

    /// The run of a path.
    pub(crate) fn run(&mut self, path: &Path) -> Result<Run, Error> {
        let mut states = vec![self.system.initial()];
        let mut steps = Vec::new();
        let cycle: &[Arc] = match &path.end {
            Ending::Cycle(arcs) => arcs,
            Ending::Open | Ending::Dead | Ending::Divergent => &[],
        };
        for arc in path.prefix.iter().chain(cycle) {
            let next = self.state(arc.to);
            let step = self.system.step_between(&self.slots, &states[states.len() - 1], arc.action, &next);
            steps.push(step.expect("an arc is a step"));
            states.push(next);
        }
        let end = match path.end {
            Ending::Open => End::Open,
            Ending::Dead => End::Dead,
            Ending::Divergent | Ending::Cycle(_) => End::Cycle(path.prefix.len()),
        };
        Ok(Run { steps, end })
    }

    /// A shortest run to a state that is looked for, all states being looked at if there is none.
    pub(crate) fn search(
        &mut self,
        goal: &mut dyn FnMut(&mut Self, NodeId) -> Result<bool, Error>,
    ) -> Result<Option<Run>, Error> {
        let start = self.start()?;
        let mut came: FxHashMap<NodeId, (NodeId, ActionId)> = FxHashMap::default();
        let mut open = std::collections::VecDeque::from([start]);
        while let Some(node) = open.pop_front() {
            if goal(self, node)? {
                let (mut arcs, mut at) = (Vec::new(), node);
                while let Some(&(before, action)) = came.get(&at) {
                    arcs.push(Arc { action, to: at });
                    at = before;
                }
                arcs.reverse();
                return self.run(&Path { prefix: arcs, end: Ending::Open }).map(Some);
            }
            for arc in self.arcs(node)? {
                if arc.to != start && !came.contains_key(&arc.to) {
                    came.insert(arc.to, (node, arc.action));
                    open.push_back(arc.to);
                }
            }
        }
        Ok(None)
    }
}

impl Observed for Explicit<'_> {
    fn start(&mut self) -> Result<NodeId, Error> {
        let initial = self.system.initial();
        self.id(&initial)
    }

    fn arcs(&mut self, node: NodeId) -> Result<Vec<Arc>, Error> {
        self.expand(node)?;
        Ok(self.known_arcs(node).to_vec())
    }

    fn observes(&self, action: ActionId) -> bool {
        self.observed[action.index()]
    }

    fn is_dead(&mut self, node: NodeId) -> Result<bool, Error> {
        Ok(self.arcs(node)?.is_empty())
    }

    fn is_divergent(&mut self, _: NodeId) -> Result<bool, Error> {
        Ok(false)
    }
}
