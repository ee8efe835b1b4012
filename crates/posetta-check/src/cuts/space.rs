//! The lattice of cuts that a formula can tell apart, with a layer for each chain.
//!
//! Events that cannot matter are left out unless the formula has `EX` or `AX`: from a cut, an event that is kept is reached
//! through causes that are not, so the graphs of cuts are stuttering bisimilar. The chains of what is left
//! ([`posetta_trace::Slice`]) are the layers of diagrams, in an order in which neighbours are those that communicate.

use super::order;
use crate::classes::{Classes, INERT, Repeats, Vocabulary};
use crate::show::Graph;
use posetta_base::{Budget, EventId, OverBudget, ValueId};
use posetta_logic::eval::Notes;
use posetta_logic::{Bound, Slot};
use posetta_trace::{Slice, Trace};

const WHAT: &str = "tabulating the states";

/// Cuts as one count per layer.
pub(super) struct Space<'t> {
    pub(super) trace: &'t Trace,
    slice: Slice,
    /// The chain of each layer.
    chains: Vec<usize>,
    /// The layer of each chain.
    layers: Vec<usize>,
    /// By slot.
    pub(super) variables: Vec<Variable>,
}

/// What the writes of one variable leave.
pub(super) struct Variable {
    /// The value after each write, by rank in a linear extension; rank 0 is the initial value. Writes that are not ordered
    /// leave the same value, so the last write in a cut is, as far as values go, the one of highest rank.
    pub(super) values: Vec<Option<ValueId>>,
    /// For each layer with writes, ascending: counts from which on, and the rank of the write that is then the last one
    /// there.
    pub(super) writers: Vec<(usize, Vec<(u32, u32)>)>,
}

impl Variable {
    /// The rank of the last write on a layer among its first events.
    pub(super) fn rank(&self, layer: usize, count: u32) -> u32 {
        let Some((_, writes)) = self.writers.iter().find(|(l, _)| *l == layer) else { return 0 };
        match writes.partition_point(|&(from, _)| from <= count) {
            0 => 0,
            i => writes[i - 1].1,
        }
    }
}

/// Which chain an event lies on: that of its process, or of the first variable it writes that several processes do. So an atom
/// over one variable mostly depends on one chain. (Not where equal writes are unordered: then the processes are the chains. Nor
/// where an event writes two such variables.)
struct Homes {
    /// For each variable of the trace that several processes write and the formula reads, its name as a chain.
    shared: Vec<Option<u32>>,
}

impl Homes {
    fn new<F>(trace: &Trace, bound: &Bound<F>, budget: &Budget) -> Result<Self, OverBudget> {
        let slots = bound.slots();
        let mut writers = vec![None; bound.vars.len()];
        let mut shared = vec![None; trace.variables().len()];
        for (i, event) in trace.events().enumerate() {
            if i % 1024 == 0 {
                budget.step(0, WHAT)?;
            }
            for assignment in trace.assignments(event) {
                let Some(&Slot(slot)) = slots.get(&assignment.var) else { continue };
                let process = trace.process(event);
                if *writers[slot as usize].get_or_insert(process) != process {
                    shared[assignment.var.index()] = Some(trace.process_count() as u32 + slot);
                }
            }
        }
        Ok(Self { shared })
    }

    fn of(&self, trace: &Trace, event: EventId) -> u32 {
        let shared = trace.assignments(event).iter().find_map(|assignment| self.shared[assignment.var.index()]);
        shared.unwrap_or(trace.process(event).raw())
    }
}

/// Which events a space has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    /// All of them.
    All,
    /// Those that can matter.
    Relevant,
    /// The same, and those that can come first: for formulas whose only steps are those from the empty cut.
    RelevantAndFirst,
}

impl<'t> Space<'t> {
    pub(super) fn new<F>(
        trace: &'t Trace,
        bound: &Bound<F>,
        kept: Kept,
        notes: &mut Notes,
        budget: &Budget,
    ) -> Result<Self, OverBudget> {
        let slice = if kept != Kept::All {
            let words = Vocabulary::new(trace, bound, |_| true);
            let classes = Classes::new(&words, Repeats::OfOrderedWrites, notes, budget)?;
            let homes = Homes::new(trace, bound, budget)?;
            let is_first = |event| trace.position(event) == 0 && trace.causes(event).is_empty();
            let kept = |event| classes.of(event) != INERT || kept == Kept::RelevantAndFirst && is_first(event);
            Slice::with_named_chains(trace, kept, |event| homes.of(trace, event), budget)?
        } else {
            Slice::with_named_chains(trace, |_| true, |event| trace.process(event).raw(), budget)?
        };
        let chains = order::of_layers(&slice, budget)?;
        let mut layers = vec![0; chains.len()];
        for (layer, &chain) in chains.iter().enumerate() {
            layers[chain] = layer;
        }
        let mut space = Self { trace, slice, chains, layers, variables: Vec::new() };
        space.variables = space.variables(bound, budget)?;
        Ok(space)
    }

    /// How many events there are.
    pub(super) fn events(&self) -> u64 {
        u64::from(self.slice.places())
    }

    pub(super) fn lengths(&self) -> Vec<u32> {
        (0..self.layers()).map(|layer| self.len(layer)).collect()
    }

    /// How many events of another layer the first events of a layer need.
    #[inline]
    pub(super) fn needs(&self, layer: usize, count: u32, other: usize) -> u32 {
        match count {
            0 => 0,
            _ => self.slice.clock(self.slice.place(self.chains[layer], count))[self.chains[other]],
        }
    }

    /// How many events of another layer can happen without the one after the first events of a layer.
    #[inline]
    pub(super) fn allows(&self, layer: usize, count: u32, other: usize) -> u32 {
        if count == self.len(layer) {
            return self.len(other);
        }
        self.slice.reverse(self.slice.place(self.chains[layer], count + 1))[self.chains[other]] - 1
    }

    fn variables<F>(&self, bound: &Bound<F>, budget: &Budget) -> Result<Vec<Variable>, OverBudget> {
        let trace = self.trace;
        let slots = bound.slots();
        let mut variables: Vec<Variable> = bound
            .initial(trace)
            .into_iter()
            .map(|value| Variable { values: vec![value], writers: Vec::new() })
            .collect();
        let _claim = budget.claim(4 * trace.len() as u64, WHAT)?;
        let mut place_of: Vec<u32> = vec![u32::MAX; trace.len()];
        for place in 0..self.slice.places() {
            if let Some(event) = self.slice.event(place) {
                place_of[event.index()] = place;
            }
        }
        for (i, &event) in trace.linearisation().iter().enumerate() {
            if i % 1024 == 0 {
                budget.step(0, WHAT)?;
            }
            let place = place_of[event.index()];
            if place == u32::MAX {
                continue;
            }
            for assignment in trace.assignments(event) {
                let Some(&Slot(slot)) = slots.get(&assignment.var) else { continue };
                let variable = &mut variables[slot as usize];
                let (chain, position) = self.slice.position(place);
                let rank = variable.values.len() as u32;
                variable.values.push(Some(assignment.value));
                let layer = self.layers[chain];
                match variable.writers.iter_mut().find(|(l, _)| *l == layer) {
                    Some((_, writes)) => writes.push((position, rank)),
                    None => variable.writers.push((layer, vec![(position, rank)])),
                }
            }
        }
        for variable in &mut variables {
            variable.writers.sort_unstable_by_key(|(layer, _)| *layer);
        }
        Ok(variables)
    }
}

impl Graph for Space<'_> {
    fn layers(&self) -> usize {
        self.chains.len()
    }

    fn len(&self, layer: usize) -> u32 {
        self.slice.len(self.chains[layer])
    }

    fn event(&self, layer: usize, count: u32) -> EventId {
        let place = self.slice.place(self.chains[layer], count + 1);
        self.slice.event(place).expect("only slices over events have a tick")
    }

    fn can_step(&self, cut: &[u32], layer: usize) -> bool {
        cut[layer] < self.len(layer)
            && (0..self.layers()).all(|other| other == layer || self.needs(layer, cut[layer] + 1, other) <= cut[other])
    }
}
