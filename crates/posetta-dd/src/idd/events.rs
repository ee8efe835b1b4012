//! Graphs whose steps change a few coordinates each: Petri nets and transition systems side by side.
//!
//! An [`Event`] is a list of changes, one per layer that it concerns; the other layers stay as they are. What is reachable by events
//! is found by *saturation* (Ciardo, Lüttgen and Siminiceanu 2001; Ciardo, Marmorstein and Siminiceanu 2003 for bounds that are found on
//! the way): a node is closed under all events that concern only its layer and those below before it is used above, so that sets
//! stay as regular as the part of the system that they describe. Closing a set breadth first instead passes through sets that are much
//! larger than the last one.

use std::collections::BTreeMap;

use dashu_int::UBig;
use rustc_hash::FxHashMap;

use super::store::{Diagrams, EDGE, EMPTY, Edge, Operation, Set, UNIT, WHAT};
use posetta_base::{Limit, OverBudget};

/// How an event changes the number of one layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The number is at least `takes`, which go; `puts` come.
    Tokens {
        /// What goes.
        takes: u32,
        /// What comes.
        puts: u32,
    },
    /// The first of some pair becomes the second. Ascending, each pair once.
    Pairs(Vec<(u32, u32)>),
}

impl Change {
    fn inverse(&self) -> Self {
        match self {
            Self::Tokens { takes, puts } => Self::Tokens { takes: *puts, puts: *takes },
            Self::Pairs(pairs) => {
                let mut pairs: Vec<(u32, u32)> = pairs.iter().map(|&(a, b)| (b, a)).collect();
                pairs.sort_unstable();
                Self::Pairs(pairs)
            }
        }
    }
}

/// An event, known to the [`Diagrams`] that it was given to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Event(u32);

/// Events that sets can be closed under.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Closing(u32);

/// What an event does in one layer, and where it goes on.
#[derive(Clone, Debug)]
pub(super) struct Step {
    layer: usize,
    change: Change,
    /// A place in the list of steps, or [`DONE`].
    next: u32,
    /// Numbers past the largest are left out; else they are an overflow.
    clips: bool,
    /// The closing that this is a copy for, so that what comes out is closed.
    closing: Option<u32>,
}

const DONE: u32 = u32::MAX;

/// The first steps of events, by the layer of the first.
#[derive(Debug)]
pub(super) struct Closed {
    by_layer: Vec<Vec<u32>>,
}

impl Diagrams {
    /// Makes an event known: its changes, by layers.
    pub fn event(&mut self, changes: &BTreeMap<usize, Change>) -> Event {
        self.chain(changes.iter().map(|(&layer, change)| (layer, change.clone())).collect(), false, None)
    }

    /// The event backwards. Numbers that would be too large are left out.
    pub fn inverse(&mut self, event: Event) -> Event {
        let changes = self.changes(event).into_iter().map(|(layer, change)| (layer, change.inverse())).collect();
        self.chain(changes, true, None)
    }

    fn changes(&self, event: Event) -> Vec<(usize, Change)> {
        let mut changes = Vec::new();
        let mut at = event.0;
        while at != DONE {
            let step = &self.steps[at as usize];
            changes.push((step.layer, step.change.clone()));
            at = step.next;
        }
        changes
    }

    fn chain(&mut self, changes: Vec<(usize, Change)>, clips: bool, closing: Option<u32>) -> Event {
        let mut next = DONE;
        for (layer, change) in changes.into_iter().rev() {
            self.steps.push(Step { layer, change, next, clips, closing });
            next = (self.steps.len() - 1) as u32;
        }
        Event(next)
    }

    /// Prepares to close sets under events.
    pub fn closing(&mut self, events: &[Event]) -> Closing {
        let id = self.closings.len() as u32;
        let mut by_layer = vec![Vec::new(); self.layers()];
        for &event in events {
            let changes = self.changes(event);
            let Some(&(top, _)) = changes.first() else { continue };
            let clips = self.steps[event.0 as usize].clips;
            by_layer[top].push(self.chain(changes, clips, Some(id)).0);
        }
        self.closings.push(Closed { by_layer });
        Closing(id)
    }

    /// The first layer that an event concerns; `None` if it changes nothing.
    #[must_use]
    pub fn first_layer(&self, event: Event) -> Option<usize> {
        self.steps.get(event.0 as usize).map(|step| step.layer)
    }

    /// The layer in which an event would have made a number larger than the largest one, if that is why the last operation failed.
    pub fn take_overflow(&mut self) -> Option<usize> {
        self.overflow.take()
    }

    /// Allows larger numbers. What is stored stays right.
    pub fn raise(&mut self, layer: usize, largest: u32) {
        self.largest[layer] = largest;
    }

    /// The largest number that a layer allows.
    #[must_use]
    pub fn largest(&self, layer: usize) -> u32 {
        self.largest[layer]
    }

    /// The tuples that an event leads to.
    ///
    /// # Errors
    /// When the budget is spent, or a number becomes too large ([`Self::take_overflow`]).
    pub fn fire(&mut self, set: Set, event: Event) -> Result<Set, OverBudget> {
        self.along(Operation::Fire, set, 0, event.0)
    }

    /// The tuples of a set in which an event can take place.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn enabled(&mut self, set: Set, event: Event) -> Result<Set, OverBudget> {
        self.along(Operation::Enabled, set, 0, event.0)
    }

    /// The smallest set that holds a set and what the events lead to from its tuples.
    ///
    /// # Errors
    /// When the budget is spent, or a number becomes too large ([`Self::take_overflow`]).
    pub fn close(&mut self, set: Set, closing: Closing) -> Result<Set, OverBudget> {
        self.saturate(set, 0, closing.0)
    }

    fn saturate(&mut self, set: Set, layer: usize, closing: u32) -> Result<Set, OverBudget> {
        if set == EMPTY || set == UNIT {
            return Ok(set);
        }
        if let Some(known) = self.recall(Operation::Close, set, Set(closing)) {
            return Ok(known);
        }
        self.poll()?;
        let mut closed = self.map_children(set, |this, child| this.saturate(child, layer + 1, closing))?;
        let events = self.closings[closing as usize].by_layer[layer].len();
        // Until every event has been tried on the set as it is.
        let (mut at, mut idle) = (0, 0);
        while idle < events {
            let first = self.closings[closing as usize].by_layer[layer][at];
            let (before, mut new) = (closed, closed);
            while new != EMPTY {
                let more = self.along(Operation::Fire, new, layer, first)?;
                // Mostly an event goes on from what it has just led to.
                new = self.difference(more, closed)?;
                closed = self.union(closed, new)?;
            }
            idle = if closed == before { idle + 1 } else { 1 };
            at = (at + 1) % events;
        }
        self.remember(Operation::Close, set, Set(closing), closed);
        self.remember(Operation::Close, closed, Set(closing), closed);
        Ok(closed)
    }

    /// The tuples of a set in which none of the events of a closing can take place, those that change nothing left aside. An event is asked
    /// about from the first layer that it concerns on, not from the top: with many layers, and events that concern few, that is all the
    /// difference.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn refusing(&mut self, set: Set, closing: Closing) -> Result<Set, OverBudget> {
        self.refuse(set, 0, closing.0)
    }

    fn refuse(&mut self, set: Set, layer: usize, closing: u32) -> Result<Set, OverBudget> {
        if set == EMPTY || set == UNIT {
            return Ok(set);
        }
        if let Some(known) = self.recall(Operation::Refuse, set, Set(closing)) {
            return Ok(known);
        }
        self.poll()?;
        let mut left = self.map_children(set, |this, child| this.refuse(child, layer + 1, closing))?;
        for i in 0..self.closings[closing as usize].by_layer[layer].len() {
            let first = self.closings[closing as usize].by_layer[layer][i];
            let enabled = self.along(Operation::Enabled, left, layer, first)?;
            left = self.difference(left, enabled)?;
        }
        self.remember(Operation::Refuse, set, Set(closing), left);
        Ok(left)
    }

    /// The node with other children in the same places.
    fn map_children(
        &mut self,
        set: Set,
        mut of: impl FnMut(&mut Self, Set) -> Result<Set, OverBudget>,
    ) -> Result<Set, OverBudget> {
        let from = self.scratch.len();
        for i in 0..self.degree(set) {
            let Edge { start, child } = self.edge(set, i);
            let child = if child == EMPTY { Ok(EMPTY) } else { of(self, child) };
            match child {
                Ok(child) => self.push(from, start, child),
                Err(over) => {
                    self.scratch.truncate(from);
                    return Err(over);
                }
            }
        }
        self.node(from)
    }

    /// Fires an event from this step on, or restricts the set to where it can take place.
    fn along(&mut self, operation: Operation, set: Set, layer: usize, step: u32) -> Result<Set, OverBudget> {
        if set == EMPTY || step == DONE {
            return Ok(set);
        }
        if let Some(known) = self.recall(operation, set, Set(step)) {
            return Ok(known);
        }
        self.poll()?;
        let Step { layer: concerned, next, closing, .. } = self.steps[step as usize];
        let result = if layer < concerned {
            self.map_children(set, |this, child| this.along(operation, child, layer + 1, step))?
        } else {
            self.change(operation, set, layer, step, next)?
        };
        // Of a closing's events the first step is closed by whoever asked.
        let result = match closing {
            Some(closing) if operation == Operation::Fire && !self.is_first(closing, layer, step) => {
                self.saturate(result, layer, closing)?
            }
            _ => result,
        };
        self.remember(operation, set, Set(step), result);
        Ok(result)
    }

    fn is_first(&self, closing: u32, layer: usize, step: u32) -> bool {
        // Steps of an event are made from the last to the first: ids ascend, and few events begin in one layer.
        self.closings[closing as usize].by_layer[layer].binary_search(&step).is_ok()
    }

    fn change(
        &mut self,
        operation: Operation,
        set: Set,
        layer: usize,
        step: u32,
        next: u32,
    ) -> Result<Set, OverBudget> {
        let from = self.scratch.len();
        let result = match self.steps[step as usize].change {
            Change::Tokens { takes, puts } => self.shifted(operation, set, layer, step, (takes, puts, next), from),
            Change::Pairs(_) => self.paired(operation, set, layer, step, next, from),
        };
        self.scratch.truncate(from);
        result
    }

    fn shifted(
        &mut self,
        operation: Operation,
        set: Set,
        layer: usize,
        step: u32,
        (takes, puts, next): (u32, u32, u32),
        from: usize,
    ) -> Result<Set, OverBudget> {
        let fires = operation == Operation::Fire;
        let largest = u64::from(self.largest[layer]);
        let moved = |n: u32| if fires { u64::from(n - takes) + u64::from(puts) } else { u64::from(n) };
        let count = self.degree(set);
        for i in 0..count {
            let Edge { start, child } = self.edge(set, i);
            if child == EMPTY {
                if start > takes {
                    self.push(from, moved(start).min(largest + 1) as u32, EMPTY);
                }
                continue;
            }
            // The last edge closes the last interval, so there is a next one.
            let end = self.edge(set, i + 1).start;
            if end <= takes {
                continue;
            }
            let child = self.along(operation, child, layer + 1, next)?;
            if fires && moved(end - 1) > largest && child != EMPTY {
                if !self.steps[step as usize].clips {
                    self.overflow = Some(layer);
                    return Err(OverBudget::new("counting the tokens of a place", Limit::Memory));
                }
                if moved(start.max(takes)) > largest {
                    self.push(from, largest as u32 + 1, EMPTY);
                    break;
                }
            }
            self.push(from, moved(start.max(takes)) as u32, child);
        }
        // Where the last interval was clipped it has no end yet.
        if self.scratch.len() > from && self.scratch[self.scratch.len() - 1].child != EMPTY {
            self.push(from, largest as u32 + 1, EMPTY);
        }
        self.node(from)
    }

    fn paired(
        &mut self,
        operation: Operation,
        set: Set,
        layer: usize,
        step: u32,
        next: u32,
        from: usize,
    ) -> Result<Set, OverBudget> {
        let pairs = |this: &Self| match &this.steps[step as usize].change {
            Change::Pairs(pairs) => pairs.len(),
            Change::Tokens { .. } => 0,
        };
        let mut found: Vec<(u32, Set)> = Vec::new();
        self.effort += EDGE * pairs(self) as u64;
        for i in 0..pairs(self) {
            let Change::Pairs(pairs) = &self.steps[step as usize].change else { break };
            let (before, after) = pairs[i];
            let edges = self.edges(set);
            let at = edges.partition_point(|e| e.start <= before);
            let Some(child) = at.checked_sub(1).map(|at| edges[at].child).filter(|&c| c != EMPTY) else { continue };
            let child = self.along(operation, child, layer + 1, next)?;
            let number = if operation == Operation::Fire { after } else { before };
            found.push((number, child));
        }
        found.sort_unstable_by_key(|&(number, _)| number);
        let mut i = 0;
        while i < found.len() {
            let (number, mut child) = found[i];
            i += 1;
            while i < found.len() && found[i].0 == number {
                child = self.union(child, found[i].1)?;
                i += 1;
            }
            self.push(from, number, child);
            if found.get(i).is_none_or(|&(other, _)| other > number + 1) {
                self.push(from, number + 1, EMPTY);
            }
        }
        self.node(from)
    }

    /// In how many ways an event can take place in the tuples of a set: a tuple counts once for each choice of pairs.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn count_ways(&mut self, set: Set, event: Event) -> Result<UBig, OverBudget> {
        let mut known: FxHashMap<(Set, u32), UBig> = FxHashMap::default();
        let mut claim = self.claim(0)?;
        self.ways(set, 0, event.0, &mut known, &mut claim)
    }

    fn ways(
        &mut self,
        set: Set,
        layer: usize,
        step: u32,
        known: &mut FxHashMap<(Set, u32), UBig>,
        claim: &mut posetta_base::Claim,
    ) -> Result<UBig, OverBudget> {
        if set == EMPTY {
            return Ok(UBig::ZERO);
        }
        if set == UNIT {
            return Ok(UBig::ONE);
        }
        if let Some(found) = known.get(&(set, step)) {
            return Ok(found.clone());
        }
        self.poll()?;
        if known.len() == known.capacity() {
            claim.grow_to(2 * (64 + 4 * self.layers() as u64) * (known.len() as u64 + 4), WHAT)?;
        }
        let mut sum = UBig::ZERO;
        let concerned = if step == DONE { None } else { Some(&self.steps[step as usize]) };
        let here = concerned.filter(|s| s.layer == layer).map(|s| (s.change.clone(), s.next));
        let pairs = self.degree(set).saturating_sub(1);
        for i in 0..pairs {
            let (Edge { start, child }, end) = (self.edge(set, i), self.edge(set, i + 1).start);
            if child == EMPTY {
                continue;
            }
            let (width, next) = match &here {
                None => (u64::from(end - start), step),
                Some((Change::Tokens { takes, .. }, next)) => (u64::from(end.saturating_sub(start.max(*takes))), *next),
                Some((Change::Pairs(pairs), next)) => {
                    let first = pairs.partition_point(|&(before, _)| before < start);
                    let last = pairs.partition_point(|&(before, _)| before < end);
                    ((last - first) as u64, *next)
                }
            };
            if width > 0 {
                sum += self.ways(child, layer + 1, next, known, claim)? * width;
            }
        }
        known.insert((set, step), sum.clone());
        Ok(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use posetta_base::Budget;
    use std::collections::BTreeSet;

    type Tuples = BTreeSet<Vec<u32>>;

    struct Dice(u64);

    impl Dice {
        fn roll(&mut self, n: u64) -> u32 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((self.0 >> 33) % n) as u32
        }
    }

    fn after(tuple: &[u32], changes: &BTreeMap<usize, Change>, largest: u32) -> Vec<Vec<u32>> {
        let mut all = vec![tuple.to_vec()];
        for (&layer, change) in changes {
            all = all
                .into_iter()
                .flat_map(|t| -> Vec<Vec<u32>> {
                    let set = |n: u32| {
                        let mut t = t.clone();
                        t[layer] = n;
                        t
                    };
                    match change {
                        Change::Tokens { takes, puts } if t[layer] >= *takes => vec![set(t[layer] - takes + puts)],
                        Change::Tokens { .. } => Vec::new(),
                        Change::Pairs(pairs) => pairs.iter().filter(|p| p.0 == t[layer]).map(|p| set(p.1)).collect(),
                    }
                })
                .collect();
        }
        all.retain(|t| t.iter().all(|&n| n <= largest));
        all
    }

    fn listed(diagrams: &mut Diagrams, set: Set, layers: usize, largest: u32) -> Tuples {
        let mut all: Vec<Vec<u32>> = vec![Vec::new()];
        for _ in 0..layers {
            all = all.into_iter().flat_map(|t| (0..=largest).map(move |n| [t.clone(), vec![n]].concat())).collect();
        }
        all.into_iter().filter(|t| diagrams.contains(set, t)).collect()
    }

    /// Random events on random sets: fired, backwards, closed, counted, against tuples one by one.
    #[test]
    fn events_agree_with_tuples_one_by_one() {
        let (layers, largest) = (3, 4);
        for seed in 0..400 {
            let mut dice = Dice(seed);
            let mut diagrams = Diagrams::new(&vec![largest; layers], &Budget::unlimited()).unwrap();
            let mut tuples = Tuples::new();
            let mut set = diagrams.empty();
            for _ in 0..1 + dice.roll(4) {
                let tuple: Vec<u32> = (0..layers).map(|_| dice.roll(u64::from(largest) + 1)).collect();
                let sides: Vec<(u32, u32)> = tuple.iter().map(|&n| (n, n)).collect();
                let one = diagrams.box_of(&sides).unwrap();
                set = diagrams.union(set, one).unwrap();
                tuples.insert(tuple);
            }
            let all: Vec<BTreeMap<usize, Change>> = (0..1 + dice.roll(4))
                .map(|_| {
                    let mut changes = BTreeMap::new();
                    for layer in 0..layers {
                        match dice.roll(4) {
                            0 => {
                                // Taken tokens only: what is closed stays within bounds.
                                let takes = dice.roll(3);
                                let puts = dice.roll(u64::from(takes) + 1);
                                drop(changes.insert(layer, Change::Tokens { takes, puts }));
                            }
                            1 => {
                                let pairs: BTreeSet<(u32, u32)> =
                                    (0..1 + dice.roll(4)).map(|_| (dice.roll(5), dice.roll(5))).collect();
                                drop(changes.insert(layer, Change::Pairs(pairs.into_iter().collect())));
                            }
                            _ => {}
                        }
                    }
                    changes
                })
                .collect();
            let events: Vec<Event> = all.iter().map(|c| diagrams.event(c)).collect();
            for (changes, &event) in all.iter().zip(&events) {
                let expected: Tuples = tuples.iter().flat_map(|t| after(t, changes, largest)).collect();
                let fired = diagrams.fire(set, event).unwrap();
                assert_eq!(listed(&mut diagrams, fired, layers, largest), expected, "seed {seed}: {changes:?}");
                let ways: usize = tuples.iter().map(|t| after(t, changes, u32::MAX).len()).sum();
                assert_eq!(diagrams.count_ways(set, event).unwrap(), UBig::from(ways), "seed {seed}");
                let able: Tuples = tuples.iter().filter(|t| !after(t, changes, u32::MAX).is_empty()).cloned().collect();
                let enabled = diagrams.enabled(set, event).unwrap();
                assert_eq!(listed(&mut diagrams, enabled, layers, largest), able, "seed {seed}: {changes:?}");
                let inverse = diagrams.inverse(event);
                let before = diagrams.fire(set, inverse).unwrap();
                let box_of = diagrams.box_of(&vec![(0, largest); layers]).unwrap();
                let everything = listed(&mut diagrams, box_of, layers, largest);
                let expected: Tuples = everything
                    .into_iter()
                    .filter(|t| after(t, changes, largest).iter().any(|n| tuples.contains(n)))
                    .collect();
                assert_eq!(listed(&mut diagrams, before, layers, largest), expected, "seed {seed}: {changes:?}");
            }
            let closing = diagrams.closing(&events);
            let closed = diagrams.close(set, closing).unwrap();
            let mut expected = tuples.clone();
            loop {
                let more: Tuples =
                    expected.iter().flat_map(|t| all.iter().flat_map(|c| after(t, c, largest))).collect();
                let size = expected.len();
                expected.extend(more);
                if expected.len() == size {
                    break;
                }
            }
            assert_eq!(listed(&mut diagrams, closed, layers, largest), expected, "seed {seed}");
        }
    }

    #[test]
    fn too_many_tokens_are_told_with_their_layer() {
        let mut diagrams = Diagrams::new(&[0, 7], &Budget::unlimited()).unwrap();
        let start = diagrams.box_of(&[(0, 0), (0, 0)]).unwrap();
        let event = diagrams.event(&BTreeMap::from([(1, Change::Tokens { takes: 0, puts: 1 })]));
        let closing = diagrams.closing(&[event]);
        assert!(diagrams.close(start, closing).is_err());
        assert_eq!(diagrams.take_overflow(), Some(1));
        assert_eq!(diagrams.take_overflow(), None);
    }
}
