//! Where runs can be after events that have not come.
//!
//! A pair is a state and a memory. Events that have not come lead from pair to pair with any letters that may follow, so what can
//! be reached by any number of them is the transitive closure (Warshall 1962), as rows of bits.

use super::steps_after;
use super::table::Table;
use posetta_automata::StateId;
use posetta_base::{Budget, Claim, LetterId, OverBudget};
use posetta_logic::{Letters, Memory};

const WHAT: &str = "finding out what can become of a run";

/// With more pairs it is not worth it.
const MOST_PAIRS: usize = 1 << 10;

/// A state and a memory: a number below the product of how many there are.
pub type Pair = u32;

/// Rows of bits, one for each pair.
pub(super) struct Mixing {
    /// With the numbers of the letters of the table.
    pub(super) letters: Letters,
    memories: u32,
    words: usize,
    /// What one event leads to.
    once: Vec<u64>,
    /// What any number of them leads to, none included.
    reach: Vec<u64>,
    _claim: Claim,
}

impl Mixing {
    /// `None` if there are too many pairs.
    pub(super) fn new(table: &Table, letters: Letters, budget: &Budget) -> Result<Option<Self>, OverBudget> {
        let memories = letters.memories();
        let pairs = table.len() * memories;
        if pairs > MOST_PAIRS {
            return Ok(None);
        }
        let words = pairs.div_ceil(64);
        let claim = budget.claim(16 * (pairs * words) as u64, WHAT)?;
        let (once, reach) = (vec![0; pairs * words], vec![0; pairs * words]);
        let mut mixing = Self { letters, memories: memories as u32, words, once, reach, _claim: claim };
        for memory in (0..memories as u32).map(Memory) {
            let steps: Vec<(LetterId, Memory)> = steps_after(&mixing.letters, Some(memory));
            for state in table.states() {
                budget.step(0, WHAT)?;
                let row = mixing.pair(state, memory) as usize * words;
                for &(letter, after) in &steps {
                    for &target in table.after(state, letter) {
                        let to = mixing.pair(target, after) as usize;
                        mixing.once[row + to / 64] |= 1 << (to % 64);
                    }
                }
            }
        }
        mixing.reach.copy_from_slice(&mixing.once);
        for via in 0..pairs {
            budget.step(0, WHAT)?;
            mixing.reach[via * words + via / 64] |= 1 << (via % 64);
            let through: Vec<u64> = mixing.reach[via * words..(via + 1) * words].to_vec();
            for from in 0..pairs {
                let row = &mut mixing.reach[from * words..(from + 1) * words];
                if row[via / 64] >> (via % 64) & 1 == 1 {
                    row.iter_mut().zip(&through).for_each(|(row, through)| *row |= through);
                }
            }
        }
        Ok(Some(mixing))
    }

    pub(super) fn pair(&self, state: StateId, memory: Memory) -> Pair {
        state.0 * self.memories + memory.0
    }

    pub(super) fn parts(&self, pair: Pair) -> (StateId, Memory) {
        (StateId(pair / self.memories), Memory(pair % self.memories))
    }

    /// What can be reached from a pair by at least one event, ascending.
    pub(super) fn after_one(&self, pair: Pair) -> Vec<Pair> {
        self.after_any(members(&self.once[pair as usize * self.words..][..self.words]))
    }

    /// What can be reached from some pairs, themselves included, ascending.
    pub(super) fn after_any(&self, from: impl Iterator<Item = Pair>) -> Vec<Pair> {
        let mut all = vec![0u64; self.words];
        for pair in from {
            let row = &self.reach[pair as usize * self.words..][..self.words];
            all.iter_mut().zip(row).for_each(|(all, row)| *all |= row);
        }
        members(&all).collect()
    }
}

fn members(bits: &[u64]) -> impl Iterator<Item = Pair> {
    bits.iter()
        .enumerate()
        .flat_map(|(i, &word)| (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| (64 * i + bit) as Pair))
}
