//! A PSL formula as an automaton whose states are the words read so far.
//!
//! Right by construction and slow: no two words lead to the same state, and each is judged by definition when it is first read. It stands
//! where an automaton that forgets will stand.

use rustc_hash::FxHashMap;

use super::automaton::Automaton;
use crate::automata::StateId;
use crate::base::{Budget, OverBudget};
use crate::logic::eval::{Word, psl_decide};
use crate::logic::{AtomId, Psl};

/// The automaton of the words that violate a formula, or of those that satisfy it.
#[must_use]
pub fn psl_automaton(formula: &Psl<AtomId>, violated: bool) -> Box<dyn Automaton> {
    let start = Read { before: None, letter: Box::default(), accepts: None };
    Box::new(Words { formula: formula.clone(), violated, states: vec![start], ids: FxHashMap::default(), held: 0 })
}

/// A word: the one before its last letter, and that letter.
struct Read {
    before: Option<StateId>,
    letter: Box<[bool]>,
    /// `None` for the empty word, which is judged when it is asked for.
    accepts: Option<bool>,
}

struct Words {
    formula: Psl<AtomId>,
    violated: bool,
    states: Vec<Read>,
    ids: FxHashMap<(StateId, Box<[bool]>), StateId>,
    held: u64,
}

impl Words {
    /// The word of a state, with one more letter.
    fn word(&self, state: StateId, letter: &[bool]) -> Word {
        let mut letters = vec![letter];
        let mut at = Some(state);
        while let Some(state) = at {
            let read = &self.states[state.0 as usize];
            if read.before.is_some() {
                letters.push(&read.letter);
            }
            at = read.before;
        }
        letters.reverse();
        let rows = (0..letter.len()).map(|atom| letters.iter().map(|l| l[atom]).collect()).collect();
        Word::from_rows(rows, letters.len())
    }
}

const START: StateId = StateId(0);

impl Automaton for Words {
    fn start(&self) -> StateId {
        START
    }

    fn step(&mut self, state: StateId, letter: &[bool], budget: &Budget) -> Result<Vec<StateId>, OverBudget> {
        let key = (state, letter.into());
        if let Some(&known) = self.ids.get(&key) {
            return Ok(vec![known]);
        }
        let holds = psl_decide(&self.formula, &self.word(state, letter), budget)?;
        let id = StateId(self.states.len() as u32);
        self.held += letter.len() as u64;
        self.states.push(Read { before: Some(state), letter: letter.into(), accepts: Some(holds != self.violated) });
        self.ids.insert(key, id);
        Ok(vec![id])
    }

    fn accepts(&self, state: StateId) -> bool {
        self.states[state.0 as usize].accepts.unwrap_or_else(|| {
            // Without a letter no limit can be reached that the formula by itself does not reach.
            let empty = Word::from_rows(Vec::new(), 0);
            psl_decide(&self.formula, &empty, &Budget::unlimited()).is_ok_and(|holds| holds != self.violated)
        })
    }

    fn is_universal(&self, _: StateId) -> bool {
        false
    }

    fn bytes(&self) -> u64 {
        self.states.len() as u64 * 120 + self.held * 2
    }
}
