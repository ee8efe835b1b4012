//! A shortest string of which an automaton says what one wants.

use super::{Said, TrackDfa, WHAT};
use posetta_base::{Budget, OverBudget};
use posetta_dd::mtbdd::path_to;

/// One track at one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bit {
    /// 0
    Zero,
    /// 1
    One,
    /// Whatever it is, the answer is the same.
    Any,
}

impl From<Option<bool>> for Bit {
    fn from(bit: Option<bool>) -> Self {
        match bit {
            None => Self::Any,
            Some(false) => Self::Zero,
            Some(true) => Self::One,
        }
    }
}

/// The letters of a shortest string of which it says this: the letter before the string, then one for each position, each with a bit for every
/// track. Zeros are preferred.
///
/// # Errors
/// When the budget is spent.
pub fn shortest(dfa: &TrackDfa, said: Said, budget: &Budget) -> Result<Option<Vec<Vec<Bit>>>, OverBudget> {
    let mut from: Vec<Option<u32>> = vec![None; dfa.states()];
    let mut queue = vec![0_u32];
    let mut next = 0;
    while let Some(&state) = queue.get(next) {
        if state != 0 && dfa.said(state) == said {
            return Ok(Some(letters(dfa, state, &from)));
        }
        next += 1;
        if next % 1024 == 0 {
            budget.step(1024, WHAT)?;
        }
        for target in dfa.targets(state) {
            if target != 0 && from[target as usize].is_none() {
                from[target as usize] = Some(state);
                queue.push(target);
            }
        }
    }
    Ok(None)
}

fn letters(dfa: &TrackDfa, mut state: u32, from: &[Option<u32>]) -> Vec<Vec<Bit>> {
    let mut letters = Vec::new();
    while let Some(source) = from[state as usize] {
        letters.push(letter(dfa, source, state));
        state = source;
    }
    letters.reverse();
    letters
}

/// A letter that leads from one state to another.
fn letter(dfa: &TrackDfa, source: u32, target: u32) -> Vec<Bit> {
    let found = path_to(&dfa.steps.nodes, dfa.root(source), target, dfa.width() as usize);
    found.expect("a search came along here").into_iter().map(Bit::from).collect()
}
