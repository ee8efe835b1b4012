//! From the truth of subformulas at cuts to a proof made of paths.
//!
//! An `E…` that holds and an `A…` that does not are shown by one path; what has to be shown at its end, and the operands of
//! boolean operators, are shown in their turn. An `A…` that holds and an `E…` that does not would take every path, and are said to.
//!
//! Engines see the cuts of the events that they kept. A proof is about the whole trace: before a kept event come those of its
//! causes that were left out, which change nothing that the formula can see.

use super::program::{Node, Place, Program};
use super::proof::{Proof, Why};
use posetta_base::{Budget, Claim, EventId, OverBudget};
use posetta_logic::{CtlBinary, CtlUnary, Path};
use posetta_trace::Trace;

const WHAT: &str = "showing why";

/// The cuts that an engine sees, each one count per layer.
pub(super) trait Graph {
    fn layers(&self) -> usize;

    /// How many events lie on a layer.
    fn len(&self, layer: usize) -> u32;

    /// The event that takes a layer from a count to the next.
    fn event(&self, layer: usize, count: u32) -> EventId;

    /// Whether a layer can add its next event to a cut.
    fn can_step(&self, cut: &[u32], layer: usize) -> bool;

    /// Whether nothing can be added.
    fn is_full(&self, cut: &[u32]) -> bool {
        cut.iter().enumerate().all(|(layer, &count)| count == self.len(layer))
    }
}

/// What an engine knows about them.
pub(super) trait Truth {
    fn cuts(&self) -> &dyn Graph;

    /// Whether a subformula holds at a cut.
    fn holds(&self, place: Place, cut: &[u32]) -> bool;

    /// The cut nearest to another one, at or after it, where a subformula has a value; `None` to have it looked for step by
    /// step.
    fn nearest(&mut self, place: Place, value: bool, cut: &[u32]) -> Result<Option<Vec<u32>>, OverBudget>;
}

/// Builds the proof of the formula's value at the empty cut.
pub(super) fn proof(
    trace: &Trace,
    program: &Program,
    texts: &[String],
    truth: &mut dyn Truth,
    budget: &Budget,
) -> Result<Proof, OverBudget> {
    let _claim = budget.claim(4 * trace.len() as u64, WHAT)?;
    let mut rank = vec![0; trace.len()];
    for (i, event) in trace.linearisation().iter().enumerate() {
        rank[event.index()] = i as u32;
    }
    let start = At { cut: vec![0; truth.cuts().layers()], taken: vec![0; trace.process_count()] };
    let claim = budget.claim(0, WHAT)?;
    Prover { trace, program, texts, truth, rank, budget, claim, shown: 0 }.show(program.root(), &start)
}

/// Where a branch of the proof stands.
#[derive(Clone)]
struct At {
    /// By layer.
    cut: Vec<u32>,
    /// By process: the same cut of the whole trace.
    taken: Vec<u32>,
}

/// Every engine has it, so it is compiled once and not for each of them.
struct Prover<'p> {
    trace: &'p Trace,
    program: &'p Program,
    texts: &'p [String],
    truth: &'p mut dyn Truth,
    /// The place of each event in the trace's linear extension, by which paths prefer to go.
    rank: Vec<u32>,
    budget: &'p Budget,
    claim: Claim,
    /// Events of all paths so far.
    shown: usize,
}

impl Prover<'_> {
    fn show(&mut self, place: Place, at: &At) -> Result<Proof, OverBudget> {
        let holds = self.truth.holds(place, &at.cut);
        let why = if self.program.is_temporal(place) { self.why(place, holds, at)? } else { Why::State };
        if let Why::Path { events, .. } = &why {
            self.shown += events.len();
            self.claim.grow_to(8 * self.shown as u64, WHAT)?;
        }
        Ok(Proof { formula: self.texts[place as usize].clone(), holds, why })
    }

    fn operands(&mut self, places: &[Place], at: &At) -> Result<Why, OverBudget> {
        Ok(Why::Operands(places.iter().map(|&f| self.show(f, at)).collect::<Result<_, _>>()?))
    }

    /// The operand, among those with a value, that is shown most easily: by the state, else by a path, else at all.
    fn easiest(&mut self, places: &[(Place, bool)], at: &At) -> Result<Why, OverBudget> {
        let deciding: Vec<Place> =
            places.iter().filter(|&&(f, value)| self.truth.holds(f, &at.cut) == value).map(|&(f, _)| f).collect();
        let effort = |f: &Place| match self.program.node(*f) {
            _ if !self.program.is_temporal(*f) => 0,
            Node::Unary(path, ..) | Node::Binary(path, ..) => {
                if (*path == Path::Some) == self.truth.holds(*f, &at.cut) { 1 } else { 3 }
            }
            _ => 2,
        };
        let chosen = deciding.iter().copied().min_by_key(effort);
        self.operands(chosen.as_slice(), at)
    }

    fn why(&mut self, place: Place, holds: bool, at: &At) -> Result<Why, OverBudget> {
        self.budget.step(0, WHAT)?;
        let with = |fs: &[Place], value: bool| fs.iter().map(|&f| (f, value)).collect::<Vec<_>>();
        match (self.program.node(place).clone(), holds) {
            (Node::Constant(_) | Node::Atom(_), _) => Ok(Why::State),
            (Node::Not(f), _) => self.operands(&[f], at),
            (Node::And(fs), true) | (Node::Or(fs), false) => self.operands(&fs, at),
            (Node::And(fs), false) => self.easiest(&with(&fs, false), at),
            (Node::Or(fs), true) => self.easiest(&with(&fs, true), at),
            (Node::Implies(f, g), true) => self.easiest(&[(f, false), (g, true)], at),
            (Node::Implies(f, g), false) | (Node::Iff(f, g), _) => self.operands(&[f, g], at),
            (Node::Unary(path, ..) | Node::Binary(path, ..), _) if (path == Path::Some) != holds => Ok(Why::EveryPath),
            (Node::Unary(_, CtlUnary::Next, f), _) => {
                let (mut at, mut events) = (at.clone(), Vec::new());
                self.step(f, holds, &mut at, &mut events)?;
                Ok(Why::Path { events, along: None, end: Some(Box::new(self.show(f, &at)?)) })
            }
            // EF and not AG look for one cut; EG and not AF go to the end.
            (Node::Unary(_, op, f), _) if (op == CtlUnary::Finally) == holds => {
                let (at, events) = self.seek(place, f, holds, at)?;
                Ok(Why::Path { events, along: None, end: Some(Box::new(self.show(f, &at)?)) })
            }
            (Node::Unary(_, _, f), _) => self.walk(place, f, None, at),
            (Node::Binary(_, CtlBinary::Release, f, g), true) => self.walk(place, g, Some((f, true)), at),
            (Node::Binary(_, CtlBinary::Release, f, g), false) => self.walk(place, f, Some((g, false)), at),
            (Node::Binary(_, _, f, g), true) => self.walk(place, f, Some((g, true)), at),
            (Node::Binary(_, _, f, g), false) => self.walk(place, g, Some((f, false)), at),
        }
    }

    /// A path to the first cut where `goal` has its value, or else to the full cut, on which `place` keeps its value; then
    /// so does the operand `along`.
    fn walk(&mut self, place: Place, along: Place, goal: Option<(Place, bool)>, at: &At) -> Result<Why, OverBudget> {
        let holds = self.truth.holds(place, &at.cut);
        let (mut at, mut events) = (at.clone(), Vec::new());
        let along = Some((self.texts[along as usize].clone(), holds));
        loop {
            if let Some((f, value)) = goal
                && self.truth.holds(f, &at.cut) == value
            {
                return Ok(Why::Path { events, along, end: Some(Box::new(self.show(f, &at)?)) });
            }
            if self.truth.cuts().is_full(&at.cut) {
                self.finish(&mut at, &mut events);
                return Ok(Why::Path { events, along, end: None });
            }
            self.step(place, holds, &mut at, &mut events)?;
        }
    }

    /// A path to a cut where `goal` has a value, given that `place` says that there is one.
    fn seek(&mut self, place: Place, goal: Place, value: bool, at: &At) -> Result<(At, Vec<EventId>), OverBudget> {
        let (mut at, mut events) = (at.clone(), Vec::new());
        if self.truth.holds(goal, &at.cut) == value {
            return Ok((at, events));
        }
        match self.truth.nearest(goal, value, &at.cut)? {
            Some(target) => {
                let mut missing: Vec<EventId> = Vec::new();
                for (layer, &count) in target.iter().enumerate() {
                    missing.extend((at.cut[layer]..count).map(|before| self.truth.cuts().event(layer, before)));
                }
                for (i, event) in missing.into_iter().enumerate() {
                    if i % 1024 == 0 {
                        self.budget.step(0, WHAT)?;
                    }
                    self.take(event, &mut at.taken, &mut events);
                }
                // Nothing is asked of the way, so it keeps to the trace's own order.
                events.sort_unstable_by_key(|event| self.rank[event.index()]);
                at.cut = target;
            }
            None => {
                while self.truth.holds(goal, &at.cut) != value {
                    let holds = self.truth.holds(place, &at.cut);
                    self.step(place, holds, &mut at, &mut events)?;
                }
            }
        }
        Ok((at, events))
    }

    /// A step to a cut where `place` has a value. One exists; of several, the one that comes first in the trace's own order.
    fn step(&mut self, place: Place, value: bool, at: &mut At, events: &mut Vec<EventId>) -> Result<(), OverBudget> {
        self.budget.step(0, WHAT)?;
        let mut next: Vec<(u32, usize)> = (0..self.truth.cuts().layers())
            .filter(|&layer| at.cut[layer] < self.truth.cuts().len(layer))
            .map(|layer| (self.rank[self.truth.cuts().event(layer, at.cut[layer]).index()], layer))
            .collect();
        next.sort_unstable();
        for (rank, layer) in next {
            if !self.truth.cuts().can_step(&at.cut, layer) {
                continue;
            }
            at.cut[layer] += 1;
            if self.truth.holds(place, &at.cut) == value {
                self.take(self.trace.linearisation()[rank as usize], &mut at.taken, events);
                return Ok(());
            }
            at.cut[layer] -= 1;
        }
        unreachable!("a value that one path can show is passed on to some successor")
    }

    /// Adds an event to the cut of the whole trace, after those of its causes that are missing.
    fn take(&self, event: EventId, taken: &mut [u32], events: &mut Vec<EventId>) {
        let from = events.len();
        let mut wanted = vec![event];
        while let Some(event) = wanted.pop() {
            let process = self.trace.process(event);
            let chain = self.trace.chain(process);
            let position = self.trace.position(event);
            for &next in chain.iter().take(position + 1).skip(taken[process.index()] as usize) {
                events.push(next);
                let missing = |&&cause: &&EventId| {
                    taken[self.trace.process(cause).index()] as usize <= self.trace.position(cause)
                };
                wanted.extend(self.trace.causes(next).iter().filter(missing));
            }
            taken[process.index()] = taken[process.index()].max(position as u32 + 1);
        }
        events[from..].sort_unstable_by_key(|event| self.rank[event.index()]);
    }

    /// Adds everything that is left.
    fn finish(&self, at: &mut At, events: &mut Vec<EventId>) {
        for &event in self.trace.linearisation() {
            let process = self.trace.process(event).index();
            if at.taken[process] as usize <= self.trace.position(event) {
                events.push(event);
                at.taken[process] += 1;
            }
        }
    }
}
