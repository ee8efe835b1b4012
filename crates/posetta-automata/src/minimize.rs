//! The smallest deterministic automaton with the same words, in one form.
//!
//! Classes of states are split until states of one class agree in acceptance and in the classes that they lead to (Moore
//! 1956); states are then numbered in the order in which a search along ascending letters meets them. Two automata over
//! one alphabet have the same words exactly if their results are equal.
//!
//! Where there is no empty word, nobody asks whether the start accepts. It is then made one with a state that leads to the same
//! states, if there is one and both read the same letters, rather one that does not accept; else it counts as not
//! accepting.

use rustc_hash::FxHashMap;

use super::{Dfa, StateId};
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
    let width = alphabet.later.len().max(alphabet.first.len()) as u64;
    let _claim = budget.claim(size as u64 * (16 + 8 * width), WHAT)?;
    // The start, where nothing can be compared with it, is a class of its own.
    let mut class: Vec<u32> =
        (0..size).map(|i| if i == 0 && alone { 2 } else { u32::from(dfa.accepting[i]) }).collect();
    let mut count = distinct(&class);
    loop {
        let mut ids: FxHashMap<(u32, Vec<u32>), u32> = FxHashMap::default();
        let mut next = Vec::with_capacity(size);
        for (i, row) in dfa.rows.iter().enumerate() {
            budget.step(1, WHAT)?;
            let key = (class[i], row.iter().map(|t| class[t.0 as usize]).collect());
            let fresh = ids.len() as u32;
            next.push(*ids.entry(key).or_insert(fresh));
        }
        class = next;
        if ids.len() == count {
            break;
        }
        count = ids.len();
    }
    let row_of = |i: usize| -> Vec<u32> { dfa.rows[i].iter().map(|t| class[t.0 as usize]).collect() };
    let mut accepting = dfa.accepting.clone();
    if !alphabet.empty_word {
        accepting[0] = false;
        let start = row_of(0);
        let twins: Vec<usize> =
            if same_letters { (1..size).filter(|&i| row_of(i) == start).collect() } else { Vec::new() };
        let plain = twins.iter().find(|&&i| !accepting[i]);
        if let Some(&twin) = plain.or(twins.first()) {
            class[0] = class[twin];
            accepting[0] = accepting[twin];
        }
    }
    Ok(number(dfa, &class, &accepting))
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

fn distinct(class: &[u32]) -> usize {
    let mut all = class.to_vec();
    all.sort_unstable();
    all.dedup();
    all.len()
}

/// The automaton of the classes that can be reached, numbered breadth first.
fn number(dfa: &Dfa, class: &[u32], accepting: &[bool]) -> Dfa {
    let mut ids: FxHashMap<u32, StateId> = FxHashMap::default();
    let mut examples = vec![0usize];
    ids.insert(class[0], StateId(0));
    let mut small = Dfa { alphabet: dfa.alphabet.clone(), rows: Vec::new(), accepting: Vec::new() };
    while let Some(&example) = examples.get(small.rows.len()) {
        let row = dfa.rows[example].iter().map(|target| {
            let fresh = StateId(examples.len() as u32);
            *ids.entry(class[target.0 as usize]).or_insert_with(|| {
                examples.push(target.0 as usize);
                fresh
            })
        });
        let row = row.collect();
        small.rows.push(row);
        small.accepting.push(accepting[example]);
    }
    small
}
