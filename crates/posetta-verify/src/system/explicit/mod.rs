//! A system state by state.
//!
//! States are packed into rows of bits ([`packing`]) and stored once, exactly; the arcs between them are kept, so that whatever is asked
//! next goes over the same graph and continues where the last search ended. [`ways`] finds the steps.

mod packing;
pub(in crate::system) mod reduced;
mod sorted;
pub(in crate::system) mod stubborn;
pub(in crate::system) mod ways;

use std::collections::VecDeque;

use self::packing::{Packing, width_of};
use self::ways::{Change, Scratch, TooMany, Ways};
use super::bounds;
use super::observed::{Arc, Ending, NodeId, Observed, Path};
use crate::arcs::sort_last;
use posetta_base::{ActionId, Budget, Claim, Error, Limit, OverBudget, PackedSet, Tally};
use posetta_model::system::{Behaviour, End, Local, MOST_TOKENS, Move, Predicate, Run, Slots, System};

const WHAT: &str = "exploring the states of a system";

/// Tokens in one place before anybody asks whether there is a bound.
const FEW_TOKENS: u32 = 255;

/// After so many times that a single place got a wider field, all get one: each time all states are packed again.
const SINGLE_FIELDS: u32 = 12;

/// The effort of a look at a part of an action; of a state that is looked up, and for each of its words; and of one that is new, likewise: in
/// units of the budget, measured on counters and philosophers with 1 to 450 slots.
const LOOK: u64 = 1;
const STATE: u64 = 8;
const WORD: u64 = 3;
const NEW: u64 = 24;
const NEW_WORD: u64 = 5;

/// The arcs of a node that was not expanded.
const UNKNOWN: u32 = u32::MAX;

/// The states that were met, numbered.
pub(crate) struct Explicit<'s> {
    pub(crate) system: &'s System,
    pub(crate) slots: Slots,
    budget: Budget,
    tally: Tally,
    ways: Ways<'s>,
    scratch: Scratch<'s>,
    /// Numbers have room in the fields of all states that are stored.
    packing: Packing,
    widths: Vec<u32>,
    widened: u32,
    states: PackedSet<0>,
    /// The state whose steps are looked for, and the row of the one that a step leads to.
    values: Vec<u32>,
    row: Vec<u64>,
    /// The slots of nets, and the most tokens before there is a question.
    counts: Vec<bool>,
    few: u32,
    observed: Vec<bool>,
    /// By node: where its arcs begin in the list, and how many there are; [`UNKNOWN`] if nobody has asked.
    spans: Vec<(u32, u32)>,
    arcs: Vec<Arc>,
    /// How many nodes were expanded, and how many steps there are from these, each way of an action counted.
    expanded: usize,
    steps: u64,
    claim: Claim,
}

/// Why the steps from a state were not found.
enum Hindrance {
    /// A slot needs a wider field, for this number.
    Narrow(u32, u32),
    TooMany(u32),
    Failed(Error),
}

impl From<OverBudget> for Hindrance {
    fn from(over: OverBudget) -> Self {
        Self::Failed(over.into())
    }
}

impl From<TooMany> for Hindrance {
    fn from(TooMany(slot): TooMany) -> Self {
        Self::TooMany(slot)
    }
}

impl<'s> Explicit<'s> {
    pub(crate) fn new(system: &'s System, observed: &[bool], budget: &Budget) -> Result<Self, OverBudget> {
        let slots = Slots::new(system);
        let (mut counts, initial) = (vec![false; slots.count()], system.initial());
        let mut widths = vec![1; slots.count()];
        for component in system.component_ids() {
            let own = slots.of(component);
            match &system.component(component).behaviour {
                Behaviour::Lts(lts) => widths[own.start] = width_of(lts.states.len() as u32 - 1),
                Behaviour::Net(_) => {
                    counts[own.clone()].fill(true);
                    own.for_each(|slot| widths[slot] = width_of(initial[slot]));
                }
            }
        }
        let few = initial.iter().zip(&counts).filter(|(_, c)| **c).map(|(&n, _)| n).max().unwrap_or(0);
        let packing = Packing::new(&widths);
        Ok(Self {
            system,
            ways: Ways::new(system, &slots),
            scratch: Scratch::default(),
            slots,
            budget: budget.clone(),
            tally: Tally::new(budget),
            states: PackedSet::new(packing.words()),
            packing,
            widths,
            widened: 0,
            values: Vec::new(),
            row: Vec::new(),
            counts,
            few: few.saturating_mul(2).clamp(FEW_TOKENS, MOST_TOKENS),
            observed: observed.to_vec(),
            spans: Vec::new(),
            arcs: Vec::new(),
            expanded: 0,
            steps: 0,
            claim: budget.claim(0, WHAT)?,
        })
    }

    /// Asks nobody whether there is a bound on tokens: what is looked for may be found, or the budget ends, before that matters.
    pub(crate) fn without_bound(mut self) -> Self {
        self.few = MOST_TOKENS;
        self
    }

    /// Changes which actions are observed. The states and arcs are the same.
    pub(crate) fn observe(&mut self, observed: &[bool]) {
        self.observed.clear();
        self.observed.extend_from_slice(observed);
    }

    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether all states are known, and all steps.
    pub(crate) fn is_complete(&self) -> bool {
        self.expanded > 0 && self.expanded == self.len()
    }

    /// All that were met.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.len() as u32).map(NodeId)
    }

    /// How many steps there are from the nodes that were expanded: from each, each way in which an action can take place.
    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    pub(crate) fn state(&self, node: NodeId) -> Vec<u32> {
        let mut values = Vec::new();
        self.packing.unpack(self.states.row(node.0), &mut values);
        values
    }

    /// One slot of a state.
    #[inline]
    pub(crate) fn slot(&self, node: NodeId, slot: u32) -> u32 {
        self.packing.get(self.states.row(node.0), slot)
    }

    /// Whether a state satisfies a predicate.
    pub(crate) fn satisfies(&mut self, node: NodeId, predicate: &Predicate) -> Result<bool, Error> {
        Ok(match predicate {
            Predicate::Constant(value) => *value,
            Predicate::Linear(terms, op, bound) => {
                // As by definition: no sum leaves 128 bits.
                let term = |&(slot, factor): &(u32, i64)| i128::from(factor) * i128::from(self.slot(node, slot));
                let (sum, bound) = (terms.iter().map(term).sum::<i128>(), i128::from(*bound));
                op.holds(&sum, &bound)
            }
            Predicate::Enabled(actions) => {
                self.expand(node)?;
                let can = |action: &ActionId| {
                    let arcs = self.known_arcs(node);
                    let first = arcs.partition_point(|arc| arc.action < *action);
                    arcs.get(first).is_some_and(|arc| arc.action == *action)
                };
                actions.iter().any(can)
            }
            Predicate::Dead => {
                self.expand(node)?;
                self.known_arcs(node).is_empty()
            }
            Predicate::Not(p) => !self.satisfies(node, p)?,
            Predicate::And(parts) => {
                for p in parts {
                    if !self.satisfies(node, p)? {
                        return Ok(false);
                    }
                }
                true
            }
            Predicate::Or(parts) => {
                for p in parts {
                    if self.satisfies(node, p)? {
                        return Ok(true);
                    }
                }
                false
            }
        })
    }

    /// Memory that the next states and arcs may need is announced before it is taken.
    fn make_room(&mut self, more: usize) -> Result<(), OverBudget> {
        let grows = |len: usize, capacity: usize, bytes: usize| if len > capacity { 3 * bytes } else { bytes };
        let soon = self.spans.len() + self.states.rows_between_looks();
        let spans = grows(soon, self.spans.capacity(), 8 * self.spans.capacity().max(soon));
        let wanted = self.arcs.len() + more;
        let arcs = grows(wanted, self.arcs.capacity(), 8 * self.arcs.capacity().max(wanted));
        self.claim.grow_to(self.states.bytes() + (spans + arcs) as u64 + 4096, WHAT)
    }

    /// The node of the state in `row`.
    fn id(&mut self) -> Result<NodeId, OverBudget> {
        let (id, new) = self.states.insert(&self.row);
        if new {
            // Before anything can fail: the graph is used again whatever ended a search.
            self.spans.push((0, UNKNOWN));
            self.tally.step(1, WHAT)?;
            self.tally.effort(NEW + NEW_WORD * self.row.len() as u64, WHAT)?;
            if self.states.is_full() {
                return Err(OverBudget::new(WHAT, Limit::Memory));
            }
            if self.states.len().is_multiple_of(self.states.rows_between_looks()) {
                self.make_room(0)?;
            }
        }
        Ok(NodeId(id))
    }

    /// Gives a slot a field that has room for a number.
    fn widen(&mut self, slot: u32, number: u32) -> Result<(), OverBudget> {
        self.widened += 1;
        let width = (2 * self.widths[slot as usize]).max(width_of(number)).min(width_of(MOST_TOKENS));
        if self.widened < SINGLE_FIELDS {
            self.widths[slot as usize] = width;
        } else {
            let counting = self.widths.iter_mut().zip(&self.counts).filter(|(_, counts)| **counts);
            counting.for_each(|(own, _)| *own = (*own).max(width));
        }
        let packing = Packing::new(&self.widths);
        let _beside = self.budget.claim((self.states.len() * (8 * packing.words() + 16)) as u64, WHAT)?;
        self.budget.effort(self.states.len() as u64 * STATE, WHAT)?;
        self.states = self.packing.repacked(&self.states, &packing);
        self.packing = packing;
        self.make_room(0)
    }

    /// Finds the arcs from a node, once.
    pub(crate) fn expand(&mut self, node: NodeId) -> Result<(), Error> {
        while self.spans[node.index()].1 == UNKNOWN {
            match self.tried(node) {
                Ok(()) => return Ok(()),
                Err(hindrance) => self.overcome(hindrance)?,
            }
        }
        Ok(())
    }

    /// Makes room for what did not fit, if that can be.
    fn overcome(&mut self, hindrance: Hindrance) -> Result<(), Error> {
        match hindrance {
            Hindrance::Narrow(slot, number) if number > self.few => {
                bounds::outgrown(self.system, slot, self.few, &self.budget)?;
                self.few = self.few.saturating_mul(16).min(MOST_TOKENS);
                Ok(())
            }
            Hindrance::Narrow(slot, number) => Ok(self.widen(slot, number)?),
            // More tokens than can be counted.
            Hindrance::TooMany(slot) => bounds::outgrown(self.system, slot, MOST_TOKENS, &self.budget),
            Hindrance::Failed(failure) => Err(failure),
        }
    }

    /// The node that changes of some slots lead to from a node.
    fn stepped(&mut self, node: NodeId, changes: &[Change]) -> Result<NodeId, Hindrance> {
        self.row.clear();
        self.row.extend_from_slice(self.states.row(node.0));
        for &(slot, number) in changes {
            if !self.packing.fits(slot, number) || number > self.few && self.counts[slot as usize] {
                return Err(Hindrance::Narrow(slot, number));
            }
            self.packing.set(&mut self.row, slot, number);
        }
        Ok(self.id()?)
    }

    fn tried(&mut self, node: NodeId) -> Result<(), Hindrance> {
        let (mut scratch, mut values) = (std::mem::take(&mut self.scratch), std::mem::take(&mut self.values));
        let first = self.arcs.len();
        self.packing.unpack(self.states.row(node.0), &mut values);
        scratch.looks = 0;
        let mut steps = 0;
        // The tables are apart from what is added to.
        let ways = std::mem::take(&mut self.ways);
        let found = ways.each(&values, &mut scratch, &mut |action, changes| {
            let to = self.stepped(node, changes)?;
            if self.arcs.len() == self.arcs.capacity() {
                self.make_room(1)?;
            }
            self.arcs.push(Arc { action, to });
            steps += 1;
            Ok(())
        });
        self.ways = ways;
        self.values = values;
        let looks = scratch.looks;
        self.scratch = scratch;
        if let Err(hindrance) = found {
            self.arcs.truncate(first);
            return Err(hindrance);
        }
        sort_last(&mut self.arcs, first);
        let Ok(start) = u32::try_from(first) else {
            return Err(OverBudget::new(WHAT, Limit::Memory).into());
        };
        self.steps += steps;
        self.expanded += 1;
        self.spans[node.index()] = (start, (self.arcs.len() - first) as u32);
        let state = STATE + WORD * self.row.len() as u64;
        Ok(self.tally.effort(looks * LOOK + (1 + steps) * state, WHAT)?)
    }

    /// The arcs from a node that was expanded, ascending.
    pub(crate) fn known_arcs(&self, node: NodeId) -> &[Arc] {
        match self.spans[node.index()] {
            (_, UNKNOWN) => &[],
            (start, count) => &self.arcs[start as usize..][..count as usize],
        }
    }

    /// The run of a path.
    pub(crate) fn run(&mut self, path: &Path) -> Result<Run, Error> {
        let mut state = self.system.initial();
        let (mut steps, mut claim, mut locals) = (Vec::new(), self.budget.claim(0, WHAT)?, 0);
        let cycle: &[Arc] = match &path.end {
            Ending::Cycle(arcs) => arcs,
            Ending::Open | Ending::Dead | Ending::Divergent => &[],
        };
        for arc in path.prefix.iter().chain(cycle) {
            let next = self.state(arc.to);
            let step = self.system.step_between(&self.slots, &state, arc.action, &next).expect("an arc is a step");
            locals += step.locals.capacity();
            steps.push(step);
            state = next;
            if steps.len().is_multiple_of(1024) {
                let bytes = 2 * size_of::<Move>() * steps.capacity() + size_of::<Local>() * locals + 16 * steps.len();
                claim.grow_to(bytes as u64, "writing out a run")?;
            }
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
        Ok(self.search_among(usize::MAX, goal)?.flatten())
    }

    /// The same, but no state is expanded for it once there are so many: `None` if more would have to be looked at.
    pub(crate) fn search_among(
        &mut self,
        most: usize,
        goal: &mut dyn FnMut(&mut Self, NodeId) -> Result<bool, Error>,
    ) -> Result<Option<Option<Run>>, Error> {
        const NOBODY: u32 = u32::MAX;
        let start = self.start()?;
        let mut claim = self.budget.claim(0, WHAT)?;
        // By node: the one that it was reached from; the start from itself.
        let mut came: Vec<u32> = vec![NOBODY; self.len()];
        came[start.index()] = start.0;
        let mut open = VecDeque::from([start]);
        while let Some(node) = open.pop_front() {
            self.tally.effort(STATE, WHAT)?;
            if self.len() > most && self.spans[node.index()].1 == UNKNOWN {
                return Ok(None);
            }
            if goal(self, node)? {
                let (mut arcs, mut at) = (Vec::new(), node);
                while at != start {
                    let before = NodeId(came[at.index()]);
                    let arc = self.known_arcs(before).iter().find(|arc| arc.to == at);
                    arcs.push(*arc.expect("a state was reached by an arc"));
                    at = before;
                }
                arcs.reverse();
                return self.run(&Path { prefix: arcs, end: Ending::Open }).map(|run| Some(Some(run)));
            }
            self.expand(node)?;
            if came.len() < self.len() {
                if came.capacity() < self.len() {
                    claim.grow_to(4 * (4 * self.len() + 2 * open.capacity()) as u64, WHAT)?;
                }
                came.resize(self.len(), NOBODY);
            }
            for arc in self.known_arcs(node) {
                if came[arc.to.index()] == NOBODY {
                    came[arc.to.index()] = node.0;
                    open.push_back(arc.to);
                }
            }
        }
        Ok(Some(None))
    }
}

impl Observed for Explicit<'_> {
    fn start(&mut self) -> Result<NodeId, Error> {
        let mut row = std::mem::take(&mut self.row);
        self.packing.pack(&self.system.initial(), &mut row);
        self.row = row;
        Ok(self.id()?)
    }

    fn arcs(&mut self, node: NodeId) -> Result<Vec<Arc>, Error> {
        self.expand(node)?;
        Ok(self.known_arcs(node).to_vec())
    }

    fn add_arcs(&mut self, node: NodeId, to: &mut Vec<Arc>) -> Result<(), Error> {
        self.expand(node)?;
        to.extend_from_slice(self.known_arcs(node));
        Ok(())
    }

    fn observes(&self, action: ActionId) -> bool {
        self.observed[action.index()]
    }

    fn is_dead(&mut self, node: NodeId) -> Result<bool, Error> {
        self.expand(node)?;
        Ok(self.known_arcs(node).is_empty())
    }

    fn is_divergent(&mut self, _: NodeId) -> Result<bool, Error> {
        Ok(false)
    }
}
