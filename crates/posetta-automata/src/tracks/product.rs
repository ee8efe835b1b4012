//! Two automata at once.
//!
//! Pairs of states that are reached from the pair of first states; both sides' letters are read from one diagram over the tracks of both.
//! What is said of a string is nothing where either side says nothing.

use rustc_hash::FxHashMap;

use super::{Said, TrackDfa, WHAT};
use posetta_base::{Budget, Claim, OverBudget};
use posetta_dd::mtbdd::{Function, Node};
use posetta_dd::pairs::Pairs;

/// How what is said is joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Joined {
    /// Yes where both say yes.
    And,
    /// Yes where both say the same.
    Iff,
}

impl Joined {
    /// What is said where one side says `a` and the other `b`.
    #[must_use]
    pub fn said(self, a: Said, b: Said) -> Said {
        match (self, a, b) {
            (_, Said::Nothing, _) | (_, _, Said::Nothing) => Said::Nothing,
            (Self::And, Said::Yes, Said::Yes) => Said::Yes,
            (Self::And, _, _) => Said::No,
            (Self::Iff, a, b) => {
                if a == b {
                    Said::Yes
                } else {
                    Said::No
                }
            }
        }
    }
}

/// An automaton and where its tracks are in the result: as many as it has, ascending.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The automaton.
    pub dfa: &'a TrackDfa,
    /// For each of its tracks the track of the result.
    pub tracks: &'a [u32],
}

/// The automaton that says of every string what both say, joined. It is not the smallest.
///
/// # Errors
/// When the budget is spent.
pub fn product(a: Side, b: Side, width: u32, joined: Joined, budget: &Budget) -> Result<TrackDfa, OverBudget> {
    let mut product = Product {
        a,
        b,
        settled: [settled(a.dfa, b.dfa, joined), settled(b.dfa, a.dfa, joined)],
        nodes: Vec::new(),
        memo: Pairs::default(),
        pairs: Vec::new(),
        ids: FxHashMap::default(),
        claim: budget.claim(0, WHAT)?,
        budget,
    };
    product.id(0, 0);
    let (mut roots, mut said) = (Vec::new(), Vec::new());
    while let Some(&pair) = product.pairs.get(roots.len()) {
        let here = roots.len() as u32;
        match pair {
            Pair::Both(p, q) => {
                roots.push(product.join(a.dfa.root(p), b.dfa.root(q))?);
                said.push(joined.said(a.dfa.said(p), b.dfa.said(q)));
            }
            Pair::Settled(what) => {
                roots.push(Function::constant(here));
                said.push(what);
            }
        }
    }
    TrackDfa::of_nodes(product.nodes, roots, said, width, budget)
}

/// For each state of `a`, what is said whatever `b` does: nothing, where `a` says nothing for ever; no, where it says no for ever and `b` always says
/// something.
fn settled(a: &TrackDfa, b: &TrackDfa, joined: Joined) -> Vec<Option<Said>> {
    let total = b.is_total();
    (0..a.states() as u32)
        .map(|state| match a.said(state) {
            _ if state == 0 || !a.is_sink(state) => None,
            Said::Nothing => Some(Said::Nothing),
            Said::No if joined == Joined::And && total => Some(Said::No),
            _ => None,
        })
        .collect()
}

/// A state of the product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Pair {
    Both(u32, u32),
    /// What is said from here on does not change any more.
    Settled(Said),
}

struct Product<'a> {
    a: Side<'a>,
    b: Side<'a>,
    settled: [Vec<Option<Said>>; 2],
    /// One for each pair of functions. Hardly ever two are alike, so that nobody looks for that; who makes the
    /// automaton small would find out.
    nodes: Vec<Node>,
    memo: Pairs,
    pairs: Vec<Pair>,
    ids: FxHashMap<Pair, u32>,
    claim: Claim,
    budget: &'a Budget,
}

impl Product<'_> {
    fn id(&mut self, p: u32, q: u32) -> u32 {
        let settled = self.settled[0][p as usize].or(self.settled[1][q as usize]);
        self.intern(settled.map_or(Pair::Both(p, q), Pair::Settled))
    }

    fn intern(&mut self, pair: Pair) -> u32 {
        let fresh = self.pairs.len() as u32;
        *self.ids.entry(pair).or_insert_with(|| {
            self.pairs.push(pair);
            fresh
        })
    }

    /// No deeper than there are tracks.
    fn join(&mut self, f: Function, g: Function) -> Result<Function, OverBudget> {
        let (p, q) = (f.value(), g.value());
        if let (Some(p), Some(q)) = (p, q) {
            return Ok(Function::constant(self.id(p, q)));
        }
        let settled =
            p.and_then(|p| self.settled[0][p as usize]).or_else(|| q.and_then(|q| self.settled[1][q as usize]));
        if let Some(said) = settled {
            return Ok(Function::constant(self.intern(Pair::Settled(said))));
        }
        if let Some(known) = self.memo.get(f, g) {
            return Ok(known);
        }
        if self.memo.len() % 1024 == 1023 {
            self.budget.step(1024, WHAT)?;
            let bytes = 12 * self.nodes.len() + 40 * self.pairs.len() + (1 << 16);
            self.claim.grow_to(self.memo.bytes() + bytes as u64, WHAT)?;
        }
        let top = |side: Side, f: Function| f.node().map(|place| side.dfa.node(place));
        let (m, n) = (top(self.a, f), top(self.b, g));
        let place = |side: Side, node: Option<Node>| node.map_or(u32::MAX, |node| side.tracks[node.var as usize]);
        let (at_m, at_n) = (place(self.a, m), place(self.b, n));
        let var = at_m.min(at_n);
        let halves = |at: u32, node: Option<Node>, f: Function| match node {
            Some(node) if at == var => (node.low, node.high),
            _ => (f, f),
        };
        let ((f0, f1), (g0, g1)) = (halves(at_m, m, f), halves(at_n, n, g));
        let low = self.join(f0, g0)?;
        let high = self.join(f1, g1)?;
        let result = if low == high {
            low
        } else {
            self.nodes.push(Node { var, low, high });
            Function::at_node(self.nodes.len() as u32 - 1)
        };
        self.memo.put(f, g, result);
        Ok(result)
    }
}
