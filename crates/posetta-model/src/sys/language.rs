//! Regular languages as transition systems: the smallest deterministic one that does the prefixes of the words.
//!
//! An expression becomes an automaton with silent moves (Thompson 1968), the sets of places in which it can be become states (Rabin and
//! Scott 1959), and states that do the same become one. No expression is without words, so every place leads to the end of a
//! word: all states accept, and a letter that cannot come has no arc.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use posetta_automata::refine;
use posetta_base::Budget;

/// An expression over numbered letters.
#[derive(Clone, Debug)]
pub(super) enum Regular {
    Empty,
    Letter(u32),
    Sequence(Vec<Regular>),
    Choice(Vec<Regular>),
    Repeat { none: bool, many: bool, inner: Box<Regular> },
}

/// States from 0, which is the first, numbered in the order in which a search along ascending letters meets them; arcs (from, letter, to)
/// ascending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Deterministic {
    pub(super) states: u32,
    pub(super) arcs: Vec<(u32, u32, u32)>,
}

/// The work is more than was allowed: there may be exponentially many sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooMuch;

/// The prefixes of a language; `left` is the work that may be done.
pub(super) fn prefixes(regular: &Regular, left: &mut u64) -> Result<Deterministic, TooMuch> {
    let mut places = Places::default();
    let end = places.add(Position::End);
    let start = places.build(regular, end);
    let sets = places.sets(start, left)?;
    Ok(smallest(&sets))
}

/// Where a word can be in an expression.
#[derive(Clone, Debug)]
enum Position {
    /// Behind the whole word.
    End,
    /// Before a letter, and where it leads.
    Before(u32, u32),
    /// In several places at once.
    Fork(Vec<u32>),
}

#[derive(Debug, Default)]
struct Places(Vec<Position>);

impl Places {
    fn add(&mut self, place: Position) -> u32 {
        self.0.push(place);
        self.0.len() as u32 - 1
    }

    /// The place before an expression, when `next` is the one behind it.
    fn build(&mut self, regular: &Regular, next: u32) -> u32 {
        match regular {
            Regular::Empty => next,
            Regular::Letter(letter) => self.add(Position::Before(*letter, next)),
            Regular::Sequence(parts) => parts.iter().rev().fold(next, |next, part| self.build(part, next)),
            Regular::Choice(parts) => {
                let starts = parts.iter().map(|part| self.build(part, next)).collect();
                self.add(Position::Fork(starts))
            }
            Regular::Repeat { none, many, inner } => {
                let again = if *many { self.add(Position::Fork(vec![next])) } else { next };
                let start = self.build(inner, again);
                if *many && let Position::Fork(targets) = &mut self.0[again as usize] {
                    targets.push(start);
                }
                if *none { self.add(Position::Fork(vec![start, next])) } else { start }
            }
        }
    }

    /// The subset construction, with letters as they come.
    fn sets(&self, start: u32, left: &mut u64) -> Result<Deterministic, TooMuch> {
        let mut seen = vec![0u32; self.0.len()];
        let mut round = 0;
        let first = self.closure(&[start], &mut seen, &mut round, left)?;
        let mut ids: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        ids.insert(first.clone(), 0);
        let mut queue = VecDeque::from([first]);
        let mut arcs = Vec::new();
        let mut from = 0;
        while let Some(set) = queue.pop_front() {
            let mut steps: Vec<(u32, u32)> = set
                .iter()
                .filter_map(|&p| match self.0[p as usize] {
                    Position::Before(letter, next) => Some((letter, next)),
                    _ => None,
                })
                .collect();
            steps.sort_unstable();
            for group in steps.chunk_by(|a, b| a.0 == b.0) {
                let targets: Vec<u32> = group.iter().map(|&(_, next)| next).collect();
                let next = self.closure(&targets, &mut seen, &mut round, left)?;
                let fresh = ids.len() as u32;
                let to = *ids.entry(next).or_insert_with_key(|next| {
                    queue.push_back(next.clone());
                    fresh
                });
                arcs.push((from, group[0].0, to));
            }
            from += 1;
        }
        Ok(Deterministic { states: from, arcs })
    }

    /// The places before letters that can be reached without one, ascending.
    fn closure(&self, from: &[u32], seen: &mut [u32], round: &mut u32, left: &mut u64) -> Result<Vec<u32>, TooMuch> {
        *round += 1;
        let mut found = Vec::new();
        let mut stack = from.to_vec();
        while let Some(place) = stack.pop() {
            if std::mem::replace(&mut seen[place as usize], *round) == *round {
                continue;
            }
            *left = left.checked_sub(1).ok_or(TooMuch)?;
            match &self.0[place as usize] {
                Position::End => {}
                Position::Before(..) => found.push(place),
                Position::Fork(targets) => {
                    *left = left.checked_sub(targets.len() as u64).ok_or(TooMuch)?;
                    stack.extend_from_slice(targets);
                }
            }
        }
        found.sort_unstable();
        Ok(found)
    }
}

/// States that do the same made one.
pub(super) fn smallest(all: &Deterministic) -> Deterministic {
    // The arcs ascend, so those of a state are one stretch.
    let mut firsts = vec![0; all.states as usize + 1];
    all.arcs.iter().for_each(|&(from, ..)| firsts[from as usize + 1] += 1);
    for state in 0..all.states as usize {
        firsts[state + 1] += firsts[state];
    }
    let arcs_of = |state: u32| &all.arcs[firsts[state as usize]..firsts[state as usize + 1]];
    let sign = |state: u32, blocks: &[u32], signature: &mut Vec<u32>| {
        arcs_of(state).iter().for_each(|&(_, letter, to)| signature.extend([letter, blocks[to as usize]]));
    };
    let targets = |state: u32, after: &mut Vec<u32>| after.extend(arcs_of(state).iter().map(|&(.., to)| to));
    let same = std::iter::repeat_n(0, all.states as usize);
    let (block, count) = refine(same, sign, targets, "making a language small", &Budget::unlimited())
        .expect("nothing is limited, and nobody has the handle to stop it");
    let mut arcs: Vec<(u32, u32, u32)> =
        all.arcs.iter().map(|&(from, letter, to)| (block[from as usize], letter, block[to as usize])).collect();
    arcs.sort_unstable();
    arcs.dedup();
    let start = block[0];
    // The order in which a search meets them.
    let mut number = vec![u32::MAX; count];
    number[start as usize] = 0;
    let mut order = vec![start];
    let mut next = 0;
    let mut renumbered = Vec::with_capacity(arcs.len());
    while let Some(&state) = order.get(next) {
        let first = arcs.partition_point(|a| a.0 < state);
        for &(_, letter, to) in arcs[first..].iter().take_while(|a| a.0 == state) {
            if number[to as usize] == u32::MAX {
                number[to as usize] = order.len() as u32;
                order.push(to);
            }
            renumbered.push((next as u32, letter, number[to as usize]));
        }
        next += 1;
    }
    Deterministic { states: order.len() as u32, arcs: renumbered }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn any(rng: &mut fastrand::Rng, depth: u32) -> Regular {
        let letters = 3;
        match rng.u32(..if depth == 0 { 4 } else { 10 }) {
            0 => Regular::Empty,
            1..=3 => Regular::Letter(rng.u32(..letters)),
            4..=6 => Regular::Sequence((0..rng.usize(1..4)).map(|_| any(rng, depth - 1)).collect()),
            7 => Regular::Choice((0..rng.usize(1..4)).map(|_| any(rng, depth - 1)).collect()),
            _ => {
                let (none, many) = (rng.bool(), rng.bool());
                Regular::Repeat { none, many, inner: Box::new(any(rng, depth - 1)) }
            }
        }
    }

    /// The words of an expression up to a length, by definition.
    fn words(regular: &Regular, longest: usize) -> BTreeSet<Vec<u32>> {
        let join = |left: &BTreeSet<Vec<u32>>, right: &BTreeSet<Vec<u32>>| -> BTreeSet<Vec<u32>> {
            let all = left.iter().flat_map(|l| right.iter().map(move |r| [&l[..], &r[..]].concat()));
            all.filter(|w| w.len() <= longest).collect()
        };
        match regular {
            Regular::Empty => BTreeSet::from([vec![]]),
            Regular::Letter(l) => BTreeSet::from([vec![*l]]),
            Regular::Sequence(parts) => {
                parts.iter().fold(BTreeSet::from([vec![]]), |all, part| join(&all, &words(part, longest)))
            }
            Regular::Choice(parts) => parts.iter().flat_map(|p| words(p, longest)).collect(),
            Regular::Repeat { none, many, inner } => {
                let once = words(inner, longest);
                let mut all = once.clone();
                if *many {
                    for _ in 0..longest {
                        all = all.union(&join(&all, &once)).cloned().collect();
                    }
                }
                if *none {
                    all.insert(vec![]);
                }
                all
            }
        }
    }

    /// Words of one length that can be done.
    fn done(lts: &Deterministic, length: usize) -> BTreeSet<Vec<u32>> {
        let mut all = vec![(vec![], 0)];
        for _ in 0..length {
            let further = all.iter().flat_map(|(word, state): &(Vec<u32>, u32)| {
                lts.arcs.iter().filter(move |a| a.0 == *state).map(move |a| ([&word[..], &[a.1]].concat(), a.2))
            });
            all = further.collect();
        }
        all.into_iter().map(|(word, _)| word).collect()
    }

    /// Whether two states can do the same, by looking for a difference.
    fn differ(lts: &Deterministic) -> bool {
        let size = lts.states as usize;
        let after = |s: usize, l: u32| lts.arcs.iter().find(|a| a.0 == s as u32 && a.1 == l).map(|a| a.2 as usize);
        let mut apart = vec![vec![false; size]; size];
        for _ in 0..size {
            for s in 0..size {
                for t in 0..size {
                    apart[s][t] |= (0..3).any(|l| match (after(s, l), after(t, l)) {
                        (Some(s), Some(t)) => apart[s][t],
                        (s, t) => s != t,
                    });
                }
            }
        }
        (0..size).all(|s| (0..s).all(|t| apart[s][t]))
    }

    #[test]
    fn prefixes_are_those_of_the_words_and_no_two_states_are_the_same() {
        const LENGTH: usize = 3;
        for seed in 0..400 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let regular = any(&mut rng, 3);
            let lts = prefixes(&regular, &mut 1_000_000).expect("it is small");
            assert!(differ(&lts), "seed {seed}: {regular:?} {lts:?}");
            // A word of the language that a prefix of three letters begins may be much longer: 27 letters at most without repetitions.
            if let Some(all) = short(&regular).then(|| words(&regular, 9)) {
                for length in 0..=LENGTH {
                    let expected: BTreeSet<Vec<u32>> =
                        all.iter().filter(|w| w.len() >= length).map(|w| w[..length].to_vec()).collect();
                    assert_eq!(done(&lts, length), expected, "seed {seed}: {regular:?}");
                }
            }
        }
    }

    /// Whether nine letters are enough to finish any prefix of three.
    fn short(regular: &Regular) -> bool {
        fn letters(regular: &Regular) -> usize {
            match regular {
                Regular::Empty => 0,
                Regular::Letter(_) => 1,
                Regular::Sequence(parts) | Regular::Choice(parts) => parts.iter().map(letters).sum(),
                Regular::Repeat { inner, .. } => letters(inner),
            }
        }
        // Finishing costs each letter of the expression once at most.
        letters(regular) <= 6
    }

    #[test]
    fn many_letters_are_no_trouble_and_explosions_are_refused() {
        let chain = Regular::Sequence((0..20_000).map(|i| Regular::Letter(i % 2)).collect());
        let lts = prefixes(&chain, &mut 1_000_000).expect("it is a chain");
        assert_eq!((lts.states, lts.arcs.len()), (20_001, 20_000));
        let bits = || Regular::Choice(vec![Regular::Letter(0), Regular::Letter(1)]);
        let mut parts = vec![Regular::Repeat { none: true, many: true, inner: Box::new(bits()) }, Regular::Letter(1)];
        parts.extend((0..30).map(|_| bits()));
        assert_eq!(prefixes(&Regular::Sequence(parts), &mut 1_000_000), Err(TooMuch));
    }
}
