//! Which two of many automata are joined first: few states together, and many tracks in common.
//!
//! For each automaton the best one before it is known, so that a pair is found by looking at each automaton once, and
//! only what a join moves is compared anew: among hundreds of clauses it took most of the time to compare all pairs for
//! every join.

use super::build::Built;
use posetta_base::{Budget, OverBudget};

const WHAT: &str = "building an automaton of the formula";

/// What a pair costs, and the place of the first of the two.
type Best = (u64, usize);

/// The best pairs of a list of automata.
pub(super) struct Pairs {
    /// For each automaton its pair with one that stands before it; the first one has none.
    best: Vec<Best>,
}

impl Pairs {
    pub(super) fn new(parts: &[Built], levels: &[u32], budget: &Budget) -> Result<Self, OverBudget> {
        let mut this = Self { best: Vec::with_capacity(parts.len()) };
        for place in 0..parts.len() {
            this.best.push(best(parts, place, levels, budget)?);
        }
        Ok(this)
    }

    /// The places of the cheapest pair, of those that cost the same the first one.
    pub(super) fn cheapest(&self) -> (usize, usize) {
        let places = 1..self.best.len();
        let second = places.min_by_key(|&place| (self.best[place].0, place)).unwrap_or(1);
        (self.best[second].1, second)
    }

    /// The automata at `i` and, after it, `j` were taken out, the last ones put in their places, and what they were
    /// joined to stands at the end.
    pub(super) fn joined(
        &mut self,
        i: usize,
        j: usize,
        parts: &[Built],
        levels: &[u32],
        budget: &Budget,
    ) -> Result<(), OverBudget> {
        let last = parts.len() - 1;
        let moved = [i, j];
        self.best.truncate(last);
        for place in 0..last {
            let gone = [i, j, last, last + 1].contains(&self.best[place].1);
            if gone || moved.contains(&place) {
                self.best[place] = best(parts, place, levels, budget)?;
                continue;
            }
            for first in moved.into_iter().filter(|&first| first < place) {
                self.best[place] = self.best[place].min((cost(&parts[first], &parts[place], levels), first));
            }
        }
        budget.step(last as u64 / 8, WHAT)?;
        self.best.push(best(parts, last, levels, budget)?);
        Ok(())
    }
}

/// The best partner of an automaton among those before it.
fn best(parts: &[Built], place: usize, levels: &[u32], budget: &Budget) -> Result<Best, OverBudget> {
    budget.step(place as u64 / 4, WHAT)?;
    let costs = (0..place).map(|first| (cost(&parts[first], &parts[place], levels), first));
    Ok(costs.min().unwrap_or((u64::MAX, 0)))
}

fn cost(f: &Built, g: &Built, levels: &[u32]) -> u64 {
    let level = |side: &Built, at: usize| side.tracks.get(at).map_or(u32::MAX, |t| levels[t.0 as usize]);
    let (mut shared, mut at_f, mut at_g) = (0, 0, 0);
    while at_f < f.tracks.len() && at_g < g.tracks.len() {
        let (p, q) = (level(f, at_f), level(g, at_g));
        shared += u64::from(p == q);
        at_f += usize::from(p <= q);
        at_g += usize::from(q <= p);
    }
    let apart = (f.tracks.len() + g.tracks.len()) as u64 - 2 * shared;
    let states = f.dfa.states() as u64 * g.dfa.states() as u64;
    states.saturating_mul(2 + apart).saturating_mul(if shared == 0 { 8 } else { 1 })
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::super::core::Track;
    use super::*;
    use posetta_automata::tracks::{Said, TrackDfa};

    /// The pair that is found is the one that comparing all of them finds, whatever was joined before.
    #[test]
    fn the_cheapest_pair_of_all_is_found() {
        let budget = Budget::unlimited();
        let built = |seed: u32| {
            let states = 2 + (seed * 7 + seed / 3) % 5;
            let said: Vec<Said> = (0..states).map(|s| if s % 2 == 0 { Said::Yes } else { Said::No }).collect();
            let tracks: Vec<Track> =
                (0..6).filter(|t| (seed * 5 + 3) >> (t % 4) & 1 == 1 || t % 5 == seed % 5).map(Track).collect();
            let dfa = TrackDfa::table(1, &said, |s, _| s, &budget).expect("no limit");
            Built { dfa, tracks: Rc::from(tracks), cared: false }
        };
        let levels: Vec<u32> = (0..6).collect();
        let mut parts: Vec<Built> = (0..40).map(built).collect();
        let mut pairs = Pairs::new(&parts, &levels, &budget).expect("no limit");
        for round in 0..38 {
            let all = (1..parts.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
            let expected =
                all.min_by_key(|&(i, j)| (cost(&parts[i], &parts[j], &levels), j, i)).expect("there are two");
            let (i, j) = pairs.cheapest();
            assert_eq!((i, j), expected, "round {round}");
            parts.swap_remove(j);
            parts.swap_remove(i);
            parts.push(built(40 + round));
            pairs.joined(i, j, &parts, &levels, &budget).expect("no limit");
        }
    }
}
