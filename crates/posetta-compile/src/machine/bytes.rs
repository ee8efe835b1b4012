//! A machine over bytes: letters of at most eight atoms, one bit each, one look into a table per letter.

use super::{Answers, Listed, Prospect, bits};
use posetta_automata::StateId;

/// After so many letters it is looked whether something has been determined. What is determined stays so, so the letter that did it
/// is found by reading one stretch again.
const STRETCH: usize = 4096;

/// A machine that reads bytes. A letter that cannot come leads to a state of its own, which is never left.
#[derive(Clone, Debug)]
pub struct Bytes {
    /// For each state and byte the next state, times 256.
    next: Vec<u32>,
    answers: Vec<u8>,
}

/// Where reading has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    /// The state, times 256.
    at: u32,
    /// How many letters have been read.
    pub letters: u64,
    /// The letter, counted from 0, at which the prospect was determined, if it is.
    pub determined: Option<u64>,
}

impl Bytes {
    /// The machine of a table; `None` with more than eight atoms, or if what values rule out would have to be known.
    #[must_use]
    pub fn new(machine: &Listed) -> Option<Self> {
        let letters = machine.letters();
        let symbols = machine.symbols();
        let atoms = letters.atoms().len();
        if atoms > 8 || symbols.iter().any(|(_, memory)| memory.0 > 0) {
            return None;
        }
        let moore = machine.moore();
        let stuck = moore.len() as u32;
        let mut class: Vec<Option<u32>> = vec![None; 256];
        for ((letter, _), &of) in symbols.into_iter().zip(moore.classes()) {
            let low = bits(letters.vector(letter));
            // The bits that no atom has do not matter.
            for high in 0..256usize >> atoms {
                class[high << atoms | low] = Some(of);
            }
        }
        let mut next = Vec::with_capacity((moore.len() + 1) * 256);
        for state in 0..=stuck {
            next.extend(class.iter().map(|class| {
                let target = class.filter(|_| state < stuck).and_then(|class| moore.after(StateId(state), class));
                target.map_or(stuck, |target| target.0) * 256
            }));
        }
        let mut answers = moore.outputs().to_vec();
        answers.push(Answers { satisfied: false, prospect: Prospect::Open, monitorable: Some(false) }.code());
        Some(Self { next, answers })
    }

    /// Before the first letter.
    #[must_use]
    pub fn start(&self) -> Reached {
        Reached { at: 0, letters: 0, determined: None }
    }

    /// Reads letters.
    pub fn read(&self, reached: &mut Reached, letters: &[u8]) {
        for stretch in letters.chunks(STRETCH) {
            let before = reached.at;
            reached.at = stretch.iter().fold(before, |at, &letter| self.after(at, letter));
            if reached.determined.is_none() && self.is_determined(reached.at) {
                let mut at = before;
                let position = stretch.iter().position(|&letter| {
                    at = self.after(at, letter);
                    self.is_determined(at)
                });
                reached.determined = position.map(|position| reached.letters + position as u64);
            }
            reached.letters += stretch.len() as u64;
        }
    }

    /// The answers there; `None` after a letter that cannot come.
    #[must_use]
    pub fn answers(&self, reached: Reached) -> Option<Answers> {
        let state = (reached.at / 256) as usize;
        (state + 1 < self.answers.len()).then(|| Answers::from_code(self.answers[state]))
    }

    #[inline]
    fn after(&self, at: u32, letter: u8) -> u32 {
        self.next[(at + u32::from(letter)) as usize]
    }

    fn is_determined(&self, at: u32) -> bool {
        Answers::from_code(self.answers[(at / 256) as usize]).prospect != Prospect::Open
    }
}
