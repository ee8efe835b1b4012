//! The subset construction (Rabin and Scott 1959).
//!
//! A state is the set of states in which the nondeterministic automaton may be. A set with a universal member accepts all
//! that follows, so that member alone stands for it; without this, `F p` conjoined with much else remembers for ever what
//! no longer matters.

use rustc_hash::FxHashMap;

use super::{Alphabet, Dfa, StateId, Successors};
use posetta_base::{Budget, OverBudget};

const WHAT: &str = "making the automaton of the property deterministic";

/// The deterministic automaton with the same words: complete, with the empty set as the state of no return.
///
/// # Errors
/// When the budget is spent: there may be exponentially many sets.
pub fn determinize(source: &mut impl Successors, alphabet: &Alphabet, budget: &Budget) -> Result<Dfa, OverBudget> {
    let mut dfa = Dfa { alphabet: alphabet.clone(), rows: Vec::new(), accepting: Vec::new() };
    let mut ids: FxHashMap<Box<[StateId]>, StateId> = FxHashMap::default();
    let mut sets: Vec<Box<[StateId]>> = vec![[source.start()].into()];
    // What one member does under one letter is asked once, not once per set.
    let mut known: FxHashMap<(StateId, u32), Box<[StateId]>> = FxHashMap::default();
    let mut claim = budget.claim(0, WHAT)?;
    let mut bytes = 0u64;
    while let Some(set) = sets.get(dfa.rows.len()).cloned() {
        let letters = if dfa.rows.is_empty() { &alphabet.first } else { &alphabet.later };
        let mut row = Vec::with_capacity(letters.len());
        for &letter in letters {
            budget.step(1, WHAT)?;
            let mut next: Vec<StateId> = Vec::new();
            for &state in &set {
                let targets = match known.get(&(state, letter.raw())) {
                    Some(targets) => targets,
                    None => {
                        let targets = source.step(state, letter, budget)?;
                        bytes += 48 + 4 * targets.len() as u64;
                        known.entry((state, letter.raw())).or_insert(targets.into())
                    }
                };
                next.extend_from_slice(targets);
            }
            next.sort_unstable();
            next.dedup();
            if let Some(&all) = next.iter().find(|&&s| source.is_universal(s)) {
                next = vec![all];
            }
            row.push(match ids.get(next.as_slice()) {
                Some(&id) => id,
                None => {
                    let id = StateId(sets.len() as u32);
                    bytes += 100 + 8 * next.len() as u64;
                    sets.push(next.clone().into());
                    ids.insert(next.into(), id);
                    id
                }
            });
        }
        bytes += 4 * row.len() as u64;
        claim.grow_to(bytes, WHAT)?;
        dfa.accepting.push(set.iter().any(|&s| source.accepts(s)));
        dfa.rows.push(row.into());
    }
    Ok(dfa)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minimize;
    use posetta_base::LetterId;

    /// Words over 0 and 1 whose letter `n` before the end is 1, guessed.
    struct FromTheEnd(u32);

    impl Successors for FromTheEnd {
        fn start(&self) -> StateId {
            StateId(0)
        }

        fn step(&mut self, state: StateId, letter: LetterId, _: &Budget) -> Result<Vec<StateId>, OverBudget> {
            // 1 waits as the start does, which is not entered again.
            Ok(match (state.0, letter.raw()) {
                (0 | 1, 0) => vec![StateId(1)],
                (0 | 1, _) => vec![StateId(1), StateId(2)],
                (s, _) if s < 2 + self.0 => vec![StateId(s + 1)],
                _ => vec![],
            })
        }

        fn accepts(&self, state: StateId) -> bool {
            state.0 == 2 + self.0
        }

        fn is_universal(&self, _: StateId) -> bool {
            false
        }
    }

    #[test]
    fn remembering_the_last_letters_takes_exponentially_many_states() {
        let letters: Vec<LetterId> = [0, 1].map(LetterId::from_raw).to_vec();
        let alphabet = Alphabet { first: letters.clone(), later: letters, empty_word: true };
        for n in 0..8 {
            let budget = Budget::unlimited();
            let dfa = determinize(&mut FromTheEnd(n), &alphabet, &budget).unwrap();
            let small = minimize(&dfa, &budget).unwrap();
            assert_eq!(small.len(), 2 << n, "{n}");
            assert_eq!(minimize(&small, &budget).unwrap(), small);
            for word in 0u32..1 << 9 {
                let letter = |i: u32| LetterId::from_raw(word >> i & 1);
                let end = (0..9).fold(small.start(), |s, i| small.after(s, letter(i)).unwrap());
                assert_eq!(small.accepts(end), word >> (8 - n) & 1 == 1, "{n}: {word:b}");
            }
        }
        let over = determinize(&mut FromTheEnd(30), &alphabet, &Budget::with_memory(1 << 16)).unwrap_err();
        assert_eq!(over.limit, posetta_base::Limit::Memory);
    }
}
