//! An expression with marks: where attempts at a match stand, moved letter by letter (Fischer, Huch and Wilke 2010), with registers for
//! those that go on with the next letter.
//!
//! A repetition with a count is one place whose attempts carry their counts. Repetitions inside of one are written out, or it is.

use super::Registers;
use super::sets::{Counts, Mark};
use posetta_logic::{AtomId, Guard, Sere, SereOp, Times};

/// With more nodes than this an expression is followed in another way.
const MOST_NODES: usize = 1 << 10;

/// So many guards at the ends of an expression are compared with those of its neighbour.
const MOST_ENDS: usize = 32;

#[derive(Debug)]
pub(super) enum Node {
    Letter(Guard<AtomId>),
    /// One after the other. The register of each but the first holds what starts it with the next letter.
    Concat(Vec<Part>, usize),
    /// Each starts with the last letter of the one before.
    Fusion(Vec<Part>),
    Or(Vec<Part>),
    /// Any number of times, at least once; the register holds what starts it again.
    Again(Box<Node>, usize),
    /// Up to the first letter that satisfies it: `{!b[*];b}`. The register holds what has not met one.
    Miss(Guard<AtomId>, usize),
    /// So often; only where no repetition with a count is around it. The register holds the counts of what starts it again.
    Counted(Box<Node>, Times, usize),
}

/// A node, and whether it may be left out.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) node: Node,
    pub(super) empty: bool,
}

/// What is known of a part while it is built: the guards of its first letters, of its last ones, and of matches of one letter.
#[derive(Clone, Default)]
struct Ends {
    first: Vec<Guard<AtomId>>,
    last: Vec<Guard<AtomId>>,
    single: Vec<Guard<AtomId>>,
}

/// What an expression can match: something, with a node, or at most the empty word.
struct Built {
    node: Option<(Node, Ends)>,
    empty: bool,
}

impl Built {
    fn nothing(empty: bool) -> Self {
        Self { node: None, empty }
    }
}

/// Builds trees.
pub(super) struct Builder<'a> {
    /// Whether some letter can satisfy a guard.
    pub(super) satisfiable: &'a mut dyn FnMut(&Guard<AtomId>) -> bool,
    pub(super) flags: usize,
    pub(super) counts: usize,
    nodes: usize,
    /// Whether every attempt that is under way can still come to a match.
    pub(super) open_ended: bool,
}

/// Why there is no tree.
struct TooLarge;

type Result<T> = std::result::Result<T, TooLarge>;

fn conjunction(a: &Guard<AtomId>, b: &Guard<AtomId>) -> Guard<AtomId> {
    match (a, b) {
        (Guard::True, other) | (other, Guard::True) => other.clone(),
        _ if a == b => a.clone(),
        _ => Guard::And(vec![a.clone(), b.clone()]),
    }
}

/// The largest count in an expression.
fn largest(sere: &Sere<AtomId>) -> u32 {
    match sere {
        Sere::Bool(_) => 0,
        Sere::Chain(_, parts) => parts.iter().map(largest).max().unwrap_or(0),
        Sere::Repeat(r, times) => bound(*times).max(largest(r)),
        Sere::Goto(_, times) | Sere::Occur(_, times) => bound(*times),
    }
}

/// What a repetition counts up to; 0 if it does not.
fn bound(times: Times) -> u32 {
    match times {
        Times { min: 0 | 1, max: None } | Times { max: Some(0 | 1), .. } => 0,
        Times { min, max } => max.unwrap_or(0).max(min),
    }
}

impl<'a> Builder<'a> {
    pub(super) fn new(satisfiable: &'a mut dyn FnMut(&Guard<AtomId>) -> bool) -> Self {
        Self { satisfiable, flags: 0, counts: 0, nodes: 0, open_ended: true }
    }

    /// The tree of an expression: `None` if there is none of this kind, `Some(None)` if no word with letters matches.
    pub(super) fn build(&mut self, sere: &Sere<AtomId>) -> Option<Option<Node>> {
        self.sere(sere, false).ok().map(|built| built.node.map(|(node, _)| node))
    }

    fn register(&mut self, inner: bool, many: usize) -> usize {
        let registers = if inner { &mut self.counts } else { &mut self.flags };
        *registers += many;
        *registers - many
    }

    /// `inner`: inside of a repetition with a count.
    fn sere(&mut self, sere: &Sere<AtomId>, inner: bool) -> Result<Built> {
        self.nodes += 1;
        if self.nodes > MOST_NODES {
            return Err(TooLarge);
        }
        match sere {
            Sere::Bool(guard) => {
                if !(self.satisfiable)(guard) {
                    return Ok(Built::nothing(false));
                }
                let one = vec![guard.clone()];
                let ends = Ends { first: one.clone(), last: one.clone(), single: one };
                Ok(Built { node: Some((Node::Letter(guard.clone()), ends)), empty: false })
            }
            Sere::Repeat(r, times) => self.repeat(r, *times, inner),
            Sere::Goto(b, times) => {
                let most = bound(*times);
                if most > 0 && inner {
                    return self.written_out(*times, inner, &mut |builder, forever| {
                        let once = builder.miss(b, inner)?;
                        if forever { builder.again(once, Times::SOME, inner) } else { Ok(once) }
                    });
                }
                let once = self.miss(b, inner || most > 0)?;
                self.again(once, *times, inner)
            }
            Sere::Occur(b, times) => {
                let miss = Sere::Repeat(Box::new(Sere::Bool(Guard::Not(Box::new(b.clone())))), Times::ANY);
                let parts = vec![self.sere(&Sere::Goto(b.clone(), *times), inner)?, self.sere(&miss, inner)?];
                Ok(self.concat(parts, inner))
            }
            Sere::Chain(op, parts) => {
                if matches!(op, SereOp::And | SereOp::Intersect | SereOp::Within) {
                    return Err(TooLarge);
                }
                let parts = parts.iter().map(|part| self.sere(part, inner)).collect::<Result<Vec<_>>>()?;
                Ok(match op {
                    SereOp::Concat => self.concat(parts, inner),
                    SereOp::Fusion => self.fusion(parts),
                    _ => Self::either(parts),
                })
            }
        }
    }

    fn repeat(&mut self, r: &Sere<AtomId>, times: Times, inner: bool) -> Result<Built> {
        let most = bound(times);
        // One of two repetitions inside each other is written out: the one that counts less.
        if most > 0 && (inner || largest(r) > most) {
            return self.written_out(times, inner, &mut |builder, forever| match forever {
                true => builder.repeat(r, Times::SOME, inner),
                false => builder.sere(r, inner),
            });
        }
        let once = self.sere(r, inner || most > 0)?;
        self.again(once, times, inner)
    }

    /// `{!b[*];b}`
    fn miss(&mut self, b: &Guard<AtomId>, inner: bool) -> Result<Built> {
        self.nodes += 1;
        if self.nodes > MOST_NODES {
            return Err(TooLarge);
        }
        if !(self.satisfiable)(b) {
            return Ok(Built::nothing(false));
        }
        let mut ends = Ends { first: vec![b.clone()], last: vec![b.clone()], single: vec![b.clone()] };
        let not = Guard::Not(Box::new(b.clone()));
        if (self.satisfiable)(&not) {
            ends.first.push(not);
        }
        Ok(Built { node: Some((Node::Miss(b.clone(), self.register(inner, 1)), ends)), empty: false })
    }

    /// So many of what is built.
    fn again(&mut self, once: Built, times: Times, inner: bool) -> Result<Built> {
        let counted = bound(times) > 0;
        let Built { node, empty } = once;
        let empty = empty || times.min == 0;
        let Some((node, mut ends)) = node.filter(|_| times.max != Some(0)) else { return Ok(Built::nothing(empty)) };
        if times.max == Some(1) {
            return Ok(Built { node: Some((node, ends)), empty });
        }
        if times.min > 1 && !empty {
            ends.single.clear();
        }
        let node = if counted {
            let times = Times { min: if empty { 0 } else { times.min }, ..times };
            Node::Counted(Box::new(node), times, self.register(true, 1))
        } else {
            Node::Again(Box::new(node), self.register(inner, 1))
        };
        Ok(Built { node: Some((node, ends)), empty })
    }

    /// `r;r;…`
    fn written_out(
        &mut self,
        times: Times,
        inner: bool,
        once: &mut dyn FnMut(&mut Self, bool) -> Result<Built>,
    ) -> Result<Built> {
        let Times { min, max } = times;
        let mut parts = Vec::new();
        let copies = max.unwrap_or(min);
        for i in 0..copies {
            // The last may go on for ever.
            let built = once(self, max.is_none() && i + 1 == copies)?;
            let empty = built.empty || i >= min;
            parts.push(Built { empty, ..built });
        }
        Ok(self.concat(parts, inner))
    }

    fn concat(&mut self, parts: Vec<Built>, inner: bool) -> Built {
        let empty = parts.iter().all(|part| part.empty);
        if parts.iter().any(|part| part.node.is_none() && !part.empty) {
            return Built::nothing(false);
        }
        let mut ends = Ends::default();
        let mut nodes: Vec<Part> = Vec::new();
        for Built { node, empty } in parts {
            let Some((node, own)) = node else { continue };
            if nodes.iter().all(|part| part.empty) {
                ends.first.extend_from_slice(&own.first);
            }
            let before_empty = nodes.iter().all(|part| part.empty);
            if empty {
                ends.last.extend_from_slice(&own.last);
            } else {
                ends.last.clone_from(&own.last);
                ends.single.clear();
            }
            if before_empty {
                ends.single.extend_from_slice(&own.single);
            }
            nodes.push(Part { node, empty });
        }
        match nodes.len() {
            0 => Built::nothing(empty),
            1 => Built { node: nodes.pop().map(|part| (part.node, ends)), empty },
            many => Built { node: Some((Node::Concat(nodes, self.register(inner, many - 1)), ends)), empty },
        }
    }

    fn either(parts: Vec<Built>) -> Built {
        let empty = parts.iter().any(|part| part.empty);
        let (mut ends, mut nodes) = (Ends::default(), Vec::new());
        for Built { node, empty } in parts {
            let Some((node, own)) = node else { continue };
            ends.first.extend(own.first);
            ends.last.extend(own.last);
            ends.single.extend(own.single);
            nodes.push(Part { node, empty });
        }
        match nodes.len() {
            0 => Built::nothing(empty),
            1 => Built { node: nodes.pop().map(|part| (part.node, ends)), empty },
            _ => Built { node: Some((Node::Or(nodes), ends)), empty },
        }
    }

    fn fusion(&mut self, parts: Vec<Built>) -> Built {
        let mut nodes = Vec::new();
        let mut all: Option<Ends> = None;
        for Built { node, empty } in parts {
            let Some((node, own)) = node else { return Built::nothing(false) };
            nodes.push(Part { node, empty });
            all = Some(match all {
                None => own,
                Some(before) => {
                    let Ends { mut first, last, single } = before;
                    if last.len() > MOST_ENDS || own.first.len() > MOST_ENDS || single.len() > MOST_ENDS {
                        self.open_ended = false;
                        own
                    } else {
                        // Where two letters that meet rule each other out, an attempt may have no way on.
                        let meet = |a: &[Guard<AtomId>], b: &[Guard<AtomId>]| -> Vec<Guard<AtomId>> {
                            a.iter().flat_map(|x| b.iter().map(move |y| conjunction(x, y))).collect()
                        };
                        for guard in meet(&last, &own.first) {
                            self.open_ended &= (self.satisfiable)(&guard);
                        }
                        first.extend(meet(&single, &own.first));
                        let mut after = own.last.clone();
                        after.extend(meet(&last, &own.single));
                        Ends { first, last: after, single: meet(&single, &own.single) }
                    }
                }
            });
        }
        match nodes.len() {
            0 => Built::nothing(false),
            1 => Built { node: nodes.pop().map(|part| (part.node, all.unwrap_or_default())), empty: false },
            _ => Built { node: Some((Node::Fusion(nodes), all.unwrap_or_default())), empty: false },
        }
    }
}

/// Whether an attempt stands at one place at a time: no letter leads it to two.
pub(super) fn is_single(node: &Node) -> bool {
    let all = |parts: &[Part]| parts.iter().all(|part| !part.empty && is_single(&part.node));
    match node {
        Node::Letter(_) | Node::Miss(..) => true,
        Node::Concat(parts, _) | Node::Fusion(parts) => all(parts),
        Node::Counted(inner, times, _) => times.min > 0 && times.max == Some(times.min) && is_single(inner),
        Node::Or(_) | Node::Again(..) => false,
    }
}

/// Reads one letter: `entering` attempts start with it. What has come to a match with it.
pub(super) fn step<M: Mark + Enter>(node: &Node, entering: M, letter: &[bool], registers: &mut Registers) -> M {
    match node {
        Node::Letter(guard) => {
            if entering.is_none() || guard.holds(&|atom| letter[atom.0 as usize]) {
                return entering;
            }
            registers.lost = true;
            M::default()
        }
        Node::Concat(parts, base) => {
            let (mut out, mut before) = (M::default(), M::default());
            let mut start = entering;
            let last = parts.len() - 1;
            for (i, part) in parts.iter().enumerate() {
                if i > 0 {
                    let register = &mut M::registers(registers)[base + i - 1];
                    let waiting = std::mem::replace(register, std::mem::take(&mut before));
                    start = if parts[i - 1].empty { start.join(waiting) } else { waiting };
                }
                // What comes behind a part that may be left out starts with the same letter.
                let own = if part.empty && i < last { start.clone() } else { std::mem::take(&mut start) };
                let matched = step(&part.node, own, letter, registers);
                if part.empty {
                    // The parts before are at their end here, too.
                    out = out.join(matched.clone());
                } else {
                    out = matched.clone();
                }
                before = matched;
            }
            out
        }
        Node::Fusion(parts) => parts.iter().fold(entering, |marks, part| step(&part.node, marks, letter, registers)),
        Node::Or(parts) => {
            let (mut out, mut entering) = (M::default(), entering);
            let last = parts.len() - 1;
            for (i, part) in parts.iter().enumerate() {
                let own = if i < last { entering.clone() } else { std::mem::take(&mut entering) };
                out = out.join(step(&part.node, own, letter, registers));
            }
            out
        }
        Node::Again(inner, register) => {
            let waiting = std::mem::take(&mut M::registers(registers)[*register]);
            let out = step(inner, entering.join(waiting), letter, registers);
            M::registers(registers)[*register] = out.clone();
            out
        }
        Node::Miss(guard, register) => {
            let waiting = std::mem::take(&mut M::registers(registers)[*register]);
            let all = entering.join(waiting);
            if !all.is_none() && guard.holds(&|atom| letter[atom.0 as usize]) {
                return all;
            }
            M::registers(registers)[*register] = all;
            M::default()
        }
        Node::Counted(inner, times, register) => {
            // A repetition with a count stands in no other.
            let waiting = std::mem::take(&mut registers.counts[*register]);
            let start = if entering.is_none() { waiting } else { waiting.with_zero() };
            let done = step::<Counts>(inner, start, letter, registers).increment();
            let matched = done.reaches(times.min);
            registers.counts[*register] = match times.max {
                Some(max) => done.below(max),
                // Beyond what is asked for all counts are alike, and can do whatever smaller ones can.
                None if matched => Counts::only(times.min),
                None => done,
            };
            M::enter(matched)
        }
    }
}

/// Marks that an attempt without a count can become.
pub(super) trait Enter {
    fn enter(matched: bool) -> Self;
}

impl Enter for bool {
    fn enter(matched: bool) -> Self {
        matched
    }
}

impl Enter for Counts {
    fn enter(_: bool) -> Self {
        unreachable!("a repetition with a count stands in no other")
    }
}
