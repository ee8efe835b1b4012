//! Sets of the states of a system one by one, for CTL: a bit for each.

use rustc_hash::FxHashMap;

use super::branching::Regions;
use super::explicit::Explicit;
use super::observed::{Arc, Ending, NodeId, Observed as _, Path as Trail};
use posetta_base::{Budget, Claim, Error, Limit, OverBudget, Tally};
use posetta_logic::branching::StateSets;
use posetta_model::system::{Predicate, Run, System};

const WHAT: &str = "deciding a branching property state by state";

/// The states that lead to each state of a graph all of which was looked at: those that lead to a node are `from[starts[node]..starts[node +
/// 1]]`.
#[derive(Default)]
pub(super) struct Sources {
    starts: Vec<u32>,
    from: Vec<NodeId>,
    claim: Option<Claim>,
    bottom: Option<Bottom>,
}

/// The strongly connected parts of a graph that no arc leaves: every path leads into one of them, and there everything can be reached again.
struct Bottom {
    /// By node: the number of its part, [`ABOVE`] if an arc leaves its part.
    part_of: Vec<u32>,
    parts: usize,
    _claim: Claim,
}

/// A node from which a path leads away for good.
const ABOVE: u32 = u32::MAX;

impl Bottom {
    /// Tarjan (1972), without recursion.
    fn new(explicit: &Explicit<'_>, budget: &Budget) -> Result<Self, OverBudget> {
        const NEW: u32 = u32::MAX;
        let count = explicit.len();
        let mut claim = budget.claim(28 * count as u64, WHAT)?;
        let (mut number, mut low) = (vec![NEW; count], vec![NEW; count]);
        let mut part_of = vec![ABOVE; count];
        // Nodes whose part is not complete, and the way to the one at hand, with the arc that comes next.
        let (mut alive, mut way): (Vec<NodeId>, Vec<(NodeId, u32)>) = (Vec::new(), Vec::new());
        let (mut next, mut parts) = (0, 0);
        let (mut entering, mut tally) = (Some(NodeId(0)), Tally::new(budget));
        loop {
            if let Some(node) = entering.take() {
                tally.effort(4, WHAT)?;
                (number[node.index()], low[node.index()]) = (next, next);
                next += 1;
                alive.push(node);
                way.push((node, 0));
            }
            let Some((node, at)) = way.last_mut() else { break };
            let node = *node;
            let arcs = explicit.known_arcs(node);
            if let Some(arc) = arcs.get(*at as usize) {
                *at += 1;
                let to = arc.to.index();
                match number[to] {
                    NEW => entering = Some(arc.to),
                    // Parts that are complete have no number that counts any more.
                    met if low[to] != NEW => low[node.index()] = low[node.index()].min(met),
                    _ => {}
                }
                continue;
            }
            way.pop();
            tally.effort(arcs.len() as u64, WHAT)?;
            let lowest = low[node.index()];
            if let Some((before, _)) = way.last() {
                low[before.index()] = low[before.index()].min(lowest);
            }
            if lowest == number[node.index()] {
                let first = alive.iter().rposition(|other| *other == node).unwrap_or(0);
                // While they are looked at, the nodes of the part have its number.
                alive[first..].iter().for_each(|inside| part_of[inside.index()] = parts);
                let inside = |arc: &Arc| part_of[arc.to.index()] == parts;
                let is_bottom = alive[first..].iter().all(|node| explicit.known_arcs(*node).iter().all(inside));
                for done in alive.drain(first..) {
                    low[done.index()] = NEW;
                    if !is_bottom {
                        part_of[done.index()] = ABOVE;
                    }
                }
                parts += u32::from(is_bottom);
            }
        }
        drop((number, low));
        claim.shrink_to(4 * count as u64);
        Ok(Self { part_of, parts: parts as usize, _claim: claim })
    }
}

impl Sources {
    fn new(explicit: &Explicit<'_>, budget: &Budget) -> Result<Self, OverBudget> {
        let arcs: u64 = explicit.nodes().map(|node| explicit.known_arcs(node).len() as u64).sum();
        let claim = budget.claim(4 * (arcs + explicit.len() as u64 + 1), WHAT)?;
        // Two looks at each arc.
        budget.effort(2 * arcs, WHAT)?;
        let mut starts = vec![0_u32; explicit.len() + 1];
        for node in explicit.nodes() {
            explicit.known_arcs(node).iter().for_each(|arc| starts[arc.to.index() + 1] += 1);
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let (mut next, mut from) = (starts.clone(), vec![NodeId(0); arcs as usize]);
        for node in explicit.nodes() {
            for arc in explicit.known_arcs(node) {
                from[next[arc.to.index()] as usize] = node;
                next[arc.to.index()] += 1;
            }
        }
        Ok(Self { starts, from, claim: Some(claim), bottom: None })
    }

    fn of(&self, node: usize) -> &[NodeId] {
        &self.from[self.starts[node] as usize..self.starts[node + 1] as usize]
    }
}

/// A set of states, by their numbers.
#[derive(Clone)]
pub(super) struct Bits {
    words: Vec<u64>,
    /// How many states there are in all.
    count: usize,
}

impl Bits {
    fn none(count: usize) -> Self {
        Self { words: vec![0; count.div_ceil(64)], count }
    }

    fn all(count: usize) -> Self {
        let mut all = Self { words: vec![u64::MAX; count.div_ceil(64)], count };
        all.trim();
        all
    }

    /// What is beyond the last state is no state.
    fn trim(&mut self) {
        let rest = self.count % 64;
        if let Some(last) = self.words.last_mut().filter(|_| rest > 0) {
            *last &= (1 << rest) - 1;
        }
    }

    #[inline]
    fn has(&self, state: usize) -> bool {
        self.words[state / 64] >> (state % 64) & 1 == 1
    }

    /// Adds a state; false if it was there.
    #[inline]
    fn add(&mut self, state: usize) -> bool {
        let bit = 1 << (state % 64);
        let is_new = self.words[state / 64] & bit == 0;
        self.words[state / 64] |= bit;
        is_new
    }

    #[inline]
    fn remove(&mut self, state: usize) {
        self.words[state / 64] &= !(1 << (state % 64));
    }

    /// Word by word.
    fn with(&self, other: &Self, of: impl Fn(u64, u64) -> u64) -> Self {
        let words = self.words.iter().zip(&other.words).map(|(a, b)| of(*a, *b)).collect();
        Self { words, count: self.count }
    }

    /// Its states, ascending.
    fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..).zip(&self.words).flat_map(|(place, &word): (usize, &u64)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
                left &= left - 1;
                Some(64 * place + bit)
            })
        })
    }
}

/// Sets of states, one by one.
pub(super) struct Listed<'a, 's> {
    explicit: &'a mut Explicit<'s>,
    sources: &'a mut Sources,
    budget: &'a Budget,
    tally: Tally,
    claim: Claim,
}

impl<'a, 's> Listed<'a, 's> {
    /// Looks at all states. What leads to them is found once.
    pub(super) fn new(
        explicit: &'a mut Explicit<'s>,
        sources: &'a mut Sources,
        budget: &'a Budget,
    ) -> Result<Self, Error> {
        if sources.claim.is_none() {
            explicit.search(&mut |_, _| Ok(false))?;
            *sources = Sources::new(explicit, budget)?;
        }
        let claim = budget.claim(0, WHAT)?;
        Ok(Self { explicit, sources, budget, tally: Tally::new(budget), claim })
    }

    fn len(&self) -> usize {
        self.explicit.len()
    }
}

impl StateSets<Predicate> for Listed<'_, '_> {
    type Set = Bits;

    fn all(&self) -> Bits {
        Bits::all(self.len())
    }

    fn none(&self) -> Bits {
        Bits::none(self.len())
    }

    fn not(&mut self, f: &Bits) -> Result<Bits, OverBudget> {
        let mut others = f.with(f, |a, _| !a);
        others.trim();
        Ok(others)
    }

    fn atom(&mut self, predicate: &Predicate) -> Result<Bits, OverBudget> {
        let mut found = self.none();
        let weight = 4 + predicate.weight();
        for node in self.explicit.nodes() {
            if node.0.is_multiple_of(1024) {
                self.budget.effort(1024 * weight, WHAT)?;
            }
            // All states were looked at: nothing is left that could be too much.
            let is_true = self.explicit.satisfies(node, predicate);
            if is_true.map_err(|_| OverBudget::new(WHAT, Limit::Memory))? {
                found.add(node.index());
            }
        }
        Ok(found)
    }

    fn union(&mut self, a: &Bits, b: &Bits) -> Result<Bits, OverBudget> {
        Ok(a.with(b, |a, b| a | b))
    }

    fn intersection(&mut self, a: &Bits, b: &Bits) -> Result<Bits, OverBudget> {
        Ok(a.with(b, |a, b| a & b))
    }

    fn some_next(&mut self, f: &Bits) -> Result<Bits, OverBudget> {
        let mut found = self.none();
        for to in f.iter() {
            let from = self.sources.of(to);
            self.tally.effort(1 + from.len() as u64, WHAT)?;
            from.iter().for_each(|from| _ = found.add(from.index()));
        }
        Ok(found)
    }

    fn some_until(&mut self, within: &Bits, goal: &Bits) -> Result<Bits, OverBudget> {
        let mut found = goal.clone();
        let mut open: Vec<u32> = goal.iter().map(|node| node as u32).collect();
        while let Some(node) = open.pop() {
            let from = self.sources.of(node as usize);
            self.tally.effort(1 + from.len() as u64, WHAT)?;
            for from in from {
                if within.has(from.index()) && found.add(from.index()) {
                    open.push(from.0);
                }
            }
        }
        Ok(found)
    }

    /// The largest set of states that satisfy f and have no step or one into the set: a state leaves when its last step into it is gone, so
    /// that each arc is looked at twice at most.
    fn some_globally(&mut self, f: &Bits) -> Result<Bits, OverBudget> {
        let (mut kept, mut left, mut gone) = (f.clone(), vec![0_u32; self.len()], Vec::new());
        for node in f.iter() {
            let arcs = self.explicit.known_arcs(NodeId(node as u32));
            self.tally.effort(1 + arcs.len() as u64, WHAT)?;
            if !arcs.is_empty() {
                left[node] = arcs.iter().filter(|arc| f.has(arc.to.index())).count() as u32;
                if left[node] == 0 {
                    kept.remove(node);
                    gone.push(node as u32);
                }
            }
        }
        // One arc for each action: a state that leads to another by two actions is among its sources twice.
        while let Some(node) = gone.pop() {
            let from = self.sources.of(node as usize);
            self.tally.effort(1 + from.len() as u64, WHAT)?;
            for from in from {
                let from = from.index();
                if kept.has(from) {
                    left[from] -= 1;
                    if left[from] == 0 {
                        kept.remove(from);
                        gone.push(from as u32);
                    }
                }
            }
        }
        Ok(kept)
    }
}

impl Regions for Listed<'_, '_> {
    fn system(&self) -> &System {
        self.explicit.system
    }

    fn is_initial_in(&mut self, region: &Bits) -> bool {
        // The initial state was met first.
        region.has(0)
    }

    fn is_empty(&self, region: &Bits) -> bool {
        region.words.iter().all(|&word| word == 0)
    }

    /// Besides the sets of a formula there are some in the making, and lists of states with a number each.
    fn make_room(&mut self, sets: usize) -> Result<(), OverBudget> {
        let count = self.len() as u64;
        self.claim.grow_to((sets as u64 + 8) * (count / 8 + 64) + 12 * count, WHAT)
    }

    /// From everywhere a path leads into a part that no arc leaves, and every such part can be reached.
    fn leads_always(&mut self, goal: &Bits) -> Result<Option<bool>, Error> {
        let bottom = match &mut self.sources.bottom {
            Some(known) => known,
            none => none.insert(Bottom::new(self.explicit, self.budget)?),
        };
        let mut met = vec![false; bottom.parts];
        let mut left = bottom.parts;
        for node in goal.iter() {
            let part = bottom.part_of[node];
            if part != ABOVE && !std::mem::replace(&mut met[part as usize], true) {
                left -= 1;
                if left == 0 {
                    break;
                }
            }
        }
        Ok(Some(left == 0))
    }

    fn step(&mut self, region: &Bits) -> Result<Option<Run>, Error> {
        let start = self.explicit.start()?;
        let arc = self.explicit.arcs(start)?.into_iter().find(|arc| region.has(arc.to.index()));
        arc.map(|arc| self.explicit.run(&Trail { prefix: vec![arc], end: Ending::Open })).transpose()
    }

    fn path(&mut self, goal: &Bits) -> Result<Option<Run>, Error> {
        if self.is_empty(goal) {
            return Ok(None);
        }
        self.explicit.search(&mut |_, node| Ok(goal.has(node.index())))
    }

    fn stay(&mut self, region: &Bits) -> Result<Option<Run>, Error> {
        let start = self.explicit.start()?;
        let mut places = FxHashMap::from_iter([(start, 0)]);
        let (mut prefix, mut at) = (Vec::new(), start);
        let end = loop {
            let Some(arc) = self.explicit.arcs(at)?.into_iter().find(|arc| region.has(arc.to.index())) else {
                break Ending::Dead;
            };
            prefix.push(arc);
            if let Some(&again) = places.get(&arc.to) {
                break Ending::Cycle(prefix.split_off(again));
            }
            places.insert(arc.to, prefix.len());
            at = arc.to;
        };
        self.explicit.run(&Trail { prefix, end }).map(Some)
    }
}
