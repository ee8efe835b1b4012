//! Which runs have pictures: the first ones, in the order of the arguments, on which something is violated.
//!
//! A picture holds a whole run, so there is room for a few. Runs come in any order, and which ones are kept must not depend on it: once
//! one is left out, so is every run behind it.

use std::collections::{BTreeMap, BTreeSet};

/// So many runs have pictures, with so many events together; the first one has a picture in any case.
const RUNS: usize = 20;
const EVENTS: usize = 200_000;

/// The place of a run: which argument, and which run of it.
pub type Place = (usize, usize);

/// The runs that have pictures, with the number of their events.
#[derive(Debug, Default)]
pub struct Gallery {
    kept: BTreeMap<Place, usize>,
    /// The first one that is left out.
    end: Option<Place>,
    /// Those that are.
    left_out: BTreeSet<Place>,
}

impl Gallery {
    /// How many runs with violations have none.
    pub fn left_out(&self) -> usize {
        self.left_out.len()
    }

    /// Whether a run with a violation has a picture, and which others have none any more.
    pub fn add(&mut self, place: Place, events: usize) -> (bool, Vec<Place>) {
        if self.end.is_some_and(|end| place >= end) {
            self.left_out.insert(place);
            return (false, Vec::new());
        }
        self.kept.insert(place, events);
        let mut gone = Vec::new();
        while self.kept.len() > RUNS || self.kept.len() > 1 && self.kept.values().sum::<usize>() > EVENTS {
            let Some((last, _)) = self.kept.pop_last() else { break };
            self.end = Some(last);
            self.left_out.insert(last);
            gone.push(last);
        }
        (!gone.contains(&place), gone)
    }

    /// Whether a run is known to have one.
    pub fn has(&self, place: Place) -> bool {
        self.kept.contains_key(&place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is kept after runs have come in this order.
    fn kept(runs: &[(usize, usize)]) -> (Vec<usize>, usize) {
        let mut gallery = Gallery::default();
        for &(place, events) in runs {
            gallery.add((place, 0), events);
        }
        (gallery.kept.keys().map(|(place, _)| *place).collect(), gallery.left_out())
    }

    #[test]
    fn the_first_ones_are_kept_whatever_comes_first() {
        let runs = [(1, 150_000), (2, 60_000), (3, 1), (4, 1)];
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [0, 2, 1, 3], [2, 0, 3, 1]] {
            assert_eq!(kept(&order.map(|i| runs[i])), (vec![1], 3), "{order:?}");
        }
        let many: Vec<(usize, usize)> = (0..50).map(|i| (i, 10)).collect();
        let back: Vec<(usize, usize)> = many.iter().rev().copied().collect();
        assert_eq!(kept(&many), ((0..RUNS).collect(), 30));
        assert_eq!(kept(&many), kept(&back));
        assert_eq!(kept(&[(7, 1_000_000)]), (vec![7], 0));
    }
}
