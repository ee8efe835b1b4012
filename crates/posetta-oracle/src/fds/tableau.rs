//! LTL with past on graphs: the truth of every temporal subformula is guessed at every position, and the guesses are held to what the
//! operators mean (the closure and its atoms of Lichtenstein and Pnueli 1985, with an end of finite computations).
//!
//! A node is a node of the graph and a guess. What neighbours must have in common follows from how each operator unfolds: `f U g` is true here if g
//! is, or f is and `f U g` is true next. That alone would let `f U g` be put off forever, or `f W g` be denied forever; so each
//! operator that looks ahead beyond the next position has a justice requirement. A violation is a computation of these nodes that starts
//! with a guess in which the formula is false. Start at [`walk`].

use std::collections::HashMap;

use posetta_logic::{Ltl, LtlBinary, LtlUnary};
use posetta_model::fds::{ExprId, Trail};

use super::System;
use super::graph::{Graph, Walk};

/// The formula, flat: parts before what they belong to, the whole last.
struct Closure<'f, A> {
    parts: Vec<Part<'f, A>>,
}

struct Part<'f, A> {
    formula: &'f Ltl<A>,
    /// The places of its operands.
    operands: Vec<usize>,
}

impl<'f, A: PartialEq> Closure<'f, A> {
    fn of(formula: &'f Ltl<A>) -> Self {
        let mut closure = Self { parts: Vec::new() };
        closure.add(formula);
        closure
    }

    fn add(&mut self, formula: &'f Ltl<A>) -> usize {
        let operands = formula.operands().into_iter().map(|f| self.add(f)).collect();
        if let Some(known) = self.parts.iter().position(|p| p.formula == formula) {
            return known;
        }
        self.parts.push(Part { formula, operands });
        self.parts.len() - 1
    }

    /// The places of the parts whose truth is guessed.
    fn temporal(&self) -> Vec<usize> {
        let is = |i: &usize| matches!(self.parts[*i].formula, Ltl::Unary(..) | Ltl::Binary(..));
        (0..self.parts.len()).filter(is).collect()
    }

    /// The truth of every part where these atoms hold and the temporal parts are guessed so, one bit each.
    fn complete(&self, atom: impl Fn(&A) -> bool, guess: impl Fn(usize) -> bool) -> Vec<bool> {
        let mut truth: Vec<bool> = Vec::with_capacity(self.parts.len());
        for (i, Part { formula, operands }) in self.parts.iter().enumerate() {
            let value = match formula {
                Ltl::True => true,
                Ltl::False => false,
                Ltl::Atom(a) => atom(a),
                Ltl::Not(_) => !truth[operands[0]],
                Ltl::And(_) => operands.iter().all(|&o| truth[o]),
                Ltl::Or(_) => operands.iter().any(|&o| truth[o]),
                Ltl::Implies(..) => !truth[operands[0]] || truth[operands[1]],
                Ltl::Iff(..) => truth[operands[0]] == truth[operands[1]],
                Ltl::Unary(..) | Ltl::Binary(..) => guess(i),
            };
            truth.push(value);
        }
        truth
    }

    /// What a part must be at the first position, as far as that is known.
    fn at_first(&self, i: usize, now: &[bool]) -> bool {
        let Part { formula, operands } = &self.parts[i];
        match formula {
            Ltl::Unary(LtlUnary::Yesterday, _) => false,
            Ltl::Unary(LtlUnary::Once | LtlUnary::Historically, _) => now[operands[0]],
            Ltl::Binary(LtlBinary::Since, ..) => now[operands[1]],
            _ => now[i],
        }
    }

    /// What a part must be at the last position of a finite computation.
    fn at_last(&self, i: usize, now: &[bool]) -> bool {
        let Part { formula, operands } = &self.parts[i];
        let (f, g) = (operands.first().map(|&o| now[o]), operands.get(1).map(|&o| now[o]));
        let (f, g) = (f.unwrap_or(false), g.unwrap_or(false));
        match formula {
            Ltl::Unary(LtlUnary::Next, _) => false,
            Ltl::Unary(LtlUnary::WeakNext, _) => true,
            Ltl::Unary(LtlUnary::Finally | LtlUnary::Globally, _) => f,
            Ltl::Binary(LtlBinary::Until | LtlBinary::Release, ..) => g,
            Ltl::Binary(LtlBinary::WeakUntil, ..) => f || g,
            Ltl::Binary(LtlBinary::StrongRelease, ..) => f && g,
            _ => now[i],
        }
    }

    /// Whether a part is as it must be in two neighbours.
    fn fits(&self, i: usize, now: &[bool], next: &[bool]) -> bool {
        let Part { formula, operands } = &self.parts[i];
        let at = |row: &[bool], place: usize| operands.get(place).is_some_and(|&o| row[o]);
        let (f, g) = (at(now, 0), at(now, 1));
        match formula {
            Ltl::Unary(op, _) => match op {
                LtlUnary::Next | LtlUnary::WeakNext => now[i] == at(next, 0),
                LtlUnary::Finally => now[i] == (f || next[i]),
                LtlUnary::Globally => now[i] == (f && next[i]),
                LtlUnary::Yesterday => next[i] == f,
                LtlUnary::Once => next[i] == (at(next, 0) || now[i]),
                LtlUnary::Historically => next[i] == (at(next, 0) && now[i]),
            },
            Ltl::Binary(op, ..) => match op {
                LtlBinary::Until | LtlBinary::WeakUntil => now[i] == (g || f && next[i]),
                LtlBinary::Release | LtlBinary::StrongRelease => now[i] == (g && (f || next[i])),
                LtlBinary::Since => next[i] == (at(next, 1) || at(next, 0) && now[i]),
            },
            _ => true,
        }
    }

    /// Whether nothing is put off, or denied without reason, at a position, as far as a part is concerned; `None`: it never is.
    fn is_settled(&self, i: usize, now: &[bool]) -> Option<bool> {
        let Part { formula, operands } = &self.parts[i];
        let at = |place: usize| now[operands[place]];
        match formula {
            Ltl::Unary(LtlUnary::Finally, _) => Some(!now[i] || at(0)),
            Ltl::Unary(LtlUnary::Globally, _) => Some(now[i] || !at(0)),
            Ltl::Binary(LtlBinary::Until, ..) => Some(!now[i] || at(1)),
            Ltl::Binary(LtlBinary::WeakUntil, ..) => Some(now[i] || !at(0) && !at(1)),
            Ltl::Binary(LtlBinary::Release, ..) => Some(now[i] || !at(1)),
            Ltl::Binary(LtlBinary::StrongRelease, ..) => Some(!now[i] || at(0)),
            _ => None,
        }
    }
}

/// How many operators of a formula are temporal, equal parts counted once: there are two to the power of this many guesses.
#[must_use]
pub fn guesses<A: PartialEq>(formula: &Ltl<A>) -> usize {
    Closure::of(formula).temporal().len()
}

/// A computation of a system that does not satisfy the formula. It exists if and only if one is given.
#[must_use]
pub fn violation(system: &System<'_>, formula: &Ltl<ExprId>) -> Option<Trail> {
    walk(&system.by_moment, formula, |&a, moment| system.holds(a, moment)).map(|walk| system.trail(&walk))
}

/// A computation of a graph that does not satisfy the formula, where `holds` says what is true at its nodes. It exists if and only if one
/// is given.
pub fn walk<A: PartialEq>(graph: &Graph, formula: &Ltl<A>, holds: impl Fn(&A, usize) -> bool) -> Option<Walk> {
    let closure = Closure::of(formula);
    let temporal = closure.temporal();
    let whole = closure.parts.len() - 1;
    let count = 1usize << temporal.len();
    let row_of = |place: usize, guess: usize| {
        let bit = |i: usize| temporal.iter().position(|&t| t == i).is_some_and(|k| guess >> k & 1 == 1);
        closure.complete(|a| holds(a, place), bit)
    };
    let rows: Vec<Vec<Vec<bool>>> = (0..graph.len()).map(|n| (0..count).map(|g| row_of(n, g)).collect()).collect();
    let mut nodes: Vec<(usize, usize)> = Vec::new();
    let mut places: HashMap<(usize, usize), usize> = HashMap::new();
    for &start in &graph.initial {
        for (guess, row) in rows[start].iter().enumerate() {
            if !row[whole] && temporal.iter().all(|&i| row[i] == closure.at_first(i, row)) {
                places.insert((start, guess), nodes.len());
                nodes.push((start, guess));
            }
        }
    }
    let initial: Vec<usize> = (0..nodes.len()).collect();
    let mut next: Vec<Vec<usize>> = Vec::new();
    while next.len() < nodes.len() {
        let (at, guess) = nodes[next.len()];
        let mut steps = Vec::new();
        for &to in &graph.next[at] {
            for (later, row) in rows[to].iter().enumerate() {
                if temporal.iter().all(|&i| closure.fits(i, &rows[at][guess], row)) {
                    steps.push(*places.entry((to, later)).or_insert_with(|| {
                        nodes.push((to, later));
                        nodes.len() - 1
                    }));
                }
            }
        }
        next.push(steps);
    }
    let each = |row: &[bool]| -> Vec<bool> { nodes.iter().map(|&(n, _)| row[n]).collect() };
    let can_end = |&(n, g): &(usize, usize)| temporal.iter().all(|&i| rows[n][g][i] == closure.at_last(i, &rows[n][g]));
    let settled =
        temporal.iter().filter_map(|&i| nodes.iter().map(|&(n, g)| closure.is_settled(i, &rows[n][g])).collect());
    let guessed = Graph {
        initial,
        finals: nodes.iter().map(|n| graph.finals[n.0] && can_end(n)).collect(),
        justice: graph.justice.iter().map(|j| each(j)).chain(settled).collect(),
        compassion: graph.compassion.iter().map(|(p, q)| (each(p), each(q))).collect(),
        next,
    };
    let Walk { nodes: walk, cycle } = guessed.computation()?;
    Some(Walk { nodes: walk.into_iter().map(|n| nodes[n].0).collect(), cycle })
}
