//! A formula as an automaton over letters: for each letter which sets its position lies in.
//!
//! Where there are few letters, a table of states is all that is needed, and no diagram. Start at [`over_letters`].

use super::decide::language;
use posetta_automata::tracks::Said;
use posetta_base::{Budget, OverBudget};
use posetta_logic::m2l::{Program, VarId};

const WHAT: &str = "listing the states of the formula";

/// A deterministic automaton on words of numbered letters; state 0 is the first, and all states are reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LetterTable {
    /// How many letters there are.
    pub letters: usize,
    /// Where letters lead: those of state 0, then those of state 1, …
    pub next: Vec<u32>,
    /// Whether a word that ends in a state satisfies the formula.
    pub accepts: Vec<bool>,
}

/// The words that satisfy a formula, read as a property. At a position with a letter exactly the sets of that letter hold; a
/// variable that no letter has is the empty set.
///
/// # Errors
/// When the budget is spent.
pub fn over_letters(program: &Program, letters: &[Vec<VarId>], budget: &Budget) -> Result<LetterTable, OverBudget> {
    let automaton = language(program, budget)?;
    // For each letter the truth of the tracks.
    let rows: Vec<Vec<bool>> =
        letters.iter().map(|sets| automaton.vars.iter().map(|var| sets.contains(var)).collect()).collect();
    let dfa = &automaton.dfa;
    let first = dfa.step(0, |_| false);
    let _claim = budget.claim(8 * dfa.states() as u64, WHAT)?;
    let mut number = vec![u32::MAX; dfa.states()];
    number[first as usize] = 0;
    let mut states = vec![first];
    let mut list = LetterTable { letters: letters.len(), next: Vec::new(), accepts: Vec::new() };
    let mut claim = budget.claim(0, WHAT)?;
    while let Some(&state) = states.get(list.accepts.len()) {
        budget.step(letters.len() as u64, WHAT)?;
        list.accepts.push(dfa.said(state) == Said::Yes);
        for row in &rows {
            let to = dfa.step(state, |track| row[track as usize]);
            if number[to as usize] == u32::MAX {
                number[to as usize] = states.len() as u32;
                states.push(to);
            }
            list.next.push(number[to as usize]);
        }
        claim.grow_to(8 * list.next.len() as u64, WHAT)?;
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use posetta_logic::m2l::parse_property;

    #[test]
    fn only_words_of_letters_count() {
        let program = parse_property("all1 p: p in `b` => ex1 q: q < p & q in `a`").expect("it is fine");
        let var = |name: &str| {
            let found = program.atoms.iter().find(|(_, atom)| atom.to_string() == name);
            found.map(|&(var, _)| vec![var]).unwrap_or_default()
        };
        let budget = Budget::unlimited();
        let listed = over_letters(&program, &[var("a"), var("b"), var("c")], &budget).expect("there is room");
        assert_eq!(listed.letters, 3);
        assert_eq!(listed.accepts, [true, true, false]);
        assert_eq!(listed.next, [1, 2, 0, 1, 1, 1, 2, 2, 2]);
        let little = Budget::with_work(1 << 20, 10);
        assert!(over_letters(&program, &[var("a")], &little).is_err());
    }
}
