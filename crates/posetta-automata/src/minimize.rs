//! The smallest deterministic automaton with the same words, in one form.
//!
//! Classes of states are split until states of one class agree in acceptance and in the classes that they lead to
//! ([`refine`]); states are then numbered in the order in which a search along ascending letters meets them. Two automata over
//! one alphabet have the same words exactly if their results are equal.
//!
//! Where there is no empty word, nobody asks whether the start accepts. It is then made one with a state that leads to the same
//! states, if there is one and both read the same letters, rather one that does not accept; else it counts as not
//! accepting.

use super::{Dfa, StateId, refine};
use posetta_base::{Budget, OverBudget};

const WHAT: &str = "making the automaton of the property small";

/// The smallest automaton with the same words.
///
/// # Errors
/// When the budget is spent.
pub fn minimize(dfa: &Dfa, budget: &Budget) -> Result<Dfa, OverBudget> {
    let entered = dfa.rows.iter().any(|row| row.contains(&dfa.start()));
    if !dfa.alphabet.empty_word && entered {
        return minimize(&apart(dfa), budget);
    }
    let alphabet = &dfa.alphabet;
    let same_letters = alphabet.first == alphabet.later;
    let alone = !alphabet.empty_word || !same_letters;
    let size = dfa.rows.len();
    // The start, where nothing can be compared with it, is a class of its own.
    let numbers = (0..size).map(|i| if i == 0 && alone { 2 } else { u32::from(dfa.accepting[i]) });
    let sign = |state: u32, classes: &[u32], signature: &mut Vec<u32>| {
        signature.extend(dfa.rows[state as usize].iter().map(|t| classes[t.0 as usize]));
    };
    let targets = |state: u32, all: &mut Vec<u32>| all.extend(dfa.rows[state as usize].iter().map(|t| t.0));
    let (mut class, count) = refine(numbers, sign, targets, WHAT, budget)?;
    let same_row = |i: usize| {
        let (own, start) = (&dfa.rows[i], &dfa.rows[0]);
        own.len() == start.len() && own.iter().zip(start).all(|(a, b)| class[a.0 as usize] == class[b.0 as usize])
    };
    let mut accepting = dfa.accepting.clone();
    if !alphabet.empty_word {
        accepting[0] = false;
        let twins: Vec<usize> = if same_letters { (1..size).filter(|&i| same_row(i)).collect() } else { Vec::new() };
        let plain = twins.iter().find(|&&i| !accepting[i]);
        if let Some(&twin) = plain.or(twins.first()) {
            class[0] = class[twin];
            accepting[0] = accepting[twin];
        }
    }
    Ok(number(dfa, &class, count, &accepting))
}

/// The same automaton with a start that is never entered: where it was, a copy is.
fn apart(dfa: &Dfa) -> Dfa {
    let copy = StateId(dfa.rows.len() as u32);
    let mut dfa = dfa.clone();
    for row in &mut dfa.rows {
        row.iter_mut().filter(|target| **target == StateId(0)).for_each(|target| *target = copy);
    }
    dfa.rows.push(dfa.rows[0].clone());
    dfa.accepting.push(dfa.accepting[0]);
    dfa
}

/// The automaton of the classes that can be reached, numbered breadth first.
fn number(dfa: &Dfa, class: &[u32], count: usize, accepting: &[bool]) -> Dfa {
    let mut ids: Vec<Option<StateId>> = vec![None; count];
    let mut examples = vec![0usize];
    ids[class[0] as usize] = Some(StateId(0));
    let mut small = Dfa { alphabet: dfa.alphabet.clone(), rows: Vec::new(), accepting: Vec::new() };
    while let Some(&example) = examples.get(small.rows.len()) {
        let row = dfa.rows[example].iter().map(|target| {
            *ids[class[target.0 as usize] as usize].get_or_insert_with(|| {
                examples.push(target.0 as usize);
                StateId(examples.len() as u32 - 1)
            })
        });
        let row = row.collect();
        small.rows.push(row);
        small.accepting.push(accepting[example]);
    }
    small
}
