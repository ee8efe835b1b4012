//! Which states make others superfluous in a set.
//!
//! A state covers another if, whatever comes, what it says stands for what the other one says: yes where that says yes, and something where that says
//! something. It is the largest relation that keeps this under every letter (a simulation; in a deterministic automaton that is inclusion). In the
//! set of states that hidden tracks may lead to, a state that is covered by another one of the set is dropped (Wulf, Doyen, Henzinger and Raskin 2006,
//! Abdulla and others 2010).

use rustc_hash::FxHashSet;

use super::{TrackDfa, WHAT};
use posetta_base::{Budget, OverBudget};
use posetta_dd::mtbdd::Function;

/// Of automata with more states it is not computed.
pub(super) const MOST_STATES: usize = 512;

/// For each pair of states whether one covers another, as far as it is known: too many pairs at first.
pub(super) struct Cover {
    states: usize,
    pairs: Vec<bool>,
    /// The next state to be looked at, and at how many in a row nothing has changed. The last state is first: states
    /// are numbered as a search meets them, so most steps lead to later ones, and what is found of those is known in
    /// the same round.
    next: u32,
    unchanged: usize,
    /// What was done.
    work: u64,
}

impl Cover {
    pub(super) fn new(dfa: &TrackDfa) -> Self {
        let states = dfa.states();
        let last = states.saturating_sub(1) as u32;
        let mut this = Self { states, pairs: vec![false; states * states], next: last, unchanged: 0, work: 0 };
        for a in 1..states as u32 {
            for b in 1..states as u32 {
                this.pairs[a as usize * states + b as usize] = dfa.said(a).either(dfa.said(b)) == dfa.said(b);
            }
        }
        this
    }

    /// Goes on until so much was done; whether everything is known.
    pub(super) fn go_on(&mut self, dfa: &TrackDfa, work: u64, budget: &Budget) -> Result<bool, OverBudget> {
        let states = self.states;
        let mut seen = FxHashSet::default();
        while self.unchanged + 1 < states {
            if self.work >= work {
                return Ok(false);
            }
            let a = self.next;
            self.next = if a > 1 { a - 1 } else { states as u32 - 1 };
            self.unchanged += 1;
            let mut pairs = 0;
            for b in (1..states as u32).filter(|&b| b != a) {
                let place = a as usize * states + b as usize;
                if self.pairs[place] {
                    seen.clear();
                    if !self.keeps(dfa, dfa.root(a), dfa.root(b), &mut seen) {
                        self.pairs[place] = false;
                        self.unchanged = 0;
                    }
                    pairs += seen.len() as u64;
                }
            }
            let work = states as u64 / 8 + pairs;
            self.work += work;
            budget.step(work, WHAT)?;
        }
        Ok(true)
    }

    /// Whether `b` covers `a`.
    pub(super) fn holds(&self, a: u32, b: u32) -> bool {
        self.pairs[a as usize * self.states + b as usize]
    }

    /// Whether every letter leads to a pair that is still in the relation. No deeper than there are tracks.
    fn keeps(&self, dfa: &TrackDfa, f: Function, g: Function, seen: &mut FxHashSet<(Function, Function)>) -> bool {
        if f == g {
            return true;
        }
        if let (Some(a), Some(b)) = (f.value(), g.value()) {
            return self.holds(a, b);
        }
        if !seen.insert((f, g)) {
            return true;
        }
        let top = |f: Function| f.node().map(|place| dfa.node(place));
        let (m, n) = (top(f), top(g));
        let var = m.map_or(u32::MAX, |m| m.var).min(n.map_or(u32::MAX, |n| n.var));
        let halves = |node: Option<posetta_dd::mtbdd::Node>, f: Function| match node {
            Some(node) if node.var == var => [node.low, node.high],
            _ => [f, f],
        };
        let ([f0, f1], [g0, g1]) = (halves(m, f), halves(n, g));
        self.keeps(dfa, f0, g0, seen) && self.keeps(dfa, f1, g1, seen)
    }

    /// Drops what others cover; of two that cover each other the first stays.
    pub(super) fn reduce(&self, set: &mut Vec<u32>) {
        let mut at = 0;
        while at < set.len() {
            let a = set[at];
            let covered =
                set.iter().enumerate().any(|(i, &b)| i != at && self.holds(a, b) && (!self.holds(b, a) || i < at));
            if covered {
                set.remove(at);
            } else {
                at += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Said;
    use super::*;

    #[test]
    fn a_state_that_is_further_on_covers_one_that_is_not() {
        // Three ones must come.
        let said = [Said::Nothing, Said::No, Said::No, Said::No, Said::Yes];
        let budget = Budget::unlimited();
        let next = |state: usize, letter: u32| if state == 0 { 1 } else { (state + letter as usize).min(4) };
        let dfa = TrackDfa::table(1, &said, next, &budget).unwrap();
        let mut cover = Cover::new(&dfa);
        while !cover.go_on(&dfa, cover.work + 1, &budget).unwrap() {}
        for a in 1..5 {
            for b in 1..5 {
                assert_eq!(cover.holds(a, b), a <= b, "{a} {b}");
            }
        }
        let mut set = vec![1, 2, 3];
        cover.reduce(&mut set);
        assert_eq!(set, [3]);
    }
}
